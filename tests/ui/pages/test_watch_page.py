"""Watching what the camera reads: what is said of a card that could not be read."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from companion.core.camera_tasks import CameraPageInput, SpottedCard, WatchView
from companion.language.language import Language
from companion.ui.frame import CameraPageFrame, UiState
from tests.languages import LANGUAGES
from tests.ui import shown
from tests.ui.benches import PICTURE, SQUARE, WATCHED

SIZE = (1280, 720)
UNREAD = SpottedCard("", 0.0, SQUARE)


def words(view: WatchView, language: str) -> str:
    frame = CameraPageFrame(ui_state=UiState(language=language), camera_input=CameraPageInput(view, PICTURE))
    return " ".join(line.string for line in shown.pages(SIZE)["watch"].painted_sheet(frame).text_lines)


@pytest.mark.parametrize("language", LANGUAGES)
def test_that_a_card_may_be_none_of_the_deck_is_said_of_a_deck_taught_in_part_alone(language: str) -> None:
    tr = Language(language).tr
    for complete, seen, told in (
        (True, (UNREAD,), False),
        (False, (UNREAD,), True),
        (False, WATCHED.seen[:1], False),
    ):
        said = words(replace(WATCHED, complete=complete, seen=seen), language)
        assert (tr("ui.watch.unread") in said) == (UNREAD in seen)
        assert (tr("ui.watch.partial") in said) == told
