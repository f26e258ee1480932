"""What a lesson says: over the whole screen while nothing happens, beside the game while something does."""

from __future__ import annotations

from collections.abc import Mapping

import pygame

from companion.core.view import Guidance, Sentence
from companion.ui import sets
from companion.ui.commands import Guide, Show
from companion.ui.frame import GameFrame
from companion.ui.kit import sign
from companion.ui.overlays.leaf import PRIMARY, Foot, feet
from companion.ui.pile import bot_badge
from companion.ui.sheet import EM_PER_U, Deed, Sheet, deed
from companion.ui.theme import BAD, EDGE, GOLD, GOOD, INK, LOOK, NOTICE, PANEL, PAPER, SOFT, TEXT

SHARE = 0.34
"""Of the screen's width, beside the game."""
WHOLE = ("pair:", "value:")
"""Cards that are told apart by how they lie: drawn whole."""

FACES = ("mask:", "actor:")
"""Cards that are told apart by their faces alone: drawn as printed."""

FOLLOWING = frozenset({"lesson.open.best", "lesson.open.largest", "lesson.open.no_set"})
"""Lines of the open table that say what follows, and of whom."""
ROOMY = 1.6
"""The room for a hand: from here on its numbers are read, and there is some for other words."""
FEW_ROWS = 4
"""So many rows of a lay-out leave room for large words above them."""
MOST_LINES = 4
LONG_HAND, TALL_ROW = 6, 3.8
"""More cards than these are told apart in two rows of this height."""
SMALL_HAND = 4
"""So many cards have room in half the width."""


def does(what: str) -> Deed:
    """A word to whoever teaches."""
    return deed(Guide(what), typed="")  # what was half chosen is forgotten


def card(sheet: Sheet, frame: GameFrame, guide: Guidance, key: str = "") -> None:
    """Everything else waits: what to lay, what to know, what to answer.

    `key` stands in for the learner's button.
    """
    edge = sheet.em(0.5)
    page = sheet.rect.inflate(-2 * edge, -2 * edge)
    sheet.box(page, PANEL, EDGE, radius=EM_PER_U * LOOK.radius["sheet"])
    inner = page.inflate(-sheet.em(1.6), -sheet.em(0.6))
    head = pygame.Rect(inner.x, inner.y, inner.w, sheet.em(2.2))
    _head(sheet, head, frame, guide, key)
    sheet.divider(head.bottom, head.x, head.right)
    body = pygame.Rect(inner.x, head.bottom + sheet.em(0.3), inner.w, 0)
    body.h = page.bottom - sheet.em(3.6) - body.y
    if guide.note is not None:
        body = _note(sheet, body, _text(sheet, frame, guide.note), good=guide.good)
    if guide.back:
        body = _back(sheet, body, frame, guide)
    if guide.kind == "lay":
        _lay(sheet, body, frame, guide)
    elif guide.kind == "quiz":
        _quiz(sheet, body, frame, guide)
    elif guide.kind != "wrong":
        sheet.text(body, _text(sheet, frame, guide.say), 2.2, TEXT, least=1.2)
    _feet(sheet, guide)


def _feet(sheet: Sheet, guide: Guidance) -> None:
    skip = Foot("ui.lesson.skip", "skip", does("skip") if guide.kind != "done" else None)
    repeat = Foot("ui.lesson.repeat", "repeat", does("repeat"))
    onward = {"wrong": "ui.lesson.once_more", "lay": "ui.lesson.laid", "done": "ui.home"}
    words = onward.get(guide.kind, "ui.lesson.next")
    if guide.kind == "quiz":
        feet(sheet, repeat, skip, keep=_legend_wide(sheet) + sheet.em(0.8))
        _with_one_button(sheet, guide)
    else:
        # What goes on comes first, so that the three buttons find it first.
        onto = deed(Show("home")) if guide.kind == "done" else does("next")
        feet(sheet, Foot(words, "next", onto, PRIMARY), repeat, skip)


ONE_BUTTON = (("tap", "other"), ("hold", "choose"))


def _legend_wide(sheet: Sheet) -> int:
    """What `_with_one_button` needs beside the feet."""
    font = sheet.painter.font(1.0)
    words = max(font.size(sheet.tr(f"ui.lesson.{what}"))[0] for _, what in ONE_BUTTON)
    return words + 2 * sheet.em(0.95) + sheet.em(0.4) + sheet.em(0.95) + sheet.em(0.25)


def _with_one_button(sheet: Sheet, guide: Guidance) -> None:
    """What the learner's button does with a question, beside the other buttons."""
    edge = sheet.em(0.5)
    page = sheet.rect.inflate(-2 * edge, -2 * edge)
    left, bottom = page.x + sheet.em(0.8), page.bottom - sheet.em(0.45)
    taken = min(target.rect.x for target in sheet.targets if target.key in {"repeat", "skip"})
    radius, side = sheet.em(0.95), sheet.em(0.95)
    line = sheet.painter.line(1.0)
    top = bottom - sheet.em(2.55) + (sheet.em(2.55) - 2 * line) // 2
    sheet.badge((left + radius, top + line), radius, guide.chair)
    x = left + 2 * radius + sheet.em(0.4)
    for place, (press, what) in enumerate(ONE_BUTTON):
        row = pygame.Rect(x, top + place * line, taken - sheet.em(0.4) - x, line)
        sheet.picture(sign(sheet, press, side, SOFT), (row.x + side // 2, row.centery))
        words = pygame.Rect(row.x + side + sheet.em(0.25), row.y, row.w - side - sheet.em(0.25), row.h)
        sheet.text(words, sheet.tr(f"ui.lesson.{what}"), 1.0, SOFT)


def _cap(sheet: Sheet, at: tuple[int, int], key: str) -> int:
    """The key that stands in for the learner's button, from `at` (left, middle) on; where it ends."""
    words = sheet.tr("ui.lesson.key", name=key.upper())
    cap = pygame.Rect(0, 0, sheet.painter.font(1.0, bold=True).size(words)[0] + sheet.em(0.6), sheet.em(1.4))
    cap.midleft = at
    sheet.box(cap, PAPER, radius=0.25)
    sheet.text(cap, words, 1.0, INK, bold=True, align="center")
    return cap.right


def _head(sheet: Sheet, rect: pygame.Rect, frame: GameFrame, guide: Guidance, key: str) -> None:
    radius = sheet.em(0.95)
    sheet.badge((rect.x + radius, rect.centery), radius, guide.chair)
    where = sheet.tr("ui.lesson.step", step=guide.step, steps=guide.steps)
    width = sheet.painter.font(1.0, bold=True).size(where)[0] + sheet.em(0.4)
    right = pygame.Rect(rect.right - width, rect.y, width, rect.h)
    left = rect.x + 2 * radius + sheet.em(0.5)
    if key and guide.kind != "done":
        left = _cap(sheet, (left, rect.centery), key) + sheet.em(0.5)
    title = pygame.Rect(left, rect.y, right.x - left - sheet.em(0.3), rect.h)
    sheet.text(title, _text(sheet, frame, guide.title), 1.6, TEXT, bold=True)
    sheet.text(right, where, 1.0, SOFT, bold=True, align="right")


def _note(sheet: Sheet, body: pygame.Rect, words: str, *, good: bool, scale: float = 1.5) -> pygame.Rect:
    """What was just done, well or not: across the top; gives back the rest."""
    width = body.w - sheet.em(1)
    fitted = sheet.painter.fit(words, width, body.h // 2, scale, bold=True)
    height = len(fitted.lines) * sheet.painter.line(fitted.scale) + sheet.em(0.5)
    strip = pygame.Rect(body.x, body.y, body.w, height)
    sheet.box(strip, GOOD if good else NOTICE)
    sheet.text(strip.inflate(-sheet.em(1), 0), words, fitted.scale, INK, bold=True)
    top = strip.bottom + sheet.em(0.4)
    return pygame.Rect(body.x, top, body.w, max(1, body.bottom - top))


def _back(sheet: Sheet, body: pygame.Rect, frame: GameFrame, guide: Guidance) -> pygame.Rect:
    """What to put back on the table before it is done over."""
    told = [sheet.tr("ui.lesson.put_back"), *(_text(sheet, frame, one) for one in guide.back)]
    height = min(body.h, sheet.em(1.9) * len(told))
    row = height // len(told)
    for place, words in enumerate(told):
        line = pygame.Rect(body.x, body.y + place * row, body.w, row)
        sheet.text(line, words, 1.3, SOFT if place == 0 else TEXT, bold=place == 0)
    return pygame.Rect(body.x, body.y + height, body.w, max(1, body.h - height))


def _quiz(sheet: Sheet, body: pygame.Rect, frame: GameFrame, guide: Guidance) -> None:
    gap = sheet.em(0.4)
    rows = len(guide.answers)
    height = min(sheet.em(3.0), body.h * 6 // 10 // rows - gap)
    low = rows * (height + gap)
    words = pygame.Rect(body.x, body.y, body.w, body.h - low)
    asked = pygame.Rect(words.x, words.y, words.w, words.h - gap)  # off the first answer
    sheet.text(asked, _text(sheet, frame, guide.say), 1.9, TEXT, least=1.1)
    for place, answer in enumerate(guide.answers):
        row = pygame.Rect(body.x, words.bottom + place * (height + gap), body.w, height)
        string = _text(sheet, frame, answer)
        # The next question is walked from its first answer, not from where this one stood.
        answered = deed(Guide(f"answer:{place + 1}"), typed="", focus="")
        sheet.button(row, string, f"answer:{place + 1}", answered, scale=1.4)


def _lay(sheet: Sheet, body: pygame.Rect, frame: GameFrame, guide: Guidance) -> None:
    """Who holds what and what lies where, as pictures of the cards."""
    words = _text(sheet, frame, guide.say)
    hands = sum(1 for row in guide.lay if _is_deck(row))
    few = max(hands, len(guide.lay) - hands) <= FEW_ROWS
    fitted = sheet.painter.fit(words, body.w, sheet.em(4.4 if few else 2.6), 1.5)
    tall = max(sheet.em(2.6), len(fitted.lines) * sheet.painter.line(fitted.scale) + sheet.em(0.3))
    line = pygame.Rect(body.x, body.y, body.w, tall)
    sheet.text(line, words, fitted.scale, TEXT)
    foot = pygame.Rect(body.x, body.bottom - sheet.em(1.5), body.w, sheet.em(1.5))
    if guide.seen:
        sheet.text(foot, sheet.tr("ui.lesson.seen"), 1.1, GOOD, bold=True)
    elif guide.misplaced:
        where = ", ".join(_place(sheet, name) for name in guide.misplaced[:4])
        sheet.text(foot, sheet.tr("ui.lesson.amiss", where=where), 1.1, NOTICE, bold=True)
    else:
        foot.h = 0
        foot.y = body.bottom
    room = pygame.Rect(body.x, line.bottom, body.w, foot.y - line.bottom)
    laid(sheet, room, guide, frame.board.called)


def _is_deck(row: tuple[str, int | None, tuple[str, ...]]) -> bool:
    """Whether these are the cards of somebody, or of a deck that nobody holds."""
    return row[0] in {"", "bot"}


def laid(sheet: Sheet, room: pygame.Rect, guide: Guidance, called: Mapping[str, str]) -> None:
    """The lay-out in two columns: hands by their chairs, places by their names."""
    gap = sheet.em(0.35)
    hands = [row for row in guide.lay if _is_deck(row)]
    places = [row for row in guide.lay if not _is_deck(row)]
    if not guide.lay:
        return
    columns = [column for column in (hands, places) if column]
    width = (room.w - gap * (len(columns) - 1)) // len(columns)
    for number, column in enumerate(columns):
        x = room.x + number * (width + gap)
        twice = 2 if column is places and len(places) > 4 else 1
        rows = -(-len(column) // twice)
        tallest = 6.0 if any(row[2][:1] and row[2][0].startswith(WHOLE + FACES) for row in column) else 4.2
        height = min(sheet.em(tallest), (room.h + gap) // rows)
        cell_w = (width + gap) // twice
        for place, row in enumerate(column):
            cell = pygame.Rect(
                x + place // rows * cell_w, room.y + place % rows * height, cell_w - gap, height - gap
            )
            _row(sheet, cell, row, called)


def _row(
    sheet: Sheet, cell: pygame.Rect, row: tuple[str, int | None, tuple[str, ...]], called: Mapping[str, str]
) -> None:
    name, chair, cards = row
    sheet.box(cell, INK, radius=0.3)
    x = cell.x + sheet.em(0.3)
    if chair is not None:
        radius = min(cell.h // 2 - 2, sheet.em(0.9), cell.w // 11)
        sheet.badge((x + radius, cell.centery), radius, chair)
        x += 2 * radius + sheet.em(0.4)
    if name:
        words = _place(sheet, name)
        width = sheet.painter.font(1.0, bold=True).size(words)[0] + sheet.em(0.3)
        sheet.text(pygame.Rect(x, cell.y, width, cell.h), words, 1.0, GOLD, bold=True)
        x += width
    high = cell.h - sheet.em(0.3)
    shape = 1 / sets.TALL if cards and cards[0].startswith(WHOLE + FACES) else 0.95
    wide = min(round(high * shape), (cell.right - x) // max(1, len(cards)) - sheet.em(0.15))
    high = min(high, round(wide * sets.TALL))
    step = wide + sheet.em(0.15)
    names = [_called(sheet, picture, called) for picture in cards]
    broadest = max(sheet.painter.font(1.0, bold=True).size(name)[0] for name in ("", *names))
    named = (
        broadest
        and high > sheet.em(2.4)
        and len(cards) * max(step, broadest + sheet.em(0.3)) <= cell.right - x
    )
    if named:
        step = max(step, broadest + sheet.em(0.3))
    for place, picture in enumerate(cards):
        at = pygame.Rect(x + place * step + (step - wide) // 2, cell.centery - high // 2, wide, high)
        if at.right > cell.right:
            break
        if picture.startswith(WHOLE):
            sets.face(sheet, at, picture)
        elif picture.startswith("back:"):
            sheet.surface.blit(sheet.art.printed(picture, at.size) or sheet.art.back(at.size), at)
        elif picture.startswith(FACES):
            sheet.surface.blit(sheet.art.printed(picture, at.size) or sheet.art.card(picture, at.size), at)
            if named and names[place]:
                foot = pygame.Rect(0, 0, step, sheet.painter.line(1.0))
                foot.midbottom = at.midbottom
                sheet.box(foot.inflate(-sheet.em(0.1), 0), INK, radius=0.2)
                sheet.text(foot, names[place], 1.0, TEXT, bold=True, align="center")
        else:
            drawn = sheet.art.card(picture.removesuffix("@180"), at.size)
            turned = pygame.transform.rotate(drawn, 180) if picture.endswith("@180") else drawn
            sheet.surface.blit(turned, at)


def _called(sheet: Sheet, picture: str, called: Mapping[str, str]) -> str:
    """The name of a card that has one: a lesson speaks of it so."""
    kind, _, card = picture.partition(":")
    return sheet.tr(called[kind] + card) if kind in called else ""


def _place(sheet: Sheet, region: str) -> str:
    """`slot:3` in words: its number says enough, a place without one has a word of its own."""
    kind, _, number = region.partition(":")
    return number or sheet.tr(f"ui.place.{kind}")


def side(sheet: Sheet, rect: pygame.Rect, frame: GameFrame, guide: Guidance, key: str = "") -> None:
    """Beside the game, while a deed is awaited."""
    gap = sheet.em(0.4)
    sheet.fill(rect, PANEL)
    sheet.fill(pygame.Rect(rect.x, rect.y, max(2, sheet.em(0.12)), rect.h), EDGE)
    inner = rect.inflate(-2 * gap, -2 * gap)
    if guide.kind == "practice":
        _practice(sheet, rect, frame, guide)
        return
    high = 2.6 if guide.kind in {"note", "warn"} else 1.4
    where = pygame.Rect(inner.x, inner.y, inner.w, sheet.em(high))
    noted = guide.kind in {"note", "warn"}
    step = sheet.tr("ui.lesson.step", step=guide.step, steps=guide.steps)
    heading = _text(sheet, frame, guide.title) if noted else step
    if key and not noted:
        wide = sheet.painter.font(1.0, bold=True).size(sheet.tr("ui.lesson.key", name=key.upper()))[0]
        where.w -= wide + sheet.em(1.0)
        _cap(sheet, (where.right + sheet.em(0.4), where.centery), key)
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
    body = pygame.Rect(inner.x, top, inner.w, low - top - gap)
    if guide.note is not None:
        body = _note(sheet, body, _text(sheet, frame, guide.note), good=guide.good)
    held = next((chair.cards for chair in frame.view.chairs if chair.chair == guide.chair), 0)
    mine = [row for row in guide.lay if row[:2] == ("", guide.chair) and len(row[2]) == held]
    said = _text(sheet, frame, guide.say)
    hand = pygame.Rect(body.x, body.bottom - sheet.em(3.0), body.w, sheet.em(2.8))
    over = hand.y - body.y - gap
    # The own cards lie on the table too: what is said has the first claim.
    if mine and body.h > sheet.em(9) and not sheet.painter.fit(said, body.w, over, 1.0).cut:
        _row(sheet, hand, mine[0], frame.board.called)
        body.h = over
    sheet.text(body, said, 1.6, TEXT, middle=False)
    for place, (words, what) in enumerate(buttons):
        row = pygame.Rect(inner.x, low + place * (height + apart), inner.w, height)
        sheet.button(row, sheet.tr(f"ui.lesson.{words}"), f"guide:{what}", does(what))


def _practice(sheet: Sheet, rect: pygame.Rect, frame: GameFrame, guide: Guidance) -> None:
    """The own hand, or all hands and what follows; and a hint for whoever wants one."""
    gap = sheet.em(0.4)
    inner = rect.inflate(-2 * gap, -2 * gap)
    ask = pygame.Rect(inner.x, inner.bottom - sheet.em(1.9), inner.w, sheet.em(1.9))
    sheet.button(ask, sheet.tr("ui.lesson.hint"), "guide:hint", does("hint"), bold=True)
    body = pygame.Rect(inner.x, inner.y, inner.w, ask.y - gap - inner.y)
    if guide.answers:
        body = choices(sheet, body, frame, guide)
    if guide.note is not None:
        body = noted(sheet, body, frame, guide)
    else:
        said = _text(sheet, frame, guide.say)
        high = max(2, _lines(sheet, said, body.w)) * sheet.painter.line(1.0)
        words = pygame.Rect(body.x, body.y, body.w, high + gap // 2)
        if not guide.back or body.h - words.h >= _needed(
            sheet, frame, guide, body.w
        ):  # else the cards say so
            sheet.text(words, said, 1.0, SOFT, middle=False)
            body = pygame.Rect(body.x, words.bottom, body.w, body.bottom - words.bottom)
    if guide.back:
        body = _known(sheet, body, frame, guide)
    _hands(sheet, body, guide, frame.board.called)


def _known(sheet: Sheet, body: pygame.Rect, frame: GameFrame, guide: Guidance) -> pygame.Rect:
    """Who knows what, a line each, and what follows; gives back the rest, which the hands need first."""
    row, top = round(sheet.painter.line(1.0) * 1.15), body.y
    told, follows = _sorted(guide)
    room = body.h - _rows(guide)[1] * sheet.em(1.6)
    lines = [_lines(sheet, _text(sheet, frame, line), body.w, bold=True) for line in follows]
    high = sum(lines) * sheet.painter.line(1.0)
    if room < len(told) * row + high:
        told = []
    if guide.note is not None and room < high:
        follows = []  # the hint follows from it
    for line in told:
        radius = row * 2 // 5
        _badge(sheet, (body.x + radius, top + row // 2), radius, dict(line.parts))
        left = body.x + 2 * radius + sheet.em(0.3)
        sheet.text(
            pygame.Rect(left, top, body.right - left, row), _text(sheet, frame, line), 1.0, GOLD, bold=True
        )
        top += row
    for line, count in zip(follows, lines, strict=False):
        at = pygame.Rect(body.x, top, body.w, min(count * sheet.painter.line(1.0), max(1, body.bottom - top)))
        sheet.text(at, _text(sheet, frame, line), 1.0, TEXT, bold=True, middle=False)
        top += at.h
    return pygame.Rect(body.x, top, body.w, max(0, body.bottom - top))


def _sorted(guide: Guidance) -> tuple[list[Sentence], list[Sentence]]:
    """What everybody knows, a line each; and what follows."""
    told = [
        line for line in guide.back if line.key not in FOLLOWING and {"chair", "bot"} & {*dict(line.parts)}
    ]
    return told, [line for line in guide.back if line not in told]


def _needed(sheet: Sheet, frame: GameFrame, guide: Guidance, width: int) -> int:
    """The room for all that is said, with every hand below the other."""
    told, follows = _sorted(guide)
    row = round(sheet.painter.line(1.0) * 1.15)
    lines = sum(_lines(sheet, _text(sheet, frame, line), width, bold=True) for line in follows)
    return len(told) * row + lines * sheet.painter.line(1.0) + len(guide.lay) * sheet.em(ROOMY)


def _lines(sheet: Sheet, words: str, width: int, *, bold: bool = False) -> int:
    """How many lines words take, up to so many as the hands can spare."""
    return len(sheet.painter.fit(words, width, MOST_LINES * sheet.painter.line(1.0), 1.0, bold=bold).lines)


def _badge(sheet: Sheet, centre: tuple[int, int], radius: int, parts: Mapping[str, str | int]) -> None:
    """Whose hand a line is about, or which deck that nobody holds."""
    if "chair" in parts:
        sheet.badge(centre, radius, int(parts["chair"]))
        return
    owner = int(parts["bot"])
    bot_badge(sheet, centre, radius, None if owner < 0 else owner)


def _rows(guide: Guidance) -> tuple[int, int]:
    """In how many columns and rows the hands lie."""
    longest = max((len(cards) for _, _, cards in guide.lay), default=0)
    columns = 2 if len(guide.lay) > 1 and longest <= SMALL_HAND else 1
    return columns, -(-len(guide.lay) // columns)


def _hands(sheet: Sheet, body: pygame.Rect, guide: Guidance, called: Mapping[str, str]) -> None:
    """The own hand, or all hands; side by side where there is no room below each other."""
    gap = sheet.em(0.2)
    if len(guide.lay) == 1 and len(guide.lay[0][2]) > LONG_HAND and body.h >= 2 * sheet.em(TALL_ROW):
        _long(sheet, body, guide.lay[0], called)
        return
    columns, rows = _rows(guide)
    full = any(len(cards) >= SMALL_HAND for _, _, cards in guide.lay)
    if body.h // max(1, len(guide.lay)) >= sheet.em(1.15 if full else 1.3):
        columns, rows = 1, len(guide.lay)  # wide enough for every number
    height = min(sheet.em(3.2), body.h // max(1, rows))
    width = (body.w + gap) // columns
    if height < sheet.em(1.1):
        return  # there is no room to make anything out
    for place, row in enumerate(guide.lay):
        x, y = body.x + place % columns * width, body.y + place // columns * height
        _row(sheet, pygame.Rect(x, y, width - gap, height - gap), row, called)


def _long(
    sheet: Sheet, body: pygame.Rect, row: tuple[str, int | None, tuple[str, ...]], called: Mapping[str, str]
) -> None:
    """A hand of many cards in two rows, its owner before both."""
    name, chair, cards = row
    half = -(-len(cards) // 2)
    height, gap = sheet.em(TALL_ROW), sheet.em(0.2)
    _row(sheet, pygame.Rect(body.x, body.y, body.w, height - gap), (name, chair, cards[:half]), called)
    below = pygame.Rect(body.x, body.y + height, body.w, height - gap)
    _row(sheet, below, (name, chair, cards[half:]), called)


def noted(sheet: Sheet, body: pygame.Rect, frame: GameFrame, guide: Guidance) -> pygame.Rect:
    """What there is to say to what was done; gives back what is left under it."""
    if guide.note is None:
        return body
    return _note(sheet, body, _text(sheet, frame, guide.note), good=guide.good, scale=1.1)


def choices(sheet: Sheet, body: pygame.Rect, frame: GameFrame, guide: Guidance) -> pygame.Rect:
    """What the own hand can do, at the foot, the short ones side by side; gives back the rest."""
    gap = sheet.em(0.2)
    font = sheet.painter.font(1.0)
    half = (body.w - gap) // 2
    told = [(f"answer:{place}", _text(sheet, frame, one)) for place, one in enumerate(guide.answers, 1)]
    short = [one for one in told if font.size(one[1])[0] < half - sheet.em(0.8)]
    rows = [short[place : place + 2] for place in range(0, len(short), 2)]
    rows += [[one] for one in told if one not in short]
    height = min(sheet.em(1.55), body.h // 2 // len(rows) - gap)
    room = body.w - sheet.em(0.6)
    highs = [height * (2 if font.size(row[0][1])[0] > room else 1) for row in rows]
    if sum(highs) + len(rows) * gap > body.h // 2:
        highs = [height] * len(rows)  # small letters then
    low = body.bottom - sum(highs) - len(rows) * gap
    top = low
    for row, height in zip(rows, highs, strict=True):
        width = body.w if len(row) == 1 and row[0] not in short else half
        for column, (key, words) in enumerate(row):
            at = pygame.Rect(body.x + column * (half + gap), top, width, height)
            sheet.button(at, words, key, does(key), fill=EDGE)
        top += height + gap
    return pygame.Rect(body.x, body.y, body.w, low - body.y - gap)


def _text(sheet: Sheet, frame: GameFrame, sentence: Sentence) -> str:
    return sheet.words.text(sentence, frame.names)
