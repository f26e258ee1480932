"""BOT decks in Kinapa: who is next, the Switch, what is known, wrong things, the end."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from companion.core.actions import Action, Outcome, Setup
from companion.core.observations import (
    AbandonRequested,
    ActionDeclared,
    ButtonPressed,
    ButtonReleased,
    PauseRequested,
    ResumeRequested,
    TableDeclared,
)
from companion.core.view import Sentence
from companion.games.kinapa.rules import model
from companion.games.kinapa.rules.model import (
    AidsAsked,
    DecksSwitched,
    EmperorCrowned,
    EmperorStays,
    FalseDenialProven,
    FoxRemoved,
    HandTooEarly,
    KinapaGameWon,
    LiarPunished,
    LieProven,
    OpenCardsSeen,
    PairPlaced,
    SheepReturned,
    SheepTaken,
    SuccessorAsked,
    SwitchAsked,
    TwoHolders,
)
from companion.language.language import Language
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee
from tests.games.game_table import broken, kinds
from tests.games.kinapa.kinapa_bots import A_BOT, B_BOT, BOT, three, two
from tests.games.kinapa.kinapa_table import RULES, A, B, C, Table, crowned, fold, given, new_table

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
    assert ruled[:2] == (DecksSwitched(C, BOT), EmperorCrowned(C))
    assert table.emperor == C


def test_k_t27_sheep_foxes_open_cards_and_the_pair_stay_with_their_deck():
    row = ("animal:3", "shelter:4", "animal:5")
    lying = (PairPlaced(C, 6, 3), LiarPunished(BOT, 2, False), OpenCardsSeen(BOT, row))
    table = given(*lying, *crowned(A, C), players=3)
    hand, bot = table.seat(C), table.seat(BOT)
    table.state = fold(table.state, (DecksSwitched(C, BOT),))
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
    assert table.of(LiarPunished) == [LiarPunished(BOT, 2, True)]
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
    assert ruled[-3:] == (DecksSwitched(B, B_BOT), EmperorCrowned(B), SheepTaken(B))
    assert table.emperor == B


def test_ka43_the_crown_passes_between_the_two_decks_of_one_person():
    """The Sheep shows it: the deck that was in hand keeps one, the deck taken up takes another."""
    table = two()
    raised_bot_alone(table, A_BOT)
    ruled = table.miss()
    assert ruled[-3:] == (DecksSwitched(A, A_BOT), EmperorCrowned(A), SheepTaken(A))
    assert table.emperor == A
    assert table.sheep == {A, A_BOT}


def test_a_deck_without_a_sheep_comes_before_decks_with_one_also_under_an_aid():
    table = two(B)
    table.count(3, [B, B_BOT])
    table.say(A, "no_pair")
    table.say(A_BOT, "has")
    table.say(A, "return")
    table.miss()
    assert table.of(DecksSwitched) == [DecksSwitched(B, B_BOT)]


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
    assert table.of(LiarPunished) == [LiarPunished(B_BOT, 2, False)]


def test_a_seat_means_the_same_person_before_and_after_a_switch():
    table = two()
    raised_bot_alone(table, B_BOT)
    table.miss()
    for seat in (A, B):
        assert table.state.chair_of(seat) == seat
        assert table.state.seat_of(seat) == seat


# What is known ----------------------------------------------------------------------------------------------


def test_what_a_deck_is_known_to_hold_moves_with_it():
    table = two()
    table.count(3, [B, B_BOT])
    table.say(A, "no_pair")
    table.say(A_BOT, "has")
    table.say(A, "return")
    assert table.state.holds == ((A, 3),)
    table.state = fold(table.state, (DecksSwitched(A, A_BOT),))
    assert table.state.holds == ((A_BOT, 3),)


def test_ki7_a_wrong_answer_about_a_bot_deck_is_proven_as_one_about_a_hand():
    """A was given a 6 on demand and went on with the other deck: the 6 lies under the aid."""
    table = two()
    table.count(6, [A_BOT, B_BOT])
    table.say(A, "no_pair")
    table.say(B, "has")
    for verb in ("receive", "return"):
        table.say(A, verb)
    table.miss()
    table.say(A, "crown", A_BOT)
    table.count(6, [B, B_BOT])
    table.say(A, "no_pair")
    assert FalseDenialProven(A_BOT, 6) in table.say(A_BOT, "has_not")


@pytest.mark.parametrize("penalty", ["always", "none"])
def test_ki1_a_wrong_no_for_a_bot_deck_is_announced_once_the_deck_hands_that_card_over(penalty: str):
    table = two(false_denial_penalty=penalty)
    table.count(7, [B, A_BOT, B_BOT])
    table.say(A, "no_pair")
    for seat in (B, B_BOT):
        table.say(seat, "has_not")
    table.say(A_BOT, "has")
    table.say(A, "return")
    table.miss()
    table.count(7, [B, A_BOT, B_BOT])
    table.say(A, "no_pair")
    table.say(B, "has_not")
    table.say(B_BOT, "has")
    ruled = table.say(A, "receive")
    proven = FalseDenialProven(B_BOT, 7)
    assert ruled.count(proven) == 1
    assert ruled.count(LiarPunished(B_BOT, 2, priority=False)) == (penalty == "always")
    for language in ("en", "de", "fr"):
        said = RULES.sentence(table.state, proven)
        assert said.key in Language(language)


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
    table.state = fold(table.state, (DecksSwitched(B, B_BOT),))
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
    table = given(LiarPunished(B, 2, False), LiarPunished(BOT, 2, False), *crowned(A), players=3)
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
    table.observe(PauseRequested(at=table.at + 1))
    assert not RULES.prompts(table.state) or table.state.desk.paused
    table.observe(ResumeRequested(at=table.at + 1))
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


def test_k_t64_with_two_players_a_hand_counts_from_the_moment_both_aids_lie():
    table = two()
    table.say(A, "announce", 3)
    assert HandTooEarly(B) in table.press(B), "The Emperor's aid comes first"
    table.say(A, "aid_down")
    assert broken(table.say(B, "raise")) == ["turn.not_now"]
    assert table.legal_seats("raise") == frozenset()
    said = RULES.sentence(table.state, HandTooEarly(B))
    assert said == Sentence("kinapa.HandTooEarly", (("chair", B), ("wait", "aids")))
    assert RULES.explanation_key(table.state, HandTooEarly(B)) == "HandTooEarly.aids"
    table.say(B, "aid_up")
    assert table.state.turn.raised == (B_BOT,)
    table.press(B)
    assert table.state.turn.raised == (B_BOT, B)


def test_k_t64_under_hold_a_button_that_is_down_while_the_aids_are_laid_counts_from_the_first_beat():
    table = two(hand="hold")
    table.say(A, "announce", 3)
    assert HandTooEarly(B) in table.press(B)
    table.say(A, "aid_down")
    table.say(B, "aid_down")
    table.cue()
    assert table.state.turn.raised == (B,)
    table.release(B)
    assert table.state.turn.raised == ()


def test_with_one_bot_deck_a_hand_counts_while_its_aid_is_laid():
    table = three()
    table.say(A, "announce", 3)
    table.press(B)
    assert table.state.turn.raised == (B,)


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
    assert table.rulings[-1] == KinapaGameWon(A)
    outcome = RULES.outcome(table.state)
    assert outcome is not None
    assert outcome.winners == (A,)


def one_pair_each_deck(table: Table) -> None:
    """A lays a pair, Switches, and lays one of the other deck."""
    placing(table, ("5-6", 1, 5))
    table.state = fold(table.state, (DecksSwitched(A, A_BOT),))
    table.say(A, "turn", "7-8@2")
    table.say(A, "place", 7)


def test_the_pair_that_lies_counts_for_its_deck():
    table = two()
    one_pair_each_deck(table)
    assert not table.of(KinapaGameWon)


@pytest.mark.parametrize("options", [{"win_bot": "two_pairs"}, {"switch_progress": "person"}])
def test_by_house_rule_it_counts_for_whoever_laid_it(options: dict):
    table = two(**options)
    one_pair_each_deck(table)
    assert table.rulings[-1] == KinapaGameWon(A)


@pytest.mark.parametrize("options", [{}, {"win_bot": "two_pairs"}, {"switch_progress": "person"}])
def test_an_empty_hand_wins_under_every_house_rule_whoever_laid_the_first_pair(options: dict):
    switched = (PairPlaced(B, 6, 3), DecksSwitched(B, BOT), DecksSwitched(A, BOT))
    table = given(*switched, *crowned(A), players=3, **options)
    placing(table, ("7-8", 2, 7))
    assert table.rulings[-1] == KinapaGameWon(A)


def test_both_decks_the_empty_one_is_out_and_its_owner_goes_on_with_the_other():
    table = two(win_bot="both_decks")
    placing(table, ("5-6", 1, 5), ("7-8", 2, 7))
    assert not table.of(KinapaGameWon)
    assert table.phase == "turning"
    assert table.seat(A).cards == 4
    assert table.seat(A_BOT).cards == 0
    assert table.sheep == {A}
    assert table.state.others == (B, B_BOT)
    for label, slot, number in (("1-2", 3, 1), ("3-4", 4, 3)):
        table.say(A, "turn", f"{label}@{slot}")
        table.say(A, "place", number)
    assert table.rulings[-1] == KinapaGameWon(A)
    assert RULES.outcome(table.state) == Outcome("fourth_pair", (A,))


def test_k_t67_an_emptied_deck_that_gives_way_does_not_end_a_row_of_stays() -> None:
    state = replace(two(win_bot="both_decks").state, stays=1)
    other = len(state.seats) // 2
    emptied = replace(state, seats=(replace(state.seats[0], cards=0), *state.seats[1:]))
    assert model.DecksSwitched(0, other).apply(emptied).stays == 1
    assert model.DecksSwitched(0, other).apply(state).stays == 0, "a BOT was next: the crown moved"


def test_k_t68_after_a_game_given_up_is_taken_back_buttons_are_pressed_again() -> None:
    """Nobody knows which were let go meanwhile, so people are told."""
    setup = Setup((0, 1, 2, 3), RULES.options(hand="hold"))
    referee = Referee(RULES, MemoryJournal(make_header("kinapa", setup, kind="simulation")))
    crowned = ActionDeclared(at=1, action=Action(0, "claim_cat"))
    for seen in (crowned, ButtonPressed(at=2, chair=1), AbandonRequested(at=3)):
        referee.observe(seen)
    assert "kinapa.back.hands" in {one.key for one in referee.undo_instructions()}
    referee.undo(4)
    assert referee.state.down == ()
    referee.observe(ButtonReleased(at=5, chair=1))
    referee.observe(ButtonPressed(at=6, chair=1))
    assert referee.state.down == (1,)


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
    todo = [(said.key, dict(said.parts)) for said in RULES.restore_instructions(table.state, before)]
    assert ("kinapa.back.switch", {"chair": B}) in todo
    assert ("kinapa.back.sheep_return.bot", {"bot": B}) in todo, "the new Sheep lies with B's BOT deck again"
    assert ("kinapa.back.emperor", {"chair": A}) in todo


# What is told -----------------------------------------------------------------------------------------------


def test_a_bot_is_told_by_its_owner_and_the_common_one_by_nobody():
    owned = RULES.sentence(two().state, LiarPunished(B_BOT, 2, True))
    common = RULES.sentence(three().state, LiarPunished(BOT, 2, True))
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
