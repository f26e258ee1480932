"""Lists the actions that Kabuki offers each player: one prompt per phase, and more on the touch screen."""

from collections.abc import Iterable

from companion.core import observations as ob
from companion.core.actions import Action, Prompt, Seat
from companion.core.button_choices import Controls
from companion.core.verbs import ask
from companion.games.kabuki.rules import judge, model, stops
from companion.games.kabuki.rules.model import KabukiPhase, KabukiState

STOP_PHASES = (KabukiPhase.CALLED, KabukiPhase.ASKING, KabukiPhase.STOPPED)
"""Phases in which every seat may press Stop."""


def prompts(state: KabukiState) -> tuple[Prompt, ...]:
    """Who is asked what, now."""

    def asked(seat: Seat, *verbs: str | tuple[str, Iterable[int]]) -> tuple[Prompt, ...]:
        return (ask(state.setup.chairs[seat], seat, *verbs),)

    stop = state.stop
    match state.phase:
        case KabukiPhase.SHUFFLING:
            return asked(state.drawer, "begin")
        case KabukiPhase.PLAYING:
            mine: tuple[str | tuple[str, Iterable[int]], ...] = ("stop",)
            if state.asks_like:
                mine = ("not_laid", ("place", tuple(here.stack for here in state.hand.handled)))
            elif judge.can_mark_placement(state):
                mine = ("put",)
            return tuple(
                ask(chair, seat, *(mine if seat == state.drawer else ("stop",)))
                for seat, chair in enumerate(state.setup.chairs)
            )
        case KabukiPhase.REOPENING if state.last is not None:
            return asked(state.last.seat, "reopen")
        case KabukiPhase.ASKING if (placer := judge.asked_of(state)) is not None:
            return asked(placer, ("first", state.pending.among))
        case KabukiPhase.ASKING if state.asks_where:
            return asked(state.drawer, "not_laid")
        case KabukiPhase.ASKING:
            lead = judge.asked_caller(state)
            return () if lead is None else asked(lead, "newer", "older")
        case KabukiPhase.STOPPED if stop is not None:
            return asked(stop.seat, "look", *(("withdraw",) if state.can_withdraw else ()))
        case KabukiPhase.CHECKING | KabukiPhase.SHOWING if stop is not None:
            return asked(stop.seat, ("twins", range(model.MAX_TWINS + 1)))
        case KabukiPhase.RESTORING if stop is not None:
            return asked(stop.seat, "restored")
    return ()


def pointing_controls(state: KabukiState) -> Controls:
    """The shared buttons place a mask where no camera sees it: back and next point, OK says it is there.

    OK does nothing before a player points: a stack that is not shown as pointed at is not meant.
    """
    if not (state.phase is KabukiPhase.PLAYING or state.asks_where) or state.out:
        return {}
    seat = state.drawer
    table: Controls = {(None, "back"): Action(seat, "point", -1), (None, "next"): Action(seat, "point", 1)}
    return {**table, (None, "ok"): Action(seat, "place", state.hand.pointer)} if state.uses_pointer else table


def list_extra_actions(state: KabukiState) -> Iterable[Action]:
    """What touch says: a mask and its stack, its name, and Stop for those whose button means more."""
    seat, placing = state.drawer, state.phase in judge.PLACING_PHASES and judge.can_place(state)
    if placing and not state.out and (state.pending.placement is None or state.awaits_earlier_mask):
        yield from (Action(seat, "place", stack) for stack in range(1, model.STACK_COUNT + 1))
        yield from _design_actions(seat, "place", range(1, model.STACK_COUNT + 1))
    if state.phase is KabukiPhase.PLAYING:
        yield from _drawer_actions(state)
    elif state.asks_where:
        yield from (Action(seat, "point", step) for step in (1, -1))
    yield from _unread_name_actions(state, range(state.players))
    if state.phase in STOP_PHASES or state.asks_like or judge.can_mark_placement(state):
        rested = max((until for _, until in state.cold), default=0)  # a press in a cooldown says nothing
        for caller in range(state.players):
            if stops.call_stop(state, caller, rested, "touch"):
                yield Action(caller, "stop")


def stack_touch_actions(state: KabukiState) -> list[Action]:
    """What touching a stack says, where nobody saw what is there.

    A name that is said where an unread mask is on top answers "Which one is it?": it is no turn of the next
    player.
    """
    touched: list[Action] = []
    placing = (state.phase is KabukiPhase.PLAYING or state.asks_where) and not state.out
    if placing and (state.desk.blind or state.hand.missed or state.asks_like):
        touched += [Action(state.drawer, "place", stack) for stack in range(1, model.STACK_COUNT + 1)]
    if placing and state.desk.blind and not state.hand.design:  # a touched stack asks which mask it is
        read = [stack for stack in range(1, model.STACK_COUNT + 1) if stack not in _unread_stacks(state)]
        touched += _design_actions(state.drawer, "place", read)
    return touched + _unread_name_actions(state, (state.drawer,))


def game_corrections(state: KabukiState, seen: ob.Observation) -> Iterable[Action] | None:
    """A placed mask was where it was seen or said, and only its face was another.

    None: it may have been any choice of the prompts.
    """
    match seen:
        case ob.TableSeen():
            names = (region.name.partition("stack:") for region in seen.regions)
            stacks = [stack for _, found, stack in names if found]
        case ob.ActionDeclared(action=Action(verb="place", value=str(value))) if "@" in value:
            stacks = [value.partition("@")[2]]
        case ob.ActionDeclared(action=Action(verb="place", value=int(stack))):
            stacks = [str(stack)]
        case _:
            return None
    return (
        Action(state.drawer, "place", f"{design}@{stack}") for stack in stacks for design in model.DESIGNS
    )


def _drawer_actions(state: KabukiState) -> Iterable[Action]:
    """What may be said of the player in turn."""
    seat = state.drawer
    if not state.out:
        yield from (Action(seat, "point", step) for step in (1, -1))
        if not state.hand.design:
            yield from (Action(seat, "show", design) for design in model.DESIGNS)
    yield from (Action(seat, verb) for verb in ("draw", "deck_empty") if judge.VERBS[verb].may(state))


def _unread_name_actions(state: KabukiState, seats: Iterable[Seat]) -> list[Action]:
    """Every name that an unread mask on top of a stack may have, as any of these seats may say it."""
    if state.phase not in {KabukiPhase.PLAYING, KabukiPhase.REOPENING, KabukiPhase.STOPPED}:
        return []
    return [action for seat in seats for action in _design_actions(seat, "name", _unread_stacks(state))]


def _design_actions(seat: Seat, verb: str, stacks: Iterable[int]) -> list[Action]:
    """A mask of every design, on each of these stacks."""
    return [Action(seat, verb, f"{design}@{stack}") for stack in stacks for design in model.DESIGNS]


def _unread_stacks(state: KabukiState) -> list[int]:
    """The stacks whose top mask could not be read."""
    return [
        stack
        for stack, top in enumerate(state.tops, 1)
        if top is not None and top.design == model.UNREAD and not state.waits_on(stack)
    ]
