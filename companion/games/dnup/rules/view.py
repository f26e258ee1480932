"""What the table may know of a game of dnup: what lies open, and counts; never what a hand holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from companion.core import viewing
from companion.core.actions import Seat, Setup
from companion.core.observations import UNKNOWN
from companion.core.view import ChairView, Chip, Field, Heap, Lamp, Mode, PlaceView, Sentence, Token, View
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import seeing
from companion.games.dnup.rules.manifest import HIGHEST, MANIFEST, NEUTRAL, REMOVED, SAD, SMILE, STAR, symbol
from companion.games.dnup.rules.options import DnupOptions
from companion.games.dnup.rules.state import ROUNDS_WON, WINNING, Area, DnupState, Phase, region

if TYPE_CHECKING:
    from companion.games.dnup.rules import Dnup

_FACES: Mapping[str, str] = {SAD: "sad", SMILE: "smile", NEUTRAL: "neutral"}
"""The motif of each symbol."""
_ORDERED = frozenset({"discard.first", "play.not_higher", "add.not_higher", "take.whole_set"})
"""Refusals that say what to do with the cards, and go on being said until it is done."""
_BEFORE = frozenset({Phase.SCANNING, Phase.SORTING, Phase.DEALING})


def view(rules: Dnup, state: DnupState, mode: Mode = Mode.PLAY) -> View:
    """The table as it may be shown now."""
    asked = viewing.asked(rules, state)
    chairs = tuple(
        ChairView(
            chair=chair,
            seat=seat,
            lamp=_lamp(state, seat),
            cards=state.hands[seat].size if state.options.show_hand_sizes else 0,
            tokens=_tokens(state, seat),
            asked=chair in asked,
            choices=asked.get(chair, ()),
            note=_note(state, seat),
        )
        for seat, chair in enumerate(state.setup.chairs)
    )
    return View(
        **viewing.common(rules, state, _headline(rules, state)),
        phase=state.phase,
        hint=_hint(rules, state),
        chairs=chairs,
        places=tuple(_place(rules, state, at, area) for at, area in enumerate(state.areas))
        if state.turn_phase
        else (),
        card=seeing.KIND + STAR if state.phase is Phase.DEALING else "",
        heaps=_faces(state) if state.phase is Phase.SORTING else (),
        fields=_fields(rules, state),
        decided=_decided(state),
    )


def _decided(state: DnupState) -> tuple[str, ...]:
    """The set with which somebody went out, while it is there."""
    if not state.out or state.seat not in state.out:
        return ()
    return tuple(map(_face, state.areas[state.area].cards))


def prepare(setup: Setup) -> tuple[Sentence, ...]:
    """What is done with the real cards for this many players."""
    assert isinstance(setup.options, DnupOptions)
    taken_out = {
        2: Sentence("dnup.prepare.out.2"),
        3: Sentence("dnup.prepare.out.3"),
        4: Sentence("dnup.prepare.out.4"),
        5: Sentence("dnup.prepare.out.5"),
    }
    return (
        Sentence("dnup.prepare.scan") if setup.options.deck_file == "scan" else taken_out[setup.players],
        Sentence("dnup.prepare.areas.two") if setup.players == 2 else Sentence("dnup.prepare.areas"),
        Sentence("dnup.prepare.deal"),
    )


def _faces(state: DnupState) -> tuple[Heap, ...]:
    """The cards with a face: how many, and whether this many players use them."""
    deck, out = state.deck or MANIFEST, REMOVED[state.players]
    return tuple(
        Heap(
            f"dnup.heap.{'out' if mark in out else 'stays'}", kind, sum(symbol(name) == mark for name in deck)
        )
        for mark, kind in _FACES.items()
    )


def _headline(rules: Dnup, state: DnupState) -> Sentence:
    match state.phase:
        case Phase.SCANNING:
            return Sentence("dnup.phase.scanning", (("count", len(state.shown)),))
        case Phase.SORTING:
            return Sentence("dnup.phase.sorting")
        case Phase.DEALING:
            return Sentence("dnup.phase.dealing", (("round", state.round + 1),))
        case Phase.OVER:
            won = tuple(("chair", rules.chair_of(state, seat)) for seat in state.winners[:1])
            return Sentence("dnup.phase.over", won)
    chair = (("chair", rules.chair_of(state, state.seat)),)
    area = (("area", state.number(state.area)),) if state.pair else ()
    size = (("count", state.size),) if state.phase is Phase.VALUING else ()
    pair = ".two" if state.pair and state.phase is Phase.ACTING else ""
    return Sentence(f"dnup.phase.{state.phase}{pair}", (*chair, *(area if pair else ()), *size))


def _hint(rules: Dnup, state: DnupState) -> Sentence | None:
    """What to do with the real cards."""
    match state.phase:
        case Phase.OVER:
            return None
        case Phase.SORTING:
            return Sentence(f"dnup.hint.sorting.{state.players}", (("count", len(state.in_use)),))
        case Phase.DEALING:
            either = ".either" if state.options.choose_hand_orientation else ""
            return Sentence(f"dnup.hint.dealing{either}", (("each", state.each),))
        case Phase.SCANNING if state.doubt:
            return Sentence("dnup.hint.scanning.unread")
        case Phase.ACTING:
            return _turn_hint(rules, state)
    return Sentence(f"dnup.hint.{state.phase}")


def _turn_hint(rules: Dnup, state: DnupState) -> Sentence:
    unread = next((at for at, area in enumerate(state.areas) if area.unread), None)
    if state.due is not None:
        return Sentence("dnup.hint.settling")
    if state.doubt:
        return Sentence("dnup.hint.doubt")
    if seeing.differing(state):
        return _misplaced(rules, state)
    if unread is not None:
        return Sentence("dnup.hint.unread", (("chair", rules.chair_of(state, state.owner(unread))),))
    clear = seeing.to_clear(state)
    if clear:
        return Sentence("dnup.hint.clear", (("chair", rules.chair_of(state, state.owner(clear[0]))),))
    if state.stalled:
        return Sentence("dnup.hint.stalled")
    by_hand = ".by_hand" if state.desk.blind else ""
    first = "" if any(area.cards or area.old for area in state.areas) else ".first"
    return Sentence(f"dnup.hint.acting{by_hand}{first}")


def _misplaced(rules: Dnup, state: DnupState) -> Sentence:
    """What was asked of the player in turn when the cards were refused, else where they are otherwise."""
    rule = seeing.refused_by(state)
    if rule in _ORDERED:
        return Sentence(f"dnup.hint.misplaced.{rule}", (("chair", rules.chair_of(state, state.seat)),))
    area = next(iter(seeing.differing(state)))
    return Sentence("dnup.hint.misplaced", (("chair", rules.chair_of(state, state.owner(area))),))


def _lamp(state: DnupState, seat: Seat) -> Lamp:
    """The player in turn blinks slowly; before the deal is opened everybody is lit."""
    match state.phase:
        case Phase.OVER:
            return Lamp.FAST if seat in state.winners else Lamp.DARK
        case Phase.DEALING:
            return Lamp.LIT
        case Phase.SCANNING | Phase.SORTING:
            return Lamp.SLOW if seat == 0 else Lamp.DARK
    return Lamp.SLOW if seat == state.seat else Lamp.DARK


def _tokens(state: DnupState, seat: Seat) -> tuple[Token, ...]:
    """Points, or letters of the game's name."""
    points = state.points[seat]
    if state.options.score_style == "letters" and points:
        return (Token("pair", value="dnup"[: points if not state.pair else 2 * points], chip=Chip.PAPER),)
    return (
        (Token("pair", value=f"{points}/{ROUNDS_WON if state.pair else WINNING}", chip=Chip.PAPER),)
        if points
        else ()
    )


def _note(state: DnupState, seat: Seat) -> Sentence | None:
    if seat in state.out and state.phase is not Phase.OVER and state.phase not in _BEFORE:
        return Sentence("dnup.note.out")
    return None


def _place(rules: Dnup, state: DnupState, at: int, area: Area) -> PlaceView:
    """A set as its owner sees it; in this turn's area what is being laid."""
    cards = area.cards
    if state.turn_phase and at == state.area and not cards:
        cards = seeing.fresh_cards(state) if state.due is not None else ()
    faces = tuple(map(_face, cards))
    return PlaceView(
        region=region(at),
        card=faces[0] if faces else "",
        on_top=faces[1:],
        chair=rules.chair_of(state, state.owner(at)),
        number=state.number(at),
        active=at == state.area,
    )


def _face(one: str) -> str:
    """A card as the screen draws it: which one it is and which way it lies, or only its value."""
    name = card.name(one)
    if one == card.COVERED:
        return UNKNOWN
    if not name:
        return f"value:{card.up(one)}"
    return f"{seeing.KIND}{name}" + ("" if card.lying(name, 0) == one else "@180")


def _fields(rules: Dnup, state: DnupState) -> tuple[Field, ...]:
    """Whose turn it is, what lies where, how many cards and points everybody has."""
    if not state.turn_phase:
        return ()
    seats = tuple(range(state.players))
    playing = tuple(seat for seat in seats if seat not in state.out)
    fields = [Field("turn", "dnup.field.turn", state.seat, playing, seats=True)]
    for at, area in enumerate(state.areas):
        if at == state.area:
            continue
        chair = rules.chair_of(state, state.owner(at))
        which = f".{state.number(at)}" if state.pair else ""
        size, value = len(area.cards), state.value(at)
        fields += [
            Field(f"size:{at}", f"dnup.field.size{which}", size, tuple(range(HIGHEST + 1)), chair),
            Field(f"value:{at}", f"dnup.field.value{which}", value, tuple(range(HIGHEST + 1)), chair),
        ]
    limit = ROUNDS_WON if state.pair else WINNING
    for seat in seats:
        chair = rules.chair_of(state, seat)
        hand, points = state.hands[seat].size, state.points[seat]
        fields += [
            Field(f"hand:{seat}", "dnup.field.hand", hand, tuple(range(len(state.in_use) + 1)), chair),
            Field(f"points:{seat}", "dnup.field.points", points, tuple(range(limit)), chair),
        ]
    return tuple(fields)
