"""Calibration page: the camera's picture with every place drawn in it."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

import pygame

from companion.core.actions import SECOND, Micros
from companion.core.camera_tasks import (
    CalibrationView,
    CameraCommand,
    CameraPageInput,
    EnrolView,
    PhotoView,
    WatchView,
    Zone,
)
from companion.core.view import Sentence
from companion.ui.board.toolbar import draw_icon
from companion.ui.commands import ShowPage
from companion.ui.frame import CameraPageFrame
from companion.ui.layout import FILL, Box, around, columns, grid, rows, stack
from companion.ui.overlays.dialog import (
    PRIMARY_FILL,
    WARNING_SIGN,
    DialogButton,
    button_widths,
    felt_room,
    paint_bar,
    paint_felt_page,
    paint_findings,
    split_body,
)
from companion.ui.pages.base import InputResult, Page
from companion.ui.toolkit import inputs
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.sprites import draw_line, draw_rounded_rect
from companion.ui.toolkit.theme import (
    EDGE,
    GOLD,
    GOOD,
    INK,
    LOOK,
    NOTICE,
    PAPER,
    RAISED,
    SOFT,
    TEXT,
    Colour,
)

METHODS = ("marks", "corners", "sheet")
ARROWS: Mapping[str, tuple[int, int]] = {"left": (-1, 0), "up": (0, -1), "down": (0, 1), "right": (1, 0)}
COLUMNS = 3
"""Of the keys that move things: a fourth would cut their words."""
QUALITY = (("sun", frozenset({"dark", "glare", "shadow", "flicker"})), ("focus", frozenset({"blur"})))
"""What makes a picture good: its sign, and the faults that spoil it."""
CHECKS = ("ribbon", "setting", "busy")
"""What to look at where no picture comes."""
LEANS = 0.62
"""The far side of the mat to its near side, where it is drawn as one sits before it."""
CONE = 34
"""Of 255: how bright it is where the camera looks."""
METHOD_HEIGHT, FEW_TOLD = 3.6, 2
"""How high the ways to find the table are, in em, and beside how much told there is room for the mat."""
SHARE, FOUND_SHARE = 58, 76
"""How much of the felt's width the picture takes, and where it says all, in hundredths."""
PHOTO_CORNER = 0.25
"""Of the paper a picture is on, in em."""
REDRAW_INTERVAL: Micros = SECOND // 10
"""How often the camera's picture is drawn again."""


def camera_action(what: str, *values: str | int | float) -> TouchAction:
    """A command for the camera task that the page shows."""
    return touch_action(CameraCommand(what, values))


class CameraPage(Page[CameraPageFrame]):
    """A page beside the camera's picture."""

    default_focus = "home"
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
        said: str,
        *,
        label: str = "",
        signs: Sequence[tuple[str, frozenset[str]]] = (),
        faults: Collection[str] = (),
        colour: Colour = TEXT,
        share: int = 60,
        low: int = 0,
    ) -> tuple[Box, Box, Box]:
        """The felt below one sentence, and on it the picture's place on paper, which may bear a label.

        `signs`: what about the picture is told there by a sign, and the `faults` that spoil it.
        `share`: its hundredths of the felt's width at most; `low`: of its height that something else has
        below it. Without a picture it is shown where the camera belongs. Returns the room beside it, or under
        it if upright; that below both; and the bar.
        """
        felt, bar = paint_felt_page(sheet, said, colour=colour)
        room = felt_room(sheet, felt)
        room, below = rows(room, FILL, room.h * low // 100, gap=sheet.u(2) if low else 0)
        border, foot = sheet.u(1.4), sheet.em(1.5) if label else sheet.u(1.4)
        left, right = split_body(sheet, room, share, upright=56)
        camera = frame.camera_input.camera
        if camera is None:
            paint_camera_stand(sheet, left, frame.camera_input.view)
            return right, below, bar
        place = left.inset(left=border, top=border, right=border, bottom=foot)
        high, wide = camera.shape[:2]
        scale = min(place.w / wide, place.h / high)
        paper = stack(left, round(wide * scale) + 2 * border, round(high * scale) + border + foot, "left")
        seen = paper.inset(left=border, top=border, right=border, bottom=foot)
        sheet.shadow(paper, "plate", sheet.em(PHOTO_CORNER))
        sheet.box(paper, PAPER, radius=PHOTO_CORNER)
        sheet.fill(seen, INK)
        strip = Box(seen.x, seen.bottom, seen.w, foot)
        sheet.text(strip, label, 1.0, INK, bold=True)
        side = foot * 7 // 10
        for sign, spoilt in reversed(signs):
            strip, about, mark = columns(strip, FILL, side, side, gap=side // 3)
            sheet.picture(draw_icon(sheet, sign, side, INK), about.center)
            told = "alert" if spoilt.intersection(faults) else "check"
            sheet.picture(draw_icon(sheet, told, side, INK), mark.center)
        sheet.moving["camera"] = seen
        beside = paper.right + 2 * border
        return (right if right.y > left.y else right._replace(x=beside, w=right.right - beside)), below, bar


def paint_camera_stand(
    sheet: Sheet, rect: Box, view: CalibrationView | EnrolView | WatchView | PhotoView
) -> None:
    """The mat on the table as one sits before it, and the camera above its middle, that sees all of it."""
    arm, glow = sheet.u(2.2), sheet.u(9)
    game = view.deck if isinstance(view, WatchView) else view.game
    wide = min(rect.w - 2 * arm, round(2.4 * rect.h))
    mat = stack(rect, wide, round(min(rect.h * 0.5, wide * 0.4)), "bottom")
    lens = (mat.centerx, rect.y + glow)
    sheet.picture(sheet.art.leaning_mat(game, mat.size, LEANS), mat.center)
    inset = round(mat.w * (1 - LEANS) / 2)
    corners = (mat.x + inset, mat.y), (mat.right - inset, mat.y), (mat.right, mat.bottom), (mat.x, mat.bottom)
    cone = pygame.Surface(sheet.rect.size, pygame.SRCALPHA)
    for one, other in pairwise((*corners, corners[0])):
        pygame.draw.polygon(cone, (*LOOK.colour("lamp"), CONE), (lens, one, other))
    sheet.surface.blit(cone, (0, 0))
    for corner in corners:
        sheet.line(GOLD, 0.08, lens, corner)
    pole = min(rect.right - arm, mat.right + arm)
    foot = (pole, mat.y + mat.h // 3)
    for colour, width in ((INK, 0.8), (SOFT, 0.5)):
        sheet.line(colour, width, foot, (pole, lens[1]), lens)
        for joint in (foot, (pole, lens[1])):
            sheet.disc(joint, sheet.em(width / 2), colour)
    sheet.box(around(lens, 6 * arm, 4 * arm), RAISED, PAPER, width=0.14)
    for colour, radius in ((PAPER, 1.4), (INK, 1.1), (GOLD, 0.5)):
        sheet.disc(lens, round(arm * radius), colour)


class CalibratePage(CameraPage):
    """Everything is done by targets; a finger on the picture and the arrow keys are short cuts."""

    def find_default_focus(self, frame: CameraPageFrame) -> str:
        view = frame.camera_input.view
        return "keep" if isinstance(view, CalibrationView) and view.ready else self.default_focus

    def paint(self, sheet: Sheet, frame: CameraPageFrame) -> None:
        view = frame.camera_input.view
        assert isinstance(view, CalibrationView)
        faults = [one.key.split(".")[2] for one in view.warnings]
        signs = QUALITY if view.ready else ()
        name = sheet.tr(f"{view.game}.name")
        right, _, bar = self.paint_picture(
            sheet,
            frame,
            sheet.sentence(view.hint),
            label=name,
            signs=signs,
            faults=faults,
            share=FOUND_SHARE if _is_found(view) else SHARE,
        )
        keep = camera_action("keep") if view.ready else None
        home = DialogButton("ui.home", "home", touch_action(ShowPage("home")))
        home = home if keep else home._replace(fill=PRIMARY_FILL)
        if frame.camera_input.camera is None:
            told = [
                (str(number), Sentence(f"ui.calibrate.check.{one}")) for number, one in enumerate(CHECKS, 1)
            ]
            paint_findings(sheet, stack(right, right.w, right.h * 3 // 4), told)
            paint_bar(sheet, bar, home)
            return
        _paint_method(sheet, right, view)
        other = DialogButton("ui.enrol.game", "game", camera_action("game") if len(view.games) > 1 else None)
        paint_bar(sheet, bar, DialogButton("ui.calibrate.keep", "keep", keep, PRIMARY_FILL), home, other)

    def animate(self, surface: pygame.Surface, sheet: Sheet, frame: CameraPageFrame, now: Micros) -> None:
        """Draw the camera's picture, with the places where they are."""
        view = frame.camera_input.view
        seen = self.draw_picture(surface, sheet, frame.camera_input)
        if seen is None or not isinstance(view, CalibrationView):
            return
        named = set[str]()
        for zone in view.zones:
            places = [other.name for other in view.zones if other.read]
            chosen = view.aim == "zones" and zone.read and places.index(zone.name) == view.chosen
            _draw_zone(surface, sheet, seen, zone, chosen=chosen, named=zone.label not in named)
            named.add(zone.label if zone.read else "")
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


def _is_found(view: CalibrationView) -> bool:
    """Whether the picture says all: then it is as large as it can be."""
    return view.ready and not view.aim and not view.warnings and view.mat is None


def _paint_method(sheet: Sheet, rect: Box, view: CalibrationView) -> None:
    """How the table is found, and for which game; the keys that move things, and what is found."""
    gap = sheet.em(0.35)
    told = (*(("check", one) for one in ([] if view.mat is None else [view.mat])),)
    told = (*told, *((WARNING_SIGN, one) for one in view.warnings))
    high = sheet.em(METHOD_HEIGHT)
    mat = 0 if _is_found(view) or view.aim or len(told) > FEW_TOLD or sheet.rect.h > sheet.rect.w else FILL
    games, keys, found, ways = rows(
        rect, mat, _arrows_height(sheet, view), FILL if told or not mat else 0, high, gap=gap
    )
    if mat:
        inner = games.inflate(-2 * gap, -2 * gap)
        shape = stack(inner, min(inner.w, 2 * inner.h), inner.h)
        sheet.picture(sheet.art.leaning_mat(view.game, shape.size, LEANS), shape.center)
    if view.aim:
        _paint_arrow_buttons(sheet, keys, view)
    paint_findings(sheet, found, told)
    words = [sheet.tr(f"ui.calibrate.by_{method}") for method in METHODS]
    if _is_found(view) and rect.h > rect.w:
        cells = rows(rect, *[high] * len(METHODS), gap=sheet.em(0.6), justify="center")
    else:
        cells = columns(ways, *button_widths(sheet, words, ways.w, sheet.line_height), gap=sheet.em(0.4))
    for method, word, cell in zip(METHODS, words, cells, strict=True):
        chosen = method == view.method
        sheet.button(cell, "", f"method:{method}", camera_action("method", method), chosen=chosen)
        ink = INK if chosen else TEXT
        icon, low = rows(cell.inflate(0, -gap), FILL, sheet.line_height)
        sheet.picture(draw_icon(sheet, method, icon.h, ink), icon.center)
        sheet.text(low, word, 1.0, ink, bold=chosen, align="center")


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
    surface: pygame.Surface, sheet: Sheet, seen: Box, zone: Zone, *, chosen: bool, named: bool
) -> None:
    """A place's outline, and its number, if no other place has it."""
    colour: Colour = NOTICE if zone.fault else GOLD if chosen else GOOD if zone.read else EDGE
    points = to_screen_points(seen, zone.corners)
    thick = max(2, sheet.em(0.16 if chosen or zone.fault else 0.08))
    draw_line(surface, colour, points, thick, closed=True)
    if zone.read and named and zone.label:
        words = sheet.painter.render_text(zone.label, 1.0, TEXT, bold=True)
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
