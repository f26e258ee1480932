"""Kinapa's actions that no button offers."""

from collections.abc import Iterator

from companion.core import events as shared
from companion.core import observations as ob
from companion.core.actions import Action
from companion.games.kinapa.rules import bot_decks, camera_rulings, judge, object_ring
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.state import KinapaPhase, KinapaState, ObjectPosition


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
        for label in object_ring.labels_in_play(state):
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
            for label in object_ring.labels_in_play(state)
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
            isinstance(event, ev.ObjectHidden)
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
