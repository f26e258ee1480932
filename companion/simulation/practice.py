"""A practice game: one person against simulated opponents, with hints.

Obligatory answers are given for the person, so that a slip cannot contradict the cards; every real choice is
the person's own. With open cards, all hands are shown, with what is public knowledge about them.
"""

from collections.abc import Callable, Sequence
from typing import Any

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Action, Chair, Micros, Seat
from companion.core.clock import earliest
from companion.core.events import WindowVoided
from companion.core.switch import Edge
from companion.core.view import Guidance, Sentence
from companion.games import GAMES
from companion.games.kit.world import (
    ArrangeCards,
    CardPlaces,
    HandUse,
    NotInHandError,
    Opponents,
    TakeAction,
    TappedCards,
)
from companion.referee.loop import Announcement, RefereedGame
from companion.simulation.simulated_players import DirectSenses, PlayerSimulator

SETTLE_TIME: Micros = SECOND // 2
"""What is pressed or tapped this soon after something else is asked was meant for what stood there before."""
BOUNCE_TIME: Micros = 20_000
"""A button that is up again sooner was no finger."""
FORCED_TIME: Micros = 5 * SECOND
"""How long it is told what was done for the person."""
VOIDED_TIME: Micros = 3 * SECOND
"""How long it is told why a count begins again."""


class PracticeOpponents(PlayerSimulator):
    """The opponents, and the obligatory answers of the person."""

    def __init__(self, person: Chair, *, world: Any, **given: Any) -> None:
        super().__init__(world=world, **given)
        self.person = person
        self.told_forced: Callable[[Action], object] = bool
        """Told which answer is given for the person."""
        self._opponents: Opponents = world
        self.most_presses = world.most_presses

    def _perform(self, deed: Any, at: Micros) -> None:
        if deed.chair != self.person:
            super()._perform(deed, at)
        elif isinstance(deed, TakeAction) and deed.action.verb in self._opponents.automatic_verbs:
            self.told_forced(deed.action)
            self._choose(deed, at)
        elif isinstance(deed, ArrangeCards) and not self._is_own(deed):
            super()._perform(deed, at)

    def _is_own(self, deed: ArrangeCards) -> bool:
        """Whether these cards are the person's to move."""
        return any(name.startswith(self._opponents.own_place_prefixes) for name, _ in deed.places)

    def is_reaching(self, at: Micros) -> bool:
        """Whether the person's hand is still over the table."""
        return any(hand.chair == self.person and hand.until > at for hand in self.hands)

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
        self._tapped_for: tuple[object, ...] = ()
        """The choice for which they were tapped: they lie down again when it is another one."""
        self._down: Micros | None = None
        """Since when the person's button is down, where the hand says what it means."""
        self._asked: tuple[Action, ...] = ()
        """What the person can choose from, as the rules see it."""
        self._asked_since: Micros = -SETTLE_TIME
        self._known_possible: tuple[Any, tuple[Action, ...]] | None = None
        """What the person can do, and in which state."""
        self._has_acted = False
        """Whether the person has done anything yet."""
        self._forced: tuple[Sentence, Micros] | None = None
        """What was done for the person, or to the own hand, last, or why a count begins again; until when."""
        self._results: list[tuple[int, Sentence]] = []
        """Who won what of this round, and by which entry."""
        self._over: tuple[Sentence, Micros] | None = None
        """How the round ended, and when, while that is being read."""
        world.advised_seat = self._seat
        world.look_into_hands()
        self._senses = senses = DirectSenses(lambda: world.places, put, now)
        self.people = PracticeOpponents(
            person, rules=game.referee.rules, world=world, state=game.referee.state, press=senses.press,
            say=senses.say,
        )  # fmt: skip
        self.people.told_forced = self._note_forced
        self.people.are_listening = lambda: self._over is not None
        rules = game.referee.rules
        tell = GAMES[rules.name].open_table
        self._opened = tell(rules, world, game.referee.setup) if is_open and tell is not None else None

    def step(self, now: Micros) -> None:
        """Do everything that is due, and read the cards that have changed."""
        self.people.advance(now)
        self.people.plan_actions(now)
        self._senses.step(now)
        if self._down is not None and now - self._down >= HOLD_TIME:
            self._end_press("hold")
        if self._forced is not None and now >= self._forced[1]:
            self._forced = None

    def next_step_due(self) -> Micros | None:
        """When the opponents act next, a press becomes a hold, or something has been told long enough."""
        held = None if self._down is None else self._down + HOLD_TIME
        told = None if self._forced is None else self._forced[1]
        return earliest(self._senses.next_due(), self.people.next_due(), held, told)

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
        if not isinstance(seen, Edge | ob.ActionDeclared) or self._senses.take_back(seen):
            return True
        if isinstance(seen, Edge):
            return seen.chair is None or (seen.chair == self._person and self._takes_edge(seen))
        chosen = self.offered_actions()
        if seen.action.seat != self._seat or (not chosen and self._is_too_soon(seen.at)):
            return False
        verb, value = seen.action.verb, seen.action.value
        self._has_acted = True
        if chosen:
            state, action = self.people.state, seen.action
            cards = self._tapped.cards if action in self._tapped_actions() else ()
            able = action in chosen and self.world.accept_choice(state, action, cards)
            self._note, self._good = (None, True) if able else (Sentence("lesson.practice.choose"), False)
            return able
        if verb in self.world.card_move_verbs:
            return not self._moves_cards(verb, value)
        return True

    def _is_too_soon(self, at: Micros) -> bool:
        """Whether something else was asked just now; what reports a moment is never too soon."""
        rules, state = self._game.referee.rules, self.people.state
        report = rules.is_window_open(state) or rules.is_press_a_report(state, self._person)
        return not report and at - self._asked_since < SETTLE_TIME

    def _takes_edge(self, edge: Edge) -> bool:
        """Whether the game hears of the person's button; it knows neither the hand nor hidden cards."""
        if not edge.level:
            down, self._down = self._down, None
            if down is not None and edge.at - down >= BOUNCE_TIME:
                self._end_press("tap")
            return True
        rules, state = self._game.referee.rules, self.people.state
        mine, moves = self._asked_actions(), self.world.card_move_verbs
        if self._is_too_soon(edge.at):
            return False
        if rules.is_press_a_report(state, self._person):
            self._has_acted = True
            return True
        if self.offered_actions():
            self._note, self._good = Sentence("lesson.practice.choose"), False
            return False
        touched = self.world.touch_meaning("")
        if touched is not None and any(action.verb == touched[0] for action in mine):
            self._note, self._good = Sentence("lesson.practice.touch"), False
            return False
        if any(action.verb in moves for action in mine):
            self._down = edge.at
            return False
        self._has_acted = True
        return not mine or any(action in self.possible_actions() for action in mine)

    def _end_press(self, press: str) -> None:
        """A tap does the first of what the hand allows, a hold the second, where cards are moved by it."""
        self._down = None
        mine = [action for action in self._asked_actions() if action in self.possible_actions()]
        if mine:
            action = mine[-1 if press == "hold" else 0]
            self._put(ob.ActionDeclared(at=self._now(), action=action))

    def _asked_actions(self) -> tuple[Action, ...]:
        """What the rules ask the person to choose from."""
        prompts = self._game.referee.rules.prompts(self.people.state)
        return tuple(
            action for prompt in prompts if prompt.chair == self._person for action in prompt.actions
        )

    def possible_actions(self) -> tuple[Action, ...]:
        """What the person can do now, with this hand; what is done for the person is not among it."""
        state, rules, world = self.people.state, self._game.referee.rules, self.world
        if self._known_possible is None or self._known_possible[0] is not state:
            offered = self.offered_actions()
            lawful = (action for action in rules.legal_actions(state) if action.seat == self._seat)
            found = {
                action
                for action in lawful
                if action.verb not in world.automatic_verbs | world.hand_only_verbs
                and world.is_possible(state, action)
            }
            asked = [action for action in self._asked_actions() if action in found]
            rest = sorted(found.difference(asked), key=str)
            self._known_possible = state, (*asked, *offered, *rest)
        return self._known_possible[1]

    def _note_forced(self, action: Action) -> None:
        """What is done for the person is told, where it tells something of the hand."""
        why = self.world.forced_note(self.people.state, action)
        if why is not None:
            self._forced = why, self._now() + FORCED_TIME

    def _moves_cards(self, verb: str, value: str | int | None) -> bool:
        """Whether cards were moved for the action, or it was refused: without a word where it is too soon."""
        state = self.people.state
        if self.people.is_reaching(self._now()):
            return True
        try:
            moved: CardPlaces | None = self.world.places_after_move(state, self._seat, verb, str(value))
        except NotInHandError as missing:
            self._note, self._good = missing.sentence, False
            return True
        if moved:
            self.people.move_cards(moved, self._now())
        return moved is None or bool(moved)

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
            if self._tapped_for != self._choice():
                self._tapped.clear()
        self._note_results(ruling)
        if (asked := self._asked_actions()) != self._asked:
            self._asked, self._asked_since = asked, self._now()

    def _note_results(self, ruling: Announcement) -> None:
        """Who won what of the round; at its end everybody waits, unless the game is over with it."""
        rules, world, undone = self._game.referee.rules, self.world, ruling.entry.retracts
        if undone is not None:
            self._over, self._results = None, [one for one in self._results if one[0] < undone]
        for event in ruling.news:
            said = rules.sentence(ruling.state, event)
            if said is None:
                continue
            if isinstance(event, world.result_events):
                self._results.append((ruling.entry.seq, said))
            if isinstance(event, world.suffered_events) and getattr(event, "seat", None) == self._seat:
                self._forced = said, self._now() + FORCED_TIME
            if isinstance(event, WindowVoided):
                self._forced = said, self._now() + VOIDED_TIME
            if isinstance(event, world.round_end_events):
                self._over = said, self._now()
        if self._over is not None and rules.outcome(ruling.state) is not None:
            self._over = None

    def offered_actions(self) -> list[Action]:
        """What the person may choose with the hand that is held."""
        found: list[Action] = self.world.hand_actions(self.people.state, self._seat)
        return [] if self._game.over else found

    def _choice(self) -> tuple[object, ...]:
        """What the person may choose, and the hand that is held."""
        return self.offered_actions(), self._hand_pictures(self._seat)

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

    def _tap(self, card: int | None, region: str) -> None:
        """A card, or a place, was tapped; what is complete with a card and its place is done.

        Cards that lie down again because the new one goes with none of them are told of.
        """
        why = None if card is None else self.world.tap_refusal(self.people.state, self._seat, card)
        if why is not None:
            self._note, self._good = why, False
            return
        before, self._tapped_for = self._tapped.cards, self._choice()
        self._tapped.tap(card, region, self._hand_uses())
        made = self._tapped_actions()
        dropped = card is not None and card not in before and bool(before - self._tapped.cards)
        several = any(use.size > 1 for _, use in self._hand_uses())
        self._note, self._good = (
            (Sentence("lesson.practice.apart"), False) if dropped and several else (None, True)
        )
        if self._tapped.cards and self._tapped.region and len(made) == 1:
            self._put(ob.ActionDeclared(at=self._now(), action=made[0]))

    def _hand_pictures(self, seat: Seat) -> tuple[str, ...]:
        """A hand, as pictures."""
        held: tuple[str, ...] = self.world.hand_pictures(self.people.state, seat)
        return held

    def handle_request(self, what: str) -> None:
        """Take a request: `hint`, or a place that was touched."""
        state = self.people.state
        word, _, place = what.partition(":")
        if self._over is not None:
            if word == "next" and self._now() - self._over[1] >= SETTLE_TIME:
                self._over, self._results, self._forced = None, [], None
            return
        if word == "card" and place.isdigit() and self.offered_actions():
            self._tap(int(place), "")
        elif word == "place" and any(place == use.region for _, use in self._hand_uses()):
            self._tap(None, place)
        elif word == "place" and self._is_too_soon(self._now()):
            return
        elif word == "place":
            meant = self.world.touch_meaning(place)
            if meant is not None and any(action.verb == meant[0] for action in self.possible_actions()):
                self._has_acted = True
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
        if self._over is not None:
            ended, since = self._over
            return Guidance(
                kind="held",
                title=ended,
                say=Sentence("lesson.practice.held"),
                step=0,
                steps=0,
                chair=self._person,
                results=tuple(said for _, said in self._results),
                since=since,
            )
        meant, shown = self.world.touch_meaning(""), self.world.shown_state(state)
        first = Sentence(f"lesson.practice.first.{rules.name}", (("chair", self._person),))
        offered, tapped = self.offered_actions(), self._tapped.cards or self._tapped.region
        is_asked = offered or {*self._asked_actions()} & {*self.possible_actions()}
        say = "lesson.practice.say"
        if offered:
            card = "follow" if ".follow." in self._game.view.headline.key else "card"
            verb = self.world.tap_verb or offered[0].verb
            say = f"lesson.practice.tap.{card if offered[0].has_two_steps else verb}"
        return Guidance(
            kind="practice",
            title=Sentence("lesson.practice"),
            say=Sentence("lesson.practice.open" if self._opened else say),
            step=0,
            steps=0,
            chair=self._person,
            note=self._note
            or (first if is_asked and not (self._has_acted or tapped or self._forced) else None),
            good=self._good,
            answers=tuple(rules.label(state, action) for action in self._tapped_actions()),
            chooses=bool(offered),
            possible=self.possible_actions(),
            forced=None if self._forced is None else self._forced[0],
            headline=self.world.headline(state),
            table=None if shown is state else rules.view(shown),
            touch_verb="" if meant is None else meant[0],
            tapped=tuple(sorted(self._tapped.cards)),
            tapped_region=self._tapped.region,
            useless=not self._tapped.leads_on(self._hand_uses()),
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
            shown = {
                self._seat: self._hand_pictures(self._seat),
                **self.world.visible_hands(state, self._seat),
            }
        return [(*self._hand_owner(state, seat), cards) for seat, cards in shown.items()]

    def _hand_owner(self, state: Any, seat: Seat) -> tuple[str, Chair | None]:
        """The owner of a seat's hand, or the BOT deck there and its owner."""
        chairs = self._game.referee.setup.chairs
        if seat < len(chairs):
            return "", chairs[seat]
        owner = self.world.deck_owner(state, seat)
        return "bot", None if owner is None else chairs[owner]
