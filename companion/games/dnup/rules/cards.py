"""Cards of dnup: forty pairs of values, some with a symbol.

One source lists them (a transcription of the physical deck; the rulebook prints no list), and its deck sizes
fit the deal. So the list can be replaced: under `deck_file=scan` the table shows the whole deck once.

A card is named by its pair, the lower value first, and the letter of its symbol: `3-8`, `3-6n`. As it lies,
`8/3` has its 8 up, `8/3n` carries a symbol, of `8/?` one side is unknown.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

# The deck ---------------------------------------------------------------------------------------------------


STAR_CARD = "1-5"
"""The card with the star: the player who holds it begins. There is one of this pair."""
NEUTRAL, SMILE, SAD = "n", "s", "f"
SYMBOLS = (NEUTRAL, SMILE, SAD)
REMOVED_SYMBOLS: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {2: (NEUTRAL, SMILE, SAD), 3: (SMILE, SAD), 4: (SAD,), 5: ()}
)
"""Players → the symbols whose cards stay in the box."""
HIGHEST_VALUE = 10

PRINTED_DECK: tuple[str, ...] = (
    *("1-5", "1-6", "1-6", "1-7", "1-7", "1-8", "1-9"),
    *("2-4", "2-4", "2-5", "2-5", "2-6", "2-9", "2-10"),
    *("3-4", "3-5", "3-6", "3-7", "3-8", "3-9"),
    *("4-6", "4-7", "4-8", "5-7", "5-8", "6-7"),
    *("1-10n", "2-8n", "3-6n", "4-5n"),
    *("1-8s", "1-9s", "2-6s", "2-7s", "3-4s", "3-5s"),
    *("3-10f", "4-9f", "5-8f", "6-7f"),
)


@lru_cache(maxsize=8)
def cards_in_use(deck: tuple[str, ...], players: int) -> tuple[str, ...]:
    """The cards of `deck` that this many players use."""
    return tuple(name for name in deck if card_symbol(name) not in REMOVED_SYMBOLS[players])


def card_symbol(name: str) -> str:
    """The letter of a card's symbol; empty for cards without."""
    return name[-1] if name[-1] in SYMBOLS else ""


def card_values(name: str) -> tuple[int, int]:
    """The two values of a card, the lower one first."""
    low, _, high = name.rstrip("".join(SYMBOLS)).partition("-")
    return int(low), int(high)


@lru_cache(maxsize=8)
def cards_per_value(deck: tuple[str, ...]) -> Mapping[int, int]:
    """Value → how many cards have it on one of their sides."""
    counted = Counter(value for name in deck for value in card_values(name))
    return MappingProxyType({value: counted[value] for value in range(1, HIGHEST_VALUE + 1)})


def is_card_name(name: str) -> bool:
    """Whether this could be a card of such a deck."""
    plain = name[:-1] if name[-1:] in SYMBOLS else name
    low, _, high = plain.partition("-")
    if not (low.isdecimal() and high.isdecimal()) or plain != f"{int(low)}-{int(high)}":
        return False
    return 1 <= int(low) < int(high) <= HIGHEST_VALUE


def deck_fault(deck: Sequence[str]) -> str:
    """Why a deck cannot be dealt; empty if it can."""
    if deck.count(STAR_CARD) != 1:
        return "star"
    if any(len(cards_in_use(tuple(deck), players)) % players for players in REMOVED_SYMBOLS):
        return "uneven"
    return ""


# Cards as they lie ------------------------------------------------------------------------------------------


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
