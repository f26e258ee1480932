"""Checks that no number is claimed for two Kobayakawa cards (OI1).

A number that two cards have was misread, or a card was swapped. Nobody is accused: the reading is doubted,
and what the table says of the same card once more counts, against what was known before.
"""

from companion.core.actions import Seat
from companion.core.events import Events
from companion.games.kobayakawa.rules import events as ev
from companion.games.kobayakawa.rules.state import UNREAD, KobayakawaState


def kobayakawa_target(index: int) -> str:
    """The name of a Kobayakawa, the round's first 0."""
    return f"opened:{index}"


def discard_target(seat: Seat) -> str:
    """The name of somebody's open card."""
    return f"discard:{seat}"


def hand_target(seat: Seat) -> str:
    """The name of a fighter's card."""
    return f"hand:{seat}"


def targets_with_number(state: KobayakawaState, number: int) -> tuple[str, ...]:
    """The cards of this round that are known to have a number: never more than one."""
    return (
        *(kobayakawa_target(index) for index, old in enumerate(state.opened) if old == number),
        *(discard_target(seat) for seat, one in enumerate(state.hands) if one.discard == number),
        *(hand_target(seat) for seat, one in enumerate(state.hands) if one.shown == number),
    )


def check_number(
    state: KobayakawaState, target: str, number: int, *, seat: Seat | None, by_hand: bool
) -> tuple[Events, bool]:
    """What follows when a card is said to have a number, and whether it is believed."""
    others = [name for name in targets_with_number(state, number) if name != target]
    if not others:
        return (), True
    if (target, number) not in state.doubted:
        return (ev.NumberDoubted(number, target, seat),), False
    if not by_hand:
        return (), False
    return tuple(ev.NumberForgotten(name, number) for name in others), True


def split_target(target: str) -> tuple[str, int]:
    """A card's kind and its place, from its name."""
    kind, _, place = target.partition(":")
    return kind, int(place)


def is_card_number(state: KobayakawaState, value: object) -> bool:
    """Whether a value is the number of a card."""
    return isinstance(value, int) and not isinstance(value, bool) and UNREAD < value <= state.cards
