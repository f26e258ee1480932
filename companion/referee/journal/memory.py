"""A journal in memory, for tests, lessons, simulations and benchmarks."""

from collections.abc import Iterable, Sequence

from companion.core.actions import Outcome
from companion.core.events import Event
from companion.referee.journal.entry import Entry, Header, WriteTicket


class DurableTicket:
    """The ticket of an entry in memory, which counts as durable at once."""

    durable = True


class MemoryJournal:
    """A list of entries."""

    trouble = None
    rewrite_count = 0

    def __init__(self, header: Header, entries: Iterable[Entry[Event]] = ()) -> None:
        self.header = header
        self._entries = list(entries)
        self._ticket = DurableTicket()

    @property
    def entries(self) -> Sequence[Entry[Event]]:
        return self._entries

    def append(self, entry: Entry[Event], outcome: Outcome | None = None) -> WriteTicket:
        assert entry.seq == len(self._entries)
        self._entries.append(entry)
        return self._ticket

    def flush(self) -> None:
        """Does nothing: no entry is waiting."""

    def close(self) -> bool:
        return True
