"""The kit: smooth edges, sprites kept in bounds, one look from one file, and what each state says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pygame
import pytest

from companion.ui.board.count_ring import CountRing
from companion.ui.board.table_centre import DEEP
from companion.ui.frame import UiState
from companion.ui.layout import Box
from companion.ui.pages.game import GamePage
from companion.ui.toolkit.sprites import (
    Shadow,
    SpriteCache,
    draw_line,
    draw_polygon,
    draw_rounded_rect,
    draw_shadow,
)
from companion.ui.toolkit.theme import BAD, FELT, GOLD, GROUND, PAPER, TEXT, load_design_tokens, luminance
from companion.ui.toolkit.widgets import draw_focus_ring, paint_empty_place
from tests.ui import games, shown

RED = (200, 0, 0)
BLACK = (0, 0, 0)


@pytest.fixture(scope="module")
def page() -> GamePage:
    game: GamePage = shown.pages((1280, 720))["game"]
    return game


# What is kept


def test_every_number_of_the_look_is_used() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in Path("companion/ui").rglob("*.py"))
    groups: Mapping[str, Any] = {
        name: getattr(load_design_tokens(), name)
        for name in ("colours", "share", "text", "type", "radius", "line", "avatar")
    }
    assert [key for group in groups.values() for key in group if f'"{key}"' not in source] == []


def test_sprites_are_kept_in_bounds_and_drawn_again_when_they_went() -> None:
    sprites = SpriteCache(most=2000)
    first = sprites.disc(10, RED, None, 0)
    assert sprites.disc(10, RED, None, 0) is first
    for radius in range(11, 16):
        sprites.disc(radius, RED, None, 0)
    assert sprites.points <= 2000
    assert sprites.disc(10, RED, None, 0) is not first


# Smooth edges


def shades(surface: pygame.Surface) -> set[int]:
    """How red the points are."""
    points = pygame.surfarray.array3d(surface)
    assert not points[..., 1:].any()
    return set(points[..., 0].flatten().tolist())


def test_corners_slanted_lines_and_figures_have_smooth_edges() -> None:
    for draw in (
        lambda on: draw_rounded_rect(on, SpriteCache(), Box(4, 4, 52, 52), RED, radius=20),
        lambda on: draw_polygon(on, RED, [(30, 5), (55, 50), (5, 41)]),
        lambda on: draw_line(on, RED, [(5, 8), (54, 47)], 6),
    ):
        surface = pygame.Surface((60, 60))
        draw(surface)
        found = shades(surface)
        assert {0, 200} <= found
        assert len(found) > 4


def test_a_smooth_edge_is_no_darker_than_what_lies_on_both_sides_of_it() -> None:
    surface = pygame.Surface((60, 60))
    surface.fill((100, 0, 0))
    draw_rounded_rect(surface, SpriteCache(), Box(4, 4, 52, 52), RED, radius=20)
    assert min(shades(surface)) >= 98


# Light and shade


@pytest.mark.parametrize("size", [(30, 30), (60, 30), (30, 44)])
def test_a_shadow_is_darkest_at_the_edge_fades_and_lies_a_little_lower(size: tuple[int, int]) -> None:
    surface, rect = pygame.Surface((100, 100)), Box(20, 20, *size)
    surface.fill(RED)
    draw_shadow(surface, SpriteCache(), rect, Shadow(8, 3, 0.5, BLACK), radius=6)
    below = [surface.get_at((rect.centerx, rect.bottom + far))[0] for far in range(14)]
    assert below == sorted(below)
    assert below[0] < 160 < below[8] <= below[-1] == 200
    above, left = ((rect.centerx, rect.y - 1), (rect.x - 1, rect.centery))
    assert below[0] < surface.get_at(left)[0] < surface.get_at(above)[0] + 1


def test_cards_throw_a_shadow_on_the_felt(page: GamePage) -> None:
    sheet = page.painted_sheet(games.frame("turning"))
    card = sheet.placed["card:slot:8"].rect
    near, far = (
        luminance(sheet.surface.get_at((card.x - away, card.centery))[:3]) for away in (1, card.w // 3)
    )
    assert near < far


def test_a_place_where_no_card_lies_is_a_hollow_in_the_felt(page: GamePage) -> None:
    surface = pygame.Surface((100, 100))
    surface.fill(FELT)
    paint_empty_place(page.painted_sheet(games.frame("turning")).on_screen(surface), Box(20, 20, 60, 60))
    assert luminance(surface.get_at((50, 50))[:3]) < luminance(FELT)


def test_cards_to_choose_from_fill_their_room_unless_one_of_them_is_lifted(page: GamePage) -> None:
    sheet = page.painted_sheet(games.frame("announcing"))
    tiles = [pygame.Rect(one.rect) for one in sheet.targets if one.key.startswith("tile:")]
    assert tiles
    for tile in tiles:
        assert sheet.surface.get_at((tile.centerx, tile.y + 2))[:3] != DEEP


# What a state says


def plate_of(page: GamePage, frame: Any, chair: int) -> pygame.Rect:
    return next(one.rect for one in page.painted_sheet(frame).targets if one.key == f"chair:{chair}")


def ground(page: GamePage, frame: Any, chair: int) -> tuple[int, int, int]:
    """The colour of a plate, above its words."""
    rect = plate_of(page, frame, chair)
    return page.painted_sheet(frame).surface.get_at((rect.centerx, rect.y + 9))[:3]


@pytest.mark.parametrize("players", [4, 8])
def test_the_plate_of_whoever_the_table_waits_for_is_the_only_bright_one(
    page: GamePage, players: int
) -> None:
    frame = games.frame("turning", players)
    asked = {one.chair for one in frame.view.chairs if one.asked}
    assert asked == {chair for chair in range(players) if ground(page, frame, chair) == PAPER}


def test_words_keep_away_from_the_edge_of_their_plate_and_cards_follow_the_tokens(page: GamePage) -> None:
    frame = games.frame("turning")
    sheet = page.painted_sheet(frame)
    edge = page.painted_sheet(frame).u(2)
    for chair in frame.view.chairs:
        plate = plate_of(page, frame, chair.chair)
        inside = [line for line in sheet.text_lines if plate.contains(line.rect)]
        assert min(line.rect.x for line in inside) - plate.x >= edge
        counts = [line.rect for line in inside if line.string == str(chair.cards)]
        tokens = [one.rect for name, one in sheet.placed.items() if name.startswith(f"token:{chair.chair}:")]
        assert counts[-1].x < max(one.right for one in tokens) + sheet.em(4)


def test_in_a_count_nobody_is_waited_for_and_raised_hands_shine(page: GamePage) -> None:
    frame = games.frame("counting", 8)
    grounds = {one.chair: (one.raised, ground(page, frame, one.chair)) for one in frame.view.chairs}
    assert PAPER not in {colour for _, colour in grounds.values()}
    bright = {chair for chair, (_, colour) in grounds.items() if luminance(colour) > 0.2}
    assert bright == {chair for chair, (raised, _) in grounds.items() if raised} != set()


def test_the_felt_is_lit_before_whoever_is_asked(page: GamePage) -> None:
    def lit(phase: str) -> float:
        frame = games.frame(phase)
        rect = plate_of(page, frame, 0)
        spot = page.painted_sheet(frame).surface.get_at((rect.right + 70, rect.centery + 60))
        return luminance(spot[:3])

    assert lit("turning") > 1.3 * lit("asking")


def test_focus_is_a_white_ring_and_what_was_chosen_is_filled(page: GamePage) -> None:
    sheet = page.painted_sheet(games.frame("turning"))
    rect = Box(600, 300, 200, 60)
    surface = pygame.Surface((1280, 720))
    surface.fill(GROUND)
    draw_focus_ring(surface, sheet, rect)
    colours = {tuple(surface.get_at((x, rect.centery))[:3]) for x in range(rect.x - 15, rect.x)}
    assert TEXT in colours
    assert GOLD not in colours
    assert surface.get_at(rect.center)[:3] == GROUND
    frame = games.frame("placing", 8)
    marked = page.painted_sheet(frame)
    choice = next(one for chair in frame.view.chairs for one in chair.choices if one.marked)
    cell = next(one.rect for one in marked.targets if one.key == f"tile:{choice.action}")
    assert marked.surface.get_at((cell.centerx, cell.y + 12))[:3] == PAPER


def test_only_a_broken_rule_is_told_on_red(page: GamePage) -> None:
    for said in shown.SAID:
        frame = games.frame("turning", say=said, ui_state=UiState(), trouble=shown.TROUBLE)
        on_red = any(BAD in text.grounds for text in page.painted_sheet(frame).text_lines)
        assert on_red == (".rule." in said.key), said.key


@pytest.mark.parametrize("part", [0.02, 0.2, 0.25, 0.4, 0.6, 0.75, 0.9])
def test_the_ring_of_the_count_is_closed_as_far_as_its_time_is_over(page: GamePage, part: float) -> None:
    surface = pygame.Surface((300, 300))
    ring = CountRing(surface, page.painted_sheet(games.frame("turning")), (150, 150), 120)
    ring.draw_band(GOLD, part)
    away = ring.thick / 2 / ring.radius / math.tau + 0.02  # the round ends reach a little further
    for step in range(1, 40):
        turn = step / 40
        x, y = 150 + 110 * math.sin(math.tau * turn), 150 - 110 * math.cos(math.tau * turn)
        if part + away < turn < 1 - away:
            assert surface.get_at((round(x), round(y)))[:3] == BLACK, turn
        elif turn <= part:
            assert surface.get_at((round(x), round(y)))[:3] == GOLD, turn
