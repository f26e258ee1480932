"""Recognises the cards of one deck in a picture or in one place of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial

import cv2
import numpy as np
from numpy.typing import ArrayLike

from companion.core.observations import UNKNOWN
from companion.vision.acceptance import (
    DEFAULT_CURVE,
    MAX_INDEX_AMBIGUITY,
    UNMOVED_MAX_FLAW,
    MatchJudgement,
    ProbabilityCurve,
    RejectionReason,
    judge_match,
    unmoved_flaw_limit,
)
from companion.vision.comparison import FaceMatch
from companion.vision.corner_indices import CornerIndexReading, CornerIndices
from companion.vision.covered_cards import (
    MIN_COVERED_SHARE,
    MIN_INDEX_LIKENESS,
    CoveredCardReader,
    covering_outlines,
    is_same_place,
    visible_share,
)
from companion.vision.decks import Deck, load_features
from companion.vision.outline_reading import (
    CERTAIN_CORRELATION,
    LOCATED_PART_MAX_FLAW,
    MAX_TRIES,
    MIN_CORRELATION,
    PART_MAX_FLAW,
    PART_MIN_LIKENESS,
    SAME_GUESS_DISTANCE,
    FittedCard,
    OutlineReader,
    SearchRecord,
    Sighting,
    merge_sightings,
    select_unread_places,
)
from companion.vision.outlines import (
    Bgr,
    Contours,
    Pyramid,
    Quad,
    differs_from_surroundings,
    find_outlines,
    is_plausible_card,
    overlap_share,
    sort_clockwise,
    upright_corner_orders,
)
from companion.vision.paper_colour import is_mostly_paper
from companion.vision.partial_cards import MAX_VISIBLE_SHARE, MIN_VISIBLE_SHARE, PartialCardGuess
from companion.vision.phone_screen_filter import is_on_phone_screen
from companion.vision.photometric_error import Floats
from companion.vision.picture_analysis import PictureAnalysis
from companion.vision.pictures import check_picture, check_picture_size, to_quad
from companion.vision.touching_cards import cards_in_corners, neighbour_places


def with_rejected_sightings(
    looked: SearchRecord,
    told: Sequence[Sighting],
    judged: Callable[[FaceMatch], Sighting],
    cards: Sequence[str],
) -> list[Sighting]:
    """What is `told` of a picture and, as the card "", what was given up: outlines, then covered cards.

    Of each place where covered cards were fitted, the one that is most alike. `cards` has of each picture its
    card.
    """
    covered: list[Sighting] = []
    for one in sorted(looked.fitted, key=_likeness_of, reverse=True):
        if not any(is_same_place(one.corners, other.corners) for other in (*told, *covered)):
            covered.append(Sighting("", one.corners, 0.0, _rejection_of(one, judged, cards)))
    return [*merge_sightings(looked.rejected_outlines, told), *covered]


def _likeness_of(one: FittedCard) -> float:
    """How like the card it is, at most 1."""
    if one.match is not None:
        return one.match.likeness
    return one.index.best_likeness if one.index else 0.0


def _rejection_of(
    one: FittedCard, judged: Callable[[FaceMatch], Sighting], cards: Sequence[str]
) -> MatchJudgement:
    """Why a place where a covered card was fitted holds none that could be told."""
    if one.match is None:
        note = _index_problem(one.index)
        return MatchJudgement(
            cards[one.face], "", 1.0, 0.0, 1.0, 1.0, _likeness_of(one), 1.0, RejectionReason.COVERED, note
        )
    why = judged(one.match).why
    assert why is not None
    most = min(one.most, why.apart)
    if why.flaw >= most:
        note = f"what shows differs by {why.flaw:.3f} (at most {most:.3f} for a part)"
    elif why.likeness < PART_MIN_LIKENESS:
        note = (
            f"what shows has a likeness of {why.likeness:.2f} (at least {PART_MIN_LIKENESS:.2f} for a part)"
        )
    else:
        note = "too little of it shows, or a card is there that was read"
    return replace(why, refused=RejectionReason.COVERED, note=note)


def _index_problem(index: CornerIndexReading | None) -> str:
    """What is wrong with the index that should name a card."""
    if index is None:
        return "its index is not there, or can't be read"
    if index.best_likeness < MIN_INDEX_LIKENESS:
        return f"its index has a likeness of {index.best_likeness:.2f} (at least {MIN_INDEX_LIKENESS:.2f})"
    if index.ambiguity > MAX_INDEX_AMBIGUITY:
        limit = f"at most {MAX_INDEX_AMBIGUITY:.2f}"
        return f"another card's index is nearly as good ({index.ambiguity:.2f}, {limit})"
    return "its index fits, but not what else shows of it"


MAX_SIDE = 3200
"""Longer side in pixels beyond which a picture is reduced: the smallest card still has all its detail."""
MAX_PART_GUESSES = 8
"""Most guesses at covered cards that are looked at closely."""
MAX_OVERLAP_WITH_READ, MAX_OVERLAP_WITH_UNKNOWN = 0.75, 0.9
"""Part of a guess at a covered card that may be on a whole card, or on what may be a part as well."""
CLEAR_FLAW_FACTOR = 0.25
"""The part of that limit below which a card is believed though its index shows and cannot be read."""
MIN_VISIBLE_PRINT = 0.05
"""Part of a face's print, by its strength, that must be seen: bare paper is like bare cloth."""
MIN_CORNER_CORRELATION, MAX_CORNER_TRIES = 0.65, 3
"""Correlation at the ranking's size from which a card in a corner of what is larger is read."""
MAX_PRINT_ROUNDS = 3
"""How often the print is searched again after it has found cards."""
MIN_FEATURE_AREA = 0.2
"""Part of a card's area that few features must go round: two pictures may share a pair of eyes."""
OBSTRUCTED_FLAW, MIN_OBSTRUCTED_VOTES = 0.8, 20
"""A flaw that is not of the print but of a thing on it; then this many features must still agree."""
MIN_FILLED_SHARE = 0.3
"""Least part of a place that a card in it fills."""


class Recogniser:
    """Reads pictures against one deck; keeps no state between pictures."""

    def __init__(self, deck: Deck, curve: ProbabilityCurve = DEFAULT_CURVE) -> None:
        """`curve` gives the chance that a reading is right from how well it fits."""
        self._deck = deck
        self._curve = curve
        cards = deck.cards_of_pictures
        self._faces, self._landmarks, self._marks = load_features(deck.pictures, cards, deck.trained_features)
        self._indices = CornerIndices(self._faces.pictures, cards)
        self._search = OutlineReader(self._faces, self._indices, self._to_sighting)
        self._of_paper = is_mostly_paper(self._faces.pictures)
        self._first = {card: cards.index(card) for card in deck.cards}
        self._lying = {cards[at] for at, lies in enumerate(deck.lying) if lies}

    @cached_property
    def _extra_finders(self) -> Sequence[Callable[[PictureAnalysis, list[Sighting]], list[Sighting]]]:
        """The ways to find more cards than those with an outline, as far as they suit this deck."""
        ways = [self._add_in_corners, self._add_topmost]
        if self._marks.usable and not self._landmarks.usable:
            ways.append(self._add_by_print_detail)
        if self._indices.usable:
            ways.append(self._add_by_index)
        ways.append(self._add_covered)
        if self._landmarks.usable:
            ways.append(self._add_by_local_features)
        return ways

    def recognise(self, frame: Bgr, *, explain: bool = False) -> list[Sighting]:
        """All cards that are in the picture; those that are surely cards but not the deck's as "unknown".

        `frame`: (height, width, 3) uint8, BGR. `explain`: the outlines besides that were read and given up,
        as the card "".
        """
        scale = MAX_SIDE / max(check_picture(frame).shape[:2])
        if scale < 1:
            size = (max(1, round(frame.shape[1] * scale)), max(1, round(frame.shape[0] * scale)))
            small = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
            grow = np.array(frame.shape[1::-1], np.float32) / np.array(size, np.float32)
            seen = self.recognise(small, explain=explain)
            return [replace(s, corners=np.asarray(s.corners * grow, np.float32)) for s in seen]
        shot = PictureAnalysis(frame, of_paper=self._of_paper)
        whole = self._search.read_outlines(
            shot.pyramid, find_outlines(shot.contours, self._faces.aspect), looked=shot.record
        )
        for more in self._extra_finders:
            if not shot.may_hold_more([s.corners for s in whole]):
                break
            whole = more(shot, whole)
        whole = self._add_neighbours(shot, whole)
        told = [
            _reject_phone_screen(frame, seen, [s.corners for s in whole if s is not seen]) for seen in whole
        ]
        shot.excluded.clear()  # which refer to the shot: else its pictures wait for the garbage collector
        return (
            with_rejected_sightings(shot.record, told, self._to_sighting, self._faces.cards)
            if explain
            else told
        )

    def read_place(self, frame: Bgr, quad: ArrayLike, *, before: Sighting | None = None) -> Sighting:
        """What is in one known place: a quadrilateral, (4, 2) pixels, that a card may fill or be in.

        `before`: what was seen there last, which is looked for first.
        """
        place = sort_clockwise(to_quad(quad))
        image = check_picture_size(frame)
        reach = 0.2 * float(np.linalg.norm(place.max(axis=0) - place.min(axis=0)))
        low = np.clip(np.floor(place.min(axis=0) - reach), 0, None).astype(int)
        high = np.ceil(place.max(axis=0) + reach).astype(int)
        part = image[low[1] : high[1], low[0] : high[0]]
        empty = Sighting("", place, 0.0)
        if min(part.shape[:2]) < 8:
            return empty
        offset = low.astype(np.float32)
        pyramid = Pyramid(part)
        if before is not None and (again := self._recheck(pyramid, before, offset)) is not None:
            return _reject_phone_screen(image, again)
        found = self._search_place(pyramid, place - offset)
        if not found:
            return empty
        return _reject_phone_screen(image, replace(found[0], corners=found[0].corners + offset))

    def _search_place(self, part: Pyramid, place: Quad) -> list[Sighting]:
        """What is in a place of this part of a picture, likeliest first; nothing if that is bare."""
        faces = self._faces
        direct = upright_corner_orders(place, faces.aspect)
        found = self._search.read_outlines(part, direct, most=1)
        if found and (why := found[0].why) and not why.refused and why.flaw < UNMOVED_MAX_FLAW:
            return found  # with more, its own outline may tell that it is another
        least = MIN_FILLED_SHARE * cv2.contourArea(place)
        sought = [
            quad
            for quad in find_outlines(Contours.of(part), faces.aspect)
            if overlap_share(quad, place) > 0.5
            and cv2.contourArea(quad) > least
            and differs_from_surroundings(part, quad)
        ]
        found = self._search.read_outlines(part, [*direct, *sought]) or found
        # What stands out nowhere is no card; what does may run together with something that touches it.
        for start in direct if sought and (not found or found[0].card == UNKNOWN) else ():
            near, ranked, common = faces.ranking.rank_shifted(part, start)
            laid = self._search.read_ranked(part, near, ranked, common)
            if laid and laid[0].card != UNKNOWN:
                return laid
        return found or [Sighting(UNKNOWN, quad, 0.0) for quad in sought[:1]]

    def _recheck(self, part: Pyramid, before: Sighting, offset: Floats) -> Sighting | None:
        """The card that was seen before, if it is plainly still there; `offset` is where `part` begins."""
        face = self._first.get(before.card)
        if face is None:
            return None
        corners = np.roll(before.corners, -1, axis=0) if self._deck.lying[face] else before.corners
        there = np.asarray(corners - offset, np.float32)
        match = self._faces.match_again(part, there, face, unmoved_flaw_limit(before.why))
        seen = self._to_sighting(match)
        if seen.card == UNKNOWN or match.flaw >= UNMOVED_MAX_FLAW:
            return None
        return replace(seen, corners=seen.corners + offset)

    def _add_in_corners(self, shot: PictureAnalysis, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and the cards of rows and grids of which none was seen."""
        known = [s.corners for s in seen if s.card != UNKNOWN]
        places = cards_in_corners(shot.contours, self._faces.aspect, known)
        found = self._search.read_outlines(
            shot.pyramid, places, most=MAX_CORNER_TRIES, least=MIN_CORNER_CORRELATION
        )
        return merge_sightings(seen, [s for s in found if s.card != UNKNOWN])

    def _add_neighbours(self, shot: PictureAnalysis, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and the cards that touch them edge to edge, those that touch them, and so on."""
        answer, fresh = seen, seen
        while fresh := [s for s in fresh if s.card != UNKNOWN]:
            known = [s.corners for s in answer if s.card != UNKNOWN]
            places = neighbour_places(shot.pyramid, [s.corners for s in fresh], known, self._faces.aspect)
            fresh = self._search.read_outlines(
                shot.pyramid, places, looked=shot.record, least=CERTAIN_CORRELATION
            )
            answer = merge_sightings(answer, fresh)
        return answer

    def _add_topmost(self, shot: PictureAnalysis, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and the cards whose outline runs together with that of what is below.

        What is surely a card but none of the deck covers others as well, so it is kept as "unknown".
        """
        known = [s.corners for s in seen if s.card != UNKNOWN]
        on_top = shot.partial_cards(self._faces.aspect).topmost_outlines(known)
        places = select_unread_places(shot.record.quads, on_top, SAME_GUESS_DISTANCE)
        # In a picture full of print nothing but a known card tells which sides are a card's.
        plain = bool(known) or not self._landmarks.usable or len(places) <= MAX_PART_GUESSES
        least = None if plain else CERTAIN_CORRELATION
        found = self._search.read_outlines(
            shot.pyramid, places, looked=shot.record, most=MAX_PART_GUESSES, least=least
        )
        answer = merge_sightings(seen, [s for s in found if s.card != UNKNOWN])
        for one in sorted((s for s in found if plain and s.card == UNKNOWN), key=lambda s: -s.confidence):
            if all(overlap_share(one.corners, other.corners) < MIN_COVERED_SHARE for other in answer):
                answer.append(one)
                shot.record.on_top.append(one.corners)
        return answer

    def _add_by_print_detail(self, shot: PictureAnalysis, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and what the cards' print finds besides; the first finds give the plane."""
        answer, looked = list(seen), SearchRecord()
        for _ in range(MAX_PRINT_ROUNDS):
            read = [s for s in answer if s.card != UNKNOWN]
            known = [s.corners for s in read]
            portraits = [self._portrait_corners(s) for s in read]
            places = self._marks.find_cards(
                shot.contours, portraits, shot.shape, shot.possible_card_area(known)
            )
            places = [places[at] for at in shot.likely_card_places(places, known)]
            places = select_unread_places(looked.quads, places)
            found = self._search.read_outlines(shot.pyramid, places, looked=looked, least=CERTAIN_CORRELATION)
            found = [s for s in found if s.card != UNKNOWN]
            if not found:
                break
            answer = merge_sightings(answer, found)
        return answer

    def _portrait_corners(self, seen: Sighting) -> Quad:
        """The corners of a card that was read, begun as its picture is kept; which side is its top is known.

        The sides do not tell it: a card that is believed may be squashed further than an outline to be read.
        """
        own = np.roll(seen.corners, -1, axis=0) if seen.card in self._lying else seen.corners
        # Which end comes first is all one, but let it be the one that comes first in the picture.
        return own if (sort_clockwise(own)[:2] == own[0]).all(axis=1).any() else np.roll(own, 2, axis=0)

    def _add_by_index(self, shot: PictureAnalysis, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and the cards partly under them, named by indices: lines first, then edges."""
        known = [s.corners for s in seen if s.card != UNKNOWN]
        named = CoveredCardReader(self._faces, self._indices, shot)
        shot.excluded.append(named.is_excluded)
        seen = self._add_under_covers(shot, seen, named.read_by_lines)
        if not known or not shot.may_hold_more([s.corners for s in seen]):
            return seen
        covers, known = known, [s.corners for s in seen if s.card != UNKNOWN]
        places = shot.outlines_from_edges(self._faces.aspect, covers, known)
        likely = [places[at] for at in shot.likely_card_places(places, known)]
        places = [q for q in likely if all(overlap_share(q, k) < 0.5 for k in known)]
        places = select_unread_places(shot.record.quads, places, SAME_GUESS_DISTANCE)
        found = self._search.read_outlines(
            shot.pyramid, places, looked=shot.record, least=CERTAIN_CORRELATION
        )
        seen = merge_sightings(seen, [s for s in found if s.card != UNKNOWN])
        return self._add_under_covers(shot, seen, named.read_by_edges)

    def _add_under_covers(
        self, shot: PictureAnalysis, seen: list[Sighting], under: Callable[[Sequence[Quad]], list[FaceMatch]]
    ) -> list[Sighting]:
        """The sightings and those that are named under the cards among them."""
        covers = covering_outlines([(s.corners, s.card != UNKNOWN) for s in seen])
        told = [
            s
            for s in map(self._to_sighting, under(covers))
            if s.card != UNKNOWN and is_plausible_card(s.corners, shot.shape)
        ]
        # A fan's cards are nearly on one another, but an "unknown" there was no card by itself.
        cards = [
            s
            for s in seen
            if s.card != UNKNOWN or all(overlap_share(s.corners, t.corners) < 0.5 for t in told)
        ]
        return [*cards, *told]

    def _add_covered(self, shot: PictureAnalysis, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and what can be read of cards that are partly under them, or under something else."""
        if self._landmarks.usable and all(s.card == UNKNOWN for s in seen):
            return seen
        faces, answer = self._faces, list(seen)
        known = [s.corners for s in seen if s.card != UNKNOWN]
        parts = shot.partial_cards(faces.aspect).covered_guesses(known)
        parts = [g for g in parts if not any(excludes(g.quad) for excludes in shot.excluded)]
        parts = [parts[at] for at in shot.likely_card_places([g.quad for g in parts], known)]
        shown = [g.visibility_under(known)(g.quad, faces.ranking.scale.size) for g in parts]
        covered = [at for at, v in enumerate(shown) if MIN_VISIBLE_SHARE < v.mean() < MAX_VISIBLE_SHARE]
        if not covered:
            return answer
        parts, shown = [parts[at] for at in covered], [shown[at] for at in covered]
        ranked = faces.ranking.rank_parts(shot.pyramid, [g.quad for g in parts], shown)
        best = ranked.max(axis=(0, 2))
        tried: list[PartialCardGuess] = []
        likeliest = np.argsort(-best)[:MAX_PART_GUESSES]
        for at in likeliest[best[likeliest] >= MIN_CORRELATION]:
            part = parts[at]
            taken = [
                (s.corners, MAX_OVERLAP_WITH_UNKNOWN if s.card == UNKNOWN else MAX_OVERLAP_WITH_READ)
                for s in answer
            ]
            taken += [(quad, MAX_OVERLAP_WITH_READ) for quad in shot.record.on_top]
            same = sum(one.piece is part.piece or is_same_place(one.quad, part.quad) for one in tried)
            if same >= MAX_TRIES or any(overlap_share(part.quad, quad) > most for quad, most in taken):
                continue
            tried.append(part)
            visible = part.visibility_under(known)
            wanted = partial(self._would_add_part, answer, shot=shot, visible=visible)
            match = faces.match_part(shot.pyramid, part.quad, ranked[:, at], visible, wanted)
            if match is not None:
                answer = self._add_part(answer, match, shot.pyramid, visible)
        return answer

    def _add_by_local_features(self, shot: PictureAnalysis, seen: list[Sighting]) -> list[Sighting]:
        """The sightings and what local features find besides, if the deck's faces have enough detail."""
        answer, pyramid = list(seen), shot.pyramid
        known = [s.corners for s in seen if s.card != UNKNOWN]
        for placed in self._landmarks.find_cards(pyramid, known, shot.possible_card_area(known)):
            if any(overlap_share(placed.quad, s.corners) > 0.7 for s in answer if s.card != UNKNOWN):
                continue
            whole = self._search.read_outlines(pyramid, [placed.quad])
            if (
                whole
                and whole[0].card != UNKNOWN
                and is_plausible_card(whole[0].corners, pyramid.levels[0].shape)
            ):
                answer = merge_sightings(answer, whole)
                continue
            match = self._faces.match_face(pyramid, placed.quad, placed.face, placed.area_between_features)
            shot.record.fitted.append(FittedCard(match.face, match.corners, match, LOCATED_PART_MAX_FLAW))
            many = placed.votes >= MIN_OBSTRUCTED_VOTES
            if match.flaw < OBSTRUCTED_FLAW:
                if many or visible_share(placed.area_between_features, match.corners) > MIN_FEATURE_AREA:
                    answer = self._add_part(
                        answer, match, pyramid, placed.area_between_features, LOCATED_PART_MAX_FLAW
                    )
            elif many:
                match = self._faces.match_face(pyramid, placed.quad, placed.face, placed.area_near_features)
                shown = self._faces.visible_print_share(match, placed.area_near_features)
                # This many features say as much as a whole card: its own limit is the only one besides.
                if shown > MIN_VISIBLE_PRINT and match.flaw < match.max_part_flaw:
                    answer = self._add_whole(answer, match, pyramid)
        return answer

    def _would_add_part(
        self, seen: list[Sighting], match: FaceMatch, shot: PictureAnalysis, visible: Callable[..., Floats]
    ) -> bool:
        """Would `_add_part` take it?"""
        shot.record.fitted.append(FittedCard(match.face, match.corners, match, PART_MAX_FLAW))
        return self._add_part(seen, match, shot.pyramid, visible) is not seen

    def _add_part(
        self,
        seen: list[Sighting],
        match: FaceMatch,
        pyramid: Pyramid,
        visible: Callable[..., Floats],
        most_flaw: float = PART_MAX_FLAW,
    ) -> list[Sighting]:
        """The sightings with one more, if the visible part of a card is enough and fits well enough."""
        if match.flaw >= min(most_flaw, match.max_part_flaw) or match.likeness < PART_MIN_LIKENESS:
            return seen
        if self._faces.visible_print_share(match, visible) < MIN_VISIBLE_PRINT:
            return seen
        return self._add_whole(seen, match, pyramid)

    def _add_whole(self, seen: list[Sighting], match: FaceMatch, pyramid: Pyramid) -> list[Sighting]:
        """The sightings with one more, unless that is none, or is where another is."""
        found = self._to_sighting(match)
        if found.card == UNKNOWN or not is_plausible_card(found.corners, pyramid.levels[0].shape):
            return seen
        others = [s for s in seen if s.card != UNKNOWN or overlap_share(s.corners, found.corners) < 0.5]
        if any(overlap_share(s.corners, found.corners) > 0.7 for s in others):
            return seen
        free = PartialCardGuess(match.corners, match.corners).visibility_under([s.corners for s in others])
        plainly = match.flaw < CLEAR_FLAW_FACTOR * match.max_part_flaw
        if not self._indices.is_consistent_with(pyramid, match, free, plainly=plainly):
            return seen
        return [*others, found]

    def _to_sighting(self, match: FaceMatch) -> Sighting:
        """The match judged: the card, or "unknown"."""
        corners = np.roll(match.corners, 1, axis=0) if self._deck.lying[match.face] else match.corners
        why = judge_match(match, self._deck.limits, self._deck.owners[match.face], self._faces.cards)
        if not why.refused:
            return Sighting(why.card, corners, self._curve.probability(why.doubt), why)
        return Sighting(UNKNOWN, corners, max(0.0, match.likeness), why)


def _reject_phone_screen(frame: Bgr, seen: Sighting, others: Sequence[Quad] = ()) -> Sighting:
    """The sighting; "unknown" if a telephone shows it, and not one of the other cards is in the way."""
    if seen.card in {"", UNKNOWN} or not is_on_phone_screen(frame, seen.corners, others):
        return seen
    why = None if seen.why is None else replace(seen.why, refused=RejectionReason.PHONE_SCREEN)
    return replace(seen, card=UNKNOWN, why=why)


def limit_opencv_to_one_thread() -> None:
    """Keep OpenCV to the thread it is called in: the loop needs the other processors."""
    cv2.setNumThreads(1)


class _DictRecogniser:
    """A recogniser whose answers are plain dictionaries, for scripts that score it."""

    def __init__(self, recogniser: Recogniser) -> None:
        self._recogniser = recogniser

    def recognise(self, frame: Bgr) -> list[dict[str, object]]:
        return [
            {"card": s.card, "corners": s.corners.tolist(), "score": s.confidence}
            for s in self._recogniser.recognise(frame)
            if s.card != UNKNOWN
        ]


def make_scored_recogniser(refs: Sequence[tuple[str, Bgr]], *, complete: bool = True) -> _DictRecogniser:
    """A recogniser of (card id, (height, width, 3) picture) pairs, as a scoring script wants it.

    `complete`: the print has no other cards than these.
    """
    from companion.vision.decks import build_deck  # noqa: PLC0415

    return _DictRecogniser(Recogniser(build_deck(refs, complete=complete)))
