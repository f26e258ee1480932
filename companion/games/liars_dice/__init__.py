"""`Game` record of Liar's Dice: dice under cups, bids, and doubt."""

from companion.core.game import Cover, Game, lazy_import
from companion.games.liars_dice.rules import LiarsDice

PEOPLE = lazy_import("companion.games.liars_dice.players:LiarsDicePeople")
GAME = Game(
    rules=LiarsDice(),
    simulated_players=PEOPLE,
    opponents=PEOPLE,
    highlights=lazy_import("companion.games.liars_dice.rules.view:find_highlights"),
    score_lead=lazy_import("companion.games.liars_dice.rules.view:lead_scores"),
    cover=Cover(line="liars_dice.line", minutes=20, motif="cup", ground="#1E4A46"),
)
