"""Collects the sentences that a game can say, to find those a language has no words for.

A test asks with the language's own answer: `find_missing_sentences(case, Language("de").has_words_for)`.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from random import Random
from typing import Any

from msgspec.structs import replace

from companion.core.house_rules import house_rule_questions
from companion.core.rules import Rules
from companion.core.view import Sentence, ViewMode, token_owners
from companion.games import GAMES
from companion.referee.referee import Referee
from companion.simulation.game_simulation import MAX_ENTRIES, GameSimulation, random_styles
from companion.testing.random_walks import GameCase, skip_unchanged, sorted_legal_actions, walk_randomly

HasWords = Callable[[Sentence], bool]
"""Whether a language has words for a sentence."""


def find_missing_sentences(case: GameCase, tells: HasWords, seeds: Iterable[int] = range(12)) -> list[str]:
    """The keys of what the game says in walks of these seeds and the language has no words for.

    Each seed is a walk and, where there are simulated people, a game of theirs: they break rules on purpose.
    """
    said = (sentence for seed in seeds for sentence in collect_sentences(case, seed))
    return sorted({sentence.key for sentence in said if not tells(sentence)})


def collect_sentences(case: GameCase, seed: int) -> Iterator[Sentence]:
    """Everything that the screen may have to say with one seed: rulings, choices, headlines, hints."""
    rules = case.rules
    yield Sentence(f"{rules.name}.name")
    yield from _question_sentences(rules)
    game = GAMES.get(rules.name)
    if game is not None and game.opponents is not None:
        yield Sentence(f"lesson.practice.first.{rules.name}", (("chair", 0),))
    yield from rules.setup_instructions(case.setup)
    for referee in skip_unchanged(chain(_walk_referees(case, seed), _simulate_referees(case, seed))):
        state = referee.state
        yield from _view_sentences(rules, state)
        for entry in referee.journal.entries[-1:]:
            yield from _ruling_sentences(rules, state, entry.events)
            yield from rules.restore_instructions(state, referee.state_before(entry.seq))
            if (turn := rules.restored_turn(state, referee.state_before(entry.seq))) is not None:
                yield turn


def _question_sentences(rules: Rules[Any]) -> Iterator[Sentence]:
    """The house rules, as set-up asks for them."""
    for rule in house_rule_questions(rules.options()):
        yield Sentence(f"{rules.name}.option.{rule.key}")
        yield from (replace(rule, value=choice).answer(rules.name) for choice in rule.choices)


def _walk_referees(case: GameCase, seed: int) -> Iterator[Referee[Any]]:
    return walk_randomly(case, Random(seed), steps=150, nonsense=(0, 0.2, 0.5)[seed % 3])


def _simulate_referees(case: GameCase, seed: int) -> Iterator[Referee[Any]]:
    """A game of people of all habits, as `companion simulate` plays it."""
    game = GAMES.get(case.rules.name)
    if game is not None and game.simulated_players is not None:
        styles = random_styles(case.setup.players, Random(seed))
        played = GameSimulation(case.rules, case.setup, seed=seed, styles=styles)
        for _ in islice(played.run_entries(), MAX_ENTRIES):
            yield played.referee


def _view_sentences(rules: Rules[Any], state: Any) -> Iterator[Sentence]:
    for mode in ViewMode:
        view = rules.view(state, mode)
        yield view.headline
        yield from (Sentence(field.words) for field in view.fields)
        tokens = (token for owner in token_owners(view) for token in owner.tokens)
        cells = (cell for row in view.rows for cell in row)
        notes = (chair.note for chair in view.chairs)
        spoken = (*notes, *(token.said for token in tokens), *(cell.words for cell in cells))
        yield from filter(None, (view.hint, *spoken))
        shown = (view.shared, view.extras, *(chair.choices for chair in view.chairs))
        yield from (choice.label for choices in shown for choice in choices)
        yield from (choice.first for choices in shown for choice in choices if choice.first is not None)
    for action in sorted_legal_actions(rules, state):
        yield rules.label(state, action)
        yield rules.choice_for_log(state, action)


def _ruling_sentences(rules: Rules[Any], state: Any, events: Iterable[Any]) -> Iterator[Sentence]:
    for event in events:
        for log in (False, True):
            yield from filter(None, (rules.sentence(state, event, log=log),))
