"""The vectors SP1 to SP34 of docs/rules.md, section 15."""

from __future__ import annotations

import pytest

from companion.core import observations as ob
from companion.core.events import Event, kind_of
from companion.core.observations import RegionReading, SeenCard
from companion.games.kit.cards import CARDS, FACES, VALUES
from companion.games.kit.trick_table import CardPlayed, CardTwice, RevokeProved
from companion.games.kit.tricks import lawful_cards
from tests.games.hearts.hearts_table import A, B, C, D, card, cards, kinds, rule_broken
from tests.games.spades.spades_table import RULES, Table, deal_taken

BIDS = (3, 3, 3, 3)


def scored(ruled: tuple[Event, ...]) -> list[tuple[int, int]]:
    """What each side gets, and its bags."""
    (found,) = (event for event in ruled if kind_of(event) == "DealScored")
    return list(zip(found.points, found.bags, strict=True))  # type: ignore[attr-defined]


def taken(ruled: tuple[Event, ...]) -> list[int]:
    """Who took the trick."""
    return [event.seat for event in ruled if kind_of(event) == "TrickTaken"]  # type: ignore[attr-defined]


def test_sp1_one_after_the_other_is_asked_for_one_of_fourteen_bids() -> None:
    table = Table()
    assert (table.asked(), table.offered()) == ([A], {"bid": 14})
    assert rule_broken(table.say(B, "bid", 3)).startswith("turn.")
    assert table.asked() == [A]


def test_sp2_partners_bid_at_most_thirteen_together() -> None:
    table = Table(4, 3)
    assert (table.asked(), table.offered()) == ([C], {"bid": 10})
    table.bid(2)
    assert rule_broken(table.say(D, "bid", 11))
    assert table.phase == "bid"
    table.bid(10)
    assert (table.phase, table.asked(), table.offered()) == ("play", [A], {"play": 52, "claim": 4})


@pytest.mark.parametrize(("deal", "first"), [(1, A), (2, B), (3, C), (4, D), (5, A)])
def test_sp3_who_bids_first_leads_and_it_goes_round(deal: int, first: int) -> None:
    table = Table()
    table.declare(deal=deal)
    assert table.asked() == [first]
    table.bid(*BIDS)
    assert table.asked() == [first]


def test_sp4_another_may_not_play() -> None:
    table = Table(*BIDS)
    assert rule_broken(table.play(B, "♣5")) == "turn.not_yours"
    assert table.asked() == [A]


@pytest.mark.parametrize(
    ("trick", "taker"), [("♦5 ♦K ♠2 ♦A", C), ("♦5 ♣A ♦7 ♥A", C), ("♠5 ♠K ♥A ♠2", B), ("♦5 ♠3 ♠2 ♦A", B)]
)
def test_sp5_to_sp7_the_highest_spade_or_the_highest_of_the_suit_led_takes_the_trick(
    trick: str, taker: int
) -> None:
    table = Table(*BIDS)
    assert taken(table.lay(trick)) == [taker]
    assert table.asked() == [taker]


def test_sp8_sp9_a_spade_led_before_they_are_broken() -> None:
    table = Table(*BIDS)
    assert kinds(table.lay("♠4 ♦5 ♦6 ♦7 ♣9"))[1:] == ["CheckAsked"] * 2
    assert table.checked() == [(A, card("♠4")), (A, card("♣9"))]
    table = Table(*BIDS, spade_leads="any")
    assert kinds(table.lay("♠4 ♠5 ♠6 ♠7 ♦A ♣9")) == ["CardPlayed"]


def test_sp10_a_spade_that_was_discarded_breaks_them() -> None:
    table = Table(*BIDS)
    assert kinds(table.lay("♦5 ♦6 ♠2 ♦7 ♠4 ♠5 ♠6 ♠7 ♥A ♣9"))[0] == "CardPlayed"
    assert table.phase == "play"


REVOKED = "♣2 ♦4 ♣5 ♣3 ♥2 ♥3 ♥4 ♥5 ♣9"
"""A leads, B follows no club in trick 1, and plays one in trick 3."""


def test_sp11_all_it_rests_on_is_looked_at_before_anybody_is_named() -> None:
    table = Table(*BIDS)
    table.lay(REVOKED)
    assert table.checked() == [(A, card("♣2")), (B, card("♦4")), (B, card("♣9"))]
    assert RevokeProved(B, 1, 3) in table.confirm()
    assert table.phase == "play"


@pytest.mark.parametrize(
    ("played", "hand", "lawful"),
    [
        ("", "♣5 ♠3", "♣5"),
        ("", "♠3 ♠4", "♠3 ♠4"),
        ("♦5 ♦6 ♠2 ♦7", "♣5 ♠3 ♥2", "♣5 ♠3 ♥2"),
        ("♥5", "♥2 ♠A", "♥2"),
        ("♥5", "♠A ♣3", "♠A ♣3"),
    ],
)
def test_sp12_sp13_what_may_be_played(played: str, hand: str, lawful: str) -> None:
    table = Table(*BIDS)
    table.lay(played)
    found = lawful_cards(table.state.rules, table.state.plays, cards(hand))
    assert sum(1 << one for one in found) == cards(lawful)


@pytest.mark.parametrize(
    ("bids", "took", "apart", "counts"),
    [
        pytest.param((4, 3), (4, 3), (70, 0), (70, 0), id="SP14 made"),
        pytest.param((4, 3), (5, 4), (72, 2), (72, 2), id="SP14 two over"),
        pytest.param((4, 3), (3, 3), (-70, 0), (-70, 0), id="SP14 one short"),
        pytest.param((0, 3), (0, 3), (130, 0), (130, 0), id="SP15 nil"),
        pytest.param((0, 3), (0, 5), (132, 2), (132, 2), id="SP15 nil and two over"),
        pytest.param((0, 2), (1, 1), (-120, 1), (-80, 0), id="SP16"),
        pytest.param((0, 2), (1, 2), (-80, 1), (-79, 1), id="SP17"),
        pytest.param((0, 0), (0, 4), (0, 4), (4, 4), id="SP18"),
    ],
)
def test_sp14_to_sp18_points_and_bags_of_a_side(
    bids: tuple[int, int], took: tuple[int, int], apart: tuple[int, int], counts: tuple[int, int]
) -> None:
    left = 13 - sum(took)
    for failed_nil, gets in (("apart", apart), ("counts", counts)):
        table = Table(bids[0], 1, bids[1], 1, failed_nil=failed_nil)
        ruled = table.lay(deal_taken(took[0], left, took[1], 0))
        assert scored(ruled) == [gets, (20 + left - 2, left - 2)]
        assert table.state.points == (gets[0], 20 + left - 2)


def test_sp19_ten_bags_cost_a_hundred() -> None:
    table = Table()
    table.declare(bags_0=8)
    table.bid(4, 3, 0, 3)
    assert scored(table.lay(deal_taken(7, 6, 0, 0)))[0] == (43 - 100 + 100, 1)
    table = Table(2, 3, 2, 3, bags="none")
    assert scored(table.lay(deal_taken(5, 3, 2, 3))) == [(43, 0), (60, 0)]
    table = Table()
    table.declare(bags_0=8)
    table.bid(2, 3, 2, 3)
    assert scored(table.lay(deal_taken(5, 3, 2, 3))) == [(-57, 1), (60, 0)]


def test_sp20_twenty_bags_are_two_times_ten() -> None:
    table = Table()
    table.declare(bags_0=9)
    table.bid(1, 1, 0, 0)
    assert scored(table.lay(deal_taken(1, 1, 11, 0)))[0] == (10 - 100 - 200, 0)


@pytest.mark.parametrize(
    ("had", "options", "winners"),
    [
        pytest.param((430, 420), {}, (A, C), id="SP21"),
        pytest.param((440, 460), {}, (B, D), id="SP22"),
        pytest.param((440, 450), {}, None, id="SP23"),
        pytest.param((429, 439), {}, None, id="SP24"),
        pytest.param((230, 0), {"target": 300}, (A, C), id="SP26"),
        pytest.param((229, 0), {"target": 300}, None, id="SP26 before"),
        pytest.param((180, 0), {"target": 250}, (A, C), id="250"),
    ],
)
def test_sp21_to_sp26_the_end(
    had: tuple[int, int], options: dict[str, object], winners: tuple[int, int] | None
) -> None:
    """Side 0 gets 70, side 1 gets 60."""
    check_end(had, (4, 3, 3, 3), (4, 3, 3, 3), options, winners)


@pytest.mark.parametrize(("floor", "winners"), [("200", (B, D)), ("none", None)])
def test_sp25_two_hundred_below(floor: str, winners: tuple[int, int] | None) -> None:
    """Side 0 loses 70, side 1 gets 61."""
    check_end((-130, -21), (4, 3, 3, 3), (3, 4, 3, 3), {"floor": floor}, winners)
    check_end((-129, -21), (4, 3, 3, 3), (3, 4, 3, 3), {"floor": floor}, None)


def check_end(
    had: tuple[int, int],
    bids: tuple[int, ...],
    took: tuple[int, ...],
    options: dict[str, object],
    winners: tuple[int, int] | None,
) -> None:
    table = Table(**options)
    table.declare(points_0=had[0], points_1=had[1])
    table.bid(*bids)
    won = [event.seats for event in table.lay(deal_taken(*took)) if kind_of(event) == "GameWon"]  # type: ignore[attr-defined]
    assert won == ([] if winners is None else [winners])
    outcome = RULES.outcome(table.state)
    assert (outcome and outcome.winners) == winners
    if winners is None:
        assert (table.state.deal, table.phase, table.asked()) == (2, "bid", [B])


def test_sp27_the_deal_is_void_and_bid_again() -> None:
    table = Table(*BIDS, revoke="again")
    table.lay(REVOKED)
    assert kinds(table.confirm())[-2:] == ["RevokeProved", "DealVoided"]
    assert (table.phase, table.state.deal, table.asked()) == ("bid", 1, [A])
    assert (table.state.points, table.offered()) == ((0, 0), {"bid": 14})


def test_sp28_a_card_that_lies_there_while_people_bid_is_played_with_the_fourth_bid() -> None:
    table = Table(3, 3, 3)
    lies = RegionReading(f"seat_card:{A}", (SeenCard(FACES[CARDS[card("♦5")]]),), 0, 0)
    assert "CardPlayed" not in kinds(table.see(ob.TableSeen(at=table.at + 1, regions=(lies,))))
    assert CardPlayed(A, card("♦5")) in table.bid(3)


def test_sp29_a_card_that_was_told_changes_nothing() -> None:
    table = Table(*BIDS)
    table.lay("♦5 ♦6")
    assert table.play(C, "♦5") == (CardTwice(C, card("♦5"), 1),)
    assert (table.asked(), table.offered(), len(table.state.plays)) == ([C], {"play": 52, "claim": 4}, 2)


def test_sp30_an_undo_takes_the_fourth_bid_back() -> None:
    table = Table(*BIDS)
    assert table.referee.undo(table.at) is not None
    assert (table.phase, table.asked(), table.offered()) == ("bid", [D], {"bid": 11})


def test_sp31_sp32_the_table_is_put_right() -> None:
    for played in ("♦5", REVOKED):
        table = Table(*BIDS)
        table.lay(played)
        told = {"points_0": 120, "points_1": -30, "bags_0": 3, "bags_1": 0, "deal": 3}
        assert kinds(table.declare(**told)) == ["Repaired"]
        assert (table.phase, table.asked(), table.offered()) == ("bid", [C], {"bid": 14})
        assert (table.state.points, table.state.bags, table.state.deal) == ((120, -30), (3, 0), 3)
        assert table.declare(**told) == ()
    for wrong in ({"points_0": 500}, {"points_0": -1000}, {"bags_0": 10}, {"points_2": 0}, {"deal": 41}):
        table = Table(*BIDS)
        assert rule_broken(table.declare(**wrong)) == "repair.impossible"
        assert table.phase == "play"


def test_sp33_in_another_phase_it_is_refused() -> None:
    table = Table(*BIDS)
    for verb, value in (("right", None), ("bid", 3), ("was", card("♦5"))):
        assert rule_broken(table.say(A, verb, value)) == "turn.not_now"
    assert rule_broken(Table(3).play(A, "♦5")) == "turn.not_now"


def test_sp34_the_choice_is_always_the_whole_deck() -> None:
    """A followed no diamond in trick 1."""
    table = Table(*BIDS)
    table.declare(deal=4)
    table.bid(*BIDS)
    table.lay("♦9 ♣9 ♦6 ♦7 ♦2")
    offered = {action.value for action in RULES.legal_actions(table.state) if action.verb == "play"}
    assert (table.asked(), offered) == ([A], {*VALUES})


def test_sp35_who_claims_takes_all_other_tricks_if_the_others_agree() -> None:
    table = Table(*BIDS)
    table.lay("♦A ♦5 ♦6 ♦7")
    assert kinds(table.say(A, "claim")) == ["RestClaimed"]
    assert (table.phase, table.asked(), table.offered()) == ("claim", [B, C, D], {"agree": 3, "play_on": 3})
    table.say(B, "play_on")
    assert (table.phase, table.asked()) == ("play", [A])
    table.say(A, "claim")
    assert kinds([table.say(seat, "agree") for seat in (B, C, D)][-1])[-1] == "DealScored"
    side = sum(BIDS[::2])
    assert (table.state.points[0], table.state.bags[0]) == (10 * side + 13 - side, 13 - side)
