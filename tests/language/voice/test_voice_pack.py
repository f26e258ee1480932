"""A voice pack speaks instead of the built clips, keeps the beats, and stops nobody when it is damaged."""

from __future__ import annotations

import json
import os
import wave
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.actions import SECOND, Cue, Micros
from companion.core.clock import ManualClock
from companion.core.view import Sentence
from companion.language.language import Language
from companion.language.voice.clips import Wave, builtin_clip_folder, read_index
from companion.language.voice.sound_outputs import NullOutput
from companion.language.voice.sounds import RATE, Samples, VoiceSounds
from companion.language.voice.voice import Voice
from companion.language.voice.voice_pack import (
    INDEX_FILE,
    SAMPLE_SENTENCE,
    PackIndex,
    PackSentence,
    Recording,
    VoicePack,
    VoicePackError,
    add_recording,
    decode_recording,
    missing_sentences,
    open_pack,
    open_voice_pack,
    pack_faults,
    second_voices,
)
from companion.programs.build_app import build_runtime
from companion.settings.model import Settings, SoundSettings
from companion.system.safe_files import SizeLimit
from companion.ui.frame import UiState

WON = Sentence("dnup.GameWon", (("chair", 0),))
WON_CLIP = "dnup.GameWon.red"
COUNT = Cue("kinapa.count", 7, 1, 3, "kinapa.NumberAnnounced")
OPENS = "kinapa.NumberAnnounced.7"
TEXTS = {name: clip.text for name, clip in read_index(builtin_clip_folder("en")).clips.items()}


def spoken(seconds: float = 0.5, *, after: float = 0.04, peak: float = 0.5, rate: int = 24_000) -> Wave:
    """Somebody's word after a moment of silence."""
    word = peak * np.sin(2 * np.pi * 300 * np.arange(1, round(seconds * rate)) / rate)
    return np.concatenate([np.zeros(round(after * rate)), word])


def pack_of(place: Path, recordings: Mapping[str, tuple[Wave, float]], language: str = "en") -> VoicePack:
    pack = VoicePack(place, PackIndex(language, "Ada", "CC0-1.0"))
    for name, (samples, lead_in) in recordings.items():
        pack = add_recording(pack, name, Recording(TEXTS[name], f"{name}.wav", lead_in), samples, 24_000)
    return pack


def listing(place: Path, **changed: Any) -> VoicePack:
    """A pack whose list a stranger wrote."""
    place.mkdir(exist_ok=True)
    told = {"language": "en", "clips": {}, **changed}
    (place / INDEX_FILE).write_text(json.dumps(told), encoding="utf-8")
    return open_pack(place)


def test_a_pack_speaks_what_it_has_and_the_built_clips_speak_the_rest(tmp_path: Path) -> None:
    pack = pack_of(tmp_path, {WON_CLIP: (spoken(), 0.0)})
    built, ours = VoiceSounds(Language("en")), VoiceSounds(Language("en"), pack=open_pack(tmp_path))
    said = ours.find_samples(WON)
    assert said is not None
    assert len(said) == len(spoken()) * RATE // 24_000
    other = Sentence("dnup.GameWon", (("chair", 1),))
    assert np.array_equal(ours.find_samples(other), built.find_samples(other))  # type: ignore[arg-type]
    assert open_pack(tmp_path).contents == pack.contents


def test_every_beat_begins_on_its_second_with_recorded_words(tmp_path: Path) -> None:
    words = {f"count.{beat}": (spoken(0.4, after=0.1 * beat), 0.1 * beat) for beat in (1, 2, 3)}
    pack = pack_of(tmp_path, {**words, OPENS: (spoken(0.9), 1.1)})
    samples, lead_in = VoiceSounds(Language("en"), pack=pack).build_count(COUNT)
    assert lead_in == 1.1 * SECOND
    first = lead_in * RATE // SECOND
    for second in range(4):
        onset = first + second * RATE
        assert not samples[onset - RATE // 50 : onset].any(), "silence before every onset"
        assert samples[onset] != 0, "and sound from its very first sample"
    quiet = [first + second * RATE + round(0.42 * RATE) for second in range(3)]
    assert not any(samples[at : at + RATE // 2].any() for at in quiet), "the words are the recorded ones"


def test_a_pack_in_another_language_keeps_quiet(tmp_path: Path) -> None:
    pack = pack_of(tmp_path, {WON_CLIP: (spoken(), 0.0)}, language="de")
    assert np.array_equal(
        VoiceSounds(Language("en"), pack=pack).find_samples(WON),
        VoiceSounds(Language("en")).find_samples(WON),
    )  # type: ignore[arg-type]


def test_a_recording_of_words_that_are_not_said_any_more_is_not_heard(tmp_path: Path) -> None:
    pack = pack_of(tmp_path, {WON_CLIP: (spoken(), 0.0)})
    old = Recording("Red has won it all.", f"{WON_CLIP}.wav")
    stale = VoicePack(tmp_path, msgspec.structs.replace(pack.contents, clips={WON_CLIP: old}))
    assert np.array_equal(
        VoiceSounds(Language("en"), pack=stale).find_samples(WON),
        VoiceSounds(Language("en")).find_samples(WON),
    )  # type: ignore[arg-type]
    one = PackSentence(WON_CLIP, TEXTS[WON_CLIP], opens=False)
    assert list(pack_faults(stale)) == [
        f"{WON_CLIP}: says 'Red has won it all.', but it is {TEXTS[WON_CLIP]!r} now"
    ]
    assert missing_sentences(stale, [one]) == (one,)


@pytest.mark.parametrize("damage", [b"", b"RIFF", b"RIFF\x04\0\0\0WAVE", b"\xff" * 4_000])
def test_a_damaged_recording_is_spoken_by_the_built_clip(damage: bytes, tmp_path: Path) -> None:
    pack = pack_of(tmp_path, {WON_CLIP: (spoken(), 0.0)})
    pack.recording_path(WON_CLIP).write_bytes(damage)
    assert np.array_equal(
        VoiceSounds(Language("en"), pack=pack).find_samples(WON),
        VoiceSounds(Language("en")).find_samples(WON),
    )  # type: ignore[arg-type]
    (line,) = pack_faults(pack)
    assert line.startswith(f"{WON_CLIP}: ")
    assert "WAV" in line


def test_a_damaged_pack_is_one_sentence_and_the_table_speaks_with_the_built_voice(tmp_path: Path) -> None:
    (tmp_path / INDEX_FILE).write_text("{", encoding="utf-8")
    settings = Settings(sound=SoundSettings(voice_pack=str(tmp_path)))
    shared = build_runtime(settings, ManualClock(), silent=True)
    assert list(shared.parts.unreported_failures()) == [Sentence("shared.part.voice_pack")]
    for code in ("en", "de", "fr"):
        assert Language(code).has_words_for(Sentence("shared.part.voice_pack"))
    shared.voice.say([WON])
    shared.voice.poll(0)
    assert shared.voice.caption == WON


def test_the_table_speaks_from_the_pack_of_its_settings_also_after_another_language(tmp_path: Path) -> None:
    pack_of(tmp_path, {WON_CLIP: (spoken(3.0), 0.0)})
    shared = build_runtime(
        Settings(sound=SoundSettings(voice_pack=str(tmp_path))), clock := ManualClock(), silent=True
    )
    before = UiState()
    for language, lasts in (("en", True), ("de", False), ("en", True)):
        shared.follow_screen(before, before := UiState(language=language))
        shared.voice.say([WON])
        shared.voice.poll(clock.now())
        clock.move_to(clock.now() + 2_900_000)
        shared.voice.poll(clock.now())
        assert (shared.voice.caption == WON) is lasts
        clock.move_to(clock.now() + 9 * SECOND)
        shared.voice.poll(clock.now())


@pytest.mark.parametrize(
    "name", ["../x.wav", "/etc/x.wav", "a/b.wav", ".hidden.wav", "x.ogg", "x.wav\n", "", "x" * 200 + ".wav"]
)
def test_a_name_that_leads_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(VoicePackError, match=r"voice\.json is damaged \(.*\.file"):
        listing(tmp_path, clips={"count.1": {"text": "one", "file": name}})


@pytest.mark.parametrize(
    "changed",
    [
        {"language": "../en"},
        {"clips": {"count.1": {"text": "one", "file": "a.wav", "lead_in": 9}}},
        {"clips": {"count.1": {"text": "x" * 401, "file": "a.wav"}}},
        {"clips": {"../1": {"text": "one", "file": "a.wav"}}},
        {"clips": []},
        {"moves": 3},
    ],
)
def test_a_list_that_says_something_else_is_refused_in_one_sentence(
    changed: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(VoicePackError, match="is damaged") as refusal:
        listing(tmp_path, **changed)
    assert "\n" not in str(refusal.value)


def test_links_devices_and_what_is_too_large_are_not_opened(tmp_path: Path) -> None:
    file = tmp_path / "a.wav"
    file.symlink_to("/dev/zero")
    with pytest.raises(VoicePackError, match="is a link"):
        decode_recording(file)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(VoicePackError, match="it is a pipe"):
        decode_recording(file)
    file.unlink()
    file.touch()
    os.truncate(file, SizeLimit.CLIP + 1)
    with pytest.raises(VoicePackError, match="larger than 4 MB"):
        decode_recording(file)
    (tmp_path / INDEX_FILE).symlink_to("/dev/zero")
    with pytest.raises(VoicePackError, match="it is a device"):
        open_pack(tmp_path)


@pytest.mark.parametrize(("channels", "width", "rate"), [(6, 2, 48_000), (1, 1, 48_000), (1, 2, 400_000)])
def test_another_kind_of_sound_file_is_refused(channels: int, width: int, rate: int, tmp_path: Path) -> None:
    file = tmp_path / "a.wav"
    with wave.open(str(file), "wb") as told:
        told.setparams((channels, width, rate, 0, "NONE", ""))
        told.writeframes(bytes(channels * width * 10))
    with pytest.raises(VoicePackError, match="16 bits, one channel"):
        decode_recording(file)


def test_two_channels_become_one(tmp_path: Path) -> None:
    file = tmp_path / "a.wav"
    with wave.open(str(file), "wb") as told:
        told.setparams((2, 2, 48_000, 0, "NONE", ""))
        told.writeframes(np.array([[16_384, 0], [0, 16_384]], "<i2").tobytes())
    samples, rate = decode_recording(file)
    assert (samples.tolist(), rate) == ([0.25, 0.25], 48_000)


@given(raw=st.binary(max_size=200), at=st.integers(0, 60), header=st.booleans())
def test_whatever_the_bytes_are_a_recording_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes, at: int, header: bool
) -> None:
    place = tmp_path_factory.getbasetemp() / "strange"
    place.mkdir(exist_ok=True)
    file = place / "a.wav"
    if header:
        with wave.open(str(file), "wb") as told:
            told.setparams((1, 2, 48_000, 0, "NONE", ""))
            told.writeframes(bytes(40))
        whole = bytearray(file.read_bytes())
        whole[at : at + len(raw[:8])] = raw[:8]
        raw = bytes(whole)
    file.write_bytes(raw)
    with suppress(VoicePackError):
        samples, _ = decode_recording(file)
        assert np.abs(samples).max(initial=0) <= 1


def test_a_write_that_is_cut_leaves_the_pack_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = pack_of(tmp_path, {"count.1": (spoken(), 0.04)})
    before = (tmp_path / INDEX_FILE).read_bytes()

    def no_room(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", no_room)
    with pytest.raises(VoicePackError, match="No space left"):
        add_recording(pack, "count.2", Recording("two", "count.2.wav"), spoken(), 24_000)
    assert (tmp_path / INDEX_FILE).read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} == {INDEX_FILE, "count.1.wav"}


def test_what_a_language_has_no_words_for_is_heard_in_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "locale" / "tlh"
    (place / "LC_MESSAGES").mkdir(parents=True)
    (place / "language.toml").write_text('name = "tlhIngan Hol"\n', encoding="utf-8")
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
    own = 'msgid "dnup.GameWon"\nmsgstr "{chair} yay."\n'
    (place / "LC_MESSAGES" / "companion.po").write_text(head + own, encoding="utf-8")
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    sounds, english = VoiceSounds(Language("tlh")), VoiceSounds(Language("en"))
    resumed = Sentence("shared.GameResumed")
    assert sounds.find_samples(WON) is None, "its own clip is not built yet"
    for sentence in (resumed, Sentence("kinapa.LiarCalled", (("number", 3),))):
        assert sounds.is_spoken(sentence) == english.is_spoken(sentence)
        assert np.array_equal(sounds.find_samples(sentence), english.find_samples(sentence))  # type: ignore[arg-type]
    assert np.array_equal(sounds.build_count(COUNT).samples, english.build_count(COUNT).samples)


def test_a_second_voice_of_the_program_plays_the_games_and_the_first_one_explains() -> None:
    (emma,) = second_voices("de")
    assert (emma.folder.name, emma.contents.speaker) == ("de.bf_emma", "Emma (Kokoro)")
    assert open_voice_pack("de.bf_emma").folder == emma.folder
    first, second = VoiceSounds(Language("de")), VoiceSounds(Language("de"), pack=emma)
    for said in (WON, Sentence("count.3"), Sentence("kinapa.NumberAnnounced", (("number", 7),))):
        ours, others = first.find_word(said), second.find_word(said)
        assert ours is not None
        assert others is not None
        assert not np.array_equal(ours.samples, others.samples), said
    explained = Sentence("lesson.kabuki.goal")
    assert np.array_equal(first.find_samples(explained), second.find_samples(explained))


def test_every_count_of_a_second_voice_fits_its_beats() -> None:
    (emma,) = second_voices("de")
    sounds = VoiceSounds(Language("de"), pack=emma)
    for number in range(1, 17):
        mixed = sounds.build_count(msgspec.structs.replace(COUNT, value=number))
        assert mixed.lead_in <= 1.6 * SECOND
    for beat in range(1, 9):
        word = sounds.find_word(Sentence(f"count.{beat}"))
        assert word is not None
        assert len(word.samples) / RATE - word.onset < 0.95, beat


def test_a_list_of_a_stranger_names_no_ogg(tmp_path: Path) -> None:
    clips = {WON_CLIP: {"text": TEXTS[WON_CLIP], "file": "won.ogg"}}
    (tmp_path / INDEX_FILE).write_text(json.dumps({"language": "en", "clips": clips}), encoding="utf-8")
    with pytest.raises(VoicePackError, match="is damaged"):
        open_pack(tmp_path)


def test_voices_are_compared_by_one_sentence_in_each() -> None:
    played: list[Samples] = []

    class Output(NullOutput):
        available = True

        def play(self, samples: Samples, at: Micros) -> bool:
            played.append(samples)
            return True

    clock = ManualClock()
    voice = Voice(Language("de"), clock, Output())
    voice.compare(SAMPLE_SENTENCE, [None, *second_voices("de")])
    for tick in range(400):
        clock.move_to(tick * SECOND // 20)
        voice.poll(clock.now())
    assert len(played) == 2
    assert not np.array_equal(*played)
