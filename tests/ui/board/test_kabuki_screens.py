"""Every screen of Kabuki: its stacks, the photo finish, a round looked back on; in each size and language."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

import pygame
import pytest
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Action
from companion.core.exhibits import PhotoFinish, RoundRecap
from companion.core.view import Sentence, ViewMode
from companion.games.kabuki.rules.model import DESIGNS
from companion.simulation.game_simulation import GameSimulation, random_styles
from companion.ui.commands import DeclareAction
from companion.ui.frame import DemoInfo, GameFrame, HistoryLine, RecapFrame, UiState
from companion.ui.toolkit import inputs
from companion.ui.toolkit.theme import GOLD, PAPER, plate_ground
from tests.games.kabuki.kabuki_table import MS, RULES, SECOND, A, B, C, D, Table, setup, table
from tests.ui import album, shown

LAID = (("wave", 1), ("leaf", 1), ("sun", 2), ("wave", 1))


def contested(players: int = 6) -> Table:
    """Everybody but the placer calls, the second 1.8 ms after the first."""
    game = table(players).lay(LAID)
    at = game.at + 300 * MS
    callers = [seat for seat in range(players) if seat != D]
    for seat, after in zip(callers[::-1], (0, 1_800, 43 * MS, 44 * MS, 120 * MS), strict=False):
        game.press(seat, at + after)
    game.wait(2 * SECOND)
    return game


def tied() -> Table:
    """The placer presses, two at once, one late, and one of them again."""
    game = table(4).lay(LAID)
    at = game.at + 300 * MS
    for seat, after in ((D, -10 * MS), (B, 0), (A, 400), (C, 66 * MS), (A, 300 * MS)):
        game.press(seat, at + after)
    game.wait(2 * SECOND)
    return game


def unread() -> Table:
    game = table(4).lay(LAID[:2])
    start = game.at + 4 * SECOND
    game.stack(2, "unknown", clear=start, since=start + 500 * MS)
    game.wait(2 * SECOND)
    return game


def by_hand() -> Table:
    """No camera sees it; the mask on stack 2 was not named."""
    game = table(4).lay(LAID[:2])
    game.observe(ob.CameraLost(at=game.at + MS))
    game.observe(ob.ActionDeclared(at=game.at + MS, action=Action(C, "place", 2)))
    return game


@cache
def stories() -> Mapping[str, Table]:
    """A game in every phase."""
    checking = contested()
    checking.say(checking.about.seat, "look")
    showing = contested(4)
    showing.say(showing.about.seat, "look")
    showing.say(showing.about.seat, "twins", 0)
    showing.looks("show", "mask:wave")
    restoring = contested(4)
    restoring.check(1)
    astride = table(4).lay(LAID[:3])
    clear = astride.at + 4 * SECOND
    astride.press(A, clear + 300 * MS)
    astride.stack(1, "mask:wave", clear=clear, since=clear + 600 * MS)
    called = table(5).lay(LAID)
    called.press(A)
    over = table(6).hand_out(1, 4, 4, 4, 4, 4)
    over.lay((*LAID, ("storm", 3), ("moon", 3), ("storm", 4), ("moon", 4)))
    over.settle(A, 0)
    last = table(4, stop_until="seconds").lay(LAID)
    return {
        "starting": Table(4),
        "shuffling": table(6),
        "playing": table(6).lay(LAID),
        "window": last,
        "called": called,
        "asking": astride,
        "finish of six": contested(),
        "finish of two": contested(2 + 1),
        "tie": tied(),
        "checking": checking,
        "showing": showing,
        "restoring": restoring,
        "unread": unread(),
        "by hand": by_hand(),
        "round over": over,
    }


def frame(game: Table, ui_state: UiState, demo: DemoInfo | None = None) -> GameFrame:
    return GameFrame(
        ui_state=ui_state,
        names={1: "Konstantin"},
        view=RULES.view(game.state),
        board=RULES.board,
        exhibit=RULES.exhibit(game.state, game.standing),
        finishes=RULES.photo_finishes(game.state, game.standing),
        demo=demo,
    )


def friendly(ui_state: UiState) -> GameFrame:
    """The finish of six who all have phones."""
    alone = frame(stories()["finish of six"], ui_state)
    assert isinstance(alone.exhibit, PhotoFinish)
    return dataclasses.replace(alone, exhibit=replace(alone.exhibit, friendly=True))


def everything(language: str) -> Iterator[tuple[str, str, Any]]:
    for name, game in stories().items():
        yield name, "game", frame(game, UiState(language=language))
        yield f"{name}, demo", "game", frame(game, UiState(language=language), DemoInfo())
    for overlay in ("finish", "menu", "log"):
        yield overlay, "game", frame(stories()["tie"], UiState(language=language, overlay=overlay))
    yield "friendly", "game", friendly(UiState(language=language))
    none = frame(stories()["playing"], UiState(language=language, overlay="finish"))
    yield "no finish", "game", none
    yield "naming", "game", frame(stories()["unread"], UiState(language=language, typed="stack:2"))
    yield "placing", "game", frame(stories()["by hand"], UiState(language=language, typed="stack:3"))
    game = stories()["round over"]
    for overlay in ("", "finish", "round"):
        yield (
            f"recap {overlay}",
            "recap",
            RecapFrame(
                ui_state=UiState(language=language, overlay=overlay),
                view=RULES.view(game.state, ViewMode.OPEN),
                board=RULES.board,
                exhibit=RULES.exhibit(game.state, game.standing),
                finishes=RULES.photo_finishes(game.state, game.standing),
            ),
        )


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
def test_every_target_is_large_enough_for_a_finger(size: tuple[int, int]) -> None:
    screen = pygame.Rect((0, 0), size)
    for name, _, _, _, targets, unit in painted(size, "de"):
        assert len({target.key for target in targets}) == len(targets), name
        for target in targets:
            assert screen.contains(target.rect), (name, target)
            assert min(target.rect.size) >= unit, (name, target)


def written(what: Any, page: str = "game") -> list[str]:
    return [text.string for text in shown.pages((1280, 720))[page].painted_sheet(what).text_lines]


def test_the_finish_tells_every_chair_by_its_number_and_its_distance_in_milliseconds() -> None:
    game = stories()["finish of six"]
    found = RULES.exhibit(game.state, game.standing)
    assert isinstance(found, PhotoFinish)
    texts = written(frame(game, UiState()))
    for chair in found.chairs:
        assert str(chair + 1) in texts
    assert {"0 ms", "+1.8 ms", "+43.0 ms", "+44.0 ms", "+120 ms"} <= set(texts)
    assert texts.count("counts") == 1
    assert texts.count("ignored") == 1, "what became of several in the same way is said once"


def test_who_stopped_counts_on_a_row_of_cards_and_nothing_else_asks_for_a_press() -> None:
    stopped = Sentence("kabuki.StopAssigned", (("chair", 5), ("stack", 1)))
    alone = frame(stories()["checking"], UiState(calm=True))
    sheet = shown.pages((1280, 720))["game"].painted_sheet(
        dataclasses.replace(alone, current_verdict=(stopped, 0))
    )
    numbers = [text for text in sheet.text_lines if text.string in {"0", "1", "2", "3", "4"}]
    assert len({text.rect.centery for text in numbers}) == 1
    assert [text.string for text in numbers if set(text.grounds) == {PAPER}] == ["0"]
    assert not {"OK", "Continues by itself"} & {text.string for text in sheet.text_lines}


def test_the_finish_states_how_close_presses_are_told_apart_and_what_decides_then() -> None:
    at_once = written(frame(stories()["tie"], UiState()))
    assert "Presses within 1 ms tie: next clockwise wins." in at_once
    assert {"own mask", "tie", "counts", "ignored", "+0.4 ms"} <= set(at_once)
    assert not any(text.startswith(("whole", "finish")) for text in at_once), "no lines of time"
    said = " ".join(written(frame(stories()["tie"], UiState(overlay="finish"))))
    assert "Within 1 ms (gold) is a tie" in said
    assert "clockwise after the placer" in said
    assert "+0.4 ms" in said


def test_a_finish_of_phones_alone_says_that_it_is_friendly() -> None:
    said = "so this is a friendly game."
    assert said in " ".join(written(friendly(UiState())))
    assert said not in " ".join(written(frame(stories()["finish of six"], UiState())))


def test_a_finish_is_looked_at_again_from_the_help_the_log_and_the_recap() -> None:
    pages = shown.pages((1280, 720))
    called = (HistoryLine(1, Sentence("kabuki.StopCalled", (("chair", 0),)), "StopCalled"),)
    for overlay in ("assist", "log"):
        told = dataclasses.replace(frame(stories()["tie"], UiState(overlay=overlay)), log=called)
        sheet = pages["game"].painted_sheet(told)
        does = [target.action for target in sheet.targets if target.key == "finish"]
        assert [dict(one.changes) for one in does] == [{"overlay": "finish"}]
    again = written(frame(stories()["tie"], UiState(overlay="finish")))
    assert {"+0.4 ms", "+66.0 ms"} <= set(again)


def test_a_round_that_is_over_shows_what_nobody_noticed_and_who_placed_it() -> None:
    game = stories()["round over"]
    recap = RULES.exhibit(game.state, game.standing)
    assert isinstance(recap, RoundRecap)
    texts = written(frame(game, UiState()))
    assert f"Nobody noticed {len(recap.missed)}:" in texts
    no_break = "\N{NO-BREAK SPACE}"
    assert texts.count(f"Total{no_break}4") == 5, "on a plate of its own, and there is nothing else to tell"
    assert "Reaction" not in texts, "no column, which would be empty but for one"


def test_answers_below_a_round_and_a_tie_stand_in_the_middle_of_their_buttons() -> None:
    page = shown.pages((1280, 720))["game"]
    for story in ("round over", "tie"):
        sheet = page.painted_sheet(frame(stories()[story], UiState()))
        for button in (one.rect for one in sheet.targets if one.key.startswith("say:")):
            (words,) = [text.rect for text in sheet.text_lines if button.contains(text.rect)]
            assert abs(words.centerx - button.centerx) < sheet.em(1.5)


def test_whoever_pressed_stands_on_a_plate_of_their_colour_and_whose_press_counts_on_paper() -> None:
    sheet = shown.pages((1280, 720))["game"].painted_sheet(frame(stories()["tie"], UiState()))
    told = {text.string: text for text in sheet.text_lines}
    assert set(told["counts"].grounds) == {PAPER}
    assert set(told["tie"].grounds) == {plate_ground(sheet.colour(1))}


def test_the_ring_of_a_marked_stack_is_gold_all_round() -> None:
    sheet = shown.pages((1280, 720))["game"].painted_sheet(frame(stories()["unread"], UiState()))
    marked = [one.rect for name, one in sheet.placed.items() if name.startswith("card:stack")]
    rings = [
        {sheet.surface.get_at((card.centerx, y))[:3] for y in (card.y - 3, card.bottom + 2)}
        for card in marked
    ]
    assert {GOLD} in rings
    assert not [ring for ring in rings if GOLD in ring and ring != {GOLD}]


def test_a_mask_nobody_could_read_is_named_by_two_touches() -> None:
    page = shown.pages((1280, 720))["game"]
    what = frame(stories()["unread"], UiState())
    stack = next(target for target in page.painted_sheet(what).targets if target.key == "place:stack:2")
    ui_state, commands = page.handle(inputs.FingerDown(*stack.rect.center), what)
    assert commands == ()
    naming = frame(stories()["unread"], ui_state)
    masks = [target for target in page.painted_sheet(naming).targets if target.key.startswith("name:")]
    assert len(masks) == len(DESIGNS)
    ui_state, commands = page.handle(inputs.FingerDown(*masks[3].rect.center), naming)
    assert commands == (DeclareAction(Action(D, "name", f"{DESIGNS[3]}@2")),)
    assert ui_state.typed == ""


@pytest.mark.parametrize(
    ("stack", "then", "verb", "said"),
    [
        (3, "name:moon@3", "place", "moon@3"),
        (3, "place:stack:3", "place", 3),
        (2, "name:moon@2", "name", "moon@2"),
        (2, "place:stack:2", "place", 2),
    ],
)
def test_where_no_camera_sees_it_a_touched_stack_asks_for_its_mask_and_touched_again_for_none(
    stack: int, then: str, verb: str, said: str | int
) -> None:
    """On stack 2 lies a mask already that nobody named: there a name is its name."""
    page = shown.pages((1280, 720))["game"]
    ui_state = UiState()
    for key in (f"place:stack:{stack}", then):
        now = frame(stories()["by hand"], ui_state)
        (place,) = [target for target in page.painted_sheet(now).targets if target.key == key]
        ui_state, commands = page.handle(inputs.FingerDown(*place.rect.center), now)
    assert commands == (DeclareAction(Action(D, verb, said)),)
    assert ui_state.typed == ""


def test_while_a_mask_is_asked_for_the_masks_alone_are_lit() -> None:
    asked = frame(stories()["by hand"], UiState(typed="stack:3"))
    sheet = shown.pages((1280, 720))["game"].painted_sheet(asked)
    assert " ".join(written(frame(stories()["by hand"], UiState()))).count("Stop!") == 1, "once, for all"
    assert "Stop!" not in {text.string for text in sheet.text_lines}
    masks = [target.rect for target in sheet.targets if target.key.startswith("name:")]
    edges = [sheet.surface.get_at((mask.centerx, mask.y - 2))[:3] for mask in masks]
    assert len(edges) == len(DESIGNS)
    assert all(max(abs(one - two) for one, two in zip(edge, GOLD, strict=True)) < 16 for edge in edges)


@pytest.mark.parametrize("players", [2, 4, 6])
def test_every_phase_of_a_whole_game_has_its_screen(players: int) -> None:
    pages = shown.pages((1024, 600))
    surface = pygame.Surface((1024, 600))
    simulation = GameSimulation(RULES, setup(players), seed=3, styles=random_styles(players, Random(3)))
    seen = set()
    for _ in simulation.run_entries():
        state = simulation.referee.state
        if state.phase not in seen:
            seen.add(state.phase)
            view = RULES.view(state)
            standing = simulation.referee.standing_entries()
            pages["game"].draw(
                surface, GameFrame(ui_state=UiState(), view=view, exhibit=RULES.exhibit(state, standing)), 0
            )
    assert {"shuffling", "playing", "called", "stopped", "checking", "restoring"} <= seen


def test_without_a_camera_the_mask_in_hand_is_above_the_stack_that_ok_takes() -> None:
    """The stack is pointed at by the three table buttons: a player's button is Stop, and nothing else."""
    game = by_hand()
    drawn = []
    for _ in range(2):
        view = RULES.view(game.state)
        assert all(choice.action.verb == "stop" for chair in view.chairs for choice in chair.choices)
        drawn.append(album.sheet_of("game", frame(game, UiState()), (1280, 720), large=False))
        game.observe(ob.ButtonPressed(at=game.at + MS, chair=None, button="next"))
    places = [{target.key: target.rect for target in sheet.targets} for sheet in drawn]
    for sheet, stack, other in ((drawn[0], 1, 2), (drawn[1], 2, 1)):
        lit, bare = (places[0][f"place:stack:{number}"] for number in (stack, other))
        above = [sheet.surface.get_at((rect.centerx, rect.y - rect.h // 2)) for rect in (lit, bare)]
        assert above[0].g < above[1].g, "felt is green, and the back of a mask is not"


@pytest.mark.parametrize("size", [(800, 480), (1280, 720)])
def test_the_numbers_of_a_check_stand_beside_its_stack_and_touch_nothing(size: tuple[int, int]) -> None:
    sheet = shown.pages(size)["game"].painted_sheet(frame(stories()["checking"], UiState()))
    tiles = [target.rect for target in sheet.targets if target.key.startswith("tile:")]
    counted, *others = sorted(
        (place.rect for name, place in sheet.placed.items() if name.startswith("card:stack:")),
        key=lambda rect: -rect.h,
    )
    assert counted.h > 1.5 * max(rect.h for rect in others)
    assert all(tile.x >= counted.right for tile in tiles)
    gap = sheet.em(0.3)
    others = [target.rect for target in sheet.targets if target.key.startswith(("chair:", "place:"))]
    around = [tile.inflate(2 * gap, 2 * gap) for tile in tiles]
    assert all(tile.inflate(2 * gap, 0).collidelist(others) < 0 for tile in tiles)
    assert not any(one.colliderect(tile) for one, tile in zip(around, tiles[1:], strict=False))


@pytest.mark.parametrize("size", [(800, 480), (1280, 720)])
def test_stacks_and_the_deck_of_a_lesson_are_as_large_as_in_practice(size: tuple[int, int]) -> None:
    learnt = dataclasses.replace(frame(stories()["playing"], UiState()), guide=shown.GUIDES["wait"])
    sheet = shown.pages(size)["game"].painted_sheet(learnt)
    for place in ("stack:1", "stack:4", "deck"):
        assert sheet.placed[f"card:{place}"].rect.h >= size[1] * 28 // 100
