"""KI1 to KI7: what public facts prove, and nothing that they only suggest."""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.events import Event
from companion.games.kinapa.rules.lies import prove_by_cards
from companion.games.kinapa.rules.model import (
    DecksSwitched,
    FalseDenialProven,
    LiarPunished,
    LieProven,
    ObjectTurned,
    PairPlaced,
)
from tests.games.game_table import broken, kinds
from tests.games.kinapa.kinapa_table import RULES, A, B, C, D, Table, asks, called_out, crowned, given, told

DENIED = FalseDenialProven(D, 7)
BLUFFED = LieProven(C, 7)


def d_denies_a_seven(**options: object) -> Table:
    """Turn 1: A asks for 7, D (lowered) says no, B is caught and becomes Emperor; C raised without a 7."""
    table = given(**options)
    table.caught(7, B, raised=[B, C])
    table.miss()
    assert table.emperor == B
    return table


def c_bluffs_about_a_seven() -> Table:
    """Turn 1: B and C raise for 7 beside two lowered seats, so nobody is asked; B becomes Emperor."""
    table = given(players=5)
    table.turn(7, raised=[B, C], crown=B)
    assert table.emperor == B
    return table


def test_ki1_a_number_handed_over_without_a_card_received_proves_the_denial():
    table = d_denies_a_seven()
    assert DENIED in asks(table, 7, lowered=D)
    assert told(table, FalseDenialProven) == [DENIED]


def test_ki1_by_default_a_denial_proven_by_inference_costs_nothing():
    table = d_denies_a_seven()
    foxes = table.foxes
    asks(table, 7, lowered=D)
    assert table.foxes == foxes


def test_ki1_a_card_received_in_between_leaves_the_denial_unproven():
    table = d_denies_a_seven()
    table.count(3, [])
    table.say(B, "no_pair")
    table.draw(D)
    table.miss()
    asks(table, 7, lowered=D)
    assert table.of(FalseDenialProven) == []


def test_ki1_another_number_handed_over_proves_nothing():
    table = d_denies_a_seven()
    asks(table, 3, lowered=D)
    assert table.of(FalseDenialProven) == []


def test_ki1_an_admission_is_no_denial():
    table = given()
    asks(table, 7, lowered=D)
    table.say(A, "return")
    assert table.of(FalseDenialProven) == []


def emperor_d_after_denying(received: int) -> Table:
    """D denied a 7, got `received` cards since, and is Emperor now."""
    table = d_denies_a_seven()
    for _ in range(received):
        table.count(3, [])
        table.say(B, "no_pair")
        table.draw(D)
        table.miss()
    table.turn(4, raised=[D])
    assert table.emperor == D
    assert table.of(FalseDenialProven) == []
    return table


def test_ki1_a_shown_pair_counts_two_cards():
    for received, proven in ((0, [DENIED]), (1, [DENIED]), (2, [])):
        table = emperor_d_after_denying(received)
        table.count(7, [C, A])
        table.say(D, "show_pair")
        assert table.of(FalseDenialProven) == proven, received


def test_ki1_a_placed_pair_counts_two_cards():
    for received, proven in ((0, []), (-1, [DENIED])):
        table = emperor_d_after_denying(received + 1)
        table.count(3, [C, A])
        table.say(D, "no_pair")
        table.say(B, "has")
        table.say(D, "receive")
        table.say(D, "return")
        table.say(D, "turn", "7-8@5")
        table.say(D, "place", 7)
        assert table.of(FalseDenialProven) == proven, "D also received the 3"


def d_is_caught_with_a_four(table: Table) -> None:
    table.count(4, [C, D])
    table.say(B, "no_pair")
    table.say(A, "has_not")
    table.say(C, "has_not")
    table.say(D, "has")
    table.say(B, "receive")


def test_ki1_an_open_card_proves_the_denial():
    table = d_denies_a_seven()
    d_is_caught_with_a_four(table)
    assert DENIED in table.region("hand:3", "animal:7", "animal:1", "shelter:2")


def test_ki1_an_open_card_proves_nothing_once_a_card_came_back():
    table = d_denies_a_seven()
    d_is_caught_with_a_four(table)
    table.say(B, "return")
    table.region("hand:3", "animal:7", "animal:1", "shelter:2")
    assert table.of(FalseDenialProven) == [], "The card that came back could be the 7"


def test_k_t69_who_took_a_deck_by_a_switch_is_not_charged_with_what_was_answered_before():
    table = given(bot=True)
    bot = 4
    table.caught(7, B, raised=[B, C, bot])
    table.miss()
    table.say(table.emperor, "announce", 3)  # in the turn of the answer nothing is proven
    assert prove_by_cards(table.state, D, 7, cards=2) == (DENIED,)
    switched = RULES.evolve(table.state, DecksSwitched(D, bot))
    assert not any(prove_by_cards(switched, seat, 7, cards=2) for seat in (D, bot))


def test_a_denial_with_the_number_in_the_own_open_row_is_called_in_the_same_step():
    table = given(LiarPunished(D, 2, False), *crowned(A, B))
    table.region("hand:3", "animal:7", "animal:1", "shelter:2")
    assert DENIED in asks(table, 7, lowered=D, has=False)


def test_ki1_a_denial_is_proven_only_once():
    table = d_denies_a_seven()
    asks(table, 7, lowered=D)
    table.say(B, "return")
    table.miss()
    table.say(table.emperor, "crown", C) if table.phase == "succeeding" else None
    asks(table, 7, lowered=D)
    assert table.of(FalseDenialProven) == [DENIED]


def test_ki1_a_raised_hand_proven_a_bluff_is_kept_for_the_recap():
    table = c_bluffs_about_a_seven()
    assert BLUFFED in asks(table, 7, lowered=C)
    assert told(table, LieProven) == []
    assert table.foxes == {}
    assert broken(table.rulings) == []


def test_ki1_a_proven_bluff_changes_nothing_that_the_table_sees():
    table = c_bluffs_about_a_seven()
    asks(table, 7, lowered=C)
    assert table.of(LieProven) == [BLUFFED]
    unproven = replace(table.state, claims=())
    assert RULES.view(table.state) == RULES.view(unproven)
    assert RULES.controls(table.state) == RULES.controls(unproven)


def test_ki1_a_bluff_is_not_proven_after_a_card_was_received():
    table = c_bluffs_about_a_seven()
    asks(table, 3, lowered=C)
    table.say(B, "return")
    table.miss()
    table.say(B, "crown", D)
    asks(table, 7, lowered=C)
    assert table.of(LieProven) == []


def auditing(*events: Event) -> Table:
    table = given(*events, *crowned())
    table.count(7, [B, C, D])
    table.say(A, "no_pair")
    for seat in (B, C, D):
        table.say(seat, "has_not")
    assert table.phase == "auditing"
    return table


def test_ki2_a_hand_of_the_wrong_size_is_put_right_before_the_audit_goes_on():
    for faces in (("animal:1", "animal:2", "animal:3"), ("animal:1",) + ("animal:2", "animal:3") * 2):
        table = auditing()
        assert called_out(table.shows(B, *faces))


def test_ki2_after_a_placed_pair_two_cards_are_a_whole_hand():
    table = auditing(ObjectTurned("5-6", 1), PairPlaced(B, 5, 1))
    assert not called_out(table.shows(B, "animal:1", "animal:2"))
    table = auditing(ObjectTurned("5-6", 1), PairPlaced(B, 5, 1))
    assert called_out(table.shows(B, "animal:1", "animal:2", "animal:3", "animal:4"))


def test_ki3_a_placed_card_shown_in_a_hand_is_a_wrong_deck_or_a_misreading():
    table = auditing(ObjectTurned("5-6", 1), PairPlaced(B, 5, 1))
    assert called_out(table.shows(B, "animal:5", "animal:2"))


def test_ki3_the_same_card_twice_in_one_hand_is_a_wrong_deck_or_a_misreading():
    table = auditing()
    assert called_out(table.shows(B, "animal:1", "animal:2", "animal:2", "animal:4"))


def test_ki5_after_a_whole_audit_without_the_number_the_emperor_holds_both():
    table = auditing()
    for seat in (B, C, D):
        ruled = table.say(seat, "not_found")
    assert "PairShown" in kinds(ruled)


def test_ki7_a_wrong_answer_of_a_seat_with_a_fox_costs_two_again():
    """B, with a Fox, was given a 5 on demand and says "no" when C asks for it."""
    table = given(false_denial_penalty="always")
    table.caught(3, B, raised=[B, C])
    table.miss()
    table.count(5, [C, D])
    table.say(B, "no_pair")
    table.say(A, "has")
    for verb in ("receive", "return"):
        table.say(B, verb)
    table.miss()
    table.say(B, "crown", C)
    assert table.foxes == {B: 1}
    table.count(5, [A, D])
    table.say(C, "no_pair")
    assert FalseDenialProven(B, 5) in table.say(B, "has_not")
    assert table.foxes == {B: 2}
