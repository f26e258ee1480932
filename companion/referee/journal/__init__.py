"""Journal of a game: its observations with the rulings on them."""

from companion.referee.journal.codec import JournalCodec, journal_schema
from companion.referee.journal.entry import (
    JOURNAL_FORMAT,
    JOURNAL_KINDS,
    Entry,
    Header,
    Journal,
    JournalError,
    MemoryJournal,
    PlainSetup,
    RejudgedRuling,
    StorageFailure,
    WriteTicket,
    make_header,
)
from companion.referee.journal.sqlite import SqliteJournal
from companion.referee.journal.valid_entries import Node, replay_state, standing_entries

__all__ = [
    "JOURNAL_FORMAT",
    "JOURNAL_KINDS",
    "Entry",
    "Header",
    "Journal",
    "JournalCodec",
    "JournalError",
    "MemoryJournal",
    "Node",
    "PlainSetup",
    "RejudgedRuling",
    "SqliteJournal",
    "StorageFailure",
    "WriteTicket",
    "journal_schema",
    "make_header",
    "replay_state",
    "standing_entries",
]
