"""Simulated players at a table: fingers on buttons, hands over the mat, cards that are moved.

They know only what is announced; what they do next is decided by their `World`. Pressing and touching are
passed in as callables, so that the same players press mock pins in a demo and anything else in a test. They
react to a ruling, and move their cards, when it is announced, not when it is judged.
"""

import heapq
from collections import deque
from collections.abc import Callable, Hashable
from copy import deepcopy
from itertools import count
from random import Random
from typing import Any

from msgspec import Struct

from companion.core.actions import HOLD, SECOND, Action, Chair, Micros
from companion.core.events import Event
from companion.core.rules import Rules
from companion.games.kit.world import Arrange, Choose, Deed, PressRaw, World
from companion.referee.loop import Announced

TAP: Micros = 110_000
"""Length of a tap."""
GAP: Micros = 160_000
"""Time between two taps while stepping through choices."""
LONG: Micros = HOLD + 120_000
"""Length of a hold."""
REACH: Micros = 450_000
"""How long a hand is over a place before and after it moves cards."""

RESTLESS: Micros = 30 * SECOND
"""After so long without any action, players look at the table again, as something went wrong."""

REMEMBERED = 60
"""Number of rulings that can be undone."""

Press = Callable[[Chair, Micros, Micros], None]
"""Presses a chair's button: chair, instant, duration."""
Say = Callable[[Chair, Action], None]
"""Chooses an action on the screen."""


class Hand(Struct, frozen=True):
    """A hand over a region."""

    chair: Chair
    place: str
    since: Micros
    until: Micros


class People:
    """All simulated players, acting in game time."""

    def __init__(self, rules: Rules[Any], world: World[Any], state: Any, *, press: Press, say: Say) -> None:
        self.world = world
        self.state = state
        """The state after the last announced ruling, by which everybody decides."""
        self.seized: set[Chair] = set()
        """Chairs played by real people; their cards are still moved automatically."""
        self.meant: Callable[[Choose | PressRaw], object] = _nothing
        """Told what somebody would have done whose chair is played by a real person."""
        self.hands: tuple[Hand, ...] = ()
        self.changes = 0
        """Number of moves so far, which identifies a picture of the table."""
        self._rules = rules
        self._press = press
        self._say = say
        self._past: deque[tuple[int, dict[str, Any]]] = deque([(-1, _truth(world))], maxlen=REMEMBERED)
        """The world after each of the last entries."""
        self._moment: Hashable = None
        self._due: list[tuple[Micros, int, int, Deed]] = []
        self._order = count()
        self._plan = 0
        self._busy: Micros = 0
        """When anybody last acted or planned an action."""

    def think(self, at: Micros) -> None:
        """Plan new actions if the situation has changed, or after a long time without any."""
        moment = self.world.moment(self.state)
        if self._due or self.seized:
            self._busy = at
        if moment == self._moment and at - self._busy < RESTLESS:
            return
        self._moment, self._busy = moment, at
        self._plan += 1
        if self._rules.outcome(self.state) is not None:
            return
        for delay, deed in self.world.plan(self.state):
            heapq.heappush(self._due, (at + delay, next(self._order), self._plan, deed))

    def advance(self, now: Micros) -> None:
        """Do everything that is due."""
        self.hands = tuple(hand for hand in self.hands if hand.until > now)
        while self._due and self._due[0][0] <= now:
            at, _, plan, deed = heapq.heappop(self._due)
            self._busy = now
            if isinstance(deed, _Change):
                self.world.places.update(deed.places)
                self.changes += 1
            elif plan == self._plan:
                self._do(deed, at)

    def next_due(self) -> Micros | None:
        """When the next action is due."""
        return self._due[0][0] if self._due else None

    def announced(self, ruling: Announced) -> None:
        """Take an announcement: move the cards it implies, and remember its state."""
        self.go_back(ruling)
        for event in ruling.news:
            self.happened(ruling.before, event)
        self.reached(ruling)

    def reached(self, ruling: Announced) -> None:
        """Remember the world after a ruling, for an undo."""
        self.state = ruling.state
        if ruling.news or ruling.entry.retracts is not None:
            self._past.append((ruling.entry.seq, _truth(self.world)))

    def go_back(self, ruling: Announced) -> None:
        """After an undo, restore the cards and forget all plans."""
        seq = ruling.entry.retracts
        if seq is None:
            return
        earlier = [truth for at, truth in self._past if at < seq] or [self._past[0][1]]
        vars(self.world).update(deepcopy(earlier[-1]))
        self._due.clear()
        self._moment = None
        self.changes += 1

    def happened(self, before: Any, event: Event) -> None:
        """Move the cards as the event implies."""
        shown = dict(self.world.places)
        self.world.happened(before, event)
        self.changes += shown != self.world.places

    def _do(self, deed: Deed, at: Micros) -> None:
        match deed:
            case Arrange():
                self.hands += tuple(Hand(deed.chair, name, at, at + 2 * REACH) for name, _ in deed.places)
                change = _Change(deed.chair, deed.places)
                heapq.heappush(self._due, (at + REACH, next(self._order), self._plan, change))
            case PressRaw() if deed.chair not in self.seized:
                self._press(deed.chair, at, TAP)
            case Choose() if deed.chair not in self.seized:
                self._choose(deed, at)
            case _:
                self.meant(deed)

    def _choose(self, deed: Choose, at: Micros) -> None:
        """Choose with the button if it offers the action, otherwise by touch."""
        prompt = next(
            (prompt for prompt in self._rules.prompts(self.state) if prompt.chair == deed.chair), None
        )
        if prompt is None or deed.action not in prompt.actions:
            self._say(deed.chair, deed.action)
            return
        place = prompt.actions.index(deed.action)
        if len(prompt.actions) == 1:
            self._press(deed.chair, at, TAP)
        elif len(prompt.actions) == 2:
            self._press(deed.chair, at, LONG if place else TAP)
        else:
            steps = (place - self.state.desk.cursor(prompt)) % len(prompt.actions)
            for step in range(steps):
                self._press(deed.chair, at + step * (TAP + GAP), TAP)
            self._press(deed.chair, at + steps * (TAP + GAP), LONG)


def _nothing(deed: Choose | PressRaw) -> None:
    """The player who took the chair over decides alone."""


def _truth(world: World[Any]) -> dict[str, Any]:
    """A copy of a world without its random generator, which is never reset."""
    return deepcopy({name: held for name, held in vars(world).items() if not isinstance(held, Random)})


class _Change(Arrange, frozen=True):
    """The instant at which the cards are moved."""
