"""Event-sourced state of a dnup game, as far as the referee knows it: every card seen so far.

House rules and state first, then the events. Each carries all its consequences and says what it does to the
state; nothing is judged here, so that a replay never judges again. Cards are written as
in `cards`.
"""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

from msgspec.structs import replace

from companion.core import game_status
from companion.core.actions import Micros, Options, Seat, Value
from companion.core.events import Event, InterimEvent, Repaired, SeatEvent, SilentEvent, events_of
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.cards import HIGHEST_VALUE, STAR_CARD

# House rules ------------------------------------------------------------------------------------------------


class DnupOptions(Options, frozen=True):
    """Keys and defaults as docs/rules.md lists them (DA numbers name its ambiguities).

    Without a choice: a set of the first to go out is discarded whole when it is beaten (DA3), an equal value
    never beats (DA6), the direction of the deal does not matter (DA8), nobody looks through the discards
    (DA10), the holder of the star card begins every round (DA12), four points end the game at once (DA13), a
    lingering set blocks its size (DA14), and a won round of two players ends at once (DA15).
    """

    deck_file: Literal["printed", "scan"] = "printed"
    """DA1: which cards there are: as `PRINTED_DECK` lists them, or as the whole deck is shown once."""
    target_out_player: bool = True
    """DA2: may a card be added to the set of the first to go out, and may it be taken."""
    own_area_target: bool = False
    """DA4: two players: may the own other area be added to or taken."""
    out_check_2p: Literal["before_bounce", "after_bounce"] = "before_bounce"
    """DA5: two players: the last card wins at once, as printed; or not, if it brings an own set home."""
    choose_hand_orientation: bool = False
    """DA7: may a dealt hand be picked up either way."""
    stall_limit: Literal["3_laps", "5_laps", "never"] = "3_laps"
    """DA9: after so many rounds of the table without a card played a new deal is offered."""
    show_hand_sizes: bool = True
    """DA11: does the screen show how many cards everybody holds."""
    score_style: Literal["points", "letters"] = "points"
    """DA16: what is won is called a point, or a letter of d-n-u-p."""
    settle_s: Literal[2, 1, 4, 6] = 2
    """After so many quiet seconds what lies on the table counts; the own button says it at once."""

    @property
    def stall_laps(self) -> int:
        """Rounds of the table without a card played, after which a new deal is offered; 0: never."""
        return {"3_laps": 3, "5_laps": 5}.get(self.stall_limit, 0)


# State ------------------------------------------------------------------------------------------------------


WINNING_POINTS = 4
"""Points that win a game of three to five players."""
WINNING_ROUNDS = 2
"""Won rounds that win a game of two."""
POINTS_FIRST_OUT, POINTS_SECOND_OUT = 2, 1
"""Points for going out."""


class DnupPhase(StrEnum):
    """What the table is waiting for."""

    SCANNING = "scanning"
    """The whole deck is shown once (`deck_file=scan`)."""
    SORTING = "sorting"
    """The cards that this many players do not use are taken out."""
    DEALING = "dealing"
    """Shuffle and deal; the holder of the star card says so."""
    ACTING = "acting"
    """The player in turn plays, adds, takes or rotates."""
    SIZING = "sizing"
    """A play is being said: how many cards?"""
    VALUING = "valuing"
    """How many is said: of which value?"""
    ADDING = "adding"
    """To which set is the card added?"""
    TAKING = "taking"
    """Which set is taken?"""
    OVER = "over"


TURN_PHASES = frozenset(
    {DnupPhase.ACTING, DnupPhase.SIZING, DnupPhase.VALUING, DnupPhase.ADDING, DnupPhase.TAKING}
)
"""A turn is on; in all but the first somebody is saying by button what was done."""


class KnownHand(Value, frozen=True):
    """What is known of one hand."""

    size: int = 0
    known: tuple[str, ...] = ()
    """Cards that were seen on their way into it, as their owner holds them now."""


class PlayArea(Value, frozen=True):
    """One play area: what is there by the rulings, and what was last seen to lie."""

    cards: tuple[str, ...] = ()
    seen: tuple[str, ...] | None = None
    """None: never read, or not readable."""
    old: tuple[str, ...] = ()
    """What was ruled away and may still lie there until somebody's hand has cleared it."""
    awaited: bool = False
    """It was said that the cards lie there, and nothing of them was seen yet."""
    unread: bool = False
    """Something is there that could not be read in this turn."""


class DnupState(game_status.GameState[DnupOptions], frozen=True):
    """Everything observed, with its consequences."""

    phase: DnupPhase = DnupPhase.SORTING
    round: int = 0
    turns: int = 0
    seat: Seat = 0
    """Whose turn it is."""
    area: int = 0
    """The area of this turn."""
    hands: tuple[KnownHand, ...] = ()
    areas: tuple[PlayArea, ...] = ()
    discarded: int = 0
    """How many cards the common pile holds."""
    gone: tuple[str, ...] = ()
    """The cards in it that were read, by name."""
    out: tuple[Seat, ...] = ()
    """Who went out in this round, in order."""
    points: tuple[int, ...] = ()
    star: Seat | None = None
    """Who said to hold the star card, until it is seen."""
    deck: tuple[str, ...] = ()
    """The deck as it was shown; empty: as listed."""
    shown: tuple[str, ...] = ()
    """The cards shown so far while the deck is scanned."""
    size: int = 0
    """How many cards are being said to be played."""
    due: Micros | None = None
    """When what lies on the table counts, unless it changes before."""
    doubt: bool = False
    """What is there contradicts what was known; said once more, it counts."""
    idle: int = 0
    """Turns since a card was last played."""
    stalled: bool = False
    """A new deal is offered."""
    spins: tuple[int, ...] = ()
    """How often everybody has rotated the hand in this round."""
    winners: tuple[Seat, ...] = ()

    @property
    def is_two_player(self) -> bool:
        """Whether two play, with two areas each."""
        return self.players == 2

    @property
    def cards_in_use(self) -> tuple[str, ...]:
        """The cards that are dealt."""
        return card.cards_in_use(self.deck or card.PRINTED_DECK, self.players)

    @property
    def cards_each(self) -> int:
        """Cards dealt to everybody."""
        return len(self.cards_in_use) // self.players

    @property
    def is_turn_running(self) -> bool:
        return self.phase in TURN_PHASES

    def owner(self, area: int) -> Seat:
        """Who sits before an area."""
        return area // 2 if self.is_two_player else area

    def number(self, area: int) -> int:
        """Two players: the first or the second area of its owner; else 0."""
        return area % 2 + 1 if self.is_two_player else 0

    def value(self, area: int) -> int:
        """The value of the set in an area; 0 without one."""
        return card.set_value(self.areas[area].cards) if self.areas[area].cards else 0

    def area_of_size(self, size: int, *but: int) -> int | None:
        """The area with a set of this size, apart from those in `but`: there is at most one."""
        return next(
            (at for at, area in enumerate(self.areas) if len(area.cards) == size and at not in but), None
        )

    def turns_per_lap(self) -> int:
        """Turns that make one round of the table."""
        return len(self.areas) - len(self.out)


def area_region(area: int) -> str:
    """The place of an area, as layouts name it."""
    return f"set:{area + 1}"


def area_in_region(state: DnupState, name: str) -> int | None:
    """The reverse of `region`."""
    kind, _, number = name.partition(":")
    if kind != "set" or not number.isdecimal() or not 1 <= int(number) <= len(state.areas):
        return None
    return int(number) - 1


def find_violation(state: DnupState) -> str | None:
    """The first invariant that does not hold, or None."""
    limit = WINNING_ROUNDS if state.is_two_player else WINNING_POINTS
    if len(state.out) > (1 if state.is_two_player else 2):
        return "the second to go out ends the round"
    if not state.winners and any(points >= limit for points in state.points):
        return "who has enough points has won"
    if not state.is_turn_running:
        return None
    lying = [area.cards for area in state.areas if area.cards]
    sizes = Counter(map(len, lying))
    if any(count > 1 for count in sizes.values()):
        return "at most one set of each size"
    known = [cards for cards in lying if set(cards) != {card.COVERED_CARD}]
    if any(not 1 <= card.set_value(cards) <= HIGHEST_VALUE for cards in known):
        return "a set has one value"
    held = sum(hand.size for hand in state.hands)
    if held + sum(map(len, lying)) + state.discarded != len(state.cards_in_use) or state.discarded < 0:
        return "hands, table and discards are the deck"
    if state.areas[state.area].cards or state.owner(state.area) != state.seat:
        return "the area of this turn is empty when its owner acts"
    if any(len(hand.known) > hand.size for hand in state.hands):
        return "no more is known of a hand than it holds"
    if state.seat in state.out or any(
        (hand.size == 0) != (seat in state.out) for seat, hand in enumerate(state.hands)
    ):
        return "who has no cards is out"
    if (state.size == 0) == (state.phase is DnupPhase.VALUING):
        return "a value is asked for a size"
    return None


# Events -----------------------------------------------------------------------------------------------------


# Set-up -----------------------------------------------------------------------------------------------------


class CardsShown(Event, frozen=True):
    """These cards were shown while the deck is scanned; `count` in all."""

    names: tuple[str, ...]
    count: int

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, shown=(*state.shown, *self.names), doubt=False)


class ScanUnread(Event, frozen=True):
    """In the row in which the deck is shown lies a card that is not read for certain: none of it counts."""

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, doubt=True)


class ScanRestarted(Event, frozen=True, tag="ScanBegunAgain"):
    """What was shown of the deck is forgotten."""

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, shown=(), doubt=False)


class DeckScanned(Event, frozen=True):
    """The deck is what was shown."""

    names: tuple[str, ...]
    count: int

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, phase=DnupPhase.SORTING, deck=self.names, shown=())


class DeckListed(Event, frozen=True):
    """The deck is taken to be as listed, without a scan."""

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, phase=DnupPhase.SORTING, shown=())


class DeckSorted(Event, frozen=True):
    """Only the cards that this many players use are left."""

    count: int

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, phase=DnupPhase.DEALING)


class DnupRoundBegan(SeatEvent, frozen=True, tag="RoundBegan"):
    """All cards are dealt; `seat` holds the star card and begins in `area`."""

    area: int
    round: int
    each: int

    def apply(self, state: DnupState) -> DnupState:
        areas = (PlayArea(),) * len(state.areas)
        hands = (KnownHand(self.each),) * state.players
        state = replace(state, round=self.round, seat=self.seat, area=self.area, hands=hands, areas=areas)
        state = replace(state, stalled=False, doubt=False, due=None)
        return replace(
            state, discarded=0, gone=(), out=(), star=self.seat, spins=(0,) * state.players, idle=-1
        )


class CardsRedealt(Event, frozen=True, tag="Redealt"):
    """Nobody gets on: by agreement the cards are dealt again, without points."""

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, phase=DnupPhase.DEALING, round=state.round - 1, stalled=False, due=None)


# A turn -----------------------------------------------------------------------------------------------------


class TurnBegan(SeatEvent, frozen=True):
    """`seat` acts, with this area; `number` tells the two areas of a player apart."""

    area: int
    number: int

    def apply(self, state: DnupState) -> DnupState:
        areas = tuple(replace(area, unread=False) if area.unread else area for area in state.areas)
        state = replace(state, phase=DnupPhase.ACTING, seat=self.seat, area=self.area, areas=areas, size=0)
        return replace(state, turns=state.turns + 1, idle=state.idle + 1, due=None, doubt=False)


class SetGone(SeatEvent, frozen=True):
    """Common part: a set left the round, face down."""

    area: int
    count: int

    def apply(self, state: DnupState) -> DnupState:
        names = tuple(filter(None, map(card.card_name, state.areas[self.area].cards)))
        state = _with_area(state, self.area, _empty_area(state.areas[self.area]))
        return replace(state, discarded=state.discarded + self.count, gone=(*state.gone, *names))


class SetDiscarded(SetGone, frozen=True):
    """The player's set of the last turn left the round, or that of the first player out."""


class AreaRead(SilentEvent, frozen=True):
    """The camera read an area. Silent."""

    area: int
    cards: tuple[str, ...]

    def apply(self, state: DnupState) -> DnupState:
        here = state.areas[self.area]
        same = card.may_be_same_cards(self.cards, here.cards)
        old, awaited = (() if same else here.old), here.awaited and not same
        read = PlayArea(here.cards, self.cards, old, awaited)
        return _with_area(state, self.area, read)


class AreaUnseen(SilentEvent, frozen=True):
    """Nobody has looked at an area for a while: what lies there is read anew. Silent."""

    area: int

    def apply(self, state: DnupState) -> DnupState:
        return _with_area(state, self.area, replace(state.areas[self.area], seen=None))


class AreaUnread(SeatEvent, frozen=True):
    """The cards in an area cannot be named for certain: the table says what was done."""

    area: int

    def apply(self, state: DnupState) -> DnupState:
        here = replace(state.areas[self.area], seen=None, awaited=False, unread=True)
        return _with_area(state, self.area, here)


class SetSeen(SeatEvent, frozen=True):
    """A set is being laid: this is what was read so far."""

    count: int
    value: int


class QuietAwaited(SilentEvent, frozen=True):
    """If nothing moves until `due`, what lies on the table counts. Silent."""

    due: Micros

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, due=self.due, doubt=False)


class TableQuiet(SilentEvent, frozen=True):
    """What is there was judged. Silent; `doubt`: said once more it counts."""

    doubt: bool = False

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, due=None, doubt=self.doubt)


class CardsFilled(SilentEvent, frozen=True):
    """A set that was said was read: its cards are known with both sides. Silent."""

    area: int
    cards: tuple[str, ...]

    def apply(self, state: DnupState) -> DnupState:
        return _with_area(state, self.area, replace(state.areas[self.area], cards=self.cards))


class SetForgotten(InterimEvent, frozen=True):
    """Silent: rulings were taken back, and what lay in this area was in a hand since; it is read again."""

    area: int

    def apply(self, state: DnupState) -> DnupState:
        cards = state.areas[self.area].cards
        covered = PlayArea((card.COVERED_CARD,) * len(cards))
        read_again: dict[str, Any] = {"due": None, "doubt": False} if cards or self.area == state.area else {}
        return replace(_with_area(state, self.area, covered), **read_again)


_PHASE_BY_VERB: Mapping[str, DnupPhase] = {
    "play": DnupPhase.SIZING,
    "add": DnupPhase.ADDING,
    "take": DnupPhase.TAKING,
}


class VerbChosen(InterimEvent, frozen=True):
    """The player in turn says by button what was done: play, add or take. Silent."""

    verb: str

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, phase=_PHASE_BY_VERB[self.verb])


class SizeSaid(InterimEvent, frozen=True):
    """How many cards the play has. Silent."""

    count: int

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, phase=DnupPhase.VALUING, size=self.count)


class SpokenActionDropped(InterimEvent, frozen=True, tag="SayingDropped"):
    """Something else was meant. Silent."""

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, phase=DnupPhase.ACTING, size=0)


class SetPlayed(SeatEvent, frozen=True):
    """A set from the hand lies in the player's own area; `known` is what is known of the hand now."""

    area: int
    count: int
    value: int
    cards: tuple[str, ...]
    known: tuple[str, ...]

    def apply(self, state: DnupState) -> DnupState:
        here = state.areas[self.area]
        state = _with_area(state, self.area, _lay_cards(here, self.cards))
        state = _with_hand(state, self.seat, -self.count, self.known)
        return _note_star_seen(_note_card_played(state), self.seat, self.cards)


class CardAdded(SeatEvent, frozen=True):
    """One card from the hand of `seat` lies on the set in `area`, which has `count` cards now."""

    area: int
    count: int
    value: int
    card: str
    known: tuple[str, ...]

    def apply(self, state: DnupState) -> DnupState:
        here = state.areas[self.area]
        state = _with_area(state, self.area, _lay_cards(here, (*here.cards, self.card)))
        state = _with_hand(state, self.seat, -1, self.known)
        return _note_star_seen(_note_card_played(state), self.seat, (self.card,))


class SetPickedUp(SeatEvent, frozen=True):
    """Common part: a set comes from the table into the hand of `seat`, every card turned."""

    area: int
    count: int
    value: int

    def apply(self, state: DnupState) -> DnupState:
        lying = state.areas[self.area].cards
        coming = tuple([card.rotate_card(one) for one in lying if one != card.COVERED_CARD])
        known = (*state.hands[self.seat].known, *coming)
        state = _with_area(state, self.area, _empty_area(state.areas[self.area]))
        return _with_hand(state, self.seat, self.count, known)


class SetTaken(SetPickedUp, frozen=True):
    """`seat` takes the set in `area` into the hand."""


class HandRotated(SeatEvent, frozen=True):
    """`seat` rotates all cards in the hand."""

    def apply(self, state: DnupState) -> DnupState:
        known = tuple(map(card.rotate_card, state.hands[self.seat].known))
        spins = tuple(spun + (seat == self.seat) for seat, spun in enumerate(state.spins))
        state = replace(state, spins=spins)
        return _with_hand(state, self.seat, 0, known)


class SetReturned(SetPickedUp, frozen=True):
    """A beaten set goes back into the hand of `seat`."""


class SetBeaten(SetGone, frozen=True):
    """The beaten set of somebody who is out is discarded."""


class HandDoubted(SeatEvent, frozen=True):
    """The table's word stands against what was known of the hands: nothing is claimed of them any more."""

    def apply(self, state: DnupState) -> DnupState:
        hands = tuple(KnownHand(hand.size) for hand in state.hands)
        return replace(state, hands=hands, gone=(), star=None)


class StarElsewhere(SeatEvent, frozen=True):
    """The star card came from another hand than that of `seat`, who said to hold it and began (D-T18)."""


class StallNoticed(Event, frozen=True):
    """For this many rounds of the table nobody played a card: a new deal is offered."""

    laps: int

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, stalled=True)


# Ends -------------------------------------------------------------------------------------------------------


class WentOut(SeatEvent, frozen=True):
    """`seat` has no card left; `place` 1 is the first of the round."""

    place: int
    points: int

    def apply(self, state: DnupState) -> DnupState:
        points = list(state.points)
        points[self.seat] += self.points
        return replace(state, points=tuple(points), out=(*state.out, self.seat))


class DnupRoundEnded(Event, frozen=True, tag="RoundEnded"):
    """The round is over."""

    round: int

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, phase=DnupPhase.DEALING, due=None, doubt=False, stalled=False)


class DnupGameWon(Event, frozen=True, tag="GameWon"):
    """Enough points, or two rounds of two players."""

    seats: tuple[Seat, ...]

    def apply(self, state: DnupState) -> DnupState:
        return replace(state, phase=DnupPhase.OVER, winners=self.seats, due=None)


AnyDnupEvent = events_of(__name__)


# What events change -----------------------------------------------------------------------------------------


def apply_repair(state: DnupState, repair: Repaired) -> DnupState:
    """The state as the table says it is: `turn`, `hand:2`, `size:3`, `value:3`, `points:1`; else ValueError.

    What is known of a hand whose size or set changes is forgotten; the pile holds what lies nowhere else.
    """
    wanted: dict[str, Any] = dict(repair.table)
    hands, areas, points = list(state.hands), list(state.areas), list(state.points)
    sizes = {at: len(area.cards) for at, area in enumerate(areas)}
    values = {at: state.value(at) for at in sizes}
    for key, value in wanted.items():
        kind, _, place = key.partition(":")
        number = int(place) if place else -1
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ValueError(key)
        match kind:
            case "turn" if value < state.players and value not in state.out:
                first = 2 * value if state.is_two_player else value
                first = state.area if value == state.seat else first
                state = replace(state, seat=value, area=first)
            case "hand" if number in range(len(hands)):
                if hands[number].size != value:
                    hands[number] = KnownHand(value)
            case "points" if number in range(len(points)):
                points[number] = value
            case "size" if number in sizes:
                sizes[number] = value
            case "value" if number in values:
                values[number] = value
            case _:
                raise ValueError(key)
    for at, area in enumerate(areas):
        if sizes[at] == len(area.cards) and (values[at] == state.value(at) or not sizes[at]):
            continue  # nothing has no value
        if sizes[at] and not values[at]:
            raise ValueError("a set has a value")
        owner = state.owner(at)
        hands[owner] = KnownHand(hands[owner].size)
        if not sizes[at]:
            areas[at] = _empty_area(area)
            continue
        told = (card.half_known_card(values[at]),) * sizes[at]
        comes = sizes[at] > len(area.cards) and not (area.seen or area.unread)
        areas[at] = PlayArea(told, awaited=comes, unread=area.unread)  # it was not as it was seen
    held, lying = sum(hand.size for hand in hands), sum(sizes.values())
    state = replace(state, hands=tuple(hands), areas=tuple(areas), points=tuple(points), due=None)
    state = replace(state, phase=DnupPhase.ACTING, size=0, doubt=False, gone=(), star=None)
    return replace(state, discarded=len(state.cards_in_use) - held - lying)


def _with_area(state: DnupState, at: int, area: PlayArea) -> DnupState:
    return replace(state, areas=(*state.areas[:at], area, *state.areas[at + 1 :]))


def _with_hand(state: DnupState, seat: Seat, more: int, known: tuple[str, ...]) -> DnupState:
    hand = KnownHand(state.hands[seat].size + more, tuple(sorted(known)))
    return replace(state, hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]))


def _empty_area(area: PlayArea) -> PlayArea:
    """Nothing is there by the rulings; what was seen there may take a moment to go."""
    if area.seen == ():
        return PlayArea((), ())
    return PlayArea((), area.seen, (*area.cards, *card.remove_cards(area.seen or (), area.cards)))


def _lay_cards(area: PlayArea, cards: tuple[str, ...]) -> PlayArea:
    """These cards lie there by the rulings."""
    settled = area.seen is not None and card.may_be_same_cards(area.seen, cards)
    awaited = not settled and not area.unread
    return PlayArea(cards, area.seen, () if settled else area.old, awaited, area.unread)


def _note_card_played(state: DnupState) -> DnupState:
    return replace(state, idle=-1, stalled=False, phase=DnupPhase.ACTING, size=0)


def _note_star_seen(state: DnupState, seat: Seat, cards: tuple[str, ...]) -> DnupState:
    """The star card is where it was said to be until it is seen, or until it may have left unseen."""
    names = set(map(card.card_name, cards))
    return replace(state, star=None) if STAR_CARD in names or (seat == state.star and "" in names) else state
