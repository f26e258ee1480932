"""Telephones that show a card's picture, lying on a table: drawn here."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.vision.drawn import cloth, lay

Picture = NDArray[np.uint8]
BODY, BEZEL = (420, 880), 16
"""Width and height of the drawn telephone, and the least of its rim, in pixels."""


def telephone(
    face: Picture, rng: np.random.Generator, *, page: tuple[int, int, int] = (4, 4, 4), lying: bool = False
) -> Picture:
    """A dark slab with a bright screen that shows the face as large as it goes, on a page of that colour."""
    wide, high = BODY
    slab = np.full((high, wide, 3), rng.integers(14, 40), np.uint8)
    slab[3 * BEZEL : -3 * BEZEL, BEZEL:-BEZEL] = page
    shown = np.rot90(face) if lying else face
    room = (wide - 2 * BEZEL, high - 6 * BEZEL)
    grow = min(room[0] / shown.shape[1], room[1] / shown.shape[0])
    size = (round(grow * shown.shape[1]), round(grow * shown.shape[0]))
    picture = cv2.resize(np.ascontiguousarray(shown), size, interpolation=cv2.INTER_AREA)
    # A screen is bright and bluer than paper, and its grid beats against the camera's.
    rows, columns = np.mgrid[0 : size[1], 0 : size[0]]
    way, length = rng.uniform(0, np.pi), rng.uniform(5, 14)
    beat = 1 + 0.04 * np.sin(2 * np.pi * (columns * np.cos(way) + rows * np.sin(way)) / length)
    bright = np.clip(picture * beat[..., None] * np.array([1.06, 1.0, 0.96]), 0, 255)
    top, left = (high - size[1]) // 2, (wide - size[0]) // 2
    slab[top : top + size[1], left : left + size[0]] = bright.astype(np.uint8)
    # A lamp in the glass.
    y, x = np.mgrid[0:high, 0:wide].astype(np.float32)
    at, reach = rng.uniform(0.1, 0.9, 2) * (wide, high), rng.uniform(0.08, 0.2) * high
    spot = 70 * np.exp(-(((x - at[0]) / reach) ** 2) - ((y - at[1]) / reach) ** 2)
    return np.asarray(np.clip(slab + spot[..., None], 0, 255), np.uint8)


def on_table(
    slab: Picture, rng: np.random.Generator, colour: tuple[int, int, int] = (90, 120, 70)
) -> Picture:
    """The slab somewhere on a cloth, with round corners, seen a little from one side."""
    table = cloth(colour, seed=int(rng.integers(1 << 16)))
    high = rng.uniform(330, 480)
    wide = high * BODY[0] / BODY[1]
    box = np.array([[-wide, -high], [wide, -high], [wide, high], [-wide, high]]) / 2
    turn = rng.uniform(0, 2 * np.pi)
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    where = (box @ spin) * rng.uniform(0.97, 1.03, (4, 1)) + rng.uniform((430, 290), (530, 350))
    before = table.copy()
    lay(table, slab, where.astype(np.float32))
    corner = np.zeros((BODY[1], BODY[0]), np.uint8)
    cv2.rectangle(corner, (40, 0), (BODY[0] - 41, BODY[1] - 1), 255, -1)
    cv2.rectangle(corner, (0, 40), (BODY[0] - 1, BODY[1] - 41), 255, -1)
    for spot in ((40, 40), (BODY[0] - 41, 40), (40, BODY[1] - 41), (BODY[0] - 41, BODY[1] - 41)):
        cv2.circle(corner, spot, 40, 255, -1, cv2.LINE_AA)
    source = np.array([[0, 0], [BODY[0], 0], [BODY[0], BODY[1]], [0, BODY[1]]], np.float32)
    flat = cv2.getPerspectiveTransform(source, where.astype(np.float32))
    keep = np.asarray(cv2.warpPerspective(corner, flat, table.shape[1::-1]), np.float32)[..., None] / 255
    mixed = table * keep + before * (1 - keep)
    seen = cv2.GaussianBlur(mixed, (0, 0), 0.8) + rng.normal(0, 3, table.shape)
    return np.clip(seen, 0, 255).astype(np.uint8)
