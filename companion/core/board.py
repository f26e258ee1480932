"""What table, screen and voice do otherwise in one game, as a record that each game fills in.

It holds what is so in the whole game; what is so only now stands in the `View`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Move(StrEnum):
    """What a choice does with a card, as the middle of the screen draws it."""

    NONE = ""
    TO_ASKED = "to_asked"
    """A card goes from the other to whoever is asked."""
    TO_OTHER = "to_other"
    """A card leaves whoever is asked."""
    SETS = "sets"
    """Something is laid on a deck that nobody holds."""
    LOOKS = "looks"
    """Somebody looks into such a deck."""
    TURNS = "turns"
    """Such a deck is concerned, and nobody else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Something that lies before people or decks, as a repair sets it."""

    name: str
    """As `TableDeclared` spells it; the seat follows after a colon, unless only one person has it."""
    kind: str
    """`Token.kind`."""
    motif: str
    most: int = 1
    only_one: bool = False
    """Whether exactly one person has it: the value is then the seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Pairs of cards that lie in numbered places, as a repair sets them."""

    owned: str
    """Name of the numbers that a seat laid, joined by commas; the seat follows after a colon."""
    place: str
    """Name of the number that lies in a place; the place follows after a colon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """All of it may be left out."""

    title: str = ""
    """As programs outside write the game; empty: its name with a capital."""
    first: frozenset[str] = frozenset()
    """Events that are spoken before others and never dropped, by class name."""
    loud: frozenset[str] = frozenset()
    """Events that take the whole headline, as a broken rule does, but not in red."""
    glad: frozenset[str] = frozenset()
    """Events that are told on paper: good news."""
    moments: Mapping[str, str] = field(default_factory=dict)
    """Events about one chair that take the whole screen for a moment, by class name: the verdict's word."""
    moves: Mapping[str, Move] = field(default_factory=dict)
    """By verb."""
    last: frozenset[str] = frozenset()
    """Verbs that practice offers after all others, and never leaves out however many there are."""
    held: tuple[Held, ...] = ()
    """What a repair may set for each person and deck, if the view names no fields."""
    pairs: Pairs | None = None
    whole: frozenset[str] = frozenset()
    """Places in which every card counts, not only the topmost: their name before the colon."""
    turned: frozenset[str] = frozenset()
    """Kinds of card that are told apart by which way up they lie."""
    pictured: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What a sentence is shown with: by its last word, by a part (`label`) or by both (`turn.value`), cards
    (`object:{}`, filled in with the part) and motifs."""
    called: Mapping[str, str] = field(default_factory=dict)
    """Kinds of card with names of their own: the catalogue's key up to the card."""
