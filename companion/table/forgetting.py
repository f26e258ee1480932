"""A name taken out of everything a table keeps, and what could not be done, with what to do about it."""

import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from shlex import quote

import msgspec

from companion.appliance.power_and_usb import sticks
from companion.camera.evidence import pictures, thrown_away
from companion.core import strangers
from companion.core.errors import CompanionError
from companion.core.plain import counted
from companion.core.strangers import Most
from companion.games import RULES
from companion.recap.saved_pages import pages, picture_of, shared_pictures, shows
from companion.referee.backup import FOLDER as BACKUPS
from companion.referee.journal import JournalError
from companion.referee.journal.people import is_named, people_in
from companion.referee.journal.reading import COPIES
from companion.referee.owners import is_ours, is_root
from companion.referee.store import Store
from companion.referee.traces import named_in, same, stands_in
from companion.settings.files import files, save
from companion.settings.model import Settings
from companion.ui.voice_pack import LIST

STORE = ("games.sqlite", "games.sqlite-wal", "games.sqlite-shm", "games.sqlite-journal")


class Place:
    """Everywhere a table keeps something: its folder, its settings, what lies elsewhere because of it."""

    def __init__(self, settings: Settings, named: Path | None) -> None:
        """`named` is the settings file of the command line, instead of the usual ones."""
        self.folder = settings.store_folder()
        self.store = settings.store_file()
        self.table = settings.table.name
        origin = settings.origins.get("table.names", "")
        self.origin = origin or "default"
        self.elsewhere = "" if not origin or Path(origin).is_file() else origin
        """Where the names of the chairs come from, if from no file."""
        self.names = settings.table.names
        usual = files() if named is None else (named,)
        self.settings = [file for file in dict.fromkeys((*usual, Path(origin))) if _is_file(file)]
        pack = settings.sound.voice_pack
        self.voice = [Path(pack).expanduser() / LIST] if pack else []
        """The list of somebody's recordings, which may say who speaks; the recordings hold no text."""

    def headers(self) -> dict[int, bytes]:
        """Those of the games."""
        return Store(self.store, RULES).headers()

    def people(self) -> dict[str, int]:
        """Everybody whom a game names, and in how many games."""
        counted = Counter(name for raw in self.headers().values() for name in people_in(raw))
        return dict(sorted(counted.items()))

    def found(self, names: Iterable[str]) -> Iterator[tuple[str, Path]]:
        """Which of these names stand in files beside games and settings; pictures hold no text."""
        shots = {picture.path for picture in pictures(self.folder)}
        files = [path for path in (*self.others(), *self.voice) if path not in shots]
        for path in (*files, *(each for folder in self.copies() for each in _files(folder))):
            with suppress(OSError):
                found = named_in(path, names)
                yield from ((name, path) for name in names if name in found)

    def others(self) -> list[Path]:
        """Every file of the table's folder but the store."""
        found = [path for path in sorted(self.folder.rglob("*")) if path.is_file()]
        return [path for path in found if path.parent != self.folder or path.name not in STORE]

    def beside(self, settings: Path) -> list[Path]:
        """What was left beside a settings file: half-written ones, an editor's copies."""
        with suppress(OSError):
            return [path for path in sorted(settings.parent.glob(f"*{settings.name}?*")) if path.is_file()]
        return []

    def copies(self) -> Iterator[Path]:
        """The folders that hold copies of this table: on sticks, and where the installer put them."""
        for stick in (*sticks(), *installers()):
            for copy in sorted(stick.glob(f"{BACKUPS}/{self.table} */*/")):
                if copy.parent.name.rpartition(" ")[0] == self.table:
                    yield copy

    def is_anothers(self) -> bool:
        """Whether the games belong to a user whom we cannot stand in for."""
        return self.store.exists() and not (is_ours(self.store) or is_root())

    def readers(self) -> list[Path]:
        """Copies of stores that somebody was reading when his process was killed."""
        return sorted(Path(tempfile.gettempdir()).glob(f"{COPIES}*"))


def installers() -> list[Path]:
    """Where games were copied before another version took its place (systemd/install.sh)."""
    return sorted(Path("/var/backups/companion").glob("*-until-*"))


class Forgetting:
    """One name on its way out."""

    def __init__(self, name: str, place: Place) -> None:
        self.name = name
        self.place = place
        self.done: list[str] = []
        """What was done, a sentence each."""
        self.left: list[str] = []
        """What still holds the name, each with what to do."""
        self.headers: dict[int, bytes] = {}
        with suppress(JournalError, sqlite3.Error):  # damaged: its bytes are looked through all the same
            self.headers = place.headers()
        self.theirs = [game for game, raw in self.headers.items() if is_named(raw, name)]

    def is_known(self) -> bool:
        """Whether the name stands anywhere."""
        return self._is_person() or any(self._found(self._everywhere()))

    def forget(self) -> None:
        """Raises `StoreBusy` before anything is changed."""
        if self.place.is_anothers():
            again = f"sudo companion forget {quote(self.name)}"
            self._keeps(self.place.folder, f"it belongs to another user: {again}")
        else:
            with Store(self.place.store, RULES) as store:
                if self.place.folder.is_dir():
                    store.lock()
                self._pictures()
                self._pages()
                self._games(store)
                self._rest()
        self._settings()

    def _is_person(self) -> bool:
        return bool(self.theirs) or any(same(self.name, one) for one in self.place.names)

    def _everywhere(self) -> Iterator[Path]:
        place = self.place
        yield from (place.folder / name for name in STORE)
        yield from place.others()
        yield from place.voice
        for file in place.settings:
            yield file
            yield from place.beside(file)
        for folder in (*place.copies(), *place.readers()):
            yield from _files(folder)

    def _found(self, files: Iterator[Path]) -> Iterator[Path]:
        """Those that hold the name, in themselves or in what they are called; unreadable ones are named."""
        for file in files:
            if stands_in(file.name.encode(), self.name):
                yield file
                continue
            try:
                if named_in(file, (self.name,)):
                    yield file
            except FileNotFoundError:
                continue
            except OSError as error:
                self._keeps(file, f"can't read it ({error.strerror}): check it with sudo")

    def _keeps(self, what: object, fix: str) -> None:
        sentence = f"{what}: {fix}"
        if sentence not in self.left:
            self.left.append(sentence)

    def _deleted(self, path: Path) -> bool:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            self._keeps(path, f"can't delete it ({error.strerror}): delete it with sudo")
            return False
        return True

    def _pictures(self) -> None:
        count = 0
        for picture in pictures(self.place.folder):
            if picture.game not in self.theirs:
                continue
            try:
                count += thrown_away([picture])
            except OSError as error:
                self._keeps(picture.path, f"can't delete it ({error.strerror}): delete it with sudo")
        for game in self.theirs:
            for half in (self.place.folder / "evidence" / f"game-{game}").glob(".*.part"):
                self._deleted(half)
        if count:
            self.done.append(f"Deleted {counted(count, 'picture')} of rulings in their games.")

    def _pages(self) -> None:
        if not self._is_person():
            return  # a word, perhaps; the person who asks may know better, and reads where it is
        told = [_title(self.headers[game]) for game in self.theirs]
        kept = pages(self.place.folder)
        named = set(self._found(iter(kept)))
        gone = [page for page in kept if page in named or any(shows(page, *title) for title in told)]
        beside = set(map(picture_of, gone))
        for picture in shared_pictures(self.place.folder):
            if picture in beside or any(shows(picture, *title) for title in told):
                self._deleted(picture)
        count = sum(self._deleted(page) for page in gone)
        if count:
            again = "companion recap GAME --html FILE makes them again, without the name."
            self.done.append(f"Deleted {counted(count, 'game recap')} of their games; {again}")

    def _games(self, store: Store) -> None:
        path = store.path
        swept = any(self._found(self.place.folder / name for name in STORE))
        if not (self.theirs or swept):
            return
        try:
            came = store.forget(self.name)
        except JournalError:
            self._keeps(path, "it no longer holds games: delete it")
            return
        except sqlite3.OperationalError as error:
            self._keeps(path, f"can't write it ({error}): fix that, then run forget again")
            return
        except sqlite3.Error as error:
            self._keeps(path, f"it is damaged ({error}): delete it")
            return
        if came.games:
            self.done.append(f"Removed {self.name} from {counted(came.games, 'game')} in {path}.")
        else:
            self.done.append(f"Removed what was left of {self.name} in {path}.")
        for game in came.kept:
            self._keeps(
                f"game {game} in {path}",
                "saved by a newer version: update this program, then run forget again",
            )
        if not came.whole:
            self._keeps(path, "another program is reading the games: end it, then run forget again")

    def _settings(self) -> None:
        for file in self._found(iter(self.place.voice)):
            self._keeps(file, "remove the name there; if the voice is theirs, delete the folder")
        for file in self.place.settings:
            for half in self._found(iter(self.place.beside(file))):
                if half.name.startswith("."):
                    self._deleted(half)
                else:
                    self._keeps(half, "delete it")
            if not any(self._found(iter((file,)))):
                continue
            try:
                if _unseat(file, self.name):
                    self.done.append(f"Removed {self.name} from table.names in {file}.")
            except (CompanionError, OSError, ValueError) as error:
                self._keeps(file, f"remove the name there ({error})")
                continue
            for line in _lines(file, self.name):
                self._keeps(f"{file}, line {line}", "remove the name there")
        if self.place.elsewhere and self.name in self.place.names:
            self._keeps(f"table.names, which the {self.place.elsewhere} sets", "remove the name there")

    def _rest(self) -> None:
        place = self.place
        for folder in place.readers():
            if any(self._found(_files(folder))):
                shutil.rmtree(folder, ignore_errors=True)
            if any(self._found(_files(folder))):
                self._keeps(folder, "delete it with sudo")
        for file in self._found(iter(place.others())):
            self._keeps(file, "check it: remove the name, or delete the file")
        for folder in place.copies():
            if any(self._found(_files(folder))):
                self._keeps(folder, "an older backup: delete it, and back up again")


def _unseat(file: Path, name: str) -> bool:
    """Take the name out of a settings file; the others keep their chairs."""
    names = strangers.toml(strangers.text(file, Most.SETTINGS)).get("table", {}).get("names", [])
    if not any(same(one, name) for one in names):
        return False
    kept = ["" if same(one, name) else one for one in names]
    while kept and not kept[-1]:
        kept.pop()
    save(file, {"table.names": kept or None})
    return True


def _lines(file: Path, name: str) -> list[int]:
    return [
        at
        for at, line in enumerate(strangers.read(file, Most.PICTURE).splitlines(), 1)
        if stands_in(line, name)
    ]


def _title(header: bytes) -> tuple[str, str]:
    """The game and the date of a header, of whatever format."""
    try:
        plain = msgspec.json.decode(header)
        return str(plain.get("game", "")), str(plain.get("date", ""))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, AttributeError):
        return "", ""


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
