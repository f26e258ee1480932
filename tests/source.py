"""The program's own source as a set of facts: modules, imports, calls, names, code lines."""

from __future__ import annotations

import ast
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
TABLE, CLUB = ("companion", "hardware"), "companion_club"
"""The packages of both distributions."""
CONTAINERS = {"list", "dict", "set", "bytearray", "deque", "defaultdict", "Counter", "OrderedDict"}
READ_ONLY = ("Mapping", "Sequence", "Collection", "Final", "ClassVar", "AbstractSet")
"""Annotations through which mypy lets nobody write."""
NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
IRREGULAR = re.compile(
    r"been|begun|bent|bitten|blown|born|borne|bought|bound|bred|broken|brought|built|burnt|caught|"
    r"chosen|dealt|done|drawn|driven|dug|eaten|fallen|fed|felt|flown|forbidden|foreseen|forgiven|"
    r"forgotten|fought|found|frozen|given|gone|grown|heard|held|hidden|hung|kept|knelt|known|laid|"
    r"lain|learnt|led|lent|lit|lost|made|meant|met|mistaken|overheard|overrun|overtaken|paid|proven|"
    r"rewritten|ridden|risen|rung|said|sat|seen|sent|sewn|shaken|shone|shot|shown|shrunk|slept|slid|"
    r"sold|sought|spent|spoken|sprung|spun|stolen|stood|strung|struck|stuck|sung|sunk|swept|sworn|"
    r"swung|taken|taught|thought|thrown|told|torn|trodden|understood|undone|unheard|unknown|unlit|"
    r"unread|unseen|untold|wept|withdrawn|woken|won|worn|wound|woven|written|wrung"
)
"""Past participles without -ed that are not an infinitive as well, as *read* and *set* are."""
ED_OF_ITS_OWN = frozenset(
    {"bleed", "breed", "deed", "embed", "exceed", "feed", "need", "proceed", "seed", "speed", "succeed"}
)


@cache
def modules() -> dict[str, Path]:
    """Every module of ours by its dotted name."""
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for root, package in (*((ROOT, package) for package in TABLE), (ROOT / "club", CLUB))
        for path in sorted((root / package).rglob("*.py"))
    }


def package_of(module: str) -> str:
    """`ui` for `companion.ui.pages.game`, `hardware` for `hardware.pin_table`, `club` for all of the club's.

    Empty for `companion` itself.
    """
    first, _, rest = module.partition(".")
    if first == CLUB:
        return "club"
    return rest.partition(".")[0] if first == "companion" else first


class Facts(NamedTuple):
    """What these tests ask of one module; its tree is not kept, a million nodes make every test slow."""

    imports: frozenset[str]
    calls: frozenset[str]
    """The last names of everything it calls."""
    mutable: tuple[str, ...]
    waits: bool
    """Whether it is written for an event loop."""
    functions: tuple[str, ...]
    """Public functions and methods by qualified name, without properties."""
    classes: tuple[str, ...]
    """Public classes."""


@cache
def facts(module: str) -> Facts:
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    public = [
        (name, node)
        for name, node in definitions(tree.body)
        if not any(part.startswith("_") for part in name.split("."))
    ]
    called = (node.func for node in nodes if isinstance(node, ast.Call))
    return Facts(
        frozenset(imports_in(nodes)),
        frozenset(getattr(function, "attr", None) or getattr(function, "id", "") for function in called),
        tuple(mutable_state(nodes, tree.body)),
        any(isinstance(node, ast.AsyncFunctionDef | ast.Await) for node in nodes),
        tuple(name for name, node in public if not isinstance(node, ast.ClassDef) and not is_property(node)),
        tuple(name for name, node in public if isinstance(node, ast.ClassDef) and "." not in name),
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
    return within(module, *TABLE, CLUB)


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


@cache
def code_lines(path: Path) -> int:
    """How many lines have a token that is no comment and no string standing alone, as a docstring does."""
    with path.open("rb") as file:
        tokens = [token for token in tokenize.tokenize(file.readline) if token.type not in NO_CODE]
    lines: set[int] = set()
    ends = {tokenize.NEWLINE}
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        alone = (before is None or before.type in ends) and (after is None or after.type in ends)
        if token.type not in ends and not (token.type == tokenize.STRING and alone):
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines)


@cache
def importers() -> Counter[str]:
    """How many modules of ours import each module."""
    return Counter(name for module in modules() for name in facts(module).imports if name in modules())


def is_bare_participle(name: str) -> bool:
    """Whether a name is one past participle and nothing else, such as `told` or `_shown`."""
    word = name.strip("_").lower()
    if "_" in word or word in ED_OF_ITS_OWN:
        return False
    return IRREGULAR.fullmatch(word) is not None or (word.endswith("ed") and len(word) > 3)


def participles() -> list[str]:
    """`module.qualified` of each public function or method, no property, that is a bare participle."""
    return [
        f"{module}.{name}"
        for module in modules()
        for name in facts(module).functions
        if is_bare_participle(name.rpartition(".")[2])
    ]


def classes_twice() -> dict[str, list[str]]:
    """Names of public classes that more than one module has, with these modules; not of `hardware`."""
    where: dict[str, list[str]] = {}
    for module in modules():
        for name in facts(module).classes if within(module, "companion", CLUB) else ():
            where.setdefault(name, []).append(module)
    return {name: found for name, found in where.items() if len(found) > 1}


def definitions(body: Sequence[ast.stmt], within_class: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Public functions and classes of a module, methods included, by qualified name."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield f"{within_class}{node.name}", node
            yield from definitions(node.body, f"{within_class}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{within_class}{node.name}", node
        elif isinstance(node, ast.If):
            yield from definitions([*node.body, *node.orelse], within_class)


def is_property(node: ast.AST) -> bool:
    decorators = getattr(node, "decorator_list", [])
    return any("property" in ast.unparse(decorator) for decorator in decorators)
