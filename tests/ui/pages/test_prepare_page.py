"""Making the table ready: a step a press, all by a hold, and pictures that move only where they may."""

from __future__ import annotations

import dataclasses

import pygame
import pytest

from companion.core.observations import ButtonHeld, ButtonPressed
from companion.core.rules import Rules
from companion.core.view import SetupPicture
from companion.games import RULES
from companion.table.frames import setup_steps
from companion.table.host import SetupLimits
from companion.ui.board.setup_pictures import arrange_setup
from companion.ui.commands import ShowPage, StartGame
from companion.ui.frame import GameDraft, HomeFrame
from companion.ui.layout import Box
from companion.ui.pages.prepare import PreparePage
from companion.ui.toolkit import inputs
from tests.ui import shown
from tests.ui.pages.entering import after, tap

FOUR = GameDraft("kinapa", chairs=(0, 1, 3, 6), names=((0, "Anna"),))
SIZE = (1280, 720)
GOES = (StartGame("kinapa", FOUR.chairs, None, FOUR.names),)


@pytest.fixture
def page() -> PreparePage:
    return shown.pages(SIZE)["prepare"]  # type: ignore[no-any-return]


def words(page: PreparePage, frame: HomeFrame) -> str:
    return " ".join(text.string for text in page.painted_sheet(frame).text_lines)


def test_every_press_of_somebody_at_the_table_is_a_step_and_after_the_last_the_game_begins(
    page: PreparePage,
) -> None:
    now, commands = after(page, shown.preparation(FOUR), *tap(3))
    assert (now.ui_state.scroll, commands) == (1, ())
    now, _ = after(page, now, *tap(5))
    assert now.ui_state.scroll == 1, "nobody sits there"
    now, _ = after(page, now, *tap(0))
    assert page.handle(ButtonPressed(at=0, chair=6), now)[1] == GOES


def test_a_hold_and_the_button_that_is_marked_skip_all_of_it(page: PreparePage) -> None:
    now = shown.preparation(FOUR)
    assert after(page, now, ButtonPressed(at=0, chair=1), ButtonHeld(at=600_000, chair=1))[1] == GOES
    assert after(page, now, inputs.KeyPressed("return"))[1] == GOES
    assert after(page, now, ButtonPressed(at=0, chair=None, button="ok"))[1] == GOES


def test_the_way_back_leads_where_people_sit_down(page: PreparePage) -> None:
    now = shown.preparation(FOUR)
    assert after(page, now, inputs.KeyPressed("escape"))[1] == (ShowPage("home"),)


def test_a_picture_that_is_touched_is_the_step_of_now_and_touched_again_done(page: PreparePage) -> None:
    now = shown.preparation(FOUR)
    for expected in (2, 2):
        spot = next(one for one in page.painted_sheet(now).targets if one.key == "step:2").rect.center
        now, commands = after(page, now, inputs.FingerDown(*spot))
        assert now.ui_state.scroll == expected
    assert commands == GOES


def test_who_has_the_page_read_hears_the_step_of_now(page: PreparePage) -> None:
    now = shown.preparation(FOUR, aloud=True)
    assert "Shuffle white" in page.describe_focus(now)[1]
    now, _ = after(page, now, ButtonPressed(at=0, chair=None, button="ok"))
    assert "Deal four white" in page.describe_focus(now)[1]


def test_every_game_tells_its_steps_in_words_and_shows_as_many_pictures(page: PreparePage) -> None:
    for game, people, bot, told in (
        ("kinapa", 2, False, "four unseen under an aid"),
        ("kinapa", 4, True, "four more"),
        ("kinapa", 4, False, "Take 1 to 8"),
        ("kobayakawa", 3, False, "eight in the middle"),
        ("kabuki", 6, False, "4 tokens each"),
        ("dnup", 2, False, "Two areas"),
        ("dnup", 3, False, "30 cards stay"),
    ):
        draft = GameDraft(game, chairs=tuple(range(people)), bot=bot)
        now = shown.preparation(draft, calm=True)
        assert told in words(page, now), game
        assert all(picture != SetupPicture() for _, picture in now.steps), game


def test_a_game_that_draws_nothing_is_told_with_its_own_cards(page: PreparePage) -> None:
    steps = tuple((words, SetupPicture()) for words, _ in shown.preparation(FOUR).steps)
    now = dataclasses.replace(shown.preparation(FOUR, calm=True), steps=steps)
    assert "Deal four white cards" in words(page, now)
    assert Rules.setup_pictures(RULES["kinapa"], None) == ()  # type: ignore[arg-type]


def test_too_few_have_no_steps() -> None:
    limits = SetupLimits(8, range(2, 9), RULES["kinapa"].options())
    assert setup_steps(GameDraft("kinapa", chairs=(2,)), limits) == ()


def drawings(page: PreparePage, frame: HomeFrame, until: int) -> list[int]:
    """At which thousandths of a second the page is drawn again."""
    surface, found = pygame.Surface(SIZE), []
    page.draw(surface, frame, 0)
    for at in range(0, until, 20):
        if page.needs_redraw(frame, at * 1000):
            page.draw(surface, frame, at * 1000)
            found.append(at)
    return found


def test_the_step_of_now_moves_rests_and_moves_again(page: PreparePage) -> None:
    drawn = drawings(page, shown.preparation(FOUR), 6000)
    assert len([at for at in drawn if at < 1200]) > 20
    assert [at for at in drawn if 1300 < at < 2900] == [], "it rests: nothing is painted"
    assert [at for at in drawn if 3100 < at < 4100]


def test_nothing_moves_where_nothing_should(page: PreparePage) -> None:
    calm = shown.preparation(FOUR, calm=True)
    assert page.redraw_interval(calm) == 0
    assert drawings(page, calm, 4000) == []
    help_page = shown.preparation(FOUR, overlay="help")
    assert page.redraw_interval(help_page) == 0


def test_a_press_ends_the_motion_at_once(page: PreparePage) -> None:
    now = shown.preparation(FOUR)
    surface, still = pygame.Surface(SIZE), pygame.Surface(SIZE)
    page.draw(surface, now, 0)
    page.draw(surface, now, 300_000)
    pressed, _ = after(page, now, *tap(0))
    page.draw(surface, pressed, 320_000)
    resting = dataclasses.replace(pressed, ui_state=shown.preparation(FOUR, calm=True, scroll=1).ui_state)
    shown.pages(SIZE)["prepare"].draw(still, resting, 0)
    piles = pygame.Rect(60, 130, 330, 340)
    moved, rests = (pygame.image.tobytes(one.subsurface(piles), "RGB") for one in (surface, still))
    assert moved == rests


@pytest.mark.parametrize("game", RULES)
def test_every_picture_lies_in_its_field_in_the_end(game: str) -> None:
    sheet = shown.pages((800, 480))["prepare"].painted_sheet(shown.preparation(FOUR))
    field = Box(40, 90, 200, 220)
    for people in RULES[game].players:
        chairs = tuple(range(people))
        for _, picture in shown.preparation(GameDraft(game, chairs=chairs)).steps:
            for one in arrange_setup(sheet, field, picture, chairs).cards:
                assert field.inflate(8, 8).contains(one.centre), (people, picture)
                assert one.high > 10, (people, picture)
