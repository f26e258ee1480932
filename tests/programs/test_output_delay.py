"""How late a loudspeaker is: found in a loop of loudspeaker, room and microphone that is made up."""

from __future__ import annotations

from random import Random

import pytest

from companion.core.actions import SECOND
from companion.language.voice.mixer import MIXER_DELAY
from companion.language.voice.sounds import RATE, Samples
from companion.programs.sound_check import (
    DelayMeasurement,
    build_beats,
    measure_by_microphone,
    measure_by_taps,
)
from tests.language.voice.delayed_loop import DELAYS_MS, Loop, tap


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
