"""Consequences of a dnup action: sets beaten, players out, the next turn."""

from collections.abc import Sequence

from companion.core.actions import seats_clockwise
from companion.core.events import Events
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as ev
from companion.games.dnup.rules.deck_composition import STAR_CARD
from companion.games.dnup.rules.evolve import apply_events
from companion.games.dnup.rules.hand_inference import HandInference
from companion.games.dnup.rules.state import (
    POINTS_FIRST_OUT,
    POINTS_SECOND_OUT,
    WINNING_POINTS,
    WINNING_ROUNDS,
    DnupState,
)


def play_set(state: DnupState, cards: Sequence[str], left: HandInference) -> Events:
    """A lawful set of the player in turn."""
    seat, area, value = state.seat, state.area, card.set_value(cards)
    rival = state.area_of_size(len(cards), area)
    events: Events = (
        *_check_star(state, cards),
        ev.SetPlayed(seat, area, len(cards), value, tuple(cards), left.known),
    )
    return (*events, *_finish_play(apply_events(state, events), rival))


def add_card(state: DnupState, area: int, one: str, left: HandInference) -> Events:
    """A lawful card of the player in turn on the set of an area."""
    size = len(state.areas[area].cards) + 1
    rival = state.area_of_size(size, area)
    events: Events = (
        *_check_star(state, (one,)),
        ev.CardAdded(state.seat, area, size, state.value(area), one, left.known),
    )
    return (*events, *_finish_play(apply_events(state, events), rival))


def _finish_play(state: DnupState, rival: int | None) -> Events:
    """Cards left the hand: the set they beat goes home, unless the last card has won the round before."""
    if (
        state.is_two_player
        and not state.hands[state.seat].size
        and state.options.out_check_2p == "before_bounce"
    ):
        return finish_action(state)
    home = remove_beaten_set(state, rival)
    return (*home, *finish_action(apply_events(state, home)))


def take_set(state: DnupState, area: int) -> Events:
    """The player in turn takes the set of an area."""
    events: Events = (ev.SetTaken(state.seat, area, len(state.areas[area].cards), state.value(area)),)
    return (*events, *finish_action(apply_events(state, events)))


def rotate_hand(state: DnupState) -> Events:
    """The player in turn rotates the whole hand."""
    events: Events = (ev.HandRotated(state.seat),)
    return (*events, *finish_action(apply_events(state, events)))


def remove_beaten_set(state: DnupState, area: int | None) -> Events:
    """The set of an area goes home, or to the pile if its owner is out."""
    if area is None:
        return ()
    owner, count = state.owner(area), len(state.areas[area].cards)
    if owner in state.out:
        return (ev.SetBeaten(owner, area, count),)
    return (ev.SetReturned(owner, area, count, state.value(area)),)


def finish_action(state: DnupState) -> Events:
    """The action is resolved: perhaps the player in turn is out, perhaps all is over; else the next turn."""
    seat = state.seat
    if state.hands[seat].size:
        return begin_next_turn(state)
    place = len(state.out) + 1
    points = 1 if state.is_two_player else {1: POINTS_FIRST_OUT, 2: POINTS_SECOND_OUT}[place]
    events: Events = (ev.WentOut(seat, place, points),)
    then = apply_events(state, events)
    over = then.points[seat] >= (WINNING_ROUNDS if state.is_two_player else WINNING_POINTS)
    if over:
        return (*events, ev.DnupRoundEnded(state.round), ev.DnupGameWon((seat,)))
    if state.is_two_player or place == 2:
        return (*events, ev.DnupRoundEnded(state.round))
    return (*events, *begin_next_turn(then))


def begin_next_turn(state: DnupState) -> Events:
    """The next area in turn; sets whose time is over are discarded on the way."""
    events: Events = ()
    for area in areas_in_turn_order(state):
        seat, lying = state.owner(area), len(state.areas[area].cards)
        if lying:
            events = (*events, ev.SetDiscarded(seat, area, lying))
        if seat not in state.out:
            break
    laps = state.options.stall_laps
    begun = ev.TurnBegan(seat, area, state.number(area))
    if laps and not state.stalled and state.idle + 1 >= laps * state.turns_per_lap():
        return (*events, begun, ev.StallNoticed(laps))
    return (*events, begun)


def areas_in_turn_order(state: DnupState) -> tuple[int, ...]:
    """The areas in the order of their turns, from the one after the present turn's."""
    count = len(state.areas)
    return tuple(seats_clockwise((state.area + 1) % count, count))


def next_area(state: DnupState) -> int:
    """The area of the turn after this one, whichever players go out until then."""
    return next(area for area in areas_in_turn_order(state) if state.owner(area) not in state.out)


def _check_star(state: DnupState, cards: Sequence[str]) -> Events:
    """The star card turns up in another hand than was said: the wrong player began (D-T18)."""
    if state.star is None or state.star == state.seat or STAR_CARD not in map(card.card_name, cards):
        return ()
    return (ev.StarElsewhere(state.star),)
