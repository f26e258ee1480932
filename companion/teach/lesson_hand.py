"""The hands that a lesson deals at a drawn table, where the learner plays by tapping the own cards."""

from collections.abc import Mapping
from copy import deepcopy
from random import Random

from companion.core.actions import Action, Seat
from companion.games import GAMES
from companion.games.kit.tapped_cards import HandUses, TappedCards
from companion.games.kit.world import Opponents
from companion.referee.loop import Announcement, RefereedGame


class LessonHand:
    """Who holds which cards of a lesson, and what the learner has tapped, as in practice.

    The cards are those of a game's own opponents, who decide nothing here.
    """

    def __init__(self, game: RefereedGame) -> None:
        self._game = game
        self._world: Opponents | None = None
        self._kept: Opponents | None = None
        self.tapped = TappedCards()

    def deal(self, layout: Mapping[str, tuple[str, ...]]) -> None:
        """The table as a step lays it out: place or seat → cards; nothing in some games."""
        setup, make = self._game.referee.setup, GAMES[self._game.referee.rules.name].opponents
        self._world = None
        if make is not None:
            world: Opponents = make(setup.chairs, Random(0), ("easy",) * setup.players)
            self._world = world if world.lay_out(layout) else None
        self.keep()

    def keep(self) -> None:
        """What lies where now is what `bring_back` leads to; nothing is tapped."""
        self._kept = deepcopy(self._world)
        self.tapped.clear()

    def bring_back(self) -> None:
        """After an undo everything lies where it lay when it was kept."""
        self._world = deepcopy(self._kept)
        self.tapped.clear()

    def follow(self, ruling: Announcement) -> None:
        """Move the cards that a ruling moves."""
        rules, before = self._game.referee.rules, ruling.before
        if self._world is not None and ruling.entry.retracts is None:
            for event in ruling.news:
                self._world.apply_event(before, event)
                before = rules.evolve(before, event)
        if rules.legal_actions(ruling.before) != rules.legal_actions(ruling.state):
            self.tapped.clear()

    def uses(self, seat: Seat) -> HandUses:
        """What this seat may do now with the hand it holds, and what each needs of it."""
        world, state = self._world, self._game.referee.state
        if world is None:
            return ()
        return [(action, world.hand_use(state, action)) for action in world.hand_actions(state, seat)]

    def choose(self, action: Action) -> None:
        """The learner is about to do this with the tapped cards."""
        if self._world is not None:
            self._world.accept_choice(self._game.referee.state, action, self.tapped.cards)

    def lift(self, action: Action) -> None:
        """Tap what an action needs, as somebody who shows it does."""
        use = next((use for one, use in self.uses(action.seat) if one == action), None)
        if use is not None:
            self.tapped.cards = frozenset(sorted(use.cards)[: use.size])
            self.tapped.region = use.region

    def pictures(self, seat: Seat) -> tuple[str, ...]:
        """What a seat holds; empty where that is not known."""
        return () if self._world is None else self._world.hand_pictures(self._game.referee.state, seat)

    def lying(self) -> Mapping[str, tuple[str, ...]]:
        """What lies open on the table: place → cards with both their sides."""
        return {} if self._world is None else self._world.open_cards()
