"""Takes the pictures of a printed deck: once for enrolment, and by another way for the renderer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
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
_FINER = 3
"""How much finer than the pictures a sheet is rastered, so that a cut falls on the card's edge."""


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
    fine = _FINER * height / HEIGHT
    size = (round(WIDTH * height / HEIGHT), height)
    pages = _pages(sheets)
    first = {card: (page, left, top) for card, page, left, top in reversed(placed)}
    pictures: dict[str, Picture] = {}
    for number in sorted({page for page, _, _ in first.values()}):
        raster = _raster(pages[number], fine / POINTS_PER_MM)
        for card, (page, left, top) in first.items():
            if page == number:
                low, high = (
                    (round(left * fine), round(top * fine)),
                    (round((left + WIDTH) * fine), round((top + HEIGHT) * fine)),
                )
                cut = raster[low[1] : high[1], low[0] : high[0]]
                pictures[card] = np.asarray(
                    cv2.resize(cut, size, interpolation=cv2.INTER_AREA), dtype=np.uint8
                )
    return pictures


def _pages(path: Path) -> Any:
    import pypdfium2  # noqa: PLC0415 - only who prints has it

    return pypdfium2.PdfDocument(str(path))


def _raster(page: Any, scale: float) -> Picture:
    """A page as (height, width, 3) BGR, `scale` pixels per point."""
    return np.array(page.render(scale=scale).to_numpy()[:, :, :3], dtype=np.uint8)
