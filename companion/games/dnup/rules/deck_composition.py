"""Composition of the dnup deck: forty pairs of values, some with a symbol.

One source lists them (a transcription of the physical deck; the rulebook prints no list), and its deck sizes
fit the deal. So the list can be replaced: under `deck_file=scan` the table shows the whole deck once.

A card is named by its pair, the lower value first, and the letter of its symbol: `3-8`, `3-6n`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

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
