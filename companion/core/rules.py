"""What every game's rules promise, and the press grammar they share.

A game is judged over what the referee knows: `decide` holds all the judgement, `evolve` none. Both are pure;
neither reads a clock, draws a lot or touches a device.

One-button grammar: a chair with one choice acts at the edge of its press; with two, a tap is the first and a
hold the second; with more, taps step through them and a hold confirms. When one chair alone is asked, the
shared buttons back and next step through its choices too, and ok confirms.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, TypeVar

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
    Value,
)
from companion.core.board import Board, Move
from companion.core.events import Event
from companion.core.exhibits import Exhibit, Finish
from companion.core.observations import Observation
from companion.core.view import Choice, Mode, Sentence, View, table_of

Controls = Mapping[tuple[Chair | None, str], Action]
"""(chair, `press`|`tap`|`hold`) or (None, `back`|`next`|`ok`) → what that means now."""

REVISION = 1
"""Of all rulings: one more whenever any game judges a cause otherwise than before; 0 was version 0.1."""

STEP = "step"
_PLAY = (ob.Declared, ob.TableSeen, ob.HandShown, ob.CueHeard, ob.TimerElapsed, ob.Drawn)
"""What means nothing while the game is paused."""
STEERING = (ev.PressBegan, ev.PressEnded, ev.ChoiceStepped)
"""How a button is pressed, and nothing of the game."""
_DESK = frozenset(
    {
        ev.PressBegan,
        ev.PressEnded,
        ev.ChoiceStepped,
        ev.GamePaused,
        ev.GameResumed,
        ev.GameRestarted,
        ev.GameAbandoned,
        ev.GameUncovered,
        ev.CameraWentDark,
        ev.CameraCameBack,
    }
)
"""Events that change the desk. A class pattern that does not match is slow, so most events pass them by."""


class Mark(Value, frozen=True):
    """Where a chair's button stands: the choices it was offered, its step, whether it is down since then."""

    options: tuple[Action, ...]
    cursor: int = 0
    down: bool = False


class Desk(Value, frozen=True):
    """What every game's state carries besides the game."""

    paused: bool = False
    blind: bool = False
    """The camera is lost."""
    abandoned: bool = False
    uncovered: bool = False
    """The game has ended, and everything was looked at."""
    marks: tuple[tuple[Chair, Mark], ...] = ()

    def mark(self, chair: Chair) -> Mark | None:
        if not self.marks:
            return None
        return next((mark for owner, mark in self.marks if owner == chair), None)

    def marked(self, chair: Chair, mark: Mark | None) -> Desk:
        others = tuple(pair for pair in self.marks if pair[0] != chair)
        return replace(self, marks=others if mark is None else (*others, (chair, mark)))


class State(Value, frozen=True):
    """What the referee knows of one game; every game derives its own."""

    setup: Setup
    desk: Desk


S = TypeVar("S", bound=State)


class Rules(ABC, Generic[S]):
    """One game over what the referee knows."""

    name: ClassVar[str]
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
    board: ClassVar[Board] = Board()
    """What table, screen and voice do otherwise in this game."""

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
        """The first invariant of the specification that does not hold; cards and tokens are conserved."""

    @abstractmethod
    def veiled(self, state: S) -> S:
        """The state without what is known and lies hidden: nothing that is told may depend on that."""

    def forgotten(self, state: S, now: S) -> tuple[Event, ...]:
        """What nobody may be told any more when the table goes from `now` to `state` of its own history.

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

    def put_back(self, later: S, earlier: S) -> tuple[Sentence, ...]:
        """What to do on the table when rulings are taken back from `later` to `earlier`."""
        return ()

    def lies_at(self, state: S, event: Event) -> str | None:
        """The place where what a ruling names has lain open ever since; None where it does not.

        Only of such a ruling may be told how surely it was read: of a hidden face the figure would tell it.
        """
        return None

    def why(self, event: Event) -> str:
        """The key of the rule behind a ruling; the catalogue explains it as `<game>.why.<key>`."""
        return event.rule if isinstance(event, ev.Infraction) else type(event).__name__

    def silent(self, event: Event) -> bool:
        """Whether a ruling is never told: bookkeeping, and what would leak."""
        return isinstance(event, (*STEERING, ev.GameUncovered))

    def settles(self, event: Event) -> Literal["", "earlier", "itself"]:
        """What is not taken back any more once this was told, because it told of what lies hidden.

        `earlier`: nothing that was ruled before it; `itself`: nor the ruling itself.
        """
        return ""

    def summons(self, event: Event) -> bool:
        """Whether everybody has to look up: whatever lies over the table is put away at once."""
        return False

    def notice(self, event: Event) -> tuple[Seat, str] | None:
        """Whose press was in vain, and the word `ui.<word>` for that panel."""
        return None

    def public_parts(self, state: S, event: Event) -> tuple[tuple[str, str | int], ...]:
        """The named parts of a ruling's sentence as it may stand in the log in `state`."""
        return self.parts(state, event)

    def prepare(self, setup: Setup) -> tuple[Sentence, ...]:
        """What to do with the real cards before the first turn."""
        return ()

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
        if type(event) not in _DESK:
            return self.evolve_game(state, event)
        match event:
            case ev.PressBegan():
                mark = state.desk.mark(event.chair)
                cursor = mark.cursor if mark and mark.options == event.options else 0
                return replace(
                    state,
                    desk=state.desk.marked(
                        event.chair, Mark(options=event.options, cursor=cursor, down=True)
                    ),
                )
            case ev.PressEnded():
                return replace(state, desk=state.desk.marked(event.chair, None))
            case ev.ChoiceStepped():
                mark = Mark(options=event.options, cursor=event.cursor)
                return replace(state, desk=state.desk.marked(event.chair, mark))
            case ev.GamePaused():
                return replace(state, desk=replace(state.desk, paused=True, marks=()))
            case ev.GameResumed():
                return replace(state, desk=replace(state.desk, paused=False))
            case ev.CameraWentDark():
                return replace(state, desk=replace(state.desk, blind=True))
            case ev.CameraCameBack():
                return replace(state, desk=replace(state.desk, blind=False))
            case ev.GameAbandoned():
                state = replace(state, desk=replace(state.desk, abandoned=True, paused=False))
                return self.evolve_game(state, event)  # its phase ends too: no timer, no cue any more
            case ev.GameRestarted():
                return replace(state, desk=replace(state.desk, marks=()))
            case ev.GameUncovered():
                return replace(state, desk=replace(state.desk, uncovered=True))
        return self.evolve_game(state, event)

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
            if len(prompt.options) == 1:
                table[prompt.chair, "press"] = prompt.options[0]
            else:
                table.update(self._controls_of(state, prompt))
        if len(asked) == 1 and not self.window_open(state):
            (prompt,) = asked
            options = prompt.options
            table[None, "ok"] = options[self.cursor(state, prompt)]
            if len(options) > 1:
                table[None, "next"] = Action(options[0].seat, STEP, 1)
                table[None, "back"] = Action(options[0].seat, STEP, -1)
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
            return self._controls_of(state, prompt)[chair, end] if self._begun(state, prompt) else None
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

    def chosen(self, state: S, action: Action) -> Sentence:
        """A choice as it may stand in the log: a card that was named may lie hidden by now."""
        named = isinstance(action.value, str)
        return self.label(state, replace(action, value=None) if named else action)

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

    def cursor(self, state: S, prompt: Prompt) -> int:
        """Where the mark stands among a prompt's options."""
        mark = state.desk.mark(prompt.chair)
        return mark.cursor if mark and mark.options == prompt.options else 0

    def choices(self, state: S, prompt: Prompt) -> tuple[Choice, ...]:
        """A prompt as its chair's panel shows it."""
        cursor = self.cursor(state, prompt)
        presses = {1: ("press",), 2: ("tap", "hold")}.get(len(prompt.options))
        return tuple(
            Choice(
                action=action,
                label=self.label(state, action),
                press=presses[place] if presses else ("hold" if place == cursor else "tap"),
                marked=place == cursor,
                move=self.board.moves.get(action.verb, Move.NONE),
            )
            for place, action in enumerate(prompt.options)
        )

    def label(self, state: S, action: Action) -> Sentence:
        """What a choice is called on a panel."""
        parts: tuple[tuple[str, str | int], ...] = () if action.value is None else (("value", action.value),)
        return Sentence(f"{self.name}.do.{action.verb}", parts)

    def chair_of(self, state: S, seat: Seat) -> Chair:
        """The person behind a seat."""
        return state.setup.chairs[seat]

    def seat_of(self, state: S, chair: Chair) -> Seat | None:
        """The seat of a person; None for a chair that is not in the game."""
        return state.setup.chairs.index(chair) if chair in state.setup.chairs else None

    def sentence(self, state: S, event: Event, *, log: bool = False) -> Sentence | None:
        """How a ruling is told: aloud at once, or (`log`) later, when some of it may lie hidden again."""
        if self.silent(event):
            return None
        parts = self.public_parts(state, event) if log else self.parts(state, event)
        hidden = log and self.hides(state, event)
        return Sentence(self.key(event) + (".hidden" if hidden else ""), parts)

    def hides(self, state: S, event: Event) -> bool:
        """Whether some of what a ruling tells may not be told in `state`."""
        return not self.silent(event) and self.public_parts(state, event) != self.parts(state, event)

    def key(self, event: Event) -> str:
        """The catalogue's key of a ruling."""
        match event:
            case ev.Infraction():
                return f"{self.name}.rule.{event.rule}"
            case ev.Repair():
                return f"{self.name}.repair.{event.what}"
            case ev.WindowVoided():
                return f"shared.WindowVoided.{event.reason}"
        shared = type(event).__module__ == ev.__name__
        return f"{'shared' if shared else self.name}.{type(event).__name__}"

    def parts(self, state: S, event: Event) -> tuple[tuple[str, str | int], ...]:
        """The named parts of a ruling's sentence: its fields, with seats told as chairs."""
        told: list[tuple[str, str | int]] = []
        for field in event.__struct_fields__:
            value = getattr(event, field)
            if field == "seat" and isinstance(value, int):
                told.append(("chair", self.chair_of(state, value)))
            elif (
                isinstance(value, (str, int))
                and not isinstance(value, bool)
                and field not in {"rule", "reason"}
            ):
                told.append((field, value))
        return tuple(told)

    # The press grammar ------------------------------------------------------------------------------------

    def _controls_of(self, state: S, prompt: Prompt) -> Controls:
        chair, options = prompt.chair, prompt.options
        if len(options) == 1:
            return {(chair, "press"): options[0]}
        if len(options) == 2:
            return {(chair, "tap"): options[0], (chair, "hold"): options[1]}
        step = Action(options[0].seat, STEP, 1)
        return {(chair, "tap"): step, (chair, "hold"): options[self.cursor(state, prompt)]}

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
        controls = {} if prompt is None else self._controls_of(state, prompt)
        mark = state.desk.mark(chair)
        begun = prompt is not None and self._begun(state, prompt)
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

    def _begun(self, state: S, prompt: Prompt) -> bool:
        """Whether the prompt's button went down for these very choices."""
        mark = state.desk.mark(prompt.chair)
        return mark is not None and mark.down and mark.options == prompt.options

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
        if action.verb != STEP:
            return self.judge(state, action, at)
        for prompt in self.prompts(state):
            if prompt.options[0].seat == action.seat and isinstance(action.value, int):
                cursor = (self.cursor(state, prompt) + action.value) % len(prompt.options)
                return (ev.ChoiceStepped(prompt.chair, cursor, prompt.options),)
        return ()
