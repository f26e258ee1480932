"""Simulated people test the referee of Kobayakawa: the careful are never penalised, and counts are true."""

from __future__ import annotations

import tomllib
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core.actions import Setup
from companion.core.events import Event
from companion.core.view import ViewMode
from companion.games import printed_mat
from companion.games.kit.world import PlayStyle
from companion.games.kobayakawa.rules import Kobayakawa, camera_rulings, model
from companion.games.kobayakawa.rules.model import (
    CARD_COUNT,
    ROUND_PHASES,
    UNREAD,
    KobayakawaPhase,
    KobayakawaState,
)
from companion.simulation.game_simulation import FailedCheck, GameSimulation, simulate_game
from companion.system.asset_paths import bundled_assets_folder
from companion.vision.layout import CARD_MM
from tests.games.kobayakawa.kobayakawa_table import RULES
from tests.thorough import examples

LAWFUL, BLUFFING, CARELESS, CHEATING = PlayStyle


@pytest.mark.parametrize("players", range(3, 7))
@pytest.mark.parametrize("style", [*PlayStyle, None])
def test_every_promise_holds_with_people_of_every_habit(players: int, style: PlayStyle | None) -> None:
    styles = None if style is None else (style,) * players
    for seed in range(3):
        played = simulate_game("kobayakawa", players=players, seed=seed, styles=styles)
        assert played.faults == ()
        assert played.outcome is not None
        assert played.outcome.termination in {"last_round", "last_survivor"}


@pytest.mark.parametrize(("players", "seed"), [(3, 35), (3, 39), (4, 19), (4, 35)])
def test_people_of_every_habit_play_a_deciding_round_to_its_end(players: int, seed: int) -> None:
    rules = Kobayakawa()
    setup = Setup(tuple(range(players)), rules.options(final_tie="deciding_round"))
    played = GameSimulation(rules, setup, seed=seed, styles=tuple(PlayStyle)[:players]).run()
    assert played.faults == ()
    assert played.outcome is not None
    assert played.outcome.termination == "deciding_round"


def test_every_habit_shows() -> None:
    """A simulator in which nobody errs would prove nothing."""
    seen = {style: Counter[str]() for style in PlayStyle}
    for style in PlayStyle:
        for seed in range(6):
            seen[style] += simulate_game("kobayakawa", players=4, seed=seed, styles=(style,) * 4).events
    clean = {"Infraction", "NumberDoubted", "DiscardMissing", "PressedInVain"}
    assert not (seen[LAWFUL].keys() | seen[BLUFFING].keys()) & clean
    assert seen[BLUFFING]["Fought"] > seen[LAWFUL]["Fought"]
    assert seen[CARELESS].keys() >= {"Infraction", "DiscardMissing", "PressedInVain", "KobayakawaAsked"}
    assert seen[CHEATING].keys() >= {"Infraction", "NumberDoubted", "AmissSeen"}


# A referee that errs is found out ---------------------------------------------------------------------------


class Stingy(Kobayakawa):
    """Pays a kamon too few."""

    def judge(self, state, action, at):  # type: ignore[no-untyped-def]
        return tuple(_less(event) for event in super().judge(state, action, at))


def _less(event: Event) -> Event:
    if isinstance(event, model.RoundWon):
        return model.RoundWon(event.seat, event.how, event.count - 1, event.bonus, event.total, event.totals)
    return event


class Upside(Kobayakawa):
    """Helps the highest instead of the lowest."""

    def judge_regions(self, state, regions, at):  # type: ignore[no-untyped-def]
        return tuple(_first(state, event) for event in camera_rulings.judge_regions(state, regions, at))


def _first(state: KobayakawaState, event: Event) -> Event:
    if isinstance(event, model.RoundWon) and event.totals:
        worst = min(event.totals, key=lambda pair: pair[1])
        return model.RoundWon(worst[0], event.how, event.count, event.bonus, worst[1], event.totals)
    return event


@pytest.mark.parametrize(("rules", "what"), [(Stingy(), "are staked"), (Upside(), "the referee ruled")])
def test_a_referee_that_errs_is_found_out(rules: Kobayakawa, what: str) -> None:
    faults: list[FailedCheck] = []
    for seed in range(4):
        people = Setup((0, 1, 2, 3), rules.options())
        faults += GameSimulation(rules, people, seed=seed, styles=(LAWFUL,) * 4).run().faults
    assert any(what in fault.what for fault in faults)


# The box ----------------------------------------------------------------------------------------------------


def test_the_box_holds_each_number_once_and_no_two_look_alike() -> None:
    deck = tomllib.loads((bundled_assets_folder() / "decks" / "kobayakawa.toml").read_text(encoding="utf-8"))
    numbers = [card for card in deck["card"] if card["id"] != "back:number"]
    assert [card["id"] for card in numbers] == [f"number:{number}" for number in range(1, CARD_COUNT + 1)]
    assert deck["default"]["copies"] == 1
    for part in ("ground", "pattern", "tone", "number"):
        assert len({card[part] for card in numbers}) == CARD_COUNT, part


def test_no_two_fields_of_the_mat_lie_over_each_other() -> None:
    mat = printed_mat("kobayakawa")
    places = (*mat.places, *mat.banks)
    assert len(places) == 2 * 6 + 2
    for place in places:
        assert place.size_mm[0] > CARD_MM[0] + 16, "a card laid carelessly stays in its field"
        for other in places:
            apart = [abs(a - b) for a, b in zip(place.centre_mm, other.centre_mm, strict=True)]
            sides = [(a + b) / 2 for a, b in zip(place.size_mm, other.size_mm, strict=True)]
            assert place == other or apart[0] >= sides[0] or apart[1] >= sides[1], (place.name, other.name)


# Hidden cards -----------------------------------------------------------------------------------------------


@settings(max_examples=examples(80), deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 6))
def test_a_card_that_nobody_showed_is_told_by_nothing(seed: int, players: int) -> None:
    """Careful people play; whatever is told in any state names no number that only a hand knows."""
    people = Setup(tuple(range(players)), RULES.options())
    one = GameSimulation(RULES, people, seed=seed, styles=(PlayStyle.LAWFUL,) * players)
    for _ in one.run_entries():
        state = one.referee.state
        if state.phase not in ROUND_PHASES:
            continue
        public = {
            *state.opened,
            *(hand.discard for hand in state.hands),
            *(hand.shown for hand in state.hands),
        }
        secret = {one.world.card_in_hand(seat) for seat in state.order} - public  # type: ignore[attr-defined]
        told = {
            int(str(value))
            for mode in ViewMode
            for value in numbers_told(RULES.view(state, mode))
            if str(value).isdecimal()
        }
        assert not told & secret, (told, secret)


def numbers_told(view: object) -> list[object]:
    """Every card number that a view names: the open card, and the chips on the panels."""
    card = view.card.partition(":")[2]  # type: ignore[attr-defined]
    chips = [
        part
        for chair in view.chairs  # type: ignore[attr-defined]
        for token in chair.tokens
        if token.kind in {"discard", "shown"}
        for part in str(token.value).strip("×").split("+")
    ]
    return [card, *chips]


def test_the_referee_of_a_whole_game_never_learns_a_card_that_was_not_shown() -> None:
    """Nothing in the state but shown cards, discards and Kobayakawas: the referee has nothing to leak."""
    people = Setup((0, 1, 2, 3), RULES.options())
    lone = 0
    for seed in range(6):
        one = GameSimulation(RULES, people, seed=seed, styles=(PlayStyle.LAWFUL,) * 4)
        for _ in one.run_entries():
            state = one.referee.state
            for seat in state.order:
                hand = state.hands[seat]
                if hand.bet != "fight" or state.phase not in {
                    KobayakawaPhase.SHOWDOWN,
                    KobayakawaPhase.DEALING,
                    KobayakawaPhase.OVER,
                }:
                    assert hand.shown == UNREAD
            lone += state.result is not None and state.result.how == "alone"
    assert lone
