"""Watches the places of a table frame by frame for settled changes of their cards.

A still table costs almost nothing: only a place whose picture changed is read. A place that moves, or is
neither cards nor bare cloth (a hand, a sleeve, a cup), gives no reading at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.actions import Micros
from companion.core.observations import UNKNOWN, RegionReading, SeenCard, TableSeen
from companion.vision.calibration import is_inside_place
from companion.vision.card_capture import crop_card
from companion.vision.layout import Calibration, Layout, Place
from companion.vision.lighting import RowLight
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import overlap_share
from companion.vision.pictures import PictureError, check_picture_size
from companion.vision.recogniser import Recogniser
from companion.vision.settling import UNREAD, Content, PlaceSnapshot, ReadingVote, has_unread_card

Picture = NDArray[np.uint8]
MAX_READINGS = 8
"""Most looks at a still place until what they say is taken, or somebody asked."""
MAX_UNDECIDED: Micros = 3_000_000
"""How long a place may stay undecided, with nobody asked, until a reason is told if there is one."""
MIN_HAND_TIME: Micros = 1_000_000
"""How long a hand is over a place until that is told, though the place looks as before."""
MIN_SHIFTING_TIME: Micros = MIN_HAND_TIME // 2
"""The same where the card then lies off by `MIN_SHIFT_MM`."""
MIN_SHIFT_MM = 1.0
"""From how far off its corners what lies there is another card of the same face, or was moved."""
MIN_GONE_TIME: Micros = 300_000
"""How long a place shows what lay there until the hand is gone, and not only between two fingers' moves."""
MIN_STILL_TIME: Micros = 1_500_000
"""The same where the card lies as it lay: who only thought about it is over another place by then."""
_MAX_CLOTH_DISTANCE = 16.0
"""Colour distance, brightness left aside, from the place's own bare cloth up to which a pixel is cloth."""
_MIN_CLOTH_LEVEL = 64.0
"""Grey levels of a cloth, below which that distance shrinks with its light: a mat in good light has 110.

White paper is 37 from such a cloth, and in a third of the light 12.
"""
_MIDDLE_MM = ((120.0, 110.0), (474.0, 110.0), (474.0, 310.0), (120.0, 310.0))
"""The part of the mat whose most common colour is the cloth's."""
_CLOTH_STEP = 16
"""Pixels from one that is looked at to the next, to tell how light the cloth is."""
_MIN_BARE_SHARE = 0.9
"""Share of a place that has to be cloth to call it bare, if no card is found there."""
_CERTAINLY_BARE_SHARE = 0.98
"""Share from which no card is searched for: the smallest part of a place that a card fills is a ninth."""


_BESIDE_MM = 180.0
"""By how much what is around a place is wider and higher: a card of 88 mm lies whole on each side."""
_MIN_BESIDE_SHARE = 0.02
"""Of the cloth around a place: a change by which a card may have come or gone; a card is a tenth and more."""
_MIDDLE_SHARE = 0.6
"""Part of a spot's sides that a card in it surely covers."""
_SAME_CARD_OVERLAP = 0.5
"""Two sightings that overlap so much are one card."""
_MIN_TOUCHED_SHARE = 0.2
"""Part of a spot's middle that a card covers which is between two spots."""


@dataclass(slots=True)
class _WatchedPlace:
    """One place between frames."""

    before: PlaceSnapshot | None = None
    read_at: PlaceSnapshot | None = None
    """The picture that was read first since something moved there."""
    content: Content | None = None
    """What the last look said; None: neither card nor cloth."""
    looks: int = 0
    sure: bool = False
    """Whether nothing is left to find out by another look."""


@dataclass(slots=True)
class _HandOver:
    """What a place showed before a hand was over it, and until when."""

    content: Content
    clear_until: Micros
    sighting: Sighting | None
    there: Micros | None = None
    """How long the hand was there and not on its way to another place; None: none was."""
    gone_since: Micros | None = None


@dataclass(slots=True)
class TableWatcher:
    """Reads the places of one table; call `step` with every frame, in order."""

    recogniser: Recogniser
    layout: Layout
    calibration: Calibration
    votes: ReadingVote = field(default_factory=ReadingVote)
    light: RowLight = field(default_factory=RowLight)
    reading_count: int = 0
    """Places read so far."""
    unknown_count: int = 0
    """Places that settled as something unknown: a person is asked."""
    card_pictures: Mapping[str, tuple[str, Picture]] = field(default_factory=dict)
    """Of each place whose card is named, that card and the camera's own picture of it, upright."""
    _seen: dict[str, _WatchedPlace] = field(default_factory=dict)
    _before: dict[Place, Sighting] = field(default_factory=dict)
    """The card last seen at each spot: most often it is still there."""
    _undecided: dict[str, Micros] = field(default_factory=dict)
    """Since when a place has been moving, or was looked at without end."""
    _around: dict[str, tuple[float, bool | None]] = field(default_factory=dict)
    """Around a bare place the share of cloth, and whether a card lies there; None: not searched."""
    _hands: dict[str, _HandOver] = field(default_factory=dict)
    _passed: dict[str, PlaceSnapshot] = field(default_factory=dict)
    """How the places and banks looked that a hand may be on its way to."""
    _at: Micros = 0
    """When the picture before was taken."""
    _boxes: dict[Place, tuple[slice, slice]] = field(default_factory=dict)
    _masks: dict[Place, NDArray[np.uint8]] = field(default_factory=dict)
    _cloth: NDArray[np.float32] | None = None

    def step(self, frame: Picture, at: Micros, only: frozenset[str] | None = None) -> TableSeen | None:
        """What settled with this frame (height, width, 3), taken at `at`; `only` limits the places.

        `at` is in µs of game time. Raises `PictureError` if the frame is not of the calibration's size.
        """
        size = check_picture_size(frame).shape[1::-1]
        if size != self.calibration.frame_size:
            known = self.calibration.frame_size
            raise PictureError(
                f"this picture has {size} pixels, the table was found in {known}: find it again"
            )
        settled, light = [], self.light.step(frame)
        there = 0 if self._is_hand_passing(frame, light) else min(at - self._at, MIN_SHIFTING_TIME)
        for place in self.layout.places:
            if only is not None and place.name not in only:
                continue
            region = self._observe_place(frame, place, at, light)
            if place.name in self.layout.hand_told:
                region = self._find_hand(place.name, at, there) or region
            if region is not None:
                settled.append(region)
                self._keep_picture(frame, place, region)
        self._at = at
        self.unknown_count += sum(has_unread_card(region.faces) for region in settled)
        return TableSeen(at=at, regions=tuple(settled)) if settled else None

    def _keep_picture(self, frame: Picture, place: Place, region: RegionReading) -> None:
        seen = self._before.get(self.layout.spots(place.name)[0])
        kept = {name: one for name, one in self.card_pictures.items() if name != place.name}
        # A hand that is shown is nobody's to look at again.
        if (
            place.name != "audit"
            and seen is not None
            and [seen.card] == [one.card for one in region.faces[-1:]]
        ):
            kept[place.name] = seen.card, crop_card(frame, seen.corners)
        self.card_pictures = kept  # another thread may be reading what was there

    def settled_contents(self) -> Mapping[str, Content]:
        """What is where, as far as it settled."""
        told = {place.name: self.votes.settled_content(place.name) for place in self.layout.places}
        return {name: content for name, content in told.items() if content is not None}

    def restlessness(self, at: Micros, awaited: frozenset[str] = frozenset()) -> str:
        """Why places are undecided too long at `at`: by `flicker`, or all are `restless` as all sways.

        Or, told once, an `awaited` place is `covered`: something lies or moves over it. "": none are.
        """
        late = {name: at - since for name, since in self._undecided.items() if at - since > MAX_UNDECIDED}
        moving = self.light.measure()
        if late and moving is not None and moving.exceeds_limit:
            return "flicker"
        if len(late) == len(self.layout.places) > 0:
            return "restless"
        return "covered" if any(late[name] < 2 * MAX_UNDECIDED for name in awaited & late.keys()) else ""

    def is_card_beside(self, frame: Picture, names: frozenset[str]) -> bool:
        """Whether a card lies beside one of these places, which is bare; called now and then.

        Cards are searched for once the picture (height, width, 3) is still there since the call before.
        """
        for name in names:
            if self.votes.settled_content(name) != ():
                continue
            one = self.layout.place(name)
            around = Place(
                name, one.centre_mm, (one.size_mm[0] + _BESIDE_MM, one.size_mm[1] + _BESIDE_MM), one.angle
            )
            cloth = self._cloth_share(frame, around)
            before, found = self._around.get(name, (-1.0, None))
            if abs(cloth - before) >= _MIN_BESIDE_SHARE:
                self._around[name] = (cloth, None)
                continue
            if found is None:
                found = any(map(self._lies_in_no_place, self._search_place(frame, around)))
                self._around[name] = (before, found)
            if found:
                return True
        return False

    def _lies_in_no_place(self, card: Sighting) -> bool:
        """Whether it is a card's face that lies where none is looked for."""
        middle = self.calibration.to_millimetres(card.corners).mean(axis=0)
        places = (*self.layout.places, *self.layout.banks)
        return not card.card.startswith("back") and not any(is_inside_place(one, middle) for one in places)

    def read_again(self, *names: str) -> None:
        """Forget what these places held (all, if none is named), so that they are read again."""
        for place in self.layout.places:
            if not names or place.name in names:
                self.votes.forget(place.name)
                self._seen.pop(place.name, None)

    def _is_hand_passing(self, frame: Picture, light: NDArray[np.float32]) -> bool:
        """Whether something moves where a hand over the other places is only on its way to."""
        moves = False
        for name in self.layout.hand_passes:
            box = self._box(self.layout.place(name), frame.shape)
            if frame[box].size:  # in a badly found table a place can lie beside the picture
                now = PlaceSnapshot.of(frame[box], light[box[0]])
                before, self._passed[name] = self._passed.get(name, now), now
                moves |= before.differs_from(now)
        return moves

    def _find_hand(self, name: str, at: Micros, there: Micros) -> RegionReading | None:
        """The place, if a hand was over it long enough and is gone, and it shows what it did.

        Where the card lies as it lay the hand was not on its way to another place, and is over none now.
        `there`: how long it has been there since the picture before, µs.
        """
        shown, over = self.votes.shown_content(name, at), self._hands.get(name)
        if shown is None or has_unread_card(shown):
            if over is not None:
                over.there, over.gone_since = (over.there or 0) + there, None
            return None
        seen = self._before.get(self.layout.spots(name)[0])
        cards = [card.card for card in shown]
        if over is None or over.there is None or [card.card for card in over.content] != cards:
            self._hands[name] = _HandOver(shown, at, seen)
            return None
        if over.gone_since is None:  # it is looked at again, however little it seems to have moved
            over.gone_since, self._seen[name].looks, self._seen[name].sure = at, 0, False
        shifted = self._has_shifted(over.sighting, seen)
        others = any(one.there is not None and one.gone_since is None for one in self._hands.values())
        if at - over.gone_since < (MIN_GONE_TIME if shifted else MIN_STILL_TIME) or (others and not shifted):
            return None
        self._hands[name] = _HandOver(shown, at, seen)
        if shifted:
            long_enough = over.gone_since - over.clear_until >= MIN_SHIFTING_TIME
        else:
            long_enough = over.there >= MIN_HAND_TIME
        return RegionReading(name, shown, over.clear_until, over.gone_since) if long_enough else None

    def _has_shifted(self, before: Sighting | None, now: Sighting | None) -> bool:
        if before is None or now is None:
            return False
        was, lies = (self.calibration.to_millimetres(one.corners) for one in (before, now))
        ways = (np.linalg.norm(was - np.roll(lies, by, axis=0), axis=1).max() for by in range(4))
        return bool(min(ways) >= MIN_SHIFT_MM)

    def _observe_place(
        self, frame: Picture, place: Place, at: Micros, light: NDArray[np.float32]
    ) -> RegionReading | None:
        """Looks at a place if that may tell anything; what settled there, if anything."""
        box = self._box(place, frame.shape)
        part = frame[box]
        if not part.size:
            return None
        seen = self._seen.setdefault(place.name, _WatchedPlace())
        now = PlaceSnapshot.of(part, light[box[0]])
        before, seen.before = seen.before, now
        if before is None or before.differs_from(now):
            self._undecided.setdefault(place.name, at)
            return None
        if seen.read_at is None or seen.read_at.differs_from(now):
            self.votes.step(place.name, None, at)
            self._undecided.setdefault(place.name, at)
            seen = self._seen[place.name] = _WatchedPlace(now, now)
        # What is neither card nor cloth, look by look, is a hand that rests.
        most = MAX_READINGS if self.votes.has_readings(place.name) else self.votes.needed
        looked = seen.looks < most and not seen.sure
        if not looked and seen.content is not None:
            self._undecided.pop(place.name, None)
        if looked:
            seen.content, seen.looks = self._read_place(frame, place), seen.looks + 1
        if seen.content is None:
            return None  # what rests there says nothing of the card that may be under it
        region = self.votes.step(place.name, seen.content, at, looked=looked)
        if looked:
            seen.sure = self.votes.is_certain(place.name)
        return region

    def _read_place(self, frame: Picture, place: Place) -> Content | None:
        """The cards in a place, lowest first; None when what is there is neither card nor cloth."""
        self.reading_count += 1
        cloth = self._cloth_share(frame, place)
        if cloth > _CERTAINLY_BARE_SHARE:
            return ()  # what holds no card need not be searched for one: that would take longest
        if place.grid != (1, 1):
            return self._read_grid(frame, place)
        first, *others = self.layout.spots(place.name)
        found = [self._read_spot(frame, first)]
        if found[0].card in {"", UNKNOWN} or place.name == "audit":  # bare, or covered by what is over it
            for spot in others:
                if place.name == "audit" and found[-1].card == UNKNOWN:
                    break  # a hand is read whole or not at all
                found.append(self._read_spot(frame, spot))
        known = [sighting for sighting in found if sighting.card not in {"", UNKNOWN}]
        doubtful = any(sighting.card == UNKNOWN for sighting in found)
        if not known and cloth > _MIN_BARE_SHARE:
            return ()
        if doubtful and (not known or place.name == "audit"):
            return UNREAD
        if not known:
            return None
        return tuple(self._to_face(sighting, place) for sighting in known)

    def _to_face(self, sighting: Sighting, place: Place) -> SeenCard:
        turn = round(self.calibration.card_rotation(sighting.corners, place)) % 360
        return SeenCard(sighting.card, turn, round(float(sighting.confidence), 3))

    def _read_grid(self, frame: Picture, place: Place) -> Content | None:
        """Cards side by side: all of them, or unknown; None while something else is among them."""
        known: list[Sighting] = []
        unsure: list[Place] = []
        for spot in self.layout.spots(place.name):
            if self._cloth_share(frame, _middle_of_spot(spot)) > _MIN_BARE_SHARE:
                continue
            sighting = self._read_spot(frame, spot)
            if sighting.card in {"", UNKNOWN}:
                unsure.append(spot)
            elif all(overlap_share(sighting.corners, other.corners) < _SAME_CARD_OVERLAP for other in known):
                known.append(sighting)
        if not self._are_between_cards(
            unsure, known
        ):  # laid askew, or one against the other: search all of it
            for sighting in self._search_place(frame, place):
                if all(
                    overlap_share(sighting.corners, other.corners) < _SAME_CARD_OVERLAP for other in known
                ):
                    known.append(sighting)
        if not self._are_between_cards(unsure, known):
            return UNREAD
        known.sort(key=lambda sighting: self._nearest_spot(place, sighting))
        return tuple(self._to_face(sighting, place) for sighting in known)

    def _nearest_spot(self, place: Place, sighting: Sighting) -> int:
        """Which spot of the place a card is in: what was searched for counts where it is, too."""
        middle = self.calibration.to_millimetres(sighting.corners).mean(axis=0)
        spots = [spot.centre_mm for spot in self.layout.spots(place.name)]
        return int(np.linalg.norm(np.array(spots) - middle, axis=1).argmin())

    def _are_between_cards(self, unsure: Sequence[Place], known: Sequence[Sighting]) -> bool:
        """Whether every spot that could not be read shows a part of a card that was: it is between two."""
        quads = [self.calibration.place_corners(_middle_of_spot(spot)) for spot in unsure]
        return all(
            any(overlap_share(quad, other.corners) > _MIN_TOUCHED_SHARE for other in known) for quad in quads
        )

    def _search_place(self, frame: Picture, place: Place) -> list[Sighting]:
        """All cards that can be found anywhere in a place."""
        box = self._box(place, frame.shape)
        if not frame[box].size:
            return []
        corner = np.array([box[1].start, box[0].start], np.float32)
        found = self.recogniser.recognise(np.ascontiguousarray(frame[box]))
        return [
            Sighting(one.card, one.corners + corner, one.confidence) for one in found if one.card != UNKNOWN
        ]

    def _read_spot(self, frame: Picture, spot: Place) -> Sighting:
        seen = self.recogniser.read_place(
            frame, self.calibration.place_corners(spot), before=self._before.get(spot)
        )
        if seen.card not in {"", UNKNOWN}:
            self._before[spot] = seen
        return seen

    def _cloth_share(self, frame: Picture, place: Place) -> float:
        """How much of a place shows the mat's cloth: 1.0 is all of it."""
        box = self._box(place, frame.shape)
        cloth = self._cloth_colour(frame)
        mask = self._masks[place]
        if cloth is None or not (area := cv2.countNonZero(mask)):
            return 0.0
        # A pixel less the cloth as bright as the pixel is: all that a pixel of the cloth leaves is noise.
        less_cloth = np.eye(3) - np.outer(cloth / max(1.0, float(cloth.mean())), np.full(3, 1 / 3))
        apart = cv2.transform(np.asarray(cv2.blur(frame[box], (3, 3)), np.float32), less_cloth)
        limit = _MAX_CLOTH_DISTANCE * min(1.0, self._cloth_level(frame) / _MIN_CLOTH_LEVEL)
        near = cv2.transform(cv2.multiply(apart, apart), np.ones((1, 3))) < limit**2
        return cv2.countNonZero(cv2.bitwise_and(mask, mask, mask=near.astype(np.uint8))) / area

    def _cloth_level(self, frame: Picture) -> float:
        """How light the cloth is in this picture, in grey levels."""
        middle = self.calibration.to_pixels(_MIDDLE_MM)
        low, high = np.maximum(middle.min(axis=0), 0).astype(int), middle.max(axis=0).astype(int)
        part = frame[low[1] : high[1] : _CLOTH_STEP, low[0] : high[0] : _CLOTH_STEP]
        return float(np.median(part.mean(axis=2))) if part.size else _MIN_CLOTH_LEVEL

    def _cloth_colour(self, frame: Picture) -> NDArray[np.float32] | None:
        """The mat's most common colour: what is between the places and in most of them.

        None while no part of the mat's middle is in the picture.
        """
        if self._cloth is None:
            corners = self.calibration.to_pixels(_MIDDLE_MM)
            mask = np.zeros(frame.shape[:2], np.uint8)
            cv2.fillConvexPoly(mask, corners.astype(np.int32), 255)
            if not mask.any():
                return None
            self._cloth = np.median(frame[mask > 0], axis=0).astype(np.float32)
        return self._cloth

    def _box(self, place: Place, shape: tuple[int, ...]) -> tuple[slice, slice]:
        """The upright rectangle around a place, as slices of the picture, with a margin for edges."""
        if place not in self._boxes:
            quad = self.calibration.place_corners(place)
            margin = 6
            low = np.maximum(np.floor(quad.min(axis=0)).astype(int) - margin, 0)
            high = np.minimum(np.ceil(quad.max(axis=0)).astype(int) + margin, (shape[1], shape[0]))
            high = np.maximum(low, high)  # a place beyond the picture has no part in it
            box = (slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0])))
            mask = np.zeros(shape[:2], np.uint8)
            cv2.fillConvexPoly(mask, quad.astype(np.int32), 255)
            self._boxes[place], self._masks[place] = box, mask[box]
        return self._boxes[place]


def _middle_of_spot(spot: Place) -> Place:
    """The middle of a spot: a neighbour's card does not reach there."""
    width, height = spot.size_mm
    return Place(spot.name, spot.centre_mm, (_MIDDLE_SHARE * width, _MIDDLE_SHARE * height), spot.angle)
