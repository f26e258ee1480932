"""The lock names everything the program needs, in versions it may have, each file with its hash."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version


def locked(checkout: Path) -> dict[str, list[str]]:
    """Package → its version and hashes."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in (checkout / "systemd" / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if pinned := re.match(r"([a-z0-9-]+)==([^ ]+)", line):
            name = pinned[1]
            found[name] = [pinned[2]]
        elif hashed := re.match(r" +--hash=(sha256:[0-9a-f]{64})", line):
            found[name].append(hashed[1])
    return found


def test_the_lock_fits_what_the_project_asks_for(checkout: Path) -> None:
    asked = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "dependencies"
    ]
    pins = locked(checkout)
    for each in map(Requirement, asked):
        assert Version(pins[each.name][0]) in each.specifier, each.name


def test_every_locked_version_has_the_hashes_of_its_files(checkout: Path) -> None:
    assert all(len(pinned) > 1 for pinned in locked(checkout).values())


def test_the_lock_names_no_index_and_no_machine(checkout: Path) -> None:
    text = (checkout / "systemd" / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in text
    assert "index-url" not in text
