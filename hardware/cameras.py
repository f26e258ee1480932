"""Which camera this table has: the choice the settings name, or whatever is there."""

from pathlib import Path

from companion.core.clock import Clock
from hardware.camera import Camera
from hardware.camera_folder import FolderCamera
from hardware.camera_lock import CameraLock, Lock, WebcamLock
from hardware.camera_pi import PiCamera
from hardware.camera_usb import UsbCamera
from hardware.errors import CameraError, HardwareError


def open_camera(
    kind: str,
    device: str,
    clock: Clock,
    *,
    size: tuple[int, int] = (1280, 720),
    lock: Lock | None = None,
    devices: Path = Path("/dev"),
) -> Camera:
    """Open the camera `kind`: `auto`, `pi`, `usb` or `folder`; `size` in pixels. Raises `CameraError`.

    `CameraWorker` calls it again after a camera was lost.
    """
    match kind:
        case "pi":
            number = int(device) if device.isdecimal() else 0
            return PiCamera(clock, size=size, lock=_of_pi(lock), number=number)
        case "usb":
            return UsbCamera(_webcam(device), clock, size=size, lock=_of_webcam(lock))
        case "folder":
            return FolderCamera(Path(device).expanduser(), clock)
        case "auto":
            return _whatever_is_there(device, clock, size=size, lock=lock, devices=devices)
        case _:
            raise CameraError("There is no camera: tell me the cards on the screen.")


def _of_pi(lock: Lock | None) -> CameraLock | None:
    """The lock, if it is one of a Pi's camera: another may hang there since."""
    return lock if isinstance(lock, CameraLock) else None


def _of_webcam(lock: Lock | None) -> WebcamLock | None:
    return lock if isinstance(lock, WebcamLock) else None


def _webcam(device: str) -> int | str:
    return int(device) if device.isdecimal() else device or 0


def _whatever_is_there(
    device: str, clock: Clock, *, size: tuple[int, int], lock: Lock | None, devices: Path
) -> Camera:
    """The Pi's own camera, else a webcam."""
    try:
        return PiCamera(clock, size=size, lock=_of_pi(lock))
    except HardwareError as trouble:
        # A laptop has no picamera2; a Pi's camera only has to be put right if there is no webcam.
        if not any(devices.glob("video*")):
            raise CameraError("No camera was found: plug in a webcam, or set camera.kind.") from trouble
    return UsbCamera(_webcam(device), clock, size=size, lock=_of_webcam(lock))
