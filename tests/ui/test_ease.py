"""Easier to read and to follow: large text, slow speech."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from companion.language.language import Language
from companion.language.voice.sounds import RATE
from companion.language.voice.voice import SLOW_FACTOR, slow_down
from companion.ui.commands import ChangeSetting
from companion.ui.frame import UiState
from companion.ui.pages.base import PageResources
from companion.ui.pages.game import GamePage
from tests.languages import LANGUAGES
from tests.ui.games import frame

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
    slow = slow_down(usual)
    assert len(slow) / len(usual) == pytest.approx(SLOW_FACTOR, rel=0.05)
    assert pitch(slow) == pytest.approx(hertz, rel=0.02)
    assert np.abs(slow[RATE // 2 : RATE]).max() == pytest.approx(9_000, rel=0.1)


def test_a_sound_too_short_to_be_slowed_is_left_alone() -> None:
    assert np.array_equal(slow_down(tone(440, 0.05)), tone(440, 0.05))


@pytest.mark.parametrize("phase", ["announcing", "pairing", "turning", "succeeding"])
@pytest.mark.parametrize("size", SIZES)
def test_large_text_is_larger_and_cuts_nothing_that_was_whole(size: tuple[int, int], phase: str) -> None:
    page = GamePage(PageResources(size, Language))
    usual = page.painted_sheet(frame(phase)).text_lines
    large = page.painted_sheet(frame(phase, ui_state=UiState(large=True))).text_lines
    assert sum(text.size for text in large) / len(large) > sum(text.size for text in usual) / len(usual)
    assert {text.string for text in large if text.cut} <= {text.string for text in usual if text.cut}


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_text_and_speech_are_set_on_the_screen(size: tuple[int, int], code: str) -> None:
    page = GamePage(PageResources(size, Language))
    ui_state, offered = UiState(overlay="settings", language=code), {}
    for leaf in (0, 1):
        sheet = page.painted_sheet(frame("announcing", ui_state=replace(ui_state, scroll=leaf)))
        offered |= {target.key: target.action.commands for target in sheet.targets}
        assert [text.string for text in sheet.text_lines if text.cut] == []
    assert offered["large:on"] == (ChangeSetting("large", value=True),)
    assert offered["slow:on"] == (ChangeSetting("slow", value=True),)
