"""Resident memory of `companion play` at the game page, without a camera and while it is read."""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.bench.figures import Row
from tests.programs.bench.table import watched

NAME = "memory"
AIM_MB = 200


def rows() -> Iterator[Row]:
    seeing, plain = watched(camera=True), watched(camera=False)
    yield Row(
        figure="resident memory while the camera is read",
        value=seeing["peak_mb"],
        unit="MB",
        baseline="without a camera",
        beside=plain["peak_mb"],
        ratio=seeing["peak_mb"] / plain["peak_mb"],
        aim=f"≤ {AIM_MB} MB",
        met=seeing["peak_mb"] <= AIM_MB,
        note="the highest of the whole run; the shipped deck is enrolled in it",
    )
