"""Objects: turning, placing, hiding, and the win. The same rules by touch and by camera."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from companion.core import observations as ob
from companion.core.actions import Action, Setup
from companion.core.events import Event
from companion.games.kinapa.rules.model import (
    EmperorStays,
    KinapaGameWon,
    KinapaOptions,
    KinapaPhase,
    ObjectHidden,
    ObjectTurned,
    PairPlaced,
    with_slot,
)
from tests.games.game_table import broken, kinds
from tests.games.kinapa.kinapa_table import RULES, A, B, C, Table, crowned, given

Ruling = tuple[Event, ...]


def turning(*events: Event, number: int = 1, players: int = 4, **options: object) -> Table:
    """The Emperor A has exchanged and must turn an object."""
    table = given(*events, *crowned(), players=players, **options)
    table.count(number, [B])
    table.say(A, "no_pair")
    table.draw(table.state.lowered[0])
    return table


def test_k_t01_either_pair_of_the_turned_object_may_be_placed_and_no_other():
    for number in (9, 10):
        table = turning(players=5)
        table.say(A, "turn", "9-10@1")
        assert table.legal_values("place") == {9, 10}
        assert table.say(A, "place", number) == (PairPlaced(A, number, 1),)
    table = turning(players=5)
    table.say(A, "turn", "9-10@1")
    assert broken(table.say(A, "place", 8))
    assert table.of(PairPlaced) == []


def test_k_t01_a_cat_and_a_dog_are_no_pair_for_the_camera():
    table = turning(players=5)
    table.slot(1, "object:9-10")
    assert broken(table.slot(1, "object:9-10", "animal:9", "animal:10"))
    assert table.of(PairPlaced) == []
    table = turning(players=5)
    table.slot(1, "object:9-10")
    assert broken(table.slot(1, "object:9-10", "animal:9", "shelter:10"))
    assert table.of(PairPlaced) == []


def test_k_t01_the_camera_rejects_the_pair_of_another_object():
    table = turning(players=5)
    table.slot(1, "object:9-10")
    assert broken(table.slot(1, "object:9-10", "animal:8", "shelter:8"))
    assert table.of(PairPlaced) == []


@pytest.mark.parametrize("cards", [("animal:9", "shelter:9"), ("shelter:9", "animal:9")])
def test_k_t01_the_camera_takes_a_pair_in_either_order(cards: tuple[str, str]):
    table = turning(players=5)
    table.slot(1, "object:9-10")
    assert table.slot(1, "object:9-10", *cards) == (PairPlaced(A, 9, 1),)


def test_one_card_of_a_pair_on_the_object_is_not_yet_a_placement():
    table = turning()
    table.slot(1, "object:5-6")
    assert table.slot(1, "object:5-6", "animal:5") == ()
    assert table.slot(1, "object:5-6", "animal:5", "shelter:5") == (PairPlaced(A, 5, 1),)


BY_TOUCH_AND_CAMERA: list[tuple[Callable[[Table], Ruling], Callable[[Table], Ruling]]] = [
    (lambda t: t.say(A, "turn", "5-6@3"), lambda t: t.say(A, "place", 5)),
    (lambda t: t.slot(3, "object:5-6"), lambda t: t.slot(3, "object:5-6", "animal:5", "shelter:5")),
    (lambda t: t.say(A, "turn", "5-6@3"), lambda t: t.say(A, "place", "5@3")),
    (lambda t: t.slot(3, "object:5-6"), lambda t: t.say(A, "place", 5)),
]


@pytest.mark.parametrize(("turn", "place"), BY_TOUCH_AND_CAMERA)
def test_k_t09_a_hit_is_placed_the_object_closed_and_another_must_be_turned(
    turn: Callable[[Table], Ruling], place: Callable[[Table], Ruling]
):
    table = turning()
    assert turn(table) == (ObjectTurned("5-6", 3),)
    assert place(table) == (PairPlaced(A, 5, 3),)
    assert table.seat(A).cards == 2
    assert table.seat(A).placed == (5,)
    assert table.phase == "turning"
    assert broken(table.say(A, "crown", B)), "Another object must be turned"
    assert not any(str(value).endswith("@3") for value in table.legal_values("turn")), "Closed"
    assert broken(table.say(A, "turn", "5-6@3"))


@pytest.mark.parametrize("by_camera", [False, True])
def test_k_t10_a_miss_is_hidden_in_its_place_and_ends_the_turning(by_camera: bool):
    table = turning()
    if by_camera:
        assert table.slot(4, "object:7-8") == (ObjectTurned("7-8", 4),)
        ruled = table.slot(4, "back:blue")
    else:
        assert table.say(A, "turn", "7-8@4") == (ObjectTurned("7-8", 4),)
        ruled = table.say(A, "hide")
    assert ruled[0] == ObjectHidden(4)
    assert table.phase not in {"turning", "placing"}
    assert broken(table.say(A, "turn", "1-2@1"))


def test_k_t10_the_object_may_be_hidden_with_the_pair_in_hand():
    table = turning()
    table.say(A, "turn", "7-8")
    assert broken(table.say(A, "hide")) == []


def test_turning_one_object_is_obligatory():
    table = turning()
    assert broken(table.say(A, "hide"))
    assert broken(table.say(A, "crown", B))
    assert broken(table.say(B, "announce", 3))
    assert table.phase == "turning"


def test_k_t11_the_second_pair_wins_at_once_without_succession():
    table = turning(ObjectTurned("5-6", 3), PairPlaced(A, 5, 3))
    table.say(A, "turn", "7-8@4")
    ruled = table.say(A, "place", 8)
    assert ruled == (PairPlaced(A, 8, 4), KinapaGameWon(A))
    assert table.seat(A).cards == 0
    outcome = RULES.outcome(table.state)
    assert outcome is not None
    assert outcome.winners == (A,)
    assert table.legal == frozenset()
    assert RULES.controls(table.state) == {}
    assert RULES.next_timer(table.state) is None
    assert table.say(A, "turn", "1-2") == ()


def test_k_t11_both_pairs_in_one_turn_win():
    table = turning()
    table.slot(3, "object:5-6")
    table.slot(3, "object:5-6", "animal:5", "shelter:5")
    table.slot(5, "object:7-8")
    assert KinapaGameWon(A) in table.slot(5, "object:7-8", "animal:7", "shelter:7")


def test_the_winner_is_told_as_a_chair():
    table = given()
    table.state = RULES.initial_state(Setup(chairs=(3, 4, 6, 7), options=KinapaOptions()))
    table.say(B, "claim_cat")
    table.count(1, [C])
    table.say(B, "no_pair")
    table.draw(A)
    for label, number in (("5-6@3", 5), ("7-8@4", 7)):
        table.say(B, "turn", label)
        table.say(B, "place", number)
    outcome = RULES.outcome(table.state)
    assert outcome is not None
    assert outcome.winners == (4,)


def test_k_t12_an_object_that_carries_a_pair_takes_no_second_one():
    table = turning(ObjectTurned("5-6", 3), PairPlaced(A, 5, 3))
    assert broken(table.say(A, "place", "6@3"))
    assert broken(table.slot(3, "object:5-6", "animal:5", "shelter:5", "animal:6", "shelter:6"))
    assert table.of(PairPlaced) == []
    assert table.seat(A).placed == (5,)


def test_k_t13_nobody_but_the_emperor_places():
    table = turning()
    table.say(A, "turn", "5-6@3")
    for seat in (1, 2, 3):
        assert broken(table.say(seat, "place", 5))
        assert broken(table.say(seat, "hide"))
    assert table.phase == "placing"
    assert table.of(PairPlaced) == []


def test_nobody_but_the_emperor_turns():
    table = turning()
    assert broken(table.say(B, "turn", "5-6@3"))
    assert table.of(ObjectTurned) == []


def test_k_t34_with_both_pairs_of_one_object_one_is_placed_and_another_object_turned():
    table = turning()
    table.say(A, "turn", "5-6@3")
    table.say(A, "place", 5)
    assert broken(table.say(A, "place", 6))
    assert table.phase == "turning"
    assert table.say(A, "turn", "5-6@4") == (ObjectTurned("5-6", 4),), "The other copy is another object"
    assert KinapaGameWon(A) in table.say(A, "place", 6)


def test_a_number_is_placed_only_once():
    table = turning(ObjectTurned("5-6", 3), PairPlaced(B, 5, 3))
    table.say(A, "turn", "5-6@4")
    assert table.legal_values("place") == {6}
    assert broken(table.say(A, "place", 5))


def test_an_object_turned_by_touch_without_a_slot_is_hidden_without_one():
    table = turning()
    assert table.say(A, "turn", "5-6") == (ObjectTurned("5-6", 0),)
    assert kinds(table.say(A, "hide"))[0] == "ObjectHidden"


def test_an_object_can_be_played_by_the_emperors_button_alone():
    table = turning()
    options = [action.value for action in RULES.prompts(table.state)[0].actions]
    for _ in range(options.index("5-6")):
        table.tap(A)
    assert kinds(table.hold(A)) == ["PressBegan", "PressEnded", "ObjectTurned"]
    places = [(action.verb, action.value) for action in RULES.prompts(table.state)[0].actions]
    for _ in range(places.index(("place", 6))):
        table.tap(A)
    assert PairPlaced(A, 6, 0) in table.hold(A)


def test_a_second_object_may_not_be_turned_while_the_first_lies_open():
    table = turning()
    table.say(A, "turn", "5-6@3")
    assert broken(table.say(A, "turn", "7-8@4"))
    table = turning()
    table.slot(3, "object:5-6")
    assert broken(table.slot(4, "object:7-8"))
    assert table.of(ObjectTurned) == [ObjectTurned("5-6", 3)]


@pytest.mark.parametrize("value", ["9-10", "9-10@1", "5-6@0", "5-6@9", "5-6@x", "@", "", 5, None])
def test_only_objects_in_play_can_be_turned(value: str | int | None):
    table = turning()
    assert broken(table.say(A, "turn", value))
    assert table.of(ObjectTurned) == []


def test_after_a_miss_with_nobody_raised_the_emperor_stays():
    table = given()
    table.count(7)
    table.say(A, "no_pair")
    table.draw(B)
    assert table.miss()[-1] == EmperorStays(A)


def test_what_is_said_is_not_held_against_what_lies_hidden():
    known = with_slot(turning(players=5).state, 1, label="9-10")
    for label in ("1-2", "3-4", "9-10"):
        assert kinds(Table(known).say(A, "turn", f"{label}@1")) == ["ObjectTurned"]


def test_of_three_places_said_to_hold_one_object_the_other_two_are_unknown():
    state = turning(players=5).state
    for slot in (1, 2):
        state = with_slot(state, slot, label="9-10")
    table = Table(state)
    assert broken(table.say(A, "turn", "9-10@3")) == []
    assert [slot.label for slot in table.state.slots[:3]] == ["", "", "9-10"]
    assert table.phase == KinapaPhase.PLACING
    assert RULES.find_violation(table.state) is None


def test_a_hidden_object_was_hidden_or_was_not_and_no_pair_could_have_been_laid_instead():
    # A pair is refused whatever its number: nobody says any more what lies there.
    for told in (
        ob.ActionDeclared(at=0, action=Action(A, "hide")),
        ob.TableSeen(at=0, regions=(ob.RegionReading("slot:1", (ob.SeenCard("back:blue"),), 0, 0),)),
    ):
        table = turning(players=5)
        table.slot(1, "object:9-10")
        assert set(RULES.correction_choices(table.state, told)) == {Action(A, "hide")}
        assert any(isinstance(event, ObjectHidden) for event in RULES.decide(table.state, told))
    pair = ob.ActionDeclared(at=0, action=Action(A, "place", 9))
    assert Action(A, "place", 10) in RULES.correction_choices(table.state, pair)
    assert Action(A, "hide") in RULES.correction_choices(table.state, pair)


def test_where_no_camera_sees_it_the_place_of_a_named_object_is_asked_for():
    table = turning(players=5)
    table.observe(ob.CameraLost(at=table.at))
    table.say(A, "turn", "9-10")
    assert [str(choice.label.key) for choice in RULES.view(table.state).chairs[A].choices] == [
        "kinapa.do.lies_at"
    ] * 10
    assert broken(table.say(A, "lies_at", 11))
    assert table.say(A, "lies_at", 4) == (ObjectTurned("9-10", 4),)
    assert broken(table.say(A, "lies_at", 5))
    assert table.legal_values("place") == {9, 10}
    assert table.say(A, "place", 9) == (PairPlaced(A, 9, 4),)


def test_a_place_with_a_pair_is_not_where_a_turned_object_lies():
    table = turning(players=5)
    table.say(A, "turn", "9-10@1")
    table.say(A, "place", 9)
    table.observe(ob.CameraLost(at=table.at))
    while table.state.phase is not KinapaPhase.TURNING:
        table = _again(table)
    table.say(table.state.emperor, "turn", "1-2")
    assert 1 not in table.legal_values("lies_at")
    assert broken(table.say(table.state.emperor, "lies_at", 1))


def _again(table: Table) -> Table:
    """Go on by whatever is offered first."""
    action = next(prompt.actions[0] for prompt in RULES.prompts(table.state))
    table.say(action.seat, action.verb, action.value)
    return table
