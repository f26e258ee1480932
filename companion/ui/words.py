"""What the pages ask of a language; `companion.ui.language.Language` is one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from companion.core.actions import Chair
from companion.core.view import Sentence


class Words(Protocol):
    """One language."""

    @property
    def code(self) -> str: ...

    @property
    def letters(self) -> str: ...

    def text(self, sentence: Sentence, names: Mapping[Chair, str] | None = None) -> str: ...

    def __contains__(self, key: object) -> bool: ...

    def tr(self, key: str, **parts: str | int) -> str: ...
