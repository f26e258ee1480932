"""Finds what other installed packages add to the program, through entry points.

The groups: `companion.commands` (a package with a `commands.toml`), `companion.checks` (of
`companion doctor`), `companion.schemas` (of `companion dev schema`), `companion.uplink` (a class in the place
of `companion.home.uplink.Uplink`). Games have a group of their own, see `companion.games`.
"""

import logging
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

log = logging.getLogger(__name__)


def find_extensions(group: str) -> list[EntryPoint]:
    """What is added to this group, by its name; nothing is imported for that."""
    return sorted(entry_points(group=group), key=lambda point: point.name)


def load_extensions(group: str) -> Mapping[str, Any]:
    """What each package adds to this group, by its name; what cannot be imported is logged and left out."""
    found: dict[str, Any] = {}
    for point in find_extensions(group):
        try:
            found[point.name] = point.load()
        except Exception as problem:
            log.warning("%s of the group %s cannot be imported", point.value, group, exc_info=problem)
    return found
