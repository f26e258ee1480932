"""The page that stands in for one that failed: in every size and language it can be read and left."""

from __future__ import annotations

import pytest
from games import frame

from companion.core.view import Sentence
from companion.ui.commands import Continue, Leave, Pause, Show, TakeBack
from companion.ui.frame import HomeFrame
from companion.ui.glass import Glass
from companion.ui.language import Language
from companion.ui.pages.plain import PlainPage
from companion.ui.screen import Screen
from tests.ui import shown

FAILED = Sentence("shared.part.page")


@pytest.mark.parametrize("code", shown.LANGUAGES)
@pytest.mark.parametrize("size", shown.EACH)
@pytest.mark.parametrize("phase", ["announcing", "turning", "succeeding", "over"])
def test_what_happens_and_what_failed_is_whole_on_it(phase: str, size: tuple[int, int], code: str) -> None:
    sheet = PlainPage(Screen(size, Language)).sheet(frame(phase, glass=Glass(language=code), trouble=FAILED))
    assert [text.string for text in sheet.written if text.cut] == []
    assert Language(code).text(FAILED) in " ".join(text.string for text in sheet.written)
    assert all(sheet.rect.contains(text.rect) for text in sheet.written)
    assert all(sheet.rect.contains(target.rect) for target in sheet.targets)


def test_a_game_can_be_paused_taken_back_and_left_from_it() -> None:
    sheet = PlainPage(Screen((1280, 720), Language)).sheet(frame("turning"))
    offered = [target.does.commands for target in sheet.targets]
    assert offered == [(Pause(),), (TakeBack(),), (Show("home"),)]
    assert (Continue(),) not in offered


def test_where_no_game_is_on_it_leads_home_or_out() -> None:
    sheet = PlainPage(Screen((1280, 720), Language)).sheet(HomeFrame(glass=Glass()))
    assert [target.does.commands for target in sheet.targets] == [(Show("home"),), (Leave(),)]
