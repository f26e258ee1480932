"""Parses the notation of a lesson's actions, one line each.

`@1 announce 7` is an action of a seat, and `@1 draw_from @3` one whose value is a seat. `count` means that
the count is heard, `time` lets all timers expire, and `lot @1` is the result of a random draw. `see slot:3
object:5-6` is a reading of the camera (bottom card first), `show @2 animal:1` a hand shown to it, and `table
hand:@1 2` a declaration by the players. `5s @3 close` waits before the action.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros, Seat
from companion.core.rules import Rules
from companion.referee.journal import MemoryJournal
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.teach.lesson import resolve_seat

ACTION_INTERVAL: Micros = 3 * SECOND // 2
"""Time between two actions of simulated players."""
MAX_TIMERS = 40
"""Timers in a row; more would be a game that plays itself."""


class NotationError(ValueError):
    """A line that is not in this notation."""


class NotationLine(Struct, frozen=True):
    """One line of the notation."""

    kind: str
    """`act`, `count`, `time`, `lot`, `see`, `show`, `table`."""
    seat: Seat | None = None
    action: Action | None = None
    words: tuple[str, ...] = ()
    after: Micros = ACTION_INTERVAL


def parse_line(line: str, offset: int, players: int) -> NotationLine:
    """Parse a line of a lesson; raises `NotationError`."""
    words = line.split()
    after = ACTION_INTERVAL
    if words and re.fullmatch(r"\d+s", words[0]):
        after = int(words.pop(0)[:-1]) * SECOND
    if not words:
        raise NotationError("a step can't be an empty line")
    first, rest = words[0], tuple(str(resolve_seat(word, offset, players)) for word in words[1:])
    if first in {"count", "time"} and not rest:
        return NotationLine(first, after=after)
    if (first == "lot" and len(rest) == 1) or (first in {"see", "show"} and rest):
        return NotationLine(first, words=rest, after=after)
    if first == "table" and rest and len(rest) % 2 == 0:
        return NotationLine(first, words=rest, after=after)
    seat = resolve_seat(first, offset, players)
    if not isinstance(seat, int) or not 2 <= len(words) <= 3:
        raise NotationError(
            f"{line!r} is not a step; write e.g. '@1 announce 7', 'count', 'time', 'see slot:3 …'"
        )
    value: Any = resolve_seat(words[2], offset, players) if len(words) == 3 else None
    return NotationLine("act", seat, Action(seat, words[1], _parse_value(value)), after=after)


def _parse_value(value: Any) -> Any:
    """A number if the text is one, else the text."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d+", value) else value


def to_observations(
    rules: Rules[Any], state: Any, what: NotationLine, at: Micros
) -> Iterator[ob.AnyObservation]:
    """The observations that a line amounts to in `state`, without their times; raises `NotationError`."""
    match what.kind:
        case "act" if what.action is not None:
            yield ob.ActionDeclared(at=at, action=what.action)
        case "count":
            cue = rules.awaited_cue(state)
            if cue is None:
                raise NotationError("there is no count here")
            yield ob.CueHeard(at=at, cue=cue.name, attempt=cue.attempt)
        case "lot":
            lots = rules.awaited_draw(state)
            if lots is None or what.words[0] not in lots:
                raise NotationError(f"chance is not asked for {what.words[0]!r} here")
            yield ob.RandomDraw(at=at, choices=lots, index=lots.index(what.words[0]))
        case "see":
            yield make_reading(what.words[0], what.words[1:], at)
        case "show":
            faces = tuple(ob.SeenCard(card) for card in what.words[1:])
            yield ob.HandShown(at=at, seat=int(what.words[0]), faces=faces)
        case "table":
            table = zip(what.words[::2], map(_parse_value, what.words[1::2]), strict=True)
            yield ob.TableDeclared(at=at, table=tuple(table))


def make_reading(region: str, cards: Sequence[str], at: Micros) -> ob.TableSeen:
    """A reading of one region that settled at `at`."""
    faces = tuple(ob.SeenCard(card) for card in cards)
    return ob.TableSeen(at=at, regions=(ob.RegionReading(region, faces, max(0, at - 2), max(0, at - 1)),))


def judge_lines(referee: Any, lines: Sequence[str], offset: int, at: Micros) -> Micros:
    """Have the referee judge `lines`, starting at `at`; returns the instant after the last."""
    players = referee.setup.players
    for line in lines:
        what = parse_line(line, offset, players)
        if what.kind == "time":
            at = expire_timers(referee, at)
            continue
        for one in to_observations(referee.rules, referee.state, what, at):
            referee.observe(one)
        at += 1_000
    return at


def play_in_past(game: RefereedGame, lines: Sequence[str], offset: int, now: Micros) -> None:
    """Play `lines` from the beginning, in the past, so that no timer of theirs is still pending."""
    scratch: Referee[Any] = Referee(game.referee.rules, MemoryJournal(game.referee.journal.header))
    took = judge_lines(scratch, lines, offset, 0)
    game.rewind_to(0, now)
    judge_lines(game.referee, lines, offset, now - took)


def expire_timers(referee: Any, at: Micros) -> Micros:
    """Let all timers expire, one after another; returns the instant after the last."""
    for _ in range(MAX_TIMERS):
        timer = referee.next_timer()
        if timer is None:
            break
        at = max(at, timer.due)
        referee.observe(ob.TimerElapsed(at=timer.due, timer=timer.name))
    return at + 1_000
