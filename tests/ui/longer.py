"""Words for tests of layout: the real catalogue, and a language 40 % longer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.ui.language import Language

LISTED: Mapping[str, str] = dict(
    line.split(" = ", 1)
    for line in (Path(__file__).parent / "ui_keys.txt").read_text(encoding="utf-8").splitlines()
    if " = " in line
)


class Tongue:
    """English as the screen's authors wrote it."""

    def __init__(self, code: str) -> None:
        self.code = code
        self._language = Language(code)

    def text(self, sentence: Sentence, names: Mapping[Chair, str] | None = None) -> str:
        if sentence.key in self._language:
            return self._language.text(sentence, names)
        return self.tr(sentence.key, **dict(sentence.parts))

    def tr(self, key: str, **parts: str | int) -> str:
        if key in LISTED and key not in self._language:
            return LISTED[key].format(**parts)
        return self._language.tr(key, **parts)


class Longer(Tongue):
    """A language whose words are 40 % longer."""

    def text(self, sentence: Sentence, names: Mapping[Chair, str] | None = None) -> str:
        return stretched(super().text(sentence, names))

    def tr(self, key: str, **parts: str | int) -> str:
        return stretched(super().tr(key, **parts))


def stretched(string: str) -> str:
    """Every word with two letters repeated for five."""
    return " ".join(
        word[: len(word) // 2]
        + word[len(word) // 2 : len(word) // 2 + round(len(word) * 0.4)]
        + word[len(word) // 2 :]
        for word in string.split(" ")
    )
