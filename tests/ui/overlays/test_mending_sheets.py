"""Undo, a misread card, why: what they name, show and promise."""

from __future__ import annotations

import dataclasses

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.core.view import Sentence
from companion.games import RULES, all_asset_folders
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee
from companion.ui.board.card_pictures import find_pictures
from companion.ui.frame import UiState
from companion.ui.toolkit.icons import ICON_PAINTERS
from companion.ui.toolkit.theme import PAPER
from tests.ui import games, shown

BOARD = games.RULES.board
SIZE = (1280, 720)


@pytest.mark.parametrize(
    ("sentence", "shows"),
    [
        (games.BACK[0], ("back:blue",)),
        (games.BACK[1], ("crown",)),
        (games.BACK[2], ("fox",)),
        (Sentence("kinapa.ObjectTurned", (("label", "7-8"), ("slot", 5))), ("object:7-8",)),
        (Sentence("kinapa.ObjectTurned.hidden", (("slot", 5),)), ("back:blue",)),
        (games.LOG[-1].sentence, ("animal:3", "shelter:3")),
        (Sentence("kinapa.do.turn", (("value", "1-2"),)), ("object:1-2",)),
        (Sentence("kinapa.do.announce", (("value", 7),)), ("animal:7",)),
        (Sentence("kinapa.back.foxes.bot", (("bot", 0), ("count", 0))), ("fox",)),
    ],
)
def test_a_sentence_is_shown_with_its_cards_and_tokens(sentence: Sentence, shows: tuple[str, ...]) -> None:
    assert find_pictures(BOARD, sentence) == shows


@pytest.mark.parametrize("game", RULES)
def test_every_token_that_a_game_shows_beside_a_sentence_is_drawn(game: str) -> None:
    named = {name for names in RULES[game].board.sentence_pictures.values() for name in names}
    tokens = {path.stem for folder in all_asset_folders() for path in folder.glob("decks/*/tokens/*.png")}
    assert {name for name in named if ":" not in name} <= ICON_PAINTERS.keys() | tokens


def test_undo_says_what_stands_afterwards_and_may_be_left() -> None:
    page = shown.pages(SIZE)["game"]
    frame = games.frame("turning", ui_state=UiState(overlay="take_back"), next_undo=games.LOG[-1])
    then = Sentence("kinapa.phase.announcing", (("chair", 0),))
    sheet = page.painted_sheet(dataclasses.replace(frame, after_undo=then))
    told = " ".join(text.string for text in sheet.text_lines)
    words = page.words(frame)
    assert words.tr("ui.take_back.then", what=words.text(then, games.NAMES)) in told
    assert words.text(games.LOG[-1].sentence, games.NAMES) in told
    assert [target.key for target in sheet.targets] == ["close", "do"]


def test_whether_to_leave_is_asked_with_cards_and_playing_on_is_one_of_them() -> None:
    page = shown.pages(SIZE)["game"]
    frame = games.frame("turning", ui_state=UiState(overlay="leave"))
    ways = page.painted_sheet(frame).targets
    assert [way.key for way in ways] == ["later", "abandon", "close"]
    assert all(way.mark is not None and way.rect.h > SIZE[1] // 2 for way in ways)
    assert page.focused_target(frame).key == "later"


def test_undo_lies_on_the_felt_as_wide_as_the_screen_without_a_gap_above_its_steps() -> None:
    frame = games.frame("turning", ui_state=UiState(overlay="take_back"))
    sheet = shown.pages(SIZE)["game"].painted_sheet(dataclasses.replace(frame, next_undo=None))
    ends = {target.key: target.rect for target in sheet.targets}
    assert ends["close"].x < SIZE[0] // 20
    assert ends["do"].right > SIZE[0] * 19 // 20
    title, first = sheet.text_lines[:2]
    assert first.rect.y - title.rect.bottom < sheet.em(2)


def test_a_correction_says_what_it_undoes_and_offers_cards_as_large_as_there_is_room_for() -> None:
    page, frame = shown.pages(SIZE)["game"], games.frame("turning", ui_state=UiState(overlay="correct"))
    sheet, words = page.painted_sheet(frame), page.words(frame)
    told = " ".join(text.string for text in sheet.text_lines)
    assert words.tr("ui.correct.undoes", what=words.text(games.READING.sentence, games.NAMES)) in told
    keys = [target.key for target in sheet.targets]
    assert keys == ["truth:0", "truth:1", "truth:2", "truth:3", "close"]
    assert all(target.rect.h > SIZE[1] // 3 for target in sheet.targets[:3])


def test_the_log_says_whose_and_when_each_ruling_was_the_newest_on_paper() -> None:
    sheet = shown.pages(SIZE)["game"].painted_sheet(games.frame("turning", ui_state=UiState(overlay="log")))
    first = next(target.rect for target in sheet.targets if target.key == "line:9")
    told = {text.string for text in sheet.text_lines if first.contains(text.rect)}
    assert {"1", "3:27"} <= told
    assert first.h >= sheet.em(3.4), "its cards are large enough to be told apart"
    assert sheet.surface.get_at((first.x + 8, first.centery))[:3] == PAPER
    assert all(target.rect.h >= sheet.em(2.7) for target in sheet.targets if target.key.startswith("line:"))


def say(referee: Referee, seat: int, verb: str, value: str | int | None = None) -> None:
    at = referee.at + SECOND
    referee.observe(ob.ActionDeclared(at=at, action=Action(seat, verb, value)))


def test_undo_leads_to_whose_turn_it_was_and_to_no_sentence_that_names_more() -> None:
    rules = RULES["kinapa"]
    referee = Referee(rules, MemoryJournal(make_header("kinapa", Setup((0, 1, 2, 3), rules.options()))))
    assert referee.headline_after_undo() is None
    say(referee, 0, "claim_cat")
    say(referee, 0, "announce", 7)
    assert referee.headline_after_undo() == Sentence("kinapa.phase.announcing", (("chair", 0),))
    start = referee.at + SECOND
    referee.observe(ob.CueHeard(at=start, cue="kinapa.count", attempt=1))
    for after, timer in ((1, "beat"), (2, "beat"), (3, "end")):
        referee.observe(ob.TimerElapsed(at=start + after * SECOND, timer=timer))
    say(referee, 0, "no_pair")
    then = referee.headline_after_undo()
    assert then is None, "the number that was announced is not told again"
