"""The window under SDL's dummy driver."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pygame
import pytest

from companion.ui.toolkit import inputs
from companion.ui.toolkit.window import Window


@pytest.fixture
def window():
    opened = Window((640, 360))
    yield opened
    opened.close()


def test_keys_fingers_and_the_mouse_arrive_in_order(window: Window) -> None:
    window.read_events()
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_3, mod=pygame.KMOD_LSHIFT, unicode="3"))
    pygame.event.post(pygame.event.Event(pygame.KEYUP, key=pygame.K_3, mod=0))
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=(10, 20), touch=False))
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONUP, button=1, pos=(11, 20), touch=False))
    pygame.event.post(
        pygame.event.Event(pygame.FINGERDOWN, touch_id=1, finger_id=2, x=0.5, y=0.5, dx=0, dy=0)
    )
    pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=-1))
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    seen = [one for one in window.read_events() if not isinstance(one, inputs.WindowResized)]
    assert seen == [
        inputs.KeyPressed("3", "3", shift=True),
        inputs.KeyReleased("3"),
        inputs.FingerDown(10, 20),
        inputs.FingerUp(11, 20),
        inputs.FingerDown(320, 180, 3),
        inputs.Wheel(-1),
        inputs.CloseRequested(),
    ]


def test_the_mouse_that_repeats_a_finger_and_other_buttons_are_not_told(window: Window) -> None:
    window.read_events()
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=(10, 20), touch=True))
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=3, pos=(10, 20), touch=False))
    assert not any(isinstance(one, inputs.FingerDown) for one in window.read_events())


def test_a_sound_card_that_is_taken_out_is_told_and_a_microphone_is_not() -> None:
    lost: list[str] = []
    window = Window((640, 360))
    window.on_sound_lost = lambda: lost.append("card")
    window.read_events()
    for iscapture in (1, 0):
        pygame.event.post(pygame.event.Event(pygame.AUDIODEVICEREMOVED, which=2, iscapture=iscapture))
    assert window.read_events() == []
    assert lost == ["card"]
    window.close()


def test_buttons_of_a_joystick_are_told_once_it_is_plugged_in(
    window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Joystick:
        def __init__(self, index: int) -> None:
            self.index = index

        def get_instance_id(self) -> int:
            return self.index + 7

        def get_name(self) -> str:
            return "Pad"

    told: list[tuple[str, int, bool]] = []
    monkeypatch.setattr(pygame.joystick, "Joystick", Joystick)
    post, event = pygame.event.post, pygame.event.Event
    window.on_joystick_button = lambda *pressed: told.append(pressed)
    window.read_events()
    assert pygame.joystick.get_init()
    post(event(pygame.JOYBUTTONDOWN, instance_id=7, button=1))  # of one that is not open
    post(event(pygame.JOYDEVICEADDED, device_index=0))
    post(event(pygame.JOYBUTTONDOWN, instance_id=7, button=3))
    post(event(pygame.JOYBUTTONUP, instance_id=7, button=3))
    post(event(pygame.JOYDEVICEREMOVED, instance_id=7))
    assert window.read_events() == []
    assert told == [("Pad", 3, True), ("Pad", 3, False)]
    pygame.joystick.quit()


def test_f11_fills_the_screen_and_makes_it_a_window_again(monkeypatch: pytest.MonkeyPatch) -> None:
    window, opened = Window((640, 360)), list[int]()
    window.read_events()
    set_mode = pygame.display.set_mode

    def note(size: tuple[int, int], flags: int) -> pygame.Surface:
        opened.append(flags & pygame.FULLSCREEN)
        return set_mode(size)

    monkeypatch.setattr(pygame.display, "set_mode", note)
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "x11")
    for _ in range(2):
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F11, mod=0, unicode=""))
        assert inputs.WindowResized(640, 360) in window.read_events()
    assert opened == [pygame.FULLSCREEN, 0]
    window.close()


def test_a_screenshot_is_what_is_shown(window: Window, tmp_path: Path) -> None:
    window.surface.fill((10, 20, 30))
    window.flip()
    window.save_screenshot(tmp_path / "shot.png")
    assert pygame.image.load(tmp_path / "shot.png").get_at((5, 5))[:3] == (10, 20, 30)


def test_closing_twice_is_allowed_and_closing_unopened_too() -> None:
    window = Window()
    window.close()
    assert window.size == (1280, 720)
    window.close()
    window.close()


def test_values_of_the_screen_need_no_pygame() -> None:
    code = (
        "import sys; import companion.ui.toolkit.inputs, companion.ui.commands, companion.ui.frame, "
        "companion.ui.frame, companion.ui.toolkit.window; sys.exit('pygame' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
