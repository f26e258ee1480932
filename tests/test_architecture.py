"""The layers of the architecture: imports point down, and what is pure stays pure.

`MAY_IMPORT` names every package and what it may use; a package that it does not name fails. There is no list
of exceptions: when a test here fails, move the code. Each test looks at a whole package, so that the suite
stays small however many modules there are.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
LEAVES = {"about", "paths", "setup_opencv"}
"""Single modules beside the packages that import nothing of ours and that any package may use."""
MAY_IMPORT: dict[str, set[str]] = {
    "core": set(),
    "vision": {"core"},
    "hardware": {"core", "vision"},
    "referee": {"core"},
    "games": {"core", "printing", "referee", "vision"},
    "settings": {"core", "games", "referee"},
    "printing": {"vision"},
    "teach": {"core", "games", "referee"},
    "simulation": {"core", "games", "referee", "vision"},
    "camera": {"core", "games", "hardware", "referee", "vision"},
    "ui": {"core", "games", "settings"},
    "recap": {"core", "games", "referee", "ui"},
    "appliance": {"core", "referee", "settings", "ui"},
    "diagnostics": {
        "appliance",
        "camera",
        "core",
        "games",
        "hardware",
        "referee",
        "settings",
        "ui",
        "vision",
    },
    "table": {
        *{"appliance", "camera", "core", "games", "hardware", "recap", "referee", "settings"},
        *{"teach", "ui"},
    },
    "demo": {
        *{"camera", "core", "games", "hardware", "referee", "settings", "simulation", "table", "teach", "ui"},
        *{"vision"},
    },
    "run": {
        *{"appliance", "camera", "core", "demo", "games", "hardware", "referee", "settings", "simulation"},
        *{"table", "ui", "vision"},
    },
    "testing": {"core", "games", "referee", "simulation"},
    "cli": {
        *{"appliance", "camera", "core", "diagnostics", "games", "hardware", "printing", "recap", "referee"},
        *{"run", "settings", "simulation", "table", "teach", "ui", "vision"},
    },
    "command": {"cli", "core", "run", "settings"},
    "__main__": {"command"},
    "build_hook": set(),
    "about": set(),
    "paths": set(),
    "setup_opencv": set(),
}
LIBRARIES: dict[str, set[str]] = {
    "pygame": {"ui"},
    "gpiozero": {"hardware"},
    "gpiod": {"hardware"},
    "lgpio": {"hardware"},
    "picamera2": {"hardware"},
    "libcamera": {"hardware"},
    "evdev": {"hardware"},
    "cv2": {"vision", "printing", "hardware"},
    "reportlab": {"printing"},
    "pypdfium2": {"printing"},
}
"""Where a library may be imported; the standard library and what is not named here: anywhere."""
CLOCKS = {"time", "datetime"}
FILES = {"io", "os", "pathlib", "shutil", "socket", "sqlite3", "subprocess", "tempfile"}
IMPURE = CLOCKS | FILES | {"logging", "queue", "random", "secrets", "threading"}
PURE = {"core", "games.kinapa.rules", "games.kabuki.rules", "games.kobayakawa.rules", "games.dnup.rules"}
CONTAINERS = {"list", "dict", "set", "bytearray", "deque", "defaultdict", "Counter", "OrderedDict"}
READ_ONLY = ("Mapping", "Sequence", "Collection", "Final", "ClassVar", "AbstractSet")
"""Annotations through which mypy lets nobody write."""
WAITING = frozenset({"sleep", "Lock", "RLock", "Condition", "Semaphore"})


@cache
def modules() -> dict[str, Path]:
    """Every module of ours by its dotted name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for package in ("companion", "hardware")
        for path in sorted((ROOT / package).rglob("*.py"))
    }


def package_of(module: str) -> str:
    """`ui` for `companion.ui.pages.game`, `hardware` for `hardware.pins`; empty for `companion` itself."""
    first, _, rest = module.partition(".")
    return rest.partition(".")[0] if first == "companion" else first


class Facts(NamedTuple):
    """What these tests ask of one module; its tree is not kept, a million nodes make every test slow."""

    imports: frozenset[str]
    calls: frozenset[str]
    """The last names of everything it calls."""
    mutable: tuple[str, ...]
    waits: bool
    """Whether it is written for an event loop."""


@cache
def facts(module: str) -> Facts:
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    called = (node.func for node in nodes if isinstance(node, ast.Call))
    return Facts(
        frozenset(imports_in(nodes)),
        frozenset(getattr(function, "attr", None) or getattr(function, "id", "") for function in called),
        tuple(mutable_state(nodes, tree.body)),
        any(isinstance(node, ast.AsyncFunctionDef | ast.Await) for node in nodes),
    )


def imports_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Every module that is imported, wherever it stands; names taken from a package count as its parts."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            source = node.module or ""
            parts = {f"{source}.{alias.name}" for alias in node.names}
            ours = parts & modules().keys()
            yield from ours
            if ours != parts:
                yield source


def within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def is_ours(module: str) -> bool:
    return within(module, "companion", "hardware")


def of(package: str) -> list[str]:
    """The modules of a package of `companion`, or of a package in one (`games.kinapa.rules`)."""
    dotted = package if package == "hardware" else f"companion.{package}"
    found = [module for module in modules() if within(module, dotted)]
    assert found, f"there is no package {package}"
    return found


def test_every_package_says_what_it_may_import() -> None:
    assert {package_of(module) for module in modules()} - {""} == set(MAY_IMPORT)


def test_packages_stand_on_floors() -> None:
    """None may use another that uses it, by whatever way round; a circle is named by the error."""
    TopologicalSorter(MAY_IMPORT).prepare()


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_point_down(package: str) -> None:
    allowed = MAY_IMPORT[package] | LEAVES | {package, ""}
    wrong = [
        f"{module} imports {name}"
        for module in of(package)
        for name in facts(module).imports
        if is_ours(name) and package_of(name) not in allowed
    ]
    assert wrong == []


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
        if module != "companion.core.clock":
            assert first & IMPURE == set(), module
        assert first - set(sys.stdlib_module_names) <= {"companion", "msgspec"}, module
        assert facts(module).calls & {"open", "print", "input", "exec", "eval"} == set(), module


def test_no_game_knows_another() -> None:
    games = {path.name for path in (ROOT / "companion" / "games").iterdir() if (path / "rules").is_dir()}
    assert {f"games.{game}.rules" for game in games} == PURE - {"core"}
    for game in games:
        others = tuple(f"companion.games.{other}" for other in games - {game})
        for module in of(f"games.{game}"):
            assert [name for name in facts(module).imports if within(name, *others)] == [], module


def test_only_the_clock_reads_the_time() -> None:
    readers = {module for module in modules() if facts(module).imports & CLOCKS}
    assert readers == {"companion.core.clock"}


def test_the_screen_judges_nothing() -> None:
    for module in of("ui"):
        assert facts(module).calls & {"decide", "evolve", "judge", "evolve_game"} == set(), module


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_no_module_keeps_mutable_state(package: str) -> None:
    for module in of(package):
        assert facts(module).mutable == (), module


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_nothing_sleeps_locks_or_awaits(package: str) -> None:
    for module in of(package):
        assert not facts(module).waits, module
        assert facts(module).calls & WAITING == set(), module
        assert not any(name.endswith("Executor") for name in facts(module).calls), module
        assert not any(within(name, "asyncio", "multiprocessing") for name in facts(module).imports), module


def mutable_state(nodes: Iterable[ast.AST], body: Sequence[ast.stmt]) -> Iterator[str]:
    """What a module could change behind its callers' backs: containers that are not constants, `global`."""
    for node in nodes:
        if isinstance(node, ast.Global):
            yield f"line {node.lineno}: global {', '.join(node.names)}"
    for node in body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        named = ", ".join(ast.unparse(target) for target in targets)
        if named == "__all__":
            continue
        value = node.value
        display = isinstance(value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)
        built = isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in CONTAINERS
        annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
        read_only = annotation.rpartition(".")[2].startswith(READ_ONLY) or annotation.startswith(READ_ONLY)
        if (display or built) and not read_only:
            yield f"line {node.lineno}: {named}"


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
