"""The layers of the architecture: imports point down, and what is pure stays pure.

There is no list of exceptions. When a test here fails, move the code.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
VOCABULARY = frozenset(
    f"companion.{name}"
    for name in (
        "actions",
        "clock",
        "errors",
        "events",
        "exhibits",
        "lockout",
        "observations",
        "seats",
        "view",
    )
)
CLOCKS = {"time", "datetime"}
FILES = {"io", "os", "pathlib", "shutil", "socket", "sqlite3", "subprocess", "tempfile"}
IMPURE = CLOCKS | FILES | {"logging", "queue", "random", "secrets", "threading"}
CONTAINERS = {"list", "dict", "set", "bytearray", "deque", "defaultdict", "Counter", "OrderedDict"}
READ_ONLY = ("Mapping", "Sequence", "Collection", "Final", "ClassVar", "AbstractSet")
"""Annotations through which mypy lets nobody write."""
WAITING = frozenset({"sleep", "Lock", "RLock", "Condition", "Semaphore"})


@cache
def modules() -> tuple[str, ...]:
    """Every module of ours by its dotted name."""
    found = []
    for package in ("companion", "hardware"):
        for path in sorted((ROOT / package).rglob("*.py")):
            dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found.append(dotted.removesuffix(".__init__"))
    return tuple(found)


def path_of(module: str) -> Path:
    plain = ROOT / (module.replace(".", "/") + ".py")
    return plain if plain.exists() else ROOT / module.replace(".", "/") / "__init__.py"


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(path_of(module).read_text(encoding="utf-8"))


def imports_in(tree: ast.AST, module: str = "") -> Iterator[str]:
    """Every module that `tree` imports, anywhere in it; names taken from a package count as its parts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            source = node.module or ""
            parts = {f"{source}.{alias.name}" for alias in node.names}
            ours = parts & set(modules())
            yield from ours
            if ours != parts:
                yield source


def imports(module: str) -> frozenset[str]:
    return frozenset(imports_in(tree_of(module), module))


def within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def is_ours(module: str) -> bool:
    return within(module, "companion", "hardware")


def third_party(module: str) -> frozenset[str]:
    """The libraries, by their first name, that a module imports beside the standard library."""
    first = {name.partition(".")[0] for name in imports(module) - ours_of(module)}
    return frozenset(first - set(sys.stdlib_module_names))


def ours_of(module: str) -> frozenset[str]:
    return frozenset(name for name in imports(module) if is_ours(name))


def called(module: str) -> frozenset[str]:
    """The last names of everything a module calls."""
    calls = (node.func for node in ast.walk(tree_of(module)) if isinstance(node, ast.Call))
    return frozenset(ast.unparse(function).rpartition(".")[2] for function in calls)


def reaches(module: str, *packages: str) -> set[str]:
    """What `module` imports of `packages`."""
    return {name for name in imports(module) if within(name, *packages)}


def those(*packages: str) -> list[str]:
    return [module for module in modules() if within(module, *packages)]


@pytest.mark.parametrize("module", sorted(VOCABULARY & set(modules())))
def test_the_vocabulary_imports_only_itself_msgspec_and_the_standard_library(module: str) -> None:
    assert ours_of(module) <= VOCABULARY
    assert third_party(module) <= {"msgspec"}


@pytest.mark.parametrize("module", those("companion.rules"))
def test_rules_import_only_vocabulary_and_rules(module: str) -> None:
    outside = ours_of(module) - reaches(module, "companion.rules")
    assert outside <= VOCABULARY - {"companion.core.clock"}
    assert third_party(module) <= {"msgspec"}


@pytest.mark.parametrize(
    "module", [*those("companion.rules"), *sorted(VOCABULARY - {"companion.core.clock"})]
)
def test_rules_and_vocabulary_know_no_clock_chance_file_log_or_thread(module: str) -> None:
    first = {name.partition(".")[0] for name in imports(module)}
    assert first & IMPURE == set()


@pytest.mark.parametrize("module", those("companion.rules"))
def test_rules_open_no_file_and_print_nothing(module: str) -> None:
    assert called(module) & {"open", "print", "input", "exec", "eval"} == set()


@pytest.mark.parametrize("module", modules())
def test_each_library_has_its_one_home(module: str) -> None:
    used = third_party(module)
    if not within(module, "companion.ui"):
        assert "pygame" not in used
    if not within(module, "hardware"):
        assert used & {"gpiozero", "lgpio", "picamera2", "libcamera", "evdev"} == set()
    if not within(module, "companion.vision", "companion.printing") and "hardware.camera_" not in module:
        assert "cv2" not in used
    if not within(module, "companion.printing"):
        assert used & {"reportlab", "pypdfium2"} == set()


@pytest.mark.parametrize("module", modules())
def test_only_the_clock_reads_the_time(module: str) -> None:
    if module != "companion.core.clock":
        assert imports(module) & CLOCKS == set()


@pytest.mark.parametrize("module", those("companion.vision"))
def test_vision_knows_faces_and_regions_but_no_game_and_no_referee(module: str) -> None:
    above = ("rules", "referee", "journal", "ui", "app", "simulator", "lessons", "cli")
    assert reaches(module, "hardware", *(f"companion.{name}" for name in above)) == set()


@pytest.mark.parametrize("module", those("companion.ui"))
def test_the_screen_never_sees_a_state_or_the_rules_judgement(module: str) -> None:
    above = ("referee", "journal", "simulator", "vision", "app", "cli")
    assert reaches(module, "hardware", *(f"companion.{name}" for name in above)) == set()
    assert called(module) & {"decide", "evolve", "judge", "evolve_game"} == set()


@pytest.mark.parametrize(
    "module", those("companion.referee.referee", "companion.referee.journal", "companion.referee.store")
)
def test_referee_and_journal_stand_above_rules_alone(module: str) -> None:
    above = ("ui", "vision", "app", "cli", "simulator", "lessons")
    assert reaches(module, "hardware", *(f"companion.{name}" for name in above)) == set()


@pytest.mark.parametrize("module", those("companion.simulator", "companion.lessons"))
def test_the_simulator_knows_no_screen_no_loop_and_no_device(module: str) -> None:
    assert reaches(module, "hardware", "companion.ui", "companion.table.app", "companion.cli") == set()


@pytest.mark.parametrize("module", modules())
def test_nothing_imports_hardware_but_the_composition_root_and_the_verbs(module: str) -> None:
    if not within(module, "hardware", "companion.cli", "companion.__main__"):
        assert reaches(module, "hardware") == set()


@pytest.mark.parametrize("module", those("hardware"))
def test_hardware_stands_on_vocabulary_and_vision(module: str) -> None:
    others = ours_of(module) - reaches(module, "hardware", "companion.vision")
    assert others <= VOCABULARY | {"companion.paths", "companion.settings.model"}


@pytest.mark.parametrize("module", modules())
def test_nothing_imports_the_verbs_but_the_command(module: str) -> None:
    if not within(module, "companion.cli", "companion.__main__"):
        assert reaches(module, "companion.cli", "companion.__main__") == set()


@pytest.mark.parametrize("module", modules())
def test_no_module_keeps_mutable_state(module: str) -> None:
    assert list(mutable_state(tree_of(module))) == []


@pytest.mark.parametrize("module", modules())
def test_nothing_sleeps_locks_or_awaits(module: str) -> None:
    nodes = list(ast.walk(tree_of(module)))
    assert not any(isinstance(node, ast.AsyncFunctionDef | ast.Await) for node in nodes)
    assert called(module) & WAITING == set()
    assert not any(name.endswith("Executor") for name in called(module))
    assert reaches(module, "asyncio", "multiprocessing") == set()


def mutable_state(tree: ast.Module) -> Iterator[str]:
    """What a module could change behind its callers' backs: containers that are not constants, `global`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield f"line {node.lineno}: global {', '.join(node.names)}"
    for node in tree.body:
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
    assert list(mutable_state(ast.parse(planted)))


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        ("def f():\n    import time", "time"),
        ("from hardware import pins", "hardware"),
        ("from companion import clock", "companion.core.clock"),
        ("if TYPE_CHECKING:\n    from companion.core.rules import Rules", "companion.core.rules"),
    ],
)
def test_a_planted_import_is_found_wherever_it_stands(planted: str, found: str) -> None:
    assert any(within(name, found) for name in imports_in(ast.parse(planted)))
