"""A USB webcam through OpenCV, with the driver's stale frames skipped.

Its driver keeps old pictures, so they are grabbed away until one is new.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.core.actions import SECOND, Micros
from companion.core.clock import Clock
from hardware.camera import CameraFrame
from hardware.camera_lock import WebcamLock
from hardware.errors import CameraBusyError, CameraError, WebcamStarvedError

DRIVER_BUFFERS = 4
"""Pictures a driver keeps, where it does not say when they were taken."""
MANUAL_EXPOSURE, AUTOMATIC_EXPOSURE = 1, 3
"""V4L2's words for the exposure: by hand, and by the camera with the shutter it likes."""
MAX_STALE_FRAMES = 150
"""Old pictures thrown away before a camera counts as stuck: five seconds at 30 a second."""

OpenDevice = Callable[[int | str], Any]
"""Opens a `cv2.VideoCapture`, or what stands for one."""


def _open_device(device: int | str) -> Any:
    import cv2

    return cv2.VideoCapture(device)


class UsbCamera:
    """One webcam; lost for good once it fails: its user opens it again."""

    def __init__(
        self,
        device: int | str,
        clock: Clock,
        *,
        size: tuple[int, int] = (1280, 720),
        lock: WebcamLock | None = None,
        open_device: OpenDevice = _open_device,
        devices: Path = Path("/dev"),
    ) -> None:
        """`devices`: the folder where its node is for as long as it is plugged in."""
        import cv2

        self._cv2 = cv2
        self._name = f"camera {device}" if isinstance(device, int) else device
        self.node = devices / (f"video{device}" if isinstance(device, int) else device)
        """Its device file."""
        self._clock = clock
        self.grabs_each = 1
        """How many pictures each one takes: more where the driver does not stamp them."""
        self._device = open_device(device)
        if not self._device.isOpened():
            self._device.release()
            raise CameraBusyError(
                f"The webcam ({self._name}) does not open: plug it in, and close programs that use it."
            )
        # One buffer where the driver allows it; motion JPEG, or USB 2 carries five pictures a second.
        self._device.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._device.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
        self._device.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        self._device.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        if lock is None:
            # Drivers remember what was set last, also for other programs.
            self._device.set(cv2.CAP_PROP_AUTO_EXPOSURE, AUTOMATIC_EXPOSURE)
            self._device.set(cv2.CAP_PROP_AUTO_WB, 1)
            self._device.set(cv2.CAP_PROP_AUTOFOCUS, 1)
        else:
            self._apply_lock(lock)

    def lock_exposure(self, hertz: int = 50) -> WebcamLock:
        """Keep exposure, white balance and focus as they are now, and return them to be stored.

        A driver takes up its own old value when an automatic is switched off, so each is read before and set
        after; the exposure in whole flickers, where that leaves about as much light.
        """
        cv2 = self._cv2
        found = WebcamLock(
            exposure=self._read_control(cv2.CAP_PROP_EXPOSURE),
            gain=self._read_control(cv2.CAP_PROP_GAIN),
            white=self._read_control(cv2.CAP_PROP_WB_TEMPERATURE),
            focus=self._read_control(cv2.CAP_PROP_FOCUS),
        ).without_flicker(hertz)
        self._apply_lock(found)
        return found

    def _read_control(self, control: int) -> float | None:
        """A control's value; OpenCV answers -1, or 0 for what V4L2 has not."""
        value = float(self._device.get(control))
        return value if value > 0 else None

    def _apply_lock(self, lock: WebcamLock) -> None:
        # A camera without a control refuses it, which changes nothing.
        cv2, device = self._cv2, self._device
        device.set(cv2.CAP_PROP_AUTO_EXPOSURE, MANUAL_EXPOSURE)
        device.set(cv2.CAP_PROP_AUTO_WB, 0)
        device.set(cv2.CAP_PROP_AUTOFOCUS, 0)
        for control, value in (
            (cv2.CAP_PROP_EXPOSURE, lock.exposure),
            (cv2.CAP_PROP_GAIN, lock.gain),
            (cv2.CAP_PROP_WB_TEMPERATURE, lock.white),
            (cv2.CAP_PROP_FOCUS, lock.focus),
        ):
            if value is not None:
                device.set(control, value)

    def capture(self, newer_than: Micros) -> CameraFrame:
        """The next picture exposed after `newer_than` (µs); `CameraError` if none comes, or only old ones."""
        unstamped = 0
        for _ in range(MAX_STALE_FRAMES):
            if not self._device.grab():
                if self.node.exists():
                    raise WebcamStarvedError(
                        f"The webcam ({self._name}) is there but sends no pictures: plug it straight into "
                        "the machine, without a hub, or take other things off USB."
                    )
                raise CameraError(f"The webcam ({self._name}) gives no pictures: is it plugged in?")
            at = self._exposure_time()
            if at is None:
                # No stamps: whatever was kept may be old, the next one was waited for.
                unstamped += 1
                if unstamped <= DRIVER_BUFFERS:
                    continue
                self.grabs_each = unstamped
                at = max(self._clock.now(), newer_than + 1)
            if at > newer_than:
                return self._retrieve_frame(at)
        raise CameraError(f"The webcam ({self._name}) gives old pictures only: plug it in again.")

    @property
    def picture_rate(self) -> float:
        """Pictures a second that it offers in this size; 0: it does not say."""
        return max(0.0, float(self._device.get(self._cv2.CAP_PROP_FPS)))

    def close(self) -> None:
        self._device.release()

    def _exposure_time(self) -> Micros | None:
        """The kernel's stamp of the picture just grabbed; V4L2 gives it on the monotonic clock."""
        milliseconds = float(self._device.get(self._cv2.CAP_PROP_POS_MSEC))
        at = self._clock.from_monotonic_ns(round(milliseconds * 1_000_000))
        return at if 0 <= self._clock.now() - at < 5 * SECOND else None

    def _retrieve_frame(self, at: Micros) -> CameraFrame:
        import numpy as np

        told, image = self._device.retrieve()
        if not told or image is None or image.ndim != 3:
            raise CameraError(f"The webcam ({self._name}) sent a picture that cannot be read: try again.")
        return CameraFrame(np.asarray(image, dtype=np.uint8), at)
