"""What players must put back on the real table after an undo in Kinapa, and which cards are unknown again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from companion.core.actions import Chair
from companion.core.rules import OpenFace
from companion.core.view import Sentence
from companion.games.kinapa.rules import narration
from companion.games.kinapa.rules.events import ButtonDown, ButtonUp, ObjectForgotten
from companion.games.kinapa.rules.state import KinapaPhase, KinapaState, ObjectPosition, SeatState

if TYPE_CHECKING:
    from companion.games.kinapa.rules import Kinapa


def restore_instructions(rules: Kinapa, later: KinapaState, earlier: KinapaState) -> tuple[Sentence, ...]:
    """The instructions that lead from the table of `later` to that of `earlier`."""
    todo: list[Sentence] = []
    pairs: set[int] = set()
    for slot, (now, then) in enumerate(zip(later.slots, earlier.slots, strict=True), 1):
        if now.lies is not then.lies:
            todo.append(Sentence(f"kinapa.back.object_{then.lies}", (("slot", slot),)))
        if now.lies is ObjectPosition.CLOSED and then.lies is not ObjectPosition.CLOSED:
            pairs.add(now.pair)
        elif slot in {_unknown_open_slot(earlier)} - {_unknown_open_slot(later)}:
            todo.append(Sentence("kinapa.back.object_open", (("slot", slot),)))
    laid = {
        number
        for after, before in zip(later.seats, earlier.seats, strict=True)
        for number in set(after.placed) - set(before.placed)
    }
    if _is_object_open_unplaced(earlier):
        if not _is_object_open_unplaced(later):
            todo.append(Sentence("kinapa.back.loose_open"))
    elif _is_object_open_unplaced(later) or not laid <= pairs:
        todo.append(Sentence("kinapa.back.loose_down"))
    pairs |= laid
    todo += [Sentence("kinapa.back.pair", (("number", number),)) for number in sorted(pairs)]
    if later.phase is not KinapaPhase.STARTING and earlier.phase is KinapaPhase.STARTING:
        todo.append(Sentence("kinapa.back.emperor_middle"))
    elif later.emperor != earlier.emperor:
        todo.append(Sentence("kinapa.back.emperor", (("chair", rules.chair_of(earlier, earlier.emperor)),)))
    back = _chairs_to_switch_back(later, earlier)
    todo += [Sentence("kinapa.back.switch", (("chair", chair),)) for chair in back]
    for seat, (after, before) in enumerate(zip(_decks_as_before(later, earlier), earlier.seats, strict=True)):
        whose = (narration.seat_part(rules, earlier, seat),)
        if after.sheep != before.sheep:
            key = "kinapa.back.sheep_" + ("take" if before.sheep else "return")
            todo.append(narration.with_bot_suffix(Sentence(key, whose)))
        if after.foxes != before.foxes:
            todo.append(
                narration.with_bot_suffix(Sentence("kinapa.back.foxes", (*whose, ("count", before.foxes))))
            )
    moved = sum(seat.received for seat in later.seats) - sum(seat.received for seat in earlier.seats)
    if moved > 0:
        todo.append(Sentence("kinapa.back.cards", (("count", moved),)))
    return tuple(todo)


def open_faces(state: KinapaState) -> Iterator[OpenFace]:
    """The objects that lie open, those under pairs too; slot 0 is one whose place nobody named."""
    for slot, lying in enumerate(state.slots, 1):
        if lying.lies is not ObjectPosition.DOWN:
            yield OpenFace(f"slot:{slot}", slot)
    if _is_object_open_unplaced(state):
        yield OpenFace("slot:0", 0)


def forget(state: KinapaState, place: str) -> ObjectForgotten | None:
    """The open object is unknown; a pair tells everybody what it lies on."""
    slot = int(place.partition(":")[2])
    return None if slot and state.slots[slot - 1].lies is ObjectPosition.CLOSED else ObjectForgotten(slot)


def buttons(state: KinapaState, now: KinapaState) -> Iterator[ButtonUp | ButtonDown]:
    """No button goes up or down because rulings are taken back; after an end nobody saw what they did."""
    if state.phase is KinapaPhase.OVER:
        return
    down = () if now.phase is KinapaPhase.OVER else now.down
    yield from (ButtonUp(seat) for seat in state.down if seat not in down)
    yield from (ButtonDown(seat) for seat in down if seat not in state.down)


def _chairs_to_switch_back(later: KinapaState, earlier: KinapaState) -> tuple[Chair, ...]:
    """Who has to take the deck back that lies as BOT now."""
    there = zip(earlier.setup.chairs, later.decks, earlier.decks, strict=False)
    return tuple(chair for chair, now, then in there if now != then)


def _decks_as_before(later: KinapaState, earlier: KinapaState) -> tuple[SeatState, ...]:
    """The decks of `later` laid where they lay in `earlier`: what lies with a deck moves with it."""
    if later.decks == earlier.decks:
        return later.seats
    return tuple(later.seats[later.decks.index(deck)] for deck in earlier.decks)


def _unknown_open_slot(state: KinapaState) -> int:
    """The slot of the object that lies open and is not known any more; 0: there is none."""
    return state.turn.slot if state.phase is KinapaPhase.TURNING else 0


def _is_object_open_unplaced(state: KinapaState) -> bool:
    """Whether an object lies open whose place nobody named."""
    return state.phase is KinapaPhase.PLACING and not state.turn.slot
