"""Who was first, as far as it can be told: presses with their stamps, sources and intervals."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from companion.core.actions import Micros, Seat, Value

TIE_WINDOW: Micros = 45_000
"""How long after the first press the order stays open: with the 40 ms that the loop waits, a press whose edge
reached the program 80 ms late, or that was found by its level, still takes its place."""
PHONE_RESOLUTION: Micros = 60_000
"""How finely a phone tells two presses apart: touch panels differ by tens of milliseconds."""
DEFAULT_RESOLUTION: Micros = 16_000
RESOLUTIONS: Mapping[str, Micros] = MappingProxyType({"gpio": 1_000, "usb": 8_000, "phone": PHONE_RESOLUTION})
"""How finely a source can tell two presses apart; any other as a key does."""


class RaceCall(Value, frozen=True):
    """One press in a race."""

    seat: Seat
    at: Micros
    source: str
    since: Micros | None = None
    """It fell between here and `at`; None: at `at`."""

    @property
    def earliest(self) -> Micros:
        """The first instant at which it may have been."""
        return self.at if self.since is None else self.since


def default_resolution(source: str) -> Micros:
    """How finely a source tells two presses apart where no table says otherwise."""
    return RESOLUTIONS.get(source, DEFAULT_RESOLUTION)


def is_before(
    one: RaceCall, other: RaceCall, resolution: Callable[[str], Micros] = default_resolution
) -> bool:
    """Whether `one` came first for certain: by as much as the coarser of their sources tells."""
    return other.earliest - one.at >= max(resolution(one.source), resolution(other.source))


def first_calls(
    calls: Sequence[RaceCall], resolution: Callable[[str], Micros] = default_resolution
) -> list[RaceCall]:
    """Those that no other certainly precedes: if there are several, nobody can tell who was first."""
    return [call for call in calls if not any(is_before(other, call, resolution) for other in calls)]
