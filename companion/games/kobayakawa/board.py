"""What table, screen and voice do otherwise in Kobayakawa."""

from companion.core.board import Board

WON = frozenset({"GameWon"})
BOARD = Board(
    first=frozenset({"RoundWon", "PlayerOut", *WON}),
    glad=WON,
    moments={"RoundWon": "round"},
    pictured={"open_on.number": ("number:{}",), "kamons": ("crest",), "centre": ("crest",)},
)
