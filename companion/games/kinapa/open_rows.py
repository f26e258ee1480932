"""Assigns the mat's open rows to punished players at a simulated Kinapa table."""

from collections.abc import Iterator, Mapping, Sequence

from companion.core.actions import Seat
from companion.core.events import Event
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.camera_rulings import HIDDEN_CARD

ROW_COUNT = 4
"""On the newest mat, clockwise, as people sit; a player who finds none free lays the cards elsewhere."""

RowCards = Mapping[str, tuple[str, ...]]
"""Place → its cards, from their owner's left."""


class OpenRows:
    """Owns who has which row, and which cards of it lie face down."""

    def __init__(self, seats: int) -> None:
        self._seats = seats
        self._rows: dict[Seat, int] = {}
        self._hidden: set[str] = set()

    def observe_event(self, event: Event, hands: Sequence[Sequence[str]]) -> None:
        """A ruling; `hands` as they are after it."""
        match event:
            case ev.LiarPunished():
                self._hidden -= set(hands[event.seat])
                first = ROW_COUNT * event.seat // self._seats
                around = ((first + step) % ROW_COUNT + 1 for step in range(ROW_COUNT))
                free = next((row for row in around if row not in self._rows.values()), None)
                if free is not None:
                    self._rows.setdefault(event.seat, free)
            case ev.FoxRemoved(left=0) | ev.FoxesTaken(left=0) | ev.DeckEmptied():
                self._rows.pop(event.seat, None)
            case ev.DecksSwitched():
                there = {event.seat: event.bot, event.bot: event.seat}
                self._rows = {there.get(seat, seat): row for seat, row in self._rows.items()}

    def add_received_card(self, taker: Seat, card: str) -> None:
        """A card that comes into an open hand lies face down beside it."""
        (self._hidden.add if taker in self._rows else self._hidden.discard)(card)

    def remaining_cards(self, places: RowCards, hands: Sequence[Sequence[str]]) -> RowCards:
        """The rows without the cards that somebody else holds by now."""
        held = {row: hands[seat] for seat, row in self._rows.items()}
        return {
            f"open:{row}": tuple(
                card for card in places[f"open:{row}"] if card == HIDDEN_CARD or card in cards
            )
            for row, cards in held.items()
        }

    def misplaced_rows(
        self, places: RowCards, hands: Sequence[Sequence[str]]
    ) -> Iterator[tuple[Seat | None, RowCards]]:
        """Each row that has to be laid otherwise, with whose it is; nobody's, where cards are taken up."""
        owners = {row: seat for seat, row in self._rows.items()}
        for row in range(1, ROW_COUNT + 1):
            name, seat = f"open:{row}", owners.get(row)
            if places[name] != (cards := self.expected_cards(seat, hands)):
                yield seat, {name: cards}

    def expected_cards(self, seat: Seat | None, hands: Sequence[Sequence[str]]) -> tuple[str, ...]:
        """What ought to lie in a row."""
        if seat is None:
            return ()
        return tuple(HIDDEN_CARD if card in self._hidden else card for card in hands[seat])

    def row_of(self, seat: Seat) -> str | None:
        """The row of a seat, if it has one."""
        return f"open:{self._rows[seat]}" if seat in self._rows else None


def empty_rows() -> dict[str, tuple[str, ...]]:
    """All rows before anybody is punished."""
    return {f"open:{row}": () for row in range(1, ROW_COUNT + 1)}
