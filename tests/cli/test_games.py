"""Stored games on the command line: listed, exported, imported, replayed."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from companion.cli.checks.journal_replay import mask_hidden_faces, replay_steps
from companion.cli.play import find_unfinished_game
from companion.core.events import Event, kind_of
from companion.games import GAMES, RULES, find_game_rules
from companion.games.kinapa.rules.model import ObjectTurned
from companion.programs.store_responder import open_store
from companion.referee.journal import Entry, SqliteJournal, json_lines, replay_state
from companion.referee.journal.entry import with_new_chain
from companion.referee.journal.recovery_log import DAMAGED_SUFFIX, SUFFIX, RecoveryLog
from companion.referee.store import GameStore
from companion.settings.model import Settings, StorageSettings
from companion.testing.playthroughs import play_undisturbed_game
from tests.cli.command_line import Command, file_of, played

GAMES_RULES = RULES
RULES = RULES["kinapa"]


def test_whoever_looks_at_the_service_s_games_is_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = {"storage.folder": "/etc/companion/settings.toml"}
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)), origins=theirs)
    with open_store(settings) as store:
        assert store.list_games() == ()
    assert str(tmp_path / "table") in capsys.readouterr().err
    with open_store(replace(settings, origins={})) as store:
        assert store.list_games() == ()
    assert capsys.readouterr().err == ""


def test_a_game_that_was_won_and_can_still_be_undone_is_exported_with_a_warning(
    companion: Command, tmp_path: Path
) -> None:
    path, won = tmp_path / "games" / "table" / "games.sqlite", play_undisturbed_game("kobayakawa", 3)
    rules = GAMES_RULES["kobayakawa"]
    outcome = rules.outcome(replay_state(rules, won.header.setup.with_options(rules.options), won.entries))
    assert outcome is not None
    with GameStore(path, GAMES_RULES) as store:
        journal = store.create_game(won.header)
        for entry in won.entries:
            journal.append(entry, outcome)
        assert journal.close()
    assert "hidden cards" not in companion("export", "1").err
    RecoveryLog(path, won.header).write(won.entries, 1)  # as there is of a game that lies on the table
    assert "names its hidden cards" in companion("export", "1").err


def test_a_game_that_no_table_could_come_to_is_exported_all_the_same(
    companion: Command, tmp_path: Path
) -> None:
    rows = (
        {"format": 1, "game": "kinapa", "setup": {"chairs": [0, 1, 2, 3]}, "rules": 1},
        {
            "seq": 0,
            "cause": {"kind": "ButtonPressed", "at": 1, "chair": 0},
            "events": [{"kind": "EmperorCrowned", "seat": 99}],
        },
    )
    raw = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    header, entries = json_lines.parse_journal(raw, GAMES_RULES)
    with GameStore(tmp_path / "games" / "table" / "games.sqlite", GAMES_RULES) as store:
        journal = store.create_game(header)
        journal.append(entries[0])
        assert journal.close()
    said = companion("export", "1")
    assert (said.code, said.out.count("\n")) == (0, 2)
    assert "names its hidden cards" in said.err


def test_a_table_without_games_says_so(companion: Command) -> None:
    said = companion("games")
    assert said.code == 0
    assert "No games at table" in said.out


def test_what_was_imported_is_listed_and_exported_unchanged(companion: Command, tmp_path: Path) -> None:
    path = file_of(tmp_path, played())
    assert companion("import", str(path)).code == 0
    listed = companion("games").out
    assert "kinapa" in listed
    assert "2026-11-20 20:00" in listed
    assert "won by" in listed
    header, entries = json_lines.read_journal_file(path, GAMES_RULES)
    exported = json_lines.encode_journal(with_new_chain(header, "import"), entries)
    assert companion("export", "1").out.encode() == exported
    copy = tmp_path / "copy.jsonl"
    assert companion("export", "1", str(copy)).code == 0
    assert copy.read_bytes() == exported


def test_an_import_that_failed_leaves_nothing_that_comes_back(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = file_of(tmp_path, played())
    with monkeypatch.context() as patch:
        patch.setattr(SqliteJournal, "_write", fail)
        said = companion("import", str(path))
    assert said.code == 1
    assert "make room" in said.err
    assert list((tmp_path / "games" / "table").glob("games.sqlite-recovery-*")) == []
    assert "as game 1 " in companion("import", str(path)).out


def test_an_import_of_which_only_the_recovery_log_failed_is_told_as_loaded(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RecoveryLog, "write", fail)
    assert "as game 1 " in companion("import", str(file_of(tmp_path, played()))).out
    assert "kinapa" in companion("games").out


def test_where_the_unfinished_game_is_in_a_log_alone_resume_names_it(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    header, entries = played()
    path = tmp_path / "games" / "table" / "games.sqlite"
    path.parent.mkdir(parents=True)
    RecoveryLog(path, header).write(entries[:5])
    (log,) = path.parent.glob("games.sqlite-recovery-*")
    monkeypatch.setattr(GameStore, "_restore_game", fail)
    said = companion("resume")
    assert said.code == 1
    assert f"the unfinished game may be in {log}" in said.err
    assert "There is no unfinished game" not in said.err


def test_of_a_damaged_game_what_stands_before_the_damage_is_saved_and_loaded(
    companion: Command, tmp_path: Path
) -> None:
    companion("import", str(file_of(tmp_path, played())))
    with closing(sqlite3.connect(tmp_path / "games" / "table" / "games.sqlite")) as stranger:
        stranger.execute("UPDATE entries SET body = replace(body, '\"at\":', '\"at\":1') WHERE seq = 20")
        stranger.commit()
    saved = tmp_path / "saved.jsonl"
    said = companion("export", "1", str(saved))
    assert said.code == 2
    assert "entry 20 is not as it was written; save the 20 entries before it (up to " in said.err
    assert "companion export 1 FILE --salvage" in said.err
    assert not saved.exists()
    assert "20 entries" in companion("export", "1", str(saved), "--salvage").out
    assert "as game 2 (20 entries)" in companion("import", str(saved)).out
    header, entries = json_lines.read_journal_file(saved, GAMES_RULES)
    assert header.chain_rewritten == ("import", "repair")
    assert entries == played()[1][:20]


def test_of_a_damaged_file_what_stands_before_the_damage_is_loaded(
    companion: Command, tmp_path: Path
) -> None:
    path = file_of(tmp_path, played())
    rows = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join((*rows[:21], rows[21].replace(b'"at":', b'"at":1'), *rows[22:])))
    for command in ("replay", "import"):
        said = companion(command, str(path))
        assert said.code == 2
        assert "entry 20 is not as it was written; load the 20 entries before it (up to " in said.err
        assert f"companion import {path} --salvage" in said.err
    assert "as game 1 (20 entries)" in companion("import", str(path), "--salvage").out
    assert companion("import", str(path), "--salvage").out.startswith("You already have this game")


def test_the_same_file_is_stored_once(companion: Command, tmp_path: Path) -> None:
    path = file_of(tmp_path, played())
    companion("import", str(path))
    said = companion("import", str(path))
    assert (said.code, "already" in said.out) == (0, True)
    assert len(json.loads(companion("games", "--json").out)) == 1


def test_a_demo_is_stored_but_never_listed(companion: Command, tmp_path: Path) -> None:
    assert companion("import", str(file_of(tmp_path, played(kind="demo")))).code == 0
    assert "No games at table" in companion("games").out


def test_another_table_has_another_store(companion: Command, tmp_path: Path) -> None:
    companion("import", str(file_of(tmp_path, played())))
    assert "No games at table" in companion("--table", "attic", "games").out


def test_export_never_writes_over_a_file(companion: Command, tmp_path: Path) -> None:
    path = file_of(tmp_path, played())
    companion("import", str(path))
    said = companion("export", "1", str(path))
    assert said.code == 2
    assert "already exists" in said.err


def test_a_link_to_nothing_is_not_written_through(companion: Command, tmp_path: Path) -> None:
    companion("import", str(file_of(tmp_path, played())))
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    said = companion("export", "1", str(tmp_path / "link"))
    assert (said.code, "already exists" in said.err) == (2, True)


def test_a_game_counts_as_exported_once_the_disk_has_its_file_and_the_file_s_name(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    companion("import", str(file_of(tmp_path, played())))
    synced: list[str] = []

    def sync(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)

    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    copy = tmp_path / "stick" / "copy.jsonl"
    copy.parent.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", sync)
        assert companion("export", "1", str(copy)).out.startswith("Saved ")
    assert synced == ["copy.jsonl", "stick"]
    copy.unlink()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        said = companion("export", "1", str(copy))
    assert (said.code, said.out, copy.exists()) == (2, "", False)
    assert (
        said.err == f"companion: {copy} can't be written (No space left on device); make room on its disk.\n"
    )


def test_a_game_that_is_not_stored_is_named(companion: Command) -> None:
    said = companion("export", "7")
    assert said.code == 2
    assert "game 7" in said.err


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "isn't a game of"),
        (b"\x89PNG\r\n\x1a\n\0\0", "isn't a game of"),
        (b'{"format": 99, "game": "kinapa"}\n', "saved by a newer version"),
        (b'{"format": 1, "game": "chess"}\n', "no rules of a game called chess"),
        (b'{"format": 1, "game": "kinapa", "sutup": 3}\n', "line 1"),
    ],
)
def test_a_foreign_newer_or_damaged_file_is_refused_in_a_sentence(
    companion: Command, tmp_path: Path, content: bytes, sentence: str
) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(content)
    for verb in ("import", "replay"):
        said = companion(verb, str(path))
        assert said.code == 2
        assert sentence in said.err or "empty" in said.err


def test_a_truncated_file_names_the_line_where_it_ends(companion: Command, tmp_path: Path) -> None:
    path = file_of(tmp_path, played())
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - 20])
    said = companion("replay", str(path))
    assert said.code == 2
    last = whole.count(b"\n")
    assert f"line {last}" in said.err


def test_events_that_fit_no_game_are_told_without_a_traceback(companion: Command, tmp_path: Path) -> None:
    header, entries = played()
    text = json_lines.encode_journal(header, entries).replace(b'"seat":1', b'"seat":77')
    path = tmp_path / "game.jsonl"
    path.write_bytes(text)
    assert companion("import", str(path)).code == 2


def test_a_directory_instead_of_a_file_is_told(companion: Command, tmp_path: Path) -> None:
    assert companion("replay", str(tmp_path)).code == 2


def test_a_faithful_journal_is_judged_the_same(companion: Command, tmp_path: Path) -> None:
    said = companion("replay", str(file_of(tmp_path, played())))
    assert said.code == 0
    assert said.out.endswith("all ruled the same.\n")


def test_a_journal_without_a_chain_or_with_a_new_one_is_told_to_be_so(
    companion: Command, tmp_path: Path
) -> None:
    header, entries = played()
    faithful = companion("replay", str(file_of(tmp_path, (header, entries)))).out
    assert "checksums" not in faithful
    path = tmp_path / "changed.jsonl"
    path.write_bytes(json_lines.encode_journal(replace(header, format=1), entries))
    assert "It has no checksums (format 1)" in companion("replay", str(path)).out
    path.write_bytes(
        json_lines.encode_journal(replace(header, chain_rewritten=("forget", "import")), entries)
    )
    assert "written again since it was played: forget, import." in companion("replay", str(path)).out


def test_a_ruling_that_was_tampered_with_is_found_once(companion: Command, tmp_path: Path) -> None:
    header, entries = played()
    cut = next(
        number
        for number, entry in enumerate(entries)
        if entry.events and kind_of(entry.events[0]) == "NumberAnnounced"
    )
    lost = msgspec.structs.replace(entries[cut], events=())
    said = companion("replay", "--json", str(file_of(tmp_path, (header, [*entries[:cut], lost]))))
    steps = [json.loads(line) for line in said.out.splitlines()]
    assert said.code == 1
    assert [step["seq"] for step in steps if step["differs"]] == [cut]
    assert "NumberAnnounced" in steps[cut]["differs"]


@pytest.mark.parametrize("seed", range(6))
def test_an_unfinished_game_names_no_face_that_lies_hidden_again(seed: int) -> None:
    header, entries = played(seed)
    hidden_once = 0
    for end in range(10, len(entries) - 1, 7):
        cut = entries[:end]
        now = RULES.view(replay_state(RULES, header.setup.with_options(RULES.options), cut))
        told = msgspec.json.encode(
            [(step.rulings, step.view) for step in replay_steps(RULES, header, cut)]
        ).decode()
        shown = {card.rpartition(":")[2] for place in now.places for card in (place.card, *place.on_top)}
        for label in turned(cut) - shown:
            hidden_once += 1
            assert f'"{label}"' not in told
            assert f'"object:{label}"' not in told
    assert hidden_once


def test_a_view_of_a_finished_game_is_told_whole(companion: Command, tmp_path: Path) -> None:
    said = companion("replay", "--json", str(file_of(tmp_path, played())))
    assert "object:" in said.out


def test_masking_a_view_by_itself_hides_no_face_that_lies_open() -> None:
    header, entries = played()
    state = replay_state(RULES, header.setup.with_options(RULES.options), entries[:60])
    view = RULES.view(state)
    lay = {(place.region, face) for place in view.places for face in (place.card, *place.on_top)}
    assert mask_hidden_faces(view, lay).places == view.places


def test_resume_without_an_unfinished_game_says_so(companion: Command, tmp_path: Path) -> None:
    companion("import", str(file_of(tmp_path, played())))
    for words, code in ((["resume"], 1), (["resume", "1"], 2), (["resume", "9"], 2)):
        said = companion(*words)
        assert said.code == code
        assert said.err.count("\n") == 1


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """The recovery log of a table that was killed, whose store lost the last 12 rulings."""
    header, entries = played(upto=30)
    path = tmp_path / "games" / "table" / "games.sqlite"
    with GameStore(path, GAMES_RULES) as store:
        journal = store.create_game(header)
        for entry in entries[:18]:
            journal.append(entry)
        assert journal.close()
    RecoveryLog(path, header).write(entries)
    return path


@pytest.mark.parametrize("words", [("games",), ("export", "1"), ("backup", "stick")])
def test_who_reads_between_a_kill_and_the_next_start_is_told_what_is_not_there(
    companion: Command, killed: Path, tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stick").mkdir()
    monkeypatch.chdir(tmp_path)
    before = killed.read_bytes()
    said = companion(*words)
    (log,) = killed.parent.glob("*-recovery-*")
    sentence = f"companion: 12 rulings of a game that was cut short are still in {log} alone; start"
    assert (said.code, said.err.count(sentence)) == (0, 1)
    assert killed.read_bytes() == before


@pytest.mark.parametrize("words", [("import", "game.jsonl"), ("resume", "1")])
def test_while_another_program_keeps_back_what_the_store_lacks_nothing_is_stored_twice_or_gone_on_with(
    companion: Command, killed: Path, tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lock(store: GameStore) -> None:
        store.blocked = sqlite3.OperationalError("disk I/O error")
        store.blocked.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHORT_READ

    file_of(tmp_path, played(upto=30)).rename(tmp_path / "game.jsonl")
    monkeypatch.chdir(tmp_path)
    before = sorted(killed.parent.iterdir())
    monkeypatch.setattr(GameStore, "lock", lock)
    assert companion(*words).err == (
        f"companion: another program keeps {killed} locked; close it, then try again.\n"
    )
    assert sorted(killed.parent.iterdir()) == before


def test_while_a_table_plays_nothing_is_said_of_its_log(companion: Command, killed: Path) -> None:
    with GameStore(killed, GAMES_RULES) as store:
        journal = store.open_game(store.list_games()[0].game)
        assert len(journal.entries) == 30
        RecoveryLog(killed, journal.header).write(journal.entries)
        assert companion("games").err == ""
        assert journal.close()


def test_resume_continues_what_the_log_of_a_killed_table_has(killed: Path, tmp_path: Path) -> None:
    header, entries = played(upto=30)
    killed.unlink()
    settings = Settings(storage=StorageSettings(folder=str(tmp_path / "games")))
    assert find_unfinished_game(settings, None) == (1, ())
    with GameStore(killed, GAMES_RULES) as store:
        assert store.read_game(1) == (header, entries)


def test_resume_passes_on_what_could_not_be_restored_to_the_screen(killed: Path, tmp_path: Path) -> None:
    (log,) = killed.parent.glob(f"{killed.name}{SUFFIX}*")
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:20], b"damaged\n", *lines[21:]]))
    killed.unlink()
    settings = Settings(storage=StorageSettings(folder=str(tmp_path / "games")))
    assert find_unfinished_game(settings, None) == (
        1,
        (killed.parent / log.name.replace(SUFFIX, DAMAGED_SUFFIX),),
    )


def test_the_journals_schema_accepts_every_line_of_a_game(companion: Command, tmp_path: Path) -> None:
    import jsonschema

    validator = jsonschema.Draft202012Validator(json.loads(companion("dev", "schema", "journal").out))
    path = file_of(tmp_path, played())
    for line in path.read_text(encoding="utf-8").splitlines()[:40]:
        validator.validate(json.loads(line))
    assert not validator.is_valid({"seq": 0, "cause": {"kind": "Sneezed"}})


def test_simulate_prints_statistics_and_keeps_every_promise(companion: Command) -> None:
    said = companion("dev", "simulate", "kinapa", "--games", "5", "--seed", "11", "--players", "5")
    assert said.code == 0
    assert "5 games of kinapa, 5 players" in said.out
    assert "broken      0" in said.out


@pytest.mark.parametrize("words", [["kinap"], ["kinapa", "--players", "30"], ["kinapa", "--games", "0"]])
def test_a_simulation_that_cannot_be_is_refused(companion: Command, words: list[str]) -> None:
    assert companion("dev", "simulate", *words).code == 2


def turned(entries: list[Entry[Event]]) -> set[str]:
    """The labels that were face up at some time."""
    events = (event for entry in entries for event in entry.events)
    return {event.label for event in events if isinstance(event, ObjectTurned)}


def test_a_verb_that_is_told_no_game_takes_the_first_that_is_installed() -> None:
    assert find_game_rules(None).name == next(iter(GAMES))


def test_an_imported_game_that_does_not_count_is_listed_where_all_are_asked_for(companion: Command) -> None:
    file = Path(__file__).parent.parent / "playthroughs" / "kobayakawa" / "players-3.jsonl"
    assert "it is a simulation: see companion games --all" in companion("import", str(file)).out
    assert "No games at table" in companion("games").out
    assert "simulation, won by" in companion("games", "--all").out


def test_of_many_games_the_newest_are_listed_and_the_rest_is_named(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.cli.stored_games.DEFAULT_LISTED_GAMES", 2)
    for seed in (3, 4, 5):
        companion("import", str(file_of(tmp_path, played(seed))))
    *listed, rest = companion("games").out.splitlines()
    assert [line.split()[0] for line in listed] == ["3", "2"]
    assert rest == "These are the newest 2. See all: --all; since a day: --since DATE."
    for words in (("--all",), ("--since", "2026-11-20")):
        assert [line.split()[0] for line in companion("games", *words).out.splitlines()] == ["3", "2", "1"]
    assert [game["game"] for game in json.loads(companion("games", "--json").out)] == [3, 2, 1]


def test_games_are_read_one_by_one_and_counted_with_a_damaged_one_among_them(
    companion: Command, tmp_path: Path
) -> None:
    for seed in (3, 4):
        companion("import", str(file_of(tmp_path, played(seed))))
    path = tmp_path / "games" / "table" / "games.sqlite"
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("UPDATE games SET header = x'00' WHERE id = 1")
    with GameStore(path, GAMES_RULES) as read:
        listed = read.iterate_games()
        assert (next(listed).problem, next(listed).problem, next(listed, None)) == ("", "foreign", None)
        assert (
            read.count_games(),
            read.count_games("demo"),
            read.find_game(1) is None,
            read.find_game(3),
        ) == (2, 0, False, None)


@pytest.mark.parametrize("words", [("export",), ("resume",), ("report",)])
def test_a_number_larger_than_any_game_s_is_no_game(
    words: tuple[str, ...], companion: Command, tmp_path: Path
) -> None:
    companion("import", str(file_of(tmp_path, played())))
    said = companion(*words, *(["--game"] if words == ("report",) else []), str(1 << 63))
    assert (said.code, "no game 9223372036854775808" in said.err) == (2, True)
