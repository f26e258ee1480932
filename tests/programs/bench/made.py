"""`make bench-vision DATA=FOLDER ARGS=--made`: are made pictures like photographs, and do they fail alike?

The cards of each set lie in its photographs, and in frames that the generator makes of the very same
reference pictures. Of each card the same things are measured in both, against its reference; their spread is
printed side by side. Then the cards are sorted into kinds of trouble, by limits that the worst fifth of the
photographs' cards passes, and for each kind it is printed how many are missed: the rank correlation
(Spearman, 1904) says whether what is hard in made pictures is hard in photographs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.acceptance import RejectionReason
from companion.vision.decks import build_deck
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import overlap_share
from companion.vision.pictures import read_picture
from companion.vision.recogniser import Recogniser
from tests.vision.generator import make_frame

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]
LONG = 192
"""Pixels of a card's longer side where it is measured."""
FRAMES = 14
"""Made frames of each set."""
BINS = 8
WORST = 0.2
"""Part of the photographs' cards that a kind of trouble is made of."""
COVERED = (0.3, 0.9)
"""Part of a made card that shows if it is covered as those of the photographs are."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured of a card, and which end of it makes a card hard to read."""

    name: str
    unit: str
    range: tuple[float, float]
    high_is_hard: bool


MEASURES = (
    Measure("contrast", "of the print's", (0.0, 1.4), high_is_hard=False),
    Measure("white point", "grey levels", (40, 256), high_is_hard=False),
    Measure("tint", "log2 red : blue", (-1.0, 1.5), high_is_hard=True),
    Measure("noise", "grey levels", (0, 8), high_is_hard=True),
    Measure("blur", "pixels", (0, 3.2), high_is_hard=True),
    Measure("gloss", "% of the card", (0, 25), high_is_hard=True),
    Measure("rim", "CIE Lab", (0, 80), high_is_hard=False),
    Measure("uneven light", "% of the light", (0, 40), high_is_hard=True),
    Measure("size", "pixels", (60, 700), high_is_hard=False),
    Measure("tilt", "short : long side of a pair", (0.5, 1.0), high_is_hard=False),
)


@dataclass(frozen=True, slots=True)
class Lies:
    """One card in a picture."""

    measured: Mapping[str, float]
    covered: bool
    touches: bool
    read: bool
    why: str
    """If it was missed: the test that refused it, or "no outline"."""


def measured(picture: Picture, corners: Floats, face: Picture) -> dict[str, float]:
    """All `MEASURES` of a card in a picture (height, width, 3), by its reference picture."""
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
    wide, high = (LONG, round(LONG * face.shape[0] / face.shape[1]))
    if high > wide:
        wide, high = round(LONG * face.shape[1] / face.shape[0]), LONG
    known = cv2.resize(face, (wide, high), interpolation=cv2.INTER_AREA).astype(np.float32)
    seen = _flat(picture, corners, (wide, high)).astype(np.float32)
    edge = LONG // 24
    inner = np.s_[edge:-edge, edge:-edge]
    grey, print_ = (_grey(one) for one in (seen, known))
    slope, veil = np.polyfit(_soft(print_, 2)[inner].ravel(), _soft(grey, 2)[inner].ravel(), 1)
    slope = max(float(slope), 0.02)
    expected = slope * print_ + float(veil)
    brighter = _soft(grey - expected, 3)[inner]
    ratio = np.log((_soft(grey, LONG / 8) + 8) / (_soft(expected, LONG / 8).clip(0) + 8))[inner]
    means, faces = seen[inner].mean(axis=(0, 1)), known[inner].mean(axis=(0, 1))
    return {
        "contrast": slope,
        "white point": float(np.percentile(grey[inner], 97)),
        "tint": float(np.log2((means[2] + 4) / (means[0] + 4)) - np.log2((faces[2] + 4) / (faces[0] + 4))),
        "noise": _noise(picture, corners),
        "blur": _blur(grey[inner] / slope, print_[inner]),
        "gloss": 100 * float((brighter > max(22.0, 0.16 * float(np.ptp(expected)))).mean()),
        "rim": _rim(picture, corners),
        "uneven light": 100 * float(np.std(ratio)),
        "size": float(sides.max()),
        "tilt": float(min(min(sides[a], sides[a + 2]) / max(sides[a], sides[a + 2]) for a in (0, 1))),
    }


def _flat(picture: Picture, corners: Floats, size: tuple[int, int]) -> Picture:
    """The part of a picture in a quadrilateral, upright; first made small, so that it does not alias."""
    longest = float(np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1).max())
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 4, 0)
    high = np.ceil(corners.max(axis=0)).astype(int) + 5
    part, quad = picture[low[1] : high[1], low[0] : high[0]], corners - low
    if longest > 1.5 * LONG:
        shrink = LONG / longest
        part = np.asarray(
            cv2.resize(part, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8
        )
        quad = quad * shrink
    to = np.array([(0, 0), (size[0], 0), size, (0, size[1])], np.float32)
    back = cv2.getPerspectiveTransform(quad.astype(np.float32), to)
    return np.asarray(cv2.warpPerspective(part, back, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _grey(picture: Floats) -> Floats:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.float32)


def _soft(grey: Floats, sigma: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), sigma), np.float32)


def _blur(seen: Floats, known: Floats) -> float:
    """Pixels by which the reference must be blurred to have no more detail than the view."""

    def detail(grey: Floats) -> float:
        return float(np.abs(cv2.Laplacian(_soft(grey, 0.8), cv2.CV_32F)).mean())

    there = detail(seen)
    steps = np.arange(0, 3.3, 0.2)
    details = [detail(_soft(known, float(step)) if step else known) for step in steps]
    return float(np.interp(-there, [-each for each in details], steps))


def _noise(picture: Picture, corners: Floats) -> float:
    """Grey levels of what differs from pixel to pixel where little is printed: in the quietest quarter."""
    low = np.maximum(corners.min(axis=0).astype(int), 0)
    high = np.ceil(corners.max(axis=0)).astype(int)
    grey = _grey(picture[low[1] : high[1], low[0] : high[0]].astype(np.float32))
    fine = cv2.filter2D(grey, cv2.CV_32F, np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32))
    rows, columns = fine.shape[0] // 8, fine.shape[1] // 8
    if rows < 2 or columns < 2:
        return 0.0
    blocks = np.abs(fine[: 8 * rows, : 8 * columns]).reshape(rows, 8, columns, 8).mean(axis=(1, 3))
    # Immerkaer's estimate (1996): the mean of the absolute second difference is 6 sigma sqrt(2 / pi).
    return float(np.percentile(blocks, 25)) * float(np.sqrt(np.pi / 2)) / 6


def _rim(picture: Picture, corners: Floats) -> float:
    """How much the card differs from what lies beside it: the median of its four sides."""
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB).astype(np.float32)
    middle, apart = corners.mean(axis=0), []
    for side in range(4):
        one, other = corners[side], corners[(side + 1) % 4]
        line = one + (other - one) * np.linspace(0.2, 0.8, 24)[:, None]
        levels = []
        for far in (0.96, 1.05):
            x, y = np.round(middle + (line - middle) * far).astype(int).T
            inside = (x >= 0) & (y >= 0) & (x < lab.shape[1]) & (y < lab.shape[0])
            levels.append(np.median(lab[y[inside], x[inside]], axis=0) if inside.any() else None)
        if levels[0] is not None and levels[1] is not None:
            apart.append(float(np.linalg.norm(levels[0] - levels[1])))
    return float(np.median(apart)) if apart else 0.0


def found(
    picture: Picture,
    cards: Sequence[tuple[str, Floats, bool, bool]],
    seen: Sequence[Sighting],
    faces: Mapping[str, Picture],
) -> Iterator[Lies]:
    """The cards (id, corners, covered, whether it counts) of a picture: measured, and if they were read."""
    for card, corners, covered, counts in cards:
        if not counts:
            continue
        there = [one for one in seen if overlap_share(one.corners, corners) > 0.5]
        read = any(one.card == card for one in there)
        reasons = [one.why.refused for one in there if one.why is not None]
        refused = [str(one) for one in reasons if one not in {RejectionReason.NONE, RejectionReason.COVERED}]
        grown = (corners.mean(axis=0) + 1.06 * (corners - corners.mean(axis=0))).astype(np.float32)
        touches = any(other is not corners and overlap_share(grown, other) > 0.01 for _, other, _, _ in cards)
        yield Lies(
            measured(picture, corners, faces[card]),
            covered,
            touches and not covered,
            read,
            "" if read else next(iter(refused), "no outline"),
        )


def photographed(
    root: Path, one: str, half: str, eye: Recogniser, faces: Mapping[str, Picture]
) -> Iterator[Lies]:
    """The labelled cards of one half of a set's photographs."""
    labels = json.loads((root / one / "labels.json").read_text())
    for name, label in sorted(labels.items()):
        if label["split"] != half or label["kind"] != "pos":
            continue
        photo = read_picture(root / one / "photos" / name)
        cards = [
            (
                str(c["card"]),
                np.asarray(c["corners"], np.float32),
                bool(c.get("occluded")),
                not c.get("ignore"),
            )
            for c in label["cards"]
            if c["corners"] is not None
        ]
        yield from found(photo, cards, eye.recognise(photo, explain=True), faces)


def made(eye: Recogniser, faces: Mapping[str, Picture], seed: int, frames: int) -> Iterator[Lies]:
    """The cards of frames that the generator makes of the same reference pictures."""
    chance = np.random.default_rng(seed)
    for _ in range(frames):
        frame = make_frame(faces, chance)
        high, wide = frame.picture.shape[:2]
        cards = [
            (
                card.card,
                card.corners,
                card.visible < COVERED[1],
                card.visible > COVERED[0]
                and bool((card.corners >= 0).all() and (card.corners < (wide, high)).all()),
            )
            for card in frame.cards
        ]
        yield from found(frame.picture, cards, eye.recognise(frame.picture, explain=True), faces)


def compare(
    root: Path, sets: Sequence[str], unfinished: Container[str], half: str, frames: int = FRAMES
) -> float:
    """Prints both tables; the rank correlation. Of the sets in `unfinished` the print has further cards."""
    real: list[Lies] = []
    drawn: list[Lies] = []
    for number, one in enumerate(sets):
        faces = {path.stem: read_picture(path) for path in sorted((root / one / "refs").iterdir())}
        eye = Recogniser(build_deck(faces.items(), complete=one not in unfinished))
        here, there = list(photographed(root, one, half, eye, faces)), list(made(eye, faces, number, frames))
        print(f"  {one:<12} photographs {missed(here):<12} made {missed(there)}", flush=True)
        real, drawn = real + here, drawn + there
    print(spreads(real, drawn))
    text, correlation = kinds(real, drawn)
    print(text)
    return correlation


def missed(cards: Sequence[Lies]) -> str:
    """How many of the cards were missed."""
    return f"{sum(not card.read for card in cards)} of {len(cards)}"


def spreads(real: Sequence[Lies], drawn: Sequence[Lies]) -> str:
    """Histograms side by side: in each bin the per cent of the photographs' cards and of the made ones."""
    lines = [
        "\nper cent of the cards that are not covered: photographs / made; how much the two have in common"
    ]
    for each in MEASURES:
        shares = []
        for cards in (real, drawn):
            values = [card.measured[each.name] for card in cards if not card.covered]
            counts, edges = np.histogram(np.clip(values, *each.range), BINS, each.range)
            shares.append(counts / max(1, counts.sum()))
        common = float(np.minimum(*shares).sum())
        pairs = "  ".join(f"{100 * a:3.0f}/{100 * b:<3.0f}" for a, b in zip(*shares, strict=True))
        lines.append(f"{each.name:<13}{edges[0]:>7.4g} {pairs} {edges[-1]:>6.4g} {each.unit}: {common:.2f}")
    return "\n".join(lines)


def kinds(real: Sequence[Lies], drawn: Sequence[Lies]) -> tuple[str, float]:
    """How many of each kind of trouble are missed, and the rank correlation of the two shares."""
    limits = {}
    for each in MEASURES:
        sign = 1 if each.high_is_hard else -1
        values = [sign * card.measured[each.name] for card in real if not card.covered]
        limits[each.name] = sign, float(np.quantile(values, 1 - WORST))

    def hard(card: Lies, name: str) -> bool:
        sign, limit = limits[name]
        return not card.covered and sign * card.measured[name] >= limit

    def plain(card: Lies) -> bool:
        return not (card.covered or card.touches or any(hard(card, each.name) for each in MEASURES))

    troubles: dict[str, Callable[[Lies], bool]] = {
        "covered": lambda card: card.covered,
        "touching": lambda card: card.touches,
        **{each.name: partial(hard, name=each.name) for each in MEASURES},
        "none of these": plain,
    }
    lines = ["\nmissed, by kind of trouble (the photographs' worst fifth): photographs, made"]
    rates = []
    for name, belongs in troubles.items():
        both = [[card for card in cards if belongs(card)] for cards in (real, drawn)]
        if all(both):
            rates.append([sum(not card.read for card in cards) / len(cards) for cards in both])
        lines.append(f"  {name:<14} {missed(both[0]):<12} {missed(both[1])}")
    correlation = spearman(*np.array(rates).T)
    lines.append(f"rank correlation over {len(rates)} kinds: {correlation:.2f}")
    for which, cards in (("photographs", real), ("made", drawn)):
        why: dict[str, int] = {}
        for card in cards:
            if not card.read:
                key = ("covered: " if card.covered else "open: ") + card.why
                why[key] = why.get(key, 0) + 1
        lines.append(
            f"  {which}: {', '.join(f'{k} {n}' for k, n in sorted(why.items(), key=lambda kn: -kn[1]))}"
        )
    return "\n".join(lines), correlation


def spearman(
    one: Sequence[float] | NDArray[np.float64], other: Sequence[float] | NDArray[np.float64]
) -> float:
    """The correlation of the ranks; equal values share the mean of their ranks."""

    def ranks(values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
        array = np.asarray(values, np.float64)
        return np.array([(array < v).sum() + ((array == v).sum() - 1) / 2 for v in array])

    both = ranks(one), ranks(other)
    return float(np.corrcoef(*both)[0, 1]) if all(np.ptp(r) > 0 for r in both) else 0.0
