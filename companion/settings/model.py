"""Typed model of the settings."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from companion.core.actions import Options
from companion.settings.check import INSTALLED_WORDS, Games


def known_languages() -> tuple[str, ...]:
    """The codes of all languages that can be selected."""
    from companion.language import installed_languages  # noqa: PLC0415 (settings that name no language need none)

    return installed_languages.language_codes()


Language = Annotated[str, Meta(extra={INSTALLED_WORDS: known_languages})]
Colour = Literal["red", "blue", "green", "yellow", "purple", "orange", "pink", "white"]
ChairNumber = Annotated[str, Meta(extra_json_schema={"enum": [*"12345678"]})]
"""As displayed: from 1."""
ButtonName = Annotated[str, Meta(extra_json_schema={"enum": [*"12345678", "back", "next", "ok"]})]
"""The number of the chair it belongs to, or a shared button."""
ClipName = Annotated[str, Meta(pattern=r"^\w+([.-]\w+)*\Z", max_length=100)]
"""The name of a clip, or the beginning of several names."""
Replacement = Annotated[str, Meta(min_length=1, max_length=400, description="off, or a WAV file")]
GpioNumber = Annotated[int, Meta(ge=0, le=27, description="GPIO number in BCM counting")]
InputKeyText = Annotated[str, Meta(pattern=r"^[0-9]{1,3}@.{1,255}\Z", description="code@device")]
Pixels = Annotated[int, Meta(ge=1, le=8192)]
Percent = Annotated[int, Meta(ge=0, le=100)]
Resolution = Annotated[int, Meta(ge=0, le=200_000, description="microseconds")]


OutputDelay = Annotated[int, Meta(ge=0, le=2000, description="from play to ear")]
OutputName = Annotated[str, Meta(min_length=1, max_length=200)]
"""As `sound.device` has it; `default` is the system's own choice."""


class Section(Struct, frozen=True, forbid_unknown_fields=True):
    """One `[section]` of the file."""


class TableSettings(Section, frozen=True):
    """The table and the players."""

    name: Annotated[
        str, Meta(pattern=r"^\w[\w -]{0,39}$", description="letters, digits, spaces, - and _")
    ] = "table"
    """Also the name of the folder its games are stored in, so that two tables never share one."""
    title: Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]*\Z", max_length=24)] = ""
    """What phones and a club's desk call this table, if there are several; empty: its name, and where that is
    `table`, phones take the last number of its address and the desk `club.table`."""
    chairs: Annotated[int, Meta(ge=2, le=8)] = 8
    """How many places the table has, each with its button."""
    language: Language = "en"
    """Of screen and voice, by its code; more are a folder each."""
    level: Literal["teach", "assisted", "referee", "tournament"] = "referee"
    """How much help is given. `teach` explains each rule when it first applies, and a game
    begun with it has no clock; `assisted` warns before a rule is broken; `referee` rules; `tournament` rules,
    and says only the count."""
    names: Annotated[tuple[Annotated[str, Meta(max_length=24)], ...], Meta(max_length=8)] = ()
    """Names of the players, chair 1 first. A chair without a name is called by its colour."""
    colours: Annotated[tuple[Colour, ...], Meta(max_length=8, extra_json_schema={"uniqueItems": True})] = ()
    """Colours of the chairs, chair 1 first; chairs not listed keep their default."""


class ButtonResolutions(Section, frozen=True):
    """Time resolution of each source of button presses, in microseconds."""

    gpio: Resolution = 1_000
    """Buttons on the Pi's pins."""
    usb: Resolution = 8_000
    """A USB arcade encoder; where the kernel does not stamp its presses, at least that of `key`."""
    key: Resolution = 16_000
    """The keyboard."""
    touch: Resolution = 16_000
    """The screen."""


class ButtonSettings(Section, frozen=True):
    """Buttons, lamps and keys; only what differs from the defaults (`companion wiring`)."""

    pins: dict[ButtonName, GpioNumber] = {}
    """The pin of a button, in BCM counting: `1` to `8`, `back`, `next`, `ok`."""
    lamps: dict[ChairNumber, GpioNumber] = {}
    """The pin of a chair's lamp, in BCM counting: `1` to `8`."""
    keys: dict[ButtonName, Annotated[str, Meta(min_length=1, max_length=20)]] = {}
    """Keyboard keys that act as buttons, by pygame's key names."""
    usb: dict[ButtonName, Annotated[int, Meta(ge=0, le=767, description="evdev code")]] = {}
    """The encoder's code for a button; by default sockets 1 to 8 are the chairs, then back, next, OK."""
    usb_device: str = ""
    """Path, or part of the name, of a USB arcade encoder; empty: the first joystick."""
    learned: dict[ButtonName, InputKeyText] = {}
    """The key that is a button, on any device, as *USB buttons* in the screen's settings or `companion press
    --learn` found it; instead of `usb`."""
    chip: Annotated[int, Meta(ge=-1, le=15, description="gpiochip; -1: the board's own")] = -1
    """The number of the chip that has the pins, where it is not found by its label."""
    resolution_us: ButtonResolutions = ButtonResolutions()

    def are_on_usb(self, *, has_encoder: bool) -> bool:
        """Whether this table's buttons are on USB, so that nobody need have wired a pin.

        `has_encoder`: whether one is plugged in. Pins that settings name are wired all the same.
        """
        return not (self.pins or self.lamps) and bool(self.learned or self.usb_device or has_encoder)


class CameraSettings(Section, frozen=True):
    """The camera above the table."""

    kind: Literal["auto", "pi", "usb", "folder", "none"] = "auto"
    """The Pi's own camera, a webcam, a folder of pictures or none; `auto`: the first of the first two."""
    device: str = ""
    """Number or path of a webcam; for `folder`, the folder with pictures."""
    size: tuple[Pixels, Pixels] = (1280, 720)
    """Of its pictures, in pixels: width and height."""


class SoundSettings(Section, frozen=True):
    """Voice and sounds."""

    device: str = ""
    """Name of the sound card; empty: a loudspeaker on USB, else HDMI with loudspeakers, else the first."""
    volume: Percent = 80
    """Per cent of full loudness."""
    mute: bool = False
    """Nothing is heard; every sentence stands on the screen."""
    slow: bool = False
    """Speak more slowly. The count keeps its pace."""
    verbosity: Literal["little", "normal", "all"] = "normal"
    """How much of what happens is said; the screen shows all of it. `little`: counts, broken rules and
    results; `normal`: whose turn it is, too; `all`: also what everybody at the table can see. Without a
    screen all is said."""
    voice_pack: str = ""
    """Folder of a voice pack, or a second voice of the program such as `de.bf_emma`, that speaks before the
    built-in clips; empty: none."""
    events: dict[ClipName, Replacement] = {}
    """Replacements for single sounds, including the count's tick and beep: a WAV file, or `off`."""
    output_delay_ms: OutputDelay = 0
    """Milliseconds by which a loudspeaker is late: the count starts by what you hear."""
    output_delays_ms: dict[OutputName, OutputDelay] = {}
    """The same for single outputs, as `companion doctor --sound` measured them."""

    def delay_of(self, output: str) -> int:
        """Milliseconds by which the output with this name is late."""
        return self.output_delays_ms.get(output, self.output_delay_ms)


class ScreenSettings(Section, frozen=True):
    """The referee's screen."""

    size: tuple[Annotated[int, Meta(ge=640, le=7680)], Annotated[int, Meta(ge=400, le=4320)]] = (1280, 720)
    """Of the window, in pixels: width and height."""
    fullscreen: bool = False
    """The whole screen instead of a window; `play` fills it, too, unless this or `size` is set. F11 changes
    it."""
    brightness: Annotated[int, Meta(ge=10, le=100)] = 100
    """Per cent; below 100 the picture is drawn darker."""
    large_text: bool = False
    """Text as large as its place allows."""
    calm: bool = False
    """No animation except the count."""
    first_chair: Annotated[int, Meta(ge=1, le=8)] = 1
    """The chair at the screen's left, from which the seats are drawn clockwise."""
    mirrored: bool = False
    """Draw the seats counter-clockwise."""


class StorageSettings(Section, frozen=True):
    """Where games are stored."""

    folder: str = ""
    """Folder for games; empty: `$STATE_DIRECTORY`, or the user's data folder."""
    evidence: bool = False
    """Keep the camera picture behind each ruling; pictures of a hand being checked are never kept."""


Slug = Annotated[
    str, Meta(pattern=r"^([a-z0-9][a-z0-9-]{0,39})?\Z", description="small letters, digits and -")
]
"""A part of a topic."""


class ClubSettings(Section, frozen=True):
    """A club's desk, or a house, that listens to this table; off until `broker` is set."""

    broker: str = ""
    """Name or address of the machine with the MQTT broker; empty: nothing is published."""
    port: Annotated[int, Meta(ge=0, le=65_535)] = 0
    """The broker's port; 0: 1883, or 8883 with `tls`."""
    tls: bool = False
    """Encrypt the connection, and check that the broker is the one that is named."""
    ca_file: str = ""
    """The certificate of who vouches for the broker; empty: the system's own."""
    user: str = ""
    """The name by which the broker knows this table; empty: it asks for none."""
    password_file: str = ""
    """The file whose first line is the password; only the uplink has to be able to read it."""
    name: Slug = "home"
    """The club, as its topics have it."""
    table: Slug = ""
    """This table, as its topics have it; empty: made from `table.name`."""
    nicknames: bool = False
    """Tell the desk the names of the players, too. Ask them first; without it they are chairs and colours."""
    home_assistant: bool = False
    """Have Home Assistant find this table by itself."""
    database: str = ""
    """Where the hub and the desk keep the club: a file for SQLite, or `postgresql://USER@HOST/NAME`; empty:
    `club.sqlite` beside the games."""


class SettingsFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole settings file."""

    table: TableSettings = TableSettings()
    buttons: ButtonSettings = ButtonSettings()
    camera: CameraSettings = CameraSettings()
    sound: SoundSettings = SoundSettings()
    screen: ScreenSettings = ScreenSettings()
    storage: StorageSettings = StorageSettings()
    club: ClubSettings = ClubSettings()
    rules: dict[str, dict[str, Any]] = {}
    """House rules by game, validated against the game's options."""


class Settings(SettingsFile, frozen=True):
    """The effective settings, and where each came from."""

    origins: dict[str, str] = {}
    """Dotted key → file or other origin. Keys that are missing have their default."""
    mistake: str = ""
    """What is wrong with the files, of which then none counts; empty: nothing."""

    def with_full_screen(self, *, window: bool = False) -> "Settings":
        """The same on the whole screen, unless a `window` is asked for or somebody has set its size."""
        sized = {"screen.size", "screen.fullscreen"} & self.origins.keys()
        fills = not window and (self.screen.fullscreen or not sized)
        return msgspec.structs.replace(self, screen=msgspec.structs.replace(self.screen, fullscreen=fills))

    def with_unstamped_usb(self) -> "Settings":
        """The same where USB buttons are read with the screen, as keys are: no finer than these."""
        known = self.buttons.resolution_us
        coarse = msgspec.structs.replace(known, usb=max(known.usb, known.key))
        return msgspec.structs.replace(
            self, buttons=msgspec.structs.replace(self.buttons, resolution_us=coarse)
        )

    def house_rules(self, game: str) -> Options:
        """The options with which this table plays `game`.

        The resolution of the table's buttons becomes one of the options, unless the house rules set it, so
        that a replay judges a tie as it was judged, whatever buttons the table has by then.
        """
        options = known_games()[game]
        chosen = self.buttons.resolution_us
        resolutions = {f"{source}_us": getattr(chosen, source) for source in chosen.__struct_fields__}
        wanted = {name: value for name, value in resolutions.items() if name in options.__struct_fields__}
        return msgspec.convert({**wanted, **self.rules.get(game, {})}, options)

    def phone_display_name(self) -> str:
        """What phones call this table; empty where it has neither title nor a name of its own."""
        known = self.table
        return known.title or (known.name if known.name != TableSettings().name else "")

    def club_display_name(self) -> str:
        """What the club's desk calls this table: as phones do, else by its place in the topics."""
        return self.phone_display_name() or self.club.table or self.table.name

    def store_folder(self, environ: Mapping[str, str] = os.environ) -> Path:
        """The folder in which this table's games are stored."""
        from companion.system import asset_paths  # noqa: PLC0415 (as for `known_games`)

        given = self.storage.folder
        return (
            Path(given).expanduser() if given else asset_paths.user_data_folder(environ)
        ) / self.table.name

    def store_file(self) -> Path:
        """The database in which this table's games are stored."""
        return self.store_folder() / "games.sqlite"

    def club_database(self) -> str:
        """The database of the club's hub and desk."""
        return self.club.database or str(self.store_folder().parent / "club.sqlite")


def known_games() -> Games:
    """The options class of every game, by the game's name."""
    from companion.games import RULES  # noqa: PLC0415 (settings without house rules need no game)

    return {name: rules.options for name, rules in RULES.items()}
