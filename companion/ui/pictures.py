"""Finished pictures, kept by size: shapes, tokens, cards, backs, and the camera's picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pygame

from companion.games import asset_folders
from companion.ui import motifs
from companion.ui.brush import Brush
from companion.ui.paint import Painter
from companion.ui.shapes import shape_picture, smooth
from companion.ui.sprites import Sprites
from companion.ui.theme import BLUE_BACK, INK, LOOK, PAPER, TEXT, mixed
from companion.ui.tokens import Colour


class Art:
    """Owns every picture that was drawn once."""

    def __init__(self, painter: Painter) -> None:
        self._painter = painter
        self.sprites = Sprites()
        self._files: dict[str, Path | None] = {}
        self._camera: tuple[Any, tuple[int, int], pygame.Surface] | None = None

    def shape(
        self, shape: str, radius: int, fill: Colour, edge: Colour | None, ink: Colour | None = None
    ) -> pygame.Surface:
        """A chair's shape."""
        key = ("shape", shape, radius, fill, edge, ink)
        return self.sprites.get(key, lambda: shape_picture(shape, radius, fill, edge, ink))

    def motif(self, name: str, side: int) -> pygame.Surface:
        """A token or another small picture, `side` wide and high; a counter where none is called so."""
        key = ("motif", name, side)
        return self.sprites.get(
            key, lambda: smooth((side, side), lambda large, _: motifs.motif(name)(Brush(large)))
        )

    def card(self, card: str, size: tuple[int, int], on_top: tuple[str, ...] = ()) -> pygame.Surface:
        """A face by its id (`object:5-6`, `animal:3`, `shelter:3`) with what lies on it."""
        return self.sprites.get(("card", card, size, on_top), lambda: self._card(card, size, on_top))

    def _card(self, card: str, size: tuple[int, int], on_top: tuple[str, ...]) -> pygame.Surface:
        kind, _, label = card.partition(":")
        motif, ground = face_of(kind, label)
        face = smooth(size, lambda large, factor: _paper(large, ground, factor))
        width, height = size
        line = self._painter.line(1.0)
        strip = min(max(round(line * 1.02), height // 5), height // 2)
        if height < 2 * line and not on_top and "-" not in label:
            strip = height  # the number alone, rather than half of it
        side = min(width, height - strip) - 6
        if not on_top and side > 12:
            face.blit(self.motif(motif, side), ((width - side) // 2, strip + (height - strip - side) // 2))
        for place, lying in enumerate(on_top):
            self._lay(face, lying, place, len(on_top), strip)
        self._label(face, label, strip)
        return face

    def _lay(self, face: pygame.Surface, card: str, place: int, among: int, strip: int) -> None:
        """A card of a pair, lower than the label of the object under it."""
        width, height = face.get_size()
        kind, _, label = card.partition(":")
        motif, ground = face_of(kind, label)
        w, h = (width - 8) // among, height - strip - 4
        under = smooth((w, h), lambda large, factor: _paper(large, ground, factor))
        side = min(w, h) - 4
        under.blit(self.motif(motif, side), ((w - side) // 2, (h - side) // 2))
        face.blit(under, (4 + place * w, strip))

    def _label(self, face: pygame.Surface, label: str, strip: int) -> None:
        scale = max(1.0, strip / self._painter.line(1.0) * 0.98)
        while scale > 1.0 and self._painter.font(scale, bold=True).size(label)[0] > face.get_width() - 6:
            scale = max(1.0, scale * 0.94)
        text = self._painter.text(label, scale, INK, bold=True)
        middle = face.get_width() // 2
        if text.get_width() <= face.get_width() - 4 or "-" not in label:
            face.blit(text, text.get_rect(center=(middle, strip // 2 + 1)))
            return
        # Too narrow for both numbers side by side: one over the other instead of the picture.
        face.fill(face.get_at((middle, 4)), face.get_rect().inflate(-6, -8))
        line, top = self._painter.line(0.9), face.get_height() // 2
        for row, number in enumerate(label.split("-")):
            text = self._painter.text(number, 1.0, INK, bold=True)
            face.blit(text, text.get_rect(center=(middle, top + round((row - 0.5) * line))))

    def back(self, size: tuple[int, int]) -> pygame.Surface:
        """A card lying face down."""
        return self.sprites.get(("back", size), lambda: smooth(size, _back))

    def printed(self, card: str, size: tuple[int, int]) -> pygame.Surface | None:
        """A face as our own deck has it on paper; None where none is shipped."""
        file = self._file(card)
        if file is None:
            return None
        return self.sprites.get(("printed", card, size), lambda: _rounded(pygame.image.load(file), size))

    def _file(self, card: str) -> Path | None:
        """Where a face is kept; looked for once."""
        if card not in self._files:
            name = card.replace(":", "%3a") + ".jpg"
            found = (face for at in asset_folders() for face in sorted(at.glob(f"decks/*/enrol/{name}")))
            self._files[card] = next(found, None)
        return self._files[card]

    def camera(self, picture: Any, size: tuple[int, int]) -> pygame.Surface:
        """A picture of the camera (BGR), as large as fits into `size`."""
        if self._camera is None or self._camera[0] is not picture or self._camera[1] != size:
            height, width = picture.shape[:2]
            raw = pygame.image.frombuffer(picture.tobytes(), (width, height), "BGR")
            share = min(size[0] / width, size[1] / height)
            scaled = pygame.transform.smoothscale(raw, (round(width * share), round(height * share)))
            self._camera = (picture, size, scaled)
        return self._camera[2]


def face_of(kind: str, label: str) -> tuple[str, Colour]:
    """The motif and the ground of a card."""
    if kind == "object" and label in motifs.THINGS:
        return motifs.THINGS[label]
    odd = label.isdigit() and int(label) % 2
    if kind == "animal":
        return ("cat" if odd else "dog"), PAPER
    if kind == "shelter":
        return ("basket" if odd else "kennel"), PAPER
    return "cards", PAPER


def _paper(surface: pygame.Surface, ground: Colour, factor: float) -> None:
    rect = surface.get_rect()
    pygame.draw.rect(surface, INK, rect, border_radius=round(9 * factor))
    inner = rect.inflate(round(-3 * factor), round(-3 * factor))
    pygame.draw.rect(surface, ground, inner, border_radius=round(8 * factor))


def _rounded(picture: pygame.Surface, size: tuple[int, int]) -> pygame.Surface:
    """A photograph of a card with the corners a card has."""
    face = pygame.transform.smoothscale(picture, size)
    radius = max(2, round(size[0] * LOOK.radius["card"]))

    def corners(large: pygame.Surface, factor: float) -> None:
        pygame.draw.rect(large, (255, 255, 255), large.get_rect(), border_radius=round(radius * factor))

    whole = smooth(size, corners)
    whole.blit(face, (0, 0), special_flags=pygame.BLEND_RGBA_MIN)
    return whole


def _back(surface: pygame.Surface, factor: float) -> None:
    _paper(surface, BLUE_BACK, factor)
    rect = surface.get_rect().inflate(round(-10 * factor), round(-10 * factor))
    line = mixed(BLUE_BACK, TEXT, 0.28)
    pygame.draw.rect(surface, line, rect, round(1.5 * factor), border_radius=round(6 * factor))
