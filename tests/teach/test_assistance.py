"""Assistance: what is explained once, what is warned of first, and when nothing is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.core.view import Sentence
from companion.games import RULES
from companion.games.kinapa.rules.model import KinapaOptions, KinapaPhase, Slot
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.loop import GRACE, RefereedGame
from companion.referee.referee import Referee
from companion.settings.model import Settings
from companion.table.history import allowed_actions
from companion.teach.assistance import NOTE_TIME, REPEAT_WINDOW, RULING_DELAY, Assistance, ExplainedRules
from companion.teach.lesson import untimed_options


class Table:
    """A game of Kinapa on one assistance level."""

    def __init__(self, level: str, memory: ExplainedRules | None = None) -> None:
        header = make_header("kinapa", Setup((0, 1, 2, 3), KinapaOptions()))
        self.game = RefereedGame(Referee(RULES["kinapa"], MemoryJournal(header)), chance=lambda _: 0)
        self.now = 0
        self.said: list[Sentence] = []
        self.assistance = Assistance(
            self.game, memory or ExplainedRules(), level=level, say=self.said.extend, now=lambda: self.now
        )
        self.says(0, "claim_cat")

    def pass_(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)
        self.assistance.advance(self.now)
        self.game.step(self.now + GRACE)
        for ruling in self.game.take_announcements():
            self.assistance.handle_ruling(ruling)

    def hears(self, seen: ob.AnyObservation) -> bool:
        admitted = self.assistance.admits(seen)
        if admitted:
            self.game.post(seen, self.now)
        self.pass_(0.1)
        return admitted

    def says(self, seat: int, verb: str, value: str | int | None = None) -> bool:
        return self.hears(ob.ActionDeclared(at=self.now, action=Action(seat, verb, value)))

    def sees(self, *cards: str, slot: int = 1) -> bool:
        faces = tuple(ob.SeenCard(card) for card in cards)
        region = ob.RegionReading(f"slot:{slot}", faces, max(0, self.now - 2), max(0, self.now - 1))
        return self.hears(ob.TableSeen(at=self.now, regions=(region,)))

    def infractions(self) -> list[str]:
        entries = self.game.referee.journal.entries
        return [one.rule for entry in entries for one in entry.events if isinstance(one, ev.Infraction)]


def test_a_breach_is_warned_of_first_and_ruled_when_it_is_said_again() -> None:
    table = Table("assisted")
    assert not table.says(1, "announce", 3)
    assert table.said[-1] == Sentence("kinapa.why.announce.not_emperor")
    assert table.infractions() == []
    assert table.says(1, "announce", 3)
    assert table.infractions() == ["announce.not_emperor"]


def test_the_same_breach_much_later_is_warned_of_again() -> None:
    table = Table("assisted")
    table.says(1, "announce", 3)
    table.pass_(REPEAT_WINDOW / SECOND + 1)
    assert not table.says(1, "announce", 3)
    assert table.infractions() == []


def test_what_is_put_back_after_the_warning_is_never_ruled() -> None:
    table = Table("assisted")
    assert not table.sees("object:1-2")
    table.sees("back:blue")
    table.pass_(2 * RULING_DELAY / SECOND)
    assert table.infractions() == []
    noted = table.assistance.guidance()
    assert noted is None or noted.kind == "note"


def test_what_is_left_lying_after_the_warning_is_ruled() -> None:
    table = Table("assisted")
    table.sees("object:1-2")
    table.pass_(RULING_DELAY / SECOND)
    table.pass_(0.1)
    assert table.infractions() == ["object.out_of_turn"]


@pytest.mark.parametrize("level", ["referee", "tournament"])
def test_a_referee_rules_at_once_and_explains_nothing(level: str) -> None:
    table = Table(level)
    assert table.says(1, "announce", 3)
    assert table.infractions() == ["announce.not_emperor"]
    assert table.said == []
    assert table.assistance.guidance() is None


def test_a_rule_is_told_when_it_first_applies_and_never_again(tmp_path: Path) -> None:
    first = Table("teach", ExplainedRules(tmp_path / "table" / "explained"))
    first.pass_(NOTE_TIME / SECOND + 1)
    told = [said for said in first.said if said.key.startswith("kinapa.why.")]
    assert told == [Sentence("kinapa.why.EmperorCrowned.first"), Sentence("kinapa.why.SheepTaken")]
    again = Table("teach", ExplainedRules(tmp_path / "table" / "explained"))
    again.pass_(1)
    assert again.said == []


def test_a_table_that_forgets_is_told_anew(tmp_path: Path) -> None:
    memory = ExplainedRules(tmp_path / "explained")
    memory.add("kinapa.why.SheepTaken")
    memory.forget_all()
    assert "kinapa.why.SheepTaken" not in ExplainedRules(tmp_path / "explained")


def test_a_disk_that_takes_nothing_only_means_that_it_is_told_again(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    memory = ExplainedRules(tmp_path / "file" / "explained")
    memory.add("kinapa.why.SheepTaken")
    assert "kinapa.why.SheepTaken" in memory


def test_nothing_lies_beside_an_open_window() -> None:
    table = Table("teach")
    table.says(0, "announce", 3)
    table.pass_(0.1)
    assert table.game.referee.rules.is_window_open(table.game.referee.state)
    assert table.assistance.guidance() is None


def test_the_step_changes_in_the_middle_of_a_game() -> None:
    table = Table("teach")
    table.assistance.set_level("tournament")
    assert table.assistance.silent
    assert table.says(1, "announce", 3)


def test_a_table_that_is_taught_has_no_clock() -> None:
    options = untimed_options("kinapa", KinapaOptions(hand="hold"))
    assert options == KinapaOptions(hand="hold", count_seconds=0)


def test_the_step_of_a_table_is_a_setting() -> None:
    assert Settings().table.level == "referee"


def test_what_one_may_do_names_every_choice_once_and_tells_nothing_hidden() -> None:
    table = Table("referee")
    state = replace(table.game.referee.state, phase=KinapaPhase.TURNING)
    told = []
    for labels in (("", "", ""), ("1-2", "3-4", ""), ("1-2", "1-2", "5-6")):
        slots = (*(Slot(label) for label in labels), *state.slots[3:])
        told.append(allowed_actions(RULES["kinapa"], replace(state, slots=slots)))
    assert told[0] == told[1] == told[2]
    mine = next(one for one in told[0] if one.chair == 0)
    assert len(mine.choices) == len(set(mine.choices)) >= 4
