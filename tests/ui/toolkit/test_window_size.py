"""In which size a full screen is drawn, and what becomes of one that does not open."""

from __future__ import annotations

import pytest

from companion.ui.toolkit.window import Window, fit_drawing_size, max_drawing_size


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


@pytest.mark.parametrize(
    ("generation", "display", "drawn"),
    [
        (5, (1920, 1080), (1920, 1080)),
        (4, (1920, 1080), (1280, 720)),
        (4, (1280, 1024), (900, 720)),
        (3, (800, 480), (800, 480)),
        (0, (1920, 1080), (1920, 1080)),
    ],
)
def test_a_pi_before_the_5_draws_fewer_points_and_has_them_enlarged(
    generation: int, display: tuple[int, int], drawn: tuple[int, int]
) -> None:
    assert fit_drawing_size(display, (1280, 720), max_drawing_size(generation)) == drawn


def test_a_driver_that_does_not_open_leaves_a_table_without_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "nonesuch")
    window = Window((640, 480))
    try:
        assert window.is_invisible
        assert window.size == (640, 480)
    finally:
        window.close()
