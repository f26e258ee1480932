"""One person at a practice table."""

from __future__ import annotations

from typing import Any

from companion.core.actions import SECOND, Action
from companion.core.clock import ManualClock
from companion.programs.build_app import build_runtime
from companion.programs.simulated_host import PracticeHost, build_practice_app
from companion.settings.model import Settings
from companion.ui import commands as do

FRAME = SECOND // 15


class Person:
    """Somebody who follows every hint, or else presses on."""

    def __init__(
        self, game: str, *, is_open: bool = False, seed: int = 1, players: int = 4, bot: bool = False
    ) -> None:
        self.clock = ManualClock()
        settings = Settings()
        shared = build_runtime(settings, self.clock, silent=True)
        wanted = do.StartPractice(game, "easy", is_open, players, bot)
        self.app = build_practice_app(settings, shared, wanted, seed=seed)

    @property
    def host(self) -> PracticeHost:
        """The game that is on, be it the first or one that was asked for after it."""
        assert isinstance(self.app.host, PracticeHost)
        return self.app.host

    @property
    def session(self) -> Any:
        return self.host.session

    def run(self, seconds: float) -> None:
        until = self.clock.now() + round(seconds * SECOND)
        while self.clock.now() < until:
            self.app.step()
            self.session.note_frame_shown(self.session.view)
            self.clock.move_to(min(until, self.clock.now() + FRAME))

    def taps(self, action: Action) -> None:
        """The cards and the place that an action needs are tapped, then what they make is pressed."""
        practice = self.host.practice
        use = practice.world.hand_use(practice.people.state, action)
        for place in sorted(use.cards)[: use.size]:
            self.app.carry_out(do.ControlGuide(f"card:{place}"))
        if use.region:
            self.app.carry_out(do.ControlGuide(f"place:{use.region}"))
        self.app.carry_out(do.ControlGuide("answer:1"))

    def plays(self) -> None:
        """One decision: as advised, else the last choice that is offered; a round that is over is read."""
        if self.host.practice.guidance() is not None and self.host.practice.guidance().kind == "held":
            self.app.carry_out(do.ControlGuide("next"))
            return
        self.app.carry_out(do.ControlGuide("hint"))
        state = self.session.game.referee.state
        advice = self.host.practice.world.advice(state, 0)
        lawful = self.session.game.referee.rules.legal_actions(state)
        by_hand = {"turn", "place", "hide", "return"}
        if advice is not None and (advice.action in lawful or advice.action.verb in by_hand):
            self.app.carry_out(do.DeclareAction(advice.action))
            return
        mine = next(chair for chair in self.session.view.chairs if chair.chair == 0)
        if mine.choices and not self.session.game.referee.rules.is_window_open(state):
            choices = [
                choice.action
                for choice in mine.choices
                if choice.action.verb not in {"stop", "withdraw", *self.host.practice.world.automatic_verbs}
            ]
            if choices:
                self.app.carry_out(do.DeclareAction(choices[-1]))


def reached(person: Person, verb: str) -> None:
    """Play on until a choice of this kind is offered beside the table."""
    for _ in range(80):
        person.run(2)
        if any(action.verb == verb for action in person.host.practice.offered_actions()):
            return
        person.plays()
    raise AssertionError(person.session.view.headline)
