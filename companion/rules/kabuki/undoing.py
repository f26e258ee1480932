"""What to put back on the table when rulings of Kabuki are taken back: heights and tokens, no faces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.rules.kabuki.state import KabukiState
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
