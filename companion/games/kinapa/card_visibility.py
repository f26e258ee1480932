"""Tracks which Kinapa cards each player has seen."""

from collections.abc import Iterator, Sequence

from companion.core.actions import Seat
from companion.core.events import Event
from companion.games.kinapa.rules import bot_decks
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.state import KinapaState

Hands = Sequence[Sequence[str]]
BACK = "back:blue"
EVERYBODY = -1
"""Everybody's eyes."""


def find_witnesses(before: KinapaState, event: Event) -> frozenset[Seat]:
    """Who sees which card moves: the Emperor, and those who give or get it from hand to hand."""
    if not isinstance(event, ev.KinapaCardDrawn | ev.CardHanded | ev.CardReturned):
        return frozenset()
    handed = isinstance(event, ev.CardHanded)  # from a BOT deck its keeper takes it
    return frozenset({before.emperor, bot_decks.deck_keeper(before, event.seat) if handed else event.seat})


def revealed_decks(before: KinapaState, event: Event) -> Iterator[tuple[Seat, Seat]]:
    """Whose eyes (or everybody's) see all of which deck now; a deck in hand is seen by its holder."""
    match event:
        case ev.DecksSwitched():
            yield event.seat, event.seat
        case ev.LiarPunished():
            yield EVERYBODY, event.seat
        case ev.NumberAdmitted() | ev.NumberDenied() if before.is_bot(event.seat):
            yield bot_decks.deck_keeper(before, event.seat), event.seat


class CardVisibility:
    """Owns what is seen of decks that are not in the player's own hand, as long as it is."""

    def __init__(self) -> None:
        self._seen: dict[tuple[Seat, Seat], tuple[str, ...]] = {}
        """(eyes, deck) → its cards."""

    def observe_event(self, before: KinapaState, event: Event, hands: Hands, moved: str) -> None:
        """A ruling; the cards have moved already, `moved` the last of them."""
        match event:
            case ev.DecksSwitched():
                there = {event.seat: event.bot, event.bot: event.seat}
                self._seen = {(who, there.get(at, at)): cards for (who, at), cards in self._seen.items()}
            case ev.FoxRemoved(left=0) | ev.FoxesTaken(left=0):
                self._seen.pop((EVERYBODY, event.seat), None)
            case ev.CardReturned() if (before.emperor, event.seat) in self._seen:
                self._seen[before.emperor, event.seat] += (moved,)
            case ev.EmperorCrowned() | ev.EmperorStays():  # what somebody looked at lies under its aid again
                self._seen = {key: cards for key, cards in self._seen.items() if key[0] == EVERYBODY}
        for who, at in revealed_decks(before, event):
            if who != at:
                self._seen[who, at] = tuple(hands[at])
        self._seen = {
            (who, at): tuple([card for card in cards if card in hands[at]])
            for (who, at), cards in self._seen.items()
        }

    def visible_decks(self, viewer: Seat, hands: Hands) -> dict[Seat, tuple[str, ...]]:
        """The decks of which somebody sees more than backs."""
        found: dict[Seat, tuple[str, ...]] = {}
        for (who, at), cards in sorted(self._seen.items()):
            if who in {EVERYBODY, viewer} and at != viewer and cards:
                found[at] = (*cards, *(BACK,) * (len(hands[at]) - len(cards)))
        return found
