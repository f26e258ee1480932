"""Draws the picture an overhead camera takes of a table, from the pictures of its cards."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.layout import CARD_MM, Calibration, Layout, Millimetres
from companion.vision.photograph import EASY, HARD, MIDDLE, Camera, Conditions, Picture, overhead
from companion.vision.sprites import (
    HAND_MM,
    SHADOW_SHARE,
    Patch,
    Sprite,
    card_corners,
    card_sprite,
    hand_sprite,
)
from companion.vision.textures import Textures

__all__ = ["EASY", "HARD", "MIDDLE", "Conditions", "Hand", "Renderer", "Scene", "Textures"]

_CLOTH = (52, 62, 74)
_SKINS = (((150, 180, 224), (120, 74, 40)), ((88, 122, 172), (60, 60, 150)), ((60, 82, 122), (70, 120, 70)))
_PATCHES_KEPT = 256


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
    """What lies on the table and who reaches over it."""

    cards: tuple[tuple[str, Millimetres, float], ...] = ()
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
        card_mm: Millimetres = CARD_MM,
    ) -> None:
        self._card_mm = card_mm
        self._camera = Camera(size, conditions)
        self.calibration = Calibration(overhead(size, layout.mat_size_mm, conditions), size)
        """The true one; what marks in a frame say differs from it by their own error."""
        self._scale = math.sqrt(abs(np.linalg.det(self.calibration.homography[:2, :2])))
        self._table = self._empty_table(textures.mat, layout)
        self._sprites = {card: card_sprite(self._shrunk(picture)) for card, picture in textures.cards.items()}
        self._hands = [hand_sprite(1.3 * self._scale, skin, sleeve) for skin, sleeve in _SKINS]
        self._patches: OrderedDict[tuple[str, Millimetres, float], Patch] = OrderedDict()
        self._laid: tuple[tuple[tuple[str, Millimetres, float], ...], Picture] = ((), self._table)

    def render(self, scene: Scene, rng: np.random.Generator) -> Picture:
        """The camera's picture (height, width, 3) of a scene; `rng` gives this frame's noise."""
        frame = self._with_cards(scene.cards)
        if scene.hands:
            frame = frame.copy()
            for hand in scene.hands:
                self._reach(frame, hand)
        return self._camera.photograph(frame, rng)

    def corners(self, centre_mm: Millimetres, angle: float) -> NDArray[np.float32]:
        """(4, 2) pixels: where a card lying there has its corners, clockwise from its own top left."""
        return self.calibration.pixels(card_corners(centre_mm, self._card_mm, angle, 0.0))

    def _with_cards(self, cards: tuple[tuple[str, Millimetres, float], ...]) -> Picture:
        laid, picture = self._laid
        if cards == laid:
            return picture
        # Cards are only added on top in most steps: go on from the picture there is.
        under = len(laid) if cards[: len(laid)] == laid else 0
        picture = picture.copy() if under else self._table.copy()
        for card in cards[under:]:
            self._patch(card).lay_on(picture)
        self._laid = (cards, picture)
        return picture

    def _patch(self, card: tuple[str, Millimetres, float]) -> Patch:
        patch = self._patches.pop(card, None)
        if patch is None:
            name, centre, angle = card
            rim = SHADOW_SHARE * self._card_mm[0]
            quad = self.calibration.pixels(card_corners(centre, self._card_mm, angle, rim)).astype(np.float64)
            patch = Patch(self._sprites[name], quad, self._camera.light)
        self._patches[card] = patch
        if len(self._patches) > _PATCHES_KEPT:
            self._patches.popitem(last=False)
        return patch

    def _reach(self, frame: Picture, hand: Hand) -> None:
        """Draw a hand a hand's breadth above the table, in place: its shadow falls to the lower right."""
        sprite: Sprite = self._hands[hand.person % len(self._hands)]
        turn = math.radians(hand.angle)
        shadow = self._camera.conditions.shadow
        for grow, offset, casts in ((1.0, 22.0, True), (1.12, 0.0, False)):
            half, long = grow * HAND_MM[0] / 2, grow * HAND_MM[1]
            flat = np.array([(-half, 0), (half, 0), (half, long), (-half, long)])
            rotation = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
            table = flat @ rotation + np.asarray(hand.tip_mm) + offset
            quad = self.calibration.pixels(table).astype(np.float64)
            if casts:
                Patch(sprite, quad, self._camera.light, soften=6.0 * self._scale).darken(frame, shadow)
            else:
                Patch(sprite, quad, self._camera.light).lay_on(frame)

    def _shrunk(self, picture: Picture) -> Picture:
        """A card's picture a little larger than it is in the frame, so that warping does not alias."""
        width, height = (round(1.3 * self._scale * side) for side in self._card_mm)
        if width >= picture.shape[1]:
            return picture
        return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)

    def _empty_table(self, mat: Picture, layout: Layout) -> Picture:
        """The cloth with the mat on it, lit."""
        width, height = self._camera.size
        weave = np.random.default_rng(3).normal(0, 5, (height, width, 1))
        cloth = np.clip(np.array(_CLOTH) + weave, 0, 255).astype(np.uint8)
        across, down = layout.mat_size_mm
        shrink = min(1.0, 1.3 * self._scale * across / mat.shape[1])
        small = cv2.resize(mat, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        opaque = np.dstack((small, np.full(small.shape[:2], 255))).astype(np.uint8)
        quad = self.calibration.pixels([(0, 0), (across, 0), (across, down), (0, down)]).astype(np.float64)
        table = np.asarray(cv2.multiply(cloth, self._camera.light, dtype=cv2.CV_8U), dtype=np.uint8)
        Patch(opaque, quad, self._camera.light).lay_on(table)
        return table
