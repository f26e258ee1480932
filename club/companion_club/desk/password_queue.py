"""Order in which passwords are compared, so that nobody waits behind those who guess."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from heapq import heapify, heappop, heappush
from itertools import count

import anyio

MAX_OF_ONE_SOURCE = 3
"""Passwords of one source that wait or are compared; one more is refused, so that connections remain."""


class PasswordQueue:
    """Lets a few at a time through; next is whoever was wrong least and asks least at the same time.

    Among equals it is the latest, so that nobody waits for a wave of guesses from addresses that are new.
    """

    def __init__(self, parallel: int) -> None:
        self._free = parallel
        self._waiting: list[tuple[int, int, anyio.Event]] = []
        """Rank, arrival (the latest is the least) and what tells of the turn, as a heap."""
        self._arrivals = count()
        self._asking: Counter[str] = Counter()

    def is_crowded(self, source: str) -> bool:
        """Whether so many of this source wait already that one more is refused."""
        return self._asking[source] >= MAX_OF_ONE_SOURCE

    @asynccontextmanager
    async def turn(self, source: str, wrong: int) -> AsyncIterator[None]:
        """Wait for a turn and hold it. `wrong`: how many passwords of this source were wrong lately."""
        rank = wrong + self._asking[source]
        self._asking[source] += 1
        try:
            await self._wait(rank)
            try:
                yield
            finally:
                self._pass_on()
        finally:
            self._asking[source] -= 1
            self._asking += Counter()  # keeps only those who ask

    async def _wait(self, rank: int) -> None:
        if self._free:
            self._free -= 1
            return
        place = rank, -next(self._arrivals), anyio.Event()
        heappush(self._waiting, place)
        try:
            await place[2].wait()
        except BaseException:
            if place[2].is_set():
                self._pass_on()
            else:
                self._waiting.remove(place)
                heapify(self._waiting)
            raise

    def _pass_on(self) -> None:
        if self._waiting:
            heappop(self._waiting)[2].set()
        else:
            self._free += 1
