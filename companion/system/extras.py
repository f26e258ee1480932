"""Optional extras and packages: whether one is installed, and the command that adds it."""

import shlex
import sys
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from types import MappingProxyType

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
