"""Language, volume, mute and brightness: within reach at any moment."""

import pygame

from companion.games import languages
from companion.ui import ring
from companion.ui.commands import Change
from companion.ui.frame import Frame, GameFrame
from companion.ui.glass import LEVELS
from companion.ui.overlays.leaf import READ, feet, leaf
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import EDGE, PAPER, SOFT, TEXT

STEP, ROWS = 10, 8


def settings(sheet: Sheet, frame: GameFrame) -> None:
    """The settings over a game."""
    settings_body(sheet, leaf(sheet, "ui.settings"), frame)
    feet(sheet, READ)


def settings_body(sheet: Sheet, body: pygame.Rect, frame: Frame) -> None:
    """One row for each setting."""
    glass = frame.glass
    upright = sheet.rect.h > sheet.rect.w
    height = min(body.h // ROWS, sheet.em(4.8 if upright else 3.6))
    rows = [pygame.Rect(body.x, body.y + place * height, body.w, height) for place in range(ROWS)]
    cells = _labelled(sheet, rows[0], "ui.language")
    gap = sheet.em(0.4)
    offered = languages.known()
    for cell, (code, one) in zip(
        ring.grid(len(offered), cells, gap, shape=3.0), offered.items(), strict=True
    ):
        chosen = code == glass.language
        does = deed(Change("language", code))
        sheet.button(cell, one.about.name, f"language:{code}", does, chosen=chosen)
    _slider(sheet, _labelled(sheet, rows[1], "ui.volume"), "volume", glass.volume, 0)
    _either(sheet, rows[2], "ui.sound", ("mute", "off", "on"), chosen=glass.mute, words=("on", "off"))
    _slider(sheet, _labelled(sheet, rows[3], "ui.brightness"), "brightness", glass.brightness, 20)
    steps = ring.grid(len(LEVELS), _labelled(sheet, rows[4], "ui.level"), gap, shape=7.0 if upright else 3.0)
    for cell, level in zip(steps, LEVELS, strict=True):
        step = deed(Change("level", level))
        words = sheet.tr(f"ui.level.{level}")
        sheet.button(cell, words, f"level:{level}", step, chosen=level == glass.level)
    _either(sheet, rows[5], "ui.text", ("large", "off", "on"), chosen=glass.large, words=("usual", "large"))
    _either(sheet, rows[7], "ui.motion", ("calm", "off", "on"), chosen=glass.calm, words=("usual", "calm"))
    _either(sheet, rows[6], "ui.speech", ("slow", "off", "on"), chosen=glass.slow, words=("usual", "slow"))


def _either(
    sheet: Sheet,
    row: pygame.Rect,
    label: str,
    keys: tuple[str, str, str],
    *,
    chosen: bool,
    words: tuple[str, str],
) -> None:
    """One of two: the setting is off, or on."""
    setting, *states = keys
    cell, gap = _labelled(sheet, row, label), sheet.em(0.4)
    half = pygame.Rect(cell.x, cell.y, (cell.w - gap) // 2, cell.h)
    for value, state, word in zip((False, True), states, words, strict=True):
        does = deed(Change(setting, value=value))
        sheet.button(half, sheet.tr(f"{label}.{word}"), f"{setting}:{state}", does, chosen=chosen == value)
        half = half.move(half.w + gap, 0)


def _labelled(sheet: Sheet, row: pygame.Rect, key: str) -> pygame.Rect:
    words = pygame.Rect(row.x, row.y, row.w * 3 // 10, row.h)
    sheet.text(words, sheet.tr(key), 1.2, TEXT)
    pad = sheet.em(0.35)
    return pygame.Rect(words.right, row.y + pad, row.right - words.right, row.h - 2 * pad)


def _slider(sheet: Sheet, cell: pygame.Rect, setting: str, value: int, least: int) -> None:
    side = sheet.em(2.6)
    less = pygame.Rect(cell.x, cell.y, side, cell.h)
    more = pygame.Rect(cell.right - side, cell.y, side, cell.h)
    down = deed(Change(setting, max(least, value - STEP))) if value > least else None
    up = deed(Change(setting, min(100, value + STEP))) if value < 100 else None
    sheet.button(less, "–", f"{setting}:less", down, scale=1.6, bold=True)
    bar = pygame.Rect(less.right + sheet.em(0.6), cell.centery - sheet.em(0.3), 0, sheet.em(0.6))
    shown = sheet.em(3.2)
    bar.w = more.x - bar.x - shown - sheet.em(0.8)
    sheet.pill(bar, EDGE)
    full = pygame.Rect(bar.x, bar.y, max(bar.h, bar.w * value // 100), bar.h)
    sheet.pill(full, PAPER)
    words = pygame.Rect(bar.right + sheet.em(0.3), cell.y, shown, cell.h)
    sheet.text(words, f"{value} %", 1.1, SOFT, align="center")
    sheet.button(more, "+", f"{setting}:more", up, scale=1.6, bold=True)
