"""Loads the pictures of cards or mats that the renderer draws tables from.

They are made from the print sheets by another way than the enrolment pictures: at another resolution,
printed (ink spreads, paper is not white, cuts are not exact) and photographed. So what the recogniser
was shown and what it is asked to read never share a pixel.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.camera_model import Picture

_COLUMNS = 8
_ATLAS, _MAT, _INDEX = "textures.jpg", "mat.jpg", "textures.toml"


@dataclass(frozen=True, slots=True, eq=False)
class Textures:
    """What the renderer paints with."""

    cards: Mapping[str, Picture]
    """Card id → (height, width, 3); all of one size."""
    mat: Picture
    """(height, width, 3), the whole mat."""

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read the atlas of a deck, such as `assets/decks/<game>`."""
        with (folder / _INDEX).open("rb") as stream:
            index = tomllib.load(stream)
        atlas, (width, height) = _read_picture(folder / _ATLAS), index["size"]
        cards = {}
        for position, card in enumerate(index["cards"]):
            row, column = divmod(position, _COLUMNS)
            tile = atlas[row * height : (row + 1) * height, column * width : (column + 1) * width]
            cards[str(card)] = np.ascontiguousarray(tile)
        return cls(cards, _read_picture(folder / _MAT))

    def save(self, folder: Path) -> None:
        """Write atlas, mat and index."""
        height, width = next(iter(self.cards.values())).shape[:2]
        rows = -(-len(self.cards) // _COLUMNS)
        atlas = np.full((rows * height, _COLUMNS * width, 3), 255, dtype=np.uint8)
        for position, picture in enumerate(self.cards.values()):
            row, column = divmod(position, _COLUMNS)
            atlas[row * height : (row + 1) * height, column * width : (column + 1) * width] = picture
        write_jpeg(folder / _ATLAS, atlas, quality=92)
        write_jpeg(folder / _MAT, self.mat, quality=85)
        names = "".join(f'    "{card}",\n' for card in self.cards)
        (folder / _INDEX).write_text(
            "# What is where in textures.jpg, row by row; written by companion print --remake\n"
            f"size = [{width}, {height}]\ncards = [\n{names}]\n",
            encoding="utf-8",
        )


def write_jpeg(path: Path, picture: Picture, *, quality: int) -> None:
    """Write a picture (height, width, 3); `quality`: 0 to 100. Raises `OSError` if it cannot be written."""
    if not cv2.imwrite(str(path), picture, (cv2.IMWRITE_JPEG_QUALITY, quality)):
        raise OSError(f"cannot write {path}")


def simulate_print(picture: Picture, rng: np.random.Generator, *, cut: float = 0.0) -> Picture:
    """A drawing (height, width, 3) as it comes out of a printer, before a camera.

    `cut` is by how many pixels the knife may miss; less than the width of the card's border.
    """
    height, width = picture.shape[:2]
    crooked = float(rng.uniform(-0.5, 0.5)) if cut else 0.0
    move = np.array(cv2.getRotationMatrix2D((width / 2, height / 2), crooked, 1.0), dtype=np.float64)
    move[:, 2] += rng.uniform(-cut, cut, size=2)
    moved = cv2.warpAffine(
        picture, move, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    light = _simulate_ink(cv2.GaussianBlur((moved / np.float32(255)) ** 2.2, (0, 0), 0.55), rng)
    grain = cv2.GaussianBlur(rng.standard_normal((height, width), dtype=np.float32), (0, 0), 0.8)
    light *= 1 + 0.035 * np.asarray(grain)[:, :, None]
    return np.asarray(np.rint(255 * np.clip(light, 0, 1) ** (1 / 2.2)), dtype=np.uint8)


def _simulate_ink(light: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Linear light (height, width, 3) of the drawing → of the print: dots spread, inks are not pure."""
    spread = 1 - (1 - light) ** 0.86
    # Rows: what of the drawing's blue, green, red comes out as blue, green, red.
    inks = np.array([[0.86, 0.11, 0.03], [0.05, 0.89, 0.06], [0.02, 0.07, 0.91]], dtype=np.float32)
    paper = np.array([0.86, 0.90, 0.91]) * (1 + 0.015 * rng.standard_normal(3))
    black = 0.018
    return np.asarray((black + (1 - black) * (spread @ inks.T)) * paper)


def _read_picture(path: Path) -> Picture:
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise FileNotFoundError(f"{path} is missing or not a picture: python -m companion.printing makes it")
    return np.asarray(picture, dtype=np.uint8)
