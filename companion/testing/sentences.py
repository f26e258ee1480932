"""Which sentences a game needs, found by playing it, and which of them a language still lacks.

A test asks with the language's own answer: `lacking(case, Language("de").tells)`.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from random import Random
from typing import Any

from companion.core.rules import Rules
from companion.core.view import Mode, Sentence
from companion.games import GAMES
from companion.referee.referee import Referee
from companion.simulation.play import LONGEST, Simulation, styles_for
from companion.testing.walks import Case, legal, new_states, walk

Tells = Callable[[Sentence], bool]
"""Whether a language has words for a sentence."""


def lacking(case: Case, tells: Tells, seeds: Iterable[int] = range(12)) -> list[str]:
    """The keys of what the game says in walks of these seeds and the language has no words for.

    Each seed is a walk and, where there are simulated people, a game of theirs: they break rules on purpose.
    """
    said = (sentence for seed in seeds for sentence in said_in(case, seed))
    return sorted({sentence.key for sentence in said if not tells(sentence)})


def said_in(case: Case, seed: int) -> Iterator[Sentence]:
    """Everything that the screen may have to say with one seed: rulings, choices, headlines, hints."""
    rules = case.rules
    yield Sentence(f"{rules.name}.name")
    yield from rules.prepare(case.setup)
    for referee in new_states(chain(_walked(case, seed), _simulated(case, seed))):
        state = referee.state
        yield from _shown(rules, state)
        for entry in referee.journal.entries[-1:]:
            yield from _told(rules, state, entry.events)
            yield from rules.put_back(state, referee.state_before(entry.seq))


def _walked(case: Case, seed: int) -> Iterator[Referee[Any]]:
    return walk(case, Random(seed), steps=150, nonsense=(0, 0.2, 0.5)[seed % 3])


def _simulated(case: Case, seed: int) -> Iterator[Referee[Any]]:
    """A game of people of all habits, as `companion simulate` plays it."""
    game = GAMES.get(case.rules.name)
    if game is not None and game.players is not None:
        styles = styles_for(case.setup.players, Random(seed))
        played = Simulation(case.rules, case.setup, seed=seed, styles=styles)
        for _ in islice(played.steps(), LONGEST):
            yield played.referee


def _shown(rules: Rules[Any], state: Any) -> Iterator[Sentence]:
    for mode in Mode:
        view = rules.view(state, mode)
        yield view.headline
        yield from filter(None, (view.hint,))
        shown = (view.shared, *(chair.choices for chair in view.chairs))
        yield from (choice.label for choices in shown for choice in choices)
    for action in legal(rules, state):
        yield rules.label(state, action)
        yield rules.chosen(state, action)


def _told(rules: Rules[Any], state: Any, events: Iterable[Any]) -> Iterator[Sentence]:
    for event in events:
        for log in (False, True):
            yield from filter(None, (rules.sentence(state, event, log=log),))
