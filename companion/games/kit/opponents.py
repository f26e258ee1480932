"""What opponents of three strengths share: their names, what a person sees among them, and advice."""

from __future__ import annotations

from typing import Any, NamedTuple

from companion.core.actions import Action, Seat
from companion.core.view import Sentence

STRENGTHS = ("easy", "medium", "strong")


class Advice(NamedTuple):
    """The best choice, and why, in one sentence."""

    action: Action
    why: Sentence


class Minds:
    """What a practice table asks of its people; where a game has no more to say, this is so."""

    hands: list[list[str]]
    """What everybody holds, as pictures."""

    def prepare(self) -> None:
        """Before anything happened everybody looks into the own hand."""

    def in_hand(self, state: Any, seat: Seat) -> tuple[str, ...]:
        """What somebody holds now, as pictures."""
        return tuple(self.hands[seat])

    def seen(self, seat: Seat) -> dict[Seat, tuple[str, ...]]:
        """What somebody sees of other hands, as pictures."""
        return {}

    def options(self, state: Any, seat: Seat) -> list[Action]:
        """What only somebody who sees this very hand may choose."""
        return []
