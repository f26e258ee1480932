"""Cameras: newer pictures only, blue first, and one sentence when there is none."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from companion.core.clock import ManualClock
from companion.system.machine import Machine
from hardware.camera_files import FolderCamera
from hardware.camera_lock import PiCameraLock, WebcamLock
from hardware.camera_pi import (
    CONTINUOUS_AUTOFOCUS,
    PiCamera,
    foreign_numpy_remedy,
    picture_from_buffer,
    whole_sensor_mode,
)
from hardware.camera_usb import AUTOMATIC_EXPOSURE, DRIVER_BUFFERS, MANUAL_EXPOSURE, UsbCamera
from hardware.errors import (
    CameraError,
    CameraForbiddenError,
    CameraLibraryError,
    HardwareError,
    LibraryMissingError,
)
from hardware.simulated_panel import SimulatedCamera

BLUE = (255, 0, 0)


def plain(colour, height: int = 4, width: int = 6):
    return np.full((height, width, 3), colour, dtype=np.uint8)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, grey in (("2.png", 20), ("1.png", 10), ("3.png", 30)):
        cv2.imwrite(str(tmp_path / name), plain((grey, grey, grey)))
    (tmp_path / "notes.txt").write_text("not a picture")
    return tmp_path


def test_a_folder_gives_its_pictures_by_name_and_starts_again(folder: Path):
    camera = FolderCamera(folder, ManualClock(5))
    assert [int(camera.capture(-1).image[0, 0, 0]) for _ in range(4)] == [10, 20, 30, 10]


def test_a_folder_that_does_not_loop_ends_with_a_sentence(folder: Path):
    camera = FolderCamera(folder, ManualClock(5), loop=False)
    for _ in range(3):
        camera.capture(-1)
    with pytest.raises(CameraError, match="no more pictures"):
        camera.capture(-1)


def test_a_folder_s_picture_is_newer_than_asked(folder: Path):
    camera = FolderCamera(folder, ManualClock(5))
    assert camera.capture(-1).at == 5
    assert camera.capture(5).at > 5


def test_a_folder_that_is_missing_empty_or_damaged_is_named(tmp_path: Path):
    with pytest.raises(CameraError, match=r"no folder .*camera\.device"):
        FolderCamera(tmp_path / "nowhere", ManualClock())
    with pytest.raises(CameraError, match="has no pictures"):
        FolderCamera(tmp_path, ManualClock())
    (tmp_path / "1.png").write_bytes(b"not really")
    told: list[str] = []
    with pytest.raises(CameraError, match="no picture that can be read"):
        FolderCamera(tmp_path, ManualClock(), refused=told.append).capture(-1)
    assert "1.png isn't a picture" in told[0]


def test_what_is_no_picture_is_told_once_and_passed_over(folder: Path):
    (folder / "15.png").write_bytes(b"not really")
    told: list[str] = []
    camera = FolderCamera(folder, ManualClock(5), refused=told.append)
    assert [int(camera.capture(-1).image[0, 0, 0]) for _ in range(5)] == [10, 20, 30, 10, 20]
    assert len(told) == 1
    assert "15.png isn't a picture" in told[0]


def test_the_simulated_camera_shows_the_table_of_its_instant():
    clock = ManualClock(1_000)
    camera = SimulatedCamera(lambda at: plain((at // 1_000, 0, 0)), clock)
    clock.move_to(7_000)
    frame = camera.capture(0)
    assert (frame.at, int(frame.image[0, 0, 0])) == (7_000, 7)


def test_the_simulated_camera_can_be_unplugged_and_mended():
    camera = SimulatedCamera(lambda at: plain(BLUE), ManualClock())
    camera.disconnect()
    with pytest.raises(CameraError, match="unplugged"):
        camera.capture(0)
    camera.reconnect()
    assert camera.capture(0).image.shape == (4, 6, 3)


class Webcam:
    """What stands for `cv2.VideoCapture`: a queue of stamps (milliseconds), one picture each."""

    def __init__(self, stamps, opened: bool = True):
        self.stamps, self.opened, self.released, self.settings = list(stamps), opened, False, {}
        self.now = -1.0
        self.grabbed = 0
        self.values = {}

    def isOpened(self):
        return self.opened

    def grab(self):
        self.grabbed += 1
        if not self.stamps:
            return False
        self.now = self.stamps.pop(0)
        return True

    def retrieve(self):
        return True, plain((self.grabbed % 256, 0, 0))

    def get(self, what):
        return self.now if what == cv2.CAP_PROP_POS_MSEC else self.values.get(what, 0.0)

    def set(self, what, value):
        self.settings[what] = value
        return True

    def release(self):
        self.released = True


def test_a_webcam_s_old_pictures_are_grabbed_away():
    webcam = Webcam([100.0, 133.0, 166.0, 200.0])
    camera = UsbCamera(0, ManualClock(250_000), open_device=lambda _: webcam)
    frame = camera.capture(150_000)
    assert (frame.at, webcam.grabbed) == (166_000, 3)


def test_a_webcam_without_stamps_is_drained_first():
    webcam = Webcam([0.0] * 20)
    camera = UsbCamera(0, ManualClock(60_000_000), open_device=lambda _: webcam)
    assert camera.capture(59_000_000).at == 60_000_000
    assert webcam.grabbed == camera.grabs_each == DRIVER_BUFFERS + 1


def test_a_webcam_that_does_not_open_or_goes_away_says_so(tmp_path: Path):
    shut = Webcam([], opened=False)
    with pytest.raises(CameraError, match="does not open"):
        UsbCamera(2, ManualClock(), open_device=lambda _: shut)
    assert shut.released
    with pytest.raises(CameraError, match="is it plugged in"):
        UsbCamera("video7", ManualClock(), open_device=lambda _: Webcam([]), devices=tmp_path).capture(0)


def test_a_webcam_that_is_there_and_sends_nothing_is_not_told_to_be_plugged_in(tmp_path: Path):
    """As behind a hub, where the kernel answers that USB has no room (ENOSPC)."""
    (tmp_path / "video7").touch()
    starved = UsbCamera(7, ManualClock(), open_device=lambda _: Webcam([]), devices=tmp_path)
    with pytest.raises(CameraError, match="straight into the machine, without a hub") as told:
        starved.capture(0)
    assert told.value.screen_sentence().key == "shared.trouble.webcam_starved"


def test_a_webcam_s_automatics_are_on_until_it_is_calibrated():
    webcam = Webcam([100.0])
    UsbCamera(0, ManualClock(), open_device=lambda _: webcam)
    assert webcam.settings[cv2.CAP_PROP_AUTO_EXPOSURE] == AUTOMATIC_EXPOSURE
    assert webcam.settings[cv2.CAP_PROP_AUTOFOCUS] == 1


def test_locking_a_webcam_sets_what_it_had_found_by_itself():
    webcam = Webcam([100.0])
    webcam.values = {
        cv2.CAP_PROP_EXPOSURE: 156.0,
        cv2.CAP_PROP_WB_TEMPERATURE: 4600.0,
        cv2.CAP_PROP_GAIN: -1.0,
    }
    lock = UsbCamera(0, ManualClock(), open_device=lambda _: webcam).lock_exposure()
    assert lock == WebcamLock(exposure=156.0, white=4600.0)
    assert webcam.settings[cv2.CAP_PROP_AUTO_EXPOSURE] == MANUAL_EXPOSURE
    assert webcam.settings[cv2.CAP_PROP_EXPOSURE] == 156.0
    assert cv2.CAP_PROP_FOCUS not in webcam.settings


@pytest.mark.parametrize(
    ("exposure", "hertz", "locked"),
    [(180.0, 50, 200.0), (312.0, 50, 300.0), (156.0, 60, 167.0), (250.0, 60, 250.0),
     (156.0, 50, 156.0), (30.0, 50, 30.0)],
)  # fmt: skip
def test_a_webcam_is_locked_in_whole_flickers_where_that_leaves_about_as_much_light(exposure, hertz, locked):
    webcam = Webcam([100.0])
    webcam.values = {cv2.CAP_PROP_EXPOSURE: exposure, cv2.CAP_PROP_GAIN: 64.0}
    lock = UsbCamera(0, ManualClock(), open_device=lambda _: webcam).lock_exposure(hertz)
    assert lock == WebcamLock(exposure=locked, gain=64.0)
    assert webcam.settings[cv2.CAP_PROP_EXPOSURE] == locked


def test_a_webcam_is_opened_as_it_was_locked():
    webcam = Webcam([100.0])
    UsbCamera(0, ManualClock(), open_device=lambda _: webcam, lock=WebcamLock(exposure=156.0, focus=30.0))
    assert webcam.settings[cv2.CAP_PROP_AUTO_EXPOSURE] == MANUAL_EXPOSURE
    assert (webcam.settings[cv2.CAP_PROP_EXPOSURE], webcam.settings[cv2.CAP_PROP_FOCUS]) == (156.0, 30.0)


def test_a_webcam_that_repeats_an_old_picture_is_stuck():
    with pytest.raises(CameraError, match="old pictures only"):
        UsbCamera(0, ManualClock(400_000), open_device=lambda _: Webcam([100.0] * 1_000)).capture(200_000)


def modes(*told: tuple[int, int, tuple[int, int, int, int]], bits: int = 10) -> list[dict[str, Any]]:
    """As `Picamera2.sensor_modes`: width and height of the picture, and what it shows of the sensor."""
    return [
        {"size": (width, height), "bit_depth": bits, "crop_limits": crop, "fps": 30.0}
        for width, height, crop in told
    ]


MODES = {
    "Camera Module 1": modes(
        (640, 480, (16, 0, 2560, 1920)),
        (1296, 972, (0, 0, 2592, 1944)),
        (1920, 1080, (348, 434, 1928, 1080)),
        (2592, 1944, (0, 0, 2592, 1944)),
    ),
    "Camera Module 2": modes(
        (640, 480, (1000, 752, 1280, 960)),
        (1640, 1232, (0, 0, 3280, 2464)),
        (1920, 1080, (680, 692, 1920, 1080)),
        (3280, 2464, (0, 0, 3280, 2464)),
    ),
    "Camera Module 3": modes(
        (1536, 864, (768, 432, 3072, 1728)),
        (2304, 1296, (0, 0, 4608, 2592)),
        (4608, 2592, (0, 0, 4608, 2592)),
    ),
    "HQ Camera": [
        *modes((1332, 990, (696, 528, 2664, 1980))),
        *modes(
            (2028, 1080, (0, 440, 4056, 2160)),
            (2028, 1520, (0, 0, 4056, 3040)),
            (4056, 3040, (0, 0, 4056, 3040)),
            bits=12,
        ),
    ],
    "Global Shutter Camera": modes((1456, 1088, (0, 0, 1456, 1088))),
}
"""From libcamera's `rpicam-hello --list-cameras` in its documentation; never read off a device by us."""


class PiLibrary:
    """What stands for picamera2's module: the few names `PiCamera` uses, with the real ones' manners."""

    def __init__(self, cameras: int = 1, trouble: Exception | None = None):
        self.cameras, self.trouble, self.flushed, self.controls, self.log = cameras, trouble, [], [], []
        self.timeout = False
        self.properties, self.crop = {}, {}
        self.webcams, self.numbers, self.sensors, self.modes = 0, [], [], MODES["Camera Module 3"]
        self.known = {
            "AeEnable",
            "AwbEnable",
            "ExposureTime",
            "AnalogueGain",
            "ColourGains",
            "AfMode",
            "LensPosition",
        }
        library = self

        class Picamera2:
            @staticmethod
            def global_camera_info():
                # Sorted as picamera2 does: webcams last, though libcamera itself may count them first.
                ribbon = [
                    {
                        "Num": library.webcams + number,
                        "Id": f"/base/axi/pcie@120000/rp1/i2c@88000/imx708@1{number}",
                    }
                    for number in range(library.cameras)
                ]
                webcams = [
                    {
                        "Num": number,
                        "Id": f"/base/scb/pci/usb@0,{number}:1.0-046d:0825",
                    }
                    for number in range(library.webcams)
                ]
                return [*ribbon, *webcams]

            def __init__(self, number):
                if library.trouble:
                    raise library.trouble
                library.numbers.append(number)
                self.camera_controls = dict.fromkeys(library.known)
                self.sensor_modes = library.modes
                self.camera_properties = library.properties
                self.waits = False

            def create_video_configuration(self, main, controls, sensor):
                library.controls.append(controls)
                library.sensors.append(sensor)
                return {"main": {**main, "stride": main["size"][0] * 3}}

            def configure(self, config):
                self.config = config

            def camera_configuration(self):
                return self.config

            def start(self):
                library.log.append("start")

            def cancel_all_and_flush(self):
                self.waits = False

            def stop(self):
                assert not self.waits, "picamera2 waits for a picture that never comes"
                library.log.append("stop")

            def close(self):
                library.log.append("close")

            def set_controls(self, controls):
                library.controls.append(controls)

            @contextmanager
            def captured_request(self, wait, flush):
                library.flushed.append(flush)
                if library.timeout:
                    self.waits = True
                    raise TimeoutError
                yield SimpleNamespace(
                    get_metadata=lambda: {
                        "SensorTimestamp": flush + 5_000,
                        "ExposureTime": 23_456,
                        "AnalogueGain": 2.0,
                        "ColourGains": (1.5, 2.5),
                        "LensPosition": 1.25,
                        **library.crop,
                    },
                    make_buffer=lambda name: plain(BLUE).reshape(-1),
                )

        self.Picamera2 = Picamera2


def test_the_pi_s_camera_asks_for_a_picture_that_began_after_the_instant():
    library = PiLibrary()
    camera = PiCamera(ManualClock(), size=(6, 4), library=library)
    frame = camera.capture(2_000)
    camera.close()
    assert library.flushed == [2_001_000]
    assert frame.at == 2_006
    assert tuple(frame.image[0, 0]) == BLUE
    assert library.log == ["start", "stop", "close"]


@pytest.mark.parametrize(
    ("camera", "size"),
    [
        ("Camera Module 1", (1296, 972)),
        ("Camera Module 2", (1640, 1232)),
        ("Camera Module 3", (2304, 1296)),
        ("HQ Camera", (2028, 1520)),
        ("Global Shutter Camera", (1456, 1088)),
    ],
)
def test_the_whole_sensor_is_seen_by_its_smallest_mode(camera: str, size: tuple[int, int]):
    library = PiLibrary()
    library.modes = MODES[camera]
    PiCamera(ManualClock(), library=library)
    (sensor,) = library.sensors
    assert sensor["output_size"] == size
    assert sensor["bit_depth"] == MODES[camera][-1]["bit_depth"]


def test_a_larger_picture_is_taken_of_a_larger_mode_as_far_as_there_is_one():
    assert whole_sensor_mode(MODES["Camera Module 3"], (2560, 1440))["output_size"] == (4608, 2592)
    assert whole_sensor_mode(MODES["Global Shutter Camera"], (1920, 1080))["output_size"] == (1456, 1088)


def test_a_sensor_that_does_not_say_what_it_sees_is_left_alone():
    library = PiLibrary()
    library.modes = [{"format": "MJPEG"}]
    PiCamera(ManualClock(), library=library)
    assert library.sensors == [{}]


@pytest.mark.parametrize(
    ("model", "sensor", "crop", "seen"),
    [
        ("imx708", (4608, 2592), (0, 0, 4608, 2592), (66, 41)),
        ("imx708", (4608, 2592), (768, 432, 3072, 1728), (47, 28)),
        ("imx219_noir", (3280, 2464), (0, 310, 3280, 1845), (62, 38)),
        ("ov5647", (2592, 1944), (0, 243, 2592, 1458), (54, 32)),
        ("imx477", (4056, 3040), (0, 380, 4056, 2282), None),
    ],
)
def test_what_a_pi_s_camera_sees_follows_from_its_sensor_and_the_part_of_it(
    model: str, sensor: tuple[int, int], crop: tuple[int, int, int, int], seen: tuple[int, int] | None
):
    """Two thirds of Camera Module 3 are 47° of 66°. The lens of the HQ Camera is anybody's."""
    library = PiLibrary()
    library.properties = {"Model": model, "PixelArraySize": sensor}
    library.crop = {"ScalerCrop": crop}
    angles = PiCamera(ManualClock(), size=(6, 4), library=library).field_of_view()
    assert angles == seen or tuple(round(angle) for angle in angles) == seen
    library.crop = {}
    assert PiCamera(ManualClock(), size=(6, 4), library=library).field_of_view() is None


@pytest.mark.parametrize(
    ("laid", "first"),
    [
        ("", ""),
        ("usr/local/lib/python3.13/dist-packages", "sudo pip3 uninstall --break-system-packages numpy, and "),
        (
            "home/ana/.local/lib/python3.13/site-packages",
            "pip3 uninstall --break-system-packages numpy, and ",
        ),
    ],
)
def test_a_numpy_that_pip_laid_before_the_system_s_goes_first(tmp_path: Path, laid: str, first: str) -> None:
    if laid:
        (tmp_path / laid / "numpy").mkdir(parents=True)
    assert foreign_numpy_remedy(Machine(root=tmp_path, module=lambda _: None)) == first


def test_a_newer_numpy_in_an_environment_of_pip_s_makes_room_for_an_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To install the program again by pip or pipx would bring the same one."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    machine = Machine(root=tmp_path, module=lambda name: tmp_path / "venv/lib" / name)
    assert foreign_numpy_remedy(machine) == f"{sys.executable} -m pip install 'numpy<2', or "
    system = Machine(root=tmp_path, module=lambda name: tmp_path / "usr/lib" / name)
    assert foreign_numpy_remedy(system) == ""


OTHER_NUMPY = "numpy.dtype size changed, may indicate binary incompatibility"


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        (
            ValueError(OTHER_NUMPY),
            r"doesn't load \(numpy.dtype size changed[^:]*: .*keeps the system's numpy",
        ),
        (
            ImportError(OTHER_NUMPY),
            r"doesn't load \(numpy.dtype size changed[^:]*: .*keeps the system's numpy",
        ),
        (
            ImportError("libcamera.so.0.5: cannot open shared object file: No such file or directory"),
            r"^picamera2 is here but doesn't load \(libcamera.so.0.5, [^:]*: sudo apt full-upgrade",
        ),
    ],
)
def test_a_picamera2_that_does_not_load_is_not_called_missing(
    monkeypatch: pytest.MonkeyPatch, trouble: Exception, told: str
):
    """What is before the first colon is told as wrong, and the rest as its remedy."""

    class Other:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "picamera2":
                raise trouble

    monkeypatch.delitem(sys.modules, "picamera2", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Other(), *sys.meta_path])
    with pytest.raises(HardwareError, match=told) as wrong:
        PiCamera(ManualClock())
    assert wrong.value.screen_sentence().key == "shared.trouble.camera_library"


@pytest.mark.parametrize(
    "trouble",
    [
        PermissionError(13, "Permission denied", "/dev/dma_heap/linux,cma"),
        RuntimeError("Could not open any dmaHeap device"),
    ],
)
def test_a_camera_whose_memory_may_not_be_opened_says_so(
    monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    library = PiLibrary()

    def refuse(*_: object) -> None:
        raise trouble

    monkeypatch.setattr(library.Picamera2, "__init__", refuse)
    with pytest.raises(CameraForbiddenError, match="raspberrypi-sys-mods") as told:
        PiCamera(ManualClock(), library=library)
    assert told.value.screen_sentence().key == "shared.trouble.camera_forbidden"


@pytest.mark.parametrize(
    ("trouble", "remedy", "shown"),
    [
        (OSError(12, "Cannot allocate memory"), "vc4-kms-v3d,cma-256", "camera_memory"),
        (
            RuntimeError("Failed to start: -5"),
            r"\(Failed to start, -5\): switch off, check its ribbon cable",
            "camera",
        ),
    ],
)
def test_a_camera_that_opens_and_does_not_start_has_a_remedy(
    monkeypatch: pytest.MonkeyPatch, trouble: Exception, remedy: str, shown: str
):
    library = PiLibrary()

    def start(_: object) -> None:
        raise trouble

    monkeypatch.setattr(library.Picamera2, "start", start)
    with pytest.raises(CameraError, match=remedy) as told:
        PiCamera(ManualClock(), library=library)
    assert told.value.screen_sentence().key == f"shared.trouble.{shown}"


def test_a_shared_object_that_an_update_took_away_names_the_packages(monkeypatch: pytest.MonkeyPatch):
    """As after an `apt upgrade` that kept libcamera back."""

    class OldObject:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "picamera2":
                raise ImportError(
                    "libcamera.so.0.5: cannot open shared object file: No such file or directory"
                )

    monkeypatch.delitem(sys.modules, "picamera2", raising=False)
    monkeypatch.setattr(sys, "meta_path", [OldObject(), *sys.meta_path])
    with pytest.raises(CameraLibraryError, match=r"libcamera.so.0.5.*--reinstall python3-libcamera"):
        PiCamera(ManualClock())


def test_a_webcam_that_libcamera_lists_is_no_camera_of_the_pi():
    library = PiLibrary(cameras=0)
    library.webcams = 1
    with pytest.raises(CameraError, match="sees no camera"):
        PiCamera(ManualClock(), library=library)
    library.cameras = 2
    PiCamera(ManualClock(), library=library, number=1)
    assert library.numbers == [1]
    with pytest.raises(CameraError, match="sees no camera"):
        PiCamera(ManualClock(), library=library, number=2)


def test_the_pi_s_camera_is_locked_as_calibration_found_it():
    library = PiLibrary()
    PiCamera(ManualClock(), size=(6, 4), library=library, lock=PiCameraLock(20_000, 2.0, (1.5, 2.5), 1.0))
    (controls,) = library.controls
    assert controls["AeEnable"] is False
    assert controls["AwbEnable"] is False
    assert (controls["ExposureTime"], controls["AnalogueGain"]) == (20_000, 2.0)
    assert controls["ColourGains"] == (1.5, 2.5)
    assert (controls["AfMode"], controls["LensPosition"]) == (0, 1.0)


def test_a_pi_s_camera_that_is_not_calibrated_keeps_itself_sharp():
    library = PiLibrary()
    PiCamera(ManualClock(), size=(6, 4), library=library)
    assert library.controls == [{"AfMode": CONTINUOUS_AUTOFOCUS}]


def test_a_lens_that_is_turned_by_hand_is_asked_for_no_focus():
    library = PiLibrary()
    library.known -= {"AfMode", "LensPosition"}
    PiCamera(ManualClock(), size=(6, 4), library=library)
    PiCamera(ManualClock(), size=(6, 4), library=library, lock=PiCameraLock(20_000, 2.0, (1.5, 2.5), 1.0))
    assert library.controls[0] == {}
    assert set(library.controls[1]) == library.known


def test_locking_takes_what_a_picture_was_taken_with_in_whole_flickers():
    library = PiLibrary()
    lock = PiCamera(ManualClock(), size=(6, 4), library=library).lock_exposure()
    assert lock.exposure == 20_000
    assert lock.exposure * lock.gain == pytest.approx(23_456 * 2.0)
    assert library.controls[-1] == lock.to_libcamera_controls()


def test_a_short_exposure_stays_as_it_is():
    lock = PiCameraLock(4_000, 1.0, (1.0, 1.0))
    assert lock.without_flicker(50) == lock
    assert "LensPosition" not in lock.to_libcamera_controls()


def test_the_pi_s_camera_that_stays_silent_is_lost():
    library = PiLibrary()
    camera = PiCamera(ManualClock(), size=(6, 4), library=library)
    library.timeout = True
    with pytest.raises(CameraError, match="gives no pictures"):
        camera.capture(0)
    camera.close()
    assert library.log == ["start", "stop", "close"]


def test_no_camera_and_a_busy_camera_are_told_apart():
    with pytest.raises(CameraError, match="sees no camera"):
        PiCamera(ManualClock(), library=PiLibrary(cameras=0))
    busy = RuntimeError("Camera __init__ sequence did not complete.")
    with pytest.raises(CameraError, match="systemctl stop companion"):
        PiCamera(ManualClock(), library=PiLibrary(trouble=busy))


def test_without_picamera2_the_package_is_named():
    with pytest.raises(LibraryMissingError, match="apt install python3-picamera2"):
        PiCamera(ManualClock())


@pytest.mark.parametrize("padding", [0, 10])
def test_every_layout_becomes_blue_first(padding: int):
    height, width = 4, 6
    blue = plain(BLUE, height, width)

    def padded(rows):
        return np.pad(rows, ((0, 0), (0, padding))).reshape(-1)

    config = {"size": (width, height), "format": "RGB888", "stride": width * 3 + padding}
    assert (picture_from_buffer(padded(blue.reshape(height, -1)), config) == blue).all()
    four = np.dstack([blue, np.zeros((height, width), np.uint8)])
    config = {"size": (width, height), "format": "XRGB8888", "stride": width * 4 + padding}
    assert (picture_from_buffer(padded(four.reshape(height, -1)), config) == blue).all()


def test_nv12_becomes_blue_first_too():
    height, width = 4, 6
    i420 = cv2.cvtColor(plain(BLUE, height, width), cv2.COLOR_BGR2YUV_I420)
    y, u, v = i420[:height].reshape(-1), i420.reshape(-1)[24:30], i420.reshape(-1)[30:36]
    nv12 = np.concatenate([y, np.stack([u, v], axis=1).reshape(-1)])
    config = {"size": (width, height), "format": "NV12", "stride": width}
    image = picture_from_buffer(nv12, config)
    assert image.shape == (height, width, 3)
    assert np.abs(image.astype(int) - plain(BLUE, height, width)).max() <= 3


def test_a_layout_nobody_knows_is_named():
    with pytest.raises(CameraError, match="MJPEG"):
        picture_from_buffer(np.zeros(72, np.uint8), {"size": (6, 4), "format": "MJPEG", "stride": 18})
