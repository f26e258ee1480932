"""What other packages add is found by its name; one that cannot be imported stops nobody."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from companion.system import extras

FOUND = [
    EntryPoint("sums", "math:fsum", "companion.checks"),
    EntryPoint("broken", "no_such_package.checks:check", "companion.checks"),
    EntryPoint("roots", "math:sqrt", "companion.checks"),
]


def test_a_package_that_cannot_be_imported_is_left_out_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(extras, "_all_entry_points", lambda: EntryPoints(FOUND))
    assert [one.name for one in extras.find_extensions("companion.checks")] == ["broken", "roots", "sums"]
    assert extras.load_extensions("companion.checks").keys() == {"roots", "sums"}
    assert "no_such_package.checks:check" in caplog.text
    assert extras.load_extensions("companion.uplink") == {}


def test_installed_packages_are_read_once_for_all_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    monkeypatch.setattr(extras, "entry_points", lambda: read.append(1) or EntryPoints(FOUND))
    extras._all_entry_points.cache_clear()
    for group in ("companion.checks", "companion.games", "companion.commands"):
        extras.find_extensions(group)
    extras._all_entry_points.cache_clear()
    assert len(read) == 1
