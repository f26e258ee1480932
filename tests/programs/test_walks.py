"""The walks that docs/architecture.md prints lead through files that are there."""

from __future__ import annotations

import re

from tests.programs.walks import MARKS, PAGE
from tests.source import ROOT


def test_each_walk_names_its_files_and_they_are_there() -> None:
    found = MARKS.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    walks = re.findall(r"\*\*A (\w+): (\d+) files\.\*\* (.*)", found[0])
    assert [name for name, *_ in walks] == ["press", "card", "setting"]
    for _, number, listed in walks:
        files = re.findall(r"`([^`]+)`", listed)
        assert len(files) == int(number)
        assert [file for file in files if not (ROOT / file).is_file()] == []
