"""A verdict as a moment: whose it is, what moves, what puts it away; and red for a broken rule alone."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pygame
import pytest
from msgspec.structs import replace

from companion.core.actions import SECOND
from companion.core.view import CountView, Sentence
from companion.games import RULES
from companion.ui.board.full_screen import is_verdict_shown
from companion.ui.board.player_banner import banner_rect
from companion.ui.frame import GameFrame, UiState
from companion.ui.pages.game import GamePage
from companion.ui.toolkit import inputs
from companion.ui.toolkit.theme import BAD, CHAIR, GOLD, LOOK, REVEAL_TIME, contrast_ratio
from tests.ui import games, shown
from tests.ui.board import test_kabuki_screens, test_kobayakawa_screens, test_sets

SIZE = (1280, 720)
AT = 5 * SECOND
CAUGHT = shown.punished(3)


@pytest.fixture
def page() -> GamePage:
    return shown.pages(SIZE)["game"]  # type: ignore[no-any-return]


def caught(ui_state: UiState | None = None, **more: object) -> GameFrame:
    return games.frame("returning", 4, ui_state, current_verdict=(CAUGHT, AT), **more)


def drawn(page: GamePage, frame: GameFrame, now: int) -> bytes:
    surface = pygame.Surface(SIZE)
    page.draw(surface, frame, now)
    return bytes(surface.get_buffer().raw)


def share(sheet: Any, colour: tuple[int, int, int]) -> float:
    """How much of the page is in this colour, by a grid of spots."""
    spots = [sheet.surface.get_at((x, y))[:3] for x in range(0, SIZE[0], 40) for y in range(0, SIZE[1], 40)]
    return spots.count(colour) / len(spots)


def test_when_a_game_is_over_the_golden_button_is_marked(page: GamePage) -> None:
    marked = page.focused_target(games.frame("over"))
    assert marked is not None
    assert marked.key == "over:rematch"
    assert page.painted_sheet(games.frame("over")).surface.get_at(marked.rect.move(8, 0).midleft)[:3] == GOLD


def test_a_caught_lie_takes_the_screen_in_the_liars_colour_and_not_in_red(page: GamePage) -> None:
    sheet = page.painted_sheet(caught())
    assert share(sheet, CHAIR["yellow"]) > 0.2
    assert share(sheet, BAD) == 0
    told = {text.string for text in sheet.text_lines}
    assert "Caught!" in told
    assert page.words(caught()).text(caught().view.headline, games.NAMES) in " ".join(
        text.string for text in sheet.text_lines
    )


def test_red_is_for_a_broken_rule_and_a_stack_put_back_has_no_moment(page: GamePage) -> None:
    assert share(page.painted_sheet(games.frame("announcing", say=shown.SAID[1])), BAD) > 0.05
    for said in (shown.SAID[0], shown.SAID[2], CAUGHT):
        assert share(page.painted_sheet(games.frame("announcing", say=said)), BAD) == 0
    moments = RULES["kabuki"].board.full_screen_words
    assert "StackRestored" not in moments
    assert set(moments) == {"StopAssigned", "StopRight", "StopWrong"}


def test_a_loud_sentence_on_top_is_no_brighter_than_any_other(page: GamePage) -> None:
    frame = games.frame("announcing", say=shown.SAID[0])
    sheet = page.painted_sheet(frame)
    (text, *_) = [text for text in sheet.text_lines if text.string.startswith("Liar!")]
    assert {sum(ground) < 200 for ground in text.grounds} == {True}
    words = page.words(frame).text(frame.view.headline, games.NAMES)
    (now,) = [one for one in sheet.text_lines if one.string == words]
    assert now.rect.y > text.rect.centery
    assert now.size > text.size


def test_the_colour_comes_in_within_half_a_second_and_then_nothing_moves(page: GamePage) -> None:
    assert REVEAL_TIME <= SECOND // 2
    frame = caught()
    early, later, still = (
        drawn(page, frame, AT + after) for after in (REVEAL_TIME // 8, REVEAL_TIME, 2 * REVEAL_TIME)
    )
    assert early != later
    assert later == still
    assert page.redraw_interval(frame) > 0
    assert not page.needs_redraw(frame, AT + 3 * REVEAL_TIME)


def test_a_calm_screen_shows_it_at_once(page: GamePage) -> None:
    frame = caught(UiState(calm=True))
    assert drawn(page, frame, AT) == drawn(page, frame, AT + REVEAL_TIME)
    assert page.redraw_interval(frame) == 0


def test_words_stand_still_while_the_colour_comes(page: GamePage) -> None:
    frame = caught()
    drawn(page, frame, AT)
    first = [text.rect for text in page.painted_sheet(frame).text_lines]
    drawn(page, frame, AT + REVEAL_TIME)
    assert [text.rect for text in page.painted_sheet(frame).text_lines] == first


def test_a_touch_puts_it_away_and_an_older_one_stays_away(page: GamePage) -> None:
    frame = caught()
    ui_state, told = page.handle(inputs.FingerDown(400, 200), frame)
    assert told == ()
    assert not is_verdict_shown(dataclasses.replace(frame, ui_state=ui_state))
    assert is_verdict_shown(dataclasses.replace(frame, ui_state=ui_state, current_verdict=(CAUGHT, AT + 1)))


def test_anything_more_urgent_puts_it_away() -> None:
    frame = caught()
    counting = replace(frame.view, count=CountView(AT, 3, 7))
    assert not is_verdict_shown(dataclasses.replace(frame, view=counting))
    for more in ({"dark": True}, {"paused": True}):
        assert not is_verdict_shown(dataclasses.replace(frame, view=replace(frame.view, **more)))
    assert not is_verdict_shown(caught(UiState(overlay="why")))
    assert not is_verdict_shown(caught(guide=shown.GUIDES["wait"]))
    assert is_verdict_shown(frame)


@pytest.mark.parametrize("size", [(800, 480), (1280, 720), (1920, 1080), (1080, 1920)])
@pytest.mark.parametrize("language", shown.LANGUAGES)
def test_it_is_read_at_every_size_by_everybody(size: tuple[int, int], language: str) -> None:
    page, screen = shown.pages(size)["game"], pygame.Rect((0, 0), size)
    tie = test_kabuki_screens.frame(test_kabuki_screens.stories()["tie"], UiState(language=language))
    right = Sentence("kabuki.StopRight", (("chair", 1), ("from_chair", 0), ("left", 2)))
    frames = [caught(UiState(language=language, large=large)) for large in (False, True)]
    frames += [
        dataclasses.replace(frames[0], current_verdict=(shown.punished(chair), AT)) for chair in range(3)
    ]
    for frame in (*frames, dataclasses.replace(tie, current_verdict=(right, AT), exhibit=None)):
        sheet = page.painted_sheet(frame)
        assert "flood" in sheet.moving
        for text in sheet.text_lines:
            assert not text.cut, text
            assert screen.contains(text.rect), text
            assert min(contrast_ratio(text.colour, ground) for ground in text.grounds) >= 4.5, text


def test_what_a_verdict_is_about_is_a_large_picture(page: GamePage) -> None:
    """It is as wide as a seventh of the screen: a fox of a few points is no picture."""
    sheet = page.painted_sheet(caught())
    above = banner_rect(sheet, sheet.rect, "verdict")
    colour = sheet.colour(3)
    right = sheet.surface.subsurface((above.w * 3 // 4, 0, above.w // 4, above.h))
    far = np.abs(pygame.surfarray.array3d(right).astype(int) - colour).max(axis=2) > 90
    assert far.any(axis=1).sum() > above.w // 10


def test_two_words_are_the_largest_thing_that_is_written(page: GamePage) -> None:
    sheet = page.painted_sheet(caught())
    largest = max(sheet.text_lines, key=lambda text: text.size)
    assert largest.string in {"Caught!", "4"}
    verdict = next(text for text in sheet.text_lines if text.string == "Caught!")
    assert verdict.size * 100 >= SIZE[1] * LOOK.moment["word"] * 0.8
    assert banner_rect(sheet, sheet.rect, "verdict").contains(verdict.rect)


@pytest.mark.parametrize("phase", ["returning", "turning", "placing"])
def test_what_is_next_has_more_room_than_what_was_and_says_whose_turn_it_is(
    page: GamePage, phase: str
) -> None:
    """The badge, the name and what to do, last of the numbered steps."""
    frame = games.frame(phase, 4, current_verdict=(CAUGHT, AT))
    (asked,) = [one.chair for one in frame.view.chairs if one.asked]
    sheet = page.painted_sheet(frame)
    above = banner_rect(sheet, sheet.rect, "verdict")
    assert 2 * above.h < sheet.rect.h
    below = [text for text in sheet.text_lines if text.rect.y >= above.bottom]
    assert sheet.name(asked) in " ".join(text.string for text in below)
    assert str(asked + 1) in {text.string for text in below}
    words = page.words(frame).text(frame.view.headline, games.NAMES)
    next_act = [text for text in below if text.string in words and len(text.string) > 5]
    assert min(text.size for text in next_act) > sheet.unit


@pytest.mark.parametrize("language", shown.LANGUAGES)
def test_the_verdict_is_not_said_again_in_the_sentence_below_it(page: GamePage, language: str) -> None:
    tie = test_kabuki_screens.frame(test_kabuki_screens.stories()["tie"], UiState(language=language))
    for kind in ("Right", "Wrong"):
        said = Sentence(f"kabuki.Stop{kind}", (("chair", 1), ("from_chair", 0), ("left", 2)))
        sheet = page.painted_sheet(dataclasses.replace(tie, current_verdict=(said, AT), exhibit=None))
        word = page.words(tie).tr(f"ui.verdict.{kind.lower()}").rstrip(" !\N{NO-BREAK SPACE}")
        assert sum(text.string.startswith(word) for text in sheet.text_lines) == 1


def over(game: str, language: str = "en", **more: object) -> GameFrame:
    """A game that somebody won."""
    ui_state = UiState(language=language, **more)  # type: ignore[arg-type]
    if game == "kinapa":
        return games.frame("over", 8, ui_state)
    if game == "dnup":
        frames = dict(test_sets.frames(language))
        return dataclasses.replace(frames["3:over"], ui_state=ui_state)
    table = test_kobayakawa_screens.stories()["shared" if game == "shared" else "over"]
    return test_kobayakawa_screens.frame(table, ui_state)


def names_shown(sheet: Any) -> str:
    return " ".join(text.string for text in sheet.text_lines)


@pytest.mark.parametrize("game", ["kinapa", "kobayakawa", "dnup"])
def test_a_winner_has_the_screen_in_the_own_colour_and_everybody_stands_below(
    page: GamePage, game: str
) -> None:
    frame = over(game)
    sheet = page.painted_sheet(frame)
    assert frame.view.outcome is not None
    (winner,) = frame.view.outcome.winners
    assert share(sheet, sheet.colour(winner)) > 0.15
    below = " ".join(t.string for t in sheet.text_lines if t.rect.y >= banner_rect(sheet, sheet.rect).bottom)
    for chair in frame.view.chairs:
        assert sheet.name(chair.chair) in below
        assert str(chair.chair + 1) in below
    assert {target.key for target in sheet.targets} == {"over:recap", "over:rematch", "over:home"}


def test_a_winner_of_kinapa_shows_the_pairs_and_of_kobayakawa_the_card_that_won_the_last_round() -> None:
    assert over("kinapa").view.decided == ("animal:3", "shelter:3", "animal:7", "shelter:7")
    won = test_kobayakawa_screens.frame(test_kobayakawa_screens.stories()["won"], UiState())
    assert won.view.decided == ("number:10",)
    assert (
        test_kobayakawa_screens.frame(test_kobayakawa_screens.stories()["betting"], UiState()).view.decided
        == ()
    )


def test_several_winners_share_the_screen_on_paper_in_nobodys_colour(page: GamePage) -> None:
    frame = over("shared")
    sheet = page.painted_sheet(frame)
    assert share(sheet, LOOK.colour("paper")) > 0.2
    assert all(share(sheet, sheet.colour(chair.chair)) < 0.1 for chair in frame.view.chairs)


def test_confetti_falls_beside_the_words_and_on_a_calm_screen_not_at_all(page: GamePage) -> None:
    frame = over("kinapa")
    assert drawn(page, frame, AT) != drawn(page, frame, AT + SECOND)
    surface = pygame.Surface(SIZE)
    words = next(text.rect for text in page.painted_sheet(frame).text_lines if text.string.endswith("wins!"))
    looks = set()
    for now in range(AT, AT + 3 * SECOND, SECOND // 2):
        page.draw(surface, frame, now)
        looks.add(bytes(surface.subsurface(words).copy().get_buffer().raw))
    assert len(looks) == 1
    calm = over("kinapa", calm=True)
    assert page.redraw_interval(calm) == 0
    assert drawn(page, calm, AT) == drawn(page, calm, AT + SECOND)


def contested(**more: object) -> GameFrame:
    frame = test_kabuki_screens.frame(test_kabuki_screens.stories()["tie"], UiState())
    return dataclasses.replace(frame, **more)  # type: ignore[arg-type]


STOPPED = Sentence("kabuki.StopAssigned.tied", (("chair", 0), ("stack", 1)))


def test_a_stop_that_several_called_has_the_callers_colour_over_its_finish_and_both_answers_at_hand(
    page: GamePage,
) -> None:
    frame = contested(current_verdict=(STOPPED, AT))
    sheet = page.painted_sheet(frame)
    assert share(sheet, CHAIR["red"]) > 0.12
    assert {"Stop!", "+0.4 ms", "counts"} <= {text.string for text in sheet.text_lines}
    asked = next(chair for chair in frame.view.chairs if chair.asked)
    keys = [target.key for target in sheet.targets]
    assert [key for key in keys if key.startswith("say:")] == [f"say:{c.action}" for c in asked.choices]
    words = page.words(frame).text(frame.view.headline, frame.names)
    sizes = {text.string: text.size for text in sheet.text_lines}
    assert sizes["Stop!"] > sizes[words] > sizes["counts"]
    assert all(sizes[page.words(frame).text(c.label)] > sizes["+0.4 ms"] for c in asked.choices)
    assert not is_verdict_shown(frame)
    assert "Stop!" not in {
        text.string for text in page.painted_sheet(contested(view=frame.view, exhibit=None)).text_lines
    }


def test_a_stops_colour_comes_in_once_and_not_when_the_finish_is_looked_at_again(page: GamePage) -> None:
    assert drawn(page, contested(current_verdict=(STOPPED, AT)), AT) != drawn(page, contested(), AT)
    assert page.redraw_interval(contested()) == 0
    assert page.redraw_interval(contested(current_verdict=(STOPPED, AT), ui_state=UiState(calm=True))) == 0


def test_a_stop_that_one_called_is_a_moment_with_the_mask_it_is_about(page: GamePage) -> None:
    said = Sentence("kabuki.StopAssigned", (("chair", 1), ("stack", 1)))
    frame = contested(current_verdict=(said, AT), exhibit=None)
    assert is_verdict_shown(frame)
    assert "Stop!" in {text.string for text in page.painted_sheet(frame).text_lines}


ROUNDS = (
    ("kinapa", Sentence("kinapa.PairPlaced", (("chair", 0), ("number", 7), ("slot", 5))), "Pair!"),
    (
        "kobayakawa",
        Sentence("kobayakawa.RoundWon.tie", (("chair", 3), ("total", 10), ("count", 5))),
        "Round won!",
    ),
    ("dnup", Sentence("dnup.WentOut.round", (("chair", 0), ("points", 1))), "All cards gone!"),
)


@pytest.mark.parametrize(("game", "said", "word"), ROUNDS)
@pytest.mark.parametrize("language", shown.LANGUAGES)
@pytest.mark.parametrize("size", [(800, 480), (1280, 720), (1080, 1920)])
def test_what_is_won_on_the_way_is_told_whole_in_every_version_of_its_sentence(
    size: tuple[int, int], language: str, game: str, said: Sentence, word: str
) -> None:
    ui_state = UiState(language=language)
    frame = {
        "kinapa": lambda: games.frame("announcing", 4, ui_state),
        "kobayakawa": lambda: test_kobayakawa_screens.frame(
            test_kobayakawa_screens.stories()["won"], ui_state
        ),
        "dnup": lambda: dataclasses.replace(
            dict(test_sets.frames(language))["2:dealing"], ui_state=ui_state, board=RULES["dnup"].board
        ),
    }[game]()
    page = shown.pages(size)["game"]
    sheet = page.painted_sheet(dataclasses.replace(frame, current_verdict=(said, AT)))
    assert "flood" in sheet.moving
    assert language != "en" or word in names_shown(sheet)
    for text in sheet.text_lines:
        assert not text.cut, text
        assert sheet.rect.contains(text.rect), text
        assert min(contrast_ratio(text.colour, ground) for ground in text.grounds) >= 4.5, text
    above = banner_rect(sheet, sheet.rect, "verdict")
    one, *others = [t.rect for t in sheet.text_lines if t.rect.bottom <= above.bottom]
    assert not any(one.clip(other).h > other.h // 3 for other in others)


@pytest.mark.parametrize("size", [(800, 480), (1280, 720), (1080, 1920)])
@pytest.mark.parametrize("language", shown.LANGUAGES)
@pytest.mark.parametrize("game", ["kinapa", "kobayakawa", "shared", "dnup"])
def test_an_end_is_read_at_every_size(size: tuple[int, int], language: str, game: str) -> None:
    for large in (False, True):
        sheet = shown.pages(size)["game"].painted_sheet(over(game, language, large=large))
        for text in sheet.text_lines:
            assert not text.cut, text
            assert sheet.rect.contains(text.rect), text
            assert min(contrast_ratio(text.colour, ground) for ground in text.grounds) >= 4.5, text
