"""The doctor on machines that these tests make up."""

from __future__ import annotations

import json
import os
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.cli import load_commands
from companion.cli.checks import club_check, doctor
from companion.cli.checks.camera_checks import decks
from companion.cli.checks.club_check import check_uplink
from companion.cli.checks.device_checks import Devices
from companion.cli.checks.doctor import (
    PartFinding,
    calibration,
    club,
    encoder,
    opencv,
    page,
    python,
    run_checks,
    sound,
    speech,
    storage,
    updates,
)
from companion.core.check_verdict import CheckVerdict
from companion.home.uplink_file import UPLINK_FILE, UplinkFile
from companion.programs.store_responder import open_store
from companion.referee.journal.recovery_log import RecoveryLog
from companion.referee.journal.sqlite import connect
from companion.settings.model import (
    ButtonSettings,
    CameraSettings,
    ClubSettings,
    Settings,
    SoundSettings,
    StorageSettings,
)
from companion.system.boot_config import PATHS, find_silent_board
from companion.system.extras import CLUB_PACKAGE, LIBRARIES, install_command
from companion.testing.playthroughs import play_undisturbed_game
from hardware.errors import NoCameraError
from tests.cli.checks.conftest import Make
from tests.cli.command_line import Command

INSTALL_CLUB = install_command(package=CLUB_PACKAGE)


SERVING = (
    "proc/net/tcp=  sl  local_address rem_address   st\n"
    "   0: 00000000:20E4 00000000:0000 0A 00000000:00000000\n"
)
ROUTE = "proc/net/route=Iface Destination\nwlan0 00000000\n"
INSTALLED = (doctor.PAGE_UNIT, doctor.SOCKET_UNIT, doctor.PAGE_PROGRAM)


def test_the_page_is_off_on_or_on_without_a_network(machine: Make) -> None:
    everything: dict[str, Any] = {"modules": LIBRARIES["page"]}
    assert page(machine(**everything), Settings()).what.startswith("off")
    assert page(machine(SERVING, **everything), Settings()).state == "fault"
    blocked = ("sys/class/rfkill/rfkill0/type=wlan\n", "sys/class/rfkill/rfkill0/soft=1\n")
    assert page(machine(SERVING, *blocked, **everything), Settings()).fix.startswith(
        "sudo rfkill unblock wifi"
    )
    on = page(machine(SERVING, ROUTE, **everything), Settings())
    assert (on.state, on.what) == ("ok", "on, at port 8420")


def test_a_wifi_that_saves_power_is_told_with_the_command_that_ends_it(machine: Make) -> None:
    told = {"modules": LIBRARIES["page"], "output": lambda *command: "Power save: on"}
    for files, what in (((ROUTE,), "off"), ((SERVING, ROUTE), "on, at port")):
        found = page(machine(*files, **told), Settings())
        assert (found.what.startswith(what), "Wi-Fi saves power" in found.what) == (True, True)
        assert found.fix.startswith("sudo iw dev wlan0 set power_save off")
    awake = machine(SERVING, ROUTE, **told | {"output": lambda *command: "Power save: off"})
    assert page(awake, Settings()).state == "ok"
    by_cable = machine(SERVING, ROUTE.replace("wlan0", "eth0"), **told)
    assert page(by_cable, Settings()).state == "ok"


@pytest.mark.parametrize("row", ["docker0 000011AC", "br-1f2e 000012AC", "lo 0000007F", "eth0 0000FEA9"])
def test_containers_and_an_address_that_nobody_gave_are_no_network(machine: Make, row: str) -> None:
    route = f"proc/net/route=Iface Destination\n{row}\n"
    off = page(machine(route, modules=LIBRARIES["page"]), Settings())
    assert off.what.startswith("off, and this machine is in no network")


def test_a_listener_on_both_protocols_has_the_port(machine: Make) -> None:
    both = SERVING.replace("proc/net/tcp=", "proc/net/tcp6=")
    found = page(machine(both, ROUTE, *INSTALLED, "proc/1/comm=systemd\n"), Settings())
    assert found.what.startswith("another program has port 8420")


def test_a_port_that_another_program_has_is_a_fault(machine: Make) -> None:
    taken = (SERVING, ROUTE, *INSTALLED, "proc/1/comm=systemd\n", "proc/701/cmdline=nginx\0-g\0daemon on;\0")
    found = page(machine(*taken), Settings())
    assert (found.state, found.what.partition(",")[0]) == ("fault", "another program has port 8420")
    for ours in ("/opt/companion/current/page/bin/companion", "/usr/bin/python3\0-m\0companion"):
        assert page(machine(*taken, f"proc/702/cmdline={ours}\0page\0"), Settings()).state == "ok"


def test_a_page_that_lacks_a_library_says_which_and_an_installed_one_needs_none_here(machine: Make) -> None:
    lacking = page(machine(modules=LIBRARIES["page"][:2]), Settings())
    assert (lacking.state, lacking.fix) == ("absent", install_command("page"))
    assert LIBRARIES["page"][2] in lacking.what
    assert page(machine(*INSTALLED), Settings()).what.startswith("off")


def test_a_service_of_the_page_without_its_program_is_a_fault(machine: Make) -> None:
    assert page(machine(doctor.PAGE_UNIT), Settings()).state == "fault"


def test_without_a_broker_the_club_is_off_and_with_one_it_says_what_comes_next(machine: Make) -> None:
    named = Settings(club=ClubSettings(broker="10.0.0.2"))
    assert club(machine(), Settings()).what.startswith("off")
    assert check_uplink(machine(), named, with_club=True).fix == install_command("home")
    assert check_uplink(machine(modules=("paho",)), named, with_club=True).fix == "companion play"
    installed = club(machine(club_check.UPLINK_UNIT), named)
    assert installed.fix == "sudo systemctl enable --now companion-uplink"


def test_a_club_without_its_package_is_one_line_and_no_fault(machine: Make) -> None:
    named = Settings(club=ClubSettings(broker="10.0.0.2"))
    at_home = Settings(club=ClubSettings(broker="10.0.0.2", home_assistant=True))
    found = check_uplink(machine(modules=("paho",)), named, with_club=False)
    assert found == ("absent", f"no club hears this table: {CLUB_PACKAGE} is not installed", INSTALL_CLUB)
    assert check_uplink(machine(), at_home, with_club=False).fix == install_command("home")
    assert check_uplink(machine(modules=("paho",)), at_home, with_club=False).fix == "companion play"


@pytest.mark.parametrize(
    ("trouble", "state", "words"),
    [
        ("", "ok", "10.0.0.2 heard this table (2026-11-25 20:00 UTC); 3 messages not sent yet"),
        ("ui.club.taken_over", "fault", "copy of these games"),
        ("ui.club.clash", "fault", "Another table has this name"),
        ("ui.club.clock", "fault", "clock is wrong"),
    ],
)
def test_the_doctor_says_what_the_uplink_wrote_down(
    machine: Make, tmp_path: Path, trouble: str, state: str, words: str
) -> None:
    folder = tmp_path / "root" / club_check.SERVICE_FOLDER
    folder.mkdir(parents=True)
    file = UplinkFile(folder / UPLINK_FILE)
    for name, value in (("trouble", trouble), ("at", "2026-11-25T20:00:01+00:00"), ("waiting", "3")):
        file.write_status(name, value)
    found = club(machine(club_check.UPLINK_UNIT), Settings(club=ClubSettings(broker="10.0.0.2")))
    file.close()
    assert found.state == state
    assert words in found.what
    assert bool(found.fix) == (state == "fault")


def test_the_doctor_looks_where_the_uplink_writes_and_has_a_fix_for_every_trouble(checkout: Path) -> None:
    unit = (checkout / "systemd" / "companion-uplink.service").read_text(encoding="utf-8")
    assert f"StateDirectory={Path(club_check.SERVICE_FOLDER).name}\n" in unit
    said = {
        key
        for file in (checkout / "companion" / "home").glob("*.py")
        for key in re.findall(r'"(ui\.club\.\w+)"', file.read_text(encoding="utf-8"))
    }
    assert said - {"ui.club.heard"} | {"ui.club.clock"} == club_check.FIXES.keys(), "the last is a club's"


def test_the_doctor_looks_where_the_page_serves() -> None:
    (verb,) = (one for one in load_commands() if one.name == "page")
    assert dict(verb.arguments["--port"])["default"] == doctor.PAGE_PORT


PI = "proc/device-tree/model=Raspberry Pi 5 Model B"


def test_every_part_the_issue_names_is_examined(machine: Make) -> None:
    parts = {finding.part for finding in run_checks(machine(), Settings())}
    assert {"pins", "lamps", "camera", "screen", "sound", "speech", "storage", "language", "decks"} <= parts


def no_camera(*_: object) -> Any:
    raise NoCameraError("No webcam was found: plug it in, or name it in camera.device.")


def test_every_fault_names_its_fix(machine: Make) -> None:
    bare = machine(
        PI,
        "dev/gpiochip0",
        "proc/asound/cards= 0 [vc4hdmi ]: vc4-hdmi - vc4-hdmi\n",
        "proc/asound/card0/pcm0p/info",
        has_libgl=lambda: False,
    )
    settings = Settings(camera=CameraSettings(kind="usb"), sound=SoundSettings(device="USB"))
    found = list(run_checks(bare, settings, Devices(camera=no_camera, firmware=str)))
    assert sum(finding.state == "fault" for finding in found) >= 5
    assert all(finding.fix for finding in found if finding.state == "fault")


def test_a_check_that_breaks_is_a_fault_and_the_others_go_on(machine: Make) -> None:
    def broken(name: str) -> str | None:
        raise RuntimeError("no metadata")

    found = list(run_checks(machine(version=broken), Settings()))
    (broken_one,) = [one for one in found if one.part == "python"]
    assert broken_one.state == "fault"
    assert "no metadata" in broken_one.what
    assert found.index(broken_one) < [one.part for one in found].index("decks")


def test_the_camera_s_lock_and_the_light_are_told(machine: Make, tmp_path: Path) -> None:
    from companion.camera.calibration_file import TableCalibration, save_calibration
    from companion.vision.calibration import SavedCalibration
    from hardware.camera_lock import PiCameraLock

    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    assert calibration(machine(), settings).state == "absent"
    kept = SavedCalibration("marks", (1280, 720), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
    lock = PiCameraLock(20_000, 2.0, (1.5, 2.5), 1.25)
    save_calibration(tmp_path / "table", TableCalibration(kept, "2026-11-21T20:00:00", lock, ("glare",)))
    found = calibration(machine(), settings)
    assert found.state == "ok"
    assert "2026-11-21 by the mat's marks" in found.what
    assert "exposure 20.0 ms, gain 2.00, white 1.50/2.50, focus 1.25 dioptres" in found.what
    assert "glare" in found.what
    (tmp_path / "table" / "calibration.json").write_text("{")
    assert calibration(machine(), settings).state == "fault"


def test_opencv_without_libgl_names_the_swap(machine: Make) -> None:
    found = opencv(machine(versions={"opencv-python": "5.0.0.93"}, has_libgl=lambda: False), Settings())
    assert "companion.system.setup_opencv" in found.fix


def test_two_pygames_are_a_fault(machine: Make) -> None:
    libraries = dict.fromkeys(("gpiozero", "msgspec", "numpy", "platformdirs", "tomlkit"), "1")
    found = python(machine(versions=libraries | {"pygame": "2.6.1", "pygame-ce": "2.5.8"}), Settings())
    assert found.state == "fault"


def test_whose_updates_a_table_takes_is_told_and_what_checks_them_has_a_package(machine: Make) -> None:
    assert updates(machine(), Settings()).state == "absent"
    keyed = machine("etc/companion/update.pub=ssh-ed25519 AAAAC3Nza maker")
    assert updates(keyed, Settings()).fix == "sudo apt install openssh-client"
    assert updates(replace(keyed, which=lambda name: f"/usr/bin/{name}"), Settings()).state == "ok"
    assert updates(replace(keyed, platform="darwin"), Settings()).fix == "install openssh-client"
    broken = machine("etc/companion/update.pub=maker")
    assert updates(broken, Settings()).state == "fault"
    assert updates(broken, Settings()).fix == "put the maker's .pub file there"


OPENS = Devices(sound=lambda device: "", mixer=lambda card: "")
CARDS = (
    "proc/asound/cards= 0 [vc4hdmi0   ]: vc4-hdmi - vc4-hdmi-0\n 1 [Device     ]: USB-Audio - USB Speaker\n",
    "proc/asound/card0/pcm0p/info",
    "proc/asound/card1/pcm0p/info",
    "dev/snd/pcmC1D0p",
)


def test_a_table_without_a_sound_card_is_told_what_brings_one(machine: Make) -> None:
    """Its screen sends people to doctor."""
    found = sound(machine(), Settings())
    assert (found.state, found.fix.startswith("plug in a loudspeaker on USB")) == ("absent", True)


def test_a_sound_card_is_found_by_its_name(machine: Make) -> None:
    loud = machine(*CARDS)
    assert sound(loud, Settings(sound=SoundSettings(device="usb speaker")), OPENS).state == "ok"
    wrong = sound(loud, Settings(sound=SoundSettings(device="jack")))
    assert wrong.state == "fault"
    assert "USB Speaker" in wrong.fix


def test_the_sound_card_that_is_named_is_the_one_that_is_opened(machine: Make) -> None:
    loud = machine(*CARDS)
    assert sound(loud, Settings()).state == "untried", "the table has it"
    assert sound(loud, Settings(), OPENS).what.startswith("USB Speaker opens, not played now")
    taken = sound(loud, Settings(), replace(OPENS, sound=lambda device: "Device or resource busy"))
    assert (taken.state, taken.what) == ("fault", "USB Speaker is in use by another program")
    assert "fuser -v /dev/snd" in taken.fix
    odd = sound(loud, Settings(), replace(OPENS, sound=lambda device: "Input/output error"))
    assert (odd.state, odd.what) == ("fault", "USB Speaker does not open (Input/output error)")
    deaf = sound(loud, Settings(sound=SoundSettings(device="vc4hdmi0")))
    assert deaf.state == "fault"
    assert "no monitor with loudspeakers" in deaf.what


def test_a_sound_server_that_has_the_card_is_not_to_be_ended(machine: Make) -> None:
    """It belongs to somebody's desktop, which root's program does not ask."""
    loud = machine(*CARDS, "proc/990/comm=pipewire\n", "proc/990/fd/1")
    (loud.root / "proc/990/fd/5").symlink_to(loud.root / "dev/snd/pcmC1D0p")
    taken = sound(loud, Settings(), replace(OPENS, sound=lambda device: "Device or resource busy"))
    assert taken.fix.startswith("start the table as the desktop's user, not with sudo")


def test_something_on_bluetooth_is_no_loudspeaker_of_a_table_without_a_desktop(machine: Make) -> None:
    link, jack = (
        "sys/class/bluetooth/hci0:11/type",
        "proc/asound/cards= 0 [Headphones     ]: bcm - Headphones\n",
    )
    alone = sound(machine(jack, "proc/asound/card0/pcm0p/info", "dev/snd/pcmC0D0p", link), Settings(), OPENS)
    assert (alone.state, "plays on a desktop only" in alone.what) == ("untried", True)
    assert sound(machine(*CARDS, link), Settings(), OPENS).state == "ok", "the USB loudspeaker plays"


def test_an_amplifier_on_the_header_needs_its_line_and_a_line_needs_its_board(machine: Make) -> None:
    config = f"{PATHS[0]}=dtparam=audio=on\n"
    jack = "proc/asound/cards= 0 [Headphones     ]: bcm - Headphones\n"
    files = (PI, jack, "proc/asound/card0/pcm0p/info", "dev/snd/pcmC0D0p")
    found = sound(machine(*files, config), Settings(), OPENS)
    assert (found.state, "dtoverlay=max98357a" in found.fix) == ("untried", True)
    assert "nobody can tell whether anything is in its socket" in found.what
    odd = machine(*files, f"{config}dtoverlay=hifiberry-dacplus\n")
    assert find_silent_board(odd) == "hifiberry-dacplus"
    assert sound(odd, Settings(), OPENS).state == "fault"
    board = (
        "proc/asound/cards= 0 [Headphones     ]: bcm - Headphones\n 1 [MAX98357A      ]: simple - MAX98357A\n"
    )
    well = machine(
        *files[:1], board, *files[2:], "proc/asound/card1/pcm0p/info", f"{config}dtoverlay=max98357a\n"
    )
    assert find_silent_board(well) == ""
    assert sound(well, Settings(), OPENS).what.startswith("MAX98357A opens, not played now")


def test_a_pi_without_pygame_gets_the_system_s(machine: Make) -> None:
    installed = dict.fromkeys(doctor.REQUIRED_LIBRARIES, "1.0")
    assert python(machine(versions=installed), Settings()).fix == "pip install pygame"
    on_pi = python(machine(PI, versions=installed), Settings())
    assert on_pi.fix.startswith("sudo apt install python3-pygame")
    old = python(machine(versions={**installed, "pygame": "2.1.2"}), Settings())
    assert (old.state, "2.1.2 is too old" in old.what) == ("fault", True)
    assert python(machine(versions={**installed, "pygame": "2.6.1"}), Settings()).state == "ok"


def test_a_program_that_has_the_sound_card_is_named(machine: Make) -> None:
    loud = machine(*CARDS, "proc/812/comm=mpd\n", "proc/812/fd/1")
    (loud.root / "proc/812/fd/5").symlink_to(loud.root / "dev/snd/pcmC1D0p")
    taken = sound(loud, Settings(), replace(OPENS, sound=lambda device: "Device or resource busy"))
    assert taken == CheckVerdict(
        "fault", "USB Speaker is in use by process 812 (mpd)", "end that program: kill 812"
    )


def test_a_card_that_is_muted_in_its_own_mixer_is_named_with_the_remedy(machine: Make) -> None:
    loud = machine(*CARDS)
    asked = []

    def mixer(card: str) -> str:
        asked.append(card)
        return "Simple mixer control 'PCM',0\n  Mono: Playback 9 [60%] [off]"

    found = sound(loud, Settings(), replace(OPENS, mixer=mixer))
    assert (found.state, asked) == ("fault", ["Device"])
    assert found.what == "USB Speaker is muted in its own mixer (PCM is off)"
    assert found.fix.startswith("amixer -c Device set 'PCM' unmute (or: alsamixer -c Device)")


HDMI_SINK, USB_SINK = (
    f"Sink #6{number}\n\tName: alsa_output.{name}\n\tDescription: {description}\n\tMute: no\n"
    f'\tVolume: front-left: 26214 /  40% / -23.88 dB\n\tProperties:\n\t\talsa.card = "{number}"\n'
    for number, name, description in (
        (0, "platform-fef00700.hdmi.hdmi-stereo", "Built-in Audio Digital Stereo (HDMI)"),
        (1, "usb-Generic-00.analog-stereo", "USB Speaker Analog Stereo"),
    )
)
TELEVISION = ("sys/class/drm/card1-HDMI-A-1/edid=" + "\0" * 128 + "\x02\x03\0@" + "\0" * 124,)
DESKTOP = {"environ": {"XDG_RUNTIME_DIR": "/run/user/1000"}}


def serves(default: str, *sinks: str) -> Devices:
    return replace(OPENS, sinks=lambda: "".join((f"Default Sink: {default}\n", *sinks)))


def test_a_desktop_says_on_which_output_it_plays_and_how_another_is_chosen(machine: Make) -> None:
    desk = machine(*CARDS, "run/user/1000/pipewire-0", *TELEVISION, **DESKTOP)
    hdmi, usb = "alsa_output.platform-fef00700.hdmi.hdmi-stereo", "alsa_output.usb-Generic-00.analog-stereo"
    found = sound(desk, Settings(), serves(hdmi, HDMI_SINK, USB_SINK))
    assert found.state == "untried"
    assert found.what.startswith("sound goes to Built-in Audio Digital Stereo (HDMI), not to USB Speaker ")
    assert found.fix.startswith(
        "choose it by the loudspeaker in the desktop's panel, or set sound.device to 'USB"
    )
    assert sound(desk, Settings(), serves(hdmi, HDMI_SINK)).state == "ok"
    right = sound(desk, Settings(), serves(usb, HDMI_SINK, USB_SINK))
    assert (right.state, right.what) == ("ok", "USB Speaker Analog Stereo opens, not played now")
    chosen = Settings(sound=SoundSettings(device="usb speaker"))
    assert sound(desk, chosen, serves(hdmi, HDMI_SINK, USB_SINK)).state == "ok"
    wrong = sound(desk, Settings(sound=SoundSettings(device="jack")), serves(hdmi, HDMI_SINK, USB_SINK))
    assert (wrong.state, "USB Speaker Analog Stereo" in wrong.fix) == ("fault", True)


def test_on_a_desktop_nobody_is_told_that_bluetooth_needs_one(machine: Make) -> None:
    cards = "proc/asound/cards= 0 [Headphones     ]: bcm - Headphones\n"
    link = ("sys/class/bluetooth/hci0/address=", "sys/class/bluetooth/hci0:11/type=link\n")
    sink = "Sink #60\n\tName: alsa_output.jack\n\tDescription: Jack\n\tMute: no\n"
    heard = "Sink #61\n\tName: bluez_output.5\n\tDescription: JBL Go\n\tMute: no\n"
    files = ("proc/asound/card0/pcm0p/info", "run/user/1000/pipewire-0", *link)
    alone = sound(machine(*files, cards, **DESKTOP), Settings(), serves("alsa_output.jack", sink))
    assert "on a desktop" not in f"{alone}"
    both = sound(machine(*files, cards, **DESKTOP), Settings(), serves("alsa_output.jack", sink, heard))
    assert both.what == "sound goes to Jack, not to JBL Go"
    assert "on a desktop" not in f"{sound(machine(*files, **DESKTOP), Settings(), OPENS)}"


WPCTL = """PipeWire 'pipewire-0' [1.4.2, ana@pi, cookie:1]
 └─ Clients:
        32. WirePlumber                         [1.4.2, ana@pi, pid:901]

Audio
 ├─ Devices:
 │      48. Built-in Audio                      [alsa]
 │
 ├─ Sinks:
 │  *   60. {} [vol: 0.40]
 │      61. {}      [vol: 0.80 MUTED]
 │
 ├─ Sources:
 │
 └─ Streams:

Video
 ├─ Sinks:
 │  *   90. Loopback [vol: 1.00]
"""


def test_without_pactl_wpctl_tells_the_same(machine: Make) -> None:
    """As WirePlumber's wpctl.c prints it."""
    hdmi, usb = "alsa_output.platform-fef00700.hdmi.hdmi-stereo", "alsa_output.usb-Generic-00.analog-stereo"
    described = WPCTL.format("Built-in Audio Digital Stereo (HDMI)", "USB Speaker Analog Stereo")
    desk = machine(*CARDS, "run/user/1000/pipewire-0", *TELEVISION, **DESKTOP)
    asked = replace(OPENS, sinks=lambda: f"{described}\n{WPCTL.format(hdmi, usb)}")
    found = sound(desk, Settings(), asked)
    assert found.what.startswith("sound goes to Built-in Audio Digital Stereo (HDMI), not to USB Speaker")
    muted = sound(desk, Settings(sound=SoundSettings(device="usb speaker")), asked)
    assert muted.what == "USB Speaker Analog Stereo, where sound goes, is muted on the desktop"


def test_a_desktop_that_is_muted_deaf_or_tells_nothing_is_not_ok(machine: Make) -> None:
    desk = machine(*CARDS, "run/user/1000/pipewire-0", **DESKTOP)
    hdmi, usb = "alsa_output.platform-fef00700.hdmi.hdmi-stereo", "alsa_output.usb-Generic-00.analog-stereo"
    for silenced in (USB_SINK.replace("Mute: no", "Mute: yes"), USB_SINK.replace(" 40%", "  0%")):
        found = sound(desk, Settings(), serves(usb, silenced))
        assert (found.state, "is muted on the desktop" in found.what) == ("fault", True)
    deaf = sound(desk, Settings(), serves(hdmi, HDMI_SINK))
    assert (deaf.state, "no monitor with loudspeakers" in deaf.what) == ("fault", True)
    nothing = "Sink #1\n\tName: auto_null\n\tDescription: Dummy Output\n\tMute: no\n"
    assert sound(desk, Settings(), serves("auto_null", nothing)).state == "fault"
    untold = sound(desk, Settings(), replace(OPENS, sinks=str))
    assert (untold.state, "pulseaudio-utils" in untold.fix) == ("untried", True)
    assert sound(desk, Settings(), replace(OPENS, sinks=str, sound=lambda _: "refused")).state == "fault"


def test_a_volume_of_nothing_is_told_as_silence(machine: Make) -> None:
    found = sound(machine(), Settings(sound=SoundSettings(volume=0)))
    assert (found.state, found.fix) == ("absent", "set sound.volume to 80")
    low = sound(machine(), Settings(sound=SoundSettings(volume=5)))
    assert low.what == "the volume is 5 in the settings: hardly anything is heard"


def test_usb_buttons_that_nobody_pressed_are_untried_and_the_command_is_named(machine: Make) -> None:
    found = encoder(machine("dev/input/js0", "dev/input/event3"), Settings())
    assert (found.state, found.fix.partition(";")[0]) == ("untried", "companion press --usb")
    assert "move its plug to K1" in found.fix, "out of a socket for directions"
    assert found.what.startswith("1 found")
    shutter = Settings(buttons=ButtonSettings(learned={"1": "115@AB Shutter3"}))
    assert encoder(machine("dev/input/event3"), shutter).what.startswith("1 button learnt")


def test_a_store_that_is_no_store_is_a_fault(machine: Make, tmp_path: Path) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    settings.store_folder().mkdir()
    assert storage(machine(), settings).what.startswith("0 games in ")
    settings.store_file().write_bytes(b"not a database" * 100)
    assert storage(machine(), settings).state == "fault"


def test_a_game_that_cannot_be_opened_is_a_fault_and_so_is_a_lock_that_cannot(
    machine: Make, tmp_path: Path
) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    settings.store_folder().mkdir()
    with closing(connect(settings.store_file())) as store:
        store.execute("INSERT INTO games VALUES (1, 'game', '{', 0, NULL)")
        assert storage(machine(), settings).what.startswith("1 game in ")
        assert storage(machine(), settings).state == "fault"
        store.execute("DELETE FROM games")
    assert storage(machine(), settings).what.startswith("0 games in ")
    settings.store_file().with_name("second").hardlink_to(settings.store_file())
    assert "second name" in storage(machine(), settings).what
    settings.store_file().with_name("second").unlink()
    settings.store_file().with_name("games.sqlite.lock").mkdir()
    found = storage(machine(), settings)
    assert (found.state, found.fix) == ("fault", "move it away")


def test_a_game_whose_end_is_in_a_log_alone_is_a_fault(machine: Make, tmp_path: Path) -> None:
    """As long as another program keeps the store open, no start restores it."""
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    settings.store_folder().mkdir()
    played = play_undisturbed_game("kabuki", 2)
    RecoveryLog(settings.store_file(), played.header).write(played.entries, 1)
    (log,) = settings.store_folder().iterdir()
    found = storage(machine(), settings)
    assert (found.state, found.what) == ("fault", f"a game was cut short: its end is in {log.name} alone")
    assert found.fix.startswith("close every other program that has the games open, then start the table")


def test_a_taught_deck_that_a_power_cut_emptied_is_a_fault(machine: Make, tmp_path: Path) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    folder = settings.store_folder() / "decks"
    folder.mkdir(parents=True)
    (folder / "kinapa.deck").write_bytes(bytes(4096))
    found = decks(machine(), settings)
    assert (found.state, found.what) == ("fault", "kinapa.deck isn't a deck, or is damaged")
    assert "teach it again" in found.fix


def test_a_folder_that_is_a_file_cannot_be_written(machine: Make, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    found = storage(machine(), Settings(storage=StorageSettings(folder=str(tmp_path / "file"))))
    assert found.state == "fault"


def test_a_card_that_became_read_only_is_not_a_question_of_its_owner(
    machine: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    assert storage(machine(), settings).fix.startswith("sudo install -d -o $USER ")
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    found = storage(machine(), settings)
    assert "is read-only" in found.what
    assert "new card" in found.fix


def test_a_store_that_this_user_may_not_write_is_a_fault(
    machine: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is after the table was once started with sudo."""
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    settings.store_folder().mkdir()
    with open_store(settings) as store:
        store.count_games()
    settings.store_file().touch()
    monkeypatch.setattr(os, "access", lambda path, *_, **__: Path(path).suffix != ".sqlite")
    found = storage(machine(), settings)
    assert (found.state, found.fix.startswith("sudo chown -R ")) == ("fault", True)


def test_the_service_s_table_is_asked_for_as_its_user(
    machine: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "other_owner", lambda _: "companion")
    found = storage(machine(), Settings(storage=StorageSettings(folder=str(tmp_path))))
    assert (found.state, found.fix) == ("untried", "sudo -u companion companion doctor")


@pytest.mark.parametrize(
    ("kind", "words", "fix"),
    [
        ("overlay", "forgets everything when the Pi is switched off (overlay)", "disable_overlayfs"),
        ("tmpfs", "forgets everything when the Pi is switched off (tmpfs)", "set storage.folder"),
        ("nfs4", "another machine's (nfs4)", "set storage.folder to a folder of this machine"),
    ],
)
def test_a_disk_that_forgets_or_is_another_machine_s_is_a_fault(
    machine: Make, tmp_path: Path, kind: str, words: str, fix: str
) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path / "games")))
    (tmp_path / "games").mkdir()
    mounts = f"proc/self/mounts=/dev/root / ext4 rw 0 0\nx {tmp_path} {kind} rw 0 0\n"
    found = storage(machine(PI, mounts), settings)
    assert found.state == "fault"
    assert words in found.what
    assert fix in found.fix
    kept = mounts.replace(f" {kind} ", " ext4 ")
    assert storage(machine(PI, kept), settings).state == "ok"


def test_a_card_that_a_file_of_old_opens_otherwise_names_the_file(machine: Make) -> None:
    odd = replace(OPENS, sound=lambda _: "ALSA: Couldn't open audio device: Invalid argument")
    home = machine(*CARDS, "home/ana/.asoundrc=defaults.pcm.card 1\n", environ={"HOME": "/home/ana"})
    assert sound(home, Settings(), odd).fix.startswith("move /home/ana/.asoundrc away")


def test_of_two_joysticks_the_doctor_says_that_the_first_is_read(machine: Make) -> None:
    two = machine(
        *("dev/input/js0", "dev/input/js1", "dev/input/event3"),
        *("sys/class/input/js0/device/name=Wireless Pad\n", "sys/class/input/js1/device/name=DragonRise\n"),
    )
    found = encoder(two, Settings())
    assert found.what.startswith("2 found (Wireless Pad, DragonRise), of which the first is read")
    assert "companion press --learn, learns the buttons of all" in found.fix
    assert "buttons.usb_device" in found.fix
    named = encoder(two, Settings(buttons=ButtonSettings(usb_device="Dragon")))
    assert named.what.startswith("2 found, read")


def test_an_encoder_that_is_named_and_buttons_that_were_learnt_have_to_be_there(machine: Make) -> None:
    named = Settings(buttons=ButtonSettings(usb_device="dragon"))
    assert encoder(machine("dev/input/event3"), named).fix == "plug it in"
    pad = machine("dev/input/js0", "dev/input/event3", "sys/class/input/js0/device/name=Wireless Pad\n")
    assert encoder(pad, named).fix == "set buttons.usb_device to one of: Wireless Pad"
    learnt = Settings(buttons=ButtonSettings(learned={"1": "288@DragonRise"}))
    (pad.root / "sys/class/input/event3/device").mkdir(parents=True)
    (pad.root / "sys/class/input/event3/device/name").write_text("Wireless Pad\n")
    gone = encoder(pad, learnt)
    assert (gone.state, gone.what) == ("untried", "1 button learnt, but not there now: DragonRise")
    assert "or learn Wireless Pad instead: Settings, USB buttons" in gone.fix
    (pad.root / "sys/class/input/event3/device/name").write_text("DragonRise\n")
    assert encoder(pad, learnt).what.startswith("1 button learnt, read with")


def test_a_firewall_that_may_keep_phones_out_is_told(machine: Make) -> None:
    everything: dict[str, Any] = {"modules": LIBRARIES["page"]}
    walled = machine(SERVING, ROUTE, "etc/ufw/ufw.conf=ENABLED=yes\n", **everything)
    found = page(walled, Settings())  # whose rules this user may not read
    assert (found.state, found.fix) == ("absent", "sudo ufw allow 8420/tcp")
    assert "a firewall (ufw) is on and may keep phones out" in found.what
    read = machine("etc/ufw/user.rules=*filter\n", **everything)
    assert page(read, Settings()).state == "fault"
    read = machine("proc/net/tcp=", **everything)
    found = page(read, Settings())
    assert (found.state, found.fix) == ("absent", "sudo ufw allow 8420/tcp")
    assert found.what.startswith("off; Phones on the table's screen switches it on; a firewall (ufw) is on")
    open_ = machine(
        SERVING, ROUTE, "etc/ufw/user.rules=-A ufw-user-input -p tcp --dport 8420\n", **everything
    )
    assert page(open_, Settings()).state == "ok"


def test_a_card_that_keeps_slowly_makes_the_voice_late(machine: Make, tmp_path: Path) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    slow = storage(machine(), settings, replace(OPENS, write_time=lambda _: 0.62))
    assert (slow.state, "took 0.6 s" in slow.what) == ("absent", True)
    assert storage(machine(), settings, replace(OPENS, write_time=lambda _: 0.02)).state == "ok"
    assert Devices().write_time(tmp_path) >= 0


def test_sound_that_config_txt_switches_off_names_the_line(machine: Make) -> None:
    config = "boot/firmware/config.txt=dtparam=audio=off\ndtoverlay=vc4-kms-v3d,noaudio\n"
    silent = sound(machine(config), Settings())
    assert "write dtparam=audio=on in /boot/firmware/config.txt" in silent.fix
    assert "take noaudio out" in silent.fix
    jack = sound(machine(*CARDS, config), Settings(sound=SoundSettings(device="Headphones")))
    assert "dtparam=audio=on" in jack.fix


def test_the_exit_code_says_whether_the_table_can_play(companion: Command) -> None:
    said = companion("doctor", "--json")
    findings = [PartFinding(**finding) for finding in json.loads(said.out)]
    assert said.code == (1 if any(finding.state == "fault" for finding in findings) else 0)


def test_the_printed_form_names_state_and_fix(companion: Command) -> None:
    said = companion("--set", "camera.kind=folder", "doctor")
    assert said.code == 1
    assert "camera      problem" in said.out
    assert "→ set camera.device to a folder of pictures" in said.out


def test_a_voice_pack_is_told_with_the_speech_and_a_damaged_one_is_a_fault(
    machine: Make, tmp_path: Path
) -> None:
    def told(text: str) -> PartFinding:
        (tmp_path / "voice.json").write_text(text, encoding="utf-8")
        return speech(machine(), Settings(sound=SoundSettings(voice_pack=str(tmp_path))))

    one = '{"count.1": {"text": "one", "file": "one.wav"}}'
    assert "1 sentence of the voice pack" in told(f'{{"language": "en", "clips": {one}}}').what
    assert "is in de and keeps quiet" in told('{"language": "de"}').what
    broken = told("{")
    assert broken.state == "fault"
    assert "voice.json is damaged" in broken.what


def test_a_language_folder_that_cannot_be_used_is_named(
    machine: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    words = tmp_path / "locale" / "tlh" / "LC_MESSAGES"
    words.mkdir(parents=True)
    (words / "companion.po").touch()
    found = {
        one.part: one for one in run_checks(machine(environ={"STATE_DIRECTORY": str(tmp_path)}), Settings())
    }
    assert "language.toml is missing" in found["language tlh"].what
