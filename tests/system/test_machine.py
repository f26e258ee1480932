"""What the machine tells of itself: memory, sockets, groups."""

from pathlib import Path

import pytest

from companion.system.machine import MIN_MEMORY, Machine


def _write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


def test_what_apt_has_installed_is_not_to_be_installed_again(tmp_path: Path) -> None:
    bare = Machine(root=tmp_path, module=lambda name: None)
    assert bare.package_remedy("python3-gpiod", "gpiod").startswith("sudo apt install python3-gpiod;")
    _write(tmp_path, "usr/lib/python3/dist-packages/gpiod/__init__.py", "")
    assert "this environment does not see it" in bare.package_remedy("python3-gpiod", "gpiod")
    seen = Machine(root=tmp_path, module=lambda name: tmp_path / name)  # too old a version
    assert seen.package_remedy("python3-gpiod", "gpiod").startswith("sudo apt install")


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ("video:x:44:bob,ana\nrender:x:104:ana\n", "log out and in again"),
        ("video:x:44:ana\nrender:x:104:bob\n", "sudo usermod -aG video,render"),
        ("video:x:44:anabel\nrender:x:104:ana\n", "sudo usermod -aG video,render"),
        ("", "sudo usermod -aG video,render"),
    ],
)
def test_who_joined_a_group_is_told_to_log_in_again_and_not_to_join(
    tmp_path: Path, members: str, told: str
) -> None:
    _write(tmp_path, "etc/group", f"root:x:0:\n{members}")
    assert Machine(root=tmp_path, environ={"USER": "ana"}).join_groups("video,render").startswith(told)
    assert Machine(root=tmp_path, environ={}).join_groups("video").startswith("sudo usermod")


def test_on_a_pi_one_line_joins_all_groups_of_a_table(tmp_path: Path) -> None:
    _write(
        tmp_path, "etc/group", "gpio:x:1:pi\nvideo:x:2:pi\nrender:x:3:pi\ninput:x:4:pi,anna\naudio:x:5:pi\n"
    )
    machine = Machine(root=tmp_path, environ={"USER": "anna"})
    assert machine.join_groups("video").startswith("sudo usermod -aG video $USER")
    _write(tmp_path, "proc/device-tree/model", "Raspberry Pi 4 Model B")
    told = "sudo usermod -aG video,gpio,render,audio $USER, then log in again"
    assert machine.join_groups("video") == told


def test_a_service_is_told_its_own_user_and_to_be_started_again(tmp_path: Path) -> None:
    _write(tmp_path, "proc/self/cgroup", "0::/system.slice/cardtable.service\n")
    machine = Machine(root=tmp_path, environ={"USER": "tisch"})
    told = "sudo usermod -aG gpio tisch, then sudo systemctl restart cardtable.service"
    assert machine.join_groups("gpio") == told
    _write(tmp_path, "etc/group", "gpio:x:997:tisch\n")
    assert machine.join_groups("gpio").startswith("sudo systemctl restart cardtable.service: tisch was added")


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        (
            "proc/meminfo",
            f"MemTotal: 930000 kB\nMemAvailable: {MIN_MEMORY - 1} kB\n",
            "only 149 MB of memory",
        ),
        ("proc/meminfo", f"MemAvailable: {MIN_MEMORY} kB\n", ""),
        ("proc/vmstat", "nr_free_pages 31000\noom_kill 3\n", "memory ran out"),
        ("proc/vmstat", "nr_free_pages 31000\noom_kill 0\n", ""),
    ],
)
def test_memory_that_is_short_or_was_so_is_told(tmp_path: Path, file: str, text: str, told: str) -> None:
    _write(tmp_path, file, text)
    found = Machine(root=tmp_path).find_memory_fault()
    assert found.startswith(told)
    assert bool(found) == bool(told)


@pytest.mark.parametrize(
    ("model", "has_socket"),
    [
        ("Raspberry Pi 500 Rev 1.0", False),
        ("Raspberry Pi 400 Rev 1.1", False),
        ("Raspberry Pi 5 Model B Rev 1.0", True),
        ("Raspberry Pi Zero 2 W Rev 1.0", True),
    ],
)
def test_a_pi_that_is_a_keyboard_has_no_socket_for_a_camera(
    tmp_path: Path, model: str, has_socket: bool
) -> None:
    _write(tmp_path, "proc/device-tree/model", f"{model}\0")
    assert Machine(root=tmp_path).has_ribbon_socket() is has_socket
