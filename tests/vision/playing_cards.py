"""A small deck of playing cards with an index in two corners, and photos of a pair of them."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from companion.vision.decks import build_deck
from companion.vision.recogniser import Recogniser
from tests.vision.drawn import HEIGHT, WIDTH, Picture, cloth, corners, lay, write

RANKS, SUITS = "23456789", "dk"
PLACES = (
    (0.28, 0.2),
    (0.72, 0.2),
    (0.28, 0.5),
    (0.72, 0.5),
    (0.5, 0.35),
    (0.28, 0.8),
    (0.72, 0.8),
    (0.5, 0.65),
    (0.5, 0.5),
)


def playing(rank: str, suit: str) -> Picture:
    """A playing card: an index in two corners, and as many pips as its rank says."""
    ink = (30, 30, 30) if suit == "d" else (40, 40, 200)
    upright, pips = (np.full((HEIGHT, WIDTH, 3), 250, np.uint8) for _ in range(2))
    write(upright, rank, (10, 13, 15, 18), ink)
    for card, at, size in (
        (upright, (19, 44), 7),
        *((pips, (int(x * WIDTH), int(y * HEIGHT)), 13) for x, y in PLACES[: int(rank)]),
    ):
        if suit == "d":
            cv2.circle(card, at, size, ink, -1)
        else:
            cv2.fillPoly(card, [np.array(((0, -1), (1, 0), (0, 1), (-1, 0))) * size + at], ink)
    return np.minimum(np.minimum(upright, upright[::-1, ::-1]), pips)


def deck() -> list[tuple[str, Picture]]:
    return [(f"{suit}{rank}", playing(rank, suit)) for suit in SUITS for rank in RANKS]


@cache
def recogniser() -> Recogniser:
    return Recogniser(build_deck(deck()))


@cache
def without(card: str) -> Recogniser:
    return Recogniser(build_deck([one for one in deck() if one[0] != card], complete=False))


def pair(lower: str, upper: str, shift: tuple[float, float], degrees: float) -> Picture:
    """A card nearly upright, and over it another; lit and seen as cloth is."""
    table = cloth()
    shown = dict(deck())
    lay(table, shown[lower], corners((430, 300), 210, degrees))
    lay(table, shown[upper], corners((430 + shift[0], 300 + shift[1]), 210, 0))
    return table


def names(picture: Picture, reader: Recogniser) -> list[str]:
    return sorted(seen.card for seen in reader.recognise(picture))
