"""The referee knows how many twins lie buried and does not tell: by no word, lamp, log, choice or delay.

Two histories that differ only in what lies buried are led on in the same way. Until the table has said what
it counted, nothing that leaves the rules may differ; and leaks planted on purpose are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Action, Micros, Timer
from companion.core.events import Event
from companion.core.exhibits import Exhibit, PhotoFinish
from companion.core.view import LampSignal, Sentence, View, ViewMode
from companion.games.kabuki.rules import Kabuki
from companion.games.kabuki.rules.model import DESIGNS, DeckDoubted, KabukiPhase, KabukiState
from companion.games.kabuki.rules.stops import count_twins
from tests.games.kabuki.kabuki_table import MS, RULES, SECOND, A, Table, table
from tests.thorough import examples

Lay = tuple[int, str, str]
"""A stack, and the mask laid there in the one history and in the other."""
Deed = tuple[Any, ...]

SECRET = frozenset({KabukiPhase.CHECKING, KabukiPhase.SHOWING, KabukiPhase.RESTORING})
"""From here on the table knows: the stack lies open."""
ROUND_OVER = frozenset({KabukiPhase.SHUFFLING, KabukiPhase.OVER})
"""All stacks are open; the round is looked back on."""


def histories(lays: Sequence[Lay]) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Two orders of placing in which each stack ends with the same mask on top."""
    tops = {stack: place for place, (stack, _, _) in enumerate(lays)}
    one = [(design, stack) for stack, design, _ in lays]
    other = [
        (lays[place][1] if tops[stack] == place else second, stack)
        for place, (stack, _, second) in enumerate(lays)
    ]
    return one, other


def begun(rules: Kabuki, lays: Sequence[tuple[str, int]], players: int, options: dict[str, object]) -> Table:
    """The masks are said to lie, at the same instants in every history."""
    game = Table(players, rules, **options).begin()
    for design, stack in lays:
        if game.state.out:
            break
        game.elapse(game.at + 2 * SECOND)
        if game.state.phase is KabukiPhase.PLAYING:
            game.say(game.state.drawer, "place", f"{design}@{stack}")
    return game


def do(game: Table, deed: Deed) -> tuple[Event, ...]:
    """Something that happens in both histories."""
    match deed:
        case ("press", seat, after):
            return game.press(seat % game.state.players, game.at + after)
        case ("wait", after):
            return game.wait(after)
        case ("seen", stack, card, before):
            at = game.at + 500 * MS
            return game.see((f"stack:{stack}", (card,)), clear=at - before, since=at - before // 2, at=at)
        case ("show", *cards):
            return game.looks("show", *cards)
        case ("say", choice):
            actions = sorted(game.legal, key=str)
            return game.say(*_parts(actions[choice % len(actions)])) if actions else ()
        case ("pause",):
            return (
                *game.observe(ob.PauseRequested(at=game.at + MS)),
                *game.observe(ob.ResumeRequested(at=game.at + 2 * MS)),
            )
    raise AssertionError(deed)


def _parts(action: Action) -> tuple[Any, ...]:
    return action.seat, action.verb, action.value


TOLD = ob.ActionDeclared(at=0, action=Action(A, "place", "wave@3"))


def test_a_mask_that_was_told_by_name_may_have_been_any_other_on_its_stack() -> None:
    game = table().lay([("wave", 1), ("leaf", 1)])
    assert {action.value for action in RULES.correction_choices(game.state, TOLD)} == {
        f"{one}@3" for one in DESIGNS
    }


def public(game: Table, fresh: tuple[Event, ...]) -> dict[str, object]:
    """Everything that leaves the rules now, but what is told of a deck once its round is over."""
    rules, state = game.rules, game.state
    rulings = [event for event in game.rulings if not isinstance(event, DeckDoubted)]
    fresh = tuple(event for event in fresh if not isinstance(event, DeckDoubted))
    last = ob.TableSeen(
        at=0, regions=(ob.RegionReading("stack:1", (), 0, 0), ob.RegionReading("stack:3", (), 0, 0))
    )
    return {
        "view": [rules.view(state, mode) for mode in ViewMode],
        "log": [told for event in rulings if (told := rules.sentence(state, event, log=True))],
        "told": [told for event in fresh if (told := rules.sentence(state, event))],
        "explanation_key": [
            rules.explanation_key(state, event) for event in fresh if not rules.is_silent(event)
        ],
        "controls": rules.controls(state),
        "legal": rules.legal_actions(state),
        "choices": [
            sorted(map(str, rules.correction_choices(state, seen)))
            for seen in (last, TOLD, ob.PauseRequested(at=0))
        ],
        "timer": rules.next_timer(state),
        "timers": game.timers,
        "cue": rules.awaited_cue(state),
        "look": rules.camera_request(state, 0),
        "lots": rules.awaited_draw(state),
        "window": rules.is_window_open(state),
        "photo_finishes": rules.photo_finishes(state, game.standing),
        "exhibit": None if state.phase in ROUND_OVER else rules.exhibit(state, game.standing),
        "put back": rules.restore_instructions(
            state, replace(state, drawer=(state.drawer + 1) % state.players)
        ),
        "at": game.at,
    }


def leaks(
    rules: Kabuki, lays: Sequence[Lay], deeds: Sequence[Deed], players: int = 4, **options: object
) -> list[str]:
    """What differs between the two histories before a check is said."""
    one, other = (begun(rules, history, players, options) for history in histories(lays))
    found = differing(public(one, ()), public(other, ()))
    for deed in deeds:
        if found or one.state.phase in SECRET:
            break
        found += differing(public(one, do(one, deed)), public(other, do(other, deed)))
    return found


def differing(one: dict[str, object], other: dict[str, object]) -> list[str]:
    return [what for what in one if one[what] != other[what]]


designs = st.sampled_from(DESIGNS)
cards = st.one_of(designs.map("mask:{}".format), st.sampled_from(("unknown", "back:mask", "actor:1")))
deeds = st.one_of(
    st.tuples(st.just("press"), st.integers(0, 5), st.integers(1, 2_500_000)),
    st.tuples(st.just("wait"), st.integers(1, 12_000_000)),
    st.tuples(st.just("seen"), st.integers(1, 4), cards, st.integers(0, 3_000_000)),
    st.tuples(st.just("show"), cards),
    st.just(("show",)),
    st.tuples(st.just("say"), st.integers(0, 10_000)),
    st.just(("pause",)),
)
house_rules = st.fixed_dictionaries(
    {},
    optional={
        "stop_until": st.sampled_from(["next_place", "next_show", "next_draw", "seconds"]),
        "self_stop": st.booleans(),
        "second_stop": st.booleans(),
        "placed_by": st.sampled_from(["camera", "button"]),
        "cooldown_ms": st.sampled_from([0, 2000]),
    },
)


@settings(max_examples=examples(400), deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 4), designs, designs), min_size=1, max_size=30),
    st.lists(deeds, max_size=12),
    st.integers(2, 6),
    house_rules,
)
def test_what_lies_buried_changes_nothing_that_is_told_before_its_check(
    lays: list[Lay], after: list[Deed], players: int, options: dict[str, object]
) -> None:
    assert leaks(Kabuki(), lays, after, players, **options) == []


# Leaks on purpose -------------------------------------------------------------------------------------------


def knows(state: KabukiState) -> int:
    """How many twins lie under the mask placed last."""
    last = state.last
    return count_twins(state.stacks[state.stack_of(last) - 1], last.number).start if last else 0


class Hint(Kabuki):
    def view(self, state: KabukiState, mode: ViewMode = ViewMode.PLAY) -> View:
        told = super().view(state, mode)
        return replace(told, hint=Sentence("kabuki.hint.look")) if knows(state) else told


class Blink(Kabuki):
    def view(self, state: KabukiState, mode: ViewMode = ViewMode.PLAY) -> View:
        told = super().view(state, mode)
        lamps = tuple(replace(chair, lamp=LampSignal.FAST) for chair in told.chairs)
        return replace(told, chairs=lamps) if knows(state) else told


class Late(Kabuki):
    def timer(self, state: KabukiState) -> Timer | None:
        due = super().timer(state)
        return due and Timer(due.name, due.due + knows(state))


class Log(Kabuki):
    def public_parts(self, state: KabukiState, event: Event) -> tuple[tuple[str, str | int], ...]:
        return self.sentence_parts(state, event)


class Look(Kabuki):
    def awaited_regions(self, state: KabukiState) -> frozenset[str]:
        return super().awaited_regions(state) - ({"show"} if knows(state) else set())


class Choices(Kabuki):
    def correction_choices(self, state: KabukiState, seen: ob.Observation):  # type: ignore[no-untyped-def]
        return (
            action
            for action in super().correction_choices(state, seen)
            if state.count_copies(str(action.value).partition("@")[0]) < 1
        )


class Photo(Kabuki):
    def exhibit(self, state: KabukiState, standing: Iterable[Any]) -> Exhibit | None:
        shown = super().exhibit(state, standing)
        leaky = isinstance(shown, PhotoFinish) and knows(state)
        return replace(shown, resolution=1) if leaky else shown


@pytest.mark.parametrize("leaky", [Hint, Blink, Late, Log, Look, Choices, Photo])
def test_a_leak_planted_on_purpose_is_found(leaky: type[Kabuki]) -> None:
    lays = [(1, "wave", "sun"), (1, "leaf", "leaf"), (2, "crab", "crab"), (1, "wave", "wave")]
    press: list[Deed] = [("press", 1, SECOND), ("press", 2, MS), ("wait", 2 * SECOND)]
    assert leaks(Kabuki(), lays, press) == []
    assert leaks(leaky(), lays, press) != []


def test_a_sixth_copy_among_the_buried_is_no_reason_to_say_anything() -> None:
    lays = [(stack, "wave", "sun") for stack in (1, 2, 3, 1, 2)]
    lays += [(stack, "leaf", "leaf") for stack in (1, 2, 3)] + [(4, "wave", "wave")]
    assert leaks(Kabuki(), lays, [("press", 1, SECOND), ("wait", 3 * SECOND)]) == []


def test_the_timers_of_a_right_and_a_wrong_stop_fall_at_the_same_instants() -> None:
    instants: list[list[tuple[str, Micros]]] = []
    for buried in ("wave", "sun"):
        game = begun(Kabuki(), [(buried, 1), ("leaf", 1), ("crab", 2), ("wave", 1)], 4, {})
        game.stop(0)
        instants.append([(timer.timer, timer.at) for timer in game.timers])
    assert instants[0] == instants[1]
    assert [name for name, _ in instants[0]] == ["tie", "mask"]
