"""The pages as parts that may fail: an overlay is closed, a page is replaced by a plain one."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from companion.core.actions import Micros
from companion.referee.parts import Parts, caught
from companion.ui.frame import Frame
from companion.ui.pages.base import Handled, Page

T = TypeVar("T")


class Stage:
    """Asks the page that is on the glass, or the plain one in its place."""

    def __init__(
        self, pages: Mapping[str, Page[Any]], plain: Page[Any], parts: Parts, *, close: Callable[[], None]
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

    def pace(self, name: str, frame: Frame) -> Micros:
        return self._ask(name, frame, lambda page: page.pace(frame), 0)

    def takes_shared(self, name: str, frame: Frame) -> bool:
        return self._ask(name, frame, lambda page: page.takes_shared(frame), otherwise=False)

    def takes_chairs(self, name: str, frame: Frame) -> bool:
        return self._ask(name, frame, lambda page: page.takes_chairs(frame), otherwise=False)

    def heard(self, name: str, frame: Frame) -> tuple[str, str]:
        return self._ask(name, frame, lambda page: page.heard(frame), ("", ""))

    def needs_redraw(self, name: str, frame: Frame, now: Micros) -> bool:
        return self._ask(name, frame, lambda page: page.needs_redraw(frame, now), otherwise=True)

    def draw(self, name: str, surface: Any, frame: Frame, now: Micros) -> bool:
        """Whether the glass shows the frame."""

        def drawn(page: Page[Any]) -> bool:
            page.draw(surface, frame, now)
            return True

        return self._ask(name, frame, drawn, otherwise=False)

    def handle(self, name: str, entered: Any, frame: Frame) -> Handled:
        nothing: Handled = (frame.glass.bare(), ())
        return self._ask(name, frame, lambda page: page.handle(entered, frame), nothing)

    def _ask(self, name: str, frame: Frame, question: Callable[[Page[Any]], T], otherwise: T) -> T:
        fallen = name in self._failed
        page = self._plain if fallen else self._pages[name]
        found: list[T] = []
        known = fallen and self._plain_failed
        if caught(f"The page {name}", lambda: found.append(question(page)), known=known) is None:
            return found[0]
        if fallen:
            self._plain_failed = True
            return otherwise
        if frame.glass.overlay:
            self._parts.tell("overlay")
            self._close()
            return otherwise
        self._failed.add(name)
        self._parts.tell("page")
        return self._ask(name, frame, question, otherwise)
