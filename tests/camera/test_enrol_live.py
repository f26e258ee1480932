"""A deck enrolled live: somebody lays card after card under a drawn camera, and what comes out reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.camera import enrolment_task as _enrol_bench
from companion.camera.enrolment_task import (
    PICTURES_PER_CARD,
    EnrolmentFolder,
    EnrolmentTask,
    enrollable_games,
    list_cards,
)
from companion.camera.table_reader import load_deck_of_game
from companion.camera.task_runner import PICTURE_INTERVAL
from companion.core.actions import SECOND
from companion.core.camera_tasks import CameraCommand
from companion.games import printed_mat
from companion.programs.camera_programs import SimulatedEnroller
from companion.system import asset_paths
from companion.vision.decks import Deck
from companion.vision.recogniser import Recogniser
from companion.vision.renderer import LIVE, RenderedHand, TableRenderer, TableScene, Textures
from tests.vision.drawn import write

Picture = NDArray[np.uint8]
STEP = PICTURE_INTERVAL
GAME = "kobayakawa"


@pytest.fixture(scope="module")
def renderer() -> TableRenderer:
    return TableRenderer(
        Textures.load(asset_paths.bundled_assets_folder() / "decks" / GAME), printed_mat(GAME), LIVE
    )


class Enrolling:
    """A bench, and whoever lays cards before it."""

    def __init__(
        self, folder: Path, renderer: TableRenderer, lays: Callable[[str], str] = str, *, game: str = GAME
    ) -> None:
        self.folder, self.at = folder, 0
        self.bench = EnrolmentTask(folder, game)
        self.person = SimulatedEnroller(renderer, self.bench.view, lays=lays)
        self.said: list[str] = []

    def until(self, done: Callable[[Any], bool], most: float = 60.0) -> Any:
        """The view as soon as it is so."""
        end = self.at + round(most * SECOND)
        number = self.bench.announcement()[0]
        while not done(self.bench.view()):
            assert self.at < end, self.bench.view()
            self.at += STEP
            self.bench.step(self.person.render(self.at), self.at)
            if self.bench.announcement()[0] != number:
                number, sentence = self.bench.announcement()
                assert sentence is not None
                self.said.append(sentence.key)
        return self.bench.view()

    def want(self, what: str, *values: str) -> Any:
        self.bench.add_command(CameraCommand(what, values))
        self.at += STEP
        self.bench.step(self.person.render(self.at), self.at)
        return self.bench.view()

    def taken(self, count: int) -> Any:
        return self.until(lambda view: len(view.known) >= count)

    def files(self) -> list[str]:
        folder = self.folder / "enrol" / GAME
        return sorted(path.name for path in folder.glob("*.png")) if folder.is_dir() else []


FEW = ("number:1", "number:2", "number:6", "number:7", "number:9", "number:11", "back:number")
"""A deck small enough to be enrolled again and again; `companion enrol --simulate` shows whole ones."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, renderer: TableRenderer) -> Enrolling:
    """A whole deck, shown by somebody who makes no mistake."""
    with pytest.MonkeyPatch.context() as shorter:
        shorter.setattr(_enrol_bench, "list_cards", lambda game: FEW)
        enrolling = Enrolling(tmp_path_factory.mktemp("table"), renderer)
    enrolling.until(lambda view: view.phase == "done")
    return enrolling


# The whole deck ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_card_is_taken_twice_and_the_deck_is_the_table_s_own(whole: Enrolling) -> None:
    view = whole.bench.view()
    assert (len(view.known), len(view.cards)) == (len(FEW), len(FEW))
    deck = load_deck_of_game(GAME, whole.folder / "decks")
    assert deck.cards == FEW
    assert [deck.owners.count(number) for number in range(len(FEW))] == [PICTURES_PER_CARD] * len(FEW)


def test_any_game_s_deck_takes_less_than_five_minutes_of_a_person_s_time(whole: Enrolling) -> None:
    """The person's own 2.2 s to lay and 1.5 s to turn a card are in it."""
    each = whole.at / SECOND / len(FEW)
    assert {
        game: len(list_cards(game)) for game in enrollable_games() if len(list_cards(game)) * each > 300.0
    } == {}


def test_the_new_deck_reads_every_card_both_ways_up(whole: Enrolling, renderer: TableRenderer) -> None:
    deck = Deck.load(whole.folder / "decks" / f"{GAME}.deck")
    reader, noise = Recogniser(deck), np.random.default_rng(5)
    place = printed_mat(GAME).places[0]
    wrong = []
    for card in FEW[:-1]:
        for turn in (0.0, 180.0):
            laid = TableScene(((card, place.centre_mm, turn + 3.0),))
            seen = reader.read_place(renderer.render(laid, noise), renderer.calibration.place_corners(place))
            upside_down = seen.corners[0][1] > seen.corners[2][1]
            if (seen.card, upside_down) != (card, turn == 180.0):
                wrong.append((card, turn, seen.card))
    assert wrong == []


def test_the_voice_leads_through_it(whole: Enrolling) -> None:
    assert whole.said[:4] == [
        "shared.enrol.turn", "shared.enrol.good", "shared.enrol.turn", "shared.enrol.good",
    ]  # fmt: skip
    assert whole.said[-1] == "shared.enrol.done"


def test_the_self_check_shows_the_hardest_pairs_with_their_pictures(whole: Enrolling) -> None:
    view = whole.bench.view()
    assert len(view.twins) == _enrol_bench.MAX_SHOWN_PAIRS
    apart = [twins.apart for twins in view.twins]
    assert apart == sorted(apart)
    pictures = dict(whole.bench.card_pictures())
    assert {name for twins in view.twins for name in (twins.one, twins.other)} == set(pictures)


def test_when_done_any_card_that_is_laid_is_read(whole: Enrolling, renderer: TableRenderer) -> None:
    noise = np.random.default_rng(9)
    frames = [TableScene()] * 3 + [TableScene((("number:7", (300.0, 210.0), 182.0),))] * 5
    for scene in frames:
        whole.at += STEP
        whole.bench.step(renderer.render(scene, noise), whole.at)
    assert whole.bench.view().read == "number:7"


# Nothing is lost --------------------------------------------------------------------------------------------


def test_what_was_taken_before_a_crash_is_there_when_it_goes_on(
    tmp_path: Path, renderer: TableRenderer
) -> None:
    before = Enrolling(tmp_path, renderer)
    before.taken(2)
    before.until(lambda view: view.phase == "turn")  # killed with one picture of the third card taken
    assert len(before.files()) == 2 * PICTURES_PER_CARD + 1
    after = Enrolling(tmp_path, renderer)
    view = after.until(lambda view: view.hint.key == "ui.enrol.show")
    assert (len(view.known), view.card) == (2, list_cards(GAME)[2])
    after.taken(3)
    assert len(after.files()) == 3 * PICTURES_PER_CARD


def test_a_half_written_picture_is_no_picture(tmp_path: Path, renderer: TableRenderer) -> None:
    before = Enrolling(tmp_path, renderer)
    before.taken(1)
    (tmp_path / "enrol" / GAME / ".number%3a2.png.part").write_bytes(b"\x89PNG")
    assert len(Enrolling(tmp_path, renderer).bench.view().known) == 1


def test_a_full_disk_is_told_and_the_card_is_asked_for_again(
    tmp_path: Path, renderer: TableRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: EnrolmentFolder, card: str, number: int, picture: Picture) -> None:
        raise OSError(28, "No space left on device")

    enrolling = Enrolling(tmp_path, renderer)
    with monkeypatch.context() as broken:
        broken.setattr(EnrolmentFolder, "save_picture", full)
        enrolling.until(lambda view: view.hint.key == "ui.enrol.not_saved")
    assert len(enrolling.bench.view().known) == 0
    assert enrolling.files() == []


# Mistakes ---------------------------------------------------------------------------------------------------


def swapped(asked: str) -> str:
    return {"number:1": "number:2", "number:2": "number:1"}.get(asked, asked)


def test_a_card_of_the_plain_deck_laid_for_another_is_noticed(
    tmp_path: Path, renderer: TableRenderer
) -> None:
    enrolling = Enrolling(tmp_path, renderer, lays=swapped)
    view = enrolling.until(lambda view: view.phase == "clash")
    assert (view.card, view.other, view.hint.key) == ("number:1", "number:2", "ui.enrol.looks_like")
    assert enrolling.files() == []


def test_a_face_shown_under_two_names_is_noticed_and_either_can_be_right(
    tmp_path: Path, renderer: TableRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_enrol_bench, "load_shipped_faces", lambda game: {})  # a deck of somebody's own
    enrolling = Enrolling(
        tmp_path, renderer, lays=lambda asked: swapped(asked) if asked == "number:1" else asked
    )
    view = enrolling.until(lambda view: view.phase == "clash")
    assert (view.card, view.other, view.hint.key) == ("number:2", "number:1", "ui.enrol.shown_before")
    view = enrolling.want("mine", "mine")
    assert view.phase in {"show", "turn"}
    enrolling.person._lays = str  # by now they look twice
    view = enrolling.taken(1)
    assert (view.card, len(view.known)) == ("number:1", 1)
    view = enrolling.taken(2)
    assert view.card == "number:3"
    assert enrolling.files() == [f"number%3a{n}{x}.png" for n in (1, 2) for x in ("#2", "")]


def test_cards_that_only_look_alike_are_both_kept_if_people_say_so(
    tmp_path: Path, renderer: TableRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_enrol_bench, "load_shipped_faces", lambda game: {})
    enrolling = Enrolling(tmp_path, renderer, lays=lambda asked: "number:5" if asked == "number:2" else asked)
    enrolling.taken(2)
    enrolling.person._lays = lambda asked: "number:5"
    enrolling.until(lambda view: view.phase == "clash")
    enrolling.want("mine", "alike")
    view = enrolling.taken(3)
    assert len(view.known) == 3


def test_another_card_in_the_middle_of_one_is_noticed(tmp_path: Path, renderer: TableRenderer) -> None:
    enrolling = Enrolling(tmp_path, renderer)
    enrolling.until(lambda view: view.phase == "turn")
    noise = np.random.default_rng(3)
    for scene in [TableScene()] * 2 + [TableScene((("number:9", (297.0, 215.0), 180.0),))] * 5:
        enrolling.at += STEP
        enrolling.bench.step(renderer.render(scene, noise), enrolling.at)
    view = enrolling.bench.view()
    assert (view.phase, view.hint.key, len(view.known)) == ("turn", "ui.enrol.not_the_same", 0)


def test_take_again_goes_back_one_picture_and_then_one_card(tmp_path: Path, renderer: TableRenderer) -> None:
    enrolling = Enrolling(tmp_path, renderer)
    enrolling.taken(1)
    enrolling.until(lambda view: view.phase == "turn")
    assert enrolling.want("retake").card == "number:2"
    assert len(enrolling.files()) == PICTURES_PER_CARD
    view = enrolling.want("retake")
    assert (view.card, len(view.known)) == ("number:1", 0)
    assert enrolling.files() == []


def test_a_card_that_is_not_at_hand_is_asked_for_last(tmp_path: Path, renderer: TableRenderer) -> None:
    enrolling = Enrolling(tmp_path, renderer)
    view = enrolling.want("later")
    assert view.card == "number:2"
    assert enrolling.bench._queue[-1] == "number:1"


def test_a_hand_a_cup_and_two_cards_at_once_are_no_card(tmp_path: Path, renderer: TableRenderer) -> None:
    bench, noise = EnrolmentTask(tmp_path, GAME), np.random.default_rng(3)
    hand = TableScene(hands=(RenderedHand((300.0, 200.0), 20.0),))
    two = TableScene((("number:3", (290.0, 210.0), 0.0), ("number:4", (320.0, 220.0), 8.0)))
    for number, scene in enumerate([TableScene()] * 6 + [hand] * 6 + [TableScene()] * 3 + [two] * 6):
        bench.step(renderer.render(scene, noise), number * STEP)
        assert bench.view().hint.key in {"ui.enrol.bare", "ui.enrol.show"}
    assert bench.view().phase == "show"
    assert not bench.view().known


@pytest.mark.parametrize("aslant", [1.0, 0.75])
def test_a_round_card_is_told_to_have_no_corners(
    tmp_path: Path, renderer: TableRenderer, aslant: float
) -> None:
    bench, noise = EnrolmentTask(tmp_path, GAME), np.random.default_rng(3)
    bare = [renderer.render(TableScene(), noise) for _ in range(12)]
    for number, frame in enumerate(bare):
        if number >= 6:
            cv2.ellipse(frame, (600, 350), (70, round(70 * aslant)), 30, 0, 360, (225, 225, 235), -1)
            write(frame, "7", (585, 331, 30, 38), (40, 40, 200))
        bench.step(frame, number * STEP)
    assert bench.view().hint.key == "ui.enrol.round"
    assert not bench.view().known
    bench.step(renderer.render(TableScene(), noise), 12 * STEP)
    assert bench.view().hint.key == "ui.enrol.show"


def phone(frame: Picture, shape: float = 1.8) -> Picture:
    """A telephone on the table that shows a card."""
    lying = frame.copy()
    width = 60
    cv2.rectangle(lying, (600, 300), (600 + width, 300 + round(shape * width)), (24, 22, 20), -1)
    cv2.rectangle(lying, (606, 312), (594 + width, 288 + round(shape * width)), (240, 240, 240), -1)
    write(lying, "7", (615, 334, 30, 38), (40, 40, 200))
    return lying


def test_a_telephone_that_shows_a_card_is_none(tmp_path: Path, renderer: TableRenderer) -> None:
    enrolling = Enrolling(tmp_path, renderer)
    enrolling.taken(1)
    noise = np.random.default_rng(3)
    bare = [renderer.render(TableScene(), noise) for _ in range(8)]
    for frame in [*bare[:3], *(phone(frame) for frame in bare)]:
        enrolling.at += STEP
        enrolling.bench.step(frame, enrolling.at)
    view = enrolling.bench.view()
    assert (len(view.known), view.hint.key) == (1, "ui.enrol.other_shape")
    assert len(enrolling.files()) == PICTURES_PER_CARD


def test_a_face_over_the_table_is_no_card(tmp_path: Path, renderer: TableRenderer) -> None:
    bench, noise = EnrolmentTask(tmp_path, GAME), np.random.default_rng(3)
    for number in range(14):
        frame = renderer.render(TableScene(), noise)
        if number > 5:
            cv2.ellipse(frame, (640, 380), (150, 200), 10, 0, 360, (150, 175, 215), -1)
            for x in (585, 695):
                cv2.circle(frame, (x, 330), 18, (60, 50, 40), -1)
            cv2.ellipse(frame, (640, 460), (60, 20), 10, 0, 180, (90, 90, 170), 6)
        bench.step(frame, number * STEP)
    assert (bench.view().phase, len(bench.view().known)) == ("show", 0)
    assert bench.view().outline == ()


def test_a_picture_that_a_bad_memory_card_spoiled_is_taken_again(
    tmp_path: Path, renderer: TableRenderer
) -> None:
    before = Enrolling(tmp_path, renderer)
    before.taken(1)
    (tmp_path / "enrol" / GAME / "number%3a1#2.png").write_bytes(b"\x89PNG and then nothing")
    view = Enrolling(tmp_path, renderer).bench.view()
    assert (len(view.known), view.card) == (0, "number:1")


def test_a_table_that_was_not_bare_is_learnt_again(tmp_path: Path, renderer: TableRenderer) -> None:
    bench, noise = EnrolmentTask(tmp_path, GAME), np.random.default_rng(3)
    cup = (("number:8", (150.0, 120.0), 30.0),)
    for number in range(6):
        bench.step(renderer.render(TableScene(cup), noise), number * STEP)
    bench.add_command(CameraCommand("bare"))
    bench.step(renderer.render(TableScene(), noise), 6 * STEP)
    assert bench.view().hint.key == "ui.enrol.bare"
    for number in range(7, 13):
        bench.step(renderer.render(TableScene(), noise), number * STEP)
    assert (bench.view().hint.key, bench.view().outline) == ("ui.enrol.show", ())


def test_cards_that_are_alike_in_the_plain_deck_too_are_not_asked_about(tmp_path: Path) -> None:
    """dnup has pairs that differ by a small sign alone; the same card shown for its like is noticed still."""
    alike = ("pair:1-8", "pair:1-8s", "pair:2-5")
    table = TableRenderer(
        Textures.load(asset_paths.bundled_assets_folder() / "decks" / "dnup"), printed_mat("dnup"), LIVE
    )
    for lays, phase in ((str, "done"), (lambda asked: asked.removesuffix("s"), "clash")):
        with pytest.MonkeyPatch.context() as shorter:
            shorter.setattr(_enrol_bench, "list_cards", lambda game: alike)
            folder = tmp_path / phase
            enrolling = Enrolling(folder, table, lays, game="dnup")
        view = enrolling.until(lambda view: view.phase in {"done", "clash"})
        assert view.phase == phase
