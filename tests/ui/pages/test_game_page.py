"""The game page: what the table sees of a count, an audit and a verdict, and what a press becomes."""

from __future__ import annotations

import dataclasses
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pygame
import pytest
from msgspec.structs import replace

from companion.core.actions import HOLD_TIME, SECOND, Action
from companion.core.observations import ButtonHeld
from companion.core.view import CountView, Sentence, Token
from companion.games import mat_layout
from companion.ui.board import stage_layout
from companion.ui.board.count_ring import current_beat, elapsed_share
from companion.ui.board.plate_choices import CHOICES_OVERLAY
from companion.ui.commands import (
    ChairPress,
    ContinueGame,
    DeclareAction,
    LeaveOrQuit,
    PauseGame,
    SharedPress,
    SpeakSentences,
)
from companion.ui.frame import UiState
from companion.ui.layout import Box
from companion.ui.overlays.key_list import EVERYWHERE, IN_GAME
from companion.ui.pages.game import GamePage
from companion.ui.toolkit import inputs
from companion.ui.toolkit.sheet import touch_action
from tests.ui import games, shown
from tests.ui.game_screens import SIZE, commands, drawn, strings


@pytest.fixture
def page() -> GamePage:
    return shown.pages(SIZE)["game"]  # type: ignore[no-any-return]


# Tokens


def with_token(token: Token) -> Any:
    """A frame whose first chair has this in front of it, and nothing else."""
    frame = games.frame("turning")
    chairs = (replace(frame.view.chairs[0], tokens=(token,)), *frame.view.chairs[1:])
    return dataclasses.replace(frame, view=replace(frame.view, chairs=chairs))


def test_a_token_that_is_called_like_no_picture_is_drawn_as_a_plain_counter(page: GamePage) -> None:
    unknown = drawn(page, with_token(Token("points", 3)))
    assert unknown == drawn(page, with_token(Token("points", 3, motif="counter")))
    assert unknown != drawn(page, with_token(Token("points", 3, motif="cards")))


# The count


def test_the_ring_is_open_before_the_first_beat_and_closed_at_the_end_of_the_third_second() -> None:
    count = CountView(first_beat=10 * SECOND, beats=3, number=7)
    assert [elapsed_share(count, at * SECOND) for at in (9, 10, 13, 20)] == [0.0, 0.0, 1.0, 1.0]
    assert elapsed_share(count, 11_500_000) == pytest.approx(0.5)


def test_the_beats_are_struck_at_0_1_and_2_seconds() -> None:
    count = CountView(first_beat=10 * SECOND, beats=3, number=7)
    at = [9_999_999, 10_000_000, 10_999_999, 11_000_000, 12_000_000, 12_999_999]
    assert [current_beat(count, now) for now in at] == [0, 1, 1, 2, 3, 3]


def test_a_count_that_nobody_heard_yet_stands_still() -> None:
    assert elapsed_share(CountView(None, 3, 7), 99 * SECOND) == 0.0
    assert current_beat(CountView(None, 3, 7), 99 * SECOND) == 0


def test_the_running_count_is_drawn_anew_and_a_standing_one_is_not(page: GamePage) -> None:
    counting, announced = games.frame("counting"), games.frame("announced")
    assert drawn(page, counting, SECOND) != drawn(page, counting, 2 * SECOND)
    assert page.needs_redraw(counting, 2 * SECOND + 20_000)
    drawn(page, announced, SECOND)
    assert not page.needs_redraw(announced, 2 * SECOND)


def test_a_raised_hand_changes_the_picture_during_the_count(page: GamePage) -> None:
    frame = games.frame("counting")
    chairs = tuple(replace(chair, raised=not chair.raised) for chair in frame.view.chairs)
    other = dataclasses.replace(frame, view=replace(frame.view, chairs=chairs))
    assert drawn(page, frame) != drawn(page, other)


def test_an_overlay_folds_away_when_a_window_opens(page: GamePage) -> None:
    frame = games.frame("counting", ui_state=UiState(overlay="log"))
    assert page.active_overlay(frame) == ""
    assert not page.takes_shared_buttons(frame)


@pytest.mark.parametrize(
    ("key", "asked"), [("m", "menu"), ("u", "take_back"), ("c", "correct"), ("f1", "help")]
)
def test_what_is_asked_for_in_a_count_stops_it_first(page: GamePage, key: str, asked: str) -> None:
    ui_state, wanted = page.handle(inputs.KeyPressed(key), games.frame("counting"))
    assert ui_state.overlay == asked
    assert wanted == (PauseGame(),)
    ui_state, wanted = page.handle(inputs.KeyPressed(key), games.frame("turning"))
    assert (ui_state.overlay, wanted) == (asked, ())


def test_a_touch_in_the_count_is_the_chairs_button_down_and_up(page: GamePage) -> None:
    frame = games.frame("counting")
    target = next(one for one in page.painted_sheet(frame).targets if one.key == "chair:1")
    ui_state, down = page.handle(inputs.FingerDown(*target.rect.center, finger=4), frame)
    assert down == (ChairPress(1, down=True),)
    _, up = page.handle(inputs.FingerUp(0, 0, finger=4), dataclasses.replace(frame, ui_state=ui_state))
    assert up == (ChairPress(1, down=False),)


def test_in_the_count_no_choice_is_said_on_the_screen(page: GamePage) -> None:
    for target in page.painted_sheet(games.frame("counting")).targets:
        assert not any(isinstance(command, DeclareAction) for command in target.action.commands)


# Keys and buttons


@pytest.mark.parametrize(
    ("key", "command"),
    [
        ("3", ChairPress(2, down=True, source="key")),
        ("space", SharedPress("ok", down=True, source="key")),
        ("left", SharedPress("back", down=True, source="key")),
        ("right", SharedPress("next", down=True, source="key")),
        ("p", PauseGame()),
    ],
)
def test_keys_stand_in_for_buttons(page: GamePage, key: str, command: object) -> None:
    assert page.handle(inputs.KeyPressed(key), games.frame("announcing"))[1] == (command,)


@pytest.mark.parametrize(
    ("key", "command"),
    [
        ("3", ChairPress(2, down=False, source="key")),
        ("space", SharedPress("ok", down=False, source="key")),
    ],
)
def test_letting_a_key_go_lets_the_button_go(page: GamePage, key: str, command: object) -> None:
    assert page.handle(inputs.KeyReleased(key), games.frame("announcing"))[1] == (command,)


def test_chair_buttons_go_to_the_game_even_while_a_menu_is_open(page: GamePage) -> None:
    frame = games.frame("announcing", ui_state=UiState(overlay="log"))
    assert page.handle(inputs.KeyPressed("2"), frame)[1] == (ChairPress(1, down=True, source="key"),)


def test_everything_on_the_bar_is_also_in_the_menu_of_a_paused_game(page: GamePage) -> None:
    bar = {
        target.key: target.action
        for target in page.painted_sheet(games.frame("turning")).targets
        if target.key.startswith("bar:")
    }
    assert set(bar) == {"bar:menu", "bar:undo", "bar:help"}
    menu = {target.key: target.action for target in page.painted_sheet(games.frame("paused")).targets}
    assert bar["bar:help"] == menu["assist"]
    right = games.frame("paused", ui_state=UiState(overlay="wrong"))
    assert menu["wrong"] == touch_action(overlay="wrong")
    assert bar["bar:undo"] in {target.action for target in page.painted_sheet(right).targets}


def test_what_is_at_hand_stays_in_its_place_whether_or_not_it_can_be_used(page: GamePage) -> None:
    able = games.frame("turning")
    sheets = [page.painted_sheet(dataclasses.replace(able, can_undo=can)) for can in (True, False)]
    one, other = ({target.key: target.rect for target in sheet.targets} for sheet in sheets)
    assert "bar:undo" in one
    assert "bar:undo" not in other
    assert one["bar:help"] == other["bar:help"]
    drawn = [{line.string: line.rect for line in sheet.text_lines} for sheet in sheets]
    assert drawn[0]["Undo"] == drawn[1]["Undo"], "greyed, in its place"


def test_the_menu_is_five_cards_and_what_is_rare(page: GamePage) -> None:
    frame = games.frame("turning", ui_state=UiState(overlay="menu"), joinable=True, judge="free")
    listed = [target.key for target in page.painted_sheet(frame).targets]
    assert listed == ["close", "wrong", "assist", "settings", "leave", "pause", "phones", "judge"]
    own = games.frame("turning", guide=shown.guidance("practice", "lesson.practice.say"))
    for now, lost in ((frame, False), (own, True)):
        shot = dataclasses.replace(now, ui_state=UiState(overlay="menu"))
        assert ("not kept" in {line.string for line in page.painted_sheet(shot).text_lines}) == lost


def test_what_is_marked_in_the_menu_stands_alone_and_larger(page: GamePage) -> None:
    size = page.resources.size
    first = games.frame("turning", ui_state=UiState(overlay="menu"))
    second = dataclasses.replace(first, ui_state=UiState(overlay="menu", focus="wrong"))
    drawn = []
    for frame in (first, second, first):
        drawn.append(pygame.Surface(size))
        page.draw(drawn[-1], frame, 0)
    places = {target.key: target.rect for target in page.painted_sheet(first).targets}
    one, other, again = ({key: _pixels(surface, rect) for key, rect in places.items()} for surface in drawn)
    changed = {key for key in places if one[key] != other[key]}
    assert {"close", "wrong"} <= changed <= {"close", "wrong", "assist"}, "a little light falls on the next"
    assert one == again


def _pixels(surface: pygame.Surface, rect: pygame.Rect) -> bytes:
    return pygame.image.tobytes(surface.subsurface(rect), "RGB")


def leads_to(page: GamePage, start: str) -> set[str]:
    """Every sheet that touches reach from this one."""
    found, open_now = set(), [start]
    while open_now:
        here = games.frame("turning", ui_state=UiState(overlay=open_now.pop()))
        next_ones = {dict(one.action.changes).get("overlay", "") for one in page.painted_sheet(here).targets}
        open_now += sorted(next_ones - found - {""})
        found |= next_ones - {""}
    return found


def test_whatever_has_a_key_is_also_reached_by_touch_from_menu_or_help(page: GamePage) -> None:
    by_key = {dict(does.changes).get("overlay", "") for does in page.shortcuts.values()} - {"", "menu"}
    assert by_key <= leads_to(page, "menu")
    assert {"why", "may", "wrong", "correct", "repair", "take_back"} <= leads_to(page, "assist")
    said = {
        command
        for overlay in ("menu", "assist")
        for command in commands(page, games.frame("turning", ui_state=UiState(overlay=overlay)))
    }
    assert {PauseGame(), SpeakSentences()} <= said


def test_the_shared_buttons_are_shown_to_whoever_used_them_last(page: GamePage) -> None:
    def shared(**more: bool) -> set[str]:
        sheet = page.painted_sheet(games.frame("choosing", 8, UiState(**more)))
        return {target.key for target in sheet.targets if target.key.startswith("shared:")}

    assert shared() == set()
    assert shared(buttons=True) == {"shared:back", "shared:next"}  # of halves


SHEETS = ("menu", "assist", "wrong", "log", "why", "may", "take_back", "correct", "repair")


@pytest.mark.parametrize(
    ("key", "sheet"),
    [
        (key, dict(does.changes)["overlay"])
        for key, does in GamePage.shortcuts.items()
        if "overlay" in dict(does.changes)
    ],
)
def test_a_key_opens_its_sheet_over_any_other_and_puts_it_away_again(
    page: GamePage, key: str, sheet: str
) -> None:
    for other in SHEETS:
        ui_state, _ = page.handle(
            inputs.KeyPressed(key), games.frame("turning", ui_state=UiState(overlay=other))
        )
        assert ui_state.overlay == ("" if other == sheet else sheet)


def test_the_key_that_begins_a_pause_ends_it(page: GamePage) -> None:
    for overlay in ("", "log"):
        paused = games.frame("paused", ui_state=UiState(overlay=overlay))
        ui_state, told = page.handle(inputs.KeyPressed("p"), paused)
        assert (ui_state.overlay, told) == ("", (ContinueGame(),))


@pytest.mark.parametrize(
    ("sheet", "likely"),
    [
        *(("menu", "close"), ("assist", "why"), ("why", "close"), ("log", "close"), ("may", "close")),
        *(("take_back", "do"), ("correct", "close"), ("leave", "later"), ("help", "close")),
    ],
)
def test_every_sheet_begins_at_its_likely_control(page: GamePage, sheet: str, likely: str) -> None:
    marked = page.focused_target(games.frame("turning", ui_state=UiState(overlay=sheet)))
    assert marked is not None
    assert marked.key == likely


def test_a_paused_game_shows_its_menu_and_goes_on_with_the_first_entry(page: GamePage) -> None:
    frame = games.frame("paused")
    assert page.takes_shared_buttons(frame)
    assert page.handle(inputs.KeyPressed("return"), frame)[1] == (ContinueGame(),)
    assert page.handle(inputs.KeyPressed("escape"), frame)[1] == (ContinueGame(),)


def test_holding_back_closes_an_overlay(page: GamePage) -> None:
    frame = games.frame("turning", ui_state=UiState(overlay="why"))
    held = ButtonHeld(at=0, chair=None, button="back")
    assert page.handle(held, frame)[0].overlay == ""


def test_escape_asks_before_a_demo_is_left_and_opens_the_menu_of_a_game(page: GamePage) -> None:
    key = inputs.KeyPressed("escape")
    ui_state, told = page.handle(key, games.frame("turning", demo=games.DEMO))
    assert (ui_state.overlay, told) == ("leave", ())
    assert page.handle(
        inputs.KeyPressed("return"), games.frame("turning", demo=games.DEMO, ui_state=ui_state)
    )[1] == (LeaveOrQuit(),)
    assert page.handle(key, games.frame("turning", demo=games.DEMO, ui_state=ui_state))[0].overlay == ""
    ui_state, told = page.handle(key, games.frame("turning"))
    assert (ui_state.overlay, told) == ("menu", ())


def test_every_shortcut_is_listed_in_the_help(page: GamePage) -> None:
    assert {key.lower() for key, _ in IN_GAME} == set(page.shortcuts)
    assert "?" in dict(EVERYWHERE)
    ui_state, _ = page.handle(inputs.KeyPressed("/", "?", shift=True), games.frame("turning"))
    assert ui_state.overlay == "help"


@pytest.mark.parametrize(
    "phase", [name for name in games.stories(8) if name not in {"announced", "counting"}]
)
def test_every_choice_of_the_view_can_be_said_on_the_screen(page: GamePage, phase: str) -> None:
    for players in (4, 8):
        frame = games.frame(phase, players)
        wanted = {DeclareAction(choice.action) for chair in frame.view.chairs for choice in chair.choices}
        asked = next((chair.chair for chair in frame.view.chairs if chair.choices), 0)
        large = games.frame(phase, players, UiState(overlay=CHOICES_OVERLAY, about=asked))
        assert wanted <= commands(page, frame) | commands(page, large)


def test_a_touched_place_is_said_with_the_object_that_lies_there(page: GamePage) -> None:
    frame = games.frame("turning", 4)
    place = next(one for one in page.painted_sheet(frame).targets if one.key == "place:slot:5")
    ui_state, _ = page.handle(inputs.FingerDown(*place.rect.center), frame)
    after = games.frame("turning", 4, ui_state=ui_state)
    assert DeclareAction(Action(0, "turn", "1-2@5")) in commands(page, after)


def test_the_ring_on_the_screen_lies_as_on_the_mat() -> None:
    for players in range(4, 9):
        layout = mat_layout("kinapa", players)
        slots = [place for place in layout.places if place.name.startswith("slot:")]
        shown_there = games.RULES.view(games.started(players)).places
        cells = stage_layout.place_cells(shown_there, Box(0, 0, 500, 500), 0)
        for one in slots:
            for other in slots:
                dx, dy = (a - b for a, b in zip(one.centre_mm, other.centre_mm, strict=True))
                seen = cells[one.name], cells[other.name]
                if abs(dx) > 60:
                    assert (seen[0].x - seen[1].x) * dx > 0
                if abs(dy) > 50:
                    assert (seen[0].y - seen[1].y) * dy > 0


def test_panels_stand_clockwise_round_the_table() -> None:
    area = Box(0, 0, 1000, 500)
    for players in range(4, 9):
        angles = [
            np.arctan2(rect.centery - 250, rect.centerx - 500)
            for rect in stage_layout.panel_rects(players, area, 200, 0)
        ]
        turns = [(after - before) % (2 * np.pi) for before, after in pairwise(angles)]
        assert all(0 < turn < np.pi for turn in turns)
        assert sum(turns) < 2 * np.pi


# What was said, and what is asked


@pytest.mark.parametrize("language", ["de", "fr"])
@pytest.mark.parametrize("size", [(800, 480), (1280, 720)])
def test_what_was_said_never_lies_over_what_is_asked(size: tuple[int, int], language: str) -> None:
    page = shown.pages(size)["game"]
    said = Sentence("kinapa.Punished", (("chair", 2), ("foxes", 2)))
    for players, phase in product((4, 8), games.stories(4)):
        frame = games.frame(phase, players, UiState(language=language, large=True), say=said)
        if phase in {"paused", "over", "abandoned", "auditing"}:
            continue  # the stage is not the one with a prompt
        for headline in (
            frame.view.headline,
            Sentence("kinapa.rule.object.closed", (("chair", 0), ("what", 2))),
        ):
            sheet = page.painted_sheet(
                dataclasses.replace(frame, view=replace(frame.view, headline=headline))
            )
            head = [text for text in sheet.text_lines if text.rect.y < size[1] // 6]
            words = " ".join(text.string for text in head)
            assert sheet.sentence(headline) in words, (phase, words)
            assert not any(text.cut for text in head), (phase, words)
            for one, other in combinations(head, 2):
                common = one.rect.clip(other.rect)
                assert common.h * 5 < one.rect.h or common.w == 0, (phase, one.string, other.string)


# What must not be seen


def test_an_audit_shows_nothing_but_whose_hand(page: GamePage) -> None:
    said = Sentence("kinapa.NumberAnnounced", (("number", 7),))
    frame = games.frame("auditing", say=said, demo=replace(games.DEMO, caption=said))
    bare = games.frame("auditing", demo=replace(games.DEMO, caption=None))
    assert strings(page, frame) == strings(page, bare)
    assert "place:slot:1" not in {target.key for target in page.painted_sheet(frame).targets}


def test_an_audit_blanks_the_cameras_picture(page: GamePage) -> None:
    white = np.full((90, 120, 3), 255, np.uint8)
    black = np.zeros((90, 120, 3), np.uint8)
    seen = [drawn(page, games.frame("auditing", demo=games.DEMO, camera=one)) for one in (white, black)]
    assert seen[0] == seen[1]
    shown_in_play = [
        drawn(page, games.frame("turning", demo=games.DEMO, camera=one)) for one in (white, black)
    ]
    assert shown_in_play[0] != shown_in_play[1]


def test_a_new_picture_of_the_camera_is_drawn_without_painting_the_page_again(page: GamePage) -> None:
    first = games.frame("turning", demo=games.DEMO, camera=np.zeros((90, 120, 3), np.uint8))
    second = games.frame("turning", demo=games.DEMO, camera=np.ones((90, 120, 3), np.uint8))
    drawn(page, first)
    sheet = page.painted_sheet(first)
    assert page.needs_redraw(second, 0)
    assert page.painted_sheet(second) is sheet


def test_the_ring_of_a_hold_grows_while_the_button_is_down(page: GamePage) -> None:
    still, held = (games.frame("turning", 4, pressed=frozenset(chairs)) for chairs in ((), (0,)))
    assert page.redraw_interval(still) == 0
    drawn(page, still)
    assert page.redraw_interval(held)
    seen = [drawn(page, held, now) for now in (SECOND, SECOND + HOLD_TIME // 2, SECOND + HOLD_TIME)]
    assert len({*seen}) == 3, "nothing of it, half, all"
    assert drawn(page, held, 2 * SECOND) == seen[-1]
