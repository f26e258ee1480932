"""Calibration page: the camera's picture with every place drawn in it."""

from collections.abc import Mapping, Sequence

import pygame

from companion.core.actions import SECOND, Micros
from companion.core.camera_tasks import CalibrationView, CameraCommand, CameraPageInput, Zone
from companion.core.view import Sentence
from companion.ui.commands import ShowPage
from companion.ui.frame import CameraPageFrame
from companion.ui.layout import FILL, Box, around, columns, grid, rows, stack
from companion.ui.overlays.dialog import (
    PRIMARY_FILL,
    WARNING_SIGN,
    DialogButton,
    button_widths,
    paint_buttons,
    paint_findings,
    split_body,
)
from companion.ui.pages.base import InputResult, Page
from companion.ui.toolkit import inputs
from companion.ui.toolkit.sheet import EM_PER_U, Sheet, TouchAction, touch_action
from companion.ui.toolkit.sprites import draw_line, draw_rounded_rect
from companion.ui.toolkit.theme import EDGE, GOLD, GOOD, INK, LOOK, NOTICE, PAPER, RAISED, SOFT, TEXT, Colour

METHODS = ("marks", "corners", "sheet")
ARROWS: Mapping[str, tuple[int, int]] = {"left": (-1, 0), "up": (0, -1), "down": (0, 1), "right": (1, 0)}
COLUMNS = 3
"""Of the keys that move things: a fourth would cut their words."""
USUAL_SHAPE = (16, 9)
"""Of a picture that is not there yet."""
PROMPT = LOOK.type["prompt"] / 100 * LOOK.text["smallest"]
"""The one sentence on top, in em."""
REDRAW_INTERVAL: Micros = SECOND // 10
"""How often the camera's picture is drawn again."""


def camera_action(what: str, *values: str | int | float) -> TouchAction:
    """A command for the camera task that the page shows."""
    return touch_action(CameraCommand(what, values))


class CameraPage(Page[CameraPageFrame]):
    """A page beside the camera's picture."""

    exit_action = touch_action(ShowPage("home"))

    def redraw_interval(self, frame: CameraPageFrame) -> Micros:
        return REDRAW_INTERVAL

    def draw_picture(self, surface: pygame.Surface, sheet: Sheet, shown: CameraPageInput) -> Box | None:
        """Draw the camera's picture where it belongs; the rectangle that it covers."""
        box = sheet.moving.get("camera")
        if box is None or shown.camera is None:
            return None
        picture = sheet.art.camera_picture(shown.camera, box.size)
        return Box(*surface.blit(picture, stack(box, *picture.get_size())))

    def paint_picture(
        self,
        sheet: Sheet,
        frame: CameraPageFrame,
        label: str,
        said: str,
        *,
        colour: Colour = TEXT,
        share: int = 62,
    ) -> Box:
        """One sentence on top, and the picture's place on paper, which bears a label.

        `share`: its hundredths of the width at most. Returns the room beside it, or under it if upright.
        """
        edge, border, low = sheet.em(0.6), sheet.u(1.1), sheet.em(1.9)
        page = sheet.rect.inset(left=edge, right=edge, top=edge // 3)
        head, body, _ = rows(page, sheet.u(14), FILL, sheet.em(3.5), gap=edge // 2)
        left, right = split_body(sheet, body, share, upright=52)
        room = left.inset(left=border, top=border, right=border, bottom=low)
        camera = frame.camera_input.camera
        wide, high = USUAL_SHAPE if camera is None else camera.shape[1::-1]
        scale = min(room.w / wide, room.h / high)
        seen = Box(room.x, room.y, round(wide * scale), round(high * scale))
        paper = Box(left.x, left.y, seen.w + 2 * border, seen.h + border + low)
        sheet.box(paper, PAPER, radius=EM_PER_U * LOOK.radius["plate"])
        sheet.fill(seen, INK)
        sheet.text(Box(seen.x, seen.bottom, seen.w, low), label, 1.2, INK, bold=True)
        sheet.text(head, said, PROMPT, colour, bold=True, align="center", grows=False)
        sheet.moving["camera"] = seen
        beside = paper.right + edge
        return right if right.y > left.y else right._replace(x=beside, w=right.right - beside)


class CalibratePage(CameraPage):
    """Everything is done by targets; a finger on the picture and the arrow keys are short cuts."""

    def paint(self, sheet: Sheet, frame: CameraPageFrame) -> None:
        view = frame.camera_input.view
        assert isinstance(view, CalibrationView)
        right = self.paint_picture(sheet, frame, sheet.tr("ui.calibrate"), sheet.sentence(view.hint))
        _paint_method(sheet, right, view)
        keep = camera_action("keep") if view.ready else None
        home = DialogButton("ui.home", "home", touch_action(ShowPage("home")))
        paint_buttons(sheet, DialogButton("ui.calibrate.keep", "keep", keep, PRIMARY_FILL), home)

    def animate(self, surface: pygame.Surface, sheet: Sheet, frame: CameraPageFrame, now: Micros) -> None:
        """Draw the camera's picture, with the places where they are."""
        view = frame.camera_input.view
        seen = self.draw_picture(surface, sheet, frame.camera_input)
        if seen is None or not isinstance(view, CalibrationView):
            return
        for number, zone in enumerate(view.zones):
            places = [other.name for other in view.zones if other.read]
            chosen = view.aim == "zones" and zone.read and places.index(zone.name) == view.chosen
            _draw_zone(surface, sheet, seen, zone, chosen=chosen, number=number)
        if view.outline:
            surface.set_clip(pygame.Rect(*seen))  # what the camera does not see is not beside it
            draw_line(
                surface, NOTICE, to_screen_points(seen, view.outline), max(2, sheet.em(0.16)), closed=True
            )
            surface.set_clip(None)
        if view.aim == "corners":
            _draw_corners(surface, sheet, seen, view)

    def handle(self, entered: inputs.Input, frame: CameraPageFrame) -> InputResult:
        view = frame.camera_input.view
        if not frame.ui_state.overlay and isinstance(view, CalibrationView) and view.aim:
            if isinstance(entered, inputs.FingerDown):
                spot = self._to_picture_point(frame, entered)
                if spot is not None:
                    return self.apply_action(frame, camera_action("point", *spot))
            if isinstance(entered, inputs.KeyPressed) and entered.key in ARROWS:
                return self.apply_action(frame, camera_action("move", *ARROWS[entered.key]))
        return super().handle(entered, frame)

    def _to_picture_point(self, frame: CameraPageFrame, tap: inputs.FingerDown) -> tuple[float, float] | None:
        """Where a finger points to in the camera's picture, in shares of it."""
        sheet, camera = self.painted_sheet(frame), frame.camera_input.camera
        box = sheet.moving.get("camera")
        if camera is None or box is None:
            return None
        picture = sheet.art.camera_picture(camera, box.size)
        seen = stack(box, *picture.get_size())
        if not seen.contains((tap.x, tap.y)):
            return None
        return (tap.x - seen.x) / seen.w, (tap.y - seen.y) / seen.h


def _paint_method(sheet: Sheet, rect: Box, view: CalibrationView) -> None:
    """How the table is found, for which game; below it the keys that move things, and what is found."""
    gap, row = sheet.em(0.35), max(sheet.em(2.0), sheet.min_touch_height)
    ways, games, keys, found = rows(rect, row, row, _arrows_height(sheet, view), FILL, gap=gap)
    wide = button_widths(sheet, [sheet.tr(f"ui.calibrate.by_{method}") for method in METHODS], ways.w, row)
    for method, cell in zip(METHODS, columns(ways, *wide, gap=sheet.em(0.4)), strict=True):
        does, chosen = camera_action("method", method), method == view.method
        sheet.button(cell, sheet.tr(f"ui.calibrate.by_{method}"), f"method:{method}", does, chosen=chosen)
    label = sheet.tr("ui.calibrate.game", game=sheet.tr(f"{view.game}.name"))
    sheet.button(games, label, "game", camera_action("game") if len(view.games) > 1 else None)
    if view.aim:
        _paint_arrow_buttons(sheet, keys, view)
    good = [] if view.mat is None else [view.mat]
    if view.ready and not view.warnings:
        good.append(Sentence("ui.calibrate.light_good"))
    told = (*(("check", one) for one in good), *((WARNING_SIGN, one) for one in view.warnings))
    paint_findings(sheet, found, told)


def _arrows_height(sheet: Sheet, view: CalibrationView) -> int:
    """What the keys that move things need; 0: nothing is moved."""
    lines = -(-len(_arrow_buttons(view)) // COLUMNS) if view.aim else 0
    return lines * (max(sheet.em(1.7), sheet.min_touch_height) + sheet.em(0.2))


def _arrow_buttons(view: CalibrationView) -> list[tuple[str, str, TouchAction]]:
    """Words, or none where an arrow says it, key, and deed of the keys that move a corner or a place."""
    entries = [
        ("", "left", camera_action("move", -1, 0)),
        ("", "up", camera_action("move", 0, -1)),
        ("", "right", camera_action("move", 1, 0)),
        ("ui.calibrate.next", "next", camera_action("next")),
        ("", "down", camera_action("move", 0, 1)),
        ("ui.calibrate.coarse" if view.fine else "ui.calibrate.fine", "fine", camera_action("fine")),
    ]
    if view.method == "sheet":
        other = "places" if view.aim == "corners" else "paper"
        entries.append((f"ui.calibrate.{other}", "aim", camera_action("aim")))
    if view.aim == "zones":
        entries.append(("ui.calibrate.turn", "turn", camera_action("turn")))
    return entries


def _paint_arrow_buttons(sheet: Sheet, rect: Box, view: CalibrationView) -> None:
    entries = _arrow_buttons(view)
    cells = grid(rect, len(entries), COLUMNS, gap=sheet.em(0.35), rows_apart=sheet.em(0.2))
    for cell, (words, key, does) in zip(cells, entries, strict=True):
        sheet.button(cell, sheet.tr(words) if words else "", key, does, fill=RAISED if words else PAPER)
        if not words:
            sheet.picture(sheet.art.motif(key, sheet.em(0.9)), cell.center)


def to_screen_points(seen: Box, corners: tuple[tuple[float, float], ...]) -> list[tuple[float, float]]:
    """Corners in shares of the picture as pixels of the screen, where the picture is `seen`."""
    return [(seen.x + x * seen.w, seen.y + y * seen.h) for x, y in corners]


def draw_label(
    surface: pygame.Surface, sheet: Sheet, points: Sequence[tuple[float, float]], words: pygame.Surface
) -> None:
    """Words on a dark plate in the middle of four corners, (x, y) in pixels."""
    middle = (sum(x for x, _ in points) / 4, sum(y for _, y in points) / 4)
    place = around((round(middle[0]), round(middle[1])), *words.get_size())
    draw_rounded_rect(surface, sheet.art.sprites, place.inflate(sheet.em(0.3), 0), INK, radius=sheet.em(0.3))
    surface.blit(words, place)


def _draw_zone(
    surface: pygame.Surface, sheet: Sheet, seen: Box, zone: Zone, *, chosen: bool, number: int
) -> None:
    """A place's outline, and its number."""
    colour: Colour = NOTICE if zone.fault else GOLD if chosen else GOOD if zone.read else EDGE
    points = to_screen_points(seen, zone.corners)
    thick = max(2, sheet.em(0.16 if chosen or zone.fault else 0.08))
    draw_line(surface, colour, points, thick, closed=True)
    if zone.label:
        words = sheet.painter.render_text(zone.label, 1.0, TEXT if zone.read else SOFT, bold=True)
        draw_label(surface, sheet, points, words)


def _draw_corners(surface: pygame.Surface, sheet: Sheet, seen: Box, view: CalibrationView) -> None:
    points = to_screen_points(seen, view.corners)
    if len(points) == 4:
        draw_line(surface, GOLD, points, max(2, sheet.em(0.08)), closed=True)
    for number, (x, y) in enumerate(points):
        chosen = number == view.chosen
        radius = sheet.em(0.55 if chosen else 0.4)
        for colour, width in (
            (INK, max(3, sheet.em(0.26))),
            (GOLD if chosen else RAISED, max(2, sheet.em(0.14))),
        ):
            ring = sheet.art.sprites.disc(radius, None, colour, width)
            surface.blit(ring, ring.get_rect(center=(round(x), round(y))))
        arm = sheet.em(0.3)
        draw_line(surface, GOLD, ((x - arm, y), (x + arm, y)), 1)
        draw_line(surface, GOLD, ((x, y - arm), (x, y + arm)), 1)
