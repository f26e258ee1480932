"""The time line on the screen: stepped through by buttons and fingers, saved by one."""

from __future__ import annotations

from pathlib import Path

import pygame
import pytest
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from companion.core.view import ViewMode
from companion.games import RULES
from companion.language.language import Language
from companion.programs.build_app import build_runtime
from companion.programs.practice import build_practice_app
from companion.settings.model import Settings, StorageSettings
from companion.table.app import App
from companion.table.recap.timeline import build_timeline
from companion.ui import commands as do
from companion.ui.frame import RecapFrame, UiState
from companion.ui.pages.base import PageResources
from companion.ui.pages.recap import RecapPage
from companion.ui.toolkit import inputs
from tests.table.recap.test_timeline import played


def shown(game: str, about: int = 0, language: str = "en") -> RecapFrame:
    referee = played(game)
    view = RULES[game].view(referee.state, ViewMode.OPEN)
    ui_state = UiState(overlay="timeline", about=about, language=language)
    return RecapFrame(ui_state=ui_state, view=view, moments=build_timeline(referee))


def page(size: tuple[int, int]) -> RecapPage:
    pygame.font.init()
    return RecapPage(PageResources(size, Language))


@pytest.mark.parametrize("game", RULES)
def test_ok_steps_to_the_end_and_back_leads_away(game: str) -> None:
    leaf, frame = page((1024, 600)), shown(game)
    for place in range(len(frame.moments)):
        assert frame.ui_state.about == place
        ui_state, _ = leaf.handle(ob.ButtonPressed(at=0, chair=None, button="ok"), frame)
        frame = RecapFrame(ui_state=ui_state, view=frame.view, moments=frame.moments)
        if place + 1 == len(frame.moments):
            break
    assert frame.ui_state.about in {len(frame.moments) - 2, len(frame.moments) - 1}


@pytest.mark.parametrize("size", [(1280, 720), (1024, 600)])
@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_every_stop_is_drawn_within_the_screen(size: tuple[int, int], language: str) -> None:
    leaf = page(size)
    whole = pygame.Rect((0, 0), size)
    frame = shown("kobayakawa", 5, language)
    surface = pygame.Surface(size)
    leaf.draw(surface, frame, 0)
    for target in leaf.painted_sheet(frame).targets:
        assert whole.contains(target.rect)


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("game", RULES)
def test_every_stop_in_sight_is_read_to_its_end(game: str, language: str) -> None:
    leaf, frame = page((1024, 600)), shown(game, 0, language)
    last = len(frame.moments) - 1
    for about in {0, last // 2, last}:
        ui_state = replace(frame.ui_state, about=about)
        sheet = leaf.painted_sheet(RecapFrame(ui_state=ui_state, view=frame.view, moments=frame.moments))
        assert [text.string for text in sheet.text_lines if text.cut] == []
        assert f"stop:{about}" in {target.key for target in sheet.targets}


def test_a_stop_is_touched() -> None:
    leaf, frame = page((1280, 720)), shown("dnup")
    target = next(one for one in leaf.painted_sheet(frame).targets if one.key == "stop:2")
    ui_state, _ = leaf.handle(inputs.FingerDown(*target.rect.center), frame)
    assert ui_state.about == 2


def finished(folder: Path) -> App:
    """A practice game that was given up and looked at."""
    clock = ManualClock()
    settings = replace(Settings(), storage=StorageSettings(folder=str(folder)))
    shared = build_runtime(settings, clock, silent=True)
    app = build_practice_app(settings, shared, do.StartPractice("kobayakawa", "easy", players=4), seed=1)
    for command in (do.AbandonGame(), do.RevealHiddenCards()):
        app.carry_out(command)
        for _ in range(10):
            app.step()
            clock.move_to(clock.now() + SECOND)
    return app


def test_the_page_is_saved_beside_the_games_and_said(tmp_path: Path) -> None:
    app = finished(tmp_path)
    app.carry_out(do.ShowPage("recap"))
    app.carry_out(do.SaveRecap())
    (saved,) = (tmp_path / "table" / "recaps").glob("*.html")
    assert app.frame().trouble is not None
    assert app.frame().trouble.key == "ui.recap.saved"
    assert saved.name in str(dict(app.frame().trouble.parts)["what"])


def test_where_it_cannot_be_saved_the_screen_says_so(tmp_path: Path) -> None:
    (tmp_path / "table").write_text("in the way", encoding="utf-8")
    app = finished(tmp_path)
    app.carry_out(do.SaveRecap())
    assert app.frame().trouble is not None
    assert app.frame().trouble.key == "shared.trouble.recap"
