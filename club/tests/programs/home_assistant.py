"""`make home-assistant`: a table in Home Assistant itself, through a broker with a club's rights.

Home Assistant is installed from its wheels into a Debian trixie tree (build/home-assistant, once), set up
over its API as a newcomer does in a browser, and given the broker. Simulated people then play a game at a
table with `companion uplink`. Every entity of docs/home-assistant.md has to appear and follow the game, and
the lamp of that page has to dim with a count; all is unavailable once the uplink is killed, and comes back
with it and with Home Assistant. Needs root, mmdebstrap, mosquitto and the network.
"""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode

import yaml
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from club.tests.hub.deployed import Machine
from companion.home.home_assistant import BINARY_SENSORS, EVENTS, NO_VALUE, SENSORS
from companion.language.language import Language
from tests.home.servers import free_port
from tests.outside_programs import mirror

ROOT = Path(__file__).parents[3]
WORK = ROOT / "build" / "home-assistant"
VERSION = "2026.2.3"
"""The last one for Python 3.13, which trixie has."""
PACKAGES = (
    "ca-certificates,python3,python3-venv,python3-dev,gcc,g++,libc6-dev,make,libffi-dev,libssl-dev,tzdata"
)
TREE, INSTALLED = WORK / "tree", WORK / VERSION
IN_TREE, CONFIG = "/opt/ha", "/opt/config"
ALONE = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
STARTS_S, GAME_S, SOON_S = 900, 900, 60
"""How long may take: the first start, which fetches libraries, a game, anything else, on a busy machine."""
CLIENT = "http://127.0.0.1/"
LAMP = "light.living_room"
SETTINGS = """\
homeassistant: {{name: Club, unit_system: metric, time_zone: UTC}}
http: {{server_host: 127.0.0.1, server_port: {port}}}
api:
config:
onboarding:
automation: !include automations.yaml
input_number:
  level: {{name: Level, min: 0, max: 255, step: 1, initial: 255}}
input_boolean:
  lit: {{name: Lit, initial: true}}
template:
  - light:
      - name: Living room
        unique_id: living_room
        default_entity_id: light.living_room
        state: "{{{{ is_state('input_boolean.lit', 'on') }}}}"
        level: "{{{{ states('input_number.level') | int }}}}"
        turn_on: [{{action: input_boolean.turn_on, target: {{entity_id: input_boolean.lit}}}}]
        turn_off: [{{action: input_boolean.turn_off, target: {{entity_id: input_boolean.lit}}}}]
        set_level:
          - action: input_number.set_value
            target: {{entity_id: input_number.level}}
            data: {{value: "{{{{ brightness }}}}"}}
"""
"""A lamp that keeps its brightness, and what an installation has anyway."""
TABLE = """\
[table]
title = "Table"

[club]
name = "thursday"
table = "table-1"
broker = "127.0.0.1"
port = {port}
user = "table-1"
password_file = "{folder}/password"
home_assistant = true

[storage]
folder = "{folder}"
"""


Hass = Callable[[], AbstractContextManager[subprocess.Popen[bytes]]]
"""Starts it."""


def in_tree(*command: str) -> list[str]:
    """A command in the tree, with this machine's network."""
    certificates = "/etc/ssl/certs/ca-certificates.crt"
    plain = (
        f"env -i PATH={IN_TREE}/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 UV_SYSTEM_CERTS=1"
        f" SSL_CERT_FILE={certificates} PIP_CERT={certificates}"
    )
    inside = (
        f"cd '{TREE}'; mount -t proc proc proc; mount --rbind /dev dev; cp /etc/resolv.conf /etc/hosts etc/;"
        f' cp {certificates} .{certificates}; exec {plain} chroot . "$@"'
    )
    return [*ALONE, "sh", "-ec", inside, "sh", *command]


def install() -> None:
    """Home Assistant into a tree of its own, once, with the versions of libraries that it names itself."""
    if INSTALLED.exists():
        return
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    lean = ('--aptopt=Apt::Install-Recommends "false"', '--aptopt=Acquire::Check-Valid-Until "false"')
    kind = ("--quiet", "--mode=root", "--variant=minbase", *lean, f"--include={PACKAGES}")
    subprocess.run(["mmdebstrap", *kind, "trixie", str(TREE), mirror()], check=True)
    for step in (
        f"python3 -m venv {IN_TREE} && pip install -q uv",
        f"cd /root && pip download -q --no-deps -d . homeassistant=={VERSION}",
        "mkdir /root/wheel && cd /root/wheel && python3 -m zipfile -e ../homeassistant*.whl .",
        "ln -s /root/wheel/homeassistant/package_constraints.txt /root/constraints.txt",
        f"cd /root && uv pip install -q --python {IN_TREE} -c constraints.txt homeassistant*.whl paho-mqtt",
    ):
        subprocess.run(in_tree("sh", "-c", step), check=True)
    INSTALLED.touch()


class Assistant:
    """Home Assistant as its own pages reach it: the REST API to change, the socket to hear of changes."""

    def __init__(self, port: int, stack: ExitStack) -> None:
        self._port, self._stack = port, stack
        self._token = ""
        self.states: dict[str, dict[str, Any]] = {}
        """Every entity as it is now."""
        self.seen: list[tuple[float, str, dict[str, Any]]] = []
        """Each change: when it came, whose, and the new state."""
        self._number = 0

    def post(self, path: str, body: Any = None, *, form: bool = False) -> Any:
        """What it answers; raises `HTTPError` for a refusal."""
        kind = "application/x-www-form-urlencoded" if form else "application/json"
        data = urlencode(body).encode() if form else json.dumps(body or {}).encode()
        return self._ask(path, data, {"Content-Type": kind})

    def get(self, path: str) -> Any:
        return self._ask(path, None, {})

    def _ask(self, path: str, data: bytes | None, headers: dict[str, str]) -> Any:
        if self._token:
            headers = {**headers, "Authorization": f"Bearer {self._token}"}
        asked = urllib.request.Request(f"http://127.0.0.1:{self._port}{path}", data, headers)
        with urllib.request.urlopen(asked, timeout=SOON_S) as answer:
            return json.loads(answer.read() or b"null")

    def starts(self, process: subprocess.Popen[bytes]) -> None:
        """Until it serves its API."""
        end = time.monotonic() + STARTS_S
        while time.monotonic() < end and process.poll() is None:
            try:
                self.get("/api/onboarding")
            except (URLError, OSError):
                time.sleep(1)
            else:
                return
        raise AssertionError("Home Assistant does not start; see log.txt beside its tree")

    def set_up(self) -> None:
        """Its first user, and a token for us."""
        somebody = {"name": "Ada", "username": "ada", "password": "a lamp over the table"}
        told = self.post("/api/onboarding/users", {**somebody, "client_id": CLIENT, "language": "en"})
        code = {"client_id": CLIENT, "grant_type": "authorization_code", "code": told["auth_code"]}
        self._token = self.post("/auth/token", code, form=True)["access_token"]
        self.opens()

    def opens(self) -> None:
        """Hear of every change from now on."""
        self.states.clear()
        address = f"ws://127.0.0.1:{self._port}/api/websocket"
        self._socket = self._stack.enter_context(connect(address, max_size=None))
        self._socket.recv()
        self._socket.send(json.dumps({"type": "auth", "access_token": self._token}))
        assert json.loads(self._socket.recv())["type"] == "auth_ok"
        for one in self.asked(type="get_states"):
            self.states[one["entity_id"]] = one
        self.asked(type="subscribe_events", event_type="state_changed")

    def add(self, integration: str, **given: Any) -> None:
        """*Settings*, *Devices & services*, *Add integration*."""
        flow = self.post("/api/config/config_entries/flow", {"handler": integration})
        done = self.post(f"/api/config/config_entries/flow/{flow['flow_id']}", given)
        assert done["type"] == "create_entry", done

    def asked(self, **what: Any) -> Any:
        """A command over the socket; what it answers."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, **what}))
        while True:
            heard = json.loads(self._socket.recv(timeout=SOON_S))
            if heard["type"] == "result" and heard["id"] == self._number:
                assert heard["success"], heard
                return heard["result"]
            self._take(heard)

    def until(self, wanted: Callable[[], bool], seconds: float, what: str) -> None:
        """Hear changes until it is so."""
        end = time.monotonic() + seconds
        while not wanted():
            try:
                self._take(json.loads(self._socket.recv(timeout=max(0.0, end - time.monotonic()))))
            except TimeoutError:
                raise AssertionError(f"never: {what}; {self.ours()}") from None

    def _take(self, heard: Any) -> None:
        if heard["type"] != "event" or heard["event"]["event_type"] != "state_changed":
            return
        change = heard["event"]["data"]
        self.states[change["entity_id"]] = change["new_state"] or {}
        self.seen.append((time.monotonic(), change["entity_id"], change["new_state"] or {}))

    def ours(self) -> dict[str, str]:
        """The states of the table's entities."""
        return {name: one["state"] for name, one in self.states.items() if one and ".table_" in name}

    def tells(self, entity: str) -> str:
        """What an event entity told last."""
        return str(self.states.get(entity, {}).get("attributes", {}).get("event_type", ""))

    def dark(self, state: dict[str, Any]) -> bool:
        """Whether a lamp's state is not its full brightness."""
        return state.get("attributes", {}).get("brightness") not in {255, None}

    def ended(self) -> None:
        """Until it has closed the socket."""
        with suppress(ConnectionClosed):
            while True:
                self._take(json.loads(self._socket.recv(timeout=SOON_S)))

    def was(self, entity: str) -> list[dict[str, Any]]:
        """What an entity was, one after the other."""
        return [state for _, name, state in self.seen if name == entity]


def entity(platform: str, name: str) -> str:
    """Its id, which Home Assistant makes of the device's name and its own."""
    words = Language("en").tr(f"ui.home_assistant.{name}").lower()
    return f"{platform}.table_{words.replace(' ', '_')}"


@contextmanager
def running(*command: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process whose words go to a file; it is ended with us."""
    with log.open("wb") as words:
        one = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=words, stderr=words)
        try:
            yield one
        finally:
            one.kill()
            one.wait()


def lamps() -> Any:
    """The automation that docs/home-assistant.md prints."""
    text = (ROOT / "docs" / "home-assistant.md").read_text(encoding="utf-8")
    return yaml.safe_load(text.split("```yaml\n")[1].split("```")[0])


def main() -> int:
    print(f"Home Assistant {VERSION} from its wheels; the first time that takes minutes", flush=True)
    install()
    began = time.monotonic()
    folder, config = WORK / "table", TREE / CONFIG.strip("/")
    for old in (folder, config):
        shutil.rmtree(old, ignore_errors=True)
        old.mkdir()
    port = free_port()
    (config / "configuration.yaml").write_text(SETTINGS.format(port=port), encoding="utf-8")
    (config / "automations.yaml").write_text("[]\n", encoding="utf-8")
    with ExitStack() as stack:
        broker = Machine(ROOT, home=True)
        stack.callback(broker.close)
        home = Assistant(port, stack)
        hass = functools.partial(running, *in_tree("hass", "--config", CONFIG), log=WORK / "log.txt")
        home.starts(stack.enter_context(hass()))
        home.set_up()
        print(f"It was set up {time.monotonic() - began:.0f} s after its start", flush=True)
        given = {"broker": "127.0.0.1", "port": broker.port, "username": "home-assistant"}
        home.add("mqtt", **given, password="of home-assistant")
        home.post("/api/config/automation/config/lamps", lamps())
        (folder / "password").write_text("of table-1\n", encoding="utf-8")
        words = TABLE.format(port=broker.port, folder=folder)
        (folder / "settings.toml").write_text(words, encoding="utf-8")
        with table_at(folder) as table:
            followed(home, table, folder)
            returned(home, hass, folder)
    print(f"home assistant {VERSION}: every entity followed a game, in {time.monotonic() - began:.0f} s")
    return 0


def uplink(folder: Path, *more: str) -> AbstractContextManager[subprocess.Popen[bytes]]:
    words = ("-m", "companion", "--settings", str(folder / "settings.toml"), *more)
    return running(
        sys.executable, *words, "uplink", "--socket", str(folder / "uplink.sock"), log=WORK / "uplink.txt"
    )


@contextmanager
def table_at(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A table that waits for its first game."""
    command = (sys.executable, "-m", "club.tests.programs.playing_table", str(folder))
    with running(*command, log=WORK / "table.txt") as table:
        while not (folder / "uplink.sock").exists():
            assert table.poll() is None, (WORK / "table.txt").read_text()
            time.sleep(0.1)
        yield table


def followed(home: Assistant, table: subprocess.Popen[bytes], folder: Path) -> None:
    """A whole game, as somebody sees it who has the device's page open; at its end the uplink is killed."""
    game, winner = (entity("sensor", name) for name in ("game", "winner"))
    begins, called = (entity("event", name) for name in ("event_play", "event_judge"))
    judge = entity("binary_sensor", "judge")
    everything = {
        *(entity("sensor", name) for name in SENSORS),
        *(entity("binary_sensor", name) for name in BINARY_SENSORS),
        *(entity("event", f"event_{name}") for name in EVENTS),
    }
    with uplink(folder) as connected:
        home.until(lambda: everything <= home.ours().keys(), SOON_S, f"all of {sorted(everything)}")
        home.until(lambda: home.ours()[game] == NO_VALUE, SOON_S, "a table where nothing is played")
        print(f"Found by itself: {', '.join(sorted(home.ours()))}", flush=True)
        press(table)
        home.until(lambda: home.tells(begins) == "game_begun", SOON_S, "a game that begins")
        home.until(lambda: home.ours()[game] == "Kinapa", SOON_S, "the game's name")
        home.until(lambda: home.ours()[entity("sensor", "players")] == "4", SOON_S, "four players")
        home.until(lambda: home.tells(entity("event", "event_count")) == "count", GAME_S, "a count")
        print(f"The lamp of the docs: {dimmed(home)}", flush=True)
        press(table)
        home.until(lambda: home.tells(called) == "judge_called", SOON_S, "a call")
        home.until(lambda: home.ours()[judge] == "on", SOON_S, "a judge who is wanted")
        press(table)
        home.until(lambda: home.tells(called) == "judge_not_needed", SOON_S, "the call taken back")
        home.until(lambda: home.ours()[judge] == "off", SOON_S, "a judge who is not wanted")
        home.until(lambda: home.tells(begins) == "game_over", GAME_S, "the end of the game")
        home.until(lambda: home.ours()[winner] not in {NO_VALUE, "unknown"}, SOON_S, "a winner")
        turns = [state["state"] for state in home.was(entity("sensor", "asked"))]
        print(f"Won by {home.ours()[winner]}; the turn changed {len(turns)} times", flush=True)
        killed = time.monotonic()
        connected.kill()
        home.until(lambda: set(home.ours().values()) == {"unavailable"}, SOON_S, "all unavailable")
        print(f"Unavailable {time.monotonic() - killed:.0f} s after the uplink was killed", flush=True)


def returned(home: Assistant, hass: Hass, folder: Path) -> None:
    """The uplink comes back, then Home Assistant; neither makes the lamp follow a count that is over."""
    back, before = time.monotonic(), home.ours().keys()
    with ExitStack() as stack:
        with uplink(folder):
            home.until(lambda: "unavailable" not in home.ours().values(), SOON_S, "all available again")
            home.post("/api/services/homeassistant/stop")
            home.ended()
            home.starts(stack.enter_context(hass()))
            home.opens()
            home.until(lambda: home.ours().keys() == before, SOON_S, "the device after a restart")
            home.until(lambda: "unavailable" not in home.ours().values(), SOON_S, "all available, restarted")
            print(f"Restarted: {home.ours()[entity('sensor', 'headline')]}", flush=True)
        with uplink(folder, "--set", "club.home_assistant=false"):
            home.until(lambda: not home.ours(), SOON_S, "the device taken out")
            print("Switched off, the device is gone", flush=True)
    dimmed = [at for at, name, state in home.seen if name == LAMP and at > back and home.dark(state)]
    assert not dimmed, "an old count dimmed the lamp"


def press(table: subprocess.Popen[bytes]) -> None:
    """Somebody presses the button on the table's screen."""
    assert table.stdin is not None
    table.stdin.write(b"\n")
    table.stdin.flush()


def dimmed(home: Assistant) -> str:
    """What the lamp did in the first count: a step a beat, and bright again. Its trace has no error."""
    at, count = next(
        (at, state)
        for at, name, state in home.seen
        if name == entity("event", "event_count") and "beats" in state["attributes"]
    )
    beats = count["attributes"]["beats"]
    wanted = [*(round(2.55 * (100 - 100 * step / (beats + 1))) for step in range(1, beats + 1)), 255]

    def shone() -> list[tuple[float, int]]:
        return [
            (when - at, state["attributes"]["brightness"])
            for when, name, state in home.seen
            if name == LAMP and when >= at
        ]

    home.until(lambda: len(shone()) >= len(wanted), SOON_S, "a lamp that follows")
    steps = shone()[: len(wanted)]
    for (_, bright), aim in zip(steps, wanted, strict=True):
        assert abs(bright - aim) <= 2, (steps, wanted)
    traces = home.asked(type="trace/list", domain="automation", item_id="lamps")
    assert not [one for one in traces if "error" in one], traces
    late = [when - step for step, (when, _) in enumerate(steps)]
    return f"{[bright for _, bright in steps]}, {min(late):.2f} to {max(late):.2f} s after the beat"


if __name__ == "__main__":
    raise SystemExit(main())
