"""Every sentence of the desk is in every language, with the same parts, and none is in vain."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.language.language import part_names
from companion_club import desk
from companion_club.desk.accounts import ROLES
from companion_club.desk.translations import ASSETS_FOLDER
from tests.language.sentences import catalogue
from tests.languages import LANGUAGES

SOURCES = Path(desk.__file__).parent
OF_TABLES = {"table.flooded", "table.foreign"}
"""Lines of the audit trail that the hub writes."""


def asked() -> Iterator[str]:
    """Every key that templates and code name, and those that are put together."""
    for file in ASSETS_FOLDER.glob("*.html"):
        yield from re.findall(r"[\"'](desk\.[a-z_.]*[a-z_])[\"']", file.read_text(encoding="utf-8"))
    for file in SOURCES.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from re.findall(r"^desk\.[a-z_.]*[a-z_]$", node.value)
    yield from (f"desk.role.{role}" for role in ROLES)
    yield from (f"desk.event.{state}" for state in ("open", "running", "over"))
    yield from (f"desk.event.{size}" for size in ("smallest", "preferred", "largest"))
    yield from (f"desk.event.pairing.{way}" for way in ("mixed", "level"))
    yield from (f"desk.audit.{verb}" for verb in verbs() | OF_TABLES)


def verbs() -> set[str]:
    """What is written into the audit trail."""
    found = set()
    for file in SOURCES.glob("*.py"):
        text = file.read_text(encoding="utf-8")
        found |= set(re.findall(r'"((?:event|people|round|pod|result|login|call)\.(?!html)[a-z]+)"', text))
    return found


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_sentence_of_the_desk_is_there_and_is_used(code: str) -> None:
    there = {key for key in catalogue(code) if key.startswith("desk.")}
    assert there == set(asked())


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translation_has_the_same_parts(code: str) -> None:
    for key, texts in catalogue("en").items():
        if key.startswith("desk."):
            ours = {part for text in texts for part in part_names(text)}
            theirs = {part for text in catalogue(code)[key] for part in part_names(text)}
            assert theirs == ours, key
