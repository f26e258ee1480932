"""The clips say what the catalogues say, fit into their room, and can be replaced one by one."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest
import soundfile

from companion.core.errors import CompanionError
from companion.core.view import Sentence
from companion.games import RULES
from companion.language.language import Language
from companion.language.voice.clips import (
    PREROLL_S,
    RATE,
    Clip,
    ClipIndex,
    builtin_clip_folder,
    find_speech,
    measure_lead_in,
    measure_loudness,
    read_index,
    second_voice_folders,
    trim_speech,
)
from companion.language.voice.sounds import VoiceSounds
from companion.language.voice.voice_pack import WORD_S, open_pack, pack_faults
from companion.system import asset_paths
from tests.language.voice.ogg import checksum, rewrite
from tests.languages import LANGUAGES
from tests.outside_programs import needs
from tests.programs.bench.voices import (
    HIGHEST_DBTP,
    LONGEST_PAUSE_S,
    is_start_cut,
    longest_pause,
    true_peak,
)
from tests.programs.clips import (
    RECIPE,
    Plan,
    Progress,
    build,
    build_pack,
    digest,
    explains,
    planned,
    with_time_left,
)
from tests.programs.speech_engines import EspeakEngine, SpeechEngineError

each_language = pytest.mark.parametrize("code", LANGUAGES)
FIRST_FOUR = {"kinapa", "kabuki", "kobayakawa", "dnup"}


def game_of(file: Path) -> str:
    """The game that a clip speaks of; of no game: the first part of its key."""
    first, *others = file.stem.split(".")
    return others[0] if first == "lesson" else first


def test_all_clips_but_of_later_games_fit_into_forty_five_megabytes_second_voices_too() -> None:
    files = (asset_paths.bundled_assets_folder() / "clips").rglob("*.ogg")
    later = set(RULES) - FIRST_FOUR
    assert 0 < sum(file.stat().st_size for file in files if game_of(file) not in later) <= 45_000_000


@each_language
def test_what_a_later_game_says_fits_into_a_megabyte_and_a_half(code: str) -> None:
    sizes: Counter[tuple[str, str]] = Counter()
    for folder in (builtin_clip_folder(code), *second_voice_folders(code)):
        for file in folder.glob("*.ogg"):
            sizes[folder.name, game_of(file)] += file.stat().st_size
    later = {game: size for game, size in sizes.items() if game[1] in set(RULES) - FIRST_FOUR}
    assert later
    assert {game: size for game, size in later.items() if size > 1_500_000} == {}


@each_language
def test_no_sentence_is_louder_than_another(code: str) -> None:
    """A sample here, every clip in `make bench ARGS="--only sound"`."""
    some = sorted(builtin_clip_folder(code).glob("*.ogg"))[::120]
    heard = [measure_loudness(*soundfile.read(file)) for file in some]
    assert max(heard) - min(heard) < 1.0


@each_language
def test_every_spoken_sentence_has_its_clip_and_nothing_else_lies_there(code: str) -> None:
    """What explains may lack its clip: it is said live then."""
    said = planned(code).said
    shared = {
        name: clip.like for name, clip in read_index(builtin_clip_folder(code)).clips.items() if clip.like
    }
    there = {file.stem for file in builtin_clip_folder(code).glob("*.ogg")}
    wanted = set(said) - set(shared)
    assert there <= wanted
    assert {name for name in wanted - there if not explains(name)} == set()
    assert not set(shared.values()) & set(shared), "no clip is like one that has no file"


@each_language
def test_a_clip_says_what_the_catalogue_says(code: str) -> None:
    said, shown, _ = planned(code)
    index = read_index(builtin_clip_folder(code))
    missing = {name for name in said if name not in index.clips and not explains(name)}
    stale = {name for name, clip in index.clips.items() if said.get(name) != clip.text}
    assert (missing, stale) == (set(), set()), "run `make clips`"
    assert index.screen_only == shown


@each_language
def test_no_clip_that_was_built_passes_for_a_recording(code: str) -> None:
    """A build that was killed left 29 files without their entries: they were never built again."""
    for folder in (builtin_clip_folder(code), *second_voice_folders(code)):
        clips = read_index(folder).clips
        assert [name for name, clip in clips.items() if not (clip.built or clip.like)] == []


@each_language
def test_the_voice_finds_the_clip_of_every_sentence_by_its_key_and_value(code: str) -> None:
    language, said = Language(code), planned(code)[0]
    for sentence in (
        Sentence("kinapa.NumberAnnounced", (("number", 16),)),
        Sentence("kinapa.GameWon", (("chair", 7),)),
        Sentence("kinapa.PairPlaced", (("chair", 2), ("number", 5), ("slot", 3))),
        Sentence("kinapa.ObjectTurned", (("label", "15-16"), ("slot", 12))),
        Sentence("kinapa.FoxRemoved", (("chair", 0), ("left", 0))),
        Sentence("kinapa.repair.hide", (("what", "hide"), ("where", 16))),
        Sentence("kinapa.LotDrawn", (("chair", 1), ("place", 4))),
        Sentence("kinapa.phase.over", (("chair", 1),)),
        Sentence("kinapa.WindowVoided.pause"),
        Sentence("count.8"),
    ):
        assert language.clip_name(sentence) in said, sentence


@each_language
def test_lessons_and_reasons_are_clips_unless_a_number_is_in_them(code: str) -> None:
    said, shown, _ = planned(code)
    assert {
        "lesson.lay.hand.red",
        "lesson.kinapa.pair.which",
        "lesson.kinapa.title",
        "kinapa.why.X4.bot",
    } <= set(said)
    assert {"lesson.hint.announce1", "lesson.open.best"} <= set(shown)
    assert not {"ui.why", "kinapa.hint.announcing"} & set(said)


@each_language
def test_a_sentence_with_a_plural_may_be_for_the_screen_alone(code: str) -> None:
    assert "dnup.SetPlayed" in planned(code).screen_only
    parts = (("chair", 0), ("value", 7), ("count", 2), ("many", 2))
    assert not VoiceSounds(Language(code)).is_spoken(Sentence("dnup.SetPlayed", parts))


@each_language
def test_what_the_screen_has_in_more_words_is_said(code: str) -> None:
    """Who lost a die, a card or a life had a clip that was never heard."""
    sounds = VoiceSounds(Language(code))
    for sentence in (
        Sentence("liars_dice.BidJudged", (("chair", 1), ("count", 9), ("how", "too_high"))),
        Sentence("roses.RoundEnded", (("chair", 0), ("how", "thorn"), ("owner_chair", 3))),
        Sentence("in_order.LifeLost", (("left", 4),)),
    ):
        assert sounds.is_spoken(sentence), sentence


@each_language
def test_whoever_is_addressed_costs_one_clip_for_all_sentences(code: str) -> None:
    language, said = Language(code), planned(code).said
    sentence = Sentence("kabuki.CheckBegan", (("chair", 1), ("stack", 3)))
    address = language.address_part(sentence)
    assert address is not None
    called, rest = said[language.clip_name(address)], said[language.clip_name(sentence)]
    assert language.clip_name(sentence) == "kabuki.CheckBegan.3"
    assert called == f"{language.chair_name(1)},"
    assert language.speech_text(sentence).casefold() == f"{called} {rest}".casefold()
    assert sum(text.startswith(f"{language.chair_name(1)}, ") for text in said.values()) == 0


def test_where_nobody_in_particular_is_meant_the_address_is_left_out() -> None:
    language, sentence = Language("en"), Sentence("dnup.rule.turn.not_yours")
    assert language.text(sentence) == language.speech_text(sentence) == "It isn’t your turn."
    assert language.address_part(sentence) is None


@each_language
def test_no_name_and_no_second_part_is_in_a_clip(code: str) -> None:
    said = planned(code).said
    assert not any("{" in text or "…" in text for text in said.values())


def test_a_spoken_sentence_with_two_parts_is_refused_by_name(tmp_path: Path) -> None:
    source = tmp_path / "en" / "LC_MESSAGES"
    source.mkdir(parents=True)
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
    entry = 'msgid "kinapa.Both"\nmsgstr "{chair} and {number}"\n'
    (source / "companion.po").write_text(head + entry, encoding="utf-8")
    with pytest.raises(CompanionError, match=r"kinapa\.Both .* write kinapa\.Both\.spoken"):
        planned("en", tmp_path)


@each_language
def test_clips_are_small_mono_files_with_silence_before_the_first_syllable(code: str) -> None:
    clips = read_index(builtin_clip_folder(code)).clips
    for file in sorted(builtin_clip_folder(code).glob("*.ogg"))[::48]:
        if digest(file) != clips[file.stem].built:
            continue  # somebody's own recording
        samples, rate = soundfile.read(file)
        assert samples.ndim == 1, file
        first, _ = find_speech(samples, threshold=0.01)  # a breathed h and an s are softer than a vowel
        assert 0.03 <= first / rate <= 0.07, file
        assert 0.2 <= np.abs(samples).max() <= 1.0, file


@each_language
def test_no_clip_has_a_cut_start_a_long_silence_or_a_peak_that_clips(code: str) -> None:
    """A sample here, every clip in `make bench ARGS="--only voices"`."""
    for file in sorted(builtin_clip_folder(code).glob("*.ogg"))[::200]:
        samples, _ = soundfile.read(file)
        assert not is_start_cut(samples), file
        assert longest_pause(samples) < LONGEST_PAUSE_S, file
        assert true_peak(samples) <= HIGHEST_DBTP, file


@each_language
def test_every_word_of_the_count_is_over_before_the_next_beat(code: str) -> None:
    index = read_index(builtin_clip_folder(code))
    for beat in range(1, 9):
        samples, rate = soundfile.read(builtin_clip_folder(code) / f"count.{beat}.ogg")
        _, last = find_speech(samples)
        assert last / rate - index.clips[f"count.{beat}"].lead_in <= WORD_S, beat


@each_language
def test_every_announcement_is_over_when_its_first_beat_falls(code: str) -> None:
    index = read_index(builtin_clip_folder(code))
    for number in range(1, 17):
        entry = index.clips[f"kinapa.NumberAnnounced.{number}"]
        samples, rate = soundfile.read(builtin_clip_folder(code) / f"kinapa.NumberAnnounced.{number}.ogg")
        assert 0 < entry.lead_in <= 1.6
        assert len(samples) / rate <= entry.lead_in + 0.01


def test_speech_is_cut_out_with_a_preroll_of_silence() -> None:
    samples = np.concatenate([np.zeros(7_000), np.sin(np.arange(12_000)), np.zeros(9_000)])
    cut = trim_speech(samples)
    first, last = find_speech(cut)
    assert first == pytest.approx(PREROLL_S * RATE, abs=25)
    assert len(cut) - last < RATE * 0.06


def test_an_announcement_that_takes_too_long_is_refused() -> None:
    with pytest.raises(CompanionError, match="takes too long"):
        measure_lead_in("kinapa.NumberAnnounced.7", np.ones(48_000), 24_000, opens=True)


def test_a_stream_keeps_everything_but_its_serial_number() -> None:
    file = builtin_clip_folder("en") / "count.1.ogg"
    stream = file.read_bytes()
    other = rewrite(stream, 7)
    assert other != stream
    assert other[14:18] == (7).to_bytes(4, "little")
    assert rewrite(other, int.from_bytes(stream[14:18], "little")) == stream


def test_the_padding_behind_the_tags_of_a_stream_is_left_out_and_its_sound_stays(tmp_path: Path) -> None:
    """libsndfile appends 764 zeros: 4.6 MB of all clips were such."""
    whole, cut = tmp_path / "whole.ogg", tmp_path / "cut.ogg"
    soundfile.write(whole, np.sin(np.arange(2_400) / 5), 24_000, format="OGG", subtype="OPUS")
    cut.write_bytes(rewrite(whole.read_bytes(), 7))
    assert len(whole.read_bytes()) - len(cut.read_bytes()) > 700
    assert (soundfile.read(cut)[0] == soundfile.read(whole)[0]).all()
    assert max(map(len, re.findall(rb"\0+", cut.read_bytes()))) < 16


def test_the_checksum_is_that_of_ogg(tmp_path: Path) -> None:
    file = tmp_path / "tone.ogg"
    soundfile.write(file, np.sin(np.arange(2_400) / 5), 24_000, format="OGG", subtype="OPUS")
    stream = bytearray(file.read_bytes())
    end = 27 + stream[26] + sum(stream[27 : 27 + stream[26]])
    stored = int.from_bytes(stream[22:26], "little")
    stream[22:26] = bytes(4)
    assert checksum(bytes(stream[:end])) == stored


OPENS = "kinapa.NumberAnnounced.7"
ESPEAK = EspeakEngine("en")
FEW = Plan({"count.1": "one", OPENS: "Kinapa 7"}, ("kinapa.HandRaised",), frozenset({OPENS}))


@needs("espeak-ng")
def test_two_builds_write_the_same_bytes(tmp_path: Path) -> None:
    for where in ("one", "two"):
        assert len(list(build("en", tmp_path / where, FEW, ESPEAK))) == 2
    for name in ("count.1.ogg", "kinapa.NumberAnnounced.7.ogg", "index.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@needs("espeak-ng")
def test_what_is_built_already_is_left_alone(tmp_path: Path) -> None:
    list(build("en", tmp_path, FEW, ESPEAK))
    assert list(build("en", tmp_path, FEW, ESPEAK)) == []
    assert len(list(build("en", tmp_path, FEW, ESPEAK, afresh=True))) == 2


@needs("espeak-ng")
def test_a_build_that_is_stopped_leaves_nothing_that_passes_for_a_recording(tmp_path: Path) -> None:
    list(build("en", tmp_path, FEW, ESPEAK))
    other = build("en", tmp_path, Plan({"count.1": "one", "count.2": "two"}, ()), ESPEAK)
    assert next(other).line == "en: kinapa.NumberAnnounced.7 is not said any more"
    other.close()
    assert sorted(file.stem for file in tmp_path.glob("*.ogg")) == ["count.1"]


@needs("espeak-ng")
def test_each_clip_is_listed_when_it_is_built_whatever_comes_then(tmp_path: Path) -> None:
    for _ in build("en", tmp_path, FEW, ESPEAK):
        listed = read_index(tmp_path).clips
        assert {file.stem for file in tmp_path.glob("*.ogg")} == set(listed)


@needs("espeak-ng")
def test_another_voice_is_built_as_a_pack_and_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    begun = build_pack("en", "bm_george", ESPEAK, folder)
    first, second = next(begun), next(begun)
    assert (first.line, second.left) == ("en bm_george: setup.ready", (first.left or 0) - 1)
    begun.close()
    pack = open_pack(folder)
    assert (pack.contents.speaker, pack.contents.licence) == ("George (Kokoro)", "CC0-1.0")
    assert len(pack.contents.clips) == 2
    assert list(pack_faults(pack)) == []
    next(build_pack("en", "bm_george", ESPEAK, folder))
    assert len(open_pack(folder).contents.clips) == 3


@needs("espeak-ng")
def test_two_that_say_the_same_share_a_file_until_one_is_recorded(tmp_path: Path) -> None:
    twins = Plan({"a.won": "Red wins!", "b.won": "Red wins!"}, ())
    assert list(build("en", tmp_path, twins, ESPEAK)) == [Progress("en: a.won", 0)]
    assert (read_index(tmp_path).clips["b.won"].like, (tmp_path / "b.won.ogg").exists()) == ("a.won", False)
    (tmp_path / "b.won.ogg").write_bytes((builtin_clip_folder("de") / "count.1.ogg").read_bytes())
    assert list(build("en", tmp_path, twins, ESPEAK)) == []
    assert read_index(tmp_path).clips["b.won"].like == "", "somebody recorded this one"


@needs("espeak-ng")
def test_a_recording_of_ones_own_is_kept_and_its_lead_in_measured(tmp_path: Path) -> None:
    list(build("en", tmp_path, FEW, ESPEAK))
    own = tmp_path / "count.1.ogg"
    samples = np.concatenate([np.zeros(4_410), 0.5 * np.sin(np.arange(20_000) / 7)])
    soundfile.write(own, samples, 44_100, format="OGG", subtype="VORBIS")
    recorded = own.read_bytes()
    assert list(build("en", tmp_path, FEW, ESPEAK, afresh=True)) == [Progress(f"en: {OPENS}", 0)]
    assert own.read_bytes() == recorded
    assert read_index(tmp_path).clips["count.1"].lead_in == pytest.approx(0.1, abs=0.005)


@needs("espeak-ng")
def test_a_stated_lead_in_is_never_measured_again(tmp_path: Path) -> None:
    list(build("en", tmp_path, FEW, ESPEAK))
    (tmp_path / "count.1.ogg").write_bytes((builtin_clip_folder("de") / "count.1.ogg").read_bytes())
    index = read_index(tmp_path)
    stated = Clip("one", index.clips["count.1"].built, lead_in=0.25, stated=True)
    changed = ClipIndex(index.recipe, index.screen_only, {**index.clips, "count.1": stated})
    (tmp_path / "index.json").write_bytes(msgspec.json.encode(changed))
    list(build("en", tmp_path, FEW, ESPEAK))
    assert read_index(tmp_path).clips["count.1"] == stated


@needs("espeak-ng")
def test_a_sentence_that_is_not_said_any_more_loses_its_clip(tmp_path: Path) -> None:
    list(build("en", tmp_path, FEW, ESPEAK))
    fewer = Plan({"count.1": "one"}, ())
    assert list(build("en", tmp_path, fewer, ESPEAK)) == [Progress(f"en: {OPENS} is not said any more")]
    assert not (tmp_path / "kinapa.NumberAnnounced.7.ogg").exists()


def test_after_each_clip_it_says_how_many_are_left_and_for_how_long() -> None:
    steps = [Progress("gone"), Progress("one", 2), Progress("two", 1), Progress("three", 0)]
    clock = iter(range(0, 36_000, 3_600))
    assert list(with_time_left(steps, lambda: next(clock))) == [
        "gone",
        "one (2 left, 2.0 h)",
        "two (1 left, 1.0 h)",
        "three (0 left, 0.0 h)",
    ]


def test_without_espeak_one_sentence_names_the_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SpeechEngineError, match="sudo apt install espeak-ng"):
        list(build("en", tmp_path, FEW, ESPEAK))


def test_a_file_that_the_index_knows_is_not_built_again(tmp_path: Path) -> None:
    (tmp_path / "count.1.ogg").write_bytes((builtin_clip_folder("en") / "count.1.ogg").read_bytes())
    built = Clip("one", digest(tmp_path / "count.1.ogg"))
    (tmp_path / "index.json").write_bytes(msgspec.json.encode(ClipIndex(RECIPE, (), {"count.1": built})))
    assert list(build("en", tmp_path, Plan({"count.1": "one"}, ()), ESPEAK)) == []
    assert read_index(tmp_path).clips == {"count.1": built}
