"""What table, screen and voice do otherwise in Kabuki."""

from companion.core.board import Board

WON = frozenset({"GameWon"})
BOARD = Board(
    first=frozenset({"StopRight", "StopWrong", "RoundEnded", *WON}),
    glad=WON,
    moments={"StopAssigned": "stop", "StopRight": "right", "StopWrong": "wrong"},
    pictured={"mask": ("mask:{}",), "tokens": ("coin",), "StopRight": ("coin",), "StopWrong": ("coin",)},
    called={"mask": "kabuki.do.show."},
)
