"""From the home page to a game: who sits down, begins, comes back, goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND
from companion.core.errors import CompanionError
from companion.core.switch import Edge
from companion.core.view import Sentence
from companion.games.kinapa.rules.model import KinapaOptions
from companion.referee.store import StoreBusyError
from companion.ui import commands as do
from companion.ui.frame import GameDraft, HomeFrame
from tests.table.app_table import ListHost, Table
from tests.table.loop import MILLI


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def playing(table: Table) -> Table:
    table.begin()
    return table


# From home to a game ----------------------------------------------------------------------------------------

LAST = GameDraft("kinapa", (1, 2, 5, 6), ((2, "Zoé"),), last=(1, 2, 5, 6))


def test_who_sat_here_last_time_is_in_and_their_lamps_say_so() -> None:
    table = Table(LAST)
    table.run()
    assert table.app.ui_state.draft == LAST
    assert table.host.lit == {1, 2, 5, 6}
    table.press(4)
    table.touch("chair:6")
    assert table.host.lit == {1, 2, 4, 5}


def test_from_power_on_to_the_first_ruling_are_three_presses() -> None:
    table = Table(LAST)
    table.run()
    table.press(5, hold=2 * SECOND)
    assert (table.app.page, table.app.session) == ("prepare", None), "one hold is one"
    assert table.host.lit == {1, 2, 5, 6}
    table.press(5, hold=SECOND)
    assert table.session.game.referee.setup.chairs == (1, 2, 5, 6)
    table.press(2)
    assert table.state.phase == "announcing", "who has the cat has said so"


def test_a_hold_of_a_button_that_was_down_at_the_start_begins_nothing() -> None:
    """On NC it is down whenever nobody presses it."""
    table = Table(LAST)
    table.host.stuck.add((5, "seat"))
    table.run()
    table.press(5, hold=2 * SECOND)
    assert (table.app.page, table.app.session) == ("home", None)
    table.press(1, hold=2 * SECOND)
    assert table.app.ui_state.overlay == "play"
    table.press(2, hold=2 * SECOND)
    assert table.app.page == "prepare"


def test_where_nobody_sees_a_screen_nothing_stands_before_the_game() -> None:
    table = Table(LAST)
    table.window.is_invisible = True
    table.run()
    table.press(5, hold=SECOND)
    assert table.session.game.referee.setup.chairs == (1, 2, 5, 6)


def test_who_sits_down_by_a_long_press_begins_nothing_that_was_not_ready(table: Table) -> None:
    table.press(3, hold=SECOND)
    assert (table.app.page, table.app.ui_state.draft.chairs) == ("home", (3,))
    table.press(3)
    assert table.app.ui_state.draft.chairs == ()


def test_a_hold_that_begins_before_a_page_is_opened_begins_no_game() -> None:
    table = Table(LAST)
    at = table.clock.now()
    table.inbox.put(Edge(5, "seat", level=True, at=at))
    table.run(100 * MILLI)
    table.touch("more")
    table.run(SECOND)
    assert (table.app.page, table.app.session) == ("home", None)


def test_after_a_game_its_people_sit_where_they_sat(table: Table) -> None:
    table.app.carry_out(do.StartGame("kobayakawa", (0, 3, 4), None, ((3, "Zoé"),)))
    table.app.carry_out(do.ShowPage("home"))
    table.run()
    draft = table.app.ui_state.draft
    assert (draft.game, draft.chairs, draft.names) == ("kobayakawa", (0, 3, 4), ((3, "Zoé"),))
    table.press(3)
    assert table.app.ui_state.draft.chairs == (0, 3, 4), "who presses to say so stays"


def test_a_store_that_cannot_be_read_is_told_and_the_home_page_stands(table: Table) -> None:
    class Unread(ListHost):
        def last_draft(self) -> GameDraft:
            raise CompanionError("the disk is gone")

    app = table.app
    app.navigation.attempt("Reading", lambda: app.navigation.restore_seats(Unread(table.clock)))
    table.run()
    assert table.app.frame().trouble == Sentence("shared.trouble.other")
    assert "game:kinapa" in {target.key for target in app._pages["home"].painted_sheet(app.frame()).targets}


def test_everybody_joins_by_the_own_button_and_the_game_begins(table: Table) -> None:
    table.app.carry_out(do.ShowPage("setup"))
    for chair in (1, 2, 5, 6):
        table.press(chair)
    assert table.app.ui_state.draft.chairs == (1, 2, 5, 6)
    assert table.host.lit == {1, 2, 5, 6}
    table.touch("start")
    assert table.app.page == "prepare"
    for _ in range(3):
        assert table.app.session is None
        table.press(6)
    assert table.app.page == "game"
    assert table.session.game.referee.setup.chairs == (1, 2, 5, 6)
    (start,) = [asked[1] for asked in table.host.asked if asked[0] == "start"]
    assert start.options == KinapaOptions(count_seconds=5), "the table's own house rules"


def test_set_up_shows_what_the_table_is(table: Table) -> None:
    table.app.carry_out(do.ShowPage("setup"))
    frame = table.app.frame()
    assert isinstance(frame, HomeFrame)
    assert (frame.chairs, frame.is_setup) == (8, True)
    assert frame.options == KinapaOptions(count_seconds=5)
    assert frame.colours[0] == "white"
    assert frame.mixed_sources
    table.press(1)
    assert dict(table.app.ui_state.draft.names) == {1: "Konstantin"}, "who is known is called by name"


def test_keys_stand_in_for_buttons_at_set_up(table: Table) -> None:
    table.app.carry_out(do.ShowPage("setup"))
    for key in "1358":
        table.key(key)
    assert table.app.ui_state.draft.chairs == (0, 2, 4, 7)


def test_a_button_that_is_held_while_the_game_begins_is_no_press_in_it(table: Table) -> None:
    table.app.carry_out(do.ShowPage("setup"))
    for chair in range(4):
        table.press(chair)
    table.app.navigation.ui_state = replace(table.app.ui_state, focus="start")
    table.press(None, "ok")
    table.press(None, "ok")
    assert table.app.page == "game"
    table.run(SECOND)
    pressed = [e.cause for e in table.session.game.referee.journal.entries]
    assert [cause for cause in pressed if isinstance(cause, ob.ButtonPressed)] == []


@pytest.mark.parametrize("command", [do.StartGame("kinapa", (0, 1, 2, 3), None), do.ResumeGame("1")])
def test_what_stands_in_the_way_of_a_game_is_told(table: Table, command: do.Command) -> None:
    table.host.fails = StoreBusyError(Path("games.sqlite"), 42, "companion play")
    table.app.carry_out(command)
    table.run()
    assert table.app.session is None
    trouble = table.app.frame().trouble
    assert trouble is not None
    assert trouble.key == "shared.trouble.other"
    table.run(9 * SECOND)
    assert table.app.frame().trouble is None


def test_a_rematch_that_cannot_begin_leads_home(playing: Table) -> None:
    playing.host.fails = CompanionError("the disk is gone")
    playing.app.carry_out(do.Rematch())
    playing.run()
    assert (playing.app.page, playing.app.session) == ("home", None)
    assert isinstance(playing.app.frame(), HomeFrame)


def test_a_rematch_is_the_same_people_with_the_same_rules(playing: Table) -> None:
    playing.app.carry_out(do.Rematch())
    playing.run()
    starts = [asked[1] for asked in playing.host.asked if asked[0] == "start"]
    assert starts == [do.StartGame("kinapa", (0, 1, 2, 3), None)] * 2
    assert playing.state.phase == "starting"


def test_a_rematch_of_a_game_that_was_gone_on_with_begins_at_set_up(playing: Table) -> None:
    playing.app.carry_out(do.ShowPage("home"))
    other = Table()
    other.host.journals = playing.host.journals
    other.app.carry_out(do.ResumeGame("1"))
    other.app.carry_out(do.Rematch())
    assert other.app.page == "setup"


def test_a_game_gone_on_with_stands_where_it_stood_and_knows_its_names(table: Table) -> None:
    table.app.carry_out(do.StartGame("kinapa", (0, 1, 2, 3), None, ((2, "Zoé"),)))
    table.run()
    table.press(0)
    before = table.session.view
    table.app.carry_out(do.ShowPage("home"))
    assert table.host.asked[-2:] == [("put away", 2), ("presets",)]
    table.app.carry_out(do.ResumeGame("1"))
    table.run()
    assert table.session.view == before
    assert table.app.frame().names == {2: "Zoé"}
    assert isinstance(table.session.game.referee.journal.entries[2].cause, ob.ProgramRestarted)


def test_what_was_reported_before_a_game_is_no_part_of_it(table: Table) -> None:
    table.inbox.put(ob.CueHeard(at=99 * SECOND, cue="kinapa.count", attempt=1))
    table.inbox.put(Edge(1, "seat", level=True, at=0))
    table.app.carry_out(do.StartGame("kinapa", (0, 1, 2, 3), None))
    table.run(SECOND)
    assert list(table.session.game.referee.journal.entries) == []
