"""Optional packages: the extras of the program, and what other installed packages add to it.

The entry points of an extension have the groups `companion.commands` (a package with a `commands.toml`),
`companion.checks` (of `companion doctor`), `companion.schemas` (of `companion dev schema`),
`companion.uplink` (a class in the place of `companion.home.uplink.Uplink`). Games have a group of their own,
see `companion.games`.
"""

import logging
import shlex
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from companion.core.errors import CompanionError

LIBRARIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "page": ("anyio", "starlette", "uvicorn", "websockets", "segno"),
        "home": ("paho",),
    }
)
"""What is imported of an extra of pyproject.toml; nothing else of the program imports it."""
CLUB_PACKAGE = "table-companion-club"
"""The distribution with hub, desk, and what tells a hub of a table."""


def install_command(extra: str = "", *, package: str = "table-companion") -> str:
    """The command that adds a package with an extra; another Python's pip would not find the program."""
    wanted = shlex.quote(f"{package}[{extra}]" if extra else package)
    return f"{shlex.quote(sys.executable)} -m pip install {wanted}"


def missing_library(names: Iterable[str]) -> str:
    """The first of these libraries that is not installed; empty where all are."""
    return next((name for name in names if find_spec(name) is None), "")


def require_extra(extra: str) -> None:
    """Raise `CompanionError` where a library of the extra is not installed."""
    if name := missing_library(LIBRARIES[extra]):
        raise CompanionError(f"This needs the library {name}: {install_command(extra)}")


log = logging.getLogger(__name__)


@cache
def _all_entry_points() -> Any:
    """Those of all groups: to find one group's every installed package is read.

    The type is another one before Python 3.12.
    """
    return entry_points()


def find_extensions(group: str) -> list[EntryPoint]:
    """What is added to this group, by its name; nothing is imported for that."""
    return sorted(_all_entry_points().select(group=group), key=lambda point: point.name)


def load_extensions(group: str) -> Mapping[str, Any]:
    """What each package adds to this group, by its name; what cannot be imported is logged and left out."""
    found: dict[str, Any] = {}
    for point in find_extensions(group):
        try:
            found[point.name] = point.load()
        except Exception as problem:
            log.warning("%s of the group %s cannot be imported", point.value, group, exc_info=problem)
    return found
