"""Open pages are told that something changed, once, and let go when the desk ends."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
import pytest
from sqlalchemy.exc import OperationalError

from companion_club.desk import web_app
from companion_club.desk.web_app import ChangeFeed

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_page_is_told_the_number_now_and_each_other_one_after(anyio_backend: str) -> None:
    pulse = ChangeFeed(lambda: 0)
    pulse.publish(4)
    stream = pulse.stream(lambda: True)
    assert await anext(stream) == b"data: 4\n\n"
    told: list[bytes] = []

    async def wait() -> None:
        told.append(await anext(stream))

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        await anyio.lowlevel.checkpoint()
        pulse.publish(4)
        pulse.publish(7)
    assert told == [b"data: 7\n\n"]


async def test_a_change_that_comes_while_a_page_reads_is_not_missed() -> None:
    pulse = ChangeFeed(lambda: 0)
    pulse.publish(1)
    stream = pulse.stream(lambda: True)
    await anext(stream)
    pulse.publish(2)
    pulse.publish(3)
    assert await anext(stream) == b"data: 3\n\n"


async def test_a_stream_without_news_says_that_it_is_there_so_that_a_page_knows_of_one_that_is_held_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(web_app, "KEEP_ALIVE_S", 0)
    pulse = ChangeFeed(lambda: 0)
    stream = pulse.stream(lambda: True)
    await anext(stream)
    assert await anext(stream) == b"event: alive\ndata: 1\n\n", "an event: a page hears of no comment"


async def test_a_session_that_ended_ends_its_stream() -> None:
    pulse, lasts = ChangeFeed(lambda: 0), [True]
    pulse.publish(1)
    stream = pulse.stream(lambda: lasts[0])
    await anext(stream)
    lasts[0] = False
    pulse.publish(2)
    assert await rest(stream) == []


async def test_everybody_is_let_go_when_the_desk_ends() -> None:
    pulse = ChangeFeed(lambda: 0)
    pulse.publish(1)
    streams = [pulse.stream(lambda: True) for _ in range(3)]
    for stream in streams:
        await anext(stream)
    pulse.close()
    assert [await rest(stream) for stream in streams] == [[], [], []]


async def test_a_database_that_is_away_is_asked_again(caplog: pytest.LogCaptureFixture) -> None:
    asked = 0

    def read() -> int:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise OperationalError("select", None, Exception("away"))
        return 5

    pulse = ChangeFeed(read)
    stream = pulse.stream(lambda: True)
    assert await anext(stream) == b"data: -1\n\n"
    async with anyio.create_task_group() as group:
        group.start_soon(pulse.poll_forever)
        assert await anext(stream) == b"data: 5\n\n"
        group.cancel_scope.cancel()
    assert "The database does not answer" in caplog.text


async def rest(stream: AsyncIterator[bytes]) -> list[bytes]:
    return [one async for one in stream]
