"""What a Raspberry Pi's firmware is told to start with: config.txt."""

from collections.abc import Iterator
from typing import NamedTuple

from companion.system.machine import Machine

PATHS = ("boot/firmware/config.txt", "boot/config.txt")
"""Of bookworm and later, and of before."""


class BootConfig(NamedTuple):
    """The lines of config.txt that count on this machine."""

    path: str
    """Of the file, as people open it."""
    settings: tuple[tuple[str, str], ...]
    """Name and value of each, in order; of one name the last counts, but of overlays each."""

    def value(self, name: str) -> str:
        """Empty: it is not set."""
        return next((value for known, value in reversed(self.settings) if known == name), "")

    def values(self, name: str) -> tuple[str, ...]:
        """All that are given under a name of which each counts, such as `dtparam`."""
        return tuple(value for known, value in self.settings if known == name)

    def parameters(self, name: str) -> tuple[str, ...]:
        """What `dtparam=` says of a parameter of the board, such as `audio`."""
        given = ",".join(self.values("dtparam")).split(",")
        return tuple(value.strip() for key, _, value in (one.partition("=") for one in given) if key == name)

    @property
    def overlays(self) -> tuple[str, ...]:
        """What `dtoverlay=` loads, without its parameters."""
        return tuple(value.partition(",")[0].strip() for value in self.values("dtoverlay") if value)


def read_boot_config(machine: Machine) -> BootConfig | None:
    """The machine's own, or None where it has none."""
    for path in PATHS:
        if text := machine.read_text(path):
            return BootConfig(f"/{path}", tuple(_counted_settings(text, machine)))
    return None


def _counted_settings(text: str, machine: Machine) -> Iterator[tuple[str, str]]:
    """Those below `[all]`, and below the names of this machine; what other conditions hide is left out."""
    model = machine.read_text("proc/device-tree/model")
    is_module = "Compute Module" in model
    own = {"all", f"{'cm' if is_module else 'pi'}{machine.pi_generation()}"}
    counts = True
    for line in (line.partition("#")[0].strip() for line in text.splitlines()):
        if line.startswith("["):
            counts = line.strip("[]").lower() in own
        elif counts and "=" in line:
            name, _, value = line.partition("=")
            yield name.strip(), value.strip()
