"""Frame of all overlays: title, body, a row of buttons."""

from collections.abc import Sequence
from typing import NamedTuple

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.ui.board.stage_layout import layout_wide
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, columns, rows, stack
from companion.ui.toolkit.sheet import EM_PER_U, Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import (
    EDGE,
    GOLD,
    GROUND,
    INK,
    LOOK,
    NOTICE,
    PANEL,
    PAPER,
    RAISED,
    TEXT,
    Colour,
    type_scale,
)
from companion.ui.toolkit.widgets import paint_avatar, paint_felt


class DialogButton(NamedTuple):
    """One button at the foot: catalogue key, key of the target, deed (None: out of use), colour.

    `page`: to which page it leads, of how many: `2/4`.
    """

    words: str
    key: str
    action: TouchAction | None
    fill: Colour = RAISED
    page: str = ""

    def say(self, sheet: Sheet) -> str:
        """What stands on it."""
        return f"{sheet.tr(self.words)} {self.page}".rstrip()


def overlay_button(key: str, *, able: bool = True) -> DialogButton:
    """The button that opens an overlay, and is called like it; out of use unless `able`."""
    return DialogButton(f"ui.{key}", key, touch_action(overlay=key) if able else None)


FELT_EDGE, FELT_TOP = 5.4, 5.0
"""From the felt's rim to what lies on it, in hundredths of the height: at the sides, above and below."""


def dialog_rect(sheet: Sheet) -> Box:
    """The whole leaf."""
    edge = sheet.em(0.5)
    return sheet.rect.inflate(-2 * edge, -2 * edge)


def paint_dialog(
    sheet: Sheet,
    title: str,
    *,
    words: str = "",
    footed: bool = True,
    about: Chair | None = None,
) -> Box:
    """Paint the leaf and give back its body; the buttons are painted by `paint_buttons`, after the body.

    `words`: the title itself, where it is more than a key's. `about`: whose avatar stands beside it.
    """
    if _lies_on_felt(sheet):
        felt, _ = paint_felt_page(sheet, words or sheet.tr(title), about)
        return felt.inflate(-2 * sheet.u(FELT_EDGE), -2 * sheet.u(FELT_TOP))
    page = dialog_rect(sheet)
    sheet.shadow(page, "sheet", sheet.u(LOOK.radius["sheet"]))
    sheet.box(page, PANEL, EDGE, radius=EM_PER_U * LOOK.radius["sheet"])
    inner = page.inset(left=sheet.em(0.8), top=sheet.em(0.3), right=sheet.em(0.8), bottom=sheet.em(0.3))
    told, radius = words or sheet.tr(title), sheet.em(0.85)
    beside = 0 if about is None else 2 * radius + sheet.em(0.6)
    lines = 1 if sheet.text_width(told, bold=True) <= inner.w - beside else 2
    high = max(sheet.em(2.0), lines * sheet.line_height)
    head, _, body, _ = rows(inner, high, sheet.em(0.3), FILL, sheet.em(3.0) if footed else 0)
    sheet.text(head.inset(left=beside), told, 1.7, TEXT, bold=True)
    if about is not None:
        sheet.badge((head.x + radius, head.centery), radius, about)
    return body


def _lies_on_felt(sheet: Sheet) -> bool:
    """A leaf lies on the felt; one that stands upright needs all its room."""
    return sheet.rect.w >= sheet.rect.h


def paint_felt_page(
    sheet: Sheet, title: str, about: Chair | None = None, *, colour: Colour = TEXT
) -> tuple[Box, Box]:
    """A page that is the table itself: its name, and the felt; returns the felt, and the bar below it."""
    sheet.fill(sheet.rect, GROUND)
    head, felt, bar = layout_wide(sheet.rect, sheet.painter.height / 100)
    avatar = None
    if about is not None:
        radius, gap = sheet.em(1.0), sheet.em(0.5)
        wide = min(sheet.text_width(title, type_scale("prompt"), bold=True), head.w - 2 * radius - gap)
        avatar, head = columns(stack(head, 2 * radius + gap + wide, head.h), 2 * radius, FILL, gap=gap)
    sheet.text(head, title, type_scale("prompt"), colour, bold=True, align="center")
    if about is not None and avatar is not None:  # after the words: they are the page's name
        paint_avatar(sheet, avatar.center, 2 * radius, about)
    paint_felt(sheet, felt)
    return felt, bar


def felt_room(sheet: Sheet, felt: Box) -> Box:
    """What pictures on the felt may fill."""
    return felt.inflate(-2 * sheet.u(LOOK.choice["edge"]), -2 * sheet.u(LOOK.choice["top"]))


def paint_bar(sheet: Sheet, bar: Box, *foot: DialogButton) -> Box:
    """Buttons of a page on the felt: golden ones at the right, the others from the left, none out of use.

    Returns what they leave between them.
    """
    gap, pad, able = sheet.em(0.4), sheet.em(1.2), [one for one in foot if one.action is not None]
    able.sort(key=lambda one: one.fill == PRIMARY_FILL)
    told = [one.say(sheet) for one in able]
    wide = [sheet.text_width(words, bold=True) + pad for words in told]
    rest = sum(one.fill != PRIMARY_FILL for one in able)
    if sum(wide) + gap * len(wide) > bar.w:
        wide = list(button_widths(sheet, told, bar.w - gap, bar.h))
    places = list(columns(bar, *wide[:rest], FILL, *wide[rest:], gap=gap))
    free = places.pop(rest)
    for one, words, place in zip(able, told, places, strict=True):
        sheet.button(place, words, one.key, one.action, fill=one.fill, bold=True)
    return free


def paint_sign(sheet: Sheet, place: Box, sign: str, fill: Colour = PAPER) -> None:
    """A picture by its name, in the middle of `place`; an arrow, figure or mark on a disc.

    It is a picture, and not read aloud.
    """
    side, drawn = min(place.size), len(sign) > 2
    arrow = sign in {"left", "right"}
    if not drawn or arrow:
        sheet.disc(place.center, side // 2, fill)
    if drawn:
        sheet.picture(sheet.art.motif(sign, side * 6 // 10 if arrow else side), place.center)
    else:
        sheet.picture(sheet.painter.render_text(sign, 1.2, INK, bold=True), place.center)


WARNING_SIGN = "!"


def paint_findings(sheet: Sheet, room: Box, told: Sequence[tuple[str, Sentence]]) -> None:
    """Signs and sentences one below the other, as many as there is room for."""
    side, gap = sheet.em(1.8), sheet.em(0.4)
    for scale in (1.4, 1.2, 1.0):
        line = sheet.painter.line_height(scale)
        fitted = [
            sheet.painter.fit_text(sheet.sentence(one), room.w - side - gap, 6 * line, scale, least=scale)
            for _, one in told
        ]
        heights = [max(side, len(fit.lines) * line) for fit in fitted]
        if sum(heights) + gap * len(heights) <= room.h and not any(fit.broken for fit in fitted):
            break
    top = room.y
    for (sign, sentence), high in zip(told, heights, strict=True):
        if top + high > room.bottom:
            return
        mark, words = columns(Box(room.x, top, room.w, high), side, FILL, gap=gap)
        paint_sign(sheet, mark, sign, NOTICE)
        sheet.text(
            words, sheet.sentence(sentence), scale, NOTICE if sign == WARNING_SIGN else TEXT, least=scale
        )
        top += high + gap


def paint_trouble(sheet: Sheet, body: Box, frame: GameFrame) -> Box:
    """What ails the table now, at the foot; returns the rest."""
    return body if frame.trouble is None else sheet.paint_warning(body, sheet.sentence(frame.trouble))


def split_body(sheet: Sheet, body: Box, share: int, *, upright: int) -> tuple[Box, Box]:
    """Two parts side by side, the left with this many hundredths of the width.

    On an upright screen they lie one above the other, the upper with `upright` hundredths of the height.
    """
    gap = sheet.em(0.6)
    if sheet.rect.h > sheet.rect.w:
        above, below = rows(body, body.h * upright // 100, FILL, gap=gap)
        return above, below
    left, right = columns(body, body.w * share // 100, FILL, gap=gap)
    return left, right


def paint_buttons(sheet: Sheet, *foot: DialogButton, keep: int = 0) -> None:
    """The buttons at the foot of the leaf that do something now, below the felt the last one at its end.

    `keep`: what stands left of them needs so much.
    """
    foot = tuple(one for one in foot if one.action is not None)
    page, gap = dialog_rect(sheet), sheet.em(0.4)
    inner = page.inset(left=sheet.em(0.8), right=sheet.em(0.8), bottom=sheet.em(0.45))
    row = stack(inner, inner.w, sheet.em(2.55), "bottom")
    felt = _lies_on_felt(sheet)
    if felt:
        row = layout_wide(sheet.rect, sheet.painter.height / 100)[-1]
    words = [one.say(sheet) for one in foot]
    natural = [max(sheet.em(6), sheet.text_width(one, bold=True) + sheet.em(1.6)) for one in words]
    spare = row.w - keep - sum(natural) - gap * (len(foot) - 1)
    if felt and spare >= 0:
        first, last = columns(row.inset(left=keep), FILL, natural[-1])
        places = (*columns(first, *natural[:-1], FILL, gap=gap)[:-1], last)
    else:
        equal = (row.w + gap) // max(3, len(foot)) - gap
        room = min(len(foot) * (equal + gap) - gap, row.w - keep)
        wide = button_widths(sheet, words, room, row.h)
        places = columns(row.inset(left=row.w - room), *wide, gap=gap)
    for one, told, place in zip(foot, words, places, strict=True):
        sheet.button(place, told, one.key, one.action, fill=one.fill, bold=True)


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


def scroll_range(count: int, room: int, scroll: int) -> tuple[int, int]:
    """The first line shown, and how far one may scroll."""
    last = max(0, count - room)
    return min(scroll, last), last


def scroll_buttons(first: int, last: int, room: int) -> tuple[DialogButton, DialogButton]:
    """Buttons to scroll a list by what fits."""
    up = touch_action(scroll=max(0, first - room)) if first > 0 else None
    down = touch_action(scroll=min(last, first + room)) if first < last else None
    onto = f"{first // room + 2}/{-(-last // room) + 1}"
    return DialogButton("ui.up", "up", up), DialogButton("ui.down", "down", down, page=onto)
