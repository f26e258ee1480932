"""Practice: one person plays against simulated opponents, with hints.

Obligatory answers are given for the person, so that a slip cannot contradict the cards; every real choice is
the person's own. With open cards, all hands are shown, with what is public knowledge about them.
"""

from collections.abc import Callable, Sequence
from typing import Any

from companion.core import observations as ob
from companion.core.actions import Action, Chair, Micros, Seat
from companion.core.one_button import Edge
from companion.core.view import Guidance, Sentence
from companion.games import GAMES
from companion.games.kit.opponents import NotInHand, Opponents, Places
from companion.games.kit.world import Arrange, Choose, lying
from companion.referee.loop import Announced, RefereedGame
from companion.simulation.acts import TAP, People

MOST = 8
"""Number of choices that fit beside the table."""


class Sitters(People):
    """The opponents, and the obligatory answers of the person."""

    def __init__(self, person: Chair, *, world: Any, **given: Any) -> None:
        super().__init__(world=world, **given)
        self.person = person
        self._opponents: Opponents = world

    def _do(self, deed: Any, at: Micros) -> None:
        if deed.chair != self.person:
            super()._do(deed, at)
        elif isinstance(deed, Choose) and deed.action.verb in self._opponents.duties:
            self._choose(deed, at)
        elif isinstance(deed, Arrange) and not self._own(deed):
            super()._do(deed, at)

    def _own(self, deed: Arrange) -> bool:
        """Whether these cards are the person's to move."""
        return any(name.startswith(self._opponents.own_places) for name, _ in deed.places)

    def move(self, places: Places, at: Micros) -> None:
        """Move cards as the person."""
        super()._do(Arrange(self.person, places), at)


class Practice:
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
        world.explain = self._seat
        world.prepare()
        self.people = Sitters(
            person, rules=game.referee.rules, world=world, state=game.referee.state, press=self._press,
            say=self._declares,
        )  # fmt: skip
        self._lying = dict(world.places)
        self._due: list[tuple[Micros, Edge]] = []
        self._theirs: list[Edge | ob.Declared] = []
        """Actions of the opponents that the game has not taken yet."""
        rules = game.referee.rules
        tell = GAMES[rules.name].open_table
        self._opened = tell(rules, world, game.referee.setup) if is_open and tell is not None else None

    # The others -------------------------------------------------------------------------------------------

    def _press(self, chair: Chair, at: Micros, hold: Micros) -> None:
        self._due += [
            (at, Edge(chair, "seat", level=True, at=at, source="key")),
            (at + max(hold, TAP), Edge(chair, "seat", level=False, at=at + max(hold, TAP), source="key")),
        ]

    def _declares(self, chair: Chair, action: Action) -> None:
        self._do(ob.Declared(at=self._now(), action=action))

    def _do(self, seen: Edge | ob.Declared) -> None:
        self._theirs.append(seen)
        self._put(seen)

    def act(self, now: Micros) -> None:
        """Do everything that is due, and read the cards that have changed."""
        self.people.advance(now)
        self.people.think(now)
        for due in [due for due in self._due if due[0] <= now]:
            self._due.remove(due)
            self._do(due[1])
        changed = {name: cards for name, cards in self.world.places.items() if self._lying.get(name) != cards}
        if changed:
            self._lying = dict(self.world.places)
            regions = tuple(
                ob.Region(name, tuple(ob.Face(*lying(card)) for card in cards), max(0, now - 1), now)
                for name, cards in changed.items()
            )
            self._put(ob.TableSeen(at=now, regions=regions))

    def acts_at(self) -> Micros | None:
        """When the opponents act next."""
        dues = [at for at, _ in self._due]
        people = self.people.next_due()
        return min([*dues, *([] if people is None else [people])], default=None)

    # The guide --------------------------------------------------------------------------------------------

    silent = False

    def change(self, level: str) -> None:
        """Does nothing: practice has no levels of help."""

    def advance(self, now: Micros) -> None:
        """Does nothing: the host calls `act`."""

    def next_due(self) -> Micros | None:
        """None: the host asks `acts_at`, and stops asking if that fails."""
        return None

    def admits(self, seen: Edge | ob.Observation) -> bool:
        """Whether the game takes an observation: nobody declares or presses for the opponents.

        A declaration that stands for moving a card moves the card instead, which is then read. If the hand
        limits the choices, they are offered on the screen, because a button does not know the hand.
        """
        if not isinstance(seen, Edge | ob.Declared):
            return True
        theirs = seen in self._theirs
        if theirs:
            self._theirs.remove(seen)
        chosen = self.options()
        if isinstance(seen, Edge):
            own = seen.chair in {None, self._person}
            return theirs if not own else not seen.level or seen.chair is None or self._own_button(chosen)
        if seen.action.seat != self._seat:
            return theirs
        verb, value = seen.action.verb, seen.action.value
        if chosen:
            able = bool(self.world.means(self.people.state, seen.action))
            self._note, self._good = (None, True) if able else (Sentence("lesson.practice.choose"), False)
            return able
        if verb in self.world.moves:
            return not self._by_hand(verb, value)
        return True

    def _own_button(self, chosen: Sequence[Action]) -> bool:
        """Whether the choice may be made by button, which knows neither the hand nor hidden cards."""
        state, rules = self.people.state, self._game.referee.rules
        asked = [prompt for prompt in rules.prompts(state) if prompt.chair == self._person]
        if any(one.verb in self.world.choices_by_hand for one in chosen):
            self._note, self._good = Sentence("lesson.practice.choose"), False
            return False
        if any(action.verb in self.world.moves for prompt in asked for action in prompt.actions):
            self._note, self._good = Sentence("lesson.practice.touch"), False
            return False
        return True

    def _by_hand(self, verb: str, value: str | int | None) -> bool:
        """Whether the action was done by moving cards, or refused with an explanation."""
        state = self.people.state
        try:
            moved: Places = self.world.moved(state, self._seat, verb, str(value))
        except NotInHand as missing:
            self._note, self._good = missing.said, False
            return True
        if moved:
            self.people.move(moved, self._now())
        return bool(moved)

    def announced(self, ruling: Announced) -> None:
        """Take an announcement: move the cards it implies, and update public knowledge."""
        before = ruling.before
        rules = self._game.referee.rules
        self.people.go_back(ruling)
        for event in ruling.news:
            self.people.happened(before, event)
            after = rules.evolve(before, event)
            if self._opened is not None:
                self._opened.hear(before, event, after)
            before = after
        self.people.reached(ruling)
        self._lying = {**self._lying, "audit": self.world.places.get("audit", ())}
        if ruling.news:
            self._note = None

    def options(self) -> list[Action]:
        """The choices offered beside the table."""
        if self._game.over:
            return []
        found: list[Action] = self.world.options(self.people.state, self._seat)
        if len(found) <= MOST:
            return found
        kept = self._game.referee.rules.board.last
        last = [action for action in found if action.verb in kept]
        return [*found[: MOST - len(last)], *last]

    def _hand(self, seat: Seat) -> tuple[str, ...]:
        """A hand, as pictures."""
        held: tuple[str, ...] = self.world.in_hand(self.people.state, seat)
        return held

    def wanted(self, what: str) -> None:
        """Take a request: `hint`, or a place that was touched."""
        state = self.people.state
        word, _, place = what.partition(":")
        if word == "place":
            meant = self.world.touched(place)
            if meant is not None:
                self._by_hand(*meant)
        elif word == "answer" and place.isdigit() and 0 < int(place) <= len(self.options()):
            self._put(ob.Declared(at=self._now(), action=self.options()[int(place) - 1]))
        elif word == "hint":
            advice = self.world.advice(state, self._seat)
            self._note, self._good = (Sentence("lesson.hint.none") if advice is None else advice.why), True
            self._say([self._note])

    def guidance(self) -> Guidance | None:
        """The person's hand beside the game; with open cards, all hands."""
        if self._game.over:
            return None
        state, rules = self.people.state, self._game.referee.rules
        return Guidance(
            kind="practice",
            title=Sentence("lesson.practice"),
            say=Sentence("lesson.practice.open" if self._opened else "lesson.practice.say"),
            step=0,
            steps=0,
            chair=self._person,
            note=self._note,
            good=self._good,
            answers=tuple(rules.label(state, action) for action in self.options()),
            lay=tuple(row for row in self._lay() if row[2]),
            back=() if self._opened is None else self._opened.lines,
        )

    def _lay(self) -> list[tuple[str, Chair | None, tuple[str, ...]]]:
        """The person's hand and visible BOT cards; with open cards, everything."""
        state = self.people.state
        if self._opened is not None:
            shown = {seat: self._hand(seat) for seat in range(len(self.world.hands))}
        else:
            shown = {self._seat: self._hand(self._seat), **self.world.seen(self._seat)}
        return [(*self._deck(state, seat), cards) for seat, cards in shown.items()]

    def _deck(self, state: Any, seat: Seat) -> tuple[str, Chair | None]:
        """The owner of a seat's hand, or the BOT deck there and its owner."""
        chairs = self._game.referee.setup.chairs
        if seat < len(chairs):
            return "", chairs[seat]
        owner = self.world.deck_owner(state, seat)
        return "bot", None if owner is None else chairs[owner]
