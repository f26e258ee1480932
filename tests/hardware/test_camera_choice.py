"""Which camera is opened; none of these tests needs one."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.core.clock import ManualClock
from hardware import camera_selection
from hardware.camera_files import FolderCamera
from hardware.camera_selection import find_webcams, open_camera
from hardware.errors import (
    CameraBusyError,
    CameraError,
    CameraForbiddenError,
    CameraMemoryError,
    CameraNotSoughtError,
    CameraSettingError,
    LibraryMissingError,
    NoCameraError,
    NoSocketError,
    OtherSensorError,
)


def test_a_folder_is_a_camera(tmp_path: Path):
    cv2.imwrite(str(tmp_path / "1.png"), np.zeros((2, 2, 3), np.uint8))
    assert isinstance(open_camera("folder", str(tmp_path), ManualClock()), FolderCamera)


def test_a_pi_s_camera_that_was_asked_for_is_not_replaced():
    with pytest.raises(LibraryMissingError):
        open_camera("pi", "", ManualClock())


class Machine:
    """The `dev` and `sys` of a machine with these video devices: number → driver, and its stable name."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "dev/v4l/by-id").mkdir(parents=True)

    def add(self, number: int, driver: str, *, index: int = 0, name: str = "") -> None:
        node = self.root / f"dev/video{number}"
        node.touch()
        about = self.root / f"sys/class/video4linux/video{number}"
        (about / "device").mkdir(parents=True)
        drivers = self.root / "sys/bus/drivers" / driver
        drivers.mkdir(parents=True, exist_ok=True)
        (about / "device/driver").symlink_to(drivers)
        (about / "index").write_text(f"{index}\n")
        if name:
            (self.root / f"dev/v4l/by-id/usb-{name}-video-index{index}").symlink_to(node)


@pytest.fixture
def pi_4(tmp_path: Path) -> Machine:
    """A Pi 4 with nothing plugged in: codec, ISP and HEVC, as rpicam-apps issues 478 and 591 list them."""
    machine = Machine(tmp_path)
    for number in (10, 11, 12, 18, 31):
        machine.add(number, "bcm2835-codec")
    for number in (13, 14, 15, 16):
        machine.add(number, "bcm2835-isp")
    machine.add(19, "rpi-hevc-dec")
    return machine


class Opened(Exception):
    """What was opened."""


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_it(device: int | str, *_: object, **__: object) -> None:
        raise Opened(device)

    monkeypatch.setattr(camera_selection, "UsbCamera", open_it)


def test_a_machine_without_any_camera_says_so(tmp_path: Path):
    with pytest.raises(CameraError, match="No camera was found"):
        open_camera("auto", "", ManualClock(), root=tmp_path)


def test_memory_that_cmdline_txt_reserves_is_found_there(pi_4: Machine, monkeypatch: pytest.MonkeyPatch):
    def start(*_: object, **__: object) -> None:
        raise CameraMemoryError("The Pi's camera does not start (no memory): in config.txt write cma-256.")

    monkeypatch.setattr(camera_selection, "PiCamera", start)
    (pi_4.root / "proc").mkdir()
    (pi_4.root / "proc/cmdline").write_text("console=tty1 cma=64M rootwait\n")
    with pytest.raises(CameraMemoryError, match=r"take cma=64M out of /boot/firmware/cmdline.txt") as told:
        open_camera("pi", "", ManualClock(), root=pi_4.root)
    assert told.value.screen_sentence().key == "shared.trouble.camera_memory"


@pytest.mark.usefixtures("opened")
def test_a_pi_without_a_webcam_opens_none_of_its_own_devices(pi_4: Machine):
    assert find_webcams(pi_4.root) == ()
    with pytest.raises(CameraError, match="No webcam was found"):
        open_camera("usb", "", ManualClock(), root=pi_4.root)
    with pytest.raises(CameraError, match="No camera was found"):
        open_camera("auto", "", ManualClock(), root=pi_4.root)


@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize("kind", ["auto", "usb"])
def test_a_webcam_beside_the_ribbon_camera_s_raw_device_is_found(pi_4: Machine, kind: str):
    pi_4.add(0, "rp1-cfe")
    pi_4.add(8, "uvcvideo", name="046d_C270")
    pi_4.add(9, "uvcvideo", index=1, name="046d_C270")
    with pytest.raises(Opened, match="8"):
        open_camera(kind, "", ManualClock(), root=pi_4.root)


@pytest.mark.parametrize("device", ["9", "/dev/video9"])
def test_a_webcam_s_other_device_is_not_called_busy_and_the_one_with_pictures_is_named(
    pi_4: Machine, monkeypatch: pytest.MonkeyPatch, device: str
):
    def busy(*_: object, **__: object) -> None:
        raise CameraBusyError("The webcam does not open: close programs that use it.")

    monkeypatch.setattr(camera_selection, "UsbCamera", busy)
    pi_4.add(8, "uvcvideo", name="046d_C270")
    pi_4.add(9, "uvcvideo", index=1, name="046d_C270")
    with pytest.raises(CameraError, match=r"gives no pictures: .*046d_C270-video-index0"):
        open_camera("usb", device, ManualClock(), root=pi_4.root)
    with pytest.raises(CameraBusyError, match="close programs"):
        open_camera("usb", "8", ManualClock(), root=pi_4.root)


@pytest.mark.usefixtures("unseen")
def test_a_kind_that_is_not_plugged_in_beside_one_that_is_says_so(pi_4: Machine):
    pi_4.add(0, "unicam")
    with pytest.raises(
        CameraSettingError, match=r"a camera on the ribbon is there: set camera\.kind to auto"
    ):
        open_camera("usb", "", ManualClock(), root=pi_4.root)
    pi_4.add(8, "uvcvideo", name="046d_C270")
    with pytest.raises(CameraSettingError, match=r"but a webcam is there: set camera\.kind to auto"):
        open_camera("pi", "", ManualClock(), root=pi_4.root)


def test_a_webcam_that_is_named_and_not_plugged_in_is_not_called_busy(pi_4: Machine):
    pi_4.add(8, "uvcvideo", name="046d_C270")
    with pytest.raises(
        CameraSettingError, match=r"not plugged in: plug it in, or set .*046d_C270-video-index0"
    ):
        open_camera("usb", "/dev/v4l/by-id/usb-gone-video-index0", ManualClock(), root=pi_4.root)


def test_webcams_keep_their_order_by_name_however_they_were_plugged_in(tmp_path: Path):
    machine = Machine(tmp_path)
    machine.add(0, "uvcvideo")
    machine.add(2, "uvcvideo", name="b_second")
    machine.add(4, "uvcvideo", name="a_first")
    names = [Path(found).name for found in find_webcams(tmp_path)]
    assert names == ["usb-a_first-video-index0", "usb-b_second-video-index0", "video0"]


@pytest.mark.parametrize(("removable", "first"), [("fixed", "b_webcam"), ("unknown", "a_lid")])
def test_a_laptop_s_own_camera_comes_last(tmp_path: Path, removable: str, first: str):
    """Which it is says the kernel's Documentation/ABI/testing/sysfs-devices-removable."""
    machine = Machine(tmp_path)
    for number, name, plug in ((0, "a_lid", "1-5"), (2, "b_webcam", "1-2")):
        machine.add(number, "uvcvideo", name=name)
        interface = tmp_path / f"sys/devices/usb1/{plug}/{plug}:1.0"
        interface.parent.mkdir(parents=True)
        (interface.parent / "removable").write_text("removable\n" if number else f"{removable}\n")
        device = tmp_path / f"sys/class/video4linux/video{number}/device"
        device.rename(interface)
        device.symlink_to(interface)
    assert find_webcams(tmp_path)[0].endswith(f"usb-{first}-video-index0")


def test_where_nothing_tells_the_driver_a_video_device_may_be_a_webcam(tmp_path: Path):
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/video2").touch()
    assert find_webcams(tmp_path) == (str(tmp_path / "dev/video2"),)


class BrokenPiCamera:
    """One that opens and gives no picture."""

    closed = False

    def __init__(self, *_: object, **__: object) -> None:
        BrokenPiCamera.closed = False

    def capture(self, newer_than: int) -> None:
        raise CameraError("The Pi's camera gives no pictures: check its ribbon cable.")

    def close(self) -> None:
        BrokenPiCamera.closed = True


@pytest.mark.usefixtures("opened")
def test_a_pi_s_camera_without_a_picture_gives_way_to_a_webcam_or_says_its_own_trouble(
    pi_4: Machine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(camera_selection, "PiCamera", BrokenPiCamera)
    with pytest.raises(CameraError, match="check its ribbon cable"):
        open_camera("auto", "", ManualClock(), root=pi_4.root)
    assert BrokenPiCamera.closed
    pi_4.add(0, "uvcvideo")
    with pytest.raises(Opened, match="0"):
        open_camera("auto", "", ManualClock(), root=pi_4.root)


def test_none_means_by_hand():
    with pytest.raises(CameraError, match="tell me the cards on the screen"):
        open_camera("none", "", ManualClock())


def test_a_user_outside_the_group_video_is_told_so_and_not_to_check_a_cable(
    pi_4: Machine, monkeypatch: pytest.MonkeyPatch
):
    """libcamera lists no camera that it may not open."""
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(CameraForbiddenError, match="usermod -aG video"):
        open_camera("auto", "", ManualClock(), root=pi_4.root)


def test_a_ribbon_camera_whose_library_is_missing_is_not_called_missing_itself(pi_4: Machine):
    pi_4.add(0, "unicam")
    with pytest.raises(LibraryMissingError, match="picamera2, which reads the camera"):
        open_camera("auto", "", ManualClock(), root=pi_4.root)


@pytest.fixture
def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Pi lists no camera."""

    def see_none(*_: object, **__: object) -> None:
        raise NoCameraError("The Pi sees no camera: seat both ends of the ribbon cable.")

    monkeypatch.setattr(camera_selection, "PiCamera", see_none)


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("kind", ["auto", "pi"])
def test_a_pi_without_a_socket_is_not_told_to_seat_a_ribbon(pi_4: Machine, kind: str):
    (pi_4.root / "proc/device-tree").mkdir(parents=True)
    (pi_4.root / "proc/device-tree/model").write_text("Raspberry Pi 500 Rev 1.0\0")
    with pytest.raises(NoSocketError, match="no socket for a camera's ribbon: plug in a webcam"):
        open_camera(kind, "", ManualClock(), root=pi_4.root)


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("kind", ["auto", "pi"])
@pytest.mark.parametrize(
    ("config", "error", "words"),
    [
        (
            "camera_auto_detect=0\ndtoverlay=imx219,cam0\n",
            OtherSensorError,
            r"sensor imx219: .* another, write camera_auto_detect=1 there, take dtoverlay=imx219 out",
        ),
        ("camera_auto_detect=1\ndtoverlay=ov5647\n", OtherSensorError, r"another, take dtoverlay=ov5647 out"),
        (
            "camera_auto_detect=0\n",
            CameraNotSoughtError,
            r"does not have .*: write camera_auto_detect=1 there",
        ),
        ("dtparam=audio=on\n", CameraNotSoughtError, r"write camera_auto_detect=1 there, and restart"),
        ("camera_auto_detect=1\nstart_x=1\n", CameraNotSoughtError, r"take start_x=1 out, and restart"),
        ("camera_auto_detect=1\n#dtoverlay=imx219\n", NoCameraError, "seat both ends"),
        ("camera_auto_detect=1\n[pi5]\ndtoverlay=imx219\n", NoCameraError, "seat both ends"),
        ("", NoCameraError, "seat both ends"),
    ],
)
def test_what_config_txt_says_of_the_camera_is_named_before_its_cable(
    pi_4: Machine, kind: str, config: str, error: type[CameraError], words: str
):
    about = pi_4.root / "proc/device-tree/model"
    about.parent.mkdir(parents=True)
    about.write_text("Raspberry Pi 4 Model B Rev 1.4\0")
    file = pi_4.root / "boot/firmware/config.txt"
    file.parent.mkdir(parents=True)
    file.write_text(config)
    with pytest.raises(error, match=words) as told:
        open_camera(kind, "", ManualClock(), root=pi_4.root)
    assert type(told.value) is error
