"""Erases a person's name from everything that a table stores."""

import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from shlex import quote

import msgspec

from companion.camera.evidence import delete_pictures, list_pictures
from companion.core.errors import CompanionError
from companion.games import RULES
from companion.language.voice.voice_pack import INDEX_FILE
from companion.referee import name_search
from companion.referee.backup import BACKUP_FOLDER as BACKUPS
from companion.referee.journal import JournalError
from companion.referee.journal.read_only import COPY_PREFIX
from companion.referee.journal.sqlite import is_full, is_locked
from companion.referee.store import GameStore
from companion.settings.files import save_settings, settings_files
from companion.settings.model import Settings
from companion.system import safe_files
from companion.system.file_owner import is_owned_by_us, is_root
from companion.system.safe_files import SizeLimit
from companion.system.terminal import count_with_noun
from companion.table.power_and_usb import find_sticks
from companion.table.recap.save import is_page_of, link_picture_path, list_link_pictures, list_pages

STORE_FILES = ("games.sqlite", "games.sqlite-wal", "games.sqlite-shm", "games.sqlite-journal")


class StoredFiles:
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
        usual = settings_files() if named is None else (named,)
        self.settings = [file for file in dict.fromkeys((*usual, Path(origin))) if _is_file(file)]
        pack = settings.sound.voice_pack
        self.voice = [Path(pack).expanduser() / INDEX_FILE] if pack else []
        """The list of somebody's recordings, which may say who speaks; the recordings hold no text."""

    def headers(self) -> dict[int, bytes]:
        """Those of the games."""
        return GameStore(self.store, RULES).raw_headers()

    def count_people(self) -> dict[str, int]:
        """Everybody whom a game names, and in how many games."""
        names = (name for raw in self.headers().values() for name in name_search.names_in_header(raw))
        return dict(sorted(Counter(names).items()))

    def find_names(self, names: Iterable[str]) -> Iterator[tuple[str, Path]]:
        """Which of these names stand in files beside games and settings; pictures hold no text."""
        shots = {picture.path for picture in list_pictures(self.folder)}
        files = [path for path in (*self.other_files(), *self.voice) if path not in shots]
        for path in (*files, *(each for folder in self.backup_folders() for each in _files_below(folder))):
            with suppress(OSError):
                found = name_search.find_names_in_file(path, names)
                yield from ((name, path) for name in names if name in found)

    def other_files(self) -> list[Path]:
        """Every file of the table's folder but the store."""
        found = [path for path in sorted(self.folder.rglob("*")) if path.is_file()]
        return [path for path in found if path.parent != self.folder or path.name not in STORE_FILES]

    def leftover_files(self, settings: Path) -> list[Path]:
        """What was left beside a settings file: half-written ones, an editor's copies."""
        with suppress(OSError):
            return [path for path in sorted(settings.parent.glob(f"*{settings.name}?*")) if path.is_file()]
        return []

    def backup_folders(self) -> Iterator[Path]:
        """The folders that hold copies of this table: on sticks, and where the installer put them."""
        for stick in (*find_sticks(), *installer_backups()):
            for copy in sorted(stick.glob(f"{BACKUPS}/{self.table} */*/")):
                if copy.parent.name.rpartition(" ")[0] == self.table:
                    yield copy

    def belongs_to_other_user(self) -> bool:
        """Whether the games belong to a user whom we cannot stand in for."""
        return self.store.exists() and not (is_owned_by_us(self.store) or is_root())

    def orphaned_copies(self) -> list[Path]:
        """Copies of stores that somebody was reading when his process was killed."""
        return sorted(Path(tempfile.gettempdir()).glob(f"{COPY_PREFIX}*"))


def installer_backups() -> list[Path]:
    """Where games were copied before another version took its place (systemd/install.sh)."""
    return sorted(Path("/var/backups/companion").glob("*-until-*"))


class NameEraser:
    """One name on its way out."""

    def __init__(self, name: str, place: StoredFiles) -> None:
        self.name = name
        self.place = place
        self.done: list[str] = []
        """What was done, a sentence each."""
        self.left: list[str] = []
        """What still holds the name, each with what to do."""
        self.headers: dict[int, bytes] = {}
        with suppress(JournalError, sqlite3.Error):  # damaged: its bytes are looked through all the same
            self.headers = place.headers()
        headers = self.headers.items()
        self.theirs = [game for game, raw in headers if name_search.header_contains_name(raw, name)]

    def is_known(self) -> bool:
        """Whether the name stands anywhere."""
        return self._is_person() or any(self._files_with_name(self._all_files()))

    def erase(self) -> None:
        """Raises `StoreBusyError` before anything is changed."""
        if self.place.belongs_to_other_user():
            again = f"sudo companion forget {quote(self.name)}"
            self._note_remaining(self.place.folder, f"it belongs to another user: {again}")
        else:
            with GameStore(self.place.store, RULES) as store:
                if self.place.folder.is_dir():
                    store.lock()
                self._delete_pictures()
                self._delete_recaps()
                self._erase_from_games(store)
                self._check_other_files()
        self._erase_from_settings()

    def _is_person(self) -> bool:
        return bool(self.theirs) or any(name_search.is_same_name(self.name, one) for one in self.place.names)

    def _all_files(self) -> Iterator[Path]:
        place = self.place
        yield from (place.folder / name for name in STORE_FILES)
        yield from place.other_files()
        yield from place.voice
        for file in place.settings:
            yield file
            yield from place.leftover_files(file)
        for folder in (*place.backup_folders(), *place.orphaned_copies()):
            yield from _files_below(folder)

    def _files_with_name(self, files: Iterator[Path]) -> Iterator[Path]:
        """Those that hold the name, in themselves or in what they are called; unreadable ones are named."""
        for file in files:
            if name_search.contains_name(file.name.encode(), self.name):
                yield file
                continue
            try:
                if name_search.find_names_in_file(file, (self.name,)):
                    yield file
            except FileNotFoundError:
                continue
            except OSError as error:
                self._note_remaining(file, f"can't read it ({error.strerror}): check it with sudo")

    def _note_remaining(self, what: object, fix: str) -> None:
        sentence = f"{what}: {fix}"
        if sentence not in self.left:
            self.left.append(sentence)

    def _delete(self, path: Path) -> bool:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            self._note_remaining(path, f"can't delete it ({error.strerror}): delete it with sudo")
            return False
        return True

    def _delete_pictures(self) -> None:
        count = 0
        for picture in list_pictures(self.place.folder):
            if picture.game not in self.theirs:
                continue
            try:
                count += delete_pictures([picture])
            except OSError as error:
                self._note_remaining(picture.path, f"can't delete it ({error.strerror}): delete it with sudo")
        for game in self.theirs:
            for half in (self.place.folder / "evidence" / f"game-{game}").glob(".*.part"):
                self._delete(half)
        if count:
            self.done.append(f"Deleted {count_with_noun(count, 'picture')} of rulings in their games.")

    def _delete_recaps(self) -> None:
        if not self._is_person():
            return  # a word, perhaps; the person who asks may know better, and reads where it is
        told = [_game_and_date(self.headers[game]) for game in self.theirs]
        kept = list_pages(self.place.folder)
        named = set(self._files_with_name(iter(kept)))
        gone = [page for page in kept if page in named or any(is_page_of(page, *title) for title in told)]
        beside = set(map(link_picture_path, gone))
        for picture in list_link_pictures(self.place.folder):
            if picture in beside or any(is_page_of(picture, *title) for title in told):
                self._delete(picture)
        count = sum(self._delete(page) for page in gone)
        if count:
            again = "companion recap GAME --html FILE makes them again, without the name."
            self.done.append(f"Deleted {count_with_noun(count, 'game recap')} of their games; {again}")

    def _erase_from_games(self, store: GameStore) -> None:
        path = store.path
        swept = any(self._files_with_name(self.place.folder / name for name in STORE_FILES))
        if not (self.theirs or swept):
            return
        try:
            came = store.forget_name(self.name)
        except JournalError:
            self._note_remaining(path, "it no longer holds games: delete it")
            return
        except sqlite3.OperationalError as error:
            fix = "close the program that keeps it locked" if is_locked(error) else "fix that"
            fix = "make room on its disk" if is_full(error) else fix
            self._note_remaining(path, f"can't write it ({error}): {fix}, then run forget again")
            return
        except sqlite3.Error as error:
            self._note_remaining(path, f"it is damaged ({error}): delete it")
            return
        if came.games:
            self.done.append(f"Removed {self.name} from {count_with_noun(came.games, 'game')} in {path}.")
        else:
            self.done.append(f"Removed what was left of {self.name} in {path}.")
        for game in came.kept:
            self._note_remaining(
                f"game {game} in {path}",
                "saved by a newer version: update this program, then run forget again",
            )
        if not came.whole:
            self._note_remaining(path, "another program is reading the games: end it, then run forget again")

    def _erase_from_settings(self) -> None:
        for file in self._files_with_name(iter(self.place.voice)):
            self._note_remaining(file, "remove the name there; if the voice is theirs, delete the folder")
        for file in self.place.settings:
            for half in self._files_with_name(iter(self.place.leftover_files(file))):
                if half.name.startswith("."):
                    self._delete(half)
                else:
                    self._note_remaining(half, "delete it")
            if not any(self._files_with_name(iter((file,)))):
                continue
            try:
                if _remove_from_settings(file, self.name):
                    self.done.append(f"Removed {self.name} from table.names in {file}.")
            except (CompanionError, OSError, ValueError) as error:
                self._note_remaining(file, f"remove the name there ({error})")
                continue
            for line in _lines_with_name(file, self.name):
                self._note_remaining(f"{file}, line {line}", "remove the name there")
        if self.place.elsewhere and self.name in self.place.names:
            self._note_remaining(
                f"table.names, which the {self.place.elsewhere} sets", "remove the name there"
            )

    def _check_other_files(self) -> None:
        place = self.place
        for folder in place.orphaned_copies():
            if any(self._files_with_name(_files_below(folder))):
                shutil.rmtree(folder, ignore_errors=True)
            if any(self._files_with_name(_files_below(folder))):
                self._note_remaining(folder, "delete it with sudo")
        for file in self._files_with_name(iter(place.other_files())):
            self._note_remaining(file, "check it: remove the name, or delete the file")
        for folder in place.backup_folders():
            if any(self._files_with_name(_files_below(folder))):
                self._note_remaining(folder, "an older backup: delete it, and back up again")


def _remove_from_settings(file: Path, name: str) -> bool:
    """Take the name out of a settings file; the others keep their chairs."""
    names = (
        safe_files.parse_toml(safe_files.read_text(file, SizeLimit.SETTINGS))
        .get("table", {})
        .get("names", [])
    )
    if not any(name_search.is_same_name(one, name) for one in names):
        return False
    kept = ["" if name_search.is_same_name(one, name) else one for one in names]
    while kept and not kept[-1]:
        kept.pop()
    save_settings(file, {"table.names": kept or None})
    return True


def _lines_with_name(file: Path, name: str) -> list[int]:
    return [
        at
        for at, line in enumerate(safe_files.read_bytes(file, SizeLimit.PICTURE).splitlines(), 1)
        if name_search.contains_name(line, name)
    ]


def _game_and_date(header: bytes) -> tuple[str, str]:
    """The game and the date of a header, of whatever format."""
    try:
        plain = msgspec.json.decode(header)
        return str(plain.get("game", "")), str(plain.get("date", ""))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, AttributeError):
        return "", ""


def _files_below(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
