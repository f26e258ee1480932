"""The Raspberry Pi camera, through picamera2."""

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.actions import Micros
from companion.core.clock import Clock
from companion.system.machine import Machine
from hardware.camera import CameraFrame, Image
from hardware.camera_lock import PiCameraLock
from hardware.errors import (
    CameraBusyError,
    CameraError,
    CameraForbiddenError,
    CameraLibraryError,
    CameraLoadError,
    CameraMemoryError,
    NoCameraError,
)

PICTURE_TIMEOUT = 2.0
"""Seconds without a picture until the camera counts as lost."""
FIELDS_OF_VIEW: Mapping[str, tuple[float, float]] = {
    "imx708": (66.0, 41.0),
    "imx708_wide": (102.0, 67.0),
    "imx219": (62.2, 48.8),
    "ov5647": (53.5, 41.4),
    "imx500": (66.0, 52.3),
}
"""Degrees across and down that a whole sensor sees through its own lens, as the camera modules' table of the
Raspberry Pi documentation has them; libcamera's name of the sensor, without `_noir`."""
PACKAGES: Mapping[str, str] = {"picamera2": "python3-picamera2 --no-install-recommends"}
"""Debian's packages of what the camera needs, where their names are not `python3-` and the module."""
MORE_MEMORY = "in /boot/firmware/config.txt write dtoverlay=vc4-kms-v3d,cma-256 for that line, and restart"
HEAP_REMEDY = (
    "sudo usermod -aG video $USER, and sudo apt install --reinstall raspberrypi-sys-mods, then restart"
)
"""Of /dev/dma_heap, the memory of pictures: a rule of that package gives it to the group."""
CONTINUOUS_AUTOFOCUS = 2
"""libcamera's AfMode that keeps the picture sharp; left alone, the lens stays where it was."""


def lock_from_metadata(metadata: Mapping[str, Any]) -> PiCameraLock:
    """What a picture was taken with."""
    red, blue = metadata["ColourGains"]
    lens = metadata.get("LensPosition")
    return PiCameraLock(
        exposure=int(metadata["ExposureTime"]),
        gain=float(metadata["AnalogueGain"]),
        colour_gains=(float(red), float(blue)),
        lens=None if lens is None else float(lens),
    )


def whole_sensor_mode(
    modes: Sequence[Mapping[str, Any]], size: tuple[int, int]
) -> dict[str, int | tuple[int, int]] | None:
    """The smallest mode that sees all that the sensor sees and has a picture of `size`, in pixels.

    Left alone, picamera2 takes the mode whose size is nearest, and 1280 × 720 is nearest to a part of most
    sensors: of Camera Module 3's it shows two thirds (its `_make_libcamera_config`; picamera2 issue 1184).
    `modes` as `Picamera2.sensor_modes` has them; the answer is its `sensor` configuration, None where no mode
    says what it sees, as of a webcam.
    """
    seen = [mode for mode in modes if "crop_limits" in mode]
    if not seen:
        return None
    *_, width, height = max((mode["crop_limits"] for mode in seen), key=lambda crop: crop[2] * crop[3])
    whole = [mode for mode in seen if tuple(mode["crop_limits"][2:]) == (width, height)]
    enough = [mode for mode in whole if mode["size"][0] >= size[0] and mode["size"][1] >= size[1]]
    mode = min(enough or whole, key=lambda mode: (mode["size"][0] * mode["size"][1], -mode["bit_depth"]))
    return {"output_size": tuple(mode["size"]), "bit_depth": mode["bit_depth"]}


def field_of_view(
    model: str, sensor: tuple[int, int], crop: tuple[int, int, int, int]
) -> tuple[float, float] | None:
    """Degrees across and down of a part of a sensor; None: its lens is not known, because it can be changed.

    `sensor`: its width and height in pixels; `crop`: x, y, width and height of the part.
    """
    known = FIELDS_OF_VIEW.get(model.removesuffix("_noir"))
    if known is None or not all((*sensor, *crop[2:])):
        return None
    seen = [
        2 * math.degrees(math.atan(math.tan(math.radians(whole / 2)) * part / pixels))
        for whole, part, pixels in zip(known, crop[2:], sensor, strict=True)
    ]
    return seen[0], seen[1]


def lens_kind(model: str) -> str:
    """What kind of a camera this is that is no good over a mat: `wide` or `noir`; empty: it is neither."""
    return next((kind for kind in ("wide", "noir") if kind in model.split("_")), "")


class PiCamera:
    """One camera of the Pi; lost for good once it fails: its user opens it again."""

    def __init__(
        self,
        clock: Clock,
        *,
        size: tuple[int, int] = (1280, 720),
        lock: PiCameraLock | None = None,
        number: int = 0,
        library: Any = None,
    ) -> None:
        """`number` counts the cameras on ribbon cables; `library` stands for picamera2's module in tests."""
        self._clock = clock
        library = library or _import_picamera2()
        # libcamera lists webcams, too, and gives their pictures undecoded: those are V4L2's. Picamera2 takes
        # the place in this list, not the "Num" in it, which is libcamera's own.
        listed = enumerate(library.Picamera2.global_camera_info())
        ribbon = [place for place, info in listed if "/usb" not in info["Id"]]
        self.others = tuple(other for other in range(len(ribbon)) if other != number)
        """The numbers of the other cameras on ribbons."""
        if len(ribbon) <= number:
            raise NoCameraError(
                "The Pi sees no camera: switch it off, seat both ends of the ribbon cable, contacts on "
                "contacts, in a socket marked CAM (not DISP alone), and start it again; one of another maker "
                "needs its dtoverlay line in config.txt, too; or plug in a webcam."
            )
        try:
            self._camera = library.Picamera2(ribbon[number])
        except (OSError, RuntimeError, IndexError) as trouble:
            # Its own DmaHeap opens one of /dev/dma_heap (picamera2 issue 1374, rpicam-apps issue 809).
            if isinstance(trouble, PermissionError) or "dmaheap" in str(trouble).lower():
                why = str(trouble).replace(": ", ", ")
                raise CameraForbiddenError(
                    f"The camera's memory may not be opened ({why}): {HEAP_REMEDY}."
                ) from trouble
            raise CameraBusyError(
                f"The Pi's camera does not open ({trouble}); if the companion service is using it: "
                "sudo systemctl stop companion."
            ) from trouble
        try:
            controls = self._supported_controls(
                {"AfMode": CONTINUOUS_AUTOFOCUS} if lock is None else lock.to_libcamera_controls()
            )
            # RGB888 is blue first in memory: OpenCV's order (picamera2 issue 848).
            config = self._camera.create_video_configuration(
                main={"size": size, "format": "RGB888"},
                sensor=whole_sensor_mode(self._camera.sensor_modes, size) or {},
                controls=controls,
            )
            self._camera.configure(config)
            self._camera.start()
        except Exception as trouble:
            self._camera.close()
            what = f"The Pi's camera does not start ({str(trouble).replace(': ', ', ')})"
            if (
                "memory" in str(trouble).lower()
            ):  # the kernel's contiguous one, of which the screen takes, too
                raise CameraMemoryError(f"{what}: {MORE_MEMORY}.") from trouble
            raise CameraError(f"{what}: switch off, check its ribbon cable, and start again.") from trouble
        self._config = self._camera.camera_configuration()["main"]

    def capture(self, newer_than: Micros) -> CameraFrame:
        frame, _ = self._capture(newer_than)
        return frame

    def field_of_view(self) -> tuple[float, float] | None:
        """Degrees across and down that its pictures show now; None where the lens is not known."""
        _, metadata = self._capture(-1)
        about = self._camera.camera_properties
        size, crop = about.get("PixelArraySize"), metadata.get("ScalerCrop")
        if size is None or crop is None:
            return None
        return field_of_view(about.get("Model", ""), tuple(size), tuple(crop))

    @property
    def model(self) -> str:
        """libcamera's name of the sensor, with what kind of lens and filter is before it."""
        return str(self._camera.camera_properties.get("Model", ""))

    @property
    def has_autofocus(self) -> bool:
        """Whether its lens is moved by itself, and not by hand."""
        return "AfMode" in self._camera.camera_controls

    def lock_exposure(self, hertz: int = 50) -> PiCameraLock:
        """Keep exposure, gain, white balance and focus as they are now, and return them to be stored."""
        _, metadata = self._capture(self._clock.now())
        found = lock_from_metadata(metadata).without_flicker(hertz)
        self._camera.set_controls(self._supported_controls(found.to_libcamera_controls()))
        return found

    def close(self) -> None:
        # A picture that never came is still asked for, and picamera2 would stop only after it.
        self._camera.cancel_all_and_flush()
        self._camera.stop()
        self._camera.close()

    def _supported_controls(self, controls: Mapping[str, Any]) -> dict[str, Any]:
        """What this sensor has of these: another one is refused as a whole (picamera2 issue 875)."""
        return {name: value for name, value in controls.items() if name in self._camera.camera_controls}

    def _capture(self, newer_than: Micros) -> tuple[CameraFrame, dict[str, Any]]:
        # concurrent.futures has its own TimeoutError until Python 3.11.
        import concurrent.futures

        flush = self._clock.to_monotonic_ns(newer_than + 1)
        try:
            with self._camera.captured_request(wait=PICTURE_TIMEOUT, flush=flush) as request:
                metadata = request.get_metadata()
                image = picture_from_buffer(request.make_buffer("main"), self._config)
        except (TimeoutError, concurrent.futures.TimeoutError) as trouble:
            raise CameraError("The Pi's camera gives no pictures: check its ribbon cable.") from trouble
        except (RuntimeError, OSError) as trouble:
            what = str(trouble).replace(": ", ", ")
            raise CameraError(
                f"The Pi's camera failed ({what}): switch off, check its ribbon cable, and start again."
            ) from trouble
        # Counted from boot; without suspend, which a Pi has not, that is the monotonic clock.
        return CameraFrame(image, self._clock.from_monotonic_ns(metadata["SensorTimestamp"])), metadata


def picture_from_buffer(buffer: NDArray[np.uint8], config: Mapping[str, Any]) -> Image:
    """The picture in a buffer of libcamera's, as uint8, height × width × 3, BGR.

    libcamera may deliver another format than was asked for; raises `CameraError` for one that is unknown.
    """
    width, height = config["size"]
    stride, kind = config["stride"], config["format"]
    match kind:
        case "RGB888":
            return _to_rows(buffer, height, stride)[:, : width * 3].reshape(height, width, 3).copy()
        case "XRGB8888":
            four = _to_rows(buffer, height, stride)[:, : width * 4].reshape(height, width, 4)
            return four[:, :, :3].copy()
        case "NV12" | "YUV420":
            import cv2

            code = cv2.COLOR_YUV2BGR_NV12 if kind == "NV12" else cv2.COLOR_YUV2BGR_I420
            image = cv2.cvtColor(_to_rows(buffer, height * 3 // 2, stride), code)[:, :width]
            return np.ascontiguousarray(image, dtype=np.uint8)
        case _:
            raise CameraError(f"The Pi's camera sends pictures as {kind}, which the companion cannot read.")


def _to_rows(buffer: NDArray[np.uint8], rows: int, stride: int) -> NDArray[np.uint8]:
    return buffer[: rows * stride].reshape(rows, stride)


def _import_picamera2() -> Any:
    try:
        import picamera2
    except ModuleNotFoundError as trouble:
        name = trouble.name or "picamera2"
        fix = Machine().package_remedy(PACKAGES.get(name, f"python3-{name}"), name)
        raise CameraLibraryError(
            f"This Python can't find {name}, which reads the camera: {fix}."
        ) from trouble
    except (ImportError, ValueError) as trouble:
        if ".so" in str(trouble):  # libraries were updated, or removed, one without the other
            why = str(trouble).replace(": ", ", ")
            raise CameraLibraryError(
                f"picamera2 is here but doesn't load ({why}): sudo apt full-upgrade, then "
                "sudo apt install --reinstall python3-libcamera python3-picamera2."
            ) from trouble
        # Built against another numpy than is here, it raises one or the other (picamera2 issue 1211).
        raise CameraLoadError(
            f"picamera2 is here but doesn't load ({trouble}): {foreign_numpy_remedy(Machine())}install the "
            "program again, which keeps the system's numpy (in a checkout: rm -r .venv, then make demo)."
        ) from trouble
    return picamera2


def foreign_numpy_remedy(machine: Machine) -> str:
    """How to remove a numpy that pip has put before the system's, which is older; or empty."""
    if machine.find("usr/local/lib/python3*/*-packages/numpy"):
        return "sudo pip3 uninstall --break-system-packages numpy, and "
    if machine.find("home/*/.local/lib/python3*/site-packages/numpy"):
        return "pip3 uninstall --break-system-packages numpy, and "
    own = machine.module("numpy")
    if sys.prefix != sys.base_prefix and own is not None and own.is_relative_to(sys.prefix):
        return f"{sys.executable} -m pip install 'numpy<2', or "  # by pip or pipx, which ask no system
    return ""
