"""The voice tells what is new in order, counts at sample accuracy, and never stops the game."""

from __future__ import annotations

import random
import shutil
import wave
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.actions import SECOND, Cue, Micros, Setup, Started
from companion.core.clock import ManualClock
from companion.core.view import Sentence
from companion.games.kinapa.rules import Kinapa
from companion.games.kinapa.rules.options import KinapaOptions
from companion.run.build_app import open_voice
from companion.settings.model import Sound
from companion.simulation.play import Simulation, styles_for
from companion.ui import sounds as _sounds
from companion.ui.freetext import FreeText
from companion.ui.language import Language
from companion.ui.mixer import MIXER_DELAY, PATIENCE, Mixer, device_called
from companion.ui.sounds import RATE, Samples, Sounds, announcement, counted, decoded, duration
from companion.ui.track import TRACK_RATE, KeptAndHeard, Nowhere, VoiceTrack
from companion.ui.voice import BREATH, LONGEST_QUEUE, STALE, Voice
from tests.languages import LANGUAGES

each_language = pytest.mark.parametrize("code", LANGUAGES)
STEP: Micros = SECOND // 50


def cue(number: int = 7, attempt: int = 1, beats: int = 3) -> Cue:
    said = "NumberAnnounced" if attempt <= 1 else "RecountAsked"
    return Cue("kinapa.count", number, attempt, beats, f"kinapa.{said}")


def won(chair: int = 0) -> Sentence:
    return Sentence("kinapa.GameWon", (("chair", chair),))


def chatter(chair: int = 0) -> Sentence:
    return Sentence("kinapa.Admitted", (("chair", chair),))


class Table:
    """A voice at a clock moved by hand, into a track."""

    def __init__(self, code: str = "en") -> None:
        self.clock = ManualClock()
        self.track = VoiceTrack()
        self.language = Language(code)
        self.voice = Voice(self.language, self.clock, self.track)
        self.started: list[Started] = []

    def run(self, until: Micros) -> list[tuple[Micros, Sentence | None]]:
        """Poll as the loop does; gives every change of the caption."""
        told: list[tuple[Micros, Sentence | None]] = []
        while self.clock.now() < until:
            self.started += self.voice.poll(self.clock.now())
            caption = self.voice.caption
            if not told or told[-1][1] != caption:
                told.append((self.clock.now(), caption))
            self.clock.move_to(self.clock.now() + STEP)
        return told

    def heard(self, folder: Path) -> npt.NDArray[np.int16]:
        file = folder / "heard.wav"
        self.track.write(file)
        with wave.open(str(file), "rb") as stored:
            assert (stored.getframerate(), stored.getnchannels()) == (TRACK_RATE, 1)
            return np.frombuffer(stored.readframes(stored.getnframes()), dtype="<i2")


def told(changes: list[tuple[Micros, Sentence | None]]) -> list[Sentence]:
    return [caption for _, caption in changes if caption is not None]


# The count --------------------------------------------------------------------------------------------------


@each_language
@pytest.mark.parametrize("beats", [3, 5, 8])
@pytest.mark.parametrize("attempt", [1, 2])
def test_every_beat_begins_on_its_second_and_the_beep_ends_the_window(
    code: str, beats: int, attempt: int
) -> None:
    sounds = Sounds(Language(code))
    for number in (1, 7, 16):
        samples, lead_in = sounds.counted(cue(number, attempt, beats))
        first = lead_in * RATE // SECOND
        assert first * SECOND == lead_in * RATE
        assert lead_in <= 1_600_000
        for second in range(beats + 1):
            onset = first + second * RATE
            assert not samples[onset - RATE // 50 : onset].any(), "silence before every onset"
            assert samples[onset] != 0, "and sound from its very first sample"
            loudest = np.abs(samples[onset : onset + RATE // 4].astype(int)).max()
            assert loudest > 6_000


@each_language
def test_the_beats_are_spoken_and_not_only_ticked(code: str) -> None:
    samples, lead_in = Sounds(Language(code)).counted(cue())
    ticks, _ = counted(None, lead_in / SECOND, [None, None, None])
    difference = samples[: len(ticks)].astype(int) - ticks.astype(int)
    first = lead_in * RATE // SECOND
    for second in range(3):
        word = difference[first + second * RATE : first + (second + 1) * RATE]
        assert np.abs(word).max() > 3_000, "a word"
        assert np.abs(word[: RATE // 20]).max() > 300, "that begins with the beat"
    assert not difference[first + 3 * RATE :].any(), "the beep alone"


@each_language
def test_the_first_syllable_is_whole_and_has_silence_before_it(code: str) -> None:
    samples, lead_in = Sounds(Language(code)).counted(cue())
    assert np.abs(samples[: RATE // 50].astype(int)).max() < 200
    spoken = np.abs(samples[: lead_in * RATE // SECOND].astype(int))
    assert 0.02 < int(np.argmax(spoken > 600)) / RATE < 0.08
    assert spoken.max() > 8_000


def test_a_recount_says_no_number() -> None:
    samples, lead_in = Sounds(Language("en")).counted(cue(attempt=2))
    assert not samples[: lead_in * RATE // SECOND].any()


def test_without_a_length_the_count_only_opens_the_window() -> None:
    samples, lead_in = Sounds(Language("en")).counted(cue(beats=0))
    first = lead_in * RATE // SECOND
    assert samples[first] != 0
    assert not samples[first + RATE // 2 :].any()


@given(lead_in=st.integers(20, 160), beats=st.integers(1, 8), noise=st.integers(0, 2**32 - 1))
def test_whatever_was_recorded_the_beep_begins_exactly_at_the_end(
    lead_in: int, beats: int, noise: int
) -> None:
    chance = np.random.default_rng(noise)
    number: Samples = chance.integers(-9_000, 9_000, 2 * RATE, dtype=np.int16)
    samples, told_lead_in = counted(number, lead_in / 100, [None] * beats)
    end = (lead_in * RATE) // 100 + beats * RATE
    assert told_lead_in == lead_in * SECOND // 100
    assert not samples[end - RATE // 2 : end].any()
    assert samples[end] != 0


def test_the_count_is_heard_when_it_is_said_to_be_heard(tmp_path: Path) -> None:
    table = Table()
    table.clock.move_to(2 * SECOND)
    table.voice.play_cue(cue())
    table.run(9 * SECOND)
    (started,) = table.started
    assert started.cue == cue()
    heard = table.heard(tmp_path)
    for second in range(4):
        onset = round((started.first_beat + second * SECOND) * TRACK_RATE / SECOND)
        assert not heard[onset - 200 : onset].any()
        assert heard[onset : onset + 2].any()


def test_the_first_beat_lies_in_the_future_and_counts_the_way_to_the_ear() -> None:
    clock = ManualClock(5 * SECOND)
    card = Mixer(output_delay=120_000)
    voice = Voice(Language("en"), clock, card)
    voice.play_cue(cue())
    (started,) = voice.poll(clock.now())
    lead_in = Sounds(Language("en")).counted(cue()).lead_in
    assert started.first_beat == 5 * SECOND + lead_in + MIXER_DELAY + 120_000
    card.close()


def test_a_count_cuts_chatter_short_and_is_not_talked_over() -> None:
    table = Table()
    table.voice.say([chatter(0), chatter(1), chatter(2)])
    table.run(SECOND // 4)
    table.voice.play_cue(cue())
    table.run(SECOND // 2)
    table.voice.say([chatter(3)])
    sentences = told(table.run(12 * SECOND))
    assert sentences == [announcement(cue()), chatter(3)]
    assert len(table.started) == 1


def test_a_void_count_falls_silent_at_once(tmp_path: Path) -> None:
    table = Table()
    table.voice.play_cue(cue())
    table.run(2 * SECOND)
    table.voice.stop_cue()
    assert table.voice.caption is None
    table.voice.say([Sentence("shared.WindowVoided.pause")])
    assert told(table.run(3 * SECOND)) == [Sentence("shared.WindowVoided.pause")]
    table.run(9 * SECOND)
    assert not table.heard(tmp_path)[9 * TRACK_RATE :].any()


# Sentences --------------------------------------------------------------------------------------------------


def test_sentences_follow_each_other_and_are_the_caption_while_they_last() -> None:
    table = Table()
    table.voice.say([chatter(0), chatter(1)])
    changes = table.run(6 * SECOND)
    length = duration_of(table, chatter(0))
    assert told(changes) == [chatter(0), chatter(1)]
    assert changes[1][0] == pytest.approx(length + BREATH, abs=STEP)
    assert changes[-1][1] is None


def duration_of(table: Table, sentence: Sentence) -> Micros:
    samples = Sounds(table.language).of(sentence)
    assert samples is not None
    return duration(samples)


def test_what_is_urgent_comes_first_and_is_never_dropped() -> None:
    table = Table()
    table.voice.say([chatter(chair) for chair in range(8)])
    rules = [Sentence("kinapa.rule.turn.unknown"), won(2)]
    table.voice.say(rules, {"kinapa.GameWon"})
    assert told(table.run(9 * SECOND))[:2] == rules


def test_chatter_that_piles_up_is_dropped_oldest_first() -> None:
    table = Table()
    many = [chatter(number % 8) for number in range(LONGEST_QUEUE + 3)]
    table.voice.say(many)
    assert told(table.run(30 * SECOND)) == many[3:]


def test_the_end_of_a_round_is_told_whole_at_a_table_of_six() -> None:
    table = Table()
    scores = [Sentence("standing.score", (("chair", chair), ("score", 30 - chair))) for chair in range(6)]
    end = [Sentence("kabuki.RoundEnded.deck"), Sentence("standing.leads", (("chair", 0),)), *scores]
    table.voice.say(end)
    assert told(table.run(30 * SECOND)) == end


def test_an_address_and_what_follows_are_heard_as_one() -> None:
    sounds, sentence = Sounds(Language("en")), Sentence("shared.nudge", (("chair", 2),))
    address = sounds.language.address(sentence)
    assert address is not None
    called, whole = sounds.of(address), sounds.of(sentence)
    rest = sounds.of(Sentence("shared.nudge"))
    assert called is not None
    assert whole is not None
    assert rest is not None
    assert np.array_equal(whole, np.concatenate([called, rest]))


def test_chatter_that_waited_too_long_is_not_told() -> None:
    table = Table()
    table.voice.say([chatter(0)])
    table.clock.move_to(STALE + 1)
    assert told(table.run(STALE + SECOND)) == []


def test_what_is_for_the_screen_alone_is_not_said() -> None:
    table = Table()
    table.voice.say([Sentence("kinapa.HandTooEarly", (("chair", 0),))])
    assert told(table.run(3 * SECOND)) == []


def test_the_language_may_change_between_two_sentences(tmp_path: Path) -> None:
    heard = {}
    for code in LANGUAGES:
        table = Table("en")
        table.voice.speak(Language(code))
        table.voice.say([won()])
        table.run(3 * SECOND)
        heard[code] = table.heard(tmp_path).tobytes()
    assert len(set(heard.values())) == 3


# Without a card, without a clip -----------------------------------------------------------------------------


def test_without_a_sound_card_captions_stay_as_long_as_reading_takes() -> None:
    clock = ManualClock()
    voice = Voice(Language("en"), clock, Nowhere("no sound card"))
    voice.say([won(), Sentence("kinapa.rule.turn.unknown")])
    assert voice.poll(0) == ()
    assert not voice.available
    assert voice.reason == "no sound card"
    first = voice.caption
    assert first is not None
    clock.move_to(SECOND)
    voice.poll(SECOND)
    assert voice.caption == first, "a second is too short to read it"


def test_without_a_sound_card_the_count_is_never_said_to_be_heard() -> None:
    clock = ManualClock()
    voice = Voice(Language("en"), clock, Nowhere("no sound card"))
    voice.play_cue(cue())
    assert voice.poll(0) == ()
    assert voice.caption == announcement(cue())


def test_a_card_that_does_not_open_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame.mixer.quit()
    monkeypatch.setenv("SDL_AUDIODRIVER", "there-is-no-such-driver")
    card = Mixer()
    assert not card.available
    assert card.reason
    assert not card.play(np.zeros(100, dtype=np.int16), 0)
    card.stop(0)
    card.set_volume(10, mute=True)
    pygame.mixer.quit()


@pytest.mark.parametrize(
    ("wanted", "called"),
    [("", None), ("audio OUTPUT", "System audio output device"), ("nobody's", "nobody's")],
)
def test_a_card_is_found_by_a_part_of_its_name(wanted: str, called: str | None) -> None:
    pygame.mixer.quit()
    assert device_called(wanted) == called  # SDL's dummy has one name
    card = Mixer(wanted)
    assert card.available == (wanted != "nobody's")
    assert card.play(np.zeros(100, dtype=np.int16), 0) == card.available
    card.close()


def test_a_card_that_comes_after_the_program_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame.mixer.quit()
    with monkeypatch.context() as before:
        before.setenv("SDL_AUDIODRIVER", "there-is-no-such-driver")
        card = Mixer()
        assert not card.available
    card.poll(PATIENCE)
    assert card.available
    card.close()


def test_a_card_that_was_lost_before_a_new_game_began_is_tried_in_it() -> None:
    card = Mixer()
    card.lose("taken out", 100 * PATIENCE)
    card.poll(0)
    assert card.available
    card.close()


def test_another_game_is_not_waited_for_and_hears_nothing_of_the_one_before() -> None:
    table = Table()
    table.clock.move_to(900 * SECOND)
    table.voice.say([won(), chatter(0), chatter(1)])
    table.voice.poll(table.clock.now())
    assert table.voice.caption == won()
    table.clock.restart()
    assert table.voice.caption is None
    table.voice.say([chatter(2)])
    table.voice.poll(table.clock.now())
    assert table.voice.caption == chatter(2)


def test_a_card_that_was_taken_out_is_opened_again() -> None:
    clock = ManualClock()
    voice = Voice(Language("en"), clock, Mixer())
    voice.device_lost()
    assert not voice.available
    voice.say([won()])
    voice.poll(clock.now())
    assert voice.caption == won()
    clock.move_to(PATIENCE - 1)
    voice.poll(clock.now())
    assert not voice.available
    clock.move_to(PATIENCE)
    voice.poll(clock.now())
    assert voice.available
    assert voice.reason == ""
    voice.close()


def test_a_mixer_that_others_closed_is_opened_again() -> None:
    clock = ManualClock()
    voice = Voice(Language("en"), clock, Mixer())
    pygame.mixer.quit()
    voice.play_cue(cue())
    assert voice.poll(clock.now()) == ()
    assert not voice.available
    clock.move_to(PATIENCE)
    voice.play_cue(cue())
    assert len(voice.poll(clock.now())) == 1
    voice.close()


def test_the_stream_stays_open_between_sentences_in_the_format_of_the_clips() -> None:
    card = Mixer()
    assert pygame.mixer.get_init() == (RATE, -16, 2)
    card.play(np.ones(RATE, dtype=np.int16), 0)
    card.stop(0)
    assert pygame.mixer.get_init() == (RATE, -16, 2)
    card.close()


def test_clips_are_read_although_no_card_was_opened() -> None:
    pygame.mixer.quit()
    _sounds._whole.cache_clear()
    assert Sounds(Language("fr")).of(won()) is not None
    pygame.mixer.quit()


def test_a_damaged_clip_is_skipped_and_the_count_goes_on(tmp_path: Path) -> None:
    (tmp_path / "kinapa.NumberAnnounced.7.ogg").write_bytes(b"this is no sound")
    sounds = Sounds(Language("en"), where=tmp_path)
    assert decoded(tmp_path / "kinapa.NumberAnnounced.7.ogg") is None
    samples, lead_in = sounds.counted(cue())
    end = (lead_in + 3 * SECOND) * RATE // SECOND
    assert samples[end] != 0


@pytest.fixture
def unclipped(tmp_path: Path) -> Iterator[Voice]:
    """A voice at a card, with sentences that have no clip."""
    voice = Voice(Language("en"), ManualClock(), Nowhere(), FreeText())
    yield voice
    voice.close()


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="free text needs espeak-ng")
def test_free_text_is_spoken_by_espeak_while_the_loop_goes_on(unclipped: Voice) -> None:
    why = Sentence("kinapa.why.GameWon")
    unclipped.say([why])
    while unclipped.poll(0) == () and unclipped.caption == why and unclipped._synthesis is not None:
        pass
    assert unclipped.caption == why
    assert unclipped._busy_until > SECOND


def test_free_text_without_espeak_is_only_shown() -> None:
    clock = ManualClock()
    voice = Voice(Language("en"), clock, Nowhere(), FreeText("there-is-no-such-program"))
    why = Sentence("kinapa.why.GameWon")
    voice.say([why])
    voice.poll(0)
    assert voice.caption == why


def test_a_program_that_fails_leaves_the_caption() -> None:
    free = FreeText("false")
    assert free.start("en", "Hello")
    while (spoken := free.ready()) is True:
        pass
    assert spoken is False
    free.close()


# What is kept -----------------------------------------------------------------------------------------------


def test_the_same_game_writes_the_same_sound(tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        table = Table()
        table.voice.say([Sentence("kinapa.EmperorCrowned", (("chair", 3),))])
        table.run(2 * SECOND)
        table.voice.play_cue(cue(12))
        table.run(9 * SECOND)
        table.track.write(tmp_path / name)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1]


def test_a_recording_keeps_what_the_card_plays_or_would_have_played() -> None:
    track = VoiceTrack()
    both = KeptAndHeard(Nowhere("no sound card"), track)
    voice = Voice(Language("en"), ManualClock(), both)
    voice.play_cue(cue())
    assert len(voice.poll(0)) == 1
    assert voice.available


def test_a_fast_demo_is_timed_the_same_with_and_without_a_track() -> None:
    beats = []
    for track in (None, VoiceTrack()):
        voice = open_voice(Language("en"), Sound(), ManualClock(), silent=True, track=track)
        voice.play_cue(cue())
        (started,) = voice.poll(0)
        beats.append(started.first_beat)
    assert beats[0] == beats[1]


def test_a_table_s_voice_has_the_loudness_of_the_settings() -> None:
    voice = open_voice(Language("en"), Sound(volume=35, output_delay_ms=40), ManualClock())
    voice.set_volume(70, mute=True)
    voice.say([won()])
    voice.poll(0)
    assert voice.caption == won()
    voice.close()


class Said(NamedTuple):
    """What whole games say, the same in every language."""

    shown: frozenset[Sentence]
    aloud: frozenset[tuple[Sentence, str]]
    """Each with its reason."""


@cache
def said_in_games(seats: int) -> Said:
    """Everything in twelve games."""
    rules, setup = Kinapa(), Setup(tuple(range(seats)), KinapaOptions())
    shown: set[Sentence] = set()
    said: set[tuple[Sentence, str]] = set()
    for seed in range(12):
        game = Simulation(rules, setup, seed=seed, styles=styles_for(seats, random.Random(seed)))
        before = 0
        for _ in game.steps():
            state, entries = game.referee.state, game.referee.journal.entries
            view = rules.view(state)
            shown |= {view.headline, *([view.hint] if view.hint else [])}
            shown |= {choice.label for chair in view.chairs for choice in chair.choices}
            for event in (event for entry in entries[before:] for event in entry.events):
                aloud, logged = rules.sentence(state, event), rules.sentence(state, event, log=True)
                shown |= {sentence for sentence in (aloud, logged) if sentence is not None}
                if aloud is not None:
                    said.add((aloud, rules.why(state, event)))
            before = len(entries)
    return Said(frozenset(shown), frozenset(said))


@each_language
@pytest.mark.parametrize("seats", [4, 8])
def test_everything_a_whole_game_tells_has_words_and_what_is_told_aloud_has_a_clip(
    code: str, seats: int
) -> None:
    language = Language(code)
    sounds, said = Sounds(language), said_in_games(seats)
    for aloud, why in said.aloud:
        if sounds.is_told(aloud):
            assert sounds.of(aloud) is not None, aloud
        assert f"kinapa.why.{why}" in language, aloud
    for sentence in said.shown:
        told = language.text(sentence, {0: "Anna"})
        assert "…" not in told, sentence
        assert told != sentence.key, sentence
