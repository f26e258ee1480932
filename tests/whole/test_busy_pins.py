"""A table of which a pin is taken: the other buttons play, and people are told whose button is missing."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from gpiozero.pins.local import LocalPiFactory

from companion.camera import CALIBRATION_FILE
from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from companion.core.switch import Edge
from companion.core.view import Sentence
from companion.language.language import Language
from companion.programs.build_app import build_runtime
from companion.settings.model import ButtonSettings, CameraSettings, Settings, StorageSettings, TableSettings
from companion.system.machine import Machine
from companion.table import real_host
from companion.table.real_host import BLINK_TIME, TableHost
from companion.table.trouble_watch import WATCH_INTERVAL
from hardware.errors import EncoderError, EncoderForbiddenError, GpioForbiddenError
from hardware.gpiod_pins import GpiodFactory
from hardware.input_devices import FORBIDDEN
from hardware.usb_encoder import UsbButtons
from tests.hardware.kernel_lines import Gpiod, Kind, Value
from tests.hardware.test_gpiod_pins import PATIENCE
from tests.programs.pi_matrix.faults import MAKEY

Build = Callable[..., TableHost]


@pytest.fixture
def gpiod() -> Gpiod:
    return Gpiod()


@pytest.fixture
def build(gpiod: Gpiod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    """A table with so many chairs on these lines."""
    built: list[TableHost] = []
    factories: list[GpiodFactory] = []

    def open_pins(chip: int) -> GpiodFactory:
        factories.append(GpiodFactory(0, gpiod))
        return factories[-1]

    def make(
        chairs: int = 8,
        machine: Machine | None = None,
        *,
        pins: dict[str, int] | None = None,
        learned: dict[str, str] | None = None,
        mistake: str = "",
        camera: Any = "none",
    ) -> TableHost:
        settings = Settings(
            storage=StorageSettings(folder=str(tmp_path)),
            camera=CameraSettings(kind=camera),
            buttons=ButtonSettings(pins=pins or {}, learned=learned or {}),
            table=TableSettings(chairs=chairs),
            mistake=mistake,
        )
        settings.store_folder().mkdir(exist_ok=True)
        shared = build_runtime(settings, ManualClock(), silent=True)
        built.append(TableHost(settings, shared, machine=machine or Machine(root=tmp_path)))
        return built[-1]

    monkeypatch.setattr(GpiodFactory, "_get_revision", lambda _: 0xC03115)
    monkeypatch.setattr(real_host, "open_pin_factory", open_pins)
    yield make
    for host in built:
        host.close()
    for factory in factories:
        factory.close()


def test_where_no_screen_answers_all_lamps_blink_for_a_while(build: Build, gpiod: Gpiod) -> None:
    host = build(chairs=4)
    clock = host.clock
    assert isinstance(clock, ManualClock)
    lamps = (23, 24, 10, 9)

    def lit() -> set[bool]:
        host.show_lamps(frozenset({0}))
        return {gpiod.held[pin].level is Value.ACTIVE for pin in lamps}

    assert lit() == {True, False}
    host.tell_screen_dark()
    seen = []
    for _ in range(4):
        seen.append(lit())
        clock.move_to(clock.now() + SECOND // 8)
    assert seen in ([{True}, {False}] * 2, [{False}, {True}] * 2)
    clock.move_to(clock.now() + BLINK_TIME)
    assert lit() == {True, False}


def test_a_screen_that_goes_dark_in_a_game_is_told_once(
    build: Build, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    host = build()
    state = tmp_path / "sys/class/drm/card1-HDMI-A-1/status"
    state.parent.mkdir(parents=True)
    told = []
    for status in ("connected", "disconnected", "disconnected"):
        state.write_text(f"{status}\n")
        host._watch_screen()
        assert isinstance(host.clock, ManualClock)
        host.clock.move_to(host.clock.now() + WATCH_INTERVAL)
        told.append(caplog.text.count("No screen answers any more"))
    assert told == [0, 1, 1]


def test_only_the_pins_of_this_table_s_chairs_are_opened(build: Build, gpiod: Gpiod) -> None:
    gpiod.take(8, "spi0 CS0")
    gpiod.take(7, "spi0 CS1")
    assert build(chairs=4).warnings() == ()
    assert {17, 27, 22, 5, 23, 24, 10, 9} < gpiod.held.keys()
    assert not {6, 26, 11, 13, 12, 16} & gpiod.held.keys()


def test_a_taken_pin_silences_one_button_and_screen_and_log_name_who_has_it(
    build: Build, gpiod: Gpiod, caplog: pytest.LogCaptureFixture
) -> None:
    gpiod.take(7, "spi0 CS1")
    host = build()
    assert host._buttons is not None
    assert len(host._buttons.read_levels()) == 10
    (note,) = host.warnings()
    assert note == Sentence("shared.pin.off", (("chair", 7), ("holder", "SPI")))
    said = Language("en").text(note)
    assert said.endswith("’s button isn’t read: SPI has its pin. Switch SPI off.")
    (record,) = [one for one in caplog.records if "BCM" in one.getMessage()]
    assert record.levelno == logging.WARNING
    assert record.getMessage() == (
        "BCM 7 (button 8) is in use by spi0 CS1: switch SPI off: "
        "sudo raspi-config nonint do_spi 1, then restart."
    )


def test_a_shared_button_a_lamp_and_a_program_are_named_too(build: Build, gpiod: Gpiod) -> None:
    gpiod.take(4, "onewire@4")
    gpiod.take(23, "fan")
    gpiod.take(17, "music-box")
    host = build()
    assert host._lamps is not None
    said = [Language("en").text(note) for note in host.warnings()]
    assert said == [
        "Red’s button isn’t read: “music-box” has its pin. End it.",
        "The Next button isn’t read: 1-Wire has its pin. Switch 1-Wire off.",
        "Red’s lamp stays dark: “fan” has its pin. End it.",
    ]


def test_a_pin_that_config_txt_gives_to_the_kernel_names_the_line(
    build: Build, gpiod: Gpiod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "boot/firmware").mkdir(parents=True)
    (tmp_path / "boot/firmware/config.txt").write_text("dtoverlay=gpio-shutdown,gpio_pin=3\n")
    monkeypatch.setattr(GpiodFactory, "root", tmp_path, raising=False)
    gpiod.take(3, "shutdown")
    (note,) = build(chairs=2).warnings()
    assert note == Sentence("shared.pin.config", (("button", "ok"), ("line", "dtoverlay=gpio-shutdown")))
    said = "The OK button isn’t read: dtoverlay=gpio-shutdown in config.txt has its pin. Take that line out."
    assert Language("en").text(note) == said


def test_a_button_that_is_down_at_the_start_is_told_until_it_rests_up(
    build: Build, gpiod: Gpiod, caplog: pytest.LogCaptureFixture
) -> None:
    gpiod.levels[22] = Value.INACTIVE
    host = build(chairs=4)
    assert isinstance(host.clock, ManualClock)
    (note,) = host.warnings()
    said = "Green’s button is down: let it go. If nobody holds it, its wires are on NC, or touch."
    assert Language("en").text(note) == said
    assert "The button 3 is down" in caplog.text
    # Pressed for a second, on NC it is up; then it is down again, and then let go for good.
    for second, level in ((1, Value.ACTIVE), (2, Value.INACTIVE), (4, Value.ACTIVE)):
        gpiod.levels[22] = level
        host.clock.move_to(second * SECOND)
        host.tick()
        assert host.is_stuck(2, "seat")
    host.clock.move_to(5 * SECOND)
    host.tick()
    assert not host.is_stuck(2, "seat")
    assert host.warnings() == ()


def test_a_round_takes_the_edges_that_the_kernel_has_and_waits_for_no_other_thread(
    build: Build, gpiod: Gpiod
) -> None:
    """Beside busy loops the pins' thread had no turn for 40 ms: of 188 hands in time two were lost."""
    host = build(chairs=4)
    gpiod.held[17].edge(Kind.FALLING_EDGE, 5 * 10**9, 1)
    reports = iter(lambda: host._inbox.get(timeout=PATIENCE), "none is the last")
    assert next(one for one in reports if one is None or isinstance(one, Edge)) is None, "it only wakes"
    host.tick()
    assert next(reports) == Edge(0, "seat", level=True, at=5 * SECOND)


def test_pins_that_do_not_open_at_all_are_told_on_a_pi_and_nowhere_else(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def forbidden(chip: int) -> GpiodFactory:
        raise GpioForbiddenError("You may not open /dev/gpiochip0.")

    monkeypatch.setattr(real_host, "open_pin_factory", forbidden)
    assert build().warnings() == ()
    model = tmp_path / "proc/device-tree/model"
    model.parent.mkdir(parents=True)
    model.write_text("Raspberry Pi 4 Model B Rev 1.4\0")
    assert build().warnings() == (Sentence("shared.trouble.pins"),)
    assert "You may not open /dev/gpiochip0." in caplog.text


def test_an_alarm_about_the_supply_is_on_the_screen_and_in_the_log(
    build: Build, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kernel = tmp_path / "sys/class/hwmon/hwmon1"
    kernel.mkdir(parents=True)
    (kernel / "name").write_text("rpi_volt\n")
    (kernel / "in0_lcrit_alarm").write_text("1\n")
    host = build(chairs=4)
    host.warnings()
    host.health.close()
    assert host.warnings() == (Sentence("shared.trouble.supply"),)
    assert "power supply gives, or gave, too little" in caplog.text


def test_one_thread_looks_after_the_machine_every_ten_seconds(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    host = build(chairs=2)
    assert isinstance(host.clock, ManualClock)
    monkeypatch.setattr(host.health, "_look_at_all", begun.append)
    monkeypatch.setattr(Thread, "start", Thread.run)
    host._reader.begin_game("kabuki", 0)
    for at in range(0, 25 * SECOND, SECOND // 2):
        host.clock.move_to(at)
        host.tick()
    assert begun == [0, 10 * SECOND, 20 * SECOND]


@pytest.mark.parametrize("firmware", ["throttled=0x50000", "throttled=0x1"])
def test_too_little_power_that_begins_in_a_game_is_told_there_once(
    build: Build, tmp_path: Path, caplog: pytest.LogCaptureFixture, firmware: str
) -> None:
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_text("Raspberry Pi 4 Model B Rev 1.4\0")
    said = ["throttled=0x0"]
    host = build(chairs=2, machine=Machine(root=tmp_path, output=lambda *_: said[0]))
    assert isinstance(host.clock, ManualClock)
    host._reader.begin_game("kabuki", 0)

    def go_on(at: int) -> Sentence | None:
        assert isinstance(host.clock, ManualClock)
        host.clock.move_to(at)
        host.tick()
        host.health.close()  # looks have threads of their own
        return host.parts_trouble()

    assert go_on(SECOND) is None
    said[0] = firmware
    assert go_on(11 * SECOND) == Sentence("shared.trouble.supply")
    assert go_on(21 * SECOND) == Sentence("shared.trouble.supply")
    assert go_on(40 * SECOND) is None
    assert caplog.text.count("power supply gives, or gave, too little") == 1


def test_a_board_that_types_is_told_until_its_keys_are_learnt(
    build: Build, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "proc/bus/input").mkdir(parents=True)
    (tmp_path / "proc/bus/input/devices").write_text(MAKEY)
    assert build(chairs=2).warnings() == (Sentence("shared.trouble.board"),)
    assert "JoyLabz Makey Makey v1.20aa13 types as a keyboard: teach its keys" in caplog.text
    assert build(chairs=2, learned={"1": "17@JoyLabz Makey Makey v1.20aa13"}).warnings() == ()


def test_a_table_that_closes_leaves_no_pin_to_the_next(build: Build) -> None:
    """gpiozero keeps one set of pins for all factories of a process."""
    build(chairs=2).close()
    assert LocalPiFactory.pins == {}


def test_two_parts_on_one_pin_are_named_with_it_by_screen_and_log(
    build: Build, caplog: pytest.LogCaptureFixture
) -> None:
    host = build(pins={"1": 27})
    assert host.parts.failed_parts() == ()
    (note,) = host.warnings()
    said = Language("en").text(note)
    assert said == (
        "buttons.pins.1 and buttons.pins.2 have the same pin, BCM 27: no button on pins is read, "
        "all lamps stay dark. Change one in the settings."
    )
    (record,) = [one for one in caplog.records if "BCM" in one.getMessage()]
    assert record.getMessage() == (
        "buttons.pins.1 and buttons.pins.2 are both on BCM 27 (pin 13): give one of them another pin. "
        "(until then no button on a pin is read, and the lamps stay dark)"
    )


LEARNED = {"1": "288@DragonRise Inc. Generic USB Joystick"}


def test_where_the_buttons_are_on_usb_nobody_hears_of_pins_that_were_never_wired(
    build: Build,
    gpiod: Gpiod,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def forbidden(chip: int) -> GpiodFactory:
        raise GpioForbiddenError("You may not open /dev/gpiochip0.")

    gpiod.take(7, "spi0 CS1")
    gpiod.take(23, "fan")
    host = build(learned=LEARNED)
    assert host.warnings() == ()
    assert not host.has_mixed_sources(), "nobody presses a pin"
    model = tmp_path / "proc/device-tree/model"
    model.parent.mkdir(parents=True)
    model.write_text("Raspberry Pi 4 Model B Rev 1.4\0")
    monkeypatch.setattr(real_host, "open_pin_factory", forbidden)
    assert build(learned=LEARNED).warnings() == ()
    assert not [one for one in caplog.records if one.levelno >= logging.WARNING]


def test_once_usb_buttons_are_learnt_nobody_hears_of_pins_any_more(build: Build, gpiod: Gpiod) -> None:
    gpiod.take(7, "spi0 CS1")
    host = build()
    assert len(host.warnings()) == 1
    host._use_usb_buttons(LEARNED)
    assert host.warnings() == ()
    assert not host.needs_keyboard()


def test_which_loudspeaker_is_asked_until_one_was_chosen(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(real_host, "has_unchosen_outputs", lambda: True)
    host = build(chairs=4)
    assert host.warnings() == (Sentence("ui.outputs.unchosen"),)
    host.is_output_chosen = True
    assert host.warnings() == ()


def test_a_table_without_a_camera_says_nothing_of_it_until_one_was_set_up(build: Build) -> None:
    host, none = build(chairs=4, camera="auto"), Sentence("shared.trouble.no_camera")
    assert host._worker is not None
    host._worker.trouble = none
    assert host.warnings() == ()
    host._worker.has_delivered = True
    assert host.warnings() == (none,), "it was there, and is gone"
    host._worker.has_delivered, host._worker.trouble = False, Sentence("shared.trouble.no_driver")
    assert host.warnings() == (host._worker.trouble,), "it is plugged in"
    host._worker.trouble = none
    calibrated = host.settings.store_folder() / CALIBRATION_FILE
    calibrated.parent.mkdir(parents=True, exist_ok=True)
    calibrated.write_text("{}")
    assert host.warnings() == (none,), "the table was set up with one"


def test_what_keeps_people_from_playing_is_told_before_what_they_may_choose(
    build: Build, gpiod: Gpiod, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(real_host, "has_unchosen_outputs", lambda: True)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=3_000_000))
    gpiod.take(17, "fan")
    told = [note.key for note in build(chairs=2).warnings()]
    assert told == ["shared.trouble.storage", "shared.pin.held", "ui.outputs.unchosen"]


def test_pins_that_the_settings_name_are_wired_beside_usb_buttons_too(build: Build, gpiod: Gpiod) -> None:
    gpiod.take(25, "fan")
    (note,) = build(pins={"2": 25}, learned=LEARNED).warnings()
    assert note == Sentence("shared.pin.held", (("chair", 1), ("holder", "fan")))


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("ALSA: Couldn't open audio device: Device or resource busy", "another program has the loudspeaker"),
        ("ALSA: Couldn't open audio device: Permission denied", "this user may not open the sound card"),
        ("there is no sound card", "plug in a loudspeaker"),
    ],
)
def test_why_nothing_is_heard_is_told_as_it_is(build: Build, reason: str, told: str) -> None:
    host = build(chairs=4)
    host.voice._output.silence_reason = reason  # type: ignore[misc]
    (note,) = host.warnings()
    assert told in Language("en").text(note)


def test_pins_in_the_header_s_numbers_are_told_though_they_open(
    build: Build, caplog: pytest.LogCaptureFixture
) -> None:
    (note,) = build(chairs=2, pins={"1": 11, "2": 13}).warnings()
    assert Language("en").text(note).startswith("buttons.pins.1 looks like a header number")
    assert "take such lines out" in caplog.text


def test_an_encoder_that_this_user_may_not_read_is_told_on_the_screen_and_in_the_log(
    build: Build, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def forbid(*_: object, **__: object) -> None:
        raise EncoderForbiddenError(FORBIDDEN)

    monkeypatch.setattr(real_host, "open_usb_buttons", forbid)
    assert build(chairs=2).warnings() == (Sentence("shared.trouble.encoder_forbidden"),)
    assert "sudo usermod -aG input $USER" in caplog.text


def test_an_encoder_that_is_plugged_in_after_the_start_is_read(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A hub wakes late, and udev lets this user read a device a moment after it is there."""
    answers: list[Any] = [EncoderError("There is no USB encoder."), EncoderForbiddenError(FORBIDDEN)]
    answers += [EncoderForbiddenError(FORBIDDEN), UsbButtons([])]

    def answer(*_: object, **__: object) -> UsbButtons:
        if isinstance(found := answers.pop(0), EncoderError):
            raise found
        return found

    monkeypatch.setattr(real_host, "open_usb_buttons", answer)
    host = build(chairs=2)
    assert isinstance(host.clock, ManualClock)
    for second in range(1, 10):
        host.clock.move_to(second * SECOND)
        host.tick()
    assert len(answers) == 3, "no joystick is plugged in"
    (tmp_path / "dev/input").mkdir(parents=True)
    (tmp_path / "dev/input/js0").touch()
    for second in range(10, 20):
        host.clock.move_to(second * SECOND)
        host.tick()
    assert answers == []
    assert host.warnings() == ()
    assert caplog.text.count(FORBIDDEN) == 1


def test_a_disk_without_room_is_told_before_a_game_and_no_longer_once_there_is_some(
    build: Build, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    free = [3_000_000]
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free[0]))
    host = build(chairs=2)
    assert host.warnings() == host.warnings() == (Sentence("shared.trouble.storage"),)
    assert caplog.text.count("Games can't be kept: only 3 MB are free") == 1
    free[0] = 3_000_000_000
    assert isinstance(host.clock, ManualClock)
    host.clock.move_to(10 * SECOND)
    assert host.warnings() == ()


def test_a_disk_that_may_not_be_written_is_told_before_a_game(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = build(chairs=2)
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    assert host.warnings() == (Sentence("shared.trouble.storage"),)


def test_a_card_that_forgets_is_told(build: Build, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_text("Raspberry Pi 4 Model B Rev 1.4\0")
    (tmp_path / "proc/self").mkdir()
    mounts = tmp_path / "proc/self/mounts"
    mounts.write_text("/dev/mmcblk0p2 / ext4 rw 0 0\n")
    assert Sentence("shared.trouble.forgets") not in build(chairs=2).warnings()
    mounts.write_text("overlayroot / overlay rw,lowerdir=/media/root-ro 0 0\n")
    assert Sentence("shared.trouble.forgets") in build(chairs=2).warnings()
    assert "The Pi forgets its games when it is switched off" in caplog.text


def test_a_pi_that_is_too_hot_is_told_until_it_has_cooled_down(
    build: Build, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    zone = tmp_path / "sys/class/thermal/thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "temp").write_text("84500\n")
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_text("Raspberry Pi 5 Model B Rev 1.0\0")
    host = build(chairs=2)
    assert host.warnings() == host.warnings() == (Sentence("shared.trouble.heat"),)
    assert caplog.text.count("The Pi is hotter than 80 °C") == 1
    (zone / "temp").write_text("61000\n")
    assert isinstance(host.clock, ManualClock)
    host.clock.move_to(10 * SECOND)
    assert host.warnings() == ()


def test_settings_with_a_mistake_are_told_on_the_screen(
    build: Build, caplog: pytest.LogCaptureFixture
) -> None:
    host = build(chairs=2, mistake="settings.toml, line 2: use straight quotes.")
    assert host.warnings() == (Sentence("shared.trouble.settings"),)
    assert "line 2: use straight quotes." in caplog.text


def test_a_settings_file_that_is_not_read_is_in_the_log(
    build: Build, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "etc/companion").mkdir(parents=True)
    (tmp_path / "etc/companion/settings.toml.txt").write_text("")
    build(chairs=2).warnings()
    assert "/etc/companion/settings.toml.txt is not read: rename it to settings.toml" in caplog.text


def test_a_webcam_without_a_driver_is_told_with_its_remedy(
    build: Build, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    webcam = tmp_path / "sys/bus/usb/devices/1-1.3:1.0"
    webcam.mkdir(parents=True)
    (webcam / "bInterfaceClass").write_text("0e\n")
    assert build(chairs=2).warnings() == (Sentence("shared.trouble.no_driver", (("part", "USB 1-1.3"),)),)
    assert "USB 1-1.3 has no driver, as after an update of the system: restart." in caplog.text


def test_a_clock_of_1970_is_told_until_a_network_tells_the_time(
    build: Build, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    now = ["1970-01-01T00:01:10+00:00"]
    host = build(chairs=2, machine=Machine(root=tmp_path, wall_time=lambda: now[0]))
    assert host.warnings() == (Sentence("shared.trouble.clock", (("date", "1970-01-01"),)),)
    assert "The clock says 1970-01-01T00:01:10+00:00" in caplog.text
    now[0] = "2026-11-29T20:00:00+00:00"
    assert host.warnings() == ()


def test_which_voice_is_asked_until_one_was_chosen(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_host, "list_packs", lambda code, named: [("/packs/ada", "Ada")])
    host = build(chairs=4)
    assert host.warnings() == (Sentence("ui.voice_pack.unchosen"),)
    host.is_voice_chosen = True
    assert host.warnings() == ()


def _plug_card(root: Path, id_: str, driver: str) -> None:
    (root / "proc/asound/card0/pcm0p").mkdir(parents=True, exist_ok=True)
    (root / "proc/asound/cards").write_text(f" 0 [{id_:<15}]: {driver} - {id_}\n{'':22}{id_}\n")


@pytest.mark.parametrize(
    ("id_", "driver", "mixer", "told", "logged"),
    [
        ("vc4hdmi0", "vc4-hdmi", "", "this screen has no loudspeakers", "plug in a loudspeaker on USB"),
        ("Device", "USB-Audio", "0 [0%] [off]", "muted, or turned down", "amixer -c Device set"),
        ("Device", "USB-Audio", "4 [4%] [on]", "muted, or turned down", "amixer -c Device set"),
    ],
)
def test_a_card_that_opens_and_is_not_heard_is_told_until_it_is(  # noqa: PLR0917
    build: Build,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    id_: str,
    driver: str,
    mixer: str,
    told: str,
    logged: str,
) -> None:
    _plug_card(tmp_path, id_, driver)
    now = [mixer]
    control = "Simple mixer control 'Speaker',0\n  Playback channels: Mono\n  Mono: Playback "
    machine = Machine(
        root=tmp_path, environ={}, platform="linux", output=lambda *_: control + now[0] if now[0] else ""
    )
    host = build(2, machine)
    for expected in (1, 0):
        host.warnings()
        host.health.close()
        assert [told in Language("en").text(note) for note in host.warnings()] == [True] * expected
        assert caplog.text.count(logged) == 1
        now[0] = "80 [80%] [on]"
        _plug_card(tmp_path, "Device", "USB-Audio")
        assert isinstance(host.clock, ManualClock)
        host.clock.move_to(host.clock.now() + 10 * SECOND)
