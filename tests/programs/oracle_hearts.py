"""`make oracle`: Hearts beside OpenSpiel's `hearts`, card by card, to the points of each deal.

python -m tests.programs.oracle_hearts [--plies 1000000] [--seed 1] [--record FILE]

Deals of four players with three cards passed in a random direction, or none; ours has `queen_breaks` on, as
OpenSpiel has. Before every play what may be played of the hand is compared, all of it; after a trick who
leads to the next one; after the deal the points. Ours is told who played which card and nothing else, and
must not say that anything is wrong. Exits 1 at the first difference. `--record` keeps a few deals for the
tests, which need no OpenSpiel.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from random import Random
from typing import Any

from companion.core import observations as ob
from companion.core.actions import Action, Setup
from companion.core.events import Event, kind_of
from companion.games.hearts.rules import Hearts
from companion.games.hearts.rules.model import PLAYERS, DealScored, HeartsOptions, HeartsState
from companion.games.kit.cards import CARDS, VALUES
from companion.games.kit.tricks import lawful_cards
from tests.programs.oracle_tricks import SPIEL_RANKS, SPIEL_SUITS, PlayedDeal, Ply, compare, named

RULES = Hearts()
OPTIONS = HeartsOptions(queen_breaks=True)
MOST_POINTS = 26
"""OpenSpiel's returns are so many less the points of a deal."""
MOONS, DRAWS = 0.2, 5
"""How often one player is dealt the highest of so many cards each time, and takes all: moons are rare."""
PEACEFUL = {"DealOpened", "CardPlayed", "TrickTaken", "MoonShot", "DealScored"}
"""What is ruled where nobody breaks a rule."""


@cache
def _names() -> tuple[str, ...]:
    """Ours of each of OpenSpiel's cards, by its number."""
    return tuple(named(f"{rank}{suit}") for rank in SPIEL_RANKS for suit in SPIEL_SUITS)


def play(chance: Random) -> PlayedDeal:
    """A deal of OpenSpiel's, by chance; in some one player tries to take everything."""
    state = _game().new_initial_state()
    hands: list[set[str]] = [set() for _ in range(PLAYERS)]
    shooter = chance.randrange(PLAYERS) if chance.random() < MOONS else None
    direction = chance.choice(state.legal_actions())
    state.apply_action(direction)
    for dealt in range(len(VALUES)):
        many = DRAWS if dealt % PLAYERS == shooter else 1
        card = max(chance.choices(state.legal_actions(), k=many))
        hands[dealt % PLAYERS].add(_names()[card])
        state.apply_action(card)
    moving: list[tuple[int, str]] = []
    for _ in range(3 * PLAYERS if direction else 0):
        seat, legal = state.current_player(), state.legal_actions()
        card = min(legal) if seat == shooter else chance.choice(legal)
        moving.append((seat, _names()[card]))
        state.apply_action(card)
    for seat, name in moving:
        hands[seat].remove(name)
        hands[(seat + direction) % PLAYERS].add(name)
    kept, plies = tuple(tuple(sorted(hand)) for hand in hands), []
    while not state.is_terminal():
        legal = state.legal_actions()
        seat = state.current_player()
        card = chance.choice(legal) if shooter is None else _for_a_moon(legal, seat == shooter)
        plies.append(Ply(seat, tuple(_names()[one] for one in legal), _names()[card]))
        state.apply_action(card)
    return PlayedDeal(kept, tuple(plies), tuple(MOST_POINTS - round(mine) for mine in state.returns()))


def _for_a_moon(legal: Sequence[int], is_shooter: bool) -> int:
    """The highest card for who wants all; the lowest for the others."""
    return max(legal) if is_shooter else min(legal)


@cache
def _game() -> Any:
    import pyspiel

    return pyspiel.load_game("hearts")


def difference(played: PlayedDeal) -> str | None:
    """The first difference of ours from a deal of OpenSpiel's, in one sentence."""
    state = RULES.initial_state(Setup(tuple(range(PLAYERS)), OPTIONS))
    hands = [sum(1 << CARDS[name] for name in hand) for hand in played.hands]
    scored: tuple[int, ...] | None = None
    for number, ply in enumerate(played.plies):
        where = f"ply {number} of {played}"
        if not number:
            ours, seat = {"clubs|2"}, next(seat for seat in range(PLAYERS) if hands[seat] & 1)
            said = Action(seat, "open")
        else:
            seat = state.seat
            ours = {VALUES[card] for card in lawful_cards(state.rules, state.plays, hands[seat])}
            said = Action(seat, "play", ply.done)
        if seat != ply.seat:
            return f"{where}: seat {seat} plays in ours"
        if ours != set(ply.lawful):
            return f"{where}: {sorted(ours ^ set(ply.lawful))} is lawful in one only"
        events = RULES.decide(state, ob.ActionDeclared(at=0, action=said))
        state = _after(state, events)
        strange = [event for event in events if kind_of(event) not in PEACEFUL]
        if strange:
            return f"{where}: ours rules {strange}"
        hands[seat] &= ~(1 << CARDS[ply.done])
        scored = next((event.points for event in events if isinstance(event, DealScored)), scored)
    return None if scored == played.points else f"{played}: {scored} points in ours"


def _after(state: HeartsState, events: Sequence[Event]) -> HeartsState:
    return reduce(RULES.evolve, events, state)


def main(words: Sequence[str] | None = None) -> int:
    moon = [0, *[MOST_POINTS] * (PLAYERS - 1)]
    rare = "moons", lambda played: sorted(played.points) == moon
    return compare("hearts", words, play, difference, plies=len(VALUES), rare=rare)


if __name__ == "__main__":
    raise SystemExit(main())
