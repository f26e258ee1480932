"""The voice without a sound card, without a clip, and what is kept of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pygame
import pytest

from companion.core.actions import SECOND, Setup
from companion.core.clock import ManualClock
from companion.core.view import Sentence
from companion.games.kinapa.rules import Kinapa
from companion.games.kinapa.rules.model import KinapaOptions
from companion.language.language import Language
from companion.language.voice import mixer
from companion.language.voice import sounds as _sounds
from companion.language.voice.mixer import RETRY_INTERVAL, WAKE_TIME, Mixer, select_device
from companion.language.voice.sound_outputs import NullOutput, RecordingOutput, WavOutput
from companion.language.voice.sounds import RATE, VoiceSounds, cue_sentence, decode_clip
from companion.language.voice.speech_synthesis import SpeechSynthesiser
from companion.language.voice.voice import Voice
from companion.programs.build_app import open_voice
from companion.settings.model import SoundSettings
from companion.simulation.game_simulation import GameSimulation, random_styles
from tests.language.voice.voice_table import Table, chatter, cue, each_language, won
from tests.outside_programs import needs

# Without a card, without a clip -----------------------------------------------------------------------------


def test_without_a_sound_card_captions_stay_as_long_as_reading_takes() -> None:
    clock = ManualClock()
    voice = Voice(Language("en"), clock, NullOutput("no sound card"))
    voice.say([won(), Sentence("kinapa.rule.turn.unknown")])
    assert voice.poll(0) == ()
    assert not voice.available
    assert voice.silence_reason == "no sound card"
    first = voice.caption
    assert first is not None
    clock.move_to(SECOND)
    voice.poll(SECOND)
    assert voice.caption == first, "a second is too short to read it"


def test_without_a_sound_card_the_count_is_never_said_to_be_heard() -> None:
    clock = ManualClock()
    voice = Voice(Language("en"), clock, NullOutput("no sound card"))
    voice.play_cue(cue())
    assert voice.poll(0) == ()
    assert voice.caption == cue_sentence(cue())


def test_a_card_that_does_not_open_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame.mixer.quit()
    monkeypatch.setenv("SDL_AUDIODRIVER", "there-is-no-such-driver")
    card = Mixer()
    assert not card.available
    assert card.silence_reason
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
    assert select_device(wanted) == called  # SDL's dummy has one name
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
    card.poll(RETRY_INTERVAL)
    assert card.available
    card.close()


def test_a_loudspeaker_that_comes_later_is_used_once_nothing_is_being_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    best = ["vc4hdmi0"]
    monkeypatch.setattr(mixer, "find_output_name", lambda _: best[0])
    card = mixer.Mixer(output_delay=lambda name: {"vc4hdmi0": 7, "Device": 9}[name])
    card.poll(SECOND)
    best[0] = "Device"
    card.play(np.zeros(RATE, np.int16), 2 * SECOND)
    card.poll(20 * SECOND)
    assert card.delay == mixer.MIXER_DELAY + 7, "it is being played"
    pygame.mixer.stop()
    card.poll(40 * SECOND)
    assert card.delay == mixer.MIXER_DELAY + 9
    card.close()


def test_a_card_that_was_lost_before_a_new_game_began_is_tried_in_it() -> None:
    card = Mixer()
    card.mark_lost("taken out", 100 * RETRY_INTERVAL)
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
    voice.handle_device_loss()
    assert not voice.available
    voice.say([won()])
    voice.poll(clock.now())
    assert voice.caption == won()
    clock.move_to(RETRY_INTERVAL - 1)
    voice.poll(clock.now())
    assert not voice.available
    clock.move_to(RETRY_INTERVAL)
    voice.poll(clock.now())
    assert voice.available
    assert voice.silence_reason == ""
    voice.close()


def test_a_mixer_that_others_closed_is_opened_again() -> None:
    clock = ManualClock()
    voice = Voice(Language("en"), clock, Mixer())
    pygame.mixer.quit()
    voice.play_cue(cue())
    assert voice.poll(clock.now()) == ()
    assert not voice.available
    clock.move_to(RETRY_INTERVAL)
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


def test_a_count_has_sounded_when_the_device_has_all_of_it_and_what_nobody_hears_keeps_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    card = Mixer()
    voice = Voice(Language("en"), ManualClock(), card)
    monkeypatch.delenv("SDL_AUDIODRIVER")  # as if somebody heard it
    assert voice.count_finished
    voice.play_cue(cue())
    voice.poll(0)
    voice.poll(WAKE_TIME)
    assert not voice.count_finished
    voice.stop_cue()
    assert voice.count_finished, "nothing is awaited of a count that is void"
    card.mark(60 * RATE, 0)
    assert not card.mark_reached
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    assert card.mark_reached
    card.close()
    assert card.mark_reached


def test_clips_are_read_although_no_card_was_opened() -> None:
    pygame.mixer.quit()
    _sounds._decode_or_raise.cache_clear()
    assert VoiceSounds(Language("fr")).find_samples(won()) is not None
    pygame.mixer.quit()


def test_a_damaged_clip_is_skipped_and_the_count_goes_on(tmp_path: Path) -> None:
    (tmp_path / "kinapa.NumberAnnounced.7.ogg").write_bytes(b"this is no sound")
    sounds = VoiceSounds(Language("en"), where=tmp_path)
    assert decode_clip(tmp_path / "kinapa.NumberAnnounced.7.ogg") is None
    samples, lead_in = sounds.build_count(cue())
    end = (lead_in + 3 * SECOND) * RATE // SECOND
    assert samples[end] != 0


@pytest.fixture
def unclipped(tmp_path: Path) -> Iterator[Voice]:
    """A voice at a card, with sentences that have no clip."""
    voice = Voice(Language("en"), ManualClock(), NullOutput(), SpeechSynthesiser())
    yield voice
    voice.close()


@needs("espeak-ng")
def test_free_text_is_spoken_by_espeak_while_the_loop_goes_on(unclipped: Voice) -> None:
    why = Sentence("kinapa.why.GameWon")
    unclipped.say([why])
    while unclipped.poll(0) == () and unclipped.caption == why and unclipped._synthesis is not None:
        pass
    assert unclipped.caption == why
    assert unclipped._busy_until > SECOND


def test_free_text_without_espeak_is_only_shown() -> None:
    clock = ManualClock()
    voice = Voice(Language("en"), clock, NullOutput(), SpeechSynthesiser("there-is-no-such-program"))
    why = Sentence("kinapa.why.GameWon")
    voice.say([why])
    voice.poll(0)
    assert voice.caption == why


def test_a_program_that_fails_leaves_the_caption() -> None:
    free = SpeechSynthesiser("false")
    assert free.start("en", "Hello")
    while (spoken := free.poll_speech()) is True:
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
        table.track.write_wav(tmp_path / name)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1]


def test_a_recording_keeps_what_the_card_plays_or_would_have_played() -> None:
    track = WavOutput()
    both = RecordingOutput(NullOutput("no sound card"), track)
    voice = Voice(Language("en"), ManualClock(), both)
    voice.play_cue(cue())
    assert len(voice.poll(0)) == 1
    assert voice.available


def test_a_fast_demo_is_timed_the_same_with_and_without_a_track() -> None:
    beats = []
    for track in (None, WavOutput()):
        voice = open_voice(Language("en"), SoundSettings(), ManualClock(), silent=True, track=track)
        voice.play_cue(cue())
        (started,) = voice.poll(0)
        beats.append(started.first_beat)
    assert beats[0] == beats[1]


def test_a_table_s_voice_has_the_loudness_of_the_settings() -> None:
    voice = open_voice(Language("en"), SoundSettings(volume=35, output_delay_ms=40), ManualClock())
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
        game = GameSimulation(rules, setup, seed=seed, styles=random_styles(seats, random.Random(seed)))
        before = 0
        for _ in game.run_entries():
            state, entries = game.referee.state, game.referee.journal.entries
            view = rules.view(state)
            shown |= {view.headline, *([view.hint] if view.hint else [])}
            shown |= {choice.label for chair in view.chairs for choice in chair.choices}
            for event in (event for entry in entries[before:] for event in entry.events):
                aloud, logged = rules.sentence(state, event), rules.sentence(state, event, log=True)
                shown |= {sentence for sentence in (aloud, logged) if sentence is not None}
                if aloud is not None:
                    said.add((aloud, rules.explanation_key(state, event)))
            before = len(entries)
    return Said(frozenset(shown), frozenset(said))


@each_language
@pytest.mark.parametrize("seats", [4, 8])
def test_everything_a_whole_game_tells_has_words_and_what_is_told_aloud_has_a_clip(
    code: str, seats: int
) -> None:
    language = Language(code)
    sounds, said = VoiceSounds(language), said_in_games(seats)
    for aloud, why in said.aloud:
        if sounds.is_spoken(aloud):
            assert sounds.find_samples(aloud) is not None, aloud
        assert f"kinapa.why.{why}" in language, aloud
    for sentence in said.shown:
        told = language.text(sentence, {0: "Anna"})
        assert "…" not in told, sentence
        assert told != sentence.key, sentence
