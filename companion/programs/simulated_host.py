"""What all games of simulated people are as a table: nothing has to be opened, and nothing is kept."""

from typing import Any, Protocol

from companion.core.actions import Chair, Micros
from companion.core.view import Sentence
from companion.table.runtime import Runtime
from companion.table.session import Session
from companion.ui.frame import DemoInfo


class ActingPeople(Protocol):
    """People who act by themselves."""

    def step(self, now: Micros) -> None:
        """Do what is due."""

    def next_step_due(self) -> Micros | None:
        """When they do something next."""


class SimulatedHost:
    """One game of simulated people, who act until it is closed."""

    session: Session
    people: ActingPeople

    def __init__(self, shared: Runtime) -> None:
        self.parts = shared.parts
        self.clock = shared.clock
        self._over = False
        """Whether another game is on the table, or none."""

    # The app's host ---------------------------------------------------------------------------------------

    def close_session(self, session: Session) -> None:
        self._over = True
        session.game.referee.journal.close()

    def tick(self) -> None:
        if not self._over:
            self.parts.run("people", lambda: self.people.step(self.clock.now()), None)

    def next_due(self) -> Micros | None:
        return self.parts.run("people", self.people.next_step_due, None)

    def demo_info(self) -> DemoInfo | None:
        return None

    def take_over_chair(self, chair: Chair) -> None:
        """Only the player's own chair is a person's."""

    def show_lamps(self, lit: frozenset[Chair]) -> None:
        """There is always a game, which lights its own."""

    def needs_keyboard(self) -> bool:
        return True

    def is_stuck(self, chair: Chair | None, button: str) -> bool:
        return False

    def parts_trouble(self) -> Sentence | None:
        return None

    def picture(self) -> Any:
        return None

    def reread_table(self) -> None:
        """What is there is known."""
