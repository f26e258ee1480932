"""`make install-check`: the wheel installed in each way this machine has, then a demo and a game on paper.

python -m tests.programs.install_check [WAYS]    only these: checkout, pip, pipx, uv, 3.12, 3.13, 3.14

Another Python that is on the path (python3.12, …) is run through pip; one that is not is resolved: every
library has a wheel for it, which is all that is said.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from packaging.requirements import Requirement

CHECKOUT = Path(__file__).parents[2]
OTHERS = ("3.12", "3.13", "3.14")
OURS = ("print", "completion")
"""The extras that people ask for."""
TAIL = 12


class Row(NamedTuple):
    """How one way went."""

    way: str
    told: str
    """`run`, `resolved, not run`, or why it was left out."""
    trouble: str = ""


class FailedError(Exception):
    """A command ended badly; what it said last."""


def requirements(python: str, extras: Sequence[str] = OURS) -> list[Requirement]:
    """What the project asks for under that Python on Linux, extras included."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    listed = [*project["dependencies"], *(one for extra in extras for one in optional[extra])]
    target = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux"}
    asked = map(Requirement, listed)
    return [one for one in asked if one.marker is None or one.marker.evaluate(target)]


def main(ways: Sequence[str]) -> int:
    with TemporaryDirectory(prefix="companion-install-") as folder:
        base = Path(folder)
        wheel = _built(base / "dist")
        known: dict[str, Callable[[], Row]] = {
            "checkout": lambda: _tried("checkout", base, [sys.executable, "-m", "companion"]),
            "pip": lambda: _pip("pip", sys.executable, base, wheel),
            "pipx": lambda: _tool("pipx", base / "pipx", ["install", f"{wheel}[print]"], wheel),
            "uv": lambda: _tool("uv", base / "uv", ["tool", "install", f"{wheel}[print]"], wheel),
            **{python: lambda python=python: _other(python, base, wheel) for python in OTHERS},  # type: ignore[misc]
        }
        rows = []
        for way in ways or known:
            try:
                row = known[way]()
            except FailedError as trouble:
                row = Row(way, "failed", str(trouble))
            print(f"{row.way:9} {row.told}{row.trouble and ': '}{row.trouble}", flush=True)
            rows.append(row)
    return 1 if any(row.trouble for row in rows) else 0


def _done(*words: str | Path, cwd: Path, **environ: str) -> str:
    shown = {**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", **environ}
    done = subprocess.run(words, cwd=cwd, env=shown, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FailedError("\n".join((done.stdout + done.stderr).splitlines()[-TAIL:]) or f"{words[0]} failed")
    return done.stdout


def _built(folder: Path) -> Path:
    folder.mkdir()
    _done(
        sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, CHECKOUT, cwd=folder
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def _tried(way: str, base: Path, program: Sequence[str | Path], **environ: str) -> Row:
    """A demo to its end, then a game on paper."""
    home = base / f"home-{way}"
    home.mkdir(parents=True)
    at = {"HOME": str(home), "GPIOZERO_PIN_FACTORY": "mock", **environ}
    cwd = CHECKOUT if way == "checkout" else home
    ended = _done(*program, "demo", "kobayakawa", "--fast", "--seed", "3", cwd=cwd, **at).splitlines()[-1]
    _done(*program, "print", "kinapa", "--out", home / "sheets", cwd=cwd, **at)
    sheets = len(list((home / "sheets").glob("*.pdf")))
    python = way if way in OTHERS else f"{sys.version_info.major}.{sys.version_info.minor}"
    return Row(way, f"run, Python {python}: {ended.partition('.')[0]}; {sheets} PDFs")


def _pip(way: str, interpreter: str, base: Path, wheel: Path) -> Row:
    own = base / f"venv-{way}"
    _done(interpreter, "-m", "venv", own, cwd=base)
    programs = own / ("Scripts" if os.name == "nt" else "bin")
    python = programs / "python"
    _done(python, "-m", "pip", "--disable-pip-version-check", "install", f"{wheel}[print]", cwd=base)
    _done(python, "-m", "companion.system.setup_opencv", cwd=base)
    return _tried(way, base, [programs / "companion"])


def _tool(name: str, base: Path, words: Sequence[str], wheel: Path) -> Row:
    """pipx and uv make an environment of their own and put the command into a folder."""
    program = shutil.which(name)
    if program is None:
        return Row(name, "left out: it is not installed here")
    base.mkdir()
    homes = ("PIPX_HOME", "PIPX_BIN_DIR", "UV_TOOL_DIR", "UV_TOOL_BIN_DIR")
    own = {home: str(base / home.lower()) for home in homes}
    _done(program, *words, "--python", sys.executable, cwd=base, **own)
    command = Path(own["PIPX_BIN_DIR" if name == "pipx" else "UV_TOOL_BIN_DIR"]) / "companion"
    if name == "pipx":  # uv's environments have no pip to change OpenCV by
        _done(command.resolve().parent / "python", "-m", "companion.system.setup_opencv", cwd=base)
    return _tried(name, base, [command])


def _other(python: str, base: Path, wheel: Path) -> Row:
    interpreter = f"python{python}"
    try:  # a name on the path may be a stand-in that only says which Pythons there are
        _done(interpreter, "-c", "import ensurepip, venv", cwd=base)
    except (FailedError, OSError):
        return _resolved(python, base)
    return _pip(python, interpreter, base, wheel)


def _resolved(python: str, base: Path) -> Row:
    """Whether each library has a wheel for that Python.

    pip reads markers for the Python that runs it, so ours are read here; those of our libraries are not.
    """
    asked = [f"{one.name}{one.specifier}" for one in requirements(python)]
    options = ["--dry-run", "--ignore-installed", "--only-binary=:all:", "--python-version", python]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", *options]
    told = _done(*pip, "--target", str(base / python), *asked, cwd=base)
    (would,) = [line for line in told.splitlines() if line.startswith("Would install")]
    return Row(python, f"resolved, not run: {len(would.split()) - 2} wheels")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
