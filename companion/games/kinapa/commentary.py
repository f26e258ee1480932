"""Commentary on a Kinapa game for people who look on.

`KinapaOpenTable` speaks in practice with open cards, `find_highlights` names the turning points of a finished
game: pairs, punished liars, late proofs, wasted turns.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.kinapa.belief import KinapaBelief
from companion.games.kinapa.rules import model
from companion.games.kinapa.rules.model import KinapaState
from companion.games.kinapa.rules.narration import bot_part
from companion.games.kit.commentary import Highlight, HistoryStep, OpenTable, announcement_of


class KinapaOpenTable(OpenTable):
    """Says what everybody can know of Kinapa."""

    belief_class = KinapaBelief

    def observe_event(self, before: Any, event: Event, after: Any) -> None:
        self._belief.observe_event(before, event)
        match event:
            case model.LiarPunished():
                self._belief.see_cards(event.seat, self._world.hands[event.seat])  # they lie open
            case model.HandsLocked():
                self.lines = tuple(self._sentences(after, event))
            case model.EmperorCrowned():
                self.lines = ()

    def _seat_part(self, state: Any, seat: int) -> tuple[str, int | str]:
        """A chair, or the BOT deck that is there."""
        return bot_part(state, seat) if state.is_bot(seat) else super()._seat_part(state, seat)

    def _sentences(self, state: Any, locked: model.HandsLocked) -> Iterator[Sentence]:
        number, table = state.turn.number, self._belief.card_probabilities()
        for seat in range(len(self._world.hands)):
            count, value = (
                len(self._world.cards_of_number(seat, number)),
                round(100 * float(table[seat, number - 1])),
            )
            yield self._build_sentence("chance", state, seat, count=count, value=value)
        if len(self._world.cards_of_number(state.emperor, number)) == 2:
            yield self._build_sentence("pair", state)
        else:
            yield self._build_sentence(
                ("nobody", "one")[len(locked.lowered)] if len(locked.lowered) < 2 else "blind", state
            )


PAIR_WEIGHT, CROWN_WEIGHT, SHEEP_WEIGHT = 0.75, 0.95, -0.55
"""What a pair that was laid, the crown and the Sheep are worth (`lead_scores`)."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A lie is known to have worked once cards prove it: at a demand, an audit, a pair that was laid."""
    raised: dict[tuple[int, int], bool] = {}
    """(seat, number) → whether the crown went there in the turn of that raised hand."""
    asked: list[tuple[int, int]] = []
    seen: set[int] = set()
    for place, (_, _, _, before, event, _) in enumerate(history):
        match event:
            case model.HandsLocked():
                asked = [(seat, before.turn.number) for seat in event.raised]
                raised |= dict.fromkeys(asked, False)
            case model.EmperorCrowned():
                raised |= {one: True for one in asked if one[0] == event.seat}
                asked = []
            case model.LieProven():
                worked = raised.get((event.seat, event.number), False)
                parts = (("chair", before.chair_of(event.seat)), ("number", event.number))
                words = "recap.kinapa.bluff" if worked else "recap.kinapa.lie"
                yield Highlight(place, "bluff" if worked else "uncaught", Sentence(words, parts))
            case model.ObjectHidden() if event.slot:
                if event.slot in seen:
                    parts = (("chair", before.chair_of(before.emperor)), ("slot", event.slot))
                    yield Highlight(place, "wrong", Sentence("recap.kinapa.again", parts))
                seen.add(event.slot)
            case (
                model.PairPlaced() | model.LiarPunished() | model.FalseDenialProven() | model.KinapaGameWon()
            ):
                yield Highlight(place, "turning", announcement_of(rules, history[place]))


def lead_scores(state: KinapaState) -> tuple[float, ...]:
    """A score for each seat: pairs, crown and Sheep, never what is in a hand; in units of log odds."""
    return tuple(
        PAIR_WEIGHT * len(state.laid[seat] if state.laid else one.placed)
        + CROWN_WEIGHT * (seat == state.emperor)
        + SHEEP_WEIGHT * one.sheep
        for seat, one in enumerate(state.seats[: state.people])
    )
