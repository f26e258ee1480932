"""The walks that docs/architecture.md prints lead through files that are there, and can be walked again."""

from __future__ import annotations

import re

from tests.programs.walks import MARKS, PAGE, opened_table, trace_setting
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


def test_a_setting_is_found_on_its_leaf_and_walks_from_the_page_to_its_file() -> None:
    with opened_table() as table:
        files = [*trace_setting(table).files]
    assert "companion/settings/files.py" in files
    assert len(files) > 10
