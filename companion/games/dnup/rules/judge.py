"""Rulings on dnup's verbs, one function each, with the table of who may use them when.

Verbs and values: `card` "3-8" (shown while scanning); `scanned`; `again`; `listed`; `prepared`; `star`;
`play` or `play` "2x8"; `size` 2; `value` 8; `add` or `add` 3 (the third area); `take` or `take` 3; `rotate`;
`done`; `redeal`.
"""

from collections.abc import Mapping

from companion.core import events as shared
from companion.core.actions import SECOND, Action, Micros, Seat
from companion.core.events import Events, apply_events
from companion.core.verbs import VerbRule, define_verb, infraction_ruling, judge_verb
from companion.games.dnup.rules import camera_rulings, model, turn_flow
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.cards import PRINTED_DECK, deck_fault, is_card_name
from companion.games.dnup.rules.model import TURN_PHASES, DnupPhase, DnupState

# Set-up -----------------------------------------------------------------------------------------------------


def judge_card(state: DnupState, action: Action, at: Micros) -> Events:
    """A card of the deck, said while it is scanned."""
    if not isinstance(action.value, str) or not is_card_name(action.value):
        return infraction_ruling("scan.which", action.seat)
    return (model.CardsShown((action.value,), len(state.shown) + 1),)


def judge_scanned(state: DnupState, action: Action, at: Micros) -> Events:
    """The whole deck was shown: from now on it is what was counted."""
    if len(state.shown) != len(PRINTED_DECK):
        return infraction_ruling("scan.count", action.seat, len(state.shown))
    if fault := deck_fault(state.shown):
        return infraction_ruling("scan.star" if fault == "star" else "scan.uneven", action.seat)
    return (model.DeckScanned(tuple(sorted(state.shown)), len(state.shown)),)


def judge_again(state: DnupState, action: Action, at: Micros) -> Events:
    """The scan begins again; or something else was meant."""
    if state.phase is DnupPhase.SCANNING:
        return (model.ScanRestarted(),)
    return (model.SpokenActionDropped(),)


def judge_listed(state: DnupState, action: Action, at: Micros) -> Events:
    """No scan after all."""
    return (model.DeckListed(),)


def judge_prepared(state: DnupState, action: Action, at: Micros) -> Events:
    """The cards that are not used lie in the box."""
    return (model.DeckSorted(len(state.cards_in_use)),)


def judge_star(state: DnupState, action: Action, at: Micros) -> Events:
    """Who holds the star card begins."""
    return camera_rulings.begin_round(state, action.seat)


# A turn -----------------------------------------------------------------------------------------------------


def judge_play(state: DnupState, action: Action, at: Micros) -> Events:
    """A set is played; without a value it is said step by step."""
    if action.value is None:
        if state.phase is not DnupPhase.ACTING or not turn_flow.legal_sizes(state):
            return infraction_ruling("turn.not_now", action.seat)
        return (model.VerbChosen("play"),)
    found = _parse_size_and_value(action.value)
    if found is None:
        return infraction_ruling("play.which", action.seat)
    size, value = found
    return _judge_said_set(state, size, value)


def _judge_said_set(state: DnupState, size: int, value: int) -> Events:
    """A set that was said; if just that was read, with both sides of its cards."""
    if rule := turn_flow.rule_against_play(state, size, value):
        what = state.hands[state.seat].size if rule == "hand.count" else size
        return infraction_ruling(rule, state.seat, what)
    fresh = camera_rulings.fresh_cards(state)
    lies = len(fresh) == size and card.set_value(fresh) == value
    doubts, then, left = camera_rulings.know_hand_after(
        state, fresh if lies else (card.half_known_card(value),) * size, insist=True
    )
    if left is None:
        return doubts
    return (
        *doubts,
        *turn_flow.play_set(then, fresh if lies else (card.half_known_card(value),) * size, left),
    )


def judge_size(state: DnupState, action: Action, at: Micros) -> Events:
    """This many cards are played."""
    size = _number_or_zero(action.value)
    if size not in turn_flow.legal_sizes(state):
        return infraction_ruling("turn.not_now", action.seat)
    return (model.SizeSaid(size),)


def judge_value(state: DnupState, action: Action, at: Micros) -> Events:
    """Of this value."""
    return _judge_said_set(state, state.size, _number_or_zero(action.value))


def judge_add(state: DnupState, action: Action, at: Micros) -> Events:
    """One card goes onto a set; without a value the set is asked for."""
    if action.value is None:
        if state.phase is not DnupPhase.ACTING or not turn_flow.addable_areas(state):
            return infraction_ruling("turn.not_now", action.seat)
        return (model.VerbChosen("add"),)
    area = _number_or_zero(action.value) - 1
    if rule := turn_flow.rule_against_add(state, area):
        return infraction_ruling(rule, action.seat)
    lying = state.areas[area].seen
    more = card.remove_cards(lying or (), state.areas[area].cards)
    read = len(more) == 1 and card.active_value(more[0]) == state.value(area)
    one = more[0] if read else card.half_known_card(state.value(area))
    doubts, then, left = camera_rulings.know_hand_after(state, (one,), insist=True)
    return doubts if left is None else (*doubts, *turn_flow.add_card(then, area, one, left))


def judge_take(state: DnupState, action: Action, at: Micros) -> Events:
    """A set is taken; without a value it is asked which."""
    if action.value is None:
        if state.phase is not DnupPhase.ACTING or not turn_flow.takable_areas(state):
            return infraction_ruling("turn.not_now", action.seat)
        return (model.VerbChosen("take"),)
    area = _number_or_zero(action.value) - 1
    if rule := turn_flow.rule_against_target(state, area):
        return infraction_ruling(rule, action.seat)
    return turn_flow.take_set(state, area)


def judge_rotate(state: DnupState, action: Action, at: Micros) -> Events:
    """All cards of the hand are rotated."""
    return turn_flow.rotate_hand(state)


def judge_done(state: DnupState, action: Action, at: Micros) -> Events:
    """What is there is what was meant."""
    return camera_rulings.judge_quiet_table(state, at, insist=state.doubt)


def can_say_done(state: DnupState) -> bool:
    """Whether the player in turn may say that it lies."""
    return state.due is not None or state.doubt


def judge_redeal(state: DnupState, action: Action, at: Micros) -> Events:
    """Nobody gets on, and everybody agrees."""
    return (model.CardsRedealt(),)


def _parse_size_and_value(value: str | int) -> tuple[int, int] | None:
    """ "2x8" → (2, 8): how many, of which value."""
    size, _, rest = str(value).partition("x")
    if not (size.isdecimal() and rest.isdecimal() and len(size + rest) < 5):
        return None
    return int(size), int(rest)


def _number_or_zero(value: str | int | None) -> int:
    """The number that was said; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _seat_in_turn(state: DnupState) -> Seat:
    return state.seat if state.is_turn_running else 0


VERBS: Mapping[str, VerbRule[DnupState]] = {
    "card": define_verb(judge_card, DnupPhase.SCANNING, who=_seat_in_turn),
    "scanned": define_verb(judge_scanned, DnupPhase.SCANNING, who=_seat_in_turn),
    "again": define_verb(
        judge_again, DnupPhase.SCANNING, *(TURN_PHASES - {DnupPhase.ACTING}), who=_seat_in_turn
    ),
    "listed": define_verb(judge_listed, DnupPhase.SCANNING, who=_seat_in_turn),
    "prepared": define_verb(judge_prepared, DnupPhase.SORTING, who=_seat_in_turn),
    "star": define_verb(judge_star, DnupPhase.DEALING),
    "play": define_verb(judge_play, *TURN_PHASES, who=_seat_in_turn),
    "size": define_verb(judge_size, DnupPhase.SIZING, who=_seat_in_turn),
    "value": define_verb(judge_value, DnupPhase.VALUING, who=_seat_in_turn),
    "add": define_verb(judge_add, *TURN_PHASES, who=_seat_in_turn),
    "take": define_verb(judge_take, *TURN_PHASES, who=_seat_in_turn),
    "rotate": define_verb(judge_rotate, *TURN_PHASES, who=_seat_in_turn),
    "done": define_verb(judge_done, *TURN_PHASES, who=_seat_in_turn, may=can_say_done),
    "redeal": define_verb(judge_redeal, *TURN_PHASES, who=_seat_in_turn, may=lambda state: state.stalled),
}


def judge(state: DnupState, action: Action, at: Micros) -> Events:
    """The ruling on any action of any seat."""
    ruled = judge_verb(VERBS, state, action, at)
    unseen = all(area.seen is None for area in state.areas)
    if unseen or any(isinstance(event, model.QuietAwaited | shared.Infraction) for event in ruled):
        return ruled
    then = apply_events(state, ruled)
    if then.is_turn_running and then.turns > state.turns and camera_rulings.changed_areas(then):
        return (*ruled, model.QuietAwaited(at + state.options.settle_s * SECOND))  # the next player was quick
    return ruled
