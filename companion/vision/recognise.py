"""The eye of the companion: a picture in, the cards that lie in it out; the whole table or one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.observations import UNKNOWN
from companion.vision.beside import beside, straight_edges
from companion.vision.compare import Match
from companion.vision.confidence import CURVE, Curve
from companion.vision.covered import Named, like_cards
from companion.vision.decks import Deck
from companion.vision.indices import Indices
from companion.vision.judge import Refusal, Why, judged
from companion.vision.learnt import learnt
from companion.vision.locate import (
    Bgr,
    Pyramid,
    Quad,
    Traces,
    clockwise,
    outlines,
    overlap,
    sane,
    upright_starts,
)
from companion.vision.paper import of_paper, paper_left
from companion.vision.partial import LEAST_SEEN, MOST_SEEN, Guess, guesses, topmost
from companion.vision.pictures import checked, flattenable, four_corners
from companion.vision.residual import Floats
from companion.vision.screens import on_screen

LONGEST = 3200
"""Longer side in pixels beyond which a picture is reduced: the smallest card still has all its detail."""
WORTH_A_LOOK, SURE_LOOK = 0.33, 0.45
"""Correlation at the ranking's size below which an outline is not read, and an unlikely one neither."""
OF_THE_DECK = 0.3
"""The same with what all faces have in common, from which even a faint print is read."""
MOST_PARTS = 8
"""Most guesses at covered cards that are looked at closely."""
PART_FLAW, PLACED_FLAW, PART_LIKENESS = 0.12, 0.15, 0.86
"""What can be seen of a covered card must fit better than a whole card need: it holds less to tell it by.

Where local features agree on its place they speak for it as well.
"""
PART_APART = 0.7
"""And its flaw must be at most this times the square of what parts it from the other cards.

The less a part differs from the same part of the others, the likelier is a card that was never shown to look
just so there: a frame, a number's plate.
"""
ON_READ, ON_UNKNOWN = 0.75, 0.9
"""Part of a guess at a covered card that may lie on a card that was read, or on what is unknown."""
PLAINLY = 0.25
"""The part of that limit below which a card is believed though its index shows and cannot be read."""
SHARE_AT = (32, 48)
"""Width and height in pixels at which a card's visible area is counted."""
LEAST_SHOWN = 0.05
"""Part of a face's print, by its strength, that must be seen: bare paper is like bare cloth."""
SIZES, FEW_UNLIKELY = (0.92, 1.08), 24
"""An outline may go round the shadow too, or only the print; and how many are tried at other sizes."""
ROUNDS = 3
"""How often the print is searched again after it has found cards."""
SAME_PLACE, SAME_GUESS = 0.01, 0.03
"""Outlines no farther apart than this part of their diagonal lead to one reading; guesses are less exact."""
FEW_SPREAD = 0.2
"""Part of a card's area that few features must go round: two pictures may share a pair of eyes."""
SOMETHING_ELSE, COVERED_VOTES = 0.8, 20
"""A flaw that is not of the print but a thing lying on it; then so many features must agree nevertheless."""
GIVE_UP = 5
"""Outlines one after another that hold no card, after which less likely ones are not looked at either.

Before 303 of 310 cards that were read on photographs not held out there was none, before the others at most
two.
"""
TRIES = 2
"""Most outlines read at one place without an answer."""
LEAST_FILLED, OWN_COLOUR = 0.3, 10.0
"""Least part of a place that a card in it fills, and how much it differs from the cloth (CIE Lab)."""
STILL_THERE = 0.10
"""Flaw up to which the card last seen at a place is believed without a look at all the others.

Of 3,952 cards laid in the place of another (look-alikes, playing cards, Skat, poker; none held out) none was
believed up to 0.15, for the other did not lead; by the flaw alone 99 were.
"""
SURELY_A_CARD = 0.5
"""Likeness from which an outline that is none of the deck's faces is told as "unknown"."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One card seen, or one place looked at."""

    card: str
    """A card id; "unknown" for what is surely a card but none of the deck; "" for an empty place."""
    corners: NDArray[np.float32]
    """(4, 2) pixels, clockwise from the card's own top-left; of an "unknown" the top is a guess."""
    confidence: float
    """0 to 1: how likely the card and its way up are right; of an "unknown", how likely it is a card."""
    why: Why | None = None
    """How it was judged; None where nothing was compared."""


@dataclass(slots=True)
class _Looked:
    """The outlines of one picture that were read."""

    quads: list[Quad] = field(default_factory=list)
    given_up: list[Sighting] = field(default_factory=list)
    """Those that were not even surely cards, as the card ""."""


class Recogniser:
    """Reads pictures against one deck; keeps no state between pictures."""

    def __init__(self, deck: Deck, curve: Curve = CURVE) -> None:
        """`curve` tells the chance that a reading is right from how well it fits."""
        self._deck = deck
        self._curve = curve
        cards = tuple(deck.cards[i] for i in deck.owners)
        self._faces, self._landmarks, self._marks = learnt(deck.pictures, cards, deck.learnt)
        self._indices = Indices(deck.pictures, cards, self._faces.aspect)
        self._of_paper = of_paper(deck.pictures)
        self._first = {card: cards.index(card) for card in deck.cards}
        self._lying = {cards[at] for at, lies in enumerate(deck.lying) if lies}

    def recognise(self, frame: Bgr, *, explain: bool = False) -> list[Sighting]:
        """All cards that lie in the picture; those that are surely cards but not the deck's as "unknown".

        `explain`: the outlines besides that were read and given up, as the card "".
        """
        scale = LONGEST / max(checked(frame).shape[:2])
        if scale < 1:
            size = (max(1, round(frame.shape[1] * scale)), max(1, round(frame.shape[0] * scale)))
            small = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
            grow = np.array(frame.shape[1::-1], np.float32) / np.array(size, np.float32)
            seen = self.recognise(small, explain=explain)
            return [replace(s, corners=np.asarray(s.corners * grow, np.float32)) for s in seen]
        pyramid = Pyramid(frame)
        traces = Traces.of(pyramid)
        looked = _Looked()
        whole = self._search(pyramid, outlines(traces, self._faces.aspect), looked=looked)
        whole = self._with_topmost(pyramid, traces, whole, looked)
        whole = self._with_marked(pyramid, traces, whole)
        for more in (self._with_edged, self._with_covered, self._with_detailed):
            if self._of_paper and not paper_left(pyramid, [s.corners for s in whole]):
                break
            whole = more(pyramid, traces, whole)
        told = [_no_screen(frame, seen) for seen in whole]
        if explain:
            told = _joined(looked.given_up, told)
        return told

    def read(self, frame: Bgr, quad: ArrayLike, *, before: Sighting | None = None) -> Sighting:
        """What lies in one known place: a quadrilateral, (4, 2) pixels, that a card may fill or lie in.

        `before`: what was seen there last, which is looked for first.
        """
        place = clockwise(four_corners(quad))
        image = flattenable(frame)
        reach = 0.2 * float(np.linalg.norm(place.max(axis=0) - place.min(axis=0)))
        low = np.clip(np.floor(place.min(axis=0) - reach), 0, None).astype(int)
        high = np.ceil(place.max(axis=0) + reach).astype(int)
        part = image[low[1] : high[1], low[0] : high[0]]
        empty = Sighting("", place, 0.0)
        if min(part.shape[:2]) < 8:
            return empty
        offset = low.astype(np.float32)
        pyramid = Pyramid(part)
        if before is not None and (again := self._again(pyramid, before, offset)) is not None:
            return _no_screen(image, again)
        found = self._placed(pyramid, place - offset)
        if not found:
            return empty
        best = found[0]
        return _no_screen(image, replace(best, corners=best.corners + offset))

    def _placed(self, part: Pyramid, place: Quad) -> list[Sighting]:
        """What lies in a place of this part of a picture, likeliest first; nothing if that is bare."""
        faces = self._faces
        direct = upright_starts(place, faces.aspect)
        found = self._search(part, direct, most=1)
        if found and found[0].card != UNKNOWN:
            return found
        least = LEAST_FILLED * cv2.contourArea(place)
        sought = [
            quad
            for quad in outlines(Traces.of(part), faces.aspect)
            if overlap(quad, place) > 0.5 and cv2.contourArea(quad) > least and _stands_out(part, quad)
        ]
        found = self._search(part, [*direct, *sought]) or found
        # What stands out nowhere is no card; what does may run together with something that touches it.
        for start in direct if sought and (not found or found[0].card == UNKNOWN) else ():
            near, ranked, common = faces.rank_askew(part, start)
            laid = self._likeliest(part, near, ranked, common)
            if laid and laid[0].card != UNKNOWN:
                return laid
        return found or [Sighting(UNKNOWN, quad, 0.0) for quad in sought[:1]]

    def _again(self, part: Pyramid, before: Sighting, offset: Floats) -> Sighting | None:
        """The card that was seen before, if it plainly lies there still; `offset` is where `part` begins."""
        face = self._first.get(before.card)
        if face is None:
            return None
        corners = np.roll(before.corners, -1, axis=0) if self._deck.lying[face] else before.corners
        match = self._faces.match_again(part, np.asarray(corners - offset, np.float32), face)
        seen = self._sighting(match)
        if seen.card == UNKNOWN or match.flaw >= STILL_THERE:
            return None
        return replace(seen, corners=seen.corners + offset)

    def _search(
        self,
        pyramid: Pyramid,
        quads: Sequence[Quad],
        *,
        looked: _Looked | None = None,
        most: int | None = None,
        least: float = WORTH_A_LOOK,
        faint: bool = True,
    ) -> list[Sighting]:
        """What the outlines hold, every place once: likeliest outlines first, rivals for a place dropped.

        At most `most` are read, those with at least that correlation and, if `faint`, what may be any card of
        the deck; they are added to `looked`.
        """
        if not quads:
            return []
        ranked, common = self._faces.rank(pyramid, quads)
        if faint:
            quads, ranked = self._resized(pyramid, quads, ranked, least)
        return self._likeliest(
            pyramid, quads, ranked, common, looked=looked, most=most, least=least, faint=faint
        )

    def _likeliest(
        self,
        pyramid: Pyramid,
        quads: Sequence[Quad],
        ranked: Floats,
        common: Floats,
        *,
        looked: _Looked | None = None,
        most: int | None = None,
        least: float = WORTH_A_LOOK,
        faint: bool = True,
    ) -> list[Sighting]:
        """As `_search`, of outlines that are ranked."""
        best = ranked.max(axis=(0, 2))
        worth = (best >= least) | (faint & (common >= OF_THE_DECK))
        sure: list[Sighting] = []
        doubtful: list[Sighting] = []
        tried: list[Quad] = []
        failed = 0
        # What is like a face says which card it may be, what is like the deck that it is one at all.
        for at in np.argsort(-(best + common)):
            quad = quads[at]
            if len(tried) == most or failed == GIVE_UP:
                break
            if (
                not worth[at]
                or any(overlap(quad, s.corners) > 0.5 for s in sure)
                or (sum(_alike(quad, t) for t in tried) >= TRIES)
            ):
                continue
            tried.append(quad)
            match = self._faces.match(pyramid, quad, ranked[:, at])
            seen = self._sighting(match)
            if seen.card == UNKNOWN:
                bare = Named(self._faces, self._indices, pyramid).under_gloss(match)
                seen = seen if bare is None else self._sighting(bare)
            failed = 0 if seen.card != UNKNOWN or match.likeness > SURELY_A_CARD else failed + 1
            if seen.card != UNKNOWN:
                sure = [s for s in sure if overlap(s.corners, seen.corners) <= 0.5]
                sure.append(seen)
            elif match.likeness > SURELY_A_CARD:
                doubtful.append(seen)
            elif looked is not None:
                looked.given_up.append(replace(seen, card=""))
        if looked is not None:
            looked.quads += tried
        for seen in doubtful:
            if all(overlap(seen.corners, s.corners) <= 0.5 for s in sure):
                sure.append(seen)
        return sure

    def _resized(
        self, pyramid: Pyramid, quads: Sequence[Quad], ranked: Floats, least: float
    ) -> tuple[Sequence[Quad], Floats]:
        """The outlines and their ranks; unlikely ones a little larger or smaller if that suits a face."""
        unlikely = [int(at) for at in np.flatnonzero(ranked.max(axis=(0, 2)) < least)]
        if not 0 < len(unlikely) <= FEW_UNLIKELY:
            return quads, ranked
        changed, answer = list(quads), ranked.copy()
        for size in SIZES:
            resized = []
            for at in unlikely:
                middle = quads[at].mean(axis=0)
                resized.append((middle + (quads[at] - middle) * size).astype(np.float32))
            again, _ = self._faces.rank(pyramid, resized)
            for at, quad, one in zip(unlikely, resized, again.transpose(1, 0, 2), strict=True):
                if one.max() > answer[:, at].max():
                    changed[at], answer[:, at] = quad, one
        return changed, answer

    def _with_topmost(
        self, pyramid: Pyramid, traces: Traces, seen: list[Sighting], looked: _Looked
    ) -> list[Sighting]:
        """The sightings and the cards whose outline runs together with that of what lies below."""
        known = [s.corners for s in seen if s.card != UNKNOWN]
        places = _apart_from(looked.quads, topmost(traces, self._faces.aspect, known), SAME_GUESS)
        # In a picture full of print nothing but a known card tells which sides are a card's.
        plain = bool(known) or not self._landmarks.worth_it or len(places) <= MOST_PARTS
        least = WORTH_A_LOOK if plain else SURE_LOOK
        found = self._search(pyramid, places, most=MOST_PARTS, least=least, faint=plain)
        return _joined(seen, [s for s in found if s.card != UNKNOWN])

    def _with_marked(self, pyramid: Pyramid, traces: Traces, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and what the cards' print finds besides; the first finds tell the plane."""
        answer, looked = list(seen), _Looked()
        for _ in range(ROUNDS if self._marks.worth_it and not self._landmarks.worth_it else 0):
            known = [self._portrait(s) for s in answer if s.card != UNKNOWN]
            places = self._marks.find(traces, known, pyramid.levels[0].shape)
            found = self._search(pyramid, _apart_from(looked.quads, places), looked=looked, faint=False)
            found = [s for s in found if s.card != UNKNOWN]
            if not found:
                break
            answer = _joined(answer, found)
        return answer

    def _portrait(self, seen: Sighting) -> Quad:
        """The corners of a card that was read, begun as its picture is kept; which side is its top is known.

        The sides do not tell it: a card that is believed may be squashed further than an outline to be read.
        """
        own = np.roll(seen.corners, -1, axis=0) if seen.card in self._lying else seen.corners
        # Which end comes first is all one, but let it be the one that comes first in the picture.
        return own if (clockwise(own)[:2] == own[0]).all(axis=1).any() else np.roll(own, 2, axis=0)

    def _with_edged(self, pyramid: Pyramid, traces: Traces, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and the cards partly under them, by straight edges and by their indices."""
        if not self._indices.worth_it or not seen:
            return seen
        edges, shape = straight_edges(pyramid), pyramid.levels[0].shape
        known = [s.corners for s in seen if s.card != UNKNOWN]
        places = beside(edges, shape, self._faces.aspect, known)
        places = [q for q in places if all(overlap(q, k) < 0.5 for k in known)]
        found = self._search(pyramid, places, faint=False)
        seen = _joined(seen, [s for s in found if s.card != UNKNOWN])
        covers = like_cards([(s.corners, s.card != UNKNOWN) for s in seen])
        named = Named(self._faces, self._indices, pyramid).under(covers, traces, edges)
        told = [s for s in map(self._sighting, named) if s.card != UNKNOWN and sane(s.corners, shape)]
        # A fan's cards lie nearly on one another, but an "unknown" there was no card by itself.
        left = [
            s for s in seen if s.card != UNKNOWN or all(overlap(s.corners, t.corners) < 0.5 for t in told)
        ]
        return [*left, *told]

    def _with_covered(self, pyramid: Pyramid, traces: Traces, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and what can be read of cards that lie partly under them, or under something else."""
        if self._landmarks.worth_it and all(s.card == UNKNOWN for s in seen):
            return seen
        faces, answer = self._faces, list(seen)
        known = [s.corners for s in seen if s.card != UNKNOWN]
        parts = guesses(traces, faces.aspect, known)
        shown = [g.visible(g.quad, faces.small.size, known) for g in parts]
        covered = [at for at, v in enumerate(shown) if LEAST_SEEN < v.mean() < MOST_SEEN]
        if not covered:
            return answer
        parts = [parts[at] for at in covered]
        ranked = faces.rank_parts(pyramid, [g.quad for g in parts], [shown[at] for at in covered])
        best = ranked.max(axis=(0, 2))
        for at in np.argsort(-best)[:MOST_PARTS]:
            part = parts[at]
            if best[at] < WORTH_A_LOOK:
                break
            if any(overlap(part.quad, s.corners) > _most(s) for s in answer):
                continue
            visible = partial(part.visible, covers=known)
            match = faces.match_part(pyramid, part.quad, ranked[:, at], visible, PART_FLAW)
            if match is not None:
                answer = self._with_part(answer, match, pyramid, visible)
        return answer

    def _with_detailed(self, pyramid: Pyramid, _: Traces, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and what local features find besides, if the deck's faces have enough detail."""
        if not self._landmarks.worth_it:
            return seen
        answer = list(seen)
        for placed in self._landmarks.find(pyramid, [s.corners for s in seen if s.card != UNKNOWN]):
            if any(overlap(placed.quad, s.corners) > 0.7 for s in answer if s.card != UNKNOWN):
                continue
            whole = self._search(pyramid, [placed.quad])
            if whole and whole[0].card != UNKNOWN and sane(whole[0].corners, pyramid.levels[0].shape):
                answer = _joined(answer, whole)
                continue
            match = self._faces.match_face(pyramid, placed.quad, placed.face, placed.within)
            many = placed.votes >= COVERED_VOTES
            if match.flaw < SOMETHING_ELSE:
                if many or _share(placed.within, match.corners) > FEW_SPREAD:
                    answer = self._with_part(answer, match, pyramid, placed.within, PLACED_FLAW)
            elif many:
                match = self._faces.match_face(pyramid, placed.quad, placed.face, placed.around)
                shown = self._faces.shown(match, placed.around)
                # So many features say as much as a whole card: its own limit is the only one besides.
                if shown > LEAST_SHOWN and match.flaw < _apart(match):
                    answer = self._with_one(answer, match, pyramid)
        return answer

    def _with_part(
        self,
        seen: list[Sighting],
        match: Match,
        pyramid: Pyramid,
        visible: Callable[..., Floats],
        most_flaw: float = PART_FLAW,
    ) -> list[Sighting]:
        """The sightings with one more, if the visible part of a card is enough and fits well enough."""
        if match.flaw >= min(most_flaw, _apart(match)) or match.likeness < PART_LIKENESS:
            return seen
        if _share(visible, match.corners) < LEAST_SEEN or self._faces.shown(match, visible) < LEAST_SHOWN:
            return seen
        return self._with_one(seen, match, pyramid)

    def _with_one(self, seen: list[Sighting], match: Match, pyramid: Pyramid) -> list[Sighting]:
        """The sightings with one more, unless that is none, or lies where another does."""
        found = self._sighting(match)
        if found.card == UNKNOWN:
            return seen
        if not sane(found.corners, pyramid.levels[0].shape):
            return seen
        others = [s for s in seen if s.card != UNKNOWN or overlap(s.corners, found.corners) < 0.5]
        if any(overlap(s.corners, found.corners) > 0.7 for s in others):
            return seen
        free = partial(Guess(match.corners, match.corners).visible, covers=[s.corners for s in others])
        plainly = match.flaw < PLAINLY * _apart(match)
        if not self._indices.allow(pyramid, match, free, plainly=plainly):
            return seen
        return [*others, found]

    def _sighting(self, match: Match) -> Sighting:
        """The match judged: the card, or "unknown"."""
        corners = np.roll(match.corners, 1, axis=0) if self._deck.lying[match.face] else match.corners
        why = judged(match, self._deck.limits, self._deck.owners[match.face], self._faces.cards)
        if not why.refused:
            return Sighting(why.card, corners, self._curve.at(why.doubt), why)
        return Sighting(UNKNOWN, corners, max(0.0, match.likeness), why)


def _alike(one: Quad, other: Quad) -> bool:
    """Are they of like size and nearly in the same place? A paper is not the card that lies on it."""
    sizes = cv2.contourArea(one), cv2.contourArea(other)
    return max(sizes) < 2 * min(sizes) and overlap(one, other) > 0.5


def _joined(seen: Sequence[Sighting], found: Sequence[Sighting]) -> list[Sighting]:
    """The sightings with those found later, which take the place of what was seen there."""
    return [s for s in seen if all(overlap(s.corners, f.corners) <= 0.5 for f in found)] + list(found)


def _most(seen: Sighting) -> float:
    """How far a guess may lie on what was seen: a fit would not lead a card from under one that was read."""
    return ON_UNKNOWN if seen.card == UNKNOWN else ON_READ


def _no_screen(frame: Bgr, seen: Sighting) -> Sighting:
    """The sighting; "unknown" if a telephone shows it."""
    if seen.card in {"", UNKNOWN} or not on_screen(frame, seen.corners):
        return seen
    why = None if seen.why is None else replace(seen.why, refused=Refusal.SCREEN)
    return replace(seen, card=UNKNOWN, why=why)


def _apart_from(looked: Sequence[Quad], places: Sequence[Quad], near: float = SAME_PLACE) -> list[Quad]:
    """The places that are not nearly one that was looked at: a fit would end where it did then."""
    if not looked:
        return list(places)
    before = np.stack(looked)
    before = np.concatenate([before, np.roll(before, 2, axis=1)])
    reach = [near * float(np.linalg.norm(q[0] - q[2])) for q in places]
    return [q for q, r in zip(places, reach, strict=True) if np.abs(before - q).max(axis=(1, 2)).min() > r]


def _share(visible: Callable[..., Floats], corners: Quad) -> float:
    """The part of a card's area that is visible."""
    return float(visible(corners, SHARE_AT).mean())


def _apart(match: Match) -> float:
    """The flaw let pass where only a part of a card was compared, by what parts that from other cards."""
    return PART_APART * match.rival**2


def _stands_out(frame: Pyramid, quad: Quad) -> bool:
    """Does what lies in the outline differ from what lies round it, or is it a line drawn on the table?"""
    middle = quad.mean(axis=0)
    around = frame.view(((quad - middle) * 1.3 + middle).astype(np.float32), (40, 60))
    lab = cv2.cvtColor(around, cv2.COLOR_BGR2LAB).astype(np.float32)
    inside = lab[14:-14, 10:-10].reshape(-1, 3)
    outside = np.concatenate([lab[:3], lab[-3:]]).reshape(-1, 3)
    apart = np.abs(np.median(inside, axis=0) - np.median(outside, axis=0))
    return bool(apart.max() > OWN_COLOUR)


def one_thread() -> None:
    """Keep OpenCV to the thread it is called in: the loop needs the other processors."""
    cv2.setNumThreads(1)


class _Plain:
    """A recogniser whose answers are plain dictionaries, for scripts that score it."""

    def __init__(self, refs: Sequence[tuple[str, Bgr]], *, complete: bool) -> None:
        from companion.vision.decks import enrol  # noqa: PLC0415

        self._recogniser = Recogniser(enrol(refs, complete=complete))

    def recognise(self, frame: Bgr) -> list[dict[str, object]]:
        return [
            {"card": s.card, "corners": s.corners.tolist(), "score": s.confidence}
            for s in self._recogniser.recognise(frame)
            if s.card != UNKNOWN
        ]


def factory(refs: Sequence[tuple[str, Bgr]]) -> _Plain:
    """A recogniser over a whole deck of (card id, picture) pairs, with the interface of a scoring script."""
    return _Plain(refs, complete=True)


def partial_factory(refs: Sequence[tuple[str, Bgr]]) -> _Plain:
    """As `factory`, where the print has further cards that were not enrolled."""
    return _Plain(refs, complete=False)
