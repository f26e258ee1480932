"""Opens the camera that the settings name, or the first one found."""

from pathlib import Path

from companion.core.clock import Clock
from hardware.camera import Camera
from hardware.camera_files import FolderCamera
from hardware.camera_lock import AnyCameraLock, PiCameraLock, WebcamLock
from hardware.camera_pi import PiCamera
from hardware.camera_usb import UsbCamera
from hardware.errors import CameraError, HardwareError


def open_camera(
    kind: str,
    device: str,
    clock: Clock,
    *,
    size: tuple[int, int] = (1280, 720),
    lock: AnyCameraLock | None = None,
    devices: Path = Path("/dev"),
) -> Camera:
    """Open the camera `kind`: `auto`, `pi`, `usb` or `folder`; `size` in pixels. Raises `CameraError`.

    `CameraWorker` calls it again after a camera was lost.
    """
    match kind:
        case "pi":
            number = int(device) if device.isdecimal() else 0
            return PiCamera(clock, size=size, lock=_lock_for_pi(lock), number=number)
        case "usb":
            return UsbCamera(_parse_webcam_device(device), clock, size=size, lock=_lock_for_webcam(lock))
        case "folder":
            return FolderCamera(Path(device).expanduser(), clock)
        case "auto":
            return _open_first_camera(device, clock, size=size, lock=lock, devices=devices)
        case _:
            raise CameraError("There is no camera: tell me the cards on the screen.")


def _lock_for_pi(lock: AnyCameraLock | None) -> PiCameraLock | None:
    """The lock, if it is one of a Pi's camera: another may hang there since."""
    return lock if isinstance(lock, PiCameraLock) else None


def _lock_for_webcam(lock: AnyCameraLock | None) -> WebcamLock | None:
    return lock if isinstance(lock, WebcamLock) else None


def _parse_webcam_device(device: str) -> int | str:
    return int(device) if device.isdecimal() else device or 0


def _open_first_camera(
    device: str, clock: Clock, *, size: tuple[int, int], lock: AnyCameraLock | None, devices: Path
) -> Camera:
    """The Pi's own camera, else a webcam."""
    try:
        return PiCamera(clock, size=size, lock=_lock_for_pi(lock))
    except HardwareError as trouble:
        # A laptop has no picamera2; a Pi's camera only has to be put right if there is no webcam.
        if not any(devices.glob("video*")):
            raise CameraError("No camera was found: plug in a webcam, or set camera.kind.") from trouble
    return UsbCamera(_parse_webcam_device(device), clock, size=size, lock=_lock_for_webcam(lock))
