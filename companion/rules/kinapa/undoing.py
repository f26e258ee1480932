"""What to put back on the table when rulings of Kinapa are taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.rules.kinapa.state import KinapaState, Lies, Phase
from companion.view import Sentence

if TYPE_CHECKING:
    from companion.rules.kinapa import Kinapa


def put_back(rules: Kinapa, later: KinapaState, earlier: KinapaState) -> tuple[Sentence, ...]:
    """The instructions that lead from the table of `later` to that of `earlier`."""
    todo: list[Sentence] = []
    pairs: set[int] = set()
    for slot, (now, then) in enumerate(zip(later.slots, earlier.slots, strict=True), 1):
        if now.lies is not then.lies:
            todo.append(Sentence(f"kinapa.back.object_{then.lies}", (("slot", slot),)))
        if now.lies is Lies.CLOSED and then.lies is not Lies.CLOSED:
            pairs.add(now.pair)
    if _open_somewhere(later) != _open_somewhere(earlier):
        todo.append(Sentence(f"kinapa.back.loose_{'down' if _open_somewhere(later) else 'open'}"))
    for after, before in zip(later.seats, earlier.seats, strict=True):
        pairs.update(set(after.placed) - set(before.placed))
    todo += [Sentence("kinapa.back.pair", (("number", number),)) for number in sorted(pairs)]
    if later.phase is not Phase.STARTING and earlier.phase is Phase.STARTING:
        todo.append(Sentence("kinapa.back.emperor_middle"))
    elif later.emperor != earlier.emperor:
        todo.append(Sentence("kinapa.back.emperor", (("chair", rules.chair_of(earlier, earlier.emperor)),)))
    for seat, (after, before) in enumerate(zip(later.seats, earlier.seats, strict=True)):
        chair = (("chair", rules.chair_of(earlier, seat)),)
        if after.sheep != before.sheep:
            todo.append(Sentence("kinapa.back.sheep_" + ("take" if before.sheep else "return"), chair))
        if after.foxes != before.foxes:
            todo.append(Sentence("kinapa.back.foxes", (*chair, ("count", before.foxes))))
    moved = sum(seat.received for seat in later.seats) - sum(seat.received for seat in earlier.seats)
    if moved > 0:
        todo.append(Sentence("kinapa.back.cards", (("count", moved),)))
    return tuple(todo)


def _open_somewhere(state: KinapaState) -> bool:
    """Whether an object lies open whose place nobody told."""
    return state.phase is Phase.PLACING and not state.turn.slot
