"""Draws what replaces the table for a while: a photo finish, a round that is over."""

from statistics import median

from companion.core.actions import SECOND, Micros
from companion.core.exhibits import Exhibit, PhotoFinish, PlayerRound, RoundRecap
from companion.core.view import ChairView, Choice
from companion.ui.board.panels import paint_panel
from companion.ui.board.photo_finish import paint_finish
from companion.ui.board.plate_choices import say_action
from companion.ui.board.player_banner import BannerContent, banner_rect, paint_banner
from companion.ui.frame import GameFrame, PageFrame, is_window_open
from companion.ui.layout import FILL, Box, Size, columns, rows, stack
from companion.ui.toolkit.sheet import MARK, Sheet
from companion.ui.toolkit.theme import (
    EDGE,
    GOLD,
    INK,
    LOOK,
    NOTICE,
    PANEL,
    PAPER,
    SOFT,
    TEXT,
    Colour,
    plate_ground,
)
from companion.ui.toolkit.widgets import draw_press_sign, paint_avatar, paint_felt

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
    narrow, low = rect.w < sheet.em(32), sheet.em(1.4)
    if recap.missed:  # as large as the rows of the players leave room for
        spare = rect.h - sheet.em(1.4) - len(recap.players) * sheet.em(2.3)
        low = max(sheet.em(2.9), min(sheet.em(6.0), spare))
    head, body, foot = rows(rect, sheet.em(1.4), FILL, low)
    height = min(body.h // len(recap.players), sheet.em(3.0))
    totals = [player.total for player in recap.players]
    size = max(1.0, min(2.0, height * 0.8 / sheet.unit))
    figures = [_player_figures(player) for player in recap.players]
    shown = [
        column
        for column in range(len(NARROW_COLUMNS if narrow else COLUMNS))
        if column < len(FIXED_COLUMNS) or any(row[column][0] != NONE for row in figures)
    ]
    headings = [sheet.tr(f"ui.round.{COLUMNS[column]}") for column in shown]
    widest = max(map(sheet.text_width, headings)) + sheet.em(0.3)
    width = max(widest, sheet.em(3.7 if narrow else 6.4))
    sizes: tuple[Size, ...] = (2 * height, *[width] * len(shown), FILL)
    _, *cells, last = columns(head, *sizes)
    for cell, words in zip(cells, headings, strict=True):
        sheet.text(cell, words, 1.0, SOFT, align="center")
    reach = last.w - sheet.em(3.6)
    charted = any(player.reactions for player in recap.players) and reach >= sheet.em(LEAST_CHART)
    if charted:
        sheet.text(last, sheet.tr("ui.round.reaction"), 1.0, SOFT, align="center")
    slowest = max((seen.most for player in recap.players for seen in player.reactions), default=SECOND)
    scale = min(LONGEST_REACTION, max(SECOND, slowest))
    lines = rows(body, *[height] * len(figures))
    for row, player, told in zip(lines, recap.players, figures, strict=True):
        strip = row.inflate(0, -max(2, height // 10))
        sheet.box(strip, plate_ground(sheet.colour(player.chair)), radius=0.4)
        badge, *cells, chart = columns(row, *sizes)
        sheet.badge((badge.x + height, row.centery), height * 42 // 100, player.chair)
        if player.total == max(totals) and totals.count(player.total) == 1:
            sheet.picture(sheet.art.motif("crown", height // 2), (badge.x + height // 4, row.centery))
        for cell, column in zip(cells, shown, strict=True):
            value, colour = told[column]
            if column:
                sheet.text(cell, value, size, colour, bold=True, align="center")
                continue
            side = min(row.h * 8 // 10, width // 3)
            sheet.picture(sheet.art.motif("coin", side), (cell.centerx - side * 8 // 10, cell.centery))
            sheet.text(Box(cell.centerx, cell.y, cell.w // 2, cell.h), value, size, colour, bold=True)
        if charted:
            _paint_reactions(sheet, chart._replace(w=reach), player, scale)
    _paint_missed_doubles(sheet, foot, recap)


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
    box = track.inflate(0, -max(4, track.h * 4 // 10))
    sheet.box(box, INK, radius=0.15)
    thick = max(3, track.h // 8)
    for seen in player.reactions:
        first, last, middle = (
            track.x + round(track.w * min(1.0, at / scale)) for at in (seen.least, seen.most, seen.midpoint)
        )
        sheet.fill(Box(first, box.centery - thick // 2, max(3, last - first), thick), EDGE)
        sheet.disc((middle, box.centery), max(4, track.h // 6), sheet.colour(player.chair))
    told = Box(track.right + sheet.em(0.2), track.y, sheet.em(3.3), track.h)
    typical = median(seen.midpoint for seen in player.reactions) / SECOND
    words = sheet.tr("ui.round.seconds", seconds=f"{typical:.1f}")
    size = max(1.0, min(1.1, track.h * 0.8 / sheet.unit))
    sheet.text(told, words, size, TEXT, bold=True, align="right")


def _paint_missed_doubles(sheet: Sheet, rect: Box, recap: RoundRecap) -> None:
    """The masks that lay on their twins unnoticed, each with its stack and who placed it."""
    words = sheet.tr("ui.round.missed" if recap.missed else "ui.round.none_missed", count=len(recap.missed))
    widest = sheet.text_width(words, 1.1, bold=True) + sheet.em(0.4)
    wide = min(rect.w, max(rect.w * 3 // 10, widest))
    if recap.missed and wide > rect.w * 4 // 10:
        wide = rect.w * 3 // 10
    told, room = columns(rect, wide, FILL, gap=sheet.em(0.2))
    sheet.text(told, words, 1.1, TEXT, bold=True)
    each = room.w // max(1, len(recap.missed)) - sheet.em(1.7)
    high = min(rect.h - sheet.em(0.2), max(sheet.em(2.7), round(each / 0.72)))
    room, step = stack(room, room.w, high), round(high * 0.72) + sheet.em(1.7)
    missed = recap.missed[: room.w // step]
    for cell, one in zip(columns(room, *[step] * len(missed)), missed, strict=True):
        card = cell._replace(w=step - sheet.em(1.7))
        sheet.card(card, one.face)
        plate = stack(card, sheet.em(1.2), sheet.em(1.2), "bottomleft")
        sheet.box(plate, INK, radius=0.2)
        sheet.text(plate, str(one.stack), 1.0, TEXT, bold=True, align="center")
        sheet.badge((card.right + sheet.em(0.7), card.centery), sheet.em(0.62), one.chair)


def paint_exhibit(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """Instead of the ring of chairs: the picture, and the panel of the player who is asked."""
    assert frame.exhibit is not None
    looks = frame.guide is not None and frame.guide.kind == "over"
    asked = [chair for chair in frame.view.chairs if chair.asked and not looks]
    gap = sheet.em(0.3)
    large = len(asked) == 1 and bool(asked[0].choices) and frame.guide is None and frame.demo is None
    body, foot = rows(rect, FILL, sheet.em(3.9) if asked else 0, gap=gap if asked else 0)
    if large:
        below = rect._replace(y=rect.bottom + gap)
        body = body._replace(h=_paint_answers(sheet, below, asked[0], frame) - gap - body.y)
    picture = body.inflate(-sheet.em(0.6), -sheet.em(0.4))
    if isinstance(frame.exhibit, RoundRecap) and body.w > body.h:
        paint_felt(sheet, body)
        picture = body.inflate(-2 * sheet.em(1.2), -2 * sheet.em(0.5))
    else:
        sheet.box(body, PANEL, EDGE)
    paint_exhibit_picture(sheet, picture, frame.exhibit, frame, frame.view.game)
    if asked and not large:
        width = min((foot.w + gap) // len(asked) - gap, sheet.em(24))
        foot = stack(foot, len(asked) * (width + gap) - gap, foot.h)
        for plate, chair in zip(columns(foot, *[width] * len(asked), gap=gap), asked, strict=True):
            paint_panel(sheet, plate, chair, frame)


def shows_stop(frame: GameFrame) -> bool:
    """Whether a Stop is looked at that several called: the player who gets it is at the head of the page."""
    shown = frame.exhibit
    called = isinstance(shown, PhotoFinish) and shown.winner is not None
    return frame.guide is None and called and not is_window_open(frame.view)


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
    word, whose = sheet.tr("ui.verdict.stop"), (shown.winner,)
    content = BannerContent(chairs=whose, title=word, subtitle=below, pictures=lies[:1], is_prompt=True)
    paint_banner(sheet, above, content)
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
    avatar, room = columns(row, size, FILL, gap=gap)
    paint_avatar(sheet, avatar.center, size, asked.chair, lit=True)
    for place, choice in zip(
        columns(room, *[FILL] * len(asked.choices), gap=gap), asked.choices, strict=True
    ):
        paint_large_choice(sheet, place, choice)
    return row.y


def paint_large_choice(sheet: Sheet, place: Box, choice: Choice) -> None:
    """What somebody may do, and the press that does it, as one large button."""
    sheet.box(place, GOLD if choice.marked and choice.press == "hold" else PAPER, GOLD, width=MARK)
    sheet.target(f"say:{choice.action}", place, say_action(choice))
    sign, words = columns(
        place.inset(left=sheet.em(0.5), right=sheet.em(0.3)),
        min(place.h // 2, sheet.em(1.5)),
        FILL,
        gap=sheet.em(0.35),
    )
    sheet.picture(draw_press_sign(sheet, choice.press, sign.w, INK), sign.center)
    scale = max(1.0, min(1.8, place.h / sheet.line_height * 0.7))
    sheet.text(words, sheet.sentence(choice.label), scale, INK, bold=True)


def paint_exhibit_picture(sheet: Sheet, rect: Box, shown: Exhibit, frame: PageFrame, game: str) -> None:
    """One exhibit."""
    if isinstance(shown, PhotoFinish):
        paint_finish(sheet, rect, shown, frame, game)
    else:
        paint_round_recap(sheet, rect, shown, frame)
