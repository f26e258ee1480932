"""Simulated people test the referee of dnup: the exact are never penalised, and counts are true."""

from __future__ import annotations

import tomllib
from collections import Counter

import pytest
from msgspec.structs import replace

from companion.core.actions import Setup
from companion.core.events import Event, Infraction, kind_of
from companion.games.dnup.players import card_picture
from companion.games.dnup.rules import Dnup, model
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.cards import PRINTED_DECK, STAR_CARD, card_symbol, card_values
from companion.games.dnup.rules.model import DnupState, KnownHand
from companion.games.kit.world import ArrangeCards, PlayStyle, split_rotation
from companion.printing.sheets import VALUE_STYLES
from companion.simulation.game_simulation import FailedCheck, GameSimulation, simulate_game
from companion.system.asset_paths import bundled_assets_folder
from tests.thorough import examples

LAWFUL, BLUFFING, CARELESS, CHEATING = PlayStyle


@pytest.mark.parametrize("players", range(2, 6))
@pytest.mark.parametrize("style", [*PlayStyle, None])
def test_every_promise_holds_with_people_of_every_habit(players: int, style: PlayStyle | None) -> None:
    styles = None if style is None else (style,) * players
    for seed in range(examples(2)):
        played = simulate_game("dnup", players=players, seed=seed, styles=styles)
        assert played.faults == ()
        assert played.outcome is not None
        assert played.outcome.termination == ("two_rounds" if players == 2 else "four_points")


def called(style: PlayStyle) -> Counter[str]:
    """The rules that people of one habit break, and what else they make the referee say."""
    found: Counter[str] = Counter()
    for seed in range(3):
        rules = Dnup()
        one = GameSimulation(rules, Setup((0, 1, 2, 3), rules.options()), seed=seed, styles=(style,) * 4)
        one.run()
        for entry in one.referee.journal.entries:
            found.update(event.rule for event in entry.events if isinstance(event, Infraction))
            found.update(kind_of(event) for event in entry.events)
    return found


def test_every_habit_shows() -> None:
    """A simulator in which nobody errs would prove nothing."""
    seen = {style: set(called(style)) for style in PlayStyle}
    clean = {"Infraction", "HandDoubted", "StarElsewhere", "AreaUnread"}
    assert not seen[LAWFUL] & clean
    assert not seen[BLUFFING] & clean
    assert seen[BLUFFING] >= {"VerbChosen", "SizeSaid", "CardsFilled"}
    assert seen[CARELESS] >= {"discard.first", "take.whole_set", "AreaUnread"}
    assert seen[CHEATING] >= {"card.turned", "set.mixed", "play.not_higher", "turn.not_yours"}


def test_a_set_that_was_not_laid_yet_is_laid_where_the_plan_is_made_anew() -> None:
    """A phone's answer that came to nothing has everybody look again: what nobody laid is not said to lie."""
    rules = Dnup()
    one = GameSimulation(rules, Setup((0, 1, 2, 3), rules.options()), seed=1, styles=(LAWFUL,) * 4)
    next(None for _ in one.run_entries() if one.referee.state.phase is model.DnupPhase.ACTING)
    first, again = (one.world.plan(one.referee.state)[-2:] for _ in range(2))
    assert [deed for _, deed in again] == [deed for _, deed in first]
    assert isinstance(again[0][1], ArrangeCards)


class Forgetful(Dnup):
    """Thinks that a beaten set comes home without being turned."""

    def evolve_game(self, state: DnupState, event: Event) -> DnupState:
        then = super().evolve_game(state, event)
        if not isinstance(event, model.SetReturned):
            return then
        known = (*state.hands[event.seat].known, *state.areas[event.area].cards)
        hands = list(then.hands)
        hands[event.seat] = KnownHand(hands[event.seat].size, known)
        return replace(then, hands=tuple(hands))


class Deaf(Dnup):
    """Overlooks that a set of the same size lies."""

    def judge_timer(self, state: DnupState, timer: str, at: int) -> tuple[Event, ...]:
        ruled = super().judge_timer(state, timer, at)
        return tuple(event for event in ruled if not isinstance(event, Infraction))

    def judge(self, state: DnupState, action, at):  # type: ignore[no-untyped-def]
        return tuple(event for event in super().judge(state, action, at) if not isinstance(event, Infraction))


def test_a_referee_that_forgets_the_golden_rule_is_found_out() -> None:
    rules = Forgetful()
    one = GameSimulation(rules, Setup((0, 1, 2), rules.options()), seed=1, styles=(LAWFUL,) * 3)
    for _ in one.run_entries():
        if one.faults:
            break
    assert "the referee knows" in one.faults[0].what


def test_a_referee_that_overlooks_a_cheat_is_found_out() -> None:
    faults: list[FailedCheck] = []
    for seed in range(3):
        rules = Deaf()
        one = GameSimulation(rules, Setup((0, 1, 2), rules.options()), seed=seed, styles=(CHEATING,) * 3)
        faults += one.run().faults
    assert any("was not called" in fault.what for fault in faults)


def test_cards_are_never_made_or_lost_while_a_game_is_played() -> None:
    rules = Dnup()
    one = GameSimulation(
        rules, Setup((0, 1, 2), rules.options()), seed=5, styles=(LAWFUL, CARELESS, CHEATING)
    )
    world = one.world
    for _ in one.run_entries():
        if one.referee.state.is_turn_running:
            held = [card.card_name(held) for hand in world.hands for held in hand]
            lies = [card.card_name(one) for cards in world.sets for one in cards]  # type: ignore[attr-defined]
            gone = [card.card_name(one) for one in world.pile]  # type: ignore[attr-defined]
            assert Counter(held + lies + gone) == Counter(one.referee.state.cards_in_use)


# The box ----------------------------------------------------------------------------------------------------


def test_the_deck_that_is_printed_is_the_one_that_is_listed() -> None:
    deck = tomllib.loads((bundled_assets_folder() / "decks" / "dnup.toml").read_text(encoding="utf-8"))
    fronts = [one for one in deck["card"] if one.get("motif") != "back"]
    copies = {one["id"].partition(":")[2]: one.get("copies", deck["default"]["copies"]) for one in fronts}
    assert Counter(copies) == Counter(PRINTED_DECK)
    words = {"": "none", "n": "neutral", "s": "smile", "f": "sad"}
    for one in fronts:
        name = one["id"].partition(":")[2]
        assert (int(one["up"]), int(one["down"])) == card_values(name)
        assert one.get("symbol", "none") == ("star" if name == STAR_CARD else words[card_symbol(name)])


def test_a_6_is_no_9_by_ground_pattern_or_colour() -> None:
    grounds = [look[0] for look in VALUE_STYLES.values()]
    patterns = [look[1] for look in VALUE_STYLES.values()]
    assert len(set(grounds)) == len(set(patterns)) == len(VALUE_STYLES) == 10


def test_a_card_lies_as_it_is_held() -> None:
    assert [split_rotation(card_picture(one)) for one in ("3/8", "8/3", "3/10f", "10/3f")] == [
        ("pair:3-8", 0),
        ("pair:3-8", 180),
        ("pair:3-10f", 0),
        ("pair:3-10f", 180),
    ]
