"""Statistics of a Kobayakawa game, computed from its events."""

from collections.abc import Iterable

from companion.core.events import Event
from companion.games.kobayakawa.rules import events as ev


def recap_statistics(events: Iterable[Event]) -> tuple[tuple[str, int], ...]:
    """The numbers of a game, by name; a deal that was void does not count.

    `alone`: rounds won unseen; `helped`: by the lowest card with the Kobayakawa; `most_kamons`: at once.
    """
    rounds = fights = alone = helped = most = now = 0
    shown: dict[int, int] = {}
    for event in events:
        match event:
            case ev.KobayakawaRoundBegan():
                rounds, now, shown = rounds + 1, 0, {}
            case ev.DealVoided():
                rounds, fights = rounds - 1, fights - now
            case ev.PlayerFought():
                fights, now = fights + 1, now + 1
            case ev.FighterCardShown():
                shown[event.seat] = event.number
            case ev.RoundWon():
                alone += event.how in {"alone", "last"}
                helped += bool(shown) and shown.get(event.seat) == min(shown.values())
                most = max(most, event.count)
    return (
        ("rounds", rounds),
        ("fights", fights),
        ("alone", alone),
        ("helped", helped),
        ("most_kamons", most),
    )
