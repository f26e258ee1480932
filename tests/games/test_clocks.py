"""The table's clocks: they stand in a pause, and what was taken back counts for nobody."""

from __future__ import annotations

from cups.rules import Cups, CupsOptions

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.core.view import Cell, ChairView, ClockView, LampSignal, Sentence, View
from companion.referee.journal import MemoryJournal, make_header, replay_state
from companion.referee.referee import Referee
from companion.table.clock_voice import ClockVoice


class TimedCups(Cups):
    has_clocks = True


TIMED = TimedCups()


def referee() -> Referee:
    header = make_header("cups", Setup((0, 1, 2), CupsOptions()), kind="simulation")
    return Referee(TIMED, MemoryJournal(header))


def shown(game: Referee, at: int) -> float:
    """What the table's clocks show, in seconds, after so many of game time."""
    return game.state.desk.clock_time(at * SECOND) / SECOND


def bid(game: Referee, seat: int, value: str, at: int) -> None:
    game.observe(ob.ActionDeclared(at=at * SECOND, action=Action(seat, "bid", value)))


def test_clocks_stand_in_a_pause() -> None:
    game = referee()
    game.observe(ob.PauseRequested(at=10 * SECOND))
    assert shown(game, 25) == 10
    game.observe(ob.ResumeRequested(at=40 * SECOND))
    assert (shown(game, 40), shown(game, 47)) == (10, 17)


def test_ok_ends_a_pause_for_the_clocks_too() -> None:
    game = referee()
    game.observe(ob.PauseRequested(at=10 * SECOND))
    game.observe(ob.ButtonPressed(at=40 * SECOND, chair=None, button="ok"))
    assert shown(game, 47) == 17


def test_after_undo_the_clocks_show_what_they_did_when_the_ruling_was_made() -> None:
    game = referee()
    bid(game, 0, "1/2", at=10)
    bid(game, 1, "1/3", at=30)
    game.undo(100 * SECOND)
    assert (shown(game, 100), shown(game, 105)) == (30, 35)
    game.redo(200 * SECOND)
    assert shown(game, 200) == 100, "the time until the undo was spent"
    assert replay_state(TIMED, game.setup, game.journal.entries) == game.state


def test_undo_in_a_pause_leaves_the_clocks_standing() -> None:
    game = referee()
    bid(game, 0, "1/2", at=10)
    game.observe(ob.PauseRequested(at=20 * SECOND))
    game.undo(50 * SECOND)
    assert shown(game, 80) == 10
    game.observe(ob.ResumeRequested(at=90 * SECOND))
    assert shown(game, 91) == 11


def test_games_without_clocks_write_nothing_of_them() -> None:
    game = Referee(Cups(), referee().journal)
    game.observe(ob.PauseRequested(at=10 * SECOND))
    game.observe(ob.ResumeRequested(at=40 * SECOND))
    assert [event for entry in game.journal.entries for event in entry.events] == [
        ev.GamePaused(),
        ev.GameResumed(),
    ]


# What is drawn and said -------------------------------------------------------------------------------------


def view_of(clock: ClockView) -> View:
    chair = ChairView(chair=2, seat=0, lamp=LampSignal.DARK, cards=0, clock=clock)
    return View(game="cups", phase="", headline=Sentence("x"), hint=None, chairs=(chair,), places=())


def test_a_clock_is_a_function_of_the_instant() -> None:
    bank = ClockView(60 * SECOND, since=5 * SECOND, whole=90 * SECOND)
    assert [bank.read(at * SECOND) // SECOND for at in (0, 5, 25, 100)] == [60, 60, 40, 0]
    counted = ClockView(60 * SECOND, since=5 * SECOND)
    assert counted.read(25 * SECOND) == 80 * SECOND
    assert ClockView(7 * SECOND).read(99 * SECOND) == 7 * SECOND


def test_the_voice_tells_of_a_clock_once_at_each_mark() -> None:
    voice, view = ClockVoice(), view_of(ClockView(40 * SECOND, since=0, whole=60 * SECOND))
    told = [(at, said) for at in range(41) for said in voice.sentences(view, at * SECOND)]
    assert [(at, said.key) for at, said in told] == [(10, "shared.clock.30"), (30, "shared.clock.10")]
    assert told[0][1].parts[0] == ("chair", 2)


def test_the_voice_asks_to_be_woken_at_the_next_mark() -> None:
    voice, view = ClockVoice(), view_of(ClockView(40 * SECOND, since=0, whole=60 * SECOND))
    assert list(voice.sentences(view, 0)) == []
    assert voice.next_due() == 10 * SECOND
    assert list(ClockVoice().sentences(view_of(ClockView(40 * SECOND, whole=60 * SECOND)), 50 * SECOND)) == []


def test_a_clock_that_begins_near_its_end_is_not_told_of_at_once() -> None:
    voice = ClockVoice()
    assert list(voice.sentences(view_of(ClockView(5 * SECOND, since=0, whole=60 * SECOND)), 0)) == []
    assert Cell(clock=None).clock is None
