"""What tests of the hub share: a table that speaks, real journals, and a hub that runs until it is idle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Event as Happened
from threading import Thread
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from companion.core.actions import Outcome
from companion.core.clock import wall_time
from companion.core.events import Event
from companion.core.rules import RULES_REVISION
from companion.games import RULES
from companion.referee.journal import Entry, Header, replay_state
from companion.referee.journal import json_lines as journal_lines
from companion_club.hub import people
from companion_club.hub.hub import Hub
from companion_club.hub.model import EventRecord as EventRow
from companion_club.hub.model import GameRecord, PodRecord, PodSeat, RoundRecord, TableRecord
from companion_club.hub.transport import Inbox, Loopback, TransportEnded
from companion_club.messages import (
    GameResult,
    JournalSlice,
    ResultPlayer,
    Status,
    encode_payload,
    journal_digest,
    make_game_id,
)

PLAYTHROUGHS = Path(__file__).parents[3] / "tests" / "playthroughs"
COLOURS = ("red", "blue", "green", "yellow", "purple", "orange", "pink", "white")
NOON = "2026-11-25T12:00:00+00:00"
TASK = "7a5c"
PROOF = "5a" * 32
"""What a table says of its store, unless a test says otherwise."""
LONGEST_S = 60
"""A hub that takes so long has failed."""


class Recorded(NamedTuple):
    """A game that was really played and refereed, as a table would send it."""

    game: str
    lines: tuple[str, ...]
    chairs: tuple[int, ...]
    outcome: Outcome
    """After the last line."""
    header: Header
    entries: Sequence[Entry[Event]]

    def result(
        self, store: str, key: str, *, upto: int | None = None, names: Sequence[str] = (), **more: object
    ) -> GameResult:
        """The version after that many entries; None: after all, with its outcome."""
        entries = len(self.lines) - 1 if upto is None else upto
        told = {
            "store": store,
            "store_proof": PROOF,
            "game_id": make_game_id(store, key),
            "entries": entries,
            "outcome": self.outcome if upto is None else None,
            "game": self.game,
            "players": tuple(
                ResultPlayer(chair, COLOURS[chair], names[at] if at < len(names) else "")
                for at, chair in enumerate(self.chairs)
            ),
            "began": NOON,
            "ended": NOON,
            "digest": journal_digest(self.lines) if upto is None else "",
        }
        return GameResult(**{**told, **more})  # type: ignore[arg-type]

    def pieces(self, game: str, *, size: int = 100) -> Iterator[JournalSlice]:
        whole, sha = len(self.lines), journal_digest(self.lines)
        for first in range(0, whole, size):
            yield JournalSlice(
                game_id=game, first=first, lines=self.lines[first : first + size], total=whole, digest=sha
            )


@cache
def recorded() -> tuple[Recorded, ...]:
    """Whole games of every kind, from the playthroughs of the checkout; a name is in none of them.

    First those that somebody lost: where everybody has won, no other winner can be told.
    """
    found = []
    for file in sorted(PLAYTHROUGHS.rglob("*.jsonl")):
        raw = file.read_bytes()
        header, entries = journal_lines.parse_journal(raw, RULES)
        rules = RULES[header.game]
        outcome = rules.outcome(replay_state(rules, header.setup.with_options(rules.options), entries))
        if outcome is None or not outcome.winners:
            continue
        nameless = msgspec.structs.replace(header, names=(), rules=RULES_REVISION, kind="game", date=NOON)
        whole = journal_lines.encode_journal(nameless, entries).decode().splitlines()
        found.append(Recorded(header.game, tuple(whole), header.setup.chairs, outcome, nameless, entries))
    assert found
    return tuple(sorted(found, key=lambda one: len(one.outcome.winners) == len(one.chairs)))


def status(store: str, *, online: bool = True, results: int = 0, entries: int = 0, **more: object) -> bytes:
    told = {"run": "1", "program": "0.1.0", "store": store, "store_proof": PROOF, "name": "Table"}
    return encode_payload(Status(online=online, results=results, entries=entries, **{**told, **more}))  # type: ignore[arg-type]


class Evening:
    """A loopback with a hub behind it; what was said is committed when a call of `say` is over."""

    def __init__(self, engine: Engine, inbox: Inbox, club: str) -> None:
        self.engine = engine
        self.loopback = Loopback(club)
        self.inbox = inbox
        self.said: list[str] = []
        self.spoke = Happened()

    def say(self, table: str, kind: str, payload: bytes) -> None:
        """A table says something, and waits until the hub lets go of it."""
        committed = Happened()
        self.loopback.publish_from_table(table, kind, payload, committed.set)
        assert committed.wait(LONGEST_S), self.said

    def until(self, so: Callable[[], bool]) -> None:
        """Wait until the hub has said something that makes it so."""
        while not so():
            self.spoke.clear()
            if not so():
                assert self.spoke.wait(LONGEST_S), self.said

    def hear(self, sentence: str) -> None:
        self.said.append(sentence)
        self.spoke.set()

    def tell(self, table: str, result: GameResult) -> None:
        self.say(table, "result", encode_payload(result))


@contextmanager
def hub(engine: Engine, club: str = "club") -> Iterator[Evening]:
    """A hub that runs in a thread of its own as long as the block."""
    inbox = Inbox()
    evening = Evening(engine, inbox, club)
    working = Hub(engine, club, evening.loopback, inbox, say=evening.hear)
    thread = Thread(target=working.run, name="hub", daemon=True)
    thread.start()
    evening.loopback.connect(inbox)
    try:
        yield evening
    finally:
        inbox.put(TransportEnded())
        thread.join(LONGEST_S)
        assert not thread.is_alive()


def games(engine: Engine) -> list[GameRecord]:
    with Session(engine.execution_options(reads=True), expire_on_commit=False) as session:
        found = list(session.scalars(select(GameRecord).order_by(GameRecord.id)))
        for game in found:
            _ = game.seats, game.versions, game.table
        return found


def kept(engine: Engine, row: type[Any]) -> list[Any]:
    with Session(engine.execution_options(reads=True), expire_on_commit=False) as session:
        return list(session.scalars(select(row)))


def an_event(session: Session, names: tuple[str, ...], *, table: TableRecord) -> PodRecord:
    """A running event whose first round has one pod at that table."""
    event = EventRow(name="Wednesday", seed="s", state="running", game="kabuki", made=NOON)
    event.rounds = [RoundRecord(number=1, state="announced", made=NOON, announced=wall_time())]
    session.add(event)
    session.flush()
    pod = PodRecord(round_id=event.rounds[0].id, number=1, table_id=table.id, task=TASK)
    for chair, player in enumerate(people.add_players(session, names, now=NOON)):
        pod.seats.append(PodSeat(round_id=pod.round_id, player_id=player.id, chair=chair))
    session.add(pod)
    return pod
