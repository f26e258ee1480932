"""How Kabuki's rulings and choices are put into words: keys and parts of sentences, and what stays hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from companion.core import events as shared
from companion.core.actions import Action, Seat
from companion.core.events import Event
from companion.core.observations import Declared, Observation, TableSeen
from companion.core.view import Sentence
from companion.games.kabuki.rules import events as ev
from companion.games.kabuki.rules import judge
from companion.games.kabuki.rules.state import DESIGNS, UNREAD, KabukiState, Phase, tokens_of

if TYPE_CHECKING:
    from companion.games.kabuki.rules import Kabuki

Parts = tuple[tuple[str, str | int], ...]

BOOKKEEPING = (
    ev.MaskDrawn,
    ev.MaskShown,
    ev.ShowCleared,
    ev.UnreadSeen,
    ev.UnreadGone,
    ev.Pointed,
    ev.SixthSeen,
    ev.FaceForgotten,
    ev.AmissSeen,
    ev.PutRight,
    ev.WindowClosed,
    ev.StopJoined,
    ev.CallsLocked,
    ev.PlacementQueued,
    ev.CallsDropped,
    ev.CooledDown,
    ev.CardShown,
    ev.StackRead,
)
"""Rulings that are never announced."""
UNTOLD = frozenset(
    {
        *{"number", "clear_until", "lies_since", "drawer", "placer", "at", "source"},
        *{"until", "due", "since", "to", "tokens", "how", "paid", "behind", "among", "within", "newer"},
    }
)
"""Fields that no sentence names."""


def mask_of(action: Action, *verbs: str) -> tuple[int, str] | None:
    """The stack and design that one of these verbs names; the design is empty where only the stack is."""
    return judge.mask_at(action.value) if action.verb in verbs else None


def label(rules: Kabuki, state: KabukiState, action: Action) -> Sentence | None:
    """Designs have words of their own; stacks are named by number. None: as every game says it."""
    if action.verb == "first" and isinstance(action.value, int) and action.value in range(state.players):
        return Sentence("kabuki.do.first", (("chair", rules.chair_of(state, action.value)),))
    target = mask_of(action, "place", "name")
    if target is not None:
        stack, design = target
        return Sentence(f"kabuki.do.place{'.' + design if design else ''}", (("stack", stack),))
    if action.verb == "show" and action.value in DESIGNS:
        return Sentence(f"kabuki.do.show.{action.value}")
    return None


def settles(event: Event) -> Literal["", "look", "earlier", "itself"]:
    """A lifted stack was looked into (BA13), a check has its result (B-T45), a round ends open."""
    match event:
        case ev.CheckBegan():
            return "look"
        case ev.StopRight() | ev.StopWrong():
            return "earlier"
        case ev.RoundEnded():
            return "itself"
    return ""


def is_reading(cause: Observation) -> bool:
    """Whether a mask was seen on a stack, or said to lie there."""
    said = cause.action if isinstance(cause, Declared) else None
    return isinstance(cause, TableSeen) or (said is not None and said.verb in {"place", "name"})


def notice(event: Event) -> tuple[Seat, str] | None:
    """Whose press was in vain, and in which way."""
    match event:
        case ev.StopTooEarly():
            return event.seat, "too_early"
        case ev.StopTooLate() | ev.StopVoided():
            return event.seat, "too_late"
    return None


def key(event: Event) -> str | None:
    """The catalogue's key of a ruling, where it is not its name."""
    match event:
        case ev.MaskPlaced(mask=""):
            return "kabuki.MaskPlaced.unread"
        case ev.WindowOpened(last=True):
            return "kabuki.WindowOpened.last"
        case ev.StopAssigned() if event.tied:
            return "kabuki.StopAssigned.tied"
        case ev.StopVoided() if event.behind < 0:
            return "kabuki.StopVoided.before"
        case ev.StopVoided(behind=0):
            return "kabuki.StopVoided.second"
        case ev.RoundEnded():
            return f"kabuki.RoundEnded.{event.how}"
        case ev.StopWrong() if event.to is not None:
            return "kabuki.StopWrong.to_placer"
        case shared.WindowVoided():
            return "kabuki.WindowVoided"
    return None


def parts(rules: Kabuki, state: KabukiState, event: Event, named: Parts) -> Parts:
    """The named parts of a ruling; `named` are those that every game would name."""
    kept = tuple(part for part in named if part[1] != "")
    match event:
        case ev.StopVoided() if event.behind:
            return (*kept, ("ms", f"{abs(event.behind) / 1_000:.1f}"))
        case ev.CallerAsked():
            return (*kept, ("ms", round(event.within / 1_000)))
        case ev.StopRight():
            paying = ("from_chair", rules.chair_of(state, event.placer))
            return (("chair", rules.chair_of(state, event.seat)), paying, ("left", event.paid))
        case ev.StopWrong() if event.to is not None:
            return (*kept, ("to_chair", rules.chair_of(state, event.to)))
        case ev.CheckDiffers() if state.stop is not None:
            return (("chair", rules.chair_of(state, state.stop.seat)), *kept)
        case ev.GameWon() if len(event.seats) == 1:
            return (("chair", rules.chair_of(state, event.seats[0])),)
    return kept


def tokens_again(state: KabukiState) -> tuple[Sentence, ...]:
    """Everybody starts the next round with as many tokens as the first; nothing after the last one."""
    if state.phase is Phase.OVER:
        return ()
    return (Sentence("kabuki.TokensAgain", (("left", tokens_of(state.players)),)),)


def why(state: KabukiState, row: str) -> str:
    """A reason that is another under a house rule."""
    return f"{row}.to_placer" if row == "StopWrong" and state.options.wrong_call == "placer" else row


def public_parts(rules: Kabuki, state: KabukiState, event: Event) -> Parts:
    """A mask is named while it is on top, and when the game is over."""
    named = rules.parts(state, event)
    if rules.is_open(state) or not isinstance(event, ev.MaskPlaced | ev.MaskRead):
        return named
    if lies_at(state, event) is not None:
        return named
    return tuple(part for part in named if part[0] != "mask")


def lies_at(state: KabukiState, event: Event) -> str | None:
    """The stack of a mask that is on top."""
    if not isinstance(event, ev.MaskPlaced) or event.mask == UNREAD:
        return None
    top = state.top(event.stack)
    lies = top is not None and (top.number, top.design) == (event.number, event.mask)
    return f"stack:{event.stack}" if lies else None
