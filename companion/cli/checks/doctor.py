"""Runs the checks of `companion doctor`, one function for each part of the table.

Those that open a device are in `device_checks`.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Literal

from companion.camera.calibration_file import load_calibration
from companion.cli.checks.camera_checks import camera, decks
from companion.cli.checks.device_checks import (
    Devices,
    PinTrial,
    is_readable,
    lamps,
    pins,
    power,
    screen,
    service,
    try_pins,
)
from companion.cli.checks.machine_checks import check_settings, clock, system
from companion.cli.checks.sound_checks import sound
from companion.core.actions import Value
from companion.core.check_verdict import (
    CheckState,
    CheckVerdict,
    absent_verdict,
    fault_verdict,
    ok_verdict,
    untried_verdict,
)
from companion.core.errors import CompanionError, InputError
from companion.games import all_asset_folders, find_broken_games, find_missing_parts
from companion.language import installed_languages
from companion.language.voice import neural_speech
from companion.language.voice.clips import clip_folders, read_index
from companion.language.voice.sounds import BEEPS, CLIPLESS_KEYS, EFFECT_PREFIX, EFFECTS, OFF, TICKS
from companion.language.voice.voice_pack import decode_recording, open_voice_pack
from companion.referee.journal.damaged_store import has_second_name
from companion.referee.journal.store_files import side_file
from companion.settings.model import Settings, SoundSettings
from companion.system.asset_paths import bundled_assets_folder
from companion.system.bluetooth import bluetooth_off_remedy
from companion.system.boot_config import read_boot_config
from companion.system.bundle import owner_key
from companion.system.disk_state import (
    IN_MEMORY,
    MIN_FREE_BYTES,
    NO_INODES,
    find_file_system,
    has_unused_card,
    lacks_inodes,
)
from companion.system.extras import LIBRARIES, find_extensions, install_command, load_extensions
from companion.system.file_owner import find_foreign_file, is_there, other_owner
from companion.system.input_list import keyboard_boards
from companion.system.machine import CARD_REMEDY, PAGE_PORT, Machine
from companion.system.terminal import count_with_noun

PAGE_UNIT = "etc/systemd/system/companion-page.service"
SOCKET_UNIT = "etc/systemd/system/companion-table-page.socket"
PAGE_PROGRAM = "opt/companion/current/page/bin/companion"
LISTEN_STATE = "0A"
"""The state of a listening socket in /proc/net/tcp."""


def check_web_page(machine: Machine) -> CheckVerdict:
    """Whether the page can be served, and is."""
    installed = bool(machine.find(PAGE_UNIT))
    if installed and not (machine.find(PAGE_PROGRAM) and machine.find(SOCKET_UNIT)):
        return fault_verdict("its service is here, but not all that it needs", "run the installer again")
    if not installed and (lacking := [name for name in LIBRARIES["page"] if machine.module(name) is None]):
        what = f"no phones and no stream: the library {lacking[0]} is not installed"
        return absent_verdict(what, install_command("page"))
    walled, fix = machine.find_firewall(PAGE_PORT) or ("", "")
    if not _is_port_listening(machine):
        if machine.read_text(ROUTES) and not _has_network(machine):
            why, fix = _find_network_fault(machine)
            return absent_verdict(
                f"off, and this machine is in no network, which phones would need{why}", fix
            )
        may = f"; {walled} and may keep phones out" if walled else ""
        if not walled and (wifi := _find_way(machine, WIFIS)) and machine.saves_wifi_power(wifi):
            may, fix = f"; {SAVED}", SAVED_REMEDY.format(wifi)
        return absent_verdict(f"off; Phones on the table's screen switches it on{may}", fix)
    if not _is_page_running(machine):
        what = f"another program has port {PAGE_PORT}, so the page can't be switched on"
        return fault_verdict(what, f"end it; sudo ss -ltnp sport = :{PAGE_PORT} names it")
    if walled:
        verdict = fault_verdict if machine.reads_firewall() else absent_verdict
        return verdict(f"it is on, at port {PAGE_PORT}, but {walled} and may keep phones out", fix)
    if not _has_network(machine):
        why, fix = _find_network_fault(machine)
        return fault_verdict(f"it is on, at port {PAGE_PORT}, but this machine has no network{why}", fix)
    if vpn := _find_way(machine, VPNS):
        what = f"it is on, but phones are sent to the address of a VPN ({vpn}), where they find nothing"
        return fault_verdict(what, "leave the VPN, then open Phones on the table's screen again")
    if (wifi := _find_way(machine, WIFIS)) and machine.saves_wifi_power(wifi):
        return absent_verdict(f"on, at port {PAGE_PORT}; {SAVED}", SAVED_REMEDY.format(wifi))
    return ok_verdict(f"on, at port {PAGE_PORT}")


def _is_port_listening(machine: Machine) -> bool:
    """Whether anything listens where the page does."""
    tables = (machine.read_text(f"proc/net/{protocol}") for protocol in ("tcp", "tcp6"))
    rows = (line.split() for table in tables for line in table.splitlines()[1:])
    return any(
        len(row) > 3 and row[1].endswith(f":{PAGE_PORT:04X}") and row[3] == LISTEN_STATE for row in rows
    )


def _is_page_running(machine: Machine) -> bool:
    """Whether the page's own program runs; taken for granted where other users' programs are hidden."""
    if not machine.find("proc/1/comm"):
        return True
    told = (machine.read_text(str(file.relative_to(machine.root))) for file in machine.find(COMMAND_LINES))
    return any("companion\0page" in line for line in told)


COMMAND_LINES = "proc/[0-9]*/cmdline"
ROUTES = "proc/net/route"
OWN_NETWORKS = re.compile(r"lo$|docker|br-|veth")
"""Of this machine with itself and its containers."""
VPNS, WIFIS = re.compile(r"tun|wg|ppp|tailscale"), re.compile("wl")
SAVED = "its Wi-Fi saves power, so what phones press may come late"
SAVED_REMEDY = (
    "sudo iw dev {0} set power_save off; for good: sudo nmcli connection modify NAME wifi.powersave 2, "
    "with the NAME that nmcli connection show has beside {0}"
)
LINK_LOCAL, ANYWHERE = "0000FEA9", "00000000"
"""169.254.0.0, as the kernel writes it: what a machine takes to which nobody gave an address."""
JOIN_NETWORK = "join a Wi-Fi: sudo nmtui (on a desktop in its panel); or plug a cable in"
NO_WIFI = re.compile("disable-wifi")
"""Overlays of a Pi without Wi-Fi."""
UNBLOCK_WIFI = "sudo rfkill unblock wifi; on a new Pi first say where it is: sudo raspi-config (WLAN country)"


def _has_network(machine: Machine) -> bool:
    """Whether there is a way to anywhere besides this machine and its containers."""
    rows = (line.split() for line in machine.read_text(ROUTES).splitlines()[1:])
    return any(len(row) > 1 and not OWN_NETWORKS.match(row[0]) and row[1] != LINK_LOCAL for row in rows)


def _find_network_fault(machine: Machine) -> tuple[str, str]:
    """Why there is no way, as far as the machine tells, and the remedy."""
    config = read_boot_config(machine)
    if config is not None and (line := next(filter(NO_WIFI.match, config.overlays), "")):
        return f": dtoverlay={line} switches Wi-Fi off", f"take that line out of {config.path}, and restart"
    return (": Wi-Fi is switched off", UNBLOCK_WIFI) if machine.is_blocked("wlan") else ("", JOIN_NETWORK)


def _find_way(machine: Machine, kind: re.Pattern[str]) -> str:
    """The interface of this kind by which this machine reaches everything; empty: there is none."""
    rows = (line.split() for line in machine.read_text(ROUTES).splitlines()[1:])
    return next((row[0] for row in rows if row[1:2] == [ANYWHERE] and kind.match(row[0])), "")


FIX = "companion calibrate, or Settings, Camera, Set up on the screen"


def check_table_calibration(machine: Machine, settings: Settings) -> CheckVerdict:
    """Whether the table is calibrated, how, and in which light."""
    try:
        found = load_calibration(settings.store_folder(machine.environ))
    except InputError as trouble:
        if (foreign := find_foreign_file(settings.store_folder(machine.environ))) is not None:
            return fault_verdict(f"{foreign}", foreign.command)
        return fault_verdict(str(trouble), FIX)
    if found is None:
        what = "not calibrated: each game looks for the mat's marks, and the camera isn't locked"
        return absent_verdict(what, FIX)
    how = {"marks": "by the mat's marks", "corners": "by the mat's corners", "sheet": "on a bare table"}
    lock = "nothing to lock" if found.lock is None else f"locked: {found.lock}"
    light = f"; when it was saved: {', '.join(found.warned)}" if found.warned else ""
    what = f"{found.date[:10]} {how[found.kept.method]}; {lock}{light}"
    return ok_verdict(what, FIX if found.warned else "")


def describe_custom_sounds(sound: SoundSettings, language: str) -> Iterator[str]:
    """What is heard of the user's own sounds, a few words each.

    Raises `InputError` for what cannot be used.
    """
    if sound.voice_pack:
        yield _describe_pack(sound.voice_pack, language)
    if sound.events:
        clips = (name for where in clip_folders(language) for name in read_index(where).clips)
        names = {*clips, TICKS, BEEPS, *(f"{EFFECT_PREFIX}{name}" for name in EFFECTS)}
        for event, heard in sound.events.items():
            _check_event_name(event, names)
            if heard != OFF:
                decode_recording(Path(heard).expanduser())
        yield f"{count_with_noun(len(sound.events), 'sound')} of your own"


def _describe_pack(setting: str, language: str) -> str:
    contents = open_voice_pack(setting).contents
    if contents.language != language:
        return f"the voice pack is in {contents.language} and keeps quiet"
    return f"{count_with_noun(len(contents.clips), 'sentence')} of the voice pack before them"


def _check_event_name(event: str, names: set[str]) -> None:
    """Whether anything is called so, or begins so; what is spoken without a clip is in no list."""
    listed = any(f"{name}.".startswith(f"{event}.") for name in names)
    if not listed and not any(free in f".{event}." or f"{event}.".startswith(free) for free in CLIPLESS_KEYS):
        raise InputError(f"sound.events names {event!r}, but no sound is called that.")


REQUIRED_LIBRARIES = ("gpiozero", "msgspec", "numpy", "platformdirs", "tomlkit")
MAX_SHOWN = 3
SERVICE_USER = "companion"
"""As whom the table runs that starts with the machine."""


class PartFinding(Value, frozen=True):
    """The state of one part."""

    part: str
    state: CheckState
    """`absent`: the game goes on without it; `fault`: somebody has to do something."""
    what: str
    fix: str = ""


Check = Callable[[Machine, Settings], CheckVerdict]
OpeningCheck = Callable[[Machine, Settings, Devices | None], CheckVerdict]


def run_checks(machine: Machine, settings: Settings, devices: Devices | None = None) -> Iterator[PartFinding]:
    """Every part in the order a builder meets them, other packages, then what is wrong with games.

    `devices`: how each part is opened; None: nothing is, because the table that asks has them itself.
    """
    for part, check in {**table_checks(devices), **load_extensions("companion.checks")}.items():
        try:
            yield PartFinding(part, *check(machine, settings))
        except Exception as trouble:  # noqa: BLE001 - a doctor that falls ill helps nobody
            yield PartFinding(
                part, "fault", f"couldn't be checked: {trouble}", "please report this (companion report)"
            )
    for name, why in find_broken_games().items():
        yield PartFinding(f"game {name}", "fault", why, "update or remove the package that brings it")
    for name, why in find_missing_parts():
        yield PartFinding(
            f"game {name}", "fault", why, "write it, or leave that field out of the game's record"
        )
    yield from _broken_catalogues()
    for folder, why in installed_languages.find_broken_languages(machine.environ).items():
        yield PartFinding(f"language {folder.name}", "fault", why, "fix that file, or move the folder away")


def _broken_catalogues() -> Iterator[PartFinding]:
    """The catalogues of games from outside that cannot be read, each left out by the screen."""
    from companion.language.language import LanguageError, game_catalogues

    for code in installed_languages.language_codes():
        for source, catalogue in game_catalogues(code):
            if isinstance(catalogue, LanguageError):
                yield PartFinding(f"sentences {source.stem}", "fault", str(catalogue), "fix that line")


def python(machine: Machine, settings: Settings) -> CheckVerdict:
    missing = [name for name in REQUIRED_LIBRARIES if machine.version(name) is None]
    pygames = [name for name in ("pygame", "pygame-ce") if machine.version(name)]
    if len(pygames) > 1:
        what = "pygame and pygame-ce are both installed and overwrite each other"
        return fault_verdict(what, "pip uninstall pygame pygame-ce, then install one of them")
    if not pygames:
        missing.append("pygame" if sys.version_info < (3, 14) else "pygame-ce")
    if missing == ["pygame"] and machine.is_pi():  # the wheel's draws on no bare screen
        return fault_verdict("not installed: pygame", machine.package_remedy("python3-pygame", "pygame"))
    if missing:
        return fault_verdict(f"not installed: {', '.join(missing)}", f"pip install {' '.join(missing)}")
    if "pygame" in pygames and _is_older(machine.version("pygame") or "", MIN_PYGAME):
        what = f"pygame {machine.version('pygame')} is too old, as bookworm's is: it has to be {MIN_PYGAME}"
        return fault_verdict(what, "use trixie; on a desktop, or a laptop, pip install pygame")
    names = ("numpy", "gpiozero", *pygames)
    listed = ", ".join(f"{name} {machine.version(name)}" for name in names)
    return ok_verdict(f"Python {sys.version.partition(' ')[0]}, {listed}")


MIN_PYGAME = "2.6"
"""As pyproject.toml has it."""


def _is_older(version: str, least: str) -> bool:
    """Whether a version's first two numbers are below another's."""
    first, other = (tuple(map(int, re.findall(r"\d+", one)[:2])) for one in (version, least))
    return first < other


def opencv(machine: Machine, settings: Settings) -> CheckVerdict:
    full, headless = machine.version("opencv-python"), machine.version("opencv-python-headless")
    if full and not machine.has_libgl():
        fix = "python -m companion.system.setup_opencv (or: sudo apt install libgl1)"
        return fault_verdict(
            f"opencv-python {full} needs libGL.so.1 and libgthread-2.0.so.0, and one is missing", fix
        )
    if full or headless:
        return ok_verdict(f"opencv-python {full}" if full else f"opencv-python-headless {headless}")
    if machine.module("cv2"):
        return ok_verdict("OpenCV from the system's packages")
    return fault_verdict("OpenCV is not installed", "pip install opencv-python-headless")


def certificate(machine: Machine, settings: Settings) -> CheckVerdict:
    """What `companion press --certify` found last."""
    from companion.cli.checks.button_certificate import load_certificate

    folder = settings.store_folder(machine.environ)
    again = "companion press --certify"
    if settings.buttons.learned or machine.joysticks():
        again = f"{again}; of USB buttons: companion press --usb --certify"
    try:
        found = load_certificate(folder)
    except ValueError as trouble:
        return fault_verdict(f"can't read it ({trouble})", again)
    if found is None:
        return absent_verdict("the buttons have not been measured", again)
    day = found.date.partition("T")[0]
    if found.simulated:
        return absent_verdict(f"only simulated buttons were measured ({day})", again)
    if found.faulty:
        worst = "; ".join(f"{button.button} {button.faults[0]}" for button in found.faulty)
        return fault_verdict(f"{day}: {worst}", f"fix that, then {again}")
    return ok_verdict(f"{day}, {found.worst}")


def encoder(machine: Machine, settings: Settings) -> CheckVerdict:
    sticks, learned = machine.joysticks(), settings.buttons.learned
    told = (machine.read_text(f"sys/class/input/{stick.name}/device/name") for stick in sticks)
    named = list(filter(None, told))
    wanted = "" if learned else settings.buttons.usb_device
    if _is_missing(wanted, named, sticks):
        fix = f"set buttons.usb_device to one of: {', '.join(named)}" if named else "plug it in"
        return fault_verdict(f"no USB encoder is called {wanted!r}", fix)
    if not sticks and not learned and (boards := keyboard_boards(machine)):
        what = f"{', '.join(boards)} types as a keyboard, and none of its keys is a button yet"
        fix = "teach them: Settings, USB buttons; or companion press --learn"
        return absent_verdict(what, fix if _may_read_encoder(machine) else machine.join_groups("input"))
    if not sticks and not learned:
        fix = "one that types as a keyboard is learnt: Settings, USB buttons; or companion press --learn"
        return absent_verdict("no USB arcade encoder connected", fix)
    if not _may_read_encoder(machine):
        return fault_verdict("this user may not read /dev/input/event*", machine.join_groups("input"))
    found = f"{count_with_noun(len(learned), 'button')} learnt" if learned else f"{len(sticks)} found"
    fix = f"companion press --usb; {DIRECTION_REMEDY}"
    if gone := _missing_devices(machine, learned):
        what = f"{found}, but not there now: {', '.join(gone)}"
        wake = bluetooth_off_remedy(machine) or "wake it by a press"
        anew = f"; or learn {', '.join(named)} instead: Settings, USB buttons" if named else ""
        return untried_verdict(what, f"plug it in, or {wake}{anew}; then {fix}")
    if len(sticks) > 1 and not learned and not settings.buttons.usb_device:
        found = f"{found} ({', '.join(named)}), of which the first is read"
        fix = (
            "Settings, USB buttons, or companion press --learn, learns the buttons of all; to have another "
            "read alone, name it in buttons.usb_device"
        )
    return untried_verdict(f"{found}, read with the kernel's stamps, not pressed now", fix)


DIRECTION_REMEDY = (
    "one without effect sits in a socket for directions: move its plug to K1 to K11; one that counts many "
    "times: switch the encoder's turbo off"
)
"""Of an encoder's buttons."""


def _is_missing(wanted: str, named: Collection[str], sticks: Collection[Path]) -> bool:
    """Whether no joystick has `wanted` in its name, as far as their names are known."""
    is_known = bool(wanted) and not wanted.startswith("/") and (bool(named) or not sticks)
    return is_known and not any(wanted.lower() in name.lower() for name in named)


def _missing_devices(machine: Machine, learned: Mapping[str, str]) -> list[str]:
    """Devices of learnt keys that are not plugged in, as far as the kernel tells what is."""
    places = [path.relative_to(machine.root) for path in machine.find("sys/class/input/event*/device")]
    known = {machine.read_text(f"{place}/{what}") for place in places for what in ("name", "phys", "uniq")}
    wanted = dict.fromkeys(text.partition("@")[2] for text in learned.values())
    return [device for device in wanted if places and device not in known and not device.startswith("/")]


def _may_read_encoder(machine: Machine) -> bool:
    """Whether this user may read what joysticks tell; where nothing says which those are, anything."""
    links = machine.find("sys/class/input/js*/device/event*")
    if links:
        return all(is_readable(machine.root / "dev/input" / link.name) for link in links)
    return any(map(is_readable, machine.find("dev/input/event*")))


def calibration(machine: Machine, settings: Settings) -> CheckVerdict:

    return check_table_calibration(machine, settings)


def speech(machine: Machine, settings: Settings) -> CheckVerdict:
    language = settings.table.language
    roots = {*all_asset_folders(), installed_languages.find_language(language).root}
    clips = sum(1 for folder in roots for _ in folder.glob(f"clips/{language}/**/*.ogg"))
    espeak = machine.which("espeak-ng")
    neural = language == neural_speech.LANGUAGE and neural_speech.is_installed()
    live = "hibari" if neural else "espeak-ng" if espeak else ""
    free = f"other text through {live}" if live else "other text on the screen only"
    if settings.sound.voice_pack or settings.sound.events:
        try:
            free = "; ".join([*describe_custom_sounds(settings.sound, language), free])
        except CompanionError as trouble:
            return fault_verdict(str(trouble).rstrip("."), "correct [sound] in the settings")
    fix = "" if live else _package_hint(machine, "espeak-ng")
    if not clips:
        state: Literal["absent", "fault"] = "absent" if live else "fault"
        return CheckVerdict(state, f"no clips in {language}; {free}", "make clips (needs espeak-ng)")
    return ok_verdict(f"{clips} clips in {language}; {free}", fix)


ON_NETWORK = frozenset({"cifs", "nfs", "nfs4", "fuse.sshfs", "9p"})
"""Kinds of file systems, as the kernel lists them."""


def _disk_fault(machine: Machine, folder: Path) -> CheckVerdict | None:
    """Whether a disk forgets at power-off, or is another machine's."""
    kind = find_file_system(machine, folder)
    if kind in IN_MEMORY and machine.is_pi():
        what = f"{folder} forgets everything when the Pi is switched off ({kind})"
        fix = "sudo raspi-config nonint disable_overlayfs, then restart" if kind == "overlay" else ""
        return fault_verdict(what, fix or "set storage.folder to a folder on the card or a disk")
    if kind in ON_NETWORK:
        what = f"{folder} is another machine's ({kind}): without the network nothing is kept"
        return fault_verdict(what, "set storage.folder to a folder of this machine")
    return None


SLOW_WRITE = 0.3
"""Seconds; a ruling is told once it is kept, so a card that takes as long makes the voice late."""


def storage(machine: Machine, settings: Settings, devices: Devices | None = None) -> CheckVerdict:
    from companion.programs.store_responder import open_store

    folder = settings.store_folder(machine.environ)
    there = next(place for place in (folder, *folder.parents) if is_there(place))
    if (owner := other_owner(folder)) == SERVICE_USER:
        what = f"this table in {folder} is the service's; another user only reads it"
        return untried_verdict(what, f"sudo -u {owner} companion doctor")
    if (foreign := find_foreign_file(folder)) is not None:
        return fault_verdict(f"{foreign}, so no game can be kept", foreign.command)
    if not (there.is_dir() and os.access(there, os.W_OK)):
        what = f"can't write to {folder}: a power cut would lose your games"
        if sys.platform != "win32" and os.statvfs(there).f_flag & os.ST_RDONLY:
            fix = "back up to a stick (companion backup), then use a new card, or set storage.folder"
            return fault_verdict(f"{there} is read-only, as an SD card that fails: {what}", fix)
        whose = f" (it belongs to {owner})" if owner else ""
        own = f"sudo chown -R $USER: {folder}" if is_there(folder) else f"sudo install -d -o $USER {folder}"
        return fault_verdict(f"{what}{whose}", f"{own}; or set storage.folder")
    if (forgets := _disk_fault(machine, there)) is not None:
        return forgets
    free = shutil.disk_usage(there).free
    if free < MIN_FREE_BYTES:
        room = "make room: sudo apt clean; sudo journalctl --vacuum-size=100M; companion forget --pictures"
        if has_unused_card(machine):
            room = (
                "its system uses a part of the card: sudo raspi-config nonint do_expand_rootfs, then restart"
            )
        return fault_verdict(f"only {free // 1_000_000} MB are free in {there}", room)
    if lacks_inodes(there):
        return fault_verdict(f"{NO_INODES} in {there}", "make room: delete folders with many small files")
    if failing := machine.find_disk_errors():
        what = f"the kernel's log has errors of {failing}, as of an SD card that fails"
        return fault_verdict(what, f"{CARD_REMEDY}; on USB another cable or socket first")
    try:
        with open_store(settings) as store:
            games = store.count_games()
            damaged = sum(game.problem in {"altered", "damaged", "foreign"} for game in store.iterate_games())
            waiting = [path.name for path, _ in store.find_unrestored()]
    except CompanionError as trouble:
        return fault_verdict(str(trouble), "move that file away; the next game makes a new one")
    file = settings.store_file()
    if damaged:
        fix = "companion games names them; save what is left with companion export GAME FILE --salvage"
        return fault_verdict(f"{count_with_noun(damaged, 'game')} in {file} can't be opened", fix)
    if waiting:
        fix = "close every other program that has the games open, then start the table once"
        return fault_verdict(f"a game was cut short: its end is in {waiting[0]} alone", fix)
    if has_second_name(file):
        what = f"{file} has a second name on its disk (a hard link), so no game can be played"
        return fault_verdict(what, "copy it, and put the copy in its place (cp FILE COPY, then mv COPY FILE)")
    lock = side_file(file, ".lock")
    if os.path.lexists(lock) and not (lock.is_file() and os.access(lock, os.W_OK)):
        return fault_verdict(f"{lock} cannot be opened, so no game can be played", "move it away")
    if file.exists() and not os.access(file, os.W_OK):
        what = f"this user may not write {file}, so new games are not kept"
        return fault_verdict(what, f"sudo chown -R {folder.owner()}: {folder}")
    if devices is not None and (seconds := devices.write_time(there)) > SLOW_WRITE:
        what = f"{there} took {seconds:.1f} s to keep a page: the voice comes as late"
        return absent_verdict(what, "use a faster card (A1 or A2), or set storage.folder to a disk on USB")
    held = count_with_noun(games, "game")
    return ok_verdict(f"{held} in {folder}, {free // 1_000_000} MB free")


def updates(machine: Machine, settings: Settings) -> CheckVerdict:
    """Whose bundles this table installs."""
    try:
        key = owner_key(machine.root)
    except CompanionError as trouble:
        what, _, fix = str(trouble).rstrip(".").partition(": ")
        return fault_verdict(what, fix)
    if key is None:
        return absent_verdict(
            "no key: a bundle needs the owner's PIN for updates (sudo companion update --new-pin), or sudo"
        )
    if machine.which("ssh-keygen") is None:
        what = "ssh-keygen, which checks the signature of a bundle, is not installed"
        return fault_verdict(what, _package_hint(machine, "openssh-client"))
    return ok_verdict(f"only bundles signed with {key.split()[1][-MAX_SHOWN * 4 :]}")


def page(machine: Machine, settings: Settings) -> CheckVerdict:

    return check_web_page(machine)


def club(machine: Machine, settings: Settings) -> CheckVerdict:
    from companion.cli.checks.club_check import check_uplink

    return check_uplink(machine, settings, with_club=bool(find_extensions("companion.uplink")))


def language(machine: Machine, settings: Settings) -> CheckVerdict:
    from companion.language.language import load_catalogue

    wanted = settings.table.language
    found = installed_languages.installed_languages(machine.environ).get(wanted)
    own = found is not None and found.root != bundled_assets_folder()
    try:
        load_catalogue((bundled_assets_folder() if found is None else found.root) / "locale", wanted)
    except CompanionError as trouble:
        fix = "fix that line" if own else "reinstall the program; in a checkout: make test"
        return fault_verdict(str(trouble), fix)
    return ok_verdict(wanted)


def table_checks(devices: Devices | None) -> dict[str, Check]:
    """The checks of a table by their parts, in the order a builder meets these."""

    def opening(check: OpeningCheck) -> Check:
        return lambda machine, settings: check(machine, settings, devices)

    found: list[PinTrial | CheckVerdict] = []

    def try_once(machine: Machine, settings: Settings, _: Devices | None) -> PinTrial | CheckVerdict:
        """Every pin is opened once for buttons and lamps."""
        if not found:
            found.append(try_pins(machine, settings, devices))
        return found[0]

    return {
        "system": system,
        "power": opening(power),
        "clock": clock,
        "settings": check_settings,
        "python": python,
        "opencv": opencv,
        "pins": lambda machine, settings: pins(machine, settings, devices, try_once),
        "certificate": certificate,
        "lamps": lambda machine, settings: lamps(machine, settings, devices, try_once),
        "encoder": encoder,
        "camera": opening(camera),
        "calibration": calibration,
        "screen": opening(screen),
        "sound": opening(sound),
        "speech": speech,
        "storage": opening(storage),
        "service": opening(service),
        "updates": updates,
        "page": page,
        "club": club,
        "language": language,
        "decks": decks,
    }


def _package_hint(machine: Machine, package: str) -> str:
    return f"sudo apt install {package}" if machine.platform == "linux" else f"install {package}"
