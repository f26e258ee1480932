"""Turning points of a finished dnup game: players out, large sets beaten, avoidable losses."""

from collections.abc import Iterable, Sequence
from typing import Any

from companion.core import events as shared
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as ev
from companion.games.dnup.rules.state import DnupState
from companion.games.kit.highlights import Highlight, HistoryStep, announcement_of

LARGE_SET = 3
"""A set of this many cards that is beaten is a turning point."""

POINT_WEIGHT, CARD_WEIGHT, OUT_HAND_SIZE = 1.0, -0.18, 7
"""What a point and a card in hand are worth; a player who is out counts as `OUT_HAND_SIZE` (`lead`)."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A set is laid carelessly if the cards that beat it were seen to go into that hand before."""
    known: dict[int, Any] = {}
    """Area → what was known of the hands when its set was laid."""
    beating: tuple[int, tuple[str, ...]] = (-1, ())
    for place, (_, _, _, before, event, _) in enumerate(history):
        match event:
            case ev.SetPlayed():
                beating = event.seat, event.cards
                known[event.area] = before.hands
            case ev.CardAdded():
                beating = -1, ()
            case ev.SetReturned() | ev.SetBeaten():
                seat, cards = beating
                hands = known.get(event.area, ())
                read = bool(cards) and bool(hands) and all(map(card.card_name, cards))
                if read and card.contains_cards(cards, hands[seat].known):
                    parts = (("chair", rules.chair_of(before, event.seat)), ("count", event.count))
                    yield Highlight(place, "wrong", Sentence("recap.dnup.known", parts))
                elif event.count >= LARGE_SET:
                    yield Highlight(place, "turning", announcement_of(rules, history[place]))
            case ev.WentOut() | ev.DnupGameWon() | ev.CardsRedealt():
                yield Highlight(place, "turning", announcement_of(rules, history[place]))
            case ev.StarElsewhere() | ev.HandDoubted():
                yield Highlight(place, "wrong", announcement_of(rules, history[place]))
            case shared.Infraction() if event.rule.startswith(("card.", "hand.")):
                yield Highlight(place, "wrong", announcement_of(rules, history[place]))


def lead_scores(state: DnupState) -> tuple[float, ...]:
    """A score for each seat, in units of log odds: points, and how few cards are left in hand."""
    sizes = [hand.size for hand in state.hands] or [0] * state.players
    return tuple(
        POINT_WEIGHT * points + CARD_WEIGHT * (OUT_HAND_SIZE if seat in state.out else sizes[seat])
        for seat, points in enumerate(state.points or (0,) * state.players)
    )
