"""What is run before a commit and by CI calls what the checkout has, and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.nearest import SOURCES

CHECKOUT = Path(__file__).parents[2]
HOOKS = (CHECKOUT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
PROGRAMS = {"ruff": "ruff", "mypy": "mypy", "python": ""}
"""What a hook may start, and the library of the `dev` extra that brings it."""


def values(key: str) -> list[str]:
    return re.findall(rf"^ *(?:- )?{key}: (.*)$", HOOKS, flags=re.MULTILINE)


def test_hooks_fetch_nothing_and_run_what_the_dev_extra_brings() -> None:
    assert values("repo") == ["local"]
    assert set(values("language")) == {"system"}
    developing = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8").partition("dev = [")[2]
    for entry in values("entry"):
        program = entry.split()[0].removeprefix(".venv/bin/")
        assert program != entry.split()[0], entry
        assert PROGRAMS[program] in developing.partition("]")[0], entry
        for word in entry.split()[1:]:
            assert not word.endswith(".py") or (CHECKOUT / word).is_file(), word


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ("companion/ui/page.py", {"mypy", "catalogues"}),
        ("hardware/pin_table.py", {"mypy"}),
        ("assets/locale/de/LC_MESSAGES/companion.po", {"catalogues"}),
        ("tests/ui/shown.py", set()),
    ],
)
def test_a_hook_runs_where_its_files_changed(file: str, wanted: set[str]) -> None:
    run = set()
    for hook in HOOKS.split("- id: ")[1:]:
        files = re.search(r" files: (.+)", hook)
        if files is not None and re.search(files[1], file):
            run.add(hook.splitlines()[0])
    assert run == wanted


def test_ci_calls_what_can_be_called_at_home() -> None:
    workflows = sorted((CHECKOUT / ".github" / "workflows").glob("*.yml"))
    called = [re.findall(r"run: (.+)", workflow.read_text(encoding="utf-8")) for workflow in workflows]
    assert called == [[".ci/arm64"], [".ci/run", ".ci/install"]]
    for program in ("run", "install", "arm64"):
        assert os.access(CHECKOUT / ".ci" / program, os.X_OK)
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    assert f"SOURCES := {' '.join(SOURCES)}" in makefile
    called = re.findall(r"\bmake ([a-z -]+)", (CHECKOUT / ".ci" / "run").read_text(encoding="utf-8"))
    for target in " ".join(called).split():
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


@pytest.mark.parametrize(
    ("made_for", "python", "is_kept"),
    [("checkout", "true", True), ("checkout-before", "true", False), ("checkout", "false", False)],
)
def test_an_environment_whose_folder_was_moved_or_python_replaced_is_made_anew(
    tmp_path: Path, made_for: str, python: str, is_kept: bool
) -> None:
    """As by an upgrade of the whole system: its python3 looks for libraries elsewhere."""
    checkout = tmp_path / "checkout"
    for name in ("pyproject.toml", "club/pyproject.toml", "companion/system/setup_opencv.py", ".venv/.ready"):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).touch()
    (checkout / ".venv" / "bin").mkdir()
    script = checkout / ".venv" / "bin" / "companion"
    script.write_text(f"#!{tmp_path / made_for}/.venv/bin/python\n")
    (script.parent / "python").symlink_to(f"/bin/{python}")
    asked = ["make", "-n", "-f", str(CHECKOUT / "Makefile"), ".venv/.ready"]
    done = subprocess.run(asked, cwd=checkout, check=True, capture_output=True, text=True)
    assert ("rm -rf .venv\n" not in done.stdout) == is_kept
    assert script.exists(), "nothing is removed before an environment is wanted"
