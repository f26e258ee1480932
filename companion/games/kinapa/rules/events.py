"""Event types of Kinapa; each carries all its consequences. Each event carries its consequences."""

from companion.core.actions import Micros, Seat
from companion.core.events import Event, SeatEvent
from companion.games.kinapa.rules.state import KinapaPhase


class EmperorCrowned(SeatEvent, frozen=True):
    """The Emperor card goes to `seat`."""


class SheepTaken(SeatEvent, frozen=True):
    """A new Emperor without a Sheep takes one."""


class SheepReturned(SeatEvent, frozen=True):
    """Everybody had a Sheep: all go back but that of `seat`."""


class FoxRemoved(SeatEvent, frozen=True):
    """One Fox leaves a punished seat; at `left` 0 it takes its cards up."""

    left: int


class NumberAnnounced(Event, frozen=True):
    """The Emperor said "Kinapa" and a number; the count is due to be heard by `cue_due`."""

    number: int
    cue_due: Micros


class RecountAsked(Event, frozen=True):
    """The same number is counted again."""

    number: int
    cue_due: Micros


class CountOpened(Event, frozen=True):
    """The first beat was heard (or seen): the window is open."""

    first_beat: Micros
    by: str


class BeatStruck(Event, frozen=True):
    """A later beat of the count."""

    beat: int


class AnimalMissing(Event, frozen=True):
    """Nobody holds animal `number`: it lies in the BOT deck, and animal `after` is asked for."""

    number: int
    after: int


class WinConditionTold(Event, frozen=True, tag="EndTold"):
    """How a game with a BOT is won, said before its first turn (KA27)."""

    win: str


class AidsAsked(Event, frozen=True):
    """Before the count the aids of these BOT decks are laid, in this order."""

    seats: tuple[Seat, ...]


class AidLaid(SeatEvent, frozen=True):
    """The aid of a BOT deck shows a raised hand, or none."""

    raised: bool


class CountDue(Event, frozen=True):
    """All aids lie; the count is due to be heard by `cue_due`."""

    cue_due: Micros


class HandRaised(SeatEvent, frozen=True):
    """ "I do not have it", until the count ends."""


class HandLowered(SeatEvent, frozen=True):
    """A raised hand came down again before the count ended."""


class ButtonDown(SeatEvent, frozen=True):
    """Silent, under `hand=hold`: a button went down; whoever holds it at the first beat has raised a hand."""


class ButtonUp(SeatEvent, frozen=True):
    """Silent, under `hand=hold`: it came up again."""


class HandTooEarly(SeatEvent, frozen=True):
    """A hand before the announcement, or with two players before the aids lie: not counted."""


class HandTooLate(SeatEvent, frozen=True):
    """A hand after the count: not counted."""


class HandsLocked(Event, frozen=True):
    """The count is over; this is how the hands stood."""

    raised: tuple[Seat, ...]
    lowered: tuple[Seat, ...]


class PairShown(Event, frozen=True):
    """The Emperor showed both cards of the announced number (X1, X2)."""

    number: int
    then: KinapaPhase


class PairDenied(Event, frozen=True):
    """The Emperor said there is no pair to show."""

    then: KinapaPhase


class PartnerChosen(SeatEvent, frozen=True):
    """The Emperor draws from this lowered seat (X2, X3)."""


class ExchangeDeclined(Event, frozen=True):
    """The Emperor does not exchange (house rule `draw_is_duty=false`)."""


class HandPlaceDrawn(SeatEvent, frozen=True, tag="LotDrawn"):
    """Chance chose the card of an open hand: the `place`-th from its owner's left."""

    place: int


class KinapaCardDrawn(SeatEvent, frozen=True, tag="CardDrawn"):
    """The Emperor drew a card from `seat`."""

    card: str = ""
    """The physical card, where it lay open."""


class SoleLoweredAsked(SeatEvent, frozen=True, tag="OneAsked"):
    """The only lowered seat must say whether it has the number (X4)."""

    number: int


class BotAsked(SeatEvent, frozen=True):
    """`keeper` alone looks into a BOT deck and says whether the number is there."""

    keeper: Seat
    number: int
    then: KinapaPhase
    """`asking`: it was the only lowered one; `searching`: no hand has the number."""


class AllAsked(Event, frozen=True):
    """Nobody lowered: the number is demanded from everybody (X5)."""

    number: int


class LiarCalled(Event, frozen=True):
    """The asked seat has it not, so somebody who raised does (X4)."""

    number: int


class NumberAdmitted(SeatEvent, frozen=True, tag="Admitted"):
    """A seat says it has the number."""


class NumberDenied(SeatEvent, frozen=True, tag="Denied"):
    """A seat says it has it not: a duty answer, recorded as a claim."""


class HolderFound(SeatEvent, frozen=True):
    """This seat has to hand the number over."""


class TwoHolders(Event, frozen=True):
    """Several seats have the number: the Emperor picks one of them."""

    seats: tuple[Seat, ...]


class CardHanded(SeatEvent, frozen=True):
    """The Emperor confirmed: the number was handed over."""

    number: int
    card: str = ""
    """The physical card, where the referee saw it."""


class HandoverRefused(SeatEvent, frozen=True):
    """The Emperor got another card than the one demanded."""

    number: int


class LiarPunished(SeatEvent, frozen=True, tag="Punished"):
    """A liar takes Foxes and opens the old cards; `priority`: next Emperor unless there is a Sheep."""

    foxes: int
    priority: bool


class FoxesTaken(SeatEvent, frozen=True):
    """An earlier liar keeps `left` Foxes because another was caught (house rule `second_liar`)."""

    left: int


class PunishmentSpared(SeatEvent, frozen=True):
    """A liar goes free because no Fox is left for it (house rule `second_liar`)."""


class CardReturned(SeatEvent, frozen=True):
    """The Emperor gave a different card back."""


class AuditOpened(Event, frozen=True):
    """Nobody admits it: these seats show their hands to the camera, in this order (X6)."""

    seats: tuple[Seat, ...]


class CardFound(SeatEvent, frozen=True):
    """The audit found the number in this hand."""


class CardNotFound(SeatEvent, frozen=True):
    """The audit did not find the number in this hand."""


class ObjectTurned(Event, frozen=True):
    """The Emperor turned an object face up; `slot` 0 when nobody said which."""

    label: str
    slot: int


class PairPlaced(SeatEvent, frozen=True):
    """The Emperor laid a pair on the open object, which is closed from now on."""

    number: int
    slot: int


class ObjectHidden(Event, frozen=True):
    """The open object lies face down again in its place."""

    slot: int


class SuccessorAsked(Event, frozen=True):
    """The Emperor chooses the next one among these seats."""

    seats: tuple[Seat, ...]


class SwitchAsked(SeatEvent, frozen=True):
    """A BOT deck is next: the Emperor names which of these persons has to take it."""

    seats: tuple[Seat, ...]


class DecksSwitched(SeatEvent, frozen=True, tag="Switched"):
    """A player lays down their deck and takes the BOT deck; all that lies with a deck goes along."""

    bot: Seat


class DeckEmptied(SeatEvent, frozen=True):
    """A deck is empty and out (house rule `win_bot=both_decks`): its Sheep and Foxes go back."""


class EmperorStays(SeatEvent, frozen=True):
    """Nobody raised a hand: the crown does not move."""


class FoxTickAgreed(Event, frozen=True):
    """The table counts Foxes per turn from now on (KA48)."""


class KinapaGameWon(SeatEvent, frozen=True, tag="GameWon"):
    """The second pair lies: the game is over."""


class FalseDenialProven(SeatEvent, frozen=True):
    """Public facts prove that this seat answered a demand wrongly."""

    number: int


class LieProven(SeatEvent, frozen=True):
    """Public facts prove that a raised hand was a bluff: lawful, so shown only in the recap."""

    number: int


class OpenCardsSeen(SeatEvent, frozen=True):
    """The open cards of a punished seat, as the camera read them."""

    cards: tuple[str, ...]
    row: int = 0
    """The mat's open row in which they lie; 0 where a mat has none."""


class ObjectForgotten(Event, frozen=True):
    """Silent: it was taken back that the open object was hidden; it is known once it is turned up again."""

    slot: int


class KinapaMisplacementSeen(Event, frozen=True, tag="AmissSeen"):
    """A place on the table is not as it should be; silent, so that it is called only once."""

    slot: int


class KinapaMisplacementResolved(Event, frozen=True, tag="PutRight"):
    """That place is as it should be again."""

    slot: int
