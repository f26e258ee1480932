"""The whole of `companion play` and of the program, in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.__main__ import main
from tests.whole.playing import Open, Playing


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Open]:
    opened: list[Playing] = []

    def open_(page: str = "home") -> Playing:
        opened.append(Playing(tmp_path / "games", page))
        return opened[-1]

    yield open_
    for one in opened:
        one.close()


@pytest.fixture
def companion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*words: str) -> str:
        capsys.readouterr()
        assert main(["--set", f"storage.folder={tmp_path / 'games'}", *words]) == 0
        return capsys.readouterr().out

    return run
