"""A practice game: one person against simulated opponents, with hints.

Obligatory answers are given for the person, so that a slip cannot contradict the cards; every real choice is
the person's own. With open cards, all hands are shown, with what is public knowledge about them.
"""

from collections.abc import Callable, Sequence
from typing import Any

from companion.core import observations as ob
from companion.core.actions import Action, Chair, Micros, Seat
from companion.core.clock import earliest
from companion.core.switch import Edge
from companion.core.view import Guidance, Sentence
from companion.games import GAMES
from companion.games.kit.tapped_cards import TappedCards
from companion.games.kit.world import (
    ArrangeCards,
    CardPlaces,
    HandUse,
    NotInHandError,
    Opponents,
    TakeAction,
)
from companion.referee.loop import Announcement, RefereedGame
from companion.simulation.simulated_players import DirectSenses, PlayerSimulator


class PracticeOpponents(PlayerSimulator):
    """The opponents, and the obligatory answers of the person."""

    def __init__(self, person: Chair, *, world: Any, **given: Any) -> None:
        super().__init__(world=world, **given)
        self.person = person
        self._opponents: Opponents = world

    def _perform(self, deed: Any, at: Micros) -> None:
        if deed.chair != self.person:
            super()._perform(deed, at)
        elif isinstance(deed, TakeAction) and deed.action.verb in self._opponents.automatic_verbs:
            self._choose(deed, at)
        elif isinstance(deed, ArrangeCards) and not self._is_own(deed):
            super()._perform(deed, at)

    def _is_own(self, deed: ArrangeCards) -> bool:
        """Whether these cards are the person's to move."""
        return any(name.startswith(self._opponents.own_place_prefixes) for name, _ in deed.places)

    def move_cards(self, places: CardPlaces, at: Micros) -> None:
        """Move cards as the person."""
        super()._perform(ArrangeCards(self.person, places), at)


class PracticeGame:
    """One practice game: the opponents, and the guidance for the person."""

    def __init__(
        self,
        game: RefereedGame,
        world: Any,
        *,
        person: Chair,
        put: Callable[[Edge | ob.Observation], None],
        say: Callable[[Sequence[Sentence]], None],
        now: Callable[[], Micros],
        is_open: bool = False,
    ) -> None:
        self.world = world
        self._game = game
        self._put = put
        self._say = say
        self._now = now
        self._person = person
        self._seat: Seat = game.referee.setup.chairs.index(person)
        self._note: Sentence | None = None
        self._good = True
        self._tapped = TappedCards()
        world.advised_seat = self._seat
        world.look_into_hands()
        self._senses = senses = DirectSenses(lambda: world.places, put, now)
        self.people = PracticeOpponents(
            person, rules=game.referee.rules, world=world, state=game.referee.state, press=senses.press,
            say=senses.say,
        )  # fmt: skip
        rules = game.referee.rules
        tell = GAMES[rules.name].open_table
        self._opened = tell(rules, world, game.referee.setup) if is_open and tell is not None else None

    def step(self, now: Micros) -> None:
        """Do everything that is due, and read the cards that have changed."""
        self.people.advance(now)
        self.people.plan_actions(now)
        self._senses.step(now)

    def next_step_due(self) -> Micros | None:
        """When the opponents act next."""
        return earliest(self._senses.next_due(), self.people.next_due())

    # The guide --------------------------------------------------------------------------------------------

    silent = False

    def set_level(self, level: str) -> None:
        """Does nothing: practice has no levels of help."""

    def advance(self, now: Micros) -> None:
        """Does nothing: the host calls `step`."""

    def next_due(self) -> Micros | None:
        """None: the host asks `next_step_due`, and stops asking if that fails."""
        return None

    def admits(self, seen: Edge | ob.Observation) -> bool:
        """Whether the game takes an observation: nobody declares or presses for the opponents.

        A declaration that stands for moving a card moves the card instead, which is then read. If the hand
        limits the choices, they are offered on the screen, because a button does not know the hand.
        """
        if not isinstance(seen, Edge | ob.ActionDeclared):
            return True
        theirs = self._senses.take_back(seen)
        chosen = self.offered_actions()
        if isinstance(seen, Edge):
            own = seen.chair in {None, self._person}
            return (
                theirs if not own else not seen.level or seen.chair is None or self._chooses_by_button(chosen)
            )
        if seen.action.seat != self._seat:
            return theirs
        verb, value = seen.action.verb, seen.action.value
        if chosen:
            state, action = self.people.state, seen.action
            cards = self._tapped.cards if action in self._tapped_actions() else ()
            able = action in chosen and self.world.accept_choice(state, action, cards)
            self._note, self._good = (None, True) if able else (Sentence("lesson.practice.choose"), False)
            return able
        if verb in self.world.card_move_verbs:
            return not self._moves_cards(verb, value)
        return True

    def _chooses_by_button(self, chosen: Sequence[Action]) -> bool:
        """Whether the choice may be made by button, which knows neither the hand nor hidden cards."""
        state, rules = self.people.state, self._game.referee.rules
        asked = [prompt for prompt in rules.prompts(state) if prompt.chair == self._person]
        if any(one.verb in self.world.hand_only_verbs for one in chosen):
            self._note, self._good = Sentence("lesson.practice.choose"), False
            return False
        if any(action.verb in self.world.card_move_verbs for prompt in asked for action in prompt.actions):
            self._note, self._good = Sentence("lesson.practice.touch"), False
            return False
        return True

    def _moves_cards(self, verb: str, value: str | int | None) -> bool:
        """Whether the action was done by moving cards, or refused with an explanation."""
        state = self.people.state
        try:
            moved: CardPlaces = self.world.places_after_move(state, self._seat, verb, str(value))
        except NotInHandError as missing:
            self._note, self._good = missing.sentence, False
            return True
        if moved:
            self.people.move_cards(moved, self._now())
        return bool(moved)

    def handle_ruling(self, ruling: Announcement) -> None:
        """Take an announcement: move the cards it implies, and update public knowledge."""
        before = ruling.before
        rules = self._game.referee.rules
        self.people.undo_ruling(ruling)
        for event in ruling.news:
            self.people.apply_event(before, event)
            after = rules.evolve(before, event)
            if self._opened is not None:
                self._opened.observe_event(before, event, after)
            before = after
        self.people.remember_world(ruling)
        self._senses.overlook("audit")
        if ruling.news:
            self._note = None
            self._tapped.clear()

    def offered_actions(self) -> list[Action]:
        """What the person may choose with the hand that is held."""
        found: list[Action] = self.world.hand_actions(self.people.state, self._seat)
        return [] if self._game.over else found

    def _hand_uses(self) -> list[tuple[Action, HandUse]]:
        state = self.people.state
        return [(action, self.world.hand_use(state, action)) for action in self.offered_actions()]

    def _picks(self) -> tuple[str, ...]:
        """The cards that an action points at and that lie nowhere on the table."""
        places = {place.region for place in self._game.view.places}
        return tuple(use.region for _, use in self._hand_uses() if use.region and use.region not in places)

    def _tapped_actions(self) -> list[Action]:
        """What the tapped cards and the tapped place make."""
        return self._tapped.fitting_actions(self._hand_uses())

    def _hand_pictures(self, seat: Seat) -> tuple[str, ...]:
        """A hand, as pictures."""
        held: tuple[str, ...] = self.world.hand_pictures(self.people.state, seat)
        return held

    def handle_request(self, what: str) -> None:
        """Take a request: `hint`, or a place that was touched."""
        state = self.people.state
        word, _, place = what.partition(":")
        if word == "card" and place.isdigit() and self.offered_actions():
            self._tapped.tap(int(place), "", self._hand_uses())
        elif word == "place" and any(place == use.region for _, use in self._hand_uses()):
            self._tapped.tap(None, place, self._hand_uses())
        elif word == "place":
            meant = self.world.touch_meaning(place)
            if meant is not None:
                self._moves_cards(*meant)
        elif word == "answer" and place.isdigit() and 0 < int(place) <= len(self._tapped_actions()):
            self._put(ob.ActionDeclared(at=self._now(), action=self._tapped_actions()[int(place) - 1]))
        elif word == "hint":
            advice = self.world.advice(state, self._seat)
            self._note, self._good = (Sentence("lesson.hint.none") if advice is None else advice.why), True
            self._say([self._note])

    def guidance(self) -> Guidance | None:
        """The person's hand beside the game; with open cards, all hands."""
        if self._game.over:
            return None
        state, rules = self.people.state, self._game.referee.rules
        meant = self.world.touch_meaning("")
        return Guidance(
            kind="practice",
            title=Sentence("lesson.practice"),
            say=Sentence("lesson.practice.open" if self._opened else "lesson.practice.say"),
            step=0,
            steps=0,
            chair=self._person,
            note=self._note,
            good=self._good,
            answers=tuple(rules.label(state, action) for action in self._tapped_actions()),
            chooses=bool(self.offered_actions()),
            touch_verb="" if meant is None else meant[0],
            tapped=tuple(sorted(self._tapped.cards)),
            tapped_region=self._tapped.region,
            picks=self._picks(),
            lay=tuple(row for row in self._visible_hands() if row[2]),
            back=() if self._opened is None else self._opened.lines,
        )

    def _visible_hands(self) -> list[tuple[str, Chair | None, tuple[str, ...]]]:
        """The person's hand and visible BOT cards; with open cards, everything."""
        state = self.people.state
        if self._opened is not None:
            shown = {seat: self._hand_pictures(seat) for seat in range(len(self.world.hands))}
        else:
            shown = {self._seat: self._hand_pictures(self._seat), **self.world.visible_hands(self._seat)}
        return [(*self._hand_owner(state, seat), cards) for seat, cards in shown.items()]

    def _hand_owner(self, state: Any, seat: Seat) -> tuple[str, Chair | None]:
        """The owner of a seat's hand, or the BOT deck there and its owner."""
        chairs = self._game.referee.setup.chairs
        if seat < len(chairs):
            return "", chairs[seat]
        owner = self.world.deck_owner(state, seat)
        return "bot", None if owner is None else chairs[owner]
