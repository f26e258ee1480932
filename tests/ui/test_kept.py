"""The main screens look as they are kept."""

from __future__ import annotations

import pygame
import pytest

from tests.ui import kept

ALL = {one.name: one for one in kept.pictures()}


@pytest.mark.parametrize("name", ALL)
def test_the_screen_looks_as_it_is_kept(name: str) -> None:
    assert not kept.changed(ALL[name], kept.drawn(ALL[name])), "make kept shows what changed, and keeps it"


def test_nothing_else_is_kept_and_all_of_it_is_small() -> None:
    files = list(kept.FOLDER.iterdir())
    assert {file.stem for file in files} == set(ALL)
    assert sum(file.stat().st_size for file in files) <= 7_000_000


def test_a_letter_that_is_missing_and_a_plate_of_another_colour_are_changes() -> None:
    one = ALL["kinapa-announcing-4-1280"]
    now = kept.drawn(one)
    for spot, colour in ((pygame.Rect(200, 12, 9, 12), None), (pygame.Rect(2, 150, 60, 20), (90, 20, 30))):
        other = now.copy()
        other.fill(colour or now.get_at((2, 2)), spot)
        assert not kept.changed(one, now)
        assert kept.changed(one, other)
