"""The verbs `press` and `wiring`, with a clock moved by hand."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from companion.cli import buttons
from companion.cli.checks import button_tester as _tester
from companion.core.clock import ManualClock
from companion.core.errors import InputError
from companion.programs.standalone_buttons import build_lamp_follower
from companion.settings.files import load_settings
from companion.settings.model import ButtonSettings, Settings, TableSettings
from hardware.pin_table import PHYSICAL_PINS, RESERVED_PINS, SHARED_BUTTON_NAMES, build_pin_table
from hardware.simulated_panel import SimulatedPanel
from hardware.usb_encoder import FIRST_BUTTON
from hardware.wiring_picture import POWER_PINS, draw_header_svg
from hardware.wiring_steps import (
    KNOWN_LENSES,
    MAX_PIN_AMPERES,
    MAX_TOTAL_AMPERES,
    bare_led_current,
    draw_wiring_steps,
)
from tests.hardware.input_kernel import InputKernel


def asked(**chosen: object) -> Namespace:
    return Namespace(**{"svg": None, "steps": None, "json": False, **chosen})


def simulated(presses: int | None) -> Namespace:
    return Namespace(simulate=True, usb=False, learn=False, presses=presses, certify=False, json=False)


class Bench:
    """A tester on a simulated panel; `until` lets time pass a millisecond at a time."""

    def __init__(self):
        self.clock, self.edges, self.lit = ManualClock(), [], []
        self.panel = SimulatedPanel(self.clock, self.edges.append, chance=Random(3))
        self.tester = _tester.ButtonTester(
            self.clock,
            _tester.PartsUnderTest(
                levels=self.panel.buttons.read_levels, show=build_lamp_follower(self.panel.lamps)
            ),
        )

    def until(self, end: int) -> list[str]:
        told: list[str] = []
        for at in range(self.clock.now(), end + 1, 1_000):
            self.clock.move_to(at)
            self.panel.advance(at)
            while self.edges:
                self.tester.add_edge(self.edges.pop(0))
            told += self.tester.report_presses()
            self.lit.append(self.panel.is_lamp_lit(2))
        return told


@pytest.fixture
def bench():
    bench = Bench()
    yield bench
    bench.panel.close()


def test_a_press_is_told_with_its_bounce_and_its_delay(bench: Bench):
    bench.panel.press(2, at=10_400, bounce_ms=0, hold=120_000)
    (line,) = bench.until(300_000)
    words = "chair 3 press 1 bounce 0.0 ms glitches 0 delay 0.60 ms"
    assert " ".join(line.split()) == words
    assert bench.tester.reported == 1


def test_the_lamp_is_lit_from_the_first_edge_until_the_button_is_let_go(bench: Bench):
    bench.panel.press(2, at=10_000, bounce_ms=3, hold=100_000)
    bench.until(300_000)
    lit = [at for at, on in enumerate(bench.lit) if on]
    assert lit[0] == 10
    assert 110 <= lit[-1] <= 160
    assert lit == list(range(lit[0], lit[-1] + 1))


def test_a_spike_is_told_and_is_no_press(bench: Bench):
    bench.panel.spike(4, at=5_000)
    (line,) = bench.until(200_000)
    assert line.startswith("chair 5")
    assert "not a press" in line
    assert bench.tester.reported == 0
    assert any("pull-up" in line for line in bench.tester.summary_lines())


def test_a_press_whose_edge_was_lost_is_found_by_reading(bench: Bench):
    bench.panel.change_without_edge(None, "ok", at=5_000, down=True)
    (line,) = bench.until(200_000)
    assert line.startswith("ok ")
    assert "found by reading the pin" in line


def test_a_switch_that_bounces_too_long_is_to_be_replaced(bench: Bench):
    bench.panel.press(0, at=5_000, bounce_ms=15.5, hold=200_000)
    bench.until(400_000)
    assert any("replace this switch" in line for line in bench.tester.summary_lines())


def test_the_tester_knows_how_long_it_may_sleep(bench: Bench):
    assert bench.tester.seconds_until_due() == pytest.approx(0.05)
    bench.panel.press(0, at=0, bounce_ms=0)
    bench.tester.add_edge(bench.edges.pop(0))
    assert bench.tester.seconds_until_due() == pytest.approx(0.02)


def test_without_a_press_the_summary_says_so(bench: Bench):
    assert list(bench.tester.summary_lines()) == ["No button was pressed."]


def test_simulated_presses_end_by_themselves(capsys: pytest.CaptureFixture[str]):
    assert buttons.press_command(simulated(2), Settings()) == 0
    told = [
        line for line in capsys.readouterr().out.splitlines() if " press " in f" {line} " and "bounce" in line
    ]
    assert [line.split()[:2] for line in told if line.startswith("chair") and "delay" in line] == [
        ["chair", "1"],
        ["chair", "2"],
    ]


def test_ctrl_c_ends_with_the_summary(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def interrupted(inbox, tester):
        raise KeyboardInterrupt

    monkeypatch.setattr(buttons, "_wait_for_edges", interrupted)
    assert buttons.press_command(simulated(None), Settings()) == 0
    assert "No button was pressed." in capsys.readouterr().out


def test_buttons_that_are_learnt_by_pressing_are_kept_in_the_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel, file = InputKernel(tmp_path, monkeypatch), tmp_path / "settings.toml"
    pad = kernel.plug("xbox-360-pad")
    for number, code in enumerate((0x131, 0x130, 0x13B, 0x133, 0x134)):
        kernel.press(pad, code, (1 + number) * 1_000_000)
    monkeypatch.setattr("hardware.input_devices.open_input_devices.__defaults__", (tmp_path,))
    monkeypatch.setattr("companion.settings.files.user_settings_file", lambda: file)
    learning = Namespace(**vars(simulated(None)) | {"simulate": False, "learn": True})
    assert buttons.press_command(learning, Settings(table=TableSettings(chairs=2))) == 0
    kernel.close()
    out = capsys.readouterr().out
    assert "Press the button of chair 1." in out
    assert "  back: key 315 of Microsoft X-Box 360 pad" in out
    pad_name = "Microsoft X-Box 360 pad"
    assert load_settings(file=file).buttons.learned == {
        "1": f"305@{pad_name}", "2": f"304@{pad_name}", "back": f"315@{pad_name}",
        "next": f"307@{pad_name}", "ok": f"308@{pad_name}",
    }  # fmt: skip


def test_the_wiring_names_every_wire_and_follows_the_settings(capsys: pytest.CaptureFixture[str]):
    settings = Settings(table=TableSettings(colours=("orange",)), buttons=ButtonSettings(pins={"1": 25}))
    assert buttons.wiring_command(asked(), settings) == 0
    out = capsys.readouterr().out
    assert "1      orange   circle     BCM 25 (pin 22)   BCM 23 (pin 16)" in out
    assert "2      blue     triangle   BCM 27 (pin 13)   BCM 24 (pin 18)" in out
    assert "ok     –        –          BCM 3  (pin 5)" in out


def test_the_wiring_of_a_table_of_four_names_four_chairs_and_leaves_the_other_pins_free(
    capsys: pytest.CaptureFixture[str],
):
    assert buttons.wiring_command(asked(), Settings(table=TableSettings(chairs=4))) == 0
    out = capsys.readouterr().out
    assert "chair 4 button" in out
    assert "chair 5" not in out
    assert "31 ● ● 32  12  free" in out


def test_the_header_has_forty_pins_and_says_which_are_kept():
    lines = list(buttons.header_lines(build_pin_table()))
    assert len(lines) == 20
    text = "\n".join(lines)
    for why in set(RESERVED_PINS.values()):
        assert why in text
    assert sum(line.count("ground") for line in lines) == 8
    assert "button ok   3   5 ● ● 6       ground" in text


def test_the_picture_in_the_checkout_is_the_table_as_shipped(checkout: Path, tmp_path: Path):
    """If this fails, draw it anew: companion wiring --svg hardware/wiring.svg."""
    drawn = tmp_path / "wiring.svg"
    assert buttons.wiring_command(asked(svg=drawn), Settings()) == 0
    assert drawn.read_text() == (checkout / "hardware" / "wiring.svg").read_text()


def test_the_drawings_of_the_steps_are_the_table_as_shipped(checkout: Path, tmp_path: Path):
    """If this fails, draw them anew: companion wiring --steps docs/build/wiring."""
    assert buttons.wiring_command(asked(steps=tmp_path), Settings()) == 0
    kept = {path.name: path.read_text() for path in (checkout / "docs" / "build" / "wiring").iterdir()}
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == kept


def test_the_steps_follow_the_settings(tmp_path: Path):
    settings = Settings(
        table=TableSettings(chairs=3, colours=("orange",)), buttons=ButtonSettings(pins={"1": 25})
    )
    assert buttons.wiring_command(asked(steps=tmp_path), settings) == 0
    drawn = (tmp_path / "all-buttons.svg").read_text()
    assert ">chair 1: orange, circle<" in drawn
    assert ">pin 22: BCM 25<" in drawn
    assert ">back<" in drawn
    assert "chair 4" not in drawn
    assert ">pin 29: BCM 5<" not in drawn


def test_no_pin_is_asked_for_more_than_it_gives():
    assert bare_led_current() <= MAX_PIN_AMPERES
    assert 8 * bare_led_current() <= MAX_TOTAL_AMPERES


def test_every_wire_of_the_steps_has_its_pin_and_ground_is_ground():
    drawn = draw_wiring_steps(build_pin_table(), [("red", "circle")] * 8)
    for chair in range(8):
        for part, bcm in (
            ("buttons", build_pin_table().button_pin((chair, "seat"))),
            ("lamps", build_pin_table().lamp_pin(chair)),
        ):
            assert f">pin {PHYSICAL_PINS[bcm]}: BCM {bcm}<" in drawn[f"all-{part}"]
    for picture in drawn.values():
        ElementTree.fromstring(picture)
        for pin in re.findall(r">pin (\d+): ground<", picture):
            assert POWER_PINS[int(pin)] == "ground"


def test_the_page_shows_what_the_tester_prints(bench: Bench, checkout: Path):
    page = (checkout / "docs" / "build" / "wiring.md").read_text()
    bench.panel.press(0, at=10_400, bounce_ms=1.6, hold=120_000)
    told = [*bench.until(300_000), *bench.tester.summary_lines()]
    assert "\n".join(line.rstrip() for line in told) in page


def test_the_pin_table_is_read_by_programs(capsys: pytest.CaptureFixture[str]):
    assert buttons.wiring_command(asked(json=True), Settings()) == 0
    wires = json.loads(capsys.readouterr().out)
    assert len(wires) == 8 * 2 + 3
    assert {
        "part": "chair 1",
        "colour": "red",
        "shape": "circle",
        "wire": "lamp",
        "bcm": 23,
        "pin": 16,
    } in wires
    assert wires[-1] == {"part": "ok", "wire": "button", "bcm": 3, "pin": 5}


def test_the_papers_tell_the_height_that_the_optics_need(checkout: Path):
    readme = (checkout / "hardware" / "README.md").read_text()
    for lens in KNOWN_LENSES:
        assert (
            f"| {lens.name} | {lens.horizontal_angle:g}° × {lens.vertical_angle:g}° "
            f"| {lens.mounting_height_mm} mm |" in readme
        )
    heights = {lens.mounting_height_mm for lens in KNOWN_LENSES}
    for page in ("README.md", "hardware/README.md", *sorted((checkout / "docs").rglob("*.md"))):
        for number, unit in re.findall(
            r"\b(\d+) (cm|mm)\b[^.|]{0,12}over the (?:table|mat)", (checkout / page).read_text()
        ):
            assert int(number) * (10 if unit == "cm" else 1) in heights, page


def test_the_picture_names_every_wire():
    drawn = draw_header_svg(build_pin_table())
    ElementTree.fromstring(drawn)
    for what, _, _ in build_pin_table().wiring_rows():
        assert f">{what}<" in drawn


def test_a_picture_that_cannot_be_written_is_named(tmp_path: Path):
    blocked = tmp_path / "a file"
    blocked.write_text("")
    with pytest.raises(InputError, match=r"can't write .*wiring\.svg"):
        buttons.wiring_command(asked(svg=blocked / "wiring.svg"), Settings())


def test_the_readme_s_table_is_the_pin_table(checkout: Path):
    readme = (checkout / "hardware" / "README.md").read_text()
    table = build_pin_table()
    for chair in range(8):
        button, lamp = table.button_pin((chair, "seat")), table.lamp_pin(chair)
        assert (
            f"| {chair + 1} | {button} ({PHYSICAL_PINS[button]}) | {lamp} ({PHYSICAL_PINS[lamp]}) |" in readme
        )
    for name in SHARED_BUTTON_NAMES:
        bcm = table.button_pin((None, name))
        assert f"| {name} | {bcm} ({PHYSICAL_PINS[bcm]}) | – |" in readme


def test_encoder_sockets_start_where_linux_counts_joystick_buttons():
    assert FIRST_BUTTON == 0x120
