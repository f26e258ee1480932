"""Kinapa with a BOT on a tiny deck: the reckoning against every deal and hidden choice counted one by one.

Two people and one BOT with two cards each: the numbers 1 to 3. No table is laid so, but nothing that is
reckoned depends on how large it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import permutations, product

import numpy as np
import pytest
from msgspec.structs import replace

from companion.core.actions import Setup
from companion.core.events import Event
from companion.core.game_status import GameStatus
from companion.games.kinapa.belief import KinapaBelief, KinapaPlayModel
from companion.games.kinapa.rules import model
from companion.games.kinapa.rules.model import KinapaOptions, KinapaPhase, KinapaState, SeatState, Slot, Turn
from companion.games.kit.world import PlayStyle
from tests.games.calibration import brier, played
from tests.thorough import some

BOT, CARDS, SIZE = 2, 6, 20_000
H = KinapaPlayModel()
Deal = tuple[int, ...]
"""Card → seat; the animals are the even cards."""
Bold = tuple[bool, bool]
Kept = tuple[Deal, int, Bold]
"""A deal, the card last received, and who is bold."""


def state(
    phase: KinapaPhase, *, crown: int = 0, number: int = 0, label: str = "", lowest: int = 1
) -> KinapaState:
    return KinapaState(
        setup=Setup((0, 1), KinapaOptions()),
        desk=GameStatus(),
        seats=(SeatState(),) * 3,
        slots=(Slot(),) * 4,
        phase=phase,
        emperor=crown,
        turn=Turn(number=number, label=label),
        decks=(0, 1, 2),
        laid=((), ()),
        lowest=lowest,
    )


class Counted:
    """The same history, by the words of the rules: every deal, every unseen card, every kind of person."""

    def __init__(self) -> None:
        kept = [
            (deal, -1, bold)
            for deal in set(permutations((0, 0, 1, 1, 2, 2)))
            for bold in product((False, True), repeat=2)
        ]
        self.odds: dict[Kept, float] = dict.fromkeys(kept, 1 / len(kept))

    def _each(self, step: Callable[[Deal, int, Bold], Iterator[tuple[Deal, int, float]]]) -> None:
        after: dict[Kept, float] = defaultdict(float)
        for (deal, got, bold), odds in self.odds.items():
            for new, received, share in step(deal, got, bold):
                after[new, received, bold] += odds * share
        total = sum(after.values())
        self.odds = {one: odds / total for one, odds in after.items() if odds}

    def weigh(self, likely: Callable[[Deal, Bold], float]) -> None:
        self._each(lambda deal, got, bold: iter([(deal, got, likely(deal, bold))]))

    def answers(self, *, true: Callable[[Deal], bool]) -> None:
        self.weigh(lambda deal, _: H.answers if true(deal) else 1 - H.answers)

    def hear(self, before: KinapaState, event: Event) -> None:
        crown, number = before.emperor, before.turn.number
        cards = (2 * number - 2, 2 * number - 1)
        match event:
            case model.AnimalMissing():
                self.weigh(lambda deal, _: float(deal[2 * event.number - 2] == BOT))
            case model.EmperorCrowned() if before.phase is KinapaPhase.STARTING:
                self.weigh(lambda deal, _: float(deal[2 * before.lowest - 2] == event.seat))
            case model.DecksSwitched():
                there = {event.seat: event.bot, event.bot: event.seat}
                self._each(
                    lambda deal, got, _: iter([(tuple(there.get(seat, seat) for seat in deal), got, 1.0)])
                )
            case model.NumberAnnounced():
                self.weigh(lambda deal, _: wants(deal, crown, event.number))
            case model.HandsLocked():
                for seat in {0, 1} - {crown}:  # an aid tells nothing
                    up = seat in event.raised
                    self.weigh(lambda deal, bold, s=seat, u=up: raises(deal, bold, s, cards, up=u))
            case model.PairDenied():
                self.answers(true=lambda deal: [deal[card] for card in cards].count(crown) < 2)
            case model.NumberAdmitted():
                self.answers(true=lambda deal: event.seat in [deal[card] for card in cards])
            case model.NumberDenied():
                self.answers(true=lambda deal: event.seat not in [deal[card] for card in cards])
            case model.KinapaCardDrawn():
                self._each(lambda deal, _, __: passed(deal, event.seat, crown, range(CARDS)))
            case model.CardHanded():
                self._each(lambda deal, _, __: passed(deal, event.seat, crown, cards))
            case model.CardReturned():
                self._each(lambda deal, got, _: given_back(deal, got, crown, event.seat))
            case model.ObjectHidden():
                self.weigh(
                    lambda deal, _: (
                        1 - H.lays
                        if any(deal[2 * n - 2] == deal[2 * n - 1] == crown for n in (1, 2))
                        else 1.0
                    )
                )

    def chance(self, seat: int, number: int) -> float:
        cards = (2 * number - 2, 2 * number - 1)
        return sum(
            odds for (deal, _, __), odds in self.odds.items() if seat in [deal[card] for card in cards]
        )


def wants(deal: Deal, crown: int, number: int) -> float:
    single = [one for one in (1, 2, 3) if (deal[2 * one - 2] == crown) != (deal[2 * one - 1] == crown)]
    if not single:
        return 1 / 3
    return H.wants / len(single) * (number in single) + (1 - H.wants) / 3


def raises(deal: Deal, bold: Bold, seat: int, cards: tuple[int, int], *, up: bool) -> float:
    has = seat in [deal[card] for card in cards]
    share = (H.bold if bold[seat] else H.shy) if has else H.raises
    return share if up else 1 - share


def passed(deal: Deal, giver: int, taker: int, among: object) -> Iterator[tuple[Deal, int, float]]:
    there = [card for card in among if deal[card] == giver]  # type: ignore[attr-defined]
    for card in there:
        yield (*deal[:card], taker, *deal[card + 1 :]), card, 1 / len(there)


def given_back(deal: Deal, got: int, crown: int, seat: int) -> Iterator[tuple[Deal, int, float]]:
    there = [card for card in range(CARDS) if deal[card] == crown and card != got]
    liked = [(1 - H.keeps) / H.keeps if deal[card ^ 1] == crown else 1.0 for card in there]
    for card, like in zip(there, liked, strict=True):
        yield (*deal[:card], seat, *deal[card + 1 :]), -1, like / sum(liked)


START: list[tuple[KinapaState, Event]] = [
    (state(KinapaPhase.STARTING), model.AnimalMissing(1, 2)),
    (state(KinapaPhase.STARTING, lowest=2), model.EmperorCrowned(1)),
]


def counts(
    crown: int, number: int, up: tuple[int, ...], down: tuple[int, ...]
) -> list[tuple[KinapaState, Event]]:
    return [
        (state(KinapaPhase.ANNOUNCING, crown=crown), model.NumberAnnounced(number, 0)),
        (state(KinapaPhase.COUNTING, crown=crown, number=number), model.HandsLocked(up, down)),
        (state(KinapaPhase.PAIRING, crown=crown, number=number), model.PairDenied(KinapaPhase.CHOOSING)),
    ]


def turn(crown: int, number: int, *events: Event) -> list[tuple[KinapaState, Event]]:
    return [
        (state(KinapaPhase.SEARCHING, crown=crown, number=number, label="1-2"), event) for event in events
    ]


DEMAND = turn(
    1,
    2,
    model.NumberDenied(0),
    model.NumberAdmitted(BOT),
    model.CardHanded(BOT, 2),
    model.CardReturned(BOT),
    model.ObjectHidden(1),
)
BLIND = turn(1, 3, model.KinapaCardDrawn(BOT), model.CardReturned(BOT), model.ObjectHidden(1))
LATER = turn(
    0, 1, model.NumberDenied(BOT), model.NumberAdmitted(1), model.CardHanded(1, 1), model.CardReturned(1)
)
HISTORIES = {
    "the lowest animal": START,
    "a blind draw from the BOT": [*START, *counts(1, 3, (), (0, BOT)), *BLIND],
    "a demand that the BOT answers": [*START, *counts(1, 2, (BOT,), (0,)), *DEMAND],
    "a Switch, and what a person knew lies under the aid": [
        *START,
        *counts(1, 2, (BOT,), (0,)),
        *DEMAND,
        (state(KinapaPhase.SWITCHING, crown=1), model.DecksSwitched(0, BOT)),
        (state(KinapaPhase.SWITCHING, crown=1), model.EmperorCrowned(0)),
        *counts(0, 1, (1,), (BOT,)),
        *LATER,
    ],
}


@pytest.mark.parametrize("name", HISTORIES)
def test_with_a_bot_the_sample_says_what_counting_every_deal_says(name: str) -> None:
    reckoning, counted = KinapaBelief(3, hand=2, size=SIZE, seed=5), Counted()
    for before, event in HISTORIES[name]:
        reckoning.observe_event(before, event)
        counted.hear(before, event)
    for moves in (0, 40):  # courses that were changed again and again say the same
        reckoning.sample.mix_particles(moves)
        table = reckoning.card_probabilities()
        for seat, number in product(range(3), (1, 2, 3)):
            exact = counted.chance(seat, number)
            assert table[seat, number - 1] == pytest.approx(exact, abs=0.02), (seat, number, moves)


def test_courses_that_were_changed_keep_every_hand_its_size_and_every_card_seen_its_place() -> None:
    reckoning = KinapaBelief(3, hand=2, size=500, seed=1)
    for before, event in HISTORIES["a demand that the BOT answers"]:
        reckoning.observe_event(before, event)
    reckoning.sample.mix_particles(100)
    likely = reckoning.sample.weights > 1e-6
    stages, moved = reckoning.sample.stages[:, :, likely], reckoning.sample.moved_cards[:, likely]
    assert likely.sum() > 200
    assert (stages[0, 0] == BOT).all()  # cat 1 was asked for in vain
    assert (stages[0, 2] == 1).all()
    for before_, after, card in zip(stages[:-1], stages[1:], moved[:-1], strict=True):
        went = before_ != after
        assert (went.sum(axis=0) == 1).all()
        assert (went.argmax(axis=0) == card).all()
    assert all(((stages[-1] == seat).sum(axis=0) == 2).all() for seat in range(3))


def test_a_card_that_nobody_could_have_is_put_right_instead_of_losing_every_course() -> None:
    reckoning = KinapaBelief(3, hand=2, size=100, seed=1)
    reckoning.see_cards(1, ("animal:1",))
    reckoning.see_cards(2, ("animal:1",))
    assert (reckoning.sample.current[0] == 2).all()
    assert all(((reckoning.sample.current == seat).sum(axis=0) == 2).all() for seat in range(3))


def test_the_same_seed_reckons_the_same() -> None:
    tables = []
    for _ in range(2):
        reckoning = KinapaBelief(3, hand=2, size=300, seed=9)
        for before, event in HISTORIES["a blind draw from the BOT"]:
            reckoning.observe_event(before, event)
        tables.append(reckoning.card_probabilities())
    assert np.array_equal(*tables)


def test_two_people_switch_because_cat_1_is_in_neither_hand() -> None:
    """K-T20: after both Switched it is in a hand, and nobody knows in which."""
    reckoning = KinapaBelief(4, size=20_000, seed=2)
    before = replace(state(KinapaPhase.STARTING), seats=(SeatState(),) * 4, decks=(0, 1, 2, 3))
    for event in (model.DecksSwitched(0, 2), model.DecksSwitched(1, 3)):
        reckoning.observe_event(before, event)
    at = reckoning.sample
    assert at.weights @ np.isin(at.current[0], (0, 1)) == pytest.approx(1.0)
    assert at.weights @ (at.current[0] == 0) == pytest.approx(0.5, abs=0.03)


def test_whoever_looks_into_a_deck_knows_it_and_it_stays_known_where_it_goes() -> None:
    reckoning = KinapaBelief(4, size=2_000, seed=3)
    under = ("animal:2", "shelter:5", "animal:7", "shelter:8")
    reckoning.learn_hand(0, ("animal:1", "shelter:1", "animal:3", "shelter:4"))
    reckoning.see_cards(2, under)
    assert sorted(np.flatnonzero(reckoning.card_probabilities()[2] > 0.999) + 1) == [2, 5, 7, 8]
    reckoning.observe_event(state(KinapaPhase.SWITCHING), model.DecksSwitched(0, 2))
    table = reckoning.card_probabilities()
    assert sorted(np.flatnonzero(table[0] > 0.999) + 1) == [2, 5, 7, 8]
    assert sorted(np.flatnonzero(table[2] > 0.999) + 1) == [1, 3, 4]
    sizes = [(reckoning.sample.current == seat).sum(axis=0) for seat in range(4)]
    assert all((size == 4).all() for size in sizes)


def test_a_look_into_an_untouched_deck_says_what_counting_says_of_the_others() -> None:
    """Seat 1 leaves its hand down for 3, then the BOT is seen to hold both other numbers."""
    reckoning = KinapaBelief(3, hand=2, size=SIZE, seed=4)
    counted = Counted()
    history = [(state(KinapaPhase.COUNTING, crown=0, number=3), model.HandsLocked((), (1, BOT)))]
    for before, event in history:
        reckoning.observe_event(before, event)
        counted.hear(before, event)
    reckoning.see_cards(BOT, ("animal:1", "animal:2"))
    counted.weigh(lambda deal, _: float(deal[0] == deal[2] == BOT))
    table = reckoning.card_probabilities()
    for seat, number in product((0, 1), (1, 2, 3)):
        assert table[seat, number - 1] == pytest.approx(counted.chance(seat, number), abs=0.06)


def test_which_card_moved_is_known_to_whoever_saw_it() -> None:
    reckoning = KinapaBelief(3, hand=2, size=SIZE, seed=6)
    for before, event in HISTORIES["the lowest animal"]:
        reckoning.observe_event(before, event)
    reckoning.observe_event(state(KinapaPhase.DRAWING, crown=1), model.KinapaCardDrawn(BOT), "shelter:3")
    reckoning.observe_event(state(KinapaPhase.RETURNING, crown=1), model.CardReturned(BOT), "animal:2")
    table = reckoning.card_probabilities()
    assert (table[1, 2], table[BOT, 1]) == pytest.approx((1.0, 1.0))
    assert table[BOT, 0] == pytest.approx(1.0)  # cat 1 never left it


@pytest.mark.parametrize(("players", "bot"), some([(2, False), (3, False), (5, False), (4, True)]))
def test_whole_games_say_more_than_none(players: int, bot: bool) -> None:
    styles = [PlayStyle.LAWFUL, PlayStyle.BLUFFING] * 3
    games = [
        list(played("kinapa", players, seed, styles[:players], bot=bot, size=240, moves=12))
        for seed in range(4)
    ]
    error, blind = brier(games)
    assert error < 0.95 * blind
    seats = {2: 4, 3: 4}.get(players, 5)
    assert all(len(game) % seats == 0 for game in games)
