"""Public view of a Kinapa game; labels turned down again never leave it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from companion.core import view_builder
from companion.core.actions import Chair, Seat
from companion.core.view import (
    ChairView,
    Choice,
    CountView,
    LampSignal,
    PlaceView,
    ScreenArea,
    Sentence,
    View,
    ViewMode,
)
from companion.games.kinapa.rules import bot_decks, bot_views, hints, narration, object_ring
from companion.games.kinapa.rules.state import KinapaPhase, KinapaState, ObjectPosition
from companion.games.kinapa.rules.tokens import deck_tokens, repair_table

if TYPE_CHECKING:
    from companion.games.kinapa.rules import Kinapa

_COUNT_PHASES = frozenset({KinapaPhase.ANNOUNCED, KinapaPhase.RECOUNTING, KinapaPhase.COUNTING})
_NUMBERLESS_PHASES = frozenset(
    {
        KinapaPhase.CHOOSING,
        KinapaPhase.DRAWING,
        KinapaPhase.TURNING,
        KinapaPhase.PLACING,
        KinapaPhase.SUCCEEDING,
        KinapaPhase.SWITCHING,
    }
)
"""Phases in which the announced number matters no more: a card that is drawn is any card."""
_CARD_MOVING_PHASES = frozenset({KinapaPhase.DRAWING, KinapaPhase.RETURNING})
"""Phases in which the Emperor alone moves a card, from or to a BOT deck too."""


def view(rules: Kinapa, state: KinapaState, mode: ViewMode = ViewMode.PLAY) -> View:
    """The table as it may be shown now."""
    asked = view_builder.choices_by_chair(rules, state)
    chairs = tuple(
        ChairView(
            chair=state.setup.chairs[seat],
            seat=seat,
            lamp=_lamp(state, seat, asked=state.setup.chairs[seat] in asked),
            cards=state.seats[seat].cards,
            tokens=deck_tokens(state, seat),
            raised=state.phase is not KinapaPhase.ANNOUNCING and seat in state.turn.raised,
            asked=state.setup.chairs[seat] in asked,
            choices=tuple(map(_with_slot_region, asked.get(state.setup.chairs[seat], ()))),
        )
        for seat in range(state.people)
    )
    return View(
        **view_builder.common_view_fields(rules, state, _headline(rules, state)),
        phase=state.phase,
        hint=hints.phase_hint(state),
        chairs=chairs,
        bots=bot_views.build_bot_views(
            rules, state, asking=not state.desk.paused and state.phase is not KinapaPhase.OVER
        ),
        places=tuple(_place(state, slot, mode) for slot in range(1, len(state.slots) + 1)),
        card=f"animal:{state.lowest}" if state.phase is KinapaPhase.STARTING else "",
        count=_count(state),
        cue=rules.awaited_cue(state),
        table=repair_table(state),
        dark=state.phase is KinapaPhase.AUDITING,
        decided=_deciding_cards(state),
    )


def _deciding_cards(state: KinapaState) -> tuple[str, ...]:
    """The winner's pairs."""
    if state.winner is None:
        return ()
    pairs = [token.value for token in deck_tokens(state, state.winner) if token.kind == "pair"]
    return tuple(f"{kind}:{number}" for number in pairs for kind in ("animal", "shelter"))


def _with_slot_region(choice: Choice) -> Choice:
    """Where the object lies is said by touching the place, too."""
    if choice.action.verb != "lies_at":
        return choice
    return replace(choice, region=f"slot:{choice.action.value}")


def _headline(rules: Kinapa, state: KinapaState) -> Sentence:
    parts: list[tuple[str, str | int]] = []
    chair, bot = _speaker(rules, state), bot_views.bot_to_act_on(state)
    if chair is not None and (bot is None or state.phase not in _CARD_MOVING_PHASES):
        parts.append(("chair", chair))
    if bot is not None:
        parts.append(narration.bot_part(state, bot))
    if state.phase is KinapaPhase.STARTING and state.bots:
        return Sentence("kinapa.phase.starting.animal", (("number", state.lowest),))
    if state.turn.number and state.phase not in _NUMBERLESS_PHASES:
        parts.append(("number", state.turn.number))
    if state.phase is KinapaPhase.PLACING:
        parts.append(("label", state.turn.label))
    return narration.with_bot_suffix(
        Sentence(f"{rules.name}.phase.{state.phase}{_headline_suffix(state)}", tuple(parts))
    )


def _headline_suffix(state: KinapaState) -> str:
    """Without a camera an audit is somebody's who sits beside, and the place of an object has to be said."""
    if object_ring.must_ask_slot(state):
        return ".where"
    if (
        state.phase is KinapaPhase.HANDING
        and state.options.demand_open
        and bot_views.bot_to_act_on(state) is None
    ):
        return ".open"
    return "_by_hand" if state.phase is KinapaPhase.AUDITING and state.desk.blind else ""


def _speaker(rules: Kinapa, state: KinapaState) -> Chair | None:
    """The chair the headline names."""
    match state.phase:
        case KinapaPhase.STARTING:
            return None
        case KinapaPhase.SEARCHING:
            bot = bot_views.bot_to_act_on(state)
            return None if bot is None else rules.chair_of(state, bot)
        case KinapaPhase.AIDING:
            return state.setup.chairs[bot_decks.aid_setter(state, state.turn.aids[0])]
        case KinapaPhase.OVER:
            return None if state.winner is None else rules.chair_of(state, state.winner)
        case KinapaPhase.ASKING:
            return None if state.turn.asked is None else rules.chair_of(state, state.turn.asked)
        case KinapaPhase.DRAWING | KinapaPhase.HANDING | KinapaPhase.RETURNING:
            return None if state.turn.partner is None else rules.chair_of(state, state.turn.partner)
        case KinapaPhase.AUDITING:
            return rules.chair_of(state, state.turn.audit[0])
    return rules.chair_of(state, state.emperor)


def _lamp(state: KinapaState, seat: Seat, *, asked: bool) -> LampSignal:
    if state.phase is KinapaPhase.OVER:
        return LampSignal.FAST if seat == state.winner else LampSignal.DARK
    shows_hand = state.phase in _COUNT_PHASES or (state.phase is KinapaPhase.AIDING and not asked)
    if shows_hand and seat != state.emperor:
        return LampSignal.LIT if seat in state.turn.raised else LampSignal.DARK
    if asked:
        return LampSignal.SLOW
    return (
        LampSignal.LIT
        if seat == state.emperor and state.phase is not KinapaPhase.STARTING
        else LampSignal.DARK
    )


def _place(state: KinapaState, slot: int, mode: ViewMode) -> PlaceView:
    lying = state.slots[slot - 1]
    region, spot = f"slot:{slot}", ScreenArea.RING
    if lying.lies is ObjectPosition.CLOSED:
        upon = (f"animal:{lying.pair}", f"shelter:{lying.pair}")
        return PlaceView(region, f"object:{lying.label}", upon, number=slot, spot=spot)
    if lying.lies is ObjectPosition.OPEN or (mode is ViewMode.OPEN and lying.label):
        marked = lying.lies is ObjectPosition.OPEN
        return PlaceView(region, f"object:{lying.label}", marked=marked, number=slot, spot=spot)
    turned = state.phase is KinapaPhase.TURNING and state.turn.slot in {0, slot}
    marked = turned or object_ring.must_ask_slot(state)
    return PlaceView(region, "back:blue", marked=marked, number=slot, spot=spot)


def _count(state: KinapaState) -> CountView | None:
    if state.phase not in _COUNT_PHASES:
        return None
    return CountView(state.turn.first_beat, state.options.count_seconds, state.turn.number)


def redact(state: KinapaState) -> KinapaState:
    """Without labels turned down again, the card that was handed over, and what claims would prove."""
    slots = tuple(
        [replace(slot, label="") if slot.lies is ObjectPosition.DOWN else slot for slot in state.slots]
    )
    seats = tuple([replace(seat, received=0) for seat in state.seats])
    return replace(state, slots=slots, seats=seats, claims=(), turn=replace(state.turn, card=""))
