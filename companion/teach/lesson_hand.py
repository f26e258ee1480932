"""The hands that a lesson deals at a drawn table, where the learner plays by tapping the own cards."""

from collections.abc import Mapping, Sequence, Set
from copy import deepcopy
from random import Random

from companion.core.actions import Action, Seat
from companion.games import GAMES
from companion.games.kit.world import HandUse, HandUses, Opponents, TappedCards
from companion.referee.loop import Announcement, RefereedGame


class LessonHand:
    """Who holds which cards of a lesson, and what the learner has tapped, as in practice.

    The cards are those of a game's own opponents, who decide nothing here.
    """

    def __init__(self, game: RefereedGame) -> None:
        self._game = game
        self._world: Opponents | None = None
        self._kept: Opponents | None = None
        self._laid: Mapping[str, tuple[str, ...]] = {}
        self.tapped = TappedCards()

    def deal(self, layout: Mapping[str, tuple[str, ...]]) -> None:
        """The table as a step lays it out: place or seat → cards; nothing in some games."""
        setup, make = self._game.referee.setup, GAMES[self._game.referee.rules.name].opponents
        self._world, self._laid = None, layout
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

    def uses(self, seat: Seat, awaited: Sequence[Action]) -> HandUses:
        """What this seat may do now with the hand it holds, and what each needs of it.

        None where what is awaited is no such thing: a number of which the hand has no card.
        """
        world, state = self._world, self._game.referee.state
        if world is None:
            return ()
        there = {"", *(place.region for place in self._game.view.places)}
        found = [(action, world.hand_use(state, action)) for action in world.hand_actions(state, seat)]
        found = [one for one in found if one[1].region in there] or self._number_uses(world, seat)
        return found if any(_fits(deed, action) for deed in awaited for action, _ in found) else ()

    def _number_uses(self, world: Opponents, seat: Seat) -> list[tuple[Action, HandUse]]:
        """Where a number is asked for, it is said by tapping a card that has it."""
        referee = self._game.referee
        faces = [card.partition(":")[2] for card in self.pictures(seat)]
        return [
            (action, HandUse(1, frozenset(at for at, face in enumerate(faces) if face == str(action.value))))
            for action in referee.rules.legal_actions(referee.state)
            if action.seat == seat and action.verb in world.card_number_verbs and str(action.value) in faces
        ]

    @property
    def covered_places(self) -> Set[str]:
        """Where a card lies covered."""
        return {place.region for place in self._game.view.places if place.card.startswith("back:")}

    def touches(self, seat: Seat) -> dict[str, Action]:
        """What touching a place does where it is known what lies there covered: `5-6@3`."""
        covered = self.covered_places
        referee, found = self._game.referee, {}
        legal = {(one.seat, str(one.value)): one for one in referee.rules.legal_actions(referee.state)}
        for region, cards in self._laid.items():
            face, number = (one.partition(":")[2] for one in (cards[-1] if cards else "", region))
            if region in covered and (seat, f"{face}@{number}") in legal:
                found[region] = legal[seat, f"{face}@{number}"]
        return found

    def choose(self, action: Action) -> None:
        """The learner is about to do this with the tapped cards."""
        if self._world is not None:
            self._world.accept_choice(self._game.referee.state, action, self.tapped.cards)

    def lift(self, deed: Action) -> Action:
        """Tap what an action needs, as somebody who shows it does; the action with the chosen card."""
        uses = self.uses(deed.seat, (deed,))
        action, use = next(((one, use) for one, use in uses if _fits(deed, one)), (deed, HandUse()))
        self.tapped.cards = frozenset(sorted(use.cards)[: use.size])
        self.tapped.region = use.region
        return action

    def pictures(self, seat: Seat) -> tuple[str, ...]:
        """What a seat holds; empty where that is not known."""
        return () if self._world is None else self._world.hand_pictures(self._game.referee.state, seat)

    def lying(self) -> Mapping[str, tuple[str, ...]]:
        """What lies open on the table: place → cards with both their sides."""
        return {} if self._world is None else self._world.open_cards()


def _fits(deed: Action, action: Action) -> bool:
    """Whether an action is the deed, or one of the cards that it leaves open."""
    return action == deed or (deed.value is None and (action.seat, action.verb) == (deed.seat, deed.verb))
