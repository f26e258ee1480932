"""A program that stood still has not seen the table: nothing has rested meanwhile, and nobody's clock ran."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros, Setup
from companion.core.clock import ManualClock
from companion.core.switch import Edge
from companion.core.view import Sentence
from companion.games import RULES
from companion.games.any_game.rules import model as any_game
from companion.games.dnup.rules.model import CardsShown, SetPlayed
from companion.games.kabuki.rules.model import MaskPlaced, StackCardShown, UnreadGone
from companion.games.kit.trick_table import CardPlayed
from companion.referee.journal import MemoryJournal, make_header, replay_state
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.table.session import Session
from tests.games.dnup.dnup_table import face
from tests.referee.game_hands import tap
from tests.table.loop import MILLI, ListVoice

FRAME: Micros = 4 * MILLI


class Still:
    """A game whose program stands still when it is told to."""

    def __init__(self, name: str, down: set[int] | None = None, **options: Any) -> None:
        rules = RULES[name]
        header = make_header(name, Setup((0, 1, 2, 3), rules.options(**options)), kind="simulation")
        read: dict[str, Any] = {}
        if down is not None:
            read["level"] = lambda chair, _: chair in down
            read["levels"] = lambda: {(chair, "seat"): chair in down for chair in range(4)}
        self.game = RefereedGame(Referee(rules, MemoryJournal(header)), chance=lambda _: 0, **read)
        self.clock = ManualClock(0)
        self.session = Session(self.game, clock=self.clock, voice=ListVoice(self.clock, available=False))
        self.run(FRAME)

    @property
    def now(self) -> Micros:
        return self.clock.now()

    def run(self, length: Micros) -> None:
        end = self.now + length
        while self.now < end:
            self.clock.move_to(min(end, self.now + FRAME))
            self.session.step()
            self.session.note_frame_shown(self.session.view)

    def stand(self, length: Micros, *delivered: Any) -> None:
        """Stand still; what is `delivered` comes in before the next round."""
        self.clock.move_to(self.now + length)
        for one in delivered:
            self.session.submit(one)
        self.session.step()
        self.session.note_frame_shown(self.session.view)

    def say(self, seat: int, verb: str, value: str | None = None) -> None:
        self.session.submit(ob.ActionDeclared(at=self.now, action=Action(seat, verb, value)))
        self.run(200 * MILLI)

    def see(self, place: str, *faces: ob.SeenCard) -> None:
        """The camera settles on these, which have lain for 600 ms."""
        lies = self.now - 600 * MILLI
        self.session.submit(
            ob.TableSeen(at=self.now, regions=(ob.RegionReading(place, faces, lies - 50 * MILLI, lies),))
        )

    def events(self, *kinds: Any) -> list[Any]:
        found = (event for entry in self.game.referee.journal.entries for event in entry.events)
        return [event for event in found if isinstance(event, kinds)]

    def replayed(self) -> Any:
        referee = self.game.referee
        return replay_state(referee.rules, referee.setup, list(referee.journal.entries))


@pytest.mark.parametrize("still", [0, 900 * MILLI, 2 * SECOND, 4 * SECOND])
def test_a_card_that_was_laid_while_the_program_stood_still_belongs_to_the_set(still: Micros) -> None:
    table = Still("dnup", settle_s=2)
    table.say(0, "prepared")
    table.say(0, "star")
    table.see("set:1", face("3/8"))
    table.run(1600 * MILLI)
    if still:
        table.stand(still)  # the second card is laid, and settles only when somebody looks again
    table.run(250 * MILLI if not still else 700 * MILLI)
    table.see("set:1", face("3/8"), face("3/7"))
    table.run(3 * SECOND)
    assert [(played.seat, played.count) for played in table.events(SetPlayed)] == [(0, 2)]
    assert table.replayed() == table.game.referee.state


@pytest.mark.parametrize("still", [600 * MILLI, 2200 * MILLI])
def test_an_arm_that_left_while_the_program_stood_still_is_no_mask(still: Micros) -> None:
    table = Still("kabuki")
    for seat, verb, value in ((0, "begin", None), (0, "place", "sun@1"), (1, "place", "wave@2")):
        table.say(seat, verb, value)
    table.run(2 * SECOND)
    placed = len(table.events(MaskPlaced))
    table.see("stack:2", ob.SeenCard("unknown"))
    table.run(1500 * MILLI)
    table.stand(still)
    table.run(600 * MILLI)
    table.see("stack:2", ob.SeenCard("mask:wave"))
    table.run(3 * SECOND)
    assert len(table.events(MaskPlaced)) == placed
    assert len(table.events(UnreadGone)) == 1


def thinking(down: set[int] | None = None, **options: Any) -> tuple[Still, Micros]:
    """A round of any game in which the first player thinks, and when it began."""
    table = Still("any_game", down, **options)
    table.say(0, "begin_round")
    (began,) = table.events(any_game.RoundBegan)
    return table, began.at


CLOCKS: dict[str, Any] = {"bank": 60, "empty_loses": True}


@pytest.mark.parametrize("source", ["gpio", "key", "touch"])
def test_a_bank_does_not_run_out_while_the_program_stands_still(source: str) -> None:
    table, began = thinking(**CLOCKS)
    table.run(began + 50 * SECOND - table.now)
    before = table.now
    at = before + SECOND if source == "gpio" else before + 15 * SECOND
    table.stand(15 * SECOND, Edge(0, "seat", level=True, at=at, source=source, since=None))
    table.run(SECOND)
    (ended,) = table.events(any_game.TurnEnded)
    assert (ended.seat, table.events(any_game.BankEmpty)) == (0, [])
    assert table.game.referee.state.spent[0] == 50 * SECOND
    assert table.game.referee.state.spent[1] < 2 * SECOND  # whose lamp nobody could see
    assert table.session.table_notice(table.now) == Sentence("shared.clocks_stood")
    assert table.replayed() == table.game.referee.state


def test_a_limit_ends_a_turn_by_time_that_was_seen() -> None:
    table, began = thinking(limit=30)
    table.run(began + 10 * SECOND - table.now)
    table.stand(100 * SECOND)
    table.run(19 * SECOND)
    assert table.events(any_game.TimeUp) == []
    table.run(2 * SECOND)
    assert [up.seat for up in table.events(any_game.TimeUp)] == [0]


def test_a_pause_that_was_asked_for_while_the_program_stood_still_keeps_the_clocks() -> None:
    table, began = thinking(**CLOCKS)
    table.run(began + 50 * SECOND - table.now)
    table.stand(15 * SECOND, ob.PauseRequested(at=table.now + 15 * SECOND))
    table.run(20 * SECOND)
    table.session.submit(ob.ResumeRequested(at=table.now))
    table.run(9 * SECOND)
    assert table.events(any_game.BankEmpty) == []
    table.run(2 * SECOND)
    assert [empty.seat for empty in table.events(any_game.BankEmpty)] == [0]


@pytest.mark.parametrize("still", [0, 300 * MILLI])
def test_a_card_laid_early_counts_after_a_standstill_only_once_it_is_read_again(still: Micros) -> None:
    table = Still("hearts")
    for seat, name in ((3, "clubs:2"), (1, "diamonds:8")):
        table.see(f"seat_card:{seat}", ob.SeenCard(name))
        table.run(SECOND)
    if still:
        table.stand(still)
        table.run(SECOND)
    table.say(0, "play", "clubs|5")
    assert [play.seat for play in table.events(CardPlayed)] == ([0] if still else [0, 1])
    table.see("seat_card:1", ob.SeenCard("diamonds:8"))
    table.run(SECOND)
    assert [play.seat for play in table.events(CardPlayed)] == [0, 1]


def test_a_short_standstill_is_no_time_that_nobody_saw() -> None:
    table, began = thinking(**CLOCKS)
    table.run(began + 50 * SECOND - table.now)
    table.stand(140 * MILLI)
    table.run(SECOND)
    assert not [one for one in table.game.referee.journal.entries if isinstance(one.cause, ob.ProgramStalled)]


def test_a_game_that_went_on_after_a_crash_in_a_standstill_has_clocks_that_run() -> None:
    rules = RULES["any_game"]
    state = rules.initial_state(Setup((0, 1), rules.options()))
    for seen in (ob.ProgramStalled(at=5, until=9), ob.ProgramRestarted(at=9)):
        for event in rules.decide(state, seen):
            state = rules.evolve(state, event)
    assert (state.desk.clocks_stopped, state.desk.clocks_behind) == (None, 4)


@pytest.mark.parametrize("still", [0, 300 * MILLI])
def test_a_place_that_was_let_go_nobody_knows_when_is_no_later_than_another(still: int) -> None:
    """The edge of the release is lost, and the pin is read some time after it."""
    down = {0, 1}
    table = Still("any_game", down, order="released")
    table.game.buttons.debouncer.set_initial_levels({(chair, "seat"): False for chair in range(4)})
    table.say(0, "begin_round")
    for chair in (0, 1):
        table.session.submit(Edge(chair, "seat", level=True, at=table.now))
    table.run(230 * MILLI)
    at = table.now
    down.clear()
    if still:
        table.clock.move_to(at + still)
    else:
        table.run(FRAME)
    table.session.submit(Edge(1, "seat", level=False, at=at + 3 * MILLI))
    table.run(SECOND)
    assert [tied.among for tied in table.events(any_game.RaceTied)] == [(0, 1)]
    assert {taken.seat for taken in table.events(any_game.PlaceTaken)} == {0, 1}


# Close to the end of a turn ---------------------------------------------------------------------------------


@pytest.mark.parametrize("still", [60 * MILLI, 72 * MILLI, 130 * MILLI])
def test_a_press_in_time_counts_although_the_program_stood_still_over_the_end_of_a_bank(
    still: Micros,
) -> None:
    table, began = thinking(set(), **CLOCKS)
    table.run(began + 60 * SECOND - 22 * MILLI - table.now)
    at = began + 60 * SECOND - 10 * MILLI
    table.stand(still)
    table.run(2 * FRAME)
    for edge in tap(0, at, 90 * MILLI):
        table.session.submit(edge)
    table.run(SECOND)
    assert [ended.at for ended in table.events(any_game.TurnEnded)] == [at]
    assert table.events(any_game.BankEmpty) == []


def test_a_press_whose_edge_was_lost_before_the_end_of_a_bank_is_in_time() -> None:
    down: set[int] = set()
    table, began = thinking(down, **CLOCKS)
    table.run(began + 60 * SECOND - 20 * MILLI - table.now)
    down.add(0)
    table.run(SECOND)
    assert [ended.seat for ended in table.events(any_game.TurnEnded)] == [0]
    assert table.events(any_game.BankEmpty) == []


def test_a_press_that_was_asked_for_late_is_in_time_if_it_may_have_come_before_the_end() -> None:
    table, began = thinking(**CLOCKS)
    table.run(began + 60 * SECOND - 20 * MILLI - table.now)
    since = table.now
    table.stand(60 * MILLI, Edge(0, "seat", level=True, at=since + 60 * MILLI, source="key", since=since))
    table.run(SECOND)
    assert [ended.at for ended in table.events(any_game.TurnEnded)] == [began + 60 * SECOND]


def test_keys_are_asked_for_often_close_to_the_end_of_a_turn_alone() -> None:
    table, began = thinking(limit=30)
    assert not table.game.are_presses_timed()
    table.run(began + 29 * SECOND + 8 * MILLI - table.now)
    assert table.game.are_presses_timed()


# Tables that are slow ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("lasts", [10 * FRAME, 41 * MILLI, 80 * MILLI, 140 * MILLI])
def test_a_slow_table_tells_its_rounds_from_a_standstill(lasts: int) -> None:
    table = Still("any_game", set(), bank=60, empty_loses=True)
    table.say(0, "begin_round")
    (began,) = table.events(any_game.RoundBegan)
    table.run(began.at + 60 * SECOND - 9 * lasts - 60 * MILLI - table.now)
    for _ in range(6):
        table.stand(lasts)
    table.stand(15 * SECOND)
    for _ in range(3):
        table.stand(lasts)
    assert table.events(any_game.BankEmpty) == []
    table.run(2 * SECOND)
    assert [empty.seat for empty in table.events(any_game.BankEmpty)] == [0]


def test_a_table_whose_every_round_is_as_long_as_a_standstill_still_judges() -> None:
    table = Still("any_game", set(), bank=60, empty_loses=True)
    table.say(0, "begin_round")
    for _ in range(330):
        table.stand(200 * MILLI)
    assert [empty.seat for empty in table.events(any_game.BankEmpty)] == [0]


def shown_deck() -> tuple[Still, str, str, str]:
    """The deck is scanned: the place, a card of it, and another."""
    return Still("dnup", deck_file="scan"), "scan", "pair:1-2", "pair:1-3"


def shown_stack() -> tuple[Still, str, str, str]:
    """A stack is shown card by card, as it was counted otherwise."""
    table = Still("kabuki")
    for seat, verb, value in (
        (0, "begin", None),
        (0, "place", "sun@1"),
        (1, "place", "wave@1"),
        (2, "place", "sun@1"),
    ):
        table.say(seat, verb, value)
    table.say(0, "stop")
    table.run(4 * SECOND)
    table.say(0, "look")
    table.session.submit(ob.ActionDeclared(at=table.now, action=Action(0, "twins", 0)))
    table.run(SECOND)
    return table, "show", "mask:sun", "mask:wave"


@pytest.mark.parametrize("case", [shown_deck, shown_stack])
@pytest.mark.parametrize("how", ["standstill", "pause", "look again"])
def test_what_is_shown_one_after_the_other_counts_once_however_often_it_is_read(case: Any, how: str) -> None:
    table, place, first, second = case()
    for card in (first, second):
        table.see(place, ob.SeenCard(card))
        table.run(SECOND)
        if how == "standstill":
            table.stand(SECOND)
        elif how == "pause":
            table.session.submit(ob.PauseRequested(at=table.now))
            table.run(SECOND)
        table.see(place, ob.SeenCard(card))  # the table is read anew
        table.run(SECOND)
        table.session.submit(ob.ResumeRequested(at=table.now))
        table.run(SECOND)
    assert len(table.events(CardsShown, StackCardShown)) == 2
    table.see(place)
    table.run(SECOND)
    table.see(place, ob.SeenCard(second))
    table.run(SECOND)
    assert len(table.events(CardsShown, StackCardShown)) == 3
