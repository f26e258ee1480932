"""A name in backticks is one that the code has, near where it stands.

A docstring that names what was renamed sends its reader to look for it in vain.
"""

import ast
import builtins
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tests.source import facts, modules

QUOTED = re.compile(r"`([A-Za-z_]\w*)`")
FIELDS = {"id", "attr", "name", "arg", "asname", "module"}
"""Where the syntax tree keeps a name."""
OUTSIDE = {
    **dict.fromkeys(("StateDirectory", "LimitNOFILE", "FileDescriptorName"), "systemd's"),
    **dict.fromkeys(("when_pressed", "_make_libcamera_config", "adaptiveThreshold", "cv2"), "of a library"),
    "sys": "a folder of Linux",
    "lightdm": "a display manager",
    "data_version": "a pragma of SQLite",
    "k": "any number of an entry, in the prose of the journal",
    "large_text": "a setting, named as its owner does",
}
"""Names that are not ours, and the few that are no name, each with its reason."""


class Names(NamedTuple):
    quoted: frozenset[str]
    """In docstrings and comments."""
    used: frozenset[str]
    values: frozenset[str]
    """Whole strings: words of a closed list, tags, names of commands."""


@cache
def names(module: str) -> Names:
    source = modules()[module].read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(source)))
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    strings = [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    told = [str(node.value) for node in strings if id(node) in prose]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    told += [token.string for token in tokens if token.type == tokenize.COMMENT]
    fields = (getattr(node, field, None) for node in nodes for field in FIELDS)
    parts = {part for name in fields if isinstance(name, str) for part in name.split(".")}
    return Names(
        frozenset(name for text in told for name in QUOTED.findall(text)),
        frozenset(parts | {name for node in nodes for name in getattr(node, "kwd_attrs", ())}),
        frozenset(str(node.value) for node in strings if id(node) not in prose),
    )


def neighbours(module: str) -> Iterator[str]:
    """A module, those that it imports, those that import it, and those that lie in it."""
    yield module
    for other in modules():
        if other in facts(module).imports or module in facts(other).imports:
            yield other


def test_every_name_in_backticks_is_one_of_the_code_nearby() -> None:
    values = frozenset[str]().union(*(names(module).values for module in modules()))
    errors = names("companion.core.errors").used  # any module may raise them
    everywhere = values | errors | set(dir(builtins)) | OUTSIDE.keys()
    unknown = {}
    for module in modules():
        inside = {part for other in modules() if other.startswith(f"{module}.") for part in other.split(".")}
        known = everywhere.union(inside, *(names(other).used for other in neighbours(module)))
        unknown |= {module: gone} if (gone := names(module).quoted - known) else {}
    assert unknown == {}
