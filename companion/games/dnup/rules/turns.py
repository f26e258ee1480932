"""What an action leads to: who is beaten, who is out, whose turn follows."""

from collections.abc import Sequence

from companion.core.events import Events
from companion.core.seats import clockwise
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as ev
from companion.games.dnup.rules.evolve import folded
from companion.games.dnup.rules.knowing import Leaving
from companion.games.dnup.rules.manifest import STAR
from companion.games.dnup.rules.state import FIRST, ROUNDS_WON, SECOND, WINNING, DnupState


def played(state: DnupState, cards: Sequence[str], left: Leaving) -> Events:
    """A lawful set of the player in turn."""
    seat, area, value = state.seat, state.area, card.value_of(cards)
    rival = state.sized(len(cards), area)
    events: Events = (
        *_star(state, cards),
        ev.SetPlayed(seat, area, len(cards), value, tuple(cards), left.known),
    )
    return (*events, *_resolved(folded(state, events), rival))


def added(state: DnupState, area: int, one: str, left: Leaving) -> Events:
    """A lawful card of the player in turn on the set of an area."""
    size = len(state.areas[area].cards) + 1
    rival = state.sized(size, area)
    events: Events = (
        *_star(state, (one,)),
        ev.CardAdded(state.seat, area, size, state.value(area), one, left.known),
    )
    return (*events, *_resolved(folded(state, events), rival))


def _resolved(state: DnupState, rival: int | None) -> Events:
    """Cards left the hand: the set they beat goes home, unless the last card has won the round before."""
    if state.pair and not state.hands[state.seat].size and state.options.out_check_2p == "before_bounce":
        return followed(state)
    home = beaten(state, rival)
    return (*home, *followed(folded(state, home)))


def taken(state: DnupState, area: int) -> Events:
    """The player in turn takes the set of an area."""
    events: Events = (ev.SetTaken(state.seat, area, len(state.areas[area].cards), state.value(area)),)
    return (*events, *followed(folded(state, events)))


def rotated(state: DnupState) -> Events:
    """The player in turn rotates the whole hand."""
    events: Events = (ev.HandRotated(state.seat),)
    return (*events, *followed(folded(state, events)))


def beaten(state: DnupState, area: int | None) -> Events:
    """The set of an area goes home, or to the pile if its owner is out."""
    if area is None:
        return ()
    owner, count = state.owner(area), len(state.areas[area].cards)
    if owner in state.out:
        return (ev.SetBeaten(owner, area, count),)
    return (ev.SetReturned(owner, area, count, state.value(area)),)


def followed(state: DnupState) -> Events:
    """The action is resolved: perhaps the player in turn is out, perhaps all is over; else the next turn."""
    seat = state.seat
    if state.hands[seat].size:
        return next_turn(state)
    place = len(state.out) + 1
    points = 1 if state.pair else {1: FIRST, 2: SECOND}[place]
    events: Events = (ev.WentOut(seat, place, points),)
    then = folded(state, events)
    over = then.points[seat] >= (ROUNDS_WON if state.pair else WINNING)
    if over:
        return (*events, ev.RoundEnded(state.round), ev.GameWon((seat,)))
    if state.pair or place == 2:
        return (*events, ev.RoundEnded(state.round))
    return (*events, *next_turn(then))


def next_turn(state: DnupState) -> Events:
    """The next area in turn; sets whose time is over are discarded on the way."""
    events: Events = ()
    for area in after(state):
        seat, lying = state.owner(area), len(state.areas[area].cards)
        if lying:
            events = (*events, ev.SetDiscarded(seat, area, lying))
        if seat not in state.out:
            break
    laps = state.options.laps
    begun = ev.TurnBegan(seat, area, state.number(area))
    if laps and not state.stalled and state.idle + 1 >= laps * state.lapse():
        return (*events, begun, ev.StallNoticed(laps))
    return (*events, begun)


def after(state: DnupState) -> tuple[int, ...]:
    """The areas in the order of their turns, from the one after the present turn's."""
    count = len(state.areas)
    return tuple(clockwise((state.area + 1) % count, count))


def following(state: DnupState) -> int:
    """The area of the turn after this one, whichever players go out until then."""
    return next(area for area in after(state) if state.owner(area) not in state.out)


def _star(state: DnupState, cards: Sequence[str]) -> Events:
    """The star card turns up in another hand than was said: the wrong player began (D-T18)."""
    if state.star is None or state.star == state.seat or STAR not in map(card.name, cards):
        return ()
    return (ev.StarElsewhere(state.star),)
