"""Mapping of one button to a choice among several actions, by taps and holds.

A chair with one choice acts on the edge of its press. With two, a tap is the first and a hold the second.
With more, taps step through them and a hold confirms. While a single chair is asked, the shared buttons back
and next also step through its choices, and ok confirms.
"""

from collections.abc import Iterable, Mapping

from companion.core import events as ev
from companion.core.actions import Action, Chair, Prompt
from companion.core.events import Event
from companion.core.game_status import GameStatus

Controls = Mapping[tuple[Chair | None, str], Action]
"""(chair, `press`|`tap`|`hold`) or (None, `back`|`next`|`ok`) → the action it takes now."""

STEP = "step"
"""The verb of a step through the choices; it never reaches a game's rules."""


def controls_of(desk: GameStatus, prompt: Prompt) -> Controls:
    """The meaning of the prompted chair's button."""
    chair, actions = prompt.chair, prompt.actions
    if len(actions) == 1:
        return {(chair, "press"): actions[0]}
    if len(actions) == 2:
        return {(chair, "tap"): actions[0], (chair, "hold"): actions[1]}
    step = Action(actions[0].seat, STEP, 1)
    return {(chair, "tap"): step, (chair, "hold"): actions[desk.choice_index(prompt)]}


def shared_controls(desk: GameStatus, prompt: Prompt) -> Controls:
    """The meaning of the shared buttons while this is the only prompt."""
    actions = prompt.actions
    table: dict[tuple[Chair | None, str], Action] = {(None, "ok"): actions[desk.choice_index(prompt)]}
    if len(actions) > 1:
        table[None, "next"] = Action(actions[0].seat, STEP, 1)
        table[None, "back"] = Action(actions[0].seat, STEP, -1)
    return table


def judge_step(desk: GameStatus, prompts: Iterable[Prompt], step: Action) -> tuple[Event, ...]:
    """The ruling on a step through a prompt's choices."""
    for prompt in prompts:
        if prompt.actions[0].seat == step.seat and isinstance(step.value, int):
            cursor = (desk.choice_index(prompt) + step.value) % len(prompt.actions)
            return (ev.ChoiceStepped(prompt.chair, cursor, prompt.actions),)
    return ()
