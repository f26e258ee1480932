"""How screen and voice present Kobayakawa."""

from companion.core.view import Board

WIN_EVENTS = frozenset({"GameWon"})
BOARD = Board(
    urgent_events=frozenset({"RoundWon", "PlayerOut", *WIN_EVENTS}),
    good_news_events=WIN_EVENTS,
    full_screen_words={"RoundWon": "round"},
    sentence_pictures={"open_on.number": ("number:{}",), "kamons": ("crest",), "centre": ("crest",)},
)
