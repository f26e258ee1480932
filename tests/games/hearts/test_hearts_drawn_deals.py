"""Whole deals that a camera reads, drawn in the table's light or read wrong on purpose: to whom each card is
booked, what is asked, and that nobody is accused.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from itertools import takewhile
from math import sqrt
from random import Random

import numpy as np
import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Setup
from companion.core.events import kind_of
from companion.games.hearts.rules.model import DealScored, HeartsState
from companion.games.kit.cards import DECK, FACES, VALUES, cards_in
from companion.games.kit.trick_camera import REGION
from companion.games.kit.tricks import Play, lawful_cards
from companion.referee.reading_threshold import discard_doubtful
from companion.simulation.simulated_table import WATCHFUL_INTERVAL, DrawnMat
from tests.games.hearts.hearts_table import RULES, SEATS, Table
from tests.thorough import RARE, examples

Places = dict[str, tuple[str, ...]]
MOST_LOOKS = 16
"""Pictures of a table on which nothing happens, until the one in turn tells the card."""


class Deals:
    """Deals of people who follow the table's turns and every rule, and answer what they are asked."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.counted: Counter[str] = Counter()

    def look(self, table: Table, places: Places, plays: int) -> None:
        """What a camera says of these places, until so many cards are booked."""
        raise NotImplementedError

    def play(self, tricks: int = 13) -> None:
        """A deal, or its first tricks, each lead sweeping the old cards away; what is not read is told."""
        table, truth = Table(opens=None), list[Play]()
        order = self.chance.sample(list(cards_in(DECK)), DECK.bit_count())
        hands = [sum(1 << card for card in order[seat::4]) for seat in SEATS]
        places: Places = {f"{REGION}{seat}": () for seat in SEATS}
        misread = set[int]()
        self.look(table, places, 0)
        while len(truth) < len(SEATS) * tricks:
            number = len(truth)
            seat = table.state.seat if truth else next(seat for seat in SEATS if hands[seat] & 1)
            lawful = list(lawful_cards(table.state.rules, truth, hands[seat]))
            card = self.chance.choice(lawful) if truth else min(lawful)
            hands[seat] &= ~(1 << card)
            truth.append(Play(seat, card))
            places = dict.fromkeys(places, ()) if number % len(SEATS) == 0 else places
            places[f"{REGION}{seat}"] = (FACES[card],)
            self.look(table, places, number + 1)
            while table.state.deal == 1 and (table.state.checks or len(table.state.plays) == number):
                misread |= _differing(table.state, truth)
                if table.state.checks:
                    self.counted["asked"] += 1
                    asked = truth[table.state.checks[0]]
                    table.say(asked.seat, "was", VALUES[asked.card])
                elif number and table.state.seat != seat:
                    hands[seat] |= 1 << truth.pop().card  # after a correction another has taken the trick
                    break
                else:
                    self.counted["told"] += 1
                    table.say(seat, *(("play", VALUES[card]) if number else ("open",)))
            misread |= _differing(table.state, truth)
        events = [event for entry in table.referee.journal.entries for event in entry.events]
        ruled = Counter(map(kind_of, events))
        before = takewhile(lambda event: not isinstance(event, DealScored), events)
        silent = _differing(reduce(RULES.evolve, before, Table(opens=None).state), truth)
        questions = any(ruled[kind] for kind in ("CheckAsked", "CardTwice", "CardsDisagree"))
        self.counted.update(deals=1, cards=len(truth), misread=len(misread), silent=len(silent))
        self.counted.update(proved=ruled["RevokeProved"], void=ruled["MisdealFound"], questioned=questions)


def _differing(state: HeartsState, truth: list[Play]) -> set[int]:
    """The plays that are booked as another card."""
    return {number for number, play in enumerate(state.plays) if play != truth[number]}


class DrawnDeals(Deals):
    """Under a drawn camera, each card as people lay it."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        setup = Setup(tuple(SEATS), RULES.options())
        self._mat = DrawnMat(RULES, setup, self.chance, np.random.default_rng(seed))
        self._at = 0

    def look(self, table: Table, places: Places, plays: int) -> None:
        for _ in range(MOST_LOOKS):
            self._at += WATCHFUL_INTERVAL
            seen = self._mat.watcher.step(self._mat.render(places), self._at)
            if seen is not None:
                seen = ob.TableSeen(at=table.at + SECOND, regions=seen.regions)
                table.see(discard_doubtful(RULES, table.state, seen))
            if len(table.state.plays) == plays or table.state.checks or table.state.deal > 1:
                return


class MisreadDeals(Deals):
    """Read at once, at a confidence of .98, but for some cards that are read as others or not at all."""

    def __init__(self, seed: int, misread: float, unread: float = 0.05) -> None:
        super().__init__(seed)
        self._misread, self._unread = misread, unread
        self._lying: Places = {}

    def look(self, table: Table, places: Places, plays: int) -> None:
        new = [name for name, cards in places.items() if self._lying.get(name) != cards]
        self._lying = dict(places)
        regions = tuple(ob.RegionReading(name, tuple(map(self._read, places[name])), 0, 0) for name in new)
        table.see(discard_doubtful(RULES, table.state, ob.TableSeen(at=table.at + SECOND, regions=regions)))

    def _read(self, face: str) -> ob.SeenCard:
        drawn = self.chance.random()
        if drawn < self._misread:
            face = self.chance.choice([other for other in FACES if other != face])
        return ob.SeenCard(ob.UNKNOWN if drawn > 1 - self._unread else face, 0, 0.98)


def check_drawn(many: int, tricks: int = 13) -> None:
    """Of the cards .995 are booked without a word, and none is booked wrongly in silence."""
    deals = DrawnDeals(1)
    for _ in range(many):
        deals.play(tricks)
        print(dict(deals.counted), flush=True)
    told = deals.counted
    assert (told["silent"], told["proved"], told["void"]) == (0, 0, 0)
    assert told["told"] + told["misread"] <= 0.005 * told["cards"]


@pytest.mark.slow
def test_cards_are_booked_to_whom_they_belong_without_a_word() -> None:
    check_drawn(2, tricks=2)


@pytest.mark.long
def test_of_two_hundred_deals_nearly_all_cards_are_booked_without_a_word() -> None:
    check_drawn(200)


@pytest.mark.slow
@pytest.mark.parametrize(("misread", "most"), [(1 / 1_000, 0.05), (1 / 50, 1.0)])
def test_nobody_is_accused_for_what_the_camera_read_wrong(misread: float, most: float) -> None:
    """`most`: the share of deals in which more is asked than unread cards; by chance a few more."""
    deals = MisreadDeals(1, misread)
    for _ in range(examples(4_000, 10 * RARE)):
        deals.play()
    told = deals.counted
    print(dict(told))
    assert (told["proved"], told["void"]) == (0, 0)
    expected = most * told["deals"]
    assert told["questioned"] <= expected + 2 * sqrt(expected)
