"""The deeds that a lesson does itself: for the people whom it plays, and to show one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from companion.core.actions import Action, Micros
from companion.referee.loop import RefereedGame
from companion.teach.deeds import Deed, observed


class Others:
    """The people whom a lesson plays: each deed is done a while after it has become lawful."""

    def __init__(self, game: RefereedGame) -> None:
        self._game = game
        self._deeds: list[Deed] = []
        self._lawful: Micros | None = None
        """Since when the next deed is lawful."""
        self._allowed: tuple[Any, frozenset[Action]] | None = None
        """What is lawful, and in which state."""

    def shall(self, deeds: Iterable[Deed]) -> None:
        """These deeds, one after another, and none of those that were left."""
        self._deeds, self._lawful = list(deeds), None

    @property
    def have_deeds(self) -> bool:
        """Whether any is left."""
        return bool(self._deeds)

    def may_act(self) -> bool:
        """Whether the next deed was lawful when that was last looked at."""
        return self._lawful is not None

    def next_due(self) -> Micros | None:
        """When the next deed is done; None while it is not lawful."""
        return self._lawful + self._deeds[0].after if self._deeds and self._lawful is not None else None

    def possible(self, what: Deed) -> bool:
        """Whether the rules allow a deed now, whoever does it."""
        rules, state = self._game.referee.rules, self._game.referee.state
        if what.kind != "act":
            return True
        if self._allowed is None or self._allowed[0] is not state:
            self._allowed = state, rules.legal_actions(state)
        return what.action in self._allowed[1]

    def do(self, what: Deed, now: Micros) -> None:
        """Report what is seen of a deed."""
        referee = self._game.referee
        for seen in observed(referee.rules, referee.state, what, now):
            self._game.post(seen, now)

    def act(self, now: Micros) -> None:
        """Do the next deed, if it is due."""
        what = self._deeds[0]
        if not self.possible(what):
            if self._lawful is not None:
                self._drop()  # somebody did it by hand
            return
        if self._lawful is None:
            self._lawful = now
        if now < self._lawful + what.after:
            return
        self._drop()
        self.do(what, now)

    def _drop(self) -> None:
        self._deeds.pop(0)
        self._lawful = None
