"""Optional extras of the package: whether one is installed, and the command that adds it."""

import shlex
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType

from companion.core.errors import CompanionError

LIBRARIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "page": ("anyio", "starlette", "uvicorn", "websockets", "segno"),
        "uplink": ("paho",),
        "club": (
            *("anyio", "starlette", "uvicorn", "jinja2", "sqlalchemy", "alembic", "argon2", "segno", "paho"),
        ),
    }
)
"""What is imported of an extra of pyproject.toml; nothing else of the program imports it."""


def install_command(extra: str) -> str:
    """The command that adds an extra of pyproject.toml; another Python's pip would not find the program."""
    return f"{shlex.quote(sys.executable)} -m pip install 'table-companion[{extra}]'"


def missing_library(extra: str) -> str:
    """The first library of an extra that is not installed; empty where all are."""
    return next((name for name in LIBRARIES[extra] if find_spec(name) is None), "")


def require_extra(extra: str) -> None:
    """Raise `CompanionError` where a library of the extra is not installed."""
    if name := missing_library(extra):
        raise CompanionError(f"This needs the library {name}: {install_command(extra)}")
