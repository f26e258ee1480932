"""What the models of Hearts, Spades and Euchre share, from docs/rules.md alone: tricks, and their proof.

They deal and play whole games: what each hand holds, what people play against the rules, what they say of it,
and what must follow. Whether a deal can be lawful is decided by Hall's theorem, over every group of hands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from random import Random
from typing import Any, ClassVar, Generic, Self, TypeVar

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros, Setup
from companion.core.events import Event
from companion.core.observations import AnyObservation
from companion.core.rules import Rules
from tests.models.compare import REFUSED, Fact, facts_of

SUITS = ("clubs", "diamonds", "spades", "hearts")
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
DECK = tuple(f"{suit}|{rank}" for suit in SUITS for rank in RANKS)
EVERY = frozenset(DECK)
SEATS = range(4)
LAST_DEAL = 40
UNRULED = {"PressedInVain", "PressBegan", "PressEnded", "ChoiceStepped", "PlaceSeen", "ClaimAccepted"}
"""Events that no rule of the game speaks of: nobody is told."""


def suit_of(card: str) -> str:
    return card.partition("|")[0]


OF_SUIT = {suit: frozenset(card for card in DECK if suit_of(card) == suit) for suit in SUITS}


def height(card: str) -> int:
    return RANKS.index(card.partition("|")[2])


@dataclass
class Play:
    seat: int
    card: str
    confirmed: bool = False
    proved: bool = False


@dataclass
class Standing:
    """All that an undo brings back."""

    points: list[int]
    phase: str
    deal: int = 1
    plays: list[Play] = field(default_factory=list)
    checks: list[int] = field(default_factory=list)
    """Which plays are to be checked, by their place among the plays."""
    twice: set[str] = field(default_factory=set)
    """Cards that the seat in turn has said, and that were told before."""
    disagreed: bool = False
    """Whether the table was told in this deal that the cards cannot all be right."""
    hands: list[set[str]] = field(default_factory=list)
    """What each truly holds."""
    claimed: int | None = None
    agreed: frozenset[int] = frozenset()
    winners: tuple[int, ...] | None = None

    def copy(self) -> Self:
        return replace(
            self,
            points=[*self.points],
            plays=[replace(play) for play in self.plays],
            checks=[*self.checks],
            twice={*self.twice},
            hands=[{*hand} for hand in self.hands],
        )


Now = TypeVar("Now", bound=Standing)


class Tricks(Generic[Now]):
    """One game."""

    first_phase: ClassVar[str]
    """In which a deal begins."""
    broken_suit: ClassVar[str]
    """May not be led before it is broken."""
    deck: ClassVar[Sequence[str]] = DECK
    size: ClassVar[int] = 13
    """How many cards a hand has."""
    last_deal: ClassVar[int] = LAST_DEAL
    verbs: ClassVar[tuple[str, ...]] = ("play", "play", "play", "right", "was", "short", "claim")
    """What somebody says who is not asked."""

    def __init__(self, setup: Setup, chance: Random, now: Now) -> None:
        self.options: Any = setup.options
        self.chance = chance
        self.now = now
        self.past: list[Now] = []
        """Before each thing said."""
        self.at: Micros = 0
        self.facts: list[Fact] = []
        self.careless = chance.choice((0, 0, 0.02, 0.1, 0.4))
        """How often somebody who could follow does not, or plays what may not be played."""
        self.misread = chance.choice((0, 0, 0.01, 0.05))
        """How often another card is told than was played."""

    def _deal(self) -> None:
        deck = list(self.deck)
        self.chance.shuffle(deck)
        self.now.hands = [set(deck[self.size * seat : self.size * (seat + 1)]) for seat in SEATS]

    # What differs ------------------------------------------------------------------------------------------

    def excluded(self, index: int) -> frozenset[str]:
        """What the hand of a play cannot have, if the play was lawful (rule 4)."""
        raise NotImplementedError

    def _worth(self) -> tuple[object, ...]:
        """What is told of the trick that was just taken, besides by whom."""
        return ()

    def _score(self) -> None:
        """All cards are played, and none is to be checked."""
        raise NotImplementedError

    def _other_actions(self) -> Iterator[Action]:
        """What may be said in the phases that only this game has."""
        raise NotImplementedError

    def _other_said(self, action: Action) -> None:
        raise NotImplementedError

    def _other_deed(self, chance: Random) -> Action:
        """What somebody says in those phases."""
        raise NotImplementedError

    def _declarable(self) -> Mapping[str, tuple[int, range]]:
        """What the table may declare: what is so, and within which limits."""
        raise NotImplementedError

    def _put_down(self, meant: Mapping[str, Any]) -> None:
        """All of it, as it was declared, but for the deal."""
        raise NotImplementedError

    def _repair(self, chance: Random) -> tuple[tuple[str, str | int], ...]:
        """What the table puts right; once in a while what cannot be."""
        raise NotImplementedError

    def _choose(self, seat: int, able: Sequence[str], chance: Random) -> str:
        """Which of these cards, all lawful or none, a seat plays."""
        return chance.choice(able)

    # What everybody can see --------------------------------------------------------------------------------

    def over(self) -> bool:
        return self.now.winners is not None

    def due(self) -> Micros | None:
        return None

    def public(self) -> Mapping[str, object]:
        now = self.now
        if self.over():
            return {"winners": now.winners}
        return {
            "winners": None,
            "points": now.points,
            "deal": now.deal,
            "phase": now.phase,
            "asked": sorted({action.seat for action in self._legal() if action.verb != "claim"}),
        }

    # Tricks ------------------------------------------------------------------------------------------------

    def players(self) -> Sequence[int]:
        """The seats that play cards in this deal."""
        return SEATS

    @property
    def trumps(self) -> frozenset[str]:
        return frozenset()

    def offered(self, _seat: int) -> Sequence[str]:
        """The cards that a seat may tell."""
        return self.deck

    def suited(self, card: str) -> frozenset[str]:
        """All cards of the suit of a card."""
        return OF_SUIT[suit_of(card)]

    def height(self, card: str) -> int:
        """Among the cards of its suit."""
        return height(card)

    def number(self, index: int) -> int:
        """Of the trick of a play, counted from 1."""
        return index // len(self.players()) + 1

    def tricks(self) -> list[list[Play]]:
        plays, many = self.now.plays, len(self.players())
        return [plays[start : start + many] for start in range(0, len(plays), many)]

    def taker(self, number: int) -> int:
        """Who took a trick, counted from 0: whoever led the next, else whoever played its highest card."""
        tricks = self.tricks()
        if number + 1 < len(tricks):
            return tricks[number + 1][0].seat
        trick = tricks[number]
        led = self.suited(trick[0].card)
        return max(
            (play for play in trick if play.card in led | self.trumps),
            key=lambda play: (play.card in self.trumps, self.height(play.card)),
        ).seat

    def turn(self) -> int:
        """The seat in turn."""
        plays, players = self.now.plays, self.players()
        if len(plays) % len(players) == 0:
            return self.taker(len(plays) // len(players) - 1)
        return players[(players.index(plays[-1].seat) + 1) % len(players)]

    # The proof ---------------------------------------------------------------------------------------------

    def _never(self) -> list[list[tuple[int, frozenset[str]]]]:
        """Of each hand: which plays exclude what from what it played later and still has."""
        never: list[list[tuple[int, frozenset[str]]]] = [[] for _ in SEATS]
        for index, play in enumerate(self.now.plays):
            if not play.proved and (gone := self.excluded(index)):
                never[play.seat].append((index, gone))
        return never

    def _banned(self) -> list[frozenset[str]]:
        """What each hand cannot have any more, and whatever else has unseen cards."""
        return [frozenset[str]().union(*(gone for _, gone in own)) for own in self._never()]

    def _left(self) -> list[int]:
        """How many unseen cards each of these has."""
        return [self.size - sum(play.seat == seat for play in self.now.plays) for seat in SEATS]

    def _unseen(self) -> list[str]:
        told = {play.card for play in self.now.plays}
        return [card for card in self.deck if card not in told]

    def _groups(self) -> dict[frozenset[int], int]:
        """How many unseen cards may be in just these hands."""
        banned = self._banned()
        groups: dict[frozenset[int], int] = {}
        for card in self._unseen():
            able = frozenset(hand for hand, gone in enumerate(banned) if card not in gone)
            groups[able] = groups.get(able, 0) + 1
        return groups

    def surplus(self) -> dict[frozenset[int], int]:
        """By how much the unseen cards that only hands of a group may get exceed what the group has left."""
        groups, left = self._groups(), self._left()
        return {
            (group := frozenset(seats)): sum(many for able, many in groups.items() if able <= group)
            - sum(left[seat] for seat in group)
            for size in range(len(left) + 1)
            for seats in combinations(range(len(left)), size)
        }

    def lawful(self) -> bool:
        """Rule 8, by Hall's theorem."""
        return not self._conflicts() and max(self.surplus().values()) <= 0

    def _conflicts(self) -> dict[int, list[int]]:
        """The plays that conflict, each with the earlier ones that it conflicts with."""
        plays, never = self.now.plays, self._never()
        found = {
            index: [early for early, gone in never[play.seat] if early < index and play.card in gone]
            for index, play in enumerate(plays)
        }
        return {index: early for index, early in found.items() if early}

    def _rests(self, later: int, earlier: int) -> set[int]:
        plays, lead = self.now.plays, earlier - earlier % len(self.players())
        rests = {later, earlier, lead}
        if earlier == lead and suit_of(plays[lead].card) == self.broken_suit:
            rests |= set(range(lead))
        return rests

    def _suspect(self, index: int) -> bool:
        """Rule 10."""
        play = self.now.plays[index]
        if play.confirmed:
            return False
        was = play.card
        try:
            for card in {*self._unseen()} & {*self.offered(play.seat)}:
                play.card = card
                if self.lawful():
                    return True
        finally:
            play.card = was
        return False

    def _look(self) -> None:
        """Rule 11."""
        now = self.now
        while not self.lawful():
            conflicts = self._conflicts()
            if not conflicts:
                if not now.disagreed:
                    now.disagreed = True
                    self._tell("CardsDisagree", self._known_by())
                break
            later = min(conflicts)
            rests = sorted(set().union(*(self._rests(later, early) for early in conflicts[later])))
            checks = [index for index in rests if self._suspect(index)]
            checks = checks or [index for index in rests if not now.plays[index].confirmed]
            if checks:
                now.phase, now.checks = "check", checks
                for index in checks:
                    self._tell("CheckAsked", now.plays[index].seat, self.number(index), now.plays[index].card)
                return
            for early in conflicts[later]:
                now.plays[early].proved = True
                self._tell("RevokeProved", now.plays[early].seat, self.number(early), self.number(later))
                if self.options.revoke == "again":
                    self._tell("DealVoided")
                    self._begin_deal(now.deal)
                    return
        now.phase = "play"
        if len(now.plays) == self.size * len(self.players()):
            self._score()

    def _known_by(self) -> int:
        """Rule 12."""
        left, players = self._left(), self.players()
        return min(
            self.size + 1 - -(-much // sum(left[seat] > 0 for seat in players if seat not in group))
            for group, much in self.surplus().items()
            if much > 0 and any(left[seat] for seat in players if seat not in group)
        )

    def _begin_deal(self, deal: int) -> None:
        now = self.now
        now.deal, now.phase, now.plays, now.checks, now.disagreed = deal, self.first_phase, [], [], False
        now.twice, now.claimed, now.agreed = set(), None, frozenset()
        self._deal()

    # What may be done --------------------------------------------------------------------------------------

    def legal(self) -> set[str]:
        return set(map(str, self._legal()))

    def _legal(self) -> Iterator[Action]:
        now = self.now
        match "over" if self.over() else now.phase:
            case "over":
                pass
            case "play":
                turn = self.turn()
                yield from (Action(turn, "play", card) for card in self.offered(turn))
                if self.number(len(now.plays)) == self.size:
                    yield Action(turn, "short")
                yield from (Action(seat, "claim") for seat in self.players())
            case "claim":
                for seat in self._asked_to_agree():
                    yield from (Action(seat, verb) for verb in ("agree", "play_on"))
            case "check":
                for seat in sorted({now.plays[index].seat for index in now.checks}):
                    yield Action(seat, "right")
                    yield from (Action(seat, "was", card) for card in self.offered(seat))
            case _:
                yield from self._other_actions()

    # What follows ------------------------------------------------------------------------------------------

    def take(self, seen: AnyObservation) -> Sequence[Fact]:
        self.facts = []
        self.at = max(self.at, seen.at)
        match seen:
            case ob.ActionDeclared():
                self._remember()
                self._declared(seen.action)
            case ob.TableDeclared():
                self._put_right(dict(seen.table))
            case ob.UndoRequested() if self.past:
                self.now = self.past.pop()
        return self.facts

    def _remember(self) -> None:
        self.past.append(self.now.copy())

    def _tell(self, kind: str, *values: object) -> None:
        self.facts.append((kind, *values))

    def _told_by(self, card: str) -> int | None:
        return next((index for index, play in enumerate(self.now.plays) if play.card == card), None)

    def _misdeal(self) -> None:
        self._tell("MisdealFound")
        self._begin_deal(self.now.deal)

    def _check(self, index: int) -> None:
        self.now.phase, self.now.checks = "check", [index]
        play = self.now.plays[index]
        self._tell("CheckAsked", play.seat, self.number(index), play.card)

    def _play(self, seat: int, card: str) -> None:
        """Rule 5."""
        now, first = self.now, self._told_by(card)
        if first is None:
            now.plays.append(Play(seat, card))
            now.twice = set()
            self._tell("CardPlayed", seat, card)
            if len(now.plays) % len(self.players()) == 0:
                self._tell("TrickTaken", self.taker(self.number(len(now.plays)) - 2), *self._worth())
            self._look()
        elif card not in now.twice:
            now.twice.add(card)
            self._tell("CardTwice", seat, card, self.number(first))
        elif now.plays[first].confirmed:
            self._misdeal()
        else:
            self._check(first)

    def _declared(self, action: Action) -> None:
        if str(action) not in self.legal():
            self.facts.append(REFUSED)
            return
        seat, card = action.seat, str(action.value)
        match action.verb:
            case "play":
                self._play(seat, card)
            case "short":
                self._misdeal()
            case "right" | "was":
                self._answer(seat, None if action.verb == "right" else card)
            case "claim" | "agree" | "play_on":
                self._claim(action.verb, seat)
            case _:
                self._other_said(action)

    def _answer(self, seat: int, card: str | None) -> None:
        """Rule 13."""
        now = self.now
        index = next(index for index in now.checks if now.plays[index].seat == seat)
        play = now.plays[index]
        if card not in {None, play.card}:
            assert card is not None
            other = self._told_by(card)
            if other is not None and now.plays[other].confirmed:
                self._tell("CardTwice", seat, card, self.number(other))
                return
            before, play.card, play.confirmed = play.card, card, True
            self._tell("CardCorrected", seat, self.number(index), card)
            now.checks, now.twice = [], set()
            if other is not None:
                now.plays[other].card = before
                self._check(other)
        else:
            play.confirmed = True
            self._tell("CardConfirmed", seat, self.number(index))
            now.checks.remove(index)
        if not now.checks:
            self._look()

    def _asked_to_agree(self) -> list[int]:
        return sorted({*SEATS} - self.now.agreed - {self.now.claimed})

    def _claim(self, verb: str, seat: int) -> None:
        """Rule 18."""
        now = self.now
        if verb == "claim":
            self._tell("RestClaimed", seat)
            now.phase, now.claimed = "claim", seat
        elif verb == "play_on":
            self._tell("ClaimRefused", seat)
            now.phase, now.claimed, now.agreed = "play", None, frozenset()
        else:
            now.agreed |= {seat}
            if len(now.agreed) == len(SEATS) - 1:
                if any(self._undecided(at) for at, play in enumerate(now.plays) if not play.proved):
                    self._tell("RevokesUndecided")
                self._score()

    def _undecided(self, index: int) -> bool:
        """Whether a play excludes an unseen card that its hand may have."""
        seat = self.now.plays[index].seat
        may_have = {*self._unseen()} & {*self.offered(seat)} if self._left()[seat] else set[str]()
        return bool(self.excluded(index) & may_have)

    def _put_right(self, table: Mapping[str, str | int]) -> None:
        declarable = {"deal": (self.now.deal, range(1, self.last_deal + 1)), **self._declarable()}
        so = {name: value for name, (value, _) in declarable.items()}
        told = tuple((name, value) for name, value in table.items() if so.get(name) != value)
        if not told:
            return
        self._remember()
        if not all(name in declarable and value in declarable[name][1] for name, value in told):
            self.facts.append(REFUSED)
            return
        meant: dict[str, Any] = {**so, **table}
        self._put_down(meant)
        self._tell("Repaired", told)
        self._begin_deal(meant["deal"])

    # What people do ----------------------------------------------------------------------------------------

    def act(self, chance: Random) -> AnyObservation:
        self.at += chance.randrange(SECOND // 10, 3 * SECOND)
        doing = chance.random()
        if doing < (0.3 if self.now.twice else 0.02):
            return ob.ActionDeclared(at=self.at, action=self._anything(chance))
        if doing < 0.022:
            return ob.TableDeclared(at=self.at, table=self._repair(chance))
        if doing < 0.03 and self.past:
            return ob.UndoRequested(at=self.at)
        return ob.ActionDeclared(at=self.at, action=self._sensible(chance))

    def _anything(self, chance: Random) -> Action:
        """What somebody says who is not asked, or says the wrong thing, or a card that was told before."""
        verb = chance.choice(self.verbs)
        asked = sorted({action.seat for action in self._legal() if action.verb != "claim"})
        seat = chance.choice(asked) if chance.random() < 0.6 else chance.choice(SEATS)
        told = sorted(self.now.twice) or [play.card for play in self.now.plays]
        card = chance.choice(told) if told and chance.random() < 0.6 else chance.choice(self.deck)
        return Action(seat, verb, card if verb in {"play", "was"} else None)

    def _sensible(self, chance: Random) -> Action:
        now = self.now
        if now.phase == "play":
            seat = self.turn()
            return Action(seat, "play", self._card(seat, chance))
        if now.phase == "claim":
            verb = "play_on" if chance.random() < 0.2 else "agree"
            return Action(chance.choice(self._asked_to_agree()), verb)
        if now.phase != "check":
            return self._other_deed(chance)
        index = chance.choice(now.checks)
        seat = now.plays[index].seat
        doing = chance.random()
        if doing < 0.8:
            return Action(seat, "right")
        first = next(index for index in now.checks if now.plays[index].seat == seat)
        if doing < 0.85:
            return Action(seat, "was", now.plays[first].card)
        return Action(seat, "was", chance.choice(self.deck if doing < 0.9 else self._unseen() or self.deck))

    def _card(self, seat: int, chance: Random) -> str:
        """What a seat plays: by the rules, as far as the hand has not been told otherwise."""
        unseen = {*self._unseen()} & {*self.offered(seat)}
        hand = sorted(self.now.hands[seat] & unseen)
        if not hand or chance.random() < self.misread:
            return chance.choice(sorted(unseen))
        if chance.random() < self.careless:
            return chance.choice(hand)
        able = [card for card in hand if not self._would_exclude(seat, card) & set(hand)] or hand
        return self._choose(seat, able, chance)

    def _would_exclude(self, seat: int, card: str) -> frozenset[str]:
        plays = self.now.plays
        plays.append(Play(seat, card))
        gone = self.excluded(len(plays) - 1)
        plays.pop()
        return gone


def facts(event: Event) -> Sequence[Fact]:
    return facts_of(event, unruled=UNRULED, unsaid={"keeps"})


def public(view: Any) -> dict[str, object]:
    """What `Tricks.public` says, but for the points."""
    if view.outcome is not None:
        return {"winners": view.outcome.winners}
    return {
        "winners": None,
        "deal": declared(view)["deal"],
        "phase": str(view.phase),
        "asked": sorted(chair.seat for chair in view.chairs if chair.asked),
    }


def declared(view: Any) -> dict[str, object]:
    """What a view offers to be put right, as it is."""
    return {each.name: each.value for each in view.fields}


def legal(rules: Rules[Any], state: Any) -> set[str]:
    return set(map(str, rules.legal_actions(state)))
