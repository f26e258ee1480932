"""Validation that the events of a foreign journal name only seats, chairs and cards of their game."""

from collections.abc import Callable, Container
from functools import cache
from typing import Any, get_args, get_type_hints

from companion.core.actions import Chair, Seat, Setup
from companion.core.events import Event
from companion.core.rules import Rules


def build_event_check(rules: Rules[Any], setup: Setup) -> Callable[[Event], None]:
    """A function that raises `LookupError` for an event that names something this game does not have."""
    there: dict[Any, Container[Any]] = {Seat: range(rules.hand_count(setup)), Chair: frozenset(setup.chairs)}
    named = rules.valid_field_values(setup)

    def check(event: Event) -> None:
        for field, kind in _seat_and_chair_fields(type(event)):
            _check_within(getattr(event, field), there[kind])
        for field, known in named.items():
            if field in event.__struct_fields__:
                _check_within(getattr(event, field), known)

    return check


def _check_within(value: Any, known: Container[Any]) -> None:
    for one in value if isinstance(value, tuple) else (value,):
        if one is not None and one not in known:
            raise LookupError(one)


@cache
def _seat_and_chair_fields(event: type[Event]) -> tuple[tuple[str, Any], ...]:
    """The fields of an event that hold seats or chairs, one, none or several, with the kind of each."""
    hints = get_type_hints(event, include_extras=True)
    return tuple(
        (field, kind)
        for field, declared in hints.items()
        for kind in (Seat, Chair)
        if kind in (declared, *get_args(declared))
    )
