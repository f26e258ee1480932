"""Turning points of a finished Kabuki game: right and wrong Stops, twins nobody noticed."""

from collections.abc import Iterable, Sequence
from typing import Any

from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.kabuki.rules import events as ev
from companion.games.kabuki.rules.state import UNREAD, KabukiState
from companion.games.kit.highlights import Highlight, HistoryStep, announcement_of

TOKEN_WEIGHT = 0.7
"""What a token is worth (`lead`)."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """The player who placed over a twin and was not stopped got away with it."""
    for place, (_, _, _, before, event, after) in enumerate(history):
        match event:
            case ev.StopWrong():
                yield Highlight(place, "wrong", announcement_of(rules, history[place]))
            case ev.StopRight() | ev.KabukiRoundEnded() | ev.KabukiGameWon():
                yield Highlight(place, "turning", announcement_of(rules, history[place]))
            case ev.MaskPlaced() if _was_twin_missed(history, place, event, after):
                parts = (("chair", rules.chair_of(before, event.seat)), ("stack", event.stack))
                yield Highlight(place, "uncaught", Sentence("recap.kabuki.missed", parts))


def _was_twin_missed(history: Sequence[HistoryStep], place: int, placed: ev.MaskPlaced, after: Any) -> bool:
    """Whether a twin lay there, and the next mask came before anybody called."""
    lying = [mask.design for mask in after.stacks[placed.stack - 1]]
    if placed.mask == UNREAD or placed.mask not in lying[:-1]:
        return False
    for step in history[place + 1 :]:
        if isinstance(step.event, ev.StopAssigned) and step.event.number == placed.number:
            return False
        if isinstance(step.event, ev.MaskPlaced | ev.KabukiRoundEnded):
            return True
    return True


def lead_scores(state: KabukiState) -> tuple[float, ...]:
    """A score for each seat: the tokens of all rounds, the current one included; in units of log odds."""
    playing = state.tokens if len(state.scores) < state.round else ()
    rounds = (*state.scores, playing) if playing else state.scores
    return tuple(TOKEN_WEIGHT * sum(one[seat] for one in rounds) for seat in range(state.setup.players))
