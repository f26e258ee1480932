"""What moves when the table changes, and that it stands still otherwise."""

from __future__ import annotations

import dataclasses
from typing import Any

import pygame
import pytest
from msgspec.structs import replace

from companion.core.actions import SECOND, Micros
from companion.core.view import PlaceView, ScreenArea
from companion.games import RULES
from companion.ui.board.motion import MOTION, find_moves
from companion.ui.frame import GameFrame, UiState
from companion.ui.pages.game import GamePage
from tests.programs.practising import Person
from tests.ui import games, shown
from tests.ui.board import test_kabuki_screens, test_kobayakawa_screens, test_sets

SIZE = (1280, 720)
LATER: Micros = 4 * SECOND


@pytest.fixture
def page() -> GamePage:
    return shown.pages(SIZE)["game"]  # type: ignore[no-any-return]


def drawn(page: GamePage, frame: GameFrame, now: Micros) -> bytes:
    surface = pygame.Surface(SIZE)
    page.draw(surface, frame, now)
    return pygame.image.tobytes(surface, "RGB")


def moves(page: GamePage) -> set[tuple[str, str]]:
    return {(move.name, move.kind) for move in page._moves}


def changed(frame: GameFrame, **more: Any) -> GameFrame:
    """The same table with an object turned over."""
    view = frame.view
    down = next(place for place in view.places if place.card.startswith("back:"))
    places = tuple(replace(one, card="object:5-6") if one is down else one for one in view.places)
    return dataclasses.replace(frame, view=replace(view, places=places), **more)


def turned_region(frame: GameFrame) -> str:
    found: PlaceView = next(place for place in frame.view.places if place.card.startswith("back:"))
    return found.region


def test_a_card_that_shows_another_face_is_turned_within_half_a_second(page: GamePage) -> None:
    before = games.frame("turning", 4)
    drawn(page, before, SECOND)
    after = changed(before)
    on_its_way = drawn(page, after, LATER)
    assert moves(page) == {(f"card:{turned_region(before)}", "turn")}
    assert page.redraw_interval(after) > 0
    ends = LATER + MOTION["turn"] * 1_000
    assert ends - LATER <= SECOND // 2
    assert drawn(page, after, ends) != on_its_way
    assert not moves(page)
    assert page.redraw_interval(after) == 0
    assert not page.needs_redraw(after, ends + SECOND), "nothing is painted where nothing moves"


def test_when_it_has_come_the_page_is_as_if_it_had_never_moved(page: GamePage) -> None:
    before = games.frame("turning", 4)
    drawn(page, before, SECOND)
    drawn(page, changed(before), LATER)
    at_rest = drawn(page, changed(before), 2 * LATER)
    assert at_rest == drawn(shown.pages(SIZE)["game"], changed(before), 0)


def test_a_press_ends_what_moves(page: GamePage) -> None:
    before = games.frame("turning", 4)
    drawn(page, before, SECOND)
    drawn(page, changed(before), LATER)
    pressed = changed(before, pressed=frozenset({2}))
    drawn(page, pressed, LATER + 50_000)
    assert not moves(page)


def test_in_a_calm_game_nothing_moves(page: GamePage) -> None:
    before = games.frame("turning", 4, UiState(calm=True))
    drawn(page, before, SECOND)
    drawn(page, changed(before), LATER)
    assert not moves(page)


def test_a_hand_goes_up_and_tokens_fly_to_whoever_has_them_now(page: GamePage) -> None:
    before = games.frame("turning", 4)
    giver = next(one for one in before.view.chairs if any(token.kind == "fox" for token in one.tokens))
    taker = next(one for one in before.view.chairs if not any(token.kind == "fox" for token in one.tokens))
    fox = next(token for token in giver.tokens if token.kind == "fox")
    chairs = tuple(
        replace(one, tokens=tuple(token for token in one.tokens if token is not fox), raised=one.raised)
        if one is giver
        else replace(one, tokens=(*one.tokens, fox))
        if one is taker
        else one
        for one in before.view.chairs
    )
    drawn(page, before, SECOND)
    after = dataclasses.replace(before, view=replace(before.view, chairs=chairs))
    drawn(page, after, LATER)
    assert (f"token:{taker.chair}:fox", "fly") in moves(page)
    low = next(one for one in before.view.chairs if not one.raised)
    up = tuple(replace(one, raised=True) if one.chair == low.chair else one for one in chairs)
    drawn(page, dataclasses.replace(before, view=replace(before.view, chairs=up)), 2 * LATER)
    assert (f"hand:{low.chair}", "lift") in moves(page)


def test_a_stake_comes_from_whoever_fights_and_not_from_the_middle(page: GamePage) -> None:
    table = test_kobayakawa_screens.bets(4)
    chair = next(prompt.chair for prompt in RULES["kobayakawa"].prompts(table.state))
    drawn(page, test_kobayakawa_screens.frame(table, UiState()), SECOND)
    before = page._stage
    assert before is not None
    table.say(chair, "fight")
    drawn(page, test_kobayakawa_screens.frame(table, UiState()), LATER)
    (stake,) = (move for move in page._moves if move.name == f"token:{chair}:fight")
    assert stake.source == before.placed[f"token:{chair}:kamon"].rect.center


def test_a_card_that_is_handed_over_or_given_back_goes_from_one_player_to_the_other(page: GamePage) -> None:
    drawn(page, games.frame("handing", 4), SECOND)
    for phase, giver, taker, now in (("returning", 3, 0, LATER), ("turning", 0, 3, 2 * LATER)):
        before = page._stage
        assert before is not None
        chairs = {chair: before.placed[f"chair:{chair}"].rect.center for chair in range(4)}
        drawn(page, games.frame(phase, 4), now)
        (handed,) = (move for move in page._moves if move.name == f"chair:{taker}")
        assert (handed.source, handed.goal.center) == (chairs[giver], chairs[taker])
        assert handed.ends - now <= SECOND // 2


def test_an_object_that_was_turned_while_its_place_was_not_shown_is_turned_as_that_is_shown() -> None:
    page = shown.pages((800, 480))["game"]
    before = games.frame("counting", 4)
    sheets = page.painted_sheet(before), page.painted_sheet(changed(games.frame("turning", 4)))
    assert not any(name.startswith("card:slot") for name in sheets[0].placed)
    turned = [(move.name, move.kind) for move in find_moves(*sheets, LATER) if move.kind == "turn"]
    assert turned == [(f"card:{turned_region(before)}", "turn")]


def test_a_mask_comes_from_the_deck_and_a_new_open_card_is_turned(page: GamePage) -> None:
    before = test_kabuki_screens.frame(test_kabuki_screens.stories()["playing"], UiState())
    drawn(page, before, SECOND)
    places = tuple(
        replace(one, card="mask:sun") if one.spot is ScreenArea.HAND else one for one in before.view.places
    )
    drawn(page, dataclasses.replace(before, view=replace(before.view, places=places)), LATER)
    assert moves(page) == {(f"card:{ScreenArea.HAND}", "slide")}
    betting = test_kobayakawa_screens.frame(test_kobayakawa_screens.dealt(), UiState())
    drawn(page, betting, 2 * LATER)
    drawn(page, dataclasses.replace(betting, view=replace(betting.view, card="number:3")), 3 * LATER)
    assert moves(page) == {("card:open", "turn")}


def test_what_is_thrown_comes_from_its_player(page: GamePage) -> None:
    table = test_kobayakawa_screens.dealt(4)
    chair = RULES["kobayakawa"].prompts(table.state)[0].chair
    drawn(page, test_kobayakawa_screens.frame(table, UiState()), SECOND)
    table.say(table.state.order[0], "discard", 11)
    drawn(page, test_kobayakawa_screens.frame(table, UiState()), LATER)
    assert (f"chip:{chair}:discard", "slide") in moves(page)


def test_a_set_that_is_taken_goes_to_whoever_has_it_now_as_one(page: GamePage) -> None:
    before = next(frame for name, frame in test_sets.frames("en") if name == "3:acting")
    drawn(page, before, SECOND)
    lies = next(place for place in before.view.places if len(place.on_top) == 3)
    places = tuple(replace(one, card="", on_top=()) if one is lies else one for one in before.view.places)
    first, *others = before.view.chairs
    chairs = (replace(first, cards=first.cards + 4), *others)
    after = dataclasses.replace(before, view=replace(before.view, places=places, chairs=chairs))
    stage = page._stage
    assert stage is not None
    was = stage.placed[f"card:{lies.region}"].rect.center
    drawn(page, after, LATER)
    (taken,) = (move for move in page._moves if move.name == f"chair:{first.chair}")
    assert taken.source == was


def test_edge_and_shadow_of_a_set_are_part_of_what_moves(page: GamePage) -> None:
    """Beside its number's pill nothing below what moves changes, and its own lower edge does."""
    laid = next(frame for name, frame in test_sets.frames("en") if name == "3:acting")
    taken = next(place for place in laid.view.places if len(place.on_top) == 3)
    places = tuple(replace(one, card="", on_top=()) if one is taken else one for one in laid.view.places)
    bare = dataclasses.replace(laid, view=replace(laid.view, places=places))
    seen: list[tuple[bytes, bytes]] = []
    rect: pygame.Rect | None = None
    for frame, at in ((laid, SECOND), (bare, 9 * LATER)):
        drawn(page, frame, at)
        assert page._stage is not None
        rect = rect or pygame.Rect(page._stage.placed[f"card:{taken.region}"].rect)
        inside, below = (
            page._stage.surface.subsurface(rect.x, top, rect.w // 8, 4)
            for top in (rect.bottom - 8, rect.bottom)
        )
        seen.append((pygame.image.tobytes(inside, "RGB"), pygame.image.tobytes(below, "RGB")))
    (lower_edge, felt), (no_edge, same_felt) = seen
    assert lower_edge != no_edge
    assert felt == same_felt


def begun(**more: Any) -> GameFrame:
    """A game of which nothing was ruled yet."""
    return games.frame("starting", log=(), can_undo=False, **more)


def test_a_game_begins_with_a_card_to_each_within_half_a_second_and_once(page: GamePage) -> None:
    drawn(page, games.frame("over", 4), SECOND)
    dealing = drawn(page, begun(), LATER)
    assert moves(page) == {(f"chair:{chair}", "deal") for chair in range(4)}
    ends = max(move.ends for move in page._moves)
    assert ends - LATER <= SECOND // 2
    assert drawn(page, begun(), LATER + 60_000) != dealing
    assert drawn(page, begun(), ends) == drawn(shown.pages(SIZE)["game"], begun(), 0)
    assert not moves(page)
    assert not page.needs_redraw(begun(), ends + SECOND)
    drawn(page, begun(can_redo=True), ends + 2 * SECOND)
    assert not moves(page), "it was dealt already"


def test_nothing_is_dealt_in_a_calm_game_nor_after_a_press(page: GamePage) -> None:
    drawn(page, games.frame("over", 4), SECOND)
    drawn(page, begun(ui_state=UiState(calm=True)), LATER)
    assert not moves(page)
    drawn(page, games.frame("over", 4), 2 * LATER)
    drawn(page, begun(), 3 * LATER)
    assert moves(page)
    drawn(page, begun(pressed=frozenset({1})), 3 * LATER + 50_000)
    assert not moves(page)


def test_where_nobody_holds_cards_those_on_the_table_are_dealt() -> None:
    page = shown.pages(SIZE)["game"]
    frame = test_kabuki_screens.frame(test_kabuki_screens.stories()["starting"], UiState())
    drawn(page, games.frame("over", 4), SECOND)
    drawn(page, frame, LATER)
    assert {name.partition(":")[0] for name, _ in moves(page)} == {"card"}


def test_the_cards_that_won_come_together_within_half_a_second(page: GamePage) -> None:
    before, won = games.frame("placing", 4), games.frame("over", 4)
    drawn(page, before, SECOND)
    on_its_way = drawn(page, won, LATER)
    assert moves(page) == {(f"won:{number}", "slide") for number in range(len(won.view.decided))}
    ends = max(move.ends for move in page._moves)
    assert ends - LATER <= SECOND // 2
    assert drawn(page, won, ends) != on_its_way
    assert not moves(page)
    calm = dataclasses.replace(won, ui_state=UiState(calm=True))
    drawn(page, before, 2 * LATER)
    drawn(page, calm, 3 * LATER)
    assert not moves(page)
    assert page.redraw_interval(calm) == 0


def test_in_practice_a_card_goes_from_the_pack_to_each_while_it_is_dealt(page: GamePage) -> None:
    person = Person("kobayakawa")
    person.run(0.1)
    frame = person.app.frame()
    assert isinstance(frame, GameFrame)
    begun, dealer = drawn(page, frame, SECOND), next(one for one in frame.view.chairs if one.asked)
    dealt = {chair.chair for chair in frame.view.chairs} - {dealer.chair}
    assert moves(page) == {(f"front:{chair}", "deal") for chair in dealt}
    assert "field" not in {key.rpartition(":")[2] for key in page.painted_sheet(frame).placed}
    assert drawn(page, frame, 2 * LATER) != begun
    assert moves(page) == set()
