"""A stranger's journal is looked at before it is stored, and a long one no more often than it must be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import Setup
from companion.core.events import Event
from companion.core.view import View
from companion.games import RULES
from companion.games.kobayakawa.rules import Kobayakawa
from companion.games.kobayakawa.rules.model import KobayakawaOptions
from companion.referee.dry_run import check_journal
from companion.referee.journal import Entry, JournalError, MemoryJournal
from companion.referee.journal.entry import make_header
from companion.referee.journal.json_lines import read_journal_file
from companion.referee.referee import Referee

PLAYED = Path(__file__).parent.parent / "playthroughs" / "kobayakawa" / "players-3.jsonl"


class Asked(Kobayakawa):
    """The rules of a game, counting how often they are asked."""

    views = sentences = lies = 0

    def view(self, state: Any) -> View:
        self.views += 1
        return super().view(state)

    def sentence(self, state: Any, event: Event, *, log: bool = False) -> Any:
        self.sentences += 1
        return super().sentence(state, event, log=log)

    def open_position_of(self, state: Any, event: Event) -> str | None:
        self.lies += 1
        return super().open_position_of(state, event)


def paused(times: int) -> Referee[Any]:
    """A game that is paused and gone on with again and again."""
    rules = Asked()
    setup = Setup((0, 2, 4), KobayakawaOptions())
    referee = Referee(rules, MemoryJournal(make_header(rules.name, setup)))
    for number in range(times):
        referee.observe(ob.PauseRequested(at=2 * number))
        referee.observe(ob.ButtonPressed(at=2 * number + 1, chair=None, button="ok"))
    return referee


def asked_of(times: int) -> tuple[int, int]:
    played = paused(times)
    rules = Asked()
    check_journal(rules, played.journal.header, played.journal.entries)
    return rules.views, rules.sentences


def test_of_a_long_journal_equal_states_are_looked_at_once_and_equal_rulings_told_once() -> None:
    assert asked_of(100) == asked_of(2)


def test_whether_a_face_still_lies_open_is_found_in_one_pass_for_all_its_rulings() -> None:
    rules = Asked()
    header, entries = read_journal_file(PLAYED, RULES)
    referee = Referee(rules, MemoryJournal(header, entries))
    states = [referee.state_before(0), *(referee.state_after(entry.seq) for entry in entries)]
    faces = {
        event for entry in entries for event in entry.events if rules.open_position_of(states[-1], event)
    }
    assert faces
    for event in faces:
        rules.lies = 0
        since = [referee.is_open_since(seq, event) for seq in range(len(entries))]
        assert rules.lies <= len(states)
        lay = [rules.open_position_of(state, event) is not None for state in states]
        assert since == [all(lay[seq + 1 :]) for seq in range(len(entries))]


@pytest.mark.parametrize("chair", [-5, 8, 10**9])
def test_a_press_of_a_chair_that_no_table_has_is_named_with_its_line(chair: int) -> None:
    header, entries = read_journal_file(PLAYED, RULES)
    pressed = ob.ButtonPressed(at=entries[-1].cause.at, chair=chair)
    for cause in (pressed, ob.CorrectionRequested(at=pressed.at, seq=0, truth=pressed)):
        more = Entry(len(entries), cause, ())
        with pytest.raises(JournalError) as refused:
            check_journal(RULES[header.game], header, [*entries, more])
        assert (refused.value.line, refused.value.where) == (len(entries) + 2, "$.cause.chair")
