"""What the kernel tells of USB parts that do not answer, or came up slowly, and of input devices."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.system.bluetooth import has_bluetooth_loudspeaker
from companion.system.input_list import keyboard_boards
from companion.system.machine import Machine

SILENT = "usb 1-1.2: device descriptor read/64, error -71\nusb 1-1-port2: unable to enumerate USB device\n"
SHUTTER = 'I: Bus=0005 Vendor=0a5c Product=8502 Version=011b\nN: Name="AB Shutter3"\nU: Uniq=ff:00:12\n'
REMOTE = 'I: Bus=0005 Vendor=0000 Product=0000 Version=0000\nN: Name="JBL Go (AVRCP)"\nU: Uniq=aa:bb:cc\n'
LETTERS = "70000 0 0 7 ff9f207ac14057ff febeffdfffefffff fffffffffffffffe"


def write(root: Path, **files: str) -> Machine:
    for name, content in files.items():
        file = root / name.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return Machine(root=root, output=lambda *_: "")


@pytest.mark.parametrize(
    ("log", "socket"),
    [
        (SILENT, "1-1.2"),
        ("usb usb1-port3: unable to enumerate USB device\n", "1-3"),
        ("usb 1-1: device not accepting address 5, error -71\n", "1-1"),
        ("usb 1-1.2: new high-speed USB device number 5 using xhci_hcd\n", ""),
    ],
)
def test_a_part_that_does_not_answer_is_named_by_its_socket(tmp_path: Path, log: str, socket: str) -> None:
    machine = Machine(root=tmp_path, output=lambda *command: log if command[0] == "journalctl" else "")
    assert machine.find_silent_usb() == socket


def test_a_socket_where_a_part_has_come_up_since_counts_no_more(tmp_path: Path) -> None:
    (tmp_path / "sys/bus/usb/devices/1-1.2").mkdir(parents=True)
    assert Machine(root=tmp_path, output=lambda *_: SILENT).find_silent_usb() == ""


@pytest.mark.parametrize(
    ("speed", "kind", "slow"), [("12", "0e", "C920"), ("480", "0e", ""), ("12", "01", "")]
)
def test_a_webcam_that_came_up_as_usb_1_is_named_and_no_loudspeaker_is(
    tmp_path: Path, speed: str, kind: str, slow: str
) -> None:
    part = tmp_path / "sys/bus/usb/devices/1-1.2"
    part.mkdir(parents=True)
    (part / "speed").write_text(f"{speed}\n")
    (part / "product").write_text("C920\n")
    interface = part.with_name("1-1.2:1.0")
    interface.mkdir()
    (interface / "bInterfaceClass").write_text(f"{kind}\n")
    assert Machine(root=tmp_path).find_slow_webcam() == slow


@pytest.mark.parametrize(("inputs", "is_loud"), [("", True), (SHUTTER, False), (REMOTE, True)])
def test_a_button_on_bluetooth_is_no_loudspeaker(tmp_path: Path, inputs: str, *, is_loud: bool) -> None:
    (tmp_path / "sys/class/bluetooth/hci0:64").mkdir(parents=True)
    machine = write(tmp_path, proc__bus__input__devices=inputs)
    assert has_bluetooth_loudspeaker(machine) == is_loud


@pytest.mark.parametrize(
    ("vendor", "name", "handlers", "is_board"),
    [
        ("d209", "Ultimarc I-PAC 2", "sysrq kbd event0", True),
        ("cafe", "GP2040-CE (Keyboard)", "sysrq kbd event0", True),
        ("2e8a", "Raspberry Pi Ltd Pi 500 Keyboard", "sysrq kbd event0", False),
        ("046d", "Logitech USB Keyboard", "sysrq kbd event0", False),
        ("0079", "DragonRise Inc. Generic USB Joystick", "event0 js0", False),
    ],
)
def test_a_board_that_types_is_no_keyboard(
    tmp_path: Path, vendor: str, name: str, handlers: str, *, is_board: bool
) -> None:
    listed = f'I: Bus=0003 Vendor={vendor}\nN: Name="{name}"\nH: Handlers={handlers} \nB: KEY={LETTERS}\n'
    found = keyboard_boards(write(tmp_path, proc__bus__input__devices=listed))
    assert found == ((name,) if is_board else ())
