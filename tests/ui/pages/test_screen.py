"""The time line on the screen: stepped through by buttons and fingers, saved by one."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pygame
import pytest
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from companion.core.view import Sentence, ViewMode
from companion.games import RULES
from companion.language.language import Language
from companion.programs.build_app import build_runtime
from companion.programs.simulated_host import build_practice_app
from companion.settings.model import Settings, StorageSettings
from companion.table.app import App
from companion.table.history import LOG_LENGTH, JournalHistory, build_timeline
from companion.ui import commands as do
from companion.ui.frame import HistoryLine, RecapFrame, UiState
from companion.ui.pages.base import PageResources
from companion.ui.pages.recap import RecapPage, find_turning_points
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


def looked_back_on(game: str, ui_state: UiState | None = None) -> RecapFrame:
    """The page itself, with every line of the log."""
    referee = played(game)
    history = JournalHistory(referee)
    lines = (HistoryLine(one.seq, one.sentence, one.why, one.taken_back) for one in history.all_lines())
    return RecapFrame(
        ui_state=ui_state or UiState(),
        view=RULES[game].view(referee.state, ViewMode.OPEN),
        board=RULES[game].board,
        log=tuple(lines),
        finishes=history.finishes(),
    )


@pytest.mark.parametrize("game", [name for name in RULES if RULES[name].board.full_screen_words])
def test_turning_points_are_rulings_that_had_the_screen_and_say_why_when_touched(game: str) -> None:
    frame = looked_back_on(game)
    targets = page((1280, 720)).painted_sheet(frame).targets
    points = {int(one.key.partition(":")[2]): one for one in targets if one.key.startswith("point:")}
    told = {line.seq for line in frame.log if line.sentence.event in RULES[game].board.full_screen_words}
    assert points
    assert set(points) <= told
    for seq, point in points.items():
        assert dict(point.action.changes) == {"overlay": "why", "about": seq} or game == "kabuki"


def test_what_was_taken_back_is_no_turning_point_and_a_caught_lie_has_its_card() -> None:
    lie = HistoryLine(5, Sentence("kinapa.LiarCalled", (("number", 7),)), "X4")
    caught = HistoryLine(6, Sentence("kinapa.Punished", (("chair", 3), ("foxes", 2))), "Punished")
    pair = HistoryLine(9, Sentence("kinapa.PairPlaced", (("chair", 0), ("number", 3), ("slot", 2))))
    frame = looked_back_on("kinapa")
    back = dataclasses.replace(frame, log=(lie, caught, replace(pair, retracted=True)))
    (point,) = find_turning_points(back, 4)
    assert (point.line.seq, point.pictures) == (6, ("animal:7",))


def test_a_contested_stop_is_looked_at_as_its_finish_and_reactions_have_a_bar_each() -> None:
    frame = looked_back_on("kabuki")
    leaf = page((1280, 720))
    targets = {one.key: one for one in leaf.painted_sheet(frame).targets}
    (race,) = (
        one
        for one in targets.values()
        if dict(one.action.changes).get("overlay") == "finish" and one.key != "reactions"
    )
    scroll = dict(race.action.changes)["scroll"]
    assert frame.finishes[::-1][scroll].contested
    assert "reactions" in targets


def test_the_log_of_the_whole_game_is_behind_a_button() -> None:
    frame = looked_back_on("kinapa", UiState(overlay="log"))
    assert len(frame.log) > LOG_LENGTH
    keys = {one.key for one in page((1280, 720)).painted_sheet(frame).targets}
    assert any(key.startswith("line:") for key in keys)


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
