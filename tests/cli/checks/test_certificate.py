"""The certificate of a table's buttons: twenty presses each, kept with the table, told by the doctor."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from companion.cli import buttons
from companion.cli.checks import button_tester as _tester
from companion.cli.checks.button_certificate import (
    CERTIFICATE_FILE,
    REQUIRED_PRESSES,
    ButtonCertificate,
    ButtonCertifier,
    ButtonMeasurement,
    certificate_lines,
    load_certificate,
    save_certificate,
)
from companion.cli.checks.doctor import certificate
from companion.core.clock import GameClock, ManualClock
from companion.core.errors import CompanionError
from companion.core.switch import ButtonId as Button
from companion.core.switch import Edge
from companion.programs import standalone_buttons
from companion.settings.model import ButtonSettings, Settings, StorageSettings, TableSettings
from companion.system.machine import Machine
from hardware.pin_table import PinTable
from hardware.simulated_panel import SimulatedPanel
from hardware.usb_encoder import Repeat
from tests.programs.bench.switches import KINDS, USUAL, Kind, line

WANTED: list[Button] = [(0, "seat"), (2, "seat"), (None, "ok")]


class Bench:
    """Fingers on a simulated panel, a millisecond at a time."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.edges: list[object] = []
        self.panel = SimulatedPanel(self.clock, self.edges.append, chance=Random(3))
        self.tester = _tester.ButtonTester(
            self.clock, _tester.PartsUnderTest(levels=self.panel.buttons.read_levels)
        )
        self.certifier = ButtonCertifier(self.tester, WANTED)
        self.told: list[str] = []

    def until(self, end: int) -> None:
        for at in range(self.clock.now(), end + 1, 1_000):
            self.clock.move_to(at)
            self.panel.advance(at)
            while self.edges:
                self.tester.add_edge(self.edges.pop(0))  # type: ignore[arg-type]
            list(self.tester.report_presses())
            self.told += self.certifier.progress_lines()

    def press_all(self, times: int) -> None:
        start = self.clock.now() + 1_000
        for turn in range(times):
            for place, (chair, button) in enumerate(WANTED):
                self.panel.tap(chair, button, at=start + turn * 200_000 + place * 9_000)
        self.until(start + times * 200_000)


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.panel.close()


def test_it_is_done_when_every_button_was_pressed_twenty_times(bench: Bench) -> None:
    bench.press_all(REQUIRED_PRESSES - 1)
    assert not bench.certifier.done
    assert bench.certifier.missing_buttons() == ("chair 1", "chair 3", "ok")
    bench.press_all(1)
    assert bench.certifier.done
    assert [measured.presses for measured in bench.certifier.measurements()] == [REQUIRED_PRESSES] * 3
    assert any("20 of 20   (0 buttons to go)" in line for line in bench.told)


def test_a_button_that_a_table_may_lack_counts_once_it_was_pressed(bench: Bench) -> None:
    bench.certifier = ButtonCertifier(bench.tester, WANTED[:2], optional=WANTED[2:])
    assert bench.certifier.missing_buttons() == ("chair 1", "chair 3")
    bench.press_all(1)
    assert bench.certifier.missing_buttons() == ("chair 1", "chair 3", "ok")
    bench.press_all(REQUIRED_PRESSES)
    assert bench.certifier.done
    assert [one.button for one in bench.certifier.measurements()] == ["chair 1", "chair 3", "ok"]


@pytest.mark.parametrize("learned", [{}, {"1": "288@Pad", "2": "289@Pad"}])
def test_usb_buttons_are_measured_where_there_are_none_for_back_next_ok(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    learned: dict[str, str],
) -> None:
    from companion.cli.checks import button_certificate as _certify

    def on_usb(_: Settings, clock: GameClock, *table: Any) -> Any:
        _, fingers = standalone_buttons.simulate_buttons(clock, *table, Random(7))
        play = buttons._certification_presses([(0, "seat"), (1, "seat")])
        fingers.run_job(lambda panel: play(panel, clock.now() + 200_000))
        return Namespace(poll=lambda: 0, repeats=(Repeat((1, "seat"), 15, 0),))

    monkeypatch.setattr(_certify, "REQUIRED_PRESSES", 2)
    monkeypatch.setattr(standalone_buttons, "open_usb", on_usb)
    settings = Settings(
        storage=StorageSettings(folder=str(tmp_path)),
        table=TableSettings(chairs=2),
        buttons=ButtonSettings(learned=learned),
    )
    asked = Namespace(simulate=False, usb=True, learn=False, presses=None, certify=True, json=False)
    buttons.press_command(asked, settings)
    kept = load_certificate(settings.store_folder())
    assert kept is not None
    assert [(one.button, one.turbo) for one in kept.buttons] == [("chair 1", 0), ("chair 2", 15)]
    told = "repeats by itself 15 times a second: switch the encoder's turbo off, or plug it in again"
    assert kept.buttons[1].faults[0] == told
    assert f"chair 2 {told}" in certificate(Machine(), settings).what
    out = capsys.readouterr().out
    assert "Press each of the 2 buttons 2 times" in out
    assert ("Buttons for back, next, OK?" in out) is not bool(learned)


def test_who_stops_is_told_where_the_plug_of_a_silent_button_belongs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ctrl_c(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(standalone_buttons, "open_usb", lambda *_: Namespace(poll=lambda: 0, repeats=()))
    monkeypatch.setattr(buttons, "_wait_for_edges", ctrl_c)
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    asked = Namespace(simulate=False, usb=True, learn=False, presses=None, certify=True, json=False)
    assert buttons.press_command(asked, settings) == 1
    assert "on the switch's contacts (COM and NO), not on the lamp's" in capsys.readouterr().out


def test_bounce_delay_spikes_and_lost_edges_are_measured(bench: Bench) -> None:
    bench.panel.spike(0, at=100_000)
    bench.panel.press(2, at=200_000, bounce_ms=14.0, hold=110_000)
    bench.until(400_000)
    bench.press_all(REQUIRED_PRESSES)
    one, three, ok = bench.certifier.measurements()
    assert one.glitches == 1
    assert any("glitches" in fault for fault in one.faults)
    assert 12_000 < three.worst_bounce <= 14_000
    assert any("replace the switch" in fault for fault in three.faults)
    assert ok.faults == ()
    assert all(0 <= measured.delay <= measured.worst_delay <= 1_000 for measured in (one, three, ok))
    told = list(certificate_lines((one, three, ok)))
    assert len(told) == 1 + 3 + 2


def measured(kind: Kind) -> ButtonMeasurement:
    """Twenty presses of a button of that kind, each of 100 ms."""
    lines = [line(kind, turn * 400_000, Random(turn)) for turn in range(1, REQUIRED_PRESSES + 1)]
    clock = ManualClock()

    def levels() -> dict[Button, bool]:
        begun = [one for one in lines if one.press <= clock.now()]
        return {(0, "seat"): bool(begun) and begun[-1].level(clock.now())}

    tester = _tester.ButtonTester(clock, _tester.PartsUnderTest(levels=levels))
    edges = [Edge(0, "seat", level=level, at=at) for one in lines for at, level in one.heard]
    for at in range(0, (REQUIRED_PRESSES + 1) * 400_000, 2_000):
        clock.move_to(at)
        while edges and edges[0].at <= at:
            tester.add_edge(edges.pop(0))
        list(tester.report_presses())
    return ButtonCertifier(tester, [(0, "seat")]).measurements()[0]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_of_a_switch_worse_than_may_be_promised_for_it_says_that_it_is_to_be_replaced(kind: Kind) -> None:
    assert any("replace the switch" in fault for fault in measured(kind).faults)


def test_a_switch_that_bounces_as_most_do_is_not_replaced() -> None:
    assert measured(Kind("usual", USUAL, pairs=0)).faults == ()


GOOD = ButtonMeasurement("chair 1", "gpio", 20, 3_000, 400, 2_000, 0, 0)


def test_a_late_edge_is_held_against_a_real_table_and_not_against_simulated_hands() -> None:
    late = replace(GOOD, worst_delay=19_420)
    told = "a press arrived 19.4 ms late: the computer is overloaded"
    assert late.faults == (told,)
    real = ButtonCertificate("2026-11-21T10:00:00", "1.0", (GOOD, late))
    assert real.faulty == (late,)
    simulated = replace(real, simulated=True)
    assert simulated.faulty == ()
    assert any(told in line for line in certificate_lines(simulated.buttons)), "it is told all the same"
    worn = replace(late, worn=3)
    assert replace(simulated, buttons=(worn,)).faulty == (worn,)


def test_it_is_kept_with_the_table_and_read_again(tmp_path: Path) -> None:
    kept = ButtonCertificate("2026-11-21T10:00:00", "1.0", (GOOD,))
    assert save_certificate(kept, tmp_path / "table") == tmp_path / "table" / CERTIFICATE_FILE
    assert load_certificate(tmp_path / "table") == kept
    assert load_certificate(tmp_path) is None
    (tmp_path / CERTIFICATE_FILE).write_text("{")
    with pytest.raises(ValueError, match="truncated"):
        load_certificate(tmp_path)
    with pytest.raises(CompanionError, match="not saved"):
        save_certificate(kept, tmp_path / CERTIFICATE_FILE / "under")


def test_the_doctor_tells_it(tmp_path: Path) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    folder = settings.store_folder()
    machine = Machine(environ={})

    def told() -> tuple[str, str]:
        finding = certificate(machine, settings)
        return finding.state, finding.what

    assert told() == ("absent", "the buttons have not been measured")
    good = ButtonCertificate("2026-11-21T10:00:00", "1.0", (GOOD,))
    save_certificate(good, folder)
    assert told() == ("ok", "2026-11-21, 1 buttons: bounce up to 3.0 ms, delay up to 2.00 ms")
    save_certificate(replace(good, simulated=True), folder)
    assert told()[0] == "absent"
    save_certificate(replace(good, buttons=(replace(GOOD, lost=2),)), folder)
    assert told()[0] == "fault"
    assert "2 edges lost" in told()[1]
    (folder / CERTIFICATE_FILE).write_text("[]")
    assert told()[0] == "fault"


def test_where_there_are_usb_buttons_the_doctor_says_how_those_are_measured(tmp_path: Path) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    assert "--usb" not in certificate(Machine(environ={}, root=tmp_path), settings).fix
    (tmp_path / "dev/input").mkdir(parents=True)
    (tmp_path / "dev/input/js0").touch()
    assert certificate(Machine(environ={}, root=tmp_path), settings).fix.endswith("press --usb --certify")


def certified(settings: Settings, monkeypatch: pytest.MonkeyPatch, *, simulated: bool) -> int:
    """Two presses of each button by simulated fingers; on the pins unless `simulated`."""
    from companion.cli.checks import button_certificate as _certify

    def on_pins(_: Settings, pins: PinTable, clock: GameClock, *table: Any) -> tuple[Any, Any]:
        panel, fingers = standalone_buttons.simulate_buttons(clock, *table, Random(7), pins)
        play = buttons._certification_presses([line for line, _ in pins.buttons])
        fingers.run_job(lambda panel: play(panel, clock.now() + 200_000))
        return panel.buttons, panel.lamps

    monkeypatch.setattr(_certify, "REQUIRED_PRESSES", 2)
    monkeypatch.setattr(standalone_buttons, "open_pins", on_pins)
    asked = Namespace(simulate=simulated, usb=False, learn=False, presses=None, certify=True, json=False)
    return buttons.press_command(asked, settings)


def test_certifying_ends_by_itself_and_keeps_what_it_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    code = certified(settings, monkeypatch, simulated=False)
    kept = load_certificate(settings.store_folder())
    assert kept is not None
    assert len(kept.buttons) == 11
    out = capsys.readouterr().out
    assert "Press each of the 11 buttons 2 times" in out
    assert f"saved in {settings.store_folder()}" in out
    assert code == bool(kept.faulty)


def test_simulated_buttons_leave_the_certificate_of_the_real_ones_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    real = ButtonCertificate("2026-11-21T10:00:00", "1.0", (GOOD,))
    save_certificate(real, settings.store_folder())
    certified(settings, monkeypatch, simulated=True)
    assert load_certificate(settings.store_folder()) == real
    assert "simulated, so nothing was saved" in capsys.readouterr().out
