"""What this table is and has: the typed settings, which `companion.settings.files` reads and writes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from companion.core.actions import Options
from companion.settings.check import OFFERED, Games


def known_languages() -> tuple[str, ...]:
    """The code of every language that can be chosen."""
    from companion.games import languages  # noqa: PLC0415 (settings that name no language need none)

    return languages.codes()


Language = Annotated[str, Meta(extra={OFFERED: known_languages})]
Colour = Literal["red", "blue", "green", "yellow", "purple", "orange", "pink", "white"]
Lamp = Annotated[str, Meta(extra_json_schema={"enum": [*"12345678"]})]
"""A chair as it is shown."""
Part = Annotated[str, Meta(extra_json_schema={"enum": [*"12345678", "back", "next", "ok"]})]
"""A button: a chair's, or a shared one."""
Event = Annotated[str, Meta(pattern=r"^\w+([.-]\w+)*\Z", max_length=100)]
"""A sentence by its clip's name, or several by how their names begin."""
Heard = Annotated[str, Meta(min_length=1, max_length=400, description="off, or a WAV file")]
Bcm = Annotated[int, Meta(ge=0, le=27, description="GPIO number in BCM counting")]
Pixels = Annotated[int, Meta(ge=1, le=8192)]
Percent = Annotated[int, Meta(ge=0, le=100)]
Resolution = Annotated[int, Meta(ge=0, le=200_000, description="microseconds")]


class Section(Struct, frozen=True, forbid_unknown_fields=True):
    """One `[section]` of the file."""


class Table(Section, frozen=True):
    """The table and the people around it."""

    name: Annotated[
        str, Meta(pattern=r"^\w[\w -]{0,39}$", description="letters, digits, spaces, - and _")
    ] = "table"
    """Also the name of the store: another table keeps its games apart."""
    chairs: Annotated[int, Meta(ge=2, le=8)] = 8
    language: Language = "en"
    level: Literal["teach", "assisted", "referee", "tournament"] = "referee"
    """How much help: rules explained and no clock; a warning before a ruling; rulings; silence."""
    names: Annotated[tuple[Annotated[str, Meta(max_length=24)], ...], Meta(max_length=8)] = ()
    """Chair 1 first; chairs without a name are called by colour."""
    colours: Annotated[tuple[Colour, ...], Meta(max_length=8, extra_json_schema={"uniqueItems": True})] = ()
    """Chair 1 first; the rest keep the default palette."""


class Resolutions(Section, frozen=True):
    """How finely each source of presses tells two instants apart, in microseconds."""

    gpio: Resolution = 1_000
    usb: Resolution = 8_000
    key: Resolution = 16_000
    touch: Resolution = 16_000


class Buttons(Section, frozen=True):
    """Wires and keys: only what differs from the pin table and the default keys."""

    pins: dict[Part, Bcm] = {}
    lamps: dict[Lamp, Bcm] = {}
    keys: dict[Part, Annotated[str, Meta(min_length=1, max_length=20)]] = {}
    """The keyboard key that stands for a button, by pygame's name."""
    usb: dict[Part, Annotated[int, Meta(ge=0, le=767, description="evdev code")]] = {}
    usb_device: str = ""
    """Path or part of the name of the arcade encoder; empty: the first joystick."""
    chip: Annotated[int, Meta(ge=-1, le=15, description="gpiochip; -1: the board's own")] = -1
    resolution_us: Resolutions = Resolutions()


class Camera(Section, frozen=True):
    """The eye over the table."""

    kind: Literal["auto", "pi", "usb", "folder", "none"] = "auto"
    device: str = ""
    """Number or path of a webcam; the folder of pictures for `folder`."""
    size: tuple[Pixels, Pixels] = (1280, 720)


class Sound(Section, frozen=True):
    """The voice."""

    device: str = ""
    """Name of the sound card; empty: the system's choice."""
    volume: Percent = 80
    mute: bool = False
    slow: bool = False
    """Sentences take their time; the count keeps its beats."""
    voice_pack: str = ""
    """Folder of recordings that speak instead of the built clips; empty: none."""
    events: dict[Event, Heard] = {}
    """What is heard instead of a sentence, or of the tick and the beep of the count; `off`: nothing."""
    output_delay_ms: Annotated[int, Meta(ge=0, le=2000, description="from play to ear")] = 0


class Screen(Section, frozen=True):
    """The referee's screen."""

    size: tuple[Annotated[int, Meta(ge=640, le=7680)], Annotated[int, Meta(ge=400, le=4320)]] = (1280, 720)
    fullscreen: bool = False
    brightness: Annotated[int, Meta(ge=10, le=100)] = 100
    large_text: bool = False
    """Letters as large as their place allows."""
    calm: bool = False
    """Nothing moves but the count."""
    first_chair: Annotated[int, Meta(ge=1, le=8)] = 1
    """Who sits next to the screen on its left."""
    mirrored: bool = False
    """Whether the chairs go round the screen the other way."""


class Storage(Section, frozen=True):
    """Where games are kept."""

    folder: str = ""
    """Empty: `$STATE_DIRECTORY`, else the user's data folder."""
    evidence: bool = False
    """Whether the picture behind a ruling is kept; never one of an audit."""


class Sections(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole settings file."""

    table: Table = Table()
    buttons: Buttons = Buttons()
    camera: Camera = Camera()
    sound: Sound = Sound()
    screen: Screen = Screen()
    storage: Storage = Storage()
    rules: dict[str, dict[str, Any]] = {}
    """House rules by game, already checked against the game's options."""


class Settings(Sections, frozen=True):
    """The settings in force, and where each came from."""

    origins: dict[str, str] = {}
    """Dotted key → origin; what is missing here is a default."""

    def house_rules(self, game: str) -> Options:
        """The options of `game` as this table plays it.

        How finely the table's buttons tell presses apart goes into the game, unless its own rules say so:
        a tie is then judged again as it was judged, whatever is wired to the table later.
        """
        options = known_games()[game]
        chosen = self.buttons.resolution_us
        finely = {f"{source}_us": getattr(chosen, source) for source in chosen.__struct_fields__}
        wired = {name: value for name, value in finely.items() if name in options.__struct_fields__}
        return msgspec.convert({**wired, **self.rules.get(game, {})}, options)

    def store_folder(self, environ: Mapping[str, str] = os.environ) -> Path:
        """The folder of this table's games; another table is another store."""
        from companion.games import paths  # noqa: PLC0415 (as for `known_games`)

        given = self.storage.folder
        return (Path(given).expanduser() if given else paths.data(environ)) / self.table.name

    def store_file(self, environ: Mapping[str, str] = os.environ) -> Path:
        """The file of this table's games."""
        return self.store_folder(environ) / "games.sqlite"


def known_games() -> Games:
    """Every game's type of house rules, by name."""
    from companion.games import RULES  # noqa: PLC0415 (settings without house rules need no game)

    return {name: rules.options for name, rules in RULES.items()}
