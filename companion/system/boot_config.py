"""What a Raspberry Pi's firmware is told to start with: config.txt."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from companion.system.machine import Machine
from companion.system.sound_cards import list_sound_cards

PATHS = ("boot/firmware/config.txt", "boot/config.txt")
"""Of bookworm and later, and of before."""
PART_LINES = ("dtoverlay=", "dtparam=")
"""Beginnings of lines that load something for a part."""
HEADER_SCREENS = re.compile(
    r"(?i)(?!vc4-).*(?:lcd|tft|waveshare|mhs\d|piscreen|hy28|mz61|ads7846|rpi-display|mipi-dbi-spi)"
)
"""Overlays of small screens on SPI; those of ribbons begin with `vc4-`."""
UNREAD_BY_KMS = re.compile(
    r"display_(?:hdmi_|lcd_)?rotate|lcd_rotate|framebuffer_(?:width|height)|overscan_\w+|sdtv_\w+"
    r"|hdmi_(?:group|mode|cvt|drive|force_hotplug|safe|ignore_edid|timings|force_mode)(?::\d)?"
)
"""Settings that only the firmware's own drivers of before bookworm read."""
SOUND_BOARDS = re.compile(
    r"(?i)(?:hifiberry|max98357|i2s-|iqaudio|allo-|justboom|googlevoicehat|rpi-(?:dac|codec)|audioinjector|pisound"
    r"|wm8960|seeed-|merus|fe-pi|dionaudio|i-sabre|superaudio|pimidi|adau|interlude|audiosense|applepi-dac)"
)
"""Overlays of amplifiers and sound boards that sit on the header (I2S)."""
SENSORS = re.compile(r"(?:imx|ov)\d\w*|arducam[\w-]*|tc358743|adv728\w*")
"""Overlays that each name a camera's sensor, as the firmware's own README lists them."""
NEEDED = (
    ("dtoverlay", SOUND_BOARDS),
    ("dtoverlay", SENSORS),
    ("dtoverlay", re.compile("vc4-kms-v3d")),
    ("camera_auto_detect", re.compile("1")),
    ("display_auto_detect", re.compile("1")),
)
"""Lines without which a part is not found: a name, and what its value begins with."""
MODELS = re.compile(r"(?:pi|cm)\d\w*\+?")
"""Sections of config.txt that name a machine; those with other conditions may count."""
HAT = "proc/device-tree/hat/product"
"""What a board on the header calls itself, whose overlay the firmware loads by itself."""


class BootConfig(NamedTuple):
    """The lines of config.txt that count on this machine."""

    path: str
    """Of the file, as people open it."""
    settings: tuple[tuple[str, str], ...]
    """Name and value of each, in order; of one name the last counts, but of overlays each."""
    misplaced: tuple[str, str] | None = None
    """A section of another machine, and its line of a part that no line brings on this one; None: none is."""

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
        return tuple(overlay_name(value) for value in self.values("dtoverlay") if value)

    @property
    def header_screen(self) -> str:
        """The overlay of a small screen on the header, which takes pins and shows no desktop; or empty."""
        return next(filter(HEADER_SCREENS.match, self.overlays), "")

    @property
    def has_graphics_driver(self) -> bool:
        """Whether it loads the driver of today, without which a Pi has no graphics card."""
        return any(overlay.startswith("vc4-kms-v3d") for overlay in self.overlays)

    @property
    def unread_by_kms(self) -> tuple[str, ...]:
        """Lines about the picture that the driver of today, vc4-kms-v3d, does not read."""
        if not self.has_graphics_driver:
            return ()
        return tuple(f"{name}={value}" for name, value in self.settings if UNREAD_BY_KMS.fullmatch(name))

    @property
    def sound_board(self) -> str:
        """The overlay of an amplifier or sound board on the header; or empty."""
        return next(filter(SOUND_BOARDS.match, self.overlays), "")


def overlay_name(value: str) -> str:
    """Of a line's `gpio-fan,gpiopin=12`, or in an old guide's spelling `tft35a:rotate=90`, what it loads."""
    return re.split("[,:]", value)[0].strip()


def read_boot_config(machine: Machine) -> BootConfig | None:
    """The machine's own, or None where it has none."""
    for path in PATHS:
        if text := machine.read_text(path):
            lines = [*_read_lines(text)]
            own = _own_sections(machine)
            counted = tuple(line for section, line in lines if section in own)
            elsewhere = [one for one in lines if MODELS.fullmatch(one[0]) and one[0] not in own]
            return BootConfig(f"/{path}", counted, _find_misplaced(counted, elsewhere))
    return None


def find_unread_lines(machine: Machine) -> tuple[str, ...]:
    """Lines of parts in a config.txt where the firmware looks no more, and not in the one that counts.

    Guides of before bookworm name that file, which is still there, with a word that it moved.
    """
    counted, old = (machine.root / path for path in PATHS)
    if not counted.is_file() or old.resolve() == counted.resolve():
        return ()
    known, told = (
        [line.strip() for line in machine.read_text(path).splitlines() if line.startswith(PART_LINES)]
        for path in PATHS
    )
    return tuple(line for line in told if line not in known)


def find_unread_board(machine: Machine) -> str:
    """Of these lines that of an amplifier or sound board; or empty."""
    lines = find_unread_lines(machine)
    return next((line for line in lines if SOUND_BOARDS.match(line.partition("=")[2])), "")


def _own_sections(machine: Machine) -> frozenset[str]:
    """Those of config.txt that count on this machine, as far as they name one."""
    model, generation = machine.read_text("proc/device-tree/model"), machine.pi_generation()
    keyboard = re.findall(r"Raspberry Pi (\d00)\b", model)
    modules = [f"cm{generation}"] if "Compute Module" in model else []
    return frozenset({"all", f"pi{generation}", *modules, *(f"pi{number}" for number in keyboard)})


def _read_lines(text: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each line's section, in small letters, and its name and value."""
    section = "all"
    for line in (line.partition("#")[0].strip() for line in text.splitlines()):
        if line.startswith("["):
            section = line.strip("[]").lower()
        elif len(words := re.split(r"\s*=\s*|\s+", line, maxsplit=1)) > 1:  # also hdmi_cvt 1024 600 …
            yield section, (words[0], words[1])


def _find_misplaced(
    counted: tuple[tuple[str, str], ...], elsewhere: Iterable[tuple[str, tuple[str, str]]]
) -> tuple[str, str] | None:
    for section, (name, value) in elsewhere:
        for needed, kind in NEEDED:
            found = name == needed and kind.match(value)
            if found and not any(one == needed and kind.match(other) for one, other in counted):
                return f"[{section}]", f"{name}={value}"
    return None


BOARD_REMEDY = (
    "an amplifier or sound board on the header needs its line in /boot/firmware/config.txt, "
    "dtoverlay=max98357a,no-sdmode, dtoverlay=hifiberry-dac or as its maker has it, and a restart"
)
"""Without `no-sdmode` the driver takes BCM 4, which is a button's here."""


def lacks_board_line(machine: Machine) -> bool:
    """Whether an amplifier on a Pi's header would be silent, for config.txt has no line of one."""
    config = read_boot_config(machine)
    return config is not None and not config.sound_board


def find_silent_board(machine: Machine) -> str:
    """The overlay of a sound board that config.txt has, where no card came up of it; empty: it did, or none.

    So is a board that is another, or does not sit on all pins.
    """
    config = read_boot_config(machine)
    if config is None or not config.sound_board:
        return ""
    came_up = any(card.kind == "other" for card in list_sound_cards(machine.root))
    return "" if came_up else config.sound_board
