"""What can be wrong with a table, one row each: what it does to the machine, and what has to be said of it.

`excuse` says why a machine cannot have it; `unsaid` says of a channel why it need not speak.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from hardware.pin_table import SHARED_BUTTON_NAMES, SHARED_BUTTON_PINS
from tests.hardware.input_kernel import recorded
from tests.programs.pi_matrix.worlds import CONFIG, SENSORS, SHIPPED_CONFIG, WEBCAMS, World

NO_PINS = "it has no header"
CHANNELS = ("doctor", "screen", "log")


def _never(world: World) -> str:
    return ""


def _without_pins(world: World) -> str:
    return "" if world.is_pi else NO_PINS


def _without_ribbon(world: World) -> str:
    return "" if "csi" in world.machine else "its camera is on USB: it has no socket for a ribbon"


def _with_desktop(world: World) -> str:
    return "the desktop's own programs open it, not the table" if world.has_desktop else ""


def _served_sound(world: World) -> Mapping[str, str]:
    why = "a sound server takes it, which may have an output of another kind"
    return {"screen": why, "log": why} if world.has_desktop else {}


def _quiet(**why: str) -> Callable[[World], Mapping[str, str]]:
    return lambda world: why


UNSEEN = "nobody sees it"


@dataclass(frozen=True)
class Fault:
    """One row of the matrix."""

    name: str
    parts: tuple[str, ...]
    """Of doctor's list: one of them has to be found at fault, and no other."""
    cause: Callable[[World], None]
    part: str
    """As a regular expression: what the sentence calls the part."""
    remedy: str
    """The same: what the sentence tells people to do."""
    excuse: Callable[[World], str] = _never
    unsaid: Callable[[World], Mapping[str, str]] = lambda world: {}


def without_camera(world: World) -> None:
    """Rows about other parts leave it out: it is opened twice in each cell."""
    world.settings = replace(world.settings, camera=replace(world.settings.camera, kind="none"))


@dataclass(frozen=True)
class Variant:
    """A row in which nothing is wrong: another camera, another wiring."""

    name: str
    cause: Callable[[World], None]
    excuse: Callable[[World], str] = _never


def as_it_is(world: World) -> None:
    """A Camera Module 3, or a C920 where there is no socket for a ribbon."""


def other_sensor(name: str) -> Callable[[World], None]:
    def change(world: World) -> None:
        world.unplug_cameras()
        world.plug_sensor(name)

    return change


def other_webcam(name: str) -> Callable[[World], None]:
    def change(world: World) -> None:
        world.unplug_cameras()
        world.plug_webcam(name)

    return change


def webcam_beside_ribbon(world: World) -> None:
    world.plug_webcam("c920")


def spi_on_at_four(world: World) -> None:
    """Its pins are those of chairs 7 and 8."""
    spi_on(world)
    seat(world, 4)


def encoder_plugged(world: World) -> None:
    """Its buttons are the table's: whatever is wrong with pins, nobody wired one."""
    world.encoder = "dragonrise-encoder"
    spi_on(world)
    one_wire_on(world)
    lamp_held(world)


def encoder_learnt(world: World) -> None:
    """The same of buttons that were learnt, where this user may not open a pin either."""
    encoder_plugged(world)
    pins_forbidden(world)
    learned = {
        str(chair): f"{287 + chair}@{recorded(world.encoder)['name'].strip()}" for chair in range(1, 9)
    }
    world.settings = replace(world.settings, buttons=replace(world.settings.buttons, learned=learned))


# Camera --------------------------------------------------------------------------------------------------


def camera_unplugged(world: World) -> None:
    world.unplug_cameras()


def camera_held(world: World) -> None:
    for camera in world.cameras:
        camera.is_held = True
    for node in world.nodes.values():
        node.is_held = node.driver == "uvcvideo"
    world.hold("dev/media0" if "csi" in world.machine else "dev/video0", "motion")
    if "csi" in world.machine:
        world.hold(f"dev/video{world.machine['csi']['nodes'][0]}", "motion", 813)


def cable_damaged(world: World) -> None:
    for camera in world.cameras:
        camera.is_silent = True


def other_sensor_named(world: World) -> None:
    """Its driver asks for a sensor that is not there, and no other is looked for."""
    world.unplug_cameras()
    world.files[CONFIG] = f"{_unsought()}dtoverlay=imx219,cam0\n"


def camera_not_sought(world: World) -> None:
    world.unplug_cameras()
    world.files[CONFIG] = _unsought()


def camera_given_to_old_programs(world: World) -> None:
    world.unplug_cameras()
    world.files[CONFIG] = f"{SHIPPED_CONFIG}start_x=1\ngpu_mem=128\n"


def own_sensor_named(world: World) -> None:
    """As a sensor needs that no firmware knows; what other machines are told counts for nothing here."""
    world.files[CONFIG] = f"{_unsought()}dtoverlay=imx708\n[pi2]\ndtoverlay=imx219\n"


def _unsought() -> str:
    return SHIPPED_CONFIG.replace("camera_auto_detect=1", "camera_auto_detect=0")


def picamera2_missing(world: World) -> None:
    world.missing |= {"picamera2"}


def libcamera_missing(world: World) -> None:
    world.missing |= {"libcamera"}


def camera_forbidden(world: World) -> None:
    world.forbidden += ["dev/media", "dev/video"]
    world.cameras.clear()  # libcamera lists what it can open


def other_device_set(world: World) -> None:
    """A webcam has a second device, of what it says about its pictures; settings name that one."""
    world.unplug_cameras()
    world.plug_webcam("c920")
    number = next(node.number for node in world.nodes.values() if node.driver == "uvcvideo" and node.index)
    camera = replace(world.settings.camera, kind="usb", device=str(number))
    world.settings = replace(world.settings, camera=camera)


# Pins ----------------------------------------------------------------------------------------------------


def seat(world: World, chairs: int) -> None:
    world.settings = replace(world.settings, table=replace(world.settings.table, chairs=chairs))


def spi_on(world: World) -> None:
    seat(world, 8)
    world.header.users.update({7: "spi0 CS1", 8: "spi0 CS0"})


def one_wire_on(world: World) -> None:
    world.header.users[4] = "onewire@0"


def button_held(world: World) -> None:
    world.header.users[17] = "portduino"


def shared_button_held(world: World) -> None:
    world.header.users[SHARED_BUTTON_PINS[0]] = "portduino"


def lamp_held(world: World) -> None:
    world.header.users[23] = "portduino"


def all_pins_held(world: World) -> None:
    world.header.users.update(dict.fromkeys(range(2, 28), "companion"))


def two_parts_on_one_pin(world: World) -> None:
    """Chair 1's button is set on the pin that chair 2's has as shipped."""
    world.settings = replace(world.settings, buttons=replace(world.settings.buttons, pins={"1": 27}))


def header_numbers_set(world: World) -> None:
    """Where the parts are as shipped, in the header's numbers."""
    world.settings = replace(world.settings, buttons=replace(world.settings.buttons, pins={"1": 11, "2": 13}))


def header_numbers_reserved(world: World) -> None:
    """One of them is the console's in BCM, so that no pin opens."""
    pins = {"1": 11, "2": 13, "3": 15}
    world.settings = replace(world.settings, buttons=replace(world.settings.buttons, pins=pins))
    seat(world, 4)


def encoder_forbidden(world: World) -> None:
    world.encoder = "dragonrise-encoder"
    world.forbidden += ["dev/input"]


def pins_forbidden(world: World) -> None:
    world.forbidden += ["dev/gpiochip"]


def pin_library_missing(world: World) -> None:
    world.missing |= {"gpiod", "lgpio"}


def wrong_chip(world: World) -> None:
    world.settings = replace(world.settings, buttons=replace(world.settings.buttons, chip=9))


def no_gpiochip(world: World) -> None:
    world.chips.clear()


# Sound ---------------------------------------------------------------------------------------------------


def no_sound_card(world: World) -> None:
    world.sound.clear()


def hdmi_off(world: World) -> None:
    world.sound = [card for card in world.sound if card.driver == "vc4-hdmi"]
    world.monitors.clear()


def unknown_card(world: World) -> None:
    world.settings = replace(world.settings, sound=replace(world.settings.sound, device="Jabra"))


def sound_forbidden(world: World) -> None:
    world.forbidden += ["dev/snd"]


def sound_held(world: World) -> None:
    for card in world.sound:
        card.is_held = True
    for number, _ in enumerate(world.sound):
        world.hold(f"dev/snd/pcmC{number}D0p", "mpd", 820 + number)


def desktop_plays_on_hdmi(world: World) -> None:
    world.default_sink = "vc4-hdmi"


def sound_muted(world: World) -> None:
    for card in world.sound:
        card.is_muted = True


# Screen --------------------------------------------------------------------------------------------------


def screen_off(world: World) -> None:
    world.monitors.clear()


def desktop_draws(world: World) -> None:
    world.screen_holder = "labwc"
    world.environ.clear()


def screen_forbidden(world: World) -> None:
    world.forbidden += ["dev/dri"]


# Machine -------------------------------------------------------------------------------------------------


def under_voltage(world: World) -> None:
    world.firmware = "throttled=0x50005"
    world.files["sys/class/hwmon/hwmon0/in0_lcrit_alarm"] = "1\n"


def hot(world: World) -> None:
    world.firmware = "throttled=0xe0008"


def clock_of_1970(world: World) -> None:
    world.wall_time = "1970-01-01T00:01:10+00:00"


def small_system(world: World) -> None:
    world.bits = 32


GROUP = r"usermod -aG|group|doctor"
FAULTS = (
    Fault("camera unplugged", ("camera",), camera_unplugged, "camera|webcam", "cable|plug"),
    Fault("camera held by another program", ("camera",), camera_held, "camera|webcam", "stop|close|end"),
    Fault("camera's ribbon is damaged", ("camera",), cable_damaged, "camera", "cable", _without_ribbon),
    Fault(
        "config.txt names another sensor",
        ("camera",),
        other_sensor_named,
        "config.txt.*imx219",
        "camera_auto_detect=1",
        _without_ribbon,
    ),
    Fault(
        "config.txt looks for no camera",
        ("camera",),
        camera_not_sought,
        "config.txt",
        "camera_auto_detect=1",
        _without_ribbon,
    ),
    Fault(
        "config.txt gives the camera to old programs",
        ("camera",),
        camera_given_to_old_programs,
        "config.txt",
        "no start_x=1|take start_x=1 out",
        _without_ribbon,
    ),
    Fault(
        "picamera2 not installed", ("camera",), picamera2_missing, "camera", "install|doctor", _without_ribbon
    ),
    Fault("libcamera not seen", ("camera",), libcamera_missing, "camera", "install|doctor", _without_ribbon),
    Fault("no right to the camera", ("camera",), camera_forbidden, "camera|video", GROUP),
    Fault("a webcam's other device is set", ("camera",), other_device_set, "camera", "camera.device|doctor"),
    Fault("SPI is on", ("pins",), spi_on, "SPI", "off", _without_pins),
    Fault("1-Wire is on", ("pins",), one_wire_on, "1-Wire", "off", _without_pins),
    Fault("a button's pin is held", ("pins",), button_held, "portduino", "[Ee]nd", _without_pins),
    Fault(
        "a shared button's pin is held",
        ("pins",),
        shared_button_held,
        f"(?i)\\b{SHARED_BUTTON_NAMES[0]}\\b",
        "[Ee]nd",
        _without_pins,
    ),
    Fault("a lamp's pin is held", ("lamps",), lamp_held, "lamp", "[Ee]nd|doctor", _without_pins),
    Fault(
        "all pins are held",
        ("pins", "lamps"),
        all_pins_held,
        "button|pins",
        "stop|[Ee]nd|doctor",
        _without_pins,
    ),
    Fault(
        "two parts are set on one pin",
        ("pins", "lamps"),
        two_parts_on_one_pin,
        r"buttons\.pins\.1 and buttons\.pins\.2 .*BCM 27.*lamps stay dark",
        "another pin|[Cc]hange",
        _without_pins,
    ),
    Fault(
        "pins are set in the header's numbers",
        ("pins",),
        header_numbers_set,
        "buttons.pins.1.*header",
        "[Tt]ake .*out",
        _without_pins,
    ),
    Fault(
        "pins are set in the header's numbers, one of which is reserved",
        ("pins", "lamps"),
        header_numbers_reserved,
        "buttons.pins.1.*header",
        "[Tt]ake .*out",
        _without_pins,
    ),
    Fault("no right to the pins", ("pins", "lamps"), pins_forbidden, "button|gpio", GROUP, _without_pins),
    Fault(
        "libgpiod and lgpio not seen",
        ("pins", "lamps"),
        pin_library_missing,
        "button|gpio",
        "install|doctor",
        _without_pins,
    ),
    Fault(
        "a gpiochip that is not here",
        ("pins", "lamps"),
        wrong_chip,
        "button|chip",
        "buttons.chip|doctor|settings",
        _without_pins,
    ),
    Fault(
        "no gpiochip", ("pins", "lamps"), no_gpiochip, "button|gpio", "update|keyboard|doctor", _without_pins
    ),
    Fault(
        "no right to a USB encoder", ("encoder", "screen"), encoder_forbidden, "USB|input", "usermod|group"
    ),
    Fault(
        "no sound card",
        ("sound",),
        no_sound_card,
        "[Ss]ound|heard",
        "loudspeaker|screen",
        unsaid=_served_sound,
    ),
    Fault(
        "HDMI is off, and no other card",
        ("sound",),
        hdmi_off,
        "[Ss]ound|HDMI|hdmi|heard",
        "monitor|loudspeaker",
        lambda world: "its card is no HDMI" if not world.is_pi else "",
        _served_sound,
    ),
    Fault("a sound card that is not here", ("sound",), unknown_card, "[Ss]ound|heard", "sound.device|doctor"),
    Fault("no right to the sound", ("sound",), sound_forbidden, "[Ss]ound|heard", GROUP, _with_desktop),
    Fault(
        "sound held by another program",
        ("sound",),
        sound_held,
        "in use by|program",
        "[Ee]nd",
        _with_desktop,
    ),
    Fault(
        "a desktop plays on HDMI beside a USB loudspeaker",
        ("sound",),
        desktop_plays_on_hdmi,
        "HDMI.*USB",
        "choose|sound.device",
        lambda world: (
            "no sound server, so USB comes first"
            if not world.has_desktop
            else ""
            if world.is_pi
            else "its card is no HDMI"
        ),
        _quiet(screen="only doctor asks the desktop", log="only doctor asks the desktop"),
    ),
    Fault(
        "sound is muted in the card's mixer",
        ("sound",),
        sound_muted,
        "muted",
        "amixer",
        unsaid=_quiet(screen="only doctor asks the mixer", log="only doctor asks the mixer"),
    ),
    Fault(
        "no screen is on",
        ("screen",),
        screen_off,
        "screen|HDMI|monitor",
        "plug|on",
        lambda world: "" if world.is_pi else "its panel is always there",
        _quiet(screen=UNSEEN, log="voice and lamps lead the game: nothing is wrong"),
    ),
    Fault(
        "a desktop has the screen",
        ("screen",),
        desktop_draws,
        "screen",
        "desktop",
        lambda world: "" if world.has_desktop else "it has no desktop",
        _quiet(screen=UNSEEN),
    ),
    Fault(
        "no right to the screen",
        ("screen",),
        screen_forbidden,
        "screen|dri",
        GROUP,
        _with_desktop,
        _quiet(screen=UNSEEN),
    ),
    Fault(
        "under-voltage",
        ("power",),
        under_voltage,
        "volt|power",
        "supply",
        lambda world: "" if world.is_pi else "only a Pi's firmware tells",
    ),
    Fault(
        "too hot",
        ("power",),
        hot,
        "hot|heat|temperature",
        "cool|fan|heat sink",
        lambda world: "" if world.is_pi else "only a Pi's firmware tells",
        _quiet(screen="it only slows down", log="it only slows down"),
    ),
    Fault("the clock is in 1970", ("clock",), clock_of_1970, "clock says 1970-01-01", "network|doctor"),
    Fault(
        "a 32-bit system",
        ("system",),
        small_system,
        "32",
        "64",
        lambda world: "" if world.is_pi else "Debian's installer takes 64 bits there",
        _quiet(screen="the installer refuses it", log="the installer refuses it"),
    ),
)
VARIANTS = (
    Variant("nothing", as_it_is),
    *(Variant(name, other_sensor(name), _without_ribbon) for name in SENSORS if name != "imx708"),
    *(Variant(name, other_webcam(name)) for name in WEBCAMS),
    Variant("config.txt names the sensor that is there", own_sensor_named, _without_ribbon),
    Variant("a webcam beside the ribbon", webcam_beside_ribbon, _without_ribbon),
    Variant("SPI is on at a table of four", spi_on_at_four, _without_pins),
    Variant("a USB encoder, and pins that are held", encoder_plugged, _without_pins),
    Variant("USB buttons that were learnt, and no right to pins", encoder_learnt, _without_pins),
)
