"""The stream's overlay: its key, its delay, what ends it, and a day of it on a moved clock."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import tracemalloc
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from companion.__main__ import main
from companion.cli import network
from companion.core.view import Sentence
from companion.network.messages import RulingMessage, TableHello, TableSnapshot
from companion.network.web import static_files
from companion.network.web.audience import MAX_QUEUED_MESSAGES, MAX_WATCHERS, Audience
from companion.network.web.overlay import KEEP_ALIVE_S, KEY_FILE, MAX_DELAYED_BYTES, OverlayKey, parse_delay
from companion.network.web.web_app import build_web_app
from tests.network.web.moved import run_moved

PORT = 8420
TABLE = TableSnapshot(seq=3, game="kabuki", colours=("red", "blue"))
RULING = RulingMessage(3, Sentence("kabuki.StopCalled", (("chair", 1),)))


class Reader:
    """Reads `/overlay/events` of the application itself, without a socket."""

    def __init__(self, audience: Audience, keys: OverlayKey, *, reads: bool = True, **query: Any) -> None:
        self.heard: list[tuple[float, str]] = []
        """Seconds of the loop, and a message's type or `:` for a comment (with its event)."""
        self.status = 0
        self.ended = False
        self._reads = reads
        self._gone = asyncio.Event()
        self._app = build_web_app(audience, now=lambda: 0, port=PORT, keys=keys)
        self._query = urlencode({"key": keys.key, **query})
        self._task = asyncio.ensure_future(self._ask())

    async def _ask(self) -> None:
        scope = {
            "type": "http", "method": "GET", "path": "/overlay/events", "raw_path": b"/overlay/events",
            "query_string": self._query.encode(), "headers": [(b"host", f"192.168.1.5:{PORT}".encode())],
            "client": ("192.168.1.9", 50_000), "root_path": "", "scheme": "http", "http_version": "1.1",
        }  # fmt: skip
        await self._app(scope, self._receive, self._send)
        self.ended = True

    async def _receive(self) -> Any:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            return
        if not self._reads:
            await self._gone.wait()
        for part in filter(None, message["body"].decode().split("\n\n")):
            kind = json.loads(part.removeprefix("data: "))["type"] if part.startswith("data") else ":"
            self.heard.append((asyncio.get_running_loop().time(), kind))

    async def leave(self) -> None:
        self._gone.set()
        await self._task

    def kinds(self) -> list[str]:
        return [kind for _, kind in self.heard if kind != ":"]


@pytest.fixture
def audience() -> Audience:
    found = Audience(static_files.find_pictures())
    found.handle_message(TableHello("run"))
    found.handle_message(TABLE)
    return found


# The key ----------------------------------------------------------------------------------------------------


def test_a_key_has_128_bits_outlives_the_page_and_is_its_users_alone(tmp_path: Path) -> None:
    keys = OverlayKey(tmp_path / "own")
    assert len(bytes.fromhex(keys.key)) * 8 == 128
    assert OverlayKey(tmp_path / "own").key == keys.key
    assert stat.S_IMODE((tmp_path / "own" / KEY_FILE).stat().st_mode) == 0o600
    assert len({OverlayKey().key for _ in range(20)}) == 20


def test_a_new_key_of_another_process_ends_the_old_one_at_once(tmp_path: Path) -> None:
    serving, asked = OverlayKey(tmp_path), OverlayKey(tmp_path)
    old = serving.key
    new = asked.renew()
    assert new != old
    assert (serving.matches(old), serving.matches(new)) == (False, True)


@pytest.mark.parametrize("left", [b"", b"short", b"\xff" * 32, b"0" * 33])
def test_what_is_no_key_opens_nothing(tmp_path: Path, left: bytes) -> None:
    keys = OverlayKey(tmp_path)
    (tmp_path / KEY_FILE).write_bytes(left)
    os.utime(tmp_path / KEY_FILE, ns=(1, 1))
    assert not keys.matches(left.decode("latin-1"))
    assert not keys.matches("")
    assert OverlayKey(tmp_path).key, "and the next start makes one"


@pytest.mark.parametrize("key", ["", "0" * 32, "é" * 32])
def test_without_the_key_nothing_is_told(audience: Audience, key: str) -> None:
    client = TestClient(
        build_web_app(audience, now=lambda: 0, port=PORT),
        base_url=f"http://192.168.1.5:{PORT}",
        client=("192.168.1.9", 1),
    )
    answer = client.get("/overlay/events", params={"key": key})
    assert (answer.status_code, answer.text) == (403, "This address is not valid any more.")


@pytest.mark.parametrize(
    ("peer", "base"),
    [
        ("93.184.216.34", f"http://192.168.1.5:{PORT}"),
        ("192.168.1.9", f"http://table.example:{PORT}"),
        ("192.168.1.9", "http://192.168.1.5:80"),
    ],
)
def test_from_afar_or_by_another_name_not_even_the_key_opens_it(
    audience: Audience, peer: str, base: str
) -> None:
    keys = OverlayKey()
    client = TestClient(
        build_web_app(audience, now=lambda: 0, port=PORT, keys=keys), base_url=base, client=(peer, 1)
    )
    assert client.get("/overlay/events", params={"key": keys.key}).status_code == 403


def test_the_page_itself_needs_no_key_and_tells_nothing(audience: Audience) -> None:
    client = TestClient(
        build_web_app(audience, now=lambda: 0, port=PORT),
        base_url=f"http://192.168.1.5:{PORT}",
        client=("192.168.1.9", 1),
    )
    assert "Kabuki" not in client.get("/overlay").text
    assert "transparent" in client.get("/overlay.css").text


def test_whoever_asks_at_a_table_without_a_page_is_told_how_to_switch_it_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(network, "PAGE_STATE_FOLDER", str(tmp_path / "none"))
    assert main(["page", "--overlay"]) == 1
    assert "systemctl enable --now companion-page" in capsys.readouterr().err


def test_the_command_prints_the_address_and_a_new_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(network, "PAGE_STATE_FOLDER", str(tmp_path))
    told = []
    for words in ([], [], ["--new-key"]):
        assert main(["page", "--overlay", "--host", "192.168.1.5", *words]) == 0
        told.append(capsys.readouterr().out.strip())
    assert told[0] == told[1] != told[2]
    assert told[2] == f"http://192.168.1.5:8420/overlay?key={OverlayKey(tmp_path).key}"


# The stream -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "delay"), [("", 0), ("0", 0), ("20", 20), ("60", 60)])
def test_a_delay_is_up_to_a_minute(text: str, delay: int) -> None:
    assert parse_delay(text) == delay


@pytest.mark.parametrize("text", ["61", "-1", "1.5", "x", "100", "١"])
def test_what_is_no_delay_is_refused_and_not_taken_for_none(audience: Audience, text: str) -> None:
    async def asked() -> int:
        reader = Reader(audience, OverlayKey(), delay=text)
        await asyncio.sleep(1)
        assert reader.ended
        return reader.status

    assert run_moved(asked()) == 400


def test_a_reader_is_told_what_stands_then_what_happens_and_a_comment_each_ten_seconds(
    audience: Audience,
) -> None:
    async def watched() -> Reader:
        reader = Reader(audience, OverlayKey())
        await asyncio.sleep(1)
        audience.handle_message(RULING)
        await asyncio.sleep(60)
        await reader.leave()
        return reader

    reader = run_moved(watched())
    assert reader.status == 200
    assert reader.kinds() == ["table", "line"]
    instants = [at for at, _ in reader.heard]
    assert max(after - before for before, after in pairwise(instants)) <= KEEP_ALIVE_S


@pytest.mark.parametrize("delay", [5, 20, 60])
def test_with_a_delay_nothing_is_told_before_it_not_even_what_stood(audience: Audience, delay: int) -> None:
    async def watched() -> Reader:
        reader = Reader(audience, OverlayKey(), delay=delay)
        await asyncio.sleep(3)
        audience.handle_message(RULING)
        await asyncio.sleep(delay + 1)
        await reader.leave()
        return reader

    reader = run_moved(watched())
    told = [(at, kind) for at, kind in reader.heard if kind != ":"]
    assert told == [(delay, "table"), (3 + delay, "line")]


def test_a_key_that_is_revoked_ends_the_stream_and_what_waited_for_its_delay_is_not_told(
    audience: Audience,
) -> None:
    async def watched() -> tuple[Reader, bool]:
        keys = OverlayKey()
        reader = Reader(audience, keys, delay=30)
        await asyncio.sleep(1)
        keys.renew()
        await asyncio.sleep(KEEP_ALIVE_S)
        return reader, reader.ended

    reader, ended = run_moved(watched())
    assert ended
    assert reader.kinds() == []


def test_a_reader_that_never_reads_is_no_watcher_any_more(audience: Audience) -> None:
    async def watched() -> None:
        lazy, eager = Reader(audience, OverlayKey(), reads=False), Reader(audience, OverlayKey())
        await asyncio.sleep(1)
        for _ in range(MAX_QUEUED_MESSAGES + 2):
            audience.handle_message(TABLE)
            await asyncio.sleep(0.01)
        assert len(audience._watchers) == 1
        assert eager.kinds() == ["table"] * (MAX_QUEUED_MESSAGES + 3)
        for one in (lazy, eager):
            await one.leave()
        assert not audience._watchers

    run_moved(watched())


def test_a_table_that_tells_too_much_within_a_delay_ends_the_stream(audience: Audience) -> None:
    flood = TableSnapshot(seq=3, game="kabuki", colours=("red",) * 8, say=Sentence("x" * 20_000))

    async def watched() -> None:
        reader = Reader(audience, OverlayKey(), delay=60)
        for _ in range(2 * MAX_DELAYED_BYTES // 20_000):
            audience.handle_message(flood)
            await asyncio.sleep(0.01)
        assert reader.ended
        assert not audience._watchers

    run_moved(watched())


def test_when_it_is_full_the_next_stream_is_told_so(audience: Audience) -> None:
    async def watched() -> int:
        for _ in range(MAX_WATCHERS):
            audience.add_watcher("en")
        reader = Reader(audience, OverlayKey())
        await asyncio.sleep(1)
        return reader.status

    assert run_moved(watched()) == 503


def day(audience: Audience, hours: int, *, every_s: int) -> list[int]:
    """Bytes that are held after each hour of a delayed and a prompt stream, rulings coming steadily."""

    async def watched() -> list[int]:
        keys, held = OverlayKey(), []
        readers = [Reader(audience, keys), Reader(audience, keys, delay=30, lang="de")]
        for _ in range(hours):
            for seq in range(3600 // every_s):
                audience.handle_message(TableSnapshot(seq=seq, game="kabuki", colours=("red", "blue")))
                audience.handle_message(RULING)
                await asyncio.sleep(every_s)
            for reader in readers:
                assert len(reader.heard) >= 2 * (3600 // every_s) - 2 * 30
                reader.heard.clear()
            held.append(tracemalloc.get_traced_memory()[0])
        for reader in readers:
            await reader.leave()
        return held

    tracemalloc.start()
    try:
        found: list[int] = run_moved(watched())
    finally:
        tracemalloc.stop()
    return found


@pytest.mark.slow
def test_a_day_of_rulings_leaves_nothing_behind(audience: Audience) -> None:
    held = day(audience, 24, every_s=60)
    assert held[-1] - held[1] < 40_000, "bytes more after the 24th hour than after the second"
