"""Gives a simulated table a temporary folder, apart from the real table's."""

from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from companion.settings.model import Settings


@contextmanager
def temporary_store(settings: Settings) -> Iterator[Settings]:
    """The same settings with another folder for whatever is kept."""
    with TemporaryDirectory(prefix="companion-simulated-") as folder:
        yield replace(settings, storage=replace(settings.storage, folder=folder))
