"""Every button is one thing for all pages: whoever had the press has its release, and nothing stays down."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Micros
from companion.core.switch import Edge
from companion.games.kinapa.rules.model import HandsLocked
from companion.referee.button_router import ButtonRouter
from companion.referee.loop import GRACE
from companion.ui import commands as do
from companion.ui.toolkit import inputs
from tests.table.app_table import Table
from tests.table.loop import MILLI
from tests.thorough import examples

CHAIR = (0, "seat")


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def playing(table: Table) -> Table:
    table.begin()
    return table


def key(at: Micros, *, level: bool, chair: int = 0) -> Edge:
    return Edge(chair, "seat", level=level, at=at, source="key")


def causes(table: Table, *kinds: type) -> list[Any]:
    entries = table.session.game.referee.journal.entries
    return [entry.cause for entry in entries if isinstance(entry.cause, kinds)]


# Whose a press is -------------------------------------------------------------------------------------------


def test_a_release_goes_where_its_press_went() -> None:
    buttons = ButtonRouter()
    buttons.add_edge(key(0, level=True), whose="page")
    assert [whose for _, whose in buttons.advance(0)] == ["page"]
    buttons.add_edge(key(1, level=False), whose="game")
    assert [whose for _, whose in buttons.advance(1)] == ["page"]


def test_each_of_two_presses_that_are_judged_together_goes_where_it_began() -> None:
    buttons = ButtonRouter()
    for at, whose in ((0, "nobody"), (100, "nobody"), (200, "page")):
        buttons.add_edge(key(at, level=True), whose=whose)  # type: ignore[arg-type]
        buttons.add_edge(key(at + 50, level=False), whose="game")
    assert [whose for _, whose in buttons.advance(SECOND)] == ["nobody"] * 4 + ["page"] * 2


def test_a_late_release_is_not_stamped_before_its_own_press() -> None:
    buttons, again = ButtonRouter(), SECOND
    for at, level in ((0, True), (again - 1, False), (again, True)):
        buttons.add_edge(key(at, level=level), whose="game")
    assert buttons.stamp_late_release(key(again + 1, level=False), judged=0).at == again + 1


def test_a_bounce_does_not_change_whose_a_press_is() -> None:
    buttons = ButtonRouter()
    for at, level, whose in ((0, True, "page"), (1_000, False, "game"), (2_000, True, "game")):
        buttons.add_edge(Edge(0, "seat", level=level, at=at), whose=whose)  # type: ignore[arg-type]
    assert [whose for _, whose in buttons.advance(SECOND)] == ["page"]
    buttons.add_edge(Edge(0, "seat", level=False, at=2 * SECOND), whose="game")
    assert [whose for _, whose in buttons.advance(3 * SECOND)] == ["page"]


def test_after_a_glitch_the_next_press_is_whose_the_table_is_then() -> None:
    buttons = ButtonRouter()
    for at, level in ((0, True), (500, False)):
        buttons.add_edge(Edge(0, "seat", level=level, at=at), whose="page")
    assert buttons.advance(SECOND) == []
    buttons.add_edge(Edge(0, "seat", level=True, at=2 * SECOND), whose="game")
    assert [whose for _, whose in buttons.advance(3 * SECOND)] == ["game"]


def test_what_is_down_when_the_table_changes_hands_is_nobodys_until_it_comes_up() -> None:
    before, after = ButtonRouter(usual="page"), ButtonRouter()
    before.add_edge(key(0, level=True))
    before.add_edge(key(0, level=True, chair=1))
    before.advance(0)
    before.add_edge(key(1, level=False, chair=1))
    after.take_over_from(before)
    assert after.debouncer.buttons_maybe_down() == {CHAIR}
    after.add_edge(key(5, level=False))
    assert [whose for _, whose in after.advance(5)] == ["nobody"]
    after.add_edge(key(9, level=True))
    assert [whose for _, whose in after.advance(9)] == ["game"]


@pytest.mark.parametrize(
    ("judged", "noticed", "stamped"),
    [
        (0, SECOND, HOLD_TIME - 1),
        (HOLD_TIME - 1, SECOND, HOLD_TIME - 1),
        (HOLD_TIME, SECOND, SECOND),
        (0, HOLD_TIME - 9, HOLD_TIME - 9),
    ],
)
def test_a_key_noticed_late_to_be_up_was_tapped_unless_its_hold_had_fallen(
    judged: Micros, noticed: Micros, stamped: Micros
) -> None:
    buttons = ButtonRouter()
    buttons.add_edge(key(0, level=True))
    assert buttons.stamp_late_release(key(noticed, level=False), judged=judged).at == stamped
    buttons.advance(0)
    assert buttons.stamp_late_release(key(noticed, level=False), judged=judged).at == stamped


# In the program ---------------------------------------------------------------------------------------------


def test_a_tap_is_a_tap_however_long_the_frame_takes_in_which_it_ends(playing: Table) -> None:
    playing.window.entered.append(inputs.KeyPressed("1", "1"))
    playing.app.run_once()
    playing.clock.move_to(
        playing.clock.now() + 700 * MILLI
    )  # a slow frame: the key is up long before its end
    playing.window.entered.append(inputs.KeyReleased("1"))
    playing.run(SECOND)
    assert causes(playing, ob.ButtonHeld) == []
    assert playing.state.desk.pending_choice(0).cursor == 1, "stepped, and nothing announced"


def test_a_key_that_is_held_is_a_hold_in_the_page_it_began_in_and_in_no_other(playing: Table) -> None:
    playing.key("m")
    playing.inbox.put(Edge(None, "back", level=True, at=playing.clock.now()))
    playing.run(300 * MILLI)
    playing.touch("close")
    playing.run(SECOND)
    assert playing.overlay == "", "back is held for the menu that is gone"
    assert not playing.state.desk.paused
    playing.inbox.put(Edge(None, "back", level=False, at=playing.clock.now()))
    playing.run()
    playing.press(None, "back", hold=800 * MILLI)
    assert playing.state.desk.paused


def test_a_key_let_go_on_another_page_is_up(playing: Table) -> None:
    playing.app.carry_out(do.AbandonGame())
    playing.run()
    playing.window.entered.append(inputs.KeyPressed("2", "2"))
    playing.run()
    playing.app.carry_out(do.ShowPage("recap"))
    playing.window.entered.append(inputs.KeyReleased("2"))
    playing.run(12 * SECOND)
    assert playing.session.game.stuck_button(playing.clock.now()) is None
    assert playing.session.game.buttons_maybe_down() == frozenset()


def test_a_button_pressed_for_a_game_and_let_go_in_the_next_means_nothing_there(playing: Table) -> None:
    playing.inbox.put(Edge(0, "seat", level=True, at=playing.clock.now()))
    playing.run()
    playing.app.carry_out(do.StartGame("kinapa", (0, 1, 2, 3), None))
    playing.run()
    assert playing.session.game.buttons_maybe_down() == {CHAIR}, "it is down all the same"
    playing.inbox.put(Edge(0, "seat", level=False, at=playing.clock.now()))
    playing.run(SECOND)
    assert playing.session.game.buttons_maybe_down() == frozenset()
    assert causes(playing, ob.ButtonPressed, ob.ButtonReleased, ob.ButtonHeld) == []
    playing.press(0)
    assert playing.state.phase == "announcing"


def test_a_release_that_waits_while_a_game_begins_is_not_lost(table: Table) -> None:
    table.app.carry_out(do.ShowPage("setup"))
    table.inbox.put(Edge(2, "seat", level=True, at=table.clock.now()))
    table.run()
    table.inbox.put(Edge(2, "seat", level=False, at=table.clock.now()))
    table.app.carry_out(do.StartGame("kinapa", (0, 1, 2, 3), None))
    table.run()
    assert table.session.game.buttons_maybe_down() == frozenset()
    table.press(2)
    assert table.state.phase == "announcing"


def test_two_touches_of_one_finger_are_both_let_go(playing: Table) -> None:
    """The lift between them never came."""
    playing.press(None, "next")  # whoever has used it sees it
    page = playing.app._pages["game"]
    targets = {one.key: one.rect for one in page.painted_sheet(playing.app.frame()).targets}
    for name in ("chair:0", "shared:next"):
        playing.window.entered.append(inputs.FingerDown(targets[name].x + 3, targets[name].y + 3))
    playing.run()
    playing.window.entered.append(inputs.FingerUp(0, 0))
    playing.run()
    assert playing.session.game.buttons_maybe_down() == frozenset()


# Whatever people do -----------------------------------------------------------------------------------------

BUTTONS = ((0, "seat"), (1, "seat"), (None, "back"), (None, "next"), (None, "ok"))
KEYS = {
    (0, "seat"): "1",
    (1, "seat"): "2",
    (None, "back"): "left",
    (None, "next"): "right",
    (None, "ok"): "space",
}
CHANGES = ("overlay:menu", "overlay:log", "overlay:", "escape", "pause", "go on", "home", "setup", "start",
           "resume", "abandon", "recap", "take back")  # fmt: skip
DEEDS = st.one_of(
    st.tuples(st.just("button"), st.integers(0, len(BUTTONS) - 1), st.sampled_from(["gpio", "key"])),
    st.tuples(st.just("change"), st.integers(0, len(CHANGES) - 1), st.just("")),
    st.tuples(st.just("wait"), st.sampled_from([1, 10, 45, 120, 400, 700]), st.sampled_from(["", "slow"])),
)


class People:
    """Press, hold and let go, whatever happens to be on the glass."""

    def __init__(self) -> None:
        self.table = Table()
        self.table.app.carry_out(do.StartGame("kinapa", (0, 1, 2, 3), None))
        self.down: set[tuple[Any, str]] = set()

    def turn(self, line: Any, source: str) -> None:
        """Press the button, or let it go if it is down."""
        level = (line, source) not in self.down
        (self.down.add if level else self.down.remove)((line, source))
        if source == "gpio":
            self.table.inbox.put(Edge(*line, level=level, at=self.table.clock.now()))
        else:
            name = KEYS[line]
            self.table.window.entered.append(inputs.KeyPressed(name) if level else inputs.KeyReleased(name))

    def change(self, what: str) -> None:
        table, app = self.table, self.table.app
        kind, _, value = what.partition(":")
        if app.session is None and what in {"recap", "go on", "pause", "abandon", "take back", "escape"}:
            return
        match kind:
            case "overlay":
                app.navigation.ui_state = replace(app.ui_state.without_overlay(), overlay=value)
            case "escape":
                table.window.entered.append(inputs.KeyPressed("escape"))
            case "home" | "setup":
                app.carry_out(do.ShowPage(kind))
            case "start":
                app.carry_out(do.StartGame("kinapa", (0, 1, 2, 3), None))
            case "resume":
                app.carry_out(do.ResumeGame("1") if "1" in table.host.journals else do.ShowPage("home"))
            case "recap" if app.session is not None and app.session.game.over:
                app.carry_out(do.ShowPage("recap"))
            case "pause":
                app.carry_out(do.PauseGame())
            case "go on":
                app.carry_out(do.ContinueGame())
            case "abandon":
                app.carry_out(do.AbandonGame())
            case "take back":
                app.carry_out(do.UndoRuling())

    def wait(self, millis: int, how: str) -> None:
        if how == "slow":  # one long frame
            self.table.clock.move_to(self.table.clock.now() + millis * MILLI)
            self.table.app.run_once()
        else:
            self.table.run(millis * MILLI)

    def all_up(self) -> None:
        for line, source in sorted(self.down, key=str):
            self.turn(line, source)
        self.table.run(300 * MILLI)


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(st.lists(DEEDS, max_size=40))
def test_whatever_is_pressed_while_pages_change_nothing_stays_down_and_a_tap_is_a_tap(
    deeds: list[Any],
) -> None:
    people = People()
    table = people.table
    for kind, value, how in deeds:
        match kind:
            case "button":
                people.turn(BUTTONS[value], how)
            case "change":
                people.change(CHANGES[value])
            case _:
                people.wait(value, how)
    people.all_up()
    if table.app.quit_requested:
        return  # somebody left the program
    assert table.app.navigation.buttons.debouncer.buttons_maybe_down() == frozenset()
    up = table.clock.now()
    table.run(12 * SECOND)
    if table.app.session is not None:
        assert table.session.game.stuck_button(table.clock.now()) is None
        assert [held for held in causes(table, ob.ButtonHeld) if held.at > up] == []
    table.app.carry_out(do.StartGame("kinapa", (0, 1, 2, 3), None))
    table.run()
    table.press(0)
    assert table.state.phase == "announcing"
    table.press(0)
    table.key("1")
    assert table.state.desk.pending_choice(0).cursor == 3, "the first half of the first half"
    assert causes(table, ob.ButtonHeld) == []
    assert len(causes(table, ob.ButtonPressed)) == len(causes(table, ob.ButtonReleased)) == 3


def counting() -> Table:
    """In the middle of a count."""
    table = Table()
    table.begin()
    table.app.carry_out(do.DeclareAction(table.session.view.chairs[0].choices[0].action))
    table.run(1_500 * MILLI)
    assert table.state.phase == "counting"
    return table


def end_of_count() -> Micros:
    """When such a count was ruled."""
    table = counting()
    while table.state.phase == "counting":
        table.run(MILLI)
    return table.clock.now()


@pytest.mark.parametrize(
    ("before", "stood", "raised"),
    [
        (65 * MILLI, 130 * MILLI, (2,)),
        (30 * MILLI, 60 * MILLI, (2,)),
        (2 * MILLI, 4 * MILLI, (2,)),
        (-MILLI, 4 * MILLI, ()),
    ],
)
def test_a_key_that_was_not_asked_for_until_the_end_is_not_too_late(
    before: Micros, stood: Micros, raised: tuple[int, ...]
) -> None:
    """RULES KA24. How long it waited is not known, so it counts as it would have at the window's end."""
    table, judged = counting(), end_of_count()
    last = judged - GRACE - before
    table.run(last - table.clock.now())
    table.window.entered.append(inputs.KeyPressed("3", "3"))
    table.clock.move_to(last + stood)
    table.run(400 * MILLI)
    locked = [event for entry in table.session.game.referee.journal.entries for event in entry.events]
    assert [event.raised for event in locked if isinstance(event, HandsLocked)] == [raised]


def test_a_key_is_not_too_late_if_the_program_stood_still_while_it_asked_for_it() -> None:
    table, judged = counting(), end_of_count()
    last, ask = judged - GRACE - 50 * MILLI, table.window.read_events
    table.run(last - table.clock.now())

    def asked_slowly() -> list[inputs.Input]:
        table.window.read_events = ask  # type: ignore[method-assign]
        table.clock.move_to(last + 100 * MILLI)
        return [inputs.KeyPressed("3", "3")]

    table.window.read_events = asked_slowly  # type: ignore[method-assign]
    table.run(400 * MILLI)
    locked = [event for entry in table.session.game.referee.journal.entries for event in entry.events]
    assert [event.raised for event in locked if isinstance(event, HandsLocked)] == [(2,)]
