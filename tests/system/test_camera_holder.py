"""Whoever holds the camera, the pins or the table is named before a verb opens them in vain."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.core.errors import CompanionError
from companion.system import file_owner
from companion.system.device_lock import (
    require_camera_free,
    require_own_table,
    require_pins_free,
    require_sound_free,
    require_table_free,
)
from companion.system.machine import CAMERA_PROGRAMS, Machine


def machine(root: Path) -> Machine:
    return Machine(root=root, platform="linux", environ={}, folder=root)


def process(root: Path, number: int, group: str, *holds: str) -> None:
    folder = root / "proc" / str(number)
    (folder / "fd").mkdir(parents=True)
    (folder / "cgroup").write_text(f"0::{group}\n")
    (folder / "comm").write_text("cheese\n")
    for at, device in enumerate(holds):
        (folder / "fd" / str(at)).symlink_to(root / device)


def test_the_service_holds_the_camera_and_its_screen_is_named(tmp_path: Path) -> None:
    process(tmp_path, 4711, "/system.slice/companion.service")
    with pytest.raises(CompanionError, match=r"the service is using the camera.*systemctl stop companion"):
        require_camera_free("auto", machine(tmp_path))


def test_another_program_is_named(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "video0").touch()
    process(tmp_path, 4711, "/user.slice", "dev/video0")
    with pytest.raises(CompanionError, match=r"process 4711 \(cheese\) is using the camera"):
        require_camera_free("auto", machine(tmp_path))


def test_a_free_camera_and_a_folder_of_pictures_are_nobody_s(tmp_path: Path) -> None:
    process(tmp_path, 4711, "/user.slice")
    require_camera_free("auto", machine(tmp_path))
    process(tmp_path, 4712, "/system.slice/companion.service")
    require_camera_free("folder", machine(tmp_path))


def test_the_service_holds_the_pins(tmp_path: Path) -> None:
    process(tmp_path, 4711, "/user.slice")
    require_pins_free(machine(tmp_path))
    process(tmp_path, 4712, "/system.slice/companion.service")
    with pytest.raises(CompanionError, match=r"the service is using the pins.*systemctl stop companion"):
        require_pins_free(machine(tmp_path))


def test_nobody_plays_beside_the_service_and_it_may_play_itself(tmp_path: Path) -> None:
    process(tmp_path, 4711, "/user.slice")
    require_table_free(machine(tmp_path))
    process(tmp_path, 4712, "/system.slice/companion.service")
    told = "the service is using the camera, the pins and the screen: play at its screen, or stop it first"
    with pytest.raises(CompanionError, match=f"{told}: sudo systemctl stop companion"):
        require_table_free(machine(tmp_path))
    (tmp_path / "proc/self").mkdir()
    (tmp_path / "proc/self/cgroup").write_text("0::/system.slice/companion.service\n")
    require_table_free(machine(tmp_path))


def test_the_table_that_the_desktop_starts_holds_them_too_and_may_play_itself(tmp_path: Path) -> None:
    folder = tmp_path / "proc" / "640"
    folder.mkdir(parents=True)
    program = "/opt/companion/current/venv/bin"
    (folder / "cmdline").write_text(f"{program}/python3\0{program}/companion\0play\0--go-on\0")
    told = "the table on the desktop is using the pins: .*, or leave it there first: More, Quit"
    with pytest.raises(CompanionError, match=told):
        require_pins_free(machine(tmp_path))
    folder.rename(folder.parent / str(os.getpid()))
    require_table_free(machine(tmp_path))


def hidden(root: Path, number: int, group: str, command: str) -> None:
    """Another user's process, whose open files are hidden."""
    folder = root / "proc" / str(number)
    folder.mkdir(parents=True)
    for name, text in (("cgroup", f"0::{group}\n"), ("comm", command[:15]), ("cmdline", f"{command}\0")):
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("group", "command", "ends"),
    [
        ("/system.slice/motion.service", "/usr/bin/motion", "sudo systemctl disable --now motion.service"),
        ("/system.slice/docker-0123456789abcdef.scope", "frigate", "then sudo docker stop 0123456789ab"),
        ("/user.slice/user-1001.slice/session-3.scope", "rpicam-hello", "sudo kill 812"),
        (
            "/user.slice/user-1001.slice/user@1001.service/app.slice/webcam.service",
            "ffmpeg -i /dev/video0",
            "systemctl --user disable --now webcam.service",
        ),
    ],
)
def test_a_program_of_another_user_is_known_by_its_name_and_ends_for_good(
    tmp_path: Path, group: str, command: str, ends: str
) -> None:
    hidden(tmp_path, 811, "/system.slice/ssh.service", "sshd")
    hidden(tmp_path, 812, group, command)
    found = machine(tmp_path).find_holder([tmp_path / "dev/video0"], CAMERA_PROGRAMS)
    assert found is not None
    assert ends in found.remedy()
    assert machine(tmp_path).find_holder([tmp_path / "dev/video0"]) is None, "nobody is seen with it"


def test_alsa_tells_who_plays(tmp_path: Path) -> None:
    hidden(tmp_path, 820, "/system.slice/shairport-sync.service", "shairport-sync")
    status = tmp_path / "proc/asound/card1/pcm0p/sub0/status"
    status.parent.mkdir(parents=True)
    status.write_text("state: RUNNING\nowner_pid   : 820\n")
    found = machine(tmp_path).sound_holder(1)
    assert found is not None
    assert found.unit == "shairport-sync.service"
    assert machine(tmp_path).sound_holder(0) is None


def test_the_service_has_the_sound(tmp_path: Path) -> None:
    process(tmp_path, 4711, "/user.slice")
    require_sound_free(machine(tmp_path))
    process(tmp_path, 4712, "/system.slice/companion.service")
    with pytest.raises(CompanionError, match=r"the service is using the sound: choose Loudspeaker"):
        require_sound_free(machine(tmp_path))


@pytest.mark.parametrize("is_root", [True, False])
def test_what_would_never_reach_another_user_s_table_is_refused_with_the_command_that_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_root: bool
) -> None:
    folder = tmp_path / "table"  # not there yet: what is above it counts
    require_own_table(folder, "press --learn")
    monkeypatch.setattr(file_owner, "is_owned_by_us", lambda _: False)
    monkeypatch.setattr(file_owner, "is_root", lambda: is_root)
    monkeypatch.setattr(os, "access", lambda *_: is_root)
    monkeypatch.setattr(Path, "owner", lambda _: "companion")
    with pytest.raises(CompanionError, match=r"companion: sudo -u companion companion press --learn"):
        require_own_table(folder, "press --learn")


def test_a_folder_that_everybody_may_write_in_is_nobody_else_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_owner, "is_owned_by_us", lambda _: False)
    monkeypatch.setattr(file_owner, "is_root", lambda: False)
    require_own_table(tmp_path, "calibrate --once")
