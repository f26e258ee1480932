"""The vectors LD1 to LD36 of docs/rules.md, section 11."""

from __future__ import annotations

import pytest

from companion.core.view import Sentence
from companion.games.liars_dice.players import matching
from companion.games.liars_dice.rules.model import BidJudged
from tests.games.liars_dice.dice_table import RULES, A, B, C, D, Table, kinds, rule_broken


def test_ld1_whoever_presses_begins() -> None:
    table = Table(begins=None)
    assert (table.asked(), table.offered()) == ([A, B, C], {"begin"})
    assert rule_broken(table.bid(A, 1, 1)) == "turn.not_now"
    table.say(C, "begin")
    assert (table.asked(), table.offered()) == ([C], {"bid"})
    assert table.bids() == {(count, face) for count in range(1, 16) for face in range(1, 7)}


def test_ld2_higher_is_more_dice_or_as_many_of_a_higher_face() -> None:
    table = Table()
    table.bid(A, 5, 3)
    assert table.asked() == [B]
    more = {(count, face) for count in range(6, 16) for face in range(1, 7)}
    assert table.bids() == {(5, 4), (5, 5), (5, 6), *more}
    for low in ((5, 3), (5, 2), (4, 6)):
        assert rule_broken(table.bid(B, *low)) == "bid.higher"
    assert table.asked() == [B]


def test_ld3_after_the_highest_bid_there_is_nothing_but_doubt() -> None:
    table = Table()
    table.bid(A, 15, 6)
    assert table.offered() == {"doubt"}
    assert rule_broken(table.bid(B, 16, 1)) == "bid.higher"


def test_ld4_another_is_refused() -> None:
    table = Table()
    table.bid(A, 5, 3)
    assert rule_broken(table.bid(C, 6, 3)) == "turn.not_yours"
    assert rule_broken(table.say(C, "doubt")) == "turn.not_yours"


@pytest.mark.parametrize(("told", "how", "loser"), [((2, 2, 1), "stands", B), ((2, 1, 1), "too_high", A)])
def test_ld5_ld6_ld7_a_doubt_is_settled_by_what_everybody_tells(
    told: tuple[int, ...], how: str, loser: int
) -> None:
    table = Table()
    table.bid(A, 5, 3)
    assert kinds(table.say(B, "doubt")) == ["BidDoubted"]
    assert (table.asked(), table.offered()) == ([A, B, C], {"tell"})
    last = table.tell(*told)
    assert kinds(last) == ["DiceTold", "BidJudged"]
    judged = last[-1]
    assert isinstance(judged, BidJudged)
    assert (judged.seat, judged.how, judged.count, judged.dice) == (loser, how, sum(told), 4)
    assert (table.state.round, sum(table.state.dice), table.asked()) == (2, 14, [loser])
    assert table.offered() == {"bid"}


def test_ld8_everybody_tells_once_and_no_more_than_they_have() -> None:
    table = Table()
    table.bid(A, 1, 3)
    table.say(B, "doubt")
    assert rule_broken(table.say(B, "tell", 6)) == "turn.not_now"
    table.say(B, "tell", 2)
    assert rule_broken(table.say(B, "tell", 2)) == "turn.not_now"
    assert table.asked() == [A, C]


def test_ld9_who_has_no_dice_is_out_and_the_next_begins() -> None:
    table = Table(players=4)
    table.declare(1, 2, 5, 5, starter=D)
    table.bid(D, 1, 6)
    table.say(A, "doubt")
    assert kinds(table.tell(0, 0, 1, 1)) == ["DiceTold", "BidJudged", "DiceGone"]
    assert (table.state.dice, table.asked()) == ((0, 2, 5, 5), [B])


def test_ld10_the_last_one_with_dice_has_won() -> None:
    table = Table(2, dice=1)
    table.bid(A, 1, 6)
    table.say(B, "doubt")
    assert kinds(table.tell(0, 0)) == ["DiceTold", "BidJudged", "DiceGone", "GameWon"]
    assert RULES.result(table.state) == ("last", (B,))
    assert table.asked() == []


def test_ld11_ld12_where_the_face_comes_first() -> None:
    table = Table(order="face")
    table.bid(A, 5, 3)
    higher = {(count, face) for count in range(1, 16) for face in (4, 5, 6)}
    assert table.bids() == {*((count, 3) for count in range(6, 16)), *higher}
    assert rule_broken(table.bid(B, 6, 2)) == "bid.higher"
    table.bid(B, 15, 6)
    assert table.offered() == {"doubt"}


DICE = ((1, 3, 3, 5), (1, 2, 6, 6))


@pytest.mark.parametrize(
    ("wild", "bid", "told"),
    [
        ("ones", (4, 3), (3, 1)),
        ("highest", (4, 3), (2, 2)),
        ("none", (4, 3), (2, 0)),
        ("ones", (3, 1), (1, 1)),
    ],
    ids=["LD13", "LD14", "LD14, none", "LD15"],
)
def test_ld13_to_ld15_which_dice_count(wild: str, bid: tuple[int, int], told: tuple[int, int]) -> None:
    table = Table(2, dice=4, wild=wild)
    assert tuple(matching(dice, bid[1], table.state.wild) for dice in DICE) == told
    table.bid(A, *bid)
    table.say(B, "doubt")
    table.tell(*told)
    stands = sum(told) >= bid[0]
    assert table.state.dice == ((4, 3) if stands else (3, 4))


def test_ld16_exactly_needs_a_bid_and_its_house_rule() -> None:
    table = Table(exact=True)
    assert rule_broken(table.say(A, "exact")) == "turn.not_now"
    table.bid(A, 4, 2)
    assert table.offered() == {"bid", "doubt", "exact"}
    plain = Table()
    plain.bid(A, 4, 2)
    assert rule_broken(plain.say(B, "exact")) == "turn.not_now"


@pytest.mark.parametrize(
    ("before", "told", "after", "begins"),
    [
        ((3, 2, 3), (2, 1, 1), (3, 3, 3), B),
        ((5, 5, 5), (2, 1, 1), (5, 5, 5), B),
        ((3, 2, 3), (1, 1, 1), (3, 1, 3), B),
        ((3, 2, 3), (3, 1, 1), (3, 1, 3), B),
        ((3, 1, 3), (1, 1, 1), (3, 0, 3), C),
    ],
    ids=["LD17", "LD18", "LD19, fewer", "LD19, more", "LD20"],
)
def test_ld17_to_ld20_exactly(
    before: tuple[int, ...], told: tuple[int, ...], after: tuple[int, ...], begins: int
) -> None:
    table = Table(exact=True)
    table.declare(*before, starter=C)  # else nothing would differ, and no round begin
    table.declare(*before, starter=A)
    table.bid(A, 4, 2)
    table.say(B, "exact")
    table.tell(*told)
    assert (table.state.dice, table.asked()) == (after, [begins])


@pytest.mark.parametrize(
    ("call", "told", "begins"), [("doubt", 0, B), ("doubt", 2, A), ("exact", 0, A), ("exact", 1, B)]
)
def test_ld21_ld22_where_the_winner_begins(call: str, told: int, begins: int) -> None:
    table = Table(exact=True, starter="winner")
    table.declare(1, 1, 1, starter=A)
    table.bid(A, 1, 2)
    table.say(B, call)
    table.tell(min(told, 1), max(0, told - 1), 0)
    assert table.asked() == [begins]
    assert table.state.dice[begins]


def plain() -> Table:
    """A has come down to a single die: LD23."""
    table = Table(plain_round=True)
    table.declare(2, 5, 5, starter=A)
    table.bid(A, 3, 4)
    table.say(B, "doubt")
    table.tell(0, 0, 0)
    return table


def test_ld23_ld24_ld26_a_plain_round_keeps_its_face_and_is_over() -> None:
    table = plain()
    assert table.state.is_plain
    table.bid(A, 2, 4)
    assert table.bids() == {(count, 4) for count in range(3, 12)}
    for other in ((2, 5), (3, 5)):
        assert rule_broken(table.bid(B, *other)) == "bid.higher"
    table.say(B, "doubt")
    table.tell(1, 0, 1)
    assert table.state.dice == (1, 4, 5)
    assert not table.state.is_plain


def test_ld25_nothing_is_wild_in_it() -> None:
    assert plain().state.wild == 0
    assert [matching(dice, 4, plain().state.wild) for dice in ((1, 4), (4, 5))] == [1, 1]


def test_ld27_to_ld29_no_plain_round_but_by_coming_down_to_one() -> None:
    single = Table(dice=1, plain_round=True)
    single.bid(A, 1, 4)
    single.say(B, "doubt")
    single.tell(0, 0, 0)
    assert (single.state.dice, single.state.is_plain) == ((0, 1, 1), False)
    back = Table(plain_round=True, exact=True)
    back.declare(5, 1, 5, starter=A)
    back.bid(A, 1, 4)
    back.say(B, "exact")
    back.tell(1, 0, 0)
    assert (back.state.dice, back.state.is_plain) == ((5, 2, 5), False)


def test_ld30_ld31_the_table_says_who_has_how_many_dice() -> None:
    table = Table()
    table.bid(A, 2, 2)
    table.say(B, "doubt")
    table.say(A, "tell", 1)
    table.declare(5, 3, 5, starter=C)
    assert (table.state.dice, table.asked(), table.state.standing) == ((5, 3, 5), [C], None)
    for dice, starter in (((5, 0, 0), A), ((5, 0, 5), B), ((6, 3, 5), A)):
        before = table.state
        assert rule_broken(table.declare(*dice, starter=starter)) == "repair.impossible"
        assert table.state == before


def test_ld32_ld33_whoever_is_out_is_passed_over() -> None:
    table = Table(4)
    table.declare(5, 1, 0, 5, starter=A)
    table.bid(A, 1, 2)
    table.say(B, "doubt")
    table.tell(1, 0, 0)
    assert table.asked() == [D]
    table.declare(5, 0, 0, 5, starter=A)
    table.bid(A, 1, 2)
    assert table.asked() == [D]


def test_ld34_eight_players_have_forty_dice() -> None:
    assert max(Table(8).bids()) == (40, 6)


def test_ld35_a_doubt_that_is_taken_back_asks_for_the_cups() -> None:
    table = Table()
    table.bid(A, 5, 3)
    table.say(B, "doubt")
    lifted = table.state
    table.referee.undo(table.at)
    assert (table.state.standing, table.asked()) == ((5, 3), [B])
    assert RULES.restore_instructions(lifted, table.state) == (Sentence("liars_dice.back.cups"),)


def test_ld36_a_number_that_is_taken_back_is_asked_again() -> None:
    table = Table()
    table.bid(A, 5, 3)
    table.say(B, "doubt")
    table.tell(2, 2, 1)
    judged = table.state
    table.referee.undo(table.at)
    assert (table.asked(), table.state.told) == ([C], (2, 2, -1))
    again = Sentence("liars_dice.back.dice", (("chair", B), ("count", 5)))
    assert RULES.restore_instructions(judged, table.state) == (again,)
