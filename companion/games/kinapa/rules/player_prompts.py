"""Which actions each player of Kinapa may choose from, phase by phase.

What no button offers, but touch and camera say, comes last.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from companion.core import events as shared
from companion.core import observations as ob
from companion.core.actions import Action, Chair, Prompt, Seat
from companion.core.verbs import ask
from companion.games.kinapa.rules import bot_decks, camera_rulings, judge, model, turn_end
from companion.games.kinapa.rules.exchange import draw_places, nameable_cards, seats_owing_answer
from companion.games.kinapa.rules.model import KinapaPhase, KinapaState, ObjectPosition, seats_after

Prompts = tuple[Prompt, ...]


def prompt_cat(state: KinapaState) -> Prompts:
    """Who holds cat 1? With a BOT anybody may say for the table that no hand does."""
    verbs = ("claim_cat", "nobody") if bot_decks.can_say_nobody(state) else ("claim_cat",)
    return tuple(ask(chair, seat, *verbs) for seat, chair in enumerate(state.setup.chairs))


def prompt_number(state: KinapaState) -> Prompts:
    """The Emperor announces one."""
    ticks = ("tick_per_turn",) if judge.can_agree_fox_tick(state) else ()
    return _emperor_prompts(state, ("announce", announceable_numbers(state)), *ticks)


def announceable_numbers(state: KinapaState) -> tuple[int, ...]:
    """The numbers that may be announced (KA4)."""
    return _numbers_without_pair(
        state.highest, frozenset() if state.options.allow_dead_number else state.placed_numbers
    )


@lru_cache(maxsize=1024)
def _numbers_without_pair(highest: int, dead: frozenset[int]) -> tuple[int, ...]:
    return tuple(number for number in range(1, highest + 1) if number not in dead)


def prompt_aid(state: KinapaState) -> Prompts:
    """The player who lays the next aid."""
    seat = bot_decks.aid_setter(state, state.turn.aids[0])
    return (ask(state.setup.chairs[seat], seat, "aid_up", "aid_down"),)


def prompt_hands(state: KinapaState) -> Prompts:
    """Everybody else may raise or lower a hand, unless a Fox is there or the button has to be held."""
    foxed = tuple([seat.foxes > 0 for seat in state.seats])
    held = state.options.hand == "hold"
    return _cached_hand_prompts(state.setup.chairs, state.emperor, state.turn.raised, foxed, held)


@lru_cache(maxsize=4096)
def _cached_hand_prompts(
    chairs: tuple[Chair, ...],
    emperor: Seat,
    up: tuple[Seat, ...],
    foxed: tuple[bool, ...],
    held: bool,  # noqa: FBT001 (a key of the cache)
) -> Prompts:
    return tuple(
        ask(chairs[seat], seat, "lower" if seat in up else "raise")
        for seat in seats_after(emperor, len(chairs))
        if not foxed[seat] and not (held and seat in up)
    )


def prompt_counting(state: KinapaState) -> Prompts:
    """Hands; without a count the Emperor closes the window."""
    closing = () if state.options.count_seconds else _emperor_prompts(state, "close")
    return (*prompt_hands(state), *closing)


def prompt_pair(state: KinapaState) -> Prompts:
    """Does the Emperor show the pair? One that lies (allow_dead_number) cannot be shown."""
    if state.turn.number in state.placed_numbers:
        return _emperor_prompts(state, "no_pair")
    return _emperor_prompts(state, "no_pair", "show_pair")


def prompt_partner(state: KinapaState) -> Prompts:
    """From whom the Emperor draws."""
    duty = state.options.draw_is_duty or state.turn.pair_shown
    return _emperor_prompts(state, ("draw_from", state.lowered), *(() if duty else ("no_exchange",)))


def prompt_drawn_card(state: KinapaState) -> Prompts:
    """The Emperor drew a card, and says which one where the house allows it."""
    return _emperor_prompts(state, "drawn", ("drawn", nameable_cards(state)))


def prompt_answers(state: KinapaState) -> Prompts:
    """The player who owes an answer to the demand."""
    return tuple([ask(state.chair_of(seat), seat, "has", "has_not") for seat in seats_owing_answer(state)])


def prompt_audit(state: KinapaState) -> Prompts:
    """Is the number in this hand?"""
    seat = state.turn.audit[0]
    return (ask(state.chair_of(seat), seat, "not_found", "found"),)


def prompt_placing(state: KinapaState) -> Prompts:
    """Where the object lies, if nobody saw that; then what is done with it."""
    if turn_end.must_ask_slot(state):
        return _emperor_prompts(state, ("lies_at", turn_end.possible_slots(state)))
    return _emperor_prompts(state, "hide", ("place", turn_end.placeable_numbers(state)))


PROMPTS_BY_PHASE: Mapping[KinapaPhase, Callable[[KinapaState], Prompts]] = {
    KinapaPhase.STARTING: prompt_cat,
    KinapaPhase.ANNOUNCING: prompt_number,
    KinapaPhase.AIDING: prompt_aid,
    KinapaPhase.ANNOUNCED: prompt_hands,
    KinapaPhase.RECOUNTING: lambda state: _emperor_prompts(state, "recount"),
    KinapaPhase.COUNTING: prompt_counting,
    KinapaPhase.PAIRING: prompt_pair,
    KinapaPhase.CHOOSING: prompt_partner,
    KinapaPhase.DRAWING: lambda state: () if draw_places(state) else prompt_drawn_card(state),
    KinapaPhase.ASKING: prompt_answers,
    KinapaPhase.SEARCHING: prompt_answers,
    KinapaPhase.PICKING: lambda state: _emperor_prompts(state, ("pick", state.turn.holders)),
    KinapaPhase.HANDING: lambda state: _emperor_prompts(state, "receive", "refuse"),
    KinapaPhase.RETURNING: lambda state: _emperor_prompts(state, "return"),
    KinapaPhase.AUDITING: prompt_audit,
    KinapaPhase.TURNING: lambda state: _emperor_prompts(state, ("turn", turn_end.turnable_labels(state))),
    KinapaPhase.PLACING: prompt_placing,
    KinapaPhase.SUCCEEDING: lambda state: _emperor_prompts(state, ("crown", state.turn.candidates)),
    KinapaPhase.SWITCHING: lambda state: _emperor_prompts(state, ("switch", state.turn.candidates)),
    KinapaPhase.OVER: lambda _: (),
}


def _emperor_prompts(state: KinapaState, *verbs: str | tuple[str, Iterable[str | int]]) -> Prompts:
    """The Emperor is asked to say one of these, alone or with one of its values."""
    return (ask(state.setup.chairs[state.emperor], state.emperor, *verbs),)


# What no button offers --------------------------------------------------------------------------------------


def list_extra_actions(state: KinapaState) -> Iterator[Action]:
    """Touch and camera also say which slot; and some things are open to everybody."""
    people = [seat for seat in state.others if not state.is_bot(seat)]
    if state.phase is KinapaPhase.TURNING:
        yield from _turn_actions(state)
    elif judge.can_agree_fox_tick(state) and state.phase is KinapaPhase.ANNOUNCING:
        yield from (Action(seat, "tick_per_turn") for seat in people)  # a matter of the whole table
    elif state.phase is KinapaPhase.AIDING and not bot_decks.must_lay_aids_first(state):
        # Hands count from the announcement on (K-T44), but only the aid is asked for.
        free = (seat for seat in people if not state.seats[seat].foxes)
        yield from (Action(seat, "lower" if seat in state.turn.raised else "raise") for seat in free)
    elif state.phase in judge.HAND_PHASES and state.options.hand == "hold":
        yield from (Action(seat, "lower") for seat in people if seat in state.turn.raised)


def _turn_actions(state: KinapaState) -> Iterator[Action]:
    for place, slot in enumerate(state.slots, 1):
        if slot.lies is not ObjectPosition.DOWN:
            continue
        for label in turn_end.labels_in_play(state):
            action = Action(state.emperor, "turn", f"{label}@{place}")
            if not any(isinstance(e, shared.Infraction) for e in judge.judge(state, action, 0)):
                yield action


def game_corrections(state: KinapaState, seen: ob.Observation) -> tuple[Action, ...] | None:
    """A turned object lay where it was seen; only its label was read wrongly. None: as for any game."""
    slots = _slots_in(seen) if state.phase is KinapaPhase.TURNING else ()
    if slots:
        # Every label in play: leaving out what a slot once showed would tell what it hides.
        return tuple(
            Action(state.emperor, "turn", f"{label}@{slot}")
            for slot in slots
            for label in turn_end.labels_in_play(state)
        )
    if state.phase is not KinapaPhase.PLACING:
        return None
    hidden = Action(state.emperor, "hide")
    if _is_object_hidden(state, seen):
        return (hidden,)  # nobody says any more what is there, so no pair could be held against it
    # Every number still in play: those of the open object would tell it when it lies hidden again.
    alive = (number for number in range(1, state.highest + 1) if number not in state.placed_numbers)
    return (hidden, *(Action(state.emperor, "place", number) for number in alive))


def _is_object_hidden(state: KinapaState, seen: ob.Observation) -> bool:
    """Whether the open object lay face down again."""
    if isinstance(seen, ob.TableSeen):
        return any(
            isinstance(event, model.ObjectHidden)
            for event in camera_rulings.judge_regions(state, seen.regions, seen.at)
        )
    return isinstance(seen, ob.ActionDeclared) and seen.action.verb == "hide"


def _slots_in(seen: ob.Observation) -> tuple[str, ...]:
    """The places a turned object was seen or said to lie in."""
    if isinstance(seen, ob.TableSeen):
        return tuple(region.name.partition(":")[2] for region in seen.regions)
    said = seen.action if isinstance(seen, ob.ActionDeclared) else None
    place = str(said.value).partition("@")[2] if said is not None and said.verb == "turn" else ""
    return (place,) if place else ()
