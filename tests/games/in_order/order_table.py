"""A table that plays In Order, and everything that may be said at it."""

from __future__ import annotations

from typing import Any

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup, pair_value
from companion.core.events import Event, Infraction, kind_of
from companion.core.observations import UNKNOWN, RegionReading, SeenCard
from companion.games.in_order.rules import InOrder
from companion.games.in_order.rules.model import HEAP, HeapSeen, InOrderOptions, InOrderState, row_of
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee

RULES = InOrder()
A, B, C, D = range(4)
MS = SECOND // 1000


class Table:
    """Chairs are seats; every level begins at once, as all are ready, unless `begun` is false."""

    def __init__(self, players: int = 3, *, level: int = 1, begun: bool = True, **options: Any) -> None:
        setup = Setup(tuple(range(players)), InOrderOptions(**options))
        self.referee: Referee[InOrderState] = Referee(
            RULES, MemoryJournal(make_header(RULES.name, setup, kind="simulation"))
        )
        self.at = 0
        if level > 1:
            self.declare(level=level)
        if begun:
            self.ready()

    @property
    def state(self) -> InOrderState:
        return self.referee.state

    def see(self, seen: Any) -> tuple[Event, ...]:
        return self.referee.observe(seen).events

    def say(self, seat: int, verb: str, value: Any = None, *, after: int = SECOND) -> tuple[Event, ...]:
        self.at += after
        return self.see(ob.ActionDeclared(at=self.at, action=Action(seat, verb, value)))

    def press(
        self, seat: int, after: int = SECOND, source: str = "gpio", since: int | None = None
    ) -> tuple[Event, ...]:
        """`after` and `since` are counted from what was seen last."""
        since = None if since is None else self.at + since
        self.at += after
        return self.see(ob.ButtonPressed(at=self.at, chair=seat, source=source, since=since))

    def tell(self, seat: int, number: int) -> tuple[Event, ...]:
        return self.say(seat, "number", pair_value(row_of(number), number))

    def lay(self, seat: int, number: int) -> tuple[Event, ...]:
        """Press, and tell the number; what that led to."""
        self.press(seat)
        return self.tell(seat, number)

    def read(self, *faces: str) -> tuple[Event, ...]:
        """The camera reads the heap: numbers, lowest first, or none; what that led to."""
        self.at += SECOND
        cards = tuple(SeenCard(face if face == UNKNOWN else f"order:{face}") for face in faces)
        ruled = self.see(ob.TableSeen(at=self.at, regions=(RegionReading(HEAP, cards, 0, 0),)))
        return tuple(event for event in ruled if not isinstance(event, HeapSeen))

    def ready(self) -> tuple[Event, ...]:
        return [self.say(seat, "ready") for seat in self.state.waiting][-1]

    def declare(self, **table: int) -> tuple[Event, ...]:
        self.at += SECOND
        return self.see(ob.TableDeclared(at=self.at, table=tuple(table.items())))

    def offered(self) -> dict[int, set[str]]:
        """The verbs that each who is asked may say."""
        return {
            prompt.chair: {action.verb for action in prompt.actions} for prompt in RULES.prompts(self.state)
        }

    def values(self, seat: int) -> list[Any]:
        return [
            action.parts[-1]
            for prompt in RULES.prompts(self.state)
            for action in prompt.actions
            if prompt.chair == seat
        ]


def rule_broken(events: tuple[Event, ...]) -> str:
    """The one rule that was broken, and nothing else."""
    (event,) = events
    assert isinstance(event, Infraction), event
    return event.rule


def kinds(events: tuple[Event, ...]) -> list[str]:
    return [kind_of(event) for event in events]


def how(events: tuple[Event, ...]) -> str:
    """How a press or a number came in: the first of what it led to."""
    return str(getattr(events[0], "how", ""))
