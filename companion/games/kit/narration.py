"""Sentences about turn, lead and score that several games append to a ruling."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.core.actions import Seat
from companion.core.rules import Rules
from companion.core.view import Sentence


def turn_sentences(rules: Rules[Any], state: Any) -> tuple[Sentence, ...]:
    """The only person who is asked now; nothing where nobody or several are."""
    asked = [prompt.chair for prompt in rules.prompts(state)]
    return (Sentence("shared.nudge", (("chair", asked[0]),)),) if len(asked) == 1 else ()


def leader_sentences(rules: Rules[Any], state: Any, points: Sequence[int]) -> tuple[Sentence, ...]:
    """Who has most `points`, which are by seat, and in a tie how many.

    Nothing before anybody has any, nor when the game is over.
    """
    most = max(points)
    ahead = [seat for seat, mine in enumerate(points) if mine == most]
    if not most or rules.outcome(state) is not None:
        return ()
    if len(ahead) > 1:
        return (Sentence("standing.tied"), *_build_score_sentences(state, points, ahead))
    return (Sentence("standing.leads", (("chair", state.chair_of(ahead[0])),)),)


def score_sentences(state: Any, points: Sequence[int]) -> tuple[Sentence, ...]:
    """Everybody's `points`, which are by seat, the most first."""
    return tuple(
        _build_score_sentences(state, points, sorted(range(len(points)), key=lambda seat: -points[seat]))
    )


def standing_sentences(rules: Rules[Any], state: Any, points: Sequence[int]) -> tuple[Sentence, ...]:
    """Who leads, and then everybody's points: for points of which nothing is on the table."""
    leads = leader_sentences(rules, state, points)[:1]
    return (*leads, *score_sentences(state, points)) if leads else ()


def _build_score_sentences(state: Any, points: Sequence[int], seats: Iterable[Seat]) -> Iterator[Sentence]:
    for seat in seats:
        yield Sentence("standing.score", (("chair", state.chair_of(seat)), ("score", points[seat])))
