"""Practice on the screen: the whole table, and the own cards as a fan under it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pygame
import pytest

from companion.core.view import Sentence
from companion.ui import commands as do
from companion.ui.board import practice_panel
from companion.ui.frame import UiState
from companion.ui.layout import Box
from tests.programs.practising import Person, reached
from tests.ui import games, shown

SIZES = ((800, 480), (1280, 720), (1920, 1080), pytest.param((3840, 2160), marks=pytest.mark.long))
CARDS = ("animal:5", "shelter:5", "shelter:8", "animal:2")


def practised(players: int = 4, *, large: bool = False, language: str = "de", **more: Any) -> Any:
    guide = shown.guidance("practice", "lesson.practice.say", **{"lay": (("", 0, CARDS),), **more})
    ui_state = UiState(language=language, large=large)
    return games.frame("announcing", players, ui_state, guide=guide)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("note", [None, Sentence("lesson.kinapa.crown.well")])
def test_everything_is_whole_and_in_its_place(
    size: tuple[int, int], *, large: bool, note: Sentence | None
) -> None:
    sheet = shown.pages(size)["game"].painted_sheet(practised(large=large, note=note))
    screen = pygame.Rect((0, 0), size)
    assert [text.string for text in sheet.text_lines if text.cut or not screen.contains(text.rect)] == []
    rects = [target.rect for target in sheet.targets if target.key.startswith(("bar:", "guide:", "chair:"))]
    assert all(screen.contains(rect) for rect in rects)
    assert len(rects) >= 4


@pytest.mark.parametrize("players", [2, 4, 6, 8])
def test_the_fan_lies_large_on_the_felt_and_hides_no_plate_and_no_button(players: int) -> None:
    page = shown.pages((1280, 720))["game"]
    bare = page.painted_sheet(practised(players, lay=(("", 0, ("animal:5",)),)))
    with_cards = page.painted_sheet(practised(players))
    one, other = (pygame.surfarray.array2d(sheet.surface) for sheet in (bare, with_cards))
    xs, ys = np.nonzero(one != other)
    fan = pygame.Rect(xs.min(), ys.min(), np.ptp(xs), np.ptp(ys))
    assert fan.h > 150
    assert fan.w > 200
    taken = [target.rect for target in with_cards.targets if target.key.startswith(("chair:", "bar:"))]
    assert not any(fan.colliderect(rect) for rect in taken)


def test_an_upright_screen_and_open_hands_have_the_cards_beside_the_table() -> None:
    wide, upright = Box(0, 0, 1280, 720), Box(0, 0, 1080, 1920)
    assert practice_panel.shows_fan(practised(), wide)
    assert practice_panel.shows_fan(practised(8), wide)
    assert not practice_panel.shows_fan(practised(), upright)
    everybody = tuple(("", chair, CARDS) for chair in range(4))
    assert practice_panel.shows_fan(practised(lay=everybody), wide), "what a liar had to open lies beside it"
    known = (Sentence("lesson.open.largest"),)
    assert not practice_panel.shows_fan(practised(lay=everybody, back=known), wide)


def test_the_turn_of_another_is_no_call_and_tells_what_was_done_last() -> None:
    for game in ("kinapa", "dnup", "kobayakawa"):
        person = Person(game, seed=3)
        met = 0
        for _ in range(60):
            person.run(0.5)
            frame = person.app.frame()
            asked = [one.chair for one in frame.view.chairs if one.asked]
            if frame.guide is None or len(asked) != 1 or asked == [0]:
                person.plays()
                continue
            met += 1
            table = practice_panel.practice_table(frame, frame.guide).view
            theirs = Sentence("ui.practice.theirs", (("chair", asked[0]),))
            assert table.headline == (frame.guide.headline or theirs)
            assert not any(one.choices for one in table.chairs), "nobody presses for them"
            assert table.hint is None or dict(table.hint.parts).get("chair") != asked[0]
        assert met, game


@pytest.mark.parametrize("size", [*SIZES, (1080, 1920)])
def test_a_number_is_called_by_a_card_of_the_hand_or_by_one_of_the_others(size: tuple[int, int]) -> None:
    person = next(one for one in (Person("kinapa", seed=seed) for seed in range(9)) if has_crown(one))
    guide = person.app.frame().guide
    held = {card.partition(":")[2] for card in person.host.practice.world.hands[0]}
    assert guide.picks, "what is not held"
    assert not held & {card.partition(":")[2] for card in guide.picks}
    for request in ("card:0", f"place:{guide.picks[0]}"):
        person.app.carry_out(do.ControlGuide(request))
        guide = person.app.frame().guide
        number = (guide.picks[0] if "place" in request else person.host.practice.world.hands[0][0])[-1]
        assert [dict(one.parts)["value"] for one in guide.answers] == [int(number)]
        sheet = shown.pages(size)["game"].painted_sheet(person.app.frame())
        keys = [target.key for target in sheet.targets]
        assert {"answer:1", "card:0", f"place:{guide.picks[0]}"} <= {*keys}
        assert not any(text.cut for text in sheet.text_lines)
    person.app.carry_out(do.ControlGuide("answer:1"))
    person.run(0.5)
    assert person.session.game.referee.state.turn.number == int(number)


def has_crown(person: Person) -> bool:
    """Whether this person is soon asked for a number."""
    for _ in range(20):
        person.run(0.5)
        guide = person.app.frame().guide
        if guide is not None and guide.picks:
            return True
    return False


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
    person.host.practice._has_acted = True
    person.app.carry_out(do.ControlGuide("card:4"))
    sheet = shown.pages(size)["game"].painted_sheet(person.app.frame())
    screen = pygame.Rect((0, 0), size)
    cards = [target.rect for target in sheet.targets if target.key.startswith("card:")]
    assert len(cards) == len(person.host.practice.world.hands[0])
    assert all(rect.h > size[1] // 4 for rect in cards), "large"
    assert not [text.string for text in sheet.text_lines if text.cut or not screen.contains(text.rect)]


def test_what_a_finger_does_on_the_table_no_plate_offers() -> None:
    person = next(one for one in (Person("kinapa", seed=seed) for seed in range(9)) if has_crown(one))
    for _ in range(120):
        person.run(0.5)
        frame = person.app.frame()
        mine = next(one for one in frame.view.chairs if one.chair == 0)
        if frame.guide and any(choice.action.verb == "turn" for choice in mine.choices):
            break
        person.plays()
    table = practice_panel.practice_table(frame, frame.guide).view
    assert next(one for one in table.chairs if one.chair == 0).choices == ()
    assert table.hint == Sentence("lesson.practice.touch")
    sheet = shown.pages((800, 480))["game"].painted_sheet(frame)
    assert sum(target.key.startswith("place:") for target in sheet.targets) == 8
