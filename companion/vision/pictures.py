"""Opens the pictures people hand in: any usual format, turned as its camera says, never too large."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np

from companion.vision.locate import Bgr

LARGEST_FILE = 256 << 20
"""Bytes; a picture of 20 megapixels without any compression has 60 million."""
MOST_PIXELS = 120_000_000
"""What a file may ask for; a small one can claim thousands of millions."""


class PictureError(ValueError):
    """This file cannot be used as a picture; the sentence says what to do."""


def bound_decoding() -> None:
    """Let the decoder refuse what would fill the memory; has an effect before cv2's first picture only."""
    os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MOST_PIXELS))


def opened(path: Path) -> Bgr:
    """The picture in a file, (height, width, 3): upright as a viewer shows it, in 8 bit."""
    try:
        if not path.exists():
            raise PictureError(f"there is no file {path}")
        if path.is_dir():
            raise PictureError(f"{path} is a folder: name the pictures in it, such as {path}/*.jpg")
        if not path.is_file():
            raise PictureError(f"{path} is no plain file")
        if path.stat().st_size > LARGEST_FILE:
            raise PictureError(f"{path} is larger than {LARGEST_FILE >> 20} MB: save it as a JPEG")
        data = path.read_bytes()
    except OSError as trouble:
        raise PictureError(f"{path}: {trouble.strerror}") from trouble
    if not data:
        raise PictureError(f"{path} is empty: copy it again")
    picture = decoded(data)
    if picture is None:
        raise PictureError(f"{path} is no picture, is damaged or too large: save it as a JPEG or PNG")
    return picture


def decoded(data: bytes) -> Bgr | None:
    """The picture in the bytes of a file, or None."""
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # the decoder refuses what is beyond its limits
        return None
    if picture is None or picture.dtype != np.uint8 or picture.size > 3 * MOST_PIXELS:
        return None
    return np.ascontiguousarray(picture)
