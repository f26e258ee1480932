"""A laptop with USB buttons, plugged in as the guide says: the whole table, from recorded input devices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pygame
import pytest

from companion.core.actions import SECOND
from companion.core.view import Sentence
from companion.language.language import Language
from companion.table.host import DISTURBED_FOR
from companion.table.trouble_watch import NEWS_TIME
from companion.ui import commands as do
from hardware import usb_encoder
from tests.hardware.input_kernel import InputKernel
from tests.whole.playing import Playing

CHAIRS = (0, 1, 2, 3)
STEP = SECOND // 5


class UsbTable(Playing):
    """A table of four whose buttons are keys of one device."""

    def __init__(self, folder: Path, kernel: InputKernel, device: Path, codes: tuple[int, ...]) -> None:
        self.kernel, self.device, self.codes = kernel, device, codes
        super().__init__(folder, "setup")

    def press(self, chair: int) -> None:
        self.kernel.press(self.device, self.codes[chair], self.clock.now())
        self.run(STEP)
        self.kernel.press(self.device, self.codes[chair], self.clock.now(), down=False)
        self.run(STEP)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InputKernel]:
    folder = tmp_path / "input"
    folder.mkdir()
    monkeypatch.setitem(usb_encoder.open_usb_buttons.__kwdefaults__, "folder", folder)
    found = InputKernel(folder, monkeypatch)
    yield found
    found.close()


def begun(tmp_path: Path, kernel: InputKernel) -> tuple[Path, UsbTable]:
    """A game of Kinapa with the buttons of an encoder."""
    device = kernel.plug("dragonrise-encoder")
    table = UsbTable(tmp_path / "games", kernel, device, (288, 289, 290, 291))
    table.app.carry_out(do.StartGame("kinapa", CHAIRS, None))
    table.run(STEP)
    return device, table


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("dragonrise-encoder", (288, 289, 290, 291)),
        ("buzz-controller", (288, 293, 298, 303)),
        ("xbox-360-pad", (0x130, 0x131, 0x133, 0x134)),
    ],
)
def test_four_people_join_count_and_raise_a_hand_by_their_usb_buttons(
    tmp_path: Path, kernel: InputKernel, name: str, codes: tuple[int, ...]
) -> None:
    table = UsbTable(tmp_path / "games", kernel, kernel.plug(name), codes)
    assert not table.host.needs_keyboard()
    for chair in CHAIRS:
        table.press(chair)
    assert table.app.ui_state.draft.chairs == CHAIRS
    table.app.carry_out(do.StartGame("kinapa", CHAIRS, None))
    table.run()
    table.press(0)
    table.choose("announce", "7")
    for _ in range(60):
        if table.state.phase == "counting":
            break
        table.run(STEP)
    table.press(2)
    table.run(4 * SECOND)
    presses = [
        entry.cause
        for entry in table.session.game.referee.journal.entries
        if "Pressed" in type(entry.cause).__name__
    ]
    assert {press.source for press in presses} == {"usb"}
    assert [press.chair for press in presses][-1] == 2
    table.close()


def test_where_the_kernel_lost_presses_the_screen_says_once_to_press_again(
    tmp_path: Path, kernel: InputKernel
) -> None:
    device, table = begun(tmp_path, kernel)
    kernel.overflow(device, table.clock.now())
    table.run(STEP)
    assert table.app.frame().trouble == Sentence("ui.dropped")
    table.run(DISTURBED_FOR)
    assert table.app.frame().trouble != Sentence("ui.dropped")
    table.close()


def test_a_button_that_the_encoder_presses_by_itself_is_named_in_the_game_and_before_the_next(
    tmp_path: Path, kernel: InputKernel
) -> None:
    device, table = begun(tmp_path, kernel)
    for change in range(30):
        kernel.press(device, 290, table.clock.now(), down=change % 2 == 0)
        table.run(SECOND // 30)
    told = Sentence("ui.turbo", (("chair", 2), ("times", 15)))
    assert table.app.frame().trouble == told
    assert "15" in Language("en").text(told)
    table.run(NEWS_TIME)
    assert table.app.frame().trouble != told
    assert told in table.host.warnings()
    table.close()


def test_where_the_kernel_gives_no_devices_the_window_reads_joysticks_as_finely_as_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Joystick:
        def __init__(self, index: int) -> None:
            self.index = index

        def get_instance_id(self) -> int:
            return self.index

        def get_name(self) -> str:
            return "DragonRise Inc. Generic USB Joystick"

    for module in ("companion.table.real_host", "companion.programs.run_table"):
        monkeypatch.setattr(f"{module}.has_input_devices", lambda: False)
    monkeypatch.setattr(pygame.joystick, "Joystick", Joystick)
    table = Playing(tmp_path / "games", "setup")
    assert table.host.needs_keyboard()
    post, event = pygame.event.post, pygame.event.Event
    post(event(pygame.JOYDEVICEADDED, device_index=0))
    for chair in CHAIRS:
        for kind in (pygame.JOYBUTTONDOWN, pygame.JOYBUTTONUP):
            post(event(kind, instance_id=0, button=chair))
            table.run(STEP)
    assert table.app.ui_state.draft.chairs == CHAIRS
    assert not table.host.needs_keyboard()
    rules = table.games.settings.house_rules("kabuki")
    assert rules.usb_us == rules.key_us == 16_000
    table.close()
    pygame.joystick.quit()
