"""Recap page of a finished game: winner, numbers, timeline, every ruling."""

import io
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pygame

from companion.core.actions import Chair
from companion.core.exhibits import RecapMoment
from companion.core.view import Sentence, View
from companion.language.language import Translator
from companion.ui.commands import Rematch, SaveRecap, ShowPage
from companion.ui.frame import GameFrame, RecapFrame, UiState
from companion.ui.layout import Box
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_FILL,
    DialogButton,
    paint_buttons,
    paint_dialog,
    scroll_buttons,
    split_body,
)
from companion.ui.overlays.menu import paint_reveal_dialog
from companion.ui.overlays.ruling_log import (
    paint_explanation,
    paint_finishes,
    paint_last_round,
    paint_log_lines,
)
from companion.ui.pages.base import OverlayPainter, Page, PageResources
from companion.ui.pages.game import GamePage
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import EDGE, GOLD, INK, NOTICE, RAISED, SOFT, TEXT, Colour

SIZE = (960, 540)


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


COLOURS: Mapping[str, Colour] = {"turning": TEXT, "bluff": GOLD, "uncaught": SOFT, "wrong": NOTICE}
Picture = Callable[[RecapMoment, tuple[int, int]], pygame.Surface]


def paint_timeline(sheet: Sheet, frame: RecapFrame, picture: Picture) -> None:
    """Draw the recap;

    `frame.about` says which stop is shown. `picture` takes a (width, height) in pixels.
    """
    body = paint_dialog(sheet, "ui.timeline")
    save = DialogButton("ui.timeline.save", "save", touch_action(SaveRecap()))
    moments = frame.moments
    if frame.trouble is not None:
        body = _paint_save_result(sheet, body, frame, frame.trouble)
    if not moments:
        sheet.text(body, sheet.tr("recap.none"), 1.4, SOFT, align="center")
        paint_buttons(sheet, save, CLOSE_BUTTON)
        return
    here = min(max(0, frame.ui_state.about), len(moments) - 1)
    gap = sheet.em(0.6)
    wide = min(body.w * 62 // 100, (body.h - sheet.em(2.4)) * 16 // 9)
    shown = Box(body.x, body.y + sheet.em(2.2), wide, wide * 9 // 16)
    _paint_stop_number(sheet, Box(shown.x, body.y, shown.w, sheet.em(2.1)), moments[here], here, len(moments))
    sheet.surface.blit(picture(moments[here], shown.size), shown)
    sheet.box(shown, None, EDGE, radius=0, width=0)
    rest = Box(shown.right + gap, body.y, body.right - shown.right - gap, body.h)
    _paint_stops(sheet, rest, frame, here)
    earlier = touch_action(about=here - 1) if here else None
    later = touch_action(about=here + 1) if here + 1 < len(moments) else None
    paint_buttons(
        sheet,
        DialogButton("recap.next", "later", later, PRIMARY_FILL if later else RAISED),
        DialogButton("recap.previous", "earlier", earlier),
        save,
        CLOSE_BUTTON,
    )


def _paint_save_result(sheet: Sheet, body: Box, frame: RecapFrame, said: Sentence) -> Box:
    """What became of saving; returns the rest."""
    words = sheet.sentence(said)
    if said.key != "ui.recap.saved":
        return sheet.paint_warning(body, words)
    strip = Box(body.x, body.bottom - sheet.em(1.9), body.w, sheet.em(1.9))
    sheet.box(strip, NOTICE)
    sheet.text(strip.inflate(-sheet.em(1), 0), words, 1.2, INK, bold=True, align="center")
    return Box(body.x, body.y, body.w, body.h - strip.h - sheet.em(0.3))


def _paint_stop_number(sheet: Sheet, rect: Box, moment: RecapMoment, here: int, count: int) -> None:
    """Which stop of how many, and of what kind."""
    where = sheet.tr("ui.timeline.which", number=here + 1, count=count)
    words = f"{where} · {sheet.tr(f'recap.kind.{moment.kind}')}"
    sheet.text(rect, words, 1.5, COLOURS[moment.kind], bold=True)


def _paint_stops(sheet: Sheet, rect: Box, frame: RecapFrame, here: int) -> None:
    """The stops around this one, as many as are read to the end, each to be touched."""
    gap = sheet.em(0.2)
    heights = [_stop_height(sheet, rect, frame, place, here) for place in range(len(frame.moments))]
    first, last = _visible_range(heights, here, rect.h, gap)
    top = rect.y
    for place, moment in enumerate(frame.moments[first:last], first):
        row = Box(rect.x, top, rect.w, heights[place])
        top = row.bottom + gap
        sheet.box(row, RAISED if place != here else INK, GOLD if place == here else None, radius=0.3)
        mark = (row.x + sheet.em(0.8), row.centery)
        _paint_mark(sheet, mark, moment.kind)
        words = Box(row.x + sheet.em(1.6), row.y, row.w - sheet.em(1.9), row.h)
        sheet.text(words, sheet.sentence(moment.sentence), 1.0, TEXT, bold=place == here)
        sheet.target(f"stop:{place}", row, touch_action(about=place), walked=False)


def _stop_height(sheet: Sheet, rect: Box, frame: RecapFrame, place: int, here: int) -> int:
    """How high a stop has to be, so that its sentence is read to the end; the chosen one stands in bold."""
    words = sheet.sentence(frame.moments[place].sentence)
    lines = sheet.painter.fit_text(words, rect.w - sheet.em(1.9), rect.h, 1.0, bold=place == here).lines
    return max(2, len(lines)) * sheet.line_height + sheet.em(0.3)


def _visible_range(heights: Sequence[int], here: int, room: int, gap: int) -> tuple[int, int]:
    """From which stop to before which one there is room, with as much before `here` as after it."""
    first, last, used = here, here + 1, heights[here]
    grew = True
    while grew:
        grew = False
        if last < len(heights) and used + gap + heights[last] <= room:
            used, last, grew = used + gap + heights[last], last + 1, True
        if first and used + gap + heights[first - 1] <= room:
            used, first, grew = used + gap + heights[first - 1], first - 1, True
    return first, last


def _paint_mark(sheet: Sheet, centre: tuple[int, int], kind: str) -> None:
    """A sign of its own for every kind, so that no colour has to be told apart."""
    x, y = centre
    size = sheet.em(0.42)
    colour = COLOURS[kind]
    match kind:
        case "turning":
            points = [(x, y - size), (x + size, y), (x, y + size), (x - size, y)]
            sheet.polygon(colour, points)
        case "wrong":
            points = [(x, y - size), (x + size, y + size), (x - size, y + size)]
            sheet.polygon(colour, points)
        case "bluff":
            sheet.fill(Box(x - size, y - size, 2 * size, 2 * size), colour)
        case _:
            sheet.disc(centre, size, colour)


class RecapPage(Page[RecapFrame]):
    """A finished game, looked back on: nothing is hidden any more, unless it was given up and stays shut."""

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
            "why": paint_explanation,
        }

    def paint(self, sheet: Sheet, frame: RecapFrame) -> None:
        body = paint_dialog(sheet, "ui.recap")
        left, right = split_body(sheet, body, 42, upright=45)
        self._paint_winner(sheet, left, frame)
        first, last, room = paint_log_lines(sheet, right, frame, frame.log, frame.ui_state.scroll)
        home, again = DialogButton("ui.home", "home", touch_action(ShowPage("home"))), touch_action(Rematch())
        scroll = scroll_buttons(first, last, room) if last else ()
        more = [DialogButton("ui.finish", "finish", touch_action(overlay="finish"))] if frame.finishes else []
        more += (
            [DialogButton("ui.round", "round", touch_action(overlay="round"))]
            if frame.exhibit is not None
            else []
        )
        shut = frame.view.outcome is not None and not frame.view.outcome.is_open
        first_foot = "uncover" if shut else "timeline"
        more.insert(0, DialogButton(f"ui.{first_foot}", first_foot, touch_action(overlay=first_foot)))
        paint_buttons(sheet, *scroll, *more, DialogButton("ui.rematch", "rematch", again, PRIMARY_FILL), home)

    def _draw_scene(self, frame: RecapFrame, moment: RecapMoment, size: tuple[int, int]) -> pygame.Surface:
        """The table at that stop."""
        if self._scenes is None or self._scenes.size != size:
            self._scenes = TableImages(self.resources.words, size)
        return self._scenes.draw_table(moment.view, frame.ui_state.language, frame.names)

    def _paint_winner(self, sheet: Sheet, rect: Box, frame: RecapFrame) -> None:
        outcome = frame.view.outcome
        winners = outcome.winners if outcome is not None else ()
        radius = sheet.em(1.7)
        for place, chair in enumerate(winners):
            centre = (rect.x + radius + place * sheet.em(4), rect.y + radius + sheet.em(1.2))
            sheet.badge(centre, radius, chair)
            sheet.picture(sheet.art.motif("crown", sheet.em(1.5)), (centre[0], rect.y + sheet.em(0.5)))
        left = rect.x + sheet.em(4.2) * max(1, len(winners)) if winners else rect.x
        words = Box(left, rect.y + sheet.em(0.6), rect.right - left, sheet.em(4.4))
        sheet.text(words, sheet.sentence(frame.view.headline), 1.6, TEXT, bold=True)
        top = rect.y + sheet.em(5.0)
        height = min((rect.bottom - top) // max(1, len(frame.numbers)), sheet.em(2.4))
        font = sheet.painter.font(1.3, bold=True)
        wide = max((font.size(str(value))[0] for _, value in frame.numbers), default=0)
        for place, (name, value) in enumerate(frame.numbers):
            row = Box(rect.x, top + place * height, rect.w, height)
            figure = Box(row.right - wide, row.y, wide, row.h)
            told = Box(row.x, row.y, row.w - figure.w - sheet.em(0.3), row.h)
            sheet.text(told, sheet.tr(f"ui.recap.{name}"), 1.0, SOFT)
            sheet.text(figure, str(value), 1.3, GOLD, bold=True, align="right")
