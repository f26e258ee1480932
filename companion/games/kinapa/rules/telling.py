"""How Kinapa's rulings and choices are put into words: seats as chairs, BOT decks by their owners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from companion.core import events as shared
from companion.core.actions import Action, Seat
from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.kinapa.rules import bots
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.state import KinapaState, Lies, Phase

if TYPE_CHECKING:
    from companion.games.kinapa.rules import Kinapa

Parts = tuple[tuple[str, str | int], ...]
BOT = ".bot"
"""What a key ends in where it is about a BOT deck; the part `bot` is the owner's chair, or COMMON."""
COMMON = -1
"""The BOT deck that belongs to nobody."""
_OF_BOTS_ONLY = frozenset(
    {
        "kinapa.AidLaid",
        "kinapa.BotAsked",
        "kinapa.Switched",
        "kinapa.phase.aiding",
        "kinapa.phase.switching",
    }
)
BOOKKEEPING = (
    ev.ButtonDown,
    ev.ButtonUp,
    ev.LieProven,
    ev.OpenCardsSeen,
    ev.ObjectForgotten,
    ev.AmissSeen,
    ev.PutRight,
    ev.PairDenied,
    ev.BeatStruck,
    ev.CountDue,
    ev.DeckEmptied,
)
"""Rulings that are never announced."""
UNTOLD = frozenset({"then", "card", "cue_due", "first_beat", "by", "keeper"})
_NAMES_LABEL = frozenset({"object.third_copy", "object.mismatch", "object.not_in_play"})
"""Infractions whose `what` is a label: aloud when it lies open, never in the log."""
_ABOUT_SEATS = frozenset({"draw_from", "pick", "crown", "switch"})
_ROWS: Mapping[type[Event], str] = {
    ev.PairDenied: "X3",
    ev.PartnerChosen: "X3",
    ev.OneAsked: "X4",
    ev.LiarCalled: "X4",
    ev.AllAsked: "X5",
    ev.AuditOpened: "X6",
}
OTHERWISE_WITH_BOTS = frozenset(
    {
        *{"EmperorCrowned.first", "SuccessorAsked", "GameWon"},
        *{"announce.range", "draw.not_lowered", "hand.foxed", "object.no_such_slot"},
    }
)
"""Reasons that have words of their own where BOT decks are at the table."""


def bot_part(state: KinapaState, seat: Seat) -> tuple[str, str | int]:
    """A BOT deck as a part of a sentence."""
    owner = bots.owner(state, seat)
    return "bot", COMMON if owner is None else state.setup.chairs[owner]


def about(rules: Kinapa, state: KinapaState, seat: Seat) -> tuple[str, str | int]:
    """A seat as a part of a sentence: a chair, or a BOT deck."""
    return bot_part(state, seat) if state.is_bot(seat) else ("chair", rules.chair_of(state, seat))


def plain(action: Action) -> Action:
    """A choice without the place it is made at."""
    label = str(action.value).partition("@")[0] if action.verb == "turn" else action.value
    return Action(action.seat, action.verb, label)


def label(rules: Kinapa, state: KinapaState, action: Action) -> Sentence | None:
    """Choices that are worded otherwise than by their verb and value."""
    key = f"{rules.name}.do.{action.verb}"
    if action.verb in _ABOUT_SEATS and isinstance(action.value, int) and 0 <= action.value < len(state.seats):
        return of_bot(Sentence(key, (about(rules, state, action.value),)))
    if action.verb in {"has", "has_not"} and state.is_bot(action.seat):
        return Sentence(key + BOT)
    if action.verb in {"return", "drawn"} and action.value is not None:
        kind, _, number = str(action.value).partition(":")
        return Sentence(f"ui.card.{kind}", (("label", number),))
    if action.verb == "claim_cat" and state.lowest > 1:
        return Sentence(f"{rules.name}.do.claim_animal", (("value", state.lowest),))
    return None


def of_bot(sentence: Sentence) -> Sentence:
    """A sentence about a BOT deck has words of its own, unless it is about nothing else anyway."""
    if sentence.key in _OF_BOTS_ONLY or not any(name == "bot" for name, _ in sentence.parts):
        return sentence
    return Sentence(sentence.key + BOT, sentence.parts)


def parts(state: KinapaState, event: Event, named: Parts) -> Parts:
    """The named parts of a ruling; BOT decks are named by their owners."""
    match event:
        case ev.BotAsked():
            chair = state.setup.chairs[event.keeper]
            return (("chair", chair), bot_part(state, event.seat), ("number", event.number))
        case ev.AidLaid():
            return (bot_part(state, event.seat), ("face", "up" if event.raised else "down"))
        case ev.SwitchAsked():
            return ()
        case ev.TwoHolders():
            return tuple(bot_part(state, seat) for seat in event.seats if state.is_bot(seat))[:1]
        case ev.Switched():
            return (("chair", state.setup.chairs[event.seat]), bot_part(state, event.bot))
        case shared.Infraction():
            return named
        case ev.HandTooEarly() if bots.aids_first(state):
            return (*named, ("wait", "aids"))
        case ev.HolderFound() if state.options.demand_open:
            named = (*named, ("face", "up"))
    seat = getattr(event, "seat", None)
    if isinstance(seat, int) and state.is_bot(seat):
        return tuple(bot_part(state, seat) if name == "chair" else (name, value) for name, value in named)
    return named


def public_parts(rules: Kinapa, state: KinapaState, event: Event) -> Parts:
    """A label that lies hidden again is named by its slot until the game is over."""
    named = rules.parts(state, event)
    if rules.is_open(state):
        return named
    if isinstance(event, shared.Infraction) and event.rule in _NAMES_LABEL:
        return tuple(part for part in named if part[0] != "what")
    if not isinstance(event, ev.ObjectTurned) or lies_at(state, event) is not None:
        return named
    return tuple(part for part in named if part[0] != "label")


def lies_at(state: KinapaState, event: Event) -> str | None:
    """The slot of an object that lies open, or of a pair that lies on it."""
    if not isinstance(event, ev.ObjectTurned | ev.PairPlaced) or not event.slot:
        return None
    lying = state.slots[event.slot - 1]
    if isinstance(event, ev.PairPlaced):
        there = lying.pair == event.number
    else:
        there = lying.lies is not Lies.DOWN and lying.label == event.label
    return f"slot:{event.slot}" if there else None


def notice(event: Event) -> tuple[Seat, str] | None:
    """Whose press was in vain, and why."""
    match event:
        case ev.HandTooEarly():
            return event.seat, "too_early"
        case ev.HandTooLate():
            return event.seat, "too_late"
    return None


def why(state: KinapaState, event: Event) -> str | None:
    """The row of the rules behind a ruling."""
    match event:
        case ev.EmperorCrowned() if not state.turns:
            return "EmperorCrowned.first"
        case ev.PairShown():
            return "X1" if event.then is Phase.TURNING else "X2"
        case ev.HandTooEarly() if bots.aids_first(state):
            return "HandTooEarly.aids"
        case ev.BotAsked():
            return "X4" + BOT if event.then is Phase.ASKING else "X5"
    return _ROWS.get(type(event))


def prepare(decks: int, people: int) -> tuple[Sentence, ...]:
    """How the cards are laid out and dealt for this many decks and people."""
    highest = 2 * decks
    deal = "two" if decks == 2 * people else "bot" if decks > people else "all"
    return (
        Sentence("kinapa.prepare.cards", (("highest", highest),)),
        Sentence("kinapa.prepare.ring"),
        Sentence(f"kinapa.prepare.deal_{deal}"),
    )
