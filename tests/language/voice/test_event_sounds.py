"""Each sound can be silenced or changed by itself, by the name of its clip; the beats stay where they are."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest

from companion.cli.checks.doctor import describe_custom_sounds
from companion.core.actions import SECOND, Cue
from companion.core.clock import ManualClock
from companion.core.view import Sentence
from companion.language.language import Language
from companion.language.voice.sounds import RATE, VoiceSounds
from companion.language.voice.voice_pack import VoicePackError
from companion.programs.build_app import build_runtime
from companion.settings.check import SettingsError
from companion.settings.files import effective_settings, load_settings, read_file
from companion.settings.model import Settings, SoundSettings
from companion.ui.frame import UiState

RED = Sentence("kinapa.GameWon", (("chair", 0),))
BLUE = Sentence("kinapa.GameWon", (("chair", 1),))
COUNT = Cue("kinapa.count", 7, 1, 3, "kinapa.NumberAnnounced")


@pytest.fixture
def ding(tmp_path: Path) -> Path:
    file = tmp_path / "ding.wav"
    with wave.open(str(file), "wb") as told:
        told.setparams((1, 2, RATE, 0, "NONE", ""))
        told.writeframes((np.sin(np.arange(1, RATE // 2) / 5) * 9_000).astype("<i2").tobytes())
    return file


def sounds(**events: str) -> VoiceSounds:
    return VoiceSounds(
        Language("en"), events={name.replace("_", "."): heard for name, heard in events.items()}
    )


def test_a_sound_is_silenced_by_its_name_or_by_how_its_name_begins() -> None:
    assert [sounds(kinapa_GameWon="off").is_spoken(one) for one in (RED, BLUE)] == [False, False]
    assert [sounds(kinapa_GameWon_red="off").is_spoken(one) for one in (RED, BLUE)] == [False, True]
    assert not sounds(kinapa="off").is_spoken(RED)
    assert sounds(kinapa_Game="off").is_spoken(RED), "whole words only"
    assert sounds(kinapa="off", kinapa_GameWon="x.wav").is_spoken(RED), "the more particular name counts"


def test_a_sound_is_changed_by_a_file_and_the_built_clip_stands_in_for_a_missing_one(ding: Path) -> None:
    heard = sounds(kinapa_GameWon_red=str(ding)).find_samples(RED)
    assert heard is not None
    assert len(heard) == RATE // 2 - 1
    built = sounds().find_samples(RED)
    assert np.array_equal(sounds(kinapa_GameWon=str(ding.with_name("none.wav"))).find_samples(RED), built)  # type: ignore[arg-type]


def test_words_tick_and_beep_are_silenced_one_by_one_and_the_beats_stay(ding: Path) -> None:
    usual = sounds().build_count(COUNT)
    first = usual.lead_in * RATE // SECOND
    only_tones = sounds(count_1="off", count_2="off", count_3="off").build_count(COUNT)
    assert only_tones.lead_in == usual.lead_in
    assert not only_tones.samples[first + RATE // 10 : first + RATE].any()
    assert only_tones.samples[first] == usual.samples[first] != 0
    toneless = sounds(count_tick="off", count_beep="off").build_count(COUNT)
    assert not toneless.samples[first + 3 * RATE :].any()
    assert toneless.samples[first : first + RATE].any()
    beeping = sounds(count_beep=str(ding)).build_count(COUNT)
    assert not beeping.samples[first + 3 * RATE - RATE // 50 : first + 3 * RATE].any()
    assert len(beeping.samples) == first + 3 * RATE + RATE // 2 - 1
    assert not sounds(count="off", kinapa_NumberAnnounced="off").build_count(COUNT).samples.any()


def test_a_silenced_sentence_neither_waits_nor_is_shown_as_a_caption() -> None:
    settings = Settings(sound=SoundSettings(events={"kinapa.GameWon.red": "off"}))
    shared = build_runtime(settings, ManualClock(), silent=True)
    shared.follow_screen(UiState(), UiState(language="de"))
    shared.voice.say([RED, BLUE])
    shared.voice.poll(0)
    assert shared.voice.caption == BLUE


@pytest.mark.parametrize(
    "text",
    [
        '[sound.events]\n"kinapa.GameWon" = "off"\n"count.tick" = "t.wav"\n',
        '[sound.events]\nkinapa.GameWon = "off"\ncount.tick = "t.wav"\n',
        '[sound.events.kinapa]\nGameWon = "off"\n[sound.events.count]\ntick = "t.wav"\n',
    ],
)
def test_the_settings_take_names_with_dots_quoted_or_not(text: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text, encoding="utf-8")
    settings = load_settings(file=file)
    assert settings.sound.events == {"kinapa.GameWon": "off", "count.tick": "t.wav"}
    listed = {key: (value, origin) for key, value, origin in effective_settings(settings)}
    assert listed["sound.events.kinapa.GameWon"] == ("off", str(file))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[sound]\nevents = "off"\n', r"sound\.events is a section"),
        ("[sound.events]\nkinapa.GameWon = 3\n", r"line 2: sound\.events\.kinapa\.GameWon must be text"),
        ('[sound.events]\n"../x" = "off"\n', r'line 2: "sound\.events\.\.\./x" is not a setting'),
    ],
)
def test_a_mistake_in_them_is_named_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=said):
        load_settings(file=file)
    assert len(read_file(file).problems) == 1


def test_the_doctor_finds_a_name_that_nothing_is_called_and_a_file_that_is_none(ding: Path) -> None:
    def told(**events: str) -> list[str]:
        named = {name.replace("_", "."): heard for name, heard in events.items()}
        return list(describe_custom_sounds(SoundSettings(events=named), "en"))

    assert told(kinapa_GameWon="off", count_beep=str(ding), lesson="off") == ["3 sounds of your own"]
    with pytest.raises(ValueError, match=r"'kinapa\.GameOwn', but no sound is called that"):
        told(kinapa_GameOwn="off")
    with pytest.raises(VoicePackError, match=r"none\.wav: No such file"):
        told(kinapa_GameWon=str(ding.with_name("none.wav")))
