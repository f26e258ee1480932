"""Which tests are nearest to a file: the import graph of the checkout, followed backwards."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

SOURCES = ("companion", "hardware", "systemd", "tests", "club")
TESTS = ("tests/", "club/tests/")
MODULE = re.compile(r"(?:companion(?:_club)?|hardware)(?:\.\w+)+(?=:|$)")
"""A module that is named in a string and imported late."""
FARTHEST = 2
"""Steps from a file over which tests are sought: 1 imports it, 2 imports what imports it."""


class Near(NamedTuple):
    """A test file; the nearest sorts first."""

    steps: int
    """Imports between it and what changed; 0 is changed itself, or uses a changed part of the tests."""
    stranger: bool
    """Neither its name nor its folder speaks of what changed."""
    breadth: int
    """Modules of ours that it imports: a test of few is about each of them."""
    path: str


class Tree:
    """The Python files of a checkout and what each of them uses."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = tuple(
            path.relative_to(root).as_posix()
            for folder in SOURCES
            for path in sorted((root / folder).rglob("*.py"))
            if not path.is_relative_to(root / "tests" / "programs" / "pi")
        )

    @cached_property
    def modules(self) -> Mapping[str, str]:
        """Dotted name → file; a module of the tests by its bare name too, as pytest lets it be imported."""
        bare = {Path(file).stem: file for file in self.files if file.startswith(TESTS)}
        return bare | {name_of(file): file for file in self.files}

    @cached_property
    def uses(self) -> Mapping[str, frozenset[str]]:
        """File → the files and names of other files (`README.md`, `lessons`) that it imports or names."""
        return {file: frozenset(self._uses(file)) for file in self.files}

    @cached_property
    def users(self) -> Mapping[str, frozenset[str]]:
        """The same backwards."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for file, used in self.uses.items():
            for one in used - {file}:
                found[one].add(file)
        return {used: frozenset(files) for used, files in found.items()}

    def _uses(self, file: str) -> Iterator[str]:
        folder = Path(file).parent.as_posix().replace("/", ".")
        for node in ast.walk(ast.parse((self.root / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from self._files(folder, (alias.name for alias in node.names))
            elif isinstance(node, ast.ImportFrom) and node.module:
                parts = [f"{node.module}.{alias.name}" for alias in node.names]
                found = set(self._files(folder, parts))
                yield from found or self._files(folder, [node.module])
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 100:
                yield Path(node.value).name
                yield from self._files(folder, MODULE.findall(node.value))

    def _files(self, folder: str, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            file = self.modules.get(f"{folder}.{name}") or self.modules.get(name)
            if file is not None:
                yield file


def name_of(file: str) -> str:
    """`companion.ui` for `companion/ui/__init__.py`."""
    file = file.removeprefix("club/") if file.startswith("club/companion_club/") else file
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def is_test(file: str) -> bool:
    return file.startswith(TESTS) and Path(file).name.startswith("test_")


def nearest(tree: Tree, changed: Iterable[str]) -> list[Near]:
    """The test files that have to do with these files, the nearest first."""
    changed = tuple(changed)
    steps = dict.fromkeys(changed, 0)
    edge = [(file, key) for file in changed for key in keys_of(file)]
    while edge:
        following = []
        for file, key in edge:
            far = steps[file] + (not file.startswith(TESTS))
            for user in tree.users.get(key, ()):
                if far <= FARTHEST and far < steps.get(user, FARTHEST + 1):
                    steps[user] = far
                    following.append((user, user))
        edge = following
    beside = {one for file in changed for one in tree.files if is_test(one) and stands_beside(one, file)}
    for test in beside:
        steps[test] = min(1, steps.get(test, 1))
    return sorted(
        Near(far, test not in beside, len(tree.uses[test] & set(tree.files)), test)
        for test, far in steps.items()
        if is_test(test) and test in tree.uses
    )


def keys_of(file: str) -> tuple[str, ...]:
    """By what others use a file: as a module; else by its name, or by its folder in `assets`."""
    if file.endswith(".py"):
        return (file,)
    path = Path(file)
    return (path.name, path.parts[1]) if path.parts[0] == "assets" and len(path.parts) > 1 else (path.name,)


def stands_beside(test: str, file: str) -> bool:
    """Whether the test is called after the module, or after the game that the module belongs to."""
    words = set(Path(test).stem.removeprefix("test_").split("_"))
    match Path(file).parts:
        case ("companion", "games", game, _, *_):
            return game in words
        case ("companion" | "hardware", *_) | ("club", "companion_club", *_):
            return set(Path(file).stem.split("_")) <= words
        case _:
            return False
