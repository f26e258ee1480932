"""Applies Kabuki's events to its state, without judging anything.

No judgement here, so that a replay never re-judges.
"""

from typing import Any, assert_never

from msgspec.structs import replace

from companion.core import events as shared
from companion.core.actions import Micros, Seat
from companion.games.kabuki.rules import model
from companion.games.kabuki.rules.model import (
    STACK_COUNT,
    UNREAD,
    AssignedStop,
    KabukiEvent,
    KabukiPhase,
    KabukiState,
    MaskInHand,
    PendingStop,
    PlacedMask,
    Placement,
    StopCall,
)


def evolve(state: KabukiState, event: KabukiEvent | shared.GameRuling) -> KabukiState:  # noqa: C901, PLR0915
    """The state after `event`."""
    pending = state.pending
    match event:
        # Rounds
        case model.StarterDrawn():
            return replace(state, phase=KabukiPhase.SHUFFLING, drawer=event.seat, tokens=(0,) * state.players)
        case model.KabukiRoundBegan():
            return _begin_round(state, event)
        case model.KabukiRoundEnded():
            scores = (*state.scores, event.scores)
            state = replace(state, phase=KabukiPhase.SHUFFLING, drawer=event.seat, scores=scores, until=None)
            return replace(
                state, round=state.round + 1, stop=None, said=None, cards=(), pending=PendingStop()
            )
        case model.KabukiGameWon():
            return replace(state, phase=KabukiPhase.OVER, winners=event.seats)
        # Draw, show, place
        case model.MaskDrawn():
            return _with_hand(
                _with_window_closed(state, closes=state.options.stop_until == "next_draw"), drawn=True
            )
        case model.MaskShown():
            state = _with_window_closed(state, closes=event.closes, since=event.since)
            return _with_hand(state, drawn=True, design=event.mask, where_due=None)
        case model.ShowCleared():
            return _with_hand(state, where_due=event.due)
        case model.PlacementMissed():
            return replace(_with_hand(state, where_due=None, missed=True), unread=(), unread_due=None)
        case model.PlacementMarked():
            return _with_hand(state, marked=event.at)
        case model.StackPointedAt():
            return _with_hand(state, pointer=event.stack, pointing=True)
        case model.MaskPlaced():
            return _place_mask(state, event)
        case model.UnreadSeen():
            here = Placement(event.stack, UNREAD, event.clear_until, event.lies_since)
            unread = (*(old for old in state.unread if old.stack != event.stack), here)
            return replace(state, unread=unread, unread_due=event.due)
        case model.UnreadGone():
            return _drop_unread(state, event.stack)
        case model.MaskRead():
            return _with_designs(state, event.stack, (*_stack_designs(state, event.stack)[:-1], event.mask))
        case model.KabukiMisplacementSeen():
            here = Placement(event.stack, event.mask, event.clear_until, event.lies_since)
            return replace(state, misplaced=(*_misplaced_elsewhere(state, event.stack), here))
        case model.KabukiMisplacementResolved():
            return replace(state, misplaced=_misplaced_elsewhere(state, event.stack))
        # What no player learns before it is over
        case model.SixthCopySeen():
            return replace(state, doubted=tuple(dict.fromkeys((*state.doubted, event.mask))))
        case model.DeckDoubted():
            return state
        case model.FaceForgotten():
            return _forget_face(state, event.place)
        case model.DeckShort():
            return replace(state, missing=state.missing + event.count)
        # Windows
        case model.WindowOpened():
            return replace(state, phase=KabukiPhase.PLAYING, until=event.until, closed=False)
        case model.WindowClosed():
            return replace(state, until=None, closed=True, shut=state.until)
        case shared.WindowVoided():
            return _void_window(state)
        # Stop
        case model.StopCalled():
            call = StopCall(event.seat, event.at, event.source, event.since)
            queued = pending.placement
            return replace(
                state, phase=KabukiPhase.CALLED, pending=PendingStop(calls=(call,), placement=queued)
            )
        case model.StopJoined():
            call = StopCall(event.seat, event.at, event.source, event.since)
            return replace(state, pending=replace(pending, calls=(*pending.calls, call)))
        case model.CallsLocked():
            return replace(state, pending=replace(pending, locked=True))
        case model.PlacementQueued():
            here = Placement(event.stack, event.mask, event.clear_until, event.lies_since)
            state = replace(state, unread=(), unread_due=None)
            return replace(state, pending=replace(pending, placement=here))
        case model.MaskAsked():
            return replace(state, phase=KabukiPhase.ASKING, stop=None, pending=replace(pending, among=()))
        case model.CallerAsked():
            asked = replace(pending, among=event.among, newer=event.newer)
            return replace(state, phase=KabukiPhase.ASKING, stop=None, pending=asked)
        case model.StopAssigned():
            stop = AssignedStop(event.seat, event.at, event.stack, event.number, event.placer)
            return replace(state, phase=KabukiPhase.STOPPED, stop=stop, pending=replace(pending, among=()))
        case model.StopVoided() | model.OwnMaskCalled() | model.StopTooEarly() | model.StopTooLate():
            voided = tuple(dict.fromkeys((*pending.voided, event.seat)))
            return replace(state, pending=replace(pending, voided=voided))
        case model.StopInCooldown():
            return state
        case model.CooledDown():
            others = tuple(pair for pair in state.cold if pair[0] != event.seat)
            return replace(state, cold=(*others, (event.seat, event.until)))
        case model.CallsDropped():
            return replace(state, phase=KabukiPhase.PLAYING)
        case model.StopWithdrawn():
            kept = PendingStop(placement=pending.placement)
            withdrawn = tuple(dict.fromkeys((*state.withdrawn, event.seat)))
            return replace(state, phase=KabukiPhase.PLAYING, stop=None, withdrawn=withdrawn, pending=kept)
        # The check
        case model.CheckBegan():
            kept = PendingStop(placement=pending.placement)
            return replace(state, phase=KabukiPhase.CHECKING, pending=kept, said=None, cards=())
        case model.CheckSaid():
            return replace(state, said=event.count)
        case model.CheckDiffers():
            return replace(state, phase=KabukiPhase.SHOWING, cards=())
        case model.StackCardShown():
            return replace(state, cards=(*state.cards, event.mask))
        case model.StackRead():
            return _with_designs(state, event.stack, event.cards)
        case model.StackOrderChanged() | model.StackMisread():
            return state
        case model.StackUnknown():
            buried = len(state.stacks[event.stack - 1]) - 1
            return _with_designs(
                state, event.stack, (*(UNREAD,) * buried, _stack_designs(state, event.stack)[-1])
            )
        case model.StopRight():
            state = replace(state, proven=state.proven + event.count)
            return _end_check(_pay_tokens(state, event.placer, event.seat, event.paid))
        case model.StopWrong():
            return _end_check(_pay_tokens(state, event.seat, event.to, 1))
        case model.StackRestored():
            kept = PendingStop(placement=pending.placement)
            return replace(state, phase=KabukiPhase.PLAYING, stop=None, said=None, cards=(), pending=kept)
        case shared.Repaired():
            return apply_repair(state, event.table)
        case shared.GameAbandoned():
            return replace(state, phase=KabukiPhase.OVER)
        case shared.Infraction() | shared.Repair():
            return state
        case _ as never:
            assert_never(never)


def apply_repair(state: KabukiState, table: tuple[tuple[str, str | int], ...]) -> KabukiState:
    """The state with `tokens:seat` and `drawer` as the table says; `ValueError` on other names."""
    tokens, box = list(state.tokens), state.box + sum(state.tokens)
    for name, value in table:
        kind, _, place = name.partition(":")
        if kind == "tokens" and place.isdecimal():
            tokens[int(place)] = int(value)
        elif name == "drawer" and 0 <= int(value) < state.players:
            state = replace(state, drawer=int(value))
        else:
            raise ValueError(name)
    return replace(state, tokens=tuple(tokens), box=box - sum(tokens))


def _with_hand(state: KabukiState, **changes: Any) -> KabukiState:
    return replace(state, hand=replace(state.hand, **changes))


def _with_window_closed(state: KabukiState, *, closes: bool, since: Micros | None = None) -> KabukiState:
    return replace(state, closed=True, closed_since=since) if closes and not state.closed else state


def _begin_round(state: KabukiState, event: model.KabukiRoundBegan) -> KabukiState:
    state = replace(state, phase=KabukiPhase.PLAYING, round=event.round, drawer=event.seat, placed=0, box=0)
    state = replace(
        state, tokens=(event.tokens,) * state.players, stacks=((),) * STACK_COUNT, hand=MaskInHand()
    )
    state = replace(state, closed=True, until=None, pending=PendingStop(), stop=None, said=None, cards=())
    state = replace(state, unread=(), unread_due=None, shut=None)
    return replace(state, misplaced=(), cold=(), doubted=(), missing=0)


def _place_mask(state: KabukiState, event: model.MaskPlaced) -> KabukiState:
    stacks = list(state.stacks)
    stacks[event.stack - 1] = (*stacks[event.stack - 1], PlacedMask(event.mask, event.seat, event.number))
    phase = (
        state.phase
        if state.phase in {KabukiPhase.CALLED, KabukiPhase.ASKING, KabukiPhase.STOPPED}
        else KabukiPhase.PLAYING
    )
    calls = state.pending.calls if phase is not KabukiPhase.PLAYING else ()
    pending = replace(state.pending, placement=None, calls=calls, voided=())
    state = replace(state, phase=phase, stacks=tuple(stacks), placed=event.number, drawer=event.drawer)
    state = replace(state, hand=MaskInHand(pointer=state.hand.pointer), pending=pending)
    state = replace(state, closed=False, closed_since=None, until=None)
    state = replace(state, lay=event.lies_since, withdrawn=(), proven=0)
    return replace(state, misplaced=(), unread=(), unread_due=None, turns=state.turns + 1)


def _forget_face(state: KabukiState, place: str) -> KabukiState:
    pending = state.pending
    if place == "show":
        return _with_hand(state, design=UNREAD, where_due=None)
    if place == "queued" and pending.placement is not None:
        return replace(state, pending=replace(pending, placement=replace(pending.placement, design=UNREAD)))
    if place == "audit":
        return replace(state, cards=())
    kind, _, number = place.partition(":")
    if kind == "misplaced":
        return replace(state, misplaced=_misplaced_elsewhere(state, int(number)))
    if kind == "stack":
        return _with_designs(state, int(number), (*_stack_designs(state, int(number))[:-1], UNREAD))
    return state


def _drop_unread(state: KabukiState, stack: int) -> KabukiState:
    unread = tuple(old for old in state.unread if old.stack != stack)
    return replace(state, unread=unread, unread_due=state.unread_due if unread else None)


def _stack_designs(state: KabukiState, stack: int) -> tuple[str, ...]:
    return tuple(mask.design for mask in state.stacks[stack - 1])


def _with_designs(state: KabukiState, stack: int, designs: tuple[str, ...]) -> KabukiState:
    """The stack with these faces, lowest first; its heights and owners stay."""
    stacks = list(state.stacks)
    stacks[stack - 1] = tuple(
        replace(mask, design=design) for mask, design in zip(stacks[stack - 1], designs, strict=True)
    )
    return replace(state, stacks=tuple(stacks))


def _misplaced_elsewhere(state: KabukiState, stack: int) -> tuple[Placement, ...]:
    return tuple(here for here in state.misplaced if here.stack != stack)


def _void_window(state: KabukiState) -> KabukiState:
    """Calls whose order was open are forgotten; a timed window is opened again by its placer."""
    queued = PendingStop(placement=state.pending.placement)
    if state.phase is KabukiPhase.CALLED:
        # Where the window was timed it starts afresh; otherwise it never had an end.
        timed = state.out or state.options.stop_until == "seconds"
        phase = KabukiPhase.REOPENING if timed and not state.closed else KabukiPhase.PLAYING
        return replace(state, phase=phase, pending=queued, until=None)
    return replace(state, phase=KabukiPhase.REOPENING, until=None, pending=queued)


def _pay_tokens(state: KabukiState, giver: Seat, taker: Seat | None, tokens: int) -> KabukiState:
    """Tokens change hands; without a taker they go back to the box."""
    now = list(state.tokens)
    now[giver] -= tokens
    if taker is not None:
        now[taker] += tokens
    box = state.box + (tokens if taker is None else 0)
    return replace(state, tokens=tuple(now), box=box)


def _end_check(state: KabukiState) -> KabukiState:
    closed = state.closed or not state.options.second_stop
    return replace(state, phase=KabukiPhase.RESTORING, closed=closed, until=None)
