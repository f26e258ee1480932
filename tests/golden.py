"""Plays two commits and compares all that a table gets of them: `python -m tests.golden main`.

Whole recorded demos of fixed seeds (journal, camera pictures, one painted screen per ruling, sound, rulings
as text), a lesson and a practice game in the tests' loop under the manual clock. A change of structure leaves
every byte as it was but the journal's `date`, `software` and checksums. No digests are kept: both sides are
played now, in one environment; what plays a lesson is each commit's own `tests/`.

Exits 0 when both are equal, 1 with the first difference of each game. Takes about six minutes on two cores.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
CHANGING = re.compile(rb'"(date|software|sum)":"[^"]*",?')
DEMOS = (
    ("kinapa", 4, 5),
    ("kinapa", 8, 3),
    ("kabuki", 2, 1),
    ("kabuki", 4, 4),
    ("kobayakawa", 3, 3),
    ("kobayakawa", 6, 4),
    ("dnup", 2, 2),
    ("dnup", 5, 6),
)
"""Game, seats and seed; every game at two sizes."""
LESSON = """
import sys
from pathlib import Path
from tests.teach.learner import Learner
learner = Learner(Path(sys.argv[1]) / "store", "kinapa/4-8")
for _ in range(40):
    print(learner.card(), *learner.reads(), *learner.offers(), sep="\\n")
    learner.try_out(learner.offers()[0])
learner.close()
"""
PRACTICE = """
try:
    from tests.programs.practising import Person
except ImportError:  # a commit whose tests lie elsewhere
    from tests.practice.test_practice import Person
person = Person("kobayakawa", seed=3)
for _ in range(60):
    person.run(2)
    frame = person.app.frame()
    person.app.draw()
    sheet = person.app._pages["game"].painted_sheet(frame)
    print(person.app._clock.now(), *(text.string for text in sheet.text_lines), sep="\\n")
    person.plays()
"""


class Played(NamedTuple):
    """One thing that was played on both sides: where each kept what came of it."""

    name: str
    folders: tuple[Path, Path]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__.split("\n", 1)[0])
    parser.add_argument("base", help="the commit to compare with, such as main or HEAD~1")
    parser.add_argument("--only", default="", help="only what has this in its name, such as kabuki")
    args = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="golden-") as place:
        base = Path(place) / "base"
        subprocess.run(
            ["git", "worktree", "add", "--quiet", "--detach", base, args.base], cwd=ROOT, check=True
        )
        try:
            return compare(base, Path(place) / "kept", args.only)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", base], cwd=ROOT, check=True)


def compare(base: Path, kept: Path, only: str) -> int:
    """Play everything in both trees and tell what differs; 0 if nothing does."""
    for tree in (base, ROOT):
        catalogues = (tree / "assets" / "locale").glob("*/LC_MESSAGES/companion.po")
        for po in catalogues:
            babel = [sys.executable, "-m", "babel.messages.frontend", "--quiet", "compile"]
            subprocess.run([*babel, "-i", po, "-o", po.with_suffix(".mo")], check=True)
    names = [name for name in (*map(demo_name, DEMOS), "lesson", "practice") if only in name]
    different = 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for played in pool.map(lambda name: both(name, base, kept), names):
            found = list(differences(*played.folders))
            different += bool(found)
            same = f"equal, {len(list(recorded(played.folders[0])))} files"
            print(f"{played.name}: {'; '.join(found[:3]) or same}", flush=True)
    print(f"{len(names) - different} equal, {different} different")
    return min(1, different)


def demo_name(demo: tuple[str, int, int]) -> str:
    game, seats, seed = demo
    return f"{game}-{seats}-seed-{seed}"


def both(name: str, base: Path, kept: Path) -> Played:
    """Play one thing on both sides, one after the other."""
    folders = (kept / name / "base", kept / name / "here")
    for tree, folder in zip((base, ROOT), folders, strict=True):
        folder.mkdir(parents=True)
        (folder / "out.txt").write_text(play(name, tree, folder), encoding="utf-8")
    return Played(name, folders)


def play(name: str, tree: Path, folder: Path) -> str:
    """What was printed; a demo keeps its recording in `folder`."""
    if name in {"lesson", "practice"}:
        words = ["-c", LESSON if name == "lesson" else PRACTICE, str(folder)]
    else:
        game, seats, _, seed = name.split("-")
        words = ["-m", "companion", "demo", game, "--seats", seats, "--seed", seed, "--fast"]
        words += ["--record", str(folder)]
    quiet = {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "GPIOZERO_PIN_FACTORY": "mock"}
    own = {f"XDG_{kind}_HOME": str(folder / "home" / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    paths = os.pathsep.join(
        map(str, (tree, tree / "tests", tree / "tests" / "app", tree / "tests" / "rules"))
    )
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tree,
        env={**os.environ, **quiet, **own, "PYTHONPATH": paths, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    return f"exit {done.returncode}\n{done.stdout}{done.stderr[-2000:]}".replace(str(folder), "FOLDER")


def differences(one: Path, other: Path) -> Iterator[str]:
    """What differs between two recordings, but for when and by what they were made."""
    files = sorted({path.relative_to(folder) for folder in (one, other) for path in recorded(folder)})
    if len(files) == 1 and not (one / "out.txt").read_text(encoding="utf-8").startswith("exit 0"):
        yield "neither could be played: " + (one / "out.txt").read_text(encoding="utf-8")[-300:]
    for file in files:
        mine, its = one / file, other / file
        if not (mine.exists() and its.exists()):
            yield f"{file} is only in {'the base' if mine.exists() else 'this tree'}"
        elif file.suffix in {".jsonl", ".txt"}:
            yield from first_line(str(file), mine.read_bytes(), its.read_bytes())
        elif not filecmp.cmp(mine, its, shallow=False):
            yield f"{file} differs"


def recorded(folder: Path) -> Iterator[Path]:
    """What a recording is made of; stores and settings are not compared byte by byte."""
    return (
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix in {".jsonl", ".txt", ".jpg", ".png", ".wav"}
    )


def first_line(name: str, one: bytes, other: bytes) -> Iterator[str]:
    """The first line that differs."""
    lines = [CHANGING.sub(b"", text).splitlines() for text in (one, other)]
    longest = max(map(len, lines))
    for number, pair in enumerate(
        zip(*(side + [b""] * (longest - len(side)) for side in lines), strict=True), 1
    ):
        if pair[0] != pair[1]:
            yield f"{name} line {number}: {pair[0][:150]!r} is now {pair[1][:150]!r}"
            return


if __name__ == "__main__":
    raise SystemExit(main())
