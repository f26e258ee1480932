"""Files of strangers: journals, settings and decks are read, or refused in a sentence, and nothing else.

The mutations know the structure: a value is replaced by one of another type or size, lines change places,
bytes flip. What once broke something is kept in `tests/corpus` and tried on every run; `make fuzz` looks
further.
"""

from __future__ import annotations

import io
import json
import os
import re
import socket
import sqlite3
import tempfile
import tomllib
import tracemalloc
import zipfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.core.errors import CompanionError
from companion.core.lines import lines_of
from companion.core.strangers import Most
from companion.diagnostics.replay import steps
from companion.games import RULES
from companion.referee.acceptance import accepted
from companion.referee.backup import back_up
from companion.referee.journal import JournalError, lines
from companion.referee.journal import line as standing
from companion.referee.journal.sqlite import connect
from companion.referee.store import Store
from companion.referee.store_errors import explained
from companion.settings.files import load, read_file
from companion.settings.model import Settings
from companion.teach.lesson import load as lesson_in
from companion.vision.decks import Deck, DeckError
from companion.vision.pictures import opened as picture_in
from tests.thorough import examples

HERE = Path(__file__).parent
CORPUS = sorted((HERE / "corpus").glob("*"))
PLAYED = sorted((HERE / "playthroughs").glob("*/*.jsonl"))
MOST_LINES = 60
"""Enough of a game to hold every kind of entry, and quick to judge."""
thorough = settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", examples(500))),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0, 1, 7, 99, 2**31, 2**63, -(2**63), 10**30, 1e308, "", "x" * 5_000, "\x00", "../../x",
    "\ud83d",
    [], {}, [[]], [0] * 300, {"kind": "Wormhole"}, {"a": {"a": {}}},
)  # fmt: skip


@cache
def played(path: Path) -> tuple[bytes, ...]:
    return tuple(path.read_bytes().splitlines(keepends=True)[:MOST_LINES])


def places(value: Any) -> list[tuple[Any, ...]]:
    """The path to every value inside a value."""
    found: list[tuple[Any, ...]] = [()]
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        found += [(key, *path) for path in places(part)]
    return found


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    if not path:
        return by
    changed = deepcopy(value)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = by
    return changed


@st.composite
def journals(draw: st.DrawFn) -> bytes:
    """A real game in which somebody meddled."""
    rows = list(played(draw(st.sampled_from(PLAYED))))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(rows) - 1))
        match draw(st.sampled_from(["value", "value", "value", "swap", "drop", "double", "bytes"])):
            case "value":
                try:
                    value = json.loads(rows[at])
                except ValueError:  # an earlier meddling went deeper
                    continue
                path = draw(st.sampled_from(places(value)))
                rows[at] = json.dumps(replaced(value, path, draw(st.sampled_from(HOSTILE)))).encode() + b"\n"
            case "swap":
                other = draw(st.integers(0, len(rows) - 1))
                rows[at], rows[other] = rows[other], rows[at]
            case "drop" if len(rows) > 1:
                del rows[at]
            case "double":
                rows.insert(at, rows[at])
            case "bytes":
                raw = bytearray(rows[at])
                for _ in range(draw(st.integers(1, 8))):
                    raw[draw(st.integers(0, len(raw) - 1))] = draw(st.integers(0, 255))
                rows[at] = bytes(raw)
    return b"".join(rows)


def take_in(raw: bytes) -> None:
    """Everything the program does with a journal of a stranger."""
    try:
        with explained("stranger.jsonl"):
            header, entries = lines.parse(raw, RULES)
            rules = RULES[header.game]
            accepted(rules, header, entries)
            for step in steps(rules, header, entries):
                assert step.view.chairs
    except CompanionError as refused:
        sentence = str(refused)
        assert sentence
        assert "\n" not in sentence


@pytest.mark.slow
@thorough
@given(journals())
def test_a_strangers_journal_is_judged_or_refused_in_a_sentence(raw: bytes) -> None:
    take_in(raw)


@pytest.mark.parametrize(
    "path", [path for path in CORPUS if path.suffix == ".jsonl"], ids=lambda path: path.stem
)
def test_journals_that_once_broke_something_do_no_longer(path: Path) -> None:
    take_in(path.read_bytes())


@pytest.mark.slow
@thorough
@given(raw=st.binary(max_size=2_000), at=st.integers(0, 4_096), length=st.integers(1, 400))
def test_a_damaged_store_is_listed_or_refused(
    raw: bytes, at: int, length: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("store") / "games.sqlite"
    whole = bytearray(stored())
    start = min(at, len(whole) - 1)
    whole[start : start + len(raw[:length])] = raw[:length]
    path.write_bytes(whole)
    try:
        with explained("the store"), Store(path, RULES) as store:
            for game in store.games():
                if not game.problem:
                    store.read(game.game)
    except CompanionError as refused:
        sentence = str(refused)
        assert sentence


@cache
def stored() -> bytes:
    """A store that holds one game."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.sqlite"
        header, entries = lines.parse(b"".join(played(PLAYED[0])), RULES)
        with Store(path, RULES) as store:
            journal = store.create(header)
            for entry in entries:
                journal.append(entry)
            assert journal.close()
        return path.read_bytes()


TOML = st.recursive(
    st.one_of(st.integers(), st.booleans(), st.floats(), st.text(max_size=20)).map(repr),
    lambda inner: st.lists(inner, max_size=4).map(lambda parts: f"[{', '.join(parts)}]"),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["table.chairs", "table.name", "table.names", "screen.size", "sound.volume", "camera.kind",
     "buttons.pins", "buttons.pins.1", "buttons.keys.1", "rules.kinapa.hand", "rules.kabuki", "rules",
     "storage.folder", "x", "table"]
)  # fmt: skip


@pytest.mark.slow
@thorough
@given(pairs=st.lists(st.tuples(KEYS, TOML), max_size=5), tail=st.binary(max_size=30))
def test_a_strangers_settings_are_understood_or_refused(
    pairs: list[tuple[str, str]], tail: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("settings") / "settings.toml"
    file.write_bytes("".join(f"{key} = {value}\n" for key, value in pairs).encode("utf-8", "replace") + tail)
    try:
        found = load(file=file, environ={})
    except CompanionError as refused:
        sentence = str(refused)
        assert sentence
    else:
        assert isinstance(found, Settings)


@cache
def deck() -> bytes:
    return (HERE.parent / "assets" / "decks" / "kabuki" / "kabuki.deck").read_bytes()


@pytest.mark.slow
@thorough
@given(
    flips=st.lists(st.tuples(st.integers(0, 1 << 22), st.integers(0, 255)), max_size=6),
    about=st.one_of(st.none(), st.tuples(st.integers(0, 40), st.sampled_from(HOSTILE))),
)
def test_a_strangers_deck_is_opened_or_refused(
    flips: list[tuple[int, int]],
    about: tuple[int, Any] | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    raw = bytearray(deck())
    if about is not None:
        raw = bytearray(with_description(*about))
    for at, byte in flips:
        raw[at % len(raw)] = byte
    path = tmp_path_factory.mktemp("deck") / "stranger.deck"
    path.write_bytes(raw)
    try:
        found = Deck.load(path)
    except DeckError as refused:
        sentence = str(refused)
        assert sentence
    else:
        assert found.cards


def with_description(at: int, by: Any) -> bytes:
    """The deck with one value of its description replaced."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(deck())) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "deck.json":
                value = json.loads(content)
                found = places(value)
                content = json.dumps(replaced(value, found[at % len(found)], by)).encode()
            new.writestr(name, content)
    return made.getvalue()


Reader = Callable[[Path], object]
READERS: Mapping[str, Reader] = {
    "journal": lambda path: lines.read(path, RULES),
    "settings": read_file,
    "lesson": lesson_in,
    "deck": Deck.load,
    "picture": picture_in,
    "store": lambda path: Store(path, RULES).games(),
    "backup": lambda path: back_up(path.parent, "table", path.parent, "2026-11-22T20:00:00", RULES),
}
"""Whatever is given a file by strangers."""


def socket_at(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def sparse_at(path: Path) -> None:
    path.touch()
    os.truncate(path, 3 << 30)


LYING: Mapping[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (os.mkfifo, "it is a pipe, not a file"),
    "folder": (Path.mkdir, "folder"),
    "socket": (socket_at, "it is a socket, not a file"),
    "zeros": (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a file"),
    "terminal": (lambda path: path.symlink_to("/dev/tty"), "it is a device, not a file"),
    "sparse": (sparse_at, ""),
    "below_a_file": (lambda path: path.parent.rmdir() or path.parent.touch(), ""),
}
"""What lies where a file is looked for, and what is said of it."""


def refused(read: Reader, path: Path) -> str:
    """The one sentence in which a file is refused."""
    with pytest.raises(CompanionError) as refusal, explained(str(path)):
        read(path)
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


@pytest.mark.skipif(os.name == "nt", reason="pipes and devices are no files there")
@pytest.mark.parametrize("what", LYING)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_or_too_large_is_refused_at_once(reader: str, what: str, tmp_path: Path) -> None:
    """A pipe would be waited for and a device read for ever: then this test would not end."""
    path = tmp_path / "s" / "games.sqlite"
    path.parent.mkdir()
    make, said = LYING[what]
    make(path)
    sentence = refused(READERS[reader], path)
    assert said in sentence


@pytest.mark.parametrize("reader", ["journal", "settings", "lesson", "picture"])
def test_a_file_is_held_to_the_size_of_its_kind(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.touch()
    os.truncate(path, Most[reader.upper()] + 1)
    assert "larger than" in refused(READERS[reader], path)


READS = re.compile(
    r"\.read_(text|bytes)\(|\.open\((\"rb?\"|encoding)"
    r"|(?<!def )(?<![\w.])open\(|sqlite3\.connect\(|ZipFile\(path"
)
"""Where a file is opened to be read."""
DOORS = {"core/strangers.py"}
OF_OURS = {
    *("build_hook.py", "cli/__init__.py", "recap/page.py", "ui/clips.py", "ui/tokens.py"),
    *("printing/deck.py", "printing/tokens.py", "teach/check_file.py", "teach/sections.py"),
    *(
        "page/files.py",
        "desk/passing_on.py",
        "desk/site.py",
        "camera/enrol_files.py",
        "testing/walks.py",
        "testing/playthroughs.py",
        "vision/textures.py",
    ),
}
"""They read what comes with the program."""
OF_THE_SYSTEM = {"appliance/machine.py", "ui/mixer.py"}
OF_ITS_OWN = {"page/keys.py", "uplink/outbox.py", "diagnostics/club_check.py"}
"""They read back what they alone write, into a folder nobody else may write to."""
CHECKED = {
    *("referee/journal/reading.py", "referee/journal/sqlite.py", "referee/backup.py"),
    *("cli/report.py", "diagnostics/misread.py", "run/logbook.py"),
}
"""They ask the door first, or open what was made just before: SQLite opens its files itself."""


def test_every_reader_of_files_goes_through_one_door() -> None:
    folder = HERE.parent / "companion"
    readers = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if READS.search(path.read_text(encoding="utf-8"))
    }
    assert readers == DOORS | OF_OURS | OF_THE_SYSTEM | OF_ITS_OWN | CHECKED


SECTIONED = st.sampled_from(["[table]", "[sound]", "[rules.kinapa]", "[x]", "[[x]]", "[a.b.c]", "#", ""])
STATEMENTS = st.one_of(
    SECTIONED,
    st.builds("{} = {}".format, KEYS, st.sampled_from(["1", "{x = 1}", "[[], [{}]]", "'#'"])),
    st.builds('{} = """{}"""'.format, KEYS, st.sampled_from(["", "\n", "#\n[", "don't\n", "\\n\n\n"])),
    st.builds("{} = [{}]".format, KEYS, st.sampled_from(["\n", "1,\n2\n", "#]\n", '"]",\n'])),
)


@pytest.mark.slow
@thorough
@given(st.lists(STATEMENTS, max_size=8))
def test_the_line_of_a_key_is_that_after_which_the_file_has_it(statements: list[str]) -> None:
    text = "\n".join(statements)
    try:
        tree = tomllib.loads(text)
    except ValueError:
        return
    found = lines_of(text)
    for key in ((name,) for name in tree):
        assert key in found
        begun = "\n".join(text.split("\n")[: found[key] - 1])
        try:
            assert key[0] not in tomllib.loads(begun)
        except tomllib.TOMLDecodeError:
            pytest.fail(f"{key} begins in the middle of another statement")


@pytest.mark.slow
@thorough
@given(
    lines=st.lists(STATEMENTS, max_size=4),
    times=st.sampled_from([1, 10, 1_000]),
    mistake=st.sampled_from(HOSTILE),
)
def test_settings_of_a_thousand_lines_are_refused_as_fast_as_they_are_read(
    lines: list[str], times: int, mistake: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("settings") / "settings.toml"
    ending = f"\n{'#' * (times > 1)}\n" * times + f"langauge = {json.dumps(mistake)}\n"
    file.write_bytes(("\n".join(lines) + ending).encode("utf-8", "replace"))
    with suppress(CompanionError):
        load(file=file, environ={})


@pytest.mark.slow
@thorough
@given(
    parts=st.lists(
        st.sampled_from(["'", '"', "\n", "a", ".", "[", "]", "=", "1", "#", "{", "}", "\\"]), max_size=60
    )
)
def test_a_strangers_lesson_is_understood_or_refused(
    parts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("lesson") / "lesson.toml"
    file.write_text("".join(parts) * 20, encoding="utf-8")
    assert "\n" not in refused(lesson_in, file)


@pytest.mark.slow
@thorough
@given(length=st.integers(0, 1 << 20))
def test_a_store_that_was_cut_off_says_so_and_gives_what_is_whole(
    length: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("store") / "games.sqlite"
    whole = stored()
    length %= len(whole)
    path.write_bytes(whole[:length])
    with Store(path, RULES) as store:
        if not length:
            assert store.games() == ()
            return
        sentence = refused(lambda _: store.games(), path)
        assert "is cut off" in sentence
        if "whole in it: game 1" in sentence:
            assert len(store.read(1)[1]) == len(played(PLAYED[0])) - 1
        else:
            assert "companion backup" in sentence
            assert refused(lambda _: store.read(1), path) == sentence
            assert refused(lambda _: store.headers(), path) == sentence


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"
RUNNING = {
    "a view in the place of the entries": (
        "DROP TABLE entries",
        f"CREATE VIEW entries AS {ENDLESS} 1 AS game, x AS seq, zeroblob(9) AS body FROM n",
    ),
    "a view in the place of the games": (
        "DROP TABLE games",
        f"CREATE VIEW games AS {ENDLESS} x AS id, '' kind, '' header, 0 entries, '' outcome FROM n",
    ),
    "a trigger": (f"CREATE TRIGGER t AFTER INSERT ON games BEGIN {ENDLESS} max(x) FROM n; END",),
    "a computed column": ("ALTER TABLE games ADD COLUMN more BLOB AS (zeroblob(400000000))",),
    "an index that computes": ("CREATE INDEX i ON games (length(zeroblob(400000000)))",),
}
"""Statements that make a store whose database runs something when it is looked at."""


@pytest.mark.parametrize("statements", RUNNING.values(), ids=RUNNING)
def test_a_store_whose_database_is_a_program_is_refused(statements: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    path.write_bytes(stored())
    with closing(sqlite3.connect(path)) as stranger:
        for statement in statements:
            stranger.execute(statement)
        stranger.commit()
    with Store(path, RULES) as store:
        assert "games.sqlite isn't a store" in refused(lambda _: store.games(), path)
    with pytest.raises(JournalError, match="database of another program"):
        connect(path)


def test_what_another_database_left_beside_a_store_is_blamed_not_the_store(tmp_path: Path) -> None:
    path, other = tmp_path / "games.sqlite", tmp_path / "other.sqlite"
    path.write_bytes(stored())
    with closing(sqlite3.connect(other)) as stranger:
        stranger.execute("PRAGMA journal_mode = WAL")
        stranger.execute("CREATE TABLE t (x)")
        stranger.commit()
        (tmp_path / "games.sqlite-wal").write_bytes((tmp_path / "other.sqlite-wal").read_bytes())
    with Store(path, RULES) as store:
        sentence = refused(lambda _: store.games(), path)
    assert "games.sqlite-wal does not belong to the store beside it" in sentence
    assert "not the store" in sentence


def test_no_value_of_a_store_is_larger_than_a_journal_may_be(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    path.write_bytes(stored())
    with closing(sqlite3.connect(path)) as stranger:
        stranger.execute("UPDATE entries SET body = zeroblob(?) WHERE seq = 1", (Most.JOURNAL + 1,))
        stranger.commit()
    with Store(path, RULES) as store:
        assert "too big" in refused(lambda _: store.read(1), path)


def header(**more: Any) -> dict[str, Any]:
    return {"format": 1, "game": "kinapa", "setup": {"chairs": [0, 1, 2, 3]}, "rules": 1, **more}


def journal(entries: Iterable[dict[str, Any]], **more: Any) -> bytes:
    rows = (header(**more), *({"seq": seq, **entry} for seq, entry in enumerate(entries)))
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def pressed(at: int, **more: Any) -> dict[str, Any]:
    return {"cause": {"kind": "ButtonPressed", "at": at, "chair": 0}, **more}


@cache
def rulings() -> Mapping[str, tuple[tuple[dict[str, Any], ...], ...]]:
    """The events of recorded games, by game: what was ruled at once, in order."""
    found: dict[str, list[tuple[dict[str, Any], ...]]] = {}
    for path in PLAYED:
        for row in played(path)[1:]:
            found.setdefault(path.parent.name, []).append(tuple(json.loads(row).get("events", ())))
    return {game: tuple(filter(None, events)) for game, events in found.items()}


@pytest.mark.slow
@thorough
@given(st.data())
def test_a_ruling_for_ever_again_is_refused_before_it_heaps_up(data: st.DataObject) -> None:
    game = data.draw(st.sampled_from(sorted(rulings())))
    first = data.draw(st.integers(0, 5))
    again = data.draw(st.sampled_from(rulings()[game]))
    begun = [pressed(at, events=events) for at, events in enumerate(rulings()[game][:first])]
    chairs = {"setup": {"chairs": [0, 1, 2, 3]}, "game": game}
    take_in(journal([*begun, *(pressed(99 + at, events=again) for at in range(8))], **chairs))


@pytest.mark.slow
@thorough
@given(seat=st.sampled_from([-1, 4, 7, 99, 2**40]), chair=st.sampled_from([0, 3, 8, 99, -2]), data=st.data())
def test_a_seat_or_card_that_does_not_exist_is_refused_before_it_is_stored(
    seat: int, chair: int, data: st.DataObject
) -> None:
    game = data.draw(st.sampled_from(sorted(rulings())))
    events = [
        replaced(event, ("seat",), seat) if "seat" in event else event
        for event in data.draw(st.sampled_from(rulings()[game]))
    ]
    entry = pressed(1, events=events)
    entry["cause"]["chair"] = chair
    raw = journal([entry], game=game)
    take_in(raw)
    with suppress(CompanionError), explained("stranger.jsonl"):
        header, entries = lines.parse(raw, RULES)
        rules = RULES[header.game]
        referee = accepted(rules, header, entries)
        rules.view(referee.state)  # what was accepted is shown without fail


def test_an_emperor_at_a_seat_that_does_not_exist_is_named_by_its_line() -> None:
    raw = journal([pressed(1), pressed(2, events=[{"kind": "EmperorCrowned", "seat": 99}])])
    with pytest.raises(JournalError) as refused:
        accepted(RULES["kinapa"], *lines.parse(raw, RULES))
    assert str(refused.value) == "line 3: no table could come to this (it names what is not there)"


NAMED = "seat", "seats", "raised", "placer", "number", "card", "mask", "stack", "cards", "area", "known"
"""Fields that name a seat, a card or a place."""
COUNTS = {("MaskPlaced", "number"), ("StopAssigned", "number"), ("TurnBegan", "number")}


@pytest.mark.parametrize("game", ["dnup", "kabuki", "kinapa", "kobayakawa"])
def test_a_ruling_that_names_what_its_game_has_not_is_refused_before_it_is_stored(game: str) -> None:
    rows = played(HERE / "playthroughs" / game / "players-4.jsonl")
    tried = set(COUNTS)
    for at, row in enumerate(rows[1:], start=1):
        entry = json.loads(row)
        for place, event in enumerate(entry.get("events", ())):
            for field in {*NAMED}.intersection(event):
                value, path = event[field], tuple[Any, ...](("events", place, field))
                if (event["kind"], field) in tried or value == []:
                    continue
                tried.add((event["kind"], field))
                if isinstance(value, list):
                    value, path = value[0], (*path, 0)
                wrong = "animal:99" if isinstance(value, str) else 99
                other = json.dumps(replaced(entry, path, wrong)).encode() + b"\n"
                header, entries = lines.parse(b"".join([*rows[:at], other]), RULES)
                with pytest.raises(JournalError, match=rf"line {at + 1}\b"):
                    accepted(RULES[game], header, entries)
    assert len(tried) > len(COUNTS) + 4


def test_a_file_of_empty_lines_is_too_long_before_it_is_split() -> None:
    raw = journal([]) + b"\n" * 2_000_000
    tracemalloc.start()
    try:
        with pytest.raises(JournalError, match="more than 200000 entries"):
            lines.parse(raw, RULES)
        assert tracemalloc.get_traced_memory()[1] < len(raw)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "names", [[[0, "N" * 25]], [[0, "N" * 900_000]], [[chair, "N"] for chair in range(9)]]
)
def test_names_in_a_header_are_held_to_what_the_settings_allow(names: list[Any]) -> None:
    with pytest.raises(JournalError):
        lines.parse(journal([], names=names), RULES)
    assert lines.parse(journal([], names=[[0, "N" * 24]]), RULES)[0].names == ((0, "N" * 24),)


class Counting:
    """The rules of a game, which count how often a state is evolved."""

    def __init__(self) -> None:
        self.rules = type("Counted", (type(RULES["kinapa"]),), {"evolve": self.evolve})()
        self.evolved = 0

    def evolve(self, state: Any, event: Any) -> Any:
        self.evolved += 1
        return RULES["kinapa"].evolve(state, event)


def evolved(count: int, entry: dict[str, Any]) -> int:
    """How many events are folded to replay a journal of so many such entries."""
    counting = Counting()
    header, entries = lines.parse(journal([entry] * count), RULES)
    assert sum(1 for _ in steps(counting.rules, header, entries)) == count
    return counting.evolved


def test_a_replay_that_differs_everywhere_costs_as_much_for_every_entry() -> None:
    entry = pressed(1, events=[{"kind": "GameRestarted"}])
    assert evolved(200, entry) == 2 * evolved(100, entry)


def test_taking_back_nothing_does_not_go_back_over_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    rules = type(RULES["kinapa"])
    chose = rules.chose

    def counted(self: Any, state: Any, seen: Any, events: Any) -> Any:
        asked.append(1)
        return chose(self, state, seen, events)

    monkeypatch.setattr(rules, "chose", counted)
    taken = {"cause": {"kind": "TakenBack", "at": 1}}

    def costs(count: int) -> int:
        asked.clear()
        header, entries = lines.parse(journal([taken] * count), RULES)
        assert all(not step.differs for step in steps(RULES["kinapa"], header, entries))
        return len(asked)

    assert costs(400) < 3 * costs(200)


def test_corrections_that_judge_ever_the_same_again_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "MOST_AGAIN", 1_000)
    corrected = {"cause": {"kind": "Corrected", "at": 9, "seq": 0, "truth": None}, "corrects": 0}
    far: list[dict[str, Any]] = [pressed(at) for at in range(300)]
    for _ in range(5):
        far += [corrected, {"cause": {"kind": "TakenBack", "at": 9}, "retracts": len(far)}]
    with pytest.raises(JournalError, match="more is corrected than at any table"):
        accepted(RULES["kinapa"], *lines.parse(journal(far), RULES))


def test_no_state_grows_without_end() -> None:
    raised = pressed(1, events=[{"kind": "HandRaised", "seat": 1}] * 100)
    with pytest.raises(JournalError, match="more lies here than on any table"):
        accepted(RULES["kinapa"], *lines.parse(journal([raised] * 160), RULES))
    many = pressed(1, events=[{"kind": "HandRaised", "seat": 1}] * 101)
    with pytest.raises(JournalError, match="more than 100 events"):
        lines.parse(journal([many]), RULES)


def test_what_is_read_from_strangers_is_never_unpickled() -> None:
    sources = [*(HERE.parent / "companion").rglob("*.py"), *(HERE.parent / "hardware").glob("*.py")]
    for path in sources:
        text = path.read_text(encoding="utf-8")
        for word in ("pickle", "allow_pickle=True", "eval(", "exec(", "yaml.load", "marshal", "shelve"):
            assert not re.search(rf"(?<![\w.\"'`]){re.escape(word)}", text), f"{path} uses {word}"
