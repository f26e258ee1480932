"""Rulings on Kinapa's verbs, one function each, with the table of who may use them when.

Verbs and values: `claim_cat`; `announce` 7; `recount`; `close`; `tick_per_turn`; `raise`; `lower`; `no_pair`;
`show_pair`; `draw_from` seat; `no_exchange`; `drawn`; `has`; `has_not`; `pick` seat; `receive`; `refuse`;
`return` [card]; `found`; `not_found`; `turn` "5-6" or "5-6@3" (object, slot); `hide`; `place` 5 or "5@3"
(number, slot); `crown` seat. With a BOT also: `nobody`; `aid_up`; `aid_down`; `switch` seat.
"""

from collections.abc import Mapping

from companion.core.actions import SECOND, Action, Micros
from companion.core.events import Events
from companion.core.verbs import VerbRule, define_verb, infraction_ruling
from companion.games.kinapa.rules import bot_decks, exchange, lies, model, turn_end
from companion.games.kinapa.rules.model import KinapaPhase, KinapaState

CUE_PATIENCE: Micros = 2 * SECOND
"""If the count was neither heard nor seen by then, counted from the announcement, the window opens anyway."""


def judge_claim_cat(state: KinapaState, action: Action, at: Micros) -> Events:
    """The player who holds cat 1 (with a BOT: the lowest animal in a hand) is the first Emperor."""
    start: Events = (model.EmperorCrowned(action.seat), model.SheepTaken(action.seat))
    return (*start, model.WinConditionTold(bot_decks.win_condition(state))) if state.bots else start


def judge_nobody(state: KinapaState, action: Action, at: Micros) -> Events:
    """No hand holds the animal that is asked for."""
    return bot_decks.rule_nobody_has(state)


def judge_announce(state: KinapaState, action: Action, at: Micros) -> Events:
    """A number is announced (KA4: not one whose pair lies)."""
    number = action.value
    if not isinstance(number, int) or not 1 <= number <= state.highest:
        return infraction_ruling("announce.range", action.seat, state.highest)
    if number in state.placed_numbers and not state.options.allow_dead_number:
        return infraction_ruling("announce.dead_number", action.seat, number)
    aids = bot_decks.bots_awaiting_aid(state)
    said = model.NumberAnnounced(number, at + CUE_PATIENCE)
    return (said, model.AidsAsked(aids)) if aids else (said,)


def judge_aid(state: KinapaState, action: Action, at: Micros) -> Events:
    """The aid of a BOT deck is laid by the player who is asked for it."""
    if action.seat != bot_decks.aid_setter(state, state.turn.aids[0]):
        return infraction_ruling("turn.not_now", action.seat)
    return bot_decks.lay_aid(state, action, at, CUE_PATIENCE)


def open_count(state: KinapaState, first_beat: Micros, by: str) -> Events:
    """The first beat: under `hand=hold` a button that is down now is a raised hand (KA24)."""
    if state.options.hand != "hold":
        return (model.CountOpened(first_beat, by),)
    down = (seat for seat in state.others if seat in state.down and seat not in state.turn.raised)
    return (
        model.CountOpened(first_beat, by),
        *(model.HandRaised(seat) for seat in down if not state.seats[seat].foxes),
    )


def judge_raise(state: KinapaState, action: Action, at: Micros) -> Events:
    """A hand goes up; a seat with a Fox may not (K-T19)."""
    if action.seat in state.turn.raised:
        return ()
    if state.seats[action.seat].foxes:
        return infraction_ruling("hand.foxed", action.seat)
    if bot_decks.must_lay_aids_first(state):
        return infraction_ruling("turn.not_now", action.seat)
    return (model.HandRaised(action.seat),)


def judge_lower(state: KinapaState, action: Action, at: Micros) -> Events:
    """A hand comes down again."""
    return (model.HandLowered(action.seat),) if action.seat in state.turn.raised else ()


def lock_hands(state: KinapaState) -> Events:
    """The count is over: hands stand as they stand (KA24)."""
    hands = (seat for seat in state.raised if not state.is_bot(seat))
    bluffs = tuple(event for seat in hands for event in lies.prove_by_claim(state, seat, denied=False))
    return (model.HandsLocked(state.raised, state.lowered), *bluffs)


def judge_crown(state: KinapaState, action: Action, at: Micros) -> Events:
    """The Emperor names the successor."""
    if action.value not in state.turn.candidates:
        return infraction_ruling("succession.not_allowed", action.seat)
    return turn_end.hand_on_crown(state, int(action.value))


def judge_switch(state: KinapaState, action: Action, at: Micros) -> Events:
    """The Emperor names who has to take the BOT deck (K-T27)."""
    if action.value not in state.turn.candidates:
        return infraction_ruling("switch.not_allowed", action.seat)
    assert state.turn.successor is not None
    return turn_end.switch_and_crown(state, int(action.value), state.turn.successor)


def can_agree_fox_tick(state: KinapaState) -> bool:
    """KA48: after two stays in a row with two punished seats the table may count Foxes per turn."""
    if state.stays < 2 or state.fox_per_turn or state.options.fox_tick != "transfer":
        return False
    return sum(seat.foxes > 0 for seat in state.seats) >= 2


HAND_PHASES = (KinapaPhase.AIDING, KinapaPhase.ANNOUNCED, KinapaPhase.COUNTING)
"""When hands may go up and down (K-T44); with two players not before the aids lie (K-T64)."""
BOT_ANSWER_VERBS = frozenset({"has", "has_not", "found", "not_found"})
"""What is said of a BOT deck; everything else players say of their own hand."""
VERBS: Mapping[str, VerbRule[KinapaState]] = {
    "claim_cat": define_verb(judge_claim_cat, KinapaPhase.STARTING),
    "nobody": define_verb(judge_nobody, KinapaPhase.STARTING, may=bot_decks.can_say_nobody),
    "announce": define_verb(judge_announce, KinapaPhase.ANNOUNCING, area="announce"),
    "aid_up": define_verb(judge_aid, KinapaPhase.AIDING),
    "aid_down": define_verb(judge_aid, KinapaPhase.AIDING),
    "recount": define_verb(
        lambda state, _, at: (model.RecountAsked(state.turn.number, at + CUE_PATIENCE),),
        KinapaPhase.RECOUNTING,
        area="announce",
    ),
    "close": define_verb(
        lambda state, _, __: lock_hands(state),
        KinapaPhase.COUNTING,
        area="announce",
        may=lambda state: not state.options.count_seconds,
    ),
    "tick_per_turn": define_verb(
        lambda _, __, ___: (model.FoxTickAgreed(),), KinapaPhase.ANNOUNCING, may=can_agree_fox_tick
    ),
    "raise": define_verb(judge_raise, *HAND_PHASES),
    "lower": define_verb(judge_lower, *HAND_PHASES),
    "no_pair": define_verb(exchange.judge_no_pair, KinapaPhase.PAIRING, area="pair"),
    "show_pair": define_verb(exchange.judge_show_pair, KinapaPhase.PAIRING, area="pair"),
    "draw_from": define_verb(exchange.judge_draw_from, KinapaPhase.CHOOSING, area="draw"),
    "no_exchange": define_verb(
        lambda state, action, _: (
            infraction_ruling("draw.duty", action.seat)
            if state.options.draw_is_duty or state.turn.pair_shown
            else (model.ExchangeDeclined(),)
        ),
        KinapaPhase.CHOOSING,
        area="draw",
    ),
    "drawn": define_verb(exchange.judge_draw, KinapaPhase.DRAWING, area="draw"),
    "has": define_verb(exchange.judge_answer, KinapaPhase.ASKING, KinapaPhase.SEARCHING),
    "has_not": define_verb(exchange.judge_answer, KinapaPhase.ASKING, KinapaPhase.SEARCHING),
    "pick": define_verb(exchange.judge_pick, KinapaPhase.PICKING, area="pick"),
    "receive": define_verb(exchange.judge_receive, KinapaPhase.HANDING, area="hand_over"),
    "refuse": define_verb(exchange.judge_refuse, KinapaPhase.HANDING, area="hand_over"),
    "return": define_verb(exchange.judge_return, KinapaPhase.RETURNING, area="giveback"),
    "found": define_verb(exchange.judge_audit, KinapaPhase.AUDITING),
    "not_found": define_verb(exchange.judge_audit, KinapaPhase.AUDITING),
    "turn": define_verb(turn_end.judge_turn, KinapaPhase.TURNING, KinapaPhase.PLACING, area="object"),
    "lies_at": define_verb(turn_end.judge_location, KinapaPhase.PLACING, area="object"),
    "hide": define_verb(turn_end.judge_hide, KinapaPhase.PLACING, area="object"),
    "place": define_verb(turn_end.judge_place, KinapaPhase.PLACING, KinapaPhase.TURNING, area="object"),
    "crown": define_verb(judge_crown, KinapaPhase.SUCCEEDING, area="succession"),
    "switch": define_verb(judge_switch, KinapaPhase.SWITCHING, area="succession"),
}


def judge(state: KinapaState, action: Action, at: Micros) -> Events:
    """The ruling on any action of any seat."""
    said = VERBS.get(action.verb)
    if said is None or not 0 <= action.seat < len(state.seats):
        return infraction_ruling("turn.unknown", None)
    if said.area and action.seat != state.emperor:
        return infraction_ruling(f"{said.area}.not_emperor", action.seat)
    if state.phase not in said.phases:
        return infraction_ruling("turn.not_now", action.seat)
    if state.is_bot(action.seat) and action.verb not in BOT_ANSWER_VERBS:
        return infraction_ruling("turn.not_now", action.seat)
    if action.verb in {"raise", "lower"} and action.seat == state.emperor:
        return infraction_ruling("hand.emperor", action.seat)
    if not said.may(state):
        return infraction_ruling("turn.not_now", action.seat)
    return said.ruling(state, action, at)
