"""Phones at the screen: how they are let in, the three ways of saying yes, and the way back to the game."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Chair
from companion.core.clock import ManualClock
from companion.core.view import LampSignal, Sentence
from companion.language import installed_languages
from companion.language.language import Language
from companion.network import messages as ms
from companion.table.remote.phone_seats import TablePhones
from companion.ui import commands as do
from companion.ui.frame import GameFrame, PhonesFrame
from tests.table.app_table import Table
from tests.table.remote.phones_at_table import COLOURS, Exchange
from tests.table.remote.phones_at_table import Table as PhoneTable
from tests.table.remote.test_table_phones import SERVING


class Runner:
    """What would run the page."""

    def __init__(self) -> None:
        self.started, self.firewall_remedy = 0, ""
        self.ended: Sentence | None = None

    def start(self) -> None:
        self.started += 1

    def trouble(self) -> Sentence | None:
        return self.ended


class Room:
    """A table that can let phones join, on the page where it does so."""

    def __init__(self) -> None:
        self.runner = Runner()
        self.made: list[tuple[Exchange, TablePhones]] = []
        self.table = Table(phones=self._phones, runner=lambda clock: self.runner)
        ((self.door, self.phones),) = self.made

    def _phones(self, clock: ManualClock) -> TablePhones:
        door = Exchange(clock)
        self.made.append((door, TablePhones(door, clock, COLOURS)))
        return self.made[-1][1]

    def say(self, *said: ms.ToTable | None) -> None:
        for one in said:
            self.door.incoming.put(one)
        self.table.run()

    def opened(self) -> None:
        self.table.run()
        self.table.touch("more")
        self.table.touch("phones")
        self.table.touch("open")
        self.say(SERVING, ms.PhoneJoined("p"), ms.ChairRequest("p", 1))

    @property
    def frame(self) -> Any:
        return self.table.app.frame()


@pytest.fixture
def room() -> Room:
    return Room()


def test_letting_phones_join_starts_the_page_and_shows_where_it_is(room: Room) -> None:
    room.opened()
    frame = room.frame
    assert isinstance(frame, PhonesFrame)
    assert (room.runner.started, frame.phones.address, frame.phones.pin) == (
        1,
        "http://192.168.1.5:8420",
        "012345",
    )
    assert [seat.state for seat in frame.phones.seats] == ["free", "asks", "free", "free"]


@pytest.mark.parametrize("by", ["button", "key", "touch"])
def test_the_table_says_yes_by_the_chairs_own_button_by_a_key_or_by_touch(room: Room, by: str) -> None:
    room.opened()
    assert room.phones.held_chairs()[0] == frozenset()
    if by == "button":
        room.table.press(1)
    elif by == "key":
        room.table.key("2")
    else:
        room.table.touch("yes:1")
    assert room.phones.held_chairs()[0] == {1}
    assert room.door.of(ms.ChairGranted) == [ms.ChairGranted("p", 1)]
    assert room.table.app.ui_state.draft.chairs == (1,), "whoever has a chair plays in the next game"


def test_who_sits_down_by_phone_is_called_at_the_table_as_they_typed(room: Room) -> None:
    room.opened()
    room.say(ms.ChairRequest("p", 1, "Jonas"))
    room.table.press(1)
    assert room.table.app.ui_state.draft.names == ((1, "Jonas"),)


@pytest.mark.parametrize("chair", [0, 2, 7])
def test_the_button_of_another_chair_says_nothing(room: Room, chair: Chair) -> None:
    room.opened()
    room.table.press(chair)
    assert room.phones.held_chairs()[0] == frozenset()
    assert room.phones.requested_chairs == {1}


def test_the_lamps_of_the_chairs_that_are_asked_for_glow_where_their_buttons_say_yes(room: Room) -> None:
    room.opened()
    assert room.table.host.lit == {1}
    room.table.press(1)
    assert room.table.host.lit == frozenset()
    room.table.touch("back")
    room.table.begin()
    game = room.table.session.lamps()
    room.say(ms.PhoneJoined("q"), ms.ChairRequest("q", 2))
    assert room.table.session.lamps() == game, "in a game lamps are the game's"
    room.table.touch("bar:menu")
    room.table.touch("phones")
    assert room.table.session.lamps() == {2: LampSignal.LIT}
    room.table.press(2)
    assert room.table.session.lamps() == {}
    room.table.touch("back")
    assert set(room.table.session.lamps()) == set(game)


def test_no_and_taking_back_are_one_touch(room: Room) -> None:
    room.opened()
    room.table.touch("no:1")
    assert room.door.of(ms.RequestRefused) == [ms.RequestRefused("p", "taken_back")]
    room.say(ms.ChairRequest("p", 1))
    room.table.touch("yes:1")
    room.table.touch("no:1")
    assert room.phones.held_chairs()[0] == frozenset()


def test_closing_lets_all_phones_go(room: Room) -> None:
    room.opened()
    room.table.touch("yes:1")
    room.table.touch("shut")
    assert room.door.of(ms.RequestRefused) == [ms.RequestRefused("p", "closed")]
    assert not room.frame.phones.is_open


def test_in_a_game_the_page_is_reached_by_the_menu_and_the_game_waits_meanwhile(room: Room) -> None:
    room.opened()
    room.table.touch("back")
    room.table.begin()
    room.say(ms.ChairRequest("p", 1))
    assert isinstance(room.frame, GameFrame)
    assert (1, Sentence("ui.phones.asks")) in room.frame.notices
    before = len(room.table.session.game.referee.journal.entries)
    room.table.press(1)
    assert room.phones.held_chairs()[0] == frozenset(), "in the game a button is the game's"
    room.table.touch("bar:menu")
    room.table.touch("phones")
    assert room.table.state.desk.paused
    room.table.press(1)
    assert room.phones.held_chairs()[0] == {1}
    assert room.table.session.game.phones.chairs == {1}
    room.table.touch("back")
    assert isinstance(room.frame, GameFrame)
    assert not room.table.state.desk.paused
    assert [seat.chair for seat in room.frame.by_phone] == [1]
    entries = room.table.session.game.referee.journal.entries[before:]
    assert {type(entry.cause) for entry in entries} <= {
        ob.ButtonPressed,
        ob.ButtonReleased,
        ob.PauseRequested,
        ob.ResumeRequested,
    }


def test_a_page_that_ends_is_told_once_with_what_to_do(room: Room) -> None:
    room.opened()
    room.runner.ended = Sentence("ui.phones.ended")
    room.table.run()
    assert room.frame.trouble == Sentence("ui.phones.ended")


def test_a_table_that_is_restarted_in_a_game_of_phones_says_that_they_have_to_join_again(room: Room) -> None:
    room.opened()
    room.say(ms.ChairRequest("p", 0))
    room.table.press(0)
    room.table.touch("back")
    room.table.begin()
    offer = room.door.of(ms.ChairOffers)[-1].offers[0]
    assert offer.chair == 0
    assert room.frame.trouble is None, "they are here"
    room.say(ms.PhoneChoice("p", offer.number, 0, room.phones._now()))
    room.table.app.carry_out(do.LeaveOrQuit())
    again = Room()
    again.table.host.journals = room.table.host.journals
    again.table.app.carry_out(do.ResumeGame("1"))
    again.table.run()
    assert again.frame.trouble == Sentence("shared.phones.again")
    assert "shared.phones.again" in {said.key for _, said in again.table.host.voice.said}


def test_that_somebody_guesses_pins_is_said_once_for_each_time_phones_are_let_in(room: Room) -> None:
    def said() -> bool:
        return bool(room.frame.trouble == Sentence("shared.phones.guessed"))

    room.opened()
    room.say(ms.BrowserProblem("guessed"))
    assert said()
    room.table.run(10 * SECOND)
    room.say(*[ms.BrowserProblem("guessed")] * 33)
    assert not said(), "a thousand wrong PINs are told as thirty are"
    room.table.touch("shut")
    room.table.touch("open")
    room.say(ms.BrowserProblem("guessed"))
    assert said()


@pytest.mark.parametrize("what", [one for one in get_args(ms.BrowserProblemKind) if one != "guessed"])
def test_what_is_wrong_with_browsers_is_shown_once_for_each_opening_and_changes_no_game(
    room: Room, what: ms.BrowserProblemKind
) -> None:
    room.opened()
    room.table.touch("back")
    room.table.begin()
    before = room.table.session.game.referee.journal.entries[:]
    spoken = list(room.table.host.voice.said)
    room.say(*[ms.BrowserProblem(what)] * 100)
    assert isinstance(room.frame, GameFrame)
    assert room.frame.trouble == Sentence(f"ui.phones.{what}")
    room.table.run(10 * SECOND)
    room.say(ms.BrowserProblem(what))
    assert room.frame.trouble is None, "it was told"
    assert room.table.session.game.referee.journal.entries == before
    assert list(room.table.host.voice.said) == spoken, "nobody is interrupted"
    room.phones.admit_phones()
    room.table.run()
    room.say(ms.BrowserProblem(what))
    assert room.frame.trouble == Sentence(f"ui.phones.{what}")


@pytest.mark.parametrize("code", installed_languages.language_codes())
def test_what_is_wrong_with_browsers_has_a_sentence_at_the_table(code: str) -> None:
    words = Language(code)
    for what in get_args(ms.BrowserProblemKind):
        key = f"{'shared' if what == 'guessed' else 'ui'}.phones.{what}"
        assert words.tr(key) != key


def test_while_there_is_no_page_the_phones_page_says_why(room: Room) -> None:
    room.opened()
    room.runner.ended = Sentence("ui.phones.taken")
    room.say(None)  # its line went down with it
    room.table.run(60 * SECOND)
    assert room.frame.trouble is None
    assert room.frame.phones.trouble == Sentence("ui.phones.taken"), "not that it is starting"
    room.table.touch("open")
    assert room.runner.started == 2, "it is let in again by one touch"
    room.runner.ended = None
    room.say(SERVING)
    assert room.frame.phones.trouble is None


def test_without_a_door_nothing_offers_phones() -> None:
    table = Table()
    table.run()
    table.touch("more")
    page = table.app._pages["home"]
    assert "phones" not in {target.key for target in page.painted_sheet(table.app.frame()).targets}


def test_whatever_strangers_say_a_game_by_wires_is_judged_as_without_them() -> None:
    """Forged presses, questions and wishes of phones that hold nothing leave the journal as it was."""
    from tests.table.loop import FIRST_BEAT, kinapa_count

    alone, pestered = PhoneTable(), PhoneTable()
    pestered.phones.admit_phones()
    wire = [
        (5_000_000, ob.ButtonPressed(at=5_000_000, chair=2)),
        (5_100_000, ob.ButtonReleased(at=5_100_000, chair=2)),
    ]
    for table in (alone, pestered):
        reports = sorted((*kinapa_count(), *wire), key=lambda one: one[0])
        for until in range(0, FIRST_BEAT + 6_000_000, 500_000):
            due = [one for one in reports if until <= one[0] < until + 500_000]
            if table is pestered:
                for said in (
                    *(
                        ms.PhoneJoined("x"),
                        ms.ChairRequest("x", until // 500_000 % 4),
                        ms.PhonePress("x", 3, until * 1_000),
                    ),
                    *(
                        ms.PhoneChoice("x", 0, 1, 5),
                        ms.PhoneQuestion("x", "why"),
                        ms.TakeChairBack(2),
                        ms.PhonePresence("x", awake=True),
                    ),
                    *(SERVING, None, ms.PhoneLeft("x")),
                ):
                    table.door.incoming.put(said)
            table.run(until + 500_000, *due)
    assert pestered.game.referee.journal.entries == alone.game.referee.journal.entries
    assert len(alone.game.referee.journal.entries) > 7
