"""Journals of undos: what an older program wrote is no fault, and a report tells no more than the screen."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from companion.cli.checks.journal_replay import replay_steps
from companion.games.kabuki.rules import Kabuki
from companion.games.kabuki.rules.model import FaceForgotten
from tests.whole.test_kabuki_loop import BACK, BURIED, laid


def test_an_undo_that_forgot_nothing_is_a_fault_only_under_the_present_rules() -> None:
    loop = laid(Kabuki(), BURIED, 4, 1)
    loop.do(BACK)
    journal = loop.game.referee.journal
    older = [
        replace(entry, events=tuple(one for one in entry.events if not isinstance(one, FaceForgotten)))
        for entry in journal.entries
    ]
    undone = [entry.retracts is not None for entry in older]
    told = list(replay_steps(Kabuki(), replace(journal.header, rules=0), older))
    assert [(bool(step.differs), step.older) for step in told] == [(one, one) for one in undone]
    told = list(replay_steps(Kabuki(), journal.header, older))
    assert [(bool(step.differs), step.older) for step in told] == [(one, False) for one in undone]
    assert not any(step.differs for step in replay_steps(Kabuki(), journal.header, journal.entries))


def test_what_a_report_tells_of_a_game_that_is_not_over_names_no_buried_mask() -> None:
    loop = laid(Kabuki(), BURIED, 4, 2)
    told = msgspec.json.encode(loop.replayed())
    assert b"wave" in told
    assert b"sun" not in told
