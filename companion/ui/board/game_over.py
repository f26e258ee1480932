"""Draws the end of a game: winners, standings, the ways on."""

import math
from collections.abc import Sequence

import pygame

from companion.core.actions import SECOND, Micros
from companion.core.view import ChairView
from companion.ui.board.panels import paint_token_icons, token_icons_width
from companion.ui.board.player_banner import BannerContent, banner_rect, paint_banner
from companion.ui.commands import Command, Rematch, ShowPage
from companion.ui.frame import GameFrame
from companion.ui.layout import Box, best_grid
from companion.ui.toolkit.chair_tiles import shorten_name
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import GOLD, GROUND, LOOK, RAISED, TEXT, Colour
from companion.ui.toolkit.widgets import paint_avatar


def draw_confetti(surface: pygame.Surface, colours: Sequence[Colour], now: Micros) -> None:
    """Pieces of paper falling for ever, left and right of what is written, as they are at `now` (µs)."""
    width, height = surface.get_size()
    side = max(6, height // 60)
    for piece in range(LOOK.motion["confetti"]):
        seed = (piece * 7919) % 997 / 997
        pace = 0.10 + 0.12 * ((piece * 104729) % 991 / 991)
        fall = (now / SECOND * pace + seed * 7) % 1.15 - 0.08
        sway = math.sin(now / SECOND * (1 + seed) + piece) * width * 0.012
        across = piece * 0.618 % 1.0 * 0.5
        x = (across if across < 0.25 else across + 0.5) * width + sway
        turn = abs(math.cos(now / SECOND * (2 + 2 * seed) + piece))
        rect = Box(round(x), round(fall * height), side, max(2, round(side * 1.6 * turn)))
        pygame.draw.rect(surface, colours[piece % len(colours)], rect)


def paint_game_over(sheet: Sheet, area: Box, frame: GameFrame, *, still: bool = False) -> None:
    """A winner to cheer, or a game that was given up. `still`: nothing can be pressed, as in a picture."""
    outcome = frame.view.outcome
    assert outcome is not None
    above = banner_rect(sheet, area)
    words = sheet.sentence(frame.view.headline)
    if outcome.winners:
        paint_banner(
            sheet,
            above,
            BannerContent(chairs=outcome.winners, title=words, pictures=frame.view.decided, has_crown=True),
        )
        sheet.moving["winner"] = above
    else:
        sheet.text(
            above, words, LOOK.moment["word"] / 100 * LOOK.text["smallest"], TEXT, bold=True, align="center"
        )
    foot = Box(area.x, above.bottom, area.w, area.bottom - above.bottom)
    sheet.fill(foot, GROUND)
    edge = sheet.em(0.6)
    bar = Box(foot.x + edge, 0, foot.w - 2 * edge, sheet.em(2.2))
    bar = bar._replace(y=area.bottom - edge - bar.h)
    if still:
        bar = bar._replace(y=area.bottom)
    else:
        _paint_next_buttons(sheet, bar)
    stand = Box(bar.x, foot.y + edge // 2, bar.w, bar.y - foot.y - edge)
    if frame.trouble is not None:
        sheet.paint_warning(
            Box(bar.x, foot.y, bar.w, bar.y - foot.y - edge // 2),
            sheet.sentence(frame.trouble),
        )
    else:
        _paint_standings(sheet, stand, frame)


def _paint_next_buttons(sheet: Sheet, bar: Box) -> None:
    """Look back, play again, home: the first is safe and has the focus."""
    buttons: tuple[tuple[str, Command], ...] = (
        ("recap", ShowPage("recap")),
        ("rematch", Rematch()),
        ("home", ShowPage("home")),
    )
    for cell, (key, command) in zip(best_grid(bar, 3, sheet.em(0.6), shape=4.0), buttons, strict=True):
        fill = GOLD if key == "rematch" else RAISED
        sheet.button(
            cell, sheet.tr(f"ui.{key}"), f"over:{key}", touch_action(command), fill=fill, scale=1.3, bold=True
        )


def _paint_standings(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """Everybody with what lies before them, the winners first."""
    assert frame.view.outcome is not None
    winners = frame.view.outcome.winners
    chairs = sorted(frame.view.chairs, key=lambda one: one.chair not in winners)
    gap, size, font = sheet.em(0.5), sheet.em(2.2), sheet.painter.font(1.0, bold=True)
    needs = max(
        size + sheet.em(0.4) + token_icons_width(sheet, one) + font.size(sheet.name(one.chair))[0]
        for one in chairs
    )
    most = max(1, rect.h // sheet.em(1.3))
    rows = next((few for few in range(1, most) if -(-len(chairs) // few) * (needs + gap) <= rect.w), most)
    columns = -(-len(chairs) // rows)
    wide, high = (rect.w + gap) // columns - gap, min((rect.h + gap) // rows - gap, sheet.em(2.6))
    top = rect.centery - (rows * (high + gap) - gap) // 2
    for place, chair in enumerate(chairs):
        x, y = rect.x + place % columns * (wide + gap), top + place // columns * (high + gap)
        _paint_standing(sheet, Box(x, y, wide, high), chair)


def _paint_standing(sheet: Sheet, rect: Box, chair: ChairView) -> None:
    size = min(rect.h, sheet.em(2.2))
    paint_avatar(sheet, (rect.x + size // 2, rect.centery), size, chair.chair)
    left = rect.x + size + sheet.em(0.2)
    room = Box(left, rect.y, rect.right - left, rect.h)
    right = paint_token_icons(sheet, room, chair, TEXT)
    name = Box(left, rect.y, max(1, right - left - sheet.em(0.15)), rect.h)
    sheet.text(name, shorten_name(sheet, sheet.name(chair.chair), name.w), 1.0, TEXT, bold=True)


def confetti_area(rect: Box) -> Box:
    """Where confetti falls: on the winner's side, where nothing has to be read."""
    if rect.h > rect.w:
        return Box(rect.x, rect.y, rect.w, rect.h // 2)
    return Box(rect.x, rect.y, round(rect.w * LOOK.moment["words_x"] / 100), rect.h)
