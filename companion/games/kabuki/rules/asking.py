"""Who is asked what in Kabuki, what touch may say besides, and what a misread card may have been."""

from collections.abc import Iterable

from companion.core import observations as ob
from companion.core.actions import Action, Prompt, Seat
from companion.core.presses import Controls
from companion.games.kabuki.rules import judge, stops
from companion.games.kabuki.rules.state import DESIGNS, MOST_TWINS, STACKS, UNREAD, KabukiState, Phase

ALL_SEATS = (Phase.CALLED, Phase.ASKING, Phase.STOPPED)
"""Phases in which every seat may press Stop."""


def prompts(state: KabukiState) -> tuple[Prompt, ...]:
    """Who is asked what, now."""

    def ask(seat: Seat, *options: tuple[str, str | int | None]) -> Prompt:
        return Prompt(state.setup.chairs[seat], tuple(Action(seat, verb, value) for verb, value in options))

    stop = state.stop
    match state.phase:
        case Phase.SHUFFLING:
            return (ask(state.drawer, ("begin", None)),)
        case Phase.PLAYING:
            marks = state.drawer if judge.can_mark(state) else None
            return tuple(
                ask(seat, ("put" if seat == marks else "stop", None)) for seat in range(state.players)
            )
        case Phase.REOPENING if state.last is not None:
            return (ask(state.last.seat, ("reopen", None)),)
        case Phase.ASKING if (placer := judge.asked_of(state)) is not None:
            return (ask(placer, *(("first", seat) for seat in state.pending.among)),)
        case Phase.ASKING:
            lead = judge.lead_of(state)
            return () if lead is None else (ask(lead, ("newer", None), ("older", None)),)
        case Phase.STOPPED if stop is not None:
            withdraw = (("withdraw", None),) if state.withdraws else ()
            return (ask(stop.seat, ("look", None), *withdraw),)
        case Phase.CHECKING | Phase.SHOWING if stop is not None:
            return (ask(stop.seat, *(("twins", count) for count in range(MOST_TWINS + 1))),)
        case Phase.RESTORING if stop is not None:
            return (ask(stop.seat, ("restored", None)),)
    return ()


def pointing(state: KabukiState) -> Controls:
    """The shared buttons place a mask where no camera sees it: back and next point, OK says it is there.

    OK does nothing before a player points: a stack that is not shown as pointed at is not meant.
    """
    if state.phase is not Phase.PLAYING or state.out:
        return {}
    seat = state.drawer
    table: Controls = {(None, "back"): Action(seat, "point", -1), (None, "next"): Action(seat, "point", 1)}
    return {**table, (None, "ok"): Action(seat, "place", state.hand.pointer)} if state.points else table


def unlisted(state: KabukiState) -> Iterable[Action]:
    """What touch says: a mask and its stack, its name, and Stop for those whose button means more."""
    seat, placing = state.drawer, state.phase in judge.PLACING
    if placing and not state.out and (state.pending.placement is None or state.parted):
        yield from (Action(seat, "place", stack) for stack in range(1, STACKS + 1))
        yield from _named(seat, "place", range(1, STACKS + 1))
    if state.phase is Phase.PLAYING:
        yield from _in_hand(state)
    yield from _names_of_unread(state, range(state.players))
    if state.phase in ALL_SEATS or judge.can_mark(state):
        rested = max((until for _, until in state.cold), default=0)  # a press in a cooldown says nothing
        for caller in range(state.players):
            if stops.called(state, caller, rested, "touch"):
                yield Action(caller, "stop")


def by_stack(state: KabukiState) -> list[Action]:
    """What touching a stack says, where nobody saw what is there.

    A name that is said where an unread mask is on top answers "Which one is it?": it is no turn of the next
    player.
    """
    touched: list[Action] = []
    placing = state.phase is Phase.PLAYING and not state.out
    if placing and (state.desk.blind or state.hand.missed):
        touched += [Action(state.drawer, "place", stack) for stack in range(1, STACKS + 1)]
    if placing and state.desk.blind and not state.hand.design:  # a touched stack asks which mask it is
        read = [stack for stack in range(1, STACKS + 1) if stack not in _unread(state)]
        touched += _named(state.drawer, "place", read)
    return touched + _names_of_unread(state, (state.drawer,))


def instead(state: KabukiState, seen: ob.Observation) -> Iterable[Action] | None:
    """A placed mask was where it was seen or said, and only its face was another.

    None: it may have been any choice of the prompts.
    """
    match seen:
        case ob.TableSeen():
            names = (region.name.partition("stack:") for region in seen.regions)
            stacks = [stack for _, found, stack in names if found]
        case ob.Declared(action=Action(verb="place", value=str(value))) if "@" in value:
            stacks = [value.partition("@")[2]]
        case ob.Declared(action=Action(verb="place", value=int(stack))):
            stacks = [str(stack)]
        case _:
            return None
    return (Action(state.drawer, "place", f"{design}@{stack}") for stack in stacks for design in DESIGNS)


def _in_hand(state: KabukiState) -> Iterable[Action]:
    """What may be said of the player in turn."""
    seat, hand = state.drawer, state.hand
    if not state.out:
        yield from (Action(seat, "point", step) for step in (1, -1))
        if not hand.design:
            yield from (Action(seat, "show", design) for design in DESIGNS)
    if state.options.stop_until == "next_draw" and not hand.drawn and state.deck:
        yield Action(seat, "draw")
    if judge.can_be_short(state):
        yield Action(seat, "deck_empty")


def _names_of_unread(state: KabukiState, seats: Iterable[Seat]) -> list[Action]:
    """Every name that an unread mask on top of a stack may have, as any of these seats may say it."""
    if state.phase not in {Phase.PLAYING, Phase.REOPENING, Phase.STOPPED}:
        return []
    return [action for seat in seats for action in _named(seat, "name", _unread(state))]


def _named(seat: Seat, verb: str, stacks: Iterable[int]) -> list[Action]:
    """A mask of every design, on each of these stacks."""
    return [Action(seat, verb, f"{design}@{stack}") for stack in stacks for design in DESIGNS]


def _unread(state: KabukiState) -> list[int]:
    """The stacks whose top mask could not be read."""
    return [stack for stack, top in enumerate(state.tops, 1) if top is not None and top.design == UNREAD]
