"""`companion voice`: somebody records sentences, may stop and go on, and is told what is wrong."""

from __future__ import annotations

import json
import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from companion.core.errors import CompanionError
from companion.language.voice.clips import Wave, builtin_clip_folder, read_index
from companion.language.voice.voice_pack import (
    INDEX_FILE,
    PackIndex,
    PackSentence,
    VoicePack,
    missing_sentences,
    open_pack,
    recordable_sentences,
    recording_faults,
    sentences_to_record,
)
from companion.programs.record_voice import RecordingSession, open_or_create_pack
from companion.system.terminal import to_printable
from tests.cli.command_line import Command

RATE = 48_000
ONE, OPENS = (
    PackSentence("count.1", "one", opens=False),
    PackSentence("kinapa.NumberAnnounced.7", "7", opens=True),
)
RULED = PackSentence("kinapa.rule.hand.foxed", "Red, put your hand down, please.", opens=False)
FEW = (ONE, OPENS, RULED)


def take(seconds: float, *, peak: float = 0.2, clicks: bool = False) -> Wave:
    """Somebody who waits a moment, says something, and waits again; `clicks`: the key is heard."""
    word = peak * np.sin(2 * np.pi * 300 * np.arange(round(seconds * RATE)) / RATE)
    samples = np.concatenate([np.zeros(RATE // 4), word, np.zeros(RATE // 4)])
    if clicks:
        samples[100:200] = samples[-200:-100] = 0.9
    return samples


class Tape:
    """A microphone that hears one take after the other."""

    def __init__(self, *takes: Wave) -> None:
        self._takes = iter(takes)
        self._into: Path | None = None
        self.played: list[Path] = []

    def start_recording(self, into: Path) -> None:
        self._into = into

    def stop_recording(self) -> None:
        if self._into is not None:
            with wave.open(str(self._into), "wb") as file:
                file.setparams((1, 2, RATE, 0, "NONE", ""))
                file.writeframes((np.clip(next(self._takes), -1, 1) * 32_767).astype("<i2").tobytes())
        self._into = None

    def play_file(self, file: Path) -> None:
        self.played.append(file)


class Person:
    """Answers at the terminal; has gone when no answer is left."""

    def __init__(self, *answers: str) -> None:
        self._answers: Iterator[str] = iter(answers)
        self.asked: list[str] = []
        self.told: list[str] = []

    def ask(self, question: str) -> str:
        self.asked.append(question)
        for answer in self._answers:
            return answer
        raise EOFError

    def say(self, line: str) -> None:
        assert to_printable(line) == line, "the terminal would spell it out"
        self.told.append(line)


def walked(place: Path, tape: Tape, person: Person, sentences: tuple[PackSentence, ...] = FEW) -> VoicePack:
    pack = open_pack(place) if (place / INDEX_FILE).exists() else VoicePack(place, PackIndex("en"))
    walk = RecordingSession(pack, tape, person.ask, person.say)
    walk.record_all(sentences)
    assert walk.pack.contents.clips == (
        open_pack(place).contents.clips if (place / INDEX_FILE).exists() else {}
    )
    return walk.pack


def test_the_count_comes_first_then_what_opens_it_then_what_is_ruled() -> None:
    names = [one.name for one in sentences_to_record("en")]
    assert names[:8] == [f"count.{beat}" for beat in range(1, 9)]
    assert names[8:24] == [f"kinapa.NumberAnnounced.{number}" for number in range(1, 17)]
    assert ".rule." in names[24]
    assert len(names) == len(
        [clip for clip in read_index(builtin_clip_folder("en")).clips.values() if not clip.like]
    )


def test_three_sentences_are_recorded_with_enter_alone(tmp_path: Path) -> None:
    person = Person(*[""] * 9)
    pack = walked(tmp_path / "mine", Tape(take(0.4), take(0.8), take(2.0)), person)
    assert set(pack.contents.clips) == {one.name for one in FEW}
    assert pack.contents.clips["count.1"].lead_in == pytest.approx(0.04, abs=0.01)
    assert pack.contents.clips[OPENS.name].lead_in == pytest.approx(0.04 + 0.8 + 0.12, abs=0.03)
    assert missing_sentences(open_pack(tmp_path / "mine"), FEW) == ()
    assert person.told[0].startswith("0 of 3 sentences recorded")
    assert person.told[-2] == f"Saved in {tmp_path / 'mine'}."
    assert f'voice_pack = "{tmp_path / "mine"}"' in person.told[-1]


def test_the_key_that_starts_and_stops_is_not_in_the_recording(tmp_path: Path) -> None:
    walked(tmp_path, Tape(take(0.4, clicks=True)), Person("", "", ""), (ONE,))
    with wave.open(str(tmp_path / "count.1.wav"), "rb") as file:
        assert file.getnframes() / file.getframerate() == pytest.approx(0.04 + 0.4 + 0.05, abs=0.02)


def test_who_stops_goes_on_later_with_what_is_missing(tmp_path: Path) -> None:
    person = Person("", "", "", "q")
    walked(tmp_path, Tape(take(0.4)), person)
    assert person.told[-2].endswith("2 to go: run the same command again.")
    person = Person("s", "", "", "")
    pack = walked(tmp_path, Tape(take(2.0)), person)
    assert set(pack.contents.clips) == {ONE.name, RULED.name}, "what was skipped is asked for again"
    assert person.told[0].startswith("1 of 3")
    assert missing_sentences(pack, FEW) == (OPENS,)


def test_who_walks_away_in_the_middle_of_a_take_keeps_what_was_recorded(tmp_path: Path) -> None:
    pack = walked(tmp_path, Tape(take(0.4), take(0.1)), Person("", "", "", ""))
    assert set(pack.contents.clips) == {ONE.name}


def test_a_take_can_be_heard_and_recorded_again(tmp_path: Path) -> None:
    tape = Tape(take(0.2), take(0.4))
    walked(tmp_path, tape, Person("", "", "p", "r", "", "", "k"), (ONE,))
    assert len(tape.played) == 1
    with wave.open(str(tmp_path / "count.1.wav"), "rb") as file:
        assert file.getnframes() / file.getframerate() > 0.4


def test_a_bad_take_is_recorded_again_unless_somebody_insists(tmp_path: Path) -> None:
    person = Person("", "", "", "", "", "k")
    walked(tmp_path, Tape(take(0.4, peak=3.0), take(1.2)), person, (ONE,))
    wrong = [line.strip() for line in person.told[3:5]]
    assert wrong == [
        "too loud: the sound is cut off; speak more softly or from further away.",
        "too long (1.2 s, 0.9 at most).",
    ]
    assert (tmp_path / "count.1.wav").exists()


def test_silence_and_an_enter_that_came_too_soon_are_not_kept(tmp_path: Path) -> None:
    person = Person("", "", "", "", "", "", "q")
    pack = walked(tmp_path, Tape(np.zeros(RATE), np.zeros(0), np.zeros(20)), person, (ONE,))
    assert pack.contents.clips == {}
    assert sum("nothing was heard" in line for line in person.told) == 3


def test_what_opens_the_count_is_not_kept_where_it_would_reach_into_it(tmp_path: Path) -> None:
    person = Person("", "", "k", "q")
    pack = walked(tmp_path, Tape(take(2.0)), person, (OPENS,))
    assert pack.contents.clips == {}
    assert person.told[-1] == "Nothing was recorded."
    assert any("takes too long" in line for line in person.told)


@pytest.mark.parametrize(
    ("one", "samples", "fault"),
    [
        (ONE, np.zeros(RATE), "nothing was heard"),
        (ONE, take(0.4, peak=0.012), "too quiet"),
        (ONE, take(0.4, peak=1.4), "too loud: the sound is cut off"),
        (RULED, take(2.0, peak=0.97), "too loud (-"),
        (RULED, take(0.5), "too short (0.5 s)"),
        (RULED, take(9.0), "too long (9.0 s, 6.3 at most)"),
        (OPENS, take(1.5), "too long (1.5 s, 1.4 at most)"),
    ],
)
def test_each_fault_of_a_recording_is_named(one: PackSentence, samples: Wave, fault: str) -> None:
    (said,) = recording_faults(one, np.clip(samples, -1, 1), RATE)
    assert said.startswith(fault)


@pytest.mark.parametrize("code", ["en", "de", "fr"])
def test_the_built_clips_pass_the_same_judgement(code: str) -> None:
    import soundfile

    wrong = []
    for one in sentences_to_record(code)[::75]:
        wrong += [
            (one.name, fault)
            for fault in recording_faults(one, *soundfile.read(builtin_clip_folder(code) / f"{one.name}.ogg"))
        ]
    assert wrong == []


def test_a_new_pack_asks_who_speaks_and_a_pack_in_another_language_is_refused(tmp_path: Path) -> None:
    pack = open_or_create_pack(tmp_path, Person(" Ada ", "").ask, language=None, usual="de")
    about = pack.contents
    assert (about.speaker, about.licence, about.language) == ("Ada", "CC0-1.0", "de")
    walked(tmp_path, Tape(take(0.4)), Person("", "", ""), (ONE,))
    again = open_or_create_pack(tmp_path, Person().ask, language=None, usual="de")
    assert (set(again.contents.clips), again.contents.language) == ({"count.1"}, "en")
    with pytest.raises(CompanionError, match="is in 'en', not 'de'"):
        open_or_create_pack(tmp_path, Person().ask, language="de", usual="en")


def test_check_says_what_is_missing_and_what_is_too_loud(companion: Command, tmp_path: Path) -> None:
    place = tmp_path / "mine"
    first, second = sentences_to_record("en")[:2]
    tape = Tape(take(0.4), take(0.4))
    walked(place, tape, Person(*[""] * 6), (first, second))
    said = companion("voice", "check", str(place))
    assert said.code == 0
    assert "missing: three (count.3)" in said.out
    told = f"2 of {len(sentences_to_record('en'))} sentences in en, licence: not stated; 0 mistakes"
    assert said.out.splitlines()[-1].startswith(told)
    with wave.open(str(place / "count.2.wav"), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes((np.clip(take(0.4, peak=3.0), -1, 1) * 32_767).astype("<i2").tobytes())
    said = companion("voice", "check", str(place))
    assert said.code == 1
    assert "count.2: too loud" in said.out


def test_check_knows_a_recording_that_is_heard_though_another_sentence_says_the_same(
    companion: Command, tmp_path: Path
) -> None:
    shared = next(one for one in recordable_sentences("en") if one.shared and "GameWon" in one.name)
    walked(tmp_path, Tape(take(len(shared.text) * 0.06)), Person("", "", ""), (shared,))
    said = companion("voice", "check", str(tmp_path))
    assert (said.code, "any more" in said.out) == (0, False)
    assert said.out.splitlines()[-1].endswith("0 mistakes.")


def test_the_command_says_what_to_do_where_nobody_can_record(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = companion("voice", "check", str(tmp_path / "none"))
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "companion: there is no voice pack" in said.err
    monkeypatch.setattr("builtins.input", lambda question: "")
    monkeypatch.setenv("PATH", str(tmp_path))
    said = companion("voice", "record", str(tmp_path / "new"))
    assert said.code == 1
    assert "sudo apt install alsa-utils" in said.err
    (tmp_path / "file").touch()
    assert companion("voice", "record", str(tmp_path / "file")).code == 2


def test_check_refuses_a_list_that_a_stranger_damaged(companion: Command, tmp_path: Path) -> None:
    (tmp_path / INDEX_FILE).write_text(json.dumps({"language": "en", "clips": 3}), encoding="utf-8")
    said = companion("voice", "check", str(tmp_path))
    assert said.code == 2
    assert "voice.json is damaged" in said.err
