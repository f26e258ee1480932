"""Legal moves in dnup, and the rule that forbids each other one."""

from collections.abc import Iterator

from companion.games.dnup.rules.deck_composition import HIGHEST_VALUE, cards_per_value
from companion.games.dnup.rules.hand_inference import max_set_size
from companion.games.dnup.rules.state import DnupState


def rule_against_play(state: DnupState, size: int, value: int) -> str:
    """What forbids the player in turn to play `size` cards of `value`; empty: nothing that is public."""
    if size < 1 or not 1 <= value <= HIGHEST_VALUE:
        return "play.which"
    if size > state.hands[state.seat].size:
        return "hand.count"
    if size > max_set_size(state, value):
        return "play.too_many"
    rival = state.area_of_size(size, state.area)
    return "play.not_higher" if rival is not None and state.value(rival) >= value else ""


def rule_against_target(state: DnupState, area: int) -> str:
    """What forbids the player in turn to touch the set of an area."""
    if not 0 <= area < len(state.areas) or not state.areas[area].cards:
        return "target.empty"
    owner = state.owner(area)
    if owner == state.seat and not state.options.own_area_target:
        return "target.own_area"
    if owner in state.out and not state.options.target_out_player:
        return "target.out_player"
    return ""


def rule_against_add(state: DnupState, area: int) -> str:
    """What forbids the player in turn to add a card to the set of an area."""
    if rule := rule_against_target(state, area):
        return rule
    size, value = len(state.areas[area].cards) + 1, state.value(area)
    if size > max_set_size(state, value):
        return "add.too_many"
    rival = state.area_of_size(size, area, state.area)
    return "add.not_higher" if rival is not None and state.value(rival) >= value else ""


def legal_plays(state: DnupState) -> Iterator[tuple[int, int]]:
    """Every size and value that may be played, as far as everybody knows."""
    held, counts = state.hands[state.seat].size, cards_per_value(state.cards_in_use)
    rivals = {len(area.cards): state.value(at) for at, area in enumerate(state.areas) if at != state.area}
    for size in range(1, min(held, max(counts.values())) + 1):
        for value in range(rivals.get(size, 0) + 1, HIGHEST_VALUE + 1):
            if size <= counts[value]:
                yield size, value


def legal_sizes(state: DnupState) -> tuple[int, ...]:
    """Sizes of which some value may be played."""
    return tuple(dict.fromkeys(size for size, _ in legal_plays(state)))


def legal_values(state: DnupState, size: int) -> tuple[int, ...]:
    """Values that may be played in this size."""
    return tuple(value for count, value in legal_plays(state) if count == size)


def addable_areas(state: DnupState) -> tuple[int, ...]:
    """Areas to whose sets a card may be added."""
    return tuple(area for area in range(len(state.areas)) if not rule_against_add(state, area))


def takable_areas(state: DnupState) -> tuple[int, ...]:
    """Areas whose sets may be taken."""
    return tuple(area for area in range(len(state.areas)) if not rule_against_target(state, area))
