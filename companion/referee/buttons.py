"""All buttons of the table: which are down, and whether a press goes to the game or to the page.

Pages and game share the buttons. A press goes to the one that was in control when the button went down, and
its release follows, whatever is on the screen by then. A button that is down when control changes (a game
begins or is left) is ignored until it is released.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from msgspec.structs import replace

from companion.core.actions import HOLD, Chair, Micros
from companion.core.debounce import Debouncer
from companion.core.observations import ButtonPressed, Observation
from companion.core.one_button import ButtonKey, Edge, Line, Tally

Whose = Literal["game", "page", "nobody"]


class Buttons:
    """The levels of all buttons, and the owner of each press."""

    def __init__(
        self, level: Callable[[Chair | None, str], bool | None] | None = None, *, usual: Whose = "game"
    ) -> None:
        """`level` reads a pin; `usual` is the owner of presses for which none was given."""
        self._debouncer = Debouncer(level)
        self._usual = usual
        self._coming: dict[ButtonKey, tuple[Whose, Micros]] = {}
        """Owner and beginning of every press that is not judged yet."""
        self._down: dict[ButtonKey, tuple[Whose, Micros]] = {}
        """Owner and beginning of every press that was judged and not released."""

    def edge(self, edge: Edge, heard: Micros | None = None, *, whose: Whose | None = None) -> bool:
        """Add an edge; a press that begins with it belongs to `whose`. Returns whether one may begin."""
        key = edge.source, edge.chair, edge.button
        begins = edge.level and not self._debouncer.is_lit(key)
        if begins:
            self._coming[key] = whose or self._usual, edge.at
        self._debouncer.edge(edge, heard)
        return begins

    def let_go(self, edge: Edge, *, judged: Micros) -> Edge:
        """A release that was noticed late, stamped as a tap if it may have been one.

        Keys and touches are stamped when they are polled, the latest possible instant. Holds were judged up
        to `judged`; one that would result from the delay alone counts as a tap, the less drastic of the two.
        """
        key = edge.source, edge.chair, edge.button
        _, pressed = self._coming.get(key) or self._down.get(key) or ("", edge.at)
        if judged < pressed + HOLD <= edge.at:
            return replace(edge, at=pressed + HOLD - 1)
        return edge

    def advance(self, now: Micros) -> list[tuple[Observation, Whose]]:
        """The presses and releases decided by `now`, in order of their time stamps, with their owners."""
        found = [(seen, self._owner(seen)) for seen in self._debouncer.advance(now)]
        self._coming = {key: began for key, began in self._coming.items() if self._debouncer.is_lit(key)}
        return found

    def _owner(self, seen: Observation) -> Whose:
        key = seen.source, seen.chair, seen.button  # type: ignore[attr-defined]  # the lockout returns nothing else
        if isinstance(seen, ButtonPressed):
            whose, _ = self._coming.pop(key, (self._usual, seen.at))
            self._down[key] = whose, seen.at
            return whose
        return self._down.pop(key, (self._usual, seen.at))[0]

    def inherit(self, before: Buttons) -> None:
        """Take over the buttons that are down; their presses and releases are ignored here."""
        self._debouncer.inherit(before._debouncer)
        self._coming.clear()
        self._down = dict.fromkeys(self._debouncer.down(), ("nobody", 0))

    @property
    def disturbed(self) -> tuple[Micros, Micros] | None:
        """From when until when the pins said nothing, the last time that a cable picked something up."""
        return self._debouncer.disturbed

    # The lockout's ----------------------------------------------------------------------------------------

    def adopt(self, levels: Mapping[Line, bool]) -> None:
        self._debouncer.adopt(levels)

    def reread(self, now: Micros, levels: Mapping[Line, bool], *, wait: Micros) -> None:
        self._debouncer.reread(now, levels, wait=wait)

    def lit(self) -> frozenset[Line]:
        """The buttons that are down or may be."""
        return self._debouncer.lit()

    def next_due(self) -> Micros | None:
        return self._debouncer.next_due()

    def tallies(self) -> dict[ButtonKey, Tally]:
        return self._debouncer.tallies()
