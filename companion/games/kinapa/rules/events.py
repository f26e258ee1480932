"""What can be ruled in a game of Kinapa. Each event carries its consequences."""

from __future__ import annotations

from companion.core.actions import Micros, Seat
from companion.core.events import Event
from companion.games.kinapa.rules.state import Phase


class EmperorCrowned(Event, frozen=True):
    """The Emperor card goes to `seat`."""

    seat: Seat


class SheepTaken(Event, frozen=True):
    """A new Emperor without a Sheep takes one."""

    seat: Seat


class SheepReturned(Event, frozen=True):
    """Everybody had a Sheep: all go back but that of `seat`."""

    seat: Seat


class FoxRemoved(Event, frozen=True):
    """One Fox leaves a punished seat; at `left` 0 it takes its cards up."""

    seat: Seat
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


class EndTold(Event, frozen=True):
    """How a game with a BOT is won, said before its first turn (KA27)."""

    win: str


class AidsAsked(Event, frozen=True):
    """Before the count the aids of these BOT decks are laid, in this order."""

    seats: tuple[Seat, ...]


class AidLaid(Event, frozen=True):
    """The aid of a BOT deck shows a raised hand, or none."""

    seat: Seat
    raised: bool


class CountDue(Event, frozen=True):
    """All aids lie; the count is due to be heard by `cue_due`."""

    cue_due: Micros


class HandRaised(Event, frozen=True):
    """ "I do not have it", until the count ends."""

    seat: Seat


class HandLowered(Event, frozen=True):
    """A raised hand came down again before the count ended."""

    seat: Seat


class HandTooEarly(Event, frozen=True):
    """A hand before the announcement: not counted."""

    seat: Seat


class HandTooLate(Event, frozen=True):
    """A hand after the count: not counted."""

    seat: Seat


class HandsLocked(Event, frozen=True):
    """The count is over; this is how the hands stood."""

    raised: tuple[Seat, ...]
    lowered: tuple[Seat, ...]


class PairShown(Event, frozen=True):
    """The Emperor showed both cards of the announced number (X1, X2)."""

    number: int
    then: Phase


class PairDenied(Event, frozen=True):
    """The Emperor said there is no pair to show."""

    then: Phase


class PartnerChosen(Event, frozen=True):
    """The Emperor draws from this lowered seat (X2, X3)."""

    seat: Seat


class ExchangeDeclined(Event, frozen=True):
    """The Emperor does not exchange (house rule `draw_is_duty=false`)."""


class LotDrawn(Event, frozen=True):
    """Chance chose the card of an open hand: the `place`-th from its owner's left."""

    seat: Seat
    place: int


class CardDrawn(Event, frozen=True):
    """The Emperor drew a card from `seat`."""

    seat: Seat
    card: str = ""
    """The physical card, where it lay open."""


class OneAsked(Event, frozen=True):
    """The only lowered seat must say whether it has the number (X4)."""

    seat: Seat
    number: int


class BotAsked(Event, frozen=True):
    """`keeper` alone looks into a BOT deck and says whether the number is there."""

    seat: Seat
    keeper: Seat
    number: int
    then: Phase
    """`asking`: it was the only lowered one; `searching`: no hand has the number."""


class AllAsked(Event, frozen=True):
    """Nobody lowered: the number is demanded from everybody (X5)."""

    number: int


class LiarCalled(Event, frozen=True):
    """The asked seat has it not, so somebody who raised does (X4)."""

    number: int


class Admitted(Event, frozen=True):
    """A seat says it has the number."""

    seat: Seat


class Denied(Event, frozen=True):
    """A seat says it has it not: a duty answer, recorded as a claim."""

    seat: Seat


class HolderFound(Event, frozen=True):
    """This seat has to hand the number over."""

    seat: Seat


class TwoHolders(Event, frozen=True):
    """Several seats have the number: the Emperor picks one of them."""

    seats: tuple[Seat, ...]


class CardHanded(Event, frozen=True):
    """The Emperor confirmed: the number was handed over."""

    seat: Seat
    number: int
    card: str = ""
    """The physical card, where the referee saw it."""


class HandoverRefused(Event, frozen=True):
    """The Emperor got another card than the one demanded."""

    seat: Seat
    number: int


class Punished(Event, frozen=True):
    """A liar takes Foxes and opens the old cards; `priority`: next Emperor unless there is a Sheep."""

    seat: Seat
    foxes: int
    priority: bool


class FoxesTaken(Event, frozen=True):
    """An earlier liar keeps `left` Foxes because another was caught (house rule `second_liar`)."""

    seat: Seat
    left: int


class PunishmentSpared(Event, frozen=True):
    """A liar goes free because no Fox is left for it (house rule `second_liar`)."""

    seat: Seat


class CardReturned(Event, frozen=True):
    """The Emperor gave a different card back."""

    seat: Seat


class AuditOpened(Event, frozen=True):
    """Nobody admits it: these seats show their hands to the camera, in this order (X6)."""

    seats: tuple[Seat, ...]


class CardFound(Event, frozen=True):
    """The audit found the number in this hand."""

    seat: Seat


class CardNotFound(Event, frozen=True):
    """The audit did not find the number in this hand."""

    seat: Seat


class ObjectTurned(Event, frozen=True):
    """The Emperor turned an object face up; `slot` 0 when nobody said which."""

    label: str
    slot: int


class PairPlaced(Event, frozen=True):
    """The Emperor laid a pair on the open object, which is closed from now on."""

    seat: Seat
    number: int
    slot: int


class ObjectHidden(Event, frozen=True):
    """The open object lies face down again in its place."""

    slot: int


class SuccessorAsked(Event, frozen=True):
    """The Emperor chooses the next one among these seats."""

    seats: tuple[Seat, ...]


class SwitchAsked(Event, frozen=True):
    """A BOT deck is next: the Emperor names which of these persons has to take it."""

    seat: Seat
    seats: tuple[Seat, ...]


class Switched(Event, frozen=True):
    """A person lays the own deck down and takes the BOT deck; all that lies with a deck goes along."""

    seat: Seat
    bot: Seat


class DeckEmptied(Event, frozen=True):
    """A deck is empty and out (house rule `win_bot=both_decks`): its Sheep and Foxes go back."""

    seat: Seat


class EmperorStays(Event, frozen=True):
    """Nobody raised a hand: the crown does not move."""

    seat: Seat


class FoxTickAgreed(Event, frozen=True):
    """The table counts Foxes per turn from now on (KA48)."""


class GameWon(Event, frozen=True):
    """The second pair lies: the game is over."""

    seat: Seat


class FalseDenialProven(Event, frozen=True):
    """Public facts prove that this seat answered a demand wrongly."""

    seat: Seat
    number: int


class LieProven(Event, frozen=True):
    """Public facts prove that a raised hand was a bluff: lawful, so told only in the recap."""

    seat: Seat
    number: int


class OpenCardsSeen(Event, frozen=True):
    """The open cards of a punished seat, as the camera read them."""

    seat: Seat
    cards: tuple[str, ...]
    row: int = 0
    """The mat's open row in which they lie; 0 where a mat has none."""


class ObjectForgotten(Event, frozen=True):
    """Silent: it was taken back that the open object was hidden; it is known once it is turned up again."""

    slot: int


class AmissSeen(Event, frozen=True):
    """A place on the table is not as it should be; silent, so that it is called only once."""

    slot: int


class PutRight(Event, frozen=True):
    """That place is as it should be again."""

    slot: int
