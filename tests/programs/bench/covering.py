"""Cards under cards that were not enrolled: `make bench-vision DATA=FOLDER ARGS=--covering`.

Two cards of a set are laid on a made table, the upper one over a part of the lower, shaken (`looks.SWAYING`).
Either of them, or neither, is in the deck, which is a partial one: each eighth of it is left out in turn. The
upper card may also be of another print. Whole pictures are read, as photographs are.

What must never happen is that a card is told as another. `--seed N` lays them otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.observations import UNKNOWN
from companion.vision.decks import build_deck
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import overlap_share
from companion.vision.pictures import read_picture
from companion.vision.recogniser import Recogniser
from tests.programs.bench.looks import SWAYING
from tests.programs.bench.strangers import CLOTHS, GROUPS
from tests.programs.bench.vision import share_of

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]
SIZE = 240
"""Pixels of a card's longer side, as in a photograph of a whole table."""
AROUND = 2.6
"""Sides of the picture, in sizes of a card."""
HIDDEN = (0.25, 0.7)
"""Least and greatest part of the lower card that the upper one hides."""
SAME_PLACE = 0.5
KINDS = {
    "enrolled under a sister left out": (True, False),
    "enrolled under another print": (True, None),
    "left out under an enrolled card": (False, True),
    "left out under a sister left out": (False, False),
    "enrolled under an enrolled card": (True, True),
}
"""Whether the lower and the upper card are in the deck; None: a card of another set."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What was said of two cards, one on the other."""

    kind: str
    where: str
    lower: str
    upper: str
    said: tuple[str, str]
    """Of the lower and of the upper card: a card, "unknown", or "" where nothing was reported."""
    wrong: tuple[str, ...]
    """Cards reported that do not lie there, with how they were judged."""


def outline(card: Picture, middle: Floats, turn: float, chance: np.random.Generator) -> Floats:
    """(4, 2): where a card of `SIZE` lies, turned by so many degrees, its corners a little off."""
    high, wide = card.shape[:2]
    half = np.array((wide, high)) * SIZE / max(high, wide) / 2
    by = np.deg2rad(turn)
    around = np.array([[np.cos(by), np.sin(by)], [-np.sin(by), np.cos(by)]])
    box = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half
    return np.asarray(box @ around + middle + chance.normal(0, 0.004 * SIZE, (4, 2)), np.float32)


def laid(table: Picture, card: Picture, corners: Floats) -> Picture:
    """The table with a card on it, and the faint shadow of its rim."""
    high, wide = card.shape[:2]
    shrink = SIZE / max(high, wide)
    size = (round(wide * shrink), round(high * shrink))
    small = cv2.resize(card, size, interpolation=cv2.INTER_AREA)
    flat = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32) - np.float32(0.5)
    to = cv2.getPerspectiveTransform(flat, corners)
    whole = table.shape[1::-1]
    there = cv2.warpPerspective(small, to, whole, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpPerspective(np.full(small.shape[:2], 255, np.uint8), to, whole) > 127
    shadow = cv2.GaussianBlur(mask.astype(np.float32), (0, 0), 2.0, borderType=cv2.BORDER_REPLICATE)
    shaded = table * (1 - 0.25 * np.roll(shadow, (1, 1), (0, 1)))[..., None]
    return np.asarray(np.where(mask[..., None], there, shaded), np.uint8)


def pictured(lower: Picture, upper: Picture, seed: str) -> tuple[Picture, Floats, Floats]:
    """A picture of a card partly under another, and the corners of both."""
    chance = np.random.default_rng(crc32(seed.encode()))
    side = round(AROUND * SIZE)
    table = np.full((side, side, 3), CLOTHS[int(chance.integers(len(CLOTHS)))], np.uint8)
    below = outline(lower, np.full(2, side / 2, np.float32), chance.uniform(-180, 180), chance)
    while True:
        apart = below.mean(axis=0) + SIZE * chance.uniform(-0.8, 0.8, 2)
        above = outline(upper, apart, chance.uniform(-180, 180), chance)
        inside = bool((above > 4).all() and (above < side - 4).all())
        if inside and HIDDEN[0] < _hidden(below, above, side) < HIDDEN[1]:
            break
    table = laid(laid(table, lower, below), upper, above)
    light, dark = chance.uniform(0.75, 1.1, 2)
    slope = np.linspace(light, dark, side)[None, :, None] * (1 + chance.normal(0, 0.04, (1, 1, 3)))
    return SWAYING.of(np.asarray(np.clip(table * slope, 0, 255), np.uint8), chance), below, above


def _hidden(below: Floats, above: Floats, side: int) -> float:
    """The part of one outline that another covers."""
    masks = [np.zeros((side, side), np.uint8) for _ in range(2)]
    for mask, corners in zip(masks, (below, above), strict=True):
        cv2.fillConvexPoly(mask, corners.round().astype(np.int32), 1)
    return float((masks[0] & masks[1]).sum() / masks[0].sum())


def told(
    seen: Sequence[Sighting], there: Sequence[tuple[str, Floats]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is said of each card that lies there, and what is said of none."""
    left = list(seen)
    said = []
    for card, corners in there:
        near = [one for one in left if overlap_share(one.corners, corners) > SAME_PLACE]
        best = next((one for one in near if one.card == card), None)
        if best is not None:
            left.remove(best)
        said.append(card if best is not None else UNKNOWN if any(o.card == UNKNOWN for o in near) else "")
    return tuple(said), tuple(f"{one.card} ({one.why})" for one in left if one.card != UNKNOWN)


def pairs(root: Path, sets: Sequence[str], seed: int) -> Iterator[Pair]:
    """Each card of each set as the lower one, in each of the `JOURNAL_KINDS`."""
    shown = {
        one: [(path.stem, read_picture(path)) for path in sorted((root / one / "refs").iterdir())]
        for one in sets
    }
    for one, cards in shown.items():
        others = [card for other, theirs in shown.items() if other != one for card in theirs]
        for group in range(min(GROUPS, len(cards))):
            absent = cards[group::GROUPS]
            rest = [card for at, card in enumerate(cards) if at % GROUPS != group]
            eye = Recogniser(build_deck(rest, complete=False))
            for kind, (below, above) in KINDS.items():
                chance = np.random.default_rng(crc32(f"{seed}:{one}:{group}:{kind}".encode()))
                for number in range(len(absent)):
                    name, lower = absent[number] if not below else rest[int(chance.integers(len(rest)))]
                    heap = {None: others, True: rest, False: absent}[above]
                    if not heap:  # no other set was named
                        continue
                    top, upper = heap[int(chance.integers(len(heap)))]
                    if top == name:
                        continue
                    picture, *corners = pictured(lower, upper, f"{seed}:{kind}:{name}:{top}")
                    known = [name if below else "-", top if above else "-"]
                    said, wrong = told(eye.recognise(picture), list(zip(known, corners, strict=True)))
                    yield Pair(kind, one, name, top, (said[0], said[1]), wrong)


def measure(root: Path, sets: Sequence[str], seed: int = 0) -> None:
    """Prints for each kind how many lower and upper cards are read, and what is told wrongly."""
    found = list(pairs(root, sets, seed))
    for kind, (below, above) in KINDS.items():
        some = [pair for pair in found if pair.kind == kind]
        print(
            f"{kind}, {len(some)} pairs: told wrongly {share_of(sum(bool(p.wrong) for p in some), len(some))}"
        )
        for which, known, at in (("lower", below, 0), ("upper", above, 1)):
            unknown = sum(pair.said[at] == UNKNOWN for pair in some)
            read = sum(pair.said[at] not in {"", UNKNOWN} for pair in some)
            print(
                f"  {which}: "
                + (f"read {share_of(read, len(some))}, " if known else "")
                + f"unknown {unknown}"
            )
    for pair in found:
        for wrong in pair.wrong:
            print(f"  {pair.kind}: {pair.where}, {pair.lower} under {pair.upper}: {wrong}")
