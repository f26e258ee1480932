"""Overlay with language, volume, brightness."""

from collections.abc import Sequence

from companion.language import installed_languages
from companion.system.terminal import to_printable
from companion.ui.commands import ChangeSetting, ShowPage
from companion.ui.frame import HELP_LEVELS, GameFrame, PageFrame
from companion.ui.layout import FILL, Box, best_grid, columns, rows
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
    language, volume, sound, brightness, level, text, speech, motion, *more = rows(body, *[height] * count)
    installed = installed_languages.installed_languages()
    languages = [(code, one.about.name) for code, one in installed.items()]
    _paint_options(sheet, language, "language", languages, ui_state.language)
    levels = [(name, sheet.tr(f"ui.level.{name}")) for name in HELP_LEVELS]
    _paint_options(sheet, level, "level", levels, ui_state.level, shape=7.0 if upright else 3.0)
    _paint_slider(sheet, _paint_label(sheet, volume, "ui.volume"), "volume", ui_state.volume, 0)
    dark = _paint_label(sheet, brightness, "ui.brightness")
    _paint_slider(sheet, dark, "brightness", ui_state.brightness, 20)
    _paint_switch(sheet, sound, "ui.sound", "mute", ("on", "off"), now=ui_state.mute)
    _paint_switch(sheet, text, "ui.text", "large", ("usual", "large"), now=ui_state.large)
    _paint_switch(sheet, motion, "ui.motion", "calm", ("usual", "calm"), now=ui_state.calm)
    _paint_switch(sheet, speech, "ui.speech", "slow", ("usual", "slow"), now=ui_state.slow)
    for row in more:
        called = dict(outputs).get(ui_state.sound_output) or sheet.tr("ui.outputs.choose")
        cell = _paint_label(sheet, row, "ui.outputs")
        sheet.button(cell, to_printable(called), "outputs", touch_action(ShowPage("sound")))


def _paint_options(  # noqa: PLR0917
    sheet: Sheet, row: Box, setting: str, offered: Sequence[tuple[str, str]], now: str, shape: float = 3.0
) -> None:
    """One of several, each with its words."""
    cells = best_grid(_paint_label(sheet, row, f"ui.{setting}"), len(offered), sheet.em(0.4), shape=shape)
    for cell, (value, words) in zip(cells, offered, strict=True):
        does = touch_action(ChangeSetting(setting, value))
        sheet.button(cell, words, f"{setting}:{value}", does, chosen=value == now)


def _paint_switch(
    sheet: Sheet, row: Box, label: str, setting: str, words: tuple[str, str], *, now: bool
) -> None:
    """One of two: the setting is off, or on."""
    halves = columns(_paint_label(sheet, row, label), FILL, FILL, gap=sheet.em(0.4))
    for half, value, state, word in zip(halves, (False, True), ("off", "on"), words, strict=True):
        does = touch_action(ChangeSetting(setting, value=value))
        sheet.button(half, sheet.tr(f"{label}.{word}"), f"{setting}:{state}", does, chosen=now == value)


def _paint_label(sheet: Sheet, row: Box, key: str) -> Box:
    """What a row is about; returns the room after it."""
    upright = sheet.rect.h > sheet.rect.w
    words, room = columns(row, row.w * (30 if upright else 24) // 100, FILL)
    sheet.text(words, sheet.tr(key), 1.2, TEXT)
    pad = sheet.em(0.35)
    return room.inset(top=pad, bottom=pad)


def _paint_slider(sheet: Sheet, cell: Box, setting: str, value: int, least: int) -> None:
    """Less, how much as a bar and a figure, and more."""
    side, gap = sheet.em(2.6), sheet.em(0.6)
    less, track, _, told, more = columns(cell, side, FILL, gap // 2, sheet.em(3.2), side)
    down = touch_action(ChangeSetting(setting, max(least, value - STEP))) if value > least else None
    up = touch_action(ChangeSetting(setting, min(100, value + STEP))) if value < 100 else None
    sheet.button(less, "–", f"{setting}:less", down, scale=1.6, bold=True)
    bar = Box(track.x + gap, cell.centery - gap // 2, track.w - gap - sheet.em(0.5), gap)
    sheet.pill(bar, EDGE)
    sheet.pill(bar._replace(w=max(bar.h, bar.w * value // 100)), PAPER)
    sheet.text(told, f"{value} %", 1.1, SOFT, align="center")
    sheet.button(more, "+", f"{setting}:more", up, scale=1.6, bold=True)
