"""What `make size` counts, and that CI refuses a room over its figure."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import size
from tests.source import code_lines, is_bare_participle, modules

SOURCE = '''"""A docstring
of two lines is no code."""

# nor is a comment
NAME = "one"
"""Nor is what describes a constant."""


def text() -> str:
    """Nor this."""
    return """two
lines"""
'''


def test_a_code_line_has_a_token_that_is_no_comment_and_no_string_standing_alone(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(SOURCE, encoding="utf-8")
    assert code_lines(path) == 4


def test_every_module_is_in_one_room_and_every_room_has_a_figure() -> None:
    rooms = size.by_room(size.counted())
    assert sorted(module for found in rooms.values() for module in found) == sorted(size.counted())
    assert set(rooms) == set(size.ceilings())
    assert set(size.counted()) <= set(modules())


def test_a_room_over_its_figure_fails_and_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = size.FIGURES.read_text(encoding="utf-8")
    most = size.ceilings()["core"]
    lower = tmp_path / "architecture.md"
    lower.write_text(figures.replace(f"| core | {most:,} |", "| core | 1 |"), encoding="utf-8")
    assert size.main(["--check"]) == 0
    monkeypatch.setattr(size, "FIGURES", lower)
    assert size.main(["--check"]) == 1
    assert "core by " in capsys.readouterr().out


@pytest.mark.parametrize("name", ["told", "_shown", "judged", "SAID"])
def test_one_past_participle_is_a_bare_participle(name: str) -> None:
    assert is_bare_participle(name)


@pytest.mark.parametrize("name", ["is_told", "read", "feed", "need", "set", "judge", "hit", "red"])
def test_an_infinitive_or_a_phrase_is_none(name: str) -> None:
    assert not is_bare_participle(name)
