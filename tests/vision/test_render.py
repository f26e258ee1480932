"""The simulated table: the same each time, true to where cards lie, drawn from pictures nobody enrolled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.games import mat_layout
from companion.system.asset_paths import bundled_assets_folder
from companion.vision.decks import read_card_pictures
from companion.vision.layout import Calibration, MarksNotFoundError
from companion.vision.renderer import (
    EASY,
    HARD,
    MIDDLE,
    Conditions,
    RenderedHand,
    TableRenderer,
    TableScene,
    Textures,
)
from tests.vision.generator import Difficulty, make_frame

DECK: Path = bundled_assets_folder() / "decks" / "kinapa"
LAYOUT = mat_layout("kinapa", 4)
PLAIN = replace(EASY, light=0.0, shadow=0.0, blur=0.0, noise=0.0, jpeg=100)

Picture = NDArray[np.uint8]


@pytest.fixture(scope="module")
def textures() -> Textures:
    return Textures.load(DECK)


@pytest.fixture(scope="module")
def enrolled() -> dict[str, Picture]:
    return dict(read_card_pictures(DECK / "enrol"))


@pytest.fixture(scope="module")
def middle(textures: Textures) -> TableRenderer:
    return TableRenderer(textures, LAYOUT, MIDDLE)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def residual(picture: Picture) -> NDArray[np.float64]:
    """A small copy with its mean colour taken out, as a vector of length one."""
    small = cv2.resize(picture, (44, 68), interpolation=cv2.INTER_AREA).astype(np.float64)
    flat = (small - small.mean(axis=(0, 1))).ravel()
    return np.asarray(flat / np.linalg.norm(flat))


def alike(one: Picture, other: Picture) -> float:
    """1 for the same picture, 0 for unrelated ones."""
    return float(residual(one) @ residual(other))


def cut(frame: Picture, corners: NDArray[np.float32]) -> Picture:
    """What a frame shows between four corners, as (272, 176, 3)."""
    target = np.array([(0, 0), (176, 0), (176, 272), (0, 272)], dtype=np.float32)
    return np.asarray(
        cv2.warpPerspective(frame, cv2.getPerspectiveTransform(corners, target), (176, 272)), np.uint8
    )


SCENE = TableScene(
    cards=(
        ("object:5-6", (100.0, 200.0), 12.0),
        ("animal:9", (300.0, 200.0), 180.0),
        ("back:blue", (450.0, 100.0), 0.0),
    ),
    hands=(RenderedHand((300.0, 330.0), -20.0, 1),),
)


def test_same_inputs_give_same_bytes(textures: Textures, middle: TableRenderer) -> None:
    fresh = TableRenderer(textures, LAYOUT, MIDDLE)
    assert (middle.render(SCENE, rng()) == fresh.render(SCENE, rng())).all()
    assert (middle.render(SCENE, rng(1)) != middle.render(SCENE, rng(2))).any()


def test_what_was_drawn_before_leaves_no_trace(textures: Textures, middle: TableRenderer) -> None:
    for cards in (SCENE.cards[:1], SCENE.cards[1:], SCENE.cards[::-1], ()):
        middle.render(TableScene(cards, SCENE.hands), rng())
    assert (middle.render(SCENE, rng()) == TableRenderer(textures, LAYOUT, MIDDLE).render(SCENE, rng())).all()
    empty = middle.render(TableScene(), rng())
    middle.render(SCENE, rng())
    assert (middle.render(TableScene(), rng()) == empty).all()


@pytest.mark.parametrize("conditions", [PLAIN, MIDDLE, HARD])
def test_a_card_is_seen_where_it_lies_and_as_it_is_turned(textures: Textures, conditions: object) -> None:
    renderer = TableRenderer(textures, LAYOUT, conditions)  # type: ignore[arg-type]
    frame = renderer.render(TableScene(SCENE.cards), rng())
    for card, centre, angle in SCENE.cards:
        seen = cut(frame, renderer.card_corners(centre, angle))
        assert alike(seen, textures.cards[card]) > 0.8


def test_the_card_on_top_covers_the_one_below(textures: Textures) -> None:
    renderer = TableRenderer(textures, LAYOUT, PLAIN)
    pile = (("sheep", (200.0, 200.0), 0.0), ("fox", (200.0, 200.0), 0.0))
    seen = cut(renderer.render(TableScene(pile), rng()), renderer.card_corners((200.0, 200.0), 0.0))
    assert alike(seen, textures.cards["fox"]) > 0.95
    assert alike(seen, textures.cards["sheep"]) < 0.7


def test_a_hand_hides_a_card_and_shades_what_is_beside_it(textures: Textures) -> None:
    renderer = TableRenderer(textures, LAYOUT, replace(PLAIN, shadow=0.5))
    card = (("object:1-2", (200.0, 200.0), 0.0),)
    corners = renderer.card_corners((200.0, 200.0), 0.0)
    free, under, shaded = (
        cut(renderer.render(TableScene(card, hands), rng()), corners)
        for hands in ((), (RenderedHand((200.0, 160.0), 0.0),), (RenderedHand((160.0, 130.0), 0.0),))
    )
    assert alike(free, under) < 0.5
    assert shaded.mean() < 0.95 * free.mean()


@pytest.mark.parametrize("conditions", [replace(EASY, noise=0.0), HARD])
def test_of_a_hand_over_a_still_table_only_its_part_goes_through_the_lens_and_nothing_else_differs(
    textures: Textures, conditions: Conditions
) -> None:
    renderer = TableRenderer(textures, LAYOUT, conditions)
    laid = (("fox", (200.0, 200.0), 10.0),)
    for tips in (
        [(210.0, 190.0)],
        [(30.0, 400.0)],
        [(590.0, 5.0)],
        [(210.0, 190.0), (230.0, 50.0), (530.0, 390.0)],
    ):
        hands = tuple(RenderedHand(tip, 30.0) for tip in tips)
        seen = renderer.render(TableScene(laid, hands), rng())
        lit = renderer._with_cards(laid).copy()
        for hand in hands:
            renderer._paint(lit, hand)
        assert (seen == renderer._camera.take_picture(lit, rng())).all()


@pytest.mark.parametrize("conditions", [EASY, MIDDLE, HARD])
def test_the_mats_marks_give_the_true_calibration_within_a_pixel(
    textures: Textures, conditions: object
) -> None:
    renderer = TableRenderer(textures, LAYOUT, conditions)  # type: ignore[arg-type]
    measured = Calibration.from_marks(renderer.render(TableScene(), rng()), LAYOUT)
    points = [place.centre_mm for place in LAYOUT.places] + [(0.0, 0.0), (594.0, 420.0)]
    assert np.abs(measured.to_pixels(points) - renderer.calibration.to_pixels(points)).max() < 1.0


def test_a_hand_on_a_mark_is_told(middle: TableRenderer) -> None:
    frame = middle.render(TableScene(hands=(RenderedHand((550.0, 340.0), 10.0),)), rng())
    with pytest.raises(MarksNotFoundError, match="bottom right"):
        Calibration.from_marks(frame, LAYOUT)


def test_renderer_and_recogniser_have_the_same_cards_but_other_pictures(
    textures: Textures, enrolled: dict[str, Picture]
) -> None:
    assert set(textures.cards) == set(enrolled)
    for card, picture in enrolled.items():
        drawn = textures.cards[card]
        assert alike(picture, drawn) > 0.85, card
        resized = cv2.resize(picture, drawn.shape[1::-1], interpolation=cv2.INTER_AREA).astype(int)
        assert np.abs(resized - drawn).mean() > 5, card


def test_no_two_faces_look_alike_whichever_way_up(enrolled: dict[str, Picture]) -> None:
    cards = list(enrolled)
    upright = np.array([residual(picture) for picture in enrolled.values()])
    turned = np.array([residual(np.ascontiguousarray(picture[::-1, ::-1])) for picture in enrolled.values()])
    others = ~np.eye(len(cards), dtype=bool)
    assert (upright @ upright.T)[others].max() < 0.75
    assert (turned @ upright.T)[others].max() < 0.75


def test_every_face_shows_which_way_up_it_lies_and_no_back_does(enrolled: dict[str, Picture]) -> None:
    for card, picture in enrolled.items():
        same = alike(picture, np.ascontiguousarray(picture[::-1, ::-1]))
        assert same > 0.95 if card.startswith("back:") else same < 0.75, card


@pytest.mark.parametrize("family", ["DICT_4X4_250", "DICT_6X6_250", "DICT_APRILTAG_36h11"])
def test_no_face_carries_a_marker(enrolled: dict[str, Picture], family: str) -> None:
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, family)))
    assert {
        card for card, picture in enrolled.items() if detector.detectMarkers(picture)[1] is not None
    } == set()


def test_no_face_carries_a_code(enrolled: dict[str, Picture]) -> None:
    reader = cv2.QRCodeDetector()
    assert {card for card, picture in enrolled.items() if reader.detect(picture)[0]} == set()


def test_made_frames_repeat_and_tell_what_is_in_them(enrolled: dict[str, Picture]) -> None:
    hard = Difficulty(cards=(4, 6), hands=0.0, piles=0.0)
    frame, again = (make_frame(enrolled, rng(4), hard, size=(960, 540)) for _ in range(2))
    assert (frame.picture == again.picture).all()
    assert frame.picture.shape == (540, 960, 3)
    assert 4 <= len(frame.cards) <= 6
    for lying in frame.cards:
        if lying.visible > 0.95:
            assert alike(cut(frame.picture, lying.corners), enrolled[lying.card]) > 0.7, lying.card


def test_a_covered_card_is_told_to_be_covered(enrolled: dict[str, Picture]) -> None:
    piled = Difficulty(cards=(6, 6), piles=1.0, hands=0.0)
    frame = make_frame(enrolled, rng(2), piled, size=(960, 540))
    assert min(lying.visible for lying in frame.cards) < 0.9


def test_a_stranger_lies_in_the_picture_but_not_in_the_truth(enrolled: dict[str, Picture]) -> None:
    stranger = np.full((300, 200, 3), (0, 0, 255), dtype=np.uint8)
    one = {"fox": enrolled["fox"]}
    lone = Difficulty(conditions=PLAIN, cards=(1, 1), clutter=0, hands=0.0)
    frames = [make_frame(one, rng(seed), lone, strangers=[stranger], size=(480, 270)) for seed in range(8)]
    assert all([lying.card for lying in frame.cards] in ([], ["fox"]) for frame in frames)
    red = [int(((f.picture[:, :, 2] > 200) & (f.picture[:, :, 1] < 60)).sum()) for f in frames]
    assert max(red) > 1000
