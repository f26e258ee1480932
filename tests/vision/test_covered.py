"""Cards of which little more than the index in a corner shows are read by it, and no sister is."""

from __future__ import annotations

import gc
import weakref

import cv2
import numpy as np
import pytest

from companion.core.observations import UNKNOWN
from companion.referee.reading_threshold import MIN_INFRACTION_PROBABILITY, MIN_LEGAL_PROBABILITY
from companion.vision import covered_cards
from companion.vision.acceptance import (
    DEFAULT_CURVE,
    MAX_INDEX_AMBIGUITY,
    RejectionReason,
    Thresholds,
    judge_match,
)
from companion.vision.comparison import FaceMatch
from companion.vision.covered_cards import CoveredCardReader
from companion.vision.decks import build_deck
from companion.vision.face_matching import EnrolledFaces
from companion.vision.outlines import Pyramid
from companion.vision.picture_analysis import PictureAnalysis
from companion.vision.recogniser import Recogniser
from tests.vision.drawn import HEIGHT, WIDTH, Picture, cards, cloth, corners, lay
from tests.vision.playing_cards import deck, names, pair, playing, recogniser, without


@pytest.mark.parametrize(
    ("shift", "degrees"), [((60, 40), 8), ((75, -15), -12), ((-65, 45), 15), ((50, 75), -20)]
)
def test_a_covered_card_is_read_by_its_index_and_what_else_shows(
    shift: tuple[float, float], degrees: float
) -> None:
    assert names(pair("k5", "d8", shift, degrees), recogniser()) == ["d8", "k5"]


def test_a_picture_is_let_go_when_it_was_read_and_waits_for_no_garbage_collector() -> None:
    gc.disable()
    try:
        table = pair("k5", "d8", (60, 40), 8)
        there = weakref.ref(table)
        assert names(table, recogniser()) == ["d8", "k5"]
        del table
        assert there() is None
    finally:
        gc.enable()


def test_a_fan_is_read_though_each_card_but_one_shows_a_strip() -> None:
    # Where paper lies on paper the edge of the upper one shows faintly.
    shown = {
        card: cv2.rectangle(picture, (0, 0), (WIDTH - 1, HEIGHT - 1), (200,) * 3) for card, picture in deck()
    }
    table, held = cloth(), ("k3", "d7", "k8", "d4")
    for place, card in enumerate(held):
        lay(table, shown[card], corners((330 + 52 * place, 300), 210, 4.0 * place - 6))
    lay(table, shown["d9"], corners((800, 300), 210, 5))  # tells how large the others are
    assert names(table, Recogniser(build_deck(list(shown.items())))) == sorted((*held, "d9"))


@pytest.mark.parametrize(
    "card", ["k5", *(pytest.param(card, marks=pytest.mark.long) for card in ("k6", "d3", "d8"))]
)
def test_a_covered_card_that_was_never_shown_is_not_taken_for_the_sister_whose_parts_it_shares(
    card: str,
) -> None:
    for shift, degrees in (((60, 40), 8), ((75, -15), -12), ((50, 75), -20)):
        told = names(pair(card, "k2", shift, degrees), without(card))
        assert [name for name in told if name != UNKNOWN] == ["k2"]


def test_where_a_covered_card_was_fitted_in_vain_it_is_explained_once_and_only_if_asked() -> None:
    table, reader = pair("k5", "k2", (60, 40), 8), without("k5")
    plain = reader.recognise(table)
    told = reader.recognise(table, explain=True)
    assert [one.card for one in plain] == [one.card for one in told if one.card]
    under = [one for one in told if one.why is not None and one.why.refused == RejectionReason.COVERED]
    assert under
    assert {one.card for one in under} == {""}
    assert all("partly covered, most like " in str(one.why) for one in under)
    near = [one for one in under if np.abs(one.corners.mean(axis=0) - (430, 300)).max() < 30]
    assert len(near) == 1
    assert not any(covered_cards.is_same_place(one.corners, top.corners) for one in under for top in plain)


def test_a_covered_card_that_is_read_is_explained_as_that_and_as_nothing_else() -> None:
    told = recogniser().recognise(pair("k5", "d8", (60, 40), 8), explain=True)
    assert sorted(one.card for one in told if one.card) == ["d8", "k5"]
    (lower,) = (one for one in told if one.card == "k5")
    assert not any(
        covered_cards.is_same_place(one.corners, lower.corners) for one in told if one is not lower
    )


def test_a_guess_is_not_fitted_where_its_index_is_nearly_as_like_another_card(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader, fits, counted = without("k5"), EnrolledFaces.fit_face, []
    monkeypatch.setattr(EnrolledFaces, "fit_face", lambda *asked: counted.append(asked) or fits(*asked))

    def fitted(unlike_next: float) -> int:
        monkeypatch.setattr(covered_cards, "MAX_COARSE_AMBIGUITY", unlike_next)
        counted.clear()
        assert [name for name in names(pair("k5", "k2", (50, 75), -20), reader) if name != UNKNOWN] == ["k2"]
        return len(counted)

    assert 0 < fitted(covered_cards.MAX_COARSE_AMBIGUITY) < fitted(float("inf"))


@pytest.mark.parametrize(("shift", "degrees"), [((60, 80), 0), ((70, -90), 12)])
def test_a_card_under_one_that_was_never_shown_is_read_and_that_one_is_unknown(
    shift: tuple[float, float], degrees: float
) -> None:
    assert names(pair("k2", "d6", shift, degrees), without("d6")) == ["k2", UNKNOWN]


def test_nothing_of_a_whole_card_that_lies_on_others_is_read_as_a_part() -> None:
    table, reader = pair("k5", "d8", (75, -15), -12), recogniser()
    on_top = [seen for seen in reader.recognise(table) if seen.card == "d8"]
    for places, found in (([], ["d8", "k5"]), ([corners((430, 300), 210, -12)], ["d8"])):
        shot = PictureAnalysis(table, of_paper=reader._of_paper)
        shot.record.on_top += places
        assert sorted(seen.card for seen in reader._add_covered(shot, on_top)) == found


def test_indices_are_looked_for_only_where_a_decks_corners_tell_its_cards_apart() -> None:
    assert recogniser()._indices.usable
    assert not Recogniser(build_deck(cards()))._indices.usable  # its corners tell suits alone
    rng = np.random.default_rng(2)
    painted = [
        (str(n), cv2.GaussianBlur(rng.integers(0, 256, (240, 160, 3), np.uint8), (0, 0), 3)) for n in range(8)
    ]
    assert not Recogniser(build_deck(painted))._indices.usable  # pictures all over, no ink on paper


def test_one_look_at_a_guess_reads_its_index_either_way_up() -> None:
    table, where, indices = cloth(), corners((430, 300), 210, 8), recogniser()._indices
    lay(table, playing("7", "k"), where)
    frame, cards = Pyramid(table), recogniser()._faces.cards
    for quad in (where, np.roll(where, 2, axis=0)):
        both = indices.read_coarse(frame, quad, lambda _, size: np.ones(size[::-1], np.float32))
        assert [cards[index.face] for index in both if index is not None] == ["k7", "k7"]
    half = np.ones((90, 64), np.float32)
    half[:45] = 0  # of a card of which the lower half shows, only one end is read
    seen = indices.read_coarse(frame, where, lambda _, size: cv2.resize(half, size).astype(np.float32))
    assert [cards[index.face] for index in seen if index is not None] == ["k7", "k7"]
    assert indices.read_coarse(frame, where, lambda _, size: np.zeros(size[::-1], np.float32)) == [None, None]


def test_a_part_is_not_compared_where_its_index_says_that_it_is_no_card_of_the_deck() -> None:
    table, reader = pair("k5", "k2", (60, 40), 8), without("k5")
    shot, asked = PictureAnalysis(table, of_paper=reader._of_paper), []
    on_top = [seen for seen in reader.recognise(table) if seen.card == "k2"]
    shot.excluded.append(lambda place: not asked.append(place))
    assert reader._add_covered(shot, on_top) == on_top
    assert asked


def test_an_index_that_is_read_but_for_a_sister_as_like_excludes_nothing() -> None:
    for card, blur, excluded in (("k8", 1, False), ("k8", 1.5, False), ("k2", 0, True)):
        table = pair(card, "d2", (60, 40), 8)
        reader = recogniser() if not excluded else without(card)
        shot = PictureAnalysis(
            cv2.GaussianBlur(table, (0, 0), blur) if blur else table, of_paper=reader._of_paper
        )
        named = CoveredCardReader(reader._faces, reader._indices, shot)
        assert named.read_by_lines([corners((490, 340), 210, 0)]) == []
        assert shot.record.fitted
        assert named.is_excluded(corners((430, 300), 210, 8)) is excluded


def test_an_index_that_leads_all_others_excludes_nothing_though_it_is_faint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(covered_cards, "MIN_INDEX_LIKENESS", 1.0)  # it is named by none
    monkeypatch.setattr(covered_cards, "MIN_READABLE_LIKENESS", 1.0)
    reader = recogniser()
    shot = PictureAnalysis(pair("k5", "d8", (60, 40), 8), of_paper=reader._of_paper)
    named = CoveredCardReader(reader._faces, reader._indices, shot)
    assert named.read_by_lines([corners((490, 340), 210, 0)]) == []
    assert named._open
    assert not named.is_excluded(corners((430, 300), 210, 8))


def glossy(table: Picture, at: tuple[int, int], strength: float = 0.6) -> Picture:
    """A table on which a lamp is mirrored: light that is added, uneven as a card's surface is."""
    light = np.zeros(table.shape[:2], np.float32)
    cv2.ellipse(light, at, (52, 120), 12, 0, 360, strength, -1)
    grain = cv2.GaussianBlur(np.random.default_rng(4).normal(0, 1, light.shape), (0, 0), 2)
    light = cv2.GaussianBlur(light, (0, 0), 25) * np.float32(1 + 0.3 * grain / grain.std())
    added = np.float32(255**2) * np.maximum(light, 0)[..., None]
    return np.sqrt(np.clip(np.float32(table) ** 2 + added, 0, 255**2)).round().astype(np.uint8)


def test_a_card_under_gloss_is_read_by_what_the_gloss_leaves() -> None:
    table, where = cloth((50, 70, 100)), corners((470, 310), 230, 12)
    lay(table, np.minimum(playing("7", "d"), 170), where)
    middle = tuple(int(v) for v in where[[1, 2]].mean(axis=0))
    seen = glossy(table, (middle[0], middle[1]))
    assert names(table, without("k2")) == names(seen, without("k2")) == ["d7"]


@pytest.mark.parametrize("card", ["d7", "d8", "k6"])
def test_gloss_does_not_excuse_a_sister_that_was_never_shown(card: str) -> None:
    for at in ((500, 350), (440, 260), (470, 310)):
        table = cloth((50, 70, 100))
        lay(table, np.minimum(dict(deck())[card], 170), corners((470, 310), 230, 12))
        assert [name for name in names(glossy(table, at), without(card)) if name != UNKNOWN] == []


def test_a_named_card_is_no_sister_but_may_still_be_a_stranger() -> None:
    limits, place = Thresholds((0.1,)), corners((300, 300), 200, 0)
    told = [
        judge_match(
            FaceMatch(0, place, 0.95, flaw, rival_flaw=flaw, lead=0.0, index_ambiguity=left),
            limits,
            0,
            ("a",),
        ).refused
        for flaw, left in ((0.11, MAX_INDEX_AMBIGUITY), (0.05, 1.0), (0.2, MAX_INDEX_AMBIGUITY))
    ]
    assert told == [RejectionReason.NONE, RejectionReason.LOOK_ALIKE, RejectionReason.NOT_IN_DECK]


def test_a_small_view_must_be_more_like_a_card_whose_sisters_may_come() -> None:
    partial, complete = Thresholds((0.1,)), Thresholds((0.30,))
    for high, flaw, limits, refused in (
        (300, 0.09, partial, RejectionReason.NONE),
        (140, 0.09, partial, RejectionReason.NOT_IN_DECK),
        (140, 0.05, partial, RejectionReason.NONE),
        (80, 0.06, partial, RejectionReason.NOT_IN_DECK),
        (80, 0.25, complete, RejectionReason.NONE),
    ):
        match = FaceMatch(0, corners((300, 300), high, 0), 0.95, flaw)
        assert judge_match(match, limits, 0, ("a",)).refused is refused


def test_a_card_that_only_its_index_names_accuses_nobody() -> None:
    flat = np.array([(0, 0), (10, 0), (10, 14), (0, 14)], np.float32)
    match = FaceMatch(face=0, corners=flat, likeness=0.9, flaw=0.01, rival_face=1, index_ambiguity=0.0)
    why = judge_match(match, Thresholds(flaws=(0.2, 0.2)), 0, ("5d", "8d"))
    assert why.refused is RejectionReason.NONE
    assert MIN_LEGAL_PROBABILITY <= DEFAULT_CURVE.probability(why.doubt) < MIN_INFRACTION_PROBABILITY
