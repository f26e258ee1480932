"""What everybody may see of a Kobayakawa game; cards nobody showed are left out.

Undo shows no more than that: which cards lay open, and what people put back on the real table.
"""

from collections.abc import Iterator

from companion.core.actions import Seat
from companion.core.observations import UNKNOWN
from companion.core.rules import OpenFace, Rules
from companion.core.view import (
    Board,
    LampSignal,
    RepairField,
    Sentence,
    Token,
    TokenBackground,
    TokenHeap,
    View,
    ViewMode,
)
from companion.games.kobayakawa.rules import model
from companion.games.kobayakawa.rules.model import KobayakawaPhase, KobayakawaState

_WIN_EVENTS = frozenset({"GameWon"})
BOARD = Board(
    option_pictures={
        "hand": ("nobody_fights",),
        "crown": (
            "start_after_no_fight",
            "last_survivor_wins",
            "final_tie",
        ),
    },
    score_kind="kamon",
    hand_back="back:number",
    urgent_events=frozenset({"RoundBegan.last", "RoundWon", "PlayerOut", *_WIN_EVENTS}),
    quiet_events=frozenset({"RoundBegan", "KobayakawaReplaced", "DiscardMissing", "Fought", "Passed"}),
    event_sounds={
        "CardDrawn": "slide",
        "CardDiscarded": "card",
        "KobayakawaReplaced": "flip",
        "CardShown": "flip",
        "Fought": "coin",
        "RoundWon": "coin",
        "GameWon": "win",
    },
    good_news_events=_WIN_EVENTS,
    full_screen_words={"RoundWon": "round"},
    steps={"phase.dealing.won": ("take", "deal")},
    sentence_pictures={
        "take": ("crest",),
        **dict.fromkeys(("deal", "dealing"), ("back:number",)),
        **dict.fromkeys(
            ("open_on.number", "CardShown.number", "kobayakawa.value", "show.value", "discard.value"),
            ("number:{}",),
        ),
        **dict.fromkeys(("kamons", "centre", "alone", "fight"), ("crest",)),
        **dict.fromkeys(("draw", "replace"), ("back:number",)),
    },
)


REPAIRABLE_PHASES = frozenset({KobayakawaPhase.DEALING, KobayakawaPhase.DRAWING, KobayakawaPhase.BETTING})
"""When the table may say what is where."""
_CARD_PHASES = frozenset({*model.ROUND_PHASES, KobayakawaPhase.DEALING, KobayakawaPhase.OVER})


def view(rules: Rules[KobayakawaState], state: KobayakawaState, mode: ViewMode = ViewMode.PLAY) -> View:
    """The table as it may be shown now."""
    return View(
        **rules.common_view_fields(state, _headline(state)),
        phase=state.phase,
        hint=rules.table_wording(state, _hint(state)),
        chairs=rules.chair_views(state, lamp=_lamp, cards=_cards, tokens=_tokens, laid=_tokens_on_table),
        places=(),
        card=_card(state),
        card_region=model.KOBAYAKAWA_REGION,
        heaps=_heaps(state),
        fields=_fields(state),
        decided=_deciding_cards(state),
    )


def _deciding_cards(state: KobayakawaState) -> tuple[str, ...]:
    """The card the last round was won with, and the Kobayakawa where it counts with it."""
    if state.result is None or not state.hands:
        return ()
    shown = state.hands[state.result.seat].shown
    if shown == model.UNREAD:
        return ()
    helped = dict(state.result.totals).get(state.result.seat, shown) != shown
    return (f"number:{shown}", *((f"number:{state.kobayakawa}",) if helped else ()))


def _card(state: KobayakawaState) -> str:
    """The Kobayakawa, until it is gathered in."""
    gone = (
        state.phase not in _CARD_PHASES
        or not state.opened
        or (state.phase is KobayakawaPhase.DEALING and not state.result)
    )
    if gone:
        return ""
    return f"number:{state.kobayakawa}" if state.kobayakawa != model.UNREAD else UNKNOWN


def _heaps(state: KobayakawaState) -> tuple[TokenHeap, ...]:
    """What is staked, and what the centre still has."""
    heaps = [TokenHeap("kobayakawa.heap.centre", "crest", state.centre)]
    if state.phase is KobayakawaPhase.STARTING:
        each = TokenHeap("kobayakawa.heap.each", "crest", state.kamons[0])
        return (
            each,
            *heaps,
            TokenHeap("kobayakawa.heap.box", "crest", max(0, model.KAMONS_IN_BOX - state.total_kamons)),
        )
    if state.carried:
        heaps.insert(0, TokenHeap("kobayakawa.heap.carried", "crest", state.carried))
    if state.phase in model.ROUND_PHASES:
        heaps.insert(0, TokenHeap("kobayakawa.heap.stakes", "crest", state.stakes))
    return tuple(heaps)


def _fields(state: KobayakawaState) -> tuple[RepairField, ...]:
    """What `model.apply_repair` takes, and how many cards the deck has."""
    if state.phase not in REPAIRABLE_PHASES:
        return ()
    if state.deciding:  # nothing is staked any more: kamons decide nothing
        return _deal_fields(state) if state.phase is KobayakawaPhase.DEALING else _card_fields(state)
    counts = tuple(range(state.total_kamons + 1))
    fields = [
        RepairField(f"kamons:{seat}", "kobayakawa.field.kamons", have, counts, state.chair_of(seat))
        for seat, have in enumerate(state.kamons)
    ]
    if state.phase is KobayakawaPhase.DEALING:
        centre = RepairField("centre", "kobayakawa.field.centre", state.centre, tuple(range(2, 9)))
        return (*_deal_fields(state), *fields, centre)
    return (*fields, *_card_fields(state))


def _deal_fields(state: KobayakawaState) -> tuple[RepairField, ...]:
    """Who deals."""
    seats = tuple(sorted(state.deciding)) or tuple(range(state.players))
    return (RepairField("starter", "kobayakawa.field.starter", state.starter, seats, seats=True),)


def _card_fields(state: KobayakawaState) -> tuple[RepairField, ...]:
    """The open card, and how many the deck has."""
    numbers = tuple(range(1, state.cards + 1))
    deck = tuple(range(state.cards))
    left = RepairField("deck", "kobayakawa.field.deck", state.deck, deck)
    if state.kobayakawa == model.UNREAD:
        return (left,)
    return (RepairField("number", "kobayakawa.field.number", state.kobayakawa, numbers), left)


def _headline(state: KobayakawaState) -> Sentence:
    key = f"kobayakawa.phase.{state.phase}"
    match state.phase:
        case KobayakawaPhase.SHOWDOWN if len(state.unseen_fighters) == 1 and state.kobayakawa != model.UNREAD:
            return Sentence(f"{key}.one", (("chair", state.chair_of(state.unseen_fighters[0])),))
        case KobayakawaPhase.STARTING | KobayakawaPhase.SHOWDOWN:
            return Sentence(key)
        case KobayakawaPhase.OVER:
            if len(state.winners) > 1:
                return Sentence(f"{key}.shared")
            return Sentence(key, tuple(("chair", state.chair_of(seat)) for seat in state.winners))
        case KobayakawaPhase.DEALING if state.deciding:
            key += ".deciding"
        case KobayakawaPhase.DEALING if state.result is not None:
            return Sentence(
                f"{key}.won",
                (("chair", state.chair_of(state.starter)), ("count", state.result.count)),
            )
        case KobayakawaPhase.BETTING if state.last:
            key += ".last"
    seat = state.actor if state.phase in model.ROUND_PHASES else state.starter
    assert seat is not None
    return Sentence(key, (("chair", state.chair_of(seat)),))


def _hint(state: KobayakawaState) -> Sentence | None:
    key = f"kobayakawa.hint.{state.phase}"
    if state.phase is KobayakawaPhase.OVER:
        return None
    if misplaced := [name for name in state.misplaced if not _is_fighter_read(state, name)]:
        return _misplacement_hint(state, misplaced[0])
    match state.phase:
        case KobayakawaPhase.STARTING:
            return Sentence(key, (("left", max(0, model.KAMONS_IN_BOX - state.total_kamons)),))
        case KobayakawaPhase.DEALING if state.round == 0:
            return Sentence(f"{key}.first")
        case KobayakawaPhase.DEALING if state.deciding:
            return Sentence(f"{key}.deciding")
        case KobayakawaPhase.DEALING if state.next_round_is_last:
            return Sentence(f"{key}.last")
        case KobayakawaPhase.DRAWING if state.options.draw_optional:
            return Sentence(f"{key}.optional")
        case KobayakawaPhase.BETTING if state.actor is not None:
            passed = state.turn and state.turn == len(state.order) - 1 and not state.fighters
            paid = model.fight_cost(state.kamons[state.actor], state.centre)
            return Sentence(key + (".alone" if passed else ""), (("count", paid),))
        case KobayakawaPhase.SHOWDOWN if state.kobayakawa == model.UNREAD:
            return Sentence("kobayakawa.hint.revealing")
        case KobayakawaPhase.SHOWDOWN if state.unseen_fighters:
            version = ".one" if len(state.unseen_fighters) == 1 else ""
            return Sentence(key + version, (("chair", state.chair_of(state.unseen_fighters[0])),))
    return Sentence(key)


def _is_fighter_read(state: KobayakawaState, name: str) -> bool:
    """Whether a fighter's card has been read: whatever else is seen there, that one counts."""
    kind, _, field = name.partition(":")
    if kind != "hand" or state.phase is not KobayakawaPhase.SHOWDOWN:
        return False
    seat = state.seat_at_field(int(field))
    return seat is not None and state.hands[seat].shown != model.UNREAD


def _misplacement_hint(state: KobayakawaState, name: str) -> Sentence:
    """What was asked of somebody whose card is not as it should be; the Kobayakawa is nobody's."""
    kind, _, field = name.partition(":")
    seat = state.seat_at_field(int(field)) if field else None
    if seat is None:
        return Sentence("kobayakawa.hint.misplaced")
    if kind == "discard":
        version = "face_down" if state.last_seen_number(name) == model.UNREAD else "not_now"
    else:
        version = "two" if state.phase is KobayakawaPhase.SHOWDOWN else "shown"
    return Sentence(f"kobayakawa.hint.misplaced.{version}", (("chair", state.chair_of(seat)),))


def _lamp(state: KobayakawaState, seat: Seat) -> LampSignal:
    """The player who is asked blinks slowly, fighters are lit, those who still have to show blink fast."""
    match state.phase:
        case KobayakawaPhase.OVER:
            return LampSignal.FAST if seat in state.winners else LampSignal.DARK
        case KobayakawaPhase.STARTING:
            return LampSignal.SLOW
        case KobayakawaPhase.DEALING | KobayakawaPhase.REVEALING:
            waits = LampSignal.LIT if seat in state.deciding else LampSignal.DARK
            return LampSignal.SLOW if seat == state.starter else waits
        case KobayakawaPhase.SHOWDOWN if seat in state.unseen_fighters:
            return LampSignal.FAST
    if seat == state.actor:
        return LampSignal.SLOW
    return LampSignal.LIT if seat in state.fighters else LampSignal.DARK


def _cards(state: KobayakawaState, seat: Seat) -> int:
    """One card for everybody in the round, two while one of them has to be laid open."""
    if state.phase not in model.ROUND_PHASES or seat not in state.order:
        return 0
    return 1 + (state.phase is KobayakawaPhase.DISCARDING and seat == state.actor)


def _tokens(state: KobayakawaState, seat: Seat) -> tuple[Token, ...]:
    """Kamons, the bet, and the cards that lie open."""
    tokens = []
    if not state.round:
        tokens.append(Token("field", value=state.field_of_seat(seat), chip=TokenBackground.TABLE))
    elif seat == state.starter and state.phase is not KobayakawaPhase.OVER:
        tokens.append(Token("starter", motif="pennant"))
    if state.kamons[seat]:
        tokens.append(Token("kamon", state.kamons[seat], motif="crest"))
    if state.phase not in _CARD_PHASES or not state.hands or seat not in state.order:
        return tuple(tokens)
    hand = state.hands[seat]
    totals = dict(state.result.totals) if state.result is not None else {}
    if hand.bet == "fight":
        tokens.append(Token("fight", max(1, hand.stake), motif="blades"))
    elif hand.bet == "pass":
        tokens.append(Token("passed", motif="barred"))
    if hand.discard != model.NO_CARD and state.phase in model.ROUND_PHASES:
        thrown = hand.discard or "?"
        said = Sentence("kobayakawa.token.discard", (("value", thrown),))
        tokens.append(Token("discard", value=f"×{thrown}", chip=TokenBackground.WORN, said=said))
    if hand.shown != model.UNREAD:
        total = totals.get(seat, hand.shown)
        helped = total != hand.shown
        tokens.append(
            Token(
                "shown",
                value=f"{hand.shown}+{total - hand.shown}" if helped else hand.shown,
                chip=TokenBackground.PAPER,
            )
        )
    return tuple(tokens)


def _tokens_on_table(state: KobayakawaState, seat: Seat) -> tuple[Token, ...]:
    """The stake of the player who fights, and the card that was shown with what it counts."""
    shown = {token.kind: token for token in _tokens(state, seat)}
    laid = []
    if "fight" in shown and state.hands[seat].stake:
        laid.append(Token("fight", shown["fight"].count, motif="crest"))
    if "shown" in shown:
        laid.append(Token("shown", value=shown["shown"].value, motif=f"number:{state.hands[seat].shown}"))
    return tuple(laid)


# After an undo ----------------------------------------------------------------------------------------------


def open_faces(state: KobayakawaState) -> Iterator[OpenFace]:
    """Every card that lies open in this round; one that was opened stays public under the next."""
    for turn, number in enumerate(state.opened, 1):
        place = model.KOBAYAKAWA_REGION if turn == len(state.opened) else f"{model.KOBAYAKAWA_REGION}:{turn}"
        yield OpenFace(place, (model.KOBAYAKAWA_REGION, state.round, turn), number != model.UNREAD)
    for seat, hand in enumerate(state.hands):
        if hand.discard != model.NO_CARD:
            yield OpenFace(
                f"discard:{state.field_of_seat(seat)}",
                ("discard", state.round, seat),
                hand.discard != model.UNREAD,
            )
        if hand.shown != model.UNREAD:
            yield OpenFace(f"hand:{state.field_of_seat(seat)}", ("hand", state.round, seat))


def restore_instructions(later: KobayakawaState, earlier: KobayakawaState) -> tuple[Sentence, ...]:
    """The instructions that lead from the table of `later` to that of `earlier`."""
    todo: list[Sentence] = []
    if later.round != earlier.round:
        todo.append(Sentence("kobayakawa.back.round"))
    else:
        off = len(later.opened) - len(earlier.opened)
        if off > 0:
            todo.append(Sentence("kobayakawa.back.open_off", (("count", off),)))
        elif off < 0:
            todo.append(Sentence("kobayakawa.back.open_on", (("number", earlier.kobayakawa),)))
        for seat, (now, then) in enumerate(zip(later.hands, earlier.hands, strict=False)):
            if (now.discard == model.NO_CARD) != (then.discard == model.NO_CARD):
                which = "discard_up" if then.discard == model.NO_CARD else "discard_down"
                chair = (("chair", earlier.chair_of(seat)),)
                todo.append(Sentence(f"kobayakawa.back.{which}", chair))
            if _has_drawn(later, seat) and not _has_drawn(earlier, seat):
                todo.append(Sentence("kobayakawa.back.seen", (("chair", earlier.chair_of(seat)),)))
    for seat, (after, before) in enumerate(zip(later.kamons, earlier.kamons, strict=True)):
        if after != before:
            parts = (("chair", earlier.chair_of(seat)), ("count", before))
            todo.append(Sentence("kobayakawa.back.kamons", parts))
    if later.centre != earlier.centre:
        todo.append(Sentence("kobayakawa.back.centre", (("count", earlier.centre),)))
    return tuple(todo)


def _has_drawn(state: KobayakawaState, seat: Seat) -> bool:
    """Whether somebody has looked at a card of the deck in this round."""
    draws = state.phase is KobayakawaPhase.DISCARDING and seat == state.actor
    return draws or state.hands[seat].did == "draw"
