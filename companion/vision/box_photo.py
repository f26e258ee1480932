"""The photo on the lid of a box in the cupboard: a small JPEG beside the box's file."""

from pathlib import Path

import numpy as np

from companion.system.safe_files import SizeLimit
from companion.vision.calibration import SavedCalibration
from companion.vision.layout import MAT_MM
from companion.vision.outlines import Bgr, Pyramid
from companion.vision.pictures import check_picture_size, encode_picture, read_picture, to_quad

PHOTO_SIDE = 640
"""Pixels of its longer side."""
MIDDLE = 2 / 3
"""How much of a picture's width and height its middle is, where no mat is known."""
_CORNERS = np.array(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))


def read_photo(file: Path) -> bytes:
    """The picture in a file as a small JPEG; raises `PictureError`."""
    small, _ = Pyramid(check_picture_size(read_picture(file, SizeLimit.PHOTO))).reduce_to(PHOTO_SIDE)
    return encode_picture(small, ".jpg")


def crop_photo(frame: Bgr, mat: SavedCalibration | None) -> Bgr:
    """The part of a picture (height, width, 3) in which a box lies: the mat, else the middle."""
    size = np.array(frame.shape[1::-1], float)
    if mat is None:
        shape, corners = size, (_CORNERS * MIDDLE + (1 - MIDDLE) / 2) * size
    else:
        found, shape = mat.to_calibration(), np.array(MAT_MM)
        corners = found.to_pixels(_CORNERS * shape) * (size / found.frame_size)
    wide, high = np.rint(shape * PHOTO_SIDE / shape.max()).astype(int)
    return Pyramid(frame).view(to_quad(corners), (max(1, int(wide)), max(1, int(high))))
