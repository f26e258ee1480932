"""`Game` record of dnup: where its rules, opponents, mat and cover are."""

from companion.core.game import Cover
from companion.games.dnup.rules import Dnup
from companion.games.kit import game_record

GAME = game_record(
    Dnup(),
    mat_hands=range(2, 6),
    cover=Cover(
        line="dnup.line",
        minutes=20,
        faces=("pair:3-8", "pair:1-5", "pair:4-9f"),
        ground="#1F8F8A",
    ),
)
