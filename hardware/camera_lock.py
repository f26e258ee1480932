"""The locked exposure, white balance or focus of a camera, as calibration found them.

A camera left to itself brightens when a dark sleeve comes over the table, and hunts for focus on a hand.
"""

from __future__ import annotations

from typing import Any

from companion.core.actions import Value

MAX_LIGHT_CHANGE = 0.2
"""By how much of its light an exposure of whole flickers may differ, where no gain makes up for it."""


class PiCameraLock(Value, frozen=True, tag="pi"):
    """The Pi's camera.

    Only fixed colour gains really switch automatic white balance off (picamera2 issue 977).
    """

    exposure: int
    """Microseconds."""
    gain: float
    colour_gains: tuple[float, float]
    """Red and blue."""
    lens: float | None = None
    """Dioptres; None where the focus is turned by hand."""

    def to_libcamera_controls(self) -> dict[str, Any]:
        """What libcamera calls these."""
        focus = {} if self.lens is None else {"AfMode": 0, "LensPosition": self.lens}
        return {
            "AeEnable": False,
            "AwbEnable": False,
            "ExposureTime": self.exposure,
            "AnalogueGain": self.gain,
            "ColourGains": self.colour_gains,
            **focus,
        }

    def without_flicker(self, hertz: int = 50) -> PiCameraLock:
        """The same brightness with an exposure of whole flickers of the light: no bands in the picture."""
        flicker = round(1_000_000 / (2 * hertz))
        if self.exposure < flicker:
            return self
        exposure = self.exposure // flicker * flicker
        return PiCameraLock(exposure, self.gain * self.exposure / exposure, self.colour_gains, self.lens)

    def __str__(self) -> str:
        focus = "focus by hand" if self.lens is None else f"focus {self.lens:.2f} dioptres"
        white = "/".join(f"{gain:.2f}" for gain in self.colour_gains)
        return f"exposure {self.exposure / 1000:.1f} ms, gain {self.gain:.2f}, white {white}, {focus}"


class WebcamLock(Value, frozen=True, tag="usb"):
    """A webcam, in its driver's own units; None: it has no such control, or does not say."""

    exposure: float | None = None
    gain: float | None = None
    white: float | None = None
    focus: float | None = None

    def without_flicker(self, hertz: int = 50) -> WebcamLock:
        """The same with the nearest exposure of whole flickers, unless the light would be too much another.

        V4L2 counts exposures in tenths of a millisecond; what a gain is worth no driver says.
        """
        flicker = 10_000 / (2 * hertz)
        whole = 0 if self.exposure is None else round(round(self.exposure / flicker) * flicker)
        if self.exposure is None or abs(whole / self.exposure - 1) > MAX_LIGHT_CHANGE:
            return self
        return WebcamLock(float(whole), self.gain, self.white, self.focus)

    def __str__(self) -> str:
        parts = {"exposure": self.exposure, "gain": self.gain, "white": self.white, "focus": self.focus}
        told = ", ".join(f"{name} {value:g}" for name, value in parts.items() if value is not None)
        return told or "the webcam's automatics are off"


AnyCameraLock = PiCameraLock | WebcamLock
