"""Event types of Kabuki; each carries all its consequences. Each event carries its consequences."""

from typing import Literal

from companion.core.actions import Micros, Seat
from companion.core.events import Event, SeatEvent, SharedEvent

RoundEndReason = Literal["token", "deck"]
"""What ended a round: somebody's last token, or the last mask."""


class StarterDrawn(SeatEvent, frozen=True):
    """Chance named who begins the first round."""


class KabukiRoundBegan(SeatEvent, frozen=True, tag="RoundBegan"):
    """All masks are shuffled, tokens lie in front of everybody, `seat` draws first."""

    round: int
    tokens: int


class MaskDrawn(SeatEvent, frozen=True):
    """The player in turn took the top card."""


class MaskShown(SeatEvent, frozen=True):
    """The player in turn showed it to everybody."""

    mask: str
    closes: bool
    """Under `stop_until=next_show` (or `next_draw`) the mask placed before cannot be stopped any more."""
    since: Micros | None = None
    """If it closes: since when; a Stop that came before counts, even if this was seen after it."""


class ShowCleared(Event, frozen=True):
    """The shown mask left the show place; where it lies is asked at `due`."""

    due: Micros


class PlacementMissed(SeatEvent, frozen=True):
    """The referee did not see where the shown mask went: the table says so."""


class PlacementMarked(SeatEvent, frozen=True):
    """The placer's own button said: now it lies (`placed_by=button`)."""

    at: Micros


class StackPointedAt(Event, frozen=True, tag="Pointed"):
    """The shared buttons point at another stack."""

    stack: int


class MaskPlaced(SeatEvent, frozen=True):
    """A mask lies on a stack and may be stopped from now on; empty `mask`: unread."""

    stack: int
    mask: str
    number: int
    clear_until: Micros
    lies_since: Micros
    drawer: Seat
    """Who draws next."""


class UnreadSeen(Event, frozen=True):
    """Something on a stack could not be read; if it is still so at `due` it counts as placed. Silent."""

    stack: int
    clear_until: Micros
    lies_since: Micros
    due: Micros


class UnreadGone(Event, frozen=True):
    """It was only a hand: the stack is as before."""

    stack: int


class MaskRead(Event, frozen=True):
    """The face of an unread mask on top became known."""

    stack: int
    mask: str


class SixthCopySeen(Event, frozen=True, tag="SixthSeen"):
    """More masks of a design than there are (BI3): one was misread. Silent: it would tell of buried ones."""

    mask: str


class DeckDoubted(Event, frozen=True):
    """Told when the round is over: a sixth copy of this design was read."""

    mask: str


class FaceForgotten(Event, frozen=True):
    """Silent: rulings were taken back, and what lay open then was covered since; it is seen or said again."""

    place: str
    """`stack:1` … its top; `show`: the mask in hand; `queued`: one that came to lie while play was stopped;
    `misplaced:1` … one that may not lie there; `audit`: what was shown of the stack that is checked."""


class DeckShort(Event, frozen=True):
    """The deck is empty too early: `count` masks were never placed (BI2)."""

    count: int


class KabukiMisplacementSeen(Event, frozen=True, tag="AmissSeen"):
    """A mask lies where it may not; silent, so that it is called only once."""

    stack: int
    mask: str
    clear_until: Micros
    lies_since: Micros


class KabukiMisplacementResolved(Event, frozen=True, tag="PutRight"):
    """That stack is as it should be again."""

    stack: int


class WindowOpened(Event, frozen=True):
    """A timed stop window is open until and with `until`; `last`: it is the deck's last mask."""

    until: Micros
    last: bool


class WindowClosed(Event, frozen=True):
    """The mask placed last cannot be stopped any more."""


class StopCalled(SeatEvent, frozen=True):
    """Somebody called Stop: the order is locked, the mask will be found out."""

    at: Micros
    source: str
    since: Micros | None = None
    """Where no edge dates the press: it fell between here and `at`."""


class StopJoined(SeatEvent, frozen=True):
    """A further call while the first is pending."""

    at: Micros
    source: str
    since: Micros | None = None
    """Where no edge dates the press: it fell between here and `at`."""


class CallsLocked(Event, frozen=True):
    """Every press that could equal the first call was judged."""


class PlacementQueued(Event, frozen=True):
    """A mask came to lie while play was stopped: it is placed when play goes on."""

    stack: int
    mask: str
    clear_until: Micros
    lies_since: Micros


class MaskAsked(SeatEvent, frozen=True):
    """The press fell between two pictures: the caller says which mask was meant."""


class CallerAsked(SeatEvent, frozen=True):
    """No edge dates one of these presses, so nobody knows whose was first: the placer says so."""

    among: tuple[Seat, ...]
    within: Micros
    """All of them fell within so long a time."""
    newer: bool
    """Whether they are about the mask that came to lie meanwhile."""


class StopAssigned(SeatEvent, frozen=True):
    """The Stop has its caller and its mask; `tied` pressed at the same instant, as far as can be measured."""

    at: Micros
    stack: int
    number: int
    placer: Seat
    tied: tuple[Seat, ...] = ()


class StopVoided(SeatEvent, frozen=True):
    """A later call is void; kept with its distance in microseconds behind the one that counts; 0: unknown."""

    behind: Micros


class OwnMaskCalled(SeatEvent, frozen=True):
    """The placer called their own mask: void."""


class StopTooEarly(SeatEvent, frozen=True):
    """No mask lay there that could be stopped: a false start."""


class StopTooLate(SeatEvent, frozen=True):
    """The mask cannot be stopped any more: it was checked, or its window was over."""


class StopInCooldown(SeatEvent, frozen=True, tag="StopCold"):
    """A press within the cooldown: it does not count."""


class CooledDown(SeatEvent, frozen=True):
    """This chair's presses do not count until `until` (house rule `cooldown_ms`)."""

    until: Micros


class CallsDropped(Event, frozen=True):
    """No pending call counts; play goes on."""


class StopWithdrawn(SeatEvent, frozen=True):
    """The caller takes it back before the stack is lifted (BA13)."""


class CheckBegan(SeatEvent, frozen=True):
    """The stack is lifted and everybody looks."""

    stack: int


class CheckSaid(SeatEvent, frozen=True):
    """The table counted this many twins of the mask."""

    count: int


class CheckDiffers(Event, frozen=True):
    """The referee counted otherwise: the stack is shown card by card."""

    stack: int
    count: int
    """The twins that the referee knows of."""


class StackCardShown(Event, frozen=True, tag="CardShown"):
    """One card of the stack, shown to the camera, the lowest first."""

    mask: str


class StackRead(Event, frozen=True):
    """The camera read the whole stack, lowest first: the log says so from now on."""

    stack: int
    cards: tuple[str, ...]


class StackOrderChanged(Event, frozen=True):
    """The same masks in another order than they were placed (BI1): it was put back otherwise."""

    stack: int


class StackMisread(Event, frozen=True):
    """The log was wrong about this stack and is corrected."""

    stack: int


class StackUnknown(Event, frozen=True):
    """The table's word stands against the log: what lies buried here counts as unread from now on."""

    stack: int


class StopRight(SeatEvent, frozen=True):
    """The caller was right: `count` twins that no check had shown, and `paid` tokens from the placer."""

    placer: Seat
    count: int
    paid: int


class StopWrong(SeatEvent, frozen=True):
    """No twin is there: one token of the caller goes to the box, or to `to` under `wrong_call=placer`."""

    to: Seat | None = None


class StackRestored(Event, frozen=True):
    """The stack lies as before; play goes on."""

    stack: int


class KabukiRoundEnded(SeatEvent, frozen=True, tag="RoundEnded"):
    """`seat` ended the round, by its last token or with the last mask; everybody scores."""

    how: RoundEndReason
    scores: tuple[int, ...]


class KabukiGameWon(Event, frozen=True, tag="GameWon"):
    """Three rounds are over."""

    seats: tuple[Seat, ...]


KabukiEvent = (
    StarterDrawn
    | KabukiRoundBegan
    | MaskDrawn
    | MaskShown
    | ShowCleared
    | PlacementMissed
    | PlacementMarked
    | StackPointedAt
    | MaskPlaced
    | UnreadSeen
    | UnreadGone
    | MaskRead
    | SixthCopySeen
    | DeckDoubted
    | FaceForgotten
    | DeckShort
    | KabukiMisplacementSeen
    | KabukiMisplacementResolved
    | WindowOpened
    | WindowClosed
    | StopCalled
    | StopJoined
    | CallsLocked
    | PlacementQueued
    | MaskAsked
    | CallerAsked
    | StopAssigned
    | StopVoided
    | OwnMaskCalled
    | StopTooEarly
    | StopTooLate
    | StopInCooldown
    | CooledDown
    | CallsDropped
    | StopWithdrawn
    | CheckBegan
    | CheckSaid
    | CheckDiffers
    | StackCardShown
    | StackRead
    | StackOrderChanged
    | StackMisread
    | StackUnknown
    | StopRight
    | StopWrong
    | StackRestored
    | KabukiRoundEnded
    | KabukiGameWon
)
AnyKabukiEvent = KabukiEvent | SharedEvent
