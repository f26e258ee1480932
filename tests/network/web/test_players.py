"""Phones that play, as the page has them: PIN and token, one chair each, limits, and words for everything."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import pytest

from companion.core.phone_rate_limit import MAX_CHAIR_PRESSES
from companion.core.view import Sentence
from companion.games import RULES
from companion.language import installed_languages
from companion.language.language import Language
from companion.network import messages as ms
from companion.network.web.audience import MAX_QUEUED_MESSAGES
from companion.network.web.guard import (
    MAX_CUT_OFF_ADDRESSES,
    MAX_WRONG_PER_ADDRESS,
    MAX_WRONG_TOTAL,
    WARNING_INTERVAL,
)
from companion.network.web.phone_players import MAX_PLAYERS, BrowserPress, PhonePlayer, phone_id
from tests.games.hearts.hearts_table import Table as Deal
from tests.games.liars_dice.dice_table import Table as Dice
from tests.network.web.player_pages import SECOND, TOKEN, Table


@pytest.fixture
def table() -> Table:
    return Table()


def heard(player: PhonePlayer) -> list[Any]:
    found = []
    while not player.watcher.waiting.empty():
        found.append(json.loads(player.watcher.waiting.get_nowait()))
    return found


def of(kind: str, player: PhonePlayer) -> list[Any]:
    return [message for message in heard(player) if message["type"] == kind]


# PIN and token ----------------------------------------------------------------------------------------------


def test_a_phone_comes_in_by_the_pin_and_has_a_token_that_nobody_else_is_told(table: Table) -> None:
    player = table.enter()
    (you,) = of("you", player)
    assert re.fullmatch(r"[0-9a-f]{32}", you["token"])
    assert table.outbox.told == [ms.PhoneJoined(phone_id(you["token"]))]
    assert you["token"] not in str(table.outbox.told)


def test_a_phone_comes_back_by_its_token(table: Table) -> None:
    player = table.enter()
    token = of("you", player)[0]["token"]
    table.players.remove_connection(player)
    assert table.outbox.told[-1] == ms.PhonePresence(player.phone, awake=False)
    again = table.players.enter("192.168.1.9", "", token, "en")
    assert isinstance(again, PhonePlayer)
    assert again.phone == player.phone


def test_a_phone_that_is_reloaded_again_and_again_keeps_its_chair_and_its_one_place(table: Table) -> None:
    player = table.enter()
    token = of("you", player)[0]["token"]
    table.hear(ms.ChairHolders(table.seats(chair_2=player.phone), is_open=True))
    for number in range(200):
        again = table.players.enter("192.168.1.9", "", token, "en")
        assert isinstance(again, PhonePlayer)
        if number % 2:  # the page before goes first, or is overtaken
            table.players.remove_connection(player)
        assert of("chairs", again)[-1]["mine"] == 2
        player = again
    for _ in range(MAX_PLAYERS - 1):
        table.enter()
    assert table.players.enter("192.168.1.9", table.pins.pin, "", "en") == "full"


@pytest.mark.parametrize("token", [TOKEN, "", "zz", "00" * 15, "0" * 4_000])
def test_a_token_of_another_table_or_of_none_opens_nothing(table: Table, token: str) -> None:
    assert table.players.enter("192.168.1.9", "", token or "x", "en") == "gone"


def test_a_page_that_was_killed_knows_its_phones_by_what_the_table_says(table: Table) -> None:
    table.hear(ms.ChairHolders(table.seats(chair_2=phone_id(TOKEN)), is_open=True))
    back = table.players.enter("192.168.1.9", "", TOKEN, "en")
    assert isinstance(back, PhonePlayer)
    assert table.players.chair_of(back) == 2


def test_wrong_pins_make_an_address_wait_and_thirty_change_the_pin(table: Table) -> None:
    before = table.pins.pin
    wrong = f"{(int(before) + 1) % 1_000_000:06}"
    answers = [table.players.enter("192.168.1.9", wrong, "", "en") for _ in range(MAX_WRONG_PER_ADDRESS + 1)]
    assert answers == ["wrong"] * MAX_WRONG_PER_ADDRESS + ["rest"]
    assert table.players.enter("192.168.1.9", before, "", "en") == "rest"
    others = (f"10.0.{n // MAX_WRONG_PER_ADDRESS}.1" for n in range(MAX_WRONG_TOTAL - MAX_WRONG_PER_ADDRESS))
    assert {table.players.enter(address, wrong, "", "en") for address in others} == {"wrong"}
    assert table.pins.pin != before


def test_a_thousand_guesses_are_answered_in_words_and_hit_nothing(table: Table) -> None:
    seen = set()
    for n in range(1_000):
        table.now += SECOND // 10
        pin = f"{(int(table.pins.pin) + 1 + n) % 1_000_000:06}"
        seen.add(table.players.enter(f"192.168.1.{n % 7}", pin, "", "en"))
    assert seen == {"wrong", "rest"}
    assert table.remarks() == ["stranger"] * 2, "once a minute, in a hundred seconds"
    assert len(table.outbox.told) == 2, "and nothing else"


def test_the_pin_is_another_at_each_opening_and_the_table_is_told(table: Table) -> None:
    told: list[str] = []
    table.players.on_pin_renewed = lambda: told.append(table.pins.pin)
    first = table.pins.pin
    table.enter()
    table.hear(ms.ChairHolders(table.seats()))
    assert table.players.enter("192.168.1.9", first, "", "en") == "closed"
    table.hear(ms.ChairHolders(table.seats(), is_open=True))
    assert table.pins.pin != first
    assert told == [table.pins.pin]


def test_a_table_that_is_closed_or_away_says_so(table: Table) -> None:
    table.hear(ms.ChairHolders(table.seats()))
    assert table.players.enter("192.168.1.9", table.pins.pin, "", "en") == "closed"
    table.hear(None)
    assert table.players.enter("192.168.1.9", table.pins.pin, "", "en") == "away"


def test_a_phone_that_comes_back_before_the_table_spoke_tries_again_and_keeps_its_seat(table: Table) -> None:
    table.hear(None, ms.TableHello("run"))
    assert table.players.enter("192.168.1.9", "", TOKEN, "en") == "away"
    table.hear(ms.ChairHolders(table.seats(chair_2=phone_id(TOKEN)), is_open=True))
    assert isinstance(table.players.enter("192.168.1.9", "", TOKEN, "en"), PhonePlayer)


def test_so_many_phones_come_in_and_no_more(table: Table) -> None:
    for _ in range(MAX_PLAYERS):
        table.enter()
    assert table.players.enter("192.168.1.9", table.pins.pin, "", "en") == "full"


def test_a_second_window_of_the_same_phone_takes_the_firsts_place(table: Table) -> None:
    first = table.enter()
    token = of("you", first)[0]["token"]
    second = table.players.enter("192.168.1.9", "", token, "en")
    assert isinstance(second, PhonePlayer)
    assert (first.ended, first.watcher.slow.is_set(), second.ended) == ("elsewhere", True, "")
    table.players.remove_connection(first)
    table.hear(ms.RequestRefused(second.phone, "full"))
    assert of("refused", second)


# What a phone is told ---------------------------------------------------------------------------------------


def test_each_phone_is_told_its_own_chair_and_its_own_offer(table: Table) -> None:
    red, blue = table.enter(), table.enter("de")
    table.hear(ms.ChairHolders(table.seats(chair_0=red.phone, chair_1=blue.phone), is_open=True))
    heard(red), heard(blue)
    raise_hand = Sentence("kinapa.do.raise")
    table.hear(ms.ChairOffers((ms.ChairOffer(0, 4, (raise_hand,), fact=True), ms.ChairOffer(1, 5, ()))))
    assert of("offer", red) == [
        {
            "type": "offer",
            "number": 4,
            "options": [Language("en").text(raise_hand)],
            "pictures": [],
            "fact": True,
        }
    ]
    assert of("offer", blue) == [{"type": "offer", "number": 5, "options": [], "pictures": [], "fact": False}]


def test_a_choice_that_names_a_card_has_its_picture(table: Table) -> None:
    red = table.enter()
    table.hold(red, 0)
    heard(red)
    options = tuple(Sentence("kobayakawa.do.show", (("value", number),)) for number in (5, 99))
    table.hear(ms.ChairOffers((ms.ChairOffer(0, 4, options, pictures=("number:5", "number:99")),)))
    assert of("offer", red)[0]["pictures"] == ["/art/number:5", ""]


def test_a_choice_that_names_somebody_else_has_the_sign(table: Table) -> None:
    red = table.enter()
    table.hold(red, 0)
    heard(red)
    options = tuple(Sentence("kinapa.do.draw_from", (("chair", chair),)) for chair in (1, 3))
    table.hear(ms.ChairOffers((ms.ChairOffer(0, 4, options),)))
    assert of("offer", red)[0]["chairs"] == [1, 3]
    table.hear(ms.ChairOffers((ms.ChairOffer(0, 5, (Sentence("kinapa.do.draw_from", (("chair", 0),)),)),)))
    assert "chairs" not in of("offer", red)[0], "one's own stands on the page"


def test_the_first_step_of_a_bid_is_a_number_and_the_second_a_die(table: Table) -> None:
    dice = Dice()
    options = next(prompt.actions for prompt in RULES["liars_dice"].prompts(dice.state))
    rules, state = RULES["liars_dice"], dice.state
    offer = ms.ChairOffer(
        0,
        4,
        tuple(rules.label(state, option) for option in options),
        pictures=tuple(map(rules.choice_picture, options)),
        firsts=tuple(rules.first_label(state, option) for option in options),
    )
    red = table.enter()
    table.hold(red, 0)
    heard(red)
    table.hear(ms.ChairOffers((offer,)))
    told = of("offer", red)[0]
    assert told["numbers"][:7] == ["1"] * 6 + ["2"]
    assert told["pictures"][:7] == [f"/art/die:{face}" for face in (1, 2, 3, 4, 5, 6, 1)]


def test_the_first_step_of_a_card_is_its_suit_in_words_and_the_second_the_card(table: Table) -> None:
    rules, state = RULES["hearts"], Deal().state
    options = next(prompt.actions for prompt in rules.prompts(state))
    offer = ms.ChairOffer(
        0,
        4,
        tuple(rules.label(state, option) for option in options),
        pictures=tuple(map(rules.choice_picture, options)),
        firsts=tuple(rules.first_label(state, option) for option in options),
    )
    red = table.enter()
    table.hold(red, 0)
    heard(red)
    table.hear(ms.ChairOffers((offer,)))
    told = of("offer", red)[0]
    assert list(dict.fromkeys(told["firsts"])) == ["Clubs", "Diamonds", "Spades", "Hearts"]
    assert told["pictures"][::13] == [f"/art/{suit}:2" for suit in ("clubs", "diamonds", "spades", "hearts")]
    assert told["options"][12] == "Ace of clubs"


def test_a_phone_without_a_chair_is_told_what_it_can_do_in_this_game(table: Table) -> None:
    guest = table.enter("de")
    for use in ("any", "each", "all", "none"):
        table.hear(ms.ChairHolders(table.seats(), is_open=True, use=use))
        told = of("chairs", guest)[-1]
        assert (told["use"], told["use_said"]) == (use, Language("de").tr(f"ui.page.use.{use}"))


def test_no_phone_is_told_another_ones_name(table: Table) -> None:
    red, blue = table.enter(), table.enter()
    table.hear(ms.ChairHolders(table.seats(chair_0=red.phone), is_open=True), ms.PressResult(red.phone, 1))
    assert red.phone not in json.dumps(heard(blue))
    assert blue.phone not in json.dumps(heard(red))


@pytest.mark.parametrize("code", installed_languages.language_codes())
def test_everything_that_can_be_refused_or_ended_has_a_sentence(code: str) -> None:
    words = Language(code)
    why = get_args(ms.RefusalReason)
    verdicts = ("changed", "choose", "twice", "no_chair", "dropped")
    keys = [
        *(f"ui.page.why.{one}" for one in why),
        *(f"ui.page.verdict.{one}" for one in verdicts),
        *(f"ui.page.no.{one}" for one in ("wrong", "rest", "full", "closed", "away", "gone")),
        *(f"ui.page.end.{one}" for one in ("closed", "elsewhere", "restarted", "loud")),
    ]
    for key in keys:
        assert words.tr(key) != key, key


@pytest.mark.parametrize(
    ("counted", "text"),
    [
        (ms.PressResult("p", 1), ""),
        (ms.PressResult("p", 1, late_us=9_000), ""),
        (ms.PressResult("p", 1, late_us=48_400), "Slow connection: it counts 48 ms later."),
        (ms.PressResult("p", 1, "changed"), "The question had changed. That press didn’t count."),
    ],
)
def test_what_became_of_a_press_is_told_in_words(table: Table, counted: ms.PressResult, text: str) -> None:
    player = table.enter()
    heard(player)
    table.hear(ms.PressResult(player.phone, counted.offer, counted.verdict, late_us=counted.late_us))
    (told,) = of("counted", player)
    assert (told["verdict"], told["text"]) == (counted.verdict, text)


def test_a_restarted_table_lets_every_phone_go_with_a_sentence_and_believes_no_old_token(
    table: Table,
) -> None:
    player = table.enter()
    token = of("you", player)[0]["token"]
    table.hear(None)
    assert not player.watcher.slow.is_set(), "a page that is killed and comes back finds its phones"
    table.hear(ms.TableHello("run"))
    assert not player.watcher.slow.is_set()
    table.hear(ms.TableHello("another run"))
    assert (player.ended, player.watcher.slow.is_set()) == ("restarted", True)
    table.hear(ms.ChairHolders(table.seats()))
    assert table.players.enter("192.168.1.9", "", token, "en") == "gone"


def test_a_closed_table_lets_its_phones_go_with_a_sentence(table: Table) -> None:
    player = table.enter()
    table.hear(ms.RequestRefused(player.phone, "closed"))
    assert player.ended == "closed"


def test_while_the_table_is_away_a_phone_is_told_so(table: Table) -> None:
    player = table.enter()
    heard(player)
    table.outbox.there = False
    table.players.send_to_table(player, ms.ChairRequest(player.phone, 0))
    assert [one["type"] for one in heard(player)] == ["away"]


# Limits -----------------------------------------------------------------------------------------------------


def test_a_press_without_a_chair_never_reaches_the_table(table: Table) -> None:
    player = table.enter()
    heard(player)
    assert not table.players.admit_press(player, BrowserPress(1, 0.0), table.now)
    assert [one["why"] for one in of("refused", player)] == ["no_chair"]


def test_presses_beyond_ten_a_second_are_dropped_and_the_phone_is_told(table: Table) -> None:
    player = table.enter()
    table.hold(player)
    heard(player)
    taken = [table.players.admit_press(player, BrowserPress(1, 0.0), table.now) for _ in range(12)]
    assert taken == [True] * MAX_CHAIR_PRESSES + [False] * 2
    assert [one["verdict"] for one in of("counted", player)] == ["dropped"] * 2


def test_a_phone_that_never_reads_is_let_go(table: Table) -> None:
    player = table.enter()
    for number in range(MAX_QUEUED_MESSAGES + 1):
        table.hear(ms.PressResult(player.phone, number))
    assert player.watcher.slow.is_set()


@pytest.mark.parametrize("why", ["crowd", "unread"])
def test_a_phone_that_was_cut_off_is_told_so_once_when_it_is_back(
    table: Table, why: ms.BrowserProblemKind
) -> None:
    table.audience.remarks.report_cut_off("192.168.1.9", why)
    assert of("back", table.enter(address="192.168.1.8")) == [], "it was not this one"
    (back,) = of("back", table.enter("de"))
    assert back["text"] == Language("de").tr(f"ui.page.back.{why}") != f"ui.page.back.{why}"
    assert of("back", table.enter()) == []


def test_a_phone_that_never_reads_is_let_go_and_told_so_at_the_table_and_when_it_is_back(
    table: Table,
) -> None:
    player = table.enter()
    token = of("you", player)[0]["token"]
    for number in range(MAX_QUEUED_MESSAGES + 1):
        table.hear(ms.PressResult(player.phone, number))
    table.players.remove_connection(player)
    assert table.remarks() == ["unread"]
    back = table.players.enter("192.168.1.9", "", token, "en")
    assert isinstance(back, PhonePlayer)
    assert [one["text"] for one in of("back", back)] == [Language("en").tr("ui.page.back.unread")]
    table.players.remove_connection(back)
    assert of("back", table.enter()) == [], "it read this time"


def test_a_phone_with_another_tables_code_is_told_at_the_table(table: Table) -> None:
    assert table.players.enter("192.168.1.9", "", TOKEN, "en") == "gone"
    assert table.remarks() == ["stranger"]


def test_a_phone_with_last_weeks_pin_is_told_at_the_table_once_a_minute(table: Table) -> None:
    old = table.pins.pin
    table.pins.renew()
    for number in range(10):
        assert table.players.enter(f"192.168.1.{number}", old, "", "en") == "wrong"
    assert table.remarks() == ["stranger"]
    table.now += WARNING_INTERVAL - 1
    table.players.enter("192.168.1.20", old, "", "en")
    assert table.remarks() == ["stranger"]
    table.now += 1
    table.players.enter("192.168.1.21", old, "", "en")
    assert table.remarks() == ["stranger"] * 2


def test_what_no_table_could_hear_is_told_to_the_next(table: Table) -> None:
    table.outbox.there = False
    table.players.enter("192.168.1.9", "", TOKEN, "en")
    table.outbox.there = True
    table.players.enter("192.168.1.9", "", TOKEN, "en")
    assert table.remarks() == ["stranger"]


def test_a_phone_that_comes_while_the_table_is_closed_is_told_at_the_table(table: Table) -> None:
    table.hear(ms.ChairHolders(table.seats()))
    assert table.players.enter("192.168.1.9", table.pins.pin, "", "en") == "closed"
    assert table.remarks() == ["knock"]


def test_a_crowd_of_phones_is_told_at_the_table(table: Table) -> None:
    for _ in range(MAX_PLAYERS):
        table.enter()
    assert table.remarks() == []
    assert table.players.enter("192.168.1.9", table.pins.pin, "", "en") == "full"
    assert table.remarks() == ["crowd"]


def test_so_many_addresses_that_were_cut_off_are_remembered(table: Table) -> None:
    remarks = table.audience.remarks
    for number in range(MAX_CUT_OFF_ADDRESSES + 1):
        remarks.report_cut_off(f"10.0.{number // 256}.{number % 256}", "crowd")
    assert remarks.take_cut_off_reason("10.0.0.0") is None
    assert remarks.take_cut_off_reason("10.0.0.1") == "crowd"
    assert table.remarks() == ["crowd"]
