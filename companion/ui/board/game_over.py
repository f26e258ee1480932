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
from companion.ui.layout import FILL, Box, best_grid, columns, grid, rows, stack
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
    above, foot = rows(area, banner_rect(sheet, area).h, FILL)
    words = sheet.sentence(frame.view.headline)
    if outcome.winners:
        winners, cards = outcome.winners, frame.view.decided
        paint_banner(sheet, above, BannerContent(chairs=winners, title=words, pictures=cards, has_crown=True))
        sheet.moving["winner"] = above
    else:
        scale = LOOK.moment["word"] / 100 * LOOK.text["smallest"]
        sheet.text(above, words, scale, TEXT, bold=True, align="center")
    sheet.fill(foot, GROUND)
    edge = sheet.em(0.6)
    foot = foot.inset(left=edge, right=edge, bottom=0 if still else edge)
    stand, bar = rows(foot, FILL, 0 if still else sheet.em(2.2))
    if not still:
        _paint_next_buttons(sheet, bar)
    half = edge // 2
    if frame.trouble is not None:
        sheet.paint_warning(stand.inset(bottom=half), sheet.sentence(frame.trouble))
    else:
        _paint_standings(sheet, stand.inset(top=half, bottom=edge - half), frame)


def _paint_next_buttons(sheet: Sheet, bar: Box) -> None:
    """Look back, play again, home: the first is safe and has the focus."""
    buttons: tuple[tuple[str, Command], ...] = (
        ("recap", ShowPage("recap")),
        ("rematch", Rematch()),
        ("home", ShowPage("home")),
    )
    cells = best_grid(bar, len(buttons), sheet.em(0.6), shape=4.0)
    for cell, (key, command) in zip(cells, buttons, strict=True):
        words, does, fill = sheet.tr(f"ui.{key}"), touch_action(command), GOLD if key == "rematch" else RAISED
        sheet.button(cell, words, f"over:{key}", does, fill=fill, scale=1.3, bold=True)


def _paint_standings(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """Everybody with what lies before them, the winners first."""
    assert frame.view.outcome is not None
    winners = frame.view.outcome.winners
    chairs = sorted(frame.view.chairs, key=lambda one: one.chair not in winners)
    gap, size = sheet.em(0.5), sheet.em(2.2)
    needs = max(
        token_icons_width(sheet, one) + sheet.text_width(sheet.name(one.chair), bold=True) for one in chairs
    )
    needs += size + sheet.em(0.4) + gap
    most = max(1, rect.h // sheet.em(1.3))
    lines = next((few for few in range(1, most) if -(-len(chairs) // few) * needs <= rect.w), most)
    across = -(-len(chairs) // lines)
    high = min((rect.h + gap) // lines - gap, sheet.em(2.6))
    field = stack(rect, rect.w, lines * (high + gap) - gap)
    for cell, chair in zip(grid(field, len(chairs), across, gap=gap, most=high), chairs, strict=True):
        _paint_standing(sheet, cell, chair)


def _paint_standing(sheet: Sheet, rect: Box, chair: ChairView) -> None:
    avatar, room = columns(rect, min(rect.h, sheet.em(2.2)), FILL, gap=sheet.em(0.2))
    paint_avatar(sheet, avatar.center, avatar.w, chair.chair)
    right = paint_token_icons(sheet, room, chair, TEXT)
    name = room._replace(w=max(1, right - room.x - sheet.em(0.15)))
    sheet.text(name, shorten_name(sheet, sheet.name(chair.chair), name.w), 1.0, TEXT, bold=True)


def confetti_area(rect: Box) -> Box:
    """Where confetti falls: on the winner's side, where nothing has to be read."""
    if rect.h > rect.w:
        return rect._replace(h=rect.h // 2)
    return rect._replace(w=round(rect.w * LOOK.moment["words_x"] / 100))
