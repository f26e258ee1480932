"""`Game` record of Kabuki: where its rules, opponents, mat and cover are."""

from companion.core.game import Cover, Game, lazy_import
from companion.games.kabuki.rules import Kabuki

GAME = Game(
    rules=Kabuki(),
    simulated_players=lazy_import("companion.games.kabuki.players:KabukiWorld"),
    opponents=lazy_import("companion.games.kabuki.opponents:KabukiOpponents"),
    open_table=lazy_import("companion.games.kabuki.commentary:KabukiOpenTable"),
    mat=lazy_import("companion.games.kabuki.mat:build_mat_layout"),
    mat_hands=range(2, 7),
    draw_mat=lazy_import("companion.games.kabuki.mat:draw_mat"),
    drill=lazy_import("companion.games.kabuki.drill:KabukiDrill"),
    highlights=lazy_import("companion.games.kabuki.commentary:find_highlights"),
    score_lead=lazy_import("companion.games.kabuki.commentary:lead_scores"),
    cover=Cover(
        line="kabuki.line",
        minutes=20,
        faces=("mask:demon", "mask:sun", "mask:storm"),
        near=True,
        ground="#1B1526",
    ),
)
