"""State of a Kobayakawa game as the referee knows it, without the cards in hands."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from companion.core import game_status
from companion.core.actions import Seat, Value, seats_clockwise
from companion.games.kobayakawa.rules.options import KobayakawaOptions
from companion.games.kobayakawa.rules.showdown import LAST_ROUND_CENTRE, STARTING_CENTRE, STARTING_KAMONS

CARD_COUNT = 15
"""Numbers 1 to 15, each once."""
KAMONS_IN_BOX = 32
"""Kamons that come with the game."""
NO_CARD, UNREAD = -1, 0
"""No card is there; a card whose number nobody knows."""
KOBAYAKAWA_REGION = "kobayakawa"
"""The place of the Kobayakawa, one card over the other."""
SEAT_FIELDS: Mapping[int, tuple[int, ...]] = MappingProxyType(
    {3: (1, 3, 5), 4: (1, 2, 4, 5), 5: (1, 2, 3, 4, 5), 6: (1, 2, 3, 4, 5, 6)}
)
"""The mat has six fields; which of them this many players sit at, clockwise."""


class KobayakawaPhase(StrEnum):
    """What the table is waiting for."""

    STARTING = "starting"
    """The youngest player says so."""
    DEALING = "dealing"
    """Shuffle, deal one secret card each, turn up the Kobayakawa."""
    REVEALING = "revealing"
    """It is dealt; the number of the Kobayakawa is asked for."""
    DRAWING = "drawing"
    """Draw or replace."""
    DISCARDING = "discarding"
    """A card was drawn; one of the two comes to lie open."""
    REPLACING = "replacing"
    """The deck's top card comes onto the Kobayakawa."""
    BETTING = "betting"
    """Fight or pass."""
    SHOWDOWN = "showdown"
    """All fighters show their cards."""
    OVER = "over"


ROUND_PHASES = frozenset(
    {
        KobayakawaPhase.DRAWING,
        KobayakawaPhase.DISCARDING,
        KobayakawaPhase.REPLACING,
        KobayakawaPhase.BETTING,
        KobayakawaPhase.SHOWDOWN,
    }
)
"""A round runs."""
DRAW_PHASES = frozenset({KobayakawaPhase.DRAWING, KobayakawaPhase.DISCARDING, KobayakawaPhase.REPLACING})
"""Somebody draws or replaces."""


class SeenNumber(Value, frozen=True):
    """What the camera saw last in a place of the mat."""

    region: str
    number: int


class KobayakawaHand(Value, frozen=True):
    """What one player did in this round, and what is known of the cards."""

    did: str = ""
    """`draw`, `replace` or `neither`."""
    discard: int = NO_CARD
    bet: str = ""
    """`fight` or `pass`."""
    stake: int = 0
    shown: int = UNREAD


class RoundResult(Value, frozen=True):
    """How the last round ended, for everybody to look at until the next."""

    seat: Seat
    how: str
    totals: tuple[tuple[Seat, int], ...]
    count: int
    """Kamons that the winner took."""


class KobayakawaState(game_status.GameState, frozen=True):
    """Everything observed, with its consequences."""

    cards: int = CARD_COUNT
    """How many numbers there are: fewer only where lines of play are counted."""
    phase: KobayakawaPhase = KobayakawaPhase.STARTING
    round: int = 0
    """Rounds begun."""
    last: bool = False
    """The present round is the last."""
    starter: Seat = 0
    order: tuple[Seat, ...] = ()
    """Who plays this round, from the start player clockwise."""
    turn: int = 0
    """Whose turn it is, as a place in `order`."""
    kamons: tuple[int, ...] = ()
    centre: int = STARTING_CENTRE
    carried: int = 0
    """Kamons of the centre that wait for the next winner (OA2)."""
    box: int = 0
    """Kamons that went back to the box during the game (OA2)."""
    hands: tuple[KobayakawaHand, ...] = ()
    opened: tuple[int, ...] = ()
    """Every Kobayakawa of this round, the present one last."""
    watched: bool = False
    """The camera read this round's Kobayakawa: it sees the table."""
    lying: tuple[SeenNumber, ...] = ()
    """What the camera saw since the round's deal began."""
    cleared: bool = False
    """The place of the Kobayakawa was seen bare since the last round, or game, at this table."""
    misplaced: tuple[str, ...] = ()
    """Places where something lies that may not: called once, until it is put right."""
    doubted: tuple[tuple[str, int], ...] = ()
    """What was read or said of a card although another card is known to have that number (OI1)."""
    result: RoundResult | None = None
    turns: int = 0
    """Choices made in the whole game."""
    deciding: tuple[Seat, ...] = ()
    """Who plays the deciding round (OA6), once it is due."""
    winners: tuple[Seat, ...] = ()
    how: str = ""

    @property
    def options(self) -> KobayakawaOptions:
        assert isinstance(self.setup.options, KobayakawaOptions)
        return self.setup.options

    @property
    def total_kamons(self) -> int:
        """Kamons that are in the game."""
        return STARTING_KAMONS * self.players + STARTING_CENTRE

    @property
    def stakes(self) -> int:
        """Kamons that were staked in this round."""
        return sum(hand.stake for hand in self.hands)

    @property
    def seats_with_kamons(self) -> tuple[Seat, ...]:
        """Who has kamons, from the start player clockwise."""
        return tuple(seat for seat in seats_clockwise(self.starter, self.players) if self.kamons[seat])

    @property
    def dealt_in(self) -> tuple[Seat, ...]:
        """Who gets a card in the next round, from the start player clockwise."""
        return tuple(seat for seat in self.seats_with_kamons if not self.deciding or seat in self.deciding)

    @property
    def actor(self) -> Seat | None:
        """Who draws or bets."""
        if (
            self.phase not in ROUND_PHASES
            or self.phase is KobayakawaPhase.SHOWDOWN
            or self.turn >= len(self.order)
        ):
            return None
        return self.order[self.turn]

    @property
    def fighters(self) -> tuple[Seat, ...]:
        """Who fights, in turn order."""
        return tuple(seat for seat in self.order if self.hands[seat].bet == "fight")

    @property
    def unseen_fighters(self) -> tuple[Seat, ...]:
        """Fighters whose number is not known yet, in turn order."""
        return tuple(seat for seat in self.fighters if self.hands[seat].shown == UNREAD)

    @property
    def kobayakawa(self) -> int:
        """The open card's number."""
        return self.opened[-1] if self.opened else UNREAD

    @property
    def deck(self) -> int:
        """Cards left in the face-down deck, by count."""
        drawn = sum(hand.did == "draw" for hand in self.hands)
        drawn += self.phase is KobayakawaPhase.DISCARDING
        return self.cards - len(self.order) - len(self.opened) - drawn

    @property
    def next_round_is_last(self) -> bool:
        """Whether the round that is dealt next is the last."""
        return self.centre == LAST_ROUND_CENTRE

    def last_seen_number(self, region: str) -> int:
        """What was seen last in a place."""
        return next((here.number for here in self.lying if here.region == region), NO_CARD)

    def field_of_seat(self, seat: Seat) -> int:
        """The field of the mat at which a seat sits."""
        return SEAT_FIELDS[self.players][seat] if self.players in SEAT_FIELDS else seat + 1

    def seat_at_field(self, zone: int) -> Seat | None:
        """Who sits at a field of the mat."""
        return next((seat for seat in range(self.players) if self.field_of_seat(seat) == zone), None)
