"""Draws what takes the whole screen: a verdict for a moment in the player's colour, and the end of a game."""

import math
from collections.abc import Sequence

import pygame
from msgspec.structs import replace

from companion.core.actions import SECOND, Micros
from companion.core.exhibits import PhotoFinish
from companion.core.view import Board, ChairView, Sentence, View
from companion.ui.board.card_pictures import find_pictures
from companion.ui.board.headline import paint_press_legend
from companion.ui.board.panels import first_tokens, paint_token_icons, paint_tokens_row
from companion.ui.board.player_banner import (
    BannerContent,
    banner_rect,
    paint_banner,
    winners_banner,
)
from companion.ui.board.steps import Step, has_steps, list_steps, paint_steps
from companion.ui.commands import Command, Rematch, ShowPage
from companion.ui.frame import GameFrame, is_window_open
from companion.ui.layout import FILL, Box, best_grid, columns, rows
from companion.ui.toolkit.chair_tiles import shorten_name
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import GOLD, GROUND, INK, LOOK, RAISED, SOFT, TEXT, Colour
from companion.ui.toolkit.widgets import PlateState, paint_avatar, paint_plate

PLATE = 3.4
"""A winner's plate is about this many times as wide as high."""


def is_verdict_shown(frame: GameFrame) -> bool:
    """Whether there is one now: anything more urgent, or somebody's OK, puts it away.

    Where several pressed, the finish that tells of it is the moment.
    """
    view = frame.view
    if (
        frame.current_verdict is None
        or frame.ui_state.seen >= frame.current_verdict[1]
        or frame.ui_state.overlay
        or (frame.guide is not None and frame.guide.kind != "practice")
        or isinstance(frame.exhibit, PhotoFinish)
    ):
        return False
    return not (view.dark or view.paused or view.outcome is not None or is_window_open(view))


def paint_verdict(sheet: Sheet, area: Box, frame: GameFrame) -> None:
    """Paint it over everything."""
    assert frame.current_verdict is not None
    said, at = frame.current_verdict
    chair = dict(said.parts)["chair"]
    assert isinstance(chair, int)
    above = banner_rect(sheet, area, "verdict")
    sheet.target("moment:ok", area, touch_action(seen=at))
    word = sheet.tr(f"ui.verdict.{frame.board.full_screen_words[said.event]}")
    below = sheet.sentence(replace(said, key=f"{said.key}.shown") if has_steps(frame, said) else said)
    content = BannerContent(
        chairs=(chair,), title=word, subtitle=below, pictures=_verdict_pictures(frame, said)
    )
    paint_banner(sheet, above, content)
    steps = list_steps(sheet, frame, said)
    if len(steps) == 1:  # whom and what the banner shows need no second picture
        chairs, pictures = ({*steps[0].chairs} - {chair}, {*steps[0].pictures} - {*content.pictures})
        steps = (steps[0]._replace(chairs=tuple(chairs), pictures=tuple(sorted(pictures))),)
    _paint_next(sheet, area.inset(top=above.h), frame, steps, at)


def _verdict_pictures(frame: GameFrame, said: Sentence) -> tuple[str, ...]:
    """What it is about: what is pointed at, and what the board says, else the cards that decided it."""
    lies = [place.card for place in frame.view.places if place.marked and place.card.startswith("mask:")]
    pictures = tuple(dict.fromkeys(find_pictures(frame.board, said)))
    return (*lies[:1], *pictures) or frame.view.decided


def _paint_next(sheet: Sheet, foot: Box, frame: GameFrame, steps: Sequence[Step], at: Micros) -> None:
    """What comes next, step by step, and the two things that can be touched."""
    edge, bar = sheet.em(0.7), sheet.u(LOOK.stage["bar_end"] - LOOK.stage["bar_top"])
    sheet.fill(foot, GROUND)
    inner = foot.inset(left=edge, top=edge, right=edge, bottom=round(foot.h * 0.05))
    step, row = rows(inner, FILL, bar, gap=edge)
    asked = [one for one in frame.view.chairs if one.asked]
    alone = asked[0] if len(asked) == 1 else None
    paint_steps(sheet, step, steps, frame, alone)
    ask = sheet.tr("ui.why")
    wide = sheet.text_width(ask, bold=True) + sheet.em(1.4)
    why, left, close = columns(row, wide, FILL, sheet.em(3), gap=edge)
    sheet.button(why, ask, "why", touch_action(overlay="why", seen=at), bold=True)
    if alone is not None and len(steps) == 1 and alone.choices:
        paint_press_legend(sheet, row.inset(left=wide), frame)
        return  # the answers stand above: to go on is no third
    sheet.box(close, GOLD)
    sheet.text(close, sheet.tr("ui.button.ok"), 1.2, INK, bold=True, align="center")
    words = sheet.tr("ui.verdict.continues")
    if not sheet.painter.fit_text(words, left.w, left.h, 1.0).cut:
        sheet.text(left, words, 1.0, SOFT, align="right")


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
        rect = (round(x), round(fall * height), side, max(2, round(side * 1.6 * turn)))
        pygame.draw.rect(surface, colours[piece % len(colours)], rect)


def paint_game_over(sheet: Sheet, area: Box, frame: GameFrame, *, still: bool = False) -> None:
    """A winner to cheer, or a game that was given up. `still`: nothing can be pressed, as in a picture."""
    outcome = frame.view.outcome
    assert outcome is not None
    above, foot = rows(area, banner_rect(sheet, area).h, FILL)
    words = sheet.sentence(frame.view.headline)
    if outcome.winners:
        paint_banner(sheet, above, winners_banner(frame.view, words))
        sheet.moving["winner"] = above
    else:
        scale = LOOK.moment["word"] / 100 * LOOK.text["smallest"]
        sheet.text(above, words, scale, TEXT, bold=True, align="center")
    sheet.fill(foot, GROUND)
    edge = sheet.em(0.5)
    foot = foot.inset(left=edge, top=edge, right=edge, bottom=edge)
    high = max(sheet.u(LOOK.stage["bar_end"] - LOOK.stage["bar_top"]), sheet.min_touch_height)
    stand, bar = rows(foot, FILL, 0 if still else high, gap=0 if still else edge)
    if not still:
        _paint_next_buttons(sheet, bar)
    if frame.trouble is not None:
        sheet.paint_warning(stand, sheet.sentence(frame.trouble))
    else:
        paint_standings(sheet, stand, frame)


def _paint_next_buttons(sheet: Sheet, bar: Box) -> None:
    """Look back, play again, home: the second stands at the end, and has the focus."""
    buttons: tuple[tuple[str, Command], ...] = (
        ("recap", ShowPage("recap")),
        ("rematch", Rematch()),
        ("home", ShowPage("home")),
    )
    words = [sheet.tr(f"ui.{key}") for key, _ in buttons]
    wide = [sheet.text_width(one, 1.2, bold=True) + sheet.em(1.6) for one in words]
    gap = sheet.em(0.4)
    if sum(wide) + 3 * gap <= bar.w:
        first, home, _, again = columns(bar, wide[0], wide[2], FILL, wide[1], gap=gap)
        places: tuple[Box, ...] = (first, again, home)
    else:
        places = columns(bar, *[FILL] * len(wide), gap=gap)
    for place, word, (key, command) in zip(places, words, buttons, strict=True):
        fill = GOLD if key == "rematch" else RAISED
        sheet.button(place, word, f"over:{key}", touch_action(command), fill=fill, scale=1.2, bold=True)


def paint_standings(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """Everybody on a plate with what lies before them, in the order in which they have ended."""
    chairs = final_order(frame.board, frame.view)
    gap = sheet.em(0.35)
    for cell, chair in zip(best_grid(rect, len(chairs), gap, shape=PLATE), chairs, strict=True):
        _paint_standing(sheet, cell, chair)


def final_order(board: Board, view: View) -> list[ChairView]:
    """The winners first, then the others by their scores; as they sit while the game goes on."""
    outcome = view.outcome
    if outcome is None:
        return list(view.chairs)

    def score(one: ChairView) -> int:
        told = (token for token in one.tokens if token.kind == board.score_kind)
        return sum(token.value if isinstance(token.value, int) else token.count for token in told)

    sign = 1 if board.low_score_wins else -1
    return sorted(view.chairs, key=lambda one: (one.chair not in outcome.winners, sign * score(one)))


def _paint_standing(sheet: Sheet, rect: Box, chair: ChairView) -> None:
    """The name, and below it what there is; on a low plate beside it."""
    ink = paint_plate(sheet, rect, sheet.colour(chair.chair), PlateState.WAIT)
    pad, name = sheet.em(0.4), sheet.name(chair.chair)
    beside = max(sheet.em(1.4), rect.w - sheet.text_width(name, bold=True) - 3 * pad)  # the name stays whole
    side = min(rect.h * 8 // 10, rect.w // 4, sheet.em(3.2), beside)
    avatar, room = columns(rect.inset(left=pad, right=pad), side, FILL, gap=pad)
    paint_avatar(sheet, avatar.center, side, chair.chair)
    line = sheet.painter.line_height(1.2)
    if chair.tokens and room.h >= line + sheet.em(1.7):
        room, low = rows(room, line, sheet.em(1.7), justify="center")
        paint_tokens_row(sheet, low, first_tokens(sheet, chair, low.w), ink)
    else:
        shown = first_tokens(sheet, chair, room.w - sheet.text_width(name, bold=True) - pad)
        room = room._replace(w=max(1, paint_token_icons(sheet, room, shown, ink) - room.x - pad // 2))
    sheet.text(room, shorten_name(sheet, name, room.w), 1.2, ink, bold=True)


def confetti_area(rect: Box) -> Box:
    """Where confetti falls: on the winner's side, where nothing has to be read."""
    if rect.h > rect.w:
        return rect._replace(h=rect.h // 2)
    return rect._replace(w=round(rect.w * LOOK.moment["words_x"] / 100))
