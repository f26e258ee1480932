"""A model of Hearts with every hand, written from docs/rules.md alone.

It deals and plays whole games: what each hand holds, what people play against the rules, what they say of it,
and what must follow. Whether a deal can be lawful it decides by Hall's theorem, over every group of hands.
Where the rules leave a thing open, a comment says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from random import Random
from typing import Any

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros, Setup
from companion.core.events import Event
from companion.core.observations import AnyObservation
from companion.core.rules import Rules
from companion.games import RULES
from tests.models.compare import REFUSED, Fact, Game, facts_of

SUITS = ("clubs", "diamonds", "spades", "hearts")
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
DECK = tuple(f"{suit}|{rank}" for suit in SUITS for rank in RANKS)
OPENING, QUEEN, JACK = "clubs|2", "spades|Q", "diamonds|J"
HEART_CARDS = frozenset(card for card in DECK if card.startswith("hearts"))
POINT_CARDS = HEART_CARDS | {QUEEN}
EVERY = frozenset(DECK)
SEATS = range(4)
LAST_DEAL = 40
UNRULED = {"PressedInVain", "PressBegan", "PressEnded", "ChoiceStepped", "PlaceSeen"}
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

    points: list[int] = field(default_factory=lambda: [0] * 4)
    deal: int = 1
    phase: str = "pass"
    plays: list[Play] = field(default_factory=list)
    checks: list[int] = field(default_factory=list)
    """Which plays are to be checked, by their place among the plays."""
    twice: set[str] = field(default_factory=set)
    """Cards that the seat in turn has said, and that were told before."""
    disagreed: bool = False
    """Whether the table was told in this deal that the cards cannot all be right."""
    moon: int = -1
    hands: list[set[str]] = field(default_factory=list)
    """What each truly holds."""
    winners: tuple[int, ...] | None = None

    def copy(self) -> Standing:
        return replace(
            self,
            points=[*self.points],
            plays=[replace(play) for play in self.plays],
            checks=[*self.checks],
            twice={*self.twice},
            hands=[{*hand} for hand in self.hands],
        )


class Hearts:
    """One game."""

    def __init__(self, setup: Setup, chance: Random) -> None:
        self.options: Any = setup.options
        self.chance = chance
        self.now = Standing()
        self.past: list[Standing] = []
        """Before each thing said."""
        self.at: Micros = 0
        self.facts: list[Fact] = []
        self.careless = chance.choice((0, 0, 0.02, 0.1, 0.4))
        """How often somebody who could follow does not, or plays what may not be played."""
        self.misread = chance.choice((0, 0, 0.01, 0.05))
        """How often another card is told than was played."""
        self.greedy = chance.choice((None, None, *SEATS))
        """Who is let to take everything."""
        self._deal()

    def _deal(self) -> None:
        deck = list(DECK)
        self.chance.shuffle(deck)
        if self.greedy is not None:  # a hand with which all can be taken
            deck.sort(key=lambda card: height(card) + self.chance.random() * 6)
            deck[:39] = self.chance.sample(deck[:39], k=39)
        hands = [set(deck[start : start + 13]) for start in (0, 13, 26, 39)]
        high = 3 if self.greedy is None else self.greedy
        self.now.hands = [hands[(seat - high - 1) % 4] for seat in SEATS]

    # What everybody can see --------------------------------------------------------------------------------

    def over(self) -> bool:
        return self.now.winners is not None

    def due(self) -> Micros | None:
        return None

    def public(self) -> Mapping[str, object]:
        now = self.now
        seen: dict[str, object] = {"winners": now.winners}
        if self.over():
            return seen
        seen["points"], seen["deal"], seen["phase"] = now.points, now.deal, now.phase
        seen["asked"] = sorted({action.seat for action in self._legal()})
        if now.phase == "pass":
            seen["passing"] = self._passing()
        return seen

    def _passing(self) -> str:
        ways = {
            "hold": ("left", "right", "across", "none"),
            "no_hold": ("left", "right", "across"),
            "none": ("none",),
        }[self.options.passing]
        return ways[(self.now.deal - 1) % len(ways)]

    # Tricks ------------------------------------------------------------------------------------------------

    def tricks(self) -> list[list[Play]]:
        plays = self.now.plays
        return [plays[start : start + 4] for start in range(0, len(plays), 4)]

    def taker(self, number: int) -> int:
        """Who took a trick, counted from 0: whoever led the next, else whoever played its highest card."""
        tricks = self.tricks()
        if number + 1 < len(tricks):
            return tricks[number + 1][0].seat
        trick = tricks[number]
        led = suit_of(trick[0].card)
        return max(
            (play for play in trick if suit_of(play.card) == led), key=lambda play: height(play.card)
        ).seat

    def turn(self) -> int:
        """The seat in turn."""
        plays = self.now.plays
        return (plays[-1].seat + 1) % 4 if len(plays) % 4 else self.taker(len(plays) // 4 - 1)

    def worth(self, cards: Collection[str]) -> int:
        return (
            len(HEART_CARDS.intersection(cards))
            + 13 * (QUEEN in cards)
            - 10 * (self.options.jack and JACK in cards)
        )

    def excluded(self, index: int) -> frozenset[str]:
        """What the hand of a play cannot have, if the play was lawful (rule 4)."""
        plays = self.now.plays
        card, first = plays[index].card, index - index % 4
        led = suit_of(plays[first].card)
        if index != first:
            if suit_of(card) == led:
                return frozenset()
            if index < 4 and card in POINT_CARDS and self.options.first_trick == "no_points":
                return EVERY - POINT_CARDS
            return OF_SUIT[led]
        if suit_of(card) != "hearts" or self.options.heart_leads == "any":
            return frozenset()
        before = {play.card for play in plays[:first]}
        if HEART_CARDS & before or (self.options.queen_breaks and QUEEN in before):
            return frozenset()
        return EVERY - HEART_CARDS - ({QUEEN} if self.options.queen_or_hearts else set())

    # The proof ---------------------------------------------------------------------------------------------

    def _never(self) -> list[list[tuple[int, frozenset[str]]]]:
        """Of each hand: which plays exclude what from what it played later and still has."""
        never: list[list[tuple[int, frozenset[str]]]] = [[] for _ in SEATS]
        for index, play in enumerate(self.now.plays):
            if not play.proved and (gone := self.excluded(index)):
                never[play.seat].append((index, gone))
        return never

    def _left(self) -> list[int]:
        return [13 - sum(play.seat == seat for play in self.now.plays) for seat in SEATS]

    def _unseen(self) -> list[str]:
        told = {play.card for play in self.now.plays}
        return [card for card in DECK if card not in told]

    def _groups(self) -> dict[frozenset[int], int]:
        """How many unseen cards may be in just these hands."""
        never = self._never()
        banned = [frozenset[str]().union(*(gone for _, gone in own)) for own in never]
        groups: dict[frozenset[int], int] = {}
        for card in self._unseen():
            able = frozenset(seat for seat in SEATS if card not in banned[seat])
            groups[able] = groups.get(able, 0) + 1
        return groups

    def surplus(self) -> dict[frozenset[int], int]:
        """By how much the unseen cards that only hands of a group may get exceed what the group has left."""
        groups, left = self._groups(), self._left()
        return {
            (group := frozenset(seats)): sum(many for able, many in groups.items() if able <= group)
            - sum(left[seat] for seat in group)
            for size in range(5)
            for seats in combinations(SEATS, size)
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
        plays, lead = self.now.plays, earlier - earlier % 4
        rests = {later, earlier, lead}
        if earlier == lead and suit_of(plays[lead].card) == "hearts":
            rests |= set(range(lead))
        return rests

    def _suspect(self, index: int) -> bool:
        """Rule 10."""
        play = self.now.plays[index]
        if play.confirmed:
            return False
        was = play.card
        try:
            for card in self._unseen():
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
                    self._tell("CheckAsked", now.plays[index].seat, index // 4 + 1, now.plays[index].card)
                return
            for early in conflicts[later]:
                now.plays[early].proved = True
                self._tell("RevokeProved", now.plays[early].seat, early // 4 + 1, later // 4 + 1)
                if self.options.revoke == "again":
                    self._tell("DealVoided")
                    self._begin_deal(now.deal)
                    return
        now.phase = "play"
        if len(now.plays) == len(DECK):
            self._score()

    def _known_by(self) -> int:
        """Rule 12."""
        left = self._left()
        return min(
            14 - -(-much // sum(left[seat] > 0 for seat in SEATS if seat not in group))
            for group, much in self.surplus().items()
            if much > 0 and any(left[seat] for seat in SEATS if seat not in group)
        )

    # The end of a deal -------------------------------------------------------------------------------------

    def _taken(self) -> list[set[str]]:
        taken: list[set[str]] = [set() for _ in SEATS]
        for number, trick in enumerate(self.tricks()):
            taken[self.taker(number)] |= {play.card for play in trick}
        return taken

    def _score(self) -> None:
        now, taken = self.now, self._taken()
        guilty = {play.seat for play in now.plays if play.proved}
        if guilty and self.options.revoke == "all":
            self._book([26 if seat in guilty else 0 for seat in SEATS])
            return
        shooter = next((seat for seat in SEATS if taken[seat] >= POINT_CARDS), None)
        if shooter is None:
            self._book([self.worth(cards) for cards in taken])
            return
        self._tell("MoonShot", shooter)
        if self.options.moon == "choice":
            now.phase, now.moon = "moon", shooter
        else:
            self._shoot(shooter, own=self.options.moon == "own")

    def _shoot(self, shooter: int, *, own: bool) -> None:
        jack = [self.worth(cards & {JACK}) for cards in self._taken()]
        if own:
            self._book([jack[seat] - 26 * (seat == shooter) for seat in SEATS])
        else:
            self._book([jack[seat] + 26 * (seat != shooter) for seat in SEATS])

    def _book(self, gets: Sequence[int]) -> None:
        now = self.now
        self._tell("DealScored", tuple(gets))
        now.points = [before + more for before, more in zip(now.points, gets, strict=True)]
        fewest = min(now.points)
        best = tuple(seat for seat in SEATS if now.points[seat] == fewest)
        if max(now.points) >= self.options.target and (len(best) == 1 or self.options.tie == "shared"):
            now.winners = best
            self._tell("GameWon", best)
        self._begin_deal(now.deal + 1)

    def _begin_deal(self, deal: int) -> None:
        now = self.now
        now.deal, now.phase, now.plays, now.checks, now.disagreed, now.moon = deal, "pass", [], [], False, -1
        now.twice = set()
        self._deal()

    # What may be done --------------------------------------------------------------------------------------

    def legal(self) -> set[str]:
        return set(map(str, self._legal()))

    def _legal(self) -> Iterator[Action]:
        now = self.now
        match "over" if self.over() else now.phase:
            case "pass":
                yield from (Action(seat, "open") for seat in SEATS)
            case "play":
                turn = self.turn()
                yield from (Action(turn, "play", card) for card in DECK)
                if len(now.plays) >= 48:
                    yield Action(turn, "short")
            case "check":
                for seat in sorted({now.plays[index].seat for index in now.checks}):
                    yield Action(seat, "right")
                    yield from (Action(seat, "was", card) for card in DECK)
            case "moon":
                yield from (Action(now.moon, verb) for verb in ("add", "subtract"))

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
        self._tell("CheckAsked", self.now.plays[index].seat, index // 4 + 1, self.now.plays[index].card)

    def _play(self, seat: int, card: str) -> None:
        """Rule 5."""
        now, first = self.now, self._told_by(card)
        if first is None:
            now.plays.append(Play(seat, card))
            now.twice = set()
            self._tell("CardPlayed", seat, card)
            if len(now.plays) % 4 == 0:
                number = len(now.plays) // 4 - 1
                self._tell("TrickTaken", self.taker(number), self.worth({p.card for p in now.plays[-4:]}))
            self._look()
        elif card not in now.twice:
            now.twice.add(card)
            self._tell("CardTwice", seat, card, first // 4 + 1)
        elif now.plays[first].confirmed:
            self._misdeal()
        else:
            self._check(first)

    def _declared(self, action: Action) -> None:
        if str(action) not in self.legal():
            self.facts.append(REFUSED)
            return
        now, seat, card = self.now, action.seat, str(action.value)
        match action.verb:
            case "open":
                self._tell("DealOpened", seat)
                now.plays = [Play(seat, OPENING, confirmed=True)]
                now.phase = "play"
                self._swap_for_opening(seat)
            case "play":
                self._play(seat, card)
            case "short":
                self._misdeal()
            case "right" | "was":
                self._answer(seat, None if action.verb == "right" else card)
            case "add" | "subtract":
                self._shoot(now.moon, own=action.verb == "subtract")

    def _answer(self, seat: int, card: str | None) -> None:
        """Rule 13."""
        now = self.now
        index = next(index for index in now.checks if now.plays[index].seat == seat)
        play = now.plays[index]
        if card not in {None, play.card}:
            assert card is not None
            other = self._told_by(card)
            if other is not None and now.plays[other].confirmed:
                self._tell("CardTwice", seat, card, other // 4 + 1)
                return
            before, play.card, play.confirmed = play.card, card, True
            self._tell("CardCorrected", seat, index // 4 + 1, card)
            now.checks, now.twice = [], set()
            if other is not None:
                now.plays[other].card = before
                self._check(other)
        else:
            play.confirmed = True
            self._tell("CardConfirmed", seat, index // 4 + 1)
            now.checks.remove(index)
        if not now.checks:
            self._look()

    def _swap_for_opening(self, seat: int) -> None:
        """Whoever opened has had the two of clubs: the hands are such."""
        hands = self.now.hands
        owner = next(other for other in SEATS if OPENING in hands[other])
        hands[owner].remove(OPENING)
        if owner != seat:
            given = self.chance.choice(sorted(hands[seat]))
            hands[seat].remove(given)
            hands[owner].add(given)

    def _put_right(self, table: Mapping[str, str | int]) -> None:
        """Rule 16."""
        now = self.now
        offered = {"deal": now.deal, **{f"points:{seat}": now.points[seat] for seat in SEATS}}
        told = tuple((name, value) for name, value in table.items() if offered.get(name) != value)
        if not told:
            return
        self._remember()
        limits = {"deal": range(1, LAST_DEAL + 1)}
        scores = range(-99, self.options.target)
        if not all(value in limits.get(name, scores) for name, value in told):
            self.facts.append(REFUSED)
            return
        meant: dict[str, Any] = {**offered, **table}
        now.points = [meant[f"points:{seat}"] for seat in SEATS]
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
        verb = chance.choice(("open", "play", "play", "play", "right", "was", "short", "add", "subtract"))
        asked = sorted({action.seat for action in self._legal()})
        seat = chance.choice(asked) if chance.random() < 0.6 else chance.choice(SEATS)
        told = sorted(self.now.twice) or [play.card for play in self.now.plays]
        card = chance.choice(told) if told and chance.random() < 0.6 else chance.choice(DECK)
        return Action(seat, verb, card if verb in {"play", "was"} else None)

    def _repair(self, chance: Random) -> tuple[tuple[str, str | int], ...]:
        """What the table puts right; once in a while what cannot be."""
        target = self.options.target
        table: list[tuple[str, str | int]] = [
            (f"points:{seat}", chance.choice((self.now.points[seat], chance.randrange(-20, target + 2))))
            for seat in chance.sample(SEATS, k=chance.choice((0, 1, 1, 2)))
        ]
        if not table or chance.random() < 0.5:
            table.append(("deal", chance.choice((0, self.now.deal, 1, 2, 3, 4, 5, LAST_DEAL + 1))))
        return tuple(table)

    def _sensible(self, chance: Random) -> Action:
        now = self.now
        match now.phase:
            case "pass":
                if chance.random() < 0.1:
                    return Action(chance.choice(SEATS), "open")
                return Action(next(seat for seat in SEATS if OPENING in now.hands[seat]), "open")
            case "play":
                seat = self.turn()
                return Action(seat, "play", self._card(seat, chance))
            case "moon":
                return Action(now.moon, chance.choice(("add", "subtract")))
        index = chance.choice(now.checks)
        seat = now.plays[index].seat
        doing = chance.random()
        if doing < 0.8:
            return Action(seat, "right")
        first = next(index for index in now.checks if now.plays[index].seat == seat)
        if doing < 0.85:
            return Action(seat, "was", now.plays[first].card)
        return Action(seat, "was", chance.choice(DECK if doing < 0.9 else self._unseen() or DECK))

    def _card(self, seat: int, chance: Random) -> str:
        """What a seat plays: by the rules, as far as the hand has not been told otherwise."""
        unseen = set(self._unseen())
        hand = sorted(self.now.hands[seat] & unseen)
        if not hand or chance.random() < self.misread:
            return chance.choice(sorted(unseen))
        if chance.random() < self.careless:
            return chance.choice(hand)
        able = [card for card in hand if not self._would_exclude(seat, card) & set(hand)] or hand
        if self.greedy is None or chance.random() < 0.02:
            return chance.choice(able)
        if seat == self.greedy:
            return max(able, key=height)
        # Everybody else lets it have all of them.
        trick = self.now.plays[len(self.now.plays) - len(self.now.plays) % 4 :]
        has = any(play.seat == self.greedy for play in trick)
        return (
            min(able, key=lambda card: (height(card), card))
            if not has
            else max(able, key=lambda card: (card in POINT_CARDS, -height(card)))
        )

    def _would_exclude(self, seat: int, card: str) -> frozenset[str]:
        plays = self.now.plays
        plays.append(Play(seat, card))
        gone = self.excluded(len(plays) - 1)
        plays.pop()
        return gone


def facts(event: Event) -> Sequence[Fact]:
    return facts_of(event, unruled=UNRULED, unsaid={"keeps"})


def public(rules: Rules[Any], state: Any) -> Mapping[str, object]:
    view = rules.view(state)
    seen: dict[str, object] = {"winners": view.outcome and view.outcome.winners}
    if view.outcome is not None:
        return seen
    declared = {each.name: each.value for each in view.fields}
    seen["points"] = [declared[f"points:{seat}"] for seat in SEATS]
    seen["deal"], seen["phase"] = declared["deal"], str(view.phase)
    seen["asked"] = sorted(chair.seat for chair in view.chairs if chair.asked)
    if view.phase == "pass":
        seen["passing"] = view.headline.key.rpartition(".")[2]
    return seen


def legal(rules: Rules[Any], state: Any) -> set[str]:
    return set(map(str, rules.legal_actions(state)))


HEARTS = Game(
    RULES["hearts"],
    Hearts,
    facts,
    public,
    legal,
    sizes=[(4, False)],
    numbers={"target": (100, 50)},
    begun=120,
)
