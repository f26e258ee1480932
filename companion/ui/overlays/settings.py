"""Overlay with language, volume, brightness."""

from collections.abc import Callable, Sequence

from companion.language import installed_languages
from companion.system.terminal import to_printable
from companion.ui.commands import ChangeSetting, ShowPage
from companion.ui.frame import HELP_LEVELS, GameFrame, PageFrame
from companion.ui.layout import FILL, Box, best_grid, columns, rows
from companion.ui.overlays.dialog import PRIMARY_CLOSE_BUTTON, DialogButton, paint_buttons, paint_dialog
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import EDGE, PAPER, SOFT, TEXT

VERBOSITIES = ("little", "normal", "all")
STEP = 10
"""By how much a press changes a slider."""
ROW_HEIGHT = 2.8
"""Least height of a row, in em: what is in it is for a finger."""


def paint_settings(sheet: Sheet, frame: GameFrame) -> None:
    """The settings over a game."""
    more = paint_settings_rows(sheet, paint_dialog(sheet, "ui.settings"), frame)
    paint_buttons(sheet, *more, PRIMARY_CLOSE_BUTTON)


def paint_settings_rows(
    sheet: Sheet,
    body: Box,
    frame: PageFrame,
    *,
    outputs: Sequence[tuple[str, str]] = (),
    camera: Sequence[str] = (),
    learns_buttons: bool = False,
) -> tuple[DialogButton, ...]:
    """One row for each setting, as many as a finger can tell apart; returns the way to the others.

    `outputs`: sound outputs, each with how people call it. `camera`: the pages about camera and cards.
    `learns_buttons`: a row leads to the page that learns USB buttons.
    """
    now = frame.ui_state
    languages = [(code, one.about.name) for code, one in installed_languages.installed_languages().items()]
    levels = [(name, sheet.tr(f"ui.level.{name}")) for name in HELP_LEVELS]
    amounts = [(name, sheet.tr(f"ui.verbosity.{name}")) for name in VERBOSITIES]
    shape = 7.0 if sheet.rect.h > sheet.rect.w else 3.0
    painters: list[Callable[[Box], None]] = [
        lambda row: _paint_options(sheet, row, "language", languages, now.language),
        lambda row: _paint_slider(sheet, _paint_label(sheet, row, "ui.volume"), "volume", now.volume, 0),
        lambda row: _paint_switch(sheet, row, "ui.sound", "mute", ("on", "off"), now=now.mute),
        lambda row: _paint_slider(
            sheet, _paint_label(sheet, row, "ui.brightness"), "brightness", now.brightness, 20
        ),
        lambda row: _paint_options(sheet, row, "level", levels, now.level, shape),
        lambda row: _paint_options(sheet, row, "verbosity", amounts, now.verbosity),
        lambda row: _paint_switch(sheet, row, "ui.text", "large", ("usual", "large"), now=now.large),
        lambda row: _paint_switch(sheet, row, "ui.speech", "slow", ("usual", "slow"), now=now.slow),
        lambda row: _paint_switch(sheet, row, "ui.motion", "calm", ("usual", "calm"), now=now.calm),
    ]
    if camera:
        named = [(sheet.tr(f"ui.{page}.short"), page) for page in camera]
        painters.append(lambda row: _paint_pages(sheet, row, "ui.camera", named))
    if learns_buttons:
        learn = sheet.tr("ui.buttons.learn")
        painters.append(lambda row: _paint_pages(sheet, row, "ui.buttons", [(learn, "buttons")]))
    if len(outputs) > 1:
        called = to_printable(dict(outputs).get(now.sound_output) or sheet.tr("ui.outputs.choose"))
        painters.append(lambda row: _paint_pages(sheet, row, "ui.outputs", [(called, "sound")]))
    room = max(1, min(len(painters), body.h // sheet.em(ROW_HEIGHT)))
    leaves = -(-len(painters) // room)
    each = -(-len(painters) // leaves)
    leaf = now.scroll % leaves
    shown = painters[leaf * each : (leaf + 1) * each]
    height = min(body.h // each, sheet.em(4.8))
    for paint, row in zip(shown, rows(body, *[height] * len(shown)), strict=True):
        paint(row)
    if leaves == 1:
        return ()
    return (DialogButton("ui.page.more", "more", touch_action(scroll=(leaf + 1) % leaves)),)


def _paint_pages(sheet: Sheet, row: Box, label: str, pages: Sequence[tuple[str, str]]) -> None:
    """Ways to other pages, side by side: of each its words and its name."""
    cells = columns(_paint_label(sheet, row, label), *[FILL] * len(pages), gap=sheet.em(0.4))
    for cell, (words, page) in zip(cells, pages, strict=True):
        sheet.button(cell, words, page, touch_action(ShowPage(page)))


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
