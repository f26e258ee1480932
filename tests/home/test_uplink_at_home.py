"""The uplink of a table without a club: what its broker hears, and when there is nobody to tell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from companion.core.errors import InputError
from companion.core.view import Sentence
from companion.home import broker as mq
from companion.home import serve
from companion.home.home_assistant import HomeAssistantDevice
from companion.home.topics import Status, TopicAddress, encode_payload
from companion.home.uplink import NAME_CLASH_TIMEOUT, STATUS_INTERVAL, Uplink
from companion.home.uplink_file import UPLINK_FILE, UplinkFile
from companion.language.language import Language
from companion.network import uplink_messages as ms
from companion.network.messages import Message, TableSnapshot
from companion.settings.model import ClubSettings, Settings
from companion.system.extras import CLUB_PACKAGE, install_command

STORE, OTHER = "5" * 32, "3" * 32


class Wire:
    """A broker that answers when the test does."""

    store_proof = "5a" * 32

    def __init__(self) -> None:
        self.published: list[tuple[str, bytes]] = []
        self.subscribed: list[tuple[str, ...]] = []

    def subscribe(self, *topics: str) -> int:
        self.subscribed.append(topics)
        return len(self.subscribed)

    def publish(self, topic: str, payload: bytes, *, qos: int, retain: bool) -> int:
        self.published.append((topic, payload))
        return len(self.published)

    def of(self, kind: str) -> list[Any]:
        return [
            msgspec.json.decode(payload)
            for topic, payload in self.published
            if topic.endswith(f"/{kind}") and payload
        ]


class AtHome:
    """An uplink for Home Assistant under a clock moved by hand, and what it says."""

    def __init__(self, file: UplinkFile) -> None:
        self.at = 0
        self.wire = Wire()
        self.said: list[Message] = []
        self.uplink = Uplink(
            file,
            name="home",
            table="table",
            run="this",
            connect=lambda store: self.wire,
            say=self.said.append,
            now=lambda: self.at,
            home=lambda store, hello: HomeAssistantDevice("home", "table", store, hello, Language("en")),
        )
        self.uplink.handle_message(ms.UplinkHello("r", "Kitchen", "0.1.0"))
        self.uplink.handle_message(ms.StoredGameHeads(STORE, ()))

    def connect(self) -> None:
        self.uplink.handle_message(mq.BrokerConnected(remembered=False))
        self.uplink.handle_message(mq.SubscriptionConfirmed(len(self.wire.subscribed)))

    def hear(self, status: Status) -> None:
        topic = TopicAddress("home", "table", "status").topic
        self.uplink.handle_message(mq.MessageReceived(topic, encode_payload(status), True, None))


@pytest.fixture
def file(tmp_path: Path) -> Iterator[UplinkFile]:
    one = UplinkFile(tmp_path / UPLINK_FILE)
    yield one
    one.close()


def test_the_broker_hears_how_the_table_is_and_home_assistant_what_is_played(file: UplinkFile) -> None:
    table = AtHome(file)
    table.connect()
    table.uplink.handle_message(TableSnapshot(headline=Sentence("ui.paused")))
    assert table.wire.of("status")[-1] == {
        "online": True,
        "run": "this",
        "program": "0.1.0",
        "store": STORE,
        "store_proof": Wire.store_proof,
        "name": "Kitchen",
        "game": "",
        "game_id": "",
        "at": table.wire.of("status")[-1]["at"],
        "results": 0,
        "entries": 0,
        "trouble": "",
    }
    assert table.wire.of("home")[-1]["headline"] == Language("en").tr("ui.paused")
    assert {topic.rpartition("/")[2] for topic, _ in table.wire.published} == {"status", "config", "home"}
    assert ms.BrokerStatus(now=True) in table.said
    assert file.read_status()["trouble"] == ""


def test_what_a_hub_says_is_nothing_to_it(file: UplinkFile) -> None:
    table = AtHome(file)
    table.connect()
    told = len(table.wire.published)
    topic = TopicAddress("home", "table", "task").topic
    table.uplink.handle_message(mq.MessageReceived(topic, b"{", False, None))
    assert len(table.wire.published) == told


def test_a_status_is_repeated_and_the_last_says_that_the_table_has_gone(file: UplinkFile) -> None:
    table = AtHome(file)
    table.connect()
    told = len(table.wire.of("status"))
    table.at = table.uplink.next_due()
    assert table.at == STATUS_INTERVAL
    table.uplink.tick()
    assert len(table.wire.of("status")) == told + 1
    table.uplink.say_offline()
    assert table.wire.of("status")[-1]["online"] is False


def test_a_name_that_another_table_has_is_not_taken_while_that_one_speaks(file: UplinkFile) -> None:
    table = AtHome(file)
    table.uplink.handle_message(mq.BrokerConnected(remembered=True))
    table.hear(Status(online=True, run="other", store=OTHER, name="Hall"))
    table.uplink.handle_message(mq.SubscriptionConfirmed(len(table.wire.subscribed)))
    assert table.uplink.trouble == "ui.club.clash"
    assert table.wire.published == []
    table.at = NAME_CLASH_TIMEOUT
    table.uplink.tick()
    assert table.uplink.ready


def test_where_nobody_would_hear_the_table_one_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "load_extensions", lambda group: {})
    named = Settings(club=ClubSettings(broker="127.0.0.1"))
    with pytest.raises(InputError, match=r"set club\.home_assistant, or for a club: ") as said:
        serve.serve_uplink(named, folder=tmp_path)
    assert str(said.value).endswith(install_command(package=CLUB_PACKAGE))
