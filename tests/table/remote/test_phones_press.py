"""Presses of phones at the table, and what phones are told."""

from __future__ import annotations

import pytest

from companion.core import observations as ob
from companion.core.actions import MAX_PHONE_LAG, SECOND, Micros
from companion.core.view import Sentence
from companion.games.kinapa.rules.model import HandRaised, HandsLocked, NumberAnnounced
from companion.network import messages as ms
from companion.referee.loop import PHONE_GRACE
from tests.table.loop import LOCK, MILLI, SlowJournal, kinapa_count
from tests.table.remote.phones_at_table import Table, counting


@pytest.fixture
def table() -> Table:
    return Table()


# Presses ----------------------------------------------------------------------------------------------------


def test_a_press_counts_from_the_middle_of_its_interval_and_its_phone_is_told() -> None:
    table = counting()
    pressed = table.clock.now()
    table.run(pressed + 20 * MILLI)
    table.say(table.press(2, pressed))
    table.run(pressed + SECOND)
    assert table.events(HandRaised) == [HandRaised(2)]
    (cause,) = (e.cause for e in table.game.referee.journal.entries if isinstance(e.cause, ob.ButtonPressed))
    assert (cause.at, cause.within) == (pressed, (pressed - MILLI, pressed + MILLI))
    assert [one.verdict for one in table.door.of(ms.PressResult)] == ["taken"]


def test_a_page_that_is_killed_in_the_middle_of_a_count_changes_nothing_of_what_was_pressed() -> None:
    table = counting()
    table.say(table.press(2, table.clock.now()))
    table.say(None)
    table.run(LOCK + 2 * SECOND)
    assert table.events(HandsLocked) == [HandsLocked((2,), (1, 3))]


def test_a_press_nobody_can_place_counts_from_its_arrival() -> None:
    table = counting()
    arrival = table.clock.now()
    table.say(table.press(2, 0, from_ns=0, until_ns=0))
    table.run(arrival + SECOND)
    (cause,) = (e.cause for e in table.game.referee.journal.entries if isinstance(e.cause, ob.ButtonPressed))
    assert (cause.at, cause.within) == (arrival, None)
    assert (2, Sentence("ui.late.unplaced")) in table.notices, "its panel says so, as its phone does"


@pytest.mark.parametrize(("after", "counts"), [(-10 * MILLI, True), (10 * MILLI, False)])
def test_a_forged_stamp_gains_what_nobody_reacts_in_and_no_count(after: Micros, counts: bool) -> None:
    """It says that it was pressed seconds ago, and arrived then; the table believes its own clock."""
    table = counting()
    table.run(LOCK + MAX_PHONE_LAG + after)
    table.say(table.press(2, LOCK - SECOND, arrived_ns=table.clock.now() * 1_000))
    table.run(LOCK + 2 * SECOND)
    assert table.events(HandsLocked) == [HandsLocked((2,) if counts else (), (1, 3) if counts else (1, 2, 3))]


def test_a_press_is_never_dated_to_before_what_is_judged_even_by_a_page_that_lies() -> None:
    table = counting()
    table.run(LOCK + PHONE_GRACE + 20 * MILLI)
    table.say(table.press(2, LOCK - MILLI, arrived_ns=(LOCK - MILLI) * 1_000))
    table.run(LOCK + 2 * SECOND)
    assert table.events(HandsLocked) == [HandsLocked((), (1, 2, 3))]
    assert all(ruling.late == 0 for ruling in table.game.take_announcements())


@pytest.mark.parametrize("delivered_after", [0, 20 * MILLI])
def test_a_hand_in_time_counts_although_the_program_stood_still_before_it_was_told(
    delivered_after: Micros,
) -> None:
    table = counting()
    table.run(LOCK + 30 * MILLI)
    said = table.press(2, LOCK - 30 * MILLI, arrived_ns=(LOCK + 40 * MILLI) * 1_000)
    table.clock.move_to(LOCK + 500 * MILLI)
    table.run(table.clock.now() + delivered_after)
    table.say(said)
    table.run(LOCK + 2 * SECOND)
    assert table.events(HandsLocked) == [HandsLocked((2,), (1, 3))]


@pytest.mark.parametrize("after_the_count", [-20 * MILLI, 20 * MILLI])
def test_a_press_counts_from_its_interval_although_the_page_stood_still_with_the_table(
    after_the_count: Micros,
) -> None:
    """The page read it only when it woke; how long that took is no slow link."""
    table = counting()
    table.run(LOCK - 30 * MILLI)
    table.clock.move_to(LOCK + 140 * MILLI)
    table.run(table.clock.now() + 20 * MILLI)
    table.say(table.press(2, LOCK + after_the_count))
    table.run(LOCK + 2 * SECOND)
    assert [2 in locked.raised for locked in table.events(HandsLocked)] == [after_the_count < 0]


def test_a_press_of_the_future_counts_from_its_arrival() -> None:
    table = counting()
    now = table.clock.now()
    table.say(table.press(2, now + 10 * SECOND, arrived_ns=(now + 20 * SECOND) * 1_000))
    table.run(now + SECOND)
    assert table.events(HandRaised) == [HandRaised(2)]


def test_a_forged_press_for_another_chair_is_refused_and_rules_nothing() -> None:
    table = counting()
    table.say(ms.PhonePress("q", table.offer(2).number, 1), ms.PhoneChoice("q", table.offer(2).number, 0, 1))
    table.run(table.clock.now() + SECOND)
    assert table.refusals("q") == ["no_chair", "no_chair"]
    assert table.events(HandRaised) == []
    assert table.door.of(ms.PressResult) == []


def test_by_how_much_a_slow_link_counts_later_is_told() -> None:
    table = counting()
    pressed = table.clock.now()
    table.run(pressed + 160 * MILLI)
    table.say(table.press(2, pressed))
    table.run(pressed + SECOND)
    (counted,) = table.door.of(ms.PressResult)
    assert 60 * MILLI <= counted.late_us <= 70 * MILLI


def test_a_press_whose_instant_is_known_has_no_word_on_the_panel() -> None:
    table = counting()
    table.say(table.press(2, table.clock.now()))
    table.run(table.clock.now() + SECOND)
    assert all(said != Sentence("ui.late.unplaced") for _, said in table.notices)


def test_an_answer_to_another_question_is_told_as_changed(table: Table) -> None:
    table.granted(0)
    stale = table.offer(0).number
    table.say(ms.PhonePress("p0", stale, table.clock.now() * 1_000))
    table.run(table.clock.now() + SECOND)
    assert table.offer(0).number > stale
    table.say(ms.PhoneChoice("p0", stale, 0, table.clock.now() * 1_000), ms.PhoneChoice("p0", 999, 0, 0))
    table.run(table.clock.now() + SECOND)
    assert sorted(one.verdict for one in table.door.of(ms.PressResult)) == ["changed", "changed", "taken"]


def test_a_choice_is_counted_in_the_order_in_which_it_was_offered(table: Table) -> None:
    table.granted(0)
    table.say(ms.PhonePress("p0", table.offer(0).number, table.clock.now() * 1_000))
    table.run(table.clock.now() + SECOND)
    offer = table.offer(0)
    labels = [dict(option.parts).get("value") for option in offer.options]
    place = labels.index(5)
    table.say(ms.PhoneChoice("p0", offer.number, place, table.clock.now() * 1_000))
    table.run(table.clock.now() + SECOND)
    assert [event.number for event in table.events(NumberAnnounced)] == [5]
    table.say(ms.PhoneChoice("p0", offer.number, 99, table.clock.now() * 1_000))
    assert table.door.of(ms.PressResult)[-1].verdict == "changed"


# What is told -----------------------------------------------------------------------------------------------


def test_what_a_chair_is_asked_is_told_once_it_is_durable(table: Table) -> None:
    table.granted(0)
    journal = table.game.referee.journal
    assert isinstance(journal, SlowJournal)
    table.run(8 * SECOND, *kinapa_count())
    offers = [(at, one) for at, one in table.door.told if isinstance(one, ms.ChairOffers)]
    assert len(offers) > 3
    for at, told in offers[1:]:
        for offer in told.offers:
            assert at >= (journal.when_durable(offer.number - 1) if offer.number else 0)


def test_a_hand_in_a_running_count_is_offered_as_a_fact() -> None:
    table = counting()
    assert table.offer(2).fact
    assert len(table.offer(2).options) == 1


def test_a_paused_game_asks_no_phone_anything(table: Table) -> None:
    table.granted(0)
    assert table.offer(0).options
    assert table.session is not None
    table.session.submit(ob.PauseRequested(at=table.clock.now()))
    table.run(table.clock.now() + SECOND)
    assert (table.offer(0).options, table.offer(0).fact) == ((), False)


def test_without_a_reader_nothing_is_made_and_a_new_one_is_told_all_that_stands(table: Table) -> None:
    table.granted(0)
    table.door.has_readers = False
    table.door.told.clear()
    table.run(8 * SECOND, *kinapa_count())
    assert [type(one) for _, one in table.door.told] == []
    table.door.has_readers, table.door.connection_count = True, 2
    table.say()
    assert {type(one) for _, one in table.door.told} == {ms.ChairHolders, ms.ChairOffers}


def test_why_and_what_may_i_do_are_answered_to_a_phone_with_a_chair(table: Table) -> None:
    table.granted(0)
    table.say(ms.PhoneQuestion("p0", "may"), ms.PhoneQuestion("stranger", "may"))
    table.run(table.clock.now() + SECOND)
    (answer,) = table.door.of(ms.QuestionAnswer)
    assert answer.phone == "p0"
    assert [line.key for line in answer.lines] == ["kinapa.do.claim_cat"]
    table.run(8 * SECOND, *kinapa_count())
    table.say(ms.PhoneQuestion("p0", "why"))
    table.run(table.clock.now() + SECOND)
    why = table.door.of(ms.QuestionAnswer)[-1]
    assert why.lines[-1].key.startswith("kinapa.why.")
