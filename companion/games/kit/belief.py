"""What the games' inferences share."""

from collections.abc import Iterator

Chances = Iterator[tuple[float, bool]]
"""A chance, and whether it is so."""
