"""What other packages add is found by its name; one that cannot be imported stops nobody."""

from __future__ import annotations

from importlib.metadata import EntryPoint

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
    monkeypatch.setattr(extras, "entry_points", lambda group: FOUND if group == "companion.checks" else [])
    assert [one.name for one in extras.find_extensions("companion.checks")] == ["broken", "roots", "sums"]
    assert extras.load_extensions("companion.checks").keys() == {"roots", "sums"}
    assert "no_such_package.checks:check" in caplog.text
    assert extras.load_extensions("companion.uplink") == {}
