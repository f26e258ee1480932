"""The count as a whole table sees it: a huge ring that closes, and the beats."""

from __future__ import annotations

import math
from typing import NamedTuple

import pygame

from companion.core.actions import SECOND, Micros
from companion.core.view import CountView
from companion.ui.sheet import Sheet
from companion.ui.sprites import rounded
from companion.ui.theme import FELT, GOLD, INK, PAPER, SOFT, TEXT, mixed
from companion.ui.tokens import Colour

TRACK = mixed(FELT, TEXT, 0.16)


def share(count: CountView, now: Micros) -> float:
    """How much of the window is over: 0 before the first beat, 1 at its end."""
    if count.first_beat is None or not count.beats:
        return 0.0
    return min(1.0, max(0.0, (now - count.first_beat) / (count.beats * SECOND)))


def beat(count: CountView, now: Micros) -> int:
    """The beat that was struck last: 0 before the first."""
    if count.first_beat is None or now < count.first_beat:
        return 0
    if not count.beats:
        return 0
    return min(count.beats, 1 + (now - count.first_beat) // SECOND)


class Ring(NamedTuple):
    """Where and with what the ring is drawn."""

    surface: pygame.Surface
    sheet: Sheet
    centre: tuple[int, int]
    radius: int

    @property
    def thick(self) -> int:
        return max(6, self.radius // 6)

    def put(self, picture: pygame.Surface, x: float, y: float) -> None:
        self.surface.blit(picture, picture.get_rect(center=(round(x), round(y))))

    def band(self, colour: Colour, part: float) -> None:
        """A part of the ring, clockwise from the top, with round ends."""
        whole = self.sheet.art.sprites.disc(self.radius, None, colour, self.thick)
        if part >= 1:
            self.put(whole, *self.centre)
            return
        if part <= 0:
            return
        left = whole.copy()
        pygame.draw.polygon(left, (*colour, 0), self._rest(part))
        self.put(left, *self.centre)
        end = self.sheet.art.sprites.disc(self.thick // 2, colour, None, 0)
        middle = self.radius - self.thick / 2
        for turn in (0.0, part):
            angle = math.tau * turn
            self.put(
                end, self.centre[0] + middle * math.sin(angle), self.centre[1] - middle * math.cos(angle)
            )

    def _rest(self, part: float) -> list[tuple[float, float]]:
        """The wedge that is not over yet, in the ring's own square: from here to there round its outside."""
        turns = [part, *(corner / 8 for corner in range(1, 9) if corner / 8 > part)]
        far = 1.5 * self.radius  # a figure of eight sides as wide as this holds the whole ring
        here = self.radius
        return [
            (here, here),
            *(
                (here + far * math.sin(math.tau * turn), here - far * math.cos(math.tau * turn))
                for turn in turns
            ),
        ]

    def words(self, string: str, scale: float, colour: Colour) -> None:
        self.put(self.sheet.painter.text(string, scale, colour, bold=True), *self.centre)

    def dots(self, beats: int, struck: int) -> None:
        """One dot for each beat, lit when it was struck."""
        step = self.radius // max(3, beats + 1)
        size = max(4, self.radius // 16)
        y = self.centre[1] + round(self.radius * 0.62)
        for place in range(beats):
            x = self.centre[0] + round((place - (beats - 1) / 2) * step)
            lit = place < struck
            dot = self.sheet.art.sprites.disc(size, GOLD if lit else None, None if lit else SOFT, 3)
            self.put(dot, x, y)


def draw_count(
    surface: pygame.Surface, sheet: Sheet, rect: pygame.Rect, count: CountView, now: Micros
) -> None:
    """The ring at `now`: the number before the first beat and after the last, the beats between."""
    radius = min(rect.w, rect.h) // 2 - sheet.unit // 4
    ring = Ring(surface, sheet, rect.center, radius)
    gone, struck = share(count, now), beat(count, now)
    ring.band(TRACK, 1.0)
    ring.band(PAPER if gone >= 1.0 else GOLD, gone)
    scale = max(1.0, ring.radius / sheet.unit * 1.15)
    if struck and gone < 1.0:
        ring.words(str(struck), scale, TEXT)
    else:
        side = round(ring.radius * 0.8)
        card = pygame.Rect(0, 0, round(side * 0.82), side)
        card.center = rect.center
        rounded(surface, sheet.art.sprites, card, PAPER, radius=sheet.unit // 2)
        ring.words(str(count.number), scale * 0.42, INK)
    ring.dots(count.beats, struck)
