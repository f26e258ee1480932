"""Hardware errors, each with a sentence that names the fix."""

from companion.core.errors import CompanionError


class HardwareError(CompanionError):
    """A part is missing, forbidden, busy or broken."""


class GpioMissingError(HardwareError, OSError):
    """There are no pins to open."""


class GpioForbiddenError(HardwareError, PermissionError):
    """The pins are there, but this user may not open them."""


class LibraryMissingError(HardwareError, ImportError):
    """A library of the system's packages is not installed, or this environment cannot see it."""


class PinBusyError(HardwareError, OSError):
    """Another program holds a pin."""


class CameraError(HardwareError, OSError):
    """The camera gives no pictures: it is not there, is held by another program, or went away."""


class EncoderError(HardwareError, OSError):
    """The USB encoder cannot be opened or went away."""

    on_screen = "encoder"
