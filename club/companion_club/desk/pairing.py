"""Seeded drawing of pods with few repeated meetings, which anybody can check.

A draw depends on nothing but its arguments. Chance comes from `random.Random.random` alone, whose sequence
for a seed Python promises to keep; its other methods may change between versions.
"""

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import combinations
from typing import NamedTuple

from companion.core.errors import InputError

MIN_POD_SIZE, MAX_POD_SIZE = 3, 6
"""People in a pod."""
MAX_EXCHANGES = 300_000
"""Exchanges of two people that one draw looks at, at most."""
MAX_KICKS, KICK_SIZE = 80, 3
"""How often, and by how many exchanges at random, a draw leaves a place where no single exchange helps."""

Player = int
Pair = tuple[Player, Player]
"""The smaller number first."""


class PodSizes(NamedTuple):
    """How many people a pod may have, and how many are best."""

    smallest: int = MIN_POD_SIZE
    preferred: int = 4
    largest: int = MAX_POD_SIZE


class RoundDraw(NamedTuple):
    """One round's pods, each clockwise by chair, and who has a bye."""

    pods: tuple[tuple[Player, ...], ...]
    byes: tuple[Player, ...]


def check_sizes(sizes: PodSizes) -> PodSizes:
    """The same; `InputError` where no pod can have them."""
    if not MIN_POD_SIZE <= sizes.smallest <= sizes.preferred <= sizes.largest <= MAX_POD_SIZE:
        raise InputError(
            f"A pod has {MIN_POD_SIZE} to {MAX_POD_SIZE} players: "
            "smallest, preferred and largest in this order."
        )
    return sizes


def pod_sizes(people: int, sizes: PodSizes, tables: int | None = None) -> tuple[int, ...]:
    """The sizes of the pods, largest first; whom they leave out has a bye.

    Fewest byes first, then sizes near the preferred one, then more pods, so that more people play at once.
    """
    low, best, high = sizes
    most = people // low if tables is None else min(people // low, tables)
    offers = []
    for pods in range(1, most + 1):
        seated = min(people, pods * high)
        each, more = divmod(seated, pods)
        found = (each + 1,) * more + (each,) * (pods - more)
        offers.append((people - seated, sum(abs(size - best) for size in found), -pods, found))
    return min(offers)[-1] if offers else ()


def count_meetings(rounds: Iterable[Iterable[Sequence[Player]]]) -> dict[Pair, int]:
    """How often two people have sat in one pod, over rounds of pods."""
    met: dict[Pair, int] = {}
    for pods in rounds:
        for pod in pods:
            for pair in combinations(sorted(pod), 2):
                met[pair] = met.get(pair, 0) + 1
    return met


def draw_pods(
    people: Collection[Player],
    *,
    seed: str,
    sizes: PodSizes,
    met: Mapping[Pair, int],
    byes: Mapping[Player, int],
    order: Sequence[Player] = (),
    tables: int | None = None,
) -> RoundDraw:
    """The pods of a round.

    `met`: how often two people have sat together; `byes`: how often somebody had one; `order`: the standings,
    leader first, where people of like standing are to meet, and empty where they are not; `tables`: how many
    there are. Byes go to those who had the fewest, from the bottom of the order, else by lot.
    """
    chance = random.Random(seed)
    drawn = _shuffle(sorted(people), chance)
    places = {player: place for place, player in enumerate(order)}
    if order:
        drawn.sort(key=lambda player: places.get(player, len(places)))
    found = pod_sizes(len(drawn), check_sizes(sizes), tables)
    resting = set(_choose_byes(drawn, byes, len(drawn) - sum(found)))
    playing = iter([player for player in drawn if player not in resting])
    pods = [[next(playing) for _ in range(size)] for size in found]
    _PodSearch(pods, met, places, chance).run()
    return RoundDraw(
        tuple(tuple(_shuffle(sorted(pod), chance)) for pod in pods),
        tuple(player for player in drawn if player in resting),
    )


def _shuffle(people: Sequence[Player], chance: random.Random) -> list[Player]:
    """In an order by lot."""
    return [player for _, player in sorted((chance.random(), player) for player in people)]


def _choose_byes(drawn: Sequence[Player], byes: Mapping[Player, int], count: int) -> Iterator[Player]:
    """Who has a bye: those with the fewest so far, the last of them first."""
    last_first = list(drawn)
    last_first.reverse()
    last_first.sort(key=lambda player: byes.get(player, 0))
    yield from last_first[:count]


class _PodSearch:
    """Exchanges people of two pods for as long as that makes fewer repeats; in place."""

    def __init__(
        self,
        pods: list[list[Player]],
        met: Mapping[Pair, int],
        places: Mapping[Player, int],
        chance: random.Random,
    ) -> None:
        self._pods = pods
        self._met = met
        self._places = places
        self._chance = chance
        self._people = [player for pod in pods for player in pod]
        self._pod_of = {player: number for number, pod in enumerate(pods) for player in pod}
        self._exchanges_left = MAX_EXCHANGES

    def run(self) -> None:
        """Leave the pods with the fewest repeats that were found."""
        if len(self._pods) < 2:
            return
        self._improve()
        best, fewest = self._copy_pods(), self._total_cost()
        for _ in range(MAX_KICKS):
            if not fewest[0] or self._exchanges_left <= 0:
                break
            for _ in range(KICK_SIZE):
                self._exchange(self._random_player(), self._random_player())
            self._improve()
            strain = self._total_cost()
            if strain <= fewest:
                best, fewest = self._copy_pods(), strain
            else:
                self._restore_pods(best)
        self._restore_pods(best)

    def _improve(self) -> None:
        """Make the best exchange for each who meets somebody again, until none helps."""
        helped = True
        while helped and self._exchanges_left > 0:
            helped = False
            for player in self._people:
                if not self._costs(player, self._pod_of[player])[0]:
                    continue
                change, other = min(self._changes(player), default=((0, 0), player))
                if change < (0, 0):
                    self._exchange(player, other)
                    helped = True

    def _changes(self, player: Player) -> Iterator[tuple[tuple[int, int], Player]]:
        """What each exchange with somebody of another pod would change."""
        own = self._pod_of[player]
        here = self._costs(player, own)
        for other in self._people:
            there = self._pod_of[other]
            if there == own:
                continue
            self._exchanges_left -= 1
            now, then = self._costs(other, there), self._costs(player, there, other)
            back = self._costs(other, own, player)
            yield (
                (then[0] + back[0] - here[0] - now[0], then[1] + back[1] - here[1] - now[1]),
                other,
            )

    def _costs(self, player: Player, pod: int, instead_of: Player | None = None) -> tuple[int, int]:
        """Repeats of one player with a pod, a second one four times as bad as the first; and how far in
        standing they are apart."""
        again = apart = 0
        at = self._places.get(player, len(self._places))
        for other in self._pods[pod]:
            if other not in {player, instead_of}:
                again += self._met.get((player, other) if player < other else (other, player), 0) ** 2
                if self._places:
                    apart += abs(at - self._places.get(other, len(self._places)))
        return again, apart

    def _total_cost(self) -> tuple[int, int]:
        costs = [self._costs(player, pod) for player, pod in self._pod_of.items()]
        return sum(again for again, _ in costs), sum(apart for _, apart in costs)

    def _random_player(self) -> Player:
        return self._people[int(self._chance.random() * len(self._people))]

    def _exchange(self, one: Player, other: Player) -> None:
        here, there = self._pod_of[one], self._pod_of[other]
        if here != there:
            self._pods[here][self._pods[here].index(one)] = other
            self._pods[there][self._pods[there].index(other)] = one
            self._pod_of[one], self._pod_of[other] = there, here

    def _copy_pods(self) -> list[list[Player]]:
        return [list(pod) for pod in self._pods]

    def _restore_pods(self, kept: list[list[Player]]) -> None:
        for number, pod in enumerate(kept):
            self._pods[number][:] = pod
            self._pod_of.update(dict.fromkeys(pod, number))


def players_in_round(entered: Mapping[Player, tuple[int, int | None]], number: int) -> Set[Player]:
    """Who plays in a round: those who joined by then and have not left before.

    `entered`: the first round of each, and the first one without; None while somebody stays.
    """
    return {
        player
        for player, (first, gone) in entered.items()
        if first <= number and (gone is None or number < gone)
    }
