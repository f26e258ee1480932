"""`Game` record of Roses and Thorns: cards face down, bids, and one who turns them over."""

from companion.core.game import Cover, Game, lazy_import
from companion.games.roses.rules import Roses

PEOPLE = lazy_import("companion.games.roses.players:RosesPeople")
GAME = Game(
    rules=Roses(),
    simulated_players=PEOPLE,
    opponents=PEOPLE,
    highlights=lazy_import("companion.games.roses.rules.view:find_highlights"),
    score_lead=lazy_import("companion.games.roses.rules.view:lead_scores"),
    mat=lazy_import("companion.games.roses.mat:build_mat_layout"),
    mat_hands=range(3, 7),
    draw_mat=lazy_import("companion.games.roses.mat:draw_mat"),
    cover=Cover(
        line="roses.line",
        minutes=25,
        faces=("flower:rose", "flower:thorn"),
        beside="wreath",
        ground="#4A1E2E",
    ),
)
