"""Event types of Kobayakawa; each carries all its consequences. Each event carries its consequences."""

from typing import Literal

from companion.core.actions import Seat
from companion.core.events import Event, SeatEvent, SharedEvent

RoundWinReason = Literal["showdown", "tie", "alone", "last"]
"""A round is won by the highest total; by sitting earlier at equal totals; as the only fighter, unseen; or as
the last to bet, where all others passed (`nobody_fights=last_player`)."""
NoFightRule = Literal["repeat", "box", "carried"]
GameEndReason = Literal["last_round", "last_survivor", "deciding_round"]


class StarterChosen(SeatEvent, frozen=True):
    """The youngest player begins."""


class RegionSeen(Event, frozen=True):
    """The camera saw another card in a place, or none (-1), or one it cannot read (0). Bookkeeping."""

    region: str
    card: int


class KobayakawaAsked(SeatEvent, frozen=True):
    """It is dealt, and nobody has named the open card's number yet."""


class KobayakawaRoundBegan(SeatEvent, frozen=True, tag="RoundBegan"):
    """Everybody in `order` has a secret card, and the Kobayakawa lies open."""

    round: int
    number: int
    order: tuple[Seat, ...]
    last: bool = False
    watched: bool = False
    """The camera read it."""
    deciding: bool = False
    """Those in `order` have most kamons: all of them fight, and the winner wins the game (OA6)."""


class KobayakawaCardDrawn(SeatEvent, frozen=True, tag="CardDrawn"):
    """The player in turn takes the deck's top card, and will lay one of the two open."""


class ReplaceAnnounced(SeatEvent, frozen=True):
    """The player in turn turns the deck's top card onto the Kobayakawa; its number is not known yet."""


class CardDiscarded(SeatEvent, frozen=True):
    """One of the two cards lies open; number 0: nobody said which."""

    number: int
    then: int
    """The next place in the turn order."""


class DiscardRead(SeatEvent, frozen=True):
    """The number of an open card became known."""

    number: int


class KobayakawaReplaced(SeatEvent, frozen=True):
    """A new card lies on the Kobayakawa."""

    number: int
    then: int


class KobayakawaRead(Event, frozen=True):
    """The number of the Kobayakawa, which had come into doubt, is known again."""

    number: int


class DrawSkipped(SeatEvent, frozen=True):
    """The player in turn does neither (`draw_optional`)."""

    then: int


class DiscardMissing(SeatEvent, frozen=True):
    """Somebody drew, and the camera sees no card laid open (OI2)."""


class BettingBegan(SeatEvent, frozen=True):
    """Everybody has drawn or replaced; the start player bets first."""


class AllPassed(SeatEvent, frozen=True):
    """All others have passed: the last to bet decides alone."""

    count: int


class PlayerFought(SeatEvent, frozen=True, tag="Fought"):
    """Somebody fights and pays the stake."""

    stake: int
    then: int


class PlayerPassed(SeatEvent, frozen=True, tag="Passed"):
    """Somebody passes; the card stays secret."""

    then: int


class ShowdownBegan(Event, frozen=True):
    """Two or more fight: they show their cards."""

    seats: tuple[Seat, ...]


class FighterCardShown(SeatEvent, frozen=True, tag="CardShown"):
    """A fighter's number is known."""

    number: int


class NumberDoubted(Event, frozen=True):
    """Another card is known to have this number (OI1): one of the two was misread, or swapped."""

    number: int
    target: str
    """What was said to have it: the Kobayakawa, a discard, a hand."""
    seat: Seat | None = None


class NumberForgotten(Event, frozen=True):
    """The table said it twice: what was known of another card of this number no longer counts."""

    target: str
    card: int


class KobayakawaMisplacementSeen(Event, frozen=True, tag="AmissSeen"):
    """Something lies where it may not; silent, so that it is called only once."""

    region: str


class KobayakawaMisplacementResolved(Event, frozen=True, tag="PutRight"):
    """That place is as it should be again."""

    region: str


class PressIgnored(SeatEvent, frozen=True, tag="PressedInVain"):
    """Somebody pressed who is not asked: too early, or too late. Told on their own panel only."""

    early: bool


class RoundWon(SeatEvent, frozen=True):
    """`seat` takes `count` kamons: all stakes, the centre's part, and what was carried over."""

    how: RoundWinReason
    count: int
    bonus: int
    """The part that comes from the centre."""
    total: int = 0
    """What the winner's card came to; 0 where it stays unseen."""
    totals: tuple[tuple[Seat, int], ...] = ()


class NobodyFought(Event, frozen=True):
    """No payout: the round is repeated, or the centre's part goes to the box or waits for the next winner."""

    how: NoFightRule
    count: int
    seat: Seat
    """Who starts the next round."""


class PlayerOut(SeatEvent, frozen=True):
    """Somebody has no kamon left."""


class DealVoided(Event, frozen=True):
    """The deck has `count` cards where it should have `due` (OI3): stakes go back, and it is dealt again."""

    count: int
    due: int


class DecidingRoundDue(Event, frozen=True):
    """Several have most kamons after the last round: they play one more, and the first of them deals."""

    seats: tuple[Seat, ...]


class KobayakawaGameWon(Event, frozen=True, tag="GameWon"):
    """The last round is over, or the one that decides a tie, or one player alone is left."""

    seats: tuple[Seat, ...]
    how: GameEndReason


KobayakawaEvent = (
    StarterChosen
    | RegionSeen
    | KobayakawaAsked
    | KobayakawaRoundBegan
    | KobayakawaCardDrawn
    | ReplaceAnnounced
    | CardDiscarded
    | DiscardRead
    | KobayakawaReplaced
    | KobayakawaRead
    | DrawSkipped
    | DiscardMissing
    | BettingBegan
    | AllPassed
    | PlayerFought
    | PlayerPassed
    | ShowdownBegan
    | FighterCardShown
    | NumberDoubted
    | NumberForgotten
    | KobayakawaMisplacementSeen
    | KobayakawaMisplacementResolved
    | PressIgnored
    | RoundWon
    | NobodyFought
    | PlayerOut
    | DealVoided
    | DecidingRoundDue
    | KobayakawaGameWon
)
AnyKobayakawaEvent = KobayakawaEvent | SharedEvent
