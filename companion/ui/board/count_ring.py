"""Draws the count of a time limit as a ring that runs out, with one dot per counted beat."""

import math
from typing import NamedTuple

import pygame

from companion.core.actions import SECOND, Micros
from companion.core.view import CountView
from companion.ui.layout import Box, stack
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.sprites import draw_rounded_rect
from companion.ui.toolkit.theme import FELT, GOLD, INK, PAPER, TEXT, Colour, blend

TRACK, GROUND_WITHIN = blend(FELT, TEXT, 0.16), blend(FELT, INK, 0.6)


def elapsed_share(count: CountView, now: Micros) -> float:
    """The share of the window that is over: 0 before the first beat, 1 at its end."""
    if count.first_beat is None or not count.beats:
        return 0.0
    return min(1.0, max(0.0, (now - count.first_beat) / (count.beats * SECOND)))


def current_beat(count: CountView, now: Micros) -> int:
    """The beat that was struck last: 0 before the first."""
    if count.first_beat is None or now < count.first_beat:
        return 0
    if not count.beats:
        return 0
    return min(count.beats, 1 + (now - count.first_beat) // SECOND)


class CountRing(NamedTuple):
    """Where and with what the ring is drawn."""

    surface: pygame.Surface
    sheet: Sheet
    centre: tuple[int, int]
    radius: int

    @property
    def thick(self) -> int:
        return max(6, self.radius // 6)

    def blit_centred(self, picture: pygame.Surface, x: float, y: float) -> None:
        """Draw a picture with its centre at (x, y), in pixels."""
        self.surface.blit(picture, picture.get_rect(center=(round(x), round(y))))

    def draw_band(self, colour: Colour, part: float) -> None:
        """A part of the ring (`part`, 0 to 1), clockwise from the top, with round ends."""
        whole = self.sheet.art.sprites.disc(self.radius, None, colour, self.thick)
        if part >= 1:
            self.blit_centred(whole, *self.centre)
            return
        if part <= 0:
            return
        for quarter in range(4):
            self._draw_quarter(whole, quarter, part)
        end = self.sheet.art.sprites.disc(self.thick // 2, colour, None, 0)
        middle = self.radius - self.thick / 2
        for turn in (0.0, part):
            angle = math.tau * turn
            self.blit_centred(
                end, self.centre[0] + middle * math.sin(angle), self.centre[1] - middle * math.cos(angle)
            )

    def _draw_quarter(self, whole: pygame.Surface, quarter: int, part: float) -> None:
        """What is over of one quarter of the ring, the first from the top to the right."""
        if part <= quarter / 4:
            return
        here = self.radius
        corner = (here if quarter < 2 else 0, here if quarter in {1, 2} else 0)
        area = (*corner, here, here)
        place = (self.centre[0] - here + corner[0], self.centre[1] - here + corner[1])
        if part >= (quarter + 1) / 4:
            self.surface.blit(whole, place, area)
            return
        left = whole.subsurface(area).copy()
        far = 2 * here  # beyond the quarter's outer corner
        wedge = [
            (math.sin(math.tau * turn), -math.cos(math.tau * turn)) for turn in (part, (quarter + 1) / 4)
        ]
        middle = (here - corner[0], here - corner[1])
        rest = [(middle[0] + far * x, middle[1] + far * y) for x, y in wedge]
        pygame.draw.polygon(left, (0, 0, 0, 0), [middle, *rest])
        self.surface.blit(left, place)

    def draw_words(self, string: str, scale: float, colour: Colour, lift: int = 0) -> None:
        """Text in the middle of the ring, or `lift` pixels above it; `scale` in em."""
        x, y = self.centre
        self.blit_centred(self.sheet.painter.render_text(string, scale, colour, bold=True), x, y - lift)

    def draw_dots(self, beats: int, struck: int) -> None:
        """One dot for each beat, lit when it was struck."""
        step = self.radius // max(3, beats + 1)
        size = max(4, self.radius // 13)
        y = self.centre[1] + round(self.radius * 0.67)
        for place in range(beats):
            x = self.centre[0] + round((place - (beats - 1) / 2) * step)
            look = (GOLD, None, 0) if place < struck else (None, GOLD, max(2, size // 4))
            dot = self.sheet.art.sprites.disc(size, *look)
            self.blit_centred(dot, x, y)


def _make_ring(surface: pygame.Surface, sheet: Sheet, rect: Box) -> CountRing:
    return CountRing(surface, sheet, rect.center, min(rect.w, rect.h) // 2 - sheet.unit // 4)


def reserve_count_area(sheet: Sheet, rect: Box) -> None:
    """Where the ring is drawn later; what of it stands still is painted now."""
    sheet.moving["count"] = rect
    ring = _make_ring(sheet.surface, sheet, rect)
    sheet.disc(ring.centre, ring.radius, GROUND_WITHIN)
    ring.draw_band(TRACK, 1.0)


def draw_count(surface: pygame.Surface, sheet: Sheet, rect: Box, count: CountView, now: Micros) -> None:
    """The ring at `now` (µs): whole and round the number before the first beat, then what is left of it."""
    ring = _make_ring(surface, sheet, rect)
    gone, struck = elapsed_share(count, now), current_beat(count, now)
    ring.draw_band(PAPER if gone >= 1.0 else GOLD, 1.0 if gone >= 1.0 else 1.0 - gone)
    scale = max(1.0, ring.radius / sheet.unit * 1.15)
    if struck and gone < 1.0:  # the dots below keep their distance
        ring.draw_words(str(struck), scale * 0.94, TEXT, ring.radius // 10)
    else:
        side = round(ring.radius * 0.94)
        card = stack(rect, round(side * 0.82), side)
        draw_rounded_rect(surface, sheet.art.sprites, card, PAPER, radius=sheet.unit // 2)
        ring.draw_words(str(count.number), scale * 0.5, INK)
    ring.draw_dots(count.beats, struck)
