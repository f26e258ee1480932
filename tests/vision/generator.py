"""Hard frames from reference pictures of any deck, with the truth about them: for tests and for thresholds.

Cards lie anywhere and anyhow on a cloth, in piles, among papers and coins, under hands, and are photographed
in bad light. Made pictures are never the only evidence: thresholds also answer to real photographs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_model import HARD, CameraModel, Conditions, Picture, overhead_homography
from companion.vision.layout import Calibration
from companion.vision.renderer import (
    HAND_MM,
    Sprite,
    SpritePatch,
    make_card_sprite,
    make_hand_sprite,
    make_shadow_sprite,
    rotated_box,
)

_CARD_CORNER = 0.07
_RIM = 6
_EXTENT = (1600.0, 900.0)
"""The part of the table that is in view, in lengths of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """A card in a made picture."""

    card: str
    corners: NDArray[np.float32]
    """(4, 2) pixels, clockwise from the card's own top left."""
    visible: float
    """The share of its area that nothing covers."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A made picture and what is truly in it."""

    picture: Picture
    cards: tuple[Lying, ...]
    """From the lowest to the topmost; strangers are not among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difficulty:
    """How hard a frame may be at most; each frame draws its own from that."""

    conditions: Conditions = HARD
    cards: tuple[int, int] = (1, 8)
    """Fewest and most cards."""
    height: tuple[float, float] = (0.14, 0.5)
    """A card's height as a share of the frame's, in its middle."""
    piles: float = 0.25
    """How likely a card is laid partly over the one before it; every other time as a fan is held."""
    gloss: float = 0.12
    """How likely a lamp is mirrored in a card, or in its sleeve."""
    clutter: int = 5
    """Most papers and coins."""
    hands: float = 0.3
    """How likely a hand reaches over the table."""


def make_frame(
    pictures: Mapping[str, Picture],
    rng: np.random.Generator,
    difficulty: Difficulty = Difficulty(),
    *,
    strangers: Sequence[Picture] = (),
    size: tuple[int, int] = (1280, 720),
) -> Frame:
    """A frame with some of the cards, each picture (height, width, 3) upright, and perhaps a stranger."""
    conditions = drawn_conditions(rng, difficulty.conditions)
    camera = CameraModel(size, conditions)
    view = Calibration(overhead_homography(size, _EXTENT, conditions), size)
    frame = np.asarray(cv2.multiply(_cloth(rng, size), camera.light, dtype=cv2.CV_8U), dtype=np.uint8)
    cover = np.zeros((size[1], size[0]), dtype=np.uint8)
    for _ in range(int(rng.integers(0, difficulty.clutter + 1))):
        thing, box = _clutter(rng)
        quad = view.to_pixels(rotated_box(_somewhere(rng, view), box, float(rng.uniform(0, 360))))
        SpritePatch(thing, quad, camera.light).paint_on(frame)
    dealt = _deal(list(pictures.items()), rng, difficulty, strangers, view)
    quads: list[tuple[str, NDArray[np.float32]]] = []
    for (card, picture), centre, high, angle in dealt:
        sprite = make_card_sprite(_shrunk(picture, view, high), _RIM, _CARD_CORNER)
        rows, columns = sprite.shape[:2]
        grow = high / (rows - 2 * _RIM)
        SpritePatch(
            sprite, view.to_pixels(rotated_box(centre, (grow * columns, grow * rows), angle)), camera.light
        ).paint_on(frame)
        quad = view.to_pixels(rotated_box(centre, (high * picture.shape[1] / picture.shape[0], high), angle))
        if rng.random() < difficulty.gloss:
            _mirror(frame, quad, rng)
        quads.append((card, quad))
        cv2.fillConvexPoly(cover, quad.round().astype(np.int32), len(quads))
    if rng.random() < difficulty.hands:
        _reach(frame, cover, view, camera, rng)
    lying = []
    for number, (card, quad) in enumerate(quads, start=1):
        area = abs(float(cv2.contourArea(quad)))
        seen = float(np.count_nonzero(cover == number))
        if card:
            lying.append(Lying(card, quad, min(1.0, seen / max(area, 1.0))))
    return Frame(camera.take_picture(frame, rng), tuple(lying))


def drawn_conditions(rng: np.random.Generator, hardest: Conditions) -> Conditions:
    """Conditions anywhere between good and the hardest, seen from any side."""
    share = rng.uniform(0, 1, size=8)
    # Most photographs are sharp and have little noise: see `tests.programs.bench.made`.
    share[5:7] **= 2
    return replace(
        hardest,
        tilt=hardest.tilt * float(share[0]),
        roll=float(rng.uniform(-180, 180)),
        light=hardest.light * float(share[1]),
        shadow=hardest.shadow * float(share[2]),
        glare=hardest.glare * float(share[3]) if share[3] > 0.5 else 0.0,
        warmth=hardest.warmth * float(2 * share[4] - 1),
        blur=hardest.blur * float(share[5]),
        # In steps, so that frames share the few banks of noise that are kept.
        noise=hardest.noise * (1 + int(4 * share[6])) / 4,
        jpeg=round(hardest.jpeg + (95 - hardest.jpeg) * float(share[7])),
        side=float(rng.uniform(0, 360)),
    )


def _somewhere(rng: np.random.Generator, view: Calibration) -> tuple[float, float]:
    """A point of the table that is in the picture."""
    pixel = rng.uniform(0.08, 0.92, size=2) * view.frame_size
    x, y = view.to_millimetres(np.asarray([pixel], dtype=np.float32))[0]
    return float(x), float(y)


def _per_length(view: Calibration) -> float:
    """Pixels per length of the table, in the middle of the picture."""
    middle = np.asarray(view.frame_size, dtype=np.float32) / 2
    here, beside = view.to_millimetres(np.asarray([middle, (middle[0] + 16, middle[1])], dtype=np.float32))
    return 16 / float(np.hypot(*(beside - here)))


_Dealt = tuple[tuple[str, Picture], tuple[float, float], float, float]


def _deal(
    pictures: Sequence[tuple[str, Picture]],
    rng: np.random.Generator,
    difficulty: Difficulty,
    strangers: Sequence[Picture],
    view: Calibration,
) -> list[_Dealt]:
    """Which card lies where: ((card, picture), centre, height, angle); a stranger's id is empty."""
    low, high = difficulty.cards
    count = int(rng.integers(low, high + 1))
    chosen = [
        pictures[int(at)] for at in rng.choice(len(pictures), size=min(count, len(pictures)), replace=False)
    ]
    if strangers and rng.random() < 0.5:
        chosen.insert(
            int(rng.integers(0, len(chosen) + 1)), ("", strangers[int(rng.integers(len(strangers)))])
        )
    tall = float(rng.uniform(*difficulty.height)) * view.frame_size[1] / _per_length(view)
    dealt: list[_Dealt] = []
    for card in chosen:
        angle = float(rng.uniform(0, 360))
        if dealt and rng.random() < difficulty.piles:
            (_, under, _, lies), fan = dealt[-1], rng.random() < 0.5
            turn, by = rng.uniform(0, 2 * np.pi), rng.uniform(0.35, 0.7) * tall
            if fan:  # to the right, and a little up or down: the left edge of the lower card shows
                turn = np.deg2rad(lies) + rng.uniform(-0.6, 0.6)
                angle, by = lies + float(rng.uniform(-12, 12)), rng.uniform(0.2, 0.45) * tall
            centre = (float(under[0] + by * np.cos(turn)), float(under[1] + by * np.sin(turn)))
            dealt.append((card, centre, tall, angle))
            continue
        for _ in range(40):
            centre = _somewhere(rng, view)
            if all(np.hypot(centre[0] - at[0], centre[1] - at[1]) > 1.25 * tall for _, at, _, _ in dealt):
                dealt.append((card, centre, tall, angle))
                break
    return dealt


def _shrunk(picture: Picture, view: Calibration, high: float) -> Picture:
    """A card's picture not much larger than it will be, so that warping does not alias."""
    rows = round(1.4 * _per_length(view) * high)
    if rows >= picture.shape[0]:
        return picture
    columns = max(8, round(rows * picture.shape[1] / picture.shape[0]))
    return np.asarray(cv2.resize(picture, (columns, rows), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _cloth(rng: np.random.Generator, size: tuple[int, int]) -> Picture:
    """A table of any colour, plain, woven, or with the grain of wood."""
    width, height = size
    colour = rng.uniform(25, 235, size=3) * rng.uniform(0.5, 1.0)
    stretch = [(1, 1), (3, 3), (1, 60), (60, 1)][int(rng.integers(4))]
    coarse = rng.standard_normal((height // stretch[1] + 1, width // stretch[0] + 1), dtype=np.float32)
    grain = np.asarray(cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR))
    return np.clip(colour + rng.uniform(2, 14) * grain[:, :, None], 0, 255).astype(np.uint8)


def _clutter(rng: np.random.Generator) -> tuple[Sprite, tuple[float, float]]:
    """A printed paper or a coin, and how large it is on the table."""
    if rng.random() < 0.5:
        tall, wide = int(rng.integers(120, 420)), int(rng.integers(90, 300))
        paper = np.full((tall, wide, 3), rng.integers(190, 256, size=3), dtype=np.uint8)
        for line in range(16, tall - 12, int(rng.integers(10, 24))):
            end = int(rng.integers(wide // 2, wide - 8))
            cv2.line(paper, (10, line), (end, line), (70, 70, 70), int(rng.integers(1, 5)))
        return make_card_sprite(paper, _RIM, 0.0), (float(wide), float(tall))
    side = int(rng.integers(24, 60))
    coin = np.zeros((side, side, 4), dtype=np.uint8)
    colour = (*(int(part) for part in rng.integers(60, 230, size=3)), 255)
    cv2.circle(coin, (side // 2, side // 2), side // 2 - 2, colour, -1, cv2.LINE_AA)
    return coin, (float(side), float(side))


def _mirror(frame: Picture, quad: NDArray[np.float32], rng: np.random.Generator) -> None:
    """Mirror a lamp in a card, in place: a soft streak, nearly white in its middle."""
    low = np.clip(np.floor(quad.min(axis=0)), 0, frame.shape[1::-1]).astype(int)
    high = np.clip(np.ceil(quad.max(axis=0)), 0, frame.shape[1::-1]).astype(int)
    if (high - low).min() < 8:
        return
    part = frame[low[1] : high[1], low[0] : high[0]]
    shape = np.zeros(part.shape[:2], dtype=np.uint8)
    cv2.fillConvexPoly(shape, (quad - low).round().astype(np.int32), 255)
    long = float(np.linalg.norm(quad[0] - quad[2]))
    streak = np.zeros(part.shape[:2], dtype=np.uint8)
    middle = quad[0] + (quad[2] - quad[0]) * rng.uniform(0.15, 0.85) - low
    axes = (max(2, round(long * rng.uniform(0.1, 0.5))), max(2, round(long * rng.uniform(0.03, 0.14))))
    at = (round(float(middle[0])), round(float(middle[1])))
    cv2.ellipse(streak, at, axes, float(rng.uniform(0, 180)), 0, 360, 255, -1)
    strength = rng.uniform(0.2, 0.7)
    white = strength * cv2.GaussianBlur(streak, (0, 0), max(1.0, 0.03 * long)).astype(np.float32)
    white[shape == 0] = 0
    part[:] = np.clip(part + white[:, :, None] * (255 - part) / 255, 0, 255).astype(np.uint8)


def _reach(
    frame: Picture, cover: NDArray[np.uint8], view: Calibration, camera: CameraModel, rng: np.random.Generator
) -> None:
    """Lay a hand with its shadow over the table, in place; what it hides becomes 255 in `cover`."""
    light = rng.uniform(90, 235)
    skin = (int(0.58 * light), int(0.74 * light), int(light))
    sleeve = (int(rng.integers(20, 220)), int(rng.integers(20, 220)), int(rng.integers(20, 220)))
    arm = make_hand_sprite(1.4, skin, sleeve)
    box = (2.6 * HAND_MM[0], 2.6 * HAND_MM[1])
    angle = float(rng.uniform(0, 360))
    tip_x, tip_y = _somewhere(rng, view)
    turn = np.deg2rad(angle)
    centre = (float(tip_x - box[1] / 2 * np.sin(turn)), float(tip_y + box[1] / 2 * np.cos(turn)))
    quad = view.to_pixels(rotated_box(centre, box, angle))
    beside = view.to_pixels(rotated_box((centre[0] + 40, centre[1] + 40), box, angle))
    SpritePatch(make_shadow_sprite(arm, camera.conditions.shadow, 14.0), beside, camera.light).paint_on(frame)
    SpritePatch(arm, quad, camera.light).paint_on(frame)
    rows, columns = arm.shape[:2]
    source = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], dtype=np.float32)
    hides = cv2.warpPerspective(
        np.ascontiguousarray(arm[:, :, 3]), cv2.getPerspectiveTransform(source, quad), camera.size
    )
    cover[np.asarray(hides) > 127] = 255
