"""A display of 7 inches with the most people: whatever is aimed at is hit, and answers are never cut."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pygame
import pytest
from msgspec.structs import replace

from companion.games import GAMES
from companion.ui.board import stage_layout
from companion.ui.board.plate_choices import CHOICES_OVERLAY, paint_plate_choices
from companion.ui.commands import ChairPress, DeclareAction
from companion.ui.frame import GameFrame, UiState
from companion.ui.layout import Box
from companion.ui.pages.game import GamePage
from companion.ui.toolkit import inputs
from companion.ui.toolkit.theme import INK
from tests.ui import album, games, shown

SIZE = (800, 480)


def largest_tables(language: str) -> Iterator[tuple[str, GameFrame]]:
    """Every screen of every game with the most people it was drawn with."""
    found = defaultdict(list)
    for name, page, frame in album.everything(language):
        if page == "game" and frame.demo is None:
            found[frame.view.game].append((len(frame.view.chairs), name, frame))
    for told in found.values():
        most = max(people for people, _, _ in told)
        yield from ((name, frame) for people, name, frame in told if people == most)


def test_on_seven_inches_nothing_is_too_small_for_a_finger_at_the_largest_tables() -> None:
    seen = set()
    for name, frame in largest_tables("de"):
        sheet = album.sheet_of("game", frame, SIZE, large=False)
        seen.add(frame.view.game)
        assert list(album.faults(name, "game", sheet, SIZE)) == []
    assert len(seen) == len(GAMES)


@pytest.mark.parametrize(("lines", "width"), [(1.0, 320), (1.5, 320), (2.0, 160)])
def test_a_plate_with_room_for_one_line_leaves_no_choice_out(lines: float, width: int) -> None:
    frame = games.frame("searching", 4)
    chair = next(one for one in frame.view.chairs if len(one.choices) == 2)
    sheet = album.sheet_of("game", frame, SIZE, large=False)
    rect = Box(0, 0, width, round(lines * sheet.line_height))
    offered = paint_plate_choices(sheet, rect, chair, frame, INK)
    assert tuple(row.choice for row in offered) == chair.choices
    one, other = (row.rect for row in offered)
    assert one.right <= other.x or one.bottom <= other.y
    assert max(one.bottom, other.bottom) <= rect.bottom


def test_where_half_a_low_plate_is_too_narrow_no_choice_is_cut() -> None:
    frame = games.frame("searching", 4)
    chair = next(one for one in frame.view.chairs if len(one.choices) == 2)
    sheet = album.sheet_of("game", frame, SIZE, large=False)
    before = len(sheet.text_lines)
    offered = paint_plate_choices(sheet, Box(0, 0, 160, sheet.line_height), chair, frame, INK)
    assert [row.choice for row in offered] == [chair.choices[0]]
    assert not any(text.cut for text in sheet.text_lines[before:])


@pytest.fixture
def page() -> GamePage:
    return shown.pages(SIZE)["game"]  # type: ignore[no-any-return]


def tapped(page: GamePage, frame: GameFrame, key: str) -> tuple[UiState, tuple[Any, ...]]:
    (rect,) = (target.rect for target in page.painted_sheet(frame).targets if target.key == key)
    return page.handle(inputs.FingerDown(*rect.center), frame)


def test_where_answers_are_too_close_a_touched_plate_shows_them_large(page: GamePage) -> None:
    frame = games.frame("searching", 8)
    assert not [target for target in page.painted_sheet(frame).targets if target.key.startswith("say:")]
    ui_state, said = tapped(page, frame, "chair:4")
    assert (ui_state.overlay, ui_state.about, said) == (CHOICES_OVERLAY, 4, ())
    opened = dataclasses.replace(frame, ui_state=ui_state)
    ui_state, said = tapped(page, opened, "tile:4:has_not")
    assert [type(one) for one in said] == [DeclareAction]
    assert said[0].action.verb == "has_not"
    assert ui_state.overlay == ""


def test_large_answers_go_away_when_the_button_said_it_first(page: GamePage) -> None:
    late = UiState(overlay=CHOICES_OVERLAY, about=4)
    assert page.active_overlay(games.frame("searching", 8, late)) == CHOICES_OVERLAY
    assert page.active_overlay(games.frame("turning", 8, late)) == ""


def test_of_many_the_one_who_is_asked_has_room_for_two_fingers(page: GamePage) -> None:
    frame = games.frame("asking", 8)
    ui_state, said = tapped(page, frame, "say:1:has_not")
    assert [one.action.verb for one in said] == ["has_not"]
    assert ui_state.overlay == ""


def test_a_plate_with_one_answer_to_a_press_is_touched_anywhere(page: GamePage) -> None:
    frame = games.frame("drawing", 8)
    _, said = tapped(page, frame, "chair:0")
    assert said == (ChairPress(0, down=True),)


def test_during_a_count_touching_a_plate_is_pressing_its_button(page: GamePage) -> None:
    _, said = tapped(page, games.frame("counting", 8), "chair:4")
    assert said == (ChairPress(4, down=True),)


def test_a_plate_that_needs_more_takes_it_from_its_column_and_nobody_changes_places() -> None:
    area = Box(0, 0, *SIZE)
    usual = stage_layout.layout_stage(8, area, SIZE[1] / 100)
    grown = stage_layout.layout_stage(8, area, SIZE[1] / 100, needs=(0, 120, 0, 0, 0, 0, 0, 0))
    assert grown.plates[1].h == 120
    assert [plate.h for plate in grown.plates[4:]] == [plate.h for plate in usual.plates[4:]]
    for stood in (usual, grown):
        left = [plate.y for plate in stood.plates[:4]]
        assert left == sorted(left, reverse=True)
        assert not any(pygame.Rect(one).colliderect(other) for one, other in pairwise(stood.plates))


def test_where_all_of_a_column_need_more_they_stay_equal() -> None:
    area = Box(0, 0, *SIZE)
    usual = stage_layout.layout_stage(8, area, SIZE[1] / 100)
    assert stage_layout.layout_stage(8, area, SIZE[1] / 100, needs=(120,) * 8).plates == usual.plates


def test_large_screens_leave_the_answers_on_every_plate() -> None:
    frame = dataclasses.replace(games.frame("searching", 8), ui_state=replace(UiState(), language="de"))
    sheet = shown.pages((1280, 720))["game"].painted_sheet(frame)
    assert len([target for target in sheet.targets if target.key.startswith("say:")]) == 14


@pytest.mark.parametrize("size", album.SEVEN_INCHES)
def test_yes_and_no_to_a_phone_are_no_smaller_than_any_button_of_the_phones_pages(
    size: tuple[int, int],
) -> None:
    """44 points (WCAG 2.2, 2.5.5); No was 25 high."""
    answers = [
        (target.key, target.rect.size)
        for name, frame in shown.phone_frames("de")
        if name == "phones" and not frame.ui_state.overlay
        for target in album.sheet_of(name, frame, size, large=False).targets
        if target.key.startswith(("yes:", "no:"))
    ]
    assert answers
    assert [(key, rect) for key, rect in answers if min(rect) < 44] == []


@pytest.mark.parametrize("many", range(2, 10))
def test_cards_to_point_at_are_apart_for_a_finger_however_many_they_are(many: int) -> None:
    picks = tuple(f"animal:{number}" for number in range(1, many + 1))
    frame = games.frame("announcing", 4, guide=replace(shown.CALLING, picks=picks))
    sheet = album.sheet_of("game", frame, SIZE, large=False)
    pointed = [target for target in sheet.targets if target.key.startswith("place:")]
    assert len(pointed) == many
    assert all(album.for_a_finger(target, sheet.targets, SIZE) for target in pointed)
