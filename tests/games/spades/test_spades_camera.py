"""What a card that the camera read means: while people bid, and where Spades differs from Hearts."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.events import Event, Infraction
from companion.core.observations import RegionReading, SeenCard
from companion.games.kit.cards import CARDS, FACES, RANKS
from companion.games.kit.trick_camera import CardUnread, PlaceSeen, TrickSwept
from companion.games.kit.trick_table import CardPlayed, CardTwice
from tests.games.hearts.hearts_table import SEATS, A, B, C, D, card, kinds
from tests.games.spades.spades_table import Table, deal_taken


def reading(seat: int, *shorts: str) -> RegionReading:
    """`?` is a card that nobody could read."""
    faces = (ob.UNKNOWN if short == "?" else FACES[CARDS[card(short)]] for short in shorts)
    return RegionReading(f"seat_card:{seat}", tuple(map(SeenCard, faces)), 0, 0)


def seen(table: Table, *regions: RegionReading) -> list[Event]:
    """What is ruled, without the bookkeeping."""
    ruled = table.see(ob.TableSeen(at=table.at + 1, regions=regions))
    return [event for event in ruled if not isinstance(event, PlaceSeen)]


def lies(table: Table, seat: int, *shorts: str) -> list[Event]:
    return seen(table, reading(seat, *shorts))


def played(table: Table) -> list[int]:
    """Who has played, in order."""
    return [play.seat for play in table.state.plays]


def undo(table: Table) -> None:
    table.see(ob.UndoRequested(at=table.at + 1))


def test_cards_that_lie_there_while_people_bid_are_played_in_turn_after_the_fourth_bid() -> None:
    table = Table(3, 3)
    assert lies(table, B, "♦6") == lies(table, A, "♦5") == lies(table, D, "♦8") == []
    table.bid(3)
    ruled = table.bid(3)
    assert ruled[1:] == (CardPlayed(A, card("♦5")), CardPlayed(B, card("♦6")))
    assert table.asked() == [C]
    assert lies(table, C, "♠2")[:2] == [CardPlayed(C, card("♠2")), CardPlayed(D, card("♦8"))]
    assert table.asked() == [C]


def test_in_the_second_deal_it_is_the_second_seat_that_leads() -> None:
    table = Table()
    table.declare(deal=2)
    lies(table, A, "♦5")
    table.bid(3, 3, 3, 3)
    assert played(table) == []
    lies(table, B, "♦6")
    assert played(table) == [B]


def test_a_card_that_was_taken_up_again_before_the_fourth_bid_is_not_played() -> None:
    table = Table(3, 3, 3)
    lies(table, A, "♦5")
    lies(table, A)
    table.bid(3)
    assert played(table) == []


@pytest.mark.parametrize("gone", [ob.CameraLost, ob.ProgramRestarted])
def test_a_card_that_lay_there_is_read_again_once_somebody_sees_the_table(gone: type[Any]) -> None:
    table = Table(3, 3, 3)
    lies(table, A, "♦5")
    table.see(gone(at=table.at + 1))
    table.bid(3)
    assert played(table) == []
    assert lies(table, A, "♦5") == [CardPlayed(A, card("♦5"))]


@pytest.mark.parametrize("up", [False, True])
def test_a_card_that_was_played_by_the_fourth_bid_is_read_again_once_that_is_taken_back(*, up: bool) -> None:
    table = Table(3, 3, 3)
    lies(table, A, "♦5")
    table.bid(3)
    assert played(table) == [A]
    undo(table)
    assert table.asked() == [D]
    if up:
        lies(table, A)
    table.bid(4)
    assert played(table) == []
    assert lies(table, A, "♦5") == [CardPlayed(A, card("♦5"))]


def test_two_cards_of_one_player_are_refused_while_people_bid_and_neither_is_played() -> None:
    table = Table(3, 3, 3)
    assert lies(table, A, "♦5", "♦6") == [Infraction("card.two", A)]
    table.bid(3)
    assert played(table) == []


def test_an_unreadable_card_is_asked_about_only_of_the_one_in_turn_to_play() -> None:
    table = Table(3, 3)
    assert lies(table, A, "?") == lies(table, C, "?") == []
    table.bid(3, 3)
    lies(table, A)
    assert lies(table, A, "?") == [CardUnread(A)]
    table.play(A, "♦5")
    assert table.asked() == [B]


@pytest.mark.parametrize("again", [False, True])
def test_cards_of_the_last_trick_are_none_of_the_next_deal(*, again: bool) -> None:
    """`again`: they are swept away one by one."""
    table = Table(3, 3, 3, 3)
    *before, first, second, third, last = deal_taken(4, 3, 3, 3).split()
    table.lay(" ".join(before))
    for short in (first, second, third, last):
        lies(table, table.state.seat, short)
    assert table.state.deal == 2
    for seat in (C, A) if again else ():
        assert lies(table, seat) == []
    table.bid(3, 3, 3, 3)
    assert played(table) == []


@pytest.mark.parametrize("gone", [ob.CameraLost, ob.ProgramRestarted])
def test_the_last_trick_that_is_read_again_is_still_of_the_deal_before(gone: type[Any]) -> None:
    table = Table(3, 3, 3, 3)
    *before, first, second, third, last = deal_taken(4, 3, 3, 3).split()
    table.lay(" ".join(before))
    places = [(table.state.seat + turn) % 4 for turn in SEATS]
    whole = list(map(reading, places, (first, second, third, last)))
    seen(table, *whole)
    assert table.state.deal == 2
    table.see(gone(at=table.at + 1))
    assert seen(table, *whole) == []
    table.bid(3, 3, 3, 3)
    assert played(table) == []


def test_in_play_a_told_card_an_exchanged_card_and_a_swept_trick_are_as_in_hearts() -> None:
    table = Table(3, 3, 3, 3)
    lies(table, A, "♦5")
    assert lies(table, B, "♦5") == [CardTwice(B, card("♦5"), 1)]
    assert lies(table, B, "♦6") == [CardPlayed(B, card("♦6"))]
    assert lies(table, A, "♣9") == [Infraction("card.changed", A)]
    assert seen(table, *map(reading, SEATS)) == [TrickSwept(C)]
    table.play(C, "♠2")
    table.play(D, "♦7")
    assert table.asked() == [C]


def test_the_next_lead_comes_before_the_trick_is_cleared() -> None:
    table = Table(3, 3, 3, 3)
    for seat, short in zip(SEATS, ("♦5", "♠3", "♦K", "♠2"), strict=True):
        lies(table, seat, short)
    assert lies(table, B, "♥9") == [CardPlayed(B, card("♥9"))]
    assert lies(table, C, "♥4") == [CardPlayed(C, card("♥4"))]
    assert played(table) == [A, B, C, D, B, C]


def test_a_spade_that_lay_early_is_read_as_the_trump_that_it_is() -> None:
    table = Table(3, 3, 3, 3)
    lies(table, D, "♠2")
    for seat, rank in zip((A, B, C), RANKS, strict=False):
        lies(table, seat, f"♦{rank}")
    assert (played(table), table.asked()) == ([A, B, C, D], [D])
    assert "CheckAsked" not in kinds(table.play(D, "♠3"))
