"""The machine's sound cards as ALSA lists them, and which of them is most likely heard.

A Pi's first card is the headphone socket or an HDMI output, never the loudspeaker on USB, and a raw HDMI
device takes no format that SDL has: ALSA's `default:CARD=…` converts (Anthias issue 2002).
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from companion.system.machine import Machine

SOUND_SERVERS = ("pipewire", "wireplumber", "pulseaudio")
"""Programs of a desktop that play for others, and are not to be ended."""
SERVER_REMEDY = "start the table as the desktop's user, not with sudo: then it plays through that"
SOCKETS = ("pulse/native", "pipewire-0")
"""Of sound servers, in the user's runtime folder."""
_CARD = re.compile(r"^ *(\d+) \[(\S+) *\]: (\S+) - (.+)$", re.MULTILINE)
_CEA_EXTENSION, _BASIC_AUDIO = 2, 0x40
"""Of a monitor's EDID: the tag of the block that tells of sound, and the bit that it has loudspeakers."""
_EDID_BLOCK = 128
_CONTROL = re.compile(r"^Simple mixer control '([^']+)',\d+$(.*?)(?=^Simple|\Z)", re.MULTILINE | re.DOTALL)
HARDLY_HEARD = 10
"""Per cent of a volume at which a loudspeaker is hardly heard across a table."""
USB_REMEDY = (
    "plug in a loudspeaker on USB (one that has only its power from there needs a USB sound adapter for its "
    "other plug)"
)
UNHEARD_REMEDY = f"{USB_REMEDY}, or turn the monitor on before the table"
_ALL_PASSES = ("Master", "PCM")
_SOCKETS = ("Speaker", "Headphone", "Headset", "Line Out")
"""Controls of a card's mixer, as ALSA names them."""


class SoundCard(NamedTuple):
    """One card that plays."""

    number: int
    id: str
    name: str
    kind: Literal["usb", "hdmi", "jack", "other"]
    """`jack`: a Pi's own socket for headphones, of which nobody knows whether anything is plugged in."""
    heard: bool = True
    """False: an HDMI output without a monitor that has loudspeakers."""

    @property
    def unheard(self) -> str:
        """What is wrong with one that is not heard."""
        return f"{self.name}: no monitor with loudspeakers is connected to it"

    @property
    def alsa_device(self) -> str:
        """What ALSA, and SDL's AUDIODEV, call it."""
        return f"default:CARD={self.id}"


class MutedControl(NamedTuple):
    """A control of a card's own mixer that lets nothing through."""

    name: str
    is_off: bool
    """Its switch is off."""
    is_down: bool
    """Its volume is so low that it is hardly heard."""

    def describe(self, card: SoundCard) -> str:
        """What is wrong with the card that has it."""
        how = "off" if self.is_off else "turned down"
        return f"{card.name} is muted in its own mixer ({self.name} is {how})"

    def remedy(self, card: str) -> str:
        """The command that opens it, of the card with this id."""
        steps = [*(["80%"] if self.is_down else []), *(["unmute"] if self.is_off else [])]
        command = f"amixer -c {card} set '{self.name}' {' '.join(steps)}"
        return f"{command} (or: alsamixer -c {card}), then sudo alsactl store"


def mixer_command(card: str) -> tuple[str, ...]:
    """Prints what `find_muted_control` reads, of the card with this id."""
    return "amixer", "-c", card, "scontents"


def find_muted_control(listed: str) -> MutedControl | None:
    """What silences a card, from what `amixer scontents` prints; None: nothing does.

    All that is played passes the first two controls; of the sockets behind them one that is open is enough.
    """
    found = {}
    for name, text in _CONTROL.findall(listed):
        channels = [line for line in text.splitlines() if ": Playback " in line and "[" in line]
        if channels:
            is_off = all("[off]" in line for line in channels)
            volumes = [int(volume) for line in channels for volume in re.findall(r"\[(\d+)%\]", line)]
            is_down = bool(volumes) and max(volumes) <= HARDLY_HEARD
            found[name] = MutedControl(name, is_off, is_down)
    muted = {name: one for name, one in found.items() if one.is_off or one.is_down}
    sockets = [name for name in _SOCKETS if name in found]
    shut = sockets[:1] if all(name in muted for name in sockets) else []
    return next((muted[name] for name in (*_ALL_PASSES, *shut) if name in muted), None)


def uses_alsa(
    environ: Mapping[str, str] = os.environ, root: Path = Path("/"), platform: str = sys.platform
) -> bool:
    """Whether SDL opens the card itself; else a sound server is asked, which has an output of its own."""
    driver = environ.get("SDL_AUDIODRIVER")
    return platform == "linux" and (driver == "alsa" if driver else not is_sound_served(environ, root))


def is_sound_served(environ: Mapping[str, str], root: Path) -> bool:
    """Whether PulseAudio or PipeWire runs for this user."""
    runtime = root / environ.get("XDG_RUNTIME_DIR", "/nowhere").lstrip("/")
    return "PULSE_SERVER" in environ or any((runtime / name).exists() for name in SOCKETS)


def list_sound_cards(root: Path = Path("/")) -> tuple[SoundCard, ...]:
    """Every card that has an output, in ALSA's order."""
    try:
        listed = (root / "proc/asound/cards").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    return tuple(
        _read_card(root, int(number), *rest)
        for number, *rest in _CARD.findall(listed)
        if any((root / f"proc/asound/card{number}").glob("pcm*p"))
    )


def choose_sound_card(cards: Sequence[SoundCard], wanted: str = "") -> SoundCard | None:
    """The card whose id or name has `wanted` in it.

    Else USB, then a board on the header, which somebody put there to be heard, then HDMI with loudspeakers.
    """
    if wanted:
        return next((card for card in cards if wanted.lower() in f"{card.id} {card.name}".lower()), None)
    kinds = ("usb", "other", "hdmi", "jack")
    return min(cards, key=lambda card: (not card.heard, kinds.index(card.kind)), default=None)


def find_changed_alsa(machine: Machine) -> str:
    """The file by which somebody, mostly after a guide, has ALSA open cards otherwise; empty: none is."""
    home = machine.environ.get("HOME", "/root")
    paths = ("/etc/asound.conf", f"{home}/.asoundrc")
    return next((path for path in paths if machine.read_text(path.lstrip("/"))), "")


def is_sound_held(reason: str) -> bool:
    """Whether a card does not open because another program has it; `reason` as ALSA words it."""
    return "busy" in reason.lower()


def is_sound_forbidden(reason: str) -> bool:
    """Whether a card does not open because this user may not."""
    return "permission denied" in reason.lower()


def _read_card(root: Path, number: int, id_: str, driver: str, name: str) -> SoundCard:
    if driver == "USB-Audio":
        return SoundCard(number, id_, name, "usb")
    if (socket := re.fullmatch(r"vc4-?hdmi-?(\d)?", id_)) is None:
        return SoundCard(number, id_, name, "jack" if id_ == "Headphones" else "other")
    connector = f"HDMI-A-{int(socket[1] or 0) + 1}"
    edids = (root / "sys/class/drm").glob(f"card*-{connector}/edid")
    return SoundCard(number, id_, name, "hdmi", any(_has_loudspeakers(edid) for edid in edids))


def _has_loudspeakers(edid: Path) -> bool:
    """Whether the monitor says that it plays sound; empty where none is connected."""
    try:
        told = edid.read_bytes()
    except OSError:
        return False
    blocks = range(_EDID_BLOCK, len(told) - 3, _EDID_BLOCK)
    return any(told[at] == _CEA_EXTENSION and told[at + 3] & _BASIC_AUDIO for at in blocks)
