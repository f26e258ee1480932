"""Draws the text of a lesson or hint, over the whole screen or beside the game."""

from companion.core.view import Guidance, Sentence
from companion.ui.board.lesson_cards import (
    guide_action,
    is_hand,
    paint_card_layout,
    paint_card_row,
    place_name,
)
from companion.ui.commands import ControlGuide, ShowPage
from companion.ui.frame import GameFrame
from companion.ui.layout import Box
from companion.ui.overlays.dialog import PRIMARY_FILL, DialogButton, paint_buttons
from companion.ui.toolkit.sheet import EM_PER_U, Sheet, touch_action
from companion.ui.toolkit.theme import BAD, EDGE, GOOD, INK, LOOK, NOTICE, PANEL, PAPER, SOFT, TEXT
from companion.ui.toolkit.widgets import draw_press_sign

SIDE_WIDTH_SHARE = 0.34
"""Of the screen's width, beside the game."""
FEW_ROWS = 4
"""This many rows of cards leave room for large text above them."""
ONE_BUTTON = (("tap", "other"), ("hold", "choose"))
"""What a press does with the answers to a question: press, and the end of its catalogue key."""


def sentence_text(sheet: Sheet, frame: GameFrame, sentence: Sentence) -> str:
    """A sentence in the language of the page, with the players' names."""
    return sheet.sentence(sentence)


def paint_side_ground(sheet: Sheet, rect: Box) -> Box:
    """The ground beside the game; returns the area inside its margins."""
    gap = sheet.em(0.4)
    sheet.fill(rect, PANEL)
    sheet.fill(Box(rect.x, rect.y, max(2, sheet.em(0.12)), rect.h), EDGE)
    return rect.inflate(-2 * gap, -2 * gap)


def paint_lesson_card(sheet: Sheet, frame: GameFrame, guide: Guidance, key: str = "") -> None:
    """The card that covers the game while it waits: what to lay out, to know or to answer.

    `key`: the key that takes the place of the learner's button; empty: there is a button.
    """
    edge = sheet.em(0.5)
    page = sheet.rect.inflate(-2 * edge, -2 * edge)
    sheet.box(page, PANEL, EDGE, radius=EM_PER_U * LOOK.radius["sheet"])
    inner = page.inflate(-sheet.em(1.6), -sheet.em(0.6))
    head = Box(inner.x, inner.y, inner.w, sheet.em(2.2))
    _paint_head(sheet, head, frame, guide, key)
    sheet.divider(head.bottom, head.x, head.right)
    body = Box(inner.x, head.bottom + sheet.em(0.3), inner.w, 0)
    body = body._replace(h=page.bottom - sheet.em(3.6) - body.y)
    if guide.note is not None:
        body = paint_comment(sheet, body, sheet.sentence(guide.note), good=guide.good)
    if guide.back:
        body = _paint_put_back(sheet, body, frame, guide)
    if guide.kind == "lay":
        _paint_layout(sheet, body, frame, guide)
    elif guide.kind == "quiz":
        _paint_quiz(sheet, body, frame, guide)
    elif guide.kind != "wrong":
        sheet.text(body, sheet.sentence(guide.say), 2.2, TEXT, least=1.2)
    _paint_buttons(sheet, guide)


def _paint_buttons(sheet: Sheet, guide: Guidance) -> None:
    skip = DialogButton("ui.lesson.skip", "skip", guide_action("skip") if guide.kind != "done" else None)
    repeat = DialogButton("ui.lesson.repeat", "repeat", guide_action("repeat"))
    onward = {"wrong": "ui.lesson.once_more", "lay": "ui.lesson.laid", "done": "ui.home"}
    words = onward.get(guide.kind, "ui.lesson.next")
    if guide.kind == "quiz":
        paint_buttons(sheet, repeat, skip, keep=_legend_width(sheet) + sheet.em(0.8))
        _paint_button_legend(sheet, guide)
    else:
        # "Next" comes first, so that the shared buttons reach it first.
        onto = touch_action(ShowPage("home")) if guide.kind == "done" else guide_action("next")
        paint_buttons(sheet, DialogButton(words, "next", onto, PRIMARY_FILL), repeat, skip)


def _legend_width(sheet: Sheet) -> int:
    """The width in pixels that `_paint_button_legend` needs beside the buttons."""
    font = sheet.painter.font(1.0)
    words = max(font.size(sheet.tr(f"ui.lesson.{what}"))[0] for _, what in ONE_BUTTON)
    return words + 2 * sheet.em(0.95) + sheet.em(0.4) + sheet.em(0.95) + sheet.em(0.25)


def _paint_button_legend(sheet: Sheet, guide: Guidance) -> None:
    """What the learner's own button does at a question, beside the buttons on the screen."""
    edge = sheet.em(0.5)
    page = sheet.rect.inflate(-2 * edge, -2 * edge)
    left, bottom = page.x + sheet.em(0.8), page.bottom - sheet.em(0.45)
    taken = min(target.rect.x for target in sheet.targets if target.key in {"repeat", "skip"})
    radius, side = sheet.em(0.95), sheet.em(0.95)
    line = sheet.line_height
    top = bottom - sheet.em(2.55) + (sheet.em(2.55) - 2 * line) // 2
    sheet.badge((left + radius, top + line), radius, guide.chair)
    x = left + 2 * radius + sheet.em(0.4)
    for place, (press, what) in enumerate(ONE_BUTTON):
        row = Box(x, top + place * line, taken - sheet.em(0.4) - x, line)
        sheet.picture(draw_press_sign(sheet, press, side, SOFT), (row.x + side // 2, row.centery))
        words = Box(row.x + side + sheet.em(0.25), row.y, row.w - side - sheet.em(0.25), row.h)
        sheet.text(words, sheet.tr(f"ui.lesson.{what}"), 1.0, SOFT)


def _paint_key_cap(sheet: Sheet, at: tuple[int, int], key: str) -> int:
    """Draw the key that replaces the learner's button at `at` (left, middle); returns its right end."""
    words = sheet.tr("ui.lesson.key", name=key.upper())
    wide, high = sheet.text_width(words, bold=True) + sheet.em(0.6), sheet.em(1.4)
    cap = Box(at[0], at[1] - high // 2, wide, high)
    sheet.box(cap, PAPER, radius=0.25)
    sheet.text(cap, words, 1.0, INK, bold=True, align="center")
    return cap.right


def _paint_head(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance, key: str) -> None:
    radius = sheet.em(0.95)
    sheet.badge((rect.x + radius, rect.centery), radius, guide.chair)
    where = sheet.tr("ui.lesson.step", step=guide.step, steps=guide.steps)
    width = sheet.text_width(where, bold=True) + sheet.em(0.4)
    right = Box(rect.right - width, rect.y, width, rect.h)
    left = rect.x + 2 * radius + sheet.em(0.5)
    if key and guide.kind != "done":
        left = _paint_key_cap(sheet, (left, rect.centery), key) + sheet.em(0.5)
    title = Box(left, rect.y, right.x - left - sheet.em(0.3), rect.h)
    sheet.text(title, sheet.sentence(guide.title), 1.6, TEXT, bold=True)
    sheet.text(right, where, 1.0, SOFT, bold=True, align="right")


def paint_comment(sheet: Sheet, body: Box, words: str, *, good: bool, scale: float = 1.5) -> Box:
    """The comment on what was just done, across the top of `body`; returns the rest of it.

    The text is `scale` em high at most.
    """
    width = body.w - sheet.em(1)
    fitted = sheet.painter.fit_text(words, width, body.h // 2, scale, bold=True)
    height = len(fitted.lines) * sheet.painter.line_height(fitted.scale) + sheet.em(0.5)
    strip = Box(body.x, body.y, body.w, height)
    sheet.box(strip, GOOD if good else NOTICE)
    sheet.text(strip.inflate(-sheet.em(1), 0), words, fitted.scale, INK, bold=True)
    top = strip.bottom + sheet.em(0.4)
    return Box(body.x, top, body.w, max(1, body.bottom - top))


def _paint_put_back(sheet: Sheet, body: Box, frame: GameFrame, guide: Guidance) -> Box:
    """What to put back on the table before the step is repeated; returns the rest of `body`."""
    told = [sheet.tr("ui.lesson.put_back"), *(sheet.sentence(one) for one in guide.back)]
    height = min(body.h, sheet.em(1.9) * len(told))
    row = height // len(told)
    for place, words in enumerate(told):
        line = Box(body.x, body.y + place * row, body.w, row)
        sheet.text(line, words, 1.3, SOFT if place == 0 else TEXT, bold=place == 0)
    return Box(body.x, body.y + height, body.w, max(1, body.h - height))


def _paint_quiz(sheet: Sheet, body: Box, frame: GameFrame, guide: Guidance) -> None:
    gap = sheet.em(0.4)
    rows = len(guide.answers)
    height = min(sheet.em(3.0), body.h * 6 // 10 // rows - gap)
    low = rows * (height + gap)
    words = Box(body.x, body.y, body.w, body.h - low)
    asked = Box(words.x, words.y, words.w, words.h - gap)
    sheet.text(asked, sheet.sentence(guide.say), 1.9, TEXT, least=1.1)
    for place, answer in enumerate(guide.answers):
        row = Box(body.x, words.bottom + place * (height + gap), body.w, height)
        string = sheet.sentence(answer)
        # At the next question the focus begins at the first answer again.
        answered = touch_action(ControlGuide(f"answer:{place + 1}"), typed="", focus="")
        sheet.button(row, string, f"answer:{place + 1}", answered, scale=1.4)


def _paint_layout(sheet: Sheet, body: Box, frame: GameFrame, guide: Guidance) -> None:
    """What to lay out, hand by hand and place by place, and whether the camera sees it."""
    words = sheet.sentence(guide.say)
    hands = sum(1 for row in guide.lay if is_hand(row))
    few = max(hands, len(guide.lay) - hands) <= FEW_ROWS
    fitted = sheet.painter.fit_text(words, body.w, sheet.em(4.4 if few else 2.6), 1.5)
    tall = max(sheet.em(2.6), len(fitted.lines) * sheet.painter.line_height(fitted.scale) + sheet.em(0.3))
    line = Box(body.x, body.y, body.w, tall)
    sheet.text(line, words, fitted.scale, TEXT)
    foot = Box(body.x, body.bottom - sheet.em(1.5), body.w, sheet.em(1.5))
    if guide.seen:
        sheet.text(foot, sheet.tr("ui.lesson.seen"), 1.1, GOOD, bold=True)
    elif guide.misplaced:
        where = ", ".join(place_name(sheet, name) for name in guide.misplaced[:4])
        sheet.text(foot, sheet.tr("ui.lesson.misplaced", where=where), 1.1, NOTICE, bold=True)
    else:
        foot = foot._replace(h=0)
        foot = foot._replace(y=body.bottom)
    room = Box(body.x, line.bottom, body.w, foot.y - line.bottom)
    paint_card_layout(sheet, room, guide, frame.board.card_name_prefixes)


def paint_side_guidance(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance, key: str = "") -> None:
    """A lesson or a hint beside the game, while the player is to do something; `key` as in `card`."""
    gap = sheet.em(0.4)
    inner = paint_side_ground(sheet, rect)
    high = 2.6 if guide.kind in {"note", "warn"} else 1.4
    where = Box(inner.x, inner.y, inner.w, sheet.em(high))
    noted = guide.kind in {"note", "warn"}
    step = sheet.tr("ui.lesson.step", step=guide.step, steps=guide.steps)
    heading = sheet.sentence(guide.title) if noted else step
    if key and not noted:
        wide = sheet.text_width(sheet.tr("ui.lesson.key", name=key.upper()), bold=True)
        where = where._replace(w=where.w - (wide + sheet.em(1.0)))
        _paint_key_cap(sheet, (where.right + sheet.em(0.4), where.centery), key)
    sheet.text(where, heading, 1.0, BAD if guide.kind == "warn" else SOFT, bold=True)
    top = where.bottom + gap // 2
    buttons = [("again", "again"), ("repeat", "repeat"), ("skip", "skip")]
    if noted:
        buttons = [("understood", "next"), ("repeat", "repeat")]
    if guide.kind == "round":
        buttons = [("repeat", "repeat"), ("skip", "skip")]
    if guide.kind == "over":
        buttons = [("next", "next"), ("repeat", "repeat")]
    if guide.shows:
        buttons.insert(0, ("show", "show"))
    height, apart = sheet.em(1.8), sheet.em(0.3)
    low = inner.bottom - len(buttons) * (height + apart)
    body = Box(inner.x, top, inner.w, low - top - gap)
    if guide.note is not None:
        body = paint_comment(sheet, body, sheet.sentence(guide.note), good=guide.good)
    held = next((chair.cards for chair in frame.view.chairs if chair.chair == guide.chair), 0)
    mine = [row for row in guide.lay if row[:2] == ("", guide.chair) and len(row[2]) == held]
    said = sheet.sentence(guide.say)
    hand = Box(body.x, body.bottom - sheet.em(3.0), body.w, sheet.em(2.8))
    over = hand.y - body.y - gap
    # The learner's cards are on the table, too: they are drawn only where the text leaves room.
    if mine and body.h > sheet.em(9) and not sheet.painter.fit_text(said, body.w, over, 1.0).cut:
        paint_card_row(sheet, hand, mine[0], frame.board.card_name_prefixes)
        body = body._replace(h=over)
    sheet.text(body, said, 1.6, TEXT, middle=False)
    for place, (words, what) in enumerate(buttons):
        row = Box(inner.x, low + place * (height + apart), inner.w, height)
        sheet.button(row, sheet.tr(f"ui.lesson.{words}"), f"guide:{what}", guide_action(what))
