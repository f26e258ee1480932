"""Takes the pictures of a printed deck: once for enrolment, and by another way for the renderer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from companion.printing.patterns import HEIGHT, WIDTH
from companion.printing.sheets import POINTS_PER_MM, Placed
from companion.vision.decks import file_stem
from companion.vision.photograph import Picture
from companion.vision.textures import Textures, printed, write_jpeg

ENROL_HEIGHT = 300
"""Pixels."""
_TEXTURE_HEIGHT = 272
_MAT_WIDTH = 1400
_CUT_MM = 0.4


def enrolment_pictures(sheets: Path, placed: Sequence[Placed], folder: Path) -> None:
    """Write a picture of each face, as it stands on the print sheets, named as `companion enrol` wants it."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.jpg"):
        old.unlink()
    for card, picture in _cut_out(sheets, placed, ENROL_HEIGHT).items():
        write_jpeg(folder / f"{file_stem(card)}.jpg", picture, quality=90)


def renderer_textures(sheets: Path, placed: Sequence[Placed], mat: Path) -> Textures:
    """The same faces and the mat, printed and photographed, from the last copy on the sheets."""
    rng = np.random.default_rng(2024)
    drawn = _cut_out(sheets, placed[::-1], _TEXTURE_HEIGHT)
    cut = _CUT_MM * _TEXTURE_HEIGHT / HEIGHT
    cards = {card: printed(picture, rng, cut=cut) for card, picture in sorted(drawn.items())}
    page = _pages(mat)[0]
    return Textures(cards, printed(_raster(page, _MAT_WIDTH / page.get_width()), rng))


def _cut_out(sheets: Path, placed: Sequence[Placed], height: int) -> dict[str, Picture]:
    """Card id → (height, width, 3): the first of its copies in `placed`."""
    per_mm = height / HEIGHT
    pages = _pages(sheets)
    raster: dict[int, Picture] = {}
    pictures: dict[str, Picture] = {}
    for card, page, left, top in placed:
        if card not in pictures:
            if page not in raster:
                raster[page] = _raster(pages[page], per_mm / POINTS_PER_MM)
            x, y = round(left * per_mm), round(top * per_mm)
            cut = raster[page][y : y + height, x : x + round(WIDTH * per_mm)]
            pictures[card] = np.ascontiguousarray(cut)
    return pictures


def _pages(path: Path) -> Any:
    import pypdfium2  # noqa: PLC0415 - only who prints has it

    return pypdfium2.PdfDocument(str(path))


def _raster(page: Any, scale: float) -> Picture:
    """A page as (height, width, 3) BGR, `scale` pixels per point."""
    return np.array(page.render(scale=scale).to_numpy()[:, :, :3], dtype=np.uint8)
