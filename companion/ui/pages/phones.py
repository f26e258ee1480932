"""Page on which people let phones join as buttons."""

from collections.abc import Mapping
from typing import Literal

from companion.core.actions import Chair
from companion.language.language import table_title
from companion.ui.commands import ContinueGame, ManagePhones, ShowPage
from companion.ui.frame import PhoneSeat, PhonesFrame, PhoneTable
from companion.ui.layout import FILL, Box, columns, grid, rows, stack
from companion.ui.overlays.dialog import (
    PRIMARY_CLOSE_BUTTON,
    PRIMARY_FILL,
    DialogButton,
    paint_buttons,
    paint_dialog,
    split_body,
)
from companion.ui.pages.base import OverlayPainter, Page
from companion.ui.toolkit.chair_tiles import shorten_name
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import INK, PAPER, RAISED, SOFT, TEXT
from companion.ui.toolkit.widgets import PlateState, paint_plate

QUIET = 4
"""Modules of white round a QR code (ISO/IEC 18004)."""
MOST_ROWS = 5
"""So many chairs stand one below the other; more of them in two columns."""
SEAT, NAMED = 4, 1.3
"""How high a chair's plate is at most, in em; how large a name is, and what can be done about it."""
LOWEST = 44
"""How high a button is at least, in pixels (WCAG 2.2, 2.5.5)."""
ANSWER, REMOVE = 28, 36
"""Hundredths of a plate for each of two answers, and for the one button of a chair that a phone has."""


class PhonesPage(Page[PhonesFrame]):
    """A chair's own button, a key or a finger says yes to the phone that asks for that chair."""

    default_focus = "back"

    def overlays(self, frame: PhonesFrame) -> Mapping[str, OverlayPainter[PhonesFrame]]:
        return {**super().overlays(frame), "owner": lambda sheet, _: _paint_owner_dialog(sheet, frame.phones)}

    def takes_chair_buttons(self, frame: PhonesFrame) -> bool:
        return True

    def chair_press_action(self, frame: PhonesFrame, chair: Chair) -> TouchAction:
        asks = any(seat.chair == chair and seat.state == "asks" for seat in frame.phones.seats)
        return touch_action(ManagePhones("yes", chair)) if asks else TouchAction()

    def find_default_focus(self, frame: PhonesFrame) -> str:
        return "back" if _has_page(frame.phones) else "open"

    def escape_action(self, frame: PhonesFrame) -> TouchAction:
        if frame.ui_state.overlay:
            return touch_action(overlay="")
        return (
            touch_action(ShowPage("game"), ContinueGame())
            if frame.playing
            else touch_action(ShowPage("home"))
        )

    def paint(self, sheet: Sheet, frame: PhonesFrame) -> None:
        phones = frame.phones
        title = sheet.tr("ui.phones")
        if phones.address:
            title = f"{title} · {table_title(sheet.words, phones.name, phones.address)}"
        body = paint_dialog(sheet, "ui.phones", words=title)
        if frame.trouble is not None and not (phones.is_open and frame.trouble == phones.trouble):
            body = sheet.paint_warning(body, sheet.sentence(frame.trouble))
        taken = [seat for seat in phones.seats if seat.state != "free"]
        if phones.address and (phones.firewall_remedy or not taken):
            body = _paint_unreached(sheet, body, phones.firewall_remedy)
        how, chairs = split_body(sheet, body, 36, upright=46)
        _paint_join_info(sheet, how, phones)
        asked = any(seat.state == "asks" for seat in taken)
        apart = sheet.em(0.2 if phones.firewall_remedy else 0.4)
        cells = grid(chairs, len(taken), 1 if len(taken) <= MOST_ROWS else 2, gap=apart)
        for seat, cell in zip(taken, cells, strict=True):
            _paint_seat(sheet, stack(cell, cell.w, min(cell.h, sheet.em(SEAT))), seat)
        change = (
            DialogButton("ui.phones.close", "shut", touch_action(ManagePhones("close")))
            if _has_page(phones)
            else DialogButton("ui.phones.open", "open", touch_action(ManagePhones("open")), PRIMARY_FILL)
        )
        back = "ui.back_to_game" if frame.playing else "ui.home"
        owner = (
            [DialogButton("ui.phones.owner", "owner", touch_action(overlay="owner"))]
            if phones.address and phones.owner
            else []
        )
        paint_buttons(
            sheet,
            change,
            *owner,
            DialogButton(back, "back", self.escape_action(frame), RAISED if asked else PRIMARY_FILL),
        )


def _has_page(phones: PhoneTable) -> bool:
    """Whether phones are let in, and nothing has to be done again for that."""
    return phones.is_open and phones.trouble is None


def _paint_owner_dialog(sheet: Sheet, phones: PhoneTable) -> None:
    """How a browser gets past games, recaps and the stream's address."""
    body = paint_dialog(sheet, "ui.phones.owner")
    how, at, pin = rows(body, FILL, FILL, FILL)
    sheet.text(how, sheet.tr("ui.phones.owner.how"), 1.4, TEXT, align="center")
    sheet.text(at, f"{phones.address}/games", 2.2, TEXT, bold=True, align="center")
    spoken = f"{phones.owner[:3]} {phones.owner[3:]}"
    sheet.text(pin, sheet.tr("ui.phones.pin", pin=spoken), 2.8, TEXT, bold=True, align="center")
    paint_buttons(sheet, PRIMARY_CLOSE_BUTTON)


def _paint_join_info(sheet: Sheet, rect: Box, phones: PhoneTable) -> None:
    """The code, the address and the PIN, or why there is none."""
    if not phones.is_open:
        lead = Box(rect.x, rect.y, rect.w, rect.h * 3 // 5)
        sheet.text(lead, sheet.tr("ui.phones.lead"), 1.3, TEXT, middle=False)
        price = Box(rect.x, lead.bottom, rect.w, rect.h - lead.h)
        sheet.text(price, sheet.tr("ui.phones.price"), 1.0, SOFT)
        return
    if not phones.address:
        why = sheet.tr("ui.phones.no_network" if phones.pin else "ui.phones.starting")
        if phones.trouble is not None:
            why = sheet.words.text(phones.trouble)
        sheet.text(rect, why, 1.4, TEXT, middle=False)
        return
    words = Box(rect.x, 0, rect.w, min(sheet.em(4.6), rect.h // 2))
    words = words._replace(y=rect.bottom - words.h)
    code = Box(rect.x, rect.y, rect.w, words.y - rect.y - sheet.em(0.2))
    if phones.code:
        _paint_qr_code(sheet, code, phones.code)
    else:
        sheet.text(code, sheet.tr("ui.phones.full"), 1.6, TEXT, bold=True, align="center")
    half = words.h // 2
    upper = Box(words.x, words.y, words.w, half)
    sheet.text(upper, phones.address, 1.5, TEXT, bold=True, align="center")
    lower = Box(words.x, words.y + half, words.w, words.h - half)
    pin = f"{phones.pin[:3]} {phones.pin[3:]}"
    sheet.text(lower, sheet.tr("ui.phones.pin", pin=pin), 1.9, TEXT, bold=True, align="center")


def _paint_unreached(sheet: Sheet, body: Box, remedy: str) -> Box:
    """Why a phone may find nothing at the address, in the last lines of the body; returns the rest of it.

    `remedy`: the command that lets phones in past a firewall; empty: there is none.
    """
    words = sheet.tr("ui.phones.walled", command=remedy) if remedy else sheet.tr("ui.phones.unreached")
    height = len(sheet.painter.fit_text(words, body.w, body.h, 1.0).lines) * sheet.line_height + sheet.em(0.3)
    sheet.text(Box(body.x, body.bottom - height, body.w, height), words, 1.0, SOFT, align="center")
    return body._replace(h=body.h - height - sheet.em(0.2))


def _paint_qr_code(sheet: Sheet, rect: Box, code: tuple[str, ...]) -> None:
    """The modules, each of this many whole pixels, with white round them."""
    side = len(code) + 2 * QUIET
    size = min(rect.w, rect.h) // side
    if size < 1:
        return
    ground = stack(rect, side * size, side * size)
    sheet.fill(ground, PAPER)
    for row, modules in enumerate(code):
        for column, module in enumerate(modules):
            if module == "1":
                x, y = ground.x + (column + QUIET) * size, ground.y + (row + QUIET) * size
                sheet.fill(Box(x, y, size, size), INK)


def _paint_seat(sheet: Sheet, rect: Box, seat: PhoneSeat) -> None:
    """A chair that a phone has or asks for: whose it is, and what can be done about that."""
    asks, gap = seat.state == "asks", sheet.em(0.3)
    ink = paint_plate(sheet, rect, sheet.colour(seat.chair), PlateState.ASKED if asks else PlateState.WAIT)
    off = max(sheet.em(0.1), min(sheet.em(0.4), rect.h - LOWEST))  # the plate's edge
    inner = rect.inflate(-sheet.em(0.8), -off)
    size = min(inner.h, inner.w // 5)
    acts: tuple[Literal["yes", "no"], ...] = ("yes", "no") if asks else ("no",)
    wide = inner.w * (ANSWER if asks else REMOVE) // 100
    badge, told, *spots = columns(inner, size, FILL, *[wide] * len(acts), gap=gap)
    sheet.badge(badge.center, size // 3, seat.chair)
    lines = [sheet.name(seat.chair)]
    if not asks:
        how = "asleep" if not seat.awake else "held" if seat.fit else "unfit"
        lines.append(sheet.tr(f"ui.phones.is.{how}"))
    abreast = max(sheet.text_width(words, NAMED, bold=True) for words in lines) <= told.w // len(lines)
    split = columns if abreast or told.h < 2 * sheet.line_height else rows
    for words, row in zip(lines, split(told, *[FILL] * len(lines), gap=0), strict=True):
        scale = max(1.0, min(NAMED, row.h / sheet.line_height))
        sheet.text(row, shorten_name(sheet, words, round(row.w / scale)), scale, ink, bold=words == lines[0])
    for what, spot in zip(acts, spots, strict=True):
        fill = PRIMARY_FILL if what == "yes" else RAISED
        words = sheet.tr(f"ui.phones.{what}" if asks else "ui.phones.take_back")
        does = touch_action(ManagePhones(what, seat.chair))
        scale = min(NAMED, (spot.w - sheet.em(0.6)) / sheet.text_width(words, bold=True))
        sheet.button(spot, words, f"{what}:{seat.chair}", does, fill=fill, bold=True, scale=max(1.0, scale))
