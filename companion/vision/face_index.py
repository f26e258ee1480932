"""Index of the card faces captured so far, which tells during enrolment whether a shown card is new."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.acceptance import MIN_LEAD
from companion.vision.card_capture import CapturedCard
from companion.vision.face_matching import EnrolledFaces
from companion.vision.outlines import Pyramid

Bgr = NDArray[np.uint8]
SAME_FACE_MAX_FLAW = 0.15
"""The flaw of a second picture of one face.

Pictures of one face under the renderer's hardest light came to 0.11 at most, other faces to 0.36 at least;
the person who enrols is asked, so a deck of very similar cards costs a touch and not a mistake.
"""
MIN_PICTURES, MAX_STRETCH = 2, 1.12
"""Pictures from which the cards' shape is known; by how much a camera that looks aslant may stretch it."""


@dataclass(frozen=True, slots=True)
class IndexedFace:
    """A shown card that is known already."""

    card: str
    turned: bool
    """Whether its top is where the picture has its bottom."""
    flaw: float = 0.0
    """By how much it differs from its picture."""


class FaceIndex:
    """Pictures by card; comparing is prepared when it is asked for."""

    def __init__(self, pictures: Iterable[tuple[str, Bgr]] = ()) -> None:
        self._pictures: list[tuple[str, Bgr]] = list(pictures)
        self._faces: EnrolledFaces | None = None

    def add(self, card: str, picture: Bgr) -> None:
        """Keep one more picture of a card, (height, width, 3) in BGR."""
        self._pictures.append((card, picture))
        self._faces = None

    def drop(self, card: str) -> None:
        """Forget every picture of a card."""
        self._pictures = [one for one in self._pictures if one[0] != card]
        self._faces = None

    def pictures_of(self, card: str) -> list[Bgr]:
        """The pictures of a card, (height, width, 3) in BGR each, in the order in which they were added."""
        return [picture for name, picture in self._pictures if name == card]

    def pictures(self) -> list[tuple[str, Bgr]]:
        """(card, picture) of each, in the order in which they were added.

        Pictures are (height, width, 3) in BGR.
        """
        return list(self._pictures)

    def has_wrong_shape(self, shown: CapturedCard) -> bool:
        """Whether it has not the shape of the cards so far: a telephone, a box, a sheet of paper."""
        if len(self._pictures) < MIN_PICTURES:
            return False
        usual = float(np.median([_side_ratio(picture) for _, picture in self._pictures]))
        return not usual / MAX_STRETCH < _side_ratio(shown.picture) < usual * MAX_STRETCH

    def identify(self, shown: CapturedCard) -> IndexedFace | None:
        """Which of these cards it is; None if it is a new face."""
        if not self._pictures:
            return None
        names = [name for name, _ in self._pictures]
        if self._faces is None:
            self._faces = EnrolledFaces([_to_portrait(picture) for _, picture in self._pictures], names)
        lying = shown.picture.shape[1] > shown.picture.shape[0]
        quad = np.roll(shown.quad, -1, axis=0) if lying else shown.quad
        frame = Pyramid(shown.frame)
        match = self._faces.match(frame, quad, self._faces.ranking.rank_outlines(frame, [quad])[0][:, 0])
        if match.flaw >= SAME_FACE_MAX_FLAW or match.lead < MIN_LEAD:
            return None
        away = np.linalg.norm(match.corners[0] - quad, axis=1)
        return IndexedFace(names[match.face], bool(away[2] < away[0]), float(match.flaw))


def face_difference(one: Bgr, other: Bgr) -> float:
    """The flaw between two faces (height, width, 3), either way up; 0 for the same picture."""
    faces = EnrolledFaces([_to_portrait(one), _to_portrait(other)], ["one", "other"])
    return float(min(faces.compare_faces(0, 1, turn).flaw for turn in (0, 1)))


def _side_ratio(picture: Bgr) -> float:
    """The longer side by the shorter."""
    height, width = picture.shape[:2]
    return float(max(height, width) / min(height, width))


def _to_portrait(picture: Bgr) -> Bgr:
    """As decks keep it: a landscape card is turned a quarter anticlockwise."""
    return picture if picture.shape[0] >= picture.shape[1] else np.ascontiguousarray(np.rot90(picture))
