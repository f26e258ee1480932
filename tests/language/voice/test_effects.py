"""Cards and tokens sound beside the voice, softer than it, and never in a count."""

from __future__ import annotations

import wave
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from companion.core.events import kind_of
from companion.core.view import Sentence, SoundEffect
from companion.games import GAMES
from companion.language.language import Language
from companion.language.voice.sound_outputs import TRACK_RATE, WavOutput
from companion.language.voice.sounds import (
    EFFECT_PEAK,
    FULL_SCALE,
    RATE,
    VoiceSounds,
    find_effect,
    make_effect,
)
from companion.language.voice.voice import Voice
from tests.language.voice.voice_table import cue

NAMES = get_args(SoundEffect)


@pytest.mark.parametrize("name", NAMES)
def test_an_effect_is_short_soft_and_has_no_click_at_its_ends(name: SoundEffect) -> None:
    samples = make_effect(name).astype(int)
    assert 0.08 * RATE <= len(samples) <= 1.5 * RATE
    assert np.abs(samples).max() == pytest.approx(EFFECT_PEAK * FULL_SCALE, abs=2)
    assert (abs(samples[0]), abs(samples[-1])) == (0, 0)
    assert make_effect.__wrapped__(name).tolist() == samples.tolist(), "the same every time"


def test_no_two_effects_sound_alike() -> None:
    spectra = [np.abs(np.fft.rfft(make_effect(name).astype(float), 2 * RATE)) for name in NAMES]
    unit = np.array([one / np.linalg.norm(one) for one in spectra])
    alike = unit @ unit.T - np.eye(len(NAMES))
    assert alike.max() < 0.95


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if game.board.event_sounds])
def test_games_give_sounds_to_events_that_they_have(name: str) -> None:
    game = GAMES[name]
    known = {kind_of(event) for event in get_args(game.rules.events)}
    assert set(game.board.event_sounds) <= known
    assert set(game.board.event_sounds.values()) <= set(NAMES)


def heard(events: dict[str, str], tmp_path: Path, *deeds: str) -> np.ndarray:  # type: ignore[type-arg]
    clock, output = ManualClock(), WavOutput()
    voice = Voice(Language("en"), clock, output, events=events)
    for deed in deeds:
        if deed == "count":
            voice.play_cue(cue())
        elif deed == "say":
            voice.say([Sentence("shared.GamePaused")])
        else:
            voice.play_effect(deed)  # type: ignore[arg-type]
        voice.poll(clock.now())
    clock.move_to(SECOND)
    output.write_wav(tmp_path / "heard.wav")
    with wave.open(str(tmp_path / "heard.wav")) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(int)


def test_an_effect_is_heard_beside_a_sentence(tmp_path: Path) -> None:
    said, both = heard({}, tmp_path, "say"), heard({}, tmp_path, "say", "wood")
    assert len(said) == len(both)
    assert np.abs((both - said)[: TRACK_RATE // 4]).max() > 1_000


def test_nothing_sounds_in_a_count_and_what_sounded_before_it_ends(tmp_path: Path) -> None:
    counted = heard({}, tmp_path, "count")
    assert heard({}, tmp_path, "count", "wood").tolist() == counted.tolist()
    assert heard({}, tmp_path, "gong", "count").tolist() == counted.tolist()


@pytest.mark.parametrize("name", ["effect", "effect.gong"])
def test_effects_are_switched_off_one_by_one_or_all(name: str, tmp_path: Path) -> None:
    assert not len(heard({name: "off"}, tmp_path, "gong"))
    assert bool(len(heard({name: "off"}, tmp_path, "coin"))) == (name != "effect")


def test_an_effect_can_be_a_file_of_ones_own(tmp_path: Path) -> None:
    with wave.open(str(tmp_path / "own.wav"), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes((np.ones(RATE // 10) * 3_000).astype("<i2").tobytes())
    sounds = VoiceSounds(Language("en"), events={"effect.coin": str(tmp_path / "own.wav")})
    assert find_effect(sounds, "coin").max() == pytest.approx(3_000, abs=3)
