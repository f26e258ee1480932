"""Where the rulebooks have a rule: every key is one that this game rules by, and every game has some."""

from __future__ import annotations

import re
import tomllib
from typing import get_args

import pytest

from companion.core.events import kind_of
from companion.games import RULES
from companion.language.language import Language
from companion.system.asset_paths import bundled_assets_folder
from companion.ui.overlays.allowed_actions import heading_key
from tests.languages import LANGUAGES

SECTIONS = tomllib.loads((bundled_assets_folder() / "lessons" / "sections.toml").read_text(encoding="utf-8"))
CATALOGUE = (bundled_assets_folder() / "locale" / "en" / "LC_MESSAGES" / "companion.po").read_text(
    encoding="utf-8"
)


@pytest.mark.parametrize("game", SECTIONS)
def test_a_rule_is_looked_up_by_its_key_its_first_word_or_its_phase(game: str) -> None:
    named = re.findall(rf'^msgid "{game}\.(?:why|phase)\.([\w.]+)"', CATALOGUE, flags=re.MULTILINE)
    rulings = {kind_of(cls) for cls in get_args(RULES[game].events)}
    known = {*named, *(key.partition(".")[0] for key in named), *rulings}
    keys = {key for sections in SECTIONS[game].values() for key in sections}
    assert keys
    assert keys - known == set()


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_heading_is_told_in_every_language_beside_what_is_printed(code: str) -> None:
    language = Language(code)
    headings = {place for game in SECTIONS.values() for place in game.get("heading", {}).values()}
    assert headings
    for heading in headings:
        printed = heading.partition(",")[0].casefold()
        assert (language.tr(heading_key(heading)).casefold() == printed) == (code == "en"), heading
