"""Puts the state right once the players have said what is on the table.

The turn goes on where it stood, with who was punished in it and who has to be crowned. It ends only where
what is named takes its ground away: another Emperor begins a turn; where the pair of the announced number
lies, another is announced or the demand does nothing; an object that carries a pair is open no more.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from companion.core.actions import Seat
from companion.core.events import Repaired
from companion.games.kinapa.rules import model
from companion.games.kinapa.rules.model import KinapaPhase, KinapaState

_HANDS_UNRULED_PHASES = frozenset(
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


def apply_repair(state: KinapaState, repair: Repaired) -> KinapaState:
    """The state with what the players named; `ValueError` or `IndexError` on what cannot be."""
    before = state
    pairs: dict[Seat, tuple[int, ...]] = {}
    for name, value in repair.table:
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
                pairs[place] = tuple(int(number) for number in str(value).split(",") if number)
            case "slot":
                state = _set_slot_pair(state, place, int(value))
            case _:
                raise ValueError(name)
    if pairs:
        state = _drop_proofs(_set_placed_pairs(state, pairs), before)
    if state.emperor != before.emperor:
        return _begin_turn(replace(state, stays=0))
    lies_now = state.turn.number in state.placed_numbers - before.placed_numbers
    return _drop_announced_number(state) if lies_now else state


def _set_sheep(state: KinapaState, seat: Seat, *, has: bool) -> KinapaState:
    """Only a liar without a Sheep has to be the next Emperor (KA17)."""
    turn, state = state.turn, model.with_seat(state, seat, sheep=has)
    forced = tuple(liar for liar in turn.forced if liar != seat)
    if seat in turn.punished and seat in turn.raised and not has and state.can_be_crowned(seat):
        forced = (*forced, seat)
    return model.with_turn(state, forced=forced)


def _set_foxes(state: KinapaState, seat: Seat, foxes: int) -> KinapaState:
    """A seat with a Fox has not raised (K-T19), and nobody lays an aid for a BOT that has one."""
    state = model.with_foxes(state, seat, foxes)
    if not foxes or state.phase not in _HANDS_UNRULED_PHASES:
        return state
    raised = tuple(other for other in state.turn.raised if other != seat)
    aids = tuple(bot for bot in state.turn.aids if bot != seat)
    counts = state.phase is KinapaPhase.AIDING and not aids
    return model.with_turn(state, KinapaPhase.RECOUNTING if counts else None, raised=raised, aids=aids)


def _set_slot_pair(state: KinapaState, slot: int, pair: int) -> KinapaState:
    """A pair lies on an object, or on none; an object that carries one is open no more."""
    slots = list(state.slots)
    slots[slot - 1] = model.Slot(model.object_label(pair), model.CLOSED, pair) if pair else model.Slot()
    state = replace(state, slots=tuple(slots))
    if state.phase is KinapaPhase.PLACING and slot == state.turn.slot:
        return model.with_turn(state, KinapaPhase.TURNING, label="", slot=0)
    return state


# Pairs ------------------------------------------------------------------------------------------------------


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
            state = model.with_seat(state, seat, placed=placed, cards=cards, opened=())
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
    changed = [(seat, set(now.placed) ^ set(then.placed)) for seat, (now, then) in enumerate(decks)]
    seats = {seat for seat, numbers in changed if numbers}
    numbers = {number for _, moved in changed for number in moved}
    claims = (claim for claim in state.claims if claim.seat not in seats and claim.number not in numbers)
    holds = (held for held in state.holds if held[0] not in seats and held[1] not in numbers)
    return replace(state, claims=tuple(claims), holds=tuple(holds))


# The turn ---------------------------------------------------------------------------------------------------


def _begin_turn(state: KinapaState) -> KinapaState:
    """The Emperor's turn begins; a card that was on its way is back, and what was said proves nothing."""
    seats = tuple(replace(seat, cards=model.HAND_SIZE - 2 * len(seat.placed)) for seat in state.seats)
    return replace(state, phase=KinapaPhase.ANNOUNCING, turn=model.Turn(), claims=(), holds=(), seats=seats)


def _drop_announced_number(state: KinapaState) -> KinapaState:
    """The pair of the announced number lies: another is announced, or the demand for it does nothing."""
    if state.phase in _HANDS_UNRULED_PHASES:
        return replace(state, phase=KinapaPhase.ANNOUNCING, turn=model.Turn())
    return replace(state, phase=KinapaPhase.TURNING) if state.phase in _DEMAND_PHASES else state
