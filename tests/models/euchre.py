"""A model of Euchre with every hand, written from docs/rules.md alone.

Where section 16 leaves a thing open, a comment says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from companion.core.actions import Action, Setup
from companion.core.rules import Rules
from companion.games import RULES
from tests.models import tricks
from tests.models.compare import Game
from tests.models.tricks import DECK, OF_SUIT, SEATS, SUITS, Standing, Tricks, suit_of

SIDES = range(2)
CARDS = tuple(card for card in DECK if card.partition("|")[2] in {"9", "10", "J", "Q", "K", "A"})
COLOUR = {"clubs": "spades", "spades": "clubs", "diamonds": "hearts", "hearts": "diamonds"}
"""The other suit of the same colour."""
NONE = frozenset[str]()


@dataclass
class EuchreStanding(Standing):
    upcard: str = ""
    passes: int = 0
    trump: str = ""
    maker: int = 0
    alone: bool = False


class Euchre(Tricks[EuchreStanding]):
    """One game."""

    first_phase = "turn_up"
    broken_suit = ""  # nothing has to be broken before it is led
    deck = CARDS
    size = 5
    last_deal = 99
    verbs = (*Tricks.verbs, "turn_up", "pass", "order", "name", "with_partner", "play_alone", "discarded")

    def __init__(self, setup: Setup, chance: Random) -> None:
        super().__init__(setup, chance, EuchreStanding([0, 0], self.first_phase))
        self.bold = chance.choice((0.05, 0.2, 0.4))
        """How often somebody makes trump without the cards for it."""
        self.lonely = chance.choice((0.1, 0.3, 0.7))
        """How often a maker plays alone."""
        self._deal()

    def public(self) -> Mapping[str, object]:
        seen, now = super().public(), self.now
        if self.over():
            return seen
        made = (now.trump, now.maker) if now.trump else None
        plates = [self._taken()[seat % 2] for seat in self.players()] if now.phase == "play" else None
        return {**seen, "made": made, "plates": plates}

    # Seats and cards ---------------------------------------------------------------------------------------

    def _dealer(self) -> int:
        """Rule 1."""
        return (self.now.deal - 2) % 4

    def _sits_out(self) -> int | None:
        return (self.now.maker + 2) % 4 if self.now.alone else None

    def players(self) -> Sequence[int]:
        return [seat for seat in SEATS if seat != self._sits_out()]

    def _takes(self) -> bool:
        """Whether the dealer takes the card that was turned up (rules 2 to 4)."""
        now = self.now
        return bool(now.trump) and now.passes < 4 and self._sits_out() != self._dealer()

    def _bidder(self) -> int:
        return (self._dealer() + 1 + self.now.passes) % 4

    def turn(self) -> int:
        """Rule 5."""
        if self.now.plays:
            return super().turn()
        players = self.players()
        return next(seat % 4 for seat in range(self._dealer() + 1, 8) if seat % 4 in players)

    def offered(self, seat: int) -> Sequence[str]:
        """Rule 9."""
        if self._takes() and seat == self._dealer():
            return CARDS
        return [card for card in CARDS if card != self.now.upcard]

    def suited(self, card: str) -> frozenset[str]:
        trump = self.now.trump
        left = f"{COLOUR[trump]}|J"
        if card == left or suit_of(card) == trump:
            return OF_SUIT[trump] | {left}
        return OF_SUIT[suit_of(card)] - {left}

    def height(self, card: str) -> int:
        bowers = (f"{COLOUR[self.now.trump]}|J", f"{self.now.trump}|J")
        return 100 + bowers.index(card) if card in bowers else tricks.height(card)

    @property
    def trumps(self) -> frozenset[str]:
        """With the left bower."""
        return self.suited(f"{self.now.trump}|A") if self.now.trump else NONE

    def excluded(self, index: int) -> frozenset[str]:
        """Rule 7."""
        plays = self.now.plays
        led = self.suited(plays[index - index % len(self.players())].card)
        return NONE if plays[index].card in led else led

    # The proof, where there are also a kitty and a discard --------------------------------------------------

    def _unseen(self) -> list[str]:
        return [card for card in super()._unseen() if self._takes() or card != self.now.upcard]

    def _banned(self) -> list[frozenset[str]]:
        banned = [*super()._banned(), NONE]
        if not self._takes():
            return banned
        up = frozenset({self.now.upcard})
        return [gone if seat == self._dealer() else gone | up for seat, gone in enumerate(banned)] + [NONE]

    def _left(self) -> list[int]:
        return [*super()._left(), 3] + [1] * self._takes()

    # The end of a deal -------------------------------------------------------------------------------------

    def _taken(self) -> list[int]:
        """How many tricks each side has."""
        takers = [self.taker(number) for number in range(len(self.now.plays) // len(self.players()))]
        if self.now.claimed is not None:
            takers += [self.now.claimed] * (self.size - len(takers))
        return [sum(taker % 2 == side for taker in takers) for side in SIDES]

    def _score(self) -> None:
        """Rules 10 and 11."""
        now, gets = self.now, [0, 0]
        makers = now.maker % 2
        match self._taken()[makers]:
            case 5:
                gets[makers] = 4 if now.alone else 2
            case 3 | 4:
                gets[makers] = 1
            case _:
                gets[1 - makers] = 2
        self._tell("DealScored", tuple(gets))
        for side in SIDES:
            now.points[side] += gets[side]
            if now.points[side] >= self.options.target:
                now.winners = (side, side + 2)
                self._tell("GameWon", now.winners)
        self._begin_deal(now.deal + 1)

    def _begin_deal(self, deal: int) -> None:
        now = self.now
        now.upcard, now.passes, now.trump, now.maker, now.alone = "", 0, "", 0, False
        super()._begin_deal(deal)

    # What may be done, and what follows --------------------------------------------------------------------

    def _other_actions(self) -> Iterator[Action]:
        now, dealer = self.now, self._dealer()
        match now.phase:
            case "turn_up":
                yield from (Action(dealer, "turn_up", card) for card in CARDS)
            case "bid":
                seat = self._bidder()
                if now.passes < 7 or not self.options.stick_the_dealer:
                    yield Action(seat, "pass")
                if now.passes < 4:
                    yield Action(seat, "order")
                else:
                    yield from (Action(seat, "name", s) for s in SUITS if s != suit_of(now.upcard))
            case "loner":
                yield Action(now.maker, "with_partner")
                yield Action(now.maker, "play_alone")
            case "discard":
                yield Action(dealer, "discarded")

    def _other_said(self, action: Action) -> None:
        now, seat = self.now, action.seat
        match action.verb:
            case "turn_up":
                now.phase, now.upcard = "bid", str(action.value)
                self._tell("UpcardTurned", seat, now.upcard)
            case "pass":
                now.passes += 1
                self._tell("Passed", seat)
                if now.passes == 8:
                    self._tell("DealPassed")
                    self._begin_deal(now.deal + 1)
            case "order" | "name":
                now.trump = str(action.value) if action.verb == "name" else suit_of(now.upcard)
                now.maker, now.phase = seat, "loner"
                self._tell("TrumpMade", seat, now.trump)
                is_partner = action.verb == "order" and seat == (self._dealer() + 2) % 4
                if is_partner and self.options.partner_orders == "alone":
                    self._is_alone(seat, alone=True)
            case "with_partner" | "play_alone":
                self._is_alone(seat, alone=action.verb == "play_alone")
            case "discarded":
                now.phase = "play"
                self._tell("DealerDiscarded", seat)
                hand = now.hands[seat] | {now.upcard}
                now.hands[seat] = hand - {self.chance.choice(sorted(hand))}

    def _is_alone(self, seat: int, *, alone: bool) -> None:
        now = self.now
        now.alone = alone
        self._tell("PlaysAlone" if alone else "PartnerKept", seat)
        now.phase = "discard" if self._takes() else "play"

    def _declarable(self) -> Mapping[str, tuple[int, range]]:
        return {f"points:{side}": (self.now.points[side], range(self.options.target)) for side in SIDES}

    def _put_down(self, meant: Mapping[str, Any]) -> None:
        self.now.points = [meant[f"points:{side}"] for side in SIDES]

    # What people do ----------------------------------------------------------------------------------------

    def _anything(self, chance: Random) -> Action:
        said = super()._anything(chance)
        match said.verb:
            case "turn_up":
                return Action(said.seat, said.verb, chance.choice(DECK))
            case "name":
                return Action(said.seat, said.verb, chance.choice(SUITS))
        return said

    def _sensible(self, chance: Random) -> Action:
        """As deals are short, a claim is made more often than of itself."""
        if self.now.phase == "play" and chance.random() < 0.02:
            return Action(chance.choice(self.players()), "claim")
        return super()._sensible(chance)

    def _repair(self, chance: Random) -> tuple[tuple[str, str | int], ...]:
        """Often a deal before the end."""
        target = self.options.target
        points = (-1, 0, *[target - more for more in range(5)])
        near = {
            "deal": (0, self.now.deal, 1, 2, 3, 4, 5, 99, 100),
            "points:0": (self.now.points[0], *points),
            "points:1": (self.now.points[1], *points),
            "points:2": (0,),
        }
        names = chance.sample(["deal", "points:0", "points:1"], k=chance.choice((1, 1, 2, 3)))
        if chance.random() < 0.05:
            names.append("points:2")
        return tuple((name, chance.choice(near[name])) for name in names)

    def _other_deed(self, chance: Random) -> Action:
        """Most makers have three trumps; the card turned up is one that nobody has, unless it is misread."""
        now = self.now
        if now.phase == "turn_up":
            dealt = {card for hand in now.hands for card in hand}
            free = [card for card in CARDS if card not in dealt]
            return Action(self._dealer(), "turn_up", chance.choice(CARDS if chance.random() < 0.02 else free))
        able = list(self._other_actions())
        if now.phase == "loner":
            return able[chance.random() < self.lonely]
        if now.phase == "bid":
            hand = now.hands[able[0].seat]
            made = [said for said in able if said.verb != "pass"]
            up = suit_of(now.upcard)
            strong = [said for said in made if len(hand & OF_SUIT[str(said.value or up)]) > 2]
            if not strong and able[0].verb == "pass" and chance.random() > self.bold:
                return able[0]
            return chance.choice(strong or made)
        return chance.choice(able)


def public(rules: Rules[Any], state: Any) -> Mapping[str, object]:
    view = rules.view(state)
    seen = tricks.public(view)
    if seen["winners"] is not None:
        return seen
    fields = tricks.declared(view)
    seen["points"] = [fields[f"points:{side}"] for side in SIDES]
    tokens = [(chair.seat, token) for chair in view.chairs for token in chair.tokens]
    made = [(token.motif.partition(":")[2], seat) for seat, token in tokens if token.kind == "trump"]
    seen["made"] = made[0] if made else None
    said = [token.said for _, token in tokens if token.kind == "tricks" and token.said]
    plates = [dict(sentence.parts)["count"] for sentence in said]
    seen["plates"] = plates if view.phase == "play" else None
    return seen


EUCHRE = Game(
    RULES["euchre"],
    Euchre,
    tricks.facts,
    public,
    tricks.legal,
    sizes=[(4, False)],
    begun=120,
)
