"""Decides whose Stop counts, for which mask, at what price.

A Stop comes before the camera has settled on the mask: it is announced at once and stays pending. Its mask
is the one that lay there at the instant of the press: at or after `lies_since` the new one, up to
`clear_until` the one before, in between the caller is asked. Where nothing new comes to lie within
`SETTLING_PATIENCE` it is about the mask placed last.

Calls count in the order of their stamps. Two that are closer than the coarser resolution of their sources are
equal (BA5): of the calls that none certainly precedes the nearest clockwise after the placer has it. Where no
edge dates one of these, nobody knows the order: the placer, whom either costs as much, says who was first.
The order is ruled when no further press can be equal any more.
"""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from companion.core.actions import SECOND, Micros, Seat, nearest_seat, seat_after
from companion.core.events import Event, Events, apply_events
from companion.games.kabuki.rules import model
from companion.games.kabuki.rules.model import KabukiPhase, KabukiState
from companion.games.kit.race import RaceCall, first_calls

SETTLING_PATIENCE: Micros = 3 * SECOND // 2
"""How long after a Stop a mask that lay there before it may still settle."""
LATE_PRESS_WINDOW: Micros = 2 * SECOND
"""So long after the last window a press is said to have come too late; later ones mean nothing."""


class CandidateMask(NamedTuple):
    """A mask a Stop may be about."""

    new: bool
    placer: Seat


# Calling ---------------------------------------------------------------------------------------------------


def call_stop(state: KabukiState, seat: Seat, at: Micros, source: str, since: Micros | None = None) -> Events:
    """A press that says Stop."""
    if any(cold == seat and at < until for cold, until in state.cold):
        return (model.StopInCooldown(seat),)
    if state.phase is KabukiPhase.PLAYING:
        return (model.StopCalled(seat, at, source, since),)
    if state.phase is KabukiPhase.CALLED:
        known = any(call.seat == seat for call in state.pending.calls)
        return () if known else (model.StopJoined(seat, at, source, since),)
    if state.phase in {KabukiPhase.ASKING, KabukiPhase.STOPPED} and seat not in state.pending.voided:
        first = state.stop.at if state.stop else state.pending.first_call_at
        mine = state.stop is not None and state.stop.seat == seat
        known = mine or any(call.seat == seat for call in state.pending.calls)
        return () if known else (model.StopVoided(seat, at - first), *start_cooldown(state, seat, at))
    return ()


def judge_late_press(state: KabukiState, seat: Seat, at: Micros) -> Events:
    """A press for the deck's last mask, whose window was just over: announced once."""
    just = (
        state.phase is KabukiPhase.SHUFFLING
        and state.shut is not None
        and at - state.shut <= LATE_PRESS_WINDOW
    )
    return (model.StopTooLate(seat),) if just and seat not in state.pending.voided else ()


def start_cooldown(state: KabukiState, seat: Seat, at: Micros) -> Events:
    """The cooldown of a chair whose press was void, if the table plays with one."""
    pause = state.options.cooldown_ms * 1_000
    return (model.CooledDown(seat, at + pause),) if pause else ()


def lock_calls(state: KabukiState, at: Micros) -> Events:
    """No press can equal the first call any more; if a new mask has settled already, its calls are ruled."""
    events: Events = (model.CallsLocked(),)
    if state.pending.placement is None:
        return events
    if state.may_lie_unseen:
        return (*events, model.PlacementMissed(state.drawer))
    return (*events, *assign_stop(apply_events(state, events), at))


def end_patience(state: KabukiState, at: Micros) -> Events:
    """Nothing settled after the Stop; what cannot be read on one stack alone is the mask that came to lie.

    A mask that may lie unseen is asked about first: else whoever laid it on its like could not be stopped.
    """
    if state.may_lie_unseen and not state.unread:
        return (model.PlacementMissed(state.drawer),)
    if len(state.unread) != 1 or state.out:  # of an empty deck there is no mask it could be
        return assign_stop(state, at)
    queued = model.PlacementQueued.of(state.unread[0])
    return (queued, *assign_stop(queued.apply(state), at))


def settle_where(state: KabukiState, here: model.Placement, at: Micros, *, said: bool) -> Events:
    """A Stop waits for the mask that nobody saw laid: here it lies, or a later one was seen."""
    after = state.pending.placement
    queued = model.PlacementQueued.of(here)
    if after is None:
        then = queued.apply(state)
        return (queued,) if not said and then.has_later_mask else (queued, *assign_stop(then, at))
    if not said:
        return ()
    # Told of the very stack on which the later one was seen, there was no other: what was shown was misread,
    # or, if another is named, what was seen there.
    events: Events = (model.MaskShown(state.drawer, here.design or after.design, closes=False),)
    if here.stack != after.stack:
        events = (*place_mask(state, here, at, opens=False), *queue_again(state))
    elif here.design:
        events = (*events, model.PlacementQueued.of(replace(after, design=here.design)))
    return (*events, *assign_stop(apply_events(state, events), at))


# Which mask ------------------------------------------------------------------------------------------------


def candidate_masks(state: KabukiState, call: RaceCall) -> tuple[CandidateMask, ...]:
    """The masks that `call` may be about, the new one first; both: nobody saw which lay there."""
    found = []
    new, last = state.pending.placement, state.last
    free = state.options.self_stop
    if new is not None and call.at > new.clear_until and (free or call.seat != state.drawer):
        found.append(CandidateMask(new=True, placer=state.drawer))
    before = new is None or call.earliest < new.lies_since
    if last is not None and _open(state, call) and before and (free or call.seat != last.seat):
        found.append(CandidateMask(new=False, placer=last.seat))
    return tuple(found)


def _open(state: KabukiState, call: RaceCall) -> bool:
    """Whether the mask placed last could be stopped at the instant of this call (BA3)."""
    if state.closed and (state.closed_since is None or call.earliest >= state.closed_since):
        return False
    return state.until is None or call.earliest <= state.until


def assign_stop(state: KabukiState, at: Micros) -> Events:
    """The first call that can count counts; where its mask is not clear the caller is asked."""
    calls = sorted(state.pending.calls, key=lambda call: call.at)
    lead = next((call for call in calls if candidate_masks(state, call)), None)
    if lead is None:
        return _drop_calls(state, calls, at)
    about = candidate_masks(state, lead)
    if len(about) > 1:
        return (model.MaskAsked(lead.seat),)
    return decide_stop(state, about[0], at)


def decide_stop(state: KabukiState, about: CandidateMask, at: Micros) -> Events:
    """The first call about this mask has it: of those that no other certainly precedes."""
    calls = sorted(state.pending.calls, key=lambda call: call.at)
    calls = [call for call in calls if about in candidate_masks(state, call)]
    equal = first_calls(calls, state.options.resolution)
    if any(call.since is not None for call in equal) and len(equal) > 1:
        within = max(call.at for call in equal) - min(call.earliest for call in equal)
        among = tuple(sorted(call.seat for call in equal))
        return (model.CallerAsked(about.placer, among, within, about.new),)
    winner = nearest_seat(about.placer, [call.seat for call in equal], state.players)
    return award_stop(state, winner, equal, about, at)


def award_stop(
    state: KabukiState, winner: Seat, equal: Iterable[RaceCall], about: CandidateMask, at: Micros
) -> Events:
    """`winner` has the Stop about this mask; the others of `equal` pressed at the same instant."""
    calls = sorted(state.pending.calls, key=lambda call: call.at)
    call = next(call for call in calls if call.seat == winner)
    events: Events = ()
    placement = state.pending.placement
    if about.new:
        assert placement is not None
        events = place_mask(state, placement, at)
    after_it = apply_events(state, events)
    mask = after_it.last
    assert mask is not None
    tied = tuple(other.seat for other in equal if other.seat != winner)
    stack = after_it.stack_of(mask)
    events = (*events, model.StopAssigned(winner, call.at, stack, mask.number, mask.seat, tied))
    for other in calls:
        if other.seat != winner and other.seat not in state.pending.voided:
            own = other.seat == about.placer and not state.options.self_stop
            behind = 0 if other.seat in state.pending.among else other.at - call.at
            void = model.OwnMaskCalled(other.seat) if own else model.StopVoided(other.seat, behind)
            events = (*events, void, *start_cooldown(state, other.seat, other.at))
    return events


def _drop_calls(state: KabukiState, calls: list[RaceCall], at: Micros) -> Events:
    """No call can count: each player hears why, and play goes on."""
    events: Events = ()
    for call in calls:
        if call.seat not in state.pending.voided:
            events = (*events, _void_call(state, call), *start_cooldown(state, call.seat, call.at))
    events = (*events, model.CallsDropped())
    return (*events, *resume_play(apply_events(state, events), at))


def _void_call(state: KabukiState, call: RaceCall) -> Event:
    new = state.pending.placement
    if state.last is None and (new is None or call.at <= new.clear_until):
        return model.StopTooEarly(call.seat)
    placers = {state.last.seat} if state.last and _open(state, call) else set()
    placers |= {state.drawer} if new else set()
    if call.seat in placers and not state.options.self_stop:
        return model.OwnMaskCalled(call.seat)
    return model.StopTooLate(call.seat)


# Placing ---------------------------------------------------------------------------------------------------


def place_mask(state: KabukiState, here: model.Placement, at: Micros, *, opens: bool = True) -> Events:
    """The player in turn placed this mask; the deck's last one opens a timed window."""
    covered = state.pending.upper is not None and here == state.pending.placement
    design = model.UNREAD if covered else design_of(state, here)
    number = state.placed + 1
    placed = model.MaskPlaced(
        state.drawer,
        here.stack,
        design,
        number,
        here.clear_until,
        here.lies_since,
        seat_after(state.drawer, state.players),
        covered,
    )
    events: Events = (placed, *note_sixth_copy(state, design))
    return (*events, *open_window(apply_events(state, events), at)) if opens else events


def place_waiting(state: KabukiState, at: Micros) -> Events:
    """The mask that waits is placed, and by the next player the one that came to lie on it (B-T56)."""
    here = state.pending.placement
    assert here is not None
    if state.pending.upper is None:
        return place_mask(state, here, at)
    then = apply_events(state, events := place_mask(state, here, at, opens=False))
    upper = then.pending.placement
    return (*events, *(open_window(then, at) if upper is None else place_mask(then, upper, at)))


def queue_again(state: KabukiState) -> Events:
    """The masks that wait, to wait on behind one that is placed before them."""
    pending = state.pending
    return tuple(model.PlacementQueued.of(here) for here in (pending.placement, pending.upper) if here)


def design_of(state: KabukiState, here: model.Placement) -> str:
    """Which mask lies there and is not placed yet: as it was read there, else as it was shown."""
    return here.design or (model.UNREAD if here.stack in state.hand.shown_after else state.hand.design)


def note_sixth_copy(state: KabukiState, design: str) -> Events:
    """BI3: one more mask of a design than there are. Kept silently until the round is over."""
    known = (
        design != model.UNREAD
        and state.count_copies(design) >= model.COPIES_PER_DESIGN
        and design not in state.doubted
    )
    return (model.SixthCopySeen(design),) if known else ()


def open_window(state: KabukiState, at: Micros) -> Events:
    """The timed window of the mask placed last, where it has one; one that runs already runs on."""
    if state.closed or state.until is not None:
        return ()
    if state.out:
        return (model.WindowOpened(at + state.options.last_window_s * SECOND, last=True),)
    if state.options.stop_until == "seconds":
        return (model.WindowOpened(at + state.options.window_s * SECOND, last=False),)
    return ()


def resume_play(state: KabukiState, at: Micros) -> Events:
    """Play goes on after a Stop: a mask that came to lie meanwhile is placed, or the round is over."""
    if state.pending.placement is not None:
        return place_waiting(state, at)
    if state.until is not None and state.until <= at:
        return close_window(state)
    if state.out and state.closed:
        return end_round_by_deck(state)
    return open_window(state, at)


def close_window(state: KabukiState) -> Events:
    """The last instant of a timed window has passed; the deck's last mask ends the round with it."""
    closed: Events = (model.WindowClosed(),)
    return (*closed, *end_round_by_deck(state)) if state.out else closed


# The check -------------------------------------------------------------------------------------------------


def referee_count(state: KabukiState) -> range:
    """The counts that the referee believes: any where it has no say, of a design that was read too often."""
    assert state.stop is not None
    stack = state.stacks[state.stop.stack - 1]
    if any(mask.number == state.stop.number and mask.design in state.doubted for mask in stack):
        return range(model.MAX_TWINS + 1)
    return count_twins(stack, state.stop.number)


def count_twins(stack: tuple[model.PlacedMask, ...], number: int) -> range:
    """How many masks under number `number` may have its design: several counts where a face is unread."""
    below = tuple(mask.design for mask in stack if mask.number < number)
    design = next((mask.design for mask in stack if mask.number == number), model.UNREAD)
    least = 0 if design == model.UNREAD else below.count(design)
    unread = len(below) if design == model.UNREAD else below.count(model.UNREAD)
    return range(least, min(least + unread, model.MAX_TWINS) + 1)


def settle_check(state: KabukiState, count: int) -> Events:
    """The check is over: tokens change hands for twins that no check has shown yet, and the round may end."""
    stop = state.stop
    assert stop is not None
    verdict: Event
    fresh = count - state.proven
    if fresh > 0:
        paid = 0 if stop.seat == stop.placer else min(fresh, state.tokens[stop.placer])
        verdict = model.StopRight(stop.seat, stop.placer, fresh, paid)
    else:
        to = stop.placer if state.options.wrong_call == "placer" and stop.placer != stop.seat else None
        verdict = model.StopWrong(stop.seat, to)
    then = apply_events(state, (verdict,))
    empty = next((seat for seat, tokens in enumerate(then.tokens) if tokens == 0), None)
    if empty is None:
        return (verdict,)
    ender = {"placer": stop.placer, "caller": stop.seat}.get(state.options.round_ender, empty)
    return (verdict, *end_round(then, ender, "token"))


def end_round_by_deck(state: KabukiState) -> Events:
    """The deck is empty and its last mask cannot be stopped any more."""
    last = state.last
    assert last is not None
    return end_round(state, last.seat, "deck")


def end_round(state: KabukiState, ender: Seat, how: model.RoundEndReason) -> Events:
    """Everybody scores; after three rounds the game is over."""
    doubts = tuple(model.DeckDoubted(design) for design in state.doubted)
    events: Events = (*doubts, model.KabukiRoundEnded(ender, how, state.tokens))
    if state.round < model.ROUND_COUNT:
        return events
    return (*events, model.KabukiGameWon(find_winners(apply_events(state, events))))


def find_winners(state: KabukiState) -> tuple[Seat, ...]:
    """Who won: most tokens in all, or (BA10) most rounds; shared by everybody who has as many."""
    points = state.totals
    if state.options.game_by == "rounds":
        points = tuple(
            sum(score[seat] == max(score) for score in state.scores) for seat in range(state.players)
        )
    return tuple(seat for seat, mine in enumerate(points) if mine == max(points))


def queue_new_mask(state: KabukiState, here: model.Placement, at: Micros) -> Events:
    """A mask settled while play is stopped: it may be the one the Stop is about."""
    if state.pending.placement is not None:
        return ()
    queued = model.PlacementQueued.of(here)
    then = queued.apply(state)
    ruled = (
        state.pending.locked
        and state.phase in {KabukiPhase.CALLED, KabukiPhase.STOPPED}
        and state.pending.calls
    )
    if not ruled:
        return (queued,)
    if state.phase is KabukiPhase.CALLED:
        return (queued, *assign_stop(then, at))
    # It was taken to be about the mask before, because nothing new had settled.
    assert state.stop is not None
    before = CandidateMask(new=False, placer=state.stop.placer)
    calls = sorted(then.pending.calls, key=lambda call: call.at)
    lead = next((call for call in calls if candidate_masks(then, call)), None)
    if lead is None or candidate_masks(then, lead) == (before,):
        return (queued,)
    return (queued, *assign_stop(replace(then, phase=KabukiPhase.CALLED), at))
