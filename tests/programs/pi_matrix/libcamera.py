"""Stands for libcamera's Python interface, over recorded cameras, so that the real picamera2 runs on it.

Names, and what each call gives back, are those of `src/py/libcamera/py_main.cpp` and `py_camera_manager.cpp`
(raspberrypi/libcamera at a17f0edd and bf3dbaec). What a configuration becomes is as its pipelines have it:
the Pi's takes the sensor mode that is named, and cuts its picture to the shape of the stream; the one of
webcams knows MJPEG and YUYV, and takes its first format for one that it has not.
"""

from __future__ import annotations

import enum
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, ClassVar

import cv2
import numpy as np

FRAME_SECONDS = 0.003
"""Between two pictures; a sensor takes ten times as long."""
EXPOSURE_MICROS = 20_000
"""How long each picture says to have been exposed."""
STRIDE_ALIGNMENT = 64
"""Bytes; both image processors of the Pis want rows so."""


@dataclass
class Size:
    width: int = 0
    height: int = 0


@dataclass
class Rectangle:
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0


class Transform:
    def __init__(
        self,
        other: Transform | None = None,
        *,
        hflip: bool = False,
        vflip: bool = False,
        transpose: bool = False,
    ) -> None:
        self.hflip: bool = other.hflip if other else bool(hflip)
        self.vflip: bool = other.vflip if other else bool(vflip)
        self.transpose: bool = other.transpose if other else bool(transpose)

    def __str__(self) -> str:
        return f"<libcamera.Transform {self.__dict__}>"


class ColorSpace:
    Primaries = enum.Enum("Primaries", "Raw Smpte170m Rec709 Rec2020")
    TransferFunction = enum.Enum("TransferFunction", "Linear Srgb Rec709")
    YcbcrEncoding = enum.Enum("YcbcrEncoding", "Null Rec601 Rec709 Rec2020")
    Range = enum.Enum("Range", "Full Limited")

    primaries: Primaries
    transferFunction: TransferFunction
    ycbcrEncoding: YcbcrEncoding
    range: Range

    def __init__(self, other: ColorSpace) -> None:
        self.__dict__.update(other.__dict__)

    def __str__(self) -> str:
        return f"<libcamera.ColorSpace {self.__dict__}>"

    @classmethod
    def _of(cls, primaries: str, transfer: str, encoding: str, span: str) -> ColorSpace:
        made = cls.__new__(cls)
        made.primaries, made.transferFunction = cls.Primaries[primaries], cls.TransferFunction[transfer]
        made.ycbcrEncoding, made.range = cls.YcbcrEncoding[encoding], cls.Range[span]
        return made

    @classmethod
    def Raw(cls) -> ColorSpace:
        return cls._of("Raw", "Linear", "Null", "Full")

    @classmethod
    def Sycc(cls) -> ColorSpace:
        return cls._of("Rec709", "Srgb", "Rec601", "Full")

    @classmethod
    def Smpte170m(cls) -> ColorSpace:
        return cls._of("Smpte170m", "Rec709", "Rec601", "Limited")

    @classmethod
    def Rec709(cls) -> ColorSpace:
        return cls._of("Rec709", "Rec709", "Rec709", "Limited")


Orientation = enum.Enum(
    "Orientation",
    "Rotate0 Rotate0Mirror Rotate180 Rotate180Mirror Rotate90Mirror Rotate270 Rotate270Mirror Rotate90",
)
StreamRole = enum.Enum("StreamRole", "Raw StillCapture VideoRecording Viewfinder")
ControlType = enum.Enum("ControlType", "Null Bool Byte Integer32 Integer64 Float String Rectangle Size")


class PixelFormat:
    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ControlId:
    name: str
    type: ControlType = ControlType.Float


@dataclass
class ControlInfo:
    min: Any
    max: Any
    default: Any


class _ControlIds(SimpleNamespace):
    """One of each name for the whole program: they are compared by what they are."""

    def __getattr__(self, name: str) -> ControlId:
        if name.startswith("_"):
            raise AttributeError(name)
        found = ControlId(name, ControlType.Rectangle if name == "ScalerCrop" else ControlType.Float)
        setattr(self, name, found)
        return found


controls = _ControlIds(
    draft=SimpleNamespace(
        NoiseReductionModeEnum=enum.IntEnum(
            "NoiseReductionModeEnum", "Off Fast HighQuality Minimal ZSL", start=0
        )
    )
)
properties = _ControlIds(
    draft=SimpleNamespace(
        ColorFilterArrangementEnum=enum.IntEnum(
            "ColorFilterArrangementEnum", "RGGB GRBG GBRG BGGR RGB MONO", start=0
        )
    )
)


@dataclass(frozen=True)
class Mode:
    """One way in which a sensor is read."""

    format: str
    size: tuple[int, int]
    crop: tuple[int, int, int, int] = (0, 0, 0, 0)
    """What of the sensor it reads: left, top, width, height in pixels of the sensor."""
    fps: float = 30.0


def _draw_grey(width: int, height: int) -> np.ndarray[Any, Any]:
    return np.full((height, width, 3), 128, np.uint8)


@dataclass
class Plugged:
    """A camera that is plugged in, and what ails it."""

    id: str
    model: str
    modes: Sequence[Mode]
    is_sensor: bool = True
    """False: a webcam, which libcamera lists as well."""
    has_focus: bool = False
    is_held: bool = False
    """Another process has it."""
    is_silent: bool = False
    """It answers, but no picture arrives: its cable is damaged."""
    draw: Callable[[int, int], np.ndarray[Any, Any]] = _draw_grey
    """The whole of what the lens shows, of this width and height; another one, and something has moved."""
    monotonic_ns: Callable[[], int] = lambda: time.monotonic_ns() + 1_000 * EXPOSURE_MICROS
    """The kernel's clock, which stamps its pictures: as if each had been exposed while it was waited for.

    picamera2 leaves out those whose exposure began before they were asked for.
    """


class StreamFormats:
    def __init__(self, modes: Sequence[Mode]) -> None:
        self._modes = modes

    @property
    def pixel_formats(self) -> list[PixelFormat]:
        return [PixelFormat(name) for name in dict.fromkeys(mode.format for mode in self._modes)]

    def sizes(self, wanted: PixelFormat) -> list[Size]:
        return [Size(*mode.size) for mode in self._modes if mode.format == str(wanted)]


class Stream:
    configuration: StreamConfiguration


class StreamConfiguration:
    def __init__(self, formats: StreamFormats) -> None:
        self.formats, self.stream = formats, Stream()
        self.stream.configuration = self
        self.size, self.pixel_format = Size(), PixelFormat("")
        self.stride = self.frame_size = self.buffer_count = 0
        self.color_space: ColorSpace | None = None

    def lay_out(self) -> None:
        """Bytes for a row and for the whole picture."""
        name, width, height = str(self.pixel_format), self.size.width, self.size.height
        bits = {"RGB888": 24, "BGR888": 24, "XRGB8888": 32, "XBGR8888": 32, "YUYV": 16}.get(name, 8)
        if name[:1] == "S" or "PISP" in name:
            bits = 12 if "12" in name else 10
        self.stride = 0 if name == "MJPEG" else -(-width * bits // 8 // STRIDE_ALIGNMENT) * STRIDE_ALIGNMENT
        rows = height * 3 // 2 if name in {"YUV420", "NV12"} else height
        self.frame_size = width * height * 2 if name == "MJPEG" else self.stride * rows


class SensorConfiguration:
    bit_depth = 0
    output_size = Size()


class CameraConfiguration:
    Status = enum.Enum("Status", "Valid Adjusted Invalid")

    def __init__(self, camera: Camera, roles: Sequence[StreamRole]) -> None:
        self._camera = camera
        formats = StreamFormats(camera.plugged.modes)
        self._streams = [StreamConfiguration(formats) for _ in roles]
        self._raw = [role is StreamRole.Raw for role in roles]
        self.orientation = Orientation.Rotate0
        self.sensor_config: SensorConfiguration | None = None
        self.mode: Mode = camera.plugged.modes[0]

    def __iter__(self) -> Iterator[StreamConfiguration]:
        return iter(self._streams)

    def __len__(self) -> int:
        return len(self._streams)

    def at(self, index: int) -> StreamConfiguration:
        return self._streams[index]

    def validate(self) -> enum.Enum:
        plugged = self._camera.plugged
        found = self.Status.Valid
        if not plugged.is_sensor:
            return self._validate_webcam()
        if (wanted := self.sensor_config) is not None:
            size = wanted.output_size.width, wanted.output_size.height
            fitting = [m for m in plugged.modes if m.size == size and str(wanted.bit_depth) in m.format]
            if not fitting:
                return self.Status.Invalid
            self.mode = fitting[0]
        for config, is_raw in zip(self._streams, self._raw, strict=True):
            if is_raw and (config.size.width, config.size.height) != self.mode.size:
                config.size, config.pixel_format = Size(*self.mode.size), PixelFormat(self.mode.format)
                found = self.Status.Adjusted
            config.lay_out()
        return found

    def _validate_webcam(self) -> enum.Enum:
        """As `pipeline/uvcvideo/uvcvideo.cpp` has it."""
        (config,) = self._streams = self._streams[:1]
        names = [str(known) for known in config.formats.pixel_formats]
        if str(config.pixel_format) not in names:
            config.pixel_format = PixelFormat(min(names))
        config.lay_out()
        return self.Status.Adjusted


class FrameBuffer:
    class Plane:
        fd = offset = length = 0

    def __init__(self, planes: Sequence[Plane]) -> None:
        self.planes = planes
        self.metadata = SimpleNamespace(status=FrameMetadata.Status.Success, planes=[])


class FrameMetadata:
    Status = enum.Enum("Status", "Success Error Cancelled")


class Request:
    Status = enum.Enum("Status", "Pending Complete Cancelled")

    def __init__(self, cookie: int) -> None:
        self.cookie = cookie
        self.status = self.Status.Pending
        self.buffers: dict[Stream, FrameBuffer] = {}
        self.metadata: dict[ControlId, Any] = {}

    def add_buffer(self, stream: Stream, buffer: FrameBuffer) -> None:
        self.buffers[stream] = buffer

    def reuse(self) -> None:
        self.status = self.Status.Pending

    def set_control(self, control: ControlId, value: Any) -> None:
        pass


class Camera:
    """One camera; its thread completes what is queued, a picture each time."""

    def __init__(self, plugged: Plugged, manager: CameraManager) -> None:
        self.plugged, self._manager = plugged, manager
        self.id = plugged.id
        self._config: CameraConfiguration | None = None
        self._queue: list[Request] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._pixels = b""
        """The picture in the layout of the stream."""
        self._filled: set[FrameBuffer] = set()
        self._drawn = plugged.draw

    @property
    def properties(self) -> dict[ControlId, Any]:
        found: dict[ControlId, Any] = {properties.Model: self.plugged.model, properties.Location: 2}
        if self.plugged.is_sensor:
            found[properties.ColorFilterArrangement] = 0
            found[properties.PixelArraySize] = Size(*max(mode.size for mode in self.plugged.modes))
        return found

    @property
    def controls(self) -> dict[ControlId, ControlInfo]:
        if not self.plugged.is_sensor:
            return {controls.Brightness: ControlInfo(-1.0, 1.0, 0.0)}
        mode = self._config.mode if self._config else self.plugged.modes[0]
        shortest = round(1e6 / mode.fps)
        found = {
            "AeEnable": (False, True, True),
            "AwbEnable": (False, True, True),
            "ExposureTime": (29, 11_766_829, 20_000),
            "ExposureTimeMode": (0, 1, 0),
            "AnalogueGain": (1.0, 16.0, 1.0),
            "AnalogueGainMode": (0, 1, 0),
            "ColourGains": (0.0, 32.0, (1.0, 1.0)),
            "NoiseReductionMode": (0, 4, 0),
            "FrameDurationLimits": (shortest, 120 * shortest, 33_333),
            "ScalerCrop": (Rectangle(0, 0, 64, 64), Rectangle(*mode.crop), Rectangle(*mode.crop)),
        }
        if self.plugged.has_focus:
            found |= {"AfMode": (0, 2, 0), "LensPosition": (0.0, 32.0, 1.0)}
        return {getattr(controls, name): ControlInfo(*limits) for name, limits in found.items()}

    def acquire(self) -> None:
        if self.plugged.is_held:
            raise RuntimeError("Failed to acquire camera: Device or resource busy")

    def release(self) -> None:
        pass

    def generate_configuration(self, roles: Sequence[StreamRole]) -> CameraConfiguration:
        return CameraConfiguration(self, roles)

    def configure(self, config: CameraConfiguration) -> int:
        self._config, self._pixels = config, b""
        self._filled.clear()
        return 0

    def create_request(self, cookie: int = 0) -> Request:
        return Request(cookie)

    def start(self, controls: dict[ControlId, Any] | None = None) -> None:
        self._stopping.clear()
        self._thread = threading.Thread(target=self._run, name="sensor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        for request in self._queue:
            request.status = request.Status.Cancelled
        self._queue.clear()

    def queue_request(self, request: Request) -> None:
        with self._lock:
            self._queue.append(request)

    def _run(self) -> None:
        while not self._stopping.wait(FRAME_SECONDS):
            with self._lock:
                request = self._queue.pop(0) if self._queue and not self.plugged.is_silent else None
            if request is not None:
                self._complete(request)

    def _complete(self, request: Request) -> None:
        if self._drawn is not self.plugged.draw:
            self._drawn, self._pixels = self.plugged.draw, b""
            self._filled.clear()
        stream, buffer = next(iter(request.buffers.items()))
        at = self.plugged.monotonic_ns()
        picture = self._picture(stream.configuration)
        if buffer not in self._filled:  # nothing moves before this lens
            os.pwrite(buffer.planes[0].fd, picture, 0)
            self._filled.add(buffer)
        buffer.metadata.planes = [SimpleNamespace(bytes_used=len(picture))]
        request.status = request.Status.Complete
        request.metadata = {
            controls.SensorTimestamp: at,
            controls.ExposureTime: EXPOSURE_MICROS,
            controls.AnalogueGain: 2.0,
            controls.ColourGains: (1.9, 1.6),
            controls.FrameDuration: 33_333,
            controls.ScalerCrop: Rectangle(*map(round, self._seen(stream.configuration))),
        }
        if self.plugged.has_focus:
            request.metadata[controls.LensPosition] = 1.6
        self._manager.complete(request)

    def _picture(self, config: StreamConfiguration) -> bytes:
        """What the mode reads of the sensor, cut to the shape of the stream and scaled; rows padded."""
        width, height = config.size.width, config.size.height
        if not self.plugged.is_sensor:
            _, data = cv2.imencode(".jpg", self.plugged.draw(width, height))
            return data.tobytes()
        if not self._pixels:
            whole = max((mode.crop for mode in self.plugged.modes), key=lambda crop: crop[2] * crop[3])
            self._pixels = _expose(
                self.plugged.draw, (width, height), config.stride, self._seen(config), whole[2:]
            )
        return self._pixels

    def _seen(self, config: StreamConfiguration) -> tuple[float, float, float, float]:
        """The part of the sensor that a stream shows."""
        if not self.plugged.is_sensor:
            return 0, 0, config.size.width, config.size.height
        assert self._config is not None
        shape = config.size.width / config.size.height
        left, top, width, height = self._config.mode.crop
        wide, high = min(width, height * shape), min(height, width / shape)
        return left + (width - wide) / 2, top + (height - high) / 2, wide, high


@lru_cache(maxsize=4)
def _expose(
    draw: Callable[[int, int], np.ndarray[Any, Any]],
    size: tuple[int, int],
    stride: int,
    seen: tuple[float, float, float, float],
    whole: tuple[int, int],
) -> bytes:
    """A picture's rows: what is seen of a sensor, scaled to this size; cells show the same again."""
    width, height = size
    scale = width / seen[2]
    lens = draw(round(whole[0] * scale), round(whole[1] * scale))
    left, top = round(seen[0] * scale), round(seen[1] * scale)
    rows = np.zeros((height, stride // 3, 3), np.uint8)
    rows[:, :width] = cv2.resize(lens[top : top + height, left : left + width], size)
    return rows.tobytes()


class CameraManager:
    """The one of the program; what is plugged in is in `plugged`."""

    plugged: ClassVar[list[Plugged]] = []

    def __init__(self) -> None:
        self.cameras = [Camera(each, self) for each in self.plugged]
        self.event_fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._done: list[Request] = []
        self._lock = threading.Lock()

    def __del__(self) -> None:
        os.close(self.event_fd)

    @classmethod
    def singleton(cls) -> CameraManager:
        return cls()

    def complete(self, request: Request) -> None:
        with self._lock:
            self._done.append(request)
        os.eventfd_write(self.event_fd, 1)

    def get_ready_requests(self) -> list[Request]:
        try:
            os.eventfd_read(self.event_fd)
        except BlockingIOError:
            return []
        with self._lock:
            done, self._done = self._done, []
        return done
