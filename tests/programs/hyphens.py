"""`make hyphens`: where the long words of the catalogues may be broken, by pyphen's dictionaries.

They are written down, because to read the German dictionary takes a second of the processor, and nobody waits
for that at a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from babel.messages.pofile import read_po

from companion.language import installed_languages
from companion.language.installed_languages import LETTERS, syllable_file

LONG = 7
"""Shorter words have room everywhere."""
LEAST = 3
"""Letters before and after a hyphen, at least."""
PARTS = re.compile(r"\{[^}]*\}")
CORRECTED = {
    "companion": "companion",
    "kobayakawa": "koba-ya-kawa",
    "erwischt": "erwischt",
    "mitzumachen": "mit-zu-machen",
    "scharfes": "schar-fes",
    "spielablauf": "spiel-ablauf",
    "spielaufbau": "spiel-aufbau",
}
"""Where the dictionaries are wrong."""


def long_words(language: str) -> Iterator[str]:
    """Every long word of a catalogue, in small letters; some stand there often."""
    with (installed_languages.find_language(language).folder / "LC_MESSAGES" / "companion.po").open(
        "rb"
    ) as source:
        catalogue = read_po(source)
    for message in catalogue:
        several = [message.string] if isinstance(message.string, str) else list(message.string)
        strings = [PARTS.sub(" ", one) for one in several]
        if message.id:
            yield from (word.lower() for one in strings for word in LETTERS.findall(one) if len(word) >= LONG)


def main() -> None:
    import pyphen

    for language, one in installed_languages.installed_languages().items():
        if not one.about.hyphens:
            continue
        rules = pyphen.Pyphen(lang=one.about.hyphens, left=LEAST, right=LEAST)
        lines = [CORRECTED.get(word) or rules.inserted(word) for word in sorted(set(long_words(language)))]
        syllable_file(language).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        print(f"{syllable_file(language)}: {len(lines)} words")


if __name__ == "__main__":
    main()
