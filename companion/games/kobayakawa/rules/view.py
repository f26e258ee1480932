"""What the table may know of a game of Kobayakawa: all but the cards in hands that nobody showed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.core import viewing
from companion.core.actions import Seat
from companion.core.observations import UNKNOWN
from companion.core.view import ChairView, Chip, Field, Heap, Lamp, Mode, Sentence, Token, View
from companion.games.kobayakawa.rules.showdown import stake
from companion.games.kobayakawa.rules.state import (
    BOX,
    NONE,
    OPEN,
    ROUND,
    UNREAD,
    KobayakawaState,
    Phase,
)

if TYPE_CHECKING:
    from companion.games.kobayakawa.rules import Kobayakawa

DECLARABLE = frozenset({Phase.DEALING, Phase.DRAWING, Phase.BETTING})
"""When the table may say what is where."""
_SHOWN = frozenset({*ROUND, Phase.DEALING, Phase.OVER})


def view(rules: Kobayakawa, state: KobayakawaState, mode: Mode = Mode.PLAY) -> View:
    """The table as it may be shown now."""
    asked = viewing.asked(rules, state)
    chairs = tuple(
        ChairView(
            chair=chair,
            seat=seat,
            lamp=_lamp(state, seat),
            cards=_cards(state, seat),
            tokens=_tokens(state, seat),
            laid=_laid(state, seat),
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
        places=(),
        card=_card(state),
        card_region=OPEN,
        heaps=_heaps(state),
        fields=_fields(rules, state),
        decided=_decided(state),
    )


def _decided(state: KobayakawaState) -> tuple[str, ...]:
    """The card the last round was won with, and the Kobayakawa where it counts with it."""
    if state.result is None or not state.hands:
        return ()
    shown = state.hands[state.result.seat].shown
    if shown == UNREAD:
        return ()
    helped = dict(state.result.totals).get(state.result.seat, shown) != shown
    return (f"number:{shown}", *((f"number:{state.kobayakawa}",) if helped else ()))


def _card(state: KobayakawaState) -> str:
    """The Kobayakawa, until it is gathered in."""
    gone = (
        state.phase not in _SHOWN or not state.opened or (state.phase is Phase.DEALING and not state.result)
    )
    if gone:
        return ""
    return f"number:{state.kobayakawa}" if state.kobayakawa != UNREAD else UNKNOWN


def _heaps(state: KobayakawaState) -> tuple[Heap, ...]:
    """What is staked, and what the centre still has."""
    heaps = [Heap("kobayakawa.heap.centre", "crest", state.centre)]
    if state.phase is Phase.STARTING:
        each = Heap("kobayakawa.heap.each", "crest", state.kamons[0])
        return (each, *heaps, Heap("kobayakawa.heap.box", "crest", max(0, BOX - state.whole)))
    if state.carried:
        heaps.insert(0, Heap("kobayakawa.heap.carried", "crest", state.carried))
    if state.phase in ROUND:
        heaps.insert(0, Heap("kobayakawa.heap.stakes", "crest", state.stakes))
    return tuple(heaps)


def _fields(rules: Kobayakawa, state: KobayakawaState) -> tuple[Field, ...]:
    """What `evolve.repaired` takes, and how many cards the deck has."""
    if state.phase not in DECLARABLE:
        return ()
    if state.deciding:  # nothing is staked any more: kamons decide nothing
        return _deal_fields(state) if state.phase is Phase.DEALING else _card_fields(state)
    fields = [
        Field(
            f"kamons:{seat}",
            "kobayakawa.field.kamons",
            have,
            tuple(range(state.whole + 1)),
            rules.chair_of(state, seat),
        )
        for seat, have in enumerate(state.kamons)
    ]
    if state.phase is Phase.DEALING:
        centre = Field("centre", "kobayakawa.field.centre", state.centre, tuple(range(2, 9)))
        return (*_deal_fields(state), *fields, centre)
    return (*fields, *_card_fields(state))


def _deal_fields(state: KobayakawaState) -> tuple[Field, ...]:
    """Who deals."""
    seats = tuple(sorted(state.deciding)) or tuple(range(state.players))
    return (Field("starter", "kobayakawa.field.starter", state.starter, seats, seats=True),)


def _card_fields(state: KobayakawaState) -> tuple[Field, ...]:
    """The open card, and how many the deck has."""
    numbers = tuple(range(1, state.cards + 1))
    deck = tuple(range(state.cards))
    left = Field("deck", "kobayakawa.field.deck", state.deck, deck)
    if state.kobayakawa == UNREAD:
        return (left,)
    return (Field("number", "kobayakawa.field.number", state.kobayakawa, numbers), left)


def _headline(rules: Kobayakawa, state: KobayakawaState) -> Sentence:
    key = f"{rules.name}.phase.{state.phase}"
    match state.phase:
        case Phase.SHOWDOWN if len(state.unseen) == 1 and state.kobayakawa != UNREAD:
            return Sentence(f"{key}.one", (("chair", rules.chair_of(state, state.unseen[0])),))
        case Phase.STARTING | Phase.SHOWDOWN:
            return Sentence(key)
        case Phase.OVER:
            if len(state.winners) > 1:
                return Sentence(f"{key}.shared")
            return Sentence(key, tuple(("chair", rules.chair_of(state, seat)) for seat in state.winners))
        case Phase.DEALING if state.deciding:
            key += ".deciding"
        case Phase.DEALING if state.result is not None:
            return Sentence(
                f"{key}.won",
                (("chair", rules.chair_of(state, state.starter)), ("count", state.result.count)),
            )
        case Phase.BETTING if state.last:
            key += ".last"
    seat = state.actor if state.phase in ROUND else state.starter
    assert seat is not None
    return Sentence(key, (("chair", rules.chair_of(state, seat)),))


def _hint(rules: Kobayakawa, state: KobayakawaState) -> Sentence | None:
    key = f"{rules.name}.hint.{state.phase}"
    if state.phase is Phase.OVER:
        return None
    if misplaced := [name for name in state.misplaced if not _counts(state, name)]:
        return _misplaced(rules, state, misplaced[0])
    match state.phase:
        case Phase.STARTING:
            return Sentence(key, (("left", max(0, BOX - state.whole)),))
        case Phase.DEALING if state.round == 0:
            return Sentence(f"{key}.first")
        case Phase.DEALING if state.deciding:
            return Sentence(f"{key}.deciding")
        case Phase.DEALING if state.ends:
            return Sentence(f"{key}.last")
        case Phase.DRAWING if state.options.draw_optional:
            return Sentence(f"{key}.optional")
        case Phase.BETTING if state.actor is not None:
            passed = state.turn and state.turn == len(state.order) - 1 and not state.fighters
            paid = stake(state.kamons[state.actor], state.centre)
            return Sentence(key + (".alone" if passed else ""), (("count", paid),))
        case Phase.SHOWDOWN if state.kobayakawa == UNREAD:
            return Sentence("kobayakawa.hint.revealing")
        case Phase.SHOWDOWN if state.unseen:
            version = ".one" if len(state.unseen) == 1 else ""
            return Sentence(key + version, (("chair", rules.chair_of(state, state.unseen[0])),))
    return Sentence(key)


def _counts(state: KobayakawaState, name: str) -> bool:
    """Whether a fighter's card has been read: whatever else is seen there, that one counts."""
    kind, _, field = name.partition(":")
    if kind != "hand" or state.phase is not Phase.SHOWDOWN:
        return False
    seat = state.seat_at(int(field))
    return seat is not None and state.hands[seat].shown != UNREAD


def _misplaced(rules: Kobayakawa, state: KobayakawaState, name: str) -> Sentence:
    """What was asked of somebody whose card is not as it should be; the Kobayakawa is nobody's."""
    kind, _, field = name.partition(":")
    seat = state.seat_at(int(field)) if field else None
    if seat is None:
        return Sentence("kobayakawa.hint.misplaced")
    if kind == "discard":
        version = "face_down" if state.lies(name) == UNREAD else "not_now"
    else:
        version = "two" if state.phase is Phase.SHOWDOWN else "shown"
    return Sentence(f"kobayakawa.hint.misplaced.{version}", (("chair", rules.chair_of(state, seat)),))


def _lamp(state: KobayakawaState, seat: Seat) -> Lamp:
    """The player who is asked blinks slowly, fighters are lit, those who still have to show blink fast."""
    match state.phase:
        case Phase.OVER:
            return Lamp.FAST if seat in state.winners else Lamp.DARK
        case Phase.STARTING:
            return Lamp.SLOW
        case Phase.DEALING | Phase.REVEALING:
            waits = Lamp.LIT if seat in state.deciding else Lamp.DARK
            return Lamp.SLOW if seat == state.starter else waits
        case Phase.SHOWDOWN if seat in state.unseen:
            return Lamp.FAST
    if seat == state.actor:
        return Lamp.SLOW
    return Lamp.LIT if seat in state.fighters else Lamp.DARK


def _cards(state: KobayakawaState, seat: Seat) -> int:
    """One card for everybody in the round, two while one of them has to be laid open."""
    if state.phase not in ROUND or seat not in state.order:
        return 0
    return 1 + (state.phase is Phase.DISCARDING and seat == state.actor)


def _tokens(state: KobayakawaState, seat: Seat) -> tuple[Token, ...]:
    """Kamons, the bet, and the cards that lie open."""
    tokens = []
    if not state.round:
        tokens.append(Token("field", value=state.zone(seat), chip=Chip.TABLE))
    elif seat == state.starter and state.phase is not Phase.OVER:
        tokens.append(Token("starter", motif="pennant"))
    if state.kamons[seat]:
        tokens.append(Token("kamon", state.kamons[seat], motif="crest"))
    if state.phase not in _SHOWN or not state.hands or seat not in state.order:
        return tuple(tokens)
    hand = state.hands[seat]
    totals = dict(state.result.totals) if state.result is not None else {}
    if hand.bet == "fight":
        tokens.append(Token("fight", max(1, hand.stake), motif="blades"))
    elif hand.bet == "pass":
        tokens.append(Token("passed", motif="barred"))
    if hand.discard != NONE and state.phase in ROUND:
        tokens.append(Token("discard", value=f"×{hand.discard or '?'}", chip=Chip.WORN))
    if hand.shown != UNREAD:
        total = totals.get(seat, hand.shown)
        helped = total != hand.shown
        tokens.append(
            Token(
                "shown", value=f"{hand.shown}+{total - hand.shown}" if helped else hand.shown, chip=Chip.PAPER
            )
        )
    return tuple(tokens)


def _laid(state: KobayakawaState, seat: Seat) -> tuple[Token, ...]:
    """The stake of the player who fights, and the card that was shown with what it counts."""
    shown = {token.kind: token for token in _tokens(state, seat)}
    laid = []
    if "fight" in shown and state.hands[seat].stake:
        laid.append(Token("fight", shown["fight"].count, motif="crest"))
    if "shown" in shown:
        laid.append(Token("shown", value=shown["shown"].value, motif=f"number:{state.hands[seat].shown}"))
    return tuple(laid)
