"""`Game` record of Hearts: tricks, points, and a referee that never sees a hand."""

from companion.core.game import Cover, Game, lazy_import
from companion.games.hearts.rules import Hearts

PEOPLE = lazy_import("companion.games.hearts.players:HeartsPeople")
GAME = Game(
    rules=Hearts(),
    simulated_players=PEOPLE,
    opponents=PEOPLE,
    highlights=lazy_import("companion.games.hearts.rules.view:find_highlights"),
    score_lead=lazy_import("companion.games.hearts.rules.view:lead_scores"),
    mat=lazy_import("companion.games.kit.trick_mat:build_mat_layout"),
    mat_hands=range(4, 5),
    draw_mat=lazy_import("companion.games.kit.trick_mat:draw_mat"),
    cover=Cover(line="hearts.line", minutes=45, faces=("hearts:K", "spades:Q", "hearts:A"), ground="#1C4A3F"),
)
