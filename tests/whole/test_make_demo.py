"""What `make demo` installs, with a Python and a pip that only write down what they were asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = """#!{python}
import os, pathlib, sys
words = sys.argv[1:]
log = pathlib.Path({log!r})
if words[:1] == ["-m"] and words[1] == "venv":
    there = pathlib.Path(words[-1], "bin")
    there.mkdir(parents=True)
    for name in ("python", "companion"):
        (there / name).symlink_to({script!r})
    log.open("a").write("venv " + " ".join(words[2:-1]) + "\\n")
elif words[:3] == ["-m", "pip", "install"]:
    held = [pathlib.Path(word).read_text().strip() for word in words if word.endswith("constraints.txt")]
    asked = [*held, *(word for word in words[3:] if not word.startswith("--"))]
    log.open("a").write("pip " + " ".join(asked) + "\\n")
elif "find_spec" in " ".join(words):
    print({seen!r})
elif "numpy" in " ".join(words):
    print("numpy==1.24.2")
elif words[:1] == ["--version"]:
    print("Python 3.13.5")
"""


def demo(checkout: Path, folder: Path, model: str, *, seen: str) -> list[str]:
    """Each venv and each pip of `make demo` on this machine; `seen`: what its Python has of picamera2."""
    log, script = folder / "log", folder / "python"
    script.write_text(PYTHON.format(python=sys.executable, log=str(log), script=str(script), seen=seen))
    script.chmod(0o755)
    (folder / "model").write_text(f"{model}\0")
    said = {"VENV": folder / "venv", "PYTHON": script, "MODEL": folder / "model", "CATALOGUES": ""}
    words = ["make", "demo", *(f"{name}={value}" for name, value in said.items())]
    made = subprocess.run(words, cwd=checkout, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    return log.read_text().splitlines()


def test_a_pi_gets_no_developers_tools_and_keeps_its_numpy(checkout: Path, tmp_path: Path) -> None:
    made = demo(checkout, tmp_path, "Raspberry Pi 5 Model B Rev 1.0", seen="--system-site-packages")
    constraints = str(tmp_path / "venv" / "constraints.txt")
    assert made == [
        "venv --system-site-packages",
        f"pip numpy==1.24.2 {constraints} -e .[page,home,print] -e club",
    ]


@pytest.mark.parametrize("model", ["", "Some laptop"])
def test_a_laptop_gets_all_and_no_numpy_of_the_system(checkout: Path, tmp_path: Path, model: str) -> None:
    made = demo(checkout, tmp_path, model, seen="")
    assert made == ["venv ", "pip -e .[dev,page,home] -e club[hub]"]


OLD = '[ "$1" = --version ] && echo Python 3.9.2'
NARROW = 'case "$*" in *maxsize*) exit 1 ;; esac'


@pytest.mark.parametrize(
    ("python", "model", "told"),
    [
        (OLD, "Raspberry Pi 4 Model B", "3.11 or newer is needed, and this is Python 3.9.2: flash Rasp"),
        (OLD, "", "3.11 or newer is needed, and this is Python 3.9.2: name one: make PYTHON="),
        (NARROW, "Raspberry Pi 4 Model B", "is a 32-bit one, for which OpenCV has no packages: flash Rasp"),
        (NARROW, "", "is a 32-bit one, for which OpenCV has no packages: use a 64-bit system"),
    ],
)
def test_a_python_that_is_too_old_or_of_32_bits_is_told_with_where_another_comes_from(
    checkout: Path, tmp_path: Path, python: str, model: str, told: str
) -> None:
    old = tmp_path / "python"
    old.write_text(f"#!/bin/sh\n{python}\n")
    old.chmod(0o755)
    (tmp_path / "model").write_text(model)
    said = {"VENV": tmp_path / "venv", "PYTHON": old, "MODEL": tmp_path / "model", "CATALOGUES": ""}
    words = ["make", "demo", *(f"{name}={value}" for name, value in said.items())]
    made = subprocess.run(words, cwd=checkout, capture_output=True, text=True, check=False)
    assert made.returncode == 2
    assert told in made.stdout


@pytest.mark.parametrize(
    ("now", "found", "told"),
    [
        ("1000000000", 2, "The clock says 2001-09-09, so no certificate is valid yet: set it (sudo date -s "),
        ("4000000000", 2, "This computer finds no network (pypi.org): join one (on a Pi: sudo nmtui)."),
        ("4000000000", 0, "The libraries did not come. Is there a network"),
    ],
)
def test_where_no_library_comes_a_clock_that_is_behind_or_a_network_that_is_not_there_is_told_alone(
    checkout: Path, tmp_path: Path, now: str, found: int, told: str
) -> None:
    """A Pi has no battery for it, and starts where the last evening ended, or its image was made."""
    for name, does in (
        ("getent", f"exit {found}"),
        ("date", f'case $1 in +*) exec /bin/date -u -d @{now} "$@" ;; *) exec /bin/date "$@" ;; esac'),
        ("python", 'case "$*" in *pip*) exit 1 ;; *venv*) mkdir -p $3/bin; ln -s $0 $3/bin/python ;; esac'),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    words = ["make", "demo", f"VENV={tmp_path}/venv", f"PYTHON={tmp_path}/python", "CATALOGUES="]
    typed = {name: value for name, value in os.environ.items() if name not in {"MAKELEVEL", "MAKEFLAGS"}}
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    made = subprocess.run(words, cwd=checkout, capture_output=True, text=True, check=False, env=typed | path)
    assert made.returncode == 2
    assert told in made.stdout.splitlines()[-1]
