"""A French deck: each card is a number, and a set of cards is a number with a bit for each.

Sets are numbers because a deal is looked at after every play: how many of these cards are there, and which of
them may lie in a hand, are then one step each.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from companion.core.actions import pair_value

SUITS = ("clubs", "diamonds", "spades", "hearts")
RANKS = (*range(2, 11), "J", "Q", "K", "A")
"""The lowest first."""
Card = int
"""13 × its suit + its rank, by place in `SUITS` and `RANKS`."""
CardSet = int

DECK: CardSet = (1 << len(SUITS) * len(RANKS)) - 1
VALUES = tuple(pair_value(suit, rank) for suit in SUITS for rank in RANKS)
"""What each card is called in actions and on the disk: `hearts|10`, a choice in two steps."""
FACES = tuple(f"{suit}:{rank}" for suit in SUITS for rank in RANKS)
"""What its picture is called, as in the deck: `hearts:10`."""
CARDS: Mapping[str, Card] = MappingProxyType({value: card for card, value in enumerate(VALUES)})
SUIT_SETS: tuple[CardSet, ...] = tuple(
    ((1 << len(RANKS)) - 1) << suit * len(RANKS) for suit in range(len(SUITS))
)


def suit_set(card: Card) -> CardSet:
    """All cards of its suit."""
    return SUIT_SETS[card // len(RANKS)]


def cards_in(cards: CardSet) -> Iterator[Card]:
    """The cards of a set, the lowest number first."""
    while cards:
        lowest = cards & -cards
        yield lowest.bit_length() - 1
        cards ^= lowest


def card_set(*values: str) -> CardSet:
    """The set of cards with these names; `KeyError` for a name that no card has."""
    return sum({1 << CARDS[value] for value in values})
