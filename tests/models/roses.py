"""A model of Roses and Thorns with every card, written from docs/rules.md alone.

It plays the whole table: which flowers lie face down and where, what people say, what the camera reads, and
what must follow from it. Where the rules leave a thing open, a comment says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros, Setup, pair_value
from companion.core.events import Event
from companion.core.observations import AnyObservation
from companion.core.rules import Rules
from companion.games import RULES
from tests.models.compare import REFUSED, Fact, Game, facts_of

BEDS = {3: (1, 3, 5), 4: (1, 2, 4, 5), 5: (1, 2, 3, 4, 5), 6: (1, 2, 3, 4, 5, 6)}
"""The bed of each seat, by how many play (RT39)."""
PLACES = range(1, 5)
UNRULED = {
    *("PressedInVain", "PressBegan", "PressEnded", "ChoiceStepped"),
    *("BidBegun", "BedNamed", "PlaceKnown", "PlaceCleared"),
}
"""Events that no rule of the game speaks of: nobody is told."""
ROSE, THORN, BACK, BARE = "flower:rose", "flower:thorn", "back:garden", ""
Place = tuple[int, int]
"""A bed and a place in it."""


@dataclass
class Standing:
    """All that an undo brings back."""

    cards: list[int]
    points: list[int]
    thorns: list[bool]
    """Whose thorn is not in the box."""
    phase: str = "start"
    turn: int = -1
    """Who is asked in *bid* and *number*, and the bidder in *turn*."""
    starter: int = 0
    laid: list[int] = field(default_factory=list)
    bid: int = 0
    bidder: int = -1
    passed: set[int] = field(default_factory=set)
    named: int | None = None
    """Whose bed was named by `turn=S`."""
    opened: dict[Place, str] = field(default_factory=dict)
    """Cards that are open, and known to be where."""
    somewhere: list[int] = field(default_factory=list)
    """How many roses of each seat are open, nobody knows in which place."""
    left_open: set[Place] = field(default_factory=set)
    """Where a card was open when a round ended, and neither a back nor nothing was read since."""
    lies: dict[Place, str] = field(default_factory=dict)
    """What truly lies there, face down or open."""
    winner: int | None = None


class Roses:
    """One game."""

    def __init__(self, setup: Setup, chance: Random) -> None:
        self.options: Any = setup.options
        self.seats = range(setup.players)
        self.beds = BEDS[setup.players]
        self.chance = chance
        self.now = Standing(
            [4 for _ in self.seats],
            [0 for _ in self.seats],
            [True for _ in self.seats],
            laid=[0 for _ in self.seats],
            somewhere=[0 for _ in self.seats],
        )
        self.past: list[tuple[Standing, bool]] = []
        """Before each thing said, and whether anybody was told what followed."""
        self.at: Micros = 0
        self.facts: list[Fact] = []
        self.camera = chance.random() < 0.6
        """Whether this table is read; what an undo leaves on it is no rule of the game."""
        self.bold = chance.choice((0.1, 0.3, 0.6))

    # What everybody can see --------------------------------------------------------------------------------

    @property
    def total(self) -> int:
        return sum(self.now.laid)

    @property
    def playing(self) -> list[int]:
        return [seat for seat in self.seats if self.now.cards[seat]]

    def after(self, seat: int, *, bidding: bool = False) -> int:
        """The next seat that has cards, and with `bidding` has not passed."""
        around = ((seat + step) % len(self.seats) for step in range(1, len(self.seats) + 1))
        return next(
            other for other in around if self.now.cards[other] and not (bidding and other in self.now.passed)
        )

    def turned(self, seat: int) -> int:
        """How many cards of a seat are open."""
        bed = self.beds[seat]
        return self.now.somewhere[seat] + sum(where == bed for where, _ in self.now.opened)

    def hidden(self, seat: int) -> int:
        return self.now.laid[seat] - self.turned(seat)

    def turnable(self) -> list[int]:
        """The seats whose bed may be turned (rule 6)."""
        now = self.now
        if self.hidden(now.bidder):
            return [now.bidder]
        return [seat for seat in self.playing if self.hidden(seat)]

    def bed_named(self) -> int | None:
        able = self.turnable()
        return able[0] if len(able) == 1 else self.now.named

    def over(self) -> bool:
        return self.now.winner is not None

    def due(self) -> Micros | None:
        return None

    def public(self) -> Mapping[str, object]:
        now = self.now
        seen: dict[str, object] = {"winners": None if now.winner is None else (now.winner,)}
        for seat in self.seats:
            seen[f"points:{seat}"] = now.points[seat]
        if self.over():
            return seen
        for seat in self.seats:
            seen[f"cards:{seat}"], seen[f"hand:{seat}"] = now.cards[seat], now.cards[seat] - now.laid[seat]
        seen["phase"] = now.phase
        seen["asked"] = sorted({action.seat for action in self._legal()})
        seen["starter"] = self._shown_starter()
        return seen

    def _shown_starter(self) -> int:
        """Who begins where a repair does not say it (rule 12)."""
        match self.now.phase:
            case "start":
                return 0
            case "lay":
                return self.now.starter
        return self.now.turn

    # What may be done --------------------------------------------------------------------------------------

    def legal(self) -> set[str]:
        return set(map(str, self._legal()))

    def _legal(self) -> Iterator[Action]:
        now = self.now
        match "over" if self.over() else now.phase:
            case "start":
                yield from (Action(seat, "begin") for seat in self.seats)
            case "lay":
                yield from (Action(seat, "lay") for seat in self.playing if not now.laid[seat])
            case "bid":
                yield Action(now.turn, "pass" if now.bid else "add")
                yield Action(now.turn, "raise")
            case "number":
                yield from (Action(now.turn, "bid", count) for count in range(now.bid + 1, self.total + 1))
            case "turn":
                if self.bed_named() is None:
                    yield from (Action(now.bidder, "turn", seat) for seat in self.turnable())
                else:
                    yield from (Action(now.bidder, "show", face) for face in ("rose", "thorn"))
                for seat in self.turnable():
                    for place in PLACES:
                        if (self.beds[seat], place) not in now.opened:
                            where = f"bed:{self.beds[seat]}.{place}"
                            yield from (
                                Action(now.bidder, "show", pair_value(where, face))
                                for face in ("rose", "thorn")
                            )

    # What follows ------------------------------------------------------------------------------------------

    def take(self, seen: AnyObservation) -> Sequence[Fact]:
        self.facts = []
        self.at = max(self.at, seen.at)
        match seen:
            case ob.ActionDeclared():
                self._remember()
                self._declared(seen.action)
                self.past[-1] = (self.past[-1][0], bool(self.facts))
            case ob.TableSeen():
                for region in seen.regions:
                    bed, place = map(int, region.name.removeprefix("bed:").split("."))
                    self._read((bed, place), region.faces[-1].card if region.faces else BARE)
            case ob.TableDeclared():
                self._put_right(dict(seen.table))
            case ob.UndoRequested() if self.past:
                self.now, _ = self.past.pop()
        return self.facts

    def _remember(self) -> None:
        self.past.append((deepcopy(self.now), True))

    def _tell(self, kind: str, *values: object) -> None:
        self.facts.append((kind, *values))

    def _declared(self, action: Action) -> None:
        if str(action) not in self.legal():
            self.facts.append(REFUSED)
            return
        now, seat = self.now, action.seat
        match action.verb:
            case "begin":
                self._tell("StarterNamed", seat)
                now.phase, now.starter = "lay", seat
            case "lay":
                self._lay(seat)
                if all(now.laid[other] for other in self.playing):
                    self._ask(now.starter)
            case "add":
                self._lay(seat)
                self._ask(self.after(seat))
            case "raise" if now.bid + 1 == self.total:
                self._bid(seat, self.total)
            case "raise":
                now.phase = "number"
            case "bid":
                assert isinstance(action.value, int)
                self._bid(seat, action.value)
            case "pass":
                self._tell("BidPassed", seat)
                now.passed.add(seat)
                self._go_on(seat)
            case "turn":
                assert isinstance(action.value, int)
                now.named = action.value
            case "show" if action.has_two_steps:
                where, face = map(str, action.parts)
                bed, place = map(int, where.removeprefix("bed:").split("."))
                # That what a person says of a card left open is true the rules leave open.
                self.now.left_open.discard((bed, place))
                self._read((bed, place), f"flower:{face}")
            case "show":
                named = self.bed_named()
                assert named is not None
                self._open(named, None, f"flower:{action.value}")

    def _lay(self, seat: int) -> None:
        self._tell("CardLaid", seat)
        now, bed = self.now, self.beds[seat]
        free = [place for place in PLACES if (bed, place) not in now.lies]
        mine = [face for where, face in now.lies.items() if where[0] == bed]
        hand = [ROSE] * (now.cards[seat] - now.thorns[seat]) + [THORN] * now.thorns[seat]
        for face in mine:
            hand.remove(face)
        now.lies[bed, self.chance.choice(free)] = self.chance.choice(hand)
        now.laid[seat] += 1

    def _ask(self, seat: int) -> None:
        """Rule 3."""
        now = self.now
        now.turn = seat
        now.phase = "number" if not now.bid and now.laid[seat] == now.cards[seat] else "bid"

    def _bid(self, seat: int, count: int) -> None:
        self._tell("NumberBid", seat, count)
        self.now.bid, self.now.bidder = count, seat
        if count == self.total:
            self._begin_turning()
        else:
            self._go_on(seat)

    def _go_on(self, seat: int) -> None:
        """After a bid or a pass that ends nothing the next seat that has not passed is asked."""
        if any(other != self.now.bidder and other not in self.now.passed for other in self.playing):
            self._ask(self.after(seat, bidding=True))
        else:
            self._begin_turning()

    def _begin_turning(self) -> None:
        self.now.phase, self.now.turn, self.now.named = "turn", self.now.bidder, None

    def _read(self, where: Place, face: str) -> None:
        """Rule 7, in its order."""
        now = self.now
        if face in {BACK, BARE}:
            now.left_open.discard(where)
        if where in now.left_open or face not in {ROSE, THORN} or now.phase != "turn":
            return
        seat = self.beds.index(where[0]) if where[0] in self.beds else None
        if where in now.opened or seat is None:
            return
        if face == ROSE and now.somewhere[seat]:
            now.somewhere[seat] -= 1
            now.opened[where] = face
            return
        if not now.cards[seat] or not self.hidden(seat):
            return
        if seat != now.bidder and self.hidden(now.bidder):
            self.facts.append(REFUSED)  # own cards first
            return
        self._open(seat, where, face)

    def _open(self, seat: int, where: Place | None, face: str) -> None:
        now, bidder = self.now, self.now.bidder
        self._tell(
            "CardTurned",
            seat,
            face.removeprefix("flower:"),
            "" if where is None else f"bed:{where[0]}.{where[1]}",
        )
        now.named = None
        if where is not None:
            now.opened[where] = face
        elif face == ROSE:
            now.somewhere[seat] += 1
        if face == THORN:
            self._lose(bidder, seat)
        elif sum(map(self.turned, self.seats)) == now.bid:
            now.points[bidder] += 1
            self._end_round(
                "won", seat, decided="points" if now.points[bidder] >= self.options.wins else None
            )

    def _lose(self, seat: int, owner: int) -> None:
        now = self.now
        hand = [True] * now.thorns[seat] + [False] * (now.cards[seat] - now.thorns[seat])
        now.cards[seat] -= 1
        if self.chance.choice(hand):
            now.thorns[seat] = False
        self._end_round(
            "own_thorn" if owner == seat else "thorn",
            owner,
            decided="last" if len(self.playing) == 1 else None,
        )

    def _end_round(self, how: str, owner: int, *, decided: str | None) -> None:
        now, bidder = self.now, self.now.bidder
        if self.options.starter == "next":
            starter = self.after(now.starter)
        else:
            starter = bidder if now.cards[bidder] else self.after(bidder)
        self._tell("RoundEnded", bidder, how, owner, starter)
        if not now.cards[bidder]:
            self._tell("PlayerEliminated", bidder)
        now.left_open |= set(now.opened)
        self._new_round(starter)
        if decided:
            now.winner = bidder if decided == "points" else self.playing[0]
            self._tell("GameWon", now.winner, decided)

    def _new_round(self, starter: int) -> None:
        now = self.now
        now.phase, now.starter, now.turn, now.bid, now.bidder, now.named = "lay", starter, -1, 0, -1, None
        now.laid, now.somewhere = [0 for _ in self.seats], [0 for _ in self.seats]
        now.opened, now.lies, now.passed = {}, {}, set()

    def _put_right(self, table: Mapping[str, str | int]) -> None:
        """Rule 12; whatever is not named stays."""
        now = self.now
        offered: dict[str, str | int] = {"starter": self._shown_starter()}
        for seat in self.seats:
            offered |= {f"cards:{seat}": now.cards[seat], f"points:{seat}": now.points[seat]}
        told = tuple((name, value) for name, value in table.items() if offered[name] != value)
        if not told:
            return
        self._remember()
        meant: dict[str, Any] = {**offered, **table}
        cards = [meant[f"cards:{seat}"] for seat in self.seats]
        points = [meant[f"points:{seat}"] for seat in self.seats]
        starter = meant["starter"]
        if (
            not all(0 <= each <= 4 for each in cards)
            or not all(0 <= each < self.options.wins for each in points)
            or sum(each > 0 for each in cards) < 2
            or starter not in self.seats
            or not cards[starter]
        ):
            self.facts.append(REFUSED)
            return
        now.cards, now.points = cards, points
        now.thorns = [each > 0 and (each == 4 or self.chance.random() < each / 4) for each in cards]
        self._new_round(starter)
        now.left_open = set()
        self._tell("Repaired", told)

    # What people do ----------------------------------------------------------------------------------------

    def act(self, chance: Random) -> AnyObservation:
        self.at += chance.randrange(SECOND // 10, 3 * SECOND)
        doing = chance.random()
        if doing < 0.05:
            return ob.ActionDeclared(at=self.at, action=self._anything(chance))
        if doing < 0.06:
            return ob.TableDeclared(at=self.at, table=self._repair(chance))
        if doing < 0.09 and not self.camera and self.past and self.past[-1][1]:
            return ob.UndoRequested(at=self.at)
        if self.camera and doing < 0.25:
            return self._seen(
                chance, [self._any_reading(chance) for _ in range(chance.choice((1, 1, 1, 2, 3)))]
            )
        if self.now.phase == "turn":
            return self._turn(chance)
        return ob.ActionDeclared(at=self.at, action=self._sensible(chance))

    def _seen(self, chance: Random, readings: Sequence[tuple[Place, str]]) -> ob.TableSeen:
        regions = tuple(
            ob.RegionReading(
                f"bed:{bed}.{place}",
                (ob.SeenCard(face, chance.randrange(360)),) if face else (),
                self.at,
                self.at,
            )
            for (bed, place), face in dict(readings).items()
        )
        return ob.TableSeen(at=self.at, regions=regions)

    def _any_reading(self, chance: Random) -> tuple[Place, str]:
        """What the camera might read at any time, true or not, also where nobody sits."""
        where = chance.randrange(1, 7), chance.choice(PLACES)
        old = [*self.now.left_open, *self.now.opened]
        if old and chance.random() < 0.5:
            where = chance.choice(old)
        return where, chance.choice((ROSE, ROSE, THORN, BACK, BARE, ob.UNKNOWN))

    def _turn(self, chance: Random) -> AnyObservation:
        """The bidder turns a card of a bed that may be turned, and says or shows it."""
        now, able = self.now, self.turnable()
        named = self.bed_named()
        seat = named if named is not None and chance.random() < 0.9 else chance.choice(able)
        bed = self.beds[seat]
        closed = [where for where in now.lies if where[0] == bed and where not in now.opened]
        where = chance.choice(closed) if closed else (bed, chance.choice(PLACES))
        face = now.lies.get(where, ROSE)
        if chance.random() < 0.3:
            face = ROSE
        flower = face.removeprefix("flower:")
        if self.camera and chance.random() < 0.6:
            return self._seen(chance, [(where, face)])
        if chance.random() < 0.2:
            action = Action(now.bidder, "show", pair_value(f"bed:{where[0]}.{where[1]}", flower))
        elif named is None:
            action = Action(now.bidder, "turn", seat)
        else:
            action = Action(now.bidder, "show", flower)
        return ob.ActionDeclared(at=self.at, action=action)

    def _anything(self, chance: Random) -> Action:
        """What somebody says who is not asked, or says the wrong thing."""
        seat = self.now.turn if self.now.turn >= 0 and chance.random() < 0.6 else chance.choice(self.seats)
        verb = chance.choice(("begin", "lay", "add", "raise", "pass", "bid", "turn", "show"))
        value: str | int | None = None
        match verb:
            case "bid":
                value = chance.choice((0, self.now.bid, self.now.bid + 1, self.total, self.total + 1))
            case "turn":
                value = chance.choice(self.seats)
            case "show":
                flower = chance.choice(("rose", "thorn"))
                where = f"bed:{chance.randrange(1, 7)}.{chance.choice(PLACES)}"
                value = chance.choice((flower, pair_value(where, flower)))
        return Action(seat, verb, value)

    def _repair(self, chance: Random) -> tuple[tuple[str, str | int], ...]:
        """What the table puts right; once in a while what cannot be."""
        table: list[tuple[str, str | int]] = []
        for seat in chance.sample(self.seats, k=chance.choice((0, 1, 1, 2, len(self.seats)))):
            if chance.random() < 0.8:
                table.append((f"cards:{seat}", chance.choice((self.now.cards[seat], 0, 1, 2, 3, 4, 4, 5))))
            if chance.random() < 0.5:
                table.append(
                    (f"points:{seat}", chance.randrange(self.options.wins + (chance.random() < 0.2)))
                )
        if not table or chance.random() < 0.5:
            table.append(("starter", chance.choice(self.seats)))
        return tuple(table)

    def _sensible(self, chance: Random) -> Action:
        able = list(self._legal())
        if self.now.phase == "bid" and chance.random() > self.bold:
            return able[0]  # adds, or passes
        if self.now.phase == "number" and chance.random() < 0.6:
            return able[0]
        return chance.choice(able)


def facts(event: Event) -> Sequence[Fact]:
    return facts_of(event, unruled=UNRULED, unsaid={"keeps"})


def public(rules: Rules[Any], state: Any) -> Mapping[str, object]:
    view = rules.view(state)
    seen: dict[str, object] = {"winners": view.outcome and view.outcome.winners}
    declared = {each.name: each.value for each in view.fields}
    for chair in view.chairs:
        tokens = {token.kind: token for token in chair.tokens}
        seen[f"points:{chair.seat}"] = tokens["points"].count if "points" in tokens else 0
        if view.outcome is None:
            seen[f"hand:{chair.seat}"] = tokens["hand"].count if "hand" in tokens else 0
    if view.outcome is not None:
        return seen
    seen |= {name: value for name, value in declared.items() if name.startswith("cards:")}
    seen["phase"] = str(view.phase)
    seen["asked"] = sorted(chair.seat for chair in view.chairs if chair.asked)
    seen["starter"] = declared["starter"]
    return seen


def legal(rules: Rules[Any], state: Any) -> set[str]:
    return set(map(str, rules.legal_actions(state)))


ROSES = Game(
    RULES["roses"],
    Roses,
    facts,
    public,
    legal,
    sizes=[(players, False) for players in RULES["roses"].players],
)
