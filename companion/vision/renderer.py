"""Renders the picture that an overhead camera would take of a table."""

import math
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache

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
from companion.vision.sprites import (
    HAND_MM,
    Sprite,
    SpritePatch,
    make_card_sprite,
    make_hand_sprite,
    make_shadow_sprite,
    rotated_box,
)
from companion.vision.textures import Textures

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
