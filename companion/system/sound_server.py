"""Where a desktop's sound server plays, by what `pactl` prints of it, or where that is missing `wpctl`.

`pactl` speaks with PulseAudio, and with PipeWire in its place; `wpctl` comes with PipeWire's WirePlumber.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from companion.system.machine import read_output
from companion.system.sound_cards import HARDLY_HEARD, SoundCard

SinkKind = Literal["usb", "hdmi", "bluetooth", "nothing", "other"]
_SINK = re.compile(r"^Sink #\d+$(.*?)(?=^Sink #|\Z)", re.MULTILINE | re.DOTALL)
_KINDS: tuple[tuple[str, SinkKind], ...] = (
    (r"^alsa_output\.usb-", "usb"),
    (r"hdmi|displayport", "hdmi"),
    (r"^bluez_", "bluetooth"),
    (r"^auto_null$", "nothing"),
)
"""What a sink's name has in it → of what kind it is."""


_WPCTL_SECTION = "\nAudio\n"
_WPCTL_LIST = re.compile(r"Sinks:\n(.*?)^[^\n]*[├└]─", re.MULTILINE | re.DOTALL)
_WPCTL_SINK = re.compile(r"^[ │]*(\*?) +(\d+)\. (.+?) +\[vol: ([\d.]+)( MUTED)?\]", re.MULTILINE)


class Sink(NamedTuple):
    """One output of the sound server."""

    name: str
    """As `pactl` knows it."""
    description: str
    """As the desktop and SDL call it, and `sound.device` may."""
    kind: SinkKind
    card: str
    """Number of its ALSA card; empty: it has none."""
    is_muted: bool
    """Off, or hardly heard."""
    is_default: bool
    """Whether the desktop's programs are heard there."""


def read_sinks(output: Callable[..., str] = read_output) -> str:
    """What `pactl` prints, else `wpctl`, in English on any desktop; empty: neither is here."""
    pactl = (("pactl", "info"), ("pactl", "list", "sinks"))
    wpctl = (("wpctl", "status"), ("wpctl", "status", "--name"))
    told = ("\n".join(output("env", "LC_ALL=C", *command) for command in asked) for asked in (pactl, wpctl))
    return next((text for text in told if text.strip()), "")


def parse_sinks(told: str) -> tuple[Sink, ...]:
    """All outputs, from what `pactl info` and `pactl list sinks` print in English.

    Or from `wpctl status` and `wpctl status --name`, which list the same by description and by name.
    """
    if "Sink #" not in told:
        return tuple(_parse_wpctl(*told.split(_WPCTL_SECTION)[1:3])) if told.count(_WPCTL_SECTION) > 1 else ()
    default = _field(told, "Default Sink")
    return tuple(_parse_sink(text, default) for text in _SINK.findall(told))


def choose_sink(sinks: tuple[Sink, ...], wanted: str) -> Sink | None:
    """The one whose description has `wanted` in it; where nothing is wanted, the desktop's choice."""
    if wanted:
        return next((sink for sink in sinks if wanted.lower() in sink.description.lower()), None)
    return next((sink for sink in sinks if sink.is_default), None)


def find_passed_by(sinks: Sequence[Sink], chosen: Sink) -> Sink | None:
    """A loudspeaker that somebody brought to be heard, where the desktop plays on another; None: none is."""
    others = (sink for sink in sinks if sink.kind in {"usb", "bluetooth"} and sink is not chosen)
    return None if chosen.kind == "bluetooth" else next(others, None)


def find_card_of(sink: Sink, cards: Sequence[SoundCard]) -> SoundCard | None:
    """The card behind a sound server's output, by its number, or where that is not told by its kind.

    None where it may be one of several, unless none of them is heard.
    """
    if sink.card:
        return next((card for card in cards if str(card.number) == sink.card), None)
    kinds = ("other", "jack") if sink.kind == "other" else (sink.kind,)
    alike = [card for card in cards if card.kind in kinds]
    return alike[0] if len(alike) == 1 or (alike and not any(card.heard for card in alike)) else None


def is_unheard(sink: Sink, card: SoundCard | None) -> bool:
    """Whether nothing that plays is behind an output; `card`: the one behind it, if that is known."""
    return sink.kind == "nothing" or (sink.kind == "hdmi" and card is not None and not card.heard)


def _parse_wpctl(described: str, named: str) -> Iterator[Sink]:
    """The outputs of both listings, each of which has their numbers."""
    lists = [_WPCTL_LIST.search(text) for text in (described, named)]
    rows, names = (_WPCTL_SINK.findall("" if found is None else found[1]) for found in lists)
    name_of = {number: name for _, number, name, *_ in names}
    for mark, number, description, volume, muted in rows:
        name = name_of.get(number, description)
        is_down = round(100 * float(volume)) <= HARDLY_HEARD
        yield Sink(name, description, _kind_of(name), "", bool(muted) or is_down, bool(mark))


def _kind_of(name: str) -> SinkKind:
    return next((kind for pattern, kind in _KINDS if re.search(pattern, name.lower())), "other")


def _parse_sink(text: str, default: str) -> Sink:
    name = _field(text, "Name")
    volumes = re.findall(r"(\d+)%", _field(text, "Volume"))
    card = re.search(r'^\s*alsa\.card = "(\d+)"', text, re.MULTILINE)
    return Sink(
        name,
        _field(text, "Description") or name,
        _kind_of(name),
        "" if card is None else card[1],
        _field(text, "Mute") == "yes" or (bool(volumes) and max(map(int, volumes)) <= HARDLY_HEARD),
        name == default,
    )


def _field(text: str, name: str) -> str:
    found = re.search(rf"^\s*{name}: (.*)$", text, re.MULTILINE)
    return "" if found is None else found[1].strip()
