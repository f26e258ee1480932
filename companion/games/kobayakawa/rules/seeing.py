"""Kobayakawa's rulings on what the camera reads: the open card, what is laid open, and the showdown.

The six fields of the mat have a place for a hand and one for a discard each; a hand is of interest only at
the showdown, and what somebody shows before is called without its number.
"""

from companion.core import events as shared
from companion.core.actions import Seat
from companion.core.events import Events
from companion.core.observations import Face, Region
from companion.games.kobayakawa.rules import events as ev
from companion.games.kobayakawa.rules import judge, payout
from companion.games.kobayakawa.rules.state import (
    NONE,
    OPEN,
    ROUND,
    TAKING,
    UNREAD,
    KobayakawaState,
    Phase,
)

BACK = "back:number"


def seen(state: KobayakawaState, regions: tuple[Region, ...]) -> Events:
    """Every region of the reading in turn."""
    events: Events = ()
    for region in regions:
        events += _seen(judge.folded(state, events), region.name, region.faces)
    return events


def hand_shown(state: KobayakawaState, seat: Seat, faces: tuple[Face, ...]) -> Events:
    """A fighter shows the card to the camera alone."""
    if not 0 <= seat < state.players:
        return ()
    return _hand(state, f"hand:{state.zone(seat)}", seat, faces)


def number_of(faces: tuple[Face, ...], cards: int) -> int:
    """The number on top; `UNREAD` for a back and for what cannot be read, `NONE` where nothing lies."""
    if not faces:
        return NONE
    number = faces[-1].card.partition("number:")[2]
    return int(number) if number.isdecimal() and UNREAD < int(number) <= cards else UNREAD


def _seen(state: KobayakawaState, name: str, faces: tuple[Face, ...]) -> Events:
    kind, _, place = name.partition(":")
    number = number_of(faces, state.cards)
    seat = state.seat_at(int(place)) if place.isdecimal() else None
    if name != OPEN and (seat is None or kind not in {"hand", "discard"}):
        return ()
    if state.phase is Phase.OVER:
        return ()
    cleared = name == OPEN and number == NONE and not state.cleared
    events: Events = (ev.RegionSeen(name, number),) if cleared or state.lies(name) != number else ()
    state = judge.folded(state, events)
    if name == OPEN:
        return (*events, *_open_card(state, number))
    assert seat is not None
    if kind == "hand":
        return (*events, *_hand(state, name, seat, faces))
    return (*events, *_discard(state, name, seat, number, faces))


# The Kobayakawa ---------------------------------------------------------------------------------------------


def _open_card(state: KobayakawaState, number: int) -> Events:
    if number <= UNREAD or state.phase is Phase.STARTING:
        return ()
    match state.phase:
        case Phase.DEALING:
            # Lifting the old pile shows older cards of it: only onto a bare place a new one is turned up.
            return judge.begun(state, number, watched=True) if state.cleared else ()
        case Phase.REVEALING:
            return judge.begun(state, number, watched=True)
        case Phase.SHOWDOWN if state.kobayakawa == UNREAD:
            return judge.recalled(state, number, by_hand=False)
    if number == state.kobayakawa:
        return (ev.PutRight(OPEN),) if OPEN in state.misplaced else ()
    if state.phase in {Phase.DRAWING, Phase.REPLACING} and number not in state.opened:
        return judge.replaced(state, number, by_hand=False)
    if OPEN in state.misplaced:
        return ()
    both = state.phase is Phase.DISCARDING and number not in state.opened
    moved = shared.Infraction("draw.both", state.actor) if both else shared.Infraction("kobayakawa.moved")
    return (moved, ev.AmissSeen(OPEN))


# What is laid open ------------------------------------------------------------------------------------------


def _discard(state: KobayakawaState, name: str, seat: Seat, number: int, faces: tuple[Face, ...]) -> Events:
    if state.phase not in ROUND or seat not in state.order:
        return ()
    hand = state.hands[seat]
    misplaced = name in state.misplaced
    right: Events = (ev.PutRight(name),) if misplaced else ()
    turn = state.phase in TAKING and seat == state.actor
    if number in {NONE, hand.discard}:
        return right
    if number == UNREAD:
        down = turn and faces[-1].card == BACK and not misplaced
        return (shared.Infraction("discard.face_down", seat), ev.AmissSeen(name)) if down else ()
    if turn:
        return (*right, *judge.discarded(judge.folded(state, right), number, by_hand=False))
    if judge.can_name(state, seat):
        return (*right, *judge.read_late(judge.folded(state, right), seat, number, by_hand=False))
    if misplaced or state.phase is Phase.SHOWDOWN:
        return ()
    return (shared.Infraction("discard.not_now", seat), ev.AmissSeen(name))


# Hands ------------------------------------------------------------------------------------------------------


def _hand(state: KobayakawaState, name: str, seat: Seat, faces: tuple[Face, ...]) -> Events:
    number = number_of(faces, state.cards)
    misplaced = name in state.misplaced
    if state.phase not in ROUND or seat not in state.order:
        return ()
    if number <= UNREAD:
        return (ev.PutRight(name),) if misplaced else ()
    if state.phase is not Phase.SHOWDOWN:
        if misplaced or state.hands[seat].bet == "pass":
            return ()
        return (shared.Infraction("hand.shown", seat), ev.AmissSeen(name))
    if seat not in state.fighters:
        return ()
    shown = sum(number_of((face,), state.cards) > UNREAD for face in faces)
    if shown > 1:
        return () if misplaced else (shared.Infraction("hand.two", seat), ev.AmissSeen(name))
    right: Events = (ev.PutRight(name),) if misplaced else ()
    known = state.hands[seat].shown
    if known == number:
        return right
    if known != UNREAD:
        return () if misplaced else (shared.Infraction("hand.changed", seat), ev.AmissSeen(name))
    return (*right, *payout.showed(judge.folded(state, right), seat, number, by_hand=False))
