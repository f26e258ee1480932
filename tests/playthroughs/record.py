"""Plays the playthroughs that a game still lacks: `python tests/playthroughs/record.py kinapa`.

A playthrough is never changed to please the program: when one fails, either the program is wrong, or a rule
was changed on purpose and the commit says so.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

from companion.core import observations as ob
from companion.core.actions import Setup
from companion.games import RULES
from companion.referee.journal import Journal, MemoryJournal
from companion.referee.journal.lines import text
from companion.referee.referee import Referee
from companion.simulation.play import Simulation, styles_for


def simulation(game: str, players: int, seed: int, *, bot: bool = False) -> Simulation:
    """People of all habits, on chairs whose numbers are seldom those of their seats."""
    rules = RULES[game]
    setup = Setup(tuple(range(8 - players, 8)), rules.options(), bot)
    return Simulation(rules, setup, seed=seed, styles=styles_for(players, random.Random(f"{seed} styles")))


def telling(journal: Journal) -> tuple[int, int]:
    """How much of the game a journal shows; of equals the shortest is best to read."""
    kinds = {type(event) for entry in journal.entries for event in entry.events}
    return len(kinds), -len(journal.entries)


def undisturbed(game: str, players: int, *, bot: bool = False) -> Journal:
    """The most telling of a few games."""
    played = []
    for seed in range(20):
        one = simulation(game, players, seed, bot=bot)
        assert not one.play().faults
        played.append(one.referee.journal)
    return max(played, key=telling)


def brought_back(referee: Referee[Any]) -> bool:
    """Whether what undo takes could be brought back: not where that would show what lies hidden then."""
    twin = Referee(referee.rules, MemoryJournal(referee.journal.header, referee.journal.entries))
    return twin.undo(twin.at) is not None and twin.redoable() is not None


def disturbed(game: str, players: int, seed: int = 1) -> Journal:
    """A game in which people take back, correct, pause, and the program and the camera come and go."""
    one = simulation(game, players, seed)
    for count, _ in enumerate(one.steps()):
        if count % 7 != 6:
            continue
        at = one.referee.at
        match count // 7 % 5:
            case 0:
                said = [ob.Paused(at=at), ob.Resumed(at=at)]
            case 1:
                both = [ob.TakenBack(at=at), ob.TakenBack(at=at, redo=True)]
                said = both if brought_back(one.referee) else []
            case 2:
                said = [ob.Restarted(at=at)]
            case 3:
                said = [ob.CameraLost(at=at), ob.CameraBack(at=at)]
            case _:
                last = next(entry for entry in one.referee.standing() if one.referee.correctable(entry.seq))
                said = [ob.Corrected(at=at, seq=last.seq, truth=last.cause)]
        for seen in said:
            one.referee.observe(seen)
    assert not one.faults
    return one.referee.journal


if __name__ == "__main__":
    name = sys.argv[1]
    folder = Path(__file__).parent / name
    folder.mkdir(exist_ok=True)
    for number, with_bot in RULES[name].tables():
        file = folder / f"players-{number}{'-bot' * with_bot}.jsonl"
        if not file.exists():
            journal = undisturbed(name, number, bot=with_bot)
            file.write_bytes(text(journal.header, journal.entries))
    # One kind of table may play quite otherwise than another: the fewest people, and those with a BOT.
    fewest = {RULES[name].players[0], *RULES[name].with_bot[:1]}
    for number in sorted(fewest):
        file = folder / ("disturbed.jsonl" if number == max(fewest) else f"disturbed-{number}.jsonl")
        if not file.exists():
            played = [disturbed(name, number, seed) for seed in range(1, 10)]
            journal = max(played, key=lambda journal: len(journal.entries))
            file.write_bytes(text(journal.header, journal.entries))
