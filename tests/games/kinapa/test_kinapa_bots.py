"""Decks that nobody holds: who starts, the aids, draws and demands, the Switch, the end."""

from __future__ import annotations

import pytest

from companion.core.actions import Action
from companion.games.kinapa.rules.bot_decks import win_condition
from companion.games.kinapa.rules.model import (
    AidLaid,
    AidsAsked,
    AnimalMissing,
    AuditOpened,
    BotAsked,
    DecksSwitched,
    HolderFound,
    KinapaPhase,
    LiarCalled,
    LiarPunished,
    NumberDenied,
    WinConditionTold,
)
from tests.games.game_table import broken, kinds
from tests.games.kinapa.kinapa_bots import A_BOT, B_BOT, BOT, three, two
from tests.games.kinapa.kinapa_table import RULES, A, B, C, crowned, fold, given, new_table

# Setting up -------------------------------------------------------------------------------------------------


def test_k_t20_cat_1_in_neither_hand_both_switch_and_then_the_holder_is_emperor_with_a_sheep():
    table = new_table(2)
    assert table.say(A, "nobody") == (DecksSwitched(A, A_BOT), DecksSwitched(B, B_BOT))
    assert table.phase == "starting"
    assert kinds(table.say(B, "claim_cat")) == ["EmperorCrowned", "SheepTaken", "EndTold"]
    assert table.emperor == B
    assert table.sheep == {B}


def test_k_t20_one_switch_always_suffices():
    table = new_table(2)
    table.say(A, "nobody")
    assert broken(table.say(B, "nobody")) == ["turn.not_now"]
    assert table.legal_seats("claim_cat") == {A, B}
    assert not table.legal_seats("nobody")


def test_k_t21_cat_1_in_a_hand_needs_no_switch():
    table = new_table(2)
    table.say(B, "claim_cat")
    assert table.emperor == B
    assert not table.of(DecksSwitched)


def test_k_t22_the_lowest_animal_in_a_human_hand_makes_the_first_emperor():
    table = new_table(3)
    assert table.say(A, "nobody") == (AnimalMissing(1, 2),)
    assert RULES.view(table.state).headline.parts == (("number", 2),)
    table.say(C, "claim_cat")
    assert table.emperor == C
    assert table.sheep == {C}


def test_k_t22_four_animals_at_most_lie_in_the_bot():
    table = new_table(3)
    for _ in range(4):
        assert not broken(table.say(B, "nobody"))
    assert table.state.lowest == 5
    assert broken(table.say(B, "nobody"))


@pytest.mark.parametrize(
    ("players", "bot", "seats"), [(2, False, 4), (3, False, 4), (4, True, 5), (7, True, 8)]
)
def test_k_t28_a_bot_is_one_more_seat_and_two_players_have_one_each(players: int, bot: bool, seats: int):
    table = new_table(players, bot=bot)
    table.say(A, "claim_cat")
    assert len(table.state.seats) == seats
    assert table.legal_values("announce") == set(range(1, 2 * seats + 1))
    assert len(table.state.slots) == 2 * seats
    assert sum(seat.cards for seat in table.state.seats) == 4 * seats


def test_the_first_claim_is_by_the_own_button_and_the_long_press_says_that_nobody_has_it():
    table = new_table(3)
    table.hold(B)
    assert table.of(AnimalMissing) == [AnimalMissing(1, 2)]
    table.tap(C)
    assert table.emperor == C


@pytest.mark.parametrize(
    ("players", "options", "win"),
    [
        (2, {}, "deck"),
        (2, {"win_bot": "both_decks"}, "both_decks"),
        (3, {"win_bot": "both_decks"}, "deck"),
        (3, {"win_bot": "two_pairs"}, "two_pairs"),
        (3, {"switch_progress": "person"}, "two_pairs"),
    ],
)
def test_how_a_game_with_a_bot_is_won_is_said_before_its_first_turn(players: int, options: dict, win: str):
    table = new_table(players, **options)
    assert (
        table.say(A, "claim_cat")[-1] == WinConditionTold(win) == WinConditionTold(win_condition(table.state))
    )
    assert RULES.sentence(table.state, WinConditionTold(win)) is not None


def test_without_a_bot_nothing_is_said_of_it():
    table = new_table(4)
    assert kinds(table.say(A, "claim_cat")) == ["EmperorCrowned", "SheepTaken"]
    assert broken(table.say(A, "nobody"))
    assert RULES.view(table.state).bots == ()


# The aids ---------------------------------------------------------------------------------------------------


def test_two_players_lay_their_aids_one_after_the_other_the_emperor_first():
    table = two()
    assert table.say(A, "announce", 3)[-1] == AidsAsked((A_BOT, B_BOT))
    assert table.phase == "aiding"
    assert table.legal_seats("aid_up") == {A}
    assert broken(table.say(B, "aid_up"))
    table.say(A, "aid_up")
    assert table.legal_seats("aid_up") == {B}
    assert kinds(table.say(B, "aid_down")) == ["AidLaid", "CountDue"]
    assert table.phase == "announced"
    assert table.state.turn.raised == (A_BOT,)


def test_the_common_bot_is_laid_by_the_emperor():
    table = three()
    assert table.say(A, "announce", 3)[-1] == AidsAsked((BOT,))
    assert table.legal_seats("aid_down") == {A}
    table.hold(A)
    assert table.of(AidLaid) == [AidLaid(BOT, False)]
    assert table.phase == "announced"


def test_the_count_waits_for_the_aids():
    table = three()
    table.say(A, "announce", 3)
    assert RULES.awaited_cue(table.state) is None
    assert RULES.next_timer(table.state) is None
    table.aids()
    assert RULES.awaited_cue(table.state) is not None


def test_a_bot_with_a_fox_shows_hand_down_and_is_not_asked():
    table = given(LiarPunished(BOT, 2, False), *crowned(A), players=3)
    assert kinds(table.say(A, "announce", 3)) == ["NumberAnnounced"]
    assert table.phase == "announced"
    (bot,) = RULES.view(table.state).bots
    assert bot.aid == "down"


def test_a_hand_raised_while_the_aids_are_laid_counts():
    table = three()
    table.say(A, "announce", 3)
    table.press(B)
    table.press(C)
    table.press(C)
    assert table.state.turn.raised == (B,)
    assert Action(C, "raise") in table.legal
    table.aids([BOT])
    assert table.state.turn.raised == (B, BOT)


def test_a_void_count_leaves_the_aids_as_they_lie():
    table = three()
    table.say(A, "announce", 3)
    table.aids([BOT])
    table.say(B, "raise")
    table.state = fold(table.state, RULES.void_window(table.state, "pause"))
    assert table.phase == "recounting"
    assert table.state.turn.raised == (BOT,)
    table.say(A, "recount")
    assert table.phase == "announced"


def test_nobody_raises_a_hand_for_a_bot():
    table = three()
    table.say(A, "announce", 3)
    table.aids()
    assert broken(table.say(BOT, "raise"))
    assert BOT not in table.legal_seats("raise")


def test_the_aid_is_shown_from_its_laying_to_the_end_of_the_turn():
    table = two()
    aids = lambda: [bot.aid for bot in RULES.view(table.state).bots]  # noqa: E731
    assert aids() == ["", ""]
    table.say(A, "announce", 3)
    table.say(A, "aid_up")
    assert aids() == ["up", ""]
    table.say(B, "aid_down")
    assert aids() == ["up", "down"]
    table.cue()
    table.elapse(table.at + 3_000_000)
    assert aids() == ["up", "down"]


# Draws ------------------------------------------------------------------------------------------------------


def test_k_t23_two_lowered_of_three_the_emperor_picks_the_hand_or_the_bot():
    table = two()
    table.count(3, [A_BOT])
    table.say(A, "no_pair")
    assert table.phase == "choosing"
    assert table.legal_values("draw_from") == {B, B_BOT}
    table.draw(B_BOT)
    assert [seat.received for seat in table.state.seats] == [1, 0, 0, 1]


def test_k_t47_both_bots_lowered_and_the_opponent_raised_is_a_draw():
    table = two()
    table.count(3, [B])
    table.say(A, "no_pair")
    assert table.phase == "choosing"
    assert table.legal_values("draw_from") == {A_BOT, B_BOT}


def test_the_emperor_may_draw_from_the_own_bot():
    table = two()
    table.count(3)
    table.say(A, "no_pair")
    assert table.legal_values("draw_from") == {B, A_BOT, B_BOT}
    table.draw(A_BOT)
    assert [seat.cards for seat in table.state.seats] == [4, 4, 4, 4]


# Demands ----------------------------------------------------------------------------------------------------


def test_k_t24_only_the_own_bot_is_lowered_and_has_it_a_swap_inside_the_own_decks():
    table = two()
    table.count(3, [B, B_BOT])
    assert table.say(A, "no_pair")[-1] == BotAsked(A_BOT, A, 3, KinapaPhase.ASKING)
    assert table.legal_seats("has") == {A_BOT}
    assert [prompt.chair for prompt in RULES.prompts(table.state)] == [A]
    ruled = table.say(A_BOT, "has")
    assert kinds(ruled) == ["Admitted", "HolderFound", "CardHanded"], (
        "the Emperor took it: nothing to confirm"
    )
    assert table.phase == "returning"
    table.say(A, "return")
    assert not table.of(LiarPunished)
    assert [seat.received for seat in table.state.seats] == [1, 0, 1, 0]


def test_k_t24_not_there_it_is_demanded_from_the_raised_decks_and_the_holder_is_punished():
    table = two()
    table.count(3, [B, B_BOT])
    table.say(A, "no_pair")
    assert table.say(A_BOT, "has_not") == (NumberDenied(A_BOT), LiarCalled(3))
    assert table.legal_seats("has") == {B}, "hands before BOT decks (KA42)"
    assert table.say(B, "has_not")[-1] == BotAsked(B_BOT, B, 3, KinapaPhase.SEARCHING)
    assert table.say(B_BOT, "has")[-1] == HolderFound(B_BOT)
    assert table.phase == "handing"
    table.say(A, "receive")
    assert table.foxes == {B_BOT: 2}


def test_k_t25_only_the_opponents_bot_is_lowered_the_opponent_looks():
    table = two()
    table.count(3, [B, A_BOT])
    assert table.say(A, "no_pair")[-1] == BotAsked(B_BOT, B, 3, KinapaPhase.ASKING)
    table.tap(B)
    assert table.phase == "handing"
    table.say(A, "receive")
    table.say(A, "return")
    assert table.foxes == {}


def test_k_t25_not_there_the_raised_ones_are_asked():
    table = two()
    table.count(3, [B, A_BOT])
    table.say(A, "no_pair")
    table.hold(B)
    assert table.of(LiarCalled)
    table.say(B, "has_not")
    assert table.of(BotAsked)[-1] == BotAsked(A_BOT, A, 3, KinapaPhase.SEARCHING)
    table.say(A_BOT, "has")
    assert table.foxes == {A_BOT: 2}


def test_k_t26_all_three_raised_and_the_opponents_bot_has_it():
    table = two()
    table.count(3, [B, A_BOT, B_BOT])
    table.say(A, "no_pair")
    table.say(B, "has_not")
    table.say(B_BOT, "has")
    table.say(A, "receive")
    assert table.of(LiarPunished) == [LiarPunished(B_BOT, 2, True)]
    table.say(A, "return")
    assert table.seat(B_BOT).cards == 4
    (_, bot) = RULES.view(table.state).bots
    assert bot.aid == "down"
    assert [(token.kind, token.count) for token in bot.tokens] == [("fox", 2)]


def test_k_t26_the_first_deck_found_gives_it_and_no_further_deck_is_opened():
    table = two()
    table.count(3, [B, A_BOT, B_BOT])
    table.say(A, "no_pair")
    table.say(B, "has_not")
    table.say(B_BOT, "has")
    assert [asked.seat for asked in table.of(BotAsked)] == [B_BOT]


def test_a_hand_that_has_it_spares_the_bots():
    table = two()
    table.count(3, [B, A_BOT, B_BOT])
    table.say(A, "no_pair")
    table.say(B, "has")
    assert table.phase == "handing"
    assert not table.of(BotAsked)


def test_a_demand_that_reaches_bots_alone_asks_them_at_once():
    table = two()
    table.count(3, [A_BOT, B_BOT])
    table.say(A, "no_pair")
    ruled = table.say(B, "has_not")
    assert kinds(ruled) == ["Denied", "BotAsked"]
    assert table.say(B_BOT, "has_not")[-1] == BotAsked(A_BOT, A, 3, KinapaPhase.SEARCHING)


def test_nobody_has_it_then_everything_is_shown_bots_last():
    table = two()
    table.count(3, [B, A_BOT, B_BOT])
    table.say(A, "no_pair")
    for seat in (B, B_BOT, A_BOT):
        ruled = table.say(seat, "has_not")
    assert ruled[-1] == AuditOpened((B, B_BOT, A_BOT))
    assert table.phase == "auditing"
    table.say(B, "not_found")
    assert [prompt.chair for prompt in RULES.prompts(table.state)] == [B]
    table.say(B_BOT, "not_found")
    assert [prompt.chair for prompt in RULES.prompts(table.state)] == [A]
    assert kinds(table.say(A_BOT, "not_found")) == ["CardNotFound", "PairShown"]


def test_an_audit_that_finds_it_in_a_bot_punishes_the_deck():
    table = two()
    table.count(3, [B, A_BOT, B_BOT])
    table.say(A, "no_pair")
    for seat in (B, B_BOT, A_BOT):
        table.say(seat, "has_not")
    for seat, verb in ((B, "not_found"), (B_BOT, "found"), (A_BOT, "not_found")):
        table.say(seat, verb)
    table.say(A, "receive")
    assert table.foxes == {B_BOT: 2}


def test_the_common_bot_is_looked_into_by_the_emperor():
    table = three()
    table.count(3, [B, C])
    assert table.say(A, "no_pair")[-1] == BotAsked(BOT, A, 3, KinapaPhase.ASKING)
    table.say(BOT, "has")
    assert table.phase == "returning"


def test_by_house_rule_it_is_the_emperors_left_neighbour():
    table = three(bot_checker="neighbour")
    table.count(3, [B, C])
    assert table.say(A, "no_pair")[-1] == BotAsked(BOT, B, 3, KinapaPhase.ASKING)
    assert [prompt.chair for prompt in RULES.prompts(table.state)] == [B]
    table.say(BOT, "has")
    assert table.phase == "handing", "somebody else took it: the Emperor says that it is right"


def test_an_answer_of_somebody_who_looked_into_a_bot_is_no_claim_of_the_own_hand():
    table = three()
    table.count(3, [B, C])
    table.say(A, "no_pair")
    table.say(BOT, "has_not")
    assert {claim.seat for claim in table.state.claims} == {B, C, BOT}
