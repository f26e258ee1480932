"""The application's window: it opens late, pumps events, closes for sure."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from companion.ui.toolkit import inputs

if TYPE_CHECKING:
    import pygame

log = logging.getLogger(__name__)
OFFSCREEN_DRIVERS = frozenset({"dummy", "offscreen"})
"""Drivers that draw where nobody looks."""
MAX_SIZE = (1920, 1080)
"""More points are drawn no better."""
MAX_SIZE_SLOW_PI = (1280, 720)
"""On a Pi before the 5, whose processor paints larger pages too slowly; its graphics card enlarges these."""
FAST_PI = 5
"""The generation of Raspberry Pi from which pages are painted fast enough."""


def max_drawing_size(pi_generation: int) -> tuple[int, int]:
    """The most points that this machine draws; `pi_generation` 0: it is no Raspberry Pi."""
    return MAX_SIZE_SLOW_PI if 0 < pi_generation < FAST_PI else MAX_SIZE


def fit_drawing_size(
    display: tuple[int, int], least: tuple[int, int], most: tuple[int, int] = MAX_SIZE
) -> tuple[int, int]:
    """The size to draw in on a display: its own, but of the display's shape within `most`."""
    width, height = display
    if width < 640 or height < 400:
        return least
    shrink = min(1.0, most[0] / width, most[1] / height)
    return round(width * shrink), round(height * shrink)


def read_desktop_size() -> tuple[int, int]:
    """The size of the desktop on which a window would open now; `OSError` where none would."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame  # noqa: PLC0415

    try:
        pygame.display.init()
        if pygame.display.get_driver() in {"KMSDRM", "kmsdrm", *OFFSCREEN_DRIVERS}:
            raise OSError("the desktop refuses a window")
        width, height = pygame.display.get_desktop_sizes()[0]
    except pygame.error as trouble:
        raise OSError(str(trouble)) from trouble
    finally:
        pygame.display.quit()
    return width, height


class Window:
    """Owns the display; `surface` opens it at its first use."""

    def __init__(
        self,
        size: tuple[int, int] = (1280, 720),
        *,
        fullscreen: bool = False,
        native: bool = False,
        most: tuple[int, int] = MAX_SIZE,
        caption: str = "Companion",
    ) -> None:
        """`native`: a full screen is drawn in the display's own size, but with `most` points; no window is
        larger than the display.
        """
        self._size = size
        self._fullscreen = fullscreen
        self._native = native
        self._most = most
        self._caption = caption
        self.on_sound_lost: Callable[[], object] = bool
        """Called when SDL, which has one queue for all, says that a sound card was taken out."""
        self.on_joystick_button: Callable[[str, int, bool], object] | None = None
        """Called with a joystick's name, a button's number and whether it went down; None: not asked."""
        self._joysticks: dict[int, pygame.joystick.JoystickType] = {}
        """Those that are open, by SDL's number of each."""
        self.refusal = ""
        """Why the display did not open, if it was asked and would not."""
        self._surface: pygame.Surface | None = None

    @property
    def surface(self) -> pygame.Surface:
        """What to draw on, in the pixels of the window; opens it if it is not open."""
        return self._surface or self._open()

    @property
    def size(self) -> tuple[int, int]:
        return self.surface.get_size()

    def open(self) -> None:
        """Open it now; where the display refuses, SDL's driver is the dummy from then on."""
        self._surface = self.surface

    @property
    def is_invisible(self) -> bool:
        """Whether nobody can see what is drawn."""
        import pygame  # noqa: PLC0415 (the command line works without it)

        return self.surface is not None and pygame.display.get_driver() in OFFSCREEN_DRIVERS

    def _open(self) -> pygame.Surface:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        import pygame  # noqa: PLC0415

        pygame.font.init()
        try:
            self._surface = self._open_on_display()
        except pygame.error as trouble:
            # A table without a screen is still refereed by voice, lamps and buttons.
            self.refusal = str(trouble)
            log.warning("The screen does not open (%s): companion doctor tells you what to do.", trouble)
            pygame.display.quit()
            os.environ["SDL_VIDEODRIVER"] = "dummy"
            self._surface = self._open_on_display()
        return self._surface

    def _open_on_display(self) -> pygame.Surface:
        import pygame  # noqa: PLC0415

        pygame.display.init()
        pygame.display.set_caption(self._caption)
        size = self._size
        display = pygame.display.get_desktop_sizes()[0]
        too_large = display[0] < size[0] or display[1] < size[1]
        seen = pygame.display.get_driver() not in OFFSCREEN_DRIVERS
        if self._native and seen and (self._fullscreen or too_large):
            size = fit_drawing_size(display, size, self._most)
        # SCALED: plain FULLSCREEN stays black on some Wayland set-ups (pygame#3114).
        fills = self._fullscreen and seen
        surface = pygame.display.set_mode(
            size, pygame.FULLSCREEN | pygame.SCALED if fills else pygame.RESIZABLE
        )
        pygame.mouse.set_visible(not fills)
        return surface

    def read_events(self) -> list[inputs.Input]:
        """Everything that happened at the glass since the last call, in order."""
        self.open()
        import pygame  # noqa: PLC0415

        if self.on_joystick_button is not None and not pygame.joystick.get_init():
            pygame.joystick.init()  # what is plugged in is told as added
        found: list[inputs.Input] = []
        for event in pygame.event.get():
            found += self._translate_event(event)
        return found

    def _translate_event(self, event: pygame.event.Event) -> tuple[inputs.Input, ...]:
        import pygame  # noqa: PLC0415

        if event.type == pygame.KEYDOWN and event.key == pygame.K_F11:
            self._fullscreen = not self._fullscreen
            self._surface = self._open_on_display()
            return (inputs.WindowResized(*self._surface.get_size()),)
        if event.type == pygame.KEYDOWN:
            shift = bool(event.mod & pygame.KMOD_SHIFT)
            return (inputs.KeyPressed(pygame.key.name(event.key), event.unicode, shift),)
        if event.type == pygame.KEYUP:
            return (inputs.KeyReleased(pygame.key.name(event.key)),)
        if event.type in {pygame.FINGERDOWN, pygame.FINGERUP}:
            width, height = self.size
            kind = inputs.FingerDown if event.type == pygame.FINGERDOWN else inputs.FingerUp
            return (kind(int(event.x * width), int(event.y * height), int(event.finger_id) + 1),)
        if event.type in {pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP}:
            # SDL repeats the first finger as a mouse; the finger was already told.
            if event.button != 1 or getattr(event, "touch", False):
                return ()
            kind = inputs.FingerDown if event.type == pygame.MOUSEBUTTONDOWN else inputs.FingerUp
            return (kind(*event.pos),)
        if event.type == pygame.MOUSEWHEEL:
            return (inputs.Wheel(event.y),)
        if event.type == pygame.QUIT:
            return (inputs.CloseRequested(),)
        if event.type == pygame.AUDIODEVICEREMOVED and not event.iscapture:
            self.on_sound_lost()
            return ()
        if event.type in {pygame.JOYBUTTONDOWN, pygame.JOYBUTTONUP}:
            joystick = self._joysticks.get(event.instance_id)
            if joystick is not None and self.on_joystick_button is not None:
                self.on_joystick_button(joystick.get_name(), event.button, event.type == pygame.JOYBUTTONDOWN)
            return ()
        if event.type == pygame.JOYDEVICEADDED:
            joystick = pygame.joystick.Joystick(event.device_index)  # unheard unless it is open
            self._joysticks[joystick.get_instance_id()] = joystick
            return ()
        if event.type == pygame.JOYDEVICEREMOVED:
            self._joysticks.pop(event.instance_id, None)
            return ()
        if event.type == pygame.VIDEORESIZE:
            self._surface = pygame.display.get_surface()
            return (inputs.WindowResized(event.w, event.h),)
        return ()

    def flip(self) -> None:
        """Show what was drawn."""
        import pygame  # noqa: PLC0415

        if self._surface is not None:
            pygame.display.flip()

    def save_screenshot(self, path: Path) -> None:
        """Keep what is shown as a picture; `OSError` if there is no room."""
        import pygame  # noqa: PLC0415

        try:
            pygame.image.save(self.surface, str(path))
        except pygame.error as trouble:
            raise OSError(str(trouble)) from trouble

    def close(self) -> None:
        """Give the display back; closing twice is allowed."""
        if self._surface is None:
            return
        import pygame  # noqa: PLC0415

        self._surface = None
        pygame.display.quit()
