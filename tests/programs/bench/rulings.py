"""Time per judged entry of whole simulated games, beside one step of two known game engines.

Ours: every cause of the games, as it came, is judged by a fresh referee (decide, evolve, journal in memory),
and after each entry `controls` and `next_timer` are asked, as screen and loop do. Theirs: the same number of
moves of whole random games; RLCard's `env.step` gives the next player's state with the legal actions,
OpenSpiel's `apply_action` is followed by `legal_actions` and `is_terminal`. Nobody's thinking is counted.
"""

from __future__ import annotations

import random
import statistics
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from companion.games import RULES
from tests.programs.bench.figures import Row, cpu_us, least, missing, rounds
from tests.programs.bench.games import Recorded, whole_games

NAME = "rulings"
FIGURE = "judged entry, controls and next_timer included"
UNO = "RLCard uno, env.step"
POKER = "OpenSpiel python_liars_poker"
ROUNDS = 25
MOVES = 4_000
"""Moves of each peer in one round."""


def rows() -> Iterator[Row]:
    games = whole_games()
    for game in games:
        check(game)
    entries = sum(len(game.entries) for game in games)
    parts: dict[str, Callable[[], float]] = {"ours": lambda: sum(map(judged_us, games)) / entries}
    why: dict[str, str] = {}
    for name, opened in ((UNO, rlcard_uno), (POKER, liars_poker)):
        try:
            parts[name] = opened()
        except ImportError as trouble:
            why[name] = f"not installed ({trouble})"
    for measured in parts.values():
        measured()  # warm
    found = rounds(ROUNDS, parts)
    value = least(found["ours"])
    for name, aim, faster in ((UNO, "≥ 1.3 × faster", 1.3), (POKER, "a wish: level", 1.0)):
        if name in why:
            yield missing(FIGURE, "µs", why[name], baseline=name, aim=aim)
            continue
        beside = least(found[name])
        middle = statistics.median(one / other for one, other in zip(found["ours"], found[name], strict=True))
        yield Row(
            figure=FIGURE,
            value=value,
            unit="µs",
            baseline=name,
            beside=beside,
            ratio=value / beside,
            aim=aim,
            met=beside / value >= faster,
            note=f"{beside / value:.2f} × faster (median of rounds {1 / middle:.2f}); "
            f"{entries} entries of {len(games)} games",
        )


def check(game: Recorded) -> None:
    """Raise unless the replay rules what was ruled."""
    referee = game.referee()
    for entry in game.entries:
        if referee.observe(entry.cause) != entry:
            raise AssertionError(f"seed {game.header.seed}, entry {entry.seq} is ruled otherwise")


def judged_us(game: Recorded) -> float:
    """Processor time of judging one whole game."""
    referee, causes = game.referee(), [entry.cause for entry in game.entries]
    rules = RULES[game.header.game]

    def judge() -> None:
        for cause in causes:
            referee.observe(cause)
            rules.controls(referee.state)
            referee.next_timer()

    return cpu_us(judge)


def rlcard_uno() -> Callable[[], float]:
    """One round of RLCard's `uno`: µs per step."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import rlcard
    env: Any = rlcard.make("uno")
    chance = random.Random(1)
    games: list[tuple[int, list[int]]] = []
    while sum(len(moves) for _, moves in games) < MOVES:
        seed, moves = len(games), []
        env.seed(seed)
        state, _ = env.reset()
        while not env.is_over():
            moves.append(chance.choice(list(state["legal_actions"])))
            state, _ = env.step(moves[-1])
        games.append((seed, moves))

    def play(moves: Sequence[int]) -> None:
        for move in moves:
            env.step(move)

    def one_round() -> float:
        spent = 0.0
        for seed, moves in games:
            env.seed(seed)
            env.reset()
            spent += cpu_us(lambda moves=moves: play(moves))  # type: ignore[misc]
        return spent / sum(len(moves) for _, moves in games)

    return one_round


def liars_poker() -> Callable[[], float]:
    """One round of OpenSpiel's `python_liars_poker`: µs per move of a player."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import open_spiel.python.games.liars_poker  # noqa: F401 (registers the game)
        import pyspiel
    game: Any = pyspiel.load_game("python_liars_poker")
    chance = random.Random(1)

    def dealt(lots: Sequence[int]) -> Any:
        state = game.new_initial_state()
        for lot in lots:
            state.apply_action(lot)
        return state

    games: list[tuple[list[int], list[int]]] = []
    while sum(len(moves) for _, moves in games) < MOVES:
        lots: list[int] = []
        moves: list[int] = []
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                lots.append(chance.choice([lot for lot, _ in state.chance_outcomes()]))
                state.apply_action(lots[-1])
            else:
                moves.append(chance.choice(state.legal_actions()))
                state.apply_action(moves[-1])
        games.append((lots, moves))

    def play(state: Any, moves: Sequence[int]) -> None:
        for move in moves:
            state.apply_action(move)
            state.legal_actions()
            state.is_terminal()

    def one_round() -> float:
        spent = 0.0
        for lots, moves in games:
            state = dealt(lots)
            spent += cpu_us(lambda state=state, moves=moves: play(state, moves))  # type: ignore[misc]
        return spent / sum(len(moves) for _, moves in games)

    return one_round
