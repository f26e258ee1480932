"""What the table may know of a game of Kabuki: a covered mask is not named before its check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.core import viewing
from companion.core.actions import SECOND, Chair, Seat
from companion.core.observations import UNKNOWN
from companion.core.view import (
    ChairView,
    Chip,
    CountView,
    Field,
    Lamp,
    Mode,
    PlaceView,
    Sentence,
    Spot,
    Token,
    View,
)
from companion.games.kabuki.rules import judge
from companion.games.kabuki.rules.state import STACKS, UNREAD, KabukiState, Phase, tokens_of

if TYPE_CHECKING:
    from companion.games.kabuki.rules import Kabuki

_CALLER = frozenset({Phase.STOPPED, Phase.CHECKING, Phase.SHOWING, Phase.RESTORING})


def view(rules: Kabuki, state: KabukiState, mode: Mode = Mode.PLAY) -> View:
    """The table as it may be shown now."""
    asked = viewing.asked(rules, state)
    chairs = tuple(
        ChairView(
            chair=chair,
            seat=seat,
            lamp=_lamp(state, seat),
            cards=int(state.hand.drawn and seat == state.drawer),
            tokens=_tokens(state, seat),
            asked=chair in asked,
            choices=asked.get(chair, ()),
        )
        for seat, chair in enumerate(state.setup.chairs)
    )
    return View(
        **viewing.common(rules, state, _headline(rules, state)),
        phase=state.phase,
        hint=_hint(rules, state),
        chairs=chairs,
        places=_places(state),
        count=_count(state),
        fields=_fields(rules, state),
    )


def _fields(rules: Kabuki, state: KabukiState) -> tuple[Field, ...]:
    """Whose draw it is and who has how many tokens: what `evolve.repaired` takes."""
    seats = tuple(range(state.players))
    if state.phase is not Phase.PLAYING:
        return ()
    tokens = (
        Field(
            f"tokens:{seat}",
            "kabuki.field.tokens",
            state.tokens[seat],
            tuple(range(state.tokens[seat] + state.box + 1)),
            rules.chair_of(state, seat),
        )
        for seat in seats
    )
    return (Field("drawer", "kabuki.field.drawer", state.drawer, seats, seats=True), *tokens)


def _headline(rules: Kabuki, state: KabukiState) -> Sentence:
    parts: list[tuple[str, str | int]] = []
    chair = _speaker(rules, state)
    if chair is not None:
        parts.append(("chair", chair))
    if state.stop is not None and state.phase in _CALLER:
        parts.append(("stack", state.stop.stack))
    if state.phase is Phase.SHUFFLING:
        parts.append(("round", state.round))
    version = ".last" if state.phase is Phase.PLAYING and state.out else ""
    version = ".first" if state.phase is Phase.ASKING and state.pending.among else version
    if len(state.winners) > 1:
        version = ".shared"
    return Sentence(f"{rules.name}.phase.{state.phase}{version}", tuple(parts))


def _speaker(rules: Kabuki, state: KabukiState) -> Chair | None:
    """The chair the headline names."""
    match state.phase:
        case Phase.STARTING:
            return None
        case Phase.ASKING if (placer := judge.asked_of(state)) is not None:
            return rules.chair_of(state, placer)
        case Phase.CALLED | Phase.ASKING:
            # Who pressed first, as far as is known now.
            first = min(state.pending.calls, key=lambda call: call.at)
            return rules.chair_of(state, first.seat)
        case Phase.OVER:
            return rules.chair_of(state, state.winners[0]) if len(state.winners) == 1 else None
        case Phase.REOPENING:
            return None if state.last is None else rules.chair_of(state, state.last.seat)
        case _ if state.stop is not None:
            return rules.chair_of(state, state.stop.seat)
    return None if state.out and state.phase is Phase.PLAYING else rules.chair_of(state, state.drawer)


def _hint(rules: Kabuki, state: KabukiState) -> Sentence | None:
    if state.phase is Phase.OVER:
        return None
    if state.phase is not Phase.PLAYING:
        version = ".binding" if state.phase is Phase.STOPPED and not state.withdraws else ""
        version = ".again" if state.phase is Phase.CHECKING and state.proven else version
        version = ".first" if state.phase is Phase.ASKING and state.pending.among else version
        if state.phase is Phase.SHUFFLING and state.round > 1:
            drawer = ("chair", rules.chair_of(state, state.drawer))
            return Sentence("kabuki.hint.shuffling.again", (drawer, ("left", tokens_of(state.players))))
        return Sentence(f"kabuki.hint.{state.phase}{version}")
    last = state.last
    if state.misplaced:
        return Sentence("kabuki.hint.misplaced")
    if state.unread:
        return Sentence("kabuki.hint.unread", (("stack", state.unread[-1].stack),))
    if last is not None and last.design == UNREAD and not state.desk.blind:
        return Sentence("kabuki.hint.unread", (("stack", state.stack_of(last)),))
    if state.hand.missed:
        return Sentence("kabuki.hint.missed")
    if last is not None and last.seat in state.pending.voided and not state.options.self_stop:
        return Sentence("kabuki.hint.parted")
    if state.out:
        return Sentence("kabuki.hint.last")
    return Sentence("kabuki.hint.playing" + (".by_hand" if state.desk.blind else ""))


def _lamp(state: KabukiState, seat: Seat) -> Lamp:
    """The player in turn blinks slowly, those who may stop are lit, a caller blinks fast."""
    match state.phase:
        case Phase.OVER:
            return Lamp.FAST if seat in state.winners else Lamp.DARK
        case Phase.STARTING:
            return Lamp.DARK
        case Phase.CALLED | Phase.ASKING:
            return Lamp.FAST if seat in {call.seat for call in state.pending.calls} else Lamp.DARK
        case Phase.REOPENING:
            return Lamp.SLOW if state.last is not None and seat == state.last.seat else Lamp.DARK
        case _ if state.stop is not None:
            return Lamp.FAST if seat == state.stop.seat else Lamp.DARK
    if seat == state.drawer and not state.out:
        return Lamp.SLOW
    open_to = state.phase is Phase.PLAYING and state.last is not None and not state.closed
    own = state.last is not None and state.last.seat == seat and not state.options.self_stop
    return Lamp.LIT if open_to and not own else Lamp.DARK


def _tokens(state: KabukiState, seat: Seat) -> tuple[Token, ...]:
    tokens = [Token("token", state.tokens[seat], motif="coin")] if state.tokens and state.tokens[seat] else []
    if state.scores:
        tokens.append(Token("score", value=f"Σ {state.totals[seat]}", chip=Chip.GOLD))
    return tuple(tokens)


def _places(state: KabukiState) -> tuple[PlaceView, ...]:
    """The deck, the mask in hand, and what lies on top of each stack."""
    marked = _marked(state)
    shown = f"mask:{state.hand.design}" if state.hand.design else "back:mask" if state.hand.drawn else ""
    stacks = tuple(
        PlaceView(f"stack:{stack}", _top(state, stack), marked=stack == marked, number=stack, spot=Spot.STACK)
        for stack in range(1, STACKS + 1)
    )
    # The stack that is checked lies open: what was shown of it stays to be seen.
    cards = state.cards if state.phase is Phase.SHOWING else ()
    seen = tuple(
        PlaceView(f"shown:{place}", f"mask:{design}", number=place, spot=Spot.SHOWN)
        for place, design in enumerate(cards, 1)
    )
    deck = PlaceView("deck", "back:mask" if state.deck else "", spot=Spot.DECK)
    return (deck, PlaceView("show", shown, spot=Spot.HAND), *stacks, *seen)


def _marked(state: KabukiState) -> int | None:
    """The stack that is checked, pointed at, or whose mask may be stopped."""
    if state.stop is not None and state.phase in _CALLER:
        return state.stop.stack
    if state.phase is not Phase.PLAYING:
        return None
    if state.points:
        return state.hand.pointer
    return None if state.last is None or state.closed else state.stack_of(state.last)


def _top(state: KabukiState, stack: int) -> str:
    top = state.top(stack)
    if top is None:
        return f"actor:{stack}"
    return f"mask:{top.design}" if top.design else UNKNOWN


def _count(state: KabukiState) -> CountView | None:
    """The ring of a timed window."""
    if state.until is None or state.phase is not Phase.PLAYING:
        return None
    seconds = state.options.last_window_s if state.out else state.options.window_s
    return CountView(state.until - seconds * SECOND, seconds, seconds)
