"""Draws practice: hands, known facts and the hint beside the game, or the own hand as a fan under it."""

from collections.abc import Mapping

from msgspec.structs import replace

from companion.core.view import Guidance, PlaceView, Sentence
from companion.ui.board.card_pictures import top_value
from companion.ui.board.lesson_cards import (
    FAN,
    draw_turned_card,
    guide_action,
    hand_grid_size,
    is_hand,
    paint_fan,
    paint_hands,
)
from companion.ui.board.panels import chairs_and_decks
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, Share, columns, rows, stack
from companion.ui.toolkit.chair_tiles import paint_bot_badge
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import (
    EDGE,
    FELT,
    GOLD,
    GOOD,
    INK,
    LOOK,
    NOTICE,
    PANEL,
    RAISED,
    SOFT,
    TEXT,
    blend,
)
from companion.ui.toolkit.widgets import paint_avatar, paint_felt, paint_halo

SIDE_WIDTH_SHARE = 0.34
"""Of the screen's width, beside the game."""
FOLLOWING = frozenset({"lesson.open.best", "lesson.open.largest", "lesson.open.no_set"})
"""Lines of the open table that say what follows from the others."""
ROOMY = 1.6
"""Height of a hand (em) from which its numbers can be read and other words have room beside them."""
MOST_LINES = 4


def paint_side_ground(sheet: Sheet, rect: Box) -> Box:
    """The ground beside the game; returns the area inside its margins."""
    gap = sheet.em(0.4)
    sheet.fill(rect, PANEL)
    sheet.fill(Box(rect.x, rect.y, max(2, sheet.em(0.12)), rect.h), EDGE)
    return rect.inflate(-2 * gap, -2 * gap)


def paint_practice_panel(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> None:
    """The player's own hand, or all hands and what follows from them; and the button for a hint."""
    gap = sheet.em(0.4)
    inner = paint_side_ground(sheet, rect)
    body, ask = rows(inner, FILL, sheet.em(1.9), gap=gap)
    paint_tapped_actions(sheet, paint_hint_button(sheet, ask), guide)
    if guide.note is not None:
        body = paint_comment(sheet, body, guide)
    else:
        said = sheet.sentence(guide.say)
        high = max(2, _count_lines(sheet, said, body.w)) * sheet.line_height
        words = Box(body.x, body.y, body.w, high + gap // 2)
        has_room = body.h - words.h >= _required_height(sheet, frame, guide, body.w)
        if has_room or not guide.back:  # otherwise the hands say it
            sheet.text(words, said, 1.0, SOFT, middle=False)
            body = Box(body.x, words.bottom, body.w, body.bottom - words.bottom)
    if guide.back:
        body = _paint_known_facts(sheet, body, frame, guide)
    paint_hands(sheet, body, guide, frame.board.card_name_prefixes)


def _paint_known_facts(sheet: Sheet, body: Box, frame: GameFrame, guide: Guidance) -> Box:
    """What everybody knows, a line each, and what follows, if the hands leave room; returns the rest."""
    row, top = round(sheet.line_height * 1.15), body.y
    told, follows = _split_lines(guide)
    room = body.h - hand_grid_size(guide)[1] * sheet.em(1.6)
    lines = [_count_lines(sheet, sheet.sentence(line), body.w, bold=True) for line in follows]
    high = sum(lines) * sheet.line_height
    if room < len(told) * row + high:
        told = []
    if guide.note is not None and room < high:
        follows = []  # the hint says it
    for line in told:
        radius = row * 2 // 5
        _paint_badge(sheet, (body.x + radius, top + row // 2), radius, dict(line.parts))
        left = body.x + 2 * radius + sheet.em(0.3)
        sheet.text(
            Box(left, top, body.right - left, row),
            sheet.sentence(line),
            1.0,
            GOLD,
            bold=True,
        )
        top += row
    for line, count in zip(follows, lines, strict=False):
        at = Box(body.x, top, body.w, min(count * sheet.line_height, max(1, body.bottom - top)))
        sheet.text(at, sheet.sentence(line), 1.0, TEXT, bold=True, middle=False)
        top += at.h
    return Box(body.x, top, body.w, max(0, body.bottom - top))


def _split_lines(guide: Guidance) -> tuple[list[Sentence], list[Sentence]]:
    """The lines about one hand, which everybody knows; and the lines that say what follows."""
    told = [
        line for line in guide.back if line.key not in FOLLOWING and {"chair", "bot"} & {*dict(line.parts)}
    ]
    return told, [line for line in guide.back if line not in told]


def _required_height(sheet: Sheet, frame: GameFrame, guide: Guidance, width: int) -> int:
    """Height in pixels of all lines, with the hands below each other under them."""
    told, follows = _split_lines(guide)
    row = round(sheet.line_height * 1.15)
    lines = sum(_count_lines(sheet, sheet.sentence(line), width, bold=True) for line in follows)
    return len(told) * row + lines * sheet.line_height + len(guide.lay) * sheet.em(ROOMY)


def _count_lines(sheet: Sheet, words: str, width: int, *, bold: bool = False) -> int:
    """How many lines the text takes, `MOST_LINES` at most."""
    return len(sheet.painter.fit_text(words, width, MOST_LINES * sheet.line_height, 1.0, bold=bold).lines)


def _paint_badge(sheet: Sheet, centre: tuple[int, int], radius: int, parts: Mapping[str, str | int]) -> None:
    """The badge of the player, or the BOT deck, whose hand a line is about."""
    if "chair" in parts:
        sheet.badge(centre, radius, int(parts["chair"]))
        return
    owner = int(parts["bot"])
    paint_bot_badge(sheet, centre, radius, None if owner < 0 else owner)


def paint_comment(sheet: Sheet, body: Box, guide: Guidance) -> Box:
    """The comment on what was just done, if any, across the top of `body`; returns the rest of it."""
    if guide.note is None:
        return body
    words, width = sheet.sentence(guide.note), body.w - sheet.em(1)
    fitted = sheet.painter.fit_text(words, width, body.h // 2, 1.1, bold=True)
    height = len(fitted.lines) * sheet.painter.line_height(fitted.scale) + sheet.em(0.5)
    strip, rest = rows(body, height, FILL, gap=sheet.em(0.4))
    sheet.box(strip, GOOD if guide.good else NOTICE)
    sheet.text(strip.inflate(-sheet.em(1), 0), words, fitted.scale, INK, bold=True)
    return rest._replace(h=max(1, rest.h))


def paint_tapped_actions(sheet: Sheet, rect: Box, guide: Guidance) -> Box:
    """What the tapped cards make, as buttons at the right end of `rect`; without any, that cards are to be
    tapped. Returns what is left.
    """
    if not guide.chooses:
        return rect
    for place, answer in enumerate(guide.answers, 1):
        words, key = sheet.sentence(answer), f"answer:{place}"
        wide = min(rect.w, sheet.text_width(words, bold=True) + sheet.em(1.6))
        rect, button = columns(rect, FILL, wide, gap=sheet.em(0.3))
        fill = GOLD if guide.tapped or guide.tapped_region else RAISED
        sheet.button(button, words, key, guide_action(key), fill=fill, bold=True)
    words = sheet.tr("ui.practice.tap")
    wide = sheet.text_width(words)
    if not guide.tapped and not guide.tapped_region and wide <= rect.w:
        rect, told = columns(rect, FILL, wide, gap=sheet.em(0.3))
        sheet.text(told, words, 1.0, SOFT)
    return rect


MAX_PLAYERS = 4
"""With more people the plates need the height, where there are any."""


def shows_fan(frame: GameFrame, area: Box) -> bool:
    """Whether the player's own hand is a fan under the whole table, rather than a row beside it."""
    guide = frame.guide
    if guide is None or guide.kind != "practice" or guide.back:
        return False
    few = has_sets(frame) or len(chairs_and_decks(frame.view, frame.ui_state)) <= MAX_PLAYERS
    return few and area.w > area.h


def hand_height(sheet: Sheet, guide: Guidance) -> int:
    """How much of the height the hand needs above the toolbar."""
    return sheet.u(FAN["foot"]) if guide.lay or guide.note else 0


def paint_hint_button(sheet: Sheet, bar: Box) -> Box:
    """A hint for the player who wants one, in the toolbar; returns what is left of it."""
    words = sheet.tr("ui.lesson.hint")
    button, left = columns(bar, sheet.text_width(words, bold=True) + sheet.em(1.6), FILL, gap=sheet.em(0.4))
    sheet.button(button, words, "guide:hint", guide_action("hint"), bold=True)
    return left


def paint_practice_hand(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> None:
    """What there is to say to it, and the fan."""
    rect = paint_comment(sheet, rect, guide)
    own = next((row for row in guide.lay if row[1] == guide.chair and is_hand(row)), None)
    others = tuple(row for row in guide.lay if row is not own)
    if others:  # those of a liar, or what BOT decks have open
        rect, beside = columns(rect, FILL, round(rect.w * FAN["beside"]), gap=sheet.em(0.5))
        paint_hands(sheet, beside, replace(guide, lay=others), frame.board.card_name_prefixes)
    if own is not None:
        paint_fan(sheet, rect, own[2], guide)


def has_sets(frame: GameFrame) -> bool:
    """Whether cards lie before players, so that a hand is played to them."""
    return any(place.chair is not None for place in frame.view.places)


def paint_hand_on_felt(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> None:
    """A felt as wide as the screen: the sets, or whom a card goes to; the own hand large below."""
    paint_felt(sheet, rect)
    inner = rect.inflate(-2 * sheet.u(FAN["edge"]), -2 * sheet.u(FAN["edge"]))
    upper, lower = rows(inner, sheet.u(FAN["sets"]), FILL, gap=sheet.u(FAN["gap"]))
    if has_sets(frame):
        _paint_sets(sheet, upper, frame, guide)
    else:
        _paint_receiver(sheet, upper, frame, guide)
    paint_practice_hand(sheet, lower, frame, guide)


def _paint_receiver(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> None:
    """Whom a card of the hand is given to, else the card in the middle."""
    receiver = dict(frame.view.headline.parts).get("chair")
    if isinstance(receiver, int) and receiver != guide.chair:
        paint_halo(sheet, rect.center, rect.h)
        paint_avatar(sheet, rect.center, rect.h * 4 // 5, receiver, lit=True)
    elif frame.view.card:
        size = (round(rect.h * FAN["shape"]), rect.h)
        sheet.picture(draw_turned_card(sheet, frame.view.card, size, 0), rect.center)


def _paint_sets(sheet: Sheet, upper: Box, frame: GameFrame, guide: Guidance) -> None:
    """What lies before whom, in a row."""
    others = [one for one in frame.view.places if one.chair not in {None, guide.chair}]
    own = [one for one in frame.view.places if one.chair == guide.chair and (one.card or one.number)]
    sets = [*own, *others]
    for cell, place in zip(columns(upper, *[Share(1)] * len(sets), gap=sheet.em(0.5)), sets, strict=True):
        _paint_set(sheet, cell, place, frame, guide)


def _paint_set(sheet: Sheet, cell: Box, place: PlaceView, frame: GameFrame, guide: Guidance) -> None:
    """Whose it is, how many cards they hold, the cards, and how many of which value they are."""
    owner = next(chair for chair in frame.view.chairs if chair.chair == place.chair)
    size = sheet.u(LOOK.avatar["prompt"])
    left, room = columns(cell, round(size * 1.3), FILL, gap=sheet.em(0.3))
    upper, lower = rows(left, FILL, sheet.line_height)
    if owner.asked:
        paint_halo(sheet, upper.center, size)
    paint_avatar(sheet, upper.center, size, owner.chair, lit=owner.asked)
    sign, count = columns(lower, sheet.em(1.2), sheet.em(1.5), gap=sheet.em(0.2), justify="center")
    sheet.picture(sheet.art.motif("cards", sign.w), sign.center)
    sheet.text(count, str(owner.cards), 1.0, TEXT, bold=True)
    cards = (place.card, *place.on_top) if place.card else ()
    wide = round(cell.h * FAN["shape"])
    step = min(wide * 3 // 5, (room.w - wide) // max(1, len(cards) - 1))
    spots = [Box(room.x + number * step, cell.y, wide, cell.h) for number in range(max(1, len(cards)))]
    whole = spots[0]._replace(w=spots[-1].right - room.x)
    if guide.tapped_region == place.region:
        sheet.box(whole.inflate(sheet.em(0.4), sheet.em(0.4)), GOLD, radius=0.4)
    if not cards:
        sheet.box(whole, None, GOLD if place.active else blend(FELT, TEXT, 0.3))
        sheet.text(whole, str(place.number or ""), 1.6, SOFT, bold=True, align="center")
    for spot, card in zip(spots, cards, strict=False):
        sheet.picture(draw_turned_card(sheet, card, spot.size, 0), spot.center)
    if cards:
        number = f"{place.number}: " if place.number else ""
        words = f"{number}{len(cards)} × {top_value(cards[0])}"
        plaque = stack(whole, sheet.text_width(words, bold=True) + sheet.em(0.8), sheet.em(1.5), "bottom")
        sheet.pill(plaque, INK)
        sheet.text(plaque, words, 1.0, TEXT, bold=True, align="center")
    if guide.chooses:
        sheet.target(f"place:{place.region}", cell, guide_action(f"place:{place.region}"))
