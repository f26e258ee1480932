"""A real broker in a folder of its own: mosquitto on a free port of the loopback."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from threading import Event, Thread

from tests.outside_programs import program

STARTED = "mosquitto version"
LONGEST_S = 60
"""A server that takes so long to start or to end never does."""
FIRST_PORT, PORTS = 20_000, 12_000
"""Ports that the kernel gives nobody who asks for just any."""
BROKER = """\
listener {port} 127.0.0.1
allow_anonymous {anonymous}
persistence true
persistence_location {folder}/
autosave_on_changes false
autosave_interval 1
max_inflight_messages 50
max_queued_messages 0
set_tcp_nodelay true
log_dest stderr
log_type error
log_type warning
log_type notice
log_type information
connection_messages false
"""


_asked = count()


def free_port() -> int:
    """A port of the loopback where nobody listens. It stays free while its server is away: no connection and
    no server of another test gets it by chance.
    """
    while True:
        port = FIRST_PORT + (97 * os.getpid() + next(_asked)) % PORTS
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class Unprivileged:
    """A folder of a server, and the user it runs as: `nobody` where we are root."""

    def __init__(self, name: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"club-{name}-", dir="/tmp"))
        self.user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        self.own(self.folder)

    def own(self, path: Path) -> None:
        if self.user is not None:
            os.chown(path, self.user.pw_uid, self.user.pw_gid)

    def start(self, *command: str | Path) -> subprocess.Popen[str]:
        user, group = (self.user.pw_uid, self.user.pw_gid) if self.user is not None else (None, None)
        return subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.folder,
            user=user,
            group=group,
            extra_groups=[] if user is not None else None,
        )

    def run(self, *command: str | Path) -> str:
        """Run to the end; its output."""
        process = self.start(*command)
        out, _ = process.communicate()
        assert process.returncode == 0, f"{command[0]}: {out}"
        return out

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


class Server:
    """A process of ours; what it says is read all the time, so that it never waits for us."""

    def __init__(self, process: subprocess.Popen[str], ready: Callable[[str], bool]) -> None:
        self._process = process
        self._ready = ready
        self._said: list[str] = []
        self._settled = Event()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()
        self._settled.wait(LONGEST_S)
        if not any(map(ready, self._said)):
            self.stop(signal.SIGKILL)
            raise AssertionError(f"{process.args!r} does not start: {''.join(self._said)}")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.append(line)
            if self._ready(line):
                self._settled.set()
        self._settled.set()

    def stop(self, how: signal.Signals) -> None:
        """End it; `AssertionError` where it does not end, with what it said."""
        self._process.send_signal(how)
        try:
            self._process.wait(LONGEST_S)
        except subprocess.TimeoutExpired as never:
            self._process.kill()
            self._process.wait()
            raise AssertionError(f"it does not end: {''.join(self._said)}") from never
        finally:
            self._reader.join()
            assert self._process.stdout is not None
            self._process.stdout.close()


class Broker:
    """A mosquitto that can be stopped, killed and started again with what it kept."""

    def __init__(self, extra: str = "", *, anonymous: bool = True) -> None:
        self.port = free_port()
        self._place = Unprivileged("mosquitto")
        self.folder = self._place.folder
        text = BROKER.format(port=self.port, folder=self.folder, anonymous="true" if anonymous else "false")
        self.settings = self.folder / "mosquitto.conf"
        self.settings.write_text(text + extra, encoding="utf-8")
        self._place.own(self.settings)
        self._server: Server | None = None
        self.start()

    def start(self) -> None:
        """Start it; returns when it listens."""
        self._server = Server(
            self._place.start(program("mosquitto"), "-c", self.settings),
            lambda line: line.rstrip().endswith("running") and STARTED in line,
        )

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self._server is not None:
            self._server.stop(how)
            self._server = None

    def lose_everything(self) -> None:
        """Forget sessions and retained messages; it has to be stopped."""
        assert self._server is None
        (self.folder / "mosquitto.db").unlink(missing_ok=True)

    def close(self) -> None:
        self.stop(signal.SIGKILL)
        self._place.remove()


@contextlib.contextmanager
def broker(extra: str = "", *, anonymous: bool = True) -> Iterator[Broker]:
    made = Broker(extra, anonymous=anonymous)
    try:
        yield made
    finally:
        made.close()
