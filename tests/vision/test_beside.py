"""Where a covered card may be: straight edges beside the known ones, and paper that is none of theirs."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.core.observations import UNKNOWN
from companion.vision.covered_cards import overlap_matrix
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import Pyramid, overlap_share
from companion.vision.paper_colour import PaperMap, is_mostly_paper
from companion.vision.partial_cards import PartialCards
from companion.vision.picture_analysis import PictureAnalysis, StraightEdges, outlines_from_edges
from tests.vision.drawn import HEIGHT, WIDTH, corners, lay
from tests.vision.playing_cards import deck, names, pair, playing, recogniser, without


def test_edges_that_meet_square_say_where_the_covered_card_lies() -> None:
    cover, covered = corners((490, 340), 210, 0), corners((430, 300), 210, 8)
    table = pair("k5", "d8", (60, 40), 8)
    places = outlines_from_edges(
        StraightEdges(Pyramid(table)).find_edges([cover]), table.shape, HEIGHT / WIDTH, [cover]
    )
    off = [np.abs(np.roll(place, turn, axis=0) - covered).max() for place in places for turn in (0, 2)]
    assert min(off) < 6


def test_each_card_has_the_places_beside_it_that_it_has_alone() -> None:
    table, cover, lone = (
        pair("k5", "d8", (60, 40), 8),
        corners((490, 340), 210, 0),
        corners((830, 300), 210, 12),
    )
    lay(table, playing("9", "d"), corners((800, 260), 210, 5))
    lay(table, playing("4", "k"), lone)
    edges = StraightEdges(Pyramid(table)).find_edges([cover, lone])
    off = np.stack([np.linalg.norm(edges.mean(axis=1) - card.mean(axis=0), axis=1) for card in (cover, lone)])
    own = [outlines_from_edges(edges[off.argmin(axis=0) == at], table.shape, HEIGHT / WIDTH, [card])
           for at, card in enumerate((cover, lone))]  # fmt: skip
    assert all(own)
    both = outlines_from_edges(edges, table.shape, HEIGHT / WIDTH, [cover, lone])
    assert np.array_equal(both, np.concatenate(own))


def test_edges_are_sought_once_and_none_inside_the_cards_that_were_read() -> None:
    table, cover = pair("k5", "d8", (60, 40), 8), corners((490, 340), 210, 0)
    edges = StraightEdges(Pyramid(table))
    found = edges.find_edges([cover])
    assert len(found) == len(edges.find_edges([cover])) > 2
    inside = cover.mean(axis=0) + 0.9 * (cover - cover.mean(axis=0))
    assert all(cv2.pointPolygonTest(inside, edge.mean(axis=0).tolist(), False) < 0 for edge in found)


def test_edges_are_sought_as_far_off_as_paper_may_be() -> None:
    table, far = pair("k5", "d8", (60, 40), 8), corners((800, 300), 210, 5)
    lay(table, playing("9", "d"), far)
    found = StraightEdges(Pyramid(table)).find_edges([corners((490, 340), 210, 0)])
    sides = (far + np.roll(far, -1, axis=0)) / 2
    off = np.linalg.norm(found.mean(axis=1)[:, None] - sides, axis=2).min(axis=0)
    assert off.max() < 30


def test_edges_are_not_sought_where_the_lines_explain_all_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    sought: list[int] = []
    near = StraightEdges.find_edges
    monkeypatch.setattr(StraightEdges, "find_edges", lambda *asked: sought.append(1) or near(*asked))
    assert names(pair("k5", "d8", (75, -15), -12), recogniser()) == ["d8", "k5"]
    assert not sought
    assert names(pair("k5", "k2", (60, 40), 8), without("k5"))
    assert sought


def test_an_outline_that_was_not_read_hides_no_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    table, reader = pair("k5", "d8", (120, 160), 8), recogniser()
    lay(table, playing("9", "d"), corners((800, 300), 210, 5))  # paper is left beside the two
    shot = PictureAnalysis(table, of_paper=reader._of_paper)
    on_top = [seen for seen in reader.recognise(table) if seen.card == "d8"]
    monkeypatch.setattr(PartialCards, "covered_guesses", lambda *_: [])  # lines show nothing
    unread = Sighting(UNKNOWN, corners((430, 300), 210, 8), 0.6)
    assert "k5" in {seen.card for seen in reader._add_by_index(shot, [*on_top, unread])}


def test_many_cards_overlap_as_each_pair_of_them_does() -> None:
    rng = np.random.default_rng(3)
    ones, others = (
        [corners(tuple(rng.uniform(0, 600, 2)), 210, float(rng.uniform(0, 90))) for _ in range(n)]
        for n in (9, 5)
    )
    each = [[overlap_share(one, other) for other in others] for one in ones]
    assert 0 < np.count_nonzero(each) < 45
    assert np.array_equal(overlap_matrix(ones, others), each)
    assert overlap_matrix(ones, []).shape == (9, 0)


def test_where_no_paper_is_left_no_more_cards_are_looked_for() -> None:
    table, upper = pair("k5", "d8", (60, 40), 8), corners((490, 340), 210, 0)
    lower = corners((430, 300), 210, 8)
    assert is_mostly_paper([card for _, card in deck()])
    assert PaperMap(Pyramid(table)).has_unexplained_paper([upper])
    assert not PaperMap(Pyramid(table)).has_unexplained_paper([upper, lower])
    assert PaperMap(Pyramid(table)).has_unexplained_paper([])


def test_what_known_cards_leave_is_the_same_however_they_became_known() -> None:
    table, first, second = (
        pair("k5", "d8", (60, 40), 8),
        corners((490, 340), 210, 0),
        corners((430, 300), 210, 8),
    )
    third = corners((800, 300), 210, 5)
    lay(table, playing("9", "d"), third)
    frame = Pyramid(table)
    kept = PaperMap(frame)
    # By and by, back again, and more sets than are remembered.
    for known in (
        [first],
        [first, third],
        [second, first, third],
        [first, third],
        [second],
        [third],
        [third, second],
    ):
        anew = PaperMap(frame)
        assert kept.has_unexplained_paper(known) == anew.has_unexplained_paper(known) == (len(known) < 3)
        assert np.array_equal(kept.unexplained_area(known), anew.unexplained_area(known))
        assert np.array_equal(
            kept.paper_shares([first, second, third], known), anew.paper_shares([first, second, third], known)
        )


def test_where_a_card_could_lie_but_no_paper_shows_none_is_guessed() -> None:
    table, upper = pair("k5", "d8", (60, 40), 8), corners((490, 340), 210, 0)
    lower, bare = corners((430, 300), 210, 8), corners((620, 420), 210, 0)
    paper = PaperMap(Pyramid(table))
    covered, cloth_only = paper.paper_shares([lower, bare], [upper])
    assert covered > 0.6
    assert cloth_only == 0
    room = paper.unexplained_area([upper])
    scale = room.shape[0] / table.shape[0]
    (x, y), (far, deep) = (
        np.rint(place.mean(axis=0) * scale).astype(int) for place in (lower - 60, bare + 60)
    )
    assert room[y, x] == 1
    assert room[deep, far] == 0
