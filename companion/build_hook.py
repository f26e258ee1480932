"""Compiles the gettext catalogues while a wheel or an editable install is built."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WRITTEN = datetime(2020, 2, 2, tzinfo=UTC)
"""What each compiled catalogue says of its age, so that two builds are the same byte for byte."""


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Writes `companion.mo` beside every `companion.po`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        for source in sorted(Path(self.root, "assets", "locale").glob("*/LC_MESSAGES/companion.po")):
            with source.open("rb") as stream:
                catalogue = read_po(stream, locale=source.parts[-3])
            catalogue.creation_date = catalogue.revision_date = WRITTEN
            with source.with_suffix(".mo").open("wb") as stream:
                write_mo(stream, catalogue)
