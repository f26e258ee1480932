"""Opens the camera that the settings name, or the first one found."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from companion.core.clock import Clock
from companion.system.boot_config import SENSORS, read_boot_config
from companion.system.device_lock import DEVICES
from companion.system.machine import CAMERA_PROGRAMS, SILENT_USB_REMEDY, WEBCAM, Machine
from hardware.camera import Camera
from hardware.camera_files import FolderCamera
from hardware.camera_lock import AnyCameraLock, PiCameraLock, WebcamLock
from hardware.camera_pi import HEAP_REMEDY, PiCamera, lens_kind
from hardware.camera_usb import UsbCamera
from hardware.errors import (
    CameraBusyError,
    CameraError,
    CameraForbiddenError,
    CameraHeldError,
    CameraLibraryError,
    CameraMemoryError,
    CameraNotSoughtError,
    CameraSettingError,
    HardwareError,
    LibraryMissingError,
    NoCameraError,
    NoDriverError,
    NoSocketError,
    OtherSensorError,
    SandboxedCameraError,
    UsbSilentError,
)

RECEIVERS = frozenset({"unicam", "bcm2835-unicam", "rp1-cfe"})
"""Drivers of the Pis' sockets for a camera ribbon."""
TWO_SOCKETS = 5
"""Since this generation a Pi has two for cameras; a `dtoverlay` that names none of them is for cam1."""


def open_camera(
    kind: str,
    device: str,
    clock: Clock,
    *,
    size: tuple[int, int] = (1280, 720),
    lock: AnyCameraLock | None = None,
    root: Path = Path("/"),
    machine: Machine | None = None,
) -> Camera:
    """Open the camera `kind`: `auto`, `pi`, `usb` or `folder`; `size` in pixels. Raises `CameraError`.

    `root` has the machine's `dev` and `sys`. `CameraWorker` calls it again after a camera was lost.
    """
    if kind in {"auto", "pi", "usb"}:
        _require_permission(machine or Machine(root=root))
    machine = machine or Machine(root=root)
    try:
        return _open_kind(kind, device, clock, size=size, lock=lock, root=root)
    except NoCameraError as trouble:
        if (sandbox := machine.find_sandbox()) is not None:
            raise SandboxedCameraError(f"No camera is seen, for {sandbox[0]}: {sandbox[1]}.") from trouble
        if undriven := machine.find_undriven_usb(WEBCAM):
            wrong = NoDriverError(
                f"{undriven} is plugged in, but no driver has it, as after an update of the system: restart."
            )
            wrong.screen_parts = (("part", undriven),)
            raise wrong from trouble
        is_told = isinstance(trouble, CameraNotSoughtError)
        if not is_told and (socket := machine.find_silent_usb()):
            what = f"No camera, and the kernel's log says that USB {socket} does not answer"
            raise UsbSilentError(f"{what}: {SILENT_USB_REMEDY}.") from trouble
        raise
    except CameraError as trouble:
        called = CAMERA_PROGRAMS if isinstance(trouble, CameraBusyError) else None
        holder = machine.find_holder(find_camera_nodes(machine), called)
        if holder is None:
            raise
        raise CameraHeldError(holder) from trouble


def find_camera_nodes(machine: Machine) -> Iterator[Path]:
    """The device files by which a program may have a camera."""
    return chain.from_iterable(map(machine.find, DEVICES))


def _open_kind(
    kind: str, device: str, clock: Clock, *, size: tuple[int, int], lock: AnyCameraLock | None, root: Path
) -> Camera:
    match kind:
        case "pi":
            number = int(device) if device.isdecimal() else 0
            return _open_pi_camera(clock, size=size, lock=_lock_for_pi(lock), root=root, number=number)
        case "usb":
            return _open_webcam(device, clock, size=size, lock=lock, root=root)
        case "folder":
            return FolderCamera(Path(device).expanduser(), clock)
        case "auto":
            return _open_first_camera(device, clock, size=size, lock=lock, root=root)
        case _:
            raise CameraError("There is no camera: tell me the cards on the screen.")


def _lock_for_pi(lock: AnyCameraLock | None) -> PiCameraLock | None:
    """The lock, if it is one of a Pi's camera: another may hang there since."""
    return lock if isinstance(lock, PiCameraLock) else None


def _lock_for_webcam(lock: AnyCameraLock | None) -> WebcamLock | None:
    return lock if isinstance(lock, WebcamLock) else None


def find_webcams(root: Path = Path("/")) -> tuple[str, ...]:
    """The webcams' device files, those with a name that stays the same first, a laptop's own last.

    A Pi has many video devices that are none: its codecs, and the raw side of its own camera.
    """
    nodes = sorted((root / "dev").glob("video*"), key=lambda node: (len(node.name), node.name))
    webcams = {node.resolve(): node for node in nodes if _is_webcam(node, root)}
    links = sorted((root / "dev/v4l/by-id").glob("*-index0"))
    named = [link for link in links if webcams.pop(link.resolve(), None) is not None]
    return tuple(map(str, sorted((*named, *webcams.values()), key=lambda node: _is_built_in(node, root))))


def horizontal_angle(camera: Camera) -> float | None:
    """Degrees that a camera sees from left to right; None where it does not say: a webcam's lens is any."""
    view = camera.field_of_view() if isinstance(camera, PiCamera) else None
    return None if view is None else view[0]


def unfit_lens(camera: Camera) -> str:
    """As `lens_kind` of a Pi's camera; of another nobody knows."""
    return lens_kind(camera.model) if isinstance(camera, PiCamera) else ""


def webcam_name(device: str, root: Path = Path("/")) -> str:
    """What the kernel calls a webcam, by its device file; its device where it does not say."""
    about = root / "sys/class/video4linux" / Path(device).resolve().name / "name"
    with suppress(OSError):
        return about.read_text("utf-8", errors="replace").strip() or device
    return device


def camera_name(camera: Camera) -> str:
    """What a webcam, or the sensor of a Pi's camera, is called; empty of any other."""
    if isinstance(camera, UsbCamera):
        return webcam_name(str(camera.node), camera.node.parent.parent)
    return camera.model if isinstance(camera, PiCamera) else ""


def other_webcams(camera: Camera) -> tuple[str, ...]:
    """The names of webcams that are plugged in besides the one that is used."""
    if not isinstance(camera, UsbCamera):
        return ()
    root = camera.node.parent.parent
    others = (one for one in find_webcams(root) if Path(one).resolve().name != camera.node.name)
    return tuple(webcam_name(one, root) for one in others)


def _has_ribbon_camera(root: Path) -> bool:
    """Whether the kernel has a camera on the ribbon: without one its receiver has no device."""
    drivers = (root / "sys/class/video4linux").glob("video*/device/driver")
    return any(driver.resolve().name in RECEIVERS for driver in drivers)


def _require_permission(machine: Machine) -> None:
    """Raise `CameraForbiddenError` if this user may open no video device: libcamera then lists no camera."""
    nodes = machine.find("dev/video*")
    if nodes and not any(os.access(node, os.R_OK | os.W_OK) for node in nodes):
        raise CameraForbiddenError(
            f"You may not open the camera ({nodes[0]}): {machine.join_groups('video')}."
        )


def _is_webcam(node: Path, root: Path) -> bool:
    """Whether this is a webcam's device, and the one of its devices that has pictures."""
    about = root / "sys/class/video4linux" / node.name
    try:
        driver = (about / "device/driver").readlink().name
    except OSError:  # no sysfs tells
        return True
    with suppress(OSError):
        return driver == "uvcvideo" and (about / "index").read_text("ascii").strip() == "0"
    return False


def _is_built_in(node: Path, root: Path) -> bool:
    """Whether it is a part of the machine, which looks at a face and not at the table."""
    interface = (root / "sys/class/video4linux" / node.resolve().name / "device").resolve()
    with suppress(OSError):
        return (interface.parent / "removable").read_text("ascii").strip() == "fixed"
    return False


def _webcam_device(device: str, root: Path) -> int | str:
    """What OpenCV opens: the number or path that was given, or a webcam that is called so, else the first.

    A path of a device becomes its number, for OpenCV would take it for a film first.
    """
    if device.isdecimal():
        return int(device)
    called = [one for one in find_webcams(root) if device.lower() in webcam_name(one, root).lower()]
    if device and "/" not in device and called:
        device = called[0]
    if device and not (root / device.lstrip("/")).exists() and device not in called:
        there = " or ".join(find_webcams(root))
        other = f"set {there}" if there else "leave that setting empty"
        raise CameraSettingError(
            f"camera.device is {device}, which is not plugged in: plug it in, or {other}."
        )
    found = (device,) if device else find_webcams(root)
    if not found and _has_ribbon_camera(root):
        raise CameraSettingError(
            "No webcam was found, but a camera on the ribbon is there: set camera.kind to auto, or plug a "
            "webcam in."
        )
    if not found:
        raise NoCameraError("No webcam was found: plug it in, or name it in camera.device.")
    number = Path(found[0]).resolve().name.removeprefix("video")
    return int(number) if number.isdecimal() else found[0]


def _open_first_camera(
    device: str, clock: Clock, *, size: tuple[int, int], lock: AnyCameraLock | None, root: Path
) -> Camera:
    """The Pi's own camera, if it gives a picture, else a webcam."""
    try:
        return _open_pi_camera_that_works(clock, size=size, lock=_lock_for_pi(lock), root=root)
    except HardwareError as trouble:
        if not device and not find_webcams(root):
            # A laptop has no picamera2; where a ribbon camera is plugged in, that has to be put right.
            if isinstance(trouble, LibraryMissingError) and not _has_ribbon_camera(root):
                what, on = "No camera was found", "; a laptop's own may be switched off by a key or a slider"
                if any((root / "sys/bus/pci/drivers").glob("intel[-_]ipu*")):
                    what, on = "This laptop's own camera is not on USB (Intel IPU), and so it is not read", ""
                raise NoCameraError(f"{what}: plug in a webcam, or set camera.kind{on}.") from trouble
            raise
    return _open_webcam(device, clock, size=size, lock=lock, root=root)


def _open_webcam(
    device: str, clock: Clock, *, size: tuple[int, int], lock: AnyCameraLock | None, root: Path
) -> UsbCamera:
    """The webcam with this number or path, else the first; one that has none says which have pictures."""
    number = _webcam_device(device, root)
    try:
        return UsbCamera(number, clock, size=size, lock=_lock_for_webcam(lock), devices=root / "dev")
    except CameraBusyError as trouble:
        webcams = find_webcams(root)
        named = f"video{number}"
        if webcams and named not in {Path(webcam).resolve().name for webcam in webcams}:
            better = f"leave camera.device empty, or set it to {webcams[0]}"
            raise CameraError(f"camera.device is {device}, which gives no pictures: {better}.") from trouble
        raise


def _open_pi_camera_that_works(
    clock: Clock, *, size: tuple[int, int], lock: PiCameraLock | None, root: Path
) -> PiCamera:
    camera = _open_pi_camera(clock, size=size, lock=lock, root=root)
    try:
        camera.capture(-1)
    except CameraError:
        camera.close()
        raise
    return camera


def _open_pi_camera(
    clock: Clock, *, size: tuple[int, int], lock: PiCameraLock | None, root: Path, number: int = 0
) -> PiCamera:
    """As `PiCamera`; where the Pi sees none because of what config.txt says, the error says that."""
    machine = Machine(root=root)
    try:
        return PiCamera(clock, size=size, lock=lock, number=number)
    except NoCameraError as trouble:
        has_socket = machine.has_ribbon_socket()
        if find_webcams(root):
            seat = ", or seat the ribbon" if has_socket else ""
            raise CameraSettingError(
                f"No camera is on the Pi's ribbon, but a webcam is there: set camera.kind to auto{seat}."
            ) from trouble
        if not has_socket:
            raise NoSocketError(
                "This Pi has no socket for a camera's ribbon: plug in a webcam, and set camera.kind to auto."
            ) from trouble
        if (told := _boot_config_error(root)) is not None:
            raise told from trouble
        if _has_ribbon_camera(root):
            heaps = [*(root / "dev/dma_heap").glob("*")]
            if not any(os.access(heap, os.R_OK | os.W_OK) for heap in heaps):
                what, fix = "is not there (/dev/dma_heap)", "sudo apt full-upgrade, then restart"
                if heaps:
                    what, fix = f"may not be opened ({heaps[0]})", HEAP_REMEDY
                raise CameraForbiddenError(f"The camera's memory {what}: {fix}.") from trouble
            raise CameraLibraryError(
                "The kernel has a camera on the ribbon, but libcamera lists none: sudo apt install "
                "--reinstall libcamera-ipa python3-libcamera, then restart."
            ) from trouble
        raise
    except CameraMemoryError as trouble:
        if reserved := re.search(r"\bcma=\S+", Machine(root=root).read_text("proc/cmdline")):
            what = str(trouble).partition(": ")[0]
            fix = f"take {reserved[0]} out of /boot/firmware/cmdline.txt, and restart"
            raise CameraMemoryError(f"{what}: {fix}.") from trouble
        raise


def _boot_config_error(root: Path) -> CameraError | None:
    """Why config.txt lets the Pi see no camera that is plugged in; None: it does not.

    The firmware asks every socket what hangs there only if `camera_auto_detect` is 1, which a file without
    that line does not have; a `dtoverlay` of a sensor is asked for that sensor alone.
    """
    config = read_boot_config(Machine(root=root))
    if config is None:
        return None
    looks = config.value("camera_auto_detect") == "1"
    steps = [] if looks else ["write camera_auto_detect=1 there"]
    if config.value("start_x") == "1":
        steps.append("take start_x=1 out")
    sensors = list(dict.fromkeys(filter(SENSORS.fullmatch, config.overlays)))
    if sensors:
        two = Machine(root=root).pi_generation() >= TWO_SOCKETS
        socket = "see that it is in the socket of that line (cam1, else ,cam0) and " if two else ""
        named, lines = " and ".join(sensors), " and ".join(f"dtoverlay={sensor}" for sensor in sensors)
        wrong = OtherSensorError(
            f"No camera answers, and {config.path} names the sensor {named}: if yours is another, "
            f"{', '.join([*steps, f'take {lines} out'])}, and restart; "
            f"if it is that one, {socket}check its ribbon cable."
        )
        wrong.screen_parts = (("sensor", named), ("line", lines))
        return wrong
    if not steps:
        return None
    why = (
        "does not have camera_auto_detect=1"
        if not looks
        else "has start_x=1, which gives the camera to old programs"
    )
    return CameraNotSoughtError(
        f"The Pi looks for no camera, for {config.path} {why}: {', '.join(steps)}, and restart."
    )
