"""dnup's opponents of three strengths.

Easy does whatever comes to mind. Medium plays the largest set it sees. Strong knows what everybody saw go
into which hand and counts what is left, plays each of its ways on in several deals that may be the true one,
and takes the one after which it stands best (Monte Carlo over its information set).
"""

import random
from collections.abc import Mapping, Sequence

from companion.core.actions import Action, Chair, Seat
from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.dnup.belief import NOBODY, DnupReckoning
from companion.games.dnup.lookahead import Pair, Thought, Way
from companion.games.dnup.players import DnupWorld, Intent, shown
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as ev
from companion.games.dnup.rules.state import DnupState, Phase
from companion.games.kit.opponents import Advice, Opponents
from companion.games.kit.world import Plan

DEALS = 8
"""Deals in which the strong play a way on."""
SAMPLE, STEPS = 48, 16
"""Deals that each of them bears in mind, and how often each is reconsidered after a turn."""
LAPS = 2
"""How far they look ahead, in turns of everybody."""
WAYS = 7
"""How many of the ways they consider, the most promising first."""
WHIM: Mapping[str, float] = {"easy": 0.45, "medium": 0.08, "strong": 0.0}
"""How often somebody does just anything."""


class DnupOpponents(Opponents, DnupWorld):
    """A table of people of given strengths; every seat decides for itself."""

    duties = frozenset({"done", "listed", "prepared", "redeal", "scanned", "star"})
    choices_by_hand = frozenset({"add", "play", "rotate", "take"})

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, strengths: Sequence[str]) -> None:
        super().__init__(chairs, rng, strengths)
        self._chance = random.Random(rng.randrange(2**32))
        self._minds: dict[Seat, DnupReckoning] = {}

    def prepare(self) -> None:
        """The belief of each opponent starts."""
        for seat, strength in enumerate(self.strengths):
            if seat not in self._minds and (strength == "strong" or seat == self.explain):
                seed = self._chance.randrange(2**32)
                self._minds[seat] = DnupReckoning(len(self.chairs), size=SAMPLE, steps=STEPS, seed=seed)

    def happened(self, before: DnupState, event: Event) -> None:
        self.prepare()
        for seat, mind in self._minds.items():
            mind.hear(before, event)
            if isinstance(event, ev.RoundBegan):
                mind.knows(seat, self.hands[seat])
        super().happened(before, event)

    def in_hand(self, state: DnupState, seat: Seat) -> tuple[str, ...]:
        """What somebody holds now, as pictures of cards lying the way they are held."""
        return tuple(shown(one) for one in sorted(self.hands[seat], key=lambda one: (card.up(one), one)))

    # What they decide -------------------------------------------------------------------------------------

    def _act(self, state: DnupState) -> Plan:
        return [] if state.seat == self.explain else super()._act(state)

    def _choice(self, state: DnupState) -> tuple[Action, tuple[str, ...]]:
        strength = self.strengths[state.seat]
        if strength == "strong":
            action = self.best(state)
            return action, self._cards(state, action)
        ways = list(self._ways(state))
        if self._rng.random() < WHIM[strength]:
            return self._rng.choice(ways)[1:]
        return max(ways, key=lambda way: way[0] + self._rng.random() * 3)[1:]

    def _cards(self, state: DnupState, action: Action) -> tuple[str, ...]:
        """What leaves the hand of the player in turn."""
        return next((leaving for _, way, leaving in self._ways(state) if way == action), ())

    def means(self, state: DnupState, action: Action) -> bool:
        """A person is about to do this; False: that hand cannot."""
        fitting = [leaving for _, way, leaving in self._ways(state) if way == action]
        if fitting:
            self._intent = Intent(state.turns, action, fitting[0])
        return bool(fitting)

    def options(self, state: DnupState, seat: Seat) -> list[Action]:
        """What a person may choose with this very hand: the best of every kind first."""
        if seat != state.seat or state.phase is not Phase.ACTING:
            return []
        ways = sorted(self._ways(state), key=lambda way: -way[0])
        kinds = ("play", "add", "take", "rotate")
        return sorted((way[1] for way in ways), key=lambda action: kinds.index(action.verb))

    # Looking ahead ----------------------------------------------------------------------------------------

    def best(self, state: DnupState) -> Action:
        """The way after which the player in turn stands best, in deals that may be the true one."""
        ways = sorted(self._ways(state), key=lambda way: -way[0])[:WAYS]
        if ways[0][0] >= 100 or len(ways) == 1:
            return ways[0][1]  # out
        worth = [0.0] * len(ways)
        for deal in self._thoughts(state):
            seed = self._chance.random()
            for place, (_, action, _) in enumerate(ways):
                thought = deal.copy()
                thought.act(_way(state, action))
                thought.play_on(LAPS * len(thought.owners), random.Random(seed))
                worth[place] += thought.worth(state.seat)
        return ways[worth.index(max(worth))][1]

    def _thoughts(self, state: DnupState) -> list[Thought]:
        """Deals that may be the true one, as the player in turn knows them."""
        seat, mind = state.seat, self._mind(state.seat)
        ups, downs = mind.values()
        sets = [[_pair(one) for one in area.cards] for area in state.areas]
        owners = [state.owner(area) for area in range(len(state.areas))]
        at_once = state.options.out_check_2p == "before_bounce"
        thoughts = []
        for row in self._chance.sample(range(mind.size), DEALS):
            hands = [list(map(_pair, hand.known)) for hand in state.hands]
            hands[seat] = list(map(_pair, self.hands[seat]))
            for owner, up, down in zip(mind.owner[row], ups[row], downs[row], strict=True):
                if owner not in {NOBODY, seat}:
                    hands[owner].append((int(up), int(down)))
            thoughts.append(Thought(hands, sets, owners, state.area, state.out, at_once=at_once))
        return thoughts

    def _mind(self, seat: Seat) -> DnupReckoning:
        """What a seat can know."""
        return self._minds[seat]

    # Advice -----------------------------------------------------------------------------------------------

    def advice(self, state: DnupState, seat: Seat) -> Advice | None:
        """What the strong would do in this seat, and why."""
        if seat != state.seat or state.phase is not Phase.ACTING or state.due is not None:
            return None
        action = self.best(state)
        leaves = len(self._cards(state, action))
        if leaves and leaves == len(self.hands[seat]):
            return Advice(action, Sentence("lesson.hint.go_out"))
        match action.verb:
            case "play":
                count, _, value = str(action.value).partition("x")
                size = int(count)
                parts: tuple[tuple[str, str | int], ...] = (
                    ("count", size),
                    ("many", size),
                    ("value", int(value)),
                )
            case "add" | "take":
                parts = (("chair", self.chairs[state.owner(int(action.value or 1) - 1)]),)
            case _:
                parts = ()
        return Advice(action, Sentence(f"lesson.hint.dnup_{action.verb}", parts))


def _way(state: DnupState, action: Action) -> Way:
    """An action in short."""
    match action.verb:
        case "play":
            size, _, value = str(action.value).partition("x")
            return Way("play", int(size), int(value))
        case "add" | "take":
            area = int(action.value or 1) - 1
            return Way(action.verb, len(state.areas[area].cards), state.value(area), area)
    return Way("rotate")


def _pair(one: str) -> Pair:
    """`8/3` → (8, 3); a side that nobody saw counts as the other."""
    up, down = card.up(one), card.up(card.turned(one))
    return up or down, down or up
