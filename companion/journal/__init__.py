"""The journal is the game: what was sensed, what was ruled, and nothing else."""

from companion.journal.codec import Codec, schema
from companion.journal.entry import (
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
from companion.journal.line import Node, replay, standing
from companion.journal.memory import MemoryJournal
from companion.journal.sqlite import SqliteJournal

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
