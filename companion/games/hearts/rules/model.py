"""House rules, state and events of Hearts: who played which card, and what a play says of the hand.

The referee sees no hand. What is in the state was told at the table; what follows about hands is derived from
it (`companion.games.kit.proof`) and kept nowhere.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Literal

from msgspec.structs import replace

from companion.core.actions import Action, Micros, Options, Seat
from companion.core.events import Event, Events, SeatEvent, events_of
from companion.core.verbs import VerbRule, announce, define_verb
from companion.games.kit.cards import CARDS, DECK, SUIT_SETS, SUITS, VALUES, Card, CardSet, card_set, suit_set
from companion.games.kit.trick_camera import TrickCameraEvent
from companion.games.kit.trick_table import TrickEvent, TrickGameWon, TrickState, without_cards
from companion.games.kit.tricks import Play, TrickRules

PLAYERS = 4
HEARTS = SUIT_SETS[SUITS.index("hearts")]
QUEEN, JACK = card_set("spades|Q"), card_set("diamonds|J")
POINT_CARDS = HEARTS | QUEEN
QUEEN_POINTS, JACK_POINTS, ALL_POINTS = 13, -10, 26
OPENING = CARDS["clubs|2"]
FEWEST_POINTS = -99


class HeartsOptions(Options, frozen=True):
    target: Literal[100, 50] = 100
    """Points that end the game."""
    passing: Literal["hold", "no_hold", "none"] = "hold"
    """Three cards go left, right, across, and in every fourth deal nobody passes; or never so; or always."""
    first_trick: Literal["no_points", "any"] = "no_points"
    """May who cannot follow suit in the first trick discard hearts and the queen of spades."""
    heart_leads: Literal["broken", "any"] = "broken"
    """May hearts be led before one was discarded."""
    queen_breaks: bool = False
    """Does the queen of spades break hearts, too."""
    queen_or_hearts: bool = False
    """May who has nothing but hearts and the queen of spades lead a heart."""
    moon: Literal["others", "own", "choice"] = "others"
    """Who takes all points adds 26 to everybody else, takes 26 off the own, or chooses."""
    jack: bool = False
    """Is the jack of diamonds worth minus ten."""
    tie: Literal["shared", "more"] = "shared"
    """Do several with the fewest points win together, or is another deal played."""
    revoke: Literal["stands", "all", "again"] = "stands"
    """What follows from a proved revoke: nothing, all points of the deal, or a new deal."""


class HeartsPhase(StrEnum):
    PASS = "pass"  # noqa: S105 - three cards, no password
    PLAY = "play"
    MOON = "moon"
    """Who has shot it chooses."""
    OVER = "over"


class HeartsState(TrickState, frozen=True, kw_only=True):
    """What the referee knows: all of it is public."""

    points: tuple[int, ...]
    phase: HeartsPhase = HeartsPhase.PASS
    scored: tuple[int, ...] = ()
    """What the deal before brought, until the next one is opened."""
    taken: tuple[CardSet, ...] = ()
    """The point cards that each seat took in it."""

    @property
    def options(self) -> HeartsOptions:
        options = self.setup.options
        assert isinstance(options, HeartsOptions)
        return options

    @property
    def rules(self) -> TrickRules:
        return trick_rules(self.options)

    @property
    def limits(self) -> Mapping[str, range]:
        return {"points": range(FEWEST_POINTS, self.options.target)}

    def new_deal(self, deal: int) -> "HeartsState":
        return replace(without_cards(self), phase=HeartsPhase.PASS, deal=deal, scored=(), taken=())


@cache
def trick_rules(options: HeartsOptions) -> TrickRules:
    """What a play of Hearts excludes under these house rules."""
    breaks = HEARTS | (QUEEN if options.queen_breaks else 0)
    led_last = HEARTS | (QUEEN if options.queen_or_hearts else 0)

    def excludes(number: int, led: Card | None, seen: CardSet, card: Card) -> CardSet:
        if led is None:
            is_free = options.heart_leads == "any" or seen & breaks or not HEARTS >> card & 1
            return 0 if is_free else DECK & ~led_last
        if suit_set(led) >> card & 1:
            return 0
        is_barred = number < PLAYERS and options.first_trick == "no_points" and POINT_CARDS >> card & 1
        return suit_set(led) | (DECK & ~POINT_CARDS if is_barred else 0)

    kinds = tuple(kind for suit in SUIT_SETS for kind in (suit & ~QUEEN, suit & QUEEN) if kind)
    return TrickRules(excludes, kinds, DECK, PLAYERS)


def played_cards(plays: Sequence[Play]) -> CardSet:
    return sum(1 << play.card for play in plays)


def points_of(options: HeartsOptions, cards: CardSet) -> int:
    """What these cards are worth."""
    jack = JACK_POINTS if options.jack and cards & JACK else 0
    return (cards & HEARTS).bit_count() + (QUEEN_POINTS if cards & QUEEN else 0) + jack


def taken_cards(state: HeartsState) -> tuple[CardSet, ...]:
    """The cards that each seat has taken, with what was claimed."""
    taken = [0] * PLAYERS
    for seat, trick in state.tricks():
        taken[seat] |= played_cards(trick)
    if state.claimed is not None:
        taken[state.claimed] |= DECK & ~sum(taken)
    return tuple(taken)


def moon_shooter(state: HeartsState) -> Seat | None:
    """Who has taken all point cards of a deal that is over, unless a proved revoke decides it."""
    if state.revokes and state.options.revoke == "all":
        return None
    seats = [seat for seat, cards in enumerate(taken_cards(state)) if cards & POINT_CARDS]
    return seats[0] if len(seats) == 1 else None


def deal_points(state: HeartsState, moon: str) -> tuple[int, ...]:
    """What a deal that is over brings to each seat; who shot the moon takes 26 off the `own`, or not."""
    guilty = {state.plays[number].seat for number in state.revokes}
    if guilty and state.options.revoke == "all":
        return tuple(ALL_POINTS if seat in guilty else 0 for seat in range(PLAYERS))
    taken = [points_of(state.options, cards) for cards in taken_cards(state)]
    shooter = moon_shooter(state)
    if shooter is not None:
        for seat in range(PLAYERS):
            if moon == "own":
                taken[seat] -= 2 * ALL_POINTS if seat == shooter else 0
            else:
                taken[seat] += -ALL_POINTS if seat == shooter else ALL_POINTS
    return tuple(taken)


class DealOpened(SeatEvent, frozen=True):
    """Somebody has led the two of clubs to the first trick."""

    def apply(self, state: HeartsState) -> HeartsState:
        plays, confirmed = (Play(self.seat, OPENING),), frozenset({0})
        begun = replace(state, phase=HeartsPhase.PLAY, plays=plays, confirmed=confirmed)
        return replace(begun, scored=(), taken=())


class TrickTaken(SeatEvent, frozen=True):
    points: int


class MoonShot(SeatEvent, frozen=True):
    """All points went to one player, who chooses what follows if the house rule says so."""

    def apply(self, state: HeartsState) -> HeartsState:
        return replace(state, phase=HeartsPhase.MOON) if state.options.moon == "choice" else state


class DealScored(Event, frozen=True):
    points: tuple[int, ...]

    def apply(self, state: HeartsState) -> HeartsState:
        total = tuple(have + more for have, more in zip(state.points, self.points, strict=True))
        worth = POINT_CARDS | (JACK if state.options.jack else 0)
        taken = tuple(cards & worth for cards in taken_cards(state))
        return replace(state.new_deal(state.deal + 1), points=total, scored=self.points, taken=taken)


HeartsEvent = TrickEvent | TrickCameraEvent | events_of(__name__)


def _moon(state: HeartsState, said: Action, _: Micros) -> Events:
    return _score(state, "others" if said.verb == "add" else "own")


VERBS: Mapping[str, VerbRule[HeartsState]] = MappingProxyType(
    {
        "open": define_verb(announce(DealOpened), HeartsPhase.PASS),
        "add": define_verb(_moon, HeartsPhase.MOON),
        "subtract": define_verb(_moon, HeartsPhase.MOON),
    }
)


def open_deal(state: HeartsState) -> Events:
    """The two of clubs that lies before a player opens a deal."""
    opening = VALUES[OPENING]
    is_there = state.phase is HeartsPhase.PASS and opening in state.lying
    return (DealOpened(state.lying.index(opening)),) if is_there else ()


def end_deal(state: HeartsState) -> Events:
    """A deal that is over: a moon, and unless its player chooses, the points."""
    shooter = moon_shooter(state)
    if shooter is None:
        return _score(state, "others")
    chooses = state.options.moon == "choice"
    return (MoonShot(shooter), *(() if chooses else _score(state, state.options.moon)))


def _score(state: HeartsState, moon: str) -> Events:
    """The deal is scored, a moon in this way, and perhaps somebody has won."""
    scored = DealScored(deal_points(state, moon))
    total = scored.apply(state).points
    fewest = tuple(seat for seat, have in enumerate(total) if have == min(total))
    over = max(total) >= state.options.target and (len(fewest) == 1 or state.options.tie == "shared")
    return (scored, TrickGameWon(fewest)) if over else (scored,)
