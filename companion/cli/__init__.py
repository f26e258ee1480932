"""The command line: `command` reads it; every other module is a verb: what `Verb` says, in any order.

A verb's module is found by its file name and must be cheap to import: whatever is heavy is imported in `run`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from companion.settings.model import Settings

GROUPS = ("Play", "Set up", "Look back", "Maintain")
"""How the commands are listed."""
FOR_DEVELOPERS = "Develop"
"""The group of those that are listed by `companion dev`."""


class Verb(Protocol):
    """What a verb's module offers."""

    NAME: str
    """What is typed after `companion`: one word, or `dev` and one more."""
    HELP: str
    GROUP: str
    """One of `GROUPS`, or `FOR_DEVELOPERS`."""
    EXAMPLES: tuple[str, ...]
    """Whole commands that people often want; GAME stands for the first that is installed."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace, settings: Settings) -> int: ...


@runtime_checkable
class Unsettled(Protocol):
    """A verb that does some of its work whatever the settings in force say, and where they are broken."""

    def run_unsettled(self, args: argparse.Namespace) -> int | None:
        """Do it; None if this is work that needs settings."""


def verbs() -> Iterator[Verb]:
    """Every verb of this folder, by file name."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem != "command" and not path.stem.startswith("_"):
            yield cast("Verb", import_module(f"{__name__}.{path.stem}"))
