"""A model of Spades with every hand, written from docs/rules.md alone.

Where section 15 leaves a thing open, a comment says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Self

from companion.core.actions import Action, Setup
from companion.core.rules import Rules
from companion.games import RULES
from tests.models import tricks
from tests.models.compare import Game
from tests.models.tricks import EVERY, LAST_DEAL, OF_SUIT, SEATS, Standing, Tricks, height, suit_of

SIDES = range(2)
ALL_TRICKS = 13


@dataclass
class SpadesStanding(Standing):
    bags: list[int] = field(default_factory=lambda: [0, 0])
    bids: dict[int, int] = field(default_factory=dict)
    """Seat → how many tricks."""

    def copy(self) -> Self:
        return replace(super().copy(), bags=[*self.bags], bids={**self.bids})


class Spades(Tricks[SpadesStanding]):
    """One game."""

    first_phase = "bid"
    broken_suit = "spades"  # 15.4 doesn't say what a spade led too early rests on: as a heart in 12.4, rule 9
    trumps = OF_SUIT["spades"]
    verbs = (*Tricks.verbs, "bid")

    def __init__(self, setup: Setup, chance: Random) -> None:
        super().__init__(setup, chance, SpadesStanding([0, 0], self.first_phase))
        self.boldest = chance.choice((2, 3, 4, 8))
        """What most people bid at most."""
        self._deal()

    def public(self) -> Mapping[str, object]:
        seen, now = super().public(), self.now
        if self.over():
            return seen
        return {**seen, "bags": now.bags, "plates": self._plates() if len(now.bids) == len(SEATS) else None}

    def _plates(self) -> list[tuple[int, int]]:
        """How many tricks each has taken, and of how many bid."""
        taken = self._taken()
        return [(taken[seat], self.now.bids[seat]) for seat in SEATS]

    def _first(self) -> int:
        """Rule 1: who bids and leads first."""
        return (self.now.deal - 1) % len(SEATS)

    def turn(self) -> int:
        return super().turn() if self.now.plays else self._first()

    def _bidder(self) -> int:
        return (self._first() + len(self.now.bids)) % len(SEATS)

    def _most(self, seat: int) -> int:
        """The highest bid of a seat."""
        return ALL_TRICKS - self.now.bids.get((seat + 2) % 4, 0)

    def excluded(self, index: int) -> frozenset[str]:
        plays = self.now.plays
        card, first = plays[index].card, index - index % 4
        led = suit_of(plays[first].card)
        if index != first:
            return frozenset() if suit_of(card) == led else OF_SUIT[led]
        broken = any(play.card in self.trumps for play in plays[:first])
        if card not in self.trumps or broken or self.options.spade_leads == "any":
            return frozenset()
        return EVERY - self.trumps

    # The end of a deal -------------------------------------------------------------------------------------

    def _taken(self) -> list[int]:
        takers = [self.taker(number) for number in range(len(self.now.plays) // 4)]
        if self.now.claimed is not None:
            takers += [self.now.claimed] * (ALL_TRICKS - len(takers))
        return [takers.count(seat) for seat in SEATS]

    def _side_gets(self, side: int) -> tuple[int, int]:
        """Rule 6: points and bags of this deal, before the penalty."""
        bids, taken = self.now.bids, self._taken()
        partners = (side, side + 2)
        nils = [seat for seat in partners if bids[seat] == 0]
        points = sum(-100 if taken[seat] else 100 for seat in nils)
        apart = sum(taken[seat] for seat in nils) if self.options.failed_nil == "apart" else 0
        contract = sum(bids[seat] for seat in partners)
        over = sum(taken[seat] for seat in partners) - apart - contract
        if over < 0:
            return points - 10 * contract, apart
        return points + 10 * contract + over, over + apart

    def _score(self) -> None:
        now = self.now
        gets = []
        for side in SIDES:
            points, bags = self._side_gets(side)
            if self.options.bags == "penalty":
                bags += now.bags[side]
                points -= 100 * (bags // 10)
                now.bags[side] = bags % 10
            gets.append(points)
            now.points[side] += points
        self._tell("DealScored", tuple(gets), tuple(now.bags))
        best = max(now.points)
        ends = best >= self.options.target or (self.options.floor == "200" and min(now.points) <= -200)
        if ends and now.points[0] != now.points[1]:
            side = now.points.index(best)
            now.winners = (side, side + 2)
            self._tell("GameWon", now.winners)
        self._begin_deal(now.deal + 1)

    def _begin_deal(self, deal: int) -> None:
        self.now.bids = {}
        super()._begin_deal(deal)

    # What may be done, and what follows --------------------------------------------------------------------

    def _other_actions(self) -> Iterator[Action]:
        seat = self._bidder()
        yield from (Action(seat, "bid", tricks) for tricks in range(self._most(seat) + 1))

    def _other_said(self, action: Action) -> None:
        assert isinstance(action.value, int)
        self.now.bids[action.seat] = action.value
        self._tell("BidMade", action.seat, action.value)
        if len(self.now.bids) == len(SEATS):
            self.now.phase = "play"

    def _declarable(self) -> Mapping[str, tuple[int, range]]:
        """Rule 6: bags that are not gathered cannot be declared."""
        now, points = self.now, range(-999, self.options.target)
        gathered = SIDES if self.options.bags == "penalty" else ()
        return {
            **{f"points:{side}": (now.points[side], points) for side in SIDES},
            **{f"bags:{side}": (now.bags[side], range(10)) for side in gathered},
        }

    def _put_down(self, meant: Mapping[str, Any]) -> None:
        self.now.points = [meant[f"points:{side}"] for side in SIDES]
        self.now.bags = [meant.get(f"bags:{side}", 0) for side in SIDES]

    # What people do ----------------------------------------------------------------------------------------

    def _anything(self, chance: Random) -> Action:
        said = super()._anything(chance)
        return Action(said.seat, "bid", chance.randrange(-1, 16)) if said.verb == "bid" else said

    def _repair(self, chance: Random) -> tuple[tuple[str, str | int], ...]:
        """Often a deal before the end."""
        names = ["deal", "points:0", "points:1", "bags:0", "bags:1", "points:2"]
        target = self.options.target
        near = {
            "deal": (0, self.now.deal, 1, 2, 3, 4, 5, LAST_DEAL, LAST_DEAL + 1),
            "points": (0, 120, -190, -999, -1000, target, *[target - more for more in (1, 10, 20, 30)]),
            "bags": (0, 7, 8, 9, 10, *self.now.bags),
        }
        return tuple(
            (name, chance.choice(near[name.partition(":")[0]]))
            for name in chance.sample(names, k=chance.choice((1, 1, 2, 3)))
        )

    def _other_deed(self, chance: Random) -> Action:
        seat = self._bidder()
        bid = min(chance.randrange(self.boldest + 1), self._most(seat))
        return Action(seat, "bid", self._most(seat) if chance.random() < 0.02 else bid)

    def _choose(self, seat: int, able: Sequence[str], chance: Random) -> str:
        """Who bid nil ducks more often than not."""
        if self.now.bids[seat] == 0 and chance.random() < 0.9:
            return min(able, key=lambda card: (card in self.trumps, height(card)))
        return chance.choice(able)


def public(rules: Rules[Any], state: Any) -> Mapping[str, object]:
    view = rules.view(state)
    seen = tricks.public(view)
    if seen["winners"] is not None:
        return seen
    fields = tricks.declared(view)
    for name in ("points", "bags"):
        seen[name] = [fields.get(f"{name}:{side}", 0) for side in SIDES]
    plates = [
        tuple(map(int, token.value.split("/")))
        for chair in view.chairs
        for token in chair.tokens
        if token.kind == "tricks" and isinstance(token.value, str)
    ]
    seen["plates"] = None if view.phase == "bid" else plates
    return seen


SPADES = Game(
    RULES["spades"],
    Spades,
    tricks.facts,
    public,
    tricks.legal,
    sizes=[(4, False)],
    numbers={"target": (500, 300, 250)},
    begun=120,
)
