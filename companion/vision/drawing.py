"""Draws recognised cards onto a picture for people to look at."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from companion.core.observations import UNKNOWN
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import Bgr, to_drawable_pixels
from companion.vision.pictures import check_picture

MAX_DRAWING_SIDE = 1600
"""Longer side of a drawing in pixels."""
READ_COLOUR, UNREAD_COLOUR, TEXT_COLOUR = (60, 200, 0), (0, 140, 255), (255, 255, 255)
"""Colours, blue first: of a card that was read, of one that was not, of words."""


def draw_sightings(picture: Bgr, seen: Sequence[Sighting]) -> Bgr:
    """A copy with each card's outline, its top side thick, its own top-left dotted, its id and confidence.

    Both pictures (height, width, 3) uint8; the copy's longer side has at most `MAX_DRAWING_SIDE` pixels.
    """
    scale = min(1.0, MAX_DRAWING_SIDE / max(check_picture(picture).shape[:2]))
    size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
    answer = np.ascontiguousarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    line = max(1, round(max(size) / 500))
    for one in seen:
        colour = UNREAD_COLOUR if one.card == UNKNOWN else READ_COLOUR
        corners = to_drawable_pixels(one.corners * scale)
        cv2.polylines(answer, [corners], isClosed=True, color=colour, thickness=line, lineType=cv2.LINE_AA)
        if one.card != UNKNOWN:
            cv2.line(answer, corners[0].tolist(), corners[1].tolist(), colour, 3 * line, cv2.LINE_AA)
            cv2.circle(answer, corners[0].tolist(), 4 * line, colour, -1, cv2.LINE_AA)
    for one in seen:
        _draw_label(answer, one, scale)
    return answer


def _draw_label(answer: Bgr, one: Sighting, scale: float) -> None:
    """The words in the middle of a card, on a plate so that they show on any print."""
    words = _to_ascii(one.card) if one.card == UNKNOWN else f"{_to_ascii(one.card)} {one.confidence:.2f}"
    font, high = cv2.FONT_HERSHEY_SIMPLEX, max(0.4, max(answer.shape[:2]) / 2000)
    (width, height), below = cv2.getTextSize(words, font, high, 1 + round(high))
    x, y = (int(v) for v in one.corners.mean(axis=0) * scale)
    left = int(np.clip(x - width // 2, 0, max(0, answer.shape[1] - width)))
    base = int(np.clip(y + height // 2, height, max(height, answer.shape[0] - below)))
    colour = UNREAD_COLOUR if one.card == UNKNOWN else (40, 110, 0)
    cv2.rectangle(answer, (left - 3, base - height - 3), (left + width + 3, base + below), colour, -1)
    cv2.putText(answer, words, (left, base), font, high, TEXT_COLOUR, 1 + round(high), cv2.LINE_AA)


def _to_ascii(words: str) -> str:
    """The words in the letters that OpenCV can draw."""
    return words.encode("ascii", "replace").decode()


def save_drawing(path: Path, picture: Bgr) -> None:
    """Write a drawing (height, width, 3) as a JPEG; raises `OSError` if there is no room or no permission."""
    path.write_bytes(cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, 88))[1].tobytes())
