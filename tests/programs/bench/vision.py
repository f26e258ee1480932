"""`make bench-vision DATA=FOLDER`: the recogniser beside three usual ways, on labelled photographs.

The folder holds `sets/<set>/{refs,photos,labels.json}`, `evaluate.py` (which counts) and `baselines.py`
(the usual ways: contour and perceptual hash, ORB, SIFT). Prints the aims and what was measured, as counts
with exact 95 % intervals (Clopper and Pearson, 1934). Times are CPU time of one thread. `ARGS=--long`
prints what thousands of made frames show instead; see `tests/programs/bench/vision_long.py`. `ARGS=--looks`
reads each card from several shaken pictures; see `tests/programs/bench/looks.py`. `ARGS=--made` compares
made pictures; see `tests/programs/bench/made.py`.

Photographs that `held_out.json` lists are left out, so that thresholds may be chosen by what this prints;
`--half held-out` measures those alone, once the thresholds are fixed, and `--half both` the two apart.
`--curve` prints recall against precision instead, see `tests/programs/bench/vision_curve.py`; `--strangers`
cards that were not enrolled, see `tests/programs/bench/strangers.py`.
"""
# ruff: noqa: E402  # the number of numpy's threads has to be set before it is imported

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # idle threads of numpy would be counted as CPU time

import argparse
import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.decks import MAX_PICTURES, build_deck
from companion.vision.pictures import PictureError, read_picture
from companion.vision.recogniser import Recogniser, make_scored_recogniser
from companion.vision.tracker import ChangeTracker
from tests import intervals

Row = dict[str, Any]
AIMS = {
    "epfl": (0.99, 0.998),
    "mtg": (0.90, 0.99),
    "skat": (0.99, 0.998),
    "setgame": (0.975, 0.998),
    "poker": (0.94, 0.99),
    "mtg_table": (0.97, 0.99),
    "mtg_sleeved": (0.99, 0.998),
    "hanafuda": (0.97, 0.99),
}
"""Least recall and precision, by set."""
PARTIAL = {"mtg", "poker", "mtg_table", "mtg_sleeved", "hanafuda"}
"""Sets that show further cards of the print than those enrolled."""
HELD_OUT = Path(__file__).with_name("held_out.json")
"""By set, the file names of the photographs that no threshold may be chosen by, and how they were chosen."""
HALVES = ("development", "held-out")
FEW = 40
"""Sets with fewer cards are also told together."""
PARTS = ("refs", "photos")
"""Folders of a set that hold pictures."""
WAYS = ("this program", "hash", "ORB", "SIFT")


def share_of(good: int, of: int) -> str:
    """`good` of `of` as text with the exact 95 % interval of the share."""
    low, high = intervals.exact(good, of)
    return f"{good}/{of} = {good / of:.3f} ({low:.3f} to {high:.3f})" if of else "none to count"


def needed(folder: Path) -> str | None:
    """What the folder lacks, or None."""
    if not folder.is_dir():
        return f"{folder} is no folder"
    for name in ("evaluate.py", "baselines.py", "sets"):
        if not (folder / name).exists():
            return f"{folder} has no {name}"
    return None


def linked(root: Path, sets: Sequence[str], into: Path, split: str) -> list[str]:
    """What cannot be read of the sets, a sentence each; the rest is linked in `into`.

    There the photographs of `split` are of the split "development" or "held-out", and no others are left.
    """
    held_out = json.loads(HELD_OUT.read_text())["held_out"]
    bad: list[str] = []
    for one in sets:
        kept = {name for part in PARTS for name in _linked_part(root / one / part, into / one / part, bad)}
        labels = json.loads((root / one / "labels.json").read_text())
        left = {
            name: label | {"split": HALVES[name in held_out.get(one, ())]}
            for name, label in labels.items()
            if name in kept and (split == "all" or label["split"] == split)
        }
        (into / one / "labels.json").write_text(json.dumps(left))
    return bad


def _linked_part(folder: Path, into: Path, bad: list[str]) -> list[str]:
    """The names of the pictures linked from a folder; what is none is told in `bad`."""
    into.mkdir(parents=True)
    names = []
    for path in sorted(folder.iterdir()):
        try:
            read_picture(path)
        except PictureError as trouble:
            bad.append(f"{trouble}; it is left out.")
            continue
        (into / path.name).symlink_to(path.resolve())
        names.append(path.name)
    return names


def scored(
    evaluate: ModuleType, ways: dict[str, Callable[..., Any]], root: Path, one: str, *, half: str, limit: int
) -> Row:
    """Prints the counts of all ways on one half of one set; returns those of this program."""
    rows = {
        name: evaluate.run(_enrolling(make, one), str(root), one, half, limit=limit)
        for name, make in ways.items()
    }
    base = rows[WAYS[1]]["ms_median"] if WAYS[1] in rows else None
    recall, precision = AIMS.get(one, (0.90, 0.97))
    print(
        f"\n{one}, {half}: {rows[WAYS[0]]['photos']} photographs, {rows[WAYS[0]]['refs']} cards enrolled;",
        end=" aims: ",
    )
    print(f"recall {recall}, precision {precision}, way up always right, no stranger accepted")
    for name, row in rows.items():
        _print_row(name, row, base)
    mine: Row = rows[WAYS[0]]
    return mine


def pooled(rows: Sequence[Row]) -> None:
    """Prints the counts of all small sets together: each of them alone says little."""
    small = [row for row in rows if row["cards"] < FEW]
    cards, right = (sum(n) for n in ((r["cards"] for r in small), (_right(r) for r in small)))
    wrong = sum(row["fp"] for row in small)
    print(f"\nsets under {FEW} cards together ({', '.join(row['set'] for row in small)})")
    print(f"  recall {share_of(right, cards)}, precision {share_of(right, right + wrong)}")


def _right(row: Row) -> int:
    right: int = round(row["recall"] * row["cards"])
    return right


def _enrolling(make: Callable[..., Any], one: str) -> Callable[..., Any]:
    """The factory for a set: of some there are more cards than were enrolled, and the program is told so."""
    return (
        partial(make_scored_recogniser, complete=False)
        if make is make_scored_recogniser and one in PARTIAL
        else make
    )


def _print_row(name: str, row: Row, base: float | None) -> None:
    right = _right(row)
    way_up = (
        "-"
        if row["orientation"] is None
        else share_of(round(row["orientation"] * row["n_orient"]), row["n_orient"])
    )
    strangers = sum(v["false_accepts"] for v in row["negatives"].values())
    photos = sum(v["photos"] for v in row["negatives"].values())
    print(f"  {name}")
    print(f"    recall       {share_of(right, row['cards'])}")
    print(f"    precision    {share_of(right, right + row['fp'])}")
    print(f"    way up       {way_up}")
    print(f"    accepted     {strangers} on {photos} photographs without an enrolled card")
    if "recall_occluded" in row:
        print(f"    covered      {row['recall_occluded']} of the partly covered cards")
    times = (
        f"    ms a photo   median {row['ms_median']}, 95 % {row['ms_p95']}; enrolling {row['enrol_ms']} ms"
    )
    print(times + (f"; median {row['ms_median'] / base:.2f} x the hash's" if base else ""))


def left_out(
    evaluate: ModuleType, ways: dict[str, Callable[..., Any]], root: Path, one: str, *, half: str, limit: int
) -> None:
    """Prints what is accepted when a quarter of the cards was never shown."""
    for name, make in ways.items():
        known = partial(make_scored_recogniser, complete=False) if make is make_scored_recogniser else make
        row = evaluate.run(known, str(root), one, half, drop=0.25, limit=limit)
        print(
            f"  {name}: {row['unknown_accepts']} of {row['unknown_instances']} cards left out were accepted"
        )


def still_table(pictures: Sequence[tuple[str, NDArray[np.uint8]]], photo: NDArray[np.uint8]) -> None:
    """Prints what a frame costs while nothing moves, beside a full reading."""
    tracker = ChangeTracker(Recogniser(build_deck(pictures)))
    tracker.step(photo)
    full, still = [], []
    for _ in range(5):
        start = time.process_time()
        Recogniser.recognise(tracker.recogniser, photo)
        full.append(time.process_time() - start)
        start = time.process_time()
        tracker.step(photo)
        still.append(time.process_time() - start)
    share = float(np.median(still) / np.median(full))
    print(
        f"\na still table: {np.median(still) * 1e3:.1f} ms a frame, {share:.3f} of a full reading (aim 0.1)"
    )


def growth(evaluate: ModuleType, root: Path, ways: dict[str, Callable[..., Any]], one: str) -> None:
    """Prints how time grows with the number of enrolled cards."""
    sizes = 16, 64, MAX_PICTURES
    print(f"\nmedian ms with {sizes} cards enrolled (aim: the most at most 1.5 x the fewest)")
    for name, make in ways.items():
        times = evaluate.scale(make, str(root), sizes, one)
        ms = [times[n]["ms_median"] for n in sizes]
        print(f"  {name}: {ms[0]} / {ms[1]} / {ms[2]}: {ms[2] / ms[0]:.2f} x")


def main(arguments: Sequence[str]) -> int:
    """Runs the bench; 2 when the photographs are not there, or some of them cannot be read."""
    parser = argparse.ArgumentParser(prog="make bench-vision DATA=FOLDER", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--sets", default=",".join(AIMS))
    parser.add_argument("--half", choices=(*HALVES, "both"), default=HALVES[0])
    parser.add_argument("--limit", type=int, default=0, help="only the first so many photographs of each set")
    parser.add_argument("--beside", default=",".join(WAYS[1:]), help="the usual ways measured too")
    parser.add_argument("--alone", dest="beside", action="store_const", const="", help="none of them")
    parser.add_argument("--looks", action="store_true", help="several looks at shaken photographs instead")
    parser.add_argument("--made", action="store_true", help="made pictures beside the photographs instead")
    parser.add_argument(
        "--strangers", action="store_true", help="cards that were not enrolled, made, instead"
    )
    parser.add_argument("--covering", action="store_true", help="made pairs, one card on another, instead")
    parser.add_argument("--seed", type=int, default=0, help="of what --strangers and --covering make")
    parser.add_argument("--curve", action="store_true", help="recall against precision by doubt instead")
    long = parser.add_argument_group("--long")
    long.add_argument("--long", action="store_true", help="made frames instead: about an hour of one core")
    long.add_argument("--parts", default="middle,hard,left-out,confidence")
    long.add_argument("--share", type=float, default=1.0, help="of the full number of frames")
    long.add_argument("--keep", type=Path, help="a folder for counts and wrong frames: a cut run goes on")
    options = parser.parse_args(arguments)
    if options.long:
        from tests.programs.bench import vision_long  # which takes `share_of` from here

        cv2.setNumThreads(1)
        vision_long.run(options.parts.split(","), options.share, options.keep)
        return 0
    missing = needed(options.folder) if options.folder else "no folder was named"
    if missing:
        print(missing)
        print("Needed: a folder with evaluate.py, baselines.py and sets/<set>/{refs,photos,labels.json}.")
        return 2
    with TemporaryDirectory() as into:
        return measured(options, Path(into))


def measured(options: Any, into: Path) -> int:
    """Measures with all photographs that can be read; `into` is an empty folder."""
    cv2.setNumThreads(1)
    sys.path.insert(0, str(options.folder))
    evaluate, baselines = importlib.import_module("evaluate"), importlib.import_module("baselines")
    ways: dict[str, Callable[..., Any]] = {WAYS[0]: make_scored_recogniser}
    usual = dict(zip(WAYS[1:], (baselines.phash, baselines.orb, baselines.sift), strict=True))
    ways |= {name: make for name, make in usual.items() if name in options.beside.split(",")}
    root = options.folder / "sets"
    sets = [s for s in options.sets.split(",") if (root / s / "labels.json").exists()]
    bad = linked(root, sets, into, options.split)
    for trouble in bad:
        print(trouble)
    halves = HALVES if options.half == "both" else (options.half,)
    if options.looks:
        from tests.programs.bench import looks  # what else reads photographs needs no made table

        for half in halves:
            looks.photographs(into, sets, PARTIAL, half)
        return 2 if bad else 0
    if options.made:
        from tests.programs.bench import made

        for half in halves:
            made.compare(into, sets, PARTIAL, half)
        return 2 if bad else 0
    if options.strangers:
        from tests.programs.bench import strangers  # which takes `share_of` from here

        strangers.measure(into, sets, options.seed)
        return 2 if bad else 0
    if options.covering:
        from tests.programs.bench import covering

        covering.measure(into, sets, options.seed)
        return 2 if bad else 0
    if options.curve:
        from tests.programs.bench import vision_curve  # which takes `share_of` from here

        every = []
        for one in sets:
            for half in halves:
                whole = one not in PARTIAL
                found = vision_curve.read_photographs(
                    evaluate, into, one, half=half, complete=whole, limit=options.limit
                )
                vision_curve.print_curve(found, one, half)
                every += found
        vision_curve.print_left_out(every)
        return 2 if bad else 0
    for half in halves:
        pooled([scored(evaluate, ways, into, one, half=half, limit=options.limit) for one in sets])
    print("\na quarter of the cards never shown (aim: none accepted)")
    for one in sets:
        for half in halves:
            print(f" {one}, {half}")
            left_out(evaluate, ways, into, one, half=half, limit=options.limit)
    pictures = evaluate.load_refs(str(into), sets[0])
    names = sorted(json.loads((into / sets[0] / "labels.json").read_text()))
    photo = cv2.imread(str(into / sets[0] / "photos" / names[0]))
    assert photo is not None
    still_table(pictures, np.asarray(photo, np.uint8))
    growth(evaluate, into, {k: ways[k] for k in WAYS[:2] if k in ways}, sets[0])
    return 2 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
