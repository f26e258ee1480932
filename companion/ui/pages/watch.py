"""Watch page: outlines every card that the camera reads, with its probability."""

import pygame

from companion.core.actions import SECOND, Micros
from companion.core.camera_tasks import SpottedCard, WatchView
from companion.ui.commands import ShowPage
from companion.ui.frame import CameraPageFrame
from companion.ui.layout import FILL, Box, columns, rows
from companion.ui.overlays.dialog import DialogButton, paint_bar
from companion.ui.pages.calibrate import CameraPage, camera_action, draw_label, to_screen_points
from companion.ui.pages.enrol import card_name
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.sprites import draw_line
from companion.ui.toolkit.theme import EDGE, GOLD, GOOD, NOTICE, SOFT, TEXT, Colour

SURE_FROM = 0.95
"""A chance from which a reading is drawn as sure."""


class WatchPage(CameraPage):
    """For the eye alone: nothing that is seen here is a ruling."""

    def paint(self, sheet: Sheet, frame: CameraPageFrame) -> None:
        view = frame.camera_input.view
        assert isinstance(view, WatchView)
        label = said = sheet.tr("ui.watch")
        if view.trouble is not None:
            said = sheet.words.text(view.trouble)
        elif not view.pictures or frame.camera_input.camera is None:
            said = sheet.tr("ui.calibrate.no_picture")
        else:
            label = sheet.tr("ui.watch.spent", read=f"{view.read / SECOND:.1f}")
            if not view.complete and any(not one.card for one in view.seen):
                said = sheet.tr("ui.watch.partial")
        colour = TEXT if view.trouble is None else NOTICE
        right, _, bar = self.paint_picture(sheet, frame, said, label=label, colour=colour, share=54)
        _paint_card_list(sheet, right, view)
        afresh = DialogButton("ui.watch.read_again", "afresh", camera_action("afresh"))
        other = DialogButton("ui.enrol.game", "game", camera_action("game") if len(view.games) > 1 else None)
        paint_bar(sheet, bar, DialogButton("ui.home", "home", touch_action(ShowPage("home"))), afresh, other)

    def animate(self, surface: pygame.Surface, sheet: Sheet, frame: CameraPageFrame, now: Micros) -> None:
        """Draw the camera's picture, with an outline and a number round each card that is read."""
        view = frame.camera_input.view
        seen = self.draw_picture(surface, sheet, frame.camera_input)
        if seen is None or not isinstance(view, WatchView):
            return
        for number, one in enumerate(view.seen, 1):
            _draw_outline(surface, sheet, seen, one, number)


def _paint_card_list(sheet: Sheet, rect: Box, view: WatchView) -> None:
    """The deck that is read, then the cards, as large and as many as there is room for."""
    least = sheet.em(1.75)
    deck = sheet.tr(f"{view.deck}.name") if view.deck in view.games else view.deck.rpartition("/")[2]
    head, body = rows(rect, least, FILL)
    sheet.text(head, deck, 1.2, TEXT, bold=True)
    room = body.h // least
    shown = view.seen if len(view.seen) <= room else view.seen[: room - 1]
    lines = rows(body, *[max(least, min(sheet.em(4), body.h // max(1, len(view.seen))))] * (len(shown) + 1))
    for number, (one, line) in enumerate(zip(shown, lines, strict=False), 1):
        _paint_card(sheet, line, view, one, number)
    if len(shown) < len(view.seen):
        sheet.text(lines[-1], sheet.tr("ui.watch.more", more=len(view.seen) - len(shown)), 1.0, SOFT)
    elif not shown and view.pictures and view.trouble is None:
        sheet.text(lines[-1], sheet.tr("ui.watch.nothing"), 1.0, SOFT)


def _paint_card(sheet: Sheet, row: Box, view: WatchView, one: SpottedCard, number: int) -> None:
    """A card's number in the picture, its face, its name, and the chance that it is read right."""
    name = one.card if one.card and not view.named else card_name(sheet, one.card)
    pictured = row.h >= sheet.em(2.5)
    figure, card, _, text, share = columns(
        row, sheet.em(1.3), sheet.em(2.1) if pictured else 0, sheet.em(0.3), FILL, sheet.em(3.2)
    )
    sheet.text(figure, str(number), 1.0, TEXT if one.card else NOTICE, bold=True)
    text = text.inset(bottom=sheet.em(0.35))
    if not one.card:
        text = text._replace(w=row.right - text.x)
    sheet.text(text, name or sheet.tr("ui.watch.unread"), 1.0, TEXT if one.card else NOTICE)
    if not one.card:
        return
    if pictured and view.named:
        sheet.card(card.inflate(0, -sheet.em(0.2)), one.card)
    told = f"{100 * one.confidence:.1f}\N{NO-BREAK SPACE}%"
    sheet.text(share, told, 1.0, _certainty_colour(one), align="right")
    bar = Box(text.x, row.bottom - sheet.em(0.3), text.w - sheet.em(0.3), sheet.em(0.2))
    sheet.pill(bar, EDGE)
    full = Box(bar.x, bar.y, max(bar.h, round(bar.w * one.confidence)), bar.h)
    sheet.pill(full, _certainty_colour(one))


def _draw_outline(surface: pygame.Surface, sheet: Sheet, seen: Box, one: SpottedCard, number: int) -> None:
    """A card in the picture: its own top side thick, so that one sees which way up it is read."""
    points = to_screen_points(seen, one.corners)
    colour = _certainty_colour(one)
    draw_line(surface, colour, points, max(2, sheet.em(0.1)), closed=True)
    if one.card:
        draw_line(surface, colour, points[:2], max(5, sheet.em(0.28)))
    words = sheet.painter.render_text(str(number), 0.9, colour, bold=True)
    draw_label(surface, sheet, points, words)


def _certainty_colour(one: SpottedCard) -> Colour:
    if not one.card:
        return NOTICE
    return GOOD if one.confidence >= SURE_FROM else GOLD
