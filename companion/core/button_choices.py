"""Mapping of one button to a choice among several actions, by taps and holds.

A chair with one choice acts on the edge of its press. With two, a tap is the first and a hold the second.
With up to `MAX_STEPPED`, taps step through them and a hold confirms. Of more, a tap takes the first half and
a hold the second, until one is left: 15 numbers take four presses; but an answer that names nothing, before
names of the same kind, is the common one, and a single tap. While a single chair is asked, the shared
buttons back and next also step through its choices, and ok confirms; of halves back is the first.

Choices with two values (`Action.has_two_steps`) make rows, one for each first value: taps step through the
rows and a hold picks one, then taps step through its choices. A tap beyond the last is back at the rows.
The cursor is the place of an action: of the first one of a row, or, counted on from the number of actions,
of one within the row that was picked.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

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
PICK = "row:"
"""With the place of an action: `STEP` into its row; alone, back to the rows."""
Rows = tuple[tuple[int, ...], ...]
"""Places of actions that are one step together."""


def controls_of(desk: GameStatus, prompt: Prompt) -> Controls:
    """The meaning of the prompted chair's button."""
    chair, actions = prompt.chair, prompt.actions
    if len(actions) == 1:
        return {(chair, "press"): actions[0]}
    if len(actions) == 2:
        return {(chair, "tap"): actions[0], (chair, "hold"): actions[1]}
    if has_rows(prompt):
        return {(chair, "tap"): Action(actions[0].seat, STEP, 1), (chair, "hold"): _marked(desk, prompt)}
    if len(actions) > MAX_STEPPED:
        first, second = _half_presses(desk, prompt)
        return {(chair, "tap"): first, (chair, "hold"): second}
    step = Action(actions[0].seat, STEP, 1)
    return {(chair, "tap"): step, (chair, "hold"): actions[desk.choice_index(prompt)]}


def has_rows(prompt: Prompt) -> bool:
    """Whether the prompt is answered in two steps: of two choices each has a press."""
    return len(prompt.actions) > len(HALVES) and any(action.has_two_steps for action in prompt.actions)


def is_halved(prompt: Prompt) -> bool:
    """Whether a press takes half of the choices."""
    return len(prompt.actions) > MAX_STEPPED and not has_rows(prompt)


@lru_cache(maxsize=64)
def first_rows(actions: tuple[Action, ...]) -> Rows:
    """The places of the actions by first value; one without a second value is a row of its own."""
    found: dict[object, list[int]] = {}
    for place, action in enumerate(actions):
        row = (action.verb, action.parts[0]) if action.has_two_steps else place
        found.setdefault(row, []).append(place)
    rows = tuple(map(tuple, found.values()))
    return rows if len(rows) > 1 else tuple((place,) for place in rows[0])


def stepped_rows(desk: GameStatus, prompt: Prompt) -> tuple[Rows, int]:
    """What taps step through now, and which of it is marked: rows, or the choices of the row picked."""
    many, rows, cursor = len(prompt.actions), first_rows(prompt.actions), desk.choice_index(prompt)
    row = next(row for row in rows if cursor % many in row)
    if cursor < many:
        return rows, rows.index(row)
    return tuple((place,) for place in row), row.index(cursor - many)


def _marked(desk: GameStatus, prompt: Prompt) -> Action:
    """What a hold does in two steps: it picks the marked row, or takes the marked action."""
    rows, now = stepped_rows(desk, prompt)
    taken = prompt.actions[rows[now][0]]
    return taken if len(rows[now]) == 1 else Action(taken.seat, STEP, f"{PICK}{rows[now][0]}")


def _step_rows(desk: GameStatus, prompt: Prompt, step: Action) -> int | None:
    """The cursor after a step in two; None: it leads nowhere."""
    many, (rows, now) = len(prompt.actions), stepped_rows(desk, prompt)
    within = desk.choice_index(prompt) >= many
    if isinstance(step.value, int):
        at = now + step.value
        if within and at not in range(len(rows)):
            return rows[0][0]
        return rows[at % len(rows)][0] + many * within
    name, mark, place = str(step.value).partition(PICK)
    if name or not mark:
        return None
    if not place:
        return rows[0][0] if within else None
    picked = any(int(place) == row[0] for row in first_rows(prompt.actions)) if place.isdecimal() else False
    return many + int(place) if picked else None


def _presses_through_rows(desk: GameStatus, prompt: Prompt, place: int) -> Iterable[str]:
    rows, now = stepped_rows(desk, prompt)
    if desk.choice_index(prompt) >= len(prompt.actions) and (place,) not in rows[now:]:
        yield from ("tap",) * (len(rows) - now)
        rows, row = first_rows(prompt.actions), rows[0][0]
        now = next(at for at, one in enumerate(rows) if row in one)
    at = next(at for at, row in enumerate(rows) if place in row)
    yield from ("tap",) * ((at - now) % len(rows))
    if len(rows[at]) > 1:
        yield from ("hold", *("tap",) * rows[at].index(place))
    yield "hold"


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
    if has_rows(prompt):
        rows, now = stepped_rows(desk, prompt)
        signs = {place: "hold" if row == rows[now] else "tap" for row in rows for place in row}
        return tuple(signs.get(place, "") for place in range(many))
    if many > MAX_STEPPED:
        first, second = split_choices(desk, prompt)
        return tuple("tap" if at in first else "hold" if at in second else "" for at in range(many))
    marked = desk.choice_index(prompt)
    known = {1: ("press",), 2: ("tap", "hold")}
    return known.get(many) or tuple("hold" if at == marked else "tap" for at in range(many))


def presses_to(desk: GameStatus, prompt: Prompt, action: Action) -> tuple[str, ...]:
    """The taps and holds that take an action from here; one that is alone takes a tap."""
    place, many = prompt.actions.index(action), len(prompt.actions)
    if many <= 2:
        return (("tap", "hold")[place],)
    if has_rows(prompt):
        return tuple(_presses_through_rows(desk, prompt, place))
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
    if is_halved(prompt):
        first, second = _half_presses(desk, prompt)
        return {(None, "back"): first, (None, "next"): second}
    okay = _marked(desk, prompt) if has_rows(prompt) else actions[desk.choice_index(prompt)]
    table: dict[tuple[Chair | None, str], Action] = {(None, "ok"): okay}
    if len(actions) > 1:
        table[None, "next"] = Action(actions[0].seat, STEP, 1)
        table[None, "back"] = Action(actions[0].seat, STEP, -1)
    return table


def judge_step(desk: GameStatus, prompts: Iterable[Prompt], step: Action) -> tuple[Event, ...]:
    """The ruling on a step through a prompt's choices."""
    for prompt in prompts:
        if prompt.actions[0].seat != step.seat:
            continue
        now, halved = desk.choice_index(prompt), is_halved(prompt)
        if has_rows(prompt):
            moved = _step_rows(desk, prompt, step)
            return () if moved is None else (ev.ChoiceStepped(prompt.chair, moved, prompt.actions),)
        if halved and step.value in HALVES:
            half = HALVES.index(str(step.value))
            if len(split_choices(desk, prompt)[half]) > 1:
                return (ev.ChoiceStepped(prompt.chair, 2 * now + 1 + half, prompt.actions),)
        elif not halved and isinstance(step.value, int):
            cursor = (now + step.value) % len(prompt.actions)
            return (ev.ChoiceStepped(prompt.chair, cursor, prompt.actions),)
    return ()
