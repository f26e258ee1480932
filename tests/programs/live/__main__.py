"""`make live`: every line of the README, every game and lesson, four side by side at the table's own pace.

python -m tests.programs.live [WORDS]    only the lines that hold these words, e.g. demo dnup
python -m tests.programs.live --thin     only the lines of the pages, on a machine that does nothing else
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from companion.cli import load_commands
from tests.processes import busy_cores
from tests.programs.live.readme import of_the_pages
from tests.programs.live.run import PROGRAM, Ended, lateness, run
from tests.programs.live.shelf import lay_out, room_for
from tests.programs.live.tries import Try, beside_a_busy_machine, besides, exempt, understood

SIDE_BY_SIDE = 4
THIN = "--thin"
LATE = 1.3
"""From here on it is said that the machine is late."""
TAIL = 25
"""Lines of a failed program that are shown."""


def main(words: Sequence[str]) -> int:
    """Run everything; 1 if anything failed."""
    began = time.monotonic()
    shown = of_the_pages()
    tries, unknown = understood(shown, frozenset(verb.name for verb in load_commands()))
    known = {one.line for one in tries}
    if THIN not in words:
        tries += [one for one in besides() if one.line not in known]
        tries += beside_a_busy_machine()
    wanted = [one for one in tries if all(word in one.line for word in words if word != THIN)]
    spared = sum(exempt(line) is not None for line in shown)
    print(f"{len(wanted)} commands, {SIDE_BY_SIDE} side by side; {spared} lines of the pages are exempt")
    failed = [f"{line}: stands on a page and is neither run nor exempt" for line in unknown]
    with TemporaryDirectory(prefix="companion-live-") as folder:
        template = Path(folder) / "laid-out"
        template.mkdir()
        _prepare(template)
        quiet = [one for one in wanted if not one.beside]
        ended = list(_all(quiet, template, _late(), done=0, whole=len(wanted)))
        others = [one for one in wanted if one.beside]
        with busy_cores() if others else nullcontext():
            ended += _all(others, template, _late(), done=len(quiet), whole=len(wanted))
    failed += [f"{one.one.line}: {one.trouble}" for one in ended if one.trouble]
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = spent.ru_utime + spent.ru_stime
    print(f"\n{time.monotonic() - began:.0f} s, of which the processor worked {cpu:.0f} s")
    for line in failed:
        print(f"FAILED  {line}")
    print(f"{len(ended) + len(unknown) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def _prepare(template: Path) -> None:
    """What the lines find in their folder."""
    env = {**room_for(template), "SDL_VIDEODRIVER": "dummy"}
    for _, *command in lay_out(template):
        subprocess.run([PROGRAM, *command], cwd=template, env=env, check=True, stdout=subprocess.DEVNULL)


def _late() -> float:
    """How late this machine is without us, said if it is."""
    late = lateness()
    if late > LATE:
        print(f"this machine has other work: everything may take {late:.1f} times as long", flush=True)
    return late


def _all(tries: Sequence[Try], template: Path, late: float, *, done: int, whole: int) -> Iterator[Ended]:
    """Every try, as they end; those that wait for most begin first."""
    ordered = sorted(enumerate(tries, done), key=lambda one: -one[1].count)
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        running = [pool.submit(run, one, number, template, late=late) for number, one in ordered]
        for finished, future in enumerate(as_completed(running), done + 1):
            ended = future.result()
            verdict = "FAILED" if ended.trouble else "ok"
            print(
                f"[{finished:3d}/{whole}] {verdict:6} {ended.seconds:5.1f} s  {_named(ended.one)}", flush=True
            )
            if ended.trouble:
                print(f"    {ended.trouble}")
                print("".join(f"    | {line}\n" for line in ended.lines[-TAIL:]), end="", flush=True)
            yield ended


def _named(one: Try) -> str:
    return one.line + ("  (beside a busy machine)" if one.beside else "")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
