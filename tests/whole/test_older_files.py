"""Files that the tree at 3d656623 wrote, before names changed: each is opened as it is.

They were written by its own code and by nothing since: a store of sixteen games played by simulated people
(every game whole, with take-backs, with a correction, and put right by hand; under house rules drawn by lot),
two exported games, a deck with a photograph of one of its cards, a calibration, settings, the rules that were
explained, the note of the game that was left, and a voice pack.
"""

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
from companion.core.events import WindowVoided
from companion.core.rules import RULES_REVISION
from companion.games import RULES
from companion.language.voice.voice_pack import decode_recording, open_pack
from companion.referee.journal import (
    Header,
    SqliteJournal,
    json_lines,
    replay_state,
)
from companion.referee.journal.entry import with_new_chain
from companion.referee.referee import Referee
from companion.referee.store import GameStore
from companion.settings.files import load_settings
from companion.table.games import LeftGamesNote
from companion.teach.assistance import ExplainedRules

OLDER = Path(__file__).parent / "written_by_3d656623"
TABLES: dict[str, list[Any]] = json.loads((OLDER / "tables.json").read_text(encoding="utf-8"))
NUMBERS = sorted(map(int, TABLES))
"""The games in the store."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a table's games, as that tree left it."""
    (tmp_path / "table").mkdir()
    shutil.copy(OLDER / "games.sqlite", tmp_path / "table")
    return tmp_path


@pytest.fixture
def store(folder: Path) -> Iterator[GameStore]:
    with GameStore(folder / "table" / "games.sqlite", RULES) as opened:
        yield opened


def opened(store: GameStore, number: int) -> tuple[Referee[Any], SqliteJournal]:
    journal = store.open_game(number)
    return Referee(RULES[journal.header.game], journal), journal


def table(rules: Any, state: Any) -> list[Any]:
    """What lies on the table, as plain JSON; a score of none was not shown when these were kept."""
    view = rules.view(state)
    chairs = [
        [
            one.chair,
            one.cards,
            [[token.kind, token.count, token.value] for token in one.tokens if str(token.value)[:2] != "0/"],
        ]
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


def lying(referee: Referee[Any]) -> Any:
    """How the table lies, whenever that was last unseen: what has to lie still does so anew after an undo."""
    state = referee.state
    return replace(state, desk=replace(state.desk, unseen_until=0))


@pytest.mark.parametrize("number", NUMBERS)
def test_it_is_gone_on_with_taken_back_and_corrected(store: GameStore, number: int) -> None:
    games = len(store.list_games())
    referee, journal = opened(store, number)
    before, at = lying(referee), referee.at + 1
    taken = sum(referee.undo(at + step) is not None for step in range(3))
    told = any(referee.rules.undo_barrier(event) for entry in journal.entries for event in entry.events)
    assert taken == 3 or told, "only what told of hidden faces stays"
    back = [referee.redo(at + step) for step in range(3, 3 + taken)]
    # What would show a face that lies hidden now stays taken back, and so does all before it.
    assert sorted(back, key=lambda entry: entry is None) == back
    # A count that was running is counted anew: people heard no more of it.
    voided = any(isinstance(event, WindowVoided) for entry in back if entry for event in entry.events)
    assert (lying(referee) == before) == (all(entry is not None for entry in back) and not voided)
    before = lying(referee)
    wrong = next((entry for entry in referee.standing_entries() if referee.is_correctable(entry.seq)), None)
    assert wrong is not None or told
    if wrong is not None:
        mended = referee.correct(wrong.seq, wrong.cause, at + 6)  # type: ignore[arg-type]
        assert mended.corrects == wrong.seq
        assert referee.rules.find_violation(referee.state) is None
        assert referee.undo(at + 7) is not None
        assert lying(referee) == before
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


@pytest.fixture
def exported() -> tuple[Header, list[Any]]:
    return json_lines.read_journal_file(OLDER / "game-4.jsonl", RULES)


def ruled_otherwise(entries: list[Any]) -> list[Any]:
    """The same game, but for one choice that was ruled to be nothing."""
    said = next(entry for entry in entries if isinstance(entry.cause, ob.ActionDeclared) and entry.events)
    return [replace(entry, events=()) if entry is said else entry for entry in entries[: said.seq + 1]]


def test_what_older_rules_ruled_is_told_so_and_is_no_fault(
    exported: tuple[Header, list[Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, entries = exported
    file = tmp_path / "game.jsonl"
    older = replace(header, rules=RULES_REVISION - 1)
    file.write_bytes(json_lines.encode_journal(older, ruled_otherwise(entries)))
    assert main(["replay", str(file)]) == 0
    assert "ruled by older rules (0.1.0)" in capsys.readouterr().out.splitlines()[-1]
    assert main(["replay", "--json", str(file)]) == 0
    steps = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert any(step["older"] and step["differs"] for step in steps)


def test_under_the_present_rules_the_same_difference_is_a_fault(
    exported: tuple[Header, list[Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, entries = exported
    file = tmp_path / "game.jsonl"
    file.write_bytes(
        json_lines.encode_journal(replace(header, rules=RULES_REVISION), ruled_otherwise(entries))
    )
    assert main(["replay", str(file)]) == 1
    assert "DIFFERS" in capsys.readouterr().out


def test_what_no_rules_could_have_ruled_is_a_fault_under_any(
    exported: tuple[Header, list[Any]], tmp_path: Path
) -> None:
    header, entries = exported
    said = next(entry for entry in entries if isinstance(entry.cause, ob.ActionDeclared) and entry.seq)
    entries[said.seq] = replace(said, retracts=0)
    file = tmp_path / "game.jsonl"
    older = replace(header, rules=RULES_REVISION - 1)
    file.write_bytes(json_lines.encode_journal(older, entries[: said.seq + 1]))
    assert main(["replay", str(file)]) == 1


@pytest.mark.parametrize("file", sorted(path.name for path in OLDER.glob("*.jsonl")))
def test_an_exported_game_is_judged_again(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(OLDER / file)]) == 0
    assert "DIFFERS" not in capsys.readouterr().out


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


def test_a_deck_reads_its_cards(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recognise", "--deck", str(OLDER / "cards.deck"), "--json", str(OLDER / "table.jpg")]) == 0
    (picture,) = json.loads(capsys.readouterr().out)
    assert [card["card"] for card in picture["cards"]] == ["number-7"]
    assert picture["cards"][0]["confidence"] > 0.9


def test_settings_hold() -> None:
    settings = load_settings(file=OLDER / "settings.toml", environ={})
    assert (settings.table.name, settings.table.chairs, settings.buttons.pins["next"]) == ("kitchen", 6, 6)
    said = {game: settings.house_rules(game) for game in RULES}
    assert said["kobayakawa"].start_after_no_fight == "same"  # type: ignore[attr-defined]
    assert said["dnup"].out_check_2p == "after_bounce"  # type: ignore[attr-defined]
    assert said["kabuki"].second_stop is True  # type: ignore[attr-defined]


def test_what_was_explained_and_which_game_was_left_is_known(tmp_path: Path) -> None:
    for name in ("explained", "left"):
        shutil.copy(OLDER / name, tmp_path)
    memory = ExplainedRules(tmp_path / "explained")
    assert "kinapa.why.SheepTaken" in memory
    assert "kinapa.why.FoxesTaken" not in memory
    assert LeftGamesNote(tmp_path / "left").read() == {"3"}


def test_a_voice_pack_speaks() -> None:
    pack = open_pack(OLDER / "voice")
    assert (pack.contents.language, pack.contents.speaker) == ("en", "Ada")
    samples, rate = decode_recording(pack.recording_path("kabuki.stop"))
    assert (samples.size, rate) == (14_400, 48_000)
