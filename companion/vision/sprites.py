"""Cut-outs with soft edges that are laid on a picture: cards with their shadow, hands with their arm."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.photograph import Picture

Sprite = NDArray[np.uint8]
"""(height, width, 4): blue, green, red, already multiplied with the fourth, how much it covers."""

SHADOW_SHARE = 0.06
"""The rim round a card's sprite in which its shadow falls, as a share of the card's width."""
CORNER_SHARE = 3.0 / 44.0


def card_sprite(picture: Picture) -> Sprite:
    """A card (height, width, 3) with round corners, and the shadow of its thickness round it."""
    height, width = picture.shape[:2]
    rim, radius = round(SHADOW_SHARE * width), round(CORNER_SHARE * width)
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


def card_corners(
    centre: tuple[float, float], size: tuple[float, float], angle: float, rim: float
) -> NDArray[np.float64]:
    """(4, 2) corners of a card, clockwise from its top left, grown by `rim` on each side."""
    turn = math.radians(angle)
    w, h = size[0] / 2 + rim, size[1] / 2 + rim
    flat = np.array([(-w, -h), (w, -h), (w, h), (-w, h)])
    rotation = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    corners: NDArray[np.float64] = flat @ rotation + np.asarray(centre)
    return corners


HAND_MM = (150.0, 620.0)
"""Width and length of the arm's sprite; the finger tips are in the middle of its upper edge."""


def hand_sprite(scale: float, skin: tuple[int, int, int], sleeve: tuple[int, int, int]) -> Sprite:
    """A right hand with its arm, seen from above, at `scale` pixels per mm; colours are BGR."""
    size = (round(HAND_MM[1] * scale), round(HAND_MM[0] * scale))
    colour = np.zeros((*size, 3), dtype=np.uint8)
    cover = np.zeros(size, dtype=np.uint8)

    def stroke(points: list[tuple[float, float]], width: float, paint: tuple[int, int, int]) -> None:
        path = np.array([[(round(x * scale * 8), round(y * scale * 8)) for x, y in points]], dtype=np.int32)
        thickness = max(1, round(width * scale))
        cv2.polylines(colour, list(path), False, paint, thickness, cv2.LINE_AA, 3)  # noqa: FBT003 - OpenCV's order
        cv2.polylines(cover, list(path), False, 255, thickness, cv2.LINE_AA, 3)  # noqa: FBT003

    darker = (int(skin[0] * 0.86), int(skin[1] * 0.88), int(skin[2] * 0.92))
    stroke([(78, 110), (80, 640)], 76, sleeve)
    stroke([(76, 96), (77, 170)], 54, skin)
    for x_knuckle, x_tip, y_tip in ((52, 46, 26), (68, 66, 12), (84, 87, 16), (99, 106, 32)):
        stroke([(x_knuckle, 92), ((x_knuckle + x_tip) / 2, (92 + y_tip) / 2), (x_tip, y_tip)], 20, darker)
        stroke([(x_knuckle, 92), ((x_knuckle + x_tip) / 2, (92 + y_tip) / 2), (x_tip, y_tip)], 16, skin)
    stroke([(60, 92), (92, 92), (90, 122), (62, 122), (60, 92)], 34, skin)
    stroke([(56, 128), (36, 104), (30, 78)], 22, darker)
    stroke([(56, 128), (36, 104), (30, 78)], 18, skin)
    stroke([(42, 176), (113, 176)], 12, tuple(int(0.8 * part) for part in sleeve))  # type: ignore[arg-type]
    soft = np.asarray(cv2.GaussianBlur(cover, (0, 0), 0.8 * scale), dtype=np.float32)
    mixed = np.asarray(cv2.GaussianBlur(colour, (0, 0), 0.8 * scale), dtype=np.float32)
    return np.ascontiguousarray(np.dstack((mixed, soft)).round().astype(np.uint8))


class Patch:
    """A sprite laid into a frame: the part of the frame it touches, and what it paints there."""

    __slots__ = ("colour", "keep", "window")

    def __init__(
        self, sprite: Sprite, quad: NDArray[np.float64], light: NDArray[np.float32], *, soften: float = 0.0
    ) -> None:
        """Lay the sprite's corners on `quad` (4, 2) pixels in a frame lit by `light` (height, width, 3)."""
        height, width = light.shape[:2]
        rim = 3 * soften + 1
        low = np.clip(np.floor(quad.min(axis=0) - rim), 0, (width, height)).astype(int)
        high = np.clip(np.ceil(quad.max(axis=0) + rim + 1), 0, (width, height)).astype(int)
        self.window = np.s_[low[1] : high[1], low[0] : high[0]]
        size = (max(0, int(high[0] - low[0])), max(0, int(high[1] - low[1])))
        if 0 in size:
            self.colour = np.zeros((0, 0, 3), dtype=np.uint8)
            self.keep = np.zeros((0, 0, 3), dtype=np.float32)
            self.window = np.s_[0:0, 0:0]
            return
        rows, columns = sprite.shape[:2]
        source = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], dtype=np.float32) - 0.5
        target = (quad - low).astype(np.float32)
        warped = np.asarray(
            cv2.warpPerspective(
                sprite, cv2.getPerspectiveTransform(source, target), size, flags=cv2.INTER_LINEAR
            )
        )
        if soften:
            warped = np.asarray(cv2.GaussianBlur(warped, (0, 0), soften))
        self.keep = np.repeat(1 - warped[:, :, 3:].astype(np.float32) / 255, 3, axis=2)
        self.colour = np.asarray(
            cv2.multiply(np.ascontiguousarray(warped[:, :, :3]), light[self.window], dtype=cv2.CV_8U),
            dtype=np.uint8,
        )

    def lay_on(self, frame: Picture) -> None:
        """Paint it into the frame, in place."""
        under = np.ascontiguousarray(frame[self.window])
        if under.size:
            kept = cv2.multiply(under, self.keep, dtype=cv2.CV_8U)
            frame[self.window] = cv2.add(kept, self.colour)

    def darken(self, frame: Picture, share: float) -> None:
        """Let it take `share` of the light where it covers, in place: its shadow."""
        under = np.ascontiguousarray(frame[self.window])
        if under.size:
            frame[self.window] = cv2.multiply(under, 1 - share * (1 - self.keep), dtype=cv2.CV_8U)
