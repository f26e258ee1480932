"""Cards and tables that the tests draw for themselves, so that no picture need be kept."""

from __future__ import annotations

from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
WIDTH, HEIGHT = 160, 240
STROKES = {
    "2": "01 10 30 41 42 06 46",
    "3": "00 40 22 32 43 45 36 16 05",
    "4": "36 30 04 44",
    "5": "40 00 02 32 43 45 36 16 05",
    "6": "30 10 01 05 16 36 45 43 32 12 03",
    "7": "00 40 16",
    "8": "13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33",
    "9": "16 36 45 41 30 10 01 03 14 34 43",
}
"""For each digit the way of a pen through columns 0 to 4 and rows 0 to 6.

`cv2.putText` has another font in OpenCV 5 than before, and tests are about the same picture in all.
"""
PEN = 1
"""How wide the pen is, in columns."""


@cache
def _inked(digit: str, size: tuple[int, int]) -> NDArray[np.float32]:
    """A digit as large as that (width, height): how much ink is on each pixel (height, width, 1), 0 to 1."""
    fine = 16
    width, height = (fine * side for side in size)
    pen = fine * PEN * size[0] / (4 + PEN)
    way = np.array([(int(column) / 4, int(row) / 6) for column, row in STROKES[digit].split()])
    points = np.round(way * (width - pen, height - pen) + pen / 2).astype(np.int32)
    ink = np.zeros((height, width), np.uint8)
    cv2.polylines(ink, [points], isClosed=False, color=255, thickness=round(pen))
    return ink.reshape(size[1], fine, size[0], fine).mean(axis=(1, 3), dtype=np.float32)[..., None] / 255


def write(card: Picture, digit: str, box: tuple[int, int, int, int], ink: tuple[int, int, int]) -> None:
    """Fills a box (left, top, width, height) of the card with a digit."""
    left, top, width, height = box
    part, place = _inked(digit, (width, height)), card[top : top + height, left : left + width]
    place[:] = np.round(np.array(ink) * part + place * (1 - part))


def face(rank: str, suit: str) -> Picture:
    """A portrait card with a rank in the middle and its suit's sign at two corners."""
    card = np.full((HEIGHT, WIDTH, 3), 250, np.uint8)
    cv2.rectangle(card, (0, 0), (WIDTH - 1, HEIGHT - 1), (90, 90, 90), 2)
    ink = {"disc": (30, 30, 30), "box": (30, 30, 30), "drop": (40, 40, 200), "kite": (40, 40, 200)}[suit]
    write(card, rank, (38, 72, 74, 87), ink)
    for turn in (False, True):
        sign = np.full((HEIGHT, WIDTH, 3), 250, np.uint8)
        if suit == "disc":
            cv2.circle(sign, (32, 36), 15, ink, -1)
        elif suit == "box":
            cv2.rectangle(sign, (18, 22), (46, 50), ink, -1)
        elif suit == "drop":
            cv2.fillPoly(sign, [np.array([[32, 16], [50, 52], [14, 52]])], ink)
        else:
            cv2.fillPoly(sign, [np.array([[32, 14], [48, 36], [32, 58], [16, 36]])], ink)
        card = np.minimum(card, sign[::-1, ::-1] if turn else sign)
    return card


def cards(
    ranks: str = "234579", suits: tuple[str, ...] = ("disc", "box", "drop", "kite")
) -> list[tuple[str, Picture]]:
    """A deck of (card id, picture)."""
    return [(f"{suit}:{rank}", face(rank, suit)) for suit in suits for rank in ranks]


def corners(centre: tuple[float, float], height: float, degrees: float) -> NDArray[np.float32]:
    """Where a card lies: its corners from its own top-left, turned clockwise."""
    wide = height * WIDTH / HEIGHT
    box = np.array([[-wide, -height], [wide, -height], [wide, height], [-wide, height]]) / 2
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.asarray(box @ turn + centre, np.float32)


def lay(table: Picture, card: Picture, where: NDArray[np.float32]) -> None:
    """Puts a card on the table, over what lies there, smoothly."""
    height, width = card.shape[:2]
    box = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    size = (table.shape[1], table.shape[0])
    flat = cv2.getPerspectiveTransform(box, where)
    small = cv2.GaussianBlur(card, (0, 0), 0.5)
    there = cv2.warpPerspective(small, flat, size, flags=cv2.INTER_AREA)
    mask = cv2.warpPerspective(np.ones((height, width), np.float32), flat, size)[..., None]
    table[:] = np.round(there * mask + table * (1 - mask))


def cloth(colour: tuple[int, int, int] = (60, 90, 40), seed: int = 1) -> Picture:
    """An empty table, lit from one side, seen by a camera with noise; a copy of one's own."""
    return _cloth(colour, seed).copy()


@lru_cache(maxsize=8)
def _cloth(colour: tuple[int, int, int], seed: int) -> Picture:
    light = np.linspace(0.8, 1.15, 960)[None, :, None]
    noise = np.random.default_rng(seed).normal(0, 3, (640, 960, 1))
    return np.clip(np.array(colour) * light + noise, 0, 255).astype(np.uint8)
