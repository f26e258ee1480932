"""Simulated players at a table: their presses, their hands, the cards they move.

They know only what is announced; what they do next is decided by their `World`. Pressing and touching are
passed in: at a `SimulatedTable` they press mock pins and lay cards under a drawn camera, by `DirectSenses`
the game hears of it without either. They react to a ruling, and move their cards, when it is announced, not
when it is judged.
"""

import heapq
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from copy import deepcopy
from itertools import count
from random import Random
from typing import Any

from msgspec import Struct

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Action, Chair, Micros
from companion.core.button_choices import presses_to
from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.switch import Edge
from companion.games.kit.world import (
    ArrangeCards,
    PressOwnButton,
    SimulatedAction,
    TakeAction,
    World,
    split_rotation,
)
from companion.referee.loop import Announcement

TAP_TIME: Micros = 110_000
"""Length of a tap."""
TAP_GAP: Micros = 160_000
"""Time between two presses of one choice."""
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
PlacedCards = tuple[str, tuple[str, ...]]
"""A place, and the cards that lie there."""
Say = Callable[[Chair, Action], None]
"""Chooses an action on the screen."""


class ReachingHand(Struct, frozen=True):
    """A hand over a region."""

    chair: Chair
    place: str
    since: Micros
    until: Micros


class Agenda:
    """What simulated players are about to do, by the instant at which it is due."""

    def __init__(self) -> None:
        self._due: list[tuple[Micros, int, int, Any]] = []
        self._order = count()
        self._plan = 1

    def replace_plan(self) -> None:
        """What was planned so far is not done; what is under way is."""
        self._plan += 1

    def add(self, at: Micros, what: Any, *, under_way: bool = False) -> None:
        """Do this at `at`, unless it is only planned and the plan is replaced before."""
        heapq.heappush(self._due, (at, next(self._order), 0 if under_way else self._plan, what))

    def pop_due(self, now: Micros) -> tuple[Micros, Any] | None:
        """What is to be done next, up to `now`, and when it was due."""
        while self._due and self._due[0][0] <= now:
            at, _, plan, what = heapq.heappop(self._due)
            if plan in {0, self._plan}:
                return at, what
        return None

    def next_due(self) -> Micros | None:
        """When to ask `pop_due` again; the plan may have been replaced by then."""
        return self._due[0][0] if self._due else None

    def clear(self) -> None:
        """Nothing is done of it."""
        self._due.clear()


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
        self.are_listening: Callable[[], bool] = bool
        """Whether nobody plans anything, for something is told."""
        self.most_presses: int | None = None
        """Of one choice with the button; None: however many it takes."""
        self.hands: tuple[ReachingHand, ...] = ()
        self.changes = 0
        """Number of moves so far, which identifies a picture of the table."""
        self._rules = rules
        self._press = press
        self._say = say
        self._past: deque[tuple[int, dict[str, Any]]] = deque([(-1, _copy_world(world))], maxlen=REMEMBERED)
        """The world after each of the last entries."""
        self._moment: Hashable = None
        self._agenda = Agenda()
        self._busy: Micros = 0
        """When anybody last acted or planned an action."""

    def plan_actions(self, at: Micros) -> None:
        """Plan new actions if the situation has changed, or after a long time without any."""
        moment = self.state.desk.paused, self.world.decision_key(self.state)
        if self.next_due() is not None or self.seized:
            self._busy = at
        if moment == self._moment and at - self._busy < REPLAN_AFTER:
            return
        if self.are_listening():
            self._agenda.replace_plan()
            return
        self._moment, self._busy = moment, at
        self._agenda.replace_plan()
        if self.state.desk.paused or self._rules.outcome(self.state) is not None:
            return
        for delay, deed in self.world.plan(self.state):
            self._agenda.add(at + delay, deed)

    def advance(self, now: Micros) -> None:
        """Do everything that is due."""
        self.hands = tuple(hand for hand in self.hands if hand.until > now)
        if (due := self.next_due()) is not None and due <= now:
            self._busy = now
        while (found := self._agenda.pop_due(now)) is not None:
            at, deed = found
            if isinstance(deed, _CardMove):
                self.world.places.update(deed.places)
                self.changes += 1
            else:
                self._perform(deed, at)

    def next_due(self) -> Micros | None:
        """When the next action is due."""
        return self._agenda.next_due()

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
        self._agenda.clear()
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
                self._agenda.add(at + REACH_TIME, _CardMove(deed.chair, deed.places), under_way=True)
            case PressOwnButton() if deed.chair not in self.seized:
                self._press(deed.chair, at, TAP_TIME)
            case TakeAction() if deed.chair not in self.seized:
                self._choose(deed, at)
            case _:
                self.meant(deed)

    def _choose(self, deed: TakeAction, at: Micros) -> None:
        """Choose with the button if it offers the action in few presses, otherwise by touch."""
        prompt = next(
            (prompt for prompt in self._rules.prompts(self.state) if prompt.chair == deed.chair), None
        )
        if prompt is None or deed.action not in prompt.actions:
            self._say(deed.chair, deed.action)
            return
        presses = tuple(presses_to(self.state.desk, prompt, deed.action))
        if self.most_presses is not None and len(presses) > self.most_presses:
            self._say(deed.chair, deed.action)
            return
        for press in presses:
            hold = LONG_PRESS_TIME if press == "hold" else TAP_TIME
            self._press(deed.chair, at, hold)
            at += hold + TAP_GAP


class DirectSenses:
    """What simulated people press, say and lay, told to a game without pins or pixels."""

    def __init__(
        self,
        places: Callable[[], Mapping[str, tuple[str, ...]]],
        put: Callable[[Edge | ob.Observation], None],
        now: Callable[[], Micros],
    ) -> None:
        """`places`: what lies where now; `put` tells the game."""
        self._places = places
        self._put = put
        self._now = now
        self._lying = dict(places())
        self._edges = Agenda()
        self._unconfirmed: list[Edge | ob.Observation] = []
        """What was told and the game has not taken yet."""

    def press(self, chair: Chair, at: Micros, hold: Micros) -> None:
        """A button goes down at `at`, and up `hold` later; one of their own, whatever real people press."""
        for when, down in ((at, True), (at + max(hold, TAP_TIME), False)):
            self._edges.add(when, Edge(chair, "seat", level=down, at=when, source="simulation"))

    def say(self, chair: Chair, action: Action) -> None:
        """An action is chosen on the screen."""
        self._tell(ob.ActionDeclared(at=self._now(), action=action))

    def step(self, now: Micros) -> None:
        """Tell what is due, and which cards have changed."""
        while (found := self._edges.pop_due(now)) is not None:
            self._tell(found[1])
        changed = [(name, cards) for name, cards in self._places().items() if self._lying.get(name) != cards]
        if changed:
            self._lying = dict(self._places())
            self._put(ob.TableSeen(at=now, regions=read_places(changed, max(0, now - 1), now)))

    def next_due(self) -> Micros | None:
        """When the next edge is due."""
        return self._edges.next_due()

    def overlook(self, name: str) -> None:
        """What lies in this place by now is not read."""
        self._lying[name] = self._places().get(name, ())

    def take_back(self, seen: Edge | ob.Observation) -> bool:
        """Whether it was told here; it is known once only."""
        pending = seen in self._unconfirmed
        if pending:
            self._unconfirmed.remove(seen)
        return pending

    def _tell(self, seen: Edge | ob.Observation) -> None:
        self._unconfirmed.append(seen)
        self._put(seen)


def read_places(places: Iterable[PlacedCards], since: Micros, until: Micros) -> tuple[ob.RegionReading, ...]:
    """These places as a camera that errs never reads them."""
    return tuple(
        ob.RegionReading(name, tuple(ob.SeenCard(*split_rotation(card)) for card in cards), since, until)
        for name, cards in places
    )


def _ignore(deed: TakeAction | PressOwnButton) -> None:
    """The player who took the chair over decides alone."""


def _copy_world(world: World[Any]) -> dict[str, Any]:
    """A copy of a world without its random generator, which is never reset."""
    return deepcopy({name: held for name, held in vars(world).items() if not isinstance(held, Random)})


class _CardMove(ArrangeCards, frozen=True):
    """The instant at which the cards are moved."""
