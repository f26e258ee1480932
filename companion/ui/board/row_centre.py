"""Draws the middle of a table without cards, from rows, and the clocks there and on the plates."""

from collections.abc import Iterator

import pygame

from companion.core.actions import SECOND, Chair, Micros
from companion.core.view import Cell, ChairView, ClockView, View
from companion.ui.board.count_ring import TRACK, CountRing
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, Share, columns, rows, stack
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import DARK, FELT, GOLD, INK, PAPER, SOFT, TEXT, Colour, blend
from companion.ui.toolkit.widgets import paint_avatar, paint_halo

RING, STRIP = 54, 20
"""Heights of a clock and of a row of several things, in hundredths of the screen's."""
ABREAST = 4
"""So many stand beside each other; more of them in another row."""
AVATAR, LIT_AVATAR = 9.0, 10.5
CLOCK_TEXT, CLOCK_LINE = 6.6, 1.4
"""On a plate: the height of the time, and of the line below it."""
RING_TEXT = 1.12
"""How wide the time in a ring is, as a share of it."""
LAST: Micros = 10 * SECOND
"""So near its end a clock is gold."""
BRIGHT = 3 * 128
"""Red, green and blue together of a ground on which ink is read."""
CLOCK_PACE: Micros = SECOND // 5
"""From one drawing of a running clock to the next."""


def clock_words(reading: Micros, *, down: bool) -> str:
    """`3:27`; what runs down shows 0:00 only when nothing is left."""
    seconds = -(-reading // SECOND) if down else reading // SECOND
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def has_clock(view: View) -> bool:
    """Whether time is shown."""
    return any(True for _ in _named_clocks(view))


def has_running_clock(view: View) -> bool:
    """Whether the screen changes by itself."""
    return any(clock.since is not None for _, clock in _named_clocks(view))


def _named_clocks(view: View) -> Iterator[tuple[str, ClockView]]:
    """Every clock with the name of its place on the sheet."""
    for chair in view.chairs:
        if chair.clock is not None:
            yield f"clock:{chair.chair}", chair.clock
    for cell in (cell for row in view.rows for cell in row):
        if cell.clock is not None:
            yield "clock", cell.clock


def plate_clock_height(sheet: Sheet, chair: ChairView) -> int:
    """What a clock takes of a plate; 0: it has none."""
    return sheet.u(CLOCK_TEXT + 2 * CLOCK_LINE) if chair.clock is not None else 0


def paint_rows(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """Every row as high as it likes, as far as there is room; a clock has what is left."""
    gap = sheet.em(0.5)
    shown = [row[at : at + ABREAST] for row in frame.view.rows for at in range(0, len(row), ABREAST)]
    clocked = any(cell.clock is not None for row in shown for cell in row)
    least = min(sheet.u(STRIP), (rect.h + gap) // max(1, len(shown) + clocked) - gap)
    sizes = [FILL if any(cell.clock is not None for cell in row) else least for row in shown]
    for row, band in zip(shown, rows(rect, *sizes, gap=gap, justify="center"), strict=True):
        if len(row) == 1 and row[0].clock is not None:
            _paint_clock(sheet, band, row[0])
        elif len(row) == 1:
            _paint_single(sheet, band, row[0])
        else:
            _paint_strip(sheet, band, row)


def _paint_clock(sheet: Sheet, band: Box, cell: Cell) -> None:
    """What of it stands still: the track, and below the time what it is."""
    side = min(band.w, band.h, sheet.u(RING))
    box = stack(band, side, side)
    sheet.disc(box.center, side // 2, blend(DARK, FELT, 0.35))
    _ring(sheet.surface, sheet, box).draw_band(TRACK, 1.0)
    if cell.words is not None:
        below = Box(box.x + side // 5, box.centery + side // 7, side * 3 // 5, side // 4)
        sheet.text(below, sheet.sentence(cell.words), 1.0, SOFT, align="center", middle=False)
    sheet.moving["clock"] = box


def _ring(surface: pygame.Surface, sheet: Sheet, box: Box) -> CountRing:
    return CountRing(surface, sheet, box.center, min(box.size) // 2)


def _value(sheet: Sheet, cell: Cell) -> str:
    words = "" if cell.words is None else sheet.sentence(cell.words)
    return words if cell.value is None else str(cell.value)


def _paint_single(sheet: Sheet, band: Box, cell: Cell) -> None:
    """A person or a picture, and beside it what is said, as large as it fits."""
    words, pictured = _value(sheet, cell), cell.chair is not None or bool(cell.motif)
    side = min(band.h, sheet.u(LIT_AVATAR if cell.lit else AVATAR) * 5 // 4) if pictured else 0
    fitting = (band.w - side - sheet.em(0.9)) / max(1, sheet.text_width(words, bold=True))
    scale = max(1.0, min(3.4 if cell.value is not None else 2.0, band.h * 0.7 / sheet.unit, fitting))
    wide = min(band.w - side, sheet.text_width(words, scale, bold=True) + sheet.em(0.4))
    sign, told = columns(band, side, wide, gap=sheet.em(0.5) if side else 0, justify="center")
    _paint_sign(sheet, sign, cell)
    sheet.text(told, words, scale, GOLD if cell.lit and not pictured else TEXT, bold=True)


def _paint_strip(sheet: Sheet, band: Box, row: tuple[Cell, ...]) -> None:
    """Several beside each other, on one line: who and what above, what is said of it below."""
    sheet.box(band, blend(DARK, INK, 0.4), radius=0.5)
    cells = columns(band.inflate(-sheet.em(0.4), -sheet.em(0.2)), *[Share(1)] * len(row), gap=sheet.em(0.2))
    above = [rows(cell, FILL, sheet.line_height)[0] for cell in cells]
    if all(cell.chair is not None for cell in row):
        sheet.line(SOFT, 0.12, above[0].center, above[-1].center)
    for cell, one, sign in zip(cells, row, above, strict=True):
        _paint_sign(sheet, sign, one)
        colour = GOLD if one.lit else TEXT
        sheet.text(
            rows(cell, FILL, sheet.line_height)[1], _value(sheet, one), 1.0, colour, bold=True, align="center"
        )


def _paint_sign(sheet: Sheet, box: Box, cell: Cell) -> None:
    side = min(box.w, box.h, sheet.u(LIT_AVATAR if cell.lit else AVATAR))
    if cell.chair is not None:
        if cell.lit:
            paint_halo(sheet, box.center, side)
        paint_avatar(sheet, box.center, side, cell.chair, lit=cell.lit)
    elif cell.motif and side > 0:
        sheet.picture(sheet.art.motif(cell.motif, side), box.center)


# Clocks -----------------------------------------------------------------------------------------------------


def draw_clocks(surface: pygame.Surface, sheet: Sheet, frame: GameFrame, now: Micros) -> None:
    """Every clock as it is at `now` (µs)."""
    for name, clock in _named_clocks(frame.view):
        box = sheet.moving.get(name)
        if box is None:
            continue
        reading, on = clock.read(now), sheet.on_screen(surface)
        near = bool(clock.whole) and reading <= LAST
        if name == "clock":
            asked = next((chair.chair for chair in frame.view.chairs if chair.asked), None)
            colour = GOLD if near or asked is None else sheet.colour(asked)
            _draw_ring(on, box, clock, reading, colour)
        else:
            chair = int(name.partition(":")[2])
            _draw_line(on, box, clock, reading, chair)


def _is_bright(sheet: Sheet, box: Box) -> bool:
    """Whether what was painted there is bright, so that the time is written in ink."""
    return sum(sheet.surface.get_at((box.x, box.y))[:3]) > BRIGHT


def _draw_ring(sheet: Sheet, box: Box, clock: ClockView, reading: Micros, colour: Colour) -> None:
    ring = _ring(sheet.surface, sheet, box)
    if clock.whole:
        ring.draw_band(colour, min(1.0, reading / clock.whole))
    words = clock_words(reading, down=bool(clock.whole))
    scale = box.w * RING_TEXT / max(len("0:00"), len(words)) / sheet.unit
    ring.draw_words(words, max(1.0, scale), TEXT)


def _draw_line(sheet: Sheet, box: Box, clock: ClockView, reading: Micros, chair: Chair) -> None:
    """The time, and below it how much of it is left."""
    line, bright = sheet.u(CLOCK_LINE), _is_bright(sheet, box)
    words, track = rows(box, FILL, line)
    scale = max(1.0, min(words.h * 0.78 / sheet.unit, CLOCK_TEXT / 4.2))
    told = clock_words(reading, down=bool(clock.whole))
    sheet.text(words, told, scale, INK if bright else TEXT, bold=True, grows=False)
    if clock.whole:
        sheet.pill(track, blend(PAPER if bright else DARK, INK, 0.25))
        wide = round(track.w * min(1.0, reading / clock.whole))
        if wide > line:
            sheet.pill(track._replace(w=wide), sheet.colour(chair))
