"""`make bench-vision ARGS=--long`: thousands of made frames, for what a few photographs cannot show.

Four parts (`--parts` names some of them): the decks that come with the program under the generator's
middle setting and under its hardest; cards left out of enrolment; and whether a reading is as sure as
it says.
About 40 minutes of one quiet core; each line is printed as soon as it is known, so a run may be cut.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion import paths
from companion.vision.confidence import CURVE
from companion.vision.decks import Deck, enrol
from companion.vision.generator import Difficulty, Frame, make_frame
from companion.vision.locate import overlap
from companion.vision.photograph import MIDDLE
from companion.vision.recognise import UNKNOWN, Recogniser, Sighting
from companion.vision.textures import Textures
from tests.bench.confidence import TEST, Cards, decks, is_right, readings, table
from tests.bench.vision import wilson

Picture = NDArray[np.uint8]
PARTS = ("middle", "hard", "left-out", "confidence")
FRAMES, STRANGERS, READINGS = 2000, 2000, 6000
BATCH = 100
"""Frames or cards after which another quarter of the deck is left out, and progress is told."""
PLAIN = Difficulty(conditions=MIDDLE, piles=0.0, hands=0.0, clutter=2)
"""The middle setting: nothing lies on the cards, so each of them must be read."""
SEEDS = {"middle": 31, "hard": 32, "left-out": 33}


def shipped() -> Iterator[tuple[str, Deck, Cards]]:
    """(name, the deck's file, pictures of its printed cards) of each deck that comes with the program."""
    for folder in sorted((paths.assets() / "decks").iterdir()):
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
        if inside and not any(s.card == card.card and overlap(s.corners, card.corners) > 0.5 for s in told):
            missed.append(card.card)
    there = [f"{s.card} ({s.confidence:.3f}) on {_beneath(frame, s)}" for s in wrong]
    return len(told) - len(wrong), there, missed


def _beneath(frame: Frame, seen: Sighting) -> str:
    return (
        "/".join(c.card for c in frame.cards if overlap(c.corners, seen.corners) > 0.3) or "no enrolled card"
    )


def known_decks(part: str, frames: int, keep: Path | None) -> None:
    """Prints what is read of the decks that come with the program."""
    difficulty = PLAIN if part == "middle" else Difficulty()
    for number, (name, deck, lying) in enumerate(shipped()):
        rng, recogniser = np.random.default_rng((SEEDS[part], number)), Recogniser(deck)
        right, wrong, missed, at = 0, [], [], 0
        for at in range(1, frames + 1):
            frame = make_frame(lying, rng, difficulty)
            good, bad, none = judged(frame, recogniser.recognise(frame.picture), lying)
            right, wrong, missed = right + good, wrong + bad, missed + none
            if keep is not None and (bad or (none and part == "middle")):
                cv2.imwrite(str(keep / f"{part}-{name}-{at}.png"), frame.picture)
            if at % BATCH == 0 or at == frames:
                _tell(f"{part}, {name}: {at} frames", right, wrong, missed if part == "middle" else None)


def _tell(what: str, right: int, wrong: Sequence[str], missed: Sequence[str] | None) -> None:
    told = right + len(wrong)
    print(f"{what}: wrong {wilson(len(wrong), told)} {list(wrong[-5:])}", end="")
    if missed is not None:
        print(f"; missed {wilson(len(missed), told + len(missed))} {list(missed[-5:])}", end="")
    print(flush=True)


def left_out(cards: int) -> None:
    """Prints how many cards are taken for others when a quarter of each deck was never shown."""
    known = list(decks())
    accepted: list[str] = []
    lay = 0
    for number, (name, shown, lying) in enumerate(known):
        rng, each = np.random.default_rng((SEEDS["left-out"], number)), -(-cards // len(known))
        names = sorted(set(shown) & set(lying))
        here, taken = 0, 0
        recogniser: Recogniser | None = None
        for turn in count():
            if here >= each:
                break
            if turn % 25 == 0:
                absent = set(rng.choice(names, size=max(2, len(names) // 4), replace=False).tolist())
                recogniser = Recogniser(enrol((n, shown[n]) for n in names if n not in absent))
            assert recogniser is not None
            frame = make_frame({n: lying[n] for n in sorted(absent)}, rng)
            here += len(frame.cards)
            for seen in recogniser.recognise(frame.picture):
                if seen.card != UNKNOWN:
                    taken += 1
                    accepted.append(f"{name}: {seen.card} ({seen.confidence:.3f}) on {_beneath(frame, seen)}")
        lay += here
        print(f"left-out, {name}: {wilson(taken, here)} accepted", flush=True)
    print(f"left-out, all: {wilson(len(accepted), lay)} accepted {accepted[-8:]}", flush=True)


def run(parts: Sequence[str], share: float, keep: Path | None) -> None:
    """Prints the parts; `share` of the full counts."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    for part in parts:
        match part:
            case "middle" | "hard":
                known_decks(part, round(FRAMES * share), keep)
            case "left-out":
                left_out(round(STRANGERS * share))
            case "confidence":
                found = list(readings(round(READINGS * share), TEST + 2, CURVE))
                print(f"confidence, {len(found)} readings of frames that no curve was fitted to")
                print(table(found), flush=True)
            case other:
                sys.exit(f"there is no part {other}: name some of {', '.join(PARTS)}")
