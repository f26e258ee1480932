"""Records whole games as files that every later version must replay to the same result.

`python -m companion.testing.playthroughs GAME FOLDER` records what a game still lacks.

A playthrough is never changed to please the program: when one fails, either the program is wrong, or a rule
was changed on purpose and the commit says so.
"""

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.core import observations as ob
from companion.core.actions import Setup
from companion.core.events import Event
from companion.core.rules import Rules
from companion.games import RULES
from companion.referee.journal import (
    Entry,
    Header,
    Journal,
    MemoryJournal,
    json_lines,
    replay_state,
    standing_entries,
)
from companion.referee.referee import CorrectableObservation, Referee
from companion.simulation.game_simulation import GameSimulation, random_styles
from companion.testing import invariants

PlaythroughCheck = Callable[[Path], None]


def record_playthroughs(game: str, folder: Path) -> None:
    """Play what a game still lacks: one game for each kind of table, and disturbed ones for the fewest."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, with_bot in RULES[game].table_sizes():
        file = folder / f"players-{number}{'-bot' * with_bot}.jsonl"
        if not file.exists():
            journal = play_undisturbed_game(game, number, bot=with_bot)
            file.write_bytes(json_lines.encode_journal(journal.header, journal.entries))
    # One kind of table may play quite otherwise than another: the fewest people, and those with a BOT.
    fewest = {RULES[game].players[0], *RULES[game].players_with_bot[:1]}
    for number in sorted(fewest):
        file = folder / ("disturbed.jsonl" if number == max(fewest) else f"disturbed-{number}.jsonl")
        if not file.exists():
            played = [play_disturbed_game(game, number, seed) for seed in range(1, 10)]
            journal = max(played, key=lambda journal: len(journal.entries))
            file.write_bytes(json_lines.encode_journal(journal.header, journal.entries))


def make_simulation(game: str, players: int, seed: int, *, bot: bool = False) -> GameSimulation:
    """People of all habits, on chairs whose numbers are seldom those of their seats."""
    rules = RULES[game]
    setup = Setup(tuple(range(8 - players, 8)), rules.options(), bot)
    return GameSimulation(
        rules, setup, seed=seed, styles=random_styles(players, random.Random(f"{seed} styles"))
    )


def event_coverage(journal: Journal) -> tuple[int, int]:
    """How much of the game a journal shows; of equals the shortest is best to read."""
    kinds = {type(event) for entry in journal.entries for event in entry.events}
    return len(kinds), -len(journal.entries)


def play_undisturbed_game(game: str, players: int, *, bot: bool = False) -> Journal:
    """The most telling of a few games."""
    played = []
    for seed in range(20):
        one = make_simulation(game, players, seed, bot=bot)
        faults = one.run().faults
        assert not faults, f"a game with mistakes is no playthrough: {faults}"
        played.append(one.referee.journal)
    return max(played, key=event_coverage)


def can_undo_and_redo(referee: Referee[Any]) -> bool:
    """Whether what undo takes could be brought back: not where that would show what lies hidden then."""
    twin = Referee(referee.rules, MemoryJournal(referee.journal.header, referee.journal.entries))
    return twin.undo(twin.at) is not None and twin.find_redoable() is not None


def play_disturbed_game(game: str, players: int, seed: int = 1) -> Journal:
    """A game in which people take back, correct, pause, and the program and the camera come and go."""
    one = make_simulation(game, players, seed)
    for count, _ in enumerate(one.run_entries()):
        if count % 7 != 6:
            continue
        at = one.referee.at
        said: list[ob.AnyObservation] = []
        match count // 7 % 6:
            case 0:
                said = [ob.PauseRequested(at=at), ob.ResumeRequested(at=at)]
            case 1:
                both: list[ob.AnyObservation] = [ob.UndoRequested(at=at), ob.UndoRequested(at=at, redo=True)]
                said = both if can_undo_and_redo(one.referee) else []
            case 2:
                said = [ob.ProgramRestarted(at=at)]
            case 3:
                said = [ob.CameraLost(at=at), ob.CameraRecovered(at=at)]
            case 4:
                said = [ob.ProgramStalled(at=at, until=at), ob.ProgramStalled(at=at)]
            case _:
                if (last := next(one.referee.correctable_entries(), None)) is not None:
                    assert isinstance(last.cause, CorrectableObservation), f"{last.cause} cannot be corrected"
                    said = [ob.CorrectionRequested(at=at, seq=last.seq, truth=last.cause)]
        for seen in said:
            one.referee.observe(seen)
        if any(isinstance(seen, ob.Unseen | ob.UndoRequested) for seen in said):
            one.read_table()
    assert not one.faults, f"a game with mistakes is no playthrough: {one.faults}"
    return one.referee.journal


def read_playthrough(path: Path) -> tuple[Header, list[Entry[Event]]]:
    """The game in a file."""
    return json_lines.read_journal_file(path, RULES)


def check_replayed_rulings(path: Path) -> None:
    header, entries = read_playthrough(path)
    referee = Referee(RULES[header.game], MemoryJournal(header))
    for entry in entries:
        judged = referee.observe(entry.cause)
        assert judged == entry, f"{path.name} has {entry}, which is judged otherwise now: {judged}"
    assert RULES[header.game].outcome(referee.state) is not None, f"the game in {path.name} has no end"


def check_folded_state(path: Path) -> None:
    """The guard of old journals: no judgement hides in `evolve`, and nothing is judged again at a resume."""
    header, entries = read_playthrough(path)
    rules = RULES[header.game]
    referee = Referee(rules, MemoryJournal(header))
    for entry in entries:
        referee.observe(entry.cause)
    state = rules.initial_state(header.setup.with_options(rules.options))
    for entry in standing_entries(entries):
        for event in entry.events:
            state = rules.evolve(state, event)
    assert state == referee.state, invariants.describe_state_difference(
        "the events, folded", state, referee.state
    )
    again = replay_state(rules, referee.setup, entries)
    assert again == state, invariants.describe_state_difference("the journal, folded again", again, state)


def check_byte_identical_rewrite(path: Path) -> None:
    written = json_lines.encode_journal(*read_playthrough(path))
    assert written == path.read_bytes(), f"{path.name} is written otherwise now than it was"


def check_windows_survive_cuts(path: Path) -> None:
    header, entries = read_playthrough(path)
    rules = RULES[header.game]
    referee = Referee(rules, MemoryJournal(header))
    windows = 0
    for entry in entries:
        referee.observe(entry.cause)
        windows += rules.is_window_open(referee.state)
        for cut in invariants.interrupt_in_every_way(referee):
            if entry.seq % 20 == 0:  # costs a fold of the whole game
                again = replay_state(rules, cut.setup, cut.journal.entries)
                assert again == cut.state, invariants.describe_state_difference(
                    "the cut journal, folded", again, cut.state
                )
    timed = type(rules).is_window_open is not Rules.is_window_open
    assert windows or not timed, "a playthrough without windows would prove nothing"


def check_last_undos_and_redos(path: Path) -> None:
    header, entries = read_playthrough(path)
    referee = Referee(RULES[header.game], MemoryJournal(header, entries))
    ended = referee.state
    at = referee.at
    taken = sum(referee.undo(at) is not None for _ in range(5))
    settled = any(referee.rules.undo_barrier(event) for entry in entries for event in entry.events)
    assert taken == 5 or settled, "only what told of hidden faces stays"
    for _ in range(taken):
        undone = next(one for one in referee.standing_entries() if one.cause == ob.UndoRequested(at=at))
        if referee.redo(at) is None:
            assert referee.uncovers(undone.seq), (
                f"{undone} is not brought back, though nothing hidden would show"
            )
            return
    assert referee.state == ended, invariants.describe_state_difference(
        "taken back and brought back", referee.state, ended
    )


PLAYTHROUGH_CHECKS: tuple[PlaythroughCheck, ...] = (
    check_replayed_rulings,
    check_folded_state,
    check_byte_identical_rewrite,
    check_windows_survive_cuts,
    check_last_undos_and_redos,
)
"""What holds of every playthrough; each check raises `AssertionError`."""

if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m companion.testing.playthroughs GAME FOLDER")
    record_playthroughs(sys.argv[1], Path(sys.argv[2]))
