"""Everything that is known about Kabuki."""

from __future__ import annotations

from companion.core.game import Game, late
from companion.games.kabuki.rules import Kabuki

GAME = Game(
    rules=Kabuki(),
    players=late("companion.games.kabuki.players:KabukiWorld"),
    opponents=late("companion.games.kabuki.opponents:KabukiMinds"),
    open_table=late("companion.games.kabuki.open_table:KabukiOpenTable"),
    highlights=late("companion.games.kabuki.highlights:found"),
)
