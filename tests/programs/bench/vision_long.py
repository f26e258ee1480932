"""`make bench-vision ARGS=--long`: thousands of made frames, for what a few photographs cannot show.

Four parts (`--parts` names some of them): the decks that come with the program under the generator's
middle setting and under its hardest; cards left out of enrolment; and whether a reading is as sure as
it says.
About an hour of one quiet core. The decks take turns, a hundred frames each, and each line is printed as soon
as it is known, so the counts of a run that was cut are of use; with `--keep` it goes on where it stopped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.observations import UNKNOWN
from companion.system import asset_paths
from companion.vision.acceptance import DEFAULT_CURVE
from companion.vision.camera_model import MIDDLE
from companion.vision.decks import Deck, build_deck
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import overlap_share
from companion.vision.recogniser import Recogniser
from companion.vision.renderer import Textures
from tests.programs.bench.confidence import TEST, Cards, decks, is_right, readings, table
from tests.programs.bench.kept import Kept, fingerprint
from tests.programs.bench.vision import share_of
from tests.vision.generator import Difficulty, Frame, make_frame

Picture = NDArray[np.uint8]
PARTS = ("middle", "hard", "left-out", "confidence")
FRAMES, STRANGERS, READINGS = 2000, 2000, 6000
BATCH, SAVED, TURNS = 100, 20, 25
"""Frames or cards after which the next deck takes its turn, and progress is told; frames after which it is
kept, and after which another quarter of the deck is left out."""
PLAIN = Difficulty(conditions=MIDDLE, piles=0.0, hands=0.0, clutter=2)
"""The middle setting: nothing lies on the cards, so each of them must be read."""
SEEDS = {"middle": 31, "hard": 32, "left-out": 33}


def shipped() -> Iterator[tuple[str, Deck, Cards]]:
    """(name, the deck's file, pictures of its printed cards) of each deck that comes with the program."""
    for folder in sorted((asset_paths.bundled_assets_folder() / "decks").iterdir()):
        if (folder / "textures.toml").exists():
            yield folder.name, Deck.load(folder / f"{folder.name}.deck"), Textures.load(folder).cards


def judged(frame: Frame, seen: Sequence[Sighting], faces: Cards) -> tuple[int, list[str], list[str]]:
    """(right, wrong, missed) of the cards of one frame; one at the edge of the picture need not be read."""
    told = [s for s in seen if s.card != UNKNOWN]
    wrong = [s for s in told if not is_right(s, frame.cards, faces)]
    high, wide = frame.picture.shape[:2]
    missed = []
    for card in frame.cards:
        inside = (card.corners >= 0).all() and (card.corners < (wide, high)).all()
        if inside and not any(
            s.card == card.card and overlap_share(s.corners, card.corners) > 0.5 for s in told
        ):
            missed.append(card.card)
    there = [f"{s.card} ({s.confidence:.3f}) on {_beneath(frame, s)}" for s in wrong]
    return len(told) - len(wrong), there, missed


def _beneath(frame: Frame, seen: Sighting) -> str:
    return (
        "/".join(c.card for c in frame.cards if overlap_share(c.corners, seen.corners) > 0.3)
        or "no enrolled card"
    )


def known_decks(part: str, frames: int, folder: Path | None) -> None:
    """Prints what is read of the decks that come with the program, taking turns."""
    known, of = list(shipped()), fingerprint()
    benches = [
        _Bench(part, name, deck, lying, kept=Kept(folder, f"{part}-{name}", of), seed=(SEEDS[part], number))
        for number, (name, deck, lying) in enumerate(known)
    ]
    for until in [*range(BATCH, frames, BATCH), frames]:
        for bench in benches:
            bench.read(until)


class _Bench:
    """One deck under one setting: what was counted so far."""

    def __init__(
        self, part: str, name: str, deck: Deck, lying: Cards, *, kept: Kept, seed: tuple[int, int]
    ) -> None:
        self._part, self._name, self._lying, self._kept = part, name, lying, kept
        self._recogniser = Recogniser(deck)
        counts, self._rng = kept.load(seed)
        self._frames, self._right = int(counts.get("frames", 0)), int(counts.get("right", 0))
        self._wrong, self._missed = list(counts.get("wrong", ())), list(counts.get("missed", ()))

    def read(self, until: int) -> None:
        """Reads frames until there are so many; prints and keeps the counts."""
        if self._frames >= until:
            return
        while self._frames < until:
            self._frames += 1
            self._next()
            if self._frames % SAVED == 0 or self._frames == until:
                counts: dict[str, Any] = {"frames": self._frames, "right": self._right}
                counts |= {"wrong": self._wrong, "missed": self._missed}
                self._kept.save(counts, self._rng)
        what, missed = f"{self._part}, {self._name}: {self._frames} frames", self._missed
        _tell(what, self._right, self._wrong, missed if self._part == "middle" else None)

    def _next(self) -> None:
        plain = self._part == "middle"
        frame = make_frame(self._lying, self._rng, PLAIN if plain else Difficulty())
        good, bad, none = judged(frame, self._recogniser.recognise(frame.picture), self._lying)
        self._right, self._wrong, self._missed = self._right + good, self._wrong + bad, self._missed + none
        folder = self._kept.folder
        if folder is not None and (bad or (none and plain)):
            cv2.imwrite(str(folder / f"{self._part}-{self._name}-{self._frames}.png"), frame.picture)


def _tell(what: str, right: int, wrong: Sequence[str], missed: Sequence[str] | None) -> None:
    told = right + len(wrong)
    print(f"{what}: wrong {share_of(len(wrong), told)} {list(wrong[-5:])}", end="")
    if missed is not None:
        print(f"; missed {share_of(len(missed), told + len(missed))} {list(missed[-5:])}", end="")
    print(flush=True)


def left_out(cards: int, folder: Path | None) -> None:
    """Prints how many cards are taken for others when a quarter of each deck was never shown."""
    known, of = list(decks()), fingerprint()
    benches = [
        _LeftOut(name, shown, lying, Kept(folder, f"left-out-{name}", of), (SEEDS["left-out"], number))
        for number, (name, shown, lying) in enumerate(known)
    ]
    each = -(-cards // len(known))
    for until in [*range(BATCH, each, BATCH), each]:
        for bench in benches:
            bench.read(until)
        accepted = [taken for bench in benches for taken in bench.accepted]
        share = share_of(len(accepted), sum(bench.lay for bench in benches))
        print(f"left-out, all: {share} accepted {accepted[-8:]}", flush=True)


class _LeftOut:
    """One deck of which a quarter is never shown, another quarter every `TURN_TIME` frames."""

    def __init__(self, name: str, shown: Cards, lying: Cards, kept: Kept, seed: tuple[int, int]) -> None:
        self._name, self._shown, self._lying, self._kept = name, shown, lying, kept
        counts, self._rng = kept.load(seed)
        self.lay = int(counts.get("lay", 0))
        """Cards that lay in the pictures, none of them enrolled."""
        self.accepted: list[str] = list(counts.get("accepted", ()))

    def read(self, until: int) -> None:
        """Reads frames until so many cards lay in them; prints and keeps the counts."""
        if self.lay >= until:
            return
        while self.lay < until:
            self._turn()
            self._kept.save({"lay": self.lay, "accepted": self.accepted}, self._rng)
        share = share_of(len(self.accepted), self.lay)
        print(f"left-out, {self._name}: {share} accepted {self.accepted[-5:]}", flush=True)

    def _turn(self) -> None:
        names = sorted(set(self._shown) & set(self._lying))
        count = max(2, len(names) // 4)
        absent = set(self._rng.choice(names, size=count, replace=False).tolist())
        recogniser = Recogniser(build_deck((n, self._shown[n]) for n in names if n not in absent))
        for _ in range(TURNS):
            frame = make_frame({n: self._lying[n] for n in sorted(absent)}, self._rng)
            self.lay += len(frame.cards)
            taken = [s for s in recogniser.recognise(frame.picture) if s.card != UNKNOWN]
            there = [f"{s.card} ({s.confidence:.3f}) on {_beneath(frame, s)}" for s in taken]
            self.accepted += [f"{self._name}: {what}" for what in there]
            if taken and self._kept.folder is not None:
                number = len(self.accepted)
                cv2.imwrite(str(self._kept.folder / f"left-out-{self._name}-{number}.png"), frame.picture)


def run(parts: Sequence[str], share: float, keep: Path | None) -> None:
    """Prints the parts; `share` of the full counts."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    for part in parts:
        match part:
            case "middle" | "hard":
                known_decks(part, round(FRAMES * share), keep)
            case "left-out":
                left_out(round(STRANGERS * share), keep)
            case "confidence":
                kept = Kept(keep, "confidence", f"{fingerprint()} {DEFAULT_CURVE}")
                found = list(readings(round(READINGS * share), TEST + 2, DEFAULT_CURVE, kept, tell=True))
                print(f"confidence, {len(found)} readings of frames that no curve was fitted to")
                print(table(found), flush=True)
            case other:
                sys.exit(f"there is no part {other}: name some of {', '.join(PARTS)}")
