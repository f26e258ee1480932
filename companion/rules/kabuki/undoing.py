"""When rulings of Kabuki are taken back: what to put back on the table, by heights and tokens and without
faces, and which faces nobody may be told any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.rules.kabuki.events import FacesForgotten
from companion.rules.kabuki.state import UNREAD, KabukiState, Mask, Phase
from companion.view import Sentence

if TYPE_CHECKING:
    from companion.rules.kabuki import Kabuki


def put_back(rules: Kabuki, later: KabukiState, earlier: KabukiState) -> tuple[Sentence, ...]:
    """The instructions that lead from the table of `later` to that of `earlier`."""
    if len(later.scores) != len(earlier.scores):
        return (Sentence("kabuki.back.round"),)
    todo: list[Sentence] = []
    for stack, (now, then) in enumerate(zip(later.stacks, earlier.stacks, strict=True), 1):
        off = len(now) - len(then)
        if off > 0:
            todo.append(Sentence("kabuki.back.mask_off", (("count", off), ("stack", stack))))
        elif off < 0:
            todo.append(Sentence("kabuki.back.mask_on", (("count", -off), ("stack", stack))))
    if earlier.drawer != later.drawer:
        todo.append(Sentence("kabuki.back.turn", (("chair", rules.chair_of(earlier, earlier.drawer)),)))
    for seat, (after, before) in enumerate(zip(later.tokens, earlier.tokens, strict=False)):
        if after != before:
            chair = (("chair", rules.chair_of(earlier, seat)),)
            todo.append(Sentence("kabuki.back.tokens", (*chair, ("count", before))))
    return tuple(todo)


def forgotten(state: KabukiState, now: KabukiState) -> FacesForgotten:
    """The faces that lie open in `state` and not `now`."""
    same = state.round == now.round
    lying = {_which(mask) for mask in now.tops if mask is not None} if same else set()
    hand, queued, waits = state.hand, state.pending.placement, now.pending.placement
    held = same and now.placed == state.placed and now.hand.forgot == hand.forgot
    waiting = same and waits is not None and waits.design != UNREAD and queued is not None
    return FacesForgotten(
        stacks=tuple(
            stack
            for stack, top in enumerate(state.tops, 1)
            if top is not None and top.design != UNREAD and _which(top) not in lying
        ),
        shown=hand.design != UNREAD and not held,
        queued=queued is not None
        and queued.design != UNREAD
        and not (waiting and waits is not None and waits.lies_since == queued.lies_since)
        and queued.lies_since not in lying,
        cards=bool(state.cards) and (now.phase is not Phase.SHOWING or now.stop != state.stop),
    )


def _which(mask: Mask) -> object:
    """What tells a mask from every other, also where a correction renumbers them."""
    return (mask.seat, mask.number) if mask.lay is None else mask.lay
