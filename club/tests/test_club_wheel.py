"""The club's wheel beside the table's, outside the checkout: commands, pages and migrations are in it."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.whole.wheels import CHECKOUT, built_once, environment, installed, run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(CHECKOUT / "club", tmp_path_factory)


def test_the_wheel_has_all_of_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    inside = {name for name in names if ".dist-info/" not in name}
    listing = ["git", "ls-files", "companion_club"]
    listed = subprocess.run(listing, cwd=CHECKOUT / "club", capture_output=True, text=True, check=True)
    assert inside == {*listed.stdout.splitlines()}


def test_beside_the_tables_wheel_it_adds_its_commands(
    wheel: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    table = built_once(CHECKOUT, tmp_path_factory)
    python, environ = installed(tmp_path_factory.mktemp("environment"), table, wheel), environment(tmp_path)
    assert "run a club evening" in run(python, environ, "-m", "companion", "--help").stdout
    where = f"{tmp_path}/club.sqlite"
    made = run(python, environ, "-m", "companion", "desk", "--database", where, "--password", "desk")
    assert "Log in as desk with the password" in made.stdout, made.stderr
    verified = run(python, environ, "-m", "companion", "hub", "verify", "--database", where)
    assert verified.returncode == 0, verified.stderr
