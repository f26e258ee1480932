"""Loudness as the standard measures it."""

from __future__ import annotations

import numpy as np
import pytest

from companion.language.voice.clips import SILENCE, is_clipped, measure_loudness


def sine(hertz: float, seconds: float, rate: int, peak: float = 1.0) -> np.ndarray:
    return peak * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)


@pytest.mark.parametrize("rate", [22_050, 24_000, 48_000])
@pytest.mark.parametrize(("peak", "lufs"), [(1.0, -3.01), (0.1, -23.01)])
def test_the_standards_own_tone_measures_what_the_standard_says(rate: int, peak: float, lufs: float) -> None:
    assert measure_loudness(sine(997, 3.0, rate, peak), rate) == pytest.approx(lufs, abs=0.1)


def test_a_pause_does_not_make_speech_softer() -> None:
    spoken = sine(997, 2.0, 48_000, 0.1)
    paused = np.concatenate([spoken, np.zeros(4 * 48_000), spoken])
    assert measure_loudness(paused, 48_000) == pytest.approx(measure_loudness(spoken, 48_000), abs=0.5)


def test_rumble_is_hardly_heard_and_a_hiss_is() -> None:
    assert measure_loudness(sine(20, 3.0, 48_000), 48_000) < -15
    assert measure_loudness(sine(4_000, 3.0, 48_000), 48_000) > 0


def test_silence_and_nothing_at_all_have_the_lowest_loudness() -> None:
    assert measure_loudness(np.zeros(48_000), 48_000) == measure_loudness(np.zeros(0), 48_000) == SILENCE


def test_a_word_shorter_than_a_block_is_measured_too() -> None:
    assert measure_loudness(sine(997, 0.2, 48_000, 0.1), 48_000) == pytest.approx(-23, abs=0.5)


def test_tops_that_are_cut_off_are_seen_and_one_full_sample_is_none() -> None:
    assert is_clipped(np.clip(sine(200, 0.1, 48_000, 1.5), -1, 1))
    assert not is_clipped(sine(200, 0.1, 48_000, 0.9))
    assert not is_clipped(np.array([0.0, 1.0, 0.0, -1.0]))
