"""The programs of others: a test starts only those that it says, and what is missing is named."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import outside_programs
from tests.programs import fresh

ITSELF = {
    "tests/outside_programs.py",
    "conftest.py",
    "tests/programs/install_check.py",
}
"""Where programs are looked for; the last looks for ways to install a wheel."""


def hidden(*words: str) -> subprocess.CompletedProcess[str]:
    """A command on a PATH that has none of these programs."""
    before = [sys.executable, "-m", "tests.outside_programs", "--without"]
    return subprocess.run([*before, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        *((command, "is not marked") for command in outside_programs.COMMANDS),
        ("curl", r"is not in tests/outside_programs\.py"),
        ("/usr/bin/perl", r"is not in tests/outside_programs\.py"),
    ],
)
def test_a_test_starts_no_program_that_it_does_not_say_it_needs(
    command: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / Path(command).name).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AssertionError, match=why):
        subprocess.run([command], check=False)


def test_programs_are_looked_for_in_one_place(checkout: Path) -> None:
    paths = [
        checkout / "conftest.py",
        *(checkout / "tests").rglob("*.py"),
        *(checkout / "club").rglob("*.py"),
    ]
    modules = {path.relative_to(checkout).as_posix(): path for path in paths}
    looking = {name for name, path in modules.items() if "shutil.which" in path.read_text(encoding="utf-8")}
    assert looking - {"tests/whole/test_outside_programs.py"} == ITSELF


def test_a_fresh_machine_gets_what_the_readme_names_and_is_typed_what_it_says() -> None:
    assert {"git", "make", "python3", "python3-venv", "ca-certificates"} <= {*fresh.packages()}
    assert [one.line for one in fresh.commands()][1:] == [
        "make demo",
        ".venv/bin/companion play",
        "make test",
    ]


def test_where_they_are_hidden_all_other_programs_are_there() -> None:
    asked = "; ".join(
        f"command -v {command} && echo {command} is there" for command in outside_programs.COMMANDS
    )
    done = hidden("sh", "-c", f"{asked}; command -v git")
    assert Path(done.stdout.strip()).name == "git", done.stdout


@pytest.mark.parametrize(
    ("target", "packages"),
    [("browser", "chromium"), ("desk", "chromium"), ("club", "mosquitto postgresql")],
)
def test_what_was_asked_for_and_lacks_a_program_fails_with_its_package(
    checkout: Path, target: str, packages: str
) -> None:
    makefile = (checkout / "Makefile").read_text(encoding="utf-8")
    first = re.search(rf"(?m)^{target}: .*\n\t@\$\(BIN\)/python -m tests\.outside_programs (.+)", makefile)
    assert first is not None
    done = hidden(sys.executable, "-m", "tests.outside_programs", *first[1].split())
    assert done.returncode == 1
    assert done.stderr.endswith(f"(sudo apt install {packages})\n")


def test_what_a_test_lacks_is_the_last_line_of_its_run_and_a_failure_where_it_is_required() -> None:
    test = [sys.executable, "-m", "pytest", "tests/whole/test_install.py", "-k", "debian_package_says_whose"]
    left_out = hidden(*test)
    assert left_out.returncode == 0, left_out.stdout
    assert "\nnot tested here: the Debian package (apt install dpkg)\n" in left_out.stdout
    environ = {**os.environ, "TEST_PROGRAMS": "required", "PATH": "/nowhere"}
    required = subprocess.run(test, env=environ, capture_output=True, text=True, check=False)
    assert required.returncode == 1
    assert "not installed here: dpkg-deb (sudo apt install dpkg)" in required.stdout
