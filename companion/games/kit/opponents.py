"""Base class of computer opponents with three strengths."""

import random
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from companion.core.actions import Action, Chair, Seat
from companion.core.view import Sentence
from companion.games.kit.world import PlayStyle, WorldBase

CardPlaces = tuple[tuple[str, tuple[str, ...]], ...]
"""Places and the cards that lie there, lowest first."""


class Advice(NamedTuple):
    """The best choice, and why, in one sentence."""

    action: Action
    why: Sentence


class NotInHandError(ValueError):
    """A person wants to lay what is not in their hand; its one argument is the sentence for that."""

    def __init__(self, said: Sentence) -> None:
        super().__init__(said.key)
        self.sentence = said


class Opponents(WorldBase):
    """What a practice table asks of its people; where a game has no more to say, this is so."""

    automatic_verbs: ClassVar[frozenset[str]] = frozenset()
    """Verbs that leave no choice to somebody who keeps the rules: the table does them for the person."""
    hand_only_verbs: ClassVar[frozenset[str]] = frozenset()
    """Verbs whose choices only somebody who sees the player's own hand can make."""
    card_move_verbs: ClassVar[frozenset[str]] = frozenset()
    """Verbs that a hand carries out on the table."""
    own_place_prefixes: ClassVar[tuple[str, ...]] = ()
    """Beginnings of the names of places where the person's own hand moves cards only when said."""
    play_style: ClassVar[PlayStyle] = PlayStyle.LAWFUL
    """How everybody here plays."""
    hands: list[list[str]]
    """What everybody holds, as pictures."""

    def __init__(
        self, chairs: Sequence[Chair], rng: random.Random, strengths: Sequence[str], **more: Any
    ) -> None:
        super().__init__(chairs, rng, [self.play_style] * len(chairs), **more)
        self.strengths = tuple(strengths)
        self.advised_seat: Seat | None = None
        """A person's seat: it is advised, whatever its strength, and nothing is decided for it."""

    def look_into_hands(self) -> None:
        """Before anything happened everybody looks into the player's own hand."""

    def hand_pictures(self, state: Any, seat: Seat) -> tuple[str, ...]:
        """What somebody holds now, as pictures."""
        return tuple(self.hands[seat])

    def visible_hands(self, seat: Seat) -> dict[Seat, tuple[str, ...]]:
        """What somebody sees of other hands, as pictures."""
        return {}

    def hand_actions(self, state: Any, seat: Seat) -> list[Action]:
        """What only somebody who sees this very hand may choose."""
        return []

    def places_after_move(self, state: Any, seat: Seat, verb: str, value: str) -> CardPlaces:
        """Where cards lie once a hand has done one of `moves`; none where it cannot. Raises
        `NotInHandError`.
        """
        return ()

    def touch_meaning(self, region: str) -> tuple[str, str] | None:
        """The verb and value that touching a place means; None: nothing."""
        return None

    def deck_owner(self, state: Any, seat: Seat) -> Seat | None:
        """Whose deck lies at a seat that no person sits on; None: nobody's."""
        return None
