"""What the games of tricks need beside OpenSpiel: its deals by our names, kept ones, and the comparison."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from companion.games.kit.cards import RANKS, SUITS, VALUES

SPIEL_SUITS, SPIEL_RANKS = "CDHS", "23456789TJQKA"


class Ply(NamedTuple):
    """Who acts, what they may do, as OpenSpiel has it, and what was done."""

    seat: int
    lawful: tuple[str, ...]
    done: str


class PlayedDeal(NamedTuple):
    """One deal that OpenSpiel has played, cards by our names, bids as digits."""

    hands: tuple[tuple[str, ...], ...]
    """As they are when the first card is played."""
    plies: tuple[Ply, ...]
    points: tuple[int, ...]


def named(word: str) -> str:
    """OpenSpiel's `TH` as ours, `hearts|10`."""
    suit = next(suit for suit in SUITS if suit[0].upper() == word[1])
    return VALUES[SUITS.index(suit) * len(RANKS) + SPIEL_RANKS.index(word[0])]


def read_sample(path: Path) -> Iterator[PlayedDeal]:
    """Deals that `--record` kept, a line each."""
    for line in path.read_text(encoding="utf-8").splitlines():
        hands, plies, points = json.loads(line)
        lawful = (Ply(seat, tuple(may.split()), done) for seat, may, done in plies)
        yield PlayedDeal(tuple(tuple(hand.split()) for hand in hands), tuple(lawful), tuple(points))


def _to_line(played: PlayedDeal) -> str:
    hands = [" ".join(hand) for hand in played.hands]
    told = [[ply.seat, " ".join(ply.lawful), ply.done] for ply in played.plies]
    return json.dumps([hands, told, played.points], separators=(",", ":"))


def compare(
    game: str,
    words: Sequence[str] | None,
    play: Callable[[Random], PlayedDeal],
    difference: Callable[[PlayedDeal], str | None],
    *,
    plies: int,
    rare: tuple[str, Callable[[PlayedDeal], bool]],
) -> int:
    """Deals of so many plies each until as many as asked for are compared; 1 at the first difference.

    `rare`: what is counted among them, and whether a deal has it.
    """
    parser = argparse.ArgumentParser(prog="make oracle", description=f"{game} beside OpenSpiel's")
    parser.add_argument("--plies", type=int, default=1_000_000, help="so many are compared, at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", type=Path, help="keep the deals in this file, a line each")
    asked = parser.parse_args(words)
    many, chance = -(-asked.plies // plies), Random(asked.seed)
    counted, kept = 0, []
    for _ in range(many):
        played = play(chance)
        if (found := difference(played)) is not None:
            print(found)
            return 1
        counted += rare[1](played)
        if asked.record:
            kept.append(_to_line(played))
    if asked.record:
        asked.record.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    told = f"{many * plies:,} plies in {many:,} deals of OpenSpiel's {game}, {counted:,} of them {rare[0]}"
    print(f"{told}, seed {asked.seed}: 0 differences")
    return 0
