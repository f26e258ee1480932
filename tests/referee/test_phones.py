"""Phones as buttons in the loop: offers, facts, one press of two buttons, a longer grace, whole games."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core import observations as ob
from companion.core.actions import MAX_PHONE_LAG, SECOND, Action, Chair, Micros
from companion.core.phone_clock import MAX_WAIT
from companion.core.switch import Edge
from companion.games.kabuki.rules.model import KabukiOptions
from companion.games.kinapa.rules.model import HandLowered, HandRaised, HandsLocked, NumberAnnounced
from companion.referee.journal import MemoryJournal
from companion.referee.loop import GRACE, PHONE_GRACE, PHONE_SILENCE, RefereedGame
from companion.referee.phone_chairs import PHONE_SOURCE, SAME_PRESS_SPAN, PhoneAnswer
from tests.referee.phone_table import PhoneTable
from tests.table.loop import (
    FIRST_BEAT,
    LOCK,
    MILLI,
    causes,
    events,
    kinapa_count,
    kinapa_game,
    kinapa_header,
    run,
    said,
)
from tests.thorough import examples

CHAIRS = (0, 1, 2, 3)


def phone_game(*chairs: Chair, journal: Any = None) -> RefereedGame:
    game = kinapa_game(journal)
    game.set_phone_chairs(chairs or CHAIRS)
    return game


def on(game: RefereedGame, since: Micros, until: Micros) -> None:
    for now in range(since, until + 1, 5 * MILLI):
        game.step(now)


def counting() -> RefereedGame:
    """A count that runs since 4 s; everything up to 4.2 s is judged."""
    game = phone_game()
    run(game, kinapa_count(), until=FIRST_BEAT + 340 * MILLI)
    assert game.referee.state.phase == "counting"
    return game


def answer(game: RefereedGame, chair: Chair, at: Micros, **more: Any) -> PhoneAnswer:
    """What a phone sends that sees the present offer."""
    return PhoneAnswer(
        chair=chair, offer=more.pop("offer", game.phones.offer_numbers()[chair]), at=at, **more
    )


def verdicts(game: RefereedGame) -> list[str]:
    return [reply.verdict for reply in game.phones.replies]


# What counts ------------------------------------------------------------------------------------------------


def test_a_press_of_a_phone_is_journalled_as_one_with_the_interval_it_fell_in() -> None:
    game = counting()
    game.post(answer(game, 2, 5 * SECOND, within=(4_990_000, 5_010_000)))
    on(game, 5 * SECOND, 5_200 * MILLI)
    (press,) = causes(game, ob.ButtonPressed)
    assert press == ob.ButtonPressed(
        at=5 * SECOND, chair=2, source=PHONE_SOURCE, within=(4_990_000, 5_010_000)
    )
    assert events(game, HandRaised) == [HandRaised(2)]


def test_a_choice_is_said_by_name_and_no_release_is_needed() -> None:
    game = phone_game()
    game.post(said(SECOND, 0, "claim_cat"))
    on(game, SECOND, 2 * SECOND)
    game.post(answer(game, 0, 3 * SECOND, action=Action(0, "announce", 5)))
    on(game, 3 * SECOND, 4 * SECOND)
    assert [event.number for event in events(game, NumberAnnounced)] == [5]
    assert verdicts(game) == ["taken"]


def test_a_press_where_there_is_a_choice_rules_nothing() -> None:
    game = phone_game()
    game.post(said(SECOND, 0, "claim_cat"))
    on(game, SECOND, 2 * SECOND)
    before = len(game.referee.journal.entries)
    game.post(answer(game, 0, 3 * SECOND))
    on(game, 3 * SECOND, 5 * SECOND)
    assert verdicts(game) == ["choose"]
    assert len(game.referee.journal.entries) == before


def test_a_phone_never_holds() -> None:
    game = counting()
    game.post(answer(game, 2, 5 * SECOND))
    on(game, 5 * SECOND, 6 * SECOND)
    assert causes(game, ob.ButtonHeld) == []
    assert game.stuck_button(20 * SECOND) is None


def test_where_hands_are_held_up_a_phone_raises_one_and_cannot_lower_it() -> None:
    game = phone_game(journal=MemoryJournal(kinapa_header(hand="hold")))
    run(game, kinapa_count(), until=FIRST_BEAT + 340 * MILLI)
    for at in (5 * SECOND, 6 * SECOND):
        game.post(answer(game, 2, at, offer=game.phones.offer_numbers()[2]))
        on(game, at, at + SECOND)
    on(game, LOCK, LOCK + SECOND)
    assert events(game, HandsLocked) == [HandsLocked((2,), (1, 3))]


# Offers -----------------------------------------------------------------------------------------------------


def test_an_answer_to_what_was_asked_before_rules_nothing_and_is_not_written_down() -> None:
    game = phone_game()
    stale = game.phones.offer_numbers()[0]
    game.post(said(SECOND, 0, "claim_cat"))
    on(game, SECOND, 2 * SECOND)
    before = len(game.referee.journal.entries)
    for action in (None, Action(0, "announce", 5)):
        game.post(answer(game, 0, 3 * SECOND, offer=stale, action=action))
    on(game, 3 * SECOND, 4 * SECOND)
    assert verdicts(game) == ["changed", "changed"]
    assert len(game.referee.journal.entries) == before


def test_which_offer_stood_is_asked_at_the_stamp_and_not_at_the_arrival() -> None:
    game = phone_game()
    shown = game.phones.offer_numbers()[0]
    game.post(said(3 * SECOND + 10 * MILLI, 0, "claim_cat"))
    game.post(answer(game, 0, 3 * SECOND, offer=shown, action=Action(0, "claim_cat")))
    on(game, 3 * SECOND, 4 * SECOND)
    assert verdicts(game) == ["taken"]


def test_a_second_tap_does_not_answer_the_next_question() -> None:
    game = phone_game()
    shown = game.phones.offer_numbers()[0]
    for at in (SECOND, SECOND + 80 * MILLI):
        game.post(answer(game, 0, at, offer=shown, action=Action(0, "claim_cat")))
    on(game, SECOND, 2 * SECOND)
    assert verdicts(game) == ["taken", "changed"]


def test_nobody_answers_for_another_chair() -> None:
    game = phone_game()
    game.post(answer(game, 1, SECOND, action=Action(0, "claim_cat")))
    on(game, SECOND, 2 * SECOND)
    assert verdicts(game) == ["changed"]
    assert events(game) == []


def test_a_chair_that_no_phone_holds_is_not_answered_for() -> None:
    game = phone_game(1, 2)
    game.post(PhoneAnswer(chair=0, offer=0, at=SECOND, action=Action(0, "claim_cat")))
    on(game, SECOND, 2 * SECOND)
    assert verdicts(game) == ["no_chair"]


def test_in_a_count_a_hand_is_a_fact_whatever_the_phone_shows_by_then() -> None:
    game = counting()
    shown = game.phones.offer_numbers()[2]
    for at in (5 * SECOND, 5_400 * MILLI):
        game.post(answer(game, 2, at, offer=shown))
    on(game, 5 * SECOND, 6 * SECOND)
    assert verdicts(game) == ["taken", "taken"]
    assert events(game, HandRaised, HandLowered) == [HandRaised(2), HandLowered(2)]


def test_an_answer_from_before_the_count_raises_no_hand_in_it() -> None:
    game = phone_game()
    before = game.phones.offer_numbers()[2]
    run(game, kinapa_count(), until=FIRST_BEAT + 340 * MILLI)
    game.post(answer(game, 2, 5 * SECOND, offer=before))
    on(game, 5 * SECOND, 6 * SECOND)
    assert verdicts(game) == ["changed"]
    assert events(game, HandRaised) == []


# A wire and a phone -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("apart", "hands"), [(SAME_PRESS_SPAN - MILLI, 1), (SAME_PRESS_SPAN, 2)])
@pytest.mark.parametrize("phone_first", [True, False])
def test_a_wire_and_a_phone_of_one_chair_are_one_press_if_they_are_close(
    apart: Micros, hands: int, phone_first: bool
) -> None:
    game = counting()
    by_phone, by_wire = (5 * SECOND, 5 * SECOND + apart)[:: 1 if phone_first else -1]
    game.post(answer(game, 2, by_phone))
    for level, at in ((True, by_wire), (False, by_wire + 50 * MILLI)):
        game.post(Edge(2, "seat", level=level, at=at))
    on(game, 5 * SECOND, 6 * SECOND)
    assert len(events(game, HandRaised, HandLowered)) == hands


def test_wires_of_other_chairs_are_never_dropped() -> None:
    game = phone_game(2)
    run(game, kinapa_count(), until=FIRST_BEAT + 340 * MILLI)
    game.post(answer(game, 2, 5 * SECOND))
    game.post(Edge(1, "seat", level=True, at=5 * SECOND + 10 * MILLI))
    on(game, 5 * SECOND, 6 * SECOND)
    assert events(game, HandRaised) == [HandRaised(2), HandRaised(1)]


# The grace --------------------------------------------------------------------------------------------------


def test_the_grace_of_a_table_with_phones_is_their_lag_longer() -> None:
    assert PHONE_GRACE == MAX_PHONE_LAG + GRACE
    assert MAX_WAIT < PHONE_GRACE * 1_000


def test_it_is_longer_at_once_when_a_phone_gets_a_chair() -> None:
    game = kinapa_game()
    game.post(said(SECOND, 0, "claim_cat"))
    game.step(SECOND + GRACE - 1)
    game.set_phone_chairs((1,))
    game.step(SECOND + PHONE_GRACE - 1)
    assert causes(game) == []
    assert game.next_due() == SECOND + PHONE_GRACE
    game.step(SECOND + PHONE_GRACE)
    assert causes(game) == [said(SECOND, 0, "claim_cat")]


def test_it_is_shorter_only_when_no_phone_has_spoken_for_a_second() -> None:
    game = phone_game(1)
    game.step(SECOND)
    game.set_phone_chairs(())
    game.step(SECOND + PHONE_SILENCE - 1)
    game.note_phone_activity()
    game.step(SECOND + PHONE_SILENCE + 1)
    assert game.grace == PHONE_GRACE
    game.step(SECOND + 2 * PHONE_SILENCE)
    assert game.grace == GRACE


def test_it_is_not_shorter_while_a_count_runs() -> None:
    game = counting()
    game.set_phone_chairs(())
    on(game, FIRST_BEAT + 400 * MILLI, LOCK + 100 * MILLI)
    assert game.grace == PHONE_GRACE
    on(game, LOCK + 105 * MILLI, LOCK + 400 * MILLI)
    assert game.grace == GRACE


def test_nothing_is_lit_by_a_phone_before_it_is_judged() -> None:
    game = counting()
    before = game.view
    game.post(answer(game, 2, LOCK - MILLI))
    on(game, LOCK + 5 * MILLI, LOCK + PHONE_GRACE - 5 * MILLI)
    assert (game.buttons_maybe_down(), game.unjudged_buttons(), game.view) == (
        frozenset(),
        frozenset(),
        before,
    )
    on(game, LOCK + PHONE_GRACE, LOCK + PHONE_GRACE + 10 * MILLI)
    assert events(game, HandsLocked) == [HandsLocked((2,), (1, 3))]


@pytest.mark.parametrize(("after", "counts"), [(0, True), (1, False)])
def test_no_forged_stamp_gains_a_count(after: Micros, counts: bool) -> None:
    """The best stamp of a press that arrived `MAX_PHONE_LAG` after the end, or a microsecond later."""
    game = counting()
    arrival = LOCK + MAX_PHONE_LAG + after
    game.post(answer(game, 2, arrival - MAX_PHONE_LAG))
    on(game, arrival, arrival + SECOND)
    assert events(game, HandsLocked) == [HandsLocked((2,) if counts else (), (1, 3) if counts else (1, 2, 3))]


@settings(max_examples=examples(80))
@given(
    st.lists(st.tuples(st.sampled_from((1, 2, 3)), st.integers(FIRST_BEAT, LOCK + SECOND)), max_size=6),
    st.data(),
)
def test_rulings_do_not_depend_on_when_presses_of_phones_arrive(
    presses: list[tuple[Chair, Micros]], data: st.DataObject
) -> None:
    """Up to the last instant at which `Waiting` hands a press on."""

    def judged(delays: list[Micros]) -> list[Any]:
        game = counting()
        shown = game.phones.offer_numbers()
        arrived = sorted(
            (max(at + delay, FIRST_BEAT + 345 * MILLI), place)
            for place, ((_, at), delay) in enumerate(zip(presses, delays, strict=True))
        )
        for now in range(FIRST_BEAT + 345 * MILLI, LOCK + 3 * SECOND, 5 * MILLI):
            while arrived and arrived[0][0] <= now:
                chair, at = presses[arrived.pop(0)[1]]
                game.post(PhoneAnswer(chair=chair, offer=shown[chair], at=max(at, FIRST_BEAT + 210 * MILLI)))
            game.step(now)
        return list(game.referee.journal.entries)

    latest = st.integers(0, MAX_WAIT // 1_000)
    delays = data.draw(st.lists(latest, min_size=len(presses), max_size=len(presses)), label="delays")
    assert judged(delays) == judged([0] * len(presses))


# Whole games ------------------------------------------------------------------------------------------------

GAMES = ["kinapa", "dnup", "kobayakawa"]


@pytest.mark.parametrize("seed", range(examples(24)))
@pytest.mark.parametrize("game", GAMES)
def test_four_phones_alone_play_a_whole_game_over_links_that_delay_drop_and_reorder(
    game: str, seed: int
) -> None:
    table = PhoneTable(game, 4, seed=seed, drops=0.05, jitter=30)
    table.play()
    assert table.game.over
    assert table.by_touch == [], "everything can be said by a phone"
    assert table.lost > 0
    assert {seen.source for seen in causes(table.game, ob.ButtonPressed, ob.ActionDeclared)} == {PHONE_SOURCE}
    assert causes(table.game, ob.ButtonHeld, ob.ButtonReleased) == []
    for pressed, stamp in table.stamps:
        within = stamp.within
        assert within is None or within.low <= pressed * 1_000 <= within.high
        assert stamp.arrival - MAX_PHONE_LAG * 1_000 <= stamp.at <= stamp.arrival


def test_kabuki_is_played_by_phones_alone_too() -> None:
    table = PhoneTable("kabuki", 4, seed=1, drops=0.0, jitter=5, options=KabukiOptions(phone_us=60_000))
    table.play()
    assert table.game.over
    assert {seen.source for seen in causes(table.game, ob.ButtonPressed)} == {PHONE_SOURCE}


def test_the_same_people_and_links_play_the_same_game() -> None:
    one, two = (PhoneTable("kobayakawa", 4, seed=7, drops=0.05, jitter=30) for _ in "12")
    one.play()
    two.play()
    assert one.game.referee.journal.entries == two.game.referee.journal.entries
    assert isinstance(one.game.referee.journal, MemoryJournal)
