"""What a person has tapped of the own hand and the table, and what that makes."""

from collections.abc import Sequence

from companion.core.actions import Action
from companion.games.kit.world import HandUse

HandUses = Sequence[tuple[Action, HandUse]]
"""What may be done with a hand, and what each needs of it."""


class TappedCards:
    """Cards of a hand, by their place in it, and a place on the table (`region`; empty: none)."""

    def __init__(self) -> None:
        self.cards: frozenset[int] = frozenset()
        self.region = ""

    def clear(self) -> None:
        """Nothing is tapped."""
        self.cards, self.region = frozenset(), ""

    def fitting_actions(self, uses: HandUses) -> list[Action]:
        """What the tapped cards and the tapped place make."""
        return [
            action
            for action, use in uses
            if self.cards <= use.cards and len(self.cards) == use.size and self.region == use.region
        ]

    def leads_on(self, uses: HandUses) -> bool:
        """Whether something can be made of the tapped cards and the tapped place, by further taps too."""
        return _leads_on(self.cards, self.region, uses)

    def tap(self, card: int | None, region: str, uses: HandUses) -> None:
        """A card, or a place, was tapped: it goes with what was tapped before if they lead to an action.

        A second tap takes it away again.
        """
        if card in self.cards:
            self.cards -= {card}
        elif region and region == self.region:
            self.region = ""
        else:
            new = self.cards if card is None else self.cards | {card}
            alone = frozenset() if card is None else frozenset({card})
            tries = [(new, region or self.region), (new, region), (alone, region or self.region)]
            self.cards, self.region = next((way for way in tries if _leads_on(*way, uses)), (alone, region))


def _leads_on(cards: frozenset[int], region: str, uses: HandUses) -> bool:
    """Whether there is an action that needs these cards, or more, and no other place."""
    return any(
        cards <= use.cards and len(cards) <= use.size and region in {"", use.region} for _, use in uses
    )
