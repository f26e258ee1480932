"""Recap page of a finished game: winner, turning points as pictures, reactions, numbers; its time line."""

import io
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import pygame

from companion.core.actions import SECOND, Chair, Micros
from companion.core.exhibits import PhotoFinish, RecapMoment
from companion.core.view import View
from companion.language.language import Translator
from companion.ui.board.card_pictures import find_pictures, paint_pictures
from companion.ui.board.photo_finish import paint_lanes
from companion.ui.board.player_banner import paint_banner, winners_banner
from companion.ui.board.stage_layout import CARD_ASPECT, layout_wide
from companion.ui.commands import Rematch, SaveRecap, ShowPage
from companion.ui.frame import GameFrame, HistoryLine, RecapFrame, UiState
from companion.ui.layout import FILL, Box, Share, columns, rows, stack
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_FILL,
    DialogButton,
    overlay_button,
    paint_bar,
    paint_buttons,
    paint_dialog,
)
from companion.ui.overlays.menu import paint_reveal_dialog
from companion.ui.overlays.ruling_log import (
    acting_chair,
    paint_explanation,
    paint_finishes,
    paint_last_round,
    paint_log,
)
from companion.ui.pages.base import OverlayPainter, Page, PageResources
from companion.ui.pages.game import GamePage
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import FELT, GOLD, INK, PAPER, RAISED, SOFT, TEXT, blend
from companion.ui.toolkit.widgets import paint_avatar, paint_felt, paint_row

SIZE = (960, 540)
BANNER = 29
"""What the winner's colour covers, in u."""
MOST_TILES = 4
"""So many turning points stand side by side, and so many numbers below each other."""
FACTS_WIDE, FACTS_HIGH = 11.5, 12
"""What the numbers have of the felt, in em: of its width, and below the turning points of its height."""


class _StaticGamePage(GamePage):
    """Nobody presses anything in the past."""

    is_static = True

    def _paint_toolbar(self, sheet: Sheet, rect: Box, frame: GameFrame) -> Box:
        """No buttons."""
        return rect


class TableImages:
    """Owns what pictures of the past are drawn with."""

    def __init__(self, languages: Callable[[str], Translator], size: tuple[int, int] = SIZE) -> None:
        pygame.font.init()
        self._page = _StaticGamePage(PageResources(size, languages))
        self.size = size

    def draw_table(self, view: View, language: str, names: Mapping[Chair, str]) -> pygame.Surface:
        """The table as this view shows it, `self.size` pixels large."""
        surface = pygame.Surface(self.size)
        frame = GameFrame(ui_state=UiState(language=language), view=view, names=names)
        self._page.draw(surface, frame, 0)
        return surface

    def encode_jpeg(self, view: View, language: str, names: Mapping[Chair, str]) -> bytes:
        """The same as a file."""
        return self._encode(view, language, names, "table.jpg")

    def encode_png(self, view: View, language: str, names: Mapping[Chair, str]) -> bytes:
        """The same without loss."""
        return self._encode(view, language, names, "table.png")

    def _encode(self, view: View, language: str, names: Mapping[Chair, str], name: str) -> bytes:
        written = io.BytesIO()
        pygame.image.save(self.draw_table(view, language, names), written, name)
        return written.getvalue()


Picture = Callable[[RecapMoment, tuple[int, int]], pygame.Surface]


def paint_timeline(sheet: Sheet, frame: RecapFrame, picture: Picture) -> None:
    """One stop after the other; `frame.about` says which. `picture` takes a (width, height) in pixels."""
    moments, about = frame.moments, frame.ui_state.about
    here = min(max(0, about), len(moments) - 1)
    title = sheet.tr("ui.timeline")
    if moments:
        where = sheet.tr("ui.timeline.which", number=here + 1, count=len(moments))
        title = f"{sheet.tr(f'recap.kind.{moments[here].kind}')} · {where}"
    body = paint_dialog(sheet, "ui.timeline", words=title)
    save = DialogButton("ui.timeline.save", "save", touch_action(SaveRecap()))
    if frame.trouble is not None:  # or what became of saving
        body = sheet.paint_warning(body, sheet.sentence(frame.trouble))
    if not moments:
        sheet.text(body, sheet.tr("recap.none"), 1.4, SOFT, align="center")
        paint_buttons(sheet, save, CLOSE_BUTTON)
        return
    border = sheet.u(1.4)
    wide = min(body.w * 64 // 100, body.h * 16 // 9)
    shown, beside = columns(body, wide, FILL, gap=sheet.em(0.6))
    paper = stack(shown, wide, wide * 9 // 16)
    sheet.shadow(paper, "plate", sheet.em(0.25))
    sheet.box(paper, PAPER, radius=0.25)
    scene = paper.inflate(-2 * border, -2 * border)
    sheet.surface.blit(picture(moments[here], scene.size), scene)
    _paint_stops(sheet, beside, frame, here)
    earlier = touch_action(about=here - 1) if here else None
    later = touch_action(about=here + 1) if here + 1 < len(moments) else None
    paint_buttons(
        sheet,
        DialogButton("recap.next", "later", later, PRIMARY_FILL if later else RAISED),
        DialogButton("recap.previous", "earlier", earlier),
        save,
        CLOSE_BUTTON,
    )


def _paint_stops(sheet: Sheet, rect: Box, frame: RecapFrame, here: int) -> None:
    """The stops around this one, as many as are read to the end, each to be touched."""
    gap, side = sheet.em(0.2), sheet.em(2.2)
    told = [sheet.sentence(moment.sentence) for moment in frame.moments]
    needed = [sheet.text_height(words, most=6, bold=True)(rect.w - side - gap) for words in told]
    high = max(side, *needed) + gap
    room = max(1, (rect.h + gap) // (high + gap))
    first = max(0, min(here - room // 2, len(told) - room))
    shown = range(first, min(first + room, len(told)))
    for row, place in zip(rows(rect, *[high] * len(shown), gap=gap), shown, strict=True):
        sheet.box(row, RAISED if place != here else INK, GOLD if place == here else None, radius=0.3)
        mark, words = columns(row.inset(right=gap), side, FILL)
        chair = dict(frame.moments[place].sentence.parts).get("chair")
        if isinstance(chair, int) and chair >= 0:
            sheet.badge(mark.center, sheet.em(0.75), chair)
        sheet.text(words, told[place], 1.0, TEXT, bold=place == here)
        sheet.target(f"stop:{place}", row, touch_action(about=place), walked=False)


class RecapPage(Page[RecapFrame]):
    """A finished game, looked back on: who won, with what, and the rulings that had the whole screen."""

    default_focus = "rematch"

    exit_action = touch_action(ShowPage("home"))

    _scenes: TableImages | None = None

    def overlays(self, frame: RecapFrame) -> Mapping[str, OverlayPainter[RecapFrame]]:
        return {
            **super().overlays(frame),
            "uncover": paint_reveal_dialog,
            "timeline": lambda sheet, _: paint_timeline(sheet, frame, partial(self._draw_scene, frame)),
            "finish": paint_finishes,
            "round": paint_last_round,
            "log": paint_log,
            "why": paint_explanation,
        }

    def paint(self, sheet: Sheet, frame: RecapFrame) -> None:
        outcome = frame.view.outcome
        edge, facts = sheet.em(0.6), [(value, name) for name, value in frame.numbers if value][:MOST_TILES]
        _, table, bar = layout_wide(sheet.rect, sheet.painter.height / 100)
        above, felt = rows(sheet.rect._replace(h=table.bottom), sheet.u(BANNER), FILL)
        words = sheet.sentence(frame.view.headline)
        if outcome is not None and outcome.winners:
            paint_banner(sheet, above, winners_banner(frame.view, words))
        else:
            sheet.text(above.inflate(-2 * edge, 0), words, 2.4, TEXT, bold=True, align="center", grows=False)
        rim = felt.inset(left=edge, top=edge // 2, right=edge)
        paint_felt(sheet, rim)
        room = rim.inflate(-6 * edge, -3 * edge)
        if facts:
            upright = room.h > room.w
            sizes = FILL, sheet.em(FACTS_HIGH if upright else FACTS_WIDE)
            room, told = (rows if upright else columns)(room, *sizes, gap=sheet.em(0.8))
            _paint_facts(sheet, told, facts)
        _paint_highlights(sheet, room, frame)
        shut = outcome is not None and not outcome.is_open
        paint_bar(
            sheet,
            bar,
            overlay_button("uncover" if shut else "timeline"),
            overlay_button("log"),
            DialogButton("ui.rematch", "rematch", touch_action(Rematch()), PRIMARY_FILL),
            DialogButton("ui.home", "home", touch_action(ShowPage("home"))),
        )

    def _draw_scene(self, frame: RecapFrame, moment: RecapMoment, size: tuple[int, int]) -> pygame.Surface:
        """The table at that stop."""
        if self._scenes is None or self._scenes.size != size:
            self._scenes = TableImages(self.resources.words, size)
        return self._scenes.draw_table(moment.view, frame.ui_state.language, frame.names)


class TurningPoint(NamedTuple):
    """A ruling that had the whole screen for a moment."""

    line: HistoryLine
    pictures: tuple[str, ...]
    """The cards it was about, as they were told to everybody."""
    finish: PhotoFinish | None


def find_turning_points(frame: RecapFrame, most: int) -> list[TurningPoint]:
    """The last race, the last of every kind, and then the latest: at most so many, in their order."""
    told: tuple[str, ...] = ()
    found = list[TurningPoint]()
    finishes = {finish.seq: finish for finish in frame.finishes if finish.contested}
    for line in frame.log:
        pictures = find_pictures(frame.board, line.sentence)
        told = tuple(name for name in pictures if ":" in name) or told
        words = frame.board.full_screen_words
        if line.sentence.event in words and acting_chair(line) is not None and not line.retracted:
            found.append(TurningPoint(line, told or pictures, finishes.get(line.seq)))
            told = ()
    races = [point for point in found if point.finish is not None]
    kinds = {point.line.sentence.event: point for point in found}
    wanted = (*races[-1:], *kinds.values(), *reversed(found))
    chosen = {point.line.seq: point for point in tuple(dict.fromkeys(wanted))[:most]}
    return [chosen[seq] for seq in sorted(chosen)]


def _paint_highlights(sheet: Sheet, rect: Box, frame: RecapFrame) -> None:
    """Side by side on the felt: the turning points, and how quick everybody was."""
    quickest = _quickest_reactions(frame.finishes)
    room = max(1, min(MOST_TILES, rect.w // sheet.em(8))) - bool(quickest)
    points = find_turning_points(frame, room)
    if any(point.finish is not None for point in points):  # it takes as much room as two
        points = find_turning_points(frame, max(1, room - 1))
    sizes = [*(Share(2) if point.finish is not None else FILL for point in points), FILL]
    cells = columns(rect, *sizes[: max(1, len(points) + bool(quickest))], gap=sheet.em(0.8))
    if not points and not quickest:
        sheet.text(rect, sheet.tr("recap.none"), 1.6, TEXT, bold=True, align="center")
    for cell, point in zip(cells, points, strict=False):
        _paint_turning_point(sheet, cell, frame, point)
    if quickest:
        _paint_reactions(sheet, cells[-1], frame, quickest)


def _paint_turning_point(sheet: Sheet, cell: Box, frame: RecapFrame, point: TurningPoint) -> None:
    """Its cards, or who pressed when; below whose it was, and the word that stood on the screen."""
    room, foot = rows(cell, FILL, sheet.em(2.5), gap=sheet.em(0.2))
    seq, chair = point.line.seq, acting_chair(point.line)
    assert chair is not None
    does = touch_action(overlay="why", about=seq)
    if point.finish is not None:
        card, lanes = columns(room, round(room.h * CARD_ASPECT), FILL, gap=sheet.em(0.6))
        paint_pictures(sheet, card, point.pictures[:1])
        paint_lanes(sheet, lanes, point.finish)
        newest_first = frame.finishes[::-1]
        does = touch_action(overlay="finish", scroll=newest_first.index(point.finish))
    elif cards := tuple(name for name in point.pictures if ":" in name)[:2]:
        gap = sheet.em(0.25)
        high = min(room.h, round((room.w / len(cards) - gap) / CARD_ASPECT))
        wide = len(cards) * (round(high * CARD_ASPECT) + gap)
        paint_pictures(sheet, stack(room, wide, high), cards)
    elif point.pictures:
        sheet.picture(sheet.art.motif(point.pictures[0], min(room.size) * 7 // 10), room.center)
    else:
        paint_avatar(sheet, room.center, min(room.size), chair)
    word = sheet.tr(f"ui.verdict.{frame.board.full_screen_words[point.line.sentence.event]}")
    size, gap = sheet.em(2.2), sheet.em(0.3)
    wide = min(foot.w, size + gap + sheet.text_width(word, 1.4, bold=True) + 2)
    badge, told = columns(stack(foot, wide, foot.h), size, FILL, gap=gap)
    paint_avatar(sheet, badge.center, size, chair)
    sheet.text(told, word, 1.4, TEXT, bold=True)
    sheet.target(f"point:{seq}", cell, does)


def _quickest_reactions(finishes: Sequence[PhotoFinish]) -> Mapping[Chair, Micros]:
    """From the mask to the best Stop that counted: the middle of what can be known of it."""
    quickest = dict[Chair, Micros]()
    for finish in finishes:
        if finish.winner is not None:
            took = finish.zero_time - (finish.clear_until + finish.lies_since) // 2
            quickest[finish.winner] = min(took, quickest.get(finish.winner, took))
    return quickest


def _paint_reactions(sheet: Sheet, cell: Box, frame: RecapFrame, quickest: Mapping[Chair, Micros]) -> None:
    """Everybody's best, the quickest on top, each a bar as long as it took."""
    room, foot = rows(cell, FILL, sheet.em(2.5), gap=sheet.em(0.2))
    words = sheet.tr("ui.round.reaction")
    sheet.text(foot, words, 1.4, TEXT, bold=True, align="center")
    slowest, gap = max(1, *quickest.values()), sheet.em(0.3)
    lines = rows(room, *[min(sheet.em(2.2), room.h // len(quickest))] * len(quickest), justify="center")
    for line, (chair, took) in zip(lines, sorted(quickest.items(), key=lambda one: one[1]), strict=True):
        badge, track, told = columns(line, line.h, FILL, sheet.em(2.8), gap=gap)
        paint_avatar(sheet, badge.center, line.h * 9 // 10, chair)
        bar = track.inflate(0, -line.h * 4 // 10)
        sheet.pill(bar, INK)
        sheet.pill(bar._replace(w=max(bar.h, bar.w * max(0, took) // slowest)), sheet.colour(chair))
        seconds = sheet.tr("ui.round.seconds", seconds=f"{took / SECOND:.1f}")
        sheet.text(told, seconds, 1.1, TEXT, bold=True, align="right")
    over = "finish" if frame.exhibit is None else "round"
    sheet.target("reactions", cell, touch_action(overlay=over))


def _paint_facts(sheet: Sheet, rect: Box, facts: Sequence[tuple[int | str, str]]) -> None:
    """Below each other: how many, on a card, and of what; those whose words have room."""
    gap, free = sheet.em(0.4), list(rows(rect, *[FILL] * MOST_TILES, gap=sheet.em(0.4)))
    for value, name in facts:
        if not free:
            return
        figure, told = columns(free[0].inset(right=gap), max(free[0].h, sheet.em(3.1)), FILL, gap=gap)
        words = sheet.tr(f"ui.recap.{name}")
        if sheet.painter.fit_text(words, *told.size, bold=True).cut:
            continue
        paint_row(sheet, free.pop(0), blend(FELT, INK, 0.5))
        paper = figure.inflate(-gap // 2, -gap // 2)
        sheet.box(paper, PAPER, INK, radius=0.3)
        sheet.text(paper, str(value), 2.0, INK, bold=True, align="center", grows=False)
        sheet.text(told, words, 1.3, TEXT, bold=True)
