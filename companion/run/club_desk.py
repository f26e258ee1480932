"""What the uplink hears of the table's games: read out of the store by the table's own process.

A thread of its own answers one question after another. A journal is told only when nothing of its game is
hidden any more, and without a name; a nickname goes with a result where the table's owner consented.
"""

import logging
import sqlite3
from collections.abc import Iterator
from threading import Thread

from msgspec.structs import replace

from companion.core.actions import Chair
from companion.core.clock import later
from companion.core.errors import CompanionError
from companion.doors import uplink as ms
from companion.doors.results import Player, Result, digest, game_id, piece
from companion.doors.uplink_door import Asked, UplinkDoor
from companion.referee.identity import Identity, identity_of
from companion.referee.journal.lines import written
from companion.referee.store import Store, Summary

log = logging.getLogger(__name__)

LONGEST = 200_000
"""Bytes of the longest line that passes the door in one message; no game has one of a tenth of that."""


class ClubDesk:
    """Answers what the uplink asks of the store."""

    def __init__(self, door: UplinkDoor, store: Store, *, colours: tuple[str, ...], nicknames: bool) -> None:
        """`colours` are those of the chairs; `nicknames`: the owner consents that they leave the table."""
        self._door = door
        self._store = store
        self._colours = colours
        self._nicknames = nicknames
        self._known = Identity("", {})
        self._lines: tuple[tuple[int, int], tuple[str, ...]] = ((0, 0), ())
        """The journal that was read last, by its game's number and length."""
        self._thread = Thread(target=self._serve, name="club desk", daemon=True)

    def start(self) -> None:
        """Answer until the door is closed."""
        self._thread.start()

    def _serve(self) -> None:
        while (asked := self._door.asked.get()) is not None:
            for message in self.answer(asked):
                self._door.tell(message)

    def answer(self, asked: Asked) -> Iterator[ms.Heads | ms.Given | ms.Journal]:
        """What the store says to it; nothing where it cannot be read, so that it is asked again."""
        try:
            if isinstance(asked, ms.Since):
                yield self._heads(asked.after)
            else:
                yield from self._game(asked)
        except (sqlite3.Error, OSError, CompanionError) as trouble:
            log.warning("The uplink was not told of a game: %s", trouble)
            if isinstance(asked, ms.Give):
                yield ms.Given(asked.number, None, "failed")

    def _heads(self, after: int) -> ms.Heads:
        games = self._store.later(after, ms.HEADS + 1)
        if after == 0:  # it may be another file by now
            self._known, self._lines = Identity("", {}), ((0, 0), ())
        keys = self._keys(*(game.game for game in games))
        shown = games[: ms.HEADS]
        heads = tuple(self._head(game, keys) for game in shown if game.game in keys.games)
        return ms.Heads(keys.store, heads, more=len(games) > len(shown))

    def _head(self, game: Summary, keys: Identity) -> ms.Head:
        return ms.Head(
            game.game,
            game_id(keys.store, keys.games[game.game]),
            game.entries,
            game.outcome is not None,
            game.date,
            tuple(sorted(self._names(game))),
        )

    def _names(self, game: Summary) -> dict[Chair, str]:
        """The nicknames that are reported with it."""
        return {chair: name for chair, name in game.names if name} if self._nicknames else {}

    def _game(self, asked: ms.Give) -> Iterator[ms.Given | ms.Journal]:
        game = self._store.game(asked.number)
        if game is None or game.kind != "game":
            yield ms.Given(asked.number, None, "none")
            return
        if game.problem:
            yield ms.Given(asked.number, None, "failed")
            return
        keys = self._keys(game.game)
        lines, last = self._journal(game)
        is_open = game.outcome is not None and game.outcome.is_open
        names = self._names(game)
        result = Result(
            store=keys.store,
            game_id=game_id(keys.store, keys.games[game.game]),
            entries=game.entries,
            outcome=game.outcome,
            game=game.name,
            players=tuple(Player(one, self._colours[one], names.get(one, "")) for one in game.chairs),
            began=game.date,
            ended="" if last is None else later(game.date, last),
            digest=digest(lines) if is_open else "",
        )
        yield ms.Given(game.game, result)
        if is_open and asked.first < len(lines):
            yield ms.Journal(piece(result, lines, asked.first, ms.PIECE))

    def _journal(self, game: Summary) -> tuple[tuple[str, ...], int | None]:
        """Its lines without names, and the game's time of the last entry; what the summary does not say yet
        or no more is left out: it may be hidden again."""
        header, entries = self._store.read(game.game)
        if len(entries) < game.entries:
            raise CompanionError(f"game {game.game} is being written again")
        entries = entries[: game.entries]
        last = entries[-1].cause.at if entries else None
        known, lines = self._lines
        if known != (game.game, game.entries):
            # Somebody who was forgotten makes it no other game.
            told = written(replace(header, names=(), chain_rewritten=()), entries)
            lines = tuple(line.decode().removesuffix("\n") for line in told)
            if max(map(len, lines)) > LONGEST:
                raise CompanionError(f"a line of game {game.game} is longer than {LONGEST} bytes")
            self._lines = (game.game, game.entries), lines
        return lines, last

    def _keys(self, *numbers: int) -> Identity:
        if not self._known.store or not self._known.games.keys() >= set(numbers):
            self._known = identity_of(self._store.path)
        return self._known
