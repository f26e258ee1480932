"""Tables of a club, and somebody who reads all that they say."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from companion_club import messages as club
from companion_club.uplink.club_uplink import ClubUplink
from tests.home import uplinked_tables
from tests.home.uplinked_tables import Listener, Said, Table, Uplinked, online


class ClubSaid(Said):
    def read(self) -> Any:
        return club.decode_payload(self.kind, self.payload)


class ClubListener(Listener):
    SAID = ClubSaid


def uplinked(table: Table) -> AbstractContextManager[Uplinked]:
    return uplinked_tables.uplinked(table, ClubUplink)


def version(result: club.GameResult) -> tuple[str, int, bool]:
    """Which version of which game's result it is; of one game the larger is the newer."""
    return result.game_id, result.entries, result.outcome is not None


def told_all(results: int) -> Callable[[Said], bool]:
    """Whether the table says that so many results were told."""
    return lambda said: online(said) and said.read().results == results


def journal_of(heard: list[Said], game_id: str) -> bytes:
    pieces = [one.read() for one in heard if one.kind == "entries"]
    lines: dict[int, str] = {}
    for piece in pieces:
        if piece.game_id == game_id:
            lines |= dict(enumerate(piece.lines, piece.first))
    return "".join(f"{lines[at]}\n" for at in range(len(lines))).encode()
