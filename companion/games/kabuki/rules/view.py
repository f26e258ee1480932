"""What everybody may see of a Kabuki game; a covered mask is not named before its check.

Undo shows no more than that: which cards lay open, and what people put back on the real table.
"""

from collections.abc import Iterator

from companion.core.actions import SECOND, Chair, Seat
from companion.core.observations import UNKNOWN
from companion.core.rules import OpenFace, Rules
from companion.core.view import (
    Board,
    CountView,
    LampSignal,
    PlaceView,
    RepairField,
    ScreenArea,
    Sentence,
    Token,
    TokenBackground,
    View,
    ViewMode,
)
from companion.games.kabuki.rules import judge, model
from companion.games.kabuki.rules.model import KabukiPhase, KabukiState

_WIN_EVENTS = frozenset({"GameWon"})
BOARD = Board(
    option_pictures={
        "crown": (
            "round_ender",
            "game_by",
        ),
        "hand": (
            "self_stop",
            "second_stop",
            "stop_withdraw",
        ),
        "clock": (
            "stop_until",
            "window_s",
            "last_window_s",
            "cooldown_ms",
        ),
        "eye": ("phones",),
    },
    urgent_events=frozenset({"StopRight", "StopWrong", "RoundEnded", *_WIN_EVENTS}),
    quiet_events=frozenset({"StopCalled", "StopWithdrawn", "OwnMaskCalled", "CheckBegan"}),
    event_sounds={
        "MaskShown": "flip",
        "MaskPlaced": "wood",
        "StackRestored": "wood",
        "StopCalled": "gong",
        "StopRight": "chime",
        "StopWrong": "knock",
        "RoundEnded": "coin",
        "GameWon": "win",
    },
    good_news_events=_WIN_EVENTS,
    full_screen_words={"StopAssigned": "stop", "StopRight": "right", "StopWrong": "wrong"},
    steps={"StopRight": ("pay",), "StopWrong": ("box",), "StopWrong.to_placer": ("give",)},
    sentence_pictures={
        **dict.fromkeys(("pay", "box", "give"), ("coin",)),
        "mask": ("mask:{}",),
        **{design: (f"mask:{design}",) for design in model.DESIGNS},
        **dict.fromkeys(("draw", "put"), ("back:mask",)),
        "tokens": ("coin",),
        "StopRight": ("coin",),
        "StopWrong": ("coin",),
    },
    verb_pictures={"look": "eye", "withdraw": "left", "begin": "right"},
    card_name_prefixes={"mask": "kabuki.do.show."},
)


_CALLER_PHASES = frozenset(
    {KabukiPhase.STOPPED, KabukiPhase.CHECKING, KabukiPhase.SHOWING, KabukiPhase.RESTORING}
)


def view(rules: Rules[KabukiState], state: KabukiState, mode: ViewMode = ViewMode.PLAY) -> View:
    """The table as it may be shown now."""
    return View(
        **rules.common_view_fields(state, _headline(state)),
        phase=state.phase,
        hint=rules.table_wording(state, _hint(state)),
        chairs=rules.chair_views(state, lamp=_lamp, cards=_cards, tokens=_tokens),
        places=_places(state),
        count=_count(state),
        fields=_fields(state),
    )


def _fields(state: KabukiState) -> tuple[RepairField, ...]:
    """Whose draw it is and who has how many tokens: what `judge.apply_repair` takes."""
    seats = tuple(range(state.players))
    if state.phase is not KabukiPhase.PLAYING:
        return ()
    tokens = (
        RepairField(
            f"tokens:{seat}",
            "kabuki.field.tokens",
            state.tokens[seat],
            tuple(range(state.tokens[seat] + state.box + 1)),
            state.chair_of(seat),
        )
        for seat in seats
    )
    return (RepairField("drawer", "kabuki.field.drawer", state.drawer, seats, seats=True), *tokens)


def _headline(state: KabukiState) -> Sentence:
    parts: list[tuple[str, str | int]] = []
    chair = _speaker(state)
    if chair is not None:
        parts.append(("chair", chair))
    if state.stop is not None and state.phase in _CALLER_PHASES:
        parts.append(("stack", state.stop.stack))
    if state.phase is KabukiPhase.SHUFFLING:
        parts.append(("round", state.round))
    version = ".last" if state.phase is KabukiPhase.PLAYING and state.out else ""
    version = _asking_version(state) or version
    if len(state.winners) > 1:
        version = ".shared"
    return Sentence(f"kabuki.phase.{state.phase}{version}", tuple(parts))


def _asking_version(state: KabukiState) -> str:
    """What else than "which mask was meant?" is asked: whose call was first, or where a mask lies."""
    if state.phase is not KabukiPhase.ASKING:
        return ""
    return ".first" if state.pending.among else ".where" if state.asks_where else ""


def _speaker(state: KabukiState) -> Chair | None:
    """The chair the headline names."""
    match state.phase:
        case KabukiPhase.STARTING:
            return None
        case KabukiPhase.ASKING if (placer := judge.asked_of(state)) is not None:
            return state.chair_of(placer)
        case KabukiPhase.ASKING if state.asks_where:
            return state.chair_of(state.drawer)
        case KabukiPhase.CALLED | KabukiPhase.ASKING:
            # Who pressed first, as far as is known now.
            first = min(state.pending.calls, key=lambda call: call.at)
            return state.chair_of(first.seat)
        case KabukiPhase.OVER:
            return state.chair_of(state.winners[0]) if len(state.winners) == 1 else None
        case KabukiPhase.REOPENING:
            return None if state.last is None else state.chair_of(state.last.seat)
        case _ if state.stop is not None:
            return state.chair_of(state.stop.seat)
    return None if state.out and state.phase is KabukiPhase.PLAYING else state.chair_of(state.drawer)


def _hint(state: KabukiState) -> Sentence | None:
    if state.phase is KabukiPhase.OVER:
        return None
    if state.phase is not KabukiPhase.PLAYING:
        version = ".binding" if state.phase is KabukiPhase.STOPPED and not state.can_withdraw else ""
        version = ".again" if state.phase is KabukiPhase.CHECKING and state.proven else version
        version = _asking_version(state) or version
        if state.phase is KabukiPhase.SHUFFLING and state.round > 1:
            drawer = ("chair", state.chair_of(state.drawer))
            return Sentence(
                "kabuki.hint.shuffling.again", (drawer, ("left", model.tokens_per_player(state.players)))
            )
        return Sentence(f"kabuki.hint.{state.phase}{version}")
    last = state.last
    if state.misplaced:
        return Sentence("kabuki.hint.misplaced")
    if state.unread:
        return Sentence("kabuki.hint.unread", (("stack", state.unread[-1].stack),))
    if last is not None and last.design == model.UNREAD and not state.desk.blind:
        return Sentence("kabuki.hint.unread", (("stack", state.stack_of(last)),))
    if state.asks_like:
        return Sentence("kabuki.hint.like", (("chair", state.chair_of(state.drawer)),))
    if state.hand.missed:
        return Sentence("kabuki.hint.missed")
    if last is not None and last.seat in state.pending.voided and not state.options.self_stop:
        return Sentence("kabuki.hint.parted")
    if state.out:
        return Sentence("kabuki.hint.last")
    return Sentence("kabuki.hint.playing")


def _lamp(state: KabukiState, seat: Seat) -> LampSignal:
    """The player in turn blinks slowly, those who may stop are lit, a caller blinks fast."""
    match state.phase:
        case KabukiPhase.OVER:
            return LampSignal.FAST if seat in state.winners else LampSignal.DARK
        case KabukiPhase.STARTING:
            return LampSignal.DARK
        case KabukiPhase.ASKING if state.asks_where and seat == state.drawer:
            return LampSignal.SLOW
        case KabukiPhase.CALLED | KabukiPhase.ASKING:
            return LampSignal.FAST if seat in {call.seat for call in state.pending.calls} else LampSignal.DARK
        case KabukiPhase.REOPENING:
            return LampSignal.SLOW if state.last is not None and seat == state.last.seat else LampSignal.DARK
        case _ if state.stop is not None:
            return LampSignal.FAST if seat == state.stop.seat else LampSignal.DARK
    if seat == state.drawer and not state.out:
        return LampSignal.SLOW
    open_to = state.phase is KabukiPhase.PLAYING and state.last is not None and not state.closed
    own = state.last is not None and state.last.seat == seat and not state.options.self_stop
    return LampSignal.LIT if open_to and not own else LampSignal.DARK


def _cards(state: KabukiState, seat: Seat) -> int:
    return int(state.hand.drawn and seat == state.drawer)


def _tokens(state: KabukiState, seat: Seat) -> tuple[Token, ...]:
    tokens = [Token("token", state.tokens[seat], motif="coin")] if state.tokens and state.tokens[seat] else []
    if state.scores:
        tokens.append(Token("score", value=f"Σ {state.totals[seat]}", chip=TokenBackground.GOLD))
    return tuple(tokens)


def _places(state: KabukiState) -> tuple[PlaceView, ...]:
    """The deck, the mask in hand, and what lies on top of each stack."""
    marked = _marked_stack(state)
    shown = f"mask:{state.hand.design}" if state.hand.design else "back:mask" if state.hand.drawn else ""
    stacks = tuple(
        PlaceView(
            f"stack:{stack}",
            _top_picture(state, stack),
            marked=stack == marked,
            number=stack,
            spot=ScreenArea.STACK,
        )
        for stack in range(1, model.STACK_COUNT + 1)
    )
    # The stack that is checked lies open: what was shown of it stays to be seen.
    cards = state.cards if state.phase is KabukiPhase.SHOWING else ()
    seen = tuple(
        PlaceView(f"shown:{place}", f"mask:{design}", number=place, spot=ScreenArea.SHOWN)
        for place, design in enumerate(cards, 1)
    )
    deck = PlaceView("deck", "back:mask" if state.deck else "", spot=ScreenArea.DECK)
    return (deck, PlaceView("show", shown, spot=ScreenArea.HAND), *stacks, *seen)


def _marked_stack(state: KabukiState) -> int | None:
    """The stack that is checked, pointed at, or whose mask may be stopped."""
    if state.stop is not None and state.phase in _CALLER_PHASES:
        return state.stop.stack
    if state.phase is not KabukiPhase.PLAYING and not state.asks_where:
        return None
    if state.uses_pointer:
        return state.hand.pointer
    return None if state.last is None or state.closed else state.stack_of(state.last)


def _top_picture(state: KabukiState, stack: int) -> str:
    """A mask that waits until play goes on lies on the one that was placed last."""
    waits = state.pending.upper or state.pending.placement
    top = waits if waits is not None and state.waits_on(stack) else state.top(stack)
    if top is None:
        return f"actor:{stack}"
    return f"mask:{top.design}" if top.design else UNKNOWN


def _count(state: KabukiState) -> CountView | None:
    """The ring of a timed window."""
    if state.until is None or state.phase is not KabukiPhase.PLAYING:
        return None
    seconds = state.options.last_window_s if state.out else state.options.window_s
    return CountView(state.until - seconds * SECOND, seconds, seconds)


# After an undo ----------------------------------------------------------------------------------------------


def restore_instructions(later: KabukiState, earlier: KabukiState) -> tuple[Sentence, ...]:
    """The instructions that lead from the table of `later` to that of `earlier`."""
    if len(later.scores) != len(earlier.scores):
        return (Sentence("kabuki.back.round"),)
    todo: list[Sentence] = []
    for stack in range(1, model.STACK_COUNT + 1):
        off = _height(later, stack) - _height(earlier, stack)
        if off > 0:
            todo.append(Sentence("kabuki.back.mask_off", (("count", off), ("stack", stack))))
        elif off < 0:
            todo.append(Sentence("kabuki.back.mask_on", (("count", -off), ("stack", stack))))
    for seat, (after, before) in enumerate(zip(later.tokens, earlier.tokens, strict=False)):
        if after != before:
            chair = (("chair", earlier.chair_of(seat)),)
            todo.append(Sentence("kabuki.back.tokens", (*chair, ("count", before))))
    return tuple(todo)


def _height(state: KabukiState, stack: int) -> int:
    """How many masks lie on a stack, with those that wait until play goes on."""
    waiting = state.pending.placement, state.pending.upper
    return len(state.stacks[stack - 1]) + sum(here is not None and here.stack == stack for here in waiting)


def restored_turn(later: KabukiState, earlier: KabukiState) -> Sentence | None:
    """Who draws again, in the same round."""
    if earlier.drawer == later.drawer or len(later.scores) != len(earlier.scores):
        return None
    return Sentence("kabuki.back.turn", (("chair", earlier.chair_of(earlier.drawer)),))


def open_faces(state: KabukiState) -> Iterator[OpenFace]:
    """The tops, the mask in hand, what lies over the tops and is not placed yet, and what a check shows.

    A mask is told from others by how high it lies on which stack; so it stays the same when it is placed.
    One in hand is another once it came to lie: whatever covers it there hides what was shown, too. So is a
    top on which another waits: whoever goes back finds it covered.
    """
    heights = [len(stack) for stack in state.stacks]
    for stack, mask in enumerate(state.tops, 1):
        if mask is not None:
            position = (stack, heights[stack - 1], *(("covered",) if state.waits_on(stack) else ()))
            yield OpenFace(f"stack:{stack}", position, mask.design)
    queued = state.pending.placement
    hand = "show", state.round, state.placed, queued is not None
    if state.hand.drawn:  # what goes back into the deck is covered
        yield OpenFace("show", hand, state.hand.design)
    for height, (place, here) in enumerate((("queued", queued), ("upper", state.pending.upper)), 1):
        if here is not None:
            position = here.stack, heights[here.stack - 1] + height
            yield OpenFace(place, position, here.design)
    for here in state.misplaced:
        if here.design != model.UNREAD:
            yield OpenFace(f"misplaced:{here.stack}", (here.stack, heights[here.stack - 1] + 1), here.design)
    if state.cards and state.phase is KabukiPhase.SHOWING:
        yield OpenFace("audit", "audit")
