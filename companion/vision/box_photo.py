"""The photo on the lid of a box in the cupboard: a small JPEG beside the box's file."""

from pathlib import Path

from companion.vision.outlines import Pyramid
from companion.vision.pictures import check_picture_size, encode_picture, read_picture

PHOTO_SIDE = 640
"""Pixels of its longer side."""


def read_photo(file: Path) -> bytes:
    """The picture in a file as a small JPEG; raises `PictureError`."""
    small, _ = Pyramid(check_picture_size(read_picture(file))).reduce_to(PHOTO_SIDE)
    return encode_picture(small, ".jpg")
