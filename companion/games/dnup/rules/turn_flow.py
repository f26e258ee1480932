"""Course of a turn in dnup: which moves are legal, what a hand still holds after one, what follows from it.

Only whole hands are rotated, so a card that was seen once keeps its way up relative to its owner's rotations:
it is known until it is discarded. What was only said leaves room for doubt, and doubt never accuses (DI1 to
DI4).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from companion.core.actions import Seat, seats_clockwise
from companion.core.events import Events, apply_events
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import model
from companion.games.dnup.rules.cards import HIGHEST_VALUE, STAR_CARD, cards_per_value
from companion.games.dnup.rules.model import DnupState

# Legal moves, with the rule that forbids each other one -----------------------------------------------------


def rule_against_play(state: DnupState, size: int, value: int) -> str:
    """What forbids the player in turn to play `size` cards of `value`; empty: nothing that is public."""
    if size < 1 or not 1 <= value <= HIGHEST_VALUE:
        return "play.which"
    if size > state.hands[state.seat].size:
        return "hand.count"
    if size > _max_set_size(state, value):
        return "play.too_many"
    rival = state.area_of_size(size, state.area)
    return "play.not_higher" if rival is not None and state.value(rival) >= value else ""


def rule_against_target(state: DnupState, area: int) -> str:
    """What forbids the player in turn to touch the set of an area."""
    if not 0 <= area < len(state.areas) or not state.areas[area].cards:
        return "target.empty"
    owner = state.owner(area)
    if owner == state.seat and not state.options.own_area_target:
        return "target.own_area"
    if owner in state.out and not state.options.target_out_player:
        return "target.out_player"
    return ""


def rule_against_add(state: DnupState, area: int) -> str:
    """What forbids the player in turn to add a card to the set of an area."""
    if rule := rule_against_target(state, area):
        return rule
    size, value = len(state.areas[area].cards) + 1, state.value(area)
    if size > _max_set_size(state, value):
        return "add.too_many"
    rival = state.area_of_size(size, area, state.area)
    return "add.not_higher" if rival is not None and state.value(rival) >= value else ""


def legal_plays(state: DnupState) -> Iterator[tuple[int, int]]:
    """Every size and value that may be played, as far as everybody knows."""
    held, counts = state.hands[state.seat].size, cards_per_value(state.cards_in_use)
    rivals = {len(area.cards): state.value(at) for at, area in enumerate(state.areas) if at != state.area}
    for size in range(1, min(held, max(counts.values())) + 1):
        for value in range(rivals.get(size, 0) + 1, HIGHEST_VALUE + 1):
            if size <= counts[value]:
                yield size, value


def legal_sizes(state: DnupState) -> tuple[int, ...]:
    """Sizes of which some value may be played."""
    return tuple(dict.fromkeys(size for size, _ in legal_plays(state)))


def legal_values(state: DnupState, size: int) -> tuple[int, ...]:
    """Values that may be played in this size."""
    return tuple(value for count, value in legal_plays(state) if count == size)


def addable_areas(state: DnupState) -> tuple[int, ...]:
    """Areas to whose sets a card may be added."""
    return tuple(area for area in range(len(state.areas)) if not rule_against_add(state, area))


def takable_areas(state: DnupState) -> tuple[int, ...]:
    """Areas whose sets may be taken."""
    return tuple(area for area in range(len(state.areas)) if not rule_against_target(state, area))


def _max_set_size(state: DnupState, value: int) -> int:
    """No set of this value has more cards: this many have it on one of their sides."""
    return cards_per_value(state.cards_in_use)[value] if 1 <= value <= HIGHEST_VALUE else 0


# What a hand still holds ------------------------------------------------------------------------------------


class HandInference(NamedTuple):
    """Cards on their way out of a hand."""

    known: tuple[str, ...]
    """What is known of the rest."""
    rule: str = ""
    """The key of what contradicts it; empty: nothing does."""
    what: str = ""
    """The card it is about, or how many the hand has."""


def infer_hand_after(state: DnupState, seat: Seat, played: Sequence[str]) -> HandInference:
    """What stays known of the hand of `seat` once these cards lie on the table."""
    hand = state.hands[seat]
    if len(played) > hand.size:
        return HandInference((), "hand.count", str(hand.size))
    read = [one for one in played if card.card_name(one)]
    known, rule, what = _infer_from_read(state, seat, read)
    spare = hand.size - len(read) - len(known)
    unread = [one for one in played if not card.card_name(one)]
    if not unread or rule:
        return HandInference(known, rule, what)
    return _infer_from_unread(known, unread, max(0, spare))


def _infer_from_read(state: DnupState, seat: Seat, read: Sequence[str]) -> HandInference:
    known, new = list(state.hands[seat].known), Counter[str]()
    spare = state.hands[seat].size - len(known)
    rule = what = ""
    for one in read:
        vague = next(
            (other for other in known if not card.card_name(other) and card.may_be_same_card(one, other)),
            None,
        )
        if one in known:
            known.remove(one)
        elif vague is not None:
            known.remove(vague)
        else:
            if not rule and (
                rule := _contradiction(state, seat, one, known, spare, new[card.card_name(one)])
            ):
                what = one
            new[card.card_name(one)] += 1
            spare -= 1
    left = state.hands[seat].size - len(read)
    return HandInference(tuple(known) if len(known) <= left else (), rule, what)


def _contradiction(  # noqa: PLR0917
    state: DnupState, seat: Seat, one: str, known: Sequence[str], spare: int, again: int
) -> str:
    """Why this hand cannot have held a card that was read; empty if it can."""
    name = card.card_name(one)
    there = state.cards_in_use.count(name)
    if not there:
        return "deck.foreign"
    lying = sum(card.card_name(other) == name for area in state.areas for other in area.cards)
    held = sum(
        card.card_name(other) == name
        for other_seat, hand in enumerate(state.hands)
        for other in (known if other_seat == seat else hand.known)
    )
    free = there - lying - held - state.gone.count(name) - again
    if spare > 0 and free > 0:
        return ""
    if card.rotate_card(one) in known:
        return "card.turned"
    if lying + again >= there:
        return "deck.too_many"
    return "card.elsewhere" if free <= 0 else "card.not_held"


def _infer_from_unread(known: tuple[str, ...], unread: Sequence[str], spare: int) -> HandInference:
    """Cards of which only the value was said: whichever could be meant are no longer known for certain."""
    value = card.active_value(unread[0])
    certain = [one for one in known if card.active_value(one) == value]
    vague = [
        one
        for one in known
        if not card.active_value(one) and card.active_value(card.rotate_card(one)) != value
    ]
    if len(certain) + len(vague) + spare < len(unread):
        return HandInference((), "hand.cannot", str(value))
    return HandInference(tuple(one for one in known if one not in {*certain, *vague}))


# Sets beaten, players out, the next turn --------------------------------------------------------------------


def play_set(state: DnupState, cards: Sequence[str], left: HandInference) -> Events:
    """A lawful set of the player in turn."""
    seat, area, value = state.seat, state.area, card.set_value(cards)
    rival = state.area_of_size(len(cards), area)
    events: Events = (
        *_check_star(state, cards),
        model.SetPlayed(seat, area, len(cards), value, tuple(cards), left.known),
    )
    return (*events, *_finish_play(apply_events(state, events), rival))


def add_card(state: DnupState, area: int, one: str, left: HandInference) -> Events:
    """A lawful card of the player in turn on the set of an area."""
    size = len(state.areas[area].cards) + 1
    rival = state.area_of_size(size, area)
    events: Events = (
        *_check_star(state, (one,)),
        model.CardAdded(state.seat, area, size, state.value(area), one, left.known),
    )
    return (*events, *_finish_play(apply_events(state, events), rival))


def _finish_play(state: DnupState, rival: int | None) -> Events:
    """Cards left the hand: the set they beat goes home, unless the last card has won the round before."""
    if (
        state.is_two_player
        and not state.hands[state.seat].size
        and state.options.out_check_2p == "before_bounce"
    ):
        return _finish_action(state)
    home = _remove_beaten_set(state, rival)
    return (*home, *_finish_action(apply_events(state, home)))


def take_set(state: DnupState, area: int) -> Events:
    """The player in turn takes the set of an area."""
    events: Events = (model.SetTaken(state.seat, area, len(state.areas[area].cards), state.value(area)),)
    return (*events, *_finish_action(apply_events(state, events)))


def rotate_hand(state: DnupState) -> Events:
    """The player in turn rotates the whole hand."""
    events: Events = (model.HandRotated(state.seat),)
    return (*events, *_finish_action(apply_events(state, events)))


def _remove_beaten_set(state: DnupState, area: int | None) -> Events:
    """The set of an area goes home, or to the pile if its owner is out."""
    if area is None:
        return ()
    owner, count = state.owner(area), len(state.areas[area].cards)
    if owner in state.out:
        return (model.SetBeaten(owner, area, count),)
    return (model.SetReturned(owner, area, count, state.value(area)),)


def _finish_action(state: DnupState) -> Events:
    """The action is resolved: perhaps the player in turn is out, perhaps all is over; else the next turn."""
    seat = state.seat
    if state.hands[seat].size:
        return _begin_next_turn(state)
    place = len(state.out) + 1
    points = 1 if state.is_two_player else {1: model.POINTS_FIRST_OUT, 2: model.POINTS_SECOND_OUT}[place]
    events: Events = (model.WentOut(seat, place, points),)
    then = apply_events(state, events)
    over = then.points[seat] >= (model.WINNING_ROUNDS if state.is_two_player else model.WINNING_POINTS)
    if over:
        return (*events, model.DnupRoundEnded(state.round), model.DnupGameWon((seat,)))
    if state.is_two_player or place == 2:
        return (*events, model.DnupRoundEnded(state.round))
    return (*events, *_begin_next_turn(then))


def _begin_next_turn(state: DnupState) -> Events:
    """The next area in turn; sets whose time is over are discarded on the way."""
    events: Events = ()
    for area in _areas_in_turn_order(state):
        seat, lying = state.owner(area), len(state.areas[area].cards)
        if lying:
            events = (*events, model.SetDiscarded(seat, area, lying))
        if seat not in state.out:
            break
    laps = state.options.stall_laps
    begun = model.TurnBegan(seat, area, state.number(area))
    if laps and not state.stalled and state.idle + 1 >= laps * state.turns_per_lap():
        return (*events, begun, model.StallNoticed(laps))
    return (*events, begun)


def _areas_in_turn_order(state: DnupState) -> tuple[int, ...]:
    """The areas in the order of their turns, from the one after the present turn's."""
    count = len(state.areas)
    return tuple(seats_clockwise((state.area + 1) % count, count))


def next_area(state: DnupState) -> int:
    """The area of the turn after this one, whichever players go out until then."""
    return next(area for area in _areas_in_turn_order(state) if state.owner(area) not in state.out)


def _check_star(state: DnupState, cards: Sequence[str]) -> Events:
    """The star card turns up in another hand than was said: the wrong player began (D-T18)."""
    if state.star is None or state.star == state.seat or STAR_CARD not in map(card.card_name, cards):
        return ()
    return (model.StarElsewhere(state.star),)
