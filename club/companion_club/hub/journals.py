"""Storage of finished journals in the pieces in which tables send them."""

import zlib
from collections.abc import Iterator

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from companion_club.hub.model import GameRecord, JournalPiece
from companion_club.messages import JournalSlice

MAX_LINES = 200_001
"""As a journal's own reader takes: a header and its entries."""
MAX_PIECE_BYTES = 4_000_000
"""Bytes of the lines of one piece."""


def store_piece(session: Session, piece: JournalSlice, now: str) -> GameRecord | None:
    """Keep a piece, once; returns its game where that is known. `ValueError`: it is no piece of a journal."""
    count = len(piece.lines)
    if piece.first < 0 or not count or not piece.first + count <= piece.total <= MAX_LINES:
        raise ValueError(f"lines {piece.first} to {piece.first + count} of {piece.total}")
    if any("\n" in line for line in piece.lines) or sum(map(len, piece.lines)) > MAX_PIECE_BYTES:
        raise ValueError("a line is two, or too long")
    game = session.get(GameRecord, piece.game_id)
    if game is not None and game.digest == piece.digest and is_complete(game):
        return game
    key = (piece.game_id, piece.digest, piece.first)
    row = session.get(JournalPiece, key)
    if row is None or row.count < count:
        packed = zlib.compress("\n".join(piece.lines).encode(), level=6)
        if row is None:
            row = JournalPiece(game_id=piece.game_id, digest=piece.digest, first=piece.first)
            session.add(row)
        row.count, row.total, row.lines, row.received = count, piece.total, packed, now
        session.flush()
    if game is not None:
        update_line_count(session, game)
    return game


def is_complete(game: GameRecord) -> bool:
    """Whether every line of its journal is here: the header and all entries."""
    return game.lines > game.entries


def update_line_count(session: Session, game: GameRecord) -> None:
    """Note how many lines of the game's journal are here without a gap; a whole one replaces older ones."""
    if not game.digest:
        return
    game.lines = 0
    for first, count in session.execute(
        select(JournalPiece.first, JournalPiece.count)
        .where(JournalPiece.game_id == game.id, JournalPiece.digest == game.digest)
        .order_by(JournalPiece.first)
    ):
        if first > game.lines:
            break
        game.lines = max(game.lines, first + count)
    if is_complete(game):
        older = (JournalPiece.game_id == game.id) & (JournalPiece.digest != game.digest)
        session.execute(delete(JournalPiece).where(older))


def stored_lines(session: Session, game: GameRecord) -> list[bytes]:
    """The lines of the game's journal that are here, from the header up to the first gap."""
    found: list[bytes] = []
    for row in _pieces(session, game):
        if row.first > len(found):
            break
        if row.first + row.count > len(found):
            found[row.first :] = zlib.decompress(row.lines).split(b"\n")
    return found


def _pieces(session: Session, game: GameRecord) -> Iterator[JournalPiece]:
    asked = select(JournalPiece).where(JournalPiece.game_id == game.id, JournalPiece.digest == game.digest)
    yield from session.scalars(asked.order_by(JournalPiece.first))
