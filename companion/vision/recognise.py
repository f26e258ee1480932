"""The eye of the companion: a picture in, the cards that are in it out; the whole table or one place."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial

import cv2
import numpy as np
from numpy.typing import ArrayLike

from companion.core.observations import UNKNOWN
from companion.vision.compare import Match
from companion.vision.confidence import CURVE, Curve
from companion.vision.covered import COVERED, Named, like_cards, same_place, share
from companion.vision.decks import Deck
from companion.vision.explained import explained
from companion.vision.indices import Indices
from companion.vision.judge import STILL_THERE, Refusal, as_well, judged
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
    stands_out,
    upright_starts,
)
from companion.vision.paper import of_paper
from companion.vision.partial import LEAST_SEEN, MOST_SEEN, Guess
from companion.vision.pictures import checked, flattenable, four_corners
from companion.vision.residual import Floats
from companion.vision.screens import on_screen
from companion.vision.search import (
    PART_FLAW,
    PART_LIKENESS,
    PLACED_FLAW,
    SAME_GUESS,
    SURE_LOOK,
    TRIES,
    WORTH_A_LOOK,
    Fitted,
    Looked,
    Search,
    Sighting,
    apart_from,
    joined,
)
from companion.vision.shot import Shot

LONGEST = 3200
"""Longer side in pixels beyond which a picture is reduced: the smallest card still has all its detail."""
MOST_PARTS = 8
"""Most guesses at covered cards that are looked at closely."""
ON_READ, ON_UNKNOWN = 0.75, 0.9
"""Part of a guess at a covered card that may be on a whole card, or on what may be a part as well."""
PLAINLY = 0.25
"""The part of that limit below which a card is believed though its index shows and cannot be read."""
LEAST_SHOWN = 0.05
"""Part of a face's print, by its strength, that must be seen: bare paper is like bare cloth."""
ROUNDS = 3
"""How often the print is searched again after it has found cards."""
FEW_SPREAD = 0.2
"""Part of a card's area that few features must go round: two pictures may share a pair of eyes."""
SOMETHING_ELSE, COVERED_VOTES = 0.8, 20
"""A flaw that is not of the print but of a thing on it; then this many features must still agree."""
LEAST_FILLED = 0.3
"""Least part of a place that a card in it fills."""


class Recogniser:
    """Reads pictures against one deck; keeps no state between pictures."""

    def __init__(self, deck: Deck, curve: Curve = CURVE) -> None:
        """`curve` gives the chance that a reading is right from how well it fits."""
        self._deck = deck
        self._curve = curve
        cards = deck.shown
        self._faces, self._landmarks, self._marks = learnt(deck.pictures, cards, deck.learnt)
        self._indices = Indices(self._faces.pictures, cards)
        self._search = Search(self._faces, self._indices, self._sighting)
        self._of_paper = of_paper(self._faces.pictures)
        self._first = {card: cards.index(card) for card in deck.cards}
        self._lying = {cards[at] for at, lies in enumerate(deck.lying) if lies}

    @cached_property
    def _ways(self) -> list[Callable[[Shot, list[Sighting]], list[Sighting]]]:
        """The ways to find more cards than those with an outline, as far as they suit this deck."""
        ways: list[Callable[[Shot, list[Sighting]], list[Sighting]]] = [self._with_topmost]
        if self._marks.worth_it and not self._landmarks.worth_it:
            ways.append(self._with_marked)
        if self._indices.worth_it:
            ways.append(self._with_edged)
        ways.append(self._with_covered)
        if self._landmarks.worth_it:
            ways.append(self._with_detailed)
        return ways

    def recognise(self, frame: Bgr, *, explain: bool = False) -> list[Sighting]:
        """All cards that are in the picture; those that are surely cards but not the deck's as "unknown".

        `frame`: (height, width, 3) uint8, BGR. `explain`: the outlines besides that were read and given up,
        as the card "".
        """
        scale = LONGEST / max(checked(frame).shape[:2])
        if scale < 1:
            size = (max(1, round(frame.shape[1] * scale)), max(1, round(frame.shape[0] * scale)))
            small = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
            grow = np.array(frame.shape[1::-1], np.float32) / np.array(size, np.float32)
            seen = self.recognise(small, explain=explain)
            return [replace(s, corners=np.asarray(s.corners * grow, np.float32)) for s in seen]
        shot = Shot(frame, of_paper=self._of_paper)
        whole = self._search.of(shot.pyramid, outlines(shot.traces, self._faces.aspect), looked=shot.looked)
        for more in self._ways:
            if not shot.may_hold_more([s.corners for s in whole]):
                break
            whole = more(shot, whole)
        told = [_no_screen(frame, seen, [s.corners for s in whole if s is not seen]) for seen in whole]
        shot.excluded.clear()  # which refer to the shot: else its pictures wait for the garbage collector
        return explained(shot.looked, told, self._sighting, self._faces.cards) if explain else told

    def read(self, frame: Bgr, quad: ArrayLike, *, before: Sighting | None = None) -> Sighting:
        """What is in one known place: a quadrilateral, (4, 2) pixels, that a card may fill or be in.

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
        return _no_screen(image, replace(found[0], corners=found[0].corners + offset))

    def _placed(self, part: Pyramid, place: Quad) -> list[Sighting]:
        """What is in a place of this part of a picture, likeliest first; nothing if that is bare."""
        faces = self._faces
        direct = upright_starts(place, faces.aspect)
        found = self._search.of(part, direct, most=1)
        if found and found[0].card != UNKNOWN:
            return found
        least = LEAST_FILLED * cv2.contourArea(place)
        sought = [
            quad
            for quad in outlines(Traces.of(part), faces.aspect)
            if overlap(quad, place) > 0.5 and cv2.contourArea(quad) > least and stands_out(part, quad)
        ]
        found = self._search.of(part, [*direct, *sought]) or found
        # What stands out nowhere is no card; what does may run together with something that touches it.
        for start in direct if sought and (not found or found[0].card == UNKNOWN) else ():
            near, ranked, common = faces.ranking.rank_askew(part, start)
            laid = self._search.likeliest(part, near, ranked, common)
            if laid and laid[0].card != UNKNOWN:
                return laid
        return found or [Sighting(UNKNOWN, quad, 0.0) for quad in sought[:1]]

    def _again(self, part: Pyramid, before: Sighting, offset: Floats) -> Sighting | None:
        """The card that was seen before, if it is plainly still there; `offset` is where `part` begins."""
        face = self._first.get(before.card)
        if face is None:
            return None
        corners = np.roll(before.corners, -1, axis=0) if self._deck.lying[face] else before.corners
        there = np.asarray(corners - offset, np.float32)
        match = self._faces.match_again(part, there, face, as_well(before.why))
        seen = self._sighting(match)
        if seen.card == UNKNOWN or match.flaw >= STILL_THERE:
            return None
        return replace(seen, corners=seen.corners + offset)

    def _with_topmost(self, shot: Shot, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and the cards whose outline runs together with that of what is below.

        What is surely a card but none of the deck covers others as well, so it is kept as "unknown".
        """
        known = [s.corners for s in seen if s.card != UNKNOWN]
        on_top = shot.parts(self._faces.aspect).topmost(known)
        places = apart_from(shot.looked.quads, on_top, SAME_GUESS)
        # In a picture full of print nothing but a known card tells which sides are a card's.
        plain = bool(known) or not self._landmarks.worth_it or len(places) <= MOST_PARTS
        least = WORTH_A_LOOK if plain else SURE_LOOK
        found = self._search.of(
            shot.pyramid, places, looked=shot.looked, most=MOST_PARTS, least=least, faint=plain
        )
        answer = joined(seen, [s for s in found if s.card != UNKNOWN])
        for one in sorted((s for s in found if plain and s.card == UNKNOWN), key=lambda s: -s.confidence):
            if all(overlap(one.corners, other.corners) < COVERED for other in answer):
                answer.append(one)
                shot.looked.on_top.append(one.corners)
        return answer

    def _with_marked(self, shot: Shot, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and what the cards' print finds besides; the first finds give the plane."""
        answer, looked = list(seen), Looked()
        for _ in range(ROUNDS):
            read = [s for s in answer if s.card != UNKNOWN]
            known = [s.corners for s in read]
            portraits = [self._portrait(s) for s in read]
            places = self._marks.find(shot.traces, portraits, shot.shape, shot.room(known))
            places = [places[at] for at in shot.likely(places, known)]
            found = self._search.of(
                shot.pyramid, apart_from(looked.quads, places), looked=looked, faint=False
            )
            found = [s for s in found if s.card != UNKNOWN]
            if not found:
                break
            answer = joined(answer, found)
        return answer

    def _portrait(self, seen: Sighting) -> Quad:
        """The corners of a card that was read, begun as its picture is kept; which side is its top is known.

        The sides do not tell it: a card that is believed may be squashed further than an outline to be read.
        """
        own = np.roll(seen.corners, -1, axis=0) if seen.card in self._lying else seen.corners
        # Which end comes first is all one, but let it be the one that comes first in the picture.
        return own if (clockwise(own)[:2] == own[0]).all(axis=1).any() else np.roll(own, 2, axis=0)

    def _with_edged(self, shot: Shot, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and the cards partly under them, named by indices: lines first, then edges."""
        known = [s.corners for s in seen if s.card != UNKNOWN]
        named = Named(self._faces, self._indices, shot)
        shot.excluded.append(named.excludes)
        seen = self._with_named(shot, seen, named.by_lines)
        if not known or not shot.may_hold_more([s.corners for s in seen]):
            return seen
        covers, known = known, [s.corners for s in seen if s.card != UNKNOWN]
        places = shot.beside(self._faces.aspect, covers, known)
        likely = [places[at] for at in shot.likely(places, known)]
        places = [q for q in likely if all(overlap(q, k) < 0.5 for k in known)]
        places = apart_from(shot.looked.quads, places, SAME_GUESS)
        found = self._search.of(shot.pyramid, places, looked=shot.looked, faint=False)
        seen = joined(seen, [s for s in found if s.card != UNKNOWN])
        return self._with_named(shot, seen, named.by_edges)

    def _with_named(
        self, shot: Shot, seen: list[Sighting], under: Callable[[Sequence[Quad]], list[Match]]
    ) -> list[Sighting]:
        """The sightings and those that are named under the cards among them."""
        covers = like_cards([(s.corners, s.card != UNKNOWN) for s in seen])
        told = [
            s for s in map(self._sighting, under(covers)) if s.card != UNKNOWN and sane(s.corners, shot.shape)
        ]
        # A fan's cards are nearly on one another, but an "unknown" there was no card by itself.
        cards = [
            s for s in seen if s.card != UNKNOWN or all(overlap(s.corners, t.corners) < 0.5 for t in told)
        ]
        return [*cards, *told]

    def _with_covered(self, shot: Shot, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and what can be read of cards that are partly under them, or under something else."""
        if self._landmarks.worth_it and all(s.card == UNKNOWN for s in seen):
            return seen
        faces, answer = self._faces, list(seen)
        known = [s.corners for s in seen if s.card != UNKNOWN]
        parts = shot.parts(faces.aspect).guesses(known)
        parts = [g for g in parts if not any(excludes(g.quad) for excludes in shot.excluded)]
        parts = [parts[at] for at in shot.likely([g.quad for g in parts], known)]
        shown = [g.under(known)(g.quad, faces.ranking.scale.size) for g in parts]
        covered = [at for at, v in enumerate(shown) if LEAST_SEEN < v.mean() < MOST_SEEN]
        if not covered:
            return answer
        parts, shown = [parts[at] for at in covered], [shown[at] for at in covered]
        ranked = faces.ranking.rank_parts(shot.pyramid, [g.quad for g in parts], shown)
        best = ranked.max(axis=(0, 2))
        tried: list[Guess] = []
        likeliest = np.argsort(-best)[:MOST_PARTS]
        for at in likeliest[best[likeliest] >= WORTH_A_LOOK]:
            part = parts[at]
            taken = [(s.corners, ON_UNKNOWN if s.card == UNKNOWN else ON_READ) for s in answer]
            taken += [(quad, ON_READ) for quad in shot.looked.on_top]
            same = sum(one.piece is part.piece or same_place(one.quad, part.quad) for one in tried)
            if same >= TRIES or any(overlap(part.quad, quad) > most for quad, most in taken):
                continue
            tried.append(part)
            visible = part.under(known)
            wanted = partial(self._is_wanted, answer, shot=shot, visible=visible)
            match = faces.match_part(shot.pyramid, part.quad, ranked[:, at], visible, wanted)
            if match is not None:
                answer = self._with_part(answer, match, shot.pyramid, visible)
        return answer

    def _with_detailed(self, shot: Shot, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and what local features find besides, if the deck's faces have enough detail."""
        answer, pyramid = list(seen), shot.pyramid
        known = [s.corners for s in seen if s.card != UNKNOWN]
        for placed in self._landmarks.find(pyramid, known, shot.room(known)):
            if any(overlap(placed.quad, s.corners) > 0.7 for s in answer if s.card != UNKNOWN):
                continue
            whole = self._search.of(pyramid, [placed.quad])
            if whole and whole[0].card != UNKNOWN and sane(whole[0].corners, pyramid.levels[0].shape):
                answer = joined(answer, whole)
                continue
            match = self._faces.match_face(pyramid, placed.quad, placed.face, placed.within)
            shot.looked.fitted.append(Fitted(match.face, match.corners, match, PLACED_FLAW))
            many = placed.votes >= COVERED_VOTES
            if match.flaw < SOMETHING_ELSE:
                if many or share(placed.within, match.corners) > FEW_SPREAD:
                    answer = self._with_part(answer, match, pyramid, placed.within, PLACED_FLAW)
            elif many:
                match = self._faces.match_face(pyramid, placed.quad, placed.face, placed.around)
                shown = self._faces.shown(match, placed.around)
                # This many features say as much as a whole card: its own limit is the only one besides.
                if shown > LEAST_SHOWN and match.flaw < match.apart:
                    answer = self._with_one(answer, match, pyramid)
        return answer

    def _is_wanted(
        self, seen: list[Sighting], match: Match, shot: Shot, visible: Callable[..., Floats]
    ) -> bool:
        """Would `_with_part` take it?"""
        shot.looked.fitted.append(Fitted(match.face, match.corners, match, PART_FLAW))
        return self._with_part(seen, match, shot.pyramid, visible) is not seen

    def _with_part(
        self,
        seen: list[Sighting],
        match: Match,
        pyramid: Pyramid,
        visible: Callable[..., Floats],
        most_flaw: float = PART_FLAW,
    ) -> list[Sighting]:
        """The sightings with one more, if the visible part of a card is enough and fits well enough."""
        if match.flaw >= min(most_flaw, match.apart) or match.likeness < PART_LIKENESS:
            return seen
        if share(visible, match.corners) < LEAST_SEEN or self._faces.shown(match, visible) < LEAST_SHOWN:
            return seen
        return self._with_one(seen, match, pyramid)

    def _with_one(self, seen: list[Sighting], match: Match, pyramid: Pyramid) -> list[Sighting]:
        """The sightings with one more, unless that is none, or is where another is."""
        found = self._sighting(match)
        if found.card == UNKNOWN or not sane(found.corners, pyramid.levels[0].shape):
            return seen
        others = [s for s in seen if s.card != UNKNOWN or overlap(s.corners, found.corners) < 0.5]
        if any(overlap(s.corners, found.corners) > 0.7 for s in others):
            return seen
        free = Guess(match.corners, match.corners).under([s.corners for s in others])
        plainly = match.flaw < PLAINLY * match.apart
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


def _no_screen(frame: Bgr, seen: Sighting, others: Sequence[Quad] = ()) -> Sighting:
    """The sighting; "unknown" if a telephone shows it, and not one of the other cards is in the way."""
    if seen.card in {"", UNKNOWN} or not on_screen(frame, seen.corners, others):
        return seen
    why = None if seen.why is None else replace(seen.why, refused=Refusal.SCREEN)
    return replace(seen, card=UNKNOWN, why=why)


def one_thread() -> None:
    """Keep OpenCV to the thread it is called in: the loop needs the other processors."""
    cv2.setNumThreads(1)


class _Plain:
    """A recogniser whose answers are plain dictionaries, for scripts that score it."""

    def __init__(self, recogniser: Recogniser) -> None:
        self._recogniser = recogniser

    def recognise(self, frame: Bgr) -> list[dict[str, object]]:
        return [
            {"card": s.card, "corners": s.corners.tolist(), "score": s.confidence}
            for s in self._recogniser.recognise(frame)
            if s.card != UNKNOWN
        ]


def factory(refs: Sequence[tuple[str, Bgr]], *, complete: bool = True) -> _Plain:
    """A recogniser of (card id, (height, width, 3) picture) pairs, as a scoring script wants it.

    `complete`: the print has no other cards than these.
    """
    from companion.vision.decks import enrol  # noqa: PLC0415

    return _Plain(Recogniser(enrol(refs, complete=complete)))
