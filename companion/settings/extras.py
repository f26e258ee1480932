"""How a part that was left out of an installation is added to it."""

import shlex
import sys


def to_add(extra: str) -> str:
    """The command that adds an extra of pyproject.toml; another Python's pip would not find the program."""
    return f"{shlex.quote(sys.executable)} -m pip install 'table-companion[{extra}]'"
