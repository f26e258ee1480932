"""Who is forgotten is in no byte of the table's folder and settings, or is told where they still stand."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from html import escape
from pathlib import Path

import pytest
from msgspec.structs import replace

from companion.games import RULES
from companion.referee import name_search
from companion.referee.journal import MemoryJournal
from companion.referee.journal.json_lines import encode_journal
from companion.referee.journal.sqlite import connect
from companion.referee.name_search import contains_name, find_names_in_file
from companion.referee.referee import Referee
from companion.system.safe_files import SizeLimit
from companion.table import erase_name as _forgetting
from companion.table.recap.save import save_recap
from tests.cli.command_line import Command, played

WHO = "Zoë & Bo"
OTHER = "Bo"
SPELT = (
    WHO.encode(),
    "Zoe\u0308 & Bo".encode(),
    rb"Zo\u00eb & Bo",
    rb"Zo\u00EB & Bo",
    rb"Zo\xeb & Bo",
    escape(WHO).encode(),
    b"Zo&#235; &amp; Bo",
    b"Zo&#xeb; &amp; Bo",
    b"Zo&euml; &amp; Bo",
    b"Zo%C3%AB%20%26%20Bo",
    WHO.encode("utf-16-le"),
    WHO.encode("utf-16-be"),
    WHO.encode("latin-1"),
)


@pytest.fixture
def table(companion: Command, tmp_path: Path) -> Path:
    """The folder of a table where two games were played, with two people who share a word."""
    for seed in (3, 7):
        header, entries = played(seed)
        journal = tmp_path / f"game{seed}.jsonl"
        named = replace(header, names=((0, WHO), (1, OTHER)), date=f"2026-11-20T20:0{seed}:00+00:00")
        journal.write_bytes(encode_journal(named, entries))
        assert companion("import", str(journal)).code == 0
    return tmp_path / "games" / "table"


def holding(folder: Path) -> list[str]:
    """The files with the name in any spelling, read byte by byte."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path.name for path in files if any(spelt in path.read_bytes() for spelt in SPELT)]


def change(table: Path, header: Callable[[dict[str, object]], object], game: int = 1) -> None:
    """Write the header of a game as another version, or a broken disk, would have."""
    with closing(sqlite3.connect(table / "games.sqlite")) as store:
        (raw,) = store.execute("SELECT header FROM games WHERE id = ?", (game,)).fetchone()
        changed = header(json.loads(raw))
        raw = changed if isinstance(changed, bytes) else json.dumps(changed).encode()
        store.execute("UPDATE games SET header = ? WHERE id = ?", (raw, game))
        store.commit()


def recap_of(seed: int, table: Path) -> Path:
    header, entries = played(seed)
    named = replace(
        header, names=tuple((chair, WHO) for chair in range(4)), date=f"2026-11-20T20:0{seed}:00+00:00"
    )
    return save_recap(Referee(RULES["kinapa"], MemoryJournal(named, entries)), "en", table)


@pytest.mark.parametrize("stored", ["  Bo ", "Bo\u200b", "Bo\u00a0"])
def test_a_name_that_looks_the_same_is_the_same(companion: Command, tmp_path: Path, stored: str) -> None:
    header, entries = played(3)
    journal = tmp_path / "game.jsonl"
    journal.write_bytes(encode_journal(replace(header, names=((0, stored), (1, "Bo Li"))), entries))
    assert companion("import", str(journal)).code == 0
    assert "Removed Bo from 1 game" in companion("forget", "Bo").out
    (game,) = json.loads(companion("games", "--json").out)
    assert game["names"] == [[1, "Bo Li"]]


@pytest.mark.parametrize("words", [("--", "-x"), ("--pictures", "--", "-x")])
def test_a_name_that_begins_with_a_dash_is_forgotten(
    companion: Command, tmp_path: Path, words: tuple[str, ...]
) -> None:
    header, entries = played(3)
    journal = tmp_path / "game.jsonl"
    journal.write_bytes(encode_journal(replace(header, names=((0, "-x"), (1, "Bo"))), entries))
    assert companion("import", str(journal)).code == 0
    assert "what begins with a dash goes after --" in companion("forget", "-x").err
    assert "Removed -x from 1 game" in companion("forget", *words).out
    assert "-x" not in companion("forget").out


@pytest.mark.parametrize("spelt", SPELT)
@pytest.mark.parametrize("around", [(b"", b""), (b'{"a":"', b'"}'), (b"<p>", b"</p>"), (b"\n", b" won.")])
def test_a_name_is_found_however_it_is_spelt(spelt: bytes, around: tuple[bytes, bytes]) -> None:
    assert contains_name(around[0] + spelt + around[1], WHO)


def test_a_name_is_no_part_of_another_word_and_no_chance_in_a_picture() -> None:
    assert not contains_name(b"Anna, Joann and ann", "Ann")
    assert contains_name(rb'{"said":"hello\nAnn"}', "Ann")
    assert not contains_name(b"\xff\xd8\0\x01 Ann \x02\0", "Ann")
    assert contains_name(b'SQLite\0\x01[[0,"Ann"]]\0', "Ann")
    assert not contains_name(b'<img src="data:image/jpeg;base64,AAA/Ann/BBB=">', "Ann")


def test_no_byte_of_the_folder_holds_a_forgotten_name(companion: Command, table: Path) -> None:
    page = recap_of(3, table)
    assert WHO in page.read_text(encoding="utf-8") or escape(WHO) in page.read_text(encoding="utf-8")
    drawn_only = page.with_name(page.name.replace("-1.html", "-2.html"))
    drawn_only.write_text("<p>A page that names people in its pictures alone.</p>", encoding="utf-8")
    picture = page.with_suffix(".png")
    picture.with_name(picture.name.replace("-1.png", "-3.png")).write_bytes(picture.read_bytes())
    (table / "recaps" / "kinapa-202001010000-1.html").write_text("Bo won.", encoding="utf-8")
    half = table / "evidence" / "game-1" / ".00009.jpg.part"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"picture")
    (table / "games.sqlite.lock").write_text(f"1\ncompanion forget {WHO}\n", encoding="utf-8")
    said = companion("forget", WHO)
    assert (said.code, said.err) == (0, "")
    assert "Deleted 2 game recaps of their games" in said.out
    assert "from 2 games" in said.out
    assert holding(table.parent) == []
    assert [left.name for left in (table / "recaps").iterdir()] == ["kinapa-202001010000-1.html"]
    assert not half.exists()
    assert f"{OTHER}: in 2 games" in companion("forget").out


def test_what_is_kept_beside_the_games_is_listed(companion: Command, table: Path) -> None:
    page = recap_of(3, table)
    (table / "table.log").write_text(f"{WHO} sits down\n", encoding="utf-8")
    said = companion("forget")
    assert f"{WHO}: in 2 games" in said.out
    assert f"{WHO}: in {page}" in said.out
    assert f"{WHO}: in {table / 'table.log'}" in said.out
    assert "1 game recap in" in said.out


@pytest.mark.parametrize(
    "header",
    [
        lambda raw: {**raw, "format": 9},
        lambda raw: {**raw, "format": 9, "names": {"0": WHO, "1": OTHER}},
        lambda raw: {**raw, "format": 9, "names": [], "seats": [{"who": WHO, "by": [f"{WHO}, again"]}]},
        lambda raw: {**raw, "game": "of the future"},
        lambda raw: json.dumps(raw).encode()[:-3],
        lambda raw: json.dumps(raw, ensure_ascii=False).encode()[5:],
    ],
    ids=["newer", "newer, otherwise", "newer, elsewhere", "another game", "cut off", "cut into"],
)
def test_a_game_that_cannot_be_opened_forgets_too(
    companion: Command, table: Path, header: Callable[[dict[str, object]], object]
) -> None:
    for game in (1, 2):
        change(table, header, game)
    assert holding(table)
    assert companion("forget", WHO).code == 0
    assert holding(table) == []
    with closing(sqlite3.connect(table / "games.sqlite")) as store:
        assert store.execute("SELECT count(*) FROM games").fetchone() == (2,)


def test_a_newer_game_that_names_people_in_its_entries_is_told(companion: Command, table: Path) -> None:
    change(table, lambda raw: {**raw, "format": 9})
    with closing(sqlite3.connect(table / "games.sqlite")) as store:
        store.execute("INSERT INTO entries VALUES (1, 900, ?)", (json.dumps({"sits": WHO}).encode(),))
        store.commit()
    said = companion("forget", WHO)
    assert said.code == 1
    assert "game 1 in" in said.err
    assert "update this program" in said.err
    assert "from 2 games" in said.out


def test_a_broken_game_loses_the_name_from_its_entries_too(companion: Command, table: Path) -> None:
    change(table, lambda raw: b"\xff" + json.dumps(raw).encode())
    with closing(sqlite3.connect(table / "games.sqlite")) as store:
        store.execute("INSERT INTO entries VALUES (1, 900, ?)", (json.dumps({"sits": WHO}).encode(),))
        store.commit()
    assert companion("forget", WHO).code == 0
    assert holding(table) == []


def test_what_is_left_in_free_space_is_swept_out(companion: Command, table: Path) -> None:
    with closing(sqlite3.connect(table / "games.sqlite")) as store:
        store.execute("PRAGMA secure_delete = OFF")
        store.execute("DELETE FROM games")
        store.commit()
    assert holding(table)
    said = companion("forget", WHO)
    assert said.code == 0
    assert "Removed what was left" in said.out
    assert holding(table) == []


def test_while_another_process_reads_the_name_is_said_to_be_left_and_goes_the_next_time(
    companion: Command, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", partial(connect, timeout=0))
    with closing(connect(f"{(table / 'games.sqlite').as_uri()}?mode=ro", uri=True)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM games").fetchone()
        said = companion("forget", WHO)
        assert said.code == 1
        assert "another program is reading the games: end it, then run forget again" in said.err
        assert holding(table) == ["games.sqlite"]
    again = companion("forget", WHO)
    assert again.code == 0
    assert holding(table) == []


def test_files_that_are_not_the_tables_own_are_named_and_left(companion: Command, table: Path) -> None:
    kept = {
        "game.jsonl": json.dumps({"names": [[0, WHO]]}).encode(),
        "table.log": f"12:00 {WHO} sits down\n".encode(),
        "old.sqlite": b'SQLite\0[[0,"' + WHO.encode() + b'"]]\0',
        "notes/evening.txt": WHO.encode("utf-16"),
        f"{WHO}.jpg": b"\xff\xd8\0",
    }
    for name, raw in kept.items():
        (table / name).parent.mkdir(exist_ok=True)
        (table / name).write_bytes(raw)
    (table / "explained").write_text("kinapa.count\n", encoding="utf-8")
    said = companion("forget", WHO)
    assert said.code == 1
    assert sorted(said.err.splitlines()[1:]) == sorted(
        f"  {table / name}: check it: remove the name, or delete the file" for name in kept
    )
    assert {name: (table / name).read_bytes() for name in kept} == kept
    for name in kept:
        (table / name).unlink()
    assert "not known" in companion("forget", WHO).err


def test_a_page_is_not_thrown_away_for_a_word_that_may_be_nobodys_name(
    companion: Command, table: Path
) -> None:
    page = recap_of(3, table)
    (table / "games.sqlite").unlink()
    said = companion("forget", WHO)
    assert said.code == 1
    assert f"{page}: check it" in said.err
    assert page.exists()


@pytest.mark.parametrize("name", ["", "  ", "\udcff"])
def test_what_is_no_name_is_refused(companion: Command, table: Path, name: str) -> None:
    said = companion("forget", name)
    assert said.code == 2
    assert "that isn't a name" in said.err


def test_names_are_not_said_to_be_none_where_the_store_cannot_be_read(
    companion: Command, table: Path
) -> None:
    (table / "games.sqlite").write_bytes(b"Dear diary")
    said = companion("forget")
    assert said.code == 2
    assert "isn't a store" in said.err


def test_every_settings_file_forgets_and_what_only_a_person_can_change_is_named(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, own = tmp_path / "etc" / "settings.toml", tmp_path / "own" / "settings.toml"
    monkeypatch.setattr(_forgetting, "settings_files", lambda: (machine, own))
    for file in (machine, own):
        file.parent.mkdir()
        file.write_text('[table]\nnames = ["Ann", "Zo\\u00EB & Bo", "Cy"]\n', encoding="utf-8")
    own.write_text(own.read_text(encoding="utf-8") + f"chairs = 4 # {WHO} is left-handed\n", encoding="utf-8")
    half, copy = own.with_name(".settings.toml.x7"), own.with_name("settings.toml~")
    for beside in (half, copy):
        beside.write_text(f'[table]\nnames = ["{WHO}"]\n', encoding="utf-8")
    said = companion("forget", WHO)
    assert said.code == 1
    assert f"{own}, line 3: remove the name there" in said.err
    assert f"{copy}: delete it" in said.err
    assert '"Ann", "", "Cy"' in machine.read_text(encoding="utf-8")
    assert holding(tmp_path) == ["settings.toml", "settings.toml~"]
    assert not half.exists()


def test_a_voice_pack_that_says_who_speaks_is_named(companion: Command, table: Path, tmp_path: Path) -> None:
    pack = tmp_path / "our voices" / "voice.json"
    pack.parent.mkdir()
    pack.write_text(json.dumps({"language": "en", "speaker": WHO}), encoding="utf-8")
    ours = ("--set", f"sound.voice_pack={pack.parent}", "forget")
    assert f"{WHO}: in {pack}" in companion(*ours).out
    said = companion(*ours, WHO)
    assert said.code == 1
    assert said.err.splitlines()[1:] == [
        f"  {pack}: remove the name there; if the voice is theirs, delete the folder"
    ]
    assert holding(table) == []


@pytest.mark.parametrize("whose", ["find_sticks", "installer_backups"])
def test_copies_on_a_stick_or_before_an_update_are_named_and_another_tables_are_not(
    companion: Command, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    monkeypatch.setattr(_forgetting, whose, lambda: [stick])
    assert companion("backup", str(stick)).code == 0
    (copy,) = (path.parent for path in stick.rglob("games.sqlite"))
    theirs = stick / "table-companion" / "table two 1234" / copy.name
    theirs.mkdir(parents=True)
    (theirs / "games.sqlite").write_bytes((copy / "games.sqlite").read_bytes())
    before = holding(stick)
    assert f"{WHO}: in {copy / 'games.sqlite'}" in companion("forget").out
    said = companion("forget", WHO)
    assert said.code == 1
    assert said.err.splitlines()[1:] == [f"  {copy}: an older backup: delete it, and back up again"]
    assert holding(table) == []
    assert holding(stick) == before


def test_a_copy_that_a_killed_reader_left_behind_goes(
    companion: Command, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_forgetting.tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    left = tmp_path / "tmp" / "companion-games-x7" / "games.sqlite"
    left.parent.mkdir(parents=True)
    left.write_bytes((table / "games.sqlite").read_bytes())
    assert companion("forget", WHO).code == 0
    assert not left.parent.exists()


def test_what_cannot_be_deleted_is_named_and_the_rest_is_forgotten(
    companion: Command, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = recap_of(3, table)
    unlink = Path.unlink

    def held(self: Path, *, missing_ok: bool = False) -> None:
        if self == page:
            raise PermissionError(13, "Permission denied")
        unlink(self, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", held)
    said = companion("forget", WHO)
    assert said.code == 1
    assert f"{page}: can't delete it (Permission denied): delete it with sudo" in said.err
    assert holding(table) == [page.name]


def test_a_store_that_is_damaged_is_named(companion: Command, table: Path) -> None:
    (table / "games.sqlite").write_bytes(b"Dear diary, " + WHO.encode())
    said = companion("forget", WHO)
    assert said.code == 1
    assert "games.sqlite" in said.err
    assert "delete it" in said.err


def test_a_table_in_play_is_not_forgotten_behind_its_back(companion: Command, table: Path) -> None:
    from companion.referee.store import GameStore

    page = recap_of(3, table)
    with GameStore(table / "games.sqlite", RULES) as playing:
        playing.lock()
        said = companion("forget", WHO)
    assert said.code == 1
    assert f"process {os.getpid()}" in said.err
    assert page.exists()
    assert companion("forget", WHO).code == 0


def test_a_name_is_found_wherever_a_large_file_is_cut_into_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_search, "CHUNK_BYTES", 64)
    file = tmp_path / "large"
    for spelt in SPELT:
        for at in range(70):
            file.write_bytes(b" " * at + spelt + b" " * 200)
            assert find_names_in_file(file, (WHO, "Ann")) == {WHO}
    for at in range(130):
        file.write_bytes(b" " * at + b"BoBo Bobo xBo" + b" " * 200)
        assert not find_names_in_file(file, (OTHER,)), "a part of a word is another word"


def test_a_name_right_after_a_picture_as_large_as_a_part_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_search, "CHUNK_BYTES", 64)
    file = tmp_path / "page"
    file.write_bytes(b"data:image/png;base64,".ljust(64, b"A") + b'"' + WHO.encode() + b'"' + b" " * 200)
    assert find_names_in_file(file, (WHO,)) == {WHO}


@pytest.mark.long
def test_a_name_goes_from_a_store_that_is_larger_than_any_picture(companion: Command, table: Path) -> None:
    store = table / "games.sqlite"
    with closing(connect(store)) as writer:
        (game,) = writer.execute("SELECT max(id) FROM games").fetchone()
        fill = b" " * 1_000_000
        writer.execute("BEGIN")
        writer.execute(
            "INSERT INTO games SELECT id + 1, 'simulation', '{}', 0, NULL FROM games WHERE id = ?", (game,)
        )
        for seq in range(SizeLimit.PICTURE // len(fill) + 2):
            writer.execute("INSERT INTO entries VALUES (?, ?, ?)", (game + 1, seq, fill))
        writer.execute("COMMIT")
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert store.stat().st_size > SizeLimit.PICTURE
    said = companion("forget", WHO)
    assert (said.code, said.err) == (0, "")
    assert "is gone from this table" in said.out
    assert not find_names_in_file(store, (WHO,))
