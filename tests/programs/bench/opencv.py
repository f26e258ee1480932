"""`make bench-opencv DATA=FOLDER`: the same photographs read with several versions of OpenCV.

Each version is installed from the package index in an environment of its own, which is deleted afterwards.
The folder is that of `make bench-vision`; photographs that `held_out.json` lists are left out. Prints of each
version how many cards it reads as the first one does, and every card that it reads otherwise.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import msgspec

from companion.vision.decks import build_deck
from companion.vision.pictures import read_picture
from companion.vision.recogniser import Recogniser
from tests.programs.bench.vision import AIMS, HELD_OUT, PARTIAL, share_of

VERSIONS = ("opencv-python-headless==4.10.0.84", "opencv-python-headless<5", "opencv-python-headless>=5")
"""The oldest that is supported, the newest of the fourth series, and the newest of all."""
MOST_APART = 0.005
"""Part of the cards that two versions may read otherwise."""


class Readings(msgspec.Struct, frozen=True):
    """What one version read."""

    version: str
    photographs: dict[str, list[str]]
    """For each set/photograph the cards, sorted, "unknown" among them."""
    right: dict[str, list[str]]
    """The cards that lie there and are enrolled."""


def read(folder: Path) -> Readings:
    """With the OpenCV of this process, all photographs that are not held out."""

    cv2.setNumThreads(1)
    held_out = msgspec.json.decode(HELD_OUT.read_bytes())["held_out"]
    found, right = {}, {}
    for name in AIMS:
        root = folder / "sets" / name
        if not root.exists():
            continue
        cards = [(path.stem, read_picture(path)) for path in sorted((root / "refs").iterdir())]
        recogniser = Recogniser(build_deck(cards, complete=name not in PARTIAL))
        for photo, label in sorted(msgspec.json.decode((root / "labels.json").read_bytes()).items()):
            path = root / "photos" / photo
            if label["split"] != "dev" or photo in held_out.get(name, ()) or not path.exists():
                continue
            seen = recogniser.recognise(read_picture(path))
            found[f"{name}/{photo}"] = sorted(sighting.card for sighting in seen)
            right[f"{name}/{photo}"] = sorted(card["card"] for card in label["cards"])
    return Readings(cv2.__version__, found, right)


def compared(all_of: Sequence[Readings]) -> int:
    """Prints the table; 1 if a version reads too many cards otherwise than the first, or one newly wrong."""
    first, worst = all_of[0], 0
    for one in all_of:
        lines, apart, wrong, cards = [], 0, 0, 0
        for photo, seen in one.photographs.items():
            was, now, there = (Counter(v) for v in (first.photographs[photo], seen, first.right[photo]))
            gone, come = was - now, now - was
            cards += max(was.total(), now.total())
            apart += max(gone.total(), come.total())
            wrong += sum(n for card, n in (come - there).items() if card != "unknown")
            if gone or come:
                lines.append(f"    {photo}: {_told(gone)} before, now {_told(come)}")
        told = sum(card != "unknown" for seen in one.photographs.values() for card in seen)
        print(
            f"OpenCV {one.version}: {told} cards read on {len(one.photographs)} photographs; "
            f"otherwise than {first.version}: {share_of(apart, cards)}, newly wrong {wrong}"
        )
        print(*lines, sep="\n", end="\n" if lines else "")
        worst |= apart > MOST_APART * cards or wrong > 0
    return worst


def _told(cards: Counter[str]) -> str:
    return ", ".join(sorted(cards.elements())) or "nothing"


def main(arguments: Sequence[str]) -> int:
    """Installs the versions, reads with each and compares."""
    parser = argparse.ArgumentParser(prog="make bench-opencv DATA=FOLDER", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--into", type=Path, help="read with the OpenCV installed here, into this file")
    options = parser.parse_args(arguments)
    if options.into:
        options.into.write_bytes(msgspec.json.encode(read(options.folder)))
        return 0
    found = []
    with TemporaryDirectory() as into:
        for number, version in enumerate(VERSIONS):
            place, kept = Path(into) / str(number), Path(into) / f"{number}.json"
            venv.create(place, with_pip=True)
            python = str(place / "bin" / "python")
            packages = (version, "numpy", "msgspec")
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
            reads = [python, "-m", "tests.programs.bench.opencv", str(options.folder), "--into", str(kept)]
            subprocess.run(reads, check=True)
            found.append(msgspec.json.decode(kept.read_bytes(), type=Readings))
    return compared(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
