"""Finds where a game's rulebook states a rule."""

import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache

from companion.games import game_assets_folder

Sections = Mapping[str, Mapping[str, Mapping[str, str]]]


@cache
def _load_sections(game: str) -> Sections:
    file = game_assets_folder(game) / "lessons" / "sections.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


@lru_cache(maxsize=1024)
def rulebook_section(game: str, key: str) -> tuple[str, str]:
    """`page` or `heading`, and which; two empty strings if the rulebook does not state it."""
    for kind, known in _load_sections(game).get(game, {}).items():
        for one in (key, key.partition(".")[0]):
            if one in known:
                return kind, known[one]
    return "", ""
