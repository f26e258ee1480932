"""Practice with BOT decks, to the end, and what is seen of them."""

from __future__ import annotations

import argparse
import random

import pytest
from msgspec.structs import replace

from companion.cli import load_commands
from companion.core.actions import Setup
from companion.core.errors import InputError
from companion.core.switch import Edge
from companion.games import RULES
from companion.games.kinapa.opponents import KinapaOpponents
from companion.games.kinapa.rules.model import (
    DecksSwitched,
    EmperorStays,
    FoxRemoved,
    KinapaPhase,
    LiarPunished,
    NumberDenied,
    Turn,
)
from companion.language.language import Language
from companion.settings.model import Settings
from tests.programs.practising import Person, reached
from tests.programs.tournament import ladder, match, seated

BOT_TABLES = [(2, False), (3, False), (4, True)]
"""Two with a deck each that nobody holds, three with one, and four who want one."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "bot"),
    [BOT_TABLES[-1], *(pytest.param(*one, marks=pytest.mark.long) for one in BOT_TABLES[:-1])],
)
def test_kinapa_with_bot_decks_is_practised_to_its_end(players: int, bot: bool) -> None:
    person = Person("kinapa", players=players, bot=bot)
    hints: set[str] = set()
    for _ in range(400):
        person.run(2)
        if person.session.game.over:
            break
        person.plays()
        guide = person.host.practice.guidance()
        assert guide is not None
        hints |= set() if guide.note is None else {guide.note.key}
    assert person.session.game.over, person.session.view.headline
    state = person.session.game.referee.state
    assert state.bots
    assert person.host.practice.world.find_discrepancy(state) is None
    assert len(hints) > 5
    assert all(Language(code).tr(key) != key for key in hints for code in ("en", "de", "fr"))


@pytest.mark.long
@pytest.mark.parametrize(("players", "bot"), BOT_TABLES)
@pytest.mark.parametrize(("one", "other"), ladder())
def test_with_bot_decks_too_the_stronger_win_more_often(
    players: int, bot: bool, one: str, other: str
) -> None:
    score = match("kinapa", one, other, games=30, players=players, bot=bot, seed=1)
    assert score.share > 0.5


def test_of_three_seats_each_strength_has_two_as_often_and_each_begins_as_often() -> None:
    tables = [seated(3, "a", "b", number) for number in range(6)]
    assert [table.count("a") for table in tables] == [2, 1] * 3
    assert all([table[seat] for table in tables].count("a") == 3 for seat in range(3))


@pytest.mark.parametrize(("players", "bot"), BOT_TABLES)
def test_at_an_open_table_bot_decks_lie_open_beside_the_hands(players: int, bot: bool) -> None:
    person = Person("kinapa", players=players, bot=bot, is_open=True)
    guide = person.host.practice.guidance()
    assert guide is not None
    assert [row[1] for row in guide.lay if row[0] == ""] == list(range(players))
    owners = [row[1] for row in guide.lay if row[0] == "bot"]
    assert owners == ([0, 1] if players == 2 else [None])
    assert all(len(row[2]) == 4 for row in guide.lay)
    for _ in range(60):
        person.run(2)
        guide = person.host.practice.guidance()
        if guide is not None and guide.back:
            break
        person.plays()
    assert guide is not None
    chances = [dict(line.parts) for line in guide.back if line.key == "lesson.open.chance"]
    assert [part["bot"] for part in chances if "bot" in part] == ([0, 1] if players == 2 else [-1])


def test_the_strong_see_nothing_of_decks_that_nobody_holds() -> None:
    """The same public history and own hand: whatever lies under the aids, number and aid are the same."""
    chosen = []
    for swap in (False, True):
        world = KinapaOpponents((0, 1), random.Random(4), ["strong"] * 2)
        if swap:
            world.hands[1], world.hands[2], world.hands[3] = world.hands[2], world.hands[3], world.hands[1]
        world.look_into_hands()
        state = RULES["kinapa"].initial_state(Setup((0, 1), RULES["kinapa"].options()))
        aided = replace(state, phase=KinapaPhase.AIDING, turn=Turn(number=3, aids=(2, 3)))
        chosen.append((world.best_number(state, 0), world.gain_of_raising(aided, 0, 2)))
    assert chosen[0] == chosen[1]


def test_whoever_takes_a_bot_deck_knows_the_hand_that_was_laid_down_for_it() -> None:
    world = KinapaOpponents((0, 1, 2), random.Random(4), ["strong"] * 3)
    world.look_into_hands()
    state = RULES["kinapa"].initial_state(Setup((0, 1, 2), RULES["kinapa"].options()))
    began = replace(state, phase=KinapaPhase.SWITCHING)
    before = {seat: list(hand) for seat, hand in enumerate(world.hands)}
    world.apply_event(began, DecksSwitched(1, 3))
    assert [world.hands[1], world.hands[3]] == [before[3], before[1]]
    knows, guesses = world._belief_of(1).card_probabilities(), world._belief_of(0).card_probabilities()
    numbers = {int(card.partition(":")[2]) for card in before[1]}
    assert all(knows[3, number - 1] > 0.999 for number in numbers)
    assert not all(guesses[3, number - 1] > 0.999 for number in numbers)


def test_a_punished_hand_lies_open_and_a_deck_that_was_looked_into_is_shown_for_the_turn() -> None:
    world = KinapaOpponents((0, 1), random.Random(4), ["medium"] * 2)
    world.advised_seat = 0
    state = replace(
        RULES["kinapa"].initial_state(Setup((0, 1), RULES["kinapa"].options())),
        phase=KinapaPhase.SEARCHING, emperor=1, turn=Turn(number=3),
    )  # fmt: skip
    assert world.visible_hands(state, 0) == {}
    world.apply_event(state, NumberDenied(2))  # the own deck: the person looked
    assert world.visible_hands(state, 0) == {2: tuple(world.hands[2])}
    assert world.visible_hands(state, 1) == {}
    world.apply_event(state, LiarPunished(1, 2, priority=False))
    assert world.visible_hands(state, 0)[1] == tuple(world.hands[1])
    world.apply_event(state, EmperorStays(1))
    assert list(world.visible_hands(state, 0)) == [1]
    world.apply_event(state, FoxRemoved(1, 0))
    assert world.visible_hands(state, 0) == {}


def test_which_card_goes_back_is_the_persons_choice() -> None:
    person = Person("kinapa", players=2)
    reached(person, "return")
    options = person.host.practice.offered_actions()
    world = person.host.practice.world
    assert world._received not in [option.value for option in options]
    assert len(options) == len(world.hands[0]) - 1
    person.run(5)
    assert person.host.practice.offered_actions() == options  # nobody does it for the person
    person.taps(options[1])
    person.run(1)
    assert options[1].value not in world.hands[0]


def test_what_a_hand_does_on_the_table_the_own_button_cannot_say() -> None:
    """A button would name an object that lies hidden, or a pair that is not in the hand."""
    person = Person("kinapa", players=3)
    for _ in range(80):
        person.run(2)
        state = person.session.game.referee.state
        if state.phase == KinapaPhase.TURNING and state.emperor == 0:
            break
        person.plays()
    practice = person.host.practice
    now = person.clock.now()
    assert not practice.admits(Edge(0, "seat", level=True, at=now, source="key"))
    assert practice.admits(Edge(0, "seat", level=False, at=now, source="key"))
    guide = practice.guidance()
    assert guide is not None
    assert guide.note is not None
    assert guide.note.key == "lesson.practice.touch"
    practice.handle_request("place:slot:3")
    person.run(1)
    turned = person.session.game.referee.state.turn
    assert (turned.slot, turned.label) == (3, practice.world.labels[2])


@pytest.mark.parametrize(("players", "bot"), [(1, False), (9, False), (3, True), (8, True)])
def test_a_table_that_nobody_can_sit_down_to_is_refused_in_one_sentence(players: int, bot: bool) -> None:
    verb = next(verb for verb in load_commands() if verb.name == "practice")
    parser = argparse.ArgumentParser()
    verb.add_arguments(parser)
    told = ["kinapa", "--players", str(players), *(["--bot"] if bot else [])]
    run, _ = verb.load()
    with pytest.raises(InputError, match="players"):
        run(parser.parse_args(told), Settings())
