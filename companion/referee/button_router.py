"""Router of button presses: each goes to the game or to the page that was in control when it began.

Pages and game share the buttons. A press goes to the one that was in control when the button went down, and
its release follows, whatever is on the screen by then. A button that is down when control changes (a game
begins or is left) is ignored until it is released.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from msgspec.structs import replace

from companion.core.actions import HOLD_TIME, Chair, Micros
from companion.core.debounce import Debouncer
from companion.core.observations import ButtonPressed, Observation
from companion.core.switch import ButtonId, ButtonKey, ButtonStatistics, Edge

PressOwner = Literal["game", "page", "nobody"]


class ButtonRouter:
    """The levels of all buttons, and the owner of each press."""

    def __init__(
        self, level: Callable[[Chair | None, str], bool | None] | None = None, *, usual: PressOwner = "game"
    ) -> None:
        """`level` reads a pin; `usual` is the owner of presses for which none was given."""
        self._debouncer = Debouncer(level)
        self._usual = usual
        self._unjudged_presses: dict[ButtonKey, tuple[PressOwner, Micros]] = {}
        """Owner and beginning of every press that is not judged yet."""
        self._down: dict[ButtonKey, tuple[PressOwner, Micros]] = {}
        """Owner and beginning of every press that was judged and not released."""

    def add_edge(
        self,
        edge: Edge,
        arrived: Micros | None = None,
        *,
        whose: PressOwner | None = None,
        ruled: Micros = -1,
    ) -> bool:
        """Add an edge; a press that begins with it belongs to `whose`. Returns whether one may begin.

        Presses and releases up to `ruled` stand, should the edge tell of a disturbance.
        """
        key = edge.source, edge.chair, edge.button
        begins = edge.level and not self._debouncer.may_be_down(key)
        if begins:
            self._unjudged_presses[key] = whose or self._usual, edge.at
        self._debouncer.add_edge(edge, arrived, ruled)
        return begins

    def stamp_late_release(self, edge: Edge, *, judged: Micros) -> Edge:
        """A release that was noticed late, stamped as a tap if it may have been one.

        Keys and touches are stamped when they are polled, the latest possible instant. Holds were judged up
        to `judged`; one that would result from the delay alone counts as a tap, the less drastic of the two.
        """
        key = edge.source, edge.chair, edge.button
        _, pressed = self._unjudged_presses.get(key) or self._down.get(key) or ("", edge.at)
        if judged < pressed + HOLD_TIME <= edge.at:
            return replace(edge, at=pressed + HOLD_TIME - 1)
        return edge

    def advance(self, now: Micros, read_at: Micros | None = None) -> list[tuple[Observation, PressOwner]]:
        """The presses and releases decided by `now`, in order of their time stamps, with their owners."""
        found = [(seen, self._owner(seen)) for seen in self._debouncer.advance(now, read_at)]
        if not self._debouncer.awaits_calm:  # then it may be found again that they are down
            self._unjudged_presses = {
                key: began
                for key, began in self._unjudged_presses.items()
                if self._debouncer.may_be_down(key)
            }
        return found

    def _owner(self, seen: Observation) -> PressOwner:
        key = seen.source, seen.chair, seen.button  # type: ignore[attr-defined]  # the debouncer returns nothing else
        if isinstance(seen, ButtonPressed):
            whose, _ = self._unjudged_presses.pop(key, (self._usual, seen.at))
            self._down[key] = whose, seen.at
            return whose
        return self._down.pop(key, (self._usual, seen.at))[0]

    def take_over_from(self, before: ButtonRouter) -> None:
        """Take over the buttons that are down; their presses and releases are ignored here."""
        self._debouncer.copy_levels_from(before._debouncer)
        self._unjudged_presses.clear()
        self._down = dict.fromkeys(self._debouncer.pressed_buttons(), ("nobody", 0))

    @property
    def disturbed(self) -> tuple[Micros, Micros] | None:
        """From when until when the pins said nothing, the last time that a cable picked something up."""
        return self._debouncer.disturbed

    def may_find_press(self, at: Micros) -> bool:
        """Whether a press may still be found that may have come before `at`."""
        return self._debouncer.may_find_press(at)

    # Of the debouncer -------------------------------------------------------------------------------------

    def set_initial_levels(self, levels: Mapping[ButtonId, bool]) -> None:
        self._debouncer.set_initial_levels(levels)

    def compare_levels(self, now: Micros, levels: Mapping[ButtonId, bool], *, wait: Micros) -> None:
        self._debouncer.compare_levels(now, levels, wait=wait)

    def postpone_readings(self, since: Micros, until: Micros) -> None:
        self._debouncer.postpone_readings(since, until)

    def buttons_maybe_down(self) -> frozenset[ButtonId]:
        """The buttons that are down or may be."""
        return self._debouncer.buttons_maybe_down()

    def next_due(self) -> Micros | None:
        return self._debouncer.next_due()

    def statistics(self) -> dict[ButtonKey, ButtonStatistics]:
        return self._debouncer.statistics()
