"""What the camera sees that the rules did not ask for: wrong places, wrong cards, wrong decks."""

from __future__ import annotations

import pytest

from companion.core.events import Event
from companion.core.observations import CameraLost, CameraRecovered, TableSeen
from companion.games.kinapa.rules.model import (
    KinapaMisplacementResolved,
    LiarPunished,
    ObjectHidden,
    ObjectTurned,
    OpenCardsSeen,
    PairPlaced,
)
from tests.games.game_table import broken, kinds
from tests.games.kinapa.kinapa_table import RULES, A, B, C, D, Table, called_out, crowned, given, reading


def turning(*events: Event, **options: object) -> Table:
    """The Emperor A has exchanged and must turn an object."""
    table = given(*events, *crowned(), **options)
    table.count(8, [D])
    table.say(A, "no_pair")
    table.draw(C)
    return table


def misses(table: Table, *found: tuple[int, str]) -> None:
    """Whole turns in which these objects are turned and hidden again, before the camera."""
    for slot, label in found:
        if table.phase == "announcing":
            table.count(7, [])
            table.say(table.emperor, "no_pair")
            table.draw(table.state.lowered[0])
        table.slot(slot, f"object:{label}")
        table.slot(slot, "back:blue")


def test_a_label_for_the_third_time_is_called_where_two_lie_closed():
    closed = (ObjectTurned("5-6", 1), PairPlaced(B, 5, 1), ObjectTurned("5-6", 2), PairPlaced(C, 6, 2))
    assert called_out(turning(*closed).slot(3, "object:5-6"))


def test_a_label_for_the_third_time_is_not_called_where_that_would_tell_what_lies_hidden():
    table = turning()
    misses(table, (1, "5-6"), (2, "5-6"))
    table.count(7, [])
    table.say(table.emperor, "no_pair")
    table.draw(table.state.lowered[0])
    assert not called_out(table.slot(3, "object:5-6"))
    assert [slot.label for slot in table.state.slots[:3]] == ["", "", "5-6"]


def test_a_label_for_the_third_time_by_touch_is_called_where_two_lie_closed():
    closed = (ObjectTurned("5-6", 1), PairPlaced(B, 5, 1), ObjectTurned("5-6", 2), PairPlaced(C, 6, 2))
    table = turning(*closed)
    assert broken(table.say(A, "turn", "5-6@3"))
    assert "5-6" not in table.legal_values("turn")


def test_the_same_two_copies_may_be_turned_again_and_again():
    table = turning()
    misses(table, (1, "5-6"), (2, "5-6"), (1, "5-6"), (2, "5-6"))
    assert not called_out(tuple(table.rulings))


def test_a_slot_that_shows_another_label_than_before_was_moved():
    table = turning()
    misses(table, (1, "5-6"))
    table.count(7, [])
    table.say(table.emperor, "no_pair")
    table.draw(table.state.lowered[0])
    assert called_out(table.slot(1, "object:7-8"))


def test_an_object_turned_when_none_may_be_turned_is_called_once_and_put_right():
    table = given()
    assert broken(table.slot(3, "object:5-6"))
    assert table.slot(3, "object:5-6") == (), "The same reading is not called again"
    assert KinapaMisplacementResolved(3) in table.slot(3, "back:blue")
    assert broken(table.slot(3, "object:5-6")), "A new offence is called anew"


def test_the_wrong_slot_put_back_is_called():
    """The open object of slot 3 goes face down on slot 4, so slot 3 is bare and slot 4 holds two cards."""
    table = turning()
    table.slot(3, "object:5-6")
    ruled = table.slot(3) + table.slot(4, "back:blue", "back:blue")
    assert called_out(ruled)
    assert table.of(ObjectHidden) == [], "It is not hidden in its place"


def test_the_wrong_slot_put_back_is_called_in_one_reading_too():
    table = turning()
    table.slot(3, "object:5-6")
    both = (reading("slot:3", ()), reading("slot:4", ("back:blue", "back:blue")))
    assert called_out(table.observe(TableSeen(at=table.at + 1, regions=both)))
    assert table.of(ObjectHidden) == []


def test_once_the_wrong_slot_is_put_right_the_turn_goes_on():
    table = turning()
    table.slot(3, "object:5-6")
    table.slot(3)
    table.slot(4, "back:blue", "back:blue")
    table.slot(4, "back:blue")
    ruled = table.slot(3, "back:blue")
    assert ObjectHidden(3) in ruled


def test_an_object_lifted_to_be_turned_is_no_offence():
    table = turning()
    assert table.slot(5) == ()
    assert table.slot(5, "object:5-6") == (ObjectTurned("5-6", 5),)


def test_the_same_card_in_two_places_is_called():
    table = turning(LiarPunished(B, 2, True))
    table.region("hand:1", "animal:5", "animal:2", "shelter:3")
    table.slot(1, "object:5-6")
    assert called_out(table.slot(1, "object:5-6", "animal:5", "shelter:5"))


def test_a_row_of_open_cards_is_read_with_the_face_down_one_beside_it():
    table = turning(LiarPunished(B, 2, True))
    row = ("back:white", "animal:5", "animal:2", "shelter:3")
    assert OpenCardsSeen(B, row) in table.region("hand:1", *row)
    assert called_out(table.region("hand:1", "back:white", "animal:5", "animal:2"))


def test_a_hand_that_lies_face_down_tells_nothing():
    table = turning(LiarPunished(B, 2, True))
    assert table.region("hand:1", "back:white", "back:white") == ()


def test_the_same_card_in_two_open_hands_is_called():
    table = given(LiarPunished(B, 2, True), LiarPunished(C, 2, True), *crowned())
    table.region("hand:1", "animal:5", "animal:2", "shelter:3")
    assert called_out(table.region("hand:2", "animal:5", "animal:3", "shelter:4"))


def test_a_placed_card_in_an_open_hand_is_called():
    table = turning(LiarPunished(B, 2, True))
    table.slot(1, "object:5-6")
    table.slot(1, "object:5-6", "animal:5", "shelter:5")
    assert called_out(table.region("hand:1", "animal:5", "animal:2", "shelter:3"))


def test_two_pairs_of_one_number_are_called():
    table = turning()
    table.slot(1, "object:5-6")
    table.slot(1, "object:5-6", "animal:5", "shelter:5")
    table.slot(2, "object:5-6")
    assert called_out(table.slot(2, "object:5-6", "animal:5", "shelter:5"))


def test_a_card_of_a_number_that_is_not_in_play_is_called():
    table = turning()
    assert called_out(table.slot(1, "object:9-10"))
    assert table.of(ObjectTurned) == []


def test_a_pair_on_an_object_that_was_not_turned_is_called():
    table = turning()
    assert called_out(table.slot(1, "back:blue", "animal:5", "shelter:5"))
    assert table.of(PairPlaced) == []


def test_a_closed_object_turned_down_is_called():
    table = turning()
    table.slot(1, "object:5-6")
    table.slot(1, "object:5-6", "animal:5", "shelter:5")
    assert called_out(table.slot(1, "back:blue"))


@pytest.mark.parametrize("faces", [("unknown",), ("object:5-6", "unknown"), ("unknown", "unknown")])
def test_an_unknown_card_decides_nothing(faces: tuple[str, ...]):
    table = turning()
    assert not {"ObjectTurned", "PairPlaced", "ObjectHidden"} & set(kinds(table.slot(1, *faces)))


def test_an_unknown_card_over_an_open_object_decides_nothing():
    table = turning()
    table.slot(3, "object:5-6")
    assert table.slot(3, "object:5-6", "unknown", "unknown") == ()
    assert table.slot(3, "unknown") == ()
    assert table.phase == "placing"


def test_backs_where_backs_belong_are_no_news():
    table = given()
    for slot in range(1, 9):
        assert table.slot(slot, "back:blue") == ()


def test_a_region_of_another_table_means_nothing():
    table = turning()
    assert table.region("stack:1", "heron") == ()
    assert table.region("slot:99", "object:5-6") == ()


def test_where_the_camera_must_be_sure_is_asked():
    table = turning()
    assert RULES.awaited_regions(table.state) == {f"slot:{number}" for number in range(1, 9)}


def test_an_object_declared_by_touch_and_seen_by_the_camera_is_turned_once():
    table = turning()
    table.say(A, "turn", "5-6@3")
    assert table.slot(3, "object:5-6") == ()
    table.say(A, "hide")
    assert table.slot(3, "back:blue") == ()
    assert kinds(table.rulings).count("ObjectTurned") == kinds(table.rulings).count("ObjectHidden") == 1


def test_the_camera_tells_the_slot_of_an_object_declared_without_one():
    table = turning()
    table.say(A, "turn", "5-6")
    assert not called_out(table.slot(3, "object:5-6"))
    ruled = table.slot(3, "back:blue")
    assert "ObjectHidden" in kinds(ruled)


def test_without_a_camera_the_game_goes_on_by_hand():
    table = turning()
    table.observe(CameraLost(at=table.at + 1))
    assert RULES.view(table.state).by_hand
    assert table.say(A, "turn", "5-6@3") == (ObjectTurned("5-6", 3),)
    table.observe(CameraRecovered(at=table.at + 1))
    assert not RULES.view(table.state).by_hand
    assert ObjectHidden(3) in table.slot(3, "back:blue")
