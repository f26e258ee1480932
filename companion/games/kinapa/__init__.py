"""`Game` record of Kinapa: where its rules, opponents, mat and cover are."""

from companion.core.game import Cover, Game, lazy_import
from companion.games.kinapa.rules import Kinapa

GAME = Game(
    rules=Kinapa(),
    simulated_players=lazy_import("companion.games.kinapa.players:KinapaWorld"),
    opponents=lazy_import("companion.games.kinapa.opponents:KinapaOpponents"),
    open_table=lazy_import("companion.games.kinapa.commentary:KinapaOpenTable"),
    mat=lazy_import("companion.games.kinapa.mat:build_mat_layout"),
    mat_hands=range(4, 9),
    draw_mat=lazy_import("companion.games.kinapa.mat_print:draw_mat"),
    highlights=lazy_import("companion.games.kinapa.commentary:find_highlights"),
    score_lead=lazy_import("companion.games.kinapa.commentary:lead_scores"),
    cover=Cover(
        line="kinapa.line",
        minutes=15,
        faces=("shelter:8", "animal:5", "animal:8"),
        ground="#F2B63C",
    ),
)
