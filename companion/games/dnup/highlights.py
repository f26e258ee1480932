"""dnup looked back on: who went out, large sets that were beaten, cards that everybody could have known."""

from collections.abc import Iterable, Sequence
from typing import Any

from companion.core import events as shared
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as ev
from companion.games.dnup.rules.state import DnupState
from companion.games.kit.highlights import Found, Step, announced

LARGE = 3
"""A set of this many cards that is beaten is a turning point."""

POINT, CARD, WAITING = 1.0, -0.18, 7
"""What a point and a card in hand are worth; a player who is out counts as `WAITING` (`lead`)."""


def found(rules: Rules[Any], history: Sequence[Step]) -> Iterable[Found]:
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
                read = bool(cards) and bool(hands) and all(map(card.name, cards))
                if read and card.within(cards, hands[seat].known):
                    parts = (("chair", rules.chair_of(before, event.seat)), ("count", event.count))
                    yield Found(place, "wrong", Sentence("recap.dnup.known", parts))
                elif event.count >= LARGE:
                    yield Found(place, "turning", announced(rules, history[place]))
            case ev.WentOut() | ev.GameWon() | ev.Redealt():
                yield Found(place, "turning", announced(rules, history[place]))
            case ev.StarElsewhere() | ev.HandDoubted():
                yield Found(place, "wrong", announced(rules, history[place]))
            case shared.Infraction() if event.rule.startswith(("card.", "hand.")):
                yield Found(place, "wrong", announced(rules, history[place]))


def lead(state: DnupState) -> tuple[float, ...]:
    """A score for each seat, in units of log odds: points, and how few cards are left in hand."""
    sizes = [hand.size for hand in state.hands] or [0] * state.players
    return tuple(
        POINT * points + CARD * (WAITING if seat in state.out else sizes[seat])
        for seat, points in enumerate(state.points or (0,) * state.players)
    )
