"""Values of the pages shown in place of the table, such as photo finishes."""

from enum import StrEnum
from typing import Literal

from companion.core.actions import Chair, Micros, Value
from companion.core.view import Sentence, View

PressVerdict = Literal[
    "counts", "equal", "void", "own", "early", "late", "cold", "again", "withdrawn", "pending"
]  # fmt: skip
"""The result of a press: `equal` was too close to the first to tell apart, `cold` came in a cooldown."""


class TimelinePress(Value, frozen=True):
    """One press on the time line."""

    chair: Chair
    at: Micros
    source: str
    verdict: PressVerdict
    since: Micros | None = None
    """For a press found by polling: it happened between this instant and `at`; otherwise None."""
    within: tuple[Micros, Micros] | None = None
    """For a phone's press: the interval in which it must have happened; otherwise None."""


class PhotoFinish(Value, frozen=True):
    """All presses from the placement of a mask until its stack is lifted; it reveals no mask."""

    seq: int
    """The journal entry of the ruling."""
    round: int
    stack: int
    placer: Chair
    clear_until: Micros
    """Exposure time of the last frame without the mask."""
    lies_since: Micros
    """Exposure time of the first frame with the mask at rest."""
    resolution: Micros
    """Presses closer than this count as equal: the coarsest resolution of their sources."""
    presses: tuple[TimelinePress, ...]
    """In order of their time stamps."""
    friendly: bool = False
    """As in the game's options: all who could press had phones."""

    @property
    def contested(self) -> bool:
        """Whether more than one chair pressed."""
        return len(self.chairs) > 1

    @property
    def chairs(self) -> tuple[Chair, ...]:
        """The chairs that pressed, in order of their first press."""
        return tuple(dict.fromkeys(press.chair for press in self.presses))

    @property
    def zero_time(self) -> Micros:
        """The first press that could win the Stop; times are shown relative to it."""
        counting = [press.at for press in self.presses if press.verdict in {"counts", "equal"}]
        return min(counting or (press.at for press in self.presses))

    @property
    def winner(self) -> Chair | None:
        """The chair whose press counts."""
        return next((press.chair for press in self.presses if press.verdict == "counts"), None)


class ReactionTime(Value, frozen=True):
    """Time from mask to Stop, as two bounds: when the mask was laid is only known to within a frame."""

    least: Micros
    most: Micros

    @property
    def midpoint(self) -> Micros:
        return (self.least + self.most) // 2


class PlayerRound(Value, frozen=True):
    """What one player did in a round."""

    chair: Chair
    tokens: int
    total: int
    """Score after this round."""
    won: int = 0
    """Correct Stops."""
    gained: int = 0
    """Tokens gained by them."""
    wasted: int = 0
    """Wrong Stops."""
    vain: int = 0
    """Presses without effect: too early, too late, on one's own mask, or after another player's."""
    reactions: tuple[ReactionTime, ...] = ()


class MissedTwin(Value, frozen=True):
    """A mask that was placed on its twin without anybody calling Stop."""

    face: str
    chair: Chair
    """The player who placed it."""
    stack: int


class RoundRecap(Value, frozen=True):
    """A finished round, with everything revealed."""

    round: int
    players: tuple[PlayerRound, ...]
    missed: tuple[MissedTwin, ...]


class ShownTrick(Value, frozen=True):
    """A trick that is looked at again."""

    title: Sentence
    cards: tuple[tuple[Chair, str], ...]
    """Who played which card, in order of play."""
    chair: Chair
    """Whose card it is about."""
    says: Sentence
    """What that card says of the hand."""


class TrickProof(Value, frozen=True):
    """A revoke beside the card that proves it."""

    broken: ShownTrick
    proof: ShownTrick
    follows: Sentence
    """What the house rule says of it."""


class DealScore(Value, frozen=True):
    """What one player has of a deal."""

    chair: Chair
    cards: tuple[str, ...]
    """The cards that count, which this player took."""
    gained: int
    total: int


class DealScores(Value, frozen=True):
    """The points of a deal, the fewest first."""

    players: tuple[DealScore, ...]
    target: int
    """Points that end the game."""


Exhibit = PhotoFinish | RoundRecap | TrickProof | DealScores


class DrillStage(StrEnum):
    """The stage of timing practice."""

    GATHERING = "gathering"
    RUNNING = "running"
    OVER = "over"


class DrillResult(Value, frozen=True):
    """One player's results in timing practice."""

    chair: Chair
    reactions: tuple[Micros, ...] = ()
    """Times from the picture of the twin to the edge of the press, in chronological order."""
    early: int = 0
    """Presses without a twin."""
    misses: int = 0
    last: str = ""
    """The last result: `hit`, `early`, `miss`, or empty."""


MomentKind = Literal["turning", "bluff", "uncaught", "wrong"]
"""A turning point, a successful bluff, an uncaught lie or twin, or a mistake about public cards."""


class RecapMoment(Value, frozen=True):
    """One moment on the time line of a finished game."""

    seq: int
    """The journal entry of the ruling."""
    at: Micros
    kind: MomentKind
    sentence: Sentence
    view: View
    """The view after it, with everything revealed."""
    chances: tuple[tuple[float, float], ...] = ()
    """By seat: the chance of winning, 0 to 1, before and after it."""

    @property
    def chance_shift(self) -> float:
        """How much the chances changed, 0 to 1: the total variation distance."""
        return sum(abs(after - before) for before, after in self.chances) / 2
