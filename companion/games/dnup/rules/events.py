"""Event types of dnup; each carries all its consequences.

Each event carries its consequences; cards as in `cards`.
"""

from companion.core.actions import Micros, Seat
from companion.core.events import Event, SeatEvent, SharedEvent

# Set-up -----------------------------------------------------------------------------------------------------


class CardsShown(Event, frozen=True):
    """These cards were shown while the deck is scanned; `count` in all."""

    names: tuple[str, ...]
    count: int


class ScanUnread(Event, frozen=True):
    """In the row in which the deck is shown lies a card that is not read for certain: none of it counts."""


class ScanRestarted(Event, frozen=True, tag="ScanBegunAgain"):
    """What was shown of the deck is forgotten."""


class DeckScanned(Event, frozen=True):
    """The deck is what was shown."""

    names: tuple[str, ...]
    count: int


class DeckListed(Event, frozen=True):
    """The deck is taken to be as listed, without a scan."""


class DeckSorted(Event, frozen=True):
    """Only the cards that this many players use are left."""

    count: int


class DnupRoundBegan(SeatEvent, frozen=True, tag="RoundBegan"):
    """All cards are dealt; `seat` holds the star card and begins in `area`."""

    area: int
    round: int
    each: int


class CardsRedealt(Event, frozen=True, tag="Redealt"):
    """Nobody gets on: by agreement the cards are dealt again, without points."""


# A turn -----------------------------------------------------------------------------------------------------


class TurnBegan(SeatEvent, frozen=True):
    """`seat` acts, with this area; `number` tells the two areas of a player apart."""

    area: int
    number: int


class SetDiscarded(SeatEvent, frozen=True):
    """A set left the round, face down: the player's of the last turn, or that of the first player out."""

    area: int
    count: int


class AreaRead(Event, frozen=True):
    """The camera read an area. Silent."""

    area: int
    cards: tuple[str, ...]


class AreaUnread(SeatEvent, frozen=True):
    """The cards in an area cannot be named for certain: the table says what was done."""

    area: int


class SetSeen(SeatEvent, frozen=True):
    """A set is being laid: this is what was read so far."""

    count: int
    value: int


class QuietAwaited(Event, frozen=True):
    """If nothing moves until `due`, what lies on the table counts. Silent."""

    due: Micros


class TableQuiet(Event, frozen=True):
    """What is there was judged. Silent; `doubt`: said once more it counts."""

    doubt: bool = False


class CardsFilled(Event, frozen=True):
    """A set that was said was read: its cards are known with both sides. Silent."""

    area: int
    cards: tuple[str, ...]


class SetForgotten(Event, frozen=True):
    """Silent: rulings were taken back, and what lay in this area was in a hand since; it is read again."""

    area: int


class VerbChosen(Event, frozen=True):
    """The player in turn says by button what was done: play, add or take. Silent."""

    verb: str


class SizeSaid(Event, frozen=True):
    """How many cards the play has. Silent."""

    count: int


class SpokenActionDropped(Event, frozen=True, tag="SayingDropped"):
    """Something else was meant. Silent."""


class SetPlayed(SeatEvent, frozen=True):
    """A set from the hand lies in the player's own area; `known` is what is known of the hand now."""

    area: int
    count: int
    value: int
    cards: tuple[str, ...]
    known: tuple[str, ...]


class CardAdded(SeatEvent, frozen=True):
    """One card from the hand of `seat` lies on the set in `area`, which has `count` cards now."""

    area: int
    count: int
    value: int
    card: str
    known: tuple[str, ...]


class SetTaken(SeatEvent, frozen=True):
    """`seat` takes the set in `area` into the hand, every card turned."""

    area: int
    count: int
    value: int


class HandRotated(SeatEvent, frozen=True):
    """`seat` rotates all cards in the hand."""


class SetReturned(SeatEvent, frozen=True):
    """A beaten set goes back into the hand of `seat`, every card turned."""

    area: int
    count: int
    value: int


class SetBeaten(SeatEvent, frozen=True):
    """The beaten set of somebody who is out is discarded."""

    area: int
    count: int


class HandDoubted(SeatEvent, frozen=True):
    """The table's word stands against what was known of the hands: nothing is claimed of them any more."""


class StarElsewhere(SeatEvent, frozen=True):
    """The star card came from another hand than that of `seat`, who said to hold it and began (D-T18)."""


class StallNoticed(Event, frozen=True):
    """For this many rounds of the table nobody played a card: a new deal is offered."""

    laps: int


# Ends -------------------------------------------------------------------------------------------------------


class WentOut(SeatEvent, frozen=True):
    """`seat` has no card left; `place` 1 is the first of the round."""

    place: int
    points: int


class DnupRoundEnded(Event, frozen=True, tag="RoundEnded"):
    """The round is over."""

    round: int


class DnupGameWon(Event, frozen=True, tag="GameWon"):
    """Enough points, or two rounds of two players."""

    seats: tuple[Seat, ...]


DnupEvent = (
    CardsShown
    | ScanUnread
    | ScanRestarted
    | DeckScanned
    | DeckListed
    | DeckSorted
    | DnupRoundBegan
    | CardsRedealt
    | TurnBegan
    | SetDiscarded
    | AreaRead
    | AreaUnread
    | SetSeen
    | QuietAwaited
    | TableQuiet
    | CardsFilled
    | SetForgotten
    | VerbChosen
    | SizeSaid
    | SpokenActionDropped
    | SetPlayed
    | CardAdded
    | SetTaken
    | HandRotated
    | SetReturned
    | SetBeaten
    | HandDoubted
    | StarElsewhere
    | StallNoticed
    | WentOut
    | DnupRoundEnded
    | DnupGameWon
)
AnyDnupEvent = DnupEvent | SharedEvent
