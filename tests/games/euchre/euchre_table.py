"""A table that plays Euchre; seat 3, D, deals first and turns up the ten of hearts."""

from __future__ import annotations

from typing import Any

from companion.core import observations as ob
from companion.core.events import Event
from companion.games.euchre.rules import Euchre
from tests.games.hearts.hearts_table import TrickTable, card

RULES = Euchre()
NOBODY = ("pass",) * 4


class Table(TrickTable):
    """Euchre; `bids` are said in turn: a verb, or a suit."""

    rules = RULES

    def __init__(self, *bids: str, up: str = "♥10", alone: bool = False, **options: Any) -> None:
        super().__init__(**options)
        if not up:
            return
        self.say(self.state.dealer, "turn_up", card(up))
        for bid in bids:
            self.bid(bid)
        if self.phase == "loner":
            self.say(self.state.maker, "play_alone" if alone else "with_partner")
        if self.phase == "discard":
            self.say(self.state.dealer, "discarded")

    def bid(self, bid: str) -> tuple[Event, ...]:
        """Whoever is asked says it."""
        said = (bid, None) if bid in {"pass", "order"} else ("name", bid)
        return self.say(self.state.seat, *said)

    def declare(self, **told: int) -> tuple[Event, ...]:
        """`points_0=3`."""
        table = tuple((name.replace("_", ":"), value) for name, value in told.items())
        return self.see(ob.TableDeclared(at=self.at + 1, table=table))


OTHERS = {
    2: "♥9 ♠J ♠Q ♠K ♠A",
    3: "♥9 ♠Q ♠K ♣Q ♠A",
    4: "♥9 ♥10 ♠K ♠A ♣Q",
    5: "♥9 ♥10 ♠K ♠A ♣Q",
}
"""What D plays."""


def deal_taken(many: int, *, alone: bool = False) -> str:
    """A lawful deal in which A has made hearts trump and takes the first tricks with them, B the others."""
    mine = ["♥J", "♥A", "♥K", "♥Q", "♦J"][:many] + ["♣9", "♣10", "♣J"][: 5 - many]
    theirs = ["♠9", "♠10", "♠J", "♠Q", "♣A"][:many] + ["♣A", "♣K", "♣Q"][: 5 - many]
    idle = ["♦9", "♦10", "♦Q", "♦K", "♦A"]
    played = []
    for number, trick in enumerate(zip(mine, theirs, idle, OTHERS[many].split(), strict=True)):
        turns = (0, 1, 2, 3) if number <= many else (1, 2, 3, 0)
        played += [trick[seat] for seat in turns if not (alone and seat == 2)]
    return " ".join(played)
