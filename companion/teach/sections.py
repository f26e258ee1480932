"""Where a game's own rulebook has a rule, so that people can look it up: by page or by heading."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from companion import paths

Sections = Mapping[str, Mapping[str, Mapping[str, str]]]


@lru_cache(maxsize=1)
def _sections() -> Sections:
    file = paths.assets() / "lessons" / "sections.toml"
    return MappingProxyType(tomllib.loads(file.read_text(encoding="utf-8")))


def section(game: str, key: str) -> tuple[str, str]:
    """`page` or `heading`, and which; two empty words for what no rulebook says."""
    for kind, known in _sections().get(game, {}).items():
        for one in (key, key.partition(".")[0]):
            if one in known:
                return kind, known[one]
    return "", ""
