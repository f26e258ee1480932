"""Every screen of Kobayakawa, the open card, stakes, bets and chips on panels; in each size and language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pygame
import pytest

from companion.core import observations as ob
from companion.core.view import ViewMode
from companion.games.kobayakawa.rules.model import KobayakawaPhase
from companion.ui.board import stage_layout
from companion.ui.board.panels import chairs_and_decks
from companion.ui.frame import DemoInfo, GameDraft, GameFrame, HistoryLine, HomeFrame, RecapFrame, UiState
from companion.ui.layout import Box
from tests.games.kobayakawa.kobayakawa_table import RULES, A, B, C, D, E, F, Table, table
from tests.ui import games, shown

OVERLAYS = ("menu", "leave", "log", "why", "take_back", "correct", "repair", "help", "settings")
NAMES = {0: "Anna", 1: "Konstantin", 5: "Maximilian"}


def dealt(players: int = 6, number: int = 7, **options: object) -> Table:
    return table(players, starter=C if players > 3 else B, **options).deal(number)


def bets(players: int = 6, **options: object) -> Table:
    """Everybody has drawn, and laid a number open."""
    game = dealt(players, **options)
    for number, seat in zip((11, 4, 12, 13, 14, 15), game.state.order, strict=False):
        game.say(seat, "discard", number)
    return game


def showdown() -> Table:
    game = bets()
    game.bets(A, C, D, F)
    game.show(c=9, d=10, f=8)
    return game


@cache
def stories() -> Mapping[str, Table]:
    """A game in every phase, and in what is special of some."""
    discarding, replacing, alone, over, shared = dealt(), dealt(), bets(), bets(), bets(3)
    discarding.say(C, "draw")
    replacing.say(C, "replace")
    for seat in (C, D, E, F, A):
        alone.say(seat, "pass")
    revealing = table(4)
    revealing.say(A, "dealt")
    won = showdown()
    won.show(a=3)
    last = won_often()
    late = won_often(3)
    late.deal(8).draw_all()
    misplaced = bets()
    misplaced.see("kobayakawa", 7, 1)
    doubted = showdown()
    doubted.say(A, "show", 7)
    blind = dealt()
    blind.observe(ob.CameraLost(at=blind.at))
    paused = dealt()
    paused.observe(ob.PauseRequested(at=paused.at))
    carried = table(4, nobody_fights="carried")
    carried.round(7)
    carried.deal(8)
    over.set(kamons=(14, 6, 2, 2, 4, 2), centre=2, last=True)
    over.bets(A)
    shared.set(kamons=(7, 9, 2), centre=2, last=True)
    shared.bets(A)
    tied = bets(3, final_tie="deciding_round")
    tied.set(kamons=(7, 9, 2), centre=2, last=True)
    tied.bets(A)
    decides = bets(3, final_tie="deciding_round")
    decides.set(kamons=(7, 9, 2), centre=2, last=True)
    decides.bets(A)
    decides.deal(8)
    return {
        "starting": Table(6),
        "starting of three": Table(3),
        "first deal": table(6),
        "revealing": revealing,
        "drawing": dealt(),
        "drawing, optional": dealt(draw_optional=True),
        "discarding": discarding,
        "replacing": replacing,
        "betting": bets(),
        "betting alone": alone,
        "showdown": showdown(),
        "won": won,
        "deal of the last": last,
        "last round": late,
        "amiss": misplaced,
        "doubted": doubted,
        "by hand": blind,
        "paused": paused,
        "carried": carried,
        "over": over,
        "shared": shared,
        "tied": tied,
        "deciding round": decides,
    }


def won_often(players: int = 4) -> Table:
    """Six rounds were won."""
    game = table(players)
    for winner in ("abc" * 2)[:6]:
        game.round(8, **{winner: 0})
    return game


def log(game: Table) -> tuple[HistoryLine, ...]:
    told = [
        HistoryLine(place, said, RULES.explanation_key(game.state, event))
        for place, event in enumerate(game.rulings)
        if (said := RULES.sentence(game.state, event, log=True)) is not None
    ]
    return tuple(told)


def frame(game: Table, ui_state: UiState, demo: DemoInfo | None = None) -> GameFrame:
    earlier = table(game.state.players, starter=A).state
    return GameFrame(
        ui_state=ui_state,
        names=NAMES,
        view=RULES.view(game.state),
        board=RULES.board,
        log=log(game),
        put_back_steps=RULES.restore_instructions(game.state, earlier),
        say=log(game)[-1].sentence if demo is not None and log(game) else None,
        demo=demo,
    )


def everything(language: str) -> Iterator[tuple[str, str, Any]]:
    for name, game in stories().items():
        yield name, "game", frame(game, UiState(language=language))
        yield f"{name}, demo", "game", frame(game, UiState(language=language), DemoInfo())
    for overlay in OVERLAYS:
        for name in ("betting", "won"):
            yield overlay, "game", frame(stories()[name], UiState(language=language, overlay=overlay))
    for overlay in ("", "rules"):
        ui_state = UiState(
            language=language, overlay=overlay, draft=GameDraft("kobayakawa", chairs=(0, 1, 3, 6))
        )
        yield (
            f"setup {overlay}",
            "setup",
            HomeFrame(ui_state=ui_state, options=RULES.options(), offered=shown.OFFERED, is_setup=True),
        )
    for name in ("over", "shared"):
        game = stories()[name]
        numbers = (("rounds", 7), ("fights", 21), ("alone", 2), ("helped", 3), ("most_kamons", 8))
        yield (
            f"recap {name}",
            "recap",
            RecapFrame(
                ui_state=UiState(language=language),
                view=RULES.view(game.state, ViewMode.OPEN),
                board=RULES.board,
                log=log(game),
                numbers=numbers,
            ),
        )


def test_every_phase_is_looked_at() -> None:
    assert len(stories()["shared"].state.winners) == 2
    assert {game.state.phase for game in stories().values()} == set(KobayakawaPhase)


@cache
def painted(size: tuple[int, int], language: str) -> tuple[shown.Painted, ...]:
    """Every frame, painted once for all tests."""
    return tuple(shown.painted(size, everything(language)))


@pytest.mark.parametrize(("size", "language"), shown.ALL)
def test_every_text_is_large_readable_whole_and_on_the_screen(size: tuple[int, int], language: str) -> None:
    assert [
        (name, *fault)
        for name, _, _, written, _, _ in painted(size, language)
        for fault in shown.faults(written, size)
    ] == []


@pytest.mark.parametrize("size", shown.EACH)
def test_every_target_is_large_enough_for_a_finger_and_what_a_panel_shows_stays_in_it(
    size: tuple[int, int],
) -> None:
    screen = pygame.Rect((0, 0), size)
    for name, page, what, written, targets, unit in painted(size, "de"):
        assert len({target.key for target in targets}) == len(targets), name
        for target in targets:
            assert screen.contains(target.rect), (name, target)
            assert min(target.rect.size) >= unit, (name, target)
        if page != "game" or what.ui_state.overlay:
            continue
        panels = [target.rect for target in targets if target.key.startswith("chair:")]
        for text in written:
            for panel in panels:
                assert not panel.colliderect(text.rect) or panel.contains(text.rect), (name, text.string)


def pixels(sheet: Any, rect: pygame.Rect) -> bytes:
    return bytes(sheet.surface.subsurface(rect).copy().get_buffer().raw)


def stage_of(size: tuple[int, int], players: int) -> stage_layout.StageLayout:
    return stage_layout.layout_stage(players, Box(0, 0, *size), size[1] / 100)


def test_a_stake_lies_on_the_felt_before_whoever_fights_and_nobody_else_s_felt_changes() -> None:
    game = bets()
    page = shown.pages((1280, 720))["game"]
    at = stage_of((1280, 720), 6)
    spots = [pygame.Rect(x, y - 20, 40, 40) for x, (_, y) in zip(_edges(at), at.docks, strict=True)]
    before = [pixels(page.painted_sheet(frame(game, UiState())), spot) for spot in spots]
    game.say(C, "fight")
    after = frame(game, UiState())
    stood = [chair.chair for chair in chairs_and_decks(after.view, after.ui_state)]
    changed = {
        stood[place]
        for place, spot in enumerate(spots)
        if pixels(page.painted_sheet(after), spot) != before[place] and stood[place] in {B, C}
    }
    assert changed == {C}


def _edges(at: stage_layout.StageLayout) -> list[int]:
    middle = at.rim.centerx
    return [at.middle.x + 10 if plate.centerx < middle else at.middle.right - 50 for plate in at.plates]


@pytest.mark.parametrize("language", shown.LANGUAGES)
def test_every_hand_of_a_showdown_lies_open_before_its_player_with_what_it_counts(language: str) -> None:
    won = frame(stories()["won"], UiState(language=language))
    laid = {chair.chair: {one.kind: one for one in chair.laid} for chair in won.view.chairs}
    assert [laid[chair]["shown"].value for chair in (A, C, D, F)] == ["3+7", 9, 10, 8]
    assert not laid[B]
    assert not laid[E]
    texts = [text.string for text in shown.pages((1280, 720))["game"].painted_sheet(won).text_lines]
    assert texts.count("3+7") == 1
    assert "9" not in texts, "it is read from the card itself, and not said twice"


def test_where_many_numbers_can_be_said_what_lies_there_stays_on_the_plates() -> None:
    texts = [
        text.string
        for text in shown.pages((1280, 720))["game"]
        .painted_sheet(frame(stories()["showdown"], UiState()))
        .text_lines
    ]
    assert {"9", "10", "8"} <= set(texts)


def test_the_heaps_stand_under_the_open_card_with_their_numbers_but_for_an_empty_one() -> None:
    sheet = shown.pages((1280, 720))["game"].painted_sheet(frame(stories()["betting"], UiState()))
    low = {text.string for text in sheet.text_lines if text.rect.y > 360}
    assert {"8", "Middle"} <= low
    assert not {"0", "Stakes"} & low


@pytest.mark.parametrize("size", [(800, 480), (1280, 720)])
def test_the_number_of_a_choice_stands_on_one_ground(size: tuple[int, int]) -> None:
    """A number lies on the middle of its card where that is too small, a longer name on a plain tile."""
    for shot in (frame(stories()["showdown"], UiState()), games.frame("turning", 4)):
        sheet = shown.pages(size)["game"].painted_sheet(shot)
        tiles = [target.rect for target in sheet.targets if target.key.startswith("tile:")]
        told = [text for text in sheet.text_lines if any(tile.contains(text.rect) for tile in tiles)]
        assert all(len(set(text.grounds)) == 1 for text in told)
