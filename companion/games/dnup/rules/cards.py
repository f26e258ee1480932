"""A card as it lies or is held: `8/3` has its 8 up, `8/3n` carries a symbol, of `8/?` one side is unknown."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from companion.games.dnup.rules.manifest import HIGHEST, SYMBOLS, is_name, symbol, values

UNKNOWN = "?"
_SIDES = (UNKNOWN, *map(str, range(1, HIGHEST + 1)))
LYING = frozenset(f"{top}/{bottom}{mark}" for top in _SIDES for bottom in _SIDES for mark in ("", *SYMBOLS))
"""However a card may lie, as far as it is known."""
TOLERANCE = 45
"""Degrees about its owner's axis within which a card counts as lying one way or the other."""


@lru_cache(maxsize=1024)
def _parted(card: str) -> tuple[str, str, str]:
    top, _, rest = card.partition("/")
    mark = rest[-1] if rest[-1:] in SYMBOLS else ""
    return top, rest.removesuffix(mark), mark


def up(card: str) -> int:
    """The active value; 0 where it is unknown."""
    top = _parted(card)[0]
    return 0 if top == UNKNOWN else int(top)


def said(value: int) -> str:
    """A card of which only the active value was said."""
    return f"{value}/{UNKNOWN}"


COVERED = f"{UNKNOWN}/{UNKNOWN}"
"""A card of a set that may no longer be named before it is seen or said again."""


def turned(card: str) -> str:
    """The card rotated by 180 degrees."""
    top, bottom, mark = _parted(card)
    return f"{bottom}/{top}{mark}"


def name(card: str) -> str:
    """Which card it is, whichever way it lies; empty where a side is unknown."""
    top, bottom, mark = _parted(card)
    if UNKNOWN in {top, bottom}:
        return ""
    low, high = sorted((int(top), int(bottom)))
    return f"{low}-{high}{mark}"


def lying(card: str, turn: int) -> str:
    """A card that the camera read, by name and turn from its owner's upright; empty if it lies askew."""
    if not is_name(card):
        return ""
    low, high = values(card)
    upright = f"{low}/{high}{symbol(card)}"
    away = abs((turn + 180) % 360 - 180)
    if away <= TOLERANCE:
        return upright
    return turned(upright) if away >= 180 - TOLERANCE else ""


def alike(one: str, other: str) -> bool:
    """Whether two descriptions may be of one card lying the same way."""
    if one == other:
        return True
    (top, bottom, mark), (over, under, sign) = _parted(one), _parted(other)
    if UNKNOWN not in {top, bottom, over, under}:
        return False
    return (
        (top == over or UNKNOWN in {top, over})
        and (bottom == under or UNKNOWN in {bottom, under})
        and (mark == sign or UNKNOWN in {top, bottom, over, under})
    )


def without(cards: Sequence[str], gone: Iterable[str]) -> tuple[str, ...]:
    """What is left of `cards` when those in `gone` are taken away, as far as they are among them."""
    left = list(cards)
    unmatched = []
    for card in gone:
        if card in left:
            left.remove(card)
        else:
            unmatched.append(card)
    for card in unmatched:
        found = next((other for other in left if alike(card, other)), None)
        if found is not None:
            left.remove(found)
    return tuple(left)


def within(cards: Sequence[str], among: Sequence[str]) -> bool:
    """Whether every one of `cards` is one of `among`, each used once."""
    return len(cards) <= len(among) and not without(cards, among)


def same(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two descriptions may be of the same cards."""
    return len(one) == len(other) and within(one, other)


def value_of(cards: Sequence[str]) -> int:
    """The one active value of a set; 0 if its cards do not agree."""
    found = {up(card) for card in cards}
    return found.pop() if len(found) == 1 else 0
