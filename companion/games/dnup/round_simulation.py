"""Simplified dnup game that opponents play ahead in thought.

Cards are pairs (value up, value below). Every deal that is thought of is played with open cards by rules of
thumb; the rules that judge the real table are not asked, since thoughts have to be quick.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

Pair = tuple[int, int]


class CandidateMove(NamedTuple):
    """One action: `play` this many of a value, `add` to an area, `take` from an area, `rotate`."""

    verb: str
    size: int = 0
    value: int = 0
    area: int = -1


class RoundSimulation:
    """One deal that may be the true one, and what becomes of it."""

    __slots__ = ("area", "at_once", "hands", "out", "owners", "sets")

    def __init__(
        self,
        hands: Sequence[list[Pair]],
        sets: Sequence[list[Pair]],
        owners: Sequence[int],
        area: int,
        out: Sequence[int],
        *,
        at_once: bool = True,
    ) -> None:
        """`at_once`: of two players the last card wins before the set it beats comes home (DA5)."""
        self.hands = [list(hand) for hand in hands]
        self.sets = [list(lying) for lying in sets]
        self.owners = owners
        self.area = area
        self.out = list(out)
        self.at_once = at_once

    def copy(self) -> RoundSimulation:
        """The same, to go another way."""
        return RoundSimulation(self.hands, self.sets, self.owners, self.area, self.out, at_once=self.at_once)

    @property
    def is_two_player(self) -> bool:
        """Whether two play, with two areas each."""
        return len(self.owners) > len(self.hands)

    @property
    def is_over(self) -> bool:
        """Whether the round is."""
        return len(self.out) >= (1 if self.is_two_player else 2)

    def scored_moves(self) -> list[tuple[float, CandidateMove]]:
        """The possible moves of this turn, each with a heuristic score: only the order of scores matters."""
        seat = self.owners[self.area]
        hand = self.hands[seat]
        counts: dict[int, int] = {}
        over: dict[int, int] = {}
        for up, down in hand:
            counts[up] = counts.get(up, 0) + 1
            over[down] = over.get(down, 0) + 1
        rivals = {len(lying): lying[0][0] for at, lying in enumerate(self.sets) if lying and at != self.area}
        found = [(4.0 * max(over.values(), default=0), CandidateMove("rotate"))]
        for value, count in counts.items():
            for size in range(count, 0, -1):
                if rivals.get(size, 0) < value:
                    out = 100 if size == len(hand) else 0
                    found.append((out + 10.0 * size + value / 4, CandidateMove("play", size, value)))
        for at, lying in enumerate(self.sets):
            if not lying or self.owners[at] == seat:
                continue
            value, size = lying[0][0], len(lying) + 1
            if value in counts and (rivals.get(size, 0) < value):
                found.append(((100 if len(hand) == 1 else 0) + 11.0, CandidateMove("add", size, value, at)))
            found.append((5.0 - len(lying) - len(hand) / 4, CandidateMove("take", len(lying), value, at)))
        return found

    def play_move(self, way: CandidateMove) -> None:
        """One turn, with all that follows up to the next."""
        seat = self.owners[self.area]
        hand = self.hands[seat]
        if way.verb == "rotate":
            self.hands[seat] = [(down, up) for up, down in hand]
        elif way.verb == "take":
            hand += [(down, up) for up, down in self.sets[way.area]]
            self.sets[way.area] = []
        else:
            at = self.area if way.verb == "play" else way.area
            size = way.size if way.verb == "play" else len(self.sets[at]) + 1
            beaten = next((n for n, lying in enumerate(self.sets) if n != at and len(lying) == size), None)
            leaving = [card for card in hand if card[0] == way.value][: way.size if way.verb == "play" else 1]
            for card in leaving:
                hand.remove(card)
            self.sets[at] = [*self.sets[at], *leaving] if way.verb == "add" else leaving
            won = self.is_two_player and self.at_once and not hand
            if beaten is not None and not won:
                owner = self.owners[beaten]
                if owner not in self.out:
                    self.hands[owner] += [(down, up) for up, down in self.sets[beaten]]
                self.sets[beaten] = []
        if not self.hands[seat]:
            self.out.append(seat)
        self._next_turn()

    def _next_turn(self) -> None:
        """Sets whose time is over leave; the player who is out is passed by."""
        for _ in self.owners:
            self.area = (self.area + 1) % len(self.owners)
            self.sets[self.area] = []
            if self.owners[self.area] not in self.out:
                return

    def play_turns(self, turns: int, chance: random.Random) -> None:
        """Play a number of turns by rules of thumb."""
        for _ in range(turns):
            if self.is_over:
                return
            self.play_move(max((score + 3.0 * chance.random(), way) for score, way in self.scored_moves())[1])

    def position_value(self, seat: int) -> float:
        """The value of this position for a seat, roughly in turns: who is out, who needs how many more."""
        if seat in self.out:
            return 14.0 - 6.0 * self.out.index(seat)
        others = [
            _turns_to_empty(hand)
            for one, hand in enumerate(self.hands)
            if one != seat and one not in self.out
        ]
        ahead = min(others, default=0.0)
        return 0.5 * ahead - _turns_to_empty(self.hands[seat]) - 4.0 * len(self.out)


def _turns_to_empty(hand: Sequence[Pair]) -> float:
    """Turns until a hand is empty, if nobody disturbs it."""
    ups, downs = len({up for up, _ in hand}), len({down for _, down in hand})
    return min(ups, downs + 1) + 0.1 * len(hand)
