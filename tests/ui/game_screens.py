"""The game's page as tests draw it."""

from __future__ import annotations

from typing import Any

import pygame

from companion.ui.pages.game import GamePage

SIZE = (1280, 720)


def drawn(page: GamePage, frame: Any, now: int = 0) -> bytes:
    surface = pygame.Surface(SIZE)
    page.draw(surface, frame, now)
    return bytes(surface.get_buffer().raw)


def strings(page: GamePage, frame: Any) -> str:
    return " ".join(text.string for text in page.painted_sheet(frame).text_lines)


# Choices


def commands(page: GamePage, frame: Any) -> set[Any]:
    return {command for target in page.painted_sheet(frame).targets for command in target.action.commands}
