"""Phones at the table: nobody but the table gives a chair, and a press counts by the table's own stamp."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any

import pytest
from loop import FIRST_BEAT, LOCK, MILLI, ListVoice, SlowJournal, kinapa_count, kinapa_game

from companion.core import observations as ob
from companion.core.actions import PHONE_LAG, SECOND, Chair, Micros, Setup
from companion.core.clock import ManualClock
from companion.core.view import Sentence
from companion.doors import messages as ms
from companion.games import RULES
from companion.games.kabuki.rules import KabukiOptions
from companion.games.kinapa.rules.events import HandRaised, HandsLocked, NumberAnnounced
from companion.referee.journal import MemoryJournal, header_of
from companion.referee.loop import GRACE, PHONE_GRACE, RefereedGame
from companion.referee.referee import Referee
from companion.table.phones import ASLEEP, MOST_PHONES, TablePhones
from companion.table.session import Session
from companion.ui.houserules import told_rules

COMMIT: Micros = 20 * MILLI
COLOURS = ("red", "blue", "green", "yellow")
SERVING = ms.Serving("192.168.1.5", 8420, "012345", ("101", "010", "111"))


class Exchange:
    """Both ways of a door that somebody reads at."""

    def __init__(self, clock: ManualClock) -> None:
        self.read = True
        self.opened = 1
        self.heard: SimpleQueue[ms.ToTable | None] = SimpleQueue()
        self.told: list[tuple[Micros, ms.FromTable]] = []
        self._clock = clock

    def tell(self, message: ms.FromTable) -> None:
        self.told.append((self._clock.now(), message))

    def of(self, kind: type) -> list[Any]:
        return [one for _, one in self.told if isinstance(one, kind)]


class Table:
    """A game of Kinapa, or none, with phones; looked at every 5 ms."""

    def __init__(self, *, playing: bool = True, game: RefereedGame | None = None) -> None:
        self.clock = ManualClock()
        self.door = Exchange(self.clock)
        self.phones = TablePhones(self.door, self.clock, COLOURS)
        self.speed = 1.0
        self.session: Session | None = None
        if playing:
            game = game or kinapa_game(SlowJournal(self.clock, COMMIT))
            self.session = Session(game, clock=self.clock, voice=ListVoice(self.clock, available=True))

    @property
    def game(self) -> RefereedGame:
        assert self.session is not None
        return self.session.game

    def say(self, *said: ms.ToTable | None) -> None:
        """Phones say this, and the table has one round."""
        for one in said:
            self.door.heard.put(one)
        self.run(self.clock.now() + 5 * MILLI)

    def run(self, until: Micros, *reports: tuple[Micros, Any]) -> None:
        waiting = sorted(reports, key=lambda one: one[0])
        while self.clock.now() < until:
            self.clock.move_to(self.clock.now() + 5 * MILLI)
            self.phones.take_in(self.session, self.speed)
            if self.session is not None:
                while waiting and waiting[0][0] <= self.clock.now():
                    self.session.take(waiting.pop(0)[1])
                self.session.step()
            self.phones.tell()

    @property
    def notices(self) -> tuple[tuple[Chair, Sentence], ...]:
        """What the panels say of presses."""
        assert self.session is not None
        return self.session.notices()

    def granted(self, *chairs: Chair) -> None:
        """The phone `p0` holds chair 0, and so on."""
        self.phones.open()
        for chair in chairs:
            self.say(ms.Join(f"p{chair}"), ms.Ask(f"p{chair}", chair))
            assert self.phones.grant(chair)
        self.run(self.clock.now() + 5 * MILLI)

    def offer(self, chair: Chair) -> ms.Offer:
        return next(one for one in self.door.of(ms.Offers)[-1].offers if one.chair == chair)

    def press(self, chair: Chair, at: Micros, half: Micros = MILLI, **more: Any) -> ms.Press:
        """A press that happened at `at`, give or take `half`, and arrives now."""
        now = self.clock.now() * 1_000
        within = {"from_ns": (at - half) * 1_000, "until_ns": (at + half) * 1_000}
        said = {"offer": self.offer(chair).number, "arrived_ns": now, **within, **more}
        return ms.Press(f"p{chair}", **said)

    def events(self, *kinds: type) -> list[Any]:
        every = (event for entry in self.game.referee.journal.entries for event in entry.events)
        return [event for event in every if isinstance(event, kinds)]

    def refusals(self, phone: str) -> list[str]:
        return [one.why for one in self.door.of(ms.Refused) if one.phone == phone]


@pytest.fixture
def table() -> Table:
    return Table()


def counting() -> Table:
    """Chairs 1 to 3 are held by phones, and a count runs since 4 s."""
    table = Table()
    table.granted(1, 2, 3)
    table.run(FIRST_BEAT + 400 * MILLI, *kinapa_count())
    assert table.game.referee.state.phase == "counting"
    return table


# The table grants -------------------------------------------------------------------------------------------


def test_a_closed_table_lets_no_phone_join_or_ask(table: Table) -> None:
    table.say(ms.Join("p"), ms.Ask("p", 0))
    assert table.refusals("p") == ["closed", "closed"]
    assert not table.phones.grant(0)


def test_a_chair_goes_to_the_phone_that_asks_once_the_table_says_yes_and_not_before(table: Table) -> None:
    table.phones.open()
    table.say(ms.Join("p"), ms.Ask("p", 2))
    assert table.phones.asked == {2}
    assert table.phones.holding() == (frozenset(), frozenset())
    assert table.game.phones.chairs == frozenset()
    assert table.door.of(ms.Granted) == []
    assert table.phones.grant(2)
    table.say()
    assert table.door.of(ms.Granted) == [ms.Granted("p", 2)]
    assert table.door.of(ms.Held)[-1].seats[2] == ms.Seat(2, "green", "p")
    assert table.game.phones.chairs == {2}


def test_nobody_gets_a_chair_that_no_phone_asks_for(table: Table) -> None:
    table.phones.open()
    table.say(ms.Join("p"))
    assert not table.phones.grant(1)
    assert table.door.of(ms.Granted) == []


@pytest.mark.parametrize(
    ("asks", "why"),
    [
        (ms.Ask("stranger", 0), "closed"),  # it never joined
        (ms.Ask("q", 1), "taken"),
        (ms.Ask("q", 2), "asked"),
        (ms.Ask("q", 9), "taken"),
        (ms.Ask("p1", 3), "taken"),  # it has a chair
    ],
)
def test_why_a_chair_is_not_to_be_had(table: Table, asks: ms.Ask, why: str) -> None:
    table.granted(1)
    table.say(ms.Join("q"), ms.Join("r"), ms.Ask("r", 2))
    table.say(asks)
    assert table.refusals(asks.phone) == [why]


def test_a_phone_asks_for_one_chair_at_a_time(table: Table) -> None:
    table.phones.open()
    table.say(ms.Join("p"), ms.Ask("p", 0), ms.Ask("p", 3))
    assert table.phones.asked == {3}


def test_when_all_chairs_are_taken_nobody_joins_and_the_code_is_hidden(table: Table) -> None:
    table.granted(0, 1, 2)
    table.say(SERVING)
    assert table.phones.shown().code == SERVING.code
    table.granted(3)
    table.say(ms.Join("late"), ms.Join("p0"))
    assert (table.refusals("late"), table.refusals("p0")) == (["full"], []), "who has a chair comes back"
    shown = table.phones.shown()
    assert (shown.full, shown.code, shown.pin) == (True, (), "012345")


def test_what_the_page_says_of_itself_is_shown_only_while_open_and_only_if_it_is_sound(table: Table) -> None:
    table.say(SERVING)
    assert table.phones.shown().pin == ""
    table.phones.open()
    assert table.phones.shown().address == "192.168.1.5:8420"
    for wrong in (
        ms.Serving("evil.example", 8420, "012345"),
        ms.Serving("192.168.1.5", 8420, "12"),
        ms.Serving("192.168.1.5", 0, "012345"),
        ms.Serving("192.168.1.5", 8420, "012345", ("10", "1")),
        ms.Serving("192.168.1.5", 8420, "012345", ("0x", "1 ")),
        ms.Serving("192.168.1.5", 8420, "012345", ("0" * 99,) * 99),
    ):
        table.say(wrong)
        assert table.phones.shown().pin == "", wrong


def test_phones_that_only_wait_make_room_for_others(table: Table) -> None:
    table.granted(0)
    table.say(*(ms.Join(f"idle {n}") for n in range(MOST_PHONES + 1)))
    table.say(ms.Ask("idle 0", 1), ms.Ask(f"idle {MOST_PHONES}", 1))
    assert table.refusals("idle 0") == ["closed"]
    assert table.phones.asked == {1}
    assert table.phones.holding()[0] == {0}


# Taking back, closing, sleeping -----------------------------------------------------------------------------


def test_a_chair_that_is_taken_back_is_the_tables_and_its_phone_is_told(table: Table) -> None:
    table.granted(1, 2)
    table.phones.take_back(1)
    table.say(ms.Press("p1", table.offer(2).number, 0))
    assert table.refusals("p1") == ["taken_back", "no_chair"]
    assert table.game.phones.chairs == {2}


def test_no_is_told_to_the_phone_that_asks(table: Table) -> None:
    table.phones.open()
    table.say(ms.Join("p"), ms.Ask("p", 0))
    table.phones.take_back(0)
    assert table.refusals("p") == ["taken_back"]


def test_a_phone_gives_its_chair_back(table: Table) -> None:
    table.granted(1)
    table.say(ms.Leave("p1"))
    assert table.phones.holding()[0] == frozenset()
    assert table.game.phones.chairs == frozenset()


@pytest.mark.parametrize("by_page", [False, True])
def test_a_table_that_is_closed_lets_every_phone_go(table: Table, by_page: bool) -> None:
    table.granted(1, 2)
    if by_page:
        table.say(ms.Close())
    else:
        table.phones.close()
        table.say()
    assert (table.refusals("p1"), table.refusals("p2")) == (["closed"], ["closed"])
    assert table.door.of(ms.Held)[-1] == ms.Held(tuple(ms.Seat(n, one) for n, one in enumerate(COLOURS)))
    assert table.game.phones.chairs == frozenset()


def test_the_owner_takes_a_chair_back_by_the_page(table: Table) -> None:
    table.granted(1)
    table.say(ms.Kick(1))
    assert table.refusals("p1") == ["taken_back"]


def test_a_phone_that_says_nothing_sleeps_after_two_and_a_half_seconds_and_keeps_its_chair(
    table: Table,
) -> None:
    table.granted(1)
    begun = table.clock.now()
    table.say(ms.Presence("p1", awake=True))
    table.run(begun + ASLEEP // 1_000)
    assert table.phones.taken()[0].awake
    table.run(begun + ASLEEP // 1_000 + 20 * MILLI)
    assert not table.phones.taken()[0].awake
    assert not table.door.of(ms.Held)[-1].seats[1].awake
    assert table.game.phones.chairs == {1}
    table.say(ms.Presence("p1", awake=True))
    assert table.phones.taken()[0].awake


def test_a_page_that_is_hidden_sleeps_at_once(table: Table) -> None:
    table.granted(1)
    table.say(ms.Presence("p1", awake=False))
    assert not table.phones.taken()[0].awake


def test_a_page_that_is_killed_leaves_every_chair_with_its_phone_asleep(table: Table) -> None:
    table.granted(1, 2)
    table.say(SERVING, None)
    assert [(seat.chair, seat.awake) for seat in table.phones.taken()] == [(1, False), (2, False)]
    assert table.phones.shown().address == ""
    table.door.opened += 1
    table.say(ms.Join("p1"), ms.Presence("p1", awake=True))
    assert table.phones.taken()[0].awake
    assert table.door.of(ms.Held)[-1].seats[1].holder == "p1"


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
    assert [one.verdict for one in table.door.of(ms.Counted)] == ["taken"]


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
    table.run(LOCK + PHONE_LAG + after)
    table.say(table.press(2, LOCK - SECOND, arrived_ns=table.clock.now() * 1_000))
    table.run(LOCK + 2 * SECOND)
    assert table.events(HandsLocked) == [HandsLocked((2,) if counts else (), (1, 3) if counts else (1, 2, 3))]


def test_a_press_is_never_dated_to_before_what_is_judged_even_by_a_page_that_lies() -> None:
    table = counting()
    table.run(LOCK + PHONE_GRACE + 20 * MILLI)
    table.say(table.press(2, LOCK - MILLI, arrived_ns=(LOCK - MILLI) * 1_000))
    table.run(LOCK + 2 * SECOND)
    assert table.events(HandsLocked) == [HandsLocked((), (1, 2, 3))]
    assert all(ruling.late == 0 for ruling in table.game.announced())


def test_a_press_of_the_future_counts_from_its_arrival() -> None:
    table = counting()
    now = table.clock.now()
    table.say(table.press(2, now + 10 * SECOND, arrived_ns=(now + 20 * SECOND) * 1_000))
    table.run(now + SECOND)
    assert table.events(HandRaised) == [HandRaised(2)]


def test_a_forged_press_for_another_chair_is_refused_and_rules_nothing() -> None:
    table = counting()
    table.say(ms.Press("q", table.offer(2).number, 1), ms.Choose("q", table.offer(2).number, 0, 1))
    table.run(table.clock.now() + SECOND)
    assert table.refusals("q") == ["no_chair", "no_chair"]
    assert table.events(HandRaised) == []
    assert table.door.of(ms.Counted) == []


def test_by_how_much_a_slow_link_counts_later_is_told() -> None:
    table = counting()
    pressed = table.clock.now()
    table.run(pressed + 160 * MILLI)
    table.say(table.press(2, pressed))
    table.run(pressed + SECOND)
    (counted,) = table.door.of(ms.Counted)
    assert 60 * MILLI <= counted.late_us <= 70 * MILLI


def test_a_press_whose_instant_is_known_has_no_word_on_the_panel() -> None:
    table = counting()
    table.say(table.press(2, table.clock.now()))
    table.run(table.clock.now() + SECOND)
    assert all(said != Sentence("ui.late.unplaced") for _, said in table.notices)


def test_an_answer_to_another_question_is_told_as_changed(table: Table) -> None:
    table.granted(0)
    stale = table.offer(0).number
    table.say(ms.Press("p0", stale, table.clock.now() * 1_000))
    table.run(table.clock.now() + SECOND)
    assert table.offer(0).number > stale
    table.say(ms.Choose("p0", stale, 0, table.clock.now() * 1_000), ms.Choose("p0", 999, 0, 0))
    table.run(table.clock.now() + SECOND)
    assert sorted(one.verdict for one in table.door.of(ms.Counted)) == ["changed", "changed", "taken"]


def test_a_choice_is_counted_in_the_order_in_which_it_was_offered(table: Table) -> None:
    table.granted(0)
    table.say(ms.Press("p0", table.offer(0).number, table.clock.now() * 1_000))
    table.run(table.clock.now() + SECOND)
    offer = table.offer(0)
    labels = [dict(option.parts).get("value") for option in offer.options]
    place = labels.index(5)
    table.say(ms.Choose("p0", offer.number, place, table.clock.now() * 1_000))
    table.run(table.clock.now() + SECOND)
    assert [event.number for event in table.events(NumberAnnounced)] == [5]
    table.say(ms.Choose("p0", offer.number, 99, table.clock.now() * 1_000))
    assert table.door.of(ms.Counted)[-1].verdict == "changed"


# What is told -----------------------------------------------------------------------------------------------


def test_what_a_chair_is_asked_is_told_once_it_is_durable(table: Table) -> None:
    table.granted(0)
    journal = table.game.referee.journal
    assert isinstance(journal, SlowJournal)
    table.run(8 * SECOND, *kinapa_count())
    offers = [(at, one) for at, one in table.door.told if isinstance(one, ms.Offers)]
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
    table.session.take(ob.Paused(at=table.clock.now()))
    table.run(table.clock.now() + SECOND)
    assert (table.offer(0).options, table.offer(0).fact) == ((), False)


def test_without_a_reader_nothing_is_made_and_a_new_one_is_told_all_that_stands(table: Table) -> None:
    table.granted(0)
    table.door.read = False
    table.door.told.clear()
    table.run(8 * SECOND, *kinapa_count())
    assert [type(one) for _, one in table.door.told] == []
    table.door.read, table.door.opened = True, 2
    table.say()
    assert {type(one) for _, one in table.door.told} == {ms.Held, ms.Offers}


def test_why_and_what_may_i_do_are_answered_to_a_phone_with_a_chair(table: Table) -> None:
    table.granted(0)
    table.say(ms.Question("p0", "may"), ms.Question("stranger", "may"))
    table.run(table.clock.now() + SECOND)
    (answer,) = table.door.of(ms.Answered)
    assert answer.phone == "p0"
    assert [line.key for line in answer.lines] == ["kinapa.do.claim_cat"]
    table.run(8 * SECOND, *kinapa_count())
    table.say(ms.Question("p0", "why"))
    table.run(table.clock.now() + SECOND)
    why = table.door.of(ms.Answered)[-1]
    assert why.lines[-1].key.startswith("kinapa.why.")


# Games and phones -------------------------------------------------------------------------------------------


def test_all_wait_longer_while_a_phone_holds_a_chair(table: Table) -> None:
    assert table.game.grace == GRACE
    table.granted(0)
    assert table.game.grace == PHONE_GRACE
    table.phones.take_back(0)
    table.run(table.clock.now() + 2 * SECOND)
    assert table.game.grace == GRACE


def test_the_next_game_has_the_chairs_that_phones_hold(table: Table) -> None:
    table.granted(1, 3)
    table.session = Session(kinapa_game(), clock=table.clock, voice=ListVoice(table.clock, available=True))
    table.say()
    assert table.game.phones.chairs == {1, 3}
    table.session = None
    table.say()
    assert table.door.of(ms.Offers)[-1] == ms.Offers()
    table.say(ms.Press("p1", 0, 0))
    assert table.refusals("p1") == ["wire"]


def test_a_game_that_runs_at_another_speed_is_not_played_by_phones(table: Table) -> None:
    table.granted(1)
    table.speed = 2.0
    table.say(ms.Join("q"), ms.Ask("q", 0), ms.Press("p1", 0, 0))
    assert table.refusals("q") == ["speed"]
    assert table.refusals("p1") == ["wire"]
    assert table.game.phones.chairs == frozenset()


ALL = frozenset(range(4))


@pytest.mark.parametrize(
    ("rule", "held", "fit", "may"),
    [
        ({}, ALL, ALL, ALL),
        ({}, {0, 1}, {0, 1}, ()),
        ({}, ALL, {0, 1, 2}, ()),
        ({"phones": "all_phones"}, ALL, ALL, ALL),
        ({"phones": "no"}, ALL, ALL, ()),
        ({"phones": "mixed"}, {0, 1}, {0, 1}, {0, 1}),
        ({"phones": "mixed"}, {0, 1}, {1}, {1}),
    ],
)
def test_who_may_call_in_a_race_by_phone(rule: Any, held: Any, fit: Any, may: Any) -> None:
    held, fit, may = map(frozenset, (held, fit, may))
    options = KabukiOptions(**rule).for_phones(ALL, held, fit)
    assert options.phones_allowed(ALL, held, fit) == may
    assert (options.coarsest == 60 * MILLI) is bool(may)
    assert options.friendly is (may == ALL), "all by phone, and nobody by a wire"
    told = told_rules("kabuki", options)
    assert (Sentence("shared.friendly") in told) is options.friendly


def test_a_race_that_began_without_phones_takes_none_and_one_with_them_takes_all() -> None:
    def kabuki(options: KabukiOptions) -> Table:
        head = header_of("kabuki", Setup((0, 1, 2, 3), options))
        game = RefereedGame(Referee(RULES["kabuki"], MemoryJournal(head)), chance=lambda choices: 0)
        table = Table(game=game)
        table.granted(0, 1, 2, 3)
        return table

    without = kabuki(KabukiOptions())
    assert without.game.phones.chairs == frozenset()
    assert without.refusals("p3") == ["wire"], "and each phone is told why it has nothing to press"
    assert kabuki(KabukiOptions().for_phones(ALL, ALL, ALL)).game.phones.chairs == ALL


def test_a_phone_that_is_unfit_before_a_race_does_not_call_in_it() -> None:
    table = Table(playing=False)
    table.granted(0, 1, 2, 3)
    table.say(ms.Presence("p2", awake=True, fit=False))
    held, fit = table.phones.holding()
    assert (held, fit) == (ALL, ALL - {2})
    assert not next(seat for seat in table.phones.shown().seats if seat.chair == 2).fit
    assert KabukiOptions().for_phones(ALL, held, fit) == KabukiOptions()


def test_a_link_that_grows_worse_in_the_middle_of_a_game_takes_no_chair_away() -> None:
    table = counting()
    table.say(ms.Presence("p2", awake=True, fit=False))
    assert table.game.phones.chairs == {1, 2, 3}
