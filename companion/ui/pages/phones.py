"""Phones as buttons: how they join, who asks for a chair, and the yes that only the table can say."""

from collections.abc import Mapping

import pygame

from companion.core.actions import Chair
from companion.ui import ring
from companion.ui.commands import Continue, Phones, Show
from companion.ui.frame import PhonesFrame
from companion.ui.kit import Plate, plate
from companion.ui.overlays.leaf import ASKS, PRIMARY, READ, Foot, feet, leaf, parted, titled
from companion.ui.pages.base import Over, Page
from companion.ui.phone_seats import PhoneSeat, PhoneTable
from companion.ui.pile import shortened
from companion.ui.sheet import Deed, Sheet, deed
from companion.ui.theme import INK, PAPER, RAISED, SOFT, TEXT
from companion.ui.words import table_called

QUIET = 4
"""Modules of white round a QR code (ISO/IEC 18004)."""
ACTS, ANSWER = 34, 28
"""Hundredths of a chair's plate for what can be done about it, and for each of two answers."""


class PhonesPage(Page[PhonesFrame]):
    """A chair's own button, a key or a finger says yes to the phone that asks for that chair."""

    usual = "back"

    def overlays(self, frame: PhonesFrame) -> Mapping[str, Over[PhonesFrame]]:
        return {**super().overlays(frame), "owner": lambda sheet, _: _owner(sheet, frame.phones)}

    def takes_chairs(self, frame: PhonesFrame) -> bool:
        return True

    def chair_pressed(self, frame: PhonesFrame, chair: Chair) -> Deed:
        asks = any(seat.chair == chair and seat.state == "asks" for seat in frame.phones.seats)
        return deed(Phones("yes", chair)) if asks else Deed()

    def likely(self, frame: PhonesFrame) -> str:
        return "back" if _has_page(frame.phones) else "open"

    def escape(self, frame: PhonesFrame) -> Deed:
        if frame.glass.overlay:
            return deed(overlay="")
        return deed(Show("game"), Continue()) if frame.playing else deed(Show("home"))

    def paint(self, sheet: Sheet, frame: PhonesFrame) -> None:
        phones = frame.phones
        title = sheet.tr("ui.phones")
        if phones.address:
            title = f"{title} · {table_called(sheet.words, phones.name, phones.address)}"
        body = titled(sheet, title)
        if frame.trouble is not None and not (phones.is_open and frame.trouble == phones.trouble):
            body = sheet.alarm(body, sheet.words.text(frame.trouble, frame.names))
        how, chairs = parted(sheet, body, 36, upright=46)
        _how(sheet, how, phones)
        for seat, cell in zip(
            phones.seats,
            ring.grid(len(phones.seats), chairs, sheet.em(0.35), shape=2.6),
            strict=True,
        ):
            _seat(sheet, cell, seat)
        change = (
            Foot("ui.phones.close", "shut", deed(Phones("close")))
            if _has_page(phones)
            else Foot("ui.phones.open", "open", deed(Phones("open")), PRIMARY)
        )
        back = "ui.back_to_game" if frame.playing else "ui.home"
        owner = (
            [Foot("ui.phones.owner", "owner", deed(overlay="owner"))]
            if phones.address and phones.owner
            else []
        )
        feet(sheet, change, *owner, Foot(back, "back", self.escape(frame), PRIMARY))


def _has_page(phones: PhoneTable) -> bool:
    """Whether phones are let in, and nothing has to be done again for that."""
    return phones.is_open and phones.trouble is None


def _owner(sheet: Sheet, phones: PhoneTable) -> None:
    """How a browser gets past games, recaps and the stream's address."""
    body = leaf(sheet, "ui.phones.owner", span=ASKS)
    third = body.h // 3
    how = pygame.Rect(body.x, body.y, body.w, third)
    sheet.text(how, sheet.tr("ui.phones.owner.how"), 1.2, SOFT, middle=False)
    at = pygame.Rect(body.x, how.bottom, body.w, third)
    sheet.text(at, f"{phones.address}/games", 1.5, TEXT, bold=True, align="center")
    pin = pygame.Rect(body.x, at.bottom, body.w, body.h - 2 * third)
    spoken = f"{phones.owner[:3]} {phones.owner[3:]}"
    sheet.text(pin, sheet.tr("ui.phones.pin", pin=spoken), 2.2, TEXT, bold=True, align="center")
    feet(sheet, READ, span=ASKS)


def _how(sheet: Sheet, rect: pygame.Rect, phones: PhoneTable) -> None:
    """The code, the address and the PIN, or why there is none."""
    if not phones.is_open:
        lead = pygame.Rect(rect.x, rect.y, rect.w, rect.h * 3 // 5)
        sheet.text(lead, sheet.tr("ui.phones.lead"), 1.3, TEXT, middle=False)
        price = pygame.Rect(rect.x, lead.bottom, rect.w, rect.h - lead.h)
        sheet.text(price, sheet.tr("ui.phones.price"), 1.0, SOFT)
        return
    if not phones.address:
        why = sheet.tr("ui.phones.no_network" if phones.pin else "ui.phones.starting")
        if phones.trouble is not None:
            why = sheet.words.text(phones.trouble)
        sheet.text(rect, why, 1.4, TEXT, middle=False)
        return
    words = pygame.Rect(rect.x, 0, rect.w, min(sheet.em(4.6), rect.h // 2))
    words.bottom = rect.bottom
    code = pygame.Rect(rect.x, rect.y, rect.w, words.y - rect.y - sheet.em(0.2))
    if phones.code:
        _code(sheet, code, phones.code)
    else:
        sheet.text(code, sheet.tr("ui.phones.full"), 1.6, TEXT, bold=True, align="center")
    half = words.h // 2
    upper = pygame.Rect(words.x, words.y, words.w, half)
    sheet.text(upper, phones.address, 1.5, TEXT, bold=True, align="center")
    lower = pygame.Rect(words.x, words.y + half, words.w, words.h - half)
    pin = f"{phones.pin[:3]} {phones.pin[3:]}"
    sheet.text(lower, sheet.tr("ui.phones.pin", pin=pin), 1.9, TEXT, bold=True, align="center")


def _code(sheet: Sheet, rect: pygame.Rect, code: tuple[str, ...]) -> None:
    """The modules, each of this many whole pixels, with white round them."""
    side = len(code) + 2 * QUIET
    size = min(rect.w, rect.h) // side
    if size < 1:
        return
    ground = pygame.Rect(0, 0, side * size, side * size)
    ground.center = rect.center
    sheet.fill(ground, PAPER)
    for row, modules in enumerate(code):
        for column, module in enumerate(modules):
            if module == "1":
                x, y = ground.x + (column + QUIET) * size, ground.y + (row + QUIET) * size
                sheet.fill(pygame.Rect(x, y, size, size), INK)


def _seat(sheet: Sheet, rect: pygame.Rect, seat: PhoneSeat) -> None:
    """One chair: whose it is, and what can be done about that."""
    if seat.state == "asks":
        _asks(sheet, rect, seat.chair)
        return
    ink = plate(sheet, rect, sheet.colour(seat.chair), Plate.WAIT)
    inner = rect.inflate(-sheet.em(0.5), -sheet.em(0.4))
    radius = min(inner.h // 3, sheet.em(0.85))
    sheet.badge((inner.x + radius * 5 // 4, inner.centery), radius, seat.chair)
    left, gap = inner.x + radius * 5 // 2 + sheet.em(0.3), sheet.em(0.25)
    end = inner.right - (0 if seat.state == "free" else inner.w * ACTS // 100 + gap)
    half = inner.h // 2
    name = pygame.Rect(left, inner.y, end - left, half)
    sheet.text(name, shortened(sheet, sheet.name(seat.chair), name.w), 1.0, ink, bold=True)
    state = pygame.Rect(left, inner.y + half, end - left, inner.h - half)
    sheet.text(state, sheet.tr(_state(seat)), 1.0, ink, grows=False)
    if seat.state == "held":
        acts = pygame.Rect(end + gap, inner.y, inner.right - end - gap, inner.h)
        back = deed(Phones("no", seat.chair))
        sheet.button(acts, sheet.tr("ui.phones.take_back"), f"no:{seat.chair}", back)


def _asks(sheet: Sheet, rect: pygame.Rect, chair: Chair) -> None:
    """A chair that a phone asks for: its name under its avatar, so that both answers are as high as it."""
    ink = plate(sheet, rect, sheet.colour(chair), Plate.ASKED)
    inner, gap = rect.inflate(-sheet.em(0.5), -sheet.em(0.4)), sheet.em(0.25)
    wide = inner.w * ANSWER // 100
    whose = pygame.Rect(inner.x, inner.y, inner.w - 2 * (wide + gap), inner.h)
    line = sheet.em(1.3)
    radius = min((whose.h - line) * 2 // 5, sheet.em(0.85))
    sheet.badge((whose.centerx, whose.centery - line // 2), radius, chair)
    name = pygame.Rect(whose.x, whose.centery - line // 2 + radius * 5 // 4, whose.w, line)
    sheet.text(name, shortened(sheet, sheet.name(chair), name.w), 1.0, ink, bold=True, align="center")
    answer = pygame.Rect(whose.right + gap, inner.y, wide, inner.h)
    for said, fill in ((Phones("yes", chair), PRIMARY), (Phones("no", chair), RAISED)):
        words, key = sheet.tr(f"ui.phones.{said.what}"), f"{said.what}:{chair}"
        sheet.button(answer, words, key, deed(said), fill=fill, bold=True)
        answer = answer.move(wide + gap, 0)


def _state(seat: PhoneSeat) -> str:
    if seat.state == "free":
        return "ui.phones.is.free"
    return f"ui.phones.is.{'asleep' if not seat.awake else 'held' if seat.fit else 'unfit'}"
