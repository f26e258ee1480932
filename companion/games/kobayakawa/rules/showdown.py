"""Arithmetic of Kobayakawa's showdown: costs, totals, winner.

The lowest fighter adds the Kobayakawa; a lower card that passed is none of its business. Numbers are unique,
so a tie is only possible between the helped lowest and the highest: the one earlier in turn order wins.
"""

from collections.abc import Mapping, Sequence

from companion.core.actions import Seat

STARTING_KAMONS = 4
STARTING_CENTRE = 8
LAST_ROUND_CENTRE = 2
"""The round that begins with this many kamons in the centre is the last; it costs and pays double."""


def fight_cost(kamons: int, centre: int) -> int:
    """What fighting costs a player with `kamons`, in the round that began with `centre`."""
    return min(kamons, 2 if centre == LAST_ROUND_CENTRE else 1)


def centre_bonus(centre: int) -> int:
    """What the centre adds to the stakes in the round that began with `centre`; an empty one has nothing."""
    return min(centre, 2 if centre == LAST_ROUND_CENTRE else 1)


def fighter_totals(fighters: Mapping[Seat, int], kobayakawa: int) -> dict[Seat, int]:
    """Each fighter's total: its card, and for the lowest the Kobayakawa too."""
    lowest = min(fighters, key=fighters.__getitem__)
    return {seat: card + (kobayakawa if seat == lowest else 0) for seat, card in fighters.items()}


def showdown_winner(fighters: Mapping[Seat, int], kobayakawa: int, order: Sequence[Seat]) -> Seat:
    """Who wins the showdown; of equal totals the one earlier in `order`."""
    reached = fighter_totals(fighters, kobayakawa)
    return min(reached, key=lambda seat: (-reached[seat], order.index(seat)))
