"""What the table tells at its door: only what is durable, each thing once, and beats when they fall."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.core.events import Event
from companion.core.view import Sentence
from companion.network.messages import (
    CountBeat,
    FromTable,
    GuidanceMessage,
    PhotoFinishMessage,
    RulingMessage,
    TableSnapshot,
)
from companion.referee.journal import StorageFailure
from companion.table.frames import most_pressing_trouble
from companion.table.remote.public_view import PublicTable
from companion.table.session import Session
from tests.table.loop import FIRST_BEAT, MILLI, ListVoice, SlowJournal, kinapa_count, kinapa_game

COMMIT: Micros = 250 * MILLI


class Kept:
    """A door that keeps what it is told, with its instant."""

    def __init__(self, clock: ManualClock) -> None:
        self.has_readers = True
        self.connection_count = 1
        self.told: list[tuple[Micros, FromTable]] = []
        self._clock = clock

    def broadcast(self, message: FromTable) -> None:
        self.told.append((self._clock.now(), message))

    def of(self, kind: type) -> list[tuple[Micros, Any]]:
        return [(at, one) for at, one in self.told if isinstance(one, kind)]


class Table:
    """A game of Kinapa with a journal that takes `COMMIT` to write, looked at every 5 ms."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.journal = SlowJournal(self.clock, COMMIT)
        self.game = kinapa_game(self.journal)
        self.session = Session(self.game, clock=self.clock, voice=ListVoice(self.clock, available=True))
        self.door = Kept(self.clock)
        self.public = PublicTable(self.door, ("red", "blue", "green", "yellow"))

    def run(self, until: Micros, *reports: tuple[Micros, Any]) -> None:
        waiting = sorted(reports, key=lambda one: one[0])
        while self.clock.now() < until:
            self.clock.move_to(self.clock.now() + 5 * MILLI)
            while waiting and waiting[0][0] <= self.clock.now():
                self.session.submit(waiting.pop(0)[1])
            self.session.step()
            self.public.send_changes(self.session, self.clock.now())


@pytest.fixture
def table() -> Table:
    return Table()


def test_nothing_is_told_before_it_is_durable(table: Table) -> None:
    table.run(6 * SECOND, *kinapa_count())
    views, lines = table.door.of(TableSnapshot), table.door.of(RulingMessage)
    assert [view.seq for _, view in views if view.seq >= 0]
    assert lines
    for at, told in (*views, *lines):
        assert told.seq < 0 or at >= table.journal.when_durable(told.seq), told
    by_seq = {view.seq: view for _, view in views}
    for seq, view in by_seq.items():
        state = table.game.referee.state_before(seq + 1)
        assert view.headline == table.game.referee.rules.view(state).headline


@pytest.mark.parametrize("key", ["full", "readonly", "locked", "lost"])
def test_while_nothing_can_be_written_the_table_says_why_as_its_screen_does(table: Table, key: str) -> None:
    table.run(2 * SECOND, *kinapa_count())
    table.journal.trouble = StorageFailure(f"storage.{key}", "no room")
    table.run(5 * SECOND, *((at, seen) for at, seen in kinapa_count() if at > 2 * SECOND))
    told = [view.why_unsaved for _, view in table.door.of(TableSnapshot)]
    assert told[0] is None
    assert told[-1] == most_pressing_trouble(table.session, table.clock.now())
    assert told[-1] == Sentence(f"shared.alarm.storage.{key}")


def test_a_beat_is_told_once_and_never_before_it_falls(table: Table) -> None:
    table.run(9 * SECOND, *kinapa_count())
    beats = table.door.of(CountBeat)
    assert [beat.beat for _, beat in beats] == [1, 2, 3]
    for at, beat in beats:
        assert at >= FIRST_BEAT + (beat.beat - 1) * SECOND
    assert all(at < FIRST_BEAT + beat.beat * SECOND for at, beat in beats)
    assert b"first_beat" not in repr([view for _, view in table.door.of(TableSnapshot)]).encode()


def test_nothing_is_made_while_nobody_reads_and_who_comes_is_not_told_what_was_said(table: Table) -> None:
    table.door.has_readers = False
    table.run(6 * SECOND, *kinapa_count())
    assert table.door.told == []
    table.door.has_readers = True
    table.run(6 * SECOND + 5 * MILLI)
    assert [type(one) for _, one in table.door.told] == [
        PhotoFinishMessage,
        GuidanceMessage,
        TableSnapshot,
        CountBeat,
    ]


def test_a_new_reader_has_everything_that_stands_told_anew(table: Table) -> None:
    table.run(2 * SECOND, *kinapa_count())
    before = table.door.of(TableSnapshot)[-1][1]
    table.door.told.clear()
    table.run(3 * SECOND - 5 * MILLI)
    assert table.door.told == []
    table.door.connection_count += 1
    table.run(3 * SECOND)
    assert [one for _, one in table.door.told] == [PhotoFinishMessage(None), GuidanceMessage(None), before]


def test_no_game_is_told_once(table: Table) -> None:
    for _ in range(3):
        table.public.send_changes(None, 0)
    assert [one for _, one in table.door.told] == [
        PhotoFinishMessage(None),
        GuidanceMessage(None),
        TableSnapshot(),
    ]


def test_what_was_taken_back_is_told_as_the_table_before_it(table: Table) -> None:
    table.run(2 * SECOND, *kinapa_count())
    table.run(3 * SECOND, (2 * SECOND + MILLI, ob.UndoRequested(at=2 * SECOND + MILLI)))
    views = [view for _, view in table.door.of(TableSnapshot)]
    assert views[-1].seq > views[-2].seq
    assert views[-1].headline == views[0].headline


def test_no_event_of_the_game_is_in_what_is_told() -> None:
    """Only words and values of the view: an event would bring along what it hides."""
    assert not any(
        issubclass(kind, Event)
        for kind in (TableSnapshot, RulingMessage, CountBeat, PhotoFinishMessage, GuidanceMessage)
    )
