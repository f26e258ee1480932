"""Tables of Kinapa with BOT decks."""

from __future__ import annotations

from tests.games.kinapa.kinapa_table import A, C, D, Table, crowned, given

A_BOT, B_BOT = C, D
"""Two players: first the hands, then the decks under the aids."""


BOT = D
"""Three players: the fourth deck is nobody's."""


def two(*more_sheep: int, **options: object) -> Table:
    """Two players; A is Emperor."""
    return given(*crowned(A, *more_sheep), players=2, **options)


def three(*more_sheep: int, **options: object) -> Table:
    """Three players and the BOT; A is Emperor."""
    return given(*crowned(A, *more_sheep), players=3, **options)
