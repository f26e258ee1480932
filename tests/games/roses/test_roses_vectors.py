"""The vectors RT1 to RT42 of docs/rules.md, section 13."""

from __future__ import annotations

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Action
from companion.core.view import Sentence
from companion.games.roses.rules.model import RoundEnded
from tests.games.roses.roses_table import RULES, A, B, C, D, Table, kinds, rule_broken


def ended(events: tuple[object, ...]) -> RoundEnded:
    (found,) = (event for event in events if isinstance(event, RoundEnded))
    return found


def test_rt1_whoever_presses_begins_once_all_have_laid() -> None:
    table = Table(begins=None)
    assert (table.asked(), table.offered()) == ([A, B, C], {"begin"})
    assert rule_broken(table.say(A, "lay")) == "turn.not_now"
    table.say(C, "begin")
    assert (table.asked(), table.offered()) == ([A, B, C], {"lay"})
    table.lay()
    assert (table.asked(), table.state.laid) == ([C], (1, 1, 1))


def test_rt2_everybody_lays_one_card_and_no_more() -> None:
    table = Table()
    table.say(B, "lay")
    assert rule_broken(table.say(B, "lay")) == "turn.not_now"
    assert rule_broken(table.say(A, "add")) == "turn.not_now"
    assert table.asked() == [A, C]


def test_rt3_rt4_in_turn_a_card_is_added() -> None:
    table = Table().lay()
    assert (table.asked(), table.offered()) == ([A], {"add", "raise"})
    assert rule_broken(table.say(A, "pass")) == "turn.not_now"
    assert rule_broken(table.say(B, "add")) == "turn.not_yours"
    table.say(A, "add")
    assert (table.state.laid, table.asked()) == ((2, 1, 1), [B])


def test_rt5_to_rt7_numbers_go_up_to_all_cards() -> None:
    table = Table().lay()
    table.say(A, "raise")
    assert table.values() == [1, 2, 3]
    for number in (0, 4):
        assert rule_broken(table.say(A, "bid", number)) == "bid.higher"
    assert rule_broken(table.say(A, "add")) == "turn.not_now"
    table.say(A, "bid", 1)
    assert (table.asked(), table.offered()) == ([B], {"pass", "raise"})
    assert rule_broken(table.say(B, "add")) == "turn.not_now"
    table.say(B, "raise")
    assert (table.asked(), table.values()) == ([B], [2, 3])


def test_rt8_the_only_number_is_bid_at_once() -> None:
    table = Table().lay()
    table.bid(A, 2)
    assert kinds(table.say(B, "raise")) == ["NumberBid"]
    assert (table.state.bid, table.state.phase, table.asked()) == (3, "turn", [B])


def test_rt9_after_the_highest_bid_nobody_is_asked() -> None:
    table = Table().lay()
    table.bid(A, 3)
    assert (table.state.phase, table.asked()) == ("turn", [A])


def test_rt10_when_all_have_passed_the_bidder_turns_the_own_bed() -> None:
    table = Table().lay().turns(A, 1)
    assert (table.asked(), table.values()) == ([A], ["rose", "thorn"])
    assert rule_broken(table.say(A, "turn", B)) == "turn.not_now"


def test_rt11_whoever_passed_is_not_asked_again() -> None:
    table = Table().lay()
    table.bid(A, 1)
    table.say(B, "pass")
    table.bid(C, 2)
    table.say(A, "pass")
    assert (table.state.phase, table.asked()) == ("turn", [C])


def test_rt12_without_a_card_to_add_one_has_to_bid() -> None:
    table = Table().lay(3, 3, 3)
    assert (table.state.laid, table.asked(), table.offered()) == ((4, 4, 4), [A], {"bid"})
    assert rule_broken(table.say(A, "raise")) == "turn.not_now"
    assert table.values() == list(range(1, 13))


def test_rt13_rt14_a_rose_wins_and_a_thorn_costs_a_card() -> None:
    won, lost = Table().lay().turns(A, 1), Table().lay().turns(A, 1)
    assert kinds(won.show("rose")) == ["CardTurned", "RoundEnded"]
    assert (won.state.points, won.state.cards, won.state.round) == ((1, 0, 0), (4, 4, 4), 2)
    assert ended(lost.show("thorn")).how == "own_thorn"
    assert (lost.state.points, lost.state.cards) == ((0, 0, 0), (3, 4, 4))
    for table in (won, lost):
        assert (table.state.phase, table.asked(), table.state.starter) == ("lay", [A, B, C], A)


def test_rt15_the_own_bed_may_be_enough() -> None:
    table = Table().lay()
    table.say(A, "add")
    table.bid(B, 1)
    table.say(C, "pass")
    table.turns(A, 2)
    assert table.state.laid == (2, 1, 1)
    table.show("rose")
    assert table.values() == ["rose", "thorn"]
    assert ended(table.show("rose")).how == "won"


def test_rt16_to_rt18_then_any_other_bed() -> None:
    table = Table().lay().turns(A, 2)
    table.show("rose")
    assert table.values() == [B, C]
    assert rule_broken(table.say(A, "turn", A)) == "turn.not_now"
    table.say(A, "turn", B)
    assert table.values() == ["rose", "thorn"]
    lost = ended(table.show("thorn"))
    assert (lost.how, lost.owner_chair, table.state.cards) == ("thorn", B, (3, 4, 4))
    table = Table().lay().turns(A, 3)
    table.show("rose")
    table.say(A, "turn", B)
    table.show("rose")
    assert (table.state.named, table.values()) == (C, ["rose", "thorn"])


@pytest.mark.parametrize(("wins", "before"), [(2, 1), (1, 0)], ids=["RT19", "RT20"])
def test_rt19_rt20_rounds_decide(wins: int, before: int) -> None:
    table = Table(wins=wins)
    if before:
        table.declare(points_0=before)
    table.lay().turns(A, 1)
    assert kinds(table.show("rose")) == ["CardTurned", "RoundEnded", "GameWon"]
    assert RULES.result(table.state) == ("points", (A,))
    assert table.asked() == []


def test_rt21_whoever_has_no_cards_is_out_and_the_next_begins() -> None:
    table = Table()
    table.declare(cards_0=1)
    table.lay().turns(A, 1)
    assert kinds(table.show("thorn")) == ["CardTurned", "RoundEnded", "PlayerEliminated"]
    assert (table.asked(), table.state.starter) == ([B, C], B)


def test_rt22_the_last_one_with_cards_has_won() -> None:
    table = Table()
    table.declare(cards_0=1, cards_1=0)
    table.lay().turns(A, 1)
    assert kinds(table.show("thorn")) == ["CardTurned", "RoundEnded", "PlayerEliminated", "GameWon"]
    assert RULES.result(table.state) == ("last", (C,))


def test_rt23_the_next_one_begins_where_the_house_rule_says_so() -> None:
    table = Table(starter="next").lay()
    table.say(A, "add")
    table.say(B, "add")
    table.turns(C, 1)
    table.show("rose")
    assert table.state.starter == B
    table = Table(starter="next")
    table.declare(cards_1=0)
    table.lay().turns(A, 1)
    table.show("rose")
    assert table.state.starter == C


def test_rt24_a_place_is_read_once() -> None:
    table = Table().lay(1, 1, 1).turns(A, 2)
    assert kinds(table.read(A, 1, "rose")) == ["CardTurned"]
    assert table.read(A, 1, "rose") == ()
    assert ended(table.read(A, 2, "rose")).how == "won"


def test_rt25_rt26_own_cards_come_first() -> None:
    table = Table().lay().turns(A, 2)
    assert rule_broken(table.read(B, 1, "rose")) == "turn.own_first"
    assert (table.state.left, table.read(B, 1, "back")) == (2, ())
    assert rule_broken(table.read(B, 1, "rose")) == "turn.own_first"
    table.read(A, 1, "rose")
    assert ended(table.read(B, 1, "rose")).how == "won"


def test_rt27_what_was_said_is_not_counted_again_when_it_is_read() -> None:
    table = Table().lay(1, 1, 1).turns(A, 3)
    table.show("rose")
    assert kinds(table.read(A, 1, "rose")) == ["PlaceKnown"]
    assert table.state.left == 2
    assert kinds(table.read(A, 2, "rose")) == ["CardTurned"]


def test_rt28_a_thorn_is_another_card_than_the_rose_that_was_said() -> None:
    table = Table().lay(1, 1, 1).turns(A, 3)
    table.show("rose")
    assert ended(table.read(A, 2, "thorn")).how == "own_thorn"


def test_rt29_what_means_nothing() -> None:
    table = Table()
    for prepare in (lambda: None, table.lay, lambda: table.say(A, "raise")):
        prepare()
        assert table.read(A, 1, "rose") == ()
    table.say(A, "bid", 1)
    table.say(B, "pass")
    table.say(C, "pass")
    for face in ("back", "unread", ""):
        assert table.read(A, 1, face) == ()


def test_rt30_a_bed_without_a_player_is_not_read() -> None:
    table = Table(4).lay().turns(A, 1)
    at = table.at
    region = ob.RegionReading("bed:3.1", (ob.SeenCard("flower:thorn"),), at, at)
    assert table.see(ob.TableSeen(at=at, regions=(region,))) == ()


def test_rt31_what_is_turned_counts() -> None:
    table = Table().lay().turns(A, 2)
    table.show("rose")
    table.say(A, "turn", B)
    assert ended(table.read(C, 1, "thorn")).owner_chair == C


def test_rt32_a_place_may_be_said() -> None:
    table = Table().lay().turns(A, 2)
    assert rule_broken(table.say(A, "show", "bed:3.1|rose")) == "turn.not_now"
    assert kinds(table.say(A, "show", "bed:1.1|rose")) == ["CardTurned"]
    assert table.read(A, 1, "rose") == ()


def test_rt33_rt34_the_table_says_how_it_stands() -> None:
    table = Table().lay().turns(A, 2)
    table.declare(cards_1=2, points_2=1, starter=C)
    assert (table.state.cards, table.state.points) == ((4, 2, 4), (0, 0, 1))
    assert table.asked() == [A, B, C]
    assert table.lay().asked() == [C]
    for wrong in (
        {"cards_0": 0, "cards_1": 0},
        {"cards_2": 0, "starter": C},
        {"cards_0": 5},
        {"points_0": 2},
    ):
        before = table.state
        assert rule_broken(table.declare(**wrong)) == "repair.impossible"
        assert table.state == before


def test_rt35_a_thorn_that_is_taken_back() -> None:
    table = Table().lay().turns(A, 1)
    table.show("thorn")
    after = table.state
    table.referee.undo(table.at)
    assert (table.asked(), table.values(), table.state.cards) == ([A], ["rose", "thorn"], (4, 4, 4))
    assert RULES.restore_instructions(after, table.state) == (
        Sentence("roses.back.cards", (("chair", A), ("count", 4))),
        Sentence("roses.back.beds"),
    )


def test_rt36_a_reading_is_corrected() -> None:
    table = Table().lay(1, 1, 1).turns(A, 2)
    table.read(A, 1, "rose")
    for face, phase in (("thorn", "lay"), ("rose", "turn")):
        entry = next(iter(table.referee.correctable_entries()))
        choices = RULES.correction_choices(table.referee.state_before(entry.seq), entry.cause)
        action = Action(A, "show", f"bed:1.1|{face}")
        if isinstance(entry.cause, ob.TableSeen):
            assert set(choices) == {Action(A, "show", f"bed:1.1|{one}") for one in ("rose", "thorn")}
        table.referee.correct(entry.seq, ob.ActionDeclared(at=entry.cause.at, action=action), table.at)
        assert table.state.phase == phase
    assert table.state.left == 1


def test_rt37_whoever_is_out_is_passed_over() -> None:
    table = Table()
    table.declare(cards_1=0)
    assert table.asked() == [A, C]
    table.lay()
    table.bid(A, 1)
    assert table.asked() == [C]


def test_rt38_a_card_that_was_left_lying_open_is_not_turned_again() -> None:
    table = Table().lay().turns(A, 1)
    table.read(A, 1, "thorn")
    table.lay().turns(A, 1)
    for face in ("thorn", "unread", "rose"):
        assert table.read(A, 1, face) == ()
    assert kinds(table.read(A, 1)) == ["PlaceCleared"]
    assert ended(table.read(A, 1, "rose")).how == "won"


def test_rt39_beds_of_the_mat() -> None:
    beds = {
        players: [Table(players).state.bed_of(seat) for seat in range(players)] for players in RULES.players
    }
    assert beds == {3: [1, 3, 5], 4: [1, 2, 4, 5], 5: [1, 2, 3, 4, 5], 6: [1, 2, 3, 4, 5, 6]}
    assert Table(4).state.places_of(D) == ("bed:5.1", "bed:5.2", "bed:5.3", "bed:5.4")


def test_rt40_a_card_that_was_left_lying_for_two_rounds_is_not_turned_either() -> None:
    table = Table(wins=3).lay().turns(A, 1)
    table.read(A, 1, "rose")
    table.lay().turns(A, 1)
    table.show("rose")
    table.lay().turns(A, 1)
    assert table.read(A, 1, "rose") == ()


def test_rt41_a_place_stays_cleared_when_a_bid_is_undone() -> None:
    table = Table(wins=3).lay().turns(A, 1)
    table.read(A, 1, "rose")
    table.lay().bid(A, 1)
    table.read(A, 1, "back")
    table.see(ob.UndoRequested(at=table.at + SECOND))
    table.say(A, "bid", 1)
    table.say(B, "pass")
    table.say(C, "pass")
    table.read(A, 1, "rose")
    assert table.state.points[A] == 2


def test_rt41_a_place_stays_cleared_when_a_bid_is_brought_back() -> None:
    table = Table(wins=3).lay().turns(A, 1)
    table.read(A, 1, "rose")
    table.lay().bid(A, 1)
    table.see(ob.UndoRequested(at=table.at + SECOND))
    table.read(A, 1, "back")
    table.see(ob.UndoRequested(at=table.at + SECOND, redo=True))
    table.say(B, "pass")
    table.say(C, "pass")
    table.read(A, 1, "rose")
    assert table.state.points[A] == 2


def test_rt42_the_place_of_a_rose_that_was_told_is_known_though_a_naming_is_undone() -> None:
    table = Table(wins=3).lay(1, 1, 1).turns(A, 5)
    table.show("rose", "rose")
    table.say(A, "turn", B)
    table.show("rose")
    table.say(A, "turn", C)
    table.read(B, 1, "rose")
    table.see(ob.UndoRequested(at=table.at + SECOND))
    assert kinds(table.read(B, 2, "rose"))[0] == "CardTurned"
