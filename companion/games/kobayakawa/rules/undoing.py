"""What to put back on the table when rulings of Kobayakawa are taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.core.actions import Seat
from companion.core.view import Sentence
from companion.games.kobayakawa.rules.state import NONE, UNREAD, KobayakawaState, Phase

if TYPE_CHECKING:
    from companion.games.kobayakawa.rules import Kobayakawa


def uncovers(state: KobayakawaState, now: KobayakawaState) -> bool:
    """Whether more cards lie open in `state` than `now`."""
    if state.round != now.round:
        return state.round > now.round
    hands = zip(state.hands, now.hands, strict=False)
    laid = any(
        (one.discard > UNREAD and other.discard == NONE) or (one.shown != UNREAD and other.shown == UNREAD)
        for one, other in hands
    )
    return laid or len(state.opened) > len(now.opened)


def put_back(rules: Kobayakawa, later: KobayakawaState, earlier: KobayakawaState) -> tuple[Sentence, ...]:
    """The instructions that lead from the table of `later` to that of `earlier`."""
    todo: list[Sentence] = []
    if later.round != earlier.round:
        todo.append(Sentence("kobayakawa.back.round"))
    else:
        off = len(later.opened) - len(earlier.opened)
        if off > 0:
            todo.append(Sentence("kobayakawa.back.open_off", (("count", off),)))
        elif off < 0:
            todo.append(Sentence("kobayakawa.back.open_on", (("number", earlier.kobayakawa),)))
        for seat, (now, then) in enumerate(zip(later.hands, earlier.hands, strict=False)):
            if (now.discard == NONE) != (then.discard == NONE):
                which = "discard_up" if then.discard == NONE else "discard_down"
                chair = (("chair", rules.chair_of(earlier, seat)),)
                todo.append(Sentence(f"kobayakawa.back.{which}", chair))
            if _drew(later, seat) and not _drew(earlier, seat):
                todo.append(Sentence("kobayakawa.back.seen", (("chair", rules.chair_of(earlier, seat)),)))
    for seat, (after, before) in enumerate(zip(later.kamons, earlier.kamons, strict=True)):
        if after != before:
            parts = (("chair", rules.chair_of(earlier, seat)), ("count", before))
            todo.append(Sentence("kobayakawa.back.kamons", parts))
    if later.centre != earlier.centre:
        todo.append(Sentence("kobayakawa.back.centre", (("count", earlier.centre),)))
    return tuple(todo)


def _drew(state: KobayakawaState, seat: Seat) -> bool:
    """Whether somebody has looked at a card of the deck in this round."""
    draws = state.phase is Phase.DISCARDING and seat == state.actor
    return draws or state.hands[seat].did == "draw"
