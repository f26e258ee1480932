"""House rules, state and events of Euchre: who made which suit trump, and who played which card.

The referee sees no hand, no kitty and no discard. What is in the state was told at the table.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Literal

from msgspec.structs import replace

from companion.core.actions import Action, Micros, Options, Seat
from companion.core.events import Event, Events, SeatEvent, events_of
from companion.core.verbs import VerbRule, announce, define_verb
from companion.games.kit.cards import CARDS, RANKS, SUIT_SETS, SUITS, Card, CardSet, card_set
from companion.games.kit.trick_camera import TrickCameraEvent
from companion.games.kit.trick_table import (
    PLAYERS,
    SIDES,
    TrickEvent,
    TrickState,
    partner_of,
    side_of,
    without_cards,
)
from companion.games.kit.tricks import Holder, TrickRules

DECK: CardSet = card_set(*(f"{suit}|{rank}" for suit in SUITS for rank in RANKS[RANKS.index(9) :]))
SAME_COLOUR = MappingProxyType(
    {"clubs": "spades", "spades": "clubs", "diamonds": "hearts", "hearts": "diamonds"}
)
KITTY, HAND, MAJORITY = 3, 5, 3
"""Cards that nobody gets, those of a hand, and the tricks that the makers need."""
POINT, MARCH_POINTS, LONE_POINTS, EUCHRE_POINTS = 1, 2, 4, 2


class EuchreOptions(Options, frozen=True):
    target: Literal[10, 7, 5] = 10
    """Points that end the game."""
    stick_the_dealer: bool = True
    """Does the dealer have to name a suit if everybody else has passed twice."""
    partner_orders: Literal["either", "alone"] = "either"
    """Does the dealer's partner who orders it up choose, or always play alone."""
    revoke: Literal["stands", "again"] = "stands"
    """What follows from a proved revoke: nothing, or a new deal."""


class EuchrePhase(StrEnum):
    TURN_UP = "turn_up"
    """The dealer turns a card up."""
    BID = "bid"
    LONER = "loner"
    """Who made trump says whether the partner plays, too."""
    DISCARD = "discard"
    PLAY = "play"
    OVER = "over"


class EuchreState(TrickState, frozen=True, kw_only=True):
    """What the referee knows: all of it is public. Points are by side."""

    most_deals = 99
    points: tuple[int, ...] = (0,) * SIDES
    phase: EuchrePhase = EuchrePhase.TURN_UP
    passes: int = 0
    trump: str = ""
    """The suit; empty: none yet."""
    maker: Seat = 0
    """Who made it trump."""
    alone: bool = False
    scored: tuple[int, ...] = ()
    """What the deal before brought, until a card is turned up."""

    @property
    def options(self) -> EuchreOptions:
        options = self.setup.options
        assert isinstance(options, EuchreOptions)
        return options

    @property
    def rules(self) -> TrickRules:
        taken_by = self.dealer if self.is_picked_up else None
        return trick_rules(self.trump, self.upcard, taken_by, self.sits_out)

    @property
    def limits(self) -> Mapping[str, range]:
        return {"points": range(self.options.target)}

    def new_deal(self, deal: int) -> "EuchreState":
        emptied = replace(without_cards(self), phase=EuchrePhase.TURN_UP, deal=deal, upcard="", passes=0)
        return replace(emptied, trump="", maker=0, alone=False, scored=())

    @property
    def leader(self) -> Seat:
        """Who bids first; the dealer sits before."""
        return (self.deal - 1) % PLAYERS

    @property
    def dealer(self) -> Seat:
        return (self.leader - 1) % PLAYERS

    @property
    def sits_out(self) -> Seat | None:
        """The partner of who plays alone."""
        return partner_of(self.maker) if self.alone else None

    @property
    def is_picked_up(self) -> bool:
        """Whether the dealer has the card that was turned up, or has discarded it."""
        return bool(self.trump) and self.passes < PLAYERS and self.sits_out != self.dealer

    @property
    def seat(self) -> Seat:
        """Whose turn it is."""
        if self.plays:
            return super().seat
        match self.phase:
            case EuchrePhase.BID:
                return (self.leader + self.passes) % PLAYERS
            case EuchrePhase.LONER:
                return self.maker
            case EuchrePhase.PLAY:
                return self.leader if self.leader != self.sits_out else (self.leader + 1) % PLAYERS
        return self.dealer

    @property
    def must_name(self) -> bool:
        """Whether the seat in turn cannot pass."""
        return self.options.stick_the_dealer and self.passes == 2 * PLAYERS - 1

    def side_tricks(self) -> tuple[int, ...]:
        """How many tricks each side has taken, with those that were claimed."""
        takers = [side_of(seat) for seat in self.takers()]
        return tuple(takers.count(side) for side in range(SIDES))


def bowers(trump: str) -> tuple[Card, Card]:
    """The left one, which is a trump although it shows the other suit, and the right one."""
    return CARDS[f"{SAME_COLOUR[trump]}|J"], CARDS[f"{trump}|J"]


@cache
def trick_rules(trump: str, upcard: str, taken_by: Seat | None, sits_out: Seat | None) -> TrickRules:
    """What a play excludes. Nobody plays the card that was turned up, or only the dealer who took it."""
    up = card_set(upcard) if upcard else 0
    left = 1 << bowers(trump)[0] if trump else 0
    trumps = DECK & SUIT_SETS[SUITS.index(trump)] | left if trump else 0
    kitty: tuple[Holder, ...] = (Holder(KITTY if up else KITTY + 1, ~up),)
    deck, barred = DECK & ~up, (0,) * PLAYERS
    if taken_by is not None:
        kitty, deck = (*kitty, Holder(1, DECK)), DECK
        barred = tuple(0 if seat == taken_by else up for seat in range(PLAYERS))
    side_suits = (suit & deck & ~trumps for suit in SUIT_SETS)
    kinds = tuple(kind for kind in (trumps & deck, *side_suits) if kind)

    def excludes(number: int, led: Card | None, seen: CardSet, card: Card) -> CardSet:
        return 0 if led is None or rules.suit(led) >> card & 1 else rules.suit(led)

    rules = TrickRules(
        excludes, kinds, deck, PLAYERS, trumps, bowers(trump) if trump else (), sits_out, barred, kitty
    )
    return rules


def side_points(state: EuchreState) -> tuple[int, ...]:
    """What a deal that is played brings to each side."""
    makers = side_of(state.maker)
    taken = state.side_tricks()[makers]
    if taken < MAJORITY:
        return tuple(EUCHRE_POINTS * (side != makers) for side in range(SIDES))
    march = LONE_POINTS if state.alone else MARCH_POINTS
    return tuple((march if taken == HAND else POINT) * (side == makers) for side in range(SIDES))


class UpcardTurned(SeatEvent, frozen=True):
    card: str

    def apply(self, state: EuchreState) -> EuchreState:
        lying = tuple(f"?{here}" if here == self.card else here for here in state.lying)
        return replace(state, phase=EuchrePhase.BID, upcard=self.card, scored=(), lying=lying)


class EuchrePassed(SeatEvent, frozen=True, tag="Passed"):
    def apply(self, state: EuchreState) -> EuchreState:
        return replace(state, passes=state.passes + 1)


class TrumpMade(SeatEvent, frozen=True):
    """Somebody has ordered the card up, has picked it up, or has named a suit."""

    suit: str

    def apply(self, state: EuchreState) -> EuchreState:
        return replace(state, phase=EuchrePhase.LONER, trump=self.suit, maker=self.seat)


class PlaysAlone(SeatEvent, frozen=True):
    def apply(self, state: EuchreState) -> EuchreState:
        return _after_makers(replace(state, alone=True))


class PartnerKept(SeatEvent, frozen=True):
    def apply(self, state: EuchreState) -> EuchreState:
        return _after_makers(state)


class DealerDiscarded(SeatEvent, frozen=True):
    """The dealer has picked the card up and has put one away, which nobody sees."""

    def apply(self, state: EuchreState) -> EuchreState:
        return replace(state, phase=EuchrePhase.PLAY)


def _after_makers(state: EuchreState) -> EuchreState:
    return replace(state, phase=EuchrePhase.DISCARD if state.is_picked_up else EuchrePhase.PLAY)


class DealPassed(Event, frozen=True):
    """Nobody made trump: the next one deals."""

    def apply(self, state: EuchreState) -> EuchreState:
        return state.new_deal(state.deal + 1)


class EuchreTrickTaken(SeatEvent, frozen=True, tag="TrickTaken"):
    """All cards of a trick were played: whose they are."""


class EuchreDealScored(Event, frozen=True, tag="DealScored"):
    points: tuple[int, ...]
    """What each side gets."""

    def apply(self, state: EuchreState) -> EuchreState:
        total = tuple(have + more for have, more in zip(state.points, self.points, strict=True))
        return replace(state.new_deal(state.deal + 1), points=total, scored=self.points)


EuchreEvent = TrickEvent | TrickCameraEvent | events_of(__name__)


def _pass(state: EuchreState, said: Action, _: Micros) -> Events:
    passed = EuchrePassed(said.seat)
    return (passed,) if state.passes < 2 * PLAYERS - 1 else (passed, DealPassed())


def _order(state: EuchreState, said: Action, _: Micros) -> Events:
    made = TrumpMade(said.seat, state.upcard.partition("|")[0])
    has_to = state.options.partner_orders == "alone" and said.seat == partner_of(state.dealer)
    return (made, PlaysAlone(said.seat)) if has_to else (made,)


def _turn_up(_: EuchreState, said: Action, __: Micros) -> Events:
    return (UpcardTurned(said.seat, str(said.value)),)


def _name(_: EuchreState, said: Action, __: Micros) -> Events:
    return (TrumpMade(said.seat, str(said.value)),)


VERBS: Mapping[str, VerbRule[EuchreState]] = MappingProxyType(
    {
        verb: define_verb(ruling, phase, who=lambda state: state.seat)
        for verb, phase, ruling in (
            ("turn_up", EuchrePhase.TURN_UP, _turn_up),
            ("pass", EuchrePhase.BID, _pass),
            ("order", EuchrePhase.BID, _order),
            ("name", EuchrePhase.BID, _name),
            ("with_partner", EuchrePhase.LONER, announce(PartnerKept)),
            ("play_alone", EuchrePhase.LONER, announce(PlaysAlone)),
            ("discarded", EuchrePhase.DISCARD, announce(DealerDiscarded)),
        )
    }
)
