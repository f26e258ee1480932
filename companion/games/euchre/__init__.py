"""`Game` record of Euchre: trump is made, partners take tricks, and a referee never sees a hand."""

from companion.core.game import Cover, Game, lazy_import
from companion.games.euchre.rules import Euchre
from companion.games.euchre.rules.model import DECK
from companion.games.kit.cards import FACES, cards_in

PEOPLE = lazy_import("companion.games.euchre.players:EuchrePeople")
GAME = Game(
    rules=Euchre(),
    simulated_players=PEOPLE,
    opponents=PEOPLE,
    highlights=lazy_import("companion.games.euchre.rules.view:find_highlights"),
    score_lead=lazy_import("companion.games.euchre.rules.view:lead_scores"),
    mat=lazy_import("companion.games.kit.trick_mat:build_mat_layout"),
    mat_hands=range(4, 5),
    draw_mat=lazy_import("companion.games.kit.trick_mat:draw_mat"),
    words="hearts",
    deck="hearts",
    cards=frozenset(FACES[card] for card in cards_in(DECK)),
    cover=Cover(
        line="euchre.line", minutes=30, faces=("hearts:J", "diamonds:J", "hearts:A"), ground="#4A2430"
    ),
)
