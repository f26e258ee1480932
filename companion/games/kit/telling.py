"""What several games say after a ruling: whose turn it is, who leads, and the score."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.core.actions import Seat
from companion.core.rules import Rules
from companion.core.view import Sentence


def whose_turn(rules: Rules[Any], state: Any) -> tuple[Sentence, ...]:
    """The only person who is asked now; nothing where nobody or several are."""
    asked = [prompt.chair for prompt in rules.prompts(state)]
    return (Sentence("shared.nudge", (("chair", asked[0]),)),) if len(asked) == 1 else ()


def who_leads(rules: Rules[Any], state: Any, points: Sequence[int]) -> tuple[Sentence, ...]:
    """Who has most `points`, which are by seat, and in a tie how many.

    Nothing before anybody has any, nor when the game is over.
    """
    most = max(points)
    ahead = [seat for seat, mine in enumerate(points) if mine == most]
    if not most or rules.outcome(state) is not None:
        return ()
    if len(ahead) > 1:
        return (Sentence("standing.tied"), *_each(rules, state, points, ahead))
    return (Sentence("standing.leads", (("chair", rules.chair_of(state, ahead[0])),)),)


def scores(rules: Rules[Any], state: Any, points: Sequence[int]) -> tuple[Sentence, ...]:
    """Everybody's `points`, which are by seat, the most first."""
    return tuple(_each(rules, state, points, sorted(range(len(points)), key=lambda seat: -points[seat])))


def score(rules: Rules[Any], state: Any, points: Sequence[int]) -> tuple[Sentence, ...]:
    """Who leads, and then everybody's points: for points of which nothing is on the table."""
    leads = who_leads(rules, state, points)[:1]
    return (*leads, *scores(rules, state, points)) if leads else ()


def _each(rules: Rules[Any], state: Any, points: Sequence[int], seats: Iterable[Seat]) -> Iterator[Sentence]:
    for seat in seats:
        yield Sentence("standing.score", (("chair", rules.chair_of(state, seat)), ("score", points[seat])))
