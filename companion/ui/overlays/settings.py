"""Overlay with language, volume, brightness."""

from collections.abc import Callable, Mapping, Sequence

from companion.core.view import Sentence
from companion.language import installed_languages
from companion.system.terminal import to_printable
from companion.ui.board.toolbar import draw_icon
from companion.ui.commands import ChangeSetting, Command, ShowPage, SpeakSentences
from companion.ui.frame import HELP_LEVELS, GameFrame, PageFrame
from companion.ui.layout import FILL, Box, columns, grid, rows
from companion.ui.overlays.dialog import PRIMARY_CLOSE_BUTTON, DialogButton, paint_buttons, paint_dialog
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import EDGE, FELT, GOLD, INK, PAPER, TEXT, blend

VERBOSITIES = ("little", "normal", "all")
STEP = 10
"""By how much a press changes a slider."""
ROW_HEIGHT = 2.8
"""Least height of a row, in em: what is in it is for a finger."""
TRACK, TRACK_RADIUS = blend(FELT, INK, 0.55), 0.6
"""The strip that answers lie on, and its corners, in em."""
SIGNS: Mapping[str, str] = {
    "ui.language": "globe",
    "ui.volume": "volume",
    "ui.sound": "sound",
    "ui.brightness": "sun",
    "ui.level": "book",
    "ui.verbosity": "speech",
    "ui.text": "letters",
    "ui.speech": "speech",
    "ui.voice_pack": "speech",
    "ui.motion": "play",
    "ui.camera": "camera",
    "ui.buttons": "button",
    "ui.outputs": "sound",
}
"""What stands before a row."""


def paint_settings(sheet: Sheet, frame: GameFrame) -> None:
    """The settings over a game."""
    more = paint_settings_rows(sheet, paint_dialog(sheet, "ui.settings"), frame)
    paint_buttons(sheet, *more, PRIMARY_CLOSE_BUTTON)


def paint_settings_rows(
    sheet: Sheet,
    body: Box,
    frame: PageFrame,
    *,
    voices: Sequence[tuple[str, str]] = (),
    outputs: Sequence[tuple[str, str]] = (),
    camera: Sequence[str] = (),
    learns_buttons: bool = False,
) -> tuple[DialogButton, ...]:
    """One row for each setting, as many as a finger can tell apart; returns the way to the others.

    `voices`: the packs besides the built voice, each with who speaks; one that is chosen says a sentence.
    `outputs`: sound outputs, each with how people call it. `camera`: the pages about camera and cards.
    `learns_buttons`: a row leads to the page that learns USB buttons.
    """
    now = frame.ui_state
    languages = [(code, one.about.name) for code, one in installed_languages.installed_languages().items()]
    levels = [(name, sheet.tr(f"ui.level.{name}")) for name in HELP_LEVELS]
    amounts = [(name, sheet.tr(f"ui.verbosity.{name}")) for name in VERBOSITIES]
    painters: list[Callable[[Box], None]] = [
        lambda row: _paint_options(sheet, row, "language", languages, now.language),
        lambda row: _paint_slider(sheet, _paint_label(sheet, row, "ui.volume"), "volume", now.volume, 0),
        lambda row: _paint_switch(sheet, row, "ui.sound", "mute", ("on", "off"), now=now.mute),
        lambda row: _paint_slider(
            sheet, _paint_label(sheet, row, "ui.brightness"), "brightness", now.brightness, 20
        ),
        lambda row: _paint_options(sheet, row, "level", levels, now.level),
        lambda row: _paint_options(sheet, row, "verbosity", amounts, now.verbosity),
        lambda row: _paint_switch(sheet, row, "ui.text", "large", ("usual", "large"), now=now.large),
        lambda row: _paint_switch(sheet, row, "ui.speech", "slow", ("usual", "slow"), now=now.slow),
        lambda row: _paint_switch(sheet, row, "ui.motion", "calm", ("usual", "calm"), now=now.calm),
    ]
    if voices:
        offered = [
            ("", sheet.tr("ui.voice_pack.built")),
            *((pack, to_printable(who)) for pack, who in voices),
        ]
        said = SpeakSentences((Sentence("setup.ready"),))
        painters.insert(
            1, lambda row: _paint_options(sheet, row, "voice_pack", offered, now.voice_pack, after=said)
        )
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


def _paint_options(
    sheet: Sheet,
    row: Box,
    setting: str,
    offered: Sequence[tuple[str, str]],
    now: str,
    *,
    after: Command | None = None,
) -> None:
    """One of several, each with its words; `after` is done when one was chosen."""
    answers = [(f"{setting}:{value}", words, value, value == now) for value, words in offered]
    _paint_track(sheet, _paint_label(sheet, row, f"ui.{setting}"), setting, answers, after=after)


def _paint_switch(
    sheet: Sheet, row: Box, label: str, setting: str, words: tuple[str, str], *, now: bool
) -> None:
    """One of two: the setting is off, or on."""
    answers = [
        (f"{setting}:{state}", sheet.tr(f"{label}.{word}"), value, now == value)
        for value, state, word in zip((False, True), ("off", "on"), words, strict=True)
    ]
    _paint_track(sheet, _paint_label(sheet, row, label), setting, answers)


def _paint_track(
    sheet: Sheet,
    room: Box,
    setting: str,
    answers: Sequence[tuple[str, str, str | bool, bool]],
    *,
    after: Command | None = None,
) -> None:
    """The answers side by side on one strip, the one that holds on paper; in two rows where they need it."""
    wide = [sheet.text_width(words, bold=True) + sheet.em(0.5) for _, words, _, _ in answers]
    spare = (room.w - sum(wide)) // len(answers)
    cells = grid(room, len(answers), -(-len(answers) // 2))
    if spare >= 0:
        cells = columns(room, *[need + spare for need in wide])
    sheet.box(room, TRACK, radius=TRACK_RADIUS)
    for cell, (key, words, value, holds) in zip(cells, answers, strict=True):
        if holds:
            sheet.box(cell.inflate(-sheet.em(0.2), -sheet.em(0.2)), PAPER, radius=TRACK_RADIUS)
        room = cell.inflate(-sheet.em(0.4), 0)
        sheet.text(room, words, 1.2, INK if holds else TEXT, bold=holds, align="center")
        does = touch_action(ChangeSetting(setting, value), *(() if after is None else (after,)))
        sheet.target(key, cell, does)


def _paint_label(sheet: Sheet, row: Box, key: str) -> Box:
    """What a row is about, a sign and a word; returns the room after it."""
    upright = sheet.rect.h > sheet.rect.w
    words, room = columns(row, row.w * (30 if upright else 27) // 100, FILL)
    pad = sheet.em(0.3)
    if not upright:
        side = min(sheet.em(1.7), row.h - 2 * pad)
        sign, words = columns(words, side, FILL, gap=sheet.em(0.5))
        sheet.picture(draw_icon(sheet, SIGNS[key], side, GOLD), sign.center)
    sheet.text(words, sheet.tr(key), 1.2, TEXT, bold=True)
    return room.inset(top=pad, bottom=pad)


def _paint_slider(sheet: Sheet, cell: Box, setting: str, value: int, least: int) -> None:
    """Less, how much as a bar with the figure on its knob, and more."""
    side = sheet.em(2.8)
    sheet.box(cell, TRACK, radius=TRACK_RADIUS)
    less, track, more = columns(cell, side, FILL, side)
    knob = sheet.em(3.4)
    for key, sign, place, to in (
        ("less", "–", less, max(least, value - STEP) if value > least else None),
        ("more", "+", more, min(100, value + STEP) if value < 100 else None),
    ):
        if to is not None:
            sheet.text(place, sign, 1.8, TEXT, bold=True, align="center")
            sheet.target(f"{setting}:{key}", place, touch_action(ChangeSetting(setting, to)))
    bar = Box(track.x, cell.centery - sheet.em(0.25), track.w, sheet.em(0.5))
    sheet.pill(bar, EDGE)
    at = track.x + (track.w - knob) * (value - least) // (100 - least)
    sheet.pill(bar._replace(w=max(bar.h, at + knob // 2 - bar.x)), GOLD)
    grip = Box(at, cell.y, knob, cell.h).inflate(0, -sheet.em(0.2))
    sheet.box(grip, PAPER, radius=TRACK_RADIUS)
    sheet.text(grip, f"{value}\N{NO-BREAK SPACE}%", 1.1, INK, bold=True, align="center", grows=False)
