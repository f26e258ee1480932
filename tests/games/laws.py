"""What every state of a game has to keep, written from docs/rules.md and not from the code, and all that may
be said in it, sensible or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, product
from typing import Any, NamedTuple

from companion.core.actions import Action, pair_value
from companion.core.verbs import VerbRule
from companion.games.dnup.rules import judge as dnup_judge
from companion.games.dnup.rules.model import DnupPhase, DnupState
from companion.games.euchre.rules import Euchre
from companion.games.euchre.rules.model import EuchrePhase, EuchreState
from companion.games.hearts.rules import Hearts
from companion.games.hearts.rules.model import HeartsPhase, HeartsState
from companion.games.in_order.rules import judge as in_order_judge
from companion.games.in_order.rules.model import InOrderPhase, InOrderState
from companion.games.kabuki.rules import judge as kabuki_judge
from companion.games.kabuki.rules.model import COPIES_PER_DESIGN, DESIGNS, KabukiPhase, KabukiState
from companion.games.kinapa.rules import judge as kinapa_judge
from companion.games.kinapa.rules.exchange import nameable_cards
from companion.games.kinapa.rules.model import KinapaPhase, KinapaState, ObjectPosition, object_label
from companion.games.kinapa.rules.turn_end import must_ask_slot
from companion.games.kit.cards import SUITS, VALUES
from companion.games.kit.trick_table import TrickState
from companion.games.kobayakawa.rules import judge as kobayakawa_judge
from companion.games.kobayakawa.rules.model import ROUND_PHASES, UNREAD, KobayakawaPhase, KobayakawaState
from companion.games.liars_dice.rules import model as liars_dice_model
from companion.games.liars_dice.rules.model import LiarsDicePhase, LiarsDiceState
from companion.games.roses.rules import judge as roses_judge
from companion.games.roses.rules.model import RosesPhase, RosesState
from companion.games.spades.rules import Spades
from companion.games.spades.rules.model import SpadesPhase, SpadesState

LABELS = tuple(f"{low}-{low + 1}" for low in range(1, 19, 2))
STACKED = tuple(f"{design}@{stack}" for design in DESIGNS for stack in range(6))
PAIRS = tuple(
    f"{low}-{high}{sign}" for low in range(1, 10) for high in range(low + 1, 11) for sign in ("", *"nsf")
)
PLAYS = (*(f"{size}x{value}" for size in range(12) for value in range(12)), "x", "2x")


class Laws(NamedTuple):
    """One game, as docs/rules.md has it."""

    check: Callable[[Any], None]
    """Fails where a state breaks an invariant."""
    verbs: Mapping[str, VerbRule[Any]]
    values: Callable[[Any], Mapping[str, Iterable[str | int | None]]]
    """Verb → the values that may be said with it; a verb that is not named has none."""
    phases: frozenset[str]

    def everything_said(self, state: Any) -> Iterator[Action]:
        """Every action that could be listed in a state: who, what and about what."""
        values = self.values(state)
        seats = range(len(getattr(state, "seats", state.setup.chairs)))
        for seat, verb in product(seats, self.verbs):
            yield from (Action(seat, verb, value) for value in values.get(verb, (None,)))


def check_kobayakawa(state: KobayakawaState) -> None:
    total = sum(state.kamons) + state.centre + state.stakes + state.carried + state.box
    assert total == 4 * state.players + 8, "kamons are conserved"
    known = [number for hand in state.hands for number in (hand.discard, hand.shown)]
    known = [number for number in (*known, *state.opened) if number > UNREAD]
    assert len(set(known)) == len(known), "each number lies once"
    if state.phase in ROUND_PHASES:
        drawn = sum(hand.did == "draw" for hand in state.hands) + (state.phase is KobayakawaPhase.DISCARDING)
        assert len(state.order) + len(state.opened) + drawn + state.deck == 15, "fifteen cards"


def check_dnup(state: DnupState) -> None:
    if not state.is_turn_running:
        return
    lying = [len(area.cards) for area in state.areas if area.cards]
    assert max(Counter(lying).values(), default=1) == 1, "one set of each size"
    held = sum(hand.size for hand in state.hands)
    assert held + sum(lying) + state.discarded == len(state.cards_in_use), "cards are conserved"
    assert not state.areas[state.area].cards
    assert all(points < (2 if state.players == 2 else 4) for points in state.points)


def check_kabuki(state: KabukiState) -> None:
    masks = [mask for stack in state.stacks for mask in stack]
    assert state.deck + len(masks) + state.hand.drawn + state.missing == state.options.masks
    for design in DESIGNS:
        assert state.count_copies(design) <= COPIES_PER_DESIGN or design in state.doubted
    if state.phase not in {KabukiPhase.STARTING, KabukiPhase.SHUFFLING, KabukiPhase.OVER}:
        start = (5 if state.players <= 4 else 4) * state.players
        assert sum(state.tokens) + state.box == start, "tokens are conserved"
        assert min(state.tokens) > 0


def check_kinapa(state: KinapaState) -> None:
    for number, seat in enumerate(state.seats):
        if state.phase is not KinapaPhase.RETURNING:
            assert seat.cards == 4 - 2 * len(seat.placed), f"Seat {number}: hand = 4 - 2 * placed"
        assert seat.cards in range(6)
        assert seat.foxes in range(3)
        assert (seat.cards == 0) == (len(seat.placed) == 2), "Nobody is without cards but the winner"
        assert seat.cards or number in {state.winner, *state.bots}, "An empty deck wins, or is out"
        if seat.foxes and state.phase in {KinapaPhase.COUNTING, KinapaPhase.PAIRING}:
            assert number not in state.turn.raised, "A foxed seat is lowered"
        assert seat.foxes or seat.opened == (), "Only punished seats lie open"
    seats, placed = len(state.seats), [number for seat in state.seats for number in seat.placed]
    assert sum(seat.cards for seat in state.seats) + 2 * len(placed) == 4 * seats, "Cards are conserved"
    assert len(set(placed)) == len(placed), "A number is placed once"
    assert set(placed) <= set(range(1, 2 * seats + 1))
    closed = [slot for slot in state.slots if slot.lies is ObjectPosition.CLOSED]
    assert all(slot.label == object_label(slot.pair) and slot.pair in placed for slot in closed)
    labels = Counter(slot.label for slot in state.slots if slot.label and slot not in closed)
    assert all(count <= 2 for count in labels.values()), "Each label lies twice at most"
    assert len(state.slots) == 2 * seats
    if state.phase is not KinapaPhase.STARTING:
        assert state.seats[state.emperor].sheep, "The Emperor has a Sheep"
        playing, sheep = (
            sum(seat.cards > 0 for seat in state.seats),
            sum(seat.sheep for seat in state.seats),
        )
        assert state.winner is not None or 1 <= sheep < playing, "Never all Sheep after a transfer"
        assert state.emperor not in state.raised
        assert not state.is_bot(state.emperor), "Somebody holds the Emperor's deck"
    if state.bots:
        assert sorted(state.decks) == list(range(seats)), "Every deck lies somewhere"
        assert set(chain.from_iterable(state.laid)) == set(placed)


def kinapa_values(state: KinapaState) -> Mapping[str, Iterable[str | int | None]]:
    seats, numbers = range(len(state.seats)), range(2 * len(state.seats) + 2)
    labels = LABELS[: len(state.seats) + 1]
    white = [f"{kind}:{number}" for kind in ("animal", "shelter") for number in numbers if number]
    return {
        **dict.fromkeys(("announce", "place"), numbers),
        "lies_at": numbers if must_ask_slot(state) else (None,),
        **dict.fromkeys(("draw_from", "pick", "crown", "switch"), seats),
        "drawn": (None, *(white if nameable_cards(state) else ())),  # else a name says nothing
        "turn": (*labels, *(f"{label}@{slot}" for label in labels for slot in numbers if slot)),
    }


def check_liars_dice(state: LiarsDiceState) -> None:
    playing = {seat for seat, dice in enumerate(state.dice) if dice}
    assert all(0 <= dice <= state.options.dice for dice in state.dice)
    assert (len(playing) == 1) == (state.phase is LiarsDicePhase.OVER), "The last one with dice has won"
    if state.bid is not None and state.judged is None:  # one that was judged is told of until the next
        count, face = state.bid
        assert 1 <= count <= sum(state.dice), "No bid is higher than all dice"
        assert 1 <= face <= 6
    if state.phase is LiarsDicePhase.BID:
        assert state.seat in playing, "Who is out is asked nothing"


def liars_dice_values(state: LiarsDiceState) -> Mapping[str, Iterable[str | int | None]]:
    counts = range(sum(state.dice) + 2)
    return {
        "bid": (None, 1, *(pair_value(count, face) for count, face in product(counts, range(8)))),
        "tell": (None, *range(-1, state.options.dice + 2)),
    }


def check_in_order(state: InOrderState) -> None:
    assert all(0 <= many <= state.level for many in state.hands)
    assert state.level * state.players <= 40, "No more than 40 numbers are dealt"
    assert len(set(state.laid)) == len(state.laid), "Each number is laid once in a level"
    line = [call.seat for call in state.line]
    assert len(set(line)) == len(line) == sum(state.hands[seat] > 0 for seat in line)
    assert not line or state.phase is InOrderPhase.PLAY, "Nobody waits in line but while numbers are laid"
    if state.phase is InOrderPhase.OVER:
        assert not (state.lives and any(state.hands)), "All numbers are laid, or the last life is lost"


def in_order_values(state: InOrderState) -> Mapping[str, Iterable[str | int | None]]:
    rows = ("1", *(f"{first}-{first + 9}" for first in range(1, 62, 10)))
    cells = (pair_value(row, number) for row, number in product(rows, range(62)))
    return {"number": (None, 1, *cells), "away": (None, *range(-1, state.level + 2))}


def check_tricks(state: TrickState) -> None:
    cards = [play.card for play in state.plays]
    assert len(set(cards)) == len(cards), "Each card is played once in a deal"
    whole, rest = divmod(len(cards), state.rules.trick_size)
    for seat in {*range(4)} - {state.rules.sits_out}:
        played = sum(play.seat == seat for play in state.plays)
        assert whole <= played <= whole + (rest > 0), "Each plays one card to a trick"
    assert state.revokes <= state.confirmed, "Nobody is named before that card was looked at again"
    assert not state.confirmed & {*state.checks}


def check_hearts(state: HeartsState) -> None:
    check_tricks(state)
    if state.phase is HeartsPhase.PASS:
        assert not state.plays
        assert max(state.points) < state.options.target or state.options.tie == "more"


def check_spades(state: SpadesState) -> None:
    check_tricks(state)
    assert len(state.bids) <= 4, "Everybody bids once"
    for side in range(2):
        assert sum(state.bid_of(seat) or 0 for seat in (side, side + 2)) <= 13, "No side can take more"
        assert 0 <= state.bags[side] < 10, "Ten bags are taken off"
    assert (state.phase is SpadesPhase.BID) == (len(state.bids) < 4) or state.phase is SpadesPhase.OVER
    if state.phase is SpadesPhase.BID:
        assert not state.plays


def check_euchre(state: EuchreState) -> None:
    check_tricks(state)
    assert state.passes <= 8, "Everybody passes twice at most"
    assert bool(state.upcard) == (state.phase is not EuchrePhase.TURN_UP) or state.phase is EuchrePhase.OVER
    assert bool(state.trump) or state.phase in {EuchrePhase.TURN_UP, EuchrePhase.BID, EuchrePhase.OVER}
    assert all(play.seat != state.sits_out for play in state.plays), "Who sits out plays nothing"
    assert not state.plays or state.phase in {EuchrePhase.PLAY, EuchrePhase.OVER}


def check_roses(state: RosesState) -> None:
    playing = {seat for seat, cards in enumerate(state.cards) if cards}
    assert all(0 <= laid <= cards <= 4 for laid, cards in zip(state.laid, state.cards, strict=True))
    decided = len(playing) == 1 or max(state.points) == state.options.wins
    assert decided == (state.phase is RosesPhase.OVER), "With enough rounds, or as the last one, one has won"
    if state.phase in {RosesPhase.BID, RosesPhase.NUMBER, RosesPhase.TURN}:
        assert state.bid <= sum(state.laid), "No bid is higher than all cards"
        assert all(state.laid[seat] for seat in playing), "Everybody has laid one"
        assert state.seat in playing - set(state.passed), "Who is out or has passed is asked nothing"
    if state.phase is RosesPhase.TURN:
        assert 0 < state.left <= state.bid, "The round goes on until all roses are open"
        for seat, laid in enumerate(state.laid):
            assert sum(card.owner == seat for card in state.opened) <= laid


def roses_values(state: RosesState) -> Mapping[str, Iterable[str | int | None]]:
    places = [f"bed:{bed}.{place}" for bed in range(8) for place in range(6)]
    cards = [f"{place}|{face}" for place in places for face in ("rose", "thorn")]
    return {
        "bid": (None, *range(-1, sum(state.laid) + 2)),
        "turn": (None, *range(-1, state.players + 1)),
        "show": (None, "rose", "thorn", "tulip", *cards),
    }


def same_values(
    values: Iterable[str | int | None], *verbs: str
) -> Callable[[Any], Mapping[str, Iterable[str | int | None]]]:
    """The same values with each of these verbs, in every state."""
    return lambda _: dict.fromkeys(verbs, tuple(values))


LAWS: Mapping[str, Laws] = {
    "kinapa": Laws(check_kinapa, kinapa_judge.VERBS, kinapa_values, frozenset(KinapaPhase)),
    "kabuki": Laws(
        check_kabuki,
        kabuki_judge.VERBS,
        same_values((None, *range(-1, 7), *DESIGNS, *STACKED), "place", "name", "show", "point", "twins"),
        frozenset(KabukiPhase),
    ),
    "kobayakawa": Laws(
        check_kobayakawa,
        kobayakawa_judge.VERBS,
        same_values(range(-1, 17), "kobayakawa", "discard", "show"),
        frozenset(KobayakawaPhase),
    ),
    "dnup": Laws(
        check_dnup,
        dnup_judge.VERBS,
        same_values((None, *range(-1, 14), *PLAYS, *PAIRS), "play", "size", "value", "add", "take", "card"),
        frozenset(DnupPhase),
    ),
    "liars_dice": Laws(
        check_liars_dice, liars_dice_model.VERBS, liars_dice_values, frozenset(LiarsDicePhase)
    ),
    "hearts": Laws(
        check_hearts,
        Hearts().all_verbs,
        same_values((None, "clubs", "clubs|1", "stars|2", *VALUES), "play", "was"),
        frozenset(HeartsPhase) - {HeartsPhase.MOON},
    ),
    "spades": Laws(
        check_spades,
        Spades().all_verbs,
        lambda _: {
            "bid": (None, "nil", *range(-1, 15)),
            **dict.fromkeys(("play", "was"), (None, "clubs", "clubs|1", "stars|2", *VALUES)),
        },
        frozenset(SpadesPhase),
    ),
    "euchre": Laws(
        check_euchre,
        Euchre().all_verbs,
        lambda _: {
            "name": (None, "stars", *SUITS),
            **dict.fromkeys(("turn_up", "play", "was"), (None, "clubs", "clubs|1", "stars|2", *VALUES)),
        },
        frozenset(EuchrePhase),
    ),
    "roses": Laws(check_roses, roses_judge.VERBS, roses_values, frozenset(RosesPhase)),
    "in_order": Laws(check_in_order, in_order_judge.VERBS, in_order_values, frozenset(InOrderPhase)),
}


def verbs_of(game: str) -> Mapping[str, VerbRule[Any]]:
    """What each verb rules: it stands beside the model of a small game, else in its own module."""
    rules = f"companion.games.{game}.rules"
    return import_module(f"{rules}.{'judge' if find_spec(f'{rules}.judge') else 'model'}").VERBS
