"""Everything that is known about Kobayakawa."""

from companion.core.game import Cover, Game, late
from companion.games.kobayakawa.rules import Kobayakawa

GAME = Game(
    rules=Kobayakawa(),
    players=late("companion.games.kobayakawa.players:KobayakawaWorld"),
    opponents=late("companion.games.kobayakawa.opponents:KobayakawaOpponents"),
    open_table=late("companion.games.kobayakawa.open_table:KobayakawaOpenTable"),
    mat=late("companion.games.kobayakawa.mat:layout"),
    mat_hands=range(3, 7),
    draw_mat=late("companion.games.kobayakawa.mat_print:draw"),
    highlights=late("companion.games.kobayakawa.highlights:found"),
    lead=late("companion.games.kobayakawa.highlights:lead"),
    cover=Cover(
        line="kobayakawa.line",
        minutes=25,
        faces=("number:3", "number:15"),
        beside="crest",
        ground="#1F3A6E",
    ),
)
