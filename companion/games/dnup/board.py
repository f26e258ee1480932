"""How screen and voice present dnup."""

from companion.core.view import Board

WIN_EVENTS = frozenset({"GameWon"})
BOARD = Board(
    title="dnup",
    urgent_events=frozenset({"WentOut", "RoundEnded", *WIN_EVENTS}),
    good_news_events=WIN_EVENTS,
    full_screen_words={"WentOut": "out"},
    practice_last_verbs=frozenset({"rotate"}),
    fully_tracked_places=frozenset({"set"}),
    oriented_cards=frozenset({"pair"}),
)
