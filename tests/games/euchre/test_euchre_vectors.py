"""The vectors EU1 to EU30 of docs/rules.md, section 16."""

from __future__ import annotations

import pytest

from companion.core import observations as ob
from companion.core.events import Event, kind_of
from companion.core.observations import RegionReading, SeenCard
from companion.games import RULES
from companion.games.euchre.rules.model import PlaysAlone
from companion.games.kit.cards import CARDS, FACES, VALUES
from companion.games.kit.trick_table import CardPlayed, CardsDisagree, RevokeProved
from companion.games.kit.tricks import Play, lawful_cards
from tests.games.euchre.euchre_table import NOBODY, Table, deal_taken
from tests.games.hearts.hearts_table import A, B, C, D, card, cards, kinds, rule_broken

REVOKED = "♥A ♣9 ♥9 ♥K ♦A ♦J"
"""B has not followed ♥A, and plays the left bower."""


def with_hearts(*, alone: bool = False) -> Table:
    """A has ordered the ten of hearts up."""
    return Table("order", alone=alone)


def taken_after(table: Table, short: str) -> list[int]:
    """Who takes the trick that these cards make."""
    found = table.lay(short)
    return [event.seat for event in found if kind_of(event) == "TrickTaken"]  # type: ignore[attr-defined]


def scored(ruled: tuple[Event, ...]) -> tuple[int, ...]:
    (found,) = (event.points for event in ruled if kind_of(event) == "DealScored")  # type: ignore[attr-defined]
    return tuple(found)


def lawful(table: Table, hand: str) -> set[str]:
    found = lawful_cards(table.state.rules, table.state.plays, cards(hand))
    return {VALUES[one] for one in found}


def reading(seat: int, short: str) -> ob.TableSeen:
    lies = RegionReading(f"seat_card:{seat}", (SeenCard(FACES[CARDS[card(short)]]),), 0, 0)
    return ob.TableSeen(at=1, regions=(lies,))


def test_eu1_the_dealer_turns_a_card_up() -> None:
    table = Table(up="")
    assert (table.asked(), table.offered()) == ([D], {"turn_up": 24})
    assert rule_broken(table.say(A, "turn_up", card("♥10"))) == "turn.not_yours"
    assert rule_broken(table.say(D, "turn_up", card("♥8")))
    assert table.phase == "turn_up"


def test_eu2_the_one_left_of_the_dealer_bids_first() -> None:
    table = Table()
    assert (table.asked(), table.offered()) == ([A], {"pass": 1, "order": 1})
    assert rule_broken(table.say(B, "order")) == "turn.not_yours"


def test_eu3_who_orders_the_card_up_makes_its_suit_trump_and_the_dealer_discards() -> None:
    table = Table()
    table.bid("pass")
    assert kinds(table.bid("order")) == ["TrumpMade"]
    assert (table.state.trump, table.asked()) == ("hearts", [B])
    assert table.offered() == {"with_partner": 1, "play_alone": 1}
    table.say(B, "with_partner")
    assert (table.asked(), table.offered()) == ([D], {"discarded": 1})
    table.say(D, "discarded")
    assert (table.phase, table.asked()) == ("play", [A])


def test_eu4_the_dealer_picks_it_up() -> None:
    table = Table("pass", "pass", "pass")
    assert table.asked() == [D]
    table.bid("order")
    assert table.asked() == [D]
    table.say(D, "with_partner")
    table.say(D, "discarded")
    assert table.asked() == [A]


def test_eu5_eu6_a_suit_is_named_in_the_second_round_and_the_dealer_is_stuck() -> None:
    for stick, passes in ((True, {}), (False, {"pass": 1})):
        table = Table(*NOBODY, stick_the_dealer=stick)
        assert (table.asked(), table.offered()) == ([A], {"pass": 1, "name": 3})
        assert rule_broken(table.bid("hearts"))
        for _ in range(3):
            table.bid("pass")
        assert (table.asked(), table.offered()) == ([D], {"name": 3, **passes})


def test_eu7_a_deal_without_trump_is_thrown_in() -> None:
    table = Table(*NOBODY, *NOBODY[1:], stick_the_dealer=False)
    assert kinds(table.bid("pass")) == ["Passed", "DealPassed"]
    assert (table.phase, table.state.deal, table.asked()) == ("turn_up", 2, [A])


def test_eu8_the_dealers_partner_who_orders_it_up_plays_alone() -> None:
    table = Table("pass", partner_orders="alone")
    assert table.bid("order")[1:] == (PlaysAlone(B),)
    assert (table.phase, table.state.sits_out) == ("play", D)
    other = Table(partner_orders="alone")
    other.bid("order")
    assert (other.phase, other.asked()) == ("loner", [A])


def test_eu9_eu10_bowers_are_the_highest_trumps() -> None:
    assert taken_after(with_hearts(), "♥A ♦J ♥J ♥9") == [C]
    assert taken_after(with_hearts(), "♥A ♦J ♥K ♥9") == [B]
    assert taken_after(with_hearts(), "♦A ♦J ♦K ♦9") == [B]
    assert taken_after(with_hearts(), "♦A ♣J ♦K ♠A") == [A]


def test_eu11_eu12_eu13_the_left_bower_follows_trumps_and_not_the_suit_that_it_shows() -> None:
    table = with_hearts()
    table.lay("♦A")
    assert lawful(table, "♦J ♦9") == {card("♦9")}
    assert lawful(table, "♦J ♣9") == {card("♦J"), card("♣9")}
    table = with_hearts()
    table.lay("♥A")
    assert lawful(table, "♦J ♣9") == {card("♦J")}
    for led, found in (("♦A", {card("♥J"), card("♠J")}), ("♣A", {card("♠J")})):
        table = Table(*NOBODY, "clubs")
        table.lay(led)
        assert lawful(table, "♠J ♥J") == found


def test_a_left_bower_that_was_led_is_told_to_count_as_trump() -> None:
    for led, said in (("♦J", "hearts.bower"), ("♥J", "hearts"), ("♦A", "diamonds")):
        table = with_hearts()
        table.lay(led)
        assert RULES["euchre"].view(table.state).headline.key == f"euchre.phase.follow.{said}"


def test_eu14_a_left_bower_proves_a_revoke() -> None:
    table = with_hearts()
    assert kinds(table.lay(REVOKED))[:2] == ["CardPlayed", "CheckAsked"]
    assert table.confirm()[-1] == RevokeProved(B, 1, 2)


def test_eu15_a_left_bower_is_no_card_of_the_suit_that_it_shows() -> None:
    table = with_hearts()
    table.lay("♦A ♣9 ♦9 ♦10")
    assert kinds(table.lay("♥A ♦J")) == ["CardPlayed"]


def test_eu16_who_sits_out_is_passed_over() -> None:
    table = Table("pass", "pass", "order", alone=True)
    assert (table.state.sits_out, table.asked()) == (A, [B])
    assert taken_after(table, "♦A ♥A ♦K") == [C]
    assert table.asked() == [C]
    assert table.offered() == {"play": 23, "claim": 3}


def test_eu17_a_dealer_who_sits_out_takes_nothing() -> None:
    table = Table("pass", "order", alone=True)
    assert (table.phase, table.state.sits_out, table.asked()) == ("play", D, [A])
    for seat in (A, B, C):
        assert rule_broken(table.play(seat, "♥10"))


@pytest.mark.parametrize(("tricks", "points"), [(3, (1, 0)), (4, (1, 0)), (5, (2, 0)), (2, (0, 2))])
def test_eu18_what_tricks_are_worth(tricks: int, points: tuple[int, int]) -> None:
    assert scored(with_hearts().lay(deal_taken(tricks))) == points


@pytest.mark.parametrize(("tricks", "points"), [(5, (4, 0)), (4, (1, 0)), (2, (0, 2))])
def test_eu19_what_tricks_are_worth_alone(tricks: int, points: tuple[int, int]) -> None:
    assert scored(with_hearts(alone=True).lay(deal_taken(tricks, alone=True))) == points


@pytest.mark.parametrize(("target", "had"), [(10, 9), (5, 4)])
def test_eu20_enough_points_win(target: int, had: int) -> None:
    table = Table(up="", target=target)
    table.declare(points_0=had)
    table.say(D, "turn_up", card("♥10"))
    table.bid("order")
    table.say(A, "with_partner")
    table.say(D, "discarded")
    assert kinds(table.lay(deal_taken(3)))[-2:] == ["DealScored", "GameWon"]
    assert table.rules.outcome(table.state).winners == (A, C)
    said = [token.kind for one in table.rules.view(table.state).chairs for token in one.tokens]
    assert "dealer" not in said, "nobody deals any more, and the points have the room"


def test_eu21_nobody_is_offered_a_card_that_everybody_knows_they_cannot_have() -> None:
    table, offered = with_hearts(), []
    for short in ("♣9", "♣10", "♣Q", "♣K"):
        offered.append(table.offered()["play"])
        table.lay(short)
    assert offered == [23, 23, 23, 24]
    assert Table(*NOBODY, "clubs").offered()["play"] == 23


def test_eu22_what_the_dealer_has_discarded_proves_nothing() -> None:
    """D follows no spade; all others are played, and the ten is not."""
    table = with_hearts()
    assert "DealScored" in kinds(table.lay("♠9 ♠J ♠A ♣9 ♠K ♦9 ♦10 ♦Q ♠Q ♦K ♦A ♣10 ♣A ♣J ♣Q ♣K ♥A ♥10 ♥9 ♥K"))


def test_eu23_a_proved_revoke_may_void_the_deal() -> None:
    table = Table("order", revoke="again")
    table.lay(REVOKED)
    assert kinds(table.confirm())[-2:] == ["RevokeProved", "DealVoided"]
    assert (table.phase, table.state.deal, table.asked()) == ("turn_up", 1, [D])
    assert table.state.points == (0, 0)


def test_eu24_who_claims_takes_all_other_tricks() -> None:
    table = with_hearts()
    table.lay("♥J ♣9 ♣10 ♥9 ♥A ♣J ♣Q ♣K")
    table.say(A, "claim")
    assert (table.phase, table.asked()) == ("claim", [B, C, D])
    assert scored([table.say(seat, "agree") for seat in (B, C, D)][-1]) == (2, 0)


def test_eu25_an_undo_takes_the_discard_back() -> None:
    table = with_hearts()
    table.referee.undo(table.at)
    assert (table.phase, table.asked()) == ("discard", [D])


def test_eu26_the_table_is_put_right() -> None:
    for played in ("♥A", REVOKED):
        table = with_hearts()
        table.lay(played)
        assert kinds(table.declare(points_0=3, points_1=4, deal=2)) == ["Repaired"]
        assert (table.phase, table.asked(), table.state.points) == ("turn_up", [A], (3, 4))
        assert table.declare(points_0=3) == ()
    for wrong in ({"points_0": 10}, {"points_0": -1}, {"points_2": 0}, {"deal": 100}):
        assert rule_broken(with_hearts().declare(**wrong)) == "repair.impossible"


def test_eu27_the_camera_reads_the_card_that_is_turned_up_and_no_other() -> None:
    table = Table(up="")
    assert "UpcardTurned" not in kinds(table.see(reading(D, "♥2")))
    assert "UpcardTurned" not in kinds(table.see(reading(A, "♥9")))
    assert "UpcardTurned" in kinds(table.see(reading(D, "♥10")))
    table.see(ob.ProgramRestarted(at=table.at))
    table.see(reading(A, "♥9"))
    table.see(reading(D, "♥10"))
    table.bid("order")
    table.say(A, "with_partner")
    assert CardPlayed(A, card("♥9")) in table.say(D, "discarded")
    table.lay("♣9 ♣10")
    assert (table.asked(), len(table.state.plays)) == ([D], 3)


def test_eu28_cards_may_disagree_before_anybody_conflicts() -> None:
    table = Table(*NOBODY, "hearts", up="♣10")
    table.lay("♥A ♠9 ♠10 ♠J ♦A ♦9 ♦10 ♦Q")
    assert table.lay("♦K")[-1] == CardsDisagree(5)
    assert table.lay("♣9 ♣J ♣Q")[-1] != CardsDisagree(5)


def is_undecided(played: str) -> bool:
    """Whether that is told once all agree that A takes the rest after these cards."""
    table = with_hearts()
    table.lay(played)
    table.say(A, "claim")
    return "RevokesUndecided" in kinds([table.say(seat, "agree") for seat in (B, C, D)][-1])


def test_eu29_a_card_that_a_hand_cannot_have_leaves_nothing_undecided() -> None:
    assert not is_undecided("♥A ♣9 ♥9 ♥Q ♥J ♣10 ♦J ♥K")
    assert is_undecided("♥A ♣9 ♥9 ♥Q ♥J ♣10 ♦J ♠9")


def test_eu30_a_hand_without_cards_leaves_nothing_undecided() -> None:
    played = "♠9 ♠A ♠10 ♠J ♦9 ♦10 ♦Q ♥A ♥K ♥9 ♥Q ♥10 ♣A ♣9 ♣10 ♣J"
    assert is_undecided(played)
    assert not is_undecided(f"{played} ♥J")


def test_nobody_plays_a_card_that_was_turned_down() -> None:
    table = Table(*NOBODY, "clubs")
    assert rule_broken(table.play(A, "♥10"))
    assert table.state.plays == ()
    table.play(A, "♥9")
    assert table.state.plays == (Play(A, CARDS[card("♥9")]),)
