"""Certifies a table's buttons by twenty measured presses of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from companion.cli.checks.button_tester import turbo_fault
from companion.core.actions import Micros, Value
from companion.core.errors import CompanionError
from companion.core.switch import SWITCH_TIMING, ButtonId, ButtonStatistics
from companion.system import safe_files
from companion.system.file_owner import make_folder
from companion.system.safe_files import SizeLimit

if TYPE_CHECKING:
    from companion.cli.checks.button_tester import ButtonTester

REQUIRED_PRESSES = 20
"""Of each button."""
CERTIFICATE_FILE = "certificate.json"


class ButtonMeasurement(Value, frozen=True):
    """One button, as its twenty presses were seen; times in microseconds."""

    button: str
    source: str
    presses: int
    worst_bounce: Micros
    delay: Micros
    """From the edge to the program: median."""
    worst_delay: Micros
    glitches: int
    lost: int
    """Edges that never came: found by reading the pin."""
    worn: int = 0
    """Presses and releases in which the contact was open for most of its first milliseconds."""
    turbo: int = 0
    """How often a second it presses itself."""

    @property
    def faults(self) -> tuple[str, ...]:
        """What speaks against judging by this button."""
        late = self.worst_delay > SWITCH_TIMING.delivery
        late_press = f"a press arrived {self.worst_delay / 1000:.1f} ms late: the computer is overloaded"
        return (*self.switch_faults, late_press) if late else self.switch_faults

    @property
    def switch_faults(self) -> tuple[str, ...]:
        """What is wrong with its switch or its wire, whatever else the machine had to do."""
        found = [turbo_fault(self.turbo)] if self.turbo else []
        if self.worst_bounce > SWITCH_TIMING.lockout * 3 // 4:
            found.append(f"bounces {self.worst_bounce / 1000:.1f} ms: replace the switch")
        if self.worn:
            often = f"{self.worn} times open for most of the first milliseconds"
            found.append(f"{often}: the contact is worn, replace the switch")
        if self.glitches:
            found.append(f"{self.glitches} glitches: add a pull-up of 1 to 4.7 kΩ and twist the wires")
        if self.lost:
            often = f"{self.lost} edges lost"
            worn = self.lost * 10 > 2 * self.presses
            found.append(
                f"{often}: "
                + ("replace the switch and its wire" if worn else "check the contact and the wire")
            )
        return tuple(found)


class ButtonCertificate(Value, frozen=True):
    """What one table's buttons did on one day."""

    date: str
    software: str
    buttons: tuple[ButtonMeasurement, ...]
    simulated: bool = False
    """Of mock pins: such are no longer kept."""

    @property
    def faulty(self) -> tuple[ButtonMeasurement, ...]:
        """Simulated hands share the processor with what listens to them: their late edges are reported,
        not held against a button.
        """
        return tuple(each for each in self.buttons if (each.switch_faults if self.simulated else each.faults))

    @property
    def worst(self) -> str:
        """The worst of all buttons, in words."""
        bounce = max(button.worst_bounce for button in self.buttons) / 1000
        delay = max(button.worst_delay for button in self.buttons) / 1000
        return f"{len(self.buttons)} buttons: bounce up to {bounce:.1f} ms, delay up to {delay:.2f} ms"


class ButtonCertifier:
    """Counts until every button was pressed often enough; presses beyond that count too."""

    def __init__(
        self, tester: ButtonTester, wanted: Sequence[ButtonId], *, optional: Sequence[ButtonId] = ()
    ) -> None:
        """`optional`: buttons that a table may not have; they count once they are pressed."""
        self._tester = tester
        self._wanted = tuple(wanted)
        self._optional = tuple(optional)
        self._reported: dict[ButtonId, int] = {}

    @property
    def done(self) -> bool:
        return all(count >= REQUIRED_PRESSES for count in self._counts().values())

    def progress_lines(self) -> Iterator[str]:
        """A line for each button that went on: how many presses are there, how many are missing in all."""
        counts = self._counts()
        left = sum(count < REQUIRED_PRESSES for count in counts.values())
        for line, count in counts.items():
            if count != self._reported.get(line, 0):
                self._reported[line] = count
                if count % 5 == 0 or count == 1:
                    togo = f"{left} button{'s' * (left != 1)} to go"
                    pressed = f"{min(count, REQUIRED_PRESSES)} of {REQUIRED_PRESSES}"
                    yield f"{button_name(line):<8} {pressed}   ({togo})"

    def missing_buttons(self) -> tuple[str, ...]:
        """The buttons that were not pressed often enough."""
        return tuple(button_name(line) for line, count in self._counts().items() if count < REQUIRED_PRESSES)

    def measurements(self) -> tuple[ButtonMeasurement, ...]:
        """Every button, in the order of the pin table."""
        found = []
        for line in self._counts():
            source, tally = self._tally(line)
            delays = self._tester.delays.get(line) or [tally.worst_delay]
            found.append(
                ButtonMeasurement(
                    button=button_name(line),
                    source=source,
                    presses=tally.presses,
                    worst_bounce=tally.worst_bounce,
                    delay=round(median(delays)),
                    worst_delay=tally.worst_delay,
                    glitches=tally.glitches,
                    lost=tally.lost,
                    worn=tally.worn,
                    turbo=self._tester.turbo().get(line, 0),
                )
            )
        return tuple(found)

    def _counts(self) -> dict[ButtonId, int]:
        wanted = {line: self._tally(line)[1].presses for line in self._wanted}
        optional = {line: self._tally(line)[1].presses for line in self._optional}
        return wanted | {line: presses for line, presses in optional.items() if presses}

    def _tally(self, line: ButtonId) -> tuple[str, ButtonStatistics]:
        """The source of a button that was pressed most, and what it did."""
        found = [(key[0], tally) for key, tally in self._tester.tallies().items() if key[1:] == line]
        return max(found, key=lambda pair: pair[1].presses, default=("gpio", ButtonStatistics()))


def button_name(line: ButtonId) -> str:
    """What a button is called on the terminal."""
    chair, button = line
    return button if chair is None else f"chair {chair + 1}"


def certificate_lines(buttons: Iterable[ButtonMeasurement]) -> Iterator[str]:
    """The certificate as people read it."""
    yield f"{'button':<8} presses  worst bounce  delay: median   worst  glitches  lost edges"
    for each in buttons:
        yield (
            f"{each.button:<8} {each.presses:>7}  {each.worst_bounce / 1000:>9.1f} ms"
            f"  {each.delay / 1000:>11.2f} ms  {each.worst_delay / 1000:>5.2f} ms"
            f"  {each.glitches:>8}  {each.lost:>10}"
        )
        for fault in each.faults:
            yield f"{'':<8} {fault}"


def save_certificate(certificate: ButtonCertificate, folder: Path) -> Path:
    """Keep it with the table in place of the previous one; returns the file.

    Raises `CompanionError` if it cannot be written.
    """
    path = folder / CERTIFICATE_FILE
    try:
        make_folder(folder)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(certificate)) + b"\n")
    except OSError as trouble:
        reason = trouble.strerror or str(trouble)
        raise CompanionError(f"can't write {path} ({reason}); the certificate was not saved.") from trouble
    return path


def load_certificate(folder: Path) -> ButtonCertificate | None:
    """The table's certificate; None where there is none, `ValueError` where it cannot be read."""
    try:
        return msgspec.json.decode(
            safe_files.read_bytes(folder / CERTIFICATE_FILE, SizeLimit.NOTE), type=ButtonCertificate
        )
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as trouble:
        raise ValueError(str(trouble)) from trouble
