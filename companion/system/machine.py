"""Facade for files, environment and programs of the machine, replaceable in tests."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from companion.system.setup_opencv import has_libgl, installed_version

PROGRAM = "table-companion"


def _module(name: str) -> Path | None:
    spec = find_spec(name)
    return None if spec is None else Path(spec.origin or ".")


def program_version() -> str:
    """The installed version of this program, as journals and `--version` name it."""
    return installed_version(PROGRAM) or "0+unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Files below `root`, environment, modules and programs of one machine."""

    root: Path = Path("/")
    platform: str = sys.platform
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    module: Callable[[str], Path | None] = _module
    """Where a module would be imported from, without importing it."""
    has_libgl: Callable[[], bool] = has_libgl
    version: Callable[[str], str | None] = installed_version
    which: Callable[[str], str | None] = shutil.which
    folder: Path = field(default_factory=Path.cwd)

    def find(self, pattern: str) -> list[Path]:
        """The files below the root that match, sorted."""
        try:
            return sorted(self.root.glob(pattern))
        except OSError:
            return []

    def read_text(self, path: str) -> str:
        """The content of a small file below the root; empty if there is none."""
        try:
            return (self.root / path).read_text(encoding="utf-8", errors="replace").strip("\0\n ")
        except OSError:
            return ""

    def is_pi(self) -> bool:
        """Whether this is a Raspberry Pi, or passes for one."""
        if "Raspberry Pi" in self.read_text("proc/device-tree/model"):
            return True
        labels = (
            self.read_text(str(path.relative_to(self.root))) for path in self.find("sys/class/gpio/*/label")
        )
        return any(label.startswith("pinctrl-") for label in labels)

    def device_holder(self, device: Path) -> str | None:
        """Another process that holds a device open, as far as we may see."""
        for link in self.find("proc/[0-9]*/fd/*"):
            pid = link.parts[-3]
            try:
                if pid != str(os.getpid()) and link.readlink() == device:
                    return f"process {pid} ({self.read_text(f'proc/{pid}/comm') or 'unknown'})"
            except OSError:
                continue  # it ended, or is not ours to look at
        return None
