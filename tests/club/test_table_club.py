"""What a table tells its club of the game that is on, and what it shows of what the desk says."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any

import pytest

from companion.core.actions import Setup
from companion.core.view import Sentence
from companion.doors import uplink as ms
from companion.doors.messages import Message, View
from companion.doors.results import Task
from companion.table.club import TableClub
from companion.table.outside import Outlets
from companion.ui.frame import NextHere

TASK = Task(id="t", round=2, expires="2026-11-25T21:00:00+00:00", game="lantern", players=("Ada", "Ben"))


class Kept:
    """A door that keeps what it is told."""

    def __init__(self) -> None:
        self.read = True
        self.opened = 1
        self.told: list[Message] = []
        self.said: SimpleQueue[ms.Next | ms.Linked | None] = SimpleQueue()

    def tell(self, message: Message) -> None:
        self.told.append(message)


@pytest.fixture
def door() -> Kept:
    return Kept()


@pytest.fixture
def club(door: Kept) -> TableClub:
    return TableClub(door)


def say(door: Kept, club: TableClub, *said: Any) -> None:
    for one in said:
        door.said.put(one)
    club.take_in()


def test_without_an_uplink_there_is_no_judge_to_call_and_nothing_is_next(door: Kept, club: TableClub) -> None:
    say(door, club, ms.Next(TASK))
    door.read = False
    assert club.judge() == ""
    assert club.next_here() is None


def test_a_judge_is_called_once_and_the_call_is_taken_back(door: Kept, club: TableClub) -> None:
    assert club.judge() == "free"
    assert club.call() == Sentence("ui.judge.waits"), "the broker cannot be reached yet"
    say(door, club, ms.Linked(now=True))
    assert club.judge() == "wanted"
    assert club.call() == Sentence("ui.judge.taken_back")
    assert club.judge() == "free"
    assert club.call() == Sentence("ui.judge.asked")
    first, back, second = (one.call for one in door.told if isinstance(one, ms.Judge) and one.call)
    assert (first.taken_back, back.taken_back, second.taken_back) == (False, True, False)
    assert first.id == back.id != second.id


def test_what_is_next_here_stands_until_it_is_taken_back_or_the_uplink_goes(
    door: Kept, club: TableClub
) -> None:
    say(door, club, ms.Next(TASK))
    assert club.next_here() == NextHere("lantern", 2, ("Ada", "Ben"))
    say(door, club, ms.Next(None))
    assert club.next_here() is None
    say(door, club, ms.Next(TASK))
    door.read = False
    say(door, club, None)
    door.read = True
    assert club.next_here() is None


def test_what_somebody_has_to_do_stands_on_the_home_page_and_a_broker_that_is_away_is_waited_for(
    door: Kept, club: TableClub
) -> None:
    say(door, club, ms.Linked(now=False, trouble="ui.club.unreachable"))
    assert club.notes() == ()
    say(door, club, ms.Linked(now=False, trouble="ui.club.clash"))
    assert club.notes() == (Sentence("ui.club.clash"),)
    door.read = False
    assert club.notes() == ()


@pytest.mark.parametrize("name", ["", "x" * 41, "a\nb", "\x1b[2J"])
def test_a_task_that_cannot_be_shown_is_none(door: Kept, club: TableClub, name: str) -> None:
    say(door, club, ms.Next(Task(id="t", round=1, expires="", game="lantern", players=(name,))))
    assert club.next_here() is None


def test_a_table_without_a_game_says_so_once_to_each_new_reader(door: Kept, club: TableClub) -> None:
    for _ in range(3):
        club.tell(None)
    assert door.told == [ms.Judge(None), ms.Playing()]
    door.opened += 1
    club.tell(None)
    assert door.told[2:] == [ms.Judge(None), ms.Playing()]


def test_what_is_public_is_told_to_every_door_and_a_new_reader_at_one_is_seen() -> None:
    one, two = Kept(), Kept()
    both = Outlets(one, two)
    two.read = False
    assert both.read
    both.tell(View(seq=1))
    assert one.told == two.told == [View(seq=1)]
    before = both.opened
    two.opened += 1
    assert both.opened != before
    one.read = False
    assert not both.read


def test_a_whole_game_is_told_when_it_begins_and_when_it_is_over(tmp_path: Any) -> None:
    """In a table's own session: entries alone are not told, an outcome is."""
    from companion.core.clock import ManualClock
    from companion.games import RULES
    from companion.referee.journal import header_of
    from companion.referee.loop import RefereedGame
    from companion.referee.referee import Referee
    from companion.referee.store import Store
    from companion.table.session import Session
    from tests.club.played import GAME, simulated

    rules: Any = RULES[GAME]
    with Store(tmp_path / "games.sqlite", RULES) as store:
        journal = store.create(header_of(GAME, Setup((0, 1, 2), rules.options())))
        referee = Referee(rules, journal)
        clock = ManualClock()
        session = Session(RefereedGame(referee, chance=lambda _: 0), clock=clock, voice=Silent())
        door = Kept()
        club = TableClub(door)
        for entry in simulated(1)[0]:
            referee.observe(entry.cause)
            journal.flush()
            club.tell(session)
        assert journal.close()
        club.tell(session)
    told = [one for one in door.told if isinstance(one, ms.Playing)]
    assert told[-1] == ms.Playing(1, GAME, len(journal.entries), over=True)
    assert [one.over for one in told].count(True) == 1
    assert len(told) <= 3, "nothing, that it began, that it is over"


class Silent:
    available = False
    sounded = True
    caption = None

    def say(self, *_: Any) -> None: ...
    def play_cue(self, *_: Any) -> None: ...
    def stop_cue(self) -> None: ...
    def poll(self, *_: Any) -> list[Any]:
        return []
