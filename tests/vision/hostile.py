"""Pictures and places that nobody would hand in: of any size, shape, kind and content, made from a number."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_model import Picture
from tests.vision import boards

Rng = np.random.Generator
THOROUGH = "FUZZ_EXAMPLES" in os.environ
FACES, LARGEST = (9, 220) if THOROUGH else (3, 110)
"""Most faces of a deck, and the side of a usual picture in pixels: what a case costs."""
LONG = 33_000
"""OpenCV warps no picture with a side beyond 32,767."""


def plain_faces() -> dict[str, Picture]:
    """Lying cards that are mostly paper: their marks are looked for."""
    return {card: boards.face(card)[::3, ::3].copy() for card in boards.IDS[:FACES]}


def detailed_faces() -> dict[str, Picture]:
    """Cards full of detail: their local features are looked for."""
    return {f"d{n}": _detailed(n) for n in range(FACES)}


def _detailed(number: int) -> Picture:
    rng = np.random.default_rng(number)
    coarse = rng.integers(0, 256, (44, 28, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(coarse, (168, 264), interpolation=cv2.INTER_CUBIC), np.uint8)


def picture(rng: Rng, faces: Mapping[str, Picture], *, strange: float = 0.3) -> NDArray[Any]:
    """Any array that may be handed in as a picture; `strange`: how likely it is none at all."""
    content = _content(rng, _size(rng), faces)
    return _form(rng, content) if rng.random() < strange else _laid_out(rng, content)


def _size(rng: Rng) -> tuple[int, int]:
    """Width and height."""
    match int(rng.integers(12)):
        case 0:
            return int(rng.integers(1, 4)), int(rng.integers(1, 4))
        case 1 | 2:
            return int(rng.integers(1, 40)), int(rng.integers(1, 40))
        case 3:
            long, thin = int(rng.integers(200, 5000)), int(rng.integers(1, 9))
            return (long, thin) if rng.random() < 0.5 else (thin, long)
        case 4 if rng.random() < 0.1:
            thin = int(rng.integers(1, 5))
            return (LONG, thin) if rng.random() < 0.5 else (thin, LONG)
        case _:
            return int(rng.integers(30, LARGEST)), int(rng.integers(30, LARGEST))


def _content(rng: Rng, size: tuple[int, int], faces: Mapping[str, Picture]) -> Picture:
    width, height = size
    whole = np.zeros((height, width, 3), np.uint8)
    match int(rng.integers(9)):
        case 0:
            whole[:] = rng.choice([0, 255, 128])
        case 1:
            whole[:] = rng.integers(0, 256, 3)
        case 2:
            whole = rng.integers(0, 256, whole.shape, np.uint8)
        case 3:
            step = int(rng.integers(1, 30))
            rows, columns = np.mgrid[0:height, 0:width] // step
            whole[(rows + columns) % 2 > 0] = rng.integers(0, 256, 3)
        case 4:
            whole[:] = (np.linspace(0, 255, width) * rng.random())[None, :, None].astype(np.uint8)
        case _:
            whole[:] = rng.integers(0, 256, 3)
            for _ in range(int(rng.integers(1, 5))):
                _lay(rng, whole, list(faces.values()))
    return whole


def _lay(rng: Rng, whole: Picture, faces: Sequence[Picture]) -> None:
    """Any of the faces in any four-cornered place: askew, squashed, cut off, bent over."""
    height, width = whole.shape[:2]
    face = faces[int(rng.integers(len(faces)))]
    rows, columns = face.shape[:2]
    middle = rng.uniform(0, 1, 2) * (width, height)
    tall = rng.uniform(0.1, 1.2) * max(width, height) * np.array([rng.uniform(0.3, 1.6) * columns / rows, 1])
    angle = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    box = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * tall / 2 @ turn + middle
    box += rng.normal(0, rng.choice([0, 0.02, 0.2]) * tall.max(), (4, 2))
    source = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], np.float32)
    flat = cv2.getPerspectiveTransform(source, box.astype(np.float32))
    if not np.isfinite(flat).all() or max(whole.shape) > 30_000:
        return
    mask = cv2.warpPerspective(np.full((rows, columns), 255, np.uint8), flat, (width, height))
    laid = cv2.warpPerspective(face, flat, (width, height))
    whole[mask > 127] = laid.reshape(height, width, 3)[mask.reshape(height, width) > 127]


def _laid_out(rng: Rng, whole: Picture) -> Picture:
    """The same picture, kept otherwise in memory."""
    match int(rng.integers(8)):
        case 0:
            return whole[::-1, ::-1]
        case 1:
            return whole[..., ::-1]
        case 2:
            return np.repeat(whole, 2, axis=1)[:, ::2]
        case 3:
            return np.asfortranarray(whole)
        case 4:
            return whole.swapaxes(0, 1)
        case 5:
            whole.flags.writeable = False
            return whole
        case _:
            return whole


def _form(rng: Rng, whole: Picture) -> NDArray[Any]:
    """No picture, though it was made of one."""
    forms: tuple[NDArray[Any], ...] = (
        whole[..., 0], whole[..., :1], whole[..., :2], np.dstack([whole, whole[..., :1]]), whole[:0],
        whole[:, :0], whole[..., :0], whole[None], whole[0, 0], whole.ravel(), np.array(7, np.uint8),
        whole.astype(np.float32), whole.astype(np.float64) * np.nan, whole.astype(np.uint16) * 257,
        whole > 127, whole.astype(np.int64), whole.astype(np.complex64), whole.astype(str),
    )  # fmt: skip
    return forms[int(rng.integers(len(forms)))]


def place(rng: Rng, size: tuple[int, int]) -> NDArray[Any]:
    """Any array that may be handed in as four corners, for a picture of this width and height."""
    near = rng.uniform(-0.3, 1.3, 2) * size
    match int(rng.integers(12)):
        case 0:
            return np.tile(near, (4, 1))
        case 1:
            return near + np.linspace(0, 1, 4)[:, None] * rng.uniform(-200, 200, 2)
        case 2:
            return rng.uniform(-1, 1, (4, 2)) * 10.0 ** rng.integers(-9, 38)
        case 3:
            quad = rng.uniform(0, 300, (4, 2))
            quad[rng.integers(4), rng.integers(2)] = rng.choice([np.nan, np.inf, -np.inf])
            return quad
        case 4:
            return rng.uniform(0, 300, rng.choice([(3, 2), (4, 3), (8, 1), (2, 4), (5, 2), (0, 2)]))
        case 5:
            return rng.uniform(-0.2, 1.2, (4, 2)) * size
        case 6:
            return (rng.uniform(-0.2, 1.2, (4, 2)) * size).astype(np.int64)
        case _:
            box = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * rng.uniform(0.01, 1.0, 2) * max(size) / 2
            angle = rng.uniform(0, 2 * np.pi)
            turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
            return (box @ turn)[:: rng.choice([1, -1])] + near
