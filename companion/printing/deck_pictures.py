"""Rasters printed sheets into the pictures that enrolment or the renderer needs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.printing.pen import CARD_HEIGHT_MM, CARD_WIDTH_MM
from companion.printing.sheets import POINTS_PER_MM, SheetPosition
from companion.vision.camera_model import Picture
from companion.vision.decks import file_stem
from companion.vision.renderer import Textures, simulate_print, write_jpeg

ENROL_HEIGHT, LIGHT_HEIGHT = 300, 200
"""Pixels; of a light deck (`write_enrolment_pictures`) the second."""
TOKEN_SIDE = 128
"""Pixels; a token on the screen is smaller."""
_TOKEN_RASTER = 512
_TEXTURE_HEIGHT = 272
_MAT_WIDTH = 1400
_CUT_MM = 0.4
_OVERSAMPLING = 3
"""How much finer than the pictures a sheet is rastered, so that a cut falls on the card's edge."""


def write_enrolment_pictures(
    sheets: Path, placed: Sequence[SheetPosition], folder: Path, *, light: bool = False
) -> None:
    """Write a picture of each face, as it stands on the print sheets, named as `companion enrol` wants it.

    `light`: smaller, of few colours and without the noise of JPEG, so that the file of a deck of many faces
    is small; raises `OSError`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("*.jpg"), *folder.glob("*.webp")):
        old.unlink()
    for card, picture in _crop_cards(sheets, placed, LIGHT_HEIGHT if light else ENROL_HEIGHT).items():
        if not light:
            write_jpeg(folder / f"{file_stem(card)}.jpg", picture, quality=90)
            continue
        few = np.minimum((picture.astype(int) + 4) // 8 * 8, 255).astype(np.uint8)
        file = folder / f"{file_stem(card)}.webp"
        if not cv2.imwrite(str(file), few, (cv2.IMWRITE_WEBP_QUALITY, 101)):  # over 100: nothing is lost
            raise OSError(f"cannot write {file}")


def write_token_pictures(pages: Path, names: Sequence[str], folder: Path) -> None:
    """Write a square PNG of each token, cut out of its page, as `<name>.png`; raises `OSError`."""
    if not names:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        old.unlink()
    for name, page in zip(names, _open_pdf(pages), strict=True):
        if not cv2.imwrite(str(folder / f"{name}.png"), _crop_token(page), (cv2.IMWRITE_PNG_COMPRESSION, 9)):
            raise OSError(f"cannot write {folder / name}.png")


def _crop_token(page: Any) -> NDArray[np.uint8]:
    """A token as (side, side, 4), as large as it goes; its cover is found from a white and a black page."""
    scale = _TOKEN_RASTER / page.get_width()
    white, black = (
        np.array(page.render(scale=scale, fill_color=fill).to_numpy()[:, :, :3], dtype=np.float64)
        for fill in ((255, 255, 255, 255), (0, 0, 0, 255))
    )
    alpha = 255 - (white - black).mean(axis=2)
    rows, columns = np.flatnonzero(alpha.max(axis=1) > 8), np.flatnonzero(alpha.max(axis=0) > 8)
    side = int(max(rows[-1] - rows[0], columns[-1] - columns[0])) + 1
    whole = np.zeros((side, side, 4))
    high, wide = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    top, left = ((side - (cut.stop - cut.start)) // 2 for cut in (high, wide))
    place = np.s_[top : top + high.stop - high.start, left : left + wide.stop - wide.start]
    whole[place] = np.dstack((black, alpha))[high, wide]
    small = np.asarray(cv2.resize(whole, (TOKEN_SIDE, TOKEN_SIDE), interpolation=cv2.INTER_AREA))
    colour, cover = small[:, :, :3], small[:, :, 3:]
    straight = np.dstack((colour * 255 / np.maximum(cover, 1), cover))
    return np.asarray(np.rint(straight.clip(0, 255)), dtype=np.uint8)


def make_textures(sheets: Path, placed: Sequence[SheetPosition], mat: Path) -> Textures:
    """The same faces and the mat, printed and photographed, from the last copy on the sheets."""
    rng = np.random.default_rng(2024)
    drawn = _crop_cards(sheets, placed[::-1], _TEXTURE_HEIGHT)
    cut = _CUT_MM * _TEXTURE_HEIGHT / CARD_HEIGHT_MM
    cards = {card: simulate_print(picture, rng, cut=cut) for card, picture in sorted(drawn.items())}
    page = _open_pdf(mat)[0]
    return Textures(cards, simulate_print(_raster_page(page, _MAT_WIDTH / page.get_width()), rng))


def _crop_cards(sheets: Path, placed: Sequence[SheetPosition], height: int) -> dict[str, Picture]:
    """Card id → (height, width, 3): the first of its copies in `placed`."""
    fine = _OVERSAMPLING * height / CARD_HEIGHT_MM
    size = (round(CARD_WIDTH_MM * height / CARD_HEIGHT_MM), height)
    pages = _open_pdf(sheets)
    first = {card: (page, left, top) for card, page, left, top in reversed(placed)}
    pictures: dict[str, Picture] = {}
    for number in sorted({page for page, _, _ in first.values()}):
        raster = _raster_page(pages[number], fine / POINTS_PER_MM)
        for card, (page, left, top) in first.items():
            if page == number:
                low, high = (
                    (round(left * fine), round(top * fine)),
                    (round((left + CARD_WIDTH_MM) * fine), round((top + CARD_HEIGHT_MM) * fine)),
                )
                cut = raster[low[1] : high[1], low[0] : high[0]]
                pictures[card] = np.asarray(
                    cv2.resize(cut, size, interpolation=cv2.INTER_AREA), dtype=np.uint8
                )
    return pictures


def _open_pdf(path: Path) -> Any:
    import pypdfium2  # noqa: PLC0415 - only who prints has it

    return pypdfium2.PdfDocument(str(path))


def _raster_page(page: Any, scale: float) -> Picture:
    """A page as (height, width, 3) BGR, `scale` pixels per point."""
    return np.array(page.render(scale=scale).to_numpy()[:, :, :3], dtype=np.uint8)
