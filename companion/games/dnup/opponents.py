"""dnup's computer opponents of three strengths.

Easy does whatever comes to mind. Medium plays the largest set it sees. Strong knows what everybody saw go
into which hand and counts what is left, plays each of its ways on in several deals that may be the true one,
and takes the one after which it stands best (Monte Carlo over its information set).
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from companion.core.actions import Action, Chair, Seat
from companion.core.events import Event
from companion.core.view import Sentence, SentenceParts
from companion.games.dnup.belief import NOBODY, DnupBelief
from companion.games.dnup.players import DnupWorld, Intent, card_picture
from companion.games.dnup.rules import camera_rulings, model
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.model import DnupPhase, DnupState, area_region
from companion.games.kit.world import Advice, HandUse, Opponents, Plan

SIMULATED_DEALS = 8
"""Deals in which the strong play a way on."""
BELIEF_SIZE, BELIEF_STEPS = 48, 16
"""Deals that each of them bears in mind, and how often each is reconsidered after a turn."""
LOOKAHEAD_LAPS = 2
"""How far they look ahead, in turns of everybody."""
MAX_MOVES = 7
"""How many of the ways they consider, the most promising first."""
RANDOM_MOVE_RATE: Mapping[str, float] = {"easy": 0.45, "medium": 0.08, "strong": 0.0}
"""How often somebody does just anything."""


class DnupOpponents(Opponents, DnupWorld):
    """A table of people of given strengths; every seat decides for itself."""

    automatic_verbs = frozenset({"done", "listed", "prepared", "redeal", "scanned", "star"})
    hand_only_verbs = frozenset({"add", "play", "rotate", "take"})
    tap_verb = "play"
    result_events = (model.WentOut,)
    round_end_events = (model.DnupRoundEnded,)
    suffered_events = (model.SetReturned, model.SetDiscarded)

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, strengths: Sequence[str]) -> None:
        super().__init__(chairs, rng, strengths)
        self._chance = random.Random(rng.randrange(2**32))
        self._minds: dict[Seat, DnupBelief] = {}

    def look_into_hands(self) -> None:
        """The belief of each opponent starts."""
        for seat, strength in enumerate(self.strengths):
            if seat not in self._minds and (strength == "strong" or seat == self.advised_seat):
                seed = self._chance.randrange(2**32)
                self._minds[seat] = DnupBelief(
                    len(self.chairs), size=BELIEF_SIZE, steps=BELIEF_STEPS, seed=seed
                )

    def apply_event(self, before: DnupState, event: Event) -> None:
        self.look_into_hands()
        for seat, mind in self._minds.items():
            mind.observe_event(before, event)
            if isinstance(event, model.DnupRoundBegan):
                mind.learn_hand(seat, self.hands[seat])
        super().apply_event(before, event)

    def lay_out(self, layout: Mapping[str, tuple[str, ...]]) -> bool:
        def cards(place: str) -> tuple[str, ...]:
            found = (
                one.removeprefix(camera_rulings.CARD_PREFIX).partition("@") for one in layout.get(place, ())
            )
            return tuple(card.card_as_read(name, int(turn or 0)) for name, _, turn in found)

        self.hands = [list(cards(str(seat))) for seat in range(len(self.chairs))]
        self.sets = [cards(area_region(area)) for area in range(len(self.sets))]
        return True

    def open_cards(self) -> Mapping[str, tuple[str, ...]]:
        return {area_region(area): tuple(map(card_picture, lying)) for area, lying in enumerate(self.sets)}

    def hand_pictures(self, state: DnupState, seat: Seat) -> tuple[str, ...]:
        """What somebody holds now, as pictures of cards lying the way they are held."""
        return tuple(map(card_picture, self._sorted_hand(seat)))

    def _sorted_hand(self, seat: Seat) -> list[str]:
        return sorted(self.hands[seat], key=lambda one: (card.active_value(one), one))

    # What they decide -------------------------------------------------------------------------------------

    def _plan_action(self, state: DnupState) -> Plan:
        return [] if state.seat == self.advised_seat else super()._plan_action(state)

    def _choose_action(self, state: DnupState) -> tuple[Action, tuple[str, ...]]:
        strength = self.strengths[state.seat]
        if strength == "strong":
            action = self.best_action(state)
            return action, self._cards_played(state, action)
        ways = list(self._scored_actions(state))
        if self._rng.random() < RANDOM_MOVE_RATE[strength]:
            return self._rng.choice(ways)[1:]
        return max(ways, key=lambda way: way[0] + self._rng.random() * 3)[1:]

    def _cards_played(self, state: DnupState, action: Action) -> tuple[str, ...]:
        """What leaves the hand of the player in turn."""
        return next((leaving for _, way, leaving in self._scored_actions(state) if way == action), ())

    def forced_note(self, state: DnupState, action: Action) -> Sentence | None:
        return Sentence("lesson.practice.forced.star") if action.verb == "star" else None

    def accept_choice(self, state: DnupState, action: Action, cards: Collection[int] = ()) -> bool:
        fitting = [leaving for _, way, leaving in self._scored_actions(state) if way == action]
        if fitting:
            held = self._sorted_hand(action.seat)
            leaving = tuple(held[place] for place in sorted(cards)) or fitting[0]
            self._intent = Intent(state.turns, action, leaving)
        return bool(fitting)

    def hand_use(self, state: DnupState, action: Action) -> HandUse:
        if action.verb == "play":
            size, _, value = str(action.value).partition("x")
            return HandUse(int(size), self._cards_of_value(action.seat, int(value)))
        if action.verb not in {"add", "take"}:
            return HandUse()
        area = int(action.value or 0) - 1
        if action.verb == "take":
            return HandUse(region=area_region(area))
        return HandUse(1, self._cards_of_value(action.seat, state.value(area)), area_region(area))

    def _cards_of_value(self, seat: Seat, value: int) -> frozenset[int]:
        held = self._sorted_hand(seat)
        return frozenset(place for place, one in enumerate(held) if card.active_value(one) == value)

    def hand_actions(self, state: DnupState, seat: Seat) -> list[Action]:
        """What a person may choose with this very hand: the best of every kind first."""
        if seat != state.seat or state.phase is not DnupPhase.ACTING:
            return []
        ways = sorted(self._scored_actions(state), key=lambda way: -way[0])
        kinds = ("play", "add", "take", "rotate")
        return sorted((way[1] for way in ways), key=lambda action: kinds.index(action.verb))

    # Looking ahead ----------------------------------------------------------------------------------------

    def best_action(self, state: DnupState) -> Action:
        """The way after which the player in turn stands best, in deals that may be the true one."""
        ways = sorted(self._scored_actions(state), key=lambda way: -way[0])[:MAX_MOVES]
        if ways[0][0] >= 100 or len(ways) == 1:
            return ways[0][1]  # out
        worth = [0.0] * len(ways)
        for deal in self._round_simulations(state):
            seed = self._chance.random()
            for place, (_, action, _) in enumerate(ways):
                thought = deal.copy()
                thought.play_move(_to_move(state, action))
                thought.play_turns(LOOKAHEAD_LAPS * len(thought.owners), random.Random(seed))
                worth[place] += thought.position_value(state.seat)
        return ways[worth.index(max(worth))][1]

    def _round_simulations(self, state: DnupState) -> list[RoundSimulation]:
        """Deals that may be the true one, as the player in turn knows them."""
        seat, mind = state.seat, self._belief_of(state.seat)
        ups, downs = mind.values_up_and_down()
        sets = [[_to_pair(one) for one in area.cards] for area in state.areas]
        owners = [state.owner(area) for area in range(len(state.areas))]
        at_once = state.options.out_check_2p == "before_bounce"
        thoughts = []
        for row in self._chance.sample(range(mind.size), SIMULATED_DEALS):
            hands = [list(map(_to_pair, hand.known)) for hand in state.hands]
            hands[seat] = list(map(_to_pair, self.hands[seat]))
            for owner, up, down in zip(mind.owner[row], ups[row], downs[row], strict=True):
                if owner not in {NOBODY, seat}:
                    hands[owner].append((int(up), int(down)))
            thoughts.append(RoundSimulation(hands, sets, owners, state.area, state.out, at_once=at_once))
        return thoughts

    def _belief_of(self, seat: Seat) -> DnupBelief:
        """What a seat can know."""
        return self._minds[seat]

    # Advice -----------------------------------------------------------------------------------------------

    def advice(self, state: DnupState, seat: Seat) -> Advice | None:
        """What the strong would do in this seat, and why."""
        if seat != state.seat or state.phase is not DnupPhase.ACTING or state.due is not None:
            return None
        action = self.best_action(state)
        leaves = len(self._cards_played(state, action))
        if leaves and leaves == len(self.hands[seat]):
            return Advice(action, Sentence("lesson.hint.go_out"))
        match action.verb:
            case "play":
                count, _, value = str(action.value).partition("x")
                size = int(count)
                parts: SentenceParts = (("count", size), ("many", size), ("value", int(value)))
            case "add" | "take":
                parts = (("chair", self.chairs[state.owner(int(action.value or 1) - 1)]),)
            case _:
                parts = ()
        return Advice(action, Sentence(f"lesson.hint.dnup_{action.verb}", parts))


def _to_move(state: DnupState, action: Action) -> CandidateMove:
    """An action in short."""
    match action.verb:
        case "play":
            size, _, value = str(action.value).partition("x")
            return CandidateMove("play", int(size), int(value))
        case "add" | "take":
            area = int(action.value or 1) - 1
            return CandidateMove(action.verb, len(state.areas[area].cards), state.value(area), area)
    return CandidateMove("rotate")


def _to_pair(one: str) -> Pair:
    """`8/3` → (8, 3); a side that nobody saw counts as the other."""
    up, down = card.active_value(one), card.active_value(card.rotate_card(one))
    return up or down, down or up


# A round thought ahead --------------------------------------------------------------------------------------
# Cards are pairs (value up, value below). Every deal that is thought of is played with open cards by rules of
# thumb; the rules that judge the real table are not asked, since thoughts have to be quick.


Pair = tuple[int, int]


class CandidateMove(NamedTuple):
    """One action: `play` this many of a value, `add` to an area, `take` from an area, `rotate`."""

    verb: str
    size: int = 0
    value: int = 0
    area: int = -1


class RoundSimulation:
    """One deal that may be the true one, and what becomes of it."""

    __slots__ = ("area", "at_once", "hands", "out", "owners", "sets")

    def __init__(
        self,
        hands: Sequence[list[Pair]],
        sets: Sequence[list[Pair]],
        owners: Sequence[int],
        area: int,
        out: Sequence[int],
        *,
        at_once: bool = True,
    ) -> None:
        """`at_once`: of two players the last card wins before the set it beats comes home (DA5)."""
        self.hands = [list(hand) for hand in hands]
        self.sets = [list(lying) for lying in sets]
        self.owners = owners
        self.area = area
        self.out = list(out)
        self.at_once = at_once

    def copy(self) -> RoundSimulation:
        """The same, to go another way."""
        return RoundSimulation(self.hands, self.sets, self.owners, self.area, self.out, at_once=self.at_once)

    @property
    def is_two_player(self) -> bool:
        """Whether two play, with two areas each."""
        return len(self.owners) > len(self.hands)

    @property
    def is_over(self) -> bool:
        """Whether the round is."""
        return len(self.out) >= (1 if self.is_two_player else 2)

    def scored_moves(self) -> list[tuple[float, CandidateMove]]:
        """The possible moves of this turn, each with a heuristic score: only the order of scores matters."""
        seat = self.owners[self.area]
        hand = self.hands[seat]
        counts: dict[int, int] = {}
        over: dict[int, int] = {}
        for up, down in hand:
            counts[up] = counts.get(up, 0) + 1
            over[down] = over.get(down, 0) + 1
        rivals = {len(lying): lying[0][0] for at, lying in enumerate(self.sets) if lying and at != self.area}
        found = [(4.0 * max(over.values(), default=0), CandidateMove("rotate"))]
        for value, count in counts.items():
            for size in range(count, 0, -1):
                if rivals.get(size, 0) < value:
                    out = 100 if size == len(hand) else 0
                    found.append((out + 10.0 * size + value / 4, CandidateMove("play", size, value)))
        for at, lying in enumerate(self.sets):
            if not lying or self.owners[at] == seat:
                continue
            value, size = lying[0][0], len(lying) + 1
            if value in counts and (rivals.get(size, 0) < value):
                found.append(((100 if len(hand) == 1 else 0) + 11.0, CandidateMove("add", size, value, at)))
            found.append((5.0 - len(lying) - len(hand) / 4, CandidateMove("take", len(lying), value, at)))
        return found

    def play_move(self, way: CandidateMove) -> None:
        """One turn, with all that follows up to the next."""
        seat = self.owners[self.area]
        hand = self.hands[seat]
        if way.verb == "rotate":
            self.hands[seat] = [(down, up) for up, down in hand]
        elif way.verb == "take":
            hand += [(down, up) for up, down in self.sets[way.area]]
            self.sets[way.area] = []
        else:
            at = self.area if way.verb == "play" else way.area
            size = way.size if way.verb == "play" else len(self.sets[at]) + 1
            beaten = next((n for n, lying in enumerate(self.sets) if n != at and len(lying) == size), None)
            leaving = [card for card in hand if card[0] == way.value][: way.size if way.verb == "play" else 1]
            for card in leaving:
                hand.remove(card)
            self.sets[at] = [*self.sets[at], *leaving] if way.verb == "add" else leaving
            won = self.is_two_player and self.at_once and not hand
            if beaten is not None and not won:
                owner = self.owners[beaten]
                if owner not in self.out:
                    self.hands[owner] += [(down, up) for up, down in self.sets[beaten]]
                self.sets[beaten] = []
        if not self.hands[seat]:
            self.out.append(seat)
        self._next_turn()

    def _next_turn(self) -> None:
        """Sets whose time is over leave; the player who is out is passed by."""
        for _ in self.owners:
            self.area = (self.area + 1) % len(self.owners)
            self.sets[self.area] = []
            if self.owners[self.area] not in self.out:
                return

    def play_turns(self, turns: int, chance: random.Random) -> None:
        """Play a number of turns by rules of thumb."""
        for _ in range(turns):
            if self.is_over:
                return
            self.play_move(max((score + 3.0 * chance.random(), way) for score, way in self.scored_moves())[1])

    def position_value(self, seat: int) -> float:
        """The value of this position for a seat, roughly in turns: who is out, who needs how many more."""
        if seat in self.out:
            return 14.0 - 6.0 * self.out.index(seat)
        others = [
            _turns_to_empty(hand)
            for one, hand in enumerate(self.hands)
            if one != seat and one not in self.out
        ]
        ahead = min(others, default=0.0)
        return 0.5 * ahead - _turns_to_empty(self.hands[seat]) - 4.0 * len(self.out)


def _turns_to_empty(hand: Sequence[Pair]) -> float:
    """Turns until a hand is empty, if nobody disturbs it."""
    ups, downs = len({up for up, _ in hand}), len({down for _, down in hand})
    return min(ups, downs + 1) + 0.1 * len(hand)
