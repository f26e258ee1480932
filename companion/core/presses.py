"""The one-button grammar that all games share: what each button means, of what the chairs are asked.

A chair with one choice acts at the edge of its press; with two, a tap is the first and a hold the second;
with more, taps step through them and a hold confirms. When one chair alone is asked, the shared buttons back
and next step through its choices too, and ok confirms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.core import events as ev
from companion.core.actions import Action, Chair, Prompt
from companion.core.desk import Desk
from companion.core.events import Event

Controls = Mapping[tuple[Chair | None, str], Action]
"""(chair, `press`|`tap`|`hold`) or (None, `back`|`next`|`ok`) → what that means now."""

STEP = "step"
"""The verb of a step through choices: no game sees it."""


def controls_of(desk: Desk, prompt: Prompt) -> Controls:
    """What the button of the chair that is asked means."""
    chair, options = prompt.chair, prompt.options
    if len(options) == 1:
        return {(chair, "press"): options[0]}
    if len(options) == 2:
        return {(chair, "tap"): options[0], (chair, "hold"): options[1]}
    step = Action(options[0].seat, STEP, 1)
    return {(chair, "tap"): step, (chair, "hold"): options[desk.cursor(prompt)]}


def shared_controls(desk: Desk, prompt: Prompt) -> Controls:
    """What the shared buttons mean while this chair alone is asked."""
    options = prompt.options
    table: dict[tuple[Chair | None, str], Action] = {(None, "ok"): options[desk.cursor(prompt)]}
    if len(options) > 1:
        table[None, "next"] = Action(options[0].seat, STEP, 1)
        table[None, "back"] = Action(options[0].seat, STEP, -1)
    return table


def step_through(desk: Desk, prompts: Iterable[Prompt], step: Action) -> tuple[Event, ...]:
    """The ruling on a step through the choices of the chair that is asked."""
    for prompt in prompts:
        if prompt.options[0].seat == step.seat and isinstance(step.value, int):
            cursor = (desk.cursor(prompt) + step.value) % len(prompt.options)
            return (ev.ChoiceStepped(prompt.chair, cursor, prompt.options),)
    return ()
