"""`Game` record of Spades: bids, tricks, partners, and a referee that never sees a hand."""

from companion.core.game import Cover, Game, lazy_import
from companion.games.spades.rules import Spades

PEOPLE = lazy_import("companion.games.spades.players:SpadesPeople")
GAME = Game(
    rules=Spades(),
    simulated_players=PEOPLE,
    opponents=PEOPLE,
    highlights=lazy_import("companion.games.spades.rules.view:find_highlights"),
    score_lead=lazy_import("companion.games.spades.rules.view:lead_scores"),
    mat=lazy_import("companion.games.kit.trick_mat:build_mat_layout"),
    mat_hands=range(4, 5),
    draw_mat=lazy_import("companion.games.kit.trick_mat:draw_mat"),
    words="hearts",
    deck="hearts",
    cover=Cover(line="spades.line", minutes=45, faces=("spades:K", "spades:A", "spades:Q"), ground="#243349"),
)
