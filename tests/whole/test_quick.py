"""`make quick` finds the tests that are nearest to what changed, and says what it leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.nearest import Tree, nearest
from tests.quick import Bounded, left_out

FILES = {
    "companion/core/seats.py": "CHAIRS = 8",
    "companion/games/skat/players.py": "",
    "companion/games/skat/__init__.py": "PLAYERS = late('companion.games.skat.players:Players')",
    "companion/teach/lesson.py": "FOLDER = 'assets/lessons'",
    "companion/ui/__init__.py": "",
    "companion/ui/panel.py": "from companion.core import seats",
    "companion/ui/page.py": "import companion.ui.panel",
    "companion/ui/ui_state.py": "from companion.ui.page import Page",
    "tests/ui/drawn.py": "def draw():\n    from companion.ui.panel import Panel",
    "tests/ui/test_colours.py": "from drawn import draw",
    "tests/ui/test_page.py": "from companion.ui import page",
    "tests/ui/test_panel.py": "import re",
    "tests/ui/test_everything.py": "from companion.ui import panel, page, glass",
    "tests/ui/test_glass.py": "from companion.ui.ui_state import UiState",
    "tests/test_skat.py": "from companion import games",
    "tests/teach/test_lessons.py": "from companion.teach.lesson import FOLDER",
    "tests/test_pages.py": "PAGE = 'README.md'",
}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    for file, text in FILES.items():
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Tree(tmp_path)


def names(tree: Tree, *changed: str) -> list[str]:
    return [Path(one.path).stem for one in nearest(tree, changed)]


def test_a_test_called_after_the_module_comes_first_then_those_that_import_little_else(tree: Tree) -> None:
    assert names(tree, "companion/ui/panel.py")[:3] == ["test_panel", "test_colours", "test_everything"]


def test_helpers_are_followed_and_cost_no_step(tree: Tree) -> None:
    steps = {Path(one.path).stem: one.steps for one in nearest(tree, ["companion/ui/panel.py"])}
    assert steps == {"test_panel": 1, "test_colours": 1, "test_everything": 1, "test_page": 2}


def test_a_changed_test_and_the_tests_of_a_changed_helper_come_before_all_others(tree: Tree) -> None:
    assert names(tree, "tests/ui/drawn.py") == ["test_colours"]
    assert names(tree, "tests/ui/test_page.py", "companion/ui/panel.py")[0] == "test_page"


def test_what_a_neighbour_imports_is_near_and_what_is_farther_is_not(tree: Tree) -> None:
    assert set(names(tree, "companion/core/seats.py")) == {"test_colours", "test_everything"}


def test_the_tests_of_a_game_stand_beside_its_modules(tree: Tree) -> None:
    assert names(tree, "companion/games/skat/players.py") == ["test_skat"]


def test_a_page_and_a_lesson_are_looked_for_by_their_names(tree: Tree) -> None:
    assert names(tree, "README.md") == ["test_pages"]
    assert names(tree, "assets/lessons/skat/full.toml") == ["test_lessons"]


class Hooks:
    def __init__(self) -> None:
        self.hook = self
        self.deselected: list[Any] = []

    def pytest_deselected(self, items: list[Any]) -> None:
        self.deselected += items


class Item:
    def __init__(self, name: str, *, slow: bool = False) -> None:
        self.nodeid = name
        self.slow = slow

    def get_closest_marker(self, name: str) -> bool:
        return self.slow and name == "slow"


def test_what_is_slow_or_late_is_left_out_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    quick, slow = Item("test_a.py::quick"), Item("test_a.py::slow", slow=True)
    items: list[Any] = [slow, quick]
    bounded, hooks = Bounded(until=float("inf")), Hooks()
    bounded.pytest_collection_modifyitems(hooks, items)  # type: ignore[arg-type]
    assert (items, hooks.deselected) == ([quick], [slow])
    assert bounded.pytest_runtest_protocol(quick) is None, "there is time: pytest runs it"  # type: ignore[arg-type]
    bounded.until = 0.0
    assert bounded.pytest_runtest_protocol(quick) is True  # type: ignore[arg-type]
    left_out(["test_far.py"], bounded, types_too=True)
    said = capsys.readouterr().out
    for what in ("test_a.py::slow", "1 of test_a.py", "test_far.py", "types"):
        assert what in said
