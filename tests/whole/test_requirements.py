"""What the project asks an index for: one pygame for each Python, and nothing that an index cannot give."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.programs.install_check import requirements

EXTRAS = (
    "print",
    "completion",
    "page",
    "home",
    "uplink",
    "club",
    "docs",
    "dev",
    "bench",
    "voice",
    "clips",
    "judges",
    "oracle",
)


@pytest.mark.parametrize(
    ("python", "wanted"),
    [
        ("3.11", "pygame"),
        ("3.12", "pygame"),
        ("3.13", "pygame"),
        ("3.14", "pygame-ce"),
        ("3.15", "pygame-ce"),
    ],
)
def test_each_python_gets_the_one_pygame_that_has_a_wheel_for_it(python: str, wanted: str) -> None:
    names = [asked.name for asked in requirements(python, EXTRAS)]
    assert [name for name in names if name.startswith("pygame")] == [wanted]


def test_no_extra_names_what_an_index_has_only_as_a_stub_or_as_source(checkout: Path) -> None:
    extras = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert set(extras) == set(EXTRAS)
    names = {asked.name for asked in requirements("3.13", EXTRAS)}
    assert names & {"lgpio", "evdev", "picamera2", "libcamera"} == set()
    assert "opencv-python" in names, "a checkout asks for the ordinary OpenCV; the set-up changes it"
