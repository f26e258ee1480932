"""A table that plays Roses and Thorns, with everything that may be said and read at it."""

from __future__ import annotations

from typing import Any

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.core.events import Event, Infraction, kind_of
from companion.games.roses.rules import Roses
from companion.games.roses.rules.model import RosesOptions, RosesState
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee

RULES = Roses()
A, B, C, D = range(4)
FACES = {"rose": "flower:rose", "thorn": "flower:thorn", "back": "back:garden", "unread": ob.UNKNOWN}


class Table:
    """Chairs are seats."""

    def __init__(self, players: int = 3, *, begins: int | None = A, **options: Any) -> None:
        setup = Setup(tuple(range(players)), RosesOptions(**options))
        self.referee: Referee[RosesState] = Referee(
            RULES, MemoryJournal(make_header(RULES.name, setup, kind="simulation"))
        )
        self.at = 0
        if begins is not None:
            self.say(begins, "begin")

    @property
    def state(self) -> RosesState:
        return self.referee.state

    def see(self, seen: Any) -> tuple[Event, ...]:
        self.at += SECOND
        return self.referee.observe(seen).events

    def say(self, seat: int, verb: str, value: Any = None) -> tuple[Event, ...]:
        return self.see(ob.ActionDeclared(at=self.at + SECOND, action=Action(seat, verb, value)))

    def read(self, seat: int, place: int, face: str = "") -> tuple[Event, ...]:
        """The camera reads this place of a seat's bed; without a face nothing lies there."""
        name, faces = self.state.places_of(seat)[place - 1], (ob.SeenCard(FACES[face]),) if face else ()
        at = self.at + SECOND
        return self.see(ob.TableSeen(at=at, regions=(ob.RegionReading(name, faces, at - 2, at - 1),)))

    def lay(self, *more: int) -> Table:
        """Everybody lays the first card, and as many more in turn, as `more` says by seat."""
        for seat in self.state.waiting:
            self.say(seat, "lay")
        for _ in range(max(more, default=0)):
            for _ in self.state.holders:
                seat = self.state.seat
                if self.state.laid[seat] <= more[seat]:
                    self.say(seat, "add")
        return self

    def bid(self, seat: int, count: int) -> tuple[Event, ...]:
        """What the number led to."""
        raised = self.say(seat, "raise")
        return raised if self.state.bid == count else self.say(seat, "bid", count)

    def turns(self, seat: int, count: int) -> Table:
        """This seat, which is asked, bids, and everybody else passes."""
        self.bid(seat, count)
        while self.state.phase == "bid":
            self.say(self.state.seat, "pass")
        return self

    def show(self, *faces: str) -> tuple[Event, ...]:
        """The bidder says what is turned over, one after the other; what the last led to."""
        ruled: tuple[Event, ...] = ()
        for face in faces:
            ruled = self.say(self.state.bidder, "show", face)
        return ruled

    def declare(self, **values: int) -> tuple[Event, ...]:
        told = tuple((name.replace("_", ":"), value) for name, value in values.items())
        return self.see(ob.TableDeclared(at=self.at + SECOND, table=told))

    def asked(self) -> list[int]:
        return [prompt.chair for prompt in RULES.prompts(self.state)]

    def offered(self) -> set[str]:
        """What is asked; extra actions are left out."""
        return {action.verb for prompt in RULES.prompts(self.state) for action in prompt.actions}

    def values(self) -> list[Any]:
        """The values of what is asked."""
        return [action.value for prompt in RULES.prompts(self.state) for action in prompt.actions]


def rule_broken(events: tuple[Event, ...]) -> str:
    """The rule that was broken first."""
    assert isinstance(events[0], Infraction), events
    return events[0].rule


def kinds(events: tuple[Event, ...]) -> list[str]:
    return [kind_of(event) for event in events]
