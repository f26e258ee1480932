"""The exchange: X1 to X6, who is drawn from or asked, and what goes back."""

from __future__ import annotations

import pytest

from companion.core.actions import Action
from companion.core.events import PressEnded
from companion.games.kinapa.rules.model import (
    AllAsked,
    CardHanded,
    CardReturned,
    HandoverRefused,
    HandPlaceDrawn,
    KinapaCardDrawn,
    LiarPunished,
    ObjectTurned,
    PairPlaced,
    PairShown,
    PartnerChosen,
    SoleLoweredAsked,
)
from tests.games.game_table import broken, kinds
from tests.games.kinapa.kinapa_table import RULES, A, B, C, D, Table, crowned, given


def after_count(*raised: int, number: int = 7, **options: object) -> Table:
    table = given(**options)
    table.count(number, raised)
    return table


def received(table: Table) -> list[int]:
    return [seat.received for seat in table.state.seats]


def test_after_every_count_the_emperor_is_asked_for_the_pair_first():
    for raised in ((), (B,), (B, C), (B, C, D)):
        table = after_count(*raised)
        assert table.legal == {Action(A, "no_pair"), Action(A, "show_pair")}
        assert broken(table.say(B, "show_pair"))


@pytest.mark.parametrize(("raised", "lowered"), [((), {B, C, D}), ((B,), {C, D}), ((D,), {B, C})])
def test_k_t05_with_two_or_more_lowered_the_emperor_chooses_one_of_exactly_these(
    raised: tuple[int, ...], lowered: set[int]
):
    table = after_count(*raised)
    table.say(A, "no_pair")
    assert table.legal == {Action(A, "draw_from", seat) for seat in lowered}
    for seat in {A, B, C, D} - lowered:
        assert broken(table.say(A, "draw_from", seat))


def test_k_t05_a_card_is_drawn_and_a_card_must_go_back():
    table = after_count(B)
    table.say(A, "no_pair")
    assert table.say(A, "draw_from", D) == (PartnerChosen(D),)
    assert table.say(A, "drawn") == (KinapaCardDrawn(D),)
    assert table.legal == {Action(A, "return")}
    assert broken(table.say(A, "turn", "1-2@1")), "No object before a card went back"
    assert table.say(A, "return") == (CardReturned(D),)
    assert table.phase == "turning"


def test_k_t05_with_two_lowered_nobody_is_asked_and_no_lie_is_caught():
    table = after_count(B)
    table.say(A, "no_pair")
    table.draw(C)
    table.miss()
    assert not {"OneAsked", "AllAsked", "LiarCalled", "Punished"} & set(kinds(table.rulings))


def test_k_t05_nobody_lowered_by_a_button_is_still_all_lowered():
    table = after_count()
    table.say(A, "no_pair")
    assert table.phase == "choosing"


def test_k_t06_one_lowered_is_asked_for_the_number():
    table = after_count(B, C)
    assert SoleLoweredAsked(D, 7) in table.say(A, "no_pair")
    assert table.legal == {Action(D, "has"), Action(D, "has_not")}
    assert broken(table.say(A, "draw_from", D))
    assert broken(table.say(B, "has"))


def test_k_t06_nobody_lowered_everybody_is_asked():
    table = after_count(B, C, D)
    assert AllAsked(7) in table.say(A, "no_pair")
    assert table.legal == {Action(seat, verb) for seat in (B, C, D) for verb in ("has", "has_not")}


def test_k_t06_a_holder_who_raised_is_a_liar_with_two_foxes():
    table = after_count(B, C, D)
    table.say(A, "no_pair")
    table.say(C, "has")
    table.say(B, "has_not")
    table.say(D, "has_not")
    assert table.say(A, "receive") == (CardHanded(C, 7), LiarPunished(C, 2, True))
    assert table.foxes == {C: 2}


def test_x4_a_lowered_seat_that_has_it_hands_it_over_without_penalty():
    table = after_count(B, C)
    table.say(A, "no_pair")
    table.say(D, "has")
    assert table.say(A, "receive") == (CardHanded(D, 7),)
    assert table.say(A, "return") == (CardReturned(D),)
    assert table.foxes == {}


def test_k_t32_a_second_copy_at_a_raised_seat_stays_unsaid():
    table = after_count(B, C)
    table.say(A, "no_pair")
    table.say(D, "has")
    assert table.legal_seats("has") == set()
    table.say(A, "receive")
    table.say(A, "return")
    assert table.phase == "turning"
    assert table.of(LiarPunished) == []


def test_k_t07_emperor_shows_the_pair_all_raised_no_exchange():
    table = after_count(B, C, D, number=2)
    (shown,) = table.say(A, "show_pair")
    assert isinstance(shown, PairShown)
    assert shown.number == 2
    assert table.phase == "turning"
    assert received(table) == [0, 0, 0, 0]
    assert [seat.cards for seat in table.state.seats] == [4, 4, 4, 4]
    assert broken(table.say(A, "draw_from", B))


def test_k_t08_emperor_shows_the_pair_and_must_draw_from_the_one_lowered_seat():
    table = after_count(B, C, number=2)
    ruled = table.say(A, "show_pair")
    assert ruled[0] == PairShown(2, then=ruled[0].then)  # type: ignore[attr-defined]
    assert broken(table.say(A, "turn", "1-2@1")), "The exchange is a duty"
    if table.phase == "choosing":
        assert table.legal == {Action(A, "draw_from", D)}
        table.say(A, "draw_from", D)
    table.say(A, "drawn")
    assert table.say(A, "return") == (CardReturned(D),)
    assert received(table) == [1, 0, 0, 1]
    assert table.phase == "turning"
    assert not {"OneAsked", "Punished"} & set(kinds(table.rulings))


def test_x2_with_several_lowered_the_emperor_chooses_one():
    table = after_count(B, number=2)
    table.say(A, "show_pair")
    assert table.legal == {Action(A, "draw_from", C), Action(A, "draw_from", D)}


def test_k_t38_a_hand_of_two_goes_over_three_for_the_emperor_and_one_for_the_giver():
    placed = (ObjectTurned("5-6", 1), PairPlaced(A, 5, 1), ObjectTurned("3-4", 2), PairPlaced(D, 3, 2))
    table = given(*placed, *crowned())
    table.count(7, [B])
    table.say(A, "no_pair")
    table.say(A, "draw_from", D)
    cards = [[seat.cards for seat in table.state.seats]]
    for verb in ("drawn", "return"):
        table.say(A, verb)
        cards.append([seat.cards for seat in table.state.seats])
    assert cards == [[2, 4, 4, 2], [3, 4, 4, 1], [2, 4, 4, 2]]


def test_k_t38_the_same_with_a_demand():
    table = given(ObjectTurned("3-4", 2), PairPlaced(D, 3, 2), *crowned())
    table.count(7, [B, C])
    table.say(A, "no_pair")
    table.say(D, "has")
    cards = [[seat.cards for seat in table.state.seats]]
    for verb in ("receive", "return"):
        table.say(A, verb)
        cards.append([seat.cards for seat in table.state.seats])
    assert cards == [[4, 4, 4, 2], [5, 4, 4, 1], [4, 4, 4, 2]]


def test_k_t41_the_card_just_received_may_not_go_back_where_the_referee_saw_it():
    table = given(*crowned(A), CardHanded(B, 7, "animal:7"))
    assert table.phase == "returning"
    assert broken(table.say(A, "return", "animal:7"))
    assert table.phase == "returning"
    assert table.say(A, "return", "shelter:7") == (CardReturned(B),), "The twin may go back"


def test_k_t41_a_card_drawn_from_an_open_hand_was_seen():
    table = given(LiarPunished(D, 2, False), *crowned(A, B))
    table.region("hand:3", "animal:1", "animal:2", "shelter:4")
    table.count(7, [])
    table.say(A, "no_pair")
    table.say(A, "draw_from", D)
    table.lot(1)
    table.say(A, "drawn")
    assert broken(table.say(A, "return", "animal:2"))
    assert not broken(table.say(A, "return", "animal:5"))


def test_the_lot_counts_the_face_down_card_of_a_row_as_it_lies():
    table = given(LiarPunished(D, 2, False), *crowned(A, B))
    table.region("hand:3", "back:white", "animal:1", "animal:2", "shelter:4")
    table.count(7, [])
    table.say(A, "no_pair")
    table.say(A, "draw_from", D)
    table.lot(1)
    table.say(A, "drawn")
    assert table.state.turn.card == "animal:1"


def test_k_t41_a_demanded_card_shown_to_the_camera_may_not_go_back():
    table = after_count(B, C)
    table.say(A, "no_pair")
    table.say(D, "has")
    assert table.say(A, "receive", "animal:7") == (CardHanded(D, 7, "animal:7"),)
    assert broken(table.say(A, "return", "animal:7"))
    assert not broken(table.say(A, "return", "shelter:7"))


def test_a_card_of_another_number_shown_to_the_camera_is_not_the_demanded_one():
    table = after_count(B, C)
    table.say(A, "no_pair")
    table.say(D, "has")
    assert table.say(A, "receive", "animal:3") == (HandoverRefused(D, 7),)
    assert table.phase == "handing"


def test_k_t41_an_unseen_card_is_never_suspected():
    table = after_count(B, C)
    table.say(A, "no_pair")
    table.say(D, "has")
    table.say(A, "receive")
    assert table.say(A, "return") == (CardReturned(D),)


def test_a_wrong_card_handed_over_is_refused_and_the_right_one_awaited():
    table = after_count(B, C)
    table.say(A, "no_pair")
    table.say(D, "has")
    assert table.say(A, "refuse") == (HandoverRefused(D, 7),)
    assert table.legal == {Action(A, "receive"), Action(A, "refuse")}
    assert received(table) == [0, 0, 0, 0]
    assert CardHanded(D, 7) in table.say(A, "receive")


def test_from_an_open_hand_chance_says_which_place():
    table = given(LiarPunished(D, 2, False), *crowned(A, B))
    table.count(7, [])
    table.say(A, "no_pair")
    table.say(A, "draw_from", D)
    assert RULES.awaited_draw(table.state) == ("1", "2", "3", "4"), "The hidden card at the right end counts"
    assert broken(table.say(A, "drawn")), "Not before the lot"
    assert table.lot(2) == (HandPlaceDrawn(D, 3),)
    assert table.say(A, "drawn") == (KinapaCardDrawn(D),)


def test_no_lot_is_drawn_for_a_hidden_hand():
    table = after_count()
    table.say(A, "no_pair")
    table.say(A, "draw_from", D)
    assert RULES.awaited_draw(table.state) is None


def test_x3_foxed_seats_count_as_lowered_so_one_of_them_ends_every_demand_from_all():
    table = given(LiarPunished(B, 2, True), *crowned())
    table.count(7, [C, D])
    assert SoleLoweredAsked(B, 7) in table.say(A, "no_pair")


def test_the_exchange_can_be_played_by_chair_buttons_alone():
    table = after_count(B, C)
    table.tap(A)
    assert table.phase == "asking", "A tap is the first choice: no pair"
    table.hold(D)
    assert table.phase == "searching", "A hold is the second: has not"
    table.tap(C)
    table.hold(B)
    assert table.phase == "handing"
    table.tap(A)
    table.press(A)
    table.release(A)
    assert table.phase == "turning"
    assert table.foxes == {C: 2}


def test_choosing_among_three_steps_with_taps_and_confirms_with_a_hold():
    table = after_count()
    table.tap(A)
    options = [action.value for action in RULES.prompts(table.state)[0].actions]
    table.tap(A)
    table.tap(A)
    assert table.phase == "choosing"
    assert PartnerChosen(options[2]) in table.hold(A)


def test_the_shared_buttons_choose_for_the_only_one_who_is_asked():
    table = after_count()
    table.press(None, button="ok")
    options = [action.value for action in RULES.prompts(table.state)[0].actions]
    table.press(None, button="next")
    assert table.press(None, button="ok") == (PressEnded(A), PartnerChosen(options[1]))
