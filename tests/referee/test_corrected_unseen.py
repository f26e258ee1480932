"""A correction does not judge by what the camera saw then and sees otherwise now."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.games import RULES
from companion.games.kit.cards import CARDS, FACES
from companion.referee.journal import Entry, MemoryJournal, make_header
from companion.referee.referee import Referee


class Seen:
    """A game of four with a camera."""

    def __init__(self, game: str) -> None:
        rules = RULES[game]
        setup = Setup((0, 1, 2, 3), rules.options())
        self.referee: Referee[Any] = Referee(rules, MemoryJournal(make_header(game, setup)))

    @property
    def state(self) -> Any:
        return self.referee.state

    @property
    def at(self) -> int:
        return self.referee.at + SECOND

    def say(self, seat: int, verb: str, value: str | int | None = None) -> Entry[Any]:
        return self.referee.observe(ob.ActionDeclared(at=self.at, action=Action(seat, verb, value)))

    def see(self, place: str, *cards: str) -> None:
        region = ob.RegionReading(place, tuple(map(ob.SeenCard, cards)), self.at - 2, self.at - 1)
        self.referee.observe(ob.TableSeen(at=self.at, regions=(region,)))

    def correct(self, entry: Entry[Any], verb: str, value: str | int | None = None) -> Entry[Any]:
        assert isinstance(entry.cause, ob.ActionDeclared)
        said = ob.ActionDeclared(at=0, action=Action(entry.cause.action.seat, verb, value))
        return self.referee.correct(entry.seq, said, self.at)


@pytest.mark.parametrize("way", ["lies", "turned down", "turned down in a pause"])
def test_a_hand_that_was_shown_too_early_counts_only_if_it_still_lies_open(way: str) -> None:
    table = Seen("kobayakawa")
    table.say(0, "start")
    table.say(0, "dealt")
    table.say(0, "kobayakawa", 7)
    for number in (1, 2, 3, 4):
        seat = table.state.actor
        table.say(seat, "draw")
        table.say(seat, "discard", number)
    first = table.state.actor
    hand = f"hand:{table.state.field_of_seat(first)}"
    table.say(first, "fight")
    table.see(hand, "number:12")
    table.say(table.state.actor, "pass")
    table.say(table.state.actor, "pass")
    last = table.say(table.state.actor, "pass")
    if way == "turned down in a pause":
        table.referee.observe(ob.PauseRequested(at=table.at))
    if way != "lies":
        table.see(hand, "back:number")
    table.correct(last, "fight")
    assert table.state.phase == "showdown"
    assert table.state.hands[first].shown == (12 if way == "lies" else 0)


@pytest.mark.parametrize("lies", [True, False])
def test_a_card_that_went_back_into_the_hand_before_it_was_played_is_not_played_by_a_correction(
    *, lies: bool
) -> None:
    table = Seen("hearts")

    def lay(seat: int, card: str) -> None:
        table.see(f"seat_card:{seat}", FACES[CARDS[card]])

    for seat, suit, rank in (
        *((3, "clubs", 2), (0, "diamonds", 3), (1, "clubs", 4), (2, "clubs", 5)),
        *((2, "diamonds", 9), (3, "diamonds", 4), (0, "clubs", 7)),
    ):
        lay(seat, f"{suit}|{rank}")
    assert len(table.state.checks) == 2
    lay(1, "diamonds|8")
    right = table.say(0, "right")
    if not lies:
        table.see("seat_card:1")
    table.correct(right, "was", "clubs|9")
    assert len(table.state.plays) == (8 if lies else 7)


@pytest.mark.parametrize("again", [True, False])
def test_a_reading_before_nobody_saw_the_table_is_judged_again_only_if_it_is_repeated(*, again: bool) -> None:
    table = Seen("hearts")
    table.see("seat_card:3", "clubs:2")
    told = table.say(0, "play", "clubs|5")
    table.see("seat_card:1", "diamonds:8")
    table.referee.observe(ob.ProgramRestarted(at=table.at))
    if again:
        table.see("seat_card:1", "diamonds:8")
    assert table.referee.is_correctable(told.seq) == again


@pytest.mark.parametrize("lies", [True, False])
def test_a_card_that_was_taken_off_its_place_is_no_discard_by_a_correction(*, lies: bool) -> None:
    table = Seen("kobayakawa")
    table.say(0, "start")
    table.say(0, "dealt")
    table.say(0, "kobayakawa", 7)
    place = f"discard:{table.state.field_of_seat(1)}"
    table.see(place, "number:9")
    table.say(0, "draw")
    table.say(0, "discard", 3)
    replaced = table.say(1, "replace")
    if not lies:
        table.see(place)
    table.correct(replaced, "draw")
    assert table.state.hands[1].discard == (9 if lies else -1)


def test_a_card_that_was_read_and_counts_as_before_lies_there_after_a_correction() -> None:
    table = Seen("kobayakawa")
    table.say(0, "start")
    table.say(0, "dealt")
    first = table.say(0, "kobayakawa", 7)
    for number in (9, 5):
        table.say(table.state.actor, "replace")
        table.see("kobayakawa", f"number:{number}")
    stood = table.state
    assert stood.kobayakawa == 5
    table.correct(first, "kobayakawa", 7)
    assert table.state == stood


def test_what_a_correction_names_is_known_though_something_was_taken_back_since() -> None:
    table = Seen("dnup")
    table.say(0, "prepared")
    table.say(0, "star")
    table.see("set:1", "pair:1-7")
    table.referee.fire_timers(table.at + 10 * SECOND)
    read = next(table.referee.correctable_entries())
    table.say(1, "rotate")
    table.referee.observe(ob.UndoRequested(at=table.at))
    said = ob.ActionDeclared(at=0, action=Action(0, "play", "1x4"))
    table.referee.correct(read.seq, said, table.at)
    assert table.state.areas[0].cards == ("4/?",)


def test_a_set_that_was_corrected_lies_there_after_an_ended_game_is_taken_back() -> None:
    table = Seen("dnup")
    table.say(0, "prepared")
    table.say(0, "star")
    table.see("set:1")
    table.see("set:1", "pair:1-7")
    table.referee.fire_timers(table.at + 10 * SECOND)
    read = next(table.referee.correctable_entries())
    said = ob.ActionDeclared(at=0, action=Action(0, "play", "1x4"))
    table.referee.correct(read.seq, said, table.at)
    table.referee.observe(ob.AbandonRequested(at=table.at))
    table.referee.observe(ob.UndoRequested(at=table.at))
    assert table.state.areas[0].cards == ("4/?",)
