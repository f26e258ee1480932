"""A model of Liar's Dice with every die, written from docs/rules.md and the page of the game alone.

It plays the whole table: what lies under each cup, what people say and press, and what must follow from it.
Where the rules leave a thing open, a comment says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Action, Micros, Setup, pair_value
from companion.core.events import Event
from companion.core.observations import AnyObservation
from companion.core.rules import Rules
from companion.games import RULES
from tests.models.compare import REFUSED, Fact, Game, facts_of

FACES = range(1, 7)
UNRULED = {"PressedInVain", "PressBegan", "PressEnded", "ChoiceStepped"}
"""Events that no rule of the game speaks of."""
Bid = tuple[int, int]
"""How many, and of which face."""


@dataclass
class Standing:
    """All that an undo brings back."""

    left: list[int]
    """How many dice each seat has."""
    cups: list[list[int]] = field(default_factory=list)
    """The dice as they lie."""
    phase: str = "start"
    turn: int = -1
    """Who is asked to bid, and later the caller."""
    bid: Bid | None = None
    bidder: int = -1
    exactly: bool = False
    """Whether the bid was called exactly right."""
    told: dict[int, int] = field(default_factory=dict)
    plain: bool = False
    winners: tuple[int, ...] | None = None


class LiarsDice:
    """One game."""

    def __init__(self, setup: Setup, chance: Random) -> None:
        self.options: Any = setup.options
        self.seats = range(setup.players)
        self.chance = chance
        self.now = Standing([self.options.dice for _ in self.seats])
        self.past: list[tuple[Standing, bool]] = []
        """Before each thing said, and whether a button said it."""
        self.at: Micros = 0
        self.cursor = 0
        """How often the button in use has been tapped."""
        self.picked: int | None = None
        """How many its holder chose to bid; the face is to come."""
        self.by_button = False
        self._was_held = False
        """Whether the button that comes up now was held, which has counted already."""
        self.coming: list[AnyObservation] = []
        """What else the hand on a button does."""
        self.facts: list[Fact] = []
        self.bold = chance.choice((0.02, 0.1, 0.4))
        """How likely anything at all is bid."""
        self._roll()

    def _roll(self) -> None:
        self.now.cups = [self.chance.choices(FACES, k=left) for left in self.now.left]

    # What everybody can see --------------------------------------------------------------------------------

    @property
    def total(self) -> int:
        return sum(self.now.left)

    @property
    def wild(self) -> int | None:
        """The face that counts for every other."""
        return None if self.now.plain else {"ones": 1, "highest": 6, "none": None}[self.options.wild]

    @property
    def playing(self) -> list[int]:
        return [seat for seat in self.seats if self.now.left[seat]]

    def after(self, seat: int) -> int:
        """The next seat: the next one clockwise that has dice."""
        around = ((seat + step) % len(self.seats) for step in range(1, len(self.seats) + 1))
        return next(other for other in around if self.now.left[other])

    def over(self) -> bool:
        return self.now.winners is not None

    def due(self) -> Micros | None:
        return None

    def public(self) -> Mapping[str, object]:
        now = self.now
        seen: dict[str, object] = {"winners": now.winners}
        for seat in self.seats:
            seen[f"dice:{seat}"] = now.left[seat]
        if self.over():
            return seen
        seen["phase"] = now.phase
        for seat in self.seats:
            seen[f"bid:{seat}"] = now.bid if seat == now.bidder else None
        seen["asked"] = sorted({action.seat for action in self._legal()})
        if now.phase == "count":
            seen["told"] = {seat: now.told.get(seat) for seat in self.playing}
        if now.phase != "start":
            alone = now.phase == "count" and now.bid is not None and now.bid[1] == self.wild
            seen["wild"] = None if alone else self.wild
        return seen

    # What may be done --------------------------------------------------------------------------------------

    def legal(self) -> set[str]:
        return set(map(str, self._legal()))

    def _legal(self) -> Iterator[Action]:
        """In the order in which a button goes through them."""
        now = self.now
        match now.phase:
            case "start":
                yield from (Action(seat, "begin") for seat in self.seats)
            case "bid":
                if now.bid:
                    yield Action(now.turn, "doubt")
                    if self.options.exact:
                        yield Action(now.turn, "exact")
                yield from (Action(now.turn, "bid", pair_value(*bid)) for bid in self._bids())
            case "count":
                for seat in self.playing:
                    if seat not in now.told:
                        yield from (Action(seat, "tell", count) for count in range(now.left[seat] + 1))

    def _bids(self) -> list[Bid]:
        """Every bid that is higher than the one that stands."""
        every = [(count, face) for count in range(1, self.total + 1) for face in FACES]
        return [bid for bid in every if self._is_higher(*bid)]

    def _is_higher(self, count: int, face: int) -> bool:
        if self.now.bid is None:
            return True
        stands, of = self.now.bid
        if self.now.plain:
            return face == of and count > stands
        if self.options.order == "face":
            return (face, count) > (of, stands)
        return (count, face) > (stands, of)

    # What follows ------------------------------------------------------------------------------------------

    def take(self, seen: AnyObservation) -> Sequence[Fact]:
        self.facts = []
        self.at = max(self.at, seen.at)
        self.by_button = isinstance(seen, ob.ButtonPressed | ob.ButtonHeld)
        match seen:
            case ob.ActionDeclared():
                self._declared(seen.action)
            case ob.ButtonPressed(chair=int(seat)):
                choices = self._choices(seat)
                if len(choices) == 1:
                    self._chosen(seat, choices[0])
            case ob.ButtonReleased() if not self._was_held:
                self.cursor += 1
            case ob.ButtonHeld(chair=int(seat)):
                choices = self._choices(seat)
                self._chosen(seat, choices[self.cursor % len(choices)])
            case ob.TableDeclared():
                self._put_right(dict(seen.table))
            case ob.UndoRequested() if self.past:
                self.now, _ = self.past.pop()
        self._was_held = isinstance(seen, ob.ButtonHeld)
        return self.facts

    def _choices(self, seat: int) -> list[Action | int]:
        """What the button of a seat steps through: first how many, then of which face."""
        mine = [action for action in self._legal() if action.seat == seat]
        if self.picked is not None:
            return [action for action in mine if action.parts[:1] == (self.picked,)]
        return list(dict.fromkeys(int(one.parts[0]) if one.verb == "bid" else one for one in mine))

    def _chosen(self, seat: int, choice: Action | int) -> None:
        self.cursor = 0
        if not isinstance(choice, Action):
            self.picked = choice
            # The page leaves open whether a face is asked for where there is one alone, as in a plain round.
            faces = self._choices(seat)
            if len(faces) > 1:
                return
            (choice,) = faces
            assert isinstance(choice, Action)
        self.picked = None
        self._declared(choice)

    def _tell(self, kind: str, *values: object) -> None:
        self.facts.append((kind, *values))

    def _refuse(self) -> None:
        """Nothing changes; the rules leave open that an undo takes the refusal back, and no more."""
        self._remember()
        self.facts.append(REFUSED)

    def _declared(self, action: Action) -> None:
        if str(action) not in self.legal():
            self._refuse()
            return
        self._remember()
        now, seat = self.now, action.seat
        match action.verb:
            case "begin":
                self._begin(seat)
                self._tell("BiddingBegan", seat)
            case "bid":
                count, face = map(int, action.parts)
                now.bid, now.bidder, now.turn = (count, face), seat, self.after(seat)
                self._tell("BidMade", seat, count, face)
            case "doubt" | "exact":
                now.phase, now.turn, now.exactly = "count", seat, action.verb == "exact"
                self._tell("ExactlyCalled" if now.exactly else "BidDoubted", seat)
            case "tell":
                assert isinstance(action.value, int)
                now.told[seat] = action.value
                self._tell("DiceTold", seat, action.value)
                if len(now.told) == len(self.playing):
                    self._judge()

    def _remember(self) -> None:
        self.past.append((deepcopy(self.now), self.by_button))

    def _begin(self, seat: int, *, plain: bool = False) -> None:
        """A round: everybody rolls anew, and no bid stands."""
        now = self.now
        now.phase, now.turn, now.bid, now.bidder, now.plain = "bid", seat, None, -1, plain
        now.told = {}
        self._roll()

    def _judge(self) -> None:
        now, found, caller = self.now, sum(self.now.told.values()), self.now.turn
        assert now.bid is not None
        count = now.bid[0]
        change = -1
        if not now.exactly:
            how, who, right = (
                ("stands", caller, now.bidder) if found >= count else ("too_high", now.bidder, caller)
            )
        elif found == count:
            how, who, right = "exact", caller, caller
            change = 1 if now.left[caller] < self.options.dice else 0
        else:
            how, who, right = "not_exact", caller, now.bidder
        now.left[who] += change
        first = right if self.options.starter == "winner" else who
        starter = first if now.left[first] else self.after(first)
        plain = self.options.plain_round and change < 0 and now.left[who] == 1
        self._tell("BidJudged", who, found, how, now.left[who], starter, plain)
        if not now.left[who]:
            self._tell("DiceGone", who)
        if len(self.playing) > 1:
            self._begin(starter, plain=plain)
            return
        now.winners = tuple(self.playing)
        self._tell("GameWon", *now.winners)

    def _put_right(self, table: Mapping[str, str | int]) -> None:
        """What the table declares; whatever it does not name stays.

        The rules leave open who begins if nobody says so, and what follows if nothing differs from what the
        screen says already: there who is asked, or has called, begins, and nothing follows.
        """
        left = [table.get(f"dice:{seat}", self.now.left[seat]) for seat in self.seats]
        starter = table.get("starter", self.now.turn)
        sound = [dice for dice in left if isinstance(dice, int) and 0 <= dice <= self.options.dice]
        if (
            len(sound) < len(self.seats)
            or sum(dice > 0 for dice in sound) < 2
            or not isinstance(starter, int)
            or starter not in self.seats
            or not sound[starter]
        ):
            self._refuse()
            return
        offered = {
            "starter": max(self.now.turn, 0),
            **{f"dice:{s}": left for s, left in enumerate(self.now.left)},
        }
        told = tuple((name, value) for name, value in table.items() if offered[name] != value)
        if not told:
            return
        self._remember()
        self.now.left = sound
        self._begin(starter)
        self._tell("Repaired", told)

    # What people do ----------------------------------------------------------------------------------------

    def act(self, chance: Random) -> AnyObservation:
        if self.coming:
            return self.coming.pop(0)
        self.at += chance.randrange(SECOND // 10, 3 * SECOND)
        doing = chance.random()
        if doing < 0.05:
            return ob.ActionDeclared(at=self.at, action=self._anything(chance))
        if doing < 0.06:
            return ob.TableDeclared(at=self.at, table=self._repair(chance))
        # Where an undo leaves a button that was stepping through its choices is no rule of the game.
        if doing < 0.08 and self.past and not self.past[-1][1]:
            return ob.UndoRequested(at=self.at)
        asked = {action.seat for action in self._legal()}
        idle = [seat for seat in self.seats if seat not in asked]
        if doing < 0.1 and idle:
            return ob.ButtonPressed(at=self.at, chair=chance.choice(idle))
        action = self._sensible(chance)
        mine = sum(one.seat == action.seat for one in self._legal())
        # How a button chooses one of two, or a number that is no bid, is the same in all games.
        page_says = mine == 1 or (self.now.phase == "bid" and mine > 2)
        if page_says and chance.random() < 0.2:
            return self._by_button(action)
        return ob.ActionDeclared(at=self.at, action=action)

    def _by_button(self, action: Action) -> AnyObservation:
        """Taps up to a choice, and a hold; with a bid, the same once more for its face."""
        seat, at, hand = action.seat, self.at, list[AnyObservation]()

        def press(*, hold: bool) -> None:
            nonlocal at
            at += SECOND
            hand.append(ob.ButtonPressed(at=at, chair=seat))
            if hold:
                at += HOLD_TIME
                hand.append(ob.ButtonHeld(at=at, chair=seat))
            at += HOLD_TIME // 3
            hand.append(ob.ButtonReleased(at=at, chair=seat))

        def choose(choices: Sequence[object], choice: object) -> None:
            for _ in range(choices.index(choice)):
                press(hold=False)
            press(hold=True)

        choices = self._choices(seat)
        if len(choices) == 1:
            return ob.ButtonPressed(at=at, chair=seat)
        if action.verb == "bid":
            self.picked = int(action.parts[0])
            faces, self.picked = self._choices(seat), None
            choose(choices, action.parts[0])
            if len(faces) > 1:
                choose(faces, action)
        else:
            choose(choices, action)
        self.coming = hand[1:]
        return hand[0]

    def _anything(self, chance: Random) -> Action:
        """What somebody says who is not asked, or says the wrong thing."""
        verb = chance.choice(("begin", "bid", "doubt", "exact", "tell"))
        value: str | int | None = None
        if verb == "bid":
            count, face = self.now.bid or (1, 1)
            value = pair_value(
                chance.choice((0, count, count + 1, self.total, self.total + 1)), chance.randrange(8)
            )
            if chance.random() < 0.3:
                value = pair_value(count, max(1, face - chance.randrange(2)))
        elif verb == "tell":
            value = chance.randrange(7)
        seat = (
            self.now.turn if self.now.phase == "bid" and chance.random() < 0.7 else chance.choice(self.seats)
        )
        return Action(seat, verb, value)

    def _repair(self, chance: Random) -> tuple[tuple[str, str | int], ...]:
        """What the table puts right; once in a while what cannot be."""
        named = chance.sample(self.seats, k=chance.choice((0, 1, 1, 2, len(self.seats))))
        table: list[tuple[str, str | int]] = [
            (f"dice:{seat}", chance.choice((self.now.left[seat], *range(self.options.dice + 2))))
            for seat in named
        ]
        if self.now.phase == "start" or not table or chance.random() < 0.7:
            table.append(("starter", chance.choice(self.seats)))
        return tuple(table)

    def _sensible(self, chance: Random) -> Action:
        now = self.now
        match now.phase:
            case "start":
                return Action(chance.choice(self.seats), "begin")
            case "bid":
                return self._call_or_bid(chance)
        waiting = [seat for seat in self.playing if seat not in now.told]
        seat = chance.choice(waiting)
        assert now.bid is not None
        true = sum(die in {now.bid[1], self.wild} for die in now.cups[seat])
        return Action(
            seat, "tell", chance.choice(range(now.left[seat] + 1)) if chance.random() < 0.03 else true
        )

    def _call_or_bid(self, chance: Random) -> Action:
        seat, bids = self.now.turn, self._bids()

        def expected(face: int) -> float:
            """How many of a face there are, as far as this seat knows."""
            mine = self.now.cups[seat]
            odds = 1 / 6 if self.wild in {None, face} else 1 / 3
            return sum(die in {face, self.wild} for die in mine) + odds * (self.total - len(mine))

        calls = [action for action in self._legal() if action.seat == seat and action.verb != "bid"]
        if bids and chance.random() < self.bold:
            return Action(seat, "bid", pair_value(*chance.choice((chance.choice(bids), bids[-1], bids[0]))))
        likely = [bid for bid in bids if bid[0] <= expected(bid[1]) + chance.random()]
        if calls and (not likely or chance.random() < 0.2):
            return chance.choice(calls)
        return Action(seat, "bid", pair_value(*chance.choice(likely[-6:] or bids[:1])))


def facts(event: Event) -> Sequence[Fact]:
    return facts_of(event, unruled=UNRULED, unsaid={"keeps"})


def public(rules: Rules[Any], state: Any) -> Mapping[str, object]:
    view = rules.view(state)
    seen: dict[str, object] = {"winners": view.outcome and view.outcome.winners}
    tokens = {chair.seat: {token.kind: token for token in chair.tokens} for chair in view.chairs}
    for seat, own in tokens.items():
        seen[f"dice:{seat}"] = own["dice"].count if "dice" in own else 0
    if view.outcome is not None:
        return seen
    seen["phase"] = str(view.phase)
    for seat, own in tokens.items():
        bid = own.get("bid")
        seen[f"bid:{seat}"] = bid and (bid.count, int(bid.motif.partition(":")[2]))
    seen["asked"] = sorted(chair.seat for chair in view.chairs if chair.asked)
    if view.phase == "count":
        seen["told"] = {
            cell.chair: None if cell.value == "?" else cell.value
            for row in view.rows
            for cell in row
            if cell.chair is not None
        }
    if view.phase != "start" and view.hint is not None:
        face = view.hint.key.rpartition(".")[2]  # the hint says what is wild
        seen["wild"] = int(face) if face.isdecimal() else None
    return seen


def legal(rules: Rules[Any], state: Any) -> set[str]:
    return set(map(str, rules.legal_actions(state)))


LIARS_DICE = Game(
    RULES["liars_dice"],
    LiarsDice,
    facts,
    public,
    legal,
    sizes=[(players, False) for players in RULES["liars_dice"].players],
)
