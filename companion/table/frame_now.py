"""The frame of the page that is on the screen now, put together again only when something in it changed."""

from dataclasses import replace
from typing import Any

from companion.core.actions import Chair
from companion.core.appliance import Machine
from companion.core.camera_views import Bench
from companion.core.view import Sentence
from companion.referee.parts import Parts
from companion.table.around import Around
from companion.table.frames import (
    Common,
    bare_frame,
    game_frame,
    game_key,
    home_frame,
    recap_frame,
    setup_frame,
)
from companion.table.navigation import BENCHES, Navigation
from companion.table.notices import Notices
from companion.ui.bench import BenchFrame
from companion.ui.frame import Frame, PhonesFrame


class FrameNow:
    """Puts frames together; the same object while nothing changes."""

    def __init__(
        self,
        navigation: Navigation,
        notices: Notices,
        parts: Parts,
        around: Around,
        *,
        colours: tuple[str, ...],
    ) -> None:
        self._at = navigation
        self._notices = notices
        self._parts = parts
        self._colours = colours
        self._workshop, self._appliance = around.workshop, around.appliance
        self._phones, self._club = around.phones, around.club
        self._known: tuple[Any, Frame] | None = None

    def frame(self) -> Frame:
        """One frozen moment of everything that may be seen."""
        key = (self._at.page, self._at.glass, self._notice(), self._by_phone(), self._by_club(), *self._key())
        if self._known is None or self._known[0] != key:
            found = self._parts.run("frame", self._put_together, None, stays=True)
            self._known = key, found or self._bare()
        return self._known[1]

    def _by_phone(self) -> object:
        """What phones change in the frame: all on their own page, else what the chairs' panels show."""
        if self._phones is None:
            return None
        if self._at.page == "phones":
            return self._phones.shown()
        return self._phones.taken()

    def _by_club(self) -> object:
        """What a club changes in the frame."""
        club = self._club
        return None if club is None else (club.judge(), club.next_here(), club.notes())

    def _notice(self) -> Sentence | None:
        return self._notices.most_pressing(self._at.session, self._at.host)

    def _key(self) -> tuple[Any, ...]:
        """What the frame is made of besides page, glass and notice: while it is the same, so is the frame."""
        at = self._at
        if at.session is not None:
            return game_key(at.session, at.host)
        notes = () if at.games is None else at.games.notes()
        bench = self._bench()
        wizard = () if bench is None else (bench.view, id(bench.camera), tuple(map(id, bench.cards)))
        return (notes, at.without.lit(), self._machine(), *wizard)

    def _bench(self) -> Bench | None:
        return None if self._workshop is None else self._workshop.bench()

    def _machine(self) -> Machine | None:
        return None if self._appliance is None else self._appliance.machine()

    def _bare(self) -> Frame:
        """What is left to see where the frame could not be put together."""
        at = self._at
        page = "home" if at.session is None else "game"
        if page != at.page:
            at.page = page
            at.fold()
        return bare_frame(at.session, at.glass, at.names, self._colours, self._notice())

    def _put_together(self) -> Frame:
        at = self._at
        common: Common = {
            "glass": at.glass,
            "names": at.names,
            "colours": self._colours,
            "trouble": self._notice(),
            "joinable": self._phones is not None,
        }
        if self._phones is not None and at.page == "phones":
            return PhonesFrame(**common, phones=self._phones.shown(), playing=at.session is not None)
        if at.session is not None and at.page == "recap":
            return recap_frame(at.session, common)
        if at.session is not None and at.page == "game":
            phones = () if self._phones is None else self._phones.taken()
            judge = "" if self._club is None else self._club.judge()
            return game_frame(at.session, at.host, common, phones, judge)
        bench = self._bench()
        if bench is not None and at.page in BENCHES:
            return BenchFrame(**common, bench=bench)
        down: frozenset[Chair] = frozenset(chair for chair, _ in at.without.lit() if chair is not None)
        if at.page == "setup":
            return setup_frame(at.own_games.gathering(at.glass.draft.game), common, down)
        frame = home_frame(at.page, at.games, common, self._machine() or Machine(), down)
        if self._club is None:
            return frame
        notes = (*frame.doctor, *self._club.notes())
        return replace(frame, doctor=notes, next_here=self._club.next_here())
