"""What everybody may see of a Kinapa game; labels turned down again never leave it.

Undo shows no more than that: which cards lay open, and what people put back on the real table.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from companion.core.actions import Chair, Seat
from companion.core.rules import OpenFace, Rules
from companion.core.view import (
    Board,
    BotView,
    CardMove,
    ChairView,
    Choice,
    CountView,
    LampSignal,
    PlaceView,
    RepairableItem,
    RepairablePairs,
    ScreenArea,
    Sentence,
    TableValues,
    Token,
    TokenBackground,
    View,
    ViewMode,
)
from companion.games.kinapa.rules import bot_decks, model, narration, turn_end
from companion.games.kinapa.rules.exchange import foxes_per_liar, nameable_cards, seats_owing_answer
from companion.games.kinapa.rules.lies import punishable_liars
from companion.games.kinapa.rules.model import KinapaPhase, KinapaState

BOARD = Board(
    option_pictures={
        "fox": (
            "two_liars",
            "fox_first_tick",
            "fox_receive",
            "false_denial_penalty",
        ),
        "crown": (
            "all_sheep",
            "win_bot",
            "bot_checker",
        ),
        "eye": (
            "drawn_named",
            "demand_open",
            "fox_draw",
        ),
        "clock": ("count_seconds", "fox_tick"),
        "hand": ("hand", "second_liar"),
    },
    hand_back="back:white",
    urgent_events=frozenset({"LiarCalled", "Punished", "GameWon"}),
    quiet_events=frozenset(
        {
            *{"ObjectTurned", "ObjectHidden", "PairPlaced", "PartnerChosen", "FoxRemoved", "SheepTaken"},
            *{"Admitted", "Denied", "HolderFound", "CardFound", "CardNotFound"},
        }
    ),
    event_sounds={
        **dict.fromkeys(("ObjectTurned", "ObjectHidden", "Switched"), "flip"),
        **dict.fromkeys(("CardDrawn", "CardHanded", "CardReturned"), "slide"),
        **dict.fromkeys(("AidLaid", "SheepTaken", "SheepReturned", "FoxesTaken", "FoxRemoved"), "card"),
        **dict.fromkeys(("LiarCalled", "Punished"), "knock"),
        "PairPlaced": "chime",
        "EmperorCrowned": "chime",
        "GameWon": "win",
    },
    headline_events=frozenset({"LiarCalled", "FalseDenialProven", "HandoverRefused", "FoxesTaken"}),
    full_screen_words={"Punished": "caught", "PairPlaced": "pair"},
    steps={"Punished": ("foxes", "open")},
    good_news_events=frozenset(
        {"EmperorCrowned", "PairPlaced", "PairShown", "SheepTaken", "CardFound", "GameWon"}
    ),
    verb_moves={
        **dict.fromkeys(("drawn", "receive", "refuse", "draw_from"), CardMove.TO_ASKED),
        "return": CardMove.TO_OTHER,
        **dict.fromkeys(("aid_up", "aid_down"), CardMove.SETS),
        **dict.fromkeys(("has", "has_not", "found", "not_found"), CardMove.LOOKS),
        "switch": CardMove.TURNS,
    },
    sentence_pictures={
        "label": ("object:{}",),
        "animal.label": ("animal:{}",),
        "shelter.label": ("shelter:{}",),
        "turn.value": ("object:{}",),
        "announce.value": ("animal:{}",),
        **dict.fromkeys(
            ("PairPlaced.number", "PairShown.number", "pair.number", "PairTaken.number"),
            ("animal:{}", "shelter:{}"),
        ),
        **dict.fromkeys(("OneAsked.number", "LiarCalled.number", "AllAsked.number"), ("animal:{}",)),
        **dict.fromkeys(("object_down", "ObjectHidden", "hidden", "turning"), ("back:blue",)),
        "why.PairPlaced": ("place:{slot}", "back:blue"),
        "open": ("cards",),
        "returning": ("back:white",),
        "raise": ("aid:raise",),
        "lower": ("aid:lower",),
        "claim_cat": ("animal:1",),
        **dict.fromkeys(("emperor", "emperor_middle", "EmperorCrowned"), ("crown",)),
        **dict.fromkeys(("sheep_take", "sheep_return", "SheepTaken", "SheepReturned"), ("sheep",)),
        **dict.fromkeys(("foxes", "FoxesTaken", "Punished", "FoxRemoved"), ("fox",)),
    },
    repairable_items=(
        RepairableItem(name="emperor", kind="emperor", motif="crown", only_one=True),
        RepairableItem(name="sheep", kind="sheep", motif="sheep"),
        RepairableItem(name="foxes", kind="fox", motif="fox", max_count=2),
    ),
    repairable_pairs=RepairablePairs(owned="placed", place="slot"),
)


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


def view(rules: Rules[KinapaState], state: KinapaState, mode: ViewMode = ViewMode.PLAY) -> View:
    """The table as it may be shown now."""
    asked = rules.choices_by_chair(state)
    asked_bot = None if state.desk.paused else bot_to_act_on(state)
    chairs = tuple(
        ChairView(
            chair=state.setup.chairs[seat],
            seat=seat,
            lamp=_lamp(state, seat, asked=state.setup.chairs[seat] in asked),
            cards=state.seats[seat].cards,
            tokens=_deck_tokens(state, seat),
            raised=state.phase is not KinapaPhase.ANNOUNCING and seat in state.turn.raised,
            asked=state.setup.chairs[seat] in asked,
            choices=tuple(map(_with_slot_region, asked.get(state.setup.chairs[seat], ()))),
        )
        for seat in range(state.people)
    )
    return View(
        **rules.common_view_fields(state, _headline(state)),
        phase=state.phase,
        hint=rules.table_wording(state, _phase_hint(state)),
        chairs=chairs,
        bots=tuple(_build_bot_view(state, seat, asked=seat == asked_bot) for seat in state.bots),
        places=tuple(_place(state, slot, mode) for slot in range(1, len(state.slots) + 1)),
        card=_asked_card(state),
        count=_count(state),
        cue=rules.awaited_cue(state),
        table=_repair_table(state),
        dark=state.phase is KinapaPhase.AUDITING,
        decided=_deciding_cards(state),
    )


def _asked_card(state: KinapaState) -> str:
    """Who has the lowest animal, and where is this object?"""
    if turn_end.must_ask_slot(state):
        return f"object:{state.turn.label}"
    return f"animal:{state.lowest}" if state.phase is KinapaPhase.STARTING else ""


def _deciding_cards(state: KinapaState) -> tuple[str, ...]:
    """The winner's pairs."""
    if state.winner is None:
        return ()
    pairs = [token.value for token in _deck_tokens(state, state.winner) if token.kind == "pair"]
    return tuple(f"{kind}:{number}" for number in pairs for kind in ("animal", "shelter"))


def _with_slot_region(choice: Choice) -> Choice:
    """Where the object lies is said by touching the place, too."""
    if choice.action.verb != "lies_at":
        return choice
    return replace(choice, region=f"slot:{choice.action.value}")


def _headline(state: KinapaState) -> Sentence:
    parts: list[tuple[str, str | int]] = []
    chair, bot = _speaker(state), bot_to_act_on(state)
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
        Sentence(f"kinapa.phase.{state.phase}{_headline_suffix(state)}", tuple(parts))
    )


def _headline_suffix(state: KinapaState) -> str:
    """Without a camera the place of an object has to be said."""
    if turn_end.must_ask_slot(state):
        return ".where"
    if state.phase is KinapaPhase.HANDING and state.options.demand_open and bot_to_act_on(state) is None:
        return ".open"
    return ""


def _speaker(state: KinapaState) -> Chair | None:
    """The chair the headline names."""
    match state.phase:
        case KinapaPhase.STARTING:
            return None
        case KinapaPhase.SEARCHING:
            bot = bot_to_act_on(state)
            return None if bot is None else state.chair_of(bot)
        case KinapaPhase.AIDING:
            return state.setup.chairs[bot_decks.aid_setter(state, state.turn.aids[0])]
        case KinapaPhase.OVER:
            return None if state.winner is None else state.chair_of(state.winner)
        case KinapaPhase.ASKING:
            return None if state.turn.asked is None else state.chair_of(state.turn.asked)
        case KinapaPhase.DRAWING | KinapaPhase.HANDING | KinapaPhase.RETURNING:
            return None if state.turn.partner is None else state.chair_of(state.turn.partner)
        case KinapaPhase.AUDITING:
            return state.chair_of(state.turn.audit[0])
    return state.chair_of(state.emperor)


def _lamp(state: KinapaState, seat: Seat, *, asked: bool) -> LampSignal:
    if state.phase is KinapaPhase.OVER:
        return LampSignal.FAST if seat == state.winner else LampSignal.DARK
    shows_hand = state.phase in _COUNT_PHASES or (state.phase is KinapaPhase.AIDING and not asked)
    if shows_hand and seat != state.emperor:
        return LampSignal.LIT if seat in state.turn.raised else LampSignal.DARK
    if asked:
        return LampSignal.SLOW
    reigns = seat == state.emperor and state.phase is not KinapaPhase.STARTING
    return LampSignal.LIT if reigns else LampSignal.DARK


def _place(state: KinapaState, slot: int, mode: ViewMode) -> PlaceView:
    lying = state.slots[slot - 1]
    region, spot = f"slot:{slot}", ScreenArea.RING
    if lying.lies is model.ObjectPosition.CLOSED:
        upon = (f"animal:{lying.pair}", f"shelter:{lying.pair}")
        return PlaceView(region, f"object:{lying.label}", upon, number=slot, spot=spot)
    if lying.lies is model.ObjectPosition.OPEN or (mode is ViewMode.OPEN and lying.label):
        marked = lying.lies is model.ObjectPosition.OPEN
        return PlaceView(region, f"object:{lying.label}", marked=marked, number=slot, spot=spot)
    turned = state.phase is KinapaPhase.TURNING and state.turn.slot in {0, slot}
    marked = turned or turn_end.must_ask_slot(state)
    return PlaceView(region, "back:blue", marked=marked, number=slot, spot=spot)


def _count(state: KinapaState) -> CountView | None:
    if state.phase not in _COUNT_PHASES:
        return None
    return CountView(state.turn.first_beat, state.options.count_seconds, state.turn.number)


def redact(state: KinapaState) -> KinapaState:
    """Without labels turned down again, the card that was handed over, and what claims would prove."""
    slots = tuple(
        [replace(slot, label="") if slot.lies is model.ObjectPosition.DOWN else slot for slot in state.slots]
    )
    seats = tuple([replace(seat, received=0) for seat in state.seats])
    return replace(state, slots=slots, seats=seats, claims=(), turn=replace(state.turn, card=""))


# The hint below the headline --------------------------------------------------------------------------------


def _phase_hint(state: KinapaState) -> Sentence | None:
    """`kinapa.hint.<phase>`, and the version of it that is true here."""
    if state.phase is KinapaPhase.OVER:
        return None
    if state.phase is KinapaPhase.DRAWING and state.turn.lot:
        return Sentence("kinapa.hint.lot", (("place", state.turn.lot),))
    parts = (("number", state.turn.number),) if state.phase is KinapaPhase.ANNOUNCED else ()
    return Sentence(f"kinapa.hint.{state.phase}{_hint_suffix(state)}", parts)


def _hint_suffix(state: KinapaState) -> str:
    """What BOT decks and house rules make different; empty where nothing does."""
    if state.phase is KinapaPhase.PICKING:
        return _picking_suffix(state)
    rows = (row for row in HINT_SUFFIXES if row.phase is state.phase)
    return next((row.suffix for row in rows if row.holds(state)), "")


class HintRow(NamedTuple):
    """The version of a phase's hint that is true where something holds."""

    phase: KinapaPhase
    suffix: str
    holds: Callable[[KinapaState], object]


def _may_cause_switch(state: KinapaState) -> bool:
    """Whether an aid that is raised may make its owner Switch: a BOT that raised may be next Emperor."""
    bot = state.turn.aids[0]
    return state.bot_owner(bot) is not None and state.can_be_crowned(bot)


def _picking_suffix(state: KinapaState) -> str:
    """Who is punished besides the one that is picked; nothing is promised that a house rule may prevent."""
    options, holders, found = state.options, state.turn.holders, state.turn.found
    several = bool(found) or options.two_liars != "chosen_only"
    liars = holders if several else holders[:1]
    unsure = bool(found) and options.false_denial_penalty == "none"
    if unsure or punishable_liars(state, liars, foxes_per_liar(state, holders)) != tuple(liars):
        return ".card"
    return ".all" if several else ""


def _is_partner_open(state: KinapaState) -> bool:
    partner = state.turn.partner
    return partner is not None and state.seats[partner].foxes > 0


def _has_bot_to_act_on(state: KinapaState) -> bool:
    return bot_to_act_on(state) is not None


def _is_received_open(state: KinapaState) -> bool:
    return state.options.fox_receive == "open" and _is_partner_open(state)


def _is_number_kept_out(state: KinapaState) -> bool:
    return state.options.giveback == "number"


HINT_SUFFIXES = (
    HintRow(KinapaPhase.STARTING, ".lowest", lambda s: s.bots and s.bot_owner(s.bots[0]) is None),
    HintRow(KinapaPhase.STARTING, ".two", lambda s: s.bots and bot_decks.can_say_nobody(s)),
    HintRow(KinapaPhase.STARTING, ".switched", lambda s: s.bots),
    HintRow(KinapaPhase.AIDING, ".own", _may_cause_switch),
    HintRow(KinapaPhase.ANNOUNCED, ".hold", lambda s: s.options.hand == "hold"),
    HintRow(KinapaPhase.RECOUNTING, ".hold", lambda s: s.options.hand == "hold"),
    HintRow(KinapaPhase.PAIRING, ".dead", lambda s: s.turn.number in s.placed_numbers),
    HintRow(KinapaPhase.PAIRING, ".down", lambda s: s.lowered),
    HintRow(KinapaPhase.CHOOSING, ".may", lambda s: not (s.options.draw_is_duty or s.turn.pair_shown)),
    HintRow(KinapaPhase.DRAWING, ".named", nameable_cards),
    HintRow(KinapaPhase.DRAWING, ".open", lambda s: s.options.fox_draw == "choice" and _is_partner_open(s)),
    HintRow(KinapaPhase.ASKING, ".bot", _has_bot_to_act_on),
    HintRow(KinapaPhase.SEARCHING, ".bot", _has_bot_to_act_on),
    HintRow(KinapaPhase.HANDING, ".open", lambda s: s.options.demand_open),
    HintRow(KinapaPhase.RETURNING, ".number.open", lambda s: _is_number_kept_out(s) and _is_received_open(s)),
    HintRow(KinapaPhase.RETURNING, ".number.bot", lambda s: _is_number_kept_out(s) and _has_bot_to_act_on(s)),
    HintRow(KinapaPhase.RETURNING, ".number", _is_number_kept_out),
    HintRow(KinapaPhase.RETURNING, ".open", _is_received_open),
    HintRow(KinapaPhase.RETURNING, ".bot", _has_bot_to_act_on),
    HintRow(KinapaPhase.PLACING, ".where", turn_end.must_ask_slot),
    HintRow(KinapaPhase.PLACING, ".must", lambda s: s.options.place == "must"),
    HintRow(KinapaPhase.SWITCHING, ".person", lambda s: s.options.switch_progress == "person"),
)
"""The first row of the phase that holds counts."""


# What lies in front of a deck -------------------------------------------------------------------------------


def _deck_tokens(state: KinapaState, seat: Seat) -> tuple[Token, ...]:
    """What is in front of a deck."""
    mine = state.seats[seat]
    by_person = state.laid and state.options.switch_progress == "person"
    pairs = state.laid[seat] if by_person and not state.is_bot(seat) else () if by_person else mine.placed
    lying = [Token("pair", value=number, chip=TokenBackground.PAPER) for number in pairs]
    if seat == state.emperor and state.phase is not KinapaPhase.STARTING:
        lying.append(Token("emperor", motif="crown"))
    if mine.sheep:
        lying.append(Token("sheep"))
    if mine.foxes:
        lying.append(Token("fox", mine.foxes))
    return tuple(lying)


def _repair_table(state: KinapaState) -> TableValues:
    """What a repair starts from; nobody repairs a game without an Emperor."""
    if state.phase is KinapaPhase.STARTING:
        return ()
    facts: list[tuple[str, str | int]] = [("emperor", state.emperor)]
    for seat in range(len(state.seats)):
        lying = _deck_tokens(state, seat)
        kinds = {token.kind: token for token in lying}
        pairs = sorted(int(token.value or 0) for token in lying if token.kind == "pair")
        facts.append((f"sheep:{seat}", int("sheep" in kinds)))
        facts.append((f"foxes:{seat}", kinds["fox"].count if "fox" in kinds else 0))
        facts.append((f"placed:{seat}", ",".join(map(str, pairs))))
    facts += [
        (f"slot:{slot}", lying.pair if lying.lies is model.ObjectPosition.CLOSED else 0)
        for slot, lying in enumerate(state.slots, 1)
    ]
    return tuple(facts)


# BOT decks --------------------------------------------------------------------------------------------------


_AID_PHASES = frozenset(KinapaPhase) - {KinapaPhase.STARTING, KinapaPhase.ANNOUNCING, KinapaPhase.OVER}
INSTRUCTION_KEYS: Mapping[KinapaPhase, str] = {
    KinapaPhase.AIDING: "aid",
    KinapaPhase.DRAWING: "drawn",
    KinapaPhase.ASKING: "look",
    KinapaPhase.SEARCHING: "look",
    KinapaPhase.HANDING: "hand",
    KinapaPhase.RETURNING: "back",
    KinapaPhase.AUDITING: "show",
    KinapaPhase.SWITCHING: "switch",
}
"""What is done with the deck that a phase is about: `kinapa.bot.<note>`."""


def bot_to_act_on(state: KinapaState) -> Seat | None:
    """The BOT deck with which somebody has to do something now."""
    turn = state.turn
    seat: Seat | None = None
    match state.phase:
        case KinapaPhase.AIDING:
            seat = turn.aids[0]
        case KinapaPhase.ASKING | KinapaPhase.SEARCHING:
            waiting = seats_owing_answer(state)
            seat = waiting[0] if waiting else None
        case KinapaPhase.DRAWING | KinapaPhase.HANDING | KinapaPhase.RETURNING:
            seat = turn.partner
        case KinapaPhase.AUDITING:
            seat = turn.audit[0]
        case KinapaPhase.SWITCHING:
            seat = turn.successor
    return seat if seat is not None and state.is_bot(seat) else None


def _build_bot_view(state: KinapaState, seat: Seat, *, asked: bool) -> BotView:
    owner, mine = state.bot_owner(seat), state.seats[seat]
    return BotView(
        seat=seat,
        owner=None if owner is None else state.setup.chairs[owner],
        cards=mine.cards,
        tokens=_deck_tokens(state, seat),
        aid=_aid_face(state, seat),
        asked=asked,
        says=_bot_instruction(state, seat, asked=asked),
    )


def _aid_face(state: KinapaState, seat: Seat) -> str:
    """The face of the aid that lies on top, once it is laid for this turn."""
    mine, laid = state.seats[seat], state.phase in _AID_PHASES and seat not in state.turn.aids
    if not mine.cards or (not laid and not mine.foxes):
        return ""
    return "up" if laid and seat in state.turn.raised and not mine.foxes else "down"


def _bot_instruction(state: KinapaState, seat: Seat, *, asked: bool) -> Sentence:
    """What is done with this deck now, as somebody at the table would say it."""
    mine = state.seats[seat]
    if asked:
        aids = state.phase is KinapaPhase.AIDING
        chair = state.setup.chairs[bot_decks.aid_setter(state, seat) if aids else state.keeper_of(seat)]
        return Sentence(f"kinapa.bot.{INSTRUCTION_KEYS[state.phase]}", (("chair", chair),))
    if not mine.cards:
        return Sentence("kinapa.bot.empty")
    if state.phase is KinapaPhase.CHOOSING and seat in state.lowered:
        return Sentence("kinapa.bot.draw")
    return Sentence("kinapa.bot.open" if mine.foxes else "kinapa.bot.rest")


# After an undo ----------------------------------------------------------------------------------------------


def restore_instructions(later: KinapaState, earlier: KinapaState) -> tuple[Sentence, ...]:
    """The instructions that lead from the table of `later` to that of `earlier`."""
    todo: list[Sentence] = []
    pairs: set[int] = set()
    for slot, (now, then) in enumerate(zip(later.slots, earlier.slots, strict=True), 1):
        if now.lies is not then.lies:
            todo.append(Sentence(f"kinapa.back.object_{then.lies}", (("slot", slot),)))
        if now.lies is model.ObjectPosition.CLOSED and then.lies is not model.ObjectPosition.CLOSED:
            pairs.add(now.pair)
        elif slot in {_unknown_open_slot(earlier)} - {_unknown_open_slot(later)}:
            todo.append(Sentence("kinapa.back.object_open", (("slot", slot),)))
    laid = {
        number
        for after, before in zip(later.seats, earlier.seats, strict=True)
        for number in set(after.placed) - set(before.placed)
    }
    if _is_object_open_unplaced(earlier):
        if not _is_object_open_unplaced(later):
            todo.append(Sentence("kinapa.back.loose_open"))
    elif _is_object_open_unplaced(later) or not laid <= pairs:
        todo.append(Sentence("kinapa.back.loose_down"))
    pairs |= laid
    todo += [Sentence("kinapa.back.pair", (("number", number),)) for number in sorted(pairs)]
    if later.phase is not KinapaPhase.STARTING and earlier.phase is KinapaPhase.STARTING:
        todo.append(Sentence("kinapa.back.emperor_middle"))
    elif later.emperor != earlier.emperor:
        todo.append(Sentence("kinapa.back.emperor", (("chair", earlier.chair_of(earlier.emperor)),)))
    if later.desk.abandoned and later.down:
        todo.append(Sentence("kinapa.back.hands"))
    decks = zip(earlier.setup.chairs, later.decks, earlier.decks, strict=False)
    todo += [Sentence("kinapa.back.switch", (("chair", chair),)) for chair, now, then in decks if now != then]
    for seat, (after, before) in enumerate(zip(_decks_as_before(later, earlier), earlier.seats, strict=True)):
        whose = (narration.seat_part(earlier, seat),)
        if after.sheep != before.sheep:
            key = "kinapa.back.sheep_" + ("take" if before.sheep else "return")
            todo.append(narration.with_bot_suffix(Sentence(key, whose)))
        if after.foxes != before.foxes:
            todo.append(
                narration.with_bot_suffix(Sentence("kinapa.back.foxes", (*whose, ("count", before.foxes))))
            )
    moved = sum(seat.received for seat in later.seats) - sum(seat.received for seat in earlier.seats)
    if moved > 0:
        todo.append(Sentence("kinapa.back.cards", (("count", moved),)))
    return tuple(todo)


def open_faces(state: KinapaState) -> Iterator[OpenFace]:
    """The objects that lie open, the pairs on them, and the open hands of liars, each as a whole.

    Slot 0 is an object whose place nobody named.
    """
    for slot, lying in enumerate(state.slots, 1):
        if lying.lies is not model.ObjectPosition.DOWN:
            yield OpenFace(f"slot:{slot}", slot)
        if lying.lies is model.ObjectPosition.CLOSED:
            yield OpenFace(f"pair:{slot}", ("pair", slot, lying.pair))
    if _is_object_open_unplaced(state):
        yield OpenFace("slot:0", 0)
    for seat, deck in enumerate(state.seats):
        if faces := deck.open_cards():
            yield OpenFace(_open_hand_place(state, seat), (seat, faces))


def forget(state: KinapaState, place: str) -> model.ObjectForgotten | model.OpenCardsForgotten | None:
    """The open object is unknown, or the open hand; a pair tells everybody what it lies on."""
    if not place.startswith("slot:"):
        seats = (seat for seat in range(len(state.seats)) if _open_hand_place(state, seat) == place)
        return next(map(model.OpenCardsForgotten, seats), None)
    slot = int(place.partition(":")[2])
    return (
        None
        if slot and state.slots[slot - 1].lies is model.ObjectPosition.CLOSED
        else model.ObjectForgotten(slot)
    )


def _open_hand_place(state: KinapaState, seat: Seat) -> str:
    """Where the camera reads the open cards of a liar: in a row of the mat, if it has such rows."""
    row = state.seats[seat].row
    return f"open:{row}" if row else f"hand:{seat}"


def buttons(state: KinapaState, now: KinapaState) -> Iterator[model.ButtonUp | model.ButtonDown]:
    """No button goes up or down because rulings are taken back; after an end nobody saw what they did."""
    if state.phase is KinapaPhase.OVER:
        return
    down = () if now.phase is KinapaPhase.OVER else now.down
    yield from (model.ButtonUp(seat) for seat in state.down if seat not in down)
    yield from (model.ButtonDown(seat) for seat in down if seat not in state.down)


def _decks_as_before(later: KinapaState, earlier: KinapaState) -> tuple[model.SeatState, ...]:
    """The decks of `later` laid where they lay in `earlier`: what lies with a deck moves with it."""
    if later.decks == earlier.decks:
        return later.seats
    return tuple(later.seats[later.decks.index(deck)] for deck in earlier.decks)


def _unknown_open_slot(state: KinapaState) -> int:
    """The slot of the object that lies open and is not known any more; 0: there is none."""
    return state.turn.slot if state.phase is KinapaPhase.TURNING else 0


def _is_object_open_unplaced(state: KinapaState) -> bool:
    """Whether an object lies open whose place nobody named."""
    return state.phase is KinapaPhase.PLACING and not state.turn.slot
