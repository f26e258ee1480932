"""Overlay with language, volume, brightness."""

from collections.abc import Sequence

from companion.language import installed_languages
from companion.system.terminal import to_printable
from companion.ui.commands import ChangeSetting, ShowPage
from companion.ui.frame import HELP_LEVELS, GameFrame, PageFrame
from companion.ui.layout import Box, best_grid
from companion.ui.overlays.dialog import PRIMARY_CLOSE_BUTTON, paint_buttons, paint_dialog
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import EDGE, PAPER, SOFT, TEXT

STEP, ROWS = 10, 8


def paint_settings(sheet: Sheet, frame: GameFrame) -> None:
    """The settings over a game."""
    paint_settings_rows(sheet, paint_dialog(sheet, "ui.settings"), frame)
    paint_buttons(sheet, PRIMARY_CLOSE_BUTTON)


def paint_settings_rows(
    sheet: Sheet, body: Box, frame: PageFrame, *, outputs: Sequence[tuple[str, str]] = ()
) -> None:
    """One row for each setting; `outputs` are sound outputs, each with how people call it."""
    ui_state = frame.ui_state
    upright = sheet.rect.h > sheet.rect.w
    count = ROWS + (len(outputs) > 1)
    height = min(body.h // count, sheet.em(4.8 if upright else 3.6))
    rows = [Box(body.x, body.y + place * height, body.w, height) for place in range(count)]
    cells = _paint_label(sheet, rows[0], "ui.language")
    gap = sheet.em(0.4)
    offered = installed_languages.installed_languages()
    for cell, (code, one) in zip(
        best_grid(cells, len(offered), gap, shape=3.0), offered.items(), strict=True
    ):
        chosen = code == ui_state.language
        does = touch_action(ChangeSetting("language", code))
        sheet.button(cell, one.about.name, f"language:{code}", does, chosen=chosen)
    _paint_slider(sheet, _paint_label(sheet, rows[1], "ui.volume"), "volume", ui_state.volume, 0)
    _paint_switch(
        sheet, rows[2], "ui.sound", ("mute", "off", "on"), chosen=ui_state.mute, words=("on", "off")
    )
    _paint_slider(sheet, _paint_label(sheet, rows[3], "ui.brightness"), "brightness", ui_state.brightness, 20)
    steps = best_grid(
        _paint_label(sheet, rows[4], "ui.level"), len(HELP_LEVELS), gap, shape=7.0 if upright else 3.0
    )
    for cell, level in zip(steps, HELP_LEVELS, strict=True):
        step = touch_action(ChangeSetting("level", level))
        words = sheet.tr(f"ui.level.{level}")
        sheet.button(cell, words, f"level:{level}", step, chosen=level == ui_state.level)
    _paint_switch(
        sheet, rows[5], "ui.text", ("large", "off", "on"), chosen=ui_state.large, words=("usual", "large")
    )
    _paint_switch(
        sheet, rows[7], "ui.motion", ("calm", "off", "on"), chosen=ui_state.calm, words=("usual", "calm")
    )
    _paint_switch(
        sheet, rows[6], "ui.speech", ("slow", "off", "on"), chosen=ui_state.slow, words=("usual", "slow")
    )
    if len(outputs) > 1:
        called = dict(outputs).get(ui_state.sound_output) or sheet.tr("ui.outputs.choose")
        cell = _paint_label(sheet, rows[ROWS], "ui.outputs")
        sheet.button(cell, to_printable(called), "outputs", touch_action(ShowPage("sound")))


def _paint_switch(
    sheet: Sheet,
    row: Box,
    label: str,
    keys: tuple[str, str, str],
    *,
    chosen: bool,
    words: tuple[str, str],
) -> None:
    """One of two: the setting is off, or on."""
    setting, *states = keys
    cell, gap = _paint_label(sheet, row, label), sheet.em(0.4)
    half = Box(cell.x, cell.y, (cell.w - gap) // 2, cell.h)
    for value, state, word in zip((False, True), states, words, strict=True):
        does = touch_action(ChangeSetting(setting, value=value))
        sheet.button(half, sheet.tr(f"{label}.{word}"), f"{setting}:{state}", does, chosen=chosen == value)
        half = half.move(half.w + gap, 0)


def _paint_label(sheet: Sheet, row: Box, key: str) -> Box:
    words = Box(row.x, row.y, row.w * 3 // 10, row.h)
    sheet.text(words, sheet.tr(key), 1.2, TEXT)
    pad = sheet.em(0.35)
    return Box(words.right, row.y + pad, row.right - words.right, row.h - 2 * pad)


def _paint_slider(sheet: Sheet, cell: Box, setting: str, value: int, least: int) -> None:
    side = sheet.em(2.6)
    less = Box(cell.x, cell.y, side, cell.h)
    more = Box(cell.right - side, cell.y, side, cell.h)
    down = touch_action(ChangeSetting(setting, max(least, value - STEP))) if value > least else None
    up = touch_action(ChangeSetting(setting, min(100, value + STEP))) if value < 100 else None
    sheet.button(less, "–", f"{setting}:less", down, scale=1.6, bold=True)
    bar = Box(less.right + sheet.em(0.6), cell.centery - sheet.em(0.3), 0, sheet.em(0.6))
    shown = sheet.em(3.2)
    bar = bar._replace(w=more.x - bar.x - shown - sheet.em(0.8))
    sheet.pill(bar, EDGE)
    full = Box(bar.x, bar.y, max(bar.h, bar.w * value // 100), bar.h)
    sheet.pill(full, PAPER)
    words = Box(bar.right + sheet.em(0.3), cell.y, shown, cell.h)
    sheet.text(words, f"{value} %", 1.1, SOFT, align="center")
    sheet.button(more, "+", f"{setting}:more", up, scale=1.6, bold=True)
