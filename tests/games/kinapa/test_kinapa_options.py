"""Every house rule for four to eight players: what it changes at the table."""

from __future__ import annotations

import pytest

from companion.core.actions import Action
from companion.core.view import View
from companion.games.kinapa.rules.model import (
    COMPATIBLE_LIAR_RULES,
    EmperorStays,
    KinapaOptions,
    LiarPunished,
    ObjectTurned,
    PairPlaced,
    PunishmentSpared,
)
from tests.games.game_table import broken, kinds
from tests.games.kinapa.kinapa_table import RULES, A, B, C, D, E, Table, asks, crowned, given

DEFAULTS = {
    "allow_dead_number": False,
    "two_liars": "chosen_only",
    "second_liar": "counters",
    "fox_first_tick": "next_turn",
    "fox_tick": "transfer",
    "fox_receive": "hidden",
    "fox_draw": "random",
    "all_sheep": "any_raised",
    "giveback": "card",
    "drawn_named": False,
    "false_denial_penalty": "audit_only",
    "place": "may",
    "count_seconds": 3,
    "hand": "toggle",
    "draw_is_duty": True,
    "nobody_has": "audit",
    "demand_open": False,
    "bot_can_be_emperor_2p": True,
    "win_bot": "deck",
    "switch_progress": "deck",
    "switch_foxes": "deck",
    "bot_checker": "emperor",
}


def test_keys_and_defaults_are_those_of_the_specification():
    options = KinapaOptions()
    assert {name: getattr(options, name) for name in options.__struct_fields__} == DEFAULTS


# allow_dead_number ---------------------------------------------------------------------------------------


def five_lies(**options: object) -> Table:
    return given(ObjectTurned("5-6", 1), PairPlaced(B, 5, 1), *crowned(), **options)


def test_a_dead_number_may_be_announced_where_the_house_allows_it():
    assert 5 not in five_lies().legal_values("announce")
    assert 5 in five_lies(allow_dead_number=True).legal_values("announce")


def test_a_dead_number_with_two_lowered_is_exchanged_as_ever():
    table = five_lies(allow_dead_number=True)
    table.count(5, [B])
    table.say(A, "no_pair") if table.phase == "pairing" else None
    assert table.legal_values("draw_from") == {C, D}


@pytest.mark.parametrize("raised", [(B, C), (B, C, D)])
def test_a_dead_number_is_demanded_from_nobody(raised: tuple[int, ...]):
    table = five_lies(allow_dead_number=True)
    table.count(5, raised)
    table.say(A, "no_pair") if table.phase == "pairing" else None
    assert table.phase == "turning"
    assert not {"OneAsked", "AllAsked", "AuditOpened"} & set(kinds(table.rulings))


def test_nobody_shows_the_pair_of_a_dead_number():
    table = five_lies(allow_dead_number=True)
    table.count(5, [B])
    assert Action(A, "show_pair") not in table.legal
    assert broken(table.say(A, "show_pair"))
    assert "PairShown" not in kinds(table.rulings)


# two_liars -----------------------------------------------------------------------------------------------


def two_liars(**options: object) -> Table:
    table = given(**options)
    table.count(7, [B, C])
    table.say(A, "no_pair")
    table.say(D, "has_not")
    table.say(B, "has")
    table.say(C, "has")
    table.say(A, "pick", C)
    table.say(A, "receive")
    table.say(A, "return")
    return table


@pytest.mark.parametrize(
    ("rule", "foxes"), [("chosen_only", {C: 2}), ("one_fox_each", {B: 1, C: 1}), ("both", {B: 2, C: 2})]
)
def test_two_liars(rule: str, foxes: dict[int, int]):
    table = two_liars(two_liars=rule)
    assert table.foxes == foxes
    assert [seat.received for seat in table.state.seats] == [1, 0, 1, 0], "One exchange a turn"


def test_of_two_punished_liars_one_takes_the_crown():
    table = two_liars(two_liars="both")
    table.miss()
    if table.phase == "succeeding":
        assert table.legal_values("crown") == {B, C}
        table.say(A, "crown", C)
    assert table.emperor in {B, C}


def out(table: Table) -> int:
    return sum(table.foxes.values())


@pytest.mark.parametrize("both", ["both", "one_fox_each"])
@pytest.mark.parametrize("second", ["move", "one_each", "none"])
def test_two_liars_never_take_more_foxes_than_there_are(both: str, second: str):
    """A game of 0.1 keeps a pair that is refused since."""
    table = two_liars(two_liars=both, second_liar=second)
    assert out(table) == 2
    assert C in table.foxes, "Whoever gives the card comes first"


@pytest.mark.parametrize("had", [1, 2])
def test_one_fox_each_is_shared_with_an_earlier_liar_as_far_as_they_go(had: int):
    foxed = LiarPunished(E, had, False)
    table = given(foxed, *crowned(A), players=5, two_liars="one_fox_each", second_liar="one_each")
    table.count(7, [B, C, D])
    for seat, verb in ((A, "no_pair"), (E, "has_not"), (B, "has"), (C, "has"), (D, "has_not")):
        table.say(seat, verb)
    table.say(A, "pick", C)
    table.say(A, "receive")
    assert table.foxes == {C: 1, E: 1}
    assert table.of(PunishmentSpared) == [PunishmentSpared(B)]


@pytest.mark.parametrize("second", ["counters", "move", "one_each", "none"])
def test_of_two_whom_the_audit_found_as_many_are_punished_as_there_are_foxes_for(second: str):
    table = given(second_liar=second)
    table.count(7, [B, C])
    for seat, verb in ((A, "no_pair"), (D, "has_not"), (B, "has_not"), (C, "has_not")):
        table.say(seat, verb)
    while table.phase == "auditing":
        seat = table.state.turn.audit[0]
        table.say(seat, "found" if seat in (B, C) else "not_found")
    table.say(A, "pick", C)
    table.say(A, "receive")
    assert table.foxes == {"counters": {B: 2, C: 2}, "one_each": {B: 1, C: 1}}.get(second, {C: 2})
    assert len(table.of(PunishmentSpared)) == (second in {"move", "none"})


PAIRS = [
    (both, second)
    for both in COMPATIBLE_LIAR_RULES
    for second in sorted(COMPATIBLE_LIAR_RULES["chosen_only"])
]


@pytest.mark.parametrize(("both", "second"), PAIRS)
def test_k_t60_two_foxes_suffice_or_the_pair_is_refused(both: str, second: str):
    refused = KinapaOptions(two_liars=both, second_liar=second).find_conflict() is not None
    assert refused == (
        (both, second) in {("both", other) for other in ("move", "one_each", "none")}
        or (both, second) in {("one_fox_each", other) for other in ("move", "none")}
    )


# second_liar ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "foxes"),
    [("counters", {B: 2, D: 2}), ("move", {D: 2}), ("one_each", {B: 1, D: 1}), ("none", {B: 2})],
)
def test_a_second_liar_while_the_foxes_are_out(rule: str, foxes: dict[int, int]):
    table = given(LiarPunished(B, 2, False), *crowned(A, B), second_liar=rule)
    table.caught(7, D, raised=[C, D])
    assert table.foxes == foxes


def test_a_liar_who_goes_free_is_told_so():
    table = given(LiarPunished(B, 2, False), *crowned(A, B), second_liar="none")
    table.caught(7, D, raised=[C, D])
    assert "PunishmentSpared" in kinds(table.rulings)
    assert table.of(LiarPunished) == []


@pytest.mark.parametrize("rule", ["move", "none"])
def test_an_audit_that_finds_an_earlier_liar_and_a_new_one_needs_no_third_fox(rule: str):
    table = given(second_liar=rule)
    table.caught(3, B, raised=[B, C])
    table.miss()
    table.count(5, [C, D])
    for verb in ("show_pair", "drawn", "return"):
        table.say(B, verb)
    table.miss()
    table.say(B, "crown", C)
    table.count(6, [A, D])
    table.say(C, "no_pair")
    for seat in (B, A, D):
        table.say(seat, "has_not")
    for seat, verb in ((B, "found"), (D, "found"), (A, "not_found")):
        table.say(seat, verb)
    table.say(C, "pick", D)
    table.say(C, "receive")
    assert sum(table.foxes.values()) <= 2


def test_the_first_liar_whose_foxes_moved_may_raise_again():
    table = given(LiarPunished(B, 2, False), *crowned(A, B), second_liar="move")
    table.caught(7, D, raised=[C, D])
    table.miss()
    table.count(3, [B])
    assert table.state.raised == (B,)


@pytest.mark.parametrize("rule", ["counters", "move", "one_each", "none"])
def test_k_t63_foxes_move_only_when_another_liar_is_caught(rule: str):
    """An honest hand-over, asked of one lowered hand, takes no Fox away."""
    table = given(LiarPunished(A, 2, False), *crowned(B, A), second_liar=rule)
    asks(table, 7, A)
    assert table.phase == "returning", "A handed it over"
    assert "FoxesTaken" not in kinds(table.rulings)
    assert table.foxes == {A: 2}


# fox_first_tick, fox_tick --------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "foxes"), [("next_turn", {B: 2}), ("this_turn", {B: 1})])
def test_whether_the_transfer_of_the_punishing_turn_counts(rule: str, foxes: dict[int, int]):
    table = given(fox_first_tick=rule)
    table.caught(7, B, raised=[B, C])
    table.miss()
    assert table.foxes == foxes


@pytest.mark.parametrize(("rule", "foxes"), [("transfer", {B: 2}), ("turn", {B: 1})])
def test_whether_foxes_leave_while_the_emperor_stays(rule: str, foxes: dict[int, int]):
    table = given(fox_tick=rule)
    table.caught(7, B, raised=[B, C])
    table.miss()
    table.turn(7)
    assert table.of(EmperorStays) == [EmperorStays(B)]
    assert table.foxes == foxes


# fox_receive, fox_draw -----------------------------------------------------------------------------------


def lot_or_none(table: Table) -> tuple[str, ...] | None:
    table.count(7, [])
    table.say(A, "no_pair")
    table.say(A, "draw_from", D)
    return RULES.awaited_draw(table.state)


def test_who_chooses_the_place_in_an_open_hand():
    assert lot_or_none(given(LiarPunished(D, 2, False), *crowned())) == ("1", "2", "3", "4")
    table = given(LiarPunished(D, 2, False), *crowned(), fox_draw="choice")
    assert lot_or_none(table) is None
    assert broken(table.say(A, "drawn")) == [], "The Emperor picks, no lot is drawn"


def received_while_foxed(rule: str) -> tuple[Table, View]:
    table = given(LiarPunished(B, 2, False), *crowned(A, B), fox_receive=rule)
    table.region("hand:1", "animal:1", "animal:2", "shelter:3")
    table.count(7, [C])
    table.say(A, "no_pair")
    table.say(A, "draw_from", B)
    table.lot(3)
    table.say(A, "drawn")
    view = RULES.view(table.state)
    table.say(A, "return")
    return table, view


def test_how_a_punished_seat_holds_a_card_it_receives_is_told_when_it_is_given():
    assert received_while_foxed("hidden")[1] != received_while_foxed("open")[1]


def test_a_card_received_open_may_be_seen_in_the_open_row():
    table, _ = received_while_foxed("open")
    ruled = table.region("hand:1", "animal:1", "animal:2", "shelter:3", "animal:8")
    assert not broken(ruled)
    assert table.seat(B).opened == ("animal:1", "animal:2", "shelter:3", "animal:8")


# all_sheep -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "emperor"), [("any_raised", B), ("stays", A)])
def test_who_follows_when_every_raised_seat_has_a_sheep(rule: str, emperor: int):
    table = given(*crowned(A, B), all_sheep=rule)
    table.turn(7, raised=[B])
    assert table.emperor == emperor
