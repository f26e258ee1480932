"""The sample configuration of a club's machine: TLS, passwords, and no table that speaks for another."""

from __future__ import annotations

import re
import socket
import ssl
import subprocess
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue

import pytest

from club.tests.hub.deployed import MOST_SAID, PROGRAMS, Machine, Somebody, of_the_hub
from club.tests.hub.evening import recorded
from club.tests.uplink.club_tables import ClubListener, uplinked
from companion.network import uplink_messages as door
from companion.network.uplink_messages import MAX_PIECE_BYTES
from companion.settings.model import ClubSettings, Settings
from companion.settings.model import TableSettings as OfTable
from companion_club.hub.broker import HubBroker
from companion_club.hub.database import make_engine, migrate
from companion_club.hub.hub import MAX_BATCH, AnotherHubError, Hub
from companion_club.hub.transport import Inbox, MessageArrived, TransportConnected, TransportEnded
from companion_club.messages import encode_payload, make_topic
from tests.home.uplinked_tables import LONGEST_S, Said, Table, noted
from tests.outside_programs import needs, program

UNITS = ("companion-hub.service", "companion-desk.service")
STORE = "a" * 32


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


def test_a_table_with_the_hubs_id_does_not_take_the_hubs_place(machine: Machine, tmp_path: Path) -> None:
    inbox = Inbox()
    access = of_the_hub(tmp_path, port=machine.tls, tls=True, ca_file=str(machine.ca))
    hub = HubBroker(access, "club", inbox, say=lambda _: None)
    hub.start()
    assert isinstance(inbox.get(timeout=LONGEST_S), TransportConnected)
    for table, stolen in (("table-1", "companion-hub-club"), ("table-2", "companion-hub")):
        thief = Somebody(machine, table, f"of {table}", client_id=stolen)
        assert thief.connected.get(timeout=LONGEST_S) == "Success"
        assert "Not authorized" not in thief.says(table, "call")
        assert arrived(inbox).topic == make_topic("club", table, "call"), "the hub hears on"
        thief.close()
    hub.stop()


def test_a_table_is_not_heard_in_another_club(machine: Machine) -> None:
    table = Somebody(machine, "table-1", "of table-1")
    assert table.connected.get(timeout=LONGEST_S) == "Success"
    for kind in ("status", "result", "call", "task"):
        assert table.says("table-1", kind, club="friday") == "Not authorized"
    table.close()


@pytest.mark.long
def test_a_stranger_who_opens_connections_leaves_some_to_the_hub(machine: Machine, tmp_path: Path) -> None:
    with ExitStack() as stranger:
        for _ in range(950):
            stranger.enter_context(socket.create_connection(("127.0.0.1", machine.tls)))
        last = stranger.enter_context(socket.create_connection(("127.0.0.1", machine.tls)))
        assert last.recv(1) == b"", "there are too many"
        hub = HubBroker(of_the_hub(tmp_path, port=machine.port), "club", inbox := Inbox(), say=lambda _: None)
        hub.start()
        assert isinstance(inbox.get(timeout=LONGEST_S), TransportConnected)
        hub.stop()


def test_what_the_broker_hands_to_a_hub_at_once_and_keeps_for_it_fits_their_memory(checkout: Path) -> None:
    samples = checkout / "club" / "systemd"
    sample = dict(re.findall(r"(?m)^(max_\w+) (\d+)$", (samples / "mosquitto.conf").read_text()))
    (megabytes,) = re.findall(r"(?m)^MemoryMax=(\d+)M$", (samples / "companion-hub.service").read_text())
    assert int(sample["max_packet_size"]) * MAX_BATCH < int(megabytes) * 1_000_000 / 8
    assert int(sample["max_packet_size"]) > 4 * MAX_PIECE_BYTES, "all of it escaped"
    assert 0 < int(sample["max_queued_bytes"]) < 500_000_000
    assert int(sample["max_connections"]) < 1000


def arrived(inbox: Inbox) -> MessageArrived:
    """The first message of a table."""
    while not isinstance(one := inbox.get(timeout=LONGEST_S), MessageArrived):
        pass
    return one


def test_the_hub_hears_a_table_over_tls_and_commits_before_it_acknowledges(
    machine: Machine, tmp_path: Path
) -> None:
    engine = make_engine(str(tmp_path / "club.sqlite"))
    migrate(engine)
    inbox = Inbox()
    access = of_the_hub(tmp_path, port=machine.tls, tls=True, ca_file=str(machine.ca))
    broker = HubBroker(access, "commits", inbox, say=lambda _: None)
    broker.start()
    assert isinstance(inbox.get(timeout=LONGEST_S), TransportConnected)
    table = Somebody(machine, "table-1", "of table-1")
    result = recorded()[0].result(STORE, "1")
    table._client.publish(make_topic("commits", "table-1", "result"), encode_payload(result), qos=1)
    first = inbox.get(timeout=LONGEST_S)
    assert isinstance(first, MessageArrived)
    broker.stop()  # not acknowledged, as if the hub had been killed here
    again = Inbox()
    second = HubBroker(access, "commits", again, say=lambda _: None)
    second.start()
    came = arrived(again)
    assert came.payload == first.payload, "the broker has kept it"
    again.put(TransportConnected())
    again.put(came)
    again.put(TransportEnded())
    Hub(engine, "commits", second, again).run()
    second.stop()
    third = HubBroker(access, "commits", last := Inbox(), say=lambda _: None)
    third.start()
    table._client.publish(make_topic("commits", "table-1", "call"), b'{"id":"1","at":""}', qos=1)
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
        str(Path(__file__).parents[3] / "club/systemd/certificate.sh"),
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
    hub = HubBroker(of_the_hub(tmp_path, port=machine.tls, tls=True), "club", Inbox(), say=said.put)
    hub.start()
    with uplinked(table):
        while getattr(table.door.incoming_tasks.get(timeout=LONGEST_S), "trouble", "") != "ui.club.untrusted":
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


@needs(*PROGRAMS)
def test_with_the_lines_for_home_assistant_it_hears_the_device(tmp_path: Path) -> None:
    machine = Machine(Path(__file__).parents[3], home=True)
    table = at_the(machine, tmp_path, "table-1")
    listener = ClubListener(machine.port, user="home-assistant", password="of home-assistant")
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
    listener = ClubListener(machine.port, "companion/v1/#", user="companion-hub", password="of companion-hub")
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
            one = table.door.incoming_tasks.get(timeout=LONGEST_S)
            said += [one.trouble] if isinstance(one, door.BrokerStatus) else []
            if said.count("ui.club.not_allowed") == 3:
                break
        first = said.index("ui.club.not_allowed")
        assert said.count("ui.club.not_allowed") == 3
        assert set(said[first:]) == {"ui.club.not_allowed"}, "it is reached, again and again"
        assert uplink is not None
    table.close()


def test_the_desk_hears_a_title_else_the_place_in_the_topics() -> None:
    plain = Settings(club=ClubSettings(table="table-2"))
    assert plain.club_display_name() == "table-2"
    titled = Settings(club=ClubSettings(table="table-2"), table=OfTable(title="By the window"))
    assert titled.club_display_name() == "By the window"


@pytest.mark.parametrize("unit", UNITS)
def test_units_keep_their_service_to_its_own_folder(checkout: Path, unit: str) -> None:
    lines = (checkout / "club" / "systemd" / unit).read_text(encoding="utf-8").splitlines()
    for wanted in ("User=companion-club", "StateDirectory=companion-club", "ProtectSystem=strict"):
        assert wanted in lines
    assert ("SocketBindAllow=ipv4:tcp:8430" in lines) == (unit == "companion-desk.service")


@needs("systemd-analyze")
@pytest.mark.parametrize("unit", UNITS)
def test_systemd_understands_the_units(checkout: Path, unit: str) -> None:
    words = [program("systemd-analyze"), "verify", str(checkout / "club" / "systemd" / unit)]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    told = [line for line in found.stderr.splitlines() if unit in line and "is not executable" not in line]
    assert told == []


def test_a_hub_that_found_another_is_not_started_again(checkout: Path) -> None:
    unit = (checkout / "club" / "systemd" / "companion-hub.service").read_text(encoding="utf-8")
    (codes,) = re.findall(r"(?m)^RestartPreventExitStatus=(.*)$", unit)
    assert str(AnotherHubError.exit_code) in codes.split()


def test_the_settings_of_the_containers_are_those_of_the_machine_but_for_who_listens(checkout: Path) -> None:
    samples = checkout / "club" / "systemd"
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
