"""Where punished people's cards lie at a simulated table: each in the nearest free row of the mat."""

from collections.abc import Iterator, Mapping, Sequence

from companion.core.actions import Seat
from companion.core.events import Event
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.seeing import HIDDEN

ROWS = 4
"""On the newest mat, clockwise, as people sit; a player who finds none free lays the cards elsewhere."""

Lying = Mapping[str, tuple[str, ...]]
"""Place → its cards, from their owner's left."""


class OpenRows:
    """Owns who has which row, and which cards of it lie face down."""

    def __init__(self, seats: int) -> None:
        self._seats = seats
        self._rows: dict[Seat, int] = {}
        self._hidden: set[str] = set()

    def hear(self, event: Event, hands: Sequence[Sequence[str]]) -> None:
        """A ruling; `hands` as they are after it."""
        match event:
            case ev.Punished():
                self._hidden -= set(hands[event.seat])
                first = ROWS * event.seat // self._seats
                around = ((first + step) % ROWS + 1 for step in range(ROWS))
                free = next((row for row in around if row not in self._rows.values()), None)
                if free is not None:
                    self._rows.setdefault(event.seat, free)
            case ev.FoxRemoved(left=0) | ev.FoxesTaken(left=0) | ev.DeckEmptied():
                self._rows.pop(event.seat, None)
            case ev.Switched():
                there = {event.seat: event.bot, event.bot: event.seat}
                self._rows = {there.get(seat, seat): row for seat, row in self._rows.items()}

    def received(self, taker: Seat, card: str) -> None:
        """A card that comes into an open hand lies face down beside it."""
        (self._hidden.add if taker in self._rows else self._hidden.discard)(card)

    def left_in(self, places: Lying, hands: Sequence[Sequence[str]]) -> Lying:
        """The rows without the cards that somebody else holds by now."""
        held = {row: hands[seat] for seat, row in self._rows.items()}
        return {
            f"open:{row}": tuple(card for card in places[f"open:{row}"] if card == HIDDEN or card in cards)
            for row, cards in held.items()
        }

    def misplaced(self, places: Lying, hands: Sequence[Sequence[str]]) -> Iterator[tuple[Seat | None, Lying]]:
        """Each row that has to be laid otherwise, with whose it is; nobody's, where cards are taken up."""
        owners = {row: seat for seat, row in self._rows.items()}
        for row in range(1, ROWS + 1):
            name, seat = f"open:{row}", owners.get(row)
            if places[name] != (cards := self.lain(seat, hands)):
                yield seat, {name: cards}

    def lain(self, seat: Seat | None, hands: Sequence[Sequence[str]]) -> tuple[str, ...]:
        """What ought to lie in a row."""
        if seat is None:
            return ()
        return tuple(HIDDEN if card in self._hidden else card for card in hands[seat])

    def of(self, seat: Seat) -> str | None:
        """The row of a seat, if it has one."""
        return f"open:{self._rows[seat]}" if seat in self._rows else None


def bare() -> dict[str, tuple[str, ...]]:
    """All rows before anybody is punished."""
    return {f"open:{row}": () for row in range(1, ROWS + 1)}
