"""Event-sourced state of a Kinapa game, as far as the referee knows it: no card in a hand.

House rules and state first, then the events. Each carries all its consequences and says what it does to the
state; nothing is judged here, so that a replay never judges again.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Literal

from msgspec.structs import replace

from companion.core import game_status
from companion.core.actions import Chair, Micros, Options, Seat, Value
from companion.core.events import Event, InterimEvent, SeatEvent, SilentEvent, events_of

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
        clash = self.second_liar not in COMPATIBLE_LIAR_RULES[self.two_liars]
        return ("two_liars", "second_liar") if clash else None


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

    def open_cards(self) -> tuple[str, ...]:
        """The faces of `opened`: beside them may lie the back of a card that came later."""
        return tuple([card for card in self.opened if not card.startswith("back:")])


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


class KinapaState(game_status.GameState[KinapaOptions], frozen=True):
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

    def bot_owner(self, seat: Seat) -> Seat | None:
        """The person to whom a BOT deck belongs; None for the common one."""
        return bot_deck_owner(seat, self.people, len(self.seats))

    def keeper_of(self, seat: Seat) -> Seat:
        """Who answers for a deck: its holder; for a BOT deck the player who may look into it (KA29, KA42)."""
        if not self.is_bot(seat):
            return seat
        if (owner := self.bot_owner(seat)) is not None:
            return owner
        return self.emperor if self.options.bot_checker == "emperor" else (self.emperor + 1) % self.people

    def chair_of(self, seat: Seat) -> Chair:
        """The chair of the player who answers for a deck."""
        return self.setup.chairs[self.keeper_of(seat)]

    def can_be_crowned(self, seat: Seat) -> bool:
        """Whether the crown may go to a seat that raised at all (KA26)."""
        owned = self.is_bot(seat) and self.bot_owner(seat) is not None
        return self.options.bot_can_be_emperor_2p or not owned

    @property
    def crown_candidates(self) -> tuple[Seat, ...]:
        """The lawful successors; empty when the Emperor stays."""
        forced = tuple([seat for seat in self.turn.forced if seat != self.emperor])
        if forced:  # N1: a liar caught this turn without a Sheep
            return forced
        raised = tuple([seat for seat in self.raised if self.can_be_crowned(seat)])
        sheepless = tuple([seat for seat in raised if not self.seats[seat].sheep])
        if sheepless or self.options.all_sheep == "any_raised":  # N2, N3
            return sheepless or raised
        return ()  # N4

    def sole_successor_reason(self, seat: Seat) -> str:
        """Why nobody but `seat` could be crowned now (N1–N3); empty if the Emperor or the cards chose."""
        if not self.turns or self.turn.candidates or self.crown_candidates != (seat,):
            return ""
        if self.turn.forced:
            return "caught"
        others = [one for one in self.raised if one != seat]
        if not others:
            return "alone"
        first = not self.seats[seat].sheep and all(self.seats[one].sheep for one in others)
        return "sheepless" if first else ""

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

    def apply(self, state: KinapaState) -> KinapaState:
        stays = state.stays if self.seat == state.emperor else 0
        return replace(
            state,
            phase=KinapaPhase.ANNOUNCING,
            emperor=self.seat,
            turn=Turn(),
            stays=stays,
            left_one=state.sole_successor_reason(self.seat),
        )


class SheepTaken(SeatEvent, frozen=True):
    """A new Emperor without a Sheep takes one."""

    def apply(self, state: KinapaState) -> KinapaState:
        return with_seat(state, self.seat, sheep=True)


class SheepReturned(SeatEvent, frozen=True):
    """Everybody had a Sheep: all go back but that of `seat`."""

    def apply(self, state: KinapaState) -> KinapaState:
        seats = tuple(replace(seat, sheep=place == self.seat) for place, seat in enumerate(state.seats))
        return replace(state, seats=seats)


class FoxRemoved(SeatEvent, frozen=True):
    """One Fox leaves a punished seat; at `left` 0 it takes its cards up."""

    left: int

    def apply(self, state: KinapaState) -> KinapaState:
        return with_foxes(state, self.seat, self.left)


class NumberAnnounced(Event, frozen=True):
    """The Emperor said "Kinapa" and a number; the count is due to be heard by `cue_due`."""

    number: int
    cue_due: Micros

    def apply(self, state: KinapaState) -> KinapaState:
        new = Turn(number=self.number, cue_due=self.cue_due, attempt=1)
        return replace(state, phase=KinapaPhase.ANNOUNCED, turn=new, turns=state.turns + 1)


class RecountAsked(Event, frozen=True):
    """The same number is counted again."""

    number: int
    cue_due: Micros

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, KinapaPhase.ANNOUNCED, cue_due=self.cue_due, attempt=state.turn.attempt + 1)


class CountOpened(Event, frozen=True):
    """The first beat was heard (or seen): the window is open."""

    first_beat: Micros
    by: str

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, KinapaPhase.COUNTING, first_beat=self.first_beat)


class BeatStruck(SilentEvent, frozen=True):
    """A later beat of the count."""

    beat: int

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, beat=self.beat)


class AnimalMissing(Event, frozen=True):
    """Nobody holds animal `number`: it lies in the BOT deck, and animal `after` is asked for."""

    number: int
    after: int

    def apply(self, state: KinapaState) -> KinapaState:
        return replace(state, lowest=self.after)


class WinConditionTold(Event, frozen=True, tag="EndTold"):
    """How a game with a BOT is won, said before its first turn (KA27)."""

    win: str


class AidsAsked(Event, frozen=True):
    """Before the count the aids of these BOT decks are laid, in this order."""

    seats: tuple[Seat, ...]

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, KinapaPhase.AIDING, aids=self.seats)


class AidLaid(SeatEvent, frozen=True):
    """The aid of a BOT deck shows a raised hand, or none."""

    raised: bool

    def apply(self, state: KinapaState) -> KinapaState:
        raised = (*state.turn.raised, self.seat) if self.raised else state.turn.raised
        return with_turn(state, raised=raised, aids=state.turn.aids[1:])


class CountDue(SilentEvent, frozen=True):
    """All aids lie; the count is due to be heard by `cue_due`."""

    cue_due: Micros

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, KinapaPhase.ANNOUNCED, cue_due=self.cue_due)


class HandRaised(SeatEvent, frozen=True):
    """ "I do not have it", until the count ends."""

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, raised=(*state.turn.raised, self.seat))


class HandLowered(SeatEvent, frozen=True):
    """A raised hand came down again before the count ended."""

    def apply(self, state: KinapaState) -> KinapaState:
        raised = tuple(seat for seat in state.turn.raised if seat != self.seat)
        return with_turn(state, raised=raised)


class ButtonDown(SeatEvent, InterimEvent, frozen=True):
    """Silent, under `hand=hold`: a button went down; whoever holds it at the first beat has raised a hand."""

    def apply(self, state: KinapaState) -> KinapaState:
        return replace(state, down=(*state.down, self.seat))


class ButtonUp(SeatEvent, InterimEvent, frozen=True):
    """Silent, under `hand=hold`: it came up again."""

    def apply(self, state: KinapaState) -> KinapaState:
        return replace(state, down=tuple(seat for seat in state.down if seat != self.seat))


class HandTooEarly(SeatEvent, frozen=True):
    """A hand before the announcement, or with two players before the aids lie: not counted."""


class HandTooLate(SeatEvent, frozen=True):
    """A hand after the count: not counted."""


class HandsLocked(Event, frozen=True):
    """The count is over; this is how the hands stood."""

    raised: tuple[Seat, ...]
    lowered: tuple[Seat, ...]

    def apply(self, state: KinapaState) -> KinapaState:
        claims = tuple(
            _build_claim(state, seat, denied=False) for seat in self.raised if not state.is_bot(seat)
        )
        return replace(
            with_turn(state, KinapaPhase.PAIRING, raised=self.raised), claims=(*state.claims, *claims)
        )


class PairShown(Event, frozen=True):
    """The Emperor showed both cards of the announced number (X1, X2)."""

    number: int
    then: KinapaPhase

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, self.then, pair_shown=True, found=(), holders=())


class PairDenied(SilentEvent, frozen=True):
    """The Emperor said there is no pair to show."""

    then: KinapaPhase

    def apply(self, state: KinapaState) -> KinapaState:
        return replace(state, phase=self.then)


class PartnerChosen(SeatEvent, frozen=True):
    """The Emperor draws from this lowered seat (X2, X3)."""

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, KinapaPhase.DRAWING, partner=self.seat)


class ExchangeDeclined(Event, frozen=True):
    """The Emperor does not exchange (house rule `draw_is_duty=false`)."""

    def apply(self, state: KinapaState) -> KinapaState:
        return replace(state, phase=KinapaPhase.TURNING)


class HandPlaceDrawn(SeatEvent, frozen=True, tag="LotDrawn"):
    """Chance chose the card of an open hand: the `place`-th from its owner's left."""

    place: int

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, lot=self.place)


class KinapaCardDrawn(SeatEvent, frozen=True, tag="CardDrawn"):
    """The Emperor drew a card from `seat`."""

    card: str = ""
    """The physical card, where it lay open."""

    def apply(self, state: KinapaState) -> KinapaState:
        moved = _move_card(_forget_holdings(state, self.seat, state.emperor), self.seat, state.emperor)
        return with_turn(moved, KinapaPhase.RETURNING, partner=self.seat, card=self.card)


class SoleLoweredAsked(SeatEvent, frozen=True, tag="OneAsked"):
    """The only lowered seat must say whether it has the number (X4)."""

    number: int

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, KinapaPhase.ASKING, asked=self.seat)


class BotAsked(SeatEvent, frozen=True):
    """`keeper` alone looks into a BOT deck and says whether the number is there."""

    keeper: Seat
    number: int
    then: KinapaPhase
    """`asking`: it was the only lowered one; `searching`: no hand has the number."""

    def apply(self, state: KinapaState) -> KinapaState:
        if self.then is KinapaPhase.ASKING:
            return with_turn(state, KinapaPhase.ASKING, asked=self.seat)
        return with_turn(state, KinapaPhase.SEARCHING)


class AllAsked(Event, frozen=True):
    """Nobody lowered: the number is demanded from everybody (X5)."""

    number: int

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, KinapaPhase.SEARCHING)


class LiarCalled(Event, frozen=True):
    """The asked seat has it not, so somebody who raised does (X4)."""

    number: int

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, KinapaPhase.SEARCHING)


class NumberAdmitted(SeatEvent, frozen=True, tag="Admitted"):
    """A seat says it has the number."""

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, answers=(*state.turn.answers, (self.seat, True)))


class NumberDenied(SeatEvent, frozen=True, tag="Denied"):
    """A seat says it has it not, or its keeper does: a duty answer, recorded as a claim."""

    def apply(self, state: KinapaState) -> KinapaState:
        state = replace(state, claims=(*state.claims, _build_claim(state, self.seat, denied=True)))
        return with_turn(state, answers=(*state.turn.answers, (self.seat, False)))


class HolderFound(SeatEvent, frozen=True):
    """This seat has to hand the number over."""

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(
            state, KinapaPhase.HANDING, holders=state.turn.holders or (self.seat,), partner=self.seat
        )


class TwoHolders(Event, frozen=True):
    """Several seats have the number: the Emperor picks one of them."""

    seats: tuple[Seat, ...]

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, KinapaPhase.PICKING, holders=self.seats)


class CardHanded(SeatEvent, frozen=True):
    """The Emperor confirmed: the number was handed over."""

    number: int
    card: str = ""
    """The physical card, where the referee saw it."""

    def apply(self, state: KinapaState) -> KinapaState:
        state = _drop_claims(state, self.seat, self.number)
        state = _move_card(_forget_holdings(state, self.seat, state.emperor), self.seat, state.emperor)
        state = replace(state, holds=(*state.holds, (state.emperor, self.number)))
        return with_turn(state, KinapaPhase.RETURNING, partner=self.seat, card=self.card)


class HandoverRefused(SeatEvent, frozen=True):
    """The Emperor got another card than the one demanded."""

    number: int


class LiarPunished(SeatEvent, frozen=True, tag="Punished"):
    """A liar takes Foxes and opens the old cards; `priority`: next Emperor unless there is a Sheep."""

    foxes: int
    priority: bool

    def apply(self, state: KinapaState) -> KinapaState:
        forced = (*state.turn.forced, self.seat) if self.priority else state.turn.forced
        state = with_foxes(state, self.seat, self.foxes)
        return with_turn(state, punished=(*state.turn.punished, self.seat), forced=forced)


class FoxesTaken(SeatEvent, frozen=True):
    """An earlier liar keeps `left` Foxes because another was caught (house rule `second_liar`)."""

    left: int

    def apply(self, state: KinapaState) -> KinapaState:
        return with_foxes(state, self.seat, self.left)


class PunishmentSpared(SeatEvent, frozen=True):
    """A liar goes free because no Fox is left for it (house rule `second_liar`)."""


class CardReturned(SeatEvent, frozen=True):
    """The Emperor gave a different card back."""

    def apply(self, state: KinapaState) -> KinapaState:
        return replace(_move_card(state, state.emperor, self.seat), phase=KinapaPhase.TURNING)


class AuditOpened(Event, frozen=True):
    """Nobody admits it: these seats show their hands to the camera, in this order (X6)."""

    seats: tuple[Seat, ...]

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, KinapaPhase.AUDITING, audit=self.seats)


class CardFound(SeatEvent, frozen=True):
    """The audit found the number in this hand."""

    def apply(self, state: KinapaState) -> KinapaState:
        state = _drop_claims(state, self.seat, state.turn.number)
        return with_turn(state, audit=state.turn.audit[1:], found=(*state.turn.found, self.seat))


class CardNotFound(SeatEvent, frozen=True):
    """The audit did not find the number in this hand."""

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, audit=state.turn.audit[1:])


class ObjectTurned(Event, frozen=True):
    """The Emperor turned an object face up; `slot` 0 when nobody said which."""

    label: str
    slot: int

    def apply(self, state: KinapaState) -> KinapaState:
        state = with_slot(state, self.slot, label=self.label, lies=OPEN, misplaced=False)
        return with_turn(state, KinapaPhase.PLACING, label=self.label, slot=self.slot)


class PairPlaced(SeatEvent, frozen=True):
    """The Emperor laid a pair on the open object, which is closed from now on."""

    number: int
    slot: int

    def apply(self, state: KinapaState) -> KinapaState:
        state = _drop_claims(state, self.seat, self.number)
        owner = state.seats[self.seat]
        state = with_seat(
            state, self.seat, cards=owner.cards - 2, placed=(*owner.placed, self.number), opened=()
        )
        state = with_slot(state, self.slot, lies=CLOSED, pair=self.number)
        if state.laid:
            laid = list(state.laid)
            laid[self.seat] = (*laid[self.seat], self.number)
            state = replace(state, laid=tuple(laid))
        if state.holds:
            kept = tuple(held for held in state.holds if held != (self.seat, self.number))
            state = replace(state, holds=kept)
        return with_turn(state, KinapaPhase.TURNING, label="", slot=0)


class ObjectHidden(Event, frozen=True):
    """The open object lies face down again in its place."""

    slot: int

    def apply(self, state: KinapaState) -> KinapaState:
        state = with_slot(state, self.slot, lies=DOWN, misplaced=False)
        return with_turn(state, label="", slot=0)


class SuccessorAsked(Event, frozen=True):
    """The Emperor chooses the next one among these seats."""

    seats: tuple[Seat, ...]

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, KinapaPhase.SUCCEEDING, candidates=self.seats)


class SwitchAsked(SeatEvent, frozen=True):
    """A BOT deck is next: the Emperor names which of these persons has to take it."""

    seats: tuple[Seat, ...]

    def apply(self, state: KinapaState) -> KinapaState:
        return with_turn(state, KinapaPhase.SWITCHING, candidates=self.seats, successor=self.seat)


class DecksSwitched(SeatEvent, frozen=True, tag="Switched"):
    """A player lays down their deck and takes the BOT deck; all that lies with a deck goes along."""

    bot: Seat

    def apply(self, state: KinapaState) -> KinapaState:
        """What is known of a deck goes along, what a person claimed of it is dropped."""
        there = {self.seat: self.bot, self.bot: self.seat}

        def remap_seats(seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
            return tuple(there.get(seat, seat) for seat in seats)

        places = remap_seats(tuple(range(len(state.seats))))
        turn = replace(
            state.turn,
            raised=remap_seats(state.turn.raised),
            punished=remap_seats(state.turn.punished),
            forced=remap_seats(state.turn.forced),
        )
        return replace(
            state,
            seats=tuple(state.seats[place] for place in places),
            decks=tuple(state.decks[place] for place in places),
            holds=tuple((there.get(seat, seat), number) for seat, number in state.holds),
            claims=tuple(claim for claim in state.claims if claim.seat not in there),
            turn=turn,
            # An empty deck gives way in the middle of a turn; the crown stays with its person.
            stays=0 if state.seats[self.seat].cards else state.stays,
        )


class DeckEmptied(SeatEvent, SilentEvent, frozen=True):
    """A deck is empty and out (house rule `win_bot=both_decks`): its Sheep and Foxes go back."""

    def apply(self, state: KinapaState) -> KinapaState:
        return with_foxes(with_seat(state, self.seat, sheep=False), self.seat, 0)


class EmperorStays(SeatEvent, frozen=True):
    """Nobody raised a hand: the crown does not move."""

    def apply(self, state: KinapaState) -> KinapaState:
        return replace(state, phase=KinapaPhase.ANNOUNCING, turn=Turn(), stays=state.stays + 1)


class FoxTickAgreed(Event, frozen=True):
    """The table counts Foxes per turn from now on (KA48)."""

    def apply(self, state: KinapaState) -> KinapaState:
        return replace(state, fox_per_turn=True)


class KinapaGameWon(SeatEvent, frozen=True, tag="GameWon"):
    """The second pair lies: the game is over."""

    def apply(self, state: KinapaState) -> KinapaState:
        return replace(state, phase=KinapaPhase.OVER, winner=self.seat)


class FalseDenialProven(SeatEvent, frozen=True):
    """Public facts prove that this seat answered a demand wrongly."""

    number: int

    def apply(self, state: KinapaState) -> KinapaState:
        return _drop_claims(state, self.seat, self.number)


class LieProven(SeatEvent, SilentEvent, frozen=True):
    """Public facts prove that a raised hand was a bluff: lawful, so shown only in the recap."""

    number: int

    def apply(self, state: KinapaState) -> KinapaState:
        return _drop_claims(state, self.seat, self.number)


class OpenCardsSeen(SeatEvent, SilentEvent, frozen=True):
    """The open cards of a punished seat, as the camera read them."""

    cards: tuple[str, ...]
    row: int = 0
    """The mat's open row in which they lie; 0 where a mat has none."""

    def apply(self, state: KinapaState) -> KinapaState:
        return with_seat(state, self.seat, opened=self.cards, row=self.row)


class OpenCardsForgotten(SeatEvent, InterimEvent, frozen=True):
    """Silent: rulings were taken back, and these open cards were taken up since; they are read again."""

    def apply(self, state: KinapaState) -> KinapaState:
        return with_seat(state, self.seat, opened=())


class ObjectForgotten(InterimEvent, frozen=True):
    """Silent: it was taken back that the open object was hidden; it is known once it is turned up again."""

    slot: int

    def apply(self, state: KinapaState) -> KinapaState:
        state = with_slot(state, self.slot, label="", lies=DOWN, misplaced=False)
        turned = state.phase is KinapaPhase.PLACING and self.slot == state.turn.slot
        return with_turn(state, KinapaPhase.TURNING, label="") if turned else state


class KinapaMisplacementSeen(SilentEvent, frozen=True, tag="AmissSeen"):
    """A place on the table is not as it should be; silent, so that it is called only once."""

    slot: int

    def apply(self, state: KinapaState) -> KinapaState:
        return with_slot(state, self.slot, misplaced=True)


class KinapaMisplacementResolved(SilentEvent, frozen=True, tag="PutRight"):
    """That place is as it should be again."""

    slot: int

    def apply(self, state: KinapaState) -> KinapaState:
        return with_slot(state, self.slot, misplaced=False)


AnyKinapaEvent = events_of(__name__)


# Parts of a change ------------------------------------------------------------------------------------------


def void_window(state: KinapaState) -> KinapaState:
    """The count will be started again; the aids stay as they were laid."""
    aids = tuple(seat for seat in state.turn.raised if state.is_bot(seat))
    return with_turn(state, KinapaPhase.RECOUNTING, raised=aids, first_beat=None, beat=0)


def with_turn(state: KinapaState, phase: KinapaPhase | None = None, **changes: Any) -> KinapaState:
    """The state with something changed about the turn, and in another phase if one is given."""
    return replace(state, phase=phase or state.phase, turn=replace(state.turn, **changes))


def with_seat(state: KinapaState, seat: Seat, **changes: Any) -> KinapaState:
    """The state with something changed about one seat's deck."""
    seats = list(state.seats)
    seats[seat] = replace(seats[seat], **changes)
    return replace(state, seats=tuple(seats))


def with_foxes(state: KinapaState, seat: Seat, foxes: int) -> KinapaState:
    """This many Foxes; without any the cards are taken up, and the row they lay in is anybody's."""
    kept: dict[str, Any] = {} if foxes else {"opened": (), "row": 0}
    return with_seat(state, seat, foxes=foxes, **kept)


def with_slot(state: KinapaState, slot: int, **changes: Any) -> KinapaState:
    """The state with something changed about a place of the ring, numbered from 1; 0 changes nothing."""
    if slot == 0:
        return state
    slots = list(state.slots)
    slots[slot - 1] = replace(slots[slot - 1], **changes)
    return replace(state, slots=tuple(slots))


def _move_card(state: KinapaState, giver: Seat, taker: Seat) -> KinapaState:
    """One unseen card goes from hand to hand; claims that two received cards could explain are dropped."""
    seats = list(state.seats)
    seats[giver] = replace(seats[giver], cards=seats[giver].cards - 1, opened=())
    received = seats[taker].received + 1
    seats[taker] = replace(seats[taker], cards=seats[taker].cards + 1, received=received)
    claims = tuple(claim for claim in state.claims if claim.seat != taker or received - claim.received < 2)
    return replace(state, seats=tuple(seats), claims=claims)


def _forget_holdings(state: KinapaState, *seats: Seat) -> KinapaState:
    """After another exchange nobody knows whether these seats still hold what they held (KI7)."""
    if not state.holds:
        return state
    return replace(state, holds=tuple(held for held in state.holds if held[0] not in seats))


def _build_claim(state: KinapaState, seat: Seat, *, denied: bool) -> Claim:
    """What a seat claims now of the announced number: a raised hand, or (`denied`) an answer."""
    return Claim(seat, state.turn.number, denied, state.seats[seat].received, state.turns)


def _drop_claims(state: KinapaState, seat: Seat, number: int) -> KinapaState:
    """Drop the claims of `seat` on `number`: they are proven, or the card is gone."""
    kept = tuple(claim for claim in state.claims if claim.seat != seat or claim.number != number)
    return state if len(kept) == len(state.claims) else replace(state, claims=kept)
