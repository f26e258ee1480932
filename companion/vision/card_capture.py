"""Captures a single card held before the camera as soon as it rests on the bare table.

No deck is known yet, so nothing is recognised here. A hand, a sleeve or two cards at once are no card; what
moves is waited for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.acceptance import MIN_LEAD
from companion.vision.calibration import refine_corners
from companion.vision.decks import Deck, DeckError, list_pictures
from companion.vision.face_matching import EnrolledFaces
from companion.vision.outlines import (
    Bgr,
    Contours,
    Pyramid,
    Quad,
    find_outlines,
    is_plausible_card,
    median_aspect,
    overlap_share,
)
from companion.vision.pictures import check_picture_size, read_picture

SEARCH_SIDE = 640
"""Longer side in pixels of the picture in which a card is looked for."""
MIN_DIFFERENCE = 26
"""Grey levels by which a pixel differs from the bare table."""
MIN_CARD_SHARE, MAX_CARD_SHARE = 0.002, 0.3
"""Shares of the picture that a card covers."""
MIN_BOX_FILL = 0.9
"""A card fills at least this much of the rectangle round it; a hand does not."""
ROUND_FILL, MAX_DENT = (0.74, 0.83), 0.03
"""The same of a round card, which is π/4; and the part of its hull that its line may be drawn in."""
CARD_ASPECTS = (1.1, 2.0)
"""The longer side of a card by its shorter."""
MAX_STILL_DIFFERENCE, MIN_STILL_PICTURES = 5.0, 3
"""Grey levels by which a resting card may differ from picture to picture, and how many have to be alike."""
BACKGROUND_RATE = 0.05
"""How fast the bare table is learnt again, for daylight fades."""
MAX_OVERLAP = 0.3
"""Of the smaller of two outlines: beyond, both are one card."""
MIN_CROP_HEIGHT, MAX_CROP_HEIGHT = 160, 480
"""Height in pixels at which a card is cut out."""


@dataclass(frozen=True, slots=True, eq=False)
class CapturedCard:
    """A card that rests before the camera."""

    quad: Quad
    """(4, 2) pixels, clockwise from the corner that is the top left as the picture shows it."""
    picture: Bgr
    """The card flattened, its top as the picture shows it: (height, width, 3)."""
    frame: Bgr


class CardCapture:
    """Keeps the bare table, and what lay before it a moment ago."""

    def __init__(self) -> None:
        self._bare: NDArray[np.float32] | None = None
        self._before: Bgr | None = None
        self._rests = 0
        self.outline: Quad | None = None
        """Where a card is seen, be it at rest or not."""
        self.disturbed = True
        """Whether something moved since a card was last taken."""
        self.shows_round = False
        """Whether what rests there is round: it has no corners to be found by."""

    def forget_background(self) -> None:
        """The next picture that rests is the bare table."""
        self._bare, self._rests = None, 0

    @property
    def ready(self) -> bool:
        """Whether the bare table is known."""
        return self._bare is not None

    def step(self, frame: Bgr) -> CapturedCard | None:
        """The card that rests in this frame, if one does: with every frame until it is gone.

        `frame`: (height, width, 3), BGR.
        """
        scale = SEARCH_SIDE / max(check_picture_size(frame).shape[:2])
        size = (max(1, round(frame.shape[1] * scale)), max(1, round(frame.shape[0] * scale)))
        small = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
        if self._before is not None and self._before.shape != small.shape:  # another camera
            self.forget_background()
            self._before = None
        before, self._before = self._before, small
        moves = before is None or _has_motion(before, small)
        self._rests = 0 if moves else self._rests + 1
        if moves:
            self.disturbed = True
        if self._bare is None:
            if self._rests >= MIN_STILL_PICTURES:
                self._bare = small.astype(np.float32)
            return None
        changed = _foreground_mask(self._bare, small)
        line = _largest_contour(changed)
        self.shows_round = line is not None and self._rests >= MIN_STILL_PICTURES - 1 and _is_round(line)
        if line is None:
            self.outline = None
            if not moves:
                cv2.accumulateWeighted(small, self._bare, BACKGROUND_RATE, mask=cv2.bitwise_not(changed))
            return None
        quad = _card_corners(line)
        self.outline = None if quad is None else ((quad + 0.5) / scale).astype(np.float32)
        if self.outline is None or self._rests < MIN_STILL_PICTURES - 1:
            return None
        return CapturedCard(self.outline, crop_card(frame, self.outline), frame)


def _has_motion(before: Bgr, now: Bgr) -> bool:
    """Whether anything but noise differs between two pictures."""
    return bool(cv2.blur(_channel_difference(before, now), (9, 9)).max() > MAX_STILL_DIFFERENCE * 2)


def _foreground_mask(bare: NDArray[np.float32], now: Bgr) -> NDArray[np.uint8]:
    """Where something is that the bare table has not: 255, else 0."""
    few = slice(None, None, 8)
    gain = np.clip(np.median(now[few, few]) / max(1.0, float(np.median(bare[few, few]))), 0.7, 1.4)
    lit = np.asarray(cv2.convertScaleAbs(bare, alpha=float(gain)), np.uint8)
    apart = cv2.GaussianBlur(_channel_difference(lit, now), (3, 3), 0)
    mask = cv2.threshold(apart, MIN_DIFFERENCE, 255, cv2.THRESH_BINARY)[1]
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)), np.uint8)


def _channel_difference(one: Bgr, other: Bgr) -> NDArray[np.uint8]:
    """By how much two pictures differ in the channel in which they differ most."""
    blue, green, red = cv2.split(cv2.absdiff(one, other))
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def _largest_contour(mask: NDArray[np.uint8]) -> NDArray[np.int32] | None:
    lines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    line = max(lines, key=cv2.contourArea, default=None)
    if line is None or cv2.contourArea(line) < MIN_CARD_SHARE * mask.size:
        return None
    return np.asarray(line[:, 0], np.int32)


def _card_corners(line: NDArray[np.int32]) -> Quad | None:
    """The corners of a card from the line round it, from its top left in the picture; None if it is none."""
    hull = cv2.convexHull(line)
    box = cv2.minAreaRect(hull)
    across, down = sorted(box[1])
    area = cv2.contourArea(line)
    if (
        across < 1
        or not CARD_ASPECTS[0] < down / across < CARD_ASPECTS[1]
        or area < MIN_BOX_FILL * across * down
    ):
        return None
    if area > MAX_CARD_SHARE * SEARCH_SIDE * SEARCH_SIDE:
        return None
    corners = refine_corners(line, np.asarray(cv2.boxPoints(box), np.float32))
    if not np.isfinite(corners).all() or not cv2.isContourConvex(corners):
        return None
    return _start_at_top(corners)


def _is_round(line: NDArray[np.int32]) -> bool:
    """Whether a line goes round a disc, however aslant it is seen."""
    hull = cv2.convexHull(line)
    _, (across, down), _ = cv2.minAreaRect(hull)
    area = cv2.contourArea(line)
    fill = area / max(1.0, across * down)
    return ROUND_FILL[0] < fill < ROUND_FILL[1] and area > (1 - MAX_DENT) * cv2.contourArea(hull)


def _start_at_top(corners: Quad) -> Quad:
    """Clockwise, from the left end of the side that is highest in the picture."""
    around = corners - corners.mean(axis=0)
    turned = corners[np.argsort(np.arctan2(around[:, 1], around[:, 0]))]
    heights = turned[:, 1] + np.roll(turned, -1, axis=0)[:, 1]
    return np.roll(turned, -int(np.argmin(heights)), axis=0)


def crop_card(frame: Bgr, quad: Quad) -> Bgr:
    """What is in a quad, flattened to the card's own shape."""
    sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    across, down = (sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2
    longest = float(np.clip(max(across, down), MIN_CROP_HEIGHT, MAX_CROP_HEIGHT))
    grow = longest / max(1e-6, across, down)
    return Pyramid(frame).view(quad, (round(across * grow), round(down * grow)))


SPREAD_ASPECT = 1.4
"""Height by width of cards in a photo of a spread deck, within `ASPECT_TOLERANCE`."""
SPREAD_SIZES = 1.6
"""How many times the area of a smaller card another of the same photo may have, which is nearer."""


def find_spread_cards(photo: Bgr) -> list[Quad]:
    """The cards that lie apart in a photo (height, width, 3): rows from the top, each from its left.

    They are the outlines of about one size of which there are most; a frame inside one of them is none.
    """
    frame = Pyramid(photo)
    outlines = (_start_at_top(quad) for quad in find_outlines(Contours.of(frame), SPREAD_ASPECT))
    fit = [quad for quad in outlines if is_plausible_card(quad, photo.shape)]
    largest_first = sorted(fit, key=lambda quad: -_area(quad))
    groups: list[list[Quad]] = [
        _separate(quad for quad in largest_first[first:] if SPREAD_SIZES * _area(quad) > _area(largest))
        for first, largest in enumerate(largest_first)
    ]
    most = max(groups, key=len, default=[])
    return _in_rows(most)


def _area(quad: Quad) -> float:
    return float(cv2.contourArea(quad))


def _separate(quads: Iterable[Quad]) -> list[Quad]:
    """Those that do not lie over an earlier one."""
    kept: list[Quad] = []
    for quad in quads:
        if all(overlap_share(quad, other) < MAX_OVERLAP for other in kept):
            kept.append(quad)
    return kept


def _in_rows(quads: Iterable[Quad]) -> list[Quad]:
    """In reading order: in a row is whose middle lies at the height of the row's first card."""
    left = sorted(quads, key=lambda quad: float(quad[:, 1].mean()))
    found: list[Quad] = []
    while left:
        lowest = left[0][:, 1].max()
        row = [quad for quad in left if quad[:, 1].mean() < lowest]
        found += sorted(row, key=lambda quad: float(quad[:, 0].mean()))
        left = left[len(row) :]
    return found


def read_spread_photos(folder: Path, cards: Sequence[str]) -> list[tuple[str, Bgr]]:
    """The pictures of a deck of which a folder's photos, by name, show all `cards` in that order.

    More photos may show them all once more. Raises `DeckError` where the photos show another number.
    """
    found: list[Bgr] = []
    counts: list[str] = []
    for path in list_pictures(folder):
        photo = read_picture(path)
        seen = find_spread_cards(photo)
        found += [crop_card(photo, quad) for quad in seen]
        counts.append(f"{path.name} {len(seen)}")
    if not found or len(found) % len(cards):
        raise DeckError(
            f"the deck has {len(cards)} cards, and the photos show {len(found)} ({', '.join(counts)}): lay "
            f"them a finger apart on plain cloth, {cards[0]} first and {cards[-1]} last, and photograph them "
            "from above"
        )
    return list(zip(cycle(cards), found, strict=False))


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


MAX_SHAPE_DIFFERENCE = 0.15
"""How much longer or shorter for its width a picture may be than most, as cropping by hand leaves it."""
ASSUMED_ASPECT = 1.4
"""Height by width of a card as nobody knows it; `outlines` finds those from 0.84 to 2.24."""
MIN_TABLE_MARGIN, MIN_FRAMED_SHARE, MAX_OFF_CENTRE = 0.1, 0.12, 0.1
"""A card with table round it: the part of the picture that is free on each side of it at least, the part that
the card fills at least, and how far its middle is from the picture's at most.

Frames that are printed on cards are found as well. Of the references of eight photographed decks and our own
art 15 of 376 look so, in no deck more than one in seven; of 583 cuts from photographs (none held out) of a
card and the table round it, 1.3 to 2 times as large as the card, 529 do.
"""


def find_oddly_shaped_cards(deck: Deck) -> list[str]:
    """The cards of which a picture is of another shape than most: all cards of a deck have one."""
    usual = median_aspect(deck.pictures)
    found = [abs(p.shape[0] / p.shape[1] / usual - 1) > MAX_SHAPE_DIFFERENCE for p in deck.pictures]
    return list(
        dict.fromkeys(card for card, is_odd in zip(deck.cards_of_pictures, found, strict=True) if is_odd)
    )


def shows_table_around_cards(deck: Deck) -> bool:
    """Do most pictures show the table round the card?"""
    return 2 * sum(map(_has_card_inside, deck.pictures)) > len(deck.pictures)


def _has_card_inside(picture: Bgr) -> bool:
    """Is there an outline of a card well inside a picture (height, width, 3)?"""
    size = picture.shape[1::-1]
    for quad in find_outlines(Contours.of(Pyramid(picture)), ASSUMED_ASPECT):
        low, high = quad.min(axis=0) / size, quad.max(axis=0) / size
        free = min(low.min(), (1 - high).min())
        aside = abs(quad.mean(axis=0) / size - 0.5).max()
        if (
            free >= MIN_TABLE_MARGIN
            and aside < MAX_OFF_CENTRE
            and cv2.contourArea(quad) > MIN_FRAMED_SHARE * size[0] * size[1]
        ):
            return True
    return False
