"""Practice on the screen: the whole table, and the own cards as a fan under it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pygame
import pytest

from companion.core.view import Sentence
from companion.ui import commands as do
from companion.ui.board import practice_panel
from companion.ui.frame import UiState
from companion.ui.layout import Box
from tests.programs.practising import Person, reached
from tests.ui import games, shown

SIZES = ((800, 480), (1280, 720), (1920, 1080), (3840, 2160))
CARDS = ("animal:5", "shelter:5", "shelter:8", "animal:2")


def practised(players: int = 4, *, large: bool = False, language: str = "de", **more: Any) -> Any:
    guide = shown.guidance("practice", "lesson.practice.say", **{"lay": (("", 0, CARDS),), **more})
    ui_state = UiState(language=language, large=large)
    return games.frame("announcing", players, ui_state, guide=guide)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("note", [None, Sentence("lesson.kinapa.demand.well")])
def test_everything_is_whole_and_in_its_place(
    size: tuple[int, int], *, large: bool, note: Sentence | None
) -> None:
    sheet = shown.pages(size)["game"].painted_sheet(practised(large=large, note=note))
    screen = pygame.Rect((0, 0), size)
    assert [text.string for text in sheet.text_lines if text.cut or not screen.contains(text.rect)] == []
    rects = [target.rect for target in sheet.targets if target.key.startswith(("bar:", "guide:", "chair:"))]
    assert all(screen.contains(rect) for rect in rects)
    assert len(rects) >= 4


def test_the_fan_is_there_and_hides_no_plate_and_no_button() -> None:
    page = shown.pages((1280, 720))["game"]
    with_cards, without = page.painted_sheet(practised()), page.painted_sheet(practised(lay=()))
    fan = pygame.Rect(400, 0, 480, 0)
    fan.y = max(one.rect.bottom for one in with_cards.targets if one.key.startswith("chair:"))
    fan.h = min(one.rect.y for one in with_cards.targets if one.key.startswith("bar:")) - fan.y
    assert fan.h > 100
    spots = [(fan.x + 8 * step, fan.centery) for step in range(60)]
    painted = [with_cards.surface.get_at(spot)[:3] for spot in spots]
    assert len(set(painted)) > 20, "cards lie there"
    lower = [one.rect.bottom for one in without.targets if one.key.startswith("chair:")]
    assert max(lower) > fan.y, "without cards the table has the room"


def test_a_full_table_an_upright_screen_and_open_hands_have_the_cards_beside_it() -> None:
    wide, upright = Box(0, 0, 1280, 720), Box(0, 0, 1080, 1920)
    assert practice_panel.shows_fan(practised(), wide)
    assert not practice_panel.shows_fan(practised(), upright)
    assert not practice_panel.shows_fan(practised(8), wide)
    everybody = tuple(("", chair, CARDS) for chair in range(4))
    assert practice_panel.shows_fan(practised(lay=everybody), wide), "what a liar had to open lies beside it"
    known = (Sentence("lesson.open.largest"),)
    assert not practice_panel.shows_fan(practised(lay=everybody, back=known), wide)


@pytest.mark.parametrize("size", SIZES)
def test_cards_are_tapped_in_the_fan_and_one_button_says_what_they_make(size: tuple[int, int]) -> None:
    answer = (Sentence("dnup.do.add.from", (("chair", 3),)),)
    sheet = shown.pages(size)["game"].painted_sheet(practised(answers=answer, chooses=True, tapped=(1,)))
    cards = [target.rect for target in sheet.targets if target.key.startswith("card:")]
    (button,) = (target.rect for target in sheet.targets if target.key == "answer:1")
    bar = min(target.rect.y for target in sheet.targets if target.key.startswith("bar:"))
    assert len(cards) == len(CARDS)
    assert all(one.right <= other.x + 1 for one, other in pairwise(cards)), "no tap falls on two"
    assert all(rect.bottom <= bar for rect in cards), "none is under the toolbar"
    assert cards[1].y < cards[0].y, "the tapped one stands higher"
    assert button.y >= bar
    assert not any(text.cut for text in sheet.text_lines)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("players", [2, 4])
def test_sets_and_a_large_hand_share_one_felt(size: tuple[int, int], players: int) -> None:
    person = Person("dnup", seed=3, players=players)
    reached(person, "play")
    person.app.carry_out(do.ControlGuide("card:4"))
    sheet = shown.pages(size)["game"].painted_sheet(person.app.frame())
    screen = pygame.Rect((0, 0), size)
    cards = [target.rect for target in sheet.targets if target.key.startswith("card:")]
    assert len(cards) == len(person.host.practice.world.hands[0])
    assert all(rect.h > size[1] // 4 for rect in cards), "large"
    assert not [text.string for text in sheet.text_lines if text.cut or not screen.contains(text.rect)]
