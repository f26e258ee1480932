"""Pages that list things to choose from: stored games, settings, sound outputs."""

from collections.abc import Iterable, Sequence
from itertools import count, repeat

import pygame

from companion.core.game import NO_COVER, Cover
from companion.core.view import Sentence
from companion.language.language import format_date
from companion.language.voice.voice_pack import SAMPLE_SENTENCE
from companion.system.terminal import to_printable
from companion.ui.commands import ChangeSetting, CompareVoices, ResumeGame, ShowPage, SpeakSentences
from companion.ui.frame import HomeFrame, StoredGame
from companion.ui.layout import FILL, Box, best_grid, columns, rows, stack
from companion.ui.overlays.dialog import (
    PRIMARY_FILL,
    DialogButton,
    felt_room,
    paint_bar,
    paint_buttons,
    paint_dialog,
    paint_felt_page,
    scroll_buttons,
    scroll_range,
)
from companion.ui.overlays.felt_choices import draw_fan
from companion.ui.overlays.settings import paint_settings_rows
from companion.ui.pages.base import Page
from companion.ui.toolkit.game_covers import draw_cover_picture
from companion.ui.toolkit.sheet import EM_PER_U, Sheet, touch_action
from companion.ui.toolkit.theme import GOLD, INK, LOOK, PAPER, RAISED, TEXT, ink_on, type_scale
from companion.ui.toolkit.widgets import paint_avatar

CAMERA_PAGES = ("calibrate", "enrol", "watch")
FEW_BOXES, MOST_BOXES, BOX = 3, 6, 1.5
"""Boxes of past games: no larger than if there were so many, so many at once, and the width to the height."""
HOME_ACTION = DialogButton("ui.home", "home", touch_action(ShowPage("home")), PRIMARY_FILL)


class GamesPage(Page[HomeFrame]):
    """Every game a box with its deck's art and its winner's colour, the newest first."""

    exit_action = touch_action(ShowPage("home"))

    def paint(self, sheet: Sheet, frame: HomeFrame) -> None:
        title = "ui.games" if frame.games else "ui.games.none"
        felt, bar = paint_felt_page(sheet, sheet.tr(title))
        room = felt_room(sheet, felt)
        if frame.trouble is not None:
            room = sheet.paint_warning(room, sheet.sentence(frame.trouble))
        covers = {offer.game: offer.cover for offer in frame.offered}
        if not frame.games:
            draw_fan(sheet, room, INK, faces=[one.faces[0] for one in covers.values() if one.faces])
        first, last = scroll_range(len(frame.games), MOST_BOXES, frame.ui_state.scroll)
        shown = frame.games[first : first + MOST_BOXES]
        cells = best_grid(room, max(FEW_BOXES, len(shown)), sheet.u(LOOK.choice["gap"]), shape=BOX)
        for game, cell in zip(shown, cells, strict=False):
            self._paint_game(sheet, cell, game, covers.get(game.game, NO_COVER))
        up, down = scroll_buttons(first, last, MOST_BOXES)
        paint_bar(sheet, bar, HOME_ACTION._replace(fill=RAISED), down, up)

    def _paint_game(self, sheet: Sheet, box: Box, game: StoredGame, cover: Cover) -> None:
        over, corner = game.finished or game.closed, sheet.u(LOOK.radius["plate"])
        won = next(iter(game.winners), None)
        fill = RAISED if game.closed else PAPER if won is None else sheet.colour(won)
        pad, line = sheet.em(0.4), sheet.line_height
        large = type_scale("said") * line
        art, label = rows(box, FILL, round(large) + line + pad * 3 // 2)
        inner = label.inset(left=pad, right=pad, top=pad // 2, bottom=pad // 2)
        name, people = rows(inner, round(large), FILL)
        side = 0 if won is None else name.h
        name, crown, badge = columns(name, FILL, side * 3 // 4, side, gap=pad // 2 if side else 0)
        sheet.shadow(box, "plate", corner)
        sheet.box(box, fill, None, radius=EM_PER_U * LOOK.radius["plate"])

        def draw() -> pygame.Surface:
            return draw_cover_picture(sheet.art, cover, art.size, corner)

        sheet.surface.blit(sheet.art.sprites.get_or_draw(("box", cover, art.size), draw), art)
        ink = ink_on(fill)
        title = sheet.tr(f"{game.game}.name") if game.game else sheet.tr("ui.games.closed")
        sheet.text(name, title, type_scale("said"), ink, bold=True, grows=False)
        date = format_date(to_printable(game.when), sheet.words, "ui.games")
        tag = stack(art, min(sheet.text_width(date, bold=True) + 2 * pad, art.w), line + pad // 2, "topleft")
        sheet.box(tag, INK)
        sheet.text(tag, date, 1.0, TEXT, bold=True, align="center", grows=False)
        if not over:
            words = sheet.tr("ui.games.continue")
            people, onward = columns(people, FILL, sheet.text_width(words, bold=True) + pad, gap=pad // 2)
            sheet.box(onward, GOLD)
            sheet.text(onward, words, 1.0, INK, bold=True, align="center", grows=False)
            sheet.target(f"game:{game.game_id}", box, touch_action(ResumeGame(game.game_id)))
        side = min(line, people.w // max(1, len(game.chairs)))
        for chair, spot in zip(game.chairs, columns(people, *[side] * len(game.chairs)), strict=True):
            sheet.shape(spot.center, side * 9 // 20, chair, edge=INK if chair == won else PAPER)
        if won is not None:
            paint_avatar(sheet, badge.center, badge.w, won)
            sheet.picture(sheet.art.motif("crown", crown.w), crown.center)


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
            voices=frame.voices,
            outputs=frame.outputs,
            camera=CAMERA_PAGES,
            learns_buttons=frame.learns_buttons,
        )
        paint_buttons(sheet, *more, HOME_ACTION)


class SoundPage(Page[HomeFrame]):
    """Every sound output: one that is chosen says its number, so that people know which they hear."""

    default_focus = "done"
    exit_action = touch_action(ShowPage("home"))

    def paint(self, sheet: Sheet, frame: HomeFrame) -> None:
        says = (SpeakSentences((Sentence(f"count.{number}"),)) for number in count(1))
        asks = ("ui.outputs.ask", *(("ui.outputs.board",) if frame.lacks_board_line else ()))
        body = paint_dialog(sheet, "ui.outputs")
        _paint_heard(sheet, body, asks, "sound_output", frame.outputs, frame.output, says)
        is_listed = frame.output in dict(frame.outputs)
        stays = (ChangeSetting("sound_output", frame.output),) if is_listed else ()
        done = touch_action(*stays, ShowPage("home"))
        paint_buttons(sheet, DialogButton("ui.outputs.done", "done", done, PRIMARY_FILL))


class VoicePage(Page[HomeFrame]):
    """Every voice of the language: one that is chosen says a sentence. A first start begins here."""

    default_focus = "done"
    exit_action = touch_action(ShowPage("home"))

    def paint(self, sheet: Sheet, frame: HomeFrame) -> None:
        voices, now = (("", sheet.tr("ui.voice_pack.built")), *frame.voices), frame.ui_state.voice_pack
        says = repeat(SpeakSentences((SAMPLE_SENTENCE,)))
        body = paint_dialog(sheet, "ui.voice_pack")
        _paint_heard(sheet, body, ("ui.voice_pack.ask",), "voice_pack", voices, now, says)
        every = DialogButton("ui.voice_pack.every", "every", touch_action(CompareVoices()))
        stays = touch_action(ChangeSetting("voice_pack", now), ShowPage("home"))
        paint_buttons(sheet, DialogButton("ui.voice_pack.done", "done", stays, PRIMARY_FILL), every)


def _paint_heard(  # noqa: PLR0917
    sheet: Sheet,
    body: Box,
    asks: Sequence[str],
    setting: str,
    offered: Sequence[tuple[str, str]],
    now: str,
    says: Iterable[SpeakSentences],
) -> None:
    """What is chosen by ear: of each its value and what it is called, and what is heard when it is chosen.

    `asks`: keys of the sentences above.
    """
    gap = sheet.em(0.4)
    *above, listed = rows(body, *[sheet.em(2.4)] * len(asks), FILL, gap=gap)
    for row, key in zip(above, asks, strict=True):
        sheet.text(row, sheet.tr(key), 1.2, TEXT)
    most = max(1, (listed.h + gap) // (sheet.em(1.8) + gap))
    shown = offered[:most]
    height = min(sheet.em(2.9), (listed.h + gap) // max(1, len(shown)) - gap)
    cells = rows(listed, *[height] * len(shown), gap=gap)
    for number, ((value, called), row, said) in enumerate(zip(shown, cells, says, strict=False), 1):
        does, label = touch_action(ChangeSetting(setting, value), said), f"{number}   {to_printable(called)}"
        sheet.button(row, label, f"output:{number}", does, chosen=value == now)
