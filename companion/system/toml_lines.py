"""Line numbers of the keys in a TOML file, for error messages."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

KeyPath = tuple[str, ...]
IndexedKeyPath = tuple[str | int, ...]
"""A key, the sections of a list counted from 0: `("step", 1, "title")`."""
_TOKENS = re.compile(
    r"""
    \"{3} (?: \\. | [^\\] )*? \"{3,5}    # a text of several lines
    | \'{3} .*? \'{3,5}
    | \" (?: \\. | [^"\\\n] )* \"
    | \' [^'\n]* \'
    | \# [^\n]*
    | [][{}\n]
    """,
    re.VERBOSE | re.DOTALL,
)
"""What decides where a statement ends."""
_BRACKET_DEPTH: Mapping[str, int] = {"[": 1, "{": 1, "]": -1, "}": -1}


def find_key_lines(text: str) -> dict[IndexedKeyPath, int]:
    """The line, from 1, in which each key and section of the TOML in `text` is said first."""
    found: dict[IndexedKeyPath, int] = {}
    counts: dict[IndexedKeyPath, int] = {}
    section: IndexedKeyPath = ()
    for line, statement in _statements(text):
        paths = list(_key_paths(tomllib.loads(statement)))
        if not statement.startswith("["):
            for path in paths:
                found.setdefault((*section, *path), line)
            continue
        section = ()
        for place, name in enumerate(paths[-1], 1):
            section = (*section, name)
            if statement.startswith("[[") and place == len(paths[-1]):
                counts[section] = counts.get(section, -1) + 1
            found.setdefault(section, line)
            if section in counts:
                section = (*section, counts[section])
                found.setdefault(section, line)
    return found


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Every statement with the line in which it begins; `text` has been parsed."""
    begins, line, depth = 0, 1, 0
    first = line
    for token in _TOKENS.finditer(f"{text}\n"):
        depth += _BRACKET_DEPTH.get(token[0], 0)
        line += token[0].count("\n")
        if token[0] == "\n" and depth == 0:
            statement = text[begins : token.start()].strip()
            if statement and not statement.startswith("#"):
                yield first, statement
            begins, first = token.end(), line


def _key_paths(tree: Mapping[str, Any]) -> Iterator[KeyPath]:
    """Every key of a statement, the sections before what is in them."""
    for name, value in tree.items():
        yield (name,)
        if isinstance(value, Mapping):
            yield from ((name, *path) for path in _key_paths(value))
