"""Games of Lantern for tests of the journal, the store and the referee."""

from __future__ import annotations

from lantern.rules import BACK, LANTERN, LanternOptions, LanternState, place

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.core.observations import AnyObservation
from companion.referee.journal import Header, Journal, MemoryJournal, make_header
from companion.referee.referee import Referee

RULES = {LANTERN.name: LANTERN}
SETUP = Setup(chairs=(1, 4), options=LanternOptions())
"""Chairs 1 and 4 of the table: neither is a seat's number."""
LOTS = ("0", "1", "2", "3")
FIRST, OTHER = SETUP.chairs


def header(**more: object) -> Header:
    return make_header("lantern", SETUP, date="2026-01-02T03:04:05+00:00", software="test", **more)  # type: ignore[arg-type]


def new(journal: Journal | None = None) -> Referee[LanternState]:
    return Referee(LANTERN, journal or MemoryJournal(header()))


def declared(at: int, seat: int, verb: str, value: str | int | None = None) -> ob.ActionDeclared:
    return ob.ActionDeclared(at=at, action=Action(seat, verb, value))


def seen(at: int, seat: int, card: str) -> ob.TableSeen:
    region = ob.RegionReading(place(seat), (ob.SeenCard(card, confidence=0.9),), at - 700_000, at - 500_000)
    return ob.TableSeen(at=at, regions=(region,))


def before_the_count(number: int = 3) -> list[AnyObservation]:
    """Seat 0 begins, lays a sun, turns it and names a number."""
    return [
        ob.RandomDraw(at=0, choices=LOTS, index=0),
        seen(1_000_000, 0, "sun"),
        seen(2_000_000, 0, BACK),
        declared(3_000_000, 0, "name", number),
    ]


COUNT = ob.CueHeard(at=4_000_000, cue="count")
END = COUNT.at + 3 * SECOND


def in_the_window(number: int = 3) -> Referee[LanternState]:
    """The count runs: beats at 4 and 5 s, to be closed at 7 s; chair 4 has not caught yet."""
    referee = new()
    for observation in (*before_the_count(number), COUNT):
        referee.observe(observation)
    referee.fire_timers(COUNT.at + SECOND + 1)
    return referee


def next_turn(referee: Referee[LanternState], at: int, number: int) -> int:
    """Play the turn of the seat that has it up to its end, uncaught; the instant after it."""
    seat = referee.state.seat
    referee.observe(declared(at, seat, "lay", "moon"))
    referee.observe(declared(at + 1, seat, "turn"))
    referee.observe(declared(at + 2, seat, "name", number))
    referee.observe(ob.CueHeard(at=at + 3, cue="count", attempt=referee.state.attempt))
    referee.fire_timers(at + 3 + 3 * SECOND + 1)
    return at + 4 * SECOND


def whole_game(referee: Referee[LanternState]) -> Referee[LanternState]:
    """A game to its end, with a catch, an undo, a redo and a correction."""
    for observation in before_the_count():
        referee.observe(observation)
    referee.observe(COUNT)
    referee.fire_timers(5_500_000)
    referee.observe(ob.ButtonPressed(at=5_500_000, chair=OTHER))
    referee.fire_timers(END + 1)
    referee.observe(ob.ButtonPressed(at=8_000_000, chair=FIRST))
    referee.observe(ob.ButtonHeld(at=8_600_000, chair=FIRST))
    referee.observe(ob.UndoRequested(at=9_000_000))
    referee.observe(ob.UndoRequested(at=9_500_000, redo=True))
    at = next_turn(referee, 10_000_000, 2)
    laid = next(entry for entry in referee.standing_entries() if isinstance(entry.cause, ob.TableSeen))
    referee.observe(ob.CorrectionRequested(at=at, seq=laid.seq - 1, truth=seen(1_000_000, 0, "star")))
    at = next_turn(referee, at + 1, 1)
    next_turn(referee, at, 5)
    return referee
