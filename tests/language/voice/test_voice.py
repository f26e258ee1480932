"""The voice tells what is new in order, counts at sample accuracy, and never stops the game."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.core.view import Sentence
from companion.language.language import Language
from companion.language.voice.mixer import MIXER_DELAY, Mixer
from companion.language.voice.sound_outputs import TRACK_RATE
from companion.language.voice.sounds import RATE, Samples, VoiceSounds, cue_sentence, duration, mix_count
from companion.language.voice.voice import (
    LONGEST_QUEUE,
    LONGEST_WAIT,
    PAUSE,
    SHORT_TURN,
    STALE_AFTER,
    Verbosity,
    Voice,
)
from tests.language.voice.voice_table import STEP, Table, chatter, cue, each_language, told, won
from tests.languages import LANGUAGES

# The count --------------------------------------------------------------------------------------------------


@each_language
@pytest.mark.parametrize("beats", [3, 5, 8])
@pytest.mark.parametrize("attempt", [1, 2])
def test_every_beat_begins_on_its_second_and_the_beep_ends_the_window(
    code: str, beats: int, attempt: int
) -> None:
    sounds = VoiceSounds(Language(code))
    for number in (1, 7, 16):
        samples, lead_in = sounds.build_count(cue(number, attempt, beats))
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
    samples, lead_in = VoiceSounds(Language(code)).build_count(cue())
    ticks, _ = mix_count(None, lead_in / SECOND, [None, None, None])
    difference = samples[: len(ticks)].astype(int) - ticks.astype(int)
    first = lead_in * RATE // SECOND
    for second in range(3):
        word = difference[first + second * RATE : first + (second + 1) * RATE]
        assert np.abs(word).max() > 3_000, "a word"
        assert np.abs(word[: RATE // 20]).max() > 300, "that begins with the beat"
    assert not difference[first + 3 * RATE :].any(), "the beep alone"


@each_language
def test_the_first_syllable_is_whole_and_has_silence_before_it(code: str) -> None:
    samples, lead_in = VoiceSounds(Language(code)).build_count(cue())
    assert np.abs(samples[: RATE // 50].astype(int)).max() < 200
    spoken = np.abs(samples[: lead_in * RATE // SECOND].astype(int))
    assert 0.02 < int(np.argmax(spoken > 600)) / RATE < 0.08
    assert spoken.max() > 8_000


def test_a_recount_says_no_number() -> None:
    samples, lead_in = VoiceSounds(Language("en")).build_count(cue(attempt=2))
    assert not samples[: lead_in * RATE // SECOND].any()


def test_without_a_length_the_count_only_opens_the_window() -> None:
    samples, lead_in = VoiceSounds(Language("en")).build_count(cue(beats=0))
    first = lead_in * RATE // SECOND
    assert samples[first] != 0
    assert not samples[first + RATE // 2 :].any()


@given(lead_in=st.integers(20, 160), beats=st.integers(1, 8), noise=st.integers(0, 2**32 - 1))
def test_whatever_was_recorded_the_beep_begins_exactly_at_the_end(
    lead_in: int, beats: int, noise: int
) -> None:
    chance = np.random.default_rng(noise)
    number: Samples = chance.integers(-9_000, 9_000, 2 * RATE, dtype=np.int16)
    samples, told_lead_in = mix_count(number, lead_in / 100, [None] * beats)
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
    card = Mixer(output_delay=lambda _: 120_000)
    voice = Voice(Language("en"), clock, card)
    voice.play_cue(cue())
    (started,) = voice.poll(clock.now())
    lead_in = VoiceSounds(Language("en")).build_count(cue()).lead_in
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
    assert sentences == [cue_sentence(cue()), chatter(3)]
    assert len(table.started) == 1


def test_a_void_count_falls_silent_at_once(tmp_path: Path) -> None:
    table = Table()
    table.voice.play_cue(cue())
    table.run(2 * SECOND)
    table.voice.stop_cue()
    assert table.voice.caption is None
    table.voice.say([Sentence("kinapa.WindowVoided.pause")])
    assert told(table.run(3 * SECOND)) == [Sentence("kinapa.WindowVoided.pause")]
    table.run(9 * SECOND)
    assert not table.heard(tmp_path)[9 * TRACK_RATE :].any()


# Sentences --------------------------------------------------------------------------------------------------


def test_sentences_follow_each_other_and_are_the_caption_while_they_last() -> None:
    table = Table()
    table.voice.say([chatter(0), chatter(1)])
    changes = table.run(6 * SECOND)
    length = duration_of(table, chatter(0))
    assert told(changes) == [chatter(0), chatter(1)]
    assert changes[1][0] == pytest.approx(length + PAUSE, abs=STEP)
    assert changes[-1][1] is None


def duration_of(table: Table, sentence: Sentence) -> Micros:
    samples = VoiceSounds(table.language).find_samples(sentence)
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


RULING = (
    chatter(1),
    Sentence("kinapa.rule.turn.unknown"),
    Sentence("kinapa.EmperorCrowned", (("chair", 1),)),
    won(2),
)
URGENT, QUIET = {"kinapa.GameWon"}, {"kinapa.Admitted"}


@pytest.mark.parametrize(
    ("verbosity", "heard"),
    [
        ("little", [RULING[1], RULING[3]]),
        ("normal", [RULING[1], RULING[3], RULING[2]]),
        ("all", [RULING[1], RULING[3], RULING[0], RULING[2]]),
    ],
)
def test_of_a_ruling_so_much_is_said_as_is_wanted(verbosity: Verbosity, heard: list[Sentence]) -> None:
    table = Table()
    table.voice.set_verbosity(verbosity)
    table.voice.announce(RULING, URGENT, QUIET)
    assert told(table.run(15 * SECOND)) == heard


@pytest.mark.parametrize(("verbosity", "times"), [("little", 0), ("normal", 1)])
def test_whose_turn_it_is_is_told_unless_little_is_wanted(verbosity: Verbosity, times: int) -> None:
    table, turn = Table(), Sentence("shared.nudge", (("chair", 3),))
    table.voice.set_verbosity(verbosity)
    table.voice.announce([turn])
    assert told(table.run(5 * SECOND)) == [turn] * times


@pytest.mark.parametrize(
    ("verbosity", "length", "with_it", "times"),
    [
        ("normal", SHORT_TURN - SECOND, (), 0),
        ("normal", SHORT_TURN, (), 1),
        ("normal", SHORT_TURN - SECOND, (Sentence("kinapa.rule.turn.unknown"),), 1),
        ("all", SHORT_TURN - SECOND, (), 1),
    ],
)
def test_a_turn_after_a_short_one_goes_without_saying(
    verbosity: Verbosity, length: Micros, with_it: tuple[Sentence, ...], times: int
) -> None:
    table, (first, second) = Table(), (Sentence("shared.nudge", (("chair", chair),)) for chair in (2, 3))
    table.voice.set_verbosity(verbosity)
    table.voice.announce([first])
    before = told(table.run(length))
    table.voice.announce([*with_it, second])
    assert before == [first]
    assert told(table.run(20 * SECOND)) == [*with_it, *[second] * times]


@pytest.mark.parametrize(("verbosity", "late"), [("normal", []), ("all", [chatter(1)])])
def test_the_voice_is_never_two_rulings_late_unless_all_is_wanted(
    verbosity: Verbosity, late: list[Sentence]
) -> None:
    table = Table()
    table.voice.set_verbosity(verbosity)
    table.voice.announce([chatter(0)])
    table.run(SECOND // 10)
    table.voice.announce([chatter(1)])
    table.run(SECOND // 5)
    table.voice.announce([chatter(2)])
    assert told(table.run(9 * SECOND)) == [chatter(0), *late, chatter(2)]


def test_a_quiet_ruling_takes_no_other_its_turn() -> None:
    table = Table()
    table.voice.announce([won(0)])
    table.voice.announce([won(1)])
    table.voice.announce([chatter(2)], (), QUIET)
    assert told(table.run(9 * SECOND)) == [won(1)]


@pytest.mark.parametrize(("verbosity", "old"), [("normal", []), ("all", [won(1)])])
def test_the_newest_result_is_told_in_place_of_one_that_waits(
    verbosity: Verbosity, old: list[Sentence]
) -> None:
    table = Table()
    table.voice.set_verbosity(verbosity)
    for ruling in (won(0), won(1), won(2)):
        table.voice.announce([ruling], URGENT)
        table.run(SECOND // 10)
    assert told(table.run(9 * SECOND)) == [won(0), *old, won(2)]


@pytest.mark.parametrize("verbosity", ["little", "normal"])
def test_a_ruling_that_would_come_too_late_is_left_to_the_screen(verbosity: Verbosity) -> None:
    table = Table()
    table.voice.set_verbosity(verbosity)
    rules = [
        Sentence(f"kinapa.rule.{name}")
        for name in (
            "draw.duty",
            "pick.no_holder",
            "object.second_turned",
            "giveback.same_card",
            "draw.lot_first",
        )
    ]
    for rule in rules:
        table.voice.announce([rule])
        table.clock.move_to(table.clock.now() + 1)
    heard = table.run(20 * SECOND)
    assert told(heard) == rules[: len(told(heard))]
    assert 0 < len(told(heard)) < len(rules)
    assert max(at for at, caption in heard if caption is not None) < LONGEST_WAIT


def test_who_wins_the_game_is_said_however_long_the_last_round_takes_to_tell() -> None:
    """A tie's two sentences took 4.3 s: nobody heard who had won."""
    table = Table()
    kamons = (("chair", 3), ("count", 6), ("total", 14))
    ruling = [
        Sentence("kobayakawa.RoundWon.tie", kamons),
        Sentence("kobayakawa.RoundWon", kamons),
        Sentence("kobayakawa.GameWon", (("chair", 3),)),
    ]
    table.voice.announce(ruling, {"kobayakawa.RoundWon", "kobayakawa.GameWon"})
    assert told(table.run(15 * SECOND)) == ruling


@pytest.mark.parametrize("verbosity", ["normal", "all"])
def test_a_turn_that_begins_twice_in_one_ruling_is_told_once(verbosity: Verbosity) -> None:
    table = Table()
    table.voice.set_verbosity(verbosity)
    turn, began = Sentence("shared.nudge", (("chair", 0),)), Sentence("any_game.RoundBegan", (("number", 2),))
    table.voice.announce([turn, began, turn])
    assert told(table.run(9 * SECOND)) == [turn, began]


def test_what_was_asked_for_is_said_however_little_is_wanted() -> None:
    table = Table()
    table.voice.set_verbosity("little")
    table.voice.say([chatter(0)])
    assert told(table.run(3 * SECOND)) == [chatter(0)]


def test_an_address_and_what_follows_are_heard_as_one() -> None:
    sounds, sentence = VoiceSounds(Language("en")), Sentence("shared.nudge", (("chair", 2),))
    address = sounds.language.address_part(sentence)
    assert address is not None
    called, whole = sounds.find_samples(address), sounds.find_samples(sentence)
    rest = sounds.find_samples(Sentence("shared.nudge"))
    assert called is not None
    assert whole is not None
    assert rest is not None
    assert np.array_equal(whole, np.concatenate([called, rest]))


def test_chatter_that_waited_too_long_is_not_told() -> None:
    table = Table()
    table.voice.say([chatter(0)])
    table.clock.move_to(STALE_AFTER + 1)
    assert told(table.run(STALE_AFTER + SECOND)) == []


def test_what_is_for_the_screen_alone_is_not_said() -> None:
    table = Table()
    table.voice.say([Sentence("kinapa.HandTooEarly", (("chair", 0),))])
    assert told(table.run(3 * SECOND)) == []


def test_the_language_may_change_between_two_sentences(tmp_path: Path) -> None:
    heard = {}
    for code in LANGUAGES:
        table = Table("en")
        table.voice.set_language(Language(code))
        table.voice.say([won()])
        table.run(3 * SECOND)
        heard[code] = table.heard(tmp_path).tobytes()
    assert len(set(heard.values())) == 3
