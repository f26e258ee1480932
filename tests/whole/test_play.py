"""`companion play` as a table uses it: the real app, window and store, with keys and the mouse."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import cast

import numpy as np
import pytest
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND
from companion.core.errors import CompanionError
from companion.core.house_rules import choice_key, house_rule_questions
from companion.games import RULES
from companion.referee.store import GameStore
from companion.simulation.game_simulation import GameSimulation, random_styles
from companion.system.machine import SystemdNotifier
from companion.table import games
from companion.teach.lesson import load_lesson
from companion.ui import commands as do
from companion.ui.frame import GameFrame
from tests.whole.playing import Open, seated


def test_what_a_game_is_about_is_read_and_told_before_it(play: Open) -> None:
    """Somebody who cannot read the screen hears all four sentences, one after another."""
    table = play("setup")
    table.touch("about")
    heard: list[str] = []
    table.touch("say")
    for _ in range(400):
        said = table.host.voice.caption
        if said is not None and said.key not in heard[-1:]:
            heard.append(said.key)
        table.run(SECOND // 10)
    assert heard == ["kinapa.about.who", *(f"kinapa.about.goal.{number}" for number in (1, 2, 3))]
    table.touch("close")
    seated(table)


def test_house_rules_that_differ_from_the_rulebook_are_told_when_the_game_starts(play: Open) -> None:
    table = play("setup")
    table.touch("rules")
    asked = next(rule for rule in house_rule_questions(RULES["kinapa"].options()) if len(rule.choices) > 1)
    table.touch(f"rule:{asked.key}")
    table.touch("close")
    for key in "1357":
        table.key(key)
    table.touch("start")
    heard: list[str] = []
    for _ in range(200):
        said = table.host.voice.caption
        if said is not None and said.key not in heard[-1:]:
            heard.append(said.key)
        table.run(SECOND // 10)
    rule = f"kinapa.option.{asked.key}"
    told = [key for key in heard if key.startswith("kinapa.option.")]
    assert told == [rule, f"{rule}.{choice_key(asked.next_choice)}"]


class Fed:
    """systemd's watchdog, which ends a program that does not feed it."""

    def __init__(self) -> None:
        self.times = 0

    def notify_alive(self) -> None:
        self.times += 1

    def close(self) -> None:
        """Nothing is held."""


def test_the_watchdog_is_fed_while_a_practice_game_is_on_the_table(play: Open) -> None:
    table = play()
    table.app.carry_out(do.StartPractice("kobayakawa"))
    table.host._service = watchdog = cast("SystemdNotifier", Fed())
    table.run(2 * SECOND)
    assert table.app.host is not table.host
    assert cast("Fed", watchdog).times > 10


def test_a_whole_turn_by_keys_is_stored_listed_and_gone_on_with(
    play: Open, companion: Callable[..., str], tmp_path: Path
) -> None:
    table = seated(play("setup"))
    table.key("3")  # seat 1 holds cat 1
    assert table.state.emperor == 1
    for half in ("right", "left", "left"):  # 5 to 8, 5 and 6, 5
        table.key(half)
    assert table.state.turn.number == 5
    table.run(2 * SECOND)
    assert table.state.phase == "counting", "the count opened by sound"
    table.key("7")
    assert table.state.turn.raised == (3,)
    table.run(4 * SECOND)
    assert table.state.phase == "pairing"
    table.key("3")  # a tap: no pair
    assert table.state.phase == "choosing"
    table.key("space")
    table.key("space")
    table.key("space")
    assert table.state.phase == "turning"
    table.choose("turn")
    assert table.state.phase == "placing"
    if any(action.verb == "lies_at" for action in RULES["kinapa"].legal_actions(table.state)):
        table.choose("lies_at", "1")  # it is known by now that there is no camera
    table.key("space")  # the first choice: hide
    assert table.state.turns == 1
    assert table.state.phase in {"announcing", "succeeding"}
    view, entries = table.session.view, len(table.session.game.referee.journal.entries)
    presses = [
        e.cause for e in table.session.game.referee.journal.entries if isinstance(e.cause, ob.ButtonPressed)
    ]
    assert {press.source for press in presses} == {"key"}
    table.key("escape")
    assert table.app.ui_state.overlay == "menu"
    table.app.carry_out(do.LeaveOrQuit())
    assert table.app.page == "home"
    table.close()

    listed = companion("games")
    assert "kinapa" in listed
    assert "unfinished" in listed
    assert companion("export", "1").count("\n") == entries + 1
    assert "names its hidden cards" in companion("export", "1", str(tmp_path / "game.jsonl"))

    again = play()
    again.app.carry_out(do.ResumeGame("1"))
    again.run()
    assert again.session.view == view
    assert isinstance(again.session.game.referee.journal.entries[entries].cause, ob.ProgramRestarted)
    assert again.clock.now() > again.session.game.referee.journal.entries[entries].cause.at
    again.choose("announce") if again.state.phase == "announcing" else again.choose("crown")
    assert len(again.session.game.referee.journal.entries) > entries + 1


def test_a_won_game_that_is_left_can_be_taken_back_no_more(play: Open) -> None:
    """So whoever is given the games that are over, as a club, is given this one whole."""
    table = seated(play("setup"))
    referee = table.session.game.referee
    simulation = GameSimulation(RULES["kinapa"], referee.setup, seed=1, styles=random_styles(4, Random(1)))
    simulation.run()
    for entry in simulation.referee.journal.entries[len(referee.journal.entries) :]:
        referee.append_entry(entry)
    assert referee.find_undoable() is not None
    table.app.carry_out(do.LeaveOrQuit())
    assert table.app.session is None
    assert referee.find_undoable() is None


def test_a_game_that_was_broken_into_is_offered_to_go_on_and_one_that_was_left_is_not(play: Open) -> None:
    first = play("setup")
    assert first.games.interrupted_game() is None
    seated(first)
    first.choose("claim_cat")
    first.host._stopping = lambda: True
    first.host.close_session(first.session)  # as the service does when the machine is switched off
    first.games.close()
    second = play()
    assert second.games.interrupted_game() == "1"
    second.app.carry_out(do.ResumeGame("1"))
    second.run()
    second.app.carry_out(do.LeaveOrQuit())
    assert (second.app.page, second.games.interrupted_game()) == ("home", None)


def test_an_imported_game_is_gone_on_with_only_once_somebody_continues_it(
    play: Open, companion: Callable[..., str], tmp_path: Path
) -> None:
    first = play("setup")
    seated(first)
    first.choose("claim_cat")
    first.app.carry_out(do.LeaveOrQuit())
    first.close()
    file = tmp_path / "game.jsonl"
    file.write_text(companion("export", "1"), encoding="utf-8")
    (tmp_path / "games").rename(tmp_path / "elsewhere")
    assert "companion resume 1" in companion("import", str(file))
    table = play()
    assert table.games.interrupted_game() is None
    assert [game.finished for game in table.games.stored_games()] == [False]
    table.app.carry_out(do.ResumeGame("1"))
    table.run()
    assert table.games.interrupted_game() == "1", "now it is played here"


def test_what_was_left_is_not_gone_on_with_whatever_is_played_after_it(play: Open) -> None:
    table = play()
    for _ in range(2):
        table.app.carry_out(do.StartGame("kinapa", (0, 2, 4, 6), None, ()))
        table.run()
        table.choose("claim_cat")
        table.app.carry_out(do.LeaveOrQuit())
    table.app.carry_out(do.ResumeGame("1"))
    table.run()
    assert table.games.interrupted_game() == "1", "the other was left"
    table.app.carry_out(do.LeaveOrQuit())
    assert table.games.interrupted_game() is None
    table.app.carry_out(do.ResumeGame("2"))
    table.run()
    table.app.carry_out(do.AbandonGame())
    table.run()
    assert [game.finished for game in table.games.stored_games()] == [True, False]
    assert table.games.interrupted_game() is None, "the plug may be pulled once a game is over"
    table.app.carry_out(do.LeaveOrQuit())
    assert (table.app.page, table.games.interrupted_game()) == ("home", None)


def test_last_evenings_seats_are_in_and_a_forgotten_name_is_not_told(play: Open) -> None:
    first = play("setup")
    first.app.carry_out(do.StartGame("kinapa", (0, 2, 4, 6), None, ((2, "Zoé"), (4, "Anna"))))
    first.run()
    first.key("1")
    first.close()
    with GameStore(first.settings.store_file(), RULES) as store:
        store.forget_name("Zoé")
    second = play()
    draft = second.app.ui_state.draft
    assert (draft.game, draft.chairs, draft.last) == ("kinapa", (0, 2, 4, 6), (0, 2, 4, 6))
    assert draft.names == ((4, "Anna"),)
    second.key("7", hold=SECOND)
    assert second.session.game.referee.setup.chairs == (0, 2, 4, 6)


def test_home_reads_no_lesson_until_one_is_chosen(play: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    monkeypatch.setattr(games, "load_lesson", lambda file: read.append(file) or load_lesson(file))
    table = play()
    table.run()
    assert read == []
    table.touch("learn")
    assert read != []


def test_the_shown_game_list_offers_what_is_stored(play: Open) -> None:
    table = seated(play("setup"))
    table.key("1")
    table.app.carry_out(do.ShowPage("home"))
    table.run()
    (stored,) = table.games.stored_games()
    assert (stored.game, stored.chairs, stored.finished) == ("kinapa", (0, 2, 4, 6), False)
    table.app.carry_out(do.ShowPage("games"))
    table.run()
    table.app.carry_out(do.ResumeGame(stored.game_id))
    table.run()
    assert table.state.phase == "announcing"


def test_another_program_at_the_same_table_is_named(play: Open) -> None:
    play()
    with pytest.raises(CompanionError, match=f"process {os.getpid()}"):
        play()


def test_a_game_that_is_not_there_is_told_on_the_screen(play: Open) -> None:
    table = play()
    table.app.carry_out(do.ResumeGame("9"))
    table.run()
    trouble = table.app.frame().trouble
    assert trouble is not None
    assert trouble.key == "shared.trouble.unknown"


def test_a_damaged_game_says_from_where_on_and_opened_again_goes_on_before_that(play: Open) -> None:
    first = seated(play("setup"))
    first.choose("claim_cat")
    first.run()
    entries = list(first.session.game.referee.journal.entries)
    first.close()
    with closing(sqlite3.connect(first.settings.store_file())) as stranger:
        stranger.execute("UPDATE entries SET body = replace(body, '\"at\":', '\"at\":1') WHERE seq = 1")
        stranger.commit()
    table = play()
    table.app.carry_out(do.ResumeGame("1"))
    table.run()
    trouble = table.app.frame().trouble
    assert trouble is not None
    assert trouble.key == "shared.trouble.salvage"
    assert dict(trouble.parts)["entry"] == 1
    table.app.carry_out(do.ResumeGame("1"))
    table.run()
    journal = table.session.game.referee.journal
    assert (journal.header.chain_rewritten, journal.entries[:1]) == (("repair",), entries[:1])
    table.app.carry_out(do.LeaveOrQuit())
    assert [game.game_id for game in table.games.stored_games()] == ["2", "1"]
    table.app.carry_out(do.ResumeGame("1"))
    table.run()
    assert table.app.page == "home"


def test_a_store_that_cannot_be_written_is_shown_and_written_when_it_can(play: Open, tmp_path: Path) -> None:
    """A file lies where the table's folder should be; the game goes on, and is written whole afterwards."""
    blocked = tmp_path / "games"
    blocked.write_text("in the way")
    table = seated(play("setup"))
    table.key("1")
    frame = table.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.trouble is not None
    assert frame.trouble.key == "shared.alarm.storage.lost"
    assert table.state.phase == "announcing"
    assert frame.say is not None, "what is not saved is told all the same"
    blocked.unlink()
    table.key("right")
    journal = table.session.game.referee.journal
    table.host.close_session(table.session)
    assert journal.trouble is None
    with GameStore(table.settings.store_file(), RULES) as store:
        (game,) = store.list_games()
        assert store.read_game(game.game)[1] == list(journal.entries)
    table.app.navigation.session = None


def test_a_camera_that_does_not_see_the_mat_is_told(play: Open) -> None:
    table = seated(play("setup"))
    assert table.app.frame().trouble is None
    blank = np.full((720, 1280, 3), 128, np.uint8)
    assert table.host._reader.step(blank, 0) == ()
    trouble = table.app.frame().trouble
    assert trouble is not None
    assert trouble.key == "shared.trouble.marks"
    table.app.carry_out(do.ShowPage("home"))
    assert table.app.frame().trouble is None


def test_house_rules_of_the_table_are_played_and_written_down(play: Open) -> None:
    table = play("setup")
    table.games.settings = replace(table.settings, rules={"kinapa": {"hand": "hold"}})
    seated(table)
    assert table.session.game.referee.journal.header.setup.options["hand"] == "hold"
