"""What table, screen and voice do otherwise in dnup."""

from companion.core.board import Board

WON = frozenset({"GameWon"})
BOARD = Board(
    title="dnup",
    first=frozenset({"WentOut", "RoundEnded", *WON}),
    glad=WON,
    moments={"WentOut": "out"},
    last=frozenset({"rotate"}),
    whole=frozenset({"set"}),
    turned=frozenset({"pair"}),
)
