"""The layers of the architecture: imports point down, and what is pure stays pure.

`MAY_IMPORT` names every package and what it may use; a package that it does not name fails. There is no list
of exceptions: when a test here fails, move the code. Each test looks at a whole package, so that the suite
stays small however many modules there are.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter

import pytest

from tests.source import (
    CLUB,
    ROOT,
    facts,
    imports_in,
    is_ours,
    modules,
    mutable_state,
    package_of,
    within,
)

TOP_LEVEL = {
    ".ci",
    ".dockerignore",
    ".editorconfig",
    ".gitattributes",
    ".github",
    ".gitignore",
    ".pre-commit-config.yaml",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENCES.md",
    "LICENSE",
    "Makefile",
    "PACKAGE.md",
    "README.md",
    "assets",
    "club",
    "companion",
    "conftest.py",
    "docs",
    "hardware",
    "mkdocs.yml",
    "pyproject.toml",
    "systemd",
    "tests",
}
"""What the repository's folder holds."""
MAY_IMPORT: dict[str, set[str]] = {
    "build_hook": set(),
    "core": set(),
    "system": {"core"},
    "referee": {"core", "system"},
    "vision": {"core", "system"},
    "hardware": {"core", "system", "vision"},
    "printing": {"vision"},
    "games": {"core", "printing", "system", "vision"},
    "camera": {"core", "games", "hardware", "referee", "system", "vision"},
    "language": {"core", "games", "system"},
    "teach": {"core", "games", "referee", "system"},
    "settings": {"core", "games", "language", "system"},
    "simulation": {"camera", "core", "games", "hardware", "referee", "vision"},
    "ui": {"core", "games", "language", "system"},
    "network": {"core", "games", "language", "system", "ui"},
    "testing": {"core", "games", "referee", "simulation"},
    "home": {"core", "language", "network", "settings", "system"},
    "table": {
        "camera",
        "core",
        "games",
        "hardware",
        "language",
        "network",
        "referee",
        "settings",
        "system",
        "teach",
        "ui",
    },
    "programs": {
        "camera",
        "core",
        "games",
        "hardware",
        "language",
        "network",
        "referee",
        "settings",
        "simulation",
        "system",
        "table",
        "ui",
        "vision",
    },
    "cli": {
        "camera",
        "core",
        "games",
        "hardware",
        "home",
        "language",
        "network",
        "printing",
        "programs",
        "referee",
        "settings",
        "simulation",
        "system",
        "table",
        "teach",
        "ui",
        "vision",
    },
    "__main__": {"cli"},
}
"""Each package with all that it uses, and nothing that it does not: an arrow that is gone goes here too."""
MOST_FLOORS = 12
"""A package stands above all that it uses; what uses nothing of ours stands on the ground."""
MOST_ARROWS = 96
"""How many pairs of packages there are of which one uses the other."""
LIBRARIES: dict[str, set[str]] = {
    "anyio": {"network"},
    "pygame": {"language", "ui"},
    "gpiozero": {"hardware"},
    "gpiod": {"hardware"},
    "lgpio": {"hardware"},
    "picamera2": {"hardware"},
    "libcamera": {"hardware"},
    "paho": {"home"},
    "cv2": {"vision", "printing", "hardware"},
    "reportlab": {"printing"},
    "pypdfium2": {"printing"},
    "segno": {"network"},
    "starlette": {"network"},
    "uvicorn": {"network"},
    "websockets": {"network"},
}
"""Where a library may be imported; the standard library and what is not named here: anywhere."""
CLOCKS = {"time", "datetime"}
FILES = {"io", "os", "pathlib", "shutil", "socket", "sqlite3", "subprocess", "tempfile"}
IMPURE = CLOCKS | FILES | {"logging", "queue", "random", "secrets", "threading"}
DOORS = {"companion.core.clock"}
"""Where time comes in."""
PURE = {
    "core",
    "games.kinapa.rules",
    "games.kabuki.rules",
    "games.kobayakawa.rules",
    "games.any_game.rules",
    "games.hearts.rules",
    "games.liars_dice.rules",
    "games.spades.rules",
    "games.euchre.rules",
    "games.roses.rules",
    "games.in_order.rules",
    "games.dnup.rules",
}
WAITING = frozenset({"sleep", "Lock", "RLock", "Condition", "Semaphore"})
TOPS = ("companion", ".")
"""Where the folders of the rooms are: all of `companion`, and `hardware`."""
OF_NO_ROOM = {"lantern", "models", "whole"}
"""Folders of tests of the whole, of the models, and of a game from outside."""
NOT_HERE = {"alembic", "argon2", "jinja2", "psycopg", "sqlalchemy"}
"""Libraries of a club, of which the table knows nothing."""
OTHER_PROCESSES = ("companion.network.web",)
"""Processes of their own round an event loop; nothing of the table's imports one, but for its verb."""
TO_A_BROKER = "companion.home"
"""The process that tells a broker what is played; it is not in the table's own."""


def table() -> list[str]:
    """The modules of the table: all but the club's."""
    return [module for module in modules() if not within(module, CLUB)]


def of(package: str) -> list[str]:
    """The modules of a package of `companion`, or of a package in one (`games.kinapa.rules`)."""
    dotted = package if package == "hardware" else f"companion.{package}"
    found = [module for module in table() if within(module, dotted)]
    assert found, f"there is no package {package}"
    return found


def used(package: str) -> set[str]:
    """The other packages of which something is imported, wherever in a module that stands."""
    names = {name for module in of(package) for name in facts(module).imports if is_ours(name)}
    return {package_of(name) for name in names} - {package, ""}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no git checkout")
def test_the_repository_holds_the_listed_folders_and_no_strange_path() -> None:
    """A store that was committed into a folder called `"` came from a test that was given a quoted path."""
    listing = ["git", "-c", "core.quotePath=false", "ls-files", "-z"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    assert {path.partition("/")[0] for path in listed if path} <= TOP_LEVEL
    assert [
        path for path in listed if set(path) & set("\"'\\\n") or "//" in path or path.startswith("/")
    ] == []


def test_every_package_says_what_it_may_import() -> None:
    assert {package_of(module) for module in table()} - {""} == set(MAY_IMPORT)


def test_the_table_and_its_tests_know_nothing_of_a_club() -> None:
    """It depends on the table, and is found by its entry points."""
    for module in table():
        first = {name.partition(".")[0] for name in facts(module).imports}
        assert first & {CLUB, "club", *NOT_HERE} == set(), module
    for path in (ROOT / "tests").rglob("*.py"):
        imports = imports_in(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        assert [name for name in imports if within(name, CLUB, "club")] == [], path


def test_a_folder_of_tests_is_called_as_the_room_that_it_tests() -> None:
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    rooms = {path for path in folders if path.parts and path.parts[0] not in OF_NO_ROOM}
    assert [str(path) for path in rooms if not any((ROOT / top / path).is_dir() for top in TOPS)] == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Not for the type checker alone either; the error names the circle. A part may name its own package."""
    TopologicalSorter(
        {
            module: [name for name in facts(module).imports if is_ours(name) and not within(module, name)]
            for module in modules()
        }
    ).prepare()


def test_each_package_imports_what_it_may_and_no_permission_is_stale() -> None:
    assert {package: used(package) for package in MAY_IMPORT} == MAY_IMPORT


def test_packages_stand_on_few_floors_with_few_arrows_between_them() -> None:
    """Neither figure may grow; one that fell is lowered here. A circle of packages is named by the error."""
    floors: dict[str, int] = {}
    for package in TopologicalSorter(MAY_IMPORT).static_order():
        floors[package] = 1 + max((floors[other] for other in MAY_IMPORT[package]), default=0)
    arrows = [f"{package} -> {other}" for package in MAY_IMPORT for other in sorted(MAY_IMPORT[package])]
    assert (max(floors.values()), len(arrows)) == (MOST_FLOORS, MOST_ARROWS), (floors, arrows)


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_each_library_has_its_one_home(package: str) -> None:
    used = {(module, name.partition(".")[0]) for module in of(package) for name in facts(module).imports}
    assert [
        f"{module} imports {name}" for module, name in used if package not in LIBRARIES.get(name, {package})
    ] == []


@pytest.mark.parametrize("package", sorted(PURE))
def test_rules_and_vocabulary_know_no_clock_chance_file_log_thread_or_library(package: str) -> None:
    for module in of(package):
        first = {name.partition(".")[0] for name in facts(module).imports}
        if module not in DOORS:
            assert first & IMPURE == set(), module
        assert first - set(sys.stdlib_module_names) <= {"companion", "msgspec"}, module
        if module not in DOORS:
            assert facts(module).calls & {"open", "print", "input", "exec", "eval"} == set(), module


def test_no_game_knows_another() -> None:
    games = {path.name for path in (ROOT / "companion" / "games").iterdir() if (path / "rules").is_dir()}
    assert {f"games.{game}.rules" for game in games} == PURE - {"core"}
    for game in games:
        others = tuple(f"companion.games.{other}" for other in games - {game})
        for module in of(f"games.{game}"):
            assert [name for name in facts(module).imports if within(name, *others)] == [], module


def test_only_the_clock_reads_the_time() -> None:
    readers = {module for module in table() if facts(module).imports & CLOCKS}
    assert readers == {"companion.core.clock"}


def test_the_screen_judges_nothing() -> None:
    for module in of("ui"):
        assert facts(module).calls & {"decide", "evolve", "judge", "evolve_game"} == set(), module


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_no_module_keeps_mutable_state(package: str) -> None:
    for module in of(package):
        assert facts(module).mutable == (), module


def test_the_table_imports_nothing_of_another_process() -> None:
    apart = (*OTHER_PROCESSES, TO_A_BROKER)
    users = {
        package_of(module)
        for module in table()
        if not within(module, *apart) and any(within(name, *apart) for name in facts(module).imports)
    }
    assert users == {"cli"}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_nothing_sleeps_locks_or_awaits(package: str) -> None:
    for module in (module for module in of(package) if not within(module, *OTHER_PROCESSES)):
        assert not facts(module).waits, module
        assert facts(module).calls & WAITING == set(), module
        assert not any(name.endswith("Executor") for name in facts(module).calls), module
        assert not any(within(name, "asyncio", "multiprocessing") for name in facts(module).imports), module


@pytest.mark.parametrize(
    "planted",
    [
        "CACHE = {}",
        "SEEN: list[int] = []",
        "import collections\nLAST = collections.deque()",
        "def f():\n    global x\n    x = 1",
    ],
)
def test_a_planted_mutable_is_found(planted: str) -> None:
    tree = ast.parse(planted)
    assert list(mutable_state(ast.walk(tree), tree.body))


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        ("def f():\n    import time", "time"),
        ("from hardware import pins", "hardware"),
        ("from companion.core import clock", "companion.core.clock"),
        ("if TYPE_CHECKING:\n    from companion.core.rules import Rules", "companion.core.rules"),
    ],
)
def test_a_planted_import_is_found_wherever_it_stands(planted: str, found: str) -> None:
    assert any(within(name, found) for name in imports_in(ast.walk(ast.parse(planted))))
