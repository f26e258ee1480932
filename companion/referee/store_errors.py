"""Turns every error of a store and its journals into one sentence that names the remedy."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from companion.core.errors import CompanionError, InputError
from companion.referee.journal import JournalError
from companion.referee.store import StoreBusy

FIXES: Mapping[str, str] = {
    "newer": "update this program to read it",
    "foreign": "name a file that companion export wrote",
    "foreign_store": "move that file away: the next game makes a new store",
    "foreign_side": "move that file away, not the store: the games are in that one",
    "cut_off": "save its complete games with companion export GAME FILE, move the file away, and import them",
    "cut_short": "no game in it is complete: move it away, and use your newest backup (companion backup)",
    "truncated": "use the complete file, or delete its last line to import the rest",
    "damaged": "fix that line, or use another copy",
    "unknown_game": "this program doesn't know that game; update it",
    "unknown": "see the list: companion games",
    "too_long": "no game is that long; use another copy",
    "too_old": "open it with the version that wrote it and export it again",
}  # fmt: skip

ON_SCREEN: Mapping[str, str] = {"newer": "newer", "unknown_game": "newer", "unknown": "unknown"}
"""Key of a `JournalError` → what the screen shows, for journals that are not damaged."""


class StoreUnusable(InputError):  # noqa: N818 - what it says, not what it is
    """The games' folder can be neither read nor written."""

    on_screen = "storage"


@contextmanager
def explained(place: str) -> Iterator[None]:
    """Turn what journals and stores raise into one sentence about `place`."""
    try:
        yield
    except JournalError as error:
        fix = FIXES.get(error.key)
        named = "" if place in str(error) else f"{place}: "
        trouble = InputError(f"{named}{error}" + (f"; {fix}." if fix else "."))
        trouble.on_screen = ON_SCREEN.get(error.key, "damaged")
        raise trouble from error
    except StoreBusy as error:
        raise CompanionError(f"{error}; end that program first, or use another table (--table).") from error
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter: SQLite's message about damaged data
        raise StoreUnusable(f"can't read games from {place} ({error}); move that file away.") from error
    except BrokenPipeError:
        raise
    except NotADirectoryError as error:
        where = error.filename or place
        raise StoreUnusable(
            f"{where} is a file, not a folder; move it away, or name another storage.folder."
        ) from error
    except PermissionError as error:
        where = error.filename or place
        raise StoreUnusable(
            f"you may not open {where}; ask its owner, join the owner's group, or use sudo."
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreUnusable(f"can't use {place} ({reason}); check its name and permissions.") from error
