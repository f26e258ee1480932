"""The games that the settings keep: their store, what is in it, and journals in files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion.core.events import Event
from companion.core.rules import Rules
from companion.games import RULES
from companion.referee.journal import Entry, Header
from companion.referee.journal.lines import read
from companion.referee.store import Store
from companion.referee.store_errors import explained
from companion.settings.model import Settings
from companion.settings.terminal import say

MACHINE = Path("/etc/companion")
"""Where the installer writes the settings that hold for everybody."""


def tell_store(settings: Settings) -> None:
    """Say which games these are, where they are not this user's own: those of the service."""
    origin = settings.origins.get("storage.folder", "")
    if origin.startswith(str(MACHINE)):
        say(f"companion: the games of this machine's table, {settings.store_folder()}", error=True)


@contextmanager
def store_of(settings: Settings) -> Iterator[Store]:
    """This table's store."""
    tell_store(settings)
    path = settings.store_file()
    with explained(str(path)), Store(path, RULES) as store:
        yield store


def journal_file(path: Path, *, salvage: bool = False) -> tuple[Header, list[Entry[Event]]]:
    """The journal in a file; `salvage`: if it is damaged, what stands before that."""
    with explained(str(path)):
        return read(path, RULES, salvage=salvage)


def rules_of(header: Header) -> Rules[Any]:
    """The rules a journal was played by."""
    return RULES[header.game]
