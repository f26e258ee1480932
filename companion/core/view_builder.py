"""View fields that are built the same way in all games."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict

from companion.core.actions import Chair, Outcome, Seat
from companion.core.game_status import S
from companion.core.view import ChairView, Choice, Sentence

if TYPE_CHECKING:
    from companion.core.rules import Rules


class CommonViewFields(TypedDict):
    """The fields of a view that no game fills in otherwise."""

    game: str
    headline: Sentence
    shared: tuple[Choice, ...]
    paused: bool
    by_hand: bool
    outcome: Outcome | None


def common_view_fields(rules: Rules[Any], state: Any, headline: Sentence) -> CommonViewFields:
    """These fields for `state`; `headline` is the game's own, which a pause replaces."""
    paused = state.desk.paused
    return CommonViewFields(
        game=rules.name,
        headline=Sentence("shared.phase.paused") if paused else headline,
        shared=rules.shared_button_choices(state),
        paused=paused,
        by_hand=state.desk.blind,
        outcome=rules.outcome(state),
    )


def chair_views(rules: Rules[S], state: S, **parts: Callable[[S, Seat], Any]) -> tuple[ChairView, ...]:
    """Every person with what they are asked; each of `parts` makes that field of a `ChairView` for a seat.

    For games in which each person has one seat, the first chair seat 0.
    """
    asked = choices_by_chair(rules, state)
    return tuple(
        ChairView(
            chair=chair,
            seat=seat,
            asked=chair in asked,
            choices=asked.get(chair, ()),
            **{name: part(state, seat) for name, part in parts.items()},
        )
        for seat, chair in enumerate(state.setup.chairs)
    )


def choices_by_chair(rules: Rules[Any], state: Any) -> dict[Chair, tuple[Choice, ...]]:
    """The chairs that are asked something now, each with its choices; none while the game is paused."""
    if state.desk.paused:
        return {}
    return {prompt.chair: rules.choices(state, prompt) for prompt in rules.prompts(state)}
