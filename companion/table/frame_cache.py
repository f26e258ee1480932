"""Builds the current page's frame again only when something in it has changed."""

from dataclasses import replace
from typing import Any

from companion.core.actions import Chair
from companion.core.camera_tasks import CameraPageInput
from companion.core.view import Sentence
from companion.system.appliance import MachineStatus
from companion.system.fault_isolation import FaultIsolation
from companion.table.frames import (
    CommonFields,
    fallback_frame,
    game_frame,
    game_frame_key,
    home_frame,
    recap_frame,
    setup_frame,
)
from companion.table.navigation import CAMERA_PAGES, Navigation
from companion.table.notices import Notices
from companion.table.runtime import AppParts
from companion.ui.frame import CameraPageFrame, PageFrame, PhonesFrame


class FrameCache:
    """Puts frames together; the same object while nothing changes."""

    def __init__(
        self,
        navigation: Navigation,
        notices: Notices,
        parts: FaultIsolation,
        around: AppParts,
        *,
        colours: tuple[str, ...],
    ) -> None:
        self._at = navigation
        self._notices = notices
        self._parts = parts
        self._colours = colours
        self._workshop, self._appliance = around.workshop, around.appliance
        self._phones, self._club = around.phones, around.club
        self._known: tuple[Any, PageFrame] | None = None

    def frame(self) -> PageFrame:
        """One frozen moment of everything that may be seen."""
        key = (
            self._at.page,
            self._at.ui_state,
            self._notice(),
            self._phone_state(),
            self._club_state(),
            *self._cache_key(),
        )
        if self._known is None or self._known[0] != key:
            found = self._parts.run("frame", self._build_frame, None, stays=True)
            self._known = key, found or self._fallback_frame()
        return self._known[1]

    def _phone_state(self) -> object:
        """What phones change in the frame: all on their own page, else what the chairs' panels show."""
        if self._phones is None:
            return None
        if self._at.page == "phones":
            return self._phones.phone_table()
        return self._phones.phone_seats()

    def _club_state(self) -> object:
        """What a club changes in the frame."""
        club = self._club
        return None if club is None else (club.judge_state(), club.club_assignment(), club.warnings())

    def _notice(self) -> Sentence | None:
        return self._notices.most_pressing(self._at.session, self._at.host)

    def _cache_key(self) -> tuple[Any, ...]:
        """What the frame is made of besides page, glass and notice: while it is the same, so is the frame."""
        at = self._at
        if at.session is not None:
            return game_frame_key(at.session, at.host)
        notes = () if at.games is None else at.games.warnings()
        bench = self._bench()
        wizard = () if bench is None else (bench.view, id(bench.camera), tuple(map(id, bench.cards)))
        return (notes, at.idle_buttons.buttons_maybe_down(), self._machine(), *wizard)

    def _bench(self) -> CameraPageInput | None:
        return None if self._workshop is None else self._workshop.page_input()

    def _machine(self) -> MachineStatus | None:
        return None if self._appliance is None else self._appliance.read_status()

    def _fallback_frame(self) -> PageFrame:
        """What is left to see where the frame could not be put together."""
        at = self._at
        page = "home" if at.session is None else "game"
        if page != at.page:
            at.page = page
            at.close_overlay()
        return fallback_frame(at.session, at.ui_state, at.names, self._colours, self._notice())

    def _build_frame(self) -> PageFrame:
        at = self._at
        common: CommonFields = {
            "ui_state": at.ui_state,
            "names": at.names,
            "colours": self._colours,
            "trouble": self._notice(),
            "joinable": self._phones is not None,
        }
        if self._phones is not None and at.page == "phones":
            return PhonesFrame(**common, phones=self._phones.phone_table(), playing=at.session is not None)
        if at.session is not None and at.page == "recap":
            return recap_frame(at.session, common)
        if at.session is not None and at.page == "game":
            phones = () if self._phones is None else self._phones.phone_seats()
            judge = "" if self._club is None else self._club.judge_state()
            return game_frame(at.session, at.host, common, phones, judge)
        bench = self._bench()
        if bench is not None and at.page in CAMERA_PAGES:
            return CameraPageFrame(**common, bench=bench)
        down: frozenset[Chair] = frozenset(
            chair for chair, _ in at.idle_buttons.buttons_maybe_down() if chair is not None
        )
        if at.page == "setup":
            return setup_frame(at.own_games.setup_limits(at.ui_state.draft.game), common, down)
        frame = home_frame(at.page, at.games, common, self._machine() or MachineStatus(), down)
        if self._club is None:
            return frame
        notes = (*frame.doctor, *self._club.warnings())
        return replace(frame, doctor=notes, club_assignment=self._club.club_assignment())
