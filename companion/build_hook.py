"""Build hook that compiles the gettext catalogues and adds the project's address."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.util import UTC
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ADDRESS_VARIABLE = "COMPANION_URL"
"""The package's publisher says where it lives; this tree has no public address of its own."""


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Writes `companion.mo` beside every `companion.po`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        for source in sorted(Path(self.root, "assets", "locale").glob("*/LC_MESSAGES/companion.po")):
            with source.open("rb") as stream:
                catalogue = read_po(stream, locale=source.parts[-3])
            # One age for all of them, so that two builds are the same byte for byte.
            written = catalogue.creation_date.replace(year=2020, month=2, day=2, hour=0, minute=0, tzinfo=UTC)
            catalogue.creation_date = catalogue.revision_date = written
            begun = source.with_suffix(".mo.part")
            with begun.open("wb") as stream:
                write_mo(stream, catalogue)
            begun.replace(source.with_suffix(".mo"))  # whoever reads it meanwhile finds a whole one


class AddressHook(MetadataHookInterface):
    """Puts the project's address into the package's metadata; without one there is no link."""

    def update(self, metadata: dict[str, Any]) -> None:
        address = os.environ.get(ADDRESS_VARIABLE, "")
        metadata["urls"] = {"Homepage": address} if address else {}
