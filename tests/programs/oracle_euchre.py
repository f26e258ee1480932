"""`make oracle`: Euchre beside OpenSpiel's `euchre`, bid by bid and card by card, to the points of each deal.

python -m tests.programs.oracle_euchre [--plies 1000000] [--seed 1] [--record FILE]

Both stick the dealer. Before every bid what may be bid is compared, before every play what may be played of
the hand, all of it; after a trick who leads to the next one; after the deal what each side gets. OpenSpiel
has the dealer discard before somebody plays alone, also where the dealer sits out then, and never the card
that was turned up. Ours is told bids and cards and nothing else, and must not say that anything is wrong.
Exits 1 at the first difference. `--record` keeps a few deals for the tests, which need no OpenSpiel.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from random import Random
from typing import Any

from companion.core import observations as ob
from companion.core.actions import Action, Setup
from companion.core.events import Events, kind_of
from companion.games.euchre.rules import Euchre
from companion.games.euchre.rules.model import (
    EuchreDealScored,
    EuchreOptions,
    EuchrePhase,
    EuchreState,
)
from companion.games.kit.cards import CARDS, SUITS, VALUES
from companion.games.kit.trick_table import PLAYERS
from companion.games.kit.tricks import lawful_cards
from tests.programs.oracle_tricks import SPIEL_RANKS, SPIEL_SUITS, PlayedDeal, Ply, compare, named

RULES = Euchre()
RANKS = SPIEL_RANKS[SPIEL_RANKS.index("9") :]
SPOKEN = ("pass", *(suit for letter in SPIEL_SUITS for suit in SUITS if suit[0].upper() == letter))
"""OpenSpiel's bids in its order."""
PLIES = 18
"""A deal has at least: the card turned up, a bid, alone or not, and fifteen cards."""
PASSES = 0.6
"""How often somebody passes who may."""
PEACEFUL = {"UpcardTurned", "Passed", "TrumpMade", "PlaysAlone", "PartnerKept", "DealerDiscarded"} | {
    *("CardPlayed", "TrickTaken", "DealScored")
}
"""What is ruled where nobody breaks a rule."""


@cache
def _names() -> tuple[str, ...]:
    """Ours of each of OpenSpiel's actions, by its number."""
    cards = (named(f"{rank}{suit}") for rank in RANKS for suit in SPIEL_SUITS)
    return (*cards, *SPOKEN, "play_alone", "with_partner")


@cache
def _game() -> Any:
    import pyspiel

    return pyspiel.load_game("euchre(stick_the_dealer=true)")


def play(chance: Random) -> PlayedDeal:
    """A deal of OpenSpiel's, by chance; who has dealt is the fourth seat in ours."""
    state = _game().new_initial_state()
    hands: list[list[str]] = [[] for _ in range(PLAYERS)]
    dealer: int = chance.choice(state.legal_actions())
    state.apply_action(dealer)

    def ours(seat: int) -> int:
        return (seat - dealer - 1) % PLAYERS

    for dealt in range(PLAYERS * 5):
        card = chance.choice(state.legal_actions())
        hands[ours(dealer + dealt)].append(_names()[card])
        state.apply_action(card)
    up = chance.choice(state.legal_actions())
    state.apply_action(up)
    plies = [Ply(PLAYERS - 1, (), f"up {_names()[up]}")]
    while not state.is_terminal():
        seat, legal = ours(state.current_player()), state.legal_actions()
        words = tuple(_names()[one] for one in legal)
        done = "pass" if "pass" in words and chance.random() < PASSES else chance.choice(words)
        state.apply_action(legal[words.index(done)])
        plies.append(Ply(seat, words, done))
    returns = state.returns()
    first = (dealer + 1) % PLAYERS
    points = (round(returns[first]), round(returns[(first + 1) % PLAYERS]))
    return PlayedDeal(tuple(tuple(hand) for hand in hands), tuple(plies), points)


def difference(played: PlayedDeal) -> str | None:
    """The first difference of ours from a deal of OpenSpiel's, in one sentence."""
    state = RULES.initial_state(Setup(tuple(range(PLAYERS)), EuchreOptions()))
    hands = [sum(1 << CARDS[name] for name in hand) for hand in played.hands]
    scored: tuple[int, ...] | None = None
    discarded = ""
    up = played.plies[0].done.partition(" ")[2]
    for number, ply in enumerate(played.plies):
        where = f"ply {number} of {played}"
        if number and state.trump and not discarded and state.passes < PLAYERS:
            discarded = ply.done  # before ours asks who plays alone
            hands[PLAYERS - 1] |= 1 << CARDS[up]
            hands[PLAYERS - 1] &= ~(1 << CARDS[discarded])
            if up in ply.lawful or {*ply.lawful} - {*played.hands[PLAYERS - 1]}:
                return f"{where}: the dealer discards of another hand"
            continue
        if state.seat != ply.seat:
            return f"{where}: it is the turn of seat {state.seat} in ours"
        said = _said(state, ply, up)
        if number:
            ours = _lawful(state, hands[ply.seat])
            if ours != {*ply.lawful}:
                return f"{where}: {sorted(ours ^ {*ply.lawful})} is lawful in one only"
        if state.phase is EuchrePhase.PLAY:
            hands[ply.seat] &= ~(1 << CARDS[ply.done])
        events = _rule(state, said)
        state = reduce(RULES.evolve, events, state)
        if state.phase is EuchrePhase.DISCARD:
            more = _rule(state, Action(state.seat, "discarded"))
            events, state = (*events, *more), reduce(RULES.evolve, more, state)
        if strange := [event for event in events if kind_of(event) not in PEACEFUL]:
            return f"{where}: ours rules {strange}"
        scored = next((event.points for event in events if isinstance(event, EuchreDealScored)), scored)
    theirs = tuple(max(points, 0) for points in played.points)
    return None if scored == theirs else f"{played}: {scored} points in ours"


def _said(state: EuchreState, ply: Ply, up: str) -> Action:
    """What is said in ours."""
    if state.phase is EuchrePhase.TURN_UP:
        return Action(ply.seat, "turn_up", up)
    if state.phase is EuchrePhase.PLAY:
        return Action(ply.seat, "play", ply.done)
    if ply.done in SUITS:
        return Action(ply.seat, *(("order", None) if state.passes < PLAYERS else ("name", ply.done)))
    return Action(ply.seat, ply.done)


def _lawful(state: EuchreState, hand: int) -> set[str]:
    """What may be done in ours, in OpenSpiel's words."""
    if state.phase is EuchrePhase.PLAY:
        return {VALUES[card] for card in lawful_cards(state.rules, state.plays, hand)}
    suit = state.upcard.partition("|")[0]
    actions = [action for prompt in RULES.prompts(state) for action in prompt.actions]
    return {suit if action.verb == "order" else str(action.value or action.verb) for action in actions}


def _rule(state: EuchreState, said: Action) -> Events:
    return RULES.decide(state, ob.ActionDeclared(at=0, action=said))


def main(words: Sequence[str] | None = None) -> int:
    rare = "with a lone hand", lambda played: any(ply.done == "play_alone" for ply in played.plies)
    return compare("euchre", words, play, difference, plies=PLIES, rare=rare)


if __name__ == "__main__":
    raise SystemExit(main())
