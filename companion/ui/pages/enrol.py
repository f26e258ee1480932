"""Enrolment page: the card to show next, progress, the self-check at the end."""

from collections.abc import Mapping, Sequence
from typing import Any

import pygame

from companion.core.actions import Micros
from companion.core.camera_tasks import CameraCommand, EnrolView
from companion.core.observations import UNKNOWN
from companion.core.view import Sentence
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.commands import ShowPage
from companion.ui.frame import CameraPageFrame
from companion.ui.layout import FILL, Box, grid, rows, stack
from companion.ui.overlays.dialog import CLOSE_BUTTON, DialogButton, paint_buttons, paint_dialog
from companion.ui.pages.base import OverlayPainter
from companion.ui.pages.calibrate import CameraPage, camera_action, to_screen_points
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.sprites import draw_line
from companion.ui.toolkit.theme import EDGE, GOLD, GOOD, NOTICE, SOFT, TEXT

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
        done, clash = view.phase == "done", view.phase == "clash"
        colour, share = NOTICE if clash else TEXT, 46 if done else 58
        right = self.paint_picture(sheet, frame, sheet.tr("ui.enrol"), told, colour=colour, share=share)
        if done:
            _paint_self_check(sheet, right, view, dict(frame.camera_input.cards))
        else:
            _paint_asked_card(sheet, right, view, dict(frame.camera_input.cards))
        _paint_buttons(sheet, view)

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


def _paint_asked_card(sheet: Sheet, rect: Box, view: EnrolView, pictures: dict[str, Any]) -> None:
    """The card to show, as the plain deck has it, and how many are done."""
    name, room, count, bar = rows(rect, sheet.em(2.4), FILL, sheet.em(1.7), sheet.em(0.7), gap=sheet.em(0.2))
    sheet.text(name, card_name(sheet, view.card), 1.8, TEXT, bold=True, align="center")
    sheet.text(
        count, sheet.tr("ui.enrol.count", taken=view.taken, total=view.total), 1.1, SOFT, align="center"
    )
    _paint_progress(sheet, bar, view.taken / max(1, view.total), GOOD)
    if view.phase == "clash":
        _paint_name_conflict(sheet, room, view, pictures)
    elif view.card:
        high = min(room.h, round(room.w / CARD_ASPECT))
        sheet.card(stack(room, round(high * CARD_ASPECT), high), view.card)


def _paint_name_conflict(sheet: Sheet, room: Box, view: EnrolView, pictures: dict[str, Any]) -> None:
    """A face that is known by another name: what the table can say to that, and the card it is known as."""
    row, gap = sheet.em(2.6), sheet.em(0.35)
    answers = [("alike", sheet.tr("ui.enrol.alike"))]
    if view.hint.key == "ui.enrol.shown_before":
        answers.insert(0, ("mine", sheet.tr("ui.enrol.mine", card=card_name(sheet, view.card))))
    *cells, rest = rows(room, *[row] * len(answers), FILL, gap=gap)
    for cell, (key, words) in zip(cells, answers, strict=True):
        sheet.button(cell, words, key, camera_action("mine", key))
    if view.other in pictures:
        _paint_cards(sheet, rest, (view.other,), rest.w, card_name(sheet, view.other), pictures)


def _paint_cards(  # noqa: PLR0917
    sheet: Sheet, rect: Box, cards: Sequence[str], most: int, words: str, pictures: dict[str, Any]
) -> Box:
    """Pictures of cards, each `most` pixels wide at most, and words after them; returns the words' room."""
    gap = sheet.em(0.25)
    for card in cards:
        if card in pictures:
            drawn = _scale_picture(pictures[card], (most, rect.h))
            sheet.picture(drawn, (rect.x + drawn.get_width() // 2, rect.centery))
            rect = rect.inset(left=drawn.get_width() + gap)
    told = rect.inset(left=gap)
    sheet.text(told, words, 1.0, TEXT)
    return told


def _paint_self_check(sheet: Sheet, rect: Box, view: EnrolView, pictures: dict[str, Any]) -> None:
    """The cards that are hardest to tell apart, side by side, by how much, and what to do."""
    head, body = rows(rect, sheet.em(1.6), FILL)
    sheet.text(head, sheet.tr("ui.enrol.hardest"), 1.1, SOFT)
    for row, twins in zip(grid(body, len(view.twins), 1, gap=sheet.em(0.3)), view.twins, strict=True):
        share = round(100 * twins.apart)
        names = " · ".join(card_name(sheet, card) for card in (twins.one, twins.other))
        words = f"{names}: {share}\N{NO-BREAK SPACE}%\n{sheet.words.text(twins.advice)}"
        upper = row.inset(bottom=sheet.em(0.7))
        told = _paint_cards(sheet, upper, (twins.one, twins.other), row.w // 5, words, pictures)
        bar = Box(told.x, row.bottom - sheet.em(0.55), told.w, sheet.em(0.5))
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


def _paint_buttons(sheet: Sheet, view: EnrolView) -> None:
    """Home comes first: OK pressed by mistake takes nothing back."""
    home = DialogButton("ui.home", "home", touch_action(ShowPage("home")))
    if view.phase == "done":
        first = view.twins[0] if view.twins else None
        again = None if first is None else camera_action("again", first.one)
        anew = DialogButton("ui.enrol.start_over", "anew", touch_action(overlay="anew"))
        paint_buttons(sheet, home, DialogButton("ui.enrol.again", "again", again), anew)
        return
    last = DialogButton("ui.enrol.retake", "retake", camera_action("retake") if view.can_go_back else None)
    if view.taken == 0 and len(view.games) > 1:
        last = DialogButton("ui.enrol.game", "game", camera_action("game"))
    bare = DialogButton("ui.enrol.empty", "bare", camera_action("bare"))
    paint_buttons(sheet, home, bare, DialogButton("ui.enrol.later", "later", camera_action("later")), last)


def _paint_reset_dialog(sheet: Sheet) -> None:
    """All pictures are thrown away only when somebody means it."""
    body = paint_dialog(sheet, "ui.enrol.start_over")
    sheet.text(body, sheet.tr("ui.enrol.start_over.sure"), 1.4, TEXT, align="center")
    paint_buttons(
        sheet,
        CLOSE_BUTTON,
        DialogButton("ui.enrol.start_over", "sure", touch_action(CameraCommand("anew"), overlay="")),
    )
