"""What a table keeps is its owner's to read; the service's folder is for a group too."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from companion.games import RULES
from companion.programs.log_file import ProgramLog
from companion.referee.journal import MemoryJournal
from companion.referee.referee import Referee
from companion.table.recap.save import save_recap
from companion.teach.assistance import ExplainedRules
from tests.cli.command_line import Command, file_of, played

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes are another thing there")


@pytest.fixture(autouse=True)
def _as_most_systems_are() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> str:
    return f"{path.stat().st_mode & 0o777:o}"


def modes(folder: Path) -> set[tuple[bool, str]]:
    """Of everything there: whether it is a folder, and who may do what."""
    return {(path.is_dir(), mode(path)) for path in (folder, *folder.rglob("*"))}


def kept(companion: Command, tmp_path: Path) -> Path:
    """The folder of a table with a game and a page."""
    assert companion("import", str(file_of(tmp_path, played()))).code == 0
    table = tmp_path / "games" / "table"
    header, entries = played()
    save_recap(Referee(RULES["kinapa"], MemoryJournal(header, entries)), "en", table)
    return table


def test_what_a_table_keeps_is_shut_to_everybody_else(companion: Command, tmp_path: Path) -> None:
    table = kept(companion, tmp_path)
    assert modes(table.parent) == {(True, "700"), (False, "600")}


def test_the_services_group_may_look(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "games").mkdir(mode=0o750)
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "games"))
    table = kept(companion, tmp_path)
    assert modes(table.parent) == {(True, "750"), (False, "640")}


def test_a_folder_that_was_given_to_a_group_stays_so_and_one_open_to_all_holds_shut_files(
    companion: Command, tmp_path: Path
) -> None:
    (tmp_path / "games" / "table").mkdir(parents=True)
    for given, files in ((0o755, "600"), (0o750, "640")):
        (tmp_path / "games" / "table").chmod(given)
        table = kept(companion, tmp_path)
        assert (mode(table), mode(table / "games.sqlite")) == (f"{given:o}", files)
        (table / "games.sqlite").unlink()


def test_a_store_that_everybody_could_read_is_shut_when_it_is_written(
    companion: Command, tmp_path: Path
) -> None:
    store = kept(companion, tmp_path) / "games.sqlite"
    store.chmod(0o644)
    assert companion("import", str(file_of(tmp_path, played(7)))).code == 0
    assert mode(store) == "600"


def test_reports_and_pages_are_shut(companion: Command, tmp_path: Path) -> None:
    kept(companion, tmp_path)
    report, page = tmp_path / "report.zip", tmp_path / "page.html"
    assert companion("report", str(report)).code == 0
    assert companion("recap", "1", "--html", str(page)).code == 0
    assert (mode(report), mode(page)) == ("600", "600")


def test_what_else_makes_the_tables_folder_makes_it_shut(companion: Command, tmp_path: Path) -> None:
    told = tmp_path / "told" / "table"
    ExplainedRules(told / "explained").add("a rule")
    logged = tmp_path / "logged" / "table"
    with ProgramLog() as logbook:
        logbook.folder = lambda: logged
        logbook.log_crash(ValueError("planted"))
    assert {mode(folder) for folder in (told.parent, told, logged.parent, logged)} == {"700"}


def test_a_copy_of_the_games_is_shut(companion: Command, tmp_path: Path) -> None:
    kept(companion, tmp_path)
    (tmp_path / "disk").mkdir()
    assert companion("backup", str(tmp_path / "disk")).code == 0
    (store,) = (tmp_path / "disk").rglob("games.sqlite")
    assert (mode(store), mode(store.parent)) == ("600", "700")


def test_the_services_copy_may_be_read_elsewhere(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(companion, tmp_path)
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "games"))
    (tmp_path / "disk").mkdir()
    assert companion("backup", str(tmp_path / "disk")).code == 0
    (store,) = (tmp_path / "disk").rglob("games.sqlite")
    assert (mode(store), mode(store.parent)) == ("644", "755")


SHOT = b"\xff\xd8 a photo of a box in somebody's room"


def _contents(folder: Path) -> Iterator[bytes]:
    """Of every file there, and of every file in an archive."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.read_bytes()
        if path.suffix == ".zip":
            with ZipFile(path) as archive:
                yield from map(archive.read, archive.namelist())


def test_the_photo_of_a_box_goes_nowhere(companion: Command, tmp_path: Path) -> None:
    table = kept(companion, tmp_path)
    boxes = table / "cupboard" / "any_game"
    boxes.mkdir(parents=True)
    (boxes / "tiles.toml").write_text('name = "Grandma’s tiles"', encoding="utf-8")
    (boxes / "tiles.jpg").write_bytes(SHOT)
    given = tmp_path / "given"
    given.mkdir()
    told = [
        companion("export", "1", str(given / "game.jsonl")),
        companion("report", "--frames", "--game", "1", str(given / "report.zip")),
        companion("recap", "1", "--html", str(given / "recap.html")),
        companion("backup", str(given)),
    ]
    assert [said.code for said in told] == [0] * len(told), [said.err for said in told]
    for content in (*_contents(given), *(said.out.encode() for said in told)):
        assert SHOT not in content
        assert b64encode(SHOT[:30]) not in content
        assert b"tiles" not in content


@pytest.mark.parametrize("door", ["page", "uplink", "club"])
def test_nothing_that_leaves_the_table_can_hold_a_box_or_its_photo(companion: Command, door: str) -> None:
    described = companion("dev", "schema", door).out
    assert described
    assert not {"Preset", "cupboard", "PhotoView", "base64"} & set(re.findall(r"[A-Za-z0-9]+", described))
