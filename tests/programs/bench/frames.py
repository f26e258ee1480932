"""Frame times and the processor's share of the game page, idle, in a count, and while the camera is read."""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.bench.figures import Row
from tests.programs.bench.table import watched

NAME = "frames"


def rows() -> Iterator[Row]:
    idle, seeing = watched(camera=False), watched(camera=True)
    yield Row(
        figure="processor while idle (game page)",
        value=100 * idle["cpu"],
        unit="% of a core",
        aim="near 0",
        met=idle["cpu"] < 0.03,
        note=f"{idle['turns_per_s']:.0f} turns of the loop a second, {idle['turn_us']:.0f} µs each",
    )
    yield Row(
        figure="processor while the camera is read",
        value=100 * seeing["cpu"],
        unit="% of a core",
        note=f"10 pictures a second of 1280×720, decoded from JPEG; {seeing['readings']} places read",
    )
    yield Row(
        figure="a frame painted anew (game page, 1280×720)",
        value=idle["repaint_ms"],
        unit="ms",
        baseline="a frame at 60 Hz",
        beside=1000 / 60,
        ratio=idle["repaint_ms"] * 60 / 1000,
    )
    yield Row(
        figure="a frame of the count",
        value=idle["count_ms"],
        unit="ms",
        baseline="a frame at 60 Hz",
        beside=1000 / 60,
        ratio=idle["count_ms"] * 60 / 1000,
        aim="≤ 1 ×",
        met=idle["count_worst_ms"] * 60 <= 1000,
        note=f"{idle['count_frames']} frames, 19 of 20 within {idle['count_worst_ms']:.1f} ms; "
        f"{100 * idle['count_cpu']:.0f} % of a core meanwhile",
    )
