"""Goes through a lesson without a table, for checks and tests."""

from collections.abc import Sequence
from typing import Any

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros, Seat
from companion.core.view import Sentence
from companion.referee.journal import MemoryJournal, header_of
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.teach.deeds import deed
from companion.teach.lesson import Lesson
from companion.teach.runner import LessonRunner

BEGUN: Micros = 60 * SECOND
"""Start of a lesson's clock, which leaves a past for what happened before a step."""
FRAME: Micros = SECOND // 20
PATIENT: Micros = 60 * SECOND


def game_of(lesson: Lesson, chairs: Sequence[int]) -> RefereedGame:
    """The game that a lesson is played on."""
    header = header_of(lesson.game, lesson.setup(tuple(chairs)), kind="lesson")
    return RefereedGame(Referee(lesson.rules, MemoryJournal(header)), chance=lambda _: 0)


class Rehearsal:
    """A lesson and its clock."""

    def __init__(self, lesson: Lesson, *, pupils: Sequence[Seat] = (0,)) -> None:
        self.lesson = lesson
        self.now: Micros = BEGUN
        self.said: list[Sentence] = []
        self.game = game_of(lesson, range(lesson.players))
        self.course = LessonRunner(
            lesson, self.game, pupils=pupils, say=self.said.extend, now=lambda: self.now, chance=lambda _: 0
        )

    @property
    def state(self) -> Any:
        return self.game.referee.state

    def run(self, seconds: float = 0.2) -> None:
        """Let so many seconds of game time pass, a frame at a time."""
        until = self.now + round(seconds * SECOND)
        while self.now < until:
            self.now += FRAME
            self.course.advance(self.now)
            self.game.step(self.now)
            for ruling in self.game.announced():
                self.course.announced(ruling)

    def run_until_asked(self) -> None:
        """Run until the learner can act, or the part has ended."""
        part = (self.course.step_at, self.course.part_at)
        for line in self.course.awaited():
            self.run(deed(line, self.course.pupil, self.lesson.players).after / SECOND)
        for _ in range(PATIENT // FRAME):
            here = (self.course.step_at, self.course.part_at)
            if self.course.kind != "wait" or here != part or self.right() is not None:
                return
            self.run(FRAME / SECOND)

    def right(self) -> Action | None:
        """What the learner should do, if it is legal now."""
        for line in self.course.awaited():
            what = deed(line, self.course.pupil, self.lesson.players)
            if what.action in self.game.referee.rules.legal_actions(self.state):
                return what.action
        return None

    def do(self, action: Action) -> str:
        """Have the learner act; the result is `done`, `wrong`, or still `wait`."""
        part = (self.course.step_at, self.course.part_at)
        self.game.post(ob.Declared(at=self.now, action=action), self.now)
        return self.settle(part)

    def settle(self, part: tuple[int, int]) -> str:
        """Run until there is a result."""
        for _ in range(PATIENT // FRAME):
            if (self.course.step_at, self.course.part_at) != part:
                return "done"
            if self.course.kind != "wait":
                return self.course.kind
            self.run(FRAME / SECOND)
        return "wait"

    def pass_part(self) -> bool:
        """Do this part correctly; returns whether that was possible."""
        course = self.course
        part = (course.step_at, course.part_at)
        if course.kind in {"lay", "say"}:
            course.wanted("next")
        elif course.kind == "quiz":
            course.wanted(f"answer:{course.right_answer()}")
        elif course.kind == "wait":
            self.run_until_asked()
            action = self.right()
            if (course.step_at, course.part_at) == part and course.kind == "wait":
                if action is not None:
                    self.do(action)
                else:
                    self.settle(part)
        return (course.step_at, course.part_at) != part or course.kind in {"round", "done"}

    def go_to(self, step: int, part: int) -> bool:
        """Do all parts of a step before `part`."""
        while self.course.step_at < step and self.course.kind != "done":
            self.course.wanted("skip")
        while self.course.step_at == step and self.course.part_at < part:
            if not self.pass_part():
                return False
        return (self.course.step_at, self.course.part_at) == (step, part)

    def others(self) -> tuple[Action, ...]:
        """All other actions the learner could take now."""
        right = self.right()
        mine = (
            action
            for action in self.game.referee.rules.legal_actions(self.state)
            if action.seat == self.course.pupil and action != right
        )
        return tuple(sorted(mine, key=str))
