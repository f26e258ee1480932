"""Whole games kept as files: recorded once, and replayed by every later version.

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
from companion.referee.journal import Entry, Header, Journal, MemoryJournal, lines, replay, standing
from companion.referee.referee import Correctable, Referee
from companion.simulation.play import Simulation, styles_for
from companion.testing import promises

Check = Callable[[Path], None]


def record(game: str, folder: Path) -> None:
    """Play what a game still lacks: one game for each kind of table, and disturbed ones for the fewest."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, with_bot in RULES[game].tables():
        file = folder / f"players-{number}{'-bot' * with_bot}.jsonl"
        if not file.exists():
            journal = undisturbed(game, number, bot=with_bot)
            file.write_bytes(lines.text(journal.header, journal.entries))
    # One kind of table may play quite otherwise than another: the fewest people, and those with a BOT.
    fewest = {RULES[game].players[0], *RULES[game].with_bot[:1]}
    for number in sorted(fewest):
        file = folder / ("disturbed.jsonl" if number == max(fewest) else f"disturbed-{number}.jsonl")
        if not file.exists():
            played = [disturbed(game, number, seed) for seed in range(1, 10)]
            journal = max(played, key=lambda journal: len(journal.entries))
            file.write_bytes(lines.text(journal.header, journal.entries))


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
        faults = one.play().faults
        assert not faults, f"a game with mistakes is no playthrough: {faults}"
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
        said: list[ob.AnyObservation] = []
        match count // 7 % 5:
            case 0:
                said = [ob.Paused(at=at), ob.Resumed(at=at)]
            case 1:
                both: list[ob.AnyObservation] = [ob.TakenBack(at=at), ob.TakenBack(at=at, redo=True)]
                said = both if brought_back(one.referee) else []
            case 2:
                said = [ob.Restarted(at=at)]
            case 3:
                said = [ob.CameraLost(at=at), ob.CameraBack(at=at)]
            case _:
                if (last := next(one.referee.correctables(), None)) is not None:
                    assert isinstance(last.cause, Correctable), f"{last.cause} cannot be corrected"
                    said = [ob.Corrected(at=at, seq=last.seq, truth=last.cause)]
        for seen in said:
            one.referee.observe(seen)
    assert not one.faults, f"a game with mistakes is no playthrough: {one.faults}"
    return one.referee.journal


def read(path: Path) -> tuple[Header, list[Entry[Event]]]:
    """The game in a file."""
    return lines.read(path, RULES)


def its_causes_fed_to_a_fresh_referee_give_its_rulings(path: Path) -> None:
    header, entries = read(path)
    referee = Referee(RULES[header.game], MemoryJournal(header))
    for entry in entries:
        judged = referee.observe(entry.cause)
        assert judged == entry, f"{path.name} has {entry}, which is judged otherwise now: {judged}"
    assert RULES[header.game].outcome(referee.state) is not None, f"the game in {path.name} has no end"


def its_events_alone_fold_to_the_state_that_was_judged(path: Path) -> None:
    """The guard of old journals: no judgement hides in `evolve`, and nothing is judged again at a resume."""
    header, entries = read(path)
    rules = RULES[header.game]
    referee = Referee(rules, MemoryJournal(header))
    for entry in entries:
        referee.observe(entry.cause)
    state = rules.initial_state(header.setup.under(rules.options))
    for entry in standing(entries):
        for event in entry.events:
            state = rules.evolve(state, event)
    assert state == referee.state, promises.differs("the events, folded", state, referee.state)
    again = replay(rules, referee.setup, entries)
    assert again == state, promises.differs("the journal, folded again", again, state)


def it_is_written_back_byte_by_byte(path: Path) -> None:
    written = lines.text(*read(path))
    assert written == path.read_bytes(), f"{path.name} is written otherwise now than it was"


def cut_at_any_entry_a_window_counts_whole_or_not_at_all(path: Path) -> None:
    header, entries = read(path)
    rules = RULES[header.game]
    referee = Referee(rules, MemoryJournal(header))
    windows = 0
    for entry in entries:
        referee.observe(entry.cause)
        windows += rules.window_open(referee.state)
        for cut in promises.cut_in_every_way(referee):
            if entry.seq % 20 == 0:  # costs a fold of the whole game
                again = replay(rules, cut.setup, cut.journal.entries)
                assert again == cut.state, promises.differs("the cut journal, folded", again, cut.state)
    timed = type(rules).window_open is not Rules.window_open
    assert windows or not timed, "a playthrough without windows would prove nothing"


def taken_back_and_brought_back_it_ends_as_it_did_unless_that_showed_what_lies_hidden(path: Path) -> None:
    header, entries = read(path)
    referee = Referee(RULES[header.game], MemoryJournal(header, entries))
    ended = referee.state
    at = referee.at
    taken = sum(referee.undo(at) is not None for _ in range(5))
    settled = any(referee.rules.settles(event) for entry in entries for event in entry.events)
    assert taken == 5 or settled, "only what told of hidden faces stays"
    for _ in range(taken):
        undone = next(one for one in referee.standing() if one.cause == ob.TakenBack(at=at))
        if referee.redo(at) is None:
            assert referee.uncovers(undone.seq), (
                f"{undone} is not brought back, though nothing hidden would show"
            )
            return
    assert referee.state == ended, promises.differs("taken back and brought back", referee.state, ended)


CHECKS: tuple[Check, ...] = (
    its_causes_fed_to_a_fresh_referee_give_its_rulings,
    its_events_alone_fold_to_the_state_that_was_judged,
    it_is_written_back_byte_by_byte,
    cut_at_any_entry_a_window_counts_whole_or_not_at_all,
    taken_back_and_brought_back_it_ends_as_it_did_unless_that_showed_what_lies_hidden,
)
"""What holds of every playthrough; each check raises `AssertionError`."""

if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m companion.testing.playthroughs GAME FOLDER")
    record(sys.argv[1], Path(sys.argv[2]))
