"""What takes the table's place for a while: the two tricks of a proved revoke, and the points of a deal."""

from collections.abc import Iterable
from typing import Any

from companion.core.exhibits import DealScore, DealScores, TrickProof
from companion.games.hearts.rules.model import PLAYERS, HeartsPhase, HeartsState
from companion.games.kit.cards import FACES, cards_in
from companion.games.kit.trick_view import trick_proof


def exhibit(state: HeartsState, standing: Iterable[Any]) -> TrickProof | DealScores | None:
    """A revoke until somebody does anything else; the points of a deal until the next one is opened."""
    if state.phase is HeartsPhase.PASS and state.scored:
        return deal_scores(state)
    return trick_proof("hearts", state, standing)


def deal_scores(state: HeartsState) -> DealScores:
    """Everybody with what the deal brought, the fewest points first."""
    order = sorted(range(PLAYERS), key=lambda seat: (state.points[seat], seat))
    players = (
        DealScore(
            chair=state.chair_of(seat),
            cards=tuple(FACES[card] for card in reversed(list(cards_in(state.taken[seat])))),
            gained=state.scored[seat],
            total=state.points[seat],
        )
        for seat in order
    )
    return DealScores(tuple(players), state.options.target)
