"""Turns Kinapa's events into sentences to say or show: the catalogue key and the values to insert."""

from collections.abc import Mapping

from companion.core import events as shared
from companion.core.actions import Action, Seat
from companion.core.events import Event
from companion.core.view import Sentence, SentenceParts, SetupPicture
from companion.games.kinapa.rules import bot_decks, model
from companion.games.kinapa.rules.model import KinapaPhase, KinapaState, ObjectPosition

BOT_SUFFIX = ".bot"
"""What a key ends in where it is about a BOT deck; the part `bot` is the owner's chair, or COMMON."""
COMMON_BOT = -1
"""The BOT deck that belongs to nobody."""
_BOT_ONLY_KEYS = frozenset(
    {
        "kinapa.AidLaid",
        "kinapa.BotAsked",
        "kinapa.Switched",
        "kinapa.phase.aiding",
        "kinapa.phase.switching",
    }
)
UNSPOKEN_FIELDS = frozenset({"then", "card", "cue_due", "first_beat", "by", "keeper"})
_NUMBER_EVENTS = frozenset(
    {
        *{"NumberAnnounced", "RecountAsked", "AnimalMissing", "PairShown", "OneAsked", "BotAsked"},
        *{"AllAsked", "LiarCalled", "CardHanded", "HandoverRefused", "FalseDenialProven"},
    }
)
"""Events that name the number that everybody heard announced."""
_SLOT_INFRACTIONS = frozenset(
    {
        *{"no_such_slot", "closed", "closed_disturbed", "second_turned", "moved", "not_open"},
        *{"wrong_slot", "out_of_turn", "not_a_pair"},
    }
)
CARDLESS_PARTS = frozenset(
    {
        *{"slot", "place", "left", "foxes", "face", "wait", "win", "after", "hide.where"},
        *{"announce.range.what", "hand.count.what", "deck.same_card_twice.what"},
        *(f"{kind}.number" for kind in _NUMBER_EVENTS),
        *(f"object.{rule}.what" for rule in _SLOT_INFRACTIONS),
    }
)
_SEAT_VERBS = frozenset({"draw_from", "pick", "crown", "switch"})
_RULE_ROWS: Mapping[type[Event], str] = {
    model.PairDenied: "X3",
    model.PartnerChosen: "X3",
    model.SoleLoweredAsked: "X4",
    model.LiarCalled: "X4",
    model.AllAsked: "X5",
    model.AuditOpened: "X6",
}
BOT_WORDED_REASONS = frozenset(
    {
        *{"EmperorCrowned.first", "SuccessorAsked", "GameWon"},
        *{"announce.range", "draw.not_lowered", "hand.foxed", "object.no_such_slot"},
    }
)
"""Reasons that have words of their own where BOT decks are at the table."""


def bot_part(state: KinapaState, seat: Seat) -> tuple[str, str | int]:
    """A BOT deck as a part of a sentence."""
    owner = state.bot_owner(seat)
    return "bot", COMMON_BOT if owner is None else state.setup.chairs[owner]


def seat_part(state: KinapaState, seat: Seat) -> tuple[str, str | int]:
    """A seat as a part of a sentence: a chair, or a BOT deck."""
    return bot_part(state, seat) if state.is_bot(seat) else ("chair", state.chair_of(seat))


def without_place(action: Action) -> Action:
    """A choice without the place it is made at."""
    label = str(action.value).partition("@")[0] if action.verb == "turn" else action.value
    return Action(action.seat, action.verb, label)


def choice_label(state: KinapaState, action: Action) -> Sentence | None:
    """Choices that are worded otherwise than by their verb and value."""
    key = f"kinapa.do.{action.verb}"
    if action.verb in _SEAT_VERBS and isinstance(action.value, int) and 0 <= action.value < len(state.seats):
        return with_bot_suffix(Sentence(key, (seat_part(state, action.value),)))
    if action.verb in {"has", "has_not"} and state.is_bot(action.seat):
        return Sentence(key + BOT_SUFFIX)
    if action.verb in {"return", "drawn"} and action.value is not None:
        kind, _, number = str(action.value).partition(":")
        if kind == "animal":
            kind = "cat" if int(number) % 2 else "dog"
        return Sentence(f"kinapa.do.{action.verb}.{kind}", (("value", number),))
    if action.verb == "claim_cat" and state.lowest > 1:
        return Sentence("kinapa.do.claim_animal", (("value", state.lowest),))
    return None


def with_bot_suffix(sentence: Sentence) -> Sentence:
    """A sentence about a BOT deck has words of its own, unless it is about nothing else anyway."""
    if sentence.key in _BOT_ONLY_KEYS or not any(name == "bot" for name, _ in sentence.parts):
        return sentence
    return Sentence(sentence.key + BOT_SUFFIX, sentence.parts)


def sentence_parts(state: KinapaState, event: Event, named: SentenceParts) -> SentenceParts:
    """The named parts of a ruling; BOT decks are named by their owners."""
    match event:
        case model.BotAsked():
            chair = state.setup.chairs[event.keeper]
            return (("chair", chair), bot_part(state, event.seat), ("number", event.number))
        case model.AidLaid():
            return (bot_part(state, event.seat), ("face", "up" if event.raised else "down"))
        case model.SwitchAsked():
            return ()
        case model.TwoHolders():
            return tuple(bot_part(state, seat) for seat in event.seats if state.is_bot(seat))[:1]
        case model.DecksSwitched():
            return (("chair", state.setup.chairs[event.seat]), bot_part(state, event.bot))
        case shared.Infraction():
            return named
        case model.HandTooEarly() if bot_decks.must_lay_aids_first(state):
            return (*named, ("wait", "aids"))
        case model.HolderFound() if state.options.demand_open:
            named = (*named, ("face", "up"))
    seat = getattr(event, "seat", None)
    if isinstance(seat, int) and state.is_bot(seat):
        return tuple(bot_part(state, seat) if name == "chair" else (name, value) for name, value in named)
    return named


def lies_open(state: KinapaState, event: Event) -> bool:
    """Whether the object that a ruling names lies open, or the pair: that lies where everybody sees it."""
    match event:
        case model.PairPlaced():
            return event.number in state.placed_numbers
        case shared.Infraction(rule="announce.dead_number" | "pair.dead" | "object.dead"):
            return event.what in state.placed_numbers
    return open_position_of(state, event) is not None


def open_position_of(state: KinapaState, event: Event) -> str | None:
    """The slot of an object that lies open, or of a pair that lies on it."""
    if not isinstance(event, model.ObjectTurned | model.PairPlaced) or not event.slot:
        return None
    lying = state.slots[event.slot - 1]
    if isinstance(event, model.PairPlaced):
        there = lying.pair == event.number
    else:
        there = lying.lies is not ObjectPosition.DOWN and lying.label == event.label
    return f"slot:{event.slot}" if there else None


def ineffective_press(event: Event) -> tuple[Seat, str] | None:
    """Whose press was in vain, and why."""
    match event:
        case model.HandTooEarly():
            return event.seat, "too_early"
        case model.HandTooLate():
            return event.seat, "too_late"
    return None


def explanation_key(state: KinapaState, event: Event) -> str | None:
    """The row of the rules behind a ruling."""
    match event:
        case model.EmperorCrowned() if not state.turns:
            return "EmperorCrowned.first"
        case model.PairShown():
            return "X1" if event.then is KinapaPhase.TURNING else "X2"
        case model.HandTooEarly() if bot_decks.must_lay_aids_first(state):
            return "HandTooEarly.aids"
        case model.BotAsked():
            return "X4" + BOT_SUFFIX if event.then is KinapaPhase.ASKING else "X5"
    return _RULE_ROWS.get(type(event))


def setup_instructions(decks: int, people: int) -> tuple[Sentence, ...]:
    """How the cards are laid out and dealt for this many decks and people."""
    highest = 2 * decks
    deal = "two" if decks == 2 * people else "bot" if decks > people else "all"
    return (
        Sentence("kinapa.prepare.cards", (("highest", highest),)),
        Sentence(f"kinapa.prepare.deal_{deal}"),
        Sentence("kinapa.prepare.ring"),
    )


def setup_pictures(decks: int) -> tuple[SetupPicture, ...]:
    """What that looks like."""
    return (
        SetupPicture(piles=("back:white", "back:blue")),
        SetupPicture(each=("back:white",) * 4),
        SetupPicture(laid=("back:blue",) * 2 * decks, middle=("sheep", "fox")),
    )
