"""The view of a game without a mat, made of tables: no such game draws anything."""

from collections.abc import Sequence
from typing import Any, TypeVar

from companion.core.actions import Seat
from companion.core.rules import Rules
from companion.core.view import Cell, ClockView, LampSignal, PlaceView, RepairField, Sentence, Token, View

T = TypeVar("T")


def row_view(
    rules: Rules[Any],
    state: Any,
    *,
    phase: str,
    headline: Sentence,
    hint: Sentence | None = None,
    lamps: Sequence[LampSignal] = (),
    tokens: Sequence[tuple[Token, ...]] = (),
    clocks: Sequence[ClockView | None] = (),
    notes: Sequence[Sentence | None] = (),
    rows: Sequence[tuple[Cell, ...]] = (),
    places: Sequence[PlaceView] = (),
    card: str = "",
    fields: tuple[RepairField, ...] = (),
) -> View:
    """A view whose plates are given by seat, and whose middle in rows and places; what is left out is empty.

    Without `lamps` those blink slowly that are asked.
    """
    asked = rules.asked_chairs(state)

    def lamp(_: Any, seat: Seat) -> LampSignal:
        slow = LampSignal.SLOW if state.chair_of(seat) in asked else LampSignal.DARK
        return _of_seat(lamps, seat, slow)

    return View(
        **rules.common_view_fields(state, headline),
        phase=phase,
        hint=hint,
        chairs=rules.chair_views(
            state,
            lamp=lamp,
            cards=lambda *_: 0,
            tokens=lambda _, seat: _of_seat(tokens, seat, ()),
            clock=lambda _, seat: _of_seat(clocks, seat, None),
            note=lambda _, seat: _of_seat(notes, seat, None),
        ),
        places=tuple(places),
        card=card,
        rows=tuple(rows),
        fields=fields,
    )


def _of_seat(table: Sequence[T], seat: Seat, default: T) -> T:
    return table[seat] if table else default
