"""Decks that nobody holds: who starts, the aids, draws and demands, the Switch, the end."""

from __future__ import annotations

from random import Random

import pytest
from game_table import broken, kinds
from kinapa_table import RULES, A, B, C, D, Table, crowned, fold, given, new_table

from companion.core.actions import Action, Outcome
from companion.core.observations import Paused, Resumed, TableDeclared
from companion.core.view import Sentence
from companion.games.kinapa.rules.bots import ending
from companion.games.kinapa.rules.events import (
    AidLaid,
    AidsAsked,
    AnimalMissing,
    AuditOpened,
    BotAsked,
    Denied,
    EmperorCrowned,
    EmperorStays,
    EndTold,
    FalseDenialProven,
    FoxRemoved,
    GameWon,
    HolderFound,
    LiarCalled,
    LieProven,
    OpenCardsSeen,
    PairPlaced,
    Punished,
    SheepReturned,
    SheepTaken,
    SuccessorAsked,
    SwitchAsked,
    Switched,
    TwoHolders,
)
from companion.games.kinapa.rules.state import Phase

A_BOT, B_BOT = C, D
"""Two players: first the hands, then the decks under the aids."""
BOT = D
"""Three players: the fourth deck is nobody's."""


def two(*more_sheep: int, **options: object) -> Table:
    """Two players; A is Emperor."""
    return given(*crowned(A, *more_sheep), players=2, **options)


def three(*more_sheep: int, **options: object) -> Table:
    """Three players and the BOT; A is Emperor."""
    return given(*crowned(A, *more_sheep), players=3, **options)


# Setting up -------------------------------------------------------------------------------------------------


def test_k_t20_cat_1_in_neither_hand_both_switch_and_then_the_holder_is_emperor_with_a_sheep():
    table = new_table(2)
    assert table.say(A, "nobody") == (Switched(A, A_BOT), Switched(B, B_BOT))
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
    assert not table.of(Switched)


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
    assert table.say(A, "claim_cat")[-1] == EndTold(win) == EndTold(ending(table.state))
    assert RULES.sentence(table.state, EndTold(win)) is not None


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
    table = given(Punished(BOT, 2, False), *crowned(A), players=3)
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
    table.state = fold(table.state, RULES.voided(table.state, "pause"))
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
    assert table.say(A, "no_pair")[-1] == BotAsked(A_BOT, A, 3, Phase.ASKING)
    assert table.legal_seats("has") == {A_BOT}
    assert [prompt.chair for prompt in RULES.prompts(table.state)] == [A]
    ruled = table.say(A_BOT, "has")
    assert kinds(ruled) == ["Admitted", "HolderFound", "CardHanded"], (
        "the Emperor took it: nothing to confirm"
    )
    assert table.phase == "returning"
    table.say(A, "return")
    assert not table.of(Punished)
    assert [seat.received for seat in table.state.seats] == [1, 0, 1, 0]


def test_k_t24_not_there_it_is_demanded_from_the_raised_decks_and_the_holder_is_punished():
    table = two()
    table.count(3, [B, B_BOT])
    table.say(A, "no_pair")
    assert table.say(A_BOT, "has_not") == (Denied(A_BOT), LiarCalled(3))
    assert table.legal_seats("has") == {B}, "hands before BOT decks (KA42)"
    assert table.say(B, "has_not")[-1] == BotAsked(B_BOT, B, 3, Phase.SEARCHING)
    assert table.say(B_BOT, "has")[-1] == HolderFound(B_BOT)
    assert table.phase == "handing"
    table.say(A, "receive")
    assert table.foxes == {B_BOT: 2}


def test_k_t25_only_the_opponents_bot_is_lowered_the_opponent_looks():
    table = two()
    table.count(3, [B, A_BOT])
    assert table.say(A, "no_pair")[-1] == BotAsked(B_BOT, B, 3, Phase.ASKING)
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
    assert table.of(BotAsked)[-1] == BotAsked(A_BOT, A, 3, Phase.SEARCHING)
    table.say(A_BOT, "has")
    assert table.foxes == {A_BOT: 2}


def test_k_t26_all_three_raised_and_the_opponents_bot_has_it():
    table = two()
    table.count(3, [B, A_BOT, B_BOT])
    table.say(A, "no_pair")
    table.say(B, "has_not")
    table.say(B_BOT, "has")
    table.say(A, "receive")
    assert table.of(Punished) == [Punished(B_BOT, 2, True)]
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
    assert table.say(B_BOT, "has_not")[-1] == BotAsked(A_BOT, A, 3, Phase.SEARCHING)


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
    assert table.say(A, "no_pair")[-1] == BotAsked(BOT, A, 3, Phase.ASKING)
    table.say(BOT, "has")
    assert table.phase == "returning"


def test_by_house_rule_it_is_the_emperors_left_neighbour():
    table = three(bot_checker="neighbour")
    table.count(3, [B, C])
    assert table.say(A, "no_pair")[-1] == BotAsked(BOT, B, 3, Phase.ASKING)
    assert [prompt.chair for prompt in RULES.prompts(table.state)] == [B]
    table.say(BOT, "has")
    assert table.phase == "handing", "somebody else took it: the Emperor says that it is right"


def test_an_answer_of_somebody_who_looked_into_a_bot_is_no_claim_of_the_own_hand():
    table = three()
    table.count(3, [B, C])
    table.say(A, "no_pair")
    table.say(BOT, "has_not")
    assert {claim.seat for claim in table.state.claims} == {B, C}


# Who is next, and the Switch --------------------------------------------------------------------------------


def raised_bot_alone(table: Table, bot: int) -> None:
    """A turn after which only a BOT may be next."""
    table.count(3, [bot])
    table.say(table.emperor, "no_pair")
    table.draw(table.state.lowered[0])


def test_k_t27_the_emperor_names_one_of_the_two_opponents_who_sits_in_the_bot_from_now_on():
    table = three()
    raised_bot_alone(table, BOT)
    assert table.miss()[-1] == SwitchAsked(BOT, (B, C))
    assert table.legal_values("switch") == {B, C}
    assert broken(table.say(A, "switch", A)) == ["switch.not_allowed"]
    assert broken(table.say(B, "switch", B)) == ["succession.not_emperor"]
    ruled = table.say(A, "switch", C)
    assert ruled[:2] == (Switched(C, BOT), EmperorCrowned(C))
    assert table.emperor == C


def test_k_t27_sheep_foxes_open_cards_and_the_pair_stay_with_their_deck():
    row = ("animal:3", "shelter:4", "animal:5")
    lying = (PairPlaced(C, 6, 3), Punished(BOT, 2, False), OpenCardsSeen(BOT, row))
    table = given(*lying, *crowned(A, C), players=3)
    hand, bot = table.seat(C), table.seat(BOT)
    table.state = fold(table.state, (Switched(C, BOT),))
    assert table.seat(C) == bot
    assert table.seat(BOT) == hand
    assert table.state.decks == (A, B, BOT, C)


def test_k_t40_a_raised_bot_that_has_it_is_punished_and_must_be_next():
    table = three()
    table.count(3, [B, C, BOT])
    table.say(A, "no_pair")
    for seat in (B, C):
        table.say(seat, "has_not")
    table.say(BOT, "has")
    assert table.of(Punished) == [Punished(BOT, 2, True)]
    table.say(A, "return")
    assert table.miss()[-1] == SwitchAsked(BOT, (B, C))
    table.say(A, "switch", B)
    assert table.emperor == B
    assert table.foxes == {B: 2}, "an innocent inherits the Foxes: they stay with the deck (KA44)"
    assert table.sheep == {A, B}


def test_the_turn_of_the_punishment_takes_no_fox_and_the_next_two_do_wherever_the_deck_lies():
    table = three()
    table.count(3, [B, C, BOT])
    table.say(A, "no_pair")
    for seat in (B, C):
        table.say(seat, "has_not")
    table.say(BOT, "has")
    table.say(A, "return")
    table.miss()
    table.say(A, "switch", B)
    raised_bot_alone(table, C)
    table.miss()
    assert table.of(FoxRemoved) == [FoxRemoved(B, 1)]


def test_two_players_the_owner_of_the_bot_switches_without_being_named():
    table = two()
    raised_bot_alone(table, B_BOT)
    ruled = table.miss()
    assert ruled[-3:] == (Switched(B, B_BOT), EmperorCrowned(B), SheepTaken(B))
    assert table.emperor == B


def test_ka43_the_crown_passes_between_the_two_decks_of_one_person():
    """The Sheep shows it: the deck that was in hand keeps one, the deck taken up takes another."""
    table = two()
    raised_bot_alone(table, A_BOT)
    ruled = table.miss()
    assert ruled[-3:] == (Switched(A, A_BOT), EmperorCrowned(A), SheepTaken(A))
    assert table.emperor == A
    assert table.sheep == {A, A_BOT}


def test_a_deck_without_a_sheep_comes_before_decks_with_one_also_under_an_aid():
    table = two(B)
    table.count(3, [B, B_BOT])
    table.say(A, "no_pair")
    table.say(A_BOT, "has")
    table.say(A, "return")
    table.miss()
    assert table.of(Switched) == [Switched(B, B_BOT)]


def test_the_last_deck_to_get_a_sheep_keeps_the_only_one():
    table = two(B, A_BOT)
    raised_bot_alone(table, B_BOT)
    assert table.miss()[-1] == SheepReturned(B)
    assert table.sheep == {B}


def test_bot_can_be_emperor_2p_off_only_hands_count_as_raised():
    table = two(bot_can_be_emperor_2p=False)
    table.count(3, [B, A_BOT])
    table.say(A, "no_pair")
    table.say(B_BOT, "has")
    table.say(A, "receive")
    table.say(A, "return")
    table.miss()
    assert table.emperor == B
    assert not table.of(SuccessorAsked)


def test_bot_can_be_emperor_2p_off_the_emperor_stays_if_only_bots_raised():
    table = two(bot_can_be_emperor_2p=False)
    raised_bot_alone(table, B_BOT)
    assert kinds(table.miss())[-1] == "EmperorStays"


def test_bot_can_be_emperor_2p_off_a_punished_bot_forces_nobody():
    table = two(bot_can_be_emperor_2p=False)
    table.count(3, [B, A_BOT, B_BOT])
    table.say(A, "no_pair")
    table.say(B, "has_not")
    table.say(B_BOT, "has")
    table.say(A, "receive")
    assert table.of(Punished) == [Punished(B_BOT, 2, False)]


def test_a_seat_means_the_same_person_before_and_after_a_switch():
    table = two()
    raised_bot_alone(table, B_BOT)
    table.miss()
    for seat in (A, B):
        assert RULES.chair_of(table.state, seat) == seat
        assert RULES.seat_of(table.state, seat) == seat


# What is known ----------------------------------------------------------------------------------------------


def test_what_a_deck_is_known_to_hold_moves_with_it():
    table = two()
    table.count(3, [B, B_BOT])
    table.say(A, "no_pair")
    table.say(A_BOT, "has")
    table.say(A, "return")
    assert table.state.holds == ((A, 3),)
    table.state = fold(table.state, (Switched(A, A_BOT),))
    assert table.state.holds == ((A_BOT, 3),)


def test_nobody_is_blamed_for_what_another_deck_proves():
    """B denies a 3 with one deck, then shows a 3 from the other: that proves nothing."""
    table = two(false_denial_penalty="always")
    table.count(3, [A_BOT, B_BOT])
    table.say(A, "no_pair")
    table.say(B, "has_not")
    table.say(B_BOT, "has_not")
    table.say(A_BOT, "has")
    table.say(A, "return")
    assert any(claim.denied for claim in table.state.claims)
    table.state = fold(table.state, (Switched(B, B_BOT),))
    assert not [claim for claim in table.state.claims if claim.seat == B]
    table.miss()
    ruled = table.of(FalseDenialProven) + table.of(LieProven)
    assert ruled == []


def test_a_raised_aid_is_nobodys_claim():
    table = two()
    table.count(3, [B, B_BOT])
    table.say(A, "no_pair")
    assert {claim.seat for claim in table.state.claims} == {B}


def test_ka48_the_whole_table_may_count_foxes_per_turn_and_no_deck_speaks_for_itself():
    table = given(Punished(B, 2, False), Punished(BOT, 2, False), *crowned(A), players=3)
    table.state = fold(table.state, (EmperorStays(A), EmperorStays(A)))
    assert table.legal_seats("tick_per_turn") == {A, B, C}
    assert broken(table.say(BOT, "tick_per_turn")) == ["turn.not_now"]


# Wrong things -----------------------------------------------------------------------------------------------


def test_nothing_else_can_be_done_while_the_aids_are_laid():
    table = two()
    table.say(A, "announce", 3)
    for seat, verb, value in ((A, "announce", 4), (A, "no_pair", None), (A, "turn", "1-2"), (B, "has", None)):
        assert broken(table.say(seat, verb, value)), verb
    assert table.phase == "aiding"
    assert table.state.turn.aids == (A_BOT, B_BOT)


def test_only_its_keeper_answers_for_a_deck():
    table = two()
    table.count(3, [B, A_BOT])
    table.say(A, "no_pair")
    for seat in (A, B, A_BOT):
        assert broken(table.say(seat, "has")) == ["answer.not_asked"]
    assert table.press(A) == ()
    assert not broken(table.say(B_BOT, "has"))


def test_a_pause_while_the_aids_are_laid_loses_none_of_them():
    table = two()
    table.say(A, "announce", 3)
    table.say(A, "aid_up")
    table.observe(Paused(at=table.at + 1))
    assert not RULES.prompts(table.state) or table.state.desk.paused
    table.observe(Resumed(at=table.at + 1))
    assert table.state.turn.aids == (B_BOT,)
    table.say(B, "aid_down")
    assert table.state.turn.raised == (A_BOT,)


def test_under_hold_a_hand_that_was_up_while_the_aids_were_laid_comes_down_with_its_button():
    table = three(hand="hold")
    table.say(A, "announce", 3)
    table.press(B)
    assert table.state.turn.raised == (B,)
    table.release(B)
    assert table.state.turn.raised == ()


def test_nobody_is_emperor_by_a_deck_that_lies_under_its_aid():
    table = new_table(2)
    assert broken(table.say(A_BOT, "claim_cat")) == ["turn.not_now"]
    assert broken(table.observe(TableDeclared(at=1, table=(("emperor", A_BOT),)))) == ["repair.not_started"]
    table.say(A, "claim_cat")
    declared = TableDeclared(at=table.at + 1, table=(("emperor", A_BOT),))
    assert broken(table.observe(declared)) == ["repair.impossible"]


# The end ----------------------------------------------------------------------------------------------------


def placing(table: Table, *labels: tuple[str, int, int]) -> None:
    """The Emperor turns objects and lays a pair on each: label, slot, number."""
    table.count(3)
    table.say(table.emperor, "no_pair")
    table.draw(table.state.lowered[0])
    for label, slot, number in labels:
        assert not broken(table.say(table.emperor, "turn", f"{label}@{slot}"))
        assert not broken(table.say(table.emperor, "place", number))


def test_two_players_whoever_empties_the_deck_in_hand_wins():
    table = two()
    placing(table, ("5-6", 1, 5), ("7-8", 2, 7))
    assert table.rulings[-1] == GameWon(A)
    outcome = RULES.outcome(table.state)
    assert outcome is not None
    assert outcome.winners == (A,)


def one_pair_each_deck(table: Table) -> None:
    """A lays a pair, Switches, and lays one of the other deck."""
    placing(table, ("5-6", 1, 5))
    table.state = fold(table.state, (Switched(A, A_BOT),))
    table.say(A, "turn", "7-8@2")
    table.say(A, "place", 7)


def test_the_pair_that_lies_counts_for_its_deck():
    table = two()
    one_pair_each_deck(table)
    assert not table.of(GameWon)


@pytest.mark.parametrize("options", [{"win_bot": "two_pairs"}, {"switch_progress": "person"}])
def test_by_house_rule_it_counts_for_whoever_laid_it(options: dict):
    table = two(**options)
    one_pair_each_deck(table)
    assert table.rulings[-1] == GameWon(A)


@pytest.mark.parametrize("options", [{}, {"win_bot": "two_pairs"}, {"switch_progress": "person"}])
def test_an_empty_hand_wins_under_every_house_rule_whoever_laid_the_first_pair(options: dict):
    switched = (PairPlaced(B, 6, 3), Switched(B, BOT), Switched(A, BOT))
    table = given(*switched, *crowned(A), players=3, **options)
    placing(table, ("7-8", 2, 7))
    assert table.rulings[-1] == GameWon(A)


def test_both_decks_the_empty_one_is_out_and_its_owner_goes_on_with_the_other():
    table = two(win_bot="both_decks")
    placing(table, ("5-6", 1, 5), ("7-8", 2, 7))
    assert not table.of(GameWon)
    assert table.phase == "turning"
    assert table.seat(A).cards == 4
    assert table.seat(A_BOT).cards == 0
    assert table.sheep == {A}
    assert table.state.others == (B, B_BOT)
    for label, slot, number in (("1-2", 3, 1), ("3-4", 4, 3)):
        table.say(A, "turn", f"{label}@{slot}")
        table.say(A, "place", number)
    assert table.rulings[-1] == GameWon(A)
    assert RULES.outcome(table.state) == Outcome("fourth_pair", (A,))


def test_both_decks_an_empty_bot_has_no_aid_and_is_never_drawn_from():
    table = two(win_bot="both_decks")
    placing(table, ("5-6", 1, 5), ("7-8", 2, 7))
    table.miss("1-2", 3)
    assert table.emperor == A
    assert table.say(A, "announce", 2)[-1] == AidsAsked((B_BOT,))
    table.aids()
    table.cue()
    table.elapse(table.at + 3_000_000)
    table.say(A, "no_pair")
    assert table.legal_values("draw_from") == {B, B_BOT}


@pytest.mark.parametrize(("players", "bot"), [(2, False), (3, False), (4, True)])
def test_a_whole_game_can_be_played_by_the_own_buttons_alone(players: int, bot: bool):
    for seed in range(6):
        table, chance = new_table(players, bot=bot), Random(seed)
        for _ in range(3_000):
            if RULES.outcome(table.state) is not None:
                break
            if (lots := RULES.awaited_draw(table.state)) is not None:
                table.lot(chance.randrange(len(lots)))
            elif RULES.awaited_cue(table.state) is not None:
                table.cue()
            own = sorted((chair, press) for chair, press in RULES.controls(table.state) if chair is not None)
            if own and chance.random() < 0.9:
                chair, press = chance.choice(own)
                (table.hold if press == "hold" else table.tap)(chair)
            elif (timer := RULES.next_timer(table.state)) is not None:
                table.elapse(timer.due)
        assert RULES.outcome(table.state) is not None, (seed, table.phase)


# Taking back ------------------------------------------------------------------------------------------------


def test_a_switch_taken_back_names_who_takes_the_old_deck_again_and_what_lay_with_it_once_only():
    table = two()
    raised_bot_alone(table, B_BOT)
    before = table.state
    table.miss()
    todo = [(said.key, dict(said.parts)) for said in RULES.put_back(table.state, before)]
    assert ("kinapa.back.switch", {"chair": B}) in todo
    assert ("kinapa.back.sheep_return.bot", {"bot": B}) in todo, "the new Sheep lies with B's BOT deck again"
    assert ("kinapa.back.emperor", {"chair": A}) in todo


# What is told -----------------------------------------------------------------------------------------------


def test_a_bot_is_told_by_its_owner_and_the_common_one_by_nobody():
    owned = RULES.sentence(two().state, Punished(B_BOT, 2, True))
    common = RULES.sentence(three().state, Punished(BOT, 2, True))
    assert owned is not None
    assert common is not None
    assert owned.key == common.key == "kinapa.Punished.bot"
    assert dict(owned.parts)["bot"] == B
    assert dict(common.parts)["bot"] == -1


def test_the_view_says_whose_every_deck_is_and_what_is_done_with_it_in_every_phase():
    table = two()
    whose = [(bot.owner, bot.cards) for bot in RULES.view(table.state).bots]
    assert whose == [(A, 4), (B, 4)]
    table.count(3, [B, A_BOT])
    table.say(A, "no_pair")
    mine, other = RULES.view(table.state).bots
    assert (mine.asked, other.asked) == (False, True)
    assert other.says is not None
    assert other.says.key == "kinapa.bot.look"
    assert dict(other.says.parts) == {"chair": B}


def test_of_two_holders_one_of_whom_is_a_bot_deck_it_is_not_said_that_they_are_players():
    game = given(*crowned(A), players=5, bot=True).state
    assert RULES.sentence(game, TwoHolders((B, C))) == Sentence("kinapa.TwoHolders")
    assert RULES.sentence(game, TwoHolders((C, 5))) == Sentence("kinapa.TwoHolders.bot", (("bot", -1),))
