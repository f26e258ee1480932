"""Decides what a card that the camera read means in Kinapa: accepted, refused, or asked about.

The camera replaces hands, never the other way round: a reading is ruled as if the Emperor had said it.
A reading that is not certain rules nothing; the table is asked instead.
"""

from companion.core import events as shared
from companion.core.actions import Action, Micros, Seat
from companion.core.events import Event, Events
from companion.core.observations import UNKNOWN, RegionReading, SeenCard
from companion.games.kinapa.rules import judge, lies, model, turn_end
from companion.games.kinapa.rules.model import CLOSED, DOWN, OPEN, KinapaPhase, KinapaState

_RULING_EVENTS = frozenset({model.ObjectTurned, model.PairPlaced, model.ObjectHidden})
"""What ends the search for something to rule in a reading."""
BACK = "back:blue"
HIDDEN_CARD = "back:white"
COVERED = (BACK,)
_OBJECT_PHASES = frozenset({KinapaPhase.TURNING, KinapaPhase.PLACING})
_SEARCH_PHASES = frozenset(
    {KinapaPhase.CHOOSING, KinapaPhase.ASKING, KinapaPhase.SEARCHING, KinapaPhase.PICKING}
)
"""A player is about to give a card, and it was not said yet which player."""
_GIVING_PHASES = frozenset({KinapaPhase.DRAWING, KinapaPhase.HANDING})
_EXCHANGE_PHASES = _GIVING_PHASES | {KinapaPhase.RETURNING}


def judge_regions(state: KinapaState, regions: tuple[RegionReading, ...], at: Micros) -> Events:
    """The first region of the reading that rules anything rules; places that are put right are noted too."""
    events: list[Event] = []
    ruled = False
    for region in regions:
        cards = tuple([face.card for face in region.faces])
        if UNKNOWN in cards:
            continue
        kind, _, place = region.name.partition(":")
        if kind == "slot" and place.isdecimal() and 0 < int(place) <= len(state.slots):
            slot = int(place)
            if _is_slot_as_ruled(state, slot, cards):
                events += [model.KinapaMisplacementResolved(slot)] if state.slots[slot - 1].misplaced else []
                continue
            if not ruled:
                ruling = _judge_slot(state, slot, cards, at)
                ruled = any(type(event) in _RULING_EVENTS for event in ruling)
                events += ruling
        elif kind == "audit" and state.phase is KinapaPhase.AUDITING:
            events += judge_shown_hand(state, state.turn.audit[0], region.faces, at)
        elif kind == "hand" and place.isdecimal() and int(place) < len(state.seats):
            events += _judge_open_hand(state, int(place), cards, row=0)
        elif kind == "open" and place.isdecimal() and int(place):
            events += _judge_open_row(state, int(place), cards)
    return tuple(events)


def judge_shown_hand(state: KinapaState, seat: Seat, faces: tuple[SeenCard, ...], at: Micros) -> Events:
    """An audited hand: the referee says found or not found, and nothing else of it."""
    cards = tuple(face.card for face in faces)
    asked = state.phase is KinapaPhase.AUDITING and seat == state.turn.audit[0]
    if not asked or not cards or UNKNOWN in cards:
        return ()
    if len(cards) != state.seats[seat].cards:  # KI2
        return (shared.Infraction("hand.count", seat, state.seats[seat].cards),)
    twice = lies.check_duplicate_cards(state, cards, f"hand:{seat}")
    if twice:
        return twice
    number = str(state.turn.number)
    found = any(card.partition(":")[2] == number for card in cards)
    return judge.judge(state, Action(seat, "found" if found else "not_found"), at)


def _is_slot_as_ruled(state: KinapaState, slot: int, cards: tuple[str, ...]) -> bool:
    lying = state.slots[slot - 1]
    if lying.lies is DOWN:
        return cards == COVERED
    if lying.lies is OPEN:
        return cards == (f"object:{lying.label}",)
    return bool(cards) and BACK not in cards and set(_card_numbers(cards)) <= {str(lying.pair)}


def _card_numbers(cards: tuple[str, ...]) -> list[str]:
    return [card.partition(":")[2] for card in cards if card.startswith(("animal:", "shelter:"))]


def _judge_slot(state: KinapaState, slot: int, cards: tuple[str, ...], at: Micros) -> Events:
    """A place of the ring that is not as it was."""
    lying = state.slots[slot - 1]
    if lying.misplaced:
        return ()
    numbers = _card_numbers(cards)
    if lying.lies is CLOSED:
        return _call_misplacement(slot, "object.closed" if numbers else "object.closed_disturbed")
    if numbers:
        return _judge_pair(state, slot, cards, numbers, at)
    labels = [card.partition(":")[2] for card in cards if card.startswith("object:")]
    if labels:
        return _judge_face_up(state, slot, labels, at)
    if cards == COVERED:
        if lying.lies is OPEN and state.turn.slot == slot and state.phase is KinapaPhase.PLACING:
            return turn_end.judge_hide(state, Action(state.emperor, "hide"), at)
        return ()
    if cards == (BACK, BACK):
        return _call_misplacement(slot, "object.wrong_slot")
    return ()  # bare cloth: a card is in somebody's hand


def _judge_face_up(state: KinapaState, slot: int, labels: list[str], at: Micros) -> Events:
    if len(labels) > 1:
        return _call_misplacement(slot, "object.wrong_slot")
    if state.phase not in _OBJECT_PHASES:
        return (*_call_misplacement(slot, "object.out_of_turn"), shared.Repair("hide", slot))
    if state.phase is KinapaPhase.PLACING and state.turn.slot == 0 and labels[0] == state.turn.label:
        return (model.ObjectTurned(labels[0], slot),)  # declared without a slot; now it is known
    ruling = turn_end.turn_object_up(state, labels[0], slot)
    if any(isinstance(event, model.ObjectTurned) for event in ruling):
        return ruling
    hide = (shared.Repair("hide", slot),) if state.phase is KinapaPhase.PLACING else ()
    return (*ruling, model.KinapaMisplacementSeen(slot), *hide)


def _judge_pair(
    state: KinapaState, slot: int, cards: tuple[str, ...], numbers: list[str], at: Micros
) -> Events:
    """Cards lie on an object. One card alone is not yet a pair: the other may be on its way."""
    if len(numbers) == 1:
        return ()
    if len(set(numbers)) > 1:
        return _call_misplacement(slot, "object.not_a_pair")
    twice = lies.check_duplicate_cards(state, cards, f"slot:{slot}")
    if twice:
        return (*twice, model.KinapaMisplacementSeen(slot))
    ruling = judge.judge(state, Action(state.emperor, "place", f"{numbers[0]}@{slot}"), at)
    if any(isinstance(event, model.PairPlaced) for event in ruling):
        return ruling
    return (*ruling, model.KinapaMisplacementSeen(slot))


def _judge_open_row(state: KinapaState, row: int, cards: tuple[str, ...]) -> Events:
    """The mat's open rows belong to nobody: whose cards lie in one is known once they were laid there."""
    white = all(card == HIDDEN_CARD or card.startswith(("animal:", "shelter:")) for card in cards)
    seat = _row_owner(state, row, len(cards))
    if seat is None or not white or state.phase is KinapaPhase.AUDITING:
        return ()
    return _judge_open_hand(state, seat, cards, row=row)


def _row_owner(state: KinapaState, row: int, count: int) -> Seat | None:
    """Who has the row; a free one is taken by the only punished seat without a row whose count fits.

    The card that the Emperor gave may be kept in hand, so one may be missing. Of two who were punished at
    once (in 480 simulated games once) with equal hands nobody can tell.
    """
    owner = next((seat for seat, lying in enumerate(state.seats) if lying.row == row), None)
    if owner is not None:
        return owner
    waiting = [(seat, lying.cards) for seat, lying in enumerate(state.seats) if lying.foxes and not lying.row]
    fitting = [seat for seat, cards in waiting if cards - count in {0, 1}]
    return fitting[0] if len(fitting) == 1 else None


def _judge_open_hand(state: KinapaState, seat: Seat, cards: tuple[str, ...], *, row: int) -> Events:
    """KI6: an open card of a punished seat is gone without an exchange.

    What came after the punishment lies face down beside the open ones, and keeps its place in the row.
    While a card is being given the row counts as it was: chance chose a place in it.
    """
    lying = state.seats[seat]
    if not lying.foxes or all(card.startswith("back:") for card in cards):
        return ()
    if state.phase in _GIVING_PHASES and seat == state.turn.partner:
        return ()
    gone = any(not card.startswith("back:") for card in set(lying.opened) - set(cards))
    if gone and not _may_leave_row(state, seat):
        return (shared.Infraction("fox.open_card_gone", seat),)
    if (cards, row) == (lying.opened, lying.row):
        return ()
    twice = lies.check_duplicate_cards(state, cards, f"hand:{seat}")
    if twice:
        return twice
    proven = (
        event
        for number in dict.fromkeys(_card_numbers(cards))
        if number.isdecimal()
        for event in lies.prove_by_cards(state, seat, int(number), cards=_card_numbers(cards).count(number))
    )
    return (model.OpenCardsSeen(seat, cards, row), *proven)


def _may_leave_row(state: KinapaState, seat: Seat) -> bool:
    """Whether open cards may leave a row now: they are exchanged, or the Emperor lays a pair of their own."""
    if state.phase in _EXCHANGE_PHASES:
        return seat in {state.turn.partner, state.emperor}
    return state.phase in _SEARCH_PHASES or (seat == state.emperor and state.phase in _OBJECT_PHASES)


def _call_misplacement(slot: int, rule: str) -> Events:
    return (shared.Infraction(rule, None, slot), model.KinapaMisplacementSeen(slot))
