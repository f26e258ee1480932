"""Timing practice: press when the twin of the buried mask appears.

It is no game: nothing is refereed, nothing is journalled, nothing is kept. Presses count from the stamps of
their edges, as in a game, and a mask from the instant in which the picture with it was shown.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec.structs import replace

from companion.core.actions import SECOND, Chair, Micros
from companion.core.exhibits import DrillResult, DrillStage
from companion.games.kabuki.rules.model import DESIGN_COLOURS, DESIGNS

DEFAULT_SIGNALS = 10
"""Twins in one drill."""
ANSWER_TIME: Micros = 3 * SECOND // 2
"""Who has not pressed by then has missed it."""
MAX_PRESS_DELAY: Micros = 60_000
"""So long a press may take from its edge to here: nothing is missed before."""
JOINING_TIME: Micros = 4 * SECOND
"""After the last one who joins, the drill begins."""
MAX_DECOYS = 4


class RandomChoice(Protocol):
    """What a drill needs of `random.Random`."""

    def randint(self, a: int, b: int, /) -> int: ...

    def choice(self, seq: Sequence[str], /) -> str: ...


class KabukiDrill:
    """One drill for everybody who joins; driven from outside: `press`, `advance`, `mark_shown`."""

    def __init__(self, chance: RandomChoice, *, signals: int = DEFAULT_SIGNALS) -> None:
        self.stage = DrillStage.GATHERING
        self.trained: dict[Chair, DrillResult] = {}
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
    def results(self) -> tuple[DrillResult, ...]:
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
        if self.stage is DrillStage.GATHERING:
            self.trained.setdefault(chair, DrillResult(chair))
            self._due = at + JOINING_TIME
        elif self.stage is DrillStage.RUNNING and chair in self.trained:
            self._judge_press(chair, at)

    def advance(self, now: Micros) -> None:
        """Lay the masks that are due."""
        while self._due is not None and self._due <= now:
            if self.stage is DrillStage.GATHERING:
                self.stage = DrillStage.RUNNING
                self._bury_mask(now)
            elif self._is_twin:
                self._record_misses()
                self.left -= 1
                self._lay_mask("", now)
                if self.left:
                    self._bury_mask(now)
                else:
                    self.stage, self._due = DrillStage.OVER, None
            elif self._decoys:
                self._decoys -= 1
                self._lay_mask(self._choose_decoy(), now)
                self._due = now + self._chance.randint(800, 2_200) * (SECOND // 1_000)
            else:
                self._lay_mask(self.buried, now)
                self._answered.clear()
                self._due = now + ANSWER_TIME + MAX_PRESS_DELAY

    def mark_shown(self, now: Micros) -> None:
        """The picture with the mask on top was shown just now: from here on it could be seen."""
        if self._laid and self._laid[-1][1] == self.lying:
            self._laid[-1] = now, self.lying
            if self._is_twin:
                self._due = now + ANSWER_TIME + MAX_PRESS_DELAY

    # What is judged ---------------------------------------------------------------------------------------

    @property
    def _is_twin(self) -> bool:
        return bool(self.lying) and self.lying == self.buried

    def _judge_press(self, chair: Chair, at: Micros) -> None:
        since, mask = next(((when, mask) for when, mask in reversed(self._laid) if when <= at), (0, ""))
        mine = self.trained[chair]
        if mask and mask == self.buried and chair in self._answered:
            return
        if mask and mask == self.buried and at - since <= ANSWER_TIME:
            self._answered.add(chair)
            self.trained[chair] = replace(mine, reactions=(*mine.reactions, at - since), last="hit")
        elif (chair, since) not in self._blamed:
            self._blamed.add((chair, since))
            self.trained[chair] = replace(mine, early=mine.early + 1, last="early")

    def _record_misses(self) -> None:
        for chair, mine in self.trained.items():
            if chair not in self._answered:
                self.trained[chair] = replace(mine, misses=mine.misses + 1, last="miss")

    # What is laid -----------------------------------------------------------------------------------------

    def _bury_mask(self, now: Micros) -> None:
        """Another mask is buried; some that only look like it come first."""
        self.buried = self._chance.choice([mask for mask in DESIGNS if mask != self.buried])
        self._decoys = self._chance.randint(1, MAX_DECOYS)
        self._due = now + 2 * SECOND

    def _choose_decoy(self) -> str:
        """Any mask but the twin and the one that is there; one of the twin's colour half the time."""
        others = [mask for mask in DESIGNS if mask not in {self.buried, self.lying}]
        alike = [mask for mask in others if DESIGN_COLOURS[mask] == DESIGN_COLOURS[self.buried]]
        return self._chance.choice(alike if alike and self._chance.randint(0, 1) else others)

    def _lay_mask(self, mask: str, now: Micros) -> None:
        self.lying = mask
        self._laid = [*self._laid[-8:], (now, mask)]
