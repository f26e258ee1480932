"""Draws the picture an overhead camera takes of a table, from the pictures of its cards."""

import math
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.layout import CARD_MM, Calibration, Layout, Millimetres
from companion.vision.photograph import EASY, HARD, LIVE, MIDDLE, Camera, Conditions, Picture, overhead
from companion.vision.sprites import (
    HAND_MM,
    Patch,
    Sprite,
    card_sprite,
    hand_sprite,
    shadow_sprite,
    turned_box,
)
from companion.vision.textures import Textures

__all__ = ["EASY", "HARD", "LIVE", "MIDDLE", "Conditions", "Hand", "Renderer", "Scene", "Textures"]

_CLOTH = (52, 62, 74)
_SKINS = (((150, 180, 224), (120, 74, 40)), ((88, 122, 172), (60, 60, 150)), ((60, 82, 122), (70, 120, 70)))
_SHADOW_MM = 2.5
_CORNER_SHARE = 3.0 / 44.0
_CARDS_KEPT, _HANDS_KEPT = 128, 12
"""Pieces of picture kept for the next frame; a hand keeps still only for a moment, and is large."""

_Laid = tuple[str, Millimetres, float]
"""Card id, centre in mm, degrees clockwise."""


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand over the table, with the arm it hangs on."""

    tip_mm: Millimetres
    """Where its finger tips are."""
    angle: float
    """Degrees clockwise from the mat's upright in which the fingers point; 0 comes from the lower edge."""
    person: int = 0
    """Whose: skin and sleeve go by it."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What is on the table and who reaches over it."""

    cards: tuple[_Laid, ...] = ()
    """(card id, centre in mm, degrees clockwise), from the lowest to the topmost."""
    hands: tuple[Hand, ...] = ()


class Renderer:
    """A simulated overhead camera; keeps what does not change between frames."""

    def __init__(
        self,
        textures: Textures,
        layout: Layout,
        conditions: Conditions = MIDDLE,
        *,
        size: tuple[int, int] = (1280, 720),
    ) -> None:
        self._camera = Camera(size, conditions)
        self.calibration = Calibration(overhead(size, layout.mat_size_mm, conditions), size)
        """The true one; what marks in a frame say differs from it by their own error."""
        self._scale = math.sqrt(abs(np.linalg.det(self.calibration.homography[:2, :2])))
        self._table = self._empty_table(textures.mat, layout)
        self._rim = round(_SHADOW_MM * 1.3 * self._scale)
        self._sprites = {
            card: card_sprite(self._shrunk(picture), self._rim, _CORNER_SHARE)
            for card, picture in textures.cards.items()
        }
        self._shadow = conditions.shadow
        self._patches: OrderedDict[_Laid | Hand, tuple[Patch, ...]] = OrderedDict()
        self._arms: OrderedDict[_Laid | Hand, tuple[Patch, ...]] = OrderedDict()
        self._table_with: tuple[tuple[_Laid, ...], Picture] = ((), self._table)

    def render(self, scene: Scene, rng: np.random.Generator) -> Picture:
        """The camera's picture (height, width, 3) of a scene; `rng` gives this frame's noise."""
        still = self._with_cards(scene.cards)
        if not scene.hands:
            return self._camera.photograph(still, rng)
        frame = still.copy()
        windows = [patch.window for hand in scene.hands for patch in self._lay(frame, hand)]
        return self._camera.photograph(frame, rng, (still, windows))

    def corners(self, centre_mm: Millimetres, angle: float) -> NDArray[np.float32]:
        """(4, 2) pixels: where a card there has its corners, clockwise from its own top left."""
        return self.calibration.pixels(turned_box(centre_mm, CARD_MM, angle))

    def _with_cards(self, cards: tuple[_Laid, ...]) -> Picture:
        laid, picture = self._table_with
        if cards != laid:
            # Mostly a card is added on top: go on from the picture there is.
            under = len(laid) if cards[: len(laid)] == laid else 0
            picture = (picture if under else self._table).copy()
            for card in cards[under:]:
                self._lay(picture, card)
            self._table_with = (cards, picture)
        return picture

    def _lay(self, frame: Picture, thing: _Laid | Hand) -> tuple[Patch, ...]:
        """Paint a card or a hand into the frame, in place; what was painted."""
        is_hand = isinstance(thing, Hand)
        kept, most = (self._arms, _HANDS_KEPT) if is_hand else (self._patches, _CARDS_KEPT)
        patches = kept.pop(thing, None)
        if patches is None:
            patches = self._reach(thing) if isinstance(thing, Hand) else self._cut(thing)
        kept[thing] = patches
        if len(kept) > most:
            kept.popitem(last=False)
        for patch in patches:
            patch.lay_on(frame)
        return patches

    def _cut(self, card: _Laid) -> tuple[Patch]:
        name, centre, angle = card
        sprite = self._sprites[name]
        height, width = sprite.shape[:2]
        grown = (
            CARD_MM[0] * width / (width - 2 * self._rim),
            CARD_MM[1] * height / (height - 2 * self._rim),
        )
        quad = turned_box(centre, grown, angle)
        return (Patch(sprite, self.calibration.pixels(quad), self._camera.light),)

    def _reach(self, hand: Hand) -> tuple[Patch, Patch]:
        """A hand some way above the table, larger for that; its shadow falls to the lower right."""
        turn = math.radians(hand.angle)

        def laid(sprite: Picture, grow: float, aside: float) -> Patch:
            half = grow * HAND_MM[1] / 2
            centre = (
                hand.tip_mm[0] + aside - half * math.sin(turn),
                hand.tip_mm[1] + aside + half * math.cos(turn),
            )
            quad = turned_box(centre, (grow * HAND_MM[0], grow * HAND_MM[1]), hand.angle)
            return Patch(sprite, self.calibration.pixels(quad), self._camera.light)

        shadow, arm = _arm(hand.person % len(_SKINS), self._scale, self._shadow)
        return laid(shadow, 1.0, 20.0), laid(arm, 1.1, 0.0)

    def _shrunk(self, picture: Picture) -> Picture:
        """A card's picture a little larger than it is in the frame, so that warping does not alias."""
        width, height = (round(1.3 * self._scale * side) for side in CARD_MM)
        if width >= picture.shape[1]:
            return picture
        return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)

    def _empty_table(self, mat: Picture, layout: Layout) -> Picture:
        """The cloth with the mat on it, lit."""
        width, height = self._camera.size
        across, down = layout.mat_size_mm
        shrink = min(1.0, 1.3 * self._scale * across / mat.shape[1])
        small = cv2.resize(mat, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        opaque = np.dstack((small, np.full(small.shape[:2], 255))).astype(np.uint8)
        quad = self.calibration.pixels([(0, 0), (across, 0), (across, down), (0, down)])
        lit = cv2.multiply(_cloth(width, height), self._camera.light, dtype=cv2.CV_8U)
        table = np.asarray(lit, dtype=np.uint8)
        Patch(opaque, quad, self._camera.light).lay_on(table)
        return table


@lru_cache(maxsize=2)
def _cloth(width: int, height: int) -> Picture:
    """The woven cloth of every table, in even light."""
    weave = np.random.default_rng(3).normal(0, 5, (height, width, 1))
    return np.asarray(np.clip(np.array(_CLOTH) + weave, 0, 255), dtype=np.uint8)


@lru_cache(maxsize=2 * len(_SKINS))
def _arm(person: int, scale: float, shadow: float) -> tuple[Picture, Sprite]:
    """The shadow and the arm of a person, at `scale` pixels per mm; drawn when they first reach in."""
    arm = hand_sprite(1.3 * scale, *_SKINS[person])
    return shadow_sprite(arm, shadow, 10 * scale), arm
