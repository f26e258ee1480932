"""Access to the settings' game store and to journal files, for the verbs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion.core.events import Event
from companion.core.rules import Rules
from companion.games import RULES
from companion.referee.journal import Entry, Header
from companion.referee.journal.json_lines import read_journal_file
from companion.referee.store import GameStore
from companion.referee.store_errors import explain_store_errors
from companion.settings.model import Settings
from companion.system.terminal import print_lines

MACHINE_FOLDER = Path("/etc/companion")
"""Where the installer writes the settings that hold for everybody."""


def print_store_owner(settings: Settings) -> None:
    """Say which games these are, where they are not this user's own: those of the service."""
    origin = settings.origins.get("storage.folder", "")
    if origin.startswith(str(MACHINE_FOLDER)):
        print_lines(f"companion: the games of this machine's table, {settings.store_folder()}", error=True)


@contextmanager
def open_store(settings: Settings) -> Iterator[GameStore]:
    """This table's store."""
    print_store_owner(settings)
    path = settings.store_file()
    with explain_store_errors(str(path)), GameStore(path, RULES) as store:
        yield store


def load_journal_file(path: Path, *, salvage: bool = False) -> tuple[Header, list[Entry[Event]]]:
    """The journal in a file; `salvage`: if it is damaged, what stands before that."""
    with explain_store_errors(str(path)):
        return read_journal_file(path, RULES, salvage=salvage)


def rules_of_journal(header: Header) -> Rules[Any]:
    """The rules a journal was played by."""
    return RULES[header.game]
