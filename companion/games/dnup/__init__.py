"""`Game` record of dnup: where its rules, opponents, mat and cover are."""

from companion.core.game import Cover, Game, lazy_import
from companion.games.dnup.rules import Dnup

GAME = Game(
    rules=Dnup(),
    simulated_players=lazy_import("companion.games.dnup.players:DnupWorld"),
    opponents=lazy_import("companion.games.dnup.opponents:DnupOpponents"),
    open_table=lazy_import("companion.games.dnup.commentary:DnupOpenTable"),
    mat=lazy_import("companion.games.dnup.mat:build_mat_layout"),
    mat_hands=range(2, 6),
    draw_mat=lazy_import("companion.games.dnup.mat:draw_mat"),
    highlights=lazy_import("companion.games.dnup.commentary:find_highlights"),
    score_lead=lazy_import("companion.games.dnup.commentary:lead_scores"),
    cover=Cover(
        line="dnup.line",
        minutes=20,
        faces=("pair:3-8", "pair:1-5", "pair:4-9f"),
        ground="#1F8F8A",
    ),
)
