"""What a table tells its club of the game that is on, and what it shows of what the desk says."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any

import pytest

from companion.core.actions import Setup
from companion.core.view import Sentence
from companion.network import uplink_messages as ms
from companion.network.messages import Message, TableSnapshot
from companion.network.uplink_messages import TableTask
from companion.table.remote.club_link import TableClub
from companion.table.remote.connections import OutletGroup
from companion.ui.frame import ClubAssignment

TASK = TableTask(id="t", round=2, expires="2026-11-25T21:00:00+00:00", game="lantern", players=("Ada", "Ben"))


class Kept:
    """A door that keeps what it is told."""

    def __init__(self) -> None:
        self.has_readers = True
        self.connection_count = 1
        self.told: list[Message] = []
        self.incoming_tasks: SimpleQueue[ms.NextTask | ms.BrokerStatus | None] = SimpleQueue()

    def broadcast(self, message: Message) -> None:
        self.told.append(message)


@pytest.fixture
def door() -> Kept:
    return Kept()


@pytest.fixture
def club(door: Kept) -> TableClub:
    return TableClub(door)


def say(door: Kept, club: TableClub, *said: Any) -> None:
    for one in said:
        door.incoming_tasks.put(one)
    club.receive_messages()


def test_without_an_uplink_there_is_no_judge_to_call_and_nothing_is_next(door: Kept, club: TableClub) -> None:
    say(door, club, ms.NextTask(TASK))
    door.has_readers = False
    assert club.judge_state() == ""
    assert club.club_assignment() is None


def test_a_judge_is_called_once_and_the_call_is_taken_back(door: Kept, club: TableClub) -> None:
    assert club.judge_state() == "free"
    assert club.toggle_judge_call() == Sentence("ui.judge.waits"), "the broker cannot be reached yet"
    say(door, club, ms.BrokerStatus(now=True))
    assert club.judge_state() == "wanted"
    assert club.toggle_judge_call() == Sentence("ui.judge.taken_back")
    assert club.judge_state() == "free"
    assert club.toggle_judge_call() == Sentence("ui.judge.asked")
    first, back, second = (one.call for one in door.told if isinstance(one, ms.JudgeCallMessage) and one.call)
    assert (first.taken_back, back.taken_back, second.taken_back) == (False, True, False)
    assert first.id == back.id != second.id


def test_what_is_next_here_stands_until_it_is_taken_back_or_the_uplink_goes(
    door: Kept, club: TableClub
) -> None:
    say(door, club, ms.NextTask(TASK))
    assert club.club_assignment() == ClubAssignment("lantern", 2, ("Ada", "Ben"))
    say(door, club, ms.NextTask(None))
    assert club.club_assignment() is None
    say(door, club, ms.NextTask(TASK))
    door.has_readers = False
    say(door, club, None)
    door.has_readers = True
    assert club.club_assignment() is None


def test_what_somebody_has_to_do_stands_on_the_home_page_and_a_broker_that_is_away_is_waited_for(
    door: Kept, club: TableClub
) -> None:
    say(door, club, ms.BrokerStatus(now=False, trouble="ui.club.unreachable"))
    assert club.warnings() == ()
    say(door, club, ms.BrokerStatus(now=False, trouble="ui.club.clash"))
    assert club.warnings() == (Sentence("ui.club.clash"),)
    door.has_readers = False
    assert club.warnings() == ()


@pytest.mark.parametrize("name", ["", "x" * 41, "a\nb", "\x1b[2J"])
def test_a_task_that_cannot_be_shown_is_none(door: Kept, club: TableClub, name: str) -> None:
    say(door, club, ms.NextTask(TableTask(id="t", round=1, expires="", game="lantern", players=(name,))))
    assert club.club_assignment() is None


def test_a_table_without_a_game_says_so_once_to_each_new_reader(door: Kept, club: TableClub) -> None:
    for _ in range(3):
        club.send_updates(None)
    assert door.told == [ms.JudgeCallMessage(None), ms.CurrentGame()]
    door.connection_count += 1
    club.send_updates(None)
    assert door.told[2:] == [ms.JudgeCallMessage(None), ms.CurrentGame()]


def test_what_is_public_is_told_to_every_door_and_a_new_reader_at_one_is_seen() -> None:
    one, two = Kept(), Kept()
    both = OutletGroup(one, two)
    two.has_readers = False
    assert both.has_readers
    both.broadcast(TableSnapshot(seq=1))
    assert one.told == two.told == [TableSnapshot(seq=1)]
    before = both.connection_count
    two.connection_count += 1
    assert both.connection_count != before
    one.has_readers = False
    assert not both.has_readers


def test_a_whole_game_is_told_when_it_begins_and_when_it_is_over(tmp_path: Any) -> None:
    """In a table's own session: entries alone are not told, an outcome is."""
    from companion.core.clock import ManualClock
    from companion.games import RULES
    from companion.referee.journal import make_header
    from companion.referee.loop import RefereedGame
    from companion.referee.referee import Referee
    from companion.referee.store import GameStore
    from companion.table.session import Session
    from tests.home.played import GAME, simulated

    rules: Any = RULES[GAME]
    with GameStore(tmp_path / "games.sqlite", RULES) as store:
        journal = store.create_game(make_header(GAME, Setup((0, 1, 2), rules.options())))
        referee = Referee(rules, journal)
        clock = ManualClock()
        session = Session(RefereedGame(referee, chance=lambda _: 0), clock=clock, voice=Silent())
        door = Kept()
        club = TableClub(door)
        for entry in simulated(1)[0]:
            referee.observe(entry.cause)
            journal.flush()
            club.send_updates(session)
        assert journal.close()
        club.send_updates(session)
    told = [one for one in door.told if isinstance(one, ms.CurrentGame)]
    assert told[-1] == ms.CurrentGame(1, GAME, len(journal.entries), over=True)
    assert [one.over for one in told].count(True) == 1
    assert len(told) <= 3, "nothing, that it began, that it is over"


class Silent:
    available = False
    count_finished = True
    caption = None

    def announce(self, *_: Any) -> None: ...
    def say(self, *_: Any) -> None: ...
    def play_effect(self, *_: Any) -> None: ...
    def play_cue(self, *_: Any) -> None: ...
    def stop_cue(self) -> None: ...
    def poll(self, *_: Any) -> list[Any]:
        return []
