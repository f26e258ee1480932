"""`make oracle`: Spades beside OpenSpiel's `spades`, bid by bid and card by card, to the points of each deal.

python -m tests.programs.oracle_spades [--plies 1000000] [--seed 1] [--record FILE]

Ours has `failed_nil=counts`, as OpenSpiel has. Before every bid what may be bid is compared, before every
play what may be played of the hand, all of it; after a trick who leads to the next one; after the deal the
points of both sides. OpenSpiel's spades are never broken (its `is_spades_broken_` is set nowhere): a spade is
led there with nothing else alone, so where ours lets spades be led as well, they are left out. Ours is told
bids and cards and nothing else, and must not say that anything is wrong. Exits 1 at the first difference.
`--record` keeps a few deals for the tests, which need no OpenSpiel.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from random import Random
from typing import Any

from companion.core import observations as ob
from companion.core.actions import Action, Setup
from companion.core.events import kind_of
from companion.games.kit.cards import CARDS, VALUES, cards_in
from companion.games.kit.trick_table import PLAYERS
from companion.games.kit.tricks import lawful_cards
from companion.games.spades.rules import Spades
from companion.games.spades.rules.model import (
    SPADES,
    SpadesDealScored,
    SpadesOptions,
    SpadesPhase,
)
from tests.programs.oracle_tricks import SPIEL_RANKS, SPIEL_SUITS, PlayedDeal, Ply, compare, named

RULES = Spades()
OPTIONS = SpadesOptions(failed_nil="counts")
FIRST_BID = len(VALUES)
"""OpenSpiel's action of the bid of nothing; those of cards are below it."""
SMALL_BIDS = 0.9
"""How often a bid is at most 4: lists of higher ones end in contracts that nobody makes."""
PEACEFUL = {"BidMade", "CardPlayed", "TrickTaken", "DealScored"}
"""What is ruled where nobody breaks a rule."""
PLIES = PLAYERS + len(VALUES)


@cache
def _names() -> tuple[str, ...]:
    """Ours of each of OpenSpiel's cards and bids, by its number."""
    cards = (named(f"{rank}{suit}") for suit in SPIEL_SUITS for rank in SPIEL_RANKS)
    return (*cards, *map(str, range(14)))


@cache
def _game() -> Any:
    import pyspiel

    return pyspiel.load_game("spades")


def play(chance: Random) -> PlayedDeal:
    """A deal of OpenSpiel's, by chance."""
    state = _game().new_initial_state()
    hands: list[list[str]] = [[] for _ in range(PLAYERS)]
    for dealt in range(len(VALUES)):
        card = chance.choice(state.legal_actions())
        hands[dealt % PLAYERS].append(_names()[card])
        state.apply_action(card)
    plies = []
    while not state.is_terminal():
        legal = state.legal_actions()
        small = [one for one in legal if one <= FIRST_BID + 4] if chance.random() < SMALL_BIDS else legal
        done = chance.choice(small)
        plies.append(Ply(state.current_player(), tuple(_names()[one] for one in legal), _names()[done]))
        state.apply_action(done)
    returns = state.returns()
    return PlayedDeal(
        tuple(tuple(sorted(hand)) for hand in hands), tuple(plies), (round(returns[0]), round(returns[1]))
    )


def difference(played: PlayedDeal) -> str | None:
    """The first difference of ours from a deal of OpenSpiel's, in one sentence."""
    state = RULES.initial_state(Setup(tuple(range(PLAYERS)), OPTIONS))
    hands = [sum(1 << CARDS[name] for name in hand) for hand in played.hands]
    scored: tuple[int, ...] | None = None
    for number, ply in enumerate(played.plies):
        where, seat = f"ply {number} of {played}", state.seat
        if seat != ply.seat:
            return f"{where}: it is the turn of seat {seat} in ours"
        if state.phase is SpadesPhase.BID:
            ours = {str(action.value) for prompt in RULES.prompts(state) for action in prompt.actions}
            said = Action(seat, "bid", int(ply.done))
        else:
            lawful = sum(1 << card for card in lawful_cards(state.rules, state.plays, hands[seat]))
            if len(state.plays) % PLAYERS == 0 and lawful & ~SPADES:
                lawful &= ~SPADES
            ours = {VALUES[card] for card in cards_in(lawful)}
            said = Action(seat, "play", ply.done)
            hands[seat] &= ~(1 << CARDS[ply.done])
        if ours != set(ply.lawful):
            return f"{where}: {sorted(ours ^ set(ply.lawful))} is lawful in one only"
        events = RULES.decide(state, ob.ActionDeclared(at=0, action=said))
        state = reduce(RULES.evolve, events, state)
        strange = [event for event in events if kind_of(event) not in PEACEFUL]
        if strange:
            return f"{where}: ours rules {strange}"
        scored = next((event.points for event in events if isinstance(event, SpadesDealScored)), scored)
    return None if scored == played.points else f"{played}: {scored} points in ours"


def main(words: Sequence[str] | None = None) -> int:
    rare = "with nil", lambda played: any(ply.done == "0" for ply in played.plies[:PLAYERS])
    return compare("spades", words, play, difference, plies=PLIES, rare=rare)


if __name__ == "__main__":
    raise SystemExit(main())
