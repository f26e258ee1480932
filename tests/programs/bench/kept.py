"""What a long bench has counted so far, in a file: a run that was cut goes on where it stopped.

The counts of one recogniser say nothing of another: they are kept with a fingerprint of the code and of the
decks, and begun anew when that has changed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from companion.system import asset_paths

Counts = dict[str, Any]


def fingerprint() -> str:
    """Of everything that a reading depends on."""
    digest = hashlib.sha256()
    source = Path(__file__).parents[3] / "companion" / "vision"
    for path in [
        *sorted(source.glob("*.py")),
        *sorted((asset_paths.bundled_assets_folder() / "decks").glob("*/*.deck")),
    ]:
        # The chances told are fitted afterwards; they change no reading.
        if path.name != "confidence.py":
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Kept:
    """One part's counts; without a folder nothing is kept."""

    folder: Path | None
    name: str
    of: str

    def load(self, seed: tuple[int, ...]) -> tuple[Counts, np.random.Generator]:
        """The counts so far and the generator as it was then; none and a new one if there are none."""
        rng = np.random.default_rng(seed)
        path = self._path()
        if path is None or not path.exists():
            return {}, rng
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["of"] != self.of:
            print(f"{path.name} is of another recogniser: begun anew", flush=True)
            return {}, rng
        rng.bit_generator.state = kept["rng"]
        return dict(kept["counts"]), rng

    def save(self, counts: Counts, rng: np.random.Generator) -> None:
        """Writes the counts and the generator's state, by way of a second file."""
        state = rng.bit_generator.state
        path = self._path()
        if path is not None:
            half = path.with_suffix(".part")
            half.write_text(json.dumps({"of": self.of, "rng": state, "counts": counts}), encoding="utf-8")
            half.replace(path)

    def _path(self) -> Path | None:
        return None if self.folder is None else self.folder / f"{self.name}.json"
