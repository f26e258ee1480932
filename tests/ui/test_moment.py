"""A verdict as a moment: whose it is, what moves, what puts it away; and red for a broken rule alone."""

from __future__ import annotations

import dataclasses
from typing import Any

import pygame
import pytest
from msgspec.structs import replace

from companion.core.actions import SECOND
from companion.core.view import CountView, Sentence
from companion.games import RULES
from companion.ui import inputs
from companion.ui.flood import COMES, flooded
from companion.ui.frame import GameFrame
from companion.ui.glass import Glass
from companion.ui.moment import shows_moment
from companion.ui.pages.game import GamePage
from companion.ui.theme import BAD, CHAIR, LOOK, contrast
from tests.ui import games, shown, test_kabuki_screens, test_kobayakawa_screens, test_sets

SIZE = (1280, 720)
AT = 5 * SECOND
CAUGHT = shown.punished(3)


@pytest.fixture
def page() -> GamePage:
    return shown.pages(SIZE)["game"]  # type: ignore[no-any-return]


def caught(glass: Glass | None = None, **more: object) -> GameFrame:
    return games.frame("returning", 4, glass, ruled=(CAUGHT, AT), **more)


def drawn(page: GamePage, frame: GameFrame, now: int) -> bytes:
    surface = pygame.Surface(SIZE)
    page.draw(surface, frame, now)
    return bytes(surface.get_buffer().raw)


def share(sheet: Any, colour: tuple[int, int, int]) -> float:
    """How much of the page is in this colour, by a grid of spots."""
    spots = [sheet.surface.get_at((x, y))[:3] for x in range(0, SIZE[0], 40) for y in range(0, SIZE[1], 40)]
    return spots.count(colour) / len(spots)


def test_a_caught_lie_takes_the_screen_in_the_liars_colour_and_not_in_red(page: GamePage) -> None:
    sheet = page.sheet(caught())
    assert share(sheet, CHAIR["yellow"]) > 0.2
    assert share(sheet, BAD) == 0
    told = {text.string for text in sheet.written}
    assert "Caught!" in told
    assert page.words(caught()).text(caught().view.headline, games.NAMES) in " ".join(
        text.string for text in sheet.written
    )


def test_red_is_for_a_broken_rule_and_a_stack_put_back_has_no_moment(page: GamePage) -> None:
    assert share(page.sheet(games.frame("announcing", say=shown.SAID[1])), BAD) > 0.05
    for said in (shown.SAID[0], shown.SAID[2], CAUGHT):
        assert share(page.sheet(games.frame("announcing", say=said)), BAD) == 0
    moments = RULES["kabuki"].board.moments
    assert "StackRestored" not in moments
    assert set(moments) == {"StopAssigned", "StopRight", "StopWrong"}


def test_a_loud_sentence_on_top_is_no_brighter_than_any_other(page: GamePage) -> None:
    frame = games.frame("announcing", say=shown.SAID[0])
    sheet = page.sheet(frame)
    (text, *_) = [text for text in sheet.written if text.string.startswith("Liar!")]
    assert {sum(ground) < 200 for ground in text.grounds} == {True}
    words = page.words(frame).text(frame.view.headline, games.NAMES)
    (now,) = [one for one in sheet.written if one.string == words]
    assert now.rect.y > text.rect.centery
    assert now.size > text.size


def test_the_colour_comes_in_within_half_a_second_and_then_nothing_moves(page: GamePage) -> None:
    assert COMES <= SECOND // 2
    frame = caught()
    early, later, still = (drawn(page, frame, AT + after) for after in (COMES // 8, COMES, 2 * COMES))
    assert early != later
    assert later == still
    assert page.pace(frame) > 0
    assert not page.needs_redraw(frame, AT + 3 * COMES)


def test_a_calm_screen_shows_it_at_once(page: GamePage) -> None:
    frame = caught(Glass(calm=True))
    assert drawn(page, frame, AT) == drawn(page, frame, AT + COMES)
    assert page.pace(frame) == 0


def test_words_stand_still_while_the_colour_comes(page: GamePage) -> None:
    frame = caught()
    drawn(page, frame, AT)
    first = [text.rect for text in page.sheet(frame).written]
    drawn(page, frame, AT + COMES)
    assert [text.rect for text in page.sheet(frame).written] == first


def test_a_touch_puts_it_away_and_an_older_one_stays_away(page: GamePage) -> None:
    frame = caught()
    glass, told = page.handle(inputs.Tap(400, 200), frame)
    assert told == ()
    assert not shows_moment(dataclasses.replace(frame, glass=glass))
    assert shows_moment(dataclasses.replace(frame, glass=glass, ruled=(CAUGHT, AT + 1)))


def test_anything_more_urgent_puts_it_away() -> None:
    frame = caught()
    counting = replace(frame.view, count=CountView(AT, 3, 7))
    assert not shows_moment(dataclasses.replace(frame, view=counting))
    for more in ({"dark": True}, {"paused": True}):
        assert not shows_moment(dataclasses.replace(frame, view=replace(frame.view, **more)))
    assert not shows_moment(caught(Glass(overlay="why")))
    assert not shows_moment(caught(guide=shown.GUIDES["wait"]))
    assert shows_moment(frame)


@pytest.mark.parametrize("size", [(800, 480), (1280, 720), (1920, 1080), (1080, 1920)])
@pytest.mark.parametrize("language", shown.LANGUAGES)
def test_it_is_read_at_every_size_by_everybody(size: tuple[int, int], language: str) -> None:
    page, screen = shown.pages(size)["game"], pygame.Rect((0, 0), size)
    tie = test_kabuki_screens.frame(test_kabuki_screens.stories()["tie"], Glass(language=language))
    right = Sentence("kabuki.StopRight", (("chair", 1), ("from_chair", 0), ("left", 2)))
    frames = [caught(Glass(language=language, large=large)) for large in (False, True)]
    frames += [dataclasses.replace(frames[0], ruled=(shown.punished(chair), AT)) for chair in range(3)]
    for frame in (*frames, dataclasses.replace(tie, ruled=(right, AT), exhibit=None)):
        sheet = page.sheet(frame)
        assert "flood" in sheet.moving
        for text in sheet.written:
            assert not text.cut, text
            assert screen.contains(text.rect), text
            assert min(contrast(text.colour, ground) for ground in text.grounds) >= 4.5, text


def test_two_words_are_the_largest_thing_that_is_written(page: GamePage) -> None:
    sheet = page.sheet(caught())
    largest = max(sheet.written, key=lambda text: text.size)
    assert largest.string in {"Caught!", "4"}
    verdict = next(text for text in sheet.written if text.string == "Caught!")
    assert verdict.size * 100 >= SIZE[1] * LOOK.moment["word"] * 0.8
    assert flooded(sheet, sheet.rect, "verdict").contains(verdict.rect)


@pytest.mark.parametrize("phase", ["returning", "turning", "placing"])
def test_what_is_next_has_more_room_than_what_was_and_says_whose_turn_it_is(
    page: GamePage, phase: str
) -> None:
    """The badge, the name and what to do, on paper as on a plate that is asked."""
    frame = games.frame(phase, 4, ruled=(CAUGHT, AT))
    (asked,) = [one.chair for one in frame.view.chairs if one.asked]
    sheet = page.sheet(frame)
    above = flooded(sheet, sheet.rect, "verdict")
    assert 2 * above.h < sheet.rect.h
    below = [text for text in sheet.written if text.rect.y >= above.bottom]
    assert sheet.name(asked) in " ".join(text.string for text in below)
    assert str(asked + 1) in {text.string for text in below}
    (event,) = {text.size for text in sheet.written if text.string.startswith("Zoé takes")}
    words = page.words(frame).text(frame.view.headline, games.NAMES)
    next_act = [text for text in below if text.string in words and len(text.string) > 5]
    assert min(text.size for text in next_act) > event


@pytest.mark.parametrize("language", shown.LANGUAGES)
def test_the_verdict_is_not_said_again_in_the_sentence_below_it(page: GamePage, language: str) -> None:
    tie = test_kabuki_screens.frame(test_kabuki_screens.stories()["tie"], Glass(language=language))
    for kind in ("Right", "Wrong"):
        said = Sentence(f"kabuki.Stop{kind}", (("chair", 1), ("from_chair", 0), ("left", 2)))
        sheet = page.sheet(dataclasses.replace(tie, ruled=(said, AT), exhibit=None))
        word = page.words(tie).tr(f"ui.verdict.{kind.lower()}").rstrip(" !\N{NO-BREAK SPACE}")
        assert sum(text.string.startswith(word) for text in sheet.written) == 1


def over(game: str, language: str = "en", **more: object) -> GameFrame:
    """A game that somebody won."""
    glass = Glass(language=language, **more)  # type: ignore[arg-type]
    if game == "kinapa":
        return games.frame("over", 8, glass)
    if game == "dnup":
        frames = dict(test_sets.frames(language))
        return dataclasses.replace(frames["3:over"], glass=glass)
    table = test_kobayakawa_screens.stories()["shared" if game == "shared" else "over"]
    return test_kobayakawa_screens.frame(table, glass)


def names_shown(sheet: Any) -> str:
    return " ".join(text.string for text in sheet.written)


@pytest.mark.parametrize("game", ["kinapa", "kobayakawa", "dnup"])
def test_a_winner_has_the_screen_in_the_own_colour_and_everybody_stands_below(
    page: GamePage, game: str
) -> None:
    frame = over(game)
    sheet = page.sheet(frame)
    assert frame.view.outcome is not None
    (winner,) = frame.view.outcome.winners
    assert share(sheet, sheet.colour(winner)) > 0.15
    below = " ".join(t.string for t in sheet.written if t.rect.y >= flooded(sheet, sheet.rect).bottom)
    for chair in frame.view.chairs:
        assert sheet.name(chair.chair) in below
        assert str(chair.chair + 1) in below
    assert {target.key for target in sheet.targets} == {"over:recap", "over:rematch", "over:home"}


def test_a_winner_of_kinapa_shows_the_pairs_and_of_kobayakawa_the_card_that_won_the_last_round() -> None:
    assert over("kinapa").view.decided == ("animal:3", "shelter:3", "animal:7", "shelter:7")
    won = test_kobayakawa_screens.frame(test_kobayakawa_screens.stories()["won"], Glass())
    assert won.view.decided == ("number:10",)
    assert (
        test_kobayakawa_screens.frame(test_kobayakawa_screens.stories()["betting"], Glass()).view.decided
        == ()
    )


def test_several_winners_share_the_screen_on_paper_in_nobodys_colour(page: GamePage) -> None:
    frame = over("shared")
    sheet = page.sheet(frame)
    assert share(sheet, LOOK.colour("paper")) > 0.2
    assert all(share(sheet, sheet.colour(chair.chair)) < 0.1 for chair in frame.view.chairs)


def test_confetti_falls_beside_the_words_and_on_a_calm_screen_not_at_all(page: GamePage) -> None:
    frame = over("kinapa")
    assert drawn(page, frame, AT) != drawn(page, frame, AT + SECOND)
    surface = pygame.Surface(SIZE)
    words = next(text.rect for text in page.sheet(frame).written if text.string.endswith("wins!"))
    looks = set()
    for now in range(AT, AT + 3 * SECOND, SECOND // 2):
        page.draw(surface, frame, now)
        looks.add(bytes(surface.subsurface(words).copy().get_buffer().raw))
    assert len(looks) == 1
    calm = over("kinapa", calm=True)
    assert page.pace(calm) == 0
    assert drawn(page, calm, AT) == drawn(page, calm, AT + SECOND)


def contested(**more: object) -> GameFrame:
    frame = test_kabuki_screens.frame(test_kabuki_screens.stories()["tie"], Glass())
    return dataclasses.replace(frame, **more)  # type: ignore[arg-type]


STOPPED = Sentence("kabuki.StopAssigned.tied", (("chair", 0), ("stack", 1)))


def test_a_stop_that_several_called_has_the_callers_colour_over_its_finish_and_both_answers_at_hand(
    page: GamePage,
) -> None:
    frame = contested(ruled=(STOPPED, AT))
    sheet = page.sheet(frame)
    assert share(sheet, CHAIR["red"]) > 0.12
    assert {"Stop!", "+0.4 ms", "counts"} <= {text.string for text in sheet.written}
    asked = next(chair for chair in frame.view.chairs if chair.asked)
    keys = [target.key for target in sheet.targets]
    assert [key for key in keys if key.startswith("say:")] == [f"say:{c.action}" for c in asked.choices]
    words = page.words(frame).text(frame.view.headline, frame.names)
    sizes = {text.string: text.size for text in sheet.written}
    assert sizes[words] > sizes["Stop!"]
    assert all(sizes[page.words(frame).text(c.label)] > sizes["+0.4 ms"] for c in asked.choices)
    assert not shows_moment(frame)
    assert "Stop!" not in {
        text.string for text in page.sheet(contested(view=frame.view, exhibit=None)).written
    }


def test_a_stops_colour_comes_in_once_and_not_when_the_finish_is_looked_at_again(page: GamePage) -> None:
    assert drawn(page, contested(ruled=(STOPPED, AT)), AT) != drawn(page, contested(), AT)
    assert page.pace(contested()) == 0
    assert page.pace(contested(ruled=(STOPPED, AT), glass=Glass(calm=True))) == 0


def test_a_stop_that_one_called_is_a_moment_with_the_mask_it_is_about(page: GamePage) -> None:
    said = Sentence("kabuki.StopAssigned", (("chair", 1), ("stack", 1)))
    frame = contested(ruled=(said, AT), exhibit=None)
    assert shows_moment(frame)
    assert "Stop!" in {text.string for text in page.sheet(frame).written}


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
    glass = Glass(language=language)
    frame = {
        "kinapa": lambda: games.frame("announcing", 4, glass),
        "kobayakawa": lambda: test_kobayakawa_screens.frame(test_kobayakawa_screens.stories()["won"], glass),
        "dnup": lambda: dataclasses.replace(
            dict(test_sets.frames(language))["2:dealing"], glass=glass, board=RULES["dnup"].board
        ),
    }[game]()
    page = shown.pages(size)["game"]
    sheet = page.sheet(dataclasses.replace(frame, ruled=(said, AT)))
    assert "flood" in sheet.moving
    assert language != "en" or word in names_shown(sheet)
    for text in sheet.written:
        assert not text.cut, text
        assert sheet.rect.contains(text.rect), text
        assert min(contrast(text.colour, ground) for ground in text.grounds) >= 4.5, text
    above = flooded(sheet, sheet.rect, "verdict")
    one, *others = [t.rect for t in sheet.written if t.rect.bottom <= above.bottom]
    assert not any(one.clip(other).h > other.h // 3 for other in others)


@pytest.mark.parametrize("size", [(800, 480), (1280, 720), (1080, 1920)])
@pytest.mark.parametrize("language", shown.LANGUAGES)
@pytest.mark.parametrize("game", ["kinapa", "kobayakawa", "shared", "dnup"])
def test_an_end_is_read_at_every_size(size: tuple[int, int], language: str, game: str) -> None:
    for large in (False, True):
        sheet = shown.pages(size)["game"].sheet(over(game, language, large=large))
        for text in sheet.written:
            assert not text.cut, text
            assert sheet.rect.contains(text.rect), text
            assert min(contrast(text.colour, ground) for ground in text.grounds) >= 4.5, text
