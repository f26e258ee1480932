"""Judgement and state transitions that the rules of all games share.

The rules work on what the referee knows, which never includes a hidden hand. `decide` makes all judgements,
`evolve` makes none. Both are pure: they read no clock, draw no random numbers and touch no device.
"""

from abc import ABC
from collections.abc import Iterable
from functools import reduce
from typing import Any

from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import Action, CameraRequest, Chair, Micros, Prompt, Timer
from companion.core.button_choices import STEP, Controls, controls_of, judge_step, shared_controls
from companion.core.events import Event
from companion.core.game_rules import GameRules
from companion.core.game_status import STATUS_EVENTS, S
from companion.core.observations import Observation
from companion.core.view import Choice, repairable_values

RULES_REVISION = 4
"""To be raised whenever a game judges any observation differently from before; version 0.1 had 0."""

_PLAY_OBSERVATIONS = (
    ob.ActionDeclared,
    ob.TableSeen,
    ob.HandShown,
    ob.CueHeard,
    ob.TimerElapsed,
    ob.RandomDraw,
)
"""Observations without effect while the game is paused."""


class Rules(GameRules[S], ABC):
    """The rules of a game: the game's own part, and here the part that all games share."""

    def decide(self, state: S, seen: Observation) -> tuple[Event, ...]:
        """The ruling on an observation; defined for every observation in every state."""
        ended = self.outcome(state) is not None
        if ended or (state.desk.paused and isinstance(seen, _PLAY_OBSERVATIONS)):
            looked = ended and isinstance(seen, ob.HiddenCardsViewed) and not state.desk.uncovered
            return (ev.GameUncovered(),) if looked else ()
        match seen:  # most frequent first: a class pattern that fails is slow
            case ob.ActionDeclared():
                return self._judge_action(state, seen.action, seen.at)
            case ob.ButtonPressed() | ob.ButtonReleased() | ob.ButtonHeld():
                return self._judge_button(state, seen)
            case ob.TimerElapsed():
                return self.judge_timer(state, seen.timer, seen.at)
            case ob.TableSeen() | ob.HandShown():
                return self.judge_reading(state, seen)
            case ob.CueHeard():
                return self.judge_cue(state, seen)
            case ob.CountStalled():
                return self.void_window(state, "stalled")
            case ob.RandomDraw():
                return self.judge_draw(state, seen)
            case ob.TableDeclared():
                return self._judge_differences(state, seen)
            case ob.PauseRequested():
                return () if state.desk.paused else (*self.void_window(state, "pause"), ev.GamePaused())
            case ob.ResumeRequested():
                return (ev.GameResumed(),) if state.desk.paused else ()
            case ob.ProgramRestarted():
                return (*self.void_window(state, "restart"), ev.GameRestarted())
            case ob.AbandonRequested():
                return (ev.GameAbandoned(),)
            case ob.CameraLost():
                return () if state.desk.blind else (ev.CameraWentDark(),)
            case ob.CameraRecovered():
                return (ev.CameraCameBack(),) if state.desk.blind else ()
            case ob.AdapterLost():
                return self.void_window(state, "adapter") if seen.reason else ()
        return ()

    def _judge_differences(self, state: S, seen: ob.TableDeclared) -> tuple[Event, ...]:
        """The ruling on what the players declared, as far as it differs from the referee's belief."""
        stands = dict(repairable_values(self.view(state)))
        told = tuple((name, value) for name, value in seen.table if stands.get(name) != value)
        return self.judge_declaration(state, replace(seen, table=told)) if told else ()

    def evolve(self, state: S, event: Event) -> S:
        """The state after `event`. All judgement is in `decide`, so a replay never judges again."""
        if type(event) not in STATUS_EVENTS:
            return self.evolve_game(state, event)
        after = replace(state, desk=state.desk.apply_event(event))
        # A game that is given up also ends its phase, with the timer and the cue.
        return self.evolve_game(after, event) if isinstance(event, ev.GameAbandoned) else after

    def evolve_if_sound(self, state: S, events: Iterable[Event]) -> S | None:
        """The state after several events; None if they do not fit it or lead to an unsound one."""
        try:
            after = reduce(self.evolve, events, state)
            return after if self.find_violation(after) is None else None
        except (ValueError, IndexError):
            return None

    def is_open(self, state: S) -> bool:
        """Whether nothing is hidden any more."""
        outcome = self.outcome(state)
        return outcome is not None and outcome.is_open

    def next_timer(self, state: S) -> Timer | None:
        """The next timer; None while paused."""
        return None if state.desk.paused else self.timer(state)

    def controls(self, state: S) -> Controls:
        """The meaning of every button now, used both to label the screen and to judge a press."""
        if state.desk.paused or self.outcome(state) is not None:
            return {}
        asked = self.prompts(state)
        table: dict[tuple[Chair | None, str], Action] = {}
        for prompt in asked:
            table.update(controls_of(state.desk, prompt))
        if len(asked) == 1 and not self.is_window_open(state):
            table.update(shared_controls(state.desk, asked[0]))
        return table

    def shared_button_choices(self, state: S) -> tuple[Choice, ...]:
        """What back, next and OK do now."""
        table = self.controls(state)
        return tuple(
            Choice(action, self.label(state, action), button)
            for button in ("back", "next", "ok")
            if (action := table.get((None, button))) is not None
        )

    def legal_actions(self, state: S) -> frozenset[Action]:
        """The legal actions, as far as the referee can know them."""
        if state.desk.paused or self.outcome(state) is not None:
            return frozenset()
        listed = (action for prompt in self.prompts(state) for action in prompt.actions)
        return frozenset((*listed, *self.extra_actions(state)))

    def press_meaning(self, state: S, seen: Observation) -> Action | frozenset[str] | None:
        """What a press means in `state`: an action, or the verbs among which it begins to choose."""
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
            return controls_of(state.desk, prompt)[chair, end] if state.desk.has_press_begun(prompt) else None
        actions = prompt.actions
        return actions[0] if len(actions) == 1 else frozenset(action.verb for action in actions)

    def chosen_action(self, state: S, seen: ob.AnyObservation, events: Iterable[Event]) -> Action | None:
        """The action a player chose in `state` by touch or button, if it led to a ruling."""
        action: Any = seen.action if isinstance(seen, ob.ActionDeclared) else None
        if isinstance(seen, ob.ButtonPressed | ob.ButtonReleased | ob.ButtonHeld):
            action = self.press_meaning(state, seen)
        if not isinstance(action, Action):
            return None
        return action if any(not isinstance(event, self.button_events) for event in events) else None

    def acting_chair(self, state: S, action: Action) -> Chair | None:
        """The chair that makes this choice; None if the action's seat has no chair, as a BOT deck's."""
        asked = (prompt.chair for prompt in self.prompts(state) if action in prompt.actions)
        there = 0 <= action.seat < len(state.setup.chairs)
        return next(asked, self.chair_of(state, action.seat) if there else None)

    def camera_request(self, state: S, since: Micros) -> CameraRequest | None:
        """The request to the camera, if it has to read something with certainty."""
        regions = frozenset() if state.desk.paused else self.awaited_regions(state)
        return CameraRequest(regions, since) if regions else None

    def void_window(self, state: S, reason: str) -> tuple[Event, ...]:
        """The event that voids the timed window, if one is open."""
        return (ev.WindowVoided(reason),) if self.is_window_open(state) else ()

    # Presses ----------------------------------------------------------------------------------------------

    def _judge_button(
        self, state: S, seen: ob.ButtonPressed | ob.ButtonReleased | ob.ButtonHeld
    ) -> tuple[Event, ...]:
        chair = seen.chair
        if chair is None:
            return self._judge_shared_button(state, seen)
        if self.seat_of(state, chair) is None:
            return ()
        if state.desk.paused:  # a release during a pause still counts as a release afterwards
            return (
                self.judge_idle_release(state, chair, seen.at) if isinstance(seen, ob.ButtonReleased) else ()
            )
        prompt = self._prompt_of(state, chair)
        if isinstance(seen, ob.ButtonPressed):
            if (ruled := self.judge_race_press(state, chair, seen)) is not None:
                return ruled
            if prompt is None:
                return self.judge_idle_press(state, chair, seen.at)
            if len(prompt.actions) == 1:
                return self._judge_action(state, prompt.actions[0], seen.at)
            return (ev.PressBegan(chair, prompt.actions),)
        controls = {} if prompt is None else controls_of(state.desk, prompt)
        mark = state.desk.pending_choice(chair)
        begun = prompt is not None and state.desk.has_press_begun(prompt)
        match seen:
            case ob.ButtonReleased() if begun:
                acted = self._judge_action(state, controls[chair, "tap"], seen.at)
                stepped = any(isinstance(event, ev.ChoiceStepped) for event in acted)
                return acted if stepped else (ev.PressEnded(chair), *acted)
            case ob.ButtonReleased():
                ended: tuple[Event, ...] = (ev.PressEnded(chair),) if mark is not None and mark.down else ()
                return (*ended, *self.judge_idle_release(state, chair, seen.at))
            case ob.ButtonHeld() if begun:
                return (ev.PressEnded(chair), *self._judge_action(state, controls[chair, "hold"], seen.at))
        return ()

    def _prompt_of(self, state: S, chair: Chair) -> Prompt | None:
        return next((prompt for prompt in self.prompts(state) if prompt.chair == chair), None)

    def _judge_shared_button(
        self, state: S, seen: ob.ButtonPressed | ob.ButtonReleased | ob.ButtonHeld
    ) -> tuple[Event, ...]:
        match seen:
            case ob.ButtonHeld(button="back"):
                return self.decide(state, ob.PauseRequested(at=seen.at))
            case ob.ButtonPressed(button="ok") if state.desk.paused:
                return (ev.GameResumed(),)
            case ob.ButtonPressed():
                action = self.controls(state).get((None, seen.button))
                return () if action is None else self._judge_action(state, action, seen.at)
        return ()

    def _judge_action(self, state: S, action: Action, at: Micros) -> tuple[Event, ...]:
        if action.verb == STEP:
            return judge_step(state.desk, self.prompts(state), action)
        return self.judge(state, action, at)
