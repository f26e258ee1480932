"""What each verb of In Order rules: the line of presses, numbers in order or not, the end of a level."""

from collections.abc import Iterable, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Literal

from companion.core.actions import Action, Micros, Seat
from companion.core.events import Event, Events, apply_events
from companion.core.observations import RegionReading
from companion.core.verbs import VerbRule, define_verb
from companion.games.in_order.rules import model
from companion.games.in_order.rules.model import HEAP, InOrderPhase, InOrderState
from companion.games.kit.race import RaceCall, is_before

CARDS: Mapping[str, int] = MappingProxyType({f"order:{number}": number for number in model.NUMBERS})
"""Face → number."""


def _judge_ready(state: InOrderState, said: Action, _: Micros) -> Events:
    began = (model.LevelBegan(state.level),) if state.waiting == (said.seat,) else ()
    return (model.PlayerReady(said.seat), *began)


def _lay_by_touch(state: InOrderState, said: Action, at: Micros) -> Events:
    return judge_lay(state, RaceCall(said.seat, at, "touch"))


def judge_lay(state: InOrderState, call: RaceCall) -> Events:
    """The press joins the line: by how much it is later than the one before, and whether that is certain."""
    how: Literal["first", "after", "together"] = "first"
    ms, before = 0, [one for one in state.line if one.at <= call.at]
    if before:
        how = "after" if is_before(before[-1], call) else "together"
        ms = (call.at - before[-1].at) // 1000
    return claim_heap(state, (model.LayPressed(call.seat, call.at, call.source, call.since, how, ms),))


def judge_regions(state: InOrderState, regions: tuple[RegionReading, ...], at: Micros) -> Events:
    """What lies uppermost on the heap now."""
    seen = [region.faces for region in regions if region.name == HEAP]
    number = CARDS.get(seen[-1][-1].card, 0) if seen and seen[-1] else 0
    if not seen:
        return ()
    is_owed = bool(number) and state.phase is InOrderPhase.PLAY and number not in state.laid
    return claim_heap(state, () if number == state.heap else (model.HeapSeen(number, is_owed),))


def claim_heap(state: InOrderState, ruled: Events) -> Events:
    """A ruling, and the number on the heap where only one in the line can have laid it."""
    after = apply_events(state, ruled)
    is_clear = after.owed and len(after.line) == 1
    return ruled + _lay_number(after, after.line[0].seat, after.heap) if is_clear else ruled


def seen_heap(state: InOrderState, now: InOrderState) -> Iterable[model.HeapSeen]:
    """No card moves because rulings are taken back; whose it is nobody knows again unless it was owed."""
    if (state.heap, state.owed) != (now.heap, now.owed):
        yield model.HeapSeen(now.heap, now.owed)


def unread_heap(state: InOrderState, now: InOrderState | None = None) -> Iterable[model.HeapSeen]:
    """A card that is nobody's yet may have been taken up again; in a correction whatever was read counts."""
    if state.owed and now is None:
        yield model.HeapSeen(0, owed=False)


def _judge_number(state: InOrderState, said: Action, _: Micros) -> Events:
    return claim_heap(state, _lay_number(state, said.seat, int(said.parts[1])))


def _lay_number(state: InOrderState, seat: Seat, number: int) -> Events:
    """A number lower than the highest proves a mistake, unless both were laid together."""
    top = state.last_call
    if number > state.top:
        return _end_level(state, model.NumberLaid(seat, number, "up"))
    if top is not None and not is_before(top, state.line[0]):
        return _end_level(state, model.NumberLaid(seat, number, "together"))
    low = model.NumberLaid(seat, number, "low")
    return (low, *_end_level(apply_events(state, (low,)), model.LifeLost(state.lives - 1)))


def _lay_away(state: InOrderState, said: Action, _: Micros) -> Events:
    return _end_level(state, model.LowerLaid(said.seat, int(said.value or 0)))


def _show(state: InOrderState, said: Action, _: Micros) -> Events:
    return _end_level(state, model.LowestShown(said.seat))


def _end_level(state: InOrderState, ruled: Event) -> Events:
    """A ruling, and the end of the level or the game where it leads to one."""
    after = apply_events(state, (ruled,))
    if not after.lives:
        return (ruled, model.GameLost(after.level))
    if after.holders:
        return (ruled,)
    won = (model.InOrderWon(after.level),) if after.level == after.last else ()
    return (ruled, model.LevelWon(after.level), *won)


_first = attrgetter("first")
VERBS: Mapping[str, VerbRule[InOrderState]] = {
    "ready": define_verb(_judge_ready, InOrderPhase.READY),
    "lay": define_verb(_lay_by_touch, InOrderPhase.PLAY),
    "number": define_verb(
        _judge_number, InOrderPhase.PLAY, who=_first, may=attrgetter("line"), barred="number.laid"
    ),
    "away": define_verb(_lay_away, InOrderPhase.AWAY),
    "show": define_verb(_show, InOrderPhase.PLAY),
}
