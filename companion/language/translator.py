"""What pages ask of a language, as a protocol."""

from collections.abc import Mapping
from typing import Protocol

from companion.core.actions import Chair
from companion.core.view import Sentence


class Translator(Protocol):
    """One language."""

    @property
    def code(self) -> str: ...

    @property
    def letters(self) -> str: ...

    def text(self, sentence: Sentence, names: Mapping[Chair, str] | None = None) -> str: ...

    def __contains__(self, key: object) -> bool: ...

    def tr(self, key: str, **parts: str | int) -> str: ...


def table_title(words: Translator, name: str, address: str) -> str:
    """What a table is called: its own name, else the last number of its address (`A.B.C.D:PORT`)."""
    host = address.partition(":")[0]
    return name or words.tr("ui.page.table", number=host.rpartition(".")[2])
