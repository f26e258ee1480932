"""Everything that is known about Kinapa."""

from companion.core.game import Cover, Game, late
from companion.games.kinapa.rules import Kinapa

GAME = Game(
    rules=Kinapa(),
    players=late("companion.games.kinapa.players:KinapaWorld"),
    opponents=late("companion.games.kinapa.opponents:KinapaOpponents"),
    open_table=late("companion.games.kinapa.open_table:KinapaOpenTable"),
    mat=late("companion.games.kinapa.mat:layout"),
    older_mats=late("companion.games.kinapa.mat:older"),
    mat_hands=range(4, 9),
    draw_mat=late("companion.games.kinapa.mat_print:draw"),
    highlights=late("companion.games.kinapa.highlights:found"),
    lead=late("companion.games.kinapa.highlights:lead"),
    cover=Cover(
        line="kinapa.line",
        minutes=15,
        faces=("shelter:8", "animal:5", "animal:8"),
        ground="#F2B63C",
    ),
)
