"""Standings of an event, with ties broken in a stated order (`club/README.md`).

A win in a pod of five is worth five points, a shared one is divided, and a pod that nobody won gives each one
point. So a pod gives as many points as it has people, and nobody gains by the size of a pod. A bye gives one
point, which is what a pod gives on average. A round that somebody missed gives nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

Player = int


class PlayedPod(NamedTuple):
    """People who played one game together."""

    players: tuple[Player, ...]
    winners: tuple[Player, ...] | None
    """None: it is not over; empty: nobody won."""


class PlayedRound(NamedTuple):
    pods: tuple[PlayedPod, ...]
    byes: tuple[Player, ...] = ()


class StandingsLine(NamedTuple):
    """One player's line. Ties are broken by the fields after `points`, in their order."""

    rank: int
    """From 1; the same for people whom no tie-break separates."""
    player: Player
    points: Fraction
    wins: Fraction
    """Games won; of a shared win its share."""
    strength: Fraction
    """What those met have on average, in points a round: who met stronger people is ahead."""
    byes: int
    """Fewer are ahead."""
    played: int
    """Games that are over."""


def points_per_winner(pod: PlayedPod) -> Fraction:
    """What each winner of a finished pod gets, or everybody where nobody won."""
    return Fraction(len(pod.players), len(pod.winners or pod.players))


def compute_standings(players: Iterable[Player], rounds: Sequence[PlayedRound]) -> tuple[StandingsLine, ...]:
    """The table of an event, leader first; people on one rank in the order of their numbers."""
    everybody = dict.fromkeys(players)
    points: defaultdict[Player, Fraction] = defaultdict(Fraction)
    wins: defaultdict[Player, Fraction] = defaultdict(Fraction)
    met: defaultdict[Player, list[Player]] = defaultdict(list)
    played: defaultdict[Player, int] = defaultdict(int)
    byes: defaultdict[Player, int] = defaultdict(int)
    for one in rounds:
        for player in one.byes:
            byes[player] += 1
            points[player] += 1
        for pod in one.pods:
            if pod.winners is None:
                continue
            for player in pod.players:
                played[player] += 1
                met[player] += [other for other in pod.players if other != player]
                if not pod.winners or player in pod.winners:
                    points[player] += points_per_winner(pod)
            for player in pod.winners:
                wins[player] += Fraction(1, len(pod.winners))
    each = {
        player: points[player] / (played[player] + byes[player])
        if played[player] + byes[player]
        else Fraction()
        for player in everybody | dict.fromkeys(met)
    }
    strength = {
        player: sum((each[other] for other in met[player]), Fraction()) / max(1, len(met[player]))
        for player in everybody
    }

    def key(player: Player) -> tuple[Fraction, Fraction, Fraction, int]:
        return -points[player], -wins[player], -strength[player], byes[player]

    lines: list[StandingsLine] = []
    for place, player in enumerate(sorted(everybody, key=lambda one: (key(one), one)), start=1):
        rank = lines[-1].rank if lines and key(lines[-1].player) == key(player) else place
        lines.append(
            StandingsLine(
                rank, player, points[player], wins[player], strength[player], byes[player], played[player]
            )
        )
    return tuple(lines)
