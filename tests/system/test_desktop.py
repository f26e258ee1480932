"""Which Pi this is, who has its screen, and whether a program could draw on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.settings.model import Settings
from companion.system.desktop import Desktop, find_desktop, find_missing_library, take_screen
from companion.system.machine import Machine
from companion.table import runtime
from companion.table.runtime import build_window


@pytest.mark.parametrize(
    ("model", "generation"),
    [
        ("Raspberry Pi 5 Model B Rev 1.0", 5),
        ("Raspberry Pi 500 Rev 1.0", 5),
        ("Raspberry Pi Compute Module 5 Rev 1.0", 5),
        ("Raspberry Pi 400 Rev 1.0", 4),
        ("Raspberry Pi 4 Model B Rev 1.4", 4),
        ("Raspberry Pi 3 Model B Plus Rev 1.3", 3),
        ("Raspberry Pi Zero 2 W Rev 1.0", 3),
        ("Raspberry Pi Model B Rev 2", 1),
        ("Some other board", 0),
        ("", 0),
    ],
)
def test_the_generation_of_a_pi_stands_in_its_model(tmp_path: Path, model: str, generation: int) -> None:
    if model:
        (tmp_path / "proc/device-tree").mkdir(parents=True)
        (tmp_path / "proc/device-tree/model").write_text(f"{model}\0")
    assert Machine(root=tmp_path).pi_generation() == generation


def test_the_table_s_window_draws_what_its_machine_can(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_text("Raspberry Pi 4 Model B Rev 1.4\0")
    monkeypatch.setattr(runtime, "Machine", lambda: Machine(root=tmp_path))
    settings = Settings().with_full_screen()
    assert build_window(settings, "table")._most == (1280, 720)


def test_a_session_on_the_screen_is_a_desktop_and_one_over_ssh_is_none(tmp_path: Path) -> None:
    sessions = tmp_path / "run/systemd/sessions"
    sessions.mkdir(parents=True)
    (sessions / "3").write_text("USER=ada\nACTIVE=1\nTYPE=tty\nREMOTE=1\nSERVICE=sshd\n")
    assert find_desktop(tmp_path) is None
    (sessions / "1").write_text("USER=bob\nACTIVE=1\nTYPE=wayland\nSEAT=seat0\nSERVICE=lightdm-autologin\n")
    assert find_desktop(tmp_path) == Desktop("bob", "lightdm-autologin")


def test_a_desktop_that_only_starts_later_has_the_screen_too(tmp_path: Path) -> None:
    system = tmp_path / "etc/systemd/system"
    system.mkdir(parents=True)
    assert find_desktop(tmp_path) is None
    (system / "display-manager.service").symlink_to("/usr/lib/systemd/system/lightdm.service")
    assert str(find_desktop(tmp_path)) == "the desktop that lightdm starts"
    (system / "default.target").symlink_to("/usr/lib/systemd/system/multi-user.target")
    assert find_desktop(tmp_path) is None, "the machine starts without it"


def test_what_is_no_graphics_card_says_why_nothing_is_drawn_on_it(tmp_path: Path) -> None:
    assert take_screen(tmp_path / "card0") == "No such file or directory"
    (tmp_path / "card1").touch()
    assert take_screen(tmp_path / "card1") == "Inappropriate ioctl for device"


def test_a_library_that_is_missing_without_a_desktop_is_named() -> None:
    def load(name: str) -> None:
        if name == "libEGL.so.1":
            raise OSError(f"{name}: cannot open shared object file")

    assert find_missing_library(load) == "libEGL.so.1: cannot open shared object file"
    assert find_missing_library(str) == ""
