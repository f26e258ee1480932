"""Easier to read and to follow: large text, slow speech."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from games import frame

from companion.ui.commands import Change
from companion.ui.glass import Glass
from companion.ui.language import Language
from companion.ui.pace import SLOWER, slower
from companion.ui.pages.game import GamePage
from companion.ui.screen import Screen
from companion.ui.sounds import RATE
from tests.languages import LANGUAGES

SIZES = ((1280, 720), (1024, 600))
Samples = npt.NDArray[np.int16]


def tone(hertz: float, seconds: float) -> Samples:
    return (np.sin(2 * np.pi * hertz * np.arange(round(seconds * RATE)) / RATE) * 9_000).astype(np.int16)


def pitch(samples: Samples) -> float:
    middle = samples[len(samples) // 4 : -len(samples) // 4].astype(float)
    return float(np.argmax(np.abs(np.fft.rfft(middle * np.hanning(len(middle))))) * RATE / len(middle))


@pytest.mark.parametrize("hertz", [110.0, 220.0, 900.0])
def test_slow_speech_takes_longer_and_keeps_its_pitch(hertz: float) -> None:
    usual = tone(hertz, 2.0)
    slow = slower(usual)
    assert len(slow) / len(usual) == pytest.approx(SLOWER, rel=0.05)
    assert pitch(slow) == pytest.approx(hertz, rel=0.02)
    assert np.abs(slow[RATE // 2 : RATE]).max() == pytest.approx(9_000, rel=0.1)


def test_a_sound_too_short_to_be_slowed_is_left_alone() -> None:
    assert np.array_equal(slower(tone(440, 0.05)), tone(440, 0.05))


@pytest.mark.parametrize("phase", ["announcing", "pairing", "turning", "succeeding"])
@pytest.mark.parametrize("size", SIZES)
def test_large_text_is_larger_and_cuts_nothing_that_was_whole(size: tuple[int, int], phase: str) -> None:
    page = GamePage(Screen(size, Language))
    usual = page.sheet(frame(phase)).written
    large = page.sheet(frame(phase, glass=Glass(large=True))).written
    assert sum(text.size for text in large) / len(large) > sum(text.size for text in usual) / len(usual)
    assert {text.string for text in large if text.cut} <= {text.string for text in usual if text.cut}


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_text_and_speech_are_set_on_the_screen(size: tuple[int, int], code: str) -> None:
    page = GamePage(Screen(size, Language))
    sheet = page.sheet(frame("announcing", glass=Glass(overlay="settings", language=code)))
    offered = {target.key: target.does.commands for target in sheet.targets}
    assert offered["large:on"] == (Change("large", value=True),)
    assert offered["slow:on"] == (Change("slow", value=True),)
    assert [text.string for text in sheet.written if text.cut] == []
