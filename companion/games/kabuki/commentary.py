"""Commentary on a Kabuki game for people who look on.

`KabukiOpenTable` speaks in practice with open cards, `find_highlights` names the turning points of a finished
game: right and wrong Stops, twins that nobody noticed.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.kabuki.rules import model
from companion.games.kabuki.rules.model import UNREAD, KabukiState
from companion.games.kit.commentary import Highlight, HistoryStep, OpenTable, announcement_of

TOKEN_WEIGHT = 0.7
"""What a token is worth (`lead_scores`)."""


class KabukiOpenTable(OpenTable):
    """Says what everybody can know of Kabuki."""

    def observe_event(self, before: Any, event: Event, after: Any) -> None:
        match event:
            case model.MaskPlaced():
                self.lines = tuple(self._sentences(after, event))
            case model.KabukiRoundEnded():
                self.lines = ()

    def _sentences(self, state: Any, placed: model.MaskPlaced) -> Iterator[Sentence]:
        lying = self._world.stacks[placed.stack]
        twins = lying[:-1].count(lying[-1])
        for seat in range(state.players):
            recalls = lying[-1] in self._world.remembered_masks(seat, placed.stack)
            yield self._build_sentence("recalls" if recalls else "recalls_not", state, seat)
        yield self._build_sentence("stop_right" if twins else "stop_wrong", state, slot=placed.stack)


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """The player who placed over a twin and was not stopped got away with it."""
    for place, (_, _, _, before, event, after) in enumerate(history):
        match event:
            case model.StopWrong():
                yield Highlight(place, "wrong", announcement_of(rules, history[place]))
            case model.StopRight() | model.KabukiRoundEnded() | model.KabukiGameWon():
                yield Highlight(place, "turning", announcement_of(rules, history[place]))
            case model.MaskPlaced() if _was_twin_missed(history, place, event, after):
                parts = (("chair", before.chair_of(event.seat)), ("stack", event.stack))
                yield Highlight(place, "uncaught", Sentence("recap.kabuki.missed", parts))


def _was_twin_missed(
    history: Sequence[HistoryStep], place: int, placed: model.MaskPlaced, after: Any
) -> bool:
    """Whether a twin lay there, and the next mask came before anybody called."""
    lying = [mask.design for mask in after.stacks[placed.stack - 1]]
    if placed.mask == UNREAD or placed.mask not in lying[:-1]:
        return False
    for step in history[place + 1 :]:
        if isinstance(step.event, model.StopAssigned) and step.event.number == placed.number:
            return False
        if isinstance(step.event, model.MaskPlaced | model.KabukiRoundEnded):
            return True
    return True


def lead_scores(state: KabukiState) -> tuple[float, ...]:
    """A score for each seat: the tokens of all rounds, the current one included; in units of log odds."""
    playing = state.tokens if len(state.scores) < state.round else ()
    rounds = (*state.scores, playing) if playing else state.scores
    return tuple(TOKEN_WEIGHT * sum(one[seat] for one in rounds) for seat in range(state.setup.players))
