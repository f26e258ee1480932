"""Draws what a demo adds to the table: a card with the camera's picture, what is told, and how to drive it.

The two may change places: the camera's picture large, and the table as a card beside it.
"""

from typing import Any, NamedTuple

import pygame

from companion.core.observations import UNKNOWN
from companion.ui.board.card_pictures import CARD_RATIO
from companion.ui.board.count_ring import draw_count
from companion.ui.board.full_screen import is_verdict_shown
from companion.ui.board.lesson_cards import place_name
from companion.ui.board.panels import chairs_and_decks
from companion.ui.board.stage_layout import MAX_LARGE_PLATES
from companion.ui.board.toolbar import draw_icon
from companion.ui.commands import ContinueGame, LeaveOrQuit, PauseGame, TakeOverChair
from companion.ui.frame import DemoInfo, GameFrame
from companion.ui.layout import FILL, Box, Share, columns, rows, stack
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import (
    DARK,
    GOLD,
    INK,
    LOOK,
    PAPER,
    RAISED,
    SOFT,
    TEXT,
    ink_on,
    type_scale,
)

DEMO = LOOK.demo
WIDE = 16 / 9
"""A camera's picture, width to height."""


class DemoPlaces(NamedTuple):
    """Where everything of it stands."""

    strip: Box
    """What the table leaves free."""
    card: Box
    """The camera's."""
    caption: Box
    controls: Box
    lift: int
    """How far above the felt's end the plates end, for the card lies there."""
    turn: float
    """How far the card is turned, in degrees."""


def demo_places(sheet: Sheet, frame: GameFrame) -> DemoPlaces:
    """The places below the stage; where there is room the card is large, and lies on the felt's corner."""
    area, edge = sheet.rect, sheet.u(DEMO["edge"])
    people = len(chairs_and_decks(frame.view, frame.ui_state))
    blind = frame.demo is not None and not frame.demo.has_camera
    many = blind or people > MAX_LARGE_PLATES or frame.exhibit is not None or is_verdict_shown(frame)
    upright = area.h > area.w
    high = sheet.u(DEMO["low" if many else "high"])
    inner = area.inset(left=edge, right=edge, bottom=sheet.u(DEMO["bottom"]))
    strip = stack(inner, inner.w, high, "bottom")
    row, gap = sheet.u(DEMO["controls"]), sheet.u(DEMO["gap"])
    size = (round(high * DEMO["shape"]), high)
    if blind:
        caption, controls = rows(strip, FILL, row, gap=gap)
        return DemoPlaces(strip, stack(strip, 0, 0), caption, controls, 0, 0.0)
    if upright:
        upper, controls = rows(strip, FILL, row, gap=gap)
        card, caption = columns(upper, round(upper.h * DEMO["shape"]), FILL, gap=edge)
        return DemoPlaces(strip, card, caption, controls, 0, 0.0)
    if not many:
        size = (sheet.u(DEMO["card"]), round(sheet.u(DEMO["card"]) / DEMO["shape"]))
    card = stack(inner, *size, "bottomleft")
    told = strip.inset(left=size[0] + (edge if many else 2 * edge))
    caption, controls = rows(told, FILL, row, gap=gap)
    lift, turn = (0, 0.0) if many else (strip.y - card.y, DEMO["turn"])
    return DemoPlaces(strip, card, caption, controls, lift, turn)


def paint_demo_strip(sheet: Sheet, frame: GameFrame, at: DemoPlaces) -> None:
    """What stands below the stage; the camera's picture itself is drawn with what moves."""
    demo = frame.demo
    assert demo is not None
    if demo.has_camera and frame.camera is None:
        picture = paint_camera_paper(sheet, at.card)
        inner, missing = picture.inflate(-sheet.em(0.4), 0), sheet.tr("ui.demo.no_picture")
        sheet.fill(picture, RAISED)
        sign, below = rows(inner, FILL, min(inner.h * 2 // 5, 2 * sheet.line_height))
        side = min(sign.h * 3 // 4, sheet.em(3))
        sheet.picture(draw_icon(sheet, "camera", side, SOFT), (sign.centerx, sign.bottom - side * 6 // 10))
        if not sheet.painter.fit_text(missing, below.w, below.h, 1.0).cut:  # the sign says it, too
            sheet.text(below, missing, 1.0, TEXT, align="center")
    elif demo.has_camera:
        sheet.moving["camera"] = at.card
    words = "" if demo.caption is None else sheet.sentence(demo.caption)
    fitted = sheet.painter.fit_text(words, at.caption.w, at.caption.h, type_scale("caption"), bold=True)
    if at.caption.h >= sheet.line_height and not fitted.cut:  # else the voice has it, and the log
        sheet.text(at.caption, words, fitted.scale, TEXT, bold=True)
    _paint_controls(sheet, at.controls, frame)


def paint_camera_paper(sheet: Sheet, card: Box) -> Box:
    """The card of the camera's picture, without it; returns where it belongs."""
    edge = max(2, round(min(card.w * DEMO["paper"], sheet.u(DEMO["gap"]))))
    sheet.box(card, PAPER, radius=0.3)
    inner = card.inflate(-2 * edge, -2 * edge)
    picture, label = rows(inner, min(inner.h, round(inner.w / WIDE)), FILL)
    sheet.fill(picture, DARK)
    if label.h >= sheet.unit:
        icon, told = columns(label.inset(left=edge), label.h * 4 // 5, FILL, gap=edge)
        sheet.picture(draw_icon(sheet, "camera", icon.w, INK), icon.center)
        scale = max(1.0, label.h * 0.8 / sheet.line_height)
        sheet.text(told, sheet.tr("ui.demo.camera"), scale, INK, bold=True, grows=False)
    return picture


def draw_camera_card(sheet: Sheet, size: tuple[int, int], camera: Any, turn: float) -> pygame.Surface:
    """The whole card with a picture of the camera (BGR), turned."""
    whole = pygame.Surface(size, pygame.SRCALPHA)
    field = paint_camera_paper(sheet.on_screen(whole), Box(0, 0, *size))
    picture = sheet.art.camera_picture(camera, field.size)
    whole.blit(picture, picture.get_rect(center=field.center))
    return pygame.transform.rotozoom(whole, turn, 1.0) if turn else whole


def _paint_controls(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """Menu, pause, the camera's picture, how much was told, and the way to play or out."""
    demo = frame.demo
    assert demo is not None
    gap = sheet.em(0.3)
    last, does = _last_button(sheet, frame, demo)
    wide, key = sheet.text_width(sheet.tr(last), bold=True) + sheet.em(0.9), last.rpartition(".")[2]
    larger = sheet.tr("ui.demo.smaller" if frame.ui_state.camera else "ui.demo.larger")
    picture = sheet.text_width(larger, bold=True) + sheet.em(2.2) if demo.has_camera else 0
    menu, pause, camera, told, out = columns(
        rect, sheet.em(1.9), sheet.em(1.9), min(picture, rect.w // 3), FILL, wide, gap=gap
    )
    _paint_icon_button(sheet, menu, "menu", "bar:menu", touch_action(overlay="menu"))
    paint_pause(sheet, pause, demo)
    if demo.has_camera:
        paint_size_button(sheet, camera, frame)
    fill = GOLD if last == "ui.demo.play" else RAISED
    sheet.button(out, sheet.tr(last), f"demo:{key}", does, bold=True, fill=fill)
    if demo.steps and not demo.seized and told.w > demo.steps * gap:
        line = stack(told.inflate(-gap, 0), told.w - gap, sheet.u(DEMO["line"]))
        for place, part in enumerate(columns(line, *[Share(1)] * demo.steps, gap=gap // 2)):
            sheet.pill(part, PAPER if place < demo.told else RAISED)


def _last_button(sheet: Sheet, frame: GameFrame, demo: DemoInfo) -> tuple[str, TouchAction]:
    """Take over a chair; whoever did may leave."""
    if demo.seized:
        return "ui.demo.leave", touch_action(LeaveOrQuit())
    asked = [one.chair for one in frame.view.chairs if one.asked] or [one.chair for one in frame.view.chairs]
    return "ui.demo.play", touch_action(TakeOverChair(asked[0]), camera=False)


def paint_pause(sheet: Sheet, rect: Box, demo: DemoInfo) -> None:
    """The button that stops the demo, or goes on with it."""
    does = touch_action(ContinueGame() if demo.paused else PauseGame())
    _paint_icon_button(sheet, rect, "play" if demo.paused else "pause", "demo:pause", does)


def paint_size_button(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """The button that has camera and stage change places."""
    large = frame.ui_state.camera
    words = sheet.tr("ui.demo.smaller" if large else "ui.demo.larger")
    inner = _paint_icon_button(sheet, rect, "camera", "demo:camera", touch_action(camera=not large), words)
    sheet.text(inner, words, 1.0, ink_on(RAISED), bold=True)


def _paint_icon_button(  # noqa: PLR0917
    sheet: Sheet, rect: Box, icon: str, key: str, does: TouchAction, words: str = ""
) -> Box:
    """A button with a sign, and room for words; returns that."""
    sheet.button(rect, "", key, does)
    side = sheet.em(0.9)
    wide = sheet.text_width(words, bold=True) if words else 0
    row = stack(rect, side + (wide + sheet.em(0.4) if words else 0), rect.h)
    sign, told = columns(row, side, FILL, gap=sheet.em(0.4) if words else 0)
    sheet.picture(draw_icon(sheet, icon, side, ink_on(RAISED)), sign.center)
    return told


# The camera's picture large ---------------------------------------------------------------------------------


def paint_camera_view(sheet: Sheet, frame: GameFrame, stage: Sheet) -> None:
    """The camera's picture, what is read in it, and the stage, painted already, as a card."""
    assert frame.demo is not None
    edge, gap = sheet.u(DEMO["edge"]), sheet.u(DEMO["gap"])
    inner = sheet.rect.inset(left=edge, right=edge, bottom=sheet.u(DEMO["bottom"]))
    upright = inner.h > inner.w
    head, body = rows(inner, sheet.u(LOOK.stage["head_end"]), FILL)
    sheet.text(head, sheet.tr("ui.demo.sees"), type_scale("prompt"), TEXT, bold=True, align="center")
    wide = inner.w if upright else round(inner.w * DEMO["large"])
    high = round(wide / WIDE) + sheet.u(DEMO["foot"])
    if upright:
        card, side = rows(body, high, FILL, gap=gap)
    else:
        left, side = columns(body, wide, FILL, gap=gap)
        card = stack(left, wide, min(left.h, high), "top")
    _, low, controls = rows(
        side, FILL, round(side.w * sheet.rect.h / sheet.rect.w), sheet.u(DEMO["controls"]), gap=gap
    )
    upper = side._replace(h=low.y - gap - side.y)
    picture = paint_camera_paper(sheet, card)
    if frame.camera is None:
        sheet.text(picture, sheet.tr("ui.demo.no_picture"), 1.6, TEXT, bold=True, align="center")
    else:
        sheet.moving["camera"] = picture
    _paint_found(sheet, upper, frame)
    sheet.box(low.inflate(gap // 2, gap // 2), PAPER, radius=0.3)
    sheet.surface.blit(pygame.transform.smoothscale(stage.surface, low.size), low)
    sheet.moving["stage"] = low
    menu, pause, size = columns(controls, sheet.em(1.9), sheet.em(1.9), FILL, gap=sheet.em(0.3))
    _paint_icon_button(sheet, menu, "menu", "bar:menu", touch_action(overlay="menu"))
    paint_pause(sheet, pause, frame.demo)
    paint_size_button(sheet, size, frame)


FOUND = 3
"""So many places are told beside the picture."""


def _paint_found(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """The last places that lie open, as the camera read them."""
    read = [
        (place.region, place.on_top[-1] if place.on_top else place.card)
        for place in frame.view.places
        if place.region and place.card and place.card != UNKNOWN and not place.card.startswith("back:")
    ][-FOUND:]
    gap = sheet.u(DEMO["gap"])
    for spot, (region, card) in zip(rows(rect, *[Share(1)] * FOUND, gap=gap), read, strict=False):
        high = min(spot.h, round(spot.w / 3 * CARD_RATIO))
        shown, told = columns(spot, round(high / CARD_RATIO), FILL, gap=2 * gap)
        sheet.card(stack(shown, shown.w, high), card)
        name = place_name(sheet, region)
        words = sheet.tr("ui.demo.place", place=name) if name.isdigit() else name
        sheet.text(told, words, type_scale("caption"), TEXT, bold=True)


def draw_small_count(surface: pygame.Surface, stage: Sheet, at: Box, count: Any, now: int) -> None:
    """A count on the stage that is shown as a card at `at`."""
    rect, share = stage.moving["count"], at.w / stage.rect.w
    piece = stage.surface.subsurface(rect).copy()
    draw_count(piece, stage.on_screen(piece), Box(0, 0, *rect.size), count, now)
    small = pygame.transform.smoothscale(piece, (round(rect.w * share), round(rect.h * share)))
    surface.blit(small, (at.x + round(rect.x * share), at.y + round(rect.y * share)))
