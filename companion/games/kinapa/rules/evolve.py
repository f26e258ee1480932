"""Applies Kinapa's events to its state, without judging anything, so that a replay never re-judges.

Once the players have said what is on the table, the turn goes on where it stood, with who was punished in it
and who has to be crowned. It ends only where what is named takes its ground away: another Emperor begins a
turn; where the pair of the announced number lies, another is announced or the demand does nothing; an object
that carries a pair is open no more.
"""

from collections.abc import Callable, Mapping
from typing import Any, assert_never, get_args

from msgspec.structs import replace

from companion.core import events as shared
from companion.core.actions import Seat
from companion.core.events import Event
from companion.core.view import TableValues
from companion.games.kinapa.rules import bot_decks, model
from companion.games.kinapa.rules.model import (
    CLOSED,
    DOWN,
    HAND_SIZE,
    OPEN,
    AnyKinapaEvent,
    Claim,
    KinapaPhase,
    KinapaState,
    SeatState,
    Slot,
    Turn,
    object_label,
)
from companion.games.kinapa.rules.turn_end import sole_successor_reason


def evolve(state: KinapaState, event: AnyKinapaEvent) -> KinapaState:
    """The state after `event`."""
    return _APPLY_BY_EVENT[type(event)](state, event)


def _apply_count(state: KinapaState, event: model.CountEvent) -> KinapaState:
    turn = state.turn
    match event:
        case model.HandRaised():
            return _with_turn(state, raised=(*turn.raised, event.seat))
        case model.BeatStruck():
            return _with_turn(state, beat=event.beat)
        case model.NumberAnnounced():
            new = Turn(number=event.number, cue_due=event.cue_due, attempt=1)
            return replace(state, phase=KinapaPhase.ANNOUNCED, turn=new, turns=state.turns + 1)
        case model.CountOpened():
            return _with_turn(state, KinapaPhase.COUNTING, first_beat=event.first_beat)
        case model.AidsAsked():
            return _with_turn(state, KinapaPhase.AIDING, aids=event.seats)
        case model.AidLaid():
            raised = (*turn.raised, event.seat) if event.raised else turn.raised
            return _with_turn(state, raised=raised, aids=turn.aids[1:])
        case model.CountDue():
            return _with_turn(state, KinapaPhase.ANNOUNCED, cue_due=event.cue_due)
        case model.HandsLocked():
            claims = tuple(
                _build_claim(state, seat, denied=False) for seat in event.raised if not state.is_bot(seat)
            )
            return replace(
                _with_turn(state, KinapaPhase.PAIRING, raised=event.raised), claims=(*state.claims, *claims)
            )
        case model.HandLowered():
            raised = tuple(seat for seat in turn.raised if seat != event.seat)
            return _with_turn(state, raised=raised)
        case model.ButtonDown():
            return replace(state, down=(*state.down, event.seat))
        case model.ButtonUp():
            return replace(state, down=tuple(seat for seat in state.down if seat != event.seat))
        case model.HandTooEarly() | model.HandTooLate():
            return state
        case model.RecountAsked():
            return _with_turn(state, KinapaPhase.ANNOUNCED, cue_due=event.cue_due, attempt=turn.attempt + 1)
        case shared.WindowVoided():
            aids = tuple(seat for seat in turn.raised if state.is_bot(seat))
            return _with_turn(state, KinapaPhase.RECOUNTING, raised=aids, first_beat=None, beat=0)
        case _:
            assert_never(event)


def _apply_exchange(state: KinapaState, event: model.ExchangeEvent) -> KinapaState:
    match event:
        case model.CardReturned():
            return replace(_move_card(state, state.emperor, event.seat), phase=KinapaPhase.TURNING)
        case model.PairDenied():
            return replace(state, phase=event.then)
        case model.PartnerChosen():
            return _with_turn(state, KinapaPhase.DRAWING, partner=event.seat)
        case model.KinapaCardDrawn():
            moved = _move_card(_forget_holdings(state, event.seat, state.emperor), event.seat, state.emperor)
            return _with_turn(moved, KinapaPhase.RETURNING, partner=event.seat, card=event.card)
        case model.PairShown():
            return _with_turn(state, event.then, pair_shown=True, found=(), holders=())
        case model.ExchangeDeclined():
            return replace(state, phase=KinapaPhase.TURNING)
        case model.HandPlaceDrawn():
            return _with_turn(state, lot=event.place)
        case _:
            assert_never(event)


def _apply_demand(state: KinapaState, event: model.DemandEvent) -> KinapaState:
    turn = state.turn
    match event:
        case model.NumberDenied():
            if not state.is_bot(event.seat):
                state = replace(state, claims=(*state.claims, _build_claim(state, event.seat, denied=True)))
            return _with_turn(state, answers=(*turn.answers, (event.seat, False)))
        case model.NumberAdmitted():
            return _with_turn(state, answers=(*turn.answers, (event.seat, True)))
        case model.HolderFound():
            return _with_turn(
                state, KinapaPhase.HANDING, holders=turn.holders or (event.seat,), partner=event.seat
            )
        case model.CardHanded():
            state = _drop_claims(state, event.seat, event.number)
            state = _move_card(_forget_holdings(state, event.seat, state.emperor), event.seat, state.emperor)
            state = replace(state, holds=(*state.holds, (state.emperor, event.number)))
            return _with_turn(state, KinapaPhase.RETURNING, partner=event.seat, card=event.card)
        case model.SoleLoweredAsked():
            return _with_turn(state, KinapaPhase.ASKING, asked=event.seat)
        case model.BotAsked(then=KinapaPhase.ASKING):
            return _with_turn(state, KinapaPhase.ASKING, asked=event.seat)
        case model.AllAsked() | model.LiarCalled() | model.BotAsked():
            return _with_turn(state, KinapaPhase.SEARCHING)
        case model.TwoHolders():
            return _with_turn(state, KinapaPhase.PICKING, holders=event.seats)
        case model.LiarPunished():
            forced = (*turn.forced, event.seat) if event.priority else turn.forced
            state = _with_foxes(state, event.seat, event.foxes)
            return _with_turn(state, punished=(*turn.punished, event.seat), forced=forced)
        case model.FoxesTaken():
            return _with_foxes(state, event.seat, event.left)
        case model.HandoverRefused() | model.PunishmentSpared():
            return state
        case model.AuditOpened():
            return _with_turn(state, KinapaPhase.AUDITING, audit=event.seats)
        case model.CardFound():
            state = _drop_claims(state, event.seat, turn.number)
            return _with_turn(state, audit=turn.audit[1:], found=(*turn.found, event.seat))
        case model.CardNotFound():
            return _with_turn(state, audit=turn.audit[1:])
        case _:
            assert_never(event)


def _apply_ring(state: KinapaState, event: model.RingEvent) -> KinapaState:
    match event:
        case model.ObjectTurned():
            state = with_slot(state, event.slot, label=event.label, lies=OPEN, misplaced=False)
            return _with_turn(state, KinapaPhase.PLACING, label=event.label, slot=event.slot)
        case model.ObjectHidden():
            state = with_slot(state, event.slot, lies=DOWN, misplaced=False)
            return _with_turn(state, label="", slot=0)
        case model.ObjectForgotten():
            state = with_slot(state, event.slot, label="", lies=DOWN, misplaced=False)
            turned = state.phase is KinapaPhase.PLACING and event.slot == state.turn.slot
            return _with_turn(state, KinapaPhase.TURNING, label="") if turned else state
        case model.PairPlaced():
            state = _drop_claims(state, event.seat, event.number)
            owner = state.seats[event.seat]
            state = _with_seat(
                state, event.seat, cards=owner.cards - 2, placed=(*owner.placed, event.number), opened=()
            )
            state = with_slot(state, event.slot, lies=CLOSED, pair=event.number)
            if state.laid:
                laid = list(state.laid)
                laid[event.seat] = (*laid[event.seat], event.number)
                state = replace(state, laid=tuple(laid))
            if state.holds:
                kept = tuple(held for held in state.holds if held != (event.seat, event.number))
                state = replace(state, holds=kept)
            return _with_turn(state, KinapaPhase.TURNING, label="", slot=0)
        case model.KinapaMisplacementSeen():
            return with_slot(state, event.slot, misplaced=True)
        case model.KinapaMisplacementResolved():
            return with_slot(state, event.slot, misplaced=False)
        case _:
            assert_never(event)


def _apply_succession(state: KinapaState, event: model.SuccessionEvent) -> KinapaState:
    match event:
        case model.EmperorCrowned():
            stays = state.stays if event.seat == state.emperor else 0
            return replace(
                state,
                phase=KinapaPhase.ANNOUNCING,
                emperor=event.seat,
                turn=Turn(),
                stays=stays,
                left_one=sole_successor_reason(state, event.seat),
            )
        case model.SheepTaken():
            return _with_seat(state, event.seat, sheep=True)
        case model.SuccessorAsked():
            return _with_turn(state, KinapaPhase.SUCCEEDING, candidates=event.seats)
        case model.SheepReturned():
            seats = tuple(replace(seat, sheep=place == event.seat) for place, seat in enumerate(state.seats))
            return replace(state, seats=seats)
        case model.FoxRemoved():
            return _with_foxes(state, event.seat, event.left)
        case model.AnimalMissing():
            return replace(state, lowest=event.after)
        case model.SwitchAsked():
            return _with_turn(state, KinapaPhase.SWITCHING, candidates=event.seats, successor=event.seat)
        case model.DecksSwitched():
            return _switch_decks(state, event.seat, event.bot)
        case model.DeckEmptied():
            return _with_foxes(_with_seat(state, event.seat, sheep=False), event.seat, 0)
        case model.EmperorStays():
            return replace(state, phase=KinapaPhase.ANNOUNCING, turn=Turn(), stays=state.stays + 1)
        case model.FoxTickAgreed():
            return replace(state, fox_per_turn=True)
        case model.KinapaGameWon():
            return replace(state, phase=KinapaPhase.OVER, winner=event.seat)
        case shared.GameAbandoned():
            return replace(state, phase=KinapaPhase.OVER)
        case _:
            assert_never(event)


def _apply_knowledge(state: KinapaState, event: model.KnowledgeEvent) -> KinapaState:
    match event:
        case model.FalseDenialProven() | model.LieProven():
            return _drop_claims(state, event.seat, event.number)
        case model.OpenCardsSeen():
            return _with_seat(state, event.seat, opened=event.cards, row=event.row)
        case shared.Repaired():
            return _apply_repair(state, event.table)
        case _:
            assert_never(event)


def _apply_nothing(state: KinapaState, event: model.NoEffectEvent) -> KinapaState:
    return state


_APPLY_BY_EVENT: Mapping[type[Event], Callable[[KinapaState, Any], KinapaState]] = {
    kind: part
    for part, kinds in (
        (_apply_count, model.CountEvent),
        (_apply_exchange, model.ExchangeEvent),
        (_apply_demand, model.DemandEvent),
        (_apply_ring, model.RingEvent),
        (_apply_succession, model.SuccessionEvent),
        (_apply_knowledge, model.KnowledgeEvent),
        (_apply_nothing, model.NoEffectEvent),
    )
    for kind in get_args(kinds)
}
"""Which part folds which event: a class pattern that does not match costs as much as the fold itself."""


# What the players say is on the table -----------------------------------------------------------------------


_HAND_PHASES = frozenset(
    {
        KinapaPhase.AIDING,
        KinapaPhase.ANNOUNCED,
        KinapaPhase.RECOUNTING,
        KinapaPhase.COUNTING,
        KinapaPhase.PAIRING,
    }
)
"""From the announcement until something is ruled on how the hands stand."""
_DEMAND_PHASES = frozenset(
    {
        KinapaPhase.ASKING,
        KinapaPhase.SEARCHING,
        KinapaPhase.PICKING,
        KinapaPhase.HANDING,
        KinapaPhase.AUDITING,
    }
)
"""From the demand until the number is handed over."""


def _apply_repair(state: KinapaState, table: TableValues) -> KinapaState:
    """The state with what `table` names; `ValueError` or `IndexError` on what cannot be."""
    before = state
    pairs: dict[Seat, tuple[int, ...]] = {}
    for name, value in table:
        what, _, where = name.partition(":")
        place = 0 if what == "emperor" else int(where)
        if place < (what == "slot"):
            raise IndexError(name)
        match what:
            case "emperor":
                state = replace(state, emperor=int(value))
            case "sheep":
                state = _set_sheep(state, place, has=bool(value))
            case "foxes":
                state = _set_foxes(state, place, int(value))
            case "placed":
                pairs[place] = _parse_numbers(value)
            case "slot":
                state = _set_slot_pair(state, place, int(value))
            case _:
                raise ValueError(name)
    if pairs:
        state = _drop_proofs(_set_placed_pairs(state, pairs), before)
    if state.emperor != before.emperor:
        return _begin_turn(replace(state, stays=0))
    return (
        _drop_announced_number(state)
        if state.turn.number in state.placed_numbers - before.placed_numbers
        else state
    )


def _set_sheep(state: KinapaState, seat: Seat, *, has: bool) -> KinapaState:
    """Only a liar without a Sheep has to be the next Emperor (KA17)."""
    turn, state = state.turn, _with_seat(state, seat, sheep=has)
    forced = tuple(liar for liar in turn.forced if liar != seat)
    if seat in turn.punished and seat in turn.raised and bot_decks.has_crown_priority(state, seat):
        forced = (*forced, seat)
    return _with_turn(state, forced=forced)


def _set_foxes(state: KinapaState, seat: Seat, foxes: int) -> KinapaState:
    """A seat with a Fox has not raised (K-T19), and nobody lays an aid for a BOT that has one."""
    state = _with_foxes(state, seat, foxes)
    if not foxes or state.phase not in _HAND_PHASES:
        return state
    raised = tuple(other for other in state.turn.raised if other != seat)
    aids = tuple(bot for bot in state.turn.aids if bot != seat)
    counts = state.phase is KinapaPhase.AIDING and not aids
    return _with_turn(state, KinapaPhase.RECOUNTING if counts else None, raised=raised, aids=aids)


def _set_slot_pair(state: KinapaState, slot: int, pair: int) -> KinapaState:
    """A pair lies on an object, or on none; an object that carries one is open no more."""
    state = _with_slot_pair(state, slot, pair)
    if state.phase is KinapaPhase.PLACING and slot == state.turn.slot:
        return _with_turn(state, KinapaPhase.TURNING, label="", slot=0)
    return state


def _with_slot_pair(state: KinapaState, slot: int, pair: int) -> KinapaState:
    slots = list(state.slots)
    slots[slot - 1] = Slot(object_label(pair), CLOSED, pair) if pair else Slot()
    return replace(state, slots=tuple(slots))


# Pairs ------------------------------------------------------------------------------------------------------


def _parse_numbers(value: str | int) -> tuple[int, ...]:
    return tuple(int(number) for number in str(value).split(",") if number)


def _set_placed_pairs(state: KinapaState, declared: Mapping[Seat, tuple[int, ...]]) -> KinapaState:
    """Pairs lie with other decks; a hand has two cards fewer for each."""
    by_person = bool(state.laid) and state.options.switch_progress == "person"
    if by_person:
        state, declared = _assign_pairs_by_person(state, declared)
    for seat, placed in declared.items():
        deck = state.seats[seat]
        cards = deck.cards - 2 * (len(placed) - len(deck.placed))
        if cards < 0 or len(placed) > max(1, len(deck.placed)):
            raise ValueError(f"pairs of seat {seat}")
        if placed != deck.placed:
            state = _with_seat(state, seat, placed=placed, cards=cards, opened=())
    return replace(state, laid=_pairs_laid_by_person(state)) if state.laid and not by_person else state


def _assign_pairs_by_person(
    state: KinapaState, declared: Mapping[Seat, tuple[int, ...]]
) -> tuple[KinapaState, Mapping[Seat, tuple[int, ...]]]:
    """Who laid which pair (KA31): one that lies stays with its deck, a new one joins its owner's."""
    if any(state.is_bot(seat) for seat in declared):
        raise ValueError("nobody lays a pair for a BOT")
    laid = tuple(declared.get(person, pairs) for person, pairs in enumerate(state.laid))
    lying = {number for pairs in laid for number in pairs}
    decks = [[number for number in seat.placed if number in lying] for seat in state.seats]
    for person, pairs in enumerate(laid):
        decks[person] += [number for number in pairs if number not in state.placed_numbers]
    return replace(state, laid=laid), {seat: tuple(placed) for seat, placed in enumerate(decks)}


def _pairs_laid_by_person(state: KinapaState) -> tuple[tuple[int, ...], ...]:
    """Who laid which pair, after the table was declared: a new one the holder of its deck."""
    before = {number for pairs in state.laid for number in pairs}
    kept = [[number for number in pairs if number in state.placed_numbers] for pairs in state.laid]
    for person, pairs in enumerate(kept):
        pairs += [number for number in state.seats[person].placed if number not in before]
    return tuple(map(tuple, kept))


def _drop_proofs(state: KinapaState, before: KinapaState) -> KinapaState:
    """Drop what was proven of decks and numbers whose pairs were wrong on the screen (KI1, KI7)."""
    decks = zip(state.seats, before.seats, strict=True)
    changed = [(seat, _changed_numbers(now, then)) for seat, (now, then) in enumerate(decks)]
    seats = {seat for seat, numbers in changed if numbers}
    numbers = {number for _, moved in changed for number in moved}
    claims = (claim for claim in state.claims if claim.seat not in seats and claim.number not in numbers)
    holds = (held for held in state.holds if held[0] not in seats and held[1] not in numbers)
    return replace(state, claims=tuple(claims), holds=tuple(holds))


def _changed_numbers(now: SeatState, then: SeatState) -> set[int]:
    return set(now.placed) ^ set(then.placed)


# The turn ---------------------------------------------------------------------------------------------------


def _begin_turn(state: KinapaState) -> KinapaState:
    """The Emperor's turn begins; a card that was on its way is back, and what was said proves nothing."""
    seats = tuple(replace(seat, cards=HAND_SIZE - 2 * len(seat.placed)) for seat in state.seats)
    return replace(state, phase=KinapaPhase.ANNOUNCING, turn=Turn(), claims=(), holds=(), seats=seats)


def _drop_announced_number(state: KinapaState) -> KinapaState:
    """The pair of the announced number lies: another is announced, or the demand for it does nothing."""
    if state.phase in _HAND_PHASES:
        return replace(state, phase=KinapaPhase.ANNOUNCING, turn=Turn())
    return replace(state, phase=KinapaPhase.TURNING) if state.phase in _DEMAND_PHASES else state


# Parts of a change ------------------------------------------------------------------------------------------


def _with_turn(state: KinapaState, phase: KinapaPhase | None = None, **changes: Any) -> KinapaState:
    """The state with something changed about the turn, and in another phase if one is given."""
    return replace(state, phase=phase or state.phase, turn=replace(state.turn, **changes))


def _with_seat(state: KinapaState, seat: Seat, **changes: Any) -> KinapaState:
    """The state with something changed about one seat's deck."""
    seats = list(state.seats)
    seats[seat] = replace(seats[seat], **changes)
    return replace(state, seats=tuple(seats))


def _with_foxes(state: KinapaState, seat: Seat, foxes: int) -> KinapaState:
    """This many Foxes; without any the cards are taken up, and the row they lay in is anybody's."""
    kept: dict[str, Any] = {} if foxes else {"opened": (), "row": 0}
    return _with_seat(state, seat, foxes=foxes, **kept)


def with_slot(state: KinapaState, slot: int, **changes: Any) -> KinapaState:
    """The state with something changed about a place of the ring, numbered from 1; 0 changes nothing."""
    if slot == 0:
        return state
    slots = list(state.slots)
    slots[slot - 1] = replace(slots[slot - 1], **changes)
    return replace(state, slots=tuple(slots))


def _move_card(state: KinapaState, giver: Seat, taker: Seat) -> KinapaState:
    """One unseen card goes from hand to hand; claims that two received cards could explain are dropped."""
    seats = list(state.seats)
    seats[giver] = replace(seats[giver], cards=seats[giver].cards - 1, opened=())
    received = seats[taker].received + 1
    seats[taker] = replace(seats[taker], cards=seats[taker].cards + 1, received=received)
    claims = tuple(claim for claim in state.claims if claim.seat != taker or received - claim.received < 2)
    return replace(state, seats=tuple(seats), claims=claims)


def _forget_holdings(state: KinapaState, *seats: Seat) -> KinapaState:
    """After another exchange nobody knows whether these seats still hold what they held (KI7)."""
    if not state.holds:
        return state
    return replace(state, holds=tuple(held for held in state.holds if held[0] not in seats))


def _switch_decks(state: KinapaState, hand: Seat, bot: Seat) -> KinapaState:
    """Two decks change places; what is known of a deck goes along, what a person claimed of it is dropped."""
    there = {hand: bot, bot: hand}

    def remap_seats(seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
        return tuple(there.get(seat, seat) for seat in seats)

    places = remap_seats(tuple(range(len(state.seats))))
    turn = replace(
        state.turn,
        raised=remap_seats(state.turn.raised),
        punished=remap_seats(state.turn.punished),
        forced=remap_seats(state.turn.forced),
    )
    return replace(
        state,
        seats=tuple(state.seats[place] for place in places),
        decks=tuple(state.decks[place] for place in places),
        holds=tuple((there.get(seat, seat), number) for seat, number in state.holds),
        claims=tuple(claim for claim in state.claims if claim.seat not in there),
        turn=turn,
        stays=0,
    )


def _build_claim(state: KinapaState, seat: Seat, *, denied: bool) -> Claim:
    """What a seat claims now of the announced number: a raised hand, or (`denied`) an answer."""
    return Claim(seat, state.turn.number, denied, state.seats[seat].received, state.turns)


def _drop_claims(state: KinapaState, seat: Seat, number: int) -> KinapaState:
    """Drop the claims of `seat` on `number`: they are proven, or the card is gone."""
    kept = tuple(claim for claim in state.claims if claim.seat != seat or claim.number != number)
    return state if len(kept) == len(state.claims) else replace(state, claims=kept)
