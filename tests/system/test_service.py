"""What systemd is told, heard at a socket of our own."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from companion.core.clock import Clock, ManualClock
from companion.system.machine import SystemdNotifier

SECOND = 1_000_000

Serving = Callable[[Clock, Mapping[str, str]], SystemdNotifier]


class Listener:
    """Stands where systemd stands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.socket.setblocking(False)

    def heard(self) -> list[str]:
        words = []
        while True:
            try:
                words.append(self.socket.recv(100).decode())
            except BlockingIOError:
                return words


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[Listener]:
    listener = Listener(tmp_path / "notify")
    yield listener
    listener.socket.close()


@pytest.fixture
def serving() -> Iterator[Serving]:
    with ExitStack() as open_ones:
        yield lambda clock, environ: open_ones.enter_context(closing(SystemdNotifier(clock, environ)))


def told(systemd: Listener, **more: str) -> dict[str, str]:
    return {"NOTIFY_SOCKET": str(systemd.path), **more}


def test_ready_is_said_once_and_after_the_first_round(systemd: Listener, serving: Serving) -> None:
    service = serving(ManualClock(), told(systemd))
    service.notify_alive()
    assert systemd.heard() == []
    for _ in range(5):
        service.notify_alive()
    assert systemd.heard() == ["READY=1"]


def test_the_watchdog_is_fed_four_times_in_its_time_and_not_at_every_round(
    systemd: Listener, serving: Serving
) -> None:
    clock = ManualClock()
    service = serving(clock, told(systemd, WATCHDOG_USEC=str(20 * SECOND)))
    for at in range(0, 20 * SECOND, SECOND // 30):
        clock.move_to(at)
        service.notify_alive()
    assert systemd.heard().count("WATCHDOG=1") == 4


def test_a_watchdog_meant_for_another_process_is_not_fed(systemd: Listener, serving: Serving) -> None:
    service = serving(
        ManualClock(), told(systemd, WATCHDOG_USEC="1000000", WATCHDOG_PID=str(os.getpid() + 1))
    )
    service.notify_alive()
    assert systemd.heard() == []


def test_a_new_game_restarting_game_time_does_not_starve_the_watchdog(
    systemd: Listener, serving: Serving
) -> None:
    class Restarting(ManualClock):
        """Game time at 0 again while the kernel's clock has gone on."""

        def to_monotonic_ns(self, at: int) -> int:
            return 3_600 * SECOND * 1000 + at * 1000

    clock = Restarting(50 * SECOND)
    service = serving(clock, told(systemd, WATCHDOG_USEC=str(20 * SECOND)))
    service.notify_alive()
    clock._at = 10 * SECOND
    kernel = clock.to_monotonic_ns
    clock.to_monotonic_ns = lambda at: kernel(at) + 60 * SECOND * 1000  # type: ignore[method-assign]
    service.notify_alive()
    assert systemd.heard().count("WATCHDOG=1") == 2


def test_the_end_is_said_and_only_once(systemd: Listener, serving: Serving) -> None:
    service = serving(ManualClock(), told(systemd))
    service.close()
    service.close()
    assert systemd.heard() == ["STOPPING=1"]


def test_without_systemd_nothing_is_said_and_nothing_breaks(tmp_path: Path, serving: Serving) -> None:
    environs: list[dict[str, str]] = [{}, {"NOTIFY_SOCKET": str(tmp_path / "nobody")}]
    for environ in environs:
        service = serving(ManualClock(), environ)
        service.notify_alive()
        service.notify_alive()
        service.close()
    assert list(tmp_path.iterdir()) == []


def test_a_systemd_that_went_away_stops_nothing(systemd: Listener, serving: Serving) -> None:
    service = serving(ManualClock(), told(systemd, WATCHDOG_USEC="1"))
    service.notify_alive()
    assert systemd.heard() == ["WATCHDOG=1"]
    systemd.socket.close()
    before = service._socket
    assert before is not None
    service.notify_alive()
    service.notify_alive()
    assert service._socket is before, "it opens no other"
    service.close()
    assert before.fileno() == -1
