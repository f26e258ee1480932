"""Renders the picture that an overhead camera would take of a table.

The textures of cards and mats are made from the print sheets by another way than the enrolment pictures: at
another resolution, printed (ink spreads, paper is not white, cuts are not exact) and photographed. So what
the recogniser was shown and what it is asked to read never share a pixel.
"""

import math
import tomllib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_model import (
    EASY,
    HARD,
    LIVE,
    MIDDLE,
    CameraModel,
    Conditions,
    Picture,
    overhead_homography,
)
from companion.vision.layout import CARD_MM, Calibration, Layout, Millimetres

_COLUMNS = 8
_ATLAS, _MAT, _INDEX = "textures.jpg", "mat.jpg", "textures.toml"


@dataclass(frozen=True, slots=True, eq=False)
class Textures:
    """What the renderer paints with."""

    cards: Mapping[str, Picture]
    """Card id → (height, width, 3); all of one size."""
    mat: Picture
    """(height, width, 3), the whole mat."""

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read the atlas of a deck, such as `assets/decks/<game>`."""
        with (folder / _INDEX).open("rb") as stream:
            index = tomllib.load(stream)
        atlas, (width, height) = _read_picture(folder / _ATLAS), index["size"]
        cards = {}
        for position, card in enumerate(index["cards"]):
            row, column = divmod(position, _COLUMNS)
            tile = atlas[row * height : (row + 1) * height, column * width : (column + 1) * width]
            cards[str(card)] = np.ascontiguousarray(tile)
        return cls(cards, _read_picture(folder / _MAT))

    def save(self, folder: Path) -> None:
        """Write atlas, mat and index."""
        height, width = next(iter(self.cards.values())).shape[:2]
        rows = -(-len(self.cards) // _COLUMNS)
        atlas = np.full((rows * height, _COLUMNS * width, 3), 255, dtype=np.uint8)
        for position, picture in enumerate(self.cards.values()):
            row, column = divmod(position, _COLUMNS)
            atlas[row * height : (row + 1) * height, column * width : (column + 1) * width] = picture
        write_jpeg(folder / _ATLAS, atlas, quality=92)
        write_jpeg(folder / _MAT, self.mat, quality=85)
        names = "".join(f'    "{card}",\n' for card in self.cards)
        (folder / _INDEX).write_text(
            "# What is where in textures.jpg, row by row; written by companion print --remake\n"
            f"size = [{width}, {height}]\ncards = [\n{names}]\n",
            encoding="utf-8",
        )


def write_jpeg(path: Path, picture: Picture, *, quality: int) -> None:
    """Write a picture (height, width, 3); `quality`: 0 to 100. Raises `OSError` if it cannot be written."""
    if not cv2.imwrite(str(path), picture, (cv2.IMWRITE_JPEG_QUALITY, quality)):
        raise OSError(f"cannot write {path}")


def simulate_print(picture: Picture, rng: np.random.Generator, *, cut: float = 0.0) -> Picture:
    """A drawing (height, width, 3) as it comes out of a printer, before a camera.

    `cut` is by how many pixels the knife may miss; less than the width of the card's border.
    """
    height, width = picture.shape[:2]
    crooked = float(rng.uniform(-0.5, 0.5)) if cut else 0.0
    move = np.array(cv2.getRotationMatrix2D((width / 2, height / 2), crooked, 1.0), dtype=np.float64)
    move[:, 2] += rng.uniform(-cut, cut, size=2)
    moved = cv2.warpAffine(
        picture, move, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    light = _simulate_ink(cv2.GaussianBlur((moved / np.float32(255)) ** 2.2, (0, 0), 0.55), rng)
    grain = cv2.GaussianBlur(rng.standard_normal((height, width), dtype=np.float32), (0, 0), 0.8)
    light *= 1 + 0.035 * np.asarray(grain)[:, :, None]
    return np.asarray(np.rint(255 * np.clip(light, 0, 1) ** (1 / 2.2)), dtype=np.uint8)


def _simulate_ink(light: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Linear light (height, width, 3) of the drawing → of the print: dots spread, inks are not pure."""
    spread = 1 - (1 - light) ** 0.86
    # Rows: what of the drawing's blue, green, red comes out as blue, green, red.
    inks = np.array([[0.86, 0.11, 0.03], [0.05, 0.89, 0.06], [0.02, 0.07, 0.91]], dtype=np.float32)
    paper = np.array([0.86, 0.90, 0.91]) * (1 + 0.015 * rng.standard_normal(3))
    black = 0.018
    return np.asarray((black + (1 - black) * (spread @ inks.T)) * paper)


def _read_picture(path: Path) -> Picture:
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise FileNotFoundError(f"{path} is missing or not a picture: python -m companion.printing makes it")
    return np.asarray(picture, dtype=np.uint8)


Sprite = NDArray[np.uint8]
"""(height, width, 4): blue, green, red, already multiplied with the fourth, how much it covers."""


def make_card_sprite(picture: Picture, rim: int, corner: float) -> Sprite:
    """A card (height, width, 3) with round corners and, in a rim of this many pixels, its thickness's shadow.

    `corner` is the radius of its corners as a share of its width.
    """
    height, width = picture.shape[:2]
    radius = round(corner * width)
    shape = np.zeros((height + 2 * rim, width + 2 * rim), dtype=np.uint8)
    left, top, right, bottom = rim, rim, rim + width - 1, rim + height - 1
    cv2.rectangle(shape, (left + radius, top), (right - radius, bottom), 255, -1)
    cv2.rectangle(shape, (left, top + radius), (right, bottom - radius), 255, -1)
    for x in (left + radius, right - radius):
        for y in (top + radius, bottom - radius):
            cv2.circle(shape, (x, y), radius, 255, -1, cv2.LINE_AA)
    shadow = np.roll(shape, (rim // 3, rim // 4), axis=(0, 1))
    shadow = np.asarray(cv2.GaussianBlur(shadow, (0, 0), rim / 3), dtype=np.float32) * 0.4
    cover = shape.astype(np.float32)
    colour = np.zeros((*shape.shape, 3), dtype=np.float32)
    colour[rim : rim + height, rim : rim + width] = picture
    colour *= cover[:, :, None] / 255
    alpha = cover + shadow * (1 - cover / 255)
    return np.ascontiguousarray(np.dstack((colour, alpha)).round().astype(np.uint8))


def rotated_box(centre: tuple[float, float], size: tuple[float, float], angle: float) -> NDArray[np.float64]:
    """(4, 2) corners of a box of this width and height, clockwise from its own top left."""
    turn = math.radians(angle)
    flat = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.asarray(size) / 2
    rotation = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    return np.asarray(flat @ rotation + np.asarray(centre), dtype=np.float64)


HAND_MM = (130.0, 520.0)
"""Width and length of the arm's sprite; the finger tips are in the middle of its upper edge."""


def make_hand_sprite(scale: float, skin: tuple[int, int, int], sleeve: tuple[int, int, int]) -> Sprite:
    """A right hand with its arm, seen from above, at `scale` pixels per mm; colours are BGR."""
    size = (round(HAND_MM[1] * scale), round(HAND_MM[0] * scale))
    colour = np.zeros((*size, 3), dtype=np.uint8)
    cover = np.zeros(size, dtype=np.uint8)

    def stroke(points: Sequence[tuple[float, float]], width: float, paint: Sequence[float]) -> None:
        path = [(np.array(points) * scale * 16).round().astype(np.int32)]
        thickness = max(1, round(width * scale))
        for target, value in ((colour, paint), (cover, (255.0,))):
            cv2.polylines(
                target, path, isClosed=False, color=value, thickness=thickness, lineType=16, shift=4
            )

    darker = [0.86 * part for part in skin]
    fingers = [
        [(46, 82), (42, 54), (39, 28)],
        [(59, 78), (57, 44), (56, 12)],
        [(72, 78), (73, 46), (75, 15)],
        [(85, 82), (89, 56), (93, 32)],
    ]
    stroke([(66, 90), (67, 200)], 46, skin)
    for finger in fingers:
        stroke(finger, 17, darker)
        stroke(finger, 14, skin)
    stroke([(52, 82), (79, 82), (78, 108), (55, 108), (52, 82)], 30, skin)
    stroke([(50, 114), (33, 94), (26, 70)], 19, darker)
    stroke([(50, 114), (33, 94), (26, 70)], 16, skin)
    stroke([(68, 196), (72, 560)], 70, sleeve)
    stroke([(38, 166), (97, 165)], 9, [0.75 * part for part in sleeve])
    soft = 0.6 * scale
    sprite = np.dstack((cv2.GaussianBlur(colour, (0, 0), soft), cv2.GaussianBlur(cover, (0, 0), soft)))
    return np.ascontiguousarray(sprite, dtype=np.uint8)


def make_shadow_sprite(sprite: Sprite, share: float, soften: float) -> NDArray[np.uint8]:
    """What a sprite takes of the light: `share` where it covers, with an edge `soften` pixels wide.

    (height, width): it has no colour.
    """
    return np.asarray(share * cv2.GaussianBlur(sprite[:, :, 3], (0, 0), soften), np.uint8)


class SpritePatch:
    """A sprite laid into a frame: the part of the frame it touches, and what it paints there."""

    __slots__ = ("_colour", "_keep", "window")

    def __init__(
        self, sprite: NDArray[np.uint8], quad: NDArray[np.float32], light: NDArray[np.float32]
    ) -> None:
        """Lay the sprite's corners on `quad` (4, 2) pixels in a frame lit by `light` (height, width, 3).

        A sprite is a `Sprite`, or a shadow (height, width).
        """
        height, width = light.shape[:2]
        low = np.clip(np.floor(quad.min(axis=0)), 0, (width, height)).astype(int)
        high = np.clip(np.ceil(quad.max(axis=0)) + 1, low, (width, height)).astype(int)
        self.window = np.s_[int(low[1]) : int(high[1]), int(low[0]) : int(high[0])]
        self._colour: NDArray[np.uint8] | None = None
        if (high == low).any():
            self._keep = np.zeros((*(high - low)[::-1], 3), dtype=np.uint8)
            return
        rows, columns = sprite.shape[:2]
        source = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], dtype=np.float32) - 0.5
        to_window = cv2.getPerspectiveTransform(source, (quad - low).astype(np.float32))
        warped = cv2.warpPerspective(sprite, to_window, (int(high[0] - low[0]), int(high[1] - low[1])))
        keep = cv2.bitwise_not(warped if sprite.ndim == 2 else cv2.extractChannel(warped, 3))
        self._keep = np.asarray(cv2.merge((keep, keep, keep)), dtype=np.uint8)
        if sprite.ndim > 2:
            colour = cv2.cvtColor(warped, cv2.COLOR_BGRA2BGR)
            lit = cv2.multiply(colour, light[self.window], dtype=cv2.CV_8U)
            self._colour = np.asarray(lit, dtype=np.uint8)

    def paint_on(self, frame: Picture) -> None:
        """Paint it into the frame (height, width, 3), in place."""
        if self._keep.size:
            kept = cv2.multiply(frame[self.window], self._keep, scale=1 / 255)
            frame[self.window] = kept if self._colour is None else cv2.add(kept, self._colour)


__all__ = [
    "EASY",
    "HARD",
    "LIVE",
    "MIDDLE",
    "Conditions",
    "RenderedHand",
    "TableRenderer",
    "TableScene",
    "Textures",
]

_CLOTH = (52, 62, 74)
_SKIN_AND_SLEEVE_COLOURS = (
    ((150, 180, 224), (120, 74, 40)),
    ((88, 122, 172), (60, 60, 150)),
    ((60, 82, 122), (70, 120, 70)),
)
_SHADOW_MM = 2.5
_CORNER_SHARE = 3.0 / 44.0
_CARDS_KEPT, _HANDS_KEPT = 128, 12
"""Pieces of picture kept for the next frame; a hand keeps still only for a moment, and is large."""

_PlacedCard = tuple[str, Millimetres, float]
"""Card id, centre in mm, degrees clockwise."""


@dataclass(frozen=True, slots=True)
class RenderedHand:
    """A hand over the table, with the arm it hangs on."""

    tip_mm: Millimetres
    """Where its finger tips are."""
    angle: float
    """Degrees clockwise from the mat's upright in which the fingers point; 0 comes from the lower edge."""
    person: int = 0
    """Whose: skin and sleeve go by it."""


@dataclass(frozen=True, slots=True)
class TableScene:
    """What is on the table and who reaches over it."""

    cards: tuple[_PlacedCard, ...] = ()
    """(card id, centre in mm, degrees clockwise), from the lowest to the topmost."""
    hands: tuple[RenderedHand, ...] = ()


class TableRenderer:
    """A simulated overhead camera; keeps what does not change between frames."""

    def __init__(
        self,
        textures: Textures,
        layout: Layout,
        conditions: Conditions = MIDDLE,
        *,
        size: tuple[int, int] = (1280, 720),
    ) -> None:
        self._camera = CameraModel(size, conditions)
        self.calibration = Calibration(overhead_homography(size, layout.mat_size_mm, conditions), size)
        """The true one; what marks in a frame say differs from it by their own error."""
        self._scale = math.sqrt(abs(np.linalg.det(self.calibration.homography[:2, :2])))
        self._table = self._draw_empty_table(textures.mat, layout)
        self._rim = round(_SHADOW_MM * 1.3 * self._scale)
        self._sprites = {
            card: make_card_sprite(self._shrink_picture(picture), self._rim, _CORNER_SHARE)
            for card, picture in textures.cards.items()
        }
        self._shadow = conditions.shadow
        self._patches: OrderedDict[_PlacedCard | RenderedHand, tuple[SpritePatch, ...]] = OrderedDict()
        self._arms: OrderedDict[_PlacedCard | RenderedHand, tuple[SpritePatch, ...]] = OrderedDict()
        self._table_with: tuple[tuple[_PlacedCard, ...], Picture] = ((), self._table)

    def render(self, scene: TableScene, rng: np.random.Generator) -> Picture:
        """The camera's picture (height, width, 3) of a scene; `rng` gives this frame's noise."""
        still = self._with_cards(scene.cards)
        if not scene.hands:
            return self._camera.take_picture(still, rng)
        frame = still.copy()
        windows = [patch.window for hand in scene.hands for patch in self._paint(frame, hand)]
        return self._camera.take_picture(frame, rng, (still, windows))

    def card_corners(self, centre_mm: Millimetres, angle: float) -> NDArray[np.float32]:
        """(4, 2) pixels: where a card there has its corners, clockwise from its own top left."""
        return self.calibration.to_pixels(rotated_box(centre_mm, CARD_MM, angle))

    def _with_cards(self, cards: tuple[_PlacedCard, ...]) -> Picture:
        laid, picture = self._table_with
        if cards != laid:
            # Mostly a card is added on top: go on from the picture there is.
            under = len(laid) if cards[: len(laid)] == laid else 0
            picture = (picture if under else self._table).copy()
            for card in cards[under:]:
                self._paint(picture, card)
            self._table_with = (cards, picture)
        return picture

    def _paint(self, frame: Picture, thing: _PlacedCard | RenderedHand) -> tuple[SpritePatch, ...]:
        """Paint a card or a hand into the frame, in place; what was painted."""
        is_hand = isinstance(thing, RenderedHand)
        kept, most = (self._arms, _HANDS_KEPT) if is_hand else (self._patches, _CARDS_KEPT)
        patches = kept.pop(thing, None)
        if patches is None:
            patches = (
                self._hand_patches(thing) if isinstance(thing, RenderedHand) else self._card_patches(thing)
            )
        kept[thing] = patches
        if len(kept) > most:
            kept.popitem(last=False)
        for patch in patches:
            patch.paint_on(frame)
        return patches

    def _card_patches(self, card: _PlacedCard) -> tuple[SpritePatch]:
        name, centre, angle = card
        sprite = self._sprites[name]
        height, width = sprite.shape[:2]
        grown = (
            CARD_MM[0] * width / (width - 2 * self._rim),
            CARD_MM[1] * height / (height - 2 * self._rim),
        )
        quad = rotated_box(centre, grown, angle)
        return (SpritePatch(sprite, self.calibration.to_pixels(quad), self._camera.light),)

    def _hand_patches(self, hand: RenderedHand) -> tuple[SpritePatch, SpritePatch]:
        """A hand some way above the table, larger for that; its shadow falls to the lower right."""
        turn = math.radians(hand.angle)

        def make_patch(sprite: Picture, grow: float, aside: float) -> SpritePatch:
            half = grow * HAND_MM[1] / 2
            centre = (
                hand.tip_mm[0] + aside - half * math.sin(turn),
                hand.tip_mm[1] + aside + half * math.cos(turn),
            )
            quad = rotated_box(centre, (grow * HAND_MM[0], grow * HAND_MM[1]), hand.angle)
            return SpritePatch(sprite, self.calibration.to_pixels(quad), self._camera.light)

        shadow, arm = _draw_arm(hand.person % len(_SKIN_AND_SLEEVE_COLOURS), self._scale, self._shadow)
        return make_patch(shadow, 1.0, 20.0), make_patch(arm, 1.1, 0.0)

    def _shrink_picture(self, picture: Picture) -> Picture:
        """A card's picture a little larger than it is in the frame, so that warping does not alias."""
        width, height = (round(1.3 * self._scale * side) for side in CARD_MM)
        if width >= picture.shape[1]:
            return picture
        return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)

    def _draw_empty_table(self, mat: Picture, layout: Layout) -> Picture:
        """The cloth with the mat on it, lit."""
        width, height = self._camera.size
        across, down = layout.mat_size_mm
        shrink = min(1.0, 1.3 * self._scale * across / mat.shape[1])
        small = cv2.resize(mat, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        opaque = np.dstack((small, np.full(small.shape[:2], 255))).astype(np.uint8)
        quad = self.calibration.to_pixels([(0, 0), (across, 0), (across, down), (0, down)])
        lit = cv2.multiply(_draw_cloth(width, height), self._camera.light, dtype=cv2.CV_8U)
        table = np.asarray(lit, dtype=np.uint8)
        SpritePatch(opaque, quad, self._camera.light).paint_on(table)
        return table


@lru_cache(maxsize=2)
def _draw_cloth(width: int, height: int) -> Picture:
    """The woven cloth of every table, in even light."""
    weave = np.random.default_rng(3).normal(0, 5, (height, width, 1))
    return np.asarray(np.clip(np.array(_CLOTH) + weave, 0, 255), dtype=np.uint8)


@lru_cache(maxsize=2 * len(_SKIN_AND_SLEEVE_COLOURS))
def _draw_arm(person: int, scale: float, shadow: float) -> tuple[Picture, Sprite]:
    """The shadow and the arm of a person, at `scale` pixels per mm; drawn when they first reach in."""
    arm = make_hand_sprite(1.3 * scale, *_SKIN_AND_SLEEVE_COLOURS[person])
    return make_shadow_sprite(arm, shadow, 10 * scale), arm
