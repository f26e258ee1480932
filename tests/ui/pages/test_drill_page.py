"""The drill's page: readable, whole, and with everybody's own chart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pygame
import pytest

from companion.core.exhibits import DrillResult
from companion.language.language import Language
from companion.ui.commands import ChairPress, LeaveOrQuit, Rematch
from companion.ui.frame import UiState
from companion.ui.pages.base import PageResources
from companion.ui.pages.drill import DrillFrame, DrillPage
from companion.ui.toolkit import inputs
from companion.ui.toolkit.theme import contrast_ratio, plate_ground
from tests.ui import shown

TRAINED = (
    DrillResult(0, (312_000, 290_000, 401_000), early=2, misses=1, last="hit"),
    DrillResult(1, (), early=0, misses=4, last="miss"),
    DrillResult(3, (250_000, 1_450_000), early=12, last="early"),
    *(DrillResult(chair, (500_000,)) for chair in (2, 4, 5, 6, 7)),
)


def frames(language: str) -> Iterator[DrillFrame]:
    ui_state = UiState(language=language)
    for count in (0, 3, 8):
        yield DrillFrame(ui_state=ui_state, stage="gathering", trained=TRAINED[:count])
        for lying in ("", "mask:wave"):
            yield DrillFrame(
                ui_state=ui_state,
                stage="running",
                trained=TRAINED[:count],
                buried="mask:moon",
                lying=lying,
                left=9,
            )
        yield DrillFrame(ui_state=ui_state, stage="over", trained=TRAINED[:count])


@pytest.mark.parametrize("size", shown.EACH)
@pytest.mark.parametrize("language", shown.LANGUAGES)
def test_every_text_is_large_readable_whole_and_on_the_screen(size: tuple[int, int], language: str) -> None:
    page = DrillPage(PageResources(size, Language))
    screen = pygame.Rect((0, 0), size)
    wrong: list[Any] = []
    for frame in frames(language):
        sheet = page.painted_sheet(frame)
        for text in sheet.text_lines:
            dim = min((contrast_ratio(text.colour, ground) for ground in text.grounds), default=0) < 4.5
            if text.size * 24 < size[1] or dim or text.cut or not screen.contains(text.rect):
                wrong.append((frame.stage, len(frame.trained), text))
        assert all(screen.contains(target.rect) for target in sheet.targets)
    assert wrong == []


def test_everybody_has_a_best_time_what_was_early_and_what_was_missed() -> None:
    page = DrillPage(PageResources((1280, 720), Language))
    frame = DrillFrame(ui_state=UiState(), stage="over", trained=TRAINED[:3])
    texts = [text.string for text in page.painted_sheet(frame).text_lines]
    assert {"0.29 s", "0.25 s", "–", "2 early", "1 missed", "12 early", "4 missed"} <= set(texts)
    keys = [target.key for target in page.painted_sheet(frame).targets]
    assert keys[:3] == ["chair:0", "chair:1", "chair:3"]


def test_each_player_s_figures_stand_on_a_plate_in_their_colour() -> None:
    page = DrillPage(PageResources((1280, 720), Language))
    frame = next(one for one in frames("en") if one.stage == "running" and len(one.trained) > 2)
    sheet = page.painted_sheet(frame)
    for one in frame.trained:
        (rect,) = [target.rect for target in sheet.targets if target.key == f"chair:{one.chair}"]
        at = sheet.surface.get_at((rect.right - 12, rect.y + 12))[:3]
        assert at == plate_ground(sheet.colour(one.chair))


@pytest.mark.parametrize(
    ("reactions", "lying", "praised"),
    [
        ((410_000,), "mask:moon", False),  # nothing to beat yet
        ((410_000, 380_000), "mask:moon", True),
        ((410_000, 380_000), "", True),
        ((410_000, 380_000), "mask:wave", False),  # the next ones have come
        ((380_000, 410_000), "mask:moon", False),
    ],
)
def test_a_time_that_beats_all_before_is_praised_until_the_next_mask(
    reactions: tuple[int, ...], lying: str, praised: bool
) -> None:
    page = DrillPage(PageResources((1280, 720), Language))
    frame = DrillFrame(
        ui_state=UiState(),
        stage="running",
        trained=(DrillResult(0, reactions, last="hit"),),
        buried="mask:moon",
        lying=lying,
        left=3,
    )
    texts = [text.string for text in page.painted_sheet(frame).text_lines]
    assert ("Red, that was your fastest." in texts) is praised
    assert f"{min(reactions) / 1_000_000:.2f} s" in texts, "the time to beat"


def test_a_key_a_finger_and_the_way_out() -> None:
    page = DrillPage(PageResources((1280, 720), Language))
    frame = DrillFrame(ui_state=UiState(), stage="running", trained=TRAINED[:3], buried="mask:moon")
    assert page.handle(inputs.KeyPressed("2", "2"), frame)[1] == (ChairPress(1, down=True, source="key"),)
    row = page.painted_sheet(frame).targets[0].rect
    assert page.handle(inputs.FingerDown(*row.center), frame)[1] == (
        ChairPress(0, down=True, source="touch"),
    )
    assert page.handle(inputs.KeyPressed("space"), frame)[1] == (), "no accident while it runs"
    assert page.handle(inputs.KeyPressed("escape"), frame)[1] == (LeaveOrQuit(),)
    over = DrillFrame(ui_state=UiState(), stage="over", trained=TRAINED[:3])
    assert page.handle(inputs.KeyPressed("return"), over)[1] == (Rematch(),)


def test_the_end_dares_everybody_to_beat_the_best_time() -> None:
    page = DrillPage(PageResources((1280, 720), Language))
    frame = DrillFrame(ui_state=UiState(language="en"), stage="over", trained=TRAINED)
    sheet = page.painted_sheet(frame)
    (again,) = [target for target in sheet.targets if target.key == "again"]
    assert sheet.label(again) == "Beat 0.25 s"
    untimed = DrillFrame(ui_state=UiState(language="en"), stage="over", trained=(DrillResult(0, ()),))
    sheet = page.painted_sheet(untimed)
    assert sheet.label(next(target for target in sheet.targets if target.key == "again")) == "Again"
