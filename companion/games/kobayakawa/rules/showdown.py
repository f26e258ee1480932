"""Kobayakawa's reckoning: what a fight costs, what each fighter's card comes to, and who wins.

The lowest fighter adds the Kobayakawa; a lower card that passed is none of its business. Numbers are unique,
so a tie is only possible between the helped lowest and the highest: the one earlier in turn order wins.
"""

from collections.abc import Mapping, Sequence

from companion.core.actions import Seat

KAMONS = 4
CENTRE = 8
LAST = 2
"""The round that begins with this many kamons in the centre is the last; it costs and pays double."""


def stake(kamons: int, centre: int) -> int:
    """What fighting costs a player with `kamons`, in the round that began with `centre`."""
    return min(kamons, 2 if centre == LAST else 1)


def bonus(centre: int) -> int:
    """What the centre adds to the stakes in the round that began with `centre`; an empty one has nothing."""
    return min(centre, 2 if centre == LAST else 1)


def totals(fighters: Mapping[Seat, int], kobayakawa: int) -> dict[Seat, int]:
    """Each fighter's total: its card, and for the lowest the Kobayakawa too."""
    lowest = min(fighters, key=fighters.__getitem__)
    return {seat: card + (kobayakawa if seat == lowest else 0) for seat, card in fighters.items()}


def winner(fighters: Mapping[Seat, int], kobayakawa: int, order: Sequence[Seat]) -> Seat:
    """Who wins the showdown; of equal totals the one earlier in `order`."""
    reached = totals(fighters, kobayakawa)
    return min(reached, key=lambda seat: (-reached[seat], order.index(seat)))
