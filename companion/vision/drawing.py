"""Draws on a picture what was seen in it: for the eye, never read again."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from companion.core.observations import UNKNOWN
from companion.vision.locate import Bgr, whole_pixels
from companion.vision.pictures import checked
from companion.vision.search import Sighting

LONGEST = 1600
"""Longer side of a drawing in pixels."""
KNOWN, ASKED, INK = (60, 200, 0), (0, 140, 255), (255, 255, 255)
"""Colours, blue first: of a card that was read, of one that was not, of words."""


def drawn(picture: Bgr, seen: Sequence[Sighting]) -> Bgr:
    """A copy with each card's outline, its top side thick, its own top-left dotted, its id and confidence.

    Both pictures (height, width, 3) uint8; the copy's longer side has at most `LONGEST` pixels.
    """
    scale = min(1.0, LONGEST / max(checked(picture).shape[:2]))
    size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
    answer = np.ascontiguousarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    line = max(1, round(max(size) / 500))
    for one in seen:
        colour = ASKED if one.card == UNKNOWN else KNOWN
        corners = whole_pixels(one.corners * scale)
        cv2.polylines(answer, [corners], isClosed=True, color=colour, thickness=line, lineType=cv2.LINE_AA)
        if one.card != UNKNOWN:
            cv2.line(answer, corners[0].tolist(), corners[1].tolist(), colour, 3 * line, cv2.LINE_AA)
            cv2.circle(answer, corners[0].tolist(), 4 * line, colour, -1, cv2.LINE_AA)
    for one in seen:
        _label(answer, one, scale)
    return answer


def _label(answer: Bgr, one: Sighting, scale: float) -> None:
    """The words in the middle of a card, on a plate so that they show on any print."""
    words = _plain(one.card) if one.card == UNKNOWN else f"{_plain(one.card)} {one.confidence:.2f}"
    font, high = cv2.FONT_HERSHEY_SIMPLEX, max(0.4, max(answer.shape[:2]) / 2000)
    (width, height), below = cv2.getTextSize(words, font, high, 1 + round(high))
    x, y = (int(v) for v in one.corners.mean(axis=0) * scale)
    left = int(np.clip(x - width // 2, 0, max(0, answer.shape[1] - width)))
    base = int(np.clip(y + height // 2, height, max(height, answer.shape[0] - below)))
    colour = ASKED if one.card == UNKNOWN else (40, 110, 0)
    cv2.rectangle(answer, (left - 3, base - height - 3), (left + width + 3, base + below), colour, -1)
    cv2.putText(answer, words, (left, base), font, high, INK, 1 + round(high), cv2.LINE_AA)


def _plain(words: str) -> str:
    """The words in the letters that OpenCV can draw."""
    return words.encode("ascii", "replace").decode()


def save(path: Path, picture: Bgr) -> None:
    """Write a drawing (height, width, 3) as a JPEG; raises `OSError` if there is no room or no permission."""
    path.write_bytes(cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, 88))[1].tobytes())
