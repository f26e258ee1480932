"""In which size a full screen is drawn, and what becomes of one that does not open."""

from __future__ import annotations

import pytest

from companion.ui.toolkit.window import Window, fit_drawing_size


@pytest.mark.parametrize(
    ("display", "drawn"),
    [
        ((1024, 600), (1024, 600)),
        ((1920, 1080), (1920, 1080)),
        ((3840, 2160), (1920, 1080)),
        ((1280, 1024), (1280, 1024)),
        ((320, 200), (1280, 720)),
    ],
)
def test_a_display_is_filled_in_its_own_shape(display: tuple[int, int], drawn: tuple[int, int]) -> None:
    assert fit_drawing_size(display, (1280, 720)) == drawn


def test_a_driver_that_does_not_open_leaves_a_table_without_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "nonesuch")
    window = Window((640, 480))
    try:
        assert window.is_invisible
        assert window.size == (640, 480)
    finally:
        window.close()
