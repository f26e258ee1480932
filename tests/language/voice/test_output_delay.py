"""How late a loudspeaker is: found in a loop of loudspeaker, room and microphone that is made up."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.language.voice.mixer import MIXER_DELAY
from companion.language.voice.output_delay import (
    DelayMeasurement,
    build_beats,
    measure_by_microphone,
    measure_by_taps,
)
from companion.language.voice.sound_outputs import NullOutput
from companion.language.voice.sounds import RATE, Samples

DELAYS_MS = (0, 80, 250)


class Loop(NullOutput):
    """A loudspeaker that is so late, heard by a microphone whose chunks come late by chance."""

    def __init__(
        self, late: Micros, *, noise: float = 60.0, echo: float = 0.0, loudness: float = 0.2
    ) -> None:
        super().__init__()
        self.clock, self.chance = ManualClock(3 * SECOND), Random(5)
        self.noise = np.random.default_rng(5)
        self.level, self.echo, self.loudness = noise, echo, loudness
        self.late, self.begun, self.taken = late, self.clock.now(), 0
        self.room = np.zeros(40 * RATE)

    def play(self, samples: Samples, at: Micros) -> bool:
        for away, share in ((0, self.loudness), (SECOND // 60, self.echo)):
            first = round((at + MIXER_DELAY + self.late + away - self.begun) * RATE / SECOND)
            self.room[first : first + len(samples)] += share * samples
        return True

    def read(self) -> Samples:
        """Five milliseconds of the room; they come when they are over, and up to nine more later."""
        chunk = self.room[self.taken : self.taken + RATE // 200]
        self.taken += len(chunk)
        over = self.begun + round(self.taken * SECOND / RATE)
        self.clock.move_to(over + int(self.chance.expovariate(1 / 2_000)))
        noisy = chunk + self.noise.normal(0.0, self.level, len(chunk))
        heard: Samples = np.clip(noisy, -32768, 32767).astype(np.int16)
        return heard


@pytest.mark.parametrize("late", DELAYS_MS)
@pytest.mark.parametrize("room", [{}, {"noise": 700.0}, {"echo": 0.25}, {"loudness": 0.02}])
def test_the_delay_of_a_loop_is_found_within_five_milliseconds(late: int, room: dict[str, float]) -> None:
    loop = Loop(late * 1000, **room)
    found = measure_by_microphone(loop, loop, loop.clock)
    assert found is not None
    assert found.output_delay_ms == pytest.approx(late, abs=5)
    assert found.spread < 5_000


def test_where_nothing_is_heard_nothing_is_measured() -> None:
    loop = Loop(80_000, loudness=0.0)
    assert measure_by_microphone(loop, loop, loop.clock) is None


def test_a_microphone_that_is_unplugged_says_so() -> None:
    class Unplugged(Loop):
        def read(self) -> Samples:
            raise OSError("it ended")

    loop = Unplugged(0)
    with pytest.raises(OSError, match="it ended"):
        measure_by_microphone(loop, loop, loop.clock)


def tap(beats: tuple[Micros, ...], late: Micros, *, jitter: Micros = 25_000, seed: int = 2) -> list[Micros]:
    """People who hear each beat so late, tap 30 ms before it, and not exactly; at first they search."""
    chance = Random(seed)
    searching = [beat + late + 300_000 * chance.random() for beat in beats[:2]]
    return [round(at) for at in searching] + [
        round(beat + MIXER_DELAY + late - 30_000 + chance.gauss(0, jitter / 2)) for beat in beats[2:]
    ]


@pytest.mark.parametrize("late", DELAYS_MS)
def test_the_delay_is_found_by_tapping_to_the_beat(late: int) -> None:
    _, beats = build_beats()
    found = measure_by_taps(beats, tap(beats, late * 1000, jitter=8_000))
    assert found is not None
    assert found.output_delay_ms == pytest.approx(late, abs=5)


def test_taps_that_have_no_beat_and_too_few_of_them_measure_nothing() -> None:
    _, beats = build_beats()
    chance = Random(4)
    assert measure_by_taps(beats, [round(beat + chance.random() * SECOND) for beat in beats]) is None
    assert measure_by_taps(beats, tap(beats, 80_000)[:5]) is None


def test_a_beat_begins_where_it_is_said_to() -> None:
    sound, beats = build_beats()
    for beat in beats:
        at = beat * RATE // SECOND
        assert not sound[at - 100 : at].any()
        assert sound[at + 1] != 0


def test_what_the_mixer_adds_itself_is_not_the_loudspeaker_s() -> None:
    assert DelayMeasurement(MIXER_DELAY, 0, 5).output_delay_ms == 0
    assert DelayMeasurement(MIXER_DELAY - 9_000, 0, 5).output_delay_ms == 0
    assert DelayMeasurement(MIXER_DELAY + 80_000, 0, 5).output_delay_ms == 80
