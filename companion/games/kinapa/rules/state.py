"""State of a Kinapa game as the referee knows it."""

from enum import StrEnum
from functools import cache, lru_cache

from companion.core import game_status
from companion.core.actions import Micros, Seat, Value
from companion.games.kinapa.rules.options import KinapaOptions

HAND_SIZE = 4
"""Cards dealt to each seat; a seat holds 4, 2 or 0 between exchanges."""
FOXES_PER_LIAR = 2
"""Foxes a punished seat takes."""


class KinapaPhase(StrEnum):
    """What the table is waiting for."""

    STARTING = "starting"
    """Who holds cat 1?"""
    ANNOUNCING = "announcing"
    AIDING = "aiding"
    """The number stands; the aids are being laid on the BOT decks. Hands already count."""
    ANNOUNCED = "announced"
    """The number stands; the count is not heard yet. Hands already count."""
    RECOUNTING = "recounting"
    """The window was voided: the Emperor starts the count again."""
    COUNTING = "counting"
    PAIRING = "pairing"
    """Does the Emperor show the pair?"""
    CHOOSING = "choosing"
    DRAWING = "drawing"
    ASKING = "asking"
    SEARCHING = "searching"
    PICKING = "picking"
    HANDING = "handing"
    RETURNING = "returning"
    AUDITING = "auditing"
    TURNING = "turning"
    PLACING = "placing"
    SUCCEEDING = "succeeding"
    SWITCHING = "switching"
    """The BOT is next: who takes it in hand?"""
    OVER = "over"


class SeatState(Value, frozen=True):
    """One deck with all that belongs to it, as far as the table sees it."""

    cards: int = HAND_SIZE
    placed: tuple[int, ...] = ()
    sheep: bool = False
    foxes: int = 0
    received: int = 0
    """Cards received so far: the base of every proof (KI1)."""
    opened: tuple[str, ...] = ()
    """Open cards of a punished seat that the referee read."""
    row: int = 0
    """Which of the mat's open rows they were read in; 0: in none yet."""


class ObjectPosition(StrEnum):
    """How an object lies."""

    DOWN = "down"
    OPEN = "open"
    CLOSED = "closed"


DOWN, OPEN, CLOSED = ObjectPosition
"""Aliases, because Python 3.11 is slow to look up a member of an enum."""


class Slot(Value, frozen=True):
    """One place of the ring; `label` is what was last seen there, though it may lie hidden again."""

    label: str = ""
    lies: ObjectPosition = ObjectPosition.DOWN
    pair: int = 0
    """The number whose pair lies here."""
    misplaced: bool = False
    """Something unlawful lies here and was called."""


class Claim(Value, frozen=True):
    """A seat said it has not the number, by a raised hand or in answer to a demand."""

    seat: Seat
    number: int
    denied: bool
    """An answer to a demand: a duty. Otherwise a raised hand: may be a bluff."""
    received: int
    """Cards the seat had received when it said so."""
    turn: int


class Turn(Value, frozen=True):
    """One Emperor's turn so far."""

    number: int = 0
    cue_due: Micros = 0
    attempt: int = 0
    first_beat: Micros | None = None
    beat: int = 0
    raised: tuple[Seat, ...] = ()
    asked: Seat | None = None
    answers: tuple[tuple[Seat, bool], ...] = ()
    holders: tuple[Seat, ...] = ()
    partner: Seat | None = None
    lot: int = 0
    pair_shown: bool = False
    card: str = ""
    """The card handed over, where it was seen."""
    audit: tuple[Seat, ...] = ()
    """Seats still to show their hands."""
    found: tuple[Seat, ...] = ()
    punished: tuple[Seat, ...] = ()
    forced: tuple[Seat, ...] = ()
    """Liars caught this turn who had no Sheep."""
    label: str = ""
    slot: int = 0
    """The object that lies open now; slot 0 if it was not said which, no label if it is unknown."""
    candidates: tuple[Seat, ...] = ()
    aids: tuple[Seat, ...] = ()
    """BOT decks whose aid is still to be laid, in order."""
    successor: Seat | None = None
    """The BOT deck that is next, while it is asked who takes it."""


class KinapaState(game_status.GameState, frozen=True):
    """Everything observed, with its consequences."""

    seats: tuple[SeatState, ...]
    slots: tuple[Slot, ...]
    phase: KinapaPhase = KinapaPhase.STARTING
    emperor: Seat = 0
    turn: Turn = Turn()
    turns: int = 0
    down: tuple[Seat, ...] = ()
    """Under `hand=hold`: whose button is down."""
    stays: int = 0
    fox_per_turn: bool = False
    claims: tuple[Claim, ...] = ()
    holds: tuple[tuple[Seat, int], ...] = ()
    """KI7: seats that publicly hold a card of a number."""
    winner: Seat | None = None
    decks: tuple[int, ...] = ()
    """Which dealt deck lies at each seat; empty where nobody plays with a BOT."""
    laid: tuple[tuple[int, ...], ...] = ()
    """The pairs each person laid, whichever deck they came from; empty without a BOT."""
    lowest: int = 1
    """With a BOT: the animal that is asked for before the first turn."""
    left_one: str = ""
    """Why the crown could go to one seat only: `caught`, `alone` or `sheepless`; empty if it was chosen."""

    @property
    def options(self) -> KinapaOptions:
        return self.setup.options  # type: ignore[return-value]  # `Setup` of a journal's header, typed by it

    @property
    def highest(self) -> int:
        """The highest number in play: 2 per seat."""
        return 2 * len(self.seats)

    @property
    def people(self) -> int:
        """Seats whose deck is in somebody's hand; the seats after them are the BOT decks."""
        return len(self.setup.chairs)

    @property
    def bots(self) -> range:
        """The seats whose deck lies under an aid."""
        return range(self.people, len(self.seats))

    def is_bot(self, seat: Seat) -> bool:
        return seat >= self.people

    @property
    def others(self) -> tuple[Seat, ...]:
        """All seats but the Emperor's, clockwise from the Emperor's left; BOT decks after all hands."""
        if not self.bots:
            return seats_after(self.emperor, len(self.seats))
        return tuple(
            [
                seat
                for seat in seats_around(self.emperor, self.people, len(self.seats))
                if self.seats[seat].cards
            ]
        )

    @property
    def raised(self) -> tuple[Seat, ...]:
        up = self.turn.raised
        return tuple([seat for seat in self.others if seat in up])

    @property
    def lowered(self) -> tuple[Seat, ...]:
        up = self.turn.raised
        return tuple([seat for seat in self.others if seat not in up])

    @property
    def placed_numbers(self) -> frozenset[int]:
        """Numbers whose pair lies."""
        placed: list[int] = []
        for seat in self.seats:
            if seat.placed:
                placed += seat.placed
        return frozenset(placed)


@cache
def seats_after(seat: Seat, players: int) -> tuple[Seat, ...]:
    """All other seats, clockwise from the left of `seat`."""
    return tuple((seat + step) % players for step in range(1, players))


@cache
def seats_around(seat: Seat, people: int, seats: int) -> tuple[Seat, ...]:
    """All other seats: hands clockwise from the left of `seat`, then BOT decks, those of others first."""
    bots = range(people, seats)
    own = [bot for bot in bots if bot_deck_owner(bot, people, seats) == seat]
    return (*seats_after(seat, people), *(bot for bot in bots if bot not in own), *own)


def bot_deck_owner(bot: Seat, people: int, seats: int) -> Seat | None:
    """Whose deck is there: two players have one each; a single BOT is nobody's."""
    return bot - people if seats == 2 * people else None


@cache
def object_label(number: int) -> str:
    """The object that takes the pair of `number`: 5 and 6 go on 5-6."""
    low = number if number % 2 else number - 1
    return f"{low}-{low + 1}"


@lru_cache(maxsize=64)
def object_numbers(label: str) -> tuple[int, int]:
    """The two numbers on an object."""
    low, high = label.split("-")
    return int(low), int(high)


@cache
def object_labels(highest: int) -> tuple[str, ...]:
    """The objects of the numbers in play, lowest first."""
    return tuple(object_label(number) for number in range(1, highest, 2))
