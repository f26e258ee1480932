"""Whatever is gone back to, corrected, put right, ended or gone on with: the program names no face that was
covered since it lay open, unless it was seen or named again.

All games, against somebody who watches the table.
"""

from __future__ import annotations

import os
from random import Random
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from companion.cli.checks.journal_replay import replay_steps
from companion.core import observations as ob
from companion.core.actions import SECOND, Setup
from companion.core.events import kind_of
from companion.games import RULES
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.journal.codec import JournalCodec, entry_lines, header_line
from companion.referee.referee import Referee
from companion.table.history import JournalHistory
from companion.testing.random_walks import GameCase, lawful_observations, random_observation
from tests.whole.onlooker import Onlooker, face_names

STEPS = 50
MANY = int(os.environ.get("LEAK_STEPS", "2000"))
"""Over all games; 100,000 in `make fuzz`."""
FEW = {
    "kabuki": ["mask:leaf", "mask:lion", "mask:sun", "unknown", "back:mask"],
    "kinapa": ["object:1-2", "object:3-4", "object:5-6", "back:blue", "animal:1"],
    "kobayakawa": ["number:5", "number:7", "number:9", "unknown"],
    "dnup": ["pair:1-8", "pair:3-7", "pair:2-5", "unknown"],
}
"""So few faces that the same ones come again and again."""
chances = st.integers(0, 2**32 - 1).map(Random)


class Watched(RuleBasedStateMachine):
    """A game that a referee judges, and an onlooker."""

    game: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        rules = RULES[self.game]
        self.rules = rules
        players = max(3, rules.players[0])
        self.case = GameCase(rules, Setup(tuple(range(players)), rules.options()), tuple(FEW[self.game]))
        self.referee = Referee(rules, MemoryJournal(make_header(rules.name, self.case.setup)))
        self.history = JournalHistory(self.referee)
        self.onlooker = Onlooker(self.game)
        self.at = 0

    # What happens -----------------------------------------------------------------------------------------

    @initialize(chance=chances, deeds=st.integers(0, 40))
    def it_is_played(self, chance: Random, deeds: int) -> None:
        for _ in range(deeds):
            self.something_lawful(chance)

    @rule(chance=chances)
    def something_lawful(self, chance: Random) -> None:
        self._later(chance.choice((1, 1_000, SECOND)))
        ways = lawful_observations(self.rules, self.referee.state, self.at)
        kinds = sorted({self._kind(way) for way in ways})
        if kinds:
            kind = chance.choice(kinds)
            self._observe(chance.choice([way for way in ways if self._kind(way) == kind]))

    def _kind(self, way: Any) -> str:
        """Many places and faces of one verb are one way, so that the others come as often."""
        return str(way.action.verb) if isinstance(way, ob.ActionDeclared) else type(way).__name__

    @rule(chance=chances)
    def a_reading(self, chance: Random) -> None:
        self._later(SECOND)
        places = sorted({place.region for place in self.rules.view(self.referee.state).places})
        awaited = sorted(self.rules.awaited_regions(self.referee.state))
        every = sorted({*places, *awaited, "show"})
        self._read(chance, chance.sample(every, k=min(len(every), chance.choice((1, 1, 1, 2)))))

    @rule(chance=chances)
    def more_comes_to_lie_there(self, chance: Random) -> None:
        """On what was read last, so that it is covered without a move of its own."""
        self._later(SECOND)
        causes = (entry.cause for entry in reversed(self.referee.journal.entries))
        last = next((cause for cause in causes if isinstance(cause, ob.TableSeen)), None)
        if last is not None:
            self._read(chance, [region.name for region in last.regions])

    def _read(self, chance: Random, places: list[str]) -> None:
        regions = tuple(
            ob.RegionReading(name, self._faces(chance), self.at - 900_000, self.at - 400_000)
            for name in places
        )
        self._observe(ob.TableSeen(at=self.at, regions=regions))

    def _faces(self, chance: Random) -> tuple[ob.SeenCard, ...]:
        cards = [chance.choice(FEW[self.game]) for _ in range(chance.choice((0, 1, 1, 1, 2)))]
        return tuple(map(ob.SeenCard, cards))

    @rule(chance=chances)
    def anything_else(self, chance: Random) -> None:
        self._later(1_000)
        seen = random_observation(self.case, self.referee.state, self.at, chance)
        self._observe(seen)

    @rule(times=st.integers(1, 4))
    def taken_back(self, times: int) -> None:
        for _ in range(times):
            self._observe(ob.UndoRequested(at=self.at))

    @rule()
    def put_back(self) -> None:
        self._observe(ob.UndoRequested(at=self.at, done=True))

    @rule(times=st.integers(1, 3))
    def brought_back(self, times: int) -> None:
        for _ in range(times):
            self._observe(ob.UndoRequested(at=self.at, redo=True))

    @rule(chance=chances)
    def corrected(self, chance: Random) -> None:
        """Any entry, to anything that it may have been, or to nothing."""
        self._later(0)
        entries = list(self.referee.correctable_entries())
        if not entries:
            return
        entry = chance.choice(entries[: chance.choice((3, 60))])
        before = self.referee.state_before(entry.seq)
        others = sorted(self.rules.correction_choices(before, entry.cause), key=str)
        truths = [
            entry.cause,
            *(ob.ActionDeclared(at=0, action=one) for one in chance.sample(others, k=min(1, len(others)))),
        ]
        truth = chance.choice(
            [*truths, *([None] if self.referee.is_correctable(entry.seq, to_nothing=True) else [])]
        )
        self._observe(ob.CorrectionRequested(at=self.at, seq=entry.seq, truth=truth))  # type: ignore[arg-type]

    @rule(chance=chances)
    def corrected_to_what_it_was(self, chance: Random) -> None:
        """Nothing would change: what was taken back stays so, and no button moves.

        What a correction has forgiven or taken for nothing may mean something once it is named itself, and a
        face that was forgotten since is known again once somebody names it.
        """
        self._later(1)
        stored = self.referee.journal.entries
        standing = list(self.referee.standing_entries())
        corrections = [one for one in standing if one.corrects is not None]
        again = {item.seq for one in corrections for item in one.rejudged}  # also what was nothing before
        forgot = [one.seq for one in standing if any(kind_of(it).endswith("Forgotten") for it in one.events)]
        entries = [
            one
            for one in self.referee.correctable_entries()
            if one == stored[one.seq] and one.seq not in again and one.seq > max(forgot, default=-1)
        ]
        if not entries or self.rules.is_window_open(self.referee.state):  # an open one is counted anew
            return
        entry = chance.choice(entries[:20])
        journal = self.referee.journal
        twin = Referee(self.rules, MemoryJournal(journal.header, journal.entries))
        twin.observe(ob.CorrectionRequested(at=self.at, seq=entry.seq, truth=entry.cause))  # type: ignore[arg-type]
        assert twin.state == self.referee.state, f"{entry.cause} was right, and yet the game is another"

    @rule(chance=chances)
    def corrected_in_the_menu(self, chance: Random) -> None:
        self._later(0)
        reading = self.history.last_reading()
        if reading is not None:
            self._observe(
                ob.CorrectionRequested(at=self.at, seq=reading.seq, truth=chance.choice(reading.choices)[1])
            )

    @rule(chance=chances)
    def put_right_by_hand(self, chance: Random) -> None:
        view = self.rules.view(self.referee.state)
        told: list[tuple[str, str | int]] = [
            (field.name, chance.choice(field.choices)) for field in view.fields if field.choices
        ]
        told += [(name, chance.choice((value, 0, 1, 2, 3))) for name, value in view.table]
        table = tuple(chance.sample(told, k=min(len(told), chance.choice((1, 1, 2)))))
        self._observe(ob.TableDeclared(at=self.at, table=table))

    @rule(after=st.sampled_from((100_000, 2 * SECOND, 11 * SECOND)))
    def nothing_happens(self, after: int) -> None:
        self._later(after)

    @rule(seen=st.sampled_from((ob.PauseRequested, ob.ResumeRequested, ob.CameraLost, ob.CameraRecovered)))
    def the_table_is_interrupted(self, seen: Any) -> None:
        self._observe(seen(at=self.at))
        if seen is ob.PauseRequested:
            self._observe(ob.ResumeRequested(at=self.at))

    @rule()
    def ended_and_gone_on_with(self) -> None:
        self._observe(ob.AbandonRequested(at=self.at))
        self._observe(ob.UndoRequested(at=self.at))

    @rule()
    def the_program_is_started_again(self) -> None:
        journal = self.referee.journal
        first = header_line(journal.header)
        lines = list(entry_lines(journal.header, journal.entries, first))
        header, entries = JournalCodec(self.rules).read(first, lines)
        state = self.referee.state
        self.referee = Referee(self.rules, MemoryJournal(header, entries))
        self.history = JournalHistory(self.referee)
        assert self.referee.state == state
        self._observe(ob.ProgramRestarted(at=self.at))

    # What is watched --------------------------------------------------------------------------------------

    def _later(self, after: int) -> None:
        self.at = max(self.at, self.referee.at) + after
        while (timer := self.referee.next_timer()) is not None and timer.due < self.at:
            self._judged(ob.TimerElapsed(at=timer.due, timer=timer.name))

    def _observe(self, seen: Any) -> None:
        if not self.rules.is_open(self.referee.state):
            self.at = max(self.at, self.referee.at, seen.at)
            if not isinstance(seen, ob.TimerElapsed):
                self._later(0)
            if not self.rules.is_open(self.referee.state):
                self._judged(seen)

    def _judged(self, seen: Any) -> None:
        referee, rules, onlooker = self.referee, self.rules, self.onlooker
        corrects = isinstance(seen, ob.CorrectionRequested)
        then = referee.state_to_correct(seen.seq) if corrects else referee.state
        entry = referee.observe(seen)
        if rules.is_open(referee.state):
            return
        view = rules.view(referee.state)
        onlooker.watch(entry, rules.redact(then), rules.redact(referee.state), view)
        strange = list(onlooker.menu_names(view))
        assert not strange, f"{strange} stand in the menu after {entry.cause}"
        told = [view.headline, view.hint, *(chair.note for chair in view.chairs)]
        again = entry.corrects is not None
        told += [rules.sentence(referee.state, event, log=again) for event in referee.new_events(entry)]
        told += [*referee.undo_instructions(), referee.headline_after_undo()]
        for sentence in told:
            strange = list(onlooker.names(sentence))
            assert not strange, f"{sentence} names {strange} after {entry.cause}"
        going, reading = self.history.next_undo(), self.history.last_reading()
        lines = [(line.seq, line.sentence) for line in self.history.recent_lines()]
        lines += [(line.seq, line.sentence) for line in (going, reading) if line is not None]
        for seq, sentence in lines:
            strange = list(onlooker.log_names(seq, sentence))
            assert not strange, f"the log names {strange} of entry {seq} after {entry.cause}"

    def teardown(self) -> None:
        """A replay of the game names no more than lies open now."""
        if self.rules.is_open(self.referee.state):
            return
        journal = self.referee.journal
        public = self.onlooker.public()
        for step in replay_steps(self.rules, journal.header, journal.entries):
            shown = face_names(card for place in step.view.places for card in (place.card, *place.on_top))
            assert shown <= public, f"a replay shows {sorted(shown - public)} in entry {step.seq}"


class Kabuki(Watched):
    game = "kabuki"

    @rule(chance=chances)
    def masks_wait(self, chance: Random) -> None:
        """Somebody stops, and meanwhile more comes to lie on one stack."""
        stops = [one for one in self.rules.legal_actions(self.referee.state) if one.verb == "stop"]
        if not stops:
            return
        self._observe(ob.ActionDeclared(at=self.at, action=min(stops, key=str)))
        self._later(9 * SECOND)
        place = f"stack:{chance.randint(1, 4)}"
        for _ in range(3):
            self._later(SECOND)
            self._read(chance, [place])


class Kinapa(Watched):
    game = "kinapa"


class Kobayakawa(Watched):
    game = "kobayakawa"


class Dnup(Watched):
    game = "dnup"


MACHINES: tuple[type[Watched], ...] = (Kabuki, Kinapa, Kobayakawa, Dnup)
NOTHING_COVERED = {"hearts", "spades", "euchre", "roses", "in_order"}
"""Whose referee knows no card that lies face down: what was played, turned over or laid stays public."""


@pytest.mark.slow
@pytest.mark.timeout(900)  # Hypothesis shrinks a find for up to 300 s, and then tells it
@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_is_named_that_was_covered_since_it_lay_open(machine: type[Watched]) -> None:
    many = settings(
        derandomize="LEAK_STEPS" not in os.environ,  # chance belongs to make fuzz
        max_examples=max(1, MANY // STEPS // len(MACHINES)),
        stateful_step_count=STEPS,
        deadline=None,
    )
    run_state_machine_as_test(machine, settings=many)


def test_every_game_is_watched() -> None:
    assert (
        {machine.game for machine in MACHINES}
        == set(FEW)
        == {name for name, rules in RULES.items() if rules.reads_cards} - NOTHING_COVERED
    )
