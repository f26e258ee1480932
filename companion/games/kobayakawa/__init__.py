"""`Game` record of Kobayakawa: where its rules, opponents, mat and cover are."""

from companion.core.game import Cover, Game, lazy_import
from companion.games.kobayakawa.rules import Kobayakawa

GAME = Game(
    rules=Kobayakawa(),
    simulated_players=lazy_import("companion.games.kobayakawa.players:KobayakawaWorld"),
    opponents=lazy_import("companion.games.kobayakawa.opponents:KobayakawaOpponents"),
    open_table=lazy_import("companion.games.kobayakawa.commentary:KobayakawaOpenTable"),
    mat=lazy_import("companion.games.kobayakawa.mat:build_mat_layout"),
    mat_hands=range(3, 7),
    draw_mat=lazy_import("companion.games.kobayakawa.mat:draw_mat"),
    highlights=lazy_import("companion.games.kobayakawa.commentary:find_highlights"),
    score_lead=lazy_import("companion.games.kobayakawa.commentary:lead_scores"),
    cover=Cover(
        line="kobayakawa.line",
        minutes=25,
        faces=("number:3", "number:15"),
        beside="crest",
        ground="#1F3A6E",
    ),
)
