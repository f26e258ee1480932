"""Overlay with the boxes of a game's cupboard: each is a set of house rules, and the chosen one is gold."""

from functools import partial

import pygame
from msgspec.structs import replace

from companion.core.game import Cover, Preset
from companion.ui.board.stage_layout import layout_wide
from companion.ui.commands import ShowPage
from companion.ui.frame import HomeFrame
from companion.ui.layout import FILL, Box, Share, columns, rows
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    DialogButton,
    felt_room,
    paint_bar,
    paint_felt_page,
    scroll_buttons,
    scroll_range,
)
from companion.ui.overlays.felt_choices import paint_press_legend
from companion.ui.toolkit.game_covers import draw_cover_picture, draw_photo_cover
from companion.ui.toolkit.sheet import MARK, Sheet, touch_action
from companion.ui.toolkit.theme import GOLD, GROUND, INK, LOOK, PAPER, TEXT, type_scale
from companion.ui.toolkit.widgets import draw_focus_ring

ACROSS, BOARDS = 5, 2
SHELF = 2.4
"""How thick a shelf is, in hundredths of the height."""


def paint_cupboard(sheet: Sheet, frame: HomeFrame) -> None:
    """Rows of boxes on boards; touching one takes its rules, and house rules can still be changed."""
    draft = frame.ui_state.draft
    felt, bar = paint_felt_page(sheet, sheet.tr("ui.setup.presets"))
    room = felt_room(sheet, felt)
    if frame.broken_presets:
        room = sheet.paint_warning(room, sheet.sentence(frame.broken_presets[0]))
    upright = room.h > room.w
    across, boards = (BOARDS, ACROSS) if upright else (ACROSS, BOARDS)
    first, last = scroll_range(len(frame.presets), across * boards, frame.ui_state.scroll)
    shown, gap = frame.presets[first : first + across * boards], sheet.em(0.5)
    thick = sheet.u(SHELF)
    for shelf, band in enumerate(rows(room, *[Share(1)] * boards, gap=gap)):
        boxes, board = rows(band, FILL, thick)
        sheet.box(board, LOOK.colour("rim"), radius=0.2)
        for cell, preset in zip(
            columns(boxes, *[Share(1)] * across, gap=gap), shown[shelf * across :], strict=False
        ):
            _paint_box(sheet, cell, preset, chosen=preset == frame.taken_box)
            taken = replace(draft, options=preset.options, box=preset.file, chosen=True)
            does = touch_action(draft=taken, overlay="")
            mark = partial(_mark_box, cell=cell, preset=preset)
            sheet.target(f"preset:{preset.file or preset.title.key}", cell, does, mark=mark)
    own = frame.taken_box is not None and frame.taken_box.file
    photo = touch_action(ShowPage("photo")) if own and frame.has_camera else None
    free = paint_bar(
        sheet,
        bar,
        CLOSE_BUTTON,
        DialogButton("ui.photo", "photo", photo),
        *scroll_buttons(first, last, across * boards),
    )
    paint_press_legend(sheet, free, sheet.tr("ui.next_choice"), sheet.tr("ui.learn.choose"))


def _mark_box(sheet: Sheet, *, cell: Box, preset: Preset) -> None:
    """A ring round it; above the felt stands what it does, for a lid says no more than a name."""
    draw_focus_ring(sheet.surface, sheet, cell)
    if preset.line is not None:
        head, _, _ = layout_wide(sheet.rect, sheet.painter.height / 100)
        sheet.fill(head, GROUND)
        sheet.text(head, sheet.sentence(preset.line), type_scale("prompt"), TEXT, bold=True, align="center")


def _paint_box(sheet: Sheet, cell: Box, preset: Preset, *, chosen: bool) -> None:
    """A coloured lid or its photo, and what it is called on paper; the chosen one stands a little higher."""
    if chosen:
        cell = cell.move(0, -sheet.em(0.3))
    art, label = rows(cell, FILL, 2 * sheet.painter.line_height(1.2) + sheet.em(0.3))
    corner = sheet.u(LOOK.radius["plate"])
    cover = Cover(motif=preset.motif, ground=preset.colour)

    def draw() -> pygame.Surface:
        if preset.photo:
            return draw_photo_cover(sheet.art, preset.photo, art.size, corner)
        return draw_cover_picture(sheet.art, cover, art.size, corner)

    lid = sheet.art.sprites.get_or_draw(("preset", cover, preset.photo, art.size), draw)
    sheet.box(cell, GOLD if chosen else PAPER, GOLD if chosen else INK, width=MARK)
    sheet.surface.blit(lid, art)
    words = label.inflate(-sheet.em(0.4), 0)
    sheet.text(words, sheet.sentence(preset.title), 1.2, INK, bold=True, align="center", grows=False)
