"""Plays a lesson through without a table, for checks or tests."""

from collections.abc import Sequence
from typing import Any

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros, Seat
from companion.core.view import Sentence
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.teach.lesson import Lesson
from companion.teach.notation import parse_line
from companion.teach.runner import LessonRunner

START_TIME: Micros = 60 * SECOND
"""Start of a lesson's clock, which leaves a past for what happened before a step."""
FRAME_TIME: Micros = SECOND // 20
MAX_WAIT: Micros = 60 * SECOND


def build_game(lesson: Lesson, chairs: Sequence[int]) -> RefereedGame:
    """The game that a lesson is played on."""
    header = make_header(lesson.game, lesson.setup(tuple(chairs)), kind="lesson")
    return RefereedGame(Referee(lesson.rules, MemoryJournal(header)), chance=lambda _: 0)


class Rehearsal:
    """A lesson and its clock."""

    def __init__(self, lesson: Lesson, *, pupils: Sequence[Seat] = (0,)) -> None:
        self.lesson = lesson
        self.now: Micros = START_TIME
        self.said: list[Sentence] = []
        self.game = build_game(lesson, range(lesson.players))
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
            self.now += FRAME_TIME
            self.course.advance(self.now)
            self.game.step(self.now)
            for ruling in self.game.take_announcements():
                self.course.handle_ruling(ruling)
            self._go_on()

    def _go_on(self) -> None:
        """Nobody here stays with what was done well."""
        if self.course.kind == "well":
            self.course.handle_request("next")

    def run_until_asked(self) -> None:
        """Run until the learner can act, or the part has ended."""
        part = self.course.position
        for line in self.course.awaited_actions():
            self.run(parse_line(line, self.course.pupil, self.lesson.players).after / SECOND)
        for _ in range(MAX_WAIT // FRAME_TIME):
            moved = self.course.position != part
            if self.course.kind != "wait" or moved or self.right_action() is not None:
                return
            self.run(FRAME_TIME / SECOND)

    def right_action(self) -> Action | None:
        """What the learner should do, if it is legal now."""
        for line in self.course.awaited_actions():
            what = parse_line(line, self.course.pupil, self.lesson.players)
            if what.action in self.game.referee.rules.legal_actions(self.state):
                return what.action
        return None

    def perform(self, action: Action) -> str:
        """Have the learner act; the result is `done`, `wrong`, or still `wait`."""
        part = self.course.position
        self.game.post(ob.ActionDeclared(at=self.now, action=action), self.now)
        return self.run_to_result(part)

    def run_to_result(self, part: tuple[int, int]) -> str:
        """Run until there is a result."""
        for _ in range(MAX_WAIT // FRAME_TIME):
            if self.course.position != part:
                return "done"
            if self.course.kind != "wait":
                return self.course.kind
            self.run(FRAME_TIME / SECOND)
        return "wait"

    def do_part(self) -> bool:
        """Do this part correctly; returns whether that was possible."""
        course, part = self.course, self.course.position
        while course.kind == "lay":  # page by page
            course.handle_request("next")
        if course.position != part:
            return True
        if course.kind == "say":
            course.handle_request("next")
        elif course.kind == "quiz":
            course.handle_request(f"answer:{course.right_answer()}")
            self._go_on()
        elif course.kind == "wait":
            self.run_until_asked()
            action = self.right_action()
            if course.position == part and course.kind == "wait":
                if action is not None:
                    self.perform(action)
                else:
                    self.run_to_result(part)
        return course.position != part or course.kind in {"round", "done"}

    def skip_to(self, step: int, part: int) -> bool:
        """Do all parts of a step before `part`."""
        while self.course.step_at < step and self.course.kind != "done":
            self.course.handle_request("skip")
        while self.course.step_at == step and self.course.part_at < part:
            if not self.do_part():
                return False
        return self.course.position == (step, part)

    def other_actions(self) -> tuple[Action, ...]:
        """All other actions the learner could take now."""
        right, pupil = self.right_action(), self.course.pupil
        legal = self.game.referee.rules.legal_actions(self.state)
        mine = (action for action in legal if action.seat == pupil and action != right)
        return tuple(sorted(mine, key=str))
