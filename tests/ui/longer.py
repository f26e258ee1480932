"""Words for tests of layout: the real catalogue, and a language 40 % longer."""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.language.language import Language


class Tongue:
    """English as the screen's authors wrote it."""

    def __init__(self, code: str) -> None:
        self.code = code
        self._language = Language(code)
        self.letters = self._language.letters

    def __contains__(self, key: object) -> bool:
        return key in self._language

    def text(self, sentence: Sentence, names: Mapping[Chair, str] | None = None) -> str:
        return self._language.text(sentence, names)

    def tr(self, key: str, **parts: str | int) -> str:
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
