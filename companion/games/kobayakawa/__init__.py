"""`Game` record of Kobayakawa: where its rules, opponents, mat and cover are."""

from companion.core.game import Cover
from companion.games.kit import game_record
from companion.games.kobayakawa.rules import Kobayakawa

GAME = game_record(
    Kobayakawa(),
    mat_hands=range(3, 7),
    cover=Cover(
        line="kobayakawa.line",
        minutes=25,
        faces=("number:3", "number:15"),
        beside="crest",
        ground="#1F3A6E",
    ),
)
