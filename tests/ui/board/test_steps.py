"""What people do next, step by step, and the plate of whoever is asked."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.view import Sentence
from companion.ui.board.steps import list_steps
from companion.ui.frame import UiState
from companion.ui.toolkit.theme import GOLD, PAPER, RAISED
from tests.ui import games, kept, shown
from tests.ui.board import test_kabuki_screens, test_kobayakawa_screens

SIZES = ((1280, 720), (800, 480))
WON = Sentence("kobayakawa.RoundWon", (("chair", 3), ("total", 10), ("count", 5)))


def caught(ui_state: UiState | None = None) -> Any:
    return games.frame("returning", 4, ui_state, current_verdict=(shown.punished(3), 0))


def round_won(ui_state: UiState | None = None) -> Any:
    frame = test_kobayakawa_screens.frame(test_kobayakawa_screens.stories()["won"], ui_state or UiState())
    return dataclasses.replace(frame, current_verdict=(WON, 0))


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        (caught(), ["Take two Foxes", "Turn your old cards face up", "Emperor, give Zoé a different card."]),
        (round_won(), ["Take 5 kamons", "Shuffle and deal"]),
    ],
)
def test_what_to_do_after_a_verdict_is_numbered_steps_with_who_does_each_and_a_picture(
    frame: Any, told: list[str]
) -> None:
    sheet = shown.pages(SIZES[0])["game"].painted_sheet(frame)
    steps = list_steps(sheet, frame, frame.current_verdict[0])
    assert [sheet.sentence(step.said) for step in steps] == told
    assert all(step.pictures and step.chairs for step in steps)
    above = sheet.moving["flood"].bottom
    numbers = [text for text in sheet.text_lines if text.rect.y > above and PAPER in text.grounds]
    assert [text.string for text in numbers] == [str(number) for number in range(1, len(told) + 1)]


@pytest.mark.parametrize("size", SIZES)
def test_what_the_steps_say_is_not_said_above_them_as_well(size: tuple[int, int]) -> None:
    sheet = shown.pages(size)["game"].painted_sheet(caught())
    assert " ".join(text.string for text in sheet.text_lines).count("Foxes") == 1


@pytest.mark.parametrize("size", SIZES)
def test_a_step_that_is_alone_says_what_the_button_does_and_fills_its_box(size: tuple[int, int]) -> None:
    laid = Sentence("kinapa.PairPlaced", (("chair", 0), ("number", 7), ("slot", 5)))
    sheet = shown.pages(size)["game"].painted_sheet(games.frame("announcing", 4, current_verdict=(laid, 0)))
    above = sheet.moving["flood"].bottom
    foot = [text for text in sheet.text_lines if text.rect.y > above]
    assert {"1 to 4", "5 to 7"} <= {text.string for text in foot if PAPER in text.grounds}
    right = max(text.rect.right for text in foot if {PAPER, RAISED} & {*text.grounds})
    assert right > size[0] * 0.7


def _plates() -> list[tuple[str, Any]]:
    return [
        (name, frame)
        for name, page, frame in kept.screens()
        if page == "game"
        and frame.guide is None
        and frame.demo is None
        and frame.current_verdict is None
        and frame.exhibit is None
        and not frame.ui_state.overlay
        and sum(chair.asked for chair in frame.view.chairs) == 1
    ]


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("name", "frame"), _plates(), ids=[name for name, _ in _plates()])
def test_nothing_on_the_plate_of_who_is_asked_is_larger_than_the_name(
    name: str, frame: Any, size: tuple[int, int], large: bool
) -> None:
    frame = dataclasses.replace(frame, ui_state=replace(frame.ui_state, large=large))
    sheet = shown.pages(size)["game"].painted_sheet(frame)
    asked = next(chair for chair in frame.view.chairs if chair.asked)
    plate = next(target.rect for target in sheet.targets if target.key == f"chair:{asked.chair}")
    on_it = [text for text in sheet.text_lines if plate.contains(text.rect) and PAPER in text.grounds]
    (own,) = [text for text in on_it if text.string == sheet.name(asked.chair)]
    assert own.size == max(text.size for text in on_it), name
    others = [
        text.size
        for text in sheet.text_lines
        if text.string in {sheet.name(one.chair) for one in frame.view.chairs if one is not asked}
    ]
    assert large or own.size >= max(others), name


@pytest.mark.parametrize("size", SIZES)
def test_every_move_of_a_turn_stands_beside_its_picture(size: tuple[int, int]) -> None:
    (frame,) = [frame for name, _, frame in kept.screens() if name == "dnup-2-acting"]
    sheet = shown.pages(size)["game"].painted_sheet(frame)
    asked = next(chair for chair in frame.view.chairs if chair.asked)
    plate = next(target.rect for target in sheet.targets if target.key == f"chair:{asked.chair}")
    for choice in asked.choices:
        words = sheet.sentence(choice.label)
        (text,) = [one for one in sheet.text_lines if one.string == words and not plate.contains(one.rect)]
        before = text.rect.move(-3 * sheet.unit, 0).clip(sheet.surface.get_rect())
        seen = {
            sheet.surface.get_at((x, y))[:3]
            for x in range(before.x, text.rect.x)
            for y in range(before.y, before.bottom)
        }
        assert GOLD in seen, words


def test_a_stop_is_answered_by_buttons_with_pictures() -> None:
    frame = test_kabuki_screens.frame(test_kabuki_screens.stories()["tie"], UiState())
    asked = next(chair for chair in frame.view.chairs if chair.asked)
    assert {choice.action.verb for choice in asked.choices} <= frame.board.verb_pictures.keys()


@pytest.mark.parametrize("size", SIZES)
def test_where_cards_are_tapped_in_practice_the_plate_offers_no_presses_and_the_strip_says_what_to_do(
    size: tuple[int, int],
) -> None:
    (frame,) = [frame for name, _, frame in kept.screens() if name == "practice"]
    sheet = shown.pages(size)["game"].painted_sheet(frame)
    told = " ".join(text.string for text in sheet.text_lines)
    assert "1 to 4" not in told
    assert "Press the gold button" in told
    own = next(target.rect for target in sheet.targets if target.key == "card:0")
    others = [target.rect for target in sheet.targets if target.key.startswith("place:animal:")]
    assert len(others) == 4
    assert min(one.h for one in others) > size[1] // 6
    assert own.h > max(one.h for one in others)
    waiting = dataclasses.replace(frame, guide=replace(frame.guide, answers=(), tapped=()))
    bare = shown.pages(size)["game"].painted_sheet(waiting)
    assert not any("gold button" in text.string for text in bare.text_lines)
