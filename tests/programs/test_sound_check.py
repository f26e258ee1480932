"""Which output is heard, and how late: a person at a terminal who hears through a made-up loudspeaker."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.language.language import Language
from companion.language.voice.mixer import MIXER_DELAY
from companion.language.voice.sound_outputs import NullOutput
from companion.language.voice.sounds import RATE, Samples
from companion.programs.sound_check import TAP_LEAD, SoundCheck
from companion.settings.model import SoundSettings

OUTPUTS = {"Headphones": "bcm2835 Headphones", "vc4hdmi0": "vc4-hdmi-0", "Device": "USB Audio"}


class Speaker(NullOutput):
    """A loudspeaker that keeps what it was given."""

    def __init__(self, name: str, table: Terminal) -> None:
        super().__init__("the device is busy" if name == table.broken else "")
        self.name, self.table = name, table

    def play(self, samples: Samples, at: Micros) -> bool:
        self.table.played.append((self.name, len(samples)))
        self.table.last = (self.name, at, samples)
        return True

    def close(self) -> None:
        self.table.closed.append(self.name)


class Terminal:
    """Answers each question by the first word of it that is known; hears one loudspeaker, that much late."""

    def __init__(
        self, heard: tuple[str, ...], late: Micros = 80_000, way: str = "", broken: str = ""
    ) -> None:
        self.heard, self.late, self.way, self.broken = heard, late, way, broken
        self.clock = ManualClock(SECOND)
        self.played: list[tuple[str, int]] = []
        self.closed: list[str] = []
        self.said: list[str] = []
        self.last: tuple[str, Micros, Samples] | None = None
        self.beat = 0
        self.answers: dict[str, str] = {}

    def ask(self, question: str) -> str:
        self.said.append(question)
        if given := next((self.answers.pop(known) for known in self.answers if known in question), ""):
            return given
        if "did you hear" in question:
            assert self.last is not None
            return "y" if self.last[0] in self.heard else "n"
        if "How late" in question:
            return self.way
        if not question:  # a tap
            assert self.last is not None
            self.beat += 1
            self.clock.move_to(self.last[1] + self.beat * SECOND + MIXER_DELAY + self.late - TAP_LEAD)
        return ""

    def read(self) -> Samples:
        """The microphone: five milliseconds of what was played last."""
        now = self.clock.now()
        self.clock.move_to(now + SECOND // 200)
        heard = np.zeros(RATE // 200, np.int16)
        if self.last is not None:
            _, at, samples = self.last
            first = round((now - at - MIXER_DELAY - self.late) * RATE / SECOND)
            place = np.arange(first, first + len(heard))
            there = (place >= 0) & (place < len(samples))
            heard[there] = samples[place[there]] // 4
        return heard

    def close(self) -> None:
        self.closed.append("microphone")


@pytest.fixture
def check() -> Callable[..., tuple[dict[str, object], Terminal]]:
    def run(*heard: str, sound: SoundSettings | None = None, answers: dict[str, str] | None = None, **other):
        at = Terminal(heard, **other)
        at.answers = answers or {}
        checked = SoundCheck(
            sound or SoundSettings(), Language("en"), at.clock, at.ask, at.said.append,
            open_output=lambda name: Speaker(name, at), open_microphone=lambda: at,
        )  # fmt: skip
        return checked.run(OUTPUTS), at

    return run


def test_a_word_is_played_on_each_output_and_the_one_that_is_heard_is_kept(check) -> None:
    changes, at = check("Device")
    assert changes == {"sound.device": "Device"}
    assert [name for name, _ in at.played] == list(OUTPUTS)
    assert at.closed == list(OUTPUTS)
    assert "3. USB Audio: did you hear “3”? (y, n, r: again) " in at.said


def test_of_several_that_are_heard_people_choose(check) -> None:
    changes, _ = check("Headphones", "Device", answers={"Which one": "2"})
    assert changes["sound.device"] == "Device"
    assert check("Headphones", "Device")[0]["sound.device"] == "Headphones"


def test_a_word_can_be_played_again_and_a_busy_output_is_named(check) -> None:
    changes, at = check("Headphones", answers={"did you hear": "r"}, broken="vc4hdmi0")
    assert changes == {"sound.device": "Headphones"}
    assert [name for name, _ in at.played] == ["Headphones", "Headphones", "Device"]
    assert "2. vc4-hdmi-0: can't be opened (the device is busy)." in at.said


def test_where_nothing_is_heard_nothing_is_kept(check) -> None:
    assert check()[0] == {}


@pytest.mark.parametrize("way", ["m", "t"])
@pytest.mark.parametrize("late", [0, 80, 250])
def test_how_late_it_is_is_kept_for_this_output_beside_the_others(check, way: str, late: int) -> None:
    before = SoundSettings(output_delays_ms={"vc4hdmi0": 120})
    changes, _ = check("Device", late=late * 1000, way=way, sound=before)
    kept = changes["sound.output_delays_ms"]
    assert kept["vc4hdmi0"] == 120
    assert kept["Device"] == pytest.approx(late, abs=5)


def test_a_delay_is_that_of_the_output_that_plays() -> None:
    sound = SoundSettings(output_delay_ms=30, output_delays_ms={"Device": 80})
    assert (sound.delay_of("Device"), sound.delay_of("vc4hdmi0")) == (80, 30)


def test_without_a_microphone_one_may_tap_instead(check) -> None:
    class Deaf(Terminal):
        def read(self) -> Samples:
            raise OSError("can't record: arecord is missing; sudo apt install alsa-utils")

        def ask(self, question: str) -> str:
            if "How late" in question:
                return "t" if any("arecord" in line for line in self.said) else "m"
            return super().ask(question)

    at = Deaf(("Device",))
    checked = SoundCheck(
        SoundSettings(), Language("en"), at.clock, at.ask, at.said.append,
        open_output=lambda name: Speaker(name, at), open_microphone=lambda: at,
    )  # fmt: skip
    assert checked.run(OUTPUTS)["sound.output_delays_ms"] == {"Device": pytest.approx(80, abs=5)}
