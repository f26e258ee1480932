"""How much is tried: `make test` tries a part of everything, `make long` all of it."""

from __future__ import annotations

import os

PART = 3
"""`make test` tries one in so many."""


def examples(many: int) -> int:
    """So many with `THOROUGH=1`, else a part of them."""
    return many if os.environ.get("THOROUGH") else -(-many // PART)
