"""A mask of Kabuki laid on its like, which no show place saw: how often a drawn hand over a stack is noticed.

`make bench ARGS="--only hands"` draws turns, ten pictures a second: somebody draws, thinks, reaches over a
stack, sometimes over another one before, and lays a mask, every second time on its like. Whoever reaches for
the deck reaches over the stacks between.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random

import numpy as np

from companion.core.actions import SECOND, Chair, Micros
from companion.games.kabuki.rules.model import COPIES_PER_DESIGN, DESIGNS, STACK_COUNT
from companion.simulation.simulated_players import ReachingHand
from companion.simulation.simulated_table import DrawnMat
from companion.vision.renderer import MIDDLE, Conditions
from tests.games.game_table import kinds
from tests.games.kabuki.kabuki_table import RULES, Table, setup
from tests.programs.bench.figures import Row

INTERVAL: Micros = SECOND // 10
"""From picture to picture."""
LONGEST: Micros = 4 * SECOND
"""How long a question is waited for after the hand is gone."""
MASKS_EACH = 8
"""Masks on a table until a new one is laid out."""


class DrawnTurns:
    """A table of four whose turns are drawn, and the referee that reads them."""

    def __init__(self, conditions: Conditions, seed: int) -> None:
        self._chance, players = Random(seed), setup(4)
        self._mat = DrawnMat(RULES, players, self._chance, np.random.default_rng(seed), conditions)
        self.game = Table(4).begin()
        self._places: dict[str, tuple[str, ...]] = {"deck": ("back:mask",)}
        self._places |= {f"stack:{stack}": (f"actor:{stack}",) for stack in range(1, STACK_COUNT + 1)}
        self._asked: list[str] = []
        self._watch(SECOND)

    def play_turn(self, *, like: bool) -> tuple[list[str], bool]:
        """What the referee asked in this turn, and whether the mask was placed without a question."""
        chance, chair, before = self._chance, self.game.state.drawer, self.game.state.placed
        tops = {stack: mask.design for stack, mask in enumerate(self.game.state.tops, 1) if mask is not None}
        stack = chance.choice(list(tops) if like else list(range(1, STACK_COUNT + 1)))
        free = [one for one in DESIGNS if self.game.state.count_copies(one) < COPIES_PER_DESIGN]
        design = tops[stack] if like else chance.choice([one for one in free if one != tops.get(stack)])
        self._asked = []
        self._reach(chair, "deck", 0.6, 1.3)
        self._watch(round(chance.uniform(1, 4) * SECOND))
        if chance.random() < 0.25:
            self._reach(chair, f"stack:{chance.randrange(STACK_COUNT) + 1}", 0.8, 1.8)
            self._watch(round(chance.uniform(0.2, 0.8) * SECOND))
        self._reach(chair, f"stack:{stack}", 1.5, 3.0, f"mask:{design}")
        self._watch(LONGEST)
        seen = self.game.state.placed > before
        if not seen:
            self.game.say(self.game.state.drawer, "place", f"{design}@{stack}")
        return self._asked, seen

    def _reach(self, chair: Chair, place: str, least: float, most: float, card: str = "") -> None:
        """A hand comes, lays a card in the middle of its time, and goes."""
        since = self.game.at
        until = since + round(self._chance.uniform(least, most) * SECOND)
        hand = ReachingHand(chair, place, since, until)
        while self.game.at < until:
            if card and self.game.at >= (since + until) / 2:
                self._places[place] += (card,)
                card = ""
            self._picture((hand,))

    def _watch(self, time: Micros) -> None:
        until = self.game.at + time
        for _ in range(min(8, time // INTERVAL)):
            self._picture()
        while self.game.at < until:  # nothing happens any more
            self._picture(after=SECOND // 2)

    def _picture(self, hands: tuple[ReachingHand, ...] = (), after: Micros = INTERVAL) -> None:
        at = self.game.at + after
        self._asked += kinds(self.game.elapse(at))
        seen = self._mat.watcher.step(self._mat.render(self._places, hands, at), at)
        if seen is not None:
            self._asked += kinds(self.game.observe(seen))


def count_questions(conditions: Conditions, rounds: int) -> tuple[int, int, int, int]:
    """Likes noticed, of how many; questions too many, in how many turns."""
    noticed = likes = false = turns = 0
    for seed in range(-(-2 * rounds // MASKS_EACH)):
        table = DrawnTurns(conditions, seed)
        table.play_turn(like=False)
        for number in range(MASKS_EACH):
            asked, seen = table.play_turn(like=number % 2 == 0)
            questions = asked.count("LikeAsked") + asked.count("PlacementMissed")
            if number % 2 == 0:
                likes += 1
                noticed += questions > 0 and not seen
                false += max(0, questions - 1)
            else:
                false += questions
            turns += 1
        sys.stderr.write(f"  {noticed} of {likes} noticed, {false} too many in {turns} turns\n")
    return noticed, likes, false, turns


def rows(rounds: int = 50) -> Iterator[Row]:
    """For `make bench`: masks on their likes in drawn turns."""
    noticed, likes, false, turns = count_questions(MIDDLE, rounds)
    yield Row(
        figure="Kabuki: a mask laid on its like is asked about",
        value=100 * noticed / likes,
        unit="%",
        aim="≥ 95 %, ≤ 1 question too many in 100 turns",
        met=noticed >= 0.95 * likes and false <= 0.01 * turns,
        note=f"{noticed} of {likes} noticed, {false} questions too many in {turns} turns",
    )
