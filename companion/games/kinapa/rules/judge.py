"""Kinapa's rulings on what people choose: one small function per verb, and the table that says who may when.

Verbs and values: `claim_cat`; `announce` 7; `recount`; `close`; `tick_per_turn`; `raise`; `lower`; `no_pair`;
`show_pair`; `draw_from` seat; `no_exchange`; `drawn`; `has`; `has_not`; `pick` seat; `receive`; `refuse`;
`return` [card]; `found`; `not_found`; `turn` "5-6" or "5-6@3" (object, slot); `hide`; `place` 5 or "5@3"
(number, slot); `crown` seat. With a BOT also: `nobody`; `aid_up`; `aid_down`; `switch` seat.
"""

from collections.abc import Mapping

from companion.core.actions import SECOND, Action, Micros
from companion.core.events import Events
from companion.core.verbs import Verb, no, verb
from companion.games.kinapa.rules import bots, proofs
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.exchange import (
    answered,
    audited,
    drawn,
    pair_denied,
    pair_shown,
    partner_chosen,
    picked,
    received,
    refused,
    returned,
)
from companion.games.kinapa.rules.ring import hidden, located, placed, turned
from companion.games.kinapa.rules.state import KinapaState, Phase
from companion.games.kinapa.rules.succession import handed_on, switched

CUE_PATIENCE: Micros = 2 * SECOND
"""If the count was neither heard nor seen by then, counted from the announcement, the window opens anyway."""


def claimed(state: KinapaState, action: Action, at: Micros) -> Events:
    """The player who holds cat 1 (with a BOT: the lowest animal in a hand) is the first Emperor."""
    start: Events = (ev.EmperorCrowned(action.seat), ev.SheepTaken(action.seat))
    return (*start, ev.EndTold(bots.ending(state))) if state.bots else start


def nobody(state: KinapaState, action: Action, at: Micros) -> Events:
    """No hand holds the animal that is asked for."""
    return bots.nobody_has(state) if bots.nobody_offered(state) else no("turn.not_now", action.seat)


def announced(state: KinapaState, action: Action, at: Micros) -> Events:
    """A number is announced (KA4: not one whose pair lies)."""
    number = action.value
    if not isinstance(number, int) or not 1 <= number <= state.highest:
        return no("announce.range", action.seat, state.highest)
    if number in state.dead and not state.options.allow_dead_number:
        return no("announce.dead_number", action.seat, number)
    aids = bots.free(state)
    said = ev.NumberAnnounced(number, at + CUE_PATIENCE)
    return (said, ev.AidsAsked(aids)) if aids else (said,)


def aid_laid(state: KinapaState, action: Action, at: Micros) -> Events:
    """The aid of a BOT deck is laid by the player who is asked for it."""
    if action.seat != bots.setter(state, state.turn.aids[0]):
        return no("turn.not_now", action.seat)
    return bots.aid_laid(state, action, at, CUE_PATIENCE)


def opened(state: KinapaState, first_beat: Micros, by: str) -> Events:
    """The first beat: under `hand=hold` a button that is down now is a raised hand (KA24)."""
    if state.options.hand != "hold":
        return (ev.CountOpened(first_beat, by),)
    down = (seat for seat in state.others if seat in state.down and seat not in state.turn.raised)
    return (
        ev.CountOpened(first_beat, by),
        *(ev.HandRaised(seat) for seat in down if not state.seats[seat].foxes),
    )


def raised(state: KinapaState, action: Action, at: Micros) -> Events:
    """A hand goes up; a seat with a Fox may not (K-T19)."""
    if action.seat in state.turn.raised:
        return ()
    if state.seats[action.seat].foxes:
        return no("hand.foxed", action.seat)
    if bots.aids_first(state):
        return no("turn.not_now", action.seat)
    return (ev.HandRaised(action.seat),)


def lowered(state: KinapaState, action: Action, at: Micros) -> Events:
    """A hand comes down again."""
    return (ev.HandLowered(action.seat),) if action.seat in state.turn.raised else ()


def locked(state: KinapaState) -> Events:
    """The count is over: hands stand as they stand (KA24)."""
    hands = (seat for seat in state.raised if not state.is_bot(seat))
    bluffs = tuple(event for seat in hands for event in proofs.claimed(state, seat, denied=False))
    return (ev.HandsLocked(state.raised, state.lowered), *bluffs)


def crown(state: KinapaState, action: Action, at: Micros) -> Events:
    """The Emperor names the successor."""
    if action.value not in state.turn.candidates:
        return no("succession.not_allowed", action.seat)
    return handed_on(state, int(action.value))


def switch(state: KinapaState, action: Action, at: Micros) -> Events:
    """The Emperor names who has to take the BOT deck (K-T27)."""
    if action.value not in state.turn.candidates:
        return no("switch.not_allowed", action.seat)
    assert state.turn.successor is not None
    return switched(state, int(action.value), state.turn.successor)


def tick_offered(state: KinapaState) -> bool:
    """KA48: after two stays in a row with two punished seats the table may count Foxes per turn."""
    if state.stays < 2 or state.fox_per_turn or state.options.fox_tick != "transfer":
        return False
    return sum(seat.foxes > 0 for seat in state.seats) >= 2


HANDS = (Phase.AIDING, Phase.ANNOUNCED, Phase.COUNTING)
"""When hands may go up and down (K-T44); with two players not before the aids lie (K-T64)."""
ANSWERS = frozenset({"has", "has_not", "found", "not_found"})
"""What is said of a BOT deck; everything else players say of their own hand."""
VERBS: Mapping[str, Verb[KinapaState]] = {
    "claim_cat": verb(claimed, Phase.STARTING),
    "nobody": verb(nobody, Phase.STARTING),
    "announce": verb(announced, Phase.ANNOUNCING, area="announce"),
    "aid_up": verb(aid_laid, Phase.AIDING),
    "aid_down": verb(aid_laid, Phase.AIDING),
    "recount": verb(
        lambda state, _, at: (ev.RecountAsked(state.turn.number, at + CUE_PATIENCE),),
        Phase.RECOUNTING,
        area="announce",
    ),
    "close": verb(lambda state, _, __: locked(state), Phase.COUNTING, area="announce"),
    "tick_per_turn": verb(
        lambda state, action, _: (
            (ev.FoxTickAgreed(),) if tick_offered(state) else no("turn.not_now", action.seat)
        ),
        Phase.ANNOUNCING,
    ),
    "raise": verb(raised, *HANDS),
    "lower": verb(lowered, *HANDS),
    "no_pair": verb(pair_denied, Phase.PAIRING, area="pair"),
    "show_pair": verb(pair_shown, Phase.PAIRING, area="pair"),
    "draw_from": verb(partner_chosen, Phase.CHOOSING, area="draw"),
    "no_exchange": verb(
        lambda state, action, _: (
            no("draw.duty", action.seat)
            if state.options.draw_is_duty or state.turn.pair_shown
            else (ev.ExchangeDeclined(),)
        ),
        Phase.CHOOSING,
        area="draw",
    ),
    "drawn": verb(drawn, Phase.DRAWING, area="draw"),
    "has": verb(answered, Phase.ASKING, Phase.SEARCHING),
    "has_not": verb(answered, Phase.ASKING, Phase.SEARCHING),
    "pick": verb(picked, Phase.PICKING, area="pick"),
    "receive": verb(received, Phase.HANDING, area="hand_over"),
    "refuse": verb(refused, Phase.HANDING, area="hand_over"),
    "return": verb(returned, Phase.RETURNING, area="giveback"),
    "found": verb(audited, Phase.AUDITING),
    "not_found": verb(audited, Phase.AUDITING),
    "turn": verb(turned, Phase.TURNING, Phase.PLACING, area="object"),
    "lies_at": verb(located, Phase.PLACING, area="object"),
    "hide": verb(hidden, Phase.PLACING, area="object"),
    "place": verb(placed, Phase.PLACING, Phase.TURNING, area="object"),
    "crown": verb(crown, Phase.SUCCEEDING, area="succession"),
    "switch": verb(switch, Phase.SWITCHING, area="succession"),
}


def judge(state: KinapaState, action: Action, at: Micros) -> Events:
    """The ruling on any action of any seat."""
    said = VERBS.get(action.verb)
    if said is None or not 0 <= action.seat < len(state.seats):
        return no("turn.unknown", None)
    if said.area and action.seat != state.emperor:
        return no(f"{said.area}.not_emperor", action.seat)
    if state.phase not in said.phases:
        return no("turn.not_now", action.seat)
    if state.is_bot(action.seat) and action.verb not in ANSWERS:
        return no("turn.not_now", action.seat)
    if action.verb in {"raise", "lower"} and action.seat == state.emperor:
        return no("hand.emperor", action.seat)
    if action.verb == "close" and state.options.count_seconds:
        return no("turn.not_now", action.seat)
    return said.ruling(state, action, at)
