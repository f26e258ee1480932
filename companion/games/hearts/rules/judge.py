"""What Hearts rules besides tricks: how a deal is opened, what follows from a moon, and the points."""

from collections.abc import Mapping
from types import MappingProxyType

from companion.core.actions import Action, Micros
from companion.core.events import Events
from companion.core.verbs import VerbRule, announce, define_verb
from companion.games.hearts.rules import model
from companion.games.hearts.rules.model import HeartsPhase, HeartsState
from companion.games.kit.cards import VALUES
from companion.games.kit.trick_table import TrickGameWon


def _moon(state: HeartsState, said: Action, _: Micros) -> Events:
    return _score(state, "others" if said.verb == "add" else "own")


VERBS: Mapping[str, VerbRule[HeartsState]] = MappingProxyType(
    {
        "open": define_verb(announce(model.DealOpened), HeartsPhase.PASS),
        "add": define_verb(_moon, HeartsPhase.MOON),
        "subtract": define_verb(_moon, HeartsPhase.MOON),
    }
)


def open_deal(state: HeartsState) -> Events:
    """The two of clubs that lies before a player opens a deal."""
    opening = VALUES[model.OPENING]
    is_there = state.phase is HeartsPhase.PASS and opening in state.lying
    return (model.DealOpened(state.lying.index(opening)),) if is_there else ()


def end_deal(state: HeartsState) -> Events:
    """A deal that is over: a moon, and unless its player chooses, the points."""
    shooter = model.moon_shooter(state)
    if shooter is None:
        return _score(state, "others")
    chooses = state.options.moon == "choice"
    return (model.MoonShot(shooter), *(() if chooses else _score(state, state.options.moon)))


def _score(state: HeartsState, moon: str) -> Events:
    """The deal is scored, a moon in this way, and perhaps somebody has won."""
    scored = model.DealScored(model.deal_points(state, moon))
    total = scored.apply(state).points
    fewest = tuple(seat for seat, have in enumerate(total) if have == min(total))
    over = max(total) >= state.options.target and (len(fewest) == 1 or state.options.tie == "shared")
    return (scored, TrickGameWon(fewest)) if over else (scored,)
