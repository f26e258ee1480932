"""A game that has neither mat nor deck nor cards: shown, practised, tried, and played beside a camera."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from cups import GAME
from cups.rules import CUPS

from companion import games
from companion.__main__ import main
from companion.camera.table_reader import TableReader
from companion.core import observations as ob
from companion.core.actions import Setup
from companion.core.clock import ManualClock
from companion.language.language import Language
from companion.testing.random_walks import make_cases
from companion.testing.sentences import collect_sentences, find_missing_sentences
from companion.ui import commands as do
from tests.programs.practising import Person


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {**games._find_entry_points(), "cups": EntryPoint("cups", "cups:GAME", games.ENTRY_POINT_GROUP)}
    load = games._load_game
    monkeypatch.setattr(games, "_find_entry_points", lambda: found)
    monkeypatch.setattr(games, "_load_game", lambda name: GAME if name == "cups" else load(name))


def test_its_demo_plays_a_game_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "cups", "--fast", "--seed", "7"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[-1].startswith("Won by chair ")
    assert "The table pressed: " in told[-2]


def test_it_is_practised_to_its_end() -> None:
    person = Person("cups")
    for _ in range(200):
        person.run(2)
        if person.session.game.over:
            break
        person.plays()
    assert person.session.game.over
    assert person.session.game.referee.journal.header.kind == "practice"


def test_a_hint_on_the_own_turn_says_that_it_is_and_on_anothers_that_it_is_not() -> None:
    person = Person("cups")
    told = []
    for seat in (0, 1):
        while person.session.game.referee.state.seat != seat:
            person.run(1)
        person.app.carry_out(do.ControlGuide("hint"))
        told.append(person.host.practice.guidance().note.key)
        person.plays()
    assert told == ["lesson.hint.free", "lesson.hint.none"]


def test_its_people_are_judged_rightly(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dev", "simulate", "cups", "--games", "5"]) == 0
    assert "broken      0" in capsys.readouterr().out


def test_its_cases_need_no_deck() -> None:
    assert {len(case.cards) for case in make_cases(CUPS, ())} == {1}


def test_its_catalogue_has_all_that_is_said_and_asked_and_what_is_missing_is_named() -> None:
    (case, _) = make_cases(CUPS)
    assert find_missing_sentences(case, Language("en").has_words_for) == []
    missing = find_missing_sentences(case, Language("de").has_words_for)
    assert {"cups.option.dice", "cups.option.dice.number", "lesson.practice.first.cups"} <= {*missing}


def test_what_a_repair_asks_for_is_among_the_sentences() -> None:
    (case, *_) = make_cases(games.RULES["roses"])
    assert "roses.field.starter" in {one.key for one in collect_sentences(case, 1)}


def test_a_camera_has_nothing_to_read_and_its_loss_is_nobodys_affair(tmp_path: Path) -> None:
    class Unseen(type(CUPS)):  # type: ignore[misc]
        reads_cards = False

    rules = Unseen()
    state = rules.initial_state(Setup((0, 1), rules.options()))
    assert rules.decide(state, ob.CameraLost(at=0, reason="none")) == ()
    reader = TableReader(ManualClock(), tmp_path)
    reader.begin_game("cups", 2)
    assert not reader.has_game
