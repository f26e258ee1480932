"""Frame of all overlays: title, body, a row of buttons."""

from collections.abc import Sequence
from typing import NamedTuple

from companion.core.actions import Chair
from companion.ui.layout import Box
from companion.ui.toolkit.sheet import EM_PER_U, Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import EDGE, GOLD, LOOK, PANEL, RAISED, TEXT, Colour


class DialogButton(NamedTuple):
    """One button at the foot: catalogue key, key of the target, deed (None: out of use), colour."""

    words: str
    key: str
    action: TouchAction | None
    fill: Colour = RAISED


class WidthRange(NamedTuple):
    """How much of the width a leaf covers, in hundredths; the stage is seen beside it."""

    left: int
    right: int


FULL_WIDTH = WidthRange(0, 100)
QUESTION_SPAN = WidthRange(14, 86)
"""A question, with the table on both sides."""
TEXT_SPAN = WidthRange(30, 98)


def dialog_rect(sheet: Sheet, span: WidthRange) -> Box:
    """The whole leaf; on a screen that stands upright always as wide as it."""
    edge = sheet.em(0.5)
    page = sheet.rect.inflate(-2 * edge, -2 * edge)
    if span == FULL_WIDTH or sheet.rect.h > sheet.rect.w:
        return page
    left, right = (sheet.rect.w * share // 100 for share in span)
    return Box(left, page.y, right - left, page.h)


def paint_dialog(
    sheet: Sheet,
    title: str,
    *,
    footed: bool = True,
    span: WidthRange = FULL_WIDTH,
    about: Chair | None = None,
) -> Box:
    """Paint the leaf and give back its body; the feet are painted by `feet`, after the body.

    `about`: whose avatar stands beside the title.
    """
    return paint_titled_dialog(sheet, sheet.tr(title), footed=footed, span=span, about=about)


def paint_titled_dialog(
    sheet: Sheet,
    title: str,
    *,
    footed: bool = True,
    span: WidthRange = FULL_WIDTH,
    about: Chair | None = None,
) -> Box:
    """The same, with words for a title."""
    page = dialog_rect(sheet, span)
    sheet.box(page, PANEL, EDGE, radius=EM_PER_U * LOOK.radius["sheet"])
    head = Box(page.x + sheet.em(0.8), page.y + sheet.em(0.3), page.w - sheet.em(1.6), sheet.em(2.0))
    words = head
    if about is not None:
        radius = sheet.em(0.85)
        sheet.badge((head.x + radius, head.centery), radius, about)
        words = Box(head.x + 2 * radius + sheet.em(0.6), head.y, head.w - 2 * radius, head.h)
    sheet.text(words, title, 1.6, TEXT, bold=True)
    sheet.divider(head.bottom, head.x, head.right)
    low = sheet.em(3.0) if footed else 0
    return Box(head.x, head.bottom + sheet.em(0.3), head.w, page.bottom - head.bottom - low - sheet.em(0.6))


def split_body(sheet: Sheet, body: Box, share: int, *, upright: int) -> tuple[Box, Box]:
    """Two parts side by side, the left with this many hundredths of the width.

    On an upright screen they lie one above the other, the upper with `upright` hundredths of the height.
    """
    gap = sheet.em(0.6)
    if sheet.rect.h > sheet.rect.w:
        high = body.h * upright // 100
        below = Box(body.x, body.y + high + gap, body.w, body.h - high - gap)
        return Box(body.x, body.y, body.w, high), below
    wide = body.w * share // 100
    beside = Box(body.x + wide + gap, body.y, body.w - wide - gap, body.h)
    return Box(body.x, body.y, wide, body.h), beside


def paint_buttons(sheet: Sheet, *foot: DialogButton, span: WidthRange = FULL_WIDTH, keep: int = 0) -> None:
    """The buttons at the foot of the leaf; `keep`: what stands left of them needs so much."""
    page = dialog_rect(sheet, span)
    row = Box(page.x + sheet.em(0.8), 0, page.w - sheet.em(1.6), sheet.em(2.55))
    row = row._replace(y=page.bottom - sheet.em(0.45) - row.h)
    gap = sheet.em(0.4)
    equal = (row.w + gap) // max(3, len(foot)) - gap
    room = min(len(foot) * (equal + gap) - gap, row.w - keep)
    x = row.right - room
    wide = button_widths(sheet, [sheet.tr(one.words) for one in foot], room, row.h)
    for (words, key, does, fill), width in zip(foot, wide, strict=True):
        sheet.button(Box(x, row.y, width, row.h), sheet.tr(words), key, does, fill=fill, bold=True)
        x += width + gap


def button_widths(sheet: Sheet, words: Sequence[str], room: int, height: int) -> tuple[int, ...]:
    """How wide buttons in a row are: all the same, but where one then broke a word, each as it needs."""
    gap, step = sheet.em(0.4), max(1, sheet.em(0.25))
    equal = (room + gap) // max(1, len(words)) - gap

    def fits(one: str, width: int) -> bool:
        fitted = sheet.painter.fit_text(one, width - 2 * sheet.em(0.3), height, 1.0, bold=True)
        return not (fitted.cut or fitted.broken)

    if all(fits(one, equal) for one in words):
        return (equal,) * len(words)
    least = min(equal, sheet.em(3.5))
    widths = range(least, max(room, least) + step, step)
    needs = [next((width for width in widths if fits(one, width)), equal) for one in words]
    spare = room - sum(needs) - gap * (len(words) - 1)
    return tuple(need + spare // len(words) for need in needs) if spare >= 0 else (equal,) * len(words)


PRIMARY_FILL = GOLD
CLOSE_BUTTON = DialogButton("ui.close", "close", touch_action(overlay=""))
PRIMARY_CLOSE_BUTTON = CLOSE_BUTTON._replace(fill=PRIMARY_FILL)
"""Where there is nothing to do but to read."""
STAY_BUTTON = PRIMARY_CLOSE_BUTTON._replace(words="ui.quit.stay")
"""Where it is asked whether to leave."""


def paint_button_grid(
    sheet: Sheet, rect: Box, entries: Sequence[DialogButton], *, columns: int, high: float = 3.6
) -> None:
    """Buttons in equal columns, filled row by row; each `high` times the smallest text's em high at most."""
    gap = sheet.em(0.4)
    rows = -(-len(entries) // columns)
    width = (rect.w + gap) // columns
    height = min((rect.h + gap) // rows, sheet.em(high))
    for place, (words, key, does, fill) in enumerate(entries):
        cell = Box(
            rect.x + place % columns * width, rect.y + place // columns * height, width - gap, height - gap
        )
        sheet.button(cell, sheet.tr(words), key, does, fill=fill, scale=1.2)


def scroll_range(count: int, room: int, scroll: int) -> tuple[int, int]:
    """The first line shown, and how far one may scroll."""
    last = max(0, count - room)
    return min(scroll, last), last


def scroll_buttons(first: int, last: int, room: int) -> tuple[DialogButton, DialogButton]:
    """Buttons to scroll a list by what fits."""
    up = touch_action(scroll=max(0, first - room)) if first > 0 else None
    down = touch_action(scroll=min(last, first + room)) if first < last else None
    return DialogButton("ui.up", "up", up), DialogButton("ui.down", "down", down)
