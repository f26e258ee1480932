"""`make size`: how large the program is, room by room, and how it is cut.

python -m tests.size [--check] [--strict]

Prints the code lines of each room beside the most that docs/architecture.md allows it, then the measures of
shape X
"""

from __future__ import annotations

import argparse
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tests.source import ROOT, classes_twice, code_lines, importers, modules, package_of, participles, within

APART = ("games", "club")
"""Rooms that do not count as the table: the games, and the distribution of a club."""
FIGURES = ROOT / "docs" / "architecture.md"
FIGURE = re.compile(r"^\| `?([a-z]+)`? \| ([\d,]+) \|", re.MULTILINE)
"""A row of the table of ceilings."""
CRUMB, LARGE = 40, 600
"""A module below the one with a single importer is a crumb; one above the other is too long to be read."""


class Shape(NamedTuple):
    """A measure of how the source is cut, and what it should be."""

    name: str
    value: float
    aim: float
    at_least: bool = False

    @property
    def is_met(self) -> bool:
        return self.value >= self.aim if self.at_least else self.value <= self.aim


def ceilings() -> Mapping[str, int]:
    """The most code lines that docs/architecture.md allows each room."""
    return {
        room: int(most.replace(",", "")) for room, most in FIGURE.findall(FIGURES.read_text(encoding="utf-8"))
    }


def counted() -> Mapping[str, int]:
    """Code lines by module; of `hardware` those directly in it."""
    return {
        module: code_lines(path)
        for module, path in modules().items()
        if package_of(module) != "hardware" or path.parent == ROOT / "hardware"
    }


def by_room(lines: Mapping[str, int]) -> Mapping[str, list[str]]:
    """The modules of each room; those that stand directly in `companion` are one room, and so is the club."""
    rooms: dict[str, list[str]] = {}
    for module in lines:
        alone = modules()[module].parent == ROOT / "companion"
        rooms.setdefault("companion" if alone else package_of(module), []).append(module)
    return rooms


def shapes(lines: Mapping[str, int]) -> Iterator[Shape]:
    ours = {module: count for module, count in lines.items() if within(module, "companion")}
    users = importers()
    crumbs = [module for module, count in ours.items() if count < CRUMB and users[module] == 1]
    yield Shape("modules in companion/", len(ours), 380)
    yield Shape("median code lines of a module", statistics.median(ours.values()), 90, at_least=True)
    yield Shape(f"modules under {CRUMB} lines with one importer", len(crumbs), 15)
    yield Shape(f"modules over {LARGE} lines", sum(count > LARGE for count in ours.values()), 0)
    yield Shape("public functions that are a bare participle", len(participles()), 60)
    yield Shape("public class names that stand twice", len(classes_twice()), 0)


def main(words: Sequence[str] | None = None) -> int:
    """Print the figures; 1 if one that was asked for is missed."""
    parser = argparse.ArgumentParser(prog="make size")
    parser.add_argument("--check", action="store_true", help="fail when a room is over its figure")
    parser.add_argument("--strict", action="store_true", help="fail for the measures of shape as well")
    asked = parser.parse_args(words)
    lines = counted()
    rooms = Counter({room: sum(lines[module] for module in found) for room, found in by_room(lines).items()})
    most = ceilings()
    print(f"{'room':<14}{'code lines':>12}{'at most':>10}{'modules':>10}")
    for room, count in rooms.most_common():
        print(f"{room:<14}{count:>12,}{most.get(room, 0):>10,}{len(by_room(lines)[room]):>10}")
    table = rooms.total() - sum(rooms[room] for room in APART)
    print(f"\nthe table, without its games: {table:,}; games {rooms['games']:,}; club {rooms['club']:,}\n")
    missed = [shape for shape in shapes(lines) if not shape.is_met]
    for shape in shapes(lines):
        aim = f"aim {'≥' if shape.at_least else '≤'} {shape.aim:g}"
        print(f"{shape.name:<46}{shape.value:>7g}  {aim}{'  missed' * (shape in missed)}")
    over = [
        f"{room} by {count - most.get(room, 0)}" for room, count in rooms.items() if count > most.get(room, 0)
    ]
    if over:
        print(f"\nover the figure in docs/architecture.md: {', '.join(over)}")
    return int((asked.check and bool(over)) or (asked.strict and bool(over or missed)))


if __name__ == "__main__":
    raise SystemExit(main())
