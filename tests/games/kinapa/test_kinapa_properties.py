"""Kinapa under random play: total, lawful exactly where it says so, and true to its card-count law."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Action
from companion.core.button_choices import STEP
from companion.core.events import Infraction
from companion.games.kinapa.rules.exchange import nameable_cards
from companion.games.kinapa.rules.judge import VERBS
from companion.games.kinapa.rules.model import (
    ButtonDown,
    KinapaPhase,
    KinapaState,
    LiarPunished,
    ObjectPosition,
    ObjectTurned,
    OpenCardsSeen,
    PairPlaced,
    object_label,
)
from tests.games.game_table import lawful
from tests.games.kinapa.kinapa_table import RULES, A, B, C, D, Table, crowned, fold, given, new_table, reading
from tests.thorough import examples

LABELS = tuple(f"{low}-{low + 1}" for low in range(1, 19, 2))
WHITE = tuple(f"{kind}:{number}" for kind in ("animal", "shelter") for number in range(18))
FACES = ("back:blue", "back:white", "unknown", *(f"object:{label}" for label in LABELS), *WHITE)
SEATS = tuple(f"{what}:{seat}" for what in ("hand", "sheep", "foxes", "placed") for seat in range(9))
PLACES = (*(f"slot:{slot}" for slot in range(18)), *SEATS, "audit", "emperor", "nonsense", "slot:", "hand:x")

BARE = (ob.PauseRequested, ob.ResumeRequested, ob.ProgramRestarted, ob.CameraLost, ob.CameraRecovered)

values = st.one_of(
    st.none(),
    st.integers(-2, 18),
    st.sampled_from((*LABELS, *WHITE, "@", "5-6@x", "five", "²")),
    st.builds("{}@{}".format, st.sampled_from((*LABELS, 5, 6)), st.integers(0, 17)),
)
actions = st.builds(Action, st.integers(-1, 8), st.sampled_from((*VERBS, STEP, "nonsense")), values)
chairs = st.one_of(st.none(), st.integers(0, 9))
buttons = st.sampled_from(("seat", "back", "next", "ok", "other"))
cards = st.lists(st.sampled_from(FACES), max_size=5)
now = st.just(0)
sensed = st.one_of(
    st.builds(ob.ActionDeclared, at=now, action=actions),
    st.builds(ob.ButtonPressed, at=now, chair=chairs, button=buttons),
    st.builds(ob.ButtonReleased, at=now, chair=chairs, button=buttons),
    st.builds(ob.ButtonHeld, at=now, chair=chairs, button=buttons),
    st.builds(
        ob.TableSeen,
        at=now,
        regions=st.lists(st.builds(reading, st.sampled_from(PLACES), cards), max_size=3).map(tuple),
    ),
    st.builds(
        ob.HandShown,
        at=now,
        seat=st.integers(-1, 8),
        faces=cards.map(lambda names: tuple(map(ob.SeenCard, names))),
    ),
    st.builds(ob.CueHeard, at=now, cue=st.sampled_from(("kinapa.count", "x")), attempt=st.integers(0, 3)),
    st.builds(ob.TimerElapsed, at=now, timer=st.sampled_from(("cue", "beat", "lock", "x"))),
    st.builds(ob.RandomDraw, at=now, choices=st.just(("1", "2", "3", "4")), index=st.integers(-1, 5)),
    st.builds(
        ob.TableDeclared,
        at=now,
        table=st.lists(
            st.tuples(
                st.sampled_from(PLACES), st.one_of(st.integers(-1, 9), st.sampled_from(("5", "5,6", "x")))
            ),
            max_size=3,
        ).map(tuple),
    ),
    st.sampled_from(
        [
            kind(at=0)
            for kind in (
                ob.PauseRequested,
                ob.ResumeRequested,
                ob.ProgramRestarted,
                ob.CameraLost,
                ob.CameraRecovered,
            )
        ]
    ),
    st.just(ob.AdapterLost(at=0, adapter="usb", reason="gone")),
    st.just(ob.CountStalled(at=0)),
)
"""Anything that can be sensed, sensible or not; stamped when it happens."""

house_rules = st.fixed_dictionaries(
    {},
    optional={
        "allow_dead_number": st.booleans(),
        "two_liars": st.sampled_from(["chosen_only", "one_fox_each", "both"]),
        "second_liar": st.sampled_from(["counters", "move", "one_each", "none"]),
        "fox_first_tick": st.sampled_from(["next_turn", "this_turn"]),
        "fox_tick": st.sampled_from(["transfer", "turn"]),
        "fox_receive": st.sampled_from(["hidden", "open"]),
        "fox_draw": st.sampled_from(["random", "choice"]),
        "all_sheep": st.sampled_from(["any_raised", "stays"]),
        "giveback": st.sampled_from(["card", "number"]),
        "drawn_named": st.booleans(),
        "false_denial_penalty": st.sampled_from(["none", "audit_only", "always"]),
        "place": st.sampled_from(["may", "must"]),
        "count_seconds": st.sampled_from([3, 5, 8, 0]),
        "hand": st.sampled_from(["toggle", "hold"]),
        "draw_is_duty": st.booleans(),
        "demand_open": st.booleans(),
        "bot_can_be_emperor_2p": st.booleans(),
        "win_bot": st.sampled_from(["deck", "two_pairs", "both_decks"]),
        "switch_progress": st.sampled_from(["deck", "person"]),
        "bot_checker": st.sampled_from(["emperor", "neighbour"]),
    },
)


def _table(seats: tuple[int, bool], options: dict[str, object], fresh: bool) -> Table:
    """A table before its first turn, or one in mid-game: pairs lie, and a punished seat lies open."""
    players, bot = seats
    if fresh:
        return new_table(players, bot=bot, **options)
    third = C if players > C else B
    lying = (ObjectTurned("5-6", 1), PairPlaced(third, 5, 1), ObjectTurned("3-4", 2), PairPlaced(A, 4, 2))
    foxed = D if bot or players < D else B  # where there is a BOT it lies open
    row = OpenCardsSeen(foxed, ("animal:1", "shelter:2", "animal:7"))
    open_hand = (LiarPunished(foxed, 2, False), row)
    return given(*lying, *open_hand, *crowned(A, B), players=players, bot=bot, **options)


tables = st.builds(_table, st.sampled_from(RULES.table_sizes()), house_rules, st.booleans())


def go_on(table: Table, data: DataObject) -> None:
    """One lawful step of the game, whatever it waits for."""
    if table.state.desk.paused:
        table.observe(ob.ResumeRequested(at=table.at + 1))
    elif (timer := RULES.next_timer(table.state)) is not None and data.draw(st.booleans(), label="wait"):
        table.elapse(timer.due)
    elif RULES.awaited_cue(table.state) is not None and data.draw(st.booleans(), label="heard"):
        table.cue()
    elif (lots := RULES.awaited_draw(table.state)) is not None:
        table.lot(data.draw(st.integers(0, len(lots) - 1), label="lot"))
    elif table.legal:
        action = data.draw(st.sampled_from(sorted(table.legal, key=str)), label="action")
        table.say(action.seat, action.verb, action.value)


def check(state: KinapaState) -> None:
    """The invariants of the specification, from its text."""
    seats = len(state.seats)
    exchanging = state.phase == "returning"
    for number, seat in enumerate(state.seats):
        whole = 4 - 2 * len(seat.placed)
        if not exchanging:
            assert seat.cards == whole, f"Seat {number}: hand = 4 - 2 * placed"
        assert seat.cards in {0, 1, 2, 3, 4, 5}
        assert 0 <= seat.foxes <= 2
        assert (seat.cards == 0) == (len(seat.placed) == 2), "Nobody is without cards but the winner"
        assert seat.cards or number in {state.winner, *state.bots}, "An empty deck wins, or is out"
        if seat.foxes and state.phase not in {
            "turning",
            "placing",
            "succeeding",
            "switching",
            "returning",
            "over",
        }:
            assert number not in state.turn.raised, "A foxed seat is lowered"
        if not seat.foxes:
            assert seat.opened == (), "Only punished seats lie open"
    placed = [number for seat in state.seats for number in seat.placed]
    assert sum(seat.cards for seat in state.seats) + 2 * len(placed) == 4 * seats, "Cards are conserved"
    assert len(set(placed)) == len(placed), "A number is placed once"
    assert set(placed) <= set(range(1, 2 * seats + 1))
    closed = [slot for slot in state.slots if slot.lies is ObjectPosition.CLOSED]
    assert all(slot.label == object_label(slot.pair) and slot.pair in placed for slot in closed)
    labels = Counter(slot.label for slot in state.slots if slot.label)
    assert all(count <= 2 for count in labels.values()), "Each label lies twice at most"
    assert len(state.slots) == 2 * seats
    sheep = sum(seat.sheep for seat in state.seats)
    if state.phase != "starting":
        assert state.seats[state.emperor].sheep, "The Emperor has a Sheep"
        playing = sum(seat.cards > 0 for seat in state.seats)
        assert state.winner is not None or 1 <= sheep < playing, "Never all Sheep after a transfer"
        assert state.emperor not in state.raised
        assert not state.is_bot(state.emperor), "Somebody holds the Emperor's deck"
    winners = [seat for seat in range(state.people) if len(state.seats[seat].placed) == 2]
    if state.bots:
        assert sorted(state.decks) == list(range(seats)), "Every deck lies somewhere"
        assert {number for pairs in state.laid for number in pairs} == set(placed)
        winners = [state.winner] if state.winner is not None else []
    assert (RULES.outcome(state) is not None) == bool(winners or state.desk.abandoned)
    assert len(winners) <= 1


def check_controls(state: KinapaState) -> None:
    legal = RULES.legal_actions(state)
    for (chair, press), action in RULES.controls(state).items():
        assert action in legal or action.verb == STEP, (chair, press, action)
        if chair is not None:
            assert chair in state.setup.chairs


@settings(max_examples=examples(300))
@for_all(tables, st.data())
def test_decide_is_total_and_invariants_hold_under_anything_sensed(table: Table, data: DataObject):
    for _ in range(data.draw(st.integers(1, 80), label="steps")):
        if RULES.outcome(table.state) is not None:
            assert table.legal == frozenset()
            break
        if data.draw(st.integers(0, 3), label="garbage") == 0:
            table.observe(replace(data.draw(sensed), at=table.at + 1))
        else:
            go_on(table, data)
        check(table.state)
        check_controls(table.state)
        RULES.view(table.state)


def canonical(state: KinapaState) -> frozenset[Action]:
    """Every action that could be listed: who, what and about what."""
    seats = range(len(state.seats))
    numbers = range(2 * len(seats) + 2)
    labels = LABELS[: len(seats) + 1]
    white = [f"{kind}:{number}" for kind in ("animal", "shelter") for number in numbers if number]
    about: dict[str, tuple[object, ...]] = {
        "announce": tuple(numbers),
        "place": tuple(numbers),
        "draw_from": tuple(seats),
        "pick": tuple(seats),
        "crown": tuple(seats),
        "switch": tuple(seats),
        "drawn": (None, *(white if nameable_cards(state) else ())),  # else a name says nothing
        "turn": (*labels, *(f"{label}@{slot}" for label in labels for slot in numbers if slot)),
    }
    return frozenset(
        Action(seat, verb, value)  # type: ignore[arg-type]
        for seat in seats
        for verb in VERBS
        for value in about.get(verb, (None,))
    )


@settings(max_examples=examples(150))
@for_all(tables, st.data())
def test_an_action_is_listed_as_legal_exactly_if_it_is_no_infraction(table: Table, data: DataObject):
    for _ in range(data.draw(st.integers(0, 60), label="steps")):
        go_on(table, data)
    state = table.state
    if RULES.outcome(state) is not None:
        return
    legal = RULES.legal_actions(state)
    every = canonical(state)
    assert legal <= every
    wrong = {action for action in every if lawful(RULES, state, action, table.at + 1) != (action in legal)}
    assert not wrong, (state.phase, sorted(map(str, wrong)))


@settings(max_examples=examples(150))
@for_all(tables, st.data())
def test_every_control_does_what_its_action_does(table: Table, data: DataObject):
    for _ in range(data.draw(st.integers(0, 60), label="steps")):
        go_on(table, data)
    state, at = table.state, table.at + 1
    for (chair, press), action in RULES.controls(state).items():
        meant = RULES.decide(state, ob.ActionDeclared(at=at, action=action))
        if chair is None:
            assert RULES.decide(state, ob.ButtonPressed(at=at, chair=None, button=press)) == meant
        elif press == "press":
            ruled = RULES.decide(state, ob.ButtonPressed(at=at, chair=chair))
            assert tuple(event for event in ruled if not isinstance(event, ButtonDown)) == meant
        else:
            down = fold(state, RULES.decide(state, ob.ButtonPressed(at=at, chair=chair)))
            end = ob.ButtonReleased if press == "tap" else ob.ButtonHeld
            assert set(meant) <= set(RULES.decide(down, end(at=at, chair=chair)))


@settings(max_examples=examples(150))
@for_all(tables, st.data())
def test_lawful_play_is_never_an_infraction(table: Table, data: DataObject):
    for _ in range(data.draw(st.integers(1, 80), label="steps")):
        if RULES.outcome(table.state) is not None:
            break
        go_on(table, data)
    assert table.of(Infraction) == []


def lawful_walk(table: Table, chance: Random) -> Iterator[KinapaState]:
    """A game in which chance alone decides, from the first state to the last."""
    while RULES.outcome(table.state) is None:
        yield table.state
        timer = RULES.next_timer(table.state)
        if RULES.awaited_cue(table.state) is not None and chance.random() < 0.5:
            table.cue()
        elif timer is not None and chance.random() < 0.5:
            table.elapse(timer.due)
        elif (lots := RULES.awaited_draw(table.state)) is not None:
            table.lot(chance.randrange(len(lots)))
        elif legal := sorted((action for action in table.legal if action.verb != "lower"), key=str):
            action = chance.choice(legal)
            table.say(action.seat, action.verb, action.value)
        else:
            assert timer is not None, f"The game stands still in {table.state.phase}"
            table.elapse(timer.due)
    yield table.state


@pytest.mark.parametrize(("players", "bot"), RULES.table_sizes())
def test_a_game_of_lawful_choices_ends_with_one_winner(players: int, bot: bool):
    for seed in range(10):
        table = new_table(players, bot=bot, win_bot="both_decks" if seed % 3 == 2 else "deck")
        for state in lawful_walk(table, Random(seed)):
            check(state)
        outcome = RULES.outcome(table.state)
        assert outcome is not None
        assert len(outcome.winners) == 1


def test_legal_and_lawful_are_one_in_every_phase():
    reached = Counter[KinapaPhase]()
    for seed in range(40):
        house = {"hand": "hold", "allow_dead_number": True, "draw_is_duty": False} if seed % 2 else {}
        players, bot = ((4, False), (2, False), (3, False), (4, True))[seed // 2 % 4]
        for state in lawful_walk(new_table(players, bot=bot, **house), Random(seed)):
            reached[state.phase] += 1
            if reached[state.phase] <= 25 and state.phase is not KinapaPhase.OVER:
                legal = RULES.legal_actions(state)
                wrong = {act for act in canonical(state) if lawful(RULES, state, act) != (act in legal)}
                assert not wrong, (state.phase, wrong)
    assert set(reached) == set(KinapaPhase) - {KinapaPhase.RECOUNTING}, (
        "A walk without a pause reaches all other phases"
    )
