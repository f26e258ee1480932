"""Checks that the events of a journal from elsewhere name only seats, chairs and cards of their game."""

from collections.abc import Callable, Container, Iterator
from functools import cache
from typing import Any

from companion.core.actions import Setup
from companion.core.events import Event
from companion.core.rules import Rules

ONE_OR_MORE = "{0}", "{0} | None", "tuple[{0}, ...]"
"""The declared types of fields that hold seats or chairs."""


def check_named(rules: Rules[Any], setup: Setup) -> Callable[[Event], None]:
    """A function that raises `LookupError` for an event that names something this game does not have."""
    there: dict[str, Container[Any]] = {"Seat": range(rules.seats(setup)), "Chair": frozenset(setup.chairs)}
    named = rules.named(setup)

    def check(event: Event) -> None:
        for field, kind in _people(type(event)):
            _within(getattr(event, field), there[kind])
        for field, known in named.items():
            if field in event.__struct_fields__:
                _within(getattr(event, field), known)

    return check


def _within(value: Any, known: Container[Any]) -> None:
    for one in value if isinstance(value, tuple) else (value,):
        if one is not None and one not in known:
            raise LookupError(one)


@cache
def _people(event: type[Event]) -> tuple[tuple[str, str], ...]:
    """The fields of an event that hold seats or chairs, with the kind of each."""
    return tuple(_declared(event))


def _declared(event: type[Event]) -> Iterator[tuple[str, str]]:
    for parent in event.__mro__:
        for field, declared in vars(parent).get("__annotations__", {}).items():
            for kind in ("Seat", "Chair"):
                if declared in {form.format(kind) for form in ONE_OR_MORE}:
                    yield field, kind
