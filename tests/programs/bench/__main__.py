"""`python -m tests.programs.bench [--only NAME] [--json]`: the table of figures."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import version

import msgspec

from tests.programs.bench.figures import Row

FIGURES = (
    *("rulings", "start", "resume", "frames", "memory", "sound", "lockout", "standstill", "stage", "chances"),
    *("belief", "strengths", "reading", "looks", "hands", "voices", "talk", "recordings"),
    *("door", "page", "phones", "link", "overlay"),
)
"""One module each: `rows()` measures."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make bench", description="What this program costs, beside others.")
    parser.add_argument(
        "--only", metavar="NAME", action="append", choices=FIGURES, help=f"one of: {', '.join(FIGURES)}"
    )
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    args = parser.parse_args(argv)
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    # A table keeps what it compiles; a child that may not would compile all of ours at each start.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.stderr.write(f"{machine()}\n")
    found: list[Row] = []
    for name in args.only or FIGURES:
        sys.stderr.write(f"measuring {name} …\n")
        module = importlib.import_module(f"tests.programs.bench.{name}")
        found += module.rows()
    print(msgspec.json.format(msgspec.json.encode(found)).decode() if args.json else table(found))
    return 0


def machine() -> str:
    """What measures: its load before the first figure, its processors, and the versions that count."""
    load = ", ".join(f"{each:.2f}" for each in os.getloadavg())
    named = ("numpy", "opencv-python", "pygame", "msgspec")
    versions = ", ".join(f"{name} {version(name)}" for name in named)
    return f"load {load} on {os.cpu_count()} processors; Python {platform.python_version()}, {versions}"


def table(rows: Sequence[Row]) -> str:
    """The rows as text; notes stand below, numbered."""
    cells = [("figure", "value", "beside", "ratio", "aim", "met")]
    notes = []
    for row in rows:
        mark = ""
        if row.note:
            notes.append(row.note) if row.note not in notes else None
            mark = f" [{notes.index(row.note) + 1}]"
        beside = row.baseline if row.beside is None else f"{row.baseline}: {number(row.beside)} {row.unit}"
        value = "–" if row.value is None else f"{number(row.value)} {row.unit}"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f} ×"
        met = {True: "yes", False: "NO", None: ""}[row.met]
        cells.append((row.figure + mark, value, beside, ratio, row.aim, met))
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([*lines, *(f"[{place}] {note}" for place, note in enumerate(notes, 1))])


def number(value: float) -> str:
    """Three digits that count."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    raise SystemExit(main())
