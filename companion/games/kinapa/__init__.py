"""`Game` record of Kinapa: where its rules, opponents, mat and cover are."""

from companion.core.game import Cover, Story
from companion.games.kinapa.rules import Kinapa
from companion.games.kit import game_record

GAME = game_record(
    Kinapa(),
    mat_hands=range(4, 9),
    cover=Cover(
        line="kinapa.line",
        minutes=15,
        faces=("shelter:8", "animal:5", "animal:8"),
        ground="#F2B63C",
    ),
    story=Story(
        told=("EmperorCrowned", "HandsLocked", "Punished", "ObjectTurned", "PairPlaced"),
        seed=1392,
        styles=("lawful", "bluffing", "lawful", "bluffing"),
    ),
)
