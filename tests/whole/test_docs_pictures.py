"""The still pictures of README and docs show the screens as they are."""

from __future__ import annotations

from pathlib import Path

import pygame
import pytest

from tests.programs import pictures
from tests.ui import kept

SMALL = (kept.WIDTH, kept.WIDTH * pictures.FULL[1] // pictures.FULL[0])


@pytest.mark.parametrize("name", pictures.STILL)
def test_a_picture_of_the_docs_is_the_screen_as_it_is(checkout: Path, name: str) -> None:
    """If this fails, draw them anew: make pictures."""
    shown = pygame.image.load(checkout / "docs" / "pictures" / f"{name}.png")
    most, average = kept.apart(
        pygame.transform.smoothscale(shown, SMALL), pygame.transform.smoothscale(pictures.still(name), SMALL)
    )
    assert most <= kept.MOST_APART
    assert average <= kept.MOST_ON_AVERAGE
