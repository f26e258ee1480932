"""`Game` record of Kabuki: where its rules, opponents, mat and cover are."""

from companion.core.game import Cover, Story
from companion.games.kabuki.rules import Kabuki
from companion.games.kit import game_record

GAME = game_record(
    Kabuki(),
    mat_hands=range(2, 7),
    drill="drill:KabukiDrill",
    cover=Cover(
        line="kabuki.line",
        minutes=20,
        faces=("mask:demon", "mask:sun", "mask:storm"),
        near=True,
        ground="#1B1526",
    ),
    story=Story(
        told=("begin", "StopAssigned", "StopRight"),
        seed=760,
        styles=("lawful", "bluffing", "lawful", "lawful"),
    ),
)
