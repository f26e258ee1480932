"""How screen and voice present Kabuki."""

from companion.core.view import Board

WIN_EVENTS = frozenset({"GameWon"})
BOARD = Board(
    urgent_events=frozenset({"StopRight", "StopWrong", "RoundEnded", *WIN_EVENTS}),
    good_news_events=WIN_EVENTS,
    full_screen_words={"StopAssigned": "stop", "StopRight": "right", "StopWrong": "wrong"},
    sentence_pictures={
        "mask": ("mask:{}",),
        "tokens": ("coin",),
        "StopRight": ("coin",),
        "StopWrong": ("coin",),
    },
    card_name_prefixes={"mask": "kabuki.do.show."},
)
