"""Decides what a card that the camera read means in Kobayakawa: accepted, refused, or asked about.

The six fields of the mat have a place for a hand and one for a discard each; a hand is of interest only at
the showdown, and what somebody shows before is called without its number.
"""

from collections.abc import Iterable

from companion.core import events as shared
from companion.core.actions import Micros, Seat
from companion.core.events import Events, apply_events
from companion.core.observations import RegionReading, SeenCard
from companion.games.kobayakawa.rules import judge, model
from companion.games.kobayakawa.rules.model import KobayakawaPhase, KobayakawaState

BACK = "back:number"


def judge_regions(state: KobayakawaState, regions: tuple[RegionReading, ...], at: Micros) -> Events:
    """Every region of the reading in turn."""
    events: Events = ()
    for region in regions:
        events += _judge_region(apply_events(state, events), region.name, region.faces)
    return events


def judge_shown_hand(state: KobayakawaState, seat: Seat, faces: tuple[SeenCard, ...], at: Micros) -> Events:
    """A fighter shows the card to the camera alone."""
    if not 0 <= seat < state.players:
        return ()
    return _judge_hand(state, f"hand:{state.field_of_seat(seat)}", seat, faces)


def _top_number(faces: tuple[SeenCard, ...], cards: int) -> int:
    """The number on top; `UNREAD` for a back and for what cannot be read, `NO_CARD` where nothing
    lies.
    """
    if not faces:
        return model.NO_CARD
    number = faces[-1].card.partition("number:")[2]
    return int(number) if number.isdecimal() and model.UNREAD < int(number) <= cards else model.UNREAD


def _call_misplacement(state: KobayakawaState, name: str, rule: str, seat: Seat | None = None) -> Events:
    """Something lies where it may not: called once, until that place is as it should be."""
    if name in state.misplaced:
        return ()
    return (shared.Infraction(rule, seat), model.KobayakawaMisplacementSeen(name))


def _judge_region(state: KobayakawaState, name: str, faces: tuple[SeenCard, ...]) -> Events:
    kind, _, place = name.partition(":")
    number = _top_number(faces, state.cards)
    seat = state.seat_at_field(int(place)) if place.isdecimal() else None
    if name != model.KOBAYAKAWA_REGION and (seat is None or kind not in {"hand", "discard"}):
        return ()
    if state.phase is KobayakawaPhase.OVER:
        return ()
    cleared = name == model.KOBAYAKAWA_REGION and number == model.NO_CARD and not state.cleared
    events: Events = (
        (model.RegionSeen(name, number),) if cleared or state.last_seen_number(name) != number else ()
    )
    state = apply_events(state, events)
    if name == model.KOBAYAKAWA_REGION:
        return (*events, *_judge_open_card(state, number))
    assert seat is not None
    if kind == "hand":
        return (*events, *_judge_hand(state, name, seat, faces))
    return (*events, *_judge_discard(state, name, seat, number, faces))


def _numbers_ruled_on(state: KobayakawaState) -> set[int]:
    """The numbers that were ruled on in this round."""
    return {*state.opened} | {number for hand in state.hands for number in (hand.discard, hand.shown)}


def covered_places(state: KobayakawaState, now: KobayakawaState) -> Iterable[model.RegionSeen]:
    """No card opens again because rulings are taken back; another one that lies open by now is unread, and so
    is one that counted and goes back where it was.
    """
    if state.round != now.round:
        return
    taken_back = _numbers_ruled_on(now) - _numbers_ruled_on(state)
    for here in state.lying:
        number = now.last_seen_number(here.region)
        if here.number > model.UNREAD and (number != here.number or number in taken_back):
            yield model.RegionSeen(here.region, min(number, model.UNREAD))


def unread_places(state: KobayakawaState, now: KobayakawaState | None = None) -> Iterable[model.RegionSeen]:
    """What lay open too early may have been taken back, or by `now` was, before it counted."""
    counts = _numbers_ruled_on(state)
    if now is not None and now.round == state.round:
        looks = not now.desk.paused
        counts = _numbers_ruled_on(now) | {here.number for here in now.lying if looks}
    for here in state.lying:
        if here.number > model.UNREAD and here.number not in counts:
            yield model.RegionSeen(here.region, model.UNREAD)


# The Kobayakawa ---------------------------------------------------------------------------------------------


def _judge_open_card(state: KobayakawaState, number: int) -> Events:
    if number <= model.UNREAD or state.phase is KobayakawaPhase.STARTING:
        return ()
    match state.phase:
        case KobayakawaPhase.DEALING:
            # Lifting the old pile shows older cards of it: only onto a bare place a new one is turned up.
            return judge.begin_round(state, number, watched=True) if state.cleared else ()
        case KobayakawaPhase.REVEALING:
            return judge.begin_round(state, number, watched=True)
        case KobayakawaPhase.SHOWDOWN if state.kobayakawa == model.UNREAD:
            return judge.reread_kobayakawa(state, number, by_hand=False)
    if number == state.kobayakawa:
        return judge.resolve_misplacement(state, model.KOBAYAKAWA_REGION)
    if state.phase in {KobayakawaPhase.DRAWING, KobayakawaPhase.REPLACING} and number not in state.opened:
        return judge.replace_kobayakawa(state, number, by_hand=False)
    if state.phase is KobayakawaPhase.DISCARDING and number not in state.opened:
        return _call_misplacement(state, model.KOBAYAKAWA_REGION, "draw.both", state.actor)
    return _call_misplacement(state, model.KOBAYAKAWA_REGION, "kobayakawa.moved")


# What is laid open ------------------------------------------------------------------------------------------


def _judge_discard(
    state: KobayakawaState, name: str, seat: Seat, number: int, faces: tuple[SeenCard, ...]
) -> Events:
    if state.phase not in model.ROUND_PHASES or seat not in state.order:
        return ()
    hand = state.hands[seat]
    right = judge.resolve_misplacement(state, name)
    turn = state.phase in model.DRAW_PHASES and seat == state.actor
    if number in {model.NO_CARD, hand.discard}:
        return right
    if number == model.UNREAD:
        down = turn and faces[-1].card == BACK
        return _call_misplacement(state, name, "discard.face_down", seat) if down else ()
    if turn:
        return (*right, *judge.discard_card(apply_events(state, right), number, by_hand=False))
    if judge.can_name_discard(state, seat):
        return (
            *right,
            *judge.read_discard_late(apply_events(state, right), seat, number, by_hand=False),
        )
    if state.phase is KobayakawaPhase.SHOWDOWN:
        return ()
    return _call_misplacement(state, name, "discard.not_now", seat)


# Hands ------------------------------------------------------------------------------------------------------


def _judge_hand(state: KobayakawaState, name: str, seat: Seat, faces: tuple[SeenCard, ...]) -> Events:
    number = _top_number(faces, state.cards)
    if state.phase not in model.ROUND_PHASES or seat not in state.order:
        return ()
    right = judge.resolve_misplacement(state, name)
    if number <= model.UNREAD:
        return right
    if state.phase is not KobayakawaPhase.SHOWDOWN:
        passed = state.hands[seat].bet == "pass"
        return () if passed else _call_misplacement(state, name, "hand.shown", seat)
    if seat not in state.fighters:
        return ()
    shown = sum(_top_number((face,), state.cards) > model.UNREAD for face in faces)
    if shown > 1:
        return _call_misplacement(state, name, "hand.two", seat)
    known = state.hands[seat].shown
    if known == number:
        return right
    if known != model.UNREAD:
        return _call_misplacement(state, name, "hand.changed", seat)
    return (*right, *judge.show_card(apply_events(state, right), seat, number, by_hand=False))
