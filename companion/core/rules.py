"""What every game's rules promise, and what all games share.

A game is judged over what the referee knows: `decide` holds all the judgement, `evolve` none. Both are pure;
neither reads a clock, draws a lot or touches a device.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import (
    Action,
    Chair,
    Cue,
    Look,
    Micros,
    Options,
    Outcome,
    Prompt,
    Seat,
    Setup,
    Timer,
)
from companion.core.desk import DESK_EVENTS, STEERING, S
from companion.core.events import Event
from companion.core.exhibits import Exhibit, Finish
from companion.core.narration import Narration
from companion.core.observations import Observation
from companion.core.presses import STEP, Controls, controls_of, shared_controls, step_through
from companion.core.view import Mode, View, table_of

REVISION = 3
"""Raise it whenever any game judges a cause otherwise than before; version 0.1 had 0."""

_PLAY = (ob.Declared, ob.TableSeen, ob.HandShown, ob.CueHeard, ob.TimerElapsed, ob.Drawn)
"""What means nothing while the game is paused."""


class Rules(Narration[S], ABC):
    """One game over what the referee knows."""

    players: ClassVar[range]
    with_bot: ClassVar[range] = range(0)
    """For how many people a deck that nobody holds may be dealt besides; where it has to be, it is."""
    usual: ClassVar[int | None] = None
    """How many people play where nobody says; None: as few as can."""
    options: ClassVar[type[Options]]
    events: ClassVar[Any]
    """The union of everything this game may rule."""
    steering: ClassVar[tuple[type[Event], ...]] = STEERING
    """Rulings that only move a mark, or are half of what somebody says: no choice yet."""
    earlier: ClassVar[Mapping[int, Mapping[str, Any]]] = MappingProxyType({})
    """By revision of the rules: what a house rule was by default, where it is another since."""

    # What a game has to say -------------------------------------------------------------------------------

    @abstractmethod
    def initial_state(self, setup: Setup) -> S:
        """The game before anything happened."""

    @abstractmethod
    def prompts(self, state: S) -> tuple[Prompt, ...]:
        """Who is asked what, now."""

    @abstractmethod
    def judge(self, state: S, action: Action, at: Micros) -> tuple[Event, ...]:
        """The ruling on any action of any seat, lawful or not."""

    @abstractmethod
    def evolve_game(self, state: S, event: Event) -> S:
        """The state after one of the game's own events."""

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """How it ended, once it has."""

    @abstractmethod
    def view(self, state: S, mode: Mode = Mode.PLAY) -> View:
        """What the table may be told now."""

    @abstractmethod
    def broken(self, state: S) -> str | None:
        """The first invariant of docs/rules.md that is violated, as it should hold; None if all do."""

    @abstractmethod
    def veiled(self, state: S) -> S:
        """The state without what is known and lies hidden: nothing that is told may depend on that."""

    def forgotten(self, state: S, now: S) -> tuple[Event, ...]:
        """The faces to hide again when the table goes back from `now` to `state` of its own history.

        What does not lie open `now` may have been covered since, so its face is unknown until it is seen or
        said again. One silent event for each; which ones must never depend on a hidden face.
        """
        return ()

    def forgotten_first(self, state: S, now: S) -> tuple[Event, ...]:
        """What a correction forgets in `state` before it judges: rulings would depend on a covered face."""
        return ()

    def uncovers(self, state: S, now: S) -> bool:
        """Whether bringing `state` back would show a face that does not lie open `now`."""
        return bool(self.forgotten(state, now))

    def lies_still(self, region: str, then: S, now: S) -> bool:
        """Whether what lies at a place now lay there then; only asked where it looks the same."""
        return True

    def seats(self, setup: Setup) -> int:
        """How many hands of cards there are; the mat is laid for so many."""
        return setup.players

    def named(self, setup: Setup) -> Mapping[str, Container[Any]]:
        """By field of events the cards, numbers or places it may name; of what is not here, anything goes.

        A stranger's journal is held to it before it is stored.
        """
        return {}

    def see(self, state: S, seen: ob.TableSeen | ob.HandShown) -> tuple[Event, ...]:
        """The ruling on what the camera read."""
        return ()

    def elapsed(self, state: S, timer: str, at: Micros) -> tuple[Event, ...]:
        """The ruling of a timer that fell due."""
        return ()

    def cue_heard(self, state: S, cue: ob.CueHeard) -> tuple[Event, ...]:
        """The ruling on a cue's first beat."""
        return ()

    def drawn(self, state: S, lot: ob.Drawn) -> tuple[Event, ...]:
        """The ruling on a lot."""
        return ()

    def declared(self, state: S, table: ob.TableDeclared) -> tuple[Event, ...]:
        """The ruling on a table that says what is otherwise than the referee believes."""
        return ()

    def raced(self, state: S, chair: Chair, seen: ob.ButtonPressed) -> tuple[Event, ...] | None:
        """The ruling on a press whose source matters too; None: it means what its prompt says."""
        return None

    def idle_press(self, state: S, chair: Chair, at: Micros) -> tuple[Event, ...]:
        """The ruling on a press that no prompt asked for."""
        return ()

    def idle_release(self, state: S, chair: Chair, at: Micros) -> tuple[Event, ...]:
        """The ruling on a release that ends no tap."""
        return ()

    def timer(self, state: S) -> Timer | None:
        """The next ruling that falls by itself, were the game not paused."""
        return None

    def window_open(self, state: S) -> bool:
        """Whether a timed window is running; it counts whole or not at all."""
        return False

    def races(self, state: S) -> bool:
        """Whether it matters now which of two presses was first, and no last instant ends that."""
        return False

    def awaited(self, state: S) -> frozenset[str]:
        """The regions where certainty is needed now."""
        return frozenset()

    def awaited_draw(self, state: S) -> tuple[str, ...] | None:
        """The lots among which chance is asked to choose."""
        return None

    def awaited_cue(self, state: S) -> Cue | None:
        """The sound whose first beat opens the next window."""
        return None

    def extra_actions(self, state: S) -> Iterable[Action]:
        """Lawful actions that no prompt lists, because touch or camera say more than a button can."""
        return ()

    def alternatives(self, state: S, seen: Observation) -> Iterable[Action]:
        """What could have happened in `state` instead of `seen`: the choices of a correction."""
        return (action for prompt in self.prompts(state) for action in prompt.options)

    def recap(self, standing: Iterable[Any]) -> tuple[tuple[str, int], ...]:
        """What a finished game counts: name (told as `ui.recap.<name>`) and number."""
        return ()

    def finishes(self, state: S, standing: Iterable[Any]) -> tuple[Finish, ...]:
        """Races of presses that may be looked at again, the oldest first; `standing` is newest first."""
        return ()

    def exhibit(self, state: S, standing: Iterable[Any]) -> Exhibit | None:
        """What is looked at now instead of the table; `standing` is newest first."""
        return None

    @classmethod
    def tables(cls) -> tuple[tuple[int, bool], ...]:
        """Every way to sit down: how many people, and whether a BOT is added."""
        return (
            *((players, False) for players in cls.players),
            *((players, True) for players in cls.with_bot),
        )

    # What all games share ---------------------------------------------------------------------------------

    def decide(self, state: S, seen: Observation) -> tuple[Event, ...]:
        """What `seen` means under the rules; total over every observation."""
        ended = self.outcome(state) is not None
        if ended or (state.desk.paused and isinstance(seen, _PLAY)):
            looked = ended and isinstance(seen, ob.Uncovered) and not state.desk.uncovered
            return (ev.GameUncovered(),) if looked else ()
        match seen:  # the frequent ones first: a class pattern that does not match is slow
            case ob.Declared():
                return self._act(state, seen.action, seen.at)
            case ob.ButtonPressed() | ob.ButtonReleased() | ob.ButtonHeld():
                return self._pressed(state, seen)
            case ob.TimerElapsed():
                return self.elapsed(state, seen.timer, seen.at)
            case ob.TableSeen() | ob.HandShown():
                return self.see(state, seen)
            case ob.CueHeard():
                return self.cue_heard(state, seen)
            case ob.Drawn():
                return self.drawn(state, seen)
            case ob.TableDeclared():
                return self._declared(state, seen)
            case ob.Paused():
                return () if state.desk.paused else (*self.voided(state, "pause"), ev.GamePaused())
            case ob.Resumed():
                return (ev.GameResumed(),) if state.desk.paused else ()
            case ob.Restarted():
                return (*self.voided(state, "restart"), ev.GameRestarted())
            case ob.Abandoned():
                return (ev.GameAbandoned(),)
            case ob.CameraLost():
                return () if state.desk.blind else (ev.CameraWentDark(),)
            case ob.CameraBack():
                return (ev.CameraCameBack(),) if state.desk.blind else ()
            case ob.AdapterLost():
                return self.voided(state, "adapter") if seen.reason else ()
        return ()

    def _declared(self, state: S, seen: ob.TableDeclared) -> tuple[Event, ...]:
        """Only what is said to be otherwise is judged: a table that is right already changes nothing."""
        stands = dict(table_of(self.view(state)))
        told = tuple((name, value) for name, value in seen.table if stands.get(name) != value)
        return self.declared(state, replace(seen, table=told)) if told else ()

    def evolve(self, state: S, event: Event) -> S:
        """The state after `event`: no judgement here, so that a replay never re-judges."""
        if type(event) not in DESK_EVENTS:
            return self.evolve_game(state, event)
        after = replace(state, desk=state.desk.after(event))
        # A game that is given up ends its phase too: no timer and no cue any more.
        return self.evolve_game(after, event) if isinstance(event, ev.GameAbandoned) else after

    def is_open(self, state: S) -> bool:
        """Whether nothing lies hidden any more."""
        outcome = self.outcome(state)
        return outcome is not None and outcome.is_open

    def next_timer(self, state: S) -> Timer | None:
        """The next ruling that falls by itself; none while paused."""
        return None if state.desk.paused else self.timer(state)

    def controls(self, state: S) -> Controls:
        """What every button means now: this table labels the screen and rules the press."""
        if state.desk.paused or self.outcome(state) is not None:
            return {}
        asked = self.prompts(state)
        table: dict[tuple[Chair | None, str], Action] = {}
        for prompt in asked:
            table.update(controls_of(state.desk, prompt))
        if len(asked) == 1 and not self.window_open(state):
            table.update(shared_controls(state.desk, asked[0]))
        return table

    def legal_actions(self, state: S) -> frozenset[Action]:
        """What may lawfully be done now, as far as the referee can know."""
        if state.desk.paused or self.outcome(state) is not None:
            return frozenset()
        listed = (action for prompt in self.prompts(state) for action in prompt.options)
        return frozenset((*listed, *self.extra_actions(state)))

    def meaning(self, state: S, seen: Observation) -> Action | frozenset[str] | None:
        """What an edge asks for in `state`: an action, or the verbs among which it begins to choose."""
        if not isinstance(seen, ob.ButtonPressed | ob.ButtonReleased | ob.ButtonHeld):
            return None
        pressed, chair = isinstance(seen, ob.ButtonPressed), seen.chair
        if chair is None:
            return self.controls(state).get((None, seen.button)) if pressed else None
        prompt = None if state.desk.paused else self._prompt_of(state, chair)
        if prompt is None:
            return None
        if not pressed:
            end = "hold" if isinstance(seen, ob.ButtonHeld) else "tap"
            return controls_of(state.desk, prompt)[chair, end] if state.desk.begun(prompt) else None
        options = prompt.options
        return options[0] if len(options) == 1 else frozenset(action.verb for action in options)

    def chose(self, state: S, seen: ob.AnyObservation, events: Iterable[Event]) -> Action | None:
        """What somebody chose in `state` by touch or button, if anything came of it."""
        action: Any = seen.action if isinstance(seen, ob.Declared) else None
        if isinstance(seen, ob.ButtonPressed | ob.ButtonReleased | ob.ButtonHeld):
            action = self.meaning(state, seen)
        if not isinstance(action, Action):
            return None
        return action if any(not isinstance(event, self.steering) for event in events) else None

    def speaker(self, state: S, action: Action) -> Chair | None:
        """Whose choice that is; None where nobody sits there."""
        asked = (prompt.chair for prompt in self.prompts(state) if action in prompt.options)
        there = 0 <= action.seat < len(state.setup.chairs)
        return next(asked, self.chair_of(state, action.seat) if there else None)

    def look(self, state: S, since: Micros) -> Look | None:
        """Where the camera's certainty is needed, from `since` on."""
        regions = frozenset() if state.desk.paused else self.awaited(state)
        return Look(regions, since) if regions else None

    def voided(self, state: S, reason: str) -> tuple[Event, ...]:
        """The event that voids an open window, if one is open."""
        return (ev.WindowVoided(reason),) if self.window_open(state) else ()

    def seat_of(self, state: S, chair: Chair) -> Seat | None:
        """The seat of a person; None for a chair that is not in the game."""
        return state.setup.chairs.index(chair) if chair in state.setup.chairs else None

    # Presses ----------------------------------------------------------------------------------------------

    def _pressed(
        self, state: S, seen: ob.ButtonPressed | ob.ButtonReleased | ob.ButtonHeld
    ) -> tuple[Event, ...]:
        chair = seen.chair
        if chair is None:
            return self._shared(state, seen)
        if self.seat_of(state, chair) is None:
            return ()
        if state.desk.paused:  # a button that comes up stays up when play goes on
            return self.idle_release(state, chair, seen.at) if isinstance(seen, ob.ButtonReleased) else ()
        prompt = self._prompt_of(state, chair)
        if isinstance(seen, ob.ButtonPressed):
            if (ruled := self.raced(state, chair, seen)) is not None:
                return ruled
            if prompt is None:
                return self.idle_press(state, chair, seen.at)
            if len(prompt.options) == 1:
                return self._act(state, prompt.options[0], seen.at)
            return (ev.PressBegan(chair, prompt.options),)
        controls = {} if prompt is None else controls_of(state.desk, prompt)
        mark = state.desk.mark(chair)
        begun = prompt is not None and state.desk.begun(prompt)
        match seen:
            case ob.ButtonReleased() if begun:
                acted = self._act(state, controls[chair, "tap"], seen.at)
                stepped = any(isinstance(event, ev.ChoiceStepped) for event in acted)
                return acted if stepped else (ev.PressEnded(chair), *acted)
            case ob.ButtonReleased():
                ended: tuple[Event, ...] = (ev.PressEnded(chair),) if mark is not None and mark.down else ()
                return (*ended, *self.idle_release(state, chair, seen.at))
            case ob.ButtonHeld() if begun:
                return (ev.PressEnded(chair), *self._act(state, controls[chair, "hold"], seen.at))
        return ()

    def _prompt_of(self, state: S, chair: Chair) -> Prompt | None:
        for prompt in self.prompts(state):
            if prompt.chair == chair:
                return prompt
        return None

    def _shared(
        self, state: S, seen: ob.ButtonPressed | ob.ButtonReleased | ob.ButtonHeld
    ) -> tuple[Event, ...]:
        match seen:
            case ob.ButtonHeld(button="back"):
                return self.decide(state, ob.Paused(at=seen.at))
            case ob.ButtonPressed(button="ok") if state.desk.paused:
                return (ev.GameResumed(),)
            case ob.ButtonPressed():
                action = self.controls(state).get((None, seen.button))
                return () if action is None else self._act(state, action, seen.at)
        return ()

    def _act(self, state: S, action: Action, at: Micros) -> tuple[Event, ...]:
        if action.verb == STEP:
            return step_through(state.desk, self.prompts(state), action)
        return self.judge(state, action, at)
