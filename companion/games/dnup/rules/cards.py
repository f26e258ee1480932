"""Text codes of dnup cards: `8/3` has its 8 up, `8/3n` carries a symbol, of `8/?` one side is unknown."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from companion.games.dnup.rules.deck_composition import (
    HIGHEST_VALUE,
    SYMBOLS,
    card_symbol,
    card_values,
    is_card_name,
)

UNKNOWN_SIDE = "?"
_SIDES = (UNKNOWN_SIDE, *map(str, range(1, HIGHEST_VALUE + 1)))
CARD_CODES = frozenset(
    f"{top}/{bottom}{mark}" for top in _SIDES for bottom in _SIDES for mark in ("", *SYMBOLS)
)
"""However a card may lie, as far as it is known."""
ANGLE_TOLERANCE = 45
"""Degrees about its owner's axis within which a card counts as lying one way or the other."""


@lru_cache(maxsize=1024)
def _split_card(card: str) -> tuple[str, str, str]:
    top, _, rest = card.partition("/")
    mark = rest[-1] if rest[-1:] in SYMBOLS else ""
    return top, rest.removesuffix(mark), mark


def active_value(card: str) -> int:
    """The active value; 0 where it is unknown."""
    top = _split_card(card)[0]
    return 0 if top == UNKNOWN_SIDE else int(top)


def half_known_card(value: int) -> str:
    """A card of which only the active value was said."""
    return f"{value}/{UNKNOWN_SIDE}"


COVERED_CARD = f"{UNKNOWN_SIDE}/{UNKNOWN_SIDE}"
"""A card of a set that may no longer be named before it is seen or said again."""


def rotate_card(card: str) -> str:
    """The card rotated by 180 degrees."""
    top, bottom, mark = _split_card(card)
    return f"{bottom}/{top}{mark}"


def card_name(card: str) -> str:
    """Which card it is, whichever way it lies; empty where a side is unknown."""
    top, bottom, mark = _split_card(card)
    if UNKNOWN_SIDE in {top, bottom}:
        return ""
    low, high = sorted((int(top), int(bottom)))
    return f"{low}-{high}{mark}"


def card_as_read(card: str, turn: int) -> str:
    """A card that the camera read, by name and turn from its owner's upright; empty if it lies askew."""
    if not is_card_name(card):
        return ""
    low, high = card_values(card)
    upright = f"{low}/{high}{card_symbol(card)}"
    away = abs((turn + 180) % 360 - 180)
    if away <= ANGLE_TOLERANCE:
        return upright
    return rotate_card(upright) if away >= 180 - ANGLE_TOLERANCE else ""


def may_be_same_card(one: str, other: str) -> bool:
    """Whether two descriptions may be of one card lying the same way."""
    if one == other:
        return True
    (top, bottom, mark), (over, under, sign) = _split_card(one), _split_card(other)
    if UNKNOWN_SIDE not in {top, bottom, over, under}:
        return False
    return (
        (top == over or UNKNOWN_SIDE in {top, over})
        and (bottom == under or UNKNOWN_SIDE in {bottom, under})
        and (mark == sign or UNKNOWN_SIDE in {top, bottom, over, under})
    )


def remove_cards(cards: Sequence[str], gone: Iterable[str]) -> tuple[str, ...]:
    """What is left of `cards` when those in `gone` are taken away, as far as they are among them."""
    left = list(cards)
    unmatched = []
    for card in gone:
        if card in left:
            left.remove(card)
        else:
            unmatched.append(card)
    for card in unmatched:
        found = next((other for other in left if may_be_same_card(card, other)), None)
        if found is not None:
            left.remove(found)
    return tuple(left)


def contains_cards(cards: Sequence[str], among: Sequence[str]) -> bool:
    """Whether every one of `cards` is one of `among`, each used once."""
    return len(cards) <= len(among) and not remove_cards(cards, among)


def may_be_same_cards(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two descriptions may be of the same cards."""
    return len(one) == len(other) and contains_cards(one, other)


def set_value(cards: Sequence[str]) -> int:
    """The one active value of a set; 0 if its cards do not agree."""
    found = {active_value(card) for card in cards}
    return found.pop() if len(found) == 1 else 0
