"""Kabuki's fold: what each ruling changes. No judgement here, so that a replay never re-judges."""

from typing import Any, assert_never

from msgspec.structs import replace

from companion.core import events as shared
from companion.core.actions import Micros, Seat
from companion.games.kabuki.rules import events as ev
from companion.games.kabuki.rules.events import KabukiEvent
from companion.games.kabuki.rules.state import (
    STACKS,
    UNREAD,
    Call,
    Hand,
    KabukiState,
    Mask,
    Pending,
    Phase,
    Placement,
    Stop,
)


def evolve(state: KabukiState, event: KabukiEvent | shared.GameRuling) -> KabukiState:  # noqa: C901, PLR0915
    """The state after `event`."""
    pending = state.pending
    match event:
        # Rounds
        case ev.StarterDrawn():
            return replace(state, phase=Phase.SHUFFLING, drawer=event.seat, tokens=(0,) * state.players)
        case ev.RoundBegan():
            return _new_round(state, event)
        case ev.RoundEnded():
            scores = (*state.scores, event.scores)
            state = replace(state, phase=Phase.SHUFFLING, drawer=event.seat, scores=scores, until=None)
            return replace(state, round=state.round + 1, stop=None, said=None, cards=(), pending=Pending())
        case ev.GameWon():
            return replace(state, phase=Phase.OVER, winners=event.seats)
        # Draw, show, place
        case ev.MaskDrawn():
            return _hand(_shut(state, closes=state.options.stop_until == "next_draw"), drawn=True)
        case ev.MaskShown():
            state = _shut(state, closes=event.closes, since=event.since)
            return _hand(state, drawn=True, design=event.mask, where_due=None)
        case ev.ShowCleared():
            return _hand(state, where_due=event.due)
        case ev.PlacementMissed():
            return replace(_hand(state, where_due=None, missed=True), unread=(), unread_due=None)
        case ev.PlacementMarked():
            return _hand(state, marked=event.at)
        case ev.Pointed():
            return _hand(state, pointer=event.stack, pointing=True)
        case ev.MaskPlaced():
            return _placed(state, event)
        case ev.UnreadSeen():
            here = Placement(event.stack, UNREAD, event.clear_until, event.lies_since)
            unread = (*(old for old in state.unread if old.stack != event.stack), here)
            return replace(state, unread=unread, unread_due=event.due)
        case ev.UnreadGone():
            return _readable(state, event.stack)
        case ev.MaskRead():
            return _read(state, event.stack, (*_designs(state, event.stack)[:-1], event.mask))
        case ev.AmissSeen():
            here = Placement(event.stack, event.mask, event.clear_until, event.lies_since)
            return replace(state, misplaced=(*_without(state, event.stack), here))
        case ev.PutRight():
            return replace(state, misplaced=_without(state, event.stack))
        # What no player learns before it is over
        case ev.SixthSeen():
            return replace(state, doubted=tuple(dict.fromkeys((*state.doubted, event.mask))))
        case ev.DeckDoubted():
            return state
        case ev.FaceForgotten():
            return _forgotten(state, event.place)
        case ev.DeckShort():
            return replace(state, missing=state.missing + event.count)
        # Windows
        case ev.WindowOpened():
            return replace(state, phase=Phase.PLAYING, until=event.until, closed=False)
        case ev.WindowClosed():
            return replace(state, until=None, closed=True, shut=state.until)
        case shared.WindowVoided():
            return _voided(state)
        # Stop
        case ev.StopCalled():
            call = Call(event.seat, event.at, event.source, event.since)
            queued = pending.placement
            return replace(state, phase=Phase.CALLED, pending=Pending(calls=(call,), placement=queued))
        case ev.StopJoined():
            call = Call(event.seat, event.at, event.source, event.since)
            return replace(state, pending=replace(pending, calls=(*pending.calls, call)))
        case ev.CallsLocked():
            return replace(state, pending=replace(pending, locked=True))
        case ev.PlacementQueued():
            here = Placement(event.stack, event.mask, event.clear_until, event.lies_since)
            state = replace(state, unread=(), unread_due=None)
            return replace(state, pending=replace(pending, placement=here))
        case ev.MaskAsked():
            return replace(state, phase=Phase.ASKING, stop=None, pending=replace(pending, among=()))
        case ev.CallerAsked():
            asked = replace(pending, among=event.among, newer=event.newer)
            return replace(state, phase=Phase.ASKING, stop=None, pending=asked)
        case ev.StopAssigned():
            stop = Stop(event.seat, event.at, event.stack, event.number, event.placer)
            return replace(state, phase=Phase.STOPPED, stop=stop, pending=replace(pending, among=()))
        case ev.StopVoided() | ev.OwnMaskCalled() | ev.StopTooEarly() | ev.StopTooLate():
            voided = tuple(dict.fromkeys((*pending.voided, event.seat)))
            return replace(state, pending=replace(pending, voided=voided))
        case ev.StopCold():
            return state
        case ev.CooledDown():
            others = tuple(pair for pair in state.cold if pair[0] != event.seat)
            return replace(state, cold=(*others, (event.seat, event.until)))
        case ev.CallsDropped():
            return replace(state, phase=Phase.PLAYING)
        case ev.StopWithdrawn():
            kept = Pending(placement=pending.placement)
            withdrawn = tuple(dict.fromkeys((*state.withdrawn, event.seat)))
            return replace(state, phase=Phase.PLAYING, stop=None, withdrawn=withdrawn, pending=kept)
        # The check
        case ev.CheckBegan():
            kept = Pending(placement=pending.placement)
            return replace(state, phase=Phase.CHECKING, pending=kept, said=None, cards=())
        case ev.CheckSaid():
            return replace(state, said=event.count)
        case ev.CheckDiffers():
            return replace(state, phase=Phase.SHOWING, cards=())
        case ev.CardShown():
            return replace(state, cards=(*state.cards, event.mask))
        case ev.StackRead():
            return _read(state, event.stack, event.cards)
        case ev.StackOrderChanged() | ev.StackMisread():
            return state
        case ev.StackUnknown():
            buried = len(state.stacks[event.stack - 1]) - 1
            return _read(state, event.stack, (*(UNREAD,) * buried, _designs(state, event.stack)[-1]))
        case ev.StopRight():
            state = replace(state, proven=state.proven + event.count)
            return _settled(_paid(state, event.placer, event.seat, event.paid))
        case ev.StopWrong():
            return _settled(_paid(state, event.seat, event.to, 1))
        case ev.StackRestored():
            kept = Pending(placement=pending.placement)
            return replace(state, phase=Phase.PLAYING, stop=None, said=None, cards=(), pending=kept)
        case shared.Repaired():
            return repaired(state, event.table)
        case shared.GameAbandoned():
            return replace(state, phase=Phase.OVER)
        case shared.Infraction() | shared.Repair():
            return state
        case _ as never:
            assert_never(never)


def repaired(state: KabukiState, table: tuple[tuple[str, str | int], ...]) -> KabukiState:
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


def _hand(state: KabukiState, **changes: Any) -> KabukiState:
    return replace(state, hand=replace(state.hand, **changes))


def _shut(state: KabukiState, *, closes: bool, since: Micros | None = None) -> KabukiState:
    return replace(state, closed=True, closed_since=since) if closes and not state.closed else state


def _new_round(state: KabukiState, event: ev.RoundBegan) -> KabukiState:
    state = replace(state, phase=Phase.PLAYING, round=event.round, drawer=event.seat, placed=0, box=0)
    state = replace(state, tokens=(event.tokens,) * state.players, stacks=((),) * STACKS, hand=Hand())
    state = replace(state, closed=True, until=None, pending=Pending(), stop=None, said=None, cards=())
    state = replace(state, unread=(), unread_due=None, shut=None)
    return replace(state, misplaced=(), cold=(), doubted=(), missing=0)


def _placed(state: KabukiState, event: ev.MaskPlaced) -> KabukiState:
    stacks = list(state.stacks)
    stacks[event.stack - 1] = (*stacks[event.stack - 1], Mask(event.mask, event.seat, event.number))
    phase = state.phase if state.phase in {Phase.CALLED, Phase.ASKING, Phase.STOPPED} else Phase.PLAYING
    calls = state.pending.calls if phase is not Phase.PLAYING else ()
    pending = replace(state.pending, placement=None, calls=calls, voided=())
    state = replace(state, phase=phase, stacks=tuple(stacks), placed=event.number, drawer=event.drawer)
    state = replace(state, hand=Hand(pointer=state.hand.pointer), pending=pending)
    state = replace(state, closed=False, closed_since=None, until=None)
    state = replace(state, lay=event.lies_since, withdrawn=(), proven=0)
    return replace(state, misplaced=(), unread=(), unread_due=None, turns=state.turns + 1)


def _forgotten(state: KabukiState, place: str) -> KabukiState:
    pending = state.pending
    if place == "show":
        return _hand(state, design=UNREAD, where_due=None)
    if place == "queued" and pending.placement is not None:
        return replace(state, pending=replace(pending, placement=replace(pending.placement, design=UNREAD)))
    if place == "audit":
        return replace(state, cards=())
    kind, _, number = place.partition(":")
    if kind == "misplaced":
        return replace(state, misplaced=_without(state, int(number)))
    if kind == "stack":
        return _read(state, int(number), (*_designs(state, int(number))[:-1], UNREAD))
    return state


def _readable(state: KabukiState, stack: int) -> KabukiState:
    unread = tuple(old for old in state.unread if old.stack != stack)
    return replace(state, unread=unread, unread_due=state.unread_due if unread else None)


def _designs(state: KabukiState, stack: int) -> tuple[str, ...]:
    return tuple(mask.design for mask in state.stacks[stack - 1])


def _read(state: KabukiState, stack: int, designs: tuple[str, ...]) -> KabukiState:
    """The stack with these faces, lowest first; its heights and owners stay."""
    stacks = list(state.stacks)
    stacks[stack - 1] = tuple(
        replace(mask, design=design) for mask, design in zip(stacks[stack - 1], designs, strict=True)
    )
    return replace(state, stacks=tuple(stacks))


def _without(state: KabukiState, stack: int) -> tuple[Placement, ...]:
    return tuple(here for here in state.misplaced if here.stack != stack)


def _voided(state: KabukiState) -> KabukiState:
    """Calls whose order was open are forgotten; a timed window is opened again by its placer."""
    queued = Pending(placement=state.pending.placement)
    if state.phase is Phase.CALLED:
        # Where the window was timed it starts afresh; otherwise it never had an end.
        timed = state.out or state.options.stop_until == "seconds"
        phase = Phase.REOPENING if timed and not state.closed else Phase.PLAYING
        return replace(state, phase=phase, pending=queued, until=None)
    return replace(state, phase=Phase.REOPENING, until=None, pending=queued)


def _paid(state: KabukiState, giver: Seat, taker: Seat | None, tokens: int) -> KabukiState:
    """Tokens change hands; without a taker they go back to the box."""
    now = list(state.tokens)
    now[giver] -= tokens
    if taker is not None:
        now[taker] += tokens
    box = state.box + (tokens if taker is None else 0)
    return replace(state, tokens=tuple(now), box=box)


def _settled(state: KabukiState) -> KabukiState:
    closed = state.closed or not state.options.second_stop
    return replace(state, phase=Phase.RESTORING, closed=closed, until=None)
