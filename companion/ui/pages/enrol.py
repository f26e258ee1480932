"""Enrolment page: the card to show next, progress, the self-check at the end."""

from collections.abc import Mapping
from typing import Any

import pygame

from companion.core.actions import Micros
from companion.core.camera_tasks import CameraCommand, EnrolView
from companion.core.observations import UNKNOWN
from companion.core.view import Sentence
from companion.ui.board.lesson_cards import draw_turned_card
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.board.toolbar import draw_icon
from companion.ui.commands import ShowPage
from companion.ui.frame import CameraPageFrame
from companion.ui.layout import FILL, Box, best_grid, columns, rows, stack
from companion.ui.overlays.dialog import (
    PRIMARY_CLOSE_BUTTON,
    PRIMARY_FILL,
    DialogButton,
    paint_bar,
)
from companion.ui.overlays.felt_choices import paint_statement
from companion.ui.pages.base import OverlayPainter
from companion.ui.pages.calibrate import CameraPage, camera_action, to_screen_points
from companion.ui.toolkit.picture_cache import PictureCache
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.sprites import draw_line
from companion.ui.toolkit.theme import EDGE, GOLD, GOOD, INK, LOOK, NOTICE, TEXT, type_scale
from companion.ui.toolkit.widgets import paint_halo

DECK_HIGH: Mapping[str, int] = {"show": 30, "clash": 0, "done": 26}
"""Hundredths of the felt's height that the whole deck has, below the picture and the card."""
DARK_FELT = LOOK.colour("felt_dark")
SLANT = 3.0
"""By how many degrees the card that is asked for lies askew."""
EASY = 0.5
"""Faces that differ by so much fill the bar."""


class EnrolPage(CameraPage):
    """One card after the other; nothing has to be touched while all goes well."""

    def overlays(self, frame: CameraPageFrame) -> Mapping[str, OverlayPainter[CameraPageFrame]]:
        return {**super().overlays(frame), "anew": lambda sheet, _: _paint_reset_dialog(sheet)}

    def paint(self, sheet: Sheet, frame: CameraPageFrame) -> None:
        view = frame.camera_input.view
        assert isinstance(view, EnrolView)
        told = sheet.sentence(_hint_with_names(sheet, view))
        colour = NOTICE if view.phase == "clash" else TEXT
        pictures = dict(frame.camera_input.cards)
        low = DECK_HIGH.get(view.phase, DECK_HIGH["show"])
        share = 46 if frame.camera_input.camera is None else 56
        label = sheet.tr("ui.enrol.count", taken=len(view.known), total=len(view.cards)) if low else ""
        beside, below, bar = self.paint_picture(
            sheet, frame, told, label=label, colour=colour, share=share, low=low
        )
        if view.phase == "done":
            _paint_self_check(sheet, beside, view, pictures)
        elif view.phase == "clash":
            _paint_name_conflict(sheet, beside, view, pictures)
        else:
            _paint_asked_card(sheet, beside, view)
        if low:
            _paint_deck(sheet, below, view)
        paint_bar(sheet, bar, *_foot(view))

    def animate(self, surface: pygame.Surface, sheet: Sheet, frame: CameraPageFrame, now: Micros) -> None:
        """Draw the camera's picture, with the outline of the card that is found in it."""
        view = frame.camera_input.view
        seen = self.draw_picture(surface, sheet, frame.camera_input)
        if seen is None or not isinstance(view, EnrolView) or len(view.outline) != 4:
            return
        draw_line(surface, GOLD, to_screen_points(seen, view.outline), max(3, sheet.em(0.16)), closed=True)


def _hint_with_names(sheet: Sheet, view: EnrolView) -> Sentence:
    """The hint, with the cards it is about named in the table's language."""
    if view.read == UNKNOWN:
        return Sentence("ui.enrol.reads_nothing")
    other = view.other or view.read
    parts = (("card", card_name(sheet, view.card)), ("other", card_name(sheet, other)))
    if view.phase == "done" and other:
        return Sentence("ui.enrol.reads", parts)
    return Sentence(view.hint.key, (*view.hint.parts, *parts))


def card_name(sheet: Sheet, card: str) -> str:
    """What a card is called: its kind, and what stands on it."""
    kind, _, label = card.partition(":")
    return sheet.tr(f"ui.card.{kind}", label=label) if card else ""


def _paint_asked_card(sheet: Sheet, rect: Box, view: EnrolView) -> None:
    """The card to show, as the plain deck has it, large under a light; the arrow says where to."""
    high = min(rect.h, round(rect.w * 0.6 / CARD_ASPECT))
    place = stack(rect, round(high * CARD_ASPECT), high)
    side = min(sheet.u(8), (rect.w - place.w) // 2 - sheet.em(0.4))
    if view.phase == "turn":
        sheet.picture(draw_icon(sheet, "undo", side, TEXT), (rect.x + side // 2, rect.centery))
    else:
        arrow = pygame.transform.flip(draw_icon(sheet, "arrow", side, TEXT), flip_x=True, flip_y=False)
        sheet.picture(arrow, (rect.x + side // 2, rect.centery))
    if view.card:
        paint_halo(sheet, place.center, high * 4 // 5)
        sheet.picture(draw_turned_card(sheet, view.card, place.size, -SLANT, ring=GOLD), place.center)


def _paint_deck(sheet: Sheet, rect: Box, view: EnrolView) -> None:
    """The whole deck: what is known lies open, what is not is a gap."""
    many = len(view.cards)
    cells = best_grid(rect, many + many % 2, 0, shape=CARD_ASPECT)  # so that two rows are as long
    for card, cell in zip(view.cards, cells, strict=False):
        place = PictureCache.card_rect(cell.inflate(-max(2, cell.w // 8), -max(2, cell.h // 8)))
        if card in view.known:
            sheet.card(place, card)
        else:
            asked = card == view.card
            sheet.box(place, INK if asked else DARK_FELT, GOLD if asked else None, radius=0.15, width=0.1)


def _paint_name_conflict(sheet: Sheet, room: Box, view: EnrolView, pictures: dict[str, Any]) -> None:
    """A face that is known by another name: both cards, and what the table can say to that."""
    row, gap = max(sheet.em(2.6), sheet.min_touch_height), sheet.em(0.35)
    answers = [("alike", sheet.tr("ui.enrol.alike"))]
    if view.hint.key == "ui.enrol.shown_before":
        answers.insert(0, ("mine", sheet.tr("ui.enrol.mine", card=card_name(sheet, view.card))))
    both, *cells = rows(room, FILL, *[row] * len(answers), gap=gap)
    for cell, (key, words) in zip(cells, answers, strict=True):
        sheet.button(cell, words, key, camera_action("mine", key), bold=True)
    one, sign, other = columns(both, FILL, sheet.em(2), FILL, gap=gap)
    sheet.card(PictureCache.card_rect(one), view.card)
    sheet.text(sign, "?", type_scale("verdict"), TEXT, bold=True, align="center", grows=False)
    _paint_picture(sheet, other, view.other, pictures)


def _paint_picture(sheet: Sheet, rect: Box, card: str, pictures: dict[str, Any]) -> None:
    """A card as it was shown to the camera; else as the plain deck has it."""
    if card in pictures:
        sheet.picture(_scale_picture(pictures[card], rect.size), rect.center)
    else:
        sheet.card(PictureCache.card_rect(rect), card)


def _paint_self_check(sheet: Sheet, rect: Box, view: EnrolView, pictures: dict[str, Any]) -> None:
    """The cards that are hardest to tell apart, side by side, by how much, and what to do."""
    words = sheet.tr("ui.enrol.hardest")
    head, body = rows(rect, sheet.text_height(words, most=2) if view.twins else 0, FILL)
    sheet.text(head, words if view.twins else "", 1.0, TEXT, grows=False)
    gap = sheet.em(0.3)
    for row, twins in zip(rows(body, *[FILL] * len(view.twins), gap=gap), view.twins, strict=True):
        wide = min(round(row.h * CARD_ASPECT), row.w // 6)
        one, other, told = columns(row, wide, wide, FILL, gap=gap)
        _paint_picture(sheet, one, twins.one, pictures)
        _paint_picture(sheet, other, twins.other, pictures)
        advice, bar = rows(told, FILL, sheet.em(0.5), gap=gap)
        sheet.text(advice, sheet.words.text(twins.advice), 1.0, TEXT, bold=True)
        easy = twins.advice.key.endswith("easy")
        _paint_progress(sheet, bar, min(1.0, twins.apart / EASY), GOOD if easy else NOTICE)


def _paint_progress(sheet: Sheet, rect: Box, share: float, colour: tuple[int, int, int]) -> None:
    sheet.pill(rect, EDGE)
    sheet.pill(rect._replace(w=max(rect.h, round(rect.w * share))), colour)


def _scale_picture(picture: Any, most: tuple[int, int]) -> pygame.Surface:
    """A card's picture (BGR) as large as fits."""
    height, width = picture.shape[:2]
    raw = pygame.image.frombuffer(picture.tobytes(), (width, height), "BGR")
    share = min(most[0] / width, most[1] / height)
    return pygame.transform.smoothscale(raw, (max(1, round(width * share)), max(1, round(height * share))))


def _foot(view: EnrolView) -> tuple[DialogButton, ...]:
    """Home comes first: OK pressed by mistake takes nothing back."""
    home = DialogButton("ui.home", "home", touch_action(ShowPage("home")), PRIMARY_FILL)
    if view.phase == "done":
        first = view.twins[0] if view.twins else None
        again = None if first is None else camera_action("again", first.one)
        anew = DialogButton("ui.enrol.start_over", "anew", touch_action(overlay="anew"))
        return home, DialogButton("ui.enrol.again", "again", again), anew
    last = DialogButton("ui.enrol.retake", "retake", camera_action("retake") if view.can_go_back else None)
    if not view.known and len(view.games) > 1:
        last = DialogButton("ui.enrol.game", "game", camera_action("game"))
    bare = DialogButton("ui.enrol.empty", "bare", camera_action("bare"))
    return home, bare, DialogButton("ui.enrol.later", "later", camera_action("later")), last


def _paint_reset_dialog(sheet: Sheet) -> None:
    """All pictures are thrown away only when somebody means it."""
    sure = DialogButton("ui.enrol.start_over", "sure", touch_action(CameraCommand("anew"), overlay=""))
    title, told = sheet.tr("ui.enrol.start_over"), sheet.tr("ui.enrol.start_over.sure")
    paint_statement(sheet, title, told, sure, PRIMARY_CLOSE_BUTTON, sign="alert")
