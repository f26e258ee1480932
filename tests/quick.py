"""`make quick`: from an edit to a verdict in under 45 seconds on two cores.

python -m tests.quick [FILE | FOLDER …]    these; else what git says is changed, else the last commit

Format, lint and types are checked, then come the tests: the architecture's, then those nearest to what
changed, until the time is up. What was left out is said; `make check` leaves out nothing.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.nearest import TESTS, Tree, nearest

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
TESTS_UNTIL, TYPES_UNTIL = 34.0, 42.0
"""Seconds from the beginning after which no other test is begun, and the types are not waited for."""
FILES = 40
"""Test files that are read at most; reading one takes a tenth of a second."""
ALWAYS = "tests/whole/test_architecture.py"
SLOW = ("slow", "long")
"""The marks of tests that are left out."""
NAMED = 6
"""How many of what was left out are named."""


class Bounded:
    """A pytest plugin: leaves out what is marked slow, and begins no test when the time is up."""

    def __init__(self, until: float) -> None:
        self.until = until
        self.slow: list[str] = []
        self.late: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        slow = [item for item in items if any(map(item.get_closest_marker, SLOW))]
        items[:] = [item for item in items if item not in slow]
        self.slow = [item.nodeid for item in slow]
        config.hook.pytest_deselected(items=slow)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        if time.monotonic() < self.until:
            return None
        self.late.append(item.nodeid)
        return True


def main(words: Sequence[str]) -> int:
    """Check what changed; 0 if nothing that was checked is wrong."""
    began = time.monotonic()
    files, which = chosen(words)
    if not files:
        print(f"Nothing to check: {which}")
        return 2
    print(f"{which}: {listed(files)}", flush=True)
    python = [file for file in files if file.endswith(".py")]
    with types_of(python) as types:  # on the other core
        verdicts = {"format and lint": linted(python)}
        near = nearest(Tree(ROOT), files)
        bounded = Bounded(began + TESTS_UNTIL)
        verdicts["tests"] = tested([one.path for one in near[:FILES]], bounded)
        verdicts["types"] = types(began + TYPES_UNTIL)
    left_out([one.path for one in near[FILES:]], bounded, types_too=verdicts["types"] is None)
    wrong = [name for name, well in verdicts.items() if well is False]
    print(f"{'FAILED: ' + ', '.join(wrong) if wrong else 'Well'}, after {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


def chosen(words: Iterable[str]) -> tuple[list[str], str]:
    """The files to check, and in words which they are."""
    if words:
        return [
            file for file in git("ls-files", "-co", "--exclude-standard", "--", *words) if exists(file)
        ], "named"
    changed = [*git("diff", "--name-only", "HEAD"), *git("ls-files", "-o", "--exclude-standard")]
    if changed:
        return [file for file in changed if exists(file)], "changed"
    return [file for file in git("diff", "--name-only", "HEAD~1", "HEAD") if exists(file)], "the last commit"


def git(*words: str) -> list[str]:
    said = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return said.splitlines()


def exists(file: str) -> bool:
    return (ROOT / file).is_file()


def linted(python: Sequence[str]) -> bool:
    """Whether ruff finds nothing in these files."""
    ruff = BIN / "ruff"
    runs = [[ruff, "format", "--check", "--quiet"], [ruff, "check", "--quiet"]] if python else []
    codes = [subprocess.run([*run, *python], cwd=ROOT, check=False).returncode for run in runs]
    return not any(codes)


@contextmanager
def types_of(python: Sequence[str]) -> Iterator[Callable[[float], bool | None]]:
    """Runs mypy beside the rest; what is given waits until a time and says if mypy is content, or None.

    It looks only at what is not in its cache, and goes on from there the next time.
    """
    if all(file.startswith(TESTS) for file in python):
        yield lambda until: True
        return
    with subprocess.Popen([BIN / "mypy"], cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:

        def content(until: float) -> bool | None:
            try:
                said, _ = run.communicate(timeout=max(0.1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                return None
            if run.returncode:
                print(said)
            return run.returncode == 0

        try:
            yield content
        finally:
            run.kill()


def tested(near: Sequence[str], bounded: Bounded) -> bool:
    """Whether these tests pass, as far as the time goes."""
    files = dict.fromkeys([ALWAYS, *near])
    return pytest.main(
        ["--no-header", "--maxfail=20", "--continue-on-collection-errors", *files], [bounded]
    ) in {
        pytest.ExitCode.OK,
        pytest.ExitCode.NO_TESTS_COLLECTED,
    }


def left_out(far: Sequence[str], bounded: Bounded, *, types_too: bool) -> None:
    """Say what was not looked at."""
    slow = tuple(dict.fromkeys(name.partition("[")[0] for name in bounded.slow))
    late = Counter(name.partition("::")[0] for name in bounded.late)
    for what, names in (
        ("marked slow", slow),
        ("for want of time", tuple(f"{count} of {file}" for file, count in late.items())),
        ("too far from what changed", far),
    ):
        if names:
            print(f"Left out, {what}: {listed(names)}")
    if types_too:
        print("Left out: the types, for want of time; the next time goes on from here, `make types` waits")


def listed(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
