"""The uplink without a broker, under a clock moved by hand: limits, patience, and what it never forgets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from companion.core.actions import SECOND, Outcome
from companion.core.clock import add_to_wall_time, wall_time
from companion.home import broker as mq
from companion.home.uplink import NAME_CLASH_TIMEOUT, STATUS_INTERVAL
from companion.network import uplink_messages as door
from companion.network.messages import Message, TableSnapshot
from companion.network.uplink_messages import GameResult, JournalSlice, JudgeCall, ResultPlayer, TableTask
from companion_club import messages as club
from companion_club.uplink.club_uplink import ClubUplink
from companion_club.uplink.outbox import UplinkOutbox
from tests.home.played import BEGAN, GAME

STORE, OTHER = "5" * 32, "3" * 32


class Wire:
    """A broker that answers when the test does."""

    store_proof = "5a" * 32

    def __init__(self) -> None:
        self.published: list[tuple[int, str, bytes, bool]] = []
        self.subscribed: list[tuple[str, ...]] = []
        self._mid = 0

    def subscribe(self, *topics: str) -> int:
        self.subscribed.append(topics)
        self._mid += 1
        return self._mid

    def publish(self, topic: str, payload: bytes, *, qos: int, retain: bool) -> int:
        self._mid += 1
        self.published.append((self._mid, topic.rpartition("/")[2], payload, retain))
        return self._mid

    def of(self, kind: str) -> list[Any]:
        return [club.decode_payload(kind, payload) for _, one, payload, _ in self.published if one == kind]


class Table:
    """An uplink, what it says to its table, and the games it may ask for."""

    def __init__(self, outbox: UplinkOutbox, games: int = 0) -> None:
        self.at = 0
        self.wire = Wire()
        self.said: list[Message] = []
        self.outbox = outbox
        self.uplink = ClubUplink(
            outbox,
            name="home",
            table="table",
            run="this",
            connect=lambda store: self.wire,
            say=self.said.append,
            now=lambda: self.at,
        )
        self.uplink.handle_message(door.UplinkHello("r", "Table", "0.1.0"))
        heads = tuple(door.StoredGameHead(one, f"{one:032x}", 2, True, BEGAN) for one in range(1, games + 1))
        self.uplink.handle_message(door.StoredGameHeads(STORE, heads))

    def connect(self, *retained: club.Status, remembered: bool = True) -> None:
        self.uplink.handle_message(mq.BrokerConnected(remembered))
        for status in retained:
            self.hears("status", status, retained=True)
        self.uplink.handle_message(mq.SubscriptionConfirmed(self.wire._mid))

    def hears(
        self, kind: str, message: msgspec.Struct, *, retained: bool = False, expires: int | None = None
    ) -> None:
        topic = club.make_topic("home", "table", kind)
        self.uplink.handle_message(mq.MessageReceived(topic, club.encode_payload(message), retained, expires))

    def give(self) -> bool:
        """Answer the last question for a game; whether there was one."""
        asked = self.said[-1] if self.said else None
        if not isinstance(asked, door.ResultRequest):
            return False
        self.said.append(door.BrokerStatus(now=True))
        game = f"{asked.number:032x}"
        result = GameResult(
            store=STORE,
            game_id=game,
            entries=2,
            outcome=Outcome("won", (0,)),
            game=GAME,
            players=(ResultPlayer(0, "red"),),
            began=BEGAN,
            digest="d",
        )
        self.uplink.handle_message(door.ResultAnswer(asked.number, result))
        piece = JournalSlice(game_id=game, first=0, lines=("{}",) * 3, total=3, digest="d")
        self.uplink.handle_message(door.JournalPart(piece))
        return True

    def acknowledge(self) -> None:
        """Everything that was published has arrived."""
        for mid, *_ in list(self.wire.published):
            self.uplink.handle_message(mq.PublishConfirmed(mid, taken=True))

    def move(self, micros: int) -> None:
        self.at += micros
        self.uplink.tick()


@pytest.fixture
def outbox(tmp_path: Path) -> Iterator[UplinkOutbox]:
    one = UplinkOutbox(tmp_path / "uplink.sqlite")
    yield one
    one.close()


def test_no_more_than_twenty_are_on_their_way_and_nothing_moves_before_it_is_acknowledged(
    outbox: UplinkOutbox,
) -> None:
    table = Table(outbox, games=40)
    table.connect()
    while table.give():
        pass
    assert len(table.wire.published) <= mq.MAX_IN_FLIGHT + 1, "and one piece that was asked for already"
    assert outbox.totals(STORE).results == 0
    assert outbox.unsent_count() == 40
    for _ in range(40):
        table.acknowledge()
        while table.give():
            pass
    table.acknowledge()
    assert outbox.totals(STORE).results == 40
    assert outbox.unsent_count() == 0
    assert sorted(one.game_id for one in table.wire.of("result")) == [f"{one:032x}" for one in range(1, 41)]


def test_what_was_not_acknowledged_is_told_by_the_next_process(outbox: UplinkOutbox) -> None:
    first = Table(outbox, games=3)
    first.connect()
    while first.give():
        pass
    second = Table(outbox, games=3)
    second.connect()
    while second.give():
        pass
    assert len(second.wire.of("result")) == 3
    second.acknowledge()
    third = Table(outbox, games=3)
    third.connect()
    assert not third.give()


def test_a_name_that_is_taken_is_waited_for_until_nobody_was_heard_for_so_long(outbox: UplinkOutbox) -> None:
    table = Table(outbox, games=1)
    theirs = club.Status(online=True, run="x", store=OTHER, name="Other")
    table.connect(theirs)
    table.move(NAME_CLASH_TIMEOUT - SECOND)
    assert table.wire.published == []
    table.hears("status", theirs)
    table.move(NAME_CLASH_TIMEOUT - SECOND)
    assert table.wire.published == [], "it was heard meanwhile"
    table.move(2 * SECOND)
    assert table.wire.of("status")[0].store == STORE


def test_of_two_that_take_a_name_at_once_one_stays(outbox: UplinkOutbox) -> None:
    """The larger id gives way; the other goes on as if nothing were."""
    table = Table(outbox)
    table.connect()
    table.hears("status", club.Status(online=True, run="x", store="7" * 32))
    assert table.uplink.ready
    table.hears("status", club.Status(online=True, run="x", store=OTHER))
    assert not table.uplink.ready
    table.hears("status", club.Status(online=False, run="x", store=OTHER))
    assert table.uplink.ready


def test_its_own_store_by_another_run_means_that_it_was_replaced_and_before_it_was_heard_nothing(
    outbox: UplinkOutbox,
) -> None:
    earlier = club.Status(online=True, run="earlier", store=STORE)
    table = Table(outbox)
    table.connect(earlier)
    table.hears("status", earlier)  # its session held it until now
    assert table.uplink.stops == ""
    table.hears("status", club.Status(online=True, run="this", store=STORE))
    table.uplink.handle_message(mq.BrokerLost("", "ui.club.unreachable"))
    table.connect(earlier)
    assert table.uplink.stops == "ui.club.taken_over"
    assert not table.uplink.ready


def test_a_status_is_said_every_half_minute_and_views_are_rare(outbox: UplinkOutbox) -> None:
    table = Table(outbox)
    table.connect()
    for _ in range(4):
        table.move(STATUS_INTERVAL)
    assert len(table.wire.of("status")) == 5
    for seq in range(20):
        table.uplink.handle_message(TableSnapshot(seq=seq))
        table.move(SECOND // 10)
    assert len(table.wire.of("view")) <= 5


def test_a_task_lives_as_long_as_the_broker_says_whatever_the_clocks_say(outbox: UplinkOutbox) -> None:
    table = Table(outbox)
    table.connect()
    yesterday = add_to_wall_time(wall_time(), -24 * 3600 * SECOND)
    table.hears("task", TableTask(id="t", round=1, expires=yesterday, game=GAME), retained=True, expires=90)
    assert isinstance(table.said[-1], door.NextTask)
    assert table.said[-1].task is not None
    table.move(91 * SECOND)
    assert table.said[-1] == door.NextTask(None)


def test_a_call_that_was_made_while_the_broker_was_away_is_told_once_it_is_back(outbox: UplinkOutbox) -> None:
    table = Table(outbox)
    call = JudgeCall("c", BEGAN)
    table.uplink.handle_message(door.JudgeCallMessage(call))
    assert table.wire.published == []
    table.connect()
    assert table.wire.of("call") == [call]
    table.acknowledge()
    table.uplink.handle_message(door.JudgeCallMessage(call))
    assert table.wire.of("call") == [call]


def test_a_broker_that_forgot_gets_the_newest_result_again_and_one_that_knows_does_not(
    outbox: UplinkOutbox,
) -> None:
    table = Table(outbox, games=2)
    table.connect()
    while table.give():
        pass
    table.acknowledge()
    for remembered, told in ((True, 0), (False, 1)):
        before = len(table.wire.of("result"))
        table.uplink.handle_message(mq.BrokerLost("", "ui.club.unreachable"))
        table.connect(remembered=remembered)
        while table.give():
            pass
        assert len(table.wire.of("result")) - before == told


def test_what_the_broker_kept_for_it_is_answered_though_it_comes_before_the_name_is_known_to_be_its_own(
    outbox: UplinkOutbox,
) -> None:
    table = Table(outbox, games=1)
    table.connect()
    while table.give():
        pass
    table.acknowledge()
    table.uplink.handle_message(mq.BrokerLost("", "ui.club.unreachable"))
    table.uplink.handle_message(mq.BrokerConnected(remembered=True))
    an_hour_ago = add_to_wall_time(wall_time(), -3600 * SECOND)
    table.hears("ask", club.ResendRequest(game_id=f"{1:032x}", at=an_hour_ago))
    table.uplink.handle_message(mq.SubscriptionConfirmed(table.wire._mid))
    while table.give():
        pass
    assert len(table.wire.of("result")) == 2
    assert table.uplink.trouble == "", "what waited says nothing of a clock"


def test_what_is_asked_of_another_table_of_its_name_is_not_answered(outbox: UplinkOutbox) -> None:
    table = Table(outbox, games=1)
    table.connect(club.Status(online=True, run="x", store=OTHER))
    table.hears("ask", club.ResendRequest())
    table.move(NAME_CLASH_TIMEOUT + SECOND)
    while table.give():
        pass
    assert len(table.wire.of("result")) == 1


@pytest.mark.parametrize("payload", [b"{", b"\xff", b"[" * 100_000, b'{"id": 3}'])
def test_what_is_no_message_is_dropped(outbox: UplinkOutbox, payload: bytes) -> None:
    table = Table(outbox)
    table.connect()
    for kind in ("task", "ask", "status"):
        table.uplink.handle_message(
            mq.MessageReceived(club.make_topic("home", "table", kind), payload, False, None)
        )
    assert table.uplink.ready


def test_a_store_from_yesterdays_backup_tells_nothing_old_as_new(outbox: UplinkOutbox) -> None:
    table = Table(outbox, games=1)
    table.connect()
    while table.give():
        pass
    table.acknowledge()
    table.uplink.handle_message(
        door.StoredGameHeads(STORE, (door.StoredGameHead(1, f"{1:032x}", 1, False, BEGAN),))
    )
    assert not table.give(), "fewer entries are an older version"
    assert outbox.unsent_count() == 0
