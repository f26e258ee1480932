"""Simulated people test the referee: nobody lawful is penalised, cheats are called, counts are true."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import numpy as np
import pytest
from msgspec.structs import replace

from companion.core import events as shared
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.core.clock import ManualClock
from companion.core.events import Event
from companion.core.view import ViewMode
from companion.games import RULES, mat_layout
from companion.games.kinapa.players import KinapaWorld, card_number
from companion.games.kinapa.rules import Kinapa, model
from companion.games.kit.world import ArrangeCards, PlayStyle, PressOwnButton, TakeAction
from companion.referee.journal import Entry
from companion.referee.loop import Announcement
from companion.simulation.game_simulation import GameSimulation, random_styles, simulate_game
from companion.simulation.simulated_players import (
    LONG_PRESS_TIME,
    REACH_TIME,
    REPLAN_AFTER,
    TAP_GAP,
    TAP_TIME,
    PlayerSimulator,
    ReachingHand,
)
from companion.simulation.simulated_table import SceneBuilder
from tests.thorough import examples

KINAPA = RULES["kinapa"]
LAWFUL, BLUFFING, CARELESS, CHEATING = PlayStyle


@pytest.mark.parametrize(("players", "bot"), KINAPA.table_sizes())
@pytest.mark.parametrize("style", [*PlayStyle, None])
def test_every_promise_holds_with_people_of_every_habit(
    players: int, bot: bool, style: PlayStyle | None
) -> None:
    styles = None if style is None else (style,) * players
    for seed in range(examples(6 if style else 12)):
        played = simulate_game("kinapa", players=players, bot=bot, seed=seed, styles=styles)
        assert played.faults == ()
        assert played.outcome is not None
        assert played.outcome.termination == "second_pair"


def test_lawful_people_are_never_penalised() -> None:
    for seed in range(20):
        played = simulate_game("kinapa", players=5, seed=seed, styles=(LAWFUL,) * 5)
        assert not played.events.keys() & {"Infraction", "LiarCalled", "Punished", "LieProven"}


def test_every_habit_shows() -> None:
    """A simulator in which nobody cheats would prove nothing."""
    seen = {style: simulate_many(style) for style in PlayStyle}
    assert seen[BLUFFING] >= {"LiarCalled", "Punished", "OpenCardsSeen", "FoxRemoved"}
    assert seen[CARELESS] >= {"HandTooEarly", "HandTooLate", "Infraction", "PutRight"}
    assert seen[CHEATING] >= {"Infraction", "AuditOpened", "CardFound", "AmissSeen"}


def simulate_many(style: PlayStyle) -> set[str]:
    return {
        kind
        for seed in range(25)
        for kind in simulate_game("kinapa", players=4, seed=seed, styles=(style,) * 4).events
    }


def test_one_seed_plays_one_game() -> None:
    one, other = (simulation(seed=4) for _ in range(2))
    one.run()
    other.run()
    assert list(one.referee.journal.entries) == list(other.referee.journal.entries)
    third = simulation(seed=5)
    third.run()
    assert list(third.referee.journal.entries) != list(one.referee.journal.entries)


def simulation(
    seed: int, rules: Kinapa | None = None, styles: tuple[PlayStyle, ...] = (LAWFUL,) * 4
) -> GameSimulation:
    setup = Setup((0, 1, 2, 3), KINAPA.options())
    return GameSimulation(rules or KINAPA, setup, seed=seed, styles=styles)


def test_its_journals_never_count_as_games() -> None:
    assert simulation(1).referee.journal.header.kind == "simulation"


# A referee that errs is found out ---------------------------------------------------------------------------


class Harsh(Kinapa):
    """Punishes a raised hand."""

    def judge(self, state, action, at):  # type: ignore[no-untyped-def]
        ruled = super().judge(state, action, at)
        return (*ruled, shared.Infraction("hand.foxed", action.seat)) if action.verb == "raise" else ruled


class Blind(Kinapa):
    """Overlooks a dead number."""

    def judge(self, state, action, at):  # type: ignore[no-untyped-def]
        if action.verb == "announce" and action.value in state.placed_numbers:
            return ()
        return super().judge(state, action, at)


class Muddled(Kinapa):
    """Counts a card too few."""

    def evolve_game(self, state, event):  # type: ignore[no-untyped-def]
        state = super().evolve_game(state, event)
        if isinstance(event, model.CardReturned):
            seats = (replace(state.seats[0], cards=state.seats[0].cards - 1), *state.seats[1:])
            return replace(state, seats=seats)
        return state


class Sleepy(Kinapa):
    """Never opens the window."""

    def judge_cue(self, state, cue):  # type: ignore[no-untyped-def]
        return ()

    def timer(self, state):  # type: ignore[no-untyped-def]
        return None


class Unseen(Kinapa):
    """Cannot be shown once a number was announced."""

    def view(self, state, mode=ViewMode.PLAY):  # type: ignore[no-untyped-def]
        if state.placed_numbers:
            raise KeyError("number")
        return super().view(state, mode)


def test_a_lawful_person_who_is_penalised_is_a_fault() -> None:
    assert any("against a lawful player" in fault.what for fault in simulation(1, Harsh()).run().faults)


def test_a_public_cheat_that_is_not_called_in_the_same_step_is_a_fault() -> None:
    faults = [f for s in range(12) for f in simulation(s, Blind(), (CHEATING,) * 4).run().faults]
    assert any(fault.what.startswith("announce.dead_number was not called") for fault in faults)


def test_a_count_that_differs_from_the_hidden_truth_is_a_fault() -> None:
    one = simulation(1, Muddled())
    for _ in one.run_entries():
        if one.faults:
            break
    assert "the referee counts" in one.faults[0].what


def test_a_table_that_is_stuck_is_a_fault() -> None:
    assert [fault.what for fault in simulation(1, Sleepy()).run().faults] == ["the table is stuck"]


def test_a_state_that_cannot_be_shown_is_a_fault_that_names_the_line() -> None:
    played = simulation(1, Unseen()).run(shows=True)
    assert played.outcome is None
    (fault,) = played.faults
    assert re.fullmatch(r".*tests/simulation/test_simulator\.py:\d+: KeyError: 'number'", fault.what)


# The deal and its people ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "bot"), KINAPA.table_sizes())
def test_the_deal_is_the_whole_deck_once(players: int, bot: bool) -> None:
    world = KinapaWorld(range(players), random.Random(3), (LAWFUL,) * players, bot=bot)
    seats = KINAPA.hand_count(Setup(tuple(range(players)), KINAPA.options(), bot))
    cards = sorted(card for hand in world.hands for card in hand)
    whole = sorted(f"{kind}:{n}" for kind in ("animal", "shelter") for n in range(1, 2 * seats + 1))
    assert cards == whole
    assert len(world.hands) == seats
    assert all(len(hand) == 4 for hand in world.hands)
    assert len(world.labels) == 2 * seats == 2 * len(set(world.labels))
    assert set(world.places) == {place.name for place in mat_layout("kinapa", seats).places}


def test_decks_change_hands_in_truth_when_somebody_switches() -> None:
    world = KinapaWorld(range(2), random.Random(1), (LAWFUL,) * 2)
    state = KINAPA.initial_state(Setup((0, 1), KINAPA.options()))
    before = [list(hand) for hand in world.hands]
    world.apply_event(state, model.DecksSwitched(1, 3))
    assert world.hands == [before[0], before[3], before[2], before[1]]


def test_every_way_of_a_bot_shows() -> None:
    """A simulator that never opens, draws from or switches a BOT would prove nothing."""
    seen = {
        players: {
            kind for seed in range(30) for kind in simulate_game("kinapa", players=players, seed=seed).events
        }
        for players in (2, 3)
    }
    assert seen[2] >= {"Switched", "AidLaid", "BotAsked", "Punished", "EndTold"}
    assert seen[3] >= {"Switched", "AidLaid", "BotAsked", "SwitchAsked", "AnimalMissing", "AuditOpened"}


def test_cards_are_never_made_or_lost_while_a_game_is_played() -> None:
    one = simulation(7, styles=(BLUFFING, CARELESS, CHEATING, LAWFUL))
    world = one.world
    placed = 0
    for _ in one.run_entries():
        placed = sum(len(seat.placed) for seat in one.referee.state.seats)
        cards = [card for hand in world.hands for card in hand]
        assert len(set(cards)) == len(cards) == 16 - 2 * placed
    assert placed >= 2


def test_a_table_of_people_is_drawn_from_its_seed() -> None:
    assert random_styles(8, random.Random(1)) == random_styles(8, random.Random(1))
    assert len({random_styles(8, random.Random(seed)) for seed in range(9)}) > 1
    assert set(random_styles(4, random.Random(1), (LAWFUL,))) == {LAWFUL}


# Hands and fingers ------------------------------------------------------------------------------------------


class Acting:
    """People at a table, their presses and touches as lists."""

    def __init__(self, state) -> None:  # type: ignore[no-untyped-def]
        self.clock = ManualClock()
        self.world = KinapaWorld(range(4), random.Random(1), (LAWFUL,) * 4)
        self.plans: list[tuple[int, TakeAction | PressOwnButton | ArrangeCards]] = []
        self.world.plan = lambda state: self.plans  # type: ignore[method-assign]
        self.pressed: list[tuple[int, int, int]] = []
        self.said: list[tuple[int, Action]] = []
        self.people = PlayerSimulator(
            KINAPA,
            self.world,
            state,
            press=lambda chair, at, hold: self.pressed.append((chair, at, hold)),
            say=lambda chair, action: self.said.append((chair, action)),
        )

    def until(self, at: int) -> None:
        while (due := self.people.next_due()) is not None and due <= at:
            self.clock.move_to(due)
            self.people.advance(due)
        self.people.advance(at)


def told(asking: Acting, event: Event) -> None:
    """A ruling is told at the table."""
    before = asking.people.state
    after = KINAPA.evolve(before, event)
    entry: Entry[Event] = Entry(0, ob.PauseRequested(at=0), (event,))
    asking.people.handle_ruling(Announcement(entry, (event,), before, after))


@pytest.fixture
def asking() -> Acting:
    """Seat 0 announces: eight numbers to step through; the others have nothing to say."""
    state = KINAPA.initial_state(Setup((0, 1, 2, 3), KINAPA.options()))
    for event in (model.EmperorCrowned(0), model.SheepTaken(0)):
        state = KINAPA.evolve(state, event)
    return Acting(state)


def test_a_choice_among_many_is_reached_by_halves(asking: Acting) -> None:
    asking.plans = [(SECOND, TakeAction(0, Action(0, "announce", 3)))]
    asking.people.plan_actions(0)
    asking.until(2 * SECOND)
    second = SECOND + TAP_TIME + TAP_GAP
    assert asking.pressed == [  # 1 to 4, 3 and 4, 3
        (0, SECOND, TAP_TIME),
        (0, second, LONG_PRESS_TIME),
        (0, second + LONG_PRESS_TIME + TAP_GAP, TAP_TIME),
    ]


def test_what_no_button_offers_is_said_on_the_screen(asking: Acting) -> None:
    grab = Action(2, "turn", "1-2")
    asking.plans = [(SECOND, TakeAction(2, grab)), (SECOND, PressOwnButton(3))]
    asking.people.plan_actions(0)
    asking.until(SECOND)
    assert asking.said == [(2, grab)]
    assert asking.pressed == [(3, SECOND, TAP_TIME)]


def test_a_hand_is_over_a_place_before_and_after_its_cards_change(asking: Acting) -> None:
    asking.plans = [(SECOND, ArrangeCards(0, (("slot:3", ("object:5-6",)),)))]
    asking.people.plan_actions(0)
    asking.until(SECOND)
    assert [hand.place for hand in asking.people.hands] == ["slot:3"]
    assert asking.world.places["slot:3"] == ("back:blue",)
    asking.until(SECOND + REACH_TIME)
    assert asking.world.places["slot:3"] == ("object:5-6",)
    assert asking.people.hands
    assert asking.people.changes == 1
    asking.until(SECOND + 2 * REACH_TIME)
    assert asking.people.hands == ()


def test_people_plan_again_when_the_moment_changes_and_drop_what_they_planned(asking: Acting) -> None:
    asking.plans = [(SECOND, PressOwnButton(1))]
    asking.people.plan_actions(0)
    asking.plans = [(2 * SECOND, PressOwnButton(2))]
    asking.people.plan_actions(0)
    assert asking.people.next_due() == SECOND, "the same moment: the plan stands"
    told(asking, model.NumberAnnounced(7, 2 * SECOND))
    asking.people.plan_actions(0)
    asking.until(3 * SECOND)
    assert asking.pressed == [(2, 2 * SECOND, TAP_TIME)]


def test_people_look_at_the_table_again_where_nothing_has_come_of_what_they_did(asking: Acting) -> None:
    asking.plans = [(SECOND, PressOwnButton(1))]
    asking.people.plan_actions(0)
    asking.until(SECOND)
    for at in range(2 * SECOND, SECOND + REPLAN_AFTER, SECOND):
        asking.people.plan_actions(at)
        assert asking.people.next_due() is None
    asking.people.plan_actions(SECOND + REPLAN_AFTER)
    asking.until(3 * SECOND + REPLAN_AFTER)
    assert [at for _, at, _ in asking.pressed] == [SECOND, 2 * SECOND + REPLAN_AFTER]
    asking.people.seized.add(0)
    asking.people.plan_actions(3 * REPLAN_AFTER)
    assert asking.people.next_due() is None, "a real person may think for long"


def test_a_chair_that_was_seized_presses_no_more_but_its_cards_still_move(asking: Acting) -> None:
    asking.people.seized.add(0)
    shown = ArrangeCards(0, (("slot:3", ("object:5-6",)),))
    asking.plans = [
        (SECOND, TakeAction(0, Action(0, "announce", 3))),
        (SECOND, PressOwnButton(0)),
        (SECOND, shown),
    ]
    asking.people.plan_actions(0)
    asking.until(3 * SECOND)
    assert asking.pressed == []
    assert asking.said == []
    assert asking.world.places["slot:3"] == ("object:5-6",)


def test_a_handed_card_changes_hands_in_truth() -> None:
    world = KinapaWorld(range(4), random.Random(1), (LAWFUL,) * 4)
    state = KINAPA.initial_state(Setup((0, 1, 2, 3), KINAPA.options()))
    card = world.hands[2][0]
    world.apply_event(state, model.CardHanded(2, card_number(card)))
    assert [len(hand) for hand in world.hands] == [5, 4, 3, 4]
    world.apply_event(state, model.CardReturned(2))
    assert [len(hand) for hand in world.hands] == [4, 4, 4, 4]
    assert card_number(card) in map(card_number, world.hands[0]), (
        "what goes back is never the card just received"
    )


def test_nothing_planned_names_a_seat_that_is_not_there() -> None:
    one = simulation(2, styles=(CHEATING,) * 4)
    for _ in one.run_entries():
        for delay, deed in one.world.plan(one.referee.state):
            assert delay > 0
            assert deed.chair in range(4)
    assert isinstance(one.referee.journal.entries[0].cause, ob.ActionDeclared)


def test_a_simulated_hand_never_rests_and_reaches_its_place_half_way() -> None:
    layout = mat_layout("kabuki", 4)
    scenes = SceneBuilder(layout, (0, 1, 2, 3), random.Random(1))
    hand = ReachingHand(1, "stack:2", since=SECOND, until=SECOND + 2 * REACH_TIME)
    tips = [
        np.array(scenes.build_scene({}, (hand,), SECOND + step * REACH_TIME // 5).hands[0].tip_mm)
        for step in range(11)
    ]
    assert tips[5] == pytest.approx(layout.place("stack:2").centre_mm)
    assert all(np.linalg.norm(after - before) > 5 for before, after in pairwise(tips))
