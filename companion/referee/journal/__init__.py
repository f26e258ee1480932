"""The journal of a game: its observations and the rulings on them, from which everything else follows."""

from companion.referee.journal.codec import Codec, schema
from companion.referee.journal.entry import (
    FORMAT,
    KINDS,
    Entry,
    Header,
    Journal,
    JournalError,
    PlainSetup,
    Rejudged,
    Ticket,
    Trouble,
    header_of,
)
from companion.referee.journal.line import Node, replay, standing
from companion.referee.journal.memory import MemoryJournal
from companion.referee.journal.sqlite import SqliteJournal

__all__ = [
    "FORMAT",
    "KINDS",
    "Codec",
    "Entry",
    "Header",
    "Journal",
    "JournalError",
    "MemoryJournal",
    "Node",
    "PlainSetup",
    "Rejudged",
    "SqliteJournal",
    "Ticket",
    "Trouble",
    "header_of",
    "replay",
    "schema",
    "standing",
]
