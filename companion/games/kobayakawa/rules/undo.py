"""What players must put back on the real table after an undo in Kobayakawa, and which cards are unknown
again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from companion.core.actions import Seat
from companion.core.rules import OpenFace
from companion.core.view import Sentence
from companion.games.kobayakawa.rules.state import (
    KOBAYAKAWA_REGION,
    NO_CARD,
    UNREAD,
    KobayakawaPhase,
    KobayakawaState,
)

if TYPE_CHECKING:
    from companion.games.kobayakawa.rules import Kobayakawa


def open_faces(state: KobayakawaState) -> Iterator[OpenFace]:
    """Every card that lies open in this round; one that was opened stays public under the next."""
    for turn, number in enumerate(state.opened, 1):
        place = KOBAYAKAWA_REGION if turn == len(state.opened) else f"{KOBAYAKAWA_REGION}:{turn}"
        yield OpenFace(place, (KOBAYAKAWA_REGION, state.round, turn), number != UNREAD)
    for seat, hand in enumerate(state.hands):
        if hand.discard != NO_CARD:
            yield OpenFace(
                f"discard:{state.field_of_seat(seat)}", ("discard", state.round, seat), hand.discard != UNREAD
            )
        if hand.shown != UNREAD:
            yield OpenFace(f"hand:{state.field_of_seat(seat)}", ("hand", state.round, seat))


def restore_instructions(
    rules: Kobayakawa, later: KobayakawaState, earlier: KobayakawaState
) -> tuple[Sentence, ...]:
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
            if (now.discard == NO_CARD) != (then.discard == NO_CARD):
                which = "discard_up" if then.discard == NO_CARD else "discard_down"
                chair = (("chair", rules.chair_of(earlier, seat)),)
                todo.append(Sentence(f"kobayakawa.back.{which}", chair))
            if _has_drawn(later, seat) and not _has_drawn(earlier, seat):
                todo.append(Sentence("kobayakawa.back.seen", (("chair", rules.chair_of(earlier, seat)),)))
    for seat, (after, before) in enumerate(zip(later.kamons, earlier.kamons, strict=True)):
        if after != before:
            parts = (("chair", rules.chair_of(earlier, seat)), ("count", before))
            todo.append(Sentence("kobayakawa.back.kamons", parts))
    if later.centre != earlier.centre:
        todo.append(Sentence("kobayakawa.back.centre", (("count", earlier.centre),)))
    return tuple(todo)


def _has_drawn(state: KobayakawaState, seat: Seat) -> bool:
    """Whether somebody has looked at a card of the deck in this round."""
    draws = state.phase is KobayakawaPhase.DISCARDING and seat == state.actor
    return draws or state.hands[seat].did == "draw"
