"""Any game: turns, time and first presses for a box that the table does not know."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from companion.cli.checks.journal_replay import replay_steps
from companion.core import events as shared
from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Action, Setup
from companion.core.view import LampSignal
from companion.games.any_game.rules import AnyGame, judge, model
from companion.games.any_game.rules.model import AnyGameOptions, AnyGamePhase, AnyGameState
from companion.language.language import Language
from companion.referee.dry_run import check_journal
from companion.referee.game_log import find_correction_offer
from companion.referee.journal import MemoryJournal, make_header, replay_state
from companion.referee.referee import Referee
from companion.table.history import JournalHistory
from companion.testing import conformance, sentences
from companion.testing.random_walks import GameCase
from tests.languages import LANGUAGES

RULES = AnyGame()


class Table:
    """A table that plays it, with a clock that is moved by hand; chairs are seats."""

    def __init__(self, players: int = 4, **options: Any) -> None:
        setup = Setup(tuple(range(players)), AnyGameOptions(**options))
        header = make_header("any_game", setup, kind="simulation")
        self.referee: Referee[AnyGameState] = Referee(RULES, MemoryJournal(header))
        self.at = 0

    @property
    def state(self) -> AnyGameState:
        return self.referee.state

    def see(self, seen: Any) -> tuple[Any, ...]:
        self.referee.fire_timers(seen.at)
        return self.referee.observe(seen).events

    def wait(self, seconds: float) -> None:
        self.at += round(seconds * SECOND)
        self.referee.fire_timers(self.at + 1)

    def say(self, seat: int, verb: str, value: int | None = None) -> tuple[Any, ...]:
        return self.see(ob.ActionDeclared(at=self.at, action=Action(seat, verb, value)))

    def tap(self, chair: int) -> tuple[Any, ...]:
        down = self.see(ob.ButtonPressed(at=self.at, chair=chair))
        return (*down, *self.see(ob.ButtonReleased(at=self.at, chair=chair)))

    def race(self, chair: int) -> tuple[Any, ...]:
        """A tap, and what was ruled once nobody else can have been as early."""
        before = len(self.referee.journal.entries)
        self.tap(chair)
        self.wait(0.2)
        return tuple(event for entry in self.referee.journal.entries[before:] for event in entry.events)

    def hold(self, chair: int) -> None:
        self.see(ob.ButtonPressed(at=self.at, chair=chair))
        self.at += HOLD_TIME
        self.see(ob.ButtonHeld(at=self.at, chair=chair))

    def begun(self) -> Table:
        self.tap(0)
        return self

    def lamps(self) -> list[LampSignal]:
        return [chair.lamp for chair in RULES.view(self.state).chairs]

    def clock(self, seat: int) -> float:
        """What the plate or, in a turn, the middle shows, in seconds."""
        view = RULES.view(self.state)
        plate = view.chairs[seat].clock
        shown = plate if plate is not None else view.rows[0][0].clock
        assert shown is not None
        return shown.read(self.at) / SECOND


# Promises ---------------------------------------------------------------------------------------------------

KINDS = {
    "fixed": AnyGameOptions(limit=60, slow=60, die=6, phases="Build, Sell"),
    "passed": AnyGameOptions(order="passed", can_pass=True, points=True, rounds=3),
    "pressed": AnyGameOptions(order="pressed", thinks_on=True, lives=3),
    "released": AnyGameOptions(order="released", bank=60, increment=5, empty_loses=True),
    "together": AnyGameOptions(order="together", bank=60, admin=True),
    "buzzer": AnyGameOptions(order="buzzer", cooldown=3, shut_out=True, points=True, die=2),
    "race": AnyGameOptions(order="race", shut_out=True, rounds=3),
}
CASES = [
    pytest.param(GameCase(RULES, Setup(tuple(range(8 - many, 8)), options), ("x",)), id=f"{name}-{many}")
    for name, options in KINDS.items()
    for many in (2, 5)
]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("check", conformance.CONFORMANCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES)
def test_every_kind_keeps_what_every_game_promises(
    case: GameCase, check: conformance.ConformanceCheck, seed: int
) -> None:
    check(case, seed)


@pytest.mark.parametrize(
    "check", [conformance.check_playable_by_buttons, conformance.check_playable_by_touch]
)
@pytest.mark.parametrize("order", ["fixed", "pressed", "released", "together", "buzzer", "race"])
def test_rounds_are_played_by_buttons_alone(order: Any, check: conformance.ConformanceCheck) -> None:
    options = AnyGameOptions(order=order, rounds=3)
    check(GameCase(RULES, Setup((1, 4, 6), options), ("x",)), 1)


@pytest.mark.parametrize("case", CASES[::2])
def test_every_language_has_words_for_all_that_it_says(case: GameCase) -> None:
    spoken = [Language(code) for code in LANGUAGES]
    missing = sentences.find_missing_sentences(
        case, lambda said: all(words.has_words_for(said) for words in spoken), range(3)
    )
    assert missing == []


# Turns ------------------------------------------------------------------------------------------------------


def test_a_tap_ends_the_turn_and_the_next_lamp_is_lit() -> None:
    table = Table().begun()
    assert table.lamps() == [LampSignal.LIT, LampSignal.SLOW, LampSignal.DARK, LampSignal.DARK]
    table.tap(0)
    assert table.lamps() == [LampSignal.DARK, LampSignal.LIT, LampSignal.SLOW, LampSignal.DARK]
    assert table.tap(0) == ()


def test_a_round_is_over_when_everybody_has_had_a_turn() -> None:
    table = Table(3).begun()
    for seat in range(3):
        table.tap(seat)
    assert (table.state.round, table.state.holder) == (2, 0)


def test_who_passes_is_skipped_and_the_round_ends_when_all_have_passed() -> None:
    table = Table(3, can_pass=True).begun()
    table.hold(0)
    table.tap(1)
    table.tap(2)
    assert table.state.holder == 1
    table.hold(1)
    table.hold(2)
    assert (table.state.round, table.state.passed) == (2, ())


def test_the_next_round_goes_as_people_passed() -> None:
    table = Table(3, order="passed", can_pass=True).begun()
    table.tap(0)
    for seat in (1, 2, 0):
        table.hold(seat)
    assert table.state.order == (1, 2, 0)


def test_the_order_is_that_of_the_presses() -> None:
    table = Table(3, order="pressed").begun()
    for seat in (2, 0, 1):
        table.race(seat)
    assert (table.state.order, table.state.holder) == ((2, 0, 1), 2)


def test_the_order_is_that_in_which_people_let_go() -> None:
    table = Table(3, order="released").begun()
    for chair in (0, 1, 2):
        assert table.see(ob.ButtonPressed(at=table.at, chair=chair)) == (model.PlaceHeld(chair),)
    for chair in (1, 2, 0):
        table.see(ob.ButtonReleased(at=table.at, chair=chair))
        table.wait(0.2)
    assert table.state.order == (1, 2, 0)


def test_in_simultaneous_turns_all_lamps_go_dark_one_by_one() -> None:
    table = Table(3, order="together").begun()
    table.tap(1)
    assert table.lamps() == [LampSignal.LIT, LampSignal.DARK, LampSignal.LIT]
    table.tap(0)
    table.tap(2)
    assert table.state.round == 2


def test_some_think_on_while_others_play() -> None:
    table = Table(3, thinks_on=True).begun()
    table.hold(0)
    table.wait(10)
    assert (table.state.holder, table.state.thinking) == (1, (0, 1))
    table.tap(0)
    table.wait(5)
    table.tap(1)
    assert [round(spent / SECOND) for spent in table.state.spent] == [11, 15, 0]


# Time -------------------------------------------------------------------------------------------------------


def test_a_bank_runs_down_in_the_own_turn_alone_and_a_turn_adds_to_it() -> None:
    table = Table(2, bank=60, increment=10).begun()
    table.wait(25)
    assert (table.clock(0), table.clock(1)) == (35, 60)
    table.tap(0)
    table.wait(5)
    assert (table.clock(0), table.clock(1)) == (45, 55)


def test_nothing_runs_in_a_pause_and_what_is_taken_back_counts_for_nobody() -> None:
    table = Table(2, bank=300).begun()
    table.wait(20)
    table.see(ob.PauseRequested(at=table.at))
    table.wait(600)
    assert table.clock(0) == 280
    table.see(ob.ResumeRequested(at=table.at))
    table.wait(10)
    table.tap(0)
    table.wait(100)
    table.referee.undo(table.at)
    assert (table.state.holder, table.clock(0), table.clock(1)) == (0, 270, 300)
    table.wait(5)
    assert table.clock(0) == 265
    assert replay_state(RULES, table.referee.setup, table.referee.journal.entries) == table.state


@pytest.mark.parametrize("order", ["pressed", "released", "race"])
@pytest.mark.parametrize("by", ["press", "touch"])
def test_undo_takes_back_one_press_with_its_place(order: str, by: str) -> None:
    table = Table(3, order=order).begun()
    table.race(0)
    stands = table.state
    if by == "press":
        table.race(1)
    else:
        table.say(1, "buzz_in" if order == "race" else "take_place")
        table.wait(0.2)
    assert table.state != stands
    undone = JournalHistory(table.referee).next_undo()
    assert undone is not None
    assert undone.by == 1
    offer = find_correction_offer(table.referee)
    assert offer is not None
    assert offer.heading == undone
    table.referee.undo(table.at)
    assert (table.state.order, table.state.presses) == (stands.order, stands.presses)
    assert table.state.phase == stands.phase


def test_a_clock_writes_nothing_while_it_runs() -> None:
    table = Table(2, bank=300).begun()
    entries = len(table.referee.journal.entries)
    table.wait(200)
    assert len(table.referee.journal.entries) == entries


def test_who_has_no_time_left_is_told_or_is_out() -> None:
    told, out = Table(3, bank=60).begun(), Table(3, bank=60, empty_loses=True).begun()
    for table in (told, out):
        table.wait(61)
    assert (told.state.out, told.state.holder, told.clock(0)) == ((), 0, 0)
    assert (out.state.out, out.state.holder) == ((0,), 1)
    out.wait(60)
    outcome = RULES.outcome(out.state)
    assert outcome is not None
    assert outcome.winners == (2,)


def test_a_bank_of_zero_is_none_whatever_else_is_chosen() -> None:
    table = Table(2, bank=0, increment=10, empty_loses=True).begun()
    table.wait(3_600)
    assert (table.state.out, table.state.holder) == ((), 0)
    assert table.tap(0)[0] == model.TurnEnded(0, table.at)
    assert table.clock(0) == 3_600, "it is counted"


def test_a_limit_ends_the_turn() -> None:
    table = Table(2, limit=30).begun()
    table.wait(31)
    assert (table.state.holder, round(table.clock(1))) == (1, 29)


def test_a_long_turn_is_told_once_and_kindly() -> None:
    table = Table(2, slow=60).begun()
    table.wait(200)
    told = [one for entry in table.referee.journal.entries for one in entry.events]
    assert [one for one in told if isinstance(one, model.SlowTold)] == [model.SlowTold(0)]
    assert table.lamps()[0] is LampSignal.FAST
    assert not any(isinstance(one, shared.Infraction) for one in told)


def test_between_rounds_time_stands_until_somebody_presses() -> None:
    table = Table(2, bank=60, admin=True).begun()
    table.tap(0)
    table.tap(1)
    table.wait(500)
    assert table.state.phase is AnyGamePhase.BETWEEN
    assert table.state.left == (60 * SECOND, 60 * SECOND)
    table.tap(1)
    assert table.state.round == 2


def test_all_whose_banks_run_out_together_are_out() -> None:
    table = Table(4, order="together", bank=60, empty_loses=True).begun()
    table.wait(20)
    table.tap(2)
    table.wait(41)
    assert (table.state.out, table.state.phase) == ((0, 1, 3), AnyGamePhase.OVER)
    assert table.referee.rules.result(table.state) == ("ended", (2,))
    table = Table(3, order="together", bank=60, empty_loses=True).begun()
    table.wait(61)
    assert table.state.out == (0, 1, 2)
    assert table.referee.rules.result(table.state) == ("ended", (0, 1, 2)), (
        "nobody is left, so nobody won alone"
    )


# First presses ----------------------------------------------------------------------------------------------


def race(**options: Any) -> Table:
    table = Table(4, order="buzzer", **options).begun()
    table.tap(0)
    return table


def test_the_first_press_is_first_and_the_others_are_in_its_picture() -> None:
    table = race()
    for chair, after in ((2, 0), (3, 70), (1, 140)):
        table.see(ob.ButtonPressed(at=table.at + after * 1000, chair=chair))
    table.wait(1)
    (cells,) = RULES.view(table.state).rows
    assert [cell.chair for cell in cells] == [2, 3, 1]
    assert [dict(cell.words.parts).get("ms") for cell in cells if cell.words] == [None, "0.07", "0.14"]
    assert table.lamps()[2] is LampSignal.FAST


def test_a_right_answer_is_a_point_and_the_next_one_asks() -> None:
    table = race(points=True)
    table.race(2)
    table.tap(0)
    assert (table.state.scores, table.state.phase, table.state.holder) == ((0, 0, 1, 0), "ready", 1)


def test_a_wrong_answer_shuts_the_button_until_the_cooldown_is_over() -> None:
    table = race(cooldown=3)
    table.race(2)
    table.hold(0)
    assert table.tap(2) == ()
    table.wait(4)
    assert model.PressedFirst in map(type, table.race(2))


def test_when_every_button_is_shut_the_next_question_comes() -> None:
    table = race()
    for chair in (1, 2, 3):
        table.race(chair)
        table.hold(0)
    assert (table.state.phase, table.state.round) == ("ready", 2)


def test_an_early_press_shuts_out_until_the_next_question_where_the_table_says_so() -> None:
    for shut, phase in ((True, "race"), (False, "answer")):
        table = Table(3, order="buzzer", shut_out=shut).begun()
        assert model.PressedEarly in map(type, table.race(1))
        table.tap(0)
        table.race(1)
        assert table.state.phase == phase


def test_a_race_ranks_everybody_and_names_the_last() -> None:
    table = Table(3, order="race", rounds=1).begun()
    table.tap(0)
    ruled = [event for chair in (1, 0, 2) for event in table.race(chair)]
    assert model.LastInRace(2) in ruled
    assert [seat for seat, _ in table.state.presses] == [1, 0, 2]


MS = 1_000


def finish(*presses: ob.ButtonPressed, lot: int = 0, order: str = "buzzer", seats: int = 4) -> Table:
    """A race in which these come in, at times after a second; a lot is drawn where one is due."""
    table = Table(seats, order=order).begun()
    table.tap(0)
    table.wait(1)
    start = table.at
    for one in sorted(presses, key=lambda one: one.at):
        since = None if one.since is None else start + one.since
        table.see(replace(one, at=start + one.at, since=since))
    table.at = start + max(one.at for one in presses)
    for _ in range(6):
        table.wait(0.2)
        if (lots := RULES.awaited_draw(table.state)) is not None:
            table.see(ob.RandomDraw(at=table.at, choices=lots, index=lot))
    return table


def press(chair: int, at: int, source: str = "gpio", since: int | None = None) -> ob.ButtonPressed:
    return ob.ButtonPressed(at=at, chair=chair, source=source, since=since)


def tied(table: Table) -> list[tuple[int, ...]]:
    events = [event for entry in table.referee.journal.entries for event in entry.events]
    return [event.among for event in events if isinstance(event, model.RaceTied)]


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (press(3, 0), press(1, 999), True),
        (press(3, 0), press(1, 1000), False),
        (press(3, 0, "usb"), press(1, 0, "usb"), True),
        (press(3, 0, "usb"), press(1, 7_999, "usb"), True),
        (press(3, 0, "usb"), press(1, 8_000, "usb"), False),
        (press(3, 0, "key"), press(1, 15_999), True),
        (press(3, 0, "key"), press(1, 16_000), False),
        (press(3, 0), press(1, 59_000, "phone"), True),
    ],
)
def test_presses_closer_than_the_buttons_can_tell_are_equal_and_a_lot_decides(
    one: ob.ButtonPressed, other: ob.ButtonPressed, equal: bool
) -> None:
    for lot, first in ((0, 1 if equal else 3), (1, 3)):
        table = finish(one, other, lot=lot)
        assert tied(table) == ([(1, 3)] if equal else [])
        assert [seat for seat, _ in table.state.presses] == [first, 4 - first]
        assert table.state.phase == AnyGamePhase.ANSWER


def test_a_press_with_an_interval_may_have_been_first() -> None:
    table = finish(press(1, 250 * MS), press(2, 280 * MS, "key", since=240 * MS))
    assert tied(table) == [(1, 2)]
    table = finish(press(1, 250 * MS), press(2, 280 * MS, "key", since=270 * MS))
    assert (tied(table), [seat for seat, _ in table.state.presses]) == ([], [1, 2])


def test_in_a_race_equal_presses_are_ranked_by_lot() -> None:
    table = finish(press(2, 0, "usb"), press(1, 0, "usb"), press(0, 90 * MS, "usb"), order="race", seats=3)
    events = [event for entry in table.referee.journal.entries for event in entry.events]
    assert [event for event in events if isinstance(event, model.LastInRace)] == [model.LastInRace(0)]
    assert tied(table) == [(1, 2)]


def test_equal_places_are_drawn() -> None:
    table = Table(3, order="pressed").begun()
    for chair in (2, 1, 0):
        table.see(press(chair, table.at, "usb"))
    for _ in range(4):
        table.wait(0.1)
        if (lots := RULES.awaited_draw(table.state)) is not None:
            table.see(ob.RandomDraw(at=table.at, choices=lots, index=len(lots) - 1))
    assert table.state.order == (2, 1, 0)


@pytest.mark.parametrize(
    ("early", "opening", "shut"),
    [
        (press(2, 0), press(0, 20 * MS, "key", since=-MS), False),
        (press(2, 0), press(0, 20 * MS), True),
        (press(2, 0), press(0, 999), False),
        (press(2, 0), press(0, 10 * MS, "key"), False),
    ],
)
def test_nobody_is_shut_out_for_a_press_that_may_have_come_after_the_race_was_opened(
    early: ob.ButtonPressed, opening: ob.ButtonPressed, shut: bool
) -> None:
    table = Table(4, order="buzzer", shut_out=True).begun()
    table.wait(1)
    for one in (early, opening):
        since = None if one.since is None else one.since + table.at
        table.see(replace(one, at=table.at + one.at, since=since))
    table.wait(1)
    assert table.state.barred == (((2, 0),) if shut else ())
    assert [seat for seat, _ in table.state.presses] == ([] if shut else [2])


# At any time ------------------------------------------------------------------------------------------------


def test_a_throw_stands_in_the_journal() -> None:
    table = Table(2, die=6).begun()
    table.say(1, "throw_die")
    lot = RULES.awaited_draw(table.state)
    assert lot == ("1", "2", "3", "4", "5", "6")
    assert table.see(ob.RandomDraw(at=table.at, choices=lot, index=3)) == (model.DieFell(4),)


def test_points_and_lives_are_kept_and_without_a_life_one_is_out() -> None:
    table = Table(3, points=True, lives=3).begun()
    table.say(1, "add_points", 10)
    for _ in range(3):
        table.say(0, "change_lives", -1)
    assert (table.state.scores, table.state.out, table.state.holder) == ((0, 10, 0), (0,), 1)


def test_who_leaves_in_their_own_turn_is_skipped_and_may_come_back() -> None:
    table = Table(3, bank=60).begun()
    table.wait(10)
    table.say(0, "go_away")
    assert (table.state.holder, table.state.left[0]) == (1, 50 * SECOND)
    table.wait(20)
    assert table.state.left[0] == 50 * SECOND
    table.say(0, "come_back")
    for chair in (1, 2):
        table.tap(chair)
    assert table.state.holder == 0


def test_two_stay_at_the_table() -> None:
    table = Table(2).begun()
    assert table.say(0, "go_away") == (shared.Infraction("turn.not_now", 0),)


def test_the_owners_phases_are_named() -> None:
    table = Table(2, phases="Build, Sell").begun()
    assert table.say(0, "next_phase") == (model.PhaseBegan(1, "Sell"),)
    hint = RULES.view(table.state).hint
    assert hint is not None
    assert ("name", "Sell") in hint.parts


def test_somebody_says_that_it_is_over_and_most_points_win() -> None:
    table = Table(3, points=True).begun()
    table.say(1, "add_points", 5)
    table.say(2, "end_game")
    outcome = RULES.outcome(table.state)
    assert outcome is not None
    assert outcome.winners == (1,)


def test_the_order_of_passing_needs_no_other_house_rule() -> None:
    table = Table(2, order="passed").begun()
    table.hold(0)
    table.hold(1)
    assert (table.state.round, table.state.order) == (2, (0, 1))


@pytest.mark.parametrize("name", KINDS)
def test_simulated_people_play_every_kind_to_its_end(name: str) -> None:
    from companion.games.any_game.people import AnyGamePeople

    setup = Setup((0, 1, 2), KINDS[name])
    people = AnyGamePeople(setup.chairs, Random(3), ["lawful"] * 3)
    referee = Referee(RULES, MemoryJournal(make_header("any_game", setup, kind="simulation")))
    for at in islice(range(0, 10**12, 10 * SECOND), 900):
        referee.fire_timers(at)
        if RULES.outcome(referee.state) is not None:
            return
        if (lots := RULES.awaited_draw(referee.state)) is not None:
            referee.observe(ob.RandomDraw(at=at, choices=lots, index=0))
        _, deed = people.plan(referee.state)[0]
        referee.observe(ob.ActionDeclared(at=at, action=deed.action))
    pytest.fail(str(referee.state))


# People come and go -----------------------------------------------------------------------------------------


def test_a_press_at_an_empty_chair_joins_last_in_the_order_with_a_full_bank() -> None:
    table = Table(3, bank=60, points=True, lives=3).begun()
    table.wait(10)
    (joined,) = table.see(ob.ButtonPressed(at=table.at, chair=6))
    assert joined == model.PlayerJoined(6, table.at)
    state = table.state
    assert (state.setup.chairs, state.order) == ((0, 1, 2, 6), (0, 1, 2, 3))
    assert (state.left[3], state.scores[3], state.lives[3]) == (60 * SECOND, 0, 3)
    assert state.thinking == (0,), "the turn goes on"
    for chair in (0, 1, 2):
        table.tap(chair)
    assert table.state.holder == 3
    assert table.tap(6)[-1] == model.RoundBegan(2, (0, 1, 2, 3), table.at)


def test_who_comes_into_a_race_waits_for_the_next_question_and_the_race_ends_without() -> None:
    table = Table(3, order="race").begun()
    table.tap(0)
    assert table.state.phase == AnyGamePhase.RACE
    assert table.tap(5)[0] == model.PlayerJoined(5, table.at)
    assert table.tap(5) == (), "a second press is no place in this race"
    for chair in (0, 1):
        table.race(chair)
    assert model.LastInRace(2) in table.race(2)
    table.tap(1)
    assert (table.state.phase, 3 in judge.racers(table.state)) == (AnyGamePhase.RACE, True)


def test_who_joins_while_the_first_press_is_not_ruled_yet_takes_nobodys_place() -> None:
    table = Table(3, order="buzzer").begun()
    table.tap(0)
    table.tap(1)
    assert table.state.calls, "nobody else may have been as early"
    assert table.tap(5)[0] == model.PlayerJoined(5, table.at)
    table.wait(1)
    assert (table.state.phase, table.state.presses[0][0]) == (AnyGamePhase.ANSWER, 1)
    assert table.state.players == 4


def test_joining_is_undone_with_one_undo_and_replayed() -> None:
    table = Table(2).begun()
    table.see(ob.ButtonPressed(at=table.at, chair=3))
    assert table.state.players == 3
    entries = list(table.referee.journal.entries)
    assert replay_state(RULES, table.referee.setup, entries) == table.state
    check_journal(RULES, table.referee.journal.header, entries)
    table.see(ob.UndoRequested(at=table.at))
    assert table.state.setup.chairs == (0, 1)


@pytest.mark.parametrize("given_up", [False, True])
def test_who_joined_and_is_taken_back_with_the_turn_stands_in_log_and_replay(*, given_up: bool) -> None:
    table = Table(2).begun()
    for chair in (4, 0, 1, 4):
        table.tap(chair)
    for _ in range(4):
        table.see(ob.UndoRequested(at=table.at))
    assert table.state.setup.chairs == (0, 1)
    if given_up:
        table.see(ob.AbandonRequested(at=table.at))
        table.see(ob.HiddenCardsViewed(at=table.at))
    gone = [line.sentence for line in JournalHistory(table.referee).recent_lines() if line.taken_back]
    assert [("chair", 4) in said.parts for said in gone].count(True) >= 2
    journal = table.referee.journal
    steps = list(replay_steps(RULES, journal.header, journal.entries))
    assert len(steps) == len(journal.entries)
    assert not any(step.differs for step in steps)


def test_eight_are_the_most_and_nobody_joins_a_pause_or_a_game_that_is_over() -> None:
    table = Table(8).begun()
    assert table.see(ob.ButtonPressed(at=table.at, chair=8)) == ()
    table = Table(2).begun()
    table.see(ob.PauseRequested(at=table.at))
    assert table.see(ob.ButtonPressed(at=table.at, chair=3)) == ()
    table.see(ob.ResumeRequested(at=table.at))
    table.say(0, "end_game")
    assert table.see(ob.ButtonPressed(at=table.at, chair=3)) == ()


def test_who_has_left_is_back_at_a_press() -> None:
    table = Table(3).begun()
    table.say(2, "go_away")
    assert table.tap(2) == (model.PlayerCameBack(2),)
    assert table.state.away == ()


def test_while_people_take_their_places_a_newcomer_takes_the_last_one() -> None:
    table = Table(2, order="pressed").begun()
    table.race(1)
    assert table.tap(4)[0] == model.PlayerJoined(4, table.at)
    assert table.state.phase == AnyGamePhase.PLACING
    table.race(4)
    table.race(0)
    assert table.state.order == (1, 2, 0)


@pytest.mark.parametrize("within", [True, False], ids=["in the pause", "after the pause"])
def test_a_correction_after_which_nothing_else_stands_charges_no_pause_to_anybody(within: bool) -> None:
    table = Table(bank=60, die=2, empty_loses=True).begun()
    table.wait(1)
    table.say(0, "throw_die")
    thrown = len(table.referee.journal.entries) - 1
    table.see(ob.RandomDraw(at=table.at, choices=("1", "2"), index=1))
    table.wait(1)
    done = ob.ActionDeclared(at=table.at, action=Action(0, "turn_done"))
    table.see(ob.PauseRequested(at=table.at))
    if within:
        table.see(ob.CorrectionRequested(at=table.at, seq=thrown, truth=done))
    table.wait(120)
    table.see(ob.ResumeRequested(at=table.at))
    if not within:
        table.see(ob.CorrectionRequested(at=table.at, seq=thrown, truth=done))
    table.wait(1)
    assert table.state.out == ()
    assert table.state.left[0] == 59 * SECOND
