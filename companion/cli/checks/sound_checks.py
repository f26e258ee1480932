"""The check of `companion doctor` of the sound: which output plays, whether it is heard, and who has it."""

from collections.abc import Iterator

from companion.cli.checks.device_checks import Devices, is_readable
from companion.core.check_verdict import (
    CheckVerdict,
    absent_verdict,
    fault_verdict,
    ok_verdict,
    untried_verdict,
)
from companion.settings.model import Settings
from companion.system.bluetooth import (
    BLUETOOTH_REMEDY,
    bluetooth_off_remedy,
    has_bluetooth,
    has_bluetooth_loudspeaker,
)
from companion.system.boot_config import (
    BOARD_REMEDY,
    find_silent_board,
    lacks_board_line,
    read_boot_config,
)
from companion.system.desktop import UNTOLD_SCREEN_REMEDY, find_desktop, untold_screens
from companion.system.device_lock import running_table
from companion.system.machine import LOUDSPEAKER, SILENT_USB_REMEDY, Machine
from companion.system.sound_cards import (
    HARDLY_HEARD,
    SERVER_REMEDY,
    SOUND_SERVERS,
    UNHEARD_REMEDY,
    USB_REMEDY,
    SoundCard,
    choose_sound_card,
    find_changed_alsa,
    find_muted_control,
    is_sound_held,
    is_sound_served,
    list_sound_cards,
    uses_alsa,
)
from companion.system.sound_server import choose_sink, find_card_of, find_passed_by, is_unheard, parse_sinks

PANEL = "the loudspeaker in the desktop's panel"
SILENT_BOARD_REMEDY = (
    "see that the line is that of your board (dtoverlay=max98357a,no-sdmode, hifiberry-dac …) and that it "
    "sits on all 40 pins, and restart; no such board: take the line out"
)
SERVED_DRIVERS = ("pulse", "pulseaudio", "pipewire")
"""SDL's drivers for a desktop's sound server."""
UNSET = "unset {}, and take it out of ~/.bashrc or whatever else sets it"
LISTEN = "companion doctor --sound plays it; silent all the same? Its switch, its own knob, its plug"
WITHOUT_SOCKET = 5
"""Since this generation a Pi has no socket for headphones."""


def sound(machine: Machine, settings: Settings, devices: Devices | None = None) -> CheckVerdict:
    if settings.sound.mute:
        return absent_verdict("muted in the settings", "to hear it, set sound.mute to false")
    if (volume := settings.sound.volume) <= HARDLY_HEARD:
        heard = "hardly anything" if volume else "nothing"
        what = f"the volume is {volume} in the settings: {heard} is heard"
        return absent_verdict(what, "set sound.volume to 80")
    driver = machine.environ.get("SDL_AUDIODRIVER", "")
    if driver == "dummy":
        return absent_verdict("SDL_AUDIODRIVER is dummy: nothing is heard", UNSET.format("SDL_AUDIODRIVER"))
    if machine.platform != "linux":
        return ok_verdict("the system's output")
    is_served = is_sound_served(machine.environ, machine.root)
    if driver not in {"", "alsa"} and not (is_served and driver in SERVED_DRIVERS):
        return fault_verdict(
            f"SDL_AUDIODRIVER is {driver}, and nothing here plays by that", UNSET.format("SDL_AUDIODRIVER")
        )
    if undriven := machine.find_undriven_usb(LOUDSPEAKER):
        return fault_verdict(
            f"{undriven} is plugged in, but no driver has it, as after an update of the system", "restart"
        )
    cards = list_sound_cards(machine.root)
    if not cards:
        return _explain_no_card(machine)
    wanted = settings.sound.device
    if not wanted and (board := find_silent_board(machine)):
        what = f"config.txt loads dtoverlay={board}, and no sound card came up of it"
        return fault_verdict(what, SILENT_BOARD_REMEDY)
    if not uses_alsa(machine.environ, machine.root, machine.platform):
        return _check_served_sound(machine, wanted, devices)
    card = choose_sound_card(cards, wanted)
    if card is None:
        named = "; ".join(card.name for card in cards)
        fix = f"plug it in, or set sound.device to one of: {named}"
        return fault_verdict(
            f"no sound card is called {wanted!r}", "; ".join([fix, *_sound_lines_off(machine)])
        )
    if not any(is_readable(path) for path in machine.find("dev/snd/pcm*p")):
        return fault_verdict("this user may not open /dev/snd", machine.join_groups("audio"))
    if not card.heard:
        return _explain_unheard(machine, card)
    if devices is None or running_table(machine):
        return untried_verdict(f"{card.name}: the table has it itself", "listen to a count")
    if reason := devices.sound(wanted):
        return _explain_silence(machine, card, reason)
    if (muted := _check_mixer(card, devices)) is not None:
        return muted
    others = ", ".join(other.name for other in cards if other is not card)
    also = f"; also here: {others}" if others else ""
    what = f"{card.name} opens, not played now{also}"
    if card.kind == "jack" and not wanted:
        return _describe_jack(machine, what)
    if has_bluetooth_loudspeaker(machine) and not wanted and card.kind != "usb":
        what = f"{what}; something is connected by Bluetooth, which plays on a desktop only"
        return untried_verdict(
            what,
            "if it is your loudspeaker, start the table on a desktop (sudo systemd/install.sh); or use USB",
        )
    return ok_verdict(what, LISTEN)


def _explain_no_card(machine: Machine) -> CheckVerdict:
    if (sandbox := machine.find_sandbox()) is not None:
        return absent_verdict("no sound card is seen", sandbox[1])
    fix = f"{USB_REMEDY}, or a screen with loudspeakers on HDMI"
    if _lacks_desktop(machine):
        fix = f"{fix}; {BLUETOOTH_REMEDY}"
    if socket := machine.find_silent_usb():
        what = f"no sound card, and the kernel's log says that USB {socket} does not answer"
        return fault_verdict(what, f"{SILENT_USB_REMEDY}; then {fix}")
    fixes = [fix, *([BOARD_REMEDY] if lacks_board_line(machine) else []), *_sound_lines_off(machine)]
    return absent_verdict("no sound card: the screen shows every sentence", "; ".join(fixes))


def _lacks_desktop(machine: Machine) -> bool:
    """Whether nothing here plays by Bluetooth."""
    is_served = not uses_alsa(machine.environ, machine.root, machine.platform)
    return not is_served and find_desktop(machine.root) is None


def _describe_jack(machine: Machine, what: str) -> CheckVerdict:
    """Of a socket that opens with nothing in it, as with an amplifier that has no line in config.txt."""
    fix = "plug a loudspeaker into the headphone socket, and try it: companion doctor --sound"
    if lacks_board_line(machine):
        fix = f"{fix}; {BOARD_REMEDY}"
    if has_bluetooth_loudspeaker(machine) and _lacks_desktop(machine):
        what = f"{what}; something is connected by Bluetooth, which plays on a desktop only"
        fix = f"{fix}; {BLUETOOTH_REMEDY}; or use USB"
    return untried_verdict(f"{what}; nobody can tell whether anything is in its socket", fix)


def _explain_unheard(machine: Machine, card: SoundCard) -> CheckVerdict:
    """Why nothing is heard on an HDMI socket, and what to play on instead."""
    remedy = UNHEARD_REMEDY
    if untold_screens(machine.root):
        remedy = f"{UNTOLD_SCREEN_REMEDY}; or {remedy}"
    if has_bluetooth(machine) and _lacks_desktop(machine):
        remedy = f"{remedy}; {BLUETOOTH_REMEDY}"
    if lacks_board_line(machine):
        remedy = f"{remedy}; {BOARD_REMEDY}"
    return fault_verdict(card.unheard, remedy)


def _check_mixer(card: SoundCard, devices: Devices) -> CheckVerdict | None:
    """Whether a card is muted in its own mixer."""
    muted = find_muted_control(devices.mixer(card.id))
    if muted is None:
        return None
    return fault_verdict(muted.describe(card), muted.remedy(card.id))


def _sound_lines_off(machine: Machine) -> Iterator[str]:
    """How sound that config.txt switches off on a Pi is switched on."""
    config = read_boot_config(machine)
    if config is None:
        return
    if machine.pi_generation() < WITHOUT_SOCKET and "on" not in config.parameters("audio"):
        yield f"for the headphone socket write dtparam=audio=on in {config.path}, and restart"
    if any("noaudio" in value.split(",") for value in config.values("dtoverlay")):
        yield f"for HDMI take noaudio out of {config.path}, and restart"


def _check_served_sound(machine: Machine, wanted: str, devices: Devices | None) -> CheckVerdict:
    """On which output a desktop's sound server plays, and whether that is heard."""
    if devices is None or running_table(machine):
        return untried_verdict("the table has it itself, on the desktop's output", "listen to a count")
    if (server := machine.environ.get("PULSE_SERVER", "")).startswith("tcp"):
        what = f"sound goes to another machine (PULSE_SERVER is {server})"
        return fault_verdict(what, UNSET.format("PULSE_SERVER"))
    sinks = parse_sinks(devices.sinks())
    if not sinks:
        if reason := devices.sound(wanted):
            return fault_verdict(f"the desktop's sound does not open ({reason})", "log in again, or restart")
        what = "the desktop's sound opens, but nothing tells on which output it plays"
        return untried_verdict(what, "companion doctor --sound, or sudo apt install pulseaudio-utils")
    sink = choose_sink(sinks, wanted)
    if sink is None:
        if not wanted:
            return fault_verdict("the desktop has chosen no output", f"choose one by {PANEL}")
        named = "; ".join(sink.description for sink in sinks)
        wake = bluetooth_off_remedy(machine) or "wake it if it is a Bluetooth one"
        fix = f"plug it in, or {wake}; or set sound.device to one of: {named}"
        return fault_verdict(f"no sound output is called {wanted!r}", fix)
    card = find_card_of(sink, list_sound_cards(machine.root))
    if is_unheard(sink, card):
        what = f"sound goes to {sink.description}, where no monitor with loudspeakers is connected"
        fix = f"{USB_REMEDY}, or wake the Bluetooth one, and choose it by {PANEL}"
        return fault_verdict(what, f"{fix}; {BOARD_REMEDY}" if lacks_board_line(machine) else fix)
    if sink.is_muted:
        what = f"{sink.description}, where sound goes, is muted on the desktop"
        return fault_verdict(what, f"turn it up by {PANEL}")
    if reason := devices.sound(wanted):
        return fault_verdict(f"{sink.description} does not open ({reason})", "log in again, or restart")
    if card is not None and (muted := _check_mixer(card, devices)) is not None:
        return muted
    beside = find_passed_by(sinks, sink)
    if beside is not None and not wanted:
        what = f"sound goes to {sink.description}, not to {beside.description}"
        fix = f"choose it by {PANEL}, or set sound.device to {beside.description!r}"
        return untried_verdict(what, fix)
    if card is not None and card.kind == "jack" and not wanted:
        return _describe_jack(machine, f"{sink.description} opens, not played now")
    late = "; Bluetooth is late, measure it: companion doctor --sound" if sink.kind == "bluetooth" else ""
    return ok_verdict(f"{sink.description} opens, not played now{late}", LISTEN)


def _explain_silence(machine: Machine, card: SoundCard, reason: str) -> CheckVerdict:
    """Who has a card that does not open, or what else keeps it shut; `reason` is SDL's."""
    if not is_sound_held(reason):
        fix = "unplug it and plug it in again, or set sound.device"
        if given := machine.environ.get("AUDIODEV"):
            fix = f"unset AUDIODEV, which has another card opened ({given}); or {fix}"
        if changed := find_changed_alsa(machine):
            fix = f"move {changed} away, which says otherwise how cards are opened; or {fix}"
        return fault_verdict(f"{card.name} does not open ({reason})", fix)
    holder = machine.sound_holder(card.number)
    fix = holder.remedy() if holder else "end it; sudo fuser -v /dev/snd/* names it"
    if holder and holder.name.startswith(SOUND_SERVERS):
        fix = SERVER_REMEDY
    return fault_verdict(f"{card.name} is in use by {holder or 'another program'}", fix)
