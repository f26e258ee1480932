"""A deck of 81 that differ only in number, colour, fill and shape, on boards of a dozen: drawn here.

Twelve cards lie in rows, askew, often touching, on any cloth (white too), seen from one side, under a lamp
that is reflected in some of them and colours all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.observations import UNKNOWN
from companion.vision.camera_model import HARD, CameraModel, Picture, overhead_homography
from companion.vision.layout import Calibration
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import overlap_share
from companion.vision.renderer import SpritePatch, make_card_sprite, rotated_box, simulate_print
from tests.vision.generator import drawn_conditions

WIDTH, HEIGHT = 420, 272
"""Of a card's drawing; cards lie."""
INKS = {"red": (40, 30, 215), "green": (70, 150, 20), "purple": (140, 30, 95)}
SHAPES = ("kite", "pill", "wave")
FILLS = ("open", "striped", "solid")
IDS = tuple("-".join(map(str, card)) for card in product((1, 2, 3), INKS, FILLS, SHAPES))
_EXTENT = (1560.0, 900.0)
_RIM = 6


def _outline(shape: str) -> NDArray[np.float64]:
    """Points round a shape of height 2 about its middle."""
    t = np.linspace(0, 2 * np.pi, 96, endpoint=False)
    if shape == "kite":
        return np.array([[0, -1], [0.5, 0], [0, 1], [-0.5, 0]])
    if shape == "pill":
        bend = np.where(np.sin(t) > 0, 0.55, -0.55)
        return np.column_stack((0.45 * np.cos(t), 0.45 * np.sin(t) + bend))
    y = np.linspace(-0.86, 0.86, 40)
    side = 0.17 * np.sin(1.15 * np.pi * y)
    right = np.column_stack((0.3 + side, y - 0.1))
    left = np.column_stack((-0.3 + side, y + 0.1))
    ends = [[0.12, -1.0], [-0.2, -0.95]], [[-0.12, 1.0], [0.2, 0.95]]
    return np.concatenate([left[:1] * [1, 1], ends[0][::-1], right, ends[1][::-1], left[::-1]])


@cache
def face(card: str, paper: tuple[int, int, int] = (250, 250, 250)) -> Picture:
    """One card, lying, (HEIGHT, WIDTH, 3); drawn once, nobody can write into it."""
    number, colour, fill, shape = card.split("-")
    ink, fine = INKS[colour], 4
    picture = np.full((HEIGHT * fine, WIDTH * fine, 3), paper, np.uint8)
    for at in range(int(number)):
        x = WIDTH / 2 + (at - (int(number) - 1) / 2) * 112
        points = _outline(shape) * 86 + (x, HEIGHT / 2)
        line = np.round(points * fine).astype(np.int32)
        inside = np.zeros(picture.shape[:2], np.uint8)
        cv2.fillPoly(inside, [line], 255)
        if fill == "solid":
            picture[inside > 0] = ink
        elif fill == "striped":
            rows = np.arange(picture.shape[0])[:, None] % (8 * fine) < 2 * fine
            picture[(inside > 0) & rows] = ink
        cv2.polylines(picture, [line], isClosed=True, color=ink, thickness=5 * fine)
    small = np.asarray(cv2.resize(picture, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
    small.setflags(write=False)
    return small


def faces() -> dict[str, Picture]:
    """All 81."""
    return {card: face(card) for card in IDS}


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A made photograph of twelve cards."""

    picture: Picture
    cards: tuple[tuple[str, NDArray[np.float32]], ...]
    """Id and corners in pixels from one of the two corners that may be its own top-left, clockwise."""


def board(cards: dict[str, Picture], rng: np.random.Generator, *, hard: float = 1.0) -> Board:
    """A board of twelve of the cards; `hard` from 0 to 1 bounds tilt, light, glare, blur and noise."""
    size = [(1600, 1200), (1200, 1600), (1280, 960), (960, 720)][int(rng.integers(4))]
    hardest = replace(
        HARD, tilt=32 * hard, light=0.55 * hard, shadow=0.5 * hard, glare=0.3 * hard, warmth=0.16 * hard,
        blur=0.4 + 0.9 * hard, noise=2 + 5 * hard, jpeg=round(90 - 35 * hard),
    )  # fmt: skip
    across = 90 * (size[1] > size[0]) + 180 * int(rng.integers(2))
    conditions = replace(drawn_conditions(rng, hardest), roll=across + float(rng.normal(0, 8)))
    camera = CameraModel(size, conditions)
    view = Calibration(overhead_homography(size, _EXTENT, conditions), size)
    frame = np.asarray(cv2.multiply(_cloth(rng, size), camera.light, dtype=cv2.CV_8U), np.uint8)
    wide = float(rng.uniform(250, 330))
    high = wide * HEIGHT / WIDTH
    gap = float(rng.choice([0.0, 0.02, 0.1, 0.25]))
    askew = float(rng.choice([2.0, 6.0, 12.0])) if gap else 1.5
    dealt = [str(c) for c in rng.choice(list(cards), 12, replace=False)]
    lying = []
    for at, card in enumerate(dealt):
        row, column = divmod(at, 4)
        x = 780 + (column - 1.5) * wide * (1 + gap) + float(rng.normal(0, 0.02 * wide * (gap > 0)))
        y = 450 + (row - 1) * (high + wide * gap) + float(rng.normal(0, 0.02 * wide * (gap > 0)))
        angle = float(rng.normal(0, askew / 2)) + 180 * int(rng.integers(2))
        sprite = make_card_sprite(cards[card], _RIM, 0.04)
        grow = wide / WIDTH
        rows, columns = sprite.shape[:2]
        corners = view.to_pixels(rotated_box((x, y), (grow * columns, grow * rows), angle))
        SpritePatch(sprite, corners, camera.light).paint_on(frame)
        lying.append((card, view.to_pixels(rotated_box((x, y), (wide, high), angle)).astype(np.float32)))
    frame = _lamps(frame, rng, hard)
    return Board(camera.take_picture(frame, rng), tuple(lying))


def _cloth(rng: np.random.Generator, size: tuple[int, int]) -> Picture:
    """Dark, coloured, wooden or white."""
    kinds = [(45, 45, 45), (120, 130, 30), (60, 110, 40), (110, 150, 190), (225, 228, 230), (170, 175, 180)]
    colour = np.array(kinds[int(rng.integers(len(kinds)))]) * rng.uniform(0.85, 1.05)
    stretch = [(1, 1), (3, 3), (1, 60)][int(rng.integers(3))]
    coarse = rng.standard_normal((size[1] // stretch[1] + 1, size[0] // stretch[0] + 1), dtype=np.float32)
    grain = np.asarray(cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR))
    return np.clip(colour + rng.uniform(2, 9) * grain[:, :, None], 0, 255).astype(np.uint8)


def _lamps(frame: Picture, rng: np.random.Generator, hard: float) -> Picture:
    """Reflections of lamps: soft white spots, some of which hide the print altogether."""
    height, width = frame.shape[:2]
    y, x = np.mgrid[0:height:4, 0:width:4].astype(np.float32)
    veil = np.zeros_like(x)
    for _ in range(int(rng.integers(0, 4))):
        at, reach = rng.uniform(0, 1, 2) * (width, height), rng.uniform(0.03, 0.12, 2) * width
        spot = np.exp(-(((x - at[0]) / reach[0]) ** 2) - ((y - at[1]) / reach[1]) ** 2)
        veil = np.maximum(veil, float(rng.uniform(0.2, 0.9)) * hard * spot)
    whole = np.asarray(cv2.resize(veil, (width, height)))[..., None]
    return np.asarray(frame + (255 - frame) * whole, np.uint8)


def singly(cards: dict[str, Picture], rng: np.random.Generator, *, high: int = 200) -> dict[str, Picture]:
    """Each card photographed alone in a fair light and cut out by hand: what an owner enrols."""
    cut = {}
    for card, picture in cards.items():
        conditions = replace(
            drawn_conditions(rng, HARD), tilt=0.0, glare=0.0, shadow=0.0, blur=0.6, noise=3.0
        )
        camera = CameraModel((640, 480), replace(conditions, warmth=0.5 * conditions.warmth))
        wide = high * WIDTH / HEIGHT
        angle = float(rng.normal(0, 0.4))
        box = rotated_box((320, 240), (wide, high), angle)
        frame = np.asarray(cv2.multiply(np.full((480, 640, 3), 60, np.uint8), camera.light, dtype=cv2.CV_8U))
        rim = rotated_box((320, 240), (wide * (1 + 6 / WIDTH), high * (1 + 6 / HEIGHT)), angle)
        SpritePatch(make_card_sprite(picture, 3, 0.04), rim.astype(np.float32), camera.light).paint_on(frame)
        seen = camera.take_picture(np.asarray(frame, np.uint8), rng)
        slack = rng.normal(0, 1.2, (4, 2))
        target = np.array([(0, 0), (wide, 0), (wide, high), (0, high)], np.float32)
        flat = cv2.getPerspectiveTransform((box + slack).astype(np.float32), target)
        cut[card] = np.asarray(cv2.warpPerspective(seen, flat, (round(wide), high)), np.uint8)
    return cut


def on_paper(cards: dict[str, Picture], rng: np.random.Generator) -> dict[str, Picture]:
    """The cards as they come out of a printer."""
    return {card: simulate_print(picture, rng, cut=2.0) for card, picture in cards.items()}


def scored(one: Board, seen: list[Sighting]) -> tuple[int, list[str], list[str]]:
    """(right, wrong as "told instead of true", missed), as whoever judges photographs counts."""
    left, right, wrong = dict(one.cards), 0, []
    for sighting in sorted(seen, key=lambda s: -s.confidence):
        if sighting.card == UNKNOWN:
            continue
        if sighting.card in left and overlap_share(left[sighting.card], sighting.corners) > 0.7:
            right += 1
            del left[sighting.card]
        else:
            there = [card for card, where in one.cards if overlap_share(where, sighting.corners) > 0.4]
            wrong.append(f"{sighting.card} instead of {'/'.join(there) or 'nothing'}")
    return right, wrong, list(left)
