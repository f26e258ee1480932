"""A table that plays Liar's Dice, and everything that may be said at it."""

from __future__ import annotations

from typing import Any

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup, pair_value
from companion.core.events import Event, Infraction, kind_of
from companion.games.liars_dice.rules import LiarsDice
from companion.games.liars_dice.rules.model import Bid, LiarsDiceOptions, LiarsDiceState
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee

RULES = LiarsDice()
A, B, C, D = range(4)


class Table:
    """Chairs are seats; `dice` and `starter` are declared where they differ from a new game."""

    def __init__(self, players: int = 3, *, begins: int | None = A, **options: Any) -> None:
        setup = Setup(tuple(range(players)), LiarsDiceOptions(**options))
        self.referee: Referee[LiarsDiceState] = Referee(
            RULES, MemoryJournal(make_header(RULES.name, setup, kind="simulation"))
        )
        self.at = 0
        if begins is not None:
            self.say(begins, "begin")

    @property
    def state(self) -> LiarsDiceState:
        return self.referee.state

    def see(self, seen: Any) -> tuple[Event, ...]:
        self.at += SECOND
        return self.referee.observe(seen).events

    def say(self, seat: int, verb: str, value: Any = None) -> tuple[Event, ...]:
        return self.see(ob.ActionDeclared(at=self.at + SECOND, action=Action(seat, verb, value)))

    def bid(self, seat: int, count: int, face: int) -> tuple[Event, ...]:
        return self.say(seat, "bid", pair_value(count, face))

    def tell(self, *counts: int) -> tuple[Event, ...]:
        """All who are asked tell, clockwise; what the last one led to."""
        ruled: tuple[Event, ...] = ()
        for seat, count in zip(self.state.waiting, counts, strict=True):
            ruled = self.say(seat, "tell", count)
        return ruled

    def declare(self, *dice: int, starter: int = A) -> tuple[Event, ...]:
        told = (("starter", starter), *((f"dice:{seat}", many) for seat, many in enumerate(dice)))
        return self.see(ob.TableDeclared(at=self.at + SECOND, table=told))

    def asked(self) -> list[int]:
        return [prompt.chair for prompt in RULES.prompts(self.state)]

    def offered(self) -> set[str]:
        return {action.verb for action in RULES.legal_actions(self.state)}

    def bids(self) -> set[Bid]:
        found = (one.parts for one in RULES.legal_actions(self.state) if one.verb == "bid")
        return {(int(count), int(face)) for count, face in found}


def rule_broken(events: tuple[Event, ...]) -> str:
    """The one rule that was broken, and nothing else."""
    (event,) = events
    assert isinstance(event, Infraction), event
    return event.rule


def kinds(events: tuple[Event, ...]) -> list[str]:
    return [kind_of(event) for event in events]
