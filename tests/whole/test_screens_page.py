"""docs/screens.md tells of every main screen, with its picture, and answers ten questions of each."""

from __future__ import annotations

import re

from tests.programs import screens

TEXT = screens.PAGE.read_text(encoding="utf-8")
ROWS = re.findall(
    r"^\| !\[[^\]]+\]\(pictures/screens/([^)]+)\.webp\) \| [^|]+ \| [^|]+ \| ([^|]+) \| [^|]+ \|$",
    TEXT,
    flags=re.MULTILINE,
)


def test_every_main_screen_has_its_row_and_its_picture_and_nothing_else_lies_there() -> None:
    names = [name for name, _ in ROWS]
    assert sorted(names) == sorted(screens.shown())
    assert {file.stem for file in screens.FOLDER.iterdir()} == set(names)


def test_what_is_answered_with_no_is_one_of_the_ten_questions_that_are_asked() -> None:
    asked = re.findall(r"^(\d+)\. ", TEXT, flags=re.MULTILINE)
    assert asked == [str(number) for number in range(1, 11)]
    for name, told in ROWS:
        assert told == "none" or set(told.split(", ")) <= set(asked), name
