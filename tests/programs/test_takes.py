"""Which take of a sentence is kept, and that the clips are spoken as it was."""

from __future__ import annotations

import pytest

from companion.language.voice.clips import builtin_clip_folder, read_index
from tests.languages import LANGUAGES
from tests.programs.bench.voices import COUNT, OPENS, edits
from tests.programs.speech_engines import Delivery, ScoredTake, load_takes, load_voice_file
from tests.programs.takes import Heard, choose, deliveries, said_in_one_way, wrong_letters


def take(natural: float, wrong: int | None = 0, seconds: float = 1.0, rise: float = 0.02) -> Heard:
    return Heard(seconds, rise, ScoredTake(Delivery(), natural, wrong))


def test_fewer_wrong_letters_count_more_than_a_more_natural_voice() -> None:
    assert choose({"a": [take(3.9, 3), take(4.5, 3), take(3.1, 1)]}) == 2
    assert choose({"a": [take(3.9, 3), take(3.9, 2)]}) == 0, "one letter is chance"


def test_the_standing_take_stays_unless_the_difference_means_something() -> None:
    assert choose({"a": [take(3.9), take(4.05)]}) == 0
    assert choose({"a": [take(3.9), take(4.15)]}) == 1
    assert choose({"a": [take(3.9, None), take(4.15, None)]}) == 1, "a language without a recogniser"


def test_a_take_that_is_too_long_or_begins_late_in_the_count_is_out() -> None:
    assert choose({"a": [take(3.0), take(4.5, seconds=1.3), take(4.0)]}) == 2
    assert choose({"count.1": [take(3.0, seconds=0.5), take(4.5, seconds=0.5, rise=0.06)]}) == 0
    assert choose({"count.1": [take(3.0, seconds=0.5), take(4.5, seconds=0.95)]}) == 0


def test_what_is_heard_in_a_row_is_said_in_one_way() -> None:
    assert choose({"a": [take(3.0), take(4.4), take(3.5)], "b": [take(3.0), take(2.0), take(3.5)]}) == 2
    assert list(said_in_one_way(["x", *COUNT, *OPENS])) == [COUNT, OPENS, ("x",)]


def test_letters_of_a_name_that_no_recogniser_knows_do_not_count() -> None:
    assert wrong_letters("Kinapa 7", "Canapé, seven!", ["Kinapa"]) == 0
    assert wrong_letters("Kinapa 7", "Koala!", ["Kinapa"]) == 5
    assert wrong_letters("Stop!", "Stop it", []) == 2
    assert (edits("ab", "xaxb"), edits("ab", "xaxb", extra=0), edits("ab", "xa", extra=0)) == (2, 0, 1)


def test_the_first_delivery_is_the_standing_one_and_all_differ() -> None:
    ways = list(deliveries(Delivery(speed=1.15), 8))
    assert (ways[0], len(set(ways))) == (Delivery(speed=1.15), 8)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_clips_are_spoken_as_the_takes_that_were_kept(code: str) -> None:
    clips, own = read_index(builtin_clip_folder(code)).clips, load_voice_file(code, takes=False).clips
    for name, takes in load_takes(code).items():
        assert takes.kept is None or takes.kept in {one.delivery for one in takes.takes}
        if takes.kept is not None and name not in own and name in clips and clips[name].text == takes.text:
            row = "" if takes.kept.style_row is None else f" row {takes.kept.style_row} "
            assert f" {takes.kept.speed:g}{row or ' '}" in clips[name].spoken, f"{name}: run `make clips`"
