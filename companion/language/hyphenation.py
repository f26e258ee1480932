"""Finds where a long word may be broken, from syllable lists made by `make hyphens`."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from companion.language import installed_languages
from companion.system import safe_files
from companion.system.safe_files import SizeLimit

LETTERS = re.compile(r"[^\W\d_]+")


def syllable_file(language: str) -> Path:
    """The list of a language: one word a line, its syllables joined by hyphens."""
    return installed_languages.find_language(language).folder / "hyphens.txt"


@cache
def load_syllables(language: str) -> Mapping[str, tuple[int, ...]]:
    """For each word in small letters, after how many letters it may be broken."""
    try:
        listed = safe_files.read_text(syllable_file(language), SizeLimit.NOTE)
    except (OSError, UnicodeDecodeError):
        return {}
    found = {}
    for line in listed.splitlines():
        parts = line.split("-")
        ends = [sum(map(len, parts[:count])) for count in range(1, len(parts))]
        found["".join(parts)] = tuple(ends)
    return found


def break_points(word: str, language: str) -> tuple[tuple[int, str], ...]:
    """After how many characters `word` may be broken, and what is written there: a hyphen if it has none."""
    listed = load_syllables(language)
    found = [(place + 1, "") for place, mark in enumerate(word[:-1]) if mark in "-–/" and place]
    for letters in LETTERS.finditer(word):
        found += [(letters.start() + end, "-") for end in listed.get(letters.group().lower(), ())]
    return tuple(sorted(found))
