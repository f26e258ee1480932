"""Runs the program on every recorded machine with every fault, and says which cells do not name it.

python -m tests.programs.pi_matrix [WORDS …]   only machines and faults with all of these words in their names

Without words each fault is tried on the two machines that differ most (`sample.py`); with `--all` on each.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from functools import cache, partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

os.environ.update(SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy", PYGAME_HIDE_SUPPORT_PROMPT="1")
CHECKOUT = Path(__file__).parents[3]
sys.path.append(str(CHECKOUT / "build/pi-matrix"))

import cv2  # noqa: E402

from tests.programs.pi_matrix.faults import CHANNELS, FAULTS, VARIANTS, Fault, Variant, without_camera  # noqa: E402
from tests.programs.pi_matrix.first_game import played_rows  # noqa: E402
from tests.programs.pi_matrix.parts import PartRow, part_rows  # noqa: E402
from tests.programs.pi_matrix.sample import System, draw_cells  # noqa: E402
from tests.programs.pi_matrix.table import Cell, Libraries, Said  # noqa: E402
from tests.programs.pi_matrix.worlds import SYSTEMS, World, open_world  # noqa: E402

MEMORY = Path("/dev/shm")
"""A folder that is on no disk."""
PROCESSES = 2
WHOLE = "--all"
ROWS: tuple[Fault | Variant, ...] = (*VARIANTS, *FAULTS)
ANY = "any machine"
"""What the world of a row is called that hangs on no machine."""
LEAST = 150
"""Cells that can occur."""
OPENED = frozenset(
    {
        *("pins", "lamps", "encoder", "camera", "sound", "screen", "power", "clock", "system", "storage"),
        *("service", "page"),
    }
)
"""Parts of doctor's list that a healthy machine has no fault in."""


class Result(NamedTuple):
    """One cell: why it cannot occur, or what is wrong with what was said."""

    world: str
    fault: str
    excuse: str = ""
    wrong: tuple[str, ...] = ()


def judge(fault: Fault, said: Said, unsaid: Mapping[str, str]) -> Iterator[str]:
    """What each channel failed to say, and which healthy part was blamed."""
    blamed = [finding for finding in said.doctor if finding.part in fault.parts and finding.state != "ok"]
    lines = {
        "doctor": [f"{finding.part}: {finding.what} → {finding.fix}" for finding in blamed],
        "screen": said.screen,
        "log": said.log,
    }
    for channel in CHANNELS:
        if channel not in unsaid and not any(
            re.search(fault.part, line) and re.search(fault.remedy, line) for line in lines[channel]
        ):
            yield f"{channel} does not name {fault.part} and {fault.remedy}: {list(lines[channel])}"
    yield from false_blame(said, fault.parts)


def false_blame(said: Said, parts: tuple[str, ...]) -> Iterator[str]:
    """The healthy parts that doctor blames."""
    for finding in said.doctor:
        if finding.state == "fault" and finding.part in OPENED - set(parts):
            yield f"doctor blames {finding.part}: {finding.what} → {finding.fix}"


def judge_healthy(said: Said) -> Iterator[str]:
    """What is said where nothing is wrong."""
    yield from false_blame(said, ())
    yield from (f"the screen says {line!r}" for line in said.screen)
    yield from (f"the log says {line!r}" for line in said.log)


def run_matrix(words: list[str]) -> Iterator[Result]:
    """Each cell; machines are shared out between processes, which hardly compute while a cell waits."""
    wanted = [word for word in words if word != WHOLE]
    sample = {} if words else draw_cells(ROWS, SYSTEMS)
    names = [sample.get(system) for system in SYSTEMS]
    with ProcessPoolExecutor(PROCESSES) as pool:
        played = pool.map(_run_played, [row.name for row in played_rows() if _has_words(row.name, wanted)])
        for results in pool.map(partial(_run_machine, wanted), SYSTEMS, names):
            yield from results
        yield from played
    for part in part_rows():
        if _has_words(f"{ANY} {part.name}", wanted):
            yield Result(ANY, part.name, part.excuse, () if part.excuse else _run_part(part))


def _run_machine(words: list[str], system: System, names: set[str] | None = None) -> list[Result]:
    """`names`: of the rows; None: of all."""
    results = []
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        for row in ROWS:
            world = open_world(*system)
            if _has_words(f"{world.title} {row.name}", words) and (names is None or row.name in names):
                excuse = row.excuse(world)
                wrong = () if excuse else _run_cell(world, row, Path(folder))
                results.append(Result(world.title, row.name, excuse, wrong))
    return results


def _has_words(name: str, words: list[str]) -> bool:
    return all(word in name for word in words)


def _run_played(name: str) -> Result:
    row = next(row for row in played_rows() if row.name == name)
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder, redirect_stdout(StringIO()):
        wrong = tuple(row.judge(Path(folder), _libraries()))
    machine, _, fault = name.partition(": ")
    return Result(machine, fault, wrong=wrong)


def _run_part(part: PartRow) -> tuple[str, ...]:
    with TemporaryDirectory() as folder:
        return tuple(part.judge(Path(folder)))


@cache
def _libraries() -> Libraries:
    return Libraries()


def _run_cell(world: World, row: Fault | Variant, folder: Path) -> tuple[str, ...]:
    """`folder`: where the last cell of this machine was built, if any."""
    row.cause(world)
    if "camera" not in row.parts:
        without_camera(world)
    unsaid = row.unsaid(world) if isinstance(row, Fault) else {}
    calibrates = isinstance(row, Fault) and row.calibrates
    cell = Cell(world, folder, _libraries())
    said = cell.run(table=not {"screen", "log"} <= unsaid.keys(), calibrates=calibrates)
    return tuple(judge(row, said, unsaid) if isinstance(row, Fault) else judge_healthy(said))


def main() -> int:
    cv2.setNumThreads(1)
    logging.disable(logging.INFO)
    results = list(run_matrix(sys.argv[1:]))
    seconds = sum(os.times()[:4])  # with those of its processes, which have ended
    ran = [result for result in results if not result.excuse]
    wrong = [result for result in ran if result.wrong]
    for result in wrong:
        print(f"{result.world} × {result.fault}")
        for line in result.wrong:
            print(f"    {line}")
    excuses = Counter(result.excuse for result in results if result.excuse)
    for excuse, number in excuses.items():
        print(f"{number} cells cannot occur: {excuse}")
    print(f"{len(ran)} cells, {len(wrong)} wrong, {sum(excuses.values())} cannot occur")
    print(f"{seconds:.1f} s of the processor")
    return 1 if wrong or (len(sys.argv) == 1 and len(ran) < LEAST) else 0


if __name__ == "__main__":
    sys.exit(main())
