"""Sentences of rulings on the terminal, in the table's language where a catalogue has them."""

from __future__ import annotations

import gettext
from collections.abc import Callable

from companion.paths import assets
from companion.view import Sentence


def teller(language: str) -> Callable[[Sentence], str]:
    """A function that tells sentences in `language`; a key without a sentence is told as it is."""
    catalogue = gettext.translation("companion", assets() / "locale", [language], fallback=True)

    def tell(sentence: Sentence) -> str:
        parts = dict(sentence.parts)
        if isinstance(chair := parts.get("chair"), int):
            parts["chair"] = chair + 1
        text = catalogue.gettext(sentence.key)
        if text == sentence.key:
            return " ".join((sentence.key, *(f"{name}={value}" for name, value in parts.items())))
        try:
            return text.format(**parts)
        except (KeyError, IndexError, ValueError):
            return text

    return tell
