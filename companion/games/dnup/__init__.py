"""Everything that is known about dnup."""

from companion.core.game import Cover, Game, late
from companion.games.dnup.rules import Dnup

GAME = Game(
    rules=Dnup(),
    players=late("companion.games.dnup.players:DnupWorld"),
    opponents=late("companion.games.dnup.opponents:DnupOpponents"),
    open_table=late("companion.games.dnup.open_table:DnupOpenTable"),
    mat=late("companion.games.dnup.mat:layout"),
    mat_hands=range(2, 6),
    draw_mat=late("companion.games.dnup.mat_print:draw"),
    highlights=late("companion.games.dnup.highlights:found"),
    lead=late("companion.games.dnup.highlights:lead"),
    cover=Cover(
        line="dnup.line",
        minutes=20,
        faces=("pair:3-8", "pair:1-5", "pair:4-9f"),
        ground="#1F8F8A",
    ),
)
