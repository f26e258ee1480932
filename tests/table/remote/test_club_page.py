"""A club at the screen: a judge is called from the menu, and what is next here stands on the home page."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any

import pytest

from companion.core.view import Sentence
from companion.network import uplink_messages as ms
from companion.network.messages import Message
from companion.network.uplink_messages import TableTask
from companion.table.remote.club_link import TableClub
from companion.ui.frame import ClubAssignment, GameFrame, HomeFrame
from tests.table.app_table import Table


class Door:
    """The uplink's door, with somebody at it."""

    def __init__(self) -> None:
        self.has_readers = True
        self.connection_count = 1
        self.told: list[Message] = []
        self.incoming_tasks: SimpleQueue[ms.NextTask | ms.BrokerStatus | None] = SimpleQueue()

    def broadcast(self, message: Message) -> None:
        self.told.append(message)


class Room:
    """A table of a club."""

    def __init__(self) -> None:
        self.door = Door()
        self.table = Table(club=lambda clock: TableClub(self.door))

    def say(self, *said: Any) -> None:
        for one in said:
            self.door.incoming_tasks.put(one)
        self.table.run()

    def calls(self) -> list[bool]:
        return [
            one.call.taken_back for one in self.door.told if isinstance(one, ms.JudgeCallMessage) and one.call
        ]

    def notice(self) -> Sentence | None:
        return self.table.app.frame().trouble


@pytest.fixture
def room() -> Room:
    return Room()


def test_a_judge_is_called_from_the_menu_and_the_call_is_taken_back_there(room: Room) -> None:
    room.say(ms.BrokerStatus(now=True))
    room.table.begin()
    for said, calls in (("ui.judge.asked", [False]), ("ui.judge.taken_back", [False, True])):
        room.table.touch("bar:menu")
        room.table.touch("judge")
        assert room.table.overlay == ""
        assert room.notice() == Sentence(said)
        assert room.calls() == calls
    frame = room.table.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.judge == "free"


def test_where_the_desk_cannot_be_reached_the_table_says_so_and_the_call_waits(room: Room) -> None:
    room.table.begin()
    room.table.touch("bar:menu")
    room.table.touch("judge")
    assert room.notice() == Sentence("ui.judge.waits")
    assert room.calls() == [False]


def test_a_table_without_a_club_has_no_judge_in_its_menu() -> None:
    table = Table()
    table.begin()
    table.touch("bar:menu")
    with pytest.raises(KeyError):
        table.touch("judge")


def test_what_is_next_here_stands_on_the_home_page_and_begins_nothing(room: Room) -> None:
    room.say(ms.NextTask(TableTask(id="t", round=2, expires="", game="kinapa", players=("Ada", "Ben"))))
    frame = room.table.app.frame()
    assert isinstance(frame, HomeFrame)
    assert frame.club_assignment == ClubAssignment("kinapa", 2, ("Ada", "Ben"))
    sheet = room.table.app._pages["home"].painted_sheet(frame)
    assert any("Ada, Ben" in one.string for one in sheet.text_lines), sheet.text_lines
    assert room.table.app.session is None
    room.say(ms.NextTask(None))
    assert getattr(room.table.app.frame(), "club_assignment", "") is None


def test_a_trouble_of_the_club_stands_on_the_home_page(room: Room) -> None:
    room.say(ms.BrokerStatus(now=False, trouble="ui.club.clash"))
    frame = room.table.app.frame()
    assert isinstance(frame, HomeFrame)
    assert Sentence("ui.club.clash") in frame.doctor
