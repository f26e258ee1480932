"""Turns Kabuki's events into sentences to say or show: the catalogue key and the values to insert."""

from typing import Literal

from companion.core import events as shared
from companion.core.actions import Action, Seat
from companion.core.events import Event
from companion.core.observations import ActionDeclared, Observation, TableSeen
from companion.core.view import Sentence, SentenceParts
from companion.games.kabuki.rules import judge, model
from companion.games.kabuki.rules.model import DESIGNS, UNREAD, KabukiPhase, KabukiState, tokens_per_player

UNSPOKEN_FIELDS = frozenset(
    {
        *{"number", "clear_until", "lies_since", "drawer", "placer", "at", "source", "covered"},
        *{"until", "due", "since", "to", "tokens", "how", "paid", "behind", "among", "within", "newer"},
    }
)
"""Fields that no sentence names."""
CARDLESS_PARTS = frozenset({"stack", "round", "left", "ms", "Infraction.what"})
"""No infraction names a mask, only a stack or how many."""


def placement_in_action(action: Action, *verbs: str) -> tuple[int, str] | None:
    """The stack and design that one of these verbs names; the design is empty where only the stack is."""
    return judge.parse_placement(action.value) if action.verb in verbs else None


def choice_label(state: KabukiState, action: Action) -> Sentence | None:
    """Designs have words of their own; stacks are named by number. None: as every game says it."""
    if action.verb == "first" and isinstance(action.value, int) and action.value in range(state.players):
        return Sentence("kabuki.do.first", (("chair", state.chair_of(action.value)),))
    if action.verb == "not_laid" and state.asks_like:
        return Sentence("kabuki.do.not_laid.like")
    target = placement_in_action(action, "place", "name")
    if target is not None:
        stack, design = target
        if state.asks_like and action.verb == "place" and any(stack == on.stack for on in state.hand.handled):
            design = design or "like"
        return Sentence(f"kabuki.do.place{'.' + design if design else ''}", (("stack", stack),))
    if action.verb == "show" and action.value in DESIGNS:
        return Sentence(f"kabuki.do.show.{action.value}")
    return None


def undo_barrier(event: Event) -> Literal["", "look", "earlier", "itself"]:
    """A lifted stack was looked into (BA13), a check has its result (B-T45), a round ends open."""
    match event:
        case model.CheckBegan():
            return "look"
        case model.StopRight() | model.StopWrong():
            return "earlier"
        case model.KabukiRoundEnded():
            return "itself"
    return ""


def is_reading(cause: Observation) -> bool:
    """Whether a mask was seen on a stack, or said to lie there."""
    said = cause.action if isinstance(cause, ActionDeclared) else None
    return isinstance(cause, TableSeen) or (said is not None and said.verb in {"place", "name"})


def ineffective_press(event: Event) -> tuple[Seat, str] | None:
    """Whose press was in vain, and in which way."""
    match event:
        case model.StopTooEarly():
            return event.seat, "too_early"
        case model.StopTooLate() | model.StopVoided():
            return event.seat, "too_late"
    return None


def sentence_key(event: Event) -> str | None:
    """The catalogue's key of a ruling, where it is not its name."""
    match event:
        case model.MaskPlaced(covered=True):
            return "kabuki.MaskPlaced.hidden"
        case model.MaskPlaced(mask=""):
            return "kabuki.MaskPlaced.unread"
        case model.WindowOpened(last=True):
            return "kabuki.WindowOpened.last"
        case model.StopAssigned() if event.tied:
            return "kabuki.StopAssigned.tied"
        case model.StopVoided() if event.behind < 0:
            return "kabuki.StopVoided.before"
        case model.StopVoided(behind=0):
            return "kabuki.StopVoided.second"
        case model.KabukiRoundEnded():
            return f"kabuki.RoundEnded.{event.how}"
        case model.StopWrong() if event.to is not None:
            return "kabuki.StopWrong.to_placer"
        case shared.WindowVoided():
            return "kabuki.WindowVoided"
    return None


def sentence_parts(state: KabukiState, event: Event, named: SentenceParts) -> SentenceParts:
    """The named parts of a ruling; `named` are those that every game would name."""
    kept = tuple(part for part in named if part[1] != "")
    match event:
        case model.StopVoided() if event.behind:
            return (*kept, ("ms", f"{abs(event.behind) / 1_000:.1f}"))
        case model.CallerAsked():
            return (*kept, ("ms", round(event.within / 1_000)))
        case model.StopRight():
            paying = ("from_chair", state.chair_of(event.placer))
            return (("chair", state.chair_of(event.seat)), paying, ("left", event.paid))
        case model.StopWrong() if event.to is not None:
            return (*kept, ("to_chair", state.chair_of(event.to)))
        case model.CheckDiffers() if state.stop is not None:
            return (("chair", state.chair_of(state.stop.seat)), *kept)
        case model.KabukiGameWon() if len(event.seats) == 1:
            return (("chair", state.chair_of(event.seats[0])),)
    return kept


def next_tokens_sentences(state: KabukiState) -> tuple[Sentence, ...]:
    """Everybody starts the next round with as many tokens as the first; nothing after the last one."""
    if state.phase is KabukiPhase.OVER:
        return ()
    return (Sentence("kabuki.TokensAgain", (("left", tokens_per_player(state.players)),)),)


def open_position_of(state: KabukiState, event: Event) -> str | None:
    """The stack of a mask that is on top, and on which none waits until play goes on."""
    if not isinstance(event, model.MaskPlaced) or event.mask == UNREAD or state.waits_on(event.stack):
        return None
    top = state.top(event.stack)
    lies = top is not None and (top.number, top.design) == (event.number, event.mask)
    return f"stack:{event.stack}" if lies else None
