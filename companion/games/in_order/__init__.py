"""`Game` record of In Order: hidden numbers, laid upwards by all together."""

from companion.core.game import Cover, Game, lazy_import
from companion.games.in_order.rules import InOrder

PEOPLE = lazy_import("companion.games.in_order.players:InOrderPeople")
GAME = Game(
    rules=InOrder(),
    simulated_players=PEOPLE,
    opponents=PEOPLE,
    highlights=lazy_import("companion.games.in_order.rules.view:find_highlights"),
    mat=lazy_import("companion.games.in_order.mat:build_mat_layout"),
    mat_hands=range(2, 9),
    draw_mat=lazy_import("companion.games.in_order.mat:draw_mat"),
    cover=Cover(line="in_order.line", minutes=20, motif="steps", ground="#1E3A5C"),
)
