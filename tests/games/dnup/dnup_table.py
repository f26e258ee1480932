"""A dnup table for tests: what was sensed goes in, what was ruled comes out; timers fall as in the loop."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from msgspec.structs import replace

from companion.core.actions import SECOND, Micros, Seat, Setup
from companion.core.events import Event
from companion.core.observations import (
    RegionReading,
    SeenCard,
)
from companion.games.dnup.rules import Dnup, DnupOptions
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.model import DnupPhase, DnupState, KnownHand, PlayArea
from tests.games.game_table import GameTable

RULES = Dnup()
A, B, C, D, E = range(5)
BLINK: Micros = SECOND // 10


def setup(players: int = 3, **options: object) -> Setup:
    return Setup(chairs=tuple(range(players)), options=DnupOptions(**options))  # type: ignore[arg-type]


def fold(state: DnupState, events: Iterable[Event]) -> DnupState:
    return reduce(RULES.evolve, events, state)


def face(one: str, *, confidence: float = 1.0, askew: int = 0) -> SeenCard:
    """A card as the camera reports it: `8/3n` lies with its 8 up for its owner."""
    name = card.card_name(one)
    turn = 0 if card.card_as_read(name, 0) == one else 180
    return SeenCard(f"pair:{name}", (turn + askew) % 360, confidence)


class Table(GameTable[DnupState]):
    """dnup under test."""

    def __init__(self, players: int = 3, rules: Dnup = RULES, **options: object) -> None:
        super().__init__(rules, rules.initial_state(setup(players, **options)))

    # Sensing -------------------------------------------------------------------------------------------

    def wait(self, time: Micros = 10 * SECOND) -> tuple[Event, ...]:
        return super().wait(time)

    def see(self, *areas: tuple[int, tuple[str, ...]]) -> tuple[Event, ...]:
        """The camera settles on these cards, by area."""
        return self.look(*((f"set:{area + 1}", tuple(map(face, cards))) for area, cards in areas))

    def look(self, *regions: tuple[str, tuple[SeenCard, ...]]) -> tuple[Event, ...]:
        at = self.at + BLINK
        read = tuple(RegionReading(name, faces, at - 2, at - 1) for name, faces in regions)
        return self.regions(*read, at=at)

    def lay(self, *areas: tuple[int, tuple[str, ...]]) -> tuple[Event, ...]:
        """The camera settles, and the table stays quiet until it counts."""
        return (*self.see(*areas), *self.wait())

    # Whole stretches -----------------------------------------------------------------------------------

    def begin(self, starter: Seat = A) -> Table:
        """The cards are sorted, shuffled and dealt."""
        if self.state.phase is DnupPhase.SORTING:
            self.say(A, "prepared")
        self.say(starter, "star")
        return self

    def stand(self, *sets: tuple[str, ...], turn: Seat | None = None, hands: tuple[int, ...] = ()) -> Table:
        """As if play had led here: a set in every area that is named, and hands of these sizes."""
        state = self.state
        areas = tuple(
            PlayArea(cards=sets[at], seen=sets[at]) if at < len(sets) else PlayArea(seen=())
            for at in range(len(state.areas))
        )
        seat = state.seat if turn is None else turn
        area = seat if not state.is_two_player else state.area if turn is None else 2 * seat
        held = tuple(map(KnownHand, hands)) if hands else state.hands
        lying = sum(len(area.cards) for area in areas)
        if not hands:
            first = held[0].size - lying
            held = (KnownHand(first), *held[1:])
        discarded = len(state.cards_in_use) - lying - sum(hand.size for hand in held)
        self.state = replace(
            state, areas=areas, seat=seat, area=area, hands=held, discarded=discarded, star=None
        )
        return self

    def holding(self, seat: Seat, *known: str) -> Table:
        """As if these cards had been seen on their way into this hand."""
        hands = list(self.state.hands)
        hands[seat] = KnownHand(hands[seat].size, known)
        self.state = replace(self.state, hands=tuple(hands))
        return self

    # Reading -------------------------------------------------------------------------------------------

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(hand.size for hand in self.state.hands)

    def known(self, seat: Seat) -> tuple[str, ...]:
        return self.state.hands[seat].known

    def lies(self, area: int) -> tuple[str, ...]:
        return self.state.areas[area].cards


def table(players: int = 3, starter: Seat = A, **options: object) -> Table:
    """A table whose first round has begun."""
    return Table(players, **options).begin(starter)
