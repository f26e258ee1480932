"""When rulings of Kabuki are taken back: what to put back on the table, by heights and tokens and without
faces, and which faces may no longer be named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from companion.core.view import Sentence
from companion.games.kabuki.rules.events import FaceForgotten
from companion.games.kabuki.rules.state import UNREAD, KabukiState, Mask, Phase

if TYPE_CHECKING:
    from companion.games.kabuki.rules import Kabuki


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


def forgotten(state: KabukiState, now: KabukiState) -> Iterator[FaceForgotten]:
    """The faces that lie open in `state` and not `now`."""
    same = state.round == now.round
    tops = [top for top in now.tops if top is not None] if same else []
    for stack, mask in enumerate(state.tops, 1):
        if mask is not None and mask.design != UNREAD and not any(_is_same(mask, top) for top in tops):
            yield FaceForgotten(f"stack:{stack}")
    hand, queued, waits = state.hand, state.pending.placement, now.pending.placement
    held = same and now.placed == state.placed and now.hand.forgot == hand.forgot
    if hand.design != UNREAD and not held:
        yield FaceForgotten("show")
    if queued is not None and queued.design != UNREAD:
        waiting = same and waits is not None and waits.design != UNREAD
        open_now = {top.lay for top in tops} | (
            {waits.lies_since} if waiting and waits is not None else set()
        )
        if queued.lies_since not in open_now:
            yield FaceForgotten("queued")
    if state.cards and (now.phase is not Phase.SHOWING or now.stop != state.stop):
        yield FaceForgotten("audit")


def _is_same(mask: Mask, top: Mask) -> bool:
    """Whether they are one mask: a correction may renumber it, or say since when it lies otherwise."""
    known = mask.lay >= 0 and top.lay >= 0
    return mask.lay == top.lay or (known and (mask.seat, mask.number) == (top.seat, top.number))
