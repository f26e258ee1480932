"""Upgrades of older journal formats on plain JSON, one pure function per format.

The format is how a journal is written. Which defaults its house rules have depends on the revision of the
rules: if a default has changed since, a game that omits the house rule keeps the one it was played with.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from companion.referee.journal.entry import UNCHAINED_FORMAT, Header, JournalError

Json = dict[str, Any]
Upgrade = Callable[[Json, list[Json]], tuple[Json, list[Json]]]
"""(header, entries) in format N → the same in format N + 1; the arguments are not modified."""
Upgrades = Mapping[int, Upgrade]

UPGRADES: Upgrades = MappingProxyType({})
"""Format → the upgrade from it. Empty so far: format 1 is the first, and 2 is the same with a chain."""


def with_explicit_options(header: Header, earlier: Mapping[int, Mapping[str, Any]]) -> Header:
    """The header with explicit values for all house rules whose default has changed since."""
    defaults, said = earlier.get(header.rules, {}), header.setup.options
    if said.keys() >= defaults.keys():
        return header
    return replace(header, setup=replace(header.setup, options={**defaults, **said}))


def upgrade_journal(
    header: Json,
    entries: list[Json],
    written: int,
    upgrades: Upgrades = UPGRADES,
    upto: int = UNCHAINED_FORMAT,
) -> tuple[Json, list[Json]]:
    """The journal converted to format `upto`; raises `JournalError` if it is newer or damaged."""
    for step in range(written, upto):
        if step not in upgrades:
            what = f"journals of format {step} can no longer be read"
            raise JournalError("too_old", what, line=1, where="$.format")
        header, entries = upgrades[step](header, entries)
        header = {**header, "format": step + 1}
    return header, entries
