"""How long a lesson takes, by a model: no word is spoken and nobody waits.

Everything said takes its words at 2.6 a second, as the clips do. A person takes 4 s for an answer, a deed or
a press to go on, and the others take the pauses that the file writes, at most 10 s of one part. The first
real round is a game and not counted; neither is laying the cards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.core.actions import SECOND
from companion.language.language import Language
from companion.teach.lesson import Lesson, LessonPart, find_lesson_files, load_lesson
from companion.teach.lint import catalogue_keys
from companion.teach.notation import parse_line
from tests.languages import LANGUAGES

PACE = 2.6
"""Words a second."""
ANSWER = 4.0
"""Seconds of a person for one answer, deed or press."""
LONGEST = 8 * 60
LESSONS = [pytest.param(file, id=f"{file.parent.name}-{file.stem}") for file in find_lesson_files()]
SENTENCE_ENDS = re.compile(r"[.!?…]\s+\S")


def spoken(words: Language, *keys: str) -> float:
    """Seconds to say these sentences."""
    return sum(len(re.findall(r"\w+", words.tr(key, chair="Red"))) for key in keys if "." in key) / PACE


def part_length(words: Language, lesson: Lesson, part: LessonPart) -> float:
    """Seconds until a part is done without a mistake."""
    others = sum(parse_line(line, 0, lesson.players).after for line in part.others) / SECOND
    acts = bool(part.quiz or part.does or part.wait is None)
    return spoken(words, part.say, *part.quiz, part.well) + (ANSWER if acts else 0.0) + min(others, 10.0)


def parts_with_times(words: Language, lesson: Lesson) -> Iterator[tuple[float, LessonPart]]:
    """Each part with the second in which it is done."""
    now = 0.0
    for step in lesson.step:
        if step.lay:
            now += ANSWER
        for part in step.part:
            now += part_length(words, lesson, part)
            yield now, part


def done_at(lesson: Lesson, event: str, code: str) -> float:
    """The second in which such a ruling has first come."""
    timed = parts_with_times(Language(code), lesson)
    return next(now for now, part in timed if part.wait is not None and part.wait["event"] == event)


def load(game: str, mode: str) -> Lesson:
    (lesson,) = (one for one in map(load_lesson, find_lesson_files(game)) if one.mode == mode)
    return lesson


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("file", LESSONS)
def test_no_lesson_is_longer_than_eight_minutes(file: Path, code: str) -> None:
    lesson, words = load_lesson(file), Language(code)
    (*_, (end, _)) = parts_with_times(words, lesson)
    end += 0 if lesson.round is None else spoken(words, lesson.round.say)
    assert end <= LONGEST, f"{end / 60:.1f} minutes"
    assert abs(lesson.minutes - end / 60) <= 1, (
        f"the file says {lesson.minutes} minutes, it is {end / 60:.1f}"
    )


@pytest.mark.parametrize("code", LANGUAGES)
def test_kinapas_lies_and_kabukis_stop_come_early(code: str) -> None:
    assert done_at(load("kinapa", "4-8"), "HandsLocked", code) <= 100, "the learner's own lie got through"
    assert done_at(load("kinapa", "4-8"), "HolderFound", code) <= 120
    assert done_at(load("kabuki", "2-6"), "StopAssigned", code) <= 60


@pytest.mark.parametrize(
    ("game", "mode", "event"),
    [
        ("kinapa", "4-8", "PairPlaced"),
        ("kabuki", "2-6", "StopRight"),
        ("dnup", "3-5", "SetPlayed"),
        ("dnup", "2", "SetPlayed"),
    ],
)
def test_how_one_wins_is_done_in_the_first_step(game: str, mode: str, event: str) -> None:
    first = load(game, mode).step[0]
    assert event in {part.wait["event"] for part in first.part if part.wait is not None}


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("file", LESSONS)
def test_the_coach_says_one_sentence_at_a_time(file: Path, code: str) -> None:
    lesson, words = load_lesson(file), Language(code)
    said = {key: words.tr(key, chair="Red") for _, key in catalogue_keys(lesson) if "." in key}
    assert {key: one for key, one in said.items() if SENTENCE_ENDS.search(one)} == {}


@pytest.mark.parametrize("file", LESSONS)
def test_a_question_about_cards_is_answered_with_cards(file: Path) -> None:
    """An answer that is only a number is one of cards, or an amount (`kamons`, `last`)."""
    lesson = load_lesson(file)
    bare = [
        part.say
        for step in lesson.step
        for part in step.part
        if step.name not in {"kamons", "last"}
        and not part.quiz_cards
        and any(answer.isdigit() for answer in part.quiz)
    ]
    assert bare == []


@pytest.mark.parametrize("file", LESSONS)
def test_no_comment_gives_the_next_answer_away(file: Path) -> None:
    """What is said when something was done well never holds the next question's right answer."""
    words = Language("en")
    for step in load_lesson(file).step:
        for before, part in zip(step.part, step.part[1:], strict=False):
            answer = part.quiz[part.right - 1] if part.quiz else ""
            if before.well and "." in answer:
                assert words.tr(answer).lower() not in words.tr(before.well).lower(), part.say
