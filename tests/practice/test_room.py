"""The open table on the smallest screen: the hands stay to be seen, a hint or none."""

from __future__ import annotations

import pygame
import pytest
from msgspec.structs import replace

from companion.ui import commands as do
from companion.ui import guide as lessons
from companion.ui.sheet import Sheet
from tests.practice.test_practice import Person


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_a_hint_leaves_all_hands_on_the_smallest_screen(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In dnup, where most choices and the largest hands are."""
    person = Person("dnup", is_open=True, seed=5)
    person.app.glass = replace(person.app.glass, language=language)
    for _ in range(60):
        person.run(2)
        if person.host.practice.options():
            break
    rows: list[int | None] = []
    drawn = lessons._row

    def told(sheet: Sheet, cell: pygame.Rect, row: tuple[str, int | None, tuple[str, ...]]) -> None:
        rows.append(row[1])
        drawn(sheet, cell, row)

    monkeypatch.setattr(lessons, "_row", told)
    for hint in (False, True):
        if hint:
            person.app.carry_out(do.Guide("hint"))
            assert person.host.practice.guidance().note is not None
        rows.clear()
        person.app._pages["game"].draw(pygame.Surface((1024, 600)), person.app.frame(), 0)
        assert rows == [0, 1, 2, 3]
