"""What version 0.1 left behind is opened, gone on with, taken back, corrected, judged again and copied."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from companion.__main__ import main
from companion.core import observations as ob
from companion.core.actions import Micros
from companion.core.rules import RULES_REVISION
from companion.games import RULES
from companion.referee.journal import (
    JOURNAL_FORMAT,
    Header,
    PlainSetup,
    SqliteJournal,
    json_lines,
    make_header,
    replay_state,
)
from companion.referee.journal.codec import with_explicit_options
from companion.referee.journal.entry import with_new_chain
from companion.referee.referee import Referee
from companion.referee.store import GameStore
from companion.settings.check import SettingsError
from companion.settings.files import load_settings

LEFT = Path(__file__).parent / "released" / "v0_1"
TABLES: dict[str, list[Any]] = json.loads((LEFT / "tables.json").read_text(encoding="utf-8"))
NUMBERS = sorted(map(int, TABLES))
"""The games in the store."""
REPAIRED, BOTH_ONE_EACH, WRITTEN_SHORT = 1, 2, 6


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a table's games, as version 0.1 left it."""
    (tmp_path / "table").mkdir()
    shutil.copy(LEFT / "games.sqlite", tmp_path / "table")
    return tmp_path


@pytest.fixture
def store(folder: Path) -> Iterator[GameStore]:
    with GameStore(folder / "table" / "games.sqlite", RULES) as opened:
        yield opened


def opened(store: GameStore, number: int) -> tuple[Referee[Any], SqliteJournal]:
    journal = store.open_game(number)
    return Referee(RULES[journal.header.game], journal), journal


def table(rules: Any, state: Any) -> list[Any]:
    """What lies on the table, as plain JSON."""
    view = rules.view(state)
    chairs = [
        [one.chair, one.cards, [[token.kind, token.count, token.value] for token in one.tokens]]
        for one in view.chairs
    ]
    places = [
        [place.region, place.card, list(place.on_top)] for place in view.places if place.card or place.on_top
    ]
    return [view.phase, chairs, places]


@pytest.mark.parametrize("number", NUMBERS)
def test_its_events_fold_to_the_tables_that_it_saw(store: GameStore, number: int) -> None:
    header, entries = store.read_game(number)
    rules = RULES[header.game]
    for count, *seen in TABLES[str(number)]:
        state = replay_state(rules, header.setup.with_options(rules.options), entries[:count])
        assert table(rules, state) == seen


@pytest.mark.parametrize("number", NUMBERS)
def test_it_ended_as_it_ended(store: GameStore, number: int) -> None:
    (stored,) = (game for game in store.list_games() if game.game == number)
    header, entries = store.read_game(number)
    assert not stored.problem
    rules = RULES[header.game]
    assert (
        rules.outcome(replay_state(rules, header.setup.with_options(rules.options), entries))
        == stored.outcome
    )


@pytest.mark.parametrize("number", NUMBERS)
def test_it_is_gone_on_with_taken_back_and_corrected(store: GameStore, number: int) -> None:
    games = len(store.list_games())
    referee, journal = opened(store, number)
    before, at = referee.state, referee.at + 1
    taken = sum(referee.undo(at + step) is not None for step in range(3))
    told = any(referee.rules.undo_barrier(event) for entry in journal.entries for event in entry.events)
    assert taken == 3 or told, "only what told of hidden faces stays"
    back = [referee.redo(at + step) for step in range(3, 3 + taken)]
    # What would show a face that lies hidden now stays taken back, and so does all before it.
    assert sorted(back, key=lambda entry: entry is None) == back
    assert (referee.state == before) == all(entry is not None for entry in back)
    before = referee.state
    wrong = next((entry for entry in referee.standing_entries() if referee.is_correctable(entry.seq)), None)
    assert wrong is not None or told
    if wrong is not None:
        mended = referee.correct(wrong.seq, wrong.cause, at + 6)  # type: ignore[arg-type]
        assert mended.corrects == wrong.seq
        assert referee.rules.find_violation(referee.state) is None
        assert referee.undo(at + 7) is not None
        assert referee.state == before
    goes_on(referee, at + 8)
    journal.flush()
    assert journal.close()
    assert len(store.list_games()) == games, "It is still the same game"
    again = Referee(referee.rules, store.open_game(number))
    assert again.state == referee.state
    assert again.journal.close()


def goes_on(referee: Referee[Any], at: Micros) -> None:
    """What may lawfully be done next is done and ruled, if the game is not over."""
    rules = referee.rules
    if rules.outcome(referee.state) is None:
        actions = sorted(rules.legal_actions(referee.state), key=str)
        assert actions
        assert referee.observe(ob.ActionDeclared(at=at, action=actions[0])).events


@pytest.mark.parametrize("number", NUMBERS)
def test_it_is_exported_judged_again_and_imported(
    folder: Path, number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = ["--set", f"storage.folder={folder}"]
    elsewhere = ["--set", f"storage.folder={tmp_path / 'elsewhere'}"]
    file, copy = str(tmp_path / "game.jsonl"), str(tmp_path / "copy.jsonl")
    assert main([*games, "export", str(number), file]) == 0
    capsys.readouterr()
    assert main(["replay", file]) == 0
    said = capsys.readouterr().out
    assert "DIFFERS" not in said
    assert main([*games, "import", file]) == 0
    assert f"it is game {number}" in capsys.readouterr().out
    assert main([*elsewhere, "import", file]) == 0
    assert main([*elsewhere, "export", "1", copy]) == 0
    whole, entries = json_lines.read_journal_file(Path(file), RULES)
    assert json_lines.read_journal_file(Path(copy), RULES) == (with_new_chain(whole, "import"), entries)


@pytest.mark.parametrize("number", [REPAIRED, BOTH_ONE_EACH])
def test_what_older_rules_ruled_is_told_so_and_is_no_fault(
    folder: Path, number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "game.jsonl")
    assert main(["--set", f"storage.folder={folder}", "export", str(number), file]) == 0
    capsys.readouterr()
    assert main(["replay", file]) == 0
    said = capsys.readouterr().out
    assert "ruled by older rules (0.1.0)" in said.splitlines()[-1]
    assert main(["replay", "--json", file]) == 0
    steps = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert any(step["older"] and step["differs"] for step in steps)


def test_under_the_present_rules_the_same_difference_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, entries = json_lines.read_journal_file(LEFT / "kinapa-4-repaired.jsonl", RULES)
    file = tmp_path / "game.jsonl"
    file.write_bytes(json_lines.encode_journal(replace(header, rules=RULES_REVISION), entries))
    assert main(["replay", str(file)]) == 1
    assert "DIFFERS" in capsys.readouterr().out


def test_what_no_rules_could_have_ruled_is_a_fault_under_any(tmp_path: Path) -> None:
    header, entries = json_lines.read_journal_file(LEFT / "kinapa-4-repaired.jsonl", RULES)
    said = next(entry for entry in entries if isinstance(entry.cause, ob.ActionDeclared) and entry.seq)
    entries[said.seq] = replace(said, retracts=0)
    file = tmp_path / "game.jsonl"
    file.write_bytes(json_lines.encode_journal(header, entries[: said.seq + 1]))
    assert main(["replay", str(file)]) == 1


@pytest.mark.parametrize("file", sorted(path.name for path in LEFT.glob("*.jsonl")))
def test_an_exported_game_is_judged_again(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(LEFT / file)]) == 0
    assert "DIFFERS" not in capsys.readouterr().out


# House rules that a game leaves out ------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "game"), [("dnup-2", "dnup"), ("kobayakawa-3", "kobayakawa")])
def test_what_a_game_leaves_out_of_its_house_rules_is_what_it_was_then(file: str, game: str) -> None:
    header, _ = json_lines.read_journal_file(LEFT / f"{file}-written-short.jsonl", RULES)
    options = header.setup.with_options(RULES[game].options).options
    for key, was in RULES[game].former_defaults[0].items():
        assert getattr(options, key) == was


def test_what_a_game_says_of_its_house_rules_stands() -> None:
    (key,) = RULES["dnup"].former_defaults[0]
    setup = {"chairs": (0, 1), "options": {key: "before_bounce"}}
    raw = json.dumps({"format": 1, "game": "dnup", "setup": setup}).encode()
    header, _ = json_lines.parse_journal(raw + b"\n", RULES)
    assert header.setup.options[key] == "before_bounce"


def test_a_game_of_the_present_rules_has_the_present_defaults() -> None:
    short = Header(JOURNAL_FORMAT, "dnup", PlainSetup((0, 1)), rules=RULES_REVISION)
    assert with_explicit_options(short, RULES["dnup"].former_defaults) == short
    assert make_header("dnup", short.setup.with_options(RULES["dnup"].options)).rules == RULES_REVISION


@pytest.mark.parametrize("game", ["dnup", "kobayakawa"])
def test_the_defaults_of_version_0_1_are_answers_that_can_be_given(game: str) -> None:
    header = with_explicit_options(
        Header(JOURNAL_FORMAT, game, PlainSetup((0, 1, 2))), RULES[game].former_defaults
    )
    assert header.setup.options == RULES[game].former_defaults[0]
    assert header.setup.with_options(RULES[game].options)


# What else lies there --------------------------------------------------------------------------------------


def test_a_game_whose_people_were_forgotten_stays_the_same_game(store: GameStore) -> None:
    unfinished = store.find_unfinished()
    assert unfinished is not None
    for name in {name for game in store.list_games() for _, name in game.names}:
        store.forget_name(name)
    games = len(store.list_games())
    referee, journal = opened(store, unfinished.game)
    goes_on(referee, referee.at + 1)
    assert journal.close()
    assert len(store.list_games()) == games


def test_a_deck_of_version_0_1_reads_its_cards(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recognise", "--deck", str(LEFT / "cards.deck"), "--json", str(LEFT / "table.jpg")]) == 0
    (picture,) = json.loads(capsys.readouterr().out)
    assert [card["card"] for card in picture["cards"]] == ["number-7"]
    assert picture["cards"][0]["confidence"] > 0.9


def test_a_settings_file_of_version_0_1_holds() -> None:
    settings = load_settings(file=LEFT / "settings.toml", environ={})
    assert (settings.table.name, settings.table.chairs, settings.buttons.pins["next"]) == ("kitchen", 6, 6)
    said = {game: settings.house_rules(game) for game in RULES}
    assert said["kobayakawa"].start_after_no_fight == "same"  # type: ignore[attr-defined]
    assert said["dnup"].out_check_2p == "after_bounce"  # type: ignore[attr-defined]
    assert said["kabuki"].second_stop is True  # type: ignore[attr-defined]


def test_settings_that_ask_for_four_foxes_of_two_are_refused_by_line_with_what_to_write() -> None:
    with pytest.raises(SettingsError) as raised:
        load_settings(file=LEFT / "settings-refused.toml", environ={})
    (problem,) = str(raised.value).splitlines()
    assert 'settings-refused.toml, line 7: rules.kinapa.second_liar = "one_each"' in problem
    assert problem.endswith('line 5); write "counters".')


def test_a_stored_game_keeps_house_rules_that_are_refused_since(store: GameStore) -> None:
    referee, journal = opened(store, BOTH_ONE_EACH)
    assert referee.setup.options.find_conflict() is not None
    assert journal.header.setup.options["second_liar"] == "one_each"
    assert journal.close()
