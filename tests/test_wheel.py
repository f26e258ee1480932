"""The wheel, installed outside the checkout, is the whole product."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(folder),
        str(CHECKOUT),
    ]
    done = subprocess.run(build, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment with the wheel in it, which sees our libraries but not the checkout."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(
        subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip()
    )
    install = [sys.executable, "-m", "pip", "--quiet", "install", "--no-index", "--no-deps", "--target", site]
    subprocess.run([*install, wheel], check=True, cwd=folder, capture_output=True)
    # A folder named in a .pth is searched, but its own .pth files (the editable install) are not read.
    libraries = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (site / "libraries.pth").write_text("\n".join(libraries), encoding="utf-8")
    return python


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Nobody's home, no display, no sound card."""
    kept = {
        name: os.environ[name]
        for name in ("PATH", "LANG", "SDL_VIDEODRIVER", "SDL_AUDIODRIVER")
        if name in os.environ
    }
    return {**kept, "HOME": str(tmp_path), "GPIOZERO_PIN_FACTORY": "mock", "PYTHONDONTWRITEBYTECODE": "1"}


def run(python: Path, environ: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, *words], env=environ, cwd=environ["HOME"], capture_output=True, text=True, check=False
    )


def test_the_wheel_carries_assets_catalogues_and_hardware(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    listing = ["git", "ls-files", "assets", "hardware", "companion"]
    listed = subprocess.run(listing, cwd=CHECKOUT, capture_output=True, text=True, check=True)
    for path in listed.stdout.splitlines():
        if (CHECKOUT / path).exists() and path != "companion/build_hook.py":
            assert (f"companion/{path}" if path.startswith("assets/") else path) in inside
    for source in CHECKOUT.glob("assets/locale/*/LC_MESSAGES/companion.po"):
        assert f"companion/{source.relative_to(CHECKOUT).with_suffix('.mo').as_posix()}" in inside
    assert "companion/build_hook.py" not in inside


def test_what_is_installed_comes_from_the_wheel_alone(python: Path, environ: dict[str, str]) -> None:
    ask = "import sys, companion as c, hardware as h; print(c.__file__, h.__file__, *sys.path, sep='\\n')"
    found = run(python, environ, "-c", ask).stdout.splitlines()
    for place in found[:2]:
        assert Path(place).is_relative_to(python.parent.parent)
    assert str(CHECKOUT) not in found


def test_the_installed_command_helps_and_finds_its_assets(python: Path, environ: dict[str, str]) -> None:
    assert "verbs:" in run(python, environ, "-m", "companion", "--help").stdout
    found = json.loads(run(python, environ, "-m", "companion", "doctor", "--json").stdout)
    states = {finding["part"]: finding for finding in found}
    assert states["decks"]["state"] == "ok"
    assert states["decks"]["what"]
    if any(CHECKOUT.glob("assets/locale/*/LC_MESSAGES/companion.po")):
        assert states["language"]["state"] == "ok"


def test_the_installed_demo_plays_a_game_to_its_end(python: Path, environ: dict[str, str]) -> None:
    done = run(python, environ, "-m", "companion", "demo", "--fast", "--seed", "7")
    assert done.returncode == 0, done.stderr
    seen, outcome = done.stdout.splitlines()[-2:]
    assert re.fullmatch(r"seen: [1-9]\d* presses, [1-9]\d* frames, [1-9]\d* readings, \d+ asked", seen)
    assert re.fullmatch(r"outcome: \w+; winners: ([1-8](, ?[1-8])*|none)", outcome)
