"""What speaks below the stage: a lesson's coach, and a demo's caption."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pygame
import pytest
from msgspec.structs import replace

from companion.core.actions import Action
from companion.core.view import Choice, Guidance, Sentence
from companion.ui.board.coach_strip import CoachStrip, lesson_table, said_lines
from companion.ui.board.headline import is_infraction
from companion.ui.board.practice_panel import lesson_hand
from companion.ui.frame import HistoryLine, UiState
from companion.ui.toolkit.theme import GOLD
from tests.languages import LANGUAGES
from tests.teach.learner import Learner
from tests.thorough import some
from tests.ui import games, shown

SIZES = ((800, 480), (1280, 720), (1920, 1080))
PLAYED = [kind for kind, guide in shown.GUIDES.items() if guide.accepts_play]
SPOKEN = [kind for kind in shown.GUIDES if kind not in PLAYED]


def coached(frame: Any, guide: Guidance) -> Any:
    return lesson_table(shown.pages((1280, 720))["game"].painted_sheet(frame), frame, guide)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", PLAYED)
def test_the_strip_lies_below_the_whole_table(size: tuple[int, int], kind: str) -> None:
    frame = games.frame("turning", 4, UiState(language="de"), guide=shown.GUIDES[kind])
    sheet = shown.pages(size)["game"].painted_sheet(frame)
    strip = CoachStrip(sheet, frame, "").rect
    plates = [target.rect for target in sheet.targets if target.key.startswith("chair:")]
    assert len(plates) == 4
    assert all(plate.bottom <= strip.y for plate in plates)
    said = [target.rect for target in sheet.targets if target.key in {"next", "repeat", "show", "skip"}]
    assert said
    assert all(strip.y <= rect.y and rect.bottom <= strip.bottom for rect in said)


@pytest.mark.parametrize("kind", SPOKEN)
def test_while_a_lesson_speaks_nothing_of_the_game_can_be_touched(kind: str) -> None:
    frame = games.frame("turning", 4, UiState(), guide=shown.GUIDES[kind])
    sheet = shown.pages((1280, 720))["game"].painted_sheet(frame)
    touched = {target.key.partition(":")[0] for target in sheet.targets}
    assert touched <= {"answer", "next", "repeat", "skip", "following", "home", "bar"}
    assert any(target.key == ("home" if kind == "done" else "bar:menu") for target in sheet.targets)


def test_after_a_mistake_nobody_is_asked_and_the_headline_says_what_it_led_to() -> None:
    frame, guide = games.frame("turning", 4, UiState(), guide=shown.GUIDES["wrong"]), shown.GUIDES["wrong"]
    deed = HistoryLine(90, Sentence("kinapa.HandTooEarly", (("chair", 3),)))
    turn = HistoryLine(90, Sentence("kinapa.phase.turning", (("chair", 0),)))
    frame = dataclasses.replace(frame, log=(*frame.log, deed, turn))
    assert any(chair.asked for chair in frame.view.chairs)
    table = coached(frame, guide).view
    assert not any(chair.asked or chair.choices for chair in table.chairs)
    assert table.headline == deed.sentence, "and not whose turn it is now"
    assert table.places == frame.view.places, "the table stands as the mistake left it"


def test_who_should_do_nothing_is_offered_nothing_and_the_count_invites_nobody() -> None:
    guide = replace(shown.GUIDES["wait"], shows=False)
    frame = games.frame("counting", 4, UiState(), guide=guide)
    assert any(chair.choices for chair in frame.view.chairs)
    assert not any(chair.choices for chair in coached(frame, guide).view.chairs)
    frame = games.frame("turning", 4, UiState(), guide=guide)
    asked = {chair.chair for chair in frame.view.chairs if chair.choices}
    offered = {chair.chair for chair in coached(frame, guide).view.chairs if chair.choices}
    assert offered == asked - {guide.chair}


def test_what_another_player_is_asked_stands_on_their_plate_and_nobody_can_touch_it() -> None:
    frame = games.frame("asking", 4, guide=shown.WATCHED)
    sheet = shown.pages((1280, 720))["game"].painted_sheet(frame)
    plate = next(target.rect for target in sheet.targets if target.key == "chair:1")
    assert "I have it" in {text.string for text in sheet.text_lines if plate.contains(text.rect)}
    assert not [target.key for target in sheet.targets if target.key.startswith("say:")]


def test_after_a_mistake_a_hand_that_is_shown_to_the_camera_stays_unseen() -> None:
    frame = games.frame("turning", 4, UiState(), guide=shown.GUIDES["wrong"])
    dark = dataclasses.replace(frame, view=replace(frame.view, dark=True))
    sheet = shown.pages((1280, 720))["game"].painted_sheet(dark)
    assert {target.key.partition(":")[0] for target in sheet.targets} <= {"next", "repeat", "skip", "bar"}


@pytest.mark.parametrize("kind", [kind for kind in shown.GUIDES if kind not in {"note", "warn"}])
def test_a_lesson_says_one_sentence_above_the_table_and_one_in_the_strip(kind: str) -> None:
    guide = shown.GUIDES[kind]
    frame = games.frame("turning", 4, UiState(), guide=guide)
    sheet = shown.pages((1280, 720))["game"].painted_sheet(frame)
    assert len(said_lines(sheet, frame, guide)) <= 1
    said, written = sheet.sentence(guide.say), " ".join(text.string for text in sheet.text_lines)
    assert written.count(said) <= 1
    if guide.kind == "wait":
        assert coached(frame, guide).view.headline.key == guide.say.key
        assert coached(frame, guide).view.headline.parts == frame.view.headline.parts, "as the game asks"
        assert coached(frame, guide).view.hint is None


def test_what_the_others_could_press_is_not_offered_in_a_lesson() -> None:
    guide = shown.GUIDES["counting"]
    frame = games.frame("counting", 4, UiState(), guide=guide)
    assert {chair.chair for chair in frame.view.chairs if chair.choices} - {guide.chair}
    assert {one.chair for one in coached(frame, guide).view.chairs if one.choices} <= {guide.chair}
    sheet = shown.pages((1280, 720))["game"].painted_sheet(frame)
    raised = [text for text in sheet.text_lines if text.string == sheet.tr("kinapa.do.raise")]
    assert len(raised) <= 1


def test_who_has_no_button_for_a_place_is_told_the_keys() -> None:
    told = shown.pages((1280, 720))["game"]
    guide = shown.GUIDES["counting"]
    point = Choice(Action(0, "point", 1), Sentence("kabuki.do.point", (("value", 1),)), "next")
    for by_keys, seat in ((True, 0), (False, 0), (True, 1)):
        frame = games.frame("turning", 4, UiState(), guide=guide, by_keys=by_keys)
        shared = (replace(point, action=Action(seat, "point", 1)),)
        frame = dataclasses.replace(frame, view=replace(frame.view, shared=shared))
        sheet = told.painted_sheet(frame)
        written = " ".join(text.string for text in sheet.text_lines)
        assert (sheet.tr("ui.lesson.arrows") in written) == (by_keys and seat == guide.chair)


@pytest.mark.parametrize("size", SIZES)
def test_wrong_cards_lie_large_and_the_other_answers_stay(size: tuple[int, int]) -> None:
    frame = games.frame("turning", 4, UiState(), guide=shown.GUIDES["mistaken"])
    sheet = shown.pages(size)["game"].painted_sheet(frame)
    (sign,) = [text.rect for text in sheet.text_lines if text.string == "5 = 6"]
    answers = {target.key: target.rect for target in sheet.targets if target.key.startswith("answer:")}
    assert set(answers) == {"answer:2", "answer:3"}
    assert all(sign.right <= rect.x for rect in answers.values())
    assert all(rect.h > size[1] // 5 for rect in answers.values())


@pytest.mark.parametrize("size", SIZES)
def test_cards_are_laid_out_hand_by_hand(size: tuple[int, int]) -> None:
    """No list: four cards and where they go, in one sentence."""
    for kind in ("lay", "ring"):
        guide = shown.GUIDES[kind]
        sheet = shown.pages(size)["game"].painted_sheet(games.frame("turning", 4, UiState(), guide=guide))
        long = [text.string for text in sheet.text_lines if len(text.string.split()) > 3]
        assert len(long) <= 1 + 2 * bool(guide.misplaced), long


def test_answers_are_drawn_with_the_cards_that_they_name() -> None:
    plain = shown.GUIDES["quiz"]
    named = (("animal:5", "shelter:6"), ("animal:5", "shelter:5"), ("animal:7",))
    page = shown.pages((1280, 720))["game"]
    words, cards = (
        page.painted_sheet(games.frame("turning", 4, UiState(), guide=guide))
        for guide in (plain, replace(plain, answer_cards=named))
    )
    for sheet in (words, cards):
        assert [target.key for target in sheet.targets][:3] == ["answer:1", "answer:2", "answer:3"]
        assert not any(text.cut for text in sheet.text_lines)
    first = next(target.rect for target in cards.targets if target.key == "answer:1")
    assert first.h > 2 * next(target.rect for target in words.targets if target.key == "answer:1").h


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("players", [4, 8])
def test_the_cameras_picture_covers_nothing_of_a_demos_table(size: tuple[int, int], players: int) -> None:
    frame = games.frame("turning", players, demo=games.DEMO, camera=np.zeros((480, 640, 3), np.uint8))
    sheet = shown.pages(size)["game"].painted_sheet(frame)
    picture = sheet.moving["camera"]
    covered = [target.key for target in sheet.targets if target.rect.colliderect(picture)]
    assert covered == []
    assert picture.h > size[1] // 12


def test_a_captions_place_is_the_strip_and_not_the_head() -> None:
    said = Sentence("kinapa.PairPlaced", (("chair", 0), ("number", 3), ("slot", 2)))
    frame = games.frame("turning", 4, demo=replace(games.DEMO, caption=said), say=said)
    sheet = shown.pages((1280, 720))["game"].painted_sheet(frame)
    words = sheet.sentence(said)
    lines = [text for text in sheet.text_lines if len(text.string) > 10 and text.string in words]
    assert lines
    assert all(text.rect.y > 720 * 3 // 4 for text in lines)


@pytest.mark.parametrize("size", some(SIZES))
@pytest.mark.parametrize("code", some(LANGUAGES))
def test_a_lesson_about_sets_has_them_the_hand_and_what_may_be_done_on_one_felt(
    size: tuple[int, int], code: str, tmp_path: Path
) -> None:
    learner = Learner(tmp_path, "dnup/3-5", drawn=True)
    while not learner.card().startswith("4") or learner.kind() != "wait":
        here = learner.card().startswith("4")
        ways = {"say": "next", "well": "next", "quiz": "answer:3"}
        learner.touch(ways.get(learner.kind(), "skip") if here else "skip")
        learner.run(0.5)
    frame: Any = learner.app.frame()
    learner.close()
    frame = dataclasses.replace(frame, ui_state=UiState(language=code))
    sheet = shown.pages(size)["game"].painted_sheet(frame)
    strip = CoachStrip(sheet, frame, "").rect
    tapped = [target.rect for target in sheet.targets if target.key.startswith(("card:", "place:set:"))]
    assert len(tapped) == 4 + 2
    assert all(rect.bottom < strip.y for rect in tapped)
    (makes,) = (target.rect for target in sheet.targets if target.key == "answer:1")
    assert makes.y > strip.y
    assert not [text.string for text in sheet.text_lines if text.cut]


def test_while_a_number_is_counted_the_learners_own_card_of_it_stands_higher() -> None:
    area = shown.pages((1280, 720))["game"].painted_sheet(games.frame("counting", 4, UiState())).rect
    for phase, lifted in (("counting", (1,)), ("pairing", ())):
        held = lesson_hand(games.frame(phase, 4, UiState(), guide=shown.RAISED), area)
        assert held is not None
        assert held.tapped == lifted, "the 7 of cat 5, basket 7, dog 2 and kennel 4"


@pytest.mark.parametrize("size", SIZES)
def test_the_number_that_others_are_asked_for_stands_large_and_no_place_takes_its_room(
    size: tuple[int, int],
) -> None:
    sheet = shown.pages(size)["game"].painted_sheet(games.frame("asking", 4, guide=shown.WATCHED))
    assert not any(name.startswith("card:slot") for name in sheet.placed)
    (number,) = (text for text in sheet.text_lines if text.string == "7")
    assert number.rect.h > 1.5 * sheet.line_height


def test_what_is_praised_is_never_shown_as_a_broken_rule() -> None:
    """A picture that was taken before an object was turned back is read after it."""
    lines = tuple(
        HistoryLine(seq, Sentence(key, (("slot", 1), ("chair", 0))))
        for seq, key in ((1, "kinapa.ObjectHidden"), (2, "kinapa.rule.object.out_of_turn"))
    )
    frame = games.frame("turning", 4, log=lines)
    for kind, red in (("well", False), ("wrong", True)):
        assert is_infraction(coached(frame, replace(shown.GUIDES["well"], kind=kind))) is red


def test_the_marked_answer_is_golden_and_higher_and_no_ring_is_drawn_round_it() -> None:
    cards = replace(shown.GUIDES["quiz"], answer_cards=(("animal:5",), ("animal:7",), ("shelter:5",)))
    page = shown.pages((800, 480))["game"]
    golden = []
    for focus in ("answer:2", "answer:3"):
        frame = games.frame("turning", 4, UiState(focus=focus), guide=cards)
        surface = pygame.Surface((800, 480))
        page.draw(surface, frame, 0)
        (rect,) = (one.rect for one in page.painted_sheet(frame).targets if one.key == "answer:2")
        above = surface.subsurface(pygame.Rect(rect.x, rect.y - 8, rect.w, 16))
        golden.append(pygame.mask.from_threshold(above, GOLD, (8, 8, 8, 255)).count())
    assert golden[0] > rect.w // 2 > golden[1]


@pytest.mark.parametrize("kind", ["say", "wait"])
def test_beside_continue_alone_stand_no_key_and_no_title(kind: str) -> None:
    guide = replace(shown.GUIDES[kind], note=None)
    frame = games.frame("turning", 4, guide=guide)
    sheet = shown.pages((800, 480))["game"].painted_sheet(frame)
    CoachStrip(sheet, frame, "k").paint()
    written = {text.string for text in sheet.text_lines}
    assert (sheet.tr("ui.lesson.key", name="K") in written) == (kind == "wait")
    assert sheet.sentence(guide.title) not in written or kind == "wait"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", ["", "k"])
def test_one_short_thing_takes_one_line_and_what_stands_above_is_not_said_again(
    size: tuple[int, int], key: str
) -> None:
    short = shown.GUIDES["lay"]
    repeats = replace(short, note=None, title=short.say)
    frame = games.frame("turning", 4, guide=repeats)
    sheet = shown.pages(size)["game"].painted_sheet(frame)
    assert said_lines(sheet, frame, repeats) == []
    frame = dataclasses.replace(frame, guide=repeats)
    long = dataclasses.replace(frame, guide=shown.GUIDES["warn"])
    low, high = (CoachStrip(sheet, one, key).rect.h for one in (frame, long))
    assert low <= high * 3 // 5


def test_who_is_told_to_press_is_called_whoever_the_game_asks() -> None:
    guide = replace(shown.GUIDES["wait"], chair=2, shows=True)
    frame = games.frame("turning", 4, UiState(), guide=guide)
    assert [one.chair for one in frame.view.chairs if one.asked] == [0]
    assert [one.chair for one in coached(frame, guide).view.chairs if one.asked] == [2]


def first_task(tmp_path: Path, lesson: str) -> Any:
    learner = Learner(tmp_path, lesson, drawn=True)
    while learner.kind() != "wait":
        learner.touch("next" if "next" in learner.touchable() else "skip")
        learner.run(0.5)
    frame: Any = learner.app.frame()
    learner.close()
    return dataclasses.replace(frame, ui_state=UiState(language="en", calm=True))


@pytest.mark.parametrize("size", SIZES)
def test_one_card_lies_beside_the_plate_of_its_player_and_the_level_on_one_line(
    size: tuple[int, int], tmp_path: Path
) -> None:
    sheet = shown.pages(size)["game"].painted_sheet(first_task(tmp_path, "in_order/2-8"))
    card, others = sheet.placed["held:0"].rect, [sheet.placed[f"chair:{chair}"].rect for chair in (1, 2)]
    own = sheet.placed["chair:0"].rect
    assert all(abs(card.centerx - own.x) < abs(card.centerx - one.x) for one in others)
    assert "Level 1" in {text.string for text in sheet.text_lines}


@pytest.mark.parametrize("size", SIZES)
def test_the_hand_of_a_lesson_of_tricks_lies_below_the_trick(size: tuple[int, int], tmp_path: Path) -> None:
    sheet = shown.pages(size)["game"].painted_sheet(first_task(tmp_path, "hearts/4"))
    trick = [one.rect for name, one in sheet.placed.items() if name.startswith("card:")]
    hand = [one.rect for name, one in sheet.placed.items() if name.startswith("held:")]
    assert trick
    assert max(one.bottom for one in trick) <= min(one.y for one in hand)
    assert min(one.h for one in hand) > size[1] // 4


@pytest.mark.parametrize(("halved", "told"), [(True, False), (False, True)])
def test_that_a_tap_steps_is_told_only_where_it_does(halved: bool, told: bool) -> None:
    """Of many numbers a press takes a half."""
    frame = games.frame("announcing", 4, UiState())
    asked = next(one for one in frame.view.chairs if len(one.choices) > 2)
    assert not any(choice.marked for choice in asked.choices)
    marked = tuple(replace(one, marked=place == 0) for place, one in enumerate(asked.choices))
    chairs = [one if halved or one != asked else replace(one, choices=marked) for one in frame.view.chairs]
    guide = replace(shown.GUIDES["wait"], chair=asked.chair, shows=True)
    frame = dataclasses.replace(frame, guide=guide, view=replace(frame.view, chairs=tuple(chairs)))
    sheet = shown.pages((1280, 720))["game"].painted_sheet(frame)
    assert CoachStrip(sheet, frame, "")._steps() == told
