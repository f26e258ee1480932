"""What everybody may see of a dnup game; it never shows what a hand holds.

Undo shows no more than that: which cards lay open, and what people put back on the real table.
"""

from collections.abc import Iterator, Mapping

from companion.core.actions import Seat, Setup
from companion.core.observations import UNKNOWN
from companion.core.rules import OpenFace, Rules
from companion.core.view import (
    Board,
    LampSignal,
    PlaceView,
    RepairField,
    Sentence,
    SetupPicture,
    Token,
    TokenBackground,
    TokenHeap,
    View,
    ViewMode,
)
from companion.games.dnup.rules import camera_rulings, model
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.model import DnupPhase, DnupState

_WIN_EVENTS = frozenset({"GameWon"})
BOARD = Board(
    option_pictures={
        "hand": ("choose_hand_orientation",),
        "clock": ("stall_limit",),
        "eye": ("show_hand_sizes",),
    },
    hand_back="back:pair",
    title="dnup",
    urgent_events=frozenset({"WentOut", "RoundEnded", *_WIN_EVENTS}),
    quiet_events=frozenset({"HandRotated"}),
    event_sounds={
        **dict.fromkeys(("SetPlayed", "CardAdded"), "card"),
        "SetTaken": "slide",
        "HandRotated": "flip",
        "WentOut": "chime",
        "GameWon": "win",
    },
    good_news_events=_WIN_EVENTS,
    full_screen_words={"WentOut": "out"},
    sentence_pictures=dict.fromkeys(("SetPlayed.value", "CardAdded.value"), ("value:{}",)),
    verb_pictures={"play": "play", "add": "add", "take": "pick_up", "rotate": "spin"},
    fully_tracked_places=frozenset({"set"}),
    oriented_cards=frozenset({"pair"}),
)


_SYMBOL_MOTIFS: Mapping[str, str] = {card.SAD: "sad", card.SMILE: "smile", card.NEUTRAL: "neutral"}
"""The motif of each symbol."""
_INSTRUCTING_RULES = frozenset({"discard.first", "play.not_higher", "add.not_higher", "take.whole_set"})
"""Refusals that say what to do with the cards, and go on being said until it is done."""
_PREPARING_PHASES = frozenset({DnupPhase.SCANNING, DnupPhase.SORTING, DnupPhase.DEALING})


def view(rules: Rules[DnupState], state: DnupState, mode: ViewMode = ViewMode.PLAY) -> View:
    """The table as it may be shown now."""
    return View(
        **rules.common_view_fields(state, _headline(state)),
        phase=state.phase,
        hint=rules.table_wording(state, _hint(state)),
        chairs=rules.chair_views(state, lamp=_lamp, cards=_cards, tokens=_tokens, note=_note),
        places=tuple(_place(state, at, area) for at, area in enumerate(state.areas))
        if state.is_turn_running
        else (),
        card=camera_rulings.CARD_PREFIX + card.STAR_CARD if state.phase is DnupPhase.DEALING else "",
        heaps=_symbol_heaps(state) if state.phase is DnupPhase.SORTING else (),
        fields=_fields(state),
        decided=_deciding_cards(state),
    )


def _deciding_cards(state: DnupState) -> tuple[str, ...]:
    """The set with which somebody went out, while it is there."""
    if not state.out or state.seat not in state.out:
        return ()
    return tuple(map(_face, state.areas[state.area].cards))


def setup_instructions(setup: Setup) -> tuple[Sentence, ...]:
    """What is done with the real cards for this many players."""
    assert isinstance(setup.options, model.DnupOptions)
    return (
        Sentence(f"dnup.prepare.{'scan' if setup.options.deck_file == 'scan' else f'out.{setup.players}'}"),
        Sentence("dnup.prepare.deal"),
        Sentence("dnup.prepare.areas.two" if setup.players == 2 else "dnup.prepare.areas"),
    )


def setup_pictures(setup: Setup) -> tuple[SetupPicture, ...]:
    """What that looks like: the cards that go, hands, and a place or two for each."""
    assert isinstance(setup.options, model.DnupOptions)
    symbols = () if setup.options.deck_file == "scan" else card.REMOVED_SYMBOLS[setup.players]
    out = tuple(f"pair:{name}" for name in card.PRINTED_DECK if card.card_symbol(name) in symbols)
    back = "back:pair"
    return (
        SetupPicture(boxed=out) if out else SetupPicture(piles=(back,)),
        SetupPicture(each=(back,) * 5),
        SetupPicture(each=("", "") if setup.players == 2 else ("",)),
    )


def _symbol_heaps(state: DnupState) -> tuple[TokenHeap, ...]:
    """The cards with a face: how many, and whether this many players use them."""
    deck, out = state.deck or card.PRINTED_DECK, card.REMOVED_SYMBOLS[state.players]
    return tuple(
        TokenHeap(
            f"dnup.heap.{'out' if mark in out else 'stays'}",
            kind,
            sum(card.card_symbol(name) == mark for name in deck),
        )
        for mark, kind in _SYMBOL_MOTIFS.items()
    )


def _headline(state: DnupState) -> Sentence:
    match state.phase:
        case DnupPhase.SCANNING:
            return Sentence("dnup.phase.scanning", (("count", len(state.shown)),))
        case DnupPhase.SORTING:
            return Sentence("dnup.phase.sorting")
        case DnupPhase.DEALING:
            return Sentence("dnup.phase.dealing", (("round", state.round + 1),))
        case DnupPhase.OVER:
            won = tuple(("chair", state.chair_of(seat)) for seat in state.winners[:1])
            return Sentence("dnup.phase.over", won)
    chair = (("chair", state.chair_of(state.seat)),)
    area = (("area", state.number(state.area)),) if state.is_two_player else ()
    size = (("count", state.size),) if state.phase is DnupPhase.VALUING else ()
    pair = ".two" if state.is_two_player and state.phase is DnupPhase.ACTING else ""
    return Sentence(f"dnup.phase.{state.phase}{pair}", (*chair, *(area if pair else ()), *size))


def _hint(state: DnupState) -> Sentence | None:
    """What to do with the real cards."""
    match state.phase:
        case DnupPhase.OVER:
            return None
        case DnupPhase.SORTING:
            return Sentence(f"dnup.hint.sorting.{state.players}", (("count", len(state.cards_in_use)),))
        case DnupPhase.DEALING:
            either = ".either" if state.options.choose_hand_orientation else ""
            return Sentence(f"dnup.hint.dealing{either}", (("each", state.cards_each),))
        case DnupPhase.SCANNING if state.doubt:
            return Sentence("dnup.hint.scanning.unread")
        case DnupPhase.ACTING:
            return _turn_hint(state)
    return Sentence(f"dnup.hint.{state.phase}")


def _turn_hint(state: DnupState) -> Sentence:
    unread = next((at for at, area in enumerate(state.areas) if area.unread), None)
    if state.due is not None:
        return Sentence("dnup.hint.settling")
    if state.doubt:
        return Sentence("dnup.hint.doubt")
    if camera_rulings.changed_areas(state):
        return _misplacement_hint(state)
    if unread is not None:
        return Sentence("dnup.hint.unread", (("chair", state.chair_of(state.owner(unread))),))
    clear = camera_rulings.areas_to_clear(state)
    if clear:
        return Sentence("dnup.hint.clear", (("chair", state.chair_of(state.owner(clear[0]))),))
    if state.stalled:
        return Sentence("dnup.hint.stalled")
    first = "" if any(area.cards or area.old for area in state.areas) else ".first"
    return Sentence(f"dnup.hint.acting{first}")


def _misplacement_hint(state: DnupState) -> Sentence:
    """What was asked of the player in turn when the cards were refused, else where they are otherwise."""
    rule = camera_rulings.rule_against_table(state)
    if rule in _INSTRUCTING_RULES:
        return Sentence(f"dnup.hint.misplaced.{rule}", (("chair", state.chair_of(state.seat)),))
    area = next(iter(camera_rulings.changed_areas(state)))
    return Sentence("dnup.hint.misplaced", (("chair", state.chair_of(state.owner(area))),))


def _lamp(state: DnupState, seat: Seat) -> LampSignal:
    """The player in turn blinks slowly; before the deal is opened everybody is lit."""
    match state.phase:
        case DnupPhase.OVER:
            return LampSignal.FAST if seat in state.winners else LampSignal.DARK
        case DnupPhase.DEALING:
            return LampSignal.LIT
        case DnupPhase.SCANNING | DnupPhase.SORTING:
            return LampSignal.SLOW if seat == 0 else LampSignal.DARK
    return LampSignal.SLOW if seat == state.seat else LampSignal.DARK


def _cards(state: DnupState, seat: Seat) -> int:
    return state.hands[seat].size if state.options.show_hand_sizes else 0


def _tokens(state: DnupState, seat: Seat) -> tuple[Token, ...]:
    """Points, or letters of the game's name, once anybody has any."""
    points = state.points[seat]
    letters = state.options.score_style == "letters"
    if not any(state.points) or (letters and not points):
        return ()
    if letters:
        won = "dnup"[: 2 * points if state.is_two_player else points]
    else:
        won = f"{points}/{model.WINNING_ROUNDS if state.is_two_player else model.WINNING_POINTS}"
    return (Token("pair", value=won, chip=TokenBackground.PAPER),)


def _note(state: DnupState, seat: Seat) -> Sentence | None:
    if seat in state.out and state.phase is not DnupPhase.OVER and state.phase not in _PREPARING_PHASES:
        return Sentence("dnup.note.out")
    return None


def _place(state: DnupState, at: int, area: model.PlayArea) -> PlaceView:
    """A set as its owner sees it; in this turn's area what is being laid."""
    cards = area.cards
    if state.is_turn_running and at == state.area and not cards:
        cards = camera_rulings.fresh_cards(state) if state.due is not None else ()
    faces = tuple(map(_face, cards))
    return PlaceView(
        region=model.area_region(at),
        card=faces[0] if faces else "",
        on_top=faces[1:],
        chair=state.chair_of(state.owner(at)),
        number=state.number(at),
        active=at == state.area,
    )


def _face(one: str) -> str:
    """A card as the screen draws it: which one it is and which way it lies, or only its value."""
    name = card.card_name(one)
    if one == card.COVERED_CARD:
        return UNKNOWN
    if not name:
        return f"value:{card.active_value(one)}"
    return f"{camera_rulings.CARD_PREFIX}{name}" + ("" if card.card_as_read(name, 0) == one else "@180")


def _fields(state: DnupState) -> tuple[RepairField, ...]:
    """Whose turn it is, what lies where, how many cards and points everybody has."""
    if not state.is_turn_running:
        return ()
    seats = tuple(range(state.players))
    playing = tuple(seat for seat in seats if seat not in state.out)
    fields = [RepairField("turn", "dnup.field.turn", state.seat, playing, seats=True)]
    values, held = tuple(range(card.HIGHEST_VALUE + 1)), tuple(range(len(state.cards_in_use) + 1))
    for at, area in enumerate(state.areas):
        if at == state.area:
            continue
        chair = state.chair_of(state.owner(at))
        which = f".{state.number(at)}" if state.is_two_player else ""
        fields += [
            RepairField(f"size:{at}", f"dnup.field.size{which}", len(area.cards), values, chair),
            RepairField(f"value:{at}", f"dnup.field.value{which}", state.value(at), values, chair),
        ]
    points = tuple(range(model.WINNING_ROUNDS if state.is_two_player else model.WINNING_POINTS))
    for seat in seats:
        chair = state.chair_of(seat)
        fields += [
            RepairField(f"hand:{seat}", "dnup.field.hand", state.hands[seat].size, held, chair),
            RepairField(f"points:{seat}", "dnup.field.points", state.points[seat], points, chair),
        ]
    return tuple(fields)


# After an undo ----------------------------------------------------------------------------------------------


def restore_instructions(later: DnupState, earlier: DnupState) -> tuple[Sentence, ...]:
    """The instructions that lead from the table of `later` to that of `earlier`."""
    if later.round != earlier.round or later.is_turn_running != earlier.is_turn_running:
        return tuple(_deal_instructions(earlier))
    todo: list[Sentence] = []
    for at, (now, then) in enumerate(zip(later.areas, earlier.areas, strict=True)):
        if now.cards == then.cards:
            continue
        chair = ("chair", earlier.chair_of(earlier.owner(at)))
        if then.cards:
            todo.append(Sentence("dnup.back.lies", (chair, ("count", len(then.cards)))))
        else:
            todo.append(Sentence("dnup.back.nothing", (chair,)))
    for seat, (held, before) in enumerate(zip(later.hands, earlier.hands, strict=True)):
        chair = ("chair", earlier.chair_of(seat))
        if held.size != before.size:
            todo.append(Sentence("dnup.back.hand", (chair, ("count", before.size))))
    if later.spins != earlier.spins:
        todo += [
            Sentence("dnup.back.rotate", (("chair", earlier.chair_of(seat)),))
            for seat in range(earlier.players)
            if (later.spins[seat] - earlier.spins[seat]) % 2
        ]
    return tuple(todo)


def _deal_instructions(earlier: DnupState) -> Iterator[Sentence]:
    """What lay where in another deal, or before one."""
    if earlier.phase is DnupPhase.OVER:
        return
    if not earlier.is_turn_running:
        yield Sentence("dnup.back.gather")
        return
    yield Sentence("dnup.back.round")
    for at, area in enumerate(earlier.areas):
        if area.cards:
            chair = earlier.chair_of(earlier.owner(at))
            yield Sentence("dnup.back.lies", (("chair", chair), ("count", len(area.cards))))
    for seat, hand in enumerate(earlier.hands):
        yield Sentence("dnup.back.hand", (("chair", earlier.chair_of(seat)), ("count", hand.size)))


def restored_turn(later: DnupState, earlier: DnupState) -> Sentence | None:
    """Whose turn it is again; in another deal it is said in any case."""
    if not earlier.is_turn_running:
        return None
    if (later.round, later.is_turn_running, later.seat) == (earlier.round, True, earlier.seat):
        return None
    return Sentence("dnup.back.turn", (("chair", earlier.chair_of(earlier.seat)),))


def set_lies_open(state: DnupState, at: int) -> bool:
    """Whether a set lies in an area. After a round all are gathered: until it was seen to be gone."""
    area = state.areas[at]
    gone = area.seen is not None and not card.contains_cards(area.cards, area.seen)
    return bool(area.cards) and (_lies_as_played(state) or not gone)


def _lies_as_played(state: DnupState) -> bool:
    """Whether nobody has gathered anything yet: nobody does because a game is given up."""
    return state.is_turn_running or state.desk.abandoned


def open_faces(state: DnupState) -> Iterator[OpenFace]:
    """The sets, with what was seen there besides and is not ruled on yet, such as what is being laid."""
    for at, area in enumerate(state.areas):
        if set_lies_open(state, at):
            yield OpenFace(model.area_region(at), at, any(one != card.COVERED_CARD for one in area.cards))
        seen = card.remove_cards(area.seen or (), area.old)
        if _lies_as_played(state) and seen and not card.may_be_same_cards(seen, area.cards):
            due = state.due if at == state.area and not area.cards else None
            yield OpenFace(f"seen:{at + 1}", (at, due, seen))


def forget(state: DnupState, place: str) -> model.SetForgotten:
    """Nothing is known of what lies in an area."""
    return model.SetForgotten(int(place.partition(":")[2]) - 1)
