"""Decides what a card that the camera read means in Kabuki: accepted, refused, or asked about.

A reading is judged by what lies on top and never by what lies buried: else asking again would tell it.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from companion.core import events as shared
from companion.core.actions import SECOND, Micros, Seat
from companion.core.events import Event, Events, apply_events
from companion.core.observations import UNKNOWN, RegionReading
from companion.games.kabuki.rules import model, stops
from companion.games.kabuki.rules.model import KabukiPhase, KabukiState

BACK = "back:mask"
ASK_WHERE_AFTER: Micros = 5 * SECOND
"""When to ask for a shown mask that is nowhere to be seen: it may lie on its like."""
UNREAD_COUNTS_AFTER: Micros = 2 * SECOND
"""What stays unreadable on a stack for so long is not an arm over it: it counts as a mask."""
MIN_TURN_TIME: Micros = SECOND
"""Nobody draws, shows and places within so long: a like mask on another stack is the one placed just now."""
MIN_PLACING_TIME: Micros = SECOND // 2
"""A hand that is told of was over its stack for so long at least: then it may have laid a mask (B-T43)."""
ASK_LIKE_AFTER: Micros = 3 * SECOND // 2
"""When to ask so, after it is gone: who only thought about it has laid the mask elsewhere by then."""
UNREAD_PHASES = frozenset({KabukiPhase.PLAYING, KabukiPhase.REOPENING, KabukiPhase.CALLED})
"""When something unreadable on a stack may be a mask; later hands are at the stacks by right."""

HOLDING = frozenset(
    {KabukiPhase.PLAYING, KabukiPhase.REOPENING, KabukiPhase.CALLED, KabukiPhase.ASKING, KabukiPhase.STOPPED}
)
"""When what lies in the show place is the mask of the player in turn, and of no stack that is checked."""


def judge_regions(state: KabukiState, regions: tuple[RegionReading, ...], at: Micros) -> Events:
    """Every region of the reading that rules something, in turn; two stacks at once are one mistake."""
    if state.phase is KabukiPhase.SHOWING or state.phase is KabukiPhase.CHECKING:
        return _judge_shown_stack(state, regions, at)
    placements: list[model.Placement] = []
    events: Events = ()
    for region in regions:
        kind, _, place = region.name.partition(":")
        top = region.faces[-1].card if region.faces else ""
        if kind == "show":
            events += _judge_show_place(apply_events(state, events), top, region, at)
        elif kind == "stack" and place.isdecimal() and 1 <= int(place) <= model.STACK_COUNT:
            here = _find_new_mask(state, int(place), top, region)
            hides = (
                *(_hide_waiting_mask(state, int(place), top, here) or _read_waiting_mask(state, here)),
                *_hide_misplaced_mask(state, int(place), top, here),
            )
            events += hides
            if hides and here is not None:
                continue
            if here is not None and here.design == model.UNREAD:
                events += _note_unreadable(state, here, at)
            elif here is not None and _lies_across(state, here):
                events += _judge_mask_across(apply_events(state, events), here)
            elif here is not None:
                placements.append(here)
            elif top != "":
                events += _judge_unchanged_top(apply_events(state, events), int(place), top, region, at)
    return (*events, *_judge_placements(apply_events(state, events), tuple(placements), at))


def _hide_waiting_mask(state: KabukiState, stack: int, top: str, here: model.Placement | None) -> Events:
    """Another mask is seen where one waits: from now on nobody knows which it is (B-T56).

    `here` was laid on it, and waits behind it; on a stack that is looked through it may be any mask of that
    stack. Neither a bare place nor an arm hides anything.
    """
    pending = state.pending
    highest = pending.upper or pending.placement
    if highest is None or not state.waits_on(stack) or top in {"", UNKNOWN}:
        return ()
    if stops.design_of(state, highest) in {model.UNREAD, top.partition("mask:")[2]}:
        return ()
    if here is None or (state.stop is not None and state.stop.stack == stack):
        return (model.FaceForgotten("queued" if pending.upper is None else "upper"),)
    return (model.PlacementQueued.of(here),)


def _read_waiting_mask(state: KabukiState, here: model.Placement | None) -> Events:
    """A mask that waits and was unread is read, unless its stack is looked through: it came to lie before."""
    waits = state.pending.upper or state.pending.placement
    if waits is None or waits.design or here is None or here.stack != waits.stack or not here.design:
        return ()
    if state.stop is not None and state.stop.stack == here.stack:
        return ()
    return (model.PlacementQueued.of(replace(waits, design=here.design)),)


def unread_places(state: KabukiState, now: KabukiState | None = None) -> Iterator[Event]:
    """What waits or lies wrong may be covered by now; what lies wrong still does until it is read."""
    if now is None:
        waits = (("queued", state.pending.placement), ("upper", state.pending.upper))
        yield from (model.FaceForgotten(place) for place, here in waits if here and here.design)
        wrong = (replace(here, design=model.UNREAD) for here in state.misplaced if here.design)
        yield from map(model.KabukiMisplacementSeen.of, wrong)


def _hide_misplaced_mask(state: KabukiState, stack: int, top: str, here: model.Placement | None) -> Events:
    """Another mask, or a back, is seen over one that lies wrong: nobody is told any more which that was."""
    covers = top == BACK if here is None else here.design != model.UNREAD
    old = next((old.design for old in state.misplaced if old.stack == stack), model.UNREAD)
    is_hidden = covers and old not in {model.UNREAD, top.partition("mask:")[2]}
    return (model.KabukiMisplacementSeen(stack, model.UNREAD, 0, 0),) if is_hidden else ()


def _find_new_mask(state: KabukiState, stack: int, top: str, region: RegionReading) -> model.Placement | None:
    """A mask that did not lie on top of this stack before."""
    lying = state.top(stack)
    design = model.UNREAD if top == UNKNOWN else top.partition("mask:")[2]
    clear = next((old.clear_until for old in state.unread if old.stack == stack), region.clear_until)
    if top != UNKNOWN and design not in model.DESIGNS:
        return None
    if lying is not None and lying.design in {design, model.UNREAD}:
        return None
    return model.Placement(stack, design, min(clear, region.clear_until), region.lies_since)


def _lies_across(state: KabukiState, here: model.Placement) -> bool:
    """Whether it is the mask placed last, which lies on two stacks and settled on this one a moment later."""
    last = state.last
    if last is None or last.design != here.design or state.hand.drawn:
        return False
    return state.stack_of(last) != here.stack and here.lies_since - state.lay < MIN_TURN_TIME


def _judge_mask_across(state: KabukiState, here: model.Placement) -> Events:
    """The placement stands where it was seen first; the other stack is put right."""
    known = any(old.stack == here.stack for old in state.misplaced)
    if known or state.last is None or state.phase is not KabukiPhase.PLAYING:
        return ()
    seen = model.KabukiMisplacementSeen.of(here)
    return (shared.Infraction("place.two_stacks", state.last.seat), seen)


def _note_unreadable(state: KabukiState, here: model.Placement, at: Micros) -> Events:
    """A mask that cannot be read, or an arm over the stack: time tells."""
    if state.phase not in UNREAD_PHASES or state.out:
        return ()
    due = state.unread_due if state.unread_due is not None else at + UNREAD_COUNTS_AFTER
    return (model.UnreadSeen(here.stack, here.clear_until, here.lies_since, due),)


def settle_unread(state: KabukiState, at: Micros) -> Events:
    """Nobody's arm rests so long: the unread mask counts as placed; on several stacks the table is asked."""
    if len(state.unread) > 1:
        return (model.PlacementMissed(state.drawer),)
    if state.out:  # said to be empty meanwhile: there is no mask it could be
        return (model.UnreadGone(state.unread[0].stack),)
    return judge_new_mask(state, state.unread[0], at)


def _judge_unchanged_top(
    state: KabukiState, stack: int, top: str, region: RegionReading, at: Micros
) -> Events:
    """Nothing new is there: perhaps put right, put back, read at last, or face down."""
    lying = state.top(stack)
    design = top.partition("mask:")[2]
    if top == BACK:
        return _judge_face_down(state, stack)
    if read := _read_unknown_top(state, stack, design):
        return read
    same = design == lying.design if lying is not None else top == f"actor:{stack}"
    if not same:
        return ()
    if any(old.stack == stack for old in state.unread):
        return (model.UnreadGone(stack), *_note_hand(state, stack, region, at))
    if state.phase is KabukiPhase.RESTORING and state.stop is not None and state.stop.stack == stack:
        return restore_stack(state, at)
    if any(here.stack == stack for here in state.misplaced):
        return _resolve_misplacement(state, stack, at)
    return _note_hand(state, stack, region, at)


def _read_unknown_top(state: KabukiState, stack: int, design: str) -> Events:
    lying = state.top(stack)
    if lying is None or lying.design or state.waits_on(stack) or design not in model.DESIGNS:
        return ()
    return (model.MaskRead(stack, design), *stops.note_sixth_copy(state, design))


def _note_hand(state: KabukiState, stack: int, region: RegionReading, at: Micros) -> Events:
    """A hand was over a stack that looks as before: it may have laid a mask that was not shown on its like.

    One that was there when the last mask came to lie had laid that one.
    """
    there, top = region.lies_since - region.clear_until, state.top(stack)
    if there < MIN_PLACING_TIME or region.clear_until <= state.lay:
        return ()
    if top is None or top.design == model.UNREAD:
        return ()
    turn = state.phase in {KabukiPhase.PLAYING, KabukiPhase.CALLED} and not state.out and not state.misplaced
    if not turn or state.hand.design or state.pending.placement is not None or state.asks_like:
        return ()
    return (model.HandWithdrawn(stack, region.lies_since, at + ASK_LIKE_AFTER),)


def _judge_face_down(state: KabukiState, stack: int) -> Events:
    """BA7: a mask is placed face up."""
    known = any(here.stack == stack for here in state.misplaced)
    if known or state.phase is not KabukiPhase.PLAYING or state.out:
        return ()
    return (
        shared.Infraction("place.face_down", state.drawer, stack),
        model.KabukiMisplacementSeen(stack, model.UNREAD, 0, 0),
    )


def _resolve_misplacement(state: KabukiState, stack: int, at: Micros) -> Events:
    """One of two stacks is as before again: the mask on the other was placed."""
    events: Events = (model.KabukiMisplacementResolved(stack),)
    left = [here for here in state.misplaced if here.stack != stack]
    if len(left) == 1 and left[0].design:
        then = apply_events(state, events)
        return (*events, *judge_new_mask(then, left[0], at))
    return events


def _judge_placements(state: KabukiState, found: tuple[model.Placement, ...], at: Micros) -> Events:
    """One new mask is a placement; several at once are wrong until one is left."""
    if state.phase is KabukiPhase.RESTORING and state.stop is not None:
        found = tuple(here for here in found if state.stop and here.stack != state.stop.stack)
    if state.phase is KabukiPhase.STOPPED and state.stop is not None:
        found = tuple(here for here in found if state.stop and here.stack != state.stop.stack)
    fresh = tuple(
        here for here in found if here.stack not in {old.stack for old in state.misplaced if old.design}
    )
    if not fresh:
        return ()
    stacks = {here.stack for here in fresh}
    wrong = {old.stack for old in state.misplaced if old.design or old.lies_since}
    if len(stacks | wrong) == 1:
        return judge_new_mask(state, fresh[0], at)
    if state.phase not in {KabukiPhase.PLAYING, KabukiPhase.CALLED}:
        return ()
    seen = map(model.KabukiMisplacementSeen.of, fresh)
    return tuple(seen) if stacks <= wrong else (shared.Infraction("place.two_stacks", state.drawer), *seen)


def judge_new_mask(state: KabukiState, here: model.Placement, at: Micros, *, said: bool = False) -> Events:
    """A new mask lies on a stack: placed by the player in turn, now or once play goes on.

    `said` by that player it is no later one: what was shown was misread.
    """
    if state.hand.marked is not None:  # placed_by=button: the edge is the instant
        here = model.Placement(here.stack, here.design, state.hand.marked - 1, state.hand.marked)
    match state.phase:
        case (
            KabukiPhase.STARTING
            | KabukiPhase.SHUFFLING
            | KabukiPhase.CHECKING
            | KabukiPhase.SHOWING
            | KabukiPhase.OVER
        ):
            return ()
        case _ if state.out:
            return (shared.Infraction("place.deck_empty", state.drawer),)
        case KabukiPhase.ASKING if state.asks_where:
            return stops.settle_where(state, here, at, said=said)
        case KabukiPhase.PLAYING if state.awaits_earlier_mask:
            return _place_both_masks(state, here, at)
        case KabukiPhase.PLAYING if not said and _is_later_mask(state, here.design):
            return (model.PlacementQueued.of(here), model.PlacementMissed(state.drawer))
        case KabukiPhase.PLAYING | KabukiPhase.REOPENING:
            queued = model.PlacementQueued.of(here)
            then = queued.apply(state)
            if any(stops.candidate_masks(then, call) for call in then.pending.calls):
                return (queued, *stops.assign_stop(then, at))  # a call that had no mask until now
            return stops.place_mask(state, here, at)
        case KabukiPhase.CALLED | KabukiPhase.STOPPED | KabukiPhase.ASKING:
            return stops.queue_new_mask(state, here, at)
        case KabukiPhase.RESTORING:
            then = apply_events(state, events := stops.queue_new_mask(state, here, at))
            return (*events, *restore_stack(then, at)) if events else ()
    return ()


def _is_later_mask(state: KabukiState, design: str) -> bool:
    """Whether this is another mask than the shown one, which can have gone unseen: onto its like."""
    hand = state.hand
    if not hand.drawn or hand.missed or not state.deck or model.UNREAD in {hand.design, design}:
        return False
    return design != hand.design and any(top and top.design == hand.design for top in state.tops)


def _place_both_masks(state: KabukiState, here: model.Placement, at: Micros) -> Events:
    """Where the shown mask went; the one that was seen after it is the next player's.

    Told of the very stack on which that one was seen, there was no other: what was shown was misread, or, if
    another is named, what was seen there.
    """
    after = state.pending.placement
    assert after is not None
    covered = state.pending.upper is not None
    if here.stack == after.stack and (covered or not here.design):
        return stops.place_waiting(state, at)
    if here.stack == after.stack:
        return stops.place_mask(state, replace(after, design=here.design), at)
    events = stops.place_mask(state, here, at, opens=False)
    if state.pending.upper is None:
        return (*events, *stops.place_mask(apply_events(state, events), after, at))
    events = (*events, *stops.queue_again(state))
    return (*events, *stops.place_waiting(apply_events(state, events), at))


def _judge_show_place(state: KabukiState, top: str, region: RegionReading, at: Micros) -> Events:
    """The mask in hand is shown, perhaps while a Stop waits, or leaves the show place."""
    design = top.partition("mask:")[2]
    hand = state.hand
    if design in model.DESIGNS and not hand.design and state.phase in HOLDING:
        return show_mask(state, design, region.lies_since) if state.deck or hand.drawn else ()
    if state.phase is KabukiPhase.PLAYING and _is_later_mask(state, design):
        return (model.PlacementMissed(state.drawer),)
    if top != "" or not hand.design or hand.where_due is not None or hand.missed:
        return ()
    if state.phase is KabukiPhase.PLAYING:
        return (model.ShowCleared(at + ASK_WHERE_AFTER),)
    # A mask that still lay there at every call was laid after them.
    called = state.phase is KabukiPhase.CALLED
    after = region.clear_until
    left = called and any(after < call.at for call in state.pending.calls)
    return (model.ShowCleared(at + ASK_WHERE_AFTER, after),) if left else ()


def show_mask(state: KabukiState, design: str, since: Micros) -> Events:
    """The player in turn showed the mask."""
    closes = state.options.stop_until in {"next_show", "next_draw"} and not state.closed
    return (model.MaskShown(state.drawer, design, closes, since if closes else None),)


# The check -------------------------------------------------------------------------------------------------


def _judge_shown_stack(state: KabukiState, regions: tuple[RegionReading, ...], at: Micros) -> Events:
    """The checked stack fanned out in the check row, or card by card in the show place, lowest first."""
    assert state.stop is not None
    events: Events = ()
    for region in regions:
        faces = tuple(face.card.partition("mask:")[2] for face in region.faces)
        if region.name == "audit" and faces and all(face in model.DESIGNS for face in faces):
            return (*events, *_judge_read_stack(apply_events(state, events), faces))
        if (
            region.name == "show"
            and state.phase is KabukiPhase.SHOWING
            and len(faces) == 1
            and faces[0] in model.DESIGNS
        ):
            now = apply_events(state, (*events, model.StackCardShown(faces[0])))
            events += (model.StackCardShown(faces[0]),)
            if len(now.cards) == len(state.stacks[state.stop.stack - 1]):
                return (*events, *_judge_read_stack(now, now.cards))
        elif region.name.startswith("stack:"):
            events += _queue_other_stack(apply_events(state, events), region)
    return events


def _queue_other_stack(state: KabukiState, region: RegionReading) -> Events:
    """A mask placed during the check, on another stack, or one that nobody knew."""
    place = region.name.partition(":")[2]
    if state.stop is None or not place.isdecimal() or not 1 <= int(place) <= model.STACK_COUNT:
        return ()
    top = region.faces[-1].card if region.faces else ""
    here = _find_new_mask(state, int(place), top, region)
    if hides := _hide_waiting_mask(state, int(place), top, here) or _read_waiting_mask(state, here):
        return hides
    if int(place) == state.stop.stack:
        return ()
    if read := _read_unknown_top(state, int(place), top.partition("mask:")[2]):
        return read
    if not region.faces or state.out or state.pending.placement:
        return ()
    if here is None or here.design == model.UNREAD:
        return ()
    return (model.PlacementQueued.of(here),)


def _judge_read_stack(state: KabukiState, cards: tuple[str, ...]) -> Events:
    """The whole stack was read: its order, its masks and the number of twins are known."""
    stop = state.stop
    assert stop is not None
    known = tuple(mask.design for mask in state.stacks[stop.stack - 1])
    if len(cards) != len(known):
        return (shared.Infraction("stack.count", None, len(known)),)
    events: Events = ()
    if cards != known and model.UNREAD not in known:
        same = sorted(cards) == sorted(known)
        events = (model.StackOrderChanged(stop.stack) if same else model.StackMisread(stop.stack),)
    events = (*events, model.StackRead(stop.stack, cards))
    count = cards[:-1].count(cards[-1])
    return (*events, *stops.settle_check(apply_events(state, events), count))


def judge_count(state: KabukiState, seat: Seat, count: int) -> Events:
    """The table's count against the referee's; the second time the table's word counts."""
    assert state.stop is not None
    said = model.CheckSaid(seat, count)
    believed = stops.referee_count(state)
    if count in believed:
        return (said, *stops.settle_check(apply_events(state, (said,)), count))
    if state.phase is KabukiPhase.CHECKING:
        return (said, model.CheckDiffers(state.stop.stack, believed.start))
    unknown = model.StackUnknown(state.stop.stack)
    return (said, unknown, *stops.settle_check(apply_events(state, (said, unknown)), count))


def restore_stack(state: KabukiState, at: Micros) -> Events:
    """The stack lies as before, and play goes on."""
    assert state.stop is not None
    events: Events = (model.StackRestored(state.stop.stack),)
    return (*events, *stops.resume_play(apply_events(state, events), at))
