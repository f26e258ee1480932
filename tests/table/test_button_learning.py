"""USB buttons learnt on the screen: what is pressed, what steers the screen meanwhile, and what is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from companion.core.errors import CompanionError
from companion.core.switch import Edge
from companion.core.view import Sentence
from companion.settings.files import load_settings
from companion.table import button_learning
from companion.table.button_learning import ButtonLearning
from companion.ui.commands import ChangeSetting, LearnButtons, ShowPage
from companion.ui.frame import ButtonsFrame, ButtonsView, HomeFrame
from companion.ui.toolkit import inputs
from hardware.usb_encoder import UsbButtons, open_usb_buttons
from tests.hardware.input_kernel import InputKernel
from tests.table.app_table import Table

PAD, SHUTTER = "Microsoft X-Box 360 pad", "AB Shutter3"
KEYBOARD = [1, 15, 28, 30, 57, 105]
MOUSE = [0x110, 0x111]


class Learning:
    """The page's own part on recorded devices, under a clock that is moved by hand."""

    def __init__(self, kernel: InputKernel, clock: ManualClock) -> None:
        self.kernel, self.clock = kernel, clock
        self.used: list[Mapping[str, str] | None] = []
        self.released = 0
        self.part = ButtonLearning(
            2, clock, release=self._release, use=self.used.append, folder=kernel.folder
        )

    def _release(self) -> None:
        self.released += 1

    def press(self, device: Path, code: int) -> ButtonsView:
        """A press half a second later; how far it is then."""
        self.clock.move_to(self.clock.now() + SECOND // 2)
        self.kernel.press(device, code, self.clock.now() + SECOND)
        self.part.tick()
        return self.part.view()


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InputKernel]:
    kernel = InputKernel(tmp_path, monkeypatch)
    yield kernel
    kernel.close()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(button_learning, "user_settings_file", lambda: tmp_path / "settings.toml")
    return tmp_path / "settings.toml"


@pytest.fixture
def learning(kernel: InputKernel, file: Path) -> Learning:
    return Learning(kernel, ManualClock())


def test_chair_by_chair_the_first_press_on_any_device_is_learnt_used_and_kept(
    learning: Learning, file: Path
) -> None:
    pad, shutter = learning.kernel.plug("xbox-360-pad"), learning.kernel.plug("bluetooth-shutter")
    learning.part.open_page("buttons")
    assert learning.part.view() == ButtonsView("1")
    assert learning.press(pad, 0x131) == ButtonsView("2", (("1", PAD),))
    assert learning.press(shutter, 115).asked == "back"
    for name in ("next", "ok", ""):
        learning.part.carry_out(LearnButtons("skip"))
        assert learning.part.view().asked == name
    learned = {"1": f"305@{PAD}", "2": f"115@{SHUTTER}"}
    assert learning.part.view() == ButtonsView("", (("1", PAD), ("2", SHUTTER)))
    assert learning.used == [learned]
    assert load_settings(file=file).buttons.learned == learned


def test_leaving_the_page_changes_nothing_and_the_table_has_its_buttons_again(
    learning: Learning, file: Path
) -> None:
    pad = learning.kernel.plug("xbox-360-pad")
    learning.part.open_page("buttons")
    learning.press(pad, 0x131)
    assert learning.released == 1
    learning.part.open_page("settings")
    assert learning.used == [None]
    assert not file.exists()
    learning.part.open_page("home")
    assert learning.used == [None], "it had them already"


def test_what_was_learnt_so_far_is_kept_when_that_was_all(learning: Learning, file: Path) -> None:
    pad = learning.kernel.plug("xbox-360-pad")
    learning.part.open_page("buttons")
    learning.press(pad, 0x131)
    learning.part.carry_out(LearnButtons("again"))
    assert learning.part.view() == ButtonsView("1")
    learning.press(pad, 0x130)
    learning.part.carry_out(LearnButtons("keep"))
    assert learning.used == [{"1": f"304@{PAD}"}]
    assert load_settings(file=file).buttons.learned == {"1": f"304@{PAD}"}


def test_where_nothing_was_pressed_the_buttons_stay_as_they_were(learning: Learning, file: Path) -> None:
    learning.part.open_page("buttons")
    for _ in range(5):
        learning.part.carry_out(LearnButtons("skip"))
    assert learning.part.view() == ButtonsView(note=Sentence("ui.buttons.nothing"))
    assert learning.used == [None]
    assert not file.exists()


def test_touch_mouse_and_a_keyboard_s_arrows_steer_the_screen_and_its_letters_are_buttons(
    learning: Learning,
) -> None:
    mouse = learning.kernel.plug("xbox-360-pad", keys=MOUSE)
    keyboard = learning.kernel.plug("xbox-360-pad", keys=KEYBOARD)
    learning.part.open_page("buttons")
    assert learning.kernel.grabbed == set()
    for device, keys in ((mouse, MOUSE), (keyboard, [1, 15, 28, 57, 105])):
        for code in keys:
            assert learning.press(device, code).asked == "1"
    assert learning.press(keyboard, 30) == ButtonsView("2", (("1", PAD),))


def test_a_key_that_steers_the_screen_is_answered_while_buttons_are_learnt(learning: Learning) -> None:
    keyboard = learning.kernel.plug("xbox-360-pad", keys=KEYBOARD)
    learning.part.open_page("buttons")
    assert learning.press(keyboard, 57).note == Sentence("ui.buttons.steering")
    assert learning.press(keyboard, 30).note is None


def test_a_shutter_s_enter_is_learnt_and_presses_nothing_on_the_screen(learning: Learning) -> None:
    shutter = learning.kernel.plug("bluetooth-shutter")
    learning.part.open_page("buttons")
    assert learning.kernel.grabbed == {shutter}
    assert learning.press(shutter, 28) == ButtonsView("2", (("1", SHUTTER),))


def test_a_button_that_somebody_has_is_told_as_theirs(learning: Learning) -> None:
    pad = learning.kernel.plug("xbox-360-pad")
    learning.part.open_page("buttons")
    learning.press(pad, 0x131)
    assert learning.press(pad, 0x131).note == Sentence("ui.buttons.repeated", (("chair", 0),))
    assert learning.press(pad, 0x130).note is None
    learning.press(pad, 0x133)
    assert learning.press(pad, 0x133).note == Sentence("ui.buttons.repeated", (("button", "back"),))


def test_a_device_that_is_plugged_in_while_it_asks_is_heard(learning: Learning) -> None:
    learning.part.open_page("buttons")
    assert learning.part.view().note == Sentence("ui.buttons.no_device")
    pad = learning.kernel.plug("xbox-360-pad")
    learning.clock.move_to(3 * SECOND)
    learning.part.tick()
    assert learning.part.view() == ButtonsView("1")
    assert learning.press(pad, 0x131).asked == "2"
    learning.kernel.unplug(pad)
    learning.clock.move_to(6 * SECOND)
    learning.part.tick()
    assert learning.part.view().note == Sentence("ui.buttons.no_device")


def test_devices_that_this_user_may_not_read_are_told(learning: Learning) -> None:
    learning.kernel.forbidden = {learning.kernel.plug("xbox-360-pad")}
    learning.part.open_page("buttons")
    assert learning.part.view().note == Sentence("shared.trouble.encoder_forbidden")


def test_where_the_settings_cannot_be_written_the_buttons_work_all_the_same(
    learning: Learning, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise CompanionError("can't write")

    monkeypatch.setattr(button_learning, "save_settings", refuse)
    pad = learning.kernel.plug("xbox-360-pad")
    learning.part.open_page("buttons")
    learning.press(pad, 0x131)
    learning.part.carry_out(LearnButtons("keep"))
    assert learning.used == [{"1": f"305@{PAD}"}]
    assert learning.part.view().note == Sentence("ui.buttons.not_kept")


def test_a_button_that_is_down_when_its_device_is_let_go_does_not_stay_down(kernel: InputKernel) -> None:
    pad, edges = kernel.plug("xbox-360-pad"), list[Edge]()
    usb: UsbButtons = open_usb_buttons(
        "", {}, {}, clock=ManualClock(), put=edges.append, post=lambda _: None, folder=kernel.folder
    )
    kernel.press(pad, 0x130, SECOND)
    usb.poll()
    usb.close()
    assert [edge.level for edge in edges] == [True, False]


def test_the_page_is_left_by_touch_and_by_keys_and_goes_on_by_both(kernel: InputKernel, file: Path) -> None:
    pad, learning = kernel.plug("xbox-360-pad"), list[Learning]()

    def make(clock: ManualClock) -> ButtonLearning:
        learning.append(Learning(kernel, clock))
        return learning[0].part

    table = Table(button_learning=make)
    table.app.carry_out(ShowPage("settings"))
    settings = table.app.frame()
    assert isinstance(settings, HomeFrame)
    assert settings.learns_buttons
    table.app.carry_out(ShowPage("buttons"))
    (part,) = learning

    def shown() -> ButtonsView:
        frame = table.app.frame()
        assert isinstance(frame, ButtonsFrame)
        return frame.view

    def touch(key: str) -> None:
        targets = table.app._pages["buttons"].painted_sheet(table.app.frame()).targets
        rect = next(target.rect for target in targets if target.key == key)
        table.window.entered.append(inputs.FingerDown(*rect.center))
        table.app.run_once()

    part.press(pad, 0x131)
    assert shown().asked == "2"
    table.window.entered.append(inputs.KeyPressed("return"))  # what is marked: skip
    table.app.run_once()
    assert shown().asked == "back"
    touch("again")
    assert shown() == ButtonsView("1")
    part.press(pad, 0x131)
    touch("keep")
    assert shown() == ButtonsView("", (("1", PAD),))
    table.app.carry_out(ChangeSetting("language", "de"))
    table.window.entered.append(inputs.KeyPressed("escape"))
    table.app.run_once()
    assert table.app.page == "settings"
