"""Hardware errors, each with a sentence that names the fix."""

from companion.core.actions import Chair
from companion.core.errors import CompanionError
from companion.core.view import Sentence
from companion.system.machine import Process


class HardwareError(CompanionError):
    """A part is missing, forbidden, busy or broken."""


class GpioMissingError(HardwareError, OSError):
    """There are no pins to open."""


class GpioForbiddenError(HardwareError, PermissionError):
    """The pins are there, but this user may not open them."""


class LibraryMissingError(HardwareError, ImportError):
    """A library of the system's packages is not installed, or this environment cannot see it."""


class PinError(HardwareError, OSError):
    """A pin does not open."""

    chair: Chair | None = None
    """Whose; None: a shared button's."""
    button: str = ""
    """Which button, as settings name it: `ok`."""
    lamp: bool = False
    """Whether it is a lamp's, not a button's."""
    holder: str = ""
    """Who holds it; empty: nobody, or the kernel does not say."""
    is_kernel_feature: bool = False
    """Whether the holder is something that can be switched off in the system's settings, such as SPI."""
    line: str = ""
    """Of config.txt, by which the kernel holds it; empty: none is known."""
    board: str = ""
    """The board on the header that has it, as people know it; empty: none."""
    unit: str = ""
    """Of systemd, which starts the holder; empty: none is known."""
    command: str = ""
    """Ends that unit for good."""
    fix: str = ""
    """What to do about it, for a terminal."""

    def screen_sentence(self) -> Sentence:
        whose = (("button", self.button),) if self.chair is None else (("chair", self.chair),)
        if self.lamp and (self.is_kernel_feature or self.board or not self.holder):
            return Sentence("shared.pin.lamp", whose)
        if not self.holder:
            return Sentence("shared.pin.closed", whose)
        if self.board and not self.lamp:
            return Sentence("shared.pin.board", (*whose, ("board", self.board)))
        if self.line:
            key = "shared.pin.lamp_config" if self.lamp else "shared.pin.config"
            return Sentence(key, (*whose, ("line", self.line)))
        if self.unit:
            key = "shared.pin.lamp_service" if self.lamp else "shared.pin.service"
            return Sentence(key, (*whose, ("unit", self.unit), ("command", self.command)))
        parts = (*whose, ("holder", self.holder))
        if self.lamp:
            return Sentence("shared.pin.lamp_held", parts)
        return Sentence("shared.pin.off" if self.is_kernel_feature else "shared.pin.held", parts)


class PinBusyError(PinError):
    """The kernel or another program holds a pin."""


class CameraError(HardwareError, OSError):
    """The camera gives no pictures: it is not there, is held by another program, or went away."""

    on_screen = "camera"


class NoCameraError(CameraError):
    """There is no camera, as far as the machine sees."""

    on_screen = "no_camera"


class SandboxedCameraError(NoCameraError):
    """There is none for a program in a container, or the like."""

    on_screen = "sandbox"


class NoDriverError(CameraError):
    """A camera is plugged in, but the kernel has no driver for it."""

    on_screen = "no_driver"


class UsbSilentError(CameraError):
    """There is no camera, and something on USB does not answer the kernel."""

    on_screen = "usb_silent"


class NoSocketError(NoCameraError):
    """A camera on a ribbon cannot be plugged into this machine."""

    on_screen = "camera_socket"


class CameraSettingError(NoCameraError):
    """The settings name a camera that is not there, whatever else is."""

    on_screen = "camera_setting"


class CameraNotSoughtError(NoCameraError):
    """The Pi's firmware was told to look for no camera."""

    on_screen = "camera_not_sought"


class OtherSensorError(CameraError):
    """The Pi's firmware was told of another sensor than is there."""

    on_screen = "camera_sensor"


class CameraBusyError(CameraError):
    """The camera is there and does not open: another program has it."""

    on_screen = "camera_busy"


class CameraHeldError(CameraBusyError):
    """Another program has the camera, and can be named."""

    on_screen = "camera_held"

    def __init__(self, holder: Process) -> None:
        super().__init__(f"The camera is in use by {holder}: {holder.remedy()}.")
        self.screen_parts = (("holder", holder.unit or holder.name), ("command", holder.command))


class CameraMemoryError(CameraError):
    """The kernel has too little contiguous memory for the pictures of the Pi's camera."""

    on_screen = "camera_memory"


class WebcamStarvedError(CameraError):
    """A webcam is plugged in and sends no picture: USB has no room for it, most often behind a hub."""

    on_screen = "webcam_starved"


class CameraLoadError(CameraError):
    """What reads the camera is installed, but does not load."""

    on_screen = "camera_library"


class CameraForbiddenError(CameraError, PermissionError):
    """The camera is there, but this user may not open it."""

    on_screen = "camera_forbidden"


class CameraLibraryError(LibraryMissingError):
    """What reads the camera is not installed, or does not load."""

    on_screen = "camera_library"


class EncoderError(HardwareError, OSError):
    """The USB encoder cannot be opened or went away."""

    on_screen = "encoder"


class EncoderForbiddenError(EncoderError, PermissionError):
    """This user may not read input devices, so an encoder that is there is not seen."""

    on_screen = "encoder_forbidden"
