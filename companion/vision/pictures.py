"""Reads picture files of any usual format into arrays that are safe to process.

Everything that reads asks `check_picture` first, and `to_quad` where a place is told: beyond these two
doors a picture has pixels and a place is somewhere.
"""

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.errors import InputError
from companion.system import safe_files
from companion.system.safe_files import MAX_PIXELS, SizeLimit, atomic_write
from companion.vision.outlines import MAX_COORDINATE, Bgr, Quad

MAX_SIDE = 32_000
"""Pixels; OpenCV flattens nothing out of a picture with a side beyond 32,767."""
BLACK_LEVEL, WHITE_LEVEL, UNIFORM_SHARE = 32, 253, 0.99
"""Levels up to which all channels of a pixel are black and from which they are white; of what part.

Of 143 photographs of cards the darkest has a hundredth of its pixels at 160 and more; 0.7 % at most is white.
"""
JPEG_QUALITY = 90
"""Of a JPEG: a card that was misread has to be read again from it."""


class PictureError(InputError):
    """This cannot be used as a picture, or as a place in one; the sentence says what to do."""


def read_picture(path: Path, most: int = SizeLimit.PICTURE) -> Bgr:
    """The picture in a file, (height, width, 3) in BGR and uint8: upright as a viewer shows it.

    `most`: bytes. Raises `PictureError`, which says what is wrong with the file.
    """
    try:
        data = safe_files.read_bytes(path, most)
    except FileNotFoundError:
        raise PictureError(f"there is no file {path}") from None
    except safe_files.UnreadableFileError as unfit:
        if path.is_dir():
            raise PictureError(
                f"{path} is a folder: name the pictures in it, such as {path}/*.jpg"
            ) from unfit
        raise PictureError(f"{path} isn't a picture ({unfit.strerror}): save it as a JPEG") from unfit
    except OSError as trouble:
        raise PictureError(f"{path}: {trouble.strerror}") from trouble
    if not data:
        raise PictureError(f"{path} is empty: copy it again")
    picture = decode_picture(data)
    if picture is None and _has_too_many_pixels(data):
        most = MAX_PIXELS // 1_000_000
        raise PictureError(f"{path} has more than {most} megapixels: save it with fewer")
    if picture is None:
        raise PictureError(f"{path} isn't a picture, or it is damaged: save it as a JPEG or PNG")
    return picture


def write_picture(path: Path, picture: Bgr) -> None:
    """Write a picture (height, width, 3) as PNG or JPEG, by its name, whole or not at all.

    Raises `OSError` where there is no room, or the folder may not be written.
    """
    with atomic_write(path) as file:
        file.write(encode_picture(picture, path.suffix))


def encode_picture(picture: Bgr, kind: str) -> bytes:
    """The bytes of a file with a picture (height, width, 3); `kind`: `.png` or `.jpg`."""
    return cv2.imencode(kind, picture, (cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY))[1].tobytes()


def decode_picture(data: bytes) -> Bgr | None:
    """The picture in the bytes of a file, or None."""
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # the decoder refuses what is beyond its limits
        return None
    if picture is None or picture.dtype != np.uint8 or picture.size > 3 * MAX_PIXELS:
        return None
    return np.ascontiguousarray(picture)


def _has_too_many_pixels(data: bytes) -> bool:
    """Is it a picture that is refused for its size alone?"""
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as refused:
        return "MAX_IMAGE" in str(refused)  # the decoder's own limits, of which `command` sets one
    return picture is not None and picture.size > 3 * MAX_PIXELS


def is_colourless(picture: Bgr) -> bool:
    """Is a picture (height, width, 3) grey all over?"""
    blue, green, red = cv2.split(check_picture(picture))
    return bool(np.array_equal(blue, green) and np.array_equal(green, red))


def is_black(picture: Bgr) -> bool:
    """Is a picture (height, width, 3) black but for specks?"""
    return _level_share(picture, 0, BLACK_LEVEL) > UNIFORM_SHARE


def is_white(picture: Bgr) -> bool:
    """Is a picture (height, width, 3) white but for specks?"""
    return _level_share(picture, WHITE_LEVEL, 255) > UNIFORM_SHARE


def _level_share(picture: Bgr, least: int, most: int) -> float:
    """The part of a picture whose channels are all in these bounds."""
    within = cv2.inRange(check_picture(picture), np.full(3, least), np.full(3, most))
    return cv2.countNonZero(within) / within.size


def check_picture(frame: Bgr) -> Bgr:
    """The picture itself, (height, width, 3) with at least one pixel; `PictureError` for anything else."""
    if frame.ndim != 3 or frame.shape[2] != 3 or frame.dtype != np.uint8 or frame.size == 0:
        raise PictureError(
            f"a picture is (height, width, 3) of uint8, not {frame.shape} of {frame.dtype}: convert it first"
        )
    return frame


def check_picture_size(frame: Bgr) -> Bgr:
    """The picture itself, as `check_picture`, if places in it can be flattened as it is: it is not too long.

    `PictureError` if a side is longer than `MAX_SIDE` pixels.
    """
    if max(check_picture(frame).shape) > MAX_SIDE:
        raise PictureError(f"a picture has at most {MAX_SIDE} pixels a side, not {frame.shape}: reduce it")
    return frame


def to_quad(quad: ArrayLike) -> Quad:
    """A place, (4, 2) pixels, nearer than `MAX_COORDINATE` to the picture; `PictureError` for anything
    else.
    """
    corners: NDArray[np.float64] = np.asarray(quad, np.float64)
    # Written so that what is no number fails too.
    if corners.shape != (4, 2) or not (np.abs(corners) < MAX_COORDINATE).all():
        raise PictureError(
            "a place is four corners, each (x, y) in pixels in or near the picture: give it again"
        )
    return corners.astype(np.float32)
