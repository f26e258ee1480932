"""Wheels, and empty environments to install them in: what a machine has that knows no checkout."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


def built(project: Path, folder: Path) -> Path:
    """The wheel of a project, built into an empty folder without the network."""
    build = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(folder),
        str(project),
    ]
    done = subprocess.run(build, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.glob("*.whl")
    return made


def built_once(project: Path, folders: pytest.TempPathFactory) -> Path:
    """The same for everybody in this run: the first builds, and the others wait for it."""
    base = folders.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    name = f"wheel-{project.parent.name}-{project.name}"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = shared / name
        if not folder.exists():
            begun = folders.mktemp("wheel")
            built(project, begun)
            begun.rename(folder)
        (made,) = folder.glob("*.whl")
        return made


def installed(folder: Path, *wheels: Path) -> Path:
    """The Python of an empty environment with these wheels, which sees our libraries but not the checkout."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(
        subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip()
    )
    install = [
        sys.executable,
        "-m",
        "pip",
        "--quiet",
        "install",
        "--no-index",
        "--no-deps",
        "--no-compile",
        "--target",
        site,
    ]
    subprocess.run([*install, *wheels], check=True, cwd=folder, capture_output=True)
    # A folder named in a .pth is searched, but its own .pth files (the editable install) are not read.
    libraries = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (site / "libraries.pth").write_text("\n".join(libraries), encoding="utf-8")
    return python


def environment(home: Path) -> dict[str, str]:
    """Nobody's home, no display, no sound card."""
    kept = {
        name: os.environ[name]
        for name in ("PATH", "LANG", "SDL_VIDEODRIVER", "SDL_AUDIODRIVER", "OPENCV_FOR_THREADS_NUM")
        if name in os.environ
    }
    return {**kept, "HOME": str(home), "GPIOZERO_PIN_FACTORY": "mock"}


def run(python: Path, environ: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, *words], env=environ, cwd=environ["HOME"], capture_output=True, text=True, check=False
    )
