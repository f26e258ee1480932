"""Game page: players round the edge, the table in the middle, the headline on top."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pygame
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND, Chair, Micros
from companion.core.view import STEP_CHANGE_GRACE
from companion.ui.board.coach_strip import (
    CoachStrip,
    draw_progress,
    is_coached,
    is_on_table,
    lesson_table,
    paint_lesson_stage,
    without_touched,
)
from companion.ui.board.count_ring import draw_count
from companion.ui.board.demo_strip import (
    demo_places,
    draw_camera_card,
    draw_small_count,
    paint_camera_view,
    paint_demo_strip,
)
from companion.ui.board.exhibits import shows_stop
from companion.ui.board.full_screen import (
    confetti_area,
    draw_confetti,
    is_verdict_shown,
    paint_game_over,
    paint_verdict,
)
from companion.ui.board.game_table import is_stacked, paint_table
from companion.ui.board.headline import is_infraction
from companion.ui.board.lesson_end import paint_lesson_end
from companion.ui.board.motion import Move, draw_moves, find_deal, find_fronts, find_moves
from companion.ui.board.panels import paint_panel
from companion.ui.board.plate_choices import CHOICES_OVERLAY, find_enlarged_chair, min_plate_height
from companion.ui.board.player_banner import draw_reveal, screen_side
from companion.ui.board.practice_panel import (
    SIDE_WIDTH_SHARE,
    paint_practice_panel,
    practice_table,
    shows_fan,
)
from companion.ui.board.practice_stage import paint_practice_stage, paint_wide_table
from companion.ui.board.round_over import paint_round_over
from companion.ui.board.row_centre import CLOCK_PACE, draw_clocks, has_running_clock
from companion.ui.board.toolbar import paint_toolbar
from companion.ui.commands import (
    ChangeSpeed,
    ContinueGame,
    PauseGame,
    SpeakSentences,
)
from companion.ui.frame import DemoInfo, GameFrame, is_window_open
from companion.ui.layout import FILL, Box, columns, rows, stack
from companion.ui.overlays import OVERLAYS
from companion.ui.pages.base import InputResult, OverlayPainter, Page, PageResources
from companion.ui.toolkit import inputs
from companion.ui.toolkit.sheet import Sheet, Target, TouchAction, touch_action
from companion.ui.toolkit.theme import (
    CHAIR,
    DARK,
    GROUND,
    LOOK,
    REVEAL_TIME,
    SOFT,
    TEXT,
)
from companion.ui.toolkit.widgets import draw_held_signs


def is_lesson_speaking(frame: GameFrame) -> bool:
    """Whether a lesson speaks and the game waits."""
    return frame.guide is not None and not frame.guide.accepts_play


def _is_held(frame: GameFrame) -> bool:
    """Whether a button is down that can be held for something."""
    if frame.guide is not None and frame.guide.kind == "quiz":
        return frame.guide.chair in frame.pressed
    return any(
        choice.press == "hold"
        for one in frame.view.chairs
        if one.chair in frame.pressed
        for choice in one.choices
    )


def is_fresh(frame: GameFrame) -> bool:
    """Whether a game that is played stands where it began."""
    ruled = frame.log or frame.can_undo or frame.view.outcome is not None
    return not ruled and frame.guide is None and not is_window_open(frame.view)


def _is_same_table(one: GameFrame, other: GameFrame) -> bool:
    """Whether the same people play the same game."""
    first, second = one.view, other.view
    return first.game == second.game and [a.chair for a in first.chairs] == [b.chair for b in second.chairs]


FRAME_TIME: Micros = SECOND // LOOK.motion["frames"]
UPRIGHT = 1.25
"""What stands below the table is this many times as high as it would be wide."""
DEMO_KEYS: Mapping[str, Callable[[GameFrame, DemoInfo], TouchAction]] = {
    "v": lambda frame, demo: touch_action(camera=demo.has_camera and not frame.ui_state.camera),
    "f": lambda _, demo: touch_action(ChangeSpeed(demo.next_speed)),
}
DEFAULT_TARGETS: Mapping[str, str] = {
    **dict.fromkeys(("why", "log", "may", "help", "settings", "finish", "correct", "repair"), "close"),
    "take_back": "do",
}
"""What is marked when a sheet opens, where that is not its first target."""


def _split_area(area: Box, share: float) -> tuple[Box, Box]:
    """The table, and what stands beside it; on a screen that stands upright, below it."""
    if area.h > area.w:
        table, side = rows(area, FILL, round(area.h * share * UPRIGHT))
    else:
        table, side = columns(area, FILL, round(area.w * share))
    return table, side


def _limit_targets(sheet: Sheet, frame: GameFrame, answers: Sequence[Target]) -> None:
    """Where a lesson speaks only its `answers` are touched, and nobody says what the others it plays do."""
    guide = frame.guide
    if guide is None or not is_coached(frame):
        return
    if not guide.accepts_play and guide.kind != "over":
        sheet.targets[:] = answers  # what is spoken of, or what a mistake led to, is not played on
    theirs = tuple(f"say:{one.seat}:" for one in frame.view.chairs if one.chair != guide.chair)
    sheet.targets[:] = [target for target in sheet.targets if not target.key.startswith(theirs)]


WALKED_LAST = ("bar:", "show", "again", "repeat", "skip")
"""Targets that keys come to after the cards and the places: the toolbar's, and a lesson's small buttons."""


class GamePage(Page[GameFrame]):
    """A running game."""

    is_static = False
    """Whether it is a picture in which nothing can be pressed."""
    shortcuts: Mapping[str, TouchAction] = {
        "p": touch_action(PauseGame()),
        "m": touch_action(overlay="menu"),
        "h": touch_action(overlay="assist"),
        "l": touch_action(overlay="log"),
        "w": touch_action(overlay="why"),
        "a": touch_action(overlay="may"),
        "s": touch_action(SpeakSentences()),
        "u": touch_action(overlay="take_back"),
        "c": touch_action(overlay="correct"),
        "r": touch_action(overlay="repair"),
    }

    def __init__(self, screen: PageResources) -> None:
        super().__init__(screen)
        self._card_turn = 0.0
        self._camera_card: tuple[Any, tuple[int, int], pygame.Surface] | None = None
        """The camera's card as it was drawn last, with its picture and size."""
        self._stage: Sheet | None = None
        """The table as it was painted last where cards and tokens are seen."""
        self._moves: tuple[Move, ...] = ()
        self._drawn: tuple[GameFrame, Micros] | None = None
        self._down: dict[Chair, Micros] = {}
        """Since when buttons are down."""
        self._small_stage: Sheet
        """The table as it was painted last for a card, where the camera's picture is large."""

    # Who answers ------------------------------------------------------------------------------------------

    def active_overlay(self, frame: GameFrame) -> str:
        """An overlay folds away when a window opens; a paused game shows its menu."""
        view = frame.view
        if is_window_open(view):
            return ""
        shown = frame.ui_state.overlay
        if shown == CHOICES_OVERLAY and find_enlarged_chair(frame) is None:
            shown = ""  # it was said meanwhile
        return "menu" if view.paused and not shown else shown

    def apply_action(self, frame: GameFrame, what: TouchAction, focus: str | None = None) -> InputResult:
        """What is asked for while a count runs stops it first: the count is void and asked again."""
        if is_window_open(frame.view) and dict(what.changes).get("overlay"):
            what = replace(what, commands=(PauseGame(), *what.commands))
        return super().apply_action(frame, what, focus)

    def takes_shared_buttons(self, frame: GameFrame) -> bool:
        return bool(self.active_overlay(frame)) or frame.view.outcome is not None or is_lesson_speaking(frame)

    def takes_chair_buttons(self, frame: GameFrame) -> bool:
        """While a lesson speaks, a chair's button answers it."""
        return is_lesson_speaking(frame)

    def handle(self, entered: inputs.Input, frame: GameFrame) -> InputResult:
        """While a lesson speaks, one thing is done at the edge; of several a tap steps, a hold chooses."""
        chair = getattr(entered, "chair", None)
        guide = frame.guide
        if guide is None or chair is None or not is_lesson_speaking(frame) or self.active_overlay(frame):
            return super().handle(entered, frame)
        asks = guide.kind == "quiz"
        if asks and chair == guide.chair:
            return self.step_by_chair(entered, frame, guide.since)
        fresh = isinstance(entered, ob.ButtonPressed) and entered.at >= guide.since + STEP_CHANGE_GRACE
        if fresh and not asks:
            return self._activate(frame)
        return frame.ui_state, ()

    def overlays(self, frame: GameFrame) -> Mapping[str, OverlayPainter[GameFrame]]:
        return OVERLAYS

    def close_action(self, frame: GameFrame) -> TouchAction:
        return touch_action(overlay="close")

    def escape_action(self, frame: GameFrame) -> TouchAction:
        if frame.ui_state.overlay:
            return touch_action(overlay="")
        if frame.view.paused:
            return touch_action(ContinueGame())
        return touch_action(overlay="leave" if frame.demo is not None else "menu")

    def shortcut_action(self, frame: GameFrame, key: str) -> TouchAction | None:
        """A key puts away what it opened; a pause ends with the key that began it."""
        if key == "p" and frame.view.paused:
            return touch_action(ContinueGame(), overlay="")
        if frame.demo is not None and key in DEMO_KEYS:
            return DEMO_KEYS[key](frame, frame.demo)
        does = self.shortcuts.get(key)
        if (
            does is not None
            and self.active_overlay(frame)
            and dict(does.changes).get("overlay") == self.active_overlay(frame)
        ):
            return self.escape_action(frame)
        return does

    def find_default_focus(self, frame: GameFrame) -> str:
        """Where a sheet is read it is closed; where it asks, the answer that loses nothing stands first.

        After a game one plays again, as the golden button says: what was played is kept.
        """
        overlay = self.active_overlay(frame)
        if overlay == "repair" and frame.ui_state.declared:
            return "do"
        usual = "over:rematch" if frame.view.outcome is not None and not overlay else ""
        return DEFAULT_TARGETS.get(overlay, usual)

    def redraw_interval(self, frame: GameFrame) -> Micros:
        if self._is_animated(frame) or self._moves or _is_held(frame):
            return FRAME_TIME
        count = frame.view.count
        if count is not None and count.first_beat is not None and not self.active_overlay(frame):
            return FRAME_TIME
        if frame.guide is not None and frame.guide.watched is not None and not self.active_overlay(frame):
            return 2 * FRAME_TIME
        if has_running_clock(frame.view) and frame.view.outcome is None:
            return CLOCK_PACE
        ended = frame.view.outcome is not None or (frame.guide is not None and frame.guide.kind == "done")
        return 2 * FRAME_TIME if ended and not frame.ui_state.calm else 0

    def _is_animated(self, frame: GameFrame) -> bool:
        """Whether a colour comes in."""
        finish = shows_stop(frame) and frame.current_verdict is not None and not self.active_overlay(frame)
        comes = is_verdict_shown(frame) or finish
        return comes and not frame.ui_state.calm

    def _drawing_key(self, frame: GameFrame, now: Micros, size: tuple[int, int]) -> tuple[object, ...]:
        """Once a verdict's colour is there nothing moves."""
        if self._is_animated(frame) and frame.current_verdict is not None:
            now = min(now, frame.current_verdict[1] + REVEAL_TIME)
        return super()._drawing_key(frame, now, size)

    def _learner_key(self, frame: GameFrame) -> str:
        """The key that stands in for the button of the player who learns; nothing where there are buttons."""
        if frame.guide is None or not frame.by_keys:
            return ""
        return self.resources.keys.get(str(frame.guide.chair + 1), "")

    # What stands still ------------------------------------------------------------------------------------

    def paint(self, sheet: Sheet, frame: GameFrame) -> None:
        area = sheet.rect
        guide, strip, lift = frame.guide, None, 0
        whole = (
            frame.view.outcome is not None
            or frame.view.dark
            or (frame.exhibit is not None and not shows_stop(frame))
        )
        if frame.demo is not None and not whole:
            if frame.ui_state.camera:
                self._small_stage = sheet.on_screen(pygame.Surface(sheet.rect.size))
                self._small_stage.fill(self._small_stage.rect, GROUND)
                self.paint(self._small_stage, dataclasses.replace(frame, demo=None))
                paint_camera_view(sheet, frame, self._small_stage)
                return
            places = demo_places(sheet, frame)
            paint_demo_strip(sheet, frame, places)
            strip, lift, self._card_turn = places.strip, places.lift, places.turn
            area = area._replace(h=strip.y - area.y)
        if guide is not None and guide.kind == "done":
            paint_lesson_end(sheet, frame, guide)
            return
        if guide is not None and guide.kind == "held" and not frame.view.dark:
            paint_round_over(sheet, area, frame, guide, self._paint_toolbar)
            return
        if guide is not None and guide.kind == "practice":
            frame = practice_table(frame, guide)
        practised = guide is not None and shows_fan(frame, area)
        if guide is not None and guide.kind == "practice" and not practised:
            area, side = _split_area(sheet.rect, SIDE_WIDTH_SHARE)
            paint_practice_panel(sheet, side, frame, guide)
        if guide is not None and is_coached(frame):
            frame = without_touched(frame, guide)
            coach = CoachStrip(sheet, frame, self._learner_key(frame))
            strip = coach.rect
            area = area._replace(h=strip.y - sheet.u(LOOK.coach["line"]) - area.y)
            on_table = is_on_table(guide)
            if not on_table:
                paint_lesson_stage(sheet, area, frame, guide)
            coach.paint()
            frame = lesson_table(sheet, frame, guide)
            if not on_table:
                return
        answers = list(sheet.targets)
        if frame.view.dark:
            self._paint_audit(sheet, area, frame)
        elif frame.view.outcome is not None and not is_lesson_speaking(frame):
            paint_game_over(sheet, area, frame, still=self.is_static)
        elif is_verdict_shown(frame):
            paint_verdict(sheet, area, frame)
        elif practised and guide is not None:
            paint_practice_stage(sheet, frame, guide)
            sheet.targets.sort(key=lambda target: target.key.startswith("bar:"))  # walked to last
        elif strip and guide is not None and is_stacked(frame) and area.w > area.h:
            paint_wide_table(sheet, strip.y, frame, guide, said=True)
        else:
            paint_table(sheet, sheet.rect if strip else area, frame, self._paint_toolbar, strip, lift=lift)
            sheet.targets.sort(key=lambda target: target.key.startswith(WALKED_LAST))
        _limit_targets(sheet, frame, answers)

    def _paint_toolbar(self, sheet: Sheet, rect: Box, frame: GameFrame) -> Box:
        """What is at hand under the table; returns what it leaves free."""
        return paint_toolbar(sheet, rect, frame)

    def _paint_audit(self, sheet: Sheet, area: Box, frame: GameFrame) -> None:
        """An audit: the screen only says whose hand to show."""
        sheet.fill(area, DARK)
        gap, radius = sheet.em(0.6), sheet.em(3)
        asked = [chair for chair in frame.view.chairs if chair.asked]
        needed = (min_plate_height(sheet, one, frame) + sheet.em(1.1) for one in asked[:1])
        high = max((sheet.em(4.6), *needed))
        inner = area.inset(left=gap, top=gap, right=gap, bottom=sheet.em(0.3))
        badge, words, hint, _, plate = rows(
            inner, 2 * radius + sheet.em(1.4), sheet.em(5), sheet.em(2.8), gap, high
        )
        if asked:
            sheet.badge((area.centerx, badge.y + radius + gap), radius, asked[0].chair)
        sheet.text(words, sheet.sentence(frame.view.headline), 2.4, TEXT, bold=True, align="center")
        if frame.view.hint is not None:
            sheet.text(hint, sheet.sentence(frame.view.hint), 1.3, SOFT, align="center")
        for chair in asked[:1]:
            paint_panel(sheet, stack(plate, min(plate.w, sheet.em(22)), high), chair, frame)
        menu = stack(inner, sheet.em(5), sheet.em(1.75), "bottomleft")
        sheet.button(menu, sheet.tr("ui.menu"), "bar:menu", touch_action(overlay="menu"))

    def draw(self, surface: pygame.Surface, frame: GameFrame, now: Micros) -> None:
        """What has another place than when the table was drawn last, some time ago, is seen to go there."""
        self._down = {chair: self._down.get(chair, now) for chair in frame.pressed}
        if surface.get_size() == self.resources.size:
            sheet = self.painted_sheet(frame)
            self._moves = tuple(move for move in self._moves if now < move.ends)
            if sheet is not self._stage:
                self._moves = self._continue_moves(sheet, frame, now)
                self._stage = sheet if sheet.placed else self._stage
        super().draw(surface, frame, now)
        self._drawn = frame, now

    def _continue_moves(self, sheet: Sheet, frame: GameFrame, now: Micros) -> tuple[Move, ...]:
        """What goes on and what begins now; a press, a window or a broken rule ends all of it."""
        before, last = self._stage, self._drawn
        if frame.ui_state.calm or self.active_overlay(frame) or self.is_static:
            return ()
        if now and is_fresh(frame) and not (last and is_fresh(last[0]) and _is_same_table(frame, last[0])):
            return tuple(find_deal(sheet, frame.board.hand_back, now))
        if dealt := tuple(find_fronts(before, sheet, now)):
            return dealt
        if before is None or last is None or not last[1] < now or before.rect != sheet.rect:
            return ()
        if last[0].view.game != frame.view.game:
            return ()
        on = () if frame.pressed - last[0].pressed else self._moves
        lasting = [
            move
            for move in on
            if move.name in sheet.placed and sheet.placed[move.name].rect.center == move.goal.center
        ]
        known = {move.name for move in lasting}
        moves = (*lasting, *(move for move in find_moves(before, sheet, now) if move.name not in known))
        counting = is_window_open(frame.view)
        return tuple(move for move in moves if move.kind == "lift" or not (counting or is_infraction(frame)))

    def _camera_picture(self, sheet: Sheet, frame: GameFrame) -> pygame.Surface:
        """The camera's picture as it is shown now: as large as its field, or on its card."""
        size = sheet.moving["camera"].size
        if frame.ui_state.camera:
            return sheet.art.camera_picture(frame.camera, size)
        known = self._camera_card
        if known is None or known[0] is not frame.camera or known[1] != size:
            card = draw_camera_card(sheet, size, frame.camera, self._card_turn)
            self._camera_card = known = (frame.camera, size, card)
        return known[2]

    # What moves -------------------------------------------------------------------------------------------

    def animate(self, surface: pygame.Surface, sheet: Sheet, frame: GameFrame, now: Micros) -> None:
        """Draw the camera's picture, a count, and what else moves, as it is at `now` (µs)."""
        if self.active_overlay(frame):
            return
        if "camera" in sheet.moving and frame.camera is not None:
            picture, rect = self._camera_picture(sheet, frame), sheet.moving["camera"]
            surface.blit(picture, picture.get_rect(center=rect.center))
        if self._moves and sheet is self._stage:
            draw_moves(surface, self._moves, now)
        if "flood" in sheet.moving and frame.current_verdict is not None and self._is_animated(frame):
            said, since = frame.current_verdict
            side = screen_side(frame, int(dict(said.parts)["chair"]))
            draw_reveal(surface, sheet.moving["flood"], side, now - since)
        draw_clocks(surface, sheet, frame, now)
        draw_held_signs(surface, sheet, self._down, now)
        count = frame.view.count
        if "count" in sheet.moving and count is not None:
            draw_count(surface, sheet, sheet.moving["count"], count, now)
        if "stage" in sheet.moving and count is not None and "count" in self._small_stage.moving:
            draw_small_count(surface, self._small_stage, sheet.moving["stage"], count, now)
        watched = None if frame.guide is None else frame.guide.watched
        if "watched" in sheet.moving and watched is not None:
            draw_progress(surface, sheet.moving["watched"], watched.share_at(now))
        if "confetti" in sheet.moving and not frame.ui_state.calm:
            draw_confetti(surface.subsurface(sheet.moving["confetti"]), list(CHAIR.values()), now)
        if "winner" in sheet.moving and frame.view.outcome is not None and not frame.ui_state.calm:
            winners = frame.view.outcome.winners
            own = {frame.colours[chair] for chair in winners} if len(winners) == 1 else set()
            colours = [CHAIR[colour] for colour in frame.colours if colour not in own]
            draw_confetti(surface.subsurface(confetti_area(sheet.moving["winner"])), colours, now)
