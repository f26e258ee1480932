"""Draws what replaces the table for a while: a photo finish, a round that is over."""

from statistics import median

from companion.core.actions import SECOND, Micros
from companion.core.exhibits import Exhibit, PhotoFinish, PlayerRound, RoundRecap
from companion.core.view import ChairView
from companion.ui.board.panels import paint_panel
from companion.ui.board.photo_finish import paint_finish
from companion.ui.board.plate_choices import say_action
from companion.ui.board.player_banner import BannerContent, banner_rect, paint_banner
from companion.ui.frame import GameFrame, PageFrame, is_window_open
from companion.ui.layout import Box
from companion.ui.toolkit.sheet import MARK, Sheet
from companion.ui.toolkit.text_painter import Align
from companion.ui.toolkit.theme import EDGE, GOLD, INK, LOOK, NOTICE, PANEL, PAPER, SOFT, TEXT, Colour
from companion.ui.toolkit.widgets import draw_press_sign, paint_avatar

COLUMNS = ("tokens", "total", "won", "wasted", "vain")
NARROW_COLUMNS = COLUMNS[:-1]
FIXED_COLUMNS = COLUMNS[:2]
"""Shown in every round; the others where somebody has something in them."""
NONE = "–"
LEAST_CHART = 3.0
LONGEST_REACTION: Micros = 5 * SECOND
"""A slower reaction is drawn at the edge."""


def paint_round_recap(sheet: Sheet, rect: Box, recap: RoundRecap, frame: PageFrame) -> None:
    """Paint one row per player, and the doubles nobody called below."""
    narrow = rect.w < sheet.em(32)
    head = sheet.em(1.4)
    low = sheet.em(1.4)
    if recap.missed:  # as large as the rows of the players leave room for
        spare = rect.h - head - len(recap.players) * sheet.em(2.3)
        low = max(sheet.em(2.9), min(sheet.em(6.0), spare))
    height = min((rect.h - head - low) // len(recap.players), sheet.em(2.3))
    size = max(1.0, min(2.0, height * 0.8 / sheet.unit))
    figures = [_player_figures(player) for player in recap.players]
    columns = tuple(
        name
        for column, name in enumerate(NARROW_COLUMNS if narrow else COLUMNS)
        if column < len(FIXED_COLUMNS) or any(row[column][0] != NONE for row in figures)
    )
    headings = [sheet.tr(f"ui.round.{name}") for name in columns]
    widest = max(sheet.text_width(words) for words in headings) + sheet.em(0.3)
    width = max(widest, sheet.em(3.7 if narrow else 6.4))
    left = rect.x + 2 * height
    chart = Box(left + len(columns) * width, rect.y + head, 0, height)
    chart = chart._replace(w=rect.right - chart.x - sheet.em(3.6))
    charted = any(player.reactions for player in recap.players) and chart.w >= sheet.em(LEAST_CHART)
    for place, words in enumerate(headings):
        cell = Box(left + place * width, rect.y, width, head)
        sheet.text(cell, words, 1.0, SOFT, align="center")
    if charted:
        title = Box(chart.x, rect.y, rect.right - chart.x, head)
        sheet.text(title, sheet.tr("ui.round.reaction"), 1.0, SOFT, align="center")
    slowest = max((seen.most for player in recap.players for seen in player.reactions), default=SECOND)
    scale = min(LONGEST_REACTION, max(SECOND, slowest))
    for place, player in enumerate(recap.players):
        row = Box(rect.x, rect.y + head + place * height, rect.w, height)
        sheet.badge((row.x + height, row.centery), height * 42 // 100, player.chair)
        for column, name in enumerate(columns):
            value, colour = figures[place][COLUMNS.index(name)]
            cell = Box(left + column * width, row.y, width, row.h)
            if name == FIXED_COLUMNS[0]:
                side = min(row.h * 8 // 10, width // 3)
                sheet.picture(sheet.art.motif("coin", side), (cell.centerx - side * 8 // 10, cell.centery))
                cell = Box(cell.centerx, cell.y, cell.w // 2, cell.h)
            align: Align = "left" if name == FIXED_COLUMNS[0] else "center"
            sheet.text(cell, value, size, colour, bold=True, align=align)
        if charted:
            _paint_reactions(sheet, chart.move(0, place * height), player, scale)
    _paint_missed_doubles(sheet, Box(rect.x, rect.bottom - low, rect.w, low), recap)


def _player_figures(player: PlayerRound) -> tuple[tuple[str, Colour], ...]:
    """Tokens, the sum of all rounds, Stops won (and what they brought), wasted, void; a dash for none."""
    won = f"{player.won} (+{player.gained})" if player.won else NONE
    return (
        (str(player.tokens), TEXT),
        (str(player.total), GOLD),
        (won, TEXT if player.won else SOFT),
        (str(player.wasted or NONE), NOTICE if player.wasted else SOFT),
        (str(player.vain or NONE), TEXT if player.vain else SOFT),
    )


def _paint_reactions(sheet: Sheet, track: Box, player: PlayerRound, scale: Micros) -> None:
    """A bar per Stop: it came that long after its mask lay, from the least to the most that can be known."""
    if not player.reactions:
        return
    box = track.inflate(0, -max(4, track.h * 3 // 10))
    sheet.box(box, INK, radius=0.15)
    colour = sheet.colour(player.chair)
    thick = max(3, track.h // 8)
    for seen in player.reactions:
        first = track.x + round(track.w * min(1.0, seen.least / scale))
        last = track.x + round(track.w * min(1.0, seen.most / scale))
        sheet.fill(Box(first, box.centery - thick // 2, max(3, last - first), thick), EDGE)
        middle = track.x + round(track.w * min(1.0, seen.midpoint / scale))
        sheet.disc((middle, box.centery), max(4, track.h // 6), colour)
    told = Box(track.right + sheet.em(0.2), track.y, sheet.em(3.3), track.h)
    typical = median(seen.midpoint for seen in player.reactions) / SECOND
    words = sheet.tr("ui.round.seconds", seconds=f"{typical:.1f}")
    size = max(1.0, min(1.1, track.h * 0.8 / sheet.unit))
    sheet.text(told, words, size, TEXT, bold=True, align="right")


def _paint_missed_doubles(sheet: Sheet, rect: Box, recap: RoundRecap) -> None:
    """The masks that lay on their twins unnoticed, each with its stack and who placed it."""
    words = sheet.tr("ui.round.missed" if recap.missed else "ui.round.none_missed", count=len(recap.missed))
    widest = sheet.text_width(words, 1.1, bold=True) + sheet.em(0.4)
    told = Box(rect.x, rect.y, min(rect.w, max(rect.w * 3 // 10, widest)), rect.h)
    told = told._replace(w=rect.w * 3 // 10 if recap.missed and told.w > rect.w * 4 // 10 else told.w)
    sheet.text(told, words, 1.1, TEXT, bold=True)
    left = told.right + sheet.em(0.2)
    each = (rect.right - left) // max(1, len(recap.missed)) - sheet.em(1.7)
    high = min(rect.h - sheet.em(0.2), max(sheet.em(2.7), round(each / 0.72)))
    card = Box(left, rect.centery - high // 2, round(high * 0.72), high)
    step = card.w + sheet.em(1.7)
    room = (rect.right - card.x) // step
    for missed in recap.missed[:room]:
        face = sheet.art.printed_face(missed.face, card.size) or sheet.art.card_face(missed.face, card.size)
        sheet.surface.blit(face, card)
        plate = Box(card.x, 0, sheet.em(1.2), sheet.em(1.2))
        plate = plate._replace(y=card.bottom - plate.h)
        sheet.box(plate, INK, radius=0.2)
        sheet.text(plate, str(missed.stack), 1.0, TEXT, bold=True, align="center")
        sheet.badge((card.right + sheet.em(0.7), card.centery), sheet.em(0.62), missed.chair)
        card = card.move(step, 0)


def paint_exhibit(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """Instead of the ring of chairs: the picture, and the panel of the player who is asked."""
    assert frame.exhibit is not None
    looks = frame.guide is not None and frame.guide.kind == "over"
    asked = [chair for chair in frame.view.chairs if chair.asked and not looks]
    gap = sheet.em(0.3)
    large = len(asked) == 1 and bool(asked[0].choices) and frame.guide is None and frame.demo is None
    foot = Box(rect.x, 0, rect.w, sheet.em(3.9) if asked else 0)
    foot = foot._replace(y=rect.bottom - foot.h)
    if large:
        foot = foot._replace(
            y=_paint_answers(sheet, Box(rect.x, rect.bottom + gap, rect.w, 0), asked[0], frame)
        )
    body = Box(rect.x, rect.y, rect.w, foot.y - rect.y - (gap if asked else 0))
    sheet.box(body, PANEL, EDGE)
    paint_exhibit_picture(
        sheet, body.inflate(-sheet.em(0.6), -sheet.em(0.4)), frame.exhibit, frame, frame.view.game
    )
    for place, chair in enumerate(asked if not large else ()):
        width = min((foot.w + gap) // len(asked) - gap, sheet.em(24))
        left = foot.centerx - (len(asked) * (width + gap) - gap) // 2
        paint_panel(sheet, Box(left + place * (width + gap), foot.y, width, foot.h), chair, frame)


def shows_stop(frame: GameFrame) -> bool:
    """Whether a Stop is looked at that several called: the player who gets it is at the head of the page."""
    shown = frame.exhibit
    alone = frame.guide is None and frame.demo is None
    return (
        alone
        and isinstance(shown, PhotoFinish)
        and shown.winner is not None
        and not is_window_open(frame.view)
    )


def paint_stop(sheet: Sheet, area: Box, bar: Box, frame: GameFrame) -> None:
    """Who has the Stop and what to do, under it who pressed when, and as large buttons what that one may do.

    `bar`: the toolbar.
    """
    shown = frame.exhibit
    assert isinstance(shown, PhotoFinish)
    assert shown.winner is not None
    view, gap = frame.view, sheet.em(0.4)
    above = banner_rect(sheet, area, "stop" if area.w > area.h else "stop_upright")
    below = sheet.sentence(view.headline)
    lies = tuple(place.card for place in view.places if place.marked and ":" in place.card)
    word = sheet.tr("ui.verdict.stop")
    paint_banner(
        sheet,
        above,
        BannerContent(chairs=(shown.winner,), title=word, subtitle=below, pictures=lies[:1], is_prompt=True),
    )
    asked = next((chair for chair in view.chairs if chair.asked), None)
    low = bar.y if asked is None else _paint_answers(sheet, bar, asked, frame)
    body = Box(bar.x, above.bottom + gap, bar.w, low - gap - above.bottom - gap)
    sheet.box(body, PANEL, EDGE)
    paint_finish(sheet, body.inflate(-sheet.em(0.6), -sheet.em(0.4)), shown, frame, view.game)


def _paint_answers(sheet: Sheet, bar: Box, asked: ChairView, frame: GameFrame) -> int:
    """What the one who is asked may press, side by side over `bar`; returns where they begin."""
    gap, high = sheet.em(0.4), max(sheet.u(LOOK.moment["answer"]), sheet.min_touch_height)
    size = high * 9 // 10
    row = Box(bar.x, bar.y - gap - high, bar.w, high)
    paint_avatar(sheet, (row.x + size // 2, row.centery), size, asked.chair, lit=True)
    left = row.x + size + gap
    width = (row.right - left + gap) // len(asked.choices) - gap
    for choice in asked.choices:
        place = Box(left, row.y, width, row.h)
        sheet.box(place, PAPER, GOLD, width=MARK)
        sheet.target(f"say:{choice.action}", place, say_action(choice))
        side, at = min(high // 2, sheet.em(1.5)), place.x + sheet.em(0.5)
        sheet.picture(draw_press_sign(sheet, choice.press, side, INK), (at + side // 2, place.centery))
        at += side + sheet.em(0.35)
        words = Box(at, place.y, place.right - sheet.em(0.3) - at, place.h)
        sheet.text(words, sheet.sentence(choice.label), 1.8, INK, bold=True)
        left = place.right + gap
    return row.y


def paint_exhibit_picture(sheet: Sheet, rect: Box, shown: Exhibit, frame: PageFrame, game: str) -> None:
    """One exhibit."""
    if isinstance(shown, PhotoFinish):
        paint_finish(sheet, rect, shown, frame, game)
    else:
        paint_round_recap(sheet, rect, shown, frame)
