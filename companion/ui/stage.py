"""Where the parts of the table stage stand: the felt, a plate for everybody round it, avatars on its rim."""

from __future__ import annotations

from dataclasses import dataclass

import pygame

from companion.ui import ring
from companion.ui.theme import LOOK

FEW = 4
"""With more people than these everything is smaller."""
INSET, APART = 1.6, 2.4
"""Of few plates, in u: how far they stand from the felt's upper and lower edge, and from each other."""
ON_FELT, FURTHER = 0.3, 0.5
"""How far from its plate's edge an avatar's middle stands, by its size; further where plates are low."""
UNDER_PLATE = 0.56
"""How much of a plate lies on the felt's rim, by the plate's width."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One lay-out."""

    rim: pygame.Rect
    """The felt with its rim."""
    plates: tuple[pygame.Rect, ...]
    """Clockwise from the bottom left."""
    docks: tuple[tuple[int, int], ...]
    """The avatars' middles, in the same order; empty where there is no room beside the plates."""
    avatar: int
    """An avatar's height."""
    middle: pygame.Rect
    """What the plates and avatars leave free."""


def laid_out(count: int, body: pygame.Rect, width: int, gap: int, *, u: float, docked: bool) -> Stage:
    """The stage for so many in `body`, with plates of this width; `u` in pixels."""
    few = count <= FEW
    among, apart = (body.inflate(0, -round(2 * INSET * u)), round(APART * u)) if few else (body, gap)
    plates = ring.around(count, among, width, apart)
    size = LOOK.avatar["four" if few else "eight"] * u
    out = ON_FELT if few else FURTHER
    size = min(size, min(rect.h for rect in plates) * 0.66)
    covered = width + gap
    docks: tuple[tuple[int, int], ...] = ()
    if docked:
        covered = width + round(size * (out + LOOK.avatar["asked"] / 2)) + gap // 2
        docks = tuple((_inwards(rect, body, size * out), rect.centery) for rect in plates)
    middle = pygame.Rect(body.x + covered, body.y, body.w - 2 * covered, body.h)
    under = round(width * UNDER_PLATE)
    rim = pygame.Rect(body.x + under, body.y, body.w - 2 * under, body.h)
    edge = round((LOOK.radius["rim"] - LOOK.radius["felt"]) * u) + gap // 2
    return Stage(rim, plates, docks, round(size), middle.inflate(0, -2 * edge))


def _inwards(rect: pygame.Rect, body: pygame.Rect, reach: float) -> int:
    """A place on the felt's side of a plate."""
    return round(rect.right + reach if rect.centerx < body.centerx else rect.x - reach)
