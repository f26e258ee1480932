"""Keeps the screen alive when a page fails: closes its overlay, or replaces the page."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from companion.core.actions import Micros
from companion.system.fault_isolation import FaultIsolation, run_and_log
from companion.ui.frame import PageFrame
from companion.ui.pages.base import InputResult, Page

T = TypeVar("T")


class PageGuard:
    """Asks the page that is on the glass, or the plain one in its place."""

    def __init__(
        self,
        pages: Mapping[str, Page[Any]],
        plain: Page[Any],
        parts: FaultIsolation,
        *,
        close: Callable[[], None],
    ) -> None:
        """`close` folds away whatever lies over the page."""
        self._pages = pages
        self._plain = plain
        self._parts = parts
        self._close = close
        self._failed: set[str] = set()
        self._plain_failed = False

    def reset(self) -> None:
        """Somebody went to a page: those that failed get another chance."""
        self._failed.clear()

    def redraw_interval(self, name: str, frame: PageFrame) -> Micros:
        return self._ask(name, frame, lambda page: page.redraw_interval(frame), 0)

    def takes_shared_buttons(self, name: str, frame: PageFrame) -> bool:
        return self._ask(name, frame, lambda page: page.takes_shared_buttons(frame), otherwise=False)

    def takes_chair_buttons(self, name: str, frame: PageFrame) -> bool:
        return self._ask(name, frame, lambda page: page.takes_chair_buttons(frame), otherwise=False)

    def describe_focus(self, name: str, frame: PageFrame) -> tuple[str, str]:
        return self._ask(name, frame, lambda page: page.describe_focus(frame), ("", ""))

    def needs_redraw(self, name: str, frame: PageFrame, now: Micros) -> bool:
        return self._ask(name, frame, lambda page: page.needs_redraw(frame, now), otherwise=True)

    def draw(self, name: str, surface: Any, frame: PageFrame, now: Micros) -> bool:
        """Whether the glass shows the frame."""

        def draw_page(page: Page[Any]) -> bool:
            page.draw(surface, frame, now)
            return True

        return self._ask(name, frame, draw_page, otherwise=False)

    def handle(self, name: str, entered: Any, frame: PageFrame) -> InputResult:
        nothing: InputResult = (frame.ui_state.without_overlay(), ())
        return self._ask(name, frame, lambda page: page.handle(entered, frame), nothing)

    def _ask(self, name: str, frame: PageFrame, question: Callable[[Page[Any]], T], otherwise: T) -> T:
        fallen = name in self._failed
        page = self._plain if fallen else self._pages[name]
        found: list[T] = []
        known = fallen and self._plain_failed
        if run_and_log(f"The page {name}", lambda: found.append(question(page)), known=known) is None:
            return found[0]
        if fallen:
            self._plain_failed = True
            return otherwise
        if frame.ui_state.overlay:
            self._parts.report_failure("overlay")
            self._close()
            return otherwise
        self._failed.add(name)
        self._parts.report_failure("page")
        return self._ask(name, frame, question, otherwise)
