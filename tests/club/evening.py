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

from companion.club import people
from companion.club.hub import Hub
from companion.club.messages import Piece, Player, Result, Status, digest, encoded, game_id
from companion.club.model import Event as EventRow
from companion.club.model import Game, Pod, PodSeat, Round, Table
from companion.club.transport import Ended, Inbox, Loopback
from companion.core.actions import Outcome
from companion.core.events import Event
from companion.core.rules import REVISION
from companion.games import RULES
from companion.referee.journal import Entry, Header, replay
from companion.referee.journal import lines as journal_lines

PLAYTHROUGHS = Path(__file__).parent.parent / "playthroughs"
COLOURS = ("red", "blue", "green", "yellow", "purple", "orange", "pink", "white")
NOON = "2026-11-25T12:00:00+00:00"
TASK = "7a5c"
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
    ) -> Result:
        """The version after that many entries; None: after all, with its outcome."""
        entries = len(self.lines) - 1 if upto is None else upto
        told = {
            "store": store,
            "game_id": game_id(store, key),
            "entries": entries,
            "outcome": self.outcome if upto is None else None,
            "game": self.game,
            "players": tuple(
                Player(chair, COLOURS[chair], names[at] if at < len(names) else "")
                for at, chair in enumerate(self.chairs)
            ),
            "began": NOON,
            "ended": NOON,
            "digest": digest(self.lines) if upto is None else "",
        }
        return Result(**{**told, **more})  # type: ignore[arg-type]

    def pieces(self, game: str, *, size: int = 100) -> Iterator[Piece]:
        whole, sha = len(self.lines), digest(self.lines)
        for first in range(0, whole, size):
            yield Piece(
                game_id=game, first=first, lines=self.lines[first : first + size], total=whole, digest=sha
            )


@cache
def recorded() -> tuple[Recorded, ...]:
    """Whole games of every kind, from the playthroughs of the checkout; a name is in none of them."""
    found = []
    for file in sorted(PLAYTHROUGHS.rglob("*.jsonl")):
        raw = file.read_bytes()
        header, entries = journal_lines.parse(raw, RULES)
        rules = RULES[header.game]
        outcome = rules.outcome(replay(rules, header.setup.under(rules.options), entries))
        if outcome is None or not outcome.winners:
            continue
        nameless = msgspec.structs.replace(header, names=(), rules=REVISION, kind="game", date=NOON)
        whole = journal_lines.text(nameless, entries).decode().splitlines()
        found.append(Recorded(header.game, tuple(whole), header.setup.chairs, outcome, nameless, entries))
    assert found
    return tuple(found)


def status(store: str, *, online: bool = True, results: int = 0, entries: int = 0, **more: object) -> bytes:
    told = {"run": "1", "program": "0.1.0", "store": store, "name": "Table", **more}
    return encoded(Status(online=online, results=results, entries=entries, **told))  # type: ignore[arg-type]


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
        self.loopback.say(table, kind, payload, committed.set)
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

    def tell(self, table: str, result: Result) -> None:
        self.say(table, "result", encoded(result))


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
        inbox.put(Ended())
        thread.join(LONGEST_S)
        assert not thread.is_alive()


def games(engine: Engine) -> list[Game]:
    with Session(engine.execution_options(reads=True), expire_on_commit=False) as session:
        found = list(session.scalars(select(Game).order_by(Game.id)))
        for game in found:
            _ = game.seats, game.versions, game.table
        return found


def kept(engine: Engine, row: type[Any]) -> list[Any]:
    with Session(engine.execution_options(reads=True), expire_on_commit=False) as session:
        return list(session.scalars(select(row)))


def an_event(session: Session, names: tuple[str, ...], *, table: Table) -> Pod:
    """A running event whose first round has one pod at that table."""
    event = EventRow(name="Wednesday", seed="s", state="running", game="kabuki", made=NOON)
    event.rounds = [Round(number=1, state="announced", made=NOON, announced=NOON)]
    session.add(event)
    session.flush()
    pod = Pod(round_id=event.rounds[0].id, number=1, table_id=table.id, task=TASK)
    for chair, player in enumerate(people.enter_all(session, names, now=NOON)):
        pod.seats.append(PodSeat(round_id=pod.round_id, player_id=player.id, chair=chair))
    session.add(pod)
    return pod
