"""State of a Kabuki game as the referee knows it, buried masks included."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from companion.core import game_status
from companion.core.actions import Micros, Seat, Value
from companion.games.kabuki.rules.options import KabukiOptions

DESIGN_COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "leaf": "green",
        "sun": "yellow",
        "lion": "yellow",
        "demon": "red",
        "crab": "red",
        "ghost": "purple",
        "plum": "purple",
        "wave": "blue",
        "storm": "blue",
        "moon": "blue",
    }
)
"""The ten designs and their colours (PB3: 1 green, 2 yellow, 2 red, 2 purple, 3 blue): designs match."""
DESIGNS = tuple(DESIGN_COLOURS)
COPIES_PER_DESIGN = 5
"""Masks of each design."""
DECK_SIZE = COPIES_PER_DESIGN * len(DESIGNS)
STACK_COUNT = 4
ROUND_COUNT = 3
MAX_TWINS = COPIES_PER_DESIGN - 1
"""More masks of one design cannot lie under another."""
UNREAD = ""
"""The design of a mask that nobody could read."""


class KabukiPhase(StrEnum):
    """What the table is waiting for."""

    STARTING = "starting"
    """Chance names the first player."""
    SHUFFLING = "shuffling"
    """The masks are shuffled; the starter says when."""
    PLAYING = "playing"
    """Draw, show, place; the last placed mask may be stopped."""
    REOPENING = "reopening"
    """A timed window was voided: the placer opens it again."""
    CALLED = "called"
    """Stop was called; of whom and about which mask is being found out."""
    ASKING = "asking"
    """The press fell between two pictures: which mask was meant?"""
    STOPPED = "stopped"
    """The Stop has its caller and its mask; the stack is not lifted yet."""
    CHECKING = "checking"
    """Everybody looks at the stack; the caller says how many twins lie there."""
    SHOWING = "showing"
    """Table and referee count differently: the stack is shown card by card."""
    RESTORING = "restoring"
    """The stack goes back in its order."""
    OVER = "over"


class PlacedMask(Value, frozen=True):
    """A mask on a stack."""

    design: str
    """Empty while nobody could read it."""
    seat: Seat
    """Who placed it."""
    number: int
    """The how-manieth of the round, from 1."""


class Placement(Value, frozen=True):
    """A mask seen or said to lie, and between which instants it came."""

    stack: int
    design: str
    clear_until: Micros
    lies_since: Micros


class StopCall(Value, frozen=True):
    """One press that said Stop."""

    seat: Seat
    at: Micros
    source: str
    since: Micros | None = None
    """It fell between here and `at`; None: at `at`."""

    @property
    def earliest(self) -> Micros:
        """The first instant at which it may have been."""
        return self.at if self.since is None else self.since


class AssignedStop(Value, frozen=True):
    """A call that counts: whose, and about which mask."""

    seat: Seat
    at: Micros
    stack: int
    number: int
    placer: Seat


class PendingStop(Value, frozen=True):
    """Calls whose mask is not settled."""

    calls: tuple[StopCall, ...] = ()
    locked: bool = False
    """No further call can be equal to the first."""
    placement: Placement | None = None
    """A mask that came to lie while the game was stopped: it is placed when play goes on."""
    voided: tuple[Seat, ...] = ()
    """Seats for which it was announced already that their call is void."""
    among: tuple[Seat, ...] = ()
    """Whose calls may all have been first; the placer is asked."""
    newer: bool = False
    """Whether these are about `placement`."""

    @property
    def first_call_at(self) -> Micros:
        """The stamp of the earliest call."""
        return min(call.at for call in self.calls)


class MaskInHand(Value, frozen=True):
    """The turn of the player who draws: what is known of the mask in hand."""

    drawn: bool = False
    design: str = UNREAD
    """As it was shown."""
    where_due: Micros | None = None
    """When to ask where a shown mask went."""
    missed: bool = False
    """It was asked."""
    marked: Micros | None = None
    """`placed_by=button`: the placer's own edge."""
    pointer: int = 1
    """The stack that the shared buttons point at."""
    pointing: bool = False
    """They were used in this turn."""


class KabukiState(game_status.GameState, frozen=True):
    """Everything observed, with its consequences."""

    phase: KabukiPhase = KabukiPhase.STARTING
    round: int = 1
    drawer: Seat = 0
    """Whose turn it is; between rounds the starter of the next."""
    stacks: tuple[tuple[PlacedMask, ...], ...] = ((),) * STACK_COUNT
    """Lowest first."""
    placed: int = 0
    lay: Micros = 0
    """Since when the mask placed last was seen to lie."""
    turns: int = 0
    """Masks placed in the whole game."""
    tokens: tuple[int, ...] = ()
    box: int = 0
    """Tokens returned in this round."""
    missing: int = 0
    """Masks that the deck turned out not to have (BI2)."""
    scores: tuple[tuple[int, ...], ...] = ()
    """Tokens at the end of each round."""
    hand: MaskInHand = MaskInHand()
    closed: bool = True
    """Whether the last placed mask may not be stopped any more."""
    closed_since: Micros | None = None
    """Where the next mask's being shown closed it: since when. None: whoever calls now is too late."""
    until: Micros | None = None
    """The last instant of a timed stop window; a Stop that comes to nothing does not move it."""
    shut: Micros | None = None
    """The last instant of the timed window that was open last."""
    pending: PendingStop = PendingStop()
    stop: AssignedStop | None = None
    withdrawn: tuple[Seat, ...] = ()
    """Who has withdrawn a Stop about the mask placed last."""
    proven: int = 0
    """Twins of the mask placed last that checks have shown and the placer has paid for."""
    said: int | None = None
    """How many twins the table counted."""
    cards: tuple[str, ...] = ()
    """The stack as it is shown card by card, lowest first."""
    unread: tuple[Placement, ...] = ()
    """Stacks on which something lies that could not be read: a mask, or only a hand."""
    unread_due: Micros | None = None
    """From then on it counts as a mask."""
    misplaced: tuple[Placement, ...] = ()
    """What lies where it may not: to be put right."""
    cold: tuple[tuple[Seat, Micros], ...] = ()
    """Seats whose presses do not count until an instant."""
    doubted: tuple[str, ...] = ()
    """Designs of which a sixth copy was read in this round (BI3): one of the six was misread."""
    winners: tuple[Seat, ...] = ()

    @property
    def options(self) -> KabukiOptions:
        assert isinstance(self.setup.options, KabukiOptions)
        return self.setup.options

    @property
    def starting_tokens(self) -> int:
        """Tokens of each player at the start of a round."""
        return tokens_per_player(self.players)

    @property
    def totals(self) -> tuple[int, ...]:
        """What each player scored in the rounds that are over."""
        return tuple(sum(score[seat] for score in self.scores) for seat in range(self.players))

    @property
    def deck(self) -> int:
        """Masks still in the deck, by count."""
        return self.options.masks - self.missing - self.placed - self.hand.drawn

    @property
    def out(self) -> bool:
        """Whether no mask is left to be placed."""
        return self.deck == 0 and not self.hand.drawn

    @property
    def awaits_earlier_mask(self) -> bool:
        """Whether the mask shown was laid unseen, and a later one waits until it is said where."""
        there = self.pending.placement
        other = there is not None and there.design not in {UNREAD, self.hand.design}
        return self.phase is KabukiPhase.PLAYING and self.hand.missed and self.hand.design != UNREAD and other

    @property
    def uses_pointer(self) -> bool:
        """Whether the shared buttons say where a mask lies: where no camera does, or somebody began to."""
        needed = self.hand.pointing or self.hand.missed or self.desk.blind
        return needed and not self.out

    @property
    def last(self) -> PlacedMask | None:
        """The mask placed last."""
        return next((mask for mask in self.tops if mask is not None and mask.number == self.placed), None)

    @property
    def can_withdraw(self) -> bool:
        """Whether the caller may still withdraw the Stop (BA13)."""
        return self.options.stop_withdraw and self.stop is not None and self.stop.seat not in self.withdrawn

    @property
    def tops(self) -> tuple[PlacedMask | None, ...]:
        """What lies on top of each stack: all that is public of it."""
        return tuple(stack[-1] if stack else None for stack in self.stacks)

    def top(self, stack: int) -> PlacedMask | None:
        """The mask on top of this stack, counted from 1; None if there is none."""
        return self.tops[stack - 1]

    def stack_of(self, mask: PlacedMask) -> int:
        """The stack on which a mask lies, from 1."""
        return next(number for number, stack in enumerate(self.stacks, 1) if mask in stack)

    def count_copies(self, design: str) -> int:
        """How many masks of a design were placed in this round."""
        return sum(mask.design == design for stack in self.stacks for mask in stack)


def tokens_per_player(players: int) -> int:
    """How many tokens everybody begins a round with (PB1)."""
    return 5 if players <= 4 else 4


def count_twins(stack: tuple[PlacedMask, ...], number: int) -> range:
    """How many masks under number `number` may have its design: several counts where a face is unread."""
    below = tuple(mask.design for mask in stack if mask.number < number)
    design = next((mask.design for mask in stack if mask.number == number), UNREAD)
    least = 0 if design == UNREAD else below.count(design)
    unread = len(below) if design == UNREAD else below.count(UNREAD)
    return range(least, min(least + unread, MAX_TWINS) + 1)
