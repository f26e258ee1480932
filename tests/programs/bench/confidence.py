"""`python -m tests.programs.bench.confidence [--fit] [--readings N] [--data FOLDER]`: is a reading as sure
as it says?

Frames of the generator at its hardest setting, from three decks: the plain ones that come with the program
(photographed print against enrolment pictures) and one drawn here whose cards are much alike. Of each deck a
quarter of the cards, another one every time, is left out of enrolment and lies on the table as strangers.
`--fit` prints the constant for `companion/vision/acceptance.py`, fitted to other frames than the table shows.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.observations import UNKNOWN
from companion.referee.reading_threshold import MIN_INFRACTION_PROBABILITY, MIN_LEGAL_PROBABILITY
from companion.system import asset_paths
from companion.vision.acceptance import DEFAULT_CURVE, ProbabilityCurve
from companion.vision.decks import build_deck, read_card_pictures
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import overlap_share
from companion.vision.recogniser import Recogniser
from companion.vision.renderer import Textures, simulate_print
from tests.intervals import wilson
from tests.programs.bench.figures import Row
from tests.programs.bench.kept import Kept, fingerprint
from tests.programs.bench.vision import HELD_OUT, share_of
from tests.vision.generator import Lying, make_frame

Picture = NDArray[np.uint8]
Cards = Mapping[str, Picture]
Reading = tuple[str, float, bool, bool]
"""Deck, chance told, whether it was right, and whether it is of a place where no enrolled card lies."""
FIT, TEST = 20, 21
"""Seeds: what is fitted never sees what is shown."""
FRAMES_A_DECK = 25
"""Frames until another quarter is left out."""
A_TURN = 200
"""Readings after which the next deck takes its turn."""
STEPS = (0.0, 0.5, 0.9, 0.95, 0.98, 0.99, 0.995, 1.01)
STRAIGHT = ProbabilityCurve((0.0, 1.0), (1.0, 0.0))
"""Tells the doubt itself, as 1 - doubt: what a fit starts from."""


def alike() -> Cards:
    """A deck of 32 whose cards differ in a rank or a small sign only."""
    ink = {"disc": (30, 30, 30), "box": (30, 30, 30), "drop": (40, 40, 200), "kite": (40, 40, 200)}
    deck = {}
    for suit, colour in ink.items():
        for rank in "23456789":
            card = np.full((272, 176, 3), 250, np.uint8)
            cv2.rectangle(card, (0, 0), (175, 271), (90, 90, 90), 3)
            cv2.putText(card, rank, (38, 178), cv2.FONT_HERSHEY_DUPLEX, 4.6, colour, 12)
            _sign(card, suit, colour)
            deck[f"{suit}:{rank}"] = card
    return deck


def _sign(card: Picture, suit: str, ink: tuple[int, int, int]) -> None:
    match suit:
        case "disc":
            cv2.circle(card, (34, 40), 16, ink, -1)
        case "box":
            cv2.rectangle(card, (19, 25), (49, 55), ink, -1)
        case "drop":
            cv2.fillPoly(card, [np.array([[34, 20], [53, 58], [15, 58]])], ink)
        case _:
            cv2.fillPoly(card, [np.array([[34, 18], [51, 41], [34, 64], [17, 41]])], ink)


def decks() -> Iterator[tuple[str, Cards, Cards]]:
    """(name, pictures for enrolling, pictures that lie on the table); they share no pixel."""
    for folder in sorted((asset_paths.bundled_assets_folder() / "decks").iterdir()):
        if (folder / "textures.toml").exists():
            yield folder.name, dict(read_card_pictures(folder / "enrol")), Textures.load(folder).cards
    rng = np.random.default_rng(5)
    drawn = alike()
    yield "alike", drawn, {card: simulate_print(picture, rng, cut=2.0) for card, picture in drawn.items()}


def readings(
    count: int, seed: int, curve: ProbabilityCurve, kept: Kept | None = None, *, tell: bool = False
) -> Iterator[Reading]:
    """At least `count` readings of all decks, which take turns."""
    known = list(decks())
    each = -(-count // len(known))
    kept = kept or Kept(None, "", "")
    benches = [
        _Read(
            name,
            shown,
            lying,
            kept=replace(kept, name=f"{kept.name}-{name}"),
            seed=(seed, number),
            curve=curve,
        )
        for number, (name, shown, lying) in enumerate(known)
    ]
    for until in [*range(A_TURN, each, A_TURN), each]:
        for bench in benches:
            bench.read(until)
        if tell:
            found = [reading for bench in benches for reading in bench.found]
            print(f"\n{len(found)} readings\n{table(found)}", flush=True)
    for bench in benches:
        yield from bench.found


class _Read:
    """One deck of which a quarter lies on the table as strangers: the readings so far."""

    def __init__(
        self,
        name: str,
        shown: Cards,
        lying: Cards,
        *,
        kept: Kept,
        seed: tuple[int, int],
        curve: ProbabilityCurve,
    ) -> None:
        self._name, self._shown, self._lying, self._kept, self._curve = name, shown, lying, kept, curve
        counts, self._rng = kept.load(seed)
        self.found: list[Reading] = [
            (str(deck), float(told), bool(right), bool(stranger))
            for deck, told, right, stranger in counts.get("found", ())
        ]

    def read(self, until: int) -> None:
        """Reads frames until there are so many readings, and keeps them."""
        while len(self.found) < until:
            self._turn()
            self._kept.save({"found": self.found}, self._rng)

    def _turn(self) -> None:
        names = sorted(set(self._shown) & set(self._lying))
        absent = set(self._rng.choice(names, size=len(names) // 4, replace=False).tolist())
        enrolled = build_deck((n, self._shown[n]) for n in names if n not in absent)
        recogniser = Recogniser(enrolled, self._curve)
        cards = {n: self._lying[n] for n in names if n not in absent}
        strangers = [self._lying[n] for n in sorted(absent)]
        for _ in range(FRAMES_A_DECK):
            frame = make_frame(cards, self._rng, strangers=strangers)
            for seen in recogniser.recognise(frame.picture):
                if seen.card != UNKNOWN:
                    there = any(overlap_share(seen.corners, card.corners) > 0.5 for card in frame.cards)
                    right = is_right(seen, frame.cards, self._lying)
                    self.found.append((self._name, seen.confidence, right, not there))


def is_right(seen: Sighting, cards: Sequence[Lying], faces: Cards) -> bool:
    """Whether this card lies there, the way up that was told (if its face shows one)."""
    for card in cards:
        if card.card == seen.card and overlap_share(card.corners, seen.corners) > 0.5:
            if looks_the_same_upside_down(faces[card.card]):
                return True
            away = np.linalg.norm(card.corners - seen.corners, axis=1).mean()
            turned = np.linalg.norm(card.corners - np.roll(seen.corners, 2, axis=0), axis=1).mean()
            return bool(away < turned)
    return False


def looks_the_same_upside_down(face: Picture) -> bool:
    small = cv2.GaussianBlur(face, (0, 0), 3).astype(np.float32)
    return float(np.abs(small - small[::-1, ::-1]).max()) < 60.0


def photographs(folder: Path) -> Iterator[tuple[str, float, bool, bool]]:
    """The readings on the labelled photographs of `make bench-vision` but those held out; way up if told."""
    held_out = json.loads(HELD_OUT.read_text())["held_out"]
    for one in sorted(path for path in (folder / "sets").iterdir() if (path / "labels.json").exists()):
        references = []
        for path in sorted((one / "refs").iterdir()):
            picture = cv2.imread(str(path))
            if picture is not None:
                references.append((path.stem, np.asarray(picture, np.uint8)))
        recogniser = Recogniser(build_deck(references))
        for name, label in sorted(json.loads((one / "labels.json").read_text()).items()):
            photo = cv2.imread(str(one / "photos" / name))
            if photo is None or label["split"] != "dev" or name in held_out.get(one.name, ()):
                continue
            cards = label.get("cards", []) if label["kind"] == "pos" else []
            for seen in recogniser.recognise(np.asarray(photo, np.uint8)):
                answer = None if seen.card == UNKNOWN else _agrees(seen, cards)
                if answer is not None:
                    yield one.name, seen.confidence, answer, False


def _agrees(seen: Sighting, cards: Sequence[Mapping[str, object]]) -> bool | None:
    """Whether the label says so too; None where it says not to count."""
    for card in cards:
        if card["corners"] is None:
            if card["card"] == seen.card:
                return None if card.get("ignore") else True
            continue
        where = np.asarray(card["corners"], np.float32)
        if overlap_share(where, seen.corners) > 0.5:
            if card.get("ignore"):
                return None
            nearest = int(np.linalg.norm(where - seen.corners[0], axis=1).argmin())
            if card["card"] == seen.card:
                return bool(card.get("sym")) or nearest == 0
    return False


def table(found: Sequence[tuple[str, float, bool, bool]]) -> str:
    """Told against true, step by step."""
    lines = [f"{'told':>14}  {'readings':>8}  {'wrong':>5}  right"]
    for low, high in pairwise(STEPS):
        inside = [right for _, told, right, _ in found if low <= told < high]
        if inside:
            share = share_of(sum(inside), len(inside))
            span = f"{low:.3f} to {min(1.0, high):.3f}"
            lines.append(f"{span:>14}  {len(inside):>8}  {len(inside) - sum(inside):>5}  {share}")
    for use, least in (("ruled on", MIN_LEGAL_PROBABILITY), ("to accuse", MIN_INFRACTION_PROBABILITY)):
        above = [right for _, told, right, _ in found if told >= least]
        wrong, asked = share_of(len(above) - sum(above), len(above)), len(found) - len(above)
        lines.append(f"{use}, {least} or more: wrong {wrong}; asked for: {asked} of {len(found)}")
    return "\n".join(lines)


def rows(count: int = 600) -> Iterator[Row]:
    """For `make bench`: few readings; the whole table takes minutes."""
    found = list(readings(count, TEST + 1, DEFAULT_CURVE))
    sure = [right for _, told, right, _ in found if told >= 0.99]
    wrong = len(sure) - sum(sure)
    yield Row(
        figure="wrong among readings told at 0.99 or more",
        value=100 * wrong / max(1, len(sure)),
        unit="%",
        aim="≤ 1 %",
        met=wrong * 100 <= len(sure),
        note=f"{wrong} of {len(sure)} sure readings of {len(found)} in all, generator's hardest setting",
    )


def fitted(readings: Iterable[tuple[float, bool]], *, fewest: int = 30) -> ProbabilityCurve:
    """A curve from (doubt, was it right) pairs.

    Each bin takes half of the readings that are left, down to `fewest`, so that those nearest to the limits,
    where nearly all wrong ones are, have bins of their own; neighbours are joined until the share of right
    ones falls with doubt (pool adjacent violators: Ayer and others, 1955). The chance told is the lower end
    of each bin's interval, so a few readings never give certainty. Raises `ValueError` where there are fewer
    pairs than `fewest`.
    """
    ordered = np.array(sorted(readings), float)
    if len(ordered) < fewest:
        raise ValueError(f"{len(ordered)} readings are too few to fit a curve")
    halves = np.ceil(len(ordered) * 0.5 ** np.arange(1, 1 + np.log2(len(ordered) / fewest))).astype(int)
    bins = np.split(ordered, len(ordered) - halves)
    pooled: list[tuple[float, float, list[float]]] = []
    for part in bins:
        middle = float(np.median(part[:, 0]))
        good, of, doubts = float(part[:, 1].sum()), float(len(part)), [middle]
        while pooled and pooled[-1][0] / pooled[-1][1] <= good / of:
            before = pooled.pop()
            good, of, doubts = good + before[0], of + before[1], [*before[2], *doubts]
        pooled.append((good, of, doubts))
    # A joined bin keeps its two ends, so that the curve is level within it.
    points: list[tuple[float, float]] = []
    level = 1.0
    for good, of, doubts in pooled:
        level = min(level, wilson(good, of)[0])
        points += [(at, level) for at in dict.fromkeys((doubts[0], doubts[-1]))]
    return ProbabilityCurve(
        tuple(round(at, 4) for at, _ in points), tuple(round(chance, 4) for _, chance in points)
    )


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.programs.bench.confidence", description=__doc__)
    parser.add_argument("--fit", action="store_true", help="fit the curve anew and judge that one")
    parser.add_argument("--readings", type=int, default=6000)
    parser.add_argument("--keep", type=Path, help="a folder for the counts: a run that was cut goes on there")
    parser.add_argument("--data", type=Path, help="the folder of make bench-vision: its photographs as well")
    options = parser.parse_args(argv)
    cv2.setNumThreads(1)
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
    curve = DEFAULT_CURVE
    if options.fit:
        kept = Kept(options.keep, "fit", fingerprint())
        numbers = [(1 - told, right) for _, told, right, _ in readings(options.readings, FIT, STRAIGHT, kept)]
        curve = fitted(numbers)
        print(f"fitted to {len(numbers)} readings, {sum(not right for _, right in numbers)} of them wrong:")
        print(f"CURVE = {curve}", flush=True)
    kept = Kept(options.keep, "test", f"{fingerprint()} {curve}")
    found = list(readings(options.readings, TEST, curve, kept))
    print(f"\nmade pictures, {len(found)} readings; other frames than any curve was fitted to")
    print(table(found))
    for deck in sorted({name for name, *_ in found}):
        wrong = [(told, stranger) for name, told, right, stranger in found if name == deck and not right]
        count, strangers = sum(name == deck for name, *_ in found), sum(s for _, s in wrong)
        print(f"  {deck}: {len(wrong)} of {count} wrong, {strangers} of them where no enrolled card lies")
    if options.data is not None:
        seen = list(photographs(options.data))
        print(f"\nphotographs, {len(seen)} readings")
        print(table(seen))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
