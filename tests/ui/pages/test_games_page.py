"""Past games as boxes, and what ails the table as sheets: what is shown, and what can be touched."""

from __future__ import annotations

import pygame
import pytest
from msgspec.structs import replace

from companion.core.actions import PALETTE
from companion.core.view import Sentence
from companion.ui.commands import ChangeSetting, ResumeGame, ShowPage
from companion.ui.frame import HomeFrame, UiState
from companion.ui.pages.games import MOST_BOXES
from companion.ui.toolkit import inputs
from companion.ui.toolkit.theme import CHAIR, Colour
from tests.ui import shown

SIZE = (1280, 720)


def painted(frame: HomeFrame, page: str = "games") -> tuple[pygame.Surface, set[str], list[str]]:
    opened = shown.pages(SIZE)[page]
    surface = pygame.Surface(SIZE)
    opened.draw(surface, frame, 0)
    sheet = opened.painted_sheet(frame)
    return surface, {target.key for target in sheet.targets}, [line.string for line in sheet.text_lines]


def covered(surface: pygame.Surface, colour: Colour) -> int:
    """So many pixels have this colour."""
    return pygame.mask.from_threshold(surface, colour, (2, 2, 2, 255)).count()


def test_a_box_has_its_winners_colour() -> None:
    won = replace(shown.STORED[1], winners=(1,))
    second, fifth = (CHAIR[PALETTE[chair]] for chair in (1, 4))
    for winner, theirs, other in ((1, second, fifth), (4, fifth, second)):
        games = (replace(won, winners=(winner,), chairs=(1, 4)),)
        surface, _, _ = painted(HomeFrame(ui_state=UiState(), offered=shown.OFFERED, games=games))
        assert covered(surface, theirs) > 4 * covered(surface, other)


def test_only_a_game_that_is_not_over_goes_on() -> None:
    frame = HomeFrame(ui_state=UiState(), offered=shown.OFFERED, games=shown.STORED)
    _, keys, words = painted(frame)
    assert {key for key in keys if key.startswith("game:")} == {"game:3"}
    assert words.count("Continue") == 1
    opened = shown.pages(SIZE)["games"]
    (target,) = (one for one in opened.painted_sheet(frame).targets if one.key == "game:3")
    assert target.action.commands == (ResumeGame("3"),)


def test_dates_are_as_people_write_them() -> None:
    _, _, words = painted(HomeFrame(ui_state=UiState(language="de"), games=shown.STORED))
    assert "20. Nov." in words


def test_more_games_than_there_are_boxes_for_are_a_press_away() -> None:
    frame = HomeFrame(ui_state=UiState(), offered=shown.OFFERED, games=shown.MANY)
    _, keys, _ = painted(frame)
    assert "down" in keys
    assert "up" not in keys
    _, keys, _ = painted(replace_scroll(frame, MOST_BOXES))
    assert {"up", "down"} <= keys


def replace_scroll(frame: HomeFrame, scroll: int) -> HomeFrame:
    return HomeFrame(ui_state=UiState(scroll=scroll), offered=frame.offered, games=frame.games)


@pytest.mark.parametrize("count", [1, 3, 4])
def test_everything_that_is_wrong_is_told_in_full(count: int) -> None:
    keys = (
        "shared.CameraWentDark",
        "ui.club.clash",
        "shared.part.page",
        "shared.part.voice",
        "shared.part.buttons",
    )
    found = tuple(map(Sentence, keys[:count]))
    frame = HomeFrame(ui_state=UiState(overlay="doctor"), doctor=found)
    opened = shown.pages(SIZE)["home"]
    sheet = opened.painted_sheet(frame)
    told = " ".join(line.string for line in sheet.text_lines).casefold()
    assert all(sheet.sentence(one).replace(":", "").casefold() in told for one in found)
    if count == 3:
        size = {line.string.partition(" ")[0]: line.size for line in sheet.text_lines}
        assert size["Change"] > size["Another"], "what to do is larger than what is wrong"
    assert not any(line.cut for line in sheet.text_lines)


def test_the_page_of_the_loudspeakers_names_the_line_that_an_amplifier_on_the_header_needs() -> None:
    frames = [
        HomeFrame(ui_state=UiState(), outputs=shown.OUTPUTS, lacks_board_line=lacks)
        for lacks in (False, True)
    ]
    named = [" ".join(painted(frame, "sound")[2]) for frame in frames]
    assert ["dtoverlay=max98357a" in text.replace(" ", "") for text in named] == [False, True]


@pytest.mark.parametrize(
    ("output", "kept"), [("Device", (ChangeSetting("sound_output", "Device"),)), ("default", ())]
)
def test_who_hears_what_plays_already_keeps_it(output: str, kept: tuple[ChangeSetting, ...]) -> None:
    page = shown.pages(SIZE)["sound"]
    frame = HomeFrame(ui_state=UiState(), outputs=shown.OUTPUTS, output=output)
    assert page.handle(inputs.KeyPressed("return"), frame)[1] == (*kept, ShowPage("home"))


def test_on_a_french_keyboard_the_digits_are_chairs_without_shift_unless_the_settings_say_otherwise() -> None:
    parts = shown.pages(SIZE)["home"].resources.parts
    assert [parts[sign] for sign in "&é\"'(-è_"] == [str(chair) for chair in range(1, 9)]
    assert parts["1"] == "1"


def test_phones_that_have_a_chair_or_ask_for_one_are_shown_and_one_answer_is_golden() -> None:
    frame = next(
        one for page, one in shown.home_frames("en") if page == "phones" and not one.ui_state.overlay
    )
    sheet = shown.pages(SIZE)["phones"].painted_sheet(frame)
    told = {line.string for line in sheet.text_lines}
    for seat in frame.phones.seats:
        assert (sheet.name(seat.chair) in told) == (seat.state != "free")
    answers = {target.key for target in sheet.targets if target.key.startswith(("yes:", "no:"))}
    assert answers == {
        f"{word}:{seat.chair}"
        for seat in frame.phones.seats
        for word in (("yes", "no") if seat.state == "asks" else ("no",) if seat.state == "held" else ())
    }
