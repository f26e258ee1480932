"""A lesson's file that is wrong is told so in words, with the line; none brings the program down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from companion.teach.lesson import LessonError, find_lesson_files, load_lesson, parse_lesson
from companion.teach.lint import find_problems
from tests.thorough import examples

LANGUAGES = ("en", "de", "fr")
VALUES = (
    '"x"', "3", "-1", "true", "[]", "[1, 2]", "{}", "1979-05-27", '["@9 foo"]', '{ event = "Nope" }',
    '["see"]', '["table a b"]', '["5s"]', '["lot"]', '["count"]', '["time"]', '["show @1"]', '["bot has"]',
    '["@1 announce 99999999999999999999"]',
)  # fmt: skip
SHORT = """
game = "kabuki"
mode = "x"
title = "lesson.kabuki.title"
players = 3

[[step]]
name = "place"
title = "lesson.kabuki.place.title"
start = ["lot @1", "@1 begin"]
[[step.part]]
say = "lesson.kabuki.place.do"
wait = { event = "MaskPlaced", seat = "@1" }
does = ["@1 place crab@2"]
"""


def told(source: str, *, walked: bool = False) -> list[str]:
    """What is said about a lesson's file."""
    try:
        lesson = parse_lesson(source, "mine")
    except LessonError as error:
        return [str(error)]
    return [
        str(one) for one in find_problems(lesson, source, lambda code, key: True, LANGUAGES, walked=walked)
    ]


def spoilt(lines: Sequence[str], rng: Random) -> str:
    """A file with one or two slips."""
    written = list(lines)
    for _ in range(rng.randint(1, 2)):
        at = rng.randrange(len(written))
        line = written[at]
        key = line.partition("=")[0]
        slip = rng.randrange(6)
        if slip == 0:
            del written[at]
        elif slip == 1:
            written.insert(rng.randrange(len(written)), line)
        elif slip == 2 and line:
            place = rng.randrange(len(line))
            written[at] = line[:place] + rng.choice('"[]{}=@#:x9, ') + line[place + 1 :]
        elif slip == 3 and key != line:
            written[at] = f"{key}= {rng.choice(VALUES)}"
        elif slip == 4:
            written[at] = line.replace("@1", "@8").replace("@2", "@1")
        else:
            written[at] = "".join(rng.choice("0123456789") if sign.isdigit() else sign for sign in line)
    return "\n".join(written)


@pytest.mark.parametrize(
    "file", [pytest.param(file, id=f"{file.parent.name}-{file.stem}") for file in find_lesson_files()]
)
def test_no_slip_in_a_file_is_more_than_a_sentence(file: Path) -> None:
    lines, rng = file.read_text(encoding="utf-8").split("\n"), Random(7)
    found = [told(spoilt(lines, rng)) for _ in range(examples(240))]
    assert sum(bool(one) for one in found) > len(found) // 3
    assert not any("Traceback" in said or "msgspec" in said for one in found for said in one)


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        (
            'mode = "x"',
            "mode = true",
            "mine, line 3: 'mode' has to be a text in \"quotes\", not true or false.",
        ),
        ('mode = "x"', "", "mine, line 1: 'mode' is missing here."),
        ('say = "les', 'sya = "les', "mine, line 12: nothing here is called 'sya'."),
        ("players = 3", "players = 9", "line 5: kabuki is for 2 to 6 players, not 9"),
        (
            '"kabuki"',
            '"kabuky"',
            (
                "mine, line 2: no game 'kabuky'; choose from kinapa, kabuki, kobayakawa, dnup, liars_dice,"
                " hearts, spades, euchre, roses, in_order, any_game."
            ),
        ),
        ('"@1 begin"]', '"@1 begn"]', "line 10: '@1 begn' breaks the rule turn.unknown"),
        ("MaskPlaced", "MaskPlacd", "line 13: kabuki has no ruling 'MaskPlacd'; there are MaskPlaced"),
        ('seat = "@1" }', 'sete = "@1" }', "line 13: MaskPlaced has no 'sete'"),
        ('"@1 place crab@2"]', '"place"]', "line 14: 'place' is not a step"),
        ('["@1 place crab@2"]', '["@1 look"]', "line 14: '@1 look' does not lead to MaskPlaced"),
        ('["@1 place crab@2"]', '["@1 place crab@2", "@1 look"]', "line 14: one deed at a time"),
    ],
)
def test_a_slip_is_told_with_its_line(was: str, becomes: str, said: str) -> None:
    assert was in SHORT
    first = told(SHORT.replace(was, becomes, 1), walked=True)[0]
    assert first.startswith(said)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('[step.lay]\n"@4" = ["mask:crab"]', "line 16: '@4': only 3 sit there"),
        ('[step.lay]\ndeck = ["mask:crap"]', "line 16: kabuki has no card 'mask:crap'; there are mask:crab"),
        ('[text.en]\n"lesson.my.hello" = "50 % of {it}"', "line 16: of braces only {chair} has a meaning"),
        ('[text.en]\n"lesson.my.hello" = "{0}"', "line 16: of braces only {chair} has a meaning"),
        ('[text.it]\n"lesson.my.hello" = "Ciao"', "line 15: no language 'it'; there are en, de, fr"),
        (
            '[[step.part]]\nsay = "a.b"\nquiz = ["1", "2", "3", "4", "5", "6"]\nright = 1\notherwise = "a.b"',
            "line 17: 6 answers have no room; 5 have",
        ),
    ],
)
def test_what_would_only_be_seen_at_the_table_is_told_before(more: str, said: str) -> None:
    assert told(SHORT + more)[0].startswith(said)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(LessonError, match=r"can't read .*none\.toml"):
        load_lesson(tmp_path / "none.toml")


def test_a_lesson_whose_cards_are_laid_out_page_by_page_is_walked_to_its_end() -> None:
    (file,) = find_lesson_files("kabuki")
    assert told(file.read_text("utf-8"), walked=True) == []
