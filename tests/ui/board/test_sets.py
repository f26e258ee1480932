"""The sets on the screen: whose they are, which way up they lie, and what may be done, in every size."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache
from typing import Any

import pygame
import pytest
from msgspec.structs import replace

from companion.core.actions import SECOND, Action, Setup
from companion.core.observations import ActionDeclared
from companion.core.view import Guidance, Sentence
from companion.games.dnup.rules import Dnup, DnupOptions, model
from companion.games.dnup.rules.model import DnupState
from companion.ui.board.card_pictures import draw_oriented_card, top_value
from companion.ui.board.plate_choices import CHOICES_OVERLAY
from companion.ui.commands import DeclareAction
from companion.ui.frame import DemoInfo, GameFrame, UiState
from companion.ui.toolkit import inputs
from companion.ui.toolkit.theme import PAPER, contrast_ratio
from tests.ui import shown

RULES = Dnup()
NAMES = {0: "Anna", 1: "Konstantin", 2: "Zoé", 3: "Maximilian"}
SETS = (("2/4", "2/5", "2/6", "2/9"), ("9/3",), ("10/?", "10/?"), ("4/6", "4/7", "4/8"))


def folded(state: DnupState, *events: Any) -> DnupState:
    for event in events:
        state = RULES.evolve(state, event)
    return state


def said(state: DnupState, seat: int, verb: str, value: str | int | None = None) -> DnupState:
    return folded(state, *RULES.decide(state, ActionDeclared(at=0, action=Action(seat, verb, value))))


def stories(players: int) -> Iterator[DnupState]:
    """One state of every phase, the table as full as it gets."""
    setup = Setup(tuple(range(players)), DnupOptions())
    state = RULES.initial_state(setup)
    yield RULES.initial_state(Setup(tuple(range(players)), DnupOptions(deck_file="scan")))
    yield state
    state = said(state, 0, "prepared")
    yield state
    state = said(state, 0, "star")
    areas = len(state.areas)
    for area in range(1, areas):
        cards = SETS[area - 1]
        owner = state.owner(area)
        state = folded(
            state, model.SetPlayed(owner, area, len(cards), int(cards[0].partition("/")[0]), cards, ())
        )
    state = folded(state, model.TurnBegan(0, 0, state.number(0)))
    yield state
    yield folded(state, model.StallNoticed(3))
    for verb in ("play", "add", "take"):
        yield said(state, 0, verb)
    yield folded(state, model.VerbChosen("play"), model.SizeSaid(1))
    yield folded(state, model.AreaRead(0, ("3/8", "3/5s")), model.QuietAwaited(9))
    yield folded(state, model.AreaUnread(0, 0))
    if players > 2:
        yield folded(state, model.WentOut(players - 1, 1, 2))
    yield folded(state, model.DnupGameWon((1,)))


def frames(language: str) -> Iterator[tuple[str, GameFrame]]:
    ui_state = UiState(language=language)
    for players in (2, 3, 5):
        for state in stories(players):
            view = RULES.view(state)
            yield (
                f"{players}:{state.phase}",
                GameFrame(view=view, ui_state=ui_state, names=NAMES, board=RULES.board, can_undo=True),
            )
            if players == 5:
                frame = GameFrame(view=view, ui_state=ui_state, names=NAMES, board=RULES.board)
                yield f"demo:{state.phase}", dataclasses.replace(frame, demo=DemoInfo())
        everywhere = list(stories(players))[3]
        front = UiState(language=language, overlay="repair")
        yield f"repair:{players}", GameFrame(view=RULES.view(everywhere), ui_state=front, names=NAMES)


@cache
def painted(size: tuple[int, int], language: str) -> tuple[shown.Painted, ...]:
    """Every frame, painted once for all tests."""
    return tuple(shown.painted(size, ((name, "game", frame) for name, frame in frames(language))))


@pytest.mark.parametrize(("size", "language"), shown.ALL)
def test_every_text_is_large_readable_whole_and_on_the_screen(size: tuple[int, int], language: str) -> None:
    assert [
        (name, *fault)
        for name, _, _, written, _, _ in painted(size, language)
        for fault in shown.faults(written, size)
    ] == []


def test_on_the_smallest_screen_a_demo_leaves_room_for_a_line_in_every_area() -> None:
    for name, _, _, written, _, _ in painted((800, 480), "de"):  # the longest answers beside the areas
        pale = [
            text.string
            for text in written
            if min((contrast_ratio(text.colour, ground) for ground in text.grounds), default=99) < 4.5
        ]
        assert not pale or not name.startswith("demo:"), (name, pale)


@pytest.mark.parametrize("size", shown.EACH)
def test_every_choice_can_be_touched(size: tuple[int, int]) -> None:
    for name, _, frame, _, targets, _ in painted(size, "de"):
        if frame.ui_state.overlay or frame.view.outcome is not None:
            continue
        keys = [target.key for target in targets]
        assert len(keys) == len(set(keys)), name
        if frame.demo is not None:  # simulated people press buttons: their choices are all shown, or none
            tiles = {f"tile:{choice.action}" for chair in frame.view.chairs for choice in chair.choices}
            assert not tiles & set(keys) or tiles <= set(keys), name
            continue
        for chair in frame.view.chairs:
            for choice in chair.choices if sum(one.asked for one in frame.view.chairs) == 1 else ():
                said = {f"tile:{choice.action}", f"say:{choice.action}"}
                (plate,) = (one.action for one in targets if one.key == f"chair:{chair.chair}")
                # Touching the plate presses the button that says the only thing, or shows all answers large.
                leads = len(chair.choices) == 1 or ("overlay", CHOICES_OVERLAY) in plate.changes
                leads |= f"large:{chair.chair}" in keys
                assert leads or said & set(keys), (name, choice.action)


def test_touching_a_value_says_it() -> None:
    state = next(state for state in stories(3) if state.phase == "valuing")
    frame = GameFrame(view=RULES.view(state), ui_state=UiState(), names=NAMES)
    page = shown.pages((1280, 720))["game"]
    tile = next(
        target for target in page.painted_sheet(frame).targets if target.key.startswith("tile:0:value=10")
    )
    _, commands = page.handle(inputs.FingerDown(*tile.rect.center), frame)
    assert commands == (DeclareAction(Action(0, "value", 10)),)


def test_a_card_is_shown_with_the_value_up_that_its_owner_sees() -> None:
    assert [top_value(card) for card in ("pair:3-8", "pair:3-8@180", "pair:3-10f@180", "value:6")] == [
        "3",
        "8",
        "10",
        "6",
    ]
    state = list(stories(3))[3]
    faces = [place.card for place in RULES.view(state).places]
    assert faces == ["", "pair:2-4", "pair:3-9@180"]


def test_the_area_of_this_turn_is_marked_and_every_set_tells_its_size() -> None:
    state = list(stories(5))[3]
    frame = GameFrame(view=RULES.view(state), ui_state=UiState(), names=NAMES)
    assert [place.active for place in frame.view.places] == [True, False, False, False, False]
    written = [text.string for text in shown.pages((1280, 720))["game"].painted_sheet(frame).text_lines]
    assert {"4", "1", "2", "3"} <= set(written)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_every_set_lies_large_on_the_side_of_its_owner_whatever_is_chosen(players: int) -> None:
    for state in list(stories(players))[3:10]:
        frame = GameFrame(view=RULES.view(state), ui_state=UiState(), names=NAMES, board=RULES.board)
        sheet = shown.pages((1280, 720))["game"].painted_sheet(frame)
        for place in frame.view.places:
            lies = sheet.placed[f"card:{place.region}"].rect
            (plate,) = (one.rect for one in sheet.targets if one.key == f"chair:{place.chair}")
            assert (lies.centerx < 640) == (plate.centerx < 640)
            assert lies.h >= sheet.u(24 if players < 5 else 16)


def test_a_set_that_is_played_slides_from_its_owner_to_a_bare_place() -> None:
    page, size = shown.pages((1280, 720))["game"], (1280, 720)
    state = list(stories(3))[3]
    played = folded(state, model.SetPlayed(0, 0, 1, 7, ("7/9",), ()))
    for at, now in ((1, state), (4, played)):
        frame = GameFrame(view=RULES.view(now), ui_state=UiState(), names=NAMES, board=RULES.board)
        page.draw(pygame.Surface(size), dataclasses.replace(frame, can_undo=True), at * SECOND)
    (move,) = page._moves
    assert (move.name, move.kind) == ("card:set:1", "slide")
    assert move.under is not None
    wide, high = move.under.get_size()
    assert PAPER not in {move.under.get_at((x, y))[:3] for x in range(wide) for y in range(high)}


@pytest.mark.parametrize(
    ("state", "before", "after", "expected"),
    [
        (0, ("pair:1-7", "pair:3-8"), ("pair:1-7@180", "pair:3-8@180"), {"held:0": 180, "held:1": 180}),
        (0, ("pair:1-7", "pair:3-8"), ("pair:1-7", "pair:3-8", "pair:2-9"), {}),
        (1, ("pair:1-7",), ("pair:1-7", "pair:7-9@180"), {"held:0": 0, "held:1": 180}),
    ],
    ids=["a hand", "nothing", "a set that is taken"],
)
def test_what_lies_the_other_way_up_is_seen_to_spin_half_round(
    state: int, before: tuple[str, ...], after: tuple[str, ...], expected: dict[str, int]
) -> None:
    """In a hand, and out of a set: then the whole hand makes room."""
    page, size = shown.pages((1280, 720))["game"], (1280, 720)
    here = list(stories(3))[3]
    lies = folded(here, model.SetPlayed(1, 1, 1, 7, ("7/9",), ())) if state else here
    for at, (now, held) in ((1, (lies, before)), (4, (here, after))):
        lay = (("", 0, held), ("set:2", 1, ("pair:7-9",)))
        guide = Guidance(
            "wait", Sentence("lesson.dnup.turn.title"), Sentence("lesson.dnup.turn.do"), 1, 2, 0, lay=lay
        )
        view = RULES.view(now)
        chairs = tuple(
            replace(one, cards=len(held), choices=()) if one.chair == 0 else one for one in view.chairs
        )
        frame = GameFrame(
            view=replace(view, chairs=chairs), ui_state=UiState(), names=NAMES, board=RULES.board, guide=guide
        )
        page.draw(pygame.Surface(size), dataclasses.replace(frame, can_undo=True), at * SECOND)
    assert {move.name: move.turn for move in page._moves if move.name.startswith("held")} == expected


def test_at_a_full_table_all_sets_are_equally_large_and_uncut_and_the_only_way_back_is_a_button() -> None:
    state = next(state for state in stories(5) if state.phase == "adding")
    frame = GameFrame(view=RULES.view(state), ui_state=UiState(), names=NAMES, board=RULES.board)
    sheet = shown.pages((1280, 720))["game"].painted_sheet(frame)
    lies = [one.rect for name, one in sheet.placed.items() if name.startswith("card:") and one.what]
    assert len(lies) == 4
    assert max(one.h for one in lies) - min(one.h for one in lies) <= 2
    told = [text.rect for text in sheet.text_lines if text.string in {"4", "1", "2", "3"}]
    beside = [rect for rect in told if 400 < rect.centerx < 880]
    assert len(beside) == 4
    assert not any(pygame.Rect(one).colliderect(rect) for one in lies for rect in beside)
    places = {target.key: target.rect for target in sheet.targets}
    (back,) = (rect for key, rect in places.items() if key == "tile:0:again")
    assert back.h > sheet.em(2)
    assert places["sets:marked"].bottom <= back.y, "what a hold does is said whole"
    assert not any("…" in text.string for text in sheet.text_lines), "a badge tells, not half a name"


def test_touching_a_set_adds_to_it() -> None:
    state = next(state for state in stories(3) if state.phase == "adding")
    frame = GameFrame(view=RULES.view(state), ui_state=UiState(), names=NAMES, board=RULES.board)
    page = shown.pages((1280, 720))["game"]
    lies = page.painted_sheet(frame).placed["card:set:3"].rect
    _, commands = page.handle(inputs.FingerDown(*lies.center), frame)
    assert commands == (DeclareAction(Action(0, "add", 3)),)


def test_a_card_of_which_only_the_value_is_known_shows_no_other() -> None:
    page = shown.pages((1280, 720))["game"]
    sheet = page.painted_sheet(next(frame for name, frame in frames("en") if name == "5:acting"))
    drawn = draw_oriented_card(sheet, "value:10", (88, 136))
    upper = {tuple(drawn.get_at((x, y))) for x in range(8, 80) for y in range(8, 50)}
    assert len(upper) > 20
    assert len({tuple(drawn.get_at((x, y))) for x in range(8, 80) for y in range(84, 130)}) == 1


def test_the_headline_names_the_area_of_two_players() -> None:
    view = RULES.view(list(stories(2))[3])
    assert view.headline == Sentence("dnup.phase.acting.two", (("chair", 0), ("area", 1)))


@pytest.mark.parametrize("language", ["de", "fr"])
def test_beside_the_log_no_move_is_cut(language: str) -> None:
    size = (1920, 1080)
    acting = [frame for name, frame in frames(language) if name in {"2:acting", "3:acting"}]
    assert acting
    for frame in acting:
        lines = shown.pages(size)["game"].painted_sheet(frame).text_lines
        assert not [line.string for line in lines if line.cut]
