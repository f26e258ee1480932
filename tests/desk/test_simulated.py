"""Simulated tables of an evening: real games, told as a table's uplink tells them, through a real hub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from queue import SimpleQueue
from random import Random

import pytest
from sqlalchemy import select

from companion.club import messages, model
from companion.club.journals import is_whole, lines_of
from companion.club.transport import Loopback, nothing
from companion.core.actions import SECOND
from companion.desk import deeds
from companion.desk.deeds import By
from companion.desk.evening import load
from companion.desk.simulated import NAMES, Room, Table, Wish, prepared
from companion.desk.site import Desk
from companion.games import RULES
from companion.referee.journal import lines as journal_lines
from companion.referee.journal import replay
from tests.club.evening import hub

BY = By(None, "Olga")


@pytest.fixture
def desk(desk: Desk) -> Desk:
    """One whose club is called as in its topics."""
    return Desk(desk.engine, club="club")


@pytest.mark.parametrize("game", ["", "kobayakawa"])
def test_a_round_is_played_by_its_tables_and_every_result_is_what_its_journal_says(
    desk: Desk, game: str
) -> None:
    event = prepared(desk, Wish(tables=2, game=game))
    with hub(desk.engine, "club") as evening:
        tables = [
            Table(
                f"table-{number}",
                f"Table {number}",
                Random(number),
                evening.loopback,
                later=lambda going, after: None,
            )
            for number in (1, 2)
        ]
        tasks: dict[str, messages.Task] = {}
        for table in tables:
            evening.loopback.join(
                table.slug,
                lambda kind, payload, slug=table.slug: keep(tasks, slug, kind, payload),  # type: ignore[misc]
            )
            table.status()
        evening.say("table-1", "call", messages.encoded(messages.Call("x", "")))  # all before it is committed
        with desk.writing.begin() as session:
            deeds.draw_round(session, BY, event, 0)
            last = load(session, event).last
            assert last is not None
            deeds.announce(session, BY, last.id, last.revision)
        for table in tables:
            evening.say(table.slug, "call", messages.encoded(messages.Call("y", "")))
            while table.slug not in tasks:  # the hub looks for what the desk changed
                evening.say(table.slug, "call", messages.encoded(messages.Call("y", "")))
            assert list(table.played(tasks[table.slug]))
        evening.say("table-1", "call", messages.encoded(messages.Call("z", "")))
    with desk.reading() as session:
        known = load(session, event)
        assert known.rounds[0].open == 0
        games = session.scalars(select(model.Game)).all()
        assert len(games) == 2
        for one in games:
            assert is_whole(one)
            raw = b"\n".join(lines_of(session, one)) + b"\n"
            header, entries = journal_lines.parse(raw, RULES)
            rules = RULES[header.game]
            outcome = rules.outcome(replay(rules, header.setup.under(rules.options), entries))
            assert outcome is not None
            assert list(outcome.winners) == one.outcome["winners"]
            assert header.names == ()


def keep(tasks: dict[str, messages.Task], slug: str, kind: str, payload: bytes) -> None:
    if kind == "task" and payload:
        tasks[slug] = messages.decoded(kind, payload)


def test_a_call_outlasts_a_fast_game_by_a_minute_of_real_time() -> None:
    said: list[messages.Call] = []
    later: list[tuple[Iterator[int], int]] = []

    class Listens(Loopback):
        def say(self, table: str, kind: str, payload: bytes, done: Callable[[], None] = nothing) -> None:
            call = messages.decoded(kind, payload) if kind == "call" else None
            said.extend([call] if call is not None else [])

    table = Table(
        "table-1", "Table 1", Random(3), Listens("club"), later=lambda *planned: later.append(planned)
    )
    task = messages.Task(id="0" * 32, round=1, expires="", game="kinapa", players=("Ada", "Ben", "Cleo"))
    while not said:
        assert list(table.played(task))
    assert [one.taken_back for one in said] == [False]
    (going, after), *_ = later
    assert after == 60 * SECOND
    assert list(going) == []
    assert [one.taken_back for one in said] == [False, True]
    assert said[0].id == said[1].id


def test_simulated_people_have_names_of_their_own(desk: Desk) -> None:
    wish = Wish(tables=30)
    assert len(set(NAMES)) == len(NAMES)
    event = prepared(desk, wish)
    with desk.reading() as session:
        assert len(set(load(session, event).names.values())) == wish.people == 119


def test_an_evening_that_goes_by_itself_ends_with_every_result(desk: Desk) -> None:
    wish = Wish(tables=2, speed=1e9, rounds=2, game="kobayakawa", settles=0, rests=0)
    event = prepared(desk, wish)
    said: SimpleQueue[str] = SimpleQueue()
    with Room(desk, wish, event, say=said.put).running():
        assert said.get(timeout=120).startswith("The evening is over")
    with desk.reading() as session:
        evening = load(session, event)
    assert [one.state for one in evening.rounds] == ["over", "announced"]
    assert [one.open for one in evening.rounds] == [0, 0]
    assert sum(line.points for line in evening.lines) == 2 * wish.people


def test_rounds_that_are_left_to_the_organiser_wait(desk: Desk) -> None:
    wish = Wish(tables=1, by_hand=True)
    event = prepared(desk, wish)
    with Room(desk, wish, event).running():
        pass
    with desk.reading() as session:
        assert load(session, event).rounds == ()
