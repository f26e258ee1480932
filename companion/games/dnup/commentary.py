"""Commentary on a dnup game for people who look on.

`DnupOpenTable` speaks in practice with open cards, `find_highlights` names the turning points of a finished
game: players out, large sets beaten, avoidable losses.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.core import events as shared
from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.dnup.belief import DnupBelief
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import model
from companion.games.dnup.rules.model import DnupState
from companion.games.kit.commentary import Highlight, HistoryStep, OpenTable, announcement_of

LARGE_SET = 3
"""A set of this many cards that is beaten is a turning point."""
POINT_WEIGHT, CARD_WEIGHT, OUT_HAND_SIZE = 1.0, -0.18, 7
"""What a point and a card in hand are worth; a player who is out counts as `OUT_HAND_SIZE` (`lead_scores`).
"""


class DnupOpenTable(OpenTable):
    """Says what everybody can know of dnup."""

    belief_class = DnupBelief

    def observe_event(self, before: Any, event: Event, after: Any) -> None:
        self._belief.observe_event(before, event)
        if isinstance(event, model.TurnBegan):
            self.lines = tuple(self._sentences(after))

    def _sentences(self, state: Any) -> Iterator[Sentence]:
        for seat, hand in enumerate(state.hands):
            yield self._build_sentence("known", state, seat, count=len(hand.known), number=hand.size)
        rivals = {len(area.cards): state.value(at) for at, area in enumerate(state.areas)}
        ups = list(map(card.active_value, self._world.hands[state.seat]))
        sets = [
            (size, value)
            for value in set(ups)
            for size in range(1, ups.count(value) + 1)
            if rivals.get(size, 0) < value
        ]
        if sets:
            size, value = max(sets)
            yield self._build_sentence("largest", state, state.seat, count=size, many=size, value=value)
        else:
            yield self._build_sentence("no_set", state, state.seat)


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A set is laid carelessly if the cards that beat it were seen to go into that hand before."""
    known: dict[int, Any] = {}
    """Area → what was known of the hands when its set was laid."""
    beating: tuple[int, tuple[str, ...]] = (-1, ())
    for place, (_, _, _, before, event, _) in enumerate(history):
        match event:
            case model.SetPlayed():
                beating = event.seat, event.cards
                known[event.area] = before.hands
            case model.CardAdded():
                beating = -1, ()
            case model.SetReturned() | model.SetBeaten():
                seat, cards = beating
                hands = known.get(event.area, ())
                read = bool(cards) and bool(hands) and all(map(card.card_name, cards))
                if read and card.contains_cards(cards, hands[seat].known):
                    parts = (("chair", before.chair_of(event.seat)), ("count", event.count))
                    yield Highlight(place, "wrong", Sentence("recap.dnup.known", parts))
                elif event.count >= LARGE_SET:
                    yield Highlight(place, "turning", announcement_of(rules, history[place]))
            case model.WentOut() | model.DnupGameWon() | model.CardsRedealt():
                yield Highlight(place, "turning", announcement_of(rules, history[place]))
            case model.StarElsewhere() | model.HandDoubted():
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
