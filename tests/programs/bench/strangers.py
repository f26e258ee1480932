"""Strangers at several sizes: `make bench-vision DATA=FOLDER ARGS=--strangers`, about six minutes of a core.

Each eighth of each deck is left out in turn and its cards laid before the others, made as small as cards are
on a table and shaken (`looks.SWAYING`): a sister never shown. The same card is laid before the whole
deck, which tells what a limit that keeps sisters off costs. And every card is laid before the decks of all
other sets: another print. All decks are enrolled as partial ones.

`--seed N` turns, places, lights and shakes the same cards otherwise. The limits were chosen on the views of
seed 0: other seeds prove them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.observations import UNKNOWN
from companion.vision.acceptance import MatchJudgement
from companion.vision.decks import build_deck
from companion.vision.pictures import read_picture
from companion.vision.recogniser import Recogniser
from tests.programs.bench.looks import SWAYING, TABLE_SIZE
from tests.programs.bench.vision import share_of

Picture = NDArray[np.uint8]
SIZES = (90, TABLE_SIZE, 220, 360)
"""Pixels of a card's longer side."""
GROUPS = 8
"""Parts of a deck that are left out one after the other."""
CLOTHS = ((60, 90, 40), (50, 60, 110), (150, 140, 120), (40, 40, 40))
"""Blue, green and red of the tables."""


@dataclass(frozen=True, slots=True)
class Told:
    """What was said of one card."""

    kind: str
    """"enrolled", "sister" or "print"."""
    where: str
    """The deck's set."""
    card: str
    size: int
    said: str
    why: MatchJudgement | None

    @property
    def wrong(self) -> bool:
        """Was it taken for a card that it is not?"""
        return self.said not in {"", UNKNOWN, self.card if self.kind == "enrolled" else ""}


def laid(card: Picture, size: int, seed: str) -> tuple[Picture, NDArray[np.float32]]:
    """A card of `size` pixels on a table, shaken: the picture, and the place it is looked for in."""
    chance = np.random.default_rng(crc32(seed.encode()))
    high, wide = card.shape[:2]
    shrink = size / max(high, wide)
    small = np.asarray(
        cv2.resize(card, (round(wide * shrink), round(high * shrink)), interpolation=cv2.INTER_AREA), np.uint8
    )
    side = round(2.2 * size)
    table = np.full((side, side, 3), CLOTHS[int(chance.integers(len(CLOTHS)))], np.uint8)
    turn, middle = (
        np.deg2rad(chance.uniform(-4, 4)),
        np.array([side / 2, side / 2]) + chance.uniform(-2, 2, 2),
    )
    box = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(small.shape[1::-1]) / 2
    around = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners = box @ around + middle + chance.normal(0, 0.004 * size, (4, 2))
    rows, columns = small.shape[:2]
    flat = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32)
    to = cv2.getPerspectiveTransform(flat - np.float32(0.5), corners.astype(np.float32))
    mask = cv2.warpPerspective(np.full((rows, columns), 255, np.uint8), to, (side, side))
    there = cv2.warpPerspective(small, to, (side, side), borderMode=cv2.BORDER_REPLICATE)
    table = np.where(mask[..., None] > 127, there, table)
    light, dark = chance.uniform(0.75, 1.1, 2)
    lamp = 1 + chance.normal(0, 0.04, (1, 1, 3))
    slope = np.linspace(light, dark, side)[None, :, None] * lamp
    picture = SWAYING.of(np.asarray(np.clip(table * slope, 0, 255), np.uint8), chance)
    place = (
        1.1 * (corners - corners.mean(axis=0)) + corners.mean(axis=0) + size * chance.uniform(-0.03, 0.03, 2)
    )
    return picture, place.astype(np.float32)


def read(
    eye: Recogniser, kind: str, where: str, name: str, card: Picture, *, seed: int = 0
) -> Iterator[Told]:
    """A card at all sizes before one deck."""
    chance = f"{seed}:" if seed else ""
    # Of another print there are seven times as many, so each card has one of the sizes.
    sizes = SIZES if kind != "print" else (SIZES[crc32(f"{chance}{where}/{name}".encode()) % len(SIZES)],)
    for size in sizes:
        picture, place = laid(card, size, f"{chance}{name}/{size}")
        seen = eye.read_place(picture, place)
        yield Told(kind, where, name, size, seen.card, seen.why)


def all_told(root: Path, sets: Sequence[str], seed: int) -> Iterator[Told]:
    """Every card left out of its deck, in its deck, and before the other sets' decks."""
    shown = {
        one: [(path.stem, read_picture(path)) for path in sorted((root / one / "refs").iterdir())]
        for one in sets
    }
    for one, cards in shown.items():
        whole = Recogniser(build_deck(cards, complete=False))
        for group in range(min(GROUPS, len(cards))):
            absent = cards[group::GROUPS]
            left = {name for name, _ in absent}
            rest = Recogniser(build_deck([c for c in cards if c[0] not in left], complete=False))
            for name, card in absent:
                yield from read(rest, "sister", one, name, card, seed=seed)
                yield from read(whole, "enrolled", one, name, card, seed=seed)
        for other, theirs in shown.items():
            for name, card in theirs if other != one else ():
                yield from read(whole, "print", one, f"{other}/{name}", card, seed=seed)


def measure(root: Path, sets: Sequence[str], seed: int = 0) -> None:
    """Prints for each size how many strangers were taken for a card, and how many enrolled cards are read."""
    found = list(all_told(root, sets, seed))
    for kind, what in (("sister", "taken"), ("print", "taken"), ("enrolled", "wrong")):
        for size in (*SIZES, 0):
            some = [t for t in found if t.kind == kind and size in {0, t.size}]
            line = f"{kind}, {f'{size} pixels' if size else 'all sizes'}: {what} "
            line += share_of(sum(t.wrong for t in some), len(some))
            if kind == "enrolled":
                line += f", read {share_of(sum(t.said == t.card for t in some), len(some))}"
            print(line)
    for t in found:
        if t.wrong:
            print(f"  {t.kind}: {t.where}, {t.card} at {t.size} told as {t.said} ({t.why})")
