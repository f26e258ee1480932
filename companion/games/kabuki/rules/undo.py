"""What players must put back on the real table after an undo in Kabuki, and which cards are unknown again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from companion.core.rules import OpenFace
from companion.core.view import Sentence
from companion.games.kabuki.rules.state import UNREAD, KabukiPhase, KabukiState

if TYPE_CHECKING:
    from companion.games.kabuki.rules import Kabuki


def restore_instructions(rules: Kabuki, later: KabukiState, earlier: KabukiState) -> tuple[Sentence, ...]:
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


def open_faces(state: KabukiState) -> Iterator[OpenFace]:
    """The tops, the mask in hand, what lies over the tops and is not placed yet, and what a check shows.

    A mask is told from others by how high it lies on which stack; so it stays the same when it is placed.
    """
    heights = [len(stack) for stack in state.stacks]
    for stack, mask in enumerate(state.tops, 1):
        if mask is not None:
            yield OpenFace(f"stack:{stack}", (stack, heights[stack - 1]), mask.design != UNREAD)
    yield OpenFace("show", ("show", state.round, state.placed), state.hand.design != UNREAD)
    queued = state.pending.placement
    if queued is not None:
        yield OpenFace("queued", (queued.stack, heights[queued.stack - 1] + 1), queued.design != UNREAD)
    for here in state.misplaced:
        if here.design != UNREAD:
            yield OpenFace(f"misplaced:{here.stack}", (here.stack, heights[here.stack - 1] + 1))
    if state.cards and state.phase is KabukiPhase.SHOWING:
        yield OpenFace("audit", "audit")
