"""Simulated players at a table: their presses, their hands, the cards they move.

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

from companion.core.actions import HOLD_TIME, SECOND, Action, Chair, Micros
from companion.core.events import Event
from companion.core.rules import Rules
from companion.games.kit.world import ArrangeCards, PressOwnButton, SimulatedAction, TakeAction, World
from companion.referee.loop import Announcement

TAP_TIME: Micros = 110_000
"""Length of a tap."""
TAP_GAP: Micros = 160_000
"""Time between two taps while stepping through choices."""
LONG_PRESS_TIME: Micros = HOLD_TIME + 120_000
"""Length of a hold."""
REACH_TIME: Micros = 450_000
"""How long a hand is over a place before and after it moves cards."""

REPLAN_AFTER: Micros = 30 * SECOND
"""After so long without any action, players look at the table again, as something went wrong."""

REMEMBERED = 60
"""Number of rulings that can be undone."""

Press = Callable[[Chair, Micros, Micros], None]
"""Presses a chair's button: chair, instant, duration."""
Say = Callable[[Chair, Action], None]
"""Chooses an action on the screen."""


class ReachingHand(Struct, frozen=True):
    """A hand over a region."""

    chair: Chair
    place: str
    since: Micros
    until: Micros


class PlayerSimulator:
    """All simulated players, acting in game time."""

    def __init__(self, rules: Rules[Any], world: World[Any], state: Any, *, press: Press, say: Say) -> None:
        self.world = world
        self.state = state
        """The state after the last announced ruling, by which everybody decides."""
        self.seized: set[Chair] = set()
        """Chairs played by real people; their cards are still moved automatically."""
        self.meant: Callable[[TakeAction | PressOwnButton], object] = _ignore
        """Told what somebody would have done whose chair is played by a real person."""
        self.hands: tuple[ReachingHand, ...] = ()
        self.changes = 0
        """Number of moves so far, which identifies a picture of the table."""
        self._rules = rules
        self._press = press
        self._say = say
        self._past: deque[tuple[int, dict[str, Any]]] = deque([(-1, _copy_world(world))], maxlen=REMEMBERED)
        """The world after each of the last entries."""
        self._moment: Hashable = None
        self._due: list[tuple[Micros, int, int, SimulatedAction]] = []
        self._order = count()
        self._plan = 0
        self._busy: Micros = 0
        """When anybody last acted or planned an action."""

    def plan_actions(self, at: Micros) -> None:
        """Plan new actions if the situation has changed, or after a long time without any."""
        moment = self.world.decision_key(self.state)
        if self._due or self.seized:
            self._busy = at
        if moment == self._moment and at - self._busy < REPLAN_AFTER:
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
            if isinstance(deed, _CardMove):
                self.world.places.update(deed.places)
                self.changes += 1
            elif plan == self._plan:
                self._perform(deed, at)

    def next_due(self) -> Micros | None:
        """When the next action is due."""
        return self._due[0][0] if self._due else None

    def handle_ruling(self, ruling: Announcement) -> None:
        """Take an announcement: move the cards it implies, and remember its state."""
        self.undo_ruling(ruling)
        for event in ruling.news:
            self.apply_event(ruling.before, event)
        self.remember_world(ruling)

    def remember_world(self, ruling: Announcement) -> None:
        """Remember the world after a ruling, for an undo."""
        self.state = ruling.state
        if ruling.news or ruling.entry.retracts is not None:
            self._past.append((ruling.entry.seq, _copy_world(self.world)))

    def undo_ruling(self, ruling: Announcement) -> None:
        """After an undo, restore the cards and forget all plans."""
        seq = ruling.entry.retracts
        if seq is None:
            return
        earlier = [truth for at, truth in self._past if at < seq] or [self._past[0][1]]
        vars(self.world).update(deepcopy(earlier[-1]))
        self._due.clear()
        self._moment = None
        self.changes += 1

    def apply_event(self, before: Any, event: Event) -> None:
        """Move the cards as the event implies."""
        shown = dict(self.world.places)
        self.world.apply_event(before, event)
        self.changes += shown != self.world.places

    def _perform(self, deed: SimulatedAction, at: Micros) -> None:
        match deed:
            case ArrangeCards():
                self.hands += tuple(
                    ReachingHand(deed.chair, name, at, at + 2 * REACH_TIME) for name, _ in deed.places
                )
                change = _CardMove(deed.chair, deed.places)
                heapq.heappush(self._due, (at + REACH_TIME, next(self._order), self._plan, change))
            case PressOwnButton() if deed.chair not in self.seized:
                self._press(deed.chair, at, TAP_TIME)
            case TakeAction() if deed.chair not in self.seized:
                self._choose(deed, at)
            case _:
                self.meant(deed)

    def _choose(self, deed: TakeAction, at: Micros) -> None:
        """Choose with the button if it offers the action, otherwise by touch."""
        prompt = next(
            (prompt for prompt in self._rules.prompts(self.state) if prompt.chair == deed.chair), None
        )
        if prompt is None or deed.action not in prompt.actions:
            self._say(deed.chair, deed.action)
            return
        place = prompt.actions.index(deed.action)
        if len(prompt.actions) == 1:
            self._press(deed.chair, at, TAP_TIME)
        elif len(prompt.actions) == 2:
            self._press(deed.chair, at, LONG_PRESS_TIME if place else TAP_TIME)
        else:
            steps = (place - self.state.desk.choice_index(prompt)) % len(prompt.actions)
            for step in range(steps):
                self._press(deed.chair, at + step * (TAP_TIME + TAP_GAP), TAP_TIME)
            self._press(deed.chair, at + steps * (TAP_TIME + TAP_GAP), LONG_PRESS_TIME)


def _ignore(deed: TakeAction | PressOwnButton) -> None:
    """The player who took the chair over decides alone."""


def _copy_world(world: World[Any]) -> dict[str, Any]:
    """A copy of a world without its random generator, which is never reset."""
    return deepcopy({name: held for name, held in vars(world).items() if not isinstance(held, Random)})


class _CardMove(ArrangeCards, frozen=True):
    """The instant at which the cards are moved."""
