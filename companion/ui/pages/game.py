"""The game page: chairs round the edge, the table in the middle, the headline for everybody."""

from collections.abc import Mapping

import pygame
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND, Micros
from companion.core.view import TOO_SOON
from companion.ui import guide as lessons
from companion.ui import inputs, ring
from companion.ui.answers import ANSWER, large, plate_for
from companion.ui.celebrate import confetti
from companion.ui.commands import (
    Change,
    Continue,
    Leave,
    Pause,
    Tell,
)
from companion.ui.count import draw_count
from companion.ui.exhibits import shows_stop
from companion.ui.flood import COMES, coming, side_of
from companion.ui.frame import GameFrame, window_open
from companion.ui.hand import fanned
from companion.ui.moment import moment, shows_moment
from companion.ui.open_hands import practice
from companion.ui.overlays import OVERLAYS
from companion.ui.pages.base import Handled, Over, Page
from companion.ui.panels import panel
from companion.ui.play import table
from companion.ui.sheet import Deed, Sheet, deed
from companion.ui.theme import CHAIR, DARK, GOLD, LOOK, PANEL, SOFT, TEXT, mixed
from companion.ui.toolbar import toolbar
from companion.ui.winner import falling, over


def speaking(frame: GameFrame) -> bool:
    """Whether a lesson speaks and the game waits."""
    return frame.guide is not None and not frame.guide.open


FRAME_TIME: Micros = SECOND // LOOK.motion["frames"]
UPRIGHT = 1.25
"""What stands below the table is this many times as high as it would be wide."""
SPEEDS = (0.5, 1.0, 2.0, 4.0)
LIKELY: Mapping[str, str] = {
    **dict.fromkeys(("why", "log", "may", "help", "settings", "finish", "correct", "repair"), "close"),
    "take_back": "do",
}
"""What is marked when a sheet opens, where that is not its first target."""


def _split(area: pygame.Rect, share: float) -> tuple[pygame.Rect, pygame.Rect]:
    """The table, and what stands beside it; on a screen that stands upright, below it."""
    if area.h > area.w:
        low = round(area.h * share * UPRIGHT)
        return (
            pygame.Rect(area.x, area.y, area.w, area.h - low),
            pygame.Rect(area.x, area.bottom - low, area.w, low),
        )
    wide = round(area.w * share)
    return (
        pygame.Rect(area.x, area.y, area.w - wide, area.h),
        pygame.Rect(area.right - wide, area.y, wide, area.h),
    )


class GamePage(Page[GameFrame]):
    """A running game."""

    still = False
    """Whether it is a picture in which nothing can be pressed."""
    shortcuts: Mapping[str, Deed] = {
        "p": deed(Pause()),
        "m": deed(overlay="menu"),
        "h": deed(overlay="assist"),
        "l": deed(overlay="log"),
        "w": deed(overlay="why"),
        "a": deed(overlay="may"),
        "s": deed(Tell()),
        "u": deed(overlay="take_back"),
        "c": deed(overlay="correct"),
        "r": deed(overlay="repair"),
    }

    # Who answers ------------------------------------------------------------------------------------------

    def overlay(self, frame: GameFrame) -> str:
        """An overlay folds away when a window opens; a paused game shows its menu."""
        view = frame.view
        if window_open(view):
            return ""
        shown = frame.glass.overlay
        if shown == ANSWER and large(frame) is None:
            shown = ""  # it was said meanwhile
        return "menu" if view.paused and not shown else shown

    def does(self, frame: GameFrame, what: Deed, focus: str | None = None) -> Handled:
        """What is asked for while a count runs stops it first: the count is void and asked again."""
        if window_open(frame.view) and dict(what.changes).get("overlay"):
            what = replace(what, commands=(Pause(), *what.commands))
        return super().does(frame, what, focus)

    def takes_shared(self, frame: GameFrame) -> bool:
        return bool(self.overlay(frame)) or frame.view.outcome is not None or speaking(frame)

    def takes_chairs(self, frame: GameFrame) -> bool:
        """While a lesson speaks, a chair's button answers it."""
        return speaking(frame)

    def handle(self, entered: inputs.Input, frame: GameFrame) -> Handled:
        """While a lesson speaks, one thing is done at the edge; of several a tap steps, a hold chooses."""
        chair = getattr(entered, "chair", None)
        guide = frame.guide
        if guide is None or chair is None or not speaking(frame) or self.overlay(frame):
            return super().handle(entered, frame)
        asks = guide.kind == "quiz"
        begun = frame.glass.begun == (chair, guide.since)
        match entered:
            case ob.ButtonPressed() if not asks and entered.at < guide.since + TOO_SOON:
                return frame.glass, ()
            case ob.ButtonPressed() if not asks:
                return self._activate(frame)
            case ob.ButtonPressed() if chair == guide.chair:
                return replace(frame.glass, begun=(chair, guide.since)), ()
            case ob.ButtonHeld() if begun:
                glass, wanted = self._activate(frame)
                return replace(glass, begun=None), wanted
            case ob.ButtonReleased() if begun:
                glass, wanted = self._walk(frame, 1)
                return replace(glass, begun=None), wanted
        return frame.glass, ()

    def overlays(self, frame: GameFrame) -> Mapping[str, Over[GameFrame]]:
        return OVERLAYS

    def closing(self, frame: GameFrame) -> Deed:
        return deed(overlay="close")

    def escape(self, frame: GameFrame) -> Deed:
        if frame.glass.overlay:
            return deed(overlay="")
        if frame.view.paused:
            return deed(Continue())
        return deed(overlay="leave" if frame.demo is not None else "menu")

    def shortcut(self, frame: GameFrame, key: str) -> Deed | None:
        """A key puts away what it opened; a pause ends with the key that began it."""
        if key == "p" and frame.view.paused:
            return deed(Continue(), overlay="")
        does = self.shortcuts.get(key)
        if (
            does is not None
            and self.overlay(frame)
            and dict(does.changes).get("overlay") == self.overlay(frame)
        ):
            return self.escape(frame)
        return does

    def likely(self, frame: GameFrame) -> str:
        """Where a sheet is read it is closed; where it asks, the answer that loses nothing stands first."""
        return LIKELY.get(self.overlay(frame), "")

    def pace(self, frame: GameFrame) -> Micros:
        if self._moves(frame):
            return FRAME_TIME
        count = frame.view.count
        if count is not None and count.first_beat is not None and not self.overlay(frame):
            return FRAME_TIME
        return 2 * FRAME_TIME if frame.view.outcome is not None and not frame.glass.calm else 0

    def _moves(self, frame: GameFrame) -> bool:
        """Whether a colour comes in."""
        finish = shows_stop(frame) and frame.ruled is not None and not self.overlay(frame)
        comes = shows_moment(frame) or finish
        return comes and not frame.glass.calm

    def _state(self, frame: GameFrame, now: Micros, size: tuple[int, int]) -> tuple[object, ...]:
        """Once a verdict's colour is there nothing moves."""
        if self._moves(frame) and frame.ruled is not None:
            now = min(now, frame.ruled[1] + COMES)
        return super()._state(frame, now, size)

    def _own_key(self, frame: GameFrame) -> str:
        """The key that stands in for the button of the player who learns; nothing where there are buttons."""
        if frame.guide is None or not frame.by_keys:
            return ""
        return self.screen.keys.get(str(frame.guide.chair + 1), "")

    # What stands still ------------------------------------------------------------------------------------

    def paint(self, sheet: Sheet, frame: GameFrame) -> None:
        area = sheet.rect
        if frame.demo is not None:
            area, side = _split(area, 0.32)
            self._demo(sheet, side, frame)
        if frame.guide is not None and frame.guide.beside and not fanned(frame, area):
            area, side = _split(sheet.rect, lessons.SHARE)
            if frame.guide.kind == "practice":
                practice(sheet, side, frame, frame.guide)
            else:
                lessons.side(sheet, side, frame, frame.guide, self._own_key(frame))
        if frame.guide is not None and not frame.guide.beside:
            lessons.card(sheet, frame, frame.guide, self._own_key(frame))
        elif frame.view.dark:
            self._dark(sheet, area, frame)
        elif frame.view.outcome is not None and not speaking(frame):
            over(sheet, area, frame, still=self.still)
        elif shows_moment(frame):
            moment(sheet, area, frame)
        else:
            table(sheet, area, frame, self._bar)
            sheet.targets.sort(key=lambda target: target.key.startswith("bar:"))  # walked to last

    def _bar(self, sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> pygame.Rect:
        """What is at hand under the table; returns what it leaves free."""
        return toolbar(sheet, rect, frame)

    def _dark(self, sheet: Sheet, area: pygame.Rect, frame: GameFrame) -> None:
        """An audit: the screen only says whose hand to show."""
        sheet.fill(area, DARK)
        gap = sheet.em(0.6)
        asked = [chair for chair in frame.view.chairs if chair.asked]
        radius = sheet.em(3)
        top = area.y + gap
        if asked:
            sheet.badge((area.centerx, top + radius + sheet.em(0.6)), radius, asked[0].chair)
        words = pygame.Rect(area.x + gap, top + 2 * radius + sheet.em(1.4), area.w - 2 * gap, sheet.em(5))
        headline = sheet.words.text(frame.view.headline, frame.names)
        sheet.text(words, headline, 2.4, TEXT, bold=True, align="center")
        hint = pygame.Rect(words.x, words.bottom, words.w, sheet.em(2.8))
        if frame.view.hint is not None:
            sheet.text(hint, sheet.words.text(frame.view.hint, frame.names), 1.3, SOFT, align="center")
        for chair in asked[:1]:
            high = max(sheet.em(4.6), plate_for(sheet, chair, frame) + sheet.em(1.1))
            rect = pygame.Rect(0, hint.bottom + gap, min(area.w - 2 * gap, sheet.em(22)), high)
            rect.centerx = area.centerx
            panel(sheet, rect, chair, frame)
        bar = pygame.Rect(area.x + gap, 0, area.w - 2 * gap, sheet.em(1.75))
        bar.bottom = area.bottom - sheet.em(0.3)
        sheet.button(
            pygame.Rect(bar.x, bar.y, sheet.em(5), bar.h),
            sheet.tr("ui.menu"),
            "bar:menu",
            deed(overlay="menu"),
        )

    def _demo(self, sheet: Sheet, side: pygame.Rect, frame: GameFrame) -> None:
        """The camera's picture beside the referee's screen, and how to drive the demo."""
        assert frame.demo is not None
        gap = sheet.em(0.4)
        sheet.fill(side, mixed(PANEL, DARK, 0.35))
        inner = side.inflate(-2 * gap, -2 * gap)
        title = pygame.Rect(inner.x, inner.y, inner.w, sheet.em(2.5))
        sheet.text(title, sheet.tr("ui.demo.title"), 1.2, GOLD, bold=True, align="center")
        controls = pygame.Rect(inner.x, 0, inner.w, sheet.em(6))
        controls.bottom = inner.bottom
        picture = pygame.Rect(inner.x, title.bottom + gap // 2, inner.w, round(inner.w * 0.75))
        if side.w > side.h:
            picture.h = controls.y - picture.y - sheet.em(2.6)
        sheet.box(picture, DARK, radius=0.2)
        if frame.view.dark:
            sheet.text(picture.inflate(-gap, -gap), sheet.tr("ui.demo.dark"), 1.0, SOFT, align="center")
        elif frame.camera is None:
            sheet.text(picture.inflate(-gap, -gap), sheet.tr("ui.demo.no_picture"), 1.0, SOFT, align="center")
        else:
            sheet.moving["camera"] = picture
        caption = pygame.Rect(inner.x, picture.bottom + gap, inner.w, controls.y - picture.bottom - 2 * gap)
        if frame.demo.caption is not None and not frame.view.dark:
            words = sheet.words.text(frame.demo.caption, frame.names)
            sheet.text(caption, words, 1.1, TEXT, align="center", middle=False)
        self._demo_controls(sheet, controls, frame)

    def _demo_controls(self, sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> None:
        assert frame.demo is not None
        gap = sheet.em(0.3)
        height = (rect.h - 2 * gap) // 3
        rows = [pygame.Rect(rect.x, rect.y + place * (height + gap), rect.w, height) for place in range(3)]
        running = "ui.demo.continue" if frame.demo.paused else "ui.demo.stop"
        sheet.button(
            rows[0], sheet.tr(running), "demo:pause", deed(Change("paused", not frame.demo.paused)), bold=True
        )
        for cell, speed in zip(ring.grid(4, rows[1], gap, shape=1.5), SPEEDS, strict=True):
            does = deed(Change("speed", speed))
            words = f"{speed:g}×"
            sheet.button(cell, words, f"demo:{speed:g}", does, chosen=speed == frame.demo.speed)
        sheet.button(rows[2], sheet.tr("ui.demo.leave"), "demo:leave", deed(Leave()))

    # What moves -------------------------------------------------------------------------------------------

    def animate(self, surface: pygame.Surface, sheet: Sheet, frame: GameFrame, now: Micros) -> None:
        """Draw the camera's picture, a count, and what else moves, as it is at `now` (µs)."""
        if "camera" in sheet.moving and frame.camera is not None and not self.overlay(frame):
            rect = sheet.moving["camera"]
            picture = sheet.art.camera(frame.camera, rect.size)
            surface.blit(picture, picture.get_rect(center=rect.center))
        if self.overlay(frame):
            return
        if "flood" in sheet.moving and frame.ruled is not None and self._moves(frame):
            said, since = frame.ruled
            side = side_of(frame, int(dict(said.parts)["chair"]))
            coming(surface, sheet.moving["flood"], side, now - since)
        count = frame.view.count
        if "count" in sheet.moving and count is not None:
            draw_count(surface, sheet, sheet.moving["count"], count, now)
        if "winner" in sheet.moving and frame.view.outcome is not None and not frame.glass.calm:
            winners = frame.view.outcome.winners
            own = {frame.colours[chair] for chair in winners} if len(winners) == 1 else set()
            colours = [CHAIR[colour] for colour in frame.colours if colour not in own]
            confetti(surface.subsurface(falling(sheet.moving["winner"])), colours, now)
