"""What all tests of the screen share."""

from __future__ import annotations

import pytest

from tests.ui import shown


@pytest.fixture(scope="module", autouse=True)
def fresh_screens() -> None:
    """Fonts do not outlive pygame, which another file may have ended."""
    shown.screen.cache_clear()
