"""Record in which a game states how screen and voice present it.

It holds what applies throughout a game; what applies at the moment is in the `View`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class CardMove(StrEnum):
    """What a choice does with a card, for the picture in the middle of the screen."""

    NONE = ""
    TO_ASKED = "to_asked"
    """A card moves from another player to the one who is asked."""
    TO_OTHER = "to_other"
    """A card moves away from the player who is asked."""
    SETS = "sets"
    """Something is placed on a BOT deck."""
    LOOKS = "looks"
    """A player looks at a BOT deck."""
    TURNS = "turns"
    """Something else is done with a BOT deck."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairableItem:
    """Something that players or BOT decks have on the table and a repair can set."""

    name: str
    """Its name in `TableDeclared`, followed by a colon and the seat unless `only_one`."""
    kind: str
    """`Token.kind`."""
    motif: str
    max_count: int = 1
    only_one: bool = False
    """Whether exactly one player has it; the value is then the seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairablePairs:
    """Pairs of cards in numbered places, which a repair can set."""

    owned: str
    """Name of the numbers a seat has laid, joined by commas; a colon and the seat follow it."""
    place: str
    """Name of the number in a place; a colon and the place follow it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """How a game is presented; every field has a default."""

    title: str = ""
    """The title as other programs write it; empty: the name with a capital letter."""
    urgent_events: frozenset[str] = frozenset()
    """Events that are spoken first and never dropped, by class name."""
    headline_events: frozenset[str] = frozenset()
    """Events that fill the headline as a broken rule does, but not in red."""
    good_news_events: frozenset[str] = frozenset()
    """Events announced on a bright background: good news."""
    full_screen_words: Mapping[str, str] = field(default_factory=dict)
    """Events about one chair that fill the screen for a moment: class name → the word of the verdict."""
    verb_moves: Mapping[str, CardMove] = field(default_factory=dict)
    """What each verb does with a card."""
    practice_last_verbs: frozenset[str] = frozenset()
    """Verbs that practice lists last and always includes, however many choices there are."""
    repairable_items: tuple[RepairableItem, ...] = ()
    """What a repair can set for each player and BOT deck, if the view has no `fields`."""
    repairable_pairs: RepairablePairs | None = None
    fully_tracked_places: frozenset[str] = frozenset()
    """Kinds of place where every card matters, not only the top one: the name before the colon."""
    oriented_cards: frozenset[str] = frozenset()
    """Kinds of card whose orientation matters."""
    sentence_pictures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The cards and motifs shown with a sentence, by the last word of its key, by a part (`label`) or by both
    (`turn.value`). In a card such as `object:{}` the part is filled in."""
    card_name_prefixes: Mapping[str, str] = field(default_factory=dict)
    """Kinds of card with individual names → prefix of the catalogue keys of those names."""
