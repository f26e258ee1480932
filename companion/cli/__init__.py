"""The command line: `command` reads it; every other module is a verb: `NAME`, `HELP`, `add_arguments`, `run`.

A verb's module is found by its file name and must be cheap to import: whatever is heavy is imported in `run`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from companion.settings.model import Settings


class Verb(Protocol):
    """What a verb's module offers."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace, settings: Settings) -> int: ...


def verbs() -> Iterator[Verb]:
    """Every verb of this folder, by file name."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem != "command" and not path.stem.startswith("_"):
            yield cast("Verb", import_module(f"{__name__}.{path.stem}"))
