"""Detection of results and journals that the hub lacks, with requests to send them again."""

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from companion.core.clock import monotonic_ns, wall_time
from companion_club.hub.journals import is_complete
from companion_club.hub.model import GameRecord
from companion_club.hub.presence import Presence, TableState
from companion_club.messages import ResendRequest, Status

MAX_PENDING_JOURNALS = 10
"""Journals of one table that are on their way at a time."""
REPEAT_AFTER_S = 20
"""A table that was asked for all results is not asked again sooner; it says how it is every half minute."""
TableRequest = tuple[str, ResendRequest]
"""Which table is asked for what, by its slug."""


class GapTracker:
    """Compares what tables have told with what is here; does not ask twice for what is on its way."""

    def __init__(self) -> None:
        self._asked: dict[str, int] = {}
        """When each table was asked for all results; what it answers takes a while."""
        self._runs: dict[str, str] = {}
        self._journals: dict[str, int] = {}
        """Games whose journal was asked for, and from which line on."""

    def reset(self) -> None:
        """What was asked may not have been heard: ask again."""
        self._asked.clear()
        self._runs.clear()
        self._journals.clear()

    def requests_after_status(
        self, session: Session, presence: Presence, table: TableState, status: Status
    ) -> Iterator[TableRequest]:
        """What to ask of a table that says how it is."""
        if not (status.online and status.store):
            return
        games, entries = presence.totals(session, status.store)
        lacks = games < status.results or entries < status.entries
        now, asked = monotonic_ns(), self._asked.get(table.slug)
        if lacks and (asked is None or now - asked > REPEAT_AFTER_S * 1e9):
            self._asked[table.slug] = now
            yield table.slug, ResendRequest(at=wall_time())
        if self._runs.get(table.slug) != status.run:  # else its journals are on their way by themselves
            self._runs[table.slug] = status.run
            yield from self._missing(session, table, status.store)

    def requests_after_piece(
        self, session: Session, table: TableState, game: GameRecord, first: int
    ) -> Iterator[TableRequest]:
        """What to ask of a table whose piece, from line `first` on, left a gap or completed a journal."""
        if is_complete(game):
            if self._journals.pop(game.id, None) is not None:
                yield from self._missing(session, table, game.store)
        elif first > game.lines and self._journals.get(game.id) != game.lines:
            self._journals[game.id] = game.lines
            yield table.slug, ResendRequest(game_id=game.id, first=game.lines, at=wall_time())

    def request_after_result(self, table: TableState, game: GameRecord) -> TableRequest:
        """What to ask of a table whose journal came before its result, and was not kept."""
        self._journals[game.id] = game.lines
        return table.slug, ResendRequest(game_id=game.id, first=game.lines, at=wall_time())

    def _missing(self, session: Session, table: TableState, store: str) -> Iterator[TableRequest]:
        """Journals of that store that are not whole, the oldest first."""
        asked = (
            select(GameRecord.id, GameRecord.lines)
            .where(GameRecord.store == store, GameRecord.digest != "", GameRecord.lines <= GameRecord.entries)
            .order_by(GameRecord.received, GameRecord.id)
            .limit(MAX_PENDING_JOURNALS)
        )
        for game, lines in session.execute(asked).all():
            if self._journals.get(game) != lines:
                self._journals[game] = lines
                yield table.slug, ResendRequest(game_id=game, first=lines, at=wall_time())
