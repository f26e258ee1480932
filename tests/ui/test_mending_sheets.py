"""Undo, a misread card, why: what they name, show and promise."""

from __future__ import annotations

import dataclasses

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.core.view import Sentence
from companion.games import RULES, asset_folders
from companion.referee.journal import MemoryJournal, header_of
from companion.referee.referee import Referee
from companion.ui.depicted import depicted
from companion.ui.glass import Glass
from companion.ui.overlays.leaf import ASKS, TELLS, page_of
from companion.ui.signs import SIGNS
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
        (Sentence("kinapa.do.announce", (("value", 7),)), ()),
        (Sentence("kinapa.back.foxes.bot", (("bot", 0), ("count", 0))), ("fox",)),
    ],
)
def test_a_sentence_is_shown_with_its_cards_and_tokens(sentence: Sentence, shows: tuple[str, ...]) -> None:
    assert depicted(BOARD, sentence) == shows


@pytest.mark.parametrize("game", RULES)
def test_every_token_that_a_game_shows_beside_a_sentence_is_drawn(game: str) -> None:
    named = {name for names in RULES[game].board.pictured.values() for name in names}
    tokens = {path.stem for folder in asset_folders() for path in folder.glob("decks/*/tokens/*.png")}
    assert {name for name in named if ":" not in name} <= SIGNS.keys() | tokens


def test_undo_says_what_stands_afterwards_and_may_be_left() -> None:
    page = shown.pages(SIZE)["game"]
    frame = games.frame("turning", glass=Glass(overlay="take_back"), would_go=games.LOG[-1])
    then = Sentence("kinapa.phase.announcing", (("chair", 0),))
    sheet = page.sheet(dataclasses.replace(frame, then=then))
    told = " ".join(text.string for text in sheet.written)
    words = page.words(frame)
    assert words.tr("ui.take_back.then", what=words.text(then, games.NAMES)) in told
    assert words.text(games.LOG[-1].sentence, games.NAMES) in told
    assert [target.key for target in sheet.targets] == ["close", "do"]


def test_the_table_is_seen_beside_what_asks_and_tells_but_not_on_an_upright_screen() -> None:
    for overlay, span in (("take_back", ASKS), ("correct", ASKS), ("leave", ASKS), ("why", TELLS)):
        sheet = shown.pages(SIZE)["game"].sheet(games.frame("turning", glass=Glass(overlay=overlay)))
        page = page_of(sheet, span)
        assert page.w < sheet.rect.w * 3 // 4
        assert all(page.contains(target.rect) for target in sheet.targets)
    upright = shown.pages((1080, 1920))["game"].sheet(games.frame("turning", glass=Glass(overlay="why")))
    assert page_of(upright, TELLS).w > upright.rect.w * 9 // 10


def say(referee: Referee, seat: int, verb: str, value: str | int | None = None) -> None:
    at = referee.at + SECOND
    referee.observe(ob.Declared(at=at, action=Action(seat, verb, value)))


def test_undo_leads_to_whose_turn_it_was_and_to_no_sentence_that_names_more() -> None:
    rules = RULES["kinapa"]
    referee = Referee(rules, MemoryJournal(header_of("kinapa", Setup((0, 1, 2, 3), rules.options()))))
    assert referee.undo_leads_to() is None
    say(referee, 0, "claim_cat")
    say(referee, 0, "announce", 7)
    assert referee.undo_leads_to() == Sentence("kinapa.phase.announcing", (("chair", 0),))
    start = referee.at + SECOND
    referee.observe(ob.CueHeard(at=start, cue="kinapa.count", attempt=1))
    for after, timer in ((1, "beat"), (2, "beat"), (3, "end")):
        referee.observe(ob.TimerElapsed(at=start + after * SECOND, timer=timer))
    say(referee, 0, "no_pair")
    then = referee.undo_leads_to()
    assert then is None, "the number that was announced is not told again"
