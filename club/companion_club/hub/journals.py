"""Storage of finished journals in the pieces in which tables send them."""

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from companion_club.hub.model import GameRecord, JournalPiece
from companion_club.messages import JournalSlice

MAX_LINES = 200_001
"""As a journal's own reader takes: a header and its entries."""
MAX_PIECE_BYTES = 4_000_000
"""Bytes of the lines of one piece."""
MAX_JOURNAL_BYTES = 64_000_000
"""Bytes of the lines of one game that are looked at: twice what `MAX_LINES` lines of a real one take."""


def check_piece(piece: JournalSlice) -> None:
    """Raise `ValueError` for what is no piece of a journal."""
    count = len(piece.lines)
    if piece.first < 0 or not count or not piece.first + count <= piece.total <= MAX_LINES:
        raise ValueError(f"lines {piece.first} to {piece.first + count} of {piece.total}")
    if any("\n" in line for line in piece.lines) or sum(map(len, piece.lines)) > MAX_PIECE_BYTES:
        raise ValueError("a line is two, or too long")


def make_row(piece: JournalSlice, now: str) -> dict[str, Any]:
    """The row of `JournalPiece` that keeps a piece."""
    packed = zlib.compress("\n".join(piece.lines).encode(), level=6)
    row: dict[str, Any] = {"game_id": piece.game_id, "digest": piece.digest, "first": piece.first}
    return row | {"count": len(piece.lines), "total": piece.total, "lines": packed, "received": now}


def is_complete(game: GameRecord) -> bool:
    """Whether every line of its journal is here: the header and all entries."""
    return game.lines > game.entries


def count_lines(pieces: Mapping[int, int]) -> int:
    """How many lines are there without a gap, of pieces by their first line."""
    lines = 0
    for first, count in sorted(pieces.items()):
        if first > lines:
            break
        lines = max(lines, first + count)
    return lines


def stored_lines(session: Session, game: GameRecord) -> list[bytes]:
    """The lines of the game's journal that are here, from the header up to the first gap.

    A piece that can't be unpacked is a gap: whoever made a backup may have put in anything.
    """
    found: list[bytes] = []
    left = MAX_JOURNAL_BYTES
    for row in _pieces(session, game):
        if row.first > len(found):
            break
        if row.first + row.count > len(found):
            try:
                lines = zlib.decompressobj().decompress(row.lines, left)
            except zlib.error:
                break
            left -= len(lines)
            if left <= 0:
                break
            found[row.first :] = lines.split(b"\n")
    return found


def _pieces(session: Session, game: GameRecord) -> Iterator[JournalPiece]:
    asked = select(JournalPiece).where(JournalPiece.game_id == game.id, JournalPiece.digest == game.digest)
    yield from session.scalars(asked.order_by(JournalPiece.first))
