"""Basic values of the rules: seats and chairs, actions, prompts, timers, cues, camera requests, options,
outcomes.
"""

from collections.abc import Collection, Iterator
from typing import Annotated, Self

from msgspec import Struct

Chair = Annotated[int, "chair"]
"""A player's place, clockwise from 0, shown as 1..8. It has a button, a lamp, a colour and a shape."""
Chairs = frozenset[Chair]
Seat = Annotated[int, "seat"]
"""A hand of cards in the rules, clockwise from 0. A BOT deck has a seat but no chair."""
Micros = int
"""Game time in microseconds. Wall-clock time appears only in the journal's header."""

SECOND: Micros = 1_000_000
HOLD_TIME: Micros = 600_000
"""A press becomes a hold when the button is still down this long after the edge."""
MAX_PHONE_LAG: Micros = 100_000
"""A phone's press counts at most this long before it arrived: less than human reaction time."""


class Value(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Base class of every value that is compared, hashed and serialised.

    Frozen values cannot form reference cycles, so `gc=False` keeps the garbage collector from visiting every
    journal entry.
    """


PAIR_MARK = "|"
"""Between the two values of a choice in two steps; no card and no place has it in its name."""


def pair_value(first: str | int, second: str | int) -> str:
    """The value of a choice in two steps, such as how many and of what: `5|3`."""
    return f"{first}{PAIR_MARK}{second}"


class Action(Value, frozen=True):
    """One action of one seat, e.g. `Action(2, "announce", 7)`; `value` is None where the verb needs none."""

    seat: Seat
    verb: str
    value: str | int | None = None

    @property
    def parts(self) -> tuple[str | int, ...]:
        """Its values: two of a choice in two steps (`pair_value`), else one or none."""
        if not isinstance(self.value, str):
            return () if self.value is None else (self.value,)
        first, mark, second = self.value.partition(PAIR_MARK)
        return (
            tuple(int(part) if part.isdecimal() else part for part in (first, second)) if mark else (first,)
        )

    @property
    def has_two_steps(self) -> bool:
        return isinstance(self.value, str) and PAIR_MARK in self.value

    def __str__(self) -> str:
        return f"{self.seat}:{self.verb}" + ("" if self.value is None else f"={self.value}")


class Prompt(Value, frozen=True):
    """The actions one chair may choose from now, in the order in which its button steps through them."""

    chair: Chair
    actions: tuple[Action, ...]


class Timer(Value, frozen=True):
    """A ruling that takes effect by itself at `due` unless something else is ruled first."""

    name: str
    due: Micros


class CameraRequest(Value, frozen=True):
    """A request to the camera: the regions it must read with certainty."""

    regions: frozenset[str]
    since: Micros
    """Readings of pictures taken before this do not count."""


class Cue(Value, frozen=True):
    """A sound, or its picture, whose first beat opens a timed window. A repetition has a higher `attempt`."""

    name: str
    value: int
    attempt: int
    beats: int
    """Beats, one second apart; the window closes `beats` seconds after the first."""
    said: str = ""
    """Catalogue key of what is spoken before the first beat; its part `number` is `value`. Empty: nothing."""


class CueStarted(Value, frozen=True):
    """A cue started playing; its first beat is heard at `first_beat`, which may be in the future."""

    cue: Cue
    first_beat: Micros


ABANDONED = "abandoned"
"""The `termination` of a game that was given up."""
LOST = "lost"
"""The `termination` of a game that all lost together: it has no winners."""


class Outcome(Value, frozen=True):
    """How a game ended. `winners` is empty when it was abandoned."""

    termination: str
    winners: tuple[Chair, ...]
    uncovered: bool = False
    """The hidden cards were looked at after the end, so nothing can be taken back and nothing resumed."""

    @property
    def is_open(self) -> bool:
        """Whether nothing is hidden any more. A game that was given up stays hidden until it is uncovered."""
        return self.uncovered or self.termination != ABANDONED


Result = tuple[str, tuple[Seat, ...]]
"""By what a game was decided (`Outcome.termination`), and the seats that won it."""


class Options(Value, frozen=True):
    """House rules of one game; each game has a subclass."""

    def find_conflict(self) -> tuple[str, str] | None:
        """Two keys whose values contradict each other, or None."""
        return None

    def adapt_to_phones(self, chairs: Chairs, held: Chairs, fit: Chairs) -> Self:
        """The house rules of a game that begins while phones are used as buttons.

        `chairs`: all chairs of the game; `held`: those that phones hold; `fit`: those whose phone has a
        connection good enough for races.
        """
        return self

    def chairs_allowed_phones(self, chairs: Chairs, held: Chairs, fit: Chairs) -> Chairs:
        """Those of the chairs held by phones whose phones may press in this game; as in `adapt_to_phones`."""
        return held

    @property
    def friendly(self) -> bool:
        """Whether everybody presses a button that nobody can vouch for, which is then told."""
        return False


class Setup(Value, frozen=True):
    """Who plays, and under which house rules."""

    chairs: tuple[Chair, ...]
    """The chairs in the game, clockwise."""
    options: Options
    bot: bool = False

    @property
    def players(self) -> int:
        return len(self.chairs)


PALETTE = ("red", "blue", "green", "yellow", "purple", "orange", "pink", "white")
"""Default colours of the chairs, chair 1 first."""


def seat_after(seat: Seat, seats: int) -> Seat:
    """The clockwise neighbour of `seat` among `seats` seats."""
    return (seat + 1) % seats


def seats_clockwise(start: Seat, seats: int) -> Iterator[Seat]:
    """All seats once around, `start` first."""
    return ((start + step) % seats for step in range(seats))


def seat_distance(first: Seat, second: Seat, seats: int) -> int:
    """Steps clockwise from `first` to `second`."""
    return (second - first) % seats


def nearest_seat(start: Seat, among: Collection[Seat], seats: int) -> Seat:
    """The seat of `among` that comes first clockwise after `start` (and `start` itself last)."""
    return min(among, key=lambda seat: seat_distance(start + 1, seat, seats))
