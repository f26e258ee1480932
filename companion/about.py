"""Which program this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def program_version() -> str:
    """The installed version, as journals and `--version` name it."""
    try:
        return version("table-companion")
    except PackageNotFoundError:
        return "0+unknown"
