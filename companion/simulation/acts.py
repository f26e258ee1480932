"""Deeds as a table sees them: fingers on buttons, hands over the mat, cards that change places.

People hear and see what everybody may; what they do next comes from their `World`. Their fingers are handed
in as callables, so that the same people press mock pins in a demo and anything else in a test. They know a
ruling when it is told, which is when their cards change hands: what was judged and waits to be safely stored
is nothing to them yet.
"""

from __future__ import annotations

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
from companion.referee.loop import Told

TAP: Micros = 110_000
"""How long a finger rests on a button."""
GAP: Micros = 160_000
"""From one tap to the next while stepping through choices."""
LONG: Micros = HOLD + 120_000
"""How long a finger rests to hold."""
REACH: Micros = 450_000
"""A hand is over a place this long before and after it changes cards."""

RESTLESS: Micros = 30 * SECOND
"""Where nobody has done anything for so long, people look at the table again: something went amiss."""

REMEMBERED = 60
"""Rulings that people can go back over, when one is taken back."""

Press = Callable[[Chair, Micros, Micros], None]
"""A finger goes down on a chair's button at an instant, for so long."""
Say = Callable[[Chair, Action], None]
"""A person touches the screen."""


class Hand(Struct, frozen=True):
    """A hand over a place."""

    chair: Chair
    place: str
    since: Micros
    until: Micros


class People:
    """Everybody at the table, acting in game time."""

    def __init__(self, rules: Rules[Any], world: World[Any], state: Any, *, press: Press, say: Say) -> None:
        self.world = world
        self.state = state
        """What the last ruling that was told left: all that anybody here thinks with."""
        self.seized: set[Chair] = set()
        """Chairs whose buttons somebody else presses; their cards still move by themselves."""
        self.hands: tuple[Hand, ...] = ()
        self.changes = 0
        """How often cards have been moved: a picture of the table is as old as this."""
        self._rules = rules
        self._press = press
        self._say = say
        self._past: deque[tuple[int, dict[str, Any]]] = deque([(-1, _truth(world))], maxlen=REMEMBERED)
        """What was true after each of the last entries."""
        self._moment: Hashable = None
        self._due: list[tuple[Micros, int, int, Deed]] = []
        self._order = count()
        self._plan = 0
        self._busy: Micros = 0
        """When somebody last did or planned something."""

    def think(self, at: Micros) -> None:
        """Plan anew if the moment has changed, or nothing has happened for long; real people may think."""
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
        """When somebody does something next."""
        return self._due[0][0] if self._due else None

    def told(self, told: Told) -> None:
        """Cards change hands as the ruling says, and people think with what it left."""
        self.go_back(told)
        for event in told.news:
            self.happened(told.before, event)
        self.reached(told)

    def reached(self, told: Told) -> None:
        """Everything of a ruling has happened: this is what can be gone back to."""
        self.state = told.state
        if told.news or told.entry.retracts is not None:
            self._past.append((told.entry.seq, _truth(self.world)))

    def go_back(self, told: Told) -> None:
        """Where something was taken back, the table is laid as it lay before, and everybody thinks anew."""
        seq = told.entry.retracts
        if seq is None:
            return
        earlier = [truth for at, truth in self._past if at < seq] or [self._past[0][1]]
        vars(self.world).update(deepcopy(earlier[-1]))
        self._due.clear()
        self._moment = None
        self.changes += 1

    def happened(self, before: Any, event: Event) -> None:
        """Cards change hands as the ruling says."""
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

    def _choose(self, deed: Choose, at: Micros) -> None:
        """By the own button if it offers the choice, by touch otherwise."""
        prompt = next(
            (prompt for prompt in self._rules.prompts(self.state) if prompt.chair == deed.chair), None
        )
        if prompt is None or deed.action not in prompt.options:
            self._say(deed.chair, deed.action)
            return
        place = prompt.options.index(deed.action)
        if len(prompt.options) == 1:
            self._press(deed.chair, at, TAP)
        elif len(prompt.options) == 2:
            self._press(deed.chair, at, LONG if place else TAP)
        else:
            steps = (place - self.state.desk.cursor(prompt)) % len(prompt.options)
            for step in range(steps):
                self._press(deed.chair, at + step * (TAP + GAP), TAP)
            self._press(deed.chair, at + steps * (TAP + GAP), LONG)


def _truth(world: World[Any]) -> dict[str, Any]:
    """Everything that a world holds but its chance, which does not go back."""
    return deepcopy({name: held for name, held in vars(world).items() if not isinstance(held, Random)})


class _Change(Arrange, frozen=True):
    """The instant in which the cards are really moved."""
