"""The count as a whole table sees it: a huge ring that closes, and the beats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import pygame

from companion.core.actions import SECOND, Micros
from companion.core.view import CountView
from companion.ui.paint import Painter
from companion.ui.theme import FELT, GOLD, GOOD, INK, PAPER, SOFT, TEXT, Colour, mixed

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


class _Ring(NamedTuple):
    """Where and with what the ring is drawn."""

    surface: pygame.Surface
    painter: Painter
    centre: tuple[int, int]
    radius: int

    def band(self, colour: Colour, part: float) -> None:
        """A part of the ring, clockwise from the top."""
        if part <= 0:
            return
        steps = max(2, round(120 * part))
        angles = [math.tau * part * step / steps - math.pi / 2 for step in range(steps + 1)]
        outer = self._arc(angles, self.radius)
        inner = self._arc(angles[::-1], self.radius - max(6, self.radius // 6))
        pygame.draw.polygon(self.surface, colour, [*outer, *inner])
        pygame.draw.aalines(self.surface, colour, False, outer)  # noqa: FBT003 (pygame)
        pygame.draw.aalines(self.surface, colour, False, inner)  # noqa: FBT003 (pygame)

    def _arc(self, angles: Sequence[float], radius: int) -> list[tuple[float, float]]:
        x, y = self.centre
        return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]

    def words(self, string: str, scale: float, colour: Colour) -> None:
        text = self.painter.text(string, scale, colour, bold=True)
        self.surface.blit(text, text.get_rect(center=self.centre))

    def dots(self, beats: int, struck: int) -> None:
        """One dot for each beat, lit when it was struck."""
        step = self.radius // max(3, beats + 1)
        size = max(4, self.radius // 16)
        y = self.centre[1] + round(self.radius * 0.62)
        for place in range(beats):
            x = self.centre[0] + round((place - (beats - 1) / 2) * step)
            lit = place < struck
            pygame.draw.circle(self.surface, GOLD if lit else SOFT, (x, y), size, 0 if lit else 3)


def draw_count(
    surface: pygame.Surface, rect: pygame.Rect, painter: Painter, count: CountView, now: Micros
) -> None:
    """The ring at `now`: the number before the first beat and after the last, the beats between."""
    ring = _Ring(surface, painter, rect.center, min(rect.w, rect.h) // 2 - painter.unit // 4)
    gone, struck = share(count, now), beat(count, now)
    ring.band(TRACK, 1.0)
    ring.band(GOOD if gone >= 1.0 else GOLD, gone)
    scale = max(1.0, ring.radius / painter.unit * 1.15)
    if struck and gone < 1.0:
        ring.words(str(struck), scale, TEXT)
    else:
        side = round(ring.radius * 0.8)
        card = pygame.Rect(0, 0, round(side * 0.82), side)
        card.center = rect.center
        pygame.draw.rect(surface, PAPER, card, border_radius=painter.unit // 2)
        ring.words(str(count.number), scale * 0.42, INK)
    ring.dots(count.beats, struck)
