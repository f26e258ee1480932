"""Plays the other seats of a lesson."""

from collections.abc import Iterable
from functools import reduce
from typing import Any

from companion.core import observations as ob
from companion.core.actions import Action, Micros
from companion.core.view import WatchProgress
from companion.referee.loop import Announcement, RefereedGame
from companion.teach.notation import NotationLine, to_observations

WITHHELD_OBSERVATIONS = (
    ob.TableSeen,
    ob.ButtonPressed,
    ob.ButtonReleased,
    ob.ButtonHeld,
    ob.ActionDeclared,
    ob.HandShown,
)
"""Observations withheld from the rules while the lesson only speaks."""


class ScriptedPlayers:
    """Simulated players in a lesson; each acts a moment after its next action has become legal."""

    def __init__(self, game: RefereedGame) -> None:
        self._game = game
        self._deeds: list[NotationLine] = []
        self._lawful: Micros | None = None
        """Since when the next action is legal."""
        self._allowed: tuple[Any, frozenset[Action]] | None = None
        """A state and its legal actions, cached."""
        self._moves = 0
        """How many actions the script had at first."""
        self._watched: WatchProgress | None = None

    def set_script(self, deeds: Iterable[NotationLine]) -> None:
        """Replace the remaining actions with these."""
        self._deeds, self._lawful = list(deeds), None
        self._moves = len(self._deeds)

    def progress(self) -> WatchProgress | None:
        """How far the script is; the same object while nothing changes. None: there is none."""
        if not self._moves:
            return None
        done, since = self._moves - len(self._deeds), self._lawful or 0
        now = WatchProgress(done, self._moves, since, self.next_due() or 0)
        if now != self._watched:
            self._watched = now
        return self._watched

    @property
    def has_pending(self) -> bool:
        """Whether any actions are left."""
        return bool(self._deeds)

    def is_ready(self) -> bool:
        """Whether the next action was legal when last checked."""
        return self._lawful is not None

    def next_due(self) -> Micros | None:
        """When the next action is due; None while it is not legal."""
        return self._lawful + self._deeds[0].after if self._deeds and self._lawful is not None else None

    def is_possible(self, what: NotationLine) -> bool:
        """Whether the rules allow an action now."""
        rules, state = self._game.referee.rules, self._game.referee.state
        if what.kind != "act":
            return True
        if self._allowed is None or self._allowed[0] is not state:
            self._allowed = state, rules.legal_actions(state)
        return what.action in self._allowed[1]

    def is_replaced_by(self, ruling: Announcement) -> bool:
        """Whether somebody did something else by hand in place of the next action."""
        rules, deed = self._game.referee.rules, self._deeds[0].action if self._deeds else None
        if (
            deed is None
            or not isinstance(ruling.entry.cause, WITHHELD_OBSERVATIONS)
            or deed not in rules.legal_actions(ruling.before)
            or deed in rules.legal_actions(ruling.state)
        ):
            return False
        meant = rules.decide(ruling.before, ob.ActionDeclared(at=ruling.entry.cause.at, action=deed))
        then = reduce(rules.evolve, meant, ruling.before)
        told, expected = (
            [rules.sentence(state, event) for event in events if not rules.is_silent(event)]
            for state, events in ((ruling.state, ruling.news), (then, meant))
        )
        return told != expected

    def perform(self, what: NotationLine, now: Micros) -> None:
        """Report the observations of an action."""
        referee = self._game.referee
        for seen in to_observations(referee.rules, referee.state, what, now):
            self._game.post(seen, now)

    def perform_next(self, now: Micros) -> None:
        """Take the next action, if it is due."""
        what = self._deeds[0]
        if not self.is_possible(what):
            if self._lawful is not None:
                self._drop_next()  # a player did it by hand
            return
        if self._lawful is None:
            self._lawful = now
        if now < self._lawful + what.after:
            return
        self._drop_next()
        self.perform(what, now)

    def _drop_next(self) -> None:
        self._deeds.pop(0)
        self._lawful = None
