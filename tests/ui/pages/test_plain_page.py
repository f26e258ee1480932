"""The page that stands in for one that failed: in every size and language it can be read and left."""

from __future__ import annotations

import pytest

from companion.core.view import Sentence
from companion.language.language import Language
from companion.ui.commands import ContinueGame, LeaveOrQuit, PauseGame, ShowPage, UndoRuling
from companion.ui.frame import HomeFrame, UiState
from companion.ui.pages.base import PageResources
from companion.ui.pages.plain_pages import FallbackPage
from tests.ui import shown
from tests.ui.games import frame

FAILED = Sentence("shared.part.page")


@pytest.mark.parametrize("code", shown.LANGUAGES)
@pytest.mark.parametrize("size", shown.EACH)
@pytest.mark.parametrize("phase", ["announcing", "turning", "succeeding", "over"])
def test_what_happens_and_what_failed_is_whole_on_it(phase: str, size: tuple[int, int], code: str) -> None:
    sheet = FallbackPage(PageResources(size, Language)).painted_sheet(
        frame(phase, ui_state=UiState(language=code), trouble=FAILED)
    )
    assert [text.string for text in sheet.text_lines if text.cut] == []
    assert Language(code).text(FAILED) in " ".join(text.string for text in sheet.text_lines)
    assert all(sheet.rect.contains(text.rect) for text in sheet.text_lines)
    assert all(sheet.rect.contains(target.rect) for target in sheet.targets)


def test_a_game_can_be_paused_taken_back_and_left_from_it() -> None:
    sheet = FallbackPage(PageResources((1280, 720), Language)).painted_sheet(frame("turning"))
    offered = [target.action.commands for target in sheet.targets]
    assert offered == [(PauseGame(),), (UndoRuling(),), (ShowPage("home"),)]
    assert (ContinueGame(),) not in offered


def test_where_no_game_is_on_it_leads_home_or_out() -> None:
    sheet = FallbackPage(PageResources((1280, 720), Language)).painted_sheet(HomeFrame(ui_state=UiState()))
    assert [target.action.commands for target in sheet.targets] == [(ShowPage("home"),), (LeaveOrQuit(),)]
