"""What players must put back on the real table after an undo in dnup, and which cards are unknown again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from companion.core.rules import OpenFace
from companion.core.view import Sentence
from companion.games.dnup.rules.cards import COVERED_CARD, remove_cards
from companion.games.dnup.rules.events import SetForgotten
from companion.games.dnup.rules.state import DnupPhase, DnupState, area_region

if TYPE_CHECKING:
    from companion.games.dnup.rules import Dnup


def restore_instructions(rules: Dnup, later: DnupState, earlier: DnupState) -> tuple[Sentence, ...]:
    """The instructions that lead from the table of `later` to that of `earlier`."""
    if later.round != earlier.round or later.is_turn_running != earlier.is_turn_running:
        return tuple(_deal_instructions(rules, earlier))
    todo: list[Sentence] = []
    for at, (now, then) in enumerate(zip(later.areas, earlier.areas, strict=True)):
        if now.cards == then.cards:
            continue
        chair = ("chair", rules.chair_of(earlier, earlier.owner(at)))
        if then.cards:
            todo.append(Sentence("dnup.back.lies", (chair, ("count", len(then.cards)))))
        else:
            todo.append(Sentence("dnup.back.nothing", (chair,)))
    for seat, (held, before) in enumerate(zip(later.hands, earlier.hands, strict=True)):
        chair = ("chair", rules.chair_of(earlier, seat))
        if held.size != before.size:
            todo.append(Sentence("dnup.back.hand", (chair, ("count", before.size))))
    if later.spins != earlier.spins:
        todo += [
            Sentence("dnup.back.rotate", (("chair", rules.chair_of(earlier, seat)),))
            for seat in range(earlier.players)
            if (later.spins[seat] - earlier.spins[seat]) % 2
        ]
    if later.seat != earlier.seat:
        todo.append(Sentence("dnup.back.turn", (("chair", rules.chair_of(earlier, earlier.seat)),)))
    return tuple(todo)


def _deal_instructions(rules: Dnup, earlier: DnupState) -> Iterator[Sentence]:
    """What lay where in another deal, or before one."""
    if earlier.phase is DnupPhase.OVER:
        return
    if not earlier.is_turn_running:
        yield Sentence("dnup.back.gather")
        return
    yield Sentence("dnup.back.round")
    for at, area in enumerate(earlier.areas):
        if area.cards:
            chair = rules.chair_of(earlier, earlier.owner(at))
            yield Sentence("dnup.back.lies", (("chair", chair), ("count", len(area.cards))))
    for seat, hand in enumerate(earlier.hands):
        yield Sentence("dnup.back.hand", (("chair", rules.chair_of(earlier, seat)), ("count", hand.size)))
    yield Sentence("dnup.back.turn", (("chair", rules.chair_of(earlier, earlier.seat)),))


def open_faces(state: DnupState) -> Iterator[OpenFace]:
    """The sets, with what was seen there besides and is not ruled on yet, such as what is being laid."""
    for at, area in enumerate(state.areas):
        if area.cards:
            yield OpenFace(area_region(at), at, any(one != COVERED_CARD for one in area.cards))
        seen = remove_cards(area.seen or (), area.old)
        if state.is_turn_running and len(seen) > len(area.cards):
            due = state.due if at == state.area and not area.cards else None
            yield OpenFace(f"seen:{at + 1}", (at, due, seen))


def forget(state: DnupState, place: str) -> SetForgotten:
    """Nothing is known of what lies in an area."""
    return SetForgotten(int(place.partition(":")[2]) - 1)
