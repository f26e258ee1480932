"""The sample configuration of a club's machine: TLS, passwords, and no table that speaks for another."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from sqlalchemy.orm import Session

from companion.club.broker import Broker
from companion.club.database import engine_of, migrate
from companion.club.hub import Hub
from companion.club.messages import encoded, topic
from companion.club.model import Call
from companion.club.transport import Arrived, Connected, Ended, Inbox
from companion.core.errors import CompanionError
from companion.doors import uplink as door
from companion.settings.model import Club, Settings
from companion.settings.model import Table as OfTable
from tests.club.club_tables import LONGEST_S, Listener, Said, Table, noted, uplinked
from tests.club.evening import recorded, status
from tests.club.servers import Server, Unprivileged, free_port, mosquitto

UNITS = ("companion-hub.service", "companion-desk.service")
STORE = "a" * 32
MOST_SAID = 40
"""A table that hears more before it hears what is waited for hears the wrong thing."""


class Machine:
    """A broker with the sample files, each where this test may write."""

    def __init__(self, checkout: Path, *, home: bool = False) -> None:
        """`home`: with the lines for Home Assistant, and a user of its own."""
        self.port, self.tls = free_port(), free_port()
        self._place = Unprivileged("deployed")
        folder = self._place.folder
        samples = checkout / "systemd" / "club"
        made = [str(samples / "certificate.sh"), "127.0.0.1", str(folder)]
        subprocess.run(made, check=True, capture_output=True)
        rights = (samples / "acl").read_text(encoding="utf-8")
        if home:
            rights = re.sub(r"(?m)^#(?=pattern |user |topic )", "", rights)
        (folder / "acl").write_text(rights, encoding="utf-8")
        for user in ("companion-hub", "table-1", "table-2", "home-assistant"):
            made = ["mosquitto_passwd", "-b", *(["-c"] if user == "companion-hub" else [])]
            subprocess.run([*made, str(folder / "passwords"), user, f"of {user}"], check=True)
        text = (samples / "mosquitto.conf").read_text(encoding="utf-8")
        for sample, ours in {
            "listener 1883 ": f"listener {self.port} ",
            "listener 8883": f"listener {self.tls} 127.0.0.1",
            "/etc/mosquitto/companion": str(folder),
        }.items():
            assert sample in text
            text = text.replace(sample, ours)
        settings = folder / "mosquitto.conf"
        settings.write_text(f"{text}\nlog_dest stderr\nlog_type all\n", encoding="utf-8")
        for file in folder.iterdir():
            self._place.own(file)
        self.ca = folder / "ca.crt"
        program = mosquitto()
        assert program is not None
        self._server = Server(
            self._place.start(program, "-c", settings), lambda line: line.rstrip().endswith(" running")
        )

    def close(self) -> None:
        self._server.stop(signal.SIGTERM)
        self._place.remove()


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    if mosquitto() is None or shutil.which("mosquitto_passwd") is None or shutil.which("openssl") is None:
        pytest.skip("mosquitto or openssl is not here (Debian: mosquitto, openssl)")
    made = Machine(Path(__file__).parents[2])
    yield made
    made.close()


class Somebody:
    """A client with a name and a password, over TLS."""

    def __init__(self, machine: Machine, user: str, password: str) -> None:
        self.connected: SimpleQueue[str] = SimpleQueue()
        self._answers: SimpleQueue[str] = SimpleQueue()
        client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        client.username_pw_set(user, password)
        client.tls_set(str(machine.ca))
        client.on_connect = lambda *heard: self.connected.put(heard[3].getName())
        client.on_publish = lambda *heard: self._answers.put(heard[3].getName())
        client.connect("127.0.0.1", machine.tls)
        client.loop_start()
        self._client = client

    def says(self, table: str, kind: str) -> str:
        """What the broker answers."""
        self._client.publish(topic("club", table, kind), b"{}", qos=1)
        return self._answers.get(timeout=LONGEST_S)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


def test_a_table_says_only_what_is_its_own_and_a_stranger_nothing(machine: Machine) -> None:
    table = Somebody(machine, "table-1", "of table-1")
    assert table.connected.get(timeout=LONGEST_S) == "Success"
    assert "Not authorized" not in table.says("table-1", "result")
    assert table.says("table-2", "result") == "Not authorized"
    assert table.says("table-1", "task") == "Not authorized", "tasks are the hub's"
    table.close()
    stranger = Somebody(machine, "table-2", "guessed")
    assert stranger.connected.get(timeout=LONGEST_S) == "Not authorized"
    stranger.close()


def of_the_hub(folder: Path, **more: Any) -> Club:
    """What the settings of the hub's machine say."""
    file = folder / "password"
    file.write_text("of companion-hub\n", encoding="utf-8")
    return Club(broker="127.0.0.1", user="companion-hub", password_file=str(file), **more)


def arrived(inbox: Inbox) -> Arrived:
    """The first message of a table."""
    while not isinstance(one := inbox.get(timeout=LONGEST_S), Arrived):
        pass
    return one


def test_the_hub_hears_a_table_over_tls_and_commits_before_it_acknowledges(
    machine: Machine, tmp_path: Path
) -> None:
    engine = engine_of(str(tmp_path / "club.sqlite"))
    migrate(engine)
    inbox = Inbox()
    access = of_the_hub(tmp_path, port=machine.tls, tls=True, ca_file=str(machine.ca))
    broker = Broker(access, "club", inbox, say=lambda _: None)
    broker.start()
    assert isinstance(inbox.get(timeout=LONGEST_S), Connected)
    table = Somebody(machine, "table-1", "of table-1")
    result = recorded()[0].result(STORE, "1")
    table._client.publish(topic("club", "table-1", "result"), encoded(result), qos=1)
    first = inbox.get(timeout=LONGEST_S)
    assert isinstance(first, Arrived)
    broker.stop()  # not acknowledged, as if the hub had been killed here
    again = Inbox()
    second = Broker(access, "club", again, say=lambda _: None)
    second.start()
    came = arrived(again)
    assert came.payload == first.payload, "the broker has kept it"
    again.put(Connected())
    again.put(came)
    again.put(Ended())
    Hub(engine, "club", second, again).run()
    second.stop()
    third = Broker(access, "club", last := Inbox(), say=lambda _: None)
    third.start()
    table._client.publish(topic("club", "table-1", "call"), b'{"id":"1","at":""}', qos=1)
    assert arrived(last).topic.endswith("/call"), "what was committed does not come again"
    third.stop()
    table.close()
    engine.dispose()


def test_the_certificate_holds_where_every_extension_is_asked_for(machine: Machine) -> None:
    """Python 3.13 asks for them by default; a Pi with trixie has that one."""
    strict = ssl.create_default_context(cafile=str(machine.ca))
    strict.verify_flags |= ssl.VERIFY_X509_STRICT
    with (
        socket.create_connection(("127.0.0.1", machine.tls)) as plain,
        strict.wrap_socket(plain, server_hostname="127.0.0.1") as encrypted,
    ):
        assert encrypted.version() == "TLSv1.3"


@pytest.mark.filterwarnings("ignore:Exception ignored in. <ssl.SSLSocket")  # paho leaves it to the collector
def test_a_broker_that_another_authority_vouches_for_is_said_to_be_that(
    machine: Machine, tmp_path: Path
) -> None:
    made = [
        str(Path(__file__).parents[2] / "systemd/club/certificate.sh"),
        "127.0.0.1",
        str(tmp_path / "other"),
    ]
    subprocess.run(made, check=True, capture_output=True)
    how = {
        "club__tls": "true",
        "club__ca_file": str(tmp_path / "other/ca.crt"),
        "club__port": str(machine.tls),
    }
    table = Table(tmp_path / "table", machine, **how)
    said: SimpleQueue[str] = SimpleQueue()
    hub = Broker(of_the_hub(tmp_path, port=machine.tls, tls=True), "club", Inbox(), say=said.put)
    hub.start()
    with uplinked(table):
        while getattr(table.door.said.get(timeout=LONGEST_S), "trouble", "") != "ui.club.untrusted":
            pass
    assert noted(table)["trouble"] == "ui.club.untrusted"
    assert "isn't trusted" in said.get(timeout=LONGEST_S)
    hub.stop()
    table.close()


def at_the(machine: Machine, folder: Path, table: str) -> Table:
    """A table that logs in as table-1, with Home Assistant."""
    (folder / "password").write_text("of table-1\n", encoding="utf-8")
    how = {
        "club__name": "club",
        "club__table": table,
        "club__user": "table-1",
        "club__password_file": str(folder / "password"),
        "club__home_assistant": "true",
    }
    return Table(folder / "table", machine, **how)


def online(said: Said) -> bool:
    return said.kind == "status" and bool(said.payload) and said.read().online


def test_with_the_lines_for_home_assistant_it_hears_the_device(tmp_path: Path) -> None:
    machine = Machine(Path(__file__).parents[2], home=True)
    table = at_the(machine, tmp_path, "table-1")
    listener = Listener(machine.port, user="home-assistant", password="of home-assistant")
    with uplinked(table):
        heard = listener.until(lambda said: said.topic.endswith("/home"))
        assert any(said.topic.startswith("homeassistant/device/") for said in heard)
        assert noted(table)["trouble"] == ""
    listener.close()
    table.close()
    machine.close()


def test_a_table_that_home_assistant_may_not_hear_is_in_the_club_and_doctor_names_its_rights(
    machine: Machine, tmp_path: Path
) -> None:
    table = at_the(machine, tmp_path, "table-1")
    listener = Listener(machine.port, "companion/v1/#", user="companion-hub", password="of companion-hub")
    with uplinked(table):
        listener.until(lambda said: online(said) and said.read().trouble == "ui.club.not_allowed")
        table.play()
        listener.next("result")
        assert noted(table)["trouble"] == "ui.club.not_allowed"
    listener.close()
    table.close()


def test_a_table_with_the_name_of_another_user_is_told_that_its_rights_are_wrong(
    machine: Machine, tmp_path: Path
) -> None:
    table = at_the(machine, tmp_path, "table-9")
    with uplinked(table) as uplink:
        said: list[str] = []
        for _ in range(MOST_SAID):
            one = table.door.said.get(timeout=LONGEST_S)
            said += [one.trouble] if isinstance(one, door.Linked) else []
            if said.count("ui.club.not_allowed") == 3:
                break
        first = said.index("ui.club.not_allowed")
        assert said.count("ui.club.not_allowed") == 3
        assert set(said[first:]) == {"ui.club.not_allowed"}, "it is reached, again and again"
        assert uplink is not None
    table.close()


class OneHub:
    """A hub at the broker, with a database of its own, in a thread."""

    def __init__(self, access: Club, folder: Path, name: str) -> None:
        self.engine = engine_of(str(folder / f"{name}.sqlite"))
        migrate(self.engine)
        self.inbox = Inbox()
        self.said: SimpleQueue[str] = SimpleQueue()
        self.ended: SimpleQueue[CompanionError | None] = SimpleQueue()
        self.broker = Broker(access, "pair", self.inbox, say=self.said.put)
        self._hub = Hub(self.engine, "pair", self.broker, self.inbox, say=self.said.put)
        Thread(target=self._run, daemon=True).start()
        self.broker.start()

    def _run(self) -> None:
        try:
            self._hub.run()
        except CompanionError as error:
            self.ended.put(error)
        else:
            self.ended.put(None)

    def until_said(self, words: str) -> None:
        for _ in range(MOST_SAID):
            if words in self.said.get(timeout=LONGEST_S):
                return
        raise AssertionError(words)

    def calls(self) -> int:
        with Session(self.engine.execution_options(reads=True)) as session:
            return session.query(Call).count()

    def close(self) -> CompanionError | None:
        self.inbox.put(Ended())
        ended = self.ended.get(timeout=LONGEST_S)
        self.broker.stop()
        self.engine.dispose()
        return ended


def test_of_two_hubs_the_later_stops_with_a_sentence_and_has_taken_nothing_in(
    machine: Machine, tmp_path: Path
) -> None:
    access = of_the_hub(tmp_path, port=machine.port)
    first = OneHub(access, tmp_path, "first")
    first.until_said("Connected")
    later = OneHub(access, tmp_path, "later")
    table = Somebody(machine, "table-1", "of table-1")
    table._client.publish(topic("pair", "table-1", "call"), b'{"id":"1","at":""}', qos=1)
    ended = later.ended.get(timeout=LONGEST_S)
    assert ended is not None
    assert ended.exit_code == 3
    assert "Another hub of pair runs on" in str(ended)
    assert later.calls() == 0
    later.broker.stop()
    first.until_said("only one may run, and that one stops")
    listener = Listener(
        machine.port, "companion/v1/pair/+/ask", user="companion-hub", password="of companion-hub"
    )
    table._client.publish(topic("pair", "table-1", "status"), status(STORE, results=1), qos=1)
    listener.next("ask")
    listener.close()
    assert first.close() is None
    assert first.calls() == 1, "it heard what was said meanwhile"
    third = OneHub(access, tmp_path, "third")
    third.until_said("Connected")
    assert third.broker._begins_at is None, "the first said that it went, so nobody is waited for"
    assert third.close() is None
    table.close()


def test_the_desk_hears_a_title_else_the_place_in_the_topics() -> None:
    plain = Settings(club=Club(table="table-2"))
    assert plain.called_in_club() == "table-2"
    titled = Settings(club=Club(table="table-2"), table=OfTable(title="By the window"))
    assert titled.called_in_club() == "By the window"


@pytest.mark.parametrize("unit", UNITS)
def test_units_keep_their_service_to_its_own_folder(checkout: Path, unit: str) -> None:
    lines = (checkout / "systemd" / unit).read_text(encoding="utf-8").splitlines()
    for wanted in ("User=companion-club", "StateDirectory=companion-club", "ProtectSystem=strict"):
        assert wanted in lines
    assert ("SocketBindAllow=ipv4:tcp:8430" in lines) == (unit == "companion-desk.service")
    if shutil.which("systemd-analyze"):
        found = subprocess.run(
            ["systemd-analyze", "verify", str(checkout / "systemd" / unit)],
            capture_output=True,
            text=True,
            check=False,
        )
        told = [
            line for line in found.stderr.splitlines() if unit in line and "is not executable" not in line
        ]
        assert told == []


def test_the_settings_of_the_containers_are_those_of_the_machine_but_for_who_listens(checkout: Path) -> None:
    samples = checkout / "systemd" / "club"
    plain, contained = (
        [line for line in (samples / name).read_text().splitlines() if line and not line.startswith("#")]
        for name in ("mosquitto.conf", "mosquitto.containers.conf")
    )
    assert set(contained) - set(plain) == {
        "listener 1883",
        "persistence true",
        "persistence_location /mosquitto/data/",
    }
    assert set(plain) - set(contained) == {"listener 1883 127.0.0.1"}
