"""Turning points of a finished Kinapa game: pairs, punished liars, late proofs, wasted turns."""

from collections.abc import Iterable, Sequence
from typing import Any

from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.state import KinapaState
from companion.games.kit.highlights import Highlight, HistoryStep, announcement_of

PAIR_WEIGHT, CROWN_WEIGHT, SHEEP_WEIGHT = 0.75, 0.95, -0.55
"""What a pair that was laid, the crown and the Sheep are worth (`lead`)."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A lie is known to have worked once cards prove it: at a demand, an audit, a pair that was laid."""
    raised: dict[tuple[int, int], bool] = {}
    """(seat, number) → whether the crown went there in the turn of that raised hand."""
    asked: list[tuple[int, int]] = []
    seen: set[int] = set()
    for place, (_, _, _, before, event, _) in enumerate(history):
        match event:
            case ev.HandsLocked():
                asked = [(seat, before.turn.number) for seat in event.raised]
                raised |= dict.fromkeys(asked, False)
            case ev.EmperorCrowned():
                raised |= {one: True for one in asked if one[0] == event.seat}
                asked = []
            case ev.LieProven():
                worked = raised.get((event.seat, event.number), False)
                parts = (("chair", rules.chair_of(before, event.seat)), ("number", event.number))
                words = "recap.kinapa.bluff" if worked else "recap.kinapa.lie"
                yield Highlight(place, "bluff" if worked else "uncaught", Sentence(words, parts))
            case ev.ObjectHidden() if event.slot:
                if event.slot in seen:
                    parts = (("chair", rules.chair_of(before, before.emperor)), ("slot", event.slot))
                    yield Highlight(place, "wrong", Sentence("recap.kinapa.again", parts))
                seen.add(event.slot)
            case ev.PairPlaced() | ev.LiarPunished() | ev.FalseDenialProven() | ev.KinapaGameWon():
                yield Highlight(place, "turning", announcement_of(rules, history[place]))


def lead_scores(state: KinapaState) -> tuple[float, ...]:
    """A score for each seat: pairs, crown and Sheep, never what is in a hand; in units of log odds."""
    return tuple(
        PAIR_WEIGHT * len(state.laid[seat] if state.laid else one.placed)
        + CROWN_WEIGHT * (seat == state.emperor)
        + SHEEP_WEIGHT * one.sheep
        for seat, one in enumerate(state.seats[: state.people])
    )
