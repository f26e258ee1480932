"""Nothing that leaves the loop, and no instant at which it leaves, depends on what lies buried in Kabuki.

Two tables at which the same happens at the same instants; only masks that lie under others differ. What is
spoken, shown, lit, logged, asked of the camera and offered as a correction is compared with its instant, from
the one at which the masks that differ are covered, whatever is taken back; until somebody lifts their stack.
`tests/games/kabuki/test_kabuki_leaks.py` asks the same of the rules alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros, Setup, Timer
from companion.core.events import Event
from companion.core.exhibits import Exhibit, PhotoFinish
from companion.core.view import Sentence, View, ViewMode
from companion.games.kabuki.rules import Kabuki
from companion.games.kabuki.rules.model import DESIGNS, KabukiPhase, KabukiRoundEnded, KabukiState
from companion.games.kabuki.rules.stops import count_twins
from companion.games.kit.world import PlayStyle
from companion.referee.journal import Entry
from companion.referee.referee import Referee
from companion.simulation.game_simulation import GameSimulation
from tests.whole.twins import MS, Deed, Loop, Out, led, many, mending, presses, seen, sure_of

TURN: Micros = 3 * SECOND
CHECK = frozenset({KabukiPhase.CHECKING, KabukiPhase.SHOWING, KabukiPhase.RESTORING})
"""A stack is looked into."""
Lay = tuple[int, str, str]
"""A stack, and the mask that is laid there in the one history and in the other."""


def laid(rules: Kabuki, lays: Sequence[Lay], players: int, which: int) -> Loop:
    """The camera sees these masks placed, one a turn, at the same instants in both histories."""
    differing = {stack for stack, *designs in lays if designs[0] != designs[1]}

    def opened(state: KabukiState) -> bool:
        """All stacks lie open between rounds; in a check only its own."""
        checked = state.phase in CHECK and state.stop is not None and state.stop.stack in differing
        return checked or state.phase is KabukiPhase.SHUFFLING

    loop = Loop(rules, Setup(tuple(range(players)), rules.options()), opened=opened)
    loop.run(SECOND)
    begin = ob.ActionDeclared(at=SECOND, action=Action(0, "begin"))
    masks = [
        seen(2 * SECOND + turn * TURN, f"stack:{lay[0]}", f"mask:{lay[which]}", sure=sure_of(lay[which]))
        for turn, lay in enumerate(lays)
    ]
    loop.run(2 * SECOND + len(lays) * TURN, begin, *masks)
    assert loop.state.placed == len(lays)
    loop.cover()
    return loop


def alike(lays: Sequence[Lay]) -> list[Lay]:
    """The same, but each stack ends with the same mask on top, and no mask is placed on its like.

    Nobody sees that, the camera neither: it is shown first, which is another test's business.
    """
    tops = {stack: place for place, (stack, _, _) in enumerate(lays)}
    told = [
        (stack, one, one if tops[stack] == place else other) for place, (stack, one, other) in enumerate(lays)
    ]
    for place, (stack, *designs) in enumerate(told):
        under = next((lay for lay in reversed(told[:place]) if lay[0] == stack), None)
        if under is not None and (under[1] == designs[0] or under[2] == designs[1]):
            return alike([*lays[:place], *lays[place + 1 :]])
    return told


def differing(
    rules: Kabuki, lays: Sequence[Lay], deeds: Sequence[Deed], players: int = 4
) -> tuple[Out | None, Out | None] | None:
    """The first thing that left the two loops otherwise, by what, when or at all."""
    told = alike(lays)
    return led((laid(rules, told, players, 1), laid(rules, told, players, 2)), deeds)


designs = st.sampled_from(DESIGNS)
lies = st.builds(
    lambda stack, card: ("lies", f"stack:{stack}", card, sure_of(card)),
    st.integers(1, 4),
    designs.map("mask:{}".format) | st.just("unknown"),
)
deeds = st.one_of(
    presses.map(lambda pairs: ("presses", *pairs)),
    lies,
    mending,
    mending,
    st.tuples(st.just("say"), st.integers(0, 40)),
    st.tuples(st.just("wait"), st.integers(1, 7_000_000)),
)
lays_of_a_round = st.lists(st.tuples(st.integers(1, 4), designs, designs), min_size=2, max_size=9)


@pytest.mark.slow
@many
@given(lays_of_a_round, st.lists(deeds, min_size=1, max_size=5), st.integers(2, 6))
def test_what_lies_buried_changes_nothing_that_leaves_the_loop_and_no_instant_of_it(
    lays: list[Lay], after: list[Deed], players: int
) -> None:
    assert differing(Kabuki(), lays, after, players) is None


BURIED: list[Lay] = [(1, "wave", "sun"), (1, "leaf", "leaf"), (2, "crab", "crab"), (1, "wave", "wave")]
"""In the one history the mask on stack 1 lies on its like."""
BACK: Deed = ("back", False)


@pytest.mark.parametrize(
    "after",
    [
        [BACK, BACK, BACK],
        [BACK, ("again",), BACK, BACK, ("again",)],
        [BACK, BACK, BACK, ("lies", "stack:1", "mask:wave", 0.995), BACK],
        [BACK, BACK, BACK, ("correct", 3), ("correct", 8)],
        [("correct", 40), ("correct", 10), ("resume",), BACK],
        [("end",), BACK, BACK],
        [("resume",), BACK, ("pause",), BACK, BACK],
        [("end",), ("resume",), BACK],
    ],
)
def test_no_key_pressed_again_and_again_reads_a_stack(after: list[Deed]) -> None:
    assert differing(Kabuki(), BURIED, after) is None


def test_what_was_taken_back_to_is_unknown_until_it_is_seen() -> None:
    loop = laid(Kabuki(), BURIED, 4, 1)
    loop.do(BACK)
    assert card_on(loop, 1) == "unknown"
    loop.do(("lies", "stack:1", "mask:leaf", 0.995))
    assert card_on(loop, 1) == "mask:leaf"


def test_what_was_taken_back_to_is_unknown_until_somebody_names_it() -> None:
    loop = laid(Kabuki(), BURIED, 4, 1)
    loop.do(BACK)
    at = loop.clock.now()
    loop.run(at + SECOND, ob.ActionDeclared(at=at + MS, action=Action(0, "name", "leaf@1")))
    assert card_on(loop, 1) == "mask:leaf"


def test_a_mask_that_lies_open_all_the_time_is_not_forgotten() -> None:
    loop = laid(Kabuki(), BURIED, 4, 1)
    loop.do(BACK)
    assert card_on(loop, 2) == "mask:crab"
    loop.do(("correct", 0))
    assert card_on(loop, 2) != "unknown", "a mask that is corrected is named"


def test_a_game_that_was_given_up_stays_shut_until_everything_is_shown_and_is_over_then() -> None:
    loop = laid(Kabuki(), BURIED, 4, 1)
    loop.do(("end",))
    assert "wave" not in masks_told(loop)[:1]
    assert loop.game.referee.find_undoable() is not None
    loop.run(loop.clock.now() + SECOND, ob.HiddenCardsViewed(at=loop.clock.now() + MS))
    assert masks_told(loop) == ["wave", "leaf", "crab", "wave"]
    referee = loop.game.referee
    assert (referee.find_undoable(), referee.find_redoable()) == (None, None)
    assert not any(referee.is_correctable(entry.seq) for entry in referee.standing_entries())


def test_how_surely_a_mask_was_read_is_told_while_it_lies_on_top_and_no_longer() -> None:
    loop = laid(Kabuki(), BURIED, 4, 1)
    told = [
        line.chance
        for line in loop.session.history.recent_lines()
        if line.sentence.key.startswith("kabuki.MaskPlaced")
    ]
    assert told == [None, None, sure_of("crab"), sure_of("wave")]


def masks_told(loop: Loop) -> list[object]:
    """Every mask that the log says was placed, if it names it."""
    placed = [
        line
        for line in loop.session.history.recent_lines()
        if line.sentence.key.startswith("kabuki.MaskPlaced")
    ]
    return [dict(line.sentence.parts).get("mask") for line in placed]


def card_on(loop: Loop, stack: int) -> str:
    return next(place.card for place in loop.session.view.places if place.region == f"stack:{stack}")


# Leaks on purpose -------------------------------------------------------------------------------------------

CALLED: list[Deed] = [("presses", (1, 0), (2, 1_300)), ("wait", 2 * SECOND)]


def knows(state: KabukiState) -> int:
    """How many twins lie under the mask placed last."""
    last = state.last
    return count_twins(state.stacks[state.stack_of(last) - 1], last.number)[0] if last else 0


class InTheView(Kabuki):
    def view(self, state: KabukiState, mode: ViewMode = ViewMode.PLAY) -> View:
        told = super().view(state, mode)
        return replace(told, hint=Sentence("kabuki.hint.look")) if knows(state) else told


class InTheLog(Kabuki):
    def public_parts(self, state: KabukiState, event: Event) -> tuple[tuple[str, str | int], ...]:
        return self.sentence_parts(state, event)


class InTheEvidence(Kabuki):
    def exhibit(self, state: KabukiState, standing: Iterable[Any]) -> Exhibit | None:
        shown = super().exhibit(state, standing)
        return replace(shown, resolution=1) if isinstance(shown, PhotoFinish) and knows(state) else shown


class InTheTime(Kabuki):
    """A right Stop gets its mask a millisecond later, and nothing else differs."""

    def timer(self, state: KabukiState) -> Timer | None:
        due = super().timer(state)
        return due and Timer(due.name, due.due + MS * knows(state))


class InTheFigure(Kabuki):
    """How surely a buried mask was read."""

    def open_position_of(self, state: KabukiState, event: Event) -> str | None:
        stack = getattr(event, "stack", None)
        return None if stack is None else f"stack:{stack}"


class InTakingBack(Kabuki):
    def forget(self, state: KabukiState, place: str) -> Event | None:
        return None


class InEnding(Kabuki):
    def is_open(self, state: KabukiState) -> bool:
        return self.outcome(state) is not None


@pytest.mark.parametrize(
    ("leaky", "way"),
    [(InTheView, "screen"), (InTheLog, "screen"), (InTheEvidence, "screen"), (InTheTime, "told")],
)
def test_a_leak_planted_in_view_log_evidence_or_time_is_found(leaky: type[Kabuki], way: str) -> None:
    assert differing(Kabuki(), BURIED, CALLED) is None
    found = differing(leaky(), BURIED, CALLED)
    assert found is not None
    assert any(out is not None and out[1].startswith(way) for out in found)


def test_a_leak_planted_in_the_view_is_found_in_what_passes_to_the_club_and_to_the_house() -> None:
    def passed(rules: Kabuki, way: str) -> list[list[object]]:
        loops = [laid(rules, alike(BURIED), 4, which) for which in (1, 2)]
        led((loops[0], loops[1]), CALLED)
        return [[out for out in loop.out if out[1] == way] for loop in loops]

    for way in ("uplink", "home"):
        one, other = passed(Kabuki(), way)
        assert one == other != [], way
    one, other = passed(InTheView(), "uplink")
    assert one != other


@pytest.mark.parametrize(
    ("leaky", "after"),
    [(InTheFigure, [("wait", SECOND)]), (InTakingBack, 3 * [BACK]), (InEnding, [("end",)])],
)
def test_a_leak_planted_in_a_figure_in_taking_back_or_in_ending_is_found(
    leaky: type[Kabuki], after: list[Deed]
) -> None:
    assert differing(Kabuki(), BURIED, after) is None
    assert differing(leaky(), BURIED, after) is not None


def lifted() -> tuple[Loop, Entry[Event]]:
    """A stack with masks buried under its top is lifted, and the entry that says so."""
    loop = laid(Kabuki(), BURIED, 4, 1)
    for deed in CALLED:
        loop.do(deed)
    referee, at = loop.game.referee, loop.clock.now()
    return loop, referee.observe(ob.ActionDeclared(at=at, action=Action(1, "look")))


def test_whoever_has_looked_under_a_stack_cannot_withdraw_the_stop() -> None:
    """BA13: not by going back to the moment before the look either."""
    loop, look = lifted()
    referee, at = loop.game.referee, loop.clock.now()
    assert referee.settled
    assert referee.undo(at) is None
    assert not any(referee.is_correctable(entry.seq, to_nothing=True) for entry in referee.standing_entries())
    assert all(referee.rules.is_reading(entry.cause) for entry in referee.correctable_entries())
    referee.observe(ob.ActionDeclared(at=at, action=Action(1, "withdraw")))
    assert loop.state.phase is KabukiPhase.CHECKING
    assert look in referee.standing_entries()


def test_a_stop_whose_count_was_told_right_or_wrong_stays_called() -> None:
    loop, lifting = lifted()
    referee, at = loop.game.referee, loop.clock.now()
    counted = referee.observe(ob.ActionDeclared(at=at, action=Action(1, "twins", 0)))
    assert referee.find_undoable() == counted, "the count itself may be taken back: it is given again"
    assert referee.undo(at) is not None
    assert loop.state.phase is KabukiPhase.CHECKING
    assert referee.find_undoable() is None
    assert not referee.is_correctable(lifting.seq)
    again = Referee(Kabuki(), referee.journal)
    assert again.find_undoable() is None, "also when the game was left and gone on with"


def test_the_end_of_a_round_tells_what_nobody_noticed_and_stays() -> None:
    rules = Kabuki()
    game = GameSimulation(rules, Setup((0, 1), rules.options()), seed=1, styles=[PlayStyle.LAWFUL] * 2)
    ended = (
        game.referee
        for _ in game.run_entries()
        if any(isinstance(event, KabukiRoundEnded) for event in game.referee.journal.entries[-1].events)
    )
    referee = next(ended)
    assert referee.find_undoable() is None
    assert not any(referee.is_correctable(entry.seq) for entry in referee.standing_entries())
