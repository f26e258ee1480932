"""Timing practice: masks come one after another, and the player who sees the twin of the buried one presses.

It is no game: nothing is refereed, nothing is journalled, nothing is kept. Presses count from the stamps of
their edges, as in a game, and a mask from the instant in which the picture with it was shown.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec.structs import replace

from companion.core.actions import SECOND, Chair, Micros
from companion.core.exhibits import Stage, Trained
from companion.games.kabuki.rules.state import COLOURS, DESIGNS

SIGNALS = 10
"""Twins in one drill."""
ANSWER: Micros = 3 * SECOND // 2
"""Who has not pressed by then has missed it."""
UNDER_WAY: Micros = 60_000
"""So long a press may take from its edge to here: nothing is missed before."""
JOINING: Micros = 4 * SECOND
"""After the last one who joins, the drill begins."""
MOST_DECOYS = 4


class Chance(Protocol):
    """What a drill needs of `random.Random`."""

    def randint(self, a: int, b: int, /) -> int: ...

    def choice(self, seq: Sequence[str], /) -> str: ...


class Drill:
    """One drill for everybody who joins; driven from outside: `press`, `advance`, `shown`."""

    def __init__(self, chance: Chance, *, signals: int = SIGNALS) -> None:
        self.stage = Stage.GATHERING
        self.trained: dict[Chair, Trained] = {}
        """Who takes part, and what came of it so far."""
        self.buried = ""
        """The mask whose twin is waited for."""
        self.lying = ""
        """The mask on top; empty: none is there."""
        self.left = signals
        """Twins still to come."""
        self._chance = chance
        self._laid: list[tuple[Micros, str]] = []
        """Since when which mask lay on top, for presses that come late; empty: none."""
        self._decoys = 0
        self._due: Micros | None = None
        self._blamed: set[tuple[Chair, Micros]] = set()
        """Each mask makes a chair early once at most."""
        self._answered: set[Chair] = set()

    @property
    def results(self) -> tuple[Trained, ...]:
        return tuple(self.trained[chair] for chair in sorted(self.trained))

    @property
    def pictures(self) -> tuple[str, str]:
        """The masks that are buried and on top, as the screen draws them; empty: none."""
        return f"mask:{self.buried}" if self.buried else "", f"mask:{self.lying}" if self.lying else ""

    def due(self) -> Micros | None:
        """When `advance` has something to do."""
        return self._due

    def press(self, chair: Chair, at: Micros) -> None:
        """A press, by the stamp of its edge."""
        if self.stage is Stage.GATHERING:
            self.trained.setdefault(chair, Trained(chair))
            self._due = at + JOINING
        elif self.stage is Stage.RUNNING and chair in self.trained:
            self._judge(chair, at)

    def advance(self, now: Micros) -> None:
        """Lay the masks that are due."""
        while self._due is not None and self._due <= now:
            if self.stage is Stage.GATHERING:
                self.stage = Stage.RUNNING
                self._bury(now)
            elif self._is_twin:
                self._miss()
                self.left -= 1
                self._lay("", now)
                if self.left:
                    self._bury(now)
                else:
                    self.stage, self._due = Stage.OVER, None
            elif self._decoys:
                self._decoys -= 1
                self._lay(self._decoy(), now)
                self._due = now + self._pause()
            else:
                self._lay(self.buried, now)
                self._answered.clear()
                self._due = now + ANSWER + UNDER_WAY

    def shown(self, now: Micros) -> None:
        """The picture with the mask on top was shown just now: from here on it could be seen."""
        if self._laid and self._laid[-1][1] == self.lying:
            self._laid[-1] = now, self.lying
            if self._is_twin:
                self._due = now + ANSWER + UNDER_WAY

    # What is judged ---------------------------------------------------------------------------------------

    @property
    def _is_twin(self) -> bool:
        return bool(self.lying) and self.lying == self.buried

    def _judge(self, chair: Chair, at: Micros) -> None:
        since, mask = next(((when, mask) for when, mask in reversed(self._laid) if when <= at), (0, ""))
        mine = self.trained[chair]
        if mask and mask == self.buried and chair in self._answered:
            return
        if mask and mask == self.buried and at - since <= ANSWER:
            self._answered.add(chair)
            self.trained[chair] = replace(mine, reactions=(*mine.reactions, at - since), last="hit")
        elif (chair, since) not in self._blamed:
            self._blamed.add((chair, since))
            self.trained[chair] = replace(mine, early=mine.early + 1, last="early")

    def _miss(self) -> None:
        for chair, mine in self.trained.items():
            if chair not in self._answered:
                self.trained[chair] = replace(mine, misses=mine.misses + 1, last="miss")

    # What is laid -----------------------------------------------------------------------------------------

    def _bury(self, now: Micros) -> None:
        """Another mask is buried; some that only look like it come first."""
        self.buried = self._chance.choice([mask for mask in DESIGNS if mask != self.buried])
        self._decoys = self._chance.randint(1, MOST_DECOYS)
        self._due = now + 2 * SECOND

    def _decoy(self) -> str:
        """Any other mask; one of the same colour half the time."""
        alike = [m for m in DESIGNS if COLOURS[m] == COLOURS[self.buried] and m not in self._out]
        others = [mask for mask in DESIGNS if mask not in self._out]
        return self._chance.choice(alike if alike and self._chance.randint(0, 1) else others)

    @property
    def _out(self) -> Mapping[str, None]:
        """Masks that may not come now: the twin itself, and the one that is there."""
        return dict.fromkeys((self.buried, self.lying))

    def _lay(self, mask: str, now: Micros) -> None:
        self.lying = mask
        self._laid = [*self._laid[-8:], (now, mask)]

    def _pause(self) -> Micros:
        return self._chance.randint(800, 2_200) * (SECOND // 1_000)
