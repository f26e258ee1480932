"""Rulings on the end of a turn of Kinapa: an object is turned up, a pair may be placed, the crown goes on.

The succession has the rules N1 to N4 of docs/rules.md; Foxes and Sheep move with the crown.
"""

from functools import lru_cache

from companion.core import events as shared
from companion.core.actions import Action, Micros, Seat
from companion.core.events import Event, Events
from companion.core.verbs import infraction_ruling
from companion.games.kinapa.rules import bot_decks, lies, model
from companion.games.kinapa.rules.model import KinapaPhase, KinapaState

# The ring of objects ----------------------------------------------------------------------------------------


def judge_turn(state: KinapaState, action: Action, at: Micros) -> Events:
    """Somebody says which object was turned face up."""
    return turn_object_up(state, *_parse_slot(str(action.value)), said=True)


def turn_object_up(state: KinapaState, label: str, slot: int, *, said: bool = False) -> Events:
    """An object lies face up in a slot; 0: nobody said in which.

    It is not held against what lies hidden elsewhere: a player who named an object falsely, or had a reading
    corrected, would learn what is there. What it contradicts is unknown then. That another object was
    seen at this very place is named, if it was seen again and not only `said`.
    """
    if label not in labels_in_play(state):
        return infraction_ruling("object.not_in_play", state.emperor, label)
    if not 0 <= slot <= len(state.slots):
        return infraction_ruling("object.no_such_slot", state.emperor, slot)
    lying = state.slots[slot - 1] if slot else None
    if lying and lying.lies is model.CLOSED:
        return infraction_ruling("object.closed", state.emperor, slot)
    if state.phase is KinapaPhase.PLACING:
        return infraction_ruling("object.second_turned", state.emperor, slot)
    if count_closed_copies(state, label) >= 2:
        return infraction_ruling("object.third_copy", None, label)
    moved: Events = ()
    if lying and lying.label not in {"", label} and not said:
        moved = (shared.Infraction("object.moved", None, slot),)
    return (*_forget_other_places(state, label, slot), *moved, model.ObjectTurned(label, slot))


def _forget_other_places(state: KinapaState, label: str, slot: int) -> Events:
    """Other places that cannot all hold this object too: there are two of each."""
    there = [
        number
        for number, other in enumerate(state.slots, start=1)
        if number != slot and other.label == label and other.lies is not model.CLOSED
    ]
    known = len(there) + count_closed_copies(state, label)
    return tuple(model.ObjectForgotten(number) for number in there) if known >= 2 else ()


def must_ask_slot(state: KinapaState) -> bool:
    """Whether it has to be said where the open object is: only its face was, and no camera sees it."""
    return state.phase is KinapaPhase.PLACING and not state.turn.slot and state.desk.blind


def possible_slots(state: KinapaState) -> tuple[int, ...]:
    """The places in which it may lie."""
    return tuple(place for place, slot in enumerate(state.slots, 1) if slot.lies is not model.CLOSED)


def judge_location(state: KinapaState, action: Action, at: Micros) -> Events:
    """Somebody says in which place the open object lies."""
    if state.turn.slot:
        return infraction_ruling("turn.not_now", action.seat)
    if action.value not in possible_slots(state):
        return infraction_ruling("object.no_such_slot", action.seat, action.value)
    return (model.ObjectTurned(state.turn.label, int(action.value)),)


def labels_in_play(state: KinapaState) -> tuple[str, ...]:
    """The objects in play, lowest first."""
    return model.object_labels(state.highest)


def turnable_labels(state: KinapaState) -> tuple[str, ...]:
    """The objects of which not every copy is closed."""
    return _turnable_labels(state.highest, state.placed_numbers)


@lru_cache(maxsize=1024)
def _turnable_labels(highest: int, dead: frozenset[int]) -> tuple[str, ...]:
    return tuple(
        label for label in model.object_labels(highest) if not dead.issuperset(model.object_numbers(label))
    )


def count_closed_copies(state: KinapaState, label: str) -> int:
    """How many copies of an object are closed."""
    return len(state.placed_numbers.intersection(model.object_numbers(label)))


def placeable_numbers(state: KinapaState) -> tuple[int, ...]:
    """The numbers whose pair may go on the open object."""
    return tuple(
        number for number in model.object_numbers(state.turn.label) if number not in state.placed_numbers
    )


def judge_hide(state: KinapaState, action: Action, at: Micros) -> Events:
    """The open object goes face down again: the turn is over."""
    return (model.ObjectHidden(state.turn.slot), *rule_succession(state))


def judge_place(state: KinapaState, action: Action, at: Micros) -> Events:
    """A pair is laid on an object: only the Emperor, on the open object, one pair per object."""
    label, slot = _parse_slot(str(action.value))
    slot = slot or state.turn.slot
    number = int(label) if label.isdecimal() else 0
    if 0 < slot <= len(state.slots) and state.slots[slot - 1].lies is model.CLOSED:
        return infraction_ruling("object.closed", action.seat, slot)
    if state.phase is not KinapaPhase.PLACING or slot != state.turn.slot:
        return infraction_ruling("object.not_open", action.seat, slot)
    if number not in model.object_numbers(state.turn.label):
        return infraction_ruling("object.mismatch", action.seat, state.turn.label)
    if number in state.placed_numbers:
        return infraction_ruling("object.dead", action.seat, number)
    events = (
        model.PairPlaced(action.seat, number, slot),
        *lies.prove_by_cards(state, action.seat, number, cards=2),
    )
    if bot_decks.is_winning_pair(state, action.seat):
        return (*events, model.KinapaGameWon(action.seat))
    empty = bool(state.seats[action.seat].placed)
    return (*events, *bot_decks.empty_deck(state, action.seat)) if empty else events


def _parse_slot(value: str) -> tuple[str, int]:
    """ "5-6@3" → ("5-6", 3); without a slot, 0; -1 for a slot that cannot be."""
    label, _, slot = value.partition("@")
    if not slot:
        return label, 0
    return label, int(slot) if slot.isdecimal() and int(slot) else -1


# The succession ---------------------------------------------------------------------------------------------


def rule_succession(state: KinapaState) -> tuple[Event, ...]:
    """The rulings at the end of a turn."""
    possible = state.crown_candidates
    if not possible:
        ticks = _remove_foxes(state) if state.fox_per_turn or state.options.fox_tick == "turn" else ()
        return (*ticks, model.EmperorStays(state.emperor))
    if len(possible) == 1:
        return hand_on_crown(state, possible[0])
    return (model.SuccessorAsked(possible),)


def hand_on_crown(state: KinapaState, seat: Seat) -> tuple[Event, ...]:
    """The crown goes to `seat`; where a BOT deck is there, somebody has to take it in hand first."""
    if not state.is_bot(seat):  # Foxes first, then the card, then Sheep
        return (*_remove_foxes(state), model.EmperorCrowned(seat), *_give_sheep(state, seat, seat))
    possible = bot_decks.possible_switchers(state, seat)
    if len(possible) == 1:
        return switch_and_crown(state, possible[0], seat)
    return (model.SwitchAsked(seat, possible),)


def switch_and_crown(state: KinapaState, person: Seat, bot: Seat) -> tuple[Event, ...]:
    """A person takes the BOT deck that is next, and is crowned with it."""
    taken = (model.DecksSwitched(person, bot), model.EmperorCrowned(person))
    return (*_remove_foxes(state), *taken, *_give_sheep(state, person, bot))


def _give_sheep(state: KinapaState, person: Seat, deck: Seat) -> tuple[Event, ...]:
    """A new Emperor takes a Sheep for a deck without one; where all have one, the others go back."""
    if state.seats[deck].sheep:
        return ()
    others = all(seat.sheep for place, seat in enumerate(state.seats) if seat.cards and place != deck)
    return (model.SheepTaken(person), *((model.SheepReturned(person),) if others else ()))


def _remove_foxes(state: KinapaState) -> tuple[Event, ...]:
    """Every seat punished before this turn removes one Fox (KA12)."""
    spared = state.turn.punished if state.options.fox_first_tick == "next_turn" else ()
    return tuple(
        model.FoxRemoved(place, seat.foxes - 1)
        for place, seat in enumerate(state.seats)
        if seat.foxes and place not in spared
    )
