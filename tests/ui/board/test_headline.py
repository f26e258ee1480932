"""The top of the game page: who is asked, by badge and name, and what to do; and what was just ruled."""

from __future__ import annotations

import pygame
import pytest

from companion.ui.board.headline import addressed_chair, only_asked_chair
from companion.ui.frame import UiState
from companion.ui.pages.game import GamePage
from companion.ui.toolkit.theme import BAD, GOLD, LOOK
from tests.ui import games, shown
from tests.ui.board import test_kobayakawa_screens


@pytest.fixture
def page() -> GamePage:
    return shown.pages((1280, 720))["game"]  # type: ignore[no-any-return]


def test_an_infraction_stands_on_red_over_who_does_what_now_and_offers_why(page: GamePage) -> None:
    frame = games.frame("turning", say=shown.SAID[1])
    sheet = page.painted_sheet(frame)
    for said in (shown.SAID[1], frame.view.headline):
        words = page.words(frame).text(said, games.NAMES)
        (text,) = [one for one in sheet.text_lines if one.string == words]
        assert set(text.grounds) == {BAD}
    assert "why" in {target.key for target in sheet.targets}


@pytest.mark.parametrize("name", ["first deal", "betting", "showdown", "last round", "deal of the last"])
def test_the_sentence_on_top_names_who_is_asked_beside_their_badge(page: GamePage, name: str) -> None:
    frame = test_kobayakawa_screens.frame(test_kobayakawa_screens.stories()[name], UiState())
    alone = only_asked_chair(frame)
    assert alone is not None
    sheet = page.painted_sheet(frame)
    top = [text for text in sheet.text_lines if text.rect.centery < sheet.u(LOOK.stage["head_end"])]
    assert sheet.name(alone) in " ".join(text.string for text in top)
    assert str(alone + 1) in {text.string for text in top}


def test_whoever_is_called_by_a_role_is_named_as_well(page: GamePage) -> None:
    """The Emperor gives a card back: the words name only who gets it."""
    frame = games.frame("returning")
    words = page.words(frame).text(frame.view.headline, games.NAMES)
    assert "Anna" not in words
    sheet = page.painted_sheet(frame)
    top = {text.string for text in sheet.text_lines if text.rect.centery < sheet.u(LOOK.stage["head_end"])}
    assert {"Anna", "1", words} <= top


def test_whoever_hands_a_card_over_is_called_though_another_says_whether_it_was_the_right_one(
    page: GamePage,
) -> None:
    frame = games.frame("handing")
    assert only_asked_chair(frame) == 0
    sheet = page.painted_sheet(frame)
    assert addressed_chair(sheet, frame) == 3
    top = {text.string for text in sheet.text_lines if text.rect.centery < sheet.u(LOOK.stage["head_end"])}
    assert top == {"4", page.words(frame).text(frame.view.headline, games.NAMES)}


def test_in_a_count_what_may_be_done_is_the_largest_of_all_answers(page: GamePage) -> None:
    sheet = page.painted_sheet(games.frame("counting"))
    raises = [text.size for text in sheet.text_lines if text.string == "Raise hand"]
    lowers = [text.size for text in sheet.text_lines if text.string == "Lower hand"]
    assert min(raises) >= 1.4 * sheet.unit
    assert min(raises) > max(lowers)


def test_a_count_says_to_each_once_what_may_be_done_and_is_whole_before_its_first_beat(
    page: GamePage,
) -> None:
    frame = games.frame("counting")
    sheet = page.painted_sheet(frame)
    may = [chair for chair in frame.view.chairs if chair.choices and not chair.raised]
    assert sum(text.string == "Raise hand" for text in sheet.text_lines) == len(may)
    surface, area = pygame.Surface((1280, 720)), sheet.moving["count"]
    page.draw(surface, frame, 0)
    reach = min(area.w, area.h) // 2 - sheet.em(1)
    for x, y in ((0, -reach), (reach, 0), (0, reach), (-reach, 0)):
        assert surface.get_at((area.centerx + x, area.centery + y))[:3] == GOLD
