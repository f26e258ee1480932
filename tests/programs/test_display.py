"""A table that can draw on no screen says so at once, and who has it."""

from __future__ import annotations

import logging
from pathlib import Path

import pygame
import pytest

from companion.core.errors import InputError
from companion.core.view import Sentence
from companion.language.language import Language
from companion.programs.display import require_screen, warn_if_invisible
from companion.ui.toolkit.window import Window

SESSION = "USER=ada\nACTIVE=1\nTYPE=wayland\nSEAT=seat0\nSERVICE=lightdm-autologin\n"


@pytest.fixture
def desktop(tmp_path: Path) -> Path:
    """A machine on whose screen somebody's desktop is."""
    sessions = tmp_path / "run" / "systemd" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "1").write_text(SESSION)
    return tmp_path


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> Window:
    """A window that the display refused, as the kernel refuses a second program on a screen."""
    pygame.display.quit()  # SDL takes another driver only then
    monkeypatch.setenv("SDL_VIDEODRIVER", "no-such-driver")
    window = Window((640, 400))
    window.open()
    return window


def test_a_service_beside_a_desktop_says_aloud_and_in_the_log_who_has_the_screen(
    refused: Window, desktop: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    said = warn_if_invisible(refused, heard=True, root=desktop)
    assert said == Sentence("shared.screen.taken")
    assert Language("en").text(said) == "A desktop has my screen. Run the installer again."
    (record,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert record.getMessage() == (
        "The desktop of ada (lightdm-autologin) has the screen, so nothing is drawn on it: run "
        "systemd/install.sh again, which starts the table on the desktop."
    )
    refused.close()


def test_who_starts_the_table_by_ssh_beside_a_desktop_is_sent_to_a_terminal_there(
    refused: Window, desktop: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody who typed the command has an installer to run again, and the voice asks for none."""
    monkeypatch.setenv("SSH_CONNECTION", "192.168.1.2 50022 192.168.1.3 22")
    assert warn_if_invisible(refused, heard=True, root=desktop) is None
    (record,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert "has the screen, so nothing is drawn on it: start the table in a terminal" in record.getMessage()
    assert "WAYLAND_DISPLAY=wayland-0" in record.getMessage()
    refused.close()


def test_who_needs_a_screen_that_a_desktop_has_is_sent_there(
    desktop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with pytest.raises(InputError) as without:
        require_screen("companion calibrate", root=tmp_path / "no desktop")
    assert "there is none: start it on a computer with a display, or use companion" in str(without.value)
    with pytest.raises(InputError) as beside:
        require_screen("companion calibrate", root=desktop)
    assert str(beside.value) == (
        "companion calibrate needs a screen and the desktop of ada (lightdm-autologin) has it: type it in a "
        "terminal there, or use companion calibrate --once."
    )


def test_a_table_without_a_screen_only_says_what_is_left(
    refused: Window, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert warn_if_invisible(refused, heard=True, root=tmp_path) is None
    assert "No display: voice, lamps and buttons lead the game." in capsys.readouterr().out
    refused.close()


def test_nobody_is_told_who_draws_into_memory_on_purpose(
    desktop: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = Window((640, 400))
    assert warn_if_invisible(window, heard=True, root=desktop) is None
    assert caplog.records == []
    window.close()


def test_where_no_screen_answers_it_is_said_aloud_and_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    state = tmp_path / "sys/class/drm/card1-HDMI-A-1/status"
    state.parent.mkdir(parents=True)
    window = Window((640, 400))
    monkeypatch.setattr(Window, "is_invisible", False)
    state.write_text("connected\n")
    assert warn_if_invisible(window, heard=True, root=tmp_path) is None
    assert caplog.text == ""
    state.write_text("disconnected\n")
    assert warn_if_invisible(window, heard=True, root=tmp_path) == Sentence("shared.screen.none")
    assert "No screen answers" in caplog.text
    assert "switch it on" in caplog.text
