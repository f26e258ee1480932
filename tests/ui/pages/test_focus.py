"""What is marked when a page opens: the likely control, or the one that loses nothing."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.kinapa.rules.model import KinapaOptions
from companion.ui.frame import GameDraft, HomeFrame, RecapFrame, UiState
from tests.ui import games, shown


def setup(*chairs: int, **ui_state: Any) -> HomeFrame:
    front = UiState(draft=GameDraft("kinapa", chairs=chairs), **ui_state)
    return shown.setup_frame(front, options=KinapaOptions())


def home(draft: GameDraft, **more: Any) -> HomeFrame:
    return HomeFrame(ui_state=UiState(draft=draft), offered=shown.OFFERED, **more)


OPENED = {
    "set-up, nobody is in": ("setup", setup(), "chair:0"),
    "set-up, one is in": ("setup", setup(0), "chair:1"),
    "set-up, turned": ("setup", setup(first_chair=5), "chair:4"),
    "set-up, enough are in": ("setup", setup(0, 1), "start"),
    "home, enough are in": ("home", home(GameDraft("kabuki", chairs=(0, 1))), "start"),
    "home, a game waits": ("home", home(GameDraft("kabuki"), games=shown.STORED[:1]), "resume"),
    "home, nobody is in": ("home", home(GameDraft("kabuki")), "game:kabuki"),
    "settings": ("settings", HomeFrame(ui_state=UiState()), "home"),
    "sound": ("sound", HomeFrame(ui_state=UiState(), outputs=shown.OUTPUTS), "done"),
    "games": ("games", HomeFrame(ui_state=UiState(), games=shown.STORED), "game:3"),
    "recap": ("recap", RecapFrame(ui_state=UiState(), view=games.view("over"), log=games.LOG), "rematch"),
}


@pytest.mark.parametrize("opened", OPENED)
def test_a_page_begins_with_its_likely_control(opened: str) -> None:
    name, frame, marked = OPENED[opened]
    page = shown.pages((1280, 720))[name]
    assert page.focused_target(frame).key == marked
