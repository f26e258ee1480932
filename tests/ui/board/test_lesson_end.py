"""The end of a lesson: what was done, large, and a first game as the next touch."""

from __future__ import annotations

import dataclasses

import pygame
import pytest
from msgspec.structs import replace

from companion.core.actions import SECOND
from companion.teach.lesson import find_lesson_files, load_lesson
from companion.ui import commands as do
from companion.ui.frame import UiState
from companion.ui.toolkit.theme import GOLD
from tests.languages import LANGUAGES
from tests.teach.learner import Learner
from tests.ui import games, shown

SIZES = ((800, 480), (1280, 720), (1920, 1080), (1080, 1920))


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_everything_has_room_and_a_press_begins_a_first_game(size: tuple[int, int], code: str) -> None:
    page = shown.pages(size)["game"]
    frame = games.frame("turning", 4, UiState(language=code), guide=shown.GUIDES["done"])
    sheet = page.painted_sheet(frame)
    assert not [text.string for text in sheet.text_lines if text.cut]
    keys = {target.key: target.rect for target in sheet.targets}
    assert [*keys] == ["next", "following", "home"], "the first is what a press does"
    assert keys["next"].w >= keys["following"].w >= keys["home"].w
    _, commands = page.apply_action(frame, sheet.targets[0].action)
    assert commands == (do.StartPractice("kinapa", "easy", players=4),)
    assert pygame.Rect(sheet.moving["confetti"]).h < keys["next"].bottom, "nothing falls on the buttons"


def test_paper_falls_unless_the_table_is_calm() -> None:
    page = shown.pages((1280, 720))["game"]
    pictures = []
    for calm in (False, True):
        frame = games.frame("turning", 4, UiState(calm=calm), guide=shown.GUIDES["done"])
        surface = pygame.Surface((1280, 720))
        page.draw(surface, frame, SECOND)
        pictures.append(pygame.image.tobytes(surface, "RGB"))
        assert bool(page.redraw_interval(frame)) == (not calm)
    assert pictures[0] != pictures[1]


def test_a_game_that_cannot_be_practised_offers_the_next_lesson_first() -> None:
    guide = replace(shown.GUIDES["done"], practised=False)
    sheet = shown.pages((1280, 720))["game"].painted_sheet(games.frame("turning", 4, UiState(), guide=guide))
    first = sheet.targets[0]
    assert first.key == "following"
    assert sheet.surface.get_at((first.rect.x + 12, first.rect.centery))[:3] == GOLD


@pytest.mark.parametrize("file", find_lesson_files(), ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_every_lesson_ends_with_pictures_of_three_things(file) -> None:  # type: ignore[no-untyped-def]
    shown_steps = [step for step in load_lesson(file).step if step.learned]
    assert len(shown_steps) == 3


def test_at_a_drawn_table_the_lesson_ends_after_its_steps(tmp_path) -> None:  # type: ignore[no-untyped-def]
    learner = Learner(tmp_path, "kabuki/2-6", drawn=True)
    for _ in load_lesson(next(iter(find_lesson_files("kabuki")))).step:
        learner.touch("skip")
        learner.run(0.5)
    guide = learner.app.frame().guide  # type: ignore[union-attr]
    assert guide is not None
    assert guide.kind == "done", "nobody shuffles cards that are not there"
    assert len(guide.learned) == 3
    assert guide.practised
    assert guide.next_lesson != "kabuki/2-6"
    assert dataclasses.is_dataclass(learner.app.frame())
    learner.close()
