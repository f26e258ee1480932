"""Who called Stop, about which mask, and what it costs.

A Stop comes before the camera has settled on the mask: it is announced at once and stays pending. Its mask is
the one that lay there at the instant of the press: at or after `lies_since` the new one, up to `clear_until`
the one before, in between the caller is asked. Where nothing new comes to lie within `PATIENCE` it is about
the mask placed last.

Calls count in the order of their stamps. Two that are closer than the coarser resolution of their sources are
equal (BA5): the nearest clockwise after the placer has it. Where no edge dates one of them and their
intervals overlap, nobody knows the order: the placer, whom either costs as much, says who was first. The
order is ruled when no further press can be equal any more.
"""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from companion.core.actions import SECOND, Micros, Seat
from companion.core.events import Event, Events
from companion.core.seats import after, nearest
from companion.games.kabuki.rules import events as ev
from companion.games.kabuki.rules.evolve import evolve
from companion.games.kabuki.rules.state import (
    COPIES,
    MOST_TWINS,
    ROUNDS,
    UNREAD,
    Call,
    KabukiState,
    Mask,
    Phase,
    Placement,
    twins,
)

PATIENCE: Micros = 3 * SECOND // 2
"""How long after a Stop a mask that lay there before it may still settle."""
LATEST: Micros = 45_000
"""How long after the first call the order stays open at least: with the 40 ms that the loop waits, a press
whose edge reached the program 80 ms late, or that was found by its level, still takes its place."""
JUST: Micros = 2 * SECOND
"""So long after the last window a press is said to have come too late; later ones mean nothing."""


class Candidate(NamedTuple):
    """A mask a Stop may be about."""

    new: bool
    placer: Seat


def folded(state: KabukiState, events: Iterable[Event]) -> KabukiState:
    """The state once `events` were ruled."""
    for event in events:
        state = evolve(state, event)  # type: ignore[arg-type]  # only this game's events are made here
    return state


# Calling ---------------------------------------------------------------------------------------------------


def called(state: KabukiState, seat: Seat, at: Micros, source: str, since: Micros | None = None) -> Events:
    """A press that says Stop."""
    if any(cold == seat and at < until for cold, until in state.cold):
        return (ev.StopCold(seat),)
    if state.phase is Phase.PLAYING:
        return (ev.StopCalled(seat, at, source, since),)
    if state.phase is Phase.CALLED:
        known = any(call.seat == seat for call in state.pending.calls)
        return () if known else (ev.StopJoined(seat, at, source, since),)
    if state.phase in {Phase.ASKING, Phase.STOPPED} and seat not in state.pending.voided:
        first = state.stop.at if state.stop else state.pending.first
        mine = state.stop is not None and state.stop.seat == seat
        known = mine or any(call.seat == seat for call in state.pending.calls)
        return () if known else (ev.StopVoided(seat, at - first), *cooled(state, seat, at))
    return ()


def too_late(state: KabukiState, seat: Seat, at: Micros) -> Events:
    """A press for the deck's last mask, whose window was just over: announced once."""
    just = state.phase is Phase.SHUFFLING and state.shut is not None and at - state.shut <= JUST
    return (ev.StopTooLate(seat),) if just and seat not in state.pending.voided else ()


def cooled(state: KabukiState, seat: Seat, at: Micros) -> Events:
    """The cooldown of a chair whose press was void, if the table plays with one."""
    pause = state.options.cooldown_ms * 1_000
    return (ev.CooledDown(seat, at + pause),) if pause else ()


def locked(state: KabukiState, at: Micros) -> Events:
    """No press can equal the first call any more; if a new mask has settled already, its calls are ruled."""
    events: Events = (ev.CallsLocked(),)
    if state.pending.placement is None:
        return events
    return (*events, *assigned(folded(state, events), at))


def patience_over(state: KabukiState, at: Micros) -> Events:
    """Nothing settled after the Stop; what cannot be read on one stack alone is the mask that came to lie."""
    if len(state.unread) != 1 or state.out:  # of an empty deck there is no mask it could be
        return assigned(state, at)
    here = state.unread[0]
    queued = ev.PlacementQueued(here.stack, here.design, here.clear_until, here.lies_since)
    return (queued, *assigned(folded(state, (queued,)), at))


# Which mask ------------------------------------------------------------------------------------------------


def candidates(state: KabukiState, call: Call) -> tuple[Candidate, ...]:
    """The masks that `call` may be about, the new one first; both: nobody saw which lay there."""
    found = []
    new, last = state.pending.placement, state.last
    free = state.options.self_stop
    if new is not None and call.at > new.clear_until and (free or call.seat != state.drawer):
        found.append(Candidate(new=True, placer=state.drawer))
    before = new is None or call.start < new.lies_since
    if last is not None and _open(state, call) and before and (free or call.seat != last.seat):
        found.append(Candidate(new=False, placer=last.seat))
    return tuple(found)


def _open(state: KabukiState, call: Call) -> bool:
    """Whether the mask placed last could be stopped at the instant of this call (BA3)."""
    if state.closed and (state.closed_since is None or call.start >= state.closed_since):
        return False
    return state.until is None or call.at <= state.until


def assigned(state: KabukiState, at: Micros) -> Events:
    """The first call that can count counts; where its mask is not clear the caller is asked."""
    calls = sorted(state.pending.calls, key=lambda call: call.at)
    lead = next((call for call in calls if candidates(state, call)), None)
    if lead is None:
        return _dropped(state, calls, at)
    about = candidates(state, lead)
    if len(about) > 1:
        return (ev.MaskAsked(lead.seat),)
    return decided(state, lead, about[0], at)


def decided(state: KabukiState, lead: Call, about: Candidate, at: Micros) -> Events:
    """`lead` is about this mask: who else pressed at the same instant, and who has it."""
    calls = sorted(state.pending.calls, key=lambda call: call.at)
    equal = [
        call
        for call in calls
        if about in candidates(state, call) and (call == lead or _equal(state, call, lead))
    ]
    if any(call.since is not None for call in equal) and len(equal) > 1:
        within = max(call.at for call in equal) - min(call.start for call in equal)
        among = tuple(sorted(call.seat for call in equal))
        return (ev.CallerAsked(about.placer, among, within, about.new),)
    winner = nearest(about.placer, [call.seat for call in equal], state.players)
    return given(state, winner, equal, about, at)


def given(state: KabukiState, winner: Seat, equal: Iterable[Call], about: Candidate, at: Micros) -> Events:
    """`winner` has the Stop about this mask; the others of `equal` pressed at the same instant."""
    calls = sorted(state.pending.calls, key=lambda call: call.at)
    call = next(call for call in calls if call.seat == winner)
    events: Events = ()
    placement = state.pending.placement
    if about.new:
        assert placement is not None
        events = mask_lies(state, placement, at)
    after_it = folded(state, events)
    mask = after_it.last
    assert mask is not None
    tied = tuple(other.seat for other in equal if other.seat != winner)
    stack = after_it.stack_of(mask)
    events = (*events, ev.StopAssigned(winner, call.at, stack, mask.number, mask.seat, tied))
    for other in calls:
        if other.seat != winner and other.seat not in state.pending.voided:
            own = other.seat == about.placer and not state.options.self_stop
            behind = 0 if other.seat in state.pending.among else other.at - call.at
            void = ev.OwnMaskCalled(other.seat) if own else ev.StopVoided(other.seat, behind)
            events = (*events, void, *cooled(state, other.seat, other.at))
    return events


def _equal(state: KabukiState, one: Call, other: Call) -> bool:
    """Whether two presses are closer than the coarser of their sources tells, or their intervals overlap."""
    options = state.options
    return max(one.start, other.start) - min(one.at, other.at) < max(
        options.resolution(one.source), options.resolution(other.source)
    )


def _dropped(state: KabukiState, calls: list[Call], at: Micros) -> Events:
    """No call can count: each player hears why, and play goes on."""
    events: Events = ()
    for call in calls:
        if call.seat not in state.pending.voided:
            events = (*events, _void(state, call), *cooled(state, call.seat, call.at))
    events = (*events, ev.CallsDropped())
    return (*events, *going_on(folded(state, events), at))


def _void(state: KabukiState, call: Call) -> Event:
    new = state.pending.placement
    if state.last is None and (new is None or call.at <= new.clear_until):
        return ev.StopTooEarly(call.seat)
    placers = {state.last.seat} if state.last and _open(state, call) else set()
    placers |= {state.drawer} if new else set()
    if call.seat in placers and not state.options.self_stop:
        return ev.OwnMaskCalled(call.seat)
    return ev.StopTooLate(call.seat)


# Placing ---------------------------------------------------------------------------------------------------


def mask_lies(state: KabukiState, here: Placement, at: Micros, *, opens: bool = True) -> Events:
    """The player in turn placed this mask; the deck's last one opens a timed window."""
    design = here.design or state.hand.design
    number = state.placed + 1
    placed = ev.MaskPlaced(
        state.drawer,
        here.stack,
        design,
        number,
        here.clear_until,
        here.lies_since,
        after(state.drawer, state.players),
    )
    events: Events = (placed, *sixth(state, design))
    return (*events, *window(folded(state, events), at)) if opens else events


def sixth(state: KabukiState, design: str) -> Events:
    """BI3: one more mask of a design than there are. Kept silently until the round is over."""
    known = design != UNREAD and state.copies(design) >= COPIES and design not in state.doubted
    return (ev.SixthSeen(design),) if known else ()


def window(state: KabukiState, at: Micros) -> Events:
    """The timed window of the mask placed last, where it has one; one that runs already runs on."""
    if state.closed or state.until is not None:
        return ()
    if state.out:
        return (ev.WindowOpened(at + state.options.last_window_s * SECOND, last=True),)
    if state.options.stop_until == "seconds":
        return (ev.WindowOpened(at + state.options.window_s * SECOND, last=False),)
    return ()


def going_on(state: KabukiState, at: Micros) -> Events:
    """Play goes on after a Stop: a mask that came to lie meanwhile is placed, or the round is over."""
    if state.pending.placement is not None:
        return mask_lies(state, state.pending.placement, at)
    if state.until is not None and state.until <= at:
        return window_over(state)
    if state.out and state.closed:
        return by_deck(state)
    return window(state, at)


def window_over(state: KabukiState) -> Events:
    """The last instant of a timed window has passed; the deck's last mask ends the round with it."""
    closed: Events = (ev.WindowClosed(),)
    return (*closed, *by_deck(state)) if state.out else closed


# The check -------------------------------------------------------------------------------------------------


def opinion(state: KabukiState) -> range:
    """The counts that the referee believes: any where it has no say, of a design that was read too often."""
    assert state.stop is not None
    stack = state.stacks[state.stop.stack - 1]
    if any(mask.number == state.stop.number and mask.design in state.doubted for mask in stack):
        return range(MOST_TWINS + 1)
    return twins(stack, state.stop.number)


def settled(state: KabukiState, count: int) -> Events:
    """The check is over: tokens change hands for twins that no check has shown yet, and the round may end."""
    stop = state.stop
    assert stop is not None
    verdict: Event
    fresh = count - state.proven
    if fresh > 0:
        paid = 0 if stop.seat == stop.placer else min(fresh, state.tokens[stop.placer])
        verdict = ev.StopRight(stop.seat, stop.placer, fresh, paid)
    else:
        to = stop.placer if state.options.wrong_call == "placer" and stop.placer != stop.seat else None
        verdict = ev.StopWrong(stop.seat, to)
    then = folded(state, (verdict,))
    empty = next((seat for seat, tokens in enumerate(then.tokens) if tokens == 0), None)
    if empty is None:
        return (verdict,)
    ender = {"placer": stop.placer, "caller": stop.seat}.get(state.options.round_ender, empty)
    return (verdict, *ended(then, ender, "token"))


def by_deck(state: KabukiState) -> Events:
    """The deck is empty and its last mask cannot be stopped any more."""
    last = state.last
    assert last is not None
    return ended(state, last.seat, "deck")


def ended(state: KabukiState, ender: Seat, how: ev.End) -> Events:
    """Everybody scores; after three rounds the game is over."""
    doubts = tuple(ev.DeckDoubted(design) for design in state.doubted)
    events: Events = (*doubts, ev.RoundEnded(ender, how, state.tokens))
    if state.round < ROUNDS:
        return events
    return (*events, ev.GameWon(winners(folded(state, events))))


def winners(state: KabukiState) -> tuple[Seat, ...]:
    """Who won: most tokens in all, or (BA10) most rounds; shared by everybody who has as many."""
    points = state.totals
    if state.options.game_by == "rounds":
        points = tuple(
            sum(score[seat] == max(score) for score in state.scores) for seat in range(state.players)
        )
    return tuple(seat for seat, mine in enumerate(points) if mine == max(points))


def of_stop(state: KabukiState) -> Mask:
    """The mask that the Stop is about."""
    stop = state.stop
    assert stop is not None
    return next(mask for mask in state.stacks[stop.stack - 1] if mask.number == stop.number)


def suspended(state: KabukiState, here: Placement, at: Micros) -> Events:
    """A mask settled while play is stopped: it may be the one the Stop is about."""
    if state.pending.placement is not None:
        return ()
    queued = ev.PlacementQueued(here.stack, here.design, here.clear_until, here.lies_since)
    then = folded(state, (queued,))
    ruled = state.pending.locked and state.phase in {Phase.CALLED, Phase.STOPPED} and state.pending.calls
    if not ruled:
        return (queued,)
    if state.phase is Phase.CALLED:
        return (queued, *assigned(then, at))
    # It was taken to be about the mask before, because nothing new had settled.
    calls = sorted(then.pending.calls, key=lambda call: call.at)
    lead = next((call for call in calls if candidates(then, call)), None)
    if lead is None or candidates(then, lead) == (Candidate(new=False, placer=of_stop(state).seat),):
        return (queued,)
    return (queued, *assigned(replace(then, phase=Phase.CALLED), at))
