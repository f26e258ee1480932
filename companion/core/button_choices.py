"""Mapping of one button to a choice among several actions, by taps and holds.

A chair with one choice acts on the edge of its press. With two, a tap is the first and a hold the second.
With up to `MAX_STEPPED`, taps step through them and a hold confirms. Of more, a tap takes the first half and
a hold the second, until one is left: 15 numbers take four presses; but an answer that names nothing, before
names of the same kind, is the common one, and a single tap. While a single chair is asked, the shared
buttons back and next also step through its choices, and ok confirms; of halves back is the first.
"""

from collections.abc import Iterable, Mapping

from companion.core import events as ev
from companion.core.actions import Action, Chair, Prompt
from companion.core.events import Event
from companion.core.game_status import GameStatus

Controls = Mapping[tuple[Chair | None, str], Action]
"""(chair, `press`|`tap`|`hold`) or (None, `back`|`next`|`ok`) → the action it takes now."""

STEP = "step"
"""The verb of a step through the choices, by 1, by -1, or into a half; it never reaches a game's rules."""
MAX_STEPPED = 5
"""The most choices that are stepped through: no choice takes more presses than this."""
HALVES = ("first", "second")
"""The halves that a press takes, as `STEP` names them."""


def controls_of(desk: GameStatus, prompt: Prompt) -> Controls:
    """The meaning of the prompted chair's button."""
    chair, actions = prompt.chair, prompt.actions
    if len(actions) == 1:
        return {(chair, "press"): actions[0]}
    if len(actions) == 2:
        return {(chair, "tap"): actions[0], (chair, "hold"): actions[1]}
    if len(actions) > MAX_STEPPED:
        first, second = _half_presses(desk, prompt)
        return {(chair, "tap"): first, (chair, "hold"): second}
    step = Action(actions[0].seat, STEP, 1)
    return {(chair, "tap"): step, (chair, "hold"): actions[desk.choice_index(prompt)]}


def split_choices(desk: GameStatus, prompt: Prompt) -> tuple[range, range]:
    """The places of the actions among which a tap and a hold choose now, of more than `MAX_STEPPED`.

    The step is a node of the tree of halves, counted from the root as in a heap: of node n the first half is
    2n + 1, the second 2n + 2.
    """
    path, node = list[int](), desk.choice_index(prompt)
    while node > 0:
        path.append((node - 1) % 2)
        node = (node - 1) // 2
    left = range(len(prompt.actions))
    for second in reversed(path):
        half = _split(prompt, left)[second]
        if len(half) > 1:
            left = half
    return _split(prompt, left)


def press_signs(desk: GameStatus, prompt: Prompt) -> tuple[str, ...]:
    """The press that leads to each action now, `press`, `tap` or `hold`; empty: another half was taken."""
    many = len(prompt.actions)
    if many > MAX_STEPPED:
        first, second = split_choices(desk, prompt)
        return tuple("tap" if at in first else "hold" if at in second else "" for at in range(many))
    marked = desk.choice_index(prompt)
    signs = {1: ("press",), 2: ("tap", "hold")}
    return signs.get(many) or tuple("hold" if at == marked else "tap" for at in range(many))


def presses_to(desk: GameStatus, prompt: Prompt, action: Action) -> tuple[str, ...]:
    """The taps and holds that take an action from here; one that is alone takes a tap."""
    place, many = prompt.actions.index(action), len(prompt.actions)
    if many <= 2:
        return (("tap", "hold")[place],)
    if many <= MAX_STEPPED:
        return (*("tap",) * ((place - desk.choice_index(prompt)) % many), "hold")
    presses, halves = list[str](), split_choices(desk, prompt)
    while True:
        second = place in halves[1]
        presses.append("hold" if second else "tap")
        if len(halves[second]) == 1:
            return tuple(presses)
        halves = _split(prompt, halves[second])


def _split(prompt: Prompt, places: range) -> tuple[range, range]:
    """What a tap takes of these, and what a hold."""
    plain, named = prompt.actions[places[0]], prompt.actions[places[-1]]
    is_common = plain.value is None and named.value is not None and plain.verb == named.verb
    middle = 1 if is_common else len(places) // 2
    return places[:middle], places[middle:]


def _half_presses(desk: GameStatus, prompt: Prompt) -> tuple[Action, Action]:
    """What takes the first half and the second: the action itself where it is the only one."""
    first, second = (
        prompt.actions[half[0]] if len(half) == 1 else Action(prompt.actions[0].seat, STEP, name)
        for name, half in zip(HALVES, split_choices(desk, prompt), strict=True)
    )
    return first, second


def shared_controls(desk: GameStatus, prompt: Prompt) -> Controls:
    """The meaning of the shared buttons while this is the only prompt."""
    actions = prompt.actions
    if len(actions) > MAX_STEPPED:
        first, second = _half_presses(desk, prompt)
        return {(None, "back"): first, (None, "next"): second}
    table: dict[tuple[Chair | None, str], Action] = {(None, "ok"): actions[desk.choice_index(prompt)]}
    if len(actions) > 1:
        table[None, "next"] = Action(actions[0].seat, STEP, 1)
        table[None, "back"] = Action(actions[0].seat, STEP, -1)
    return table


def judge_step(desk: GameStatus, prompts: Iterable[Prompt], step: Action) -> tuple[Event, ...]:
    """The ruling on a step through a prompt's choices."""
    for prompt in prompts:
        if prompt.actions[0].seat != step.seat:
            continue
        now, halved = desk.choice_index(prompt), len(prompt.actions) > MAX_STEPPED
        if halved and step.value in HALVES:
            half = HALVES.index(str(step.value))
            if len(split_choices(desk, prompt)[half]) > 1:
                return (ev.ChoiceStepped(prompt.chair, 2 * now + 1 + half, prompt.actions),)
        elif not halved and isinstance(step.value, int):
            cursor = (now + step.value) % len(prompt.actions)
            return (ev.ChoiceStepped(prompt.chair, cursor, prompt.actions),)
    return ()
