"""What the pages ask of a language; `companion.ui.language.Language` is one."""

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


def table_called(words: Words, name: str, address: str) -> str:
    """What a table is called: its own name, else the last number of its address (`A.B.C.D:PORT`)."""
    host = address.partition(":")[0]
    return name or words.tr("ui.page.table", number=host.rpartition(".")[2])
