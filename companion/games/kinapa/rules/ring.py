"""Kinapa's rulings on the ring: objects turned and hidden, pairs laid on them."""

from functools import lru_cache

from companion.core import events as shared
from companion.core.actions import Action, Micros
from companion.core.events import Events
from companion.core.verbs import no
from companion.games.kinapa.rules import bots, proofs
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.state import CLOSED, KinapaState, Phase, labels_up_to, numbers_of
from companion.games.kinapa.rules.succession import succession


def turned(state: KinapaState, action: Action, at: Micros) -> Events:
    """Somebody says which object was turned face up."""
    return face_up(state, *_at_slot(str(action.value)), said=True)


def face_up(state: KinapaState, label: str, slot: int, *, said: bool = False) -> Events:
    """An object lies face up in a slot; 0: nobody said in which.

    It is not held against what lies hidden elsewhere: a player who named an object falsely, or had a reading
    corrected, would learn what is there. What it contradicts is unknown then. That another object was
    seen at this very place is named, if it was seen again and not only `said`.
    """
    if label not in labels(state):
        return no("object.not_in_play", state.emperor, label)
    if not 0 <= slot <= len(state.slots):
        return no("object.no_such_slot", state.emperor, slot)
    lying = state.slots[slot - 1] if slot else None
    if lying and lying.lies is CLOSED:
        return no("object.closed", state.emperor, slot)
    if state.phase is Phase.PLACING:
        return no("object.second_turned", state.emperor, slot)
    if placed_on(state, label) >= 2:
        return no("object.third_copy", None, label)
    moved: Events = ()
    if lying and lying.label not in {"", label} and not said:
        moved = (shared.Infraction("object.moved", None, slot),)
    return (*_forgotten(state, label, slot), *moved, ev.ObjectTurned(label, slot))


def _forgotten(state: KinapaState, label: str, slot: int) -> Events:
    """Other places that cannot all hold this object too: there are two of each."""
    there = [
        number
        for number, other in enumerate(state.slots, start=1)
        if number != slot and other.label == label and other.lies is not CLOSED
    ]
    known = len(there) + placed_on(state, label)
    return tuple(ev.ObjectForgotten(number) for number in there) if known >= 2 else ()


def where_asked(state: KinapaState) -> bool:
    """Whether it has to be said where the open object is: only its face was, and no camera sees it."""
    return state.phase is Phase.PLACING and not state.turn.slot and state.desk.blind


def uncertain(state: KinapaState) -> tuple[int, ...]:
    """The places in which it may lie."""
    return tuple(place for place, slot in enumerate(state.slots, 1) if slot.lies is not CLOSED)


def located(state: KinapaState, action: Action, at: Micros) -> Events:
    """Somebody says in which place the open object lies."""
    if state.turn.slot:
        return no("turn.not_now", action.seat)
    if action.value not in uncertain(state):
        return no("object.no_such_slot", action.seat, action.value)
    return (ev.ObjectTurned(state.turn.label, int(action.value)),)


def labels(state: KinapaState) -> tuple[str, ...]:
    """The objects in play, lowest first."""
    return labels_up_to(state.highest)


def turnable(state: KinapaState) -> tuple[str, ...]:
    """The objects of which not every copy is closed."""
    return _turnable(state.highest, state.dead)


@lru_cache(maxsize=1024)
def _turnable(highest: int, dead: frozenset[int]) -> tuple[str, ...]:
    return tuple(label for label in labels_up_to(highest) if not dead.issuperset(numbers_of(label)))


def placed_on(state: KinapaState, label: str) -> int:
    """How many copies of an object are closed."""
    return len(state.dead.intersection(numbers_of(label)))


def placeable(state: KinapaState) -> tuple[int, ...]:
    """The numbers whose pair may go on the open object."""
    return tuple(number for number in numbers_of(state.turn.label) if number not in state.dead)


def hidden(state: KinapaState, action: Action, at: Micros) -> Events:
    """The open object goes face down again: the turn is over."""
    return (ev.ObjectHidden(state.turn.slot), *succession(state))


def placed(state: KinapaState, action: Action, at: Micros) -> Events:
    """A pair is laid on an object: only the Emperor, on the open object, one pair per object."""
    label, slot = _at_slot(str(action.value))
    slot = slot or state.turn.slot
    number = int(label) if label.isdecimal() else 0
    if 0 < slot <= len(state.slots) and state.slots[slot - 1].lies is CLOSED:
        return no("object.closed", action.seat, slot)
    if state.phase is not Phase.PLACING or slot != state.turn.slot:
        return no("object.not_open", action.seat, slot)
    if number not in numbers_of(state.turn.label):
        return no("object.mismatch", action.seat, state.turn.label)
    if number in state.dead:
        return no("object.dead", action.seat, number)
    events = (ev.PairPlaced(action.seat, number, slot), *proofs.shown(state, action.seat, number, cards=2))
    if bots.wins(state, action.seat):
        return (*events, ev.GameWon(action.seat))
    empty = bool(state.seats[action.seat].placed)
    return (*events, *bots.emptied(state, action.seat)) if empty else events


def _at_slot(value: str) -> tuple[str, int]:
    """ "5-6@3" → ("5-6", 3); without a slot, 0; -1 for a slot that cannot be."""
    label, _, slot = value.partition("@")
    if not slot:
        return label, 0
    return label, int(slot) if slot.isdecimal() and int(slot) else -1
