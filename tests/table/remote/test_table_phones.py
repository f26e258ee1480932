"""Phones at the table: nobody but the table gives a chair, and a press counts by the table's own stamp."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.actions import SECOND, Setup
from companion.core.view import Sentence
from companion.games import RULES
from companion.games.kabuki.rules.model import KabukiOptions
from companion.network import messages as ms
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.loop import GRACE, PHONE_GRACE, RefereedGame
from companion.referee.referee import Referee
from companion.table.remote.phone_seats import MAX_PHONES, SLEEP_AFTER, find_phone_use
from companion.table.session import Session
from companion.ui.board.setup_overlays import spoken_rules
from tests.table.loop import MILLI, ListVoice, kinapa_game
from tests.table.remote.phones_at_table import COLOURS, Table, counting

SERVING = ms.PageAddress("192.168.1.5", 8420, "012345", ("101", "010", "111"))


@pytest.fixture
def table() -> Table:
    return Table()


# The table grants -------------------------------------------------------------------------------------------


def test_a_closed_table_lets_no_phone_join_or_ask(table: Table) -> None:
    table.say(ms.PhoneJoined("p"), ms.ChairRequest("p", 0))
    assert table.refusals("p") == ["closed", "closed"]
    assert not table.phones.grant_chair(0)


def test_a_chair_goes_to_the_phone_that_asks_once_the_table_says_yes_and_not_before(table: Table) -> None:
    table.phones.admit_phones()
    table.say(ms.PhoneJoined("p"), ms.ChairRequest("p", 2))
    assert table.phones.requested_chairs == {2}
    assert table.phones.held_chairs() == (frozenset(), frozenset())
    assert table.game.phones.chairs == frozenset()
    assert table.door.of(ms.ChairGranted) == []
    assert table.phones.grant_chair(2)
    table.say()
    assert table.door.of(ms.ChairGranted) == [ms.ChairGranted("p", 2)]
    assert table.door.of(ms.ChairHolders)[-1].seats[2] == ms.ChairHolder(2, "green", "p")
    assert table.game.phones.chairs == {2}


def test_nobody_gets_a_chair_that_no_phone_asks_for(table: Table) -> None:
    table.phones.admit_phones()
    table.say(ms.PhoneJoined("p"))
    assert not table.phones.grant_chair(1)
    assert table.door.of(ms.ChairGranted) == []


@pytest.mark.parametrize(
    ("asks", "why"),
    [
        (ms.ChairRequest("stranger", 0), "closed"),  # it never joined
        (ms.ChairRequest("q", 1), "taken"),
        (ms.ChairRequest("q", 2), "asked"),
        (ms.ChairRequest("q", 9), "taken"),
        (ms.ChairRequest("p1", 3), "taken"),  # it has a chair
    ],
)
def test_why_a_chair_is_not_to_be_had(table: Table, asks: ms.ChairRequest, why: str) -> None:
    table.granted(1)
    table.say(ms.PhoneJoined("q"), ms.PhoneJoined("r"), ms.ChairRequest("r", 2))
    table.say(asks)
    assert table.refusals(asks.phone) == [why]


def test_a_phone_asks_for_one_chair_at_a_time(table: Table) -> None:
    table.phones.admit_phones()
    table.say(ms.PhoneJoined("p"), ms.ChairRequest("p", 0), ms.ChairRequest("p", 3))
    assert table.phones.requested_chairs == {3}


def test_when_all_chairs_are_taken_nobody_joins_and_the_code_is_hidden(table: Table) -> None:
    table.granted(0, 1, 2)
    table.say(SERVING)
    assert table.phones.phone_table().code == SERVING.code
    table.granted(3)
    table.say(ms.PhoneJoined("late"), ms.PhoneJoined("p0"))
    assert (table.refusals("late"), table.refusals("p0")) == (["full"], []), "who has a chair comes back"
    shown = table.phones.phone_table()
    assert (shown.full, shown.code, shown.pin) == (True, (), "012345")


def test_what_the_page_says_of_itself_is_shown_only_while_open_and_only_if_it_is_sound(table: Table) -> None:
    table.say(SERVING)
    assert table.phones.phone_table().pin == ""
    table.phones.admit_phones()
    assert table.phones.phone_table().address == "http://192.168.1.5:8420"
    for wrong in (
        ms.PageAddress("evil.example", 8420, "012345"),
        ms.PageAddress("192.168.1.5", 8420, "12"),
        ms.PageAddress("192.168.1.5", 0, "012345"),
        ms.PageAddress("192.168.1.5", 8420, "012345", ("10", "1")),
        ms.PageAddress("192.168.1.5", 8420, "012345", ("0x", "1 ")),
        ms.PageAddress("192.168.1.5", 8420, "012345", ("0" * 99,) * 99),
    ):
        table.say(wrong)
        assert table.phones.phone_table().pin == "", wrong


def test_phones_that_play_by_an_address_that_the_table_had_are_told_of(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.say(SERVING)
    table.say(ms.PageAddress("192.168.1.6", 8420, "012345"))
    assert not table.phones.remarked, "nobody plays by phone"
    table.granted(1)
    table.say(ms.PageAddress("", 8420, "012345"), ms.PageAddress("192.168.1.6", 8420, "012345"))
    assert not table.phones.remarked, "the network went and came"
    table.say(SERVING)
    assert table.phones.remarked == {"moved"}
    assert "The table's address is 192.168.1.5 now" in caplog.text


def test_phones_that_only_wait_make_room_for_others(table: Table) -> None:
    table.granted(0)
    table.say(*(ms.PhoneJoined(f"idle {n}") for n in range(MAX_PHONES + 1)))
    table.say(ms.ChairRequest("idle 0", 1), ms.ChairRequest(f"idle {MAX_PHONES}", 1))
    assert table.refusals("idle 0") == ["closed"]
    assert table.phones.requested_chairs == {1}
    assert table.phones.held_chairs()[0] == {0}


# Taking back, closing, sleeping -----------------------------------------------------------------------------


def test_a_chair_that_is_taken_back_is_the_tables_and_its_phone_is_told(table: Table) -> None:
    table.granted(1, 2)
    table.phones.revoke_chair(1)
    table.say(ms.PhonePress("p1", table.offer(2).number, 0))
    assert table.refusals("p1") == ["taken_back", "no_chair"]
    assert table.game.phones.chairs == {2}


def test_no_is_told_to_the_phone_that_asks(table: Table) -> None:
    table.phones.admit_phones()
    table.say(ms.PhoneJoined("p"), ms.ChairRequest("p", 0))
    table.phones.revoke_chair(0)
    assert table.refusals("p") == ["taken_back"]


def test_a_phone_gives_its_chair_back(table: Table) -> None:
    table.granted(1)
    table.say(ms.PhoneLeft("p1"))
    assert table.phones.held_chairs()[0] == frozenset()
    assert table.game.phones.chairs == frozenset()


@pytest.mark.parametrize("by_page", [False, True])
def test_a_table_that_is_closed_lets_every_phone_go(table: Table, by_page: bool) -> None:
    table.granted(1, 2)
    if by_page:
        table.say(ms.CloseToPhones())
    else:
        table.phones.dismiss_phones()
        table.say()
    assert (table.refusals("p1"), table.refusals("p2")) == (["closed"], ["closed"])
    assert table.door.of(ms.ChairHolders)[-1] == ms.ChairHolders(
        tuple(ms.ChairHolder(n, one) for n, one in enumerate(COLOURS)), use="each"
    )
    assert table.game.phones.chairs == frozenset()


@pytest.mark.parametrize(
    ("rule", "began", "use"),
    [
        ("all_phones", True, "all"),
        ("mixed", True, "each"),
        ("no", True, "none"),
        ("all_phones", False, "none"),  # it began without phones
    ],
)
def test_before_a_phone_has_a_chair_it_is_told_what_it_can_do_in_this_game(
    rule: str, began: bool, use: str
) -> None:
    everybody = frozenset(range(4))
    options = KabukiOptions(phones=rule)  # type: ignore[arg-type]
    if began:
        options = options.adapt_to_phones(everybody, everybody, everybody)
    assert find_phone_use(options, everybody) == use
    assert Table(playing=False).phones._phone_use() == "any"


@pytest.mark.parametrize(("simulated", "uses"), [(False, "all"), (True, "each")])
def test_a_guest_alone_plays_kabuki_beside_simulated_people_who_count_as_players_by_phone(
    simulated: bool, uses: str
) -> None:
    everybody = frozenset(range(4))
    options = KabukiOptions().adapt_to_phones(everybody, everybody, everybody)
    header = make_header("kabuki", Setup((0, 1, 2, 3), options))
    game = RefereedGame(Referee(RULES["kabuki"], MemoryJournal(header)), chance=lambda choices: 0)
    table = Table(game=game, simulated=simulated)
    table.granted(1)
    assert table.door.of(ms.ChairHolders)[-1].use == uses
    assert table.game.phones.chairs == ({1} if simulated else frozenset())
    assert table.refusals("p1") == ([] if simulated else ["wire"])


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Jonas", "Jonas"),
        ("  Ada \t Lovelace ", "Ada Lovelace"),
        ("\x1b[31m\u202eabc", "[31m abc"),
        ("x" * 400, "x" * 16),
    ],
)
def test_a_name_from_a_phone_is_fit_for_the_screen_and_no_other_phone_is_told_it(
    table: Table, typed: str, name: str
) -> None:
    table.phones.admit_phones()
    table.say(ms.PhoneJoined("p"), ms.ChairRequest("p", 2, typed))
    assert table.phones.grant_chair(2)
    table.say()
    assert table.phones.player_name(2) == name
    assert name not in repr(table.door.told)


def test_the_owner_takes_a_chair_back_by_the_page(table: Table) -> None:
    table.granted(1)
    table.say(ms.TakeChairBack(1))
    assert table.refusals("p1") == ["taken_back"]


def test_a_phone_that_says_nothing_sleeps_after_two_and_a_half_seconds_and_keeps_its_chair(
    table: Table,
) -> None:
    table.granted(1)
    begun = table.clock.now()
    table.say(ms.PhonePresence("p1", awake=True))
    table.run(begun + SLEEP_AFTER // 1_000)
    assert table.phones.phone_seats()[0].awake
    table.run(begun + SLEEP_AFTER // 1_000 + 20 * MILLI)
    assert not table.phones.phone_seats()[0].awake
    assert not table.door.of(ms.ChairHolders)[-1].seats[1].awake
    assert table.game.phones.chairs == {1}
    table.say(ms.PhonePresence("p1", awake=True))
    assert table.phones.phone_seats()[0].awake


def test_a_page_that_is_hidden_sleeps_at_once(table: Table) -> None:
    table.granted(1)
    table.say(ms.PhonePresence("p1", awake=False))
    assert not table.phones.phone_seats()[0].awake


def test_a_page_that_is_killed_leaves_every_chair_with_its_phone_asleep(table: Table) -> None:
    table.granted(1, 2)
    table.say(SERVING, None)
    assert [(seat.chair, seat.awake) for seat in table.phones.phone_seats()] == [(1, False), (2, False)]
    assert table.phones.phone_table().address == ""
    table.door.connection_count += 1
    table.say(ms.PhoneJoined("p1"), ms.PhonePresence("p1", awake=True))
    assert table.phones.phone_seats()[0].awake
    assert table.door.of(ms.ChairHolders)[-1].seats[1].holder == "p1"


# Games and phones -------------------------------------------------------------------------------------------


def test_all_wait_longer_while_a_phone_holds_a_chair(table: Table) -> None:
    assert table.game.grace == GRACE
    table.granted(0)
    assert table.game.grace == PHONE_GRACE
    table.phones.revoke_chair(0)
    table.run(table.clock.now() + 2 * SECOND)
    assert table.game.grace == GRACE


def test_the_next_game_has_the_chairs_that_phones_hold(table: Table) -> None:
    table.granted(1, 3)
    table.session = Session(kinapa_game(), clock=table.clock, voice=ListVoice(table.clock, available=True))
    table.say()
    assert table.game.phones.chairs == {1, 3}
    table.session = None
    table.say()
    assert table.door.of(ms.ChairOffers)[-1] == ms.ChairOffers()
    table.say(ms.PhonePress("p1", 0, 0))
    assert table.refusals("p1") == ["wire"]


def test_a_game_that_runs_at_another_speed_is_not_played_by_phones(table: Table) -> None:
    table.granted(1)
    table.speed = 2.0
    table.say(ms.PhoneJoined("q"), ms.ChairRequest("q", 0), ms.PhonePress("p1", 0, 0))
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
    options = KabukiOptions(**rule).adapt_to_phones(ALL, held, fit)
    assert options.chairs_allowed_phones(ALL, held, fit) == may
    assert (options.coarsest_resolution == 60 * MILLI) is bool(may)
    assert options.friendly is (may == ALL), "all by phone, and nobody by a wire"
    told = spoken_rules("kabuki", options)
    assert (Sentence("shared.friendly") in told) is options.friendly


def test_a_race_that_began_without_phones_takes_none_and_one_with_them_takes_all() -> None:
    def kabuki(options: KabukiOptions) -> Table:
        head = make_header("kabuki", Setup((0, 1, 2, 3), options))
        game = RefereedGame(Referee(RULES["kabuki"], MemoryJournal(head)), chance=lambda choices: 0)
        table = Table(game=game)
        table.granted(0, 1, 2, 3)
        return table

    without = kabuki(KabukiOptions())
    assert without.game.phones.chairs == frozenset()
    assert without.refusals("p3") == ["wire"], "and each phone is told why it has nothing to press"
    assert kabuki(KabukiOptions().adapt_to_phones(ALL, ALL, ALL)).game.phones.chairs == ALL


def test_a_phone_that_is_unfit_before_a_race_does_not_call_in_it() -> None:
    table = Table(playing=False)
    table.granted(0, 1, 2, 3)
    table.say(ms.PhonePresence("p2", awake=True, fit=False))
    held, fit = table.phones.held_chairs()
    assert (held, fit) == (ALL, ALL - {2})
    assert not next(seat for seat in table.phones.phone_table().seats if seat.chair == 2).fit
    assert KabukiOptions().adapt_to_phones(ALL, held, fit) == KabukiOptions()


def test_a_link_that_grows_worse_in_the_middle_of_a_game_takes_no_chair_away() -> None:
    table = counting()
    table.say(ms.PhonePresence("p2", awake=True, fit=False))
    assert table.game.phones.chairs == {1, 2, 3}
