"""Two people press as good as together: which edges that makes; runs in the guest."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

PINS = (17, 27)
GAPS = (200, 500, 1_000, 2_000, 5_000)
"""Microseconds between the two first edges."""
KINDS = ("clean", "bouncing")
BOUNCE = 5_000
"""A switch is quiet after this many microseconds."""
Move = tuple[int, int, bool]


def press(pin: int, at: int, rng: random.Random, *, bouncing: bool) -> list[Move]:
    """A contact closes; a bouncing one opens again and again, each time shorter than it was closed."""
    moves, now = [(at, pin, True)], at
    while bouncing:
        shut = now
        now += rng.randint(150, 800)
        end = now + rng.randint(50, min(400, now - shut))
        if end >= at + BOUNCE:
            break
        moves += [(now, pin, False), (end, pin, True)]
        now = end
    return moves


def pair(gap: int, kind: str, first: int, rng: random.Random) -> list[Move]:
    """Two presses `gap` apart; of a bouncing pair one switch bounces or both do."""
    bounces = (False, False) if kind == "clean" else rng.choice([(True, False), (False, True), (True, True)])
    moves = press(PINS[first], 0, rng, bouncing=bounces[0])
    moves += press(PINS[1 - first], gap, rng, bouncing=bounces[1])
    return sorted(moves)


class Fingers:
    """The process that moves the pins."""

    def __init__(self) -> None:
        driver = [sys.executable, str(Path(__file__).with_name("fingers.py")), *map(str, PINS)]
        self._process = subprocess.Popen(
            driver, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def move(self, moves: list[Move]) -> list[tuple[int, int]]:
        """Do it; when each move was made, in nanoseconds: before and after."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(moves), file=self._process.stdin, flush=True)
        return [(before, after) for before, after in json.loads(self._process.stdout.readline())]

    def let_go(self) -> None:
        self.move([(0, pin, False) for pin in PINS])

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def begun(moves: list[Move], moved: list[tuple[int, int]]) -> dict[int, tuple[int, int]]:
    """When each pin's first edge was made."""
    firsts: dict[int, tuple[int, int]] = {}
    for (_, pin, _), when in zip(moves, moved, strict=True):
        firsts.setdefault(pin, when)
    return firsts


def lag(moves: list[Move], moved: list[tuple[int, int]]) -> int:
    """How much later than wanted an edge was made at most, in microseconds: the machine stood still."""
    start, wanted = moved[0][0], moves[0][0]
    return max(
        (after - start) // 1000 - (at - wanted) for (at, _, _), (_, after) in zip(moves, moved, strict=True)
    )
