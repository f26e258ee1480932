"""A table that plays Spades, and deals in which everybody takes so many tricks."""

from __future__ import annotations

from typing import Any

from companion.core import observations as ob
from companion.core.events import Event
from companion.games.kit.cards import RANKS
from companion.games.spades.rules import Spades
from tests.games.hearts.hearts_table import SEATS, TrickTable

RULES = Spades()


class Table(TrickTable):
    """Spades; `bids` in the order in which they are made."""

    rules = RULES

    def __init__(self, *bids: int, **options: Any) -> None:
        super().__init__(**options)
        self.bid(*bids)

    def bid(self, *bids: int) -> tuple[Event, ...]:
        """Whoever is asked bids so many; what the last bid led to."""
        ruled: tuple[Event, ...] = ()
        for tricks in bids:
            (seat,) = self.asked()
            ruled = self.say(seat, "bid", tricks)
        return ruled

    def declare(self, **told: int) -> tuple[Event, ...]:
        """`points_0=120`."""
        table = tuple((name.replace("_", ":"), value) for name, value in told.items())
        return self.see(ob.TableDeclared(at=self.at + 1, table=table))


def deal_taken(*taken: int, first: int = 0) -> str:
    """A lawful deal in which the seats take so many tricks, as it is played.

    Everybody follows suit in twelve tricks, three in each suit, and so the highest card is given to whom the
    trick is meant for. Whoever has most takes the ninth, having nothing but spades then, and the last.
    """
    most = max(SEATS, key=lambda seat: taken[seat])
    others = [seat for seat in SEATS for _ in range(taken[seat] - 2 * (seat == most))]
    takers = [*others[:8], most, *others[8:], most]
    left = dict(zip([*(seat for seat in SEATS if seat != most), most], ("♣2", "♦2", "♥2", "♠2"), strict=True))
    played, leader = [], first
    for number, taker in enumerate(takers):
        turns = [(leader + turn) % 4 for turn in SEATS]
        if number < 12:
            low = 1 + number % 3 * 4
            *small, high = (f"{'♣♦♥♠'[number // 3]}{rank}" for rank in RANKS[low : low + 4])
            played += [high if seat == taker else small.pop() for seat in turns]
        else:
            played += [left[seat] for seat in turns]
        leader = taker
    return " ".join(played)
