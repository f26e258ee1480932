"""How much is tried: `make test` tries a part of everything, `make long` all of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

PART, RARE = 16, 8
"""`make test` tries one in so many; of what is rare among them more."""


def examples(many: int, part: int = PART) -> int:
    """So many with `THOROUGH=1`, else one in `part` of them."""
    return many if os.environ.get("THOROUGH") else -(-many // part)


def a_third(every: Sequence[T]) -> Sequence[T]:
    """All with `THOROUGH=1`, else every third."""
    return every if os.environ.get("THOROUGH") else every[::3]


def some(every: Sequence[T]) -> Sequence[T]:
    """All with `THOROUGH=1`, else the first and the last."""
    return every if os.environ.get("THOROUGH") or len(every) < 2 else (every[0], every[-1])
