"""Event-sourced state of a Kinapa game, as far as the referee knows it: no card in a hand.

House rules and state first, then the events, of which each carries all its consequences. `evolve` says what
each does to the state.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Literal

from companion.core import events as shared
from companion.core import game_status
from companion.core.actions import Micros, Options, Seat, Value
from companion.core.events import Event, SeatEvent

# House rules ------------------------------------------------------------------------------------------------


COMPATIBLE_LIAR_RULES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "chosen_only": frozenset({"counters", "move", "one_each", "none"}),
        "one_fox_each": frozenset({"counters", "one_each"}),
        "both": frozenset({"counters"}),
    }
)
"""With which `second_liar` each `two_liars` goes: two Fox cards suffice, or counters stand for them."""


class KinapaOptions(Options, frozen=True):
    """Keys and defaults as docs/rules.md lists them (KA numbers name its ambiguities)."""

    allow_dead_number: bool = False
    """KA4: may a number be announced whose pair already lies."""
    two_liars: Literal["chosen_only", "one_fox_each", "both"] = "chosen_only"
    """KA6: two raised seats hold one copy each: who is punished."""
    second_liar: Literal["counters", "move", "one_each", "none"] = "counters"
    """KA14: a liar is caught while the Foxes are out."""
    fox_first_tick: Literal["next_turn", "this_turn"] = "next_turn"
    """KA12: whether the transfer that ends the punishing turn already removes a Fox."""
    fox_tick: Literal["transfer", "turn"] = "transfer"
    """KA13: whether Foxes leave only when the crown moves, or every turn."""
    fox_receive: Literal["hidden", "open"] = "hidden"
    """KA15: how a punished seat holds cards it receives later."""
    fox_draw: Literal["random", "choice"] = "random"
    """KA16: whether the referee draws the place in an open hand, or the Emperor picks."""
    all_sheep: Literal["any_raised", "stays"] = "any_raised"
    """KA18: every raised seat has a Sheep already."""
    giveback: Literal["card", "number"] = "card"
    """KA11: what "a different card" means."""
    drawn_named: bool = False
    """Whether a player who draws a hidden card may say which it was: "a different card" is then held to."""
    false_denial_penalty: Literal["none", "audit_only", "always"] = "audit_only"
    """KA9: what a wrong answer to a demand costs."""
    place: Literal["may", "must"] = "may"
    """KA22: whether a matching pair has to be placed; hidden, so only said."""
    count_seconds: Literal[3, 5, 8, 0] = 3
    """KA24: length of the count; 0 is off: the Emperor closes it."""
    hand: Literal["toggle", "hold"] = "toggle"
    """KA24: a press raises and another lowers, or a hand is up while the button is down."""
    draw_is_duty: bool = True
    """KA41: with two or more lowered hands, must the Emperor exchange."""
    nobody_has: Literal["audit"] = "audit"
    """KA3: nobody admits a demanded number."""
    demand_open: bool = False
    """KA34: is the demanded card handed over face up."""
    bot_can_be_emperor_2p: bool = True
    """KA26, KA43: two players: whether the crown may go to a deck under an aid, whose owner then Switches."""
    win_bot: Literal["deck", "two_pairs", "both_decks"] = "deck"
    """KA27: who wins where a BOT plays: who empties the deck in hand, lays any two pairs, or (two players)
    empties both decks."""
    switch_progress: Literal["deck", "person"] = "deck"
    """KA31: whether a pair that lies counts for its deck, or for the person who laid it."""
    switch_foxes: Literal["deck"] = "deck"
    """KA44: Foxes and Sheep stay with the deck."""
    bot_checker: Literal["emperor", "neighbour"] = "emperor"
    """KA29: who looks into the common BOT: the Emperor, or the Emperor's left neighbour."""

    def find_conflict(self) -> tuple[str, str] | None:
        """K-T60; a stored game keeps the pair it began with."""
        return (
            None
            if self.second_liar in COMPATIBLE_LIAR_RULES[self.two_liars]
            else ("two_liars", "second_liar")
        )


# State ------------------------------------------------------------------------------------------------------


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


_CARD_MOVING_PHASES = frozenset({KinapaPhase.RETURNING})
"""Between receiving and giving back the Emperor holds one card more, the partner one fewer."""


def find_violation(state: KinapaState) -> str | None:
    """The first invariant that does not hold, or None."""
    seats = state.seats
    if not 0 <= state.emperor < state.people:
        return "the Emperor sits at the table"
    if sum(seat.cards + 2 * len(seat.placed) for seat in seats) != HAND_SIZE * len(seats):
        return "cards are conserved"
    if any(len(seat.placed) > 2 for seat in seats):
        return "no seat places more than two pairs"
    if len(state.placed_numbers) != sum(len(seat.placed) for seat in seats):
        return "every number has one pair"
    if any(not 1 <= number <= state.highest for number in state.placed_numbers):
        return "numbers in play"
    closed = [slot.pair for slot in state.slots if slot.lies is ObjectPosition.CLOSED]
    if len(set(closed)) < len(closed) or not state.placed_numbers.issuperset(closed):
        return "every closed object carries a pair"
    if any(not 0 <= seat.foxes <= 2 for seat in seats):
        return "0 to 2 foxes a seat"
    if state.decks and sorted(state.decks) != list(range(len(seats))):
        return "every deck lies somewhere"
    if state.laid and {number for pairs in state.laid for number in pairs} != state.placed_numbers:
        return "every pair was laid by somebody"
    # A game that is given up stays as it was in the middle of its phase (K-T65).
    return None if state.desk.abandoned else _broken_in_phase(state)


def _broken_in_phase(state: KinapaState) -> str | None:
    seats, phase = state.seats, state.phase
    if phase not in _CARD_MOVING_PHASES and any(
        seat.cards != HAND_SIZE - 2 * len(seat.placed) for seat in seats
    ):
        return "a hand is 4, 2 or 0 cards"
    if sum(slot.lies is ObjectPosition.OPEN for slot in state.slots) > (phase is KinapaPhase.PLACING):
        return "one object open at a time"
    if phase is not KinapaPhase.STARTING and not seats[state.emperor].sheep:
        return "the Emperor has a Sheep"
    if phase is not KinapaPhase.STARTING and all(seat.sheep for seat in seats if seat.cards):
        return "never has every seat a Sheep"
    if any(seats[seat].foxes for seat in state.turn.raised) and phase in {
        KinapaPhase.COUNTING,
        KinapaPhase.PAIRING,
    }:
        return "a foxed seat is lowered"
    if (
        any(len(seats[person].placed) == 2 for person in range(state.people))
        and phase is not KinapaPhase.OVER
    ):
        return "a second pair ends the game"
    return None


# Events -----------------------------------------------------------------------------------------------------


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


# Groups of events, by the part of a turn that they belong to ------------------------------------------------


CountEvent = (
    NumberAnnounced
    | AidsAsked
    | AidLaid
    | CountDue
    | RecountAsked
    | CountOpened
    | BeatStruck
    | HandRaised
    | HandLowered
    | ButtonDown
    | ButtonUp
    | HandTooEarly
    | HandTooLate
    | HandsLocked
    | shared.WindowVoided
)
"""From the announcement to hands that stand."""
ExchangeEvent = (
    PairShown
    | PairDenied
    | PartnerChosen
    | ExchangeDeclined
    | HandPlaceDrawn
    | KinapaCardDrawn
    | CardReturned
)
"""A card is drawn from a lowered seat, and one goes back."""
DemandEvent = (
    SoleLoweredAsked
    | BotAsked
    | AllAsked
    | LiarCalled
    | NumberAdmitted
    | NumberDenied
    | HolderFound
    | TwoHolders
    | CardHanded
    | HandoverRefused
    | LiarPunished
    | FoxesTaken
    | PunishmentSpared
    | AuditOpened
    | CardFound
    | CardNotFound
)
"""The number is asked for: answers, the card, liars, the audit."""
RingEvent = (
    ObjectTurned
    | PairPlaced
    | ObjectHidden
    | ObjectForgotten
    | KinapaMisplacementSeen
    | KinapaMisplacementResolved
)
"""The ring."""
SuccessionEvent = (
    EmperorCrowned
    | AnimalMissing
    | SwitchAsked
    | DecksSwitched
    | DeckEmptied
    | SheepTaken
    | SuccessorAsked
    | SheepReturned
    | FoxRemoved
    | EmperorStays
    | FoxTickAgreed
    | KinapaGameWon
    | shared.GameAbandoned
)
"""Crown, Sheep, Foxes that leave, the end."""
KnowledgeEvent = FalseDenialProven | LieProven | OpenCardsSeen | shared.Repaired
"""What is known now and was not before."""
NoEffectEvent = shared.Infraction | shared.Repair | WinConditionTold
"""What changes nothing."""
KinapaEvent = (
    CountEvent | ExchangeEvent | DemandEvent | RingEvent | SuccessionEvent | KnowledgeEvent | NoEffectEvent
)
AnyKinapaEvent = KinapaEvent | shared.SharedEvent
