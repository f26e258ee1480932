"""Nothing that leaves the loop, and no instant at which it leaves, depends on what lies buried in Kabuki.

Two tables at which the same happens at the same instants; only masks that lie under others differ. What is
spoken, shown, lit, logged, asked of the camera and offered as a correction is compared with its instant,
until somebody lifts a stack. `tests/rules/test_kabuki_leaks.py` asks the same of the rules alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loop import ListLamps, ListVoice
from msgspec.structs import replace

from companion import observations as ob
from companion.actions import SECOND, Action, Micros, Setup, Timer
from companion.cli._replay import steps
from companion.clock import ManualClock
from companion.events import Event
from companion.exhibits import Exhibit, Finish
from companion.framing import game_frame
from companion.game import Game
from companion.journal import MemoryJournal, header_of
from companion.lockout import Edge
from companion.referee import Referee
from companion.rules.kabuki import Kabuki
from companion.rules.kabuki.state import DESIGNS, KabukiState, Phase, twins
from companion.session import Session
from companion.ui.glass import Glass
from companion.view import Mode, Sentence, View

MS: Micros = 1_000
TURN: Micros = 3 * SECOND
OPEN = frozenset({Phase.CHECKING, Phase.SHOWING, Phase.RESTORING, Phase.SHUFFLING, Phase.OVER})
"""The stack, or all of them, may be looked at."""
Lay = tuple[int, str, str]
"""A stack, and the mask that is laid there in the one history and in the other."""
Deed = tuple[Any, ...]
Out = tuple[Micros, str, object]
"""When something left the loop, by which way, and what it was."""


class Eyeless:
    """As much of a host as a frame asks for."""

    def picture(self) -> None:
        return None

    def demo(self) -> None:
        return None

    def by_keys(self) -> bool:
        return False


class Loop:
    """A session under a clock moved by hand, and all that left it while no stack was lifted."""

    def __init__(self, rules: Kabuki, players: int, **options: Any) -> None:
        self.clock = ManualClock()
        head = header_of("kabuki", Setup(tuple(range(players)), rules.options(**options)))
        self.game = Game(Referee(rules, MemoryJournal(head)), chance=lambda choices: 0)
        self.voice, self.lamps = ListVoice(self.clock, available=False), ListLamps()
        self.out: list[Out] = []
        self.session = Session(
            self.game,
            clock=self.clock,
            voice=self.voice,
            lamps=self.lamps,
            ask=lambda look: self.note("camera", look),
            heard=[lambda told: self.note("told", (told.entry.seq, told.entry.cause.at))],
        )
        self.laid: int | None = None
        """How many masks lie when both tables look alike: from then on what leaves is kept."""

    @property
    def state(self) -> KabukiState:
        state: KabukiState = self.game.referee.state
        return state

    @property
    def is_open(self) -> bool:
        """Whether a mask that differs may be seen: its stack is lifted, or what covered it taken back."""
        return self.laid is not None and (self.state.phase in OPEN or self.state.placed < self.laid)

    def note(self, way: str, what: object) -> None:
        if self.laid is not None:
            self.out.append((self.clock.now(), way, what))

    def run(self, until: Micros, *reports: Edge | ob.AnyObservation) -> None:
        """Step whenever something is due; every report comes at its own instant."""
        waiting = sorted(reports, key=lambda seen: seen.at)
        while self.clock.now() < until and not self.is_open:
            due = min(until, self.session.next_due() or until, *(seen.at for seen in waiting[:1]))
            self.clock.move_to(max(due, self.clock.now() + 1))
            while waiting and waiting[0].at <= self.clock.now():
                self.session.take(waiting.pop(0))
            self.session.step()
            if self.laid is not None and not self.is_open:
                self._look()

    def _look(self) -> None:
        """What everybody can see and hear now, where it changed."""
        common: Any = {"names": {}, "colours": (), "trouble": None}
        for overlay in ("", "correct", "may", "finish"):
            frame = game_frame(self.session, Eyeless(), {"glass": Glass(overlay=overlay), **common})  # type: ignore[arg-type]
            self._changed(f"screen {overlay}", frame)
        self._changed("said", tuple(self.voice.said))
        self._changed("lamps", self.session.lamps())

    def _changed(self, way: str, what: object) -> None:
        old = next((was for _, before, was in reversed(self.out) if before == way), None)
        if what != old:
            self.note(way, what)


def led(rules: Kabuki, laid: Sequence[tuple[int, str]], deeds: Sequence[Deed], players: int) -> Loop:
    """These masks are said to lie, one a turn; then the deeds are done."""
    loop = Loop(rules, players)
    loop.run(SECOND)
    said = [ob.Declared(at=SECOND, action=Action(0, "begin"))]
    for turn, (stack, design) in enumerate(laid):
        action = Action(turn % players, "place", f"{design}@{stack}")
        said.append(ob.Declared(at=2 * SECOND + turn * TURN, action=action))
    loop.run(2 * SECOND + len(laid) * TURN, *said)
    loop.voice.said.clear()
    loop.laid = len(laid)
    for deed in deeds:
        at = loop.clock.now()
        loop.run(*done(deed, at, players))
    return loop


def done(deed: Deed, at: Micros, players: int) -> tuple[Any, ...]:
    """Until when a deed takes, and what is reported of it."""
    match deed:
        case ("presses", *pairs):
            edges = [
                Edge(seat % players, "seat", level=level, at=at + after + held)
                for seat, after in dict(pairs).items()
                for level, held in ((True, 0), (False, 90 * MS))
            ]
            return (at + 3 * SECOND, *edges)
        case ("lies", stack, card):
            since = at + 400 * MS
            region = ob.Region(f"stack:{stack}", (ob.Face(card),), at + 100 * MS, since)
            return (at + SECOND, ob.TableSeen(at=since + 300 * MS, regions=(region,)))
        case ("back",):
            return (at + SECOND, ob.TakenBack(at=at + MS))
        case ("pause",):
            return (at + SECOND, ob.Paused(at=at + MS), ob.Resumed(at=at + 500 * MS))
        case ("wait", after):
            return (at + after,)
    raise AssertionError(deed)


def alike(lays: Sequence[Lay]) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Two histories in which each stack ends with the same mask on top."""
    tops = {stack: place for place, (stack, _, _) in enumerate(lays)}
    one = [(stack, design) for stack, design, _ in lays]
    other = [
        (stack, design if tops[stack] == place else buried)
        for place, (stack, design, buried) in enumerate(lays)
    ]
    return one, other


def differing(
    rules: Kabuki, lays: Sequence[Lay], deeds: Sequence[Deed], players: int = 4
) -> tuple[Out | None, Out | None] | None:
    """The first thing that left the two loops otherwise, by what, when or at all."""
    left, right = (led(rules, laid, deeds, players).out for laid in alike(lays))
    length = max(len(left), len(right))
    pairs = zip(left + [None] * (length - len(left)), right + [None] * (length - len(right)), strict=True)  # type: ignore[operator]
    return next(((mine, its) for mine, its in pairs if mine != its), None)


designs = st.sampled_from(DESIGNS)
presses = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30_000)), min_size=1, max_size=4)
deeds = st.one_of(
    presses.map(lambda pairs: ("presses", *pairs)),
    st.tuples(st.just("lies"), st.integers(1, 4), designs.map("mask:{}".format) | st.just("unknown")),
    st.just(("back",)),
    st.just(("pause",)),
    st.tuples(st.just("wait"), st.integers(1, 7_000_000)),
)


# A game that is looked at again ----------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 4), designs, designs), min_size=2, max_size=9), presses)
def test_a_replay_of_an_unfinished_game_shows_no_mask_that_lies_buried(
    lays: list[Lay], pressed: list[tuple[int, int]]
) -> None:
    shown = []
    for history in alike(lays):
        journal = led(Kabuki(), history, [("presses", *pressed)], 4).game.referee.journal
        shown.append(
            [
                (step.seq, step.at, step.rulings, step.view)
                for step in steps(Kabuki(), journal.header, journal.entries)
            ]
        )
    assert shown[0] == shown[1]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 4), designs, designs), min_size=2, max_size=9),
    st.lists(deeds, min_size=1, max_size=4),
    st.integers(2, 6),
)
def test_what_lies_buried_changes_nothing_that_leaves_the_loop_and_no_instant_of_it(
    lays: list[Lay], after: list[Deed], players: int
) -> None:
    assert differing(Kabuki(), lays, after, players) is None


# Leaks on purpose -------------------------------------------------------------------------------------------

BURIED: list[Lay] = [(1, "wave", "sun"), (1, "leaf", "leaf"), (2, "crab", "crab"), (1, "wave", "wave")]
"""In the one history the mask on stack 1 lies on its like."""
CALLED: list[Deed] = [("presses", (1, 0), (2, 1_300)), ("wait", 2 * SECOND)]


def knows(state: KabukiState) -> int:
    """How many twins lie under the mask placed last."""
    last = state.last
    return (twins(state.stacks[state.stack_of(last) - 1], last.number) or 0) if last else 0


class InTheView(Kabuki):
    def view(self, state: KabukiState, mode: Mode = Mode.PLAY) -> View:
        told = super().view(state, mode)
        return replace(told, hint=Sentence("kabuki.hint.look")) if knows(state) else told


class InTheLog(Kabuki):
    def public_parts(self, state: KabukiState, event: Event) -> tuple[tuple[str, str | int], ...]:
        return self.parts(state, event)


class InTheEvidence(Kabuki):
    def exhibit(self, state: KabukiState, standing: Iterable[Any]) -> Exhibit | None:
        shown = super().exhibit(state, standing)
        return replace(shown, resolution=1) if isinstance(shown, Finish) and knows(state) else shown


class InTheTime(Kabuki):
    """A right Stop gets its mask a millisecond later, and nothing else differs."""

    def timer(self, state: KabukiState) -> Timer | None:
        due = super().timer(state)
        return due and Timer(due.name, due.due + MS * knows(state))


@pytest.mark.parametrize(
    ("leaky", "way"),
    [(InTheView, "screen"), (InTheLog, "screen"), (InTheEvidence, "screen"), (InTheTime, "told")],
)
def test_a_leak_planted_in_view_log_evidence_or_time_is_found(leaky: type[Kabuki], way: str) -> None:
    assert differing(Kabuki(), BURIED, CALLED) is None
    found = differing(leaky(), BURIED, CALLED)
    assert found is not None
    assert any(out is not None and out[1].startswith(way) for out in found)
