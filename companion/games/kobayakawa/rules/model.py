"""Event-sourced state of a Kobayakawa game, as far as the referee knows it: no card in a hand.

House rules and state first, then the events. Each carries all its consequences and says what it does to the
state; nothing is judged here, so that a replay never judges again.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

from msgspec.structs import replace

from companion.core import game_status
from companion.core.actions import Options, Seat, Value, seats_clockwise
from companion.core.events import Event, InterimEvent, Repaired, SeatEvent, SilentEvent, events_of

# House rules ------------------------------------------------------------------------------------------------


class KobayakawaOptions(Options, frozen=True):
    """Keys and defaults as docs/rules.md lists them (OA numbers name its ambiguities).

    Without a choice: the centre alone counts the rounds (OA4), a lone fighter shows nothing (OA7), who has
    two kamons stakes two in the last round (OA8), its pot is never split (OA9), an old Kobayakawa lies buried
    and was public (OA10), bets go clockwise from the start player (OA11), and who has nothing left is out
    after the payout (OA12).
    """

    draw_optional: bool = False
    """OA1: may a player neither draw nor replace."""
    nobody_fights: Literal["repeat", "box", "carried", "last_player"] = "repeat"
    """OA2: a round without a fighter: again; the centre's part to the box; the same kept for the next winner
    (in the last round: again); or the last to bet wins as soon as all others passed."""
    start_after_no_fight: Literal["next", "same"] = "next"
    """OA3: who starts after such a round; who speaks first has the worst place, so it goes round."""
    last_survivor_wins: bool = True
    """OA5: does the game stop when one player alone has kamons."""
    final_tie: Literal["shared", "last_round", "turn_order", "deciding_round"] = "shared"
    """OA6: who wins when most kamons are held by several: all of them; the winner of the last round if among
    them; the one who sat earliest in its turn order; or who wins a deciding round, which they play alone:
    everybody fights, and nothing is staked."""


# Arithmetic of the showdown ---------------------------------------------------------------------------------
# The lowest fighter adds the Kobayakawa; a lower card that passed is none of its business. Numbers are
# unique: a tie is only possible between the helped lowest and the highest; the earlier in turn order wins.


STARTING_KAMONS = 4
STARTING_CENTRE = 8
LAST_ROUND_CENTRE = 2
"""The round that begins with this many kamons in the centre is the last; it costs and pays double."""


def fight_cost(kamons: int, centre: int) -> int:
    """What fighting costs a player with `kamons`, in the round that began with `centre`."""
    return min(kamons, 2 if centre == LAST_ROUND_CENTRE else 1)


def centre_bonus(centre: int) -> int:
    """What the centre adds to the stakes in the round that began with `centre`; an empty one has nothing."""
    return min(centre, 2 if centre == LAST_ROUND_CENTRE else 1)


def fighter_totals(fighters: Mapping[Seat, int], kobayakawa: int) -> dict[Seat, int]:
    """Each fighter's total: its card, and for the lowest the Kobayakawa too."""
    lowest = min(fighters, key=fighters.__getitem__)
    return {seat: card + (kobayakawa if seat == lowest else 0) for seat, card in fighters.items()}


def showdown_winner(fighters: Mapping[Seat, int], kobayakawa: int, order: Sequence[Seat]) -> Seat:
    """Who wins the showdown; of equal totals the one earlier in `order`."""
    reached = fighter_totals(fighters, kobayakawa)
    return min(reached, key=lambda seat: (-reached[seat], order.index(seat)))


# State ------------------------------------------------------------------------------------------------------


CARD_COUNT = 15
"""Numbers 1 to 15, each once."""
KAMONS_IN_BOX = 32
"""Kamons that come with the game."""
NO_CARD, UNREAD = -1, 0
"""No card is there; a card whose number nobody knows."""
KOBAYAKAWA_REGION = "kobayakawa"
"""The place of the Kobayakawa, one card over the other."""
SEAT_FIELDS: Mapping[int, tuple[int, ...]] = MappingProxyType(
    {3: (1, 3, 5), 4: (1, 2, 4, 5), 5: (1, 2, 3, 4, 5), 6: (1, 2, 3, 4, 5, 6)}
)
"""The mat has six fields; which of them this many players sit at, clockwise."""


class KobayakawaPhase(StrEnum):
    """What the table is waiting for."""

    STARTING = "starting"
    """The youngest player says so."""
    DEALING = "dealing"
    """Shuffle, deal one secret card each, turn up the Kobayakawa."""
    REVEALING = "revealing"
    """It is dealt; the number of the Kobayakawa is asked for."""
    DRAWING = "drawing"
    """Draw or replace."""
    DISCARDING = "discarding"
    """A card was drawn; one of the two comes to lie open."""
    REPLACING = "replacing"
    """The deck's top card comes onto the Kobayakawa."""
    BETTING = "betting"
    """Fight or pass."""
    SHOWDOWN = "showdown"
    """All fighters show their cards."""
    OVER = "over"


ROUND_PHASES = frozenset(
    {
        KobayakawaPhase.DRAWING,
        KobayakawaPhase.DISCARDING,
        KobayakawaPhase.REPLACING,
        KobayakawaPhase.BETTING,
        KobayakawaPhase.SHOWDOWN,
    }
)
"""A round runs."""
DRAW_PHASES = frozenset({KobayakawaPhase.DRAWING, KobayakawaPhase.DISCARDING, KobayakawaPhase.REPLACING})
"""Somebody draws or replaces."""


class SeenNumber(Value, frozen=True):
    """What the camera saw last in a place of the mat."""

    region: str
    number: int


class KobayakawaHand(Value, frozen=True):
    """What one player did in this round, and what is known of the cards."""

    did: str = ""
    """`draw`, `replace` or `neither`."""
    discard: int = NO_CARD
    bet: str = ""
    """`fight` or `pass`."""
    stake: int = 0
    shown: int = UNREAD


class RoundResult(Value, frozen=True):
    """How the last round ended, for everybody to look at until the next."""

    seat: Seat
    how: str
    totals: tuple[tuple[Seat, int], ...]
    count: int
    """Kamons that the winner took."""


class KobayakawaState(game_status.GameState[KobayakawaOptions], frozen=True):
    """Everything observed, with its consequences."""

    cards: int = CARD_COUNT
    """How many numbers there are: fewer only where lines of play are counted."""
    phase: KobayakawaPhase = KobayakawaPhase.STARTING
    round: int = 0
    """Rounds begun."""
    last: bool = False
    """The present round is the last."""
    starter: Seat = 0
    order: tuple[Seat, ...] = ()
    """Who plays this round, from the start player clockwise."""
    turn: int = 0
    """Whose turn it is, as a place in `order`."""
    kamons: tuple[int, ...] = ()
    centre: int = STARTING_CENTRE
    carried: int = 0
    """Kamons of the centre that wait for the next winner (OA2)."""
    box: int = 0
    """Kamons that went back to the box during the game (OA2)."""
    hands: tuple[KobayakawaHand, ...] = ()
    opened: tuple[int, ...] = ()
    """Every Kobayakawa of this round, the present one last."""
    watched: bool = False
    """The camera read this round's Kobayakawa: it sees the table."""
    lying: tuple[SeenNumber, ...] = ()
    """What the camera saw since the round's deal began."""
    cleared: bool = False
    """The place of the Kobayakawa was seen bare since the last round, or game, at this table."""
    misplaced: tuple[str, ...] = ()
    """Places where something lies that may not: called once, until it is put right."""
    doubted: tuple[tuple[str, int], ...] = ()
    """What was read or said of a card although another card is known to have that number (OI1)."""
    result: RoundResult | None = None
    turns: int = 0
    """Choices made in the whole game."""
    deciding: tuple[Seat, ...] = ()
    """Who plays the deciding round (OA6), once it is due."""
    winners: tuple[Seat, ...] = ()
    how: str = ""

    @property
    def total_kamons(self) -> int:
        """Kamons that are in the game."""
        return STARTING_KAMONS * self.players + STARTING_CENTRE

    @property
    def stakes(self) -> int:
        """Kamons that were staked in this round."""
        return sum(hand.stake for hand in self.hands)

    @property
    def seats_with_kamons(self) -> tuple[Seat, ...]:
        """Who has kamons, from the start player clockwise."""
        return tuple(seat for seat in seats_clockwise(self.starter, self.players) if self.kamons[seat])

    @property
    def dealt_in(self) -> tuple[Seat, ...]:
        """Who gets a card in the next round, from the start player clockwise."""
        return tuple(seat for seat in self.seats_with_kamons if not self.deciding or seat in self.deciding)

    @property
    def actor(self) -> Seat | None:
        """Who draws or bets."""
        if (
            self.phase not in ROUND_PHASES
            or self.phase is KobayakawaPhase.SHOWDOWN
            or self.turn >= len(self.order)
        ):
            return None
        return self.order[self.turn]

    @property
    def fighters(self) -> tuple[Seat, ...]:
        """Who fights, in turn order."""
        return tuple(seat for seat in self.order if self.hands[seat].bet == "fight")

    @property
    def unseen_fighters(self) -> tuple[Seat, ...]:
        """Fighters whose number is not known yet, in turn order."""
        return tuple(seat for seat in self.fighters if self.hands[seat].shown == UNREAD)

    @property
    def kobayakawa(self) -> int:
        """The open card's number."""
        return self.opened[-1] if self.opened else UNREAD

    @property
    def deck(self) -> int:
        """Cards left in the face-down deck, by count."""
        drawn = sum(hand.did == "draw" for hand in self.hands)
        drawn += self.phase is KobayakawaPhase.DISCARDING
        return self.cards - len(self.order) - len(self.opened) - drawn

    @property
    def next_round_is_last(self) -> bool:
        """Whether the round that is dealt next is the last."""
        return self.centre == LAST_ROUND_CENTRE

    def last_seen_number(self, region: str) -> int:
        """What was seen last in a place."""
        return next((here.number for here in self.lying if here.region == region), NO_CARD)

    def field_of_seat(self, seat: Seat) -> int:
        """The field of the mat at which a seat sits."""
        return SEAT_FIELDS[self.players][seat] if self.players in SEAT_FIELDS else seat + 1

    def seat_at_field(self, zone: int) -> Seat | None:
        """Who sits at a field of the mat."""
        return next((seat for seat in range(self.players) if self.field_of_seat(seat) == zone), None)


def find_violation(state: KobayakawaState) -> str | None:
    """The first invariant that does not hold, or None."""
    if sum(state.kamons) + state.centre + state.stakes + state.carried + state.box != state.total_kamons:
        return "kamons are conserved"
    if min((*state.kamons, state.centre, state.carried, state.box)) < 0:
        return "nobody owes kamons"
    if state.phase is not KobayakawaPhase.OVER and state.centre < LAST_ROUND_CENTRE and not state.deciding:
        return "the game is over when the centre is empty"
    if not 0 <= state.starter < state.players:
        return "the start player sits at the table"
    known = [
        number
        for number in (
            *state.opened,
            *(hand.discard for hand in state.hands),
            *(hand.shown for hand in state.hands),
        )
        if number > UNREAD
    ]
    if len(set(known)) != len(known) or any(number > state.cards for number in known):
        return "every number exists once"
    if (
        state.phase in {KobayakawaPhase.DEALING, KobayakawaPhase.REVEALING}
        and state.starter not in state.dealt_in
    ):
        return "the start player has kamons"
    if state.phase not in ROUND_PHASES:
        return None
    if state.deck < 0:
        return "the deck never runs out"
    if state.last != state.next_round_is_last:
        return "the last round is the one that began with two kamons in the centre"
    unbet = (seat for seat in state.order if not state.hands[seat].bet)
    if any(not state.kamons[seat] for seat in unbet):
        return "who is still to bet has kamons"
    if state.phase is KobayakawaPhase.SHOWDOWN and len(state.fighters) < 2:
        return "a showdown has two fighters"
    return None


def kobayakawa_target(index: int) -> str:
    """The name of a Kobayakawa, the round's first 0."""
    return f"opened:{index}"


def discard_target(seat: Seat) -> str:
    """The name of somebody's open card."""
    return f"discard:{seat}"


def hand_target(seat: Seat) -> str:
    """The name of a fighter's card."""
    return f"hand:{seat}"


def split_target(target: str) -> tuple[str, int]:
    """A card's kind and its place, from its name."""
    kind, _, place = target.partition(":")
    return kind, int(place)


# Events -----------------------------------------------------------------------------------------------------


RoundWinReason = Literal["showdown", "tie", "alone", "last"]
"""A round is won by the highest total; by sitting earlier at equal totals; as the only fighter, unseen; or as
the last to bet, where all others passed (`nobody_fights=last_player`)."""
NoFightRule = Literal["repeat", "box", "carried"]
GameEndReason = Literal["last_round", "last_survivor", "deciding_round"]


class StarterChosen(SeatEvent, frozen=True):
    """The youngest player begins."""

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return replace(state, phase=KobayakawaPhase.DEALING, starter=self.seat, lying=())


class RegionSeen(SilentEvent, frozen=True):
    """The camera saw another card in a place, or none (-1), or one it cannot read (0). Bookkeeping."""

    region: str
    card: int

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        bare = self.region == KOBAYAKAWA_REGION and self.card == NO_CARD and state.phase not in DRAW_PHASES
        others = tuple(here for here in state.lying if here.region != self.region)
        lying = others if self.card == NO_CARD else (*others, SeenNumber(self.region, self.card))
        return replace(state, lying=lying, cleared=state.cleared or bare)


class KobayakawaAsked(SeatEvent, frozen=True):
    """It is dealt, and nobody has named the open card's number yet."""

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return replace(state, phase=KobayakawaPhase.REVEALING)


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

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        state = replace(
            state,
            phase=KobayakawaPhase.DRAWING,
            round=self.round,
            last=self.last,
            starter=self.seat,
            order=self.order,
            turn=0,
            hands=tuple(
                KobayakawaHand(bet="fight" if self.deciding and seat in self.order else "")
                for seat in range(state.players)
            ),
            opened=(self.number,),
        )
        lying = (SeenNumber(KOBAYAKAWA_REGION, self.number),) if self.watched else ()
        state = replace(state, watched=self.watched, lying=lying, cleared=False)
        return replace(state, misplaced=(), doubted=(), result=None)


class KobayakawaCardDrawn(SeatEvent, frozen=True, tag="CardDrawn"):
    """The player in turn takes the deck's top card, and will lay one of the two open."""

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return replace(state, phase=KobayakawaPhase.DISCARDING)


class ReplaceAnnounced(SeatEvent, frozen=True):
    """The player in turn turns the deck's top card onto the Kobayakawa; its number is not known yet."""

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return replace(state, phase=KobayakawaPhase.REPLACING)


class CardDiscarded(SeatEvent, frozen=True):
    """One of the two cards lies open; number 0: nobody said which."""

    number: int
    then: int
    """The next place in the turn order."""

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        state = _with_hand(state, self.seat, did="draw", discard=self.number)
        # What lay open of that hand may be the card that was kept or the other one: it is read afresh.
        here = f"hand:{state.field_of_seat(self.seat)}"
        lying = tuple(lies for lies in state.lying if lies.region != here)
        return _end_draw_turn(replace(state, lying=lying), self.then)


class DiscardRead(SeatEvent, frozen=True):
    """The number of an open card became known."""

    number: int

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return _with_hand(state, self.seat, discard=self.number)


class KobayakawaReplaced(SeatEvent, frozen=True):
    """A new card lies on the Kobayakawa."""

    number: int
    then: int

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        state = replace(state, opened=(*state.opened, self.number))
        return _end_draw_turn(_with_hand(state, self.seat, did="replace"), self.then)


class KobayakawaRead(Event, frozen=True):
    """The number of the Kobayakawa, which had come into doubt, is known again."""

    number: int

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return replace(state, opened=(*state.opened[:-1], self.number))


class DrawSkipped(SeatEvent, frozen=True):
    """The player in turn does neither (`draw_optional`)."""

    then: int

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return _end_draw_turn(_with_hand(state, self.seat, did="neither"), self.then)


class DiscardMissing(SeatEvent, frozen=True):
    """Somebody drew, and the camera sees no card laid open (OI2)."""


class BettingBegan(SeatEvent, frozen=True):
    """Everybody has drawn or replaced; the start player bets first."""

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return replace(state, phase=KobayakawaPhase.BETTING, turn=0)


class AllPassed(SeatEvent, frozen=True):
    """All others have passed: the last to bet decides alone."""

    count: int


class PlayerFought(SeatEvent, frozen=True, tag="Fought"):
    """Somebody fights and pays the stake."""

    stake: int
    then: int

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        state = _with_hand(state, self.seat, bet="fight", stake=self.stake)
        kamons = _add_kamons(state.kamons, self.seat, -self.stake)
        return replace(state, kamons=kamons, turn=self.then, turns=state.turns + 1)


class PlayerPassed(SeatEvent, frozen=True, tag="Passed"):
    """Somebody passes; the card stays secret."""

    then: int

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return replace(_with_hand(state, self.seat, bet="pass"), turn=self.then, turns=state.turns + 1)


class ShowdownBegan(Event, frozen=True):
    """Two or more fight: they show their cards."""

    seats: tuple[Seat, ...]

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return replace(state, phase=KobayakawaPhase.SHOWDOWN)


class FighterCardShown(SeatEvent, frozen=True, tag="CardShown"):
    """A fighter's number is known."""

    number: int

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return _with_hand(state, self.seat, shown=self.number)


class NumberDoubted(Event, frozen=True):
    """Another card is known to have this number (OI1): one of the two was misread, or swapped."""

    number: int
    target: str
    """What was said to have it: the Kobayakawa, a discard, a hand."""
    seat: Seat | None = None

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return replace(state, doubted=(*state.doubted, (self.target, self.number)))


class NumberForgotten(InterimEvent, frozen=True):
    """The table said it twice: what was known of another card of this number no longer counts."""

    target: str
    card: int

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        kind, place = split_target(self.target)
        if kind == "discard":
            return _with_hand(state, place, discard=UNREAD)
        if kind == "hand":
            return _with_hand(state, place, shown=UNREAD)
        return replace(state, opened=(*state.opened[:place], UNREAD, *state.opened[place + 1 :]))


class KobayakawaMisplacementSeen(SilentEvent, frozen=True, tag="AmissSeen"):
    """Something lies where it may not; silent, so that it is called only once."""

    region: str

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        others = (old for old in state.misplaced if old != self.region)
        return replace(state, misplaced=(*others, self.region))


class KobayakawaMisplacementResolved(SilentEvent, frozen=True, tag="PutRight"):
    """That place is as it should be again."""

    region: str

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return replace(state, misplaced=tuple(old for old in state.misplaced if old != self.region))


class PressIgnored(SeatEvent, SilentEvent, frozen=True, tag="PressedInVain"):
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

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        kamons = _add_kamons(state.kamons, self.seat, self.count)
        result = RoundResult(self.seat, self.how, self.totals, self.count)
        state = replace(_begin_dealing(state, self.seat), kamons=kamons, result=result)
        return replace(state, centre=state.centre - self.bonus, carried=0)


class NobodyFought(Event, frozen=True):
    """No payout: the round is repeated, or the centre's part goes to the box or waits for the next winner."""

    how: NoFightRule
    count: int
    seat: Seat
    """Who starts the next round."""

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        state = replace(_begin_dealing(state, self.seat), centre=state.centre - self.count, result=None)
        kept = self.count if self.how == "carried" else 0
        return replace(state, carried=state.carried + kept, box=state.box + self.count - kept)


class PlayerOut(SeatEvent, frozen=True):
    """Somebody has no kamon left."""


class DealVoided(Event, frozen=True):
    """The deck has `count` cards where it should have `due` (OI3): stakes go back, and it is dealt again."""

    count: int
    due: int

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        kamons = tuple(have + hand.stake for have, hand in zip(state.kamons, state.hands, strict=True))
        return replace(_begin_dealing(state, state.starter), kamons=kamons, round=state.round - 1, last=False)


class DecidingRoundDue(Event, frozen=True):
    """Several have most kamons after the last round: they play one more, and the first of them deals."""

    seats: tuple[Seat, ...]

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return replace(state, deciding=self.seats, starter=self.seats[0])


class KobayakawaGameWon(Event, frozen=True, tag="GameWon"):
    """The last round is over, or the one that decides a tie, or one player alone is left."""

    seats: tuple[Seat, ...]
    how: GameEndReason

    def apply(self, state: KobayakawaState) -> KobayakawaState:
        return replace(state, phase=KobayakawaPhase.OVER, winners=self.seats, how=self.how)


AnyKobayakawaEvent = events_of(__name__)


# What events change -----------------------------------------------------------------------------------------


def apply_repair(state: KobayakawaState, repair: Repaired) -> KobayakawaState:
    """The state with `kamons:seat`, `centre`, `starter` and `number` as the table says; `ValueError` else.

    `deck` is compared with what the deck should have and changes nothing here.
    """
    kamons = list(state.kamons)
    for name, value in repair.table:
        kind, _, place = name.partition(":")
        if kind == "kamons" and place.isdecimal():
            kamons[int(place)] = int(value)
        elif name == "centre":
            state = replace(state, centre=int(value))
        elif name == "starter":
            state = replace(state, starter=int(value))
        elif name == "number":
            lying = tuple(here for here in state.lying if here.region != KOBAYAKAWA_REGION)  # was misread
            state = replace(state, opened=(*state.opened[:-1], int(value)), lying=lying)
        elif name != "deck":
            raise ValueError(name)
    return replace(state, kamons=tuple(kamons))


def _add_kamons(kamons: tuple[int, ...], seat: Seat, count: int) -> tuple[int, ...]:
    return tuple(have + count * (place == seat) for place, have in enumerate(kamons))


def _with_hand(state: KobayakawaState, seat: Seat, **changes: Any) -> KobayakawaState:
    """The state with something changed about one player's round."""
    hands = list(state.hands)
    hands[seat] = replace(hands[seat], **changes)
    return replace(state, hands=tuple(hands))


def _end_draw_turn(state: KobayakawaState, then: int) -> KobayakawaState:
    """The player in turn has drawn, replaced or done neither."""
    return replace(state, phase=KobayakawaPhase.DRAWING, turn=then, turns=state.turns + 1)


def _begin_dealing(state: KobayakawaState, starter: Seat) -> KobayakawaState:
    """The round is over, and the next has to be dealt; its cards stay in mind until then."""
    hands = tuple(replace(hand, stake=0) for hand in state.hands)
    state = replace(state, phase=KobayakawaPhase.DEALING, starter=starter, turn=0, hands=hands)
    unseen = {f"hand:{state.field_of_seat(seat)}" for seat in state.unseen_fighters}
    lying = tuple(here for here in state.lying if here.region in unseen)  # a bet may be corrected
    return replace(state, lying=lying, cleared=False, misplaced=(), doubted=())
