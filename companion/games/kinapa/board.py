"""What table, screen and voice do otherwise in Kinapa."""

from companion.core.board import Board, Held, Move, Pairs

BOARD = Board(
    first=frozenset({"LiarCalled", "Punished", "PairPlaced", "GameWon"}),
    loud=frozenset({"LiarCalled", "FalseDenialProven", "HandoverRefused", "FoxesTaken"}),
    moments={"Punished": "caught", "PairPlaced": "pair"},
    glad=frozenset({"EmperorCrowned", "PairPlaced", "PairShown", "SheepTaken", "CardFound", "GameWon"}),
    moves={
        **dict.fromkeys(("drawn", "receive", "refuse", "draw_from"), Move.TO_ASKED),
        "return": Move.TO_OTHER,
        **dict.fromkeys(("aid_up", "aid_down"), Move.SETS),
        **dict.fromkeys(("has", "has_not", "found", "not_found"), Move.LOOKS),
        "switch": Move.TURNS,
    },
    pictured={
        "label": ("object:{}",),
        "turn.value": ("object:{}",),
        **dict.fromkeys(
            ("PairPlaced.number", "PairShown.number", "pair.number", "PairTaken.number"),
            ("animal:{}", "shelter:{}"),
        ),
        **dict.fromkeys(("OneAsked.number", "LiarCalled.number", "AllAsked.number"), ("animal:{}",)),
        **dict.fromkeys(("object_down", "ObjectHidden", "hidden"), ("back:blue",)),
        **dict.fromkeys(("emperor", "emperor_middle", "EmperorCrowned"), ("crown",)),
        **dict.fromkeys(("sheep_take", "sheep_return", "SheepTaken", "SheepReturned"), ("sheep",)),
        **dict.fromkeys(("foxes", "FoxesTaken", "Punished", "FoxRemoved"), ("fox",)),
    },
    held=(
        Held(name="emperor", kind="emperor", motif="crown", only_one=True),
        Held(name="sheep", kind="sheep", motif="sheep"),
        Held(name="foxes", kind="fox", motif="fox", most=2),
    ),
    pairs=Pairs(owned="placed", place="slot"),
)
