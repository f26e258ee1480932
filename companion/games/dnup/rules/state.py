"""State of a dnup game as the referee knows it, with every card seen so far."""

from enum import StrEnum

from companion.core import game_status
from companion.core.actions import Micros, Seat, Value
from companion.games.dnup.rules import cards, deck_composition
from companion.games.dnup.rules.options import DnupOptions

WINNING_POINTS = 4
"""Points that win a game of three to five players."""
WINNING_ROUNDS = 2
"""Won rounds that win a game of two."""
POINTS_FIRST_OUT, POINTS_SECOND_OUT = 2, 1
"""Points for going out."""


class DnupPhase(StrEnum):
    """What the table is waiting for."""

    SCANNING = "scanning"
    """The whole deck is shown once (`deck_file=scan`)."""
    SORTING = "sorting"
    """The cards that this many players do not use are taken out."""
    DEALING = "dealing"
    """Shuffle and deal; the holder of the star card says so."""
    ACTING = "acting"
    """The player in turn plays, adds, takes or rotates."""
    SIZING = "sizing"
    """A play is being said: how many cards?"""
    VALUING = "valuing"
    """How many is said: of which value?"""
    ADDING = "adding"
    """To which set is the card added?"""
    TAKING = "taking"
    """Which set is taken?"""
    OVER = "over"


TURN_PHASES = frozenset(
    {DnupPhase.ACTING, DnupPhase.SIZING, DnupPhase.VALUING, DnupPhase.ADDING, DnupPhase.TAKING}
)
"""A turn is on; in all but the first somebody is saying by button what was done."""


class KnownHand(Value, frozen=True):
    """What is known of one hand."""

    size: int = 0
    known: tuple[str, ...] = ()
    """Cards that were seen on their way into it, as their owner holds them now."""


class PlayArea(Value, frozen=True):
    """One play area: what is there by the rulings, and what was last seen to lie."""

    cards: tuple[str, ...] = ()
    seen: tuple[str, ...] | None = None
    """None: never read, or not readable."""
    old: tuple[str, ...] = ()
    """What was ruled away and may still lie there until somebody's hand has cleared it."""
    awaited: bool = False
    """It was said that the cards lie there, and nothing of them was seen yet."""
    unread: bool = False
    """Something is there that could not be read in this turn."""


class DnupState(game_status.GameState, frozen=True):
    """Everything observed, with its consequences."""

    phase: DnupPhase = DnupPhase.SORTING
    round: int = 0
    turns: int = 0
    seat: Seat = 0
    """Whose turn it is."""
    area: int = 0
    """The area of this turn."""
    hands: tuple[KnownHand, ...] = ()
    areas: tuple[PlayArea, ...] = ()
    discarded: int = 0
    """How many cards the common pile holds."""
    gone: tuple[str, ...] = ()
    """The cards in it that were read, by name."""
    out: tuple[Seat, ...] = ()
    """Who went out in this round, in order."""
    points: tuple[int, ...] = ()
    star: Seat | None = None
    """Who said to hold the star card, until it is seen."""
    deck: tuple[str, ...] = ()
    """The deck as it was shown; empty: as listed."""
    shown: tuple[str, ...] = ()
    """The cards shown so far while the deck is scanned."""
    size: int = 0
    """How many cards are being said to be played."""
    due: Micros | None = None
    """When what lies on the table counts, unless it changes before."""
    doubt: bool = False
    """What is there contradicts what was known; said once more, it counts."""
    idle: int = 0
    """Turns since a card was last played."""
    stalled: bool = False
    """A new deal is offered."""
    spins: tuple[int, ...] = ()
    """How often everybody has rotated the hand in this round."""
    winners: tuple[Seat, ...] = ()

    @property
    def options(self) -> DnupOptions:
        assert isinstance(self.setup.options, DnupOptions)
        return self.setup.options

    @property
    def is_two_player(self) -> bool:
        """Whether two play, with two areas each."""
        return self.players == 2

    @property
    def cards_in_use(self) -> tuple[str, ...]:
        """The cards that are dealt."""
        return deck_composition.cards_in_use(self.deck or deck_composition.PRINTED_DECK, self.players)

    @property
    def cards_each(self) -> int:
        """Cards dealt to everybody."""
        return len(self.cards_in_use) // self.players

    @property
    def is_turn_running(self) -> bool:
        return self.phase in TURN_PHASES

    def owner(self, area: int) -> Seat:
        """Who sits before an area."""
        return area // 2 if self.is_two_player else area

    def number(self, area: int) -> int:
        """Two players: the first or the second area of its owner; else 0."""
        return area % 2 + 1 if self.is_two_player else 0

    def value(self, area: int) -> int:
        """The value of the set in an area; 0 without one."""
        return cards.set_value(self.areas[area].cards) if self.areas[area].cards else 0

    def area_of_size(self, size: int, *but: int) -> int | None:
        """The area with a set of this size, apart from those in `but`: there is at most one."""
        return next(
            (at for at, area in enumerate(self.areas) if len(area.cards) == size and at not in but), None
        )

    def turns_per_lap(self) -> int:
        """Turns that make one round of the table."""
        return len(self.areas) - len(self.out)


def area_region(area: int) -> str:
    """The place of an area, as layouts name it."""
    return f"set:{area + 1}"


def area_in_region(state: DnupState, name: str) -> int | None:
    """The reverse of `region`."""
    kind, _, number = name.partition(":")
    if kind != "set" or not number.isdecimal() or not 1 <= int(number) <= len(state.areas):
        return None
    return int(number) - 1
