"""How screen and voice present Kinapa."""

from companion.core.view import Board, CardMove, RepairableItem, RepairablePairs

BOARD = Board(
    urgent_events=frozenset({"LiarCalled", "Punished", "PairPlaced", "GameWon"}),
    headline_events=frozenset({"LiarCalled", "FalseDenialProven", "HandoverRefused", "FoxesTaken"}),
    full_screen_words={"Punished": "caught", "PairPlaced": "pair"},
    good_news_events=frozenset(
        {"EmperorCrowned", "PairPlaced", "PairShown", "SheepTaken", "CardFound", "GameWon"}
    ),
    verb_moves={
        **dict.fromkeys(("drawn", "receive", "refuse", "draw_from"), CardMove.TO_ASKED),
        "return": CardMove.TO_OTHER,
        **dict.fromkeys(("aid_up", "aid_down"), CardMove.SETS),
        **dict.fromkeys(("has", "has_not", "found", "not_found"), CardMove.LOOKS),
        "switch": CardMove.TURNS,
    },
    sentence_pictures={
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
    repairable_items=(
        RepairableItem(name="emperor", kind="emperor", motif="crown", only_one=True),
        RepairableItem(name="sheep", kind="sheep", motif="sheep"),
        RepairableItem(name="foxes", kind="fox", motif="fox", max_count=2),
    ),
    repairable_pairs=RepairablePairs(owned="placed", place="slot"),
)
