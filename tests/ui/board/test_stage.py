"""The table stage: its grid at every size, whose turn it is, and nothing cut or said twice."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pygame
import pytest
from msgspec.structs import replace

from companion.core import events as shared_events
from companion.core.view import Sentence
from companion.ui.board import stage_layout
from companion.ui.board.panels import find_plate_state
from companion.ui.board.table_centre import arrange_centre
from companion.ui.frame import DemoInfo, GameFrame, UiState
from companion.ui.layout import Box
from companion.ui.toolkit.theme import GOLD, PAPER, contrast_ratio
from companion.ui.toolkit.widgets import PlateState
from companion.ui.toolkit.window import MAX_SIZE
from tests.ui import album, games, shown
from tests.ui.board import test_kabuki_screens, test_kobayakawa_screens, test_sets

SIZES = ((800, 480), (1024, 600), (1280, 720), (1920, 1080), (3840, 2160), (1080, 1920))
PHASES = ("announcing", "counting", "pairing", "choosing", "asking", "handing", "turning", "placing")


def unit(size: tuple[int, int]) -> float:
    return shown.screen(size).painter.height / 100


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", range(2, 9))
def test_plates_sentence_and_toolbar_keep_apart_and_stay_on_the_screen(
    size: tuple[int, int], count: int
) -> None:
    area = pygame.Rect((0, 0), size)
    at = stage_layout.layout_stage(count, Box(*area), unit(size))
    parts = [pygame.Rect(one) for one in (*at.plates, at.head, at.bar)]
    assert len(at.plates) == count
    assert all(area.contains(part) for part in (*parts, at.rim, at.middle))
    for place, one in enumerate(parts):
        assert not any(one.colliderect(other) for other in parts[place + 1 :]), (place, one)
    assert not any(part.colliderect(at.middle) for part in parts)
    assert not any(pygame.Rect(at.log).colliderect(other) for other in (at.middle, *at.plates))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", range(3, 9))
def test_plates_go_round_the_felt_clockwise_from_the_bottom_left(size: tuple[int, int], count: int) -> None:
    at = stage_layout.layout_stage(count, Box(0, 0, *size), unit(size))
    left = count // 2
    xs, ys = [plate.x for plate in at.plates], [plate.y for plate in at.plates]
    assert len(set(xs[:left])) == 1 == len(set(xs[left:]))
    assert xs[0] < xs[left]
    assert ys[:left] == sorted(ys[:left], reverse=True)
    assert ys[left:] == sorted(ys[left:])


def test_an_upright_screen_has_the_felt_between_its_upper_and_its_lower_plates() -> None:
    at = stage_layout.layout_stage(8, Box(0, 0, 1080, 1920), unit((1080, 1920)))
    above = [plate for plate in at.plates if plate.centery < at.middle.y]
    assert len(above) == 4
    assert all(plate.y > at.middle.bottom for plate in at.plates if plate not in above)


@pytest.mark.parametrize(
    ("size", "count", "has"),
    [((1920, 1080), 4, True), ((1920, 1080), 5, False), ((1280, 720), 4, False), ((1080, 1920), 4, False)],
)
def test_a_large_screen_with_few_people_shows_the_log(
    size: tuple[int, int], count: int, *, has: bool
) -> None:
    at = stage_layout.layout_stage(count, Box(0, 0, *size), unit(size))
    assert bool(at.log.w) == has
    sheet = shown.pages(size)["game"].painted_sheet(games.frame("announcing", count))
    ruled = [text for text in sheet.text_lines if text.rect.colliderect(at.log)]
    assert bool(ruled) == has


def full(language: str, *, large: bool = False) -> Iterator[GameFrame]:
    """The smallest and the largest table of each game, without what stands beside a game."""
    ui_state = UiState(language=language, large=large)
    for phase in PHASES:
        for players in (4, 8):
            yield games.frame(phase, players, ui_state)
    for said in shown.SAID:
        yield games.frame("announcing", 6, ui_state, say=said)
    yield games.frame("turning", 8, ui_state, trouble=shown.TROUBLE)
    for kabuki in test_kabuki_screens.stories().values():
        yield test_kabuki_screens.frame(kabuki, ui_state)
    for kobayakawa in test_kobayakawa_screens.stories().values():
        yield test_kobayakawa_screens.frame(kobayakawa, ui_state)
    for players in (2, 5):
        for state in test_sets.stories(players):
            yield GameFrame(
                view=test_sets.RULES.view(state), ui_state=ui_state, names=test_sets.NAMES, can_undo=True
            )


@pytest.mark.parametrize(
    ("size", "language", "large"),
    [
        *(((800, 480), language, False) for language in shown.LANGUAGES),
        pytest.param((1080, 1920), "de", False, marks=pytest.mark.long),
        pytest.param((1080, 1920), "fr", False, marks=pytest.mark.long),
        pytest.param((3840, 2160), "en", False, marks=pytest.mark.long),
        ((1280, 720), "de", True),
        pytest.param((1280, 720), "fr", True, marks=pytest.mark.long),
    ],
)
def test_nothing_is_cut_small_or_off_the_screen(size: tuple[int, int], language: str, *, large: bool) -> None:
    page = shown.pages(size)["game"]
    screen = pygame.Rect((0, 0), size)
    wrong: list[Any] = []
    every = 8 if size[0] > MAX_SIZE[0] else 1  # what a window of ours never is need not be looked at whole
    for frame in islice(full(language, large=large), None, None, every):
        sheet = page.painted_sheet(frame)
        where = frame.view.game, frame.view.phase, len(frame.view.chairs)
        for text in sheet.text_lines:
            if text.cut or text.size * 24 < sheet.painter.height or not screen.contains(text.rect):
                wrong.append((*where, text.string, text.cut, text.rect))
            if min((contrast_ratio(text.colour, ground) for ground in text.grounds), default=0) < 4.5:
                wrong.append((*where, text.string, "contrast"))
        wrong += [
            (*where, target.key, target.rect)
            for target in sheet.targets
            if not screen.contains(target.rect) or min(target.rect.size) < sheet.unit
        ]
    assert wrong == []


def test_nothing_is_said_twice_on_one_screen() -> None:
    page = shown.pages((1280, 720))["game"]
    frame = games.frame("turning")
    for said in (frame.view.headline, shown.SAID[2]):
        words = page.words(frame).text(said, games.NAMES)
        sheet = page.painted_sheet(dataclasses.replace(frame, say=said))
        assert " ".join(text.string for text in sheet.text_lines).count(words) == 1


def test_whoever_is_asked_has_the_one_bright_plate_and_the_light_on_the_felt() -> None:
    frame = games.frame("asking")
    bright = [
        chair.chair for chair in frame.view.chairs if find_plate_state(chair, frame) is PlateState.ASKED
    ]
    assert bright == [chair.chair for chair in frame.view.chairs if chair.asked] == [1]
    size = (1280, 720)
    sheet = shown.pages(size)["game"].painted_sheet(frame)
    at = stage_layout.layout_stage(4, sheet.rect, unit(size))

    def ground(place: int) -> Any:
        return sheet.surface.get_at((at.plates[place].centerx, at.plates[place].y + 12))[:3]

    assert [ground(place) == PAPER for place in range(4)] == [False, True, False, False]
    gold = [sheet.surface.get_at((plate.centerx, plate.y + 1))[:3] == GOLD for plate in at.plates]
    assert gold == [False, True, False, False]

    def light(place: int) -> int:
        x, y = at.lights[place]
        inwards = 1 if x < sheet.rect.centerx else -1
        return sum(sheet.surface.get_at((x + inwards * at.avatar * 9 // 10, y + at.avatar * 7 // 10))[:3])

    assert light(1) > 1.2 * light(2)


def test_where_everybody_may_press_only_who_is_named_is_bright() -> None:
    frame = test_kabuki_screens.frame(test_kabuki_screens.stories()["playing"], UiState())
    states = {chair.chair: find_plate_state(chair, frame) for chair in frame.view.chairs}
    named = dict(frame.view.headline.parts)["chair"]
    assert states.pop(named) is PlateState.ASKED
    assert set(states.values()) == {PlateState.MAY}


def test_a_sentence_stands_alone_on_top_but_where_the_table_is_taught() -> None:
    page = shown.pages((1280, 720))["game"]
    frame = games.frame("turning", ui_state=UiState(level="referee"))
    assert frame.view.hint is not None
    words = page.words(frame).text(frame.view.hint, games.NAMES)
    for level, told in (("referee", False), ("tournament", False), ("assisted", True), ("teach", True)):
        shown_here = dataclasses.replace(frame, ui_state=replace(frame.ui_state, level=level))
        assert (words in {text.string for text in page.painted_sheet(shown_here).text_lines}) == told


def test_a_long_remark_finds_room_under_the_sentence_where_the_toolbar_has_none() -> None:
    page = shown.pages((1024, 600))["game"]
    said = Sentence("kinapa.FoxRemoved.bot", (("bot", -1), ("left", 0)))
    frame = games.frame("turning", ui_state=UiState(language="de"), say=said)
    words = page.words(frame).text(said, games.NAMES)
    (text,) = [one for one in page.painted_sheet(frame).text_lines if one.string == words]
    assert text.rect.bottom < 600 * 17 // 100
    assert not any(
        text.rect.inflate(0, -8).colliderect(one.rect)
        for one in page.painted_sheet(frame).text_lines
        if one != text
    )


def test_a_raised_hand_stands_over_its_avatar_on_the_felt() -> None:
    size = (1280, 720)
    frame = games.frame("counting")
    up = [place for place, chair in enumerate(frame.view.chairs) if chair.raised]
    sheet = shown.pages(size)["game"].painted_sheet(frame)
    at = stage_layout.layout_stage(4, sheet.rect, unit(size))
    white = [sum(sheet.surface.get_at((x, y - at.avatar))[:3]) > 3 * 240 for x, y in at.docks]
    assert [place for place, hand in enumerate(white) if hand] == up == [2]


def test_the_open_number_is_shown_as_its_deck_has_it() -> None:
    page = shown.pages((1280, 720))["game"]
    frame = test_kobayakawa_screens.frame(test_kobayakawa_screens.stories()["betting"], UiState())
    number = frame.view.card.partition(":")[2]
    at = stage_layout.layout_stage(len(frame.view.chairs), Box(0, 0, 1280, 720), unit((1280, 720)))
    sheet = page.painted_sheet(frame)
    inside = [text.string for text in sheet.text_lines if pygame.Rect(at.middle).contains(text.rect)]
    assert inside
    assert number not in inside, "the picture has it"


def test_on_an_upright_screen_a_lesson_and_the_camera_stand_below_the_table() -> None:
    size = (1080, 1920)
    page, screen = shown.pages(size)["game"], pygame.Rect((0, 0), size)
    ui_state = UiState(language="de")
    for more in ({"demo": games.DEMO}, {"guide": shown.GUIDES["wait"]}, {"guide": shown.GUIDES["warn"]}):
        for frame in (
            games.frame("turning", 8, ui_state, **more),
            games.frame("counting", 4, ui_state, **more),
        ):
            sheet = page.painted_sheet(frame)
            assert not [
                text.string for text in sheet.text_lines if text.cut or not screen.contains(text.rect)
            ]
            plates = [target.rect for target in sheet.targets if target.key.startswith("chair:")]
            besides = [target.rect for target in sheet.targets if target.key.startswith(("demo:", "guide:"))]
            assert all(one.y > plate.bottom for one in besides for plate in plates)
    masks = test_kabuki_screens.frame(test_kabuki_screens.stories()["playing"], ui_state, games.DEMO)
    assert page.painted_sheet(masks).targets


def test_the_log_of_a_game_that_is_over_is_asked_for_and_never_met() -> None:
    for phase in ("over", "abandoned"):
        frame = games.frame(phase, 4)
        page = shown.pages((1920, 1080))["game"]
        told = {text.string for text in page.painted_sheet(frame).text_lines}
        assert not told & {page.words(frame).text(line.sentence, games.NAMES) for line in games.LOG}


@pytest.mark.parametrize("size", album.SEVEN_INCHES)
@pytest.mark.parametrize("phase", ["pairing", "choosing", "searching", "picking", "handing", "placing"])
def test_on_a_display_of_seven_inches_a_finger_tells_two_answers_on_a_plate_apart(
    size: tuple[int, int], phase: str
) -> None:
    for language in shown.LANGUAGES:
        sheet = album.sheet_of("game", games.frame(phase, 4, UiState(language=language)), size, large=False)
        answers = [target for target in sheet.targets if target.key.startswith("say:")]
        assert answers
        for one in answers:
            beside = [other for other in answers if other.key.split(":")[1] == one.key.split(":")[1]]
            assert album.for_a_finger(one, beside, size), (language, one.key, one.rect)


def test_large_letters_leave_a_count_beside_its_token_and_a_name_on_its_tile() -> None:
    frame = test_kobayakawa_screens.frame(test_kobayakawa_screens.stories()["betting"], UiState(), DemoInfo())
    for size in ((800, 480), (1280, 720)):
        found = album.faults("betting", "game", album.sheet_of("game", frame, size, large=True), size)
        assert [fault for fault in found if fault.what in {"pale", "one over the other"}] == []


def betting(story: str) -> GameFrame:
    return test_kobayakawa_screens.frame(test_kobayakawa_screens.stories()[story], UiState())


@pytest.mark.parametrize(
    ("size", "frame", "parts"),
    [
        ((1280, 720), games.frame("announcing"), ["choices"]),
        ((1280, 720), games.frame("turning"), ["places", "marked"]),
        ((800, 480), games.frame("turning"), ["places", "marked"]),
        ((1280, 720), betting("showdown"), ["choices"]),
        ((800, 480), betting("betting"), ["places", "exchange"]),
        ((800, 480), dict(test_sets.frames("en"))["2:acting"], ["areas"]),
    ],
)
def test_what_the_middle_shows_is_a_list_of_parts_that_lie_in_it(
    size: tuple[int, int], frame: GameFrame, parts: list[str]
) -> None:
    sheet = shown.pages(size)["game"].painted_sheet(frame)
    middle = stage_layout.layout_stage(len(frame.view.chairs), sheet.rect, unit(size)).middle
    arranged = arrange_centre(sheet, middle, frame, docked=True)
    assert [part.what for part in arranged] == parts
    assert all(pygame.Rect(middle).contains(part.box) for part in arranged)


def test_objects_are_large_as_soon_as_somebody_chooses_one_with_a_camera_too() -> None:
    """Before, the ring is what people look at: the camera reads what is turned, and nobody has to choose."""
    state = games.stories(4)["turning"]
    (prompt,) = games.RULES.prompts(state)
    begun = games.folded(state, shared_events.ChoiceStepped(prompt.chair, 1, prompt.actions))
    waiting, choosing = (
        {
            target.key: target.rect
            for target in album.sheet_of(
                "game",
                dataclasses.replace(games.frame("turning"), view=games.RULES.view(one)),
                (1280, 720),
                large=False,
            ).targets
        }
        for one in (state, begun)
    )
    tiles = [f"tile:{action}" for action in prompt.actions]
    assert not waiting.keys() & set(tiles)
    assert min(choosing[key].h for key in tiles) > waiting[f"large:{prompt.chair}"].h


@pytest.mark.parametrize("size", [(800, 480), (1280, 720)])
def test_all_plates_of_a_column_are_equally_large_and_all_names_of_one_size(size: tuple[int, int]) -> None:
    page, told = shown.pages(size)["game"], 0
    for name, frame in _asked_frames():
        sheet = page.painted_sheet(frame)
        plates = {target.key: target.rect for target in sheet.targets if target.key.startswith("chair:")}
        names = {
            text.size
            for one in frame.view.chairs
            for text in sheet.text_lines
            if text.string == sheet.name(one.chair) and plates[f"chair:{one.chair}"].contains(text.rect)
        }
        assert len(names) == 1, (name, names)
        told += 1
        if size == (1280, 720):  # a finger needs more of some
            assert len({rect.size for rect in plates.values()}) == 1, name
    assert told


def _asked_frames() -> Iterator[tuple[str, Any]]:
    for phase, players in (
        ("asking", 2),
        ("searching", 4),
        ("announcing", 4),
        ("pairing", 7),
        ("counting", 8),
    ):
        yield f"{phase} {players}", games.frame(phase, players)
