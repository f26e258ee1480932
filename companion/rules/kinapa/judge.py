"""Kinapa's rulings on what people choose: one small function per verb, and the table that says who may when.

Verbs and values: `claim_cat`; `announce` 7; `recount`; `close`; `tick_per_turn`; `raise`; `lower`; `no_pair`;
`show_pair`; `draw_from` seat; `no_exchange`; `drawn`; `has`; `has_not`; `pick` seat; `receive`; `refuse`;
`return` [card]; `found`; `not_found`; `turn` "5-6" or "5-6@3" (object, slot); `hide`; `place` 5 or "5@3"
(number, slot); `crown` seat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from companion import events as shared
from companion.actions import SECOND, Action, Micros, Seat
from companion.events import Event
from companion.rules.kinapa import events as ev
from companion.rules.kinapa import proofs
from companion.rules.kinapa.state import CLOSED, KinapaState, Phase, labels_up_to, numbers_of
from companion.rules.kinapa.succession import crowned, punished, succession

CUE_PATIENCE: Micros = 2 * SECOND
"""Neither sound nor picture of the count came this long after the announcement: the window opens anyway."""

Events = tuple[Event, ...]


def announced(state: KinapaState, action: Action, at: Micros) -> Events:
    """A number is announced (KA4: not one whose pair lies)."""
    number = action.value
    if not isinstance(number, int) or not 1 <= number <= state.highest:
        return _no("announce.range", action.seat, state.highest)
    if number in state.dead and not state.options.allow_dead_number:
        return _no("announce.dead_number", action.seat, number)
    return (ev.NumberAnnounced(number, at + CUE_PATIENCE),)


def opened(state: KinapaState, first_beat: Micros, by: str) -> Events:
    """The first beat: under `hand=hold` a button that is down now is a raised hand (K-T43)."""
    if state.options.hand != "hold":
        return (ev.CountOpened(first_beat, by),)
    down = state.early
    free = (s for s in state.others if s in down and s not in state.turn.raised and not state.seats[s].foxes)
    return (ev.CountOpened(first_beat, by), *(ev.HandRaised(seat) for seat in free))


def raised(state: KinapaState, action: Action, at: Micros) -> Events:
    """A hand goes up; a seat with a Fox may not (K-T19)."""
    if action.seat in state.turn.raised:
        return ()
    if state.seats[action.seat].foxes:
        return _no("hand.foxed", action.seat)
    return (ev.HandRaised(action.seat),)


def lowered(state: KinapaState, action: Action, at: Micros) -> Events:
    """A hand comes down again."""
    return (ev.HandLowered(action.seat),) if action.seat in state.turn.raised else ()


def locked(state: KinapaState) -> Events:
    """The count is over: hands stand as they stand (KA24)."""
    bluffs = tuple(event for seat in state.raised for event in proofs.claimed(state, seat, denied=False))
    return (ev.HandsLocked(state.raised, state.lowered), *bluffs)


def pair_shown(state: KinapaState, action: Action, at: Micros) -> Events:
    """X1 or X2: the Emperor shows the pair."""
    number = state.turn.number
    if number in state.dead:
        return _no("pair.dead", action.seat, number)
    proven = proofs.shown(state, state.emperor, number, cards=2)
    lowered_seats = state.lowered
    if not lowered_seats:
        return (ev.PairShown(number, Phase.TURNING), *proven)
    if len(lowered_seats) == 1:
        return (ev.PairShown(number, Phase.DRAWING), *proven, ev.PartnerChosen(lowered_seats[0]))
    return (ev.PairShown(number, Phase.CHOOSING), *proven)


def pair_denied(state: KinapaState, action: Action, at: Micros) -> Events:
    """X3, X4 or X5 by the number of lowered hands."""
    number, lowered_seats = state.turn.number, state.lowered
    if len(lowered_seats) >= 2:
        return (ev.PairDenied(Phase.CHOOSING),)
    if number in state.dead:  # allow_dead_number: a demand for it does nothing
        return (ev.PairDenied(Phase.TURNING),)
    if lowered_seats:
        return (ev.PairDenied(Phase.ASKING), ev.OneAsked(lowered_seats[0], number))
    return (ev.PairDenied(Phase.SEARCHING), ev.AllAsked(number))


def partner_chosen(state: KinapaState, action: Action, at: Micros) -> Events:
    """The Emperor names a lowered seat to draw from."""
    if action.value not in state.lowered:
        return _no("draw.not_lowered", action.seat)
    return (ev.PartnerChosen(int(action.value)),)


def drawn(state: KinapaState, action: Action, at: Micros) -> Events:
    """The Emperor drew from the partner; from an open hand only where chance pointed (KA16)."""
    if lots(state) is not None:
        return _no("draw.lot_first", action.seat)
    partner, lot = state.turn.partner, state.turn.lot
    assert partner is not None
    row = state.seats[partner].opened
    return (ev.CardDrawn(partner, row[lot - 1] if 0 < lot <= len(row) else ""),)


def lots(state: KinapaState) -> tuple[str, ...] | None:
    """The places of an open hand among which chance draws, counted from its owner's left."""
    partner = state.turn.partner
    if state.phase is not Phase.DRAWING or partner is None or state.turn.lot:
        return None
    if not state.seats[partner].foxes or state.options.fox_draw != "random":
        return None
    return tuple(str(place) for place in range(1, state.seats[partner].cards + 1))


def answered(state: KinapaState, action: Action, at: Micros) -> Events:
    """A duty answer to a demand (KA25)."""
    seat, has = action.seat, action.verb == "has"
    asking = state.phase is Phase.ASKING
    if seat not in (waiting := askable(state)):
        return _no("answer.not_asked", seat)
    answer: Events = (
        (ev.Admitted(seat),) if has else (ev.Denied(seat), *proofs.claimed(state, seat, denied=True))
    )
    if asking:
        return (*answer, ev.HolderFound(seat) if has else ev.LiarCalled(state.turn.number))
    if waiting != (seat,):
        return answer
    admitted = {other for other, yes in state.turn.answers if yes} | ({seat} if has else set())
    holders = tuple(other for other in state.raised if other in admitted)
    if len(holders) == 1:
        return (*answer, ev.HolderFound(holders[0]))
    if len(holders) == 2:
        return (*answer, ev.TwoHolders(holders))
    asked = () if state.turn.asked is None else (state.turn.asked,)
    return (*answer, ev.AuditOpened((*asked, *state.raised)))  # nobody, or more than there are cards: X6


def askable(state: KinapaState) -> tuple[Seat, ...]:
    """The seats that still owe an answer to the demand."""
    if state.phase is Phase.ASKING:
        return () if state.turn.asked is None else (state.turn.asked,)
    given = {seat for seat, _ in state.turn.answers}
    return tuple(seat for seat in state.raised if seat not in given)


def picked(state: KinapaState, action: Action, at: Micros) -> Events:
    """Of several holders the Emperor picks one (KA6)."""
    if action.value not in state.turn.holders:
        return _no("pick.no_holder", action.seat)
    return (ev.HolderFound(int(action.value)),)


def received(state: KinapaState, action: Action, at: Micros) -> Events:
    """The demanded card is in the Emperor's hand (KA46); liars are punished."""
    giver, number, turn = state.turn.partner, state.turn.number, state.turn
    assert giver is not None
    if action.value is not None and _number_on(str(action.value)) != str(number):
        return refused(state, action, at)
    events: list[Event] = [ev.CardHanded(giver, number, str(action.value or ""))]
    events += proofs.shown(state, giver, number, cards=1)
    for seat in dict.fromkeys((giver, *turn.holders)):
        if seat in turn.found:
            events += _audited(state, seat)
        elif seat in turn.raised and (seat == giver or state.options.two_liars != "chosen_only"):
            if state.options.two_liars == "one_fox_each" and len(turn.holders) > 1:
                events.append(ev.Punished(seat, 1, priority=not state.seats[seat].sheep))
            else:
                events += punished(state, seat, by_raising=True)
    return tuple(events)


def _audited(state: KinapaState, seat: Seat) -> Events:
    """KA9, KA10: a seat whose wrong answer the audit found."""
    if seat in state.turn.raised:
        return punished(state, seat, by_raising=True)
    if state.options.false_denial_penalty == "none":
        return ()
    return punished(state, seat, by_raising=False)


def refused(state: KinapaState, action: Action, at: Micros) -> Events:
    """Another card was handed over than the one demanded: it is asked for again."""
    assert state.turn.partner is not None
    return (ev.HandoverRefused(state.turn.partner, state.turn.number),)


def returned(state: KinapaState, action: Action, at: Micros) -> Events:
    """A different card goes back (KA11), as far as the referee can see it (K-T41)."""
    assert state.turn.partner is not None
    taken, given = state.turn.card, action.value
    if given is not None:
        if given == taken:
            return _no("giveback.same_card", action.seat)
        demanded = str(state.turn.number) if state.turn.holders else ""
        number = _number_on(taken) or demanded
        if number and _number_on(str(given)) == number and state.options.giveback == "number":
            return _no("giveback.same_number", action.seat)
    return (ev.CardReturned(state.turn.partner),)


def audited(state: KinapaState, action: Action, at: Micros) -> Events:
    """One hand of the audit was looked at; it never stops at the first hit (K-T30)."""
    seat, found = action.seat, action.verb == "found"
    if state.turn.audit[:1] != (seat,):
        return _no("audit.not_your_turn", seat)
    result: Event = ev.CardFound(seat) if found else ev.CardNotFound(seat)
    if len(state.turn.audit) > 1:
        return (result,)
    holders = (*state.turn.found, *((seat,) if found else ()))
    if len(holders) == 1:
        return (result, ev.HolderFound(holders[0]))
    if holders:
        return (result, ev.TwoHolders(holders))
    return (result, *pair_shown(state, Action(state.emperor, "show_pair"), at))  # KI5, KA47, K-T48


def turned(state: KinapaState, action: Action, at: Micros) -> Events:
    """An object is turned face up by hand or seen by the camera."""
    return face_up(state, *_at_slot(str(action.value)))


def face_up(state: KinapaState, label: str, slot: int) -> Events:
    """An object lies face up in a slot; 0: nobody said in which."""
    if label not in labels(state):
        return _no("object.not_in_play", state.emperor, label)
    if not 0 <= slot <= len(state.slots):
        return _no("object.no_such_slot", state.emperor, slot)
    lying = state.slots[slot - 1] if slot else None
    if lying and lying.lies is CLOSED:
        return _no("object.closed", state.emperor, slot)
    if state.phase is Phase.PLACING:
        return _no("object.second_turned", state.emperor, slot)
    if lying:
        copies = [other.label for other in state.slots].count(label) - (lying.label == label)
        if copies >= 2:
            return _no("object.third_copy", None, label)
    if placed_on(state, label) >= 2:
        return _no("object.third_copy", None, label)
    moved: Events = ()
    if lying and lying.label and lying.label != label:
        moved = (shared.Infraction("object.moved", None, slot),)
    return (*moved, ev.ObjectTurned(label, slot))


def labels(state: KinapaState) -> tuple[str, ...]:
    """The objects in play, lowest first."""
    return labels_up_to(state.highest)


def turnable(state: KinapaState) -> tuple[str, ...]:
    """The objects of which not every copy is closed."""
    return _turnable(state.highest, state.dead)


@lru_cache(maxsize=1024)
def _turnable(highest: int, dead: frozenset[int]) -> tuple[str, ...]:
    return tuple(label for label in labels_up_to(highest) if not dead.issuperset(numbers_of(label)))


def placed_on(state: KinapaState, label: str) -> int:
    """How many copies of an object are closed."""
    return len(state.dead.intersection(numbers_of(label)))


def placeable(state: KinapaState) -> tuple[int, ...]:
    """The numbers whose pair may go on the open object."""
    return tuple(number for number in numbers_of(state.turn.label) if number not in state.dead)


def hidden(state: KinapaState, action: Action, at: Micros) -> Events:
    """The open object goes face down again: the turn is over."""
    return (ev.ObjectHidden(state.turn.slot), *succession(state))


def placed(state: KinapaState, action: Action, at: Micros) -> Events:
    """A pair is laid on an object: only the Emperor, on the open object, one pair per object."""
    told, slot = _at_slot(str(action.value))
    slot = slot or state.turn.slot
    number = int(told) if told.isdecimal() else 0
    if 0 < slot <= len(state.slots) and state.slots[slot - 1].lies is CLOSED:
        return _no("object.closed", action.seat, slot)
    if state.phase is not Phase.PLACING or slot != state.turn.slot:
        return _no("object.not_open", action.seat, slot)
    if number not in numbers_of(state.turn.label):
        return _no("object.mismatch", action.seat, state.turn.label)
    if number in state.dead:
        return _no("object.dead", action.seat, number)
    owner = state.seats[action.seat]
    events = (ev.PairPlaced(action.seat, number, slot), *proofs.shown(state, action.seat, number, cards=2))
    return (*events, ev.GameWon(action.seat)) if owner.placed else events


def crown(state: KinapaState, action: Action, at: Micros) -> Events:
    """The Emperor names the successor."""
    if action.value not in state.turn.candidates:
        return _no("succession.not_allowed", action.seat)
    return crowned(state, int(action.value))


def tick_offered(state: KinapaState) -> bool:
    """KA48: after two stays in a row with two punished seats the table may count Foxes per turn."""
    if state.stays < 2 or state.fox_per_turn or state.options.fox_tick != "transfer":
        return False
    return sum(seat.foxes > 0 for seat in state.seats) >= 2


class Verb(NamedTuple):
    """When a verb may be said, and by whom."""

    phases: frozenset[Phase]
    ruling: Callable[[KinapaState, Action, Micros], Events]
    area: str = ""
    """The rule a seat breaks that says it without being Emperor; empty: every seat may say it."""


def _verb(ruling: Callable[[KinapaState, Action, Micros], Events], *phases: Phase, area: str = "") -> Verb:
    return Verb(frozenset(phases), ruling, area)


HANDS = (Phase.ANNOUNCED, Phase.COUNTING)
VERBS: Mapping[str, Verb] = {
    "claim_cat": _verb(
        lambda _, action, __: (ev.EmperorCrowned(action.seat), ev.SheepTaken(action.seat)), Phase.STARTING
    ),
    "announce": _verb(announced, Phase.ANNOUNCING, area="announce"),
    "recount": _verb(
        lambda state, _, at: (ev.RecountAsked(state.turn.number, at + CUE_PATIENCE),),
        Phase.RECOUNTING,
        area="announce",
    ),
    "close": _verb(lambda state, _, __: locked(state), Phase.COUNTING, area="announce"),
    "tick_per_turn": _verb(
        lambda state, action, _: (
            (ev.FoxTickAgreed(),) if tick_offered(state) else _no("turn.not_now", action.seat)
        ),
        Phase.ANNOUNCING,
    ),
    "raise": _verb(raised, *HANDS),
    "lower": _verb(lowered, *HANDS),
    "no_pair": _verb(pair_denied, Phase.PAIRING, area="pair"),
    "show_pair": _verb(pair_shown, Phase.PAIRING, area="pair"),
    "draw_from": _verb(partner_chosen, Phase.CHOOSING, area="draw"),
    "no_exchange": _verb(
        lambda state, action, _: (
            _no("draw.duty", action.seat)
            if state.options.draw_is_duty or state.turn.pair_shown
            else (ev.ExchangeDeclined(),)
        ),
        Phase.CHOOSING,
        area="draw",
    ),
    "drawn": _verb(drawn, Phase.DRAWING, area="draw"),
    "has": _verb(answered, Phase.ASKING, Phase.SEARCHING),
    "has_not": _verb(answered, Phase.ASKING, Phase.SEARCHING),
    "pick": _verb(picked, Phase.PICKING, area="pick"),
    "receive": _verb(received, Phase.HANDING, area="hand_over"),
    "refuse": _verb(refused, Phase.HANDING, area="hand_over"),
    "return": _verb(returned, Phase.RETURNING, area="giveback"),
    "found": _verb(audited, Phase.AUDITING),
    "not_found": _verb(audited, Phase.AUDITING),
    "turn": _verb(turned, Phase.TURNING, Phase.PLACING, area="object"),
    "hide": _verb(hidden, Phase.PLACING, area="object"),
    "place": _verb(placed, Phase.PLACING, Phase.TURNING, area="object"),
    "crown": _verb(crown, Phase.SUCCEEDING, area="succession"),
}


def judge(state: KinapaState, action: Action, at: Micros) -> Events:
    """The ruling on any action of any seat."""
    verb = VERBS.get(action.verb)
    if verb is None or not 0 <= action.seat < len(state.seats):
        return _no("turn.unknown", None)
    if verb.area and action.seat != state.emperor:
        return _no(f"{verb.area}.not_emperor", action.seat)
    if state.phase not in verb.phases:
        return _no("turn.not_now", action.seat)
    if action.verb in {"raise", "lower"} and action.seat == state.emperor:
        return _no("hand.emperor", action.seat)
    if action.verb == "close" and state.options.count_seconds:
        return _no("turn.not_now", action.seat)
    return verb.ruling(state, action, at)


def _no(rule: str, seat: Seat | None, what: str | int | None = None) -> Events:
    return (shared.Infraction(rule, seat, what),)


def _at_slot(value: str) -> tuple[str, int]:
    """ "5-6@3" → ("5-6", 3); without a slot, 0; -1 for a slot that cannot be."""
    told, _, slot = value.partition("@")
    if not slot:
        return told, 0
    return told, int(slot) if slot.isdecimal() and int(slot) else -1


def _number_on(card: str) -> str:
    """ "animal:5" → "5"."""
    return card.partition(":")[2]
