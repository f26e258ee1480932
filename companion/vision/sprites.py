"""Draws cut-out sprites of cards or hands, with soft edges, into a rendered picture."""

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_model import Picture

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
