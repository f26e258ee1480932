"""Translation of store and journal errors into one sentence that names the remedy."""

import errno
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from companion.core.actions import SECOND
from companion.core.errors import CompanionError, InputError
from companion.referee.journal import JournalError
from companion.referee.journal.sqlite import is_full, is_locked
from companion.referee.store import StoreBusyError
from companion.system.file_owner import find_foreign_file
from companion.system.safe_files import UnreadableFileError
from companion.system.terminal import count_with_noun

REMEDIES: Mapping[str, str] = {
    "newer": "update this program to read it",
    "foreign": "name a file that companion export wrote",
    "foreign_store": "move that file away: the next game makes a new store",
    "foreign_side": "move that file away, not the store: the games are in that one",
    "cut_off": "save its complete games with companion export GAME FILE, move the file away, and import them",
    "cut_short": "no game in it is complete: move it away, and use your newest backup (companion backup)",
    "truncated": "use the complete file",
    "damaged": "fix that line, or use another copy",
    "altered": "use another copy, such as your newest backup (companion backup)",
    "linked": "copy it, and put the copy in its place (cp FILE COPY, then mv COPY FILE)",
    "unknown_game": "this program doesn't know that game; update it",
    "unknown": "see the list: companion games",
    "too_long": "no game is that long; use another copy",
    "too_old": "open it with the version that wrote it and export it again",
}  # fmt: skip

SALVAGEABLE = frozenset({"truncated", "damaged", "altered"})
"""Keys of errors that leave the entries before them as they were."""
SCREEN_KEYS: Mapping[str, str] = {
    "newer": "newer",
    "unknown_game": "newer",
    "unknown": "unknown",
    "linked": "storage",
}
"""Key of a `JournalError` → what the screen shows, for journals that are not damaged."""

NO_ROOM: Mapping[int | None, str] = {
    errno.ENOSPC: "make room on its disk",
    errno.EDQUOT: "make room, for your part of its disk is full",
    errno.EFBIG: "use another disk, or lift your shell's limit (ulimit -f unlimited)",
}
"""Number of an `OSError` → its remedy, which has nothing to do with names and permissions."""
LOCKED = "another program keeps {place} locked; close it, then try again."


class StoreUnusableError(InputError):
    """The games' folder can be neither read nor written."""

    on_screen = "storage"


@contextmanager
def explain_store_errors(place: str) -> Iterator[None]:
    """Turn what journals and stores raise into one sentence about `place`."""
    try:
        yield
    except JournalError as error:
        fix = _salvage_advice(error, place) or REMEDIES.get(error.key)
        named = "" if place in str(error) else f"{place}: "
        trouble = InputError(f"{named}{error}" + (f"; {fix}." if fix else "."))
        trouble.on_screen = SCREEN_KEYS.get(error.key, "damaged")
        if error.game is not None and error.entry and error.key in SALVAGEABLE:
            trouble.on_screen = "salvage"
            trouble.screen_parts = (("entry", error.entry), ("time", _playing_time(error)))
        raise trouble from error
    except StoreBusyError as error:
        raise CompanionError(f"{error}; end that program first, or use another table (--table).") from error
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter: SQLite's message about damaged data
        if is_locked(error):
            raise StoreUnusableError(LOCKED.format(place=place)) from error
        if is_full(error):
            no_room = NO_ROOM[errno.ENOSPC]
            raise StoreUnusableError(f"{place} can't be written ({error}); {no_room}.") from error
        _raise_foreign(place, error)
        raise StoreUnusableError(
            f"can't read games from {place} ({error}); save what is left of each with"
            " companion export GAME FILE --salvage, then move that file away."
        ) from error
    except BrokenPipeError:
        raise
    except IsADirectoryError as error:
        where = error.filename or place
        raise StoreUnusableError(f"{where} is a folder, not a file; move it away.") from error
    except NotADirectoryError as error:
        where = error.filename or place
        raise StoreUnusableError(
            f"{where} is a file, not a folder; move it away, or name another storage.folder."
        ) from error
    except PermissionError as error:
        where = error.filename or place
        _raise_foreign(place, error)
        raise StoreUnusableError(
            f"you may not open {where}; ask its owner, join the owner's group, or use sudo."
        ) from error
    except UnreadableFileError as error:
        where = error.filename or place
        raise StoreUnusableError(f"can't use {where} ({error.strerror}); move it away.") from error
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in NO_ROOM:
            where = error.filename or place
            raise StoreUnusableError(
                f"{where} can't be written ({reason}); {NO_ROOM[error.errno]}."
            ) from error
        raise StoreUnusableError(f"can't use {place} ({reason}); check its name and permissions.") from error


def _raise_foreign(place: str, error: Exception) -> None:
    """Raise what says whose a store is, where it is another user's: then its games are all right."""
    if (foreign := find_foreign_file(Path(place).absolute().parent)) is not None:
        raise StoreUnusableError(f"{foreign}; {foreign.command}.") from error


def _salvage_advice(error: JournalError, place: str) -> str | None:
    """How to save what stands before a damaged entry; None where nothing does."""
    if error.entry is None and error.saved:
        sound = f"its {count_with_noun(error.saved, 'entry', 'entries')}"
        export = f"companion export {error.game} FILE --salvage"
        return f"save {sound} with {export}, and load them with companion import FILE"
    if not error.entry or error.key not in SALVAGEABLE:
        return None
    sound = f"the {count_with_noun(error.entry, 'entry', 'entries')} before it (up to {_playing_time(error)})"
    if error.game is None:
        return f"load {sound} with companion import {quote(place)} --salvage"
    export = f"companion export {error.game} FILE --salvage"
    return f"save {sound} with {export}, and load them with companion import FILE"


def _playing_time(error: JournalError) -> str:
    """Until when a damaged game is sound, in minutes and seconds of play."""
    minutes, seconds = divmod(error.at // SECOND, 60)
    return f"{minutes}:{seconds:02}"
