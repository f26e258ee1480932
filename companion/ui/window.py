"""The one window: opened late, pumped often, closed for sure."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from companion.ui import inputs

if TYPE_CHECKING:
    import pygame


class Window:
    """Owns the display; `surface` opens it at its first use."""

    def __init__(
        self, size: tuple[int, int] = (1280, 720), *, fullscreen: bool = False, caption: str = "Companion"
    ) -> None:
        self._size = size
        self._fullscreen = fullscreen
        self._caption = caption
        self._surface: pygame.Surface | None = None

    @property
    def surface(self) -> pygame.Surface:
        """What to draw on."""
        return self._surface or self._open()

    @property
    def size(self) -> tuple[int, int]:
        return self.surface.get_size()

    def _open(self) -> pygame.Surface:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        import pygame  # noqa: PLC0415 (the command line works without it)

        pygame.display.init()
        pygame.font.init()
        pygame.display.set_caption(self._caption)
        # SCALED: plain FULLSCREEN stays black on some Wayland set-ups (pygame#3114).
        flags = pygame.FULLSCREEN | pygame.SCALED if self._fullscreen else pygame.RESIZABLE
        self._surface = pygame.display.set_mode(self._size, flags)
        pygame.mouse.set_visible(not self._fullscreen)
        return self._surface

    def pump(self) -> list[inputs.Input]:
        """Everything that happened at the glass since the last call, in order."""
        self._surface = self.surface
        import pygame  # noqa: PLC0415

        found: list[inputs.Input] = []
        for event in pygame.event.get():
            found += self._read(event)
        return found

    def _read(self, event: pygame.event.Event) -> tuple[inputs.Input, ...]:
        import pygame  # noqa: PLC0415

        if event.type == pygame.KEYDOWN:
            shift = bool(event.mod & pygame.KMOD_SHIFT)
            return (inputs.KeyPressed(pygame.key.name(event.key), event.unicode, shift),)
        if event.type == pygame.KEYUP:
            return (inputs.KeyReleased(pygame.key.name(event.key)),)
        if event.type in {pygame.FINGERDOWN, pygame.FINGERUP}:
            width, height = self.size
            kind = inputs.Tap if event.type == pygame.FINGERDOWN else inputs.Lift
            return (kind(int(event.x * width), int(event.y * height), int(event.finger_id) + 1),)
        if event.type in {pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP}:
            # SDL repeats the first finger as a mouse; the finger was already told.
            if event.button != 1 or getattr(event, "touch", False):
                return ()
            kind = inputs.Tap if event.type == pygame.MOUSEBUTTONDOWN else inputs.Lift
            return (kind(*event.pos),)
        if event.type == pygame.MOUSEWHEEL:
            return (inputs.Wheel(event.y),)
        if event.type == pygame.QUIT:
            return (inputs.Closed(),)
        if event.type == pygame.VIDEORESIZE:
            self._surface = pygame.display.get_surface()
            return (inputs.Resized(event.w, event.h),)
        return ()

    def flip(self) -> None:
        """Show what was drawn."""
        import pygame  # noqa: PLC0415

        if self._surface is not None:
            pygame.display.flip()

    def screenshot(self, path: Path) -> None:
        """Keep what is shown as a picture."""
        import pygame  # noqa: PLC0415

        pygame.image.save(self.surface, str(path))

    def close(self) -> None:
        """Give the display back; closing twice is allowed."""
        if self._surface is None:
            return
        import pygame  # noqa: PLC0415

        self._surface = None
        pygame.display.quit()
