"""The app: whose a button is, what a page asks for, and how games begin, end and are lost and found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pygame
import pytest
from loop import MILLI, ListVoice, SlowJournal, kinapa_game
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Chair, Micros, Setup
from companion.core.clock import ManualClock
from companion.core.errors import CompanionError
from companion.core.one_button import Edge
from companion.core.view import Sentence, table_of
from companion.games import GAMES, RULES
from companion.games.kinapa.rules import KinapaOptions
from companion.referee.journal import MemoryJournal, Trouble, header_of
from companion.referee.parts import Parts
from companion.referee.store import StoreBusy
from companion.table.app import App
from companion.table.around import Around
from companion.table.games import offer_of
from companion.table.host import Gathering
from companion.table.session import Inbox, Session
from companion.ui import commands as do
from companion.ui import inputs
from companion.ui.frame import GameFrame, HomeFrame, Offer, RecapFrame, SetupFrame, StoredGame
from companion.ui.glass import Draft, Glass
from companion.ui.language import Language
from companion.ui.overlays.repair import changed
from companion.ui.pages import all_pages
from companion.ui.screen import Screen

SIZE = (1024, 600)
STORED = StoredGame("1", "kinapa", "2026-11-20 20:00", (0, 1, 2, 3))


class ListWindow:
    """A glass that nobody sees: what happens at it is a list, and so is what was shown."""

    def __init__(self) -> None:
        self.surface = pygame.Surface(SIZE)
        self.entered: list[inputs.Input] = []
        self.flips = 0

    def pump(self) -> list[inputs.Input]:
        entered, self.entered = self.entered, []
        return entered

    def flip(self) -> None:
        self.flips += 1

    def screenshot(self, path: Path) -> None:
        pygame.image.save(self.surface, str(path))


class ListHost:
    """A table without parts; what it was asked is a list."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.parts = Parts()
        self.voice = ListVoice(clock)
        self.asked: list[tuple[Any, ...]] = []
        self.journals: dict[str, MemoryJournal] = {}
        self.lit: frozenset[Chair] = frozenset()
        self.fails: CompanionError | None = None
        self.image: Any = None
        self.unseen: Sentence | None = None
        self.options = KinapaOptions(count_seconds=5)
        self.seats = Draft()
        """Who sat here last time."""

    def stored(self) -> tuple[StoredGame, ...]:
        return (STORED,)

    def start(self, wanted: do.Start) -> Session:
        self.asked.append(("start", wanted))
        if self.fails is not None:
            raise self.fails
        setup = Setup(wanted.chairs, wanted.options or KinapaOptions())
        head = header_of(wanted.game, setup, names=wanted.names)
        return self._session(MemoryJournal(head))

    def resume(self, game_id: str) -> Session:
        self.asked.append(("resume", game_id))
        if self.fails is not None:
            raise self.fails
        return self._session(self.journals[game_id])

    def _session(self, journal: MemoryJournal) -> Session:
        return Session(kinapa_game(journal), clock=self.clock, voice=self.voice)

    def put_away(self, session: Session) -> None:
        journal = session.game.referee.journal
        assert isinstance(journal, MemoryJournal)
        self.journals["1"] = MemoryJournal(journal.header, journal.entries)
        self.asked.append(("put away", len(journal.entries)))

    def tick(self) -> None:
        """Nobody acts here."""

    def next_due(self) -> Micros | None:
        return None

    def picture(self) -> Any:
        return self.image

    def demo(self) -> None:
        return None

    def change(self, setting: str, value: str | float | bool) -> None:
        self.asked.append(("change", setting, value))

    def read_again(self) -> None:
        self.asked.append(("read again",))

    def seized(self, chair: Chair) -> None:
        self.asked.append(("seized", chair))

    def offered(self, *, lessons: bool = False) -> tuple[Offer, ...]:
        return tuple(map(offer_of, GAMES.values()))

    def unfinished(self) -> tuple[StoredGame, ...]:
        return ()

    def last(self) -> Draft:
        return self.seats

    def tell(self, sentences: Sequence[Sentence]) -> None:
        self.asked.append(("tell", *sentences))

    def talk_on(self) -> None:
        """Nothing is heard here."""

    def gathering(self, game: str) -> Gathering:
        return Gathering(8, RULES[game].players, self.options, mixed_sources=True)

    def show_lamps(self, lit: frozenset[Chair]) -> None:
        self.lit = lit

    def trouble(self) -> Sentence | None:
        return self.unseen

    def notes(self) -> tuple[Sentence, ...]:
        return ()

    def by_keys(self) -> bool:
        return True


class Table:
    """The app under a clock that is moved by hand."""

    def __init__(self, seats: Draft = Draft(), **more: Any) -> None:  # noqa: B008 (frozen)
        """`seats`: who sat here last time; `more` is for the app."""
        self.clock = ManualClock()
        self.host = ListHost(self.clock)
        self.host.seats = seats
        self.window = ListWindow()
        self.inbox: Inbox = SimpleQueue()
        self.app = App(
            self.host,
            Around(games=self.host, **{name: made(self.clock) for name, made in more.items()}),
            window=self.window,  # type: ignore[arg-type]
            pages=all_pages(Screen(SIZE, Language)),
            clock=self.clock,
            inbox=self.inbox,
            glass=Glass(draft=Draft("kinapa")),
            names={1: "Konstantin"},
            colours=("white", "pink", "orange", "purple", "yellow", "green", "blue", "red"),
        )

    @property
    def session(self) -> Session:
        assert self.app.session is not None
        return self.app.session

    @property
    def state(self) -> Any:
        return self.session.game.referee.state

    @property
    def overlay(self) -> str:
        return self.app.glass.overlay

    def run(self, micros: Micros = 200 * MILLI) -> None:
        """Go on for a while, as often as the app itself thinks it is worth it."""
        until = self.clock.now() + micros
        while self.clock.now() < until and not self.app.left:
            self.clock.move_to(min(until, max(self.app.due(), self.clock.now() + MILLI)))
            self.app.turn()

    def report(self, *seen: Edge | ob.Observation) -> None:
        for one in seen:
            self.inbox.put(one)
        self.run()

    def press(self, chair: Chair | None, button: str = "seat", *, hold: Micros = 100 * MILLI) -> None:
        """A real button, pushed and let go."""
        at = self.clock.now()
        self.inbox.put(Edge(chair, button, level=True, at=at))
        self.run(hold)
        self.inbox.put(Edge(chair, button, level=False, at=at + hold))
        self.run()

    def key(self, name: str, *, hold: Micros = 50 * MILLI) -> None:
        self.window.entered.append(inputs.KeyPressed(name, name if len(name) == 1 else ""))
        self.run(hold)
        self.window.entered.append(inputs.KeyReleased(name))
        self.run()

    def touch(self, key: str) -> None:
        """A finger on what is called `key` on this page."""
        page = self.app._pages[self.app.page]
        targets = {target.key: target.rect for target in page.sheet(self.app.frame()).targets}
        x, y = targets[key].center
        self.window.entered += [inputs.Tap(x, y), inputs.Lift(x, y)]
        self.run()

    def begin(self, players: int = 4) -> None:
        """Start a game; seat 0 has the cat."""
        self.app.carry_out(do.Start("kinapa", tuple(range(players)), None))
        self.run()
        self.press(0)
        assert self.state.phase == "announcing"


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def playing(table: Table) -> Table:
    table.begin()
    return table


# What is asked for on the glass --------------------------------------------------------------------------


def test_reading_the_table_again_says_that_the_camera_reads(playing: Table) -> None:
    playing.host.image = np.zeros((4, 4, 3), np.uint8)
    playing.app.at.glass = replace(playing.app.glass, overlay="menu")
    playing.touch("read_again")
    assert playing.host.asked[-1] == ("read again",)
    assert playing.app.frame().trouble == Sentence("ui.read_again.now")
    playing.host.image = None
    playing.app.carry_out(do.ReadAgain())
    playing.run()
    assert playing.app.frame().trouble == Sentence("shared.CameraWentDark"), "nothing can be read afresh"


def test_a_repair_that_cannot_be_stays_on_the_glass_with_its_reason(playing: Table) -> None:
    stands = table_of(playing.session.view)
    name, value = next((name, value) for name, value in stands if name.startswith("foxes:"))
    impossible = changed(stands, name, 99)
    playing.app.at.glass = replace(playing.app.glass, overlay="repair", declared=impossible)
    playing.touch("do")
    assert (playing.overlay, playing.app.glass.declared) == ("repair", impossible)
    trouble = playing.app.frame().trouble
    assert trouble is not None
    assert trouble.key.endswith("repair.impossible")
    assert dict(table_of(playing.session.view))[name] == value
    playing.app.at.glass = replace(playing.app.glass, declared=changed(stands, name, 1))
    playing.touch("do")
    assert (playing.overlay, playing.app.glass.declared) == ("", ())
    assert dict(table_of(playing.session.view))[name] == 1


# From home to a game ----------------------------------------------------------------------------------------

LAST = Draft("kinapa", (1, 2, 5, 6), ((2, "Zoé"),), last=(1, 2, 5, 6))


def test_who_sat_here_last_time_is_in_and_their_lamps_say_so() -> None:
    table = Table(LAST)
    table.run()
    assert table.app.glass.draft == LAST
    assert table.host.lit == {1, 2, 5, 6}
    table.press(4)
    table.touch("chair:6")
    assert table.host.lit == {1, 2, 4, 5}


def test_from_power_on_to_the_first_ruling_are_two_presses() -> None:
    table = Table(LAST)
    table.run()
    table.press(5, hold=SECOND)
    assert table.session.game.referee.setup.chairs == (1, 2, 5, 6)
    table.press(2)
    assert table.state.phase == "announcing", "who has the cat has said so"


def test_who_sits_down_by_a_long_press_begins_nothing_that_was_not_ready(table: Table) -> None:
    table.press(3, hold=SECOND)
    assert (table.app.page, table.app.glass.draft.chairs) == ("home", (3,))
    table.press(3)
    assert table.app.glass.draft.chairs == ()


def test_a_hold_that_begins_before_a_page_is_opened_begins_no_game() -> None:
    table = Table(LAST)
    at = table.clock.now()
    table.inbox.put(Edge(5, "seat", level=True, at=at))
    table.run(100 * MILLI)
    table.touch("more")
    table.run(SECOND)
    assert (table.app.page, table.app.session) == ("home", None)


def test_after_a_game_its_people_sit_where_they_sat(table: Table) -> None:
    table.app.carry_out(do.Start("kobayakawa", (0, 3, 4), None, ((3, "Zoé"),)))
    table.app.carry_out(do.Show("home"))
    table.run()
    draft = table.app.glass.draft
    assert (draft.game, draft.chairs, draft.names) == ("kobayakawa", (0, 3, 4), ((3, "Zoé"),))
    table.press(3)
    assert table.app.glass.draft.chairs == (0, 3, 4), "who presses to say so stays"


def test_a_store_that_cannot_be_read_is_told_and_the_home_page_stands(table: Table) -> None:
    class Unread(ListHost):
        def last(self) -> Draft:
            raise CompanionError("the disk is gone")

    app = table.app
    app.notices.attempt("Reading", lambda: app.at.seat_as_before(Unread(table.clock)))
    table.run()
    assert table.app.frame().trouble == Sentence("shared.trouble.other")
    assert "game:kinapa" in {target.key for target in app._pages["home"].sheet(app.frame()).targets}


def test_everybody_joins_by_the_own_button_and_the_game_begins(table: Table) -> None:
    table.app.carry_out(do.Show("setup"))
    for chair in (1, 2, 5, 6):
        table.press(chair)
    assert table.app.glass.draft.chairs == (1, 2, 5, 6)
    assert table.host.lit == {1, 2, 5, 6}
    table.touch("start")
    assert table.app.page == "game"
    assert table.session.game.referee.setup.chairs == (1, 2, 5, 6)
    (start,) = [asked[1] for asked in table.host.asked if asked[0] == "start"]
    assert start.options == KinapaOptions(count_seconds=5), "the table's own house rules"


def test_set_up_shows_what_the_table_is(table: Table) -> None:
    table.app.carry_out(do.Show("setup"))
    frame = table.app.frame()
    assert isinstance(frame, SetupFrame)
    assert (frame.chairs, frame.players) == (8, range(2, 9))
    assert frame.options == KinapaOptions(count_seconds=5)
    assert frame.colours[0] == "white"
    assert frame.mixed_sources
    table.press(1)
    assert dict(table.app.glass.draft.names) == {1: "Konstantin"}, "who is known is called by name"


def test_keys_stand_in_for_buttons_at_set_up(table: Table) -> None:
    table.app.carry_out(do.Show("setup"))
    for key in "1358":
        table.key(key)
    assert table.app.glass.draft.chairs == (0, 2, 4, 7)


def test_a_button_that_is_held_while_the_game_begins_is_no_press_in_it(table: Table) -> None:
    table.app.carry_out(do.Show("setup"))
    for chair in range(4):
        table.press(chair)
    table.app.at.glass = replace(table.app.glass, focus="start")
    table.press(None, "ok")
    assert table.app.page == "game"
    table.run(SECOND)
    pressed = [e.cause for e in table.session.game.referee.journal.entries]
    assert [cause for cause in pressed if isinstance(cause, ob.ButtonPressed)] == []


@pytest.mark.parametrize("command", [do.Start("kinapa", (0, 1, 2, 3), None), do.Resume("1")])
def test_what_stands_in_the_way_of_a_game_is_told(table: Table, command: do.Command) -> None:
    table.host.fails = StoreBusy(Path("games.sqlite"), 42, "companion play")
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
    assert starts == [do.Start("kinapa", (0, 1, 2, 3), None)] * 2
    assert playing.state.phase == "starting"


def test_a_rematch_of_a_game_that_was_gone_on_with_begins_at_set_up(playing: Table) -> None:
    playing.app.carry_out(do.Show("home"))
    other = Table()
    other.host.journals = playing.host.journals
    other.app.carry_out(do.Resume("1"))
    other.app.carry_out(do.Rematch())
    assert other.app.page == "setup"


def test_a_game_gone_on_with_stands_where_it_stood_and_knows_its_names(table: Table) -> None:
    table.app.carry_out(do.Start("kinapa", (0, 1, 2, 3), None, ((2, "Zoé"),)))
    table.run()
    table.press(0)
    before = table.session.view
    table.app.carry_out(do.Show("home"))
    assert table.host.asked[-1] == ("put away", 2 + 0)
    table.app.carry_out(do.Resume("1"))
    table.run()
    assert table.session.view == before
    assert table.app.frame().names == {2: "Zoé"}
    assert isinstance(table.session.game.referee.journal.entries[2].cause, ob.Restarted)


def test_what_was_reported_before_a_game_is_no_part_of_it(table: Table) -> None:
    table.inbox.put(ob.CueHeard(at=99 * SECOND, cue="kinapa.count", attempt=1))
    table.inbox.put(Edge(1, "seat", level=True, at=0))
    table.app.carry_out(do.Start("kinapa", (0, 1, 2, 3), None))
    table.run(SECOND)
    assert list(table.session.game.referee.journal.entries) == []


# Whose a shared button is -----------------------------------------------------------------------------------


def test_shared_buttons_are_the_games_while_nothing_lies_over_it(playing: Table) -> None:
    playing.press(None, "next")
    playing.press(None, "ok")
    assert playing.state.turn.number == 2
    assert playing.overlay == ""


def test_shared_buttons_are_the_pages_while_something_lies_over_the_game(playing: Table) -> None:
    playing.key("m")
    assert playing.overlay == "menu"
    entries = len(playing.session.game.referee.journal.entries)
    focus = playing.app.glass.focus
    playing.press(None, "next")
    assert playing.app.glass.focus != focus
    assert len(playing.session.game.referee.journal.entries) == entries


def test_a_chairs_button_is_the_games_whatever_lies_over_it(playing: Table) -> None:
    playing.key("m")
    playing.press(0)
    assert playing.state.desk.mark(0).cursor == 1


def test_a_press_that_closes_an_overlay_does_not_swallow_the_next_one(playing: Table) -> None:
    """Its release comes when the page is the game's again; it goes where the press went all the same."""
    for _ in range(3):
        playing.key("l")
        assert playing.overlay == "log"
        playing.app.at.glass = replace(playing.app.glass, focus="close")
        playing.press(None, "ok")
        assert playing.overlay == ""
        cursor = playing.state.desk.mark(0).cursor if playing.state.desk.mark(0) else 0
        playing.press(None, "next")
        assert playing.state.desk.mark(0).cursor == cursor + 1


@pytest.mark.parametrize("by_key", [False, True])
def test_holding_back_pauses_again_and_again(playing: Table, by_key: bool) -> None:
    for _ in range(3):
        if by_key:
            playing.key("left", hold=800 * MILLI)
        else:
            playing.press(None, "back", hold=800 * MILLI)
        assert playing.state.desk.paused
        playing.app.carry_out(do.Continue())
        playing.run()
        assert not playing.state.desk.paused


def test_an_overlay_folds_away_when_a_window_opens(playing: Table) -> None:
    playing.key("m")
    playing.app.carry_out(do.Say(playing.session.view.chairs[0].choices[0].action))
    playing.run(1_500 * MILLI)
    assert playing.state.phase == "counting"
    playing.press(None, "back")
    assert playing.state.phase == "counting"
    playing.press(2)
    assert playing.state.turn.raised == (2,)


def test_taking_back_in_a_count_voids_it_and_asks(playing: Table) -> None:
    playing.app.carry_out(do.Say(playing.session.view.chairs[0].choices[0].action))
    playing.run(1_500 * MILLI)
    assert playing.state.phase == "counting"
    playing.key("u")
    assert playing.overlay == "take_back"
    assert playing.state.desk.paused
    causes = [entry.cause for entry in playing.session.game.referee.journal.entries]
    assert isinstance(causes[-1], ob.Paused)


# Keys, touch, and the glass ---------------------------------------------------------------------------------


def test_a_key_is_its_chairs_button_with_its_own_source(playing: Table) -> None:
    playing.key("1")
    assert playing.session.game.referee.journal.entries[-2].cause == ob.ButtonPressed(
        at=playing.session.game.referee.journal.entries[-2].cause.at, chair=0, source="key"
    )
    assert ("seized", 0) in playing.host.asked
    assert playing.state.desk.mark(0).cursor == 1


def test_taking_back_asks_first_what_to_put_back(playing: Table) -> None:
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.can_undo
    assert frame.put_back
    playing.key("u")
    assert playing.overlay == "take_back"
    playing.touch("do")
    assert playing.state.phase == "starting"
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    assert (frame.can_undo, frame.can_redo) == (False, False), "the table has put back what was asked"
    assert frame.say == Sentence("shared.TakenBack")


def test_what_nothing_had_to_be_put_back_for_can_be_brought_back(playing: Table) -> None:
    playing.app.carry_out(do.TakeBack())
    playing.run()
    assert playing.state.phase == "starting"
    playing.app.carry_out(do.PutBack())
    playing.run()
    assert playing.state.phase == "announcing"


def test_everything_a_page_may_ask_of_a_game_reaches_it(playing: Table) -> None:
    app = playing.app
    app.carry_out(do.Say(playing.session.view.chairs[0].choices[6].action))
    playing.run()
    assert playing.state.turn.number == 7
    reading = playing.session.history.last_reading()
    assert reading is not None
    truth = reading.choices[2][1]
    app.carry_out(do.Correct(reading.seq, truth))
    playing.run()
    assert playing.state.turn.number == 3
    app.carry_out(do.Correct(reading.seq, None))
    app.carry_out(do.Correct(reading.seq, None))
    playing.run()
    assert playing.state.phase == "announcing"
    app.carry_out(do.Repair((("foxes:2", 1),)))
    playing.run()
    assert playing.state.seats[2].foxes == 1
    app.carry_out(do.ReadAgain())
    assert playing.host.asked[-1] == ("read again",)
    app.carry_out(do.Pause())
    playing.run()
    assert playing.state.desk.paused
    app.carry_out(do.Continue())
    app.carry_out(do.Abandon())
    playing.run()
    assert playing.session.game.over
    app.carry_out(do.Show("recap"))
    playing.run()
    assert isinstance(app.frame(), RecapFrame)


def test_a_setting_changes_the_glass_and_is_told_to_the_table(table: Table) -> None:
    table.app.carry_out(do.Change("language", "fr"))
    table.app.carry_out(do.Change("speed", 2.0))
    assert table.app.glass.language == "fr"
    assert table.host.asked == [("change", "language", "fr"), ("change", "speed", 2.0)]


def test_nothing_is_drawn_while_nothing_changes(playing: Table) -> None:
    playing.run(SECOND)
    flips = playing.window.flips
    playing.run(SECOND)
    assert playing.window.flips == flips
    playing.inbox.put(Edge(2, "seat", level=True, at=playing.clock.now()))
    playing.clock.move_to(playing.clock.now() + 1)
    playing.app.turn()
    assert playing.window.flips == flips + 1, "first light"


def test_the_picture_is_blanked_while_a_hand_is_shown(playing: Table) -> None:
    playing.host.image = np.zeros((4, 4, 3), np.uint8)
    playing.run()
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.camera is not None
    playing.app.carry_out(do.Say(Action(0, "announce", 7)))
    playing.run(2 * SECOND)
    playing.press(1)
    playing.press(2)
    playing.run(3 * SECOND)
    for seat, verb in ((0, "no_pair"), (3, "has_not"), (1, "has_not"), (2, "has_not")):
        playing.app.carry_out(do.Say(Action(seat, verb)))
        playing.run()
    assert playing.session.view.dark
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.camera is None


# Troubles ---------------------------------------------------------------------------------------------------


def test_storage_that_fails_is_shown_until_it_is_back(table: Table) -> None:
    journal = SlowJournal(table.clock, 0)
    session = Session(kinapa_game(journal), clock=table.clock, voice=table.host.voice)
    app = App(
        table.host,
        Around(session=session, games=table.host),
        window=table.window,  # type: ignore[arg-type]
        pages=all_pages(Screen(SIZE, Language)),
        clock=table.clock,
        inbox=table.inbox,
        glass=Glass(),
    )
    table.app = app
    journal.trouble = Trouble("storage.readonly", "read-only file system")
    table.press(0)
    assert app.frame().trouble == Sentence("shared.alarm.storage.readonly")
    assert table.state.phase == "announcing", "play goes on"
    journal.trouble = None
    table.run()
    assert app.frame().trouble is None


def raised_too_late(playing: Table, late: Micros) -> GameFrame:
    """Chair 2 raises in the count; the edge arrives `late` after its end."""
    playing.app.carry_out(do.Say(Action(0, "announce", 7)))
    playing.run(2 * SECOND)
    locked = playing.state.turn.first_beat + 3 * SECOND
    playing.run(locked + late - playing.clock.now())
    assert playing.state.phase == "pairing"
    playing.inbox.put(Edge(2, "seat", level=True, at=locked - 10 * MILLI))
    playing.run(100 * MILLI)
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    return frame


def test_of_a_late_press_the_own_panel_says_for_a_while_that_it_does_not_count(playing: Table) -> None:
    frame = raised_too_late(playing, 1_500 * MILLI)
    said = dict(frame.notices)[2]
    assert said.key == "ui.late.void"
    assert 1_400 <= int(dict(said.parts)["ms"]) <= 1_520
    assert frame.trouble is None, "nothing stands in red for it"
    playing.run(5 * SECOND)
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.notices == ()


def test_a_late_press_that_counts_all_the_same_is_not_spoken_of(playing: Table) -> None:
    playing.run(2 * SECOND)
    playing.inbox.put(Edge(0, "seat", level=True, at=playing.clock.now() - 500 * MILLI))
    playing.run()
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    assert (frame.notices, frame.trouble) == ((), None)


def test_what_ails_the_table_is_shown_unless_something_is_more_pressing(playing: Table) -> None:
    playing.host.unseen = Sentence("shared.trouble.marks")
    assert playing.app.frame().trouble == playing.host.unseen
    playing.session.unread = "slot:3"
    assert playing.app.frame().trouble == Sentence("shared.unread", (("slot", "3"),))


def test_a_card_that_cannot_be_read_is_asked_for(playing: Table) -> None:
    playing.session.unread = "slot:3"
    assert playing.app.frame().trouble == Sentence("shared.unread", (("slot", "3"),))
    playing.session.unread = "audit"
    assert playing.app.frame().trouble is not None


def test_a_camera_that_was_lost_before_the_game_is_told_in_it(table: Table) -> None:
    table.report(ob.CameraLost(at=0, reason="no camera"))
    table.begin()
    assert table.session.view.by_hand
    table.report(ob.CameraBack(at=table.clock.now()))
    assert not table.session.view.by_hand
    table.app.carry_out(do.Rematch())
    table.run()
    assert not table.session.view.by_hand


def test_a_camera_that_is_back_when_a_game_goes_on_is_told_with_its_first_picture(playing: Table) -> None:
    playing.report(ob.CameraLost(at=playing.clock.now(), reason="unplugged"))
    playing.app.carry_out(do.Show("home"))
    other = Table()
    other.host.journals = playing.host.journals
    other.app.carry_out(do.Resume("1"))
    other.run()
    assert other.session.view.by_hand, "no picture yet"
    other.host.image = np.zeros((4, 4, 3), np.uint8)
    other.run()
    assert not other.session.view.by_hand
    cameras = [e for e in other.session.game.referee.journal.entries if isinstance(e.cause, ob.CameraBack)]
    assert len(cameras) == 1


# The end ----------------------------------------------------------------------------------------------------


def test_the_machine_may_ask_to_stop_at_any_time_and_it_is_never_journalled(playing: Table) -> None:
    entries = len(playing.session.game.referee.journal.entries)
    playing.inbox.put(ob.ShutdownRequested(at=playing.clock.now()))
    playing.app.run()
    assert playing.app.left
    assert playing.host.asked[-1] == ("put away", entries)
    causes = [entry.cause for entry in playing.host.journals["1"].entries]
    assert not any(isinstance(cause, ob.ShutdownRequested) for cause in causes)


def test_it_may_ask_on_the_way_into_a_game(table: Table) -> None:
    table.inbox.put(ob.ShutdownRequested(at=0))
    table.app.carry_out(do.Start("kinapa", (0, 1, 2, 3), None))
    table.app.run()
    assert table.app.left


def test_closing_the_window_asks_while_a_game_is_played_and_staying_loses_nothing(playing: Table) -> None:
    entries = len(playing.session.game.referee.journal.entries)
    playing.window.entered.append(inputs.Closed())
    playing.run()
    assert (playing.overlay, playing.app.left) == ("close", False)
    playing.key("return")
    assert (playing.overlay, playing.app.page, playing.app.left) == ("", "game", False)
    assert len(playing.session.game.referee.journal.entries) == entries


@pytest.mark.parametrize("how", ["quit", "closed again"])
def test_who_is_sure_leaves_and_the_game_is_put_away(playing: Table, how: str) -> None:
    playing.window.entered.append(inputs.Closed())
    playing.run()
    if how == "quit":
        playing.touch("quit")
    else:
        playing.window.entered.append(inputs.Closed())
    playing.app.run()
    assert playing.app.left
    assert playing.host.asked[-1][0] == "put away"


def test_closing_the_window_where_no_game_is_played_ends_the_program(table: Table) -> None:
    table.window.entered.append(inputs.Closed())
    table.app.run()
    assert table.app.left


def test_leaving_a_game_leads_home_and_leaving_home_out(playing: Table) -> None:
    playing.app.carry_out(do.Leave())
    assert (playing.app.page, playing.app.session, playing.app.left) == ("home", None, False)
    assert playing.host.asked[-1][0] == "put away"
    playing.app.carry_out(do.Leave())
    assert playing.app.left
