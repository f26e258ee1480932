"""What each verb of In Order rules: the line of presses, numbers in order or not, the end of a level."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from companion.core.actions import Action, Micros
from companion.core.events import Event, Events, apply_events
from companion.core.verbs import infraction_ruling
from companion.games.in_order.rules import model
from companion.games.in_order.rules.model import InOrderState
from companion.games.kit.race import RaceCall, is_before


def _judge_ready(state: InOrderState, said: Action, _: Micros) -> Events:
    began = (model.LevelBegan(state.level),) if state.waiting == (said.seat,) else ()
    return (model.PlayerReady(said.seat), *began)


def judge_lay(state: InOrderState, call: RaceCall) -> Events:
    """The press joins the line: by how much it is later than the one before, and whether that is certain."""
    before = [one for one in state.line if one.at <= call.at]
    if not before:
        return (model.LayPressed(call.seat, call.at, call.source, call.since, "first", 0),)
    how = "after" if is_before(before[-1], call) else "together"
    ms = (call.at - before[-1].at) // 1000
    return (model.LayPressed(call.seat, call.at, call.source, call.since, how, ms),)  # type: ignore[arg-type]


def _judge_number(state: InOrderState, said: Action, _: Micros) -> Events:
    """A number lower than the highest proves a mistake, unless both were laid together."""
    seat, number, top = said.seat, int(said.parts[1]), state.last_call
    if number > state.top:
        return _end_level(state, model.NumberLaid(seat, number, "up"))
    if top is not None and not is_before(top, state.line[0]):
        return _end_level(state, model.NumberLaid(seat, number, "together"))
    low = model.NumberLaid(seat, number, "low")
    return (low, *_end_level(apply_events(state, (low,)), model.LifeLost(state.lives - 1)))


def _end_level(state: InOrderState, ruled: Event) -> Events:
    """A ruling, and the end of the level or the game where it leads to one."""
    after = apply_events(state, (ruled,))
    if not after.lives:
        return (ruled, model.GameLost(after.level))
    if after.holders:
        return (ruled,)
    won = (model.InOrderWon(after.level),) if after.level == after.last else ()
    return (ruled, model.LevelWon(after.level), *won)


VERBS: Mapping[str, Callable[[InOrderState, Action, Micros], Events]] = MappingProxyType(
    {
        "ready": _judge_ready,
        "lay": lambda state, said, at: judge_lay(state, RaceCall(said.seat, at, "touch")),
        "number": _judge_number,
        "away": lambda state, said, _: _end_level(state, model.LowerLaid(said.seat, int(said.value or 0))),
        "show": lambda state, said, _: _end_level(state, model.LowestShown(said.seat)),
    }
)
"""What is lawful rules this."""


def refuse(state: InOrderState, said: Action) -> Events:
    """What cannot be said: not a word of this game, a number that lies there, by another, or not now."""
    if said.verb not in VERBS or not 0 <= said.seat < state.players:
        return infraction_ruling("turn.unknown")
    if said.verb != "number" or not state.line:
        return infraction_ruling("turn.not_now", said.seat)
    if said.seat != state.line[0].seat:
        return infraction_ruling("turn.not_yours", said.seat)
    return infraction_ruling("number.laid", said.seat)
