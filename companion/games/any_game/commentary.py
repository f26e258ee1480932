"""What is looked back at of any game: the longest turns, who was out, and the end."""

from collections.abc import Iterable, Sequence
from typing import Any

from companion.core.actions import SECOND
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.any_game.rules import model
from companion.games.any_game.rules.view import time_text
from companion.games.kit.commentary import Highlight, HistoryStep, announcement_of

LONGEST = 3
"""So many turns are told of."""
TOLD = (model.BankEmpty, model.PlayerJoined, model.PlayerLeft, model.PlayerCameBack, model.AnyGameWon)


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """In the order of the game."""
    turns = [
        (step.event.at - step.before.began, place, step.event.seat)
        for place, step in enumerate(history)
        if isinstance(step.event, model.TurnEnded | model.TimeUp | model.TurnPassed)
    ]
    longest = {place: (long, seat) for long, place, seat in sorted(turns)[-LONGEST:] if long >= SECOND}
    for place, step in enumerate(history):
        if place in longest:
            long, seat = longest[place]
            told = (("chair", step.before.chair_of(seat)), ("time", time_text(long)))
            yield Highlight(place, "turning", Sentence("recap.any_game.long", told))
        elif isinstance(step.event, TOLD):
            yield Highlight(place, "turning", announcement_of(rules, step))
