"""Pages that list things to choose from: stored games, settings, sound outputs."""

from companion.core.view import Sentence
from companion.system.terminal import to_printable
from companion.ui.commands import ChangeSetting, ResumeGame, ShowPage, SpeakSentences
from companion.ui.frame import HomeFrame, StoredGame
from companion.ui.layout import Box
from companion.ui.overlays.dialog import (
    DialogButton,
    paint_buttons,
    paint_dialog,
    scroll_buttons,
    scroll_range,
)
from companion.ui.overlays.settings import paint_settings_rows
from companion.ui.pages.base import Page
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import GOLD, PANEL, RAISED, SOFT, TEXT

CAMERA_PAGES = ("calibrate", "enrol", "watch")
HOME_ACTION = DialogButton("ui.home", "home", touch_action(ShowPage("home")))


class GamesPage(Page[HomeFrame]):
    """A list, newest first."""

    exit_action = touch_action(ShowPage("home"))

    def paint(self, sheet: Sheet, frame: HomeFrame) -> None:
        body = paint_dialog(sheet, "ui.games")
        if frame.trouble is not None:
            line = Box(body.x, body.bottom - sheet.em(2.4), body.w, sheet.em(2.4))
            sheet.text(line, sheet.sentence(frame.trouble), 1.0, GOLD)
            body = body._replace(h=body.h - line.h)
        gap = sheet.em(0.3)
        height = sheet.em(2.9)
        room = max(1, (body.h + gap) // (height + gap))
        first, last = scroll_range(len(frame.games), room, frame.ui_state.scroll)
        if not frame.games:
            sheet.text(body, sheet.tr("ui.games.none"), 1.3, SOFT, align="center")
        for place, game in enumerate(frame.games[first : first + room]):
            row = Box(body.x, body.y + place * (height + gap), body.w, height)
            self._paint_row(sheet, row, game)
        paint_buttons(sheet, *(scroll_buttons(first, last, room) if last else ()), HOME_ACTION)

    def _paint_row(self, sheet: Sheet, row: Box, game: StoredGame) -> None:
        over = game.finished or game.closed
        sheet.box(row, PANEL if over else RAISED, RAISED)
        when = Box(row.x + sheet.em(0.5), row.y, row.w * 28 // 100, row.h)
        name = sheet.tr(f"{game.game}.name") if game.game else "?"
        sheet.text(when, f"{name}\n{to_printable(game.when)}", 1.0, TEXT)
        radius, step = sheet.em(0.72), sheet.em(1.75 if sheet.rect.w > sheet.rect.h else 1.5)
        for place, chair in enumerate(game.chairs):
            centre = (when.right + radius + place * step, row.centery + sheet.em(0.3))
            sheet.badge(centre, radius, chair)
            if chair in game.winners:
                sheet.picture(sheet.art.motif("crown", sheet.em(0.9)), (centre[0], row.y + sheet.em(0.5)))
        left = when.right + step * 8
        state = Box(left, row.y, row.right - left - sheet.em(0.5), row.h)
        key = "closed" if game.closed else "won" if game.winners else "ended" if game.finished else "continue"
        colour = SOFT if over else GOLD
        sheet.text(state, sheet.tr(f"ui.games.{key}"), 1.1, colour, bold=not over, align="right")
        if not over:
            sheet.target(f"game:{game.game_id}", row, touch_action(ResumeGame(game.game_id)))


class SettingsPage(Page[HomeFrame]):
    """Language, sound, brightness, and the ways to camera and cards."""

    default_focus = "home"
    """A language that is marked is chosen by mistake, and then nobody reads the page."""

    exit_action = touch_action(ShowPage("home"))

    def paint(self, sheet: Sheet, frame: HomeFrame) -> None:
        body = paint_dialog(sheet, "ui.settings")
        more = paint_settings_rows(
            sheet,
            body,
            frame,
            outputs=frame.outputs,
            camera=CAMERA_PAGES,
            learns_buttons=frame.learns_buttons,
        )
        paint_buttons(sheet, *more, HOME_ACTION)


class SoundPage(Page[HomeFrame]):
    """Every sound output: one that is chosen says its number, so that people know which they hear."""

    default_focus = "done"
    exit_action = touch_action(ShowPage("settings"))

    def paint(self, sheet: Sheet, frame: HomeFrame) -> None:
        body = paint_dialog(sheet, "ui.outputs")
        gap, height = sheet.em(0.4), sheet.em(2.9)
        sheet.text(Box(body.x, body.y, body.w, height), sheet.tr("ui.outputs.ask"), 1.2, TEXT)
        shown = frame.outputs[: max(1, body.h // (height + gap) - 1)]
        for number, (name, called) in enumerate(shown, 1):
            row = Box(body.x, body.y + number * (height + gap), body.w, height)
            said = SpeakSentences((Sentence(f"count.{number}"),))
            does = touch_action(ChangeSetting("sound_output", name), said)
            label, chosen = f"{number}   {to_printable(called)}", name == frame.ui_state.sound_output
            sheet.button(row, label, f"output:{number}", does, chosen=chosen)
        done = DialogButton("ui.outputs.done", "done", self.exit_action)
        paint_buttons(sheet, done)
