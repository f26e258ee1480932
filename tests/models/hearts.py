"""A model of Hearts with every hand, written from docs/rules.md alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from companion.core.actions import Action, Setup
from companion.core.rules import Rules
from companion.games import RULES
from tests.models import tricks
from tests.models.compare import Game
from tests.models.tricks import DECK, EVERY, OF_SUIT, SEATS, Play, Standing, Tricks, height, suit_of

OPENING, QUEEN, JACK = "clubs|2", "spades|Q", "diamonds|J"
HEART_CARDS = OF_SUIT["hearts"]
POINT_CARDS = HEART_CARDS | {QUEEN}


@dataclass
class HeartsStanding(Standing):
    moon: int = -1


class Hearts(Tricks[HeartsStanding]):
    """One game."""

    first_phase = "pass"
    broken_suit = "hearts"
    verbs = (*Tricks.verbs, "open", "add", "subtract")

    def __init__(self, setup: Setup, chance: Random) -> None:
        super().__init__(setup, chance, HeartsStanding([0] * 4, self.first_phase))
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

    def public(self) -> Mapping[str, object]:
        seen = super().public()
        return {**seen, "passing": self._passing()} if seen.get("phase") == "pass" else seen

    def _passing(self) -> str:
        ways = {
            "hold": ("left", "right", "across", "none"),
            "no_hold": ("left", "right", "across"),
            "none": ("none",),
        }[self.options.passing]
        return ways[(self.now.deal - 1) % len(ways)]

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

    def _worth(self) -> tuple[object, ...]:
        return (self.worth({play.card for play in self.now.plays[-4:]}),)

    # The end of a deal -------------------------------------------------------------------------------------

    def _taken(self) -> list[set[str]]:
        taken: list[set[str]] = [set() for _ in SEATS]
        for number, trick in enumerate(self.tricks()):
            if len(trick) == 4:
                taken[self.taker(number)] |= {play.card for play in trick}
        if self.now.claimed is not None:
            taken[self.now.claimed] |= EVERY - set().union(*taken)
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
        self.now.moon = -1
        super()._begin_deal(deal)

    # What may be done, and what follows ---------------------------------------------------------------------

    def _other_actions(self) -> Iterator[Action]:
        if self.now.phase == "pass":
            yield from (Action(seat, "open") for seat in SEATS)
        else:
            yield from (Action(self.now.moon, verb) for verb in ("add", "subtract"))

    def _other_said(self, action: Action) -> None:
        now, seat = self.now, action.seat
        if action.verb == "open":
            self._tell("DealOpened", seat)
            now.plays = [Play(seat, OPENING, confirmed=True)]
            now.phase = "play"
            self._swap_for_opening(seat)
        else:
            self._shoot(now.moon, own=action.verb == "subtract")

    def _swap_for_opening(self, seat: int) -> None:
        """Whoever opened has had the two of clubs: the hands are such."""
        hands = self.now.hands
        owner = next(other for other in SEATS if OPENING in hands[other])
        hands[owner].remove(OPENING)
        if owner != seat:
            given = self.chance.choice(sorted(hands[seat]))
            hands[seat].remove(given)
            hands[owner].add(given)

    def _declarable(self) -> Mapping[str, tuple[int, range]]:
        """Rule 16."""
        limits = range(-99, self.options.target)
        return {f"points:{seat}": (self.now.points[seat], limits) for seat in SEATS}

    def _put_down(self, meant: Mapping[str, Any]) -> None:
        self.now.points = [meant[f"points:{seat}"] for seat in SEATS]

    # What people do ----------------------------------------------------------------------------------------

    def _repair(self, chance: Random) -> tuple[tuple[str, str | int], ...]:
        """What the table puts right; once in a while what cannot be."""
        target = self.options.target
        table: list[tuple[str, str | int]] = [
            (f"points:{seat}", chance.choice((self.now.points[seat], chance.randrange(-20, target + 2))))
            for seat in chance.sample(SEATS, k=chance.choice((0, 1, 1, 2)))
        ]
        if not table or chance.random() < 0.5:
            table.append(("deal", chance.choice((0, self.now.deal, 1, 2, 3, 4, 5, tricks.LAST_DEAL + 1))))
        return tuple(table)

    def _other_deed(self, chance: Random) -> Action:
        if self.now.phase == "moon":
            return Action(self.now.moon, chance.choice(("add", "subtract")))
        if chance.random() < 0.1:
            return Action(chance.choice(SEATS), "open")
        return Action(next(seat for seat in SEATS if OPENING in self.now.hands[seat]), "open")

    def _choose(self, seat: int, able: Sequence[str], chance: Random) -> str:
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


def public(rules: Rules[Any], state: Any) -> Mapping[str, object]:
    view = rules.view(state)
    seen = tricks.public(view)
    if seen["winners"] is not None:
        return seen
    fields = tricks.declared(view)
    seen["points"] = [fields[f"points:{seat}"] for seat in SEATS]
    if view.phase == "pass":
        seen["passing"] = view.headline.key.rpartition(".")[2]
    return seen


HEARTS = Game(
    RULES["hearts"],
    Hearts,
    tricks.facts,
    public,
    tricks.legal,
    sizes=[(4, False)],
    numbers={"target": (100, 50)},
    begun=120,
)
