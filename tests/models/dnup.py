"""A model of dnup with every card, written from docs/rules.md alone: DA5 and D-T16 point there.

It plays the whole table: who holds which cards which way up, what is laid, seen and said, and what must
follow from it. Where the rules leave a thing open, a comment says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros, Setup
from companion.core.observations import AnyObservation
from companion.core.rules import Rules
from companion.games import RULES
from tests.models.compare import REFUSED, Fact, Game, facts_of

BASE = (
    "1-5 1-6 1-6 1-7 1-7 1-8 1-9 2-4 2-4 2-5 2-5 2-6 2-9 2-10 3-4 3-5 3-6 3-7 3-8 3-9 4-6 4-7 4-8 5-7 5-8 6-7"
)
NEUTRAL = "1-10n 2-8n 3-6n 4-5n"
SMILE = "1-8s 1-9s 2-6s 2-7s 3-4s 3-5s"
SAD = "3-10f 4-9f 5-8f 6-7f"
DECK = tuple(f"{BASE} {NEUTRAL} {SMILE} {SAD}".split())
REMOVED = {2: "nsf", 3: "sf", 4: "f", 5: ""}
"""3.2: whose symbols stay in the box."""
STAR = "1-5"
VALUES = range(1, 11)
ROW = 6
"""Cards that are shown at once while the deck is scanned (DA1)."""

UNRULED = {"CardsShown", "AreaRead", "SetSeen", "QuietAwaited", "TableQuiet", "CardsFilled", "VerbChosen",
           "SizeSaid", "SayingDropped", "PressBegan", "PressEnded", "ChoiceStepped"}  # fmt: skip
"""Events that no rule of the game speaks of."""
UNSAID = {"cards", "card", "known", "names"}
TURN = ("acting", "sizing", "valuing", "adding", "taking")


class Card(NamedTuple):
    """A card as somebody holds it, or as it lies before the owner of its set."""

    up: int
    down: int
    name: str

    def turned(self) -> Card:
        return Card(self.down, self.up, self.name)

    def face(self) -> ob.SeenCard:
        return ob.SeenCard(f"pair:{self.name}", 0 if self.up < self.down else 180)


def card_of(name: str) -> Card:
    low, high = name.rstrip("nsf").split("-")
    return Card(int(low), int(high), name)


class Dnup:
    """One game."""

    def __init__(self, setup: Setup, chance: Random) -> None:
        self.options: Any = setup.options
        self.seats = range(setup.players)
        self.two = setup.players == 2
        self.areas = range(4 if self.two else setup.players)
        self.chance = chance
        self.camera = chance.random() < 0.6
        self.lazy = chance.choice((0.05, 0.05, 0.05, 0.9))
        """How often they rotate: at some tables nobody gets on (DA9)."""
        self.deck = DECK
        self.phase = "sorting"
        self.shown: list[str] = []
        if self.options.deck_file == "scan":
            self.phase = "scanning"
            if self.camera and chance.random() < 0.7:
                self.deck = self._other_deck()
        self.round = 1
        self.points = [0] * setup.players
        self.winners: tuple[int, ...] | None = None
        self.at: Micros = 0
        self.facts: list[Fact] = []
        self.lying: list[list[Card]] = [[] for _ in self.areas]
        """What the camera sees."""
        self.scan: list[str] = []
        self.stale: set[int] = set()
        """Areas in which still lies what lay there before this turn."""
        self.wanted: list[AnyObservation] = []
        """What people have begun, and do next."""
        self._gather()

    def _other_deck(self) -> tuple[str, ...]:
        """Another printing: one card has another number."""
        cards = list(DECK)
        cards[cards.index("3-9")] = "8-9"
        return tuple(cards)

    def _gather(self) -> None:
        self.hands: list[list[Card]] = [[] for _ in self.seats]
        self.sets: list[list[Card]] = [[] for _ in self.areas]
        self.out: list[int] = []
        self.quiet_turns = 0
        """Turns in which nobody played a card (DA9)."""
        self.stalled = False
        self.seat = self.area = -1
        self.size = 0
        self.last_seen: Micros | None = None
        """When the table last changed, while it is not as it was ruled to be."""

    # What the rules call things ----------------------------------------------------------------------------

    @property
    def used(self) -> list[str]:
        """3.2: without the cards that this many players leave in the box."""
        return [name for name in self.deck if name[-1] not in REMOVED[len(self.seats)]]

    def owner(self, area: int) -> int:
        return area // 2 if self.two else area

    def _conflict(self, size: int, value: int, but: int | None = None) -> tuple[int, bool] | None:
        """The set of this size, and whether a set of this value beats it (3.3); one size lies once."""
        for area, cards in enumerate(self.sets):
            if area != but and len(cards) == size and cards:
                return area, value > cards[0].up
        return None

    def _may_play(self, size: int, value: int) -> bool:
        there = self._conflict(size, value)
        return there is None or there[1]

    def _targets(self) -> Iterator[int]:
        """Sets that may be added to or taken: opponents' (DA2, DA4)."""
        for area in self.areas:
            owner = self.owner(area)
            if not self.sets[area]:
                continue
            if owner == self.seat and not self.options.own_area_target:
                continue
            if owner in self.out and not self.options.target_out_player:
                continue
            yield area

    def _may_add(self, area: int) -> bool:
        size, value = len(self.sets[area]) + 1, self.sets[area][0].up
        there = self._conflict(size, value, area)
        return size <= self.copies[value] and (there is None or there[1])

    def _plays(self) -> Iterator[tuple[int, int]]:
        """What may be played, as far as anybody can know who sees no hand."""
        for size in range(1, len(self.hands[self.seat]) + 1):
            for value in VALUES:
                if size <= self.copies[value] and self._may_play(size, value):
                    yield size, value

    # What everybody can see --------------------------------------------------------------------------------

    def over(self) -> bool:
        return self.winners is not None

    def due(self) -> Micros | None:
        """D-T21: what lies on the table counts once nothing has changed for so many seconds."""
        return None if self.last_seen is None else self.last_seen + self.options.settle_s * SECOND

    def public(self) -> Mapping[str, object]:
        seen: dict[str, object] = {"winners": self.winners}
        if self.over():
            return seen
        seen["phase"] = self.phase
        if self.phase in TURN:
            seen["turn"] = self.seat, self.area
            for area, cards in enumerate(self.sets):
                seen[f"set:{area}"] = (len(cards), cards[0].up) if cards else (0, 0)
            for seat, hand in enumerate(self.hands):
                seen[f"hand:{seat}"] = len(hand)
                seen[f"shown:{seat}"] = len(hand) if self.options.show_hand_sizes else 0
                seen[f"points:{seat}"] = self.points[seat]
                seen[f"score:{seat}"] = self._score(seat)
        return seen

    def _score(self, seat: int) -> str:
        """DA16: points, once anybody has one, or as many letters of the name as they are worth."""
        points, enough = self.points[seat], 2 if self.two else 4
        if not any(self.points):
            return ""
        if self.options.score_style == "letters":
            return "dnup"[: 4 * points // enough]
        return f"{points}/{enough}"

    # What may be done --------------------------------------------------------------------------------------

    def legal(self) -> set[str]:
        return set(map(str, self._legal()))

    def _legal(self) -> Iterable[Action]:
        seat = self.seat
        match self.phase:
            case "scanning":
                yield Action(0, "again")
                yield Action(0, "listed")
                if len(self.shown) == len(DECK):
                    yield Action(0, "scanned")
            case "sorting":
                yield Action(0, "prepared")
            case "dealing":
                for each in self.seats:
                    yield Action(each, "star")
            case "sizing":
                yield Action(seat, "again")
                for size in sorted({size for size, _ in self._plays()}):
                    yield Action(seat, "size", size)
            case "valuing":
                yield Action(seat, "again")
                for size, value in self._plays():
                    if size == self.size:
                        yield Action(seat, "value", value)
            case "adding" | "taking":
                yield Action(seat, "again")
        if self.phase in TURN:
            yield Action(seat, "rotate")
            if self.stalled:
                yield Action(seat, "redeal")
            for action in self._actions():
                yield action
                if self.phase == "acting":
                    yield Action(seat, action.verb)

    def _actions(self) -> Iterator[Action]:
        for size, value in self._plays():
            yield Action(self.seat, "play", f"{size}x{value}")
        for area in self._targets():
            yield Action(self.seat, "take", area + 1)
            if self._may_add(area):
                yield Action(self.seat, "add", area + 1)

    # What follows ------------------------------------------------------------------------------------------

    def take(self, seen: AnyObservation) -> Sequence[Fact]:
        self.facts = []
        self.at = max(self.at, seen.at)
        match seen:
            case ob.ActionDeclared():
                self._declared(seen.action)
            case ob.ButtonPressed(chair=int(seat)):
                if self.due() is not None and seat == self.seat:
                    self._counts()
            case ob.TimerElapsed():
                self._counts()
            case ob.TableSeen():
                self._look(seen)
        return self.facts

    def _tell(self, kind: str, *values: object) -> None:
        self.facts.append((kind, *values))

    def _declared(self, action: Action) -> None:
        value = action.value
        if action == Action(self.seat, "done") and self.due() is not None:
            self._counts()
            return
        if str(action) not in self.legal():
            self.facts.append(REFUSED)
            return
        if self.phase in {"scanning", "sorting", "dealing"}:
            self._set_up(action)
            return
        match action.verb:
            case "again":
                self.phase = "acting"
            case "size":
                assert isinstance(value, int)
                self.size, self.phase = value, "valuing"
            case "value":
                assert isinstance(value, int)
                self._play(self.size, value)
            case "play" if value is None:
                self.phase = "sizing"
            case "play":
                size, _, of = str(value).partition("x")
                self._play(int(size), int(of))
            case "add" if value is None:
                self.phase = "adding"
            case "add":
                self._add(int(str(value)) - 1)
            case "take" if value is None:
                self.phase = "taking"
            case "take":
                self._take(int(str(value)) - 1)
            case "rotate":
                self._rotate()
            case "redeal":
                self._tell("Redealt")
                self._deal_again()

    def _set_up(self, action: Action) -> None:
        match action.verb:
            case "listed":
                self.deck, self.phase = DECK, "sorting"
                self._tell("DeckListed")
            case "scanned":
                self.phase = "sorting"
                self._tell("DeckScanned", len(self.shown))
            case "prepared":
                self.phase = "dealing"
                self._tell("DeckSorted", len(self.used))
                self._deal()
            case "star":
                self._begin(action.seat)
            case "again":
                self.shown = []
                self._tell("ScanBegunAgain")

    def _deal(self) -> None:
        cards = [card_of(name) for name in self.used]
        self.copies = Counter(value for card in cards for value in card[:2])
        cards = [card if self.chance.random() < 0.5 else card.turned() for card in cards]
        self.chance.shuffle(cards)
        self.hands = [cards[seat :: len(self.seats)] for seat in self.seats]

    def _begin(self, seat: int) -> None:
        self.seat, self.area = seat, 2 * seat + 1 if self.two else seat  # D-T14
        self._tell("RoundBegan", seat, self.area, self.round, len(self.hands[0]))
        self._watch()
        self._turn()

    def _turn(self) -> None:
        """The own set of the last turn is discarded (D-T09), then one action is due."""
        self._drop(self.area)
        self.phase = "acting"
        number = self.area % 2 + 1 if self.two else 0
        self._tell("TurnBegan", self.seat, self.area, number)

    def _drop(self, area: int) -> None:
        if self.sets[area]:
            self._tell("SetDiscarded", self.owner(area), area, len(self.sets[area]))
            self.sets[area] = []

    # The four actions --------------------------------------------------------------------------------------

    def _play(self, size: int, value: int, cards: Sequence[Card] | None = None) -> None:
        beaten = self._conflict(size, value)
        cards = cards or [card for card in self.hands[self.seat] if card.up == value][:size]
        self._leave(cards)
        self.sets[self.area] = list(cards)
        self._tell("SetPlayed", self.seat, self.area, size, value)
        self._resolve(beaten)

    def _add(self, area: int, card: Card | None = None) -> None:
        there = self.sets[area]
        value = there[0].up
        beaten = self._conflict(len(there) + 1, value, area)
        card = card or next(own for own in self.hands[self.seat] if own.up == value)
        self._leave([card])
        there.append(card)
        self._tell("CardAdded", self.seat, area, len(there), value)
        self._resolve(beaten)

    def _take(self, area: int) -> None:
        cards = self.sets[area]
        self._tell("SetTaken", self.seat, area, len(cards), cards[0].up)
        self.hands[self.seat] += [card.turned() for card in cards]  # the golden rule
        self.sets[area] = []
        self._pass_on(played=False)

    def _rotate(self) -> None:
        self.hands[self.seat] = [card.turned() for card in self.hands[self.seat]]
        self._tell("HandRotated", self.seat)
        self._pass_on(played=False)

    def _leave(self, cards: Iterable[Card]) -> None:
        for card in cards:
            self.hands[self.seat].remove(card)

    def _resolve(self, beaten: tuple[int, bool] | None) -> None:
        first = self.two and self.options.out_check_2p == "before_bounce"
        won_at_once = first and not self.hands[self.seat]  # DA5, D-T16: nothing bounces any more
        if beaten is not None and not won_at_once:
            area = beaten[0]
            owner, cards = self.owner(area), self.sets[area]
            self.sets[area] = []
            if owner in self.out:
                self._tell("SetBeaten", owner, area, len(cards))  # D-T10, DA3
            else:
                self._tell("SetReturned", owner, area, len(cards), cards[0].up)  # D-T19
                self.hands[owner] += [card.turned() for card in cards]
        if self.hands[self.seat] or not self._goes_out():
            self._pass_on(played=True)

    def _goes_out(self) -> bool:
        """Whether the round is over by it."""
        seat = self.seat
        self.out.append(seat)
        points = 1 if self.two or len(self.out) == 2 else 2
        self.points[seat] += points
        self._tell("WentOut", seat, len(self.out), points)
        if self.points[seat] >= (2 if self.two else 4):  # D-T12, D-T20
            self._tell("RoundEnded", self.round)
            self.winners, self.phase = (seat,), "over"
            self._tell("GameWon", self.winners)
            return True
        if self.two or len(self.out) == 2:
            self._tell("RoundEnded", self.round)
            self.round += 1
            self._deal_again()
            return True
        return False

    def _deal_again(self) -> None:
        self._gather()
        self.phase = "dealing"
        self._deal()

    def _pass_on(self, *, played: bool) -> None:
        self.quiet_turns = 0 if played else self.quiet_turns + 1
        if played:
            self.stalled = False
        if self.two and self.area % 2 == 0:
            self.area += 1  # Area 1, then Area 2
        else:
            self.seat = (self.seat + 1) % len(self.seats)
            while self.seat in self.out:
                self._drop(self.seat)  # D-T11
                self.seat = (self.seat + 1) % len(self.seats)
            self.area = 2 * self.seat if self.two else self.seat
        self._turn()
        lap = 4 if self.two else len(self.seats) - len(self.out)
        laps = {"3_laps": 3, "5_laps": 5, "never": 0}[self.options.stall_limit]
        if laps and not self.stalled and self.quiet_turns >= laps * lap:
            self.stalled = True
            self._tell("StallNoticed", laps)
        self._watch()

    # What the camera sees ----------------------------------------------------------------------------------

    def _look(self, seen: ob.TableSeen) -> None:
        for region in seen.regions:
            names = [face.card.removeprefix("pair:") for face in region.faces]
            if region.name == "scan":
                if self.phase == "scanning":
                    self.shown += names
                continue
            cards = map(card_of, names)
            area = int(region.name.removeprefix("set:")) - 1
            self.lying[area] = [
                card if face.turn == 0 else card.turned()
                for card, face in zip(cards, region.faces, strict=True)
            ]
            self.stale.discard(area)
        if self.phase in TURN:
            self.last_seen = seen.at if self._differing() else None

    def _watch(self) -> None:
        """What of an earlier turn still lies there is tidied away in time, and means nothing."""
        self.stale = {area for area in self.areas if self.lying[area]}
        self.last_seen = None

    def _differing(self) -> list[int]:
        return [
            area
            for area in self.areas
            if area not in self.stale and sorted(self.lying[area]) != sorted(self.sets[area])
        ]

    def _counts(self) -> None:
        """What lies on the table is what was done."""
        self.last_seen = None
        done = self._done()
        if done is None:
            self.facts.append(REFUSED)
            return
        area, cards = done
        if area == self.area:
            self._play(len(cards), cards[0].up, cards)
        elif cards:
            self._add(area, cards[0])
        else:
            self._take(area)

    def _done(self) -> tuple[int, list[Card]] | None:
        """The lawful action that the table shows: the area, and the cards that came to it; or none."""
        differing = self._differing()
        if len(differing) != 1:
            return None
        area = differing[0]
        there, cards = self.sets[area], list(self.lying[area])
        if area == self.area:
            values = {card.up for card in cards}
            return (area, cards) if len(values) == 1 and self._may_play(len(cards), *values) else None
        if area not in self._targets():
            return None
        if not cards:
            return area, []
        for card in there:
            if card not in cards:
                return None
            cards.remove(card)
        fits = len(cards) == 1 and cards[0].up == there[0].up and self._may_add(area)
        return (area, cards) if fits else None

    # What people do ----------------------------------------------------------------------------------------

    def act(self, chance: Random) -> AnyObservation:
        if self.wanted:
            return replace(self.wanted.pop(0), at=self._soon())
        due = self.due()
        if due is not None and chance.random() < 0.6:
            return ob.TimerElapsed(at=due, timer="quiet")
        self.at = self._soon()
        if chance.random() < 0.05:
            return ob.ActionDeclared(at=self.at, action=self._anything(chance))
        if due is not None:
            if chance.random() < 0.5:
                return ob.ButtonPressed(at=self.at, chair=self.seat)
            return ob.ActionDeclared(at=self.at, action=Action(self.seat, "done"))
        if self.phase == "scanning":
            return self._scanning(chance)
        if self.phase in TURN and self.camera:
            untidy = [area for area in self.areas if self.lying[area] != self.sets[area]]
            if untidy:
                return self._seen({area: self.sets[area] for area in untidy})
            if self.phase == "acting" and not self.stalled and chance.random() < 0.85:
                return self._lay(chance)
        return ob.ActionDeclared(at=self.at, action=self._sensible(chance))

    def _soon(self) -> Micros:
        due = self.due()
        later = self.at + self.chance.randrange(SECOND // 10, 3 * SECOND)
        return later if due is None else min(later, due - 1)

    def _seen(self, places: Mapping[int, Sequence[Card]]) -> ob.TableSeen:
        regions = (
            ob.RegionReading(f"set:{area + 1}", tuple(card.face() for card in cards), self.at, self.at)
            for area, cards in places.items()
        )
        return ob.TableSeen(at=self.at, regions=tuple(regions))

    def _scanning(self, chance: Random) -> AnyObservation:
        shown = len(self.shown)
        if shown == len(self.deck):
            return ob.ActionDeclared(
                at=self.at, action=Action(0, chance.choice(("scanned", "scanned", "scanned", "listed")))
            )
        if not self.camera or chance.random() < 0.04:
            verb = "again" if self.camera and chance.random() < 0.5 else "listed"
            return ob.ActionDeclared(at=self.at, action=Action(0, verb))
        bare = bool(self.scan)
        self.scan = [] if bare else list(self.deck[shown : shown + ROW])
        faces = tuple(ob.SeenCard(f"pair:{name}") for name in self.scan)
        return ob.TableSeen(at=self.at, regions=(ob.RegionReading("scan", faces, self.at, self.at),))

    def _ways(self, *, lawful: bool) -> Iterator[tuple[Action, Sequence[Card], int]]:
        """What can be done with the true hand: the action, the cards that leave it, and the area."""
        hand = self.hands[self.seat]
        for value in VALUES:
            own = [card for card in hand if card.up == value]
            for size in range(1, len(own) + 1):
                if self._may_play(size, value) == lawful:
                    yield Action(self.seat, "play", f"{size}x{value}"), own[:size], self.area
        for area in self.areas:
            fit = [card for card in hand if self.sets[area] and card.up == self.sets[area][0].up]
            target = area in self._targets()
            if fit and (target and self._may_add(area)) == lawful:
                yield Action(self.seat, "add", area + 1), fit[:1], area
            if self.sets[area] and target == lawful:
                yield Action(self.seat, "take", area + 1), (), area

    def _way(self, chance: Random, *, lawful: bool) -> tuple[Action, Sequence[Card], int] | None:
        """People like to get rid of cards, but for whims."""
        ways = list(self._ways(lawful=lawful))
        if not ways:
            return None
        if chance.random() < 0.25:
            return chance.choice(ways)
        return max(ways, key=lambda way: (len(way[1]), chance.random()))

    def _lay(self, chance: Random) -> AnyObservation:
        """Cards are laid, or taken, and the camera sees it."""
        way = self._way(chance, lawful=chance.random() > 0.08)
        if way is None or chance.random() < self.lazy:
            return ob.ActionDeclared(at=self.at, action=Action(self.seat, "rotate"))
        action, cards, area = way
        there = [] if action.verb == "take" else [*self.sets[area], *cards]
        hand = self.hands[self.seat]
        if action.verb == "play":
            there = list(cards)
            other = next((card for card in hand if card.up != cards[0].up), None)
            if other is not None and chance.random() < 0.04:
                there.append(other)  # mixed
        elif action.verb == "take" and len(self.sets[area]) > 1 and chance.random() < 0.06:
            there = self.sets[area][1:]  # not all of it
        if len(there) > 1 and action.verb == "play" and chance.random() < 0.3:
            self.wanted.append(self._seen({area: there}))
            there = there[:1]  # one after the other
        return self._seen({area: there})

    def _anything(self, chance: Random) -> Action:
        """What somebody says who is not asked, or says the wrong thing."""
        seat = chance.choice(self.seats)
        unknown = [("prepared", None), ("rotate", None), ("redeal", None), ("size", 2), ("value", 3)]
        if self.phase not in TURN:
            return Action(seat, *chance.choice(unknown))
        way = self._way(chance, lawful=False)
        if way is not None and chance.random() < 0.6:
            return way[0]
        if seat == self.seat:
            return Action(
                (seat + 1) % len(self.seats),
                *chance.choice((("rotate", None), ("play", "1x10"), ("take", 1))),
            )
        return Action(seat, *chance.choice(unknown))

    def _sensible(self, chance: Random) -> Action:
        seat = self.seat
        match self.phase:
            case "sorting":
                return Action(0, "prepared")
            case "dealing":
                holder = next(
                    s for s, hand in enumerate(self.hands) if any(card.name == STAR for card in hand)
                )
                return Action(holder, "star")
            case "sizing" | "valuing" | "adding" | "taking":
                verb = {"adding": "add", "taking": "take"}.get(self.phase, "play")
                ways = [way for way in self._ways(lawful=True) if way[0].verb == verb]
                if self.phase == "valuing":
                    ways = [way for way in ways if len(way[1]) == self.size]
                if not ways or chance.random() < 0.1:
                    return Action(seat, "again")
                action, cards, _ = chance.choice(ways)
                if self.phase == "sizing":
                    return Action(seat, "size", len(cards))
                return Action(seat, "value", cards[0].up) if self.phase == "valuing" else action
        if self.stalled and chance.random() < 0.3:
            self.lazy = 0.05 if chance.random() < 0.5 else self.lazy
            return Action(seat, "redeal")
        way = self._way(chance, lawful=True)
        if way is None or chance.random() < self.lazy:
            return Action(seat, "rotate")
        return Action(seat, way[0].verb) if chance.random() < 0.3 else way[0]


def public(rules: Rules[Any], state: Any) -> Mapping[str, object]:
    view = rules.view(state)
    seen: dict[str, object] = {"winners": view.outcome and view.outcome.winners}
    if view.outcome is not None:
        return seen
    seen["phase"] = str(view.phase)
    if view.phase not in TURN:
        return seen
    fields = {field.name: field.value for field in view.fields}
    areas = [place for place in view.places if place.region.startswith("set:")]
    active = next((index for index, place in enumerate(areas) if place.active), -1)
    seen["turn"] = fields["turn"], active
    for area in range(len(areas)):
        seen[f"set:{area}"] = fields.get(f"size:{area}", 0), fields.get(f"value:{area}", 0)
    for chair in view.chairs:
        seat = chair.seat
        seen[f"hand:{seat}"] = fields[f"hand:{seat}"]
        seen[f"shown:{seat}"] = chair.cards
        seen[f"points:{seat}"] = fields[f"points:{seat}"]
        seen[f"score:{seat}"] = "".join(str(token.value) for token in chair.tokens if token.kind == "pair")
    return seen


def legal(rules: Rules[Any], state: Any) -> set[str]:
    return {str(action) for action in rules.legal_actions(state) if action.verb not in {"card", "done"}}


TWO, MORE = [(2, False)], [(3, False), (4, False), (5, False)]
DNUP = Game(
    RULES["dnup"],
    Dnup,
    partial(facts_of, unruled=UNRULED, unsaid=UNSAID),
    public,
    legal,
    sizes=[*TWO, *MORE],
    matters={"target_out_player": MORE, "own_area_target": TWO, "out_check_2p": TWO},
    # DA7 is about hidden cards.
    only_said=frozenset({"choose_hand_orientation=True"}),
)
