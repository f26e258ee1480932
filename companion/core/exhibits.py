"""What is looked at beside the table: the finish of a race of presses, and a round looked back on."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from companion.core.actions import Chair, Micros, Value
from companion.core.view import Sentence, View

Verdict = Literal[
    "counts", "equal", "void", "own", "early", "late", "cold", "again", "withdrawn", "pending"
]  # fmt: skip
"""What became of a press: `equal` could not be told from the one that counts, `cold` fell into a cooldown."""


class Pressed(Value, frozen=True):
    """One press on the time line."""

    chair: Chair
    at: Micros
    source: str
    verdict: Verdict
    since: Micros | None = None
    """It was found by its level: it fell between here and `at`."""


class Finish(Value, frozen=True):
    """Every press from a placement on, until its stack is lifted; it says nothing of what lies there."""

    seq: int
    """The entry that ruled it."""
    round: int
    stack: int
    placer: Chair
    clear_until: Micros
    """The last instant at which the mask was seen not to lie there."""
    lies_since: Micros
    """The first instant at which it was seen to lie there."""
    resolution: Micros
    """Presses closer than this cannot be told apart: the coarsest of the sources that called."""
    presses: tuple[Pressed, ...]
    """In the order of their stamps."""

    @property
    def contested(self) -> bool:
        """Whether more than one chair pressed."""
        return len(self.chairs) > 1

    @property
    def chairs(self) -> tuple[Chair, ...]:
        """Who pressed, the first press first."""
        return tuple(dict.fromkeys(press.chair for press in self.presses))

    @property
    def zero(self) -> Micros:
        """The first press among those that could have the Stop: distances are told from it."""
        counting = [press.at for press in self.presses if press.verdict in {"counts", "equal"}]
        return min(counting or (press.at for press in self.presses))

    @property
    def winner(self) -> Chair | None:
        """Whose press counts."""
        return next((press.chair for press in self.presses if press.verdict == "counts"), None)

    @property
    def closest(self) -> Micros | None:
        """From the press that counts to the nearest one of another chair that could have counted."""
        mine = next((press for press in self.presses if press.verdict == "counts"), None)
        rivals = [press.at for press in self.presses if press.verdict in {"equal", "void"}]
        if mine is None or not rivals:
            return None
        return min(abs(at - mine.at) for at in rivals)


class Reaction(Value, frozen=True):
    """How long after its mask lay a Stop came: between two bounds, because pictures lie between instants."""

    least: Micros
    most: Micros

    @property
    def middle(self) -> Micros:
        return (self.least + self.most) // 2


class PlayerRound(Value, frozen=True):
    """What one player did in a round."""

    chair: Chair
    tokens: int
    total: int
    """Of all rounds so far."""
    won: int = 0
    """Stops that were right."""
    gained: int = 0
    """Tokens taken by them."""
    wasted: int = 0
    """Stops that were wrong."""
    vain: int = 0
    """Presses that were void: too early, too late, the own mask, after another."""
    reactions: tuple[Reaction, ...] = ()


class Missed(Value, frozen=True):
    """A mask that was placed over its twin, and nobody called."""

    face: str
    chair: Chair
    """Who placed it."""
    stack: int


class RoundRecap(Value, frozen=True):
    """A round that is over, open to everybody."""

    round: int
    players: tuple[PlayerRound, ...]
    missed: tuple[Missed, ...]


Exhibit = Finish | RoundRecap


class Stage(StrEnum):
    """What timing practice is at."""

    GATHERING = "gathering"
    RUNNING = "running"
    OVER = "over"


class Trained(Value, frozen=True):
    """One player's timing practice."""

    chair: Chair
    reactions: tuple[Micros, ...] = ()
    """From the picture with the twin to the edge of the press, in the order they came."""
    early: int = 0
    """Presses while no twin lay there."""
    misses: int = 0
    last: str = ""
    """What came last: `hit`, `early`, `miss`, or nothing yet."""


Kind = Literal["turning", "bluff", "uncaught", "wrong"]
"""A turning point, a bluff that worked, a lie or twin that nobody caught, cards tracked wrongly."""


class Moment(Value, frozen=True):
    """One stop on the time line of a game that is over."""

    seq: int
    """The entry that ruled it."""
    at: Micros
    kind: Kind
    sentence: Sentence
    view: View
    """The table after it, open to everybody."""
    chances: tuple[tuple[float, float], ...] = ()
    """By seat: how likely this person was to win just before, and once all of it was ruled."""

    @property
    def shift(self) -> float:
        """How much of everybody's chances moved, from 0 to 1: the total variation distance."""
        return sum(abs(after - before) for before, after in self.chances) / 2
