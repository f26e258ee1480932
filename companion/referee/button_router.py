"""Router of button presses: each goes to the game or to the page that was in control when it began.

Pages and game share the buttons. A press goes to the one that was in control when the button went down, and
its release follows, whatever is on the screen by then. A button that is down when control changes (a game
begins or is left) is ignored until it is released.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec.structs import replace

from companion.core.actions import HOLD_TIME, Chair, Micros
from companion.core.debounce import Debouncer
from companion.core.observations import ButtonPressed, Observation
from companion.core.switch import ButtonKey, Edge

PressOwner = Literal["game", "page", "nobody"]


class ButtonRouter:
    """The levels of all buttons, and the owner of each press."""

    def __init__(
        self, level: Callable[[Chair | None, str], bool | None] | None = None, *, usual: PressOwner = "game"
    ) -> None:
        """`level` reads a pin; `usual` is the owner of presses for which none was given."""
        self.debouncer = Debouncer(level)
        """Of all of them; edges reach it through `add_edge`, presses leave it through `advance`."""
        self._usual = usual
        self._begun: dict[ButtonKey, list[tuple[PressOwner, Micros]]] = {}
        """Who was in control since when while a button may be down, presses not judged yet included."""
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
        begins = edge.level and not self.debouncer.may_be_down(key)
        if edge.level:
            owner, begun = whose or self._usual, self._begun.setdefault(key, [])
            if begins:
                begun.clear()
            if not begun or begun[-1][0] != owner or edge.source != "gpio":  # whose edges may be bounce
                begun.append((owner, edge.at))
        self.debouncer.add_edge(edge, arrived, ruled)
        return begins

    def stamp_late_release(self, edge: Edge, *, judged: Micros) -> Edge:
        """A release that was noticed late, stamped as a tap if it may have been one.

        Keys and touches are stamped when they are polled, the latest possible instant. Holds were judged up
        to `judged`; one that would result from the delay alone counts as a tap, the less drastic of the two.
        """
        key = edge.source, edge.chair, edge.button
        known = [*self._begun.get(key, ()), *([self._down[key]] if key in self._down else ())]
        pressed = max((at for _, at in known), default=edge.at)
        if judged < pressed + HOLD_TIME <= edge.at:
            return replace(edge, at=pressed + HOLD_TIME - 1)
        return edge

    def advance(self, now: Micros, read_at: Micros | None = None) -> list[tuple[Observation, PressOwner]]:
        """The presses and releases decided by `now`, in order of their time stamps, with their owners."""
        found = [(seen, self._owner(seen)) for seen in self.debouncer.advance(now, read_at)]
        if not self.debouncer.awaits_calm:  # then it may be found again that they are down
            self._begun = {
                key: began for key, began in self._begun.items() if self.debouncer.may_be_down(key)
            }
        return found

    def _owner(self, seen: Observation) -> PressOwner:
        key = seen.source, seen.chair, seen.button  # type: ignore[attr-defined]  # the debouncer returns nothing else
        if isinstance(seen, ButtonPressed):
            begun = self._begun.get(key, [])
            first = begun[0][0] if begun else self._usual
            whose = next((owner for owner, at in reversed(begun) if at <= seen.at), first)
            self._down[key] = whose, seen.at
            return whose
        return self._down.pop(key, (self._usual, seen.at))[0]

    def take_over_from(self, before: ButtonRouter) -> None:
        """Take over the buttons that are down; their presses and releases are ignored here."""
        self.debouncer.copy_levels_from(before.debouncer)
        self._begun.clear()
        self._down = dict.fromkeys(self.debouncer.pressed_buttons(), ("nobody", 0))
