"""What passes between a desk and a table through a real broker: calls, tasks, and clocks that differ."""

from __future__ import annotations

from typing import Any

import pytest

from club.tests.uplink.club_tables import ClubListener, told_all, uplinked
from companion.core.clock import add_to_wall_time, wall_time
from companion.network import uplink_messages as door
from companion.network.uplink_messages import JudgeCall
from companion_club import messages as club
from tests.home.played import GAME, played, simulated
from tests.home.uplinked_tables import Table, heard_at, noted, online


def test_a_judge_is_called_once_however_often_the_table_says_it(table: Table, listener: ClubListener) -> None:
    call = JudgeCall("c1", "2026-11-25T20:00:00+00:00")
    with uplinked(table):
        listener.until(online)
        for _ in range(3):
            table.door.broadcast(door.JudgeCallMessage(call))
        assert listener.next("call").read() == call
        back = JudgeCall("c1", "2026-11-25T20:00:00+00:00", taken_back=True)
        table.door.broadcast(door.JudgeCallMessage(back))
        assert listener.next("call").read() == back


def task(**more: Any) -> club.TableTask:
    now = wall_time()
    plain = {"id": "t1", "round": 2, "expires": add_to_wall_time(now, 3600 * 10**6), "game": GAME, "at": now}
    return club.TableTask(**{**plain, **more})


def test_a_task_is_shown_answered_by_its_game_and_shown_no_more(table: Table, listener: ClubListener) -> None:
    topic = club.make_topic("home", "table", "task")
    listener.publish(topic, club.encode_payload(task()), retain=True, expires_s=600)
    with uplinked(table):
        shown = heard_at(table, lambda said: isinstance(said, door.NextTask) and said.task is not None)
        assert (shown.task.id, shown.task.round) == ("t1", 2)
        number = played(table.path)
        table.door.broadcast(door.CurrentGame(number, GAME, 3, over=False))
        table.door.broadcast(door.CurrentGame(number, GAME, len(simulated(1)[0]), over=True))
        heard = listener.until(lambda said: said.kind == "done")
        (result,) = [one.read() for one in heard if one.kind == "result"]
        assert heard[-1].read() == club.TaskDone("t1", result.game_id)
        assert result.task == "t1"
        heard_at(table, lambda said: said == door.NextTask(None))
    while not table.door.incoming_tasks.empty():
        table.door.incoming_tasks.get_nowait()
    with uplinked(table):  # the retained task comes again
        listener.until(online)
        assert heard_at(table, lambda said: isinstance(said, door.NextTask)) == door.NextTask(None)


@pytest.mark.parametrize(("expires_s", "expires"), [(None, "2020-01-01T00:00:00+00:00"), (None, "never")])
def test_a_task_whose_time_is_over_is_ignored(
    table: Table, listener: ClubListener, expires_s: int | None, expires: str
) -> None:
    topic = club.make_topic("home", "table", "task")
    listener.publish(topic, club.encode_payload(task(expires=expires)), retain=True, expires_s=expires_s)
    with uplinked(table):
        assert heard_at(table, lambda said: isinstance(said, door.NextTask)) == door.NextTask(None)


def test_a_clock_a_day_ahead_ignores_no_task_is_told_and_loses_no_result(
    table: Table, listener: ClubListener
) -> None:
    """The desk's clock is a day behind the table's: its task lives as long as the broker says."""
    topic = club.make_topic("home", "table", "task")
    yesterday = add_to_wall_time(wall_time(), -24 * 3600 * 10**6)
    played(table.path)
    with uplinked(table):
        listener.until(told_all(1))
        listener.publish(
            topic,
            club.encode_payload(task(expires=add_to_wall_time(yesterday, 10**9), at=yesterday)),
            retain=True,
            expires_s=600,
        )
        shown = heard_at(table, lambda said: isinstance(said, door.NextTask) and said.task is not None)
        assert shown.task.id == "t1"
        assert listener.until(lambda said: online(said) and bool(said.read().trouble))[-1].read().trouble == (
            "ui.club.clock"
        )
        listener.publish(
            club.make_topic("home", "table", "ask"), club.encode_payload(club.ResendRequest(at=wall_time()))
        )
        listener.until(lambda said: online(said) and not said.read().trouble)
    assert noted(table)["trouble"] == ""
