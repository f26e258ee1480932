"""`companion voice try`: each installed voice is heard, and the one that somebody chooses stays."""

from __future__ import annotations

import json
import wave
from pathlib import Path

import numpy as np
import pytest

from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from companion.language.language import Language
from companion.language.voice.mixer import WAKE_TIME
from companion.language.voice.sound_outputs import NullOutput
from companion.language.voice.sounds import RATE, Samples, VoiceSounds
from companion.language.voice.voice_pack import INDEX_FILE, InstalledVoice, installed_voices, list_packs
from companion.programs.sound_check import (
    PAUSE_S,
    SENTENCES,
    sample,
    try_voices,
)
from companion.settings.files import load_settings
from tests.cli.command_line import Command
from tests.cli.test_record_voice import Person
from tests.languages import LANGUAGES


class Loudspeaker(NullOutput):
    """Keeps what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.played: list[Samples] = []

    def play(self, samples: Samples, at: int) -> bool:
        self.played.append(samples)
        return True


def pack(folder: Path, speaker: str, language: str = "en") -> Path:
    """A pack that says *Hold your button to start* as one second of a tone."""
    folder.mkdir(parents=True)
    said = "Hold your button to start."
    clips = {"setup.ready": {"text": said, "file": "ready.wav"}}
    index = {"language": language, "speaker": speaker, "clips": clips}
    (folder / INDEX_FILE).write_text(json.dumps(index), encoding="utf-8")
    with wave.open(str(folder / "ready.wav"), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(np.full(RATE, 9_000, "<i2").tobytes())
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    return tmp_path / "state"


def found(code: str = "en", named: str = "") -> tuple[list[InstalledVoice], list[str]]:
    said: list[str] = []
    return list(installed_voices(code, named, said.append)), said


def test_the_built_voice_the_packs_that_lie_ready_and_the_one_in_the_settings_are_found(
    home: Path, tmp_path: Path
) -> None:
    ada = pack(home / "voices" / "ada", "Ada")
    pack(home / "voices" / "uwe", "Uwe", "de")
    bea = pack(tmp_path / "bea", "Bea")
    voices, said = found(named=str(bea))
    assert [voice.setting for voice in voices] == [None, str(bea), str(ada)]
    assert said == [f"{home / 'voices' / 'uwe'} is in 'de', not 'en'."]


def test_a_damaged_pack_is_named_and_left_out(home: Path) -> None:
    (pack(home / "voices" / "ada", "Ada") / INDEX_FILE).write_text("{", encoding="utf-8")
    voices, said = found()
    assert len(voices) == 1
    assert "is damaged" in said[0]


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_language_has_five_sentences_to_try(code: str) -> None:
    language = Language(code)
    clips = [VoiceSounds(language).find_samples(sentence) for sentence in SENTENCES]
    heard = sum(len(clip) for clip in clips if clip is not None)
    assert len([clip for clip in clips if clip is not None]) == 5
    assert len(sample(language, found(code)[0][0])) == heard + RATE * WAKE_TIME // SECOND + 5 * RATE * PAUSE_S


def test_a_voice_is_heard_again_and_the_chosen_one_stays(home: Path) -> None:
    ada = pack(home / "voices" / "ada", "Ada")
    speaker, person = Loudspeaker(), Person("", "r", "", "2")
    chosen = try_voices(Language("en"), found()[0], speaker, ManualClock(), person.ask, person.say)
    assert chosen is not None
    assert chosen.setting == str(ada)
    assert len(speaker.played) == 3
    assert not np.array_equal(speaker.played[0], speaker.played[1])
    assert np.array_equal(speaker.played[1], speaker.played[2])


@pytest.mark.parametrize("answer", ["", "3", "x"])
def test_whoever_chooses_none_keeps_what_was(home: Path, answer: str) -> None:
    pack(home / "voices" / "ada", "Ada")
    person = Person("", "", answer)
    assert (
        try_voices(Language("en"), found()[0], Loudspeaker(), ManualClock(), person.ask, person.say) is None
    )


def test_where_there_is_one_voice_nothing_is_asked_but_how_to_add_one(home: Path) -> None:
    person = Person("")
    assert (
        try_voices(Language("fr"), found("fr")[0], Loudspeaker(), ManualClock(), person.ask, person.say)
        is None
    )
    assert str(home / "voices") in " ".join(person.told)


def test_the_choice_is_written_into_the_settings(
    companion: Command, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = pack(home / "voices" / "ada", "Ada")
    for answers, kept in ((["", "", "2"], str(ada)), (["", "", "1"], "")):
        monkeypatch.setattr("builtins.input", Person(*answers).ask)
        assert companion("voice", "try").code == 0
        assert load_settings().sound.voice_pack == kept


def test_without_sound_it_says_so_and_which_voices_there_are(
    companion: Command, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack(home / "voices" / "ada", "Ada")
    monkeypatch.setenv("SDL_AUDIODRIVER", "no such driver")
    said = companion("voice", "try")
    assert said.code == 1
    assert said.out.startswith("Nothing can be heard here")
    assert "2. Ada" in said.out


def test_recording_and_checking_want_a_folder(companion: Command) -> None:
    said = companion("voice", "check")
    assert (said.code, said.err) == (2, "companion: name the folder: companion voice check FOLDER\n")


def test_the_screen_offers_the_packs_of_a_language_as_the_settings_name_them(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    ready = pack(home / "voices" / "ada", "Ada")
    pack(home / "voices" / "berta", "Berta", "de")
    pack(tmp_path / "own", "")
    assert list(list_packs("en", "~/own")) == [("~/own", "own"), (str(ready), "Ada")]
    assert [name for _, name in list_packs("de", "")] == ["Emma (Kokoro)", "Berta"]
