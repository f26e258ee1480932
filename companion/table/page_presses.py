"""Hands button presses to the page on which they began."""

from collections.abc import Callable, Mapping
from typing import Any

from companion.core.actions import Micros
from companion.core.debounce import HoldDetector
from companion.table.navigation import Navigation
from companion.ui.frame import GameFrame, PageFrame
from companion.ui.pages.base import Page


class PagePresses:
    """Hands presses and holds to the page in the order in which they happened."""

    def __init__(
        self,
        navigation: Navigation,
        pages: Mapping[str, Page[Any]],
        *,
        frame: Callable[[], PageFrame],
        handle: Callable[[Any], None],
    ) -> None:
        """`frame` is the frame now; `handle` has the page take a press or a hold."""
        self._at = navigation
        self._pages = pages
        self._frame = frame
        self._handle = handle
        self._holds = HoldDetector()
        self._place: tuple[object, ...] = ()
        """What the presses that are down were for."""

    def next_due(self) -> Micros | None:
        """When the next hold is long enough."""
        return self._holds.next_due()

    def hand_over_presses(self, now: Micros) -> None:
        """Hand over what was pressed and held up to now; what leads to or from a game ends them."""
        session = self._at.session
        if session is None:
            judged = [seen for seen, whose in self._at.idle_buttons.advance(now) if whose == "page"]
        else:
            judged, session.game.page_presses = session.game.page_presses, []
        for pressed in judged:
            if self._at.session is not session:
                return
            self._hand_over_holds(pressed.at)  # a busy round may see press and release at once
            self._holds.note_observation(pressed)
            self._handle(pressed)
        if self._holds.next_due() is not None:  # what nobody holds is for no page: most rounds end here
            self._hand_over_holds(now)

    def _hand_over_holds(self, until: Micros) -> None:
        """A hold counts only if page, overlay and lesson card are still those of its press."""
        page, frame = self._pages[self._at.page], self._frame()
        guide = frame.guide if isinstance(frame, GameFrame) else None
        place = (self._at.page, page.active_overlay(frame), guide and (guide.kind, guide.step, guide.since))
        if place != self._place:
            self._place = place
            self._holds.clear()
        for held in self._holds.advance(until):
            self._handle(held)
