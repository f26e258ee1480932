"""Watch page: outlines and names every card that the camera reads."""

import pygame

from companion.core.actions import Micros
from companion.core.camera_tasks import SpottedCard, WatchView
from companion.ui.commands import ShowPage
from companion.ui.frame import CameraPageFrame
from companion.ui.layout import FILL, Box, columns, rows, stack
from companion.ui.overlays.dialog import PRIMARY_FILL, DialogButton, paint_bar, paint_sign
from companion.ui.pages.calibrate import QUALITY, CameraPage, camera_action, draw_label, to_screen_points
from companion.ui.pages.enrol import card_name
from companion.ui.toolkit.picture_cache import WIDE
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.sprites import draw_line
from companion.ui.toolkit.theme import GOLD, INK, NOTICE, PAPER, TEXT, Colour, type_scale

SURE_FROM = 0.95
"""A chance from which a reading is drawn as sure."""
MANY = 8
"""More cards than these have no names in the picture."""


class WatchPage(CameraPage):
    """For the eye alone: nothing that is seen here is a ruling."""

    def paint(self, sheet: Sheet, frame: CameraPageFrame) -> None:
        view = frame.camera_input.view
        assert isinstance(view, WatchView)
        said = sheet.tr("ui.watch")
        if view.trouble is not None:
            said = sheet.words.text(view.trouble)
        elif not view.pictures or frame.camera_input.camera is None:
            said = sheet.tr("ui.calibrate.no_picture")
        elif not view.complete and any(not one.card for one in view.seen):
            said = sheet.tr("ui.watch.partial")
        colour = TEXT if view.trouble is None else NOTICE
        deck = sheet.tr(f"{view.deck}.name") if view.deck in view.games else view.deck.rpartition("/")[2]
        right, _, bar = self.paint_picture(
            sheet, frame, said, label=deck, signs=QUALITY if view.pictures else (), faults=view.faults,
            colour=colour, share=64,
        )  # fmt: skip
        _paint_card_list(sheet, right, view)
        afresh = DialogButton("ui.watch.read_again", "afresh", camera_action("afresh"))
        other = DialogButton("ui.enrol.game", "game", camera_action("game") if len(view.games) > 1 else None)
        home = DialogButton("ui.home", "home", touch_action(ShowPage("home")), PRIMARY_FILL)
        paint_bar(sheet, bar, home, afresh, other)

    def animate(self, surface: pygame.Surface, sheet: Sheet, frame: CameraPageFrame, now: Micros) -> None:
        """Draw the camera's picture, with an outline and the name of each card that is read."""
        view = frame.camera_input.view
        seen = self.draw_picture(surface, sheet, frame.camera_input)
        if seen is None or not isinstance(view, WatchView):
            return
        surface.set_clip(pygame.Rect(*seen))
        for one in view.seen:
            _draw_outline(surface, sheet, seen, one, named=view.named and len(view.seen) <= MANY)
        surface.set_clip(None)


def _paint_card_list(sheet: Sheet, body: Box, view: WatchView) -> None:
    """The cards, as large and as many as there is room for."""
    least = 2 * sheet.line_height + sheet.em(0.3)
    room = body.h // least
    shown = view.seen if len(view.seen) <= room else view.seen[: room - 1]
    high = max(least, min(sheet.em(5.4), body.h // max(1, len(view.seen))))
    more = len(view.seen) - len(shown)
    lines = rows(body, *[high] * (len(shown) + (more > 0)))
    for one, line in zip(shown, lines, strict=False):
        _paint_card(sheet, line, view, one)
    if more:
        sheet.text(lines[-1], sheet.tr("ui.watch.more", more=more), 1.0, TEXT)
    elif not shown and view.pictures and view.trouble is None:
        words = sheet.tr("ui.watch.nothing")
        sheet.text(body, words, type_scale("said"), TEXT, bold=True, align="center")


def _paint_card(sheet: Sheet, row: Box, view: WatchView, one: SpottedCard) -> None:
    """A card's face, its name, and whether that is sure."""
    name = one.card if one.card and not view.named else card_name(sheet, one.card)
    inner = row.inflate(0, -sheet.em(0.3))
    card, text = columns(inner, round(inner.h * WIDE), FILL, gap=sheet.em(0.5))
    if one.card and view.named:
        sheet.card(card, one.card)
    else:
        sheet.box(card, INK, _certainty_colour(one), radius=0.2)
    if one.confidence < SURE_FROM:
        side = min(card.w, sheet.em(1.7))
        sign = stack(card, side, side, "bottomright" if one.card else "center")
        paint_sign(sheet, sign, "?", _certainty_colour(one))
    scale = type_scale("said") if row.h > sheet.em(2.5) else 1.0
    sheet.text(text, name or sheet.tr("ui.watch.unread"), scale, TEXT if one.card else NOTICE, bold=True)


def _draw_outline(surface: pygame.Surface, sheet: Sheet, seen: Box, one: SpottedCard, *, named: bool) -> None:
    """A card in the picture: its own top side thick, so that one sees which way up it is read."""
    points = to_screen_points(seen, one.corners)
    colour = _certainty_colour(one)
    for tone, more in ((INK, sheet.em(0.12)), (colour, 0)):
        draw_line(surface, tone, points, max(3, sheet.em(0.14)) + more, closed=True)
    if one.card:
        draw_line(surface, colour, points[:2], max(6, sheet.em(0.34)))
    if named:
        string = card_name(sheet, one.card) if one.card and one.confidence >= SURE_FROM else "?"
        draw_label(surface, sheet, 2 * points[2:], sheet.painter.render_text(string, 1.0, colour, bold=True))


def _certainty_colour(one: SpottedCard) -> Colour:
    if not one.card:
        return NOTICE
    return PAPER if one.confidence >= SURE_FROM else GOLD
