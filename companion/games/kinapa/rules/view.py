"""What the table may know of a game of Kinapa: labels that are hidden again never leave this module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from companion.core import viewing
from companion.core.actions import Chair, Seat
from companion.core.view import ChairView, Choice, CountView, Lamp, Mode, PlaceView, Sentence, Spot, View
from companion.games.kinapa.rules import botdecks, bots, hints, ring, telling
from companion.games.kinapa.rules.state import KinapaState, Lies, Phase
from companion.games.kinapa.rules.tokens import table, tokens

if TYPE_CHECKING:
    from companion.games.kinapa.rules import Kinapa

_COUNT = frozenset({Phase.ANNOUNCED, Phase.RECOUNTING, Phase.COUNTING})
_WITHOUT_NUMBER = frozenset(
    {Phase.CHOOSING, Phase.DRAWING, Phase.TURNING, Phase.PLACING, Phase.SUCCEEDING, Phase.SWITCHING}
)
"""Phases in which the announced number matters no more: a card that is drawn is any card."""
_OF_CARDS = frozenset({Phase.DRAWING, Phase.RETURNING})
"""Phases in which the Emperor alone moves a card, from or to a BOT deck too."""


def view(rules: Kinapa, state: KinapaState, mode: Mode = Mode.PLAY) -> View:
    """The table as it may be shown now."""
    asked = viewing.asked(rules, state)
    chairs = tuple(
        ChairView(
            chair=state.setup.chairs[seat],
            seat=seat,
            lamp=_lamp(state, seat, asked=state.setup.chairs[seat] in asked),
            cards=state.seats[seat].cards,
            tokens=tokens(state, seat),
            raised=state.phase is not Phase.ANNOUNCING and seat in state.turn.raised,
            asked=state.setup.chairs[seat] in asked,
            choices=tuple(map(_at_its_place, asked.get(state.setup.chairs[seat], ()))),
        )
        for seat in range(state.people)
    )
    return View(
        **viewing.common(rules, state, _headline(rules, state)),
        phase=state.phase,
        hint=hints.hint(state),
        chairs=chairs,
        bots=botdecks.decks(rules, state, asking=not state.desk.paused and state.phase is not Phase.OVER),
        places=tuple(_place(state, slot, mode) for slot in range(1, len(state.slots) + 1)),
        card=f"animal:{state.lowest}" if state.phase is Phase.STARTING else "",
        count=_count(state),
        cue=rules.awaited_cue(state),
        table=table(state),
        dark=state.phase is Phase.AUDITING,
        decided=_decided(state),
    )


def _decided(state: KinapaState) -> tuple[str, ...]:
    """The winner's pairs."""
    if state.winner is None:
        return ()
    pairs = [token.value for token in tokens(state, state.winner) if token.kind == "pair"]
    return tuple(f"{kind}:{number}" for number in pairs for kind in ("animal", "shelter"))


def _at_its_place(choice: Choice) -> Choice:
    """Where the object lies is said by touching the place, too."""
    if choice.action.verb != "lies_at":
        return choice
    return replace(choice, region=f"slot:{choice.action.value}")


def _headline(rules: Kinapa, state: KinapaState) -> Sentence:
    parts: list[tuple[str, str | int]] = []
    chair, bot = _speaker(rules, state), botdecks.concerned(state)
    if chair is not None and (bot is None or state.phase not in _OF_CARDS):
        parts.append(("chair", chair))
    if bot is not None:
        parts.append(telling.bot_part(state, bot))
    if state.phase is Phase.STARTING and state.bots:
        return Sentence("kinapa.phase.starting.animal", (("number", state.lowest),))
    if state.turn.number and state.phase not in _WITHOUT_NUMBER:
        parts.append(("number", state.turn.number))
    if state.phase is Phase.PLACING:
        parts.append(("label", state.turn.label))
    return telling.of_bot(Sentence(f"{rules.name}.phase.{state.phase}{_by_hand(state)}", tuple(parts)))


def _by_hand(state: KinapaState) -> str:
    """Without a camera an audit is somebody's who sits beside, and the place of an object has to be said."""
    if ring.where_asked(state):
        return ".where"
    if state.phase is Phase.HANDING and state.options.demand_open and botdecks.concerned(state) is None:
        return ".open"
    return "_by_hand" if state.phase is Phase.AUDITING and state.desk.blind else ""


def _speaker(rules: Kinapa, state: KinapaState) -> Chair | None:
    """The chair the headline names."""
    match state.phase:
        case Phase.STARTING:
            return None
        case Phase.SEARCHING:
            bot = botdecks.concerned(state)
            return None if bot is None else rules.chair_of(state, bot)
        case Phase.AIDING:
            return state.setup.chairs[bots.setter(state, state.turn.aids[0])]
        case Phase.OVER:
            return None if state.winner is None else rules.chair_of(state, state.winner)
        case Phase.ASKING:
            return None if state.turn.asked is None else rules.chair_of(state, state.turn.asked)
        case Phase.DRAWING | Phase.HANDING | Phase.RETURNING:
            return None if state.turn.partner is None else rules.chair_of(state, state.turn.partner)
        case Phase.AUDITING:
            return rules.chair_of(state, state.turn.audit[0])
    return rules.chair_of(state, state.emperor)


def _lamp(state: KinapaState, seat: Seat, *, asked: bool) -> Lamp:
    if state.phase is Phase.OVER:
        return Lamp.FAST if seat == state.winner else Lamp.DARK
    shows_hand = state.phase in _COUNT or (state.phase is Phase.AIDING and not asked)
    if shows_hand and seat != state.emperor:
        return Lamp.LIT if seat in state.turn.raised else Lamp.DARK
    if asked:
        return Lamp.SLOW
    return Lamp.LIT if seat == state.emperor and state.phase is not Phase.STARTING else Lamp.DARK


def _place(state: KinapaState, slot: int, mode: Mode) -> PlaceView:
    lying = state.slots[slot - 1]
    region, spot = f"slot:{slot}", Spot.RING
    if lying.lies is Lies.CLOSED:
        upon = (f"animal:{lying.pair}", f"shelter:{lying.pair}")
        return PlaceView(region, f"object:{lying.label}", upon, number=slot, spot=spot)
    if lying.lies is Lies.OPEN or (mode is Mode.OPEN and lying.label):
        marked = lying.lies is Lies.OPEN
        return PlaceView(region, f"object:{lying.label}", marked=marked, number=slot, spot=spot)
    turned = state.phase is Phase.TURNING and state.turn.slot in {0, slot}
    marked = turned or ring.where_asked(state)
    return PlaceView(region, "back:blue", marked=marked, number=slot, spot=spot)


def _count(state: KinapaState) -> CountView | None:
    if state.phase not in _COUNT:
        return None
    return CountView(state.turn.first_beat, state.options.count_seconds, state.turn.number)


def redacted(state: KinapaState) -> KinapaState:
    """Without labels turned down again, the card that was handed over, and what claims would prove."""
    slots = tuple([replace(slot, label="") if slot.lies is Lies.DOWN else slot for slot in state.slots])
    seats = tuple([replace(seat, received=0) for seat in state.seats])
    return replace(state, slots=slots, seats=seats, claims=(), turn=replace(state.turn, card=""))
