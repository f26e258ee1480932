"""What to put back on the table when rulings of dnup are taken back: places and counts, no faces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from companion.core.view import Sentence
from companion.games.dnup.rules.cards import COVERED
from companion.games.dnup.rules.events import SetForgotten
from companion.games.dnup.rules.state import DnupState, Phase

if TYPE_CHECKING:
    from companion.games.dnup.rules import Dnup


def put_back(rules: Dnup, later: DnupState, earlier: DnupState) -> tuple[Sentence, ...]:
    """The instructions that lead from the table of `later` to that of `earlier`."""
    if later.round != earlier.round or later.turn_phase != earlier.turn_phase:
        return tuple(_dealt(rules, earlier))
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


def _dealt(rules: Dnup, earlier: DnupState) -> Iterator[Sentence]:
    """What lay where in another deal, or before one."""
    if earlier.phase is Phase.OVER:
        return
    if not earlier.turn_phase:
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


def forgotten(state: DnupState, now: DnupState) -> Iterator[SetForgotten]:
    """The areas in which other cards lie open `now`, or none; what is being laid stays while it lies so."""
    for at, (then, here) in enumerate(zip(state.areas, now.areas, strict=True)):
        lying = any(one != COVERED for one in then.cards)
        same = state.round == now.round and now.turn_phase and bool(here.cards) and here.born == then.born
        laying = at == state.area and state.due is not None and not then.cards and bool(then.seen)
        lain = laying and (now.due, now.turns, here.seen) == (state.due, state.turns, then.seen)
        if state.turn_phase and ((lying and not same) or (laying and not lain)):
            yield SetForgotten(at)
