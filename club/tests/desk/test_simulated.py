"""Simulated tables of an evening: real games, told as a table's uplink tells them, through a real hub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from queue import SimpleQueue
from random import Random

import pytest
from sqlalchemy import select

from club.tests.hub.evening import hub
from companion.core.actions import SECOND
from companion.games import RULES
from companion.referee.journal import json_lines as journal_lines
from companion.referee.journal import replay_state
from companion_club import messages
from companion_club.desk import actions
from companion_club.desk.actions import Actor
from companion_club.desk.event import load_event
from companion_club.desk.simulated_evening import (
    NAMES,
    SimulatedClub,
    SimulatedClubOptions,
    SimulatedClubTable,
    prepare_event,
)
from companion_club.desk.web_app import DeskApp
from companion_club.hub import model
from companion_club.hub.ingest import is_complete, stored_lines
from companion_club.hub.transport import Loopback, do_nothing

BY = Actor(None, "Olga")


@pytest.fixture
def desk(desk: DeskApp) -> DeskApp:
    """One whose club is called as in its topics."""
    return DeskApp(desk.engine, club="club")


@pytest.mark.parametrize("game", ["", "kobayakawa"])
def test_a_round_is_played_by_its_tables_and_every_result_is_what_its_journal_says(
    desk: DeskApp, game: str
) -> None:
    event = prepare_event(desk, SimulatedClubOptions(tables=2, game=game))
    with hub(desk.engine, "club") as evening:
        tables = [
            SimulatedClubTable(
                f"table-{number}",
                f"Table {number}",
                Random(number),
                evening.loopback,
                later=lambda going, after: None,
            )
            for number in (1, 2)
        ]
        tasks: dict[str, messages.TableTask] = {}
        for table in tables:
            evening.loopback.add_table(
                table.slug,
                lambda kind, payload, slug=table.slug: keep(tasks, slug, kind, payload),  # type: ignore[misc]
            )
            table.send_status()
        evening.say(
            "table-1", "call", messages.encode_payload(messages.JudgeCall("x", ""))
        )  # all before it is committed
        with desk.writing_sessions.begin() as session:
            actions.draw_round(session, BY, event, 0)
            last = load_event(session, event).last
            assert last is not None
            actions.announce_round(session, BY, last.id, last.revision)
        for table in tables:
            evening.say(table.slug, "call", messages.encode_payload(messages.JudgeCall("y", "")))
            while table.slug not in tasks:  # the hub looks for what the desk changed
                evening.say(table.slug, "call", messages.encode_payload(messages.JudgeCall("y", "")))
            assert list(table.play_task(tasks[table.slug]))
        evening.say("table-1", "call", messages.encode_payload(messages.JudgeCall("z", "")))
    with desk.reading_sessions() as session:
        known = load_event(session, event)
        assert known.rounds[0].open_pod_count == 0
        games = session.scalars(select(model.GameRecord)).all()
        assert len(games) == 2
        for one in games:
            assert is_complete(one)
            raw = b"\n".join(stored_lines(session, one)) + b"\n"
            header, entries = journal_lines.parse_journal(raw, RULES)
            rules = RULES[header.game]
            outcome = rules.outcome(replay_state(rules, header.setup.with_options(rules.options), entries))
            assert outcome is not None
            assert list(outcome.winners) == one.outcome["winners"]
            assert header.names == ()


def keep(tasks: dict[str, messages.TableTask], slug: str, kind: str, payload: bytes) -> None:
    if kind == "task" and payload:
        tasks[slug] = messages.decode_payload(kind, payload)


def test_a_call_outlasts_a_fast_game_by_a_minute_of_real_time() -> None:
    said: list[messages.JudgeCall] = []
    later: list[tuple[Iterator[int], int]] = []

    class Listens(Loopback):
        def publish_from_table(
            self, table: str, kind: str, payload: bytes, done: Callable[[], None] = do_nothing
        ) -> None:
            call = messages.decode_payload(kind, payload) if kind == "call" else None
            said.extend([call] if call is not None else [])

    table = SimulatedClubTable(
        "table-1", "Table 1", Random(3), Listens("club"), later=lambda *planned: later.append(planned)
    )
    task = messages.TableTask(id="0" * 32, round=1, expires="", game="kinapa", players=("Ada", "Ben", "Cleo"))
    while not said:
        assert list(table.play_task(task))
    assert [one.taken_back for one in said] == [False]
    (going, after), *_ = later
    assert after == 60 * SECOND
    assert list(going) == []
    assert [one.taken_back for one in said] == [False, True]
    assert said[0].id == said[1].id


def test_simulated_people_have_names_of_their_own(desk: DeskApp) -> None:
    wish = SimulatedClubOptions(tables=30)
    assert len(set(NAMES)) == len(NAMES)
    event = prepare_event(desk, wish)
    with desk.reading_sessions() as session:
        assert len(set(load_event(session, event).names.values())) == wish.people == 119


def test_an_evening_that_goes_by_itself_ends_with_every_result(desk: DeskApp) -> None:
    wish = SimulatedClubOptions(
        tables=2, speed=1e9, rounds=2, game="kobayakawa", seating_time=0, round_break=0
    )
    event = prepare_event(desk, wish)
    said: SimpleQueue[str] = SimpleQueue()
    with SimulatedClub(desk, wish, event, say=said.put).run_in_thread():
        assert said.get(timeout=120).startswith("The evening is over")
    with desk.reading_sessions() as session:
        evening = load_event(session, event)
    assert [one.state for one in evening.rounds] == ["over", "announced"]
    assert [one.open_pod_count for one in evening.rounds] == [0, 0]
    assert sum(line.points for line in evening.lines) == 2 * wish.people


def test_rounds_that_are_left_to_the_organiser_wait(desk: DeskApp) -> None:
    wish = SimulatedClubOptions(tables=1, by_hand=True)
    event = prepare_event(desk, wish)
    with SimulatedClub(desk, wish, event).run_in_thread():
        pass
    with desk.reading_sessions() as session:
        assert load_event(session, event).rounds == ()
