"""Everything that is known about Kabuki."""

from companion.core.game import Cover, Game, late
from companion.games.kabuki.rules import Kabuki

GAME = Game(
    rules=Kabuki(),
    players=late("companion.games.kabuki.players:KabukiWorld"),
    opponents=late("companion.games.kabuki.opponents:KabukiOpponents"),
    open_table=late("companion.games.kabuki.open_table:KabukiOpenTable"),
    mat=late("companion.games.kabuki.mat:layout"),
    mat_hands=range(2, 7),
    draw_mat=late("companion.games.kabuki.mat_print:draw"),
    drill=late("companion.games.kabuki.drill:Drill"),
    highlights=late("companion.games.kabuki.highlights:found"),
    lead=late("companion.games.kabuki.highlights:lead"),
    cover=Cover(
        line="kabuki.line",
        minutes=20,
        faces=("mask:demon", "mask:sun", "mask:storm"),
        near=True,
        ground="#1B1526",
    ),
)
