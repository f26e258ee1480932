"""Says whether anything else in a picture may be a card, once some cards were read.

Cards that are mostly paper show it wherever they show at all. What has not the colour of the paper of the
cards that were read, lit as they are or in shadow, is none of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.locate import Bgr, Pyramid, Quad, whole_pixels

MOSTLY, LIGHT = 0.45, 0.75
"""Part of a middling face that must be paper, and how light that is beside the lightest of the face."""
SIDE = 450
"""Longer side in pixels of the reduced picture that is looked at."""
COLOUR = 9.0
"""How much a and b of CIE Lab may differ from the paper that was seen."""
DARKEST = 0.5
"""Lightness of paper in shadow, beside that of the paper that was seen."""
PART = 0.015
"""Least part of a card that is worth looking for; in one piece, without what is thin."""
RIM = 0.06
"""Part of a card by which its rim and its shadow reach beyond it."""


def of_paper(pictures: Sequence[Bgr]) -> bool:
    """Are the faces of a deck mostly paper, and all of one colour?"""
    shares = []
    for picture in pictures:
        small = cv2.resize(picture, (24, 32), interpolation=cv2.INTER_AREA)
        light = cv2.cvtColor(small, cv2.COLOR_BGR2LAB)[..., 0].astype(np.float32)
        shares.append(float((light > LIGHT * np.percentile(light, 95)).mean()))
    return float(np.median(shares)) > MOSTLY


def paper_left(frame: Pyramid, known: Sequence[Quad]) -> bool:
    """Does paper show that is none of the cards with these corners (full-size pixels)? Without any it may."""
    if not known:
        return True
    picture, scale = frame.reduced(SIDE)
    lab = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2LAB), np.uint8)
    quads = [np.asarray(quad * scale, np.float32) for quad in known]
    paper = np.zeros(lab.shape[:2], np.uint8)
    for light, a, b in {_paper(lab, quad) for quad in quads}:
        alike = cv2.inRange(lab, (DARKEST * light, a - COLOUR, b - COLOUR), (255, a + COLOUR, b + COLOUR))
        paper = np.asarray(cv2.bitwise_or(paper, alike), np.uint8)
    for quad in quads:
        cv2.fillConvexPoly(paper, whole_pixels(_grown(quad, 1 + RIM)), 0)
    return _largest(paper) > PART * min(cv2.contourArea(quad) for quad in quads)


def _grown(quad: Quad, by: float) -> Quad:
    middle = quad.mean(axis=0)
    return np.asarray((quad - middle) * by + middle, np.float32)


def _largest(mask: NDArray[np.uint8]) -> int:
    """Pixels of the largest piece of a mask, without what is thin."""
    opened = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    about = cv2.connectedComponentsWithStats(opened)[2]
    return int(about[1:, cv2.CC_STAT_AREA].max(initial=0))


def _paper(lab: NDArray[np.uint8], quad: Quad) -> tuple[float, float, float]:
    """L, a and b of the lighter part of a card at these corners of the reduced picture."""
    size = 16, 24
    target = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
    view = cv2.warpPerspective(lab, cv2.getPerspectiveTransform(quad.astype(np.float32), target), size)
    spots = view.reshape(-1, 3)
    lightest = spots[spots[:, 0] >= np.percentile(spots[:, 0], 60)]
    light, a, b = np.median(lightest, axis=0)
    return float(light), float(a), float(b)
