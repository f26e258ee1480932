"""Faces are told apart and which way up they lie; what was not enrolled is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from companion.camera.table_reader import load_deck_of_game
from companion.core.observations import UNKNOWN
from companion.games import printed_mat
from companion.simulation.simulated_table import build_renderer
from companion.vision.acceptance import UNMOVED_MAX_FLAW, RejectionReason
from companion.vision.alignment import AlignmentArea, FaceTemplate
from companion.vision.decks import build_deck
from companion.vision.face_matching import EnrolledFaces, FacePair, FaceRanking, soften_residual
from companion.vision.outlines import Pyramid
from companion.vision.partial_cards import PartialCardGuess
from companion.vision.photometric_error import (
    CELL_SIDE,
    SHIFTS,
    ComparisonScale,
    ResidualDetail,
    defocus,
    worst_disagreement,
)
from companion.vision.recogniser import Recogniser, make_scored_recogniser
from companion.vision.renderer import TableScene
from companion.vision.tracker import ChangeTracker
from tests.vision.drawn import HEIGHT, WIDTH, cards, cloth, corners, face, lay

MISSING = ("disc:7", "disc:3", "kite:2", "drop:5", "box:9")


@cache
def recogniser() -> Recogniser:
    return Recogniser(build_deck(cards()))


@cache
def with_some_missing() -> Recogniser:
    """A deck of which some cards were never shown; cards very like them were."""
    return Recogniser(build_deck([c for c in cards() if c[0] not in MISSING]))


def names(sightings) -> list[str]:
    return sorted(s.card for s in sightings)


@pytest.mark.parametrize("degrees", [0, 31, 90, 144, 180, 270, 301])
def test_a_card_is_read_and_its_own_top_left_comes_first(degrees):
    table, where = cloth(), corners((470, 310), 170, degrees)
    lay(table, face("7", "kite"), where)
    (seen,) = recogniser().recognise(table)
    assert seen.card == "kite:7"
    assert np.abs(seen.corners - where).max() < 5
    assert seen.confidence > 0.9


def test_a_deck_is_learnt_once_and_another_one_anew() -> None:
    one, same, other = (Recogniser(build_deck(shown)) for shown in (cards()[:4], cards()[:4], cards()[1:5]))
    assert same._faces is one._faces
    assert other._faces is not one._faces
    table = cloth()
    lay(table, cards()[0][1], corners((470, 310), 200, 20))
    assert names(same.recognise(table)) == [cards()[0][0]]
    assert cards()[0][0] not in names(other.recognise(table))


def test_many_cards_are_read_at_once_each_once():
    table, laid = cloth(), []
    for at, (card, picture) in enumerate(cards()[:15]):
        lay(table, picture, corners((110 + at % 5 * 180, 110 + at // 5 * 205), 160, 37 * at))
        laid.append(card)
    assert names(recogniser().recognise(table)) == sorted(laid)


@pytest.mark.parametrize("card", MISSING)
def test_a_card_that_was_never_shown_is_refused_though_its_sister_was(card):
    suit, rank = card.split(":")
    table = cloth()
    lay(table, face(rank, suit), corners((470, 310), 200, 20))
    assert set(names(with_some_missing().recognise(table))) <= {UNKNOWN}


def test_a_stranger_of_the_print_is_told_as_unknown_and_why():
    table, where = cloth(), corners((470, 310), 200, 20)
    lay(table, face("7", "disc"), where)
    (seen,) = with_some_missing().recognise(table)
    assert seen.card == UNKNOWN
    assert np.abs(seen.corners - where).max() < 8
    assert (seen.why.refused, seen.why.card) == (RejectionReason.NOT_IN_DECK, "box:7")
    assert seen.why.flaw > seen.why.most


def test_a_worn_card_is_read_where_no_unknown_sister_can_come_and_another_print_is_refused():
    worn = cv2.circle(face("5", "disc"), (80, 60), 16, (200,) * 3, -1)
    other = np.random.default_rng(3).integers(0, 256, (9, 6, 3)).astype(np.uint8).repeat(26, 0).repeat(26, 1)
    table = cloth()
    lay(table, worn, corners((300, 310), 200, 20))
    lay(table, other, corners((650, 310), 200, -30))
    sisters = cards("2345", ("disc", "box"))
    assert set(names(Recogniser(build_deck(sisters)).recognise(table))) <= {UNKNOWN}
    told = set(names(Recogniser(build_deck(sisters, complete=True)).recognise(table)))
    assert told - {UNKNOWN} == {"disc:5"}


def test_a_sister_that_lies_the_other_way_up_is_found_though_no_likely_card_lies_so() -> None:
    ranks = cards("23", ("disc",))
    turned = [("upside-down", np.ascontiguousarray(ranks[0][1][::-1, ::-1])), ranks[1]]
    faces, where = Recogniser(build_deck(turned))._faces, corners((470, 310), 170, 0)
    table = cloth()
    lay(table, ranks[0][1], where)
    ranked = np.array([[0.0, 0.9], [0.0, 0.0]], np.float32)
    assert faces.match(Pyramid(table), where, ranked).face == 0


def test_two_cards_are_told_apart_by_what_differs_however_strong_the_light_is() -> None:
    rng = np.random.default_rng(5)
    common, first, second = rng.normal(size=(3, 3, 40, 24)).astype(np.float32)
    one, other = soften_residual(common + 0.1 * first), soften_residual(common + 0.1 * second)
    pair = FacePair.of(one, other)
    assert pair.lead(one) == pytest.approx(1.0, abs=1e-3)
    assert pair.lead(np.float32(0.3) * other) == pytest.approx(-1.0, abs=1e-3)
    assert abs(pair.lead(soften_residual(common + 0.05 * (first + second)))) < 0.05
    assert FacePair.of(one, one).lead(one) == 0.0


def test_colours_that_grey_light_took_half_of_are_those_they_were() -> None:
    """Half a red is nearer to a dull purple than to red, but its hue is red; and it counts for less."""
    shape = np.random.default_rng(5).normal(size=(40, 24)).astype(np.float32)
    red, purple = (
        soften_residual(np.stack([shape, a * shape, b * shape])) for a, b in ((1.2, 0.6), (0.4, -0.3))
    )
    pair, third = FacePair.of(red, purple), len(red) // 3
    grey = np.concatenate([red[:third], 0.4 * red[third:]])
    assert pair.lead(red) == pytest.approx(1.0, abs=1e-3)
    assert 0.2 < pair.lead(grey) < 0.6
    assert pair.lead(purple) == pytest.approx(-1.0, abs=1e-3)


def test_paper_and_bare_cloth_hold_no_card():
    table = cloth()
    lay(table, np.full((HEIGHT, WIDTH, 3), 250, np.uint8), corners((300, 310), 200, 20))
    written = np.full((HEIGHT, WIDTH, 3), 250, np.uint8)
    for line in range(30, 230, 18):
        cv2.putText(written, "a note that is no card", (8, line), cv2.FONT_HERSHEY_PLAIN, 0.7, (60, 60, 60))
    lay(table, written, corners((600, 310), 200, -10))
    assert set(names(recogniser().recognise(table))) <= {UNKNOWN}
    assert recogniser().recognise(cloth()) == []
    assert recogniser().recognise(np.zeros((480, 640, 3), np.uint8)) == []


def test_dim_yellow_light_and_a_soft_shadow_change_nothing():
    table = cloth((70, 70, 70))
    lay(table, face("4", "drop"), corners((470, 310), 200, 200))
    shade = np.linspace(0.35, 0.75, 640)[:, None, None] * np.array([0.7, 0.9, 1.0])
    assert names(recogniser().recognise((table * shade).astype(np.uint8))) == ["drop:4"]


@pytest.mark.parametrize(("complete", "blur"), [(True, 2.8), (False, 2.0)])
def test_a_card_out_of_focus_is_read(complete, blur):
    """Less so where an unknown sister may lie there, which differs less then."""
    table = cloth((70, 70, 70))
    lay(table, face("4", "drop"), corners((470, 310), 200, 200))
    (seen,) = Recogniser(build_deck(cards(), complete=complete)).recognise(
        cv2.GaussianBlur(table, (0, 0), blur)
    )
    assert seen.card == "drop:4"


def test_a_face_put_out_of_focus_is_what_a_lens_shows():
    """Light spreads: where ink and paper are seen half and half, grey is lighter than their mean."""
    picture = np.zeros((60, 60, 3), np.uint8)
    picture[:, 30:] = 200
    edge = defocus(picture, 3.0)[30, 25:35, 0].astype(int)
    assert (np.diff(edge) >= 0).all()
    assert edge[4:6].mean() == pytest.approx(200 * np.sqrt(0.5), abs=8)
    assert np.array_equal(defocus(picture[:, 40:], 2.0), picture[:, 40:])


@pytest.mark.parametrize(("shift", "covered"), [((70, 60), "kite:9"), ((20, 110), "kite:9")])
def test_a_card_half_under_another_is_read(shift, covered):
    table = cloth((40, 40, 40))
    below, above = corners((430, 300), 200, 8), corners((430 + shift[0], 300 + shift[1]), 200, 40)
    lay(table, face("9", "kite"), below)
    lay(table, np.full((HEIGHT, WIDTH, 3), 30, np.uint8), corners((430 + shift[0], 300 + shift[1]), 216, 40))
    lay(table, face("2", "disc"), above)
    seen = {s.card: s for s in recogniser().recognise(table)}
    assert set(seen) == {"disc:2", covered}
    assert np.abs(seen[covered].corners - below).max() < 8


def test_cards_on_the_edge_of_a_sheet_of_paper_are_read():
    # White rims on white paper: one line goes round both.
    white = {
        name: cv2.rectangle(picture, (0, 0), (WIDTH, HEIGHT), (250,) * 3, 5) for name, picture in cards()
    }
    table = cloth((70, 40, 60))
    for card, middle, turn in (("kite:7", (330, 300), 20), ("disc:4", (640, 320), -55)):
        sheet = np.full((100, 100, 3), 250, np.uint8)
        lay(table, sheet, corners((middle[0] + 60, middle[1] + 70), 210, turn + 38))
        lay(table, white[card], corners(middle, 200, turn))
    assert names(Recogniser(build_deck(list(white.items()))).recognise(table)) == ["disc:4", "kite:7"]


def test_a_card_is_not_read_from_a_part_that_another_card_shares():
    table = cloth((40, 40, 40))
    below, above = corners((430, 300), 200, 8), corners((370, 370), 200, 40)
    lay(table, face("9", "kite"), below)
    lay(table, np.full((HEIGHT, WIDTH, 3), 30, np.uint8), corners((370, 370), 216, 40))
    lay(table, face("2", "disc"), above)
    assert names(s for s in recogniser().recognise(table) if s.card != UNKNOWN) == ["disc:2"]


def test_cards_that_lie_are_enrolled_lying_and_come_back_so():
    lying = [(card, np.ascontiguousarray(np.rot90(picture))) for card, picture in cards()]
    table, upright = cloth(), corners((470, 310), 180, 25)
    lay(table, face("5", "box"), upright)
    (seen,) = Recogniser(build_deck(lying)).recognise(table)
    # The lying picture's top left is the upright one's top right.
    assert seen.card == "box:5"
    assert np.abs(seen.corners - np.roll(upright, -1, axis=0)).max() < 5


def test_a_place_is_read_with_the_card_loose_in_it_and_when_empty():
    table, place = cloth(), corners((470, 310), 230, 0)
    assert recogniser().read_place(table, place).card == ""
    where = corners((476, 303), 170, 184)
    lay(table, face("3", "box"), where)
    seen = recogniser().read_place(table, place)
    assert seen.card == "box:3"
    assert np.abs(seen.corners - where).max() < 5


def test_a_card_askew_in_its_place_is_read_by_its_own_outline_and_not_as_a_sister() -> None:
    """From the place's outline the fit ends beside the pips, where clubs fit: a player had "revoked"."""
    renderer, (place,) = build_renderer("hearts"), printed_mat("hearts").spots("seat_card:2")
    laid = TableScene((("diamonds:8", (366.5, 120.3), 176.4),))
    table = renderer.render(laid, np.random.default_rng(0))
    eye = Recogniser(load_deck_of_game("hearts"))
    assert eye.read_place(table, renderer.calibration.place_corners(place)).card == "diamonds:8"


@pytest.mark.parametrize("seed", range(6))
def test_noise_shadow_and_a_drawn_slot_are_an_empty_place(seed):
    table, place = cloth(seed=seed), corners((470, 310), 109, 4 * seed)
    cv2.polylines(table, [corners((470, 310), 116, 4 * seed).astype(np.int32)], True, (200, 210, 200), 2)
    assert recogniser().read_place(table, place).card == ""
    assert recogniser().read_place(cloth(seed=seed), place).card == ""


def test_a_place_with_a_stranger_is_unknown_and_one_beyond_the_picture_empty():
    table, place = cloth(), corners((470, 310), 200, 0)
    lay(table, face("7", "disc"), place)
    assert with_some_missing().read_place(table, place).card == UNKNOWN
    assert recogniser().read_place(table, place + 2000).card == ""


def test_the_card_that_was_seen_at_a_place_is_looked_for_first_and_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place, eye = corners((470, 310), 210, 0), recogniser()
    table = cloth()
    lay(table, face("7", "kite"), corners((474, 305), 200, 4))
    before = eye.read_place(table, place)
    swapped = cloth()
    lay(swapped, face("7", "drop"), corners((474, 305), 200, 4))
    turned = cloth()
    lay(turned, face("7", "kite"), corners((474, 305), 200, 184))
    assert eye.read_place(swapped, place, before=before).card == "drop:7"
    assert eye.read_place(cloth(), place, before=before).card == ""
    over = eye.read_place(turned, place, before=before)
    assert (over.card, np.abs(over.corners - np.roll(before.corners, 2, axis=0)).max() < 5) == (
        "kite:7",
        True,
    )
    monkeypatch.setattr(FaceRanking, "rank_outlines", None)
    again = eye.read_place(table, place, before=before)
    assert again.card == "kite:7"
    assert np.abs(again.corners - before.corners).max() < 1


def test_a_card_that_was_nudged_is_fitted_again_and_one_that_lies_as_before_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place, eye = corners((470, 310), 210, 0), recogniser()
    table, nudged = cloth(), cloth()
    lay(table, face("7", "kite"), corners((474, 305), 200, 4))
    lay(nudged, face("7", "kite"), corners((477, 303), 200, 5))
    before = eye.read_place(table, place)
    after = eye.read_place(nudged, place, before=before)
    assert after.card == "kite:7"
    assert np.abs(after.corners - corners((477, 303), 200, 5)).max() < 1.5
    monkeypatch.setattr(FaceTemplate, "fit", None)
    assert np.array_equal(eye.read_place(table, place, before=before).corners, before.corners)


def test_a_card_in_the_next_place_is_not_read_for_this_one():
    table = cloth()
    lay(table, face("7", "disc"), corners((610, 310), 180, 0))
    assert recogniser().read_place(table, corners((470, 310), 180, 0)).card == ""


def test_a_deck_of_one_card_reads_it_and_refuses_another():
    alone = Recogniser(build_deck(cards()[:1]))
    table = cloth()
    lay(table, cards()[0][1], corners((300, 310), 180, 10))
    lay(table, face("9", "kite"), corners((600, 310), 180, 10))
    assert [s.card for s in alone.recognise(table) if s.card != UNKNOWN] == [cards()[0][0]]


def test_a_back_is_reported_by_its_own_id():
    back = np.full((HEIGHT, WIDTH, 3), (150, 60, 30), np.uint8)
    back[::16] = back[:, ::16] = 240
    back[100:140, 60:100] = (30, 200, 220)
    table = cloth()
    lay(table, back, corners((470, 310), 180, 10))
    assert names(Recogniser(build_deck([*cards(), ("back:blue", back)])).recognise(table)) == ["back:blue"]


def test_what_is_no_picture_is_refused():
    with pytest.raises(ValueError, match="height, width, 3"):
        recogniser().recognise(np.zeros((10, 10), np.uint8))


def test_the_tracker_reads_only_what_changed_and_knows_the_rest(monkeypatch):
    tracker, sizes = ChangeTracker(recogniser()), []
    plainly = Recogniser.recognise
    monkeypatch.setattr(
        Recogniser, "recognise", lambda self, frame: sizes.append(frame.size) or plainly(self, frame)
    )
    empty, table = cloth(), cloth()
    lay(table, face("7", "disc"), corners((150, 150), 150, 0))
    lay(table, face("4", "kite"), corners((800, 480), 150, 30))
    assert names(tracker.step(table)) == ["disc:7", "kite:4"]
    again = np.clip(table + np.random.default_rng(3).normal(0, 2, table.shape), 0, 255).astype(np.uint8)
    assert names(tracker.step(again)) == ["disc:7", "kite:4"]
    assert len(sizes) == 1
    lay(table, face("9", "box"), corners((150, 400), 150, 180))
    assert names(tracker.step(table)) == ["box:9", "disc:7", "kite:4"]
    assert len(sizes) == 2
    assert sizes[1] < 0.6 * sizes[0]
    lay(table, empty, np.array([[0, 0], [960, 0], [960, 320], [0, 320]], np.float32))
    assert "disc:7" not in names(tracker.step(table))


def test_the_factory_for_scoring_scripts_gives_plain_answers_without_unknowns():
    table = cloth()
    lay(table, face("9", "kite"), corners((600, 310), 180, 10))
    (answer,) = make_scored_recogniser(cards()).recognise(table)
    assert (answer["card"], len(answer["corners"])) == ("kite:9", 4)
    others = [c for c in cards() if c[0] != "kite:9"]
    assert names(Recogniser(build_deck(others, complete=False)).recognise(table)) == [UNKNOWN]
    assert make_scored_recogniser(others, complete=False).recognise(table) == []


def test_alignment_finds_a_card_whose_outline_was_drawn_too_small_and_askew():
    table, where = cloth(), corners((470, 310), 200, 15)
    lay(table, face("5", "drop"), where)
    middle = where.mean(axis=0)
    askew = ((where - middle) * 0.93 + middle + np.array([[4, 0], [0, 3], [-4, 2], [2, -4]])).astype(
        np.float32
    )
    fitted = FaceTemplate(face("5", "drop"), 1.5).fit(AlignmentArea.around(Pyramid(table), askew), askew)
    assert np.abs(fitted - where).max() < 1.0


def test_alignment_with_nothing_to_hold_on_to_leaves_the_outline_alone():
    flat = np.full((300, 300, 3), 128, np.uint8)
    quad = corners((150, 150), 120, 0)
    fitted = FaceTemplate(face("5", "drop"), 1.5).fit(AlignmentArea.around(Pyramid(flat), quad), quad)
    assert np.array_equal(fitted, quad)


def detailed(seed: int, dots: int = 60) -> np.ndarray:
    """A face full of detail, like a painting."""
    chance = np.random.default_rng(seed)
    small = chance.integers(0, 256, (24, 16, 3), np.uint8)
    card = cv2.resize(small, (300, 450), interpolation=cv2.INTER_CUBIC)
    for _ in range(dots):
        at = tuple(int(v) for v in chance.integers((20, 20), (280, 430)))
        ink = tuple(int(v) for v in chance.integers(0, 256, 3))
        cv2.circle(card, at, int(chance.integers(4, 16)), ink, -1)
    return card


def test_a_detailed_card_without_an_outline_is_found_by_its_features_and_a_stranger_is_not():
    eye = Recogniser(build_deck([(f"picture:{n}", detailed(n)) for n in range(6)]))
    table, where = cloth(), corners((470, 310), 330, 200)
    lay(table, detailed(3), where)
    # A sheet over its whole outline; only the middle shows.
    shown = table[235:390, 400:540].copy()
    table[:] = cloth(seed=5)
    table[235:390, 400:540] = shown
    (seen,) = eye.recognise(table)
    assert seen.card == "picture:3"
    assert np.abs(seen.corners - where).max() < 12
    lay(table, detailed(11), corners((470, 310), 330, 200))
    assert eye.recognise(table) == []


def test_a_detailed_card_of_which_little_shows_is_found_if_that_has_many_features():
    eye = Recogniser(build_deck([(f"picture:{n}", detailed(n, 450)) for n in range(6)]))
    table = cloth()
    lay(table, detailed(3, 450), corners((470, 310), 600, 200))
    shown = table[236:384, 396:544].copy()
    table[:] = cloth(seed=5)
    table[236:384, 396:544] = shown
    assert [s.card for s in eye.recognise(table)] == ["picture:3"]


@pytest.mark.parametrize("number", [1, 2, 4])
def test_a_stranger_that_shares_a_small_piece_of_a_picture_is_not_taken_for_it(number):
    # As two masks share a pair of eyes: a dozen features agree, on a seventh of the card.
    eye = Recogniser(build_deck([(f"picture:{n}", detailed(n)) for n in range(6)]))
    stranger, table = detailed(20 + number), cloth()
    stranger[148:301, 75:225] = detailed(number)[148:301, 75:225]
    lay(table, stranger, corners((470, 310), 330, 20 + 50 * number))
    assert [s for s in eye.recognise(table) if s.card != UNKNOWN] == []


def shown(symbol: str, number: str = "7", *, light: float = 1.0) -> ResidualDetail:
    scale = ComparisonScale.of(128, 1.5, fine=0.006, broad=0.12)
    return ResidualDetail.of(scale.residual((scale.shrink(face(number, symbol)) * light).astype(np.uint8)))


def test_disagreement_is_small_for_the_same_print_and_large_where_a_sign_differs():
    same = shown("disc")
    assert worst_disagreement(shown("disc", light=0.6), same) < 0.02
    assert worst_disagreement(shown("box"), same) > 0.05
    # The sign is in the corners: what lies between them is the same.
    signs = np.ones(same.planes.shape, bool)
    signs[:, signs.shape[1] // 3 : 2 * signs.shape[1] // 3] = False
    without = [
        ResidualDetail.of(np.where(signs, np.float32(0), shown(sign).planes)) for sign in ("disc", "box")
    ]
    assert worst_disagreement(*without) < 0.3 * worst_disagreement(shown("box"), same)


def test_what_shows_of_a_card_is_compared_as_if_there_were_no_more_of_it():
    scale = ComparisonScale.of(128, 1.5, fine=0.006, broad=0.12)
    view = scale.shrink(face("7", "disc"))
    everywhere = scale.residual(view, scale.visible_part(np.ones((scale.height, scale.width), np.float32)))
    assert np.abs(everywhere - scale.residual(view)).max() < 1
    visible = np.zeros((scale.height, scale.width), np.float32)
    visible[20:90, 30:70] = 1
    shown = scale.visible_part(visible)
    part = scale.residual(view, shown)
    edge = scale.margin
    assert not part[:, visible[edge:-edge, edge:-edge] == 0].any()
    covered = view.copy()
    far = cv2.dilate(visible, np.ones((9, 9))) == 0
    covered[far] = (0, 0, 255)
    assert np.array_equal(scale.residual(covered, shown), part)


@pytest.mark.parametrize("other", [("disc", "7"), ("box", "7"), ("disc", "3"), ("kite", "2")])
def test_disagreement_is_that_of_the_worst_window_where_it_fits_best(other):
    seen, known = shown(*other, light=0.7), shown("disc")
    _, rows, columns = known.planes.shape
    one, two = (np.pad(d.planes, ((0, 0), (10, 10), (10, 10))).astype(float) for d in (seen, known))

    def alike(y: int, x: int, down: int, right: int) -> float:
        there = two[:, y + 2 : y + 18, x + 2 : x + 18]
        here = one[:, y + 2 + down : y + 18 + down, x + 2 + right : x + 18 + right]
        energies = ((here * here).sum() / 256 + 1) * ((there * there).sum() / 256 + 1)
        return float(((here * there).sum() / 256 + 1) / np.sqrt(energies))

    fits = [
        max(alike(y, x, *shift) for shift in SHIFTS)
        for y in range(0, rows, CELL_SIDE)
        for x in range(0, columns, CELL_SIDE)
    ]
    assert worst_disagreement(seen, known) == pytest.approx(1 - min(fits), abs=1e-4)


def test_what_is_visible_of_a_guess_is_its_piece_less_its_covers():
    quad = np.array([[0, 0], [100, 0], [100, 150], [0, 150]], np.float32)
    piece = np.array([[0, 0], [100, 0], [100, 75], [0, 75]], np.float32)
    cover = np.array([[50, 0], [100, 0], [100, 150], [50, 150]], np.float32)
    shown = PartialCardGuess(quad, piece).visibility_under([cover])(quad, (100, 150))
    assert shown[30, 25] == 1
    assert shown[30, 75] == 0
    assert shown[110, 25] == 0


def test_a_worn_card_that_was_seen_before_is_known_again_without_a_look_at_the_others():
    table, where = cloth(), corners((470, 310), 200, 20)
    worn = face("7", "kite").copy()
    cv2.circle(worn, (worn.shape[1] // 2, worn.shape[0] // 3), 4, (200, 200, 200), -1)
    lay(table, worn, where)
    eye = Recogniser(build_deck(cards(), complete=True))
    seen = eye.read_place(table, where)
    assert seen.card == "kite:7"
    assert 0.05 < seen.why.flaw < 0.10
    again = eye._recheck(Pyramid(table), seen, np.zeros(2, np.float32))
    assert again.card == "kite:7"
    other = replace(seen, card="kite:8")
    assert eye._recheck(Pyramid(table), other, np.zeros(2, np.float32)) is None


def test_places_beside_a_printed_one_are_cut_where_they_say():
    table, where = cloth(), corners((470, 310), 170, 31)
    lay(table, face("7", "kite"), where)
    frame, faces = (
        Pyramid(table),
        EnrolledFaces([picture for _, picture in cards()], [card for card, _ in cards()]),
    )
    places, ranked, common = faces.ranking.rank_shifted(frame, where)
    again, alike = faces.ranking.rank_outlines(frame, places)
    assert len(places) == 75
    assert np.abs(ranked - again).mean() < 0.03
    assert np.abs(common - alike).mean() < 0.03
    assert np.abs(places[ranked.max(axis=(0, 2)).argmax()] - where).max() < 3


def test_a_card_is_still_there_when_it_was_turned_half_round() -> None:
    pictures = dict(cards())
    faces = EnrolledFaces(list(pictures.values()), list(pictures))
    card = list(pictures).index("kite:7")
    table, where = cloth(), corners((470, 310), 170, 20)
    lay(table, pictures["kite:7"], where)
    there = np.asarray(where, np.float32)
    match = faces.match_again(Pyramid(table), np.roll(there, 2, axis=0), card, 0.0)
    assert np.abs(match.corners - there).max() < 5
    assert match.flaw < UNMOVED_MAX_FLAW
    assert match.lead > 0.5
