"""The page that learns USB buttons: the plates round the table, and whose button is to be pressed."""

from collections.abc import Sequence

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.system.terminal import to_printable
from companion.ui.board.panels import AvatarSpot
from companion.ui.board.stage_layout import StageLayout, layout_stage
from companion.ui.board.toolbar import draw_icon
from companion.ui.commands import LearnButtons, ShowPage
from companion.ui.frame import ButtonsFrame
from companion.ui.layout import FILL, Box, columns, rows
from companion.ui.pages.base import Page
from companion.ui.toolkit.chair_tiles import in_screen_order, shorten_name
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import GOLD, GOOD, LOOK, RAISED, TEXT, type_scale
from companion.ui.toolkit.widgets import (
    PlateState,
    draw_press_sign,
    paint_avatar,
    paint_felt,
    paint_halo,
    paint_plate,
    paint_signed_label,
)

SHARED = ("back", "next", "ok")
"""The buttons that no chair has, as settings name them."""


class ButtonsPage(Page[ButtonsFrame]):
    """A press on any device answers; what people do on the screen is only to go on without one, or to end."""

    exit_action = touch_action(ShowPage("settings"))

    def find_default_focus(self, frame: ButtonsFrame) -> str:
        """What loses nothing."""
        return "skip" if frame.view.asked else "leave"

    def paint(self, sheet: Sheet, frame: ButtonsFrame) -> None:
        stage = layout_stage(frame.chairs, sheet.rect, sheet.painter.height / 100, logs=False)
        sheet.text(
            stage.head, self._headline(sheet, frame), type_scale("prompt"), TEXT, bold=True, align="center"
        )
        middle = rows(stage.middle, FILL, sheet.em(4.2), sheet.em(2.4), gap=sheet.em(0.5))
        paint_felt(sheet, stage.rim, [middle[0].center] if frame.view.asked else [])
        order = in_screen_order(frame.ui_state, range(frame.chairs))
        for place, chair in enumerate(order):
            _paint_chair(sheet, stage, place, chair, frame)
        _paint_middle(sheet, middle, frame)
        _paint_bar(sheet, stage.bar, frame)

    def _headline(self, sheet: Sheet, frame: ButtonsFrame) -> str:
        view = frame.view
        if not view.asked:
            return sheet.sentence(view.note or Sentence("ui.buttons.kept"))
        if view.asked in SHARED:
            return sheet.sentence(Sentence("ui.buttons.ask", (("button", view.asked),)))
        return sheet.sentence(Sentence("ui.buttons.ask", (("chair", int(view.asked) - 1),)))


def _paint_chair(sheet: Sheet, stage: StageLayout, place: int, chair: Chair, frame: ButtonsFrame) -> None:
    """A plate: whose, and which device has its button."""
    rect, part = stage.plates[place], str(chair + 1)
    device = dict(frame.view.learned).get(part, "")
    asked, down = frame.view.asked == part, chair in frame.down
    state = (
        PlateState.ASKED
        if asked
        else PlateState.UP
        if down
        else PlateState.MAY
        if device
        else PlateState.WAIT
    )
    ink = paint_plate(sheet, rect, sheet.colour(chair), state, pressed=down)
    inner = rect.inflate(-sheet.em(0.8), -sheet.em(0.4))
    if stage.docks:
        spot = AvatarSpot(stage.docks[place], stage.avatar).sized_for(state)
    else:
        spot = AvatarSpot((inner.right - inner.h // 3, rect.centery), inner.h // 2)
    inner = spot.plate_room(rect, inner, sheet.em(0.2))
    paint_avatar(sheet, spot.centre, spot.size, chair, lit=asked)
    name, told = rows(inner, sheet.em(1.6), sheet.em(1.4), justify="center")
    sheet.text(name, shorten_name(sheet, sheet.name(chair), name.w), 1.0, ink, bold=True, grows=False)
    if device:
        side = sheet.em(0.8)
        sign, words = columns(told, side, FILL, gap=sheet.em(0.3))
        sheet.picture(draw_icon(sheet, "check", side, ink), sign.center)
        sheet.text(words, shorten_name(sheet, _device_name(device), words.w), 1.0, ink, grows=False)


def _paint_middle(sheet: Sheet, middle: Sequence[Box], frame: ButtonsFrame) -> None:
    """Who is asked, large; what is to be known; below it the three buttons that no chair has."""
    (picture, words, shared), view = middle, frame.view
    size = min(picture.h * 7 // 10, sheet.u(LOOK.moment["avatar"]), picture.w * 6 // 10)
    if view.asked in SHARED:
        sheet.picture(draw_press_sign(sheet, "tap", size * 6 // 10, GOLD), picture.center)
    elif view.asked:
        chair = int(view.asked) - 1
        paint_halo(sheet, picture.center, size)
        paint_avatar(sheet, picture.center, size * 8 // 10, chair, lit=True)
    elif view.learned:
        sheet.picture(draw_icon(sheet, "check", size * 6 // 10, GOOD), picture.center)
    note = view.note or (Sentence("ui.buttons.any") if view.asked else None)
    if note is not None and view.asked:
        sheet.text(words, sheet.sentence(note), 1.2, TEXT, bold=view.note is not None, align="center")
    known = dict(view.learned)
    for name, cell in zip(SHARED, columns(shared, FILL, FILL, FILL, gap=sheet.em(0.5)), strict=True):
        state = (
            PlateState.ASKED if name == view.asked else PlateState.MAY if name in known else PlateState.WAIT
        )
        ink = paint_plate(sheet, cell, RAISED, state)
        label, side = sheet.tr(f"ui.button.{name}"), sheet.em(0.8)
        if name in known and sheet.text_width(label, bold=True) + side + sheet.em(1.6) <= cell.w:
            paint_signed_label(sheet, cell, draw_icon(sheet, "check", side, ink), label, ink)
        else:
            sheet.text(cell, label, 1.0, ink, bold=True, align="center", grows=False)


def _paint_bar(sheet: Sheet, bar: Box, frame: ButtonsFrame) -> None:
    """The way back, and the ways on."""
    view, gap = frame.view, sheet.em(0.4)
    keep = touch_action(LearnButtons("keep")) if view.asked and view.learned else None
    again = touch_action(LearnButtons("again"))
    left = [("ui.button.back", "leave", ButtonsPage.exit_action, RAISED)]
    right = [("ui.buttons.again", "again", again if view.learned or not view.asked else None, RAISED)]
    if view.asked:
        right += [
            ("ui.buttons.skip", "skip", touch_action(LearnButtons("skip")), RAISED),
            ("ui.buttons.keep", "keep", keep, GOLD),
        ]
    each = [*left, *right]
    wide = [sheet.text_width(sheet.tr(words), bold=True) + sheet.em(1.4) for words, *_ in each]
    back, *on = columns(bar, wide[0], FILL, *wide[1:], gap=gap)
    for (words, key, does, fill), place in zip(each, (back, *on[1:]), strict=True):
        sheet.button(place, sheet.tr(words), key, does, fill=fill if does else RAISED, bold=True)


def _device_name(device: str) -> str:
    return to_printable(" ".join(device.split()))
