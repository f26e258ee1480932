"""Drill page: the cards to watch with a reaction chart for each player."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from companion.core.actions import SECOND, Chair, Micros
from companion.core.exhibits import DrillResult
from companion.ui.commands import LeaveOrQuit, Rematch
from companion.ui.frame import PageFrame
from companion.ui.layout import Box
from companion.ui.overlays.dialog import PRIMARY_FILL, DialogButton, paint_buttons, paint_dialog
from companion.ui.pages.base import Page, chair_button_action
from companion.ui.toolkit import inputs
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import EDGE, FELT, GOLD, GOOD, INK, NOTICE, SOFT, TEXT, Colour

SLOWEST_REACTION: Micros = 3 * SECOND // 2
"""The right end of the charts."""
COLOURS: Mapping[str, Colour] = {"hit": GOOD, "early": NOTICE, "miss": SOFT}
CARD_ASPECT = 0.66


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillFrame(PageFrame):
    """One moment of a drill."""

    stage: str
    """`gathering`, `running`, `over`."""
    trained: tuple[DrillResult, ...] = ()
    buried: str = ""
    """The face whose twin is waited for."""
    lying: str = ""
    """The face on top."""
    left: int = 0
    pressed: frozenset[Chair] = frozenset()


class DrillPage(Page[DrillFrame]):
    """Everybody presses for themselves; nothing is kept."""

    def paint(self, sheet: Sheet, frame: DrillFrame) -> None:
        body = paint_dialog(sheet, "ui.drill")
        words = sheet.tr(f"ui.drill.{frame.stage}", count=frame.left)
        hint = Box(body.x, body.y, body.w, sheet.em(1.7))
        sheet.text(hint, words, 1.3, GOLD if frame.stage != "over" else TEXT, bold=True, align="center")
        rest = Box(body.x, hint.bottom, body.w, body.bottom - hint.bottom)
        if frame.stage == "running":  # the masks are what everybody looks at
            left = Box(rest.x, rest.y, rest.w * 50 // 100, rest.h)
            self._paint_masks(sheet, left, frame)
            x = left.right + sheet.em(0.4)
            rest = Box(x, rest.y, rest.right - x, rest.h)
        if frame.stage == "gathering":
            self._paint_players(sheet, rest, frame)
        else:
            self._paint_charts(sheet, rest, frame)
        again = (
            (DialogButton("ui.drill.again", "again", touch_action(Rematch()), PRIMARY_FILL),)
            if frame.stage == "over"
            else ()
        )
        paint_buttons(sheet, *again, DialogButton("ui.drill.leave", "leave", touch_action(LeaveOrQuit())))

    def text_key_action(self, frame: DrillFrame, key: inputs.KeyPressed) -> TouchAction | None:
        """While it runs, space and return press nothing by accident."""
        return TouchAction() if frame.stage == "running" and key.key in {"space", "return", "enter"} else None

    def _paint_masks(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        sheet.box(rect, FELT, radius=0.6)
        caption = sheet.em(1.4)
        height = min(rect.h - caption - sheet.em(0.5), round(rect.w * 0.38 / CARD_ASPECT))
        for key, face, x in (
            ("buried", frame.buried, rect.x + rect.w * 3 // 10),
            ("top", frame.lying, rect.x + rect.w * 7 // 10),
        ):
            wide = round(height * CARD_ASPECT)
            card = Box(x - wide // 2, rect.y + (rect.h - height - caption) // 2, wide, height)
            if face:
                picture = sheet.art.printed_face(face, card.size) or sheet.art.card_face(face, card.size)
                sheet.surface.blit(picture, card)
            else:
                sheet.box(card, None, EDGE)
            told = Box(card.centerx - rect.w // 5, card.bottom, rect.w * 2 // 5, caption)
            sheet.text(told, sheet.tr(f"ui.drill.{key}"), 1.0, SOFT, align="center")

    def _paint_players(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        radius = sheet.em(1.8)
        count = max(1, len(frame.trained))
        for place, trained in enumerate(frame.trained):
            x = rect.centerx + round((place - (count - 1) / 2) * radius * 2.7)
            sheet.badge((x, rect.y + rect.h * 2 // 5), radius, trained.chair)
        foot = Box(rect.x, rect.bottom - sheet.em(3), rect.w, sheet.em(3))
        sheet.text(foot, sheet.tr("ui.drill.kept"), 1.0, SOFT, align="center")

    def _paint_charts(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        """A row each: the reactions on their line, the typical one, what came early, what was missed."""
        names = ("typical", "early", "missed") if rect.w > sheet.em(24) else ("typical",)
        headings = [sheet.tr(f"ui.drill.{name}") for name in names]
        font = sheet.painter.font(1.0)
        width = max(sheet.em(5.2), *(font.size(words)[0] + sheet.em(0.4) for words in headings))
        head = sheet.em(1.35)
        height = min((rect.h - head) // max(1, len(frame.trained)), sheet.em(2.3))
        track = Box(rect.x + 2 * height, rect.y + head, rect.w - 2 * height - len(names) * width, height)
        axis = Box(track.x, rect.y, track.w, head)
        sheet.text(
            axis,
            sheet.tr("ui.drill.axis", seconds=f"{SLOWEST_REACTION / SECOND:g}"),
            1.0,
            SOFT,
            align="center",
        )
        for column, words in enumerate(headings):
            cell = Box(track.right + column * width, rect.y, width, head)
            sheet.text(cell, words, 1.0, SOFT, align="center")
        size = max(1.0, min(1.4, height * 0.8 / sheet.unit))
        for place, trained in enumerate(frame.trained):
            row = Box(rect.x, track.y + place * height, rect.w, height)
            sheet.badge((row.x + height, row.centery), height * 42 // 100, trained.chair)
            sheet.target(f"chair:{trained.chair}", row, _touch_press_action(trained.chair), walked=False)
            self._paint_reactions(sheet, track.move(0, place * height), trained)
            typical = median(trained.reactions) if trained.reactions else None
            figures = (
                ("–" if typical is None else f"{typical / 1000:.0f} ms", TEXT),
                (str(trained.early or "–"), NOTICE if trained.early else SOFT),
                (str(trained.misses or "–"), TEXT if trained.misses else SOFT),
            )
            for column, (figure, colour) in enumerate(figures[: len(names)]):
                cell = Box(track.right + column * width, row.y, width, height)
                sheet.text(cell, figure, size, colour, bold=True, align="center")

    def _paint_reactions(self, sheet: Sheet, track: Box, trained: DrillResult) -> None:
        box = track.inflate(0, -max(4, track.h * 3 // 10))
        edge = COLOURS.get(trained.last)
        sheet.box(box, INK, edge, radius=0.15, width=0.06)
        colour = sheet.colour(trained.chair)
        radius = max(4, track.h // 6)
        for reaction in trained.reactions:
            x = box.x + radius + round((box.w - 2 * radius) * min(1.0, reaction / SLOWEST_REACTION))
            sheet.disc((x, box.centery), radius, colour)
        for place in range(trained.early):  # a cross each, before the line begins
            x = box.x + radius + place * 3 * radius
            if x > box.x + box.w // 6:
                break
            for side in (-1, 1):
                start, end = (
                    (x - radius, box.centery - side * radius),
                    (x + radius, box.centery + side * radius),
                )
                sheet.line(NOTICE, 0.1, start, end)


def _touch_press_action(chair: Chair) -> TouchAction:
    press, lift = (chair_button_action(chair, down=down, source="touch") for down in (True, False))
    return TouchAction(press.commands, lifted=lift.commands)
