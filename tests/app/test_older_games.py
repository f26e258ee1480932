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
from companion.core.rules import REVISION
from companion.games import RULES
from companion.referee.journal import FORMAT, Header, PlainSetup, SqliteJournal, header_of, lines, replay
from companion.referee.journal.entry import with_new_chain
from companion.referee.journal.upgrades import spelled_out
from companion.referee.referee import Referee
from companion.referee.store import Store
from companion.settings.check import SettingsError
from companion.settings.files import load

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
def store(folder: Path) -> Iterator[Store]:
    with Store(folder / "table" / "games.sqlite", RULES) as opened:
        yield opened


def opened(store: Store, number: int) -> tuple[Referee[Any], SqliteJournal]:
    journal = store.open(number)
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
def test_its_events_fold_to_the_tables_that_it_saw(store: Store, number: int) -> None:
    header, entries = store.read(number)
    rules = RULES[header.game]
    for count, *seen in TABLES[str(number)]:
        state = replay(rules, header.setup.under(rules.options), entries[:count])
        assert table(rules, state) == seen


@pytest.mark.parametrize("number", NUMBERS)
def test_it_ended_as_it_ended(store: Store, number: int) -> None:
    (stored,) = (game for game in store.games() if game.game == number)
    header, entries = store.read(number)
    assert not stored.problem
    rules = RULES[header.game]
    assert rules.outcome(replay(rules, header.setup.under(rules.options), entries)) == stored.outcome


@pytest.mark.parametrize("number", NUMBERS)
def test_it_is_gone_on_with_taken_back_and_corrected(store: Store, number: int) -> None:
    games = len(store.games())
    referee, journal = opened(store, number)
    before, at = referee.state, referee.at + 1
    taken = sum(referee.undo(at + step) is not None for step in range(3))
    told = any(referee.rules.settles(event) for entry in journal.entries for event in entry.events)
    assert taken == 3 or told, "only what told of hidden faces stays"
    back = [referee.redo(at + step) for step in range(3, 3 + taken)]
    # What would show a face that lies hidden now stays taken back, and so does all before it.
    assert sorted(back, key=lambda entry: entry is None) == back
    assert (referee.state == before) == all(entry is not None for entry in back)
    before = referee.state
    wrong = next((entry for entry in referee.standing() if referee.correctable(entry.seq)), None)
    assert wrong is not None or told
    if wrong is not None:
        mended = referee.correct(wrong.seq, wrong.cause, at + 6)  # type: ignore[arg-type]
        assert mended.corrects == wrong.seq
        assert referee.rules.broken(referee.state) is None
        assert referee.undo(at + 7) is not None
        assert referee.state == before
    goes_on(referee, at + 8)
    journal.flush()
    assert journal.close()
    assert len(store.games()) == games, "It is still the same game"
    again = Referee(referee.rules, store.open(number))
    assert again.state == referee.state
    assert again.journal.close()


def goes_on(referee: Referee[Any], at: Micros) -> None:
    """What may lawfully be done next is done and ruled, if the game is not over."""
    rules = referee.rules
    if rules.outcome(referee.state) is None:
        actions = sorted(rules.legal_actions(referee.state), key=str)
        assert actions
        assert referee.observe(ob.Declared(at=at, action=actions[0])).events


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
    whole, entries = lines.read(Path(file), RULES)
    assert lines.read(Path(copy), RULES) == (with_new_chain(whole, "import"), entries)


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
    header, entries = lines.read(LEFT / "kinapa-4-repaired.jsonl", RULES)
    file = tmp_path / "game.jsonl"
    file.write_bytes(lines.text(replace(header, rules=REVISION), entries))
    assert main(["replay", str(file)]) == 1
    assert "DIFFERS" in capsys.readouterr().out


def test_what_no_rules_could_have_ruled_is_a_fault_under_any(tmp_path: Path) -> None:
    header, entries = lines.read(LEFT / "kinapa-4-repaired.jsonl", RULES)
    said = next(entry for entry in entries if isinstance(entry.cause, ob.Declared) and entry.seq)
    entries[said.seq] = replace(said, retracts=0)
    file = tmp_path / "game.jsonl"
    file.write_bytes(lines.text(header, entries[: said.seq + 1]))
    assert main(["replay", str(file)]) == 1


@pytest.mark.parametrize("file", sorted(path.name for path in LEFT.glob("*.jsonl")))
def test_an_exported_game_is_judged_again(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(LEFT / file)]) == 0
    assert "DIFFERS" not in capsys.readouterr().out


# House rules that a game leaves out ------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "game"), [("dnup-2", "dnup"), ("kobayakawa-3", "kobayakawa")])
def test_what_a_game_leaves_out_of_its_house_rules_is_what_it_was_then(file: str, game: str) -> None:
    header, _ = lines.read(LEFT / f"{file}-written-short.jsonl", RULES)
    options = header.setup.under(RULES[game].options).options
    for key, was in RULES[game].earlier[0].items():
        assert getattr(options, key) == was


def test_what_a_game_says_of_its_house_rules_stands() -> None:
    (key,) = RULES["dnup"].earlier[0]
    setup = {"chairs": (0, 1), "options": {key: "before_bounce"}}
    raw = json.dumps({"format": 1, "game": "dnup", "setup": setup}).encode()
    header, _ = lines.parse(raw + b"\n", RULES)
    assert header.setup.options[key] == "before_bounce"


def test_a_game_of_the_present_rules_has_the_present_defaults() -> None:
    short = Header(FORMAT, "dnup", PlainSetup((0, 1)), rules=REVISION)
    assert spelled_out(short, RULES["dnup"].earlier) == short
    assert header_of("dnup", short.setup.under(RULES["dnup"].options)).rules == REVISION


@pytest.mark.parametrize("game", ["dnup", "kobayakawa"])
def test_the_defaults_of_version_0_1_are_answers_that_can_be_given(game: str) -> None:
    header = spelled_out(Header(FORMAT, game, PlainSetup((0, 1, 2))), RULES[game].earlier)
    assert header.setup.options == RULES[game].earlier[0]
    assert header.setup.under(RULES[game].options)


# What else lies there --------------------------------------------------------------------------------------


def test_a_game_whose_people_were_forgotten_stays_the_same_game(store: Store) -> None:
    unfinished = store.unfinished()
    assert unfinished is not None
    for name in {name for game in store.games() for _, name in game.names}:
        store.forget(name)
    games = len(store.games())
    referee, journal = opened(store, unfinished.game)
    goes_on(referee, referee.at + 1)
    assert journal.close()
    assert len(store.games()) == games


def test_a_deck_of_version_0_1_reads_its_cards(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recognise", "--deck", str(LEFT / "cards.deck"), "--json", str(LEFT / "table.jpg")]) == 0
    (picture,) = json.loads(capsys.readouterr().out)
    assert [card["card"] for card in picture["cards"]] == ["number-7"]
    assert picture["cards"][0]["confidence"] > 0.9


def test_a_settings_file_of_version_0_1_holds() -> None:
    settings = load(file=LEFT / "settings.toml", environ={})
    assert (settings.table.name, settings.table.chairs, settings.buttons.pins["next"]) == ("kitchen", 6, 6)
    said = {game: settings.house_rules(game) for game in RULES}
    assert said["kobayakawa"].start_after_no_fight == "same"  # type: ignore[attr-defined]
    assert said["dnup"].out_check_2p == "after_bounce"  # type: ignore[attr-defined]
    assert said["kabuki"].second_stop is True  # type: ignore[attr-defined]


def test_settings_that_ask_for_four_foxes_of_two_are_refused_by_line_with_what_to_write() -> None:
    with pytest.raises(SettingsError) as raised:
        load(file=LEFT / "settings-refused.toml", environ={})
    (problem,) = str(raised.value).splitlines()
    assert 'settings-refused.toml, line 7: rules.kinapa.second_liar = "one_each"' in problem
    assert problem.endswith('line 5); write "counters".')


def test_a_stored_game_keeps_house_rules_that_are_refused_since(store: Store) -> None:
    referee, journal = opened(store, BOTH_ONE_EACH)
    assert referee.setup.options.clash() is not None
    assert journal.header.setup.options["second_liar"] == "one_each"
    assert journal.close()
