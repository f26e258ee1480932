"""Machines that the doctor's tests make up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.system.machine import Machine

Make = Callable[..., Machine]


@pytest.fixture
def machine(tmp_path: Path) -> Make:
    """A machine with the named files and modules, and nothing else."""

    def make(
        *files: str, modules: tuple[str, ...] = (), versions: dict[str, str] | None = None, **more: Any
    ) -> Machine:
        root = tmp_path / "root"
        root.mkdir(exist_ok=True)
        for file in files:
            name, _, content = file.partition("=")
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        known = {
            "root": root,
            "platform": "linux",
            "environ": {},
            "module": lambda name: Path(name) if name in modules else None,
            "version": (versions or {}).get,
            "which": lambda name: None,
            "has_libgl": lambda: True,
            "folder": tmp_path,
        }
        return Machine(**{**known, **more})

    return make
