"""Kabuki's rulings on what the camera reads: the four stacks, the show place, a stack that is checked.

A reading is judged by what lies on top and never by what lies buried: else asking again would tell it.
"""

from companion.core import events as shared
from companion.core.actions import SECOND, Micros, Seat
from companion.core.events import Event, Events
from companion.core.observations import UNKNOWN, Region
from companion.games.kabuki.rules import events as ev
from companion.games.kabuki.rules import stops
from companion.games.kabuki.rules.state import DESIGNS, STACKS, UNREAD, KabukiState, Phase, Placement

BACK = "back:mask"
WHERE_AFTER: Micros = 5 * SECOND
"""When to ask for a shown mask that is nowhere to be seen: it may lie on its like."""
UNREAD_AFTER: Micros = 2 * SECOND
"""What stays unreadable on a stack for so long is not an arm over it: it counts as a mask."""
SAME: Micros = SECOND
"""Nobody draws, shows and places within so long: a like mask on another stack is the one placed just now."""
WATCHED = frozenset({Phase.PLAYING, Phase.REOPENING, Phase.CALLED})
"""When something unreadable on a stack may be a mask; later hands are at the stacks by right."""

HOLDING = frozenset({Phase.PLAYING, Phase.REOPENING, Phase.CALLED, Phase.ASKING, Phase.STOPPED})
"""When what lies in the show place is the mask of the player in turn, and of no stack that is checked."""


def seen(state: KabukiState, regions: tuple[Region, ...], at: Micros) -> Events:
    """Every region of the reading that rules something, in turn; two stacks at once are one mistake."""
    if state.phase is Phase.SHOWING or state.phase is Phase.CHECKING:
        return _stack_shown(state, regions, at)
    placements: list[Placement] = []
    events: Events = ()
    for region in regions:
        kind, _, place = region.name.partition(":")
        top = region.faces[-1].card if region.faces else ""
        if kind == "show":
            events += _show_place(stops.folded(state, events), top, region.lies_since, at)
        elif kind == "stack" and place.isdecimal() and 1 <= int(place) <= STACKS:
            here = _new_mask(state, int(place), top, region)
            if here is not None and here.design == UNREAD:
                events += _unreadable(state, here, at)
            elif here is not None and _lies_across(state, here):
                events += _across(stops.folded(state, events), here)
            elif here is not None:
                placements.append(here)
            elif top != "":
                events += _as_before(stops.folded(state, events), int(place), top, at)
    return (*events, *_placements(stops.folded(state, events), tuple(placements), at))


def _new_mask(state: KabukiState, stack: int, top: str, region: Region) -> Placement | None:
    """A mask that did not lie on top of this stack before."""
    lying = state.top(stack)
    design = UNREAD if top == UNKNOWN else top.partition("mask:")[2]
    clear = next((old.clear_until for old in state.unread if old.stack == stack), region.clear_until)
    if top != UNKNOWN and design not in DESIGNS:
        return None
    if lying is not None and lying.design in {design, UNREAD}:
        return None
    return Placement(stack, design, min(clear, region.clear_until), region.lies_since)


def _lies_across(state: KabukiState, here: Placement) -> bool:
    """Whether it is the mask placed last, which lies on two stacks and settled on this one a moment later."""
    last = state.last
    if last is None or last.design != here.design or state.hand.drawn:
        return False
    return state.stack_of(last) != here.stack and here.lies_since - state.lay < SAME


def _across(state: KabukiState, here: Placement) -> Events:
    """The placement stands where it was seen first; the other stack is put right."""
    known = any(old.stack == here.stack for old in state.misplaced)
    if known or state.last is None or state.phase is not Phase.PLAYING:
        return ()
    misplaced = ev.AmissSeen(here.stack, here.design, here.clear_until, here.lies_since)
    return (shared.Infraction("place.two_stacks", state.last.seat), misplaced)


def _unreadable(state: KabukiState, here: Placement, at: Micros) -> Events:
    """A mask that cannot be read, or an arm over the stack: time tells."""
    if state.phase not in WATCHED or state.out:
        return ()
    due = state.unread_due if state.unread_due is not None else at + UNREAD_AFTER
    return (ev.UnreadSeen(here.stack, here.clear_until, here.lies_since, due),)


def unread_stays(state: KabukiState, at: Micros) -> Events:
    """Nobody's arm rests so long: the unread mask counts as placed; on several stacks the table is asked."""
    if len(state.unread) > 1:
        return (ev.PlacementMissed(state.drawer),)
    if state.out:  # said to be empty meanwhile: there is no mask it could be
        return (ev.UnreadGone(state.unread[0].stack),)
    return arrived(state, state.unread[0], at)


def _as_before(state: KabukiState, stack: int, top: str, at: Micros) -> Events:
    """Nothing new is there: perhaps put right, put back, read at last, or face down."""
    lying = state.top(stack)
    design = top.partition("mask:")[2]
    if top == BACK:
        return _face_down(state, stack)
    if lying is not None and lying.design == UNREAD and design in DESIGNS:
        return (ev.MaskRead(stack, design), *stops.sixth(state, design))
    same = design == lying.design if lying is not None else top == f"actor:{stack}"
    if not same:
        return ()
    if any(old.stack == stack for old in state.unread):
        return (ev.UnreadGone(stack),)
    if state.phase is Phase.RESTORING and state.stop is not None and state.stop.stack == stack:
        return restored(state, at)
    if any(here.stack == stack for here in state.misplaced):
        return _put_right(state, stack, at)
    return ()


def _face_down(state: KabukiState, stack: int) -> Events:
    """BA7: a mask is placed face up."""
    known = any(here.stack == stack for here in state.misplaced)
    if known or state.phase is not Phase.PLAYING or state.out:
        return ()
    return (shared.Infraction("place.face_down", state.drawer, stack), ev.AmissSeen(stack, UNREAD, 0, 0))


def _put_right(state: KabukiState, stack: int, at: Micros) -> Events:
    """One of two stacks is as before again: the mask on the other was placed."""
    events: Events = (ev.PutRight(stack),)
    left = [here for here in state.misplaced if here.stack != stack]
    if len(left) == 1 and left[0].design:
        then = stops.folded(state, events)
        return (*events, *arrived(then, left[0], at))
    return events


def _placements(state: KabukiState, found: tuple[Placement, ...], at: Micros) -> Events:
    """One new mask is a placement; several at once are wrong until one is left."""
    if state.phase is Phase.RESTORING and state.stop is not None:
        found = tuple(here for here in found if state.stop and here.stack != state.stop.stack)
    if state.phase is Phase.STOPPED and state.stop is not None:
        found = tuple(here for here in found if state.stop and here.stack != state.stop.stack)
    fresh = tuple(
        here for here in found if here.stack not in {old.stack for old in state.misplaced if old.design}
    )
    if not fresh:
        return ()
    if len(fresh) + sum(bool(old.design) for old in state.misplaced) == 1:
        return arrived(state, fresh[0], at)
    if state.phase not in {Phase.PLAYING, Phase.CALLED}:
        return ()
    misplaced = (ev.AmissSeen(one.stack, one.design, one.clear_until, one.lies_since) for one in fresh)
    return (shared.Infraction("place.two_stacks", state.drawer), *misplaced)


def arrived(state: KabukiState, here: Placement, at: Micros, *, said: bool = False) -> Events:
    """A new mask lies on a stack: placed by the player in turn, now or once play goes on.

    `said` by that player it is no later one: what was shown was misread.
    """
    if state.hand.marked is not None:  # placed_by=button: the edge is the instant
        here = Placement(here.stack, here.design, state.hand.marked - 1, state.hand.marked)
    match state.phase:
        case Phase.STARTING | Phase.SHUFFLING | Phase.CHECKING | Phase.SHOWING | Phase.OVER:
            return ()
        case _ if state.out:
            return (shared.Infraction("place.deck_empty", state.drawer),)
        case Phase.PLAYING if state.parted:
            return _rejoined(state, here, at)
        case Phase.PLAYING if not said and _parts(state, here.design):
            return (_queued(here), ev.PlacementMissed(state.drawer))
        case Phase.PLAYING | Phase.REOPENING:
            queued = (_queued(here),)
            then = stops.folded(state, queued)
            if any(stops.candidates(then, call) for call in then.pending.calls):
                return (*queued, *stops.assigned(then, at))  # a call that had no mask until now
            return stops.mask_lies(state, here, at)
        case Phase.CALLED | Phase.STOPPED | Phase.ASKING:
            return stops.suspended(state, here, at)
        case Phase.RESTORING:
            then = stops.folded(state, events := stops.suspended(state, here, at))
            return (*events, *restored(then, at)) if events else ()
    return ()


def _queued(here: Placement) -> Event:
    return ev.PlacementQueued(here.stack, here.design, here.clear_until, here.lies_since)


def _parts(state: KabukiState, design: str) -> bool:
    """Whether this is another mask than the shown one, which can have gone unseen: onto its like."""
    hand = state.hand
    if not hand.drawn or hand.missed or not state.deck or UNREAD in {hand.design, design}:
        return False
    return design != hand.design and any(top and top.design == hand.design for top in state.tops)


def _rejoined(state: KabukiState, here: Placement, at: Micros) -> Events:
    """Where the shown mask went; the one that was seen after it is the next player's.

    Told of the very stack on which that one was seen, there was no other: what was shown was misread.
    """
    after = state.pending.placement
    assert after is not None
    if here.stack == after.stack:
        return stops.mask_lies(state, after, at)
    events = stops.mask_lies(state, here, at, opens=False)
    return (*events, *stops.mask_lies(stops.folded(state, events), after, at))


def _show_place(state: KabukiState, top: str, since: Micros, at: Micros) -> Events:
    """The mask in hand is shown, perhaps while a Stop waits, or leaves the show place."""
    design = top.partition("mask:")[2]
    hand = state.hand
    if design in DESIGNS and not hand.design and state.phase in HOLDING:
        return mask_shown(state, design, since) if state.deck or hand.drawn else ()
    if state.phase is Phase.PLAYING and _parts(state, design):
        return (ev.PlacementMissed(state.drawer),)
    if (
        top == ""
        and hand.design
        and hand.where_due is None
        and not hand.missed
        and state.phase is Phase.PLAYING
    ):
        return (ev.ShowCleared(at + WHERE_AFTER),)
    return ()


def mask_shown(state: KabukiState, design: str, since: Micros) -> Events:
    """The player in turn showed the mask."""
    closes = state.options.stop_until in {"next_show", "next_draw"} and not state.closed
    return (ev.MaskShown(state.drawer, design, closes, since if closes else None),)


# The check -------------------------------------------------------------------------------------------------


def _stack_shown(state: KabukiState, regions: tuple[Region, ...], at: Micros) -> Events:
    """The checked stack fanned out in the check row, or card by card in the show place, lowest first."""
    assert state.stop is not None
    events: Events = ()
    for region in regions:
        faces = tuple(face.card.partition("mask:")[2] for face in region.faces)
        if region.name == "audit" and faces and all(face in DESIGNS for face in faces):
            return (*events, *_stack_read(stops.folded(state, events), faces))
        if region.name == "show" and state.phase is Phase.SHOWING and len(faces) == 1 and faces[0] in DESIGNS:
            now = stops.folded(state, (*events, ev.CardShown(faces[0])))
            events += (ev.CardShown(faces[0]),)
            if len(now.cards) == len(state.stacks[state.stop.stack - 1]):
                return (*events, *_stack_read(now, now.cards))
        elif region.name.startswith("stack:"):
            events += _meanwhile(stops.folded(state, events), region)
    return events


def _meanwhile(state: KabukiState, region: Region) -> Events:
    """A mask placed during the check, on another stack."""
    place = region.name.partition(":")[2]
    if state.stop is None or not place.isdecimal() or not 1 <= int(place) <= STACKS:
        return ()
    if int(place) == state.stop.stack or not region.faces or state.out or state.pending.placement:
        return ()
    here = _new_mask(state, int(place), region.faces[-1].card, region)
    if here is None or here.design == UNREAD:
        return ()
    return (ev.PlacementQueued(here.stack, here.design, here.clear_until, here.lies_since),)


def _stack_read(state: KabukiState, cards: tuple[str, ...]) -> Events:
    """The whole stack was read: its order, its masks and the number of twins are known."""
    stop = state.stop
    assert stop is not None
    known = tuple(mask.design for mask in state.stacks[stop.stack - 1])
    if len(cards) != len(known):
        return (shared.Infraction("stack.count", None, len(known)),)
    events: Events = ()
    if cards != known and UNREAD not in known:
        same = sorted(cards) == sorted(known)
        events = (ev.StackOrderChanged(stop.stack) if same else ev.StackMisread(stop.stack),)
    events = (*events, ev.StackRead(stop.stack, cards))
    count = cards[:-1].count(cards[-1])
    return (*events, *stops.settled(stops.folded(state, events), count))


def counted(state: KabukiState, seat: Seat, count: int) -> Events:
    """The table's count against the referee's; the second time the table's word counts."""
    assert state.stop is not None
    said = ev.CheckSaid(seat, count)
    believed = stops.opinion(state)
    if count in believed:
        return (said, *stops.settled(stops.folded(state, (said,)), count))
    if state.phase is Phase.CHECKING:
        return (said, ev.CheckDiffers(state.stop.stack, believed.start))
    unknown = ev.StackUnknown(state.stop.stack)
    return (said, unknown, *stops.settled(stops.folded(state, (said, unknown)), count))


def restored(state: KabukiState, at: Micros) -> Events:
    """The stack lies as before, and play goes on."""
    assert state.stop is not None
    events: Events = (ev.StackRestored(state.stop.stack),)
    return (*events, *stops.going_on(stops.folded(state, events), at))
