"""What takes the table's place for a while: the two tricks of a proved revoke, and the points of a deal."""

from collections.abc import Iterable
from typing import Any

from companion.core.exhibits import DealScore, DealScores, ShownTrick, TrickProof
from companion.core.view import Sentence
from companion.games.hearts.rules.model import PLAYERS, HeartsPhase, HeartsState
from companion.games.kit.cards import FACES, SUITS, cards_in
from companion.games.kit.trick_table import RevokeProved


def exhibit(state: HeartsState, standing: Iterable[Any]) -> TrickProof | DealScores | None:
    """A revoke until somebody does anything else; the points of a deal until the next one is opened."""
    if state.phase is HeartsPhase.PASS and state.scored:
        return deal_scores(state)
    newest: Iterable[Any] = next((entry.events for entry in standing), ())
    proved = [event for event in newest if isinstance(event, RevokeProved)]
    return _trick_proof(state, proved[0]) if proved and state.phase is HeartsPhase.PLAY else None


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


def _trick_proof(state: HeartsState, proved: RevokeProved) -> TrickProof:
    broken = state.play_in(proved.trick, proved.seat)
    proof = state.play_in(proved.proof, proved.seat)
    suit = _suit(state, proof)
    return TrickProof(
        broken=_shown(state, broken, Sentence(f"hearts.proof.none.{suit}")),
        proof=_shown(state, proof, Sentence(f"hearts.proof.one.{suit}")),
        follows=Sentence(f"hearts.proof.{state.options.revoke}"),
    )


def _shown(state: HeartsState, number: int, says: Sentence) -> ShownTrick:
    """The whole trick of a play, as far as it was played."""
    first = number - number % PLAYERS
    trick = state.plays[first : first + PLAYERS]
    title = Sentence(f"hearts.proof.trick.{_suit(state, first)}", (("trick", state.trick_of(number)),))
    cards = tuple((state.chair_of(play.seat), FACES[play.card]) for play in trick)
    return ShownTrick(title, cards, state.chair_of(state.plays[number].seat), says)


def _suit(state: HeartsState, number: int) -> str:
    return SUITS[state.plays[number].card // (len(FACES) // len(SUITS))]
