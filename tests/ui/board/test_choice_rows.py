"""What is drawn of a choice in two steps, of rows and of clocks."""

from __future__ import annotations

import dataclasses
from functools import reduce
from typing import Any

import pygame
import pytest
from cups.rules import CUPS, CupsState
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.core.button_choices import PICK, STEP
from companion.core.view import Cell, Choice, ClockView, Sentence
from companion.ui.board.row_centre import CLOCK_PACE, clock_words
from companion.ui.commands import DeclareAction
from companion.ui.frame import DemoInfo, GameFrame, UiState
from companion.ui.pages.game import GamePage
from companion.ui.toolkit import inputs
from tests.ui import album
from tests.ui.game_screens import commands
from tests.ui.shown import screen

LARGE, SMALL = (1280, 720), (800, 480)


def said(state: CupsState, *actions: Action) -> CupsState:
    for action in actions:
        ruled = CUPS.decide(state, ob.ActionDeclared(at=0, action=action))
        state = reduce(CUPS.evolve, ruled, state)
    return state


def bidding() -> CupsState:
    return said(CUPS.initial_state(Setup(tuple(range(6)), CUPS.options())), Action(0, "bid", "4|6"))


def page(size: tuple[int, int] = LARGE) -> GamePage:
    return GamePage(screen(size))


def framed(state: CupsState, **fields: Any) -> GameFrame:
    return GameFrame(ui_state=UiState(), view=replace(CUPS.view(state), **fields), board=CUPS.board)


def touched(shown: GamePage, frame: GameFrame) -> set[Action]:
    return {one.action for one in commands(shown, frame) if isinstance(one, DeclareAction)}


@pytest.mark.parametrize("size", [LARGE, (1024, 600), SMALL])
@pytest.mark.parametrize("number", [5, 8, 9, 17, 30])
def test_every_bid_takes_at_most_four_taps_of_a_finger_and_doubting_never_moves(
    size: tuple[int, int], number: int
) -> None:
    shown, state, frame = page(size), bidding(), framed(bidding())
    offered = [choice.action.parts[:1] for choice in frame.view.chairs[1].choices]
    doubts, wanted = set(), (f"tile:1:bid={number}|6", f"row:{offered.index((number,))}", "rows:more")
    for _ in range(4):
        sheet = shown.painted_sheet(frame)
        spots = {target.key: target.rect for target in sheet.targets}
        assert all(album.for_a_finger(one, sheet.targets, size) for one in sheet.targets)
        doubts.add(spots["tile:1:doubt"].topleft)
        pages = [key for key in spots if key.startswith("rows:") and key != "rows:more"]
        page_of = [key for key in pages if int(key.partition(":")[2]) <= number]
        key = next(key for key in (*page_of[-1:], *wanted) if key in spots)
        for entered in (inputs.FingerDown(*spots[key].center), inputs.FingerUp(*spots[key].center)):
            ui_state, done = shown.handle(entered, frame)
            frame = dataclasses.replace(frame, ui_state=ui_state)
            state = said(state, *(one.action for one in done if isinstance(one, DeclareAction)))
            frame = dataclasses.replace(frame, view=CUPS.view(state))
        if state.bid == (number, 6):
            break
    assert state.bid == (number, 6)
    assert len(doubts) == 1


@pytest.mark.parametrize("size", [LARGE, SMALL])
def test_touching_the_marked_row_on_a_plate_picks_it(size: tuple[int, int]) -> None:
    stepped = said(bidding(), Action(1, STEP, 1))
    (prompt,) = CUPS.prompts(stepped)
    row = prompt.actions.index(Action(1, "bid", "5|1"))
    assert Action(1, STEP, f"{PICK}{row}") in touched(page(size), framed(stepped))


def strings(shown: GamePage, frame: GameFrame) -> list[str]:
    return [line.string for line in shown.painted_sheet(frame).text_lines]


def test_rows_are_the_middle_of_a_table_without_cards() -> None:
    rows = (
        (Cell(clock=ClockView(60 * SECOND, since=0, whole=90 * SECOND)),),
        (Cell(chair=1, value="first", lit=True), Cell(chair=5, value="0.07")),
    )
    over = said(bidding(), Action(1, "doubt"), Action(1, "count", 0))
    view = replace(
        CUPS.view(over), chairs=tuple(replace(one, choices=(), asked=False) for one in CUPS.view(over).chairs)
    )
    frame = GameFrame(ui_state=UiState(), view=replace(view, rows=rows), board=CUPS.board)
    shown = page()
    assert {"first", "0.07"} <= set(strings(shown, frame))
    assert "clock" in shown.painted_sheet(frame).moving
    assert shown.redraw_interval(frame) == CLOCK_PACE


def test_a_running_clock_is_drawn_anew_without_a_ruling() -> None:
    chairs = CUPS.view(bidding()).chairs
    ticking = replace(chairs[4], clock=ClockView(60 * SECOND, since=0, whole=90 * SECOND))
    frame, shown = framed(bidding(), chairs=(*chairs[:4], ticking, *chairs[5:])), page()
    drawn = []
    for now in (0, SECOND // 2, 2 * SECOND):
        surface = pygame.Surface(LARGE)
        shown.draw(surface, frame, now)
        drawn.append(bytes(surface.get_buffer().raw))
    assert drawn[0] != drawn[2]
    assert not shown.needs_redraw(frame, 2 * SECOND + 1)
    assert shown.needs_redraw(frame, 3 * SECOND)


def test_a_clock_shows_nothing_left_only_at_its_end() -> None:
    assert [clock_words(at, down=True) for at in (0, 1, SECOND, 207 * SECOND)] == [
        "0:00",
        "0:01",
        "0:01",
        "3:27",
    ]
    assert [clock_words(at, down=False) for at in (0, 1, SECOND, 3_727 * SECOND)] == [
        "0:00",
        "0:00",
        "0:01",
        "1:02:07",
    ]


def test_what_may_be_done_at_any_time_is_reached_by_the_toolbar_and_by_the_menu() -> None:
    extra = Choice(Action(3, "doubt"), Sentence("cups.do.doubt"), "")
    frame = framed(bidding(), extras=(extra,))
    keys = {target.key for target in page().painted_sheet(frame).targets}
    assert "bar:extras" in keys
    menu = replace_ui(frame, overlay="menu")
    assert "extras" in {target.key for target in page().painted_sheet(menu).targets}
    sheet = replace_ui(frame, overlay="extras")
    assert Action(3, "doubt") in touched(page(), sheet)
    assert "bar:extras" not in {target.key for target in page().painted_sheet(framed(bidding())).targets}


def replace_ui(frame: GameFrame, **changes: Any) -> GameFrame:
    from dataclasses import replace as changed

    return changed(frame, ui_state=replace(frame.ui_state, **changes))


def test_a_demo_of_a_table_without_cards_has_no_camera_to_show() -> None:
    frame = dataclasses.replace(framed(bidding()), demo=DemoInfo(has_camera=False))
    sheet = page().painted_sheet(frame)
    assert "demo:camera" not in {target.key for target in sheet.targets}
    assert "camera" not in sheet.moving
    shown = dataclasses.replace(frame, demo=DemoInfo())
    assert "demo:camera" in {target.key for target in page().painted_sheet(shown).targets}
